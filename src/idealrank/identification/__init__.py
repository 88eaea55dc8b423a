"""Identify what an unknown NDCG computes, from what it returns."""

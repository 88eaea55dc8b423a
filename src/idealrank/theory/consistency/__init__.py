"""Which surrogate losses lead to the best NDCG (Ravikumar et al. 2011)."""

"""Long lists: what NDCG tends to, and which discounts and cutoffs tell two rankers apart (Wang et al. 2013)."""

"""Long lists: what NDCG tends to, and which discounts and cutoffs distinguish two rankers (Wang et al. 2013)."""

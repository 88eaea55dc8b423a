"""`leaderboard`: who is first on several data sets."""

from statements.world import Kind, World

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "first of a leaderboard": Kind("a is first: its mean is significantly better than all others."),
    "aggregations disagree": Kind("Mean and mean rank agree on the order.", certain="compares the printed orders"),
    "normalization matters": Kind("NDCG and DCG order 2 pairs differently.", certain="compares the printed orders"),
}
WORLDS: list[World] = []

"""`distinguish`, `limits`, and what theory says about measures and losses."""

from statements.world import Kind, World

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "distinguishes": Kind("ndcg distinguishes a from b."),
    "pairs distinguished": Kind("ndcg distinguishes 12 of 15 pairs."),
    "best signal-to-noise ratio": Kind("ndcg@10 has the best signal-to-noise ratio on these queries."),
    "ratio on other queries": Kind("Chosen on one half and measured on the other, the ratio is 0.2."),
    "choosing a measure is worth it": Kind("Choosing is worth it here."),
    "limit of a measure": Kind("As lists grow, it tends to 0.8000."),
    "theorem applies": Kind("Theorem 4 applies."),
    "consistency of a loss": Kind("The loss is consistent with NDCG."),
}
WORLDS: list[World] = []

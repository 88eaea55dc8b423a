"""What Section 6 of the paper does, and what this library does with the same losses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from idealrank import learners

__all__ = ["OURS", "PUBLISHED_MAP", "PUBLISHED_NDCG", "QUICK", "Protocol"]

#: NDCG@n on OHSUMED: Sections 6.4 and 6.5.
PUBLISHED_NDCG = {"ApproxNDCG": 0.6698, "ApproxAP": 0.6693, "SoftRank": 0.6680, "AdaRank.NDCG": 0.6589}
#: MAP on TD2003 and TD2004: Tables 2 and 3.
PUBLISHED_MAP = {
    "ApproxNDCG": (0.238, 0.318),
    "ApproxAP": (0.233, 0.350),
    "AdaRank.MAP": (0.137, 0.331),
    "SVMMap": (0.198, 0.304),
}
#: What is added to the name of a ranker that is trained as this library does it.
OURS = ", ours"


@dataclass(frozen=True)
class Protocol:
    """T, eta and the grids of Sections 6.3 and 6.4; ``iterations`` is for what is not trained by Algorithm 1.

    >>> len(Protocol().approx_ap["alpha"]) * len(Protocol().approx_ap["beta"])
    20
    """

    epochs: int = 200
    rate: float = 0.01
    alphas: tuple[int, ...] = (10, 20, 50, 100, 150, 200, 250, 300)
    alphas_of_ap: tuple[int, ...] = (10, 20, 50, 100)
    betas: tuple[int, ...] = (1, 10, 20, 50, 100)
    iterations: int = 100
    n_folds: int = 5
    seed: int = 0

    @property
    def approx_ndcg(self) -> dict[str, list[int]]:
        """The grid of ApproxNDCG."""
        return {"alpha": [*self.alphas]}

    @property
    def approx_ap(self) -> dict[str, list[int]]:
        """The grid of ApproxAP."""
        return {"alpha": [*self.alphas_of_ap], "beta": [*self.betas]}

    def for_queries(self, n_queries: int) -> Protocol:
        """The same for so many training queries: no more steps than T epochs of OHSUMED's 64 queries make.

        >>> Protocol().for_queries(45).epochs, Protocol().for_queries(471).epochs
        (200, 28)
        """
        return replace(self, epochs=min(self.epochs, math.ceil(self.epochs * 64 / n_queries)))

    def rankers(self, normalize: str | None, *, graded: bool) -> dict[str, Any]:
        """{name: ranker, or (ranker, grid)}: the paper's learners, and ours.

        Those that maximise NDCG are chosen by NDCG@n on validation queries, the others by MAP; SoftRank and
        AdaRank.NDCG are for more than two labels, as in the paper.
        """
        own: dict[str, Any] = {"max_iter": self.iterations, "normalize": normalize}
        descent: dict[str, Any] = {
            "optimizer": "sgd", "max_iter": self.epochs, "learning_rate": self.rate, "random_state": self.seed,
            "normalize": normalize,
        }  # fmt: skip
        found: dict[str, Any] = {
            "ApproxNDCG": (learners.ApproxNDCGRanker(**descent), self.approx_ndcg),
            "ApproxAP": (learners.ApproxAPRanker(**descent, measure="ap"), self.approx_ap),
        }
        if graded:
            slow = {**descent, "max_iter": math.ceil(self.epochs / 4)}
            found["SoftRank"] = (learners.SoftRank(**slow), {"sigma": [0.1, 1.0]})
            found["AdaRank.NDCG"] = learners.AdaRank(**own)
        found["AdaRank.MAP"] = learners.AdaRank(**own, measure="ap")
        found["SVMMap"] = (learners.SVMMap(**own), {"l2": [0.001, 0.01, 0.1]})
        few = {"alpha": [10, 50, 100]}
        found[f"ApproxNDCG{OURS}"] = (learners.ApproxNDCGRanker(**own), few)
        found[f"ApproxAP{OURS}"] = (learners.ApproxAPRanker(**own, measure="ap"), few)
        if graded:
            found[f"SoftRank{OURS}"] = learners.SoftRank(**{**own, "max_iter": math.ceil(self.iterations / 2)})
        found["ListNet"] = learners.ListNet(**own)
        return found


#: Enough to see that everything works.
QUICK = Protocol(epochs=5, alphas=(10, 100), alphas_of_ap=(10, 100), betas=(10,), iterations=5, n_folds=2)

"""What Section 6 of the paper does, and what this library does with the same losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from idealrank import learners
from idealrank.io.letor_folds import Folds

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
    """T, eta and the grids of Sections 6.3 and 6.4; ``iterations`` is for rankers that are not trained by Algorithm 1.

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

    def of(self, folds: Folds) -> Folds:
        """As many of the folds as are looked at."""
        return folds[: self.n_folds]

    def rankers(self, normalize: str | None, *, graded: bool) -> Mapping[str, Any]:
        """{name: (ranker, grid)}: the paper's learners, by Algorithm 1 where it is theirs, and ours.

        Those that maximise NDCG are chosen by NDCG@n on validation queries, the others by MAP; SoftRank and
        AdaRank.NDCG are for more than two labels, as in the paper.
        """
        descent: dict[str, Any] = {
            "optimizer": "sgd", "max_iter": self.epochs, "learning_rate": self.rate, "random_state": self.seed,
            "normalize": normalize,
        }  # fmt: skip
        own: dict[str, Any] = {"max_iter": self.iterations, "normalize": normalize}
        found: dict[str, Any] = {
            "ApproxNDCG": (learners.ApproxNDCGRanker(**descent), self.approx_ndcg),
            "ApproxAP": (learners.ApproxAPRanker(**descent, measure="ap"), self.approx_ap),
        }
        if graded:
            found["SoftRank"] = (learners.SoftRank(**own), {"sigma": [0.1, 1.0]})
        few = {"alpha": [10, 50, 100]}
        found[f"ApproxNDCG{OURS}"] = (learners.ApproxNDCGRanker(**own), few)
        found[f"ApproxAP{OURS}"] = (learners.ApproxAPRanker(**own, measure="ap"), few)
        return found


#: Enough to see that everything works.
QUICK = Protocol(
    epochs=5, alphas=(10, 100), alphas_of_ap=(10, 100), betas=(10,), iterations=5, n_folds=2
)

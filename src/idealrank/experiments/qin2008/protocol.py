"""The protocol of the paper's Section 6, and this library's training of the same losses."""

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
#: The suffix of the name of a ranker that is trained in this library's way.
OURS = ", ours"
_GRADED_ONLY = {"SoftRank", "AdaRank.NDCG", f"SoftRank{OURS}"}


@dataclass(frozen=True)
class Protocol:
    """T, eta and the grids of Sections 6.3 and 6.4.

    Parameters
    ----------
    epochs, rate : int, float
        T and eta of Algorithm 1.
    alphas : tuple of int
        The grid of alpha for ApproxNDCG.
    alphas_of_ap, betas : tuple of int
        The grids of alpha and beta for ApproxAP.
    iterations : int
        The iterations of rankers that are not trained by Algorithm 1.
    n_folds : int
        The number of folds.
    seed : int
        Seed of the random number generator.

    Examples
    --------
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
    def approx_ap(self) -> dict[str, list[int]]:
        """The grid of ApproxAP."""
        return {"alpha": [*self.alphas_of_ap], "beta": [*self.betas]}

    def for_queries(self, n_queries: int) -> Protocol:
        """Return the protocol for this many training queries, with no more steps than T epochs of OHSUMED's 64 queries.

        >>> Protocol().for_queries(45).epochs, Protocol().for_queries(471).epochs
        (200, 28)
        """
        return replace(self, epochs=min(self.epochs, math.ceil(self.epochs * 64 / n_queries)))

    def rankers(self, normalize: str | None, *, graded: bool) -> dict[str, Any]:
        """Return {name: ranker, or (ranker, grid)}: the paper's learners, and ours.

        Those that maximize NDCG are selected by NDCG@n on validation queries, the others by MAP; SoftRank and
        AdaRank.NDCG need more than two labels, as in the paper.
        """
        own: dict[str, Any] = {"max_iter": self.iterations, "normalize": normalize}
        descent = {"optimizer": "sgd", "learning_rate": self.rate, "random_state": self.seed, "normalize": normalize}
        by_epochs: dict[str, Any] = {**descent, "max_iter": self.epochs}
        few = {"alpha": [10, 50, 100]}
        found = {
            "ApproxNDCG": (learners.ApproxNDCGRanker(**by_epochs), {"alpha": [*self.alphas]}),
            "ApproxAP": (learners.ApproxAPRanker(**by_epochs, measure="ap"), self.approx_ap),
            "SoftRank": (
                learners.SoftRank(**{**by_epochs, "max_iter": math.ceil(self.epochs / 4)}),
                {"sigma": [0.1, 1.0]},
            ),
            "AdaRank.NDCG": learners.AdaRank(**own),
            "AdaRank.MAP": learners.AdaRank(**own, measure="ap"),
            "SVMMap": (learners.SVMMap(**own), {"l2": [0.001, 0.01, 0.1]}),
            f"ApproxNDCG{OURS}": (learners.ApproxNDCGRanker(**own), few),
            f"ApproxAP{OURS}": (learners.ApproxAPRanker(**own, measure="ap"), few),
            f"SoftRank{OURS}": learners.SoftRank(**{**own, "max_iter": math.ceil(self.iterations / 2)}),
            "ListNet": learners.ListNet(**own),
        }
        return {name: ranker for name, ranker in found.items() if graded or name not in _GRADED_ONLY}


#: Just enough to run everything.
QUICK = Protocol(epochs=5, alphas=(10, 100), alphas_of_ap=(10, 100), betas=(10,), iterations=5, n_folds=2)

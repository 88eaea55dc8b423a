"""The protocol of the paper's Section 6: what it says, and what it leaves open."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from idealrank import learners
from idealrank.experiments.claims import Axes, Setting

__all__ = ["AXES", "LIKE", "NORMALIZE", "PUBLISHED_NDCG", "QUICK", "Protocol", "trained_name"]

#: NDCG@n on OHSUMED: Sections 6.4 and 6.5.
PUBLISHED_NDCG = {"ApproxNDCG": 0.6698, "ApproxAP": 0.6693, "SoftRank": 0.6680, "AdaRank.NDCG": 0.6589}

#: What the paper leaves open. The reference, the first value of each, was fixed before it was run.
AXES = Axes(
    {
        "features": ("min-max features", "features as in the files"),
        "training": ("Algorithm 1", "Algorithm 1, another seed", "Algorithm 1, the paper's grids", "L-BFGS"),
        "discount": ("LETOR discount", "discount 1/log2(1 + rank)"),
        "AdaRank": ("repeats allowed", "no repeats"),
    }
)
NORMALIZE = {"min-max features": "minmax", "features as in the files": None}
LIKE = {"LETOR discount": "letor1", "discount 1/log2(1 + rank)": None}
#: The open choice that each ranker's training depends on, if it depends on one.
_TRAINED_BY = {
    "ApproxNDCG": "training",
    "ApproxAP": "training",
    "SoftRank": "training",
    "AdaRank.NDCG": "AdaRank",
    "AdaRank.MAP": "AdaRank",
    "SVMMap": None,
    "ListNet": None,
}
_GRADED_ONLY = {"SoftRank", "AdaRank.NDCG"}


def trained_name(ranker: str, setting: Setting) -> str:
    """Return the name of a ranker as it is trained in a setting.

    >>> trained_name("ApproxAP", AXES.reference), trained_name("SVMMap", AXES.reference)
    ('ApproxAP, Algorithm 1', 'SVMMap')
    """
    axis = _TRAINED_BY[ranker]
    return ranker if axis is None else f"{ranker}, {setting[axis]}"


@dataclass(frozen=True)
class Grids:
    """What is chosen from on validation queries, and the epochs of SoftRank, whose grid is not in the paper.

    Parameters
    ----------
    alphas : tuple of int
        The grid of alpha for ApproxNDCG.
    alphas_of_ap, betas : tuple of int
        The grids of alpha and beta for ApproxAP.
    sigmas : tuple of float
        The grid of sigma for SoftRank.
    soft_epochs : int
        The epochs of SoftRank, which are expensive.
    """

    alphas: tuple[int, ...]
    alphas_of_ap: tuple[int, ...]
    betas: tuple[int, ...]
    sigmas: tuple[float, ...]
    soft_epochs: int


@dataclass(frozen=True)
class Protocol:
    """T and eta of Sections 6.3 and 6.4, and the grids.

    Parameters
    ----------
    epochs, rate : int, float
        T and eta of Algorithm 1.
    ends, full : Grids
        The grids of the reference, and those of the paper.
    iterations : int
        The iterations of rankers that are not trained by Algorithm 1.
    n_folds : int
        The number of folds.
    seed : int
        Seed of the random number generator.
    axes : Axes
        The open choices.

    Examples
    --------
    >>> list(Protocol().rankers("features as in the files", graded=False))
    ['ApproxNDCG, Algorithm 1', 'ApproxAP, Algorithm 1', 'AdaRank.MAP, repeats allowed', 'SVMMap', 'ListNet']
    """

    epochs: int = 200
    rate: float = 0.01
    ends: Grids = Grids((10, 100), (10, 100), (10,), (1.0,), soft_epochs=20)
    full: Grids = Grids(
        (10, 20, 50, 100, 150, 200, 250, 300), (10, 20, 50, 100), (1, 10, 20, 50, 100), (0.1, 1.0), soft_epochs=50
    )
    iterations: int = 100
    n_folds: int = 5
    seed: int = 0
    axes: Axes = field(default=AXES)

    def for_queries(self, n_queries: int) -> Protocol:
        """Return the protocol for this many training queries, with no more steps than T epochs of OHSUMED's 64 queries.

        >>> Protocol().for_queries(45).epochs, Protocol().for_queries(471).epochs
        (200, 28)
        """
        return replace(self, epochs=min(self.epochs, math.ceil(self.epochs * 64 / n_queries)))

    def settings(self, *rankers: str, measure: str) -> list[Setting]:
        """Return the settings that can change the values of these rankers."""
        axes = {"features", *(_TRAINED_BY[name] for name in rankers)} | ({"discount"} if "ndcg" in measure else set())
        return self.axes.only(*(name for name in self.axes.values if name in axes)).settings()

    def rankers(self, features: str, *, graded: bool) -> dict[str, Any]:
        """Return {name: (ranker, grid)} for features of one scale.

        Those that maximize NDCG are selected by NDCG@n on validation queries, the others by MAP; SoftRank and
        AdaRank.NDCG need more than two labels, as in the paper. Only with the features of the reference is there more
        than one variant of a ranker.
        """
        return {
            trained_name(name, setting): self._made(name, setting, NORMALIZE[features])
            for name in _TRAINED_BY
            if graded or name not in _GRADED_ONLY
            for setting in self._variants(name, features)
        }

    def _variants(self, name: str, features: str) -> Iterator[Setting]:
        """The settings to train a ranker in."""
        axis, reference = _TRAINED_BY[name], self.axes.reference
        yield reference
        if axis is not None and features == reference["features"]:
            yield from ({**reference, axis: value} for value in self.axes.values[axis][1:])

    def _made(self, name: str, setting: Setting, normalize: str | None) -> tuple[Any, dict[str, Any]]:
        """A ranker and its grid."""
        own: dict[str, Any] = {"max_iter": self.iterations, "normalize": normalize, "n_threads": 1}
        training: dict[str, dict[str, Any]] = {
            "Algorithm 1": {"max_iter": self.epochs, "random_state": self.seed},
            "Algorithm 1, another seed": {"max_iter": self.epochs, "random_state": self.seed + 1},
            "Algorithm 1, the paper's grids": {"max_iter": self.epochs, "random_state": self.seed},
            "L-BFGS": {"optimizer": "lbfgs"},
        }
        smooth = {**own, "optimizer": "sgd", "learning_rate": self.rate, **training[setting["training"]]}
        grids = self.full if setting["training"] == "Algorithm 1, the paper's grids" else self.ends
        soft = {**smooth, "max_iter": min(grids.soft_epochs, smooth["max_iter"])}
        repeats = setting["AdaRank"] == "repeats allowed"
        made = {
            "ApproxNDCG": lambda: (learners.ApproxNDCGRanker(**smooth), {"alpha": [*grids.alphas]}),
            "ApproxAP": lambda: (
                learners.ApproxAPRanker(**smooth, measure="ap"),
                {"alpha": [*grids.alphas_of_ap], "beta": [*grids.betas]},
            ),
            "SoftRank": lambda: (learners.SoftRank(**soft), {"sigma": [*grids.sigmas]}),
            "AdaRank.NDCG": lambda: (learners.AdaRank(**own, repeats=repeats), {}),
            "AdaRank.MAP": lambda: (learners.AdaRank(**own, repeats=repeats, measure="ap"), {}),
            "SVMMap": lambda: (learners.SVMMap(**own), {"l2": [0.001, 0.01, 0.1]}),
            "ListNet": lambda: (learners.ListNet(**own), {}),
        }
        return made[name]()


_ONE = Grids((10,), (10,), (10,), (1.0,), soft_epochs=2)
#: Just enough to run everything.
QUICK = Protocol(epochs=3, ends=_ONE, full=_ONE, iterations=3, n_folds=2)

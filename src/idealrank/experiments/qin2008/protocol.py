"""The protocol of the paper's Section 6: what it says, and what it leaves open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from idealrank import learners
from idealrank.experiments.claims import Choices, Setting

__all__ = ["CHOICES", "LIKE", "NORMALIZE", "PUBLISHED_NDCG", "QUICK", "Protocol", "trained_name"]

#: NDCG@n on OHSUMED: Sections 6.4 and 6.5.
PUBLISHED_NDCG = {"ApproxNDCG": 0.6698, "ApproxAP": 0.6693, "SoftRank": 0.6680, "AdaRank.NDCG": 0.6589}

#: What the paper leaves open. The reference, the first value of each, was fixed before it was run.
CHOICES = Choices(
    {
        "features": ("min-max features", "features as in the files"),
        "training": ("Algorithm 1", "Algorithm 1, another seed", "L-BFGS"),
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

    >>> trained_name("ApproxAP", CHOICES.reference), trained_name("SVMMap", CHOICES.reference)
    ('ApproxAP, Algorithm 1', 'SVMMap')
    """
    axis = _TRAINED_BY[ranker]
    return ranker if axis is None else f"{ranker}, {setting[axis]}"


@dataclass(frozen=True)
class Protocol:
    """T, eta and the grids of Sections 6.3 and 6.4, of which the ends are tried.

    Parameters
    ----------
    epochs, rate : int, float
        T and eta of Algorithm 1.
    alphas : tuple of int
        The grid of alpha.
    betas : tuple of int
        The grid of beta for ApproxAP.
    soft_epochs : int
        The epochs of SoftRank, which is expensive.
    iterations : int
        The iterations of rankers that are not trained by Algorithm 1.
    n_folds : int
        The number of folds.
    seed : int
        Seed of the random number generator.
    choices : Choices
        The open choices.

    Examples
    --------
    >>> list(Protocol().rankers("features as in the files", graded=False))
    ['ApproxNDCG, Algorithm 1', 'ApproxAP, Algorithm 1', 'AdaRank.MAP, repeats allowed', 'SVMMap', 'ListNet']
    """

    epochs: int = 200
    rate: float = 0.01
    alphas: tuple[int, ...] = (10, 100)
    betas: tuple[int, ...] = (10,)
    soft_epochs: int = 20
    iterations: int = 100
    n_folds: int = 5
    seed: int = 0
    choices: Choices = field(default=CHOICES)

    def for_queries(self, n_queries: int) -> Protocol:
        """Return the protocol for this many training queries, with no more steps than T epochs of OHSUMED's 64 queries.

        >>> Protocol().for_queries(45).epochs, Protocol().for_queries(471).epochs
        (200, 28)
        """
        return replace(self, epochs=min(self.epochs, math.ceil(self.epochs * 64 / n_queries)))

    def settings(self, *rankers: str, measure: str) -> list[Setting]:
        """Return the settings that can change the values of these rankers."""
        axes = {"features", *(_TRAINED_BY[name] for name in rankers)} | ({"discount"} if "ndcg" in measure else set())
        return self.choices.only(*(name for name in self.choices.values if name in axes)).settings()

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
        axis, reference = _TRAINED_BY[name], self.choices.reference
        yield reference
        if axis is not None and features == reference["features"]:
            yield from ({**reference, axis: value} for value in self.choices.values[axis][1:])

    def _made(self, name: str, setting: Setting, normalize: str | None) -> tuple[Any, dict[str, Any]]:
        """A ranker and its grid."""
        own: dict[str, Any] = {"max_iter": self.iterations, "normalize": normalize, "n_threads": 1}
        training: dict[str, dict[str, Any]] = {
            "Algorithm 1": {"max_iter": self.epochs, "random_state": self.seed},
            "Algorithm 1, another seed": {"max_iter": self.epochs, "random_state": self.seed + 1},
            "L-BFGS": {"optimizer": "lbfgs"},
        }
        smooth = {**own, "optimizer": "sgd", "learning_rate": self.rate, **training[setting["training"]]}
        soft = {**smooth, "max_iter": min(self.soft_epochs, smooth["max_iter"])}
        repeats = setting["AdaRank"] == "repeats allowed"
        made: dict[str, Callable[[], tuple[Any, dict[str, Any]]]] = {
            "ApproxNDCG": lambda: (learners.ApproxNDCGRanker(**smooth), {"alpha": [*self.alphas]}),
            "ApproxAP": lambda: (
                learners.ApproxAPRanker(**smooth, measure="ap"),
                {"alpha": [*self.alphas], "beta": [*self.betas]},
            ),
            "SoftRank": lambda: (learners.SoftRank(**soft), {}),
            "AdaRank.NDCG": lambda: (learners.AdaRank(**own, repeats=repeats), {}),
            "AdaRank.MAP": lambda: (learners.AdaRank(**own, repeats=repeats, measure="ap"), {}),
            "SVMMap": lambda: (learners.SVMMap(**own), {"l2": [0.001, 0.01, 0.1]}),
            "ListNet": lambda: (learners.ListNet(**own), {}),
        }
        return made[name]()


#: Just enough to run everything.
QUICK = Protocol(epochs=3, alphas=(10,), soft_epochs=2, iterations=3, n_folds=2)

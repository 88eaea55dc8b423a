"""The protocol of the paper's Section 6: what it says, and what it leaves open."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from idealrank import learners
from idealrank.experiments.claims import Choices, Setting

__all__ = ["CHOICES", "LIKE", "NORMALIZE", "PUBLISHED_NDCG", "QUICK", "Protocol"]

#: NDCG@n on OHSUMED: Sections 6.4 and 6.5.
PUBLISHED_NDCG = {"ApproxNDCG": 0.6698, "ApproxAP": 0.6693, "SoftRank": 0.6680, "AdaRank.NDCG": 0.6589}

#: What the paper leaves open, and the discount, for which its eq. (5) has the second value. The first is the reference.
CHOICES = Choices(
    {
        "features": ("min-max features", "raw features"),
        "training": ("Algorithm 1", "L-BFGS"),
        "discount": ("LETOR discount", "discount 1/log2(1 + rank)"),
        "AdaRank": ("repeats allowed", "no repeats"),
    }
)
NORMALIZE = {"min-max features": "minmax", "raw features": None}
LIKE = {"LETOR discount": "letor1", "discount 1/log2(1 + rank)": None}
#: The open choices that each ranker's training depends on.
_TRAINED_BY: dict[str, tuple[str, ...]] = {
    "ApproxNDCG": ("training",),
    "ApproxAP": ("training",),
    "SoftRank": ("training",),
    "AdaRank.NDCG": ("AdaRank",),
    "AdaRank.MAP": ("AdaRank",),
    "SVMMap": (),
    "ListNet": (),
}
#: The rankers of Sections 6.4 and 6.5 on collections with more than two labels, and of Section 6.3 on the others.
_ON_GRADED = ("ApproxNDCG", "ApproxAP", "SoftRank", "AdaRank.NDCG", "ListNet")
_ON_BINARY = ("ApproxNDCG", "ApproxAP", "AdaRank.MAP", "SVMMap", "ListNet")


@dataclass(frozen=True)
class Protocol:
    """T, eta and the grids of Sections 6.3 and 6.4.

    The paper took SoftRank from its authors' tool; here it is trained by Algorithm 1, and its sigma has a grid like the
    alpha of ApproxNDCG. With L-BFGS or with other features, ApproxAP has the beta of the paper's Figure 1, 10, only.
    Only Algorithm 1 is random: it shuffles the queries.

    Parameters
    ----------
    epochs, rate : int, float
        T and eta of Algorithm 1.
    alphas : tuple of int
        The grid of alpha for ApproxNDCG.
    ap_alphas, ap_betas : tuple of int
        The grids of alpha and beta for ApproxAP.
    sigmas : tuple of float
        The grid of sigma for SoftRank.
    soft_epochs : int
        The epochs of SoftRank, which is expensive.
    iterations : int
        The iterations of rankers that are not trained by Algorithm 1.
    n_folds : int
        The number of folds.
    seed : int
        The first seed of Algorithm 1.
    n_seeds : int
        With how many seeds, one after the other, Algorithm 1 trains each ranker.
    choices : Choices
        The open choices.

    Examples
    --------
    >>> for name, (_, grid) in Protocol().rankers("raw features", graded=False).items():
    ...     print(name, grid)
    ApproxNDCG, Algorithm 1, seed 0 {'alpha': [10, 20, 50, 100, 150, 200, 250, 300]}
    ApproxAP, Algorithm 1, seed 0 {'alpha': [10, 20, 50, 100], 'beta': [10]}
    AdaRank.MAP, repeats allowed {}
    SVMMap {'l2': [0.001, 0.01, 0.1]}
    ListNet {}
    """

    epochs: int = 200
    rate: float = 0.01
    alphas: tuple[int, ...] = (10, 20, 50, 100, 150, 200, 250, 300)
    ap_alphas: tuple[int, ...] = (10, 20, 50, 100)
    ap_betas: tuple[int, ...] = (1, 10, 20, 50, 100)
    sigmas: tuple[float, ...] = (0.03, 0.1, 1.0)
    soft_epochs: int = 20
    iterations: int = 100
    n_folds: int = 5
    seed: int = 0
    n_seeds: int = 5
    choices: Choices = field(default=CHOICES)

    def for_queries(self, n_queries: int) -> Protocol:
        """Return the protocol for this many training queries, with no more steps than T epochs of OHSUMED's 64 queries.

        >>> Protocol().for_queries(45).epochs, Protocol().for_queries(471).epochs
        (200, 28)
        """
        return replace(self, epochs=min(self.epochs, math.ceil(self.epochs * 64 / n_queries)))

    def settings(self, *rankers: str, measure: str) -> list[Setting]:
        """Return the settings that can change the values of these rankers."""
        axes = {"features", *(axis for name in rankers for axis in _TRAINED_BY[name])}
        axes |= {"discount"} if "ndcg" in measure else set()
        return self.choices.only(*(name for name in self.choices.values if name in axes)).settings()

    @property
    def seeds(self) -> range:
        """The seeds of Algorithm 1."""
        return range(self.seed, self.seed + self.n_seeds)

    @staticmethod
    def name(ranker: str, setting: Setting) -> str:
        """Return the name of a ranker as it is trained in a setting, with any seed.

        >>> Protocol.name("ApproxNDCG", CHOICES.reference)
        'ApproxNDCG, Algorithm 1'
        """
        return ", ".join([ranker, *(setting[axis] for axis in _TRAINED_BY[ranker])])

    def runs(self, ranker: str, setting: Setting) -> list[str]:
        """Return the names of a ranker as it is trained in a setting: one per seed if that is random.

        Features that are not those of the reference have the first seed only.

        >>> Protocol(n_seeds=2).runs("ApproxNDCG", CHOICES.reference), Protocol().runs("SVMMap", CHOICES.reference)
        (['ApproxNDCG, Algorithm 1, seed 0', 'ApproxNDCG, Algorithm 1, seed 1'], ['SVMMap'])
        """
        name = self.name(ranker, setting)
        if "training" not in _TRAINED_BY[ranker] or setting["training"] != "Algorithm 1":
            return [name]
        is_reference = setting["features"] == self.choices.reference["features"]
        return [f"{name}, seed {seed}" for seed in (self.seeds if is_reference else self.seeds[:1])]

    def trained(self, features: str, *, graded: bool) -> list[tuple[str, Setting]]:
        """Return each ranker with each setting to train it in, for features of one scale.

        Only with the features of the reference is there more than one setting.
        """
        reference = self.choices.reference
        is_reference = features == reference["features"]
        return [
            (name, {**reference, **setting, "features": features})
            for name in (_ON_GRADED if graded else _ON_BINARY)
            for setting in self.choices.only(*_TRAINED_BY[name] if is_reference else ()).settings()
        ]

    def rankers(self, features: str, *, graded: bool) -> dict[str, Any]:
        """Return {name: (ranker, grid)} for features of one scale.

        Those that maximize NDCG are selected by NDCG@n on validation queries, the others by MAP.
        """
        return {
            run: self._made(name, setting, seed)
            for name, setting in self.trained(features, graded=graded)
            for run, seed in zip(self.runs(name, setting), self.seeds, strict=False)
        }

    def _made(self, name: str, whole: Setting, seed: int) -> tuple[Any, dict[str, Any]]:
        """A ranker and its grid."""
        own: dict[str, Any] = {"max_iter": self.iterations, "normalize": NORMALIZE[whole["features"]], "n_threads": 1}
        smooth = {**own, "optimizer": "sgd", "learning_rate": self.rate, "max_iter": self.epochs, "random_state": seed}
        if whole["training"] == "L-BFGS":
            smooth = {**own, "optimizer": "lbfgs"}
        soft = {**smooth, "max_iter": min(self.soft_epochs, smooth["max_iter"])}
        repeats = whole["AdaRank"] == "repeats allowed"
        is_reference = all(whole[axis] == self.choices.reference[axis] for axis in ("features", "training"))
        ap_grid = {"alpha": [*self.ap_alphas], "beta": [*self.ap_betas] if is_reference else [10]}
        made: dict[str, Callable[[], tuple[Any, dict[str, Any]]]] = {
            "ApproxNDCG": lambda: (learners.ApproxNDCGRanker(**smooth), {"alpha": [*self.alphas]}),
            "ApproxAP": lambda: (learners.ApproxAPRanker(**smooth, measure="ap"), ap_grid),
            "SoftRank": lambda: (learners.SoftRank(**soft), {"sigma": [*self.sigmas]}),
            "AdaRank.NDCG": lambda: (learners.AdaRank(**own, repeats=repeats), {}),
            "AdaRank.MAP": lambda: (learners.AdaRank(**own, repeats=repeats, measure="ap"), {}),
            "SVMMap": lambda: (learners.SVMMap(**own), {"l2": [0.001, 0.01, 0.1]}),
            "ListNet": lambda: (learners.ListNet(**own), {}),
        }
        return made[name]()


#: Just enough to run everything.
QUICK = Protocol(
    epochs=3,
    alphas=(10,),
    ap_alphas=(10,),
    ap_betas=(10,),
    sigmas=(1.0,),
    soft_epochs=2,
    iterations=3,
    n_folds=2,
    n_seeds=2,
)

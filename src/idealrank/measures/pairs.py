"""Measures of misordered pairs: Kendall's tau, the pairwise error of Jin and Geng, AUC; all in O(n log n)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank import _core, _threads, discounts, gains
from idealrank.data import Floats, Int64s
from idealrank.data import Judged as JudgedLabels
from idealrank.measures.base import Measure, choice, empty_value, kernel_ties, number, option
from idealrank.measures.plan import Plan, run

Booleans = npt.NDArray[np.bool_]

__all__ = ["AUC", "KendallTau", "PairwiseError"]


@dataclass(frozen=True, kw_only=True, repr=False)
class _Pairs(Measure):
    without = frozenset({"cutoff"})

    def plan(self) -> None:
        return None

    def values(
        self,
        labels: Floats,
        scores: Floats,
        offsets: Int64s,
        *,
        judged: JudgedLabels | None = None,
        negative: str = "error",
        n_threads: int | None = None,
    ) -> Floats:
        if judged is not None:
            labels = np.nan_to_num(labels, nan=0.0)  # an unjudged document counts as 0
        filled = self.under()
        value, valid = filled._value(labels, scores, offsets, kernel_ties(filled), n_threads)
        return np.where(valid, value, empty_value(filled))

    def _value(
        self, labels: Floats, scores: Floats, offsets: Int64s, ties: str, n_threads: int | None
    ) -> tuple[Floats, Booleans]:
        """One value a query, and whether it means anything."""
        raise NotImplementedError


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _weighted_error(
    labels: Floats, scores: Floats, offsets: Int64s, gain: gains.Gain, ties: str, n_threads: int | None
) -> tuple[Floats, Floats]:
    """R, the misordered pairs weighted by the difference of their gains, and the most that R can be.

    R is what is missing from the ideal linear DCG (Jin and Geng, Theorem 3).
    """
    plan = [Plan("sum", gain, discount=discounts.Linear())]
    worth = gain(labels)
    actual, ideal, worst = (
        run(plan, labels, ranking, offsets, ties=how, negative="keep", n_threads=n_threads)[0]
        for ranking, how in ((scores, ties), (worth, "stable"), (-worth, "stable"))
    )
    return ideal - actual, ideal - worst


@dataclass(frozen=True, kw_only=True, repr=False)
class KendallTau(_Pairs):
    """Mean over pairs of different labels of +1 in the right order, -1 in the wrong one, 0 for equal scores.

    Of the pairs (2,0), (2,1), (1,0) the order 2, 0, 1 has one wrong: (2 - 1) / 3.

    >>> KendallTau()([2, 0, 1], [3, 2, 1])
    array([0.33333333])
    """

    label = "kendall_tau"

    def _value(
        self, labels: Floats, scores: Floats, offsets: Int64s, ties: str, n_threads: int | None
    ) -> tuple[Floats, Booleans]:
        wrong, tied, pairs = _core.pair_counts(labels, scores, offsets, ties, _threads.resolve(n_threads))
        return _ratio(pairs - tied - 2 * wrong, pairs), pairs > 0


@dataclass(frozen=True, kw_only=True, repr=False)
class PairwiseError(_Pairs):
    """Misordered pairs, each weighted by the difference of its labels (Jin and Geng, eq. (3) and (4)).

    ``normalize``: "none" is the plain sum R; "pairs" divides by the number of pairs of different labels, as the paper
    does, and can exceed 1; "weights" divides by the most that R can be. Equal scores count half when averaged.

    Labels 1, 2, 0, 0, 1 in rank order: (2 over 1) 1, (1 over 0) twice 1: R = 3 of 8 pairs.

    >>> PairwiseError()([1, 2, 0, 0, 1], [5, 4, 3, 2, 1])
    array([0.375])
    """

    normalize: str | None = option(choice("none", "pairs", "weights"))
    label = "pairwise_error"

    def _value(
        self, labels: Floats, scores: Floats, offsets: Int64s, ties: str, n_threads: int | None
    ) -> tuple[Floats, Booleans]:
        error, most = _weighted_error(labels, scores, offsets, gains.Linear(), ties, n_threads)
        _, _, pairs = _core.pair_counts(labels, scores, offsets, "stable", _threads.resolve(n_threads))
        divisor = {"none": np.ones_like(error), "pairs": pairs, "weights": most}[self.normalize or "pairs"]
        return _ratio(error, divisor), pairs > 0


@dataclass(frozen=True, kw_only=True, repr=False)
class AUC(_Pairs):
    """Share of (relevant, other) pairs in the right order; equal scores count half when averaged.

    >>> AUC()([1, 0, 1, 0], [4, 3, 2, 1])
    array([0.75])
    """

    rel: float | None = option(number())
    label = "auc"

    def _value(
        self, labels: Floats, scores: Floats, offsets: Int64s, ties: str, n_threads: int | None
    ) -> tuple[Floats, Booleans]:
        gain = gains.Binary(1.0 if self.rel is None else self.rel)
        error, most = _weighted_error(gain(labels), scores, offsets, gains.Linear(), ties, n_threads)
        return 1 - _ratio(error, most), most > 0

"""Measures of a user who continues from rank r to r + 1 with the probability C(r): INST, INSQ, BPM and scaled DCG.

In the C/W/L framework (Moffat, Bailey, Scholer and Thomas 2017), the weight of rank r is W(r) = C(1) ... C(r - 1),
divided by the sum of these products, and the value is the sum of W(r) g(r). Gains g are from 0 to 1. A user reads at
most 1,000 ranks, as in cwl_eval, whose values these are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._names.options import number, option
from idealrank._typing import Booleans, Floats
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.measure_base import Measure, Plan, empty_value, kernel_ties, run
from idealrank.measures.measure_names import register
from idealrank.measures.ranked_labels import Graded

#: Ranks that a user reads at most, and queries that are computed at a time.
_RANKS, _BLOCK = 1000, 256


@dataclass(frozen=True)
class _Scaled(gains.Gain):
    """The label within these bounds, as a fraction from 0 to 1."""

    lowest: float
    highest: float

    def __call__(self, labels: npt.ArrayLike) -> Floats:
        inside = np.clip(np.asarray(labels, np.float64), self.lowest, self.highest)
        return (inside - self.lowest) / (self.highest - self.lowest)


class _OfScaledLabels(Measure):
    """A measure of labels that are scaled to gains from 0 to 1.

    Parameters
    ----------
    min_label, max_label : float, optional
        The labels with the gains 0 and 1; labels beyond them count as these. By default, 0 and 1, so that documents are
        relevant or not.
    """

    min_label: float | None = option(number())
    max_label: float | None = option(number())
    _value_range = (0.0, 1.0)

    def _gain(self) -> gains.Gain:
        assert self.min_label is not None
        assert self.max_label is not None
        if self.min_label >= self.max_label:
            raise OptionError(
                f"{self.label}: max_label must be above min_label, {self.min_label:g}, got {self.max_label:g}"
            )
        return _Scaled(self.min_label, self.max_label)


@register("sdcg", "scaled_dcg")
class ScaledDCG(_OfScaledLabels):
    """DCG of gains from 0 to 1, divided by the DCG of k documents with the gain 1; by default, k is 1,000.

    Examples
    --------
    Labels 2, 0, 1 of at most 2: (1 + 0 + 0.5/log2(4)) / (1 + 1/log2(3) + 1/log2(4)).

    >>> from idealrank.measures import ScaledDCG
    >>> ScaledDCG(max_label=2, cutoff=3)([2, 0, 1], [3, 2, 1])
    array([0.58659841])
    """

    def plan(self) -> Plan:
        cutoff = self.cutoff or cutoffs.Rank(_RANKS)
        return self._plan("sum", self._gain(), "full", discount=discounts.Log(2), cutoff=cutoff)


class _WithGoal(_OfScaledLabels):
    """A measure of a user who wants to gain this much.

    Parameters
    ----------
    goal : float, optional
        The gain that the user wants, T in the papers; by default, 1.
    """

    goal: float | None = option(number(1e-9, 1e9))


@dataclass(frozen=True)
class _InverseSquare(discounts.Discount):
    """D(r) = 1 / (r + 2 goal - 1)^2, the product of C(i) = ((i + 2 goal - 1) / (i + 2 goal))^2 but for a factor."""

    decreases = True
    goal: float

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        weights: Floats = (np.asarray(ranks, np.float64) + 2 * self.goal - 1) ** -2
        return weights


@register("insq")
class INSQ(_WithGoal):
    """C(r) = ((r + 2 T - 1) / (r + 2 T))^2: a user who becomes more patient with each rank (Moffat et al. 2012).

    Examples
    --------
    The weights of ranks fall like 1 / (r + 1)^2, and sum to 0.643935 over 1,000 ranks.

    >>> from idealrank.measures import INSQ
    >>> INSQ()([1, 0, 1], [3, 2, 1]), round((1 / 2**2 + 1 / 4**2) / 0.643935, 6)
    (array([0.485297]), 0.485297)
    """

    without = frozenset({"cutoff"})

    def plan(self) -> Plan:
        assert self.goal is not None
        weights = _InverseSquare(self.goal)
        return self._plan("sum", self._gain(), "full", discount=weights, cutoff=cutoffs.Rank(_RANKS))


class _Adaptive(_WithGoal):
    """A measure whose continuation depends on the gains so far.

    There is no closed form for averaged, best and worst ties: choose another value of ``ties``.
    """

    refused_ties = ("average", "best", "worst")

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        filled.plan()
        run([Plan("sum", filled._gain())], lists, kernel_ties(filled))  # checks the labels
        graded = Graded.of(lists, kernel_ties(filled), filled._gain(), "judged")
        rows = graded.rows[graded.retrieved.ranks[graded.rows] <= _RANKS]
        queries, columns = graded.retrieved.queries[rows], graded.retrieved.ranks[rows] - 1
        depths = np.full(lists.n_queries, _RANKS) if filled.cutoff is None else filled.cutoff.depths(lists.sizes)
        values = np.full(lists.n_queries, empty_value(filled))
        has_gain = np.flatnonzero(graded.ideal.sizes)
        for start in range(0, has_gain.size, _BLOCK):
            block = has_gain[start : start + _BLOCK]
            places = np.searchsorted(block, queries).clip(max=block.size - 1)
            own = block[places] == queries
            gains = np.zeros((block.size, _RANKS))
            gains[places[own], columns[own]] = graded.gains[rows[own]]
            within = np.arange(1, _RANKS) < depths[block, None]
            continued = filled._continued(np.cumsum(gains, axis=1)[:, :-1], within)
            weights = np.hstack((np.ones((block.size, 1)), np.cumprod(continued, axis=1)))
            values[block] = (weights * gains).sum(axis=1) / weights.sum(axis=1)
        return values

    def _continued(self, gained: Floats, within: Booleans) -> Floats:
        """Return C at all ranks but the last, from the gain up to each rank and whether the next rank is within k."""
        raise NotImplementedError


@register("inst")
class INST(_Adaptive):
    """C(r) = ((r + 2 T - 1 - G) / (r + 2 T - G))^2, G the gain up to rank r: INSQ for a goal that is being reached.

    References
    ----------
    Bailey et al. 2015, User Variability and IR System Evaluation.

    Examples
    --------
    >>> from idealrank.measures import INST
    >>> INST(ties="stable")([1, 0, 1], [3, 2, 1])
    array([0.72328889])
    """

    without = frozenset({"cutoff"})

    def _continued(self, gained: Floats, within: Booleans) -> Floats:
        assert self.goal is not None
        left = np.arange(1, _RANKS) + 2 * self.goal - gained
        continued: Floats = ((left - 1) / left) ** 2
        return continued


@register("bpm")
class BPM(_Adaptive):
    """The mean gain of the documents that a user reads who stops at rank k or when the goal is reached.

    It is the static form of the Bejeweled Player Model.

    References
    ----------
    Zhang et al. 2017, Evaluating Web Search with a Bejeweled Player Model.

    Examples
    --------
    A goal of 2 is reached at rank 3.

    >>> from idealrank.measures import BPM
    >>> BPM(goal=2, cutoff=10, ties="stable")([1, 0, 1, 1], [4, 3, 2, 1])
    array([0.66666667])
    """

    def _continued(self, gained: Floats, within: Booleans) -> Floats:
        return ((gained < (self.goal or 0)) & within).astype(np.float64)

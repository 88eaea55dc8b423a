"""Measures of trec_eval that use graded gains, and are no sum over ranks."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from idealrank._names.options import choice, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.measures import formulas
from idealrank.measures.measure_base import Measure, discount_option, empty_value, gain_option, kernel_ties
from idealrank.measures.measure_names import register
from idealrank.measures.plan import Plan, run
from idealrank.measures.ranked_labels import Graded

__all__ = ["GainOverCost", "IdealDCG", "NDCGAtFalls", "NDCGAtRelevant"]


class _Graded(Measure):
    """A measure of graded gains that is computed from rankings. Gains below 0 count as 0.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, 2^label - 1.
    ideal : {"judged", "retrieved"}, optional
        The documents of the ideal ranking: all judged ones (the default), or only the retrieved ones.
    """

    gain: Any = gain_option
    ideal: str | None = option(choice("judged", "retrieved"))
    _value_range = (0.0, 1.0)

    without = frozenset({"cutoff"})
    refused_ties: ClassVar[tuple[str, ...]] = ("average",)

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        filled.plan()
        assert filled.ideal is not None
        run([Plan("sum", filled.gain)], lists, kernel_ties(filled))  # checks the labels and their gains
        graded = Graded.of(lists, kernel_ties(filled), filled.gain, filled.ideal)
        return np.where(graded.ideal.sizes > 0, filled._value(graded), empty_value(filled))

    def _value(self, graded: Graded) -> Floats:
        """Return one value per query."""
        raise NotImplementedError


@register("g", "gain_over_cost")
class GainOverCost(_Graded):
    """trec_eval's G: the sum of gain / log2(2 + cost so far - gain so far), divided by the sum of all gains.

    The cost of a rank is the gain of the ideal ranking at this rank, and at least 1.

    Examples
    --------
    Labels 0, 1 in rank order: at rank 2 the cost exceeds the gain by 1, so 1 / log2(2 + 1).

    >>> from idealrank.measures import GainOverCost
    >>> GainOverCost(gain="linear", ties="stable")([0, 1], [2, 1])
    array([0.63092975])
    """

    refused_ties = ("average", "best", "worst")

    def _value(self, graded: Graded) -> Floats:
        return formulas.gain_over_cost(graded)


@register("ndcg_rel", "ndcg_at_relevant")
class NDCGAtRelevant(_Graded):
    """The mean of NDCG at the ranks of documents with a gain, or at the end of the list for those not retrieved.

    Examples
    --------
    The only document with a gain is at rank 2: NDCG@2 = 1 / log2(3).

    >>> from idealrank.measures import NDCGAtRelevant
    >>> NDCGAtRelevant(gain="linear", ties="stable")([0, 1], [2, 1])
    array([0.63092975])
    """

    def _value(self, graded: Graded) -> Floats:
        return formulas.ndcg_at_relevant(graded)


@register("rndcg", "ndcg_at_falls")
class NDCGAtFalls(_Graded):
    """trec_eval's Rndcg: the mean of NDCG at the ranks after which the gain of the ideal ranking decreases.

    If the list is longer than the ideal ranking, its end counts too, unless it is longer by only one document.

    Examples
    --------
    The gains of the ideal ranking are 2, 1, and decrease after ranks 1 and 2: the mean of NDCG@1 = 1/2 and NDCG@2.

    >>> from idealrank.measures import NDCGAtFalls
    >>> NDCGAtFalls(gain="linear", ties="stable")([1, 2], [2, 1])
    array([0.67985935])
    """

    def _value(self, graded: Graded) -> Floats:
        return formulas.ndcg_at_falls(graded)


@register("ideal_dcg", "idcg")
class IdealDCG(Measure):
    """The DCG of the ideal ranking, the divisor of NDCG. Gains below 0 count as 0.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, 2^label - 1.
    discount : str or Discount, optional
        The weight of a rank r; by default, 1/log2(1 + r).
    ideal : {"judged", "retrieved"}, optional
        The documents of the ideal ranking: all judged ones (the default), or only the retrieved ones.

    Examples
    --------
    Labels 2, 1, 0: 3/log2(2) + 1/log2(3).

    >>> from idealrank.measures import IdealDCG
    >>> IdealDCG()([0, 1, 2], [3, 2, 1])
    array([3.63092975])
    """

    gain: Any = gain_option
    discount: Any = discount_option
    ideal: str | None = option(choice("judged", "retrieved"))

    without = frozenset({"ties"})
    _value_range = (0.0, math.inf)
    missing_value = None

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        assert filled.ideal is not None
        run([Plan("sum", filled.gain)], lists, "stable")  # checks the labels and their gains
        graded = Graded.of(lists, "stable", filled.gain, filled.ideal)
        best, values = graded.ideal, np.zeros(lists.n_queries)
        depth = best.sizes if filled.cutoff is None else np.minimum(filled.cutoff.depths(lists.sizes), best.sizes)
        for n in np.unique(lists.sizes):  # a discount may depend on the length of the list
            weights = np.asarray(filled.discount(np.arange(1, depth.max(initial=0) + 1), int(n)), np.float64)
            rows = (lists.sizes == n)[best.queries] & (best.ranks <= depth[best.queries])
            values += best.total(graded.ideal_gains[rows] * weights[best.ranks[rows] - 1], rows)
        return np.where(best.sizes > 0, values, empty_value(filled))

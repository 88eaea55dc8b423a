"""Compatibility: the overlap of a ranking with the ideal one."""

from __future__ import annotations

import math

import numpy as np

from idealrank._names.options import flag, number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.measures import gains
from idealrank.measures.measure_base import Measure, empty_value, kernel_ties, run
from idealrank.measures.measure_names import register
from idealrank.measures.ranked_labels import Graded, ratio


@register("compat", "compatibility")
class Compatibility(Measure):
    """Rank-biased overlap with the ideal ranking, which has all documents with positive labels, best label first.

    Of documents with equal labels, those that are retrieved come first, in their order, so that the best ranking has
    the value 1. There is no closed form for averaged, best and worst ties: choose another value of ``ties``.

    Parameters
    ----------
    p : float, optional
        The persistence of the overlap; by default, 0.95.
    normalized : bool, optional
        Whether to divide by the overlap of the ideal ranking with itself, which is below 1 because it is finite; by
        default, yes.

    References
    ----------
    Clarke, Vtyurina and Smucker 2021, Assessing Top-k Preferences.

    Examples
    --------
    Overlaps of 0, 1/2 and 1/3 at the three ranks, and 1, 1/2 and 1/3 for the ideal ranking.

    >>> from idealrank.measures import Compatibility
    >>> Compatibility(p=0.5, ties="stable")([0, 1, 0], [3, 2, 1])
    array([0.25])
    """

    p: float | None = option(number(0, 1 - 1e-12))
    normalized: bool | None = option(flag)

    without = frozenset({"cutoff"})
    refused_ties = ("average", "best", "worst")
    _value_range = (0.0, 1.0)

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        filled.plan()
        assert filled.p is not None
        run([], lists, kernel_ties(filled))  # checks the labels
        graded = Graded.of(lists, kernel_ties(filled), gains.Linear(), "judged")
        ideal, rows = graded.ideal, graded.rows
        queries, ranks = graded.retrieved.queries[rows], graded.retrieved.ranks[rows]
        depths = np.maximum(lists.sizes, ideal.sizes)
        weights = np.zeros(depths.max(initial=0))
        n_counted = int(1 + 746 / -math.log(max(filled.p, 1e-300)))  # powers underflow to 0 after these, and slowly
        weights[:n_counted] = filled.p ** np.arange(min(n_counted, weights.size), dtype=np.float64)
        by_rank = np.append(0.0, np.cumsum(weights / np.arange(1, weights.size + 1)))  # what a common document adds

        overlap_from = np.maximum(ranks, _ideal_ranks(graded))
        overlap = by_rank[depths[queries]] - by_rank[overlap_from - 1]
        own = by_rank[depths[ideal.queries]] - by_rank[ideal.ranks - 1]
        divisors = ideal.total(own) if filled.normalized else np.append(0.0, np.cumsum(weights))[depths]
        values = ratio(np.bincount(queries, weights=overlap, minlength=lists.n_queries), divisors)
        return np.where(ideal.sizes > 0, values, empty_value(filled))


def _ideal_ranks(graded: Graded) -> Int64s:
    """Return the rank in the ideal ranking of each retrieved document with a gain."""
    queries = graded.retrieved.queries[graded.rows]
    levels = np.unique(graded.ideal_gains)  # in which each retrieved document with a gain is, too
    ideal_keys, own_keys = (
        of * levels.size - np.searchsorted(levels, own)  # by query, and by falling gain
        for of, own in ((graded.ideal.queries, graded.ideal_gains), (queries, graded.gains[graded.rows]))
    )
    order = np.argsort(own_keys, kind="stable")
    sorted_keys = own_keys[order]
    above = np.empty(order.size, np.int64)  # documents with the same gain that are ranked above
    above[order] = np.arange(order.size) - np.searchsorted(sorted_keys, sorted_keys)
    return np.searchsorted(ideal_keys, own_keys) - graded.ideal.starts[queries] + above + 1

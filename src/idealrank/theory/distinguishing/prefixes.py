"""NDCG of growing lists: the first n documents of each query, in the order of their rows."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.measures import DCG, NDCG, LinearNDCG, Measure
from idealrank.measures.measure_base import kernel_ties
from idealrank.measures.plan import Plan

__all__ = ["check_growing", "growing_sizes", "prefix_values"]

#: Lists up to this length are measured at every n, longer ones at no more than this many lengths.
ALL_UP_TO, AT_MOST = 5000, 500


def growing_sizes(longest: int) -> Int64s:
    """Return the lengths at which lists of up to ``longest`` documents are measured: all, or 500 in equal ratios.

    >>> growing_sizes(4), growing_sizes(1_000_000).size <= 500
    (array([1, 2, 3, 4]), True)
    """
    if longest <= ALL_UP_TO:
        return np.arange(1, longest + 1)
    return np.unique(np.geomspace(1, longest, AT_MOST).round().astype(np.int64))


def prefix_values(
    measures: Sequence[Measure],
    labels: Floats,
    rankers: Sequence[Floats],
    offsets: Int64s,
    sizes: npt.ArrayLike,
    *,
    n_threads: int | None = None,
) -> Floats:
    """Return NDCG of the first n documents of each query, for many n, rankers and measures at once.

    One sort per query and ranker is enough for all sizes and measures.

    Parameters
    ----------
    measures : sequence of Measure
        DCG, NDCG and linear NDCG measures. The ideal is that of the same n documents.
    labels : float64 array
        One label per document.
    rankers : sequence of float64 array
        The scores of each ranker.
    offsets : int64 array
        The offsets of the queries.
    sizes : array-like
        The increasing lengths n.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    float64 array
        Values of shape (rankers, measures, queries, sizes). NaN if a query has fewer documents, or if none of the first
        n is relevant.

    Raises
    ------
    OptionError
        If a measure is of another kind.

    Examples
    --------
    >>> from idealrank.measures import NDCG
    >>> labels, scores, offsets = np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 2])
    >>> prefix_values([NDCG()], labels, [scores], offsets, sizes=[1, 2])
    array([[[[       nan, 0.63092975]]]])
    """
    rising = np.ascontiguousarray(sizes, np.int64)
    plans = [_plan(each) for each in measures]
    threads = resolve_threads(n_threads)
    values = np.full((len(rankers), len(plans), offsets.size - 1, rising.size), np.nan)
    groups = [(plan.gain, kernel_ties(each)) for plan, each in zip(plans, measures, strict=True)]
    for gain, ties in dict.fromkeys(groups):
        worth = np.ascontiguousarray(gain(labels), np.float64)  # type: ignore[operator]
        rows = [i for i, group in enumerate(groups) if group == (gain, ties)]
        specs = [_spec(plans[i], rising) for i in rows]
        dcg_of = functools.partial(_native.prefix_dcg, worth, offsets=offsets, specs=specs, sizes=rising)
        ideals = dcg_of(scores=worth, ties="stable", n_threads=threads)
        for ranker, scores in enumerate(rankers):
            found = dcg_of(scores=scores, ties=ties, n_threads=threads)
            for i, dcg, ideal in zip(rows, found, ideals, strict=True):
                divisor = ideal if plans[i].denominator == "ideal" else np.ones(1)
                np.divide(dcg, divisor, out=values[ranker, i], where=divisor > 0)
    return values


def check_growing(measure: Measure, name: str) -> None:
    """Raise an OptionError unless growing lists can be measured by this measure, which the user calls by this name."""
    _plan(measure, name)


def _plan(measure: Measure, name: str | None = None) -> Plan:
    """The plan of a measure that growing lists can be measured by."""
    name = name or str(measure)
    if not isinstance(measure, (DCG, NDCG, LinearNDCG)):
        raise OptionError(f"growing lists can be measured by DCG, NDCG and linear NDCG, not by {name}")
    plan = measure.with_convention().plan()
    if plan.denominator == "full" or plan.zero_if_short or plan.cuts_ideal_elsewhere:
        raise OptionError(f"growing lists need the ideal of their own documents, which {name} does not use: {measure}")
    return plan


def _spec(plan: Plan, sizes: Int64s) -> _native.PrefixSpec:
    """The discount and the depth at each size, for the native core."""
    depths = sizes if plan.cutoff is None else np.minimum(plan.cutoff.depths(sizes), sizes)  # type: ignore[union-attr]
    return _native.PrefixSpec(discount=plan.discount.native(int(depths.max(initial=0))), depths=depths)

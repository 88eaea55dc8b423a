"""NDCG of growing lists: the first n documents of each query, in the order in which they stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from idealrank import _core, _threads, discounts
from idealrank.data import Floats, Int64s
from idealrank.errors import ConventionError
from idealrank.measures import DCG, NDCG, LinearNDCG, Measure
from idealrank.measures.base import kernel_ties
from idealrank.measures.plan import Plan

__all__ = ["growing_sizes", "prefix_values"]

#: Lists up to this length are measured at every n, longer ones at no more than so many.
ALL_UP_TO, AT_MOST = 5000, 500


def growing_sizes(longest: int) -> Int64s:
    """The lengths at which lists of up to ``longest`` documents are measured: all of them, or 500 in equal ratios.

    >>> growing_sizes(4), growing_sizes(1_000_000).size <= 500
    (array([1, 2, 3, 4]), True)
    """
    if longest <= ALL_UP_TO:
        return np.arange(1, longest + 1)
    return np.unique(np.geomspace(1, longest, AT_MOST).round().astype(np.int64))


def prefix_values(
    measures: Sequence[Measure],
    labels: Floats,
    scores: Floats,
    offsets: Int64s,
    sizes: npt.ArrayLike,
    *,
    n_threads: int | None = None,
) -> Floats:
    """What NDCG is on the first n documents of each query: of shape (measures, queries, sizes).

    One sort a query and ranker serves all sizes and measures. NaN where a query has fewer documents, or nothing
    relevant among them. The measures are DCG, NDCG and linear NDCG; the ideal is that of the same n documents.

    >>> from idealrank.measures import NDCG
    >>> one_list = np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 2])
    >>> prefix_values([NDCG()], *one_list, sizes=[1, 2])
    array([[[       nan, 0.63092975]]])
    """
    rising = np.ascontiguousarray(sizes, np.int64)
    plans = [_plan(each) for each in measures]
    values = np.empty((len(plans), offsets.size - 1, rising.size))
    for gain, ties in dict.fromkeys((plan.gain, kernel_ties(m)) for plan, m in zip(plans, measures, strict=True)):
        rows = [i for i, plan in enumerate(plans) if plan.gain == gain and kernel_ties(measures[i]) == ties]
        worth = np.ascontiguousarray(gain(labels), np.float64)  # type: ignore[operator]
        specs = [_spec(plans[i], rising) for i in rows]
        threads = _threads.resolve(n_threads)
        found = _core.prefix_dcg(worth, scores, offsets, rising, specs, ties, threads)
        ideal = _core.prefix_dcg(worth, worth, offsets, rising, specs, "stable", threads)
        for place, i in enumerate(rows):
            divisor = ideal[place] if plans[i].denominator == "ideal" else np.ones_like(ideal[place])
            values[i] = np.divide(found[place], divisor, out=np.full_like(divisor, np.nan), where=divisor > 0)
    return values


def _plan(measure: Measure) -> Plan:
    if not isinstance(measure, (DCG, NDCG, LinearNDCG)):
        raise ConventionError(f"lists that grow are measured by DCG, NDCG and linear NDCG, not by {measure}")
    plan = measure.under().plan()
    if plan.denominator == "full" or plan.zero_if_short:
        raise ConventionError(f"lists that grow have the ideal of their own documents, which {measure} does not take")
    return plan


def _spec(plan: Plan, sizes: Int64s) -> tuple[bool, Floats, Int64s]:
    depths = sizes if plan.cutoff is None else np.minimum(plan.cutoff.at(sizes), sizes)  # type: ignore[union-attr]
    linear = isinstance(plan.discount, discounts.Linear)
    return linear, np.empty(0) if linear else plan.discount.weights(int(depths.max(initial=0))), depths

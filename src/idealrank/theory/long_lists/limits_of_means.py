"""What theory says of the means of one ranker over queries: from a curve per query, with intervals.

A query without a relevant document has the same value on lists of any length: the one that the measure's option
``empty`` gives it. Predictions for lists as they are count it with that value, like the observed means. Limits are
about queries with relevant documents only, as the theorems are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.measures import Measure
from idealrank.measures.measure_base import empty_value
from idealrank.stats.intervals import bounded_interval
from idealrank.theory.long_lists.expectations import pseudo_expectation
from idealrank.theory.long_lists.laws import bounded_law
from idealrank.theory.long_lists.limits import limit, sees
from idealrank.theory.long_lists.measure_discount import Weighting
from idealrank.theory.long_lists.query_curves import QueryCurves
from idealrank.theory.long_lists.regimes import regime
from idealrank.theory.long_lists.steps import StepCurve

__all__ = ["Mean", "Prospect", "expected_values", "limit_mean", "prospect"]

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean over queries and its 95% interval; NaN if there is none.

    Parameters
    ----------
    value : float
        The mean.
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> Mean.of(np.array([0.2, 0.4])).value, Mean.of(np.array([1.0])).low
    (0.30000000000000004, nan)
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Floats, variance: float | None = None) -> Mean:
        """Return the mean of a value from 0 to 1 per query, which has this variance, with its interval."""
        known = values[~np.isnan(values)]
        if not known.size:
            return cls(math.nan, math.nan, math.nan)
        center = float(known.mean())
        if variance is None:
            variance = float(known.var(ddof=1)) if known.size > 1 else math.nan
        return cls(center, *bounded_interval(min(center, 1.0), variance, known.size, _CONFIDENCE, (0.0, 1.0)))

    @classmethod
    def of_differences(cls, values: Floats, variance: float) -> Mean:
        """Return the mean of a difference per query, which has this variance, with an interval from Student's t."""
        known = values[~np.isnan(values)]
        if not known.size:
            return cls(math.nan, math.nan, math.nan)
        center = float(known.mean())
        quantile = special.stdtrit(known.size - 1, (1 + _CONFIDENCE) / 2) if known.size > 1 else 1.959964
        half = float(quantile) * math.sqrt(variance / known.size)
        return cls(center, max(center - half, -1.0), min(center + half, 1.0))


@dataclass(frozen=True)
class Prospect:
    """What theory says of the NDCG of one ranker, as means over queries.

    Parameters
    ----------
    expected : Mean
        On lists of the length that they have.
    limit : Mean
        On ever longer lists of queries with relevant documents; NaN if NDCG stays random.
    spread : float
        The standard deviation of NDCG on one long list, over documents and queries, if it stays random; else NaN.
    """

    expected: Mean
    limit: Mean
    spread: float


def prospect(m: Measure, fits: QueryCurves) -> Prospect:
    """Return what theory says of one ranker."""
    expected, limits = Mean.of(expected_values(m, fits)), limit_mean(m, fits)
    if not _is_random(m, fits):
        return Prospect(expected, limits, math.nan)
    variances = _each(m, fits, lambda weighting, curve, n: bounded_law(weighting, curve).variance)
    tops = fits.each(lambda curve, n: curve.top / curve.best)
    return Prospect(expected, limits, math.sqrt(variances.mean() + tops.var()))


def expected_values(m: Measure, fits: QueryCurves) -> Floats:
    """Return the expected value on each query's list, those without a relevant document last."""
    return _and_empty(m, fits, _each(m, fits, pseudo_expectation))


def limit_mean(m: Measure, fits: QueryCurves) -> Mean:
    """Return the mean over queries of the limit on longer lists; NaN if there is none for some.

    The interval comes from the curves of each query alone, which vary as the mean does. Those that are moved towards
    the pooled curve vary too little.
    """
    if _is_random(m, fits):
        return Mean(math.nan, math.nan, math.nan)
    if _tends_to_1(m):
        return Mean(1.0, 1.0, 1.0)
    limits, own = (_each(m, each, lambda weighting, curve, n: limit(weighting, curve)) for each in (fits, fits.alone))
    return Mean.of(limits, float(np.nanvar(own, ddof=1)) if np.isfinite(own).sum() > 1 else None)


def _tends_to_1(m: Measure) -> bool:
    """Whether NDCG tends to 1 for every ranker (Theorem 4)."""
    weighting = Weighting.of(m)
    return weighting.cutoff is None and regime(weighting.discount).kind == "slow"


def _each(m: Measure, fits: QueryCurves, function: Callable[[Weighting, StepCurve, int], float]) -> Floats:
    """A function of the weights of the ranks and each query's curve and size; NaN if theory does not know it."""
    try:
        weighting = Weighting.of(m)
    except OptionError:
        return np.full(len(fits.curves), math.nan)

    def or_nan(curve: StepCurve, n: int) -> float:
        try:
            return function(weighting, curve, n)
        except (OptionError, DataError):
            return math.nan

    return fits.each(or_nan)


def _and_empty(m: Measure, fits: QueryCurves, values: Floats) -> Floats:
    """The values, and those of the queries without a relevant document; NaN if such queries do not count."""
    empty = math.nan if np.isnan(values).all() else empty_value(m.with_convention())
    return np.append(values, np.full(fits.n_empty, empty))


def _is_random(m: Measure, fits: QueryCurves) -> bool:
    """Whether NDCG stays random on long lists of some query."""
    try:
        few = sees(Weighting.of(m)) in ("few", "undecided")
    except OptionError:
        return True
    return few and any(curve.top_variance > 0 for curve in fits.curves)

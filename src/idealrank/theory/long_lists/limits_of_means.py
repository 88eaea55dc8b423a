"""What theory says of the means of one ranker over queries: from a curve per query, with intervals.

A query without a relevant document has the same value on lists of any length: the one that the measure's option
``empty`` gives it. Predictions for lists as they are count it with that value, like the observed means. Limits are
about queries with relevant documents only, as the theorems are.

Everything that Wang et al. 2013 prove is about one query with its own curve. A mean over queries is the mean of what
each curve gives: NDCG is a ratio, and the mean of ratios is not the ratio of the means that a pooled curve gives. The
pooled curve helps only where a query has too few documents to show a curve of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns
from idealrank.errors import OptionError
from idealrank.losses.segments import sums
from idealrank.measures import Measure
from idealrank.measures.measure_base import empty_value
from idealrank.stats.intervals import bounded_interval
from idealrank.theory.long_lists.expectations import LEAST_RELEVANT, shares_of_ideal
from idealrank.theory.long_lists.laws import concentration_at_top
from idealrank.theory.long_lists.limits import limit_or_nan, sees
from idealrank.theory.long_lists.measure_discount import Weighting
from idealrank.theory.long_lists.stacked_curves import StepCurves, shrunk
from idealrank.theory.long_lists.steps import StepCurve

#: The pooled curve counts as much as this many documents of the query.
PRIOR = 20.0


@dataclass(frozen=True)
class QueryCurves:
    """The relevance curves of one ranker on several queries.

    Parameters
    ----------
    curves : StepCurves
        One curve per query with a relevant document.
    queries : int64 array
        The numbers of these queries.
    sizes : int64 array
        Their numbers of documents.
    weights : float64 array
        How much of each curve comes from the query's own documents; the rest is the pooled curve.
    pooled : StepCurve
        The curve of all queries.
    own : StepCurves
        The curves from the query's own documents only.
    n_empty : int
        The number of queries without a relevant document, which have no curve.

    Examples
    --------
    >>> found = fit_queries([1, 0, 1, 1, 0, 0], [3, 2, 1, 3, 2, 1], [0, 3, 6])
    >>> found.curves.mean.round(3), found.weights.round(3)
    (array([0.667, 0.333]), array([0.13, 0.13]))
    """

    curves: StepCurves
    queries: Int64s
    sizes: Int64s
    weights: Floats
    pooled: StepCurve
    own: StepCurves
    n_empty: int = 0

    @cached_property
    def gains_at_ranks(self) -> Floats:
        """The expected gain at each rank, one query after the other."""
        return self.curves.gains_at_ranks(self.sizes)


def fit_queries(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    *,
    method: str = "top",
    n_bins: int = 20,
    prior: float = PRIOR,
) -> QueryCurves:
    """Fit the curve of each query.

    A query with n documents has a curve of its own with weight n / (n + ``prior``), and for the rest the shape that is
    common to all queries, with the query's own share of each gain.

    Parameters
    ----------
    labels, scores, offsets, method, n_bins
        As in `StepCurve.fit`.
    prior : float
        The number of documents that the pooled curve counts for. 0 means that each query speaks for itself.

    Returns
    -------
    QueryCurves

    Raises
    ------
    OptionError
        If an option is out of range.
    DataError
        If a gain or a score is not valid, or if no document is relevant.
    """
    if not (math.isfinite(prior) and prior >= 0):
        raise OptionError(f"prior, a number of documents, must be finite and not negative, got {prior}")
    gains, column, cut = check_columns(labels, scores, offsets)
    pooled = StepCurve.fit(gains, column, cut, method=method, n_bins=n_bins)
    numbers = np.flatnonzero(sums(gains, cut) > 0)
    sizes = np.diff(cut)[numbers]
    weights = sizes / (sizes + prior)
    kept = np.repeat(np.isin(np.arange(cut.size - 1), numbers), np.diff(cut))
    own = StepCurves.fit(gains[kept], column[kept], np.append(0, np.cumsum(sizes)), method=method, n_bins=n_bins)
    curves = own if prior == 0 else shrunk(own, pooled, weights)
    return QueryCurves(curves, numbers.astype(np.int64), sizes, weights, pooled, own, cut.size - 1 - numbers.size)


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
    curves = fits.curves
    variances = curves.top_variance / curves.best**2 * _concentration(m)
    return Prospect(expected, limits, math.sqrt(variances.mean() + (curves.top / curves.best).var()))


def _concentration(m: Measure) -> float:
    """The share of the variance at the top that is left in NDCG if it stays random; NaN if theory does not know it."""
    try:
        weighting = Weighting.of(m)
    except OptionError:
        return math.nan
    return concentration_at_top(weighting) if sees(weighting) == "few" else math.nan


def expected_values(m: Measure, fits: QueryCurves) -> Floats:
    """Return the expected value on each query's list, those without a relevant document last.

    They are NaN if theory does not know the measure; one is NaN if its query has too few relevant documents.
    """
    try:
        weighting = Weighting.of(m)
    except OptionError:
        return np.full(len(fits.sizes) + fits.n_empty, math.nan)
    curves, sizes, weights = fits.curves, fits.sizes.tolist(), {}
    for n in {*sizes}:
        weights[n] = np.zeros(n)
        own = weighting.weights(n)
        weights[n][: own.size] = own
    values = shares_of_ideal(weights, sizes, fits.gains_at_ranks, curves.levels, curves.shares)
    values = np.where(fits.sizes * curves.shares.sum(axis=1) > LEAST_RELEVANT, values, np.nan)
    empty = math.nan if np.isnan(values).all() else empty_value(m.with_convention())
    return np.append(values, np.full(fits.n_empty, empty))


def limit_mean(m: Measure, fits: QueryCurves) -> Mean:
    """Return the mean over queries of the limit on longer lists; NaN if there is none for some.

    The interval comes from the curves of each query alone, which vary as the mean does. Those that are moved towards
    the pooled curve vary too little.
    """
    if _is_random(m, fits):
        return Mean(math.nan, math.nan, math.nan)
    if _tends_to_1(m):
        return Mean(1.0, 1.0, 1.0)
    limits, own = (limit_or_nan(Weighting.of(m), each) for each in (fits.curves, fits.own))
    return Mean.of(limits, float(np.nanvar(own, ddof=1)) if np.isfinite(own).sum() > 1 else None)


def _tends_to_1(m: Measure) -> bool:
    """Whether NDCG tends to 1 for every ranker (Theorem 4)."""
    weighting = Weighting.of(m)
    return weighting.cutoff is None and weighting.regime.kind == "slow"


def _is_random(m: Measure, fits: QueryCurves) -> bool:
    """Whether NDCG stays random on long lists of some query."""
    try:
        few = sees(Weighting.of(m)) in ("few", "undecided")
    except OptionError:
        return True
    return few and bool((fits.curves.top_variance > 0).any())

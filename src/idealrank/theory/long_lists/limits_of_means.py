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
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import special

from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns
from idealrank.errors import DataError, OptionError
from idealrank.losses.segments import sums
from idealrank.measures import Measure
from idealrank.measures.measure_base import empty_value
from idealrank.stats.intervals import bounded_interval
from idealrank.theory.long_lists.expectations import pseudo_expectation
from idealrank.theory.long_lists.laws import bounded_law
from idealrank.theory.long_lists.limits import limit, sees
from idealrank.theory.long_lists.measure_discount import Weighting
from idealrank.theory.long_lists.steps import StepCurve

#: The pooled curve counts as much as this many documents of the query.
PRIOR = 20.0
_ROUNDS = 500


@dataclass(frozen=True)
class QueryCurves:
    """The relevance curves of one ranker on several queries.

    Parameters
    ----------
    curves : tuple of StepCurve
        One curve per query with a relevant document.
    queries : int64 array
        The numbers of these queries.
    sizes : int64 array
        Their numbers of documents.
    weights : float64 array
        How much of each curve comes from the query's own documents; the rest is the pooled curve.
    pooled : StepCurve
        The curve of all queries.
    own : tuple of StepCurve
        The curves from the query's own documents only.
    n_empty : int
        The number of queries without a relevant document, which have no curve.

    Examples
    --------
    >>> found = fit_queries([1, 0, 1, 1, 0, 0], [3, 2, 1, 3, 2, 1], [0, 3, 6])
    >>> [round(curve.p, 3) for curve in found.curves], found.weights.round(3)
    ([0.667, 0.333], array([0.13, 0.13]))
    """

    curves: tuple[StepCurve, ...]
    queries: Int64s
    sizes: Int64s
    weights: Floats
    pooled: StepCurve
    own: tuple[StepCurve, ...]
    n_empty: int = 0

    @property
    def alone(self) -> QueryCurves:
        """The curves from each query's own documents only."""
        return replace(self, curves=self.own)

    def each(self, function: Callable[[StepCurve, int], float]) -> Floats:
        """Return a function of each query's curve and its number of documents."""
        return np.array([function(*pair) for pair in zip(self.curves, self.sizes.tolist(), strict=True)], np.float64)


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
    slices = [slice(*cut[number : number + 2]) for number in numbers]
    sizes = np.diff(cut)[numbers]
    weights = sizes / (sizes + prior)
    own = [StepCurve.fit(gains[each], column[each], method=method, n_bins=n_bins) for each in slices]
    curves = own if prior == 0 else _shrunk(own, pooled, weights)
    n_empty = cut.size - 1 - numbers.size
    return QueryCurves(tuple(curves), numbers.astype(np.int64), sizes, weights, pooled, tuple(own), n_empty)


def _shrunk(own: list[StepCurve], pooled: StepCurve, weights: Floats) -> list[StepCurve]:
    """The curves, moved towards the pooled one with their own shares."""
    levels, found = np.asarray(pooled.levels), []
    for curve, lent, weight in zip(own, _common_shape(own, pooled), weights.tolist(), strict=True):
        edges = np.union1d(pooled.edges, curve.edges)
        edges = np.append(edges[:-1][np.diff(edges) > 1e-12], 1.0)
        middles = (edges[1:] + edges[:-1]) / 2
        borrowed = lent[:, np.searchsorted(pooled.edges, middles) - 1][np.isin(levels, curve.levels)]
        steps = weight * curve.probabilities(middles) + (1 - weight) * borrowed
        found.append(StepCurve(edges, dict(zip(curve.levels, steps.clip(0, 1), strict=True))))
    return found


def _common_shape(own: list[StepCurve], pooled: StepCurve) -> Floats:
    """Curves of one shape with each query's own shares: of shape (queries, levels, steps of the pooled curve).

    log P(level l at place s of query q) is a sum of terms of (q, l), (l, s) and (q, s), chosen so that the shares of
    each query and the mean over queries at each place are as seen (iterative proportional fitting).
    """
    levels, widths = np.asarray(pooled.levels), np.diff(pooled.edges)
    seen = np.zeros((len(own), levels.size + 1, widths.size))
    for table, curve in zip(seen, own, strict=True):
        below = curve.below(pooled.edges)
        table[:-1][np.isin(levels, curve.levels)] = np.diff(below) / widths
        table[-1] = np.maximum(1 - table[:-1].sum(axis=0), 0)  # gain 0
    shares, means = seen @ widths, seen.mean(axis=0)
    chances = np.broadcast_to(means, seen.shape)
    for _ in range(_ROUNDS):
        chances = chances * _ratio(shares, chances @ widths)[:, :, None]
        chances = chances * _ratio(means, chances.mean(axis=0))
        chances = chances * _ratio(np.ones(1), chances.sum(axis=1, keepdims=True))
        if np.abs(chances @ widths - shares).max() < 1e-4:
            break
    return chances[:, :-1]


def _ratio(wanted: Floats, have: Floats) -> Floats:
    """The factors from what there is to what is wanted; 0 where there is nothing."""
    return np.divide(wanted, have, out=np.zeros_like(have), where=have > 0)


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
    return weighting.cutoff is None and weighting.regime.kind == "slow"


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

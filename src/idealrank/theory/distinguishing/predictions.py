"""What theory predicts of means over queries: from a curve per query, with intervals.

A query without a relevant document has the same value on lists of any length: the one that the measure's option
``empty`` gives it. It counts with that value, so that predictions are about the same queries as the observed means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import special

from idealrank._base.seeds import generator
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.losses.segments import sums
from idealrank.measures import Measure
from idealrank.measures.base import empty_value, kernel_ties
from idealrank.measures.plan import run
from idealrank.theory.long_lists.expectations import pseudo_expectation
from idealrank.theory.long_lists.laws import bounded_law
from idealrank.theory.long_lists.limits import limit, sees
from idealrank.theory.long_lists.per_query import QueryCurves
from idealrank.theory.long_lists.steps import StepCurve
from idealrank.theory.long_lists.weighting import Weighting

__all__ = ["GapPrediction", "Mean", "Prospect", "predict_gaps", "prospect"]

_CONFIDENCE = 0.95
#: Documents to draw for the variance within queries, and the least and the largest number of resamples.
_DRAWN, _LEAST, _MOST = 500_000, 10, 100


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
    >>> Mean.of(np.array([1.0, 3.0])).value, Mean.of(np.array([1.0])).low
    (2.0, nan)
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Floats, variance: float | None = None) -> Mean:
        """Return the mean of a value per query, which has this variance, with an interval from Student's t."""
        known = values[~np.isnan(values)]
        if not known.size:
            return cls(math.nan, math.nan, math.nan)
        center = float(known.mean())
        if variance is None:
            variance = float(known.var(ddof=1)) if known.size > 1 else math.nan
        quantile = special.stdtrit(known.size - 1, (1 + _CONFIDENCE) / 2) if known.size > 1 else 1.959964
        half = float(quantile) * math.sqrt(variance / known.size)
        return cls(center, center - half, center + half)


@dataclass(frozen=True)
class Prospect:
    """What theory says of the NDCG of one ranker, as means over queries.

    Parameters
    ----------
    expected : Mean
        On lists of the length that they have.
    limit : Mean
        On ever longer lists; NaN if NDCG stays random.
    spread : float
        The standard deviation of NDCG on one long list, over documents and queries, if it stays random; else NaN.
    """

    expected: Mean
    limit: Mean
    spread: float


def prospect(m: Measure, fits: QueryCurves) -> Prospect:
    """Return what theory says of one ranker."""
    law = _each(fits, lambda curve, n: bounded_law(m, curve).variance) if _is_random(m, fits) else np.array([math.nan])
    if np.isnan(law).all():
        return Prospect(Mean.of(_expected(m, fits)), Mean.of(_limits(m, fits)), math.nan)
    tops = _each(fits, lambda curve, n: curve.top / curve.best)
    return Prospect(Mean.of(_expected(m, fits)), Mean.of(_limits(m, fits)), math.sqrt(law.mean() + tops.var()))


@dataclass(frozen=True)
class GapPrediction:
    """What theory predicts of the difference of two rankers, as means over queries.

    Parameters
    ----------
    limit_a, limit_b : Mean
        The limits of both on ever longer lists; NaN if NDCG stays random.
    gap : Mean
        The difference on lists of the length that they have. Its interval is wide enough for what is seen on as many
        queries.
    sd_documents : float
        The standard deviation of the difference on one query, if other documents were drawn for it.
    sd_queries : float
        The standard deviation, over queries, of its expected value. NaN with one query.
    """

    limit_a: Mean
    limit_b: Mean
    gap: Mean
    sd_documents: float
    sd_queries: float


def predict_gaps(
    measures: Mapping[str, Measure],
    fits: Mapping[str, tuple[QueryCurves, ...]],
    labels: Floats,
    rankers: list[Floats],
    offsets: Int64s,
    *,
    seed: int = 0,
    n_threads: int | None = None,
) -> dict[str, GapPrediction]:
    """Predict the difference of two rankers by each measure from the curves of both, and split its variance.

    The variance over queries of the difference has two parts: the mean variance within a query, by chance of the
    documents that it has, estimated by drawing documents with replacement; and the rest, by which queries differ. All
    measures see the same draws.
    """
    filled = list(measures.values())
    seen = _differences(filled, labels, rankers, offsets, n_threads)
    within = _within(filled, labels, rankers, offsets, seed, n_threads)
    pairs = zip(measures.items(), seen, within.tolist(), strict=True)
    return {name: _predicted(m, fits[name], values, variance) for (name, m), values, variance in pairs}


def _predicted(m: Measure, fits: tuple[QueryCurves, ...], seen: Floats, within: float) -> GapPrediction:
    """The prediction for one measure; ``within`` is the variance within a query that has a relevant document."""
    a, b = fits
    gaps = _expected(m, a) - _expected(m, b)
    has_curve, has_value = (int(np.isfinite(values).sum()) for values in (seen[a.queries], seen))
    within *= has_curve / max(has_value, 1)
    total = float(np.nanvar(seen, ddof=1)) if has_value > 1 else math.nan
    between = max(total - within, 0.0)
    variance = within if math.isnan(total) else within + between
    limit_a, limit_b = (Mean.of(_limits(m, fit)) for fit in fits)
    return GapPrediction(limit_a, limit_b, Mean.of(gaps, variance), math.sqrt(within), math.sqrt(between))


def _differences(
    measures: list[Measure], labels: Floats, rankers: list[Floats], offsets: Int64s, n_threads: int | None
) -> Floats:
    """The difference of two rankers, of shape (measures, queries), with one sort per ranker and order of ties."""
    plans = [(each.plan(), kernel_ties(each)) for each in (m.with_convention() for m in measures)]
    found = np.empty((len(plans), offsets.size - 1))
    for ties in {ties for _, ties in plans}:
        rows = [row for row, (_, own) in enumerate(plans) if own == ties]
        alike = [plan for plan, own in plans if own == ties and plan is not None]
        a, b = (run(alike, Lists.of(labels, scores, offsets, n_threads=n_threads), ties) for scores in rankers)
        found[rows] = a - b
    return found


def _within(
    measures: list[Measure],
    labels: Floats,
    rankers: list[Floats],
    offsets: Int64s,
    seed: int,
    n_threads: int | None,
) -> Floats:
    """For each measure, the mean over queries of the variance of the difference over draws of a query's documents."""
    sizes = np.diff(offsets)
    begins, widths = np.repeat(offsets[:-1], sizes), np.repeat(sizes, sizes)
    has_relevant = sums(labels, offsets) > 0
    rng = generator(seed)
    drawn = []
    for _ in range(int(np.clip(_DRAWN // labels.size, _LEAST, _MOST))):
        rows = begins + (rng.random(labels.size) * widths).astype(np.int64)
        found = _differences(measures, labels[rows], [scores[rows] for scores in rankers], offsets, n_threads)
        drawn.append(np.where(sums(labels[rows], offsets) > 0, found, np.nan)[:, has_relevant])
    used = np.array(drawn)
    counts = np.count_nonzero(~np.isnan(used), axis=0)
    return np.array(
        [
            np.nanvar(each[:, known], axis=0, ddof=1).mean() if known.any() else 0.0
            for each, known in zip(np.moveaxis(used, 1, 0), counts > 1, strict=True)
        ]
    )


def _each(fits: QueryCurves, function: Callable[[StepCurve, int], float]) -> Floats:
    """A function of each query's curve and size; NaN if theory does not know it."""

    def or_nan(curve: StepCurve, n: int) -> float:
        try:
            return function(curve, n)
        except (OptionError, DataError):
            return math.nan

    return fits.each(or_nan)


def _expected(m: Measure, fits: QueryCurves) -> Floats:
    """The expected value on each query's list, those without a relevant document last."""
    return _and_empty(m, fits, _each(fits, lambda curve, n: pseudo_expectation(m, curve, n)))


def _and_empty(m: Measure, fits: QueryCurves, values: Floats) -> Floats:
    """The values, and those of the queries without a relevant document; NaN if such queries do not count."""
    if np.isnan(values).all():
        return values
    return np.append(values, np.full(fits.n_empty, empty_value(m.with_convention())))


def _is_random(m: Measure, fits: QueryCurves) -> bool:
    """Whether NDCG stays random on long lists of some query."""
    try:
        few = sees(Weighting.of(m)) in ("few", "undecided")
    except OptionError:
        return True
    return few and any(curve.top_variance > 0 for curve in fits.curves)


def _limits(m: Measure, fits: QueryCurves) -> Floats:
    """The limit on longer lists of each query; NaN for all if there is none for some."""
    if _is_random(m, fits):
        return np.full(len(fits.curves), math.nan)
    return _and_empty(m, fits, _each(fits, lambda curve, n: limit(m, curve)))

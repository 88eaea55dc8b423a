"""One relevance curve per query, and what theory says of the mean over queries.

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

from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns
from idealrank.errors import OptionError
from idealrank.losses.segments import sums
from idealrank.theory.long_lists.steps import StepCurve

__all__ = ["QueryCurves", "fit_queries"]

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

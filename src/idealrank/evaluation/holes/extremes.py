"""The largest ratio of two sums over all gains that unjudged documents could have.

For one query, let unjudged document i have the weight w_i in the numerator and the unknown gain x_i, one of the levels
0 = g_0 < g_1 < ... < g_L. With D(1) >= D(2) >= ... the weights of ranks in the ideal order and S(j) their sum up to
rank j, NDCG and differences of two NDCGs are

    (fixed + sum_i w_i x_i) / sum_t (t - t') S(number of documents with a gain of at least t),

where t runs over all positive gains and t' is the next smaller one. The denominator depends only on how many documents
have each gain, so the documents with the largest weights get the largest gains, and c_1 >= ... >= c_L, the numbers of
documents with at least the gain g_s, are all there is to choose.

The numerator is linear in x and the denominator convex, hence the ratio is quasi-concave:

- Where no choice makes it positive, its maximum is at a corner: c documents have the gain g_L and the others 0.
- Where it is positive, Dinkelbach's method raises lambda from the best corner: numerator - lambda * denominator falls
  apart into one function of c_s per level. Their maxima are ordered c_1 >= ... >= c_L without any further condition,
  because D does not increase: the more documents are above a rank already, the less one more costs.

So each step takes time linear in the number of unjudged documents, and few steps are needed: lambda never decreases and
takes finitely many values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.columns import offsets_of

__all__ = ["IdealSums", "Segments", "best_counts", "highest_ratio"]

_MOST_STEPS = 100


@dataclass(frozen=True)
class Segments:
    """For each query, an entry for each number 0, 1, ..., u of documents that are chosen among u.

    Parameters
    ----------
    sizes : int64 array
        The number of documents u of each query.
    """

    sizes: Int64s

    @cached_property
    def starts(self) -> Int64s:
        """The first entry of each query."""
        return offsets_of(self.sizes + 1)[:-1]

    @cached_property
    def queries(self) -> Int64s:
        """The query of each entry."""
        return np.repeat(np.arange(self.sizes.size), self.sizes + 1)

    @cached_property
    def counts(self) -> Int64s:
        """The number of chosen documents of each entry."""
        return np.arange(self.queries.size) - np.repeat(self.starts, self.sizes + 1)

    def sums(self, values: Floats) -> Floats:
        """Return, for each entry, the sum of the first values of its query, as many as are chosen."""
        entries = np.zeros(self.queries.size)
        entries[self.counts > 0] = values
        total = np.cumsum(entries)
        return total - np.repeat(total[self.starts], self.sizes + 1)


@dataclass(frozen=True)
class IdealSums:
    """The ideal DCG of each query, as a function of how many documents have at least each gain.

    Parameters
    ----------
    sums : float64 array
        Sums of the weights of the first 0, 1, 2, ... ranks; unused if ``lengths`` is given.
    depths : int64 array
        How many ranks count, by query.
    gains : float64 array
        The distinct positive gains, ascending.
    counts : int64 array of shape (n_gains, n_queries)
        How many judged documents have at least this gain.
    lengths : int64 array, optional
        The number n of documents of each query, if rank r has the weight n - r.
    """

    sums: Floats
    depths: Int64s
    gains: Floats
    counts: Int64s
    lengths: Int64s | None = None

    def layer(self, gain: int, n_more: Int64s, queries: Int64s) -> Floats:
        """Return what a layer adds to the ideal DCG if this many more documents have at least its gain."""
        height = self.gains[gain] - (self.gains[gain - 1] if gain else 0.0)
        n_docs = np.minimum(self.counts[gain, queries] + n_more, self.depths[queries])
        if self.lengths is None:
            layer: Floats = height * self.sums[n_docs]
            return layer
        lengths = self.lengths[queries]
        n_docs = np.minimum(n_docs, lengths)
        of_linear: Floats = height * (n_docs * lengths - n_docs * (n_docs + 1) / 2)
        return of_linear


def best_counts(values: Floats, segments: Segments) -> tuple[Int64s, Floats]:
    """Return the number of chosen documents with the largest value of each query, and that value.

    Of equal values, the one with the most documents is taken.
    """
    largest = np.maximum.reduceat(values, segments.starts)
    is_largest = values == np.repeat(largest, segments.sizes + 1)
    return np.maximum.reduceat(np.where(is_largest, segments.counts, 0), segments.starts), largest


def highest_ratio(
    fixed: Floats, weights: Floats, segments: Segments, ideal: IdealSums, levels: Floats, empty: float
) -> Int64s:
    """Return how many unjudged documents have at least each gain where the ratio is largest.

    Parameters
    ----------
    fixed : float64 array
        The numerator without unjudged documents, by query.
    weights : float64 array
        The weight of each unjudged document, query by query, in descending order.
    segments : Segments
        The number of unjudged documents of each query.
    ideal : IdealSums
        The denominator; all levels are among its gains.
    levels : float64 array
        The positive gains that an unjudged document can have, ascending.
    empty : float
        The ratio where no document has a positive gain; NaN if there is none then.

    Returns
    -------
    int64 array of shape (n_levels, n_queries)
    """
    layers = np.searchsorted(levels, ideal.gains)  # the level that reaches each gain; n_levels if none does
    queries, counts, sums = segments.queries, segments.counts, segments.sums(weights)

    # What each level adds to the denominator; the layers above the highest level do not depend on the choice.
    costs = [
        sum((ideal.layer(gain, counts, queries) for gain in np.flatnonzero(layers == level).tolist()), np.zeros(1))
        for level in range(levels.size)
    ]
    every = np.arange(segments.sizes.size)
    above = sum(
        (ideal.layer(gain, np.zeros_like(every), every) for gain in np.flatnonzero(layers == levels.size).tolist()),
        np.zeros(every.size),
    )
    denominator = sum(costs, above[queries])
    numerator = fixed[queries] + levels[-1] * sums
    without = -np.inf if np.isnan(empty) else empty
    has_gain = denominator > 0
    ratios = np.where(has_gain, numerator / np.where(has_gain, denominator, 1.0), without)
    count, highest = best_counts(ratios, segments)
    found = np.tile(count, (levels.size, 1))

    rises = np.diff(levels, prepend=0.0)
    active = np.flatnonzero((highest > 0) & np.isfinite(highest))
    for _ in range(_MOST_STEPS):
        if not active.size or levels.size == 1:
            break
        is_active = np.zeros(segments.sizes.size, bool)
        is_active[active] = True
        kept = is_active[queries]
        part = Segments(segments.sizes[active])
        own_sums, ratio = sums[kept], highest[active]
        bottom = above[active]
        top = fixed[active].copy()
        chosen = np.empty((levels.size, active.size), np.int64)
        for level in range(levels.size):
            cost = costs[level][kept]
            worth = rises[level] * own_sums - np.repeat(ratio, part.sizes + 1) * cost
            chosen[level] = best_counts(worth, part)[0]
            if level:  # equal but for rounding errors
                np.minimum(chosen[level], chosen[level - 1], out=chosen[level])
            entry = part.starts + chosen[level]
            bottom += cost[entry]
            top += rises[level] * own_sums[entry]
        better = (bottom > 0) & (top > ratio * bottom)
        raised = np.where(better, top / np.where(bottom > 0, bottom, 1.0), ratio)
        better &= raised > ratio
        active = active[better]
        found[:, active], highest[active] = chosen[:, better], raised[better]
    return found

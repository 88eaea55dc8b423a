"""How many unjudged documents are relevant, or which gains they have, where a value is largest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import offsets_of

__all__ = ["IdealSums", "Segments", "best_choice", "highest_ratio"]


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


def best_choice(values: Floats, segments: Segments) -> Int64s:
    """Return 1 for the first documents of each query, as many as have the largest value, and 0 for the others.

    Of equal values, the one with the most documents is taken.
    """
    is_largest = values == np.repeat(np.maximum.reduceat(values, segments.starts), segments.sizes + 1)
    counts = np.maximum.reduceat(np.where(is_largest, segments.counts, 0), segments.starts)
    number = segments.counts[segments.counts > 0]  # of each document within its query, starting at 1
    return (number <= np.repeat(counts, segments.sizes)).astype(np.int64)


def highest_ratio(
    fixed: Floats, weights: Floats, sizes: Int64s, ideal: IdealSums, levels: Floats, empty: float, n_threads: int
) -> Int64s:
    """Return the level of each unjudged document, 0 for no gain, where the ratio to the ideal DCG is largest.

    Parameters
    ----------
    fixed : float64 array
        The numerator without unjudged documents, by query.
    weights : float64 array
        The weight of each unjudged document, query by query, in descending order.
    sizes : int64 array
        The number of unjudged documents of each query.
    ideal : IdealSums
        The denominator; all levels are among its gains.
    levels : float64 array
        The positive gains that an unjudged document can have, ascending.
    empty : float
        The ratio where no document has a positive gain; NaN if there is none then.
    n_threads : int
        Number of threads.
    """
    return _native.highest_ratio(
        fixed,
        weights,
        offsets_of(sizes),
        ideal.sums,
        ideal.depths,
        ideal.gains,
        ideal.counts.ravel(),
        ideal.lengths,
        levels,
        empty,
        n_threads,
    )

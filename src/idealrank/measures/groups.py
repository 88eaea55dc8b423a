"""Rows that are grouped by query."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Booleans, Floats, Int64s

__all__ = ["Groups", "ratio"]


class Groups:
    """Rows that are grouped by query, each query's rows in rank order.

    >>> groups = Groups(np.array([2, 3]))
    >>> groups.queries, groups.ranks
    (array([0, 0, 1, 1, 1]), array([1, 2, 1, 2, 3]))
    """

    def __init__(self, sizes: Int64s) -> None:
        self.sizes = sizes
        self.offsets: Int64s = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
        self.starts = self.offsets[:-1]

    @cached_property
    def queries(self) -> Int64s:
        """The query of each row."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)

    @cached_property
    def ranks(self) -> Int64s:
        """The rank of each row in its query."""
        return np.arange(1, self.offsets[-1] + 1) - np.repeat(self.starts, self.sizes)

    def total(self, values: npt.NDArray[Any], chosen: Booleans | Int64s | slice = slice(None)) -> Floats:
        """Sum per query, added up from rank 1 on. ``values`` has one entry per chosen row."""
        sums = np.bincount(self.queries[chosen], weights=values, minlength=self.sizes.size)
        return sums.astype(np.float64, copy=False)

    def count(self, chosen: Booleans) -> Int64s:
        """Number of chosen rows per query."""
        return np.diff(np.searchsorted(np.flatnonzero(chosen), self.offsets))

    def count_so_far(self, chosen: Booleans) -> Int64s:
        """For each row, the number of chosen rows of its query up to and including it."""
        total: Int64s = np.concatenate((np.zeros(1, np.int64), np.cumsum(chosen)))
        return np.subtract(total[1:], np.repeat(total[self.starts], self.sizes))

    def running(self, values: Floats) -> Floats:
        """For each row, the sum over the rows of its query up to and including it.

        >>> Groups(np.array([2, 0, 1])).running(np.array([1.0, 2.0, 4.0]))
        array([1., 3., 4.])
        """
        sums = np.empty_like(values)
        for start, size in zip(self.starts.tolist(), self.sizes.tolist(), strict=True):
            np.cumsum(values[start : start + size], out=sums[start : start + size])
        return sums

    def after(self, running: Floats, queries: Int64s, counts: Int64s) -> Floats:
        """A running value after this many rows of each query, or after its last row; 0 after no row."""
        counts = np.minimum(counts, self.sizes[queries])
        padded = np.append(running, 0.0)
        return np.where(counts > 0, padded[self.starts[queries] + counts - 1], 0.0)


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """The quotient; 0 where the denominator is 0.

    >>> ratio([1, 1], [2, 0])
    array([0.5, 0. ])
    """
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    quotient: Floats = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)
    return quotient

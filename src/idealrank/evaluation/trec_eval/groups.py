"""Rows that lie query by query."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._typing import Booleans, Floats, Int64s

__all__ = ["Bools", "Groups", "ratio"]

Bools: TypeAlias = Booleans


class Groups:
    """Rows that lie query by query, each query's from its rank 1 on.

    >>> groups = Groups(np.array([2, 3]))
    >>> groups.queries, groups.ranks
    (array([0, 0, 1, 1, 1]), array([1, 2, 1, 2, 3]))
    """

    def __init__(self, sizes: Int64s) -> None:
        self.sizes = sizes
        self.starts = np.cumsum(sizes) - sizes
        self.queries = np.repeat(np.arange(sizes.size), sizes)
        self.ranks = np.arange(self.queries.size) - self.starts[self.queries] + 1

    def total(self, values: npt.NDArray[Any], chosen: Bools | slice = slice(None)) -> Floats:
        """The sum for each query, added up from rank 1 on; of the chosen rows, if ``values`` has only those."""
        sums = np.bincount(self.queries[chosen], weights=values, minlength=self.sizes.size)
        return sums.astype(np.float64, copy=False)

    def count(self, chosen: Bools) -> Int64s:
        """How many rows of each query are chosen."""
        return np.bincount(self.queries[chosen], minlength=self.sizes.size)

    def count_so_far(self, chosen: Bools) -> Int64s:
        """How many of each row and those of its query above it are chosen."""
        total = np.concatenate((np.zeros(1, np.int64), np.cumsum(chosen)))
        count: Int64s = total[1:] - total[self.starts[self.queries]]
        return count

    def running(self, values: Floats) -> Floats:
        """The sum of each row and those of its query above it.

        >>> Groups(np.array([2, 0, 1])).running(np.array([1.0, 2.0, 4.0]))
        array([1., 3., 4.])
        """
        sums = np.empty_like(values)
        for start, size in zip(self.starts.tolist(), self.sizes.tolist(), strict=True):
            np.cumsum(values[start : start + size], out=sums[start : start + size])
        return sums

    def after(self, running: Floats, queries: Int64s, counts: Int64s) -> Floats:
        """A running sum after so many rows of a query, or after its last; 0 after none."""
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

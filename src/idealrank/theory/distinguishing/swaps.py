"""A test by swaps: if two rankers are the same, each query's difference could as well be reversed."""

from __future__ import annotations

import numpy as np

from idealrank._core.seeds import generator
from idealrank._typing import Bytes, Floats

__all__ = ["swap_p_values", "swap_sums", "swaps"]

_BLOCK = 4096  # queries at once


def swaps(n_queries: int, n_permutations: int, seed: int) -> Bytes:
    """Return rows of 0 and 1, the queries to swap: first none, then random ones, or if they are few, all choices.

    To swap all queries changes nothing; so if all choices are listed, the first query is never swapped.
    """
    if n_queries <= 30 and 2 ** (n_queries - 1) <= n_permutations + 1:
        return (np.arange(2 ** (n_queries - 1))[:, None] >> np.arange(n_queries)[::-1] & 1).astype(np.uint8)
    swapped = generator(seed).integers(2, size=(n_permutations + 1, n_queries), dtype=np.uint8)
    swapped[0] = 0
    return swapped


def swap_sums(values: Floats, swapped: Bytes) -> Floats:
    """Return the sum over queries of each column, in which the values of swapped queries count negative; NaN is 0."""
    known = np.nan_to_num(values)
    sums = np.tile(known.sum(axis=0), (len(swapped), 1))
    for begin in range(0, len(known), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        sums -= 2 * (swapped[:, rows].astype(np.float64) @ known[rows])
    return sums


def swap_p_values(differences: Floats, sums: Floats) -> tuple[Floats, float]:
    """Return the p-value of each measure, and that of the best of them.

    The p-value of a measure is the share of swaps after which the mean is at least as far from 0 as it is now. That of
    the best measure compares the largest standardized mean with the largest one after each swap, which accounts for the
    choice of the measure (Westfall and Young 1993). Swaps do not change the sum of squares, so the mean in units of its
    root orders swaps as Student's t does.

    Parameters
    ----------
    differences : float64 array of shape (n_queries, n_measures)
        The differences of two rankers; NaN if a query has no value.
    sums : float64 array of shape (n_swaps, n_measures)
        Their sums after each swap, see `swap_sums`.

    Examples
    --------
    Three queries can be swapped in four ways, and one of them gives a mean as large as that of 1, 2, 3.

    >>> differences = np.array([[1.0, 1.0], [2.0, -1.0], [3.0, 1.0]])
    >>> swap_p_values(differences, swap_sums(differences, swaps(3, 100, 0)))
    (array([0.25, 1.  ]), 0.5)
    """
    lengths = np.sqrt(np.nansum(differences**2, axis=0))
    means = np.abs(sums) / np.where(lengths > 0, lengths, 1.0)
    seen = means[0] - 1e-9  # more than rounding errors
    return np.mean(means >= seen, axis=0), float(np.mean(means.max(axis=1) >= seen.max()))

"""A smooth count of misordered pairs with different labels, by splits into higher and lower labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.losses.segments import sums
from idealrank.losses.targets import check_finite
from idealrank.measures.ranks import SoftRanks

__all__ = ["Misordered", "misordered"]


class Misordered(NamedTuple):
    """The fraction of each query's pairs that is misordered, and its derivatives with respect to t = alpha s.

    ``sizes`` are the sums of the absolute values of the terms of each derivative.
    """

    share: Floats
    slopes: Floats
    sizes: Floats


def misordered(lists: Lists, alpha: float, sigmoid: str) -> Misordered:
    """Return the mean of sigma(t_y - t_x) over pairs with labels x > y, weighted by x.

    Two labels first differ in one bit of their numbers: in the pass for that bit, among documents with the same bits
    above it, each document of the higher half meets all of the lower half. So there are log2(labels) passes.
    """
    check_finite(lists.labels, lists.offsets, "label")
    check_finite(lists.scores, lists.offsets, "score")
    distinct, levels = np.unique(lists.labels, return_inverse=True)
    weights = np.ones(levels.size) if lists.weights is None else lists.weights
    queries = np.repeat(np.arange(lists.n_queries), lists.sizes)
    wrong, pairs = np.zeros(levels.size), np.zeros(levels.size)
    slopes, sizes = np.zeros(levels.size), np.zeros(levels.size)
    for bit in reversed(range(max(distinct.size - 1, 0).bit_length())):
        rows, groups = _grouped(queries, levels >> (bit + 1))
        is_high = (levels[rows] >> bit & 1).astype(np.float64)
        weight = is_high * weights[rows]
        soft = SoftRanks(lists.scores[rows], groups, alpha, sigmoid, lists.n_threads)
        above, density = soft.sums(1 - is_high)
        _, pulled = soft.sums(weight)
        wrong[rows] += weight * above
        pairs[rows] += weight * np.repeat(sums(1 - is_high, groups), np.diff(groups))
        of_high, of_low = weight * density, (1 - is_high) * pulled
        slopes[rows] += of_low - of_high
        sizes[rows] += of_low + of_high
    all_pairs = sums(pairs, lists.offsets)
    per_pair = np.divide(1, all_pairs, out=np.zeros_like(all_pairs), where=all_pairs > 0)
    each = np.repeat(per_pair, lists.sizes)
    return Misordered(sums(wrong, lists.offsets) * per_pair, slopes * each, sizes * each)


def _grouped(queries: Int64s, keys: Int64s) -> tuple[Int64s, Int64s]:
    """Return rows with the same query and key together, in their order, and the start of each group."""
    rows = np.lexsort((keys, queries)) if keys.any() else np.arange(queries.size)
    begins = (np.diff(queries[rows]) != 0) | (np.diff(keys[rows]) != 0)
    return rows, np.concatenate([[0], np.flatnonzero(begins) + 1, [queries.size]])

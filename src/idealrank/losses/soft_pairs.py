"""A smooth count of misordered pairs with different labels, by splits into higher and lower labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from idealrank import _native
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

    The labels of a query are numbered from the highest on. Two of them first differ in one bit of their numbers: in the
    pass for that bit, among documents with the same bits above it, each document of the higher labels meets all of the
    lower ones. So there are log2(labels) passes.
    """
    check_finite(lists.labels, lists.offsets, "label")
    check_finite(lists.scores, lists.offsets, "score")
    order = _native.order(lists.labels, lists.offsets, lists.n_threads)
    levels = _numbered(np.take(lists.labels, order), lists)
    scores = np.take(lists.scores, order)
    weights = np.ones(order.size) if lists.weights is None else np.take(lists.weights, order)
    wrong, pairs = np.zeros(order.size), np.zeros(order.size)
    slopes, sizes = np.zeros(order.size), np.zeros(order.size)
    for bit in reversed(range(int(levels.max(initial=0)).bit_length())):
        groups = _starts(levels >> (bit + 1), lists.offsets)
        is_low = (levels >> bit & 1).astype(np.float64)
        weight = weights * (1 - is_low)
        soft = SoftRanks(scores, groups, alpha, sigmoid, lists.n_threads)
        above, density = soft.sums(is_low)
        _, pulled = soft.sums(weight)
        np.add(wrong, weight * above, out=wrong)
        np.add(pairs, weight * np.repeat(sums(is_low, groups), np.diff(groups)), out=pairs)
        of_high, of_low = np.multiply(weight, density), np.multiply(is_low, pulled)
        np.add(slopes, of_low - of_high, out=slopes)
        np.add(sizes, of_low + of_high, out=sizes)
    all_pairs = sums(pairs, lists.offsets)
    per_pair = np.divide(1, all_pairs, out=np.zeros_like(all_pairs), where=all_pairs > 0)
    each = np.repeat(per_pair, lists.sizes)
    columns = np.empty((2, order.size))
    columns[0, order] = np.multiply(slopes, each)
    columns[1, order] = np.multiply(sizes, each)
    return Misordered(sums(wrong, lists.offsets) * per_pair, *columns)


def _numbered(labels: Floats, lists: Lists) -> Int64s:
    """Return the index of each label among the distinct labels of its query; the labels of a query must be sorted."""
    changes = np.zeros(labels.size, np.bool_)
    np.not_equal(labels[1:], labels[:-1], out=changes[1:])
    begins = lists.offsets[:-1][lists.sizes > 0]
    changes[begins] = False
    counts = np.cumsum(changes)
    return np.subtract(counts, np.repeat(counts[begins], lists.sizes[lists.sizes > 0]))


def _starts(keys: Int64s, offsets: Int64s) -> Int64s:
    """Return the start of each group with the same query and key (contiguous rows), and the end of the last."""
    starts = np.ones(keys.size + 1, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=starts[1:-1])
    starts[offsets] = True
    return np.flatnonzero(starts)

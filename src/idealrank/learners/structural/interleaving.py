"""The most violated ranking of a structural SVM whose features are pairs: relevant documents among the others.

Psi(y), the features of a ranking y, is the mean of x_i - x_j over pairs of a relevant document i and another one j,
negative where y has j above i. The ranking that maximizes 1 - measure(y) + <w, Psi(y)> has the relevant documents by
decreasing score, and so are the others: it remains to find how they interleave.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idealrank import _native
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.losses.segments import sums

__all__ = ["Lost", "Side", "most_violated"]

#: What a measure loses in all when the j-th other document of a query moves up past relevant documents number 1 to i,
#: after the j - 1 others above it did so; called with the positions of queries, i and j.
Lost = Callable[[Int64s, Int64s, Int64s], Floats]


@dataclass(frozen=True)
class Side:
    """The relevant documents of all queries, or the others, by decreasing score.

    ``count`` and ``first`` have one entry per query, the rest one per document: its row, its score, the position of its
    query, and its number within the query, from 1.
    """

    count: Int64s
    first: Int64s
    rows: Int64s
    scores: Floats
    query: Int64s
    number: Int64s

    @classmethod
    def of(cls, order: Int64s, kept: Booleans, lists: Lists) -> Side:
        """Return the documents that are kept, by position in the order."""
        query = np.repeat(np.arange(lists.n_queries), lists.sizes)[kept]
        count = np.bincount(query, minlength=lists.n_queries)
        first = np.cumsum(count) - count
        rows = order[kept]
        return cls(count, first, rows, lists.scores[rows], query, np.arange(1, rows.size + 1) - first[query])


def most_violated(lists: Lists, relevant: Booleans, lost: Lost, missed: Lost) -> tuple[Floats, Floats]:
    """Return the maximum over rankings y of 1 - measure(y) + <w, Psi(y) - Psi(best)> per query, and its gradient.

    It takes n log n time for all queries at once. ``lost`` must grow more slowly with i for a larger j, which makes the
    choice exact (Yue et al. 2007, section 4). ``missed`` is what 1 - measure(y) gets from the k-th relevant document
    of a query if j others are ranked above it; it is called with the positions of queries, j and k. A query without
    relevant documents, or without others, has the value and the gradient 0.
    """
    if lists.weights is not None:
        raise DataError("structural SVMs weight queries, not documents: give query weights instead of document weights")
    order = _native.order(lists.scores, lists.offsets, lists.n_threads)
    kept = relevant[order]
    hits, misses = Side.of(order, kept, lists), Side.of(order, ~kept, lists)
    hits_above = _hits_above(hits, misses, lost)
    # A query with R relevant documents has R + 1 places between them for the others.
    places = (hits.first + np.arange(lists.n_queries))[misses.query] + hits_above
    up_to = np.cumsum(np.bincount(places, minlength=hits.rows.size + lists.n_queries))
    misses_above = up_to[np.arange(hits.rows.size) + hits.query] - misses.first[hits.query]

    each = 2 / np.maximum(hits.count * misses.count, 1)  # a swapped pair changes its sign
    slopes = np.empty(order.size)
    slopes[hits.rows] = -each[hits.query] * misses_above
    slopes[misses.rows] = each[misses.query] * (hits.count[misses.query] - hits_above)
    values = np.bincount(hits.query, missed(hits.query, misses_above, hits.number), lists.n_queries)
    return values + sums(slopes * lists.scores, lists.offsets), slopes


def _hits_above(hits: Side, misses: Side, lost: Lost) -> Int64s:
    """Return how many relevant documents are ranked above each other document.

    Leaving the first i of R relevant documents above the j-th of N others costs

        lost(i, j) - 2 / (R N) sum_{k<=i} (s_k - s_j)

    and the best i can be chosen separately for each j. It never decreases with j, so the values of two documents bound
    those in between: starting with the middle one, then the middles of both halves, and so on, each round looks at
    every i about once.
    """
    n_hits, n_misses = hits.count[misses.query], misses.count[misses.query]
    sums = np.append(0.0, np.cumsum(hits.scores))
    above = np.zeros(misses.rows.size, np.int64)
    stride = 1 << int(misses.count.max(initial=0)).bit_length()
    while stride := stride // 2:
        rows = np.flatnonzero(misses.number % (2 * stride) == stride)
        number = misses.number[rows]
        low = np.where(number > stride, above[np.maximum(rows - stride, 0)], 0)
        has_next = number + stride <= n_misses[rows]
        high = np.where(has_next, above[np.minimum(rows + stride, above.size - 1)], n_hits[rows])
        starts = np.cumsum(high - low + 1) - (high - low + 1)
        each = np.repeat(np.arange(rows.size), high - low + 1)
        i = np.arange(each.size) - (starts - low)[each]
        at = rows[each]
        query = misses.query[at]
        ahead = sums[hits.first[query] + i] - sums[hits.first[query]] - i * misses.scores[at]
        pairs = np.maximum(n_hits * n_misses, 1)[at]
        cost = lost(query, i, misses.number[at]) - 2 / pairs * ahead
        least = np.flatnonzero(cost == np.minimum.reduceat(cost, starts)[each])[::-1]  # the first of equal ones is last
        above[at[least]] = i[least]
    return above

"""Labels in rank order, and the formulas of measures that are no sum over ranks.

The measures of `retrieval` and the trec_eval command share the formulas, functions of `RankedLabels` or `Graded`.
Terms are added in trec_eval's order, for its digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.measures.gains import Gain


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
        counts = np.minimum(counts, np.take(self.sizes, queries))
        rows = np.add(np.take(self.starts, queries), np.subtract(counts, 1))  # calls: see _binary
        return np.where(np.greater(counts, 0), np.take(np.append(running, 0.0), rows), 0.0)


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """The quotient; 0 where the denominator is 0.

    >>> ratio([1, 1], [2, 0])
    array([0.5, 0. ])
    """
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    quotient: Floats = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)
    return quotient


#: Labels of retrieved documents that are not in the judgments, and that are there with a negative label.
UNPOOLED, UNJUDGED = -1.0, -2.0


@dataclass(frozen=True, eq=False)
class RankedLabels:
    """Lists of labels in rank order, and quantities that several measures share.

    ``labels`` has one entry per row of ``retrieved``, ``judged_labels`` one per row of ``judged``. A document is
    relevant from label ``level`` on.
    """

    retrieved: Groups
    labels: Floats
    judged: Groups
    judged_labels: Floats
    level: int = 1

    @classmethod
    def binary(cls, lists: Lists, ties: str, rel: float, ideal: str) -> RankedLabels:
        """Rank lists; a document with a label of at least ``rel`` has the label 1, any other judged one 0.

        Of documents with equal scores, the relevant ones come first if ``ties`` is "best", and last if it is "worst".
        """
        labels = _binary(lists.labels, rel, lists.negative)
        rows = in_rank_order(lists, ties, labels == 1)
        pool = (
            lists.judged
            if lists.judged is not None and ideal == "judged"
            else JudgedLabels(lists.labels, lists.offsets)
        )
        judged_labels = _binary(pool.labels, rel, lists.negative)
        is_judged = judged_labels >= 0
        judged = Groups(Groups(np.diff(pool.offsets)).count(is_judged))
        return cls(Groups(lists.sizes), labels[rows], judged, judged_labels[is_judged])

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.retrieved.sizes.size

    @property
    def n_retrieved(self) -> Int64s:
        """Number of retrieved documents per query."""
        return self.retrieved.sizes

    @cached_property
    def n_relevant(self) -> Int64s:
        """Number of relevant documents per query, retrieved or not."""
        return self.judged.count(self.judged_labels >= self.level)

    @cached_property
    def nonrelevant(self) -> Booleans:
        """Which retrieved documents are judged and not relevant."""
        return (self.labels >= 0) & (self.labels < self.level)

    @cached_property
    def found_rows(self) -> Int64s:
        """Rows of the retrieved documents that are relevant."""
        return np.flatnonzero(self.labels >= self.level)

    @cached_property
    def found(self) -> Groups:
        """The relevant documents that were retrieved; ``found.ranks`` counts those of a query."""
        return Groups(self.retrieved.count(self.labels >= self.level))

    @cached_property
    def found_ranks(self) -> Int64s:
        """Ranks of the relevant documents that were retrieved."""
        return np.subtract(self.found_rows, np.repeat(self.retrieved.starts, self.found.sizes)) + 1

    @cached_property
    def precision(self) -> Floats:
        """Precision at the rank of each of them."""
        return self.found.ranks / self.found_ranks

    @cached_property
    def interpolated(self) -> Floats:
        """The best precision at each of them and at those of the same query below it."""
        best, queries, step = np.array(self.precision), self.found.queries, 1
        while step < self.found.sizes.max(initial=0):
            # Each is now the best of itself and of the next step - 1; those of other queries do not count.
            same = np.equal(queries[step:], queries[:-step])
            np.maximum(best[:-step], best[step:], out=best[:-step], where=same)
            step *= 2
        return best

    def hits(self, cutoff: int | Int64s) -> Int64s:
        """Number of relevant documents among the first ``cutoff``, one cutoff for all queries or one per query."""
        limits = np.broadcast_to(cutoff, self.n_queries)[self.found.queries]
        return self.found.count(self.found_ranks <= limits)


@dataclass(frozen=True, eq=False)
class Graded:
    """Gains in rank order, and the positive ones of each query's ideal ranking.

    ``rows`` are the retrieved documents that have a gain. Terms are gain / log2(rank + 1), of these rows and of the
    ideal ranking. They are divided, and added up from rank 1 on, as in trec_eval: other ways have other last bits.
    """

    retrieved: Groups
    gains: Floats
    ideal: Groups
    ideal_gains: Floats

    @classmethod
    def of(cls, lists: Lists, ties: str, gain: Gain, ideal: str) -> Graded:
        """Rank lists; unjudged documents and those with a gain below 0 have the gain 0.

        Of documents with equal scores, those with the largest gains come first if ``ties`` is "best", and last if it is
        "worst".
        """
        worth = _gains(gain, lists.labels, lists.negative)
        rows = in_rank_order(lists, ties, worth)
        pool = (
            lists.judged
            if lists.judged is not None and ideal == "judged"
            else JudgedLabels(lists.labels, lists.offsets)
        )
        best, judged = _gains(gain, pool.labels, lists.negative), Groups(np.diff(pool.offsets))
        best = best[_native.order(best, pool.offsets, resolve_threads(lists.n_threads))]
        return cls(Groups(lists.sizes), worth[rows], Groups(judged.count(best > 0)), best[best > 0])

    @cached_property
    def rows(self) -> Int64s:
        """Rows of the retrieved documents that have a gain."""
        return np.flatnonzero(self.gains)

    @cached_property
    def terms(self) -> Floats:
        """Discounted gains of these rows."""
        return self.gains[self.rows] / np.log2(1 + self.retrieved.ranks[self.rows])

    @cached_property
    def ideal_terms(self) -> Floats:
        """Discounted gains of the ideal ranking."""
        return self.ideal_gains / np.log2(1 + self.ideal.ranks)


def in_rank_order(lists: Lists, ties: str, worth: Floats | Booleans) -> Int64s:
    """Return the rows of the lists by decreasing score; "best" and "worst" order equal scores by worth."""
    n_threads = resolve_threads(lists.n_threads)
    if ties == "stable":
        return _native.order(lists.scores, lists.offsets, n_threads)
    # Both sorts are stable, so the first one decides the order of equal scores.
    numbers = np.arange(worth.size, dtype=np.float64) if ties == "reverse" else worth.astype(np.float64)
    rows = _native.order(np.negative(numbers) if ties == "worst" else numbers, lists.offsets, n_threads)
    return np.take(rows, _native.order(np.take(lists.scores, rows), lists.offsets, n_threads))


def _gains(gain: Gain, labels: Floats, negative: str) -> Floats:
    known = np.isfinite(labels) if negative != "unjudged" else labels >= 0
    worth = np.zeros(labels.size)
    worth[known] = np.maximum(gain(labels[known]), 0.0)
    return worth


def _binary(labels: Floats, rel: float, negative: str) -> Floats:
    # Signals such as Ctrl-C are handled between calls, not between operators, so no step may be long.
    binary = np.where(np.isnan(labels), UNPOOLED, np.greater_equal(labels, rel))
    return np.where(np.less(labels, 0), UNJUDGED, binary) if negative == "unjudged" else binary


_EPSILON = 0.00001


def inferred_ap(r: RankedLabels) -> Floats:
    """Compute average precision where only a sample of the pool is judged."""
    relevant, above = r.found.ranks - 1, r.found_ranks - 1.0
    # Signals such as Ctrl-C are handled between calls, not between operators, so no step may be long.
    nonrelevant = np.take(r.retrieved.count_so_far(r.nonrelevant), r.found_rows)
    unjudged = np.take(r.retrieved.count_so_far(np.equal(r.labels, UNJUDGED)), r.found_rows)
    pooled = ratio(relevant + nonrelevant + unjudged, above)
    precise = np.divide(relevant + _EPSILON, relevant + nonrelevant + 2 * _EPSILON)
    expected = np.add(1 / (above + 1), np.divide(above, above + 1) * pooled * precise)
    return ratio(r.found.total(expected), r.n_relevant)


def interpolated_precision(r: RankedLabels, recall: float, rounding: str) -> Floats:
    """Compute the best precision at any relevant document from the one that reaches this recall on."""
    place = np.maximum(documents_at(r, recall, rounding), 1).astype(np.int64)
    value = r.found.after(r.interpolated, np.arange(r.n_queries), place)
    return np.where(place <= r.found.sizes, value, 0.0)


def documents_at(r: RankedLabels, recall: float, rounding: str) -> Floats:
    """Return the number of relevant documents that reaches a recall."""
    wanted = recall * r.n_relevant
    whole = np.floor(wanted)
    count: Floats = whole + (wanted - whole >= 0.5) if rounding == "nearest" else np.floor(wanted + 0.9)
    return count


def r_precision_at(r: RankedLabels, multiple: float) -> Floats:
    """Compute the precision after floor(multiple * relevant + 0.9) documents."""
    depths = np.floor(multiple * r.n_relevant + 0.9).astype(np.int64)
    return ratio(r.hits(depths), depths)


def utility(r: RankedLabels, weights: Sequence[float], n_collection: int = 0) -> Floats:
    """Compute the weighted sum of relevant retrieved, nonrelevant retrieved, relevant missed and nonrelevant missed."""
    found, missed = r.found.sizes, r.n_relevant - r.found.sizes
    rest = n_collection + found - r.n_retrieved - r.n_relevant
    a, b, c, d = weights
    total: Floats = a * found + b * (r.n_retrieved - found) + c * missed + d * rest  # in trec_eval's order
    return total


def binary_gain(r: RankedLabels) -> Floats:
    """Compute the sum of 1 / log2(2 + documents above that are not relevant) over the relevant, / relevant."""
    return ratio(r.found.total(1 / np.log2(2 + r.found_ranks - r.found.ranks)), r.n_relevant)


def set_map(r: RankedLabels) -> Floats:
    """Compute precision times recall of the whole list."""
    return ratio(r.found.sizes * r.found.sizes, r.n_retrieved * r.n_relevant)


def set_relative_precision(r: RankedLabels) -> Floats:
    """Compute relevant retrieved / the most there could be."""
    return ratio(r.found.sizes, np.minimum(r.n_retrieved, r.n_relevant))


def yaap(r: RankedLabels) -> Floats:
    """Compute log((1 + s) / (1 + relevant - s)), s the sum of the precision at each relevant document."""
    total = r.found.total(r.precision)
    return np.log((1 + total) / (1 + r.n_relevant - total))


def f_measure(r: RankedLabels, weight: float) -> Floats:
    """Compute (x + 1) P R / (R + x P) of the whole list, for a weight x."""
    precision, recall = ratio(r.found.sizes, r.n_retrieved), ratio(r.found.sizes, r.n_relevant)
    return ratio((weight + 1) * precision * recall, recall + weight * precision)


def dcg(g: Graded) -> Floats:
    """Compute the sum of gain / log2(rank + 1)."""
    return g.retrieved.total(g.terms, g.rows)


def ideal_dcg(g: Graded) -> Floats:
    """Compute the same over the judged documents, best first."""
    return g.ideal.total(g.ideal_terms)


def gain_over_cost(g: Graded) -> Floats:
    """Compute the sum of gain / log2(2 + cost so far - gain so far), / ideal sum of gains.

    A rank costs its ideal gain, and at least 1.
    """
    cost, ranks, queries = np.ones(g.gains.size), g.retrieved.ranks, g.retrieved.queries
    in_both = ranks <= g.ideal.sizes[queries]
    cost[in_both] = np.maximum(g.ideal_gains[(g.ideal.starts[queries] + ranks - 1)[in_both]], 1)
    behind = (g.retrieved.running(cost) - g.retrieved.running(g.gains))[g.rows]
    with np.errstate(divide="ignore", invalid="ignore"):  # an ideal in the wrong order can fall behind
        each = g.gains[g.rows] / np.log2(2 + behind)
    return ratio(g.retrieved.total(each, g.rows), g.ideal.total(g.ideal_gains))


def _running(g: Graded) -> tuple[Floats, Floats]:
    """Return the running sums of dcg and of ideal dcg at each rank."""
    terms = np.zeros(g.gains.size)
    terms[g.rows] = g.terms
    return g.retrieved.running(terms), g.ideal.running(g.ideal_terms)


def ndcg_at_relevant(g: Graded) -> Floats:
    """Compute the mean over documents with a gain of ndcg at their ranks, or at the end if they are not retrieved."""
    running, ideal = _running(g)
    rows = np.flatnonzero(g.gains > 0)
    queries, ranks = np.take(g.retrieved.queries, rows), np.take(g.retrieved.ranks, rows)
    total = g.retrieved.total(ratio(np.take(running, rows), g.ideal.after(ideal, queries, ranks)), rows)
    n_found = np.diff(np.searchsorted(rows, g.retrieved.offsets))
    total += (g.ideal.sizes - n_found) * ratio(dcg(g), ideal_dcg(g))
    return np.where(total > 0, ratio(total, g.ideal.sizes), 0.0)


def ndcg_at_falls(g: Graded) -> Floats:
    """Compute the mean of ndcg at the ranks where the ideal gain falls, and at the end of a list that goes on.

    It is 0 / 0 where no document has a gain.
    """
    best = g.ideal
    running, ideal = _running(g)
    is_last = best.ranks == best.sizes[best.queries]
    falls = is_last | (g.ideal_gains != np.append(g.ideal_gains[1:], 0.0))
    at_falls = ratio(g.retrieved.after(running, best.queries[falls], best.ranks[falls]), ideal[falls])
    # trec_eval ignores the end of a list that is one document longer than the ideal.
    goes_on = (g.retrieved.sizes > best.sizes + 1) & (best.sizes > 0)
    total = best.total(at_falls, falls) + goes_on * ratio(dcg(g), ideal_dcg(g))
    return np.where(best.sizes > 0, ratio(total, best.count(falls) + goes_on), np.nan)

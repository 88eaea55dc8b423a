"""Labels in rank order, and what measures of relevant and unjudged documents have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.measures.gains import Gain
from idealrank.measures.groups import Groups

__all__ = ["UNJUDGED", "UNPOOLED", "Graded", "RankedLabels"]

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
        rows = _in_rank_order(lists, ties, labels == 1)
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
        rows = _in_rank_order(lists, ties, worth)
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


def _in_rank_order(lists: Lists, ties: str, worth: Floats | Booleans) -> Int64s:
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

"""Labels in rank order, and what measures of relevant and unjudged documents have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._base.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import Judged, Lists
from idealrank.measures.groups import Groups

__all__ = ["UNJUDGED", "UNPOOLED", "Rankings"]

#: Labels of retrieved documents that are not in the judgments, and that are there with a negative label.
UNPOOLED, UNJUDGED = -1.0, -2.0


@dataclass(frozen=True, eq=False)
class Rankings:
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
    def binary(cls, lists: Lists, ties: str, rel: float, ideal: str) -> Rankings:
        """Rank lists; a document with a label of at least ``rel`` has the label 1, any other judged one 0.

        Of documents with equal scores, the relevant ones come first if ``ties`` is "best", and last if it is "worst".
        """
        labels = _binary(lists.labels, rel, lists.negative)
        n_threads = resolve_threads(lists.n_threads)
        if ties == "stable":
            order = _native.order(lists.scores, lists.offsets, n_threads)
        else:
            first = {"reverse": np.arange(labels.size), "best": labels == 1, "worst": labels != 1}[ties]
            rows = _native.order(first.astype(np.float64), lists.offsets, n_threads)
            order = np.take(rows, _native.order(np.take(lists.scores, rows), lists.offsets, n_threads))
        pool = lists.judged if lists.judged is not None and ideal == "judged" else Judged(lists.labels, lists.offsets)
        judged_labels = _binary(pool.labels, rel, lists.negative)
        is_judged = judged_labels >= 0
        judged = Groups(Groups(np.diff(pool.offsets)).count(is_judged))
        return cls(Groups(lists.sizes), np.take(labels, order), judged, judged_labels[is_judged])

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
        return self.found_rows - self.retrieved.starts[self.found.queries] + 1

    @cached_property
    def precision(self) -> Floats:
        """Precision at the rank of each of them."""
        return self.found.ranks / self.found_ranks

    @cached_property
    def interpolated(self) -> Floats:
        """The best precision at each of them and at those of the same query below it."""
        distinct, number = np.unique(self.precision, return_inverse=True)
        # The numbers of a query lie above those of the queries after it, so that one pass from the end serves all.
        number = number + (self.n_queries - self.found.queries) * distinct.size
        best = np.maximum.accumulate(number[::-1])[::-1] % max(distinct.size, 1)
        interpolated: Floats = distinct[best]
        return interpolated

    def hits(self, cutoff: int | Int64s) -> Int64s:
        """Number of relevant documents among the first ``cutoff``, one cutoff for all queries or one per query."""
        limits = np.broadcast_to(cutoff, self.n_queries)[self.found.queries]
        return self.found.count(self.found_ranks <= limits)


def _binary(labels: Floats, rel: float, negative: str) -> Floats:
    binary = np.where(np.isnan(labels), UNPOOLED, np.where(labels >= rel, 1.0, 0.0))
    return np.where(labels < 0, UNJUDGED, binary) if negative == "unjudged" else binary

"""What a measure is computed from: the labels of the retrieved documents in rank order, and all judged ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats, Int64s
from idealrank.data.ranking import RankingData
from idealrank.evaluation.trec_eval.gains import Gains, Ideal, gains_of, ideal
from idealrank.evaluation.trec_eval.groups import Bools, Groups

__all__ = ["UNJUDGED", "UNPOOLED", "Rankings"]

#: Labels of retrieved documents that the judgments do not have, and that they have with a negative label.
UNPOOLED, UNJUDGED = -1.0, -2.0


@dataclass(frozen=True, eq=False)
class Rankings:
    """Lists of labels in rank order, and what measures share.

    ``labels`` has one entry a row of ``retrieved``, ``judged_labels`` one a row of ``judged``. A document is relevant
    from label ``level`` on. ``n_collection`` is the number of documents that could have been retrieved.
    """

    retrieved: Groups
    labels: Floats
    judged: Groups
    judged_labels: Floats
    level: int = 1
    n_collection: int = 0
    version: int = 10

    @classmethod
    def of(
        cls, data: RankingData, *, level: int, n_collection: int, version: int, n_threads: int | None = None
    ) -> Rankings:
        """The joined data by falling score, equal scores by falling document id."""
        assert data.scores is not None
        assert data.doc_ids is not None
        assert data.judged is not None
        scores = data.scores
        if version < 10:
            largest = np.finfo(np.float32).max
            scores = np.clip(scores, -largest, largest).astype(np.float32).astype(np.float64)
        rows = _native.order_by_id(scores, data.offsets, *data.doc_ids.parts, True, resolve_threads(n_threads))
        labels, pool = np.trunc(data.labels[rows]), np.trunc(data.judged.labels)
        labels = np.where(np.isnan(labels), UNPOOLED, np.where(labels < 0, UNJUDGED, labels))
        pooled, is_judged = Groups(np.diff(data.judged.offsets)), pool >= 0
        judged = Groups(pooled.count(is_judged))
        return cls(Groups(np.diff(data.offsets)), labels, judged, pool[is_judged], level, n_collection, version)

    def keep(self, kept: Bools) -> Rankings:
        """Without the other retrieved documents."""
        return replace(self, retrieved=Groups(self.retrieved.count(kept)), labels=self.labels[kept])

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.retrieved.sizes.size

    @property
    def n_retrieved(self) -> Int64s:
        """Number of retrieved documents, one a query."""
        return self.retrieved.sizes

    @cached_property
    def n_relevant(self) -> Int64s:
        """Number of relevant documents, retrieved or not."""
        return self.judged.count(self.judged_labels >= self.level)

    @cached_property
    def nonrelevant(self) -> Bools:
        """Which retrieved documents are judged and not relevant."""
        return (self.labels >= 0) & (self.labels < self.level)

    @cached_property
    def found_rows(self) -> Int64s:
        """Where the relevant documents stand among those retrieved."""
        return np.flatnonzero(self.labels >= self.level)

    @cached_property
    def found(self) -> Groups:
        """The relevant documents that were retrieved; ``found.ranks`` counts those of a query."""
        return Groups(self.retrieved.count(self.labels >= self.level))

    @cached_property
    def found_ranks(self) -> Int64s:
        """Their ranks."""
        return self.retrieved.ranks[self.found_rows]

    @cached_property
    def precision(self) -> Floats:
        """Precision at each of them."""
        return self.found.ranks / self.found_ranks

    @cached_property
    def interpolated(self) -> Floats:
        """The best precision at each of them and those of its query below it."""
        distinct, number = np.unique(self.precision, return_inverse=True)
        # The numbers of a query lie above those of the queries after it, so that one pass from the end serves all.
        number = number + (self.n_queries - self.found.queries) * distinct.size
        best = np.maximum.accumulate(number[::-1])[::-1] % max(distinct.size, 1)
        interpolated: Floats = distinct[best]
        return interpolated

    def hits(self, cutoff: int | Int64s) -> Int64s:
        """Number of relevant documents among the first ``cutoff``, one for all queries or one a query."""
        limits = np.broadcast_to(cutoff, self.n_queries)[self.found.queries]
        return self.found.count(self.found_ranks <= limits)

    @cached_property
    def discounts(self) -> Floats:
        """1 / log2(rank + 1) for every rank that occurs, from 1."""
        deepest = max(self.n_retrieved.max(initial=0), self.judged.sizes.max(initial=0))
        weights: Floats = 1 / np.log2(np.arange(2, deepest + 2))
        return weights

    @cached_property
    def tops(self) -> Int64s:
        """The highest judged label of each query, -1 without one."""
        tops = np.full(self.n_queries, -1, np.int64)
        np.maximum.at(tops, self.judged.queries, self.judged_labels.astype(np.int64))
        return tops

    def gains(self, gains: Gains) -> Floats:
        """Gains of the retrieved documents, in rank order."""
        return gains_of(self.labels, gains)

    def ideal(self, gains: Gains) -> Ideal:
        """Gains of the ideal ranking."""
        if gains not in self._ideals:
            self._ideals[gains] = ideal(self.judged, self.judged_labels, self.tops, gains)
        return self._ideals[gains]

    @cached_property
    def _ideals(self) -> dict[Gains, Ideal]:
        return {}

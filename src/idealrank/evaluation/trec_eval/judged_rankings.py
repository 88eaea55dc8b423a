"""The input of a measure: rankings as trec_eval makes them of judgments and a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.data.ranking import RankingData
from idealrank.evaluation.trec_eval.gain_maps import Gains, gains_of, ideal
from idealrank.measures import ranked_labels as rankings
from idealrank.measures.conventions import convention
from idealrank.measures.groups import Groups
from idealrank.measures.measure_base import Measure
from idealrank.measures.plan import run
from idealrank.measures.ranked_labels import UNJUDGED, UNPOOLED, Graded

__all__ = ["Rankings"]


@dataclass(frozen=True, eq=False)
class Rankings(rankings.RankedLabels):
    """Rankings with whole labels; ``n_collection`` is the number of documents that could have been retrieved."""

    n_collection: int = 0
    version: int = 10

    @classmethod
    def of(
        cls, data: RankingData, *, level: int, n_collection: int, version: int, n_threads: int | None = None
    ) -> Rankings:
        """Rank the joined data by descending score, and documents with equal scores by descending id."""
        assert data.scores is not None
        assert data.doc_ids is not None
        assert data.judged is not None
        scores = data.scores
        if version < 10:
            with np.errstate(over="ignore"):
                narrow = scores.astype(np.float32)
            largest = np.finfo(np.float32).max
            scores = np.clip(narrow, -largest, largest, out=narrow).astype(np.float64)
        rows = _native.order_by_id(scores, data.offsets, *data.doc_ids.parts, True, resolve_threads(n_threads))
        labels, pool = data.labels[rows], np.trunc(data.judged.labels)
        np.trunc(labels, out=labels)
        np.copyto(labels, UNJUDGED, where=labels < 0)
        np.copyto(labels, UNPOOLED, where=np.isnan(labels))
        pooled, is_judged = Groups(np.diff(data.judged.offsets)), pool >= 0
        judged = Groups(pooled.count(is_judged))
        return cls(Groups(np.diff(data.offsets)), labels, judged, pool[is_judged], level, n_collection, version)

    def with_placeholders(self, is_missing: Booleans) -> Rankings:
        """Return the rankings with one document out of the pool for each of these queries, which have none."""
        labels = np.insert(self.labels, self.retrieved.starts[is_missing], UNPOOLED)
        return replace(self, retrieved=Groups(self.retrieved.sizes + is_missing), labels=labels)

    def keep(self, kept: Booleans) -> Rankings:
        """Return the rankings with only these retrieved documents."""
        return replace(self, retrieved=Groups(self.retrieved.count(kept)), labels=self.labels[kept])

    def measured(self, chosen: Iterable[Measure], n_threads: int | None = None) -> dict[Measure, Floats]:
        """Compute measures of the library, one value per query, in one call of the native core."""
        trec_eval = convention("trec_eval10")
        rules = replace(trec_eval, options={**trec_eval.options, "rel": self.level})
        plans = {each: plan for each in chosen if (plan := each.with_convention(rules).plan()) is not None}
        judged, threads = JudgedLabels(self.judged_labels, self.judged.offsets), resolve_threads(n_threads)
        descending = np.arange(self.labels.size, 0.0, -1.0)  # the labels are in rank order
        lists = Lists(
            self.labels, descending, self.retrieved.offsets, judged=judged, negative=rules.negative, n_threads=threads
        )
        return dict(zip(plans, run(list(plans.values()), lists, "stable"), strict=True))

    @cached_property
    def tops(self) -> Int64s:
        """The highest judged label of each query, -1 without one."""
        tops = np.full(self.n_queries, -1, np.int64)
        np.maximum.at(tops, self.judged.queries, self.judged_labels.astype(np.int64))
        return tops

    def graded(self, gains: Gains) -> Graded:
        """Gains of the retrieved documents, and of the ideal ranking."""
        if gains not in self._graded:
            best = ideal(self.judged, self.judged_labels, self.tops, gains)
            self._graded[gains] = Graded(self.retrieved, gains_of(self.labels, gains), *best)
        return self._graded[gains]

    @cached_property
    def _graded(self) -> dict[Gains, Graded]:
        return {}

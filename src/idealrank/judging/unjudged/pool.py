"""Several runs on the same judgments, and the unjudged documents that any of them retrieves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.construction import joined_ids
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.evaluation.inputs import naming
from idealrank.judging.unjudged.measure_rules import Ranked, Rules

__all__ = ["Pool"]


@dataclass(frozen=True)
class Pool:
    """The unjudged documents of several runs, numbered together.

    Parameters
    ----------
    ranked : mapping of str to Ranked
        The runs by name.
    numbers : mapping of str to int64 array
        The number of each unjudged document of a run, in rank order.
    queries : int64 array
        The query of each unjudged document.
    doc_ids : Ids
        Its id.
    """

    ranked: Mapping[str, Ranked]
    numbers: Mapping[str, Int64s]
    queries: Int64s
    doc_ids: Ids

    @classmethod
    def of(cls, qrels: Qrels, runs: Mapping[str, Run], rules: Rules, n_threads: int | None) -> Pool:
        """Join each run with the judgments, and find the unjudged documents."""
        ranked: dict[str, Ranked] = {}
        for name, run in runs.items():
            with naming(name):
                ranked[name] = Ranked.of(qrels, run, rules, n_threads)
        unjudged = {name: np.flatnonzero(each.is_unjudged) for name, each in ranked.items()}
        parts = [cast("Ids", each.data.doc_ids).take(each.places[unjudged[name]]) for name, each in ranked.items()]
        queries = np.concatenate([each.queries[unjudged[name]] for name, each in ranked.items()])
        if len(parts) == 1:
            (ids,), first = parts, np.arange(queries.size)
            return cls(ranked, dict.fromkeys(ranked, first), queries, ids)
        ids = cast("Ids", joined_ids(parts))
        doc_numbers, distinct = ids.numbered()
        keys = queries * len(distinct) + doc_numbers
        _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        cuts = np.cumsum([own.size for own in unjudged.values()])[:-1]
        by_run = dict(zip(ranked, np.split(numbers, cuts), strict=True))
        return cls(ranked, by_run, queries[first], ids.take(first))

    @property
    def n_queries(self) -> int:
        """Number of judged queries."""
        return next(iter(self.ranked.values())).data.n_queries

    @property
    def sizes(self) -> Int64s:
        """Number of unjudged documents of each query."""
        return np.bincount(self.queries, minlength=self.n_queries)

    def outside(self, name: str) -> Int64s:
        """Return how many of the unjudged documents a run does not retrieve, by query."""
        return self.sizes - np.bincount(self.queries[self.numbers[name]], minlength=self.n_queries)

    def spread(self, name: str, values: Floats) -> Floats:
        """Return values of the documents of a run, in rank order, for all unjudged documents; 0 where it has none."""
        spread = np.zeros(self.queries.size)
        spread[self.numbers[name]] = values[self.ranked[name].is_unjudged]
        return spread

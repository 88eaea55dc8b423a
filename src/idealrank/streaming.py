"""Evaluate what does not fit into memory: batches of whole queries, folded into exact means.

The means and intervals are those of the in-memory result, bit for bit: sums are exact until they are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from idealrank.conventions import Convention, convention
from idealrank.data import Problem, RankingData, from_arrays
from idealrank.errors import DataError
from idealrank.evaluation import (
    Evaluation,
    Measures,
    as_ranking,
    evaluate_ranking,
    named_measures,
)
from idealrank.exact import Moments
from idealrank.measures.base import Measure

__all__ = ["Summary", "evaluate_stream"]


@dataclass
class Summary:
    """Means over queries that were not kept: what `Evaluation` says, without the queries.

    >>> summary = evaluate_stream([([1, 0], [0.2, 0.1], [0, 2]), ([0, 1], [0.3, 0.2], [0, 2])], "rr")
    >>> summary.n_queries, summary.mean
    (2, {'rr': 0.75})
    """

    convention: Convention
    n_queries: int = 0
    filled: Mapping[str, Measure] = field(default_factory=dict)
    moments: dict[str, Moments] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def mean(self) -> dict[str, float]:
        """{measure as given: mean over queries}."""
        return {name: moments.mean for name, moments in self.moments.items()}

    def interval(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """{measure as given: (low, high)}: the t interval of the mean over queries."""
        return {name: moments.t_interval(level) for name, moments in self.moments.items()}

    def add(self, batch: Evaluation) -> None:
        """Take in the evaluation of further queries."""
        self.n_queries += batch.n_queries
        self.filled = batch.filled
        for name in batch.per_query:
            self.moments.setdefault(name, Moments()).merge(batch.moments(name))
        self.problems = _merged((*self.problems, *batch.problems))


def _merged(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """One entry a kind, with the sum of the counts and the first message."""
    found: dict[str, Problem] = {}
    for problem in problems:
        first = found.get(problem.kind, Problem(problem.kind, 0, problem.message))
        found[problem.kind] = Problem(problem.kind, first.count + problem.count, first.message)
    return tuple(found.values())


def evaluate_stream(
    batches: Iterable[Any] | str | os.PathLike[str],
    measures: Measures,
    *,
    like: str | Convention | None = None,
    batch_rows: int = 1_000_000,
    n_threads: int | None = None,
) -> Summary:
    """Evaluate batches one after the other, each holding whole queries; memory is that of the largest.

    A batch is `RankingData` with scores, a data frame with a score column, or a tuple (labels, scores, offsets). Or
    give the path of a Parquet file, its rows sorted by query: it is read ``batch_rows`` at a time.

    >>> batches = [([1, 0], [0.2, 0.1], [0, 2]), ([0, 1, 1, 0], [0.3, 0.2, 0.1, 0.0], [0, 2, 4])]
    >>> evaluate_stream(batches, ["rr"]).mean
    {'rr': 0.8333333333333334}
    """
    rules, named = convention(like or "idealrank"), named_measures(measures)
    summary = Summary(rules)
    parts = _parquet_batches(batches, batch_rows) if isinstance(batches, (str, os.PathLike)) else batches
    for part in parts:
        if isinstance(part, tuple):
            labels, scores, offsets = part
            part = from_arrays(labels, scores=scores, offsets=offsets)
        data, own_scores = as_ranking(part)
        summary.add(evaluate_ranking(data, own_scores[""], named, rules, n_threads))
    if summary.n_queries == 0:
        raise DataError("the stream has no queries")
    return summary


def _parquet_batches(path: str | os.PathLike[str], batch_rows: int) -> Iterator[RankingData]:
    """Whole queries, in batches; the last query of a batch waits for the next."""
    import pyarrow as pa

    from idealrank.io.frames import from_frame
    from idealrank.io.tables import iterate_parquet

    waiting: Any = None
    last_id: Any = None
    for piece in iterate_parquet(path, batch_rows, ["qid", "label", "score", "doc"]):
        table = piece if waiting is None else pa.concat_tables([waiting, piece])
        ids = table["qid"].to_numpy(zero_copy_only=False)
        changes = np.flatnonzero(ids[1:] != ids[:-1]) + 1
        heads = ids[np.concatenate(([0], changes))]
        if last_id is not None:
            heads = np.concatenate(([last_id], heads))
        if not (heads[1:] > heads[:-1]).all():
            raise DataError(f"{os.fspath(path)} must be sorted by qid to be read in batches; sort it, or read it whole")
        cut = int(changes[-1]) if changes.size else 0
        waiting = table.slice(cut)
        if cut:
            last_id = ids[cut - 1]
            yield from_frame(table.slice(0, cut))
    if waiting is not None and waiting.num_rows:
        yield from_frame(waiting)

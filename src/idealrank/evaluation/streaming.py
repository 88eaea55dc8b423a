"""Evaluate what does not fit into memory: batches of whole queries, folded into exact means.

The means and intervals are those of the in-memory result, bit for bit: sums are exact until they are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from idealrank._base.exact import Moments
from idealrank._base.plain import Plain, plain
from idealrank._base.results import Result
from idealrank._base.tables import Table
from idealrank.data.construction import from_arrays, joined_ids
from idealrank.data.problem import Problem
from idealrank.errors import DataError
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Measures, judged_and_systems
from idealrank.evaluation.results import Evaluation, means_table
from idealrank.io.batches import SortedParquet
from idealrank.measures.base import Measure
from idealrank.measures.conventions import Convention, convention

__all__ = ["Summary", "evaluate_stream"]

_IN_THE_FIRST = "; in the first batch that has any: "


@dataclass
class Summary(Result):
    """Means over queries that were not kept: an `Evaluation` without the single queries.

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

    def to_dict(self) -> dict[str, Plain]:
        """Means, intervals, convention and problems."""
        return {
            "convention": self.convention.name,
            "measures": {name: str(filled) for name, filled in self.filled.items()},
            "n_queries": self.n_queries,
            "mean": plain(self.mean),
            "interval": plain(self.interval()),
            "problems": plain(self.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Table "means": a row per measure."""
        return {"means": means_table(self.moments)}

    def remarks(self) -> list[str]:
        """The number of queries, the convention, and every measure with all of its options."""
        filled = [f"{name} = {filled}" for name, filled in self.filled.items()]
        return [f"{self.n_queries:,} queries; like {self.convention.name}", *filled]

    def add(self, batch: Evaluation) -> None:
        """Take in the evaluation of further queries."""
        self.merge(Summary(batch.convention, batch.n_queries, batch.filled, batch.moments, batch.problems))

    def merge(self, other: Summary) -> None:
        """Take in what another holds, of other queries."""
        self.n_queries += other.n_queries
        self.filled = other.filled or self.filled
        for name, moments in other.moments.items():
            self.moments.setdefault(name, Moments()).merge(moments)
        self.problems = merged_problems((*self.problems, *other.problems))


def merged_problems(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """One entry a kind, with the sum of the counts; what the first message says is of the first batch alone."""
    found: dict[str, Problem] = {}
    for problem in problems:
        first = found.get(problem.kind)
        if first is not None:
            count, said = first.count + problem.count, first.message.rpartition(_IN_THE_FIRST)[2]
            problem = Problem(problem.kind, count, f"{problem.kind}, {count:,} times{_IN_THE_FIRST}{said}")
        found[problem.kind] = problem
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
    give the path of a Parquet file or of a folder of them, the rows sorted by query: ``batch_rows`` are read at a time.

    >>> batches = [([1, 0], [0.2, 0.1], [0, 2]), ([0, 1, 1, 0], [0.3, 0.2, 0.1, 0.0], [0, 2, 4])]
    >>> evaluate_stream(batches, ["rr"]).mean
    {'rr': 0.8333333333333334}
    """
    if isinstance(batches, (str, os.PathLike)):
        batches = SortedParquet.at(batches, "qid", ("label", "score", "doc")).batches(batch_rows)
    summary = Summary(convention(like or "idealrank"))
    for batch in batches:
        if isinstance(batch, tuple):
            labels, scores, offsets = batch
            batch = from_arrays(labels, scores=scores, offsets=offsets)
        judged, systems = judged_and_systems(batch, allow_empty=True)
        summary.add(Evaluator(judged, summary.convention, n_threads=n_threads).evaluate(systems[""], measures))
    if summary.n_queries == 0:
        raise DataError("the stream has no queries")
    return summary


def concatenated(evaluations: Sequence[Evaluation]) -> Evaluation:
    """One evaluation of the queries of many, one after the other; there is at least one, and no query twice.

    >>> from idealrank import evaluate
    >>> both = concatenated([evaluate([1, 0], [2, 1], "rr", query_ids=[q, q]) for q in (7, 8)])
    >>> both.query_ids, both.per_query
    (array([7, 8]), {'rr': array([1., 1.])})
    """
    first = evaluations[0]
    per_query = {name: np.concatenate([each.per_query[name] for each in evaluations]) for name in first.per_query}
    problems = merged_problems(tuple(problem for each in evaluations for problem in each.problems))
    return replace(
        first, per_query=per_query, query_ids=joined_ids([each.query_ids for each in evaluations]), problems=problems
    )

"""Evaluate data that does not fit into memory: batches of whole queries, combined into exact means.

Means and intervals equal those of the in-memory result bit for bit, because sums are exact.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from idealrank._core.checks import items_of
from idealrank._core.exact import Moments
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Table
from idealrank._typing import Int64s
from idealrank.data.construction import from_arrays, joined_ids
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_base import INTERVAL_LEVEL, INTERVAL_METHOD
from idealrank.evaluation.evaluation_result import Evaluation, means_table, means_text
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Measures, judged_and_systems
from idealrank.io.batches import SortedParquet
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.measure_base import Measure
from idealrank.measures.measure_names import check_convention
from idealrank.stats.intervals import interval_of

_IN_THE_FIRST = "; in the first batch that has any: "


@dataclass(repr=False)
class Summary(Result):
    """The means and intervals of an evaluation without per-query values.

    Attributes
    ----------
    convention : Convention
        The convention for options that the measures leave unset.
    n_queries : int
        Number of queries.
    filled : mapping of str to Measure
        {measure as given: the measure with every option filled in}.
    moments : dict of str to Moments
        {measure as given: the exact count, mean and variance of its values}.
    problems : tuple of Problem
        Problems found in the data, one per kind.

    Examples
    --------
    >>> from idealrank.evaluation.streaming import evaluate_stream
    >>> summary = evaluate_stream([([1, 0], [0.2, 0.1], [0, 2]), ([0, 1], [0.3, 0.2], [0, 2])], "rr")
    >>> summary
    Summary(rr 0.7500; 2 queries, like idealrank)
    >>> summary.mean
    {'rr': 0.75}
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
        """Return {measure as given: (low, high)}: the interval of the mean over queries, in the range of the measure.

        Parameters
        ----------
        level : float
            The confidence level.

        Returns
        -------
        dict of str to (float, float)
            The bounds for each measure; NaN if fewer than two queries have a value.
        """
        bounds = {name: interval_of(moments, level) for name, moments in self.moments.items()}
        return {name: (each.low, each.high) for name, each in bounds.items()}

    def to_dict(self) -> dict[str, Plain]:
        """Return means, intervals, convention and problems."""
        return {
            "convention": self.convention.name,
            "measures": {name: str(filled) for name, filled in self.filled.items()},
            "n_queries": self.n_queries,
            "mean": plain(self.mean),
            "interval": plain(self.interval()),
            "interval_level": INTERVAL_LEVEL,
            "interval_method": INTERVAL_METHOD,
            "problems": plain(self.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "means": a row per measure."""
        return {"means": means_table(self.moments)}

    def page(self) -> Page:
        """Return the means, the number of queries, the convention, and every measure with all of its options."""
        return replace(
            super().page(),
            title="Evaluation of a stream",
            remarks=(f"means over {counted(self.n_queries, 'query')}, like {self.convention.title}",),
            options=tuple(f"{name} = {filled}" for name, filled in self.filled.items()),
        )

    def add(self, batch: Evaluation) -> None:
        """Add the evaluation of more queries.

        Parameters
        ----------
        batch : Evaluation
            An evaluation with the same measures and convention.
        """
        self.merge(Summary(batch.convention, batch.n_queries, batch.filled, batch.moments, batch.problems))

    def merge(self, other: Summary) -> None:
        """Add a summary of other queries.

        Parameters
        ----------
        other : Summary
            A summary with the same measures and convention.
        """
        self.n_queries += other.n_queries
        self.filled = other.filled or self.filled
        for name, moments in other.moments.items():
            self.moments.setdefault(name, Moments(moments.aggregate, moments.value_range)).merge(moments)
        self.problems = merged_problems((*self.problems, *other.problems))

    def __repr__(self) -> str:
        return f"Summary({means_text(self.mean, self.n_queries, self.convention)})"


def merged_problems(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return one problem per kind, with the sum of the counts and the message of the first batch."""
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
    """Evaluate batches of queries one after the other, with memory for the largest batch and 8 bytes per query.

    Parameters
    ----------
    batches : iterable, str or path
        Batches of whole queries: `RankingData` with scores, data frames with a score column, or tuples (labels, scores,
        offsets). Or the path of a Parquet file, or of a folder of Parquet files, with rows sorted by query.
    measures : str, Measure or iterable of these
        The measures to compute.
    like : str or Convention, optional
        The convention for options that the measures leave unset; by default, "idealrank".
    batch_rows : int
        Number of rows to read from Parquet at a time.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    Summary
        Means and intervals.

    Raises
    ------
    DataError
        If there are no queries, or a query is in two batches. The latter is not detected in tuples, and in RankingData
        without query ids.

    Examples
    --------
    >>> from idealrank import evaluate_stream
    >>> batches = [([1, 0], [0.2, 0.1], [0, 2]), ([0, 1, 1, 0], [0.3, 0.2, 0.1, 0.0], [0, 2, 4])]
    >>> evaluate_stream(batches, ["rr"]).mean
    {'rr': 0.8333333333333334}
    """
    if isinstance(batches, (str, os.PathLike)):
        batches = SortedParquet.at(batches, "qid", ("label", "score", "doc")).batches(batch_rows)
    summary = Summary(check_convention(convention(like or "idealrank")))
    named, numbered = _Seen(), _Seen()
    for batch in items_of(batches, "batches", DataError):
        if isinstance(batch, tuple):
            if len(batch) != 3:
                raise DataError(f"a batch of arrays is (labels, scores, offsets), got a tuple of {len(batch)}")
            labels, scores, offsets = batch
            judged, systems = judged_and_systems(from_arrays(labels, scores=scores, offsets=offsets), allow_empty=True)
        else:
            judged, systems = judged_and_systems(batch, allow_empty=True)
            ids = judged.query_ids.tolist()
            named.check(ids)
            if isinstance(batch, RankingData) and ids == list(range(len(ids))):
                numbered.add(ids)  # may be the numbers of data without ids, which every batch repeats
            else:
                numbered.check(ids)
                named.add(ids)
        summary.add(Evaluator(judged, summary.convention, n_threads=n_threads).evaluate(systems[""], measures))
    if summary.n_queries == 0:
        raise DataError("the stream has no queries")
    return summary


class _Seen:
    """Which queries were in earlier batches: 64-bit hashes of their ids, in a few sorted arrays."""

    def __init__(self) -> None:
        self._sorted: list[Int64s] = []

    def check(self, ids: Sequence[str] | Sequence[int]) -> None:
        """Raise a DataError if one of these queries was in an earlier batch."""
        hashes = _hashes(ids)
        for earlier in self._sorted:
            places = np.searchsorted(earlier, hashes)
            again = np.flatnonzero(earlier[np.minimum(places, earlier.size - 1)] == hashes)
            if again.size:
                what = "a query is in two batches, and would count twice: give whole queries, or sorted Parquet by path"
                raise DataError(what, query=ids[int(again[0])])

    def add(self, ids: Sequence[str] | Sequence[int]) -> None:
        """Add the queries of a batch."""
        merged = np.sort(_hashes(ids))
        # Arrays of similar size are merged, so that their number stays logarithmic.
        while self._sorted and self._sorted[-1].size <= 2 * merged.size:
            merged = np.sort(np.concatenate((self._sorted.pop(), merged)), kind="stable")
        if merged.size:
            self._sorted.append(merged)


def _hashes(ids: Sequence[str] | Sequence[int]) -> Int64s:
    return np.fromiter((hash(str(query)) for query in ids), np.int64, len(ids))


def concatenated(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return one evaluation of the queries of one or more evaluations that have no query in common.

    Examples
    --------
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

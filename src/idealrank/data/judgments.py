"""Judgments and runs: one number for each (query, document), and the two of them joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._base.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import check_offsets, float_column, offsets_of, owned, places, query_at, read_only
from idealrank.data.ids import Ids
from idealrank.data.lists import Judged
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError

__all__ = ["Qrels", "Run", "join"]


class _ByQuery(Mapping[str, dict[str, float]]):
    """One number for each (query, document): a query's rows lie together, queries are in the order they first came.

    Reads as the nested mapping {query: {document: number}}; inside it is ids, offsets and one array.
    """

    query_ids: Ids
    offsets: Int64s
    doc_ids: Ids
    problems: tuple[Problem, ...]
    _values: Floats
    _number_name = "number"

    def __init__(self, queries: Mapping[Any, Mapping[Any, float]]) -> None:
        query_ids: list[object] = []
        doc_ids: list[object] = []
        sizes: list[int] = []
        values: list[float] = []
        for query, docs in queries.items():
            if not isinstance(docs, Mapping):
                raise DataError(f"expected {{document: {self._number_name}}}, got {type(docs).__name__}", query=query)
            query_ids.append(query)
            sizes.append(len(docs))
            doc_ids.extend(docs.keys())
            values.extend(docs.values())
        offsets = read_only(offsets_of(sizes))
        self._fill(Ids.of(query_ids), offsets, Ids.of(doc_ids), float_column(values, f"{self._number_name}s"), ())
        if len(self.query_ids.numbered()[1]) < len(self.query_ids):
            raise DataError("a query id stands twice: as a number and as the same text")

    @classmethod
    def from_flat(
        cls,
        query_ids: Ids,
        offsets: npt.ArrayLike,
        doc_ids: Ids,
        values: npt.ArrayLike,
        problems: tuple[Problem, ...] = (),
    ) -> Any:
        """Build from flat arrays, rows together by query; of a document that stands twice the last number counts."""
        made = cls.__new__(cls)
        column = float_column(values, f"{cls._number_name}s", len(doc_ids))
        made._fill(query_ids, check_offsets(offsets, column.size), doc_ids, column, problems)
        return made

    def _fill(
        self, query_ids: Ids, offsets: Int64s, doc_ids: Ids, values: Floats, problems: tuple[Problem, ...]
    ) -> None:
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            row = int(bad[0])
            query = query_ids[query_at(offsets, row)]
            raise DataError(f"a {self._number_name} must be a finite number, got {values[row]}", query=query, row=row)
        rows = np.arange(values.size)
        first = _native.first_rows(*doc_ids.parts, offsets, resolve_threads(None))
        again = np.flatnonzero(first != rows)
        if again.size:
            query = query_ids[query_at(offsets, int(again[0]))]
            problems += (
                Problem(
                    "duplicate",
                    again.size,
                    f"{again.size:,} documents stand again in the same query, first {doc_ids[int(again[0])]!r} "
                    f"in query {query!r}: the last {self._number_name} counts",
                ),
            )
            values = values.copy()
            values[first[again]] = values[again]
            kept = first == rows
            offsets = offsets_of(kept)[offsets]
            doc_ids, values = doc_ids.take(rows[kept]), values[kept]
        fields = {"query_ids": query_ids, "offsets": owned(offsets), "doc_ids": doc_ids, "_values": owned(values)}
        self.__dict__.update(fields, problems=problems)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    @property
    def n_docs(self) -> int:
        """Number of (query, document) pairs."""
        return len(self.doc_ids)

    def __getitem__(self, query: str) -> dict[str, float]:
        found = int(Ids.of([query]).index_in(self.query_ids)[0])
        if found < 0:
            raise KeyError(query)
        return self._docs_of(found)

    def _docs_of(self, query: int) -> dict[str, float]:
        start, end = int(self.offsets[query]), int(self.offsets[query + 1])
        return dict(zip(self.doc_ids[start:end], self._values[start:end].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    def __len__(self) -> int:
        return self.n_queries

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The nested dict {query: {document: number}}."""
        return {query: self._docs_of(number) for number, query in enumerate(self.query_ids)}

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _ByQuery):
            return type(self) is type(other) and self.to_dict() == other.to_dict()
        return self.to_dict() == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # a mapping, like dict

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_queries:,} queries, {self.n_docs:,} documents)"


class Qrels(_ByQuery):
    """Judgments: a label for each judged (query, document).

    >>> qrels = Qrels({"q1": {"d1": 2, "d2": 0}})
    >>> qrels, qrels["q1"]
    (Qrels(1 queries, 2 documents), {'d1': 2.0, 'd2': 0.0})
    """

    _number_name = "label"

    @property
    def labels(self) -> Floats:
        """One a (query, document), query by query."""
        return self._values


class Run(_ByQuery):
    """A system's answer: a score for each retrieved (query, document); higher is better.

    >>> run = Run({"q1": {"d1": 0.7, "d9": 0.9}}, name="bm25")
    >>> run.scores, run.name
    (array([0.7, 0.9]), 'bm25')
    """

    name: str
    _number_name = "score"

    def __init__(self, queries: Mapping[Any, Mapping[Any, float]], name: str = "") -> None:
        super().__init__(queries)
        self.__dict__["name"] = name

    @classmethod
    def from_flat(
        cls,
        query_ids: Ids,
        offsets: npt.ArrayLike,
        doc_ids: Ids,
        values: npt.ArrayLike,
        problems: tuple[Problem, ...] = (),
        name: str = "",
    ) -> Any:
        """Build from flat arrays as `Qrels.from_flat` does, with the system's name."""
        made = super().from_flat(query_ids, offsets, doc_ids, values, problems)
        made.__dict__["name"] = name
        return made

    @property
    def scores(self) -> Floats:
        """One a (query, document), query by query."""
        return self._values


def join(
    qrels: Qrels | Mapping[Any, Mapping[Any, float]],
    run: Run | Mapping[Any, Mapping[Any, float]],
    *,
    n_threads: int | None = None,
) -> RankingData:
    """The run's documents with their judged labels, for the queries of the judgments, in that order.

    An unjudged document has the label NaN; ``judged`` holds every judged label, retrieved or not. A query that the run
    leaves out has no documents; one that only the run has is left out, and named in ``problems``.

    >>> data = join({"q1": {"d1": 2, "d2": 1}}, {"q1": {"d9": 3.0, "d1": 1.0}})
    >>> data.labels, data.scores, data.judged.labels
    (array([nan,  2.]), array([3., 1.]), array([2., 1.]))
    """
    qrels = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    run = run if isinstance(run, Run) else Run(run)
    run_query = qrels.query_ids.index_in(run.query_ids)
    if qrels.n_queries and run.n_queries and (run_query < 0).all():
        raise DataError(
            f"qrels and run have no query in common: qrels begin with query {qrels.query_ids[0]!r}, "
            f"the run with {run.query_ids[0]!r}"
        )
    judged, retrieved = (*qrels.doc_ids.parts, qrels.offsets), (*run.doc_ids.parts, run.offsets)
    threads = resolve_threads(n_threads)
    labels = _native.judge(*judged, *retrieved, judgments=qrels.labels, run_query=run_query, n_threads=threads)

    found = run_query >= 0
    scores, doc_ids = run.scores, run.doc_ids
    if np.array_equal(run_query, np.arange(run.n_queries)):  # the same queries in the same order: nothing moves
        ends = run.offsets
    else:
        rows, ends = places(run.offsets, run_query[found])
        labels, scores, doc_ids = labels[rows], scores[rows], doc_ids.take(rows)
    offsets = np.zeros(qrels.n_queries + 1, np.int64)
    offsets[1:][found] = np.diff(ends)
    np.cumsum(offsets, out=offsets)

    problems = qrels.problems + run.problems
    problems += _left_out("unretrieved query", "queries of the judgments are not in the run", ~found, qrels.query_ids)
    known = np.zeros(run.n_queries, bool)
    known[run_query[found]] = True
    problems += _left_out("unjudged query", "queries of the run are not judged and left out", ~known, run.query_ids)
    return RankingData(
        labels,
        offsets,
        qrels.query_ids,
        scores=scores,
        doc_ids=doc_ids,
        judged=Judged(qrels.labels, qrels.offsets),
        problems=problems,
    )


def _left_out(kind: str, what: str, missing: Booleans, ids: Ids) -> tuple[Problem, ...]:
    numbers = np.flatnonzero(missing)
    if not numbers.size:
        return ()
    return (Problem(kind, numbers.size, f"{numbers.size:,} {what}, first {ids[int(numbers[0])]!r}"),)

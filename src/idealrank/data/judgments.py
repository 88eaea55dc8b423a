"""Judgments and runs: one number per (query, document) pair, and their join."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._present.printable import counted
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import (
    array_of,
    check_offsets,
    finite_scores,
    float_column,
    offsets_of,
    owned,
    places,
    query_at,
    read_only,
)
from idealrank.data.ids import Ids
from idealrank.data.lists import JudgedLabels
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError

if TYPE_CHECKING:
    from idealrank.data.subtopics import Subtopics

_ROWS_AT_ONCE = 1 << 16


class _QueryMapping(Mapping[str, dict[str, float]]):
    """One number per (query, document) pair, grouped by query in order of first appearance.

    It can be used like the nested mapping {query: {document: number}}, and is stored as ids, offsets and one array.
    """

    query_ids: Ids
    offsets: Int64s
    doc_ids: Ids
    problems: tuple[Problem, ...]
    _values: Floats
    _number_name = "number"

    def __init__(self, queries: Mapping[Any, Mapping[Any, float]]) -> None:
        if not isinstance(queries, Mapping):
            raise DataError(
                f"expected a mapping {{query: {{document: {self._number_name}}}}}, got {type(queries).__name__}"
            )
        flat = _native.flatten(queries) if type(queries) is dict else None
        if flat is not None:  # dicts of texts and numbers, whose documents are distinct
            offsets, doc_ids, values = flat
            self._fill(Ids.of(queries), offsets, Ids(*doc_ids), values, (), is_distinct=True)
        else:
            self._fill(Ids.of(queries), *self._flattened(queries), ())
        if len(self.query_ids.numbered()[1]) < len(self.query_ids):
            raise DataError("a query id is repeated: as a number and as the same text")

    def _flattened(self, queries: Mapping[Any, Mapping[Any, float]]) -> tuple[Int64s, Ids, Floats]:
        """Return offsets, documents and numbers of mappings of any kind."""
        for query, docs in queries.items():
            if not isinstance(docs, Mapping):
                raise DataError(f"expected {{document: {self._number_name}}}, got {type(docs).__name__}", query=query)
        values = list(chain.from_iterable(docs.values() for docs in queries.values()))
        doc_ids = Ids.of(chain.from_iterable(queries.values()))
        offsets = offsets_of([len(docs) for docs in queries.values()])
        return offsets, doc_ids, float_column(values, f"{self._number_name}s")

    @classmethod
    def of(cls, data: Self | Mapping[Any, Mapping[Any, float]]) -> Self:
        """Return data of this class unchanged, and make it from a nested mapping.

        Parameters
        ----------
        data : Qrels, Run or mapping
            An object of this class, or what its constructor takes.

        Returns
        -------
        Qrels or Run
            An object of this class.

        Raises
        ------
        DataError
            If judgments are given as a run, or a run as judgments.
        """
        if isinstance(data, cls):
            return data
        if isinstance(data, _QueryMapping):
            raise DataError(f"expected a {cls.__name__}, got {data!r}")
        return cls(data)

    @classmethod
    def from_flat(
        cls,
        query_ids: Ids,
        offsets: npt.ArrayLike,
        doc_ids: Ids,
        values: npt.ArrayLike,
        problems: tuple[Problem, ...] = (),
    ) -> Self:
        """Create from flat arrays that are grouped by query.

        Parameters
        ----------
        query_ids : Ids
            One id per query.
        offsets : array-like of int
            Query i has the documents ``offsets[i]:offsets[i + 1]``.
        doc_ids : Ids
            One id per document. If a document is repeated within a query, its last value is used.
        values : array-like
            One label or score per document.
        problems : tuple of Problem
            Irregularities in the input, to report with the data.

        Returns
        -------
        Qrels or Run
            An object of this class.

        Raises
        ------
        DataError
            If a value is not a finite number, or the sizes do not match.
        """
        made = cls.__new__(cls)
        column = owned(float_column(values, f"{cls._number_name}s", len(doc_ids)), values)
        cut = check_offsets(owned(array_of(offsets, "offsets"), offsets), column.size)
        made._fill(query_ids, read_only(cut), doc_ids, column, problems)
        return made

    def _fill(
        self,
        query_ids: Ids,
        offsets: Int64s,
        doc_ids: Ids,
        values: Floats,
        problems: tuple[Problem, ...],
        *,
        is_distinct: bool = False,
    ) -> None:
        values = self._ranked(values)
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            row = int(bad[0])
            query = query_ids[query_at(offsets, row)]
            raise DataError(f"a {self._number_name} must be a finite number, got {values[row]}", query=query, row=row)
        n_docs = values.size
        first = None if is_distinct else _native.first_rows(*doc_ids.parts, offsets, resolve_threads(None))
        # No first row is greater than the row itself, so the sum tells whether any is smaller.
        if first is not None and int(first.sum()) < n_docs * (n_docs - 1) // 2:
            last, best, kept = values.copy(), values.copy(), np.empty(n_docs, bool)
            for begin in range(0, n_docs, _ROWS_AT_ONCE):  # in parts, so that temporary arrays are small
                part = slice(begin, min(begin + _ROWS_AT_ONCE, n_docs))
                kept[part] = is_first = first[part] == np.arange(part.start, part.stop)
                repeated, again = first[part][~is_first], values[part][~is_first]
                last[repeated] = again
                np.maximum.at(best, repeated, again)
            row, rows = int(np.argmin(kept)), np.flatnonzero(kept)
            n_repeated = n_docs - rows.size
            what = "1 document is" if n_repeated == 1 else f"{n_repeated:,} documents are"
            where = f"{what} repeated in the same query, first {doc_ids[row]!r} in query "
            where += repr(query_ids[query_at(offsets, row)])
            problems += (Problem("duplicate", n_repeated, f"{where}; the last {self._number_name} counts"),)
            self.__dict__["_of_repeated"] = {"first": read_only(values[rows]), "best": read_only(best[rows])}
            offsets = np.searchsorted(rows, offsets)
            doc_ids, values = doc_ids.take(rows), last[rows]
        own = {"offsets": read_only(offsets), "_values": read_only(values)}
        fields = {"query_ids": query_ids, "doc_ids": doc_ids, **own}
        self.__dict__.update(fields, problems=problems)

    def _ranked(self, values: Floats) -> Floats:
        """Return the numbers by which documents are ordered, of which none may be infinite."""
        return values

    def with_duplicates(self, which: str) -> Self:
        """Return the same with another number for documents that were repeated: "first", "last" or "best"."""
        values = self.__dict__.get("_of_repeated", {}).get(which)
        if values is None:
            return self
        made, word = copy(self), {"best": "highest"}.get(which, which)
        problems = [
            replace(each, message=each.message.replace("; the last ", f"; the {word} ")) for each in self.problems
        ]
        made.__dict__.update(_values=values, problems=tuple(problems))
        return made

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
        number = int(Ids.of([query]).index_in(self.query_ids)[0])
        if number < 0:
            raise KeyError(query)
        return self._docs_of(number)

    def _docs_of(self, query: int) -> dict[str, float]:
        start, end = int(self.offsets[query]), int(self.offsets[query + 1])
        return dict(zip(self.doc_ids[start:end], self._values[start:end].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    def __len__(self) -> int:
        return self.n_queries

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the nested dict {query: {document: number}}."""
        return {query: self._docs_of(number) for number, query in enumerate(self.query_ids)}

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _QueryMapping):
            return type(self) is type(other) and self.to_dict() == other.to_dict()
        return self.to_dict() == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # a mapping, like dict

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(self.n_queries, 'query')}, {counted(self.n_docs, 'document')})"


class Qrels(_QueryMapping):
    """Judgments: one label per judged (query, document) pair.

    Parameters
    ----------
    queries : mapping
        {query id: {document id: label}}.

    Raises
    ------
    DataError
        If a label is not a finite number, or an id is neither text nor an integer.

    Examples
    --------
    >>> from idealrank import Qrels
    >>> qrels = Qrels({"q1": {"d1": 2, "d2": 0}})
    >>> qrels, qrels["q1"]
    (Qrels(1 query, 2 documents), {'d1': 2.0, 'd2': 0.0})
    """

    _number_name = "label"

    @property
    def labels(self) -> Floats:
        """One label per (query, document) pair, grouped by query."""
        return self._values

    def subtopics_of(self, *retrieved: Any) -> Subtopics | None:
        """Return the subtopics for which retrieved documents are judged; None if the judgments have no subtopics."""
        return None


class Run(_QueryMapping):
    """Ranked results of a system: one score per retrieved (query, document) pair; higher is better.

    Parameters
    ----------
    queries : mapping
        {query id: {document id: score}}. A document with the score ``-inf`` ranks last.
    name : str
        Name of the system.

    Raises
    ------
    DataError
        If a score is NaN or +inf, or an id is neither text nor an integer.

    Examples
    --------
    >>> from idealrank import Run
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
    ) -> Self:
        """Create a run from flat arrays that are grouped by query.

        Parameters
        ----------
        query_ids, offsets, doc_ids, values, problems
            As in `Qrels.from_flat`.
        name : str
            The name of the system.

        Returns
        -------
        Run
            The run.
        """
        made = super().from_flat(query_ids, offsets, doc_ids, values, problems)
        made.__dict__["name"] = name
        return made

    def _ranked(self, values: Floats) -> Floats:
        return finite_scores(values)

    @property
    def scores(self) -> Floats:
        """One score per (query, document) pair, grouped by query."""
        return self._values


def join(
    qrels: Qrels | Mapping[Any, Mapping[Any, float]],
    run: Run | Mapping[Any, Mapping[Any, float]],
    *,
    n_threads: int | None = None,
) -> RankingData:
    """Join judgments and a run: return the retrieved documents with their labels, for the queries of the judgments.

    Parameters
    ----------
    qrels : Qrels or mapping
        The judgments, {query id: {document id: label}}.
    run : Run or mapping
        The run, {query id: {document id: score}}.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    RankingData
        The queries, in the order of the judgments. An unjudged document has the label NaN; ``judged`` has the labels of
        all judged documents, retrieved or not. A judged query that is not in the run has no documents; a query without
        judgments is left out and reported in ``problems``.

    Raises
    ------
    DataError
        If the judgments and the run have no query in common.

    Examples
    --------
    >>> from idealrank.io import join
    >>> data = join({"q1": {"d1": 2, "d2": 1}}, {"q1": {"d9": 3.0, "d1": 1.0}})
    >>> data.labels, data.scores, data.judged.labels
    (array([nan,  2.]), array([3., 1.]), array([2., 1.]))
    """
    qrels, run = Qrels.of(qrels), Run.of(run)
    run_query = qrels.query_ids.index_in(run.query_ids)
    if qrels.n_queries and run.n_queries and (run_query < 0).all():
        raise DataError(
            f"qrels and run have no query in common: the first query of qrels is {qrels.query_ids[0]!r}, "
            f"that of the run is {run.query_ids[0]!r}"
        )
    judged, retrieved = (*qrels.doc_ids.parts, qrels.offsets), (*run.doc_ids.parts, run.offsets)
    threads = resolve_threads(n_threads)
    labels = _native.judge(*judged, *retrieved, judgments=qrels.labels, run_query=run_query, n_threads=threads)
    labels = read_only(labels)
    subtopics = qrels.subtopics_of(*retrieved, run_query, threads)

    retrieved_queries = run_query >= 0
    scores, doc_ids = run.scores, run.doc_ids
    if np.array_equal(run_query, np.arange(run.n_queries)):  # the same queries in the same order
        ends = run.offsets
    else:
        rows, ends = places(run.offsets, run_query[retrieved_queries])
        labels, scores, doc_ids = read_only(labels[rows]), read_only(scores[rows]), doc_ids.take(rows)
        subtopics = None if subtopics is None else subtopics.take(rows)
    sizes = np.zeros(qrels.n_queries, np.int64)
    sizes[retrieved_queries] = np.diff(ends)

    problems = qrels.problems + run.problems
    problems += _left_out("unretrieved query", "judged queries are not in the run", ~retrieved_queries, qrels.query_ids)
    known = np.zeros(run.n_queries, bool)
    known[run_query[retrieved_queries]] = True
    problems += _left_out("unjudged query", "unjudged queries of the run are left out", ~known, run.query_ids)
    return RankingData(
        labels,
        offsets_of(sizes),
        qrels.query_ids,
        scores=scores,
        doc_ids=doc_ids,
        judged=JudgedLabels(qrels.labels, qrels.offsets),
        problems=problems,
        subtopics=subtopics,
    )


def _left_out(kind: str, what: str, missing: Booleans, ids: Ids) -> tuple[Problem, ...]:
    numbers = np.flatnonzero(missing)
    if not numbers.size:
        return ()
    if numbers.size == 1:
        what = what.replace("queries", "query").replace(" are ", " is ")
    return (Problem(kind, numbers.size, f"{numbers.size:,} {what}, first {ids[int(numbers[0])]!r}", missing.size),)

"""Judgments by subtopic: what measures of diversity need to know about documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._present.printable import counted
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_size, float_column, group_of_each, offsets_of, places, query_at, read_only
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels
from idealrank.data.problem import Problem
from idealrank.errors import DataError


class Cells(NamedTuple):
    """One label per judged pair of a document and a subtopic.

    Parameters
    ----------
    offsets : int64 array
        Document i has the cells ``offsets[i]:offsets[i + 1]``.
    numbers : int64 array
        The number of the subtopic of each cell.
    labels : float64 array
        The label of each cell.
    """

    offsets: Int64s
    numbers: Int64s
    labels: Floats


class RelevantPairs(NamedTuple):
    """Pairs of a document and a subtopic that it is relevant to, in order of documents and then of subtopics.

    Parameters
    ----------
    documents : int64 array
        The number of the document of each pair, below ``n_documents``.
    subtopics : int64 array
        The number of the subtopic of each pair, below ``n_subtopics``.
    n_documents, n_subtopics : int
        How many there are.
    """

    documents: Int64s
    subtopics: Int64s
    n_documents: int
    n_subtopics: int

    def first(self, depth: int | None) -> RelevantPairs:
        """Return the pairs of the first documents."""
        if depth is None or depth >= self.n_documents:
            return self
        end = int(np.searchsorted(self.documents, depth))
        return RelevantPairs(self.documents[:end], self.subtopics[:end], depth, self.n_subtopics)

    def counts_above(self) -> Int64s:
        """Return for each pair how many documents above its own are relevant to its subtopic."""
        order = np.argsort(self.subtopics, kind="stable")
        starts = offsets_of(np.bincount(self.subtopics, minlength=self.n_subtopics))
        counts = np.empty(order.size, np.int64)
        counts[order] = np.arange(order.size) - starts[self.subtopics[order]]
        return counts


class SubtopicQrels(Qrels):
    """Judgments by subtopic: one label per (query, document, subtopic).

    It is also a `Qrels` in which a document has its highest label over subtopics, so that measures without subtopics
    can be used as well.

    Parameters
    ----------
    queries : mapping
        {query id: {document id: {subtopic id: label}}}. The innermost mapping may be a set or list of subtopics, all
        with the label 1.

    Raises
    ------
    DataError
        If a label is not a finite number, or an id is neither text nor an integer.

    Examples
    --------
    >>> from idealrank import SubtopicQrels
    >>> qrels = SubtopicQrels({"q1": {"d1": {"a": 1, "b": 2}, "d2": {"a": 0}}})
    >>> qrels, qrels["q1"]
    (SubtopicQrels(1 query, 2 documents, 2 subtopics), {'d1': 2.0, 'd2': 0.0})
    """

    #: The distinct ids of all subtopics, which `cells` refers to by number.
    subtopic_ids: Ids
    cells: Cells

    def __init__(self, queries: Mapping[Any, Mapping[Any, Mapping[Any, float] | Iterable[Any]]]) -> None:
        if not isinstance(queries, Mapping):
            raise DataError(
                f"expected a mapping {{query: {{document: {{subtopic: label}}}}}}, got {type(queries).__name__}"
            )
        rows: list[tuple[Any, Any, Any, Any]] = []
        for query, docs in queries.items():
            if not isinstance(docs, Mapping):
                raise DataError(f"expected {{document: {{subtopic: label}}}}, got {type(docs).__name__}", query=query)
            for doc, own in docs.items():
                rows += ((query, subtopic, doc, label) for subtopic, label in _labels(own, query, doc))
        self._fill_rows(*(list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], []))

    @classmethod
    def from_rows(
        cls,
        query_ids: Iterable[object] | Ids,
        subtopic_ids: Iterable[object] | Ids,
        doc_ids: Iterable[object] | Ids,
        labels: npt.ArrayLike,
        *,
        problems: tuple[Problem, ...] = (),
    ) -> Self:
        """Create judgments from columns with one row per judgment, in any order, as in a file.

        Parameters
        ----------
        query_ids, subtopic_ids, doc_ids : iterable or Ids
            One id per row.
        labels : array-like
            One label per row. If a row is repeated, its last label is used.
        problems : tuple of Problem
            Irregularities in the input, to report with the data.

        Returns
        -------
        SubtopicQrels
            The judgments.
        """
        made = cls.__new__(cls)
        made._fill_rows(query_ids, subtopic_ids, doc_ids, labels, problems=problems)
        return made

    @classmethod
    def by_subtopic(cls, queries: Mapping[Any, Mapping[Any, Mapping[Any, float] | Iterable[Any]]]) -> Self:
        """Create judgments from a mapping of subtopics.

        Parameters
        ----------
        queries : mapping
            {query id: {subtopic id: {document id: label}}}. The innermost mapping may be a set or list of documents,
            all with the label 1.

        Returns
        -------
        SubtopicQrels
            The judgments.

        Examples
        --------
        >>> from idealrank import SubtopicQrels
        >>> SubtopicQrels.by_subtopic({"q1": {"a": {"d1": 1}, "b": {"d1", "d2"}}}).to_nested()
        {'q1': {'d1': {'a': 1.0, 'b': 1.0}, 'd2': {'b': 1.0}}}
        """
        rows = [
            (query, subtopic, doc, label)
            for query, subtopics in queries.items()
            for subtopic, docs in subtopics.items()
            for doc, label in sorted(_labels(docs, query, subtopic), key=lambda pair: str(pair[0]))
        ]
        return cls.from_rows(*(list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], []))

    def _fill_rows(
        self,
        query_ids: Iterable[object] | Ids,
        subtopic_ids: Iterable[object] | Ids,
        doc_ids: Iterable[object] | Ids,
        labels: npt.ArrayLike,
        *,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        query, queries = Ids.of(query_ids).numbered()
        subtopics, docs = Ids.of(subtopic_ids), Ids.of(doc_ids)
        column = float_column(labels, "labels", len(docs))
        check_size(query.size, len(docs), "query_ids", "judgment")
        check_size(len(subtopics), len(docs), "subtopic_ids", "judgment")
        bad = np.flatnonzero(~np.isfinite(column))
        if bad.size:
            row = int(bad[0])
            raise DataError(f"a label must be a finite number, got {column[row]}", queries[int(query[row])], row)
        if (query[1:] < query[:-1]).any():
            order = np.argsort(query, kind="stable")
            subtopics, docs, column = subtopics.take(order), docs.take(order), column[order]
        offsets = offsets_of(np.bincount(query, minlength=len(queries)))
        self._fill_grouped(queries, offsets, docs, column, subtopics.numbered(), problems)

    @classmethod
    def from_grouped(
        cls,
        query_ids: Ids,
        offsets: Int64s,
        doc_ids: Ids,
        labels: Floats,
        subtopic_ids: Ids,
        problems: tuple[Problem, ...] = (),
    ) -> Self:
        """Create judgments like `from_rows`, from rows that are grouped by query.

        Parameters
        ----------
        query_ids : Ids
            One id per query.
        offsets : int64 array
            Query i has the rows ``offsets[i]:offsets[i + 1]``.
        doc_ids : Ids
            The document of each row.
        labels : float64 array
            The label of each row.
        subtopic_ids : Ids
            The subtopic of each row.
        problems : tuple of Problem
            What a reader noticed.

        Returns
        -------
        SubtopicQrels
            The judgments.
        """
        made = cls.__new__(cls)
        made._fill_grouped(query_ids, offsets, doc_ids, labels, subtopic_ids.numbered(), problems)
        return made

    def _fill_grouped(
        self,
        queries: Ids,
        offsets: Int64s,
        docs: Ids,
        labels: Floats,
        numbered: tuple[Int64s, Ids],
        problems: tuple[Problem, ...],
    ) -> None:
        subtopic, subtopics = numbered
        # Documents in order of first appearance within their query, and their cells in order of subtopics.
        document = _native.first_rows(*docs.parts, offsets, resolve_threads(None))
        rows = np.lexsort((subtopic, document))
        document, subtopic = document[rows], subtopic[rows]
        is_new = np.ones(rows.size, bool)  # documents, and then cells
        is_new[1:] = document[1:] != document[:-1]
        starts = np.flatnonzero(is_new)
        is_new[1:] |= subtopic[1:] != subtopic[:-1]
        cell_starts = np.flatnonzero(is_new)
        is_last = np.append(is_new[1:], np.ones(min(rows.size, 1), bool))
        if cell_starts.size < rows.size:
            place = int(np.argmin(is_last))
            n_repeated = rows.size - cell_starts.size
            are = "judgment is" if n_repeated == 1 else "judgments are"
            what = (
                f"{n_repeated:,} {are} repeated, first {docs[int(rows[place])]!r} for subtopic "
                f"{subtopics[int(subtopic[place])]!r} of query {queries[query_at(offsets, int(rows[place]))]!r}: "
                "the last label counts"
            )
            problems += (Problem("duplicate", n_repeated, what),)
        cells = Cells(
            read_only(np.append(np.searchsorted(cell_starts, starts), cell_starts.size)),
            read_only(subtopic[is_last]),
            read_only(labels[rows[is_last]]),
        )
        highest = np.maximum.reduceat(cells.labels, cells.offsets[:-1]) if starts.size else np.zeros(0)
        chosen = document[starts]
        self._fill(queries, read_only(np.searchsorted(chosen, offsets)), docs.take(chosen), highest, problems)
        self.__dict__.update(cells=cells, subtopic_ids=subtopics)

    @property
    def n_subtopics(self) -> int:
        """Number of pairs of a query and one of its subtopics."""
        query = group_of_each(self.cells.offsets[self.offsets])
        return int(np.unique(query * max(len(self.subtopic_ids), 1) + self.cells.numbers).size)

    def columns(self) -> tuple[Ids, Ids, Ids, Floats]:
        """Return query ids, subtopic ids, document ids and labels, with one row per judgment.

        Returns
        -------
        query_ids, subtopic_ids, doc_ids : Ids
            One id per row.
        labels : float64 array
            One label per row.
        """
        document = group_of_each(self.cells.offsets)
        query = group_of_each(self.offsets)[document]
        subtopic_ids = self.subtopic_ids.take(self.cells.numbers)
        return self.query_ids.take(query), subtopic_ids, self.doc_ids.take(document), self.cells.labels

    def subtopics_of(self, *retrieved: Any) -> Subtopics:
        """Return the subtopics of retrieved documents, for the native core."""
        *documents, run_query, n_threads = retrieved
        rows = _native.judge(
            *self.doc_ids.parts,
            self.offsets,
            *documents,
            judgments=np.arange(self.n_docs, dtype=np.float64),
            run_query=run_query,
            n_threads=n_threads,
        )
        return Subtopics.of(self, np.nan_to_num(rows, nan=-1.0).astype(np.int64))

    def to_nested(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the nested dict {query: {document: {subtopic: label}}}.

        Returns
        -------
        dict
            The judgments.
        """
        names, cells = self.subtopic_ids.tolist(), self.cells
        ends = cells.offsets.tolist()
        numbers, labels = cells.numbers.tolist(), cells.labels.tolist()
        own = [{names[numbers[i]]: labels[i] for i in range(start, end)} for start, end in pairwise(ends)]
        docs, cut = self.doc_ids.tolist(), self.offsets.tolist()
        return {
            query: dict(zip(docs[cut[i] : cut[i + 1]], own[cut[i] : cut[i + 1]], strict=True))
            for i, query in enumerate(self.query_ids)
        }

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SubtopicQrels):
            return self.to_nested() == other.to_nested()
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = {"query": self.n_queries, "document": self.n_docs, "subtopic": self.n_subtopics}
        return f"{type(self).__name__}({', '.join(counted(size, noun) for noun, size in sizes.items())})"


def _labels(own: object, query: object, of: object) -> list[tuple[Any, Any]]:
    """Return pairs (id, label) of the innermost level."""
    if isinstance(own, Mapping):
        return list(own.items())
    if isinstance(own, (set, frozenset, list, tuple)):
        return [(each, 1.0) for each in own]
    raise DataError(f"expected labels by subtopic for {of!r}, got {type(own).__name__}", query=query)


@dataclass(frozen=True, eq=False)
class Subtopics:
    """The subtopics that the documents of lists are judged for.

    Parameters
    ----------
    offsets : int64 array
        Query i of the judgments has the documents ``offsets[i]:offsets[i + 1]``.
    cells : Cells
        The labels of these documents, by subtopic.
    by_id : int64 array
        The same documents, those of each query in descending order of their ids.
    queries : int64 array
        For each query of the lists, its number in the judgments.
    rows : int64 array
        For each document of the lists, its number in the judgments; -1 for an unjudged one.
    """

    offsets: Int64s
    cells: Cells
    by_id: Int64s
    queries: Int64s
    rows: Int64s

    @classmethod
    def of(cls, qrels: SubtopicQrels, rows: Int64s) -> Subtopics:
        """Return the subtopics of lists with a list for each query of the judgments, and these documents."""
        descending = _native.order_by_id(
            np.zeros(qrels.n_docs), qrels.offsets, *qrels.doc_ids.parts, True, resolve_threads(None)
        )
        return cls(qrels.offsets, qrels.cells, descending, np.arange(qrels.n_queries), rows)

    def take(self, places: Int64s) -> Subtopics:
        """Return those of lists with only the documents at these positions."""
        return replace(self, rows=self.rows[places])

    def take_queries(self, queries: Int64s) -> Subtopics:
        """Return those of lists with only these queries; `take` chooses their documents."""
        return replace(self, queries=self.queries[queries])

    def relevant(self, query: int, documents: Int64s, rel: float) -> tuple[RelevantPairs, RelevantPairs]:
        """Return which documents are relevant to which subtopics.

        Subtopics without a relevant document are left out.

        Parameters
        ----------
        query : int
            The position of a query in the lists.
        documents : int64 array
            Positions of documents in the lists, in rank order.
        rel : float
            The lowest label of a relevant document.

        Returns
        -------
        ranked, judged : RelevantPairs
            Those of the given documents, and those of all judged documents with a relevant subtopic, in descending
            order of their ids.
        """
        number = int(self.queries[query])
        first = int(self.offsets[number])
        own = self.by_id[first : self.offsets[number + 1]]
        cells, ends = places(self.cells.offsets, own)
        is_relevant = self.cells.labels[cells] >= rel
        document = group_of_each(ends)[is_relevant]
        subtopics, subtopic = np.unique(self.cells.numbers[cells][is_relevant], return_inverse=True)
        counts = np.bincount(document, minlength=own.size)
        place = np.empty(own.size, np.int64)
        place[own - first] = np.arange(own.size)
        rows = self.rows[documents]
        is_judged = rows >= 0
        pairs, ends = places(offsets_of(counts), place[rows[is_judged] - first])
        rank = np.repeat(np.flatnonzero(is_judged), np.diff(ends))
        judged = (np.cumsum(counts > 0) - 1)[document]
        return (
            RelevantPairs(rank, subtopic[pairs], documents.size, subtopics.size),
            RelevantPairs(judged, subtopic, int(np.count_nonzero(counts)), subtopics.size),
        )

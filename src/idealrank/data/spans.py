"""Spans of text as judgments and runs: every character, or token, of the retrieved chunks is one document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._present.printable import counted
from idealrank._typing import Bytes, Floats, Int64s
from idealrank.data.columns import group_of_each, offsets_of
from idealrank.data.construction import grouped_columns
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.problem import Problem
from idealrank.errors import DataError

_MOST = 10**9  # offsets have nine digits in the id of a character
_MOST_AT_ONCE = 2 * 10**8  # characters of one system
_PER_BLOCK = 1 << 16


@dataclass(frozen=True)
class Spans:
    """Spans of documents, each with a label or a score, grouped by query; `of_rows` makes them.

    Parameters
    ----------
    query_ids : Ids
        One id per query.
    offsets : int64 array
        Query i has the spans ``offsets[i]:offsets[i + 1]``.
    doc_ids : Ids
        The document of each span.
    begins, ends : int64 array
        Where each span begins, counted from 0, and where it ends; the end is not part of it.
    values : float64 array
        One label or score per span.
    """

    query_ids: Ids
    offsets: Int64s
    doc_ids: Ids
    begins: Int64s
    ends: Int64s
    values: Floats

    @classmethod
    def of_rows(
        cls,
        query_ids: Iterable[object],
        doc_ids: Iterable[object],
        begins: npt.ArrayLike,
        ends: npt.ArrayLike,
        values: npt.ArrayLike,
    ) -> Spans:
        """Return spans from columns, whose rows may be in any order.

        Raises
        ------
        DataError
            If an offset is no whole number from 0 to a billion, or a span ends before it begins.

        Examples
        --------
        >>> Spans.of_rows(["q2", "q1", "q2"], ["a", "b", "c"], [0, 5, 7], [3, 6, 9], [1, 1, 2]).begins.tolist()
        [0, 7, 5]
        """
        begin, end = np.asarray(begins, np.float64), np.asarray(ends, np.float64)
        for column in (begin, end):
            bad = np.flatnonzero(~((column >= 0) & (column <= _MOST - 1) & (column == np.rint(column))))
            if bad.size:
                raise DataError(f"an offset must be a whole number from 0, got {column[bad[0]]:g}", row=int(bad[0]))
        if (end < begin).any():
            row = int(np.argmax(end < begin))
            raise DataError(f"a span ends at {end[row]:.0f} before it begins at {begin[row]:.0f}", row=row)
        queries, offsets, docs, order = grouped_columns(query_ids, doc_ids, np.arange(begin.size, dtype=np.float64))
        rows = order.astype(np.int64)
        cut = (begin[rows].astype(np.int64), end[rows].astype(np.int64))
        return cls(queries, offsets, docs, *cut, np.asarray(values, np.float64)[rows])

    def ranked(self) -> Spans:
        """Return the spans of each query by falling score; equal scores keep their order."""
        queries = group_of_each(self.offsets)
        rows = np.lexsort((-self.values, queries))
        columns = (self.begins[rows], self.ends[rows], self.values[rows])
        return Spans(self.query_ids, self.offsets, self.doc_ids.take(rows), *columns)

    def characters(self, documents: CharacterKeys) -> tuple[Int64s, Int64s, Int64s]:
        """Return for each character its span, its key, and its position in the query, from 0."""
        sizes = self.ends - self.begins
        if sizes.sum() > _MOST_AT_ONCE:
            raise DataError(
                f"the spans have {sizes.sum():,} characters, at most {_MOST_AT_ONCE:,} can be evaluated at once: "
                "evaluate fewer queries, or count tokens instead of characters"
            )
        starts = offsets_of(sizes)
        span = np.repeat(np.arange(sizes.size), sizes)
        places = np.arange(span.size)
        offset = places - starts[:-1][span] + self.begins[span]
        position = places - starts[self.offsets[:-1]].repeat(np.diff(starts[self.offsets]))
        return span, documents.numbers(self)[span] * 2 * _MOST + offset, position


class CharacterKeys:
    """The documents of each query in several `Spans`: numbers from 0, in the order of the queries.

    A character has the key ``2 * 10**9 * number + offset``; one that was read before has another key, ``10**9`` above
    its position.

    Parameters
    ----------
    several : iterable of Spans
        The spans.
    """

    def __init__(self, several: Iterable[Spans]) -> None:
        self._several = list(several)
        self.query_ids = Ids.of(dict.fromkeys(query for each in self._several for query in each.query_ids))
        pairs = sorted({pair for each in self._several for pair in self._pairs(each)})
        self._number = {pair: number for number, pair in enumerate(pairs)}
        self.queries = np.array([query for query, _ in pairs], np.int64)
        self.doc_ids = Ids.of([doc for _, doc in pairs])

    def _pairs(self, spans: Spans) -> list[tuple[int, str]]:
        queries = spans.query_ids.index_in(self.query_ids).repeat(np.diff(spans.offsets))
        return list(zip(queries.tolist(), spans.doc_ids, strict=True))

    def numbers(self, spans: Spans) -> Int64s:
        """Return the number of the document of each span."""
        return np.array([self._number[pair] for pair in self._pairs(spans)], np.int64)

    def ids(self, keys: Int64s) -> Ids:
        """Return an id per character: its document, ":" and its offset, or "+" and its position if read before."""
        buffers: list[Bytes] = []
        sizes: list[Int64s] = []
        powers = 10 ** np.arange(8, -1, -1, dtype=np.uint32)
        for start in range(0, keys.size, _PER_BLOCK):
            documents, rest = np.divmod(keys[start : start + _PER_BLOCK], 2 * _MOST)
            again, number = np.divmod(rest, _MOST)
            docs = self.doc_ids.take(documents)
            size = np.diff(docs.offsets) + 10
            tails = np.cumsum(size)[:, None] - np.arange(10, 0, -1)
            text, is_doc = np.empty(size.sum(), np.uint8), np.ones(size.sum(), bool)
            is_doc[tails] = False
            text[is_doc] = docs.buffer
            text[tails[:, 0]] = np.where(again, ord("+"), ord(":"))
            text[tails[:, 1:]] = number.astype(np.uint32)[:, None] // powers % 10 + ord("0")
            buffers.append(text)
            sizes.append(size)
        if not buffers:
            return Ids.of([])
        return Ids(np.concatenate(buffers), offsets_of(np.concatenate(sizes)))


def text_judgments(gold: Spans, retrieved: Mapping[str, Spans]) -> tuple[Qrels, dict[str, Run]]:
    """Return judgments and runs in which the documents are characters.

    A run has the characters of its chunks in the order of reading. A character that was read before takes a place, and
    is not relevant. The label of a character is the highest of the gold spans that cover it; a character that was
    retrieved and that no gold span covers has the label 0.

    Parameters
    ----------
    gold : Spans
        The gold spans, with labels.
    retrieved : mapping of str to Spans
        The chunks of each system, with scores.

    Returns
    -------
    judgments : Qrels
        The labels of all characters of gold spans and of chunks.
    runs : dict of str to Run
        The characters of each system.

    Examples
    --------
    Of the characters 2, 3 and 4, the chunk 0:4 has two. In the second chunk, 3 was read before.

    >>> gold = Spans.of_rows(["q"], ["a"], [2], [5], [1])
    >>> qrels, runs = text_judgments(gold, {"": Spans.of_rows(["q", "q"], ["a", "a"], [0, 3], [4, 5], [9, 8])})
    >>> qrels["q"]["a:000000002"], qrels["q"]["a:000000000"], list(runs[""]["q"])[3:]
    (1.0, 0.0, ['a:000000003', 'a+000000004', 'a:000000004'])
    """
    documents = CharacterKeys([gold, *retrieved.values()])
    runs, keys_of_runs = {}, []
    for name, spans in retrieved.items():
        ranked = spans.ranked()
        _, keys, position = ranked.characters(documents)
        read_before = np.ones(keys.size, bool)
        read_before[np.unique(keys, return_index=True)[1]] = False
        keys = np.where(read_before, keys // _MOST * _MOST + _MOST + position, keys)
        keys_of_runs.append(keys)
        offsets = offsets_of(ranked.ends - ranked.begins)[ranked.offsets]
        runs[name] = Run.from_flat(spans.query_ids, offsets, documents.ids(keys), -position - 1.0, name=name)
    span, keys, _ = gold.characters(documents)
    labels = gold.values[span]
    highest = np.argsort(-labels, kind="stable")
    relevant, first = np.unique(keys[highest], return_index=True)
    every = np.sort(np.concatenate([relevant, *keys_of_runs]))
    every = every[np.diff(every, prepend=-1) > 0]  # faster than np.unique
    values = np.zeros(every.size)
    values[np.searchsorted(every, relevant)] = labels[highest][first]
    # A query without gold spans keeps no judgments, like one without relevant documents.
    queries = documents.queries[every // (2 * _MOST)]
    has_gold = np.isin(queries, documents.queries[relevant // (2 * _MOST)])
    every, values, queries = every[has_gold], values[has_gold], queries[has_gold]
    offsets = np.searchsorted(queries, np.arange(len(gold.query_ids) + 1))  # those of the gold spans come first
    what = (
        f"{counted(len(gold.doc_ids), 'gold span')} and the chunks have offsets, so measures count text, not chunks: a "
        "cutoff is a number of characters (or tokens, if offsets count tokens), and repeated text earns nothing"
    )
    problems = (Problem("evidence", len(gold.doc_ids), what),)
    ids = documents.ids(every)
    return Qrels.from_flat(gold.query_ids, offsets, ids, values, problems=problems), runs

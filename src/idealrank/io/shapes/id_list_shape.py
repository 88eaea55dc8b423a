"""Document ids per query: ranked lists, sets of relevant documents, and lists of (document, number) pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, is_list
from idealrank.data.columns import offsets_of, query_at
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.errors import DataError
from idealrank.io.shapes.shape import Content, Shape

_SETS = (set, frozenset)


class IdListsShape(Shape):
    """{query: ids}, or one list of ids per query, which are then numbered from 0."""

    title = "id lists, {query: [document, ...]}"
    gives: tuple[Content, ...] = ("qrels", "run")

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is a mapping of lists, or a list of lists or sets of ids."""
        if isinstance(value, Mapping):
            return is_list(next(iter(value.values()), None))
        return isinstance(value, (list, tuple)) and any(is_list(each) and is_ids(each) for each in value[:_SEEN])

    def describe(self) -> str:
        """Return lists or sets."""
        return "sets of ids, {query: {document, ...}}" if isinstance(self._first, _SETS) else self.title

    @property
    def _lists(self) -> tuple[Iterable[object], list[Any]]:
        """The query ids, and the documents of each."""
        if isinstance(self.value, Mapping):
            return list(self.value), list(self.value.values())
        return range(len(self.value)), list(self.value)

    @property
    def _first(self) -> Any:
        values = self.value.values() if isinstance(self.value, Mapping) else self.value
        return next(iter(values))

    def qrels(self) -> Qrels:
        """Return the judgments: the label 1, or the number of each pair."""
        queries, lists = self._lists
        numbers, lists = _numbers(queries, lists, "the relevant documents")
        numbers = [1.0] * sum(map(len, lists)) if numbers is None else numbers
        return Qrels.from_flat(Ids.of(queries), *_flat(queries, lists), numbers)

    def run(self) -> Run:
        """Return the run: the scores of pairs, or else scores that fall with the position."""
        return ranked_run(*self._lists)


_SEEN = 100


def is_ids(values: Any) -> bool:
    """Return whether a list holds ids rather than numbers: text, pairs, or a set; empty lists do not tell.

    Examples
    --------
    >>> is_ids(["d1", "d2"]), is_ids([3, 1]), is_ids({3, 1}), is_ids([("d1", 0.5)])
    (True, False, True, True)
    """
    if isinstance(values, _SETS):
        return True
    first = next(iter(values), None)
    return isinstance(first, (str, bytes)) or _is_pair(first)


def ranked_run(queries: Iterable[object], lists: list[Any]) -> Run:
    """Return a run from ranked ids, best first, or from pairs (document, score).

    Parameters
    ----------
    queries : iterable
        One id per query.
    lists : list
        The documents of each query.

    Raises
    ------
    DataError
        If a list is a set, has a document twice, or does not hold ids.

    Examples
    --------
    >>> ranked_run(["u1"], [["b", "c"]])["u1"]
    {'b': -1.0, 'c': -2.0}
    """
    scores, lists = _numbers(queries, lists, "a ranking")
    for query, docs in zip(queries, lists, strict=True):
        if isinstance(docs, _SETS):
            raise DataError(f"a ranking must have an order, got a {type(docs).__name__}: pass a list", query=query)
    query_ids, (offsets, doc_ids) = Ids.of(queries), _flat(queries, lists)
    places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    run = Run.from_flat(query_ids, offsets, doc_ids, -(places + 1) if scores is None else scores)
    if run.problems:
        numbers = np.arange(len(query_ids)).repeat(np.diff(offsets))
        pairs: set[tuple[int, str]] = set()
        for query, doc in zip(numbers.tolist(), doc_ids, strict=True):
            if (query, doc) in pairs:
                raise DataError(
                    f"a ranking must have each document once, got {doc!r} twice: keep its first place",
                    query=query_ids[query],
                )
            pairs.add((query, doc))
    return run


def _is_pair(value: object) -> bool:
    if not isinstance(value, (tuple, list)) or len(value) != 2 or is_list(value[0]):
        return False
    return are_numbers(value[1]) or isinstance(value[1], int)  # one that is too large is refused as a number


def _numbers(queries: Iterable[object], lists: list[Any], what: str) -> tuple[list[Any] | None, list[Any]]:
    """Return the numbers of pairs, or None if the lists hold bare ids, and the lists of ids."""
    for query, docs in zip(queries, lists, strict=True):
        if not is_list(docs):
            raise DataError(f"{what} must be a list of document ids, got {type(docs).__name__}", query=query)
    first = next((next(iter(docs)) for docs in lists if len(docs)), None)
    if not _is_pair(first):
        return None, lists
    for query, docs in zip(queries, lists, strict=True):
        for each in docs:
            if not _is_pair(each):
                raise DataError(f"expected a pair (document, number) like the first, got {each!r}", query=query)
    return [pair[1] for docs in lists for pair in docs], [[doc for doc, _ in docs] for docs in lists]


def _flat(queries: Iterable[object], lists: list[Any]) -> tuple[npt.NDArray[np.int64], Ids]:
    offsets = offsets_of([len(docs) for docs in lists])
    try:
        return offsets, Ids.of(chain.from_iterable(lists))
    except DataError as error:
        query: Any = list(queries)[query_at(offsets, error.row or 0)]
        raise DataError(f"{error.what}; a list given with judgments holds document ids, not scores", query) from None

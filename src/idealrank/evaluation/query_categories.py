"""Categories of queries, by which evaluations are broken down."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank.data.columns import check_query_index
from idealrank.data.judgments import Qrels
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.io.query_values import read_per_query
from idealrank.io.shapes.shape import Shape

__all__ = ["NO_CATEGORY", "By", "Categories", "categories_of", "in_order", "value_of"]

#: Categories of queries: {query id: category}, one per query in the order of the judgments or of the data, a column of
#: the frame that the data is, or a file with a query and its category per line.
By: TypeAlias = Mapping[Any, object] | Sequence[object] | str | os.PathLike[str]
Categories: TypeAlias = Mapping[Any, object] | Sequence[object] | npt.NDArray[Any]

#: The category of queries that have none.
NO_CATEGORY = "(none)"


def categories_of(by: Any, data: Shape) -> Categories:
    """Return the categories that ``by=`` describes: text is a column of the data if it has such a column, else a file.

    Raises
    ------
    DataError
        If there is neither such a column nor such a file, or a query has two categories.
    """
    if not isinstance(by, (str, os.PathLike)):
        return by  # type: ignore[no-any-return]
    name = os.fspath(by)
    if data.column(name) is not None:
        return data.categories(name)
    if not os.path.exists(name):
        raise DataError(f"there is neither a column nor a file {name!r} for by= (--by) in {data.describe()}")
    return read_per_query(name)


def value_of(given: Mapping[Any, Any], query: object) -> Any:
    """Return what a mapping has for a query, whose id may be an integer here and text there; None without an entry.

    Examples
    --------
    >>> value_of({"7": "a"}, 7), value_of({7: "b"}, "7"), value_of({}, "7")
    ('a', 'b', None)
    """
    if query in given:
        return given[query]
    text = str(query)
    if text in given:
        return given[text]
    return given.get(int(text)) if text.isdecimal() else None


def in_order(judged: Qrels | RankingData, given: Categories) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return one category per query, in the order of the judged documents, and a problem if some have none."""
    ids = judged.query_ids.tolist()
    found: list[Any]
    if isinstance(given, Mapping):
        found = [value_of(given, query) for query in ids]
    else:
        check_query_index(given, ids, "categories")
        is_listed = hasattr(given, "__len__") and not isinstance(given, (set, frozenset))
        found = np.asarray(given, object).tolist() if is_listed else []
        if len(found) != len(ids):
            got = f"{len(found):,}" if is_listed else type(given).__name__
            raise OptionError(
                f"by= must have one category per query, {len(ids):,}, or be {{query: category}}, got {got}"
            )
    names = tuple(NO_CATEGORY if _is_none(each) else str(each) for each in found)
    without = [query for query, name in zip(ids, names, strict=True) if name == NO_CATEGORY]
    if len(without) == len(ids) and ids:
        first = next(iter(given), None) if isinstance(given, Mapping) else None
        raise DataError(f"by= has no category for any query: the first query is {ids[0]!r}, its first one is {first!r}")
    if not without:
        return names, ()
    count = "1 query has" if len(without) == 1 else f"{len(without):,} queries have"
    message = f"{count} no category, first {str(without[0])!r}; shown as {NO_CATEGORY}"
    return names, (Problem("query without category", len(without), message, len(ids)),)


def _is_none(value: object) -> bool:
    return value is None or value != value or value == ""  # frames use NaN

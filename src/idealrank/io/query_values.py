"""One value per query, such as a category or a weight: by id, in order, or in a file of text, CSV or JSON."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.columns import check_query_index, weight_column
from idealrank.data.judgments import Qrels
from idealrank.data.lists import located
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.io.files import read_whole

if TYPE_CHECKING:
    from idealrank.io.shapes.shape import Shape

#: Categories of queries: {query id: category}, one per query in the order of the judgments or of the data, a column of
#: the frame that the data is, or a file with a query and its category per line.
By: TypeAlias = Mapping[Any, object] | Sequence[object] | str | os.PathLike[str]
Categories: TypeAlias = Mapping[Any, object] | Sequence[object] | npt.NDArray[Any]
#: One weight per query: by query id, in the order of the judgments or of the data, or in a file with a query and its
#: weight per line.
QueryWeights: TypeAlias = Mapping[Any, float] | npt.ArrayLike | os.PathLike[str]

#: The category of queries that have none.
NO_CATEGORY = "(none)"
_JSON = re.compile(r"\s*\{")


def read_per_query(path: str | os.PathLike[str]) -> dict[str, str]:
    r"""Read one value per query: a line has the query, and after a tab, a comma or blanks the value.

    A comma separates them only if every line has one and no line has a tab or blanks before it. A value may contain
    blanks. Lines that start with ``#`` are comments. A file may also hold a JSON object, {query: value}.

    Parameters
    ----------
    path : path-like
        The file, which may be compressed.

    Returns
    -------
    dict of str to str
        {query id: value}.

    Raises
    ------
    ParseError
        If a line has no value, or a query is repeated with another value.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("types.txt").write_text("q1 question answering\nq2\tnavigational\n")
    >>> read_per_query("types.txt")
    {'q1': 'question answering', 'q2': 'navigational'}
    """
    name = os.fspath(path)
    text = read_whole(path).decode("utf-8-sig", "surrogateescape")
    values: dict[str, str] = {}
    for number, query, value in _json_pairs(text, name) if _JSON.match(text) else _text_pairs(text, name):
        if values.setdefault(query, value) != value:
            raise ParseError(f"the query {query!r} is repeated with another value", name, number)
    if not values:
        raise ParseError("the file has no queries", name)
    return values


def _text_pairs(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    """Yield the number of each line, its query and its value."""
    stripped = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    lines = [(number, line) for number, line in stripped if line and not line.startswith("#")]
    by_comma = all(re.match(r"[^\s,]+,", line) for _, line in lines)
    for number, line in lines:
        query, *value = line.split(",", 1) if by_comma else line.split("\t", 1) if "\t" in line else line.split(None, 1)
        if not value or not value[0].strip():
            raise ParseError(f"expected a query and its value, got {line[:60]!r}", name, number)
        yield number, query.strip(), value[0].strip()


def _json_pairs(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    from idealrank.io.nested_json import parse_json  # which imports json

    content = parse_json(text, name)
    if not isinstance(content, Mapping):
        raise ParseError("expected one JSON object, {query: value}", name)
    for query, value in content.items():
        if isinstance(value, (Mapping, list)) or value is None:
            raise ParseError(f"expected one value for the query {query!r}, got {value!r}", name)
        yield 1, query, str(value)


def read_query_weights(path: str | os.PathLike[str]) -> dict[str, float]:
    r"""Read one weight per query, as `read_per_query` reads values; a first line without a number is a header.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("weights.csv").write_text("query,weight\nq1,2\nq2,0.5\n")
    >>> read_query_weights("weights.csv")
    {'q1': 2.0, 'q2': 0.5}
    """
    weights: dict[str, float] = {}
    for place, (query, text) in enumerate(read_per_query(path).items()):
        try:
            weights[query] = float(text)
        except ValueError:
            if place:
                what = f"the weight of the query {query!r} is not a number: {text!r}"
                raise ParseError(what, os.fspath(path)) from None
    return weights


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


def categories_in_order(judged: Qrels | RankingData, given: Categories) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
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


def weights_in_order(judged: Qrels | RankingData, given: QueryWeights) -> Floats:
    """Return one weight per query, in the order of the judged documents."""
    ids = judged.query_ids.tolist()
    if isinstance(given, (str, os.PathLike)):
        given = read_query_weights(given)
    if isinstance(given, Mapping):
        found = [value_of(given, query) for query in ids]
        if None in found:
            raise DataError("query_weights has no weight for a query", query=ids[found.index(None)])
        given = found
    check_query_index(given, ids, "query_weights")
    try:
        weights = weight_column(given, len(ids), "query_weights", "query")
    except DataError as error:
        raise located(error, judged.query_ids, None) from None
    if not weights.any():
        raise DataError("query_weights are all 0: no query counts")
    return weights


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

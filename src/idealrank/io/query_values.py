"""Files with one value per query, such as a category or a weight: text, CSV with a header, or JSON."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from idealrank.errors import ParseError
from idealrank.io.files import read_whole

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
                raise ParseError(f"the weight of the query {query!r} is no number: {text!r}", os.fspath(path)) from None
    return weights

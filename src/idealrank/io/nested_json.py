"""Judgments or a run as JSON: {query: {document: number}}, or {query: {document: {subtopic: label}}}."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from idealrank.data.judgments import Qrels, Run
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError, ParseError
from idealrank.io.files import Progress, Source, atomic_output, display_name, read_whole
from idealrank.io.formats import Format, Nested


def read_json(path: Source, *, content: str | None = None, progress: Progress | None = None) -> Qrels | Run:
    r"""Read judgments or a run from JSON: {query: {document: number}}.

    Parameters
    ----------
    path : path-like or binary file
        The file, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    content : {"qrels", "run"}, optional
        What the numbers are: labels or scores. By default, they are labels if all are whole, and scores otherwise.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Returns
    -------
    Qrels or Run
        `SubtopicQrels` for {query: {document: {subtopic: label}}}.

    Raises
    ------
    ParseError
        If the text is not valid JSON of this form; the message starts with the path.

    Examples
    --------
    >>> import io
    >>> read_json(io.BytesIO(b'{"q1": {"d1": 2, "d2": 0}}')), read_json(io.BytesIO(b'{"q1": {"d1": 0.5}}'))
    (Qrels(1 query, 2 documents), Run(1 query, 1 document))
    """
    queries = load_json(path, progress=progress)
    name = display_name(path)
    if not isinstance(queries, Mapping) or not all(isinstance(docs, Mapping) for docs in queries.values()):
        raise ParseError("expected an object {query: {document: number}}", name)
    numbers = [number for docs in queries.values() for number in docs.values()]
    try:
        if content != "run" and any(isinstance(number, Mapping) for number in numbers):
            return SubtopicQrels(queries)
        is_whole = all(
            isinstance(number, int) or (isinstance(number, float) and number.is_integer()) for number in numbers
        )
        return Run(queries) if content == "run" or (content is None and not is_whole) else Qrels(queries)
    except DataError as error:
        raise ParseError(str(error), name) from None


def load_json(path: Source, *, progress: Progress | None = None) -> Any:
    """Return the content of a JSON file, or a list with that of each line; see `parse_json`."""
    return parse_json(read_whole(path, progress=progress).decode("utf-8-sig", "surrogateescape"), display_name(path))


def parse_json(text: str, name: str, line: int = 0) -> Any:
    """Return the value that JSON describes, in which no entry is lost because its key is repeated.

    Objects under the same key are merged; an object that has several numbers under one key becomes `Pairs`.

    Parameters
    ----------
    text : str
        JSON, or one JSON value per line.
    name : str
        The file, for errors.
    line : int
        The number of the line if the text is only one, else 0.

    Raises
    ------
    ParseError
        If the text is not valid JSON, or other values than objects and numbers have the same key.

    Examples
    --------
    >>> parse_json('{"q": {"a": 1}, "q": {"b": 1}}', "x")
    {'q': {'a': 1, 'b': 1}}
    >>> parse_json('{"a": 1, "a": 2}', "x").items()
    [('a', 1), ('a', 2)]
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and not line:
            lines = enumerate(text.split("\n"), start=1)
            return [parse_json(each, name, number) for number, each in lines if each.strip()]
        raise ParseError(f"not valid JSON: {error.msg}", name, line or error.lineno, error.colno) from None
    except RecursionError:
        raise ParseError("not valid JSON: objects or lists are nested too deeply", name, line or 1) from None
    except ValueError as error:  # a repeated key, or an integer of thousands of digits
        raise ParseError(f"cannot be read: {error}", name, line or 1) from None


class Pairs(Mapping[str, Any]):
    """A JSON object in which keys are repeated: its pairs, in order; a repeated key has no value of its own.

    Parameters
    ----------
    pairs : list of tuple
        Keys and values.
    """

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self._pairs = pairs

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, key: str) -> Any:
        values = [value for each, value in self._pairs if each == key]
        if len(values) > 1:
            raise DataError(f"the key {key!r} is repeated in one JSON object")
        return dict(self._pairs)[key]

    def items(self) -> list[tuple[str, Any]]:  # type: ignore[override]
        """Return all pairs."""
        return self._pairs

    def values(self) -> list[Any]:  # type: ignore[override]
        """Return the values of all pairs."""
        return [value for _, value in self._pairs]


def _object(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    by_key: dict[str, list[Any]] = {}
    for key, value in pairs:
        by_key.setdefault(key, []).append(value)
    merged: list[tuple[str, Any]] = []
    for key, values in by_key.items():
        if len(values) > 1 and all(isinstance(value, Mapping) for value in values):
            values = [_object([pair for value in values for pair in value.items()])]
        elif len(values) > 1 and not all(isinstance(value, (int, float)) for value in values):
            raise ValueError(f"the key {key[:60]!r} is repeated in one object")
        merged += ((key, value) for value in values)
    return dict(merged) if len(merged) == len(by_key) else Pairs(merged)


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def write_json(data: Qrels | Run, path: str | os.PathLike[str]) -> None:
    """Write judgments or a run so that `read_json` gives them back; the name of a run is left out.

    Parameters
    ----------
    data : Qrels or Run
        The judgments or the run; those by subtopic have one level more.
    path : path-like
        The output file, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.

    Examples
    --------
    >>> from pathlib import Path
    >>> write_json(Qrels({"q1": {"d1": 2, "d2": 0}}), "qrels.json")
    >>> print(Path("qrels.json").read_text(), end="")
    {"q1": {"d1": 2, "d2": 0}}
    """
    if not isinstance(data, (Qrels, Run)):
        raise DataError(f"expected Qrels or a Run, got {type(data).__name__}")
    queries: Mapping[str, Mapping[str, Any]] = data.to_nested() if isinstance(data, SubtopicQrels) else data.to_dict()
    with atomic_output(path) as file:
        for place, (query, docs) in enumerate(queries.items()):
            start = "{" if place == 0 else ",\n "
            file.write(f"{start}{json.dumps(query)}: {json.dumps(_plain(docs, data))}".encode())
        file.write(b"}\n" if queries else b"{}\n")


def _plain(docs: Mapping[str, Any], data: Qrels | Run) -> dict[str, Any]:
    """Return labels that are whole as integers; scores stay as they are."""
    if isinstance(data, Run):
        return dict(docs)
    return {
        doc: _plain(label, data) if isinstance(label, Mapping) else int(label) if label == int(label) else label
        for doc, label in docs.items()
    }


JSON = Format("json", Nested, rb"(?:\xef\xbb\xbf)?\s*[\[{]", read_json, write_json, options=("content", "progress"))

"""What the text formats mean, read one byte string at a time: no code of the package is used here.

Lines end with LF; blanks are spaces and tabs, and carriage returns at the end of a line count as blanks. A UTF-8 byte
order mark before the first line is ignored. A line that begins with '#' is a comment.
"""

import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import numpy as np

__all__ = ["LetorRows", "RefusedError", "TrecRows", "number_at", "parse_letor", "parse_numbers", "parse_trec"]

_NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])"
)
_BLANKS = b" \t"


class RefusedError(Exception):
    """A file that a reader must refuse, with the line that it must name; None if any line will do."""

    def __init__(self, line: int | None) -> None:
        super().__init__(line)
        self.line = line


def number_at(text: bytes, start: int = 0) -> tuple[float, int] | None:
    """Return the number that stands there, as Python reads it, and where it ends; None if there is none."""
    found = _NUMBER.match(text, start)
    return (float(found[0]), found.end()) if found else None


def _whole_number(text: bytes) -> float | None:
    """Return the number that the text is, if that is all it is."""
    found = number_at(text)
    return found[0] if found and found[1] == len(text) else None


class _Line(NamedTuple):
    number: int
    text: bytes
    is_comment: bool

    def refuse(self) -> NoReturn:
        raise RefusedError(self.number)


def _lines(content: bytes) -> list[_Line]:
    if content.startswith((b"\x1f\x8b", b"\xfd7zXZ\x00")):  # no drawn bytes after these are compressed data
        raise RefusedError(None)
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [
        _Line(number, line.rstrip(b" \t\r").lstrip(_BLANKS), line.startswith(b"#"))
        for number, line in enumerate(lines, 1)
    ]


def _fields(text: bytes) -> list[bytes]:
    return [field for field in re.split(rb"[ \t]+", text) if field]


def parse_numbers(content: bytes, *, counts: bool = False) -> list[float]:
    """One number per line, none of them lost: an empty line is an error."""
    numbers = []
    for line in _lines(content):
        if line.is_comment:
            continue
        value = _whole_number(line.text)
        if value is None or not math.isfinite(value):
            line.refuse()
        if counts and not (value >= 0 and value == math.floor(value) and value <= 2**53):
            line.refuse()
        numbers.append(value)
    if not numbers:
        raise RefusedError(None)
    return numbers


@dataclass
class TrecRows:
    """{query: {document: value}} in the order of the file; the tag of its last line; counts of other lines.

    If a document is repeated in a query, its last value counts.
    """

    queries: dict[bytes, dict[bytes, float]] = field(default_factory=dict)
    tag: bytes = b""
    n_repeated: int = 0
    n_comments: int = 0


def parse_trec(content: bytes, *, is_run: bool) -> TrecRows:
    """``query iteration document label``, or ``query Q0 document rank score tag`` and what may follow the tag."""
    rows = TrecRows()
    for line in _lines(content):
        if line.is_comment:
            rows.n_comments += 1
            continue
        if not line.text:
            continue
        fields = _fields(line.text)
        if len(fields) < 6 if is_run else len(fields) != 4:
            line.refuse()
        value = _whole_number(fields[4 if is_run else 3])
        if value is None or not math.isfinite(value):
            line.refuse()
        docs = rows.queries.setdefault(fields[0], {})
        rows.n_repeated += fields[2] in docs
        docs[fields[2]] = value
        rows.tag = fields[5] if is_run else b""
    if not rows.queries:
        raise RefusedError(None)
    return rows


@dataclass
class LetorRows:
    """One entry per line with a document; ``queries`` is None if no line has a query id."""

    labels: list[float] = field(default_factory=list)
    queries: list[bytes] | None = None
    features: list[dict[int, float]] = field(default_factory=list)
    docs: list[bytes] = field(default_factory=list)
    n_nan: int = 0
    n_infinite: int = 0


def parse_letor(content: bytes, n_features_max: int = 100_000) -> LetorRows:
    """``label qid:Q id:value ... #docid = D``; either all lines have a query id, or none has."""
    rows = LetorRows()
    for line in _lines(content):
        if line.is_comment or not line.text or line.text.startswith(b"#"):
            continue
        text = line.text
        found = number_at(text)
        if found is None or not math.isfinite(found[0]) or text[found[1] : found[1] + 1] not in (b"", b" ", b"\t"):
            line.refuse()
        rest = text[found[1] :].lstrip(_BLANKS)
        has_query = rest.startswith(b"qid:")
        if not rows.labels and has_query:
            rows.queries = []
        if has_query != (rows.queries is not None):
            line.refuse()
        if rows.queries is not None:
            query = _fields(rest)[0][4:]
            if not query:
                line.refuse()
            rows.queries.append(query)
            rest = rest[4 + len(query) :].lstrip(_BLANKS)
        rows.labels.append(found[0])
        rows.features.append(_letor_features(rest, line, n_features_max, rows))
    if not rows.labels:
        raise RefusedError(None)
    if rows.queries is None:  # group sizes would have to come from elsewhere
        raise RefusedError(None)
    return rows


def _letor_features(rest: bytes, line: _Line, n_features_max: int, rows: LetorRows) -> dict[int, float]:
    features: dict[int, float] = {}
    repeated = False
    while rest and not rest.startswith(b"#"):
        name = re.match(rb"([0-9]+):", rest)
        if name is None or not 1 <= int(name[1]) <= n_features_max:
            line.refuse()
        rest = rest[name.end() :]
        found = number_at(rest) or ((math.nan, 4) if rest.startswith(b"NULL") else None)
        if found is None or rest[found[1] : found[1] + 1] not in (b"", b" ", b"\t", b"#"):
            line.refuse()
        with np.errstate(over="ignore"):
            value = float(np.float32(found[0]))
        rows.n_nan += math.isnan(value)
        rows.n_infinite += math.isinf(value)
        repeated = repeated or int(name[1]) in features
        features[int(name[1])] = value
        rest = rest[found[1] :].lstrip(_BLANKS)
    if repeated:
        line.refuse()
    rows.docs.append(_document(rest))
    return features


def _document(comment: bytes) -> bytes:
    _, word, after = comment.partition(b"docid")
    after = after.lstrip(_BLANKS)
    if not word or not after.startswith(b"="):
        return b""
    fields = _fields(after[1:])
    return fields[0] if fields else b""

"""`read_json` against Python's json module, which keeps all pairs: repeated keys, odd numbers, damaged text."""

import io
import json
import math
from collections.abc import Iterator
from random import Random
from typing import Any

import idealrank as ir
from fuzzing.core import Target
from fuzzing.shrinking import fewer_bytes
from fuzzing.texts import damaged
from idealrank.errors import DataError, ParseError
from idealrank.io.nested_json import read_json

_KEYS = ["q1", "q2", "d1", "d2", "7", "007", "a b", "", "ü", "\\u00fc", '\\"', "\\ud83d\\ude00", "\\n", "\\\\", "#x"]
_ODD_KEYS = ["\\ud800", "\\udc00x", "\\u0000", "\\ud800\\ud800", "\\/", "\\x"]
_NUMBERS = ["0", "1", "2", "3", "0.5", "-1", "1e3", "1E-2", "1.0", "-0", "-0.0", "1e-320", "0.1", "1e22"]
_ODD = ["9007199254740993", "9007199254740992", "1e308", "1e309", "NaN", "Infinity", "-Infinity", "1" + "0" * 400]
_ODD += ["true", "null", '"1"', "[]", "{}", "01", "+1", ".5", "1.", '{"s": 1}', "1" + "0" * 4300]
_BLANKS = ["", "", "", " ", "\n", "\t", "\r\n"]


def draw(rng: Random) -> Iterator[bytes]:
    for _ in range(40):
        docs = [_object(rng, [_pair(rng, _number(rng)) for _ in range(_few(rng))]) for _ in range(_few(rng))]
        text = _object(rng, [_pair(rng, each) for each in docs])
        if rng.random() < 0.05:
            text = "\n".join([text] * rng.randint(2, 3))  # JSON lines
        start = "\ufeff" if rng.random() < 0.05 else ""
        yield damaged(f"{start}{text}{rng.choice(_BLANKS)}".encode(), rng, 0.2)


def _few(rng: Random) -> int:
    return rng.choice([0, 1, 1, 2, 2, 3, 5])


def _pair(rng: Random, value: str) -> str:
    key = rng.choice(_ODD_KEYS if rng.random() < 0.01 else _KEYS[: rng.choice([3, len(_KEYS)])])
    return f'{rng.choice(_BLANKS)}"{key}"{rng.choice(_BLANKS)}:{rng.choice(_BLANKS)}{value}{rng.choice(_BLANKS)}'


def _object(rng: Random, pairs: list[str]) -> str:
    return f"{{{','.join(pairs) or rng.choice(_BLANKS)}}}"


def _number(rng: Random) -> str:
    return rng.choice(_ODD if rng.random() < 0.02 else _NUMBERS)


class _Object(list[tuple[str, Any]]):
    """All pairs of an object."""


def _pairs(content: bytes) -> list[tuple[str, str, Any]] | None:
    """Return query, document and value of every entry; None if the text is no JSON of this form."""
    try:
        queries = json.loads(content.decode("utf-8-sig", "surrogateescape"), object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        return None
    if not isinstance(queries, _Object) or not all(isinstance(docs, _Object) for _, docs in queries):
        return None
    return [(query, doc, value) for query, docs in queries for doc, value in docs]


def _is_plain(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 2**53 and math.isfinite(value)


def _read(content: bytes, kind: str) -> Any:
    try:
        return read_json(io.BytesIO(content), content=kind)
    except ParseError:
        return None


def _made(kind: str, queries: Any) -> Any:
    try:
        return (ir.Qrels if kind == "qrels" else ir.Run)(queries)
    except DataError:
        return None


def check(content: bytes) -> int:
    pairs = _pairs(content)
    if pairs is not None and any(isinstance(value, _Object) for *_, value in pairs):
        _read(content, "qrels")  # judgments by subtopic
        return 1
    for kind in ("qrels", "run"):
        got = _read(content, kind)
        if pairs is None:
            assert got is None, f"read {got!r} from text that is no JSON of this form"
            continue
        merged: dict[str, dict[str, Any]] = {}
        for query, _ in json.loads(content.decode("utf-8-sig", "surrogateescape"), object_pairs_hook=_Object):
            merged.setdefault(query, {})
        for query, doc, value in pairs:
            merged[query][doc] = value
        expected = _made(kind, merged)
        if all(_is_plain(value) for *_, value in pairs):
            assert (got is None) == (expected is None), f"{kind}: {got!r}, but dicts: {expected!r}"
        if got is None or expected is None:
            assert got is None, f"{kind}: {got!r}, but dicts are refused"
            continue
        if -math.inf in (value for *_, value in pairs):  # becomes less than the others, repeated ones too
            continue
        assert got == expected, f"{kind}: {got.to_dict()}, but dicts: {expected.to_dict()}"
        n_repeated = len(pairs) - sum(map(len, merged.values()))
        assert sum(problem.count for problem in got.problems if problem.kind == "duplicate") == n_repeated
    return 2


TARGET = Target(draw, check, fewer_bytes)

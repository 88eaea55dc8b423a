"""`read_csv` against Python's csv module."""

import csv
import io
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

import idealrank as ir
from fuzzing.core import Target
from fuzzing.shrinking import fewer_bytes
from fuzzing.texts import damaged
from idealrank.errors import ParseError

_HEADER = ["qid", "label", "score", "f1"]
_IDS = ["q1", "q2", "7", "007", "a b", "a,b", 'say "x"', "line\nend", "#x", "ü", "=1+1", " q"]
_NUMBERS = ["0", "1", "2", "0.5", "-1.25", "1e3", "1e-320", "1e300", "0.30000000000000004", "+1", "5.", ".5", "-0"]


def draw(rng: Random) -> Iterator[bytes]:
    for _ in range(8):
        out = io.StringIO()
        quoting: Any = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
        writer = csv.writer(out, quoting=quoting, lineterminator=rng.choice(["\n", "\r\n"]))
        writer.writerow(_HEADER)
        ids = rng.sample(_IDS, 2) if rng.random() < 0.7 else [str(rng.randint(0, 99)), "12"]
        for _ in range(rng.randint(0, 5)):
            writer.writerow([rng.choice(ids), *(rng.choice(_NUMBERS) for _ in range(3))])
        yield damaged(out.getvalue().encode(), rng, 0.3)


def _expected(content: bytes) -> list[tuple[str, float, float, float]] | None:
    """Return the rows if nothing about the file is in doubt; None if a reader may refuse it or read it its own way."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    if any(byte in text for byte in "\0\r\x0b\x0c\x1c\x1d\x1e\x85\ufeff\u2028\u2029") or not text.endswith("\n"):
        return None
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None
    if not rows or rows[0] != _HEADER or any(len(row) != 4 for row in rows) or len(rows) < 2:
        return None
    quoted = io.StringIO()
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        quoted = io.StringIO()
        csv.writer(quoted, quoting=quoting, lineterminator="\n").writerows(rows)
        if quoted.getvalue() == text:
            break
    else:  # quotes in odd places
        return None
    found = []
    for query, *numbers in rows[1:]:
        if not query or any(number not in _NUMBERS for number in numbers):
            return None
        label, score, feature = map(float, numbers)
        found.append((query, label, score, feature))
    return found


def check(content: bytes) -> int:
    expected = _expected(content)
    if expected is None:
        try:
            data = ir.io.read_csv(io.BytesIO(content))
        except ParseError:
            return 1
        assert data.offsets[-1] == data.n_docs
        assert np.isfinite(data.labels).all()
        return 1
    with np.errstate(over="ignore"):
        fits = np.isfinite(np.array([row[3] for row in expected], np.float32)).all()
    if not fits:
        try:
            data = ir.io.read_csv(io.BytesIO(content))
        except ParseError:
            return 1
        raise AssertionError(f"read {data!r}, but a feature does not fit in float32")
    data = ir.io.read_csv(io.BytesIO(content))
    rows: dict[str, list[tuple[str, float, float, float]]] = {}
    for row in expected:
        rows.setdefault(row[0], []).append(row)
    assert list(map(str, data.query_ids)) == list(rows), (list(data.query_ids), list(rows))
    flat = [row for of_query in rows.values() for row in of_query]
    assert data.labels.tolist() == [row[1] for row in flat]
    assert data.scores is not None
    assert data.scores.tolist() == [row[2] for row in flat]
    features = np.array([row[3] for row in flat], np.float32)
    assert np.asarray(data.features)[:, 0].tolist() == features.tolist(), (data.features, features)
    return 1


TARGET = Target(draw, check, fewer_bytes)

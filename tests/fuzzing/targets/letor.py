"""`read_letor`, dense and sparse, with small and with the largest limits, against the reference parser."""

import io
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np

import idealrank as ir
from fuzzing.core import Target
from fuzzing.references.text import LetorRows, RefusedError, parse_letor
from fuzzing.refusals import check_refusal
from fuzzing.shrinking import fewer_bytes
from fuzzing.texts import damaged, number, small_number, word

_MOST = 2**31 - 1


def draw(rng: Random) -> Iterator[bytes]:
    numbers = [number(rng) for _ in range(80)]
    for _ in range(40):
        queries = [word(rng) for _ in range(rng.randint(1, 3))]
        lines = [_line(rng, rng.choice(queries), numbers) for _ in range(rng.randint(0, 6))]
        yield damaged(rng.choice([b"\n", b"\n", b"\r\n"]).join(lines) + rng.choice([b"", b"\n"]), rng)


def _line(rng: Random, query: bytes, numbers: list[bytes]) -> bytes:
    fields = [small_number(rng), *([b"qid:" + query] if rng.random() < 0.98 else [])]
    feature = 0
    for _ in range(rng.choice([0, 1, 2, 5, 20])):
        feature = feature + 1 if rng.random() < 0.8 else rng.choice([1, 7, 999, 1000, 1001, 99_999, 100_000, _MOST])
        fields.append(b"%d:%b" % (feature, rng.choice(numbers)))
    line = rng.choice([b" ", b" ", b"  ", b"\t"]).join(fields)
    if rng.random() < 0.5:
        line += rng.choice([b" #docid = %b", b"#docid=%b", b" # docid = %b inc = 1", b" #%b"]) % word(rng)
    return line


def check(content: bytes) -> int:
    for sparse, most in ((False, 1000), (True, 100_000), (True, _MOST)):
        read = partial(ir.read_letor, sparse=sparse, n_features_max=most)
        try:
            expected = parse_letor(content, most)
        except RefusedError as refused:
            check_refusal(partial(read, io.BytesIO(content)), refused)
            continue
        _same(read(io.BytesIO(content)), expected, sparse)
    return 3


def _same(data: ir.RankingData, expected: LetorRows, sparse: bool) -> None:
    assert expected.queries is not None
    rows: dict[bytes, list[int]] = {}
    for row, query in enumerate(expected.queries):
        rows.setdefault(query, []).append(row)
    order = [row for of_query in rows.values() for row in of_query]
    names = [query.decode("utf-8", "surrogateescape") for query in rows]
    assert list(map(str, data.query_ids)) == names, (list(data.query_ids), names)
    assert data.offsets.tolist() == np.cumsum([0, *map(len, rows.values())]).tolist()
    assert data.labels.tolist() == [expected.labels[row] for row in order], data.labels
    docs = [expected.docs[row].decode("utf-8", "surrogateescape") for row in order]
    assert (list(data.doc_ids) if data.doc_ids is not None else [""] * len(docs)) == docs
    width = max((max(row, default=0) for row in expected.features), default=0)
    features: Any = data.features
    assert features.shape == (len(order), width), (features.shape, width)
    for position, row in enumerate(order):
        if sparse:
            begin, end = features.indptr[position], features.indptr[position + 1]
            found = dict(zip((features.indices[begin:end] + 1).tolist(), features.data[begin:end], strict=True))
        else:
            found = {column: features[position, column - 1] for column in expected.features[row]}
            assert np.count_nonzero(features[position]) == sum(v != 0 for v in expected.features[row].values())
        wanted = expected.features[row]
        assert found.keys() == wanted.keys(), (found, wanted)
        for column, value in wanted.items():
            assert np.float32(value).tobytes() == found[column].tobytes() or np.isnan([value, found[column]]).all()
    counts = {problem.kind: problem.count for problem in data.problems}
    assert counts.get("missing value", 0) == expected.n_nan, counts
    assert counts.get("infinite value", 0) == expected.n_infinite, counts


TARGET = Target(draw, check, fewer_bytes)

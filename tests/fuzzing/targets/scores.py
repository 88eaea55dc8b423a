"""`read_scores` and `read_groups` against the reference parser."""

import io
from collections.abc import Iterator
from functools import partial
from random import Random

import numpy as np

import idealrank as ir
from fuzzing.core import Target
from fuzzing.references.text import RefusedError, parse_numbers
from fuzzing.refusals import check_refusal
from fuzzing.shrinking import fewer_bytes
from fuzzing.texts import damaged, number


def draw(rng: Random) -> Iterator[bytes]:
    for _ in range(50):
        lines = [number(rng) for _ in range(rng.randint(0, 8))]
        if rng.random() < 0.4:
            lines = [b"%d" % rng.choice([0, 1, 7, 2**31, 2**53, 2**53 + 2]) for _ in lines]
        yield damaged(b"\n".join(lines) + rng.choice([b"", b"\n"]), rng, 0.3)


def check(content: bytes) -> int:
    for read, counts in ((ir.io.read_scores, False), (ir.io.read_groups, True)):
        try:
            expected = parse_numbers(content, counts=counts)
        except RefusedError as refused:
            check_refusal(partial(read, io.BytesIO(content)), refused)
            continue
        found = read(io.BytesIO(content))
        assert found.tobytes() == np.array(expected).astype(found.dtype).tobytes(), (found, expected)
    return 2


TARGET = Target(draw, check, fewer_bytes)

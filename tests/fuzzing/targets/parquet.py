"""Damaged Parquet files: `read_parquet` gives consistent data, or an error of the package."""

import functools
import io
from collections.abc import Iterator
from random import Random

import numpy as np

import idealrank as ir
from fuzzing.core import Target
from fuzzing.shrinking import fewer_bytes
from idealrank.errors import IdealrankError


@functools.cache
def files() -> tuple[bytes, ...]:
    """Small files of several layouts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    tables = [
        pa.table({"qid": ["a", "a", "b"], "label": [1.0, 0.0, 2.0], "score": [0.5, 0.25, 1.0]}),
        pa.table({"qid": np.repeat([3, 5], 20), "label": rng.integers(0, 3, 40), "f1": rng.normal(size=40)}),
        pa.table({"qid": ["x", "y"], "label": [1, 0], "doc": ["d1", "d2"], "f": [[1.0, 2.0], [3.0, 4.0]]}),
    ]
    written = []
    for table in tables:
        for options in ({}, {"compression": "none", "use_dictionary": False}, {"row_group_size": 1}):
            file = io.BytesIO()
            pq.write_table(table, file, write_page_checksum=True, **options)
            written.append(file.getvalue())
    return tuple(written)


def draw(rng: Random) -> Iterator[bytes]:
    for _ in range(12):
        content = bytearray(rng.choice(files()))
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            i = rng.randrange(len(content))
            kind = rng.randrange(4)
            if kind == 0:
                content[i] ^= 1 << rng.randrange(8)
            elif kind == 1:
                content[i] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
            elif kind == 2:
                del content[i : i + rng.choice([1, 2, 16])]
            else:
                content[i:i] = rng.randbytes(rng.choice([1, 4]))
        yield bytes(content)


def check(content: bytes) -> int:
    try:
        data = ir.io.read_parquet(io.BytesIO(content))
    except IdealrankError:
        return 1
    assert data.offsets[0] == 0
    assert data.offsets[-1] == data.n_docs == data.labels.size
    assert (np.diff(data.offsets) > 0).all()
    assert np.isfinite(data.labels).all()
    assert len(data.query_ids) == data.n_queries
    list(data.query_ids)
    return 1


TARGET = Target(draw, check, fewer_bytes)

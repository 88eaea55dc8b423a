"""Any bytes at all: a reader gives consistent data or a ParseError, and nothing else."""

import io
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import idealrank as ir
from idealrank.errors import ParseError

# Bytes that files are made of come up far more often than chance would have it.
plain = b"1|0|2.5|-1e3| |\t|\n|\r\n|qid:|qid:7|1:|3:0.5|NULL|nan|#|#docid = |Q0|d1|x|:|e|.|\x00|\xff|99999999999".split(
    b"|"
)
pieces = st.sampled_from([*plain, b"\x1f\x8b", b"\xfd7zXZ\x00"])
junk = st.one_of(st.binary(max_size=200), st.lists(pieces, max_size=40).map(b"".join))


def check_letor(data: ir.RankingData) -> None:
    assert data.offsets[-1] == data.n_docs == data.known_features().shape[0]
    assert len(data.query_ids) == data.n_queries
    assert np.isfinite(data.labels).all()
    assert (np.diff(data.offsets) > 0).all()


def check_table(table: ir.Qrels | ir.Run) -> None:
    assert table.offsets[-1] == len(table.doc_ids) > 0
    assert (np.diff(table.offsets) > 0).all()
    assert sum(map(len, table.to_dict().values())) == table.n_docs


def check_numbers(numbers: npt.NDArray[np.float64]) -> None:
    assert np.isfinite(numbers).all()


READERS: list[tuple[Callable[..., object], Callable[..., None]]] = [
    (ir.read_letor, check_letor),
    (lambda file: ir.read_letor(file, sparse=True), check_letor),
    (ir.read_qrels, check_table),
    (ir.read_run, check_table),
    (ir.io.read_scores, check_numbers),
    (ir.io.read_groups, check_numbers),
]


@pytest.mark.parametrize(("read", "check"), READERS)
@settings(max_examples=300)
@given(junk)
@example(b"")
@example(b"\n")
@example(b"1 qid:1 1:\n")
@example(b"1 qid:1 #docid =")
@example(b"1 qid:1 #docid")
@example(b"0 qid:1\r")
def test_arbitrary_bytes_give_data_or_a_parse_error(
    read: Callable[..., object], check: Callable[..., None], content: bytes
) -> None:
    try:
        data = read(io.BytesIO(content))
    except ParseError as error:
        place = (error.line, error.column)
    else:
        place = (1, 1)
        check(data)
    assert min(place) >= 1


@pytest.mark.parametrize(("read", "check"), READERS)
@given(junk, st.integers(8, 60))
def test_where_blocks_end_makes_no_difference(
    read: Callable[..., object], check: Callable[..., None], content: bytes, block_size: int
) -> None:
    def outcome() -> object:
        try:
            data = read(io.BytesIO(content))
        except ParseError as error:
            return str(error)
        return data.tolist() if isinstance(data, np.ndarray) else repr(data)

    whole = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idealrank.io.files._BLOCK_SIZE", block_size)
        assert outcome() == whole

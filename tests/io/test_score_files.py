import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import finite

import idealrank as ir
from idealrank.errors import ParseError


@given(st.lists(finite, min_size=1))
def test_scores_read_back_the_same(tmp_path_factory: pytest.TempPathFactory, scores: list[float]) -> None:
    path = tmp_path_factory.mktemp("scores") / "scores.txt.gz"
    ir.io.write_scores(scores, path)
    assert_array_equal(ir.io.read_scores(path), scores)


def test_group_sizes_read_back_the_same(tmp_path: Path) -> None:
    ir.io.write_groups([3, 0, 12], tmp_path / "x.query")
    assert ir.io.read_groups(tmp_path / "x.query").tolist() == [3, 0, 12]
    assert ir.io.read_groups(tmp_path / "x.query").dtype == np.int64


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (b"", "1:1", "empty"),
        (b"1\n\n2\n", "2:1", "one score, a finite number, got the end of the line"),
        (b"1\nx\n", "2:1", "got 'x'"),
        (b"1 2\n", "1:1", "one score"),
        (b"nan\n", "1:1", "finite number, got 'nan'"),
    ],
)
def test_bad_scores_are_refused_at_their_place(text: bytes, place: str, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        ir.io.read_scores(io.BytesIO(text))
    assert str(caught.value).startswith(f"<file>:{place}: ")


@pytest.mark.parametrize("text", [b"1.5\n", b"-1\n", b"nan\n", b"1e300\n", b"x\n"])
def test_bad_group_sizes_are_refused(text: bytes) -> None:
    with pytest.raises(ParseError, match="whole number from 0"):
        ir.io.read_groups(io.BytesIO(text))

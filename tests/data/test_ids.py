import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealrank.data.ids import Ids
from idealrank.errors import DataError

texts = st.lists(st.text(max_size=9))


@given(texts)
def test_reads_as_the_list_it_was_made_of(values: list[str]) -> None:
    ids = Ids.of(values)
    assert ids.tolist() == values
    assert [ids[i] for i in range(len(ids))] == values
    assert ids == Ids.of(values)
    assert pickle.loads(pickle.dumps(ids)) == ids


@given(texts.filter(bool), st.data())
def test_take_picks_rows(values: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(values) - 1)))
    assert Ids.of(values).take(np.array(rows, np.int64)).tolist() == [values[row] for row in rows]


@given(texts)
def test_numbers_count_distinct_ids_as_they_first_appear(values: list[str]) -> None:
    numbers, distinct = Ids.of(values).numbered()
    expected = list(dict.fromkeys(values))
    assert distinct.tolist() == expected
    assert [expected[number] for number in numbers] == values


@given(texts, texts)
def test_index_in_finds_the_first_place(wanted: list[str], others: list[str]) -> None:
    found = Ids.of(wanted).index_in(Ids.of(others))
    assert found.tolist() == [others.index(value) if value in others else -1 for value in wanted]


def test_bytes_that_are_not_utf8_survive() -> None:
    raw = b"\xff\xfe-id"
    ids = Ids.of([raw])
    assert ids[0].encode("utf-8", "surrogateescape") == raw
    assert Ids.of(ids.tolist()) == ids


def test_integers_become_text() -> None:
    assert Ids.of([7, np.int64(-3)]).tolist() == ["7", "-3"]


@pytest.mark.parametrize("value", [1.5, None, True, ("a",)])
def test_anything_else_is_refused_with_its_row(value: object) -> None:
    with pytest.raises(DataError, match=r"string or an integer.*row 1"):
        Ids.of(["a", value])


def test_negative_index_slice_and_bounds() -> None:
    ids = Ids.of("abc")
    assert ids[-1] == "c"
    assert ids[::-1].tolist() == ["c", "b", "a"]
    with pytest.raises(IndexError):
        ids[3]
    assert "Ids(['a', 'b', 'c'], length 3)" in repr(ids)


def test_is_read_only() -> None:
    ids = Ids.of("abc")
    with pytest.raises(ValueError, match="read-only"):
        ids.buffer[0] = 0

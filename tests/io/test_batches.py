"""Sorted Parquet in batches of whole queries, however files, row groups, batches and pieces cut the rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealrank.errors import DataError, ParseError
from idealrank.io.batches import SortedParquet, parquet_files


def written(folder: Path, ids: list[Any], file_rows: int, group_rows: int) -> Path:
    """The ids, and beside each its row, in files of so many rows that have row groups of so many."""
    table = pa.table({"qid": ids, "row": np.arange(len(ids)), "unused": np.zeros(len(ids))})
    for number, begin in enumerate(range(0, len(ids), file_rows)):
        part = table.slice(begin, file_rows)
        pq.write_table(part, folder / f"part-{number:03}.parquet", row_group_size=group_rows)
    return folder


def whole(path: Path) -> SortedParquet:
    return SortedParquet.at(path, "qid", ("row", "absent"))


@pytest.mark.parametrize("as_text", [False, True])
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=12),
    st.integers(1, 30),
    st.integers(1, 12),
    st.integers(1, 20),
    st.integers(1, 7),
)
def test_every_row_comes_once_in_order_and_no_query_is_cut(
    tmp_path_factory: Any, as_text: bool, sizes: list[int], file_rows: int, group_rows: int, rows: int, n_pieces: int
) -> None:
    numbers = np.repeat(np.arange(100, 100 + len(sizes)), sizes).tolist()
    ids = [f"q{number}" for number in numbers] if as_text else numbers
    source = whole(written(tmp_path_factory.mktemp("sorted"), ids, file_rows, group_rows))
    tables = [table for piece in source.pieces(n_pieces) for table in piece.batches(rows)]
    assert [row for table in tables for row in table["row"].to_pylist()] == list(range(len(ids)))
    seen = [query for table in tables for query in dict.fromkeys(table["qid"].to_pylist())]
    assert seen == list(dict.fromkeys(ids))
    assert {tuple(table.column_names) for table in tables} == {("qid", "row")}


def test_a_piece_has_the_queries_that_begin_in_its_row_groups(tmp_path: Path) -> None:
    source = whole(written(tmp_path, [1, 1, 1, 1, 1, 2, 2, 3], file_rows=8, group_rows=2))
    pieces = [[table["qid"].to_pylist() for table in piece.batches(100)] for piece in source.pieces(4)]
    assert pieces == [[[1, 1, 1, 1, 1]], [], [[2, 2]], [[3]]]


@pytest.mark.parametrize("ids", [[1, 1, 2, 2, 1, 1], [2, 2, 2, 2, 1, 1], ["b", "b", "c", "c", "a", "a"]])
@pytest.mark.parametrize("n_pieces", [1, 3])
def test_rows_that_are_not_sorted_are_refused_with_the_query(tmp_path: Path, ids: list[Any], n_pieces: int) -> None:
    source = whole(written(tmp_path, ids, file_rows=6, group_rows=2))
    tables = (table for piece in source.pieces(n_pieces) for table in piece.batches(100))
    with pytest.raises(DataError, match=rf"sorted by qid .* got {ids[-1]} after {ids[3]}") as refused:
        list(tables)
    assert refused.value.query == ids[-1]


def test_a_missing_id_a_missing_column_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no files"):
        parquet_files(tmp_path)
    written(tmp_path, [1, None, 2], file_rows=3, group_rows=3)
    with pytest.raises(DataError, match=r"missing .*column 'qid'"):
        list(whole(tmp_path).batches(10))
    with pytest.raises(DataError, match="no column 'query' of query ids; it has qid, row"):
        SortedParquet.at(tmp_path, "query", ())
    (tmp_path / "part-001.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(ParseError, match="part-001"):
        whole(tmp_path)


def test_ids_that_are_dictionary_encoded_are_read_as_text(tmp_path: Path) -> None:
    table = pa.table({"qid": pa.array(["a", "a", "b"]).dictionary_encode(), "row": [0, 1, 2]})
    pq.write_table(table, tmp_path / "x.parquet")
    assert [each.num_rows for each in whole(tmp_path / "x.parquet").batches(2)] == [2, 1]


def test_a_file_without_rows_has_no_batches(tmp_path: Path) -> None:
    pq.write_table(pa.table({"qid": pa.array([], pa.int64()), "row": pa.array([], pa.int64())}), tmp_path / "x.parquet")
    source = whole(tmp_path / "x.parquet")
    assert [table for piece in source.pieces(3) for table in piece.batches(10)] == []


@pytest.mark.parametrize(
    ("second", "what"),
    [
        ({"qid": ["3"], "label": [1]}, "int64 in .*a.parquet and string in .*b.parquet .column 'qid'"),
        ({"qid": [3], "label": ["x"]}, "column 'label'"),
        ({"qid": [3]}, "int64 in .* and none in .*b.parquet"),
        ({"label": [3]}, "b.parquet has no column 'qid' of query ids"),
    ],
)
def test_files_of_different_types_are_refused(tmp_path: Path, second: dict[str, list[object]], what: str) -> None:
    pq.write_table(pa.table({"qid": [1, 2], "label": [1, 0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table(second), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=what):
        SortedParquet.at(tmp_path, "qid", ["label"])

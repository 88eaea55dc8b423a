import gzip
import io
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import group_rows
from scipy.sparse import csr_array
from strategies import finite, nested, words

from idealrank import Qrels, RankingData, Run, evaluate, from_arrays
from idealrank._present.data_frames import Backend
from idealrank.errors import DataError, MissingExtraError, OptionError, ParseError
from idealrank.io import frame_arrays
from idealrank.io.frame_output import to_frame
from idealrank.io.frame_roles import Columns, find_column
from idealrank.io.frames import from_frame, qrels_from_frame, run_from_frame
from idealrank.io.parquet_csv import read_csv, read_frame, read_parquet, write_frame
from idealrank.results import Ids

SOURCES = ["pandas", "polars", "polars lazy", "pyarrow", "duckdb"]
TARGETS: list[Backend] = ["pandas", "polars", "pyarrow"]
every_source = pytest.mark.parametrize("source", SOURCES)
every_target = pytest.mark.parametrize("target", TARGETS)
COLUMNS: dict[str, list[Any]] = {
    "qid": ["b", "a", "b", "ü"],
    "label": [1, 0, 2, 4],
    "score": [0.5, -1.0, 0.25, 3.0],
    "weight": [1.0, 2.0, 1.0, 0.5],
    "doc": ["d1", "d2", "", "d4"],
    "length": [10, 20, 30, 40],
    "bm25": [0.5, 1.5, 2.5, 3.5],
}


def frame_of(source: str, columns: Mapping[str, Any]) -> Any:
    library = pytest.importorskip(source.split()[0])
    if source == "pandas":
        return library.DataFrame(columns)
    if source.startswith("polars"):
        frame = library.DataFrame(columns, strict=False)
        return frame.lazy() if source.endswith("lazy") else frame
    table = pytest.importorskip("pyarrow").table(columns)
    return library.from_arrow(table) if source == "duckdb" else table


def without(*names: str) -> dict[str, list[Any]]:
    return {name: values for name, values in COLUMNS.items() if name not in names}


def as_list(ids: object) -> list[object]:
    return ids.tolist()  # type: ignore[attr-defined, no-any-return]


def assert_same(data: RankingData, expected: RankingData) -> None:
    assert as_list(data.query_ids) == as_list(expected.query_ids)
    assert data.doc_ids == expected.doc_ids
    for name in ("labels", "offsets", "scores", "weights", "features", "rows"):
        assert_array_equal(getattr(data, name), getattr(expected, name), err_msg=name)


@every_source
def test_rows_of_a_query_are_brought_together(source: str) -> None:
    data = from_frame(frame_of(source, COLUMNS))
    assert as_list(data.query_ids) == ["b", "a", "ü"]
    assert_array_equal(data.offsets, [0, 2, 3, 4])
    assert_array_equal(data.rows, [0, 2, 1, 3])
    assert_array_equal(data.labels, np.array(COLUMNS["label"])[data.rows])
    assert_array_equal(data.scores, np.array(COLUMNS["score"])[data.rows])
    assert_array_equal(data.weights, np.array(COLUMNS["weight"])[data.rows])
    assert_array_equal(data.features, np.array([COLUMNS["length"], COLUMNS["bm25"]]).T[data.rows])
    assert data.known_features().dtype == np.float32
    assert data.feature_names == ("length", "bm25")
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == [COLUMNS["doc"][row] for row in data.rows]
    assert data.problems == ()


@every_source
@settings(max_examples=30)
@given(
    rows=st.lists(
        st.tuples(st.one_of(st.just("q"), words), st.integers(0, 4), finite, words, st.floats(width=32)),
        min_size=1,
        max_size=20,
    )
)
def test_every_backend_gives_what_from_arrays_gives(
    source: str, rows: list[tuple[str, int, float, str, float]]
) -> None:
    qid, label, score, doc, feature = (list(column) for column in zip(*rows, strict=True))
    data = from_frame(frame_of(source, {"qid": qid, "label": label, "score": score, "doc": doc, "f1": feature}))
    expected = from_arrays(
        np.array(label), query_ids=qid, scores=np.array(score), doc_ids=doc, features=np.array(feature)[:, None]
    )
    assert_same(data, expected)
    assert sum(problem.count for problem in data.problems) == np.isnan(feature).sum()


@every_source
def test_query_ids_of_integers_stay_integers(source: str) -> None:
    query_ids = from_frame(frame_of(source, {"qid": [7, -1, 7], "label": [1, 0, 2]})).query_ids
    assert isinstance(query_ids, np.ndarray)
    assert_array_equal(query_ids, [7, -1])


@every_source
def test_whole_floats_are_query_ids_but_others_are_not(source: str) -> None:
    assert_array_equal(from_frame(frame_of(source, {"qid": [7.0, 5.0], "label": [1, 0]})).query_ids, [7, 5])
    for bad in (1.5, np.inf, 2.0**53):
        with pytest.raises(DataError, match=r"an id must be text or an integer, got .* \(row 1, column 'qid'\)"):
            from_frame(frame_of(source, {"qid": [7.0, bad], "label": [1, 0]}))


@every_source
def test_document_ids_of_numbers_become_text(source: str) -> None:
    for doc in ([3, 14], [3.0, 14.0]):
        data = from_frame(frame_of(source, {"qid": [1, 1], "label": [1, 0], "doc": doc}))
        assert data.doc_ids == Ids.of(["3", "14"])


@every_source
def test_an_empty_query_id_is_an_error_that_names_the_row(source: str) -> None:
    with pytest.raises(DataError, match=r"a query id is empty \(row 1, column 'qid'\)"):
        from_frame(frame_of(source, {"qid": ["a", ""], "label": [1, 0]}))


@every_source
@pytest.mark.parametrize("column", ["qid", "label", "score", "doc", "weight"])
def test_a_missing_value_is_an_error_that_names_row_and_column(source: str, column: str) -> None:
    values = [*COLUMNS[column][:2], None, COLUMNS[column][3]]
    with pytest.raises(DataError, match=rf"a value is missing; .* \(row 2, column '{column}'\)"):
        from_frame(frame_of(source, COLUMNS | {column: values}))


@every_source
def test_a_missing_query_id_among_integers_is_an_error(source: str) -> None:
    with pytest.raises(DataError, match=r"a value is missing; .* \(row 1, column 'qid'\)"):
        from_frame(frame_of(source, {"qid": [1, None, 3], "label": [1, 0, 2]}))


@every_source
def test_missing_features_are_nan_and_counted(source: str) -> None:
    columns = {"qid": [1, 1], "label": [1, 0], "a": [None, 2], "b": [float("nan"), 0.5]}
    data = from_frame(frame_of(source, columns))
    assert_array_equal(data.features, [[np.nan, np.nan], [2, 0.5]])
    (problem,) = data.problems
    assert (problem.kind, problem.count) == ("missing value", 2)
    assert "column 'a', row 0" in problem.message


def test_missing_features_are_found_in_every_block_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_arrays, "_ROWS_AT_ONCE", 3)
    values = np.arange(20.0).reshape(2, 10)
    values[1, [4, 9]] = np.nan
    data = from_frame(frame_of("pyarrow", {"qid": [1] * 10, "label": [0] * 10, "a": values[0], "b": values[1]}))
    assert_array_equal(data.features, values.T)
    assert (data.problems[0].count, "column 'b', row 4" in data.problems[0].message) == (2, True)


@every_source
@pytest.mark.parametrize("column", ["label", "score", "weight"])
@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_an_infinite_number_is_an_error(source: str, column: str, bad: float) -> None:
    if (column, bad) == ("score", -np.inf):
        pytest.skip("such a document ranks last")
    with pytest.raises(DataError, match=rf"expected a finite number, got -?inf \(row 3, column '{column}'\)"):
        from_frame(frame_of(source, COLUMNS | {column: [*map(float, COLUMNS[column][:3]), bad]}))


@every_source
def test_a_score_of_minus_infinity_ranks_last(source: str) -> None:
    columns = {"qid": [1, 1, 1], "doc": ["a", "b", "c"], "label": [1, 0, 2], "score": [2.0, -np.inf, -3.0]}
    data, run = from_frame(frame_of(source, columns)), run_from_frame(frame_of(source, columns))
    assert data.scores is not None
    assert np.argsort(data.scores).tolist() == np.argsort(run.scores).tolist() == [1, 2, 0]


@every_source
def test_a_feature_that_float32_cannot_hold_is_an_error_but_infinity_is_kept(source: str) -> None:
    columns = {"qid": [1, 1], "label": [1, 0], "a": [-np.inf, 1.0]}
    assert_array_equal(from_frame(frame_of(source, columns)).features, [[-np.inf], [1.0]])
    with pytest.raises(DataError, match=r"must fit in float32, got 1e\+300 \(row 1, column 'a'\)"):
        from_frame(frame_of(source, columns | {"a": [-np.inf, 1e300]}))


@every_source
def test_text_where_numbers_belong_is_an_error_that_shows_it(source: str) -> None:
    with pytest.raises(DataError, match=r"expected a number, got 'high' \(row 1, column 'label'\)"):
        from_frame(frame_of(source, {"qid": [1, 1], "label": ["1", "high"]}))
    with pytest.raises(DataError, match="expected numbers, got String; convert the column first"):
        from_frame(frame_of(source, {"qid": [1, 1], "label": ["1", "2"]}))
    with pytest.raises(DataError, match=r"features must be numbers, got String \(column 'title'\)"):
        from_frame(frame_of(source, {"qid": [1, 1], "label": [1, 0], "title": ["x", "y"]}), features=["title"])


@every_source
def test_true_and_false_are_labels_and_features_where_named(source: str) -> None:
    frame = frame_of(source, {"qid": [1, 1], "label": [True, False], "clicked": [None, True]})
    data = from_frame(frame)
    assert_array_equal(data.labels, [1, 0])
    assert data.features is None
    assert [(problem.kind, problem.count) for problem in data.problems] == [("unused column", 1)]
    assert_array_equal(from_frame(frame, features=["clicked"]).features, [[np.nan], [1]])
    with pytest.raises(DataError, match=r"an id must be a string or an integer, got True \(row 0, column 'label'\)"):
        from_frame(frame, query="label", label="qid")


@every_source
def test_columns_are_found_by_name(source: str) -> None:
    columns = {"q": [1, 2], "rel": [1, 0], "bm25": [3, 4], "url": ["u1", "u2"], "w": [1, 2], "f": [5, 6], "g": [7, 8]}
    data = from_frame(frame_of(source, columns), query="q", label="rel", score="bm25", doc="url", weight="w")
    assert_array_equal(data.scores, [3, 4])
    assert_array_equal(data.weights, [1, 2])
    assert data.doc_ids == Ids.of(["u1", "u2"])
    assert_array_equal(data.features, [[5, 7], [6, 8]])
    data = from_frame(frame_of(source, columns), query="q", label="rel", features=["g", "bm25"])
    assert (data.scores, data.weights, data.doc_ids, data.problems) == (None, None, None, ())
    assert_array_equal(data.features, [[7, 3], [8, 4]])
    assert from_frame(frame_of(source, columns), query="q", label="rel", features=[]).features is None
    assert_array_equal(
        from_frame(frame_of(source, columns), query="q", label="rel", features="bm25").features, [[3], [4]]
    )


def test_none_leaves_a_column_to_the_features() -> None:
    data = from_frame(frame_of("pyarrow", COLUMNS), score=None, weight=None, doc=None)
    assert (data.scores, data.weights, data.doc_ids) == (None, None, None)
    assert_array_equal(data.known_features()[0], [0.5, 1.0, 10, 0.5])
    assert [problem.message for problem in data.problems] == ["1 column is not numeric and not used: 'doc'"]


def test_a_column_named_as_label_is_not_also_the_score_by_default() -> None:
    data = from_frame(frame_of("pyarrow", {"qid": [1, 1], "score": [0, 1]}), label="score")
    assert_array_equal(data.labels, [0, 1])
    assert data.scores is None


@every_source
def test_a_column_that_is_not_there_is_an_error_with_the_nearest_name(source: str) -> None:
    with pytest.raises(DataError, match=r"no column 'qid', did you mean 'query_id'\? It has 'query_id', 'label'$"):
        from_frame(frame_of(source, {"query_id": [1], "label": [1]}))
    with pytest.raises(DataError, match=r"no column 'label', did you mean 'LABEL'\?"):
        from_frame(frame_of(source, {"qid": [1], "LABEL": [1]}))
    with pytest.raises(DataError, match=r"no column 'QID', did you mean 'qid'\?"):
        from_frame(frame_of(source, COLUMNS), query="QID")
    for argument in ("score", "doc", "weight"):
        with pytest.raises(DataError, match=r"no column 'zzz'\. It has 'qid'"):
            from_frame(frame_of(source, COLUMNS), **{argument: "zzz"})
    with pytest.raises(DataError, match=r"no column 'bm52', did you mean 'bm25'\?"):
        from_frame(frame_of(source, COLUMNS), features=["length", "bm52"])
    with pytest.raises(DataError, match=r"no column 'label'"):
        qrels_from_frame(frame_of(source, without("label")))
    with pytest.raises(DataError, match=r"no column 'score'"):
        run_from_frame(frame_of(source, without("score")))


def test_of_many_columns_the_error_lists_some() -> None:
    with pytest.raises(DataError, match=r"'f1', .*'f20' and 180 more; name the column of query ids with query="):
        from_frame(frame_of("pyarrow", {f"f{number}": [0] for number in range(1, 201)}))


@every_source
def test_an_empty_frame_is_an_error(source: str) -> None:
    with pytest.raises(DataError, match="the frame has no rows"):
        from_frame(frame_of(source, {"qid": [], "label": []}))


def test_column_names_that_stand_twice_are_an_error() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match=r"column names must be unique: .*'qid' 2 times"):
        from_frame(pa.table([[1], [2], [3]], names=["qid", "label", "qid"]))
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match=r"column names must be unique: .*'qid' 2 times"):
        from_frame(pd.DataFrame([[1, 2, 3]], columns=["qid", "label", "qid"]))


@pytest.mark.parametrize("junk", [[1, 2], {"qid": [1]}, None, np.zeros((2, 2))])
def test_what_is_no_frame_is_an_error_that_says_so(junk: object) -> None:
    with pytest.raises(DataError, match=rf"expected a data frame .*, got {type(junk).__name__}"):
        from_frame(junk)


def test_a_lazy_frame_computes_only_the_columns_that_are_used() -> None:
    pl = pytest.importorskip("polars")

    def fail(column: Any) -> Any:
        raise AssertionError("this column is not needed")

    frame = pl.LazyFrame({"qid": [1, 1], "label": [1, 0], "x": [1, 2]})
    frame = frame.with_columns(title=pl.col("x").map_batches(fail, return_dtype=pl.String))
    assert from_frame(frame).problems[0].kind == "unused column"


def test_pandas_objects_and_categories_are_text() -> None:
    pd = pytest.importorskip("pandas")
    cases: list[tuple[Any, list[str]]] = [
        (pd.Series(["b", "a"], dtype=object), ["b", "a"]),
        (pd.Series([1, 2], dtype=object), ["1", "2"]),
        (pd.Series([1, "a"], dtype=object), ["1", "a"]),
        (pd.Series([b"1", "a"], dtype=object), ["1", "a"]),
        (pd.Categorical(["b", "a"]), ["b", "a"]),
        (pd.Categorical([20, 10]), ["20", "10"]),
        (pd.array(["b", "a"], dtype="string[python]"), ["b", "a"]),
    ]
    for column, expected in cases:
        query_ids = from_frame(pd.DataFrame({"qid": column, "label": [1, 0]})).query_ids
        assert isinstance(query_ids, Ids)
        assert query_ids.tolist() == expected
    with pytest.raises(DataError, match=r"an id must be a string or an integer, got 1.5 \(row 1, column 'qid'\)"):
        from_frame(pd.DataFrame({"qid": pd.Series(["a", 1.5], dtype=object), "label": [1, 0]}))


def test_pandas_types_that_can_be_missing_are_numbers() -> None:
    pd = pytest.importorskip("pandas")
    columns = {"qid": pd.array([7, 7], "Int64"), "label": pd.array([1, 0], "Float64"), "a": pd.array([None, 2], "Int8")}
    data = from_frame(pd.DataFrame(columns | {"b": pd.array([True, None], "boolean")}), features=["a", "b"])
    assert_array_equal(data.query_ids, [7])
    assert_array_equal(data.features, [[np.nan, 1], [2, np.nan]])
    assert data.problems[0].count == 2
    columns["qid"] = pd.array([7, None], "Int64")
    with pytest.raises(DataError, match="a value is missing"):
        from_frame(pd.DataFrame(columns))


def test_pandas_columns_may_be_named_by_numbers() -> None:
    frame = pytest.importorskip("pandas").DataFrame([[0.5, 1.5], [2.5, 3.5]]).assign(qid=[1, 1], label=[1, 0])
    assert_array_equal(from_frame(frame).features, [[0.5, 1.5], [2.5, 3.5]])
    assert_array_equal(from_frame(frame, features=[1]).features, [[1.5], [3.5]])  # type: ignore[list-item]


def test_data_stays_as_it_was_when_the_frame_changes() -> None:
    frame = pytest.importorskip("pandas").DataFrame(without("doc", "qid")).assign(qid=[1, 1, 2, 2])
    data = from_frame(frame)
    frame.loc[:, :] = 99
    assert_array_equal(data.labels, COLUMNS["label"])
    assert_array_equal(data.scores, COLUMNS["score"])
    assert_array_equal(data.query_ids, [1, 2])
    assert_array_equal(data.known_features()[:, 0], COLUMNS["length"])


def test_polars_categories_and_wide_integers_are_understood() -> None:
    pl = pytest.importorskip("polars")
    for kind in (pl.Categorical, pl.Enum(["a", "b"])):
        query_ids = from_frame(pl.DataFrame({"qid": pl.Series(["b", "a"], dtype=kind), "label": [1, 0]})).query_ids
        assert query_ids == Ids.of(["b", "a"])
    assert from_frame(pl.DataFrame({"qid": pl.Series([1, 2], dtype=pl.Int128), "label": [1, 0]})).n_queries == 2
    label, large = pl.Series([1, 0], dtype=pl.Int128), pl.Series([1, 2**64 - 1], dtype=pl.UInt64)
    data = from_frame(pl.DataFrame({"qid": large, "label": label, "f": pl.Series(["0.5", "2"]).cast(pl.Decimal(5, 1))}))
    assert data.query_ids == Ids.of(["1", "18446744073709551615"])
    assert_array_equal(data.labels, [1, 0])
    assert_array_equal(data.features, [[0.5], [2]])


@settings(max_examples=30)
@given(
    st.lists(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), max_size=5), min_size=1, max_size=4).filter(
        any
    ),
    st.sampled_from(["string", "large_string", "string_view", "dictionary", "pandas", "pandas arrow"]),
    st.integers(0, 3),
)
def test_text_is_read_from_chunks_and_slices(chunks: list[list[str]], kind: str, start: int) -> None:
    pa = pytest.importorskip("pyarrow")
    texts = [text for chunk in chunks for text in chunk]
    start = min(start, len(texts) - 1)
    frame: Any
    if kind.startswith("pandas"):
        pd = pytest.importorskip("pandas")
        dtype = pd.ArrowDtype(pa.string()) if kind == "pandas arrow" else "str"
        parts = [pd.DataFrame({"qid": pd.Series(chunk, dtype=dtype)}) for chunk in chunks]
        frame = pd.concat(parts).assign(label=0).iloc[start:]
    else:
        if kind == "dictionary":
            column = pa.chunked_array([pa.array(chunk, pa.string()).dictionary_encode() for chunk in chunks])
        else:
            column = pa.chunked_array(chunks, getattr(pa, kind)())
        frame = pa.table({"qid": column, "label": [0] * len(texts)}).slice(start)
    data = from_frame(frame)
    assert as_list(data.query_ids) == list(dict.fromkeys(texts[start:]))
    by_doc = from_frame(frame, doc="qid")
    assert by_doc.doc_ids == Ids.of([texts[start:][row] for row in by_doc.rows])


@pytest.mark.parametrize("source", ["pandas", "polars"])
def test_without_pyarrow_text_and_lists_are_the_same(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = frame_of(source, COLUMNS | {"features": [[1, 2], [3, None], [5, 6], [7, 8]]})
    expected = from_frame(frame)
    n_asked = 0

    def missing_pyarrow() -> None:
        nonlocal n_asked
        n_asked += 1
        raise MissingExtraError("pyarrow", "parquet")

    monkeypatch.setattr(frame_arrays, "pyarrow_module", missing_pyarrow)
    assert_same(from_frame(frame), expected)
    assert n_asked == 3  # for query ids, document ids and features
    assert expected.known_features().shape == (4, 4)


@every_source
def test_a_column_of_lists_named_features_is_the_features(source: str) -> None:
    columns = {"qid": [1, 2], "label": [1, 0], "features": [[1, 2.5], [None, 4]], "g": [7, 8]}
    data = from_frame(frame_of(source, columns))
    assert_array_equal(data.features, [[1, 2.5, 7], [np.nan, 4, 8]])
    assert data.problems[0].count == 1
    columns["v"] = columns.pop("features")
    assert from_frame(frame_of(source, columns)).known_features().shape == (2, 1)
    assert_array_equal(from_frame(frame_of(source, columns), features=["v"]).features, [[1, 2.5], [np.nan, 4]])


@every_source
def test_lists_of_features_must_be_equally_long_and_of_numbers(source: str) -> None:
    columns: dict[str, list[Any]] = {"qid": [1, 2], "label": [1, 0]}
    with pytest.raises(DataError, match=r"the length of the first, 2, got 1 \(row 1, column 'features'\)"):
        from_frame(frame_of(source, columns | {"features": [[1, 2], [3]]}))
    with pytest.raises(DataError, match=r"a value is missing; .* \(row 1, column 'features'\)"):
        from_frame(frame_of(source, columns | {"features": [[1, 2], None]}))
    with pytest.raises(DataError, match="features must be lists of numbers"):
        from_frame(frame_of(source, columns | {"features": [["a"], ["b"]]}))


def test_lists_are_read_from_chunks_and_slices() -> None:
    pa = pytest.importorskip("pyarrow")
    for kind in (pa.list_(pa.float32(), 2), pa.large_list(pa.int16())):
        lists = pa.array([[0, 1], [2, 3], [4, 5]], kind)
        frame = pa.table({"qid": [1, 1, 1], "label": [1, 0, 2], "features": lists}).slice(1)
        assert_array_equal(from_frame(frame).features, [[2, 3], [4, 5]])
        pd = pytest.importorskip("pandas")
        pandas_frame = frame.to_pandas(types_mapper={kind: pd.ArrowDtype(kind)}.get)
        assert_array_equal(from_frame(pd.concat([pandas_frame] * 2).iloc[1:]).features, [[4, 5], [2, 3], [4, 5]])


@every_source
@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abc"), words, finite), min_size=1, max_size=20, unique_by=lambda r: r[:2])
)
def test_scattered_rows_become_judgments_and_runs(source: str, rows: list[tuple[str, str, float]]) -> None:
    qid, doc, value = (list(column) for column in zip(*rows, strict=True))
    expected = {query: {doc[row]: value[row] for row in members} for query, members in grouped(qid).items()}
    assert qrels_from_frame(frame_of(source, {"qid": qid, "doc": doc, "label": value})).to_dict() == expected
    run = run_from_frame(frame_of(source, {"qid": qid, "doc": doc, "score": value}), name="bm25")
    assert run.to_dict() == expected
    assert run.name == "bm25"
    assert list(run) == list(expected)


def grouped(qid: list[str]) -> dict[Any, Any]:
    return group_rows(qid)  # type: ignore[arg-type]


@every_source
def test_judgments_and_runs_take_other_names_and_integers(source: str) -> None:
    columns = {"q": [1, 2, 1], "d": [7, 7, 8], "x": [3, 1, 0]}
    expected = {"1": {"7": 3.0, "8": 0.0}, "2": {"7": 1.0}}
    assert qrels_from_frame(frame_of(source, columns), query="q", doc="d", label="x") == expected
    assert run_from_frame(frame_of(source, columns), query="q", doc="d", score="x") == expected


def test_a_document_that_stands_twice_in_a_frame_is_a_problem_not_an_error() -> None:
    qrels = qrels_from_frame(frame_of("pyarrow", {"qid": ["q", "q"], "doc": ["d", "d"], "label": [1, 2]}))
    assert qrels == {"q": {"d": 2.0}}
    assert [problem.kind for problem in qrels.problems] == ["duplicate"]


@every_source
def test_errors_of_judgments_name_the_row_of_the_frame(source: str) -> None:
    columns = {"qid": ["a", "b", "a"], "doc": ["d", "d", "e"], "label": [1, 2, None], "score": [1.0, np.inf, 2.0]}
    with pytest.raises(DataError, match=r"a value is missing; .* \(row 2, column 'label'\)"):
        qrels_from_frame(frame_of(source, columns))
    with pytest.raises(DataError, match=r"expected a finite number, got inf \(row 1, column 'score'\)"):
        run_from_frame(frame_of(source, columns))


def some_data() -> RankingData:
    return from_arrays(
        COLUMNS["label"],
        query_ids=COLUMNS["qid"],
        scores=COLUMNS["score"],
        weights=COLUMNS["weight"],
        doc_ids=COLUMNS["doc"],
        features=[[0.1, np.nan], [1, 2], [3, 4], [-0.0, 1e-30]],
    )


@every_target
def test_data_goes_to_a_frame_and_back(target: Backend) -> None:
    pytest.importorskip(target)
    data = some_data()
    frame = to_frame(data, backend=target)
    assert type(frame).__module__.split(".")[0] == target
    assert list(getattr(frame, "column_names", frame.columns)) == ["qid", "label", "score", "weight", "doc", "f1", "f2"]
    assert_same(from_frame(frame), replace(data, input_rows=None, regrouped=False))  # a frame has the data's order


@every_target
def test_only_columns_that_there_are_go_to_a_frame(target: Backend) -> None:
    pytest.importorskip(target)
    frame = to_frame(from_arrays([1, 0, 2], query_ids=[5, -1, 5], features=csr_array(np.eye(3))), backend=target)
    assert list(getattr(frame, "column_names", frame.columns)) == ["qid", "label", "f1", "f2", "f3"]
    data = from_frame(frame)
    assert_array_equal(data.query_ids, [5, -1])
    assert_array_equal(data.features, np.eye(3)[[0, 2, 1]])


@every_target
@settings(max_examples=30)
@given(queries=nested)
def test_judgments_and_runs_go_to_a_frame_and_back(target: Backend, queries: dict[str, dict[str, float]]) -> None:
    pytest.importorskip(target)
    assert qrels_from_frame(to_frame(Qrels(queries), backend=target)) == queries
    assert run_from_frame(to_frame(Run(queries), backend=target)) == queries


@every_target
def test_ids_that_are_not_utf8_cannot_go_to_a_frame(target: Backend) -> None:
    pytest.importorskip(target)
    to_frame(Run({"q": {"ü": 1.0}}), backend=target)
    with pytest.raises(DataError, match=r"must be valid UTF-8, got 'a\\udcff' \(row 1\)"):
        to_frame(Run({"q": {"d": 1.0, b"a\xff": 2.0}}), backend=target)


def test_an_unknown_backend_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(OptionError, match="backend must be one of 'pandas', 'polars', 'pyarrow', got 'excel'"):
        to_frame(some_data(), backend="excel")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("pandas", "pandas"),
        ("polars", "polars"),
        ("pyarrow", "'idealrank[parquet]', or in a clone pip install '.[parquet]'"),
    ],
)
def test_a_backend_that_is_not_installed_is_an_error_with_the_pip_command(target: str, command: str) -> None:
    # In a process of its own: narwhals keeps what it has imported once.
    script = f"""
import sys
sys.modules[{target!r}] = None
import idealrank as ir
from idealrank.errors import MissingExtraError
from idealrank.io.frame_output import to_frame
try:
    to_frame(ir.from_arrays([1], query_ids=[1]), backend={target!r})
except MissingExtraError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == f"this needs {target}: pip install {command}"


def test_files_need_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "x.csv").write_text("qid,label\n1,1\n")
    calls: list[Callable[[], Any]] = [
        lambda: read_csv(tmp_path / "x.csv"),
        lambda: read_parquet(tmp_path / "x.csv"),
        lambda: read_frame(tmp_path / "x.csv"),
        lambda: write_frame(some_data(), tmp_path / "y.csv"),
    ]
    for call in calls:
        with pytest.raises(MissingExtraError, match=r"pip install 'idealrank\[parquet\]'"):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.parametrize(
    "ending", [".parquet", ".pq", ".csv", ".csv.gz", ".csv.xz", ".csv.bz2", ".csv.zst", ".CSV", ".PQ"]
)
@pytest.mark.parametrize("query_ids", [["b", "a", "b", "ü"], [7, -1, 7, 9]])
def test_a_file_gives_back_what_was_written(ending: str, query_ids: list[object], tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    data = from_arrays(
        COLUMNS["label"],
        query_ids=query_ids,
        scores=COLUMNS["score"],
        doc_ids=["007", "", 'quo"te', "line\nend,"],
        features=np.array([[0.1, np.nan], [1, 2], [np.inf, 4], [-0.0, 1e-30]], np.float32),
    )
    path = tmp_path / f"data{ending}"
    write_frame(data, path)
    found = read_parquet(path) if ending.lower() in (".parquet", ".pq") else read_csv(path)
    assert_same(found, data)
    assert isinstance(found.query_ids, Ids) == isinstance(data.query_ids, Ids)
    assert [problem.kind for problem in found.problems] == ["missing value"]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@settings(max_examples=30)
@given(values=st.lists(st.tuples(finite, st.floats(width=32, allow_nan=False)), min_size=1, max_size=20))
def test_numbers_in_csv_and_parquet_read_back_the_same(
    values: list[tuple[float, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("pyarrow")
    numbers = np.array(values)
    data = from_arrays(numbers[:, 0], query_ids=np.arange(len(values)), features=numbers[:, 1:].astype(np.float32))
    folder = tmp_path_factory.mktemp("frames")
    write_frame(data, folder / "x.csv")
    write_frame(data, folder / "x.parquet")
    assert_same(read_csv(folder / "x.csv"), data)
    assert_same(read_parquet(folder / "x.parquet"), data)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_judgments_and_runs_go_to_a_file_and_back(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    queries = {"007": {"1": 2.0, "01": 0.5}, "7": {"NA": 1.0, "null": -3.0}}
    path = tmp_path / f"x.{ending}"
    write_frame(Qrels(queries), path)
    assert qrels_from_frame(read_frame(path)) == queries
    write_frame(Run(queries), path)
    assert run_from_frame(read_frame(path)) == queries


def test_a_file_is_read_under_other_names(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.csv"
    path.write_text("q,rel,bm25,url,w,f,title\n7,1,0.5,01,2,3,x\n7,0,1.5,1,1,4,y\n")
    write_parquet = pytest.importorskip("pyarrow.parquet").write_table
    write_parquet(read_frame(path, text=["url"]), tmp_path / "x.parquet")
    names = Columns(query="q", label="rel", score="bm25", doc="url", weight="w", features=["f"])
    for read in (read_csv, read_parquet):
        data = read(path.with_suffix(f".{read.__name__[5:]}"), **names)
        assert_same(
            data,
            from_arrays(
                [1, 0],
                query_ids=[7, 7],
                scores=[0.5, 1.5],
                doc_ids=["01", "1"],
                weights=[2, 1],
                features=np.array([[3], [4]]),
            ),
        )
        assert data.problems == ()


def test_query_ids_in_csv_are_integers_only_if_written_so() -> None:
    pytest.importorskip("pyarrow")

    def query_ids(*ids: str) -> list[object]:
        lines = "".join(f"{number},1\n" for number in ids)
        return as_list(read_csv(io.BytesIO(f"qid,label\n{lines}".encode())).query_ids)

    assert query_ids("7", "-1", "0") == [7, -1, 0]
    assert query_ids("7", "007") == ["7", "007"]
    assert query_ids("1.0", "1") == ["1.0", "1"]
    assert query_ids("9" * 20) == ["9" * 20]
    assert query_ids("NA", "nan") == ["NA", "nan"]


def test_csv_comes_from_streams_with_bom_blank_lines_and_carriage_returns() -> None:
    pytest.importorskip("pyarrow")
    text = b'\xef\xbb\xbfqid,label,f1\r\n1,2,\r\n\r\n"1",0,0.5\r\n\r\n'
    for stream in (io.BytesIO(text), io.BytesIO(gzip.compress(text))):
        data = read_csv(stream)
        assert_array_equal(data.labels, [2, 0])
        assert_array_equal(data.features, [[np.nan], [0.5]])


def test_a_number_late_in_a_csv_file_may_be_of_another_kind() -> None:
    pytest.importorskip("pyarrow")
    n = 400_000  # beyond Arrow's first block of a megabyte
    data = read_csv(io.BytesIO(b"qid,label,f1\n" + b"1,1,1\n" * n + b"1,1,0.5\n"))
    assert_allclose(data.known_features()[[0, -1], 0], [1, 0.5], rtol=0, atol=0)


def test_line_ends_in_quotes_do_not_end_a_line_of_csv() -> None:
    pytest.importorskip("pyarrow")
    n = 100_000  # more than a block, so that the file is cut somewhere
    data = read_csv(io.BytesIO(b"qid,label,doc\n" + b'1,1,"two\nlines\n"\n' * n))
    assert data.n_docs == n
    assert data.doc_ids is not None
    assert data.doc_ids[n - 1] == "two\nlines\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", r"1:1: Empty CSV file"),
        (b"\n\n", r"1:1: .*Empty CSV file"),
        (b"qid,label\n", r"1:1: the frame has no rows"),
        (b"qid,label\n1,2\n\n3\n", r"4:1: .*Expected 2 columns, got 1: 3"),
        (b'qid,title,label\n1,"a\nb",2\n\n3,c\n', r"5:1: .*Expected 3 columns, got 2: 3,c"),
        (b'qid,title,label\n1,"a\nb",2\n\n3,"c\nd",x\n', r"5:1: expected a number, got 'x' \(row 1, column 'label'\)"),
        (b"qid,label\n1,2\n\xff,2\n", r"3:1: .*invalid UTF8"),
        (b"q\xffid,label\n1,2\n", r"1:1: column names must be UTF-8, got b'q\\xffid'"),
        (b"qid,label\n1,2\n\n,2\n", r"4:1: a query id is empty \(row 1, column 'qid'\)"),
        (b"qid,label\n1,NA\n", r"2:1: a value is missing; .*\(row 0, column 'label'\)"),
        (b"qid,label\n1,inf\n", r"2:1: expected a finite number, got inf"),
        (b"id,label\n1,2\n", r"1:1: the frame has no column 'qid', did you mean 'id'\?"),
        (b"session,label\n1,2\n", r"1:1: the frame .*; name the column of query ids with query= \(--query on the"),
        (b"qid,clicked\n1,2\n", r"1:1: the frame .*; name the column of labels with label= \(--label on the"),
        (b"qid,qid,label\n1,1,2\n", r"1:1: column names must be unique"),
        (b"\x00\x01\xfe\n\x02,\n", r"2:1: .*Expected 1 columns, got 2"),
        (b"qid,label,title\n1,2," + b"x" * 200_000 + b"\n3\n", r"2:1: .*Expected 3 columns, got 1: 3"),
        (b"qid,label\n1," + b"x" * 200_000 + b"\n", r"2:1: expected a number, got 'x{12}\.\.\.x{13}' "),
        (gzip.compress(b"qid,label\n1,2\n", mtime=0)[:-9], r"1:1: the compressed file is damaged or cut short"),
    ],
)
def test_a_broken_csv_file_is_an_error_with_its_place(text: bytes, message: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.csv"
    path.write_bytes(text)
    with pytest.raises(ParseError, match=f"x.csv:{message}"):
        read_csv(path)


def parquet_bytes(data: RankingData, folder: Path) -> bytes:
    pytest.importorskip("pyarrow")
    write_frame(data, folder / "whole.parquet")
    return (folder / "whole.parquet").read_bytes()


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(
    "data",
    [
        from_arrays([1, 0, 1], query_ids=["a", "", ""]),
        Qrels({"a": {"d": 1}, "": {"d": 1}}),
        Run({"a": {"d": 1}, "": {"d": 1}}),
    ],
    ids=["data", "qrels", "run"],
)
def test_an_empty_query_id_which_could_not_be_read_back_is_not_written(tmp_path: Path, data: Any, ending: str) -> None:
    with pytest.raises(DataError, match="a query id must not be empty, but that of query number 1 is"):
        write_frame(data, tmp_path / f"x.{ending}")
    assert not list(tmp_path.iterdir())


def test_a_broken_parquet_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    whole = parquet_bytes(some_data(), tmp_path)
    middle = len(whole) // 2
    path = tmp_path / "x.parquet"
    misnamed = whole.replace(b"label", b"l\xffbel")
    for broken in (b"", b"junk", b"PAR1", whole[:-1], whole[:middle], whole[:4] + bytes(40) + whole[44:], misnamed):
        path.write_bytes(broken)
        for read in (read_parquet, read_frame):
            with pytest.raises(ParseError, match=r"x\.parquet:1:1: not a Parquet file, or damaged: "):
                read(path)


def test_a_flipped_bit_in_the_data_of_our_parquet_files_is_found(tmp_path: Path) -> None:
    labels = np.random.default_rng(0).random(1000)
    whole = parquet_bytes(from_arrays(labels), tmp_path)
    place = whole.index(labels[500].tobytes())
    flipped = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
    with pytest.raises(ParseError, match="CRC checksum verification failed"):
        read_parquet(io.BytesIO(flipped))


def test_what_is_wrong_with_the_data_of_a_parquet_file_names_the_file(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"qid": [1, 1], "label": [1, None]}), path)
    with pytest.raises(ParseError, match=r"x\.parquet:1:1: a value is missing; .* \(row 1, column 'label'\)"):
        read_parquet(path)
    with pytest.raises(ParseError, match=r"x\.parquet:1:1: the frame has no column 'rel'"):
        read_parquet(path, label="rel")
    with pytest.raises(FileNotFoundError):
        read_parquet(tmp_path / "none.parquet")


def test_parquet_columns_that_are_not_used_are_not_read(tmp_path: Path) -> None:
    whole = parquet_bytes(from_arrays([1, 0], doc_ids=["a unique document", "d2"]), tmp_path)
    place = whole.index(b"a unique document")
    broken = whole[:place] + b"A" + whole[place + 1 :]
    with pytest.raises(ParseError, match="CRC checksum verification failed"):
        read_parquet(io.BytesIO(broken))
    assert_array_equal(read_parquet(io.BytesIO(broken), doc=None, features=[]).labels, [1, 0])


def test_a_parquet_file_may_hold_features_as_lists(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for kind in (pa.list_(pa.float32(), 2), pa.list_(pa.float64())):
        features = pa.array([[0.5, 1.5], [2.5, None]], kind)
        pq.write_table(pa.table({"qid": ["a", "a"], "label": [1, 0], "features": features}), tmp_path / "x.parquet")
        data = read_parquet(tmp_path / "x.parquet")
        assert_array_equal(data.features, [[0.5, 1.5], [2.5, np.nan]])
        assert data.problems[0].count == 1


@pytest.mark.parametrize("name", ["x", "x.txt", "-"])
def test_the_ending_must_say_the_format(name: str) -> None:
    for call in (lambda: read_frame(name), lambda: write_frame(some_data(), name)):
        with pytest.raises(OptionError, match=r"must end in one of \.parquet, \.pq, \.csv, .*, got "):
            call()


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.csv"
    write_frame(Run({"q": {"d": 1.0}}), path)
    before = path.read_bytes()
    with pytest.raises(DataError, match="UTF-8"):
        write_frame(Run({"q": {b"\xff": 1.0}}), path)
    assert path.read_bytes() == before


def test_the_module_loads_no_frame_library() -> None:
    script = "import sys, idealrank.io.frames; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    assert {"narwhals", "pandas", "polars", "pyarrow", "duckdb"}.isdisjoint(loaded)


@pytest.mark.parametrize("name", ["doc_id", "id", "ID", "rank", "docid", "Unnamed: 0", "row_index"])
def test_a_feature_named_as_an_id_is_reported(name: str) -> None:
    import pyarrow

    frame = pyarrow.table({"qid": [1, 1], "label": [1, 0], "bm25": [0.5, 1.5], name: [17, 18]})
    with pytest.warns(UserWarning, match=r"1 of the 2 columns .*features=\['bm25'\]"):
        data = from_frame(frame)
    assert data.feature_names == ("bm25", name)
    assert [problem.kind for problem in data.problems] == ["id as feature"]
    chosen = from_frame(frame, features=["bm25", name])  # no warning for what was asked for
    assert chosen.problems == ()


@pytest.mark.parametrize("name", ["page_rank", "grid", "valid", "width", "n_pos_words", "idf"])
def test_other_features_are_not(name: str) -> None:
    import pyarrow

    assert from_frame(pyarrow.table({"qid": [1], "label": [1], name: [17]})).problems == ()


def test_ranks_are_no_scores() -> None:
    import pyarrow

    frame = pyarrow.table({"qid": ["q", "q"], "doc": ["a", "b"], "rank": [1, 2], "label": [1, 0]})
    for call in (
        lambda: run_from_frame(frame, score="rank"),
        lambda: from_frame(frame, score="rank"),
        lambda: evaluate(frame, "rank", "rr"),
    ):
        with pytest.raises(DataError, match="seems to hold ranks, of which lower is better"):
            call()
    run = run_from_frame(frame, rank="rank")
    assert run.to_dict() == {"q": {"a": -1.0, "b": -2.0}}
    assert evaluate(qrels_from_frame(frame), run, "rr").mean["rr"] == 1


def test_a_bad_cell_does_not_remove_its_column() -> None:
    text = "qid,label,bm25,title\n1,1,0.5,1984\n1,0,0.7x,Ulysses\n1,0,,Emma\n"
    with pytest.raises(ParseError, match=r"^<file>:3:1: .* got '0.7x'.*\(row 1, column 'bm25'\)"):
        read_csv(io.BytesIO(text.encode()))
    with pytest.raises(ParseError, match=r"got '0.7x' \(row 1, column 'bm25'\)"):
        read_csv(io.BytesIO(text.encode()), features=["bm25"])
    data = read_csv(io.BytesIO(text.replace("0.7x", "0.7").encode()))
    assert data.feature_names == ("bm25",)
    assert [problem.kind for problem in data.problems] == ["missing value", "unused column"]


@pytest.mark.parametrize("cell", ["", "NaN", "NULL", "n/a", "-1e3", ".5", "5.", "+2", " 3"])
def test_cells_that_are_numbers_or_missing(cell: str) -> None:
    assert read_csv(io.BytesIO(f"qid,label,x\n1,1,0.5\n1,0,{cell}\n".encode())).feature_names == ("x",)


@pytest.mark.parametrize(
    ("columns", "query", "doc"),
    [
        (["userId", "movieId", "rating", "timestamp"], "userId", "movieId"),  # MovieLens
        (["reviewerID", "asin", "parent_asin", "rating"], "reviewerID", "parent_asin"),  # Amazon reviews
        (["srch_id", "prop_id", "position"], "srch_id", "prop_id"),  # Expedia
        (["query_id", "session_id", "product_id", "item_id"], "query_id", "item_id"),
    ],
)
def test_columns_of_well_known_data_sets_are_recognized(columns: list[str], query: str, doc: str) -> None:
    assert (find_column("query", columns), find_column("doc", columns)) == (query, doc)


def test_only_the_first_names_that_match_can_be_ambiguous() -> None:
    pd = pytest.importorskip("pandas")
    assert find_column("query", ["qid", "session_id", "search_id"]) == "qid"
    judged = {"qid": ["a", "a"], "docid": ["x", "y"], "label": [0, 1], "session_id": [1, 1], "search_id": [3, 3]}
    frames = pd.DataFrame(judged), pd.DataFrame({"qid": ["a", "a"], "docid": ["x", "y"], "score": [2.0, 1.0]})
    assert evaluate(*frames, "rr").mean == {"rr": 0.5}
    with pytest.raises(DataError, match="several columns could hold the query ids: 'session_id', 'search_id'"):
        find_column("query", ["session_id", "search_id"])


def test_a_header_may_be_longer_than_a_block_of_arrow() -> None:
    pytest.importorskip("pyarrow")
    names = [f"{'x' * 20_000}{i}" for i in range(100)]  # 2 MB
    text = f"\nqid,label,{','.join(names)}\n7,1{',0.5' * len(names)}\n"
    data = read_csv(io.BytesIO(text.encode()))
    assert data.n_features == len(names)


def test_many_columns_take_linear_time() -> None:
    pytest.importorskip("pyarrow")
    n = 6_000
    text = f"qid,label,{','.join(f'f{i}' for i in range(n))}\n7,1{',0.5' * n}\n"
    began = time.process_time()
    assert read_csv(io.BytesIO(text.encode())).n_features == n
    assert time.process_time() - began < 5

"""Nothing is lost on the way in: rows in another order, large integers, masks and sparse entries."""

import json
import time
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, coo_matrix, csc_array, csr_array, lil_array

import idealrank as ir
from idealrank import learners, stats
from idealrank.errors import DataError, ParseError

#: Two integers that float64 cannot tell apart, the larger one for the relevant document.
LARGE = [2**53, 2**53 + 1]
QRELS = {"0": {"0": 0, "1": 1}}


def _pandas() -> Any:
    return pytest.importorskip("pandas")


def _shuffled() -> tuple[Any, Any]:
    """A frame and the scores of its rows, which begin with the worst, in another order."""
    frame = _pandas().DataFrame({"qid": [1, 1, 1], "label": [1, 0, 0], "score": [3.0, 2.0, 1.0]})
    return frame, frame["score"].sort_values()


SHUFFLED: dict[str, Callable[[Any, Any], Any]] = {
    "bare": lambda df, s: ir.evaluate(df, s, "rr"),
    "named": lambda df, s: ir.evaluate(df, {"model": s}, "rr"),
    "beside an array": lambda df, s: ir.evaluate(df, {"a": df["score"].to_numpy(), "b": s}, "rr"),
    "compared": lambda df, s: ir.compare(df, {"a": df["score"], "b": s}, "rr"),
    "labels": lambda df, s: ir.evaluate(df["label"], s, "rr"),
    "queries": lambda df, s: ir.evaluate(df["label"], df["score"], "rr", query_ids=df["qid"][s.index]),
    "one Series per query": lambda df, s: ir.evaluate([df["label"]], [s], "rr"),
    "from_arrays": lambda df, s: ir.from_arrays(df["label"], scores=s),
    "from_arrays, queries": lambda df, s: ir.from_arrays(df["label"], query_ids=df["qid"][s.index]),
    "from_arrays, features": lambda df, s: ir.from_arrays(df["label"], features=df[["score"]].loc[s.index]),
    "from_arrays, documents": lambda df, s: ir.from_arrays(df["label"], doc_ids=df["qid"][s.index]),
    "a measure": lambda df, s: ir.ndcg(df["label"], s),
    "a learner": lambda df, s: learners.RandomRanker().fit(df[["score"]].loc[s.index], df["label"], qid=df["qid"]),
    "a test": lambda df, s: stats.t_test(df["score"], s),
}


@pytest.mark.parametrize("place", SHUFFLED)
def test_rows_in_another_order_are_refused_wherever_they_stand(place: str) -> None:
    frame, scores = _shuffled()
    with pytest.raises(DataError, match="in another order"):
        SHUFFLED[place](frame, scores)


@pytest.mark.parametrize("place", SHUFFLED)
def test_rows_in_the_same_order_or_of_another_index_are_taken_by_position(place: str) -> None:
    frame, _ = _shuffled()
    SHUFFLED[place](frame, frame["score"])
    if place not in ("queries", "from_arrays, queries", "from_arrays, features", "from_arrays, documents", "a learner"):
        SHUFFLED[place](frame, frame["score"].set_axis([7, 8, 9]))


def test_joined_frames_may_have_rows_in_any_order() -> None:
    pd = _pandas()
    judged = pd.DataFrame({"qid": [1, 1], "doc": ["a", "b"], "label": [1, 0]})
    run = pd.DataFrame({"qid": [1, 1], "doc": ["b", "a"], "score": [1.0, 2.0]}, index=[1, 0])
    assert ir.evaluate(judged, run, "rr").mean == {"rr": 1.0}


@pytest.mark.parametrize("option", ["query_weights", "by"])
def test_queries_in_another_order_are_refused(option: str) -> None:
    pd = _pandas()
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"], "q2": ["b", "a"]}
    by_query = pd.Series([3.0, 1.0], index=["q1", "q2"])
    assert ir.evaluate(qrels, run, "rr", **{option: by_query}).mean
    with pytest.raises(DataError, match="in another order"):
        ir.evaluate(qrels, run, "rr", **{option: by_query[::-1]})


LARGE_FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "dict": lambda s: ir.evaluate(QRELS, {"0": {"0": s[0], "1": s[1]}}, "rr"),
    "list": lambda s: ir.evaluate([0, 1], s, "rr"),
    "lists": lambda s: ir.evaluate([[0, 1, 0]], [[*s, 0.5]], "rr"),
    "rows of two types": lambda s: ir.evaluate([[0.0, 1.0], [1.5]], [np.array(s), np.array([0.5])], "rr"),
    "array": lambda s: ir.evaluate([0, 1], np.array(s), "rr"),
    "matrix": lambda s: ir.evaluate([[0, 1]], np.array([s]), "rr"),
    "pairs": lambda s: ir.evaluate(QRELS, {"0": [("0", s[0]), ("1", s[1])]}, "rr"),
    "pandas": lambda s: ir.evaluate(QRELS, _pandas().DataFrame({"qid": "0", "doc": ["0", "1"], "score": s}), "rr"),
    "Polars": lambda s: ir.evaluate(
        QRELS,
        pytest.importorskip("polars").DataFrame({"qid": ["0", "0"], "doc": ["0", "1"], "score": s}),
        "rr",
    ),
    "Arrow": lambda s: ir.evaluate(
        QRELS, pytest.importorskip("pyarrow").table({"qid": ["0", "0"], "doc": ["0", "1"], "score": s}), "rr"
    ),
    "a score column": lambda s: ir.evaluate(_pandas().DataFrame({"qid": 1, "label": [0, 1], "s": s}), "s", "rr"),
    "a Polars Series": lambda s: ir.evaluate([0, 1], pytest.importorskip("polars").Series(s), "rr"),
    "named tuples": lambda s: ir.evaluate(
        QRELS,
        [pytest.importorskip("ir_measures").ScoredDoc("0", str(i), score) for i, score in enumerate(s)],
        "rr",
    ),
}


@pytest.mark.parametrize("form", LARGE_FORMS)
def test_integers_that_float64_would_make_equal_are_refused_in_every_form(form: str) -> None:
    with pytest.raises(DataError, match="differ, but are equal as float64"):
        LARGE_FORMS[form](LARGE)
    assert LARGE_FORMS[form]([2**53, 2**53 + 2]).mean == {"rr": 1.0}


@pytest.mark.parametrize("form", ["dict", "list", "array", "pairs", "pandas", "Polars", "Arrow", "a Polars Series"])
def test_decimals_that_float64_would_make_equal_are_refused(form: str) -> None:
    with pytest.raises(DataError, match="differ, but are equal as float64"):
        LARGE_FORMS[form]([Decimal("0.1"), Decimal("0.10000000000000000000001")])
    assert LARGE_FORMS[form]([Decimal("0.1"), Decimal("0.2")]).mean == {"rr": 1.0}


@pytest.mark.parametrize(
    "scores",
    [
        [np.longdouble(1), np.longdouble(1) + np.finfo(np.longdouble).eps],
        [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)],
        [np.uint64(2**63), np.int64(-1), np.uint64(2**63 + 1)],
    ],
    ids=["longdouble", "Fraction", "two types of integers"],
)
def test_other_numbers_that_float64_would_make_equal_are_refused(scores: list[Any]) -> None:
    if np.finfo(np.longdouble).eps == np.finfo(float).eps:
        pytest.skip("longdouble is float64 here")
    labels = [0] * (len(scores) - 1) + [1]
    run = {"q": {str(i): score for i, score in enumerate(scores)}}
    for data, given in ((labels, scores), ({"q": dict(zip(run["q"], labels, strict=True))}, run)):
        with pytest.raises(DataError, match="differ, but are equal as float64"):
            ir.evaluate(data, given, "rr")


def test_large_integers_are_refused_in_sparse_matrices_factors_and_frames_of_dask() -> None:
    relevant = csr_array([[0, 1]])
    for make in (csr_array, csc_array, coo_array, lil_array):
        with pytest.raises(DataError, match="differ, but are equal as float64"):
            ir.evaluate(relevant, make(np.array([LARGE])), "rr")
    with pytest.raises(DataError, match="differ, but are equal as float64"):
        ir.evaluate_factors(np.array([[1]]), np.array([[x] for x in LARGE]), relevant, measures="rr")
    with pytest.raises(DataError, match="differ, but are equal as float64"):
        ir.evaluate_factors(lambda some: np.array([LARGE]), None, relevant, measures="rr@1")
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(_pandas().DataFrame({"qid": 1, "label": [0, 1], "score": LARGE}), npartitions=1)
    with pytest.raises(DataError, match="differ, but are equal as float64"):
        pytest.importorskip("idealrank.integrations.dask").evaluate(frame, "rr")


@pytest.mark.parametrize(
    "score", ["3", b"3", 1j, np.complex64(1j), np.datetime64(3, "D"), np.timedelta64(3, "D"), None]
)
def test_what_is_no_number_is_refused_in_every_form(score: Any) -> None:
    for form in ("dict", "list", "array", "a score column"):
        with pytest.raises(DataError):
            LARGE_FORMS[form]([score, score])


@pytest.mark.skipif(bool(np.finfo(np.longdouble).eps > 1e-18), reason="longdouble is no wider than float64 here")
def test_an_error_shows_how_long_doubles_differ() -> None:
    with pytest.raises(DataError, match=r"scores 1\.0 and 1\.0000000000000000009 differ"):
        ir.evaluate([0, 1], 1 + np.array([0, 2**-60], np.longdouble), "rr")


def test_no_error_names_the_numbers_twice() -> None:
    with pytest.raises(DataError) as caught:
        ir.evaluate([0, 1], LARGE, "rr")
    assert str(caught.value).startswith("scores 9007199254740992 and 9007199254740993 differ")


@pytest.mark.parametrize("make", [coo_array, coo_matrix, None])
def test_repeated_entries_of_small_integers_are_summed_as_numbers(make: Any) -> None:
    values, cells = np.array([100] * 3, np.int8), (np.zeros(3, int), np.ones(3, int))
    matrix = csr_array((values, cells[1], np.array([0, 3])), shape=(1, 2)) if make is None else make((values, cells))
    assert ir.evaluate(matrix, csr_array([[1.0, 2.0]]), "dcg(gain=linear)").mean == {"dcg(gain=linear)": 300.0}
    assert ir.evaluate_factors([[1.0]], [[1.0], [2.0]], matrix, measures="dcg(gain=linear)").mean == {
        "dcg(gain=linear)": 300.0
    }
    assert values.dtype == np.int8 == matrix.dtype
    repeated = coo_array((np.ones(2, bool), (np.zeros(2, int), np.ones(2, int))))
    assert ir.evaluate(repeated, csr_array([[1.0, 2.0]]), "dcg(gain=linear)").mean == {"dcg(gain=linear)": 1.0}


def test_one_entry_of_a_wide_matrix_takes_little_memory() -> None:
    wide = csr_array((np.ones(1), ([0], [10**7 - 1])), shape=(1, 10**7))
    tracemalloc.start()
    try:
        assert ir.evaluate(wide, wide, "rr").mean == {"rr": 1.0}
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [complex, np.complex64])
def test_complex_labels_of_sparse_matrices_are_refused(kind: Any) -> None:
    with pytest.raises(DataError, match="real numbers"):
        ir.evaluate(csr_array(np.array([[1, 2]], kind)), csr_array([[1.0, 2.0]]), "ndcg")


def test_invalid_sparse_matrices_are_refused() -> None:
    good, column = csr_array([[1.0, 2.0]]), csc_array([[1.0], [2.0]])
    for name, wrong in (("indptr", [0, 2**31 - 1]), ("indptr", [0, -5]), ("indices", [0, 7]), ("indices", [-1, 0])):
        for matrix in (good.copy(), column.copy()):
            setattr(matrix, name, np.array(wrong, np.int32))
            with pytest.raises(DataError, match="not a valid sparse matrix"):
                ir.evaluate(matrix, good, "rr")
            with pytest.raises(DataError, match="not a valid sparse matrix"):
                ir.evaluate_factors([[1.0]], [[1.0], [2.0]], matrix, measures="rr")
    coo = coo_array([[1.0, 2.0]])
    coo.row[0] = 10**6
    with pytest.raises(DataError, match="not a valid sparse matrix"):
        ir.evaluate(coo, good, "rr")


MASKED = np.ma.array([1, 1, 2], mask=[False, False, True])


@pytest.mark.parametrize(
    "call",
    [
        lambda: ir.evaluate([1, 0, 1], [1.0, 2.0, 3.0], "rr", query_ids=MASKED),
        lambda: ir.from_arrays([1, 0, 1], query_ids=MASKED),
        lambda: ir.evaluate([1, 0, 1, 0], [1.0, 2.0, 3.0, 4.0], "rr", group=MASKED),
        lambda: ir.evaluate([[1, 0, 1]], [[1.0, 2.0, 3.0]], "rr", mask=MASKED[None]),
        lambda: ir.evaluate([[1, 0, 1]], [MASKED], "rr"),
        lambda: ir.evaluate([[1.5], [1.0, 0.0, 1.0]], [np.ones(1), MASKED], "rr"),
        lambda: ir.evaluate_factors(MASKED[:, None], [[1.0]], csr_array(np.eye(3, 1)), measures="rr"),
        lambda: ir.evaluate_factors([[1.0]], MASKED[:, None], csr_array(np.eye(1, 3)), measures="rr"),
        lambda: ir.evaluate_factors(lambda some: MASKED[None], None, csr_array(np.eye(1, 3)), measures="rr@1"),
        lambda: ir.evaluate({"0": {"1"}}, [MASKED], "rr"),
    ],
    ids=range(10),
)
def test_masks_are_refused_wherever_they_stand(call: Callable[[], Any]) -> None:
    with pytest.raises(DataError, match=r"mask|must be a string or an integer, got None"):
        call()


def test_missing_entries_of_a_dictionary_are_no_ids() -> None:
    pa = pytest.importorskip("pyarrow")
    ids = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    for docs, queries in ((ids, ["q", "q"]), (["a", "b"], ids)):
        table = pa.table({"qid": queries, "doc": docs, "score": [1.0, 2.0]})
        with pytest.raises(DataError, match=r"a value is missing; fill it or remove the row \(row 1"):
            ir.evaluate({"q": {"a": 1}}, table, "rr")


@pytest.mark.parametrize(
    "call",
    [
        lambda: ir.evaluate(np.array(1.0), np.array(2.0), "rr"),
        lambda: ir.evaluate([1, 0], np.float64(2.0), "rr"),
        lambda: ir.evaluate({"q": {"a": 1}}, np.array(2.0), "rr"),
        lambda: ir.evaluate([1], [1.0], "rr", query_ids=np.array(5)),
        lambda: ir.from_arrays([1], doc_ids=np.array(5)),
        lambda: ir.from_arrays([1, 0], doc_ids=np.array([[1], [2]])),
        lambda: ir.from_arrays([1], doc_ids=["\ud800"]),
        lambda: ir.evaluate({"q": {"\ud800": 1}}, {"q": ["a"]}, "rr"),
        lambda: ir.evaluate({"\udbff": {"a": 1}}, {"q": ["a"]}, "rr"),
    ],
    ids=range(9),
)
def test_what_has_no_rows_and_half_characters_are_refused_with_an_error_of_the_package(call: Callable[[], Any]) -> None:
    with pytest.raises(DataError):
        call()


def test_ids_stay_as_they_are_in_every_form() -> None:
    pl = pytest.importorskip("polars")
    ids = ir.from_arrays([1, 0], query_ids=pl.Series(["a\0", "a"])).query_ids
    assert ids.tolist() == ["a\0", "a"]  # arrays of text would lose the zero
    for large in ([2**63, -1], [2**63, 0], [10**25, 1], [2**64, 2**64 + 1]):
        assert [int(each) for each in ir.from_arrays([1, 0], query_ids=large).query_ids] == large
        assert [int(each) for each in ir.from_arrays([1, 0], query_ids=pl.Series(large)).query_ids] == large
        frame = _pandas().DataFrame({"qid": _pandas().Series(large, dtype=object), "doc": large[::-1], "score": 1.0})
        qrels = {query: {doc: 1} for query, doc in zip(large, large[::-1], strict=True)}
        assert ir.evaluate(qrels, frame, "rr").mean == {"rr": 1.0}
    large = pl.Series([2**64, 2**64 + 2**12], dtype=pl.Int128)
    assert ir.evaluate([0, 1], large, "rr").mean == {"rr": 1.0}


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        ([0.5, "x"], "expected a number, got 'x'"),
        ([0.5, None], "a value is missing"),
        ([0.5, 2**53, 2**53 + 1], "are equal as float64"),
        ([2**53, 2**53 + 1], "are equal as float64"),
        ([2**70, 2**70 + 1], "are equal as float64"),
        ([1, 10**400], "too large"),
        ([[1], [2]], "expected a number"),
    ],
)
def test_json_lines_with_other_values_than_numbers_are_refused(scores: Any, text: str, tmp_path: Path) -> None:
    rows = [{"qid": "0", "doc": str(doc), "score": each} for doc, each in enumerate(scores)]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ParseError, match=text):
        ir.evaluate(QRELS, tmp_path / "run.jsonl", "rr")


@pytest.mark.parametrize("run", [{0: [(3, 10**400)]}, {"s": {0: [(3, 10**400)]}}])
def test_a_pair_with_a_number_beyond_float64_is_refused(run: Any) -> None:
    with pytest.raises(DataError, match="too large"):
        ir.evaluate({0: {3: 2}}, run, "ap")


def test_records_that_are_nested_too_deeply_are_an_error_of_the_package(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    inner = '{"a": ' * 900 + "1" + "}" * 900
    (tmp_path / "x.json").write_text(f'[{{"qid": "q", "doc": "d", "label": 1, "metadata": {inner}}}]')
    with pytest.raises(ParseError, match=r"x\.json:1:1: the objects in a record are nested too deeply"):
        ir.evaluate(tmp_path / "x.json", {"q": {"d": 1.0}}, "rr")


def test_a_repeated_row_among_many_lists_is_found_in_linear_time() -> None:
    pd = pytest.importorskip("pandas")
    ids = [*map(str, range(20_000)), "19999"]  # 2 s if each were compared with all others
    frame = pd.DataFrame({"question_id": ids, "relevant": [["a"]] * len(ids), "retrieved": [["a"]] * len(ids)})
    began = time.process_time()
    assert ir.evaluate(frame[:-1], None, "rr").mean["rr"] == 1
    evaluated = time.process_time()
    with pytest.raises(DataError, match=r"a query has one row; it has several .query '19999'"):
        ir.evaluate(frame, None, "rr")
    assert time.process_time() - evaluated < 5 * (evaluated - began)

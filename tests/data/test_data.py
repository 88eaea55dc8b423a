import dataclasses
import io
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles import group_rows, sparse_features
from scipy.sparse import csr_array

import idealrank as ir
from idealrank import Qrels, RankingData, Run, from_arrays
from idealrank.data.lists import JudgedLabels
from idealrank.errors import DataError, OptionError
from idealrank.io import join
from idealrank.results import Ids, Problem

query_columns = st.one_of(
    st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    st.lists(st.sampled_from(["a", "b", "ü", "", "10"]), min_size=1, max_size=30),
)


def as_list(ids: object) -> list[object]:
    return ids.tolist()  # type: ignore[attr-defined, no-any-return]


@given(query_columns)
def test_queries_in_any_order_are_grouped_stably(query_ids: list[object]) -> None:
    rows = np.arange(len(query_ids), dtype=float)
    columns = {"features": rows[:, None], "scores": rows, "weights": rows}
    data = from_arrays(rows, query_ids=query_ids, doc_ids=[f"d{row:.0f}" for row in rows], **columns)  # type: ignore[arg-type]
    expected = group_rows(query_ids)
    assert as_list(data.query_ids) == list(expected)
    for number, members in enumerate(expected.values()):
        assert data.rows[data.offsets[number] : data.offsets[number + 1]].tolist() == members
    for column in (data.labels, data.scores, data.weights, data.known_features()[:, 0]):
        assert_array_equal(column, data.rows)  # every array lies query by query
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == [f"d{row}" for row in data.rows]
    assert data.regrouped == (data.rows.tolist() != sorted(data.rows.tolist()))
    assert_array_equal(data.to_input(data.labels), rows)
    assert_array_equal(data.to_grouped(rows), data.labels)


@pytest.mark.parametrize("sparse", [False, True])
def test_arrays_of_scattered_rows_can_be_used_as_they_are(sparse: bool) -> None:
    rng = np.random.default_rng(3)
    queries, labels, scores = rng.integers(0, 5, 40), rng.integers(0, 3, 40), rng.normal(size=40)
    matrix = rng.normal(size=(40, 2)).astype(np.float32)
    data = from_arrays(labels, query_ids=queries, scores=scores, features=csr_array(matrix) if sparse else matrix)
    order = np.argsort(np.array([data.query_ids.tolist().index(query) for query in queries]), kind="stable")
    expected = ir.ndcg(labels[order], scores[order], data.offsets)
    assert data.scores is not None
    assert_array_equal(ir.ndcg(data.labels, data.scores, data.offsets), expected)
    assert_array_equal(ir.evaluate(labels, scores, "ndcg", query_ids=queries).per_query["ndcg"], expected)
    features = data.known_features()
    assert_array_equal(features.toarray() if sparse else features, matrix[order])  # type: ignore[union-attr]


def test_an_array_beside_moved_rows_must_say_its_order() -> None:
    data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"])
    scores = np.array([1.0, 2.0, 3.0])
    with pytest.raises(DataError, match=r"order='input'.*order='grouped'"):
        ir.evaluate(data, scores, "ndcg")
    with pytest.raises(DataError, match="is ambiguous"):
        ir.compare(data, {"x": scores, "y": scores}, "ndcg")
    with pytest.raises(OptionError, match="order must be 'input', 'grouped' or None, got 'rows'"):
        data.check_scores(scores, "rows")  # type: ignore[arg-type]
    assert data.check_scores(scores, "input").tolist() == [1, 3, 2]
    assert data.check_scores(scores, "grouped").tolist() == [1, 2, 3]
    part = data.subset([1, 0])  # its order is the one that was asked for
    assert not part.regrouped
    assert part.rows.tolist() == [1, 0, 2]
    assert part.check_scores(scores).tolist() == [1, 2, 3]


def test_what_was_checked_stays_true_when_the_caller_reuses_a_buffer() -> None:
    buffer = np.array([1.0, 0.0])
    first = from_arrays(buffer, scores=buffer, weights=buffer)
    buffer[:] = np.nan
    for column in (first.labels, first.scores, first.weights):
        assert_array_equal(column, [1, 0])
    fixed = np.array([1.0, 0.0])
    fixed.flags.writeable = False
    assert np.shares_memory(from_arrays(fixed).labels, fixed)  # nobody can change it: no copy
    view = fixed[:]
    assert np.shares_memory(from_arrays(view).labels, fixed)


def test_data_goes_into_boosters_with_all_it_has() -> None:
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    columns = {"features": [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]], "feature_names": ["bm25", "length"]}
    data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"], query_weights=[2, 0.5], **columns)  # type: ignore[arg-type]
    ours = data.to_lightgbm(params={"verbosity": -1}).construct()
    assert isinstance(ours, lightgbm.Dataset)
    assert ours.get_group().tolist() == data.group_sizes.tolist() == [2, 1]
    assert ours.get_label().tolist() == [1, 2, 0]
    assert ours.get_weight().tolist() == [2, 2, 0.5]
    assert ours.feature_name == ["bm25", "length"]
    theirs = data.to_xgboost()
    assert isinstance(theirs, xgboost.DMatrix)
    assert theirs.get_label().tolist() == [1, 2, 0]
    assert theirs.get_uint_info("group_ptr").tolist() == [0, 2, 3]
    assert theirs.feature_names == ["bm25", "length"]
    with pytest.raises(DataError, match="one weight per query"):
        dataclasses.replace(data, weights=np.ones(3)).to_xgboost()
    with pytest.raises(DataError, match="no features"):
        from_arrays([1]).to_lightgbm()


def test_html_shows_what_there_is_and_its_problems() -> None:
    data = from_arrays([1], problems=(Problem("odd", 1, "1 <odd> thing"),))
    assert "1 document" in data._repr_html_()
    assert "<li>1 &lt;odd&gt; thing</li>" in data._repr_html_()


def test_query_ids_keep_their_type() -> None:
    assert from_arrays([0, 1], query_ids=np.array([7, 5], np.uint8)).query_ids.dtype == np.int64  # type: ignore[union-attr]
    assert isinstance(from_arrays([0, 1], query_ids=np.array(["x", "y"])).query_ids, Ids)
    assert isinstance(from_arrays([0, 1], query_ids=np.array(["x", "y"], object)).query_ids, Ids)
    assert as_list(from_arrays([0, 1], query_ids=np.array([2.0, 1.0])).query_ids) == [2, 1]


def test_offsets_group_and_nothing_say_the_same() -> None:
    by_offsets = from_arrays([1, 0, 2], offsets=[0, 2, 3], query_ids=["x", "y"])
    by_group = from_arrays([1, 0, 2], group=[2, 1])
    assert by_offsets.offsets.tolist() == by_group.offsets.tolist() == [0, 2, 3]
    assert as_list(by_offsets.query_ids) == ["x", "y"]
    assert as_list(by_group.query_ids) == [0, 1]
    assert from_arrays([1, 0, 2]).offsets.tolist() == [0, 3]


def test_a_query_without_documents_is_allowed() -> None:
    data = from_arrays([1], group=[0, 1, 0])
    assert data.n_queries == 3
    assert data.subset([0]).n_docs == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"labels": [0, np.nan], "query_ids": ["a", "b"]},
            r"label must be a finite number, got nan \(query 'b', row 1\)",
        ),
        ({"labels": [0, 1], "query_ids": [4, 4], "scores": [0, np.inf]}, r"score .* got inf \(query 4, row 1\)"),
        ({"labels": [0, 1, 0], "query_ids": [4, 5, 4], "scores": [0, 0, np.nan]}, r"got nan \(query 4, row 2\)"),
        ({"labels": [0, 1], "weights": [1, -1]}, r"weight .* got -1.0"),
        ({"labels": [0, 1], "query_ids": [1]}, "one entry per document: 2, got 1"),
        ({"labels": [0, 1], "scores": [1.0]}, "scores must have one entry per document: 2, got 1"),
        ({"labels": [0, 1], "doc_ids": ["a"]}, "doc_ids must have one entry per document: 2, got 1"),
        ({"labels": [0, 1], "features": np.zeros((3, 1))}, r"features must have shape .*got \(3, 1\)"),
        ({"labels": [0, 1], "features": [["x"], ["y"]]}, "features must be numbers"),
        ({"labels": [0, 1], "offsets": [0, 1]}, "end at the number of documents, 2, got 1"),
        ({"labels": [0, 1], "offsets": [1, 2]}, "start at 0"),
        ({"labels": [0, 1], "offsets": [0, 2, 1, 2]}, r"not decrease, got 2 and then 1 \(query 1\)"),
        ({"labels": [0, 1], "offsets": [0.0, 2.0]}, "offsets must be integers"),
        ({"labels": [0, 1], "offsets": []}, "offsets must be integers"),
        ({"labels": [0, 1], "offsets": [0, 1, 2], "query_ids": ["a", "a"]}, r"is repeated \(query 'a'\)"),
        ({"labels": [0, 1], "offsets": [0, 1, 2], "query_ids": [3, 3]}, r"is repeated \(query 3\)"),
        ({"labels": [0, 1], "group": [1, 2]}, "sum to the number of documents, 2, got 3"),
        ({"labels": [0, 1], "group": [3, -1]}, "non-negative integers"),
        ({"labels": [0, 1], "group": [2], "offsets": [0, 2]}, "not both"),
        ({"labels": [[0, 1]]}, "one dimension"),
        ({"labels": ["x"]}, "labels must be numbers"),
        ({"labels": [0, 1], "query_ids": [[1, 2]]}, "string or an integer"),
        ({"labels": [0, 1], "query_ids": np.array([1.5, 2.0])}, "string or an integer, got 1.5"),
        ({"labels": [0, 1], "query_ids": np.array([np.inf, 2.0])}, "string or an integer, got inf"),
        ({"labels": [0, 1], "query_ids": np.array([2.0**53, 2.0**53 + 2])}, "string or an integer, got 9"),
    ],
)
def test_bad_arrays_are_refused_by_name_and_place(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_arrays(**arguments)  # type: ignore[arg-type]


def test_constructor_checks_order_and_judged() -> None:
    with pytest.raises(DataError, match="permutation"):
        RankingData(np.zeros(2), np.array([0, 2]), np.array([1]), input_rows=np.array([0, 0]), regrouped=True)
    with pytest.raises(DataError, match="judged must have as many queries as the rankings: 1, got 2"):
        RankingData(np.zeros(2), np.array([0, 2]), np.array([1]), judged=JudgedLabels(np.zeros(1), np.array([0, 1, 1])))


def test_data_is_frozen_and_leaves_the_callers_arrays_alone() -> None:
    labels = np.array([1.0, 0.0])
    data = from_arrays(labels)
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.labels = labels  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        data.labels[0] = 5
    labels[0] = 3  # the caller's array is still the caller's


def test_subset_takes_everything_along() -> None:
    data = from_arrays(
        [0, 1, 2, 3],
        query_ids=[9, 8, 9, 8],
        features=csr_array(np.eye(4)),
        scores=[4, 3, 2, 1],
        weights=[1, 2, 3, 4],
        doc_ids="wxyz",
    )
    part = data.subset([1])
    assert part.labels.tolist() == [1, 3]
    assert sparse_features(part).toarray().argmax(axis=1).tolist() == [1, 3]
    assert part.scores is not None
    assert part.scores.tolist() == [3, 1]
    assert part.weights is not None
    assert part.weights.tolist() == [2, 4]
    assert part.doc_ids is not None
    assert part.doc_ids.tolist() == ["x", "z"]
    assert data.subset(np.array([False, True])).labels.tolist() == [1, 3]
    assert data.subset([]).n_queries == 0


@pytest.mark.parametrize("indices", [[2], [-1], [0.5], [True]])
def test_subset_refuses_what_is_not_there(indices: list[float]) -> None:
    with pytest.raises(DataError):
        from_arrays([0, 1], group=[1, 1]).subset(indices)


@given(st.integers(2, 40), st.integers(2, 7), st.integers(0, 5))
def test_folds_and_splits_partition_the_queries(n_queries: int, k: int, seed: int) -> None:
    data = from_arrays(np.zeros(n_queries), query_ids=range(n_queries))
    k = min(k, n_queries)
    tests = []
    for train, test in data.folds(k, seed=seed):
        assert sorted(as_list(train.query_ids) + as_list(test.query_ids)) == list(range(n_queries))  # type: ignore[type-var]
        tests += as_list(test.query_ids)
    assert sorted(tests) == list(range(n_queries))  # type: ignore[type-var]
    parts = data.split((0.5, 0.3, 0.2), seed=seed)
    drawn = [query for part in parts for query in as_list(part.query_ids)]
    assert sorted(drawn) == list(range(n_queries))  # type: ignore[type-var]
    again = data.split((0.5, 0.3, 0.2), seed=seed)
    assert [as_list(part.query_ids) for part in parts] == [as_list(part.query_ids) for part in again]


@pytest.mark.parametrize("fractions", [(0.7, 0.4), (0, 1), (), (-0.1, 0.5)])
def test_impossible_splits_are_refused(fractions: tuple[float, ...]) -> None:
    with pytest.raises(DataError, match="fractions"):
        from_arrays(np.zeros(4), group=[1] * 4).split(fractions)


@pytest.mark.parametrize("k", [1, 5])
def test_impossible_folds_are_refused(k: int) -> None:
    with pytest.raises(DataError, match="k must be from 2"):
        from_arrays(np.zeros(4), group=[1] * 4).folds(k)


def test_repr_says_what_there_is() -> None:
    data = from_arrays(np.arange(9) / 2, features=csr_array((9, 1234)), scores=np.zeros(9))
    assert repr(data) == "RankingData(1 query, 9 documents, 1,234 sparse features, labels 0 to 4, scores)"


def test_pickles() -> None:
    data = from_arrays([1, 0], query_ids=["b", "a"], features=np.eye(2))
    again = pickle.loads(pickle.dumps(data))
    assert_array_equal(again.labels, data.labels)
    assert again.query_ids == data.query_ids
    qrels = Qrels({"q": {"d": 1}})
    assert pickle.loads(pickle.dumps(qrels)) == qrels


def test_qrels_and_run_read_as_nested_dicts() -> None:
    nested = {"q1": {"d1": 2.0, "d2": 0.0}, "q2": {"d1": 1.0}}
    qrels = Qrels(nested)
    assert qrels == nested
    assert dict(qrels) == nested
    assert qrels.to_dict() == nested
    assert list(qrels) == ["q1", "q2"]
    assert "q3" not in qrels
    with pytest.raises(KeyError):
        qrels["q3"]
    assert qrels.offsets.tolist() == [0, 2, 3]
    assert Run({1: {10: 0.5}}) == {"1": {"10": 0.5}}
    assert Qrels(nested) != Run(nested)


def test_qrels_and_run_are_frozen() -> None:
    run = Run({"q": {"d": 1.0}})
    with pytest.raises(AttributeError, match="frozen"):
        run.name = "x"
    with pytest.raises(ValueError, match="read-only"):
        run.scores[0] = 2


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"q": {"d": np.nan}}, r"score must be a finite number, got nan \(query 'q', row 0\)"),
        ({"q": {"d": 1.0, "e": np.inf}}, r"got inf \(query 'q', row 1\)"),
        ({"q": [1.0]}, r"expected {document: score}, got list \(query 'q'\)"),
        ({"q": {"d": "high"}}, "scores must be numbers"),
        ({1: {"d": 1.0}, "1": {"d": 2.0}}, "is repeated"),
        ({None: {"d": 1.0}}, "string or an integer"),
    ],
)
def test_bad_runs_are_refused(nested: dict[object, dict[str, float]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Run(nested)


def test_of_a_document_that_stands_twice_the_last_number_counts() -> None:
    run: Run = Run.from_flat(
        Ids.of(["p", "q"]), np.array([0, 1, 4]), Ids.of(["d1", "d1", "d2", "d1"]), np.array([9.0, 1.0, 2.0, 3.0])
    )
    assert run == {"p": {"d1": 9.0}, "q": {"d1": 3.0, "d2": 2.0}}
    assert [(problem.kind, problem.count) for problem in run.problems] == [("duplicate", 1)]
    assert "'d1' in query 'q'" in run.problems[0].message


@given(
    st.dictionaries(st.sampled_from("abcd"), st.dictionaries(st.sampled_from("uvwxyz"), st.integers(0, 3))),
    st.dictionaries(st.sampled_from("abcd"), st.dictionaries(st.sampled_from("uvwxyz"), st.floats(-5, 5))),
)
def test_join_judges_every_retrieved_document(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> None:
    if qrels and run and not set(qrels) & set(run):
        with pytest.raises(DataError, match="no query in common"):
            join(qrels, run)
        return
    data = join(qrels, run)
    assert as_list(data.query_ids) == list(qrels)
    assert data.scores is not None
    assert data.doc_ids is not None
    assert data.judged is not None
    for number, (query, judged) in enumerate(qrels.items()):
        rows = slice(int(data.offsets[number]), int(data.offsets[number + 1]))
        retrieved = run.get(query, {})
        assert data.doc_ids[rows].tolist() == list(retrieved)
        assert data.scores[rows].tolist() == list(retrieved.values())
        assert_array_equal(data.labels[rows], [judged.get(doc, np.nan) for doc in retrieved])
        start, end = data.judged.offsets[number : number + 2]
        assert data.judged.labels[start:end].tolist() == list(judged.values())
    problems = {problem.kind: problem.count for problem in data.problems}
    assert problems.get("unretrieved query", 0) == len(set(qrels) - set(run))
    assert problems.get("unjudged query", 0) == len(set(run) - set(qrels))


def test_a_score_of_minus_infinity_ranks_last() -> None:
    masked = ir.Run({"q": {"a": -np.inf, "b": -5.0, "c": 1.0}, "p": {"a": -np.inf}})
    assert np.isfinite(masked.scores).all()
    assert sorted(masked["q"], key=masked["q"].__getitem__) == ["a", "b", "c"]
    data = ir.from_arrays([1, 0, 2], scores=[-np.inf, 3.0, -7.0])
    assert data.scores is not None
    assert np.argsort(data.scores).tolist() == [0, 2, 1]
    assert np.argsort(data.check_scores([3, -np.inf, 2])).tolist() == [1, 2, 0]
    assert np.float32(data.scores[0]) < np.float32(-7.0)
    for bad in (np.inf, np.nan):
        with pytest.raises(DataError, match="finite number"):
            ir.Run({"q": {"a": bad}})


def test_runs_and_judgments_of_folds_are_concatenated() -> None:
    first, second = ir.Run({"q1": {"a": 1.0, "b": 2.0}}, name="x"), ir.Run({"q2": {"a": 3.0}}, name="x")
    both = ir.io.concatenate([first, second])
    assert both.name == "x"
    assert both.to_dict() == {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 3.0}}
    assert ir.io.concatenate([first, ir.Run({"q2": {"a": 3.0}}, name="y")]).name == ""
    qrels = [ir.Qrels({"q1": {"a": 1}}), ir.Qrels({"q2": {"b": 0}})]
    assert ir.io.concatenate(qrels) == {"q1": {"a": 1.0}, "q2": {"b": 0.0}}
    with pytest.raises(DataError, match=r"a query is in two parts \(query 'q1'\)"):
        ir.io.concatenate([second, first, first])
    with pytest.raises(DataError, match="all be RankingData, all Run or all Qrels, got Run and Qrels"):
        ir.io.concatenate([first, qrels[0]])  # type: ignore[list-item]


def arrays_of(data: ir.RankingData | ir.Qrels | ir.Run) -> dict[str, npt.NDArray[Any]]:
    found = {name: array for name, array in vars(data).items() if isinstance(array, np.ndarray)}
    for name, ids in vars(data).items():
        if isinstance(ids, Ids):
            found |= {f"{name}.buffer": ids.buffer, f"{name}.offsets": ids.offsets}
    if isinstance(data, ir.RankingData) and data.judged is not None:
        found |= {"judged.labels": data.judged.labels, "judged.offsets": data.judged.offsets}
    return found


def ranking_data_of(array: Callable[[Any], Any]) -> tuple[ir.RankingData, list[Any]]:
    given = {
        "labels": array([1.0, 0.0, 2.0]),
        "offsets": array([0, 2, 3]),
        "query_ids": array([7, 8]),
        "scores": array([0.5, 1.0, 2.0]),
        "weights": array([1.0, 1.0, 2.0]),
        "query_weights": array([1.0, 2.0]),
        "input_rows": array([0, 2, 1]),
    }
    judged = (array([1.0, 0.0, 2.0]), array([0, 2, 3]))
    data = ir.RankingData(**given, judged=JudgedLabels(*judged), regrouped=True)
    return data, [*given.values(), *judged]


def of_bytes(values: list[float]) -> npt.NDArray[Any]:
    array = np.asarray(values)
    frozen = np.frombuffer(bytearray(array.tobytes()), array.dtype)
    frozen.flags.writeable = False  # but the bytearray below is not
    return frozen


@pytest.mark.parametrize("array", [np.array, lambda values: np.array(values)[:], of_bytes])
def test_no_array_of_the_caller_reaches_frozen_data(array: Callable[[Any], Any]) -> None:
    data, given = ranking_data_of(array)
    qrels = ir.Qrels.from_flat(Ids.of(["a", "b"]), array([0, 1, 2]), Ids.of(["d", "e"]), array([1.0, 2.0]))
    run = ir.Run.from_flat(Ids.of(["a", "b"]), array([0, 1, 2]), Ids.of(["d", "e"]), array([1.0, 2.0]))
    for value in (data, qrels, run):
        for name, own in arrays_of(value).items():
            assert not own.flags.writeable, name
            assert not any(np.shares_memory(own, other) for other in given), name
            with pytest.raises(ValueError, match="read-only"):
                own[...] = 0


def test_a_buffer_that_is_used_again_changes_no_earlier_data() -> None:
    buffer = np.empty(2)
    batches = []
    for labels in ([0.0, 1.0], [1.0, 0.0]):
        buffer[:] = labels
        batches.append(ir.from_arrays(buffer, scores=buffer, weights=buffer, offsets=np.array([0, 2])))
    assert [batch.labels.tolist() for batch in batches] == [[0.0, 1.0], [1.0, 0.0]]
    assert [ir.measure("rr")(batch.labels, [1.0, 2.0])[0] for batch in batches] == [1.0, 0.5]


def test_frozen_arrays_are_not_copied() -> None:
    labels = np.array([1.0, 0.0])
    labels.flags.writeable = False
    assert np.shares_memory(ir.from_arrays(labels).labels, labels)
    data = ir.from_arrays([1.0, 0.0])
    assert np.shares_memory(data.labels, ir.RankingData(data.labels, data.offsets, data.query_ids).labels)
    read = ir.read_run(io.BytesIO(b"q Q0 d 1 2 t\n"))
    assert read.scores.base is not None  # still the memory that the reader filled


def test_ids_keep_no_view_of_memory_that_can_change() -> None:
    buffer, offsets = np.frombuffer(bytearray(b"ab"), np.uint8), np.array([0, 1, 2])
    ids = Ids(buffer, offsets[:])
    offsets[:] = 2**60
    assert ids.tolist() == ["a", "b"]


def test_checks_hold_for_what_another_thread_changes() -> None:
    """Each check sees the arrays that are kept: one that changes meanwhile gives an error, or data that is right."""
    offsets, rows, weights = np.array([0, 2, 4]), np.arange(4), np.ones(2)
    stop = threading.Event()

    def scribble() -> None:
        while not stop.is_set():
            for wild in (2**60, -(2**60), 3):
                offsets[1] = rows[1] = wild
                weights[0] = -1
            offsets[1], rows[1], weights[0] = 2, 1, 1

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for _ in range(2000):
            with suppress(DataError):
                data = ir.RankingData(
                    np.ones(4), offsets, np.arange(2), query_weights=weights, input_rows=rows, regrouped=True
                )
                assert data.offsets.tolist() in ([0, 2, 4], [0, 3, 4])
                assert sorted(data.rows.tolist()) == [0, 1, 2, 3]
                assert data.query_weights is not None
                assert data.query_weights[0] == 1
            with suppress(DataError):
                qrels = ir.Qrels.from_flat(Ids.of(["a", "b"]), offsets, Ids.of(list("defg")), np.ones(4))
                assert qrels.offsets.tolist() in ([0, 2, 4], [0, 3, 4])
    finally:
        stop.set()
        thread.join()


_TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)


@pytest.mark.slow
@given(st.dictionaries(_TEXTS, st.dictionaries(_TEXTS, st.integers(-5, 10**6) | st.floats(-1e300, 1e300), max_size=9)))
def test_dicts_become_the_same_arrays_as_other_mappings(queries: dict[str, dict[str, float]]) -> None:
    class Other(dict[str, Any]):
        """A mapping that the native core leaves to Python."""

    for made in (Qrels, Run):
        ours, theirs = made(queries), made(Other({query: Other(docs) for query, docs in queries.items()}))
        assert ours.to_dict() == theirs.to_dict() == queries
        assert ours.doc_ids == theirs.doc_ids
        assert_array_equal(ours.offsets, theirs.offsets)


@pytest.mark.parametrize(
    ("docs", "expected"),
    [
        ({1: 2}, {"1": 2.0}),
        ({"a": np.float32(0.5), "b": np.int64(3)}, {"a": 0.5, "b": 3.0}),
        ({"\udcc3\udca9": 1, "é": 2}, {"é": 2.0}),  # the same bytes
        ({"a": 1, b"a": 2}, {"a": 2.0}),
        ({"a": 2**70}, {"a": float(2**70)}),
    ],
)
def test_dicts_of_other_ids_and_numbers_are_read_as_before(docs: Any, expected: dict[str, float]) -> None:
    assert Qrels({"q": docs}).to_dict() == {"q": expected}


@pytest.mark.parametrize("docs", [{"a": "x"}, {"a": None}, {"a": float("nan")}, {1.5: 1}, {"a": 10**400}, [1], None])
def test_dicts_of_what_is_no_number_are_refused(docs: Any) -> None:
    with pytest.raises(DataError):
        Qrels({"q": docs})

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import idealrank as ir
from idealrank import measures
from idealrank.data.ranking import Order
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.measures.conventions import Convention, convention

LOG3 = math.log2(3)
QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
RUN = {"q1": {"a": 0.1, "b": 0.9, "c": 0.5}, "q2": {"z": 2.0, "a": 1.0}}
# q1 ranks b, c, a: (1/log2(3) + 2/2) / (2 + 1/log2(3)); q2 has its only relevant document second.
Q1, Q2 = (1 / LOG3 + 1) / (2 + 1 / LOG3), 1 / LOG3


def rules(**choices: Any) -> Convention:
    return Convention("of this test", **choices)


def test_judgments_and_a_run_as_dicts_or_as_objects() -> None:
    for qrels in (QRELS, ir.Qrels(QRELS)):
        for run in (RUN, ir.Run(RUN)):
            ev = ir.evaluate(qrels, run, ["ndcg", "rr"])
            assert list(ev.query_ids) == ["q1", "q2"]
            assert_allclose(ev.per_query["ndcg"], [Q1, Q2], rtol=1e-12, atol=0)
            assert_allclose(ev.per_query["rr"], [1 / 2, 1 / 2], rtol=1e-12, atol=0)
            assert ev.convention.name == "trec_eval"


def test_queries_are_those_of_the_judgments_in_their_order() -> None:
    run = {"q9": {"a": 1.0}, **dict(reversed(RUN.items()))}
    ev = ir.evaluate(QRELS, run, "ndcg")
    assert list(ev.query_ids) == ["q1", "q2"]
    assert_allclose(ev.per_query["ndcg"], [Q1, Q2], rtol=1e-12, atol=0)
    assert [problem.kind for problem in ev.problems] == ["unjudged query", "unjudged document"]


def test_arrays_with_offsets_with_query_ids_or_as_one_query() -> None:
    labels, scores = [0, 1, 2, 1], [3.0, 2.0, 1.0, 7.0]
    cut = ir.evaluate(labels, scores, "dcg", offsets=[0, 3, 4])
    assert_allclose(cut.per_query["dcg"], [1 / LOG3 + 3 / 2, 1], rtol=1e-12, atol=0)
    assert_array_equal(cut.query_ids, [0, 1])
    named = ir.evaluate(labels, scores, "dcg", query_ids=["x", "x", "x", "y"])
    assert_array_equal(named.per_query["dcg"], cut.per_query["dcg"])
    assert list(named.query_ids) == ["x", "y"]
    one = ir.evaluate(labels, scores, "dcg")
    assert_allclose(one.per_query["dcg"], [1 + 1 / 2 + 3 / math.log2(5)], rtol=1e-12, atol=0)
    assert one.convention.name == "idealrank"


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=20), st.randoms()
)
def test_rows_in_any_order_give_the_same_values(rows: list[tuple[int, int, int]], random: Any) -> None:
    random.shuffle(rows)
    together = sorted(rows, key=lambda row: row[0])
    names = ["ndcg", "ndcg@2", "ap", "rr", "kendall_tau"]
    values = []
    for arranged in (rows, together):
        query_ids, labels, scores = zip(*arranged, strict=True)
        ev = ir.evaluate(ir.from_arrays(labels, query_ids=query_ids), scores, names, order="input")
        values.append({q: [ev.per_query[m][i] for m in names] for i, q in enumerate(np.asarray(ev.query_ids).tolist())})
    assert values[0].keys() == values[1].keys()
    for query, each in values[0].items():
        assert_allclose(each, values[1][query], rtol=1e-12, atol=1e-12)


def test_scores_are_in_the_order_that_was_said() -> None:
    data = ir.from_arrays([1, 0, 0, 2], query_ids=["a", "b", "a", "b"], scores=[2.0, 2.0, 1.0, 1.0])
    orders: tuple[Order, Order] = ("input", "grouped")
    for order, scores in zip(orders, ([2.0, 2.0, 1.0, 1.0], [2.0, 1.0, 2.0, 1.0]), strict=True):
        found = ir.evaluate(data, scores, "rr", order=order).per_query["rr"]
        assert_allclose(found, [1, 1 / 2], rtol=0, atol=0)
    assert_allclose(ir.evaluate(data, None, "rr").per_query["rr"], [1, 1 / 2], rtol=0, atol=0)
    turned = ir.evaluate(data, [1.0, 1.0, 2.0, 2.0], "rr", order="input").per_query["rr"]
    assert_allclose(turned, [1 / 2, 1], rtol=0, atol=0)


def test_document_ids_break_ties_also_where_rows_are_shuffled() -> None:
    data = ir.from_arrays([1, 1, 0, 0], query_ids=[1, 2, 1, 2], doc_ids=["a", "a", "b", "b"])
    for ties, value in (("docid_desc", 1 / 2), ("docid_asc", 1.0)):
        name = f"rr(ties={ties})"
        assert_allclose(
            ir.evaluate(data, np.zeros(4), name, order="input").per_query[name], [value, value], rtol=0, atol=0
        )


def test_without_document_ids_the_row_number_stands_in() -> None:
    values = {
        "rr(ties=docid_asc)": 1.0,
        "rr(ties=docid_desc)": 1 / 3,
        "auc(ties=docid_asc)": 1.0,
        "auc(ties=docid_desc)": 0.0,
    }
    assert ir.evaluate([1, 0, 0], [1, 1, 1], list(values)).mean == values


def test_several_systems() -> None:
    both = ir.evaluate(QRELS, {"one": RUN, "two": ir.Run({"q1": {"a": 1.0}, "q2": {"a": 1.0}})}, ["ndcg", "rr"])
    assert isinstance(both, Evaluations)
    assert list(both) == ["one", "two"]
    assert len(both) == 2
    assert both["one"].mean == ir.evaluate(QRELS, RUN, ["ndcg", "rr"]).mean
    assert both.mean["two"]["rr"] == 1
    assert repr(both).splitlines()[0] == "one: Evaluation(ndcg 0.6254, rr 0.5000; 2 queries, like trec_eval)"

    data = ir.from_arrays([1, 0], query_ids=["q", "q"])
    systems = ir.evaluate(data, {"up": [1.0, 2.0], "down": [2.0, 1.0]}, "rr")
    assert systems.mean == {"up": {"rr": 0.5}, "down": {"rr": 1.0}}


def test_results_are_keyed_by_the_measures_as_given() -> None:
    ev = ir.evaluate([0, 1], [2, 1], ["nDCG@10", "MAP", "ndcg_cut_10", measures.NDCG(gain="linear") @ 5])
    assert list(ev.per_query) == list(ev.mean) == ["nDCG@10", "MAP", "ndcg_cut_10", "ndcg(gain=linear)@5"]
    assert ev.mean["nDCG@10"] == ev.mean["ndcg_cut_10"]
    assert list(ir.evaluate([0, 1], [2, 1], "rr").mean) == ["rr"]
    assert list(ir.evaluate([0, 1], [2, 1]).mean) == ["ndcg@10"]


def test_one_call_with_many_measures_gives_what_each_gives_alone() -> None:
    names = ["ndcg@1", "ndcg(ties=best)", "ap(ties=stable)", "rr(ties=docid_desc)", "judged", "bpref", "auc", "err"]
    together = ir.evaluate(QRELS, RUN, names)
    for name in names:
        assert_array_equal(together.per_query[name], ir.evaluate(QRELS, RUN, name).per_query[name], err_msg=name)


def test_values_are_read_only() -> None:
    values = ir.evaluate(QRELS, RUN, "ndcg").per_query["ndcg"]
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1


def test_a_measure_keeps_what_it_names_and_the_convention_fills_the_rest() -> None:
    ev = ir.evaluate([0, 1], [2, 1], ["ndcg", "ndcg(gain=linear)@3"], like="lightgbm")
    assert ev.conventions == {
        "convention": "lightgbm",
        "data": {
            "negative": "error",
            "unjudged": "zero",
            "missing": 0.0,
            "duplicates": "last",
            "identical_ids": "keep",
            "zero_scores": "keep",
            "precision": "float64",
            "labels": "integer",
        },
        "measures": {
            "ndcg": "ndcg(ties=stable,empty=1,gain=exp2:30,discount=log:2,ideal=retrieved,short=as is)",
            "ndcg(gain=linear)@3": "ndcg(ties=stable,empty=1,gain=linear,discount=log:2,ideal=retrieved,short=as is)@3",
        },
        "exceptions": {},
    }
    for name, text in ev.conventions["measures"].items():
        assert ir.measure(text) == ev.filled[name]


def test_the_interval_is_that_of_the_score_method() -> None:
    # Four queries with the values 1, 1/2, 1/2, 0: mean 1/2, mean square deviation 1/8, of at most 1/4.
    labels, scores = [1, 0, 0, 1, 0, 1, 0, 0], [2, 1] * 4
    ev = ir.evaluate(labels, scores, "rr", offsets=[0, 2, 4, 6, 8])
    relative = (4 * 0.5 + 0.25) / 4.25
    for level, quantile in ((0.95, 3.18244630528), (0.5, 0.764892328)):  # of t with 3 degrees of freedom
        for end in ev.interval(level)["rr"]:
            assert_allclose(abs(end - 0.5), quantile * math.sqrt(relative * end * (1 - end) / 4), rtol=1e-8, atol=0)
    assert np.isnan(ir.evaluate([1, 0], [2, 1], "rr").interval()["rr"]).all()
    for level in (0, 1, 95):
        with pytest.raises(OptionError, match=f"level must be between 0 and 1, got {level}"):
            ev.interval(level)


def test_json_holds_everything_and_no_nan() -> None:
    ev = ir.evaluate(
        {"Zürich": {"a": 1}, "q2": {"a": 0}}, {"Zürich": {"z": 2, "a": 1}, "q2": {"a": 1}}, "rr(empty=nan)"
    )
    text = ev.to_json()
    assert "Zürich" in text
    content = json.loads(text)
    assert content["idealrank"] == ir.__version__
    assert content["numpy"] == np.__version__
    assert content["conventions"] == ev.conventions
    assert content["n_queries"] == 2
    assert content["query_ids"] == ["Zürich", "q2"]
    assert content["mean"] == {"rr(empty=nan)": None}
    assert content["per_query"] == {"rr(empty=nan)": [0.5, None]}
    assert content["problems"] == [
        {
            "kind": "unjudged document",
            "count": 1,
            "message": "1 (33.3%) of the ranked documents are unjudged",
            "total": 3,
            "system": "",
        }
    ]
    numbers = json.loads(ir.evaluate([1, 0], [1, 2], "rr", query_ids=[7, 7]).to_json())
    assert numbers["query_ids"] == [7]


@pytest.mark.parametrize(("empty", "value"), [("0", 0.0), ("1", 1.0), ("nan", math.nan), ("skip", math.nan)])
def test_a_query_with_nothing_relevant(empty: str, value: float) -> None:
    for base in ("ndcg", "ap", "rr", "p", "recall", "auc", "err", "rbp"):
        name = f"{base}(empty={empty})"
        ev = ir.evaluate([1, 0, 0, 0], [2, 1, 2, 1], name, offsets=[0, 2, 4])
        first = ev.per_query[name][0]
        assert first > 0
        assert_allclose(ev.per_query[name][1], value, rtol=0, atol=0, err_msg=name)
        mean = first if empty == "skip" else (first + value) / 2
        assert_allclose(ev.mean[name], mean, rtol=1e-12, atol=0, err_msg=name)


def test_a_mean_of_skipped_queries_alone_is_nan() -> None:
    ev = ir.evaluate([0, 0], [2, 1], "ndcg(empty=skip)")
    assert np.isnan(ev.mean["ndcg(empty=skip)"])
    assert np.isnan(ev.interval()["ndcg(empty=skip)"]).all()


def test_skipped_queries_are_counted_in_problems() -> None:
    ev = ir.evaluate([1, 0, 0, 0], [2, 1, 2, 1], "ndcg(empty=skip)", offsets=[0, 2, 4])
    assert [(problem.kind, problem.count) for problem in ev.problems] == [("skipped query", 1)]


@pytest.mark.parametrize(
    ("negative", "ndcg", "p", "judged"),
    [
        ("unjudged", 1 / LOG3, 1 / 3, 2 / 3),
        ("keep", -1 + 1 / LOG3, 1 / 3, 1.0),  # the ideal run leaves out the document that harms
        ("drop", 1.0, 1 / 2, 1.0),
    ],
)
def test_negative_labels(negative: str, ndcg: float, p: float, judged: float) -> None:
    like = rules(negative=negative, options={"gain": "linear"})
    ev = ir.evaluate(
        {"q": {"a": -1, "b": 1, "c": 0}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["ndcg", "p", "judged"], like=like
    )
    assert_allclose(list(ev.mean.values()), [ndcg, p, judged], rtol=1e-12, atol=0)


def test_the_ideal_order_of_retrieved_documents_has_those_that_harm_last() -> None:
    like = rules(negative="keep", options={"gain": "linear", "ideal": "retrieved"})
    ev = ir.evaluate({"q": {"a": -1, "b": 1, "c": 0}}, {"q": {"a": 3, "b": 2, "c": 1}}, "ndcg", like=like)
    assert_allclose(ev.mean["ndcg"], (-1 + 1 / LOG3) / (1 - 1 / 2), rtol=1e-12, atol=0)


def test_a_negative_label_is_an_error_with_its_place_where_the_convention_says_so() -> None:
    with pytest.raises(DataError, match=r"takes no negative label, got -1 \(query 1, row 2\)"):
        ir.evaluate([1, 0, -1], [3, 2, 1], "ndcg", offsets=[0, 2, 3])


def test_unjudged_documents_count_0_or_are_dropped() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}, {"q": {"x": 3, "a": 2, "b": 1}, "r": {"y": 1}}
    names = ["rr", "p@1", "judged"]
    zero = ir.evaluate(qrels, run, names, like=rules(unjudged="zero"))
    assert_allclose(
        [zero.per_query[name] for name in names], [[1 / 2, 0.0], [0.0, 0.0], [2 / 3, 0.0]], rtol=1e-12, atol=0
    )
    drop = ir.evaluate(qrels, run, names, like=rules(unjudged="drop"))
    # Of r nothing is left: it was retrieved, though, and is not missing.
    assert_allclose([drop.per_query[name] for name in names], [[1, 0], [1, 0], [1, 0]], rtol=1e-12, atol=0)
    assert list(drop.query_ids) == ["q", "r"]


@pytest.mark.parametrize(("missing", "queries"), [(0.0, ["q", "r", "s"]), ("drop", ["q", "s"])])
def test_a_query_that_the_run_leaves_out(missing: float | str, queries: list[str]) -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 0, "b": 1}}
    ev = ir.evaluate(qrels, {"q": {"a": 1}, "s": {"a": 2, "b": 1}}, ["rr", "ndcg"], like=rules(missing=missing))
    assert list(ev.query_ids) == queries
    assert_allclose(ev.per_query["rr"], [1.0, 0.0, 0.5] if missing == 0 else [1.0, 0.5], rtol=0, atol=0)
    assert_allclose(ev.per_query["ndcg"][-1], 1 / LOG3, rtol=1e-12, atol=0)
    assert [(problem.kind, problem.count) for problem in ev.problems] == [("unretrieved query", 1)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pairwise_error", (2 + 3 + 1) / 3),  # all pairs of the labels 3, 1, 0 in the wrong order
        ("pairwise_error(normalize=weights)", 1.0),
        ("pairwise_error(normalize=none)", 6.0),
        ("ndcg_p_value", 1.0),
        ("kendall_tau", 0.0),
    ],
)
def test_a_query_that_the_run_leaves_out_is_not_the_best_one(name: str, expected: float) -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1, "b": 0, "c": 3}}
    ev = ir.evaluate(qrels, {"q": {"a": 2, "b": 1}}, name, like=rules(missing=0.0))
    assert ev.per_query[name][1] == expected


def test_a_query_that_the_run_leaves_out_can_be_an_error() -> None:
    with pytest.raises(DataError, match=r"the run has nothing for a judged query, .* refuses \(query 'r'\)"):
        ir.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1}}, "rr", like=rules(missing="error"))


@pytest.mark.parametrize("name", ["rr(empty=skip)", "ndcg(empty=skip,ideal=retrieved)", "auc(empty=nan)"])
def test_a_missing_query_has_no_value_where_nothing_in_it_could_be_found(name: str) -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 0}, "s": {"a": 1, "b": 0}}
    ev = ir.evaluate(qrels, {"q": {"a": 2, "b": 1}}, name, like=rules())
    assert_array_equal(ev.per_query[name], [1.0, math.nan, 0.0])


def test_a_missing_query_with_nothing_relevant_counts_0_unless_such_queries_have_no_value() -> None:
    ev = ir.evaluate({"q": {"a": 1}, "r": {"a": 0}}, {"q": {"a": 1}}, "rr(empty=1)", like=rules())
    assert_array_equal(ev.per_query["rr(empty=1)"], [1.0, 0.0])


def test_several_systems_are_measured_on_their_common_queries_and_problems_says_so() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 1}}
    runs = {"one": {"q": {"a": 1.0}, "r": {"a": 1.0}}, "two": {"s": {"a": 1.0}, "r": {"a": 1.0}}}
    both = ir.evaluate(qrels, runs, "rr", like=rules(missing="drop"))
    assert [list(each.query_ids) for each in both.values()] == [["r"], ["r"]]
    assert [(problem.kind, problem.count) for problem in both.problems] == [
        ("unretrieved query", 1),
        ("unretrieved query", 1),
        ("different queries", 2),
    ]
    assert "first 'q', which 'two' does not have" in str(both.problems[-1])
    same = ir.evaluate(qrels, runs, "rr", like=rules(missing=0.0))
    assert "different queries" not in [problem.kind for problem in same.problems]


def test_a_convention_can_compare_scores_otherwise_for_one_measure() -> None:
    like = rules(precision="float32", options={"ties": "stable"}, overrides={"rr@": {"precision": "float64"}})
    for names in (["rr", "rr@2"], ["rr@2", "rr"]):
        ev = ir.evaluate([0, 1], [1.0, 1.0 + 1e-9], names, like=like)
        assert list(ev.per_query) == names
        assert ev.mean == {"rr": 0.5, "rr@2": 1.0}
        assert ev.conventions["exceptions"] == {"rr@2": {"precision": "float64"}}
        assert [problem.kind for problem in ev.problems] == ["float32 collision", "tied document"]


def test_errors_of_the_native_core_name_the_query_and_the_callers_row() -> None:
    labels, scores, ids = [1, 0, -1], [3, 2, 1], ["x", "y", "x"]
    with pytest.raises(DataError, match=r"negative label, got -1 \(query 'x', row 2\)"):
        ir.evaluate(labels, scores, "ndcg", query_ids=ids)
    data = ir.from_arrays([3, 0, -1, 7], query_ids=["x", "y", "x", "y"], doc_ids=["a", "b", "c", "d"])
    with pytest.raises(DataError, match=r"gain table has no label 7 \(query 'y', row 3\)"):
        ir.evaluate(
            data, [1, 1, 1, 1], "dcg(gain=table:0:1:2:3,ties=docid_desc)", like=rules(negative="drop"), order="input"
        )
    with pytest.raises(DataError, match=r"gain table has no label 7 \(query 'r'\)"):
        ir.evaluate({"q": {"a": 1}, "r": {"a": 7}}, {"q": {"a": 1}, "r": {"b": 1}}, "ndcg(gain=table:0:1)")


def test_duplicates() -> None:
    run = ir.Run.from_flat(ir.results.Ids.of(["q"]), [0, 3], ir.results.Ids.of(["a", "b", "a"]), [1.0, 2.0, 3.0])
    qrels = {"q": {"a": 1}}
    last = ir.evaluate(qrels, run, "rr", like=rules(duplicates="last"))
    assert last.mean["rr"] == 1
    assert "duplicate" in [problem.kind for problem in last.problems]
    with pytest.raises(DataError, match=r"'a' in query 'q'.* rejects such data: .*'last'.*'first' or 'best'"):
        ir.evaluate(qrels, run, "rr", like=rules(duplicates="error"))


@pytest.mark.parametrize(("which", "scores"), [("first", [2.0, 3.0]), ("best", [9.0, 3.0]), ("last", [1.0, 3.0])])
def test_which_score_of_a_repeated_document_counts(which: str, scores: list[float], tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(f"q Q0 {doc} 1 {score} t\n" for doc, score in zip("abaa", (2, 3, 9, 1), strict=True)))
    once = {"q": dict(zip("ab", scores, strict=True))}
    qrels = {"q": {"a": 1, "c": 2}}
    like = ir.convention("trec_eval").replace(duplicates=which)
    found = ir.evaluate(qrels, path, ["ndcg", "rr"], like=like)
    assert found.mean == ir.evaluate(qrels, once, ["ndcg", "rr"]).mean
    word = {"best": "highest"}.get(which, which)
    assert [problem.message for problem in found.problems if problem.kind == "duplicate"] == [
        f"2 documents are repeated in the same query, first 'a' in query 'q'; the {word} score counts"
    ]
    bounds = ir.bounds(qrels, path, "ndcg", like=like)
    assert bounds.to_dict() == ir.bounds(qrels, once, "ndcg").to_dict()


def test_a_document_with_the_id_of_the_query() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"q": 2.0, "a": 1.0}, "r": {"b": 1.0, "q": 0.5}}
    kept = ir.evaluate(qrels, run, "ndcg@10", like="mteb")
    dropped = ir.evaluate(qrels, run, "ndcg@10", like="beir")
    assert_allclose(kept.per_query["ndcg@10"], [1 / np.log2(3), 1], rtol=1e-12, atol=0)
    assert_allclose(dropped.per_query["ndcg@10"], [1, 1], rtol=1e-12, atol=0)
    assert [(each.kind, each.message) for each in dropped.problems if each.kind == "identical id"] == [
        ("identical id", "1 retrieved document with the id of the query is left out, as beir does")
    ]
    (way,) = ir.explain(qrels, run, "ndcg@10", like=["mteb", "beir"]).waterfalls
    change = "documents with the id of the query: are kept -> are removed first: +0.1845"
    assert [str(step) for step in way.steps] == [change]


def test_integer_ids_of_queries_and_documents_are_compared_as_text() -> None:
    data = ir.from_arrays([0, 1], query_ids=[7, 7], doc_ids=["7", "8"])
    assert ir.evaluate(data, [2, 1], "rr", like=rules(identical_ids="drop")).mean == {"rr": 1}
    assert ir.evaluate([0, 1], [2, 1], "rr", like=rules(identical_ids="drop")).mean == {"rr": 0.5}


def test_a_measure_whose_tool_has_other_queries_for_it() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(DataError, match=r"missing='drop' for ndcg@10 in beir, and missing=0\.0 for rr@10"):
        ir.evaluate(qrels, run, ["ndcg@10", "rr@10"], like="beir")
    assert ir.evaluate(qrels, run, "ndcg@10", like="beir", query_weights=[1, 3]).mean == {"ndcg@10": 1.0}
    assert ir.evaluate(qrels, run, "rr@10", like="beir", query_weights=[1, 3]).mean == {"rr@10": 0.25}
    for missing, mean in ((0.0, 0.5), ("drop", 1.0)):
        assert ir.evaluate(qrels, run, "rr@10", like=ir.convention("beir").replace(missing=missing)).mean == {
            "rr@10": mean
        }


def test_precision() -> None:
    labels, scores = [0, 1], [1.0, 1.0 + 1e-9]
    double = ir.evaluate(labels, scores, "rr(ties=stable)", like=rules(precision="float64"))
    single = ir.evaluate(labels, scores, "rr(ties=stable)", like=rules(precision="float32"))
    assert (*double.mean.values(), *single.mean.values()) == (1.0, 0.5)
    assert [problem.kind for problem in double.problems] == []
    assert [(problem.kind, problem.count) for problem in single.problems] == [
        ("float32 collision", 2),
        ("tied document", 2),
    ]
    with pytest.raises(DataError, match=r"as float32, and one is too large for that, got 1e\+39 \(query 0, row 1\)"):
        ir.evaluate(labels, [1.0, 1e39], "rr", like=rules(precision="float32"))


@pytest.mark.parametrize("first", [[3.0, 1.0 + 1e-9, 1.0], [1.0, 3.0, 1.0 + 1e-9]], ids=["in order", "in no order"])
def test_scores_of_one_query_collide_in_any_order_and_those_of_two_do_not(first: list[float]) -> None:
    scores = [*first, 1.0 + 2e-9, 0.5]
    ev = ir.evaluate([0, 1, 0, 1, 0], scores, "rr(ties=stable)", group=[3, 2], like=rules(precision="float32"))
    assert [problem.count for problem in ev.problems if problem.kind == "float32 collision"] == [2]


def test_collisions_in_float32_are_counted_within_queries_only() -> None:
    scores = [2.0, 1.0, 1.0 + 1e-9, 0.5, 0.25]
    like = rules(precision="float32")
    assert ir.evaluate([1, 0, 1, 0, 1], scores, "rr", offsets=[0, 2, 5], like=like).problems == ()


def test_labels_that_are_not_whole() -> None:
    qrels, run = {"q": {"a": 1.9, "b": 2}}, {"q": {"a": 2, "b": 1}}
    name = "dcg(gain=linear)"
    assert_allclose(ir.evaluate(qrels, run, name, like=rules()).mean[name], 1.9 + 2 / LOG3, rtol=1e-12, atol=0)
    cut = ir.evaluate(qrels, run, name, like=rules(labels="truncated"))
    assert_allclose(cut.mean[name], 1 + 2 / LOG3, rtol=1e-12, atol=0)
    assert [(problem.kind, problem.count) for problem in cut.problems] == [("truncated label", 1)]
    with pytest.raises(DataError, match=r"takes whole labels only, got 1\.9 \(query 'q', row 0\)"):
        ir.evaluate(qrels, run, name, like=rules(labels="integer"))
    with pytest.raises(DataError, match=r"takes whole labels only, got 0\.5 \(query 'x', row 2\)"):
        ir.evaluate([1, 0, 0.5], [3, 2, 1], query_ids=["x", "y", "x"], like=rules(labels="integer"))
    with pytest.raises(DataError, match=r"takes whole labels only, got 0\.5 \(query 'r'\)"):
        ir.evaluate({"q": {"a": 1.0}, "r": {"a": 1.0, "b": 0.5}}, {"r": {"a": 1.0}}, like=rules(labels="integer"))


def test_truncation_also_reaches_documents_that_are_not_retrieved() -> None:
    qrels, run = {"q": {"a": 1, "b": 1.9}}, {"q": {"a": 2}}
    ev = ir.evaluate(qrels, run, "ndcg(gain=linear)", like=rules(labels="truncated"))
    assert_allclose(ev.mean["ndcg(gain=linear)"], 1 / (1 + 1 / LOG3), rtol=1e-12, atol=0)
    assert [(problem.kind, problem.count) for problem in ev.problems] == [("truncated label", 1)]


def test_ties_are_counted_down_to_the_deepest_rank_that_counts() -> None:
    labels, scores = [1, 0, 0, 1], [4.0, 3.0, 1.0, 1.0]
    assert ir.evaluate(labels, scores, ["ndcg@2", "rr@1"]).problems == ()
    (problem,) = ir.evaluate(labels, scores, ["ndcg@2", "rr"]).problems
    assert (problem.kind, problem.count) == ("tied document", 2)


#: For a call that the type checker refuses.
UNTYPED: Any = ir.evaluate


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ir.evaluate(QRELS, {"x": {"a": 1.0}}),
            DataError,
            "no query in common: .* 'q1', .* run is 'x'",
        ),
        (lambda: ir.evaluate(QRELS, None), DataError, "judgments need a run"),
        (lambda: UNTYPED(QRELS, {"q1": 1.0}), DataError, "without a query"),
        (lambda: ir.evaluate([1, 0], None), DataError, "no scores of its own: give one score per document"),
        (lambda: ir.evaluate([1, 0], [1.0]), DataError, "scores must have one entry per document: 2, got 1"),
        (lambda: ir.evaluate([1, 0], "high"), DataError, "neither a column nor a file 'high'"),
        (lambda: ir.evaluate([1, math.nan], [1, 2]), DataError, r"finite number, got nan \(query 0, row 1\)"),
        (lambda: ir.evaluate([1, 0], [1, math.inf]), DataError, r"finite number, got inf \(query 0, row 1\)"),
        (lambda: ir.evaluate([1, 0], [1, 2], offsets=[0, 3]), DataError, "offsets must end at the number of documents"),
        (
            lambda: ir.evaluate(ir.from_arrays([1]), [1], offsets=[0, 1]),
            OptionError,
            "offsets= goes with arrays of labels",
        ),
        (lambda: ir.evaluate([1, 0], [1, 2], query="qid"), OptionError, r"query= \(--query\) goes with data frames"),
        (lambda: ir.evaluate(QRELS, RUN, offsets=[0, 1]), OptionError, "offsets= goes with arrays"),
        (lambda: ir.evaluate(QRELS, RUN, query_ids=["q1"]), OptionError, "query_ids= goes with arrays"),
        (lambda: ir.evaluate([1, 0], [1, 2], []), OptionError, "no measure was named"),
        (lambda: ir.evaluate([1, 0], [1, 2], "ndgc"), OptionError, "unknown measure 'ndgc'; did you mean 'ndcg'"),
        (lambda: ir.evaluate([1, 0], [1, 2], like="sklear"), OptionError, "did you mean 'sklearn'"),
        (lambda: ir.evaluate([1, 0], [1, 2], "bpref"), OptionError, "bpref has no closed form for averaged ties"),
        (lambda: ir.evaluate([5, 0], [1, 2], "err"), DataError, "a label is above max_label"),
    ],
)
def test_errors(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(("qrels", "run"), [(QRELS, {}), ({}, RUN), (QRELS, {"q1": {}}), ([], [])])
def test_nothing_to_evaluate_is_an_error(qrels: Any, run: Any) -> None:
    with pytest.raises(DataError, match="there is nothing to evaluate"):
        ir.evaluate(qrels, run, "ndcg")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"options": {"tise": "stable"}}, "mine has no option 'tise'; did you mean 'ties'"),
        ({"overrides": {"ncdg": {"ties": "stable"}}}, "unknown measure in the overrides of mine: 'ncdg'; did you mean"),
        ({"overrides": {"rr@": {"gain": "linear"}}}, "mine: rr@ has no option 'gain'"),
        ({"overrides": {"rr": {"unjudged": "drop"}}}, "mine: rr has no option 'unjudged'"),
    ],
)
def test_a_convention_of_ones_own_without_effect_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ir.evaluate([1, 0], [2, 1], "rr", like=Convention("mine", **wrong))


def test_what_a_convention_of_ones_own_leaves_open_is_idealranks_own() -> None:
    names = ["ndcg", "linear_ndcg", "ap", "ap@2", "p@5", "err", "rbp", "pairwise_error"]
    for name in names:
        assert ir.measure(name).with_convention(Convention("mine")) == ir.measure(name).with_convention("idealrank")
    mine = Convention("mine", options={"denominator": "hits", "ties": "stable"})
    assert ir.measure("ap").with_convention(mine) == ir.measure("ap(denominator=hits,ties=stable)").with_convention(
        "idealrank"
    )


@pytest.mark.parametrize(
    "choice", [{"precision": "float16"}, {"missing": 1.0}, {"labels": "whole"}, {"negative": "zero"}]
)
def test_a_convention_has_only_choices_that_there_are(choice: dict[str, Any]) -> None:
    ((name, value),) = choice.items()
    with pytest.raises(OptionError, match=rf"of this test: {name} must be one of .*, got {value!r}"):
        rules(**choice)


def test_any_convention_can_be_given_by_value() -> None:
    like = convention("sklearn").replace(precision="float32")
    ev = ir.evaluate([0, 1], [1.0, 1.0 + 1e-9], "ndcg", like=like)
    assert_allclose(ev.mean["ndcg"], (1 + 1 / LOG3) / 2, rtol=1e-12, atol=0)
    assert ev.conventions["convention"] == "sklearn but precision=float32"


@given(st.integers(1, 4), st.lists(st.integers(0, 2), min_size=1, max_size=60))
def test_the_number_of_threads_changes_nothing(n_threads: int, labels: list[int]) -> None:
    scores = [float(row % 7) for row in range(len(labels))]
    offsets = [*range(0, len(labels), 5), len(labels)]
    names = ["ndcg", "ap", "auc"]
    one, many = (ir.evaluate(labels, scores, names, offsets=offsets, n_threads=n) for n in (1, n_threads))
    for name in names:
        assert_array_equal(one.per_query[name], many.per_query[name])

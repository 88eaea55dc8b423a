"""The drop-in for pytrec_eval gives what pytrec_eval gives, and more."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.errors import OptionError
from idealrank.integrations import pytrec_eval as ours

DOCS = st.sampled_from(["d1", "d10", "d2", "d3", "d9", "z"])
QUERIES = st.sampled_from(["q1", "q2", "q3"])
# pytrec_eval crashes where a query of the run has no documents and every measure is asked for.
RUNS = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1), min_size=1)
QRELS = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(0, 3)), min_size=1)


@pytest.mark.parametrize(
    "measures", [{"all_trec"}, {"official"}, {"set", "ndcg"}, {"ndcg_cut.1,3", "P_2", "recall_5,2", "gm_map"}]
)
@settings(max_examples=25)
@given(qrels=QRELS, run=RUNS, level=st.integers(1, 2), judged_only=st.booleans())
def test_it_gives_what_pytrec_eval_gives(
    measures: set[str],
    qrels: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    level: int,
    judged_only: bool,
) -> None:
    theirs = pytest.importorskip("pytrec_eval")
    expected = theirs.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
    found = ours.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
    assert found.keys() == expected.keys()
    for query, values in expected.items():
        assert found[query].keys() == values.keys()
        for name, value in values.items():
            assert_allclose(found[query][name], value, rtol=1e-12, atol=1e-12, err_msg=name)


def test_names_and_sets_are_those_of_pytrec_eval() -> None:
    theirs = pytest.importorskip("pytrec_eval")
    assert ours.supported_measures == theirs.supported_measures
    for name, members in ours.supported_nicknames.items():
        assert members == theirs.supported_nicknames[name]
    assert set(theirs.__all__) <= set(ours.__all__)


def test_empty_data_gives_what_there_is() -> None:
    qrels, run = {"q1": {"d1": 0, "d2": 1}, "q2": {"d2": 1}, "q10": {}}, {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {}}
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate({}) == {}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate(run) == {}
    assert ours.RelevanceEvaluator(qrels, set()).evaluate(run) == {"q1": {}, "q2": {}}
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate(run) == {"q1": {"map": 0.5}, "q2": {"map": 0.0}}
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate({"q10": {"d1": 1.0}}) == {}


def test_fractional_labels_count_as_they_are() -> None:
    qrels, run = {"q": {"a": 0.5, "b": 1.5}}, {"q": {"a": 2.0, "b": 1.0}}
    found = ours.RelevanceEvaluator(qrels, {"ndcg", "ndcg_cut.1", "map", "P_1"}).evaluate(run)["q"]
    linear = ir.measures.NDCG(gain="linear")
    assert_allclose(found["ndcg"], linear([0.5, 1.5], [2, 1])[0], rtol=1e-12, atol=0)
    assert_allclose(found["ndcg_cut_1"], 0.5 / 1.5, rtol=1e-12, atol=0)
    assert found["map"] == 0.5  # relevant from label 1 on
    assert found["P_1"] == 0.0


def test_ties_can_be_averaged_so_that_a_constant_scorer_gains_nothing() -> None:
    qrels, run = {"q": {"a": 0, "z": 1}}, {"q": {"a": 1.0, "z": 1.0}}
    by_id = ours.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)["q"]["recip_rank"]
    averaged = ours.RelevanceEvaluator(qrels, {"recip_rank"}, ties="average").evaluate(run)["q"]["recip_rank"]
    assert (by_id, averaged) == (1.0, 0.75)


@pytest.mark.parametrize("ties", ["docid_desc", "average"])
def test_both_ways_agree_where_nothing_is_tied(ties: str) -> None:
    qrels, run = {"q": {"a": 2, "b": 1, "c": 0, "u": 1}}, {"q": {"a": 1.0, "b": 3.0, "c": 2.0, "x": 0.5}}
    names = {"map", "map_cut.2", "ndcg", "ndcg_cut.2", "recip_rank", "Rprec", "P.2", "recall.2", "success.1"}
    plain = ours.RelevanceEvaluator(qrels, names, 2, True).evaluate(run)["q"]
    found = ours.RelevanceEvaluator(qrels, names, 2, True, ties=ties).evaluate(run)["q"]
    assert found.keys() == plain.keys()
    for name, value in plain.items():
        assert_allclose(found[name], value, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (({"q": {"a": 1}}, {"ncdg"}), "unsupported measure ncdg; did you mean 'ndcg'"),
        (({"q": {"a": 1}}, "ndcg"), "a set or list of names"),
        (({"q": {"a": 1}}, {"ndcg_cut_x"}), "unsupported measure"),
        (({"q": {"a": 1}}, {"map"}, 1.5), "relevance_level"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        ours.RelevanceEvaluator(*arguments)


def test_an_unknown_order_of_ties() -> None:
    with pytest.raises(OptionError, match="unknown order of ties 'avg'"):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"map"}, ties="avg")


def test_the_data_of_trec_evals_own_tests(real_data: Path) -> None:
    theirs = pytest.importorskip("pytrec_eval")
    folder = real_data / "trec_eval"
    qrels, run = ir.read_qrels(folder / "qrels.rel_level.xz"), ir.read_run(folder / "results.test.xz")
    judged = {query: {doc: int(label) for doc, label in docs.items()} for query, docs in qrels.to_dict().items()}
    expected = theirs.RelevanceEvaluator(judged, {"official", "ndcg_cut"}).evaluate(run.to_dict())
    found = ours.RelevanceEvaluator(judged, {"official", "ndcg_cut"}).evaluate(run.to_dict())
    for query, values in expected.items():
        for name, value in values.items():
            assert_allclose(found[query][name], value, rtol=1e-12, atol=1e-12, err_msg=name)


def test_files_are_parsed_as_pytrec_eval_does() -> None:
    assert ours.parse_run(["q1 Q0 d1 1 2.5 x", "q1 Q0 d2 2 1.5 x"]) == {"q1": {"d1": 2.5, "d2": 1.5}}
    assert ours.parse_qrel(["q1 0 d1 1", "q1 0 d2 0.5"]) == {"q1": {"d1": 1, "d2": 0.5}}
    with pytest.raises(OptionError, match="line 2: document 'd1' of query 'q1' is repeated"):
        ours.parse_qrel(["q1 0 d1 1", "q1 0 d1 2"])
    with pytest.raises(OptionError, match="line 1: expected 6 fields, got 2"):
        ours.parse_run(["q1 d1"])

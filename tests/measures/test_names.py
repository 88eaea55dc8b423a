"""Measures under the names that other tools give them."""

from typing import Any

import pytest

import idealrank as ir
from idealrank.errors import OptionError
from idealrank.evaluation import trec_eval
from idealrank.measures import AP, DCG, ERR, F1, NDCG, RBP, RR, HitRate, Measure, Precision, Recall, RPrecision
from idealrank.measures.names import MEASURES, named
from idealrank.measures.spellings import ONLY_TREC_EVAL


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P.5", Precision(cutoff=5)),
        ("P_5", Precision(cutoff=5)),
        ("ndcg_cut.10", NDCG(cutoff=10)),
        ("ndcg_cut_10", NDCG(cutoff=10)),
        ("map_cut.100", AP(cutoff=100)),
        ("recall.1000", Recall(cutoff=1000)),
        ("success.1", HitRate(cutoff=1)),
        ("recip_rank", RR()),
        ("Rprec", RPrecision()),
        ("set_P", Precision()),
        ("set_recall", Recall()),
        ("set_F", F1()),
        ("SetP", Precision()),
        ("SetR", Recall()),
        ("SetF", F1()),
        ("rbp.p=0.8", RBP(p=0.8)),
        ("rbp.95", RBP(p=0.95)),
        ("rbp.5", RBP(p=0.5)),
        ("ndcg_burges@10", NDCG(gain="exp2", cutoff=10)),
        ("ndcg_burges", NDCG(gain="exp2")),
        ("dcg_burges@3", DCG(gain="exp2", cutoff=3)),
        ('nDCG(dcg="exp-log2")@10', NDCG(gain="exp2", cutoff=10)),
        ("nDCG(dcg='log2')@10", NDCG(gain="linear", cutoff=10)),
        ("AP(judged_only=False)@10", AP(cutoff=10)),
        ("AP(rel=2)@10", AP(rel=2, cutoff=10)),
        ("ERR@20", ERR(cutoff=20)),
        ('ndcg(gain="linear")', NDCG(gain="linear")),
        ("ndcg@n^0.5", NDCG(cutoff="n^0.5")),
        (" ndcg@10 ", NDCG(cutoff=10)),
    ],
)
def test_a_name_of_another_tool(text: str, expected: Measure) -> None:
    assert ir.measure(text) == expected


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ("ndcg@10,ap", ["ndcg@10", "ap"]),
        ("ndcg@10,20", ["ndcg@10", "ndcg@20"]),
        ("ndcg@10%,20%,n^0.5", ["ndcg@10%", "ndcg@20%", "ndcg@n^0.5"]),
        ("ndcg@0.1, 0.5", ["ndcg@0.1", "ndcg@0.5"]),
        ("P.5,10", ["P.5", "P.10"]),
        ("P_5,10", ["P_5", "P_10"]),
        ("ndcg(gain=linear,ties=stable)@5,10,rr", [
            "ndcg(gain=linear,ties=stable)@5", "ndcg(gain=linear,ties=stable)@10", "rr"]),
        (["ndcg@10,20", "ap", NDCG()], ["ndcg@10", "ndcg@20", "ap", "ndcg"]),
        (["ap", "ap"], ["ap"]),
    ],
)  # fmt: skip
def test_several_measures_in_one_text(texts: Any, names: list[str]) -> None:
    assert named(texts) == {name: ir.measure(name) for name in names}
    values = ir.evaluate([1, 0, 2], [3, 2, 1], texts)
    assert list(values.mean) == names


def test_gains_of_trec_eval_stay_together_and_say_what_to_write() -> None:
    with pytest.raises(OptionError, match=r"'ndcg.1=3,2=9': write the gain of every label.*table:0>0:1>3:2>9"):
        named("ndcg.1=3,2=9")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndcg@10,", "a measure is missing beside a comma"),
        (",ap", "a measure is missing beside a comma"),
        ("ap,10", "the cutoff 10 follows 'ap', which has none; write name@10"),
        ("10", "cannot read"),
        ("AP(judged_only=True)", r"judged_only is a choice about the data.*replace\(unjudged='drop'\)"),
        ('nDCG(dcg="exp")', "dcg must be 'log2' or 'exp-log2', got 'exp'"),
        ("ndcg_burges(gain=linear)", "names its gain twice"),
        ("rbp.1=2,p=0.8", "write the gain of every label"),
        ("P.x", "cannot read"),
        ([], "no measure was named"),
        (3, "expected a measure such as"),
        ([3], "expected a measure such as"),
    ],
)
def test_what_cannot_be_read_says_what_to_write(text: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        named(text)


def test_every_measure_of_the_trec_eval_command_is_a_measure_or_says_where_it_is_computed() -> None:
    lacking = set()
    for name, definition in trec_eval.MEASURES.items():
        text = f"{name}.5" if definition.each == "d" else name
        try:
            ir.measure(text)
        except OptionError as error:
            assert f"{name} is computed by the command `idealrank trec_eval -m {name}` only" in str(error)  # noqa: PT017
            lacking.add(name)
    assert lacking == set(ONLY_TREC_EVAL)
    with pytest.raises(OptionError, match="11pt_avg is computed by the command"):
        ir.measure("11pt_avg")


def test_a_name_that_a_user_registers_wins_over_one_that_only_the_command_has() -> None:
    class Mine(NDCG):
        pass

    MEASURES.register("infap")(Mine)
    try:
        assert isinstance(ir.measure("infAP"), Mine)
    finally:
        del MEASURES._by_letters["infap"]
        MEASURES._parsed.clear()


def test_measures_of_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    given = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.nDCG(dcg="exp-log2") @ 5, ir_measures.SetP]
    expected = [NDCG(cutoff=10), AP(rel=2), NDCG(gain="exp2", cutoff=5), Precision()]
    assert [ir.measure(each) for each in given] == expected
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"b": 2.0, "c": 1.5, "a": 1.0}}
    ours = ir.evaluate(qrels, run, [given[0], given[1], given[3]], like="ir_measures").mean
    theirs = ir_measures.calc_aggregate([given[0], given[1], given[3]], qrels, run)
    assert ours == pytest.approx({str(measure): value for measure, value in theirs.items()}, rel=1e-12)


def test_the_trec_eval_command_takes_the_names_that_it_prints() -> None:
    judgments, run = {"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}
    printed = trec_eval.evaluate(judgments, run, ["P_2", "ndcg_cut_10", "map_cut_5"]).summary
    assert printed == trec_eval.evaluate(judgments, run, ["P.2", "ndcg_cut.10", "map_cut.5"]).summary
    assert list(printed) == ["P_2", "ndcg_cut_10", "map_cut_5"]
    with pytest.raises(OptionError, match="no measure 'map_5'"):
        trec_eval.evaluate(judgments, run, "map_5")

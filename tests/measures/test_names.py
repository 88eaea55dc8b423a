"""Measures under the names that other tools give them."""

import math
import random
from typing import Any

import pytest

import idealrank as ir
from idealrank import gains
from idealrank.errors import OptionError
from idealrank.evaluation import trec_eval
from idealrank.measures import (
    AP,
    DCG,
    ERR,
    F1,
    NDCG,
    RBP,
    RR,
    HitRate,
    Measure,
    Precision,
    Recall,
    RelevantRetrieved,
    Retrieved,
    RPrecision,
    SetF,
)
from idealrank.measures.conventions import convention
from idealrank.measures.measure_names import MEASURES, ONLY_TREC_EVAL, named


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
        ("set_F", SetF()),
        ("set_F.2", SetF(weight=2)),
        ("SetP", Precision()),
        ("SetR", Recall()),
        ("SetF", SetF()),
        ("F1@10", F1(cutoff=10)),
        ("AP(judged_only=True)", AP(judged_only=True)),
        ("nDCG(judged_only=True,dcg='exp-log2')@5", NDCG(judged_only=True, gain="exp2", cutoff=5)),
        ("rbp.p=0.8", RBP(p=0.8)),
        ("rbp.95", RBP(p=0.95)),
        ("rbp.5", RBP(p=0.5)),
        ("ndcg_burges@10", NDCG(gain="exp2", cutoff=10)),
        ("ndcg_burges", NDCG(gain="exp2")),
        ("dcg_burges@3", DCG(gain="exp2", cutoff=3)),
        ('nDCG(dcg="exp-log2")@10', NDCG(gain="exp2", cutoff=10)),
        ("nDCG(dcg='log2')@10", NDCG(gain="linear", cutoff=10)),
        ("AP(judged_only=False)@10", AP(cutoff=10, judged_only=False)),
        ("AP(rel=2)@10", AP(rel=2, cutoff=10)),
        ("NumRet", Retrieved()),
        ("NumRet(rel=2)", RelevantRetrieved(rel=2)),
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


def test_gains_of_trec_eval_stay_together() -> None:
    assert named("ndcg.1=3,2=9, ap") == {"ndcg.1=3,2=9": NDCG(gain=gains.Partial({1: 3, 2: 9})), "ap": AP()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndcg@10,", "a measure is missing next to a comma"),
        (",ap", "a measure is missing next to a comma"),
        ("ap,10", "the cutoff 10 follows 'ap', which has none; write name@10"),
        ("10", "cannot read"),
        ("AP(judged_only=maybe)", "ap: judged_only: expected True or False, got 'maybe'"),
        ('nDCG(dcg="exp")', "dcg must be 'log2' or 'exp-log2', got 'exp'"),
        ("ndcg_burges(gain=linear)", "names its gain twice"),
        ("rbp.1=2,p=0.8", "rbp has no option 'gain'"),
        ("accuracy@5", "accuracy has several meanings: write hit_rate@k .*, recall@1 .*, pair_accuracy@k"),
        ("hole@5", "hole of BEIR counts documents that are judged for no query at all.*: unj@k counts"),
        ("nauc_ndcg_at_10_max", "nauc of MTEB is about abstention"),
        ("ndcg_burges@10-l2", "write the gain of every label"),
        ("P.x", "cannot read"),
        ([], "no measure was named"),
        (3, "expected a measure such as"),
        ([3], "expected a measure such as"),
    ],
)
def test_what_cannot_be_read_says_what_to_write(text: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        named(text)


@pytest.mark.parametrize("name", ["ndcg", "map", "recall", "precision", "mrr", "hit_rate"])
def test_a_key_of_mteb(name: str) -> None:
    assert ir.measure(f"{name}_at_10") == ir.measure(f"{name}@10")


#: Means of ir_measures 0.4.3 with cwl-eval 1.0.12, of ranx 0.3.21 and of BEIR 2.2.0.
OTHERS = {
    "ir_measures": {
        "INST(max_rel=2)": 0.181381858069146,
        "INST(T=2.5,max_rel=2)": 0.14012692647196529,
        "INST(max_rel=2,min_rel=1)": 0.11184929218952576,
        "INSQ(max_rel=2)": 0.1476784231158433,
        "INSQ(T=3.0,max_rel=1)": 0.15581818349144266,
        "BPM(max_rel=2)@10": 0.2475,
        "BPM(T=2.0,max_rel=1)@5": 0.2788888888888889,
        "SDCG(max_rel=2)@10": 0.14711722661005505,
        "SDCG(max_rel=1,dcg='log2')@5": 0.23030611187976469,
        "Compat": 0.16497343490904845,
        "Compat(p=0.8)": 0.12826612156888928,
        "Compat(p=0.8,normalize=False)": 0.12686437231257502,
        "NumRet(rel=2)": 52.0,
        "SetF(beta=2.0)": 0.21538539605748863,
        "SetF(beta=0.5,rel=2)": 0.10084834563712196,
        "nDCG(gains={1:3})@10": 0.19333563898063036,
        "nDCG(gains={0: 0, 1: 3, 2: 9})": 0.2098649117185027,
        "RBP(p=0.5,rel=2)": 0.1011669499256944,
    },
    "ranx": {
        "map@10-l2": 0.055296031298778546,
        "precision@5-l2": 0.1076923076923077,
        "ndcg@10-l2": 0.12801311214803723,
        "ndcg-l2": 0.19414705223838596,
        "dcg@10-l2": 0.9436709798711712,
        "mrr-l2": 0.23231351981351978,
        "recall@10-l2": 0.14123227200150273,
        "f1@10-l2": 0.11450172335553949,
        "r-precision-l2": 0.09292641119564196,
        "hit_rate@3-l2": 0.3076923076923077,
        "bpref-l2": 0.1098001978780015,
    },
    "beir": {"R_cap@3": 0.28205, "R_cap@10": 0.22033, "accuracy_at_1": 0.26923, "accuracy_at_3": 0.57692},
}


@pytest.mark.parametrize("like", OTHERS)
def test_names_of_other_tools_have_their_values(like: str) -> None:
    qrels, run = _judged_and_retrieved()
    run = {query: {doc: s + i / 100 for i, (doc, s) in enumerate(docs.items())} for query, docs in run.items()}
    if like != "ir_measures":  # the others do not take missing queries and negative labels
        qrels = {query: {doc: max(label, 0) for doc, label in qrels[query].items()} for query in run}
    found = ir.evaluate(qrels, run, list(OTHERS[like]), like=like)
    assert found.mean == pytest.approx(OTHERS[like], rel=1e-12, abs=5e-6 if like == "beir" else 0.0)  # BEIR rounds


def test_accuracy_of_ir_measures_leaves_out_queries_without_a_pair() -> None:
    qrels, run = _judged_and_retrieved()
    run = {query: {doc: s + i / 100 for i, (doc, s) in enumerate(docs.items())} for query, docs in run.items()}
    judged = {query: qrels[query] for query in run}
    found = ir.evaluate(judged, run, ["pair_accuracy@10", "pair_accuracy(rel=2)"], like="ir_measures")
    assert found.mean == pytest.approx(
        {"pair_accuracy@10": 0.6139097744360903, "pair_accuracy(rel=2)": 0.554312676283227}, rel=1e-12
    )


def test_every_number_of_the_trec_eval_command_is_a_measure() -> None:
    for name, definition in trec_eval.MEASURES.items():
        text = f"{name}.5" if definition.each == "d" else name
        if name in ONLY_TREC_EVAL:
            with pytest.raises(OptionError, match=rf"{name} is text, not a number: `idealrank trec_eval -m {name}`"):
                ir.measure(text)
        else:
            assert isinstance(ir.measure(text), Measure)


def _judged_and_retrieved() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments with unjudged documents of the pool, and a run with ties that lacks some queries."""
    rng = random.Random(1)
    qrels = {f"q{i}": {f"d{j}": rng.choice([-1, 0, 0, 1, 2]) for j in rng.sample(range(60), 30)} for i in range(30)}
    run = {
        f"q{i}": {f"d{j}": float(rng.randint(0, 30)) for j in rng.sample(range(60), rng.randint(1, 40))}
        for i in range(26)
    }
    return qrels, run


def test_measures_of_pytrec_eval_have_its_values_in_evaluate() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = _judged_and_retrieved()
    spelled = {
        "infAP": "infAP", "11pt_avg": "11pt_avg", "binG": "binG", "set_map": "set_map", "set_F": "set_F",
        "set_relative_P": "set_relative_P", "utility": "utility", "relative_P_5": "relative_P.5",
        "relative_P_10": "relative_P_10", "iprec_at_recall_0.00": "iprec_at_recall_0.00",
        "iprec_at_recall_0.30": "iprec_at_recall.0.30", "iprec_at_recall_1.00": "IPrec@1.0",
        "Rprec_mult_1.20": "Rprec_mult.1.2", "set_P": "set_P", "set_recall": "set_recall",
    }  # fmt: skip
    qrels["q0"] = dict.fromkeys(qrels["q0"], 0)  # nothing relevant
    families = pytrec_eval.supported_measures - {"runid", "num_q", "relstring"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, families).evaluate(run)
    ours = ir.evaluate(qrels, run, list(spelled.values()), like="pytrec_eval")
    for name, own in spelled.items():
        expected = [theirs[query][name] for query in ours.query_ids.tolist()]
        assert ours.per_query[own] == pytest.approx(expected, rel=1e-12, abs=1e-15), name


@pytest.mark.parametrize("version", [9, 10])
def test_measures_of_the_trec_eval_command_have_its_values_in_evaluate(version: int) -> None:
    qrels, run = _judged_and_retrieved()
    if version == 10:  # which refuses queries that the run lacks
        qrels = {query: qrels[query] for query in run}
    names = ["iprec_at_recall_0.10", "iprec_at_recall_0.50", "11pt_avg", "yaap", "utility", "G", "Rndcg", "ndcg_rel"]
    names += ["gm_map", "gm_bpref", "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "set_F"]
    names += ["unj_5", "unj_100", "rbp_resid", "ideal_dcg"] if version == 10 else []
    asked = [name.replace("_0.", ".0.").replace("unj_", "unj.") for name in names]
    theirs: dict[str, float | int | str] = {}
    for each in asked:
        theirs |= trec_eval.evaluate(qrels, run, each, version=version).summary
    ours = ir.evaluate(qrels, run, names, like="trec_eval" if version == 9 else "trec_eval10")
    assert ours.mean == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("complete", [False, True], ids=["left out", "counted"])
@pytest.mark.parametrize(("name", "log"), [("gm_map", "log_ap"), ("gm_bpref", "log_bpref")])
def test_a_geometric_mean_is_the_exponential_of_the_mean_of_logarithms(name: str, log: str, complete: bool) -> None:
    qrels, run = _judged_and_retrieved()
    expected = trec_eval.evaluate(qrels, run, name, version=9, complete=complete).summary[name]
    like = convention("trec_eval").replace(missing=0.0 if complete else "drop")
    found = ir.evaluate(qrels, run, [log, name], like=like)
    assert math.exp(found.mean[log]) == pytest.approx(expected, rel=1e-12)
    assert found.mean[name] == pytest.approx(expected, rel=1e-12)
    assert found.interval()[name] == pytest.approx(tuple(map(math.exp, found.interval()[log])), rel=1e-12)


def test_counts_are_summed_over_queries_and_count_missing_ones() -> None:
    qrels, run = _judged_and_retrieved()
    names = ["num_q", "num_ret", "num_rel", "num_rel_ret"]
    expected = trec_eval.evaluate(qrels, run, names, version=9, complete=True).summary
    found = ir.evaluate(qrels, run, names, like=convention("trec_eval").replace(missing=0.0))
    assert found.mean == expected
    assert all(map(math.isnan, found.interval()["num_ret"]))


def test_judged_only_is_the_flag_of_trec_eval_for_one_measure() -> None:
    qrels, run = _judged_and_retrieved()
    names = ["map", "P_5", "ndcg_cut_10"]
    dropped = trec_eval.evaluate(qrels, run, names, version=9, judged_only=True).summary
    kept = trec_eval.evaluate(qrels, run, names, version=9).summary
    options = ["AP(judged_only=True)", "P(judged_only=True)@5", "nDCG(judged_only=True)@10"]
    found = ir.evaluate(qrels, run, ["map", "P@5", *options])
    assert found.mean == pytest.approx({
        "map": kept["map"], "P@5": kept["P_5"], "AP(judged_only=True)": dropped["map"],
        "P(judged_only=True)@5": dropped["P_5"], "nDCG(judged_only=True)@10": dropped["ndcg_cut_10"],
    }, rel=1e-12)  # fmt: skip
    assert found.conventions["exceptions"]["AP(judged_only=True)"] == {"unjudged": "drop"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("utility.1,-1,0,0", ["utility(hit=1,false_alarm=-1,miss=0)"]),
        ("ap, utility.2,-1,0.5,0, rr", ["ap", "utility(hit=2,false_alarm=-1,miss=0.5)", "rr"]),
        ("iprec_at_recall.0.1,0.2", ["iprec_at_recall(recall=0.1)", "iprec_at_recall(recall=0.2)"]),
        ("Rprec_mult.0.2,1", ["rprec_mult(multiple=0.2)", "rprec_mult(multiple=1)"]),
        ("rbp_resid.p=0.7", ["rbp_resid(p=0.7)"]),
        ("unj.5,10", ["unj@5", "unj@10"]),
        ("SetAP", ["set_map"]),
    ],
)
def test_parameters_of_trec_eval(text: str, names: list[str]) -> None:
    assert [*map(str, named(text).values())] == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("utility.1,-1", "utility takes 4 weights"),
        ("utility.1,-1,0,1", "needs the size of the collection"),
        ("set_F.x", "weight: expected a finite number of at least 0, got 'x'"),
        ("11pt_avg.0.1,0.5", "other recalls"),
        ("iprec_at_recall.1.5", "recall: expected a number from 0 to 1"),
    ],
)
def test_parameters_of_trec_eval_that_have_no_counterpart(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        named(text)


def test_a_name_that_a_user_registers_wins_over_one_that_only_the_command_has() -> None:
    class Mine(NDCG):
        pass

    MEASURES.register("relstring")(Mine)
    try:
        assert isinstance(ir.measure("relstring"), Mine)
    finally:
        del MEASURES._by_name["relstring"]
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zipf", r"zipf is a discount; write ndcg\(discount=zipf\)"),
        ("letor", r"letor is a discount; write ndcg\(discount=letor\)"),
        ("exp2", r"exp2 is a gain; write ndcg\(gain=exp2\)"),
        ("power:0.5", r"power is a discount; write ndcg\(discount=power:0.5\)"),
        ("linear", r"linear is a gain and a discount; write ndcg\(gain=linear\) or ndcg\(discount=linear\)"),
        ("trec_eval", r"trec_eval is a convention; write like='trec_eval'"),
    ],
)
def test_a_name_of_another_kind_says_which(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ir.measure(text)


@pytest.mark.parametrize(("name", "missing"), [("rbo", "two rankings"), ("tau_ap", "two rankings")])
def test_a_measure_of_another_tool_says_what_is_missing(name: str, missing: str) -> None:
    with pytest.raises(OptionError, match=missing):
        ir.measure(name)

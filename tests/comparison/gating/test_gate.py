"""The gate in Python: verdicts, corrections, queries, and what it refuses."""

import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.report import html
from idealrank.stats import non_inferiority_test

QRELS, RUNS = ir.datasets.search_runs(60)
NEW, OLD = RUNS["bm25"], RUNS["hybrid"]


def without(run: Any, *queries: str) -> dict[str, dict[str, float]]:
    return {query: dict(docs) for query, docs in run.items() if query not in queries}


def kinds(gate: Any) -> list[str]:
    return [finding.kind for finding in gate.page().findings]


def test_verdicts_are_those_of_the_test_on_the_values_of_evaluate() -> None:
    names = ["ndcg@10", "rr", "recall@5"]
    found = ir.gate(QRELS, RUNS["dense"], NEW, names, margin=0.05)
    both = ir.evaluate(QRELS, {"new": RUNS["dense"], "old": NEW}, names)
    for each in found.measures:
        new, old = values = [both[system].per_query[each.measure] for system in ("new", "old")]
        expected = non_inferiority_test(new, old, 0.05, n_tests=3)
        assert each.test == expected
        assert (each.candidate, each.baseline) == pytest.approx([own.mean() for own in values])
        assert each.change == pytest.approx(each.candidate - each.baseline)


def test_a_worse_system_fails_and_a_better_one_passes() -> None:
    assert ir.gate(QRELS, NEW, OLD, "ndcg@10").verdict == "fail"
    assert ir.gate(QRELS, OLD, NEW, "ndcg@10").verdict == "pass"


def test_one_measure_that_fails_fails_the_gate() -> None:
    found = ir.gate(QRELS, NEW, OLD, "ndcg@10, judged@1")
    assert [each.verdict for each in found.measures] == ["fail", "pass"]
    assert found.verdict == "fail"
    assert found.exit_status == 1


def test_a_measure_where_lower_is_better_is_turned() -> None:
    labels, good, bad = np.tile([1.0, 0.0], 20), np.tile([2.0, 1.0], 20), np.tile([1.0, 2.0], 20)
    bad[:2] = [2.0, 1.0]
    offsets = np.arange(0, 41, 2)
    worse = ir.gate(labels, bad, good, "pairwise_error", offsets=offsets)
    assert (worse.verdict, worse.measures[0].change > 0, worse.measures[0].low > 0) == ("fail", True, True)
    assert ir.gate(labels, good, bad, "pairwise_error", offsets=offsets).verdict == "pass"


def test_an_unchanged_system_passes_and_says_why() -> None:
    found = ir.gate(QRELS, OLD, OLD, "ndcg@10")
    assert found.verdict == "pass"
    assert kinds(found) == ["gate: overall", "gate: unchanged"]
    assert "at most 5% of such queries differ" in str(found).replace("\n  ", " ")


@pytest.mark.parametrize("n", [1, 4])
def test_few_queries_are_inconclusive(n: int) -> None:
    few = {query: QRELS[query] for query in list(QRELS)[:n]}
    for new, old in ((OLD, OLD), (NEW, OLD), (OLD, NEW)):
        assert ir.gate(few, new, old, "ndcg@10").verdict == "inconclusive"


def test_a_category_can_fail_but_need_not_pass() -> None:
    good = {f"q{i}": {"a"} for i in range(60)}
    old = {query: ["a", "b"] for query in good}
    new = {query: ["b", "a"] if i < 12 else ["a", "b"] for i, query in enumerate(good)}
    by = {query: "new" if i < 12 else "old" for i, query in enumerate(good)}
    assert ir.gate(good, new, old, "rr", margin=0.3).verdict == "pass"
    found = ir.gate(good, new, old, "rr", margin=0.3, by=by)
    assert [(each.name, each.verdict) for each in found.measures] == [
        ("rr", "pass"),
        ("rr (new)", "fail"),
        ("rr (old)", "pass"),
    ]
    assert found.verdict == "fail"
    assert found.measures[0].test.n_tests == 3
    small = {query: f"c{i}" for i, query in enumerate(good)}
    assert ir.gate(good, old, old, "rr", by=small).verdict == "pass"


@pytest.mark.parametrize(
    ("margin", "expected"),
    [(0.02, 0.02), ("0.02", 0.02), ("10%", None), ({"ndcg@10": 0.01}, 0.01), (np.float64(0.03), 0.03)],
)
def test_margins(margin: Any, expected: float | None) -> None:
    (found,) = ir.gate(QRELS, NEW, OLD, "ndcg@10", margin=margin).measures
    assert found.margin == pytest.approx(0.1 * found.baseline if expected is None else expected)


@pytest.mark.parametrize(
    ("margin", "message"),
    [
        (0, "must be a number above 0"),
        (-0.1, "must be a number above 0"),
        ("0%", "must be a number above 0"),
        ("100%", "from 0% to 100%"),
        ("much", "must be a number above 0"),
        (True, "must be a number above 0"),
        (None, "must be a number above 0"),
        (1, "must be below the range of the measure, 0 to 1"),
        (0.9, "any system would pass"),
        ({"ap": 0.1}, "'ap', which is not among the measures"),
        ({}, "margin has no entry for ndcg@10"),
    ],
)
def test_a_margin_that_says_nothing_is_refused(margin: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ir.gate(QRELS, NEW, OLD, "ndcg@10", margin=margin)


def test_a_relative_margin_needs_a_baseline_that_finds_something() -> None:
    good = {f"q{i}": {"a"} for i in range(8)}
    nothing = {query: ["b"] for query in good}
    with pytest.raises(OptionError, match=r"mean of rr is 0, already the worst value.* the same ids"):
        ir.gate(good, nothing, nothing, "rr", margin="2%")
    with pytest.raises(OptionError, match="any system would pass"):
        ir.gate(good, nothing, nothing, "rr")


def test_queries_that_the_candidate_lacks_never_vanish_in_silence() -> None:
    few = without(OLD, "q01", "q02")
    with pytest.raises(DataError, match=r"no results for 2 queries \(q01, q02\)"):
        ir.gate(QRELS, few, OLD, "ndcg@10")
    dropped = ir.gate(QRELS, few, OLD, "ndcg@10", removed="drop")
    assert (dropped.verdict, dropped.n_queries, dropped.removed) == ("pass", 58, ("q01", "q02"))
    assert "Not in the candidate, and therefore left out: 2 queries (q01, q02)." in dropped.page().findings
    zero = ir.gate(QRELS, few, OLD, "ndcg@10", removed="zero")
    empty = ir.gate(QRELS, {**few, "q01": {}, "q02": {}}, OLD, "ndcg@10")
    assert (zero.n_queries, zero.removed) == (60, ())
    assert zero.measures == empty.measures
    assert zero.measures[0].candidate < zero.measures[0].baseline
    with pytest.raises(OptionError, match="removed must be one of"):
        ir.gate(QRELS, few, OLD, "ndcg@10", removed="ignore")  # type: ignore[arg-type]


def test_queries_that_the_baseline_lacks_are_named() -> None:
    found = ir.gate(QRELS, OLD, without(OLD, "q07"), "ndcg@10")
    assert found.added == ("q07",)
    assert "Not in the baseline, and therefore left out: 1 query (q07)." in found.page().findings


def test_an_empty_candidate_is_an_error() -> None:
    with pytest.raises(DataError, match="candidate: the run is empty"):
        ir.gate(QRELS, {"q01": {}}, OLD, "ndcg@10")


def test_a_failure_by_unjudged_documents_names_them() -> None:
    good = {f"q{i}": {"a": 1, "b": 0} for i in range(12)}
    old = {query: ["a", "b"] for query in good}
    new = {query: ["u", "a"] for query in good}
    found = ir.gate(good, new, old, "ndcg@1")
    (text,) = (each for each in found.page().findings if each.kind == "gate: unjudged documents")
    assert text.startswith("ndcg@1: fails only because 12 unjudged documents count as not relevant")
    assert "Judge these first: q0 u, q1 u" in text
    decided = ir.gate(good, {query: ["b", "a"] for query in good}, old, "ndcg@1")
    assert "gate: unjudged documents" not in kinds(decided)


def test_a_saved_baseline_gives_the_same_verdict(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    returned = ir.save_baseline(QRELS, OLD, "ndcg@10, rr", path)
    run = ir.gate(QRELS, NEW, OLD, "rr, ndcg@10")
    for baseline in (path, str(path), returned):
        saved = ir.gate(QRELS, NEW, baseline, "rr, ndcg@10")
        assert [each.test for each in saved.measures] == [each.test for each in run.measures]


def test_a_baseline_that_does_not_fit_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    ir.save_baseline(QRELS, OLD, "ndcg@10", path)
    with pytest.raises(DataError, match="has values of ndcg@10, and not of ap"):
        ir.gate(QRELS, NEW, path, "ap")
    with pytest.raises(DataError, match=r"gain=exp2.* for the candidate and was .*gain=linear"):
        ir.gate(QRELS, NEW, path, "ndcg@10", like="lightgbm")
    with pytest.raises(DataError, match="'unjudged' of the convention is drop for the candidate and was zero"):
        ir.gate(QRELS, NEW, path, "ndcg@10", like=ir.convention("trec_eval").replace(unjudged="drop"))
    changed = {query: dict(docs) for query, docs in QRELS.items()}
    changed["q05"]["new document"] = 1
    with pytest.raises(DataError, match=r"judgments of 1 query \(q05\) changed since the baseline was saved"):
        ir.gate(changed, NEW, path, "ndcg@10")
    other = {f"x{query}": docs for query, docs in QRELS.items()}
    with pytest.raises(DataError, match="the baseline is of other data"):
        ir.gate(other, {f"x{query}": docs for query, docs in NEW.items()}, path, "ndcg@10")


def test_queries_that_are_no_longer_judged_are_named(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    ir.save_baseline(QRELS, OLD, "ndcg@10", path)
    fewer = {query: docs for query, docs in QRELS.items() if query != "q03"}
    assert ir.gate(fewer, OLD, path, "ndcg@10").removed == ("q03",)


@pytest.mark.parametrize(
    "change",
    [
        {"query_ids": []},
        {"per_query": {"ndcg@10": [1.0]}},
        {"per_query": None},
        {"judgments_sha256": []},
        {"idealrank_baseline": 2},
        {"conventions": 3},
    ],
)
def test_a_damaged_baseline_is_a_parse_error(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "baseline.json"
    ir.save_baseline(QRELS, OLD, "ndcg@10", path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ParseError, match=r"baseline\.json.*save it again"):
        ir.gate(QRELS, NEW, path, "ndcg@10")


def test_labeled_lists_and_frames_have_saved_baselines_too(tmp_path: Path) -> None:
    labels, new, old = np.tile([1.0, 0.0, 0.0], 9), np.tile([1.0, 2.0, 3.0], 9), np.tile([3.0, 2.0, 1.0], 9)
    path, offsets = tmp_path / "baseline.json", np.arange(0, 28, 3)
    ir.save_baseline(labels, old, "rr", path, offsets=offsets)
    assert ir.gate(labels, new, path, "rr", offsets=offsets).verdict == "fail"
    with pytest.raises(DataError, match="judgments of 9 queries"):
        ir.gate(labels[::-1].copy(), new, path, "rr", offsets=offsets)


def test_a_baseline_is_one_system() -> None:
    with pytest.raises(DataError, match="a baseline is one system, got 3"):
        ir.save_baseline(QRELS, RUNS, "rr")  # type: ignore[arg-type]


def test_sums_and_geometric_means_are_refused() -> None:
    with pytest.raises(OptionError, match="geometric mean"):
        ir.gate(QRELS, NEW, OLD, "gm_map")


def test_every_output_form_states_the_verdict() -> None:
    found = ir.gate(QRELS, NEW, OLD, "ndcg@10, rr", by=dict.fromkeys(QRELS, "x < & y"))
    assert json.loads(found.to_json())["verdict"] == "fail"
    assert "FAIL: " in found.to_markdown()
    assert "Gate: fail" in html(found)
    suite = ElementTree.fromstring(found.to_junit())
    assert suite.attrib["tests"] == "4"
    failures = [case.attrib["name"] for case in suite if case.find("failure") is not None]
    assert failures == [each.name for each in found.measures if each.verdict == "fail"]
    pytest.importorskip("pyarrow")
    assert found.to_frame("pyarrow").num_rows == 4
    assert found.to_frame("pyarrow", table="queries").num_rows == 120


def test_junit_skips_what_is_inconclusive() -> None:
    few = {query: QRELS[query] for query in list(QRELS)[:3]}
    suite = ElementTree.fromstring(ir.gate(few, NEW, OLD, "rr").to_junit())
    assert (suite.attrib["skipped"], suite.attrib["failures"]) == ("1", "0")


def test_a_policy_has_the_arguments_of_the_gate(tmp_path: Path) -> None:
    ir.io.write_qrels(QRELS, tmp_path / "qrels.txt")
    ir.io.write_run(NEW, tmp_path / "new.run")
    ir.io.write_run(OLD, tmp_path / "old.run")
    lines = [
        'data = "qrels.txt"',
        'candidate = "new.run"',
        'baseline = "old.run"',
        'measures = ["rr"]',
        'margin = "5%"',
    ]
    policy = tmp_path / "pyproject.toml"
    policy.write_text("\n".join(["[project]", 'name = "x"', "[tool.idealrank.gate]", *lines]))
    (found,) = ir.gate(**ir.read_gate_policy(policy)).measures
    assert found == ir.gate(QRELS, NEW, OLD, "rr", margin="5%").measures[0]
    (tmp_path / "gate.toml").write_text("\n".join(lines))
    assert ir.read_gate_policy(tmp_path / "gate.toml") == ir.read_gate_policy(policy)
    policy.write_text("[project]\n")
    assert ir.read_gate_policy(policy) == {}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("margn = 0.02", OptionError, "no option 'margn'.*margin"),
        ("data = 3", OptionError, "data must be the path of a file"),
        ("margin = ", ParseError, "not valid TOML"),
        ("x = " + "[" * 9000, ParseError, "not valid TOML"),
        ("x = " + "1" * 5000, ParseError, "not valid TOML"),
        ("[tool.idealrank]\ngate = 3", ParseError, "must be a table"),
    ],
)
def test_a_bad_policy_is_an_error(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(error, match=message):
        ir.read_gate_policy(path)


def test_bounds_and_drops_are_in_the_range_of_the_measure() -> None:
    qrels = {f"q{i}": {f"d{j}": int(j < 3) for j in range(10)} for i in range(8)}
    best, worst = ({query: sorted(docs, reverse=turned) for query, docs in qrels.items()} for turned in (False, True))
    found = ir.gate(qrels, [best, worst], [best, best], "ndcg@10").measures[0]
    assert (found.low, found.high) == (-1, 1)
    assert found.smallest_drop == math.inf
    assert "8 queries find no true drop, however large, with 80% power" in str(found.power_statement())

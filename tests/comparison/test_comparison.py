"""Comparing systems: means, tests, corrections, and what is printed of them."""

import json
import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank import stats
from idealrank.errors import DataError, OptionError

RNG = np.random.default_rng(5)
QRELS = {f"q{i}": {f"d{j}": int(RNG.integers(0, 3)) for j in range(12)} for i in range(25)}


def system(noise: float) -> dict[str, dict[str, float]]:
    return {q: {d: label + noise * float(RNG.normal()) for d, label in docs.items()} for q, docs in QRELS.items()}


SYSTEMS = {"base": system(1), "good": system(0.1), "fair": system(1), "bad": system(30)}


def test_every_number_is_that_of_evaluate_and_stats() -> None:
    found = ir.compare(QRELS, SYSTEMS, ["ndcg@5", "ap"], baseline="base", seed=3)
    evaluated = ir.evaluate(QRELS, SYSTEMS, ["ndcg@5", "ap"])
    assert found.systems == tuple(SYSTEMS)
    assert found.query_ids == tuple(QRELS)
    for measure in ("ndcg@5", "ap"):
        raw = []
        base = evaluated["base"].per_query[measure]
        for i, each in enumerate(found.differences[measure]):
            own = evaluated[each.system].per_query[measure]
            assert_allclose(found.values[measure][:, i + 1], own, rtol=0, atol=0)
            assert_allclose(found.means[measure][each.system].mean, own.mean(), rtol=1e-12, atol=0)
            assert_allclose(each.difference, own.mean() - base.mean(), rtol=0, atol=1e-12)
            assert each.p_value == stats.t_test(own, base).p_value
            assert each.effect == stats.effect_size(own, base)
            assert each.detectable == stats.minimum_detectable_effect(own - base)
            worst = np.argmax(np.abs(own - base))
            assert each.moved[0] == (f"q{worst}", (own - base)[worst])
            raw.append(each.p_value)
        corrected = [each.corrected for each in found.differences[measure]]
        assert_allclose(corrected, stats.holm(raw), rtol=0, atol=0)
    assert {each.system for each in found.significant("ap")} == {"good", "bad"}


def test_without_a_baseline_all_pairs_are_compared_by_t_tests_with_holms_correction() -> None:
    found = ir.compare(QRELS, SYSTEMS, "ap")
    values = found.values["ap"]
    expected = stats.holm([stats.t_test(values[:, i], values[:, j]).p_value for i, j in combinations(range(4), 2)])
    assert_allclose([each.corrected for each in found.differences["ap"]], expected, rtol=1e-12)
    assert (found.test, found.correction) == ("t", "holm")


def test_tukey_compares_all_pairs() -> None:
    found = ir.compare(QRELS, SYSTEMS, "ap", seed=1, test="tukey")
    tukey = stats.randomized_tukey_hsd(found.values["ap"], seed=1)
    pairs = [(each.system, each.against) for each in found.differences["ap"]]
    assert pairs == [
        ("base", "good"),
        ("base", "fair"),
        ("base", "bad"),
        ("good", "fair"),
        ("good", "bad"),
        ("fair", "bad"),
    ]
    assert_allclose(
        [each.corrected for each in found.differences["ap"]], tukey.p_values[np.triu_indices(4, 1)], rtol=0, atol=0
    )
    assert found.letters("ap") == {"base": "d", "good": "d", "fair": "d", "bad": ""}
    assert found.to_latex().count(r"\rlap{\textsuperscript{d}} \\") == 3


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"test": "tukey"}, ["corrected"]),
        ({"test": "t", "correction": "none"}, ["p"]),
        ({"test": "t", "correction": "holm"}, ["p", "corrected"]),
    ],
)
def test_no_p_value_is_shown_twice(options: dict[str, Any], shown: list[str]) -> None:
    found = ir.compare(QRELS, SYSTEMS, "ap", seed=1, **options)
    for name in ("ap", "systems by ap"):
        columns = [column.name for column in found.table(name).columns]
        assert [column for column in columns if column in ("p", "corrected")] == shown
        assert all(len(row) == len(columns) for row in found.table(name).rows)
    first = found.differences["ap"][0]
    row = dict(zip([column.name for column in found.table("ap").columns], found.table("ap").rows[0], strict=True))
    assert row[shown[-1]] == first.corrected
    assert row["d_z"] == first.effect.cohen_dz
    assert {"p", "corrected"} <= set(found.to_csv().splitlines()[0].split(","))


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "bootstrap"])
@pytest.mark.parametrize("correction", ["holm", "benjamini_hochberg", "bonferroni", "none"])
def test_tests_and_corrections_are_those_of_stats(test: str, correction: str) -> None:
    found = ir.compare(QRELS, SYSTEMS, "ap", baseline="base", test=test, correction=correction, seed=2)
    options: dict[str, Any] = {"seed": 2} if test == "bootstrap" else {}
    values = found.values["ap"]
    raw = [getattr(stats, f"{test}_test")(values[:, i], values[:, 0], **options).p_value for i in (1, 2, 3)]
    assert [each.p_value for each in found.differences["ap"]] == raw
    expected = raw if correction == "none" else getattr(stats, correction)(raw)
    assert_allclose([each.corrected for each in found.differences["ap"]], expected, rtol=0, atol=0)


def test_all_and_none_are_words() -> None:
    alike = {f"s{i}": SYSTEMS["base"] for i in range(6)}
    query = next(iter(QRELS))
    better = {**alike, "s0": {**SYSTEMS["base"], query: SYSTEMS["good"][query]}}
    told, limit = ir.compare(QRELS, better, "ap", seed=0).page().findings
    assert "with 1 query that differs and 15 comparisons" in limit
    assert "not significantly better than any other system; none of the 15 pairs differ significantly" in told


def test_one_of_several_differs_in_the_singular() -> None:
    some = {"base": SYSTEMS["base"], "same": SYSTEMS["base"], "good": SYSTEMS["good"]}
    (told,) = ir.compare(QRELS, some, "ap", baseline="base", seed=0).page().findings
    assert "1 of 2 systems differs significantly from base" in told


def test_one_query_has_no_test() -> None:
    one = next(iter(QRELS))
    found = ir.compare({one: QRELS[one]}, {name: {one: run[one]} for name, run in SYSTEMS.items()}, "ap", seed=0)
    assert "There are too few queries to test differences (paired t test" in found.to_text()


def test_a_seed_repeats_everything() -> None:
    first = ir.compare(QRELS, SYSTEMS, "ap", baseline="base")
    again = ir.compare(QRELS, SYSTEMS, "ap", baseline="base", seed=first.seed, n_threads=1)
    assert again.differences == first.differences
    assert again.means == first.means


@pytest.mark.parametrize(("test", "is_random"), [("t", False), ("sign", False), ("bootstrap", True)])
def test_a_page_says_the_seed_of_what_was_drawn(test: str, is_random: bool) -> None:
    found = ir.compare(QRELS, SYSTEMS, "ap", test=test, seed=3)
    assert found.page().provenance.get("seed") == (3 if is_random else None)
    assert found.seed == 3


def test_systems_are_compared_on_the_queries_that_all_have() -> None:
    short = dict(list(SYSTEMS["good"].items())[5:])
    found = ir.compare(QRELS, {"base": SYSTEMS["base"], "short": short}, "ap", baseline="base")
    assert found.n_queries == 20
    assert any(problem.kind == "different queries" for problem in found.problems)
    with pytest.raises(DataError, match="no query in common"):
        ir.compare(QRELS, {"a": {"q0": {"d0": 1.0}}, "b": {"q1": {"d0": 1.0}}}, "ap")


def test_arrays_and_scores_are_compared_too() -> None:
    data = ir.from_arrays([1, 0, 1, 0], offsets=[0, 2, 4])
    found = ir.compare(data, {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}, "rr")
    assert found.differences["rr"][0].difference == 0.25


def test_everything_comes_out_as_text_markdown_csv_json_and_frames() -> None:
    found = ir.compare(QRELS, SYSTEMS, ["ndcg@5", "ap"], baseline="base", test="randomization")
    assert found.to_text("systems by ndcg@5").splitlines()[0].split()[:2] == ["system", "ndcg@5"]
    assert found.to_markdown("ap").startswith("| system |")
    lines = found.to_csv().splitlines()
    assert len(lines) == 1 + 2 * 3
    frame = found.to_frame("pyarrow")
    assert_allclose(frame["change"].to_pylist(), [float(line.split(",")[3]) for line in lines[1:]], rtol=0, atol=0)
    content = json.loads(found.to_json())
    assert content["differences"]["ap"][0]["p_value"] == found.differences["ap"][0].p_value
    assert content["seed"] == 0
    assert repr(found) == "Comparison(4 systems, 25 queries, against base; ndcg@5: 2 significant; ap: 2 significant)"


def test_what_cannot_be_told_is_said_and_never_certain() -> None:
    one = ir.compare(
        {"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"a": 1, "b": 2}}}, "rr", baseline="x"
    )
    (found,) = one.differences["rr"]
    assert found.p_value == 1.0
    assert "two queries" in found.note
    assert math.isnan(found.detectable)
    assert json.loads(one.to_json())["differences"]["rr"][0]["detectable"] is None
    same = ir.compare(QRELS, {"x": SYSTEMS["base"], "y": SYSTEMS["base"]}, "ap", baseline="x")
    assert same.differences["ap"][0].p_value == 1.0
    assert same.differences["ap"][0].moved == ()
    unranked = ir.compare(QRELS | {"none": {"a": 0}}, {n: s | {"none": {"a": 1.0}} for n, s in SYSTEMS.items()},
                          "ndcg(empty=nan)", baseline="base")  # fmt: skip
    assert all(0 < each.p_value <= 1 and "1 of 26" in each.note for each in unranked.differences["ndcg(empty=nan)"])


@pytest.mark.parametrize(
    ("options", "error", "what"),
    [
        ({"baseline": "none"}, DataError, "'none' is not among"),
        ({"test": "magic"}, OptionError, "magic"),
        ({"correction": "magic"}, OptionError, "magic"),
        ({"test": "tukey", "baseline": "base"}, OptionError, "all pairs"),
        ({"level": 2}, OptionError, "level must be between 0 and 1, got 2"),
        (
            {"n_permutations": 0, "test": "randomization"},
            OptionError,
            "n_permutations must be a whole number of at least 1, got 0",
        ),
        ({"systems": SYSTEMS["base"]}, DataError, "two systems"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(
    options: dict[str, Any], error: type[Exception], what: str
) -> None:
    with pytest.raises(error, match=what):
        ir.compare(QRELS, **{"systems": SYSTEMS, "measures": "ap", **options})


LIKES = [
    "trec_eval",
    "ranx",
    "sklearn",
    "lightgbm",
    "xgboost",
    "catboost",
    "letor4",
    "torchmetrics",
    "idealrank",
    "ir_measures",
]


@pytest.mark.parametrize("end", LIKES[1:])
@pytest.mark.parametrize("name", ["ndcg@3", "ndcg", "ap", "rr", "p@2"])
def test_steps_lead_from_one_number_to_the_other(name: str, end: str) -> None:
    qrels = {"q1": {"a": 3, "b": 0, "c": 1, "d": 2}, "q2": {"a": 0, "b": 0}, "q3": {"a": 1}}
    if end == "xgboost" and name != "ndcg@3":
        qrels = {q: {d: min(label, 1) for d, label in docs.items()} for q, docs in qrels.items()}
    run = {"q1": {"b": 2.0, "a": 1.0, "c": 1.0, "x": 0.5}, "q2": {"a": 1.0, "b": 0.5}}
    if end == "ranx":  # it refuses runs that leave out a query
        run["q3"] = {"x": 1.0}
    try:
        values = {like: ir.evaluate(qrels, run, name, like=like).mean[name] for like in ("trec_eval", end)}
    except OptionError as error:
        pytest.skip(str(error))
    found = ir.explain(qrels, run, name, like=["trec_eval", end])
    assert found.mean == values
    (waterfall,) = found.waterfalls
    means = [waterfall.start_mean, *(step.mean for step in waterfall.steps)]
    assert_allclose(np.diff(means), [step.change for step in waterfall.steps], rtol=0, atol=1e-15)
    assert_allclose(means[-1], values[end], rtol=0, atol=1e-15)
    assert waterfall.end_mean == values[end]


def test_an_explanation_names_choices_and_queries() -> None:
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 0}}
    run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
    found = ir.explain(qrels, run, "ndcg", like=["trec_eval", "xgboost"])
    effective = [(step.choice, step.after, step.moved[0][0]) for step in found.waterfalls[0].steps if step.n_moved]
    assert effective == [("gain", "exp2:31", "q1"), ("empty", "1", "q2")]
    assert "missing" in found.waterfalls[0].without_effect
    with pytest.raises(OptionError, match="two conventions"):
        ir.explain(qrels, run, "ndcg", like=["trec_eval"])
    with pytest.raises(DataError, match="one system"):
        ir.explain(qrels, {"a": run, "b": run}, "ndcg", like=["trec_eval", "sklearn"])  # type: ignore[arg-type]


def test_of_an_error_less_is_better() -> None:
    found = ir.compare(QRELS, SYSTEMS, ["pairwise_error", "auc"], baseline="bad", seed=0)
    for error, auc in zip(found.differences["pairwise_error"], found.differences["auc"], strict=True):
        assert error.difference < 0 < auc.difference
        assert error.effect.wins > error.effect.losses
        assert error.effect.common_language > 0.5
    letters = ir.compare(QRELS, SYSTEMS, ["pairwise_error"], seed=0).letters("pairwise_error")
    assert letters == {"base": "d", "good": "bcd", "fair": "d", "bad": ""}


def errors(*steps: int) -> dict[str, dict[str, float]]:
    """A run of this many of 8 pairs in the wrong order on each query."""
    return {
        f"q{i}": {"relevant": -float(wrong), **{f"n{j}": -j - 0.5 for j in range(8)}} for i, wrong in enumerate(steps)
    }


ONE_RELEVANT = {f"q{i}": {"relevant": 1, **{f"n{j}": 0 for j in range(8)}} for i in range(9)}
#: One is better on 8 queries and much worse on one: the means are equal, and the sign test gives 0.039.
OFTEN, SELDOM = errors(*[0] * 8, 8), errors(*[1] * 8, 0)


@pytest.mark.parametrize("measure", ["auc", "pairwise_error"])
def test_systems_with_equal_means_can_differ_and_none_is_better(measure: str) -> None:
    two = {"often": OFTEN, "seldom": SELDOM}
    found = ir.compare(ONE_RELEVANT, two, measure, test="sign", seed=0)
    (each,) = found.significant(measure)
    assert each.difference == 0
    mean = f"{found.means[measure]['often'].mean:.4f}"
    assert list(found.page().findings) == [
        f"{measure}: often and seldom have the same mean, {mean}, but differ significantly at level 0.05."
    ]
    assert found.letters(measure) == {"often": "", "seldom": ""}
    for table in (measure, "letters", f"systems by {measure}"):
        assert not found.table(table).marks
    assert found.table("letters").notes[0].startswith("No system is significantly better than another (sign test")
    found = ir.compare(ONE_RELEVANT, two, measure, test="sign", baseline="seldom", seed=0)
    assert list(found.page().findings) == [
        f"{measure}: often differs significantly from seldom (+0.0000) at level 0.05."
    ]
    assert not found.table(measure).marks
    assert found.table(measure).notes[0].startswith("No system is significantly better or worse than seldom (sign")
    three = {**two, "bad": errors(*[8] * 9)}
    found = ir.compare(ONE_RELEVANT, three, measure, test="sign", correction="none", baseline="seldom", seed=0)
    assert (
        "both systems differ significantly from seldom, 1 worse and 1 with the same mean, at"
        in found.page().findings[0]
    )


def test_a_note_explains_only_the_measure_and_the_marks_of_its_table() -> None:
    systems = {name: SYSTEMS[name] for name in ("good", "bad")}
    found = ir.compare(QRELS, systems, ["ndcg", "p@12"], seed=0)  # all have the same 12 documents
    assert len(found.significant("ndcg")) == 1
    (note,) = found.table("systems by p@12").notes
    assert note.startswith("No two systems differ significantly")
    assert "better than" in found.table("systems by ndcg").notes[0]
    for baseline, meaning in (
        ("bad", "†: significantly better than bad ("),
        ("good", "‡: significantly worse than good ("),
        ("base", "† and ‡: significantly better and worse than base ("),
    ):
        against = ir.compare(QRELS, SYSTEMS, "ap", baseline=baseline, seed=0)
        assert against.table("ap").notes[0].startswith(meaning)
        assert meaning in against.table("letters").caption
    assert found.table("ndcg").notes[0].startswith("†: significantly better than the other system (")


def test_the_best_mean_is_shared_or_missing_and_one_query_with_a_value_is_not_enough() -> None:
    qrels: dict[str, Any] = {"q": {"a": 1, "b": 0}, "none": {"a": 0, "b": 0}}
    run = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    found = ir.compare(qrels, {"x": run, "y": run}, ["ndcg(empty=skip)", "ndcg(empty=nan)", "ndcg(empty=0)"], seed=0)
    assert list(found.page().findings) == [
        "ndcg(empty=skip): x and y share the best mean, 1.0000; one query is not enough to test differences.",
        "ndcg(empty=nan): no system has a mean, because some queries have no value; one query is not enough to test "
        "differences.",
        "ndcg(empty=0): x and y have the same mean, 0.5000, and do not differ significantly at level 0.05.",
    ]
    nothing = ir.compare({"none": qrels["none"]}, {"x": {"none": run["q"]}, "y": {"none": run["q"]}}, "ndcg(empty=nan)")
    assert list(nothing.page().findings) == ["ndcg(empty=nan): no query has a value."]


def test_the_number_of_draws_is_told_if_there_were_any() -> None:
    def told(**options: Any) -> tuple[Any, Any]:
        found = ir.compare(QRELS, {n: SYSTEMS[n] for n in ("base", "bad")}, "ap", seed=0, n_permutations=99, **options)
        return json.loads(found.to_json())["n_permutations"], found.page().provenance

    for test in ("t", "wilcoxon", "sign"):
        number, made_with = told(test=test)
        assert number is None
        assert not {"permutations", "resamples"} & {*made_with}
    assert told(test="t", interval_method="bca")[0] == 99
    number, made_with = told(test="bootstrap")
    assert (number, made_with["resamples"]) == (99, "99")
    assert "permutations" not in made_with
    for test in ("randomization", "tukey"):
        number, made_with = told(test=test)
        assert (number, made_with["permutations"]) == (99, "99")
    few = ir.compare(ONE_RELEVANT, {"x": OFTEN, "y": SELDOM}, "auc", test="randomization", seed=0)
    assert json.loads(few.to_json())["n_permutations"] is None


def test_a_change_that_is_rounded_to_0_has_no_minus_sign() -> None:
    found = ir.compare(QRELS, {n: SYSTEMS[n] for n in ("base", "fair")}, "ap", baseline="base", seed=0)
    (each,) = found.differences["ap"]
    tiny = replace(found, differences={"ap": (replace(each, difference=-1e-9, moved=(("q1", -1e-9),), corrected=1.0),)})
    assert "(+0.0000)" in tiny.page().findings[0]
    assert tiny.largest_changes("ap") == {"fair": "q1: +0.0000"}
    assert "+0.0000" in replace(tiny, differences={"ap": (replace(each, difference=-0.0),)}).to_text()
    assert "-0.0000" not in replace(tiny, differences={"ap": (replace(each, difference=-0.0),)}).to_text()

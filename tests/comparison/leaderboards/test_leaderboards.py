"""Systems on several drawn data sets: means, ranks, aggregations, normalization, and what is wrong with the input."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import gmean, rankdata

import idealrank as ir
from idealrank import stats
from idealrank.comparison.leaderboards.folders import datasets_in, results_in
from idealrank.errors import DataError, OptionError, ParseError

SETS = {"one": ir.datasets.search_runs(20, seed=1), "two": ir.datasets.search_runs(40, seed=2)}


def drawn() -> dict[str, Any]:
    return {name: (each.qrels, dict(each.runs)) for name, each in SETS.items()}


def test_means_are_those_of_evaluate_and_their_mean_counts_data_sets_once() -> None:
    found = ir.leaderboard(drawn(), "ndcg@10", seed=0)
    for place, (qrels, runs) in enumerate(drawn().values()):
        own = ir.evaluate(qrels, runs, "ndcg@10").mean
        assert found.means[place].tolist() == pytest.approx([own[system]["ndcg@10"] for system in found.systems])
    assert found.overall.means == pytest.approx(found.means.mean(axis=0))
    assert found.overall.geometric_means == pytest.approx(gmean(found.means, axis=0))
    assert found.overall.mean_ranks == pytest.approx(np.mean([rankdata(-each) for each in found.means], axis=0))
    assert list(found.overall.means) == sorted(found.overall.means, reverse=True)
    assert found.n_queries == (20, 40)


def test_weights_by_queries_give_the_mean_of_all_queries() -> None:
    found = ir.leaderboard(drawn(), "ndcg@10", weights="queries", seed=0)
    assert found.overall.means == pytest.approx(np.array([20, 40]) / 60 @ found.means)
    given = ir.leaderboard(drawn(), "ndcg@10", weights={"two": 2, "one": 1}, seed=0)
    assert given.overall.means == pytest.approx(found.overall.means)


def test_one_data_set_is_a_comparison() -> None:
    sets = {"one": drawn()["one"]}
    found = ir.leaderboard(sets, "ndcg@10", baseline="bm25", seed=0)
    qrels, runs = sets["one"]
    compared = ir.compare(qrels, runs, "ndcg@10", baseline="bm25", seed=0)
    for system, mean, low, high in zip(
        found.systems, found.overall.means, found.overall.low, found.overall.high, strict=True
    ):
        own = compared.means["ndcg@10"][system]
        assert (mean, low, high) == pytest.approx((own.mean, own.low, own.high))
    p_values = {each.system: each.p_value for each in compared.differences["ndcg@10"]}
    assert {each.system: each.p_value for each in found.against_baseline} == pytest.approx(p_values)
    with pytest.raises(DataError, match="two data sets or more"):
        ir.leaderboard(sets, over="datasets")


def test_evaluations_and_runs_give_the_same_leaderboard() -> None:
    measures = ["ndcg@10", "dcg@10"]
    evaluated = {name: ir.evaluate(qrels, runs, measures) for name, (qrels, runs) in drawn().items()}
    assert ir.leaderboard(evaluated, seed=0).to_dict() == ir.leaderboard(drawn(), seed=0).to_dict()


def test_published_means_are_compared_over_data_sets() -> None:
    rng = np.random.default_rng(0)
    means = 0.5 + 0.1 * rng.normal(size=(12, 1)) + 0.02 * rng.normal(size=(12, 3)) + np.array([0.0, 0.01, -0.1])
    names = [f"set {place}" for place in range(12)]
    scores = {name: dict(zip("abc", row, strict=True)) for name, row in zip(names, means.tolist(), strict=True)}
    found = ir.leaderboard(scores, "main score", baseline="c", seed=0)
    assert found.over == "datasets"
    assert found.tied_for_first == ("b", "a")
    assert found.normalization is None
    expected = stats.t_test(means[:, 0], means[:, 2]).p_value
    assert dict(zip("ba", found.against_baseline, strict=True))["a"].p_value == pytest.approx(expected)
    wrong: list[dict[str, Any]] = [{"over": "queries"}, {"weights": "queries"}]
    for options in wrong:
        with pytest.raises(OptionError, match="have means only"):
            ir.leaderboard(scores, **options)


def test_the_ways_to_aggregate_disagree_and_the_page_says_so() -> None:
    # Means .55 and .5, geometric means .3 and .5; b has the better rank on two of three.
    scores = {"x": {"a": 0.9, "b": 0.3}, "y": {"a": 0.4, "b": 0.6}, "z": {"a": 0.35, "b": 0.65}}
    found = ir.leaderboard(scores, seed=0)
    assert found.systems == ("a", "b")
    assert found.disagreements == (("a", "b"),)
    (said,) = (line for line in found.page().findings if "disagree" in line)
    assert "disagree on the order of a and b, whose means do not differ significantly." in said
    assert "a by the mean; a by the geometric mean; b by the mean rank" in said
    alike = ir.leaderboard({"x": {"a": 0.9, "b": 0.3}, "y": {"a": 0.9, "b": 0.2}}, seed=0)
    assert alike.disagreements == ()
    (figure,) = alike.page().sections()[0].figures
    assert (figure.name, figure.data[0]) == ("rank_ranges", alike.systems)
    assert alike.page().findings[1] == "Mean, geometric mean and mean rank agree on the order of both systems."


def test_normalization_reverses_systems_that_are_good_on_queries_with_much_to_find() -> None:
    # q1 has three relevant documents: much DCG to win, and no more NDCG than the others.
    qrels = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"d": 1}, "q3": {"e": 1}}
    many = {"q1": ["a", "b", "c"], "q2": ["x", "y", "d"], "q3": ["x", "y", "e"]}
    few = {"q1": ["x", "y", "c"], "q2": ["d"], "q3": ["e"]}
    found = ir.leaderboard({"s": (qrels, {"many": many, "few": few})}, "ndcg@3", like="trec_eval", seed=0)
    log = 1 / np.log2([2, 3, 4])
    dcg = {"many": [log.sum(), 0.5, 0.5], "few": [0.5, 1, 1]}
    ndcg = {name: [own[0] / log.sum(), own[1], own[2]] for name, own in dcg.items()}
    assert found.normalization is not None
    (flip,) = found.normalization.flips
    assert (flip.dataset, flip.system, flip.against) == ("s", "few", "many")
    assert flip.difference == pytest.approx(np.mean(ndcg["few"]) - np.mean(ndcg["many"]))
    assert flip.dcg_difference == pytest.approx(np.mean(dcg["few"]) - np.mean(dcg["many"]))
    assert found.normalization.best == {"s": ("few", "many")}
    assert found.page().findings[-1] == (
        "ndcg@3 and dcg@3 disagree on the order of few and many on s, not significantly "
        "by both; the best system is few by ndcg@3 and many by dcg@3."
    )
    twice = ir.leaderboard(dict.fromkeys("st", (qrels, {"many": many, "few": few})), "ndcg@3", seed=0)
    *_, finding = twice.page().findings
    assert finding.endswith(
        "disagree on the order of both pairs of systems, none of them significantly by both; the best system differs "
        "on both data sets, for example few by ndcg@3 and many by dcg@3 on s."
    )
    assert found.table("normalization").rows[0][:3] == ["s", "few", "many"]
    assert ir.leaderboard({"s": (qrels, {"many": many, "few": few})}, "ap", seed=0).normalization is None


def test_two_systems_are_called_by_their_names() -> None:
    close = {f"set {i}": {"a": 0.9 - 0.1 * (i % 2), "b": 0.86} for i in range(6)}
    tied, _ = ir.leaderboard(close, seed=0).page().findings
    assert tied == "Both systems are tied for first: b has the best mean, 0.8600, and a may be as good."
    apart = {f"set {i}": {"a": 0.9 + 0.01 * (i % 3), "b": 0.3 + 0.01 * (i % 2)} for i in range(12)}
    first, _ = ir.leaderboard(apart, "ap", seed=0).page().findings
    assert first.endswith("is significantly better than b.")


def test_a_system_that_some_data_sets_lack_is_left_out_and_its_queries_do_not_matter() -> None:
    sets = drawn()
    runs = sets["one"][1]
    sets["one"] = (sets["one"][0], {**runs, "small": {"q1": {"d1": 1.0}}})
    found = ir.leaderboard(sets, seed=0)
    (problem,) = (each for each in found.problems if each.kind == "missing system")
    assert str(problem) == "small: left out because 1 of 2 data sets do not have it: two"
    assert found.to_dict()["means"] == ir.leaderboard(drawn(), seed=0).to_dict()["means"]


def test_a_query_in_two_data_sets_counts_in_both_and_is_reported() -> None:
    found = ir.leaderboard({"one": drawn()["one"], "again": drawn()["one"]}, seed=0)
    (problem,) = (each for each in found.problems if each.kind == "repeated query")
    assert "in one and again" in str(problem)
    assert not [each for each in ir.leaderboard(drawn(), seed=0).problems if each.kind == "repeated query"]


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({}, "expected data sets"),
        ([1], "expected data sets, .* got list"),
        (
            {"x": {"a": 1.0, "b": 2.0}, "y": {"c": 1.0, "d": 2.0}},
            "two systems or more .* got 0: x has a and b; y has c",
        ),
        ({"x": {"a": 1.0}}, "got 1: x has a"),
        ({"x": {"a": 1.0, "b": "z"}}, "data set x: expected .* got str for 'b'"),
        ({"x": {"a": 1.0, "b": float("nan")}}, "data set x: expected .* got float for 'b'"),
        ({"x": (1, 2, 3)}, "data set x: expected"),
        ({"x": ("nowhere", {"a": {}, "b": {}})}, "nowhere"),
        ({"x": ({"q": {"d": 1}}, {"a": {"q": {"d": 1}}, "b": {"q": {"d": 1}}})}, "data set x has 1 query with values"),
    ],
)
def test_bad_data_sets_are_named(sets: Any, message: str) -> None:
    with pytest.raises((DataError, OSError), match=message):
        ir.leaderboard(sets)


@pytest.mark.parametrize(
    "options",
    [
        {"weights": {"one": 1}},
        {"weights": {"one": 1, "two": 1, "three": 1}},
        {"weights": "many"},
        {"weights": {"one": -1, "two": 2}},
        {"over": "topics"},
        {"method": "z"},
        {"measure": ["ap", "rr"]},
    ],
)
def test_bad_options_are_refused(options: Any) -> None:
    with pytest.raises(OptionError):
        ir.leaderboard(drawn(), **options)


@pytest.mark.parametrize("method", ["t", "randomization", "bootstrap"])
def test_ranks_are_those_of_the_chosen_method(method: str) -> None:
    found = ir.leaderboard(drawn(), "ndcg@10", method=method, seed=0)
    matrices = []
    for qrels, runs in drawn().values():
        own = ir.evaluate(qrels, {name: runs[name] for name in found.systems}, "ndcg@10")
        matrices.append(np.column_stack([each.per_query["ndcg@10"] for each in own.values()]))
    expected = stats.rank_systems(matrices, method=method, seed=0)
    assert found.overall.method == method
    assert found.overall.p_values == pytest.approx(expected.p_values)
    word = {"t": "t tests", "randomization": "swaps", "bootstrap": "resampled"}[method]
    assert word in " ".join(found.page().remarks)


def test_an_unknown_baseline_is_an_error() -> None:
    with pytest.raises(DataError, match="the baseline 'x' is not among"):
        ir.leaderboard(drawn(), baseline="x")


def folders(root: Path) -> dict[str, Path]:
    """Write the drawn data sets as BEIR has them, and runs as TREC and MTEB do; return the folders of systems."""
    for name, (qrels, runs) in drawn().items():
        (root / "beir" / name / "qrels").mkdir(parents=True)
        lines = [f"{q}\t{d}\t{int(label)}\n" for q, docs in qrels.to_dict().items() for d, label in docs.items()]
        text = "".join(["query-id\tcorpus-id\tscore\n", *lines])
        (root / "beir" / name / "qrels" / "test.tsv").write_text(text)
        for system, run in runs.items():
            (root / system).mkdir(exist_ok=True)
            if system == "dense":
                nested = {"mteb_model_meta": {"model_name": "d"}, "default": {"test": run.to_dict()}}
                (root / system / f"{name.upper()}_predictions.json").write_text(json.dumps(nested))
            else:
                ir.io.write_run(run, root / system / f"{name}.run.gz")
    return {system: root / system for system in ("bm25", "dense", "hybrid")}


def test_folders_of_beir_and_mteb_give_the_same_leaderboard(tmp_path: Path) -> None:
    found = datasets_in(tmp_path / "beir", folders(tmp_path))
    assert ir.leaderboard(found, seed=0).to_dict() == ir.leaderboard(drawn(), seed=0).to_dict()
    by_folder = {name: (tmp_path / "beir" / name, runs) for name, (_, runs) in found.items()}
    assert ir.leaderboard(by_folder, seed=0).to_dict() == ir.leaderboard(drawn(), seed=0).to_dict()


def test_the_function_reads_folders_and_says_how_far_it_is(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    systems = folders(tmp_path)
    found = ir.leaderboard(tmp_path / "beir", systems=systems, seed=0, progress=lambda *each: seen.append(each))
    assert found.to_dict() == ir.leaderboard(drawn(), seed=0).to_dict()
    assert seen == [("one", 1, 2), ("two", 2, 2)]
    with pytest.raises(DataError, match=r"has no qrels/dev\.tsv"):
        ir.leaderboard(tmp_path / "beir", systems=systems, split="dev")
    with pytest.raises(DataError, match="need the folder of the data sets, got dict"):
        ir.leaderboard(drawn(), systems=systems)
    with pytest.raises(DataError, match="folder}, got list"):
        ir.leaderboard(tmp_path / "beir", systems=[tmp_path / "bm25"])  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"expected data sets, .* got NoneType"):
        ir.leaderboard()


def test_folders_without_files_are_named(tmp_path: Path) -> None:
    systems = folders(tmp_path)
    with pytest.raises(DataError, match="no data sets"):
        datasets_in(tmp_path / "beir" / "one" / "qrels" / "..", systems, split="dev")
    with pytest.raises(DataError, match=r"has no qrels/dev\.tsv"):
        datasets_in(tmp_path / "beir", systems, split="dev")
    with pytest.raises(DataError, match="expected a folder"):
        datasets_in(tmp_path / "beir", {"x": tmp_path / "x"})
    (tmp_path / "x").mkdir()
    with pytest.raises(DataError, match="has no run named as a data set is: one and two"):
        datasets_in(tmp_path / "beir", {"x": tmp_path / "x"})
    (tmp_path / "bm25" / "one.txt").write_text("")
    with pytest.raises(DataError, match="has two runs for one"):
        datasets_in(tmp_path / "beir", systems)


def result_file(path: Path, task: str, *scores: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [{"hf_subset": f"s{i}", "main_score": score, "ndcg_at_10": score / 2} for i, score in enumerate(scores)]
    path.write_text(json.dumps({"task_name": task, "mteb_version": "2.1", "scores": {"test": entries}}))


def test_results_of_mteb_are_read(tmp_path: Path) -> None:
    result_file(tmp_path / "e5" / "revision" / "A.json", "A", 0.5, 0.25)
    result_file(tmp_path / "e5" / "revision" / "B.json", "B", 0.75)
    (tmp_path / "e5" / "revision" / "model_meta.json").write_text("{}")
    assert results_in({"e5": tmp_path / "e5"}) == {"A": {"e5": 0.375}, "B": {"e5": 0.75}}
    assert results_in({"e5": tmp_path / "e5"}, "ndcg@10") == {"A": {"e5": 0.1875}, "B": {"e5": 0.375}}
    with pytest.raises(ParseError, match="no number 'ndcg_at_5' for each subset of A; it has ndcg_at_10"):
        results_in({"e5": tmp_path / "e5"}, "ndcg@5")
    result_file(tmp_path / "bge" / "A.json", "A", 0.25)
    result_file(tmp_path / "bge" / "B.json", "B", 0.5)
    both = {name: tmp_path / name for name in ("e5", "bge")}
    assert [ir.leaderboard(None, name, systems=both).measure for name in (None, "ndcg@10")] == ["main score", "ndcg@10"]
    assert ir.leaderboard(systems=both).to_dict()["means"] == results_in(both)
    result_file(tmp_path / "e5" / "other" / "A.json", "A", 0.5)
    with pytest.raises(DataError, match="has two results of A"):
        results_in({"e5": tmp_path / "e5"})
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="has no result files"):
        results_in({"none": tmp_path / "none"})

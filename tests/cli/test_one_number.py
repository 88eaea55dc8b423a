"""The same files and the same measure give the same number in every command, table, page and Python function."""

import base64
import csv
import html
import io
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import idealrank as ir
from idealrank import theory
from idealrank.cli.group import commands
from idealrank.errors import DataError

MEASURES = ("ndcg@3", "ndcg")
#: They differ in gains, ties, missing queries (left out or 0) and queries with nothing relevant (0, 1 or left out).
LIKES = (None, "trec_eval", "ir_measures", "gdeval", "sklearn", "lightgbm", "idealrank")
NAMES = ("one", "two")


def judgments_and_runs() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Ten queries, q9 with nothing relevant; the runs miss different ones, have ties and unjudged documents."""
    rng = np.random.default_rng(11)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 4)) for j in range(8)} for i in range(9)}
    qrels["q9"] = {f"d{j}": 0 for j in range(8)}
    runs = {}
    for name, noise, missing in (("one", 0.5, ("q3",)), ("two", 3.0, ("q0", "q5"))):
        runs[name] = {
            query: {
                **{
                    doc: float(round(label + noise * rng.normal())) for doc, label in docs.items() if rng.random() < 0.8
                },
                "x1": 1.0,
                "x2": float(rng.integers(0, 3)),
            }
            for query, docs in qrels.items()
            if query not in missing
        }
    return qrels, runs


@pytest.fixture
def trec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    monkeypatch.chdir(tmp_path)
    qrels, runs = judgments_and_runs()
    ir.io.write_qrels(ir.Qrels(qrels), "data")
    for name, run in runs.items():
        ir.io.write_run(ir.Run(run), f"{name}.run")
    return qrels, runs


@pytest.fixture
def letor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ir.RankingData:
    """Labeled lists, the last one with nothing relevant; scores with ties."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, 60)
    labels[50:] = 0
    data = ir.from_arrays(labels, group=[10] * 6, features=rng.normal(size=(60, 2)))
    ir.io.write_letor(data, "data")
    for name, noise in zip(NAMES, (0.5, 3.0), strict=True):
        ir.io.write_scores(np.round(labels + noise * rng.normal(size=60)), f"{name}.txt")
    return data


def run(*arguments: str) -> str:
    shown = CliRunner().invoke(commands, arguments)
    assert shown.exit_code == 0, shown.output
    return shown.stdout


def options(like: str | None, *more: str) -> list[str]:
    chosen = [] if like is None else ["--like", like]
    return [*chosen, *(part for name in MEASURES for part in ("-m", name)), *more]


def told_by_commands(ending: str, like: str | None) -> dict[str, dict[tuple[str, str], Any]]:
    """{command: {(system, measure): (mean, number of queries, convention)}}, as JSON tells them."""
    files = ("data", *(f"{name}.{ending}" for name in NAMES))
    evaluated = json.loads(run("evaluate", *files, *options(like, "--interval", "--format", "json")))
    compared = json.loads(run("compare", *files, *options(like, "--format", "json", "--seed", "1")))
    limits = json.loads(run("limits", *files, *options(like, "--format", "json")))
    told = json.loads(run("distinguish", *files, *options(like, "--format", "json")))
    (pair,) = told["pairs"]
    found: dict[str, dict[tuple[str, str], Any]] = {"evaluate": {}, "compare": {}, "limits": {}, "distinguish": {}}
    for measure in MEASURES:
        (row,) = (row for row in pair["measures"] if row["measure"] == measure)
        for name, mean in zip(NAMES, (row["mean_a"], row["mean_b"]), strict=True):
            key = name, measure
            own = evaluated["systems"][name]
            facts = evaluated["conventions"]
            found["evaluate"][key] = own["mean"][measure], own["n_queries"], facts
            each = compared["means"][measure][name]
            found["compare"][key] = each["mean"], compared["n_queries"], compared["conventions"]
            (now,) = (x["now"] for x in limits["limits"] if (x["system"], x["measure"]) == key)
            found["limits"][key] = now, limits["n_queries"], limits["conventions"]
            found["distinguish"][key] = mean, told["n_queries"], told["conventions"]
            # One method for one interval, and its name.
            assert own["interval"][measure] == [each["low"], each["high"]]
            assert (evaluated["interval_method"], evaluated["interval_level"]) == (each["method"], each["level"])
    return found


@pytest.mark.parametrize("like", LIKES)
def test_commands_agree_on_runs(trec: tuple[Any, Any], like: str | None) -> None:
    qrels, runs = trec
    found = told_by_commands("run", like)
    for command, each in found.items():
        assert each == found["evaluate"], command
    both = ir.evaluate(qrels, runs, MEASURES, like=like)
    compared = ir.compare(qrels, runs, MEASURES, like=like, seed=1)
    told = theory.distinguish(qrels, {name: runs[name] for name in ("one", "two")}, MEASURES, like=like).pairs[0]
    assert both.n_queries == compared.n_queries == told.n_queries
    for measure in MEASURES:
        for name, mean in zip(NAMES, (told[measure].mean_a, told[measure].mean_b), strict=True):
            expected, n_queries, _ = found["evaluate"][name, measure]
            assert both.mean[name][measure] == both[name].mean[measure] == expected == mean
            assert compared.means[measure][name].mean == expected
            assert both[name].interval()[measure] == (
                compared.means[measure][name].low,
                compared.means[measure][name].high,
            )
            assert both[name].n_queries == n_queries


@pytest.mark.parametrize("like", [None, "sklearn", "lightgbm", "rax"])
def test_commands_agree_on_labeled_lists(letor: ir.RankingData, like: str | None) -> None:
    found = told_by_commands("txt", like)
    for command, told in found.items():
        assert told == found["evaluate"], command
    assert {n_queries for _, n_queries, _ in found["evaluate"].values()} == {6}
    scores = {name: ir.io.read_scores(f"{name}.txt") for name in NAMES}
    for name in NAMES:
        one = ir.evaluate(letor, scores[name], MEASURES, like=like)
        streamed = ir.evaluate_stream(
            [ir.from_arrays(letor.labels, offsets=letor.offsets, scores=scores[name])], MEASURES, like=like
        )
        for measure in MEASURES:
            assert one.mean[measure] == streamed.mean[measure] == found["evaluate"][name, measure][0]
            assert one.interval()[measure] == streamed.interval()[measure]


@pytest.mark.parametrize("other", ["idealrank", "gdeval", "ir_measures"])
def test_explain_starts_and_ends_at_the_means_of_evaluate(trec: tuple[Any, Any], other: str) -> None:
    likes = ["trec_eval", other]
    told = json.loads(
        run("explain", "data", "two.run", "-m", "ndcg@3", *(f"--like={like}" for like in likes), "--format", "json")
    )
    (way,) = told["waterfalls"]
    for like, mean in zip(likes, (way["start_mean"], way["end_mean"]), strict=True):
        alone = json.loads(run("evaluate", "data", "two.run", "-m", "ndcg@3", "--like", like, "--format", "json"))
        assert told["mean"][like] == mean == alone["systems"]["two"]["mean"]["ndcg@3"]
        assert told["n_queries"][like] == alone["systems"]["two"]["n_queries"]
    shown = run("explain", "data", "two.run", "-m", "ndcg@3", *(f"--like={like}" for like in likes))
    first, second = (f"{told['n_queries'][like]} queries" for like in likes)
    stated = first if first == second else f"{first} like {likes[0]} and {second} like {likes[1]}"
    assert shown.startswith(f"{likes[0]} gives {way['start_mean']:.4f} and {likes[1]} {way['end_mean']:.4f}: ")
    assert shown.endswith(f"\nMeans of ndcg@3 over {stated}.\n")


@pytest.mark.parametrize("like", ["trec_eval", "ir_measures", "idealrank"])
def test_every_table_states_queries_and_convention(trec: tuple[Any, Any], like: str) -> None:
    files = ("data", "one.run", "two.run")
    evaluated = json.loads(run("evaluate", *files, *options(like, "--format", "json")))
    n_queries = evaluated["systems"]["one"]["n_queries"]
    for command in ("evaluate", "compare", "limits", "distinguish"):
        for form in ("text", "markdown", "latex"):
            shown = run(command, *files, *options(like, "--format", form))
            assert f"{n_queries} queries" in shown, (command, form)
            assert re.search(rf"like {like}( \(version [\d.]+\))?([:;] |\n)", shown), (command, form)
            if form == "text":  # it has every choice if asked for everything
                if command not in ("evaluate", "compare"):
                    continue  # the other formats have them
                shown = run(command, *files, *options(like, "--verbose"))
            assert re.search(r"ties ?=", shown), (command, form)
    rows = list(csv.DictReader(io.StringIO(run("limits", *files, *options(like, "--format", "csv")))))
    assert {(row["system"], row["measure"]): float(row["now"]) for row in rows} == {
        (name, measure): evaluated["systems"][name]["mean"][measure] for name in NAMES for measure in MEASURES
    }
    for line in run("compare", *files, *options(like)).splitlines():
        name, *cells = line.split() or [""]
        if name in NAMES and cells[0] not in NAMES:
            assert cells[0] in {f"{value:.4f}" for value in evaluated["systems"][name]["mean"].values()}


@pytest.mark.parametrize("like", ["trec_eval", "ir_measures"])
@pytest.mark.parametrize("command", ["evaluate", "compare", "limits", "distinguish"])
def test_a_page_has_one_query_set_and_the_means_of_evaluate(trec: tuple[Any, Any], command: str, like: str) -> None:
    files = ("data", "one.run", "two.run")
    run(command, *files, *options(like, "--html", "page.html"))
    evaluated = json.loads(run("evaluate", *files, *options(like, "--format", "json")))["systems"]
    page = Path("page.html").read_text(encoding="utf-8")
    words = html.unescape(re.sub(r"<[^>]+>", " ", page))
    n_queries = evaluated["one"]["n_queries"]
    assert n_queries == evaluated["two"]["n_queries"] == (7 if like == "trec_eval" else 10)
    about = words.split("Leaderboard")[0]
    assert f"{n_queries} queries" in about
    assert f"like {like}" in about
    for own in evaluated.values():
        for mean in own["mean"].values():
            assert f"{mean:.4f}" in words
    if command in ("limits", "distinguish"):
        return
    embedded = json.loads(re.search(r'id="report-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    scores = embedded["scores"]
    assert len(scores["queries"]) == n_queries
    for measure in scores["measures"]:
        packed = zlib.decompress(base64.b64decode(measure["values"]["data"]))
        planes = np.frombuffer(packed, np.uint8).reshape(-1, len(scores["systems"]), n_queries)
        steps = sum(plane * 256.0**place for place, plane in enumerate(planes))
        values = measure["values"]["low"] + steps * measure["values"]["step"]
        for name, own, (mean, _, _) in zip(scores["systems"], values, measure["means"], strict=True):
            assert mean == pytest.approx(evaluated[name]["mean"][measure["name"]], rel=1e-6)
            assert np.mean(own) == pytest.approx(mean, abs=1e-4)
    # The curves by cutoff pass through the means of the table.
    curves = embedded["curves"]["families"]["ndcg"]
    for name in NAMES:
        at_3 = curves["means"][name][curves["cutoffs"].index(3)]
        assert at_3 == pytest.approx(evaluated[name]["mean"]["ndcg@3"], rel=1e-6)
    assert "95% intervals by the score method" in words
    assert "bootstrap" not in words


def test_systems_are_evaluated_on_their_common_queries_and_it_is_said() -> None:
    qrels, runs = judgments_and_runs()
    both = ir.evaluate(qrels, runs, "ndcg@3")
    assert both.n_queries == 7
    (problem,) = (each for each in both.problems if each.kind == "different queries")
    assert problem.count == 3
    assert "'q0', which 'two' does not have" in problem.message
    with pytest.raises(DataError, match="no query in common"):
        ir.evaluate(qrels, {"a": {"q0": {"d0": 1.0}}, "b": {"q1": {"d0": 1.0}}}, "ndcg@3")


def test_the_mean_of_a_learner_and_of_a_scorer_is_that_of_evaluate(letor: ir.RankingData) -> None:
    ranker = ir.learners.LeastSquaresRanker(measure="ndcg@3").fit(letor)
    expected = ir.evaluate(letor, ranker.predict(letor), "ndcg@3").mean["ndcg@3"]
    assert ranker.score(letor) == expected
    qid = np.repeat(letor.query_ids, letor.group_sizes)
    assert ir.scorer("ndcg@3")(ranker, np.asarray(letor.features), letor.labels, qid=qid) == expected

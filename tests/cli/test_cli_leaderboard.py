"""idealrank leaderboard, as a user runs it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import idealrank as ir
from idealrank.cli.group import commands


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").mkdir()
    for seed, name in enumerate(["fiqa", "scifact"]):
        qrels, runs = ir.datasets.search_runs(20, seed=seed)
        ir.io.write_qrels(qrels, f"qrels/{name}.qrels")
        for system, run in runs.items():
            Path("runs", system).mkdir(parents=True, exist_ok=True)
            ir.io.write_run(run, f"runs/{system}/{name}.run")
            mean = ir.evaluate(qrels, run, "ndcg@10").mean["ndcg@10"]
            scores = {"test": [{"hf_subset": "default", "main_score": mean}]}
            Path("results", system).mkdir(parents=True, exist_ok=True)
            Path("results", system, f"{name}.json").write_text(json.dumps({"task_name": name, "scores": scores}))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["leaderboard", *arguments])


SYSTEMS = ("runs/bm25", "runs/dense", "new=runs/hybrid")


def test_the_findings_come_first_then_the_tables(files: Path) -> None:
    result = run("qrels", *SYSTEMS)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("new is first: its mean ndcg@10")
    assert any(line.split() == ["system", "fiqa", "scifact", "mean"] for line in lines)
    assert "2 data sets with 40 queries" in result.stdout
    assert "note: bm25 on fiqa: " in result.stderr


def test_many_notes_are_counted_rather_than_printed(files: Path) -> None:
    for seed in range(2, 12):
        qrels, runs = ir.datasets.search_runs(20, seed=seed)
        ir.io.write_qrels(qrels, f"qrels/set{seed}.qrels")
        for system, each in runs.items():
            ir.io.write_run(each, f"runs/{system}/set{seed}.run")
    result = run("qrels", *SYSTEMS)
    assert result.exit_code == 0, result.output
    problems = json.loads(run("qrels", *SYSTEMS, "--format", "json").stdout)["problems"]
    negligible = {"tied document": 0.01, "unjudged document": 0.1}
    worth = [each for each in problems if each["count"] / each["total"] > negligible.get(each["kind"], -1)]
    assert 10 < len(worth) < len(problems)
    assert len([line for line in result.stderr.splitlines() if " on " in line]) == 10
    assert f"note: {len(worth) - 10} more; JSON output has all" in result.stderr


@pytest.mark.parametrize("output_format", ["text", "json", "csv", "markdown", "latex"])
def test_every_format_has_every_system(files: Path, output_format: str) -> None:
    result = run("qrels", *SYSTEMS, "--format", output_format, "--baseline", "bm25", "-q")
    assert result.exit_code == 0, result.output
    assert all(system in result.stdout for system in ("bm25", "dense", "new"))
    if output_format == "json":
        content = json.loads(result.stdout)
        sets = {f"{n}": (f"qrels/{n}.qrels", {s: f"runs/{s}/{n}.run" for s in ("bm25", "dense", "hybrid")})
                for n in ("fiqa", "scifact")}  # fmt: skip
        expected = ir.leaderboard(sets, seed=0, baseline="bm25").to_dict()
        assert content["overall"] == json.loads(json.dumps(expected["overall"]))


def test_results_of_mteb_and_a_page(files: Path) -> None:
    result = run("--results", "results/bm25", "results/dense", "results/hybrid", "--html", "page.html")
    assert result.exit_code == 0, result.output
    assert "tied for first" in result.stdout
    assert "mean main score over 2 data sets" in result.stdout
    assert "Leaderboard of 3 systems" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "runs/bm25"), "2 systems are needed, got 1"),
        (("qrels", "runs/bm25", "runs/none"), "expected a folder, got 'runs/none'"),
        (("qrels", "runs/bm25", "results/bm25/../../runs/bm25"), "two systems are called 'bm25'"),
        (("runs", *SYSTEMS), "runs has no data sets"),
        (("qrels", *SYSTEMS, "--baseline", "x"), "the baseline 'x' is not among"),
        (("--results", "runs/bm25", "runs/dense"), "no result files of MTEB"),
    ],
)
def test_mistakes_are_named(files: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code != 0
    assert message in result.output

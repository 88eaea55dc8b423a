"""idealrank bounds and judge-next, as a user runs them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import idealrank as ir
from idealrank.cli.group import commands


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ir.write_qrels(ir.Qrels({"q1": {"a": 2, "b": 0}, "q2": {"x": 1}}), "qrels.txt")
    ir.write_run(ir.Run({"q1": {"c": 3, "a": 2, "b": 1}, "q2": {"x": 1}}, name="one"), "one.run")
    ir.write_run(ir.Run({"q1": {"c": 3, "b": 2, "a": 1}, "q2": {"y": 2, "x": 1}}, name="two"), "two.run")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, arguments)


def test_bounds_of_one_run(files: Path) -> None:
    result = run("bounds", "qrels.txt", "one.run", "-m", "ndcg@2")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("ndcg@2 of one is ")
    head, row = (line.split() for line in result.stdout.splitlines()[2:4])
    assert head[:6] == ["system", "lowest", "value", "expected", "highest", "condensed"]
    expected = ir.bounds("qrels.txt", "one.run", "ndcg@2").mean[""]
    assert row[:3] == ["one", f"{expected['lowest']:.4f}", f"{expected['value']:.4f}"]
    assert "like trec_eval" in result.stdout


@pytest.mark.parametrize("output_format", ["text", "json", "csv", "markdown", "latex"])
def test_bounds_of_two_runs_in_every_format(files: Path, output_format: str) -> None:
    result = run(
        "bounds", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "--baseline", "one", "--format", output_format
    )
    assert result.exit_code == 0, result.output
    if output_format == "json":
        (difference,) = json.loads(result.stdout)["differences"]
        assert (difference["system"], difference["baseline"]) == ("two", "one")
    if output_format == "text":
        assert "unjudged documents alone could reverse the order" in " ".join(result.stdout.split())


def test_the_documents_to_judge_next(files: Path) -> None:
    result = run("judge-next", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "-n", "1")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1].split()[:2] == ["q2", "y"]


def test_labeled_lists_have_nothing_unjudged(files: Path) -> None:
    Path("data.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    Path("scores.txt").write_text("1\n2\n")
    result = run("bounds", "data.txt", "scores.txt")
    assert result.exit_code != 0
    assert "every document is judged" in result.output

"""Agreement of runs, in Python and on the command line."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.errors import DataError, OptionError
from idealrank.stats import rbo, tau_ap

UNTYPED: Any = ir.agreement
A = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0, "x": 0.5}, "q3": {"a": 1.0}}
B = {"q2": {"y": 2.0, "a": 1.0}, "q1": {"b": 3.0, "a": 2.0, "d": 2.0}}


def test_values_are_those_of_each_query() -> None:
    found = ir.agreement({"bm25": A, "dense": B}, measures=["rbo", "rbo_min", "tau_ap"], p=0.7)
    assert found.query_ids == ("q1", "q2")
    for number, query in enumerate(found.query_ids):
        pair = "bm25", "dense"
        assert found.values["rbo"][pair][number] == rbo(A[query], B[query], p=0.7)
        assert found.values["rbo_min"][pair][number] == rbo(A[query], B[query], p=0.7, kind="min")
        both = tau_ap(A[query], B[query], symmetric=True)
        assert found.values["tau_ap"][pair][number] == pytest.approx(both, nan_ok=True)
    assert math.isnan(found.values["tau_ap"]["bm25", "dense"][1])  # one document in common
    assert found.mean["tau_ap"]["bm25", "dense"] == found.values["tau_ap"]["bm25", "dense"][0]
    assert [problem.message for problem in found.problems] == ["1 query is left out because not all systems have it"]
    assert found.to_dict()["mean"]["rbo"]["bm25"]["dense"] == found.mean["rbo"]["bm25", "dense"]  # type: ignore[index, call-overload]
    assert len(found.table("queries").rows) == 2
    assert "means over 2 queries" in found.page().remarks[0]


def test_the_finding_names_pairs_only_if_they_differ() -> None:
    same = ir.agreement({"a": A, "b": A, "c": A})
    assert list(same.page().findings) == ["All pairs have the same rbo, 1.0000."]
    (finding,) = ir.agreement({"a": A, "b": A, "c": B}).page().findings
    assert finding.startswith("By rbo, a and b agree most (1.0000), and a and c least (0.")


def test_shapes_of_runs(tmp_path: Path) -> None:
    expected = ir.agreement(A, B).mean["rbo"]["system 1", "system 2"]
    ir.io.write_run(ir.Run(A, name="bm25"), tmp_path / "one")
    ranked = {query: sorted(docs, key=lambda doc: -docs[doc]) for query, docs in A.items()}
    given: list[Any] = [
        [ir.Run(A), B], [tmp_path / "one", B], [str(tmp_path / "one"), ir.Run(B, name="x")], [ranked, B]]  # fmt: skip
    for first, second in given:
        (value,) = ir.agreement(first, second).mean["rbo"].values()
        assert value == expected
    paths: Any = [tmp_path / "one", tmp_path / "two"]
    ir.io.write_run(ir.Run(B, name="dense"), paths[1])
    assert ir.agreement(paths).systems == ("bm25", "dense")
    assert len(ir.agreement({"a": A, "b": B, "c": A}).mean["rbo"]) == 3


def test_depth_and_ties() -> None:
    one, two = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, {"q": ["c", "b", "a"]}
    assert ir.agreement(one, two, depth=2).mean["rbo"]["system 1", "system 2"] == rbo(["a", "c"], ["c", "b"])
    by_id = ir.agreement(one, two, ties="docid_asc").mean["rbo"]["system 1", "system 2"]
    assert by_id == rbo(["a", "b", "c"], ["c", "b", "a"])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ir.agreement(A), DataError, "mapping|recognizes|two systems"),
        (lambda: ir.agreement([ir.Run(A)]), DataError, "agreement needs two systems or more"),
        (lambda: ir.agreement(A, {"q9": {"a": 1}}), DataError, "the runs have no query in common"),
        (lambda: ir.agreement(A, ir.Qrels({"q1": {"a": 1}})), DataError, r"expected a run, got Qrels\(1 query"),
        (lambda: UNTYPED(A, {"q1": {"a", "b"}}), DataError, "system 2: a ranking must have an order, got a set"),
        (lambda: ir.agreement(A, B, "rob"), OptionError, "unknown measure of agreement 'rob'; did you mean 'rbo'"),
        (lambda: ir.agreement(A, B, []), OptionError, "no measure was named"),
        (lambda: ir.agreement(A, B, p=0), OptionError, "p: expected a number between 0 and 1"),
        (lambda: ir.agreement(A, B, depth=0), OptionError, "depth must be a whole number of at least 1, got 0"),
        (lambda: ir.agreement(A, B, ties="x"), OptionError, "ties must be one of"),
        (lambda: ir.agreement(A, B, query="x"), OptionError, "goes with data frames"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ir.io.write_run(ir.Run(A, name="bm25"), "one")
    ir.io.write_run(ir.Run(B, name="dense"), "two")

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(commands, ["agreement", *arguments])

    mean = ir.agreement({"bm25": A, "dense": B}).mean["rbo"]["bm25", "dense"]
    assert f"bm25    dense        2  {mean:.4f}" in run("one", "two").stdout
    assert (
        json.loads(run("x=one", "two", "--format", "json", "-m", "rbo,tau_ap").stdout)["mean"]["rbo"]["x"]["dense"]
        == mean
    )
    assert len(run("one", "two", "--per-query", "--format", "csv").stdout.splitlines()) == 3
    assert run("one").exit_code == 2
    assert "p: expected a number between 0 and 1" in run("one", "two", "-p", "7").stderr
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 1}}), "judged")
    assert "expected a run, got 'judged', TREC judgments" in run("one", "judged").stderr

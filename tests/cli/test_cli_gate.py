"""idealrank gate, as continuous integration runs it."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import idealrank as ir
from idealrank.cli.group import commands


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    qrels, runs = ir.datasets.search_runs(60)
    ir.io.write_qrels(qrels, "qrels.txt")
    ir.io.write_run(runs["bm25"], "worse.run")
    ir.io.write_run(runs["hybrid"], "better.run")
    Path("three.json").write_text(json.dumps({query: dict(qrels[query]) for query in list(qrels)[:3]}))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["gate", *arguments])


@pytest.mark.parametrize(
    ("arguments", "status", "start"),
    [
        (("qrels.txt", "better.run", "--baseline", "worse.run"), 0, "PASS: "),
        (("qrels.txt", "worse.run", "--baseline", "better.run"), 1, "FAIL: "),
        (("three.json", "worse.run", "--baseline", "better.run"), 2, "INCONCLUSIVE: "),
        (("three.json", "worse.run", "--baseline", "better.run", "--allow-inconclusive"), 0, "INCONCLUSIVE: "),
        (("qrels.txt", "better.run", "--baseline", "better.run"), 0, "PASS: "),
    ],
)
def test_the_exit_status_is_the_verdict(files: Path, arguments: tuple[str, ...], status: int, start: str) -> None:
    result = run(*arguments)
    assert result.exit_code == status, result.output
    assert result.stdout.startswith(start)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "judged documents and a candidate are needed"),
        (("qrels.txt",), "no baseline"),
        (("qrels.txt", "--baseline", "worse.run"), "no system to evaluate"),
        (("qrels.txt", "better.run"), "no baseline"),
        (("qrels.txt", "better.run", "worse.run"), "no baseline"),
        (("qrels.txt", "better.run", "--baseline", "none.run"), "none.run"),
        (("qrels.txt", "better.run", "--baseline", "worse.run", "--margin", "0"), "number above 0"),
        (
            ("qrels.txt", "better.run", "--baseline", "worse.run", "--margin", "0.1", "--margin", "rr=2%"),
            "one --margin",
        ),
        (("qrels.txt", "better.run", "--baseline", "worse.run", "-m", "nonsense"), "nonsense"),
        (("qrels.txt", "better.run", "--baseline", "worse.run", "--nonsense"), "nonsense"),
        (("qrels.txt", "better.run", "--policy", "none.toml"), "none.toml"),
    ],
)
def test_errors_have_a_status_of_their_own(files: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 3
    assert message in " ".join(result.stderr.split())


def test_help_is_no_error(files: Path) -> None:
    assert run("--help").exit_code == 0


def test_a_baseline_is_saved_and_used(files: Path) -> None:
    saved = run("qrels.txt", "better.run", "-m", "ndcg@10", "-m", "rr", "--save", "baseline.json")
    assert saved.exit_code == 0, saved.output
    assert "60 queries by ndcg@10, rr" in saved.stderr
    arguments = ("qrels.txt", "worse.run", "-m", "rr", "--format", "json", "--baseline")
    first, second = (run(*arguments, baseline) for baseline in ("baseline.json", "better.run"))
    assert first.exit_code == second.exit_code == 1
    assert json.loads(first.stdout)["measures"] == json.loads(second.stdout)["measures"]


def test_saving_a_baseline_says_what_was_found_in_the_data(files: Path) -> None:
    gold = {f"q{i}": [f"d{i}"] for i in range(8)}
    Path("gold.json").write_text(json.dumps(gold | {"q9": []}))
    Path("found.json").write_text(json.dumps({query: ["x"] for query in [*gold, "q10"]}))
    saved = run("gold.json", "found.json", "-m", "rr", "-m", "ndcg@10", "--save", "baseline.json")
    assert saved.exit_code == 0, saved.output
    assert "note: 1 unjudged query of the run is left out, first 'q10'" in saved.stderr
    assert "note: 8 (100.0%) of the ranked documents are unjudged" in saved.stderr
    assert "note: the mean of rr is 0, already the worst value: any system would pass" in saved.stderr
    gated = run("gold.json", "found.json", "-m", "rr", "--baseline", "baseline.json")
    assert gated.exit_code == 3
    assert "the baseline's mean of rr is 0, already the worst value, so that any system would pass" in gated.stderr
    quiet = run("gold.json", "found.json", "-m", "rr", "--save", "baseline.json", "--quiet")
    assert not quiet.stderr
    spans = {"gold": [{"document": "a", "begin": 0, "end": 9}], "retrieved": [{"document": "a", "begin": 0, "end": 20}]}
    Path("spans.json").write_text(json.dumps([{"id": query, **spans} for query in gold]))
    saved = run("spans.json", "-m", "ndcg@10", "--save", "baseline.json")
    assert "measures count text, not chunks: a cutoff is a number of characters" in saved.stderr, saved.output


def test_a_policy_needs_no_arguments_and_the_command_line_wins(files: Path) -> None:
    lines = ['data = "qrels.txt"', 'candidate = "worse.run"', 'baseline = "better.run"', 'measures = ["rr", "ap"]']
    Path("pyproject.toml").write_text("\n".join(["[tool.idealrank.gate]", *lines, 'margin = "5%"']))
    found = json.loads(run("--format", "json").stdout)
    assert [each["measure"] for each in found["measures"]] == ["rr", "ap"]
    assert found["measures"][0]["margin"] == pytest.approx(0.05 * found["measures"][0]["baseline"])
    other = json.loads(run("-m", "ap", "--margin", "ap=0.01", "qrels.txt", "better.run", "--format", "json").stdout)
    assert [(each["measure"], each["margin"], each["verdict"]) for each in other["measures"]] == [("ap", 0.01, "pass")]


def test_a_policy_names_fields(files: Path) -> None:
    rows = [{"id": f"q{i}", "mine": ["a"], "ours": ["b", "a"], "kind": "xy"[i % 2]} for i in range(8)]
    Path("eval.json").write_text(json.dumps(rows))
    assert run("eval.json", "-m", "rr", "--doc", "mine,ours", "--save", "baseline.json").exit_code == 0
    lines = ['data = "eval.json"', 'baseline = "baseline.json"', 'measures = ["rr"]', 'doc = "mine,ours"']
    Path("gate.toml").write_text("\n".join(lines))
    result = run("--policy", "gate.toml", "--by", "kind")
    assert result.exit_code == 0, result.output
    assert "mine, ours" in " ".join(run("eval.json", "--baseline", "baseline.json").output.split())


def test_junit_is_xml_and_html_is_written(files: Path) -> None:
    result = run("qrels.txt", "worse.run", "--baseline", "better.run", "--junit", "gate.xml", "--html", "gate.html")
    assert result.exit_code == 1
    assert ElementTree.parse("gate.xml").getroot().attrib["failures"] == "1"
    assert result.stdout.startswith("FAIL: ")
    assert "Gate: fail" in Path("gate.html").read_text()


def test_several_files_are_runs_of_one_system(files: Path) -> None:
    several = ("qrels.txt", "better.run", "better.run")
    assert run(*several, "--save", "baseline.json").exit_code == 0
    saved = run(*several, "--baseline", "baseline.json", "--format", "json")
    assert saved.exit_code == 0, saved.output
    repeated = run(*several, "--baseline", "better.run", "--baseline", "better.run", "--format", "json")
    assert json.loads(saved.stdout)["measures"] == json.loads(repeated.stdout)["measures"]
    Path("gate.toml").write_text(
        'data = "qrels.txt"\ncandidate = ["better.run", "better.run"]\nbaseline = "baseline.json"\n'
    )
    assert json.loads(run("--policy", "gate.toml", "--format", "json").stdout) == json.loads(saved.stdout)
    two = CliRunner().invoke(commands, ["evaluate", "qrels.txt", "a=better.run", "a=worse.run", "--format", "json"])
    assert json.loads(two.stdout)["systems"]["a"]["runs"]["ndcg@10"]

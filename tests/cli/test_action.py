"""The steps of action.yml, and of the examples for other systems, run as their shells run them."""

import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import idealrank as ir

yaml = pytest.importorskip("yaml")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the steps are for bash")
ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{ *inputs\.([\w-]+) *\}\}")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    qrels, runs = ir.datasets.search_runs(60)
    Path("questions.json").write_text(json.dumps({query: dict(docs) for query, docs in qrels.items()}))
    for name in ("bm25", "hybrid"):
        ranked = {query: sorted(docs, key=lambda doc: -docs[doc]) for query, docs in runs[name].items()}
        Path(f"{name}.json").write_text(json.dumps(ranked))
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "idealrank").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m idealrank "$@"\n')
    (commands / "idealrank").chmod(0o755)
    return tmp_path


def shell(script: str, files: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a script as GitHub runs `shell: bash`."""
    path = f"{files / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(shell, capture_output=True, text=True, env=environment, cwd=files, check=False)


def run_action(files: Path, **inputs: str) -> "tuple[subprocess.CompletedProcess[str], str, str]":
    """Run the last step of the action; return what it printed, its summary, and its verdict."""
    step = ACTION["runs"]["steps"][-1]
    given = {name: each["default"] for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    variables = {name: EXPRESSION.sub(lambda at: given[at[1]], text) for name, text in step["env"].items()}
    written = {name: files / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for file in written.values():
        file.write_text("")
    done = shell(step["run"], files, **variables, **{name: str(file) for name, file in written.items()})
    return done, written["GITHUB_STEP_SUMMARY"].read_text(), written["GITHUB_OUTPUT"].read_text().strip()


def test_the_action_is_pinned_and_its_inputs_are_no_code() -> None:
    steps: list[dict[str, Any]] = ACTION["runs"]["steps"]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
    assert not any("${{" in step["run"] for step in steps if "run" in step)
    assert all(EXPRESSION.fullmatch(text) for text in steps[-1]["env"].values())
    used = {name for text in steps[-1]["env"].values() for name in EXPRESSION.findall(text)}
    assert used == set(ACTION["inputs"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inputs", "status", "verdict"),
    [
        ({"candidate": "hybrid.json", "baseline": "bm25.json"}, 0, "pass"),
        ({"candidate": "bm25.json", "baseline": "hybrid.json", "measures": "rr, recall@5"}, 1, "fail"),
        ({"candidate": "bm25.json\nbm25.json\n", "baseline": "hybrid.json"}, 1, "fail"),
        ({"candidate": "hybrid.json", "baseline": "bm25.json", "margin": "2"}, 3, "error"),
        ({"candidate": "none.json; touch broken", "baseline": "bm25.json"}, 3, "error"),
    ],
)
def test_the_steps_of_the_action(files: Path, inputs: dict[str, str], status: int, verdict: str) -> None:
    done, summary, output = run_action(files, data="questions.json", **inputs)
    assert done.returncode == status, done.stderr
    assert output == f"verdict={verdict}"
    assert not (files / "broken").exists()
    if verdict == "error":
        assert "idealrank: error: " in done.stderr or "Error: " in done.stderr
        return
    assert f"{verdict.upper()}: " in summary
    suite = ElementTree.parse(files / "idealrank-gate.xml").getroot()
    assert int(suite.attrib["failures"]) == (len(inputs.get("measures", "ndcg@10").split(",")) if status else 0)


@pytest.mark.slow
def test_the_action_with_a_policy_alone(files: Path) -> None:
    policy = 'data = "questions.json"\ncandidate = "bm25.json"\nbaseline = "bm25.json"\n'
    (files / "gate.toml").write_text(policy)
    done, summary, output = run_action(files, policy="gate.toml")
    assert (done.returncode, output) == (0, "verdict=pass"), done.stderr
    assert "PASS: " in summary


def snippet(key: str) -> Any:
    """Return the example on the page about the gate that has this key at its top."""
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    (code,) = (each for each in re.findall(r"^```text\n(.*?)^```$", page, re.M | re.S) if f"\n{key}:" in f"\n{each}")
    return yaml.safe_load(code)


def test_the_workflow_on_the_page_is_pinned_and_may_only_read() -> None:
    workflow = snippet("jobs")
    assert workflow["permissions"] == {"contents": "read"}
    checkout, retrieve, gate = workflow["jobs"]["gate"]["steps"]
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
    assert checkout["with"] == {"submodules": True, "persist-credentials": False}
    assert "retrieve.py" in retrieve["run"]
    assert gate["with"].keys() <= ACTION["inputs"].keys()


@pytest.mark.slow
@pytest.mark.parametrize(("candidate", "status"), [("hybrid.json", 0), ("bm25.json", 1)])
def test_the_other_examples_on_the_page_run(files: Path, candidate: str, status: int) -> None:
    gitlab = snippet("gate")["gate"]
    assert gitlab["allow_failure"] == {"exit_codes": [2]}
    Path("eval").mkdir()
    Path("retrieve.py").write_text(f"print(open('{candidate}').read())")
    baseline = "hybrid.json" if status else "bm25.json"
    policy = f'data = "questions.json"\ncandidate = "eval/changed.json"\nbaseline = "{baseline}"\n'
    Path("pyproject.toml").write_text(f"[tool.idealrank.gate]\n{policy}")
    install, *script = gitlab["script"]
    assert install == "pip install ./idealrank"
    done = shell("\n".join(script).replace("python ", "python3 "), files)
    assert done.returncode == status, done.stderr
    report = Path(gitlab["artifacts"]["reports"]["junit"])
    assert int(ElementTree.parse(report).getroot().attrib["failures"]) == status
    ((hook,),) = (repo["hooks"] for repo in snippet("repos")["repos"])
    assert (hook["language"], hook["pass_filenames"]) == ("system", False)
    assert re.search(hook["files"], "eval/changed.json")
    assert shell(hook["entry"], files).returncode == status

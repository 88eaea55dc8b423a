"""Without its extras, the package works or names the extra that is missing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from idealrank._core.extras import EXTRAS
from idealrank.cli.group import commands

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

#: What a plain install does not bring.
BLOCKED = [
    *("sklearn", "joblib", "threadpoolctl", "matplotlib", "pyarrow", "pandas", "polars", "duckdb"),
    *("lightgbm", "xgboost", "torch", "dask", "distributed", "catboost", "ir_measures", "onnx"),
]

#: Refuses to import the packages that the first argument of the process lists.
BLOCKER = """
import json, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

BLOCKED = set(json.loads(sys.argv[1]))
sys.meta_path.insert(0, Blocker())
"""

#: Runs the examples of all modules in a process that cannot import the packages in BLOCKED, and prints how each ended:
#: "passed", the message of a MissingExtraError, or how it failed.
CHILD = (
    """
import doctest, importlib, io, json, os, pkgutil, sys, tempfile
"""
    + BLOCKER
    + """
import idealrank
from idealrank.errors import MissingExtraError

class Runner(doctest.DocTestRunner):
    def __init__(self):
        super().__init__(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        self.outcome = "passed"
    def report_failure(self, out, test, example, got):
        if self.outcome == "passed":
            self.outcome = f"{example.source.strip()}: {got}"
    def report_unexpected_exception(self, out, test, example, exc_info):
        kind, error, _ = exc_info
        if self.outcome == "passed":
            is_own_import = isinstance(error, ModuleNotFoundError) and error.name.split(".")[0] in BLOCKED
            is_own_import = is_own_import and "import" in example.source  # the example's, not the package's
            missing = isinstance(error, MissingExtraError)
            self.outcome = str(error) if missing else "no example" if is_own_import else f"{kind.__name__}: {error}"

os.chdir(tempfile.mkdtemp())
outcomes = {}
finder = doctest.DocTestFinder(exclude_empty=True)
for module in pkgutil.walk_packages(idealrank.__path__, "idealrank."):
    if module.name.endswith("__main__"):
        continue
    try:
        imported = importlib.import_module(module.name)
        tests = [test for test in finder.find(imported) if test.examples]
    except MissingExtraError as error:
        outcomes[module.name] = str(error)
        continue
    except ImportError as error:
        outcomes[module.name] = f"{type(error).__name__}: {error}"
        continue
    for test in tests:
        runner = Runner()
        # After the first line that needs an extra, the others miss what it made.
        runner.run(test, out=lambda text: None, clear_globs=True)
        outcomes[test.name] = runner.outcome
print(json.dumps(outcomes))
"""
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(BLOCKED)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path_factory.mktemp("extras"),
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def installing(extra: str) -> str:
    return f"pip install 'idealrank[{extra}]', or in a clone pip install '.[{extra}]'"


def extras() -> dict[str, list[str]]:
    found: dict[str, list[str]] = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    return found


def test_every_example_works_or_names_the_extra_that_it_needs(outcomes: dict[str, str]) -> None:
    endings = {f": {installing(extra)}" for extra in extras()}
    wrong = {
        name: outcome
        for name, outcome in outcomes.items()
        if outcome not in ("passed", "no example")
        and not any(" needs " in outcome and outcome.endswith(ending) for ending in endings)
        and not outcome.endswith((": pip install pandas", ": pip install polars", ": pip install ir_measures"))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("idealrank.evaluation.evaluate.evaluate", "passed"),
        ("idealrank.comparison.compare.compare", "passed"),
        ("idealrank.measures.discounted.NDCG", "passed"),
        ("idealrank.losses.direct.ApproxNDCG", "passed"),
        ("idealrank.io.letor.read_letor", "passed"),
        ("idealrank.io.trec.read_run", "passed"),
        ("idealrank.learners.linear.classic_rankers", f"this needs scikit-learn: {installing('learn')}"),
        ("idealrank.report.svg.inline_svg", f"this needs matplotlib: {installing('report')}"),
        ("idealrank.io.parquet_csv.write_frame", f"this needs pyarrow: {installing('parquet')}"),
        ("idealrank.integrations.torch", f"this needs torch: {installing('torch')}"),
    ],
)
def test_what_a_plain_install_can_do(outcomes: dict[str, str], name: str, outcome: str) -> None:
    assert outcomes[name] == outcome


def test_all_brings_every_extra_for_users_but_those_with_cuda() -> None:
    (everything,) = extras()["all"]
    named = {*everything.removeprefix("idealrank[").removesuffix("]").split(",")}
    for_developers = {"test", "bench", "peers", "docs", "dev", "all"}
    assert named == extras().keys() - for_developers - {"torch", "xgboost"}


def test_the_extras_of_packages_are_those_that_install_them() -> None:
    installed = {
        re.split(r"[\[>=<]", requirement)[0]: extra
        for extra, requirements in extras().items()
        for requirement in requirements
        if extra in EXTRAS.values() and not (extra == "dask" and requirement.startswith("pyarrow"))
    }
    names = {"sklearn": "scikit-learn"}
    named = {names.get(package, package): extra for package, extra in EXTRAS.items()}
    assert named == {**installed, "distributed": "dask"}


#: Runs the command line in a process that cannot import the packages in BLOCKED.
COMMAND = (
    BLOCKER
    + """
sys.argv = ["idealrank", *sys.argv[2:]]
from idealrank.cli import main
main()
"""
)


def run_without(blocked: list[str], *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMMAND, json.dumps(blocked), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with judgments and runs, as text and as CSV."""
    files = tmp_path_factory.mktemp("files")
    (files / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 0\nq2 0 b 2\n")
    (files / "run.txt").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n")
    (files / "train.txt").write_text("1 qid:1 1:1\n0 qid:1 1:0\n")
    (files / "run.csv").write_text("qid,doc,score\nq1,a,1\n")
    (files / "best.py").write_text("def dcg(labels):\n    return sum(g / (i + 1) for i, g in enumerate(labels))\n")
    for copy in ("sets/one.txt", "old/one.run", "new/one.run"):
        (files / copy).parent.mkdir()
        (files / copy).write_text((files / ("qrels.txt" if copy.startswith("sets") else "run.txt")).read_text())
    return files


#: Commands that need a package, and what they say.
REFUSED = [
    # Input files that do not exist show that nothing was read before the error.
    ("limits no.txt no.run --plot curve.svg", "--plot needs matplotlib: " + installing("report")),
    ("limits no.txt no.run --html page.html", "--html needs matplotlib: " + installing("report")),
    ("distinguish no.txt a.run b.run --plot wins.pdf", "--plot needs matplotlib: " + installing("report")),
    ("distinguish no.txt a.run b.run --html page.html", "--html needs matplotlib: " + installing("report")),
    ("explain no.txt a.run --like trec_eval --html p.html", "--html needs matplotlib: " + installing("report")),
    ("leaderboard no --html page.html", "--html needs matplotlib: " + installing("report")),
    ("train train.txt --out m.json", "this needs scikit-learn: " + installing("learn")),
    ("train no.txt --out m.json --html page.html", "this needs scikit-learn: " + installing("learn")),
    ("reproduce jin2013 --figures out", "--figures needs matplotlib: " + installing("report")),
    ("reproduce jin2013 --html page.html", "--html needs matplotlib: " + installing("report")),
    ("reproduce ravikumar2011 --quick", "ravikumar2011 needs scikit-learn: " + installing("learn")),
    ("reproduce wang2013 --data no.txt", "wang2013 needs scikit-learn: " + installing("learn")),
    ("reproduce qin2008 --data no", "qin2008 needs scikit-learn: " + installing("learn")),
    ("demo", "the demo needs scikit-learn: " + installing("learn")),
    ("demo --html page.html", "--html needs matplotlib: " + installing("report")),
    ("export no.json model.onnx --to onnx", "--to onnx needs onnx: " + installing("onnx")),
    ("convert qrels.txt qrels.parquet", "Parquet needs pyarrow: " + installing("parquet")),
    ("convert run.csv run.txt", "CSV needs pyarrow: " + installing("parquet")),
    ("convert run.txt new.run.zst", "new.run.zst needs pyarrow: " + installing("parquet")),
    ("evaluate qrels.txt run.txt run.csv", "CSV needs pyarrow: " + installing("parquet")),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_a_command_says_at_once_that_a_package_is_missing(folder: Path, words: str, message: str) -> None:
    done = run_without(BLOCKED, *words.split(), folder=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"idealrank: error: {message}\n"


@pytest.mark.slow
def test_a_learner_says_before_it_reads_that_its_package_is_missing(folder: Path) -> None:
    pytest.importorskip("sklearn")
    done = run_without(["lightgbm"], "train", "train.txt", "--learner", "boosted", "--out", "m.json", folder=folder)
    assert done.stderr == f"idealrank: error: BoostedRanker needs lightgbm: {installing('lightgbm')}\n"


WITHOUT_FIGURES = [
    "evaluate qrels.txt run.txt",
    "compare qrels.txt a=run.txt b=run.txt",
    "bounds qrels.txt run.txt",
    "gate qrels.txt run.txt --baseline run.txt --allow-inconclusive",
    "identify best.py:dcg",
]


@pytest.mark.parametrize("words", WITHOUT_FIGURES)
def test_pages_without_figures_need_no_optional_package(folder: Path, words: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    done = run_without(BLOCKED, *words.split(), "--html", str(path), folder=folder)
    assert done.returncode == 0, done.stderr
    text = path.read_text()
    assert "<dt>NumPy</dt>" in text
    assert "Matplotlib" not in text


def test_every_page_is_made_or_refused_above() -> None:
    context = click.Context(commands)
    resolved = [commands.resolve_command(context, [name])[:2] for name in commands.list_commands(context)]
    with_pages = {name for name, each in resolved if each and any("--html" in option.opts for option in each.params)}
    tested = [*WITHOUT_FIGURES, *(words for words, _ in REFUSED if "--html" in words)]
    assert {words.split()[0] for words in tested} == with_pages

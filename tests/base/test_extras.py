"""Without its extras, the package works or names the extra that is missing."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

#: What a plain install does not bring.
BLOCKED = [
    *("sklearn", "joblib", "threadpoolctl", "matplotlib", "pyarrow", "pandas", "polars", "duckdb"),
    *("lightgbm", "xgboost", "torch", "dask", "distributed", "catboost", "ir_measures", "onnx"),
]

#: Runs the examples of all modules in a process that cannot import the packages in BLOCKED, and prints how each ended:
#: "passed", the message of a MissingExtraError, or how it failed.
CHILD = """
import doctest, importlib, io, json, os, pkgutil, sys, tempfile

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

BLOCKED = set(json.loads(sys.argv[1]))
sys.meta_path.insert(0, Blocker())

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


def extras() -> dict[str, list[str]]:
    found: dict[str, list[str]] = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    return found


def test_every_example_works_or_names_the_extra_that_it_needs(outcomes: dict[str, str]) -> None:
    commands = {f": pip install 'idealrank[{extra}]'" for extra in extras()}
    wrong = {
        name: outcome
        for name, outcome in outcomes.items()
        if outcome not in ("passed", "no example")
        and not any(outcome.startswith("this needs ") and outcome.endswith(command) for command in commands)
        and not outcome.endswith((": pip install pandas", ": pip install polars", ": pip install ir_measures"))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("idealrank.evaluation.evaluator.evaluate", "passed"),
        ("idealrank.comparison.comparison.compare", "passed"),
        ("idealrank.measures.discounted.NDCG", "passed"),
        ("idealrank.losses.direct.ApproxNDCG", "passed"),
        ("idealrank.io.letor.read_letor", "passed"),
        ("idealrank.io.trec.read_run", "passed"),
        ("idealrank.learners.linear.classic_rankers", "this needs scikit-learn: pip install 'idealrank[learn]'"),
        ("idealrank.report.svg.inline_svg", "this needs matplotlib: pip install 'idealrank[report]'"),
        ("idealrank.io.parquet_csv.write_frame", "this needs pyarrow: pip install 'idealrank[parquet]'"),
        ("idealrank.integrations.torch", "this needs torch: pip install 'idealrank[torch]'"),
    ],
)
def test_what_a_plain_install_can_do(outcomes: dict[str, str], name: str, outcome: str) -> None:
    assert outcomes[name] == outcome


def test_all_brings_every_extra_for_users_but_those_with_cuda() -> None:
    (everything,) = extras()["all"]
    named = {*everything.removeprefix("idealrank[").removesuffix("]").split(",")}
    for_developers = {"test", "bench", "peers", "docs", "dev", "all"}
    assert named == extras().keys() - for_developers - {"torch", "xgboost"}

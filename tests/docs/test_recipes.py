"""The recipes of CONTRIBUTING.md: each diff applies, and does what the text around it promises."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import idealrank
from idealrank._native import _core

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### Adding a (\w+)$.*?^```diff\n(.*?)^```$", TEXT, re.M | re.S))
every_recipe = pytest.mark.parametrize("recipe", ["discount", "loss", "format"])

#: What the text of each recipe promises, as a program.
PROMISES = {
    "discount": """
import idealrank as ir
assert ir.measure("ndcg(discount=hyperbolic:0.5)@10")([0, 1], [2, 1]) == [1 / 1.5]
values, gradient = ir.losses.ApproxNDCG(discount="hyperbolic:0.5")([0, 1], [2, 1])
assert gradient[0] > 0 > gradient[1]
""",
    "loss": """
import idealrank as ir
assert ir.loss("poisson")([1, 0], [0, 0])[0] == [2]
assert str(ir.loss("poisson(normalizer=dcg)")) == "poisson(normalizer=dcg)"
assert ir.learners.BoostedRanker("poisson").loss == "poisson"
from importlib.util import find_spec
assert not find_spec("torch") or ir.integrations.torch.Poisson()
""",
    "format": """
import sys
from idealrank.cli import main
from pathlib import Path
Path("qrels.txt").write_text("q1 0 d1 2\\nq1 0 d2 0\\n")
Path("bm25.ranked").write_text("q1: d2 d1\\n")
sys.argv = ["idealrank", "evaluate", "qrels.txt", "bm25.ranked", "-m", "rr"]
try:
    main()
except SystemExit as end:
    assert not end.code
""",
}
#: The generic tests that then cover the new member.
GENERIC = {
    "discount": ["tests/base/test_registry.py", "tests/base/test_values.py", "-k", "discount or Hyperbolic"],
    "loss": ["tests/base/test_registry.py", "tests/losses/test_losses.py", "-k", "losses and table or home or oisson"],
    "format": ["tests/io/test_ranked.py", "tests/io/test_formats.py", "-k", "ranked or table or whole or one_format"],
}


def apply(diff: str, root: Path) -> None:
    """Apply a diff whose hunks have no line numbers: each must match exactly one place of its file."""
    for name, hunks in re.findall(r"^--- (\S+)\n(.*?)(?=^--- |\Z)", diff, re.M | re.S):
        path = root / name
        for hunk in re.split(r"^@@\n", hunks, flags=re.M)[1:]:
            lines = hunk.splitlines(keepends=True)
            assert {line[0] for line in lines} <= {" ", "+", "-"}
            before = "".join(line[1:] for line in lines if line[0] != "+")
            after = "".join(line[1:] for line in lines if line[0] != "-")
            if before:
                text = path.read_text(encoding="utf-8")
                assert text.count(before) == 1, f"{name} has {text.count(before)} places for this hunk:\n{hunk}"
                path.write_text(text.replace(before, after), encoding="utf-8")
            else:
                assert not path.exists()
                path.write_text(after, encoding="utf-8")


def copy_files(diff: str, root: Path) -> None:
    """Copy the files that a diff changes, and make the folders of those that it adds."""
    for name in re.findall(r"^--- (\S+)$", diff, re.M):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, root / name)


def run(script: str, root: Path) -> None:
    """Run a program that imports the package of a folder, even if this one is installed in editable mode."""
    first = "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in type(f).__module__]\n"
    first += f"import idealrank\nassert idealrank.__file__.startswith({str(root)!r})\n"
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COVERAGE_"))}
    environment = plain | {"PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", first + script]
    outcome = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout[-5000:] + outcome.stderr[-5000:]


def test_there_is_a_promise_for_every_recipe() -> None:
    assert list(RECIPES) == list(PROMISES) == list(GENERIC)


@every_recipe
def test_a_recipe_applies(recipe: str, tmp_path: Path) -> None:
    copy_files(RECIPES[recipe], tmp_path)
    apply(RECIPES[recipe], tmp_path)


@pytest.mark.slow
@every_recipe
def test_a_recipe_keeps_its_promise_and_passes_the_generic_tests(recipe: str, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(idealrank.__file__).parent, tmp_path / "src" / "idealrank", ignore=ignored)
    shutil.copy(str(_core.__file__), tmp_path / "src" / "idealrank" / "_native")
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    apply(RECIPES[recipe], tmp_path)
    run(PROMISES[recipe], tmp_path)
    run(f"import pytest\nsys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', *{GENERIC[recipe]!r}]))", tmp_path)

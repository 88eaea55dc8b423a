"""The documentation: every block of code is run, commands too, and every page can be reached."""

import doctest
import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.measures.names import MEASURES

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str) -> list[str]:
    return [code for language, code in _BLOCK.findall(page.read_text(encoding="utf-8")) if language in languages]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_on_a_page_is_of_a_kind_that_is_run(page: Path) -> None:
    languages = {language for language, _ in _BLOCK.findall(page.read_text(encoding="utf-8"))}
    assert languages <= {"python", "pycon", "sh"}
    for code in blocks(page, "python", "pycon"):
        assert code.startswith(">>> "), f"doctest passes over {code!r}"


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each name that the pages use."""
    folder = tmp_path_factory.mktemp("examples")
    train, test = ir.datasets.web_search(12, 30, 8)
    fitted, validation = train.split([0.7, 0.3], seed=0)
    for name, part in (("train", fitted), ("valid", validation), ("vali", validation), ("test", test)):
        ir.write_letor(part, folder / f"{name}.txt")
    for name, feature in (("a", 0), ("b", 1)):
        ir.write_scores(test.known_features()[:, feature], folder / f"{name}.txt")
    ir.write_qrels(ir.Qrels({"q1": {"a": 2, "b": 0}, "q2": {"a": 0, "b": 1}}), folder / "qrels.txt")
    for name, score in (("bm25", 0.5), ("old", 0.5), ("new", 2.0)):
        run = ir.Run({"q1": {"a": score, "b": 1.0}, "q2": {"a": 1.0, "b": score}}, name=name)
        ir.write_run(run, folder / f"{name}.run")
    return folder


def test_the_readme_runs_where_its_files_are(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Besides its files, it assumes a data frame, features and a model."""
    monkeypatch.chdir(examples)
    pyarrow = pytest.importorskip("pyarrow")
    data = ir.datasets.web_search(12, 30, 8).test
    frame = pyarrow.table({"qid": np.repeat(data.query_ids, data.group_sizes), "label": data.labels})
    known = {"df": frame, "X": data.known_features(), "model": SimpleNamespace(predict=lambda X: X[:, 0])}
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False, globs=known, optionflags=flags)
    assert outcome.attempted > 10
    assert outcome.failed == 0


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")], ids=lambda page: page.name)
def test_commands_on_a_page_run_as_they_stand(page: Path, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples)
    for code in blocks(page, "sh"):
        for line in code.splitlines():
            if line.startswith("idealrank reproduce"):
                continue  # minutes; its own tests run it in small
            if line.startswith("idealrank "):
                outcome = CliRunner().invoke(commands, shlex.split(line)[1:])
                assert outcome.exit_code == 0, f"{line}: {outcome.output}"
            else:
                assert line.startswith(("pip install ", "python3 -m venv ")), f"no test runs {line!r}"


def test_the_page_on_measures_names_every_measure_as_the_parser_does() -> None:
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = [MEASURES.of(name.replace("@k", "@10")).label for row in rows for name in re.findall("`(.*?)`", row)]
    assert sorted(named) == sorted(label for label, cls in MEASURES.members().items() if "idealrank" in cls.__module__)


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path for kind in ("*.md", "*.ipynb") for path in (ROOT / "docs").rglob(kind) if ".ipynb_" not in str(path)]
    assert len(pages) > 15
    for path in pages:
        assert f": {path.relative_to(ROOT / 'docs').as_posix()}\n" in contents


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_what_it_printed_and_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells)
    names: dict[str, object] = {}
    for cell in cells:
        source = "".join(line for line in cell["source"] if not line.startswith("%"))
        exec(compile(source, str(path), "exec"), names)


def test_the_architecture_page_names_files_that_exist_and_keeps_its_walks_short() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walks = page.split("## Three walks")[1].split("### ")[1:]
    for walk, most in zip(walks, (20, 13, 12), strict=True):
        steps = re.findall(r"^(\d+)\. `([\w/.]+)`", walk, re.MULTILINE)
        assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
        assert len(steps) <= most
        for _, path in steps:
            assert (ROOT / path if path.startswith("cpp") else ROOT / "src" / "idealrank" / path).is_file(), path

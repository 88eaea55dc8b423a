"""The documentation: every block of code is run, commands too, every page can be reached, and nothing is stale."""

import doctest
import inspect
import json
import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from idealrank import learners, losses
from idealrank.cli.group import commands
from idealrank.measures.measure_names import MEASURES

ROOT = Path(__file__).parents[2]
build, examples, pictures = (import_module(f"docs.{name}") for name in ("build", "examples", "pictures"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# The classes of integrations.torch are made from the losses, as its page says.
MODULES = (
    *("cutoffs", "datasets", "discounts", "errors", "gains", "learners", "losses", "measures", "ranks"),
    *("integrations.dask", "integrations.lightgbm", "integrations.pytrec_eval", "integrations.xgboost"),
    *("report", "report.figures", "stats", "theory"),
)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str) -> list[str]:
    return [code for language, code in _BLOCK.findall(page.read_text(encoding="utf-8")) if language in languages]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_on_a_page_is_of_a_kind_that_is_run(page: Path) -> None:
    languages = {language for language, _ in _BLOCK.findall(page.read_text(encoding="utf-8"))}
    assert languages <= {"python", "pycon", "sh", "text"}
    for code in blocks(page, "pycon"):
        assert code.startswith(">>> "), f"doctest passes over {code!r}"
    for code in blocks(page, "python"):
        assert not code.startswith(">>> "), f"{code!r} is to be called pycon"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_shows_what_is_printed_and_nothing_is_left_open(page: Path) -> None:
    parser = doctest.DocTestParser()
    shown = [example.want for code in blocks(page, "pycon") for example in parser.get_examples(code)]
    assert [want for want in shown if "..." in want] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_and_output_fit_the_column_of_a_page(page: Path) -> None:
    shown = [line for code in blocks(page, "python", "sh") for line in code.splitlines()]
    shown = [line for line in shown if not line.startswith("python3 -m venv ")]  # .ci/run takes whole lines
    lines = [line for code in blocks(page, "pycon", "text") for line in code.splitlines()]
    shown += [line[4:] for line in lines if line.startswith((">>> ", "... "))]  # prompts are not copied
    assert max(map(len, shown), default=0) <= 76, max(shown, key=len)
    assert max(map(len, lines), default=0) <= 86, max(lines, key=len)


@pytest.mark.parametrize("page", examples.pages(), ids=lambda page: str(page.name))
def test_examples_print_what_the_page_says(page: Path) -> None:
    pytest.importorskip("pyarrow")
    assert examples.refreshed(page) == page.read_text(encoding="utf-8"), "stale: run python -m docs.build generate"


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_says_what_is_computed_now(name: str) -> None:
    kept = (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert pictures.words_of(kept) == pictures.words_of(pictures.drawn(name)), (
        "stale: run python -m docs.build generate"
    )


def test_every_picture_is_on_a_page() -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for path in (ROOT / "docs" / "images").glob("*.*"):
        assert path.suffix == ".py" or f"images/{path.name}" in shown, path.name


@pytest.mark.parametrize("module", ["idealrank", *(f"idealrank.{name}" for name in MODULES)])
def test_every_public_name_has_a_page(module: str) -> None:
    lists = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    listed = set(re.findall(r"^::: [\w.]*\.(\w+)$", lists, re.MULTILINE))
    if module.startswith("idealrank.integrations."):
        pytest.importorskip(module.rpartition(".")[2])
    public = {name for name, each in vars_of(module).items() if inspect.isclass(each) or inspect.isroutine(each)}
    assert public - listed == set()


def test_the_page_on_installation_names_every_extra() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)`", page, re.MULTILINE))
    assert named == declared.keys() - {"test", "bench", "peers", "docs", "dev"}


@pytest.fixture(scope="module")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    examples.write_example_files(folder)
    return folder


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page.name == "installation.md" else ())  # it has the demo
        for page in PAGES
        if blocks(page, "sh")
    ],
    ids=lambda page: page.name,
)
def test_commands_on_a_page_run_as_they_stand(page: Path, example_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(example_files)
    for code in blocks(page, "sh"):
        for line in code.replace("\\\n", "").splitlines():
            if line.startswith("idealrank reproduce"):
                continue  # minutes; its own tests run it in small
            if line.startswith("idealrank "):
                outcome = CliRunner().invoke(commands, shlex.split(line)[1:])
                assert outcome.exit_code == 0, f"{line}: {outcome.output}"
            else:
                assert line.startswith(("pip install ", "python3 -m venv ")), f"no test runs {line!r}"


@pytest.mark.parametrize("module", ["idealrank", *(f"idealrank.{name}" for name in MODULES)])
def test_every_parameter_is_described_on_the_page_of_its_class_or_function(module: str) -> None:
    docstrings = pytest.importorskip("docs.docstrings", reason="griffe is not installed")
    missing = []
    for name, each in vars_of(module).items():
        if inspect.isclass(each) and not issubclass(each, BaseException):
            sections, takes = docstrings.with_inherited(each), docstrings.parameters_of(each)
        elif inspect.isfunction(each):
            sections, takes = docstrings.sections_of(each.__doc__ or ""), set(inspect.signature(each).parameters)
        else:
            continue
        entries = [*docstrings.entries_of(sections.get("Parameters", ""))]
        entries += docstrings.entries_of(sections.get("Attributes", ""))
        described = {name.lstrip("*") for names in entries for name in names}
        missing += [f"{name}: {parameter}" for parameter in sorted(takes - described)]
    assert missing == []


@pytest.mark.parametrize("module", ["idealrank", *(f"idealrank.{name}" for name in MODULES)])
def test_a_function_describes_what_it_takes_and_what_it_returns_and_nothing_else(module: str) -> None:
    docstrings = pytest.importorskip("docs.docstrings", reason="griffe is not installed")
    wrong = []
    for name, each in vars_of(module).items():
        if not inspect.isfunction(each):
            continue
        sections, signature = docstrings.sections_of(each.__doc__ or ""), inspect.signature(each)
        described = [key.lstrip("*") for keys in docstrings.entries_of(sections.get("Parameters", "")) for key in keys]
        wrong += [f"{name} does not take {key}" for key in described if key not in signature.parameters]
        returned = docstrings.entries_of(sections.get("Returns", ""))
        if signature.return_annotation not in (None, "None") and not returned:
            wrong.append(f"{name} does not say what it returns")
        for title in ("Parameters", "Returns"):
            for keys, text in docstrings.entries_of(sections.get(title, "")).items():
                wrong += [] if "\n" in text else [f"{name} does not describe {', '.join(keys)}"]
    assert wrong == []


def test_the_default_of_a_parameter_follows_its_type() -> None:
    docstrings = pytest.importorskip("docs.docstrings", reason="griffe is not installed")
    section = "a : int\n    First.\nb, c : str\n    Others.\nd : float, optional\n    Last."
    shown = docstrings.with_defaults(section, {"a": "1", "b": '"x"', "c": '"y"'})
    assert shown.splitlines()[::2] == [
        "a : int, default `1`",
        'b, c : str, default `"x"`, `"y"`',
        "d : float, optional",
    ]
    precision = docstrings.defaults_of(losses.ApproxPrecision)
    assert precision == {"alpha": "10.0", "beta": "10.0", "sigmoid": '"logistic"', "cutoff": "10"}


def test_the_page_of_a_class_has_the_parameters_that_it_inherits_and_no_others() -> None:
    docstrings = pytest.importorskip("docs.docstrings", reason="griffe is not installed")
    inherited = docstrings.with_inherited(learners.ApproxNDCGRanker)
    parameters = [name for names in docstrings.entries_of(inherited["Parameters"]) for name in names]
    assert parameters[0] == "alpha"
    assert {"l2", "max_iter", "normalize"} <= set(parameters)
    assert "coef_ : float64 array" in inherited["Attributes"]
    fixed = docstrings.with_inherited(learners.RankSVM)["Parameters"]  # its l2 follows from C
    assert "C : float" in fixed
    assert "l2 :" not in fixed


def test_an_entry_without_a_description_ends_with_its_type() -> None:
    docstrings = pytest.importorskip("docs.docstrings", reason="griffe is not installed")
    text = "Do it.\n\nReturns\n-------\nGap\n\nRaises\n------\nDataError\n    If it is\n    empty.\nOptionError\n"
    shown = docstrings.as_markdown(docstrings.sections_of(text))
    assert shown.splitlines()[4] == "- `Gap`"
    assert "- `DataError`:\n    If it is" in shown
    assert shown.endswith("- `OptionError`")


def test_a_signature_has_the_parameters_that_a_class_takes_and_its_own_come_first() -> None:
    griffe = pytest.importorskip("griffe")
    docstrings = import_module("docs.docstrings")
    keyword, either = griffe.ParameterKind.keyword_only, griffe.ParameterKind.positional_or_keyword
    names = ["self", "l2", *reversed(inspect.signature(learners.RankSVM).parameters)]  # it no longer takes l2
    init = griffe.Function("__init__", parameters=griffe.Parameters(*(griffe.Parameter(name) for name in names)))
    docstrings.with_real_parameters(init, learners.RankSVM, ["C", "loss", "max_iter"])
    found = [(each.name, each.kind) for each in init.parameters if each.name != "self"]
    assert {name for name, _ in found} == inspect.signature(learners.RankSVM).parameters.keys()
    places = [name for name, _ in found]
    assert places.index("C") < places.index("loss") < places.index("max_iter")
    assert {kind for _, kind in found} == {keyword}
    init = griffe.Function("__init__", parameters=griffe.Parameters(griffe.Parameter("l2"), griffe.Parameter("loss")))
    docstrings.with_real_parameters(init, learners.LinearRanker, ["l2", "loss"])
    assert len(init.parameters) == 2, "griffe does not know all of them"
    names = ["self", *reversed(inspect.signature(learners.LinearRanker).parameters)]
    init = griffe.Function("__init__", parameters=griffe.Parameters(*(griffe.Parameter(name) for name in names)))
    docstrings.with_real_parameters(init, learners.LinearRanker, ["loss"])
    assert [(each.name, each.kind) for each in init.parameters][1] == ("loss", either)


def test_a_method_has_what_the_one_that_it_overrides_says_of_parameters() -> None:
    docstrings = pytest.importorskip("docs.docstrings", reason="griffe is not installed")
    predict = learners.BoostedRanker.predict.__doc__
    sections = docstrings.with_overridden("predict", learners.BoostedRanker, docstrings.sections_of(predict))
    entries = docstrings.entries_of(sections["Parameters"])
    assert [*entries] == [("X",), ("qid",)]
    assert "categorical" in entries["X",]
    assert "if ``normalize`` is set" in entries["qid",]
    assert sections["Returns"].startswith("float64 array")


def test_one_signature_is_shown_for_overloads() -> None:
    griffe = pytest.importorskip("griffe")
    docstrings = import_module("docs.docstrings")
    code = """
        from typing import overload
        @overload
        def f(a: int) -> int: ...
        @overload
        def f(a: str) -> str: ...
        def f(a):
            "Do it."
    """
    with griffe.temporary_visited_module(inspect.cleandoc(code), extensions=griffe.Extensions()) as module:
        assert len(module["f"].overloads) == 2
    extensions = griffe.Extensions(docstrings.Docstrings())
    with griffe.temporary_visited_module(inspect.cleandoc(code), extensions=extensions) as module:
        extensions.call("on_object", obj=module["f"], loader=None)
        assert not module["f"].overloads


def test_wide_code_is_broken_into_lines_and_the_rest_stays() -> None:
    pytest.importorskip("ruff")  # which breaks the lines
    narrow = import_module("docs.narrow")
    wide = f">>> # why\n>>> print({', '.join(['1000'] * 14)})\n" + "1000 " * 14 + "\n>>> if 1:\n...     2\n2\n"
    broken = narrow.narrowed(wide)
    assert max(len(line) for line in broken.splitlines() if line.startswith((">>> ", "... "))) <= 80
    assert broken.startswith(">>> # why\n>>> print(\n...     1000,\n")
    assert broken.endswith("... )\n" + "1000 " * 14 + "\n>>> if 1:\n...     2\n2\n")


def test_the_comment_after_wide_code_stands_above_it() -> None:
    narrow = import_module("docs.narrow")
    code, why = "print('# 1', 2)", "# why " + "so " * 20
    assert narrow.narrowed(f">>> {code}  {why}\n# 1 2\n") == f">>> {why}\n>>> {code}\n# 1 2\n"
    assert narrow.narrowed(f">>> {code}  # why\n") == f">>> {code}  # why\n"


def test_directives_for_doctest_are_not_shown() -> None:
    docstrings = pytest.importorskip("docs.docstrings", reason="griffe is not installed")
    text = docstrings.as_markdown({"": "Do it.", "Examples": ">>> do()  # doctest: +SKIP\n1"})
    assert text.endswith("```pycon\n>>> do()\n1\n```")


def test_every_image_of_a_page_exists() -> None:
    for page in PAGES:
        for path in re.findall(r"!\[.*?\]\((.*?)\)|<img src=\"(.*?)\"", page.read_text(encoding="utf-8")):
            file = "".join(path).removesuffix("#only-light").removesuffix("#only-dark")  # by the theme's colors
            assert (page.parent / file).is_file(), f"{page.name}: {path}"


def vars_of(module: str) -> dict[str, object]:
    found = import_module(module)
    return {name: getattr(found, name) for name in found.__all__}


def test_the_page_on_measures_names_every_measure_as_the_parser_does() -> None:
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = [MEASURES.of(name.replace("@k", "@10")).label for row in rows for name in re.findall("`(.*?)`", row)]
    assert sorted(named) == sorted(label for label, cls in MEASURES.members().items() if "idealrank" in cls.__module__)


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path for kind in ("*.md", "*.ipynb") for path in (ROOT / "docs").rglob(kind) if ".ipynb_" not in str(path)]
    assert len(pages) > 15
    made = ("api", "commands", "reference")  # docs/api has the lists from which pages are made
    for path in [path for path in pages if path.parent.name not in made]:
        page = path.relative_to(ROOT / "docs").with_suffix(".md").as_posix()  # a notebook becomes a page
        assert f": {page}\n" in contents


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_what_it_printed_and_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells)
    assert max(len(line.rstrip()) for cell in cells for line in cell["source"]) <= 76
    names: dict[str, object] = {}
    for cell in cells:
        source = "".join(line for line in cell["source"] if not line.startswith("%"))
        exec(compile(source, str(path), "exec"), names)

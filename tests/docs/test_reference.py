"""The pages of the reference: names can be imported, signatures are real, texts are complete, and examples run."""

import doctest
import html
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("griffe", reason="griffe is not installed")
pytest.importorskip("yaml")
reference = import_module("docs.reference")
docstrings = import_module("docs.docstrings")

pytestmark = pytest.mark.slow  # all modules are loaded
PAGES = pytest.mark.parametrize("page", reference.PAGES, ids=lambda page: page.stem)
#: Packages that examples need and that are not always installed, by a word of the path.
NEEDS = {
    **{name: name for name in ("dask", "ir_measures", "lightgbm", "polars", "torch", "torchmetrics", "xgboost")},
    "sentence_transformers": "sentence_transformers",
    "BoostedRanker": "lightgbm",
    "to_onnx": "onnx",
    "report": "matplotlib",
}
#: Functions for which no input that users would pass by mistake has an error of its own.
WITHOUT_ERRORS = {"compute_aggregated_measure", "waterfall"}
_SECTION = r"^\*\*{}\*\*\n\n(.*?)(?=^\*\*[A-Z][\w ]+\*\*$|\Z)"
_CODE = re.compile(r"```.*?```|``.*?``|`[^`]*`", re.DOTALL)


def section(text: str, title: str) -> str:
    found = re.search(_SECTION.format(title), text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def described(text: str, title: str = "Parameters") -> list[str]:
    names = re.findall(r"^- \*\*`(.*?)`\*\*", section(text, title), re.MULTILINE)
    return [each.lstrip("*") for group in names for each in group.split(", ")]


def shown_parameters(found: Any) -> list[Any]:
    init = found.all_members.get("__init__") if found.is_class else found
    return [each for each in (init.parameters if init is not None else ()) if each.name not in ("self", "cls")]


def imported(path: str) -> Any:
    parts = path.split(".")
    first = next(cut for cut in range(len(parts), 0, -1) if find_spec_of(".".join(parts[:cut])))
    found = import_module(".".join(parts[:first]))
    for name in parts[first:]:
        found = getattr(found, name)
    return found


def find_spec_of(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # what comes before the last dot is no package
        return False


def is_installed(path: str) -> bool:
    return all(find_spec(package) for word, package in NEEDS.items() if word in path.split("."))


@PAGES
def test_a_name_can_be_imported_as_its_heading_says(page: Path) -> None:
    for entry in reference.entries(page):
        if not entry.is_member and is_installed(entry.path):
            module, _, name = entry.path.rpartition(".")
            exec(f"from {module} import {name}", {})


def test_no_two_files_differ_in_case_alone() -> None:
    entries = [each for page in reference.PAGES for each in reference.entries(page) if not each.is_member]
    addresses = [each.address.lower() for each in entries]
    addresses += [page.stem for page in reference.PAGES]
    assert len(set(addresses)) == len(addresses)
    assert {"convention", "Convention-class"} <= {each.address for each in entries}


@PAGES
def test_the_signature_on_the_page_is_the_one_that_python_sees(page: Path) -> None:
    for entry in reference.entries(page):
        if not is_installed(entry.path) or not (entry.found.is_class or entry.found.is_function):
            continue
        real = docstrings.signature_of(imported(entry.path))
        taken = {name: each.kind.description for name, each in real.items() if name not in ("self", "cls")}
        taken = {name: kind for name, kind in taken.items() if name not in docstrings.refused_by(imported(entry.path))}
        shown = {each.name: str(each.kind.value) for each in shown_parameters(entry.found)}
        if not shown and entry.found.is_class:
            continue  # an error, or a class that users do not create
        assert shown == taken, entry.path
        by_place = [name for name, kind in taken.items() if "keyword-only" not in kind]
        assert [name for name in shown if name in by_place] == by_place, entry.path


@PAGES
def test_every_parameter_is_described_once_and_in_the_order_of_the_signature(page: Path) -> None:
    for entry in reference.entries(page):
        if entry.found.is_class or entry.found.is_function:
            names = described(entry.text)
            if entry.found.is_class and not names and described(entry.text, "Attributes"):
                continue  # a result
            assert names == [each.name for each in shown_parameters(entry.found)], entry.path


@PAGES
def test_every_entry_has_a_summary_in_one_line_what_it_returns_and_what_it_raises(page: Path) -> None:
    for entry in reference.entries(page):
        summary = entry.text.split("\n\n")[0]
        assert summary, entry.path
        assert "\n" not in summary, entry.path
        assert summary.rstrip(".") != summary, f"{entry.path}: {summary}"
        if entry.found.is_function and str(entry.found.returns) != "None" and "property" not in entry.found.labels:
            assert section(entry.text, "Returns") or section(entry.text, "Yields"), entry.path
        if entry.found.is_function and not entry.is_member and entry.found.name not in WITHOUT_ERRORS:
            assert section(entry.text, "Raises"), entry.path


@PAGES
@pytest.mark.usefixtures("registries")
def test_examples_run_with_nothing_but_what_they_import(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # for examples that write
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed = []
    for entry in reference.entries(page):
        if not is_installed(entry.path):
            continue
        examples = "\n\n".join(re.findall(r"^```pycon\n(.*?)^```$", entry.text, re.MULTILINE | re.DOTALL))
        assert examples or entry.is_member, f"{entry.path} has no example"
        names = {"__name__": "__main__"}
        test = doctest.DocTestParser().get_doctest(examples, names, entry.path, page.name, 0)
        failed += [entry.path] if doctest.DocTestRunner(optionflags=options).run(test).failed else []
    assert failed == []


@PAGES
def test_nothing_in_a_text_vanishes_on_the_page(page: Path) -> None:
    markdown = pytest.importorskip("markdown")
    for entry in reference.entries(page):
        text = _CODE.sub("x", entry.text)
        seen = html.unescape(re.sub(r"<[^>]*>", "", markdown.markdown(text)))
        written = re.sub(r"\[([\w ]+)\]\([\w./]+\)", r"\1", html.unescape(text)).replace("**", "")  # links to guides
        assert letters(seen) == letters(written), entry.path
        for emphasized in re.findall(r"<em>(.*?)</em>", markdown.markdown(text)):
            assert re.fullmatch(r"\w+", emphasized), f"{entry.path}: {emphasized}"


def letters(text: str) -> str:
    """Return what must be left of a text: everything but space and the marks of lists and emphasis on a word."""
    text = re.sub(r"^- ", "", text, flags=re.MULTILINE)
    return re.sub(r"\s+", "", re.sub(r"(?<!\w)\*(\w+)\*(?!\w)", r"\1", text))


@PAGES
def test_a_text_has_neither_private_names_nor_other_markup(page: Path) -> None:
    for entry in reference.entries(page):
        prose = _CODE.sub("", entry.text)
        assert "idealrank._" not in entry.text, entry.path
        assert not re.search(r"(?<![\w|\]])_[a-z]\w+", prose), entry.path
        assert not re.search(r"(?<!\w):[a-z]+:|::$|^\.\. ", prose, re.MULTILINE), entry.path


@PAGES
def test_a_signature_has_neither_private_names_nor_factories_nor_two_kinds_of_quotes(page: Path) -> None:
    for entry in reference.entries(page):
        shown = shown_parameters(entry.found) if entry.found.is_class or entry.found.is_function else []
        types = [each.annotation for each in shown] + ([entry.found.returns] if entry.found.is_function else [])
        defaults = " ".join(str(each.default) for each in shown)
        assert not re.search(r"(?<![\w.])_[A-Za-z]", " ".join([*map(str, types), defaults])), entry.path
        assert not re.search(r"\blambda:|\bdict\(\)|^'| '", defaults), entry.path

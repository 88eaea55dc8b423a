"""The table of tools says what `identify` finds out about each, today."""

import math
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.measures.conventions import CONVENTION_NAMES

PAGE = Path(__file__).parents[2] / "docs" / "conventions.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not at hand")


WRITER: Any = import_module("docs.your_tool") if PAGE.exists() else None
TOOLS = WRITER.TOOLS if WRITER else ()
ROWS = WRITER.rows_of(PAGE.read_text(encoding="utf-8")) if WRITER else {}


def test_the_page_is_written_by_its_script_and_has_every_tool() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(TOOLS) >= 25
    assert list(ROWS) == [tool.name for tool in TOOLS]
    date = page.split("given, on ", 1)[1].split(",", 1)[0]
    assert WRITER.written(list(ROWS.values()), date) in page
    assert {tool.like for tool in TOOLS} <= set(CONVENTION_NAMES)


def test_the_page_on_presets_says_the_same_of_every_tool() -> None:
    conventions = PAGE.with_name("presets.md").read_text(encoding="utf-8")
    table = re.search(r"^\| like .*?(?=^$)", conventions, re.MULTILINE | re.DOTALL)
    assert table is not None
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()]
    of_presets = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    for row in ROWS.values():
        preset = of_presets[row["like"]]
        for column in WRITER.OPTIONS:
            of_ndcg = preset[column].split("; ")[0]  # what differs for other measures follows
            assert row[column] == of_ndcg, f"{row['tool']}: {column}"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("scikit-learn", {"gain": "exp2", "ties": "average"}),
        ("LightGBM", {"gain": "exp2", "highest label": "31"}),
        ("Cornac", {"empty": "0"}),
        ("Haystack", {"empty": "error"}),
        ("BEIR", {"ties": "stable in short lists"}),
        ("NGCF", {"gain": "linear", "ideal": "judged"}),
    ],
)
def test_a_tool_that_is_not_as_its_preset_is_an_error(name: str, found: dict[str, str]) -> None:
    tool = next(each for each in TOOLS if each.name == name)
    assert len(WRITER.contradictions(tool, found)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_row_is_what_identify_finds_out(tool: Any) -> None:
    row = WRITER.row(tool, tool.formula, ROWS[tool.name]["checked"])
    page = dict(ROWS[tool.name])
    if page["checked"].startswith("run"):
        row["what is wrong"] = page["what is wrong"]  # what duplicates do is seen in the tool itself
    assert row == page


QUICK = (
    "scikit-learn",
    "pytrec_eval",
    "torchmetrics",
    "CatBoost",
    "Haystack",
    "LlamaIndex",
    "MLflow",
    "implicit",
    "Cornac",
)


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.name in QUICK], ids=lambda tool: tool.name)
def test_an_installed_tool_is_as_the_page_says(tool: Any) -> None:
    real = WRITER.real_of(tool)
    if real is None:
        pytest.skip(f"pip install {tool.package}")
    found = WRITER.row(tool, real, ROWS[tool.name]["checked"])
    assert found == ROWS[tool.name]


def test_recommenders_leaves_out_users_without_ratings() -> None:
    tool = next(each for each in TOOLS if each.like == "recommenders")
    qrels: dict[str, dict[str, float]] = {"u1": {"a": 0, "b": 2}, "u2": {}}
    run = {"u1": {"a": 2.0, "c": 1.0}, "u2": {"a": 1.0}}
    theirs = tool.formula(qrels, run, k=2)
    ours = ir.evaluate(qrels, run, "ndcg@2", like="recommenders").mean["ndcg@2"]
    assert_allclose(ours, theirs, rtol=1e-12, atol=0)
    assert_allclose(theirs, 1 / (1 + 1 / math.log2(3)), rtol=1e-12, atol=0)


_DOCS = st.sampled_from(["a", "b", "c", "d", "e", "f", *"ghijklm"])


@st.composite
def _ranked(draw: st.DrawFn) -> tuple[list[str], dict[str, int]]:
    ranked = draw(st.lists(_DOCS, unique=True, min_size=1))
    judged = draw(st.dictionaries(_DOCS, st.integers(0, 4), min_size=1))
    return ranked, judged


#: Where the notes of a preset say that something is not repeated: whether a list is as usual.
_AS_USUAL: dict[str, Any] = {
    "llama_index": lambda ranked, judged, k: any(judged.values()),
}
_RANKED_TOOLS = [tool for tool in TOOLS if tool.takes.startswith("ranked,")]


@pytest.mark.parametrize("tool", _RANKED_TOOLS, ids=lambda tool: tool.name)
@settings(max_examples=30)
@given(case=_ranked(), k=st.integers(1, 7))
def test_a_preset_gives_the_number_of_the_formula(tool: Any, case: tuple[list[str], dict[str, int]], k: int) -> None:
    ranked, judged = case
    is_graded = "judged" in tool.takes
    if not is_graded:
        judged = {doc: min(label, 1) for doc, label in judged.items()}
    if not _AS_USUAL.get(tool.like, lambda *_: True)(ranked, judged, k):
        return
    second = judged if is_graded else [doc for doc, label in judged.items() if label]
    has_k = tool.takes.endswith("k")
    try:
        theirs = tool.formula(ranked, second, **({"k": k} if has_k else {}))
    except ZeroDivisionError:
        theirs = math.nan
    run = {"q": {doc: float(-place) for place, doc in enumerate(ranked)}}
    name = f"ndcg@{k}" if has_k else "ndcg"
    ours = ir.evaluate({"q": judged}, run, name, like=tool.like).per_query[name][0]
    if math.isnan(theirs):
        assert math.isnan(ours)
    else:
        assert_allclose(ours, theirs, rtol=1e-12, atol=6e-3 if tool.like == "opensearch" else 1e-12)


@pytest.mark.parametrize("like", [tool.like for tool in TOOLS if tool.takes in ("labels, scores, k", "labels, scores")])
@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.5, 1.0, 2.0, 3.0])), min_size=1, max_size=8),
    k=st.integers(1, 9),
)
def test_a_preset_gives_the_number_of_the_formula_of_lists(like: str, rows: list[tuple[int, float]], k: int) -> None:
    tool = next(each for each in TOOLS if each.like == like)
    labels, scores = [label for label, _ in rows], [score for _, score in rows]
    has_k = tool.takes.endswith("k")
    theirs = tool.formula(labels, scores, **({"k": k} if has_k else {}))
    name = f"ndcg@{k}" if has_k else "ndcg"
    ours = ir.evaluate(labels, scores, name, like=like).per_query[name][0]
    assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealrank import evaluate
from idealrank._present.printable import printable
from idealrank._present.table import Column, Table, render
from idealrank.report import html

HOSTILE = "q\x1b]0;owned\x07\x9b31m\u202e\udcff"


@given(st.text(st.characters(codec=None)))
def test_what_is_printed_commands_no_terminal(text: str) -> None:
    shown = printable(text)
    assert not {"\x1b", "\x07", "\x9b", "\r", "\n", "\x00", "\u202e"} & set(shown)
    shown.encode()
    assert printable(shown) == shown


@pytest.mark.parametrize(
    "text", ["Zürich", "\u0645\u06cc\u200c\u0631\u0648\u062f", "\U0001f469\u200d\U0001f52c", "plain"]
)
def test_words_of_all_languages_stay(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_tables_for_people_hold_no_control_characters(form: str) -> None:
    shown = render(Table([Column("query"), Column(HOSTILE)], [[HOSTILE, 1.0]]), form)
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\udcff"} & set(shown)
    assert shown.count("x1b") == 2


def test_names_that_are_not_utf8_can_be_written(tmp_path: Path) -> None:
    name = "q\udcff"
    found = evaluate({name: {"d": 1}}, {"r\udcfe": {name: {"d": 1.0}}, "s": {name: {"d": 2.0}}}, "rr")
    for form in ("to_text", "to_json", "to_markdown", "to_latex", "to_html"):
        getattr(found, form)().encode()
    assert json.loads(found.to_json()) == found.to_dict()
    assert found.to_csv().encode("utf-8", "surrogateescape").count(b"\xfe") == 1
    html(found, tmp_path / "page.html")
    assert "r\\udcfe" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd|' /C calc'!A0", "@SUM(A1)", " =1", "\t=1"])
def test_formulas_are_escaped_where_asked(text: str) -> None:
    table = Table([Column("=name"), Column("value")], [[text, -1.5], ["plain", 2]])
    assert f"'{text}" not in render(table, "csv").replace('"', "")
    shown = render(table, "csv", escape_formulas=True)
    assert f"'{text}" in shown.replace('"', "")
    assert "'=name" in shown
    assert ",-1.5" in shown  # numbers are no text
    assert "plain,2" in shown

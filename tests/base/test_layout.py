"""Tables as text: whatever the table and the width, no line is too long and no number is cut."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import idealrank as ir
from idealrank._present.printable import display_width, wrapped
from idealrank._present.table import Column, Table, Value, render
from idealrank._present.text_layout import layout

TEXT = st.text(st.sampled_from("ab_-. ,日\u0301"), max_size=30).map(lambda text: " ".join(text.split()))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n_columns, n_rows = draw(st.integers(1, 8)), draw(st.integers(0, 4))
    columns, cells = [Column(draw(TEXT), priority=-1)], [draw(st.lists(TEXT, min_size=n_rows, max_size=n_rows))]
    for _ in range(n_columns):
        is_number = draw(st.booleans())
        value: Any = st.floats(-1e12, 1e12) if is_number else TEXT
        columns.append(Column(draw(TEXT), ".4f", draw(st.integers(0, 3))))
        cells.append(draw(st.lists(st.none() | value, min_size=n_rows, max_size=n_rows)))
    places = st.tuples(st.integers(0, 4), st.integers(1, n_columns))
    marks = draw(st.dictionaries(places, st.sampled_from(["†", "abc", "1,3-17," * 9])))
    return Table(columns, list(zip(*cells, strict=True)), marks=marks)


@given(tables(), st.integers(40, 120))
def test_no_line_is_longer_than_the_width_and_no_number_is_cut(table: Table, width: int) -> None:
    found = layout(table, width)
    assert all(display_width(line) <= width for line in found.lines)
    shown = " ".join(found.lines)
    places = [place for place, column in enumerate(table.columns) if column.priority <= 0 or not found.left_out]
    for row in table.cells:
        for place in places:
            if table.is_number[place] and row[place]:
                assert re.search(rf"(?<![\d.]){re.escape(row[place])}(?![\d.])", shown)
    assert set(found.left_out) <= {column.name for column in table.columns if column.priority > 0}


@given(tables())
def test_without_a_width_everything_is_shown(table: Table) -> None:
    found = layout(table)
    assert found.left_out == []
    assert len(found.lines) == 1 + len(table.rows)


@given(TEXT, st.integers(4, 20), st.sampled_from(["", "  "]))
def test_wrapped_text_is_whole_and_narrow(text: str, width: int, indent: str) -> None:
    lines = wrapped(text, width, indent)
    assert all(display_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_number_is_not_broken_at_its_point() -> None:
    assert wrapped("ndcg(discount=power:0.5)", 22) == ["ndcg(discount=power:", "0.5)"]
    assert wrapped("www.example.org/a/page", 14) == ["www.example.", "org/a/page"]


def test_wide_characters_before_a_comma_count_as_two_columns() -> None:
    assert wrapped("_ _日,", 5, "  ") == ["_", "  _", "  日,"]


def test_a_mean_and_its_interval_stay_side_by_side() -> None:
    names = [(each, f"{each}{bound}") for each in ("ap", "rr") for bound in ("", " low", " high")]
    table = Table(
        [Column("system"), *(Column(name, ".4f", group=each) for each, name in names)], [["bm25"] + [0.5] * 6]
    )
    assert layout(table, 40).lines == [
        "system      ap  ap low  ap high",
        "bm25    0.5000  0.5000   0.5000",
        "",
        "system      rr  rr low  rr high",
        "bm25    0.5000  0.5000   0.5000",
    ]
    assert layout(table, 24).lines[0] == "system      ap  ap low"  # a group that is too wide is divided


def test_columns_without_room_next_to_another_table_are_left_out() -> None:
    table = Table([Column("system"), Column("mean", ".1f"), Column("sd", ".1f", priority=1)], [["bm25", 0.5, 0.2]])
    found = layout(table, 80, without=["mean", "sd"])
    assert found.left_out == ["sd"]
    assert found.lines[0] == "system  mean"


def test_columns_of_one_priority_leave_together_and_those_without_continue_below() -> None:
    columns = [Column("system"), Column("mean", ".4f"), *(Column(name, ".4f", 1) for name in ("low", "high"))]
    table = Table(columns, [["bm25", 0.5, 0.25, 0.75]])
    assert layout(table, 30).left_out == []
    assert layout(table, 23).left_out == ["low", "high"]
    wide = Table(
        [Column("system"), *(Column(f"ndcg@{k}", ".4f") for k in range(1, 6))], [["bm25", 0.1, 0.2, 0.3, 0.4, 0.5]]
    )
    assert layout(wide, 24).lines == [
        "system  ndcg@1  ndcg@2",
        "bm25    0.1000  0.2000",
        "",
        "system  ndcg@3  ndcg@4",
        "bm25    0.3000  0.4000",
        "",
        "system  ndcg@5",
        "bm25    0.5000",
    ]


def test_the_best_values_and_the_headings_are_styled() -> None:
    table = Table([Column("system"), Column("ap", ".2f")], [["a", 0.5], ["b", 0.25]], best=frozenset({(0, 1)}))
    lines = layout(table, 80, lambda text: f"<{text}>").lines
    assert lines == ["<system>    <ap>", "────────────", "a       <0.50>", "b       0.25"]


def test_small_p_values_and_missing_values_have_their_forms() -> None:
    table = Table([Column("p", "p"), Column("change", "+.4f")], [[1e-9, -0.5], [0.5, float("nan")]])
    assert render(table).splitlines()[1:] == ["<0.0001  -0.5000", " 0.5000      nan"]
    assert render(table.with_digits(2)).splitlines()[1:] == ["<0.0001   -0.50", " 0.5000     nan"]
    assert render(table, "csv").splitlines()[1] == "1e-09,-0.5"


def test_markdown_and_csv_of_a_comparison_are_complete() -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 2} for i in range(8)}
    runs = {
        name: {q: {"a": (i * k) % 3, "b": (i + k) % 3, "c": 1.5} for i, q in enumerate(qrels)}
        for k, name in enumerate(["x_1", "y|2", "z"])
    }
    found = ir.compare(qrels, runs, ["ndcg@10", "ap"], seed=0)
    markdown, csv = found.to_markdown(), found.to_csv().splitlines()
    for name in ("x\\_1", "y\\|2"):
        assert markdown.count(f"| {name} ") >= 2
    assert len(csv) == 1 + 2 * 3
    for column in ("p", "corrected", "change low", "mean", "low", "high", "mean against", "high against"):
        assert column in csv[0].split(",")
    for measure, means in found.means.items():
        assert measure in markdown
        for each in means.values():
            for value in (each.mean, each.low, each.high):
                assert f"{value:.4f}" in markdown
                assert any(repr(value) in line.split(",") for line in csv)
    for differences in found.differences.values():
        for difference in differences:
            assert f"{difference.corrected:.4f}" in markdown
    evaluations = ir.evaluate(qrels, runs, ["ndcg@10", "ap"])
    assert "ndcg@10 low" in evaluations.to_csv("intervals").splitlines()[0]
    assert "ap high" in evaluations.to_markdown("intervals").splitlines()[0]


def test_heading_stays_above_its_numbers_if_marks_are_long() -> None:
    marks = {(0, 1): "1,3,5,7,9,11,13,15,17,19,21,23,25-100"}
    table = Table([Column("system"), Column("ndcg@10", ".4f")], [["bm25", 0.5]], marks=marks)
    heading, row, *_ = layout(table, 40).lines
    assert heading.index("ndcg@10") + len("ndcg@10") == row.index("0.5000") + len("0.5000")


def test_no_number_is_minus_zero() -> None:
    table = Table([Column("change", "+.4f"), Column("x", ".2f"), Column("y", "g")], [[-1e-9, -0.001, float("-inf")]])
    assert table.cells == [["+0.0000", "0.00", "-inf"]]
    assert Table(table.columns, [[-0.0] * 3]).cells == [["+0.0000", "0.00", "0"]]


def test_columns_that_are_repeated_are_narrowed_until_a_number_fits_next_to_them() -> None:
    names = [Column(name, priority=-1) for name in ("measure", "a", "b")]
    row: list[Value] = ["ndcg(discount=power:0.5)", "bm25-with-feedback", "dense-and-reranked", 0.123456789]
    lines = layout(Table([*names, Column("separated", ".9f")], [row]), 40).lines
    assert max(map(display_width, lines)) <= 40


def test_lines_break_between_the_options_of_a_measure() -> None:
    text = "ndcg@10 = ndcg(ties=average,gain=exp2,discount=log:2,short=as is)@10, and q1: +0.5"
    for width in range(30, 80):
        lines = wrapped(text, width, "  ")
        assert "".join("".join(lines).split()) == "".join(text.split())
        assert not any(line.endswith(("short=as", "q1:")) for line in lines)

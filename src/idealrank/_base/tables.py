r"""Tables, and their output as text, JSON, CSV, Markdown, LaTeX and HTML.

Numbers have the format of their column in output for people, and all digits in JSON and CSV.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy.typing as npt

from idealrank._base.markup import Markup, scrolled, tag
from idealrank._base.plain import Plain, json_text
from idealrank._base.printable import printable

__all__ = ["Column", "Table", "Tables", "Value", "html_table", "of_columns", "render", "stacked"]

Value: TypeAlias = str | int | float | None

_FORMULAS = ("=", "+", "-", "@")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    name : str
        The heading.
    spec : str
        The format of its numbers, as in ``format(value, spec)``.
    """

    name: str
    spec: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    rows : sequence of sequences
        One value per column; None is a missing value.
    beside : mapping
        Text by (row, column) that HTML shows below the value of a cell.
    best : frozenset
        Cells, as (row, column), that HTML shows in bold.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    beside: Mapping[tuple[int, int], str] = field(default_factory=dict)
    best: frozenset[tuple[int, int]] = frozenset()

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def headings(self) -> list[str]:
        """Return the names of the columns, as they are shown."""
        return [_cell(name, "") for name in self.header]

    def by_column(self) -> dict[str, list[Value]]:
        """Return the values of each column by its name."""
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.header)}

    def cells(self) -> list[list[str]]:
        """Return the formatted values of each row."""
        return [
            [_cell(value, column.spec) for value, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]

    def is_number(self) -> list[bool]:
        """Return whether each column is numeric and aligned to the right."""
        return [
            bool(values) and all(isinstance(value, (int, float)) for value in values)
            for values in ([row[i] for row in self.rows if row[i] is not None] for i in range(len(self.columns)))
        ]


class Tables(Mapping[str, Table]):
    """Mapping of tables that are created on access.

    Parameters
    ----------
    makers : mapping of str to callable
        Each callable returns a `Table`.

    Examples
    --------
    >>> tables = Tables({"numbers": lambda: Table([Column("n")], [[1], [2]])})
    >>> list(tables), tables["numbers"].by_column()
    (['numbers'], {'n': [1, 2]})
    """

    def __init__(self, makers: Mapping[str, Callable[[], Table]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> Table:
        return self._makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def of_columns(columns: Mapping[str, npt.NDArray[Any]], spec: str = ".4g") -> Table:
    """Return a table of numeric columns of equal length.

    Examples
    --------
    >>> import numpy as np
    >>> of_columns({"n": np.array([1.0, 2.0])}).rows
    [(1.0,), (2.0,)]
    """
    values = [column.tolist() for column in columns.values()]
    return Table([Column(name, spec) for name in columns], list(zip(*values, strict=True)))


def stacked(tables: Sequence[Table]) -> Table:
    """Concatenate the rows of tables with the same columns.

    Examples
    --------
    >>> stacked([Table([Column("n")], [[1]]), Table([Column("n")], [[2]])]).rows
    [[1], [2]]
    """
    return Table(tables[0].columns, [row for table in tables for row in table.rows])


def _cell(value: Value, spec: str) -> str:
    if value is None:
        return ""
    return printable(" ".join(value.split())) if isinstance(value, str) else format(value, spec)


def render(table: Table, output_format: str = "text", *, escape_formulas: bool = False) -> str:
    r"""Render a table.

    Parameters
    ----------
    table : Table
        The table.
    output_format : {"text", "json", "csv", "markdown", "latex", "html"}, default="text"
        The output format.
    escape_formulas : bool, default=False
        Whether text in CSV that a spreadsheet would take for a formula begins with an apostrophe.

    Returns
    -------
    str
        The table in this format.

    Examples
    --------
    >>> table = Table([Column("ranker"), Column("share", ".2f")], [["a|b", 0.125], ["bm25", None]])
    >>> print(render(table))
    ranker  share
    a|b      0.12
    bm25
    >>> print(render(table, "markdown"))
    | ranker | share |
    |:-------|------:|
    | a\|b   |  0.12 |
    | bm25   |       |
    >>> print(render(table, "csv"))
    ranker,share
    a|b,0.125
    bm25,
    """
    return (
        _csv(_without_formulas(table))
        if escape_formulas and output_format == "csv"
        else _RENDERERS[output_format](table)
    )


def _without_formulas(table: Table) -> Table:
    def escaped(value: Value) -> Value:
        return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(_FORMULAS) else value

    columns = [Column(str(escaped(column.name)), column.spec) for column in table.columns]
    return Table(columns, [[escaped(value) for value in row] for row in table.rows])


def _text(table: Table) -> str:
    lines = _aligned([table.headings(), *table.cells()], table.is_number())
    return "".join("  ".join(line).rstrip() + "\n" for line in lines)


def _aligned(lines: list[list[str]], is_number: list[bool]) -> list[list[str]]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, is_number, strict=True)
        ]
        for line in lines
    ]


def _json(table: Table) -> str:
    rows: list[Plain] = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return json_text(rows, indent=2) + "\n"


def _csv(table: Table) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows(table.rows)
    return file.getvalue()


def _markdown(table: Table) -> str:
    def escaped(cell: str) -> str:
        return re.sub(r"([\\`*_\[\]<>|~$&])", r"\\\1", cell)

    is_number = table.is_number()
    lines = _aligned([[escaped(cell) for cell in line] for line in [table.headings(), *table.cells()]], is_number)
    rule = [
        "-" * (len(name) + 1) + ":" if right else ":" + "-" * (len(name) + 1)
        for name, right in zip(lines[0], is_number, strict=True)
    ]
    body = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([body[0], "|" + "|".join(rule) + "|", *body[1:], ""])


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def _latex(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join("".join(_LATEX.get(letter, letter) for letter in cell) for cell in cells) + r" \\"

    alignment = "".join("r" if right else "l" for right in table.is_number())
    head = ["% needs \\usepackage{booktabs}", f"\\begin{{tabular}}{{{alignment}}}", r"\toprule", line(table.headings())]
    return "\n".join([*head, r"\midrule", *map(line, table.cells()), r"\bottomrule", r"\end{tabular}", ""])


def html_table(table: Table, caption: str = "") -> Markup:
    """Render a table as HTML; the first column has the headings of the rows.

    Parameters
    ----------
    table : Table
        The table.
    caption : str, default=""
        The caption, which also labels the table for screen readers.

    Returns
    -------
    Markup
        The table.

    Examples
    --------
    >>> html_table(Table([Column("system"), Column("p", ".2f")], [["a<b", 0.125]]), "p-values").split("<tbody>")[1]
    '<tr><th scope="row">a&lt;b</th><td class="number">0.12</td></tr></tbody></table></div>'
    """
    sides = ["number" if right else None for right in table.is_number()]
    heads = [tag("th", name, scope="col", class_=side) for name, side in zip(table.headings(), sides, strict=True)]
    rows = [
        tag("tr", tag("th", cells[0], scope="row") if cells[0] else tag("td"), *_html_cells(table, row, cells, sides))
        for row, cells in enumerate(table.cells())
    ]
    said = [tag("caption", caption)] if caption else []
    return scrolled(tag("table", *said, tag("thead", tag("tr", *heads)), tag("tbody", *rows)), caption or "Table")


def _html_cells(table: Table, row: int, cells: Sequence[str], sides: Sequence[str | None]) -> Iterator[Markup]:
    """Yield the cells of a row except the first."""
    for column, (cell, side) in enumerate(zip(cells, sides, strict=True)):
        if column:
            text = "none" if cell == "nan" else cell
            beside = [tag("small", table.beside[row, column])] if (row, column) in table.beside else []
            shown = tag("strong", text) if (row, column) in table.best else tag("span", text) if beside else text
            yield tag("td", shown, *beside, class_=side)


_RENDERERS: dict[str, Callable[[Table], str]] = {
    "text": _text,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
    "html": html_table,
}

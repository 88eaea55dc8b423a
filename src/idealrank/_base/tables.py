r"""One table as text, JSON, CSV, Markdown or LaTeX.

Numbers are shown by their column's format where people read them, and written in full in JSON and CSV.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Column", "Table", "Value", "render"]

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column's name and the format of its numbers, as in ``format(value, spec)``."""

    name: str
    spec: str = ""


@dataclass(frozen=True)
class Table:
    """Columns and rows; None is a value that is not there."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def by_column(self) -> dict[str, list[Value]]:
        """{column: its values}."""
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.header)}

    def cells(self) -> list[list[str]]:
        """Each row as people read it."""
        return [
            [_cell(value, column.spec) for value, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]

    def is_number(self) -> list[bool]:
        """Whether each column holds numbers, which stand to the right."""
        return [
            bool(values) and all(isinstance(value, (int, float)) for value in values)
            for values in ([row[i] for row in self.rows if row[i] is not None] for i in range(len(self.columns)))
        ]


def _cell(value: Value, spec: str) -> str:
    if value is None:
        return ""
    return " ".join(value.split()) if isinstance(value, str) else format(value, spec)


def render(table: Table, output_format: str = "text") -> str:
    r"""The table as text, json, csv, markdown or latex.

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
    return _RENDERERS[output_format](table)


def _text(table: Table) -> str:
    lines = _aligned([table.header, *table.cells()], table.is_number())
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
    # JSON has no NaN and no infinity.
    rows = [
        {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in zip(table.header, row, strict=True)
        }
        for row in table.rows
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


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
    lines = _aligned([[escaped(cell) for cell in line] for line in [table.header, *table.cells()]], is_number)
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
    lines = [
        "% needs \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        line(table.header),
        r"\midrule",
        *map(line, table.cells()),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


_RENDERERS: dict[str, Callable[[Table], str]] = {
    "text": _text,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}

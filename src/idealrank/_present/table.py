r"""Tables, and their output as text, JSON, CSV, Markdown, LaTeX and HTML.

Numbers have the format of their column in output for people, and all digits in JSON and CSV.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy.typing as npt

from idealrank._present.json_values import Plain, json_text
from idealrank._present.latex import latex_table
from idealrank._present.markup import Markup, breakable, scrolled, tag, typeset
from idealrank._present.printable import display_width, printable, wrapped
from idealrank._present.text_layout import layout

Value: TypeAlias = str | int | float | None
T = TypeVar("T")

#: The spec of columns with words of ours, rather than names from data.
WORDS = "words"

_FORMULAS = ("=", "+", "-", "@")
#: Names in the first column with more letters than this fill too much of a narrow screen to stay in sight there.
_LONG = 18
#: Cells of a few words, with no more letters than this, are not broken.
_FEW_WORDS = 20
#: Words with more letters than this are broken on paper.
_LONGEST_WORD = 24
#: A table of no more columns than this, whose last cells have more letters on average, is a list on a narrow screen.
_FEW_COLUMNS, _SENTENCE = 4, 40


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    name : str
        The heading.
    spec : str
        The format of its numbers, as in ``format(value, spec)``; or "p", for p-values: four digits, and "<0.0001" for
        smaller ones; or `WORDS`, for text in which HTML has minus signs and arrows. Names stay as they are.
    priority : int
        What happens if a screen is too narrow: columns above 0 are left out, those with the largest number first, all
        at once; columns below 0, like the first column, are repeated where the table continues below.
    group : str
        Neighbors of one group, such as a mean and its interval, stay side by side where the table continues below.
    """

    name: str
    spec: str = ""
    priority: int = 0
    group: str = ""


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
        Cells, as (row, column), that are bold.
    marks : mapping
        Text by (row, column) that follows a number, in superscript if possible, such as a dagger.
    second : frozenset
        Cells, as (row, column), that LaTeX underlines if asked to.
    notes : tuple of str
        Sentences that say what the marks mean.
    caption : str
        The caption of the table in a paper; with it, LaTeX is a whole table environment.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    beside: Mapping[tuple[int, int], str] = field(default_factory=dict)
    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    second: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[str, ...] = ()
    caption: str = ""

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @cached_property
    def headings(self) -> list[str]:
        """The names of the columns, as they are shown."""
        return [_cell(name, "") for name in self.header]

    def by_column(self) -> dict[str, list[Value]]:
        """Return the values of each column by its name."""
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.header)}

    @cached_property
    def cells(self) -> list[list[str]]:
        """The formatted values of each row."""
        return [
            [_cell(value, column.spec) for value, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]

    def head(self, n_rows: int) -> Table:
        """Return the table with its first rows only."""
        return replace(self, rows=self.rows[:n_rows])

    def with_digits(self, digits: int) -> Table:
        """Return the table with this many digits after the point where it has four."""
        columns = [replace(column, spec=column.spec.replace(".4f", f".{digits}f")) for column in self.columns]
        return replace(self, columns=columns)

    @cached_property
    def is_number(self) -> list[bool]:
        """Whether each column is numeric and aligned to the right."""
        kinds = [{type(row[i]) for row in self.rows if row[i] is not None} for i in range(len(self.columns))]
        return [bool(own) and all(issubclass(kind, (int, float)) for kind in own) for own in kinds]


class OnAccess(Mapping[str, T]):
    """Mapping of values that are created on access.

    Parameters
    ----------
    makers : mapping of str to callable
        Each callable returns a value.

    Examples
    --------
    >>> values = OnAccess({"one": lambda: 1, "two": lambda: 1 + 1})
    >>> list(values), values["two"]
    (['one', 'two'], 2)
    """

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> T:
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._makers  # without creating the value

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Tables(OnAccess[Table]):
    """Mapping of tables that are created on access.

    Examples
    --------
    >>> tables = Tables({"numbers": lambda: Table([Column("n")], [[1], [2]])})
    >>> list(tables), tables["numbers"].by_column()
    (['numbers'], {'n': [1, 2]})
    """


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
    if isinstance(value, str):
        return printable(" ".join(value.split()))
    if value != value:
        return "nan"
    if spec == "p":
        return "<0.0001" if value < 0.0001 else f"{value:.4f}"
    if isinstance(value, float):  # "z": no minus sign before zero
        spec = spec.replace("+", "+z", 1) if "+" in spec else f"z{spec}"
    return format(value, spec)


def render(
    table: Table,
    output_format: str = "text",
    *,
    escape_formulas: bool = False,
    width: int | None = None,
    underline_second: bool = False,
) -> str:
    r"""Render a table.

    Parameters
    ----------
    table : Table
        The table.
    output_format : {"text", "json", "csv", "markdown", "latex", "html"}
        The output format.
    escape_formulas : bool
        Whether text in CSV that a spreadsheet would take for a formula begins with an apostrophe.
    width : int, optional
        The largest width of text; columns of low priority that do not fit are left out, and a line says so.
    underline_second : bool
        Whether LaTeX underlines the second best values.

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
    if output_format == "text":
        return _text(table, width)
    if output_format == "latex":
        return latex_table(table, underline_second=underline_second)
    if escape_formulas and output_format == "csv":
        return _csv(_without_formulas(table))
    return _RENDERERS[output_format](table)


def _without_formulas(table: Table) -> Table:
    def escaped(value: Value) -> Value:
        return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(_FORMULAS) else value

    columns = [replace(column, name=str(escaped(column.name))) for column in table.columns]
    return Table(columns, [[escaped(value) for value in row] for row in table.rows])


def _text(table: Table, width: int | None) -> str:
    shown = layout(table, width)
    lines = list(shown.lines)
    if shown.left_out:
        lines += wrapped(f"Not shown in {width} columns: {', '.join(shown.left_out)}.", width or 0)
    for note in table.notes:
        lines += [note] if width is None else wrapped(note, width)
    return "".join(f"{line}\n" for line in lines)


def _aligned(lines: list[list[str]], is_number: list[bool]) -> list[list[str]]:
    widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
    return [
        [
            " " * (width - display_width(cell)) + cell if right else cell + " " * (width - display_width(cell))
            for cell, width, right in zip(line, widths, is_number, strict=True)
        ]
        for line in lines
    ]


def _json(table: Table) -> str:
    rows: list[Plain] = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return json_text(rows, indent=2) + "\n"


def _csv(table: Table) -> str:
    import csv

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows(table.rows)
    return file.getvalue()


def _markdown(table: Table) -> str:
    def escaped(cell: str) -> str:
        return re.sub(r"([\\`*_\[\]<>|~$&])", r"\\\1", cell)

    def shown(row: int, column: int, cell: str) -> str:
        text = f"**{escaped(cell)}**" if (row, column) in table.best and cell else escaped(cell)
        mark = table.marks.get((row, column), "")
        return f"{text}<sup>{escaped(mark)}</sup>" if mark else text

    is_number = table.is_number
    cells = [[shown(row, place, cell) for place, cell in enumerate(line)] for row, line in enumerate(table.cells)]
    lines = _aligned([list(map(escaped, table.headings)), *cells], is_number)
    rule = [
        "-" * (display_width(name) + 1) + ":" if right else ":" + "-" * (display_width(name) + 1)
        for name, right in zip(lines[0], is_number, strict=True)
    ]
    body = ["| " + " | ".join(line) + " |" for line in lines]
    notes = ["", *map(escaped, table.notes)] if table.notes else []
    return "\n".join([body[0], "|" + "|".join(rule) + "|", *body[1:], *notes, ""])


def html_table(table: Table, caption: str = "") -> Markup:
    """Render a table as HTML; the first column has the headings of the rows.

    Parameters
    ----------
    table : Table
        The table.
    caption : str
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
    sides = ["number" if right else None for right in table.is_number]
    named = zip(table.headings, sides, strict=True)
    heads = [tag("th", *breakable(name), scope="col", class_=side) for name, side in named]
    rows = [tag("tr", *_html_cells(table, row, cells, sides)) for row, cells in enumerate(table.cells)]
    said = [tag("caption", caption)] if caption else []
    names = " ".join([row[0] for row in table.rows if isinstance(row[0], str)])
    is_long = max(map(len, names.split()), default=0) > _LONG
    n_letters = sum(map(len, [str(row[-1]) for row in table.rows]))
    has_sentences = len(table.columns) <= _FEW_COLUMNS and n_letters > _SENTENCE * len(table.rows)
    widths = shares([*zip(table.headings, *table.cells, strict=True)], table.is_number)
    kinds = " ".join(name for name, has in (("long", is_long), ("sentences", has_sentences), ("wordy", widths)) if has)
    columns = [tag("colgroup", *(tag("col", style=f"width: {width}%") for width in widths))] if widths else []
    content = [*said, *columns, tag("thead", tag("tr", *heads)), tag("tbody", *rows)]
    return scrolled(tag("table", *content, class_=kinds or None), caption or "Table")


def _html_cells(table: Table, row: int, cells: Sequence[str], sides: Sequence[str | None]) -> list[Markup]:
    """Return the cells of a row; the first is its heading."""
    made = []
    for column, (cell, side) in enumerate(zip(cells, sides, strict=True)):
        is_words = table.columns[column].spec == WORDS
        if not column:
            name = typeset(cell) if is_words else cell
            made.append(tag("th", name, scope="row", class_=side or _kind(name)) if name else tag("td"))
            continue
        text = "none" if cell == "nan" else typeset(cell) if side is not None or is_words else cell
        beside = [tag("small", typeset(table.beside[row, column]))] if (row, column) in table.beside else []
        shown = tag("strong", text) if (row, column) in table.best else tag("span", text) if beside else text
        mark = [tag("sup", table.marks[row, column])] if (row, column) in table.marks else []
        made.append(tag("td", shown, *mark, *beside, class_=side or _kind(text)))
    return made


def _kind(text: str) -> str | None:
    """Return the class of a cell of a few words, which are not broken, or of a word that has to be."""
    if max(map(len, text.split()), default=0) > _LONGEST_WORD:
        return "endless"
    return "words" if (" " in text or "-" in text) and len(text) <= _FEW_WORDS else None


_RENDERERS: dict[str, Callable[[Table], str]] = {"json": _json, "csv": _csv, "markdown": _markdown, "html": html_table}


#: Letters of a line on a tablet: narrower tables need no help.
_LINE = 100
#: Letters between two columns, and at the end of a line that another word does not fit.
_APART, _RAGGED = 3, 3


def shares(columns: Sequence[Sequence[str]], is_number: Sequence[bool]) -> list[int]:
    """Return the widths, in percent, with which the rows of a table have few lines.

    They are empty if every row fits one line, or if even the longest words do not.

    Parameters
    ----------
    columns : sequence of sequence of str
        The cells of each column, its heading first.
    is_number : sequence of bool
        Whether each column is numeric, and never broken.

    Examples
    --------
    >>> shares([["claim", "words " * 12], ["verdict", "holds"], ["measured", "words " * 24]], [False] * 3)
    [32, 10, 58]
    >>> shares([["system", "bm25"], ["ndcg", "0.5000"]], [False, True])
    []
    """
    lengths = [list(map(len, cells)) for cells in columns]
    longest = [max(own) for own in lengths]
    line = _LINE - _APART * len(columns)
    if sum(longest) <= line:
        return []
    words = [max(map(len, " ".join(cells).split()), default=0) for cells in columns]
    widths = [most if number else word for most, word, number in zip(longest, words, is_number, strict=True)]
    if sum(widths) > line:
        return []
    while sum(widths) < line:
        # Each step widens the column that makes rows high: the one with most lines, over the rows where it has most.
        caused = [0.0] * len(widths)
        for row in zip(*lengths, strict=True):
            n_lines = [
                length / max(width - _RAGGED, 1) if length > width else 0.0
                for length, width in zip(row, widths, strict=True)
            ]
            caused[n_lines.index(max(n_lines))] += max(n_lines)
        if not any(caused):
            break
        widths[caused.index(max(caused))] += 1
    total = sum(widths) + _APART * len(widths)
    return [math.floor(100 * (width + _APART) / total) for width in widths]

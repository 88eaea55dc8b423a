"""Tables on paper: the long and narrow are divided into columns, and the wide have smaller type or are split."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from idealrank._present.markup import Markup, joined, tag
from idealrank._present.table import Table, html_table

#: The width of a page in ems of the type of tables: at its normal size, and at the smallest that is legible.
_LINE, _LONGEST_LINE = 72.0, 105.0
#: The widths of a letter, of a bold letter, of a smaller letter, and around the content of a cell, in ems.
_LETTER, _BOLD, _SMALL, _AROUND = 0.59, 0.66, 0.5, 0.85
#: Letters of the longest word that stays whole, and of a line of text.
_WORD, _TEXT = 24, 20
#: Between the columns into which a table is divided, in ems.
_APART = 2.0
#: Tables in columns have at least so many rows; those with fewer than so many stay on one page.
_FEW_ROWS, _MANY_ROWS = 10, 25
#: Parts of words after which a line may end; the hyphen in "v2-0" is followed by a digit.
_PARTS = re.compile(r"(?:[^\s(,=-]|-(?=\d))*(?:[(,=]|-(?!\d))|(?:[^\s(,=-]|-(?=\d))+")


def paper_table(table: Table, caption: str) -> Markup:
    """Return a table as HTML that fits the width of a page when it is printed.

    Parameters
    ----------
    table : Table
        The table.
    caption : str
        Its caption.

    Returns
    -------
    Markup
        The table; if no legible type would fit, also its parts, which take its place on paper.

    Examples
    --------
    >>> from idealrank._present.table import Column
    >>> values = [Column(f"system {i}", ".4f") for i in range(16)]
    >>> paper_table(Table([Column("query"), *values], [["q1", *[0.5] * 16]]), "ndcg")[:35]
    '<div class="fit" style="--ems: 82">'
    """
    width = _width(table)
    if width <= _LINE:
        return html_table(table, caption)
    if width <= _LONGEST_LINE:
        return tag("div", html_table(table, caption), class_="fit", style=f"--ems: {math.ceil(width)}")
    parts = [paper_table(part, caption) for part, _ in split(table)]
    return joined([tag("div", html_table(table, caption), class_="on-screen"), tag("div", *parts, class_="on-paper")])


def side_by_side(table: Table, caption: str) -> Markup:
    """Return a table as HTML that is divided into several columns on paper, if it is long and narrow."""
    n_columns = paper_columns(table)
    if n_columns == 1:
        return paper_table(table, caption)
    kind = "side short" if len(table.rows) // n_columns < _MANY_ROWS else "side"
    return tag("div", html_table(table, caption), class_=kind, style=f"--columns: {n_columns}")


def paper_columns(table: Table) -> int:
    """Return into how many columns a table is divided on paper: more than 1 if it is long and narrow.

    Examples
    --------
    >>> from idealrank._present.table import Column
    >>> paper_columns(Table([Column("query"), Column("bm25", ".4f")], [["q1", 0.5]] * 43))
    4
    """
    return max(1, min(int((_LINE + _APART) / (_width(table) + _APART)), len(table.rows) // _FEW_ROWS))


def split(table: Table) -> Iterator[tuple[Table, range]]:
    """Yield parts of a table that fit a page, each with the first column, and the places of their other columns.

    Examples
    --------
    >>> from idealrank._present.table import Column
    >>> wide = Table([Column("query"), *(Column(f"system {i}", ".4f") for i in range(20))], [["q1", *[0.5] * 20]])
    >>> [places for _, places in split(wide)]
    [range(1, 11), range(11, 21)]
    """
    first, *others = _widths(table)
    n_others = len(others)
    n_parts = min(n_others, math.ceil(sum(others) / max(_LINE - first, 1)))
    for number in range(n_parts):
        places = range(1 + number * n_others // n_parts, 1 + (number + 1) * n_others // n_parts)
        yield _columns(table, places), places


def _columns(table: Table, places: range) -> Table:
    """Return the first column and those at these places."""
    if len(places) == len(table.columns) - 1:
        return table
    chosen = [0, *places]
    moved = {place: at for at, place in enumerate(chosen)}
    return replace(
        table,
        columns=[table.columns[place] for place in chosen],
        rows=[[row[place] for place in chosen] for row in table.rows],
        beside={(row, moved[place]): text for (row, place), text in table.beside.items() if place in moved},
        best=frozenset((row, moved[place]) for row, place in table.best if place in moved),
        marks={(row, moved[place]): text for (row, place), text in table.marks.items() if place in moved},
        second=frozenset((row, moved[place]) for row, place in table.second if place in moved),
    )


def _width(table: Table) -> float:
    return sum(_widths(table))


def _widths(table: Table) -> list[float]:
    """Return how wide the columns are at least, in ems, if no word and no number is broken."""
    columns = zip(table.headings, table.is_number, zip(*table.cells, strict=True), strict=True)
    widths = (
        [_column_width(*each) for each in columns] if table.rows else [_BOLD * len(name) for name in table.headings]
    )
    for (_, place), text in table.beside.items():
        widths[place] = max(widths[place], _SMALL * len(text))
    return [width + _AROUND for width in widths]


def _column_width(head: str, is_number: bool, cells: tuple[str, ...]) -> float:
    longest = max(map(len, cells))
    words = longest if is_number else max(map(_longest_word, cells))
    text = 0 if is_number else min(longest, _TEXT)
    return max(_BOLD * _longest_word(head), _LETTER * max(words, text))


def _longest_word(text: str) -> int:
    """Return the letters of the longest part of a text that stays on one line."""
    return min(_WORD, max(map(len, _PARTS.findall(text)), default=0))

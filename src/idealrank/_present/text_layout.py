"""Tables as lines of text: which columns fit into a width, and what happens to the others.

Numbers are never shortened. If a table is too wide, its columns with the largest `Column.priority` are left out, text
is wrapped at words, and columns that still do not fit continue below, next to the first column, where possible with
their neighbors of the same `Column.group`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from idealrank._present.printable import display_width, wrapped

if TYPE_CHECKING:
    from idealrank._present.table import Table

_GAP = "  "
#: The smallest widths of wrapped text: before columns of low priority are left out, and after.
_TEXT, _NARROW = 24, 12
#: The smallest width of text that is repeated next to every column.
_LEAST = 5
#: The smallest width of a wrapped heading above numbers.
_HEADING = 12
#: The width of marks, with the blank before them, that a heading may take no room from.
_MARK = 6


@dataclass(frozen=True)
class Layout:
    """A table as text.

    Parameters
    ----------
    lines : list of str
        The lines.
    left_out : list of str
        The names of the columns that are left out.
    """

    lines: list[str]
    left_out: list[str]


@dataclass(frozen=True)
class _Column:
    """A column of text: its cells, the first of which is the heading."""

    name: str
    cells: Sequence[str]
    marks: Sequence[str]
    is_number: bool
    priority: int
    group: str

    @property
    def natural(self) -> int:
        """The width without wrapping."""
        if self.is_number:
            return max(display_width(self.cells[0]), self._number) + self._mark
        return max(display_width(f"{cell} {mark}".rstrip()) for cell, mark in zip(self.cells, self.marks, strict=True))

    def least(self, text: int) -> int:
        """Return the smallest width, if text may be wrapped into ``text`` columns."""
        if not self.is_number:
            return min(self.natural, text)
        return max(self._number + min(self._mark, text), min(self.natural, _HEADING))

    @property
    def _number(self) -> int:
        """The width of the numbers."""
        return max(map(display_width, self.cells[1:]), default=0)

    @property
    def _mark(self) -> int:
        """The width of the marks and the space before them."""
        return max((1 + display_width(mark) for mark in self.marks if mark), default=0)

    def lines(self, width: int, style: Callable[[str], str] | None, best: frozenset[int]) -> Iterator[list[str]]:
        """Yield the lines of each cell."""
        heading = display_width(self.cells[0])
        space = width - max(self._number, min(width - min(self._mark, _MARK), heading)) if self._mark else 0
        for row, (cell, mark) in enumerate(zip(self.cells, self.marks, strict=True)):
            is_styled = style is not None and (row == 0 or row - 1 in best)
            if not self.is_number:
                lines = [_padded(line, width) for line in _broken(f"{cell} {mark}".rstrip(), width)]
            elif row == 0 and display_width(cell) > width - space:
                lines = [_padded(line, width, right=True) for line in _broken(cell, width)]
            else:
                yield [
                    _styled(_padded(number, width - space, right=True), style if is_styled else None)
                    + _padded(f" {part}" if part else "", space)
                    for number, part in zip_longest([cell], _broken(mark, max(1, space - 1)), fillvalue="")
                ]
                continue
            yield [_styled(line, style if is_styled else None) for line in lines]


def layout(
    table: Table, width: int | None = None, style: Callable[[str], str] | None = None, without: Collection[str] = ()
) -> Layout:
    """Lay out a table as text.

    Parameters
    ----------
    table : Table
        The table.
    width : int, optional
        The number of columns of the screen; by default, it is as wide as the table.
    style : callable, optional
        Makes text bold. If given, headings and the best values are bold, and a rule follows the headings.
    without : collection of str
        The names of columns with a priority above 0 to leave out even if they fit, because a table next to this one has
        no room for them.

    Returns
    -------
    Layout
        The lines, and the names of the columns that did not fit.

    Examples
    --------
    >>> from idealrank._present.table import Column, Table
    >>> table = Table([Column("system"), Column("mean", ".2f"), Column("sd", ".2f", priority=1)], [["bm25", 0.5, 0.25]])
    >>> layout(table, 12)
    Layout(lines=['system  mean', 'bm25    0.50'], left_out=['sd'])
    """
    columns = _columns(table)
    if width is None:
        panels, widths = [list(range(len(columns)))], [column.natural for column in columns]
    else:
        panels, widths = _fitted(columns, width, without)
    shown = {place for panel in panels for place in panel}
    best = [frozenset(row for row, place in table.best if place == column) for column in range(len(columns))]
    lines: list[str] = []
    for panel in panels:
        lines += [""] if lines else []
        cells = zip(*(columns[place].lines(widths[place], style, best[place]) for place in panel), strict=True)
        for row, parts in enumerate(cells):
            blanks = [" " * widths[place] for place in panel]
            for line in zip_longest(*parts):
                filled = (blank if part is None else part for part, blank in zip(line, blanks, strict=True))
                lines.append(_GAP.join(filled).rstrip())
            if row == 0 and style is not None:
                lines.append("─" * (sum(widths[place] for place in panel) + len(_GAP) * (len(panel) - 1)))
    return Layout(lines, [column.name for place, column in enumerate(columns) if place not in shown])


def _columns(table: Table) -> list[_Column]:
    rows = [table.headings, *table.cells]
    numbers = table.is_number
    return [
        _Column(
            rows[0][place],
            [row[place] for row in rows],
            ["", *(table.marks.get((row, place), "") for row in range(len(table.rows)))],
            numbers[place],
            min(column.priority, 0) if place == 0 else column.priority,
            column.group,
        )
        for place, column in enumerate(table.columns)
    ]


def _fitted(columns: Sequence[_Column], width: int, without: Collection[str] = ()) -> tuple[list[list[int]], list[int]]:
    """Return the columns of each panel, one below the other, and the width of every column."""
    kept = [place for place, column in enumerate(columns) if column.priority <= 0 or column.name not in without]
    least = [column.least(_TEXT) for column in columns]
    while _total(kept, least) > width and (last := max(columns[place].priority for place in kept)) > 0:
        kept = [place for place in kept if columns[place].priority < last]
    for text in range(_TEXT - 1, _NARROW - 1, -1):
        if _total(kept, least) > width:
            least = [column.least(text) for column in columns]
    keys = [place for place in kept if place == 0 or columns[place].priority < 0]
    least = _within(columns, keys, least, width)
    panels = _panels(columns, keys, [place for place in kept if place not in keys], least, width)
    widths = list(least)
    spare = min(width - _total(panel, least) for panel in panels)
    for place in sorted(kept, key=lambda place: columns[place].natural - least[place]):
        # What the keys take, every panel gives; a column of one panel takes from that panel only.
        own = spare if place in keys else min(width - _total(panel, widths) for panel in panels if place in panel)
        more = max(0, min(columns[place].natural - widths[place], own))
        widths[place] += more
        spare = min(width - _total(panel, widths) for panel in panels)
    return panels, widths


def _panels(
    columns: Sequence[_Column], keys: Sequence[int], others: Sequence[int], widths: Sequence[int], width: int
) -> list[list[int]]:
    """Return the columns of each panel: the keys, and as many others as fit; a group is divided only if it must be."""
    panels = [list(keys)]
    for _, group in groupby(others, lambda place: columns[place].group or place):
        together = list(group)
        is_one = _total([*keys, *together], widths) <= width
        for places in [together] if is_one else [[place] for place in together]:
            if _total([*panels[-1], *places], widths) > width and len(panels[-1]) > len(keys):
                panels.append(list(keys))
            panels[-1] += places
    return panels


def _within(columns: Sequence[_Column], keys: Sequence[int], least: list[int], width: int) -> list[int]:
    """Return the widths with text cut further where a single column does not fit next to the keys."""
    widths = list(least)
    numbers = [place for place, column in enumerate(columns) if column.is_number and place not in keys]
    widest = max((widths[place] for place in numbers), default=0)
    texts = [place for place in keys if not columns[place].is_number]
    while texts and _total(keys, widths) + len(_GAP) + widest > width:
        longest = max(texts, key=widths.__getitem__)
        if widths[longest] <= _LEAST:
            break
        widths[longest] -= 1
    taken = _total(keys, widths) + len(_GAP)
    for place, column in enumerate(columns):
        if place not in keys and not column.is_number:
            widths[place] = max(1, min(widths[place], width - taken))
    return widths


def _total(places: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[place] for place in places) + len(_GAP) * (len(places) - 1)


def _broken(text: str, width: int) -> list[str]:
    """Return the text in lines, broken between the items of a list if they fit, else between words."""
    if display_width(text) <= width:
        return [text]
    items = text.split(", ")
    if max(map(display_width, items)) < width:
        text = ", ".join(item.replace(" ", "\0") for item in items)
    return [line.replace("\0", " ") for line in wrapped(text, width)]


def _padded(text: str, width: int, *, right: bool = False) -> str:
    blank = " " * (width - display_width(text))
    return blank + text if right else text + blank


def _styled(line: str, style: Callable[[str], str] | None) -> str:
    """Return the line with its text, but not the blanks around it, in the style."""
    text = line.strip()
    if not text or style is None:
        return line
    start = line.index(text)
    return line[:start] + style(text) + line[start + len(text) :]

"""A page as text: findings, the tables of its summary, and how the numbers were computed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from idealrank._present.page import Page, Section
from idealrank._present.printable import counted, display_width, printable, wrapped
from idealrank._present.table import Table
from idealrank._present.text_layout import layout

Style = Callable[[str], str]

#: Longer lines of explanations are hard to read.
_READABLE = 100
#: Most names of columns in the line about those that do not fit.
_N_NAMES = 9


def page_text(
    page: Page,
    *,
    width: int | None = None,
    digits: int = 4,
    everything: bool = False,
    reading: bool = True,
    reasons: bool = False,
    style: Style | None = None,
) -> str:
    """Return what ``print`` shows of a page.

    Parameters
    ----------
    page : Page
        The page.
    width : int, optional
        The largest width in characters; None means no limit.
    digits : int
        The number of digits after the decimal point of values.
    everything : bool
        Whether tables have all of their rows, and every option of the measures is shown.
    reading : bool
        Whether to say what the columns of the main table mean in its first row.
    reasons : bool
        Whether to give the theorem or formula behind each result, every option of the measures, and the meaning of the
        columns that do not fit.
    style : callable, optional
        Makes text bold, for terminals.

    Returns
    -------
    str
        Lines of text, each with its line end.
    """
    # Tables with no rows are those that only the whole text has.
    few = [each for each in page.summary if each.most_rows != 0]
    sections = [replace(each, most_rows=None) for each in page.summary] if everything else few
    hidden = {} if reasons else _hidden(sections, width, digits)
    meanings = {term: text for term, text in page.reading.items() if not {*term.split(", ")} <= {*hidden}}
    blocks = [
        _lines(page.findings, width),
        *_section_blocks(sections, width, digits, style),
        _lines(page.remarks, width),
        _lines(page.options, width) if everything or reasons else [],
        [*_reading("How to read the first row:", meanings, width)] if reading and meanings else [],
        [*_reasons(page.reasons, width)] if reasons and page.reasons else [],
    ]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks if block)


def section_text(section: Section, *, width: int | None = None, style: Style | None = None) -> list[str]:
    """Return the lines of a section that stands alone, such as a note on the data."""
    return [line for block in _section_blocks([section], width, 4, style) for line in block]


def _section_blocks(
    sections: Sequence[Section], width: int | None, digits: int, style: Style | None
) -> Iterator[list[str]]:
    """Yield the lines of each table with its title and notes, and of the notes of each section.

    A column that one of the tables has no room for is left out of all of them, so that they look alike.
    """
    hidden = _hidden(sections, width, digits)
    n_left = sum(len(section.tables) for section in sections)
    for section in sections:
        title = _lines([section.title] if section.title else [], width)
        for table in section.tables.values():
            n_left -= 1
            block = _table(table.with_digits(digits), section.most_rows, width, style, hidden)
            yield [*title, *block, *(_left_out(list(hidden), width) if hidden and not n_left else [])]
            title = []
        if section.notes:
            yield [*title, *_lines(section.notes, width)]
        if section.definitions:
            yield [*title, *_lines(_meanings(section.definitions, hidden), width)]


def _hidden(sections: Sequence[Section], width: int | None, digits: int) -> dict[str, None]:
    """Return the names of the columns for which one of the tables has no room."""
    heads = [table.head(each.most_rows or len(table.rows)) for each in sections for table in each.tables.values()]
    return dict.fromkeys(name for head in heads for name in layout(head.with_digits(digits), width).left_out)


def _meanings(definitions: Mapping[str, object], hidden: Collection[str]) -> list[str]:
    """Return what the columns that are not hidden mean, in one sentence; a term names one of them, or several."""
    shown = [(term, meaning) for term, meaning in definitions.items() if not {*term.split(", ")} <= {*hidden}]
    return ["; ".join(f"{term}: {meaning}" for term, meaning in shown) + "."] if shown else []


def _table(
    table: Table, most_rows: int | None, width: int | None, style: Style | None, without: Collection[str]
) -> Iterator[str]:
    head = table if most_rows is None else table.head(most_rows)
    yield from layout(head, width, style, without).lines
    hidden = len(table.rows) - len(head.rows)
    if hidden:
        yield from _lines([f"{counted(hidden, 'more row')}; CSV output has all"], width)
    yield from _lines(table.notes, width)


def _left_out(hidden: Sequence[str], width: int | None) -> list[str]:
    names = hidden if len(hidden) <= _N_NAMES else [*hidden[:_N_NAMES], f"{len(hidden) - _N_NAMES} more"]
    return _lines([f"Not shown in {width} columns: {', '.join(names)}. CSV output has all columns."], width)


def _lines(lines: Sequence[str], width: int | None) -> list[str]:
    """Return lines of text, broken between words if they are too long."""
    if width is None:
        return list(lines)
    return [
        part
        for line in map(printable, lines)
        for part in wrapped(line, width, " " * (2 + len(line) - len(line.lstrip())))
    ]


def _reading(title: str, columns: Mapping[str, str], width: int | None) -> Iterator[str]:
    """Yield a title, and for each column its name and what it says, beside it or below it."""
    readable = min(width or 80, _READABLE)
    indent = " " * min(max(map(display_width, columns)) + 4, readable // 3)
    yield title
    for name, text in columns.items():
        first = f"  {name}" + indent[2 + display_width(name) :]
        if display_width(first) > len(indent):
            yield first
            first = indent
        yield from wrapped(first + text, readable, indent)


def _reasons(reasons: Mapping[str, Sequence[str]], width: int | None) -> Iterator[str]:
    """Yield each subject, and the sentences that explain it."""
    yield "Why:"
    for subject, sentences in reasons.items():
        yield from _lines([f"  {subject}"], width)
        for sentence in sentences:
            yield from wrapped(f"    {sentence}", min(width or 80, _READABLE), "    ")

"""Tables on standard output; on a terminal, they are never wider than it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence

import click

from idealrank._present.json_values import json_text
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value, render, stacked
from idealrank._present.text_layout import layout
from idealrank.cli.support.terminal import bold, echo, is_rich, say, screen_width

__all__ = [
    "Column",
    "Table",
    "Value",
    "render",
    "show",
    "show_findings",
    "show_remarks",
    "show_result",
    "show_text",
    "show_titled",
    "show_together",
    "show_with_remarks",
    "stacked",
]

#: Formats that cannot hold remarks, which go to standard error.
_WITHOUT_REMARKS = ("csv", "json")
#: Most sentences above a table, and most names of columns in the line below it.
_N_FINDINGS, _N_NAMES = 5, 9


def show(table: Table, output_format: str = "text", *, digits: int = 4, n_rows: int | None = None) -> None:
    """Print the table to standard output; on a terminal, as much of it as fits, with the best values in bold.

    As text, it has at most ``n_rows`` rows, and a line says how to see the others.
    """
    table = table.with_digits(digits)
    if output_format == "text":
        _show_left_out(show_text(table, n_rows=n_rows, more="; --format csv has them"))
    else:
        echo(render(table, output_format), nl=False)


def show_together(tables: Sequence[tuple[Table, int | None]], more: str = "") -> None:
    """Print tables as text, each after an empty line and with at most so many rows, and a line on hidden columns.

    A column that one of the tables has no room for is left out of all of them, so that they look alike, and so that no
    column is both shown and said to be hidden.
    """
    width = screen_width(sys.stdout)
    heads = [table if n_rows is None else table.head(n_rows) for table, n_rows in tables]
    hidden = list(dict.fromkeys(name for head in heads for name in layout(head, width).left_out))
    for table, n_rows in tables:
        echo()
        show_text(table, n_rows=n_rows, more=more, without=hidden)
    _show_left_out(hidden)


def show_text(
    table: Table,
    *,
    more: str = "",
    n_rows: int | None = None,
    err: bool = False,
    indent: str = "",
    without: Collection[str] = (),
) -> list[str]:
    """Print the table as text, and below it how many rows are not shown, and what its marks mean.

    Parameters
    ----------
    table : Table
        The table.
    more : str
        How to see the rows that are not shown.
    n_rows : int, optional
        The largest number of rows to show.
    err : bool
        Whether to print to standard error.
    indent : str
        What every line begins with.
    without : collection of str
        The names of columns to leave out even if they fit.

    Returns
    -------
    list of str
        The columns that are left out.
    """
    stream = sys.stderr if err else sys.stdout
    screen = screen_width(stream)
    shown = table if n_rows is None else table.head(n_rows)
    width, style = None if screen is None else screen - len(indent), bold if is_rich(stream) else None
    found = layout(shown, width, style, without)
    for line in found.lines:  # cells are printable; what is left of control characters is the style
        click.echo(indent + line, err=err)
    hidden = len(table.rows) - len(shown.rows)
    if hidden:
        say(f"{indent}{hidden:,} more {'row' if hidden == 1 else 'rows'}{more}", err=err)
    for note in table.notes:
        say(indent + note, err=err)
    return found.left_out


def _show_left_out(hidden: Sequence[str]) -> None:
    """Print which columns the terminal has no room for, and how to see them."""
    what = ", ".join(hidden if len(hidden) <= _N_NAMES else [*hidden[:_N_NAMES], f"{len(hidden) - _N_NAMES} more"])
    if what:
        them = "it" if len(hidden) == 1 else "them"
        say(f"Not shown in {screen_width(sys.stdout)} columns: {what}. A wider window or --format csv shows {them}.")


def show_with_remarks(
    table: Table, remarks: Iterable[str], output_format: str, *, digits: int = 4, n_rows: int | None = None
) -> None:
    """Print the table and lines below it: as comments if the format has them, else to standard error."""
    show(table, output_format, digits=digits, n_rows=n_rows)
    echo(err=output_format in _WITHOUT_REMARKS)
    show_remarks(remarks, output_format)


def show_result(result: Result, output_format: str, *, n_rows: int | None = None) -> None:
    """Print what was found, the main table, and how it was computed; JSON is the whole result.

    With ``n_rows``, text has at most this many rows, and a few sentences above them.
    """
    if output_format == "json":
        echo(json_text(result.to_dict(), indent=2))
    elif output_format == "text":
        show_findings(result, most=None if n_rows is None else _N_FINDINGS)
        remarks = result.page().remarks
        table = result.table()
        if table.rows:
            show_with_remarks(table, remarks, output_format, n_rows=n_rows)
        else:
            show_remarks(remarks, output_format)
    else:
        show_with_remarks(result.table(), [*result.page().findings, *result.page().remarks], output_format)


def show_findings(result: Result, *, most: int | None = None) -> None:
    """Print the main findings, and an empty line; nothing if there are none."""
    findings = result.page().findings
    for finding in findings[:most]:
        say(finding)
    if most is not None and len(findings) > most:
        rest = len(findings) - most
        say(f"{rest:,} more {'finding' if rest == 1 else 'findings'}; --format markdown shows all")
    if findings:
        echo()


def show_titled(tables: Mapping[str, Table], remarks: Sequence[str], output_format: str) -> None:
    """Print tables with their titles, and lines below them; JSON is one object, {title: rows}."""
    if output_format == "json":
        import json

        rows = {title: json.loads(render(table, "json")) for title, table in tables.items()}
        echo(json_text(rows, indent=2))
    else:
        mark = {"latex": "% ", "markdown": "### "}.get(output_format, "")
        for place, (title, table) in enumerate(tables.items()):
            echo("\n" * (place > 0) + f"{mark}{title}" + "\n" * (output_format != "csv"))
            show(table, output_format)
    if remarks:
        echo(err=output_format in _WITHOUT_REMARKS)
        show_remarks(remarks, output_format)


def show_remarks(remarks: Iterable[str], output_format: str) -> None:
    """Print lines as comments if the format has them, else to standard error."""
    mark = {"latex": "% ", "markdown": "> "}.get(output_format)
    for place, line in enumerate(remarks):
        if mark is None:
            say(line, err=output_format in _WITHOUT_REMARKS)
        else:
            if place and output_format == "markdown":
                echo(">")  # lines of one quotation would be joined to one paragraph
            echo(f"{mark}{line}")  # a comment is one line, also on a narrow terminal

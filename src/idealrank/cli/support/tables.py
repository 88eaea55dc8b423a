"""Tables on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence

from idealrank._base.plain import json_text
from idealrank._base.results import Result
from idealrank._base.tables import Column, Table, Value, render, stacked
from idealrank.cli.support.terminal import echo, is_rich

__all__ = [
    "Column",
    "Table",
    "Value",
    "render",
    "show",
    "show_remarks",
    "show_result",
    "show_titled",
    "show_with_remarks",
    "stacked",
]

#: Formats that cannot hold remarks, which go to standard error.
_WITHOUT_REMARKS = ("csv", "json")


def show(table: Table, output_format: str = "text") -> None:
    """Print the table to standard output, with rich on a terminal."""
    if output_format == "text" and is_rich(sys.stdout):
        _show_rich(table)
    else:
        echo(render(table, output_format), nl=False)


def show_with_remarks(table: Table, remarks: Iterable[str], output_format: str) -> None:
    """Print the table and lines below it: as comments if the format has them, else to standard error."""
    show(table, output_format)
    echo(err=output_format in _WITHOUT_REMARKS)
    show_remarks(remarks, output_format)


def show_result(result: Result, output_format: str) -> None:
    """Print the main table of a result and its remarks; JSON is the whole result."""
    if output_format == "json":
        echo(json_text(result.to_dict(), indent=2))
    else:
        show_with_remarks(result.table(), result.remarks(), output_format)


def show_titled(tables: Mapping[str, Table], remarks: Sequence[str], output_format: str) -> None:
    """Print tables with their titles, and lines below them; JSON is one object, {title: rows}."""
    if output_format == "json":
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
    mark = {"latex": "% ", "markdown": "> "}.get(output_format, "")
    for line in remarks:
        echo(f"{mark}{line}", err=output_format in _WITHOUT_REMARKS)


def _show_rich(table: Table) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    for name, right in zip(table.headings(), table.is_number(), strict=True):
        shown.add_column(Text(name), justify="right" if right else "left")
    for cells in table.cells():
        shown.add_row(*map(Text, cells))
    Console().print(shown)

"""Tables on a terminal."""

from __future__ import annotations

import sys

import click

from idealrank._tables import Column, Table, Value, render
from idealrank.cli.terminal import is_rich

__all__ = ["Column", "Table", "Value", "render", "show"]


def show(table: Table, output_format: str = "text") -> None:
    """Print the table to standard output, with rich on a terminal."""
    if output_format == "text" and is_rich(sys.stdout):
        _show_rich(table)
    else:
        click.echo(render(table, output_format), nl=False)


def _show_rich(table: Table) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    for name, right in zip(table.header, table.is_number(), strict=True):
        shown.add_column(Text(name), justify="right" if right else "left")
    for cells in table.cells():
        shown.add_row(*map(Text, cells))
    Console().print(shown)

"""The rows as a table: drawn by rich on a terminal, Markdown elsewhere."""

import sys
from collections.abc import Sequence

from benchmarks.runner import Row, Summary

__all__ = ["markdown", "show"]

_HEADER = (
    "entry",
    "work",
    "ours",
    "peer",
    "its value",
    "ratio: median (min to max)",
    "target",
    "met",
    "cores busy with others",
)


def show(rows: Sequence[Row]) -> None:
    """Print the table on standard output."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(markdown(rows))
        return
    if not sys.stdout.isatty():
        print(markdown(rows))
        return
    table = Table(*_HEADER)
    for row in rows:
        style = {True: "green", False: "red", None: ""}[row.met]
        table.add_row(*_cells(row), style=style)
    Console().print(table)


def markdown(rows: Sequence[Row]) -> str:
    """The table as Markdown."""
    lines = [_HEADER, ("---",) * len(_HEADER), *map(_cells, rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(row: Row) -> tuple[str, ...]:
    ratio = row.status
    if row.ratio is not None:
        ratio = f"{row.direction} {row.ratio.median:.3g} ({row.ratio.min:.3g} to {row.ratio.max:.3g})"
    met = {True: "yes", False: "no", None: ""}[row.met]
    ours, theirs = _value(row, row.ours), _value(row, row.theirs)
    others = "" if row.others is None or row.theirs is None else f"{row.others:.1f}"
    return row.entry, row.work, ours, row.peer, theirs, ratio, row.target or "", met, others


def _value(row: Row, summary: Summary | None) -> str:
    """A median with its unit, and the rate that it makes.

    >>> row = Row("e", "w", "p", "measured", "s", 7, "peer/ours", amount=167.0, amount_unit="MB")
    >>> _value(row, Summary.of([0.25]))
    '250 ms, 668 MB/s'
    """
    if summary is None:
        return ""
    median = summary.median
    if row.unit == "B":
        return f"{median / 1e6:.1f} MB"
    shown = f"{median:.2f} s" if median >= 1 else f"{median * 1e3:.3g} ms"
    return shown if row.amount is None else f"{shown}, {row.amount / median:.3g} {row.amount_unit}/s"

"""What `idealrank.theory.distinguish` found, as a table and as a part of a report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from idealrank.cli.support.tables import Column, Table, or_none
from idealrank.report import Part
from idealrank.theory.distinguishing.distinctions import Distinction
from idealrank.theory.distinguishing.plots import plot_values, plot_wins

__all__ = ["part_of", "table_of"]


def part_of(found: Distinction) -> Part:
    """Its table, how often the better ranker is ahead, and both means as lists grow."""
    a, b = found.names
    won = "; ".join(f"{row.measure} {row.wins:.0%}" for row in found.table)
    pictures = [(partial(plot_wins, found), "Share of lists with the better one ahead, by their length", won)]
    for row in found.table:
        told = f"{a} ends at {row.mean_a:.4f}, {b} at {row.mean_b:.4f}"
        pictures.append((partial(plot_values, found, row.measure), f"Means of {row.measure}; dashed, the limits", told))
    return Part(f"{a} and {b}", table_of([found]), tuple(pictures))


def table_of(found: Sequence[Distinction]) -> Table:
    """A row a measure and pair of rankers."""
    names = ("measure", "a", "b")
    numbers = {"mean a": ".4f", "mean b": ".4f", "wins": ".1%", "separated": ".1%", "queries": ",", "documents": ","}
    more = {"changes": ".1f", "limit a": ".4f", "limit b": ".4f"}
    columns = [*map(Column, names), *(Column(*item) for item in {**numbers, **more}.items()), Column("theory")]
    rows = [
        [
            row.measure,
            *each.names,
            row.mean_a,
            row.mean_b,
            row.wins,
            or_none(row.separated),
            row.queries_needed,
            row.settled_at,
            row.sign_changes,
            or_none(row.limit_a),
            or_none(row.limit_b),
            row.verdict.how,
        ]
        for each in found
        for row in each.table
    ]
    return Table(columns, rows)

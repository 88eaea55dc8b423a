"""What ``idealrank compare`` prints."""

from __future__ import annotations

import click

from idealrank.cli.support.tables import show as show_table
from idealrank.cli.support.tables import show_remarks
from idealrank.cli.support.terminal import notes
from idealrank.evaluation.comparison import Comparison

__all__ = ["show"]


def show(found: Comparison, output_format: str, *, quiet: bool) -> None:
    """Print a table per measure, the queries that changed most, how the p-values were computed, and the conventions."""
    notes(sorted(map(str, found.problems)), quiet=quiet)
    if output_format == "json":
        click.echo(found.to_json())
        return
    changes = []
    if output_format in ("csv", "latex"):
        click.echo(found.to_csv() if output_format == "csv" else found.to_latex(), nl=False)
    else:
        for measure in found.values:
            names = [measure] if found.baseline is not None else [f"means of {measure}", measure]
            for name in names:
                show_table(found.table(name), output_format)
                click.echo()
            if output_format == "text":
                changes += [
                    f"{measure}, {system} - {found.baseline}, most on: {queries}"
                    for system, queries in found.largest_changes(measure).items()
                ]
    show_remarks([*changes, *found.remarks()], output_format)

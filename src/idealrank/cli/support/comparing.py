"""What ``idealrank compare`` prints."""

from __future__ import annotations

from collections.abc import Iterator

import click

from idealrank.cli.support.evaluating import convention_lines
from idealrank.cli.support.tables import show as show_table
from idealrank.cli.support.tables import show_remarks
from idealrank.cli.support.terminal import notes
from idealrank.evaluation.comparison import Comparison

__all__ = ["show"]


def show(found: Comparison, output_format: str, *, quiet: bool) -> None:
    """Print a table a measure, how the p-values came about, the queries that moved most, and the conventions."""
    notes(sorted(map(str, found.problems)), quiet=quiet)
    if output_format == "json":
        click.echo(found.to_json())
        return
    if output_format == "csv":
        click.echo(found.to_csv(), nl=False)
    elif output_format == "latex":
        click.echo(found.to_latex(), nl=False)
    else:
        for measure in found.values:
            if found.baseline is None:
                show_table(found.table_of_means(measure), output_format)
                click.echo()
            show_table(found.table(measure), output_format)
            click.echo()
    remarks = [*(_moved(found) if output_format == "text" else ()), _how(found)]
    show_remarks([*remarks, *convention_lines(next(iter(found.evaluations.values())))], output_format)


def _moved(found: Comparison) -> Iterator[str]:
    """The queries that differ most, of comparisons with a baseline."""
    for measure, differences in found.differences.items():
        for each in differences if found.baseline is not None else ():
            if each.moved:
                most = ", ".join(f"{query} {change:+.4f}" for query, change in each.moved)
                yield f"{measure}, {each.system} - {each.against}, most on: {most}"


def _how(found: Comparison) -> str:
    corrected = "" if found.test == "tukey" else f", p-values corrected by {found.correction}"
    return (
        f"{found.n_queries:,} queries; {found.test} test{corrected}; "
        f"intervals of {1 - found.level:.0%} by the bootstrap; seed {found.seed}"
    )

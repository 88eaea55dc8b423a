"""Notes on standard error, and whether a stream is a terminal with colors."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any

import click

from idealrank.cli.support.failures import one_line

if TYPE_CHECKING:
    from idealrank.evaluation.results import Evaluations

__all__ = ["is_rich", "note", "notes", "quality"]


def is_rich(stream: IO[Any] | None) -> bool:
    """Return whether to use rich: the stream is a terminal, NO_COLOR is not set and TERM is not "dumb"."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in {"dumb", "unknown"}
    return stream is not None and stream.isatty() and not plain


def note(message: str, *, quiet: bool) -> None:
    """Print one line to standard error, unless quiet."""
    if not quiet:
        click.echo(f"idealrank: {one_line(message)}", err=True)


def notes(messages: Iterable[object], *, quiet: bool) -> None:
    """Print notes about the data, such as its ``problems``."""
    for message in messages:
        note(f"note: {message}", quiet=quiet)


def quality(evaluations: Evaluations, *, quiet: bool) -> None:
    """Print what the user should know about the data of the systems: one table, and a line for each other thing."""
    if quiet:
        return

    from idealrank._base.tables import render
    from idealrank.evaluation.quality import quality_notes

    table, lines = quality_notes(evaluations)
    if table is not None:
        note("note: ties, unjudged documents and missing queries by system:", quiet=quiet)
        for line in render(table, "text").splitlines():
            click.echo(f"  {line}", err=True)
    notes(lines, quiet=quiet)

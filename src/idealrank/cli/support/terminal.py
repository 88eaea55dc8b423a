"""What standard output and standard error are: a terminal that shows colours, or a file, a pipe, a plain one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, Any

import click

from idealrank.cli.support.failures import one_line

__all__ = ["is_rich", "note", "notes"]


def is_rich(stream: IO[Any] | None) -> bool:
    """Whether to write to the stream with rich: a terminal, unless NO_COLOR is set or TERM says it is a dumb one."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in {"dumb", "unknown"}
    return stream is not None and stream.isatty() and not plain


def note(message: str, *, quiet: bool) -> None:
    """Say one line beside the output, on standard error; nothing if quiet."""
    if not quiet:
        click.echo(f"idealrank: {one_line(message)}", err=True)


def notes(messages: Iterable[object], *, quiet: bool) -> None:
    """Say what the owner of the data will want to know, such as its ``problems``."""
    for message in messages:
        note(f"note: {message}", quiet=quiet)

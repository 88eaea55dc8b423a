"""The report that commands write beside what they print."""

from __future__ import annotations

import shlex

import click

from idealrank.cli.help import arguments
from idealrank.cli.terminal import note
from idealrank.evaluation import Evaluations
from idealrank.report import html
from idealrank.report.results import Result

__all__ = ["write"]


def write(result: Result, path: str, *, curves: Evaluations | None = None, quiet: bool) -> None:
    """Write the page of the result, with the command that the user gave, and say so."""
    html(result, path, curves=curves, command=shlex.join(arguments(click.get_current_context())))
    note(f"the report is in {path}", quiet=quiet)

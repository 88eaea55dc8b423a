"""The report that commands write beside what they print."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from idealrank.cli.support.help import arguments
from idealrank.cli.support.terminal import note
from idealrank.evaluation.evaluator import Evaluations
from idealrank.report import Part, html, html_of_tables
from idealrank.report.results import Result

__all__ = ["write", "write_tables"]


def write(
    result: Result, path: str, *, curves: Evaluations | None = None, parts: Sequence[Part] = (), quiet: bool
) -> None:
    """Write the page of the result, with the command that the user gave, and say so."""
    html(result, path, curves=curves, parts=parts, command=_command())
    note(f"the report is in {path}", quiet=quiet)


def write_tables(title: str, verdicts: Sequence[str], parts: Sequence[Part], path: str, *, quiet: bool) -> None:
    """The same for tables with pictures."""
    html_of_tables(title, verdicts, parts, path, command=_command())
    note(f"the report is in {path}", quiet=quiet)


def _command() -> str:
    return shlex.join(arguments(click.get_current_context()))

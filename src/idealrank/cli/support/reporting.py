"""The report that commands write beside what they print."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from idealrank._base.results import Result
from idealrank._base.sections import Section
from idealrank.cli.support.help import arguments
from idealrank.cli.support.terminal import note
from idealrank.report import html, html_of_sections

__all__ = ["write", "write_sections"]


def write(
    result: Result,
    path: str,
    *,
    title: str | None = None,
    curves: Result | None = None,
    parts: Sequence[Section] = (),
    quiet: bool,
) -> None:
    """Write the page of the result, with the command that the user gave, and say so."""
    html(result, path, title=title, curves=curves, parts=parts, command=_command())
    note(f"the report is in {path}", quiet=quiet)


def write_sections(title: str, findings: Sequence[str], sections: Sequence[Section], path: str, *, quiet: bool) -> None:
    """Write a page of sections that belong to no result."""
    html_of_sections(title, findings, sections, path, command=_command())
    note(f"the report is in {path}", quiet=quiet)


def _command() -> str:
    return shlex.join(arguments(click.get_current_context()))

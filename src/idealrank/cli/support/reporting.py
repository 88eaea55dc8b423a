"""The report that commands write in addition to what they print."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import click

from idealrank._present.page import Section
from idealrank._present.result import Result
from idealrank.cli.support.help import arguments
from idealrank.cli.support.status_line import writing
from idealrank.cli.support.terminal import note
from idealrank.report import Rankings, html

__all__ = ["write", "write_sections"]


@dataclass(frozen=True)
class _Page(Result):
    """Sections that belong to no result."""

    heading: str
    said: Sequence[str]
    content: Sequence[Section]

    def title(self) -> str:
        return self.heading

    def findings(self) -> list[str]:
        return list(self.said)

    def sections(self) -> list[Section]:
        return list(self.content)


def write(
    result: Result,
    path: str,
    *,
    title: str | None = None,
    curves: Result | None = None,
    lists: Rankings | None = None,
    parts: Sequence[Section] = (),
    quiet: bool,
) -> None:
    """Write the page of the result, with the command that the user gave, and print a note."""
    command = shlex.join(arguments(click.get_current_context()))
    with writing(path, shown=not quiet):
        html(result, path, title=title, curves=curves, lists=lists, parts=parts, command=command)
    note(f"the report is in {path}", quiet=quiet)


def write_sections(title: str, findings: Sequence[str], sections: Sequence[Section], path: str, *, quiet: bool) -> None:
    """Write a page of sections that belong to no result."""
    write(_Page(title, findings, sections), path, quiet=quiet)

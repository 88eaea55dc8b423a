"""Show the result of a command: as ``print`` shows it, in the format that was asked for, and as a report."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from idealrank._present.json_values import json_text
from idealrank._present.page import Section
from idealrank._present.page_text import page_text, section_text
from idealrank._present.result import Result, annotated
from idealrank.cli.support.command import arguments
from idealrank.cli.support.terminal import bold, echo, is_rich, note, notes, screen_width, writing
from idealrank.io.files import atomic_output

#: Most notes about the data.
_N_NOTES = 10


def show(
    result: Result,
    output_format: str,
    *,
    quiet: bool = False,
    html_path: str | None = None,
    tables: Sequence[str] = (),
    digits: int = 4,
    everything: bool = False,
    reasons: bool = False,
    underline_second: bool = False,
    also: Mapping[str, Any] | None = None,
) -> None:
    """Print the result, then what the user should know about the data, and write the report if there is a path.

    Parameters
    ----------
    result : Result
        The result.
    output_format : {"text", "json", "csv", "markdown", "latex"}
        The format.
    quiet : bool
        Whether to leave out notes, and the explanation of the columns.
    html_path : str, optional
        The file of the report.
    tables : sequence of str
        The tables to print instead of those that the result chooses.
    digits, everything, reasons, underline_second
        As in `Result.to_text` and `Result.to_latex`.
    also : mapping, optional
        Content to add to JSON.
    """
    page = result.page()
    if output_format == "json":
        echo(result.to_json() if also is None else json_text({**result.to_dict(), **also}, indent=2))
    elif output_format == "csv":
        echo(result.to_csv(tables[-1] if tables else None), nl=False)
        for line in (*page.findings, *page.remarks, *page.options):
            note(line, quiet=quiet)
    elif output_format == "text":
        if tables:
            page = replace(page, summary=tuple(Section(tables={name: result.table(name)}) for name in tables))
        width, style = screen_width(sys.stdout), bold if is_rich(sys.stdout) else None
        text = page_text(
            page,
            width=width,
            digits=digits,
            everything=everything,
            reading=not quiet,
            reasons=reasons,
            style=style,
        )
        # On a terminal, the text is printable already, and what is left of control characters is the style.
        (echo if width is None else click.echo)(text, nl=False)
    else:
        latex = {"underline_second": underline_second} if output_format == "latex" else {}
        render = getattr(result, f"to_{output_format}")
        if tables:
            text = "\n".join(render(name, digits=digits, **latex) for name in tables)
            echo(annotated(text, page, output_format), nl=False)
        else:
            echo(render(digits=digits, **latex), nl=False)
    if not quiet:
        _show_quality(page.quality)
    if html_path is not None:
        write_report(result, html_path, quiet=quiet)


def _show_quality(section: Section) -> None:
    """Print what the user should know about the data to standard error: a table, and a line for each other thing."""
    if section.tables:
        note(f"note: {section.title}", quiet=False)
        width, style = screen_width(sys.stderr), bold if is_rich(sys.stderr) else None
        table = replace(section, title="", notes=())
        for line in section_text(table, width=None if width is None else width - 2, style=style):
            click.echo(f"  {line}", err=True)
    notes(section.notes, quiet=False, most=_N_NOTES)


def write_report(
    result: Result, path: str, *, title: str | None = None, parts: Sequence[Section] = (), quiet: bool
) -> None:
    """Write the page of the result, with the command that the user gave, and print a note."""
    from idealrank.report import html

    command = shlex.join(arguments(click.get_current_context()))
    with writing(path, shown=not quiet):
        html(result, path, title=title, parts=parts, command=command)
    note(f"the report is in {path}", quiet=quiet)


def save_picture(figure: Any, path: str) -> None:
    """Write a Matplotlib figure in the format given by the file extension."""
    with atomic_output(path) as file:
        figure.savefig(file, format=os.path.splitext(path)[1].lstrip(".").lower())

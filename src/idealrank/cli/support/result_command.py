"""Commands that show a result, and the options that say how."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click

from idealrank.cli.support.command import Command, arguments
from idealrank.cli.support.shared_options import format_option, html_option
from idealrank.cli.support.terminal import bold, echo, is_rich, note, notes, screen_width, working, writing

if TYPE_CHECKING:
    from idealrank._present.page import Section
    from idealrank._present.result import Result

#: Most notes about the data.
_N_NOTES = 10


@dataclass(frozen=True)
class Display:
    """How a command shows what it does and its result: the values of ``--format``, ``--html`` and ``--quiet``."""

    output_format: str = "text"
    html_path: str | None = None
    quiet: bool = False

    def working(self, label: str) -> AbstractContextManager[Callable[[str], None]]:
        """Say what is being done, on a terminal; what replaces the label is the value of the context."""
        return working(label, quiet=self.quiet)

    def show(
        self,
        result: Result,
        *,
        tables: Sequence[str] = (),
        digits: int = 4,
        everything: bool = False,
        reasons: bool = False,
        underline_second: bool = False,
    ) -> None:
        """Print the result, then what the user should know about the data, and write the report if there is a path.

        Parameters
        ----------
        result : Result
            The result.
        tables : sequence of str
            The tables to print instead of those that the result chooses.
        digits, everything, reasons, underline_second
            As in `Result.to_text` and `Result.to_latex`.
        """
        from idealrank._present.page import Section
        from idealrank._present.page_text import page_text
        from idealrank._present.result import annotated

        page = result.page()
        if self.output_format == "json":
            echo(result.to_json())
        elif self.output_format == "csv":
            echo(result.to_csv(tables[-1] if tables else None), nl=False)
            for line in (*page.findings, *page.remarks, *page.options):
                note(line, quiet=self.quiet)
        elif self.output_format == "text":
            if tables:
                page = replace(page, summary=tuple(Section(tables={name: result.table(name)}) for name in tables))
            width, style = screen_width(sys.stdout), bold if is_rich(sys.stdout) else None
            how: dict[str, Any] = {"digits": digits, "everything": everything, "reasons": reasons}
            text = page_text(page, width=width, style=style, reading=not self.quiet, **how)
            # On a terminal, the text is printable already, and what is left of control characters is the style.
            (echo if width is None else click.echo)(text, nl=False)
        else:
            latex = {"underline_second": underline_second} if self.output_format == "latex" else {}
            render = getattr(result, f"to_{self.output_format}")
            if tables:
                text = "\n".join(render(name, digits=digits, **latex) for name in tables)
                echo(annotated(text, page, self.output_format), nl=False)
            else:
                echo(render(digits=digits, **latex), nl=False)
        if not self.quiet:
            _show_quality(page.quality)
        if self.html_path is not None:
            self.write_report(result, self.html_path)

    def write_report(self, result: Result, path: str, *, parts: Sequence[Section] = ()) -> None:
        """Write the page of the result, with the command that the user gave, and print a note."""
        from idealrank.report import html

        command = shlex.join(arguments(click.get_current_context()))
        with writing(path, shown=not self.quiet):
            html(result, path, parts=parts, command=command)
        note(f"the report is in {path}", quiet=self.quiet)


def _show_quality(section: Section) -> None:
    """Print what the user should know about the data to standard error: a table, and a line for each other thing."""
    if section.tables:
        from idealrank._present.page_text import section_text

        note(f"note: {section.title}", quiet=False)
        width, style = screen_width(sys.stderr), bold if is_rich(sys.stderr) else None
        table = replace(section, title="", notes=())
        for line in section_text(table, width=None if width is None else width - 2, style=style):
            click.echo(f"  {line}", err=True)
    notes(section.notes, quiet=False, most=_N_NOTES)


def save_picture(figure: Any, path: str) -> None:
    """Write a Matplotlib figure in the format given by the file extension."""
    from idealrank.io.files import atomic_output

    with atomic_output(path) as file:
        figure.savefig(file, format=os.path.splitext(path)[1].lstrip(".").lower())


@click.command()
@format_option
@html_option
def _display() -> None:
    """Only the parameters of this command are used."""


class ResultCommand(Command):
    """A command that shows a result: its function receives a `Display` and the values of the command's own options.

    Parameters
    ----------
    params : sequence of click.Parameter
        The command's own parameters.
    first, last : sequence of click.Parameter
        Parameters before and after these that are shared with other commands.
    without : sequence of str
        Names of shared parameters that the command does not have.
    """

    #: The class of the values of all shared parameters, and the argument of the function that receives them.
    shared: tuple[type[Display], str] = (Display, "display")

    def __init__(
        self,
        *,
        params: Sequence[click.Parameter] = (),
        first: Sequence[click.Parameter] = (),
        last: Sequence[click.Parameter] = (),
        without: Sequence[str] = (),
        **attributes: Any,
    ) -> None:
        self._own = {each.name for each in params}
        end = [copy(each) for each in (*last, *_display.params) if each.name not in without]
        super().__init__(params=[*(each for each in first if each.name not in without), *params, *end], **attributes)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        kind, argument = self.shared
        names = [each.name for each in fields(kind) if each.name in ctx.params and each.name not in self._own]
        ctx.params[argument] = kind(**{name: ctx.params.pop(name) for name in names})
        return super().invoke(ctx)

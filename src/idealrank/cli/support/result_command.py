"""Commands that show a result, and the options that say how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from idealrank.cli.support.command import Command
from idealrank.cli.support.shared_options import format_option, html_option

if TYPE_CHECKING:
    from idealrank._present.result import Result


@dataclass(frozen=True)
class Display:
    """How a command shows what it does and its result: the values of ``--format``, ``--html`` and ``--quiet``."""

    output_format: str = "text"
    html_path: str | None = None
    quiet: bool = False

    def working(self, label: str) -> AbstractContextManager[Callable[[str], None]]:
        """Say what is being done, on a terminal; what replaces the label is the value of the context."""
        from idealrank.cli.support.terminal import working

        return working(label, quiet=self.quiet)

    def show(self, result: Result, **options: Any) -> None:
        """Print the result and write its report; ``options`` are those of `idealrank.cli.support.showing.show`."""
        from idealrank.cli.support.showing import show

        show(result, self.output_format, quiet=self.quiet, html_path=self.html_path, **options)


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

"""What all commands that evaluate systems take: judged documents, systems, and options for input and output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import kind_of_judged
from idealrank.cli.support.options import (
    data_options,
    debug_option,
    format_option,
    html_option,
    like_option,
    measures_option,
    missing_option,
    quiet_option,
    unjudged_option,
)

if TYPE_CHECKING:
    from idealrank._base.results import Result
    from idealrank._typing import Floats
    from idealrank.data.judgments import Qrels, Run
    from idealrank.data.ranking import RankingData
    from idealrank.io.formats import Format
    from idealrank.measures.conventions import Convention

__all__ = ["Request", "SystemsCommand"]


@dataclass(frozen=True)
class Request:
    """The values of the shared arguments and options."""

    data: str
    systems: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    like: str | None = None
    unjudged: str | None = None
    missing: str | None = None
    from_kind: str | None = None
    group: str | None = None
    output_format: str = "text"
    html_path: str | None = None
    quiet: bool = False

    def kind(self, least: int = 1) -> Format | None:
        """Return the format of the judged documents, None for JSON; fewer than ``least`` systems are a usage error."""
        return kind_of_judged(self.data, self.from_kind, self.systems, least)

    def read(self, least: int = 1) -> tuple[Qrels | RankingData, Iterator[tuple[str, Run | Floats]]]:
        """Return the judged documents, and the systems by name, each read when it is asked for."""
        kind = self.kind(least)

        from idealrank.cli.support.systems import read_systems

        return read_systems(self.data, kind, self.systems, group=self.group, quiet=self.quiet)

    def convention_of(self, judged: Qrels | RankingData, like: str | None = None) -> Convention:
        """Return the convention of ``--like`` (or ``like``) with the choices of ``--unjudged`` and ``--missing``."""
        from idealrank.evaluation.evaluator import convention_of

        rules = convention_of(judged, self.like if like is None else like)
        choices: dict[str, str | float] = {}
        if self.unjudged is not None:
            choices["unjudged"] = self.unjudged
        if self.missing is not None:
            choices["missing"] = 0.0 if self.missing == "0" else self.missing
        return rules.replace(**choices) if choices else rules

    def write_page(self, result: Result, curves: Result | None = None) -> None:
        """Write the report of the result if ``--html`` was given."""
        if self.html_path is not None:
            from idealrank.cli.support import reporting

            reporting.write(result, self.html_path, curves=curves, quiet=self.quiet)


@click.command()
@click.argument("data")
@click.argument("systems", nargs=-1)
@measures_option
@like_option
@unjudged_option
@missing_option
@data_options
@format_option
@html_option
@quiet_option
@debug_option
def _shared() -> None:
    """Only the parameters of this command are used."""


_FIRST = ("data", "systems", "measures", "like", "unjudged", "missing")


class SystemsCommand(Command):
    """A command that evaluates systems: its function receives a `Request` and the values of the command's own options.

    Parameters
    ----------
    params : list of click.Parameter
        The command's own parameters.
    without : tuple of str
        Names of shared parameters that the command does not have.
    """

    def __init__(
        self, *, params: list[click.Parameter] | None = None, without: tuple[str, ...] = (), **attributes: Any
    ) -> None:
        shared = [each for each in _shared.params if each.name not in without]
        first = [each for each in shared if each.name in _FIRST]
        last = [each for each in shared if each.name not in _FIRST]
        super().__init__(params=[*first, *(params or ()), *last], **attributes)
        self._request_names = {each.name for each in shared} & {each.name for each in fields(Request)}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Add the names that ``-m`` and ``--like`` take."""
        super().format_epilog(ctx, formatter)
        from idealrank.measures.vocabulary import CONVENTIONS, MEASURES

        for title, names in {"Measures (-m)": MEASURES, "Tools (--like)": CONVENTIONS}.items():
            with formatter.section(title):
                formatter.write_text(", ".join(names))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        given = {name: ctx.params.pop(name) for name in self._request_names}
        ctx.params["request"] = Request(**given)
        return super().invoke(ctx)

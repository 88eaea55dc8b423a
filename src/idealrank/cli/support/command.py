"""Commands that color their help, remember how they were called, and check the files that they will write."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import click

from idealrank._core.extras import require
from idealrank.cli.support.failures import Failure, debug_option
from idealrank.cli.support.shared_options import PICTURE, Output, quiet_option
from idealrank.cli.support.terminal import is_rich

#: Commands whose HTML pages have figures.
_WITH_FIGURES = ("demo", "distinguish", "explain", "leaderboard", "limits", "reproduce", "train")


def check_targets(ctx: click.Context) -> None:
    """Raise an error before any work if a file that the command shall write cannot be, or is one of its inputs."""
    for parameter in ctx.command.params:
        path = ctx.params.get(parameter.name or "")
        if isinstance(parameter.type, Output) and path is not None and path != "-":
            check_target(path)
            _require_packages(ctx, parameter, path)
            others = [word for name, value in ctx.params.items() if name != parameter.name for word in _words(value)]
            if any(_is_same(path, other) for other in others):
                raise Failure(f"{path}: is also another file of this command; give the output another name")


def check_target(path: str) -> None:
    """Raise an error if the file cannot be written."""
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        return  # a device or a pipe
    if os.path.isdir(path):
        raise Failure(f"{path}: is a folder; give the name of a file in it")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise Failure(f"{path}: there is no folder {os.path.dirname(path)!r}")
    if not os.access(folder, os.W_OK):
        raise Failure(f"{path}: no permission to write to the folder {folder!r}")


def _require_packages(ctx: click.Context, parameter: click.Parameter, path: str) -> None:
    """Raise an error if a package is missing that will write the file."""
    if parameter.type is PICTURE or (parameter.name == "html_path" and ctx.command.name in _WITH_FIGURES):
        require("matplotlib", for_=parameter.opts[0])
    if path.lower().endswith(".zst"):
        require("pyarrow", for_=path)


def _words(value: object) -> Iterator[str]:
    """Yield the text in the value of a parameter that may name a file; a system may be given as NAME=FILE."""
    if isinstance(value, str):
        yield value
        yield value.partition("=")[2]
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _words(each)


def _is_same(path: str, other: str) -> bool:
    """Return whether two names, through links or not, stand for the same regular file."""
    if not other or other == "-" or not (os.path.isfile(path) or not os.path.exists(path)):
        return False
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


_ARGUMENTS = "idealrank.arguments"

# Styles of headings, options, and the names at the left of a list.
_STYLES = {r"(?m)^[A-Z][\w ]*:": "bold", r"(?<![\w-])--?[A-Za-z][\w-]*": "cyan", r"(?m)^  [a-z_]+(?=  )": "bold cyan"}


class _Formatter(click.HelpFormatter):
    def getvalue(self) -> str:
        """Return the page, in color if the terminal supports it."""
        page = super().getvalue()
        return _colored(page) if is_rich(sys.stdout) else page


def _colored(page: str) -> str:
    from rich.console import Console
    from rich.text import Text

    text = Text(page)
    for pattern, style in _STYLES.items():
        text.highlight_regex(pattern, style)
    console = Console(force_terminal=True)
    with console.capture() as captured:
        console.print(text, soft_wrap=True, end="")
    return captured.get()


class Context(click.Context):
    """A click context with these help pages."""

    formatter_class = _Formatter


@click.command()
@quiet_option
@debug_option
def _everywhere() -> None:
    """Only the parameters of this command are used."""


class Command(click.Command):
    """A command with these help pages, ``--quiet`` and ``--debug``; `arguments` returns how it was called."""

    context_class = Context

    def __init__(self, *, params: Sequence[click.Parameter] = (), **attributes: Any) -> None:
        own = {each.name for each in params}
        common = [each for each in _everywhere.params if each.name not in own]
        super().__init__(params=[*params, *common], **attributes)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember the arguments before click parses them, and check the files that the command will write."""
        ctx.meta[_ARGUMENTS] = [*ctx.command_path.split(), *args]
        for option, value in pairwise(args):
            if value == "?" and (names := self.listed(option)):
                click.echo("\n".join(names))
                ctx.exit()
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:  # as for the completion of words in a shell
            check_targets(ctx)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those that name columns as one entry."""
        params = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        named = [each for each in params if each.metavar == "COLUMN"]
        rows = [each.get_help_record(ctx) for each in params if each not in named[1:]]
        if len(named) > 1:
            names = ", ".join(each.opts[0] for each in named)
            where = str(named[0].help).partition(" in ")[2]
            one = named[0].get_help_record(ctx)
            rows = [(f"{names} COLUMN", f"Names of columns in {where}") if row == one else row for row in rows]
        with formatter.section("Options"):
            formatter.write_dl([row for row in rows if row is not None])

    def listed(self, option: str) -> Iterable[str]:
        """Return the names that an option takes, which the command prints, and ends, if its value is '?'."""
        return ()


def arguments(ctx: click.Context) -> list[str]:
    """Return the words that the user gave, beginning with the name of the program."""
    return list(ctx.meta[_ARGUMENTS])

"""Commands with help pages that rich colors on a terminal, and that remember how they were called."""

from __future__ import annotations

import sys

import click

from idealrank.cli.support.output_files import check_targets
from idealrank.cli.support.terminal import is_rich

__all__ = ["Command", "Context", "arguments"]

_ARGUMENTS = "idealrank.arguments"

# Styles of headings, options, and the names at the left of a list.
_STYLES = {
    r"(?m)^[A-Z][\w ]*:": "bold",
    r"(?<![\w-])--?[A-Za-z][\w-]*": "cyan",
    r"(?m)^  [a-z_]+(?=  )": "bold cyan",
}


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


class Command(click.Command):
    """A click command with these help pages; `arguments` returns how it was called."""

    context_class = Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember the arguments before click parses them, and check the files that the command will write."""
        ctx.meta[_ARGUMENTS] = [*ctx.command_path.split(), *args]
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:  # as for the completion of words in a shell
            check_targets(ctx)
        return rest


def arguments(ctx: click.Context) -> list[str]:
    """Return the words that the user gave, beginning with the name of the program."""
    return list(ctx.meta[_ARGUMENTS])

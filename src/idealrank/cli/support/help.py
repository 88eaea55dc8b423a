"""Commands whose help pages click lays out and rich colours on a terminal, and who remember how they were called."""

from __future__ import annotations

import sys

import click

from idealrank.cli.support.terminal import is_rich

__all__ = ["Command", "Context", "arguments"]

_ARGUMENTS = "idealrank.arguments"

# What is coloured how: headings, options, and the names at the left of a list.
_STYLES = {
    r"(?m)^[A-Z][\w ]*:": "bold",
    r"(?<![\w-])--?[a-z][\w-]*": "cyan",
    r"(?m)^  [a-z_]+(?=  )": "bold cyan",
}


class _Formatter(click.HelpFormatter):
    def getvalue(self) -> str:
        """Give the page, coloured where it will be seen so."""
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
    """Click's context with these help pages."""

    formatter_class = _Formatter


class Command(click.Command):
    """Click's command with these help pages; `arguments` says how it was called."""

    context_class = Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember the arguments before click takes them apart."""
        ctx.meta[_ARGUMENTS] = [*ctx.command_path.split(), *args]
        return super().parse_args(ctx, args)


def arguments(ctx: click.Context) -> list[str]:
    """The words that the user gave, from the program's name on."""
    return list(ctx.meta[_ARGUMENTS])

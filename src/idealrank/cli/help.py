"""Help pages: click lays them out, rich colours them on a terminal."""

from __future__ import annotations

import sys

import click

from idealrank.cli.terminal import is_rich

__all__ = ["Command", "Context"]

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
        return _coloured(page) if is_rich(sys.stdout) else page


def _coloured(page: str) -> str:
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
    """Click's command with these help pages."""

    context_class = Context

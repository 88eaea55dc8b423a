"""How to read a table: what each of its columns says, in the reader's terms, wrapped to the width of the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

import click

from idealrank._present.printable import display_width, wrapped
from idealrank.cli.support.terminal import echo, say, screen_width

__all__ = ["explain_option", "show_reading", "show_reasons"]

explain_option = click.option("--explain", is_flag=True, help="Explain the theorem or formula behind each result.")

#: Longer lines are hard to read.
_MOST = 100


def _width() -> int:
    """The width of the terminal, up to 100 columns; 80 if the output is not a terminal."""
    return min(screen_width(sys.stdout) or 80, _MOST)


def show_reading(title: str, lines: Mapping[str, str]) -> None:
    """Print a title, and for each column its name and what it says, beside it or below it."""
    width = _width()
    indent = " " * min(max(map(display_width, lines), default=0) + 4, width // 3)
    echo()
    say(title)
    for name, text in lines.items():
        first = f"  {name}" + indent[2 + display_width(name) :]
        if display_width(first) > len(indent):
            echo(first)
            first = indent
        echo("\n".join(wrapped(first + text, width, indent)))


def show_reasons(title: str, reasons: Mapping[str, Iterable[str]]) -> None:
    """Print a title, and for each subject the sentences that explain it."""
    echo()
    say(title)
    for subject, sentences in reasons.items():
        say(f"  {subject}")
        for sentence in sentences:
            echo("\n".join(wrapped(f"    {sentence}", _width(), "    ")))

"""How to read a table: what each of its columns says, in the reader's terms, wrapped to the width of the terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping

import click

from idealrank.cli.support.terminal import echo

__all__ = ["explain_option", "show_reading", "show_reasons"]

explain_option = click.option("--explain", is_flag=True, help="Explain the theorem or formula behind each result.")

_MOST = 100


def _width() -> int:
    """The width of the terminal, up to 100 columns; 80 if the output is not a terminal."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return min(shutil.get_terminal_size((80, 24)).columns, _MOST) if is_terminal else 80


def show_reading(title: str, lines: Mapping[str, str]) -> None:
    """Print a title, and for each column its name and what it says, beside it or below it."""
    width = _width()
    indent = min(max(map(len, lines), default=0) + 4, width // 3)
    echo(f"\n{title}")
    for name, text in lines.items():
        first = f"  {name}".ljust(indent)
        if len(first) > indent:
            echo(first)
            first = " " * indent
        shown = textwrap.fill(text, width - 1, initial_indent=first, subsequent_indent=" " * indent)
        echo(shown)


def show_reasons(title: str, reasons: Mapping[str, Iterable[str]]) -> None:
    """Print a title, and for each subject the sentences that explain it."""
    width = _width()
    echo(f"\n{title}")
    for subject, sentences in reasons.items():
        echo(f"  {subject}")
        for sentence in sentences:
            echo(textwrap.fill(sentence, width - 1, initial_indent="    ", subsequent_indent="    "))

"""Notes on standard error, and what kind of terminal a stream is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import IO, Any

import click

from idealrank._present.printable import printable, wrapped

__all__ = ["bold", "echo", "is_rich", "note", "notes", "one_line", "say", "screen_width"]

#: The width of a terminal that does not say how wide it is.
_USUAL_WIDTH = 80


def is_rich(stream: IO[Any] | None) -> bool:
    """Return whether to use rich: the stream is a terminal, NO_COLOR is not set and TERM is not "dumb"."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in {"dumb", "unknown"}
    return stream is not None and stream.isatty() and not plain


def screen_width(stream: IO[Any] | None) -> int | None:
    """Return the number of columns of the terminal that the stream is; None if it is none."""
    if stream is None or not stream.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):
        return _USUAL_WIDTH


def bold(text: str) -> str:
    """Return text that a terminal shows in bold."""
    return click.style(text, bold=True)


def say(text: str, *, err: bool = False) -> None:
    """Print one line of text; on a terminal, in as many lines as it takes, broken between words."""
    width = screen_width(sys.stderr if err else sys.stdout)
    indent = " " * (2 + len(text) - len(text.lstrip()))
    for line in [text] if width is None else wrapped(printable(text), width, indent):
        echo(line, err=err)


def one_line(message: str) -> str:
    r"""Return the message on one line: line ends become blanks, and unprintable characters are escaped.

    >>> one_line("bad\nname \x1b[31m")
    'bad name \\x1b[31m'
    """
    return printable(" ".join(message.splitlines()))


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text; on a terminal, control characters of names and ids, other than tabs, are escaped."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None and stream.isatty():
        text = printable(text, keep="\n\t")
    # Ids that are not UTF-8 leave as the bytes that came in.
    content = text if text.isascii() or text.isprintable() else text.encode("utf-8", "surrogateescape")
    click.echo(content, err=err, nl=nl)


def note(message: str, *, quiet: bool) -> None:
    """Print one line to standard error, unless quiet."""
    if not quiet:
        say(f"idealrank: {one_line(message)}", err=True)


def notes(messages: Iterable[object], *, quiet: bool, most: int | None = None) -> None:
    """Print notes about the data, such as its ``problems``: all of them, or the first and how many more there are."""
    found = list(messages)
    for message in found[:most]:
        note(f"note: {message}", quiet=quiet)
    if most is not None and len(found) > most:
        note(f"note: {len(found) - most:,} more; JSON output has all", quiet=quiet)

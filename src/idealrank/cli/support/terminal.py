"""Notes on standard error, the line that says what a command is doing, and what kind of terminal a stream is."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from idealrank._present.printable import display_width, printable, wrapped

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
    lines = list(messages)
    for message in lines[:most]:
        note(f"note: {message}", quiet=quiet)
    if most is not None and len(lines) > most:
        note(f"note: {len(lines) - most:,} more; JSON output has all", quiet=quiet)


#: Seconds after the first work until the line appears, and between its updates.
_DELAY, _EVERY = 0.4, 0.1
#: The smallest file, in bytes, of which the line says how much is read.
_LARGE = 50_000_000
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Status:
    """The line: the label of the innermost work, how much of it is done, and the time since the first work began.

    Rich could draw it, but would be imported while the command works, and hides the cursor, which stays hidden if the
    process is killed.

    Parameters
    ----------
    now : callable
        A clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.drawn = threading.Event()
        self._now = now
        self._begun: float | None = None
        self._is_shown = False
        self._labels: list[str] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def work(self, label: str) -> Iterator[Callable[[str], None]]:
        """Show a label while the context lasts, and yield what replaces it."""
        place = len(self._labels)
        self._labels.append(label)
        if self._thread is None:
            self._begun = self._now() if self._begun is None else self._begun
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        try:
            yield lambda text: self._labels.__setitem__(place, text)
        finally:
            del self._labels[place:]
            if not place:
                self._stop.set()
                self._thread.join()
                self._thread = None
                self._write("")

    def _run(self) -> None:
        begun = self._begun or 0.0
        wait = max(0.0, begun + _DELAY - self._now())
        while not self._stop.wait(wait):
            self.draw()
            wait = _EVERY

    def draw(self) -> None:
        """Write the line, cut to the width of the terminal."""
        *_, label = ("", *self._labels)  # another thread may end the work meanwhile
        if label:
            seconds = self._now() - (self._begun or 0.0)
            frame = _FRAMES[int(seconds / _EVERY) % len(_FRAMES)]
            self._write(_cut(f"{frame} {printable(label)}, {seconds:.0f} s", (screen_width(sys.stderr) or 80) - 1))
            self.drawn.set()

    def _write(self, text: str) -> None:
        if text or self._is_shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        self._is_shown = bool(text)


_STATUS = Status()


def _cut(text: str, width: int) -> str:
    while display_width(text) > width:
        text = text[:-1]
    return text


@contextmanager
def working(label: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Say what is being done, on a terminal, unless quiet; yield what replaces the label."""
    if quiet or not is_rich(sys.stderr):
        yield lambda text: None
        return
    with _STATUS.work(label) as relabel:
        yield relabel


@contextmanager
def reading(path: str, *, quiet: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """Say that the file is being read, and yield the ``progress`` callback for its reader; None for a small file."""
    label = f"reading {os.path.basename(path)}"
    with working(label, quiet=quiet) as relabel:
        is_large = os.path.isfile(path) and os.path.getsize(path) > _LARGE
        if quiet or not is_rich(sys.stderr) or not is_large:
            yield None
            return
        whole = os.path.getsize(path)

        def show_share(done: int, size: int | None) -> None:
            total = size or whole
            relabel(f"{label}: {done / total:.0%} of {total / 1e6:,.0f} MB")

        yield show_share


@contextmanager
def writing(path: str, *, shown: bool) -> Iterator[None]:
    """Say that the file is being written, if ``shown``."""
    with working(f"writing {os.path.basename(path)}", quiet=not shown or path == "-"):
        yield

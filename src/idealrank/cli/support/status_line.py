"""One line on standard error that says what a command is doing, if it takes longer than a moment."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from idealrank._present.printable import display_width, printable
from idealrank.cli.support.terminal import is_rich, screen_width

__all__ = ["Status", "reading", "working", "writing"]

#: Seconds after the first work until the line appears, and between its updates.
_DELAY, _EVERY = 0.4, 0.1
#: The smallest file, in bytes, of which the line says how much is read.
_LARGE = 50_000_000
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Status:
    """The line: the label of the innermost work, how much of it is done, and the time since the first work began.

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
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def work(self, label: str) -> Iterator[Callable[[str], None]]:
        """Show a label while the context lasts, and yield what replaces it."""
        place = len(self._labels)
        with self._lock:
            self._labels.append(label)
        if self._thread is None:
            self._begun = self._now() if self._begun is None else self._begun
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        try:
            yield lambda text: self._labels.__setitem__(place, text)
        finally:
            with self._lock:
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
        with self._lock:
            label = self._labels[-1] if self._labels else ""
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

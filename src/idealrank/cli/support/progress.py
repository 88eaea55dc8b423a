"""Progress on standard error while a large file is read or written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from idealrank.cli.support.terminal import is_rich

__all__ = ["reading", "writing"]

_LARGE = 50_000_000


@contextmanager
def reading(path: str, *, quiet: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """Yield the ``progress`` callback for a reader of this file, or None if no bar is shown.

    A bar is shown for files over 50 MB, on a terminal, unless quiet; it disappears when the file is read.
    """
    if quiet or not is_rich(sys.stderr) or not os.path.isfile(path) or os.path.getsize(path) <= _LARGE:
        yield None
        return

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"reading {escape(os.path.basename(path))}", total=os.path.getsize(path))
        yield lambda done, size: bar.update(task, completed=done, total=size)


@contextmanager
def writing(path: str, *, shown: bool) -> Iterator[None]:
    """Show that a file is being written, and for how long, if ``shown``."""
    if not shown or path == "-":
        yield
        return

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(f"writing {escape(os.path.basename(path))}", total=None)
        yield

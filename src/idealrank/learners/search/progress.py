"""A bar on standard error while many fits run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["counted"]


@contextmanager
def counted(total: int, what: str, *, shown: bool) -> Iterator[Callable[[str], None]]:
    """Give what to call when one of ``total`` things is done, with a word on how it stands."""
    if not shown:
        yield lambda state: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(escape(what), total=total)
        yield lambda state: bar.update(task, advance=1, description=escape(f"{what}: {state}"))

"""A progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Tell", "bar"]

#: Updates a bar: the stage, how much of it is done, and the latest news.
Tell: TypeAlias = Callable[[str, int, str], None]


@contextmanager
def bar(total: int, *, shown: bool, is_predictable: bool = False) -> Iterator[Tell]:
    """Show a bar that counts to ``total``, and give what updates it; without ``shown`` updates do nothing.

    The bar shows the elapsed time, or the remaining time if ``is_predictable``.
    """
    if not shown:
        yield lambda stage, done, news: None
        return

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    text, news_text = TextColumn("{task.description}"), TextColumn("{task.fields[news]}")
    time = TimeRemainingColumn() if is_predictable else TimeElapsedColumn()
    columns = (text, BarColumn(), MofNCompleteColumn(), news_text, time)
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=console.is_terminal) as progress:
        task = progress.add_task("", total=total, news="")
        yield lambda stage, done, news: progress.update(
            task, description=escape(stage), completed=done, news=escape(news)
        )

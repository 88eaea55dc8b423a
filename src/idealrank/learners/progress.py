"""A progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Tell", "bar"]

#: The least widths of a terminal with room for the name of the stage, and for the bar, next to the numbers.
_WIDTHS = (110, 150)
#: Updates a bar: the stage, how much of it is done, and the latest news.
Tell: TypeAlias = Callable[[str, int, str], None]


@contextmanager
def bar(total: int, *, shown: bool, is_predictable: bool = False) -> Iterator[Tell]:
    """Show a bar that counts to ``total``, and give what updates it; without ``shown`` updates do nothing.

    The bar shows the elapsed time, or the remaining time if ``is_predictable``. Narrow terminals show only the numbers.
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
    console = Console(stderr=True)
    columns = [MofNCompleteColumn(), news_text, time]
    if console.width >= _WIDTHS[0]:
        columns.insert(0, text)
    if console.width >= _WIDTHS[1]:
        columns.insert(1, BarColumn())
    with Progress(*columns, console=console, transient=console.is_terminal) as progress:
        task = progress.add_task("", total=total, news="")
        yield lambda stage, done, news: progress.update(
            task, description=escape(stage), completed=done, news=escape(news)
        )

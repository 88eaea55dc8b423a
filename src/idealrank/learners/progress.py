"""A progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Tell", "bar"]

#: The least width of a terminal with room for the bar next to the name of the stage and the numbers.
_WIDE = 120
#: Updates a bar: the stage, how much of it is done, and the latest news.
Tell: TypeAlias = Callable[[str, int, str], None]


@contextmanager
def bar(total: int, *, shown: bool, is_predictable: bool = False) -> Iterator[Tell]:
    """Show a bar that counts to ``total``, and give what updates it; without ``shown`` updates do nothing.

    The bar shows the elapsed time, or the remaining time if ``is_predictable``. On a narrow terminal, the name of the
    stage is shortened and the bar left out, so that no number is cut.
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
    from rich.table import Column

    console = Console(stderr=True)
    is_wide = console.width >= _WIDE
    stage_text = TextColumn("{task.description}", table_column=Column(ratio=1, overflow="ellipsis", no_wrap=True))
    drawn = [BarColumn()] if is_wide else []
    news_text = TextColumn("{task.fields[news]}", table_column=Column(no_wrap=True))
    time = TimeRemainingColumn() if is_predictable else TimeElapsedColumn()
    columns = (stage_text, *drawn, MofNCompleteColumn(), news_text, time)
    with Progress(*columns, console=console, transient=console.is_terminal, expand=not is_wide) as progress:
        task = progress.add_task("", total=total, news="")
        yield lambda stage, done, news: progress.update(
            task, description=escape(stage), completed=done, news=escape(news)
        )

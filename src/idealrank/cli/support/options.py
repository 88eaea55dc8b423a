"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from idealrank.cli.support.kinds import KIND

__all__ = [
    "data_options",
    "debug_option",
    "format_option",
    "html_option",
    "is_debug",
    "like_option",
    "measures_option",
    "quiet_option",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_DEBUG = "idealrank.debug"


def _remember_debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


def debug_option(function: _Function) -> _Function:
    """``--debug``, taken before the command and after it; ask `is_debug`."""
    return click.option(
        "--debug",
        is_flag=True,
        envvar="IDEALRANK_DEBUG",
        expose_value=False,
        is_eager=True,
        callback=_remember_debug,
        help="Show the traceback of a failure.",
    )(function)


def is_debug() -> bool:
    """Whether ``--debug`` was given to the command that runs, or IDEALRANK_DEBUG set."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_DEBUG))


def quiet_option(function: _Function) -> _Function:
    """``--quiet``: no progress, no notes; failures are still said."""
    return click.option("-q", "--quiet", is_flag=True, help="No progress, no notes; only failures are said.")(function)


def format_option(function: _Function) -> _Function:
    """``--format``: how the command's table is printed, ``output_format`` for `tables.show`."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json", "csv", "markdown", "latex"]),
        default="text",
        metavar="FORMAT",
        help="Print the table as text (the default), json, csv, markdown or latex.",
    )(function)


def html_option(function: _Function) -> _Function:
    """``--html``: the file that `reporting` writes, ``html_path``."""
    return click.option(
        "--html", "html_path", metavar="FILE", help="Write a report as well: one HTML page that needs no other file."
    )(function)


def measures_option(function: _Function) -> _Function:
    """``-m``, any number of times: ``measures``."""
    option = click.option(
        "-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="A measure; may be given again."
    )
    return option(function)


def like_option(function: _Function) -> _Function:
    """``--like``: one convention."""
    return click.option(
        "--like", metavar="TOOL", help="The tool whose conventions fill in what the measures leave open."
    )(function)


def data_options(function: _Function) -> _Function:
    """``--from`` and ``--group``: what the file of judged documents is."""
    group = click.option(
        "--group", metavar="FILE", help="Number of documents of each query, for LETOR text without qid."
    )
    kind = click.option("--from", "from_kind", type=KIND, metavar="KIND", help="What DATA is.")
    return kind(group(function))

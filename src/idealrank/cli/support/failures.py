"""Errors in one line on standard error, with exit codes for scripts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import IO, Any

import click

from idealrank._present.printable import wrapped
from idealrank.cli.support.terminal import one_line, say, screen_width
from idealrank.errors import IdealrankError

_DEBUG = "idealrank.debug"


def _remember_debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


#: ``--debug`` is accepted before the command and after it.
debug_option = click.option(
    "--debug",
    is_flag=True,
    envvar="IDEALRANK_DEBUG",
    expose_value=False,
    is_eager=True,
    callback=_remember_debug,
    help="Show the traceback of an error.",
)


class Failure(click.ClickException):
    """A failure that ends the command with exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message: one line, or as many as a terminal needs."""
        text = f"idealrank: error: {one_line(self.message)}"
        if file is None:
            say(text, err=True)
        else:
            click.echo(text, file=file)


class WrongUsage(click.UsageError):
    """A usage error, in as many lines as a terminal needs."""

    def format_message(self) -> str:
        """Return the message that click prints after "Error: "."""
        width, start = screen_width(sys.stderr), "Error: "
        text = one_line(self.message)
        return text if width is None else "\n".join(wrapped(start + text, width, "  ")).removeprefix(start)


class Interrupted(click.ClickException):
    """Ctrl-C."""

    exit_code = 130

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the one line, below the ``^C`` that a terminal shows."""
        stream = sys.stderr if file is None else file
        click.echo("\nidealrank: interrupted" if stream.isatty() else "idealrank: interrupted", file=stream)


def _words_of(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        what = error.strerror[:1].lower() + error.strerror[1:]
        if isinstance(error, FileNotFoundError):
            what = "no such file"
        elif isinstance(error, IsADirectoryError):
            what = "is a folder; give the name of a file"
        return what if error.filename is None else f"{os.fsdecode(error.filename)}: {what}"
    if isinstance(error, (IdealrankError, OSError)):
        return str(error)
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    return f"{type(error).__name__}: {error} (a bug in idealrank: please report it with what --debug shows)"


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Return whether the words of a command ask for JSON.

    >>> asks_for_json(["evaluate", "--format", "json"]), asks_for_json(["evaluate", "--format=json"])
    (True, True)
    """
    return "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


@contextmanager
def reported(*, as_json: bool = False) -> Iterator[None]:
    """Turn any exception in the block into an exit with one line, or with none if the output was closed.

    With ``as_json``, the error is also an object on standard output, where the result would have been.
    """
    try:
        with _one_line():
            yield
    except click.ClickException as error:
        if as_json and not isinstance(error, Interrupted):
            click.echo(_error_text(error))
        raise


@contextmanager
def exiting_with(status: int) -> Iterator[None]:
    """Give errors in the block this exit status, unless a block inside it gave them another."""
    try:
        with reported():
            yield
    except (Failure, WrongUsage) as error:
        vars(error).setdefault("exit_code", status)
        raise


def _error_text(error: click.ClickException) -> str:
    from idealrank._present.json_values import json_text, plain  # these import NumPy, which help does not need

    cause = error.__cause__ or error
    kind = "UsageError" if isinstance(error, click.UsageError) else type(cause).__name__
    places = {name: getattr(cause, name, None) for name in ("path", "line", "query", "row", "column")}
    known = {name: plain(place) for name, place in places.items() if place is not None}
    content = {"type": kind, "message": error.message, "exit_status": error.exit_code, **known}
    return json_text({"error": content}, indent=2)


@contextmanager
def _one_line() -> Iterator[None]:
    try:
        yield
        _flush()
    except KeyboardInterrupt:
        _show_traceback()
        raise Interrupted("interrupted") from None
    except BrokenPipeError:
        _let_go_of_closed_pipes()
        raise click.exceptions.Exit(141) from None
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        raise error if isinstance(error, WrongUsage) else WrongUsage(error.format_message(), error.ctx) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        _show_traceback()
        raise Failure(_words_of(error)) from error


def _show_traceback() -> None:
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(_DEBUG):
        import traceback

        click.echo(traceback.format_exc(), err=True, nl=False)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _let_go_of_closed_pipes() -> None:
    """Redirect closed streams to the null device, so that the last flush of Python does not fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

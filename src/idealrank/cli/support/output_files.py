"""Checks of files that a command will write."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

import click

from idealrank._core.extras import require
from idealrank.cli.support.failures import Failure
from idealrank.cli.support.shared_options import PICTURE, Output

__all__ = ["check_target", "check_targets"]

#: Commands whose HTML pages have figures.
_WITH_FIGURES = ("demo", "distinguish", "explain", "limits", "reproduce", "train")


def check_targets(ctx: click.Context) -> None:
    """Raise an error before any work if a file that the command shall write cannot be, or is one of its inputs."""
    for parameter in ctx.command.params:
        path = ctx.params.get(parameter.name or "")
        if isinstance(parameter.type, Output) and path is not None and path != "-":
            check_target(path)
            _require_packages(ctx, parameter, path)
            others = [word for name, value in ctx.params.items() if name != parameter.name for word in _words(value)]
            if any(_is_same(path, other) for other in others):
                raise Failure(f"{path}: is also another file of this command; give the output another name")


def check_target(path: str) -> None:
    """Raise an error if the file cannot be written."""
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        return  # a device or a pipe
    if os.path.isdir(path):
        raise Failure(f"{path}: is a folder; give the name of a file in it")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise Failure(f"{path}: there is no folder {os.path.dirname(path)!r}")
    if not os.access(folder, os.W_OK):
        raise Failure(f"{path}: no permission to write to the folder {folder!r}")


def _require_packages(ctx: click.Context, parameter: click.Parameter, path: str) -> None:
    """Raise an error if a package is missing that will write the file."""
    if parameter.type is PICTURE or (parameter.name == "html_path" and ctx.command.name in _WITH_FIGURES):
        require("matplotlib", for_=parameter.opts[0])
    if path.lower().endswith(".zst"):
        require("pyarrow", for_=path)


def _words(value: object) -> Iterator[str]:
    """Yield the text in the value of a parameter that may name a file; a system may be given as NAME=FILE."""
    if isinstance(value, str):
        yield value
        yield value.partition("=")[2]
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _words(each)


def _is_same(path: str, other: str) -> bool:
    """Return whether two names, through links or not, stand for the same regular file."""
    if not other or other == "-" or not (os.path.isfile(path) or not os.path.exists(path)):
        return False
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)

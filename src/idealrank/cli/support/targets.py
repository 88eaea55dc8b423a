"""Checks of files that a command will write."""

from __future__ import annotations

import os
import stat

from idealrank.cli.support.failures import Failure

__all__ = ["check_page", "check_target"]


def check_target(path: str) -> None:
    """Raise an error before long work if the file cannot be written; "-" is standard output."""
    if path == "-":
        return
    # The finished file takes the target's place, which must not happen to /dev/null or to a named pipe.
    if _is_device(path):
        raise Failure(f"{path}: is not a regular file; use '-' for standard output")
    check_page(path)


def check_page(path: str) -> None:
    """Do the same for a page, which may be written to /dev/null."""
    if _is_device(path):
        return
    if os.path.isdir(path):
        raise Failure(f"{path}: is a folder; give the name of a file in it")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise Failure(f"{path}: there is no folder {folder!r}")
    if not os.access(folder, os.W_OK):
        raise Failure(f"{path}: no permission to write to the folder {folder!r}")


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isdir(path) and not stat.S_ISREG(os.stat(path).st_mode)

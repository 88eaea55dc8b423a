"""The command line: one file per command, imported when that command runs.

NumPy and rich are imported only when a command needs them, so that help and usage errors appear at once.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Run ``idealrank`` and exit.

    Exit codes: 0 success; 1 an error, reported in one line on standard error; 2 a usage error; 130 interrupted;
    141 the reader of the output closed it; 129 and 143 terminated by a signal, without leaving incomplete files.

    Parameters
    ----------
    args : sequence of str, optional
        The arguments; by default, those of the process.
    """
    try:
        _handle_termination()
        _relax_gc()
        from idealrank.cli.group import commands
    except KeyboardInterrupt:
        print("idealrank: interrupted", file=sys.stderr)
        sys.exit(130)
    if sys.stdout is None:  # the next file that is opened would take its place
        if sys.stderr is not None:
            print("idealrank: error: standard output is closed; redirect it to a file or to /dev/null", file=sys.stderr)
        sys.exit(1)
    commands.main(args, prog_name="idealrank")


def _handle_termination() -> None:
    """Exit by an exception, which removes temporary files, when terminated or when the terminal is closed."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores it
            signal.signal(number, lambda received, frame: sys.exit(128 + received))


def _relax_gc() -> None:
    """Let the garbage collector look less often at the modules that are imported, which live to the end."""
    gc.set_threshold(10_000)

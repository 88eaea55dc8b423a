"""The command line: one file a command, imported when that command runs.

Nothing here imports NumPy or rich before a command asks for it, so that help and mistakes are answered at once.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Run ``idealrank`` with these arguments, by default those of the process, and exit with its code.

    0: done; 1: a failure, said in one line on standard error; 2: a command that cannot be understood;
    130: interrupted; 141: whoever read the output went away; 129 and 143: told to end, with nothing half-done left.
    """
    try:
        _clean_up_when_told_to_end()
        from idealrank.cli.group import commands
    except KeyboardInterrupt:
        print("idealrank: interrupted", file=sys.stderr)
        sys.exit(130)
    commands.main(args, prog_name="idealrank")


def _clean_up_when_told_to_end() -> None:
    """Leave by an exception, which removes temporary files on its way, when killed or when the terminal is closed."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, lambda received, frame: sys.exit(128 + received))

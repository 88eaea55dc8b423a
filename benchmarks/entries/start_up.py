"""Start-up: whole processes, from a folder that holds nothing to import."""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.processes import run_process
from benchmarks.runner import Comparison, Contestant, Setting, entry
from benchmarks.targets import AtMost


def _python(code: str, setting: Setting, name: str = "", target: AtMost | None = None) -> Contestant:
    return Contestant(name or code, lambda: run_process([sys.executable, "-c", code], setting.folder), target)


@entry
def import_time(setting: Setting) -> Iterator[Comparison]:
    # The import alone loads nothing, so that the first use of a name is where NumPy and the native core come in.
    for code in ("import idealrank", "import idealrank; idealrank.read_run"):
        yield Comparison(
            code, _python(code, setting), [_python("import numpy", setting, target=AtMost(1.3))], rounds_factor=3
        )


@entry
def help_time(setting: Setting) -> Iterator[Comparison]:
    script = Path(sys.executable).with_name("idealrank")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "idealrank"]
    yield Comparison(
        "idealrank --help",
        Contestant("idealrank --help", lambda: run_process([*command, "--help"], setting.folder)),
        [_python("import numpy", setting, target=AtMost(1.5))],
        rounds_factor=3,
    )

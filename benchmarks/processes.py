"""Fresh processes: how long one takes, and how much memory a piece of code needs in one."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["peak_memory", "peak_of", "run_process"]

# The high-water mark can be set back to what is resident now, so that it is exact and nothing has to be sampled. What
# getrusage tells would not do: a child starts with its parent's peak.
_PEAK = """
def resident(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))

with open("/proc/self/clear_refs", "w") as switch:
    switch.write("5")
before = resident("VmRSS")
result = {expression}
print(resident("VmHWM") - before)
"""


def run_process(command: Sequence[str], folder: Path) -> str:
    """Run a command in a folder, and return what it printed; a failure is an error with the last line it wrote."""
    # Installed packages have bytecode; a checkout gets it from the unmeasured run, unless the environment forbids it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "nothing was written").splitlines()[-1]
        raise RuntimeError(f"{Path(command[0]).name} ended with code {done.returncode}: {last}")
    return done.stdout


def peak_memory(imports: str, expression: str, folder: Path) -> int:
    """How many bytes more than after the imports are resident at the worst moment of the expression (Linux only).

    Anonymous memory and mapped files both count; code that reads its files without mapping them has none of the latter
    but some pages of shared libraries.
    """
    if not Path("/proc/self/clear_refs").exists():
        raise RuntimeError("peak memory is measured by /proc/self/clear_refs, which only Linux has")
    code = imports + _PEAK.format(expression=expression)
    return int(run_process([sys.executable, "-c", code], folder).split()[-1])


def peak_of(run: Callable[[], Any]) -> float | None:
    """How many bytes more than before are resident in this process at the worst moment of a call; None if not Linux.

    Memory that was freed before, and not returned to the system, counts only where it is touched again; so this is a
    lower bound, and exact for large arrays.
    """
    switch, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    if not switch.exists():
        return None
    switch.write_text("5")
    before = _resident(status, "VmRSS")
    run()
    return max(0, _resident(status, "VmHWM") - before)


def _resident(status: Path, field: str) -> int:
    return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith(field))

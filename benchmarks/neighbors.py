"""How busy other processes keep the machine meanwhile: where they do, two threads do not get two cores."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

__all__ = ["Neighbors", "Reading"]


class Reading(NamedTuple):
    """Seconds: the clock, what all cores together were busy, and what of that was this process and its children."""

    clock: float
    busy: float
    own: float


def read_machine() -> Reading | None:
    """The reading now, or None where there is no /proc/stat."""
    try:
        with Path("/proc/stat").open() as file:
            user, nice, system, _idle, _wait, irq, soft_irq, steal = map(int, file.readline().split()[1:9])
    except (OSError, ValueError):
        return None
    busy = (user + nice + system + irq + soft_irq + steal) / os.sysconf("SC_CLK_TCK")
    return Reading(time.perf_counter(), busy, sum(os.times()[:4]))


class Neighbors:
    """Watches from its construction on.

    >>> readings = iter([Reading(100.0, 50.0, 1.0), Reading(110.0, 60.0, 5.0)])
    >>> Neighbors(lambda: next(readings)).cores()
    0.6
    """

    def __init__(self, read: Callable[[], Reading | None] = read_machine) -> None:
        self._read = read
        self._start = read()

    def cores(self) -> float | None:
        """How many cores others kept busy since the start, on average; None where that is not known."""
        start, now = self._start, self._read()
        if start is None or now is None:
            return None
        others = (now.busy - start.busy) - (now.own - start.own)
        return max(0.0, others) / (now.clock - start.clock)

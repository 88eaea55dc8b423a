"""Number of threads of native calls."""

from __future__ import annotations

import functools
import math
import operator
import os
from collections.abc import Iterator
from typing import TypeAlias

from idealrank.errors import OptionError

_MOST = 65_536
_VARIABLE = "IDEALRANK_NUM_THREADS"
_chosen: int | None = None
# Importing pathlib takes as long as importing all that is needed to read a run.
_Path: TypeAlias = "str | os.PathLike[str]"


def set_threads(n_threads: int | None) -> None:
    """Set the number of threads for all calls in this process that do not pass ``n_threads``.

    Results do not depend on the number of threads.

    Parameters
    ----------
    n_threads : int or None
        The number of threads. None restores the default: the environment variable ``IDEALRANK_NUM_THREADS`` if it is
        set, otherwise every core that this process may use, which its affinity and its control group (the CPU limit of
        a container) can restrict.

    Raises
    ------
    OptionError
        If the number is not a whole number from 1 to 65,536.

    Examples
    --------
    >>> import idealrank as ir
    >>> ir.set_threads(1)
    >>> ir.ndcg([1, 0], [0.2, 0.1])  # on one thread
    array([1.])
    >>> ir.set_threads(None)
    """
    global _chosen
    _chosen = None if n_threads is None else _checked(n_threads, "n_threads")


def resolve_threads(n_threads: int | None) -> int:
    """Return the number of threads that the argument ``n_threads`` of a public function means.

    Parameters
    ----------
    n_threads : int or None
        The argument; None means the number that `set_threads` or ``IDEALRANK_NUM_THREADS`` names, or every core that
        this process may use.

    Returns
    -------
    int
        A positive number.

    Raises
    ------
    OptionError
        If the number is not a whole number from 1 to 65,536.

    Examples
    --------
    >>> resolve_threads(3)
    3
    """
    if n_threads is not None:
        return _checked(n_threads, "n_threads")
    if _chosen is not None:
        return _chosen
    text = os.environ.get(_VARIABLE)
    if text:
        return _checked(int(text) if text.strip().isdecimal() else text, f"the environment variable {_VARIABLE}")
    return available_cores()


def _checked(given: object, what: str) -> int:
    try:
        number = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        raise OptionError(f"{what} must be a whole number, or None for all cores, got {given!r}") from None
    if not 1 <= number <= _MOST:
        raise OptionError(f"{what} must be from 1 to {_MOST:,}, or None for all cores, got {given}")
    return number


def available_cores() -> int:
    """Return the number of cores that the affinity and the control groups of this process leave to it.

    Examples
    --------
    >>> available_cores() >= 1
    True
    """
    affinity = getattr(os, "sched_getaffinity", None)
    n_cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(n_cores, _quota_of_this_process()))


@functools.cache  # the files take longer to read than a short call
def _quota_of_this_process() -> int:
    return quota("/proc/self/cgroup", "/sys/fs/cgroup")


def quota(groups: _Path, root: _Path) -> int:
    """Return how many cores' time the control groups of Linux allow, rounded up; very many without a limit.

    Parameters
    ----------
    groups : path-like
        The file that lists the control groups of a process.
    root : path-like
        Where the control groups are mounted.
    """
    try:
        lines = _text(groups).splitlines()
    except OSError:  # not Linux, or hidden
        return _MOST
    shares = [share for line in lines for folder in _folders(line, root) for share in _share(folder)]
    return min((max(1, math.ceil(share)) for share in shares), default=_MOST)


def _text(path: _Path) -> str:
    with open(path) as file:
        return file.read()


def _folders(line: str, root: _Path) -> Iterator[str]:
    """Return the folders of a control group and all groups around it, which limit it too."""
    _, controllers, path = [*line.split(":", 2), "", ""][:3]
    if controllers and "cpu" not in controllers.split(","):
        return
    folder = os.path.join(root, controllers)
    yield folder  # inside a container, its own group may be mounted as the root
    for name in filter(None, path.split("/")):
        folder = os.path.join(folder, name)
        yield folder


def _share(folder: str) -> Iterator[float]:
    try:
        if os.path.exists(os.path.join(folder, "cpu.max")):  # version 2
            allowed, period = _text(os.path.join(folder, "cpu.max")).split()
        else:  # version 1
            allowed, period = (_text(os.path.join(folder, f"cpu.cfs_{name}_us")) for name in ("quota", "period"))
        if allowed != "max" and float(allowed) > 0 and float(period) > 0:
            yield float(allowed) / float(period)
    except (OSError, ValueError):  # no limit here
        return

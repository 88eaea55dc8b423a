"""How many threads a native call may use."""

import os

from idealrank.errors import DataError

__all__ = ["resolve_threads"]


def resolve_threads(n_threads: int | None) -> int:
    """Turn the argument ``n_threads`` of a public function into a number: None means every core this process may use.

    >>> resolve_threads(3)
    3
    """
    if n_threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    if n_threads < 1:
        raise DataError(f"n_threads must be 1 or more, or None for all cores, got {n_threads}")
    return n_threads

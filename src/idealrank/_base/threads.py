"""Number of threads of native calls."""

import os

from idealrank.errors import DataError

__all__ = ["resolve_threads"]


def resolve_threads(n_threads: int | None) -> int:
    """Return the number of threads that the argument ``n_threads`` of a public function means.

    Parameters
    ----------
    n_threads : int or None
        The argument; None means every core that this process may use.

    Returns
    -------
    int
        A positive number.

    Raises
    ------
    DataError
        If the number is less than 1.

    Examples
    --------
    >>> resolve_threads(3)
    3
    """
    if n_threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    if n_threads < 1:
        raise DataError(f"n_threads must be 1 or more, or None for all cores, got {n_threads}")
    return n_threads

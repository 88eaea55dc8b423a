"""Number of threads of native calls."""

import operator
import os

from idealrank.errors import DataError

__all__ = ["resolve_threads"]

_MOST = 65_536


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
        If the number is not a whole number from 1 to 65,536.

    Examples
    --------
    >>> resolve_threads(3)
    3
    """
    if n_threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    try:
        number = operator.index(n_threads)
    except TypeError:
        raise DataError(f"n_threads must be a whole number, or None for all cores, got {n_threads!r}") from None
    if not 1 <= number <= _MOST:
        raise DataError(f"n_threads must be from 1 to {_MOST:,}, or None for all cores, got {n_threads}")
    return number

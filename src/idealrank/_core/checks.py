"""Checks of single values: one error sentence for each kind."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from idealrank.errors import OptionError


def is_whole(value: object, least: int = 0, most: int = 2**53) -> bool:
    """Return whether a value is an integer from ``least`` to ``most``; True and False are none.

    >>> is_whole(3), is_whole(3.0), is_whole("3"), is_whole(True), is_whole(-1)
    (True, False, False, False, False)
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return False
    try:
        return least <= operator.index(value) <= most
    except TypeError:  # an array with several elements
        return False


def are_numbers(*values: object) -> bool:
    """Return whether each value is a single number of Python, NumPy or another library, and not too large for a float.

    >>> are_numbers(3, 0.5), are_numbers("3"), are_numbers(None), are_numbers([3]), are_numbers(10**400)
    (True, False, False, False, False)
    """
    return not any(
        isinstance(value, (str, bytes))  # NumPy's texts have the method as well
        or not hasattr(value, "__float__")
        or getattr(value, "ndim", 0)
        or (isinstance(value, int) and value.bit_length() > 1023)
        for value in values
    )


def is_list(value: object) -> bool:
    """Return whether a value is a list, a set or a flat array.

    >>> is_list(["d1"]), is_list({"d1"}), is_list("d1")
    (True, True, False)
    """
    return isinstance(value, (list, tuple, set, frozenset)) or (isinstance(value, np.ndarray) and value.ndim == 1)


def check_fraction(value: Any, name: str) -> None:
    """Raise an OptionError unless a value is a number between 0 and 1.

    >>> check_fraction("high", "level")
    Traceback (most recent call last):
    idealrank.errors.OptionError: level must be between 0 and 1, got 'high'
    """
    if not (are_numbers(value) and 0 < value < 1):
        raise OptionError(f"{name} must be between 0 and 1, got {value!r}")


def check_callback(value: object, name: str) -> None:
    """Raise an OptionError unless a value is a function or None.

    >>> check_callback(3, "progress")
    Traceback (most recent call last):
    idealrank.errors.OptionError: progress must be a function, got 3
    """
    if value is not None and not callable(value):
        raise OptionError(f"{name} must be a function, got {value!r}")


def check_count(value: object, name: str, least: int = 1) -> None:
    """Raise an OptionError unless a value is a whole number of at least this.

    >>> check_count(2.5, "n_draws")
    Traceback (most recent call last):
    idealrank.errors.OptionError: n_draws must be a whole number of at least 1, got 2.5
    """
    if not is_whole(value, least):
        raise OptionError(f"{name} must be a whole number of at least {least}, got {value!r}")


def items_of(values: Any, name: str, error: type[Exception] = OptionError) -> Iterator[Any]:
    """Return an iterator over the values, or raise an error for what is not iterable.

    >>> items_of(3, "features")
    Traceback (most recent call last):
    idealrank.errors.OptionError: features must be a list, got 3
    """
    try:
        return iter(values)
    except TypeError:
        raise error(f"{name} must be a list, got {values!r}") from None

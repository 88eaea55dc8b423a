"""Types of options: what the annotations of a class allow."""

from __future__ import annotations

from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from idealrank.errors import OptionError

__all__ = ["check_types"]

_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "text", NoneType: "none"}
#: NumPy's numbers count as Python's.
_ACCEPTED: dict[type, tuple[type, ...]] = {float: (Real,), int: (Integral,), bool: (bool, np.bool_)}


def check_types(options: dict[str, Any], cls: type) -> None:
    """Raise an OptionError for an option that is of no type that its annotation names.

    Annotations with other types than numbers, texts, bool and None are left to what reads the option.

    >>> class Learner:
    ...     max_iter: int
    >>> check_types({"max_iter": np.int64(5)}, Learner)
    >>> check_types({"max_iter": "5"}, Learner)
    Traceback (most recent call last):
    idealrank.errors.OptionError: max_iter must be a whole number, got '5'
    """
    known = _kinds(cls)
    for name, value in options.items():
        kinds = known.get(name, ())
        if kinds and not any(_is_of(value, kind) for kind in kinds):
            raise OptionError(f"{name} must be {' or '.join(_WORDS[kind] for kind in kinds)}, got {value!r}")


@cache
def _kinds(cls: type) -> dict[str, tuple[type, ...]]:
    """The types of each annotated option; none if one of them cannot be checked."""
    found = {}
    for name, annotation in get_type_hints(cls).items():
        kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
        found[name] = kinds if all(kind in _WORDS for kind in kinds) else ()
    return found


def _is_of(value: Any, kind: type) -> bool:
    if isinstance(value, (bool, np.bool_)) and kind is not bool:
        return False  # to Python it is a number
    return isinstance(value, _ACCEPTED.get(kind, kind))

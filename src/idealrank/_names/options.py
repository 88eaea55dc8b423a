"""Immutable values with a text form: ``power:0.5`` has numbers, ``ndcg(gain=linear)`` has named options."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self, cast

from idealrank._names.grammar import Written, no_option, number_text, snake_case, unknown
from idealrank.errors import OptionError

__all__ = [
    "Named",
    "Numbers",
    "Options",
    "choice",
    "flag",
    "number",
    "option",
]

#: What `Named.options` returns, by class.
_CONVERSIONS: dict[type, Mapping[str, Callable[[Any], Any]]] = {}


class _ClassName:
    def __get__(self, instance: object, owner: type) -> str:
        return snake_case(owner.__name__)


@functools.cache
def _never_none(cls: type[Any]) -> frozenset[str]:
    """Return the names of the fields for which None is no value: those whose default is not None."""
    return frozenset(each.name for each in dataclasses.fields(cls) if each.default is not None)


@dataclasses.dataclass(frozen=True)
class Named:
    """Base of immutable values with a text form."""

    #: The registered name of the class or of its base class; by default derived from the name of the class.
    label: ClassVar[str] = cast("str", _ClassName())
    #: Fields of a parent that mean nothing here.
    without: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        own: Any = type(self)
        never_none = _never_none(own)
        for name, coerce in self.options().items():
            value = getattr(self, name)
            if value is None and name not in never_none:
                continue
            try:
                object.__setattr__(self, name, coerce(value))
            except OptionError as error:
                raise OptionError(f"{self.label}: {name}: {error}") from None

    @classmethod
    def options(cls) -> Mapping[str, Callable[[Any], Any]]:
        """Return the functions that convert and check what people write for each option, by the option's name."""
        if cls not in _CONVERSIONS:  # asked for whenever a value is made
            _CONVERSIONS[cls] = {
                each.name: each.metadata["coerce"]
                for each in dataclasses.fields(cls)
                if "coerce" in each.metadata and each.name not in cls.without
            }
        return _CONVERSIONS[cls]

    @classmethod
    def from_written(cls, written: Written) -> Self:
        """Create the value from its parsed text form."""
        raise NotImplementedError


class Numbers(Named):
    """Base of values with numbers after colons: ``power:0.5``."""

    @classmethod
    def from_written(cls, written: Written) -> Self:
        if written.options:
            raise OptionError(f"{cls.label} takes numbers after colons and no options, got {written.text!r}")
        return cls(*map(float, written.values))

    def __str__(self) -> str:
        return ":".join([self.label, *map(number_text, dataclasses.astuple(self))])


def choice(*words: str) -> Callable[[Any], str]:
    """Return a conversion that accepts only these words."""

    def coerce(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise unknown("value", value, words)
        return value

    return coerce


def number(least: float = -math.inf, most: float = math.inf, *, is_open: bool = False) -> Callable[[Any], float]:
    """Return a check for a finite number from ``least`` to ``most``, or, if the range is open, between them."""

    def coerce(value: Any) -> float:
        try:
            converted = float(value)
        except (TypeError, ValueError, OverflowError):
            converted = math.nan
        if not (math.isfinite(converted) and least <= converted <= most) or (is_open and converted in (least, most)):
            raise OptionError(f"expected {_range(least, most, is_open)}, got {value!r}")
        return converted

    return coerce


def flag(value: Any) -> bool:
    """Return True or False, which may be text."""
    words = {"true": True, "false": False}
    found = words.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise OptionError(f"expected True or False, got {value!r}")
    return found


def _range(least: float, most: float, is_open: bool) -> str:
    """Return the range in words, for errors."""
    if math.isfinite(most):
        return f"a number between {least:g} and {most:g}" if is_open else f"a number from {least:g} to {most:g}"
    if math.isfinite(least):
        return f"a finite number above {least:g}" if is_open else f"a finite number of at least {least:g}"
    return "a finite number"


def option(coerce: Callable[[Any], Any], default: Any = None) -> Any:
    """Declare a dataclass field with a conversion.

    Parameters
    ----------
    coerce : callable
        Converts what the user passes to the value of the field; raises an OptionError if it cannot.
    default : object
        The default value.
    """
    return dataclasses.field(default=default, metadata={"coerce": coerce})


class Options(Named):
    """Base of values with named options, each converted from what the user passes; an option may be None."""

    def __new__(cls, *_: Any, **options: Any) -> Any:
        known = cls.options()
        for name, value in options.items():
            if name not in known and not (value is None and name in cls.without):
                raise no_option(cls.label, name, known)
        return super().__new__(cls)

    @classmethod
    def from_written(cls, written: Written) -> Self:
        if written.values:
            raise OptionError(f"{cls.label} takes options in parentheses, option=value, got {written.text!r}")
        for each in dataclasses.fields(cls):
            if each.default is dataclasses.MISSING and each.name not in written.options:
                raise OptionError(f"{written.text!r} lacks an option: write {cls.label}({each.name}=...)")
        return cls(**written.options)

    def named(self, besides: Iterable[str] = ()) -> str:
        """Return the name with the options, in parentheses, that differ from their defaults.

        Parameters
        ----------
        besides : iterable of str
            Options to leave out.
        """
        chosen = {
            each.name: getattr(self, each.name)
            for each in dataclasses.fields(self)
            if each.name in self.options() and each.name not in besides and getattr(self, each.name) != each.default
        }
        inside = ",".join(f"{name}={_text(value)}" for name, value in chosen.items())
        return f"{self.label}({inside})" if inside else self.label


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(value) if math.isfinite(value) else str(value)
    return str(value)

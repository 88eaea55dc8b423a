"""Frozen values with a name in text: ``power:0.5`` has numbers, ``ndcg(gain=linear)`` named options."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self, cast

from idealrank._base.grammar import Written, no_option, number_text, snake_case, unknown
from idealrank.errors import OptionError

__all__ = ["Named", "Numbers", "Options", "choice", "number", "option"]


class _ClassName:
    def __get__(self, instance: object, owner: type) -> str:
        return snake_case(owner.__name__)


class Named:
    """A frozen dataclass with a name in text."""

    #: The name under which the class, or the one that it is made from, is registered; else the class's own.
    label: ClassVar[str] = cast("str", _ClassName())
    #: Fields of a parent that mean nothing here.
    without: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        for name, coerce in self.options().items():
            value = getattr(self, name)
            if value is not None:
                try:
                    object.__setattr__(self, name, coerce(value))
                except OptionError as error:
                    raise OptionError(f"{self.label}: {name}: {error}") from None

    @classmethod
    def options(cls) -> Mapping[str, Callable[[Any], Any]]:
        """Return the functions that convert and check what people write for each option, by the option's name."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return {
            each.name: each.metadata["coerce"]
            for each in fields
            if "coerce" in each.metadata and each.name not in cls.without
        }

    @classmethod
    def from_written(cls, written: Written) -> Self:
        """Return the value that a text stands for."""
        raise NotImplementedError


class Numbers(Named):
    """A value of numbers, written after colons: ``power:0.5``."""

    @classmethod
    def from_written(cls, written: Written) -> Self:
        if written.options:
            raise OptionError(f"{cls.label} takes numbers after colons and no options, got {written.text!r}")
        return cls(*map(float, written.values))

    def __str__(self) -> str:
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return ":".join([self.label, *map(number_text, values)])


def choice(*words: str) -> Callable[[Any], str]:
    """An option that is one of these words."""

    def coerce(value: Any) -> str:
        if value not in words:
            raise unknown("value", value, words)
        return str(value)

    return coerce


def number(least: float = -math.inf, most: float = math.inf, *, is_open: bool = False) -> Callable[[Any], float]:
    """Return a check for a finite number from ``least`` to ``most``, or, if the range is open, between them."""

    def coerce(value: Any) -> float:
        try:
            converted = float(value)
        except (TypeError, ValueError):
            converted = math.nan
        if not (math.isfinite(converted) and least <= converted <= most) or (is_open and converted in (least, most)):
            raise OptionError(f"expected {_range(least, most, is_open)}, got {value!r}")
        return converted

    return coerce


def _range(least: float, most: float, is_open: bool) -> str:
    """Return the range in words, for errors."""
    if math.isfinite(most):
        return f"a number between {least:g} and {most:g}" if is_open else f"a number from {least:g} to {most:g}"
    if math.isfinite(least):
        return f"a finite number above {least:g}" if is_open else f"a finite number of at least {least:g}"
    return "a finite number"


def option(coerce: Callable[[Any], Any], default: Any = None) -> Any:
    """A dataclass field that makes its value of what people write for it."""
    return dataclasses.field(default=default, metadata={"coerce": coerce})


class Options(Named):
    """A value of named options, each made from what people write for it; an option may be None."""

    def __new__(cls, *_: Any, **options: Any) -> Any:
        known = cls.options()
        for name, value in options.items():
            if name not in known and not (value is None and name in cls.without):
                raise no_option(cls.label, name, known)
        return super().__new__(cls)

    @classmethod
    def from_written(cls, written: Written) -> Self:
        if written.values:
            raise OptionError(f"{cls.label} takes options in brackets, option=value, got {written.text!r}")
        for each in dataclasses.fields(cls):  # type: ignore[arg-type]
            if each.default is dataclasses.MISSING and each.name not in written.options:
                raise OptionError(
                    f"{written.text!r} lacks the option {each.name!r}: write {cls.label}({each.name}=...)"
                )
        return cls(**written.options)

    def named(self, besides: Iterable[str] = ()) -> str:
        """The name, and in brackets the options that are not as they are by default."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        chosen = {
            each.name: getattr(self, each.name)
            for each in fields
            if each.name in self.options() and each.name not in besides and getattr(self, each.name) != each.default
        }
        inside = ",".join(f"{name}={_text(value)}" for name, value in chosen.items())
        return f"{self.label}({inside})" if inside else self.label


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(value) if math.isfinite(value) else str(value)
    return str(value)

"""Frozen values with a short name: ``power:0.5`` is ``Power(0.5)``, and the other way round."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from idealrank.errors import OptionError

__all__ = ["Named", "nearest", "number_text", "parse"]

_Value = TypeVar("_Value", bound="Named")


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of an error message: which known word may have been meant, else all of them.

    >>> nearest("expp", ["exp2", "linear"])
    "; did you mean 'exp2'?"
    """
    names = sorted(known)
    close = difflib.get_close_matches(word.lower(), names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(map(repr, names))}"


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number.

    >>> number_text(2.0), number_text(0.1)
    ('2', '0.1')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


class Named:
    """A frozen dataclass of numbers, whose text is its class in lower case and the numbers after colons."""

    @classmethod
    def name(cls) -> str:
        """The class as it is written in a measure's options."""
        return cls.__name__.lower()

    def __str__(self) -> str:
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return ":".join([self.name(), *(number_text(value) for value in values)])


def parse(text: str, classes: Mapping[str, type[_Value]], what: str) -> _Value:
    """The value that a text such as ``log:2`` names, out of these classes."""
    name, *numbers = text.split(":")
    cls = classes.get(name.lower())
    if cls is None:
        raise OptionError(f"unknown {what} {text!r}{nearest(name, classes)}")
    try:
        arguments: list[Any] = [float(number) for number in numbers]
        return cls(*arguments)
    except (TypeError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(f"cannot read the {what} {text!r}: {error}") from None

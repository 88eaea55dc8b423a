"""Frozen values with named options: ``ndcg(gain=linear)``, ``approx_ndcg(alpha=20)``."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from idealrank._base.specs import nearest, number_text
from idealrank.errors import OptionError

__all__ = ["Options", "choice", "number", "option", "read_options"]


def choice(*words: str) -> Callable[[Any], str]:
    """An option that is one of these words."""

    def coerce(value: Any) -> str:
        if value not in words:
            raise OptionError(f"unknown value {value!r}{nearest(str(value), words)}")
        return str(value)

    return coerce


def number(least: float = -math.inf, most: float = math.inf) -> Callable[[Any], float]:
    """An option that is a finite number from ``least`` to ``most``."""

    def coerce(value: Any) -> float:
        try:
            converted = float(value)
        except (TypeError, ValueError):
            converted = math.nan
        if not (math.isfinite(converted) and least <= converted <= most):
            raise OptionError(f"expected a number from {least:g} to {most:g}, got {value!r}")
        return converted

    return coerce


def option(coerce: Callable[[Any], Any], default: Any = None) -> Any:
    """A dataclass field that makes its value of what people write for it."""
    return dataclasses.field(default=default, metadata={"coerce": coerce})


class Options:
    """A frozen dataclass of options, each made from what people write for it; an option may be None."""

    #: The name in text.
    label: ClassVar[str]
    #: Fields of a parent that mean nothing here.
    without: ClassVar[frozenset[str]] = frozenset()

    def __new__(cls, *_: Any, **options: Any) -> Any:
        known = cls.options()
        for name, value in options.items():
            if name not in known and not (value is None and name in cls.without):
                raise OptionError(f"{cls.label} has no option {name!r}{nearest(name, known)}")
        return super().__new__(cls)

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
        """Names of the options, each with what makes a value of what people write for it."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return {each.name: each.metadata["coerce"] for each in fields if each.name not in cls.without}

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


#: One that is not between brackets of its own.
_COMMA = re.compile(r",(?![^(]*\))")


def read_options(inside: str, whole: str) -> dict[str, str]:
    """The options between the brackets of a name.

    >>> read_options("alpha=20, cutoff=10", whole="approx_ndcg(alpha=20, cutoff=10)")
    {'alpha': '20', 'cutoff': '10'}
    >>> read_options("measure=ndcg(gain=linear,discount=zipf)@10", whole="...")
    {'measure': 'ndcg(gain=linear,discount=zipf)@10'}
    """
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in _COMMA.split(inside))):
        key, equals, value = (text.strip() for text in part.partition("="))
        if not equals:
            raise OptionError(f"cannot read the option {part!r} of {whole!r}: write option=value")
        if key in options:
            raise OptionError(f"the option {key!r} stands twice in {whole!r}")
        options[key] = value
    return options

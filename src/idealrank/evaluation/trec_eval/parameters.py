"""The parameters of trec_eval's measures: what the text after the dot stands for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from idealrank.errors import OptionError
from idealrank.evaluation.trec_eval.gain_maps import Gains

__all__ = ["gain_map", "gains_and_p", "levels", "numbers", "ranks", "weights"]

_Number = TypeVar("_Number", int, float)


def ranks(text: str) -> tuple[int, ...]:
    """Read distinct ranks, in rising order."""
    cutoffs = _distinct(map(int, numbers(text)))
    if cutoffs[0] <= 0:
        raise OptionError(f"a cutoff must be 1 or more, got {cutoffs[0]}")
    return cutoffs


def levels(text: str) -> tuple[float, ...]:
    """Read distinct numbers, in rising order."""
    return _distinct(numbers(text))


def numbers(text: str) -> tuple[float, ...]:
    """Read numbers."""
    return tuple(map(_number, text.split(",")))


def weights(text: str) -> tuple[float, ...]:
    """Read four numbers."""
    found = numbers(text)
    if len(found) != 4:
        raise OptionError(f"expected 4 weights, got {len(found)}")
    return found


def gain_map(text: str) -> Gains:
    """Read pairs label=gain."""
    return _gains(_pairs(text))


def gains_and_p(text: str) -> tuple[Gains, float]:
    """Read pairs label=gain, and p=persistence among them, 0.9 by default."""
    pairs = _pairs(text)
    return _gains([pair for pair in pairs if pair[0] != "p"]), dict(pairs).get("p", 0.9)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise OptionError(f"expected a number, got {text!r}")
    return value


def _distinct(cutoffs: Iterable[_Number]) -> tuple[_Number, ...]:
    rising = tuple(sorted(cutoffs))
    if len(set(rising)) < len(rising):
        raise OptionError("a cutoff is repeated")
    return rising


def _pairs(text: str) -> list[tuple[str, float]]:
    pairs = [word.partition("=") for word in text.split(",")]
    if not all(name and equals for name, equals, _ in pairs):
        raise OptionError("expected pairs such as 1=3,2=9")
    return [(name, _number(value)) for name, _, value in pairs]


def _gains(pairs: list[tuple[str, float]]) -> Gains:
    gains = tuple((float(int(_number(label))), gain) for label, gain in pairs)
    if len(dict(gains)) < len(gains):
        raise OptionError("a label is repeated")
    return gains

"""Gains and discounts that functions are known to use, to be told apart by what they return."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from idealrank._typing import Floats
from idealrank.measures import discounts, gains

__all__ = [
    "DISCOUNTS",
    "GAINS",
    "GAINS_OF_SOME_LABELS",
    "STARTS_AT_ONE",
    "DiscountShape",
    "GainShape",
    "gains_of",
    "measured_discount",
    "measured_gain",
    "relative_weights",
    "thresholds_like",
    "weights_of",
]


class _Shape:
    """A formula in words, and the same as an option of ours, if there is one."""

    name: str
    option: object

    def __str__(self) -> str:
        return self.name

    @cached_property
    def text(self) -> str:
        """The option as it is written, or else the name."""
        return str(self.option or self.name)

    @property
    def is_table(self) -> bool:
        """Whether the formula is known only for labels or ranks that were measured."""
        return "table" in self.name


@dataclass(frozen=True)
class GainShape(_Shape):
    """What a label is worth: a formula in words, the function, and the same as an option of ours."""

    name: str
    of: Callable[[float], float] = field(compare=False)
    option: gains.Gain | None = field(default=None, compare=False)


@dataclass(frozen=True)
class DiscountShape(_Shape):
    """What rank r of a list of n counts."""

    name: str
    at: Callable[[int, int], float] = field(compare=False)
    option: discounts.Discount | None = field(default=None, compare=False)
    _known: dict[tuple[int, int], tuple[float, ...]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def relative(self) -> Floats | None:
        """The weights of the first ranks, relative to the first; None if there is no option."""
        return None if self.option is None else relative_weights(self.option)

    def weights(self, depth: int, n: int) -> tuple[float, ...]:
        """Return the weights of the first ranks of a list of n documents."""
        if (depth, n) not in self._known:
            self._known[depth, n] = tuple(self.at(rank, n) for rank in range(1, depth + 1))
        return self._known[depth, n]


def relative_weights(discount: discounts.Discount) -> Floats:
    """Return the weights of the first ranks, relative to the first."""
    return discount.weights(12) / discount(1, 12)


def binary(threshold: float, *, above: bool = False) -> GainShape:
    """Return the gain 1 from a label on, or for labels above it."""
    rel = math.nextafter(threshold, math.inf) if above else threshold
    name = f"1 for a label {'above' if above else 'of at least'} {threshold:g}, else 0"
    return GainShape(name, lambda label: float(label >= rel), gains.Binary(rel))


def thresholds_like(gain: GainShape) -> list[GainShape]:
    """Return the gains that differ from one only in where labels that are not whole begin to count."""
    if not gain.name.startswith("1 for a label"):
        return [gain]
    least = next((float(label) for label in range(1, 6) if gain.of(label)), 1.0)
    halves = [binary(least - 0.5), binary(least - 0.5, above=True)]
    similar = [binary(least), binary(least - 1, above=True), *halves, gain]
    return [*similar, clipped(1)] if least == 1 else similar


def clipped(highest: float) -> GainShape:
    """Return the label as the gain, up to a highest one."""
    return GainShape(f"min(label, {highest:g})", lambda label: min(label, highest))


def _power(exponent: float) -> Callable[[float], float]:
    return lambda label: math.copysign(abs(label) ** exponent, label)


def _exponential(base: float) -> Callable[[float], float]:
    log = math.log(base)
    return lambda label: math.expm1(label * log)  # has no cancellation near 0


#: The common ones first: of those that agree on all lists, the first is named.
GAINS: tuple[GainShape, ...] = (
    GainShape("label", float, gains.Linear()),
    GainShape("2^label - 1", lambda label: 2.0**label - 1, gains.Exp2()),
    binary(1),
    binary(0, above=True),
    binary(0.5),
    binary(0.5, above=True),
    binary(2),
    binary(1, above=True),
    binary(3),
    binary(4),
    GainShape("2^label", lambda label: 2.0**label),
    GainShape("label + 1", lambda label: label + 1),
    GainShape("label^2", _power(2)),
    GainShape("label^3", _power(3)),
    GainShape("sqrt(label)", _power(0.5)),
    GainShape("log2(1 + label)", lambda label: math.log2(1 + label) if label > -1 else -math.inf),
    GainShape("e^label - 1", _exponential(math.e)),
    GainShape("e^label", lambda label: math.e**label),
    GainShape("3^label - 1", _exponential(3)),
    GainShape("10^label - 1", _exponential(10)),
    GainShape("4^label - 1", _exponential(4)),
    GainShape("label (label + 1) / 2", lambda label: label * (label + 1) / 2),
    GainShape("label + 0.5", lambda label: label + 0.5),
    clipped(2),
    clipped(3),
    clipped(4),
    GainShape("1 for a judged document", lambda label: 1.0, gains.Binary(0.0)),
)

DISCOUNTS: tuple[DiscountShape, ...] = (
    DiscountShape("1/log2(rank + 1)", lambda rank, n: 1 / math.log2(rank + 1), discounts.Log()),
    DiscountShape("1, then 1/log2(rank)", lambda rank, n: 1 / math.log2(max(rank, 2)), discounts.Letor()),
    DiscountShape("1/rank", lambda rank, n: 1 / rank, discounts.Zipf()),
    DiscountShape("1/sqrt(rank)", lambda rank, n: rank**-0.5, discounts.Power(0.5)),
    DiscountShape("1/rank^2", lambda rank, n: rank**-2.0, discounts.Power(2)),
    DiscountShape("none: every rank counts 1", lambda rank, n: 1.0, discounts.Power(0)),
    DiscountShape("1/log2(rank + 2)", lambda rank, n: 1 / math.log2(rank + 2)),
    DiscountShape("1/log2(rank + 3)", lambda rank, n: 1 / math.log2(rank + 3)),
    DiscountShape("1 at ranks 1 to 3, then 1/log2(rank - 1)", lambda rank, n: 1 / math.log2(max(rank - 1, 2))),
    DiscountShape("1/(1 + log2(rank))", lambda rank, n: 1 / (1 + math.log2(rank))),
    DiscountShape("1/(1 + ln(rank))", lambda rank, n: 1 / (1 + math.log(rank))),
    DiscountShape("1/(1 + log10(rank))", lambda rank, n: 1 / (1 + math.log10(rank))),
    DiscountShape("1/(rank + 1)", lambda rank, n: 1 / (rank + 1)),
    DiscountShape("1/sqrt(rank + 1)", lambda rank, n: (rank + 1) ** -0.5),
    DiscountShape("1/log2(rank + 1)^2", lambda rank, n: math.log2(rank + 1) ** -2),
    DiscountShape("1, then 1/ln(rank), ranks up to e counting 1", lambda rank, n: 1 / max(1.0, math.log(rank))),
    DiscountShape("1, then 1/log10(rank), ranks up to 10 counting 1", lambda rank, n: 1 / max(1.0, math.log10(rank))),
    DiscountShape("n - rank", lambda rank, n: float(n - rank), discounts.Linear()),
    DiscountShape("n - rank + 1", lambda rank, n: float(n - rank + 1)),
    DiscountShape("0 at rank 1, then 1/log2(rank)", lambda rank, n: 1 / math.log2(rank) if rank > 1 else 0.0),
    DiscountShape("0 at rank 1, then 1/log2(rank + 1)", lambda rank, n: 1 / math.log2(rank + 1) if rank > 1 else 0.0),
    DiscountShape("2^-rank", lambda rank, n: 2.0**-rank, discounts.Geometric(2)),
)
STARTS_AT_ONE = DiscountShape(
    "1/log2(rank), which starts at log2(1) = 0", lambda rank, n: 1 / math.log2(rank) if rank > 1 else math.inf
)


def _gains_of_some_labels() -> Iterator[GainShape]:
    """Yield the two common gains, limited to a highest label, starting at a label, or for labels minus a number."""

    def limited(of: Callable[[float], float], text: str, number: int) -> Iterator[GainShape]:
        yield GainShape(text.replace("label", f"min(label, {number})"), lambda label: of(min(label, number)))
        yield GainShape(f"{text} from label {number} on, else 0", lambda label: of(label) if label >= number else 0.0)
        yield GainShape(text.replace("label", f"max(label - {number}, 0)"), lambda label: of(max(label - number, 0)))

    for usual, number in itertools.product(GAINS[:2], range(1, 5)):
        yield from limited(usual.of, usual.name, number)


GAINS_OF_SOME_LABELS: tuple[GainShape, ...] = tuple(_gains_of_some_labels())


@cache
def gains_of(label: float) -> tuple[float, ...]:
    """Return each of GAINS of a label."""
    return tuple(gain.of(label) for gain in GAINS)


@cache
def weights_of(depth: int, n: int) -> Floats:
    """Return the weights of the first ranks of a list of n documents, one row for each of DISCOUNTS."""
    return np.array([discount.weights(depth, n) for discount in DISCOUNTS])


def measured_gain(values: Sequence[float], tolerance: float) -> GainShape:
    """Return a gain that was measured for the labels 0, 1, 2, ...: a usual one, or else a table."""
    for known in (*GAINS, *GAINS_OF_SOME_LABELS):
        own = [known.of(float(label)) for label in range(len(values))]
        scale = next((a / b for a, b in zip(own, values, strict=True) if b), 0.0)
        if not own[0] and scale and all(abs(a - scale * b) <= tolerance * a for a, b in zip(own, values, strict=True)):
            return known
    shown = ", ".join(f"{label}: {value:.6g}" for label, value in enumerate(values))

    def of(label: float) -> float:
        place = int(label)
        if place != label or not 0 <= place < len(values):
            raise ValueError(f"the gain of the label {label:g} was not measured")
        return values[place]

    return GainShape(f"a table of its own ({shown})", of, gains.Table(tuple(values)))


def measured_discount(values: Sequence[float], tolerance: float) -> DiscountShape:
    """Return a discount that was measured at the first ranks: r^-b, b^-r, or else a table."""
    ratio = values[1]
    power = -math.log(ratio) / math.log(2) if ratio > 0 else math.inf
    if math.isfinite(power) and _fits(values, lambda rank: rank**-power, tolerance):
        exponent = _shortest(power, lambda short: _fits(values, lambda rank: rank**-short, tolerance))
        return DiscountShape(f"rank^-{exponent:g}", lambda rank, n: rank**-exponent, discounts.Power(exponent))
    if 0 < ratio < 1 and _fits(values, lambda rank: ratio ** (rank - 1), tolerance):
        base = _shortest(1 / ratio, lambda short: _fits(values, lambda rank: short ** (1 - rank), tolerance))
        return DiscountShape(f"{1 / base:g}^(rank - 1)", lambda rank, n: base**-rank, discounts.Geometric(base))
    shown = ", ".join(f"{value:.6g}" for value in values)

    def at(rank: int, n: int) -> float:
        if rank > len(values):
            raise ValueError(f"the weight of rank {rank} was not measured")
        return values[rank - 1]

    falling = values[0] > 0 and values[-1] >= 0 and all(b <= a for a, b in itertools.pairwise(values))
    return DiscountShape(f"a table of its own ({shown}, ...)", at, discounts.Table(tuple(values)) if falling else None)


def _fits(values: Sequence[float], formula: Callable[[int], float], tolerance: float) -> bool:
    if not math.isfinite(formula(2)):
        return False
    return all(abs(formula(rank) - value) <= tolerance * rank for rank, value in enumerate(values, 1))


def _shortest(value: float, fits: Callable[[float], bool]) -> float:
    """Return the number with the fewest decimals that fits as well as a measured one."""
    return next((short for digits in range(1, 7) if fits(short := round(value, digits))), value)

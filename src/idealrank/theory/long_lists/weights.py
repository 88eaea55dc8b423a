"""Weights w(u) on the places of a list, u = 0 at its top and 1 at its end, and integrals against them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate, special

from idealrank.errors import DataError

__all__ = ["Weight", "linear", "log_power", "power", "quadrature"]


@dataclass(frozen=True)
class Weight:
    """A weight w(u), given by its integral W(u) from the top, and by w(u) du = density(x) dx in a variable x.

    Parameters
    ----------
    integral : callable
        W(u). Step functions need nothing else.
    x_of, u_of : callable
        The change of variable, in both directions; x increases with u. It is chosen so that the integrand of other
        curves is bounded and smooth, whatever w does at the top.
    density : callable
        The density in x.
    """

    integral: Callable[[Any], Any]
    x_of: Callable[[float], float]
    u_of: Callable[[float], float]
    density: Callable[[float], float]


def power(beta: float) -> Weight:
    """Return w(u) = (1 - beta) u^-beta, 0 <= beta < 1, in the variable x = u^(1 - beta).

    >>> power(0.5).integral(0.25)
    0.5
    """
    exponent = 1 - beta

    def integral(u: Any) -> Any:
        return u**exponent

    return Weight(integral, integral, lambda x: x ** (1 / exponent), lambda x: 1.0)


def linear() -> Weight:
    """Return w(u) = 1 - u, the limit of the discount n - r.

    >>> linear().integral(1.0)
    0.5
    """
    return Weight(lambda u: u - u * u / 2, lambda u: u, lambda x: x, lambda x: 1 - x)


def log_power(k: int, beta: float = 0.0) -> Weight:
    """Return w(u) = (1 - beta) u^-beta (-log u)^k, in the variable x = (1 - beta) log u.

    >>> round(float(log_power(3).integral(1.0)), 12)  # 3!
    6.0
    >>> round(float(log_power(3, 0.5).integral(1.0)), 12)  # 3! / 0.5^3
    48.0
    """
    exponent = 1 - beta

    def integral(u: Any) -> Any:
        with np.errstate(divide="ignore"):
            return math.factorial(k) / exponent**k * special.gammaincc(k + 1, -exponent * np.log(u))

    def x_of(u: float) -> float:
        return exponent * math.log(u) if u > 0 else -math.inf

    return Weight(integral, x_of, lambda x: math.exp(x / exponent), lambda x: (-x / exponent) ** k * math.exp(x))


_SPLITS = (0.381966, 0.618034, 0.284079, 0.715921, 0.165912, 0.834088, 0.472136)
_ACCURACY = 1e-10


def quadrature(function: Callable[[float], float], low: float, high: float, breaks: Iterable[float] = ()) -> float:
    """Integrate to about ten digits; a function too rough for that is a DataError.

    Adaptive rules halve intervals until everything looks smooth, and miss a jump close to the end of one, or two that
    are close to each other. The range is therefore first split at the breaks, which are known jumps, and at several
    points, densely at its ends, until two different splits agree.
    """
    if low == high:
        return 0.0
    found: list[float] = []
    inside = {place for place in breaks if low < place < high}
    for split in _SPLITS:
        if math.isfinite(low):
            ends = [0.0, 1e-5 * split, 1e-2 * split]
            knots = [low + edge * (high - low) for edge in (*ends, split, *(1 - end for end in reversed(ends)))]
        else:
            knots = [low, high - 10 * split, high]
        pieces = [_adaptive(function, *piece) for piece in pairwise(sorted({*knots, *inside}))]
        value, error = (math.fsum(column) for column in zip(*pieces, strict=True))
        accuracy = _ACCURACY * max(1.0, abs(value))
        if error <= accuracy:
            if any(abs(value - other) <= accuracy for other in found):
                return value
            found.append(value)
    raise DataError(f"the curve is too rough to integrate between {low:g} and {high:g}; pass it as a StepCurve")


def _adaptive(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The integral and its estimated error."""
    value, error, *_ = integrate.quad(function, low, high, epsabs=1e-13, epsrel=1e-12, limit=500, full_output=1)
    return float(value), float(error)

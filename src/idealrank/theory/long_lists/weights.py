"""Weights w(u) on the places of a list, u = 0 at its top and 1 at its end; integrals and sums against them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate, special

from idealrank.errors import DataError, OptionError
from idealrank.measures import discounts


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


def rank_weight(discount: discounts.Discount, n: float = 1) -> Weight:
    """Return D(t) dt as a weight on the places u = t / n from rank 1 on.

    Its ``integral`` is F of Wang et al. 2013, Definition 20.

    >>> natural = discounts.Log(math.e)
    >>> round(float(rank_weight(natural).integral(10)), 9), round(float(rank_weight(discounts.Zipf()).integral(500)), 9)
    (5.545845436, 6.214608098)
    """
    match discount:
        case discounts.Log(base):
            return _log_weight(math.log(base), n)
        case discounts.Power(beta) if beta != 1:
            return _power_weight(1 - beta, n)
        case discounts.Zipf() | discounts.Power():
            return Weight(lambda u: np.log(n * u), lambda u: math.log(n * u), lambda x: math.exp(x) / n, lambda x: 1.0)
        case discounts.Table():
            raise OptionError('a table has no values between its ranks to integrate; use form="sum"')
        case _:
            return _numeric_weight(discount, n)


def _log_weight(scale: float, n: float) -> Weight:
    """F(t) = li(1 + t) - li(2), in the variable x = log(1 + t)."""
    start = special.expi(math.log(2))
    return Weight(
        lambda u: scale * (special.expi(np.log1p(n * u)) - start),
        lambda u: math.log1p(n * u),
        lambda x: math.expm1(x) / n,
        lambda x: scale * math.exp(x) / x,
    )


def _power_weight(exponent: float, n: float) -> Weight:
    """F(t) = (t^(1 - beta) - 1) / (1 - beta), which is also the variable."""

    def integral(u: Any) -> Any:
        return ((n * u) ** exponent - 1) / exponent

    return Weight(integral, integral, lambda x: (x * exponent + 1) ** (1 / exponent) / n, lambda x: 1.0)


def _numeric_weight(discount: discounts.Discount, n: float) -> Weight:
    """F(t) by quadrature, in the variable x = log t."""

    def density(x: float) -> float:
        rank = math.exp(x)
        return float(discount(rank, int(n))) * rank

    def integral(u: Any) -> Any:
        ends = np.log(np.atleast_1d(n * np.asarray(u, np.float64)))
        return np.array([quadrature(density, 0.0, end) for end in ends]).reshape(np.shape(u))

    return Weight(integral, lambda u: math.log(n * u), lambda x: math.exp(x) / n, density)


_SUMMED = 1_000_000


def discount_sum(discount: discounts.Discount, n: float) -> float:
    """Return the sum of D(r) over the ranks 1 to n, which may be too many to add up one by one.

    >>> discount_sum(discounts.Zipf(), 4)  # 1 + 1/2 + 1/3 + 1/4
    2.083333333333333
    >>> round(discount_sum(discounts.Zipf(), 1e100) - 100 * math.log(10), 9)  # Euler's constant
    0.577215665
    """
    head = float(discount.weights(int(min(n, _SUMMED))).sum())
    if n <= _SUMMED:
        return head
    # Euler-Maclaurin beyond the first million, where the next term, the slope over 12, is negligible.
    ends = np.array([_SUMMED, n])
    return head + float(np.diff(rank_weight(discount).integral(ends))[0] + np.diff(discount(ends))[0] / 2)

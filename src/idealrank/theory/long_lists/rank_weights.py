"""The integral and the sum of a discount over ranks, F(t) = int_1^t D and S(n) = sum_{r <= n} D(r), for any n."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from idealrank.errors import OptionError
from idealrank.measures import discounts
from idealrank.theory.long_lists.weights import Weight, quadrature

__all__ = ["discount_sum", "rank_weight"]


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

"""Steps of discounts as sums of exponentials, which a sweep over a ranking can carry from document to document."""

from __future__ import annotations

import functools
import math

import numpy as np

from idealrank._typing import Floats
from idealrank.measures.discounts import Discount

__all__ = ["rank_exponentials", "steps_of"]

_PRECISION = 1e-11  # of a sum of exponentials, relative to the step that it approximates
_MOST_TERMS = 72
_PART = 1 << 10  # number of rank differences that are checked at a time
_POINTS, _SHARES = np.polynomial.legendre.leggauss(12)


def steps_of(discount: Discount, n: int) -> Floats:
    """Return D(d) - D(d + 1) for d = 1 to n.

    Examples
    --------
    >>> from idealrank.measures import discounts
    >>> steps_of(discounts.Zipf(), 3)
    array([0.5       , 0.16666667, 0.08333333])
    """
    weights = discount.weights(n + 1)
    steps: Floats = np.subtract(weights[:-1], weights[1:])
    return steps


def rank_exponentials(discount: Discount, n: int) -> tuple[Floats, Floats] | None:
    """Return rates and amounts such that D(d) - D(d + 1) = sum_m amounts[m] exp(-rates[m] (d - 1)) for d = 1 to n.

    The steps of logarithmic, power-law and geometric discounts are such sums, to a relative error of about 1e-11.
    Return None for a discount that is not: one that falls in jumps, to 0, or not at all from one rank to the next.

    Examples
    --------
    >>> from idealrank.measures import discounts
    >>> rates, amounts = rank_exponentials(discounts.Geometric(2), 1000)
    >>> rates, amounts
    (array([0.69314718]), array([0.25]))
    >>> rank_exponentials(discounts.Table([1, 0.9, 0.2]), 1000) is None
    True
    """
    longest = 1 << max(6, (n - 1).bit_length())
    try:
        return _fitted(discount, longest)
    except TypeError:  # the discount is not hashable, so it cannot be cached
        return _fitted.__wrapped__(discount, longest)


@functools.lru_cache(maxsize=64)
def _fitted(discount: Discount, n: int) -> tuple[Floats, Floats] | None:
    apart = np.unique(np.append(np.arange(1.0, 65.0), np.rint(np.geomspace(64, n, 16 * n.bit_length()))))
    steps = _accurate_steps(discount, apart)
    if not steps.any():
        return np.empty(0), np.empty(0)
    if steps.min() < 0:
        return None
    scale = _scale(steps)
    for rates in _candidates(apart, steps, n):
        with np.errstate(under="ignore"):
            shapes = np.exp(-rates * (apart[:, None] - 1)) / scale[:, None]
            tops = shapes.max(axis=0)
            amounts = np.linalg.lstsq(shapes / tops, steps / scale, rcond=1e-15)[0] / tops
            error = np.abs(shapes @ amounts - steps / scale).max()
            # If large terms cancel, digits are lost in everything that they multiply.
            cancels = (shapes @ np.abs(amounts)).max() > 1000
        if error <= _PRECISION and not cancels:
            return (rates, amounts) if _holds(discount, n, rates, amounts) else None
    return None


def _scale(steps: Floats) -> Floats:
    """Return the scale of errors: the steps, which may underflow for geometric discounts, bounded from below."""
    scale: Floats = np.maximum(steps, 1e-290 * steps.max())
    return scale


def _accurate_steps(discount: Discount, apart: Floats) -> Floats:
    """Return D(d) - D(d + 1) as an integral of -D', which loses no digits where D is nearly constant."""
    between = np.add(apart[:, None], (_POINTS + 1) / 2)
    falls: Floats = np.negative(discount.at(between)[1]) @ _SHARES / 2
    return falls


def _candidates(apart: Floats, steps: Floats, n: int) -> list[Floats]:
    """Return sets of rates, small ones first."""
    tried = []
    last = int(np.flatnonzero(steps > 1e-290 * steps.max())[-1])
    if last > 0 and steps[0] > steps[last]:
        tried.append(np.array([math.log(steps[0] / steps[last]) / (apart[last] - 1)]))
    # Rates with evenly spaced logarithms are near the best ones (Braess and Hackbusch 2005).
    numbers = range(16 + 4 * int(0.5 * math.log(n)), _MOST_TERMS + 1, 4)
    return tried + [np.geomspace(0.4 / n, 8, n_terms) for n_terms in numbers]


def _holds(discount: Discount, n: int, rates: Floats, amounts: Floats) -> bool:
    """Return whether the sum of exponentials is accurate at each difference of ranks."""
    steps, rounding = steps_of(discount, n), 4 * np.finfo(float).eps * discount.weights(n)
    allowed = 10 * _PRECISION * _scale(steps) + rounding
    with np.errstate(under="ignore"):
        within = np.exp(-rates * np.arange(_PART)[:, None])
        for start in range(0, n, _PART):
            part = slice(start, start + _PART)
            found = (within @ (amounts * np.exp(-rates * start)))[: n - start]
            if np.any(np.abs(found - steps[part]) > allowed[part]):
                return False
    return True

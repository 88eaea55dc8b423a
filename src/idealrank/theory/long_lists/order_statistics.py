"""The expected DCG of n documents, exactly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting
from idealrank.theory.long_lists.weights import Weight

__all__ = ["expected_dcg"]


def expected_dcg(discount: MeasureLike, curve: CurveLike, n: int, cutoff: Any = None) -> float:
    """E[DCG] of n documents drawn at random (Wang et al. 2013, Claim 25).

    The place of the document at rank r is the r-th smallest of n uniform numbers, which has a beta distribution with
    mean r / (n + 1). With ybar(s) = s and two documents: D(1) 2/3 + D(2) 1/3.

    >>> from idealrank import discounts
    >>> round(expected_dcg(discounts.Zipf(), lambda s: s, 2), 12)  # 2/3 + 1/2 * 1/3
    0.833333333333
    """
    if n != int(n) or n < 1:
        raise DataError(f"n, the number of documents, must be a whole number from 1, got {n}")
    weighting = Weighting.of(discount, cutoff)
    return curves.of(curve).integral(_place_weight(weighting.weights(int(n)), int(n)))


def _place_weight(weights: Floats, n: int) -> Weight:
    """sum_r D(r) times the density of the r-th place, in the variable x = log(1 + n u), which spreads out the top."""
    sums = np.concatenate(([0.0], np.cumsum(weights)))

    def density(x: float) -> float:
        # n E[D(1 + B)], B of the binomial distribution (n - 1, u); du = exp(x) / n dx
        above, chances = _binomial(n - 1, math.expm1(x) / n)
        counted = above < weights.size
        return float(chances[counted] @ weights[above[counted]]) * math.exp(x)

    def integral(u: Any) -> Any:
        return np.array([_up_to(float(place)) for place in np.atleast_1d(u)]).reshape(np.shape(u))

    def _up_to(u: float) -> float:
        # sum_r D(r) P(B >= r) = E[D(1) + ... + D(B)], B documents of n above u
        above, chances = _binomial(n, u)
        return float(chances @ sums[np.minimum(above, weights.size)])

    return Weight(integral, lambda u: math.log1p(n * u), lambda x: min(math.expm1(x) / n, 1.0), density)


def _binomial(n: int, u: float) -> tuple[Any, Floats]:
    """Numbers out of n that are not hopelessly unlikely, and their probabilities."""
    u = min(max(u, 0.0), 1.0)
    reach = 12 * math.sqrt(n * u * (1 - u)) + 40
    numbers = np.arange(max(0, math.floor(n * u - reach)), min(n, math.ceil(n * u + reach)) + 1)
    logs = special.xlogy(numbers, u) + special.xlog1py(n - numbers, -u)
    logs -= special.gammaln(numbers + 1.0) + special.gammaln(n - numbers + 1.0)
    chances = np.exp(logs - logs.max())
    return numbers, chances / chances.sum()  # which also takes the rounding of gammaln out

"""The expected NDCG of a list of n documents, nearly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.rank_weights import rank_weight
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting

__all__ = ["ideal_dcg", "middles", "pseudo_expectation"]


def pseudo_expectation(
    discount: MeasureLike, curve: CurveLike, n: float, cutoff: Any = None, form: str = "sum"
) -> float:
    """What NDCG is expected to be on a list of n documents (Wang et al. 2013, Definition 20).

    ``form="integral"`` is the definition as printed, int_1^n ybar(1 - t/n) D(t) dt / F(np), which begins at rank 1 and
    so misses about half of it. ``form="sum"`` takes each rank at the middle of its place, and was within the noise of
    simulated means wherever we looked. Both divide by the ideal DCG of as many relevant documents as are expected,
    which must be more than one.

    >>> from idealrank import discounts
    >>> round(pseudo_expectation(discounts.Power(0.5), lambda s: s, 10_000, form="integral"), 12)
    0.941989115186
    >>> round(pseudo_expectation(discounts.Power(0.5), lambda s: s, 10_000), 6)
    0.942236
    """
    weighting = Weighting.of(discount, cutoff)
    checked = curves.check_relevant(curves.of(curve))
    if not (math.isfinite(n) and n >= 1):
        raise DataError(f"n, the number of documents, must be a finite number from 1, got {n}")
    if not n * checked.p > 1:
        raise DataError(
            f"the expected number of relevant documents, n p, must be above 1, got {n:g} * {checked.p:.4g}: "
            "the ideal DCG in the denominator means nothing below"
        )
    if form == "sum":
        weights = weighting.weights(int(n))
        return float(weights @ checked(middles(weights.size, int(n)))) / ideal_dcg(checked, weights, int(n))
    if form == "integral":
        end = 1.0 if weighting.cutoff is None else weighting.depth(int(n)) / n
        weight = rank_weight(weighting.discount, n)
        return checked.integral(weight, 1 / n, end) / checked.ideal_integral(weight, 1 / n, end)
    raise OptionError(f"unknown form {form!r}; there are 'sum' and 'integral'")


def middles(depth: int, n: int) -> Floats:
    """The canonical scores in the middle of the first places of a list of n documents."""
    return 1 - (np.arange(1, depth + 1) - 0.5) / n


def ideal_dcg(curve: Curve, weights: Floats, n: int) -> float:
    """The DCG of the ideal order of as many documents of each gain as n documents are expected to have."""
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    ends = n * np.concatenate(([0.0], np.cumsum(curve.shares)))
    return float(np.asarray(curve.levels) @ np.diff(np.interp(ends, np.arange(sums.size), sums)))

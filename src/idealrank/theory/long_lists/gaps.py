"""The distance of two rankers under standard NDCG, whose limit is 1 for both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from idealrank._core.checks import are_numbers, check_count
from idealrank._present.result import Result
from idealrank.errors import OptionError
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.regimes import Regime
from idealrank.theory.long_lists.steps import StepCurve
from idealrank.theory.long_lists.weights import log_power, power

__all__ = ["first_order", "leading_gap"]


@dataclass(frozen=True)
class FirstOrder(Result):
    """NDCG = 1 - deficiency / log n + O(1 / log^2 n), for the discount 1 / log(1 + r).

    Parameters
    ----------
    lam : float
        int_0^1 ybar(1 - u) (-log u) du / p, which is 1 for a random ranking.
    deficiency : float
        The value of ``lam`` for an ideal ranking, which is 1 - log p for labels 0 and 1, minus ``lam``.

    Examples
    --------
    >>> from idealrank.theory.long_lists.gaps import first_order
    >>> round(first_order(lambda s: 0.5).lam, 12)  # a random ranking
    1.0
    """

    lam: float
    deficiency: float


def first_order(curve: CurveLike) -> FirstOrder:
    """Compute how slowly standard NDCG converges to its limit 1.

    Parameters
    ----------
    curve : Curve, callable or mapping of float to callable
        The relevance curve of the ranker.

    Returns
    -------
    FirstOrder
        The first-order term of NDCG.

    Raises
    ------
    DataError
        If the curve is 0 everywhere.

    Examples
    --------
    >>> from idealrank.theory import first_order
    >>> found = first_order(lambda s: s)
    >>> round(found.lam, 12), round(found.deficiency, 12)  # 3/2, and 1 - log(1/2) - 3/2
    (1.5, 0.19314718056)
    """
    checked = curves.relevant(curve)
    lam = checked.integral(log_power(1)) / checked.mean
    return FirstOrder(lam, checked.ideal_integral(log_power(1)) / checked.mean - lam)


@dataclass(frozen=True)
class LeadingGap(Result):
    """N_a(n) - N_b(n) = a / log^K n + O(1 / log^(K+1) n), for the discount 1 / log(1 + r).

    Parameters
    ----------
    K : int or None
        The order of the first moment that is not 0; None if none was found.
    a : float
        The factor of the leading term.
    moments : tuple of float
        M_k = int_0^1 (ybar_a - ybar_b)(1 - u) log^k u du.
    errors : tuple of float or None
        The standard errors of the moments, if both curves were fitted with the same ``n_resamples`` and ``seed``.

    Examples
    --------
    >>> from idealrank.theory.long_lists.gaps import leading_gap
    >>> leading_gap(lambda s: s, lambda s: 1 - s).K
    1
    """

    K: int | None
    a: float
    moments: tuple[float, ...]
    errors: tuple[float, ...] | None = None


def leading_gap(curve_a: CurveLike, curve_b: CurveLike, *, k_max: int = 8, tolerance: float = 1e-9) -> LeadingGap:
    """Compute the leading term of the gap between two rankers in standard NDCG (Wang et al. 2013, Lemma 22).

    The factor is a = (-1)^K M_K / p; the paper prints it without the 1/p. Two rankers of the same documents have M_0 =
    0, so every gap is O(1 / log n).

    Parameters
    ----------
    curve_a, curve_b : Curve, callable or mapping of float to callable
        The relevance curves of the two rankers.
    k_max : int
        The highest moment to compute.
    tolerance : float
        A moment below this, relative to its scale, counts as 0.

    Returns
    -------
    LeadingGap
        The order and the factor of the leading term.

    Raises
    ------
    DataError
        If a curve is 0 everywhere, or if the curves do not rank the same documents.

    Examples
    --------
    >>> from idealrank.theory import leading_gap
    >>> gap = leading_gap(lambda s: s, lambda s: 1 - s)
    >>> gap.K, round(gap.a, 12), [round(moment, 12) + 0.0 for moment in gap.moments[:4]]
    (1, 1.0, [0.0, -0.5, 1.5, -5.25])
    """
    check_count(k_max, "k_max", least=0)
    if not are_numbers(tolerance):
        raise OptionError(f"tolerance must be a number, got {tolerance!r}")
    a, b = map(curves.relevant, (curve_a, curve_b))
    curves.check_same_documents(a, b)
    moments, errors = log_moments(a, b, k_max), _errors(a, b, k_max)
    for k, moment in enumerate(moments):
        if k > 0 and abs(moment) > tolerance * math.factorial(k) * a.best:
            return LeadingGap(k, (-1) ** k * moment / a.mean, moments, errors)
    return LeadingGap(None, 0.0, moments, errors)


def _errors(a: Curve, b: Curve, k_max: int) -> tuple[float, ...] | None:
    """The standard deviation of the moments over common resamples of both curves."""
    if not (isinstance(a, StepCurve) and isinstance(b, StepCurve) and len(a.resamples) == len(b.resamples) > 1):
        return None
    moments = [log_moments(*pair, k_max) for pair in zip(a.resamples, b.resamples, strict=True)]
    return tuple(np.std(moments, axis=0, ddof=1).tolist())


class LogTerm(NamedTuple):
    """NDCG(A) - NDCG(B) ~ constant / log(n)^order."""

    order: int
    constant: float


#: A moment below this, relative to its scale, counts as 0.
_ZERO = 1e-8


def log_term(found: Regime, a: Curve, b: Curve, end: float = 1.0) -> LogTerm | None:
    """Return the leading term of the gap of two curves with equal limits under r^-beta (log r)^-logs.

    With L = log n, D(n u) is D(n) u^-beta (1 + log u / L)^-logs. The term of order k of this series in 1/L has the
    factor logs (logs + 1) ... (logs + k - 1) / k!, and the integral of u^-beta (-log u)^k over the places u up to
    ``end``.
    """
    factor, ideal = 1.0, a.ideal_integral(power(found.beta), to=end)
    for k in range(1, 9):
        factor *= (found.logs + k - 1) / k
        weight = log_power(k, found.beta)
        moment = a.integral(weight, to=end) - b.integral(weight, to=end)
        if abs(factor * moment) > _ZERO * max(a.best, b.best) * math.factorial(k) / (1 - found.beta) ** k:
            return LogTerm(k, factor * moment / ideal)
    return None


def log_moments(curve_a: Curve, curve_b: Curve, k_max: int, to: float = 1.0) -> tuple[float, ...]:
    """Return M_0, M_1, ... of the difference of two curves, over the places u from 0 to ``to``."""
    return tuple(
        (-1) ** k * (curve_a.integral(log_power(k), to=to) - curve_b.integral(log_power(k), to=to))
        for k in range(k_max + 1)
    )

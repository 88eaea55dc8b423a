"""How often one ranker beats another on a long list, and their distance where both have the same limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from idealrank._core.checks import are_numbers, check_count
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import discounts
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.laws import head_and_sums
from idealrank.theory.long_lists.limits import end_of, limit, sees, without_limit
from idealrank.theory.long_lists.measure_discount import MeasureLike, Regime, Weighting
from idealrank.theory.long_lists.steps import StepCurve
from idealrank.theory.long_lists.weights import log_power, power, quadrature


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
    >>> from idealrank.theory.long_lists.wins import first_order
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
    >>> from idealrank.theory.long_lists.wins import leading_gap
    >>> leading_gap(lambda s: s, lambda s: 1 - s).K
    1
    """

    K: int | None
    a: float
    moments: tuple[float, ...]
    errors: tuple[float, ...] | None = None


def leading_gap(curve_a: CurveLike, curve_b: CurveLike, *, k_max: int = 8, tolerance: float = 1e-9) -> LeadingGap:
    """Compute the leading term of the gap between two rankers in standard NDCG (Wang et al. 2013, Lemma 22).

    The factor is a = (-1)^K M_K / p; the proof in the paper has it without the 1/p (eq. 25). Two rankers of the same
    documents have M_0 = 0, so every gap is O(1 / log n).

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


#: Limits that differ by less are the same.
EQUAL = 1e-8
_HEAD = 300


def win_probability(discount: MeasureLike, curve_a: CurveLike, curve_b: CurveLike, cutoff: CutoffLike = None) -> float:
    """Compute the limit of P(NDCG of A > NDCG of B) as the list grows; ties count as 1/2.

    A and B are assumed to rank independently of each other at the top. The probability is 1 or 0 if the limits differ,
    or if NDCG converges to the same limit at different speeds because of a logarithm in the discount, as in standard
    NDCG. It is in between if few ranks count (Wang et al. 2013, Theorem 10), and also if both rankers have the same
    limit under r^-beta and random labels at the top. The second condition of Theorem 8 in the paper says otherwise if
    beta > 2/3 and the tops differ, but it is wrong: the labels at the top alone cause as much noise as there is signal.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve_a, curve_b : Curve, callable or mapping of float to callable
        The relevance curves of A and B.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, as in `limit`; None means all ranks.

    Returns
    -------
    float
        The probability; NaN if the curves do not determine it.

    Raises
    ------
    OptionError
        If it is not known how fast the discount decreases.
    DataError
        If a curve is 0 everywhere.

    Examples
    --------
    With the discount 2^-r, the first rank with different labels decides: q_a (1 - q_b) against q_b (1 - q_a).

    >>> from idealrank.theory import win_probability
    >>> round(win_probability("geometric:2", lambda s: 0.8 * s, lambda s: 0.6 * s), 12)  # 0.32 / (0.32 + 0.12)
    0.727272727273
    >>> win_probability("power:0.5", lambda s: s, lambda s: 1 - s)
    1.0
    """
    weighting = Weighting.of(discount, cutoff)
    a, b = map(curves.relevant, (curve_a, curve_b))
    seen = sees(weighting)
    if seen == "undecided":
        raise OptionError(without_limit(weighting))
    if seen == "few":
        return _at_the_top(weighting, a, b)
    if agree(a, b, end_of(weighting)) or counts_equally(weighting):
        return 0.5
    gap = limit_gap(weighting, a, b)
    if abs(gap) > EQUAL:
        return float(gap > 0)
    return _with_equal_limits(weighting, seen, a, b)


def counts_equally(weighting: Weighting) -> bool:
    """Return whether all ranks of a list count equally, so that NDCG is 1 for any ranking."""
    found = weighting.regime
    return found.kind == "slow" and found.logs == 0 and weighting.cutoff is None


def limit_gap(weighting: Weighting, a: Curve, b: Curve) -> float:
    """Return the difference of the limits of two curves."""
    return _limit(weighting, a) - _limit(weighting, b)


@lru_cache(maxsize=1024)  # the same for all pairs of a ranker
def _limit(weighting: Weighting, curve: Curve) -> float:
    return limit(weighting, curve)


def _with_equal_limits(weighting: Weighting, seen: str, a: Curve, b: Curve) -> float:
    """The probability that A wins if both limits are the same."""
    found = weighting.regime
    if found.kind in ("slow", "power") and seen == "list" and found.logs != 0:
        term = log_term(found, a, b, end_of(weighting))
        return math.nan if term is None else float(term.constant > 0)
    if a.top_variance + b.top_variance == 0:
        return math.nan
    if found.kind == "power" and seen == "list":
        if found.beta <= 0.5:
            return 0.5
        return _beats(a, b, *_head_and_tail(found.beta), shift=zeta(found.beta) * (a.top - b.top))
    if found.kind == "harmonic" and weighting.cutoff is None and found.logs == 0:
        return _beats(a, b, *_head_and_tail(1.0), shift=top_integral(a, b))
    return math.nan


_PLACES = np.concatenate([(np.arange(4000) + 0.5) / 4000, np.exp2(-np.arange(0.5, 40))])


@lru_cache(maxsize=1024)  # the same for all measures of a pair
def agree(a: Curve, b: Curve, end: float = 1.0) -> bool:
    """Return whether two curves are numerically the same on the places u from 0 to ``end``."""
    rows_a, rows_b = (_at_places(each, end) for each in (a, b))
    zeros = np.zeros_like(_PLACES)
    differences = [rows_a.get(level, zeros) - rows_b.get(level, zeros) for level in rows_a | rows_b]
    return bool(np.abs(differences).max() < 1e-9)


@lru_cache(maxsize=256)  # the same for all pairs of a ranker
def _at_places(curve: Curve, end: float) -> dict[float, Floats]:
    """The probability of each level at the places up to ``end``."""
    return dict(zip(curve.levels, curve.probabilities(1 - end * _PLACES), strict=True))


def top_integral(a: Curve, b: Curve) -> float:
    """Return int_0^1 (ybar_a - ybar_b)(1 - u) / u du, the gap under 1/r of two curves with the same top."""

    def difference(x: float) -> float:
        s = -math.expm1(x)
        return float(a(s)) - float(b(s))

    jumps = np.concatenate((a.breaks, b.breaks))
    return quadrature(difference, -700.0, 0.0, np.log1p(-jumps[jumps < 1]).tolist())


def zeta(beta: float) -> float:
    """Return Riemann's zeta function; below 1 it is the difference between the sum over r^-beta and its integral.

    >>> round(zeta(2), 12), round(zeta(0.5), 12)  # pi^2 / 6
    (1.644934066848, -1.46035450881)
    """
    n = 1000.0
    correction = n**-beta * (-n / (1 - beta) + 0.5 + beta / (12 * n) - beta * (beta + 1) * (beta + 2) / (720 * n**3))
    return float(np.sum(np.arange(1, n) ** -beta) + correction)


def _head_and_tail(beta: float) -> tuple[Floats, float]:
    """The first weights, and the sum of the squares of the others."""
    return np.arange(1.0, _HEAD + 1) ** -beta, float(special.zeta(2 * beta, _HEAD + 1))


def _at_the_top(weighting: Weighting, a: Curve, b: Curve) -> float:
    """Theorem 10: the labels of the first ranks decide."""
    discount, binary = weighting.discount, len({*a.levels, *b.levels}) == 1
    if isinstance(discount, discounts.Geometric) and discount.base >= 2 and binary and weighting.cutoff is None:
        # The first difference outweighs everything that follows.
        differences, chances = _differences(a, b)
        better, worse = (float(chances[mask].sum()) for mask in (differences > 0, differences < 0))
        return better / (better + worse) if better + worse > 0 else 0.5
    head, _, squares = head_and_sums(weighting)
    return _beats(a, b, head[:_HEAD], max(0.0, squares - float(head[:_HEAD] @ head[:_HEAD])))


def _differences(a: Curve, b: Curve) -> tuple[Floats, Floats]:
    """All differences of a gain at A's top and one at B's, and their probabilities."""
    (gains_a, chances_a), (gains_b, chances_b) = a.top_gains(), b.top_gains()
    differences, places = np.unique(np.subtract.outer(gains_a, gains_b), return_inverse=True)
    together = np.outer(chances_a, chances_b).ravel()
    return differences, np.bincount(places.ravel(), together).astype(np.float64)


_CELLS = 1 << 14


def _beats(a: Curve, b: Curve, head: Floats, tail_squares: float, shift: float | None = None) -> float:
    """P(sum_r D(r) (G_ar - G_br) > 0), ties half: the head's ranks on a fine grid, the others as a normal deviate.

    With ``shift`` the gains are centered first, and the shift replaces the sum of their means.
    """
    differences, chances = _differences(a, b)
    mean = float(differences @ chances)
    variance = float(differences**2 @ chances) - mean**2
    # Room at both ends: every rank may carry mass one cell too far.
    cell = float(np.abs(differences).max() * head.sum()) / (_CELLS - head.size)
    if cell == 0:
        return 0.5
    mass = np.zeros(2 * _CELLS + 1)
    mass[_CELLS] = 1.0
    for weight in head:
        steps = weight * differences / cell
        mass = np.sum([chance * _moved(mass, step) for step, chance in zip(steps, chances, strict=True)], axis=0)
    sums = (np.arange(mass.size) - _CELLS) * cell
    if shift is not None:
        sums = sums - mean * float(head.sum()) + shift
    tail_sd = math.sqrt(variance * tail_squares)
    return float(mass @ (special.ndtr(sums / tail_sd) if tail_sd > 0 else np.heaviside(sums, 0.5)))


def _moved(mass: Floats, cells: float) -> Floats:
    """The mass moved by a number of cells; a fraction of a cell is shared between neighbors, which keeps the mean."""
    whole = math.floor(cells)
    part = cells - whole
    moved = np.zeros_like(mass)
    for step, share in ((whole, 1 - part), (whole + 1, part)):
        if share:
            moved[max(step, 0) : mass.size + min(step, 0)] += share * mass[max(-step, 0) : mass.size - max(step, 0)]
    return moved

"""How fast a discount decreases, which alone decides what NDCG sees of a long list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import discounts
from idealrank.theory.long_lists.measure_discount import MeasureLike, Weighting

__all__ = ["regime"]


@dataclass(frozen=True)
class Regime(Result):
    """The behavior of a discount on long lists, D(r) ~ r^-beta (log r)^-logs.

    Parameters
    ----------
    kind : str
        "slow": decreases more slowly than any power of r, like the logarithm. "power": like r^-beta with 0 < beta < 1.
        "harmonic": like 1/r, and its sum is still unbounded. "bounded": its sum is bounded. "linear": n - r.
        "undecided": none of these, as far as can be computed.
    beta : float
        The power of r.
    logs : float
        The power of log r.
    reason : str
        The reason why the discount is of this kind.

    Examples
    --------
    >>> from idealrank.theory.long_lists.regimes import regime
    >>> found = regime("power:0.5")
    >>> found.kind, found.beta
    ('power', 0.5)
    """

    kind: str
    beta: float
    logs: float
    reason: str


def regime(discount: MeasureLike) -> Regime:
    """Return the regime of a discount; for functions outside the library, it is estimated from their values.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure.

    Returns
    -------
    Regime
        The kind of the discount, its exponents, and the reason.

    Raises
    ------
    OptionError
        If the discount starts at 0 or below, increases, or becomes negative.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.theory import regime
    >>> regime("log").kind, regime("power:0.5").kind, regime("zipf").kind, regime("geometric").kind
    ('slow', 'power', 'harmonic', 'bounded')
    >>> own = regime(lambda r: 1 / (r * np.log(r + 1) ** 2))
    >>> own.kind, own.reason
    ('bounded', 'like r^-1 (log r)^-2 up to rank 2^960: its sum is bounded')
    """
    match Weighting.of(discount).discount:
        case discounts.Log() | discounts.Letor():
            return _of_powers(0.0, 1.0, "(log r)^-1")
        case discounts.Power(beta):
            return _of_powers(beta, 0.0, f"r^-{beta:g}")
        case discounts.Zipf():
            return _of_powers(1.0, 0.0, "r^-1")
        case discounts.Geometric(base):
            return Regime("bounded", np.inf, 0.0, f"{base:g}^-r: its sum is bounded")
        case discounts.Linear():
            return Regime("linear", 0.0, 0.0, "n - r stretches with the list")
        case discounts.Table(values):
            return Regime("bounded", np.inf, 0.0, f"only the first {len(values)} ranks count")
        case own:
            return _judged(own)


def _of_powers(beta: float, logs: float, text: str) -> Regime:
    """The regime of r^-beta (log r)^-logs."""
    if beta == 0:
        return Regime("slow", 0.0, logs, f"{text}: slower than any power of r, its sum is unbounded")
    if beta < 1:
        return Regime("power", beta, logs, f"{text}: slower than 1/r, its sum is unbounded")
    if beta == 1 and logs <= 1:
        return Regime("harmonic", beta, logs, f"{text}: its sum is only just unbounded")
    return Regime("bounded", beta, logs, f"{text}: its sum is bounded")


# Ranks are powers of two, so far apart that even a logarithm shows; rounding to a millionth tells 1 from 1.00001.
_EXPONENTS = np.arange(60.0, 961.0, 60.0)
_TOLERANCE = 1e-6


def _judged(own: discounts.Discount) -> Regime:
    """Fit -log2(D(2r) / D(r)) = beta + logs * log2(1 + 1/log2(r)) at r = 2^60 ... 2^960."""
    _check_decreasing(own)
    with np.errstate(all="ignore"):
        near, far = own(np.exp2(_EXPONENTS)), own(np.exp2(_EXPONENTS + 1))
        slopes = -np.log2(far / near)
    alive = np.isfinite(slopes) & (far > np.finfo(np.float64).tiny)  # smaller numbers have fewer digits
    return _fitted(_EXPONENTS[alive], slopes[alive]) if alive.sum() >= 4 else _vanishing(own)


def _fitted(exponents: Floats, slopes: Floats) -> Regime:
    """The powers of r and log r that describe these slopes."""
    design = np.column_stack([np.ones_like(exponents), np.log2(1 + 1 / exponents)])
    (beta, logs), *_ = np.linalg.lstsq(design, slopes)
    if np.abs(design @ [beta, logs] - slopes).max() > _TOLERANCE:
        return Regime("undecided", float(beta), float(logs), "no power of r and log r describes how it decreases")
    beta, logs = _rounded(beta), _rounded(logs)
    factors = [f"r^-{beta:g}"] * (beta != 0) + [f"(log r)^-{logs:g}"] * (logs != 0)
    return _of_powers(beta, logs, f"like {' '.join(factors) or 'a constant'} up to rank 2^{exponents[-1]:g}")


def _rounded(value: float) -> float:
    """The nearest number with five decimals, if it is close: 0.5000000001 means 0.5."""
    near = round(float(value), 5)
    return near + 0.0 if abs(near - value) < _TOLERANCE else float(value)


def _vanishing(own: discounts.Discount) -> Regime:
    """The regime of a discount that underflows to 0: find where it drops below r^-2."""
    exponents = np.arange(1.0, 60.0)
    with np.errstate(all="ignore"):
        below = own(np.exp2(exponents)) < np.exp2(-2 * exponents)
    first = int(np.argmax(below))
    if below[first:].all():
        return Regime("bounded", np.inf, 0.0, f"below r^-2 from rank 2^{exponents[first]:g} on: its sum is bounded")
    return Regime("undecided", np.nan, np.nan, "its values at large ranks cannot be judged")


def _check_decreasing(own: discounts.Discount) -> None:
    """Raise an OptionError unless the discount starts above 0, never increases and is never negative."""
    ranks = np.concatenate([np.arange(1.0, 1001.0), np.exp2(np.arange(10.0, 51.0))])
    weights = own(ranks)
    if not np.isfinite(weights).all() or weights[0] <= 0 or (weights < 0).any() or (np.diff(weights) > 0).any():
        rank = ranks[1:][np.diff(weights) > 0]
        where = f"; it increases at rank {rank[0]:g}" if rank.size else ""
        raise OptionError(f"a discount must start above 0, never increase and never be negative{where}: {own}")

"""How fast a discount falls, which is all that decides what NDCG sees of a long list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idealrank._base.results import Result
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import discounts
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting

__all__ = ["Regime", "regime"]


@dataclass(frozen=True)
class Regime(Result):
    """What a discount does on long lists.

    ``kind``: "slow" falls more slowly than any power of r, as the logarithm does; "power" like r^-beta, 0 < beta < 1;
    "harmonic" like 1/r, its sum still unbounded; "bounded" has a bounded sum; "linear" is n - r; "undecided" is none of
    these for all that can be computed. ``logs`` is the power of log r in D(r) ~ r^-beta (log r)^-logs.
    """

    kind: str
    beta: float
    logs: float
    reason: str


def regime(discount: MeasureLike) -> Regime:
    """The regime of a discount: those of the library are known, anyone's own is judged by its values.

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
    if beta == 0:
        return Regime("slow", 0.0, logs, f"{text}: slower than any power of r, its sum is unbounded")
    if beta < 1:
        return Regime("power", beta, logs, f"{text}: slower than 1/r, its sum is unbounded")
    if beta == 1 and logs <= 1:
        return Regime("harmonic", beta, logs, f"{text}: its sum is unbounded, just so")
    return Regime("bounded", beta, logs, f"{text}: its sum is bounded")


# Ranks are powers of two, so far apart that even a logarithm shows; rounding to a millionth tells 1 from 1.00001.
_EXPONENTS = np.arange(60, 961, 60)
_SETTLED = 1e-6


def _judged(own: discounts.Discount) -> Regime:
    """Fits -log2(D(2r) / D(r)) = beta + logs * log2(1 + 1/log2(r)) at r = 2^60 ... 2^960."""
    _check_falls(own)
    with np.errstate(all="ignore"):
        near, far = own(np.exp2(_EXPONENTS)), own(np.exp2(_EXPONENTS + 1.0))
        slopes = -np.log2(far / near)
    alive = np.isfinite(slopes) & (near > 0) & (far > 0)
    if alive.sum() < 4:
        # Gone to 0 within the numbers of a computer: where did it drop?
        return _vanishing(own)
    return _fitted(_EXPONENTS[alive].astype(np.float64), slopes[alive])


def _fitted(exponents: Floats, slopes: Floats) -> Regime:
    design = np.column_stack([np.ones_like(exponents), np.log2(1 + 1 / exponents)])
    (beta, logs), *_ = np.linalg.lstsq(design, slopes)
    if np.abs(design @ [beta, logs] - slopes).max() > _SETTLED:
        return Regime("undecided", float(beta), float(logs), "no power of r and log r describes how it falls")
    beta, logs = _rounded(beta), _rounded(logs)
    factors = [f"r^-{beta:g}"] * (beta != 0) + [f"(log r)^-{logs:g}"] * (logs != 0)
    return _of_powers(beta, logs, f"like {' '.join(factors) or 'a constant'} up to rank 2^{exponents[-1]:g}")


def _rounded(value: float) -> float:
    """The nearest number of five digits, if it is near: 0.5000000001 means 0.5."""
    near = round(float(value), 5)
    return near + 0.0 if abs(near - value) < _SETTLED else float(value)


def _vanishing(own: discounts.Discount) -> Regime:
    exponents = np.arange(1.0, 60.0)
    with np.errstate(all="ignore"):
        weights = own(np.exp2(exponents))
    below = weights < np.exp2(-2 * exponents)
    if below.any() and below[np.argmax(below) :].all():
        first = exponents[np.argmax(below)]
        return Regime("bounded", np.inf, 0.0, f"below r^-2 from rank 2^{first:g} on: its sum is bounded")
    return Regime("undecided", np.nan, np.nan, "its values at large ranks are not numbers to judge by")


def _check_falls(own: discounts.Discount) -> None:
    ranks = np.unique(np.concatenate([np.arange(1.0, 1001.0), np.exp2(np.arange(10.0, 51.0))]))
    weights = own(ranks)
    if not np.isfinite(weights).all() or weights[0] <= 0 or (weights < 0).any() or (np.diff(weights) > 0).any():
        rank = ranks[1:][np.diff(weights) > 0]
        where = f"; it rises at rank {rank[0]:g}" if rank.size else ""
        raise OptionError(f"a discount begins above 0, never rises and is never negative{where}: {own}")

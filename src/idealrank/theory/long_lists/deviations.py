"""How near NDCG is to its pseudo-expectation on one list."""

from __future__ import annotations

import math
from dataclasses import dataclass

from idealrank._base.results import Result
from idealrank.errors import DataError, OptionError
from idealrank.theory.long_lists.regimes import regime
from idealrank.theory.long_lists.weighting import MeasureLike

__all__ = ["Concentration", "concentration"]


@dataclass(frozen=True)
class Concentration(Result):
    """NDCG is ``deviation`` or less from its pseudo-expectation, but for a chance ``failure``; up to constants."""

    deviation: float
    failure: float


def concentration(
    discount: MeasureLike, n: float, p: float, *, alpha: float = 1.0, holder: float = 1.0
) -> Concentration:
    """The bound of Wang et al. 2013, Lemma 23 (logarithm) and Lemma 34 (r^-beta), as corrected here.

    The curve is Hölder continuous: |ybar(s) - ybar(t)| <= holder |s - t|^alpha, 0 < alpha <= 1. As printed both fail:
    Lemma 23 gives 0 for a constant curve, where ``holder`` is 0, and Lemma 34 forgets that the labels of the first
    ranks alone move NDCG by n^-(1 - beta). Factors that do not depend on n, p
    and the curve are not known and left out.

    >>> round(concentration("log", 1e6, 0.5).deviation, 4)  # 2 * 1e-2 * (log 1e6)^(1/3)
    0.048
    """
    found = regime(discount)
    if found.kind not in ("slow", "power"):
        raise OptionError(f"concentration is known for discounts slower than 1/r only; this one: {found.reason}")
    if not (0 < p <= 1 and n > 1 and 0 < alpha <= 1 and holder >= 0):
        raise DataError(f"needs 0 < p <= 1, n > 1, 0 < alpha <= 1 and holder >= 0, got {p=}, {n=}, {alpha=}, {holder=}")
    rate = max(n ** (-alpha / 3), n ** (-(1 - found.beta) / 3))
    return Concentration(max(holder, 1.0) / p * rate * math.log(n) ** (1 / 3), math.exp(-(n**0.25)))

"""How many queries a difference needs to be seen, and how small a difference the queries at hand can show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._base.results import Result
from idealrank.errors import DataError
from idealrank.stats.samples import complete_queries
from idealrank.stats.several import anova

__all__ = ["PowerPlan", "minimum_detectable_effect", "power_of_t_test", "queries_for"]

_MOST_QUERIES = 10**9
DESIGNS = ("t", "anova", "interval", "order", "any_order")


@dataclass(frozen=True)
class PowerPlan(Result):
    """How many queries an experiment needs.

    ``variance`` is what the pilot says: of the difference of two systems for "t" and "interval", of one system's values
    beside the queries' for "anova".

    >>> plan = queries_for(0.1, [[0.5, 0.3], [0.2, 0.4], [0.9, 0.6]], power=0.9)
    >>> plan.design, plan.power, plan.n_systems
    ('t', 0.9, 2)
    """

    n_queries: int
    design: str
    delta: float
    power: float
    level: float
    variance: float
    n_systems: int
    note: str = ""


def queries_for(
    delta: float, pilot: npt.ArrayLike, *, design: str = "t", power: float = 0.8, level: float = 0.05
) -> PowerPlan:
    """Queries needed to see a difference ``delta`` of means, from a pilot matrix[query, system] (Sakai 2016).

    "t": a paired t test finds it with this ``power``; "anova": an analysis of variance over as many systems as the
    pilot has, the best and the worst ``delta`` apart; "interval": the expected width of the interval of a difference is
    at most ``delta``. Two designs ask for less, that the better system has the better mean but for a risk of ``level``:
    "order" takes means for normal, "any_order" nothing but values from 0 to 1 (Hoeffding's inequality).

    A difference of half a standard deviation needs 34 queries:

    >>> pilot = [[1.0, 0.0], [-1.0, 0.0]] * 50
    >>> queries_for(0.5 * (100 / 99) ** 0.5, pilot).n_queries
    34
    """
    if design not in DESIGNS:
        raise DataError(f"a design is one of {', '.join(DESIGNS)}, got {design!r}")
    if not (delta > 0 and math.isfinite(delta)):
        raise DataError(f"a difference to see must be a positive number, got {delta}")
    _check_share(power, "power")
    _check_share(level, "level")
    kept = complete_queries(pilot)
    n_systems = kept.values.shape[1]
    variance = _pilot_variance(pilot, design)
    if design == "t":
        enough = lambda n: power_of_t_test(n, delta, variance, level=level) >= power  # noqa: E731
    elif design == "anova":
        enough = lambda n: _power_of_anova(n, n_systems, delta, variance, level) >= power  # noqa: E731
    elif design == "interval":
        enough = lambda n: _expected_width(n, variance, level) <= delta  # noqa: E731
    else:
        least = _queries_for_order(delta, variance, level) if design == "order" else -2 * math.log(level) / delta**2
        enough = lambda n: n >= least  # noqa: E731
    return PowerPlan(_least(enough), design, delta, power, level, variance, n_systems, kept.note)


def minimum_detectable_effect(differences: npt.ArrayLike, *, power: float = 0.8, level: float = 0.05) -> float:
    """The least difference of means that a paired t test on as many queries finds with this power.

    >>> round(minimum_detectable_effect([1.0, -1.0] * 17), 3)
    0.502
    """
    from scipy.optimize import brentq

    _check_share(power, "power")
    _check_share(level, "level")
    values = complete_queries(np.reshape(np.asarray(differences, np.float64), (-1, 1))).values[:, 0]
    if values.size < 2:
        return math.nan
    variance = float(values.var(ddof=1))
    if variance == 0:
        return 0.0
    error = math.sqrt(variance / values.size)
    return float(
        brentq(lambda delta: power_of_t_test(values.size, delta, variance, level=level) - power, 0, 1e4 * error)
    )


def power_of_t_test(n_queries: int, delta: float, variance: float, *, level: float = 0.05) -> float:
    """The chance that a two-sided paired t test sees a true difference ``delta`` of means.

    >>> round(power_of_t_test(34, 0.5, 1.0), 3)
    0.808
    """
    from scipy.special import nctdtr, stdtrit

    df = n_queries - 1
    critical = float(stdtrit(df, 1 - level / 2))
    shift = delta * math.sqrt(n_queries / variance)
    below, beyond = (float(nctdtr(df, shift, t)) for t in (critical, -critical))
    # SciPy has no value where the chance to stay below is none at all.
    return 1 - (0.0 if math.isnan(below) else below) + (0.0 if math.isnan(beyond) else beyond)


def _power_of_anova(n_queries: int, n_systems: int, delta: float, variance: float, level: float) -> float:
    """Two systems delta apart and all others between them make the least sum of squared effects, delta^2 / 2."""
    from scipy.special import fdtri, ncfdtr

    df, df_residual = n_systems - 1, (n_queries - 1) * (n_systems - 1)
    critical = float(fdtri(df, df_residual, 1 - level))
    return float(1 - ncfdtr(df, df_residual, n_queries * delta**2 / (2 * variance), critical))


def _expected_width(n_queries: int, variance: float, level: float) -> float:
    """Of a t interval: 2 t s / sqrt(n), the mean of s being less than sigma by the factor c4."""
    from scipy.special import stdtrit

    df = n_queries - 1
    c4 = math.sqrt(2 / df) * math.exp(math.lgamma(n_queries / 2) - math.lgamma(df / 2))
    return 2 * float(stdtrit(df, 1 - level / 2)) * c4 * math.sqrt(variance / n_queries)


def _queries_for_order(delta: float, variance: float, risk: float) -> float:
    """A mean of n differences is normal with the standard deviation sd / sqrt(n): n = (z sd / delta)^2."""
    from scipy.special import ndtri

    return float(ndtri(1 - risk)) ** 2 * variance / delta**2


def _pilot_variance(pilot: npt.ArrayLike, design: str) -> float:
    values = complete_queries(pilot).values
    if values.shape[0] < 2 or values.shape[1] < 2:
        raise DataError(f"a pilot needs two queries and two systems or more, got {values.shape}")
    residual = anova(pilot).residual_variance
    if not residual > 0:
        raise DataError(
            "the systems of the pilot differ by a constant or not at all: there is no variance to plan with"
        )
    return residual if design == "anova" else 2 * residual  # of a difference of two independent rests


def _least(enough: Callable[[int], bool]) -> int:
    """The least number of queries from 2 on that is enough, where more always are."""
    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST_QUERIES:
            raise DataError(f"more than {_MOST_QUERIES:,} queries would be needed")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_share(value: float, name: str) -> None:
    if not 0 < value < 1:
        raise DataError(f"{name} must lie between 0 and 1, got {value}")

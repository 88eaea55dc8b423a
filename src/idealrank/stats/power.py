"""Statistical power: how many queries a difference needs, and how small a difference a number of queries can detect."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, check_fraction
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.stats.many_systems import anova
from idealrank.stats.samples import LARGEST, complete_queries, complete_values

_MOST_QUERIES = 10**9
DESIGNS = ("t", "anova", "interval", "order", "any_order")


@dataclass(frozen=True)
class PowerPlan(Result):
    """The number of queries that an experiment needs.

    Parameters
    ----------
    n_queries : int
        The number of queries needed.
    design : str
        The design of the experiment, as in `queries_for`.
    delta : float
        The difference to detect.
    power : float
        The probability of detecting it.
    level : float
        The significance level.
    variance : float
        The variance, estimated from the pilot: of the difference between two systems, or for "anova" of the values of a
        system without the effect of the queries.
    n_systems : int
        Number of systems in the pilot.
    note : str
        A sentence about queries of the pilot that were left out; empty if there are none.

    Examples
    --------
    >>> from idealrank.stats import queries_for
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
    """Compute the number of queries needed to detect a difference of means, from a pilot (Sakai 2016).

    Parameters
    ----------
    delta : float
        The difference of means to detect.
    pilot : array-like of shape (n_queries, n_systems)
        The value of the measure for each query and system in a pilot experiment.
    design : {"t", "anova", "interval", "order", "any_order"}
        The aim of the experiment. "t": a paired t test detects the difference. "anova": an analysis of variance over as
        many systems as in the pilot detects it if the best and the worst system differ by ``delta``. "interval": the
        expected width of the confidence interval of a difference is at most ``delta``. "order" and "any_order" ask for
        less: that the better system has the better mean, except with probability ``level``. "order" assumes normally
        distributed means, "any_order" only values from 0 to 1 (Hoeffding's inequality).
    power : float
        The probability of detecting the difference.
    level : float
        The significance level.

    Returns
    -------
    PowerPlan
        The number of queries, and what it was computed from.

    Raises
    ------
    OptionError
        If an option is out of range.
    DataError
        If the pilot has no variance.

    Examples
    --------
    A difference of half a standard deviation needs 34 queries:

    >>> from idealrank.stats import queries_for
    >>> pilot = [[1.0, 0.0], [-1.0, 0.0]] * 50
    >>> queries_for(0.5 * (100 / 99) ** 0.5, pilot).n_queries
    34
    """
    if design not in DESIGNS:
        raise OptionError(f"design must be one of {', '.join(DESIGNS)}, got {design!r}")
    if not (are_numbers(delta) and 1 / LARGEST <= delta <= LARGEST):
        raise OptionError(
            f"the difference to detect must be a positive number from {1 / LARGEST:g} to {LARGEST:g}, got {delta!r}"
        )
    check_fraction(power, "power")
    check_fraction(level, "level")
    values, note = complete_queries(pilot)
    n_systems = values.shape[1]
    variance = _pilot_variance(values, design)
    is_enough: dict[str, Callable[[int], bool]] = {
        "t": lambda n: power_of_t_test(n, delta, variance, level=level) >= power,
        "anova": lambda n: _power_of_anova(n, n_systems, delta, variance, level) >= power,
        "interval": lambda n: _expected_width(n, variance, level) <= delta,
        "order": lambda n: n >= _queries_for_order(delta, variance, level),
        "any_order": lambda n: n >= -2 * math.log(level) / delta**2,
    }
    return PowerPlan(fewest_queries(is_enough[design]), design, delta, power, level, variance, n_systems, note)


def minimum_detectable_effect(differences: npt.ArrayLike, *, power: float = 0.8, level: float = 0.05) -> float:
    """Compute the smallest difference of means that a paired t test on this number of queries detects with this power.

    Parameters
    ----------
    differences : array-like
        The difference between two systems on each query.
    power : float
        The probability of detecting the difference.
    level : float
        The significance level.

    Returns
    -------
    float
        The difference; NaN for fewer than two queries, or if all differences are the same.

    Raises
    ------
    DataError
        If a difference is infinite.
    OptionError
        If ``level`` or ``power`` is not between 0 and 1.

    Examples
    --------
    >>> from idealrank.stats import minimum_detectable_effect
    >>> round(minimum_detectable_effect([1.0, -1.0] * 17), 3)
    0.502
    """
    check_fraction(power, "power")
    check_fraction(level, "level")
    values, _ = complete_values(differences)
    return detectable_effects(values[None], power, level)[0]


def detectable_effects(differences: Floats, power: float = 0.8, level: float = 0.05) -> list[float]:
    """Return `minimum_detectable_effect` for each row of differences[pair, query] without NaN.

    Examples
    --------
    >>> detectable_effects(np.array([[0.5, 0.5]]))
    [nan]
    """
    n = differences.shape[1]
    variances = differences.var(axis=1, ddof=1) if n > 1 else np.zeros(len(differences))
    if not variances.any():
        return [math.nan] * len(differences)
    effects = detectable_errors(n, power, level) * np.sqrt(variances / n)
    found: list[float] = np.where(variances > 0, effects, math.nan).tolist()
    return found


@lru_cache(maxsize=256)  # the same for all pairs of systems on the same queries
def detectable_errors(n_queries: float, power: float = 0.8, level: float = 0.05) -> float:
    """Return how many standard errors of the mean a difference must be to be detected.

    >>> round(detectable_errors(34), 3)
    2.886
    """
    from scipy.optimize import brentq

    def excess(errors: float) -> float:
        return power_of_t_test(n_queries, errors / math.sqrt(n_queries), 1.0, level=level) - power

    return float(brentq(excess, 0, 1e4))


def power_of_t_test(n_queries: float, delta: float, variance: float, *, level: float = 0.05) -> float:
    """Compute the probability that a two-sided paired t test detects a true difference of means.

    Parameters
    ----------
    n_queries : int
        Number of queries, two or more.
    delta : float
        The true difference of means.
    variance : float
        The variance of the per-query differences, a positive number.
    level : float
        The significance level.

    Returns
    -------
    float
        The power, from 0 to 1.

    Raises
    ------
    DataError
        If there are fewer than two queries, or the variance is not positive.

    Examples
    --------
    >>> from idealrank.stats import power_of_t_test
    >>> round(power_of_t_test(34, 0.5, 1.0), 3)
    0.808
    """
    from scipy.special import nctdtr, stdtrit

    check_fraction(level, "level")
    if not (are_numbers(n_queries) and n_queries >= 2):
        raise DataError(f"a t test needs two queries or more, got {n_queries!r}")
    if not (are_numbers(variance) and 0 < variance < math.inf):
        raise DataError(f"the variance of the differences must be a positive number, got {variance!r}")
    if not (are_numbers(delta) and math.isfinite(delta)):
        raise DataError(f"the true difference must be a number, got {delta!r}")
    df = n_queries - 1
    critical = float(stdtrit(df, 1 - level / 2))
    shift = delta * math.sqrt(n_queries / variance)
    below, beyond = (float(nctdtr(df, shift, t)) for t in (critical, -critical))
    # SciPy returns NaN if the probability of staying below is 0.
    return 1 - (0.0 if math.isnan(below) else below) + (0.0 if math.isnan(beyond) else beyond)


def _power_of_anova(n_queries: int, n_systems: int, delta: float, variance: float, level: float) -> float:
    """Return the power if two systems are delta apart and all others are between them: squared effects delta^2 / 2."""
    from scipy.special import fdtri, ncfdtr

    df, df_residual = n_systems - 1, (n_queries - 1) * (n_systems - 1)
    critical = float(fdtri(df, df_residual, 1 - level))
    return float(1 - ncfdtr(df, df_residual, n_queries * delta**2 / (2 * variance), critical))


def _expected_width(n_queries: int, variance: float, level: float) -> float:
    """Return the expected width of a t interval: 2 t s / sqrt(n), where the mean of s is c4 sigma."""
    from scipy.special import stdtrit

    df = n_queries - 1
    c4 = math.sqrt(2 / df) * math.exp(math.lgamma(n_queries / 2) - math.lgamma(df / 2))
    return 2 * float(stdtrit(df, 1 - level / 2)) * c4 * math.sqrt(variance / n_queries)


def _queries_for_order(delta: float, variance: float, risk: float) -> float:
    """Return n = (z sd / delta)^2: the mean of n differences is normal with standard deviation sd / sqrt(n)."""
    from scipy.special import ndtri

    return float(ndtri(1 - risk)) ** 2 * variance / delta**2


def _pilot_variance(values: Floats, design: str) -> float:
    if values.shape[0] < 2 or values.shape[1] < 2:
        n_queries, n_systems = values.shape
        raise DataError(
            "a pilot needs at least two queries and two systems, got values of "
            f"{n_queries} x {n_systems} (queries x systems)"
        )
    residual = anova(values).residual_variance
    if not residual > 0:
        raise DataError(
            "the systems of the pilot differ by a constant or not at all, so there is no variance to plan with"
        )
    return residual if design == "anova" else 2 * residual  # of the difference of two independent residuals


def fewest_queries(enough: Callable[[int], bool]) -> int:
    """Return the smallest sufficient number of queries, at least 2; a DataError if there is none up to 10^9.

    Examples
    --------
    >>> fewest_queries(lambda n: n >= 34)
    34
    """
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

"""Means from a few human judgments and many machine judgments."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, check_fraction, is_whole
from idealrank._present.page import Page
from idealrank._present.result import Result
from idealrank._present.statement import Statement
from idealrank._typing import Floats
from idealrank.data.columns import float_array, float_column
from idealrank.errors import DataError, OptionError
from idealrank.stats.control_variates import estimate_means, slopes, t_quantile
from idealrank.stats.samples import LARGEST

__all__ = ["JudgingPlan", "PredictionPowered", "human_queries_for", "prediction_powered"]

_FEWEST = 3


@dataclass(frozen=True)
class PredictionPowered(Result):
    """A mean over all queries, estimated from human values for some queries and machine values for all.

    Attributes
    ----------
    mean : float
        The estimate: the mean of the human values, plus ``weight`` times the difference between the mean machine value
        of all queries and the mean machine value of the queries with a human value.
    low, high : float
        The confidence interval of the estimate.
    human_mean, human_low, human_high : float
        The mean of the human values alone, and its Student's t interval.
    machine_mean : float
        The mean of the machine values of all queries, which includes the bias of the machine judge.
    bias : float
        The mean of machine minus human values, over the queries that have both.
    correlation : float
        The correlation of human and machine values; NaN if one of them is constant.
    weight : float
        The weight of the machine values, from 0 to 1.
    n_human, n : int
        The number of queries with a human value, and of all queries.
    level : float
        The confidence level.
    is_finite : bool
        Whether the mean is over exactly these queries; otherwise it is over all queries like these.
    note : str
        A sentence about what was left out, or about why the machine values do not count; otherwise empty.

    Examples
    --------
    >>> from idealrank.stats import prediction_powered
    >>> found = prediction_powered([0.2, 0.4, 0.9, 0.5], [0.3, 0.5, 0.9, 0.6, 0.1, 0.2])
    >>> round(found.human_mean, 3), round(found.mean, 3), round(found.weight, 3)
    (0.5, 0.358, 1.0)
    """

    mean: float
    low: float
    high: float
    human_mean: float
    human_low: float
    human_high: float
    machine_mean: float
    bias: float
    correlation: float
    weight: float
    n_human: int
    n: int
    level: float
    is_finite: bool
    note: str = ""

    @property
    def n_equivalent(self) -> float:
        """The number of human values that would give an interval of this width without machine values, estimated."""
        if not self.human_high > self.human_low or not self.high > self.low:
            return float(self.n_human)
        ratio = ((self.high - self.low) / (self.human_high - self.human_low)) ** 2
        finite = 1 / self.n if self.is_finite else 0.0
        return 1 / (ratio * (1 / self.n_human - finite) + finite)

    @property
    def p_value(self) -> float:
        """The two-sided p-value of the hypothesis that the mean is 0, from the same t distribution as the interval."""
        from scipy.special import stdtr

        half = (self.high - self.low) / 2
        if not half > 0:
            return float(self.mean == 0)
        degrees = self.n_human - 2
        return float(2 * stdtr(degrees, -abs(self.mean) / half * t_quantile(self.level, degrees)))

    def page(self) -> Page:
        """Return the estimate, and what the machine judgments add."""
        about = f"{self.n_human:,} of {self.n:,} queries have human judgments"
        estimate = (
            f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f}); {about}, which alone give {self.human_mean:.4f} "
            f"({self.human_low:.4f} to {self.human_high:.4f})."
        )
        worth = (
            f"Machine judgments are off by {self.bias:+z.4f} on average and count with a weight of {self.weight:.2f}: "
            f"the interval is as narrow as that of about {self.n_equivalent:.0f} queries with human judgments."
        )
        findings = (
            Statement("interval with machine judgments", estimate),
            Statement("worth of machine judgments", worth),
        )
        return replace(super().page(), findings=findings)


def prediction_powered(
    human: npt.ArrayLike, machine: npt.ArrayLike, *, level: float = 0.95, finite: bool = True
) -> PredictionPowered:
    """Estimate a mean over queries from human values for some queries and machine values for all.

    Machine values may be biased in any way: the estimate corrects for the bias, using the queries that have both
    values. The queries with human values must be a random sample of all queries. For a difference of two systems, pass
    the per-query differences.

    Parameters
    ----------
    human : array-like
        One value per query; NaN for queries without human judgments, which may be omitted at the end.
    machine : array-like
        One value per query from the machine judgments, in the same order.
    level : float
        The confidence level.
    finite : bool
        Whether the mean is over exactly these queries. False means a mean over all queries like these, which has a
        wider interval.

    Returns
    -------
    PredictionPowered
        The estimate and its interval, with those from the human values alone.

    Raises
    ------
    DataError
        If fewer than three queries have a human value, a machine value is missing or infinite, or there are more human
        than machine values.

    Notes
    -----
    The estimate is mean(human) - w (mean(machine where human) - mean(machine)), which is unbiased for any fixed w. The
    weight w is the slope of the regression of human on machine values, limited to the range from 0 to 1: a machine
    judge with a negative correlation is ignored. The variance comes from the jackknife over the queries with human
    values, which includes the estimation of w; for a finite population it is multiplied by 1 - n_human / n. The
    interval uses the quantiles of Student's t with n_human - 2 degrees of freedom.

    References
    ----------
    Angelopoulos et al. 2023, Prediction-powered inference; Cochran 1977, Sampling Techniques, chapter 7 (the regression
    estimator).

    Examples
    --------
    Machine values that are 0.1 too high for every query still give the human mean of all queries.

    >>> from idealrank.stats import prediction_powered
    >>> found = prediction_powered([0.1, 0.3, 0.8], [0.2, 0.4, 0.9, 0.5, 0.6])
    >>> round(found.mean, 6), round(found.bias, 6)
    (0.42, 0.1)
    """
    f, values_of_machine, guesses = _both(human, machine, level)
    n_human, n = f.size, guesses.size
    center = float(guesses.mean())
    g = values_of_machine - center
    found = estimate_means(f, g, float((guesses - center).mean()), n, finite=finite)
    mean, weight = float(found.means), float(found.weights)
    half, human_half = (float(each) for each in found.halves(level))
    has_spread = not (_is_constant(f) or _is_constant(values_of_machine))
    correlation = float(np.corrcoef(f / np.ptp(f), g / np.ptp(g))[0, 1]) if has_spread else math.nan
    return PredictionPowered(
        mean,
        mean - half,
        mean + half,
        float(f.mean()),
        float(f.mean()) - human_half,
        float(f.mean()) + human_half,
        center,
        float((values_of_machine - f).mean()),
        correlation,
        weight,
        n_human,
        n,
        level,
        finite,
        _note(weight, has_spread, n_human == n),
    )


@dataclass(frozen=True)
class JudgingPlan(Result):
    """The number of queries that need human judgments for an interval of a given width.

    Attributes
    ----------
    n_human : int or None
        The number of queries that need human judgments if there are machine judgments of all ``n`` queries; None if the
        interval is wider even if people judge all of them.
    n_human_alone : int or None
        The number of queries that need human judgments without machine judgments; None as above.
    width : float
        The width of the interval, from its lower to its upper end.
    n : int
        The number of queries that could be judged.
    n_pilot : int
        The number of queries with human values in the pilot.
    spread, residual_spread : float
        The standard deviation of the human values, and of their residuals after regression on the machine values.
    level : float
        The confidence level.
    is_finite : bool
        Whether the mean is over exactly these queries; otherwise it is over all queries like these.

    Examples
    --------
    >>> from idealrank.stats import human_queries_for
    >>> human, machine = [0.1, 0.3, 0.8, 0.2], [0.15, 0.35, 0.7, 0.3] * 25
    >>> plan = human_queries_for(0.1, human, machine)
    >>> plan.n_human, plan.n_human_alone
    (17, 61)
    """

    n_human: int | None
    n_human_alone: int | None
    width: float
    n: int
    n_pilot: int
    spread: float
    residual_spread: float
    level: float
    is_finite: bool

    def page(self) -> Page:
        """Return the numbers of queries as sentences."""
        alone, both = (
            f"human judgments of {count:,} of {self.n:,} queries"
            if count is not None
            else f"human judgments of more than all {self.n:,} queries"
            for count in (self.n_human_alone, self.n_human)
        )
        wanted = f"A {self.level:.0%} interval with a width of {self.width:g} needs"
        pilot = f"The plan comes from {self.n_pilot:,} queries with human values."
        needed = f"{wanted} {both} in addition to machine judgments of all, and {alone} without them."
        findings = (Statement("human judgments needed", text) for text in (needed, pilot))
        return replace(super().page(), findings=tuple(findings))


def human_queries_for(
    width: float,
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    *,
    n: int | None = None,
    level: float = 0.95,
    finite: bool = True,
) -> JudgingPlan:
    """Compute how many queries need human judgments, with and without machine judgments of all queries.

    Parameters
    ----------
    width : float
        The desired width of the interval of `prediction_powered`, from its lower to its upper end.
    human, machine : array-like
        The values of a pilot, as in `prediction_powered`. For a difference of two systems, pass the per-query
        differences.
    n : int, optional
        The number of queries that could be judged; by default, the number of machine values in the pilot.
    level : float
        The confidence level.
    finite : bool
        Whether the mean is over exactly these queries. False means a mean over all queries like these.

    Returns
    -------
    JudgingPlan
        The numbers of queries.

    Raises
    ------
    DataError
        If fewer than four queries have a human value, or for the reasons given in `prediction_powered`.
    OptionError
        If the width is not positive, or ``n`` is smaller than the number of human values.

    Examples
    --------
    Half the width needs about four times as many queries; machine values that explain most of the variation reduce the
    number.

    >>> import numpy as np
    >>> from idealrank.stats import human_queries_for
    >>> human = np.random.default_rng(0).normal(0, 0.1, 40)
    >>> machine = human + np.random.default_rng(1).normal(0.05, 0.05, 40)
    >>> for width in (0.02, 0.01):
    ...     plan = human_queries_for(width, human, machine, n=10_000)
    ...     print(plan.n_human, plan.n_human_alone)
    72 241
    272 892
    """
    f, g, guesses = _both(human, machine, level)
    total = guesses.size if n is None else n
    if not (are_numbers(width) and 0 < width < math.inf):
        raise OptionError(f"width must be a positive number, got {width!r}")
    if not is_whole(total, f.size):
        raise OptionError(f"n must be a whole number of queries from {f.size:,} on, got {n!r}")
    if f.size <= _FEWEST:
        raise DataError(f"a plan needs a pilot of {_FEWEST + 1} queries or more with a human value, got {f.size}")
    g = g - guesses.mean()
    rest = f - slopes(f, g) * g
    variance, residual = float(f.var(ddof=1)), float(rest.var(ddof=1)) * (f.size - 1) / (f.size - 2)

    def fewest(own: float, n_fitted: int) -> int | None:
        """Return the smallest number of queries whose interval is as narrow; widths decrease with the number."""

        def is_enough(count: int) -> bool:
            rest_of_all = 0.0 if finite else variance / total
            error = math.sqrt(max(own * (1 / count - 1 / total), 0.0) + rest_of_all)
            return 2 * t_quantile(level, count - n_fitted) * error <= width

        candidates = range(_FEWEST, total + 1)
        place = bisect_left(candidates, True, key=is_enough)
        return candidates[place] if place < len(candidates) else None

    counts = fewest(min(residual, variance), 2), fewest(variance, 1)
    spreads = math.sqrt(variance), math.sqrt(residual)
    return JudgingPlan(*counts, width, int(total), f.size, *spreads, level, finite)


def _both(human: npt.ArrayLike, machine: npt.ArrayLike, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the human values, the machine values of the same queries, and those of all queries."""
    check_fraction(level, "level")
    guesses = float_column(machine, "machine values")
    values = np.full(guesses.size, math.nan)
    given = float_array(human, "human values").ravel()
    if given.size > guesses.size:
        raise DataError(f"there are {given.size:,} human values and {guesses.size:,} machine values")
    values[: given.size] = given
    if not np.isfinite(guesses).all() or np.isinf(values).any():
        raise DataError("human values must be finite or NaN, and every query needs a finite machine value")
    largest = max(np.abs(guesses).max(initial=0.0), np.nanmax(np.abs(values), initial=0.0))
    if largest > LARGEST:
        what = f"a value must be at most {LARGEST:g} in size, got {largest:g}"
        raise DataError(f"{what}: divide all values by a constant")
    known = ~np.isnan(values)
    if known.sum() < _FEWEST:
        raise DataError(f"{_FEWEST} queries or more need a human value, got {known.sum()}")
    return values[known], guesses[known], guesses


def _is_constant(values: Floats) -> bool:
    """Return whether values differ by no more than their rounding errors."""
    return bool(np.ptp(values) <= 8 * np.finfo(np.float64).eps * np.abs(values).max())


def _note(weight: float, has_spread: bool, is_complete: bool) -> str:
    if is_complete:
        return "every query has a human value: machine values are not needed"
    if not has_spread:
        return "human or machine values are constant: machine values do not count"
    if weight == 0:
        return "human and machine values are not positively correlated: machine values do not count"
    return ""

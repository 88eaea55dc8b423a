"""Means from a few human judgments and many machine judgments."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, check_fraction, is_whole
from idealrank._core.exact import UNBOUNDED
from idealrank._present.page import Page, Statement
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.data.columns import float_array, float_column
from idealrank.errors import DataError, OptionError
from idealrank.stats.control_variates import FEWEST_WITH_MACHINE, Estimate, combined, estimate_means, slopes, t_quantile
from idealrank.stats.intervals import checked_range
from idealrank.stats.samples import LARGEST

_FEWEST = 3


@dataclass(frozen=True)
class PredictionPowered(Result):
    """A mean, estimated from human values for some queries and machine values for all.

    Attributes
    ----------
    mean : float
        The estimate: the mean of the human values, plus ``weight`` times the difference between the mean machine value
        of all queries and the mean machine value of the queries with a human value.
    low, high : float
        The confidence interval of the mean over new queries like these.
    these_low, these_high : float
        The confidence interval of the mean over exactly these queries, for which only human values are unknown. It has
        no width if people judged all queries.
    human_mean, human_low, human_high : float
        The mean of the human values alone, and its confidence interval for new queries.
    p_value : float
        The two-sided p-value of the hypothesis that the mean over new queries is 0.
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
    variance, human_variance : float
        The variance of the estimate for new queries, and that of the mean of the human values alone.
    degrees : float
        The degrees of freedom of the variance.
    level : float
        The confidence level.
    note : str
        A sentence about what was left out, or about why the machine values do not count; otherwise empty.

    Examples
    --------
    >>> from idealrank.stats import prediction_powered
    >>> found = prediction_powered([0.2, 0.4, 0.9, 0.5, 0.5], [0.3, 0.5, 0.9, 0.6, 0.7, 0.1, 0.2])
    >>> round(found.human_mean, 3), round(found.mean, 3), round(found.weight, 3)
    (0.5, 0.371, 1.0)
    """

    mean: float
    low: float
    high: float
    these_low: float
    these_high: float
    human_mean: float
    human_low: float
    human_high: float
    p_value: float
    machine_mean: float
    bias: float
    correlation: float
    weight: float
    n_human: int
    n: int
    variance: float
    human_variance: float
    degrees: float
    level: float
    note: str = ""

    @property
    def n_equivalent(self) -> float:
        """The number of human values whose mean would have this variance without machine values, estimated."""
        return self.n_human * self.human_variance / self.variance if self.variance > 0 else float(self.n_human)

    def page(self) -> Page:
        """Return the estimate, and what the machine judgments add."""
        about = f"{self.n_human:,} of {self.n:,} queries have human judgments"
        estimate = (
            f"The mean over new queries like these is {self.mean:.4f} ({self.low:.4f} to {self.high:.4f}). {about}, "
            f"which alone give {self.human_mean:.4f} ({self.human_low:.4f} to {self.human_high:.4f})."
        )
        these = f"Over exactly these queries, it is {self.mean:.4f} ({self.these_low:.4f} to {self.these_high:.4f})."
        worth = (
            f"Machine values are {'lower' if self.bias < 0 else 'higher'} than human values by {abs(self.bias):.4f} on "
            f"average, on the queries with both, and count with a weight of {self.weight:.2f}: the estimate is as "
            f"precise as that from about {self.n_equivalent:.0f} queries with human judgments alone."
        )
        findings = (
            Statement("interval with machine judgments", estimate),
            Statement("interval for exactly these queries", these),
            Statement("worth of machine judgments", worth),
        )
        return replace(super().page(), findings=findings)


def prediction_powered(
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    *,
    level: float = 0.95,
    value_range: tuple[float, float] = UNBOUNDED,
    is_difference: bool = False,
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
    value_range : tuple of float
        The lowest and the highest value that a query can have, such as (0, 1): intervals do not leave it.
    is_difference : bool
        Whether the values are differences of two systems, whose values have this range. Their intervals agree with the
        p-value.

    Returns
    -------
    PredictionPowered
        The estimate and its intervals, for new queries and for exactly these, with those from the human values alone.

    Raises
    ------
    DataError
        If fewer than three queries have a human value, a machine value is missing or infinite, or there are more human
        than machine values.

    Notes
    -----
    The estimate is mean(human) - w (mean(machine where human) - mean(machine)), which is unbiased for any fixed w. The
    weight w is the slope of the regression of human on machine values, limited to the range from 0 to 1: a machine
    judge with a negative correlation is ignored. It is also 0 if fewer than five queries have a human value, and if
    human and machine values differ by the same number on all of them: then nothing is known about the machine's errors.

    For exactly these queries, the variance comes from the jackknife over the queries with human values, which includes
    the estimation of w, times 1 - n_human / n. For new queries, the variance between queries is added: that of the
    human values that is not explained, and w^2 times the variance of all machine values, both over n. Intervals and
    p-values use Student's t; the degrees of freedom are between n_human - 2 and n - 1 (Satterthwaite), and n - 1 if all
    queries have human values: then this is the t test. With k human values that are not 0, the p-value is at least
    2^(1 - k). If this is above 1 - ``level``, the intervals of a difference are wider: those from so few values would
    miss it too often.

    References
    ----------
    Angelopoulos et al. 2023, Prediction-powered inference; Cochran 1977, Sampling Techniques, chapters 7 and 12 (the
    regression estimator, double sampling).

    Examples
    --------
    Machine values that are about 0.1 too high still give the human mean of all queries:

    >>> from idealrank.stats import prediction_powered
    >>> found = prediction_powered([0.1, 0.3, 0.8, 0.4, 0.4], [0.2, 0.4, 0.9, 0.5, 0.51, 0.5, 0.6])
    >>> round(found.mean, 2), round(found.bias, 2), found.these_high - found.these_low < found.high - found.low
    (0.41, 0.1, True)
    """
    f, values_of_machine, guesses = _both(human, machine, level)
    n_human, n = f.size, guesses.size
    center = float(guesses.mean())
    g = values_of_machine - center
    found = estimate_means(f, g, float((guesses - center).mean()), float(guesses.var(ddof=1)), n)
    mean, variance, degrees = float(found.means), float(found.variances), float(found.degrees)
    rest, share = (float(found.open_variances), float(found.open_degrees)), 1 - n_human / n
    value_range = checked_range(value_range)
    n_nonzero = int(np.count_nonzero(f))
    both = Estimate(mean, variance, degrees, *rest, share, value_range, is_difference, n_nonzero)
    human_variance = float(f.var(ddof=1)) / n_human
    alone = replace(both, mean=float(f.mean()), variance=human_variance, degrees=n_human - 1.0)
    weight = float(found.weights)
    has_spread = not (_is_constant(f) or _is_constant(values_of_machine))
    return PredictionPowered(
        both.mean,
        *both.interval(level),
        *both.these_interval(level),
        alone.mean,
        *alone.interval(level),
        both.p_value(),
        center,
        float((values_of_machine - f).mean()),
        float(np.corrcoef(f / np.ptp(f), g / np.ptp(g))[0, 1]) if has_spread else math.nan,
        weight,
        n_human,
        n,
        both.variance,
        human_variance,
        both.degrees,
        level,
        _note(weight, has_spread, n_human, n, float(slopes(f, g))),
    )


@dataclass(frozen=True)
class JudgingPlan(Result):
    """The number of queries that need human judgments for an interval of a given width, estimated from a pilot.

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
    these_queries : bool
        Whether the interval is for exactly these queries; otherwise it is for new queries like these.

    Examples
    --------
    >>> from idealrank.stats import human_queries_for
    >>> human, machine = [0.1, 0.3, 0.8, 0.2], [0.15, 0.35, 0.7, 0.3] * 25
    >>> plan = human_queries_for(0.2, human, machine)
    >>> plan.n_human, plan.n_human_alone
    (9, 40)
    """

    n_human: int | None
    n_human_alone: int | None
    width: float
    n: int
    n_pilot: int
    spread: float
    residual_spread: float
    level: float
    these_queries: bool

    def page(self) -> Page:
        """Return the numbers of queries as sentences."""
        alone, both = (
            f"human judgments of about {count:,} of {self.n:,} queries"
            if count is not None
            else f"human judgments of more than all {self.n:,} queries"
            for count in (self.n_human_alone, self.n_human)
        )
        queries = "exactly these queries" if self.these_queries else "new queries"
        wanted = f"A {self.level:.0%} interval for {queries} with a width of about {self.width:g} needs"
        pilot = (
            f"These numbers are estimates: the {self.n_pilot:,} queries of the pilot have a standard deviation of "
            f"{self.spread:.3g} ({self.residual_spread:.3g} after regression on the machine values)."
        )
        needed = f"{wanted} {both} in addition to machine judgments of all, and {alone} without them."
        plan = Statement("human judgments needed", needed)
        return replace(super().page(), findings=(plan, Statement("pilot of a plan", pilot)))


def human_queries_for(
    width: float,
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    *,
    n: int | None = None,
    level: float = 0.95,
    these_queries: bool = False,
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
    these_queries : bool
        Whether the interval is for exactly these queries; otherwise it is for new queries like these.

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
    73 247
    300 979
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

    def fewest(own: float, fewest_judged: int) -> int | None:
        """Return the smallest number of queries whose interval is as narrow, if the machine leaves a variance."""

        def is_enough(count: int) -> bool:
            is_fitted = own < variance
            rest, left, explained = map(
                np.asarray, (own * (1 / count - 1 / total), own / total, (variance - own) / total)
            )
            found = rest, np.asarray(count - 1.0 - is_fitted)
            if not these_queries:
                found = combined(rest, left, explained, count - 1 - is_fitted * (1 - count / total), total)
            return 2 * float(t_quantile(level, found[1])) * math.sqrt(max(float(found[0]), 0.0)) <= width

        candidates = range(fewest_judged, total + 1)
        place = bisect_left(candidates, True, key=is_enough)  # widths decrease with the number
        return candidates[place] if place < len(candidates) else None

    alone = fewest(variance, _FEWEST)
    both = fewest(min(residual, variance), min(FEWEST_WITH_MACHINE, total))
    if alone is not None and (both is None or alone < both):  # without the machine values, which then do not count
        both = alone
    spreads = math.sqrt(variance), math.sqrt(residual)
    return JudgingPlan(both, alone, width, int(total), f.size, *spreads, level, these_queries)


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


def _note(weight: float, has_spread: bool, n_human: int, n: int, slope: float) -> str:
    if weight > 0:
        return ""
    if n_human == n:
        return "every query has a human value: machine values are not needed"
    why = "human and machine values are not positively correlated"
    if not has_spread:
        why = "human or machine values are constant"
    elif n_human < FEWEST_WITH_MACHINE:
        why = f"fewer than {FEWEST_WITH_MACHINE} queries have a human value"
    elif slope > 0:
        why = "human and machine values differ by the same number on all queries with both"
    return f"{why}: machine values do not count"

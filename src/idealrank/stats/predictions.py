"""Means from a few human judgments and many machine judgments."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._base.results import Result
from idealrank._typing import Floats
from idealrank.data.columns import float_column
from idealrank.errors import DataError, OptionError
from idealrank.stats.samples import LARGEST

__all__ = ["PredictionPowered", "prediction_powered"]

_FEWEST = 3


@dataclass(frozen=True)
class PredictionPowered(Result):
    """A mean over all queries, from human values on some of them and machine values on all.

    Attributes
    ----------
    mean : float
        The estimate: the mean of the human values, corrected by ``weight`` times the difference between the mean
        machine value of all queries and that of the queries with a human value.
    low, high : float
        Its confidence interval.
    human_mean, human_low, human_high : float
        The mean of the human values alone, and its interval by Student's t.
    machine_mean : float
        The mean of the machine values of all queries, which has the judge's bias.
    bias : float
        The mean of machine minus human values, where both are known.
    correlation : float
        The correlation of human and machine values; NaN if one of them is constant.
    weight : float
        How much the machine values count, from 0 to 1.
    n_human, n : int
        The number of queries with a human value, and of all queries.
    level : float
        The confidence level.
    is_finite : bool
        Whether the mean is over these queries, or over all queries like these.
    note : str
        What was left out, or why the machine values do not count.

    Examples
    --------
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
        """How many human values alone would give an interval of this width, as far as their spread tells."""
        if not self.human_high > self.human_low or not self.high > self.low:
            return float(self.n_human)
        ratio = ((self.high - self.low) / (self.human_high - self.human_low)) ** 2
        finite = 1 / self.n if self.is_finite else 0.0
        return 1 / (ratio * (1 / self.n_human - finite) + finite)

    def findings(self) -> list[str]:
        """Return the estimate, and what the machine judgments add, as sentences."""
        about = f"{self.n_human:,} of {self.n:,} queries have human judgments"
        return [
            f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f}); {about}, which alone give {self.human_mean:.4f} "
            f"({self.human_low:.4f} to {self.human_high:.4f}).",
            f"Machine judgments are off by {self.bias:+.4f} on average and count with a weight of {self.weight:.2f}: "
            f"the interval is as narrow as that of about {self.n_equivalent:.0f} queries with human judgments.",
        ]


def prediction_powered(
    human: npt.ArrayLike, machine: npt.ArrayLike, *, level: float = 0.95, finite: bool = True
) -> PredictionPowered:
    """Estimate a mean over queries from human values on some queries and machine values on all.

    Machine values may be biased in any way: the estimate corrects for it with the queries that have both. The queries
    with human values must be a random sample of all queries. For a difference of two systems, pass the differences.

    Parameters
    ----------
    human : array_like
        One value per query; NaN, or nothing at the end, where there is no human judgment.
    machine : array_like
        One value per query from the machine judgments, in the same order.
    level : float, default=0.95
        The confidence level.
    finite : bool, default=True
        Whether the mean is over exactly these queries. False is for a mean over all queries like these, which has a
        wider interval.

    Returns
    -------
    PredictionPowered

    Raises
    ------
    DataError
        If fewer than three queries have a human value, a machine value is missing or infinite, or there are more human
        than machine values.

    Notes
    -----
    The estimate is mean(human) - w (mean(machine where human) - mean(machine)), unbiased for any fixed w. The weight w
    is the slope of the regression of human on machine values, limited to 0 ... 1: a judge with a negative correlation
    does not count. The variance is that of the jackknife over the queries with human values, which includes the
    estimation of w, times 1 - n_human / n for a finite population; the interval takes the quantiles of Student's t with
    n_human - 2 degrees of freedom.

    References
    ----------
    Angelopoulos et al. 2023, Prediction-powered inference; Cochran 1977, Sampling Techniques, chapter 7 (the regression
    estimator).

    Examples
    --------
    Machine values that are 0.1 too high everywhere still give the human mean of all queries.

    >>> found = prediction_powered([0.1, 0.3, 0.8], [0.2, 0.4, 0.9, 0.5, 0.6])
    >>> round(found.mean, 6), round(found.bias, 6)
    (0.42, 0.1)
    """
    if not 0 < level < 1:
        raise OptionError(f"level must be between 0 and 1, got {level}")
    guesses = float_column(machine, "machine values")
    values = np.full(guesses.size, math.nan)
    given = np.asarray(human, np.float64).ravel()
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
    n_human, n = int(known.sum()), guesses.size
    if n_human < _FEWEST:
        raise DataError(f"{_FEWEST} queries or more need a human value, got {n_human}")
    f, g = values[known], guesses[known]

    weight = float(_slope(f.sum(), g.sum(), (f * g).sum(), (g * g).sum(), n_human))
    mean = float(f.mean() - weight * (g.mean() - guesses.mean()))
    left_out = _without_each(f, g, guesses.mean())
    variance = (n_human - 1) / n_human * float(((left_out - left_out.mean()) ** 2).sum())
    human_variance = float(f.var(ddof=1)) / n_human
    if finite:
        variance, human_variance = variance * (1 - n_human / n), human_variance * (1 - n_human / n)
    else:  # the design's variance, and that of the mean of n queries drawn from all queries
        variance = variance * (1 - n_human / n) + float(f.var(ddof=1)) / n
    half = _t_quantile(level, n_human - 2) * math.sqrt(variance)
    human_half = _t_quantile(level, n_human - 1) * math.sqrt(human_variance)
    has_spread = bool(f.var() > 0 and g.var() > 0)
    correlation = float(np.corrcoef(f, g)[0, 1]) if has_spread else math.nan
    return PredictionPowered(
        mean,
        mean - half,
        mean + half,
        float(f.mean()),
        float(f.mean()) - human_half,
        float(f.mean()) + human_half,
        float(guesses.mean()),
        float((g - f).mean()),
        correlation,
        weight,
        n_human,
        n,
        level,
        finite,
        _note(weight, has_spread, n_human == n),
    )


def _slope(sum_f: Floats, sum_g: Floats, sum_fg: Floats, sum_gg: Floats, n: int) -> Floats:
    """Return the slope of the regression of f on g from sums over n queries, limited to 0 ... 1; 0 if g is constant."""
    spread = sum_gg - sum_g * sum_g / n
    has_spread = spread > 1e-12 * np.maximum(sum_gg, 1e-300)
    slope = np.where(has_spread, (sum_fg - sum_f * sum_g / n) / np.where(has_spread, spread, 1.0), 0.0)
    return np.clip(slope, 0.0, 1.0)


def _without_each(f: Floats, g: Floats, machine_mean: float) -> Floats:
    """Return the estimates without each of the queries in turn."""
    n = f.size - 1
    sum_f, sum_g = f.sum() - f, g.sum() - g
    weight = _slope(sum_f, sum_g, (f * g).sum() - f * g, (g * g).sum() - g * g, n)
    estimates: Floats = sum_f / n - weight * (sum_g / n - machine_mean)
    return estimates


def _t_quantile(level: float, degrees: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def _note(weight: float, has_spread: bool, is_complete: bool) -> str:
    if is_complete:
        return "every query has a human value: machine values are not needed"
    if not has_spread:
        return "human or machine values are constant: machine values do not count"
    if weight == 0:
        return "human and machine values are not positively correlated: machine values do not count"
    return ""

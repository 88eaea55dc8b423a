"""The arithmetic of prediction-powered means, for one sample of queries or for many at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._core.exact import UNBOUNDED
from idealrank._typing import Floats
from idealrank.stats.intervals import bounded_interval

#: With fewer human values, the slope is so uncertain that machine values make intervals wider.
FEWEST_WITH_MACHINE = 5


@dataclass(frozen=True)
class Estimate:
    """An estimate of a mean over new queries and of that over exactly these queries, which have different errors.

    Parameters
    ----------
    mean : float
        The estimate of both.
    variance, degrees : float
        The variance for new queries, and its degrees of freedom.
    open_variance, open_degrees : float
        The same for exactly these queries, for which only human judgments are unknown.
    open_share : float
        The fraction of these queries, or of their documents, without human judgments.
    value_range : tuple of float
        The lowest and highest value of a query, or infinities.
    is_difference : bool
        Whether it is the difference of two systems with values in this range.
    n_nonzero : int, optional
        The number of human values that are not 0, which limits the p-value; None means many.
    """

    mean: float
    variance: float
    degrees: float
    open_variance: float
    open_degrees: float
    open_share: float
    value_range: tuple[float, float] = UNBOUNDED
    is_difference: bool = False
    n_nonzero: int | None = None

    def __post_init__(self) -> None:
        low, high = self._limits()
        object.__setattr__(self, "mean", min(max(self.mean, low), high))

    def _limits(self) -> tuple[float, float]:
        low, high = self.value_range
        return (low - high, high - low) if self.is_difference else (low, high)

    @property
    def _least_p_value(self) -> float:
        """2^(1 - k) if k human values are not 0: if each could have had either sign, all have the same so often."""
        return 0.0 if self.n_nonzero is None else min(2.0 ** (1 - self.n_nonzero), 1.0)

    def _is_from_few(self, level: float) -> bool:
        """Whether so few human differences are not 0 that none can be significant; t intervals are too narrow then."""
        return self.is_difference and self._least_p_value > 1 - level

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence interval for new queries.

        The interval of a difference is that of the t test. If too few human differences are not 0 for any p-value to
        be significant, it also contains 0 and the interval of `bounded_interval`.
        """
        n, (lowest, highest) = self.degrees + 1, self._limits()
        low, high = bounded_interval(self.mean, self.variance * n, n, level, (lowest, highest))
        if self.is_difference and self.variance > 0:
            half = float(t_quantile(level, self.degrees)) * math.sqrt(self.variance)
            is_wide = self._is_from_few(level)
            low = min(low, self.mean - half, 0.0) if is_wide else self.mean - half
            high = max(high, self.mean + half, 0.0) if is_wide else self.mean + half
        return max(low, lowest), min(high, highest)

    def these_interval(self, level: float) -> tuple[float, float]:
        """Return the confidence interval for exactly these queries; with few human differences, widened as above."""
        half = float(t_quantile(level, self.open_degrees)) * math.sqrt(self.open_variance)
        low, high = self.mean - half, self.mean + half
        n, limits = self.open_degrees + 1, self._limits()
        if half == 0 < self.open_share:  # nothing varies among those with human judgments, but others may differ
            ends = bounded_interval(self.mean, 0.0, n, level, limits)
            low, high = (self.mean + self.open_share * (end - self.mean) for end in ends)
        elif self._is_from_few(level) and self.open_share > 0:
            ends = bounded_interval(self.mean, self.open_variance / self.open_share * n, n, level, limits)
            wide = [self.mean + math.sqrt(self.open_share) * (end - self.mean) for end in ends]
            low, high = min(low, wide[0]), max(high, wide[1])
        return max(low, limits[0]), min(high, limits[1])

    def p_value(self) -> float:
        """Return the two-sided p-value of the hypothesis that the mean over new queries is 0, that of a t test."""
        from scipy.special import stdtr

        if self.variance == 0:
            return self._least_p_value if self.mean else 1.0
        p = float(2 * stdtr(self.degrees, -abs(self.mean) / math.sqrt(self.variance)))
        return max(p, self._least_p_value)


@dataclass(frozen=True)
class MeanEstimates:
    """What `prediction_powered` estimates, for one sample of queries or many.

    Parameters
    ----------
    means, weights : float64 array
        The estimates, and the weights of the machine values.
    variances, degrees : float64 array
        The variances of the estimates as means over new queries, and their degrees of freedom.
    open_variances, open_degrees : float64 array
        The same as means over exactly these queries.
    """

    means: Floats
    weights: Floats
    variances: Floats
    degrees: Floats
    open_variances: Floats
    open_degrees: Floats


def estimate_means(
    human: Floats, machine: Floats, machine_means: npt.ArrayLike, machine_variances: npt.ArrayLike, n: int
) -> MeanEstimates:
    """Estimate the means of many samples at once, as `prediction_powered` does.

    Parameters
    ----------
    human, machine : float64 array of shape (..., n_human)
        The values of the queries that have both. Machine values should be near 0: sums of squares of values far from 0
        would lose the digits that differ.
    machine_means, machine_variances : array-like of shape (...)
        The means and variances of the machine values of all queries.
    n : int
        The number of all queries.

    Notes
    -----
    With the weight w, the estimate is the mean of human - w machine over the n_human queries with both, plus w times
    the mean of machine over all n queries. Its variance for new queries has three parts: that of the jackknife over the
    n_human queries, times 1 - n_human / n, for the human values that are unknown; the variance of human values that
    machine values do not explain, over n; and w^2 times the variance of all machine values, over n. The last one has
    n - 1 degrees of freedom and the others have about n_human - 2; they are combined as by Satterthwaite (1946). If all
    queries have human values, this is the variance of their mean, with n - 1 degrees of freedom.

    Examples
    --------
    >>> human = np.array([[0.1, 0.3, 0.8, 0.2, 0.7], [0.1, 0.3, 0.5, 0.2, 0.3]])
    >>> found = estimate_means(human, np.array([-0.3, -0.1, 0.4, -0.2, 0.2]), 0.1, 0.1, 9)
    >>> found.means.round(3), found.weights.round(3)
    (array([0.52 , 0.327]), array([1.   , 0.471]))
    """
    n_human, rest = human.shape[-1], np.asarray(machine_means, np.float64)
    judged = n_human / n
    spread = human.var(axis=-1, ddof=1)
    weights = slopes(human, machine)
    left_out = _without_each(human, machine, rest[..., None])
    jackknife = (n_human - 1) / n_human * (_around(left_out) ** 2).sum(axis=-1)
    # Machine values without errors where people judged tell nothing about their errors elsewhere.
    has_errors = jackknife > 1e-12 * spread
    counts = has_errors & (FEWEST_WITH_MACHINE <= n_human < n)
    weights = np.where(counts, weights, 0.0)
    open_variances = np.where(counts, jackknife, spread / n_human) * (1 - judged)
    left = np.maximum(spread - weights**2 * machine.var(axis=-1, ddof=1), 0.0) / n
    explained = weights**2 * np.asarray(machine_variances) / n
    few = n_human - np.where(counts, 2 - judged, 1)
    variances, degrees = combined(open_variances, left, explained, few, n)
    means = human.mean(axis=-1) - weights * (machine.mean(axis=-1) - rest)
    return MeanEstimates(means, weights, variances, degrees, open_variances, n_human - np.where(counts, 2.0, 1.0))


def combined(
    open_variances: Floats, left: Floats, explained: Floats, few: Floats | float, n: int
) -> tuple[Floats, Floats]:
    """Return the sum of the three parts of a variance, and its degrees of freedom."""
    variances = open_variances + left + explained
    squares = ((open_variances + left) ** 2 + 2 * left * explained) / few + explained**2 / (n - 1)
    degrees = np.where(squares > 0, variances**2 / np.where(squares > 0, squares, 1.0), few)
    return variances, degrees


def _limited(products: Floats, squares: Floats, least: Floats) -> Floats:
    """Return products over squares, limited to 0 ... 1; 0 where squares are at most the least that counts."""
    has_spread = squares > least
    return np.clip(np.where(has_spread, products / np.where(has_spread, squares, 1.0), 0.0), 0.0, 1.0)


def _around(values: Floats) -> Floats:
    """Return the differences from the mean of each sample."""
    found: Floats = values - values.mean(axis=-1, keepdims=True)
    return found


def _least_spread(g: Floats) -> Floats:
    """Return the sums of squares that rounding errors alone could make."""
    rounding = 8 * float(np.finfo(np.float64).eps) * np.abs(g).max(axis=-1)
    found: Floats = np.maximum(1e-12 * (_around(g) ** 2).sum(axis=-1), g.shape[-1] * rounding**2)
    return found


def slopes(f: Floats, g: Floats) -> Floats:
    """Return the slopes of the regressions of f on g, limited to 0 ... 1."""
    around_g = _around(g)
    return _limited((_around(f) * around_g).sum(axis=-1), (around_g**2).sum(axis=-1), _least_spread(g))


def _without_each(f: Floats, g: Floats, machine_means: Floats) -> Floats:
    """Return the estimates without each of the queries in turn."""
    n = f.shape[-1] - 1
    around_f, around_g = _around(f), _around(g)
    share = f.shape[-1] / n  # of the products of one query that leave the sum with it
    products, squares = around_f * around_g, around_g**2
    weights = _limited(
        products.sum(axis=-1, keepdims=True) - share * products,
        squares.sum(axis=-1, keepdims=True) - share * squares,
        _least_spread(g)[..., None],
    )
    mean_f, mean_g = (each.mean(axis=-1, keepdims=True) - _around(each) / n for each in (f, g))
    estimates: Floats = mean_f - weights * (mean_g - machine_means)
    return estimates


def t_quantile(level: float, degrees: npt.ArrayLike) -> Floats:
    """Return the quantile of Student's t that an interval of a confidence level takes."""
    from scipy.special import stdtrit

    found: Floats = stdtrit(degrees, (1 + level) / 2)
    return found

"""Confidence intervals of means over queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.checks import check_fraction
from idealrank._core.exact import UNBOUNDED, Moments, RowMoments
from idealrank._core.seeds import new_seed
from idealrank._core.threads import resolve_threads
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.stats.samples import complete_values, join_notes

#: Remarks on intervals.
SAME_VALUE, NO_INTERVAL = "all queries have the same value", "an interval needs two queries or more"
#: With fewer differences that are not 0, t intervals miss the truth up to five times as often as they should, and t
#: tests of equal differences are false up to 2.5 times as often.
_FEWEST_NONZERO = 6
FEW_DIFFER = f"fewer than {_FEWEST_NONZERO} queries differ, so the interval is wider than that of Student's t"
METHODS = ("score", "t", "percentile", "bca")
#: The fraction of a query of the largest variance that the variance of bounded values is pulled to.
_PULL = 0.25
#: Quantiles of fewer than one degree of freedom, which an effective number of values can have, grow beyond all numbers.
_LARGEST_QUANTILE = 1e9


@dataclass(frozen=True)
class Interval(Result):
    """A confidence interval of a mean. The bounds are NaN, and ``note`` gives the reason, if there is no interval.

    Parameters
    ----------
    low, high : float
        The bounds.
    mean : float
        The mean over queries.
    level : float
        The confidence level.
    method : str
        How the interval was computed: "score" for values in a known range, "t", "percentile" or "bca".
    note : str
        A sentence about queries that were left out, or about why there is no interval; otherwise empty.
    seed : int, optional
        The seed with which a bootstrap interval can be repeated; None for other intervals.

    Examples
    --------
    >>> from idealrank.stats import interval
    >>> interval([0.5]).note
    'an interval needs two queries or more'
    """

    low: float
    high: float
    mean: float
    level: float
    method: str
    note: str = ""
    seed: int | None = None


def interval(
    values: npt.ArrayLike,
    level: float = 0.95,
    method: str | None = None,
    *,
    value_range: tuple[float, float] = UNBOUNDED,
    n_resamples: int = 10_000,
    seed: int | None = 0,
    n_threads: int | None = None,
) -> Interval:
    """Compute a confidence interval of the mean over queries.

    Parameters
    ----------
    values : array-like
        One value per query; for the difference of two systems, one difference per query.
    level : float
        The confidence level.
    method : {"score", "t", "percentile", "bca"}, optional
        The score method for values in a known range, which never leaves it; Student's t; percentiles of the means of
        bootstrap resamples; or such percentiles, corrected for bias and skewness (Efron 1987). By default, "score" if
        the values have a range, and "t" otherwise.
    value_range : tuple of float
        The lowest and the highest value that a query can have, such as (0, 1), or infinities.
    n_resamples : int
        The number of bootstrap resamples; other methods do not use it.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call, which the result has.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    Interval
        The interval and the mean.

    Raises
    ------
    OptionError
        If the level is not between 0 and 1, the method is unknown, or it needs a range and there is none.
    DataError
        If a value is infinite, or out of the range.

    Notes
    -----
    The score interval contains every mean m with |mean - m| <= t sqrt(r v(m) / n): t is the quantile of Student's t,
    v(m) the largest variance of values in the range with mean m, and r the variance of the values as a fraction of the
    largest one for their mean. For values 0 and 1 this is Wilson's interval (1927) with t in place of the normal
    quantile. If all values are the same, the fraction of other values is bounded as by Clopper and Pearson (1934), and
    they may have the ends of the range.

    Examples
    --------
    >>> from idealrank.stats import interval
    >>> found = interval([0.1, 0.2, 0.3, 0.4])
    >>> round(found.low, 4), found.mean, round(found.high, 4)
    (0.0446, 0.25, 0.4554)

    Ten of ten queries with a hit:

    >>> found = interval([1.0] * 10, value_range=(0, 1))
    >>> round(found.low, 4), found.mean, found.high
    (0.6915, 1.0, 1.0)
    """
    check_fraction(level, "level")
    value_range = checked_range(value_range)
    is_bounded = not np.isinf(value_range).any()
    if method is None:
        method = "score" if is_bounded else "t"
    if method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if method == "score" and not is_bounded:
        raise OptionError("method='score' needs the range of the values: give value_range, such as (0, 1)")
    sample, note = complete_values(values)
    _check_range(sample, value_range)
    moments = Moments.of(sample)
    mean = moments.mean
    if sample.size < 2:
        note = join_notes(note, NO_INTERVAL)
        return Interval(math.nan, math.nan, mean, level, method, note)
    if np.ptp(sample) == 0:
        note = join_notes(note, SAME_VALUE)
    if method in ("score", "t"):
        bounds = bounded_interval(
            mean, moments.variance, moments.count, level, value_range if method == "score" else UNBOUNDED
        )
        return Interval(*bounds, mean, level, method, note)
    if np.ptp(sample) == 0:
        return Interval(mean, mean, mean, level, method, note)
    seed = new_seed(seed)
    means, _ = _native.bootstrap_moments(sample, n_resamples, seed, resolve_threads(n_threads))
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(means, _bca(tails, sample, means) if method == "bca" else tails)
    return Interval(float(low), float(high), mean, level, method, note, seed)


def checked_range(value_range: tuple[float, float]) -> tuple[float, float]:
    """Return the lowest and the highest value that can occur, two numbers or infinities."""
    try:
        low, high = map(float, value_range)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise OptionError(f"value_range must be two numbers, the lower one first, got {value_range!r}")
    return low, high


def _check_range(sample: Floats, value_range: tuple[float, float]) -> None:
    low, high = value_range
    if sample.size and not low <= sample.min() <= sample.max() <= high:
        wrong = sample.min() if sample.min() < low else sample.max()
        raise DataError(f"a value must be in the range from {low:g} to {high:g}, got {wrong:g}")


def interval_of(moments: Moments, level: float) -> Interval:
    """Return the interval of a mean over queries: by the score method where the values have a range, otherwise by t.

    All means of measures have their intervals from here. Values beyond their range, such as those of negative labels,
    have a t interval. The interval of a geometric mean is that of the mean logarithm; a sum has none.

    Examples
    --------
    >>> interval_of(Moments.of(np.array([1.0, 1.0]), value_range=(0, 1)), 0.95).high
    1.0
    """
    check_fraction(level, "level")
    value_range = moments.limits
    sample = moments.center, moments.variance, moments.effective_count
    low, high = bounded_interval(*sample, level, value_range, moments.degrees)
    if moments.aggregate == "geometric":
        low, high = math.exp(low), math.exp(high)
    elif moments.aggregate == "sum":
        low = high = math.nan
    return Interval(low, high, moments.mean, level, "t" if math.inf in map(abs, value_range) else "score")


def bounded_interval(
    mean: float,
    variance: float,
    n: float,
    level: float,
    value_range: tuple[float, float] = UNBOUNDED,
    degrees: float | None = None,
) -> tuple[float, float]:
    """Return the confidence interval of the mean of n independent values in a known range, which it never leaves.

    It contains every mean m with |mean - m| <= t sqrt(r v(m) / n), where t is the quantile of Student's t, v(m) the
    largest variance of values with mean m, (m - low)(high - m), and r the variance of the values as a fraction of
    v(mean). For values 0 and 1, r is 1 and this is Wilson's score interval with t in place of the normal quantile. As r
    is estimated from few values, it is pulled towards 1 like the mean of n values and a quarter of a value that is 1.

    If all values are the same, nothing is known about r. Then all but a fraction q of all values are the same, with
    q = 1 - a^(1/n) and a = (1 - level) / 2 (Clopper and Pearson), and those may have the ends of the range.

    Values without a range have Student's t interval, cut at the end of a range with one end.

    Parameters
    ----------
    mean, variance : float
        Mean and variance of the values, with denominator n - 1.
    n : float
        The number of values, or an effective number.
    level : float
        The confidence level.
    value_range : tuple of float
        The lowest and the highest value that can occur, or infinities.
    degrees : float, optional
        The degrees of freedom of the variance; n - 1 by default.

    Returns
    -------
    low, high : float
        The bounds; NaN if n is 1 or less.

    Examples
    --------
    Ten of ten, and seven of ten:

    >>> [round(each, 3) for each in bounded_interval(1.0, 0.0, 10, 0.95, (0, 1))]
    [0.692, 1.0]
    >>> [round(each, 3) for each in bounded_interval(0.7, 0.7 * 0.3 * 10 / 9, 10, 0.95, (0, 1))]
    [0.357, 0.907]
    """
    if not n > 1 or math.isnan(mean) or math.isnan(variance):
        return math.nan, math.nan
    quantile = _quantile(n - 1 if degrees is None else degrees, level)
    lowest, highest = value_range
    if math.isinf(highest - lowest):
        half = quantile * math.sqrt(variance / n)
        return max(mean - half, lowest), min(mean + half, highest)
    if variance == 0:
        others = 1 - ((1 - level) / 2) ** (1 / n)
        return mean - others * (mean - lowest), mean + others * (highest - mean)
    size = highest - lowest
    share = (mean - lowest) / size
    relative = variance * (n - 1) / n / size**2 / (share * (1 - share)) if 0 < share < 1 else 1.0
    k = quantile**2 * (relative * n + _PULL) / (n + _PULL) / n
    middle, half = share + k / 2, math.sqrt(max(k * share * (1 - share) + k * k / 4, 0.0))
    low, high = ((middle + sign * half) / (1 + k) for sign in (-1, 1))
    # Rounding may put an end beyond the range, or on the wrong side of the mean.
    return min(max(lowest, lowest + size * low), mean), max(min(highest, lowest + size * high), mean)


@lru_cache(maxsize=256)  # the same for all systems on the same queries
def _quantile(degrees: float, level: float) -> float:
    from scipy.special import stdtrit

    return min(float(stdtrit(degrees, (1 + level) / 2)), _LARGEST_QUANTILE)


def difference_interval(differences: Moments | RowMoments, n_nonzero: int, level: float) -> Interval:
    """Return the interval of a mean difference of two systems; the range is that of differences, such as (-1, 1).

    It is Student's t interval, which agrees with the t test, cut at the ends of the range. If all differences are the
    same, it is that of `bounded_interval`. If fewer than six of six or more are not 0, it contains both intervals, and
    0 if no p-value can be significant (see `least_t_p_value`); a note says so.

    Examples
    --------
    Ten queries, on all of which two systems are equal:

    >>> found = difference_interval(Moments.of(np.zeros(10), value_range=(-1, 1)), 0, level=0.95)
    >>> round(found.low, 2), round(found.high, 2)
    (-0.31, 0.31)
    """
    mean, variance, n = differences.mean, differences.variance, differences.effective_count
    limits = differences.limits
    low, high = bounded_interval(mean, variance, n, level, UNBOUNDED if variance > 0 else limits, differences.degrees)
    note = NO_INTERVAL if differences.count < 2 else SAME_VALUE if variance == 0 else ""
    least = float(least_t_p_value(n_nonzero, differences.count))
    if variance > 0 and least > 0:
        wide = bounded_interval(mean, variance, n, level, limits, differences.degrees)
        zero = [0.0] if least > 1 - level else []
        low, high, note = min(low, wide[0], *zero), max(high, wide[1], *zero), FEW_DIFFER
    if low == low:
        low, high = max(low, limits[0]), min(high, limits[1])
    return Interval(low, high, mean, level, "t", note)


def least_t_p_value(n_nonzero: npt.ArrayLike, n: int) -> Floats:
    """Return the smallest p-value of a t test of n differences, of which only a few are not 0; otherwise 0.

    Of the 2^k ways to sign k differences, two are as extreme as any data, so that a p-value below 2^(1 - k) claims too
    much: Student's t would be significant at the 5% level for four equal differences.

    Examples
    --------
    >>> least_t_p_value([4, 5, 6], 50), least_t_p_value([4, 5], 5)
    (array([0.125 , 0.0625, 0.    ]), array([0., 0.]))
    """
    k = np.asarray(n_nonzero, np.float64)
    return np.where((k < _FEWEST_NONZERO) & (n >= _FEWEST_NONZERO), np.minimum(2.0 ** (1 - k), 1.0), 0.0)


def _bca(tails: Floats, sample: Floats, means: Floats) -> Floats:
    """Return the quantiles of resamples to use: z0 is the bias of the bootstrap, a the skewness by the jackknife."""
    from scipy.special import ndtr, ndtri

    below = (np.count_nonzero(means < sample.mean()) + np.count_nonzero(means == sample.mean()) / 2) / means.size
    z0 = ndtri(np.clip(below, 1 / (means.size + 1), means.size / (means.size + 1)))
    deviations = sample - sample.mean()  # those of the jackknife means are -1 / (n - 1) times these
    skewness = float((deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5))
    z = z0 + ndtri(tails)
    shares: Floats = ndtr(z0 + z / (1 - skewness * z))
    return shares

"""Confidence intervals of means over queries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.checks import check_fraction
from idealrank._core.exact import Moments
from idealrank._core.seeds import new_seed
from idealrank._core.threads import resolve_threads
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.stats.samples import complete_values, join_notes

__all__ = ["Interval", "interval"]

#: Why there is no interval.
SAME_VALUE = "all queries have the same value"


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
        How the interval was computed.
    note : str
        A sentence about queries that were left out, or about why there is no interval; otherwise empty.
    seed : int, optional
        The seed with which a bootstrap interval can be repeated; None for Student's t.

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
    method: str = "t",
    *,
    n_resamples: int = 10_000,
    seed: int | None = None,
    n_threads: int | None = None,
) -> Interval:
    """Compute a confidence interval of the mean over queries.

    Parameters
    ----------
    values : array-like
        One value per query; for the difference of two systems, one difference per query.
    level : float
        The confidence level.
    method : {"t", "percentile", "bca"}
        Student's t; percentiles of the means of bootstrap resamples; or such percentiles, corrected for bias and
        skewness (Efron 1987).
    n_resamples : int
        The number of bootstrap resamples; Student's t does not use it.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    Interval
        The interval and the mean.

    Raises
    ------
    OptionError
        If the level is not between 0 and 1, or the method is unknown.
    DataError
        If a value is infinite.

    Examples
    --------
    >>> from idealrank.stats import interval
    >>> found = interval([0.1, 0.2, 0.3, 0.4], method="t")
    >>> round(found.low, 4), found.mean, round(found.high, 4)
    (0.0446, 0.25, 0.4554)
    """
    check_fraction(level, "level")
    if method not in ("t", "percentile", "bca"):
        raise OptionError(f"method must be 't', 'percentile' or 'bca', got {method!r}")
    sample, note = complete_values(values)
    moments = Moments.of(sample)
    mean = moments.mean
    if sample.size < 2:
        note = join_notes(note, "an interval needs two queries or more")
        return Interval(math.nan, math.nan, mean, level, method, note)
    if np.ptp(sample) == 0:
        note = join_notes(note, SAME_VALUE)
        return Interval(mean, mean, mean, level, method, note)
    if method == "t":
        return Interval(*moments.t_interval(level), mean, level, method, note)
    seed = new_seed(seed)
    means, _ = _native.bootstrap_moments(sample, n_resamples, seed, resolve_threads(n_threads))
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(means, _bca(tails, sample, means) if method == "bca" else tails)
    return Interval(float(low), float(high), mean, level, method, note, seed)


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

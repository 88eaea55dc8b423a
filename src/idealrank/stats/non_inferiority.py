"""Non-inferiority: whether a new system is worse than the old one by less than a margin, and what a sample can show."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, check_count, check_fraction
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.stats.intervals import least_t_p_value
from idealrank.stats.power import fewest_queries
from idealrank.stats.replicated import MeanError, VarianceComponents, split_runs
from idealrank.stats.samples import differences_of, join_notes

#: Below this number of queries there is no verdict: no sign test of fewer can reach the level 0.05.
FEWEST_QUERIES = 5
#: Student's t needs about so many queries that changed; with fewer, "pass" has to hold with one more drop.
ENOUGH_CHANGES = 20
#: Standard deviations that differ by less than this fraction of the largest difference are 0 except for rounding.
_ROUNDING = 1e-12
#: Points at which the distribution of the standard deviation is integrated.
_N_POINTS = 200
#: The smallest drop is found by halving an interval this often.
_N_HALVINGS = 50

GateVerdict = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True)
class NonInferiority(Result):
    """The result of `non_inferiority_test`.

    Parameters
    ----------
    verdict : {"pass", "fail", "inconclusive"}
        "pass" if the mean dropped by less than the margin; "fail" if it dropped and this is not shown; else
        "inconclusive".
    difference : float
        The mean of a - b.
    low, high : float
        One-sided bounds of the true difference: it is above ``low`` with confidence 1 - level, and below ``high`` with
        confidence 1 - level / n_tests. NaN for fewer than two queries.
    margin : float
        The largest drop that does not matter.
    p_within : float
        The p-value of "the drop is below the margin".
    p_worse : float
        The p-value of "a is worse than b", times ``n_tests``.
    n_queries : int
        Number of queries with a value in both systems.
    sd : float
        The standard deviation of the differences.
    n_changed : int
        Number of queries on which the systems differ.
    level : float
        The significance level.
    n_tests : int
        The number of tests of which none may fail by chance.
    note : str
        A sentence about queries that were left out, or about why there is no verdict; otherwise empty.
    runs : tuple of VarianceComponents
        Those of the systems that ran several times.

    Examples
    --------
    >>> from idealrank.stats import non_inferiority_test
    >>> found = non_inferiority_test([0.51, 0.40, 0.62, 0.55, 0.70, 0.33], [0.5, 0.41, 0.6, 0.55, 0.7, 0.34], 0.02)
    >>> found.verdict, round(found.low, 4)
    ('pass', -0.0113)
    """

    verdict: GateVerdict
    difference: float
    low: float
    high: float
    margin: float
    p_within: float
    p_worse: float
    n_queries: int
    sd: float
    n_changed: int
    level: float
    n_tests: int
    note: str = ""
    runs: tuple[VarianceComponents, ...] = ()

    @property
    def error(self) -> MeanError:
        """The error of the difference of the means, for new queries and new runs."""
        return MeanError(self.sd**2 / self.n_queries, self.n_queries, self.runs)

    def chances(self, drop: float) -> tuple[float, float]:
        """Return the probabilities of "pass" and "fail" if the true mean drops by this much.

        The differences are taken as normal with the standard deviation of the sample, on all queries.

        Parameters
        ----------
        drop : float
            The true drop of the mean; negative for a gain.

        Returns
        -------
        pass, fail : float
            The probabilities; NaN if the sample has no variance or fewer than five queries. That of "pass" is also NaN
            if fewer than 20 queries changed.
        """
        if self.n_queries < FEWEST_QUERIES or not self.error.variance > 0:
            return math.nan, math.nan
        error, degrees = self.error.standard_error, self.error.degrees
        passes, fails = _chances(drop / error, self.margin / error, degrees, self.level, self.n_tests)
        return passes if self.n_changed >= ENOUGH_CHANGES else math.nan, fails

    def smallest_drop(self, power: float = 0.8) -> float:
        """Return the smallest true drop for which the verdict is "fail" with this probability.

        Parameters
        ----------
        power : float
            The probability.

        Returns
        -------
        float
            The drop; NaN if the sample has no variance or fewer than five queries.
        """
        check_fraction(power, "power")
        if math.isnan(self.chances(0.0)[1]):
            return math.nan
        low, high = 0.0, self.margin + self.error.standard_error
        while self.chances(high)[1] < power:
            low, high = high, 2 * high
        for _ in range(_N_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.chances(middle)[1] >= power else (middle, high)
        return high

    def smallest_drop_range(self, power: float = 0.8, confidence: float = 0.9) -> tuple[float, float]:
        """Return the smallest drop if the variances are as low, and as high, as the sample allows.

        With few runs, the variance between runs is hardly known, and so is the power.

        Parameters
        ----------
        power : float
            The probability of "fail".
        confidence : float
            The probability that the true smallest drop is within the range, or more.

        Returns
        -------
        low, high : float
            The drops; NaN if the sample has no variance or fewer than five queries.
        """
        check_fraction(confidence, "confidence")
        if math.isnan(self.chances(0.0)[1]):
            return math.nan, math.nan
        from scipy.special import chdtri

        n, tail = self.n_queries - 1, (1 - confidence) / 2
        low, high = (
            replace(
                self,
                sd=self.sd * math.sqrt(n / float(chdtri(n, above))),
                runs=tuple(
                    each.with_runs((each.n_runs - 1) / float(chdtri(each.n_runs - 1, above))) for each in self.runs
                ),
            ).smallest_drop(power)
            for above in (tail, 1 - tail)
        )
        return low, high

    def queries_to_pass(self, power: float = 0.8) -> int | None:
        """Return the number of queries with which an unchanged mean passes with this probability.

        Parameters
        ----------
        power : float
            The probability.

        Returns
        -------
        int or None
            The number of queries; None if the probability is not known, or if no number suffices because the runs
            differ too much.
        """
        check_fraction(power, "power")
        if math.isnan(self.chances(0.0)[0]):
            return None
        if replace(self, n_queries=10**9).chances(0.0)[0] < power:
            return None
        return fewest_queries(lambda n: n >= FEWEST_QUERIES and replace(self, n_queries=n).chances(0.0)[0] >= power)


def non_inferiority_test(
    a: npt.ArrayLike, b: npt.ArrayLike, margin: float, *, level: float = 0.05, n_tests: int = 1
) -> NonInferiority:
    """Test whether a new system is worse than an old one by less than a margin.

    Two one-sided t tests of the mean of a - b give one of three verdicts. "pass": the mean is above -margin. "fail": it
    is below 0, and it is not shown to be above -margin. "inconclusive": neither is shown, or there are fewer than five
    queries. A significant drop that is certainly smaller than the margin passes, because the margin says that it does
    not matter.

    If fewer than 20 queries changed, the mean must pass with one more query, on which it drops by the largest change:
    with few changes, Student's t is too sure that the next ones will not be drops. If fewer than six of six or more
    queries changed, say k, the p-value of a drop is at least 2^-k, as in `t_test`. If all n differences are the same,
    the tests are sign tests, with the p-value 2^-n.

    Parameters
    ----------
    a, b : array-like
        One value per query: of the new system, and of the old one; higher is better. Or a matrix[query, run] of a
        system that ran several times: then the verdict is about new queries and new runs of it.
    margin : float
        The largest drop of the mean that does not matter, a positive number.
    level : float
        The significance level: of "pass" for a drop of the margin, and of "fail" for no drop.
    n_tests : int
        The number of tests of which none may fail by chance (Bonferroni). "pass" is not corrected: if several tests
        must all pass, the level of this is that of one (Berger 1982).

    Returns
    -------
    NonInferiority
        The verdict, the difference and its bounds.

    Raises
    ------
    OptionError
        If an option is out of range.
    DataError
        If the arrays do not have one value per query each, or a value is infinite.

    Examples
    --------
    >>> from idealrank.stats import non_inferiority_test
    >>> non_inferiority_test([0.3, 0.2, 0.4, 0.1, 0.3, 0.2], [0.5, 0.4, 0.7, 0.2, 0.6, 0.4], 0.02).verdict
    'fail'
    """
    if not (are_numbers(margin) and 0 < margin < math.inf):
        raise OptionError(f"margin must be a positive number, got {margin!r}")
    check_fraction(level, "level")
    check_count(n_tests, "n_tests")
    (means_a, runs_a), (means_b, runs_b) = (split_runs(each) for each in (a, b))
    differences, note = differences_of(means_a, means_b)
    runs = (*runs_a, *runs_b)
    n = differences.size
    mean = float(differences.mean()) if n else math.nan
    if n < 2:
        note = join_notes(note, "a test needs two queries or more")
        empty = math.nan, math.nan, margin, math.nan, math.nan, n, math.nan, int(np.count_nonzero(differences))
        return NonInferiority("inconclusive", mean, *empty, level, n_tests, note)
    sd = float(differences.std(ddof=1))
    if sd <= _ROUNDING * float(np.abs(differences).max()):
        sd = 0.0
    n_changed = int(np.count_nonzero(differences))
    low, high = mean, mean
    p_within, p_worse = (0.5**n if holds else 1.0 for holds in (mean > -margin, mean < 0))
    error = MeanError(sd**2 / n, n, runs)
    if error.variance:
        from scipy.special import stdtr

        high = mean + _quantile(error.degrees, level / n_tests) * error.standard_error
        p_worse = float(stdtr(error.degrees, mean / error.standard_error))
        known = differences if n_changed >= ENOUGH_CHANGES else np.append(differences, -np.abs(differences).max())
        center, error = float(known.mean()), MeanError(float(known.var(ddof=1)) / known.size, known.size, runs)
        low = center - _quantile(error.degrees, level) * error.standard_error
        p_within = float(stdtr(error.degrees, (-margin - center) / error.standard_error))
    least = float(least_t_p_value(n_changed, n)) / 2  # of one side
    if least > level / n_tests:
        high = max(high, 0.0)
    p_worse = min(1.0, n_tests * max(p_worse, least))
    verdict: GateVerdict = "inconclusive"
    if n < FEWEST_QUERIES:
        note = join_notes(note, f"a verdict needs {FEWEST_QUERIES} queries or more")
    elif p_within <= level:
        verdict = "pass"
    elif p_worse <= level:
        verdict = "fail"
    found = verdict, mean, low, high, margin, p_within, p_worse, n, sd, n_changed, level, n_tests, note
    return NonInferiority(*found, runs)


@lru_cache(maxsize=256)
def _quantile(degrees: float, level: float) -> float:
    """Return how many standard errors a one-sided bound of a mean is away from it."""
    from scipy.special import stdtrit

    return -float(stdtrit(degrees, level))


@lru_cache(maxsize=64)
def _deviations(degrees: float) -> Floats:
    """Return quantiles of the standard deviation of normal values with variance 1."""
    from scipy.special import gammaincinv

    points = (np.arange(_N_POINTS) + 0.5) / _N_POINTS
    deviations: Floats = np.sqrt(2 * gammaincinv(degrees / 2, points) / degrees)
    return deviations


def _chances(drop: float, margin: float, degrees: float, level: float, n_tests: int) -> tuple[float, float]:
    """Return the probabilities of "pass" and "fail" for a normal mean of -drop, in units of its standard error.

    Given the estimate e of the error, the mean passes above -margin + t e and fails below both this and -t' e, with t
    for the level and t' for level / n_tests.
    """
    from scipy.special import ndtr

    errors = _deviations(degrees)
    passes = -margin + _quantile(degrees, level) * errors
    fails = np.minimum(passes, -_quantile(degrees, level / n_tests) * errors)
    below = ndtr(np.stack([passes, fails]) + drop).mean(axis=1)
    return 1 - float(below[0]), float(below[1])

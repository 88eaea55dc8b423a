"""Paired tests of whether one system is better than another, all two-sided."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.checks import are_numbers, check_count
from idealrank._core.seeds import new_seed
from idealrank._core.threads import resolve_threads
from idealrank._present.result import Result
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.stats.intervals import least_t_p_value
from idealrank.stats.samples import complete_rows, differences_of, join_notes

#: Queries that differ, of which all permutations are made; and queries of an exact Wilcoxon test, by SciPy.
_EXACT_UP_TO, _WILCOXON_EXACT_UP_TO = 20, 50
#: Sums that differ by less than this fraction of the sum of all differences are equal except for rounding.
_ROUNDING = 1e-12
#: No p-value is 0.
_LEAST_P_VALUE = 1e-300


@dataclass(frozen=True)
class PairedTest(Result):
    """The result of a paired test of two systems.

    Parameters
    ----------
    method : str
        The name of the test.
    p_value : float
        The two-sided p-value, or for `equivalence_test` the larger of two one-sided ones. It is NaN, and ``note`` gives
        the reason, if there is none.
    difference : float
        The mean of a - b.
    statistic : float
        The test statistic.
    n_queries : int
        Number of queries with a value in both systems.
    note : str
        A sentence about queries that were left out, or about why there is no p-value; otherwise empty.
    seed : int, optional
        The seed with which a test with random numbers can be repeated; None for other tests.

    Examples
    --------
    >>> from idealrank.stats import t_test
    >>> t_test([0.5], [0.25]).note
    'a t statistic needs two queries or more'
    """

    method: str
    p_value: float
    difference: float
    statistic: float
    n_queries: int
    note: str = ""
    seed: int | None = None


def randomization_test(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_permutations: int = 10_000,
    seed: int | None = 0,
    n_threads: int | None = None,
) -> PairedTest:
    """Run Fisher's paired randomization test, which swaps a and b at random on each query.

    The p-value is exact if the systems differ on at most 20 queries. Otherwise it is (b + 1) / (B + 1), where b of B
    random permutations are at least as extreme as the data, so that it is never 0.

    Parameters
    ----------
    a, b : array-like
        One value per query.
    n_permutations : int
        The number B of random permutations.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    PairedTest
        The p-value, the difference and the test statistic.

    Raises
    ------
    DataError
        If the arrays do not have one value per query each, or a value is infinite.

    Examples
    --------
    Of the 4 ways to sign the differences 2 and 1, two have a sum of 3 or -3:

    >>> from idealrank.stats import randomization_test
    >>> randomization_test([3.0, 2.0], [1.0, 1.0]).p_value
    0.5
    """
    differences, found = _unanswered("randomization", a, b)
    found = replace(found, statistic=found.difference)
    changed = differences[differences != 0]
    if changed.size == 0:
        return found
    least = abs(changed.sum()) - _ROUNDING * np.abs(changed).sum()
    if changed.size <= _EXACT_UP_TO:
        return replace(found, p_value=_native.count_flipped_sums(changed, least) / 2**changed.size)
    check_count(n_permutations, "n_permutations")
    seed = new_seed(seed)
    sums = _native.flipped_sums(changed, n_permutations, seed, resolve_threads(n_threads))
    n_reached = int(np.count_nonzero(np.abs(sums) >= least))
    return replace(found, p_value=(n_reached + 1) / (n_permutations + 1), seed=seed)


def t_test(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Run Student's paired t test.

    If all n differences are the same and not 0, t is infinite, whatever n. The p-value is then that of the exact
    randomization test, 2^(1 - n), which is 1 for one query. If all are 0, it is 1. If fewer than six of six or more
    differences are not 0, say k, the p-value is at least 2^(1 - k), the smallest one of the randomization test: t alone
    would be significant too often.

    Parameters
    ----------
    a, b : array-like
        One value per query.

    Returns
    -------
    PairedTest
        The p-value, the difference and the test statistic.

    Raises
    ------
    DataError
        If the arrays do not have one value per query each, or a value is infinite.

    Examples
    --------
    Differences 1, 2, 3: t = 2 / (1 / sqrt(3)) with 2 degrees of freedom.

    >>> from idealrank.stats import t_test
    >>> round(t_test([2, 4, 6], [1, 2, 3]).p_value, 4)
    0.0742
    """
    differences, found = _with_t_statistic("t", a, b)
    if math.isnan(found.statistic):
        return found
    return replace(found, p_value=t_p_value(found.statistic, found.n_queries, differences))


def t_p_value(statistic: float, n: float, differences: Floats) -> float:
    """Return the two-sided p-value of Student's t for n differences, or an effective number of them.

    Examples
    --------
    >>> round(t_p_value(12**0.5, 3, np.array([1, 2, 3])), 4), t_p_value(math.inf, 3, np.ones(3))
    (0.0742, 0.25)
    """
    return float(_t_p_values(np.float64(statistic), n, differences))


def t_p_values(differences: Floats) -> Floats:
    """Return the p-values of `t_test` of differences[pair, query], of which some may be NaN.

    Examples
    --------
    >>> t_p_values(np.array([[1.0, 2.0, 3.0], [1.0, math.nan, 1.0], [0.0, 0.0, 0.0]])).round(4)
    array([0.0742, 0.5   , 1.    ])
    """
    p_values = np.full(len(differences), math.nan)
    for pairs, values, _ in complete_rows(differences):
        n = values.shape[1]
        if n:
            p_values[pairs] = np.where(values.any(axis=1) & (n > 1), _t_p_values(_t_statistics(values), n, values), 1.0)
    return p_values


def _t_p_values(statistics: Floats | np.float64, n: float, differences: Floats) -> Floats:
    from scipy.special import stdtr

    least = least_t_p_value(np.count_nonzero(differences, axis=-1), differences.shape[-1])
    p_values = np.maximum(2 * stdtr(n - 1, -np.abs(statistics)), np.maximum(least, _LEAST_P_VALUE))
    return np.asarray(np.where(np.isinf(statistics), 2.0 ** (1 - n), p_values), np.float64)


def wilcoxon_test(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Run Wilcoxon's signed-rank test on the queries that differ; it is exact for up to 50 queries without ties.

    Parameters
    ----------
    a, b : array-like
        One value per query.

    Returns
    -------
    PairedTest
        The p-value, the difference and the test statistic.

    Raises
    ------
    DataError
        If the arrays do not have one value per query each, or a value is infinite.

    Examples
    --------
    The differences 1, 2, 3 are all above 0: 2 of 8 ways to sign the ranks are as extreme.

    >>> from idealrank.stats import wilcoxon_test
    >>> wilcoxon_test([2, 4, 6], [1, 2, 3]).p_value
    0.25
    """
    differences, found = _unanswered("wilcoxon", a, b)
    if not differences.any():
        return found
    from scipy.stats import wilcoxon

    result = wilcoxon(differences, zero_method="wilcox")
    return replace(found, p_value=float(result.pvalue), statistic=float(result.statistic))


def sign_test(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Run the sign test, which compares wins and losses with fair coin tosses and ignores queries that do not differ.

    Parameters
    ----------
    a, b : array-like
        One value per query.

    Returns
    -------
    PairedTest
        The p-value, the difference and the test statistic.

    Raises
    ------
    DataError
        If the arrays do not have one value per query each, or a value is infinite.

    Examples
    --------
    Three wins of three: 2 of 8 outcomes are as extreme.

    >>> from idealrank.stats import sign_test
    >>> sign_test([2, 4, 6, 1], [1, 2, 3, 1]).p_value
    0.25
    """
    from scipy.special import bdtr

    differences, found = _unanswered("sign", a, b)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    found = replace(found, statistic=float(wins - losses))
    if wins + losses == 0:
        return found
    return replace(found, p_value=min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5))))


def bootstrap_test(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    seed: int | None = 0,
    n_threads: int | None = None,
) -> PairedTest:
    """Run the bootstrap shift test, which resamples the differences after shifting their mean to 0 (Sakai 2006).

    If all differences are the same, the p-value is that of `t_test`.

    Parameters
    ----------
    a, b : array-like
        One value per query.
    n_resamples : int
        The number of bootstrap resamples.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    PairedTest
        The p-value, the difference and the test statistic.

    Raises
    ------
    DataError
        If the arrays do not have one value per query each, or a value is infinite.

    Examples
    --------
    Differences from 1 to 20 are far from 0: no shifted resample has such a large t statistic.

    >>> import numpy as np
    >>> from idealrank.stats import bootstrap_test
    >>> bootstrap_test(range(1, 21), np.zeros(20), n_resamples=999, seed=0).p_value
    0.001
    """
    differences, found = _with_t_statistic("bootstrap", a, b)
    if math.isnan(found.statistic):
        return found
    if math.isinf(found.statistic):
        return replace(found, p_value=t_p_value(found.statistic, found.n_queries, differences))
    check_count(n_resamples, "n_resamples")
    seed = new_seed(seed)
    shifted = differences - found.difference
    means, variances = _native.bootstrap_moments(shifted, n_resamples, seed, resolve_threads(n_threads))
    # A resample that repeats one query has no variance: its t is infinite unless its mean is 0 too.
    errors = np.sqrt(variances / differences.size)
    n_extreme = int(np.count_nonzero(np.abs(means) >= abs(found.statistic) * errors * (1 - _ROUNDING)))
    return replace(found, p_value=(n_extreme + 1) / (n_resamples + 1), seed=seed)


def equivalence_test(a: npt.ArrayLike, b: npt.ArrayLike, margin: float) -> PairedTest:
    """Run two one-sided t tests: a small p means that the systems differ by less than the margin (Schuirmann 1987).

    If all n differences are the same, it is the sign test: 2^-n if they are below the margin, otherwise 1.

    Parameters
    ----------
    a, b : array-like
        One value per query.
    margin : float
        The largest difference of means that does not matter, a positive number.

    Returns
    -------
    PairedTest
        The p-value, the difference and the test statistic.

    Raises
    ------
    OptionError
        If the margin is not a positive number.

    Examples
    --------
    >>> from idealrank.stats import equivalence_test
    >>> equivalence_test([0.50, 0.52, 0.49, 0.51], [0.51, 0.50, 0.50, 0.52], margin=0.1).p_value < 0.01
    True
    """
    from scipy.special import stdtr

    if not (are_numbers(margin) and 0 < margin < math.inf):
        raise OptionError(f"margin must be a positive number, got {margin!r}")
    differences, found = _with_t_statistic("equivalence", a, b)
    if differences.size < 2:
        return replace(found, p_value=math.nan)
    if math.isinf(found.statistic) or not differences.any():
        return replace(found, p_value=0.5**differences.size if abs(found.difference) < margin else 1.0)
    (scaled,), (exponent,) = _scaled(differences[None])
    error = scaled.std(ddof=1) / math.sqrt(differences.size)
    with np.errstate(over="ignore"):  # a margin that is infinitely larger
        p_value = stdtr(differences.size - 1, (abs(scaled.mean()) - np.ldexp(margin, -exponent[0])) / error)
    return replace(found, p_value=float(p_value))


#: The tests of a difference, by the names that `paired_test` takes.
TESTS: Mapping[str, Callable[..., PairedTest]] = {
    "randomization": randomization_test,
    "t": t_test,
    "wilcoxon": wilcoxon_test,
    "sign": sign_test,
    "bootstrap": bootstrap_test,
}
_DRAWS = {"randomization": "n_permutations", "bootstrap": "n_resamples"}


def paired_test(
    test: str,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_draws: int = 10_000,
    seed: int | None = 0,
    n_threads: int | None = None,
) -> PairedTest:
    """Run the test with this name; tests that draw no random numbers ignore the options.

    Parameters
    ----------
    test : {"randomization", "t", "wilcoxon", "sign", "bootstrap"}
        The name of the test.
    a, b : array-like
        One value per query.
    n_draws : int
        The number of random permutations or resamples.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    PairedTest
        The p-value, the difference and the test statistic.

    Examples
    --------
    >>> paired_test("sign", [2, 4, 6, 1], [1, 2, 3, 1]).p_value
    0.25
    """
    if test not in _DRAWS:
        return TESTS[test](a, b)
    return TESTS[test](a, b, **{_DRAWS[test]: n_draws}, seed=seed, n_threads=n_threads)


def draws(test: str, n_changed: int) -> bool:
    """Return whether a test draws random permutations or resamples if two systems differ on so many queries.

    Parameters
    ----------
    test : str
        The name of the test, of `paired_test`, or "tukey".
    n_changed : int
        The number of queries on which the two systems differ.

    Examples
    --------
    >>> draws("randomization", 20), draws("randomization", 21), draws("bootstrap", 20), draws("t", 21)
    (False, True, True, False)
    """
    return n_changed > _EXACT_UP_TO if test == "randomization" else test in (*_DRAWS, "tukey")


def smallest_p_value(test: str, n_changed: int, n_draws: int, n_same: int = 0) -> float:
    """Return the smallest p-value that a test can give, whatever the differences; 0 if it has no such limit.

    Tests that draw have the limit 1 / (n_draws + 1). Of the 2^n_changed ways to sign the differences, at least 2 are as
    extreme as the data: this is the limit of the exact randomization test, the sign test, Wilcoxon's test while it is
    exact, and of `t_test` if few queries differ. On more than 50 queries, or if the systems are equal on some,
    Wilcoxon's p-value may be approximate and is not limited.

    Parameters
    ----------
    test : str
        The name of the test, of `paired_test`, or "tukey".
    n_changed : int
        The number of queries on which the two systems differ.
    n_draws : int
        Permutations or resamples.
    n_same : int
        The number of queries on which the two systems are equal.

    Examples
    --------
    Few queries are permuted in all ways, of which 2 are the most extreme; others in ways that are drawn:

    >>> smallest_p_value("randomization", 4, 99), smallest_p_value("randomization", 40, 99)
    (0.125, 0.01)
    >>> smallest_p_value("sign", 4, 99), smallest_p_value("wilcoxon", 4, 99), smallest_p_value("t", 4, 99)
    (0.125, 0.125, 0.0)
    """
    if draws(test, n_changed):
        return 1 / (n_draws + 1)
    if test == "t":
        return float(least_t_p_value(n_changed, n_changed + n_same))
    is_exact = test in ("randomization", "sign") or (
        test == "wilcoxon" and n_same == 0 and n_changed <= _WILCOXON_EXACT_UP_TO
    )
    return min(1.0, 2.0 ** (1 - n_changed)) if is_exact else 0.0


def _unanswered(method: str, a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Floats, PairedTest]:
    """Return the differences, and a result whose p-value is 1 if all of them are 0 and not known yet otherwise."""
    sample = differences_of(a, b)
    differences, note = sample.values, sample.note
    if differences.size == 0:
        note = join_notes(note, "no query has a value in both systems")
        return differences, PairedTest(method, math.nan, math.nan, math.nan, 0, note)
    are_equal = not differences.any()
    note = join_notes(note, "the systems are equal on every query" if are_equal else "")
    p_value = 1.0 if are_equal else math.nan
    return differences, PairedTest(method, p_value, float(differences.mean()), math.nan, differences.size, note)


def _with_t_statistic(method: str, a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Floats, PairedTest]:
    """Return the same with Student's t as the statistic, if there is one."""
    differences, found = _unanswered(method, a, b)
    if differences.size < 2:
        note = join_notes(found.note, "a t statistic needs two queries or more")
        return differences, replace(found, p_value=1.0 if differences.size else math.nan, note=note)
    (statistic,) = _t_statistics(differences[None]).tolist()
    note = join_notes(found.note, "all differences are the same: there is no variance" if math.isinf(statistic) else "")
    return differences, replace(found, statistic=statistic, note=note)


def standardized_means(differences: Floats) -> Floats:
    """Return mean / standard deviation of each row: infinite if all are the same, NaN if all are 0, or for one query.

    >>> standardized_means(np.array([[1.0, 2.0, 3.0], [0.1, 0.1, 0.1], [0.0, 0.0, 0.0]]))
    array([ 2., inf, nan])
    """
    if differences.shape[1] < 2:
        return np.full(len(differences), math.nan)
    scaled, _ = _scaled(differences)
    deviations, means = scaled.std(axis=1, ddof=1), scaled.mean(axis=1)
    is_same = deviations <= _ROUNDING * np.abs(scaled).max(axis=1)
    deviations[is_same] = 1.0
    ratios: Floats = means / deviations
    ratios[is_same] = np.copysign(math.inf, means[is_same])
    ratios[~differences.any(axis=1)] = math.nan
    return ratios


def _t_statistics(differences: Floats) -> Floats:
    """Return Student's t of each row: infinite if all are the same, NaN if all are 0 or there is only one."""
    return standardized_means(differences) * math.sqrt(differences.shape[1])


def _scaled(differences: Floats) -> tuple[Floats, Int64s]:
    """Return each row divided by a power of two, which changes no digit, and the exponents.

    Squares of tiny differences would vanish.
    """
    exponents = np.frexp(np.abs(differences).max(axis=1, keepdims=True))[1]
    return np.ldexp(differences, -exponents), exponents

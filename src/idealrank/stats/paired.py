"""Is one system better than another, or was it the choice of queries? Paired tests, all two-sided."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._base.results import Result
from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.stats.samples import and_note, new_seed, pair

__all__ = [
    "TESTS",
    "PairedTest",
    "bootstrap_test",
    "equivalence_test",
    "paired_test",
    "randomization_test",
    "sign_test",
    "t_test",
    "wilcoxon_test",
]

_EXACT_UP_TO = 20
#: Sums that differ by less than this share of the sum of all differences are equal but for rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class PairedTest(Result):
    """What a test found.

    ``difference`` is the mean of a - b; ``p_value`` is NaN, and ``note`` says why, where the test has no answer;
    ``seed`` repeats a test that draws random numbers.

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
    seed: int | None = None,
    n_threads: int | None = None,
) -> PairedTest:
    """Fisher's paired randomisation test: how often the difference is as large when a and b are swapped at random.

    Exact up to 20 queries on which the systems differ; else ``n_permutations`` random ones, and the observed one with
    them, so that p is never 0: (b + 1) / (B + 1).

    Of the 4 ways to sign 2 and 1, two reach a sum of 3:

    >>> randomization_test([3.0, 2.0], [1.0, 1.0]).p_value
    0.5
    """
    differences, difference, note = _differences(a, b)
    changed = np.ascontiguousarray(differences[differences != 0])
    found = _Found("randomization", difference, differences.size, note, statistic=difference)
    if differences.size == 0 or changed.size == 0:
        return found.with_p(1.0 if differences.size else math.nan)
    least = abs(changed.sum()) - _ROUNDING * np.abs(changed).sum()
    if changed.size <= _EXACT_UP_TO:
        return found.with_p(_native.count_flipped_sums(changed, least) / 2**changed.size)
    if n_permutations < 1:
        raise DataError(f"n_permutations must be 1 or more, got {n_permutations}")
    seed = new_seed(seed)
    sums = _native.flipped_sums(changed, n_permutations, seed, resolve_threads(n_threads))
    return found.with_p((np.count_nonzero(np.abs(sums) >= least) + 1) / (n_permutations + 1), seed)


def t_test(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Student's paired t test.

    Differences 1, 2, 3: t = 2 / (1 / sqrt(3)) on 2 degrees of freedom.

    >>> round(t_test([2, 4, 6], [1, 2, 3]).p_value, 4)
    0.0742
    """
    from scipy.special import stdtr

    differences, difference, note = _differences(a, b)
    t, note = _t_statistic(differences, note)
    found = _Found("t", difference, differences.size, note, statistic=t)
    return found.with_p(_if_equal(differences, 2 * float(stdtr(differences.size - 1, -abs(t)))))


def wilcoxon_test(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Wilcoxon's signed rank test, queries without a difference left out; exact for up to 50 without ties.

    All of 1, 2, 3 are above 0: 2 of 8 ways to sign the ranks are as extreme.

    >>> wilcoxon_test([2, 4, 6], [1, 2, 3]).p_value
    0.25
    """
    differences, difference, note = _differences(a, b)
    if not differences.any():
        return _Found("wilcoxon", difference, differences.size, note).with_p(_if_equal(differences, math.nan))
    from scipy.stats import wilcoxon

    result = wilcoxon(differences, zero_method="wilcox")
    found = _Found("wilcoxon", difference, differences.size, note, statistic=float(result.statistic))
    return found.with_p(float(result.pvalue))


def sign_test(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """The sign test: wins against losses as fair coin tosses, queries without a difference left out.

    Three wins of three: 2 of 8 outcomes are as extreme.

    >>> sign_test([2, 4, 6, 1], [1, 2, 3, 1]).p_value
    0.25
    """
    from scipy.special import bdtr

    differences, difference, note = _differences(a, b)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    found = _Found("sign", difference, differences.size, note, statistic=float(wins - losses))
    if wins + losses == 0:
        return found.with_p(_if_equal(differences, math.nan))
    return found.with_p(min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5))))


def bootstrap_test(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    seed: int | None = None,
    n_threads: int | None = None,
) -> PairedTest:
    """The bootstrap shift test: t statistics of resampled differences, shifted to a mean of 0 (Sakai 2006).

    Differences 1 to 20 lie far from 0: no shifted resample has as large a t.

    >>> bootstrap_test(range(1, 21), np.zeros(20), n_resamples=999, seed=0).p_value
    0.001
    """
    differences, difference, note = _differences(a, b)
    t, note = _t_statistic(differences, note)
    found = _Found("bootstrap", difference, differences.size, note, statistic=t)
    if math.isnan(t):
        return found.with_p(_if_equal(differences, math.nan))
    seed = new_seed(seed)
    shifted = differences - difference
    means, variances = _native.bootstrap_moments(shifted, n_resamples, seed, resolve_threads(n_threads))
    # A resample of one query over and over has no variance: its t is beyond all others unless its mean is 0 too.
    errors = np.sqrt(variances / differences.size)
    extreme = np.abs(means) >= abs(t) * errors * (1 - _ROUNDING)
    return found.with_p((np.count_nonzero(extreme) + 1) / (n_resamples + 1), seed)


def equivalence_test(a: npt.ArrayLike, b: npt.ArrayLike, margin: float) -> PairedTest:
    """Two one-sided t tests: a small p says that the systems differ by less than the margin (Schuirmann 1987).

    >>> equivalence_test([0.50, 0.52, 0.49, 0.51], [0.51, 0.50, 0.50, 0.52], margin=0.1).p_value < 0.01
    True
    """
    from scipy.special import stdtr

    if not (margin > 0 and math.isfinite(margin)):
        raise DataError(f"a margin must be a positive number, got {margin}")
    differences, difference, note = _differences(a, b)
    t, note = _t_statistic(differences, note)
    found = _Found("equivalence", difference, differences.size, note, statistic=t)
    if differences.size < 2 or differences.std() == 0:
        return found.with_p(math.nan)
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    return found.with_p(float(stdtr(differences.size - 1, (abs(difference) - margin) / error)))


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
    seed: int | None = None,
    n_threads: int | None = None,
) -> PairedTest:
    """The test of this name; those that draw no random numbers have no use for the options.

    >>> paired_test("sign", [2, 4, 6, 1], [1, 2, 3, 1]).p_value
    0.25
    """
    if test not in _DRAWS:
        return TESTS[test](a, b)
    return TESTS[test](a, b, **{_DRAWS[test]: n_draws}, seed=seed, n_threads=n_threads)


@dataclass(frozen=True)
class _Found:
    """A result without its p-value."""

    method: str
    difference: float
    n_queries: int
    note: str
    statistic: float = math.nan

    def with_p(self, p_value: float, seed: int | None = None) -> PairedTest:
        p = float(p_value)
        return PairedTest(self.method, p, self.difference, self.statistic, self.n_queries, self.note, seed)


def _differences(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Floats, float, str]:
    both = pair(a, b)
    differences = both.differences
    if differences.size == 0:
        return differences, math.nan, and_note(both.note, "no query has a value in both systems")
    note = both.note if differences.any() else and_note(both.note, "the systems are equal on every query")
    return differences, float(differences.mean()), note


def _t_statistic(differences: Floats, note: str) -> tuple[float, str]:
    if differences.size < 2:
        return math.nan, and_note(note, "a t statistic needs two queries or more")
    deviation = float(differences.std(ddof=1))
    if deviation <= _ROUNDING * float(np.abs(differences).max()):
        equal = "" if not differences.any() else "all differences are the same: there is no variance to go by"
        return math.nan, and_note(note, equal)
    return float(differences.mean()) / (deviation / math.sqrt(differences.size)), note


def _if_equal(differences: Floats, p_value: float) -> float:
    """1 where the systems are equal on every query."""
    return 1.0 if differences.size and not differences.any() else p_value

"""How well a measure tells systems apart: significant pairs, and orders that other queries reverse."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, check_count, is_whole
from idealrank._core.seeds import new_seed
from idealrank._present.result import Result
from idealrank._present.table import Column, Table
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.stats.paired import TESTS, paired_test
from idealrank.stats.samples import complete_queries
from idealrank.stats.several import randomized_tukey_hsd

__all__ = ["DiscriminativePower", "discriminative_power", "swap_rate"]


@dataclass(frozen=True)
class DiscriminativePower(Result):
    """P-values of all pairs of systems, ascending: the curve of achieved significance levels (Sakai 2006).

    Parameters
    ----------
    p_values : float64 array of shape (n_pairs,)
        One p-value per pair of systems, ascending.
    test : str
        The test that was used.
    n_queries : int
        Number of queries.
    seed : int
        Seed of the random number generator.
    note : str
        A sentence about queries that were left out; empty if there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.stats import DiscriminativePower
    >>> DiscriminativePower(np.array([0.01, 0.04, 0.2, 0.5]), "t", n_queries=50, seed=0).at(0.05)
    0.5
    """

    p_values: Floats
    test: str
    n_queries: int
    seed: int
    note: str = ""

    def tables(self) -> Mapping[str, Table]:
        """Return the table "p-values": a row per pair of systems, ascending, with the cumulative fraction of pairs."""
        n_pairs = len(self.p_values)
        rows = [(p_value, place / n_pairs) for place, p_value in enumerate(self.p_values.tolist(), 1)]
        return {"p-values": Table([Column("p", ".4f"), Column("share", ".4f")], rows)}

    def at(self, level: float = 0.05) -> float:
        """Return the fraction of pairs that are significant.

        Parameters
        ----------
        level : float
            The significance level.

        Returns
        -------
        float
            A number from 0 to 1.
        """
        return float(np.mean(self.p_values <= level)) if self.p_values.size else math.nan


def discriminative_power(
    matrix: npt.ArrayLike, *, test: str = "tukey", seed: int | None = 0, n_threads: int | None = None
) -> DiscriminativePower:
    """Compute how many pairs of systems a measure distinguishes.

    Parameters
    ----------
    matrix : array-like of shape (n_queries, n_systems)
        The value of the measure for each query and system.
    test : {"tukey", "t", "wilcoxon", "sign", "randomization", "bootstrap"}
        The test of the pairs: the randomized Tukey HSD test, or one of the paired tests.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    DiscriminativePower
        The p-values of all pairs of systems.

    Raises
    ------
    OptionError
        If there is no such test.
    DataError
        If a value is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.stats import discriminative_power
    >>> values = np.random.default_rng(0).normal(size=(50, 3)) + [0, 0, 2]
    >>> discriminative_power(values, test="t").at(0.05)
    0.6666666666666666
    """
    if test not in ("tukey", *TESTS):
        raise OptionError(f"test must be 'tukey' or one of {', '.join(TESTS)}, got {test!r}")
    (values, note), seed = complete_queries(matrix), new_seed(seed)
    if test == "tukey":
        found = randomized_tukey_hsd(values, seed=seed, n_threads=n_threads).p_values
        p_values = found[np.triu_indices(values.shape[1], k=1)].tolist()
    else:
        pairs = combinations(values.T, 2)
        p_values = [paired_test(test, a, b, seed=seed, n_threads=n_threads).p_value for a, b in pairs]
    return DiscriminativePower(np.sort(p_values), test, values.shape[0], seed, note)


def swap_rate(
    matrix: npt.ArrayLike,
    n_queries: int,
    *,
    least_difference: float = 0.0,
    n_draws: int = 1000,
    seed: int | None = 0,
) -> float:
    """Compute how often two disjoint sets of queries order two systems differently (Voorhees and Buckley 2002).

    It is the fraction of the pairs of systems that differ enough on the first set which the second set orders the other
    way. A tie on the second set counts as 1/2.

    Parameters
    ----------
    matrix : array-like of shape (n_queries, n_systems)
        The value of the measure for each query and system.
    n_queries : int
        The number of queries in each set.
    least_difference : float
        Pairs whose means on the first set differ by less than this are ignored.
    n_draws : int
        Number of times that two sets are drawn.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.

    Returns
    -------
    float
        The rate, from 0 to 1; NaN if no pair of systems differs enough.

    Raises
    ------
    DataError
        If there are not enough queries for two such sets.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.stats import swap_rate
    >>> values = np.random.default_rng(0).normal(size=(50, 2)) + [0, 3]
    >>> swap_rate(values, 25, seed=0)
    0.0
    """
    values = complete_queries(matrix).values
    check_count(n_draws, "n_draws")
    if not are_numbers(least_difference):
        raise OptionError(f"least_difference must be a number, got {least_difference!r}")
    if not is_whole(n_queries, 1, values.shape[0] // 2):
        raise DataError(f"two disjoint sets of {n_queries} queries need more than the {values.shape[0]} queries")
    rng = np.random.default_rng(new_seed(seed))
    i, j = np.triu_indices(values.shape[1], k=1)
    swapped = compared = 0.0
    for _ in range(n_draws):
        drawn = rng.permutation(values.shape[0])[: 2 * n_queries]
        first, second = values[drawn[:n_queries]].mean(axis=0), values[drawn[n_queries:]].mean(axis=0)
        before, after = first[i] - first[j], second[i] - second[j]
        large = (np.abs(before) >= least_difference) & (before != 0)
        compared += np.count_nonzero(large)
        swapped += np.count_nonzero(large & (before * after < 0)) + np.count_nonzero(large & (after == 0)) / 2
    return float(swapped / compared) if compared else math.nan

"""How well a measure tells systems apart: significant pairs, and orders that other queries turn round."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from idealrank._base.results import Result
from idealrank._base.tables import Column, Table
from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.stats.paired import TESTS, paired_test
from idealrank.stats.samples import complete_queries, new_seed
from idealrank.stats.several import randomized_tukey_hsd

__all__ = ["DiscriminativePower", "discriminative_power", "swap_rate"]


@dataclass(frozen=True)
class DiscriminativePower(Result):
    """P-values of all pairs of systems, ascending: the curve of achieved significance levels (Sakai 2006).

    >>> DiscriminativePower(np.array([0.01, 0.04, 0.2, 0.5]), "t", n_queries=50, seed=0).at(0.05)
    0.5
    """

    p_values: Floats
    test: str
    n_queries: int
    seed: int
    note: str = ""

    def tables(self) -> Mapping[str, Table]:
        """Table "p-values": a row per pair of systems, ascending, and the share of pairs up to there."""
        p_values = self.p_values.tolist()
        shares = [(place + 1) / len(p_values) for place in range(len(p_values))]
        columns = [Column("p", ".4f"), Column("share", ".4f")]
        return {"p-values": Table(columns, list(zip(p_values, shares, strict=True)))}

    def at(self, level: float = 0.05) -> float:
        """The share of pairs that are significant at this level."""
        return float(np.mean(self.p_values <= level)) if self.p_values.size else math.nan


def discriminative_power(
    matrix: npt.ArrayLike, *, test: str = "tukey", seed: int | None = None, n_threads: int | None = None
) -> DiscriminativePower:
    """How many pairs of systems a measure tells apart, given its matrix[query, system].

    ``test`` is "tukey" (randomised Tukey HSD), or a paired test: "t", "wilcoxon", "sign", "randomization", "bootstrap".

    >>> values = np.random.default_rng(0).normal(size=(50, 3)) + [0, 0, 2]
    >>> discriminative_power(values, test="t").at(0.05)
    0.6666666666666666
    """
    if test != "tukey" and test not in TESTS:
        raise DataError(f"a test is 'tukey' or one of {', '.join(TESTS)}, got {test!r}")
    kept, seed = complete_queries(matrix), new_seed(seed)
    pairs = list(combinations(range(kept.values.shape[1]), 2))
    if test == "tukey":
        found = randomized_tukey_hsd(kept.values, seed=seed, n_threads=n_threads).p_values
        p_values = [found[i, j] for i, j in pairs]
    else:
        p_values = [
            paired_test(test, kept.values[:, i], kept.values[:, j], seed=seed, n_threads=n_threads).p_value
            for i, j in pairs
        ]
    return DiscriminativePower(np.sort(p_values), test, kept.values.shape[0], seed, kept.note)


def swap_rate(
    matrix: npt.ArrayLike,
    n_queries: int,
    *,
    least_difference: float = 0.0,
    n_draws: int = 1000,
    seed: int | None = None,
) -> float:
    """How often two disjoint sets of queries order two systems differently (Voorhees and Buckley 2002).

    ``matrix[query, system]``; of all pairs of systems whose means differ by at least ``least_difference`` on the first
    set, the share that the second set orders the other way; a tie there counts half. NaN where no pair differs so much.

    >>> values = np.random.default_rng(0).normal(size=(50, 2)) + [0, 3]
    >>> swap_rate(values, 25, seed=0)
    0.0
    """
    values = complete_queries(matrix).values
    if not 1 <= n_queries <= values.shape[0] // 2:
        raise DataError(f"two disjoint sets of {n_queries} queries do not fit into {values.shape[0]}")
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

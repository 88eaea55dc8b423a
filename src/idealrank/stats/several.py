"""Many systems on the same queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._base.results import Result
from idealrank._base.tables import Column, Table
from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.stats.samples import and_note, complete_queries, new_seed

__all__ = ["Anova", "TukeyHSD", "anova", "randomized_tukey_hsd"]

_ROUNDING = 1e-12


@dataclass(frozen=True)
class TukeyHSD(Result):
    """All pairs of systems compared at once.

    ``differences[i, j]`` is the mean of system i minus that of j, ``p_values[i, j]`` already corrected for all pairs,
    ``critical_difference`` the least difference of means that is significant at ``level``.

    >>> randomized_tukey_hsd([[3.0, 1.0], [2.0, 1.0]], seed=0).differences
    array([[ 0. ,  1.5],
           [-1.5,  0. ]])
    """

    differences: Floats
    p_values: Floats
    critical_difference: float
    level: float
    n_queries: int
    n_permutations: int
    seed: int
    note: str = ""

    def tables(self) -> Mapping[str, Table]:
        """Table "pairs": a row per pair of systems, by number."""
        columns = [Column("system"), Column("against"), Column("difference", ".4f"), Column("p", ".4f")]
        pairs = zip(*np.triu_indices(len(self.p_values), k=1), strict=True)
        rows = [[int(i), int(j), float(self.differences[i, j]), float(self.p_values[i, j])] for i, j in pairs]
        return {"pairs": Table(columns, rows)}


def randomized_tukey_hsd(
    matrix: npt.ArrayLike,
    *,
    n_permutations: int = 10_000,
    level: float = 0.05,
    seed: int | None = None,
    n_threads: int | None = None,
) -> TukeyHSD:
    """Randomised Tukey HSD (Carterette 2012): how often the largest difference of shuffled systems is as large.

    ``matrix[query, system]``; each query's values are shuffled among the systems, so that the test is paired.

    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(50, 3)) + [0, 0, 2]
    >>> randomized_tukey_hsd(values, n_permutations=999, seed=1).p_values.round(3)
    array([[1.   , 0.666, 0.001],
           [0.666, 1.   , 0.001],
           [0.001, 0.001, 1.   ]])
    """
    kept = complete_queries(matrix)
    values, n_queries, n_systems = kept.values, *kept.values.shape
    if n_systems < 2:
        raise DataError(f"a comparison needs two systems or more, got {n_systems}")
    if n_permutations < 1:
        raise DataError(f"n_permutations must be 1 or more, got {n_permutations}")
    seed = new_seed(seed)
    if n_queries == 0:
        nothing = np.full((n_systems, n_systems), math.nan)
        return TukeyHSD(nothing, nothing, math.nan, level, 0, n_permutations, seed, kept.note)
    # A query's own mean moves no difference, and without it sums round less.
    centered = values - values.mean(axis=1, keepdims=True)
    ranges = _native.shuffled_ranges(centered.ravel(), n_systems, n_permutations, seed, resolve_threads(n_threads))
    ranges.sort()
    sums = centered.sum(axis=0)
    observed = np.abs(sums[:, None] - sums) - _ROUNDING * np.abs(centered).sum()
    reaching = n_permutations - np.searchsorted(ranges, observed, side="left")
    p_values = (reaching + 1) / (n_permutations + 1)
    np.fill_diagonal(p_values, 1.0)
    # The least range that at most a share `level` of all, the observed one included, reach.
    place = n_permutations - math.floor(level * (n_permutations + 1)) + 1
    critical = float(ranges[place - 1]) / n_queries if place <= n_permutations else math.nan
    means = values.mean(axis=0)
    note = kept.note if np.ptp(values, axis=1).any() else and_note(kept.note, "all systems are equal")
    return TukeyHSD(means[:, None] - means, p_values, critical, level, n_queries, n_permutations, seed, note)


@dataclass(frozen=True)
class Anova(Result):
    """Two-way analysis of variance without replication: value = mean + query + system + rest.

    >>> anova([[1, 2], [2, 3], [3, 5]]).df_systems
    1
    """

    f_statistic: float
    p_value: float
    df_systems: int
    df_residual: int
    residual_variance: float
    query_variance_share: float
    note: str = ""


def anova(matrix: npt.ArrayLike) -> Anova:
    """Do the systems differ at all? ``matrix[query, system]``.

    Columns 1, 2, 3 and 2, 3, 5: systems 8/6, rest 1/6 on 2 degrees of freedom, F = 16.

    >>> found = anova([[1, 2], [2, 3], [3, 5]])
    >>> round(found.f_statistic, 6), round(found.p_value, 4), found.df_residual
    (16.0, 0.0572, 2)
    """
    from scipy.special import fdtrc

    kept = complete_queries(matrix)
    values, n_queries, n_systems = kept.values, *kept.values.shape
    df_systems, df_residual = n_systems - 1, (n_queries - 1) * (n_systems - 1)
    if df_systems < 1 or df_residual < 1:
        note = and_note(kept.note, "needs two systems and two queries or more")
        return Anova(math.nan, math.nan, max(df_systems, 0), max(df_residual, 0), math.nan, math.nan, note)
    centered = values - values.mean()
    by_system, by_query = centered.mean(axis=0), centered.mean(axis=1)
    residuals = centered - by_system - by_query[:, None]
    total, rest = float((centered**2).sum()), float((residuals**2).sum())
    systems, queries = n_queries * float((by_system**2).sum()), n_systems * float((by_query**2).sum())
    share = queries / total if total > 0 else math.nan
    if rest <= _ROUNDING * total:
        note = and_note(kept.note, "systems differ by a constant or not at all: no variance is left")
        p_value = 1.0 if systems <= _ROUNDING * total else math.nan
        return Anova(math.nan, p_value, df_systems, df_residual, 0.0, share, note)
    f = (systems / df_systems) / (rest / df_residual)
    return Anova(
        f, float(fdtrc(df_systems, df_residual, f)), df_systems, df_residual, rest / df_residual, share, kept.note
    )

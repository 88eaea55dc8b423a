"""Comparisons of many systems on the same queries, and corrections of p-values for many comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.checks import check_count, check_fraction
from idealrank._core.seeds import new_seed
from idealrank._core.threads import resolve_threads
from idealrank._present.result import Result
from idealrank._present.table import Column, Table
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.errors import DataError
from idealrank.stats.samples import complete_queries, join_notes

_ROUNDING = 1e-12


@dataclass(frozen=True)
class TukeyHSD(Result):
    """The result of a randomized Tukey HSD test of all pairs of systems.

    Parameters
    ----------
    differences : float64 array of shape (n_systems, n_systems)
        ``differences[i, j]`` is the mean of system i minus the mean of system j.
    p_values : float64 array of shape (n_systems, n_systems)
        The p-values, corrected for all pairs.
    critical_difference : float
        The smallest difference of means that is significant at ``level``.
    level : float
        The significance level.
    n_queries : int
        Number of queries.
    n_permutations : int
        Number of random permutations.
    seed : int
        Seed of the random number generator.
    note : str
        A sentence about queries that were left out; empty if there are none.

    Examples
    --------
    >>> from idealrank.stats import randomized_tukey_hsd
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
        """Return the table "pairs": a row per pair of systems, by number."""
        columns = [Column("system"), Column("against"), Column("difference", ".4f"), Column("p", ".4f")]
        pairs = zip(*np.triu_indices(len(self.p_values), k=1), strict=True)
        rows = [[int(i), int(j), float(self.differences[i, j]), float(self.p_values[i, j])] for i, j in pairs]
        return {"pairs": Table(columns, rows)}


def randomized_tukey_hsd(
    matrix: npt.ArrayLike,
    *,
    n_permutations: int = 10_000,
    level: float = 0.05,
    seed: int | None = 0,
    n_threads: int | None = None,
) -> TukeyHSD:
    """Run the randomized Tukey HSD test of all pairs of systems (Carterette 2012).

    The values of each query are shuffled among the systems, so that the test is paired, and each difference is compared
    with the largest difference of the shuffled systems.

    Parameters
    ----------
    matrix : array-like of shape (n_queries, n_systems)
        The value of the measure for each query and system.
    n_permutations : int
        The number of random permutations.
    level : float
        The significance level.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    TukeyHSD
        The differences and the p-values of all pairs.

    Raises
    ------
    DataError
        If there are fewer than two systems, or a value is infinite.
    OptionError
        If ``n_permutations`` or ``level`` is not valid.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.stats import randomized_tukey_hsd
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(50, 3)) + [0, 0, 2]
    >>> randomized_tukey_hsd(values, n_permutations=999, seed=1).p_values.round(3)
    array([[1.   , 0.666, 0.001],
           [0.666, 1.   , 0.001],
           [0.001, 0.001, 1.   ]])
    """
    values, note = complete_queries(matrix)
    n_queries, n_systems = values.shape
    if n_systems < 2:
        raise DataError(f"a comparison needs two systems or more, got {n_systems}")
    check_count(n_permutations, "n_permutations")
    check_fraction(level, "level")
    seed = new_seed(seed)
    if n_queries == 0:
        nothing = np.full((n_systems, n_systems), math.nan)
        return TukeyHSD(nothing, nothing, math.nan, level, 0, n_permutations, seed, note)
    # A query's own mean cancels in every difference, and sums round less without it.
    centered = values - values.mean(axis=1, keepdims=True)
    ranges = _native.shuffled_ranges(centered.ravel(), n_systems, n_permutations, seed, resolve_threads(n_threads))
    ranges.sort()
    sums = centered.sum(axis=0)
    observed = np.abs(sums[:, None] - sums) - _ROUNDING * np.abs(centered).sum()
    reaching = n_permutations - np.searchsorted(ranges, observed, side="left")
    p_values = (reaching + 1) / (n_permutations + 1)
    np.fill_diagonal(p_values, 1.0)
    # The smallest range that at most a fraction `level` of all, including the observed one, reach.
    place = n_permutations - math.floor(level * (n_permutations + 1)) + 1
    critical = float(ranges[place - 1]) / n_queries if place <= n_permutations else math.nan
    means = values.mean(axis=0)
    note = join_notes(note, "" if np.ptp(values, axis=1).any() else "all systems are equal")
    return TukeyHSD(means[:, None] - means, p_values, critical, level, n_queries, n_permutations, seed, note)


@dataclass(frozen=True)
class Anova(Result):
    """The two-way analysis of variance without replication: value = mean + query + system + residual.

    Parameters
    ----------
    f_statistic, p_value : float
        The F test of the systems, with corrected degrees of freedom. They are NaN, and ``note`` gives the reason, if
        there is no answer.
    df_systems, df_residual : int
        Degrees of freedom before the correction.
    residual_variance : float
        The variance of the residuals.
    query_variance_share : float
        The fraction of the total sum of squares that is due to the queries.
    epsilon : float
        The factor by which the degrees of freedom are multiplied: 1 if the differences of all pairs of systems have the
        same variance, otherwise less.
    note : str
        A sentence about queries that were left out, or about why there is no answer; otherwise empty.

    Examples
    --------
    >>> from idealrank.stats import anova
    >>> anova([[1, 2], [2, 3], [3, 5]]).df_systems
    1
    """

    f_statistic: float
    p_value: float
    df_systems: int
    df_residual: int
    residual_variance: float
    query_variance_share: float
    epsilon: float
    note: str = ""


def anova(matrix: npt.ArrayLike) -> Anova:
    """Test whether there is any difference between systems, by a two-way analysis of variance.

    The F test assumes that the differences of all pairs of systems have the same variance. This does not hold for real
    systems: on ten equal systems, the test would report a difference in 9% of experiments at a level of 5%. The degrees
    of freedom are therefore multiplied by Huynh and Feldt's epsilon, which is computed from the covariances of the
    systems.

    Parameters
    ----------
    matrix : array-like of shape (n_queries, n_systems)
        The value of the measure for each query and system.

    Returns
    -------
    Anova
        The F test and the variances.

    Raises
    ------
    DataError
        If ``matrix`` does not have two dimensions, or a value is infinite.

    References
    ----------
    Huynh and Feldt 1976, Estimation of the Box correction for degrees of freedom from sample data in randomized block
    and split-plot designs.

    Examples
    --------
    Two systems with the values 1, 2, 3 and 2, 3, 5: the sum of squares of the systems is 8/3, the residual one is 1/3
    with 2 degrees of freedom, and F = 16.

    >>> from idealrank.stats import anova
    >>> found = anova([[1, 2], [2, 3], [3, 5]])
    >>> round(found.f_statistic, 6), round(found.p_value, 4), found.df_residual
    (16.0, 0.0572, 2)
    """
    from scipy.special import fdtrc

    values, note = complete_queries(matrix)
    n_queries, n_systems = values.shape
    df_systems, df_residual = n_systems - 1, (n_queries - 1) * (n_systems - 1)
    if df_systems < 1 or df_residual < 1:
        note = join_notes(note, "needs two systems and two queries or more")
        nothing = math.nan
        return Anova(nothing, nothing, max(df_systems, 0), max(df_residual, 0), nothing, nothing, nothing, note)
    centered = values - values.mean()
    by_system, by_query = centered.mean(axis=0), centered.mean(axis=1)
    residuals = centered - by_system - by_query[:, None]
    total, rest = float((centered**2).sum()), float((residuals**2).sum())
    systems, queries = n_queries * float((by_system**2).sum()), n_systems * float((by_query**2).sum())
    share = queries / total if total > 0 else math.nan
    if rest <= _ROUNDING * total:
        note = join_notes(note, "the systems differ by a constant or not at all: no variance is left")
        p_value = 1.0 if systems <= _ROUNDING * total else math.nan
        return Anova(math.nan, p_value, df_systems, df_residual, 0.0, share, math.nan, note)
    f = (systems / df_systems) / (rest / df_residual)
    epsilon = _epsilon(residuals)
    p_value = float(fdtrc(epsilon * df_systems, epsilon * df_residual, f))
    return Anova(f, p_value, df_systems, df_residual, rest / df_residual, share, epsilon, note)


def _epsilon(residuals: Floats) -> float:
    """Return Huynh and Feldt's epsilon, or Greenhouse and Geisser's if there are too few queries for it."""
    n, k = residuals.shape
    # Over systems the residuals of a query sum to 0, so these are the covariances of contrasts.
    scaled = residuals / np.abs(residuals).max()
    products = scaled.T @ scaled
    box = float(np.trace(products)) ** 2 / ((k - 1) * float((products**2).sum()))
    below = (k - 1) * (n - 1 - (k - 1) * box)
    found = (n * (k - 1) * box - 2) / below if below > _ROUNDING else box
    return float(min(max(found, box), 1.0))


def bonferroni(p_values: npt.ArrayLike) -> Floats:
    """Multiply each p-value by the number of p-values, which bounds the probability of any false positive.

    Parameters
    ----------
    p_values : array-like
        The p-values, from 0 to 1; NaN is ignored and stays NaN.

    Returns
    -------
    float64 array of the same shape
        The corrected p-values, at most 1.

    Raises
    ------
    DataError
        If a p-value is not a number from 0 to 1.

    Examples
    --------
    >>> from idealrank.stats import bonferroni
    >>> bonferroni([0.01, 0.04, 0.5])
    array([0.03, 0.12, 1.  ])
    """
    return _corrected(p_values, lambda p: p * p.size)


def holm(p_values: npt.ArrayLike) -> Floats:
    """Apply Holm's step-down correction, which has the same bound as `bonferroni` and at least the same power.

    Parameters
    ----------
    p_values : array-like
        The p-values, from 0 to 1; NaN is ignored and stays NaN.

    Returns
    -------
    float64 array of the same shape
        The corrected p-values, at most 1.

    Raises
    ------
    DataError
        If a p-value is not a number from 0 to 1.

    Examples
    --------
    The smallest p-value is multiplied by 3, the next by 2 and the last by 1, and none is below the previous one:

    >>> from idealrank.stats import holm
    >>> holm([0.04, 0.01, 0.5])
    array([0.08, 0.03, 0.5 ])
    """
    return _corrected(p_values, lambda p: np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Bound the expected fraction of false positives among all positives (Benjamini and Hochberg 1995).

    Parameters
    ----------
    p_values : array-like
        The p-values, from 0 to 1; NaN is ignored and stays NaN.

    Returns
    -------
    float64 array of the same shape
        The corrected p-values, at most 1.

    Raises
    ------
    DataError
        If a p-value is not a number from 0 to 1.

    Examples
    --------
    >>> from idealrank.stats import benjamini_hochberg
    >>> benjamini_hochberg([0.01, 0.04, 0.5])
    array([0.03, 0.06, 0.5 ])
    """
    return _corrected(p_values, lambda p: np.minimum.accumulate((p * (p.size / np.arange(1, p.size + 1)))[::-1])[::-1])


def _corrected(p_values: npt.ArrayLike, correction: Callable[[Floats], Floats]) -> Floats:
    """Correct the known p-values, which the correction takes in ascending order; none may exceed 1."""
    p = float_array(p_values, "p-values")
    known = np.flatnonzero(~np.isnan(p))
    if p.ndim != 1 or ((p[known] < 0) | (p[known] > 1)).any():
        raise DataError(f"p-values must be a flat list of numbers from 0 to 1, got {p_values!r}")
    ascending = known[np.argsort(p[known], kind="stable")]
    result = np.full(p.shape, np.nan)
    result[ascending] = np.minimum(correction(p[ascending]), 1)
    return result


#: How p-values are corrected for several comparisons, by name.
CORRECTIONS: Mapping[str, Callable[[Any], Floats]] = {
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "bonferroni": bonferroni,
    "none": lambda p_values: np.asarray(p_values, np.float64),
}
#: The corrections in words.
CORRECTION_NAMES = {
    "holm": "Holm correction",
    "benjamini_hochberg": "Benjamini-Hochberg correction",
    "bonferroni": "Bonferroni correction",
    "none": "no correction for multiple comparisons",
}

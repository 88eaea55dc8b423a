"""Comparisons of systems over several data sets: means over data sets, ranks with intervals, a stratified test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import check_count, check_fraction
from idealrank._core.exact import UNBOUNDED
from idealrank._core.seeds import new_seed
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.stats.intervals import bounded_interval, checked_range
from idealrank.stats.many_systems import holm
from idealrank.stats.paired import PairedTest, randomization_test
from idealrank.stats.samples import complete_queries, differences_of, join_notes

_ROUNDING = 1e-12
#: Resampled values in memory at a time.
_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class SystemRanks(Result):
    """Systems compared over data sets: means, differences of all pairs, and ranks with their intervals.

    Parameters
    ----------
    means, low, high : float64 array of shape (n_systems,)
        The mean over data sets of each system, and its interval.
    geometric_means, geometric_low, geometric_high : float64 array of shape (n_systems,)
        The geometric mean over data sets of each system, and its interval; NaN if some mean is negative.
    mean_ranks : float64 array of shape (n_systems,)
        The mean over data sets of the rank within a data set; equal systems share a rank.
    ranks : int64 array of shape (n_systems,)
        The ranks by mean, from 1 for the best system; equal means share the best rank.
    rank_low, rank_high : int64 array of shape (n_systems,)
        The best and the worst rank that each system may have. With probability 1 - ``level``, the true ranks of all
        systems are within these bounds simultaneously.
    differences, p_values : float64 array of shape (n_systems, n_systems)
        For each pair, the mean of system i minus the mean of system j, and its p-value, corrected for all pairs.
    n_queries : tuple of int
        The number of queries in each data set.
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    n_resamples, seed : int
        The number of random permutations or resamples, and the seed with which they can be repeated.
    note : str
        A sentence about queries that were left out, or about why something has no value; otherwise empty.
    method : {"t", "randomization", "bootstrap"}
        How all pairs were tested.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.stats import rank_systems
    >>> values = np.random.default_rng(0).normal(size=(50, 3)) * 0.1 + [0.5, 0.5, 0.6]
    >>> rank_systems([values], seed=0).tied_for_first
    array([False, False,  True])
    """

    means: Floats
    low: Floats
    high: Floats
    geometric_means: Floats
    geometric_low: Floats
    geometric_high: Floats
    mean_ranks: Floats
    ranks: Int64s
    rank_low: Int64s
    rank_high: Int64s
    differences: Floats
    p_values: Floats
    n_queries: tuple[int, ...]
    level: float
    n_resamples: int
    seed: int
    note: str = ""
    method: str = "t"

    @property
    def tied_for_first(self) -> npt.NDArray[np.bool_]:
        """For each system, whether no other system is significantly better."""
        first: npt.NDArray[np.bool_] = self.rank_low == 1
        return first

    def tables(self) -> Mapping[str, Table]:
        """Return the table "systems": a row per system, by number."""
        names = ("mean", "low", "high", "geometric mean", "mean rank")
        columns = [Column("system"), *(Column(name, ".4f") for name in names), *map(Column, ("rank", "best", "worst"))]
        numbers = self.means, self.low, self.high, self.geometric_means, self.mean_ranks
        ranks = self.ranks, self.rank_low, self.rank_high
        cells: list[list[Value]] = [list(row) for row in zip(*(each.tolist() for each in numbers + ranks), strict=True)]
        return {"systems": Table(columns, [[place, *row] for place, row in enumerate(cells)])}


def rank_systems(
    matrices: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike],
    *,
    weights: npt.ArrayLike | None = None,
    level: float = 0.05,
    n_resamples: int = 2_000,
    over: str = "queries",
    method: str = "t",
    lower_is_better: bool = False,
    value_range: tuple[float, float] = UNBOUNDED,
    seed: int | None = 0,
) -> SystemRanks:
    """Compare systems by their mean over several data sets, and bound the rank of each system.

    All pairs are tested, with p-values corrected for all pairs. The best possible rank of a system is one more than the
    number of systems that are significantly better; its worst possible rank follows from the number of systems that are
    significantly worse. All ranks are then within these bounds simultaneously with probability 1 - ``level`` (Mogstad
    et al. 2024). Percentiles of resampled ranks do not have this property: they fail if systems are equal or nearly
    equal.

    By default, the conclusions are about other queries of these data sets. With ``over="datasets"``, they are about
    other data sets like these, and only the mean of each data set is used.

    Parameters
    ----------
    matrices : sequence or mapping of array-like of shape (n_queries, n_systems)
        One matrix per data set, with the value of the measure for each query and system. Queries with a NaN are left
        out.
    weights : array-like, optional
        The weight of each data set; None means equal weights.
    level : float
        The significance level.
    n_resamples : int
        The number of random permutations or resamples; "t" does not use it.
    over : {"queries", "datasets"}
        Whether the conclusions are about other queries of these data sets, or about other data sets.
    method : {"t", "randomization", "bootstrap"}
        How all pairs are tested. "t": Student's t with Welch's degrees of freedom and Holm's correction.
        "randomization" and "bootstrap": the largest studentized difference of all pairs, over random swaps of the
        systems, or over queries drawn with replacement within each data set. On ten equal systems made from real ones,
        the last two report a difference in 6 to 8% of experiments at a level of 5%; with fewer than about 20 queries,
        the bootstrap does so far more often.
    lower_is_better : bool
        Whether the best system has the lowest mean.
    value_range : tuple of float
        The lowest and the highest value that a query can have, such as (0, 1), or infinities; intervals stay in it.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.

    Returns
    -------
    SystemRanks
        Means, differences and ranks. The intervals of means use Student's t with Welch's degrees of freedom, or with a
        range the score method of `interval`; those of geometric means are computed for the logarithm.

    Raises
    ------
    DataError
        If there are no data sets, the matrices do not have the same two or more systems, or a data set has fewer than
        two queries; with ``over="datasets"``, also if there are fewer than two data sets.
    OptionError
        If the value of an option is not valid.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for Ranks with Applications to Mobility across Neighbourhoods
    and Academic Achievement across Countries.

    Examples
    --------
    The first two systems may be equal, and the third one is worse:

    >>> import numpy as np
    >>> from idealrank.stats import rank_systems
    >>> rng = np.random.default_rng(0)
    >>> sets = [rng.normal(size=(n, 1)) + 0.1 * rng.normal(size=(n, 3)) + [0.0, 0.01, -0.2] for n in (30, 200)]
    >>> found = rank_systems(sets, seed=0)
    >>> found.rank_low, found.rank_high
    (array([1, 1, 3]), array([2, 2, 3]))
    """
    check_fraction(level, "level")
    check_count(n_resamples, "n_resamples")
    if over not in ("queries", "datasets"):
        raise OptionError(f"over must be 'queries' or 'datasets', got {over!r}")
    if method not in (*_METHODS,):
        raise OptionError(f"method must be 't', 'randomization' or 'bootstrap', got {method!r}")
    if over == "datasets" and weights is not None:
        raise OptionError("data sets that are resampled count the same: leave out weights")
    sets = _strata(matrices, weights, least=2 if over == "queries" else 1)
    strata = sets if over == "queries" else sets.as_one()
    seed = new_seed(seed)
    means = strata.means.T @ strata.weights
    value_range = checked_range(value_range)
    low, high = _bounds(means, strata, strata.variances(), level, value_range)
    sign = -1.0 if lower_is_better else 1.0
    differences = means[:, None] - means
    p_values = _METHODS[method](strata, differences, n_resamples, seed)
    is_told = p_values <= level
    ranks, rank_low, rank_high = (
        1 + (sign * differences < -_ROUNDING * np.abs(means).max()).sum(axis=1),
        1 + (is_told & (sign * differences < 0)).sum(axis=1),
        means.size - (is_told & (sign * differences > 0)).sum(axis=1),
    )
    geometric, note = _geometric(sets, over, level)
    geometric = geometric[0], geometric[1], np.minimum(geometric[2], value_range[1])
    mean_ranks = np.stack([_average_ranks(-sign * own) for own in sets.means]).T @ sets.weights
    return SystemRanks(
        means,
        low,
        high,
        *geometric,
        mean_ranks,
        ranks,
        rank_low,
        rank_high,
        differences,
        p_values,
        tuple(len(each) for each in sets.values),
        level,
        n_resamples,
        seed,
        join_notes(sets.note, note),
        method,
    )


def stratified_randomization_test(
    a: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike],
    b: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike],
    *,
    weights: npt.ArrayLike | None = None,
    n_permutations: int = 10_000,
    seed: int | None = 0,
    n_threads: int | None = None,
) -> PairedTest:
    """Run a randomization test of the difference between two systems in their mean over data sets.

    As in `randomization_test`, a and b are swapped at random on each query. The statistic is the mean over data sets of
    the mean difference, so that a data set with many queries does not count more than the others.

    Parameters
    ----------
    a, b : sequence or mapping of array-like
        One array per data set, with one value per query.
    weights : array-like, optional
        The weight of each data set; None means equal weights.
    n_permutations : int
        The number of random permutations.
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
        If a and b do not have the same data sets and queries, or a data set has no query with values.

    Examples
    --------
    The mean differences are 1 and -1, and their mean is 0, although a is better on three of four queries:

    >>> from idealrank.stats import stratified_randomization_test
    >>> found = stratified_randomization_test([[1, 1, 1], [0]], [[0, 0, 0], [1]])
    >>> found.difference, found.p_value
    (0.0, 1.0)
    """
    first, second = _named(a), _named(b)
    if list(first) != list(second):
        raise DataError(f"both systems need the same data sets, got {list(first)} and {list(second)}")
    shares = _weights(weights, len(first))
    scaled, note, n_queries = [], "", 0
    for share, (name, values) in zip(shares.tolist(), first.items(), strict=True):
        try:
            sample = differences_of(values, second[name])
        except DataError as error:
            raise DataError(f"data set {name}: {error.what}", error.query, error.row) from None
        if not sample.values.size:
            raise DataError(f"data set {name} has no query with a value in both systems: leave it out")
        note = join_notes(note, f"data set {name}: {sample.note}" if sample.note else "")
        scaled.append(sample.values * (share / sample.values.size))
        n_queries += sample.values.size
    sums = np.concatenate(scaled)
    found = randomization_test(sums, np.zeros(sums.size), n_permutations=n_permutations, seed=seed, n_threads=n_threads)
    difference = float(sum(each.sum() for each in scaled))
    told = replace(found, method="stratified randomization", difference=difference, statistic=difference)
    return replace(told, n_queries=n_queries, note=join_notes(note, found.note))


class _Strata(NamedTuple):
    """Values of data sets, each centered; ``means[data set, system]``, and weights with the sum 1."""

    values: list[Floats]
    means: Floats
    weights: Floats
    note: str

    @property
    def sizes(self) -> Floats:
        return np.array([len(each) for each in self.values], np.float64)

    def as_one(self) -> _Strata:
        """Return the means of the data sets as the values of one."""
        if len(self.means) < 2:
            raise DataError("over='datasets' needs two data sets or more, got 1")
        mean = self.means.mean(axis=0)
        return _Strata([self.means - mean], mean[None, :], np.ones(1), self.note)

    def variances(self) -> Floats:
        """Return the sample variance of each data set and system."""
        return np.stack([_variance(each) for each in self.values])

    def pair_variances(self) -> Floats:
        """Return the sample variance of the difference of each pair, by data set, with shape (data sets, m, m)."""
        found = []
        for each in self.values:
            products = each.T @ each / (len(each) - 1)
            own = np.diagonal(products)
            found.append(np.maximum(own[:, None] + own - 2 * products, 0.0))
        return np.stack(found)

    def certain_p_values(self) -> Floats:
        """Return p-values of pairs whose differences are the same on all queries of a data set, as `t_test` has them.

        Of the 2^n ways to swap two systems on n queries, only 2 are as extreme. If data sets disagree, p is 1.
        """
        gaps = self.means[:, :, None] - self.means[:, None, :]
        scale = _ROUNDING * np.abs(self.means).max()
        signs = np.where(np.abs(gaps) <= scale, 0.0, np.sign(gaps))
        n = (np.abs(signs) * self.sizes[:, None, None]).sum(axis=0)
        agree = (signs.min(axis=0) * signs.max(axis=0) >= 0) & (n > 0)
        return np.where(agree, 2.0 ** (1 - np.maximum(n, 1)), 1.0)

    def errors(self, variances: Floats) -> tuple[Floats, Floats]:
        """Return the standard error of the mean over data sets, and Welch's degrees of freedom."""
        shape = (-1, *[1] * (variances.ndim - 1))
        parts = variances * (self.weights**2 / self.sizes).reshape(shape)
        total = parts.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            df = total**2 / (parts**2 / (self.sizes - 1).reshape(shape)).sum(axis=0)
        return np.sqrt(total), np.where(total > 0, df, np.inf)


def _strata(matrices: Any, weights: npt.ArrayLike | None, least: int) -> _Strata:
    named = _named(matrices)
    values, means, note = [], [], ""
    for name, matrix in named.items():
        try:
            sample = complete_queries(matrix)
        except DataError as error:
            raise DataError(f"data set {name}: {error.what}", error.query, error.row) from None
        if len(sample.values) < least:
            count = "1 query" if len(sample.values) == 1 else "no query"
            need = "two or more are needed: leave it out, or compare over='datasets'" if least > 1 else "leave it out"
            raise DataError(f"data set {name} has {count} with values; {need}")
        note = join_notes(note, f"data set {name}: {sample.note}" if sample.note else "")
        own = sample.values.mean(axis=0)
        values.append(sample.values - own)
        means.append(own)
    sizes = {len(own) for own in means}
    if len(sizes) > 1:
        raise DataError(f"all data sets need the same systems, got {', '.join(map(str, sorted(sizes)))} systems")
    if sizes.pop() < 2:
        raise DataError("a comparison needs two systems or more, got 1")
    return _Strata(values, np.stack(means), _weights(weights, len(named)), note)


def _named(given: Any) -> dict[str, Any]:
    """Return data sets by name, or by number from 1."""
    if isinstance(given, Mapping):
        found = {str(name): value for name, value in given.items()}
    elif isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise DataError(f"expected one matrix per data set, got {type(given).__name__}")
    else:
        found = {str(place): value for place, value in enumerate(given, start=1)}
    if not found:
        raise DataError("there is no data set")
    return found


def _weights(weights: npt.ArrayLike | None, n: int) -> Floats:
    if weights is None:
        return np.full(n, 1 / n)
    try:
        found = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"weights must be numbers, got {weights!r}") from None
    if found.shape != (n,) or not np.isfinite(found).all() or (found < 0).any() or not found.sum() > 0:
        raise OptionError(f"weights must be {n} numbers of at least 0, not all 0, one per data set, got {weights!r}")
    shares: Floats = found / found.sum()
    return shares


def _bounds(
    means: Floats, strata: _Strata, variances: Floats, level: float, value_range: tuple[float, float] = UNBOUNDED
) -> tuple[Floats, Floats]:
    """Return the intervals of means over data sets; as of one set with so many queries that its error is the same."""
    errors, dfs = strata.errors(variances)
    without_variance = 1 / float((strata.weights**2 / strata.sizes).sum())
    found = []
    for mean, error, df in zip(means.tolist(), errors.tolist(), dfs.tolist(), strict=True):
        n = without_variance if error == 0 else min(df, 1e9) + 1
        found.append(bounded_interval(mean, error**2 * n, n, 1 - level, value_range))
    low, high = np.array(found, np.float64).T
    return low, high


def _t(strata: _Strata, differences: Floats, n_resamples: int, seed: int) -> Floats:
    """Return p-values of all pairs by Student's t, corrected by Holm's method."""
    from scipy.special import stdtr

    error, df = strata.errors(strata.pair_variances())
    scale = _ROUNDING * np.abs(strata.means).max()
    is_known = error > scale
    raw = 2 * stdtr(np.minimum(df, 1e9), -np.abs(differences) / np.where(is_known, error, 1.0))
    raw = np.where(is_known, raw, strata.certain_p_values())
    found = np.ones(differences.shape)
    pairs = np.triu_indices(len(differences), k=1)
    found[pairs] = holm(raw[pairs])
    found[pairs[::-1]] = found[pairs]
    return found


def _randomization(strata: _Strata, differences: Floats, n_resamples: int, seed: int) -> Floats:
    """Return p-values of all pairs by the largest studentized difference, over random swaps of the systems."""
    # What queries have in common cancels in differences; sums round less without it.
    values = [own + mean for own, mean in zip(strata.values, strata.means, strict=True)]
    values = [own - own.mean(axis=1, keepdims=True) for own in values]
    factors = strata.weights**2 / (strata.sizes - 1)
    products = [own.T @ own / len(own) for own in values]
    # Swaps change the sign of a query's differences, and the mean of their squares stays the same.
    squares = [np.add.outer(np.diagonal(each), np.diagonal(each)) - 2 * each for each in products]
    whole = sum(factor * square for factor, square in zip(factors, squares, strict=True))
    least = _ROUNDING * max(float(np.max(whole)), 1e-300)

    def statistics(means: Sequence[Floats]) -> Floats:
        """Return |t| of all pairs for the means of each data set, [permutation, system]."""
        total: Any = 0.0
        variance: Any = 0.0
        for mean, weight, factor, square in zip(means, strata.weights, factors, squares, strict=True):
            difference = mean[:, :, None] - mean[:, None, :]
            total = total + weight * difference
            variance = variance + factor * np.maximum(square - difference**2, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(total) / np.sqrt(np.where(variance > least, variance, 0.0))
        return np.where(np.abs(total) ** 2 > least, t, 0.0)

    observed = statistics([own.mean(axis=0)[None, :] for own in values])[0]
    reaching = np.zeros(differences.shape, np.int64)
    rngs = [np.random.default_rng([seed, place]) for place in range(len(values))]
    step = max(1, _AT_ONCE // max(differences.size, *map(len, values)))
    for begin in range(0, n_resamples, step):
        rows = min(step, n_resamples - begin)
        means = []
        for own, rng in zip(values, rngs, strict=True):
            signs = rng.integers(0, 2, size=(rows, len(own)), dtype=np.int8) * 2.0 - 1.0
            means.append(signs @ own / len(own))
        largest = np.sort(statistics(means).max(axis=(1, 2)))
        reaching += rows - np.searchsorted(largest, observed * (1 - 1e-9), side="left")
    return (reaching + 1) / (n_resamples + 1)


def _bootstrap(strata: _Strata, differences: Floats, n_resamples: int, seed: int) -> Floats:
    """Return p-values of all pairs by the bootstrap distribution of the largest studentized difference."""
    from scipy.special import ndtri, stdtr

    error, df = strata.errors(strata.pair_variances())
    scale = _ROUNDING * np.abs(strata.means).max()
    is_known = error > scale
    safe = np.where(is_known, error, 1.0)
    # A t statistic is compared on the scale of a normal one: the resampled differences are divided by a fixed error.
    z = -ndtri(np.maximum(stdtr(np.minimum(df, 1e9), -np.abs(differences) / safe), 1e-300))
    # The variance of a resampled mean has the denominator n and not n - 1.
    scaled = [own * (len(own) / (len(own) - 1)) ** 0.5 for own in strata.values]
    inverse = np.where(is_known, 1 / safe, 0.0)
    reaching = np.zeros(differences.shape, np.int64)
    rngs = [np.random.default_rng([seed, place]) for place in range(len(scaled))]
    step = max(1, _AT_ONCE // max(differences.size, *map(len, scaled)))
    for begin in range(0, n_resamples, step):
        rows = min(step, n_resamples - begin)
        total = np.zeros((rows, len(differences)))
        for own, weight, rng in zip(scaled, strata.weights.tolist(), rngs, strict=True):
            n = len(own)
            drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
            total += weight / n * (counts.astype(np.float64) @ own)
        largest = np.sort((np.abs(total[:, :, None] - total[:, None, :]) * inverse).max(axis=(1, 2)))
        reaching += rows - np.searchsorted(largest, z * (1 - 1e-9), side="left")
    p_values = (reaching + 1) / (n_resamples + 1)
    return np.where(is_known, p_values, np.maximum(strata.certain_p_values(), 1 / (n_resamples + 1)))


_METHODS: dict[str, Callable[[_Strata, Floats, int, int], Floats]] = {
    "t": _t,
    "randomization": _randomization,
    "bootstrap": _bootstrap,
}


def _geometric(sets: _Strata, over: str, level: float) -> tuple[tuple[Floats, Floats, Floats], str]:
    """Return the geometric means with the delta method's interval, and a note if there is none."""
    counted = sets.weights > 0
    means = sets.means[counted]
    if (means < 0).any():
        nothing = np.full(means.shape[1], math.nan)
        return (nothing, nothing, nothing), "there are no geometric means: some means are negative"
    note = "some geometric means are 0: a mean on some data set is 0" if (means == 0).any() else ""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = np.log(means)
        centers = logs.T @ sets.weights[counted]
        if over == "datasets":
            spread = np.where(np.isfinite(centers), logs - centers, 0.0)
            one = _Strata([spread], centers[None, :], np.ones(1), "")
            low, high = _bounds(centers, one, _variance(spread)[None, :], level)
        else:
            relative = np.where(sets.means > 0, sets.variances() / sets.means**2, 0.0)
            low, high = _bounds(centers, sets, relative, level)
        return (np.exp(centers), np.exp(low), np.exp(high)), note


def _variance(centered: Floats) -> Floats:
    found: Floats = (centered**2).sum(axis=0) / (len(centered) - 1)
    return found


def _average_ranks(values: Floats) -> Floats:
    """Return ranks from 1, the smallest value first; equal values share the mean of their ranks."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    found: Floats = (last - (sizes - 1) / 2)[group]
    return found

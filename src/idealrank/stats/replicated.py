"""Replicated systems: how much of the variance is between queries, between runs of a system, and their interaction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from idealrank._core.exact import UNBOUNDED, Moments
from idealrank._present.page import Statement
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.errors import DataError
from idealrank.stats.power import detectable_errors
from idealrank.stats.samples import complete_queries

#: "More queries help more" is said at this level of a one-sided F test, and so is the opposite.
_LEVEL = 0.05
#: The quantile of Student's t at which degrees of freedom are matched.
_QUANTILE = 0.975


@dataclass(frozen=True)
class VarianceComponents(Result):
    """The result of `variance_components`.

    Parameters
    ----------
    queries, runs, interaction : float
        The variance between queries, between runs, and of their interaction; an estimate below 0 is set to 0.
    n_queries, n_runs : int
        Number of queries and of runs.
    mean_squares : tuple of float
        The mean squares of queries, runs and interaction.

    Examples
    --------
    >>> from idealrank.stats import variance_components
    >>> found = variance_components([[0.0, 0.2], [0.5, 0.7], [1.0, 1.2]])
    >>> round(found.queries, 6), round(found.runs, 6), round(found.interaction, 6)
    (0.25, 0.02, 0.0)
    """

    queries: float
    runs: float
    interaction: float
    n_queries: int
    n_runs: int
    mean_squares: tuple[float, float, float]

    @property
    def standard_error(self) -> float:
        """The standard error of the mean for new queries and new runs of the system."""
        own = self.mean_squares[0] / (self.n_queries * self.n_runs)
        return MeanError(own, self.n_queries, (self,)).standard_error

    @property
    def standard_error_of_these_runs(self) -> float:
        """The standard error of the mean for new queries, with these runs alone."""
        return math.sqrt(self.mean_squares[0] / (self.n_queries * self.n_runs))

    def with_runs(self, factor: float) -> VarianceComponents:
        """Return the same with the mean square of runs multiplied by this factor.

        Parameters
        ----------
        factor : float
            The factor.

        Returns
        -------
        VarianceComponents
        """
        queries, between, both = self.mean_squares
        squares = queries, factor * between, both
        return replace(self, runs=max((squares[1] - both) / self.n_queries, 0.0), mean_squares=squares)


@dataclass(frozen=True)
class MeanError:
    """The error of a mean, or of a difference of means, over queries and the runs of one or two systems.

    Its square is the variance of the per-query means divided by the number of queries, which includes interactions,
    plus the variance between runs divided by their number, for each replicated system. Degrees of freedom are
    Satterthwaite's (1946), or fewer: quantiles of Student's t are at least those of which the squares are weighted by
    the parts of the variance, because with 2 or 3 runs a small estimate by chance would also seem to be a sure one.

    Parameters
    ----------
    queries : float
        The variance of per-query means, divided by the number of queries.
    n_queries : int
        The number of queries.
    systems : tuple of VarianceComponents
        Those of the replicated systems.

    Examples
    --------
    >>> MeanError(0.25, 3).standard_error, MeanError(0.25, 3).degrees
    (0.5, 2.0)
    """

    queries: float
    n_queries: int
    systems: tuple[VarianceComponents, ...] = ()

    @property
    def variance(self) -> float:
        """The squared standard error."""
        return self._variance_and_degrees[0]

    @property
    def standard_error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the variance."""
        return self._variance_and_degrees[1]

    @cached_property
    def _variance_and_degrees(self) -> tuple[float, float]:
        runs = [(each, each.runs / each.n_runs) for each in self.systems if each.runs > 0]
        if not runs:
            return self.queries, self.n_queries - 1.0
        from scipy.special import stdtridf, stdtrit

        variance, spread = self.queries, self.queries**2 / (self.n_queries - 1)
        squares = self.queries * stdtrit(self.n_queries - 1, _QUANTILE) ** 2
        for each, part in runs:
            (_, between, both), degrees = each.mean_squares, each.n_runs - 1
            own = between**2 / degrees + both**2 / (degrees * (each.n_queries - 1))
            spread += own / (each.n_queries * each.n_runs) ** 2
            variance += part
            squares += part * stdtrit(degrees, _QUANTILE) ** 2
        return variance, min(variance**2 / spread, float(stdtridf(_QUANTILE, math.sqrt(squares / variance))))

    def detectable_effect(self) -> float:
        """Return the smallest true mean that a t test of 0 with this error detects with 80% power; NaN for none."""
        if not self.variance > 0:
            return math.nan
        return detectable_errors(max(self.degrees + 1, 2.0)) * self.standard_error

    def statement(self, subject: str) -> Statement | None:
        """Return whether more queries or more runs would help more, in a sentence; None if this is not known.

        If twice as many of both helped alike, two mean squares would have the same expectation; it is said which helps
        more if an F test rejects this at the one-sided level 0.05.

        Parameters
        ----------
        subject : str
            What the mean is of.

        Returns
        -------
        Statement or None
        """
        if not self.systems or not self.queries > 0:
            return None
        from scipy.special import fdtr

        n_runs = " and ".join(dict.fromkeys(f"{each.n_runs:,}" for each in self.systems))
        parts = [(each.mean_squares[1] / (each.n_queries * each.n_runs), each.n_runs - 1) for each in self.systems]
        between = sum(part for part, _ in parts)
        degrees = between**2 / sum(part**2 / df for part, df in parts) if between else 1.0
        below = float(fdtr(degrees, self.n_queries - 1, between / self.queries))
        both = sum(each.interaction / each.n_runs for each in self.systems) / self.n_queries
        of_runs = self.variance - self.queries
        more_queries = math.sqrt(self.queries / 2 + of_runs)
        more_runs = math.sqrt(max(self.queries - both / 2, 0.0) + of_runs / 2)
        twice = (
            f"twice as many queries would reduce the standard error of {self.standard_error:.4f} to about "
            f"{more_queries:.4f}, and twice as many runs to about {more_runs:.4f}"
        )
        if min(below, 1 - below) > _LEVEL:
            unknown = f"{n_runs} runs do not show whether more queries or more runs would help more"
            return Statement("queries or runs: not known", f"{subject}: {unknown}; {twice}.")
        which = "more queries would help more than more runs"
        if below > 0.5:
            which = "more runs would help more than more queries"
        return Statement("queries or runs", f"{subject}: {which}; {twice}.")


class ReplicatedMoments(Moments):
    """Moments of means over queries and runs: the variance is that of as many values whose mean has the same error.

    Parameters
    ----------
    values : float64 array
        The mean over the runs for each query, or the difference of two such means.
    systems : sequence of VarianceComponents
        Those of the replicated systems.
    value_range : tuple of float
        As for `Moments`.

    Examples
    --------
    >>> values = np.array([[0.0, 0.2], [0.5, 0.7], [1.0, 1.2]])
    >>> moments = ReplicatedMoments(values.mean(axis=1), [variance_components(values)])
    >>> round(moments.mean, 6), round(moments.variance / moments.effective_count, 6)  # 0.25 / 3 + 0.02 / 2
    (0.6, 0.093333)
    """

    def __init__(
        self,
        values: Floats,
        systems: Sequence[VarianceComponents],
        value_range: tuple[float, float] = UNBOUNDED,
    ) -> None:
        super().__init__("mean", value_range)
        self.add(values)
        self._systems = tuple(systems)

    @cached_property
    def error(self) -> MeanError | None:
        """The error of the mean; None for fewer than two values."""
        own = super().variance
        return MeanError(own / self.count, self.count, self._systems) if own == own else None

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the error (Satterthwaite 1946)."""
        return self.count - 1 if self.error is None or not self.error.variance else self.error.degrees

    @property
    def variance(self) -> float:
        """The squared standard error, times the number of values; NaN for fewer than two values."""
        return math.nan if self.error is None else self.error.variance * self.count

    def merge(self, other: Moments) -> None:
        """Refuse: the runs of other queries are not known to be the same."""
        raise DataError("means over several runs cannot be merged")


def variance_components(values: npt.ArrayLike) -> VarianceComponents:
    """Split the variance of the values of a system that ran several times into queries, runs and their interaction.

    The value of a query in a run is a mean plus independent random effects of the query, of the run, and of both
    together (a two-way random-effects model without replication). Estimates are those of the analysis of variance. The
    mean over Q queries and R runs has the variance queries / Q + runs / R + interaction / (Q R) for new queries and new
    runs.

    Parameters
    ----------
    values : array-like
        Matrix[query, run]: the values of a measure. Queries with NaN are left out.

    Returns
    -------
    VarianceComponents
        The variances.

    Raises
    ------
    DataError
        If there are fewer than two queries or runs, or a value is infinite.

    References
    ----------
    S. R. Searle, G. Casella, C. E. McCulloch (1992): Variance Components, chapter 4.

    Examples
    --------
    >>> from idealrank.stats import variance_components
    >>> found = variance_components([[0.0, 1.0], [1.0, 0.0]])
    >>> found.queries, found.runs, found.interaction
    (0.0, 0.0, 1.0)
    """
    matrix, _ = complete_queries(values)
    n_queries, n_runs = matrix.shape
    if n_queries < 2 or n_runs < 2:
        raise DataError(f"variance components need two queries and two runs or more, got {n_queries} x {n_runs}")
    of_query, of_run, mean = matrix.mean(axis=1), matrix.mean(axis=0), matrix.mean()
    rest = matrix - of_query[:, None] - of_run + mean
    squares = (
        n_runs * float(of_query.var(ddof=1)),
        n_queries * float(of_run.var(ddof=1)),
        float(np.square(rest).sum()) / ((n_queries - 1) * (n_runs - 1)),
    )
    queries, runs, both = squares
    return VarianceComponents(
        max((queries - both) / n_runs, 0.0), max((runs - both) / n_queries, 0.0), both, n_queries, n_runs, squares
    )


def split_runs(values: npt.ArrayLike) -> tuple[npt.ArrayLike, tuple[VarianceComponents, ...]]:
    """Return the mean over runs for each query, and the variance components if there are any to estimate.

    Examples
    --------
    >>> split_runs([0.5, 1.0])
    ([0.5, 1.0], ())
    """
    if getattr(values, "ndim", 2) < 2:
        return values, ()
    matrix = float_array(values, "values")
    if matrix.ndim < 2:
        return values, ()
    is_complete = ~np.isnan(matrix).any(axis=1)
    has_components = matrix.shape[1] > 1 and np.count_nonzero(is_complete) > 1
    return matrix.mean(axis=1), (variance_components(matrix[is_complete]),) if has_components else ()

"""Intervals of a mean that hold at every number of queries at once: confidence sequences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers
from idealrank._present.page import Statement
from idealrank._present.result import Result
from idealrank._present.table import Table, of_columns
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import float_array
from idealrank.errors import DataError

_CELLS = 500
_BLOCK = 1000  # queries at once
_CAP = 0.5  # of the capital that is bet on one query, at most


@dataclass(frozen=True)
class ConfidenceSequence(Result):
    """Intervals of a mean difference after 1, 2, 3, ... queries that hold simultaneously.

    Parameters
    ----------
    mean : float64 array
        The mean of the first 1, 2, ... differences.
    low, high : float64 arrays
        The intervals. With probability 1 - ``delta``, all of them contain the true mean.
    delta : float
        The probability that any of the intervals does not contain the true mean.
    certified_at : int or None
        The number of queries after which the interval no longer contains 0; None if it still does.
    better : str or None
        "a" or "b", the ranker with the higher true mean, except with probability ``delta``; None if it is not certain
        yet.

    Examples
    --------
    >>> from idealrank.theory import confidence_sequence
    >>> found = confidence_sequence([0.2, 0.1] * 30)
    >>> found.better, bool(found.low[-1] < 0.15 < found.high[-1])
    ('a', True)
    """

    mean: Floats
    low: Floats
    high: Floats
    delta: float
    certified_at: int | None
    better: str | None

    @property
    def sizes(self) -> Int64s:
        """The numbers of queries."""
        return np.arange(1, self.mean.size + 1)

    def tables(self) -> Mapping[str, Table]:
        """Return the table "sequence": a row per number of queries."""
        columns = {"queries": self.sizes.astype(np.float64), "mean": self.mean, "low": self.low, "high": self.high}
        return {"sequence": of_columns(columns)}

    def __str__(self) -> str:
        if self.certified_at is None:
            span = f"{self.low[-1]:.4f} to {self.high[-1]:.4f}"
            return f"after {self.mean.size:,} queries the order is open: the mean difference is from {span}"
        ahead = f"{str(self.better).upper()} is better, except with probability {self.delta:g}"
        return Statement("order certified by queries", f"certified after {self.certified_at:,} queries: {ahead}")


def confidence_sequence(differences: npt.ArrayLike, *, delta: float = 0.05) -> ConfidenceSequence:
    """Compute intervals of the mean difference between two rankers that hold at every number of queries simultaneously.

    An ordinary interval holds for a number of queries that is fixed in advance. Checking it after each new query, and
    stopping when it excludes 0, gives a wrong winner far too often. These intervals may be checked after each query,
    and the comparison may be stopped at any time: the probability that the order is ever wrong is at most ``delta``,
    for any distribution of the differences and any number of queries, without approximation. They are confidence
    sequences by betting (Waudby-Smith and Ramdas 2024, Theorem 3).

    Parameters
    ----------
    differences : array-like
        One difference A - B per query, between -1 and 1, in the order in which queries were drawn.
    delta : float
        The probability that any of the intervals does not contain the true mean.

    Returns
    -------
    ConfidenceSequence
        One interval per number of queries.

    Raises
    ------
    DataError
        If there are no differences, a difference is not a number from -1 to 1, or ``delta`` is not between 0 and 1.

    Examples
    --------
    >>> from idealrank.theory import confidence_sequence
    >>> print(confidence_sequence([0.2, 0.1, -0.1, 0.3] * 25))
    certified after 64 queries: A is better, except with probability 0.05
    """
    values = float_array(differences, "differences")
    if values.ndim != 1 or not values.size or not (np.abs(values) <= 1).all():
        raise DataError("differences must be a flat, non-empty list of numbers from -1 to 1")
    check_delta(delta)
    low, high, at, better = _excluded((values + 1) / 2, delta)
    means = np.cumsum(values) / np.arange(1, values.size + 1)
    return ConfidenceSequence(means, 2 * low - 1, 2 * high - 1, delta, at, better)


def check_delta(delta: float) -> None:
    """Raise a DataError unless this can be the probability that an interval is wrong."""
    if not (are_numbers(delta) and 0 < delta < 1):
        raise DataError(f"delta, the probability that an interval is wrong, must be between 0 and 1, got {delta!r}")


def certified_at(differences: Floats, delta: float) -> list[int | None]:
    """Return ``certified_at`` of the confidence sequence of each row of differences, without its intervals."""
    x = (differences + 1) / 2
    bet, away = np.minimum(_bets(x, delta), 2 * _CAP), x - 0.5
    logs = np.maximum(np.cumsum(np.log1p(bet * away), axis=1), np.cumsum(np.log1p(-bet * away), axis=1))
    is_out = logs >= math.log(2 / delta)
    firsts = np.where(is_out.any(axis=1), is_out.argmax(axis=1) + 1, 0)
    return [first or None for first in firsts.tolist()]


def _excluded(x: Floats, delta: float) -> tuple[Floats, Floats, int | None, str | None]:
    """The ends of the intervals of the mean of x in [0, 1], and when and on which side 1/2 was excluded."""
    bets = _bets(x, delta)
    grid = np.linspace(0, 1, _CELLS + 1)  # 1/2 is one of its points
    middle, enough = _CELLS // 2, math.log(2 / delta)  # half of the money is bet on a higher mean, half on a lower one
    high_out, low_out = np.zeros((2, grid.size))  # logarithms of the capital from bets on a higher and on a lower mean
    possible = np.ones(grid.size, np.bool_)
    low, high, at, better = np.empty(x.size), np.empty(x.size), None, None
    for begin in range(0, x.size, _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        bet, away = bets[rows, None], x[rows, None] - grid
        higher = high_out + np.cumsum(np.log1p(np.minimum(bet, _CAP / np.maximum(grid, 1e-12)) * away), axis=0)
        lower = low_out + np.cumsum(np.log1p(-np.minimum(bet, _CAP / np.maximum(1 - grid, 1e-12)) * away), axis=0)
        left = possible & np.logical_and.accumulate((higher < enough) & (lower < enough), axis=0)
        if at is None and not left[-1, middle]:
            first = int(left[:, middle].argmin())
            at, better = begin + first + 1, "a" if higher[first, middle] >= enough else "b"
        # Between two points of the grid the capital is not known: the interval reaches to the next point that is out.
        ends = left.argmax(axis=1) - 1, _CELLS - left[:, ::-1].argmax(axis=1) + 1
        none = ~left.any(axis=1)
        low[rows] = np.where(none, x.mean(), grid[np.maximum(ends[0], 0)])
        high[rows] = np.where(none, x.mean(), grid[np.minimum(ends[1], _CELLS)])
        high_out, low_out, possible = higher[-1], lower[-1], left[-1]
    return low, high, at, better


def _bets(x: Floats, delta: float) -> Floats:
    """The share of the capital to bet on each value, which depends on earlier ones only (equation 26)."""
    counts = np.arange(1.0, x.shape[-1] + 1)
    means = (0.5 + np.cumsum(x, axis=-1)) / (counts + 1)
    variances = (0.25 + np.cumsum(np.square(x - means), axis=-1)) / (counts + 1)
    before = np.concatenate((np.full((*x.shape[:-1], 1), 0.25), variances[..., :-1]), axis=-1)
    return np.asarray(np.sqrt(2 * math.log(2 / delta) / (before * counts * np.log1p(counts))))

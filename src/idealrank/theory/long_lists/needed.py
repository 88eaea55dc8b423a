"""How many documents, or how many queries, it takes to tell two rankers apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from idealrank._base.results import Result
from idealrank.errors import DataError, OptionError
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.laws import head_and_sums
from idealrank.theory.long_lists.limits import sees, without_limit
from idealrank.theory.long_lists.pseudo import ideal_dcg, middles
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting

__all__ = ["Gap", "documents_needed", "gap", "queries_needed"]


@dataclass(frozen=True)
class Gap(Result):
    """The difference of two rankers' NDCG on one query: its mean and its standard deviation over queries.

    With a standard deviation of four times the mean, (1.645 * 4)^2 queries put the means in the right order but for 5%.

    >>> round(Gap(0.01, 0.04).queries(delta=0.05), 2)
    43.29
    """

    mean: float
    sd: float

    def queries(self, delta: float = 0.05) -> float:
        """Queries after which the better ranker's mean is ahead with probability 1 - delta, if means are normal."""
        return (self._z(delta) * self.sd / self.mean) ** 2 if self.mean else math.inf

    def queries_hoeffding(self, delta: float = 0.05) -> float:
        """The same whatever the distribution of NDCG in [0, 1], by Hoeffding's inequality."""
        self._z(delta)
        return 2 * math.log(1 / delta) / self.mean**2 if self.mean else math.inf

    @staticmethod
    def _z(delta: float) -> float:
        if not 0 < delta < 0.5:
            raise DataError(f"delta, the risk of seeing the wrong order, must lie between 0 and 1/2, got {delta}")
        return float(special.ndtri(1 - delta))


def gap(discount: MeasureLike, curve_a: CurveLike, curve_b: CurveLike, n: int | None = None, cutoff: Any = None) -> Gap:
    """Mean and spread of NDCG(A) - NDCG(B) on lists of n documents that A and B rank independently given the curves.

    ``n=None`` is for long lists of which few ranks count: there the mean is that of the tops, ybar_a(1) - ybar_b(1),
    and the variance (ybar_a(1)(1 - ybar_a(1)) + the same of B) sum D^2 / (sum D)^2.

    >>> found = gap("ndcg@10", lambda s: 0.7, lambda s: 0.5)
    >>> round(found.mean, 12), round(found.sd, 12), round(found.queries(), 12)
    (0.2, 0.235781261197, 3.760218615187)
    """
    weighting = Weighting.of(discount, cutoff)
    a, b = (curves.check_relevant(curves.of(curve)) for curve in (curve_a, curve_b))
    if n is None:
        if sees(weighting) != "few":
            raise OptionError(f"the gap under {weighting} depends on the length of the lists: give n")
        _, total, squares = head_and_sums(weighting)
        best = max(a.best, b.best)
        variance = (a.top_variance + b.top_variance) * squares / total**2
        return Gap((a.top - b.top) / best, math.sqrt(variance) / best)
    if n < 1 or n != int(n):
        raise DataError(f"n, the number of documents, must be a whole number from 1, got {n}")
    curves.check_same_documents(a, b)
    n = int(n)
    weights = np.zeros(n)
    weights[: weighting.depth(n)] = weighting.weights(n)
    s = middles(n, n)
    variances = a.variance(s) + b.variance(s)
    # Both lists hold the same documents: what is drawn into one is in the other. For short lists that is too much;
    # there the spread of the weights, which is what counts of them then, says how much is left at least.
    shared = 2 * a.spread * weights.sum() ** 2 / n
    variance = max(np.square(weights) @ variances - shared, np.square(weights - weights.mean()) @ variances / 2)
    ideal = ideal_dcg(a, weights, n)
    return Gap(float(weights @ (a(s) - b(s))) / ideal, math.sqrt(float(variance)) / ideal)


def queries_needed(
    discount: MeasureLike,
    curve_a: CurveLike,
    curve_b: CurveLike,
    n: int | None = None,
    cutoff: Any = None,
    delta: float = 0.05,
) -> int | None:
    """The number of queries after which the better ranker's mean NDCG is ahead with probability 1 - delta.

    None where the expected NDCG is the same for both. `gap` gives the numbers behind it.

    >>> queries_needed("ndcg@10", lambda s: 0.7, lambda s: 0.5), queries_needed("ndcg@1", lambda s: 0.7, lambda s: 0.5)
    (4, 32)
    """
    needed = gap(discount, curve_a, curve_b, n, cutoff).queries(delta)
    return max(1, math.ceil(needed - 1e-9)) if math.isfinite(needed) else None


def documents_needed(
    discount: MeasureLike,
    curve_a: CurveLike,
    curve_b: CurveLike,
    cutoff: Any = None,
    delta: float = 0.05,
    n_max: int = 10_000_000,
) -> int | None:
    """The number of documents of one query from which the better ranker's NDCG is ahead with probability 1 - delta.

    None where no number is enough, because few ranks count or because the gap shrinks as fast as the noise; and where
    ``n_max`` is not enough.

    >>> a, b = lambda s: 0.35 + 0.3 * s, lambda s: 0.5
    >>> documents_needed("log", a, b), documents_needed("power:0.5", a, b), documents_needed("ndcg@10", a, b)
    (526, 458, None)
    """
    weighting = Weighting.of(discount, cutoff)
    seen = sees(weighting)
    if seen == "undecided":
        raise OptionError(without_limit(weighting))
    if seen == "few":
        return None
    a, b = (curves.check_relevant(curves.of(curve)) for curve in (curve_a, curve_b))
    least = max(2, math.floor(1 / a.p) + 1)

    def enough(n: int) -> bool:
        # With this many documents the mean of one list is as good as sure: as many queries as one.
        return gap(weighting.discount, a, b, n, weighting.cutoff).queries(delta) <= 1

    grid = [int(n) for n in np.unique(np.geomspace(least, max(n_max, least), 120).round())]
    first = next((i for i, n in enumerate(grid) if enough(n)), None)
    if first is None or first == 0:
        return None if first is None else grid[0]
    low, high = grid[first - 1], grid[first]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high

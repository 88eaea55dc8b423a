"""How many documents, or how many queries, are needed to tell two rankers apart."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from idealrank._base.results import Result
from idealrank.errors import DataError, OptionError
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.expectations import check_n_docs, ideal_dcg, middles
from idealrank.theory.long_lists.laws import head_and_sums
from idealrank.theory.long_lists.limits import sees, without_limit
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting

__all__ = ["Gap", "documents_needed", "gap", "queries_needed"]


@dataclass(frozen=True)
class Gap(Result):
    """The difference of two rankers' NDCG on one query.

    Parameters
    ----------
    mean, sd : float
        Its mean and its standard deviation over queries.

    Examples
    --------
    If the standard deviation is four times the mean, (1.645 * 4)^2 queries order the means correctly with a probability
    of 95%.

    >>> round(Gap(0.01, 0.04).queries(delta=0.05), 2)
    43.29
    """

    mean: float
    sd: float

    def queries(self, delta: float = 0.05) -> float:
        """Return the number of queries after which the better ranker's mean is ahead, if means are normal.

        Parameters
        ----------
        delta : float
            The accepted probability of the wrong order, below 1/2.

        Returns
        -------
        float
            Infinity if the means are equal.
        """
        z = special.ndtri(1 - _risk(delta))
        return float((z * self.sd / self.mean) ** 2) if self.mean else math.inf

    def queries_hoeffding(self, delta: float = 0.05) -> float:
        """Return a number of queries that is enough for any distribution of NDCG in [0, 1] (Hoeffding's inequality).

        Parameters
        ----------
        delta
            As in `queries`.

        Returns
        -------
        float
            As in `queries`.
        """
        return 2 * math.log(1 / _risk(delta)) / self.mean**2 if self.mean else math.inf


def _risk(delta: float) -> float:
    """Delta, if it is a valid probability of the wrong order."""
    if not 0 < delta < 0.5:
        raise DataError(f"delta, the probability of the wrong order, must be between 0 and 1/2, got {delta}")
    return delta


def gap(discount: MeasureLike, curve_a: CurveLike, curve_b: CurveLike, n: int | None = None, cutoff: Any = None) -> Gap:
    """Return the mean and the spread of NDCG(A) - NDCG(B) if A and B rank independently given the curves.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve_a, curve_b : Curve, callable or mapping of float to callable
        The relevance curves of the two rankers.
    n : int, optional
        The number of documents per list. None means long lists in which few ranks count: then the mean is
        ybar_a(1) - ybar_b(1), and the variance (ybar_a(1)(1 - ybar_a(1)) + the same for B) sum D^2 / (sum D)^2.
    cutoff : int, float, str or Cutoff, optional
        The cutoff, unless the measure has one.

    Returns
    -------
    Gap

    Raises
    ------
    OptionError
        If n is None and more than a few ranks count.
    DataError
        If n is not a whole number from 1, or if the curves do not rank the same documents.

    Examples
    --------
    >>> found = gap("ndcg@10", lambda s: 0.7, lambda s: 0.5)
    >>> round(found.mean, 12), round(found.sd, 12), round(found.queries(), 12)
    (0.2, 0.235781261197, 3.760218615187)
    """
    weighting = Weighting.of(discount, cutoff)
    a, b = map(curves.relevant, (curve_a, curve_b))
    if n is None:
        if sees(weighting) != "few":
            raise OptionError(f"the gap under {weighting} depends on the length of the lists: pass n")
        _, total, squares = head_and_sums(weighting)
        best = max(a.best, b.best)
        variance = (a.top_variance + b.top_variance) * squares / total**2
        return Gap((a.top - b.top) / best, math.sqrt(variance) / best)
    n = check_n_docs(n)
    curves.check_same_documents(a, b)
    weights = np.zeros(n)
    weights[: weighting.depth(n)] = weighting.weights(n)
    s = middles(n, n)
    variances = a.variance(s) + b.variance(s)
    # Both lists hold the same documents: what is drawn into one is in the other. For short lists this correction is too
    # large; there the spread of the weights, which is what counts then, gives a lower bound.
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
    """Return the number of queries after which the better ranker's mean NDCG is ahead with probability 1 - delta.

    `gap` returns the numbers behind it.

    Parameters
    ----------
    discount, curve_a, curve_b, n, cutoff
        As in `gap`.
    delta : float
        The accepted probability of the wrong order, below 1/2.

    Returns
    -------
    int or None
        None if the expected NDCG is the same for both.

    Examples
    --------
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
    """Return the number of documents of one query from which the better ranker is ahead with probability 1 - delta.

    Parameters
    ----------
    discount, curve_a, curve_b, cutoff
        As in `gap`.
    delta : float
        The accepted probability of the wrong order, below 1/2.
    n_max : int
        The largest number to try.

    Returns
    -------
    int or None
        None if ``n_max`` is not enough, or if no number is: few ranks count, or the gap shrinks as fast as the noise.

    Raises
    ------
    OptionError
        If it is not known how fast the discount decreases.

    Examples
    --------
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
    a, b = map(curves.relevant, (curve_a, curve_b))
    least = max(2, math.floor(1 / a.p) + 1)

    def enough(n: int) -> bool:
        return gap(weighting.discount, a, b, n, weighting.cutoff).queries(delta) <= 1

    grid = [int(n) for n in np.unique(np.geomspace(least, max(n_max, least), 120).round())]
    first = next((i for i, n in enumerate(grid) if enough(n)), None)
    if not first:
        return None if first is None else least
    between = range(grid[first - 1] + 1, grid[first])
    return between.start + bisect_left(between, True, key=enough)

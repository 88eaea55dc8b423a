"""The expected DCG of n documents, exactly, and their expected NDCG, approximately."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from idealrank._core.checks import are_numbers
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.losses.segments import sums
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.measure_discount import MeasureLike, Weighting
from idealrank.theory.long_lists.weights import Weight, rank_weight

#: The ideal DCG needs one relevant document, but for rounding.
LEAST_RELEVANT = 1 - 1e-9


def pseudo_expectation(
    discount: MeasureLike, curve: CurveLike, n: float, cutoff: CutoffLike = None, form: str = "sum"
) -> float:
    """Approximate the expected NDCG of a list of n documents (Wang et al. 2013, Definition 20).

    Both forms divide by the ideal DCG of the expected number of relevant documents, which must be above 1 for
    "integral" and at least 1 for "sum".

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve : Curve, callable or mapping of float to callable
        The relevance curve of the ranker.
    n : float
        The number of documents.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.
    form : {"sum", "integral"}
        "integral" is the definition as printed, int_1^n ybar(1 - t/n) D(t) dt / F(np), which starts at rank 1 and
        therefore misses about half of that rank. "sum" evaluates the curve at the middle of the place of each rank, and
        agrees with simulated means within their noise.

    Returns
    -------
    float
        The approximate expected NDCG.

    Raises
    ------
    DataError
        If n is not a finite number of at least 1, too few relevant documents are expected, or the curve is 0
        everywhere.
    OptionError
        If ``form`` is unknown.

    Examples
    --------
    >>> from idealrank import discounts
    >>> from idealrank.theory import pseudo_expectation
    >>> discount = discounts.Power(0.5)
    >>> round(pseudo_expectation(discount, lambda s: s, 10_000), 6)
    0.942236
    >>> round(pseudo_expectation(discount, lambda s: s, 10_000, form="integral"), 6)
    0.941989
    """
    weighting = Weighting.of(discount, cutoff)
    checked = curves.relevant(curve)
    if not (are_numbers(n) and 1 <= n < math.inf):
        raise DataError(f"n, the number of documents, must be a finite number from 1, got {n!r}")
    expected = n * checked.p
    if not (expected > LEAST_RELEVANT if form == "sum" else expected > 1):
        least = "at least 1" if form == "sum" else "above 1"
        raise DataError(
            f"the expected number of relevant documents, n p, must be {least}, got {n:g} * {checked.p:.4g}: "
            "otherwise the ideal DCG in the denominator is meaningless"
        )
    if form == "sum":
        weights, levels = weighting.weights(int(n)), np.asarray(checked.levels)
        gains = checked(middles(weights.size, int(n)))
        return float(shares_of_ideal({int(n): weights}, [int(n)], gains, levels, checked.shares[None])[0])
    if form == "integral":
        end = 1.0 if weighting.cutoff is None else weighting.depth(int(n)) / n
        weight = rank_weight(weighting.discount, n)
        return checked.integral(weight, 1 / n, end) / checked.ideal_integral(weight, 1 / n, end)
    raise OptionError(f"unknown form {form!r}; choose 'sum' or 'integral'")


def middles(depth: int, n: int) -> Floats:
    """Return the canonical scores at the middle of the first places of a list of n documents."""
    return 1 - (np.arange(1, depth + 1) - 0.5) / n


def shares_of_ideal(
    weights: Mapping[int, Floats], sizes: Sequence[int], gains: Floats, levels: Floats, shares: Floats
) -> Floats:
    """Return the DCG of each list, divided by that of the ideal order of the expected number of documents per gain.

    Parameters
    ----------
    weights : mapping of int to float64 array
        For each number of documents, the weights of the ranks.
    sizes : sequence of int
        The number of documents of each list.
    gains : float64 array
        The expected gain at each rank with a weight, one list after the other.
    levels : float64 array
        Gains, in decreasing order.
    shares : float64 array of shape (n_lists, n_levels)
        The share of documents with each gain.

    Returns
    -------
    float64 array
        One ratio per list; NaN if the ideal is 0.
    """
    summed = {n: np.append(0.0, np.cumsum(own)) for n, own in weights.items()}
    depths, counts = np.array([weights[n].size for n in sizes]), np.array(sizes, np.float64)[:, None]
    offsets = np.append(0, np.cumsum(depths))
    dcg = sums(np.concatenate([weights[n] for n in sizes]) * gains, offsets)
    ends = np.cumsum(np.concatenate((np.zeros((len(shares), 1)), shares), axis=1), axis=1) * counts
    ends = np.minimum(ends, depths[:, None])
    whole = np.minimum(ends.astype(np.int64), depths[:, None] - 1)
    at = whole + (offsets[:-1] + np.arange(depths.size))[:, None]
    flat = np.concatenate([summed[n] for n in sizes])
    ideal = np.diff(flat[at] + (ends - whole) * (flat[at + 1] - flat[at])) @ levels
    ratios: Floats = np.divide(dcg, ideal, out=np.full(ideal.shape, np.nan), where=ideal > 0)
    return ratios


def check_n_docs(n: float) -> int:
    """Return a number of documents as an int; raise a DataError unless it is a whole number from 1."""
    if not (are_numbers(n) and 1 <= n < math.inf and n == int(n)):
        raise DataError(f"n, the number of documents, must be a whole number from 1, got {n!r}")
    return int(n)


def expected_dcg(discount: MeasureLike, curve: CurveLike, n: int, cutoff: CutoffLike = None) -> float:
    """Compute the expected DCG of n documents drawn at random (Wang et al. 2013, Claim 25).

    The place of the document at rank r is the r-th smallest of n uniform numbers, which has a beta distribution with
    mean r / (n + 1).

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve : Curve, callable or mapping of float to callable
        The relevance curve of the ranker.
    n : int
        The number of documents.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.

    Returns
    -------
    float
        The expected DCG.

    Raises
    ------
    DataError
        If n is not a whole number of at least 1.

    Examples
    --------
    With ybar(s) = s and two documents, it is D(1) 2/3 + D(2) 1/3.

    >>> from idealrank import discounts
    >>> from idealrank.theory import expected_dcg
    >>> round(expected_dcg(discounts.Zipf(), lambda s: s, 2), 12)  # 2/3 + 1/2 * 1/3
    0.833333333333
    """
    count = check_n_docs(n)
    return curves.of(curve).integral(_place_weight(Weighting.of(discount, cutoff).weights(count), count))


def _place_weight(weights: Floats, n: int) -> Weight:
    """sum_r D(r) times the density of the r-th place, in the variable x = log(1 + n u), which spreads out the top."""
    sums = np.concatenate(([0.0], np.cumsum(weights)))

    def density(x: float) -> float:
        # n E[D(1 + B)], B of the binomial distribution (n - 1, u); du = exp(x) / n dx
        if _likely(n - 1, math.expm1(x) / n)[0] >= weights.size:
            return 0.0
        above, chances = _binomial(n - 1, math.expm1(x) / n)
        counted = above < weights.size
        return float(chances[counted] @ weights[above[counted]]) * math.exp(x)

    @np.vectorize(otypes=[float])
    def integral(u: float) -> float:
        # sum_r D(r) P(B >= r) = E[D(1) + ... + D(B)], B documents of n above u
        if _likely(n, u)[0] >= weights.size:
            return float(sums[-1])
        above, chances = _binomial(n, u)
        return float(chances @ sums[np.minimum(above, weights.size)])

    return Weight(integral, lambda u: math.log1p(n * u), lambda x: min(math.expm1(x) / n, 1.0), density)


def _likely(n: int, u: float) -> tuple[int, int]:
    """The fewest and the most successes in n trials that are not vanishingly unlikely."""
    u = min(max(u, 0.0), 1.0)
    reach = 12 * math.sqrt(n * u * (1 - u)) + 40
    return max(0, math.floor(n * u - reach)), min(n, math.ceil(n * u + reach))


def _binomial(n: int, u: float) -> tuple[Int64s, Floats]:
    """The numbers of successes in n trials that are not vanishingly unlikely, and their probabilities."""
    u = min(max(u, 0.0), 1.0)
    fewest, most = _likely(n, u)
    numbers = np.arange(fewest, most + 1)
    if fewest == most or u in (0, 1):
        return np.array([round(n * u)]), np.ones(1)
    # The ratio of the chances of k + 1 and k successes; differences of log-gamma functions of n would lose its digits.
    steps = np.log((float(n) - numbers[:-1]) / (numbers[:-1] + 1.0)) + math.log(u) - math.log1p(-u)
    logs = np.append(0.0, np.cumsum(steps))
    chances = np.exp(logs - logs.max())
    return numbers, chances / chances.sum()

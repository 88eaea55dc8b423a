"""The distribution that NDCG has instead of a limit if only a few ranks count."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from idealrank._core.seeds import generator
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import cutoffs, discounts
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.limits import sees
from idealrank.theory.long_lists.measure_discount import MeasureLike, Weighting, regime

_HEAD = 1000


@dataclass(frozen=True)
class BoundedLaw(Result):
    """The distribution of sum_r G_r D(r) / (best gain * sum_r D(r)), where G_r are independent gains at the top.

    Parameters
    ----------
    mean, variance : float
        The mean and the variance of NDCG.
    concentration : float
        sum D^2 / (sum D)^2: 1 if one rank counts, 1/k if k ranks count equally.
    m : int
        The number of ranks that have two thirds of the weight. If delta is the ratio of the lowest to the highest
        probability of any label given any document, NDCG is at least 2/3 with probability (delta/2)^m, and at most 1/2
        with probability (delta/2)^(2m) (proof of Theorem 10).
    gains, probabilities : float64 arrays
        The gains at the top, relative to the best one, and their probabilities.
    shares : float64 array
        The shares of the first ranks, at most 1000, in the sum of the weights.

    Examples
    --------
    >>> from idealrank.theory.long_lists.laws import bounded_law
    >>> round(bounded_law("geometric:2", lambda s: 0.5).concentration, 6)
    0.333333
    """

    mean: float
    variance: float
    concentration: float
    m: int
    gains: Floats
    probabilities: Floats
    shares: Floats

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)

    def sample(self, size: int, seed: int | None = 0) -> Floats:
        """Draw values of NDCG.

        Ranks beyond the first thousand are replaced by a normal deviate with their mean and variance.

        Parameters
        ----------
        size : int
            The number of values.
        seed : int, optional
            Seed of the random number generator; None means a new seed for every call.

        Returns
        -------
        float64 array of shape (size,)
            The values.
        """
        rng = generator(seed)
        drawn, ends = np.empty(size), np.cumsum(self.probabilities)[:-1]
        batch = max(1, 2_000_000 // self.shares.size)
        for start in range(0, size, batch):
            shape = (min(batch, size - start), self.shares.size)
            drawn[start : start + shape[0]] = self.gains[np.searchsorted(ends, rng.random(shape))] @ self.shares
        rest = max(0.0, 1 - float(self.shares.sum()))
        spread = max(0.0, self.concentration - float(self.shares @ self.shares))
        noise = rng.standard_normal(size) * math.sqrt(spread * (self.probabilities @ self.gains**2 - self.mean**2))
        return (drawn + rest * self.mean + noise).clip(0, 1)


def bounded_law(discount: MeasureLike, curve: CurveLike, cutoff: CutoffLike = None) -> BoundedLaw:
    """Compute the limit distribution of NDCG if the sum of its discounts is bounded, or if only k ranks count.

    In this case, NDCG does not converge to a constant (Wang et al. 2013, Theorem 10).

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve : Curve, callable or mapping of float to callable
        The relevance curve of the ranker.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.

    Returns
    -------
    BoundedLaw
        The distribution.

    Raises
    ------
    OptionError
        If NDCG has a limit.
    DataError
        If the curve is 0 everywhere.

    Examples
    --------
    With the discount 2^-r and random labels at the top, ybar(1) = 1/2, it is uniform on [0, 1].

    >>> from idealrank.theory import bounded_law
    >>> law = bounded_law("geometric:2", lambda s: s / 2)
    >>> law.mean, round(law.variance, 12), law.m
    (0.5, 0.083333333333, 2)
    """
    weighting = Weighting.of(discount, cutoff)
    if sees(weighting) != "few":
        raise OptionError(f"the sum of the weights of {weighting} is unbounded: NDCG has a limit, see theory.limit")
    checked = curves.relevant(curve)
    head, total, _ = head_and_sums(weighting)
    gains, probabilities = checked.top_gains()
    concentration = concentration_at_top(weighting)
    return BoundedLaw(
        mean=checked.top / checked.best,
        variance=checked.top_variance / checked.best**2 * concentration,
        concentration=concentration,
        m=int(np.searchsorted(np.cumsum(head), 2 / 3 * total * (1 - 1e-12)) + 1),
        gains=gains / checked.best,
        probabilities=probabilities,
        shares=head / total,
    )


def concentration_at_top(weighting: Weighting) -> float:
    """Return sum D^2 / (sum D)^2 of the weights."""
    _, total, squares = head_and_sums(weighting)
    return squares / total**2


def head_and_sums(weighting: Weighting) -> tuple[Floats, float, float]:
    """Return the first weights, up to a thousand, and the sums of all weights and of their squares."""
    if isinstance(weighting.cutoff, cutoffs.Rank):
        weights = weighting.weights(weighting.cutoff.k)
        return weights[:_HEAD], float(weights.sum()), float(weights @ weights)
    head = weighting.discount.weights(_HEAD)
    head = head[head > 1e-20 * head[0]]
    match weighting.discount:
        case discounts.Geometric(base):
            return head, 1 / (base - 1), 1 / (base**2 - 1)
        case discounts.Power(beta):
            return head, float(special.zeta(beta)), float(special.zeta(2 * beta))
        case own:
            return head, *_summed(own)


def _summed(own: discounts.Discount) -> tuple[float, float]:
    """Sums of the first million, and of the rest as if D(r) = D(n) (r/n)^-beta (log r / log n)^-logs."""
    n = 1_000_000
    weights = own.weights(n)
    found = regime(own)
    last, total, squares = float(weights[-1]), float(weights.sum()), float(weights @ weights)
    if math.isinf(found.beta):
        return total, squares
    steepness = found.beta - 1 + (found.logs - (found.beta == 1)) / math.log(n)
    return total + n * last / steepness, squares + n * last**2 / (2 * found.beta - 1)

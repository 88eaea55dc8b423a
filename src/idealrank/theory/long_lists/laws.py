"""What NDCG has instead of a limit where few ranks count: a distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from idealrank._base.results import Result
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import cutoffs, discounts
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.limits import sees
from idealrank.theory.long_lists.regimes import regime
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting

__all__ = ["BoundedLaw", "bounded_law", "head_and_sums"]

_HEAD = 1000


@dataclass(frozen=True)
class BoundedLaw(Result):
    """The distribution of sum_r G_r D(r) / (best gain * sum_r D(r)), G_r drawn independently from the top of the list.

    ``concentration`` is sum D^2 / (sum D)^2: 1 if one rank counts, 1/k if k ranks count alike. ``m`` ranks hold two
    thirds of the weight: with delta the least probability of any label given any document over the greatest, NDCG is at
    least 2/3 with probability (delta/2)^m, at most 1/2 with probability (delta/2)^(2m) (Theorem 10's proof).
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

    def sample(self, size: int, seed: int | None = None) -> Floats:
        """Values of NDCG drawn from the distribution; ranks beyond a thousand count as their mean and spread."""
        rng = np.random.default_rng(seed)
        drawn, ends = np.empty(size), np.cumsum(self.probabilities)[:-1]
        batch = max(1, 2_000_000 // self.shares.size)
        for start in range(0, size, batch):
            shape = (min(batch, size - start), self.shares.size)
            drawn[start : start + shape[0]] = self.gains[np.searchsorted(ends, rng.random(shape))] @ self.shares
        rest = max(0.0, 1 - float(self.shares.sum()))
        spread = max(0.0, self.concentration - float(self.shares @ self.shares))
        noise = rng.standard_normal(size) * math.sqrt(spread * (self.probabilities @ self.gains**2 - self.mean**2))
        return (drawn + rest * self.mean + noise).clip(0, 1)


def bounded_law(discount: MeasureLike, curve: CurveLike, cutoff: Any = None) -> BoundedLaw:
    """The distribution to which NDCG tends where the sum of its discounts is bounded, or k ranks count.

    Wang et al. 2013, Theorem 10, says that NDCG does not converge to a constant then. Under 2^-r and a top of pure
    chance, ybar(1) = 1/2, it is uniform on [0, 1].

    >>> law = bounded_law("geometric:2", lambda s: s / 2)
    >>> law.mean, round(law.variance, 12), law.m
    (0.5, 0.083333333333, 2)
    """
    weighting = Weighting.of(discount, cutoff)
    if sees(weighting) != "few":
        raise OptionError(f"the weights of {weighting} have no bounded sum: NDCG has a limit instead, theory.limit")
    checked = curves.check_relevant(curves.of(curve))
    head, total, squares = head_and_sums(weighting)
    gains = np.array([*checked.levels, 0.0]) / checked.best
    chances = checked.probabilities(1.0)
    concentration = squares / total**2
    return BoundedLaw(
        mean=checked.top / checked.best,
        variance=checked.top_variance / checked.best**2 * concentration,
        concentration=concentration,
        m=int(np.searchsorted(np.cumsum(head), 2 / 3 * total * (1 - 1e-12)) + 1),
        gains=gains,
        probabilities=np.append(chances, max(0.0, 1 - chances.sum())),
        shares=head / total,
    )


def head_and_sums(weighting: Weighting) -> tuple[Floats, float, float]:
    """The first weights, up to a thousand, and the sums of all weights and of their squares."""
    if isinstance(weighting.cutoff, cutoffs.Rank):
        weights = weighting.discount(np.arange(1, weighting.cutoff.k + 1), weighting.cutoff.k)
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
    last = float(weights[-1])
    if math.isinf(found.beta):
        rest, rest_squares = 0.0, 0.0
    else:
        steepness = found.beta - 1 + (found.logs - (found.beta == 1)) / math.log(n)
        rest, rest_squares = n * last / steepness, n * last**2 / (2 * found.beta - 1)
    return float(weights.sum()) + rest, float(weights @ weights) + rest_squares

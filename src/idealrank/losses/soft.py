"""NDCG of soft rankings: SoftRank, the expectation if every score has Gaussian noise, and NeuralSort."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._base.options import number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.losses.base import Loss
from idealrank.losses.names import register
from idealrank.losses.targets import dcg_norms, worth_of
from idealrank.measures import cutoffs, discounts, gains

__all__ = ["NeuralNDCG", "SoftNDCG"]


@dataclass(frozen=True, kw_only=True, repr=False)
class SoftlyRanked(Loss):
    """1 - NDCG with a distribution of documents for each rank; subclasses choose it.

    Parameters
    ----------
    gain : str or Gain
        The gain of a label.
    discount : str or Discount
        The weight of a rank.
    cutoff : int, float, str or Cutoff, optional
        How many ranks count; None means all of them.
    """

    gain: Any = option(gains.of, gains.Exp2())
    discount: Any = option(discounts.of, discounts.Log())
    cutoff: Any = option(cutoffs.of)

    def soft_dcg(self, worth: Floats, lists: Lists, options: dict[str, Any]) -> tuple[Floats, Floats]:
        """Return the DCG of each query, and its derivatives or bounds of the second ones."""
        raise NotImplementedError

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        ideal, expected, slopes = self._sums(lists, curvature=False)
        return np.where(ideal > 0, 1 - expected, 0.0), -slopes

    def curvature(self, lists: Lists) -> Floats:
        return self._sums(lists, curvature=True)[2]

    def worth_and_ideal(self, lists: Lists) -> tuple[Floats, Floats]:
        """Return the gain of each document, and the ideal DCG of each query, 0 if there is nothing to rank."""
        worth = worth_of(self.gain, lists)
        ideal = dcg_norms(worth, lists.offsets, self.discount, self.cutoff, lists.n_threads)
        return worth, ideal * (lists.sizes > 1)

    def _sums(self, lists: Lists, *, curvature: bool) -> tuple[Floats, Floats, Floats]:
        """Return the ideal DCG, 0 if there is nothing to rank; the soft DCG and its derivatives, divided by it."""
        worth, ideal = self.worth_and_ideal(lists)
        options = {
            "discount": self.discount.native(int(lists.sizes.max(initial=0))),
            "depths": lists.sizes if self.cutoff is None else self.cutoff.at(lists.sizes),
            "curvature": curvature,
            "n_threads": lists.n_threads,
        }
        values, column = self.soft_dcg(worth, lists, options)
        shares = np.divide(1, ideal, out=np.zeros_like(ideal), where=ideal > 0)
        return ideal, values * shares, column * np.repeat(shares, lists.sizes)


@register("soft_ndcg", "soft_rank")
@dataclass(frozen=True, kw_only=True, repr=False)
class SoftNDCG(SoftlyRanked):
    """1 - SoftNDCG (Taylor et al. 2008): scores are means of Gaussians with standard deviation ``sigma``.

    Document j beats i with probability Phi((s_j - s_i) / (sqrt(2) sigma)). As in the paper, these events are taken to
    be independent for one i, so that its rank, 1 + the number of documents that beat it, has a rank-binomial
    distribution. The distribution is computed, not approximated; a gain counts with the expected discount of its rank.
    With a cutoff, ranks beyond it count 0. A query without gain, or with one document, has the value 0.

    Time grows as n^2 sqrt(n) with the length n of a list (the paper's recursion takes n^3: ranks with a probability
    below 1e-20 are left out), memory linearly. The second derivative can be negative, so `hessian_diagonal` returns a
    bound: the magnitudes of a document's derivatives, pair by pair, over sqrt(2) sigma.

    Parameters
    ----------
    sigma : float
        The standard deviation of the scores.

    Examples
    --------
    Two documents with equal scores: each is first with probability 1/2, and (1 + 1/log2(3)) / 2 = 0.815...

    >>> SoftNDCG()([1, 0], [0, 0])[0]
    array([0.18453512])
    """

    sigma: float = option(number(1e-150, 1e150), 1.0)

    def smoothed(self, sharpness: float) -> Loss:
        return self if sharpness == 1 else dataclasses.replace(self, sigma=self.sigma / sharpness)

    def soft_dcg(self, worth: Floats, lists: Lists, options: dict[str, Any]) -> tuple[Floats, Floats]:
        return _native.soft_dcg(worth, lists.scores, lists.offsets, sigma=self.sigma, **options)


@register("neural_ndcg")
@dataclass(frozen=True, kw_only=True, repr=False)
class NeuralNDCG(SoftlyRanked):
    """1 - NeuralNDCG (Pobrotyn and Bialobrzeski 2021): the NDCG of gains that NeuralSort sorts by score.

    NeuralSort (Grover et al. 2019) gives rank r of n a share of each document j, softmax over j of ((n + 1 - 2 r) s_j -
    sum_k |s_j - s_k|) / temperature, eq. (5). This is the deterministic loss without Sinkhorn scaling, which the paper
    offers to make the shares of a document add up to 1 too: here they do so only as the temperature goes to 0. A query
    without gain, or with one document, has the value 0.

    The shares are a matrix of n x n, but they fall from rank to rank as products of gaps and distances do: those below
    exp(-60) of the greatest are left out. Time grows as n sqrt(n temperature / spread) for scores that are spread out
    evenly, as n^2 at worst, if all scores are close; memory is linear. The second derivative can be negative, so
    `hessian_diagonal` returns a bound, with the magnitudes of what is summed.

    Parameters
    ----------
    temperature : float
        The lower, the closer to the ranks.

    Examples
    --------
    Two documents with scores 0 and log 2: at rank 1, the exponents are log 2 - log 2 and 0 - log 2, so that it has the
    first by 1/3 and the other by 2/3; at rank 2 the other way round.

    >>> found = NeuralNDCG()([1, 0], [0, np.log(2)])[0]
    >>> bool(np.isclose(found[0], 1 - (1 / 3 + 2 / 3 / np.log2(3))))
    True

    References
    ----------
    P. Pobrotyn, R. Bialobrzeski, NeuralNDCG: Direct Optimisation of a Ranking Metric via Differentiable Relaxation of
    Sorting, 2021. A. Grover, E. Wang, A. Zweig, S. Ermon, Stochastic Optimization of Sorting Networks via Continuous
    Relaxations, ICLR 2019.
    """

    temperature: float = option(number(1e-140, 1e140), 1.0)

    def smoothed(self, sharpness: float) -> Loss:
        return self if sharpness == 1 else dataclasses.replace(self, temperature=self.temperature / sharpness)

    def soft_dcg(self, worth: Floats, lists: Lists, options: dict[str, Any]) -> tuple[Floats, Floats]:
        return _native.neural_dcg(worth, lists.scores, lists.offsets, temperature=self.temperature, **options)

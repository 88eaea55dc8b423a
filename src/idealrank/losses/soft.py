"""SoftRank: the expected NDCG if every score has Gaussian noise."""

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

__all__ = ["SoftNDCG"]


@register("soft_ndcg", "soft_rank")
@dataclass(frozen=True, kw_only=True, repr=False)
class SoftNDCG(Loss):
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
    gain : str or Gain
        The gain of a label.
    discount : str or Discount
        The weight of a rank.
    cutoff : int, float, str or Cutoff, optional
        How many ranks count; None means all of them.

    Examples
    --------
    Two documents with equal scores: each is first with probability 1/2, and (1 + 1/log2(3)) / 2 = 0.815...

    >>> SoftNDCG()([1, 0], [0, 0])[0]
    array([0.18453512])
    """

    sigma: float = option(number(1e-150, 1e150), 1.0)
    gain: Any = option(gains.of, gains.Exp2())
    discount: Any = option(discounts.of, discounts.Log())
    cutoff: Any = option(cutoffs.of)

    def smoothed(self, sharpness: float) -> Loss:
        return self if sharpness == 1 else dataclasses.replace(self, sigma=self.sigma / sharpness)

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
        """Return the ideal DCG, 0 if there is nothing to rank; the expected DCG and its derivatives, divided by it."""
        worth, ideal = self.worth_and_ideal(lists)
        discount = self.discount.native(int(lists.sizes.max(initial=0)))
        depths = lists.sizes if self.cutoff is None else self.cutoff.at(lists.sizes)
        columns = worth, lists.scores, lists.offsets
        values, column = _native.soft_dcg(
            *columns, discount=discount, depths=depths, sigma=self.sigma, curvature=curvature, n_threads=lists.n_threads
        )
        shares = np.divide(1, ideal, out=np.zeros_like(ideal), where=ideal > 0)
        return ideal, values * shares, column * np.repeat(shares, lists.sizes)

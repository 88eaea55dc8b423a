"""NDCG of soft rankings: SoftRank, the expectation if every score has Gaussian noise, and NeuralSort."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._names.options import number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.losses.loss_base import Loss
from idealrank.losses.loss_names import register
from idealrank.losses.segments import dcg_norms, worth_of
from idealrank.measures import cutoffs, discounts, gains


class SoftlyRanked(Loss):
    """1 - NDCG with a distribution of documents for each rank, which each subclass chooses.

    Parameters
    ----------
    gain : str or Gain
        The gain of a label; by default, 2^label - 1.
    discount : str or Discount
        The weight of a rank r; by default, 1/log2(1 + r).
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count: 10, 0.2 or "20%", "n^0.5"; None means all ranks.
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
        """Return the ideal DCG (0 if there is nothing to rank); the soft DCG and its derivatives, divided by it."""
        worth, ideal = self.worth_and_ideal(lists)
        options = {
            "discount": self.discount.native(int(lists.sizes.max(initial=0))),
            "depths": lists.sizes if self.cutoff is None else self.cutoff.depths(lists.sizes),
            "curvature": curvature,
            "n_threads": lists.n_threads,
        }
        values, column = self.soft_dcg(worth, lists, options)
        shares = np.divide(1, ideal, out=np.zeros_like(ideal), where=ideal > 0)
        return ideal, values * shares, column * np.repeat(shares, lists.sizes)


@register("soft_ndcg", "soft_rank")
class SoftNDCG(SoftlyRanked):
    """1 - SoftNDCG (Taylor et al. 2008): scores are means of Gaussians with standard deviation ``sigma``.

    Document j beats document i with probability Phi((s_j - s_i) / (sqrt(2) sigma)). As in the paper, these events are
    assumed to be independent for each i, so that the rank of i, 1 + the number of documents that beat it, has a
    rank-binomial distribution. The distribution is computed, not approximated, and each gain is multiplied by the
    expected discount of its rank. With a cutoff, ranks beyond it have discount 0. A query without gain, or with one
    document, has the value 0.

    For a list of n documents, time grows as n^2 sqrt(n), because ranks with a probability below 1e-20 are left out (the
    paper's recursion takes n^3), and memory grows as n. The second derivative can be negative, so `hessian_diagonal`
    returns a bound: the sum of the magnitudes of a document's derivatives over pairs, divided by sqrt(2) sigma.

    Parameters
    ----------
    sigma : float
        The standard deviation of each score.

    Examples
    --------
    Two documents with equal scores: each is first with probability 1/2, and (1 + 1/log2(3)) / 2 = 0.815...

    >>> from idealrank.losses import SoftNDCG
    >>> SoftNDCG()([1, 0], [0, 0])[0]
    array([0.18453512])
    """

    sigma: float = option(number(1e-150, 1e150), 1.0)

    def smoothed(self, sharpness: float) -> Loss:
        return self if sharpness == 1 else dataclasses.replace(self, sigma=self.sigma / sharpness)

    def soft_dcg(self, worth: Floats, lists: Lists, options: dict[str, Any]) -> tuple[Floats, Floats]:
        return _native.soft_dcg(worth, lists.scores, lists.offsets, sigma=self.sigma, **options)


@register("neural_ndcg")
class NeuralNDCG(SoftlyRanked):
    """1 - NeuralNDCG (Pobrotyn and Bialobrzeski 2021): the NDCG of gains that NeuralSort sorts by score.

    NeuralSort (Grover et al. 2019) gives rank r of n a share of each document j: the softmax over j of ((n + 1 - 2 r)
    s_j - sum_k |s_j - s_k|) / temperature, eq. (5). This is the deterministic loss without the paper's optional
    Sinkhorn scaling, so the shares of a document add up to 1 only as the temperature goes to 0. A query without gain,
    or with one document, has the value 0.

    The shares form an n x n matrix, but shares below exp(-60) of the greatest are left out. Time grows as n sqrt(n
    temperature / spread) if scores are spread evenly, and as n^2 at worst, if all scores are close; memory is linear.
    The second derivative can be negative, so `hessian_diagonal` returns a bound: the sum of the magnitudes of its
    terms.

    Parameters
    ----------
    temperature : float
        The temperature of the softmax; the lower it is, the closer the loss is to 1 - NDCG.

    Examples
    --------
    Two documents with scores 0 and log 2: at rank 1, the shares of the two documents are 1/3 and 2/3, and at rank 2
    they are 2/3 and 1/3.

    >>> import numpy as np
    >>> from idealrank.losses import NeuralNDCG
    >>> found = NeuralNDCG()([1, 0], [0, np.log(2)])[0]
    >>> bool(np.isclose(found[0], 1 - (1 / 3 + 2 / 3 / np.log2(3))))
    True

    References
    ----------
    P. Pobrotyn, R. Bialobrzeski, NeuralNDCG: Direct Optimisation of a Ranking Metric via Differentiable Relaxation of
    Sorting, 2021.

    A. Grover, E. Wang, A. Zweig, S. Ermon, Stochastic Optimization of Sorting Networks via Continuous Relaxations, ICLR
    2019.
    """

    temperature: float = option(number(1e-140, 1e140), 1.0)

    def smoothed(self, sharpness: float) -> Loss:
        return self if sharpness == 1 else dataclasses.replace(self, temperature=self.temperature / sharpness)

    def soft_dcg(self, worth: Floats, lists: Lists, options: dict[str, Any]) -> tuple[Floats, Floats]:
        return _native.neural_dcg(worth, lists.scores, lists.offsets, temperature=self.temperature, **options)

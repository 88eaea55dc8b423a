"""Pairwise losses: sums over the pairs of documents of a query with different labels.

A pair has a better document i, the one with the higher label, and another one j. With d = s_i - s_j each loss says what
a pair costs; of a query, ``normalize``

- "none", the default, gives the sum over all pairs, as RankNet, RankSVM and LambdaRank are written;
- "pairs" gives the mean over them, for which long queries do not count more than short ones.

A document's weight multiplies each pair in which it is the better one. A query of one document or one label has no
pairs: value 0, gradient 0. Labels may be any finite numbers. A value beyond all numbers is a DataError.

None of them visits the pairs one by one: time grows like a sort (times the entropy of the labels in bits, about 2 for
five labels), memory linearly. Results differ from the sum over pairs by about 1e-13, whatever the scores.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from idealrank import _native
from idealrank._base.options import choice, number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.losses.base import Loss
from idealrank.losses.direct import depths_of
from idealrank.losses.names import register
from idealrank.losses.targets import worth_of
from idealrank.measures import NDCG, Measure, cutoffs, gains, measure
from idealrank.measures.plan import Plan, run

__all__ = ["Hinge", "LambdaRank", "PairwiseLinear", "PairwiseLogistic", "SquaredHinge"]

_positive = number(1e-300, 1e300)


def _ranks(value: Any) -> int:
    cutoff = cutoffs.of(value)
    if not isinstance(cutoff, cutoffs.Rank):
        raise OptionError(f"expected a whole number of ranks from 1 on, got {value!r}")
    return cutoff.k


@dataclass(frozen=True, kw_only=True, repr=False)
class Pairwise(Loss):
    """A loss of pairs; subclasses name the loss of one pair and its weight in words of the native core."""

    normalize: str = option(choice("none", "pairs"), "none")
    pair_weight: ClassVar[str] = "one"

    def pair_loss(self) -> tuple[str, float]:
        """The loss of one pair, and its margin or sigma."""
        raise NotImplementedError

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        return self._sums(lists, curvature=False)

    def curvature(self, lists: Lists) -> Floats:
        return self._sums(lists, curvature=True)[1]

    def _sums(self, lists: Lists, *, curvature: bool, swap: _native.Swap | None = None) -> tuple[Floats, Floats]:
        kind, scale = self.pair_loss()
        mean = self.normalize == "pairs"
        loss = _native.PairLoss(kind=kind, scale=scale, weight=self.pair_weight, mean=mean, swap=swap)
        columns = lists.labels, lists.scores, lists.offsets, lists.weights
        return _native.pairwise(*columns, loss=loss, curvature=curvature, n_threads=lists.n_threads)


@register("hinge", "rank_svm")
@dataclass(frozen=True, kw_only=True, repr=False)
class Hinge(Pairwise):
    """RankSVM's loss of a pair, max(0, margin - d) (Herbrich et al. 2000, Joachims 2002).

    At d = margin, where there is no derivative, it is taken to be 0. The second derivative is 0 wherever there is one;
    `hessian_diagonal` gives that of max(0, margin - d)^2 / (2 margin), which has the same slope at d = 0.

    Labels 1, 0 and 0 with scores 1, 0.5 and 3: max(0, 1 - 0.5) + max(0, 1 + 2) = 3.5.

    >>> Hinge()([1, 0, 0], [1, 0.5, 3])
    (array([3.5]), array([-2.,  1.,  1.]))
    """

    margin: float = option(_positive, 1.0)

    def pair_loss(self) -> tuple[str, float]:
        return "hinge", self.margin


@register("squared_hinge")
@dataclass(frozen=True, kw_only=True, repr=False)
class SquaredHinge(Pairwise):
    """The squared hinge of a pair, max(0, margin - d)^2 (RankSVM with quadratic slack; Chapelle and Keerthi 2010).

    Labels 1, 0 and 0 with scores 1, 0.5 and 3: 0.5^2 + 3^2 = 9.25.

    >>> SquaredHinge()([1, 0, 0], [1, 0.5, 3])
    (array([9.25]), array([-7.,  1.,  6.]))
    """

    margin: float = option(_positive, 1.0)

    def pair_loss(self) -> tuple[str, float]:
        return "squared_hinge", self.margin


@register("pairwise_logistic", "rank_net")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairwiseLogistic(Pairwise):
    """RankNet's loss of a pair, ln(1 + exp(-sigma d)), natural logarithm (Burges et al. 2005).

    Labels 1 and 0 with equal scores: ln 2 = 0.693..., and the derivative by the better score is -1/2.

    >>> PairwiseLogistic()([1, 0], [0, 0])
    (array([0.69314718]), array([-0.5,  0.5]))
    """

    sigma: float = option(_positive, 1.0)

    def pair_loss(self) -> tuple[str, float]:
        return "logistic", self.sigma


@register("pairwise_linear")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairwiseLinear(Pairwise):
    """The loss of which linear NDCG is the measure: a pair of labels b > a counts b - a times (Jin and Geng, eq. (3)).

    ``surrogate`` stands for the count of misordered pairs: "logistic" is ln(1 + exp(-scale d)), "hinge" is
    max(0, scale - d). The hinge of scale 1 is never less than ``measures.PairwiseError(normalize="none")``.

    Labels 2 and 0 with equal scores: 2 ln 2 = 1.386...; the hinge gives 2.

    >>> PairwiseLinear()([2, 0], [0, 0])
    (array([1.38629436]), array([-1.,  1.]))
    >>> PairwiseLinear(surrogate="hinge")([2, 0], [0, 0])
    (array([2.]), array([-2.,  2.]))
    """

    surrogate: str = option(choice("logistic", "hinge"), "logistic")
    scale: float = option(_positive, 1.0)
    pair_weight = "label_gap"

    def pair_loss(self) -> tuple[str, float]:
        return self.surrogate, self.scale


@register("lambda_rank")
@dataclass(frozen=True, kw_only=True, repr=False)
class LambdaRank(Pairwise):
    """LambdaRank: |change of a measure if i and j traded places| ln(1 + exp(-sigma d)) (Burges et al. 2006).

    The changes are of the ranking by the scores as they are, equal scores in input order. They count as constants: the
    gradient, and `hessian_diagonal`, are those of the sum with its weights held fixed, Burges' lambdas. For NDCG a pair
    weighs (G_i - G_j) |D(rank of i) - D(rank of j)| / ideal DCG.

    ``measure``, a measure or its name, says gain, discount and cut-off: "ndcg(gain=linear)@10". It can be any for which
    the change has a closed form: dcg, ndcg, linear_ndcg, rbp, p, recall, f1, r_precision, ap, rr, hit_rate. A query
    without gain has the value 0. ``truncation`` keeps only the pairs with a document among the first so many ranks, as
    lambdarank_truncation_level does in LightGBM.

    Labels 0 and 1 with equal scores, so in the wrong order: (1 - 0) (1 - 1/log2(3)) / 1 = 0.369..., times ln 2.

    >>> LambdaRank()([0, 1], [0, 0])
    (array([0.25582]), array([ 0.18453512, -0.18453512]))
    """

    measure: Measure = option(measure, NDCG())
    sigma: float = option(_positive, 1.0)
    truncation: int | None = option(_ranks)
    pair_weight = "swap_change"
    has_potential = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.plan()

    def pair_loss(self) -> tuple[str, float]:
        return "logistic", self.sigma

    def plan(self) -> Plan:
        """How the measure is computed, as plain data; 0 for a query without gain."""
        plan = self.measure.with_convention().plan()
        separable = plan is not None and plan.reduction in ("sum", "precision_mean", "first", "any")
        if plan is None or not separable or plan.denominator == "hits" or not isinstance(plan.gain, gains.Gain):
            takes = "dcg, ndcg, linear_ndcg, rbp, p, recall, f1, r_precision, ap, rr, hit_rate"
            raise OptionError(f"{self.label}: a swap's change of {self.measure} has no closed form; it takes {takes}")
        return dataclasses.replace(plan, empty=0.0)

    def _sums(self, lists: Lists, *, curvature: bool, swap: _native.Swap | None = None) -> tuple[Floats, Floats]:
        plan = self.plan()
        assert isinstance(plan.gain, gains.Gain)
        worth = worth_of(plan.gain, dataclasses.replace(lists, weights=None))
        depths = depths_of(plan, lists, worth)
        depths = lists.sizes if depths is None else depths
        discount = plan.discount.native(int(lists.sizes.max(initial=0)))
        gained = dataclasses.replace(lists, labels=worth)
        swap = _native.Swap(reduction=plan.reduction, discount=discount, depths=depths, truncation=self.truncation)
        values, column = super()._sums(gained, curvature=curvature, swap=swap)
        factors = inverse_divisors(plan, lists)
        column *= np.repeat(factors, lists.sizes)
        return values * factors, column


def inverse_divisors(plan: Plan, lists: Lists) -> Floats:
    """1 over what the measure of each query is divided by, which is the same for all orders of it; 0 without gain.

    Of equal scores the mean over all orders is taken, which is above 0 where there is gain, and needs no sort.
    """
    unranked = dataclasses.replace(lists, scores=np.zeros(lists.labels.size), weights=None)
    divided, whole = run(
        [plan, dataclasses.replace(plan, denominator="none", zero_if_short=False)], unranked, "average"
    )
    inverse: Floats = np.divide(divided, whole, out=np.zeros(lists.n_queries), where=whole > 0)
    return inverse

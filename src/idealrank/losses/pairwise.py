"""Pairwise losses: sums over the pairs of documents of a query with different labels.

A pair has a better document i, the one with the higher label, and another one j; each loss is a function of
d = s_i - s_j.

A document's weight multiplies each pair in which it is the better one. A query with one document or one label has no
pairs: value 0, gradient 0. Labels may be any finite numbers. A value that overflows is a DataError.

The pairs of long lists are not visited one by one: time grows like a sort (times the entropy of the labels in bits,
about 2 for five labels), memory linearly. The exceptions are `LambdaRank` with ``score_offset``, and `LambdaLoss` with
a discount whose steps are not a sum of exponentials, such as "letor" and "table"; short lists, and lists with few
pairs, are faster pair by pair. Results differ from the sum over pairs by about 1e-13, and those of `LambdaLoss` by
about 1e-11, whatever the scores.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from idealrank import _native
from idealrank._names.options import choice, flag, number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.losses.direct import depths_of
from idealrank.losses.loss_base import Loss
from idealrank.losses.loss_names import register
from idealrank.losses.segments import worth_of
from idealrank.measures import NDCG, Measure, cutoffs, gains, measure
from idealrank.measures.measure_base import Plan, run

_positive = number(1e-300, 1e300)


def ranks_option(value: Any) -> int:
    """Return a positive number of ranks."""
    cutoff = cutoffs.of(value)
    if not isinstance(cutoff, cutoffs.Rank):
        raise OptionError(f"expected a positive number of ranks, got {value!r}")
    return cutoff.k


class Pairwise(Loss):
    """Base class of losses of pairs; each subclass names the loss of one pair, and its weight, for the native core.

    Parameters
    ----------
    normalize : {"none", "pairs"}
        "none" sums over all pairs, as RankNet, RankSVM and LambdaRank are defined; "pairs" divides the sum by the
        number of pairs, regardless of their weights, so that long queries do not count more than short ones.
    """

    normalize: str = option(choice("none", "pairs"), "none")
    pair_weight: ClassVar[str] = "one"

    def pair_loss(self) -> tuple[str, float]:
        """Return the name of the loss of one pair, and its margin or sigma."""
        raise NotImplementedError

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        return self._sums(lists)(lists.scores, "first")

    def curvature(self, lists: Lists) -> Floats:
        return self._sums(lists)(lists.scores, "second")[1]

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        return self._sums(lists)(lists.scores, "both")

    def derivatives_of(self, lists: Lists) -> Callable[[Floats], tuple[Floats, Floats]]:
        of_scores = self._sums(lists)
        return lambda scores: of_scores(scores, "both")

    def _sums(
        self, lists: Lists, *, swap: _native.Swap | None = None, factors: Floats | None = None
    ) -> Callable[[Floats, str], tuple[Floats, Floats]]:
        """Return a function of the scores and of what to compute.

        "first" and "second" return values with the gradient or the curvature; "both" returns the gradient and the
        curvature. ``factors``, one per query, multiply all results.
        """
        kind, scale = self.pair_loss()
        options: dict[str, Any] = {"weight": self.pair_weight, "normalize": self.normalize, "swap": swap}
        loss = _native.PairLoss(kind=kind, scale=scale, **options)

        def of_scores(scores: Floats, derivative: str) -> tuple[Floats, Floats]:
            columns = lists.labels, scores, lists.offsets, lists.weights
            return _native.pairwise(
                *columns, loss=loss, derivative=derivative, factors=factors, n_threads=lists.n_threads
            )

        return of_scores


@register("hinge", "rank_svm")
class Hinge(Pairwise):
    """RankSVM's loss of a pair, max(0, margin - d) (Herbrich et al. 2000, Joachims 2002).

    The loss is summed over the pairs in which document i has a higher label than document j, and d = s_i - s_j. At d =
    margin, where the derivative is undefined, the gradient is 0. The second derivative is 0 wherever it is defined, so
    `hessian_diagonal` returns the one of max(0, margin - d)^2 / (2 margin), which has the same slope at d = 0.

    Parameters
    ----------
    margin : float
        The score difference at which the loss of a pair becomes 0.

    Examples
    --------
    Labels 1, 0 and 0 with scores 1, 0.5 and 3: max(0, 1 - 0.5) + max(0, 1 + 2) = 3.5.

    >>> from idealrank.losses import Hinge
    >>> Hinge()([1, 0, 0], [1, 0.5, 3])
    (array([3.5]), array([-2.,  1.,  1.]))
    """

    margin: float = option(_positive, 1.0)

    def pair_loss(self) -> tuple[str, float]:
        return "hinge", self.margin


@register("squared_hinge")
class SquaredHinge(Pairwise):
    """The squared hinge of a pair, max(0, margin - d)^2 (RankSVM with quadratic slack; Chapelle and Keerthi 2010).

    The loss is summed over the pairs in which document i has a higher label than document j, and d = s_i - s_j.

    Parameters
    ----------
    margin : float
        The score difference at which the loss of a pair becomes 0.

    Examples
    --------
    Labels 1, 0 and 0 with scores 1, 0.5 and 3: 0.5^2 + 3^2 = 9.25.

    >>> from idealrank.losses import SquaredHinge
    >>> SquaredHinge()([1, 0, 0], [1, 0.5, 3])
    (array([9.25]), array([-7.,  1.,  6.]))
    """

    margin: float = option(_positive, 1.0)

    def pair_loss(self) -> tuple[str, float]:
        return "squared_hinge", self.margin


@register("pairwise_logistic", "rank_net")
class PairwiseLogistic(Pairwise):
    """RankNet's loss of a pair, ln(1 + exp(-sigma d)), with the natural logarithm (Burges et al. 2005).

    The loss is summed over the pairs in which document i has a higher label than document j, and d = s_i - s_j.

    Parameters
    ----------
    sigma : float
        The slope of the logistic loss of a pair.

    Examples
    --------
    Labels 1 and 0 with equal scores: ln 2 = 0.693..., and the derivative with respect to the better score is -1/2.

    >>> from idealrank.losses import PairwiseLogistic
    >>> PairwiseLogistic()([1, 0], [0, 0])
    (array([0.69314718]), array([-0.5,  0.5]))
    """

    sigma: float = option(_positive, 1.0)

    def pair_loss(self) -> tuple[str, float]:
        return "logistic", self.sigma


@register("pairwise_linear")
class PairwiseLinear(Pairwise):
    """The pairwise loss of linear NDCG: a pair with labels b > a is weighted by b - a (Jin and Geng 2013, eq. (3)).

    The score of the better document minus the score of the other is d. With the hinge and scale 1, the loss is never
    below ``measures.PairwiseError(normalize="none")``.

    Parameters
    ----------
    surrogate : {"logistic", "hinge"}
        The loss that replaces the count of misordered pairs: ln(1 + exp(-scale d)) or max(0, scale - d).
    scale : float
        The slope of the logistic loss, or the margin of the hinge.

    Examples
    --------
    Labels 2 and 0 with equal scores: 2 ln 2 = 1.386...; the hinge gives 2.

    >>> from idealrank.losses import PairwiseLinear
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
class LambdaRank(Pairwise):
    """LambdaRank: |change of a measure if i and j were swapped| ln(1 + exp(-sigma d)) (Burges et al. 2006).

    The loss is summed over the pairs in which document i has a higher label than document j, and d = s_i - s_j. The
    measure changes in the ranking by the current scores, with equal scores in input order. These weights are treated as
    constants: the gradient and `hessian_diagonal` are those of the sum with fixed weights, Burges' lambdas. For NDCG,
    the weight of a pair is (G_i - G_j) |D(rank of i) - D(rank of j)| / ideal DCG. A query without gain has the value 0.

    Parameters
    ----------
    measure : str or Measure
        The measure, with gain, discount and cutoff: "ndcg(gain=linear)@10". The change must have a closed form: dcg,
        ndcg, linear_ndcg, rbp, p, recall, f1, r_precision, ap, rr, hit_rate.
    sigma : float
        The slope of the logistic loss of a pair.
    truncation : int, optional
        Keep only the pairs with at least one document in the first ``truncation`` ranks, like
        lambdarank_truncation_level in LightGBM; None keeps all pairs.
    truncate_both : bool
        Whether both documents of a pair must be in the first ``truncation`` ranks.
    normalize : {"none", "pairs", "lambdas"}
        "none" sums over all pairs; "pairs" divides the sum by their number; "lambdas" multiplies it by log2(1 + S) / S,
        where S is the sum of |lambda| over the documents of all pairs, like lambdarank_norm in LightGBM and
        lambdarank_normalization in XGBoost.
    score_offset : float, optional
        Divide the weight of each pair by ``score_offset`` + |s_i - s_j|, unless all scores of the query are equal, like
        lambdarank_norm in LightGBM and lambdarank_score_normalization in XGBoost, both with 0.01. None does not divide.
        Every pair with different labels is then visited, so that time grows with the number of such pairs.

    Examples
    --------
    Labels 0 and 1 with equal scores, so in the wrong order: (1 - 0) (1 - 1/log2(3)) / 1 = 0.369..., times ln 2.

    >>> from idealrank.losses import LambdaRank
    >>> LambdaRank()([0, 1], [0, 0])
    (array([0.25582]), array([ 0.18453512, -0.18453512]))

    The lambdas of LightGBM's and XGBoost's own objectives:

    >>> LambdaRank(normalize="lambdas", score_offset=0.01)
    lambda_rank(normalize=lambdas,score_offset=0.01)
    """

    normalize: str = option(choice("none", "pairs", "lambdas"), "none")
    measure: Measure = option(measure, NDCG())
    sigma: float = option(_positive, 1.0)
    truncation: int | None = option(ranks_option)
    truncate_both: bool = option(flag, False)
    score_offset: float | None = option(_positive)
    pair_weight = "swap_change"
    has_potential = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_truncation(self)
        self.plan()

    def curvature(self, lists: Lists) -> Floats:
        # The factor log2(1 + S) / S depends on the first derivatives.
        return self.gradient_and_curvature(lists)[1] if self.normalize == "lambdas" else super().curvature(lists)

    def pair_loss(self) -> tuple[str, float]:
        return "logistic", self.sigma

    def plan(self) -> Plan:
        """Return how the measure is computed, as plain data; a query without gain counts 0."""
        return self._plan

    @cached_property
    def _plan(self) -> Plan:
        return swap_plan(self, *_SWAPPED)

    def _sums(
        self, lists: Lists, *, swap: _native.Swap | None = None, factors: Floats | None = None
    ) -> Callable[[Floats, str], tuple[Floats, Floats]]:
        plan = self.plan()
        swapped, common = swap_inputs(plan, lists)
        swap = _native.Swap(
            **common, truncation=self.truncation, together=self.truncate_both, offset=self.score_offset or 0.0
        )
        return super()._sums(swapped, swap=swap, factors=inverse_divisors(plan, lists))


#: The measures that a swap of two documents changes by a closed form, by how they reduce their ranks.
_SWAPPED = {
    "sum": "dcg, ndcg, linear_ndcg, rbp, p, recall, f1, r_precision",
    "precision_mean": "ap",
    "first": "rr",
    "any": "hit_rate",
}


def swap_plan(loss: Any, *reductions: str) -> Plan:
    """Return how the loss's measure is computed, as plain data; a query without gain counts 0."""
    plan: Plan | None = loss.measure.with_convention().plan()
    is_separable = plan is not None and plan.reduction in reductions
    if plan is None or not is_separable or plan.denominator == "hits" or not isinstance(plan.gain, gains.Gain):
        takes = ", ".join(_SWAPPED[reduction] for reduction in reductions)
        raise OptionError(f"{loss.label}: swaps change {loss.measure} without a closed form; use one of {takes}")
    plan.discount.require_decreasing(loss.label)
    return dataclasses.replace(plan, empty=0.0)


def swap_inputs(plan: Plan, lists: Lists) -> tuple[Lists, dict[str, Any]]:
    """Return the lists with gains for labels, and what the native core needs to know of the measure."""
    worth = worth_of(plan.gain, dataclasses.replace(lists, weights=None))
    depths = depths_of(plan, lists, worth)
    return dataclasses.replace(lists, labels=worth), {
        "reduction": plan.reduction,
        "discount": plan.discount.native(int(lists.sizes.max(initial=0))),
        "depths": lists.sizes if depths is None else depths,
    }


def check_truncation(loss: Any) -> None:
    """Refuse a loss that truncates by both documents of a pair, but says not where."""
    if loss.truncate_both and loss.truncation is None:
        raise OptionError(f"{loss.label}: truncate_both=true needs a truncation, such as truncation=20")


def inverse_divisors(plan: Plan, lists: Lists) -> Floats:
    """Return 1 over the divisor of each query's measure, which is the same for all orders; 0 without gain.

    It is computed for equal scores, where the mean over all orders is above 0 if there is gain, and needs no sort.
    """
    unranked = dataclasses.replace(lists, scores=np.zeros(lists.labels.size), weights=None)
    divided, whole = run(
        [plan, dataclasses.replace(plan, denominator="none", zero_if_short=False)], unranked, "average"
    )
    inverse: Floats = np.divide(divided, whole, out=np.zeros(lists.n_queries), where=whole > 0)
    return inverse

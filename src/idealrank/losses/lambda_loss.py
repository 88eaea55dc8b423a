"""LambdaLoss, whose weights make it a bound of NDCG (Wang et al. 2018), and LambdaRank of noisy scores."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._names.options import choice, flag, number, option, or_none
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.losses.loss_names import register
from idealrank.losses.pairwise import Pairwise, check_truncation, inverse_divisors, ranks_option, swap_inputs, swap_plan
from idealrank.losses.segments import worth_of
from idealrank.measures import NDCG, Measure, discounts, gains, measure
from idealrank.measures.discounts import Discount
from idealrank.measures.measure_base import Plan

_SHORT = 256  # up to this many documents, pairs are always enumerated


@register("lambda_loss")
class LambdaLoss(Pairwise):
    """The LambdaLoss family: w_ij ln(1 + exp(-sigma d)), with weights by the ranks of i and j (Wang et al. 2018).

    The loss is a sum over the pairs in which document i has a higher label than document j, and d = s_i - s_j. With
    gains G divided by the ideal DCG, and discounts D at the ranks r by the current scores (equal scores in input
    order), the weight w_ij is

    - "loss1", NDCG-Loss1: G_i D(r_i);
    - "loss2", NDCG-Loss2: (G_i - G_j) delta_ij, delta_ij = D(|r_i - r_j|) - D(|r_i - r_j| + 1);
    - "loss2pp", NDCG-Loss2++: (G_i - G_j) (|D(r_i) - D(r_j)| + mu delta_ij), that is `LambdaRank` + mu NDCG-Loss2.

    The paper's logarithm has base 2, so its losses are 1 / ln 2 times as large. As in `LambdaRank`, weights are treated
    as constants. A query without gain has the value 0.

    All three take near-linear time and linear memory. For "loss2" and "loss2pp", delta is approximated by a sum of up
    to 72 exponentials of |r_i - r_j|, to a relative error of about 1e-11, which is found once for each discount and
    length of lists (up to the next power of two); documents are then swept in the order of their scores. If delta is
    not such a sum, as for the discounts "letor" and "table", every pair with different labels is visited, and time
    grows with their number.

    Parameters
    ----------
    kind : {"loss1", "loss2", "loss2pp"}
        Which weights to use, as above.
    mu : float
        The weight of NDCG-Loss2 in NDCG-Loss2++; the other kinds do not take it.
    sigma : float
        The slope of the logistic loss of a pair.
    gain : str or Gain
        The gain of a label; by default, 2^label - 1.
    discount : str or Discount
        The weight of a rank; it must not depend on the length of the list.
    truncation : int, optional
        Keep only the pairs with at least one document in the first ``truncation`` ranks; None keeps all pairs. Not for
        "loss1".
    truncate_both : bool
        Whether both documents of a pair must be in the first ``truncation`` ranks.

    Examples
    --------
    Labels 0 and 1 with equal scores, so in the wrong order: (1 - 0) (1 - 1/log2(3)) = 0.369..., times ln 2.

    >>> from idealrank.losses import LambdaLoss
    >>> LambdaLoss(kind="loss2")([0, 1], [0, 0])
    (array([0.25582]), array([ 0.18453512, -0.18453512]))

    References
    ----------
    X. Wang, C. Li, N. Golbandi, M. Bendersky, M. Najork, The LambdaLoss Framework for Ranking Metric Optimization, CIKM
    2018.
    """

    kind: str = option(choice("loss1", "loss2", "loss2pp"), "loss2pp")
    mu: float = option(number(0, 1e300), 10.0)
    sigma: float = option(number(1e-300, 1e300), 1.0)
    gain: Any = option(gains.of, gains.Exp2())
    discount: Any = option(discounts.of, discounts.Log())
    truncation: int | None = option(ranks_option)
    truncate_both: bool = option(flag, False)
    has_potential = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.discount, discounts.Linear):
            raise OptionError(f"{self.label}: the discount must not depend on the length of the list, got linear")
        self.discount.require_decreasing(self.label)
        if self.kind == "loss1" and self.truncation is not None:
            raise OptionError(f"{self.label}: a truncation is for pairs of ranks, and loss1 has no such weights")
        check_truncation(self)

    def _without_effect(self) -> dict[str, str]:
        return {} if self.kind == "loss2pp" else {"mu": f"with kind={self.kind}"}

    def pair_loss(self) -> tuple[str, float]:
        return "logistic", self.sigma

    def plan(self) -> Plan:
        """Return how NDCG with this gain and discount is computed, as plain data; a query without gain counts 0."""
        plan = NDCG(gain=self.gain, discount=self.discount).with_convention().plan()
        assert plan is not None
        return dataclasses.replace(plan, empty=0.0)

    def distances(self, longest: int) -> Floats:
        """Return the weight of each difference of ranks from 0 up to below ``longest``: delta, times mu if that counts.

        Examples
        --------
        >>> LambdaLoss(kind="loss2", discount="zipf").distances(4)
        array([0.        , 0.5       , 0.16666667, 0.08333333])
        """
        steps = np.zeros(longest)
        steps[1:] = steps_of(self.discount, max(longest - 1, 0))
        return np.multiply(steps, self._share())

    def _share(self) -> float:
        return self.mu if self.kind == "loss2pp" else 1.0

    def _sums(
        self, lists: Lists, *, swap: _native.Swap | None = None, factors: Floats | None = None
    ) -> Callable[[Floats, str], tuple[Floats, Floats]]:
        plan = self.plan()
        worth = worth_of(plan.gain, dataclasses.replace(lists, weights=None))
        inverse, longest = inverse_divisors(plan, lists), int(lists.sizes.max(initial=0))
        ranked = dataclasses.replace(lists, labels=worth)
        if self.kind == "loss1":
            return self._first(ranked, inverse, self.discount.weights(longest))
        known = rank_exponentials(self.discount, longest) if longest > _SHORT else None
        rates, amounts = (None, None) if known is None else (known[0], known[1] * self._share())
        swap = _native.Swap(
            reduction="sum",
            discount=self.discount.native(longest),
            depths=lists.sizes,
            truncation=self.truncation,
            together=self.truncate_both,
            distances=self.distances(longest),
            rates=rates,
            amounts=amounts,
            changes=self.kind == "loss2pp",
        )
        return super()._sums(ranked, swap=swap, factors=inverse)

    def _first(self, lists: Lists, inverse: Floats, table: Floats) -> Callable[[Floats, str], tuple[Floats, Floats]]:
        """Return the sums of NDCG-Loss1, where a document has the weight G D(r) in pairs in which it is better."""
        own = lists.labels if lists.weights is None else lists.labels * lists.weights

        def of_scores(scores: Floats, derivative: str) -> tuple[Floats, Floats]:
            weights = own * table[places_of(scores, lists)]
            return Pairwise._sums(self, dataclasses.replace(lists, weights=weights), factors=inverse)(
                scores, derivative
            )

        return of_scores

    @property
    def pair_weight(self) -> str:  # type: ignore[override]
        """The name of the weight of a pair in the vocabulary of the native core."""
        return "one" if self.kind == "loss1" else "distance"


def places_of(scores: Floats, lists: Lists) -> Int64s:
    """Return the rank of each document within its query, counted from 0; equal scores in input order.

    Examples
    --------
    >>> places_of(np.array([1.0, 3.0, 0.5]), Lists(np.zeros(3), np.zeros(3), np.array([0, 2, 3])))
    array([1, 0, 0])
    """
    order = _native.order(scores, lists.offsets, lists.n_threads)
    places = np.empty(scores.size, np.int64)
    places[order] = np.arange(scores.size) - np.repeat(lists.offsets[:-1], lists.sizes)
    return places


_PRECISION = 1e-11  # of a sum of exponentials, relative to the step that it approximates
_MOST_TERMS = 72
_PART = 1 << 10  # number of rank differences that are checked at a time
_POINTS, _SHARES = np.polynomial.legendre.leggauss(12)


def steps_of(discount: Discount, n: int) -> Floats:
    """Return D(d) - D(d + 1) for d = 1 to n.

    Examples
    --------
    >>> from idealrank.measures import discounts
    >>> steps_of(discounts.Zipf(), 3)
    array([0.5       , 0.16666667, 0.08333333])
    """
    weights = discount.weights(n + 1)
    steps: Floats = np.subtract(weights[:-1], weights[1:])
    return steps


def rank_exponentials(discount: Discount, n: int) -> tuple[Floats, Floats] | None:
    """Return rates and amounts such that D(d) - D(d + 1) = sum_m amounts[m] exp(-rates[m] (d - 1)) for d = 1 to n.

    The steps of logarithmic, power-law and geometric discounts are such sums, to a relative error of about 1e-11.
    Return None for a discount that is not: one that falls in jumps, to 0, or not at all from one rank to the next.

    Examples
    --------
    >>> from idealrank.measures import discounts
    >>> rates, amounts = rank_exponentials(discounts.Geometric(2), 1000)
    >>> rates, amounts
    (array([0.69314718]), array([0.25]))
    >>> rank_exponentials(discounts.Table([1, 0.9, 0.2]), 1000) is None
    True
    """
    longest = 1 << max(6, (n - 1).bit_length())
    try:
        return _fitted(discount, longest)
    except TypeError:  # the discount is not hashable, so it cannot be cached
        return _fitted.__wrapped__(discount, longest)


@functools.lru_cache(maxsize=64)
def _fitted(discount: Discount, n: int) -> tuple[Floats, Floats] | None:
    apart = np.unique(np.append(np.arange(1.0, 65.0), np.rint(np.geomspace(64, n, 16 * n.bit_length()))))
    steps = _accurate_steps(discount, apart)
    if not steps.any():
        return np.empty(0), np.empty(0)
    if steps.min() < 0:
        return None
    scale = _scale(steps)
    for rates in _candidates(apart, steps, n):
        with np.errstate(under="ignore"):
            shapes = np.exp(-rates * (apart[:, None] - 1)) / scale[:, None]
            tops = shapes.max(axis=0)
            amounts = np.linalg.lstsq(shapes / tops, steps / scale, rcond=1e-15)[0] / tops
            error = np.abs(shapes @ amounts - steps / scale).max()
            # If large terms cancel, digits are lost in everything that they multiply.
            cancels = (shapes @ np.abs(amounts)).max() > 1000
        if error <= _PRECISION and not cancels:
            return (rates, amounts) if _holds(discount, n, rates, amounts) else None
    return None


def _scale(steps: Floats) -> Floats:
    """Return the scale of errors: the steps, which may underflow for geometric discounts, bounded from below."""
    scale: Floats = np.maximum(steps, 1e-290 * steps.max())
    return scale


def _accurate_steps(discount: Discount, apart: Floats) -> Floats:
    """Return D(d) - D(d + 1) as an integral of -D', which loses no digits where D is nearly constant."""
    between = np.add(apart[:, None], (_POINTS + 1) / 2)
    falls: Floats = np.negative(discount.at(between)[1]) @ _SHARES / 2
    return falls


def _candidates(apart: Floats, steps: Floats, n: int) -> list[Floats]:
    """Return sets of rates, small ones first."""
    tried = []
    last = int(np.flatnonzero(steps > 1e-290 * steps.max())[-1])
    if last > 0 and steps[0] > steps[last]:
        tried.append(np.array([math.log(steps[0] / steps[last]) / (apart[last] - 1)]))
    # Rates with evenly spaced logarithms are near the best ones (Braess and Hackbusch 2005).
    numbers = range(16 + 4 * int(0.5 * math.log(n)), _MOST_TERMS + 1, 4)
    return tried + [np.geomspace(0.4 / n, 8, n_terms) for n_terms in numbers]


def _holds(discount: Discount, n: int, rates: Floats, amounts: Floats) -> bool:
    """Return whether the sum of exponentials is accurate at each difference of ranks."""
    steps, rounding = steps_of(discount, n), 4 * np.finfo(float).eps * discount.weights(n)
    allowed = 10 * _PRECISION * _scale(steps) + rounding
    with np.errstate(under="ignore"):
        within = np.exp(-rates * np.arange(_PART)[:, None])
        for start in range(0, n, _PART):
            part = slice(start, start + _PART)
            found = (within @ (amounts * np.exp(-rates * start)))[: n - start]
            if np.any(np.abs(found - steps[part]) > allowed[part]):
                return False
    return True


@register("smoothed_lambda_rank")
class SmoothedLambdaRank(Pairwise):
    """LambdaRank whose weights are means over rankings by scores with noise.

    The loss is the sum of w_ij ln(1 + exp(-sigma d)) over the pairs in which document i has a higher label than
    document j, and d = s_i - s_j. The weight w_ij is the mean change of the measure if i and j were swapped, over
    several rankings by s + noise, where the noise has the logistic distribution with the scale 1 / sigma. So a pair
    counts by where its documents could be, not only by where they are. As in `LambdaRank`, the weights are constants to
    the gradient and to `hessian_diagonal`; d is the difference of the scores without noise.

    The noise depends on the seed, and on the labels and the ranking of the query, row by row: two calls with the same
    data give the same result, rows in another order do not, and a booster gets other noise when a tree changes the
    ranking.

    Parameters
    ----------
    measure : str or Measure
        The measure, with gain, discount and cutoff: one of dcg, ndcg, linear_ndcg, rbp, p, recall, f1, r_precision.
    sigma : float
        The slope of the logistic loss of a pair, and 1 over the scale of the noise.
    truncation : int, optional
        Each rank after the first ``truncation`` counts like the one that follows them, so that pairs below have no
        weight; None counts all ranks. Time grows with the number of pairs that have a document in the first
        ``truncation`` ranks of one of the rankings.
    normalize : {"none", "pairs", "lambdas"}
        As in `LambdaRank`.
    n_rankings : int
        The number of rankings.
    seed : int
        Seed of the random number generator.

    Examples
    --------
    Labels 0 and 1, in the wrong order. All rankings have the same change of NDCG, 0.369..., since there are only two
    documents:

    >>> from idealrank.losses import LambdaRank, SmoothedLambdaRank
    >>> SmoothedLambdaRank()([0, 1], [0.1, 0])
    (array([0.27473466]), array([ 0.1937542, -0.1937542]))
    >>> LambdaRank()([0, 1], [0.1, 0])
    (array([0.27473466]), array([ 0.1937542, -0.1937542]))
    """

    normalize: str = option(choice("none", "pairs", "lambdas"), "none")
    measure: Measure = option(measure, NDCG())
    sigma: float = option(number(1e-300, 1e300), 1.0)
    truncation: int | None = option(or_none(ranks_option), 30)
    n_rankings: int = option(number(1, 1000, is_whole=True), 8)
    seed: int = option(number(0, 2**63 - 1, is_whole=True), 0)
    pair_weight = "swap_change"
    has_potential = False

    def __post_init__(self) -> None:
        super().__post_init__()
        swap_plan(self, "sum")

    def pair_loss(self) -> tuple[str, float]:
        return "logistic", self.sigma

    def curvature(self, lists: Lists) -> Floats:
        # The factor log2(1 + S) / S depends on the first derivatives.
        return self.gradient_and_curvature(lists)[1] if self.normalize == "lambdas" else super().curvature(lists)

    def _sums(
        self, lists: Lists, *, swap: _native.Swap | None = None, factors: Floats | None = None
    ) -> Callable[[Floats, str], tuple[Floats, Floats]]:
        plan = swap_plan(self, "sum")
        swapped, common = swap_inputs(plan, lists)
        swap = _native.Swap(**common, truncation=self.truncation, n_rankings=self.n_rankings, seed=self.seed)
        return super()._sums(swapped, swap=swap, factors=inverse_divisors(plan, lists))

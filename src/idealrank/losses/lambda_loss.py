"""LambdaLoss: pairwise logistic losses whose weights make them bounds of NDCG (Wang et al. 2018)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._names.options import choice, flag, number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.losses.loss_names import register
from idealrank.losses.pairwise import Pairwise, check_truncation, inverse_divisors, ranks_option
from idealrank.losses.rank_exponentials import rank_exponentials, steps_of
from idealrank.losses.targets import worth_of
from idealrank.measures import NDCG, discounts, gains
from idealrank.measures.plan import Plan

__all__ = ["LambdaLoss"]

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

"""Measures that are gains times discounts: DCG, NDCG, linear NDCG, RBP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._base.options import choice, number, option
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.base import Measure, discount_option, empty_value, gain_option
from idealrank.measures.names import register
from idealrank.measures.plan import Plan

__all__ = ["DCG", "NDCG", "RBP", "LinearNDCG", "ndcg"]

_LONGEST_FULL = 10_000_000


@register("dcg")
@dataclass(frozen=True, kw_only=True, repr=False)
class DCG(Measure):
    """DCG = sum_r G(label at rank r) D(r) (Wang et al. 2013, eq. (1)).

    Labels 2, 0, 1 in rank order, gain 2^l - 1: 3/log2(2) + 0 + 1/log2(4) = 3.5.

    >>> DCG()([2, 0, 1], [0.9, 0.8, 0.7])
    array([3.5])
    """

    gain: Any = gain_option
    discount: Any = discount_option

    def plan(self) -> Plan:
        return Plan("sum", self.gain, discount=self.discount, cutoff=self.cutoff, empty=empty_value(self))


@register("ndcg", "ndcg_cut")
@dataclass(frozen=True, kw_only=True, repr=False)
class NDCG(Measure):
    """NDCG = DCG / ideal DCG (Wang et al. 2013, eq. (2)); with a cut-off, both count the first k ranks only.

    ``ideal``: over the "judged" documents, the "retrieved" ones, or "full", as if k documents had gain 1. ``short``:
    "zero" gives 0 to a query of fewer than k documents, as the LETOR 4.0 script does.

    Labels 1, 2 in rank order: (1 + 3/log2(3)) / (3 + 1/log2(3)) = 0.79670...

    >>> NDCG()([1, 2], [0.9, 0.8])
    array([0.79670758])
    >>> NDCG(gain="linear", discount="power:0.5") @ 1
    ndcg(gain=linear,discount=power:0.5)@1
    """

    gain: Any = gain_option
    discount: Any = discount_option
    ideal: str | None = option(choice("judged", "retrieved", "full"))
    short: str | None = option(choice("as is", "zero"))

    def plan(self) -> Plan:
        if self.ideal == "full" and isinstance(self.cutoff, cutoffs.Rank) and self.cutoff.k > _LONGEST_FULL:
            raise OptionError(
                f"ideal=full sums the weights of k ranks, k at most {_LONGEST_FULL:,}, got {self.cutoff.k:,}"
            )
        return Plan(
            "sum",
            self.gain,
            "full" if self.ideal == "full" else "ideal",
            discount=self.discount,
            cutoff=self.cutoff,
            empty=empty_value(self),
            ideal_retrieved=self.ideal == "retrieved",
            zero_if_short=self.short == "zero",
        )


@register("linear_ndcg", "lndcg")
@dataclass(frozen=True, kw_only=True, repr=False)
class LinearNDCG(Measure):
    """NDCG with the discount n - r, n documents in the list (Jin and Geng, eq. (1)); gain l unless named.

    1 minus it is the number of misordered pairs, each weighted by the difference of its labels, over the ideal DCG.
    Labels 1, 2, 0, 0, 1 in rank order: (1*4 + 2*3 + 1*0) / (2*4 + 1*3 + 1*2) = 10/13.

    >>> LinearNDCG()([1, 2, 0, 0, 1], [5, 4, 3, 2, 1])
    array([0.76923077])
    """

    gain: Any = gain_option
    ideal: str | None = option(choice("judged", "retrieved"))

    def plan(self) -> Plan:
        return Plan(
            "sum",
            self.gain,
            "ideal",
            discount=discounts.Linear(),
            cutoff=self.cutoff,
            empty=empty_value(self),
            ideal_retrieved=self.ideal == "retrieved",
        )


@dataclass(frozen=True)
class Persistence(discounts.Discount):
    """D(r) = (1 - p) p^(r - 1)."""

    p: float

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return (1 - self.p) * self.p ** (np.asarray(ranks, np.float64) - 1)

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        weights = self(positions)
        return weights, (math.log(self.p) if self.p > 0 else 0.0) * weights


@register("rbp")
@dataclass(frozen=True, kw_only=True, repr=False)
class RBP(Measure):
    """Rank-biased precision, (1 - p) sum_r p^(r - 1) [label >= rel] (Moffat and Zobel 2008).

    Relevant at ranks 1 and 3, p = 0.5: 0.5 (1 + 0.25) = 0.625.

    >>> RBP(p=0.5)([1, 0, 1], [3, 2, 1])
    array([0.625])
    """

    p: float | None = option(number(0, 1 - 1e-12))
    rel: float | None = option(number())

    def plan(self) -> Plan:
        assert self.p is not None
        assert self.rel is not None
        discount = Persistence(self.p)
        return Plan("sum", gains.Binary(self.rel), discount=discount, cutoff=self.cutoff, empty=empty_value(self))


def ndcg(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    cutoff: int | float | str | cutoffs.Cutoff | None = None,
) -> Floats:
    """Compute NDCG under idealrank's own convention, one value per query: short for ``measures.NDCG(cutoff=cutoff)``.

    Parameters
    ----------
    labels, scores : array_like
        The relevance and the score of each document; higher scores are ranked first.
    offsets : array_like, optional
        Where each query begins, and the number of documents; None stands for one query.
    cutoff : int, float, str or Cutoff, optional
        How many ranks count: 10, 0.2 or "20%", "n^0.5"; None stands for all of them.

    Returns
    -------
    ndarray of shape (n_queries,)

    Examples
    --------
    >>> ndcg([1, 0, 1, 2], [0.3, 0.2, 0.1, 0.9], offsets=[0, 2, 4], cutoff=10)
    array([1., 1.])
    """
    return NDCG(cutoff=cutoff)(labels, scores, offsets)

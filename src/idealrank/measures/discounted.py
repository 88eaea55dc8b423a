"""Measures that sum gains times discounts: DCG, NDCG, linear NDCG, RBP."""

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
from idealrank.measures.base import Measure, discount_option, gain_option
from idealrank.measures.names import register
from idealrank.measures.plan import Plan

__all__ = ["DCG", "NDCG", "RBP", "LinearNDCG"]

_LONGEST_FULL = 10_000_000


@register("dcg")
@dataclass(frozen=True, kw_only=True, repr=False)
class DCG(Measure):
    """DCG = sum_r G(label at rank r) D(r) (Wang et al. 2013, eq. (1)).

    Parameters
    ----------
    gain : str or Gain, optional
        The gain G of a label.
    discount : str or Discount, optional
        The weight D of a rank.

    Examples
    --------
    Labels 2, 0, 1 in rank order, gain 2^l - 1: 3/log2(2) + 0 + 1/log2(4) = 3.5.

    >>> DCG()([2, 0, 1], [0.9, 0.8, 0.7])
    array([3.5])
    """

    gain: Any = gain_option
    discount: Any = discount_option

    def plan(self) -> Plan:
        return self._plan("sum", self.gain, discount=self.discount)


@register("ndcg", "ndcg_cut")
@dataclass(frozen=True, kw_only=True, repr=False)
class NDCG(Measure):
    """NDCG = DCG / ideal DCG (Wang et al. 2013, eq. (2)); with a cutoff, both count only the first k ranks.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label.
    discount : str or Discount, optional
        The weight of a rank.
    ideal : {"judged", "retrieved", "full"}, optional
        The documents of the ideal ranking: all judged ones, the retrieved ones, or k documents of gain 1.
    short : {"as is", "zero"}, optional
        "zero" gives 0 to a query with fewer than k documents, like the LETOR 4.0 script.
    ideal_cut : {"cutoff", "shorter", "retrieved", "whole"}, optional
        Where the ideal ranking of the judged or retrieved documents ends: at the cutoff, the default; at the number of
        retrieved documents if that is smaller ("shorter", like MLflow and Elasticsearch); always at that number
        ("retrieved", like OpenSearch); or nowhere ("whole", like Quepid).
    negative_ideal : {"empty", "divide"}, optional
        If negative gains make the ideal DCG negative, the query has no value ("empty", the default), or the DCG is
        divided by it.

    Examples
    --------
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
    ideal_cut: str | None = option(choice("cutoff", "shorter", "retrieved", "whole"))
    negative_ideal: str | None = option(choice("empty", "divide"))

    def plan(self) -> Plan:
        if self.ideal == "full" and isinstance(self.cutoff, cutoffs.Rank) and self.cutoff.k > _LONGEST_FULL:
            raise OptionError(
                f"ideal=full sums the weights of k ranks, k at most {_LONGEST_FULL:,}, got {self.cutoff.k:,}"
            )
        cut = "" if self.ideal_cut in (None, "cutoff") else f"_{self.ideal_cut}"
        denominator = "full" if self.ideal == "full" else f"ideal{cut}"
        special = {
            "zero_if_short": self.short == "zero",
            "negative_ideal": self.negative_ideal == "divide" and self.ideal != "full",
        }
        return self._plan("sum", self.gain, denominator, discount=self.discount, **special)


@register("linear_ndcg", "lndcg")
@dataclass(frozen=True, kw_only=True, repr=False)
class LinearNDCG(Measure):
    """NDCG with the discount n - r for a list of n documents (Jin and Geng, eq. (1)).

    1 minus it is the number of misordered pairs, each weighted by the difference of its labels, over the ideal DCG.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, the label itself.
    ideal : {"judged", "retrieved"}, optional
        The documents of the ideal ranking.

    Examples
    --------
    Labels 1, 2, 0, 0, 1 in rank order: (1*4 + 2*3 + 1*0) / (2*4 + 1*3 + 1*2) = 10/13.

    >>> LinearNDCG()([1, 2, 0, 0, 1], [5, 4, 3, 2, 1])
    array([0.76923077])
    """

    gain: Any = gain_option
    ideal: str | None = option(choice("judged", "retrieved"))

    def plan(self) -> Plan:
        return self._plan("sum", self.gain, "ideal", discount=discounts.Linear())


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
    """Rank-biased precision, (1 - p) sum_r p^(r - 1) g_r (Moffat and Zobel 2008).

    Parameters
    ----------
    p : float, optional
        The persistence: the probability that a user looks at the next rank.
    rel : float, optional
        The lowest label of a relevant document, for binary grades.
    grades : {"binary", "labels", "scaled"}, optional
        What a document is worth, g: 1 if it is relevant ("binary", the default); its label, so that the value can
        exceed 1; or its label divided by the highest label of the query, if that is above 1.

    Examples
    --------
    Relevant at ranks 1 and 3, p = 0.5: 0.5 (1 + 0.25) = 0.625.

    >>> RBP(p=0.5)([1, 0, 2], [3, 2, 1]), RBP(p=0.5, grades="scaled")([1, 0, 2], [3, 2, 1])
    (array([0.625]), array([0.375]))
    """

    p: float | None = option(number(0, 1 - 1e-12))
    rel: float | None = option(number())
    grades: str | None = option(choice("binary", "labels", "scaled"))

    def plan(self) -> Plan:
        assert self.p is not None
        assert self.rel is not None
        gain = gains.Binary(self.rel) if self.grades in (None, "binary") else gains.Linear()
        denominator = "highest_label" if self.grades == "scaled" else "none"
        return self._plan("sum", gain, denominator, discount=Persistence(self.p))


def ndcg(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    cutoff: int | float | str | cutoffs.Cutoff | None = None,
) -> Floats:
    """Compute NDCG under idealrank's own convention, one value per query: short for ``measures.NDCG(cutoff=cutoff)``.

    Parameters
    ----------
    labels, scores : array-like
        The relevance and the score of each document; higher scores are ranked first.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
    cutoff : int, float, str or Cutoff, optional
        How many ranks count: 10, 0.2 or "20%", "n^0.5"; None means all of them.

    Returns
    -------
    ndarray of shape (n_queries,)

    Examples
    --------
    >>> ndcg([1, 0, 1, 2], [0.3, 0.2, 0.1, 0.9], offsets=[0, 2, 4], cutoff=10)
    array([1., 1.])
    """
    return NDCG(cutoff=cutoff)(labels, scores, offsets)

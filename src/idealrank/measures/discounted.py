"""Measures that sum gains times discounts: DCG, NDCG, linear NDCG, RBP, and NDCG at other cutoffs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from idealrank._names.options import choice, number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.measures import cutoffs, discounts, gains, ranked_labels
from idealrank.measures.measure_base import (
    Measure,
    Plan,
    discount_option,
    empty_value,
    gain_option,
    kernel_ties,
    lowest_dcg,
    run,
)
from idealrank.measures.measure_names import register
from idealrank.measures.ranked_labels import Graded


@register("dcg")
class DCG(Measure):
    """DCG = sum_r G(label at rank r) D(r) (Wang et al. 2013, eq. (1)).

    Parameters
    ----------
    gain : str or Gain, optional
        The gain G of a label; by default, 2^label - 1.
    discount : str or Discount, optional
        The weight D(r) of a rank r; by default, 1/log2(1 + r).

    Examples
    --------
    Labels 2, 0, 1 in rank order, gain 2^l - 1: 3/log2(2) + 0 + 1/log2(4) = 3.5.

    >>> from idealrank.measures import DCG
    >>> DCG()([2, 0, 1], [0.9, 0.8, 0.7])
    array([3.5])
    """

    gain: Any = gain_option
    discount: Any = discount_option

    @property
    def value_range(self) -> tuple[float, float]:
        return (lowest_dcg(self.gain, self.discount), math.inf)

    def plan(self) -> Plan:
        return self._plan("sum", self.gain, discount=self.discount)


@register("ndcg", "ndcg_cut")
class NDCG(Measure):
    """NDCG = DCG / ideal DCG (Wang et al. 2013, eq. (2)); with a cutoff, both count only the first k ranks.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, 2^label - 1.
    discount : str or Discount, optional
        The weight of a rank r; by default, 1/log2(1 + r).
    ideal : {"judged", "retrieved", "full"}, optional
        The documents of the ideal ranking: all judged ones (the default), only the retrieved ones, or k documents with
        gain 1. A run need not retrieve what is judged, so its ideal leaves out judged documents with negative gains.
    short : {"as is", "zero"}, optional
        The value of a query with fewer than k documents: computed as usual (the default), or 0, like the LETOR 4.0
        script.
    ideal_cut : {"cutoff", "shorter", "retrieved", "whole"}, optional
        Where the ideal ranking of the judged or retrieved documents ends: at the cutoff ("cutoff", the default); at the
        cutoff or the number of retrieved documents, whichever is smaller ("shorter", like MLflow and Elasticsearch); at
        the number of retrieved documents ("retrieved", like OpenSearch); or at its last document ("whole", like
        Quepid).
    negative_ideal : {"empty", "divide"}, optional
        What to do if negative gains make the ideal DCG negative: treat the query as one with no relevant document
        ("empty", the default), or divide by it.

    Examples
    --------
    Labels 1, 2 in rank order: (1 + 3/log2(3)) / (3 + 1/log2(3)) = 0.79670...

    >>> from idealrank.measures import NDCG
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

    @property
    def value_range(self) -> tuple[float, float]:
        is_bounded = self.ideal != "full" or isinstance(self.gain, gains.Binary)
        return (lowest_dcg(self.gain, self.discount), 1.0 if is_bounded else math.inf)

    def _without_effect(self) -> dict[str, str]:
        return dict.fromkeys(("ideal_cut", "negative_ideal"), "with ideal=full") if self.ideal == "full" else {}

    def plan(self) -> Plan:
        cut = "" if self.ideal_cut in (None, "cutoff") else f"_{self.ideal_cut}"
        denominator = "full" if self.ideal == "full" else f"ideal{cut}"
        special = {
            "zero_if_short": self.short == "zero",
            "negative_ideal": self.negative_ideal == "divide",
        }
        return self._plan("sum", self.gain, denominator, discount=self.discount, **special)


@register("linear_ndcg", "lndcg")
class LinearNDCG(Measure):
    """NDCG with the discount n - r for a list of n documents (Jin and Geng 2013, eq. (1)).

    1 - linear NDCG is the number of misordered pairs, each weighted by the difference of its labels, divided by the
    ideal DCG.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, the label itself.
    ideal : {"judged", "retrieved"}, optional
        The documents of the ideal ranking: all judged ones (the default), or only the retrieved ones.

    Examples
    --------
    Labels 1, 2, 0, 0, 1 in rank order: (1 * 4 + 2 * 3 + 1 * 0) / (2 * 4 + 1 * 3 + 1 * 2) = 10/13.

    >>> from idealrank.measures import LinearNDCG
    >>> LinearNDCG()([1, 2, 0, 0, 1], [5, 4, 3, 2, 1])
    array([0.76923077])
    """

    gain: Any = gain_option
    ideal: str | None = option(choice("judged", "retrieved"))

    @property
    def value_range(self) -> tuple[float, float]:
        return (lowest_dcg(self.gain), 1.0)

    def plan(self) -> Plan:
        return self._plan("sum", self.gain, "ideal", discount=discounts.Linear())


@dataclass(frozen=True)
class Persistence(discounts.Discount):
    """D(r) = (1 - p) p^(r - 1)."""

    decreases = True
    p: float

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return (1 - self.p) * self.p ** (np.asarray(ranks, np.float64) - 1)

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        weights = self(positions)
        return weights, (math.log(self.p) if self.p > 0 else 0.0) * weights


@register("rbp")
class RBP(Measure):
    """Rank-biased precision, (1 - p) sum_r p^(r - 1) g_r (Moffat and Zobel 2008).

    Parameters
    ----------
    p : float, optional
        The persistence: the probability that a user continues to the next rank; by default, 0.8.
    rel : float, optional
        The lowest label of a relevant document, for binary grades; by default, 1.
    grades : {"binary", "labels", "scaled"}, optional
        The gain g of a document: 1 if it is relevant ("binary", the default); its label ("labels"), so that the value
        can exceed 1; or its label divided by the highest label of the query if that is above 1 ("scaled").

    Examples
    --------
    Relevant at ranks 1 and 3, p = 0.5: 0.5 (1 + 0.25) = 0.625.

    >>> from idealrank.measures import RBP
    >>> RBP(p=0.5)([1, 0, 2], [3, 2, 1]), RBP(p=0.5, grades="scaled")([1, 0, 2], [3, 2, 1])
    (array([0.625]), array([0.375]))
    """

    p: float | None = option(number(0, 1 - 1e-12))
    rel: float | None = option(number())
    grades: str | None = option(choice("binary", "labels", "scaled"))

    @property
    def value_range(self) -> tuple[float, float]:
        return (0.0, math.inf if self.grades == "labels" else 1.0)

    def _without_effect(self) -> dict[str, str]:
        return {} if self.grades in (None, "binary") else {"rel": f"with grades={self.grades}"}

    def plan(self) -> Plan:
        assert self.p is not None
        gain = gains.Linear() if self.rel is None else gains.Binary(self.rel)
        denominator = "highest_label" if self.grades == "scaled" else "none"
        return self._plan("sum", gain, denominator, discount=Persistence(self.p))


def ndcg(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    cutoff: int | float | str | cutoffs.Cutoff | None = None,
) -> Floats:
    """Compute NDCG with idealrank's own convention, one value per query; short for ``measures.NDCG(cutoff=cutoff)``.

    Parameters
    ----------
    labels, scores : array-like
        The label and the score of each document; higher scores rank first.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count: 10, 0.2 or "20%", "n^0.5"; None means all ranks.

    Returns
    -------
    float64 array of shape (n_queries,)
        The NDCG of each query.

    Raises
    ------
    DataError
        If the lengths of the arrays do not match, or a label or score is not valid.
    OptionError
        If the cutoff is not valid.

    Examples
    --------
    >>> from idealrank import ndcg
    >>> ndcg([1, 0, 1, 2], [0.3, 0.2, 0.1, 0.9], offsets=[0, 2, 4], cutoff=10)
    array([1., 1.])
    """
    return NDCG(cutoff=cutoff)(labels, scores, offsets)


class _Graded(Measure):
    """A measure of graded gains that is computed from rankings. Gains below 0 count as 0.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, 2^label - 1.
    ideal : {"judged", "retrieved"}, optional
        The documents of the ideal ranking: all judged ones (the default), or only the retrieved ones.
    """

    gain: Any = gain_option
    ideal: str | None = option(choice("judged", "retrieved"))
    _value_range = (0.0, 1.0)

    without = frozenset({"cutoff"})
    refused_ties: ClassVar[tuple[str, ...]] = ("average",)

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        filled.plan()
        assert filled.ideal is not None
        run([Plan("sum", filled.gain)], lists, kernel_ties(filled))  # checks the labels and their gains
        graded = Graded.of(lists, kernel_ties(filled), filled.gain, filled.ideal)
        return np.where(graded.ideal.sizes > 0, filled._value(graded), empty_value(filled))

    def _value(self, graded: Graded) -> Floats:
        """Return one value per query."""
        raise NotImplementedError


@register("g", "gain_over_cost")
class GainOverCost(_Graded):
    """trec_eval's G: the sum of gain / log2(2 + cost so far - gain so far), divided by the sum of all gains.

    The cost of a rank is the gain of the ideal ranking at this rank, and at least 1.

    Examples
    --------
    Labels 0, 1 in rank order: at rank 2 the cost exceeds the gain by 1, so 1 / log2(2 + 1).

    >>> from idealrank.measures import GainOverCost
    >>> GainOverCost(gain="linear", ties="stable")([0, 1], [2, 1])
    array([0.63092975])
    """

    refused_ties = ("average", "best", "worst")

    def _value(self, graded: Graded) -> Floats:
        return ranked_labels.gain_over_cost(graded)


@register("ndcg_rel", "ndcg_at_relevant")
class NDCGAtRelevant(_Graded):
    """The mean of NDCG at the ranks of documents with a gain, or at the end of the list for those not retrieved.

    Examples
    --------
    The only document with a gain is at rank 2: NDCG@2 = 1 / log2(3).

    >>> from idealrank.measures import NDCGAtRelevant
    >>> NDCGAtRelevant(gain="linear", ties="stable")([0, 1], [2, 1])
    array([0.63092975])
    """

    def _value(self, graded: Graded) -> Floats:
        return ranked_labels.ndcg_at_relevant(graded)


@register("rndcg", "ndcg_at_falls")
class NDCGAtFalls(_Graded):
    """trec_eval's Rndcg: the mean of NDCG at the ranks after which the gain of the ideal ranking decreases.

    If the list is longer than the ideal ranking, its end counts too, unless it is longer by only one document.

    Examples
    --------
    The gains of the ideal ranking are 2, 1, and decrease after ranks 1 and 2: the mean of NDCG@1 = 1/2 and NDCG@2.

    >>> from idealrank.measures import NDCGAtFalls
    >>> NDCGAtFalls(gain="linear", ties="stable")([1, 2], [2, 1])
    array([0.67985935])
    """

    def _value(self, graded: Graded) -> Floats:
        return ranked_labels.ndcg_at_falls(graded)


@register("ideal_dcg", "idcg")
class IdealDCG(Measure):
    """The DCG of the ideal ranking, the divisor of NDCG.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, 2^label - 1.
    discount : str or Discount, optional
        The weight of a rank r; by default, 1/log2(1 + r).
    ideal : {"judged", "retrieved"}, optional
        The documents of the ideal ranking: all judged ones (the default), or only the retrieved ones.

    Examples
    --------
    Labels 2, 1, 0: 3/log2(2) + 1/log2(3).

    >>> from idealrank.measures import IdealDCG
    >>> IdealDCG()([0, 1, 2], [3, 2, 1])
    array([3.63092975])
    """

    gain: Any = gain_option
    discount: Any = discount_option
    ideal: str | None = option(choice("judged", "retrieved"))

    without = frozenset({"ties"})
    missing_value = None

    @property
    def value_range(self) -> tuple[float, float]:
        return (lowest_dcg(self.gain, self.discount), math.inf)

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        return run([filled._plan("ideal", filled.gain, discount=filled.discount)], lists, "stable").reshape(-1)

"""Measures of binary relevance, and the fractions of judged and of tied documents."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from idealrank._names.options import choice, number, option
from idealrank.measures import gains
from idealrank.measures.measure_base import Measure, Plan
from idealrank.measures.measure_names import register


class Relevance(Measure):
    """A measure of binary relevance.

    Parameters
    ----------
    rel : float, optional
        The lowest label of a relevant document; by default, 1.
    ideal : {"judged", "retrieved"}, optional
        The documents among which the relevant ones are counted: all judged ones (the default), or only the retrieved
        ones.
    """

    rel: float | None = option(number())
    ideal: str | None = option(choice("judged", "retrieved"))
    _value_range = (0.0, 1.0)


class PlannedRelevance(Relevance):
    """A measure of binary relevance that the native core computes."""

    #: What the native core sums up, and what it divides the sum by.
    reduction: ClassVar[str] = "sum"
    divisor: ClassVar[str] = "relevant"

    def plan(self) -> Plan:
        assert self.rel is not None
        return self._plan(self.reduction, gains.Binary(self.rel), self.divisor, rel=self.rel)


@register("p", "precision", "prec", "set_p")
class Precision(PlannedRelevance):
    """P@k: the number of relevant documents among the first k, divided by k; without a cutoff, relevant / retrieved.

    Parameters
    ----------
    denominator : {"cutoff", "retrieved"}, optional
        The divisor if fewer than k documents are ranked: k ("cutoff", the default), or the number of ranked documents.
    short : {"as is", "zero"}, optional
        The value of a query with fewer than k documents: computed as usual (the default), or 0, like the LETOR 3.0
        script.

    Examples
    --------
    >>> from idealrank.measures import Precision
    >>> Precision(cutoff=2)([0, 1, 1], [3, 2, 1])
    array([0.5])
    """

    denominator: str | None = option(choice("cutoff", "retrieved"))
    short: str | None = option(choice("as is", "zero"))

    def plan(self) -> Plan:
        divisor = "retrieved" if self.cutoff is None else self.denominator or "cutoff"
        return dataclasses.replace(super().plan(), denominator=divisor, zero_if_short=self.short == "zero")


@register("recall", "r", "set_recall", "set_r")
class Recall(PlannedRelevance):
    """Recall@k: the number of relevant documents among the first k, divided by the number of relevant documents.

    Examples
    --------
    >>> from idealrank.measures import Recall
    >>> Recall(cutoff=2)([0, 1, 1], [3, 2, 1])
    array([0.5])
    """


@register("f1", "f")
class F1(PlannedRelevance):
    """F1@k = 2 P R / (P + R) = 2 hits / (k + relevant); without a cutoff, k is the number of retrieved documents.

    Examples
    --------
    >>> from idealrank.measures import F1
    >>> F1(cutoff=2)([0, 1, 1, 1], [4, 3, 2, 1])
    array([0.4])
    """

    divisor = "harmonic"


@register("r_precision", "rprec")
class RPrecision(PlannedRelevance):
    """Precision at rank R, the number of relevant documents.

    Examples
    --------
    >>> from idealrank.measures import RPrecision
    >>> RPrecision()([1, 0, 1], [3, 2, 1])
    array([0.5])
    """

    without = frozenset({"cutoff"})

    def plan(self) -> Plan:
        return dataclasses.replace(super().plan(), cutoff="relevant")


@register("hit_rate", "success", "hit", "hits")
class HitRate(PlannedRelevance):
    """1 if a relevant document is among the first k, otherwise 0; also called success@k.

    Examples
    --------
    >>> from idealrank.measures import HitRate
    >>> HitRate(cutoff=2)([0, 0, 1], [3, 2, 1]), HitRate(cutoff=2)([0, 1, 0], [3, 2, 1])
    (array([0.]), array([1.]))
    """

    reduction, divisor = "any", "none"


@register("rr", "mrr", "recip_rank", "reciprocal_rank")
class RR(PlannedRelevance):
    """The reciprocal rank of the first relevant document; 0 if it is beyond the cutoff.

    Examples
    --------
    >>> from idealrank.measures import RR
    >>> RR()([0, 0, 1], [3, 2, 1])
    array([0.33333333])
    """

    reduction, divisor = "first", "none"


@register("ap", "map", "map_cut", "average_precision")
class AP(PlannedRelevance):
    """Average precision: the sum of the precisions at the ranks of relevant documents, divided by their number.

    Parameters
    ----------
    denominator : {"relevant", "reachable", "hits"}, optional
        The divisor: the number R of all relevant documents (the default); min(R, k); or the number of relevant
        documents found. They differ only with a cutoff, or if some relevant documents are not retrieved.

    Examples
    --------
    Relevant at ranks 1, 3 and 4: (1/1 + 2/3 + 3/4) / 3 = 0.80555...

    >>> from idealrank.measures import AP
    >>> AP()([1, 0, 1, 1], [4, 3, 2, 1])
    array([0.80555556])
    """

    denominator: str | None = option(choice("relevant", "reachable", "hits"))
    reduction = "precision_mean"

    def plan(self) -> Plan:
        if self.denominator == "hits":
            self._refuse_ties("average", what="AP divided by hits")
        return dataclasses.replace(super().plan(), denominator=self.denominator or "relevant")


@register("bpref")
class Bpref(PlannedRelevance):
    """The mean over relevant documents of 1 - (judged non-relevant documents above it, at most R) / min(R, N).

    Here R is the number of relevant documents, and N the number of judged non-relevant ones (Buckley and Voorhees 2004,
    as computed by trec_eval). Unjudged documents do not count. There is no closed form for averaged ties: choose
    another value of ``ties``.

    Examples
    --------
    >>> from idealrank.measures import Bpref
    >>> Bpref(ties="stable")([1, 0, 1, 0], [4, 3, 2, 1])
    array([0.75])
    """

    without = frozenset({"cutoff", "judged_only"})
    reduction = "preference"

    def plan(self) -> Plan:
        self._refuse_ties("average", what="bpref")
        return dataclasses.replace(super().plan(), gain="preference")


@register("err")
class ERR(Measure):
    """Expected reciprocal rank: sum_r (1/r) g_r prod_{i<r} (1 - g_i), g = (2^l - 1) / 2^max_label.

    Parameters
    ----------
    max_label : float, optional
        The highest label of the scale; by default, 4.

    References
    ----------
    Chapelle et al. 2009, Expected Reciprocal Rank for Graded Relevance.

    Examples
    --------
    Labels 1, 1 on a scale from 0 to 1, so g = 1/2: 1/2 + (1/2)(1/2)(1/2) = 0.625.

    >>> from idealrank.measures import ERR
    >>> ERR(max_label=1)([1, 1], [2, 1])
    array([0.625])
    """

    max_label: float | None = option(number(0, 60))
    _value_range = (0.0, 1.0)

    def plan(self) -> Plan:
        assert self.max_label is not None
        return self._plan("cascade", gains.Exp2(), rel=self.max_label, scale=2**-self.max_label)


@register("judged")
class Judged(Measure):
    """The fraction of judged documents among the first k, or among all documents if the list is shorter.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.measures import Judged
    >>> Judged()([np.nan, 1], [2, 1], judged=([1], [0, 1]))
    array([0.5])
    """

    without = frozenset({"empty", "judged_only"})
    _value_range = (0.0, 1.0)

    def plan(self) -> Plan:
        return Plan("sum", "judged", "retrieved", cutoff=self.cutoff)


@register("tied")
class Tied(Measure):
    """The fraction of the first k documents that share their score with another document.

    It shows how much the order of ties matters.

    Examples
    --------
    >>> from idealrank.measures import Tied
    >>> Tied()([1, 0, 0, 2], [3, 2, 2, 1])
    array([0.5])
    """

    without = frozenset({"empty", "ties"})
    _value_range = (0.0, 1.0)

    def plan(self) -> Plan:
        return Plan("tied", "judged", "retrieved", cutoff=self.cutoff)

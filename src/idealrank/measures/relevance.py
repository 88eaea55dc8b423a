"""Measures for which a document is relevant, from a label on, or not; and the share of judged documents."""

from __future__ import annotations

from dataclasses import dataclass

from idealrank._base.options import choice, number, option
from idealrank.errors import OptionError
from idealrank.measures import gains
from idealrank.measures.base import Measure, empty_value
from idealrank.measures.names import register
from idealrank.measures.plan import Plan

__all__ = ["AP", "ERR", "F1", "RR", "Bpref", "HitRate", "Judged", "Precision", "RPrecision", "Recall", "Tied"]


@dataclass(frozen=True, kw_only=True, repr=False)
class _Relevance(Measure):
    """A document is relevant from the label ``rel`` on; R counts those "judged" or, by ``ideal``, "retrieved"."""

    rel: float | None = option(number())
    ideal: str | None = option(choice("judged", "retrieved"))

    def _plan(
        self, reduction: str, denominator: str, *, cutoff: object = ..., gain: gains.Gain | str | None = None
    ) -> Plan:
        assert self.rel is not None
        return Plan(
            reduction,
            gain or gains.Binary(self.rel),
            denominator,
            cutoff=self.cutoff if cutoff is ... else cutoff,  # type: ignore[arg-type]
            rel=self.rel,
            empty=empty_value(self),
            ideal_retrieved=self.ideal == "retrieved",
        )


@register("p", "precision", "prec")
@dataclass(frozen=True, kw_only=True, repr=False)
class Precision(_Relevance):
    """P@k = relevant among the first k / k; without a cut-off, relevant / retrieved.

    ``denominator``: "cutoff" divides by k even where fewer documents are ranked, "retrieved" by the number there are.

    >>> Precision(cutoff=2)([0, 1, 1], [3, 2, 1])
    array([0.5])
    """

    denominator: str | None = option(choice("cutoff", "retrieved"))

    def plan(self) -> Plan:
        return self._plan("sum", "retrieved" if self.cutoff is None else self.denominator or "cutoff")


@register("recall", "r")
@dataclass(frozen=True, kw_only=True, repr=False)
class Recall(_Relevance):
    """Recall@k = relevant among the first k / relevant.

    >>> Recall(cutoff=2)([0, 1, 1], [3, 2, 1])
    array([0.5])
    """

    def plan(self) -> Plan:
        return self._plan("sum", "relevant")


@register("f1", "f")
@dataclass(frozen=True, kw_only=True, repr=False)
class F1(_Relevance):
    """F1@k = 2 P R / (P + R) = 2 hits / (k + relevant); without a cut-off k is the number retrieved.

    >>> F1(cutoff=2)([0, 1, 1, 1], [4, 3, 2, 1])
    array([0.4])
    """

    def plan(self) -> Plan:
        return self._plan("sum", "harmonic")


@register("r_precision", "rprec")
@dataclass(frozen=True, kw_only=True, repr=False)
class RPrecision(_Relevance):
    """Precision at rank R, the number of relevant documents.

    >>> RPrecision()([1, 0, 1], [3, 2, 1])
    array([0.5])
    """

    without = frozenset({"cutoff"})

    def plan(self) -> Plan:
        return self._plan("sum", "relevant", cutoff="relevant")


@register("hit_rate", "success", "hit", "hits")
@dataclass(frozen=True, kw_only=True, repr=False)
class HitRate(_Relevance):
    """1 where a relevant document is among the first k, else 0; also called success@k.

    >>> HitRate(cutoff=2)([0, 0, 1], [3, 2, 1]), HitRate(cutoff=2)([0, 1, 0], [3, 2, 1])
    (array([0.]), array([1.]))
    """

    def plan(self) -> Plan:
        return self._plan("any", "none")


@register("rr", "mrr", "recip_rank", "reciprocal_rank")
@dataclass(frozen=True, kw_only=True, repr=False)
class RR(_Relevance):
    """Reciprocal rank of the first relevant document, 0 beyond the cut-off.

    >>> RR()([0, 0, 1], [3, 2, 1])
    array([0.33333333])
    """

    def plan(self) -> Plan:
        return self._plan("first", "none")


@register("ap", "map", "map_cut", "average_precision")
@dataclass(frozen=True, kw_only=True, repr=False)
class AP(_Relevance):
    """Average precision: sum of the precisions at the ranks of relevant documents, divided.

    ``denominator``: by all "relevant" documents R; by "reachable", min(R, k); or by "hits", those found. They differ
    only where there is a cut-off or not everything is retrieved.

    Relevant at ranks 1, 3 and 4: (1/1 + 2/3 + 3/4) / 3 = 0.80555...

    >>> AP()([1, 0, 1, 1], [4, 3, 2, 1])
    array([0.80555556])
    """

    denominator: str | None = option(choice("relevant", "reachable", "hits"))

    def plan(self) -> Plan:
        if self.denominator == "hits" and self.ties == "average":
            takes = "stable, reverse, best, worst, docid_desc, docid_asc"
            raise OptionError(f"no closed form averages AP divided by hits over ties; it takes ties = {takes}")
        return self._plan("precision_mean", self.denominator or "relevant")


@register("bpref")
@dataclass(frozen=True, kw_only=True, repr=False)
class Bpref(_Relevance):
    """Mean over relevant documents of 1 - (judged non-relevant ones above it, at most R) / min(R, N).

    Buckley and Voorhees 2004, as trec_eval computes it: R relevant, N judged otherwise. Unjudged documents do not
    count. With averaged ties there is no closed form: name another ``ties``.

    >>> Bpref(ties="stable")([1, 0, 1, 0], [4, 3, 2, 1])
    array([0.75])
    """

    without = frozenset({"cutoff"})

    def plan(self) -> Plan:
        if self.ties == "average":
            takes = "stable, reverse, best, worst, docid_desc, docid_asc"
            raise OptionError(f"no closed form averages bpref over ties; it takes ties = {takes}")
        return self._plan("preference", "relevant", gain="preference")


@register("err")
@dataclass(frozen=True, kw_only=True, repr=False)
class ERR(Measure):
    """Expected reciprocal rank: sum_r (1/r) g_r prod_{i<r} (1 - g_i), g = (2^l - 1) / 2^max_label.

    Chapelle et al. 2009. Labels 1, 1 of at most 1, g = 1/2: 1/2 + (1/2)(1/2)(1/2) = 0.625.

    >>> ERR(max_label=1)([1, 1], [2, 1])
    array([0.625])
    """

    max_label: float | None = option(number(0, 60))

    def plan(self) -> Plan:
        assert self.max_label is not None
        scale, empty = 2**-self.max_label, empty_value(self)
        return Plan("cascade", gains.Exp2(), cutoff=self.cutoff, rel=self.max_label, scale=scale, empty=empty)


@register("judged")
@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Measure):
    """Share of judged documents among the first k ranked (fewer where the list is shorter).

    >>> import numpy as np
    >>> Judged()([np.nan, 1], [2, 1], judged=([1], [0, 1]))
    array([0.5])
    """

    without = frozenset({"empty"})

    def plan(self) -> Plan:
        return Plan("sum", "judged", "retrieved", cutoff=self.cutoff)


@register("tied")
@dataclass(frozen=True, kw_only=True, repr=False)
class Tied(Measure):
    """Share of documents among the first k ranked whose score another document has too: how much the tie rule matters.

    >>> Tied()([1, 0, 0, 2], [3, 2, 2, 1])
    array([0.5])
    """

    without = frozenset({"empty", "ties"})

    def plan(self) -> Plan:
        return Plan("tied", "judged", "retrieved", cutoff=self.cutoff)

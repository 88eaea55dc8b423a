"""Measures of trec_eval that look at recall levels, unjudged documents, or the retrieved documents as a set.

Those that are no sum over ranks are computed from `RankedLabels`, by formulas that the trec_eval command uses too.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from idealrank._names.options import choice, number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.measures import ranked_labels
from idealrank.measures.discounted import Persistence
from idealrank.measures.measure_base import LEAST_IN_LOGARITHM, Measure, Plan, empty_value, kernel_ties, run
from idealrank.measures.measure_names import register
from idealrank.measures.ranked_labels import RankedLabels, ratio
from idealrank.measures.relevance import AP, Bpref, PlannedRelevance, Relevance

_RECALLS = tuple(tenth / 10 for tenth in range(11))


class RankedRelevance(Relevance):
    """A measure of binary relevance that is computed from rankings.

    There is no closed form for averaged ties: choose another value of ``ties``. Among equal scores, "best" ranks
    relevant documents first, and "worst" ranks them last.
    """

    without = frozenset({"cutoff"})
    refused_ties: ClassVar[tuple[str, ...]] = ("average",)

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        filled.plan()
        ties = kernel_ties(filled) if "ties" in self.options() else "stable"
        run([], lists, ties)  # checks the labels
        rankings = RankedLabels.binary(lists, ties, 1.0 if filled.rel is None else filled.rel, filled.ideal or "judged")
        values = filled._value(rankings)
        return np.where(rankings.n_relevant > 0, values, empty_value(filled)) if "empty" in self.options() else values

    def _value(self, rankings: RankedLabels) -> Floats:
        """Return one value per query."""
        raise NotImplementedError


@register("inf_ap", "inferred_ap")
class InferredAP(RankedRelevance):
    """Average precision, estimated from judgments of a sample of the pool (Yilmaz and Aslam 2006).

    In the judgments, a document that is in the pool but was not judged has a negative label. Documents without a label
    are not in the pool, and count as not relevant.

    Examples
    --------
    If all documents are judged, it is average precision except for a term of 1e-5: (1/1 + 2/3) / 2.

    >>> from idealrank.measures import InferredAP
    >>> InferredAP(ties="stable")([1, 0, 1], [3, 2, 1]).round(4)
    array([0.8333])
    """

    def _value(self, rankings: RankedLabels) -> Floats:
        return ranked_labels.inferred_ap(rankings)


@register("iprec_at_recall", "iprec", "interpolated_precision")
class InterpolatedPrecision(RankedRelevance):
    """Interpolated precision: the highest precision at any rank where recall is at least ``recall``.

    Parameters
    ----------
    recall : float, optional
        The recall level; by default, 0.5.
    rounding : {"up", "nearest"}, optional
        How the number of relevant documents at this recall is rounded: "up" (the default) is floor(recall R + 0.9), as
        in trec_eval 9; "nearest" rounds as trec_eval 10 does.

    Examples
    --------
    >>> from idealrank.measures import InterpolatedPrecision
    >>> InterpolatedPrecision(recall=1, ties="stable")([1, 0, 1], [3, 2, 1])
    array([0.66666667])
    """

    recall: float | None = option(number(0, 1))
    rounding: str | None = option(choice("up", "nearest"))

    def _value(self, rankings: RankedLabels) -> Floats:
        assert self.recall is not None
        assert self.rounding is not None
        return ranked_labels.interpolated_precision(rankings, self.recall, self.rounding)


@register("eleven_point", "eleven_point_average")
class ElevenPoint(RankedRelevance):
    """The mean of the interpolated precision at the recall levels 0, 0.1, ..., 1; trec_eval's 11pt_avg.

    Parameters
    ----------
    rounding : {"up", "nearest"}, optional
        How numbers of relevant documents are rounded, as in `InterpolatedPrecision`.

    Examples
    --------
    The highest precision is 1 up to a recall of 1/2, and 2/3 beyond: (6 + 5 * 2/3) / 11.

    >>> from idealrank.measures import ElevenPoint
    >>> ElevenPoint(ties="stable")([1, 0, 1], [3, 2, 1])
    array([0.84848485])
    """

    rounding: str | None = option(choice("up", "nearest"))

    def _value(self, rankings: RankedLabels) -> Floats:
        assert self.rounding is not None
        at_recalls = [ranked_labels.interpolated_precision(rankings, recall, self.rounding) for recall in _RECALLS]
        mean: Floats = np.mean(at_recalls, axis=0)
        return mean


@register("rprec_mult", "r_precision_multiple")
class RPrecisionMultiple(RankedRelevance):
    """Precision at rank floor(multiple R + 0.9), where R is the number of relevant documents.

    Parameters
    ----------
    multiple : float, optional
        The multiple of R; by default, 1, which gives R-precision.

    Examples
    --------
    >>> from idealrank.measures import RPrecisionMultiple
    >>> RPrecisionMultiple(multiple=2, ties="stable")([1, 0, 0, 0, 1], [5, 4, 3, 2, 1])
    array([0.25])
    """

    multiple: float | None = option(number(0, 1e9))

    def _value(self, rankings: RankedLabels) -> Floats:
        assert self.multiple is not None
        return ranked_labels.r_precision_at(rankings, self.multiple)


@register("bin_g", "binary_gain")
class BinaryGain(RankedRelevance):
    """The mean over relevant documents of 1 / log2(2 + non-relevant documents above it); trec_eval's binG.

    Examples
    --------
    >>> from idealrank.measures import BinaryGain
    >>> BinaryGain(ties="stable")([1, 0, 0, 1], [4, 3, 2, 1])
    array([0.75])
    """

    def _value(self, rankings: RankedLabels) -> Floats:
        return ranked_labels.binary_gain(rankings)


@register("yaap")
class YAAP(RankedRelevance):
    """Yet another AP, log((1 + s) / (1 + R - s)) with s = R AP (Robertson 2012). It may be negative.

    Examples
    --------
    >>> from idealrank.measures import YAAP
    >>> YAAP(ties="stable")([1, 0], [2, 1])
    array([0.69314718])
    """

    _value_range = (-math.inf, math.inf)

    def _value(self, rankings: RankedLabels) -> Floats:
        return ranked_labels.yaap(rankings)


class _Log(Relevance):
    """The logarithm of a measure, whose mean over queries is the logarithm of a geometric mean.

    ``empty`` is the value before the logarithm. There is no closed form for averaged ties: choose another value of
    ``ties``.
    """

    without = frozenset({"cutoff"})
    missing_value = math.log(LEAST_IN_LOGARITHM)
    _value_range = (math.log(LEAST_IN_LOGARITHM), 0.0)
    refused_ties: ClassVar[tuple[str, ...]] = ("average",)

    def _logs(self, of: type[PlannedRelevance], lists: Lists) -> Floats:
        filled = self.with_convention()
        filled.plan()
        plan = of(empty=filled.empty, rel=filled.rel, ideal=filled.ideal, ties=filled.ties).with_convention().plan()
        logs: Floats = np.log(np.maximum(run([plan], lists, kernel_ties(filled))[0], LEAST_IN_LOGARITHM))
        return logs


@register("log_ap", "log_map")
class LogAP(_Log):
    """log(max(AP, 1e-5)): the exponential of its mean over queries is trec_eval's gm_map.

    Use it to compare geometric means: a difference of means of the logarithm is the logarithm of a ratio of geometric
    means, and intervals and tests apply to it.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.measures import LogAP
    >>> np.exp(LogAP(ties="stable")([0, 1], [2, 1]))
    array([0.5])
    """

    def values(self, lists: Lists) -> Floats:
        return self._logs(AP, lists)


@register("log_bpref")
class LogBpref(_Log):
    """log(max(bpref, 1e-5)): the exponential of its mean over queries is trec_eval's gm_bpref.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.measures import LogBpref
    >>> np.exp(LogBpref(ties="stable")([1, 0, 1, 0], [4, 3, 2, 1]))
    array([0.75])
    """

    without = Bpref.without

    def values(self, lists: Lists) -> Floats:
        return self._logs(Bpref, lists)


@register("gm_map", "gm_ap")
class GeometricAP(PlannedRelevance):
    """Average precision whose mean over queries is geometric; values below 0.00001 count as 0.00001.

    The interval is computed for the mean logarithm, and its bounds are transformed back. To compare systems, use
    `LogAP`.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> round(evaluate([0, 1, 1, 0], [4, 3, 2, 1], "gm_map", offsets=[0, 2, 4]).mean["gm_map"], 4)
    0.7071
    """

    without = frozenset({"cutoff"})
    aggregate = "geometric"
    reduction = "precision_mean"


@register("gm_bpref")
class GeometricBpref(Bpref):
    """Bpref whose mean over queries is geometric; values below 0.00001 count as 0.00001.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> found = evaluate([1, 0, 0, 1], [4, 3, 2, 1], "gm_bpref(ties=stable)", offsets=[0, 2, 4])
    >>> round(found.mean["gm_bpref(ties=stable)"], 6)  # sqrt(1 * 0.00001)
    0.003162
    """

    aggregate = "geometric"


@register("set_f")
class SetF(RankedRelevance):
    """F-measure of the retrieved documents as a set, (x + 1) P R / (R + x P) for a weight x.

    Parameters
    ----------
    weight : float, optional
        The weight x of recall; by default, 1, which gives F1.

    Examples
    --------
    A precision of 2/3 and a recall of 1/2: (3 * 2/3 * 1/2) / (1/2 + 2 * 2/3).

    >>> from idealrank.measures import SetF
    >>> SetF(weight=2)([1, 0, 1], [3, 2, 1], judged=([1, 0, 1, 1, 1], [0, 5]))
    array([0.54545455])
    """

    weight: float | None = option(number(0))

    without = frozenset({"cutoff", "ties"})

    def _value(self, rankings: RankedLabels) -> Floats:
        assert self.weight is not None
        return ranked_labels.f_measure(rankings, self.weight)


@register("set_map", "set_ap")
class SetMAP(RankedRelevance):
    """Precision times recall of the retrieved documents as a set.

    Examples
    --------
    >>> from idealrank.measures import SetMAP
    >>> SetMAP()([1, 0, 1], [3, 2, 1], judged=([1, 0, 1, 1], [0, 4]))
    array([0.44444444])
    """

    without = frozenset({"cutoff", "ties"})

    def _value(self, rankings: RankedLabels) -> Floats:
        return ranked_labels.set_map(rankings)


@register("set_relative_p", "set_relative_precision")
class SetRelativePrecision(RankedRelevance):
    """The number of relevant retrieved documents, divided by its largest possible value, min(retrieved, R).

    Examples
    --------
    >>> from idealrank.measures import SetRelativePrecision
    >>> SetRelativePrecision()([0, 1, 1], [3, 2, 1], judged=([0, 1, 1, 1, 1], [0, 5]))
    array([0.66666667])
    """

    without = frozenset({"cutoff", "ties"})

    def _value(self, rankings: RankedLabels) -> Floats:
        return ranked_labels.set_relative_precision(rankings)


@register("utility")
class Utility(RankedRelevance):
    """A weighted sum of the numbers of relevant retrieved, other retrieved, and relevant documents not retrieved.

    A query without relevant documents has a value too.

    Parameters
    ----------
    hit, false_alarm, miss : float, optional
        The three weights; by default, 1, -1 and 0.

    Examples
    --------
    >>> from idealrank.measures import Utility
    >>> Utility()([1, 0, 1], [3, 2, 1]), Utility(hit=3, false_alarm=-2)([1, 0, 1], [3, 2, 1])
    (array([1.]), array([4.]))
    """

    hit: float | None = option(number())
    false_alarm: float | None = option(number())
    miss: float | None = option(number())

    without = frozenset({"cutoff", "ties", "empty"})
    _value_range = (-math.inf, math.inf)

    def _value(self, rankings: RankedLabels) -> Floats:
        assert self.hit is not None
        assert self.false_alarm is not None
        assert self.miss is not None
        return ranked_labels.utility(rankings, (self.hit, self.false_alarm, self.miss, 0.0))


@register("relative_p", "relative_precision", "r_cap", "recall_cap")
class RelativePrecision(PlannedRelevance):
    """The number of relevant documents among the first k, divided by its largest possible value, min(k, R).

    It is also called capped recall, as by BEIR. Without a cutoff, it is recall.

    Examples
    --------
    >>> from idealrank.measures import RelativePrecision
    >>> RelativePrecision(cutoff=10)([0, 1, 1], [3, 2, 1], judged=([0, 1, 1, 1, 1], [0, 5]))
    array([0.5])
    """

    divisor = "reachable"


@register("unj", "unjudged")
class Unjudged(Measure):
    """The number of unjudged documents among the first k, divided by k, or without a cutoff by the number retrieved.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.measures import Unjudged
    >>> Unjudged(cutoff=4)([np.nan, 1], [2, 1], judged=([1], [0, 1]))
    array([0.25])
    """

    without = frozenset({"empty", "judged_only"})
    _value_range = (0.0, 1.0)
    lower_is_better = True

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        judged = Plan("sum", "judged", cutoff=filled.cutoff)
        counts = run([judged], lists, kernel_ties(filled))[0]
        depths = lists.sizes if filled.cutoff is None else filled.cutoff.depths(lists.sizes)
        return ratio(np.minimum(lists.sizes, depths) - counts, depths)


@register("rbp_resid", "rbp_residual")
class RBPResidual(Measure):
    """The most that rank-biased precision could gain if unjudged documents were relevant.

    In a list with unjudged documents, the ranks after its end are included. A list without unjudged documents has the
    residual 0, as in trec_eval.

    Parameters
    ----------
    p : float, optional
        The persistence: the probability that a user continues to the next rank; by default, 0.8.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.measures import RBPResidual
    >>> RBPResidual(p=0.5)([1, np.nan], [2, 1], judged=([1], [0, 1]))
    array([0.5])
    """

    p: float | None = option(number(0, 1 - 1e-12))

    without = frozenset({"cutoff", "empty", "judged_only"})
    _value_range = (0.0, 1.0)
    lower_is_better = True

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        assert filled.p is not None
        judged = Plan("sum", "judged", discount=Persistence(filled.p))
        certain, count = run([judged, Plan("sum", "judged")], lists, kernel_ties(filled))
        return np.where(count < lists.sizes, 1 - certain, 0.0)


class _Count(RankedRelevance):
    """A count per query; evaluations show the sum over queries, as trec_eval does."""

    without = frozenset({"cutoff", "ties", "empty", "judged_only"})
    aggregate = "sum"
    _value_range = (0.0, math.inf)
    missing_value = None


@register("num_q")
class Queries(_Count):
    """1 for each query; the sum is the number of queries.

    Examples
    --------
    >>> from idealrank.measures import Queries
    >>> Queries()([1, 0, 0], [3, 2, 1], [0, 2, 3])
    array([1., 1.])
    """

    without = _Count.without | {"rel", "ideal"}
    _value_range = (1.0, 1.0)

    def _value(self, rankings: RankedLabels) -> Floats:
        return np.ones(rankings.n_queries)


@register("num_ret")
class Retrieved(_Count):
    """The number of retrieved documents.

    Examples
    --------
    >>> from idealrank.measures import Retrieved
    >>> Retrieved()([1, 0, 0], [3, 2, 1])
    array([3.])
    """

    without = frozenset({"cutoff", "ties", "empty", "rel", "ideal"})

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.n_retrieved.astype(np.float64)


@register("num_rel")
class Relevant(_Count):
    """The number of relevant documents, retrieved or not.

    Examples
    --------
    >>> from idealrank.measures import Relevant
    >>> Relevant()([1, 0], [2, 1], judged=([1, 0, 1], [0, 3]))
    array([2.])
    """

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.n_relevant.astype(np.float64)


@register("num_rel_ret")
class RelevantRetrieved(_Count):
    """The number of relevant documents that were retrieved.

    Examples
    --------
    >>> from idealrank.measures import RelevantRetrieved
    >>> RelevantRetrieved()([1, 0], [2, 1], judged=([1, 0, 1], [0, 3]))
    array([1.])
    """

    without = _Count.without | {"ideal"}

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.found.sizes.astype(np.float64)


@register("num_nonrel_judged_ret")
class NonrelevantRetrieved(_Count):
    """The number of retrieved documents that are judged and not relevant.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.measures import NonrelevantRetrieved
    >>> NonrelevantRetrieved()([1, 0, np.nan], [3, 2, 1], judged=([1, 0], [0, 2]))
    array([1.])
    """

    without = _Count.without | {"ideal"}

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.retrieved.count(rankings.nonrelevant).astype(np.float64)

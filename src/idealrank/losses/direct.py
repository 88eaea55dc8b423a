"""Direct optimization: 1 - a measure, with soft ranks instead of ranks (Qin, Liu and Li 2008).

A document's rank, 1 + the number of documents with higher scores, becomes smooth if each count is replaced by a sigmoid
(eq. (20)). A measure of ranks is then a measure of these positions.

Values and gradients differ from sums over all pairs by at most 1e-10. A query with no relevant document has value 0 and
gradient 0. ``hessian_diagonal`` bounds the second derivative with the measure's derivatives c by position held fixed:
alpha^2 sum_y (|c_x| + |c_y|) sigma'(t_x - t_y), since |sigma''| <= sigma'.
"""

from __future__ import annotations

import dataclasses
import itertools
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._names.options import checked, choice, number, option
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.losses.loss_base import Loss
from idealrank.losses.loss_names import register
from idealrank.losses.positions import COMPARING, REDUCTIONS, Positions
from idealrank.losses.segments import check_finite, ideal_dcgs, maxima, sums, worth_of
from idealrank.measures import AP, NDCG, RR, KendallTau, Measure, Precision, cutoffs, discounts, gains, measure
from idealrank.measures.measure_base import Plan
from idealrank.measures.ranks import SIGMOIDS, SoftRanks, alpha_for, slope


class Misordered(NamedTuple):
    """The fraction of each query's pairs that is misordered, and its derivatives with respect to t = alpha s.

    ``sizes`` are the sums of the absolute values of the terms of each derivative.
    """

    share: Floats
    slopes: Floats
    sizes: Floats


def misordered(lists: Lists, alpha: float, sigmoid: str) -> Misordered:
    """Return the mean of sigma(t_y - t_x) over pairs with labels x > y, weighted by x.

    The labels of a query are numbered from the highest on. Two of them first differ in one bit of their numbers: in the
    pass for that bit, among documents with the same bits above it, each document of the higher labels meets all of the
    lower ones. So there are log2(labels) passes.
    """
    check_finite(lists.labels, lists.offsets, "label")
    check_finite(lists.scores, lists.offsets, "score")
    order = _native.order(lists.labels, lists.offsets, lists.n_threads)
    levels = _numbered(np.take(lists.labels, order), lists)
    scores = np.take(lists.scores, order)
    weights = np.ones(order.size) if lists.weights is None else np.take(lists.weights, order)
    wrong, pairs = np.zeros(order.size), np.zeros(order.size)
    slopes, sizes = np.zeros(order.size), np.zeros(order.size)
    for bit in reversed(range(int(levels.max(initial=0)).bit_length())):
        groups = _starts(levels >> (bit + 1), lists.offsets)
        is_low = (levels >> bit & 1).astype(np.float64)
        weight = weights * (1 - is_low)
        soft = SoftRanks(scores, groups, alpha, sigmoid, lists.n_threads)
        above, density = soft.sums(is_low)
        _, pulled = soft.sums(weight)
        np.add(wrong, weight * above, out=wrong)
        np.add(pairs, weight * np.repeat(sums(is_low, groups), np.diff(groups)), out=pairs)
        of_high, of_low = np.multiply(weight, density), np.multiply(is_low, pulled)
        np.add(slopes, of_low - of_high, out=slopes)
        np.add(sizes, of_low + of_high, out=sizes)
    all_pairs = sums(pairs, lists.offsets)
    per_pair = np.divide(1, all_pairs, out=np.zeros_like(all_pairs), where=all_pairs > 0)
    each = np.repeat(per_pair, lists.sizes)
    columns = np.empty((2, order.size))
    columns[0, order] = np.multiply(slopes, each)
    columns[1, order] = np.multiply(sizes, each)
    return Misordered(sums(wrong, lists.offsets) * per_pair, *columns)


def _numbered(labels: Floats, lists: Lists) -> Int64s:
    """Return the index of each label among the distinct labels of its query; the labels of a query must be sorted."""
    changes = np.zeros(labels.size, np.bool_)
    np.not_equal(labels[1:], labels[:-1], out=changes[1:])
    begins = lists.offsets[:-1][lists.sizes > 0]
    changes[begins] = False
    counts = np.cumsum(changes)
    return np.subtract(counts, np.repeat(counts[begins], lists.sizes[lists.sizes > 0]))


def _starts(keys: Int64s, offsets: Int64s) -> Int64s:
    """Return the start of each group with the same query and key (contiguous rows), and the end of the last."""
    starts = np.ones(keys.size + 1, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=starts[1:-1])
    starts[offsets] = True
    return np.flatnonzero(starts)


_Soft = TypeVar("_Soft", bound="SoftRanked")
#: Two names of the same sigmoid.
_LOGISTIC = ("logistic", "tanh")


def _alpha(value: Any) -> float | str:
    return "auto" if value == "auto" else slope(value)


class SoftRanked(Loss):
    """Base class of losses of soft ranks.

    Parameters
    ----------
    alpha : float or "auto"
        The slope of the sigmoid that makes ranks smooth. With a larger slope, soft ranks are closer to the ranks, and
        the loss is flatter between changes of rank. "auto" computes it from the scores at the start, as `resolved`
        does.
    sigmoid : {"logistic", "tanh", "arctan", "erf"}
        The smooth step function. "logistic" and "tanh" are the same function and take near-linear time; with "arctan"
        and "erf", time grows with the square of the length of a list. Memory is linear for all of them.
    """

    alpha: float | str = option(_alpha, 10.0)
    sigmoid: str = option(choice(*SIGMOIDS), "logistic")

    def resolved(self: _Soft, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None, tol: float = 0.01) -> _Soft:
        """Return the loss with alpha="auto" replaced by a number: `idealrank.theory.alpha_for` of these scores.

        A learner calls it once, before it fits, and uses the returned loss from then on.

        Parameters
        ----------
        scores : array-like
            The scores that a learner starts with; if all are equal, alpha is 10.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
        tol : float
            The largest allowed distance between a soft rank and the rank.

        Returns
        -------
        SoftRanked

        Examples
        --------
        >>> ApproxNDCG(alpha="auto").resolved([1.0, 0.0]).alpha == float(np.log(99))
        True
        """
        if self.alpha != "auto":
            return self
        return dataclasses.replace(self, alpha=min(alpha_for(scores, offsets, tol), 1e300) or 10.0)

    def smoothed(self, sharpness: float) -> Loss:
        return self if sharpness == 1 else dataclasses.replace(self, alpha=self.slope_of_ranks() * sharpness)

    def slope_of_ranks(self) -> float:
        """Return alpha, which must be a number by now."""
        if isinstance(self.alpha, str):
            raise OptionError(
                f"{self.label}: alpha=auto is chosen before a fit: call resolved(scores, offsets), or set a number"
            )
        return self.alpha


def _curved(alpha: float, sizes: Floats) -> Floats:
    """Return alpha^2 times these numbers; clips rounding errors below 0, and overflow if the sigmoid is very steep."""
    with np.errstate(over="ignore"):
        return np.clip(np.multiply(alpha, alpha * sizes), 0, np.finfo(np.float64).max)


class _ByPosition(NamedTuple):
    """A loss of soft ranks: one value per query, and its derivative with respect to each position.

    ``density`` is the sum of sigma' at each document. The derivative of its position by its score is -alpha times this.
    """

    values: Floats
    derivatives: Floats
    density: Floats
    soft: SoftRanks


class Approximation(SoftRanked):
    """1 - a measure of soft ranks; each subclass chooses the measure.

    Parameters
    ----------
    beta : float
        The slope of the sigmoid that compares positions with each other and with the cutoff. A sum over all positions,
        such as NDCG without a cutoff, compares none: any other value than the default is an error there.
    """

    beta: float = option(slope, 10.0)

    def _without_effect(self) -> dict[str, str]:
        compares = self.plan.cutoff is not None or self.plan.reduction in COMPARING
        return {} if compares else {"beta": f"on {self.target().label} without a cutoff"}

    def target(self) -> Measure:
        """Return the measure that is approximated."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.plan  # a measure without a smooth form is an error here

    @cached_property
    def plan(self) -> Plan:
        """How the measure is computed, as plain data."""
        plan = self.target().with_convention().plan()
        is_smooth = plan is not None and plan.reduction in REDUCTIONS and plan.denominator not in ("hits", "full")
        is_smooth &= plan is not None and not plan.cuts_ideal_elsewhere
        if plan is None or not is_smooth or not isinstance(plan.gain, gains.Gain):
            takes = "dcg, ndcg, linear_ndcg, rbp, p, recall, f1, r_precision, ap, rr, hit_rate, kendall_tau"
            cascade = plan is not None and plan.reduction == "cascade"
            why = (
                " (in a cascade, a document adds less the more relevant the documents above it are)" if cascade else ""
            )
            found = f"{self.target()} is not a measure of positions with a smooth form{why}"
            raise OptionError(f"{self.label}: {found}; use one of {takes}")
        return plan

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        alpha, plan = self.slope_of_ranks(), self.plan
        if _is_native_ndcg(plan) and self.sigmoid in _LOGISTIC:
            arrays = lists.labels, lists.scores, lists.offsets, lists.weights
            exp2, depths = isinstance(plan.gain, gains.Exp2), depths_of(plan, lists)
            return _native.approx_ndcg(
                *arrays, depths=depths, exp2=exp2, alpha=alpha, beta=self.beta, n_threads=lists.n_threads
            )
        if _is_native_ap(plan) and self.sigmoid in _LOGISTIC:
            columns = worth_of(plan.gain, lists), lists.scores, lists.offsets
            return _native.approx_ap(*columns, alpha=alpha, beta=self.beta, n_threads=lists.n_threads)
        found = self._by_position(lists)
        _, pulled = found.soft.sums(found.derivatives)
        return found.values, alpha * (pulled - found.derivatives * found.density)  # eq. (41)

    def curvature(self, lists: Lists) -> Floats:
        return self._curvature(self._by_position(lists))

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        alpha, found = self.slope_of_ranks(), self._by_position(lists)
        _, pulled = found.soft.sums(found.derivatives)
        moved = found.derivatives * found.density
        # If no document gains by falling, as in NDCG without a cutoff, sums of derivatives are sums of absolute values.
        has_one_sign = found.derivatives.min(initial=0.0) >= 0
        curvature = _curved(alpha, pulled + moved) if has_one_sign else self._curvature(found)
        return alpha * (pulled - moved), curvature

    def _curvature(self, found: _ByPosition) -> Floats:
        sizes = np.abs(found.derivatives)
        _, pulled = found.soft.sums(sizes)
        return _curved(self.slope_of_ranks(), pulled + sizes * found.density)

    def _by_position(self, lists: Lists) -> _ByPosition:
        plan = self.plan
        worth = worth_by_plan(plan, lists)
        soft = SoftRanks(lists.scores, lists.offsets, self.slope_of_ranks(), self.sigmoid, lists.n_threads)
        above, density = soft.sums()
        depths = depths_of(plan, lists, worth)
        at = Positions(1 + above, worth, lists.offsets, depths, self.beta, plan.discount, lists.n_threads)
        totals, slopes = REDUCTIONS[plan.reduction](at)
        ranked = is_ranked(worth, lists)
        factors = np.where(ranked, factors_of(plan, worth, lists, depths), 0.0)
        values = np.where(ranked, 1 - totals * factors, 0.0)
        return _ByPosition(values, np.multiply(slopes, at.spread(-factors)), density, soft)


#: Gains that the native kernel of ApproxNDCG computes.
_NATIVE_GAINS = (gains.Exp2(), gains.Linear())


def _is_native_ndcg(plan: Plan) -> bool:
    return (
        plan.reduction == "sum"
        and plan.denominator == "ideal"
        and isinstance(plan.discount, discounts.Log)  # any base, since it cancels
        and plan.gain in _NATIVE_GAINS
        and not plan.zero_if_short
    )


def _is_native_ap(plan: Plan) -> bool:
    return plan.reduction == "precision_mean" and plan.denominator == "relevant" and plan.cutoff is None


def worth_by_plan(plan: Plan, lists: Lists) -> Floats:
    """Return the gain of each document times its weight; only a table, for DCG or NDCG, says that documents harm."""
    is_dcg = plan.reduction == "sum" and plan.denominator in ("none", "ideal")
    return worth_of(plan.gain, lists, is_signed=is_dcg and isinstance(plan.gain, gains.Table))


def is_ranked(worth: Floats, lists: Lists) -> Booleans:
    """Return which queries have a document with a gain above 0."""
    return maxima(worth, lists.offsets) > 0


def depths_of(plan: Plan, lists: Lists, worth: Floats | None = None) -> Int64s | None:
    """Return how many ranks of each query count; None if all do."""
    match plan.cutoff:
        case None:
            return None
        case cutoffs.Cutoff():
            return plan.cutoff.depths(lists.sizes)
    assert worth is not None
    return sums((worth > 0).astype(np.float64), lists.offsets).astype(np.int64)  # the number of relevant documents


def factors_of(plan: Plan, worth: Floats, lists: Lists, depths: Int64s | None) -> Floats:
    """Return the factor of each query's total: 1 / its divisor, or 0."""
    divisors = _divisors(plan, worth, lists, depths)
    factors = np.divide(1, divisors, out=np.zeros_like(divisors), where=divisors > 0)
    if plan.zero_if_short and depths is not None:
        factors[lists.sizes < depths] = 0
    return factors


def _divisors(plan: Plan, worth: Floats, lists: Lists, depths: Int64s | None) -> Floats:
    """Return the divisor of each query's total; with weights, a relevant document can count more or less than 1."""
    sizes = lists.sizes.astype(np.float64)
    k = sizes if depths is None else depths.astype(np.float64)
    relevant = sums(worth, lists.offsets)
    match plan.denominator:
        case "ideal":
            cutoff = plan.cutoff if isinstance(plan.cutoff, cutoffs.Cutoff) else None
            return ideal_dcgs(worth, lists.offsets, plan.discount, cutoff, lists.n_threads)
        case "relevant":
            return relevant
        case "reachable":
            return np.minimum(relevant, k)
        case "cutoff":
            return k
        case "retrieved":
            return np.minimum(sizes, k)
        case "harmonic":
            return (k + relevant) / 2
        case "highest_label":
            return np.array([lists.labels[a:b].max(initial=1) for a, b in itertools.pairwise(lists.offsets.tolist())])
    return np.ones(lists.n_queries)


@register("approx_ndcg")
class ApproxNDCG(Approximation):
    """1 - NDCG of soft ranks (Qin, Liu and Li 2008, eq. (21)).

    Time is near-linear in the length n of a list with the logistic sigmoid, and grows as n^2 with ``sigmoid="arctan"``
    and ``sigmoid="erf"``.

    Parameters
    ----------
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count: 10, 0.2 or "20%", "n^0.5"; None means all ranks.
    gain : str or Gain, optional
        The gain of a label; None means 2^label - 1.
    discount : str or Discount, optional
        The weight of a rank; None means 1/log2(1 + r).

    Examples
    --------
    Labels 1 and 0 with scores 0 and 0: both have the position 1.5, so 1 - 1/log2(2.5).

    >>> import numpy as np
    >>> from idealrank.losses import ApproxNDCG
    >>> ApproxNDCG()([1, 0], [0, 0])[0], 1 - 1 / np.log2([2.5])
    (array([0.2435292]), array([0.2435292]))
    >>> ApproxNDCG(alpha=20, cutoff=10)
    approx_ndcg(alpha=20,cutoff=10)
    """

    cutoff: Any = option(cutoffs.of)
    gain: Any = option(gains.of)
    discount: Any = option(discounts.of)

    def target(self) -> Measure:
        return NDCG(gain=self.gain, discount=self.discount, cutoff=self.cutoff)


class _ApproximateRelevance(Approximation):
    """1 - a measure of binary relevance.

    Parameters
    ----------
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count: 10, 0.2 or "20%", "n^0.5"; None means all ranks.
    rel : float, optional
        The lowest label of a relevant document; None means 1.
    """

    cutoff: Any = option(cutoffs.of)
    rel: float | None = option(number())
    approximated: ClassVar[type[AP | Precision | RR]]

    def target(self) -> Measure:
        return self.approximated(cutoff=self.cutoff, rel=self.rel)


@register("approx_ap")
class ApproxAP(_ApproximateRelevance):
    """1 - average precision of soft ranks (Qin, Liu and Li 2008, eq. (22)).

    Examples
    --------
    One relevant document of two with equal scores: its position is 1.5, so 1 - 1/1.5.

    >>> from idealrank.losses import ApproxAP
    >>> ApproxAP()([1, 0], [0, 0])[0]
    array([0.33333333])
    """

    approximated = AP


@register("approx_precision")
class ApproxPrecision(_ApproximateRelevance):
    """1 - precision@k of soft ranks: a relevant document at position p counts as sigma(beta (k + 1/2 - p)).

    Examples
    --------
    One relevant document of two with equal scores: its position is 1.5, exactly the border of k = 1, so it counts as
    1/2.

    >>> from idealrank.losses import ApproxPrecision
    >>> ApproxPrecision(cutoff=1)([1, 0], [0, 0])[0]
    array([0.5])
    """

    cutoff: Any = option(cutoffs.of, cutoffs.Rank(10))
    approximated = Precision


@register("approx_rr")
class ApproxRR(_ApproximateRelevance):
    """1 - reciprocal rank of soft ranks.

    The reciprocal rank is the sum over relevant documents x of 1/p_x, times the product of sigma(beta (p_y - p_x)) over
    the other relevant documents y: the degree to which x is the first relevant document.

    Examples
    --------
    Two relevant documents with equal scores: each has the position 1.5 and is the first one with weight 1/2, so 1 -
    1/1.5.

    >>> from idealrank.losses import ApproxRR
    >>> ApproxRR()([1, 1], [0, 0])[0]
    array([0.33333333])
    """

    approximated = RR


@register("approx_kendall")
class ApproxKendall(SoftRanked):
    """1 - Kendall's tau, where tau is the mean of 2 sigma(alpha (s_x - s_y)) - 1 over pairs with label x > label y.

    Tau is between -1 and 1. With the logistic sigmoid, the term of a pair is tanh(alpha (s_x - s_y) / 2). The weight of
    a document multiplies the pairs in which it is the better one.

    Examples
    --------
    One pair with equal scores: tau is 0.

    >>> from idealrank.losses import ApproxKendall
    >>> ApproxKendall()([1, 0], [0, 0])
    (array([1.]), array([-5.,  5.]))
    """

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        alpha = self.slope_of_ranks()
        found = misordered(lists, alpha, self.sigmoid)
        return 2 * found.share, 2 * alpha * found.slopes

    def curvature(self, lists: Lists) -> Floats:
        alpha = self.slope_of_ranks()
        return _curved(alpha, 2 * misordered(lists, alpha, self.sigmoid).sizes)

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        alpha = self.slope_of_ranks()
        found = misordered(lists, alpha, self.sigmoid)
        return 2 * alpha * found.slopes, _curved(alpha, 2 * found.sizes)


class _OfMeasure(Approximation):
    measure: Any = option(measure)
    label = "approx"

    def target(self) -> Measure:
        return self.measure  # type: ignore[no-any-return]


@register("approx")
class Approx(SoftRanked):
    """1 - a measure of positions, with soft ranks instead of ranks: dcg, recall, f1, rbp, hit_rate and others.

    Parameters
    ----------
    measure : str or Measure
        The measure or its name. ERR is refused, because what a document adds depends on the documents above it and not
        only on its position.
    beta : float
        The slope of the sigmoid that compares positions with each other and with the cutoff. Where nothing is compared,
        as in Kendall's tau or DCG without a cutoff, any other value than the default is an error.

    Examples
    --------
    Recall@1 of one relevant document of two with equal scores: its position is 1.5, the border of k = 1.

    >>> from idealrank.losses import Approx
    >>> Approx("recall@1")([1, 0], [0, 0])[0]
    array([0.5])
    """

    measure: Any = dataclasses.field(metadata=checked(measure), kw_only=False)
    beta: float = option(slope, 10.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.form  # a measure without a smooth form is an error here

    def _without_effect(self) -> dict[str, str]:
        return {"beta": "on kendall_tau, a measure of pairs"} if isinstance(self.measure, KendallTau) else {}

    @cached_property
    def form(self) -> ApproxKendall | Approximation:
        """The loss that computes it."""
        ranks: dict[str, Any] = {"alpha": self.alpha, "sigmoid": self.sigmoid}
        if isinstance(self.measure, KendallTau):
            return ApproxKendall(**ranks)
        return _OfMeasure(measure=self.measure, beta=self.beta, **ranks)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        return self.form.values_and_gradient(lists)

    def curvature(self, lists: Lists) -> Floats:
        return self.form.curvature(lists)

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        return self.form.gradient_and_curvature(lists)

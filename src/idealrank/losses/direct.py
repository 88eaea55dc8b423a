"""Direct optimisation: 1 - a measure, with soft ranks in place of ranks (Qin, Liu and Li 2008).

A document's rank, 1 + the number of documents with higher scores, becomes smooth with a sigmoid in place of each count
(eq. (20)). ``alpha`` is its slope: the larger, the closer to the ranks, and the flatter between their changes. A
measure of ranks is then a measure of these positions. Where it looks at ranks once more (is this one above the cut-off,
is that relevant document above this one), ``beta`` is the slope of the sigmoid that answers.

``sigmoid`` is "logistic", or "tanh", which is the same function, near-linear in time; or "arctan" or "erf", for which
time grows with the square of a list's length. Memory is linear for all of them. Values and gradients differ from sums
over all pairs by 1e-10 at most.

A query with nothing relevant has the value 0 and the gradient 0. ``hessian_diagonal`` bounds the second derivative with
the measure's derivatives by position c held fixed: alpha^2 sum_y (|c_x| + |c_y|) sigma'(t_x - t_y), since
|sigma''| <= sigma'.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._base.options import choice, number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.losses.base import Loss
from idealrank.losses.names import register
from idealrank.losses.positions import REDUCTIONS, Positions
from idealrank.losses.segments import sums
from idealrank.losses.soft_pairs import misordered
from idealrank.losses.targets import dcg_norms, worth_of
from idealrank.measures import AP, NDCG, RR, KendallTau, Measure, Precision, cutoffs, discounts, gains, measure
from idealrank.measures.plan import Plan
from idealrank.measures.ranks import SIGMOIDS, SoftRanks, alpha_for, slope

__all__ = ["Approx", "ApproxAP", "ApproxKendall", "ApproxNDCG", "ApproxPrecision", "ApproxRR"]

_Soft = TypeVar("_Soft", bound="SoftRanked")
#: Two names of one sigmoid.
_LOGISTIC = ("logistic", "tanh")


def _alpha(value: Any) -> float | str:
    return "auto" if value == "auto" else slope(value)


@dataclass(frozen=True, kw_only=True, repr=False)
class SoftRanked(Loss):
    """What all losses of soft ranks have in common."""

    alpha: float | str = option(_alpha, 10.0)
    sigmoid: str = option(choice(*SIGMOIDS), "logistic")

    def resolved(self: _Soft, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None, tol: float = 0.01) -> _Soft:
        """The loss with a number for alpha="auto": that which `idealrank.theory.alpha_for` gives for these scores.

        A learner calls it once before a fit, and keeps what it returns. Where all scores are equal, alpha is 10.

        >>> ApproxNDCG(alpha="auto").resolved([1.0, 0.0]).alpha == float(np.log(99))
        True
        """
        if self.alpha != "auto":
            return self
        return dataclasses.replace(self, alpha=min(alpha_for(scores, offsets, tol), 1e300) or 10.0)

    def smoothed(self, sharpness: float) -> Loss:
        return self if sharpness == 1 else dataclasses.replace(self, alpha=self.slope_of_ranks() * sharpness)

    def slope_of_ranks(self) -> float:
        """Alpha, which must be a number by now."""
        if isinstance(self.alpha, str):
            raise OptionError(
                f"{self.label}: alpha=auto is chosen before a fit: call resolved(scores, offsets), or name a number"
            )
        return self.alpha


def _curved(alpha: float, sizes: Floats) -> Floats:
    """Alpha^2 times these numbers, none of which is negative but by rounding; finite however steep the sigmoid."""
    with np.errstate(over="ignore"):
        return np.clip(alpha * (alpha * sizes), 0, np.finfo(np.float64).max)


class _ByPosition(NamedTuple):
    """A loss of soft ranks: one value a query, and its derivative by each position.

    ``density`` has the sum of sigma' at each document: its position moves by -alpha times it with its score.
    """

    values: Floats
    derivatives: Floats
    density: Floats
    soft: SoftRanks


@dataclass(frozen=True, kw_only=True, repr=False)
class Approximation(SoftRanked):
    """1 - a measure of soft ranks; subclasses say of which."""

    beta: float = option(slope, 10.0)

    def target(self) -> Measure:
        """The measure that is approximated."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_plan", _checked(self.target(), self.label))

    @property
    def plan(self) -> Plan:
        """How the measure is computed, as plain data."""
        return self._plan  # type: ignore[attr-defined, no-any-return]

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        alpha, plan = self.slope_of_ranks(), self.plan
        if _is_native_ndcg(plan) and self.sigmoid in _LOGISTIC:
            columns = lists.labels, lists.scores, lists.offsets, lists.weights
            exp2, depths = isinstance(plan.gain, gains.Exp2), depths_of(plan, lists)
            return _native.approx_ndcg(
                *columns, depths=depths, exp2=exp2, alpha=alpha, beta=self.beta, n_threads=lists.n_threads
            )
        if _is_native_ap(plan) and self.sigmoid in _LOGISTIC:
            worth = worth_of(plan.gain, lists)  # type: ignore[arg-type]
            return _native.approx_ap(
                worth, lists.scores, lists.offsets, alpha=alpha, beta=self.beta, n_threads=lists.n_threads
            )
        found = self._by_position(lists)
        _, pulled = found.soft.sums(found.derivatives)
        return found.values, alpha * (pulled - found.derivatives * found.density)  # eq. (41)

    def curvature(self, lists: Lists) -> Floats:
        found = self._by_position(lists)
        sizes = np.abs(found.derivatives)
        _, pulled = found.soft.sums(sizes)
        return _curved(self.slope_of_ranks(), pulled + sizes * found.density)

    def _by_position(self, lists: Lists) -> _ByPosition:
        plan = self.plan
        worth = worth_of(plan.gain, lists)  # type: ignore[arg-type]
        soft = SoftRanks(lists.scores, lists.offsets, self.slope_of_ranks(), self.sigmoid, lists.n_threads)
        above, density = soft.sums()
        depths = depths_of(plan, lists, worth)
        at = Positions(1 + above, worth, lists.offsets, depths, self.beta, plan.discount, lists.n_threads)
        totals, slopes = REDUCTIONS[plan.reduction](at)
        factors = factors_of(plan, worth, lists, depths)
        values = np.where(sums(worth, lists.offsets) > 0, 1 - totals * factors, 0.0)
        return _ByPosition(values, -slopes * at.spread(factors), density, soft)


def _is_native_ndcg(plan: Plan) -> bool:
    return (
        plan.reduction == "sum"
        and plan.denominator == "ideal"
        and isinstance(plan.discount, discounts.Log)  # any base: it cancels
        and plan.gain in (gains.Exp2(), gains.Linear())
        and not plan.zero_if_short
    )


def _is_native_ap(plan: Plan) -> bool:
    return plan.reduction == "precision_mean" and plan.denominator == "relevant" and plan.cutoff is None


def _checked(target: Measure, label: str) -> Plan:
    plan = target.with_convention().plan()
    if (
        plan is None
        or plan.reduction not in REDUCTIONS
        or plan.denominator in ("hits", "full")
        or not isinstance(plan.gain, gains.Gain)
    ):
        takes = "dcg, ndcg, linear_ndcg, rbp, p, recall, f1, r_precision, ap, rr, hit_rate, kendall_tau"
        raise OptionError(f"{label}: {target} is not a measure of positions that has a smooth form; it takes {takes}")
    return plan


def depths_of(plan: Plan, lists: Lists, worth: Floats | None = None) -> Int64s | None:
    """How many ranks of each query count; None where all do."""
    match plan.cutoff:
        case None:
            return None
        case cutoffs.Cutoff():
            return plan.cutoff.at(lists.sizes)
    assert worth is not None
    return sums((worth > 0).astype(np.float64), lists.offsets).astype(np.int64)  # as many as are relevant


def factors_of(plan: Plan, worth: Floats, lists: Lists, depths: Int64s | None) -> Floats:
    """What each query's total is multiplied by: 1 / its divisor, or 0."""
    divisors = _divisors(plan, worth, lists, depths)
    factors = np.divide(1, divisors, out=np.zeros_like(divisors), where=divisors > 0)
    if plan.zero_if_short and depths is not None:
        factors[lists.sizes < depths] = 0
    return factors


def _divisors(plan: Plan, worth: Floats, lists: Lists, depths: Int64s | None) -> Floats:
    """What each query's total is divided by; weights make more or less of a relevant document than one."""
    sizes = lists.sizes.astype(np.float64)
    k = sizes if depths is None else depths.astype(np.float64)
    relevant = sums(worth, lists.offsets)
    match plan.denominator:
        case "ideal":
            cutoff = plan.cutoff if isinstance(plan.cutoff, cutoffs.Cutoff) else None
            return dcg_norms(worth, lists.offsets, plan.discount, cutoff, lists.n_threads)
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
    return np.ones(lists.n_queries)


@register("approx_ndcg")
@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxNDCG(Approximation):
    """1 - NDCG of soft ranks, any gain and discount (eq. (21)).

    Labels 1 and 0 with scores 0 and 0: both have the position 1.5, so 1 - 1/log2(2.5).

    >>> ApproxNDCG()([1, 0], [0, 0])[0], 1 - 1 / np.log2(2.5)
    (array([0.2435292]), np.float64(0.2435292...))
    >>> ApproxNDCG(alpha=20, cutoff=10)
    approx_ndcg(alpha=20,cutoff=10)
    """

    cutoff: Any = option(cutoffs.of)
    gain: Any = option(gains.of)
    discount: Any = option(discounts.of)

    def target(self) -> Measure:
        return NDCG(gain=self.gain, discount=self.discount, cutoff=self.cutoff)


@register("approx_ap")
@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxAP(Approximation):
    """1 - average precision of soft ranks (eq. (22)); a document is relevant from the label ``rel`` on.

    One relevant document of two with equal scores: its position is 1.5, so 1 - 1/1.5.

    >>> ApproxAP()([1, 0], [0, 0])[0]
    array([0.33333333])
    """

    cutoff: Any = option(cutoffs.of)
    rel: float | None = option(number())

    def target(self) -> Measure:
        return AP(cutoff=self.cutoff, rel=self.rel)


@register("approx_precision")
@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxPrecision(Approximation):
    """1 - precision@k of soft ranks, where sigma(beta (k + 1/2 - p)) of a document at position p is among the first k.

    One relevant document of two with equal scores: its position is 1.5, just the border of k = 1, so half of it counts.

    >>> ApproxPrecision(cutoff=1)([1, 0], [0, 0])[0]
    array([0.5])
    """

    cutoff: Any = option(cutoffs.of, cutoffs.Rank(10))
    rel: float | None = option(number())

    def target(self) -> Measure:
        return Precision(cutoff=self.cutoff, rel=self.rel)


@register("approx_rr")
@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxRR(Approximation):
    """1 - reciprocal rank: sum of 1/p_x over relevant x, times the products of sigma(beta (p_y - p_x)) over the others.

    Two relevant documents with equal scores: each has the position 1.5 and is the first by 1/2, so 1 - 1/1.5.

    >>> ApproxRR()([1, 1], [0, 0])[0]
    array([0.33333333])
    """

    cutoff: Any = option(cutoffs.of)
    rel: float | None = option(number())

    def target(self) -> Measure:
        return RR(cutoff=self.cutoff, rel=self.rel)


@register("approx_kendall")
@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxKendall(SoftRanked):
    """1 - Kendall's tau, tau the mean over pairs with labels x > y of 2 sigma(alpha (s_x - s_y)) - 1, from -1 to 1.

    For the logistic sigmoid that is tanh(alpha (s_x - s_y) / 2). A document's weight multiplies the pairs in which it
    is the better one. Time grows with the logarithm of the number of distinct labels.

    One pair with equal scores: tau is 0.

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


@dataclass(frozen=True, kw_only=True, repr=False)
class _OfMeasure(Approximation):
    measure: Any = option(measure)
    label = "approx"

    def target(self) -> Measure:
        return self.measure  # type: ignore[no-any-return]


@register("approx")
@dataclass(frozen=True, kw_only=True, repr=False)
class Approx(SoftRanked):
    """1 - any measure of positions, with soft ranks in place of ranks: dcg, recall, f1, rbp, hit_rate and the like.

    ``measure`` is a measure or its name. Kendall's tau is one of pairs, for which ``beta`` means nothing.

    Recall@1 of one relevant document of two with equal scores: its position is 1.5, the border of k = 1.

    >>> Approx("recall@1")([1, 0], [0, 0])[0]
    array([0.5])
    """

    measure: Any = dataclasses.field(metadata={"coerce": measure}, kw_only=False)
    beta: float = option(slope, 10.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        ranks: dict[str, Any] = {"alpha": self.alpha, "sigmoid": self.sigmoid}
        form: SoftRanked
        if isinstance(self.measure, KendallTau):
            form = ApproxKendall(**ranks)
        else:
            form = _OfMeasure(measure=self.measure, beta=self.beta, **ranks)
        object.__setattr__(self, "_form", form)

    @property
    def form(self) -> SoftRanked:
        """The loss that computes it."""
        return self._form  # type: ignore[attr-defined, no-any-return]

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        return self.form.values_and_gradient(lists)

    def curvature(self, lists: Lists) -> Floats:
        return self.form.curvature(lists)

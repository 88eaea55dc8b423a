"""The base class of measures: options, conventions, the call, and the plan that the native core computes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.exact import Moments, WeightedMoments
from idealrank._names.options import Options, choice, flag, number, option
from idealrank._typing import Floats
from idealrank.data.columns import offsets_of
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.conventions import Convention, convention

_LONGEST_FULL = 10_000_000
_LONGEST_IDEAL = 1_000_000


@dataclass(frozen=True)
class Plan:
    """How the native core computes a measure; `cpp/include/idealrank/measure/measure.hpp` explains the words."""

    reduction: str
    gain: gains.Gain | str
    denominator: str = "none"
    discount: discounts.Discount = discounts.Power(0)
    cutoff: cutoffs.Cutoff | str | None = None
    rel: float = 1.0
    scale: float = 1.0
    empty: float = 0.0
    ideal_retrieved: bool = False
    zero_if_short: bool = False
    negative_ideal: bool = False

    @property
    def cuts_ideal_elsewhere(self) -> bool:
        """Whether the ideal ranking has another number of documents than the ranks that count."""
        return self.denominator.startswith("ideal_")


def _native_gain(gain: gains.Gain | str, rel: float, scale: float, ideal_retrieved: bool, lists: Lists) -> _native.Gain:
    gain_of = partial(_native.Gain, rel=rel, scale=scale, ideal_retrieved=ideal_retrieved)
    match gain:
        case gains.Linear():
            return gain_of(kind="linear")
        case gains.Exp2(limit):
            return gain_of(kind="exp2", highest=limit)
        case gains.Binary(least):
            return gain_of(kind="binary", rel=least)
        case gains.Table(known, worth) if type(gain) is gains.Table:
            return gain_of(kind="table", table_labels=np.array(known), table_gains=np.array(worth))
        case gains.Gain() as own:  # a user's own gain: a table of the labels that occur
            all_labels = (lists.labels,) if lists.judged is None else (lists.labels, lists.judged.labels)
            labels = np.unique(np.concatenate(all_labels))
            labels = labels[np.isfinite(labels) & ((labels >= 0) | (lists.negative == "keep"))]
            return gain_of(kind="table", table_labels=labels, table_gains=np.ascontiguousarray(own(labels), np.float64))
    return gain_of(kind=gain)


def _native_cutoff(cutoff: cutoffs.Cutoff | str | None, lists: Lists) -> _native.Cutoff:
    match cutoff:
        case cutoffs.Rank(k):
            return _native.Cutoff(kind="rank", rank=k)
        case cutoffs.Cutoff():  # a function of the length of a list, a user's own too
            return _native.Cutoff(kind="depths", depths=cutoff.depths(lists.sizes))
    return _native.Cutoff(kind=cutoff or "none")


def _deepest(plans: Sequence[Plan], lists: Lists) -> int:
    """Return the deepest rank that any of the plans uses."""
    longest = int(lists.sizes.max(initial=0))
    if lists.judged is not None:
        longest = max(longest, int(np.diff(lists.judged.offsets).max(initial=0)))

    def depth(plan: Plan) -> int:
        if plan.denominator == "full" and isinstance(plan.cutoff, cutoffs.Cutoff):
            return _deepest_of_full(plan.cutoff, lists)
        if not isinstance(plan.cutoff, cutoffs.Rank) or plan.cuts_ideal_elsewhere:
            return longest
        if lists.judged is not None and "ideal" in (plan.denominator, plan.reduction) and not plan.discount.decreases:
            return min(plan.cutoff.k, max(longest, _LONGEST_IDEAL))  # a later rank may have the largest weight
        return min(plan.cutoff.k, longest)

    return max(map(depth, plans), default=0)


def _deepest_of_full(cutoff: cutoffs.Cutoff, lists: Lists) -> int:
    """Return the largest k of a full list, which has k documents even if the list has fewer."""
    k = cutoff.k if isinstance(cutoff, cutoffs.Rank) else int(cutoff.depths(lists.sizes).max(initial=0))
    if k > _LONGEST_FULL:
        raise OptionError(f"ideal=full sums the weights of k ranks, k at most {_LONGEST_FULL:,}, got {k:,}")
    return k


def run(plans: Sequence[Plan], lists: Lists, ties: str) -> Floats:
    """Return one row per plan and one column per query, with one sort per query; without plans, only check labels."""
    judged = lists.judged
    depth = _deepest(plans, lists)
    gain_by_key: dict[Any, _native.Gain] = {}
    discount_by_key: dict[discounts.Discount, _native.Discount] = {}
    measures = []
    for plan in plans:
        key = (plan.gain, plan.rel, plan.scale, plan.ideal_retrieved)
        gain, discount = gain_by_key.get(key), discount_by_key.get(plan.discount)
        if gain is None:
            gain = gain_by_key[key] = _native_gain(*key, lists)
        if discount is None:
            discount = discount_by_key[plan.discount] = plan.discount.native(depth)
        measures.append(
            _native.Measure(
                reduction=plan.reduction,
                gain=gain,
                discount=discount,
                denominator=plan.denominator,
                cutoff=_native_cutoff(plan.cutoff, lists),
                empty=plan.empty,
                zero_if_short=plan.zero_if_short,
                negative_ideal=plan.negative_ideal,
            )
        )
    return _native.measure(
        lists.labels,
        lists.scores,
        lists.offsets,
        measures=measures,
        judged=None if judged is None else _native.Judged(labels=judged.labels, offsets=judged.offsets),
        ties=ties,
        negative=lists.negative,
        n_threads=lists.n_threads,
    )


#: The least value whose logarithm is taken, as in trec_eval.
LEAST_IN_LOGARITHM = 0.00001
#: Orders of documents with equal scores.
TIES = ("average", "stable", "reverse", "best", "worst", "docid_desc", "docid_asc")


def _empty(value: Any) -> float | str:
    """Return the value of ``empty`` as 0.0, 1.0, "nan" or "skip"."""
    if isinstance(value, str) and value in ("nan", "skip"):
        return value
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    coerced = number(0, 1)(value)
    if coerced not in (0.0, 1.0):
        raise OptionError(f"expected 0, 1, 'nan' or 'skip', got {value!r}")
    return coerced


class Measure(Options):
    """Base class of measures: immutable values that return one number per query.

    ``m(labels, scores, offsets)`` computes the measure; ``m @ 10`` is the same measure with a cutoff; ``str(m)`` is its
    name, which `idealrank.measure` parses. If an option is None, the convention determines its value;
    ``m.with_convention("sklearn")`` returns the measure with these values. Where a description below names a default,
    it is the value in idealrank's own convention.

    Parameters
    ----------
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count: 10, 0.2 or "20%", "n^0.5"; None means all ranks. 1.0 is an error: write 1 or "100%".
    ties : {"average", "stable", "reverse", "best", "worst", "docid_desc", "docid_asc"}, optional
        The order of documents with equal scores: "average" (the default) is the mean over all orders; "stable" and
        "reverse" are the input order and its reverse; "best" and "worst" order them by label; "docid_desc" and
        "docid_asc" by document id.
    empty : {0, 1, "nan", "skip"}, optional
        The value of a query with no relevant document; "nan" gives NaN, and "skip" leaves the query out. By default, 0.
    judged_only : bool, optional
        Whether to remove unjudged documents from the rankings first. By default, they are kept.

    Examples
    --------
    >>> from idealrank.measures import Precision
    >>> p = Precision() @ 2
    >>> p, p([0, 1, 1], [3, 2, 1])
    (p@2, array([0.5]))
    >>> p.with_convention("sklearn")
    p(ties=average,empty=0,rel=1,ideal=retrieved,denominator=cutoff)@2
    """

    cutoff: Any = option(cutoffs.of)
    ties: str | None = option(choice(*TIES))
    empty: float | str | None = option(_empty)
    judged_only: bool | None = option(flag)

    #: What `value_range` returns unless the options matter.
    _value_range: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    #: Whether a smaller value is better, as for an error.
    lower_is_better: ClassVar[bool] = False
    #: The value of a query that a run does not contain, if such a query counts: a number; "worst", that of the worst
    #: order of its judged documents; or None, that of a run without documents.
    missing_value: ClassVar[float | Literal["worst"] | None] = 0.0
    #: How the values of queries become one: by their "mean", their "geometric" mean (values below 0.00001 count as
    #: 0.00001, as in trec_eval), or their "sum".
    aggregate: ClassVar[Literal["mean", "geometric", "sum"]] = "mean"
    #: Orders of documents with equal scores for which the measure has no closed form.
    refused_ties: ClassVar[tuple[str, ...]] = ()
    #: Whether the measure needs judgments by subtopic.
    needs_subtopics: ClassVar[bool] = False

    def __matmul__(self, cutoff: int | float | str | cutoffs.Cutoff | None) -> Self:
        return dataclasses.replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        return self.text(exclude=["cutoff"]) + ("" if self.cutoff is None else f"@{self.cutoff}")

    __repr__ = __str__

    def with_convention(self, like: str | Convention = "idealrank") -> Self:
        """Return the measure with every unset option filled in by the convention.

        Parameters
        ----------
        like : str or Convention
            The convention or its name.

        Returns
        -------
        Measure
            The measure, in which no option that has an effect is None.

        Raises
        ------
        OptionError
            If an option that was set has no effect beside the others.
        """
        rules = convention(like)
        options = rules.options_of(self.label, self.cutoff is not None)
        unset = [name for name in self.options() if getattr(self, name) is None]
        filled: dict[str, Any] = {name: options[name] for name in unset if options.get(name) is not None}
        made = dataclasses.replace(self, **filled)
        made._refuse_without_effect(self)
        unused = made._without_effect()
        return dataclasses.replace(made, **dict.fromkeys(unused)) if unused else made

    @property
    def value_range(self) -> tuple[float, float]:
        """The lowest and the highest value that a query can have, or an infinity.

        It assumes that no gain is negative, unless a table says so. A measure of your own has no bounds unless it
        defines this property.

        Examples
        --------
        >>> from idealrank import measure
        >>> [measure(name).value_range for name in ("ndcg@10", "dcg", "kendall_tau")]
        [(0.0, 1.0), (0.0, inf), (-1.0, 1.0)]
        """
        return self._value_range

    def plan(self) -> Plan | None:
        """Return how the native core computes the filled-in measure, or None if the measure computes itself.

        Returns
        -------
        Plan or None
        """
        self._refuse_ties(*self.refused_ties)
        return None

    def _refuse_ties(self, *refused: str, what: str | None = None) -> None:
        """Raise an OptionError if documents with equal scores are in an order without a closed form."""
        if self.ties in refused:
            takes = ", ".join(ties for ties in TIES if ties not in refused)
            order = "averaged ties" if self.ties == "average" else f"ties={self.ties}"
            raise OptionError(f"{what or self.label} has no closed form for {order}; choose ties from {takes}")

    def _plan(self, reduction: str, gain: gains.Gain | str, denominator: str = "none", **rest: Any) -> Plan:
        """Return a plan with the options that measures have in common, unless ``rest`` names others."""
        common = {"cutoff": self.cutoff, "empty": empty_value(self)}
        ideal_retrieved = getattr(self, "ideal", None) == "retrieved"
        return Plan(reduction, gain, denominator, ideal_retrieved=ideal_retrieved, **(common | rest))

    def __call__(
        self,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        judged: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        n_threads: int | None = None,
    ) -> Floats:
        """Compute one value per query.

        Parameters
        ----------
        labels, scores : array-like
            The label and the score of each document.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
        judged : tuple of array-like, optional
            The labels and the offsets of all judged documents, for rankings that do not contain all of them; an
            unjudged document in the ranking then has the label NaN. None means that the ranking contains all judged
            documents.
        n_threads : int, optional
            Number of threads; None means all cores, or the number passed to `set_threads`.

        Returns
        -------
        float64 array of shape (n_queries,)
            The value of each query.

        Raises
        ------
        DataError
            If the lengths of the arrays do not match, or a label or score is not valid.
        """
        lists = Lists.of(labels, scores, offsets, judged=judged, n_threads=n_threads)
        if self.judged_only and lists.judged is not None:
            is_judged = ~np.isnan(lists.labels)
            lists = lists.take(np.flatnonzero(is_judged), offsets_of(is_judged)[lists.offsets])
        return self.values(lists)

    def moments(self, values: Floats, weights: Floats | None = None) -> Moments:
        """Return count, mean and interval over the values of queries, as the measure is aggregated.

        Parameters
        ----------
        values : array
            One value per query.
        weights : array, optional
            One weight per query.

        Returns
        -------
        Moments
        """
        value_range = self.value_range
        if self.aggregate == "geometric":
            values = np.log(np.maximum(values, LEAST_IN_LOGARITHM))
            value_range = math.log(LEAST_IN_LOGARITHM), math.log(value_range[1])
        if weights is None:
            return Moments.of(values, self.aggregate, value_range)
        return WeightedMoments(values, weights, self.aggregate, value_range)

    def values(self, lists: Lists) -> Floats:
        """Compute one value per query of validated lists.

        Parameters
        ----------
        lists : Lists
            Validated labels, scores and offsets.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        plan, ties = self._own_plan
        return run([plan], lists, ties).reshape(-1)

    @cached_property
    def _own_plan(self) -> tuple[Plan, str]:
        """How the native core computes the measure under idealrank's own convention, and its order of ties."""
        filled = self.with_convention()
        plan = filled.plan()
        assert plan is not None, "a measure without a plan overrides values"
        return plan, kernel_ties(filled)

    def range(
        self, labels: npt.ArrayLike, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Compute the smallest and the largest value per query over all orders of documents with equal scores.

        Parameters
        ----------
        labels, scores : array-like
            The label and the score of each document.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.

        Returns
        -------
        smallest, largest : float64 arrays of shape (n_queries,)
            The bounds of the value of each query.
        """
        if "ties" not in self.options():
            value = self(labels, scores, offsets)
            return value, value
        worst, best = (dataclasses.replace(self, ties=ties)(labels, scores, offsets) for ties in ("worst", "best"))
        return np.minimum(worst, best), np.maximum(worst, best)  # the best value of an error is the smallest


def check_subtopics(measure: Measure, subtopics: object) -> None:
    """Raise a DataError if the measure needs judgments by subtopic and there are none."""
    if measure.needs_subtopics and subtopics is None:
        raise DataError(
            f"{measure.label} needs judgments by subtopic: pass SubtopicQrels or {{query: {{document: {{subtopic: "
            "label}}}, a frame with a subtopic column, or a file with lines 'query subtopic document label' "
            "(--from subtopics on the command line)"
        )


def kernel_ties(measure: Measure) -> str:
    """Return the order of equal scores for the native core, which has no document ids."""
    ties = measure.ties or "average"
    return {"docid_asc": "stable", "docid_desc": "reverse"}.get(ties, ties)  # the row number replaces the id


def empty_value(measure: Measure) -> float:
    """Return the value of a query with no relevant document as a float."""
    return math.nan if isinstance(measure.empty, str) else float(measure.empty or 0)


def lowest_dcg(gain: gains.Gain | None, discount: discounts.Discount | None = None) -> float:
    """Return the lowest DCG of any ranking: 0, unless a table has numbers below 0."""
    gained = gain.gains if isinstance(gain, gains.Table) else ()
    weights = discount.values if isinstance(discount, discounts.Table) else ()
    return -math.inf if min((*gained, *weights), default=0.0) < 0 else 0.0


gain_option = option(gains.of)
discount_option = option(discounts.of)

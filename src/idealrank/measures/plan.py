"""A measure as plain data for the native core, and the evaluation of many measures in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.measures import cutoffs, discounts, gains

__all__ = ["Plan", "run"]

_LONGEST_FULL = 10_000_000


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
            labels = labels[np.isfinite(labels)]
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
        if key not in gain_by_key:
            gain_by_key[key] = _native_gain(*key, lists)
        if plan.discount not in discount_by_key:
            discount_by_key[plan.discount] = plan.discount.native(depth)
        measures.append(
            _native.Measure(
                reduction=plan.reduction,
                gain=gain_by_key[key],
                discount=discount_by_key[plan.discount],
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

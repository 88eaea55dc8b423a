"""A measure as plain data for the native core, and many of them in one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.measures import cutoffs, discounts, gains

__all__ = ["Plan", "run"]


@dataclass(frozen=True)
class Plan:
    """How the native core computes a measure; `cpp/include/idealrank/measure/measure.hpp` says what the words mean."""

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


_NO_TABLE = np.empty(0)


def _gain_arguments(plan: Plan, lists: Lists) -> tuple[Any, ...]:
    gain, table = plan.gain, (_NO_TABLE, _NO_TABLE)
    kind, rel, highest = str(gain), plan.rel, math.inf
    match gain:
        case gains.Linear():
            kind = "linear"
        case gains.Exp2(limit):
            kind, highest = "exp2", math.inf if limit is None else limit
        case gains.Binary(own_rel):
            kind, rel = "binary", own_rel
        case gains.Table(known, worth):
            kind, table = "table", (np.array(known), np.array(worth))
        case gains.Gain():  # anyone's own: a table over the labels that there are
            all_labels = (lists.labels,) if lists.judged is None else (lists.labels, lists.judged.labels)
            known_labels = np.unique(np.concatenate(all_labels))
            known_labels = known_labels[np.isfinite(known_labels)]
            kind, table = "table", (known_labels, np.ascontiguousarray(gain(known_labels), np.float64))
    return kind, rel, highest, plan.scale, plan.ideal_retrieved, *table


def _cutoff_arguments(cutoff: cutoffs.Cutoff | str | None) -> tuple[str, float]:
    match cutoff:
        case None:
            return "none", 0.0
        case cutoffs.Rank(k):
            return "rank", float(k)
        case cutoffs.Fraction(c):
            return "fraction", c
        case cutoffs.Power(exponent):
            return "power", exponent
    return str(cutoff), 0.0


def _deepest(plans: Sequence[Plan], longest: int) -> int:
    """The deepest rank that any of the plans looks at, in lists of up to ``longest`` documents."""

    def depth(plan: Plan) -> int:
        if not isinstance(plan.cutoff, cutoffs.Rank):
            return longest
        # A full list has k documents, however many there are.
        return plan.cutoff.k if plan.denominator == "full" else min(plan.cutoff.k, longest)

    return max(map(depth, plans), default=0)


def run(plans: Sequence[Plan], lists: Lists, ties: str) -> Floats:
    """One row a plan, one column a query: all plans with one sort a query. Without plans, labels are checked only."""
    judged = lists.judged
    longest = int(np.diff(lists.offsets).max(initial=0))
    if judged is not None:
        longest = max(longest, int(np.diff(judged.offsets).max(initial=0)))
    depth = _deepest(plans, longest)

    gain_numbers: dict[Any, int] = {}
    gain_arguments: list[tuple[Any, ...]] = []
    discount_numbers: dict[discounts.Discount, int] = {}
    discount_arguments: list[tuple[bool, Floats]] = []
    specs: list[tuple[Any, ...]] = []
    for plan in plans:
        gain_key = (plan.gain, plan.rel, plan.scale, plan.ideal_retrieved)
        if gain_key not in gain_numbers:
            gain_numbers[gain_key] = len(gain_arguments)
            gain_arguments.append(_gain_arguments(plan, lists))
        if plan.discount not in discount_numbers:
            linear = isinstance(plan.discount, discounts.Linear)
            discount_numbers[plan.discount] = len(discount_arguments)
            discount_arguments.append((linear, _NO_TABLE if linear else plan.discount.weights(depth)))
        numbers = gain_numbers[gain_key], discount_numbers[plan.discount]
        cutoff = _cutoff_arguments(plan.cutoff)
        specs.append((plan.reduction, *numbers, plan.denominator, *cutoff, plan.empty, plan.zero_if_short))
    return _native.measure(
        lists.labels,
        lists.scores,
        lists.offsets,
        None if judged is None else (judged.labels, judged.offsets),
        gain_arguments,
        discount_arguments,
        specs,
        ties,
        lists.negative,
        lists.n_threads,
    )

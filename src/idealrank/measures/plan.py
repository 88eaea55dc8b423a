"""A measure as plain data for the native core, and many of them in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from idealrank import _core, _threads, cutoffs, discounts, gains
from idealrank.data import Floats, Int64s, Judged

__all__ = ["Plan", "run"]


@dataclass(frozen=True)
class Plan:
    """How the native core computes a measure; `cpp/include/idealrank/measure.hpp` says what the words mean."""

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


def _gain_arguments(plan: Plan, labels: Floats, judged: Judged | None) -> tuple[Any, ...]:
    gain, table = plan.gain, (_NO_TABLE, _NO_TABLE)
    kind, rel = str(gain), plan.rel
    match gain:
        case gains.Linear() | gains.Exp2():
            kind = gain.name()
        case gains.Binary(own_rel):
            kind, rel = "binary", own_rel
        case gains.Table(known, worth):
            kind, table = "table", (np.array(known), np.array(worth))
        case gains.Gain():  # anyone's own: a table over the labels that there are
            known_labels = np.unique(labels if judged is None else np.concatenate((labels, judged.labels)))
            known_labels = known_labels[np.isfinite(known_labels)]
            kind, table = "table", (known_labels, np.ascontiguousarray(gain(known_labels), np.float64))
    return kind, rel, plan.scale, plan.ideal_retrieved, *table


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
    depths = [
        min(plan.cutoff.k, longest) if isinstance(plan.cutoff, cutoffs.Rank) and plan.denominator != "full"
        else max(plan.cutoff.k, longest) if isinstance(plan.cutoff, cutoffs.Rank)
        else longest
        for plan in plans
    ]  # fmt: skip
    return max(depths, default=0)


def run(
    plans: Sequence[Plan],
    labels: Floats,
    scores: Floats,
    offsets: Int64s,
    *,
    judged: Judged | None = None,
    ties: str,
    negative: str = "error",
    n_threads: int | None = None,
) -> Floats:
    """One row a plan, one column a query: all plans with one sort a query."""
    longest = int(np.diff(offsets).max(initial=0))
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
            gain_arguments.append(_gain_arguments(plan, labels, judged))
        if plan.discount not in discount_numbers:
            linear = isinstance(plan.discount, discounts.Linear)
            discount_numbers[plan.discount] = len(discount_arguments)
            discount_arguments.append((linear, _NO_TABLE if linear else plan.discount.weights(depth)))
        numbers = gain_numbers[gain_key], discount_numbers[plan.discount]
        cutoff = _cutoff_arguments(plan.cutoff)
        specs.append((plan.reduction, *numbers, plan.denominator, *cutoff, plan.empty, plan.zero_if_short))
    threads = _threads.resolve(n_threads)
    pool = None if judged is None else (judged.labels, judged.offsets)
    return _core.measure(
        labels, scores, offsets, pool, gain_arguments, discount_arguments, specs, ties, negative, threads
    )

"""Measures of relevant or not, and of judged or not, that the library does not have: one value per query each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.evaluation.trec_eval.groups import ratio
from idealrank.evaluation.trec_eval.rankings import UNJUDGED, UNPOOLED, Rankings

__all__ = [
    "binary_gain",
    "eleven_point",
    "f_measure",
    "inferred_ap",
    "interpolated_precision",
    "n_nonrelevant",
    "r_precision_at",
    "relative_precision_at",
    "relevance_string",
    "set_map",
    "set_relative_precision",
    "unjudged_at",
    "utility",
    "yaap",
]

_EPSILON = 0.00001


def n_nonrelevant(r: Rankings) -> Int64s:
    """Retrieved documents that are judged and not relevant."""
    return r.retrieved.count(r.nonrelevant)


def yaap(r: Rankings) -> Floats:
    """log((1 + s) / (1 + relevant - s)), s the sum of the precision at each relevant document (Robertson 2012)."""
    total = r.found.total(r.precision)
    return np.log((1 + total) / (1 + r.n_relevant - total))


def r_precision_at(r: Rankings, multiple: float) -> Floats:
    """Precision after floor(multiple * relevant + 0.9) documents."""
    cutoffs = np.floor(multiple * r.n_relevant + 0.9).astype(np.int64)
    return ratio(r.hits(cutoffs), cutoffs)


def interpolated_precision(r: Rankings, recall: float) -> Floats:
    """The best precision at any relevant document from the one that reaches this recall on."""
    wanted = recall * r.n_relevant
    whole = np.floor(wanted)
    # Version 10 rounds, halves up.
    needed = whole + (wanted - whole >= 0.5) if r.version >= 10 else np.floor(wanted + 0.9)
    place = np.maximum(needed, 1).astype(np.int64)
    value = r.found.after(r.interpolated, np.arange(r.n_queries), place)
    return np.where(place <= r.found.sizes, value, 0.0)


def eleven_point(r: Rankings, recalls: Sequence[float]) -> Floats:
    """Mean of the interpolated precision at these recalls."""
    total = np.zeros(r.n_queries)
    for recall in reversed(recalls):  # in the order in which trec_eval adds
        total += interpolated_precision(r, recall)
    return total / len(recalls)


def relative_precision_at(r: Rankings, k: int) -> Floats:
    """Relevant among the first k, / the most there could be."""
    return ratio(r.hits(k), np.minimum(r.n_relevant, k))


def unjudged_at(r: Rankings, k: int) -> Floats:
    """Unjudged among the first k, / k."""
    return r.retrieved.count((r.labels < 0) & (r.retrieved.ranks <= k)) / k


def inferred_ap(r: Rankings) -> Floats:
    """Average precision where only a sample of the pool is judged (Yilmaz and Aslam 2006)."""
    relevant, above = r.found.ranks - 1, r.found_ranks - 1.0
    nonrelevant = r.retrieved.count_so_far(r.nonrelevant)[r.found_rows]
    unjudged = r.retrieved.count_so_far(r.labels == UNJUDGED)[r.found_rows]
    pooled = ratio(relevant + nonrelevant + unjudged, above)
    precise = (relevant + _EPSILON) / (relevant + nonrelevant + 2 * _EPSILON)
    return ratio(r.found.total(1 / (above + 1) + above / (above + 1) * pooled * precise), r.n_relevant)


def utility(r: Rankings, weights: Sequence[float]) -> Floats:
    """Weighted sum of relevant retrieved, nonrelevant retrieved, relevant missed and nonrelevant missed."""
    found, missed = r.found.sizes, r.n_relevant - r.found.sizes
    rest = r.n_collection + found - r.n_retrieved - r.n_relevant
    total: Floats = np.asarray(weights) @ np.stack((found, r.n_retrieved - found, missed, rest))
    return total


def binary_gain(r: Rankings) -> Floats:
    """Sum of 1 / log2(2 + documents above that are not relevant) over the relevant, / relevant."""
    return ratio(r.found.total(1 / np.log2(2 + r.found_ranks - r.found.ranks)), r.n_relevant)


def set_relative_precision(r: Rankings) -> Floats:
    """Relevant retrieved / the most there could be."""
    return ratio(r.found.sizes, np.minimum(r.n_retrieved, r.n_relevant))


def set_map(r: Rankings) -> Floats:
    """Precision times recall of the whole list."""
    return ratio(r.found.sizes * r.found.sizes, r.n_retrieved * r.n_relevant)


def f_measure(r: Rankings, weights: Sequence[float]) -> Floats:
    """(x + 1) P R / (R + x P) of the whole list, for a weight x."""
    x, precision, recall = weights[0], ratio(r.found.sizes, r.n_retrieved), ratio(r.found.sizes, r.n_relevant)
    return ratio((x + 1) * precision * recall, recall + x * precision)


def relevance_string(r: Rankings, lengths: Sequence[float]) -> list[str]:
    """Labels of the first documents: a digit, > above 9, - not in the pool, . in the pool but unjudged."""
    codes = np.full(r.labels.size, ord(">"), np.uint8)
    digits = (r.labels >= 0) & (r.labels <= 9)
    codes[digits] = ord("0") + r.labels[digits].astype(np.uint8)
    codes[r.labels == UNPOOLED] = ord("-")
    codes[r.labels == UNJUDGED] = ord(".")
    text, starts = codes.tobytes().decode(), r.retrieved.starts
    ends = starts + np.clip(int(lengths[0]), 0, r.n_retrieved)
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

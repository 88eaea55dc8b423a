"""Measures of relevant or not, and of judged or not: one value a query each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.evaluation.trec_eval.groups import ratio
from idealrank.evaluation.trec_eval.rankings import UNJUDGED, UNPOOLED, Rankings

__all__ = [
    "average_precision",
    "average_precision_at",
    "binary_gain",
    "binary_preference",
    "eleven_point",
    "f_measure",
    "inferred_ap",
    "interpolated_precision",
    "n_found",
    "n_nonrelevant",
    "n_relevant",
    "n_retrieved",
    "precision_at",
    "r_precision",
    "r_precision_at",
    "recall_at",
    "reciprocal_rank",
    "relative_precision_at",
    "relevance_string",
    "set_map",
    "set_precision",
    "set_recall",
    "set_relative_precision",
    "success_at",
    "unjudged_at",
    "utility",
    "yaap",
]

_EPSILON = 0.00001


def n_retrieved(r: Rankings) -> Int64s:
    """Retrieved documents."""
    return r.n_retrieved


def n_relevant(r: Rankings) -> Int64s:
    """Relevant documents."""
    return r.n_relevant


def n_found(r: Rankings) -> Int64s:
    """Relevant documents among those retrieved."""
    return r.found.sizes


def n_nonrelevant(r: Rankings) -> Int64s:
    """Retrieved documents that are judged and not relevant."""
    return r.retrieved.count(r.nonrelevant)


def average_precision(r: Rankings) -> Floats:
    """Sum of the precision at each relevant document, / relevant."""
    return ratio(r.found.total(r.precision), r.n_relevant)


def average_precision_at(r: Rankings, k: int) -> Floats:
    """Sum of the precision at each relevant document of the first k, / relevant."""
    return ratio(r.found.total(r.precision * (r.found_ranks <= k)), r.n_relevant)


def yaap(r: Rankings) -> Floats:
    """log((1 + s) / (1 + relevant - s)), s the sum of the precision at each relevant document (Robertson 2012)."""
    total = r.found.total(r.precision)
    return np.log((1 + total) / (1 + r.n_relevant - total))


def r_precision(r: Rankings) -> Floats:
    """Precision after as many documents as are relevant."""
    return ratio(r.hits(r.n_relevant), r.n_relevant)


def r_precision_at(r: Rankings, multiple: float) -> Floats:
    """Precision after floor(multiple * relevant + 0.9) documents."""
    cutoffs = np.floor(multiple * r.n_relevant + 0.9).astype(np.int64)
    return ratio(r.hits(cutoffs), cutoffs)


def binary_preference(r: Rankings) -> Floats:
    """Sum of 1 - min(n, R) / min(N, R) over the relevant, / R; nonrelevant: n above it, N judged; R relevant."""
    above = r.retrieved.count_so_far(r.nonrelevant)[r.found_rows]
    relevant = r.n_relevant[r.found.queries]
    nonrelevant = r.judged.count(r.judged_labels < r.level)[r.found.queries]
    lost = ratio(np.minimum(above, relevant), np.minimum(nonrelevant, relevant))
    return ratio(r.found.total(1 - lost), r.n_relevant)


def reciprocal_rank(r: Rankings) -> Floats:
    """1 / rank of the first relevant document."""
    return r.found.total((r.found.ranks == 1) / r.found_ranks)


def interpolated_precision(r: Rankings, recall: float) -> Floats:
    """The best precision from that relevant document on which reaches this recall."""
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


def precision_at(r: Rankings, k: int) -> Floats:
    """Relevant among the first k, / k."""
    return r.hits(k) / k


def relative_precision_at(r: Rankings, k: int) -> Floats:
    """Relevant among the first k, / the most there could be."""
    return ratio(r.hits(k), np.minimum(r.n_relevant, k))


def recall_at(r: Rankings, k: int) -> Floats:
    """Relevant among the first k, / relevant."""
    return ratio(r.hits(k), r.n_relevant)


def success_at(r: Rankings, k: int) -> Floats:
    """1 if any of the first k is relevant."""
    return (r.hits(k) > 0).astype(np.float64)


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


def set_precision(r: Rankings) -> Floats:
    """Relevant retrieved / retrieved."""
    return ratio(r.found.sizes, r.n_retrieved)


def set_recall(r: Rankings) -> Floats:
    """Relevant retrieved / relevant."""
    return ratio(r.found.sizes, r.n_relevant)


def set_relative_precision(r: Rankings) -> Floats:
    """Relevant retrieved / the most there could be."""
    return ratio(r.found.sizes, np.minimum(r.n_retrieved, r.n_relevant))


def set_map(r: Rankings) -> Floats:
    """Precision times recall of the whole list."""
    return ratio(r.found.sizes * r.found.sizes, r.n_retrieved * r.n_relevant)


def f_measure(r: Rankings, weights: Sequence[float]) -> Floats:
    """(x + 1) P R / (R + x P) of the whole list, for a weight x."""
    x, precision, recall = weights[0], set_precision(r), set_recall(r)
    return ratio((x + 1) * precision * recall, recall + x * precision)


def relevance_string(r: Rankings, lengths: Sequence[float]) -> list[str]:
    """Labels of the first documents: a digit, > above 9, - not in the pool, . there but unjudged."""
    codes = np.full(r.labels.size, ord(">"), np.uint8)
    digits = (r.labels >= 0) & (r.labels <= 9)
    codes[digits] = ord("0") + r.labels[digits].astype(np.uint8)
    codes[r.labels == UNPOOLED] = ord("-")
    codes[r.labels == UNJUDGED] = ord(".")
    text, starts = codes.tobytes().decode(), r.retrieved.starts
    ends = starts + np.clip(int(lengths[0]), 0, r.n_retrieved)
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

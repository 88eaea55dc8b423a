"""Formulas of measures that are no sum over ranks: functions from `Rankings` to one value per query.

The measures of `retrieval` and the trec_eval command share them. Terms are added in trec_eval's order, for its digits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idealrank._typing import Floats
from idealrank.measures.groups import ratio
from idealrank.measures.rankings import UNJUDGED, Rankings

__all__ = [
    "binary_gain",
    "documents_at",
    "inferred_ap",
    "interpolated_precision",
    "r_precision_at",
    "set_map",
    "set_relative_precision",
    "utility",
    "yaap",
]

_EPSILON = 0.00001


def inferred_ap(r: Rankings) -> Floats:
    """Compute average precision where only a sample of the pool is judged."""
    relevant, above = r.found.ranks - 1, r.found_ranks - 1.0
    nonrelevant = r.retrieved.count_so_far(r.nonrelevant)[r.found_rows]
    unjudged = r.retrieved.count_so_far(r.labels == UNJUDGED)[r.found_rows]
    pooled = ratio(relevant + nonrelevant + unjudged, above)
    precise = (relevant + _EPSILON) / (relevant + nonrelevant + 2 * _EPSILON)
    return ratio(r.found.total(1 / (above + 1) + above / (above + 1) * pooled * precise), r.n_relevant)


def interpolated_precision(r: Rankings, recall: float, rounding: str) -> Floats:
    """Compute the best precision at any relevant document from the one that reaches this recall on."""
    place = np.maximum(documents_at(r, recall, rounding), 1).astype(np.int64)
    value = r.found.after(r.interpolated, np.arange(r.n_queries), place)
    return np.where(place <= r.found.sizes, value, 0.0)


def documents_at(r: Rankings, recall: float, rounding: str) -> Floats:
    """Return the number of relevant documents that reaches a recall."""
    wanted = recall * r.n_relevant
    whole = np.floor(wanted)
    count: Floats = whole + (wanted - whole >= 0.5) if rounding == "nearest" else np.floor(wanted + 0.9)
    return count


def r_precision_at(r: Rankings, multiple: float) -> Floats:
    """Compute the precision after floor(multiple * relevant + 0.9) documents."""
    depths = np.floor(multiple * r.n_relevant + 0.9).astype(np.int64)
    return ratio(r.hits(depths), depths)


def utility(r: Rankings, weights: Sequence[float], n_collection: int = 0) -> Floats:
    """Compute the weighted sum of relevant retrieved, nonrelevant retrieved, relevant missed and nonrelevant missed."""
    found, missed = r.found.sizes, r.n_relevant - r.found.sizes
    rest = n_collection + found - r.n_retrieved - r.n_relevant
    a, b, c, d = weights
    total: Floats = a * found + b * (r.n_retrieved - found) + c * missed + d * rest  # in trec_eval's order
    return total


def binary_gain(r: Rankings) -> Floats:
    """Compute the sum of 1 / log2(2 + documents above that are not relevant) over the relevant, / relevant."""
    return ratio(r.found.total(1 / np.log2(2 + r.found_ranks - r.found.ranks)), r.n_relevant)


def set_map(r: Rankings) -> Floats:
    """Compute precision times recall of the whole list."""
    return ratio(r.found.sizes * r.found.sizes, r.n_retrieved * r.n_relevant)


def set_relative_precision(r: Rankings) -> Floats:
    """Compute relevant retrieved / the most there could be."""
    return ratio(r.found.sizes, np.minimum(r.n_retrieved, r.n_relevant))


def yaap(r: Rankings) -> Floats:
    """Compute log((1 + s) / (1 + relevant - s)), s the sum of the precision at each relevant document."""
    total = r.found.total(r.precision)
    return np.log((1 + total) / (1 + r.n_relevant - total))

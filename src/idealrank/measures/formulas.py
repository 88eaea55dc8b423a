"""Formulas of measures that are no sum over ranks: functions from `RankedLabels` or `Graded` to one value per query.

The measures of `retrieval` and the trec_eval command share them. Terms are added in trec_eval's order, for its digits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idealrank._typing import Floats
from idealrank.measures.groups import ratio
from idealrank.measures.ranked_labels import UNJUDGED, Graded, RankedLabels

__all__ = [
    "binary_gain",
    "dcg",
    "documents_at",
    "f_measure",
    "gain_over_cost",
    "ideal_dcg",
    "inferred_ap",
    "interpolated_precision",
    "ndcg_at_falls",
    "ndcg_at_relevant",
    "r_precision_at",
    "set_map",
    "set_relative_precision",
    "utility",
    "yaap",
]

_EPSILON = 0.00001


def inferred_ap(r: RankedLabels) -> Floats:
    """Compute average precision where only a sample of the pool is judged."""
    relevant, above = r.found.ranks - 1, r.found_ranks - 1.0
    # Signals such as Ctrl-C are handled between calls, not between operators, so no step may be long.
    nonrelevant = np.take(r.retrieved.count_so_far(r.nonrelevant), r.found_rows)
    unjudged = np.take(r.retrieved.count_so_far(np.equal(r.labels, UNJUDGED)), r.found_rows)
    pooled = ratio(relevant + nonrelevant + unjudged, above)
    precise = np.divide(relevant + _EPSILON, relevant + nonrelevant + 2 * _EPSILON)
    expected = np.add(1 / (above + 1), np.divide(above, above + 1) * pooled * precise)
    return ratio(r.found.total(expected), r.n_relevant)


def interpolated_precision(r: RankedLabels, recall: float, rounding: str) -> Floats:
    """Compute the best precision at any relevant document from the one that reaches this recall on."""
    place = np.maximum(documents_at(r, recall, rounding), 1).astype(np.int64)
    value = r.found.after(r.interpolated, np.arange(r.n_queries), place)
    return np.where(place <= r.found.sizes, value, 0.0)


def documents_at(r: RankedLabels, recall: float, rounding: str) -> Floats:
    """Return the number of relevant documents that reaches a recall."""
    wanted = recall * r.n_relevant
    whole = np.floor(wanted)
    count: Floats = whole + (wanted - whole >= 0.5) if rounding == "nearest" else np.floor(wanted + 0.9)
    return count


def r_precision_at(r: RankedLabels, multiple: float) -> Floats:
    """Compute the precision after floor(multiple * relevant + 0.9) documents."""
    depths = np.floor(multiple * r.n_relevant + 0.9).astype(np.int64)
    return ratio(r.hits(depths), depths)


def utility(r: RankedLabels, weights: Sequence[float], n_collection: int = 0) -> Floats:
    """Compute the weighted sum of relevant retrieved, nonrelevant retrieved, relevant missed and nonrelevant missed."""
    found, missed = r.found.sizes, r.n_relevant - r.found.sizes
    rest = n_collection + found - r.n_retrieved - r.n_relevant
    a, b, c, d = weights
    total: Floats = a * found + b * (r.n_retrieved - found) + c * missed + d * rest  # in trec_eval's order
    return total


def binary_gain(r: RankedLabels) -> Floats:
    """Compute the sum of 1 / log2(2 + documents above that are not relevant) over the relevant, / relevant."""
    return ratio(r.found.total(1 / np.log2(2 + r.found_ranks - r.found.ranks)), r.n_relevant)


def set_map(r: RankedLabels) -> Floats:
    """Compute precision times recall of the whole list."""
    return ratio(r.found.sizes * r.found.sizes, r.n_retrieved * r.n_relevant)


def set_relative_precision(r: RankedLabels) -> Floats:
    """Compute relevant retrieved / the most there could be."""
    return ratio(r.found.sizes, np.minimum(r.n_retrieved, r.n_relevant))


def yaap(r: RankedLabels) -> Floats:
    """Compute log((1 + s) / (1 + relevant - s)), s the sum of the precision at each relevant document."""
    total = r.found.total(r.precision)
    return np.log((1 + total) / (1 + r.n_relevant - total))


def f_measure(r: RankedLabels, weight: float) -> Floats:
    """Compute (x + 1) P R / (R + x P) of the whole list, for a weight x."""
    precision, recall = ratio(r.found.sizes, r.n_retrieved), ratio(r.found.sizes, r.n_relevant)
    return ratio((weight + 1) * precision * recall, recall + weight * precision)


def dcg(g: Graded) -> Floats:
    """Compute the sum of gain / log2(rank + 1)."""
    return g.retrieved.total(g.terms, g.rows)


def ideal_dcg(g: Graded) -> Floats:
    """Compute the same over the judged documents, best first."""
    return g.ideal.total(g.ideal_terms)


def gain_over_cost(g: Graded) -> Floats:
    """Compute the sum of gain / log2(2 + cost so far - gain so far), / ideal sum of gains.

    A rank costs its ideal gain, and at least 1.
    """
    cost, ranks, queries = np.ones(g.gains.size), g.retrieved.ranks, g.retrieved.queries
    in_both = ranks <= g.ideal.sizes[queries]
    cost[in_both] = np.maximum(g.ideal_gains[(g.ideal.starts[queries] + ranks - 1)[in_both]], 1)
    behind = (g.retrieved.running(cost) - g.retrieved.running(g.gains))[g.rows]
    with np.errstate(divide="ignore", invalid="ignore"):  # an ideal in the wrong order can fall behind
        each = g.gains[g.rows] / np.log2(2 + behind)
    return ratio(g.retrieved.total(each, g.rows), g.ideal.total(g.ideal_gains))


def _running(g: Graded) -> tuple[Floats, Floats]:
    """Return the running sums of dcg and of ideal dcg at each rank."""
    terms = np.zeros(g.gains.size)
    terms[g.rows] = g.terms
    return g.retrieved.running(terms), g.ideal.running(g.ideal_terms)


def ndcg_at_relevant(g: Graded) -> Floats:
    """Compute the mean over documents with a gain of ndcg at their ranks, or at the end if they are not retrieved."""
    running, ideal = _running(g)
    is_gain = g.gains > 0
    queries, ranks = g.retrieved.queries[is_gain], g.retrieved.ranks[is_gain]
    total = g.retrieved.total(ratio(running[is_gain], g.ideal.after(ideal, queries, ranks)), is_gain)
    total += (g.ideal.sizes - g.retrieved.count(is_gain)) * ratio(dcg(g), ideal_dcg(g))
    return np.where(total > 0, ratio(total, g.ideal.sizes), 0.0)


def ndcg_at_falls(g: Graded) -> Floats:
    """Compute the mean of ndcg at the ranks where the ideal gain falls, and at the end of a list that goes on.

    It is 0 / 0 where no document has a gain.
    """
    best = g.ideal
    running, ideal = _running(g)
    is_last = best.ranks == best.sizes[best.queries]
    falls = is_last | (g.ideal_gains != np.append(g.ideal_gains[1:], 0.0))
    at_falls = ratio(g.retrieved.after(running, best.queries[falls], best.ranks[falls]), ideal[falls])
    # trec_eval ignores the end of a list that is one document longer than the ideal.
    goes_on = (g.retrieved.sizes > best.sizes + 1) & (best.sizes > 0)
    total = best.total(at_falls, falls) + goes_on * ratio(dcg(g), ideal_dcg(g))
    return np.where(best.sizes > 0, ratio(total, best.count(falls) + goes_on), np.nan)

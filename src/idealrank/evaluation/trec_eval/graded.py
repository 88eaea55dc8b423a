"""Measures of how much a document is worth: one value per query each."""

from __future__ import annotations

import numpy as np

from idealrank._typing import Floats
from idealrank.evaluation.trec_eval.gains import Gains, gains_of
from idealrank.evaluation.trec_eval.groups import ratio
from idealrank.evaluation.trec_eval.rankings import Rankings

__all__ = [
    "dcg",
    "gain_over_cost",
    "ideal_dcg",
    "ndcg",
    "ndcg_at",
    "ndcg_at_falls",
    "ndcg_at_relevant",
    "rbp",
    "rbp_residual",
]


def dcg(r: Rankings, gains: Gains) -> Floats:
    """Sum of gain / log2(rank + 1)."""
    g = r.graded(gains)
    return r.retrieved.total(g.terms, g.rows)


def ideal_dcg(r: Rankings, gains: Gains) -> Floats:
    """The same over the judged documents, best first."""
    g = r.graded(gains)
    return g.ideal.total(g.ideal_terms)


def ndcg(r: Rankings, gains: Gains) -> Floats:
    """Quotient of dcg and ideal dcg."""
    return ratio(dcg(r, gains), ideal_dcg(r, gains))


def ndcg_at(r: Rankings, k: int) -> Floats:
    """Quotient of dcg and ideal dcg over the first k ranks; a label is its own gain."""
    g = r.graded(())
    ideal = g.ideal.total(g.ideal_terms * (g.ideal.ranks <= k))
    return ratio(r.retrieved.total(g.terms * (r.retrieved.ranks[g.rows] <= k), g.rows), ideal)


def _running(r: Rankings, gains: Gains) -> tuple[Floats, Floats]:
    """The sums at each rank that make dcg and ideal dcg."""
    g = r.graded(gains)
    terms = np.zeros(g.gains.size)
    terms[g.rows] = g.terms
    return r.retrieved.running(terms), g.ideal.running(g.ideal_terms)


def ndcg_at_relevant(r: Rankings, gains: Gains) -> Floats:
    """Mean over documents with a gain of ndcg at their ranks, or at the end of the list if not retrieved."""
    g = r.graded(gains)
    running, ideal = _running(r, gains)
    is_gain = g.gains > 0
    queries, ranks = r.retrieved.queries[is_gain], r.retrieved.ranks[is_gain]
    total = r.retrieved.total(ratio(running[is_gain], g.ideal.after(ideal, queries, ranks)), is_gain)
    total += (g.ideal.sizes - r.retrieved.count(is_gain)) * ndcg(r, gains)
    return np.where(total > 0, ratio(total, g.ideal.sizes), 0.0)


def ndcg_at_falls(r: Rankings, gains: Gains) -> Floats:
    """Mean of ndcg at the ranks where the ideal gain falls, and at the end of a list that goes on after them."""
    g = r.graded(gains)
    best = g.ideal
    running, ideal = _running(r, gains)
    is_last = best.ranks == best.sizes[best.queries]
    falls = is_last | (g.ideal_gains != np.append(g.ideal_gains[1:], 0.0))
    at_falls = ratio(r.retrieved.after(running, best.queries[falls], best.ranks[falls]), ideal[falls])
    # trec_eval passes over the end of a list that is one document longer than the ideal.
    goes_on = r.n_retrieved > best.sizes + 1
    total = best.total(at_falls, falls) + goes_on * ndcg(r, gains)
    return np.where(r.n_relevant > 0, ratio(total, best.count(falls) + goes_on), 0.0)


def gain_over_cost(r: Rankings, gains: Gains) -> Floats:
    """Sum of gain / log2(2 + cost so far - gain so far), / ideal sum of gains; a rank costs its ideal gain or 1."""
    g = r.graded(gains)
    cost = np.ones(g.gains.size)
    in_both = r.retrieved.ranks <= g.ideal.sizes[r.retrieved.queries]
    cost[in_both] = np.maximum(g.ideal_gains[(g.ideal.starts[r.retrieved.queries] + r.retrieved.ranks - 1)[in_both]], 1)
    behind = (r.retrieved.running(cost) - r.retrieved.running(g.gains))[g.rows]
    with np.errstate(divide="ignore", invalid="ignore"):  # an ideal in the wrong order can fall behind
        each = g.gains[g.rows] / np.log2(2 + behind)
    return ratio(r.retrieved.total(each, g.rows), g.ideal.total(g.ideal_gains))


def _powers(r: Rankings, p: float) -> Floats:
    """p^0, p^1, ... up to the length of the longest list."""
    return np.cumprod(np.append(1.0, np.full(r.n_retrieved.max(initial=0), p)))


def rbp(r: Rankings, parameters: tuple[Gains, float]) -> Floats:
    """(1 - p) sum of gain p^(rank - 1); the gains of a query's labels are scaled to 0 ... 1 if they go beyond."""
    gains, p = parameters
    mapped = [label for label, _ in gains]
    worth, tops = gains_of(r.labels, gains), r.tops[r.retrieved.queries]
    in_scale = (r.labels >= 0) | np.isin(r.labels, mapped)
    for top in np.unique(r.tops).tolist():
        scale = gains_of(np.append(np.arange(top + 1.0), mapped), gains)
        least, most = scale.min(initial=0.0), scale.max(initial=0.0)
        if least < 0 or most > 1:
            rows = in_scale & (tops == top)
            worth[rows] = (worth[rows] - least) / (most - least)
    return (1 - p) * r.retrieved.total(worth * _powers(r, p)[r.retrieved.ranks - 1])


def rbp_residual(r: Rankings, parameters: tuple[Gains, float]) -> Floats:
    """What rbp could gain from unjudged documents and, if there are any, from after the end of the list."""
    p, is_unjudged = parameters[1], r.labels < 0
    powers = _powers(r, p)
    total = r.retrieved.total(is_unjudged * powers[r.retrieved.ranks - 1])
    return np.where(r.retrieved.count(is_unjudged) > 0, powers[r.n_retrieved] + (1 - p) * total, 0.0)

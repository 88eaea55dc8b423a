"""Measures of how much a document is worth: one value a query each."""

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
    return r.retrieved.total(r.gains(gains) * r.discounts[r.retrieved.ranks - 1])


def ideal_dcg(r: Rankings, gains: Gains) -> Floats:
    """The same over the judged documents, best first."""
    best = r.ideal(gains)
    return best.groups.total(best.gains * r.discounts[best.groups.ranks - 1])


def ndcg(r: Rankings, gains: Gains) -> Floats:
    """Quotient of dcg and ideal dcg."""
    return ratio(dcg(r, gains), ideal_dcg(r, gains))


def ndcg_at(r: Rankings, k: int) -> Floats:
    """Quotient of dcg and ideal dcg over the first k ranks; a label is its own gain."""
    weights, best = r.discounts * (np.arange(r.discounts.size) < k), r.ideal(())
    ideal = best.groups.total(best.gains * weights[best.groups.ranks - 1])
    return ratio(r.retrieved.total(r.gains(()) * weights[r.retrieved.ranks - 1]), ideal)


def _running(r: Rankings, gains: Gains) -> tuple[Floats, Floats]:
    """The sums at each rank that make dcg and ideal dcg."""
    best = r.ideal(gains)
    ideal = best.groups.running(best.gains * r.discounts[best.groups.ranks - 1])
    return r.retrieved.running(r.gains(gains) * r.discounts[r.retrieved.ranks - 1]), ideal


def ndcg_at_relevant(r: Rankings, gains: Gains) -> Floats:
    """Mean over documents with a gain of ndcg at their ranks, or at the end of the list if not retrieved."""
    best = r.ideal(gains).groups
    running, ideal = _running(r, gains)
    is_gain = r.gains(gains) > 0
    queries, ranks = r.retrieved.queries[is_gain], r.retrieved.ranks[is_gain]
    total = r.retrieved.total(ratio(running[is_gain], best.after(ideal, queries, ranks)), is_gain)
    total += (best.sizes - r.retrieved.count(is_gain)) * ndcg(r, gains)
    return np.where(total > 0, ratio(total, best.sizes), 0.0)


def ndcg_at_falls(r: Rankings, gains: Gains) -> Floats:
    """Mean of ndcg at the ranks where the ideal gain falls, and at the end of a list that goes on after them."""
    best = r.ideal(gains)
    groups = best.groups
    running, ideal = _running(r, gains)
    is_last = groups.ranks == groups.sizes[groups.queries]
    falls = is_last | (best.gains != np.append(best.gains[1:], 0.0))
    queries = groups.queries[falls]
    at_falls = ratio(r.retrieved.after(running, queries, groups.ranks[falls]), ideal[falls])
    # trec_eval passes over the end of a list that is one document longer than the ideal.
    goes_on = r.n_retrieved > groups.sizes + 1
    total = groups.total(at_falls, falls) + goes_on * ndcg(r, gains)
    return np.where(r.n_relevant > 0, ratio(total, groups.count(falls) + goes_on), 0.0)


def gain_over_cost(r: Rankings, gains: Gains) -> Floats:
    """Sum of gain / log2(2 + cost so far - gain so far), / ideal sum of gains; a rank costs its ideal gain or 1."""
    best, worth = r.ideal(gains), r.gains(gains)
    cost = np.ones(worth.size)
    in_both = r.retrieved.ranks <= best.groups.sizes[r.retrieved.queries]
    places = best.groups.starts[r.retrieved.queries] + r.retrieved.ranks - 1
    cost[in_both] = np.maximum(best.gains[places[in_both]], 1.0)
    is_gain = worth != 0
    behind = (r.retrieved.running(cost) - r.retrieved.running(worth))[is_gain]
    with np.errstate(divide="ignore", invalid="ignore"):  # an ideal in the wrong order can fall behind
        each = worth[is_gain] / np.log2(2 + behind)
    return ratio(r.retrieved.total(each, is_gain), best.groups.total(best.gains))


def _powers(r: Rankings, p: float) -> Floats:
    """p^0, p^1, ... up to the length of the longest list."""
    return np.cumprod(np.append(1.0, np.full(r.n_retrieved.max(initial=0), p)))


def rbp(r: Rankings, parameters: tuple[Gains, float]) -> Floats:
    """(1 - p) sum of gain p^(rank - 1); the gains of a query's labels are scaled to 0 ... 1 if they go beyond."""
    gains, p = parameters
    mapped = [label for label, _ in gains]
    worth, tops = r.gains(gains), r.tops[r.retrieved.queries]
    in_scale = (r.labels >= 0) | np.isin(r.labels, mapped)
    for top in np.unique(tops).tolist():
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

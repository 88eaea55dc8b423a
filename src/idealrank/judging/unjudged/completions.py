"""The labels of unjudged documents that make a measure, or a difference of two systems, smallest or largest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import group_of_each, offsets_of
from idealrank.errors import OptionError
from idealrank.judging.unjudged.pool import Gaps, Pool, Ranked, Rules, sums_by_query
from idealrank.measures import cutoffs, discounts


@dataclass(frozen=True)
class Segments:
    """For each query, an entry for each number 0, 1, ..., u of documents that are chosen among u.

    Parameters
    ----------
    sizes : int64 array
        The number of documents u of each query.
    """

    sizes: Int64s

    @cached_property
    def starts(self) -> Int64s:
        """The first entry of each query."""
        return offsets_of(self.sizes + 1)[:-1]

    @cached_property
    def queries(self) -> Int64s:
        """The query of each entry."""
        return np.repeat(np.arange(self.sizes.size), self.sizes + 1)

    @cached_property
    def counts(self) -> Int64s:
        """The number of chosen documents of each entry."""
        return np.arange(self.queries.size) - np.repeat(self.starts, self.sizes + 1)

    def sums(self, values: Floats) -> Floats:
        """Return, for each entry, the sum of the first values of its query, as many as are chosen."""
        entries = np.zeros(self.queries.size)
        entries[self.counts > 0] = values
        total = np.cumsum(entries)
        return total - np.repeat(total[self.starts], self.sizes + 1)


@dataclass(frozen=True)
class IdealSums:
    """The ideal DCG of each query, as a function of how many documents have at least each gain.

    Parameters
    ----------
    sums : float64 array
        Sums of the weights of the first 0, 1, 2, ... ranks; unused if ``lengths`` is given.
    depths : int64 array
        How many ranks count, by query.
    gains : float64 array
        The distinct positive gains, ascending.
    counts : int64 array of shape (n_gains, n_queries)
        How many judged documents have at least this gain.
    lengths : int64 array, optional
        The number n of documents of each query, if rank r has the weight n - r.
    """

    sums: Floats
    depths: Int64s
    gains: Floats
    counts: Int64s
    lengths: Int64s | None = None

    def layer(self, gain: int, n_more: Int64s, queries: Int64s) -> Floats:
        """Return what a layer adds to the ideal DCG if this many more documents have at least its gain."""
        height = self.gains[gain] - (self.gains[gain - 1] if gain else 0.0)
        n_docs = np.minimum(self.counts[gain, queries] + n_more, self.depths[queries])
        if self.lengths is None:
            layer: Floats = height * self.sums[n_docs]
            return layer
        lengths = self.lengths[queries]
        n_docs = np.minimum(n_docs, lengths)
        of_linear: Floats = height * (n_docs * lengths - n_docs * (n_docs + 1) / 2)
        return of_linear


def best_choice(values: Floats, segments: Segments) -> Int64s:
    """Return 1 for the first documents of each query, as many as have the largest value, and 0 for the others.

    Of equal values, the one with the most documents is taken.
    """
    is_largest = values == np.repeat(np.maximum.reduceat(values, segments.starts), segments.sizes + 1)
    counts = np.maximum.reduceat(np.where(is_largest, segments.counts, 0), segments.starts)
    number = segments.counts[segments.counts > 0]  # of each document within its query, starting at 1
    return (number <= np.repeat(counts, segments.sizes)).astype(np.int64)


def highest_ratio(
    fixed: Floats, weights: Floats, sizes: Int64s, ideal: IdealSums, levels: Floats, empty: float, n_threads: int
) -> Int64s:
    """Return the level of each unjudged document, 0 for no gain, where the ratio to the ideal DCG is largest.

    Parameters
    ----------
    fixed : float64 array
        The numerator without unjudged documents, by query.
    weights : float64 array
        The weight of each unjudged document, query by query, in descending order.
    sizes : int64 array
        The number of unjudged documents of each query.
    ideal : IdealSums
        The denominator; all levels are among its gains.
    levels : float64 array
        The positive gains that an unjudged document can have, ascending.
    empty : float
        The ratio where no document has a positive gain; NaN if there is none then.
    n_threads : int
        Number of threads.
    """
    return _native.highest_ratio(
        fixed,
        weights,
        offsets_of(sizes),
        ideal.sums,
        ideal.depths,
        ideal.gains,
        ideal.counts.ravel(),
        ideal.lengths,
        levels,
        empty,
        n_threads,
    )


def filled_with(ranked: Ranked, label: float) -> Gaps:
    """Return the same label for all unjudged documents."""
    labels = np.where(np.isnan(ranked.lists.labels), label, ranked.lists.labels)
    return Gaps(labels, np.zeros(0, np.int64), np.zeros(0))


def extreme_gaps(ranked: Ranked, rules: Rules, outside: Int64s) -> tuple[Gaps, Gaps]:
    """Return the labels for which the measure is lowest, and those for which it is highest, for each query.

    Parameters
    ----------
    ranked : Ranked
        The run.
    rules : Rules
        The measure, and the labels that an unjudged document could have.
    outside : int64 array
        How many unjudged documents there are that the run does not retrieve, by query.
    """
    plan = rules.plan
    bottom_label, top_label = float(rules.labels[0]), float(rules.labels[-1])
    if not rules.levels.size or not ranked.data.n_queries:
        return filled_with(ranked, bottom_label), filled_with(ranked, bottom_label)
    if plan.denominator in ("none", "cutoff", "retrieved", "full"):  # no label can lower it
        return filled_with(ranked, bottom_label), filled_with(ranked, top_label)
    weighed = _Weighed.of(ranked, rules, outside)
    low, high = (_LabelOrder.of(ranked, rules, weighed, highest=highest) for highest in (False, True))
    if plan.denominator == "ideal":
        levels = _of_ideal(ranked, rules, weighed, low, high)
    else:
        levels = (
            best_choice(-_of_binary(ranked, rules, low, highest=False), low.segments),
            best_choice(_of_binary(ranked, rules, high, highest=True), high.segments),
        )
    return low.gaps(ranked, rules, levels[0]), high.gaps(ranked, rules, levels[1])


@dataclass(frozen=True)
class _Weighed:
    """What the computations of the lowest and of the highest value share.

    Parameters
    ----------
    unjudged : int64 array
        The unjudged documents, as positions in rank order.
    outside, n_unjudged : int64 array
        The numbers of unjudged documents outside of the run and in it, by query.
    depths : int64 array
        How many ranks count, by query.
    weights : float64 array
        The weights of all documents in rank order.
    """

    unjudged: Int64s
    outside: Int64s
    n_unjudged: Int64s
    depths: Int64s
    weights: Floats

    @classmethod
    def of(cls, ranked: Ranked, rules: Rules, outside: Int64s) -> _Weighed:
        unjudged = np.flatnonzero(ranked.is_unjudged)
        n_unjudged = np.bincount(ranked.queries[unjudged], minlength=ranked.data.n_queries)
        depths = ranked.depths(rules, n_unjudged + outside)
        return cls(unjudged, outside, n_unjudged, depths, ranked.weights(rules, depths))


@dataclass(frozen=True)
class _LabelOrder:
    """Unjudged documents in the order in which they get high labels: by weight, those outside of the run last or first.

    Parameters
    ----------
    places : int64 array
        Positions in rank order; -1 for a document outside of the run.
    weights : float64 array
        Their weights, with a sign: negative if the lowest value is sought.
    segments : Segments
        Their numbers by query.
    depths : int64 array
        How many ranks count, by query.
    """

    places: Int64s
    weights: Floats
    segments: Segments
    depths: Int64s
    all_weights: Floats

    @classmethod
    def of(cls, ranked: Ranked, rules: Rules, weighed: _Weighed, *, highest: bool) -> _LabelOrder:
        n_queries, plan = ranked.data.n_queries, rules.plan
        unjudged, outside, n_unjudged = weighed.unjudged, weighed.outside, weighed.n_unjudged
        depths, weights = weighed.depths, weighed.weights
        # A document without a weight, in the run or not, only raises the denominator. This helps the highest value only
        # if the cutoff is R, or if it gives an empty query a value at all.
        most = outside + n_unjudged
        if highest and plan.cutoff != "relevant":
            most = np.minimum(most, 1 if np.isnan(plan.empty) else 0)
        elif plan.denominator in ("ideal", "reachable"):  # beyond the ranks that count, more of them change nothing
            most = np.minimum(most, depths)
        is_useful = weights[unjudged] != 0
        others = unjudged[~is_useful]
        n_others = np.bincount(ranked.queries[others], minlength=n_queries)
        from_last = np.repeat(np.cumsum(n_others), n_others) - np.arange(others.size)
        is_useful[~is_useful] = from_last <= most[ranked.queries[others]]
        n_outside = np.minimum(outside, np.maximum(most - n_others, 0)) * (not plan.ideal_retrieved)
        # Weights do not increase with the rank, and documents outside of the run have no weight.
        places = unjudged[is_useful]
        sizes = np.bincount(ranked.queries[places], minlength=n_queries)
        places = np.insert(places, np.repeat(np.cumsum(sizes), n_outside), -1)
        sizes += n_outside
        if not highest:  # from the last to the first
            ends = np.cumsum(sizes)
            places = places[np.repeat(2 * ends - sizes, sizes) - 1 - np.arange(places.size)]
        signed = np.append(weights, 0.0)[places] * (1 if highest else -1)  # the last entry is for -1
        return cls(places, signed, Segments(sizes), depths, weights)

    def gaps(self, ranked: Ranked, rules: Rules, level: Int64s) -> Gaps:
        """Return the labels for these levels."""
        inside = self.places >= 0
        labels = np.where(np.isnan(ranked.lists.labels), rules.labels[0], ranked.lists.labels)
        labels[ranked.places[self.places[inside]]] = rules.labels[level[inside]]
        queries = np.repeat(np.arange(self.segments.sizes.size), self.segments.sizes)[~inside]
        return Gaps(labels, queries, rules.labels[level[~inside]])


def _of_ideal(
    ranked: Ranked, rules: Rules, weighed: _Weighed, low: _LabelOrder, high: _LabelOrder
) -> tuple[Int64s, ...]:
    """Return the levels of the unjudged documents for which an NDCG is lowest, and for which it is highest."""
    n_unjudged = np.maximum(low.segments.sizes, high.segments.sizes)
    ideal = ideal_sums(ranked, rules, weighed.depths, n_unjudged)
    fixed = sums_by_query(ranked.queries, rules.gains(ranked.labels) * weighed.weights, ranked.data.n_queries)
    empty, n_threads = rules.plan.empty, ranked.lists.n_threads
    return tuple(
        highest_ratio(sign * fixed, own.weights, own.segments.sizes, ideal, rules.levels, sign * empty, n_threads)
        for sign, own in ((-1, low), (1, high))
    )


def ideal_sums(ranked: Ranked, rules: Rules, depths: Int64s, n_unjudged: Int64s) -> IdealSums:
    """Return the ideal DCG as a function of the numbers of documents with high gains."""
    plan, data = rules.plan, ranked.data
    gains, queries = _ideal_gains(ranked, rules)
    levels = np.unique(np.concatenate([gains[gains > 0], rules.levels]))
    counts = np.stack([np.bincount(queries[gains >= level], minlength=data.n_queries) for level in levels])
    if isinstance(plan.discount, discounts.Linear):
        return IdealSums(np.zeros(1), depths, levels, counts, data.group_sizes)
    longest = min(int(depths.max()), int((counts[0] + n_unjudged).max()))
    return IdealSums(np.concatenate([[0.0], np.cumsum(plan.discount.weights(longest))]), depths, levels, counts)


def known_relevant(ranked: Ranked, rules: Rules) -> Int64s:
    """Return how many documents that count in a denominator are known to be relevant, by query."""
    gains, queries = _ideal_gains(ranked, rules)
    return np.bincount(queries[gains > 0], minlength=ranked.data.n_queries)


def _ideal_gains(ranked: Ranked, rules: Rules) -> tuple[Floats, Int64s]:
    """Return the known gains of the documents that an ideal ranking can have, and their queries."""
    if rules.plan.ideal_retrieved:
        return rules.gains(ranked.labels), ranked.queries
    judged = ranked.lists.judged
    assert judged is not None
    return rules.gains(judged.labels), group_of_each(judged.offsets)


def denominators(ranked: Ranked, rules: Rules, depths: Int64s, n_relevant: Int64s, queries: Int64s) -> Floats:
    """Return what the number of relevant documents among the first ranks is divided by."""
    plan = rules.plan
    cutoff = depths[queries] if plan.cutoff is not None else ranked.data.group_sizes[queries]
    match plan.denominator:
        case "relevant":
            divisors: Floats = n_relevant.astype(np.float64)
        case "reachable":
            divisors = (n_relevant if plan.cutoff is None else np.minimum(n_relevant, cutoff)).astype(np.float64)
        case _:
            divisors = (cutoff + n_relevant) / 2
    return divisors


def _of_binary(ranked: Ranked, rules: Rules, order: _LabelOrder, *, highest: bool) -> Floats:
    """Return the measure for each number of relevant documents among the unjudged ones."""
    plan, data, segments = rules.plan, ranked.data, order.segments
    queries, counts = segments.queries, segments.counts
    is_relevant = rules.gains(ranked.labels) > 0
    n_relevant = known_relevant(ranked, rules)[queries] + counts
    if plan.cutoff == "relevant":
        top = _hits_at(ranked, rules, order, is_relevant, n_relevant, highest=highest)
    elif plan.reduction == "precision_mean":
        top = _precisions(ranked, rules, order, is_relevant, highest=highest)
    else:
        fixed = sums_by_query(ranked.queries, is_relevant * order.all_weights, data.n_queries)
        top = fixed[queries] + segments.sums(order.weights) * (1 if highest else -1)
    bottom = denominators(ranked, rules, order.depths, n_relevant, queries)
    values = np.where(n_relevant > 0, top / np.maximum(bottom, 0.5), plan.empty)
    # A query without a value for these labels counts only with other labels.
    return np.where(np.isnan(values), -np.inf if highest else np.inf, values)


def _precisions(ranked: Ranked, rules: Rules, order: _LabelOrder, is_relevant: Booleans, *, highest: bool) -> Floats:
    """Return the sum of the precisions at relevant ranks for each number of relevant unjudged documents.

    One more relevant document at rank r adds the precision there, and 1 / r' for each relevant rank r' below. Going
    down from the first rank, the documents below are judged ones; going up from the last, they include all unjudged
    ones below.
    """
    _refuse_averaged(ranked, rules)
    counted = ranked.ranks <= order.depths[ranked.queries]
    inverse = np.where(counted, 1.0 / ranked.ranks, 0.0)
    starts = np.arange(ranked.ranks.size) - ranked.ranks + 1

    def above(values: Floats) -> Floats:
        total = np.concatenate([[0.0], np.cumsum(values)])
        sums: Floats = total[:-1] - total[starts]
        return sums

    def below(values: Floats) -> Floats:
        total = np.concatenate([[0.0], np.cumsum(values)])
        sizes = ranked.data.group_sizes
        ends = starts + np.repeat(sizes, sizes)
        sums: Floats = total[ends] - total[1:]
        return sums

    is_unjudged = ranked.is_unjudged
    relevant = is_relevant.astype(np.float64)
    others = below(inverse * relevant)
    more_above = above(is_unjudged.astype(np.float64)) if highest else 0.0
    more_below = 0.0 if highest else below(inverse * is_unjudged)
    added = (above(relevant) + more_above + 1) * inverse + others + more_below
    fixed = sums_by_query(ranked.queries, relevant * inverse * (above(relevant) + 1), ranked.data.n_queries)
    inside = order.places >= 0
    steps = np.where(inside, added[order.places] if added.size else 0.0, 0.0)
    return fixed[order.segments.queries] + order.segments.sums(steps)


def _hits_at(
    ranked: Ranked, rules: Rules, order: _LabelOrder, is_relevant: Booleans, n_relevant: Int64s, *, highest: bool
) -> Floats:
    """Return how many relevant documents are among the first R, for each number of relevant unjudged documents."""
    _refuse_averaged(ranked, rules)
    queries, counts = order.segments.queries, order.segments.counts
    sizes = ranked.data.group_sizes
    last = ranked.data.offsets[queries] + np.minimum(n_relevant, sizes[queries])

    def first(values: Booleans) -> Int64s:
        total = np.concatenate([[0], np.cumsum(values)])
        counts_of_first: Int64s = total[last] - total[ranked.data.offsets[queries]]
        return counts_of_first

    judged, unjudged = first(is_relevant), first(ranked.is_unjudged)
    if highest:
        return (judged + np.minimum(counts, unjudged)).astype(np.float64)
    below = order.segments.sizes[queries] - unjudged  # these become relevant first
    return (judged + np.maximum(counts - below, 0)).astype(np.float64)


def _refuse_averaged(ranked: Ranked, rules: Rules) -> None:
    if ranked.is_averaged:
        raise OptionError(f"{rules.measure.label} has no bounds for averaged ties; choose another value of ties")


def _in_run(pool: Pool, name: str, rules: Rules, level: Int64s) -> Gaps:
    """Return labels for the unjudged documents of a run, and for those of the other runs."""
    ranked, own = pool.ranked[name], pool.numbers[name]
    labels = np.where(np.isnan(ranked.lists.labels), rules.labels[0], ranked.lists.labels)
    labels[ranked.places[ranked.is_unjudged]] = rules.labels[level[own]]
    others = np.ones(level.size, bool)
    others[own] = False
    return Gaps(labels, pool.queries[others], rules.labels[level[others]])


def constant_denominator(ranked: Ranked, rules: Rules, depths: Int64s) -> Floats:
    """Return what a sum is divided by, whatever the labels are, by query; 1 if it depends on them."""
    sizes = ranked.data.group_sizes
    match rules.plan.denominator:
        case "cutoff":
            divisors = depths if rules.plan.cutoff is not None else sizes
        case "retrieved":
            divisors = np.minimum(sizes, depths)
        case "full":
            return np.cumsum(rules.plan.discount.weights(int(depths.max())))[depths - 1]
        case _:
            divisors = np.ones_like(sizes)
    return np.maximum(divisors, 1).astype(np.float64)


def extreme_difference(pool: Pool, first: str, second: str, rules: Rules, *, highest: bool) -> tuple[Gaps, Gaps] | None:
    """Return the labels for which the first run is ahead of the second most, or least; None if this is not known.

    A document has the same label in both runs, so the bounds of the difference are narrower than those of the runs.

    Parameters
    ----------
    pool : Pool
        The runs and their unjudged documents.
    first, second : str
        The names of two runs.
    rules : Rules
        The measure, and the labels that an unjudged document could have.
    highest : bool
        Whether the difference is to be highest.
    """
    plan, runs = rules.plan, [pool.ranked[first], pool.ranked[second]]
    depths = [each.depths(rules, pool.sizes) for each in runs]
    if plan.reduction != "sum" or plan.ideal_retrieved or isinstance(plan.discount, discounts.Linear):
        return None
    if isinstance(plan.cutoff, cutoffs.Cutoff) and not np.array_equal(depths[0], depths[1]):
        return None
    if plan.cutoff == "relevant" or plan.denominator in ("relevant", "reachable", "harmonic"):
        return None
    depth = np.maximum(depths[0], depths[1])
    divisors = [constant_denominator(each, rules, depth) for each in runs]
    sign = 1 if highest else -1
    weights = [each.weights(rules, depth) / divisor[each.queries] for each, divisor in zip(runs, divisors, strict=True)]
    signed = sign * (pool.spread(first, weights[0]) - pool.spread(second, weights[1]))
    if plan.denominator != "ideal":
        level = np.where(signed > 0, rules.levels.size, 0)
    else:
        order = np.lexsort((-signed, pool.queries))
        ideal = ideal_sums(runs[0], rules, depth, pool.sizes)
        fixed = [
            sums_by_query(each.queries, rules.gains(each.labels) * own, pool.n_queries)
            for each, own in zip(runs, weights, strict=True)
        ]
        level = np.empty(order.size, np.int64)
        level[order] = highest_ratio(
            sign * (fixed[0] - fixed[1]), signed[order], pool.sizes, ideal, rules.levels, 0.0, runs[0].lists.n_threads
        )
    return _in_run(pool, first, rules, level), _in_run(pool, second, rules, level)

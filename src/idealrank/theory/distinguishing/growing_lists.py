"""Two rankers on growing lists: their curves, and which one is ahead at each length."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.seeds import generator
from idealrank._core.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import group_of_each
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.losses.segments import sums
from idealrank.measures import DCG, NDCG, LinearNDCG, Measure, gains
from idealrank.measures.measure_base import Plan, kernel_ties, lowest_dcg, run
from idealrank.theory.long_lists.limits_of_means import Mean, QueryCurves, expected_values, fit_queries, limit_mean

#: Lists up to this length are measured at every n, longer ones at no more than this many lengths.
ALL_UP_TO, AT_MOST = 5000, 500


def growing_sizes(longest: int) -> Int64s:
    """Return the lengths at which lists of up to ``longest`` documents are measured: all, or 500 in equal ratios.

    >>> growing_sizes(4), growing_sizes(1_000_000).size <= 500
    (array([1, 2, 3, 4]), True)
    """
    if longest <= ALL_UP_TO:
        return np.arange(1, longest + 1)
    return np.unique(np.geomspace(1, longest, AT_MOST).round().astype(np.int64))


def prefix_values(
    measures: Sequence[Measure],
    labels: Floats,
    rankers: Sequence[Floats],
    offsets: Int64s,
    sizes: npt.ArrayLike,
    *,
    n_threads: int | None = None,
) -> Floats:
    """Return NDCG of the first n documents of each query, for many n, rankers and measures at once.

    One sort per query and ranker is enough for all sizes and measures.

    Parameters
    ----------
    measures : sequence of Measure
        DCG, NDCG and linear NDCG measures. The ideal is that of the same n documents.
    labels : float64 array
        One label per document.
    rankers : sequence of float64 array
        The scores of each ranker.
    offsets : int64 array
        The offsets of the queries.
    sizes : array-like
        The increasing lengths n.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    float64 array
        Values of shape (rankers, measures, queries, sizes). NaN if a query has fewer documents, or if none of the first
        n is relevant.

    Raises
    ------
    OptionError
        If a measure is of another kind.

    Examples
    --------
    >>> from idealrank.measures import NDCG
    >>> labels, scores, offsets = np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 2])
    >>> prefix_values([NDCG()], labels, [scores], offsets, sizes=[1, 2])
    array([[[[       nan, 0.63092975]]]])
    """
    rising = np.ascontiguousarray(sizes, np.int64)
    plans = [_plan(each) for each in measures]
    threads = resolve_threads(n_threads)
    values = np.full((len(rankers), len(plans), offsets.size - 1, rising.size), np.nan)
    groups = [(plan.gain, kernel_ties(each)) for plan, each in zip(plans, measures, strict=True)]
    for gain, ties in dict.fromkeys(groups):
        worth = np.ascontiguousarray(gain(labels), np.float64)  # type: ignore[operator]
        rows = [i for i, group in enumerate(groups) if group == (gain, ties)]
        specs = [_spec(plans[i], rising) for i in rows]
        dcg_of = functools.partial(_native.prefix_dcg, worth, offsets=offsets, specs=specs, sizes=rising)
        ideals = dcg_of(scores=worth, ties="stable", n_threads=threads)
        for ranker, scores in enumerate(rankers):
            found = dcg_of(scores=scores, ties=ties, n_threads=threads)
            for i, dcg, ideal in zip(rows, found, ideals, strict=True):
                divisor = ideal if plans[i].denominator == "ideal" else np.ones(1)
                np.divide(dcg, divisor, out=values[ranker, i], where=divisor > 0)
    return values


def check_growing(measure: Measure, name: str) -> None:
    """Raise an OptionError unless growing lists can be measured by this measure, which the user calls by this name."""
    _plan(measure, name)


def _plan(measure: Measure, name: str | None = None) -> Plan:
    """The plan of a measure that growing lists can be measured by."""
    name = name or str(measure)
    if not isinstance(measure, (DCG, NDCG, LinearNDCG)):
        raise OptionError(f"growing lists can be measured by DCG, NDCG and linear NDCG, not by {name}")
    plan = measure.with_convention().plan()
    if plan.denominator == "full" or plan.zero_if_short or plan.cuts_ideal_elsewhere:
        raise OptionError(f"growing lists need the ideal of their own documents, which {name} does not use: {measure}")
    plan.discount.require_decreasing("theory of growing lists")
    if plan.denominator == "ideal" and lowest_dcg(measure.gain) < 0:
        raise OptionError(f"theory of growing lists needs gains of 0 or more for {name}, got {measure.gain}")
    return plan


def _spec(plan: Plan, sizes: Int64s) -> _native.PrefixSpec:
    """The discount and the depth at each size, for the native core."""
    depths = sizes if plan.cutoff is None else np.minimum(plan.cutoff.depths(sizes), sizes)  # type: ignore[union-attr]
    return _native.PrefixSpec(discount=plan.discount.native(int(depths.max(initial=0))), depths=depths)


@dataclass(frozen=True)
class Paths:
    """The lead of the better ranker on several lists at several lengths.

    Parameters
    ----------
    sizes : int64 array
        The lengths.
    lead : float64 array
        The lead, of shape (lists, sizes), or (pairs, lists, sizes) for several pairs at once. NaN if the list is
        shorter, or if nothing in it is relevant yet.

    Examples
    --------
    A list on which the better ranker is first behind, then ahead, then level, then ahead:

    >>> paths = Paths(np.array([1, 2, 3, 4]), np.array([[-0.1, 0.2, 0.0, 0.3]]))
    >>> paths.wins, paths.lasting_lead_share
    (array([0. , 1. , 0.5, 1. ]), array([0., 0., 0., 1.]))
    >>> paths.last_wrong, paths.sign_changes
    (array([3]), array([1]))
    """

    sizes: Int64s
    lead: Floats

    @property
    def wins(self) -> Floats:
        """For each size, the share of lists on which the better ranker is ahead; ties count half."""
        return _mean(np.where(np.isnan(self.lead), np.nan, (np.sign(self.lead) + 1) / 2))

    @property
    def mean_lead(self) -> Floats:
        """For each size, the mean lead over lists."""
        return _mean(self.lead)

    @property
    def lasting_lead_share(self) -> Floats:
        """For each size N, the share of lists on which it is ahead at all sizes from N on (Definition 5)."""
        right = np.isnan(self.lead) | (self.lead > 0)
        from_here_on = np.logical_and.accumulate(right[..., ::-1], axis=-1)[..., ::-1]
        return np.asarray(from_here_on.mean(axis=-2), np.float64)

    @property
    def last_wrong(self) -> Int64s:
        """For each list, the last size at which the better ranker is not ahead; 0 if there is none."""
        return _last(self.sizes, self.lead <= 0)

    @property
    def settled_at(self) -> Int64s:
        """The first size from which its mean lead stays above 0; 0 if it does not end above 0."""
        last = _last(self.sizes, ~(self.mean_lead > 0))
        return np.append(self.sizes, 0)[np.searchsorted(self.sizes, last, side="right")]

    @property
    def sign_changes(self) -> Int64s:
        """For each list, how often the lead goes from one ranker to the other as the list grows."""
        ahead = self.lead > 0
        places = np.flatnonzero(ahead | (self.lead < 0))  # a tie keeps the lead with whoever had it
        held = ahead.ravel()[places]
        after = np.flatnonzero(held[1:] != held[:-1])
        rows = places[after] // self.sizes.size
        changed = rows[rows == places[after + 1] // self.sizes.size]
        shape = self.lead.shape[:-1]
        return np.bincount(changed, minlength=math.prod(shape)).reshape(shape)


def _mean(values: Floats) -> Floats:
    """The mean over lists, without NaN; NaN if nothing is left."""
    known = np.isfinite(values)
    counts = np.count_nonzero(known, axis=-2)
    totals = np.where(known, values, 0.0).sum(axis=-2)
    means: Floats = np.divide(totals, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return means


def _last(sizes: Int64s, where: Booleans) -> Int64s:
    """For each row, the last size at which ``where`` is true; 0 if there is none."""
    last: Int64s = np.where(where, sizes, 0).max(axis=-1, initial=0)
    return last


#: Documents to draw for the variance within queries, and the least and the largest number of resamples.
_DRAWN, _LEAST, _MOST = 500_000, 10, 100
#: What a kernel computes for a measure, and its order of ties.
_PlanAndTies: TypeAlias = tuple[Plan | None, str]


@dataclass(frozen=True, eq=False)
class RankerCurves:
    """One ranker on complete lists, by one measure.

    Parameters
    ----------
    sizes : int64 array
        The lengths of growing lists.
    growing : float64 array of shape (lists, sizes)
        The values on growing lists; NaN if the list is shorter, or if nothing in it is relevant yet.
    curves : QueryCurves
        The relevance curve of each query.
    observed : float64 array
        The value of each query.
    redrawn : float64 array of shape (draws, queries)
        The values of the queries that have a relevant document, with documents drawn from their own, minus their mean
        over the draws; see `_deviations`. The draws are the same for all rankers and measures.
    expected : float64 array
        The value that the curve of each query predicts, queries without a relevant document last.
    limit : Mean
        The limit of the mean on ever longer lists of queries with relevant documents; NaN if there is none.
    """

    sizes: Int64s
    growing: Floats
    curves: QueryCurves
    observed: Floats
    redrawn: Floats
    expected: Floats
    limit: Mean

    @cached_property
    def means(self) -> Floats:
        """The mean over lists at each length."""
        return Paths(self.sizes, self.growing).mean_lead


def ranker_curves(
    measures: Mapping[str, Measure],
    labels: Floats,
    rankers: Mapping[str, Floats],
    offsets: Int64s,
    sizes: Int64s,
    *,
    n_orders: int = 0,
    seed: int = 0,
    n_threads: int | None = None,
) -> dict[str, dict[str, RankerCurves]]:
    """Return what each ranker shows by each measure, as {ranker: {measure: RankerCurves}}.

    Parameters
    ----------
    measures : mapping of str to Measure
        DCG, NDCG and linear NDCG measures by name.
    labels : float64 array
        One label per document, not negative.
    rankers : mapping of str to float64 array
        The scores of each ranker by name.
    offsets : int64 array
        The offsets of the queries.
    sizes : int64 array
        The lengths of growing lists.
    n_orders : int
        Number of random orders in which lists grow; 0 means that they grow in the order of their rows.
    seed : int
        Seed of the random number generator.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    """
    filled, scores = list(measures.values()), list(rankers.values())
    growing = _growing(filled, labels, scores, offsets, sizes, n_orders, seed, n_threads)
    plans = [(each.plan(), kernel_ties(each)) for each in (m.with_convention() for m in filled)]
    observed = _values(plans, labels, scores, offsets, n_threads)
    redrawn = _deviations(_redrawn(plans, labels, scores, offsets, seed, n_threads))
    found: dict[str, dict[str, RankerCurves]] = {}
    for place, (ranker, column) in enumerate(rankers.items()):
        curves = {gain: fit_queries(gain(labels), column, offsets) for gain in {*map(_gain, filled)}}
        found[ranker] = {}
        for row, (name, m) in enumerate(measures.items()):
            own, limit = curves[_gain(m)], limit_mean(m, curves[_gain(m)])
            values = growing[place, row], own, observed[place, row], redrawn[:, place, row]
            found[ranker][name] = RankerCurves(sizes, *values, expected_values(m, own), limit)
    return found


def _gain(m: Measure) -> gains.Gain:
    """The gain of a measure."""
    gain: gains.Gain = m.with_convention().gain  # type: ignore[attr-defined]
    return gain


def _growing(
    measures: list[Measure],
    labels: Floats,
    rankers: list[Floats],
    offsets: Int64s,
    sizes: Int64s,
    n_orders: int,
    seed: int,
    n_threads: int | None,
) -> Floats:
    """Values on growing lists, in row order or in random orders, of shape (rankers, measures, lists, sizes)."""
    rng = generator(seed)
    queries = group_of_each(offsets)
    found = []
    for _ in range(max(n_orders, 1)):
        order = np.lexsort((rng.random(labels.size), queries)) if n_orders else np.arange(labels.size)
        ordered = [scores[order] for scores in rankers]
        found.append(prefix_values(measures, labels[order], ordered, offsets, sizes, n_threads=n_threads))
    return np.concatenate(found, axis=2)


def _values(
    plans: list[_PlanAndTies], labels: Floats, rankers: list[Floats], offsets: Int64s, n_threads: int | None
) -> Floats:
    """Values of shape (rankers, measures, queries), with one sort per ranker and order of ties."""
    found = np.empty((len(rankers), len(plans), offsets.size - 1))
    for ties in {ties for _, ties in plans}:
        rows = [row for row, (_, own) in enumerate(plans) if own == ties]
        alike = [plan for plan, own in plans if own == ties and plan is not None]
        for values, scores in zip(found, rankers, strict=True):
            values[rows] = run(alike, Lists.of(labels, scores, offsets, n_threads=n_threads), ties)
    return found


def _redrawn(
    plans: list[_PlanAndTies],
    labels: Floats,
    rankers: list[Floats],
    offsets: Int64s,
    seed: int,
    n_threads: int | None,
) -> Floats:
    """Values with documents drawn from each query's own, of shape (draws, rankers, measures, queries with a curve)."""
    sizes = np.diff(offsets)
    begins, widths = np.repeat(offsets[:-1], sizes), np.repeat(sizes, sizes)
    rng = generator(seed)

    def has_relevant(gains: Floats) -> Booleans:
        return sums(gains, offsets) > 0

    drawn = []
    for _ in range(int(np.clip(_DRAWN // labels.size, _LEAST, _MOST))):
        rows = begins + (rng.random(labels.size) * widths).astype(np.int64)
        found = _values(plans, labels[rows], [scores[rows] for scores in rankers], offsets, n_threads)
        drawn.append(np.where(has_relevant(labels[rows]), found, np.nan)[:, :, has_relevant(labels)])
    return np.array(drawn)


def _deviations(drawn: Floats) -> Floats:
    """The values minus their means over draws, scaled so that their sum of squares is the mean variance of a query.

    A value without a relevant document is NaN for all rankers and measures; it counts 0 here, like a query with less
    than two values.
    """
    known = ~np.isnan(drawn)
    counts = np.count_nonzero(known, axis=0)
    several = counts > 1
    values = np.where(known & several, drawn, 0.0)
    means = values.sum(axis=0) / np.maximum(counts, 1)
    n_queries = np.count_nonzero(several, axis=-1)[..., None]
    scales = np.sqrt(np.maximum(counts - 1, 1) * np.maximum(n_queries, 1))
    return np.asarray(np.where(known & several, values - means, 0.0) / scales)

"""What one ranker shows on complete lists: computed once, and used for every pair that the ranker is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank._core.seeds import generator
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.losses.segments import sums
from idealrank.measures import Measure, gains
from idealrank.measures.measure_base import kernel_ties
from idealrank.measures.plan import run
from idealrank.theory.distinguishing.growing_lists import Paths
from idealrank.theory.distinguishing.prefixes import prefix_values
from idealrank.theory.long_lists.limits_of_means import Mean, expected_values, limit_mean
from idealrank.theory.long_lists.query_curves import QueryCurves, fit_queries

__all__ = ["RankerCurves", "ranker_curves"]

#: Documents to draw for the variance within queries, and the least and the largest number of resamples.
_DRAWN, _LEAST, _MOST = 500_000, 10, 100


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
        The values of the queries that have a relevant document, with documents drawn from their own; NaN if no relevant
        one was drawn. The draws are the same for all rankers and measures.
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
    observed = _values(filled, labels, scores, offsets, n_threads)
    redrawn = _redrawn(filled, labels, scores, offsets, seed, n_threads)
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
    queries = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    found = []
    for _ in range(max(n_orders, 1)):
        order = np.lexsort((rng.random(labels.size), queries)) if n_orders else np.arange(labels.size)
        ordered = [scores[order] for scores in rankers]
        found.append(prefix_values(measures, labels[order], ordered, offsets, sizes, n_threads=n_threads))
    return np.concatenate(found, axis=2)


def _values(
    measures: list[Measure], labels: Floats, rankers: list[Floats], offsets: Int64s, n_threads: int | None
) -> Floats:
    """Values of shape (rankers, measures, queries), with one sort per ranker and order of ties."""
    plans = [(each.plan(), kernel_ties(each)) for each in (m.with_convention() for m in measures)]
    found = np.empty((len(rankers), len(plans), offsets.size - 1))
    for ties in {ties for _, ties in plans}:
        rows = [row for row, (_, own) in enumerate(plans) if own == ties]
        alike = [plan for plan, own in plans if own == ties and plan is not None]
        for values, scores in zip(found, rankers, strict=True):
            values[rows] = run(alike, Lists.of(labels, scores, offsets, n_threads=n_threads), ties)
    return found


def _redrawn(
    measures: list[Measure],
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
        found = _values(measures, labels[rows], [scores[rows] for scores in rankers], offsets, n_threads)
        drawn.append(np.where(has_relevant(labels[rows]), found, np.nan)[:, :, has_relevant(labels)])
    return np.array(drawn)

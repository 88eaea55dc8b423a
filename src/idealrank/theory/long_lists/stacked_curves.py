"""The step curves of many queries in one array, so that a measure is evaluated for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.theory.long_lists.curves import top_noise
from idealrank.theory.long_lists.expectations import middles
from idealrank.theory.long_lists.steps import StepCurve, bin_edges, levels_of, shares_below
from idealrank.theory.long_lists.weights import Weight, power


@dataclass(frozen=True, eq=False)
class StepCurves:
    """Step curves, one per query; what a `StepCurve` has as a number is an array here.

    Parameters
    ----------
    levels : float64 array of shape (n_levels,)
        The gains above 0 of all curves, in decreasing order.
    edges : float64 array of shape (n_queries, n_steps + 1)
        The edges of each curve from 0 to 1. A curve with fewer steps has several zeros in front: steps without width.
    steps : float64 array of shape (n_queries, n_levels, n_steps)
        The probabilities of each level, 0 for a level that a query does not have.

    Examples
    --------
    >>> found = StepCurves.of([StepCurve([0, 1], [0.5]), StepCurve([0, 0.7, 1], [0.2, 0.8])])
    >>> found.edges[0], found.top, found.mean.round(12)
    (array([0., 0., 1.]), array([0.5, 0.8]), array([0.5 , 0.38]))
    """

    levels: Floats
    edges: Floats
    steps: Floats

    @classmethod
    def of(cls, curves: Sequence[StepCurve]) -> StepCurves:
        """Stack curves."""
        levels = sorted({level for each in curves for level in each.levels}, reverse=True)
        edges = _in_rows([each.edges for each in curves])
        steps = np.zeros((len(curves), len(levels), edges.shape[1] - 1))
        for own, each in zip(steps, curves, strict=True):
            own[np.isin(levels, each.levels), edges.shape[1] - each.edges.size :] = each.steps
        return cls(np.array(levels), edges, steps)

    @classmethod
    def fit(cls, gains: Floats, scores: Floats, offsets: Int64s, *, method: str, n_bins: int) -> StepCurves:
        """Fit the curve of each query, all of which have a relevant document, as `StepCurve.fit` does."""
        if method not in ("bins", "top"):  # every query has steps of its own
            cuts = offsets[1:-1]
            parts = zip(np.split(gains, cuts), np.split(scores, cuts), strict=True)
            return cls.of([StepCurve.fit(*part, method=method, n_bins=n_bins) for part in parts])
        levels, sizes = levels_of(gains), np.diff(offsets).tolist()
        by_size = {n: bin_edges(method, n_bins, n) for n in {*sizes}}
        edges = _in_rows([by_size[n] for n in sizes])
        return cls(levels, edges, _heights(np.diff(shares_below(edges, levels, gains, scores, offsets)), edges))

    def probabilities(self, s: Floats) -> Floats:
        """Return P(gain = level | s) of each query and level, for a row of canonical scores per query."""
        return _taken(self.steps, self._places(s))

    def below(self, s: Floats) -> Floats:
        """Return the share of each query's documents that have each gain and a canonical score below s."""
        sums = np.cumsum(self.steps * np.diff(self.edges)[:, None], axis=2)
        sums = np.concatenate((np.zeros((*sums.shape[:2], 1)), sums), axis=2)
        places = self._places(np.broadcast_to(s, (len(self.edges), s.size)))
        beyond = s - np.take_along_axis(self.edges, places, axis=1)
        return _taken(sums, places) + _taken(self.steps, places) * beyond[:, None]

    def gains_at_ranks(self, sizes: Int64s) -> Floats:
        """Return the expected gain at each rank of lists of these sizes, one list after the other."""
        gains, canonical = self.levels @ self.steps, {n: middles(n, n) for n in {*sizes.tolist()}}
        rows = zip(gains, self.edges, sizes.tolist(), strict=True)
        return np.concatenate([row[np.searchsorted(edges, canonical[n], side="right") - 1] for row, edges, n in rows])

    def _places(self, s: Floats) -> Int64s:
        """The step at each canonical score of each query."""
        rows = zip(self.edges, s, strict=True)
        found = np.array([np.searchsorted(edges, own, side="right") for edges, own in rows]) - 1
        return found.clip(0, self.steps.shape[2] - 1)

    def integral(self, weight: Weight, to: float = 1.0) -> Floats:
        """Integrate the expected gain times a weight over the places u up to ``to``."""
        return self.integrals(weight, to) @ self.levels

    def integrals(self, weight: Weight, to: float = 1.0) -> Floats:
        """Integrate the probability of each level times a weight over the places u up to ``to``."""
        worth = -np.diff(weight.integral((1 - self.edges).clip(0, to)))
        return np.asarray((self.steps @ worth[:, :, None])[:, :, 0])

    def ideal_integral(self, weight: Weight, to: float = 1.0) -> Floats:
        """Integrate the gain of the ideal ranking times a weight over the places u up to ``to``."""
        ends = np.concatenate((np.zeros((len(self.edges), 1)), np.cumsum(self.shares, axis=1)), axis=1)
        return np.asarray(np.diff(weight.integral(ends.clip(0, to))) @ self.levels)

    @cached_property
    def shares(self) -> Floats:
        """The share of documents at each level."""
        return self.integrals(power(0))

    @cached_property
    def mean(self) -> Floats:
        """The mean gain of all documents."""
        return self.shares @ self.levels

    @cached_property
    def best(self) -> Floats:
        """The highest gain that a positive share of the documents has."""
        return np.asarray(self.levels[(self.shares > 0).argmax(axis=1)])

    @cached_property
    def top(self) -> Floats:
        """The expected gain at the very top."""
        return self.steps[:, :, -1] @ self.levels

    @cached_property
    def top_variance(self) -> Floats:
        """The variance of the gain at the very top; 0 if the top is free of noise."""
        return top_noise(self.steps[:, :, -1] @ self.levels**2 - self.top**2)


def shrunk(own: StepCurves, pooled: StepCurve, weights: Floats) -> StepCurves:
    """Return the curves, moved towards the pooled one with their own shares; ``weights`` are those of the own ones."""
    lent, common = _common_shape(own, pooled), np.broadcast_to(pooled.edges, (len(own.edges), pooled.edges.size))
    edges = np.sort(np.concatenate((own.edges, common), axis=1), axis=1)
    wide = np.diff(edges) > 1e-12
    # Of edges that differ by rounding only, the last one counts; steps without width in all curves are left out.
    last = np.where(np.pad(wide, ((0, 0), (0, 1)), constant_values=True), edges, np.inf)
    edges = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1][:, np.append(wide.any(axis=0), True)]
    centers = (edges[:, 1:] + edges[:, :-1]) / 2
    borrowed = _taken(lent, np.searchsorted(pooled.edges, centers) - 1)
    share = weights[:, None, None]
    steps = share * own.probabilities(centers) + (1 - share) * borrowed
    return StepCurves(own.levels, edges, steps.clip(0, 1))


_ROUNDS = 500


def _common_shape(own: StepCurves, pooled: StepCurve) -> Floats:
    """Curves of one shape with each query's own shares: of shape (queries, levels, steps of the pooled curve).

    log P(level l at place s of query q) is a sum of terms of (q, l), (l, s) and (q, s), chosen so that the shares of
    each query and the mean over queries at each place are as seen (iterative proportional fitting).
    """
    widths = np.diff(pooled.edges)
    graded = np.diff(own.below(pooled.edges)) / widths
    seen = np.concatenate((graded, np.maximum(1 - graded.sum(axis=1, keepdims=True), 0)), axis=1)  # gain 0 comes last
    shares, means = seen @ widths, seen.mean(axis=0)
    chances = np.broadcast_to(means, seen.shape)
    for _ in range(_ROUNDS):
        chances = chances * _ratio(shares, chances @ widths)[:, :, None]
        chances = chances * _ratio(means, chances.mean(axis=0))
        chances = chances * _ratio(np.ones(1), chances.sum(axis=1, keepdims=True))
        if np.abs(chances @ widths - shares).max() < 1e-4:
            break
    return chances[:, :-1]


def _ratio(wanted: Floats, have: Floats) -> Floats:
    """The factors from what there is to what is wanted; 0 where there is nothing."""
    return np.divide(wanted, have, out=np.zeros_like(have), where=have > 0)


def _taken(values: Floats, places: Int64s) -> Floats:
    """For each query and level, the values at the places of the query."""
    return np.take_along_axis(values, places[:, None], axis=2)


def _heights(parts: Floats, edges: Floats) -> Floats:
    """The heights of steps with these areas; 0 for a step without width."""
    widths = np.diff(edges)[:, None]
    return np.divide(parts, widths, out=np.zeros_like(parts), where=widths > 0).clip(0, 1)


def _in_rows(edges: Sequence[Floats]) -> Floats:
    """The edges of each curve as a row, with zeros in front of the shorter ones."""
    rows = np.zeros((len(edges), max(each.size for each in edges)))
    for row, each in zip(rows, edges, strict=True):
        row[row.size - each.size :] = each
    return rows

"""The p-norm push: exponential losses of pairs, summed so that mistakes at the top of the list weigh most."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._names.options import number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.losses.loss_base import Loss
from idealrank.losses.loss_names import register
from idealrank.losses.segments import check_finite, check_outcome, log_shares, log_sum_exp, runs, sums


@register("push")
class Push(Loss):
    """1/p ln(sum_k (sum_i exp(s_k - s_i))^p / sum_k n_k^p), for the n_k documents i with higher labels than k.

    The objective of Rudin (2009) is the sum over k. Its logarithm is convex too, has the same minimum, and gives all
    queries the same weight, however far apart their scores are. If all scores are equal, it is 0. The weight of a
    document multiplies each pair in which it is the better one; n_k is then a sum of weights.

    Parameters
    ----------
    p : float
        The power. 1 gives the logarithm of the mean of exp(s_k - s_i) over pairs, RankBoost's loss; the larger p is,
        the more the highest-ranked k dominate.

    Examples
    --------
    Labels 1, 0, 0 and scores 0, ln 2, ln 4, p = 2: 1/2 ln((2^2 + 4^2) / 2) = 1/2 ln 10.

    >>> import numpy as np
    >>> from idealrank.losses import Push
    >>> Push(p=2)([1, 0, 0], [0, np.log(2), np.log(4)])
    (array([1.15129255]), array([-1. ,  0.2,  0.8]))
    """

    p: float = option(number(1, 1e6), 4.0)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        gradient = np.empty_like(lists.scores)
        with np.errstate(all="ignore"):
            pairs = _LevelPairs.of(lists)
            total, shares = self._shares(pairs, lists)
            gradient[pairs.order] = shares - pairs.pulled(shares, 1)
            even = log_sum_exp(self.p * pairs.log_counts, lists.offsets)
            values = np.where(np.isneginf(total), 0.0, (total - even) / self.p)
        return check_outcome(self, values, gradient, lists)

    def curvature(self, lists: Lists) -> Floats:
        curvature = np.empty_like(lists.scores)
        with np.errstate(all="ignore"):
            pairs = _LevelPairs.of(lists)
            _, shares = self._shares(pairs, lists)
            first, second = pairs.pulled(shares, 1), pairs.pulled(shares, 2)
            spread = shares + second - (shares - first) ** 2
            curvature[pairs.order] = np.maximum(first - second + self.p * spread, 0)
        return np.nan_to_num(curvature, nan=0.0)

    def _shares(self, pairs: _LevelPairs, lists: Lists) -> tuple[Floats, Floats]:
        """Return the logarithm of the sum over k, and each k's share in it; -inf and 0 for a query without pairs."""
        terms = self.p * (pairs.scores + pairs.nearest + pairs.rest)
        return log_sum_exp(terms, lists.offsets), np.nan_to_num(np.exp(log_shares(terms, lists.offsets)), nan=0.0)


def n_pairs(lists: Lists) -> Floats:
    """Return the number of pairs of documents with different labels of each query, weighted by the better document.

    Examples
    --------
    >>> n_pairs(Lists(np.array([1.0, 0, 0, 2, 2]), np.zeros(5), np.array([0, 3, 5])))
    array([2., 0.])
    """
    with np.errstate(all="ignore"):
        return sums(np.exp(_LevelPairs.of(lists).log_counts), lists.offsets)


@dataclass(frozen=True)
class _LevelPairs:
    """The documents of each query by decreasing label, so that those with the same label, a level, are contiguous.

    ``level`` is the index of each document's level; ``levels`` are the offsets of levels among documents, ``queries``
    those of queries among levels. The log of sum_i w_i exp(-s_i), over the documents i of the levels above each
    document's, is ``nearest + rest``, where ``nearest`` is the largest -s_i. The parts are kept separately because the
    rest could be lost in the sum if scores are large. If no documents are above, the log is -inf.
    """

    order: Int64s
    scores: Floats
    weights: Floats
    level: Int64s
    levels: Int64s
    queries: Int64s
    offsets: Int64s
    n_threads: int

    @classmethod
    def of(cls, lists: Lists) -> _LevelPairs:
        check_finite(lists.labels, lists.offsets, "label")
        check_finite(lists.scores, lists.offsets, "score")
        order = _native.order(lists.labels, lists.offsets, lists.n_threads)
        weights = np.ones(order.size) if lists.weights is None else np.take(lists.weights, order)
        first, _ = runs(np.take(lists.labels, order), lists.offsets)
        begins = first == np.arange(order.size)
        starts = np.flatnonzero(begins)
        queries = np.searchsorted(starts, lists.offsets)
        level, levels = np.cumsum(begins) - 1, np.append(starts, order.size)
        scores = np.take(lists.scores, order)
        return cls(order, scores, weights, level, levels, queries, lists.offsets, n_threads=lists.n_threads)

    @cached_property
    def _above(self) -> tuple[Floats, Floats]:
        return self._log_sums_above(-self.scores)

    @property
    def nearest(self) -> Floats:
        return self._above[0][self.level]

    @property
    def rest(self) -> Floats:
        return self._above[1][self.level]

    @cached_property
    def log_counts(self) -> Floats:
        """The log of the sum of the weights above each document."""
        nearest, rest = self._log_sums_above(np.zeros(self.order.size))
        return (nearest + rest)[self.level]

    def pulled(self, shares: Floats, power: int) -> Floats:
        """Return the sum of share_k r^power over all k below each document, where r is its share of the sum above k."""
        nearest, rest = self._above
        # Go up from level to level: the sum above becomes smaller, and the share of a document in it larger.
        rises = np.diff(nearest, append=0.0) + np.diff(rest, append=0.0)
        decays = np.where(np.isfinite(nearest), np.exp(-power * np.maximum(rises, 0.0)), 0.0)
        own = sums(shares, self.levels)
        below = _native.decayed_sums(own, decays, self.queries, self.n_threads)
        next_level = np.minimum(self.level + 1, below.size - 1)
        is_last = np.zeros(below.size, np.bool_)
        is_last[self.queries[1:][np.diff(self.queries) > 0] - 1] = True
        exponents = -self.scores - np.take(nearest, next_level) - np.take(rest, next_level) + np.log(self.weights)
        parts = np.exp(power * exponents) * np.take(below, next_level)
        return np.where(is_last[self.level] | (self.weights == 0), 0.0, parts)

    def _log_sums_above(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the two parts of the log of the sum of w exp(value) above each level."""
        upwards = self.offsets[-1] - self.offsets[::-1]
        columns = values[::-1].copy(), self.weights[::-1].copy()
        parts = _native.suffix_log_sums(*columns, upwards, self.n_threads)
        is_first = np.zeros(self.levels.size - 1, np.bool_)
        is_first[self.queries[:-1][np.diff(self.queries) > 0]] = True
        before = self.levels[:-1] - 1  # the last document above; not used for the first level
        nearest, rest = (part[::-1][before] for part in parts) if values.size else parts
        return np.where(is_first, -np.inf, nearest), np.where(is_first, 0.0, rest)

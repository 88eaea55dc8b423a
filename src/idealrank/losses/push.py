"""The p-norm push: exponential losses of pairs, summed so that mistakes at the top of the list weigh most."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idealrank import _native
from idealrank._base.options import number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.losses.base import Loss
from idealrank.losses.names import register
from idealrank.losses.segments import log_sum_exp, log_sums_downwards, runs, sums
from idealrank.losses.targets import check_finite, check_outcome

__all__ = ["Push", "n_pairs"]


@register("push")
@dataclass(frozen=True, kw_only=True, repr=False)
class Push(Loss):
    """1/p ln(sum_k (sum_i exp(s_k - s_i))^p / sum_k n_k^p), i over the n_k documents with higher labels than k.

    The objective of Rudin 2009 is the sum over k; its logarithm is convex too, has the same minimum, and weighs all
    queries alike, however far apart their scores are. If all scores are equal, it is 0. A document's weight multiplies
    each pair in which it is the better one; n_k counts weights.

    Parameters
    ----------
    p : float
        1 is the logarithm of the mean exp(s_k - s_i) over pairs, RankBoost's loss; the larger, the more the worst k
        counts.

    Examples
    --------
    Labels 1, 0, 0 and scores 0, ln 2, ln 4, p = 2: 1/2 ln((2^2 + 4^2) / 2) = 1/2 ln 10.

    >>> Push(p=2)([1, 0, 0], [0, np.log(2), np.log(4)])
    (array([1.15129255]), array([-1. ,  0.2,  0.8]))
    """

    p: float = option(number(1, 1e6), 4.0)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        gradient = np.empty_like(lists.scores)
        with np.errstate(all="ignore"):
            pairs = _Pairs.of(lists)
            total, shares = self._shares(pairs, lists)
            gradient[pairs.order] = shares - pairs.pulled(shares, 1)
            even = log_sum_exp(self.p * pairs.log_counts, lists.offsets)
            values = np.where(np.isfinite(total), (total - even) / self.p, 0.0)
        return check_outcome(self, values, gradient, lists)

    def curvature(self, lists: Lists) -> Floats:
        curvature = np.empty_like(lists.scores)
        with np.errstate(all="ignore"):
            pairs = _Pairs.of(lists)
            _, shares = self._shares(pairs, lists)
            first, second = pairs.pulled(shares, 1), pairs.pulled(shares, 2)
            spread = shares + second - (shares - first) ** 2
            curvature[pairs.order] = np.maximum(first - second + self.p * spread, 0)
        return np.nan_to_num(curvature, nan=0.0)

    def _shares(self, pairs: _Pairs, lists: Lists) -> tuple[Floats, Floats]:
        """Return the logarithm of the sum over k, and the share of each k in it; NaN or 0 for a query without pairs."""
        terms = self.p * (pairs.scores + pairs.log_above)
        total = log_sum_exp(terms, lists.offsets)
        return total, np.nan_to_num(np.exp(terms - np.repeat(total, lists.sizes)), nan=0.0)


def n_pairs(lists: Lists) -> Floats:
    """Return the number of pairs of documents with different labels of each query, weighted by the better document.

    Examples
    --------
    >>> n_pairs(Lists(np.array([1.0, 0, 0, 2, 2]), np.zeros(5), np.array([0, 3, 5])))
    array([2., 0.])
    """
    with np.errstate(all="ignore"):
        return sums(np.exp(_Pairs.of(lists).log_counts), lists.offsets)


@dataclass(frozen=True)
class _Pairs:
    """The documents of each query by decreasing label, so that those with one label, a level, are together.

    ``level`` is the index of each document's level; ``levels`` are the offsets of levels among documents, ``queries``
    those of queries among levels.
    """

    order: Int64s
    scores: Floats
    log_weights: Floats
    level: Int64s
    levels: Int64s
    queries: Int64s

    @classmethod
    def of(cls, lists: Lists) -> _Pairs:
        check_finite(lists.labels, lists.offsets, "label")
        check_finite(lists.scores, lists.offsets, "score")
        order = _native.order(lists.labels, lists.offsets, lists.n_threads)
        log_weights = np.zeros(order.size) if lists.weights is None else np.log(lists.weights[order])
        first, _ = runs(lists.labels[order], lists.offsets)
        begins = first == np.arange(order.size)
        starts = np.flatnonzero(begins)
        queries = np.searchsorted(starts, lists.offsets)
        return cls(
            order, lists.scores[order], log_weights, np.cumsum(begins) - 1, np.append(starts, order.size), queries
        )

    @cached_property
    def log_above(self) -> Floats:
        """The log of sum_i w_i exp(-s_i) over the documents i of the levels above each document's."""
        return self._above(self.log_weights - self.scores)

    @cached_property
    def log_counts(self) -> Floats:
        """The log of the sum of their weights."""
        return self._above(self.log_weights)

    def pulled(self, shares: Floats, power: int) -> Floats:
        """Return the sum of share_k r^power over the k below each document, r its part of the sum above k."""
        below = self._below(np.where(shares > 0, np.log(shares) - power * self.log_above, -np.inf))
        return np.asarray(np.exp(power * (self.log_weights - self.scores) + below))

    def _below(self, terms: Floats) -> Floats:
        """Return the log of the sum of exp over the documents of the levels below each document's."""
        return _of_later(log_sum_exp(terms, self.levels), self.queries)[self.level]

    def _above(self, terms: Floats) -> Floats:
        upwards = self.queries[-1] - self.queries[::-1]
        return _of_later(log_sum_exp(terms, self.levels)[::-1], upwards)[::-1][self.level]


def _of_later(terms: Floats, offsets: Int64s) -> Floats:
    """Return the log of the sum of exp of the terms after each one in its query.

    >>> np.exp(_of_later(np.log([1.0, 2.0, 4.0]), np.array([0, 3])))
    array([6., 4., 0.])
    """
    later = np.append(log_sums_downwards(terms, offsets), -np.inf)[1:]
    ends = offsets[1:][offsets[1:] > 0]
    later[ends - 1] = -np.inf
    return later

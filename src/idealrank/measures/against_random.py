"""NDCG compared with random rankings: the expected value, a corrected NDCG, a z-score and a p-value.

A query with many relevant documents has a high NDCG in any order, so plain means mix queries with different baselines;
`CorrectedNDCG` does not. Under the null hypothesis, all orders of the ranked documents are equally likely.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np

from idealrank._names.options import choice, number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.measures import gains
from idealrank.measures.measure_base import (
    Measure,
    discount_option,
    empty_value,
    gain_option,
    kernel_ties,
    lowest_dcg,
    run,
)
from idealrank.measures.measure_names import register


class _AgainstRandom(Measure):
    """Base class of measures that compare NDCG with random rankings.

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; by default, 2^label - 1.
    discount : str or Discount, optional
        The weight of a rank r; by default, 1/log2(1 + r).
    ideal : {"judged", "retrieved"}, optional
        The documents of the ideal ranking: all judged ones (the default), or only the retrieved ones.
    """

    gain: Any = gain_option
    discount: Any = discount_option
    ideal: str | None = option(choice("judged", "retrieved"))

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        ndcg = filled._plan("sum", filled.gain, "ideal", discount=filled.discount)
        ideal = replace(ndcg, reduction="ideal", denominator="none", empty=0.0)
        (actual, best), offsets = run([ndcg, ideal], lists, kernel_ties(filled)), lists.offsets
        worth = filled._gains(lists.labels, lists.negative)
        result = np.full(offsets.size - 1, filled._empty_value())
        for query in np.flatnonzero(best > 0).tolist():
            own = worth[offsets[query] : offsets[query + 1]] / best[query]
            result[query] = filled._one(float(actual[query]), own, filled._weights(own.size, own.size), query)
        return result

    def _empty_value(self) -> float:
        """Return the value of a query with no relevant document."""
        return empty_value(self)

    def _gains(self, labels: Floats, negative: str) -> Floats:
        known = self.gain.labels if isinstance(self.gain, gains.Table) else ()
        unjudged = np.isnan(labels) | ((labels < 0) & (negative == "unjudged") & ~np.isin(labels, known))
        worth: Floats = self.gain(np.where(unjudged, 0.0, labels))
        return np.where(unjudged, 0.0, worth)

    def _weights(self, depth: int, n: int) -> Floats:
        """Return the weights of the ranks 1 to depth in a list of n documents."""
        ranks = np.arange(1, depth + 1)
        weights = self.discount(ranks, n)
        return weights if self.cutoff is None else np.where(ranks <= self.cutoff.depths(n), weights, 0.0)

    def _one(self, actual: float, gains: Floats, weights: Floats, query: int) -> float:
        """Return the value of one query from its NDCG, its gains over the ideal DCG, and the weights of its ranks."""
        raise NotImplementedError


def _mean_and_sd(gains: Floats, weights: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation of sum_r g_r D(r) over all orders of g."""
    n = gains.size
    if n == 0:
        return 0.0, 0.0
    mean = float(gains.mean() * weights.sum())
    if gains.min() == gains.max() or weights.min() == weights.max():
        return mean, 0.0
    spread = np.square(gains - gains.mean()).sum() * np.square(weights - weights.mean()).sum()
    return mean, math.sqrt(spread / (n - 1))


@register("random_ndcg")
class RandomNDCG(_AgainstRandom):
    """The expected NDCG of a random order: the mean gain times the sum of discounts, divided by the ideal DCG.

    Examples
    --------
    Labels 1 and 0 have two orders, with NDCG 1 and 1/log2(3), of which this is the mean.

    >>> from idealrank.measures import RandomNDCG
    >>> RandomNDCG()([1, 0], [2, 1])
    array([0.81546488])
    """

    without = frozenset({"ties"})

    @property
    def value_range(self) -> tuple[float, float]:
        return (lowest_dcg(self.gain, self.discount), 1.0)

    def _one(self, actual: float, gains: Floats, weights: Floats, query: int) -> float:
        return _mean_and_sd(gains, weights)[0]


@register("corrected_ndcg")
class CorrectedNDCG(_AgainstRandom):
    """(NDCG - E) / (1 - E), where E is the expected NDCG of a random order: 0 is chance, 1 is the ideal order.

    A query in which every order is ideal has the value 0.

    Examples
    --------
    >>> from idealrank.measures import CorrectedNDCG
    >>> CorrectedNDCG()([1, 0], [2, 1]), CorrectedNDCG()([1, 0], [1, 2])
    (array([1.]), array([-1.]))
    """

    _value_range = (-math.inf, 1.0)

    def _one(self, actual: float, gains: Floats, weights: Floats, query: int) -> float:
        expected, sd = _mean_and_sd(gains, weights)
        return (actual - expected) / (1 - expected) if sd > 0 and expected < 1 else 0.0


@register("ndcg_z_score")
class NDCGZScore(_AgainstRandom):
    """The number of standard deviations by which NDCG exceeds its mean over random orders; 0 if all orders are equal.

    Examples
    --------
    Labels 1 and 0 have two orders, one standard deviation above and below their mean.

    >>> from idealrank.measures import NDCGZScore
    >>> NDCGZScore()([1, 0], [2, 1])
    array([1.])
    """

    def _one(self, actual: float, gains: Floats, weights: Floats, query: int) -> float:
        expected, sd = _mean_and_sd(gains, weights)
        return (actual - expected) / sd if sd > 0 else 0.0


@register("ndcg_p_value")
class NDCGPValue(_AgainstRandom):
    """The fraction of all orders of the documents whose NDCG is at least as high.

    The value is exact for up to 8 documents. Otherwise it is estimated as (b + 1) / (B + 1), where b of B random
    permutations are at least as good, so it is never 0. In a query with no relevant document all orders are equal, so
    the value is 1, unless ``empty`` is "nan" or "skip". DCGs that differ by less than 1e-12 of the sum of all gains
    count as equal.

    Parameters
    ----------
    permutations : float, optional
        The number B of random permutations; by default, 10,000.
    seed : float, optional
        Seed of the random number generator, a whole number; by default, 0. Each query has its own random stream.

    Examples
    --------
    >>> from idealrank.measures import NDCGPValue
    >>> NDCGPValue()([1, 0, 0, 0], [4, 3, 2, 1])
    array([0.25])
    """

    permutations: float | None = option(number(1, 1e8))
    seed: float | None = option(number(0))
    lower_is_better = True
    missing_value = 1.0
    _value_range = (0.0, 1.0)

    def _empty_value(self) -> float:
        value = super()._empty_value()
        return value if math.isnan(value) else 1.0

    def _one(self, actual: float, gains: Floats, weights: Floats, query: int) -> float:
        least = actual - 1e-12 * float(np.abs(gains).sum() * np.abs(weights).max(initial=0.0))  # except for rounding
        n = gains.size
        if n == 0 or gains.min() == gains.max():
            return 1.0
        if n <= 8:
            orders = np.array(list(itertools.permutations(range(n))), np.intp).reshape(-1, n)
            return float((gains[orders] @ weights >= least).mean())
        n_permutations = int(self.permutations or 10_000)
        rng = np.random.default_rng([int(self.seed or 0), query])
        reached, batch = 0, max(1, 2_000_000 // n)
        for start in range(0, n_permutations, batch):
            drawn = rng.permuted(np.tile(gains, (min(batch, n_permutations - start), 1)), axis=1)
            reached += int((drawn @ weights >= least).sum())
        return (reached + 1) / (n_permutations + 1)

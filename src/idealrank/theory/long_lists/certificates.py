"""What holds for lists of finite length: from where on the order is right, and how far NDCG is from its mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from idealrank._present.page import Statement
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.expectations import check_n_docs, pseudo_expectation
from idealrank.theory.long_lists.measure_discount import MeasureLike, Weighting
from idealrank.theory.long_lists.needed import blocks, check_risk, documents_needed

#: The noise is taken to be larger than computed by this factor, for all that a normal process leaves out.
SAFETY = 1.15
_GRID = 1 << 11  # numbers of a distribution
_EXACT = 500  # ranks, or ranges of ranks, whose labels do not count as normal
_RARE = math.log(2e6)


@dataclass(frozen=True)
class Certificate(Result):
    """A number of documents from which the order of two rankers on a growing list is right at every length.

    Parameters
    ----------
    n : int or None
        The number of documents; None if there is no such number up to ``n_max``.
    delta : float
        An upper bound on the probability that the order is wrong at any length from n on.
    better : str or None
        The ranker that is ahead, "a" or "b"; None without a certificate.
    reason : str
        Why there is a certificate, or why not.

    Examples
    --------
    >>> from idealrank.theory import certificate
    >>> found = certificate("ndcg", lambda s: 0.25 + 0.5 * s, lambda s: 0.5)
    >>> found.better, found.delta
    ('a', 0.05)
    """

    n: int | None
    delta: float
    better: str | None
    reason: str

    def __str__(self) -> str:
        if self.n is None:
            return f"no certificate: {self.reason}"
        ranker = f"{str(self.better).upper()} is ahead at every length, except with probability {self.delta:g}"
        return Statement("order certified by documents", f"from {self.n:,} documents on, {ranker}")


def certificate(
    discount: MeasureLike,
    curve_a: CurveLike,
    curve_b: CurveLike,
    cutoff: CutoffLike = None,
    delta: float = 0.05,
    n_max: int = 10_000_000,
) -> Certificate:
    """Compute N such that the order of two rankers is wrong at some length n >= N with probability at most delta.

    This is the condition of Definition 5 of Wang et al. 2013. `documents_needed` estimates the same N. Here the noise
    is assumed to be 15% larger than computed, so that the probability stays below ``delta`` although normal
    distributions and growth in large steps are approximations. In simulations of 10,000 growing lists for each of five
    measures and three pairs of curves, the order was wrong at some n >= N in 2.2% to 3.2% of the lists for a ``delta``
    of 5%.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve_a, curve_b : Curve, callable or mapping of float to callable
        The relevance curves of the two rankers, which are assumed to rank independently of each other.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.
    delta : float
        The accepted probability of a wrong order at any length, below 1/2.
    n_max : int
        The largest number of documents to try.

    Returns
    -------
    Certificate
        The number of documents, or the reason why there is none.

    Raises
    ------
    OptionError
        If it is not known how fast the discount decreases.
    DataError
        If the curves do not rank the same documents, or a number is out of range.

    Examples
    --------
    >>> from idealrank.theory import certificate
    >>> print(certificate("ndcg", lambda s: 0.25 + 0.5 * s, lambda s: 0.5))
    from 358 documents on, A is ahead at every length, except with probability 0.05
    >>> print(certificate("ndcg@10", lambda s: 0.25 + 0.5 * s, lambda s: 0.5))
    no certificate: 10 ranks count, however long the list: their labels decide, by chance
    """
    from idealrank.theory.long_lists.verdicts import verdict

    found = verdict(discount, curve_a, curve_b, cutoff)
    if found.how != "consistently":
        documents_needed(discount, curve_a, curve_b, cutoff, delta, n_max=2)  # checks its arguments
        return Certificate(None, delta, None, found.reason)
    needed = documents_needed(discount, curve_a, curve_b, cutoff, delta, n_max, noise=SAFETY).at_all_lengths
    if needed is None:
        return Certificate(None, delta, None, f"more than {n_max:,} documents would be needed")
    return Certificate(needed, delta, found.better, found.reason)


@dataclass(frozen=True)
class Concentration(Result):
    """How far from its expectation NDCG is on a list of n documents.

    Parameters
    ----------
    expected : float
        The approximate expectation, see `pseudo_expectation`.
    sd : float
        The standard deviation.
    deviation : float
        The distance from the expectation that is exceeded with a probability of about ``delta`` or less.
    delta : float
        That probability.

    Examples
    --------
    >>> from idealrank.theory import concentration
    >>> found = concentration("ndcg", lambda s: s, 1000)
    >>> found.sd < found.deviation / 2 < 0.03
    True
    """

    expected: float
    sd: float
    deviation: float
    delta: float


def concentration(
    discount: MeasureLike, curve: CurveLike, n: int, cutoff: CutoffLike = None, *, delta: float = 0.05
) -> Concentration:
    """Compute how far NDCG can be from its expectation on a list of n documents, from the labels at every rank.

    NDCG depends on each label, on the position of each document, and through the ideal ranking on the number of
    documents with each gain. The distribution of the sum of these effects to first order is computed by convolution,
    with the exact distribution of the labels at the first ranks; all others, and positions, count as normal. The
    distance is the one that half of delta exceeds, plus a share of 1/m for higher orders, where m is the expected
    number of relevant documents. Where lists without any are more likely than that, it is at least the distance of
    their value, 0. In simulations of 12 measures, 12 curves, and lists of 100 and 1,000 documents, it was exceeded in
    at most 6.5% of lists for delta = 5%, and at most twice the distance that 5% of lists exceed, except in two cases.
    If fewer than 10 relevant documents were expected, it was up to 3 times that, and 5 times if one was. With 2^-r,
    r^-2 or a small cutoff, NDCG has few values, whose probabilities jump past delta: there, the distance can be that of
    the next value.

    Lemmas 23 and 34 of Wang et al. 2013 bound the probability of a distance only up to unknown factors. As printed,
    Lemma 23 is false for constant curves, for which it allows any exponent, and Lemma 34 neglects the labels of the
    first ranks.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve : Curve, callable or mapping of float to callable
        The relevance curve of the ranker.
    n : int
        The number of documents.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.
    delta : float
        The probability that the distance is exceeded, below 1/2.

    Returns
    -------
    Concentration
        The expectation, the standard deviation, and the distance, which is never larger than NDCG's range allows.

    Raises
    ------
    DataError
        If n is not a whole number of at least 1, too few relevant documents are expected, or the curve is 0 everywhere.

    Examples
    --------
    >>> from idealrank.theory import concentration
    >>> found = concentration("ndcg@1", lambda s: 0.5, 1000)  # 0 or 1
    >>> found.expected, found.sd, found.deviation
    (0.5, 0.5, 0.5)
    >>> [round(concentration("ndcg", lambda s: 0.5, n).deviation, 3) for n in (100, 10_000)]
    [0.106, 0.006]
    """
    weighting, checked, n = Weighting.of(discount, cutoff), curves.relevant(curve), check_n_docs(n)
    check_risk(delta)
    expected = pseudo_expectation(weighting, checked, n)
    ends, depth = blocks(n, weighting.depth(n)), weighting.depth(n)
    counts, ranks = np.diff(ends), (ends[1:] + ends[:-1] + 1) / 2

    def weights_at(places: Floats) -> Floats:
        return np.where(places <= depth, weighting.discount(np.maximum(places, 1.0), n), 0.0)

    weights = weights_at(ranks)
    gains = np.append(checked.levels, 0.0)
    # What one more document with each gain adds to the ideal DCG: its own gain, and lower gains move down by a rank.
    levels = n * np.cumsum(checked.shares)
    at = weights_at(np.round(levels))
    drops = gains[:-1] * np.diff(np.concatenate(([0.0], at)))
    lower = np.cumsum(drops[::-1])[::-1] - drops
    added = np.append(gains[:-1] * at + lower, 0.0)
    ideal = _ideal(gains[:-1], levels, ends, counts * weights)
    effects = (np.outer(gains, weights) - expected * added[:, None]) / ideal
    chances = checked.probabilities(1 - (ranks - 0.5) / n)
    chances = np.vstack([chances, np.maximum(1 - chances.sum(axis=0), 0.0)])
    means = np.sum(chances * effects, axis=0)
    # A document above a boundary of two ranks moves all ranks down to it: what that changes, by the curve.
    moved = np.sum(np.diff(chances, axis=1) * (effects[:, 1:] + effects[:, :-1]) / 2, axis=0)
    tails = np.append(np.cumsum(moved[::-1])[::-1], 0.0)
    shares = counts / n
    places = n * (float(shares @ tails**2) - float(shares @ tails) ** 2)
    labels = counts * np.maximum(np.sum(chances * effects**2, axis=0) - means**2, 0.0)
    sd = math.sqrt(max(places + float(labels.sum()), 0.0))

    if sd < 1e-12:
        return Concentration(expected, 0.0, 0.0, delta)

    def bound(log_rate: float) -> float:
        """Chernoff's bound, with this rate, of the distance on either side of the mean; one in a million exceeds it."""
        rates = math.exp(log_rate) * np.array([1, -1])[:, None, None]
        largest = (rates * effects).max(axis=1)
        logs = (
            np.log(np.sum(chances * np.exp(rates * effects - largest[:, None]), axis=1)) + largest - rates[:, 0] * means
        )
        return float((logs @ counts).max() + rates[0, 0, 0] ** 2 * places / 2 + _RARE) / float(rates[0, 0, 0])

    start = math.log(math.sqrt(2 * _RARE) / sd)
    reach = 1.25 * float(optimize.minimize_scalar(bound, bounds=(start - 2, start + 7), method="bounded").fun)
    # The distribution of the sum of all effects on a grid from -reach to reach, by its characteristic function.
    frequencies = np.arange(_GRID // 2 + 1)[:, None] * (np.pi / reach)
    logs = np.zeros(frequencies.size, complex)
    for own, effect, mean, count in zip(chances.T[:_EXACT], effects.T, means, counts, strict=False):
        logs += count * np.log(np.exp(1j * frequencies * (effect - mean)) @ own)
    step = 2 * reach / _GRID
    spread = (
        places + float(labels[_EXACT:].sum()) + step**2
    )  # a little wider than a step: smooth, not wavy, where NDCG has few values
    chance = np.fft.irfft(np.conj(np.exp(logs - frequencies[:, 0] ** 2 * spread / 2)), _GRID)
    distances = step * np.fft.fftfreq(_GRID, 1 / _GRID)
    distances = np.abs(np.clip(distances, -expected, 1 - expected))
    order = np.argsort(distances)
    within = np.searchsorted(np.cumsum(chance[order]), 1 - delta / 2)
    deviation = float(distances[order][min(int(within) + 1, _GRID - 1)]) * (1 + 1 / float(levels[-1]))
    if counts @ np.log(np.maximum(chances[-1], 1e-300)) > math.log(delta / 2):  # lists without relevant documents
        deviation = max(deviation, expected)
    return Concentration(expected, sd, min(deviation, max(expected, 1 - expected)), delta)


def _ideal(gains: Floats, levels: Floats, ends: Floats, weights: Floats) -> float:
    """The DCG of the ideal ranking of the expected numbers of documents with each gain."""
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    return float(gains @ np.diff(np.interp(np.concatenate(([0.0], levels)), ends, sums)))

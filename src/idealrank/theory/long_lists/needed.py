"""How many documents, or how many queries, are needed to distinguish two rankers.

The probability that the better ranker is ahead at every length is that of Wang et al. 2013, Definition 5.
On one list the lead of the better ranker is signal plus noise. As the list grows from n to n' documents, most of its
noise stays: of the documents at each place, n / n' were there before. Measured in standard deviations the noise is, for
large n, a stationary normal process in log n with the correlation (n / n')^decay, an Ornstein-Uhlenbeck process.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from idealrank._core.checks import are_numbers
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.measures import cutoffs
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.expectations import check_n_docs
from idealrank.theory.long_lists.laws import head_and_sums
from idealrank.theory.long_lists.limits import sees, without_limit
from idealrank.theory.long_lists.measure_discount import MeasureLike, Weighting
from idealrank.theory.long_lists.verdicts import verdict


@dataclass(frozen=True)
class Gap(Result):
    """The difference between the NDCG of two rankers on one query.

    Parameters
    ----------
    mean, sd : float
        The mean and the standard deviation of the difference over queries.

    Examples
    --------
    If the standard deviation is four times the mean, (1.645 * 4)^2 queries order the means correctly with probability
    95%.

    >>> from idealrank.theory import Gap
    >>> round(Gap(0.01, 0.04).queries(delta=0.05), 2)
    43.29
    """

    mean: float
    sd: float

    def queries(self, delta: float = 0.05) -> float:
        """Return the number of queries after which the mean of the better ranker is ahead, if means are normal.

        Parameters
        ----------
        delta : float
            The accepted probability of the wrong order, below 1/2.

        Returns
        -------
        float
            The number of queries; infinity if the means are equal.
        """
        z = special.ndtri(1 - check_risk(delta))
        return float((z * self.sd / self.mean) ** 2) if self.mean else math.inf

    def queries_hoeffding(self, delta: float = 0.05) -> float:
        """Return a number of queries that is enough for any distribution of NDCG in [0, 1] (Hoeffding's inequality).

        Parameters
        ----------
        delta : float
            The accepted probability of the wrong order, below 1/2.

        Returns
        -------
        float
            The number of queries; infinity if the means are equal.
        """
        return 2 * math.log(1 / check_risk(delta)) / self.mean**2 if self.mean else math.inf


def check_risk(delta: float) -> float:
    """Return delta, if it is a valid probability of an error."""
    if not (are_numbers(delta) and 0 < delta < 0.5):
        raise DataError(f"delta, the probability of an error, must be between 0 and 1/2, got {delta!r}")
    return delta


def gap(
    discount: MeasureLike, curve_a: CurveLike, curve_b: CurveLike, n: int | None = None, cutoff: CutoffLike = None
) -> Gap:
    """Compute the mean and the spread of NDCG(A) - NDCG(B) if A and B rank independently given the curves.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve_a, curve_b : Curve, callable or mapping of float to callable
        The relevance curves of the two rankers.
    n : int, optional
        The number of documents per list. None means long lists in which few ranks count: the mean is then ybar_a(1) -
        ybar_b(1), and the variance is (ybar_a(1)(1 - ybar_a(1)) + the same for B) sum D^2 / (sum D)^2.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.

    Returns
    -------
    Gap
        The mean and the standard deviation.

    Raises
    ------
    OptionError
        If n is None and more than a few ranks count.
    DataError
        If n is not a whole number of at least 1, or the curves do not rank the same documents.

    Examples
    --------
    >>> from idealrank.theory import gap
    >>> found = gap("ndcg@10", lambda s: 0.7, lambda s: 0.5)
    >>> round(found.mean, 12), round(found.sd, 12), round(found.queries(), 12)
    (0.2, 0.235781261197, 3.760218615187)
    """
    weighting = Weighting.of(discount, cutoff)
    a, b = map(curves.relevant, (curve_a, curve_b))
    if n is None:
        if sees(weighting) != "few":
            raise OptionError(f"the gap under {weighting} depends on the length of the lists: pass n")
        _, total, squares = head_and_sums(weighting)
        best = max(a.best, b.best)
        variance = (a.top_variance + b.top_variance) * squares / total**2
        return Gap((a.top - b.top) / best, math.sqrt(variance) / best)
    n = check_n_docs(n)
    curves.check_same_documents(a, b)
    ends = blocks(n, weighting.depth(n))
    counts, ranks = np.diff(ends), (ends[1:] + ends[:-1] + 1) / 2
    s = 1 - (ranks - 0.5) / n

    def weights_at(places: Floats) -> Floats:
        return np.where(places <= weighting.depth(n), weighting.discount(places, n), 0.0)

    weights = weights_at(ranks)
    falls = weights_at(ends[1:] + 1) - weights_at(ends[:-1] + 1)
    list_a, list_b = (_List.of(each, s, counts, weights, falls) for each in (a, b))
    # If the curves leave no room for independent rankers, the influences can cancel: the chance of labels remains.
    total = float(np.sum(counts * weights))
    spread = np.sum(counts * np.square(weights - total / n) * (a.variance(s) + b.variance(s))) / 2
    variance = max(_variance(list_a, list_b, counts / n, weights, a) * n, float(spread))
    sums = np.concatenate(([0.0], np.cumsum(counts * weights)))
    levels = n * np.concatenate(([0.0], np.cumsum(a.shares)))
    ideal = float(np.asarray(a.levels) @ np.diff(np.interp(levels, ends, sums)))
    mean = float(np.sum(counts * weights * (list_a.gains - list_b.gains)))
    return Gap(mean / ideal, math.sqrt(variance) / ideal)


class _List(NamedTuple):
    """What a document does to the DCG of one ranker, by its place.

    Parameters
    ----------
    gains, squares : float64 arrays
        The expected gain and its expected square.
    pushes : float64 array
        What the documents below lose because it pushes them down by one rank.
    """

    gains: Floats
    squares: Floats
    pushes: Floats

    @classmethod
    def of(cls, curve: Curve, s: Floats, counts: Floats, weights: Floats, falls: Floats) -> _List:
        """Return what documents do, for blocks of ranks at these canonical scores."""
        gains = curve(s)
        lost = gains * falls
        below = np.cumsum(lost[::-1])[::-1] - lost
        return cls(gains, curve.variance(s) + np.square(gains), below + lost * (counts + 1) / (2 * counts))


def _variance(a: _List, b: _List, shares: Floats, weights: Floats, curve: Curve) -> float:
    """The variance of what one document does to DCG(A) - DCG(B), y (D(r_a) - D(r_b)) + push_a - push_b.

    Its places with A and with B are independent, and its gain has the expectation a + b - mean there (the projection of
    Hoeffding; n times this is the variance of the difference).
    """

    def mean(values: Floats) -> float:
        return float(np.einsum("i,i->", shares, values))  # threads of BLAS would cost more than they gain

    average, gain, square = mean(weights), curve.mean, curve.spread + curve.mean**2
    push_a, push_b = mean(a.pushes), mean(b.pushes)
    own = mean((a.squares + b.squares) * weights**2)
    own -= 2 * average * (mean(a.squares * weights) + mean(b.squares * weights) - square * average)
    mixed = mean((a.gains * a.pushes + b.gains * b.pushes) * weights)
    mixed -= push_b * (mean(a.gains * weights) - gain * average) + average * mean(b.gains * b.pushes)
    mixed -= push_a * (mean(b.gains * weights) - gain * average) + average * mean(a.gains * a.pushes)
    pushed = mean(np.square(a.pushes) + np.square(b.pushes)) - 2 * push_a * push_b
    total = mean((a.gains - b.gains) * weights) + push_a - push_b
    return own + 2 * mixed + pushed - total**2


_SINGLE = 20_000


def blocks(n: int, depth: int) -> Floats:
    """Return the ends of blocks of ranks to sum as one: single ranks, and beyond the first 20,000, 0.1% each."""
    if n <= _SINGLE:
        return np.arange(n + 1.0)
    longer = np.geomspace(_SINGLE, n, int(math.log(n / _SINGLE) / 0.001) + 2).round()
    return np.unique(np.concatenate((np.arange(_SINGLE + 1.0), longer, [depth, n])))


def queries_needed(
    discount: MeasureLike,
    curve_a: CurveLike,
    curve_b: CurveLike,
    n: int | None = None,
    cutoff: CutoffLike = None,
    delta: float = 0.05,
) -> int | None:
    """Compute the number of queries after which the mean NDCG of the better ranker is ahead with probability 1 - delta.

    It is computed from the result of `gap`.

    Parameters
    ----------
    discount, curve_a, curve_b, n, cutoff
        As in `gap`.
    delta : float
        The accepted probability of the wrong order, below 1/2.

    Returns
    -------
    int or None
        The number of queries; None if the expected NDCG of both rankers is the same.

    Raises
    ------
    OptionError
        If n is None and more than a few ranks count.
    DataError
        If ``delta`` is not between 0 and 1/2, or the curves do not rank the same documents.

    Examples
    --------
    >>> from idealrank.theory import queries_needed
    >>> queries_needed("ndcg@10", lambda s: 0.7, lambda s: 0.5), queries_needed("ndcg@1", lambda s: 0.7, lambda s: 0.5)
    (4, 32)
    """
    needed = gap(discount, curve_a, curve_b, n, cutoff).queries(delta)
    return max(1, math.ceil(needed - 1e-9)) if math.isfinite(needed) else None


@dataclass(frozen=True)
class DocumentsNeeded(Result):
    """The number of documents of one query that distinguish two rankers.

    Parameters
    ----------
    at_one_length : int or None
        The lowest n for which the better ranker is ahead on a list of n documents with probability 1 - ``delta``. On
        longer lists, it can fall behind again. None if there is no such n.
    at_all_lengths : int or None
        The lowest N for which, as the list grows, the better ranker is ahead at every n from N on with probability 1 -
        ``delta`` (Wang et al. 2013, Definition 5). None if there is no such N.
    delta : float
        The accepted probability of the wrong order.

    Examples
    --------
    >>> from idealrank.theory import documents_needed
    >>> found = documents_needed("log", lambda s: 0.35 + 0.3 * s, lambda s: 0.5)
    >>> found.at_one_length < found.at_all_lengths
    True
    """

    at_one_length: int | None
    at_all_lengths: int | None
    delta: float


def documents_needed(
    discount: MeasureLike,
    curve_a: CurveLike,
    curve_b: CurveLike,
    cutoff: CutoffLike = None,
    delta: float = 0.05,
    n_max: int = 10_000_000,
    noise: float = 1.0,
) -> DocumentsNeeded:
    """Compute how many documents of one query distinguish two rankers: at one length, and at all lengths from there on.

    Both numbers assume normal noise with the variance of `gap`, and are approximate; `certificate` gives a conservative
    number. For discounts steeper than r^-1/2, the second number is conservative, too: the noise at the top of a list
    changes in jumps, and the lead is lost less often than assumed.

    Parameters
    ----------
    discount, curve_a, curve_b, cutoff
        As in `gap`.
    delta : float
        The accepted probability of the wrong order, below 1/2.
    n_max : int
        The largest number of documents to try.
    noise : float
        The factor by which the standard deviation is multiplied; above 1 for conservative numbers, as in `certificate`.

    Returns
    -------
    DocumentsNeeded
        The two numbers. A number is None if it exceeds ``n_max``, or if there is none, because few ranks count or the
        gap shrinks as fast as the noise.

    Raises
    ------
    OptionError
        If it is not known how fast the discount decreases.

    Examples
    --------
    >>> from idealrank.theory import documents_needed
    >>> a, b = lambda s: 0.35 + 0.3 * s, lambda s: 0.5
    >>> [documents_needed(each, a, b).at_one_length for each in ("log", "power:0.5", "ndcg@10")]
    [600, 479, None]
    >>> [documents_needed(each, a, b).at_all_lengths for each in ("log", "power:0.5", "ndcg@10")]
    [864, 763, None]
    """
    weighting, risk = Weighting.of(discount, cutoff), check_risk(delta)
    seen = sees(weighting)
    if seen == "undecided":
        raise OptionError(without_limit(weighting))
    if not (are_numbers(noise) and 0 < noise < math.inf):
        raise DataError(f"noise, a factor of the standard deviation, must be above 0, got {noise!r}")
    if not are_numbers(n_max):
        raise DataError(f"n_max, the largest number of documents, must be a number, got {n_max!r}")
    if seen == "few":
        return DocumentsNeeded(None, None, risk)
    a, b = map(curves.relevant, (curve_a, curve_b))
    curves.check_same_documents(a, b)
    least = max(2, math.floor(1 / a.p) + 1)

    def lead(n: int) -> float:
        """The mean of A's lead in standard deviations."""
        found = gap(weighting.discount, a, b, n, weighting.cutoff)
        sd = noise * found.sd
        return found.mean / sd if sd else math.copysign(_SURE, found.mean) if found.mean else 0.0

    sizes, leads = _leads(lead, least, n_max)
    enough = float(special.ndtri(1 - risk))
    first = int(np.argmax(np.abs(leads) >= enough)) if (np.abs(leads) >= enough).any() else None
    one = None if first is None else int(sizes[first])
    if first:
        between = range(int(sizes[first - 1]) + 1, int(sizes[first]))
        one = between.start + bisect_left(between, True, key=lambda n: abs(lead(n)) >= enough)
    if verdict(weighting.discount, a, b, weighting.cutoff).how != "consistently" or sizes.size < 2:
        return DocumentsNeeded(one, None, risk)
    chances = staying_ahead(sizes, leads * np.sign(leads[-1]), decay_of(weighting))
    last = np.flatnonzero(chances < 1 - risk)
    if not last.size:
        return DocumentsNeeded(one, least, risk)
    if last[-1] == sizes.size - 1:
        return DocumentsNeeded(one, None, risk)
    ends = slice(last[-1], last[-1] + 2)
    return DocumentsNeeded(one, math.ceil(np.exp(np.interp(1 - risk, chances[ends], np.log(sizes[ends])))), risk)


_SURE = 9.0  # a lead of so many standard deviations is never lost


def _leads(lead: Callable[[int], float], least: int, n_max: int) -> tuple[Floats, Floats]:
    """Leads at ever larger sizes, until nothing can be lost any more; beyond 20,000 documents, fewer."""
    sizes, leads = [least], [lead(least)]
    while sizes[-1] < n_max and (abs(leads[-1]) < _SURE or len(sizes) < 2):
        ratio = 1.1 if sizes[-1] < _SINGLE else 1.2
        sizes.append(min(max(sizes[-1] + 1, round(sizes[-1] * ratio)), max(n_max, least + 1)))
        leads.append(lead(sizes[-1]))
    return np.array(sizes, np.float64), np.array(leads)


_STEP = 0.02  # of log n
_EDGE, _CELL = 7.0, 0.035  # of the noise, in standard deviations
_CORRECTION = 0.5826  # a continuous process crosses a border so many steps' deviations earlier (Chernoff, Siegmund)


def decay_of(weighting: Weighting) -> float:
    """Return the power of n / n' in the correlation of the noise on n and on n' documents.

    A document at rank r of n is at rank r n' / n of n'. With D = r^-beta the sum of D(r) D(r n' / n) over the common
    documents gives (n / n')^beta if the first ranks make most of the noise, beta > 1/2; else (n / n')^1/2.

    >>> [decay_of(Weighting.of(each)) for each in ("log", "power:0.7", "zipf", "ndcg@20%", "ndcg@n^0.5")]
    [0.5, 0.7, 1.0, 0.5, 0.75]
    """
    beta = min(max(weighting.regime.beta, 0.0), 1.0)
    if beta > 0.5:
        return beta
    if weighting.cutoff is None or isinstance(weighting.cutoff, cutoffs.Fraction):
        return 0.5
    return 1 - beta - _growth_exponent(weighting.cutoff) * (1 - 2 * beta) / 2


def _growth_exponent(cutoff: cutoffs.Cutoff) -> float:
    """Return p if the number of ranks that count grows like n^p; a user's own cutoff is judged by its values."""
    if isinstance(cutoff, cutoffs.Power):
        return cutoff.exponent
    lengths = np.array([1e6, 1e15])
    ranks, n = np.log(cutoff.depths(lengths)), np.log(lengths)
    return float((ranks[1] - ranks[0]) / (n[1] - n[0]))


def staying_ahead(sizes: Floats, signal: Floats, decay: float) -> Floats:
    """Return, for each size N, the probability that the lead is above 0 at all n from N on.

    Parameters
    ----------
    sizes : float64 array
        Increasing numbers of documents.
    signal : float64 array
        The mean of the lead over its standard deviation at each of them; beyond them it grows with log n as at the end.
    decay : float
        See `decay_of`.

    Returns
    -------
    float64 array

    Examples
    --------
    Three standard deviations at every size from 100 on are not enough: the lead is lost sooner or later.

    >>> bool(staying_ahead(np.array([1e2, 1e3]), np.array([3.0, 3.0]), 0.5)[0] < 0.8)
    True
    """
    times = np.log(sizes)
    slope = (signal[-1] - signal[-2]) / (times[-1] - times[-2])
    beyond = max(_EDGE - signal[-1], 0.0) / slope if slope > 1e-3 else 40.0
    grid = np.arange(times[0], times[-1] + min(beyond, 40.0) + _STEP, _STEP)
    border = np.interp(grid, times, signal) + np.maximum(grid - times[-1], 0) * max(slope, 0.0)
    # The lead is looked at once per document, which is a step of 1 / n, and here once per _STEP.
    spans = np.sqrt(2 * decay * np.minimum(np.exp(-grid), 1.0))
    border = border - _CORRECTION * (np.sqrt(2 * decay * _STEP) - np.minimum(spans, np.sqrt(2 * decay * _STEP)))
    noise = np.arange(-_EDGE, _EDGE + _CELL, _CELL)
    kept = np.exp(-decay * _STEP)
    spread = np.sqrt(1 - kept**2)
    edges = np.concatenate(([-np.inf], (noise[1:] + noise[:-1]) / 2, [np.inf]))
    moves = np.diff(special.ndtr((edges - kept * noise[:, None]) / spread), axis=1)
    weights = np.diff(special.ndtr(edges))
    safe = np.ones(noise.size)
    chances = np.empty(grid.size)
    for step in range(grid.size - 1, -1, -1):
        below = np.clip((border[step] - noise) / _CELL + 0.5, 0, 1)  # the share of each cell below the border
        safe = safe * below
        chances[step] = weights @ safe
        safe = moves @ safe
    return np.interp(times, grid, chances)

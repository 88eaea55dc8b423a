"""The probability that the better ranker is ahead at every length of a growing list (Wang et al. 2013, Definition 5).

On one list the lead of the better ranker is signal plus noise. As the list grows from n to n' documents, most of its
noise stays: of the documents at each place, n / n' were there before. Measured in standard deviations the noise is, for
large n, a stationary normal process in log n with the correlation (n / n')^decay, an Ornstein-Uhlenbeck process.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from idealrank._typing import Floats
from idealrank.measures import cutoffs
from idealrank.theory.long_lists.measure_discount import Weighting
from idealrank.theory.long_lists.regimes import regime

__all__ = ["decay_of", "staying_ahead"]

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
    beta = min(max(regime(weighting.discount).beta, 0.0), 1.0)
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

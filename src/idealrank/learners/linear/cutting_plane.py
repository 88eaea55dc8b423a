"""Cutting planes for a regularized convex risk: how structural SVMs are trained.

A convex risk R(w) is above all its tangent planes. The cutting-plane method (Joachims, Finley and Yu 2009, with
one slack for all queries; Teo et al. 2010 for any risk) minimizes l2 / 2 ||w||^2 + the highest of the planes so far,
adds the plane at the minimum, and repeats until that minimum, a lower bound for all w, is close to the value found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from idealrank._typing import Floats

__all__ = ["CuttingPlaneStep", "cutting_plane"]

_RIDGE = 1e-12  # of the mean squared slope: planes may repeat or depend on each other


class CuttingPlaneStep(NamedTuple):
    """Weights, the objective there, and the distance of the best objective so far from a bound on the least one."""

    weights: Floats
    value: float
    gap: float


def cutting_plane(
    risk: Callable[[Floats], tuple[float, Floats]], n_weights: int, l2: float
) -> Iterator[CuttingPlaneStep]:
    """Minimize l2 / 2 ||w||^2 + risk(w), which returns value and slope; yield steps until the caller stops.

    The risk |w - 3| and l2 = 1: |w - 3| + w^2 / 2 is smallest at w = 1, where it is 2.5.

    >>> for step in cutting_plane(lambda w: (abs(w[0] - 3), np.sign(w - 3)), 1, l2=1.0):
    ...     print(step.weights, step.value, step.gap)
    ...     if step.gap < 1e-9:
    ...         break
    [0.] 3.0 inf
    [1.] 2.5 0.0
    """
    weights, best, bound = np.zeros(n_weights), np.inf, -np.inf
    slopes, heights, shares = np.empty((0, n_weights)), np.empty(0), np.empty(0)
    while True:
        value, slope = risk(weights)
        here = value + l2 / 2 * float(weights @ weights)
        best = min(best, here)
        yield CuttingPlaneStep(weights, here, best - bound)
        slopes, heights = np.vstack([slopes, slope]), np.append(heights, value - slope @ weights)
        # The dual: weights are -slopes' shares / l2, where shares are nonnegative and sum to 1.
        shares = _on_the_simplex(slopes @ slopes.T / l2, heights, np.append(shares, float(not shares.size)))
        weights = -(shares @ slopes) / l2
        bound = max(bound, float(shares @ heights) - l2 / 2 * float(weights @ weights))


def _on_the_simplex(gram: Floats, linear: Floats, shares: Floats) -> Floats:
    """Return the nonnegative shares with sum 1 that minimize 1/2 shares' gram shares - linear' shares.

    An active-set method: it minimizes over the shares that are not 0 as if they could be negative, and moves to that
    minimum, or until the first of them is 0; when it reaches the minimum, it adds the share with the steepest descent.
    """
    gram = gram + _RIDGE * max(float(np.trace(gram)) / linear.size, 1e-300) * np.eye(linear.size)
    used = shares > 0
    for _ in range(10 * linear.size):
        places = np.flatnonzero(used)
        system = np.ones((places.size + 1, places.size + 1))
        system[:-1, :-1], system[-1, -1] = gram[np.ix_(places, places)], 0.0
        there = np.linalg.solve(system, np.append(linear[places], 1.0))[:-1]
        here = shares[places]
        falling = np.flatnonzero(there < 0)
        if falling.size:
            reach = here[falling] / (here[falling] - there[falling])
            first = int(np.argmin(reach))
            shares[places] = np.maximum(here + reach[first] * (there - here), 0)
            shares[places[falling[first]]], used[places[falling[first]]] = 0.0, False
            continue
        shares[places] = there
        downhill = linear - gram @ shares
        entering = int(np.argmax(downhill))
        level = float(shares @ downhill)
        if used[entering] or downhill[entering] <= level + 1e-13 * (1 + abs(level)):
            break
        used[entering] = True
    return np.asarray(shares / shares.sum())

"""Gain maps such as ``1=3,2=9``: what a label is worth, and the ideal order that follows, as trec_eval has it."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np

from idealrank._typing import Booleans, Floats, Int64s
from idealrank.measures.groups import Groups
from idealrank.measures.ranked_labels import Graded

__all__ = ["Gains", "gains_of", "ideal", "not_best"]

#: (label, gain) in the order given; any other label from 0 is worth itself.
Gains: TypeAlias = tuple[tuple[float, float], ...]


def gains_of(labels: Floats, gains: Gains) -> Floats:
    """The gain of each label; 0 for those of unjudged documents.

    >>> gains_of(np.array([0.0, 1.0, 2.0, 3.0, -1.0]), ((2.0, 9.0),))
    array([0., 1., 9., 3., 0.])
    """
    worth = np.maximum(labels, 0.0)
    for label, gain in gains:
        worth[labels == label] = gain
    return worth


@cache
def _rising(top: int, gains: Gains) -> tuple[tuple[float, float], ...]:
    """Return (label, gain) for the labels up to ``top`` and in the map, by increasing gain as in trec_eval.

    trec_eval compares gains by their difference, truncated to an integer, so that gains less than 1 apart count as
    equal; and the C library merges sorted halves. So fractional gains may come out in the wrong order.

    >>> _rising(3, ((1.0, 3.0), (2.0, 9.0)))
    ((0.0, 0.0), (1.0, 3.0), (3.0, 3.0), (2.0, 9.0))
    >>> _rising(2, ((2.0, 0.5), (1.0, 0.25)))
    ((2.0, 0.5), (1.0, 0.25), (0.0, 0.0))
    """

    def merged(levels: list[tuple[float, float]]) -> list[tuple[float, float]]:
        if len(levels) < 2:
            return levels
        left, right = merged(levels[: len(levels) // 2]), merged(levels[len(levels) // 2 :])
        result = []
        while left and right:
            result.append((left if int(left[0][1] - right[0][1]) <= 0 else right).pop(0))
        return result + left + right

    others = [(float(label), float(label)) for label in range(top + 1) if label not in dict(gains)]
    return tuple(merged([*gains, *others]))


def ideal(judged: Groups, labels: Floats, tops: Int64s, gains: Gains) -> tuple[Groups, Floats]:
    """The judged documents in trec_eval's order of falling gains, up to the first gain that is not positive.

    ``tops`` is the highest label of each query, -1 without one.
    """
    places, begins = labels, np.ones(tops.size, bool)
    if gains:
        places = np.empty_like(labels)
        for top in np.unique(tops).tolist():
            order = _rising(top, gains)
            begins[tops == top] = order[-1][1] > 0
            rows = tops[judged.queries] == top
            known, number = np.unique(labels[rows], return_inverse=True)
            place_of = {label: place for place, (label, _) in enumerate(order)}
            places[rows] = np.array([place_of[label] for label in known.tolist()], np.float64)[number]
    best_first = np.lexsort((-places, judged.queries))
    worth = gains_of(labels, gains)[best_first]
    kept = (judged.count_so_far(worth <= 0) == 0) & begins[judged.queries]
    return Groups(judged.count(kept)), worth[kept]


def not_best(graded: Graded, judged: Groups, labels: Floats, gains: Gains) -> Booleans:
    """For which queries the order that `ideal` found is not the best one."""
    best, found = graded.ideal, graded.ideal_gains
    is_short = best.sizes < judged.count(gains_of(labels, gains) > 0)
    rises = np.append(False, found[1:] > found[:-1])[: found.size] & (best.ranks > 1)
    return is_short | (best.count(rises) > 0)

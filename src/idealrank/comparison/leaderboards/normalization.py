"""Whether dividing DCG by the ideal DCG changes the order of systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import combinations
from typing import NamedTuple

import numpy as np

from idealrank import stats
from idealrank._typing import Floats
from idealrank.measures.discounted import DCG, NDCG
from idealrank.measures.measure_base import Measure

__all__ = ["Flip", "Normalization", "normalization_of", "without_normalization"]


class Flip(NamedTuple):
    """Two systems that NDCG and DCG order differently on a data set.

    Attributes
    ----------
    dataset : str
        The data set.
    system, against : str
        The two systems.
    difference, p_value : float
        The mean NDCG of ``system`` minus that of ``against``, and the p-value of a paired t test.
    dcg_difference, dcg_p_value : float
        The same for DCG.

    Examples
    --------
    >>> from idealrank.comparison.leaderboards.normalization import Flip
    >>> Flip("fiqa", "e5", "bm25", 0.01, 0.2, -0.02, 0.4).dcg_difference
    -0.02
    """

    dataset: str
    system: str
    against: str
    difference: float
    p_value: float
    dcg_difference: float
    dcg_p_value: float


@dataclass(frozen=True)
class Normalization:
    """How normalization changes the order of systems: by NDCG and by DCG, on each data set.

    Attributes
    ----------
    measure, dcg : str
        The measure, and the same measure without normalization.
    n_pairs : int
        The number of pairs of systems, over all data sets.
    flips : tuple of Flip
        The pairs that the two measures order differently.
    best : mapping
        {data set: (best system by the measure, best system by DCG)}.

    Examples
    --------
    >>> from idealrank import leaderboard
    >>> better = {"q1": {"d1": 1.0}, "q2": {"d3": 1.0}}
    >>> worse = {"q1": {"d2": 1.0}, "q2": {"d3": 1.0}}
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> found = leaderboard({"set": (qrels, {"a": better, "b": worse})}, "ndcg@10")
    >>> found.normalization.n_pairs, found.normalization.flips
    (1, ())
    """

    measure: str
    dcg: str
    n_pairs: int
    flips: tuple[Flip, ...]
    best: Mapping[str, tuple[str, str]]

    def significant(self, level: float) -> tuple[Flip, ...]:
        """Return the pairs in which both orders are significant at ``level``, without a correction.

        Parameters
        ----------
        level : float
            The significance level.

        Returns
        -------
        tuple of Flip
            The pairs.
        """
        return tuple(flip for flip in self.flips if max(flip.p_value, flip.dcg_p_value) <= level)


def without_normalization(measure: Measure) -> DCG | None:
    """Return the DCG that an NDCG divides; None for other measures.

    Examples
    --------
    >>> without_normalization(NDCG(gain="linear") @ 10), without_normalization(DCG())
    (dcg(gain=linear)@10, None)
    """
    if not isinstance(measure, NDCG):
        return None
    return DCG(**{each.name: getattr(measure, each.name) for each in fields(DCG) if each.init})


def normalization_of(
    measure: str, dcg: str, systems: tuple[str, ...], values: Mapping[str, tuple[Floats, Floats]]
) -> Normalization:
    """Compare the orders by ``values``, {data set: matrices[query, system] of the measure and of DCG}."""
    flips, best = [], {}
    for name, (normalized, plain) in values.items():
        means = [np.nanmean(each, axis=0) for each in (normalized, plain)]
        first, second = (systems[int(np.argmax(each))] for each in means)
        best[name] = first, second
        for i, j in combinations(range(len(systems)), 2):
            differences = [float(each[i] - each[j]) for each in means]
            if differences[0] * differences[1] < 0:
                p_values = [stats.t_test(each[:, i], each[:, j]).p_value for each in (normalized, plain)]
                own = differences[0], p_values[0], differences[1], p_values[1]
                flips.append(Flip(name, systems[i], systems[j], *own))
    n_pairs = len(values) * len(systems) * (len(systems) - 1) // 2
    return Normalization(measure, dcg, n_pairs, tuple(flips), best)

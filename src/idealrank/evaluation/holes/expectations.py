"""The expected value of a measure under a model of the relevance of unjudged documents by rank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.evaluation.holes.weighing import Gaps, Ranked, Rules

__all__ = ["LabelModel", "expected_values"]


@dataclass(frozen=True)
class LabelModel:
    """The probability of each label of an unjudged document; ranks 1, 2 to 3, 4 to 7, 8 to 15, ... are taken together.

    It is the share of all documents at these ranks, judged or not, that are known to have the label. Pools judge first
    what is likely to be relevant, so the share among judged documents would be too high.

    Parameters
    ----------
    probabilities : float64 array of shape (n_bins, n_labels)
        The probability of each label by bin of ranks.
    """

    probabilities: Floats

    @classmethod
    def of(cls, runs: Iterable[Ranked], rules: Rules) -> LabelModel:
        """Count the labels of the judged documents of several runs, and the unjudged ones."""
        n_labels = rules.labels.size
        counts, n_docs = np.zeros((64, n_labels)), np.zeros(64)
        for ranked in runs:
            bins, known = _bins(ranked.ranks), ~ranked.is_hole
            label = np.searchsorted(rules.levels, rules.gains(ranked.labels), side="right")
            np.add.at(counts, (bins[known], label[known]), 1.0)
            n_docs += np.bincount(bins, minlength=64)
        probabilities = counts / np.maximum(n_docs, 1)[:, None]
        probabilities[:, 0] += 1 - probabilities.sum(axis=1)
        return cls(probabilities)

    def draw(self, ranked: Ranked, rules: Rules, rng: np.random.Generator) -> Gaps:
        """Draw a label for each unjudged document of a run."""
        labels = ranked.lists.labels.copy()
        holes = ranked.is_hole
        cumulative = np.cumsum(self.probabilities, axis=1)[_bins(ranked.ranks[holes])]
        level = (rng.random((cumulative.shape[0], 1)) > cumulative[:, :-1]).sum(axis=1)
        labels[ranked.places[holes]] = rules.labels[level]
        return Gaps(labels, np.zeros(0, np.int64), np.zeros(0))


def expected_values(ranked: Ranked, rules: Rules, model: LabelModel, n_draws: int, seed: int) -> Floats:
    """Return the mean of a measure over drawn labels, for all judged queries."""
    rng = np.random.default_rng(seed)
    n_draws = n_draws if ranked.is_hole.any() else 1
    values = (ranked.values(model.draw(ranked, rules, rng), rules) for _ in range(n_draws))
    mean: Floats = sum(values, np.zeros(ranked.data.n_queries)) / n_draws
    return mean


def _bins(ranks: Int64s) -> Int64s:
    return np.frexp(ranks.astype(np.float64))[1].astype(np.int64) - 1

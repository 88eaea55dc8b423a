"""What a linear ranker minimises: the mean of a loss over queries, as a function of the weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idealrank.data import Floats
from idealrank.learners.features import DenseFeatures, SparseFeatures
from idealrank.losses import Loss
from idealrank.losses.base import Lists

__all__ = ["Objective"]


@dataclass(frozen=True)
class Objective:
    """mean over queries of weight * loss + l2 / 2 ||w||^2; ``lists`` has the labels, and scores that are not used.

    The last parameter is a constant that every score has: some losses want scores at a certain height.
    """

    features: DenseFeatures | SparseFeatures
    lists: Lists
    query_weights: Floats
    loss: Loss
    l2: float

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        weights, intercept = parameters[:-1], parameters[-1]
        known = self.lists
        scores = self.features.scores(weights) + intercept
        values, by_score = self.loss.values_and_gradient(
            Lists(known.labels, scores, known.offsets, known.weights, known.n_threads)
        )
        share = self.query_weights / self.query_weights.sum()
        by_score = by_score * np.repeat(share, known.sizes)
        gradient = np.append(self.features.gradient(by_score) + self.l2 * weights, by_score.sum())
        return float(values @ share) + self.l2 / 2 * float(weights @ weights), gradient

    def of_query(self, query: int) -> Objective:
        """The same for one query alone."""
        part = slice(int(self.lists.offsets[query]), int(self.lists.offsets[query + 1]))
        known = self.lists
        labels, weights = known.labels[part], None if known.weights is None else known.weights[part]
        lists = Lists(labels, known.scores[part], np.array([0, labels.size]), weights)
        return Objective(self.features.of_query(query, part), lists, np.ones(1), self.loss, self.l2)

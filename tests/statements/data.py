"""Drawn data whose truth is known, as arguments of `idealrank.evaluate` and its like."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["Pool", "pool"]


@dataclass(frozen=True)
class Pool:
    """Queries with the scores of several systems, to draw from: the queries are the whole population."""

    labels: np.ndarray  # [query, document]
    scores: Mapping[str, np.ndarray]  # each [query, document]

    def sample(self, rng: np.random.Generator, n: int) -> "Pool":
        """Return n queries drawn with replacement."""
        rows = rng.integers(len(self.labels), size=n)
        return Pool(self.labels[rows], {name: own[rows] for name, own in self.scores.items()})

    def relabeled(self, rng: np.random.Generator) -> "Pool":
        """Return the same rankings with the systems exchanged at random on every query, so that none is better."""
        names = list(self.scores)
        order = rng.permuted(np.tile(np.arange(len(names)), (len(self.labels), 1)), axis=1)
        every = np.stack([self.scores[name] for name in names])
        rows = np.arange(len(self.labels))
        return Pool(self.labels, {name: every[order[:, at], rows] for at, name in enumerate(names)})

    @property
    def inputs(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The first two arguments of `idealrank.compare`: labels, and scores by system."""
        return self.labels.ravel(), {name: own.ravel() for name, own in self.scores.items()}

    @property
    def offsets(self) -> np.ndarray:
        """Where each query begins."""
        n, size = self.labels.shape
        return np.arange(0, n * size + 1, size)


@functools.cache
def pool(n: int = 2000, size: int = 20, systems: int = 2, quality: float = 1.0, seed: int = 0) -> Pool:
    """Return a population of queries: some are easy, some have nothing relevant, and systems rank by noisy labels."""
    rng = np.random.default_rng(seed)
    share = rng.beta(0.6, 3.0, size=(n, 1))  # of relevant documents: skewed, as in real collections
    labels = np.where(rng.random((n, size)) < share, rng.integers(1, 4, (n, size)), 0).astype(np.float64)
    hard = rng.gamma(2.0, 0.5, size=(n, 1))
    scores = {f"s{at}": quality * labels / hard + rng.normal(size=(n, size)) for at in range(systems)}
    return Pool(labels, scores)

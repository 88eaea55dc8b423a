"""Parts of the data, which hold whole queries; sums over queries are added part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.learners.features import DenseFeatures, FeatureMoments, SparseFeatures, features_of
from idealrank.losses import Loss
from idealrank.measures import Measure

__all__ = ["QueryBlock", "QueryBlocks", "Sums"]

T = TypeVar("T")


@dataclass(frozen=True)
class Sums:
    """Sums over queries: of weight * loss, of its gradient by weights and intercept, and of the query weights."""

    value: float
    gradient: Floats
    weight: float

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.value + other.value, self.gradient + other.gradient, self.weight + other.weight)


@dataclass(frozen=True)
class QueryBlock:
    """Whole queries in memory.

    Methods whose results are added over parts return a list of one array, so that the sum is a list of arrays. The
    last of the parameters is an intercept that is added to every score: some losses depend on the level of the scores.
    """

    features: DenseFeatures | SparseFeatures
    lists: Lists
    query_weights: Floats

    @classmethod
    def of(cls, data: RankingData, normalize: str | None = None, n_threads: int | None = None) -> QueryBlock:
        """Return the queries of the data with their weights."""
        weights = np.ones(data.n_queries) if data.query_weights is None else data.query_weights
        return cls(features_of(data, normalize, n_threads), data.lists(n_threads=n_threads), weights)

    def sums(self, parameters: Floats, loss: Loss) -> Sums:
        """Return what the queries add to the objective."""
        with self.lists.with_locations():
            values, by_score = loss.values_and_gradient(self._scored(parameters))
        by_score = by_score * np.repeat(self.query_weights, self.lists.sizes)
        gradient = np.append(self.features.gradient(by_score), by_score.sum())
        return Sums(float(values @ self.query_weights), gradient, self.weight())

    def moments(self) -> FeatureMoments:
        """Return the mean and the deviations of each feature, and the sum of the query weights."""
        return replace(self.features.moments(), weight=self.weight())

    def weight(self) -> float:
        """Return the sum of the query weights."""
        return float(self.query_weights.sum())

    def scores(self, parameters: Floats) -> list[Floats]:
        """Return one score per document."""
        return [self._scored(parameters).scores]

    def sizes(self) -> list[Int64s]:
        """Return the number of documents of each query."""
        return [self.lists.sizes]

    def measured(self, parameters: Floats, chosen: Measure) -> list[Floats]:
        """Return one value of a measure per query."""
        with self.lists.with_locations():
            return [chosen.values(self._scored(parameters))]

    def sum(self, of_part: Callable[[QueryBlock], T]) -> T:
        """Return what ``of_part`` returns: data in memory is one part."""
        return of_part(self)

    def queries(self) -> list[QueryBlock]:
        """Return each query by itself."""
        return [self._of_query(query) for query in range(self.lists.n_queries)]

    def _of_query(self, query: int) -> QueryBlock:
        """Return one query alone."""
        known = self.lists
        own = slice(int(known.offsets[query]), int(known.offsets[query + 1]))
        weights = None if known.weights is None else known.weights[own]
        lists = Lists(known.labels[own], known.scores[own], np.array([0, own.stop - own.start]), weights)
        return QueryBlock(self.features.of_query(query, own), lists, self.query_weights[query : query + 1])

    def _scored(self, parameters: Floats) -> Lists:
        scores = self.features.scores(parameters[:-1])
        scores += float(parameters[-1])
        return replace(self.lists, scores=scores)


class QueryBlocks(Protocol):
    """All queries: in memory, on disk, or on other machines."""

    def sum(self, of_part: Callable[[QueryBlock], T]) -> T:
        """Return the sum over parts of what ``of_part`` returns, in order; one pass over the data."""
        ...

    def queries(self) -> Sequence[QueryBlocks]:
        """Return each query by itself."""
        ...

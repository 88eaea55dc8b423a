"""What a linear ranker learns from, in parts that hold whole queries: each gives its share of a sum, and is let go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.learners.linear.features import DenseFeatures, SparseFeatures, features_of
from idealrank.losses import Loss
from idealrank.measures import Measure

__all__ = ["InMemory", "Part", "Parts", "Sums", "in_callers_words"]

T = TypeVar("T")


@contextmanager
def in_callers_words(data: RankingData | None) -> Iterator[None]:
    """In an error about the grouped lists of the data, from within, query and row are what the caller calls them."""
    try:
        yield
    except DataError as error:
        if data is None:
            raise
        query, row = error.query, error.row
        if isinstance(query, int):
            query = data.query_id(query)
        if row is not None:
            row = int(data.rows[row])
        raise DataError(error.what, query, row, error.column) from None


@dataclass(frozen=True)
class Sums:
    """Sums over queries: of weight * loss, of its gradient by weights and height, and of the weights of the queries."""

    value: float
    gradient: Floats
    weight: float

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.value + other.value, self.gradient + other.gradient, self.weight + other.weight)


@dataclass(frozen=True)
class Part:
    """Whole queries in memory; ``lists`` has their labels, and scores that are not used.

    ``data``, where it is known, has the names that errors give to queries and rows.

    The last of the parameters is a height that every score has: some losses want scores at a certain height.
    """

    features: DenseFeatures | SparseFeatures
    lists: Lists
    query_weights: Floats
    data: RankingData | None = None

    @classmethod
    def of(cls, data: RankingData, normalize: str | None, n_threads: int) -> Part:
        """The queries of the data, each with the weight 1."""
        lists = data.lists(n_threads=n_threads)
        return cls(features_of(data, normalize, n_threads), lists, np.ones(data.n_queries), data)

    def sums(self, parameters: Floats, loss: Loss) -> Sums:
        """What the queries add to the objective."""
        with in_callers_words(self.data):
            values, by_score = loss.values_and_gradient(replace(self.lists, scores=self._scores(parameters)))
        by_score = by_score * np.repeat(self.query_weights, self.lists.sizes)
        gradient = np.append(self.features.gradient(by_score), by_score.sum())
        return Sums(float(values @ self.query_weights), gradient, self.weight())

    def weight(self) -> float:
        """The sum of the weights of the queries."""
        return float(self.query_weights.sum())

    def scores(self, parameters: Floats) -> list[Floats]:
        """One score a document, query by query: a list of one array, so that those of parts add up to a list."""
        return [self._scores(parameters)]

    def sizes(self) -> list[Int64s]:
        """Documents a query, likewise."""
        return [self.lists.sizes]

    def measured(self, parameters: Floats, chosen: Measure) -> list[Floats]:
        """One value of a measure a query, likewise."""
        with in_callers_words(self.data):
            return [chosen(self.lists.labels, self.features.scores(parameters[:-1]), self.lists.offsets)]

    def of_query(self, query: int) -> Part:
        """One query alone."""
        known = self.lists
        own = slice(int(known.offsets[query]), int(known.offsets[query + 1]))
        labels, weights = known.labels[own], None if known.weights is None else known.weights[own]
        lists = Lists(labels, known.scores[own], np.array([0, labels.size]), weights)
        return Part(self.features.of_query(query, own), lists, self.query_weights[query : query + 1])

    def _scores(self, parameters: Floats) -> Floats:
        return self.features.scores(parameters[:-1]) + float(parameters[-1])


class Parts(Protocol):
    """All queries: in memory, on disk, or on other machines."""

    def sum(self, of_part: Callable[[Part], T]) -> T:
        """What ``of_part`` gives of each part, added up in order; one pass over the data."""
        ...

    def queries(self) -> Sequence[Parts]:
        """Each query by itself."""
        ...


@dataclass(frozen=True)
class InMemory:
    """One part that has all queries."""

    part: Part

    def sum(self, of_part: Callable[[Part], T]) -> T:
        return of_part(self.part)

    def queries(self) -> Sequence[InMemory]:
        return [InMemory(self.part.of_query(query)) for query in range(self.part.lists.n_queries)]

"""Ranking data, objectives and metrics shared by the LightGBM and XGBoost integrations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._typing import Float32s, Floats
from idealrank.data.columns import float_column
from idealrank.data.construction import from_arrays
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluate import evaluate
from idealrank.learners.trees.boosting import derivatives
from idealrank.losses import Loss
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention, convention

__all__ = ["BoosterMetric", "BoosterObjective", "Documents", "grouped"]


def grouped(labels: npt.ArrayLike, sizes: npt.ArrayLike | None, how: str) -> RankingData:
    """Return the documents of a data set, query after query; ``how`` explains how a data set gets its groups."""
    if sizes is None or np.size(sizes) == 0:
        raise DataError(f"the data set has no groups, so there are no queries to rank: use {how}")
    return from_arrays(labels, group=sizes)


@dataclass(frozen=True)
class BoosterObjective:
    """A ranking loss as the objective of a booster: summed over queries.

    Parameters
    ----------
    loss : Loss
        The loss.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    """

    loss: Loss
    n_threads: int | None = None
    _cache: Cache = field(default_factory=lambda: Cache(), init=False, repr=False, compare=False)

    def derivatives(
        self, columns: Sequence[Any], scores: npt.ArrayLike, documents: Callable[[], Documents]
    ) -> tuple[Float32s, Float32s]:
        """Compute gradient and curvature, one number per document.

        A booster asks again for each tree, with the same labels, groups and weights. What depends on them alone is
        computed once, and again if one of them has changed.

        Parameters
        ----------
        columns : sequence
            The labels, groups and weights; None if there are none.
        scores : array-like
            One score per document.
        documents : callable
            Makes the documents and their weights from the columns.

        Returns
        -------
        gradient, curvature : float32 array of shape (n_docs,)
        """
        entry = self._cache.entry
        if entry is None or not _equal(entry.columns, columns):
            data, weights, query_weights = documents()
            lists = replace(data.lists(np.zeros(data.n_docs), self.n_threads), weights=weights)
            copies = [None if column is None else np.array(column) for column in columns]
            entry = CacheEntry(copies, data.n_docs, derivatives(self.loss, lists, query_weights))
            self._cache.entry = entry
        return entry.of_scores(float_column(scores, "scores", entry.n_docs))


class Documents(NamedTuple):
    """The documents of a booster, with one weight per document and one per query, where there are weights."""

    data: RankingData
    weights: Floats | None = None
    query_weights: Floats | None = None


class CacheEntry(NamedTuple):
    """Labels, groups and weights as they were given, and the derivatives as a function of the scores."""

    columns: Sequence[Any]
    n_docs: int
    of_scores: Callable[[Floats], tuple[Float32s, Float32s]]


class Cache:
    """The last entry; copies and pickles begin without any."""

    entry: CacheEntry | None = None

    def __reduce__(self) -> tuple[type[Cache], tuple[()]]:
        return Cache, ()


def _equal(columns: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether columns are equal, number by number."""
    return all(
        (column is None) == (other is None) and (column is None or np.array_equal(column, other))
        for column, other in zip(columns, others, strict=True)
    )


@dataclass(frozen=True)
class BoosterMetric:
    """A measure as the metric of a booster: the mean over queries, as in `idealrank.evaluate`; weights are ignored.

    Parameters
    ----------
    measure : Measure
        The measure.
    name : str
        The name under which the booster stores the values.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    """

    measure: Measure
    name: str
    like: str | Convention | None = None
    n_threads: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise OptionError(f"the name of a metric must be text, got {self.name!r}")
        if self.like is not None:
            convention(self.like)  # an unknown convention is an error here, not after the first round

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better; False for an error."""
        return not self.measure.lower_is_better

    def mean(self, data: RankingData, scores: Any) -> float:
        """Compute the mean over the queries of the data.

        Parameters
        ----------
        data : RankingData
            The documents.
        scores : array-like
            One score per document.

        Returns
        -------
        float
        """
        evaluation = evaluate(data, scores, self.measure, like=self.like, n_threads=self.n_threads)
        (mean,) = evaluation.mean.values()
        return float(mean)

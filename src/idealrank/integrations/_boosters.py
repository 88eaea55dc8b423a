"""Ranking data, objectives and metrics shared by the LightGBM and XGBoost integrations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Float32s, Floats
from idealrank.data.columns import float_column
from idealrank.data.construction import from_arrays
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluator import evaluate
from idealrank.learners.trees.boosting import derivatives
from idealrank.losses import Loss
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention, convention

__all__ = ["Metric", "Objective", "grouped"]


def grouped(labels: npt.ArrayLike, sizes: npt.ArrayLike | None, how: str) -> RankingData:
    """Return the documents of a data set, query after query; ``how`` explains how a data set gets its groups."""
    if sizes is None or np.size(sizes) == 0:
        raise DataError(f"the data set has no groups, so there are no queries to rank: use {how}")
    return from_arrays(labels, group=sizes)


@dataclass(frozen=True)
class Objective:
    """A ranking loss as the objective of a booster: summed over queries.

    Parameters
    ----------
    loss : Loss
        The loss.
    n_threads : int, optional
        Number of threads; None means all cores.
    """

    loss: Loss
    n_threads: int | None = None

    def derivatives(
        self,
        data: RankingData,
        scores: npt.ArrayLike,
        weights: Floats | None = None,
        query_weights: Floats | None = None,
    ) -> tuple[Float32s, Float32s]:
        """Compute gradient and curvature, one number per document.

        Parameters
        ----------
        data : RankingData
            The documents.
        scores : array_like
            One score per document.
        weights, query_weights : float64 array, optional
            One weight per document and one per query.

        Returns
        -------
        gradient, curvature : float32 array of shape (n_docs,)
        """
        column = float_column(scores, "scores", data.n_docs)
        lists = replace(data.lists(column, self.n_threads), weights=weights)
        return derivatives(self.loss, lists, query_weights)


@dataclass(frozen=True)
class Metric:
    """A measure as the metric of a booster: the mean over queries, as in `idealrank.evaluate`; weights are ignored.

    Parameters
    ----------
    measure : Measure
        The measure.
    name : str
        The name under which the booster stores the values.
    like : str or Convention, optional
        The convention.
    n_threads : int, optional
        Number of threads; None means all cores.
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
        scores : array_like
            One score per document.

        Returns
        -------
        float
        """
        found = evaluate(data, scores, self.measure, like=self.like, n_threads=self.n_threads)
        (mean,) = found.mean.values()
        return float(mean)

"""What LightGBM's and XGBoost's data sets have in common: documents in groups, to be learned from and measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Float32s, Floats
from idealrank.data.columns import float_column
from idealrank.data.construction import from_arrays
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.evaluation.evaluator import evaluate
from idealrank.learners.trees.boosting import derivatives
from idealrank.losses import Loss
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention, convention

__all__ = ["Metric", "Objective", "grouped"]


def grouped(labels: npt.ArrayLike, sizes: npt.ArrayLike | None, how: str) -> RankingData:
    """The documents of a data set, query after query; ``how`` tells how a data set without groups gets them."""
    if sizes is None or np.size(sizes) == 0:
        raise DataError(f"the data set has no groups, so that there are no queries to rank within: {how}")
    return from_arrays(labels, group=sizes)


@dataclass(frozen=True)
class Objective:
    """A loss of rankings as a booster minimises it: summed over queries."""

    loss: Loss
    n_threads: int | None = None

    def derivatives(
        self,
        data: RankingData,
        scores: npt.ArrayLike,
        weights: Floats | None = None,
        query_weights: Floats | None = None,
    ) -> tuple[Float32s, Float32s]:
        """Gradient and curvature, one a document."""
        column = float_column(scores, "scores", data.n_docs)
        lists = replace(data.lists(column, self.n_threads), weights=weights)
        return derivatives(self.loss, lists, query_weights)


@dataclass(frozen=True)
class Metric:
    """A measure as a booster reports it: the mean over queries, as `idealrank.evaluate` gives it; weights don't count.

    The booster files it by ``name``. ``higher_is_better`` is False for an error.
    """

    measure: Measure
    name: str
    like: str | Convention | None = None
    n_threads: int | None = None

    def __post_init__(self) -> None:
        if self.like is not None:
            convention(self.like)  # an unknown one is an error here, not after the first round

    @property
    def higher_is_better(self) -> bool:
        """Whether training is to raise it."""
        return not self.measure.lower_is_better

    def mean(self, data: RankingData, scores: Any) -> float:
        """The mean over the queries of the data."""
        found = evaluate(data, scores, self.measure, like=self.like, n_threads=self.n_threads)
        (mean,) = found.mean.values()
        return float(mean)

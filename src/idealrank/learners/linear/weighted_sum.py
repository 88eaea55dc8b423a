"""Rankers whose scores are a weighted sum of features, on data in memory or in parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.evaluation.scorer import mean_over_queries
from idealrank.learners.iterative import Iterative
from idealrank.learners.learner_base import Dataset
from idealrank.learners.linear.engine import Source, engine_of, parts_of
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks
from idealrank.measures import measure

__all__ = ["WeightedSum"]


class WeightedSum(Iterative):
    """A ranker whose scores are a weighted sum of features.

    Attributes
    ----------
    coef_ : float64 array of shape (n_features,)
        One weight per feature.
    intercept_ : float
        The constant that is added to every score.
    """

    _state: ClassVar[Mapping[str, str]] = {"coef_": "float64[n_features]", "intercept_": "float64"}

    def _accepts(self, data: Dataset) -> bool:
        return isinstance(data, (RankingData, Source))

    def _keep(self, parameters: Floats) -> None:
        self.coef_: Floats = parameters[:-1]
        self.intercept_ = float(parameters[-1])

    @property
    def _parameters(self) -> Floats:
        return np.append(self.coef_, self.intercept_)

    def _scores(self, data: RankingData | Source) -> Floats:
        return np.concatenate(self._parts(data).sum(partial(QueryBlock.scores, parameters=self._parameters)))

    def _mean(self, data: RankingData | Source) -> float:
        return self._mean_on(data)(self._parameters)

    def _mean_on(self, data: RankingData | Source) -> Callable[[Floats], float]:
        parts, chosen = self._parts(data), measure(self.measure)

        def mean(parameters: Floats) -> float:
            values = parts.sum(partial(QueryBlock.measured, parameters=parameters, chosen=chosen))
            return mean_over_queries(np.concatenate(values), chosen)

        return mean

    def _parts(self, data: RankingData | Source) -> QueryBlocks:
        engine = engine_of(getattr(self, "engine", None))  # only some learners have the option
        return parts_of(data, engine, self.normalize, self.n_threads)

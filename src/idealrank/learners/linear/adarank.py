"""AdaRank: features weighted by boosting, each round attending to the queries that are still ranked badly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.learners.base import Training
from idealrank.learners.iterative import WeightedSum
from idealrank.learners.linear.parts import in_callers_words
from idealrank.learners.names import register
from idealrank.measures import Measure, measure

__all__ = ["AdaRank"]

_SURE = 1 - 1e-12  # a feature that ranks everything perfectly would have an infinite weight


@register("ada_rank")
@dataclass(kw_only=True, eq=False, repr=False)
class AdaRank(WeightedSum):
    """AdaRank (Xu and Li 2007) boosts a measure: "ndcg", "ap" or another with values from -1 to 1.

    It is ``measure``, by which validation chooses, unless ``boosts`` names another one.

    Each round adds to the weight of one feature: of that with the best mean of the measure over queries, weighted by
    P(q). With that mean E the weight grows by 1/2 ln((1 + E) / (1 - E)); then P(q) is proportional to exp(-E(q)), E(q)
    the measure of all features added up. Features count upwards only, so that weights are never negative. The loss in
    ``history_`` is the mean of exp(-E(q)).

    ``repeats=True`` is the algorithm as published. A feature may then be chosen forever, because adding it to itself
    changes no ranking and therefore no P(q); by default no feature is chosen twice running. A fit ends when the
    best feature ranks no better than equal scores for all documents.

    One feature that ranks two documents right for two queries (AP 1) and wrong for a third (AP 1/2): E = 5/6, and the
    weight is 1/2 ln 11.

    >>> X, y = [[0.0], [1.0], [0.0], [1.0], [0.0], [1.0]], [0, 1, 0, 1, 1, 0]
    >>> AdaRank(measure="ap").fit(X, y, qid=[1, 1, 2, 2, 3, 3]).coef_
    array([1.19894764])
    """

    repeats: bool = False
    boosts: str | Measure | None = None

    def validated_by(self, other: str | Measure) -> AdaRank:
        copy: AdaRank = super().validated_by(other)
        return copy.set_params(boosts=self._boosted)  # type: ignore[no-any-return]

    @property
    def _boosted(self) -> Measure:
        return measure(self.measure if self.boosts is None else self.boosts)

    def _check_options(self) -> None:
        super()._check_options()
        if self._boosted.lower_is_better:
            raise OptionError(f"AdaRank raises a measure, and of {self._boosted} less is better")

    def _fit(self, training: Training) -> None:
        if training.lists.weights is not None:
            raise DataError("AdaRank weighs queries, not documents: give query_weight instead of sample_weight")
        by_feature = np.stack([self._values(training, unit) for unit in np.eye(self.n_features_in_)])
        parameters = np.zeros(self.n_features_in_ + 1)
        unranked = self._values(training, parameters[:-1])
        weights = training.query_weights / training.query_weights.sum()
        importance, last = weights, -1
        with self._traced(parameters, self._validation(training.validation)) as trace:
            trace.add(parameters, float(weights @ np.exp(-unranked)))
            for _ in range(self.max_iter):
                means = by_feature @ importance
                if not self.repeats and last >= 0:
                    means[last] = -1
                last = int(np.argmax(means))
                if means[last] <= unranked @ importance + (1 - _SURE):
                    break
                parameters[last] += math.atanh(min(means[last], _SURE))
                losses = weights * np.exp(-self._values(training, parameters[:-1]))
                importance = losses / losses.sum()
                trace.add(parameters, float(losses.sum()))
                if trace.is_hopeless:
                    break

    def _values(self, training: Training, coefficients: Floats) -> Floats:
        """The measure of each query; a query that it skips is as good as it can be, always."""
        lists, judge = training.lists, self._boosted
        scores = training.features.scores(coefficients)
        with in_callers_words(training.data):
            values = judge(lists.labels, scores, lists.offsets, n_threads=lists.n_threads)
        outside = np.flatnonzero(np.abs(values) > 1 + 1e-9)
        if outside.size:
            query = training.data.query_id(int(outside[0]))
            got = values[outside[0]]
            raise DataError(f"AdaRank takes measures from -1 to 1, and {judge} is {got:g}", query=query)
        return np.nan_to_num(values, nan=1.0)

"""AdaRank: features weighted by boosting, each round attending to the queries that are still ranked badly."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from idealrank._names.options import flag, option
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.learners.learner_names import register
from idealrank.learners.linear.objective import WeightedSum
from idealrank.learners.linear.query_blocks import QueryBlock, Source
from idealrank.measures import Measure, measure

_SURE = 1 - 1e-12  # a feature that ranks everything perfectly would get an infinite weight


@register("ada_rank")
class AdaRank(WeightedSum):
    """AdaRank (Xu and Li 2007): boosts a measure with values from -1 to 1, such as "ndcg" or "ap".

    Each round increases the weight of one feature: the one with the best mean of the measure over queries, weighted by
    P(q). If that mean is E, the weight grows by 1/2 ln((1 + E) / (1 - E)). Then P(q) is set proportional to exp(-E(q)),
    where E(q) is the measure of the weighted sum of features so far. Weights are never negative. The loss in
    ``history_`` is the mean of exp(-E(q)). A fit ends when the best feature ranks no better than equal scores for all
    documents.

    Parameters
    ----------
    repeats : bool
        Whether the same feature may be chosen twice in a row, as in the published algorithm. Such a feature may then be
        chosen forever, because adding it again changes neither the ranking nor P(q).
    boosts : str or Measure, optional
        The measure to boost; None means ``measure``, which validation uses.

    Examples
    --------
    One feature that ranks two documents correctly for two queries (AP 1) and wrongly for a third (AP 1/2): E = 5/6, and
    the weight is 1/2 ln 11.

    >>> from idealrank import from_arrays
    >>> from idealrank.learners import AdaRank
    >>> features = [[0.0], [1.0], [0.0], [1.0], [0.0], [1.0]]
    >>> data = from_arrays([0, 1, 0, 1, 1, 0], group=[2, 2, 2], features=features)
    >>> AdaRank(measure="ap").fit(data).coef_
    array([1.19894764])
    """

    repeats: bool = option(flag, False)
    boosts: str | Measure | None = option(measure)

    def validated_by(self, other: str | Measure) -> AdaRank:
        copy: AdaRank = super().validated_by(other)
        return copy.set_params(boosts=self._boosted)  # type: ignore[no-any-return]

    @property
    def _boosted(self) -> Measure:
        return measure(self.measure if self.boosts is None else self.boosts)

    def _check_options(self) -> None:
        if self._boosted.lower_is_better:
            raise OptionError(f"AdaRank maximizes a measure, but lower values of {self._boosted} are better")

    def _fit(self, data: RankingData | Source, validation: RankingData | Source | None) -> None:
        parts = self._parts(data)

        def values(coefficients: Floats) -> Floats:
            return np.concatenate(parts.sum(partial(_values, coefficients=coefficients, boosted=self._boosted)))

        by_feature = np.stack([values(unit) for unit in np.eye(self.n_features_in_)])
        parameters = np.zeros(self.n_features_in_ + 1)
        unranked = values(parameters[:-1])
        weights = np.concatenate(parts.sum(_query_weights))
        weights = weights / weights.sum()
        importance, last = weights, -1
        with self._traced(parameters, validation) as trace:
            trace.add(parameters, float(weights @ np.exp(-unranked)))
            for _ in range(self.max_iter):
                means = by_feature @ importance
                if not self.repeats and last >= 0:
                    means[last] = -1
                last = int(np.argmax(means))
                if means[last] <= unranked @ importance + (1 - _SURE):
                    break
                parameters[last] += math.atanh(min(means[last], _SURE))
                losses = weights * np.exp(-values(parameters[:-1]))
                importance = losses / losses.sum()
                trace.add(parameters, float(losses.sum()))
                if trace.is_hopeless:
                    break


def _query_weights(part: QueryBlock) -> list[Floats]:
    if part.lists.weights is not None:
        raise DataError("AdaRank weights queries, not documents: give query weights instead of document weights")
    return [part.query_weights]


def _values(part: QueryBlock, coefficients: Floats, boosted: Measure) -> list[Floats]:
    """Return the measure of each query; a query that it skips always counts as perfectly ranked."""
    scored = replace(part.lists, scores=part.features.scores(coefficients))
    with scored.with_locations():
        values = boosted.values(scored)
        outside = np.flatnonzero(np.abs(values) > 1 + 1e-9)
        if outside.size:
            query = int(outside[0])
            raise DataError(f"AdaRank needs values from -1 to 1, but {boosted} is {values[query]:g}", query=query)
    return [np.nan_to_num(values, nan=1.0)]

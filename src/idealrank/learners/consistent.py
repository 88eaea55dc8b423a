"""Consistent regression: any regressor becomes a ranker that is consistent with NDCG."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.learners.base import Ranker, Training
from idealrank.learners.linear.features import table_of
from idealrank.learners.linear.parts import in_callers_words
from idealrank.learners.names import register
from idealrank.losses import LeastSquares
from idealrank.measures import Measure
from idealrank.measures.discounts import Discount
from idealrank.measures.gains import Gain

__all__ = ["ConsistentRegression"]


@register("consistent_regression")
@dataclass(kw_only=True, eq=False, repr=False)
class ConsistentRegression(Ranker):
    """A regressor fitted to G(r) / ||G(r)||_D, gains over their query's ideal DCG (Ravikumar et al. 2011, section 3.3).

    Whoever estimates the mean of that target well ranks well by NDCG, so a regressor of any kind will do: LightGBM's,
    XGBoost's, CatBoost's, scikit-learn's.

    Parameters
    ----------
    estimator: a scikit-learn regressor, of which a copy is fitted; None is HistGradientBoostingRegressor().
    gain: None is 2^r - 1.
    discount: that of the DCG.
    normalizer: "dcg", or a cut-off k for NDCG@k; None fits the gains themselves, which is not consistent with NDCG.
    normalize: "minmax" or "zscore" brings each feature to one scale within each query; scoring repeats it.
    measure: what ``score`` measures.
    n_threads: also for estimators that use OpenMP and do not say how many.

    In a query without positive gain the target is 0. ``estimator_`` is the fitted copy. An ``eval_set`` changes
    nothing: how long to fit is up to the estimator.

    One relevant document in each query, so gains and targets are 1 and 0:

    >>> from sklearn.linear_model import LinearRegression
    >>> ranker = ConsistentRegression(LinearRegression()).fit([[2.0], [4.0]], [0, 1], qid=[1, 1])
    >>> ranker.predict([[2.0], [3.0], [4.0]]).round(4) + 0
    array([0. , 0.5, 1. ])
    """

    estimator: Any = field(default=None, kw_only=False)
    gain: str | Gain | None = None
    discount: str | Discount = "log"
    normalizer: Any = "dcg"
    normalize: str | None = None
    measure: str | Measure = "ndcg"
    n_threads: int | None = None

    def _fit(self, training: Training) -> None:
        squares = LeastSquares(gain=self.gain, discount=self.discount, normalizer=self.normalizer)
        with in_callers_words(training.data):
            target = squares.target(training.lists)
        regressor = _default() if self.estimator is None else clone(self.estimator)
        weights: dict[str, Floats] = {}
        if (training.query_weights != 1).any():
            weights["sample_weight"] = np.repeat(training.query_weights, training.lists.sizes)
        with self._threads():
            regressor.fit(table_of(training.features), target.values, **weights)
        self.estimator_ = regressor

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def _scores(self, data: RankingData) -> Floats:
        with self._threads():
            return np.asarray(self.estimator_.predict(table_of(self._features(data))), np.float64).reshape(-1)

    def _threads(self) -> Any:
        return threadpool_limits(resolve_threads(self.n_threads), user_api="openmp")


def _default() -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor()

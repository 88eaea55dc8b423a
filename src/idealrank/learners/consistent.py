"""Consistent regression: any regressor becomes a ranker that is consistent with NDCG."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from idealrank._core.threads import resolve_threads
from idealrank._names.options import option
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.learners.estimators import check_learner, clone, threadpool_limits
from idealrank.learners.learner_base import Ranker
from idealrank.learners.learner_names import register
from idealrank.losses import LeastSquares
from idealrank.losses.segments import normalizer
from idealrank.measures import discounts, gains
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike


@register("consistent_regression")
class ConsistentRegression(Ranker):
    """A regressor fitted to gains divided by their ideal DCG, G(r) / ||G(r)||_D (Ravikumar et al. 2011, section 3.3).

    Any regressor that estimates the mean of this target well also ranks well by NDCG, such as those of LightGBM,
    XGBoost, CatBoost and scikit-learn. The target is 0 in a query without positive gain. An ``eval_set`` has no effect:
    the estimator decides how long to fit.

    Parameters
    ----------
    estimator : scikit-learn regressor, optional
        The regressor, of which a copy is fitted; None means scikit-learn's ``HistGradientBoostingRegressor()``.
    gain : str or Gain, optional
        The gain of a label; None means 2^label - 1.
    discount : str or Discount
        The weight of a rank in the DCG.
    normalizer : "dcg" or int, optional
        What gains are divided by: "dcg" for the ideal DCG of the whole list, or a cutoff k for the ideal DCG@k. None
        fits the gains themselves, which is not consistent with NDCG.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`. It also limits estimators that
        use OpenMP and do not set their own number.

    Attributes
    ----------
    estimator_ : scikit-learn regressor
        The fitted copy of ``estimator``.

    Examples
    --------
    One query with one relevant document, so its gains and targets are 0 and 1:

    >>> from sklearn.linear_model import LinearRegression
    >>> from idealrank.learners import ConsistentRegression
    >>> ranker = ConsistentRegression(LinearRegression()).fit([[2.0], [4.0]], [0, 1], qid=[1, 1])
    >>> ranker.predict([[2.0], [3.0], [4.0]]).round(4) + 0
    array([0. , 0.5, 1. ])
    """

    estimator: Any = field(default=None, kw_only=False)
    gain: GainLike | None = option(gains.of)
    discount: DiscountLike = option(discounts.of, "log")
    normalizer: Any = option(normalizer, "dcg")

    def _check_options(self) -> None:
        if self.estimator is not None:
            check_learner(self.estimator, "estimator")

    def _fit(self, data: RankingData, validation: RankingData | None) -> None:
        from sklearn.ensemble import HistGradientBoostingRegressor

        squares = LeastSquares(gain=self.gain, discount=self.discount, normalizer=self.normalizer)
        lists = data.lists(n_threads=self.n_threads)
        with lists.with_locations():
            target = squares.target(lists)
        regressor = HistGradientBoostingRegressor() if self.estimator is None else clone(self.estimator)
        weights: dict[str, Floats] = {}
        if data.query_weights is not None:
            weights["sample_weight"] = np.repeat(data.query_weights, data.group_sizes)
        with self._threads():
            regressor.fit(self._features(data).table(), target.values, **weights)
        self.estimator_ = regressor

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def _scores(self, data: RankingData) -> Floats:
        with self._threads():
            return np.asarray(self.estimator_.predict(self._features(data).table()), np.float64).reshape(-1)

    def _threads(self) -> Any:
        return threadpool_limits(resolve_threads(self.n_threads), user_api="openmp")

"""XGBoost with any loss as its objective and any measure as its metric.

Both are for ``xgboost.train``: ``obj`` and ``custom_metric``; queries are the groups or ``qid`` of the DMatrix.
XGBRanker takes no objective of one's own.

XGBoost's weights of a ranking are one number a query. The loss is summed over queries: of its curvature a leaf needs
``min_child_weight``, 1 unless it is named, which is a lot for a loss that is at most 1 a query. XGBoost keeps six
decimals of a metric. For early stopping pass ``maximize=metric.higher_is_better``: it guesses by the name otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import losses, measures
from idealrank._typing import Float32s
from idealrank.data.columns import weight_column
from idealrank.data.ranking import RankingData
from idealrank.integrations._boosters import Metric, Objective, grouped
from idealrank.losses import Loss
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention

__all__ = ["metric", "objective"]


def objective(loss: str | Loss, *, n_threads: int | None = None) -> XGBoostObjective:
    """A loss as the ``obj`` of ``xgboost.train``.

    >>> objective("lambda_rank(measure=ndcg@10)")
    XGBoostObjective(loss=lambda_rank(measure=ndcg@10), n_threads=None)
    """
    return XGBoostObjective(losses.loss(loss), n_threads)


def metric(
    measure: str | Measure,
    like: str | Convention | None = None,
    *,
    name: str | None = None,
    n_threads: int | None = None,
) -> XGBoostMetric:
    """A measure as the ``custom_metric`` of ``xgboost.train``: its name and the mean that `idealrank.evaluate` gives.

    XGBoost files values by name, those of its own ndcg@10 too: ``name`` keeps apart what would be called the same. A
    colon in it becomes =, for XGBoost's results are text, in which a colon stands before the value.

    >>> metric("ndcg@10").higher_is_better, metric("pairwise_error").higher_is_better
    (True, False)
    """
    chosen = measures.measure(measure)
    return XGBoostMetric(chosen, (name or str(chosen)).replace(":", "="), like, n_threads)


class XGBoostObjective(Objective):
    """Made by `objective`."""

    def __call__(self, scores: npt.ArrayLike, matrix: Any) -> tuple[Float32s, Float32s]:
        """Gradient and curvature at the scores of the documents of a DMatrix."""
        data, weights = _documents(matrix), matrix.get_weight()
        if not weights.size:
            return self.derivatives(data, scores)
        return self.derivatives(data, scores, None, weight_column(weights, data.n_queries, "weights", "query"))


class XGBoostMetric(Metric):
    """Made by `metric`."""

    def __call__(self, scores: npt.ArrayLike, matrix: Any) -> tuple[str, float]:
        """Name and mean."""
        return self.name, self.mean(_documents(matrix), scores)


def _documents(matrix: Any) -> RankingData:
    bounds = matrix.get_uint_info("group_ptr").astype(np.int64)
    how = "xgboost.DMatrix(X, y, qid=query_of_each_row), or matrix.set_group(sizes)"
    return grouped(matrix.get_label(), np.diff(bounds), how)

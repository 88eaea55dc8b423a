"""XGBoost with any loss as its objective and any measure as its metric.

Both are for ``xgboost.train``: ``obj`` and ``custom_metric``; queries are the groups or the ``qid`` of the DMatrix.
XGBRanker does not accept custom objectives, and its mean of a metric counts a query by its number of documents.

In ranking, XGBoost has one weight per query. The loss is summed over queries. A leaf needs ``min_child_weight`` of its
curvature, 1 by default, which is a lot for a loss of at most 1 per query. XGBoost keeps six decimals of a metric. For
early stopping pass ``maximize=metric.higher_is_better``: otherwise XGBoost guesses the direction from the name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import losses, measures
from idealrank._typing import Float32s, Int64s
from idealrank.data.columns import weight_column
from idealrank.errors import OptionError
from idealrank.integrations._boosters import BoosterMetric, BoosterObjective, Documents, grouped
from idealrank.losses import Loss
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention

__all__ = ["metric", "objective"]

_HOW = "xgboost.DMatrix(X, y, qid=query_of_each_row), or matrix.set_group(sizes)"


def objective(loss: str | Loss, *, n_threads: int | None = None) -> XGBoostObjective:
    """Return a loss as the ``obj`` of ``xgboost.train``.

    Parameters
    ----------
    loss : str or Loss
        The loss or its name.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    XGBoostObjective
        A function for ``obj`` of ``xgboost.train``.

    Raises
    ------
    OptionError
        If the loss is unknown.

    Examples
    --------
    >>> from idealrank.integrations.xgboost import objective
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
    """Return a measure as the ``custom_metric`` of ``xgboost.train``, with the same mean as from `idealrank.evaluate`.

    Parameters
    ----------
    measure : str or Measure
        The measure or its name.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    name : str, optional
        The name of the metric; by default, the name of the measure. XGBoost stores values by name, including those of
        its own ndcg@10; choose another name to keep them apart. A colon is replaced by "=", because a colon precedes
        the value in XGBoost's text results.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    XGBoostMetric
        A function that returns the name and the mean.

    Raises
    ------
    OptionError
        If the measure is unknown.

    Examples
    --------
    >>> from idealrank.integrations.xgboost import metric
    >>> metric("ndcg@10").higher_is_better, metric("pairwise_error").higher_is_better
    (True, False)
    """
    chosen = measures.measure(measure)
    return XGBoostMetric(chosen, str(chosen) if name is None else name, like, n_threads)


class XGBoostObjective(BoosterObjective):
    """The result of `objective`."""

    def __call__(self, scores: npt.ArrayLike, matrix: Any) -> tuple[Float32s, Float32s]:
        """Compute gradient and curvature at the scores of the documents of a DMatrix."""
        columns = _columns(matrix)
        weights = matrix.get_weight()

        def documents() -> Documents:
            data = grouped(*columns, _HOW)
            if not weights.size:
                return Documents(data)
            return Documents(data, None, weight_column(weights, data.n_queries, "weights", "query"))

        return self.derivatives((*columns, weights), scores, documents)


class XGBoostMetric(BoosterMetric):
    """The result of `metric`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "name", self.name.replace(":", "="))

    def __call__(self, scores: npt.ArrayLike, matrix: Any) -> tuple[str, float]:
        """Return the name and the mean."""
        return self.name, self.mean(grouped(*_columns(matrix), _HOW), scores)


def _columns(matrix: Any) -> tuple[Float32s, Int64s]:
    """Return the labels and the group sizes of a DMatrix."""
    if not hasattr(matrix, "get_uint_info"):
        raise OptionError(
            "expected a DMatrix: XGBRanker counts a query by its number of documents, and a single document as 1, so "
            "that it would report another mean; use xgboost.train with obj= and custom_metric="
        )
    return matrix.get_label(), np.diff(matrix.get_uint_info("group_ptr").astype(np.int64))

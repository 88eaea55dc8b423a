"""LightGBM with any loss as its objective and any measure as its metric.

Both work with ``lightgbm.train`` (``params["objective"]`` and ``feval``) and with ``LGBMRanker`` (``objective`` and
``eval_metric``); queries are the groups of the data set. A query may have any number of documents.

The weight of a query is the mean weight of its documents; within a query, a document's weight multiplies its gain, as
for all losses. The loss is summed over queries, and leaves need ``min_sum_hessian_in_leaf`` of its curvature.
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
from idealrank.losses.segments import sums
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention

__all__ = ["metric", "objective"]


def objective(loss: str | Loss, *, n_threads: int | None = None) -> LightGBMObjective:
    """Return a loss as LightGBM's objective.

    Parameters
    ----------
    loss : str or Loss
        The loss or its name.
    n_threads : int, optional
        Number of threads; None means all cores.

    Returns
    -------
    LightGBMObjective

    Examples
    --------
    Two documents with equal scores, the first of them relevant, as LGBMRanker passes them:

    >>> objective("pairwise_logistic")([1, 0], [0.0, 0.0], None, [2])
    (array([-0.5,  0.5], dtype=float32), array([0.25, 0.25], dtype=float32))
    """
    return LightGBMObjective(losses.loss(loss), n_threads)


def metric(
    measure: str | Measure,
    like: str | Convention | None = None,
    *,
    name: str | None = None,
    n_threads: int | None = None,
) -> LightGBMMetric:
    """Return a measure as LightGBM's metric: its name, the mean as in `idealrank.evaluate`, and the direction.

    Parameters
    ----------
    measure : str or Measure
        The measure or its name.
    like : str or Convention, optional
        The convention.
    name : str, optional
        The name of the metric. LightGBM stores values by name, those of its own ndcg@10 too, so set it to keep them
        apart.
    n_threads : int, optional
        Number of threads; None means all cores.

    Returns
    -------
    LightGBMMetric

    Examples
    --------
    >>> metric("ndcg@10")([0, 1], [0.2, 0.1], None, [2])
    ('ndcg@10', 0.6309297535714575, True)
    """
    chosen = measures.measure(measure)
    return LightGBMMetric(chosen, name or str(chosen), like, n_threads)


class LightGBMObjective(Objective):
    """The result of `objective`. It has the four parameters that LGBMRanker, which counts them, expects."""

    def __call__(
        self, first: Any, second: Any, weight: npt.ArrayLike | None = None, group: npt.ArrayLike | None = None
    ) -> tuple[Float32s, Float32s]:
        """Compute gradient and curvature, from (scores, Dataset) or from (labels, scores, weights, group sizes)."""
        data, scores, weights = _arguments(first, second, weight, group)
        if weights is None:
            return self.derivatives(data, scores)
        column = weight_column(weights, data.n_docs, "weights", "document")
        sizes = np.diff(data.offsets)
        means = sums(column, data.offsets) / np.maximum(sizes, 1)
        # A loss relative to an ideal ignores a factor that all documents of a query share.
        relative = column / np.repeat(np.where(means > 0, means, 1.0), sizes)
        return self.derivatives(data, scores, relative, means)


class LightGBMMetric(Metric):
    """The result of `metric`. It has the four parameters that LGBMRanker, which counts them, expects."""

    def __call__(
        self, first: Any, second: Any, weight: npt.ArrayLike | None = None, group: npt.ArrayLike | None = None
    ) -> tuple[str, float, bool]:
        """Return name, mean and direction, from (scores, Dataset) or from (labels, scores, weights, group sizes)."""
        data, scores, _ = _arguments(first, second, weight, group)
        return self.name, self.mean(data, scores), self.higher_is_better


def _arguments(
    first: Any, second: Any, weights: npt.ArrayLike | None, sizes: npt.ArrayLike | None
) -> tuple[RankingData, npt.ArrayLike, npt.ArrayLike | None]:
    """Return documents, scores and weights, from either form of LightGBM's calls."""
    labels, scores = first, second
    if hasattr(second, "get_group"):
        labels, scores, weights, sizes = second.get_label(), first, second.get_weight(), second.get_group()
    how = "lightgbm.Dataset(X, y, group=sizes), or LGBMRanker().fit(X, y, group=sizes)"
    return grouped(labels, sizes, how), scores, weights

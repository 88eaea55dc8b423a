"""LightGBM with any loss as its objective and any measure as its metric.

Both work with ``lightgbm.train`` (``params["objective"]`` and ``feval``) and with ``LGBMRanker`` (``objective`` and
``eval_metric``); queries are the groups of the data set. A query may have any number of documents.

A query weighs as much as its documents do on average; within it, a document's weight multiplies what it is worth, as
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
    """A loss as LightGBM's objective.

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
    """A measure as LightGBM's metric: its name, the mean that `idealrank.evaluate` gives, whether higher is better.

    LightGBM files values by name, those of its own ndcg@10 too: ``name`` keeps apart what would be called the same.

    >>> metric("ndcg@10")([0, 1], [0.2, 0.1], None, [2])
    ('ndcg@10', 0.6309297535714575, True)
    """
    chosen = measures.measure(measure)
    return LightGBMMetric(chosen, name or str(chosen), like, n_threads)


class LightGBMObjective(Objective):
    """Made by `objective`. Its four parameters are those of LGBMRanker, which counts them."""

    def __call__(
        self, first: Any, second: Any, weight: npt.ArrayLike | None = None, group: npt.ArrayLike | None = None
    ) -> tuple[Float32s, Float32s]:
        """Gradient and curvature, of (scores, Dataset) or of (labels, scores, weights, group sizes)."""
        if _is_dataset(second):
            return self._of(_documents(second), first, second.get_weight())
        return self._of(_grouped(first, group), second, weight)

    def _of(self, data: RankingData, scores: npt.ArrayLike, weights: npt.ArrayLike | None) -> tuple[Float32s, Float32s]:
        if weights is None:
            return self.derivatives(data, scores)
        column = weight_column(weights, data.n_docs, "weights", "document")
        sizes = np.diff(data.offsets)
        means = sums(column, data.offsets) / np.maximum(sizes, 1)
        # A loss relative to an ideal does not see a factor that all of a query's documents share.
        relative = column / np.repeat(np.where(means > 0, means, 1.0), sizes)
        return self.derivatives(data, scores, relative, means)


class LightGBMMetric(Metric):
    """Made by `metric`. Its four parameters are those of LGBMRanker, which counts them."""

    def __call__(
        self, first: Any, second: Any, weight: npt.ArrayLike | None = None, group: npt.ArrayLike | None = None
    ) -> tuple[str, float, bool]:
        """Name, mean, whether higher is better: of (scores, Dataset) or of (labels, scores, weights, group sizes)."""
        if _is_dataset(second):
            return self.name, self.mean(_documents(second), first), self.higher_is_better
        return self.name, self.mean(_grouped(first, group), second), self.higher_is_better


def _is_dataset(value: Any) -> bool:
    return hasattr(value, "get_group")


def _documents(dataset: Any) -> RankingData:
    return _grouped(dataset.get_label(), dataset.get_group())


def _grouped(labels: npt.ArrayLike, sizes: npt.ArrayLike | None) -> RankingData:
    return grouped(labels, sizes, "lightgbm.Dataset(X, y, group=sizes), or LGBMRanker().fit(X, y, group=sizes)")

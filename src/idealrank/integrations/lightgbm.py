"""LightGBM with any loss as its objective and any measure as its metric.

Both work with ``lightgbm.train`` (``params["objective"]`` and ``feval``) and with ``LGBMRanker`` (``objective`` and
``eval_metric``); queries are the groups of the data set. A query may have any number of documents.

``lightgbm.cv`` needs ``folds=cv_folds(...)``: it keeps queries whole only for its own ranking objectives.

The weight of a query is the mean weight of its documents; within a query, a document's weight multiplies its gain, as
for all losses. The loss is summed over queries, and leaves need ``min_sum_hessian_in_leaf`` of its curvature.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import losses, measures
from idealrank._core.checks import is_whole
from idealrank._typing import Float32s, Int64s
from idealrank.data.columns import array_of, weight_column
from idealrank.data.construction import from_arrays
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.integrations._boosters import BoosterMetric, BoosterObjective, Documents, grouped
from idealrank.losses import Loss
from idealrank.losses.segments import sums
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention

__all__ = ["cv_folds", "metric", "objective"]

_HOW = "lightgbm.Dataset(X, y, group=sizes), or LGBMRanker().fit(X, y, group=sizes)"


def objective(loss: str | Loss, *, n_threads: int | None = None) -> LightGBMObjective:
    """Return a loss as an objective of LightGBM.

    Parameters
    ----------
    loss : str or Loss
        The loss or its name.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    LightGBMObjective
        A function for ``objective`` in the parameters of ``lightgbm.train``, or in ``LGBMRanker``.

    Raises
    ------
    OptionError
        If the loss is unknown.

    Examples
    --------
    Two documents with equal scores, of which the first is relevant, passed as by LGBMRanker:

    >>> from idealrank.integrations.lightgbm import objective
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
    """Return a measure as a metric of LightGBM, with the same mean as from `idealrank.evaluate`.

    Parameters
    ----------
    measure : str or Measure
        The measure or its name.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    name : str, optional
        The name of the metric; by default, the name of the measure. LightGBM stores values by name, including those of
        its own ndcg@10; choose another name to keep them apart.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    LightGBMMetric
        A function that returns the name, the mean, and whether higher is better; for ``feval`` of ``lightgbm.train``,
        or ``eval_metric`` of ``LGBMRanker.fit``.

    Raises
    ------
    OptionError
        If the measure is unknown.

    Examples
    --------
    >>> from idealrank.integrations.lightgbm import metric
    >>> metric("ndcg@10")([0, 1], [0.2, 0.1], None, [2])
    ('ndcg@10', 0.6309297535714575, True)
    """
    chosen = measures.measure(measure)
    return LightGBMMetric(chosen, str(chosen) if name is None else name, like, n_threads)


def cv_folds(
    data: RankingData | npt.ArrayLike | Any, n_folds: int = 5, seed: int | None = 0
) -> list[tuple[Int64s, Int64s]]:
    """Return folds of whole queries, for the argument ``folds`` of ``lightgbm.cv``.

    Parameters
    ----------
    data : RankingData, lightgbm.Dataset or array-like of int
        The data, or the number of documents in each query, in the order of the rows of the data set.
    n_folds : int
        Number of folds.
    seed : int, optional
        Seed of the random number generator, which assigns queries to folds; None means a new seed for every call.

    Returns
    -------
    list of (int64 array, int64 array)
        The rows of the training part and of the test part of each fold.

    Raises
    ------
    OptionError
        If there are fewer queries than folds, or fewer than two folds.
    DataError
        If the data has no groups.

    Examples
    --------
    >>> from idealrank.integrations.lightgbm import cv_folds
    >>> for train, test in cv_folds([2, 1, 2], n_folds=3, seed=0):
    ...     print(train, test)
    [0 1 2] [3 4]
    [0 1 3 4] [2]
    [2 3 4] [0 1]
    """
    if isinstance(data, RankingData):
        sizes = data.group_sizes
    else:
        given = _groups_of(data) if hasattr(data, "get_group") else data
        if given is None:
            raise DataError(f"the data set has no groups, so there are no queries to keep whole: use {_HOW}")
        sizes = array_of(given, "group sizes")
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise DataError("group sizes must be whole numbers of at least 0, one per query")
    if not is_whole(n_folds, 2, sizes.size):
        raise OptionError(f"n_folds must be from 2 to the number of queries, {sizes.size:,}; got {n_folds!r}")
    if seed is not None and not is_whole(seed):
        raise OptionError(f"seed must be a whole number of at least 0, or None, got {seed!r}")
    n_rows = int(sizes.sum())
    numbered = from_arrays(np.zeros(n_rows), group=sizes, scores=np.arange(n_rows))
    return [(_rows(train), _rows(test)) for train, test in numbered.folds(int(n_folds), seed)]


def _groups_of(dataset: Any) -> npt.ArrayLike | None:
    try:
        sizes: npt.ArrayLike | None = dataset.get_group()
    except Exception:  # LightGBM raises nothing more specific for a data set that is not constructed and has none
        return None
    return sizes


def _rows(numbered: RankingData) -> Int64s:
    assert numbered.scores is not None
    return numbered.scores.astype(np.int64)


class LightGBMObjective(BoosterObjective):
    """The result of `objective`. It has the four parameters that LGBMRanker, which counts them, expects."""

    def __call__(
        self, first: Any, second: Any, weight: npt.ArrayLike | None = None, group: npt.ArrayLike | None = None
    ) -> tuple[Float32s, Float32s]:
        """Compute gradient and curvature, from (scores, Dataset) or from (labels, scores, weights, group sizes)."""
        labels, scores, weights, sizes = _arguments(first, second, weight, group)
        _refuse_bagging_by_query(second)
        return self.derivatives((labels, sizes, weights), scores, lambda: _documents(labels, sizes, weights))


def _documents(labels: npt.ArrayLike, sizes: npt.ArrayLike | None, weights: npt.ArrayLike | None) -> Documents:
    data = grouped(labels, sizes, _HOW)
    if weights is None:
        return Documents(data)
    column = weight_column(weights, data.n_docs, "weights", "document")
    counts = np.diff(data.offsets)
    means = sums(column, data.offsets) / np.maximum(counts, 1)
    # A loss relative to an ideal ignores a factor that all documents of a query share.
    return Documents(data, column / np.repeat(np.where(means > 0, means, 1.0), counts), means)


class LightGBMMetric(BoosterMetric):
    """The result of `metric`. It has the four parameters that LGBMRanker, which counts them, expects."""

    def __call__(
        self, first: Any, second: Any, weight: npt.ArrayLike | None = None, group: npt.ArrayLike | None = None
    ) -> tuple[str, float, bool]:
        """Return name, mean and direction, from (scores, Dataset) or from (labels, scores, weights, group sizes)."""
        labels, scores, _, sizes = _arguments(first, second, weight, group)
        return self.name, self.mean(grouped(labels, sizes, _HOW), scores), self.higher_is_better


def _arguments(
    first: Any, second: Any, weights: npt.ArrayLike | None, sizes: npt.ArrayLike | None
) -> tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike | None, npt.ArrayLike | None]:
    """Return labels, scores, weights and group sizes, from either form of LightGBM's calls."""
    labels, scores = first, second
    if hasattr(second, "get_group"):
        labels, scores, weights, sizes = second.get_label(), first, second.get_weight(), second.get_group()
        _check_subset(second)
    return labels, scores, weights, sizes


def _check_subset(dataset: Any) -> None:
    """Refuse a part of a data set that has only some documents of a query, as lightgbm.cv makes them."""
    rows, whole = getattr(dataset, "used_indices", None), getattr(dataset, "reference", None)
    sizes = None if rows is None or whole is None else whole.get_group()
    if sizes is None or rows is None:
        return
    ends = np.cumsum(sizes)
    taken = np.bincount(np.searchsorted(ends, rows, side="right"), minlength=ends.size)
    partial = np.flatnonzero((taken > 0) & (taken < sizes))
    if partial.size:
        query = int(partial[0])
        raise DataError(
            f"the data set has only a part of the query {query}: {taken[query]} of its {int(sizes[query])} documents. "
            "lightgbm.cv splits queries unless it is told not to: pass "
            "folds=idealrank.integrations.lightgbm.cv_folds(group_sizes, n_folds, seed)"
        )


def _refuse_bagging_by_query(dataset: Any) -> None:
    wanted = (getattr(dataset, "params", None) or {}).get("bagging_by_query", False)
    if str(wanted).lower() in ("true", "1", "+"):
        raise OptionError(
            "bagging_by_query: LightGBM 4.7 grows no trees with it unless the objective is one of its own; leave it "
            "out (bagging_fraction and bagging_freq alone sample documents)"
        )

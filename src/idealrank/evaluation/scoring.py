"""Scorers for scikit-learn's model selection."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.columns import float_column
from idealrank.data.construction import from_arrays
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.measures import Measure, measure

__all__ = ["Scorer", "mean_over_queries", "mean_value", "scorer"]


def mean_over_queries(values: Floats, of: Measure) -> float:
    """Return the mean of the values of queries that have one; if none has, raise a DataError.

    >>> mean_over_queries(np.array([1.0, np.nan, 0.5]), measure("ndcg"))
    0.75
    """
    if np.isnan(values).all():
        raise DataError(f"none of the {values.size} queries has a value of {of}: is anything relevant in them?")
    return float(np.nanmean(values))


def mean_value(of: Measure, lists: Lists) -> float:
    """Return the mean of a measure over queries; errors name the query id and the input row.

    >>> mean_value(measure("ndcg@1"), Lists.of([1, 0, 1, 0], [2, 1, 3, 4], [0, 2, 4]))
    0.5
    """
    with lists.locating():
        return mean_over_queries(of.values(lists), of)


@dataclass(frozen=True)
class Scorer:
    """What scikit-learn calls as ``scorer(estimator, X, y, qid=...)``: the mean of a measure, the greater the better.

    The estimator is any that has ``predict``, a regressor too; ``qid`` goes on to ``predict`` where that takes it.

    >>> from sklearn.linear_model import LinearRegression
    >>> X, y, qid = [[1.0], [2.0], [5.0], [3.0]], [0, 1, 1, 0], [7, 7, 8, 8]
    >>> Scorer(measure("ndcg@1"))(LinearRegression().fit(X, y), X, y, qid=qid)
    1.0
    """

    measure: Measure

    def __call__(self, estimator: Any, X: Any, y: npt.ArrayLike, *, qid: Iterable[object] | None = None) -> float:
        if qid is None:
            raise DataError(
                f"{self.measure} is measured query by query, and no qid came here: call "
                "sklearn.set_config(enable_metadata_routing=True), and pass qid to fit, or params={'qid': ...}"
            )
        data = from_arrays(y, query_ids=qid)
        goes_on = "qid" in inspect.signature(estimator.predict).parameters or hasattr(estimator, "steps")
        scores = estimator.predict(X, qid=qid) if goes_on else estimator.predict(X)
        mean = mean_value(self.measure, data.lists(data.to_grouped(float_column(scores, "scores", data.n_docs))))
        return -mean if self.measure.lower_is_better else mean

    def get_metadata_routing(self) -> Any:
        """Ask scikit-learn for ``qid``."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="qid", alias=True)
        return request


def scorer(name: str | Measure) -> Scorer:
    """A scorer for ``GridSearchCV(scoring=...)``, ``cross_val_score`` and their like.

    Where a lower value is better (pairwise error) its negative is what counts.

    >>> import sklearn
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> X, y, qid = [[1.0], [2.0], [5.0], [3.0]], [0, 1, 1, 0], [7, 7, 8, 8]
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     query_of_each_row = {"qid": qid, "groups": qid}
    ...     cross_val_score(Ridge(), X, y, scoring=scorer("ndcg@1"), cv=GroupKFold(2), params=query_of_each_row)
    array([1., 1.])
    """
    return Scorer(measure(name))

"""Scorers for scikit-learn's model selection."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.columns import float_column
from idealrank.data.construction import from_arrays
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.measures import Measure
from idealrank.measures import measure as measure_named

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRequest


def mean_over_queries(values: Floats, of: Measure) -> float:
    """Return the mean over the queries that have a value.

    Parameters
    ----------
    values : array
        One value per query; NaN if there is none.
    of : Measure
        The measure, for the error message.

    Returns
    -------
    float
        The mean.

    Raises
    ------
    DataError
        If no query has a value.

    Examples
    --------
    >>> from idealrank import measure
    >>> mean_over_queries(np.array([1.0, np.nan, 0.5]), measure("ndcg"))
    0.75
    """
    if np.isnan(values).all():
        raise DataError(f"none of the {values.size} queries has a value of {of}: is anything relevant in them?")
    return of.moments(values[~np.isnan(values)]).mean


def mean_value(of: Measure, lists: Lists) -> float:
    """Return the mean of a measure over queries; errors name the query id and the input row.

    >>> from idealrank import measure
    >>> mean_value(measure("ndcg@1"), Lists.of([1, 0, 1, 0], [2, 1, 3, 4], [0, 2, 4]))
    0.5
    """
    with lists.with_locations():
        return mean_over_queries(of.values(lists), of)


class _NoScore:
    """What scikit-learn shows in the error that a score is no number."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __repr__(self) -> str:
        return f"no score: {self._what}"


def no_queries(what: str) -> float:
    """Raise a DataError because no qid came to a score.

    A search of scikit-learn would make NaN of it, for all settings, and take the first. It refuses a score that is no
    number, whatever its error_score: in a search, return one that says what is wrong.

    Parameters
    ----------
    what : str
        What is missing, and what to do.

    Raises
    ------
    DataError
        Unless a search of scikit-learn computes the score.

    Examples
    --------
    >>> no_queries("got no qid")
    Traceback (most recent call last):
    idealrank.errors.DataError: got no qid
    """
    frame = inspect.currentframe()
    while frame is not None:
        if (
            frame.f_globals.get("__name__") == "sklearn.model_selection._validation"
            and frame.f_code.co_name == "_score"
        ):
            if frame.f_locals.get("error_score") != "raise":
                return _NoScore(what)  # type: ignore[return-value]
            break
        frame = frame.f_back
    raise DataError(what)


@dataclass(frozen=True)
class Scorer:
    """A scikit-learn scorer, called as ``scorer(estimator, X, y, qid=...)``: the mean of a measure, higher is better.

    The estimator may be any with ``predict``, including regressors; ``qid`` is passed on if ``predict`` accepts it.

    Parameters
    ----------
    measure : Measure
        The measure; a measure where lower is better is negated.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y, qid = [[1.0], [2.0], [5.0], [3.0]], [0, 1, 1, 0], [7, 7, 8, 8]
    >>> from idealrank import measure
    >>> Scorer(measure("ndcg@1"))(LinearRegression().fit(X, y), X, y, qid=qid)
    1.0
    """

    measure: Measure

    def __call__(self, estimator: Any, X: Any, y: npt.ArrayLike, *, qid: Iterable[object] | None = None) -> float:
        if qid is None:
            return no_queries(
                f"{self.measure} is measured query by query, and no qid came here: call "
                "sklearn.set_config(enable_metadata_routing=True), and pass qid to fit, or params={'qid': ...}"
            )
        data = from_arrays(y, query_ids=qid)
        goes_on = "qid" in inspect.signature(estimator.predict).parameters or hasattr(estimator, "steps")
        scores = estimator.predict(X, qid=qid) if goes_on else estimator.predict(X)
        mean = mean_value(self.measure, data.lists(data.to_grouped(float_column(scores, "scores", data.n_docs))))
        return -mean if self.measure.lower_is_better else mean

    def get_metadata_routing(self) -> MetadataRequest:
        """Ask scikit-learn for ``qid``."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="qid", alias=True)
        return request


def scorer(measure: str | Measure) -> Scorer:
    """Return a scorer for ``GridSearchCV(scoring=...)``, ``cross_val_score`` and similar functions.

    Parameters
    ----------
    measure : str or Measure
        The measure; a measure where lower is better is negated.

    Returns
    -------
    Scorer
        The scorer.

    Raises
    ------
    OptionError
        If the measure is unknown.

    Examples
    --------
    >>> import sklearn
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> from idealrank import scorer
    >>> X, y, qid = [[1.0], [2.0], [5.0], [3.0]], [0, 1, 1, 0], [7, 7, 8, 8]
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     query_of_each_row = {"qid": qid, "groups": qid}
    ...     cross_val_score(Ridge(), X, y, scoring=scorer("ndcg@1"), cv=GroupKFold(2), params=query_of_each_row)
    array([1., 1.])
    """
    return Scorer(measure_named(measure))

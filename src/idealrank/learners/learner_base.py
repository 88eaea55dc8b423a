"""The base class of all learners: fit, predict and score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self, TypeAlias, TypeGuard, dataclass_transform, runtime_checkable

import numpy as np
import numpy.typing as npt

from idealrank._names.options import check_options, choice, number, option
from idealrank._typing import Floats
from idealrank.data.columns import check_index, check_unmasked, group_of_each
from idealrank.data.construction import from_arrays, offsets_of_group
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.scorer import mean_value, no_queries
from idealrank.learners.estimators import BaseEstimator, check_is_fitted, clone, validate_data
from idealrank.learners.features import NORMALIZATIONS, DenseFeatures, SparseFeatures, features_of
from idealrank.measures import Measure, measure

#: Features, labels and the query id of each row, in any order.
Rows: TypeAlias = tuple[Any, npt.ArrayLike, Iterable[object]]


def query_of_rows(X: Any, qid: Any, group: Any, name: str = "group") -> Any:
    """Return the query of each row of X, given its ids or the sizes of groups of rows that follow each other.

    >>> query_of_rows([[1.0], [2.0], [3.0]], None, [2, 1])
    array([0, 0, 1])
    """
    if group is None:
        return qid
    if qid is not None:
        raise DataError(f"give the queries once: by {name.replace('group', 'qid')} or by {name}, not both")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    return group_of_each(offsets_of_group(group, n_rows, name))


def validation_rows(eval_set: Any, eval_qid: Any, eval_group: Any) -> Any:
    """Return validation data as it is, or (X, y, qid) of what was given in parts, each alone or in a list of one.

    >>> validation_rows([([[1.0], [2.0]], [0, 1])], eval_qid=None, eval_group=[[2]])
    ([[1.0], [2.0]], [0, 1], array([0, 0]))
    """
    parts = {"eval_qid": eval_qid, "eval_group": eval_group}
    given = [name for name, part in parts.items() if part is not None]
    if eval_set is None:
        if given:
            raise DataError(f"{given[0]} is given without eval_set")
        return None
    if isinstance(eval_set, list):
        if len(eval_set) > 1 and isinstance(eval_set[0], tuple):
            raise DataError(f"eval_set must be one set of validation data, got a list of {len(eval_set)}")
        eval_set = eval_set[0] if len(eval_set) == 1 else tuple(eval_set)
    if not given:
        if isinstance(eval_set, tuple) and len(eval_set) == 2:
            raise DataError("eval_set is RankingData or (X, y, qid); beside (X, y), give eval_qid or eval_group")
        return eval_set
    if not isinstance(eval_set, tuple) or len(eval_set) != 2:
        raise DataError(f"{given[0]} goes with an eval_set of (X, y), got {type(eval_set).__name__}")
    X, y = eval_set
    return X, y, query_of_rows(X, _alone(eval_qid), _alone(eval_group), "eval_group")


def _alone(given: Any) -> Any:
    """Return the only item of a list, if it is an array itself."""
    is_wrapped = isinstance(given, (list, tuple)) and len(given) == 1 and np.ndim(given[0]) > 0
    return given[0] if is_wrapped else given


@runtime_checkable
class Dataset(Protocol):
    """Documents with features, labels, queries and weights of their own; every learner takes `RankingData`."""

    @property
    def n_features(self) -> int:
        """Number of features."""
        ...

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """One name per feature, if they are known."""
        ...


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
@dataclass(kw_only=True, eq=False, repr=False)
class Learner(BaseEstimator):  # type: ignore[misc]
    """A scikit-learn estimator that checks its options and can be saved to a model file.

    Every subclass becomes a dataclass, so that its annotated attributes are options.

    Options are fields that `option` declares with a check; ``_check_options`` checks whether they go together.
    ``_state`` lists the fitted attributes that scoring needs and that model files contain: {attribute: type}, where the
    type is "text", a dtype, or a dtype with the names of its dimensions, such as "float64[n_features]"; "ids[n_users]"
    are integers or text. Dimensions with the same name are equal. A learner makes further checks in ``_check_state``;
    one whose attributes are not such values converts them in ``_get_state`` and restores them in ``_set_state``.

    Parameters
    ----------
    measure : str or Measure
        The measure that ``score`` returns and that validation uses.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    """

    def __init_subclass__(cls, **arguments: Any) -> None:
        dataclass(kw_only=True, eq=False, repr=False)(cls)
        super().__init_subclass__(**arguments)

    _state: ClassVar[Mapping[str, str]] = {}

    measure: str | Measure = option(measure, "ndcg")
    n_threads: int | None = option(number(1, is_whole=True))

    def check_options(self) -> None:
        """Raise an OptionError if the value of an option is not valid, before any data is read."""
        check_options(type(self), self.get_params(deep=False))
        self._check_options()

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is something to score with; a fit that failed early leaves nothing."""
        return all(hasattr(self, name) for name in self._state)

    def _check_options(self) -> None:
        """Raise an OptionError if options of this learner do not go together."""

    def _get_state(self) -> dict[str, Any]:
        """Return what ``_state`` lists."""
        return {name: getattr(self, name) for name in self._state}

    def _set_state(self, state: Mapping[str, Any]) -> None:
        """Take over the state of another learner, to score like it."""
        for name, value in state.items():
            setattr(self, name, value)
        self._check_state()

    def _check_state(self) -> None:
        """Raise a DataError if the state is invalid, although its dtypes and dimensions are right."""


class Ranker(Learner):
    """A scikit-learn estimator that ranks the documents of each query.

    It learns from `RankingData`, or from arrays like other estimators of scikit-learn. With scikit-learn's metadata
    routing, ``qid`` is passed to ``fit``, ``predict`` and ``score`` without a request.

    A subclass defines ``_fit(data, validation)`` and ``_scores(data)``, and whatever `Learner` requires.

    Parameters
    ----------
    normalize : {"minmax", "zscore"}, optional
        How to scale each feature within each query, in training and in scoring: to the range from 0 to 1, or to mean 0
        and standard deviation 1. None does not scale.
    """

    __metadata_request__fit = {"qid": True}  # noqa: RUF012  (scikit-learn reads it so)
    __metadata_request__predict = {"qid": True}  # noqa: RUF012
    __metadata_request__score = {"qid": True, "sample_weight": None}  # noqa: RUF012  (a Pipeline offers it to all)

    #: The name in text, under which `idealrank.learners.register` knows the learner.
    label: ClassVar[str]

    normalize: str | None = option(choice(*NORMALIZATIONS))

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike | None = None,
        *,
        qid: Iterable[object] | None = None,
        group: npt.ArrayLike | None = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        query_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from ranking data, or from arrays.

        Parameters
        ----------
        X : RankingData or array-like of shape (n_docs, n_features)
            The training data, whose weights and feature names are used if it has them; or the features alone, dense or
            sparse. A linear ranker also accepts a source that need not fit into memory, such as `ParquetSource`.
        y : array-like, optional
            One label per row, if ``X`` is an array.
        qid : iterable, optional
            The query id of each row, in any order, if ``X`` is an array.
        group : array-like of int, optional
            In place of ``qid``, the number of rows of each query, whose rows follow each other.
        eval_set : RankingData or (X, y, qid), optional
            Validation data: the iteration that is best on it is kept. It may be a source if ``X`` may be one.
        eval_qid, eval_group : array-like, optional
            The queries of an ``eval_set`` of (X, y), as ids or as sizes. Like in LightGBM and XGBoost, all three may be
            lists with one item.
        sample_weight : array-like, optional
            One weight per row, if ``X`` is an array; it multiplies the gain of the document, or its pairs.
        query_weight : array-like, optional
            One weight per query, in the order in which the queries first appear in ``qid``.

        Returns
        -------
        Ranker
            The fitted ranker itself.

        Raises
        ------
        DataError
            If the data is not valid; the error names the query id and the input row.
        OptionError
            If an option of the learner is not valid.
        """
        self.check_options()
        queries = query_of_rows(X, qid, group)
        validation = validation_rows(eval_set, eval_qid, eval_group)
        self._fit(*self._prepared(X, y, queries, validation, sample_weight, query_weight))
        return self

    def _prepared(
        self,
        X: Any,
        y: npt.ArrayLike | None,
        qid: Iterable[object] | None,
        eval_set: Dataset | Rows | None,
        sample_weight: npt.ArrayLike | None,
        query_weight: npt.ArrayLike | None,
    ) -> tuple[Any, Any]:
        """Return checked data to learn from and to validate on, and remember the features."""
        if _is_dataset(X):
            data = self._accepted(X, y, qid, sample_weight, query_weight, reset=True)
        else:
            data = _from_arrays(self, X, y, qid, sample_weight, query_weight, reset=True)
        if isinstance(data, RankingData):
            if not data.n_docs:
                raise DataError("there are no documents to learn from")
            _check_labels_and_weights(data)
        return data, None if eval_set is None else self._accepted(as_data(self, eval_set, "eval_set"))

    def predict(self, X: Any, qid: Iterable[object] | None = None) -> Floats:
        """Return one score per document, higher for documents that should rank higher.

        Parameters
        ----------
        X : RankingData or array-like of shape (n_docs, n_features)
            The documents. The number and the names of the features must be the same as in ``fit``.
        qid : iterable, optional
            The query id of each row, if ``X`` is an array; required if ``normalize`` is set.

        Returns
        -------
        float64 array of shape (n_docs,)
            The scores, in the order of the arrays of the data, or of the rows of ``X``.

        Raises
        ------
        DataError
            If the features do not match those of ``fit``, or a score overflows.
        """
        check_is_fitted(self)
        if _is_dataset(X):
            return _finite(self._scores(self._accepted(X, qid)))
        if self.normalize is not None and qid is None:
            raise DataError(f"normalize={self.normalize!r} works within queries: predict(X, qid=...) needs them")
        data = _from_arrays(self, X, None, qid, labeled=False)
        return _finite(data.to_input(self._scores(data)))

    def score(self, X: Any, y: npt.ArrayLike | None = None, *, qid: Iterable[object] | None = None) -> float:
        """Return the mean of ``measure`` over the queries.

        Parameters
        ----------
        X : RankingData or array-like of shape (n_docs, n_features)
            The documents, as for ``predict``.
        y : array-like, optional
            One label per row, if ``X`` is an array.
        qid : iterable, optional
            The query id of each row, in any order, if ``X`` is an array.

        Returns
        -------
        float
            The mean of the measure.
        """
        check_is_fitted(self)
        if _is_dataset(X):
            return self._mean(self._accepted(X, y, qid))
        if y is not None and qid is None:
            return no_queries(_missing(self, y))
        return self._mean(_from_arrays(self, X, y, qid))

    def validated_by(self, other: str | Measure) -> Self:
        """Return an unfitted copy that uses another measure for validation and for ``score``.

        Parameters
        ----------
        other : str or Measure
            The other measure.
        """
        return clone(self).set_params(measure=other)  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.normalize is None
        tags.target_tags.required = True
        return tags

    def _fit(self, data: Any, validation: Any) -> None:
        """Learn from data that `_accepts` allows; if validation data is given, choose by it."""
        raise NotImplementedError

    def _scores(self, data: Any) -> Floats:
        """Return one score per document, in the order of the data's own arrays."""
        raise NotImplementedError

    def _features(self, data: RankingData) -> DenseFeatures | SparseFeatures:
        """Return the features of the data, normalized as the options say."""
        return features_of(data, self.normalize, self.n_threads)

    def _mean(self, data: Any) -> float:
        """Return the mean of ``measure`` over the queries of the data."""
        return mean_value(measure(self.measure), data.lists(self._scores(data), self.n_threads))

    def _accepts(self, data: Dataset) -> bool:
        """Return whether the learner takes this kind of data."""
        return isinstance(data, RankingData)

    def _accepted(self, data: Dataset, *arrays: object, reset: bool = False) -> Dataset:
        """Return the data, with features checked against those of the fit, or remembered if ``reset``."""
        kind = type(data).__name__
        if any(each is not None for each in arrays):
            raise DataError(f"{kind} has labels, queries and weights of its own: give it without others")
        if not self._accepts(data):
            raise OptionError(f"{type(self).__name__} takes RankingData or arrays in memory, got {kind}")
        names = data.feature_names
        if reset:
            self.n_features_in_ = data.n_features
            if names is not None:
                self.feature_names_in_ = np.array(names, object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return data
        if data.n_features != self.n_features_in_:
            raise DataError(
                f"the data has {data.n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as in fit"
            )
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and names != tuple(known):
            column = next(column for column, name in enumerate(names) if name != known[column])
            raise DataError(
                f"feature names must be those of fit, in the same order: column {column} was {known[column]!r}, "
                f"got {names[column]!r}"
            )
        return data


def as_data(ranker: BaseEstimator, given: Dataset | Rows, what: str, *, reset: bool = False) -> Dataset:
    """Return data as it is, and (X, y, qid) as RankingData; ``reset`` lets the ranker remember the features."""
    if isinstance(given, Dataset):
        return given
    try:
        X, y, qid = given
    except (TypeError, ValueError):
        raise DataError(f"{what} is RankingData or (X, y, qid), got {type(given).__name__}") from None
    return _from_arrays(ranker, X, y, qid, reset=reset)


def _is_dataset(given: object) -> TypeGuard[Dataset]:
    # Checking a protocol tests each attribute, which would take a tenth of the time of scoring a short query.
    return not isinstance(given, np.ndarray) and isinstance(given, Dataset)


def _finite(scores: Floats) -> Floats:
    """Return the scores if all are finite; weights of 1e308, for example, overflow."""
    bad = np.flatnonzero(~np.isfinite(scores))
    if bad.size:
        what = f"a score overflows, got {scores[bad[0]]:g}: the weights of the model or the features are too large"
        raise DataError(what, row=int(bad[0]))
    return scores


def _missing(ranker: BaseEstimator, y: npt.ArrayLike | None) -> str:
    missing = "requires y to be passed, but the target y is None" if y is None else "got no qid"
    cure = "give RankingData, or the label and the query of each row (qid, or group with sizes)"
    if y is not None:  # without routing, a search of scikit-learn passes qid to fit at most
        cure += "; a search of scikit-learn passes them on after sklearn.set_config(enable_metadata_routing=True) "
        cure += "and fit(X, y, qid=...); idealrank.learners.tune needs no setting"
    return f"{type(ranker).__name__} {missing}: {cure}"


def _from_arrays(
    ranker: BaseEstimator,
    X: Any,
    y: npt.ArrayLike | None,
    qid: Iterable[object] | None,
    sample_weight: npt.ArrayLike | None = None,
    query_weight: npt.ArrayLike | None = None,
    *,
    reset: bool = False,
    labeled: bool = True,
) -> RankingData:
    """Return arrays as RankingData, with features checked like in scikit-learn."""
    if labeled and (y is None or qid is None):
        raise DataError(_missing(ranker, y))
    check_unmasked(X, "features")
    check_index({"X": X, "y": y, "qid": qid, "sample_weight": sample_weight})
    rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float32, "order": "C", "ensure_all_finite": False}
    if not reset and _is_valid(ranker, X):
        matrix = X
    else:
        try:
            with np.errstate(over="ignore"):  # overflow is reported with the other infinite features
                matrix = validate_data(ranker, X, reset=reset, **rules)
        except ValueError as error:
            raise DataError(str(error)) from None
    return from_arrays(
        np.zeros(matrix.shape[0]) if y is None else y,
        query_ids=qid,
        features=matrix,
        weights=sample_weight,
        query_weights=query_weight,
        feature_names=getattr(ranker, "feature_names_in_", None),
    )


def _is_valid(ranker: BaseEstimator, X: Any) -> bool:
    """Return whether scikit-learn would return X unchanged; its own check takes as long as scoring a short query."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float32
        and X.ndim == 2
        and X.flags.c_contiguous
        and X.shape[0] > 0
        and X.shape[1] == ranker.n_features_in_
        and not hasattr(ranker, "feature_names_in_")
    )


def _check_labels_and_weights(data: RankingData) -> None:
    data.require(np.isfinite(data.labels), data.labels, "a label to learn from must be a finite number")
    for name in ("weights", "query_weights"):
        column = getattr(data, name)
        if column is not None and not column.any():
            raise DataError(f"all {name.replace('_', ' ')} are zero: there is nothing to learn from")

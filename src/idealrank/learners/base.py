"""What all learners have in common: how they take data, how they score it, and how well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from idealrank._base.frames import frame_of
from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.data.columns import weight_column
from idealrank.data.construction import from_arrays
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.scoring import mean_over_queries
from idealrank.learners.linear.engine import Source
from idealrank.learners.linear.features import NORMALIZATIONS, DenseFeatures, SparseFeatures, features_of
from idealrank.learners.linear.parts import InMemory, Part
from idealrank.measures import Measure, measure

__all__ = ["Ranker", "Training"]

_Self = TypeVar("_Self", bound="Ranker")


@dataclass(frozen=True)
class Training:
    """What a learner learns from; its labels, weights and features are those of documents query by query.

    ``lists`` has the labels and the documents' weights (and scores that are all 0), ``query_weights`` one number a
    query, ``validation`` the data to choose by, or None.
    """

    data: RankingData
    lists: Lists
    features: DenseFeatures | SparseFeatures
    query_weights: Floats
    validation: RankingData | None

    @property
    def parts(self) -> InMemory:
        """All queries, for sums over them."""
        return InMemory(Part(self.features, self.lists, self.query_weights, self.data))


class Ranker(BaseEstimator):  # type: ignore[misc]
    """A scikit-learn estimator of rankings: ``qid`` says which query each row belongs to, in any order.

    A learner defines ``_fit(training)`` and ``_scores(data)``, and checks its options in ``_check_options``. By
    scikit-learn's metadata routing, ``qid`` goes to ``fit``, ``predict`` and ``score`` without being asked for.

    ``_state`` lists what a fit leaves that scoring needs, and model files hold: {attribute: "text", or a dtype, with
    the names of its dimensions where it is an array: "float64[n_features]"}. Dimensions of one name are equal. A
    learner that has more to check of it does so in ``_check_state``; one whose attributes are not such values makes
    them in ``_get_state`` and takes them in ``_set_state``.
    """

    __metadata_request__fit = {"qid": True}  # noqa: RUF012  (scikit-learn reads it so)
    __metadata_request__predict = {"qid": True}  # noqa: RUF012
    __metadata_request__score = {"qid": True, "sample_weight": None}  # noqa: RUF012  (a Pipeline offers it to all)

    _state: ClassVar[Mapping[str, str]] = {}
    #: The name in text, under which `idealrank.learners.register` knows the learner.
    label: ClassVar[str]

    measure: str | Measure
    normalize: str | None
    n_threads: int | None

    def fit(
        self: _Self,
        X: Any,
        y: npt.ArrayLike | None = None,
        *,
        qid: Iterable[object] | None = None,
        eval_set: tuple[Any, npt.ArrayLike, Iterable[object]] | Source | None = None,
        sample_weight: npt.ArrayLike | None = None,
        query_weight: npt.ArrayLike | None = None,
    ) -> _Self:
        """Learn from the rows ``X`` with the labels ``y``; ``qid`` has the query of each row, in any order.

        ``eval_set`` is (X, y, qid) to validate on. ``sample_weight`` is one number a row, which multiplies what the
        document is worth; ``query_weight`` one a query, in the order in which queries first appear.

        A linear ranker learns from a source in place of ``X`` too, a `ParquetSource` for one, which has labels, queries
        and weights of its own; then ``eval_set`` may be one as well.
        """
        self.check_options()
        if isinstance(X, Source):
            if any(each is not None for each in (y, qid, sample_weight, query_weight)):
                raise DataError("a source has labels, queries and weights of its own: fit(source, eval_set=...)")
            self._checked(X, reset=True)
            if isinstance(eval_set, Source):
                self._fit_source(X, self._checked(eval_set, reset=False))
            else:
                self._fit_source(X, self._to_validate_on(eval_set))
            return self
        if qid is None:
            raise DataError("fit(X, y, qid=...) needs the query of each row")
        data = self._ranking(X, y, qid, reset=True)
        weights = None
        if sample_weight is not None:
            weights = data.to_grouped(weight_column(sample_weight, data.n_docs, "sample_weight", "document"))
            if not weights.any():
                raise DataError("every sample_weight is zero: there is nothing to learn from")
        query_weights = np.ones(data.n_queries)
        if query_weight is not None:
            query_weights = weight_column(query_weight, data.n_queries, "query_weight", "query")
            if not query_weights.any():
                raise DataError("every query_weight is zero: there is nothing to learn from")
        threads = resolve_threads(self.n_threads)
        lists = replace(data.lists(n_threads=threads), weights=weights)
        validation = self._to_validate_on(eval_set)
        self._fit(Training(data, lists, self._features(data), query_weights, validation))
        return self

    def predict(self, X: Any, qid: Iterable[object] | None = None) -> Floats:
        """One score a row, of arrays or of a source; ``qid`` is needed where features are normalised within queries."""
        check_is_fitted(self)
        if isinstance(X, Source):
            return self._source_scores(self._checked(X, reset=False))
        if self.normalize is not None and qid is None:
            raise DataError(f"normalize={self.normalize!r} works within queries: predict(X, qid=...) needs them")
        data = self._ranking(X, None, qid, reset=False)
        return data.to_input(self._scores(data))

    def score(self, X: Any, y: npt.ArrayLike | None = None, *, qid: Iterable[object] | None = None) -> float:
        """The mean of ``measure`` over queries, of arrays or of a source."""
        check_is_fitted(self)
        if isinstance(X, Source):
            return self._source_mean(self._checked(X, reset=False))
        if y is None or qid is None:
            raise DataError("score(X, y, qid=...) needs the label and the query of each row")
        return self._mean(self._ranking(X, y, qid, reset=False))

    def check_options(self) -> None:
        """Refuse options that make no sense, before any data is looked at."""
        if self.normalize is not None and self.normalize not in NORMALIZATIONS:
            raise OptionError(f"normalize is None, 'minmax' or 'zscore', got {self.normalize!r}")
        measure(self.measure)
        seed = getattr(self, "random_state", None)
        if isinstance(seed, Integral) and int(seed) < 0:
            raise OptionError(f"random_state must be 0 or more, or None, got {seed}")
        self._check_options()

    def validated_by(self: _Self, other: str | Measure) -> _Self:
        """A copy, not fitted, that chooses its iteration by another measure, and is measured by it."""
        return clone(self).set_params(measure=other)  # type: ignore[no-any-return]

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is something to score by; a fit that failed before it had anything leaves nothing."""
        return all(hasattr(self, name) for name in self._state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.normalize is None
        tags.target_tags.required = True
        return tags

    def _check_options(self) -> None:
        """Refuse options of this learner that make no sense."""

    def _get_state(self) -> dict[str, Any]:
        """What ``_state`` lists."""
        return {name: getattr(self, name) for name in self._state}

    def _set_state(self, state: Mapping[str, Any]) -> None:
        """Score as the learner did whose state this is."""
        for name, value in state.items():
            setattr(self, name, value)
        self._check_state()

    def _check_state(self) -> None:
        """Refuse a state, of the right dtypes and dimensions, that makes no sense: raise a DataError."""

    def _fit(self, training: Training) -> None:
        raise NotImplementedError

    def _fit_source(self, source: Source, validation: RankingData | Source | None) -> None:
        raise self._refused(source)

    def _scores(self, data: RankingData) -> Floats:
        """One score a document, query by query."""
        raise NotImplementedError

    def _source_scores(self, source: Source) -> Floats:
        raise self._refused(source)

    def _source_mean(self, source: Source) -> float:
        raise self._refused(source)

    def _refused(self, source: Source) -> OptionError:
        return OptionError(
            f"{type(self).__name__} takes arrays, which fit into memory, and no {type(source).__name__}: "
            "linear rankers that are fitted by L-BFGS do"
        )

    def _mean(self, data: RankingData) -> float:
        """The mean of ``measure`` over the queries of the data."""
        chosen = measure(self.measure)
        values = chosen(data.labels, self._scores(data), data.offsets)
        return mean_over_queries(values, chosen)

    def _features(self, data: RankingData) -> DenseFeatures | SparseFeatures:
        return features_of(data, self.normalize, resolve_threads(self.n_threads))

    def _to_validate_on(self, eval_set: Any) -> RankingData | None:
        if isinstance(eval_set, Source):
            raise OptionError("a source is to validate a fit from a source: with arrays, eval_set=(X, y, qid)")
        if eval_set is None:
            return None
        try:
            X, y, qid = eval_set
        except (TypeError, ValueError):
            raise DataError(f"eval_set is (X, y, qid), got {type(eval_set).__name__}") from None
        if y is None or qid is None:
            raise DataError("eval_set=(X, y, qid) needs the label and the query of each row")
        return self._ranking(X, y, qid, reset=False)

    def _checked(self, source: Source, *, reset: bool) -> Source:
        """The source, its features checked to be as many, and of the same names, as at the fit."""
        self._validated(frame_of({name: [] for name in source.features}, "pyarrow"), reset, skip_check_array=True)
        return source

    def _ranking(self, X: Any, y: npt.ArrayLike | None, qid: Iterable[object] | None, *, reset: bool) -> RankingData:
        """The rows as ranking data, their features checked to be as many, and of the same names, as at the fit."""
        rules = {"accept_sparse": "csr", "dtype": np.float32, "order": "C", "ensure_all_finite": False}
        matrix = self._validated(X, reset, **rules)
        n_rows = matrix.shape[0]
        if y is None and reset:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        labels = np.zeros(n_rows) if y is None else y
        return from_arrays(labels, query_ids=np.zeros(n_rows, np.int64) if qid is None else qid, features=matrix)

    def _validated(self, X: Any, reset: bool, **rules: Any) -> Any:
        try:
            with np.errstate(over="ignore"):  # what float32 cannot hold is found with the other infinite features
                return validate_data(self, X, reset=reset, **rules)
        except ValueError as error:
            raise DataError(str(error)) from None

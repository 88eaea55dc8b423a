"""RankingData: labeled documents grouped by query, frozen, everything checked once, at construction."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from idealrank._base.extras import needs
from idealrank._base.threads import resolve_threads
from idealrank._typing import Booleans, Float32s, Floats, Int64s
from idealrank.data.columns import check_offsets, float_column, owned, places, query_at, weight_column
from idealrank.data.ids import Ids
from idealrank.data.lists import Judged, Lists, QueryIds, check_judged, located, query_id
from idealrank.data.problem import Problem
from idealrank.errors import DataError, OptionError

if TYPE_CHECKING:
    import lightgbm
    import xgboost
    from scipy.sparse import csr_array

__all__ = ["Features", "Order", "RankingData", "is_sparse"]

#: A float32 matrix, or SciPy's compressed sparse rows.
Features: TypeAlias = "Float32s | csr_array"
#: How a bare array beside RankingData lies: in the order of the input rows, or in that of the data's own arrays.
Order: TypeAlias = Literal["input", "grouped"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


def is_sparse(features: object) -> TypeGuard[csr_array]:
    """Return whether a feature matrix is one of SciPy's sparse ones."""
    return hasattr(features, "tocsr")


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Labeled documents, grouped by query.

    `from_arrays`, `from_frame`, `read_letor` and `join` make it. The documents of a query lie together in every array,
    so that ``f(data.labels, scores, data.offsets)`` is right whatever order the input rows had; ``rows`` tells which
    input row each document came from. Arrays are read-only, and copied unless nobody can write to the original;
    ``features`` may be a view of the caller's matrix, which must not change while the data is used.

    Parameters
    ----------
    labels : float64 array
        One label per document; NaN only for a document that `join` found unjudged.
    offsets : int64 array
        n_queries + 1 entries that start at 0; query i has the documents ``offsets[i]:offsets[i + 1]``.
    query_ids : int64 array or Ids
        One id per query.
    features : float32 array of shape (n_docs, n_features) or SciPy CSR, optional
        One row per document.
    scores : float64 array, optional
        One score per document.
    weights : float64 array, optional
        One non-negative weight per document, which losses multiply its gain or its pairs by.
    query_weights : float64 array, optional
        One non-negative weight per query, which learners multiply its loss by.
    doc_ids : Ids, optional
        One id per document.
    judged : Judged, optional
        Labels of all judged documents, if `join` made the data.
    feature_names : tuple of str, optional
        One name per feature.
    input_rows : int64 array, optional
        The input row of each document; None if document i came from row i.
    regrouped : bool
        Whether rows were moved to bring the documents of each query together.
    problems : tuple of Problem
        What was met on the way in and given a defined meaning.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"])
    >>> data.query_ids.tolist(), data.offsets, data.labels, data.rows
    (['b', 'a'], array([0, 2, 3]), array([1., 2., 0.]), array([0, 2, 1]))
    """

    labels: Floats
    offsets: Int64s
    query_ids: QueryIds
    features: Features | None = None
    scores: Floats | None = None
    weights: Floats | None = None
    query_weights: Floats | None = None
    doc_ids: Ids | None = None
    judged: Judged | None = None
    feature_names: tuple[str, ...] | None = None
    input_rows: Int64s | None = None
    regrouped: bool = False
    problems: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        labels = float_column(self.labels, "labels")
        n_docs = labels.size
        self._set(labels=owned(labels, self.labels))
        self._set(offsets=owned(check_offsets(self.offsets, n_docs), self.offsets))

        n_queries = self.offsets.size - 1
        if len(self.query_ids) != n_queries:
            raise DataError(f"query_ids must have one entry per query: {n_queries}, got {len(self.query_ids)}")
        if not isinstance(self.query_ids, Ids):
            self._set(query_ids=owned(np.ascontiguousarray(self.query_ids, np.int64), self.query_ids))
        self._check_distinct_queries()
        if self.input_rows is not None:
            rows = np.ascontiguousarray(self.input_rows, np.int64)
            if rows.shape != (n_docs,):
                raise DataError(f"input_rows must have one entry per document: {n_docs}, got shape {rows.shape}")
            if self.regrouped and not np.array_equal(np.bincount(rows, minlength=n_docs), np.ones(n_docs)):
                raise DataError(f"input_rows must be a permutation of the {n_docs} rows")
            self._set(input_rows=owned(rows, self.input_rows))

        allowed = np.isfinite(labels) if self.judged is None else ~np.isinf(labels)
        self.check(allowed, labels, "a label must be a finite number")
        if self.features is not None:
            self._set(features=_check_features(self.features, n_docs))
        if self.feature_names is not None and len(self.feature_names) != self.n_features:
            raise DataError(
                f"feature_names must have one name per feature: {self.n_features}, got {len(self.feature_names)}"
            )
        if self.scores is not None:
            scores = float_column(self.scores, "scores", n_docs)
            self.check(np.isfinite(scores), scores, "a score must be a finite number")
            self._set(scores=owned(scores, self.scores))
        if self.weights is not None:
            weights = float_column(self.weights, "weights", n_docs)
            self.check(np.isfinite(weights) & (weights >= 0), weights, "a weight must be finite and not negative")
            self._set(weights=owned(weights, self.weights))
        if self.query_weights is not None:
            try:
                factors = weight_column(self.query_weights, n_queries, "query_weights", "query")
            except DataError as error:
                raise located(error, self.query_ids, None) from None
            self._set(query_weights=owned(factors, self.query_weights))
        if self.doc_ids is not None and len(self.doc_ids) != n_docs:
            raise DataError(f"doc_ids must have one entry per document: {n_docs}, got {len(self.doc_ids)}")
        if self.judged is not None:
            pool = check_judged(*self.judged, n_queries=n_queries)
            self._set(judged=Judged(owned(pool.labels, self.judged[0]), owned(pool.offsets, self.judged[1])))

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _check_distinct_queries(self) -> None:
        if isinstance(self.query_ids, Ids):
            numbers, distinct = self.query_ids.numbered()
            n_distinct = len(distinct)
        else:
            _, numbers = np.unique(self.query_ids, return_inverse=True)
            n_distinct = int(numbers.max(initial=-1)) + 1
        if n_distinct < self.n_queries:
            repeated = int(np.flatnonzero(np.bincount(numbers)[numbers] > 1)[0])
            raise DataError("a query id is repeated", query=self.query_id(repeated))

    def check(self, valid: Booleans, values: Floats, what: str) -> None:
        """Raise a DataError for the first document, by input row, that is not valid: its value, query id and row."""
        if not valid.all():
            bad = np.flatnonzero(~valid)
            place = int(bad[0] if self.input_rows is None else bad[np.argmin(self.input_rows[bad])])
            error = DataError(f"{what}, got {values[place]}", query_at(self.offsets, place), place)
            raise located(error, self.query_ids, self.input_rows)

    def check_scores(self, scores: npt.ArrayLike, order: Order | None = None) -> Floats:
        """Return scores as float64 in the order of the data's own arrays.

        Parameters
        ----------
        scores : array-like
            One finite number per document.
        order : {"input", "grouped"}, optional
            How the scores lie. It must be given if rows were moved when the data was made.

        Raises
        ------
        DataError
            If a score is not finite, their number is wrong, or their order is ambiguous.
        """
        column = self.in_order(float_column(scores, "scores", self.n_docs), order)
        self.check(np.isfinite(column), column, "a score must be a finite number")
        return column

    def in_order(self, values: npt.NDArray[_Scalar], order: Order | None = None) -> npt.NDArray[_Scalar]:
        """Return an array, which lies in this order, in the order of the data's own arrays."""
        if order not in (None, *get_args(Order)):
            raise OptionError(f"order must be 'input', 'grouped' or None, got {order!r}")
        if not self.regrouped or order == "grouped":
            return values
        if order is None:
            raise DataError(
                "the rows of some queries were scattered and have been moved together, so that an array beside this "
                "data is ambiguous: say order='input' if it lies as the input rows did, order='grouped' if it lies as "
                "data.labels does"
            )
        return self.to_grouped(values)

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return self.labels.size

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.offsets.size - 1

    @property
    def n_features(self) -> int:
        """Number of feature columns, 0 without features."""
        return 0 if self.features is None else int(self.features.shape[1])

    @property
    def group_sizes(self) -> Int64s:
        """Number of documents of each query."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> Int64s:
        """The input row of each document."""
        return np.arange(self.n_docs) if self.input_rows is None else self.input_rows

    def query_id(self, query: int) -> str | int:
        """Return the id of the query with this number."""
        return query_id(self.query_ids, query)

    def lists(self, scores: Floats | None = None, n_threads: int | None = None) -> Lists:
        """Return the arrays as kernels take them, with these scores, or with all scores 0."""
        return Lists(
            self.labels,
            np.zeros(self.n_docs) if scores is None else scores,
            self.offsets,
            self.weights,
            self.judged,
            self.doc_ids,
            self.query_ids,
            self.input_rows,
            n_threads=resolve_threads(n_threads),
        )

    def to_grouped(self, values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
        """Return an array that lies in the order of the input rows in the order of the data's own arrays."""
        return values[self.input_rows] if self.regrouped else values

    def to_input(self, values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
        """Return an array that lies like the data's own in the order of the input rows.

        >>> from idealrank import from_arrays
        >>> data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"])
        >>> data.labels, data.to_input(data.labels)
        (array([1., 2., 0.]), array([1., 0., 2.]))
        """
        if not self.regrouped:
            return values
        moved = np.empty_like(values)
        moved[self.input_rows] = values
        return moved

    def to_lightgbm(self, **params: Any) -> lightgbm.Dataset:
        """Return a ``lightgbm.Dataset`` with features, labels, group sizes, weights and feature names.

        Parameters
        ----------
        **params
            Further arguments of ``lightgbm.Dataset``, such as ``reference`` or ``params``.
        """
        with needs("lightgbm"):
            import lightgbm
        weights = self.weights
        if self.query_weights is not None:
            each = np.repeat(self.query_weights, self.group_sizes)
            weights = each if weights is None else weights * each
        names = "auto" if self.feature_names is None else list(self.feature_names)
        fields = {"label": self.labels, "group": self.group_sizes, "weight": weights, "feature_name": names}
        return lightgbm.Dataset(self.known_features(), **{**fields, **params})

    def to_xgboost(self, **params: Any) -> xgboost.DMatrix:
        """Return an ``xgboost.DMatrix`` with features, labels, group sizes, query weights and feature names.

        Parameters
        ----------
        **params
            Further arguments of ``xgboost.DMatrix``, such as ``missing`` or ``nthread``.
        """
        with needs("xgboost"):
            import xgboost
        if self.weights is not None:
            raise DataError("XGBoost takes one weight per query when it ranks, and this data has one per document")
        names = None if self.feature_names is None else list(self.feature_names)
        fields = {
            "label": self.labels,
            "group": self.group_sizes,
            "weight": self.query_weights,
            "feature_names": names,
        }
        return xgboost.DMatrix(self.known_features(), **{**fields, **params})

    def known_features(self) -> Features:
        """Return the features; raise a DataError if there are none."""
        if self.features is None:
            raise DataError("the data has no features to learn from")
        return self.features

    def subset(self, query_indices: npt.ArrayLike) -> RankingData:
        """Return the queries with these numbers, in that order.

        >>> from idealrank import from_arrays
        >>> data = from_arrays([1, 0, 2, 0], query_ids=["b", "b", "a", "a"])
        >>> data.subset([1]).labels
        array([2., 0.])
        """
        queries = np.atleast_1d(np.asarray(query_indices))
        if queries.dtype == np.bool_:
            if queries.size != self.n_queries:
                raise DataError(f"a mask must have one entry per query: {self.n_queries}, got {queries.size}")
            queries = np.flatnonzero(queries)
        elif queries.size == 0:
            queries = queries.astype(np.int64)
        elif not np.issubdtype(queries.dtype, np.integer):
            raise DataError(f"query_indices must be integers or a mask, got {queries.dtype}")
        outside = (queries < 0) | (queries >= self.n_queries)
        if outside.any():
            raise DataError(f"there are {self.n_queries} queries, got the number {queries[outside][0]}")

        chosen, offsets = places(self.offsets, queries)
        judged = None
        if self.judged is not None:
            judged_places, judged_offsets = places(self.judged.offsets, queries)
            judged = Judged(self.judged.labels[judged_places], judged_offsets)
        return RankingData(
            self.labels[chosen],
            offsets,
            self.query_ids.take(queries),
            features=None if self.features is None else self.features[chosen],
            scores=None if self.scores is None else self.scores[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            query_weights=None if self.query_weights is None else self.query_weights[queries],
            doc_ids=None if self.doc_ids is None else self.doc_ids.take(chosen),
            judged=judged,
            feature_names=self.feature_names,
            input_rows=self.rows[chosen],
            problems=self.problems,
        )

    def split(self, fractions: Sequence[float], seed: int | None = None) -> tuple[RankingData, ...]:
        """Return parts with these fractions of the queries, drawn at random; a sum below 1 leaves some out.

        >>> from idealrank import from_arrays
        >>> [part.n_queries for part in from_arrays(np.zeros(10), group=[1] * 10).split((0.6, 0.2, 0.2), seed=0)]
        [6, 2, 2]
        """
        shares = np.asarray(fractions, dtype=np.float64)
        if shares.ndim != 1 or not shares.size or not (shares > 0).all() or shares.sum() > 1 + 1e-9:
            raise DataError(f"fractions must be positive and sum to at most 1, got {fractions}")
        shuffled = self._shuffled_queries(seed)
        ends = np.rint(np.cumsum(shares) * self.n_queries).astype(np.int64)
        return tuple(self.subset(np.sort(part)) for part in np.split(shuffled[: ends[-1]], ends[:-1]))

    def folds(self, k: int, seed: int | None = None) -> Iterator[tuple[RankingData, RankingData]]:
        """Yield k pairs (train, test); every query is in exactly one test part.

        >>> from idealrank import from_arrays
        >>> data = from_arrays(np.zeros(5), group=[1] * 5)
        >>> [(train.n_queries, test.n_queries) for train, test in data.folds(2, seed=0)]
        [(2, 3), (3, 2)]
        """
        if not 2 <= k <= self.n_queries:
            raise DataError(f"k must be from 2 to the number of queries, {self.n_queries}, got {k}")
        parts = np.array_split(self._shuffled_queries(seed), k)
        return (
            (
                self.subset(np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :]))),
                self.subset(np.sort(parts[fold])),
            )
            for fold in range(k)
        )

    def _shuffled_queries(self, seed: int | None) -> Int64s:
        # By the raw stream, which NumPy keeps the same from version to version, unlike its shuffles.
        return np.argsort(np.random.PCG64(seed).random_raw(self.n_queries), kind="stable")

    def _facts(self) -> list[str]:
        facts = [f"{self.n_queries:,} queries", f"{self.n_docs:,} documents"]
        if self.features is not None:
            facts.append(f"{self.n_features:,} {'sparse ' * is_sparse(self.features)}features")
        levels = np.unique(self.labels[~np.isnan(self.labels)])
        if 0 < levels.size <= 6:
            facts.append("labels " + " ".join(f"{level:g}" for level in levels))
        elif levels.size:
            facts.append(f"labels {levels[0]:g} to {levels[-1]:g}")
        optional = ("scores", "weights", "query_weights", "doc_ids", "judged")
        return facts + [name for name in optional if getattr(self, name) is not None]

    def __repr__(self) -> str:
        facts = self._facts()
        if self.problems:
            facts.append(f"problems: {', '.join(problem.kind for problem in self.problems)}")
        return f"RankingData({', '.join(facts)})"

    def _repr_html_(self) -> str:
        problems = "".join(f"<li>{html.escape(str(problem))}</li>" for problem in self.problems)
        listed = f"<ul>{problems}</ul>" if problems else ""
        return f"<div><strong>RankingData</strong>: {html.escape(', '.join(self._facts()))}{listed}</div>"


def _check_features(features: Any, n_docs: int) -> Features:
    matrix: Features
    if is_sparse(features):
        matrix = features.tocsr().astype(np.float32, copy=False)
    else:
        try:
            matrix = np.ascontiguousarray(features, dtype=np.float32).view()
        except (TypeError, ValueError) as error:
            raise DataError(f"features must be numbers: {error}") from None
        matrix.flags.writeable = False
    if matrix.ndim != 2 or matrix.shape[0] != n_docs:
        raise DataError(f"features must have shape (n_docs, n_features), n_docs = {n_docs}, got {matrix.shape}")
    return matrix

"""RankingData: labeled documents grouped by query, immutable, validated once at construction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import is_whole, items_of
from idealrank._core.extras import needs
from idealrank._core.threads import resolve_threads
from idealrank._present.printable import counted
from idealrank._typing import Booleans, Float32s, Floats, Int64s
from idealrank.data.columns import (
    array_of,
    check_offsets,
    check_size,
    check_unmasked,
    csr_of,
    finite_scores,
    float_column,
    int_array,
    owned,
    places,
    query_at,
    read_only,
    weight_column,
)
from idealrank.data.ids import Ids, taken
from idealrank.data.lists import JudgedLabels, Lists, QueryIds, as_judged, check_judged, located, query_id
from idealrank.data.problem import Problem
from idealrank.errors import DataError, OptionError

if TYPE_CHECKING:
    import lightgbm
    import xgboost
    from scipy.sparse import csr_array

    from idealrank.data.subtopics import Subtopics

#: Fields of `RankingData` with one entry per document, and with one per query.
PER_DOCUMENT, PER_QUERY = ("labels", "features", "scores", "weights", "doc_ids"), ("query_ids", "query_weights")

#: A float32 matrix, or a SciPy CSR array.
Features: TypeAlias = "Float32s | csr_array"
#: The order of an array that accompanies RankingData: that of the input rows, or that of the data's own arrays.
Order: TypeAlias = Literal["input", "grouped"]

Scalar = TypeVar("Scalar", bound=np.generic)


def is_sparse(features: object) -> TypeGuard[csr_array]:
    """Return whether a feature matrix is a SciPy sparse matrix."""
    return hasattr(features, "tocsr")


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Labeled documents, grouped by query.

    Create it with `from_arrays`, `from_frame`, `read_letor` or `join`. The documents of each query are contiguous in
    every array, so ``f(data.labels, scores, data.offsets)`` is correct for any order of the input rows; ``rows`` has
    the input row of each document. Arrays are read-only, and are copied if the original is writable. The exception is
    ``features``, which may be a view of the caller's matrix to save memory: the matrix must not change while the data
    is in use. If it is a memory map, its file must not change either: reading beyond the end of a truncated file ends
    the process (SIGBUS).

    Parameters
    ----------
    labels : float64 array of shape (n_docs,)
        One label per document; NaN only for a document that `join` found unjudged.
    offsets : int64 array of shape (n_queries + 1,)
        Query i has the documents ``offsets[i]:offsets[i + 1]``; the first offset is 0.
    query_ids : int64 array or Ids of length n_queries
        One id per query.
    features : float32 array of shape (n_docs, n_features) or SciPy CSR, optional
        One row per document.
    scores : float64 array of shape (n_docs,), optional
        One score per document. A score of ``-inf`` ranks last, and is stored as the lowest finite number.
    weights : float64 array of shape (n_docs,), optional
        One non-negative weight per document. Losses multiply the gain of the document, or its pairs, by it.
    query_weights : float64 array of shape (n_queries,), optional
        One non-negative weight per query. Learners multiply the loss of the query by it.
    doc_ids : Ids of length n_docs, optional
        One id per document.
    judged : JudgedLabels, optional
        Labels of all judged documents, retrieved or not, if the data was created by `join`.
    feature_names : tuple of str, optional
        One name per feature.
    input_rows : int64 array of shape (n_docs,), optional
        The input row of each document; None if document i came from row i.
    regrouped : bool
        Whether rows were moved to bring the documents of each query together.
    problems : tuple of Problem
        Irregularities in the input, and how they were handled.
    subtopics : Subtopics, optional
        The subtopics for which the documents are judged, if the judgments passed to `join` are by subtopic.

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
    judged: JudgedLabels | None = None
    feature_names: tuple[str, ...] | None = None
    input_rows: Int64s | None = None
    regrouped: bool = False
    problems: tuple[Problem, ...] = ()
    subtopics: Subtopics | None = None

    def __post_init__(self) -> None:
        self._set("labels", float_column(self.labels, "labels"))
        n_docs = self.n_docs
        # Copied before it is checked, so that another thread cannot change it afterwards.
        self._set("offsets", array_of(self.offsets, "offsets"))
        self._set("offsets", check_offsets(self.offsets, n_docs))
        if not isinstance(self.query_ids, Ids):
            self._set("query_ids", int_array(self.query_ids, "query_ids that are not Ids"))
        check_size(len(self.query_ids), self.n_queries, "query_ids", "query")
        self._check_distinct_queries()
        if self.input_rows is not None:
            self._set("input_rows", int_array(self.input_rows, "input_rows"))
            rows = self.input_rows
            if rows.shape != (n_docs,):
                raise DataError(f"input_rows must have one entry per document: {n_docs}, got shape {rows.shape}")
            is_within = not n_docs or 0 <= rows.min() <= rows.max() < n_docs
            if self.regrouped and not (is_within and (np.bincount(rows, minlength=n_docs) == 1).all()):
                raise DataError(f"input_rows must be a permutation of the {n_docs} rows")

        allowed = np.isfinite(self.labels) if self.judged is None else ~np.isinf(self.labels)
        self.require(allowed, self.labels, "a label must be a finite number")
        if self.features is not None:
            object.__setattr__(self, "features", _check_features(self.features, n_docs))
        if self.feature_names is not None:
            names = tuple(items_of(self.feature_names, "feature_names", DataError))
            object.__setattr__(self, "feature_names", names)
            check_size(len(names), self.n_features, "feature_names", "feature")
        if self.scores is not None:
            self._set("scores", finite_scores(float_column(self.scores, "scores", n_docs)))
            self.require(np.isfinite(self.scores), self.scores, "a score must be a finite number")
        if self.weights is not None:
            self._set("weights", float_column(self.weights, "weights", n_docs))
            valid = np.isfinite(self.weights) & (self.weights >= 0)
            self.require(valid, self.weights, "a weight must be finite and not negative")
        if self.query_weights is not None:
            self._set("query_weights", float_column(self.query_weights, "query_weights"))
            try:
                weight_column(self.query_weights, self.n_queries, "query_weights", "query")
            except DataError as error:
                raise located(error, self.query_ids, None) from None
        if self.doc_ids is not None:
            object.__setattr__(self, "doc_ids", Ids.of(self.doc_ids))
            check_size(len(self.doc_ids), n_docs, "doc_ids")
        if self.judged is not None:
            given = as_judged(self.judged)
            labels = owned(float_column(given.labels, "judged labels"), given.labels)
            offsets = owned(array_of(given.offsets, "judged offsets"), given.offsets)
            checked = check_judged(JudgedLabels(labels, offsets), n_queries=self.n_queries)
            object.__setattr__(self, "judged", JudgedLabels(read_only(checked.labels), read_only(checked.offsets)))

    def _set(self, name: str, array: npt.NDArray[Any]) -> None:
        """Replace the value of a field by the checked array, which no one else can change."""
        object.__setattr__(self, name, owned(array, getattr(self, name)))

    def _check_distinct_queries(self) -> None:
        ids = self.query_ids
        if len(ids) < 2:
            return
        numbers = ids.numbered()[0] if isinstance(ids, Ids) else np.unique(ids, return_inverse=True)[1]
        repeated = np.flatnonzero(np.bincount(numbers)[numbers] > 1)
        if repeated.size:
            raise DataError("a query id is repeated", query=self.query_id(int(repeated[0])))

    def require(self, valid: Booleans, values: Floats, what: str) -> None:
        """Raise a DataError for the first invalid document by input row.

        Parameters
        ----------
        valid : bool array
            Whether each document is valid.
        values : float64 array
            One value per document, for the error.
        what : str
            What is required of a value, for the error.
        """
        if not valid.all():
            bad = np.flatnonzero(~valid)
            place = int(bad[0] if self.input_rows is None else bad[np.argmin(self.input_rows[bad])])
            error = DataError(f"{what}, got {values[place]}", query_at(self.offsets, place), place)
            raise located(error, self.query_ids, self.input_rows)

    def check_scores(self, scores: npt.ArrayLike, order: Order | None = None) -> Floats:
        """Return the scores as float64, in the order of the data's own arrays.

        Parameters
        ----------
        scores : array-like
            One number per document; -inf ranks last, NaN and +inf are errors.
        order : {"input", "grouped"}, optional
            The order of the scores. Required if rows were moved when the data was created.

        Returns
        -------
        float64 array
            One score per document.

        Raises
        ------
        DataError
            If a score is not finite, the number of scores is wrong, or their order is ambiguous.
        """
        column = finite_scores(self.in_order(float_column(scores, "scores", self.n_docs), order))
        self.require(np.isfinite(column), column, "a score must be a finite number")
        return column

    def in_order(self, values: npt.NDArray[Scalar], order: Order | None = None) -> npt.NDArray[Scalar]:
        """Return an array in the order of the data's own arrays.

        Parameters
        ----------
        values : array
            One entry per document.
        order : {"input", "grouped"}, optional
            The order of ``values``. Required if rows were moved when the data was created.

        Returns
        -------
        array
            One entry per document.

        Raises
        ------
        DataError
            If rows were moved and ``order`` is None.
        OptionError
            If ``order`` is unknown.
        """
        if order not in (None, *get_args(Order)):
            raise OptionError(f"order must be 'input', 'grouped' or None, got {order!r}")
        if not self.regrouped or order == "grouped":
            return values
        if order is None:
            raise DataError(
                "the rows of some queries were not adjacent and were regrouped, so the order of this array is "
                "ambiguous: pass order='input' if it follows the input rows, or order='grouped' if it follows "
                "data.labels"
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
        """Number of features; 0 if there is no feature matrix."""
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
        """Return the id of a query.

        Parameters
        ----------
        query : int
            The index of the query, counted from 0.

        Returns
        -------
        str or int
            Its id.
        """
        return query_id(self.query_ids, query)

    def lists(self, scores: Floats | None = None, n_threads: int | None = None) -> Lists:
        """Return the arrays as input of measures and losses.

        Parameters
        ----------
        scores : float64 array, optional
            One score per document, in the order of the data's own arrays; all 0 by default.
        n_threads : int, optional
            Number of threads; None means all cores, or the number passed to `set_threads`.

        Returns
        -------
        Lists
            Views of the data's arrays.
        """
        own = (self.offsets, self.weights, self.judged, self.doc_ids, self.query_ids, self.input_rows)
        scores = np.zeros(self.n_docs) if scores is None else scores
        return Lists(self.labels, scores, *own, n_threads=resolve_threads(n_threads), subtopics=self.subtopics)

    def to_grouped(self, values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """Reorder an array from the order of the input rows to the order of the data's own arrays.

        Parameters
        ----------
        values : array of shape (n_docs, ...)
            One entry per input row.

        Returns
        -------
        array of shape (n_docs, ...)
            One entry per document of the data.
        """
        return values[self.input_rows] if self.regrouped else values

    def to_input(self, values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """Reorder an array from the order of the data's own arrays to the order of the input rows.

        Parameters
        ----------
        values : array of shape (n_docs, ...)
            One entry per document of the data, such as a score.

        Returns
        -------
        array of shape (n_docs, ...)
            One entry per input row.

        Examples
        --------
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
            Other arguments of ``lightgbm.Dataset``, such as ``reference`` or ``params``.

        Returns
        -------
        lightgbm.Dataset
            The data set, whose weights are the products of document weights and query weights.
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
            Other arguments of ``xgboost.DMatrix``, such as ``missing`` or ``nthread``.

        Returns
        -------
        xgboost.DMatrix
            The data.

        Raises
        ------
        DataError
            If the data has document weights, which XGBoost does not support for ranking.
        """
        with needs("xgboost"):
            import xgboost
        if self.weights is not None:
            raise DataError("XGBoost supports one weight per query for ranking, but this data has one per document")
        fields = {"label": self.labels, "group": self.group_sizes, "weight": self.query_weights}
        names = None if self.feature_names is None else list(self.feature_names)
        return xgboost.DMatrix(self.known_features(), **{**fields, "feature_names": names, **params})

    def known_features(self) -> Features:
        """Return the features; raise a DataError if there are none."""
        if self.features is None:
            raise DataError("the data has no features to learn from")
        return self.features

    def subset(self, query_indices: npt.ArrayLike) -> RankingData:
        """Return the queries at these indices, in that order.

        Parameters
        ----------
        query_indices : array-like of int or bool
            Indices of queries, or a mask with one entry per query.

        Returns
        -------
        RankingData
            The chosen queries.

        Raises
        ------
        DataError
            If an index is out of range.

        Examples
        --------
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
            raise DataError(f"there are {self.n_queries} queries, got the index {queries[outside][0]}")

        chosen, offsets = places(self.offsets, queries)
        judged = self.judged
        if judged is not None:
            judged_places, judged_offsets = places(judged.offsets, queries)
            judged = JudgedLabels(judged.labels[judged_places], judged_offsets)
        per_document = {name: taken(getattr(self, name), chosen) for name in PER_DOCUMENT}
        per_query = {name: taken(getattr(self, name), queries) for name in PER_QUERY}
        subtopics = None if self.subtopics is None else self.subtopics.take_queries(queries).take(chosen)
        fields = {**per_document, **per_query, "input_rows": self.rows[chosen], "subtopics": subtopics}
        return replace(self, **fields, offsets=offsets, judged=judged, regrouped=False)

    def split(self, fractions: Sequence[float], seed: int | None = 0) -> tuple[RankingData, ...]:
        """Split the queries at random into parts with these fractions; a sum below 1 leaves some queries out.

        Parameters
        ----------
        fractions : sequence of float
            Positive fractions of the queries, with a sum of at most 1.
        seed : int, optional
            Seed of the random number generator; None means a new seed for every call.

        Returns
        -------
        tuple of RankingData
            One part per fraction.

        Examples
        --------
        >>> import numpy as np
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

    def folds(self, k: int, seed: int | None = 0) -> Iterator[tuple[RankingData, RankingData]]:
        """Yield k pairs (train, test) such that every query is in exactly one test part.

        Parameters
        ----------
        k : int
            Number of pairs, from 2 to the number of queries.
        seed : int, optional
            Seed of the random number generator; None means a new seed for every call.

        Returns
        -------
        iterator of (RankingData, RankingData)
            The pairs, created on demand.

        Examples
        --------
        >>> import numpy as np
        >>> from idealrank import from_arrays
        >>> data = from_arrays(np.zeros(5), group=[1] * 5)
        >>> [(train.n_queries, test.n_queries) for train, test in data.folds(2, seed=0)]
        [(2, 3), (3, 2)]
        """
        if not is_whole(k, 2, self.n_queries):
            raise DataError(f"k must be from 2 to the number of queries, {self.n_queries}, got {k!r}")
        parts = np.array_split(self._shuffled_queries(seed), k)
        return (
            (
                self.subset(np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :]))),
                self.subset(np.sort(parts[fold])),
            )
            for fold in range(k)
        )

    def _shuffled_queries(self, seed: int | None) -> Int64s:
        # NumPy keeps the raw stream the same across versions, unlike its shuffles.
        return np.argsort(np.random.PCG64(seed).random_raw(self.n_queries), kind="stable")

    def _facts(self) -> list[str]:
        facts = [counted(self.n_queries, "query"), counted(self.n_docs, "document")]
        if self.features is not None:
            facts.append(counted(self.n_features, f"{'sparse ' * is_sparse(self.features)}feature"))
        levels = np.unique(self.labels[~np.isnan(self.labels)])
        if 0 < levels.size <= 6:
            facts.append("labels " + " ".join(f"{level:g}" for level in levels))
        elif levels.size:
            facts.append(f"labels {levels[0]:g} to {levels[-1]:g}")
        optional = ("scores", "weights", "query_weights", "doc_ids", "judged", "subtopics")
        return facts + [name for name in optional if getattr(self, name) is not None]

    def __repr__(self) -> str:
        facts = self._facts()
        if self.problems:
            facts.append(f"problems: {', '.join(problem.kind for problem in self.problems)}")
        return f"RankingData({', '.join(facts)})"

    def _repr_html_(self) -> str:
        from idealrank._present.markup import tag

        listed = [tag("ul", *(tag("li", problem) for problem in self.problems))] if self.problems else []
        return tag("div", tag("strong", "RankingData"), f": {', '.join(self._facts())}", *listed)


def _check_features(features: Any, n_docs: int) -> Features:
    matrix: Features
    check_unmasked(features, "features")
    if getattr(getattr(features, "dtype", None), "kind", "") == "c":
        raise DataError("features must be real numbers, got complex ones")
    if is_sparse(features):
        matrix = csr_of(features, "features", np.float32)
    else:
        try:
            matrix = np.ascontiguousarray(features, dtype=np.float32).view()
        except (TypeError, ValueError) as error:
            raise DataError(f"features must be numbers: {error}") from None
        matrix.flags.writeable = False
    if matrix.ndim != 2 or matrix.shape[0] != n_docs:
        raise DataError(f"features must have shape (n_docs, n_features), n_docs = {n_docs}, got {matrix.shape}")
    return matrix

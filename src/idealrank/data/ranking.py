"""The data model: documents grouped by query, frozen, everything checked once, at construction.

Rows are never moved: every per-document array of a RankingData is in the order in which the caller gave it. Where the
rows of a query do not lie together, ``order`` lists the rows query by query and ``offsets`` cuts that list; `to_groups`
and `to_rows` carry an array from one arrangement to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.ids import Ids
from idealrank.errors import DataError

__all__ = ["Judged", "Problem", "RankingData", "concatenate", "from_arrays"]

#: Integers stay integers; any other ids are text.
QueryIds: TypeAlias = Ids | Int64s
#: A float32 matrix, or SciPy's compressed sparse rows.
Features: TypeAlias = Any

_AnyArray = TypeVar("_AnyArray", bound=npt.NDArray[Any])
_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True)
class Problem:
    """Something about the data that has a defined meaning, but that its owner will want to know.

    >>> problem = Problem("duplicate", 1, "1 document stands twice: the last score counts")
    >>> problem.kind, problem.count, str(problem)
    ('duplicate', 1, '1 document stands twice: the last score counts')
    """

    kind: str
    count: int
    message: str

    def __str__(self) -> str:
        return self.message


class Judged(NamedTuple):
    """The labels of all judged documents, retrieved or not: what the ideal ranking and recall are taken over.

    Two queries, the first with the labels 2 and 0, the second with the label 1:

    >>> Judged(np.array([2.0, 0.0, 1.0]), np.array([0, 2, 3]))
    Judged(labels=array([2., 0., 1.]), offsets=array([0, 2, 3]))
    """

    labels: Floats
    offsets: Int64s


def frozen(array: _AnyArray) -> _AnyArray:
    """A read-only view, so that what was checked once stays true."""
    view = array.view()
    view.flags.writeable = False
    return view


def float_column(values: npt.ArrayLike, name: str, n_docs: int | None = None) -> Floats:
    """Return the values as flat float64, n_docs of them where that is given; else raise a DataError."""
    try:
        column = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}") from None
    if column.ndim != 1:
        raise DataError(f"{name} must have one dimension, got shape {column.shape}")
    if n_docs is not None and column.size != n_docs:
        raise DataError(f"{name} must have one entry a document: {n_docs}, got {column.size}")
    return column


def check_offsets(offsets: npt.ArrayLike, n_docs: int) -> Int64s:
    """Return offsets as int64 if they start at 0, never fall and end at n_docs; else raise a DataError."""
    array = np.asarray(offsets)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise DataError(f"offsets must be integers, n_queries + 1 of them, got {array.dtype} of shape {array.shape}")
    array = np.ascontiguousarray(array, np.int64)
    if array[0] != 0:
        raise DataError(f"offsets must start at 0, got {array[0]}", query=0)
    falls = array[1:] < array[:-1]
    if falls.any():
        query = int(np.flatnonzero(falls)[0])
        raise DataError(f"offsets must not fall, got {array[query]} and then {array[query + 1]}", query=query)
    if array[-1] != n_docs:
        raise DataError(f"offsets must end at the number of documents, {n_docs}, got {array[-1]}")
    return array


def check_columns(
    labels: npt.ArrayLike, scores: npt.ArrayLike, offsets: npt.ArrayLike | None
) -> tuple[Floats, Floats, Int64s]:
    """Return labels, scores and offsets as flat arrays that fit together; else raise a DataError."""
    try:
        label_column = np.ascontiguousarray(labels, np.float64)
        score_column = np.ascontiguousarray(scores, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"labels and scores must be numbers: {error}") from None
    if label_column.ndim != 1 or label_column.shape != score_column.shape:
        raise DataError(
            f"labels and scores must be flat and of one length, got {label_column.shape} and {score_column.shape}; "
            "a rectangle is labels.ravel(), scores.ravel() and offsets=range(0, labels.size + 1, labels.shape[1])"
        )
    cut = np.array([0, label_column.size]) if offsets is None else check_offsets(offsets, label_column.size)
    return label_column, score_column, cut


def _check_features(features: Features, n_docs: int) -> Features:
    if hasattr(features, "tocsr"):
        matrix = features.tocsr().astype(np.float32, copy=False)
    else:
        try:
            matrix = np.ascontiguousarray(features, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise DataError(f"features must be numbers: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] != n_docs:
        raise DataError(f"features must have shape (n_docs, n_features), n_docs = {n_docs}, got {matrix.shape}")
    return matrix if hasattr(matrix, "tocsr") else frozen(matrix)


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Documents with labels, and what else is known of them, grouped by query.

    Made by `from_arrays`, `from_frame`, `read_letor` or `join`.

    Attributes
    ----------
    labels: float64, one a document; NaN only for a document that `join` found unjudged.
    offsets: int64, n_queries + 1 entries from 0; query i has the documents ``offsets[i]:offsets[i + 1]`` of the order.
    query_ids: one a query: int64, or `Ids` where they are text.
    features: float32 of shape (n_docs, n_features), SciPy CSR, or None.
    scores, weights, doc_ids: one a document, or None.
    order: the rows query by query, or None where they lie so already.
    judged: labels of all judged documents where `join` made the data, else None.
    problems: what was met and given a meaning on the way in.

    >>> data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"])
    >>> data.query_ids.tolist(), data.offsets, data.labels
    (['b', 'a'], array([0, 2, 3]), array([1., 0., 2.]))
    """

    labels: Floats
    offsets: Int64s
    query_ids: QueryIds
    features: Features = None
    scores: Floats | None = None
    weights: Floats | None = None
    doc_ids: Ids | None = None
    order: Int64s | None = None
    judged: Judged | None = None
    problems: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        labels = float_column(self.labels, "labels")
        n_docs = labels.size
        self._set(labels=frozen(labels), offsets=frozen(check_offsets(self.offsets, n_docs)))

        n_queries = self.offsets.size - 1
        if len(self.query_ids) != n_queries:
            raise DataError(f"query_ids must have one entry a query: {n_queries}, got {len(self.query_ids)}")
        if not isinstance(self.query_ids, Ids):
            self._set(query_ids=frozen(np.ascontiguousarray(self.query_ids, np.int64)))
        self._check_distinct_queries()

        if self.order is not None:
            order = np.ascontiguousarray(self.order, np.int64)
            if order.size != n_docs or not np.array_equal(np.sort(order), np.arange(n_docs)):
                raise DataError(f"order must be a permutation of the {n_docs} rows")
            self._set(order=frozen(order))

        allowed = np.isfinite(labels) if self.judged is None else ~np.isinf(labels)
        self.check(allowed, labels, "a label must be a finite number")
        if self.features is not None:
            self._set(features=_check_features(self.features, n_docs))
        if self.scores is not None:
            self._set(scores=frozen(self.check_scores(self.scores)))
        if self.weights is not None:
            weights = float_column(self.weights, "weights", n_docs)
            self.check(np.isfinite(weights) & (weights >= 0), weights, "a weight must be a finite number from 0")
            self._set(weights=frozen(weights))
        if self.doc_ids is not None and len(self.doc_ids) != n_docs:
            raise DataError(f"doc_ids must have one entry a document: {n_docs}, got {len(self.doc_ids)}")
        if self.judged is not None:
            judged = float_column(self.judged.labels, "judged labels")
            offsets = check_offsets(self.judged.offsets, judged.size)
            if offsets.size != self.offsets.size:
                raise DataError(f"judged must have {n_queries} queries, got {offsets.size - 1}")
            self._set(judged=Judged(frozen(judged), frozen(offsets)))

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
            twice = int(np.flatnonzero(np.bincount(numbers)[numbers] > 1)[0])
            raise DataError("a query id stands twice", query=self.query_id(twice))

    def check(self, valid: Booleans, values: Floats, what: str) -> None:
        """Raise a DataError for the first document that is not valid, with its value, query and row."""
        if not valid.all():
            row = int(np.flatnonzero(~valid)[0])
            raise DataError(f"{what}, got {values[row]}", query=self.query_id(self.query_of(row)), row=row)

    def check_scores(self, scores: npt.ArrayLike) -> Floats:
        """Return scores as float64, one a document in row order; one that is not finite is a DataError."""
        column = float_column(scores, "scores", self.n_docs)
        self.check(np.isfinite(column), column, "a score must be a finite number")
        return column

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

    def query_id(self, query: int) -> str | int:
        """The id of the query with this number."""
        return self.query_ids[query] if isinstance(self.query_ids, Ids) else int(self.query_ids[query])

    def query_of(self, row: int) -> int:
        """The number of the query that this row belongs to."""
        place = row if self.order is None else int(np.flatnonzero(self.order == row)[0])
        return query_at(self.offsets, place)

    def to_groups(self, values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
        """Arrange a per-document array query by query, as ``offsets`` cuts it."""
        return values if self.order is None else values[self.order]

    def to_rows(self, values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
        """Arrange an array that lies query by query in the caller's row order again."""
        if self.order is None:
            return values
        rows = np.empty_like(values)
        rows[self.order] = values
        return rows

    def subset(self, query_indices: npt.ArrayLike) -> RankingData:
        """The queries with these numbers, in that order; their rows lie together.

        >>> data = from_arrays([1, 0, 2, 0], query_ids=["b", "b", "a", "a"])
        >>> data.subset([1]).labels
        array([2., 0.])
        """
        queries = np.atleast_1d(np.asarray(query_indices))
        if queries.dtype == np.bool_:
            if queries.size != self.n_queries:
                raise DataError(f"a mask must have one entry a query: {self.n_queries}, got {queries.size}")
            queries = np.flatnonzero(queries)
        elif queries.size == 0:
            queries = queries.astype(np.int64)
        elif not np.issubdtype(queries.dtype, np.integer):
            raise DataError(f"query_indices must be integers or a mask, got {queries.dtype}")
        outside = (queries < 0) | (queries >= self.n_queries)
        if outside.any():
            raise DataError(f"there are {self.n_queries} queries, got the number {queries[outside][0]}")

        grouped_rows, offsets = places(self.offsets, queries)
        rows = grouped_rows if self.order is None else self.order[grouped_rows]
        judged = None
        if self.judged is not None:
            judged_rows, judged_offsets = places(self.judged.offsets, queries)
            judged = Judged(self.judged.labels[judged_rows], judged_offsets)
        return RankingData(
            self.labels[rows],
            offsets,
            self.query_ids.take(queries),
            features=None if self.features is None else self.features[rows],
            scores=None if self.scores is None else self.scores[rows],
            weights=None if self.weights is None else self.weights[rows],
            doc_ids=None if self.doc_ids is None else self.doc_ids.take(rows),
            judged=judged,
            problems=self.problems,
        )

    def grouped(self) -> RankingData:
        """The same data with the rows of each query moved together, so that ``offsets`` cuts every array as it is."""
        return self if self.order is None else self.subset(np.arange(self.n_queries))

    def split(self, fractions: Sequence[float], seed: int | None = None) -> tuple[RankingData, ...]:
        """Parts with these fractions of the queries, drawn at random; fractions that sum to less than 1 leave some out.

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
        # By the raw stream, which NumPy keeps the same from version to version, as it does not its shuffles.
        return np.argsort(np.random.PCG64(seed).random_raw(self.n_queries), kind="stable")

    def __repr__(self) -> str:
        shape = [f"{self.n_queries:,} queries", f"{self.n_docs:,} documents"]
        if self.features is not None:
            kind = "sparse " if hasattr(self.features, "tocsr") else ""
            shape.append(f"{self.n_features:,} {kind}features")
        levels = np.unique(self.labels[~np.isnan(self.labels)])
        if 0 < levels.size <= 6:
            shape.append("labels " + " ".join(f"{level:g}" for level in levels))
        elif levels.size:
            shape.append(f"labels {levels[0]:g} to {levels[-1]:g}")
        shape += [name for name in ("scores", "weights", "doc_ids", "judged") if getattr(self, name) is not None]
        if self.problems:
            shape.append(f"problems: {', '.join(problem.kind for problem in self.problems)}")
        return f"RankingData({', '.join(shape)})"


def query_at(offsets: Int64s, place: int) -> int:
    """The number of the query that this place belongs to.

    >>> query_at(np.array([0, 2, 3]), 2)
    1
    """
    return int(np.searchsorted(offsets, place, side="right")) - 1


def joined_ids(parts: Sequence[QueryIds]) -> QueryIds:
    """All ids one after the other: text if any of them are.

    >>> joined_ids([np.array([1, 2]), np.array([3])])
    array([1, 2, 3])
    """
    if any(isinstance(each, Ids) for each in parts):
        return Ids.of([str(query) for each in parts for query in each.tolist()])
    return np.concatenate([np.asarray(each, np.int64) for each in parts])


def places(offsets: Int64s, queries: npt.NDArray[Any]) -> tuple[Int64s, Int64s]:
    """The places offsets[q]:offsets[q + 1] of each of the queries in turn, and the offsets that cut them.

    >>> places(np.array([0, 2, 3, 6]), np.array([2, 0]))
    (array([3, 4, 5, 0, 1]), array([0, 3, 5]))
    """
    starts, sizes = offsets[queries], offsets[queries + 1] - offsets[queries]
    ends = np.concatenate(([0], np.cumsum(sizes)))
    return np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes), ends


def from_arrays(
    labels: npt.ArrayLike,
    *,
    query_ids: Iterable[object] | None = None,
    offsets: npt.ArrayLike | None = None,
    group: npt.ArrayLike | None = None,
    features: Features = None,
    scores: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    doc_ids: Iterable[object] | None = None,
) -> RankingData:
    """RankingData from arrays, one entry a document; all but labels may be left out.

    Say which document belongs to which query by ``query_ids``, one a document in any order; or by ``offsets`` or
    ``group`` (sizes), where ``query_ids``, if given too, names each query. Without any of them all documents are one
    query.

    >>> data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"])
    >>> data
    RankingData(2 queries, 3 documents, labels 0 1 2)
    >>> data.to_groups(data.labels), data.offsets
    (array([1., 2., 0.]), array([0, 2, 3]))
    """
    column = float_column(labels, "labels")
    order: Int64s | None = None
    if offsets is not None and group is not None:
        raise DataError("give offsets or group, not both")
    if group is not None:
        sizes = np.asarray(group)
        if sizes.ndim != 1 or (sizes.size and not np.issubdtype(sizes.dtype, np.integer)) or (sizes < 0).any():
            raise DataError("group must be whole numbers from 0, one size a query")
        if sizes.sum() != column.size:
            raise DataError(f"group sizes must sum to the number of documents, {column.size}, got {sizes.sum()}")
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))
    ids: QueryIds
    if offsets is not None:
        cut = check_offsets(offsets, column.size)
        ids = np.arange(cut.size - 1) if query_ids is None else _int_or_text(query_ids)
    elif query_ids is not None:
        per_row = _int_or_text(query_ids)
        if len(per_row) != column.size:
            raise DataError(f"query_ids must have one entry a document: {column.size}, got {len(per_row)}")
        ids, cut, order = _group(per_row)
    else:
        cut = np.array([0, column.size])
        ids = np.zeros(1, np.int64)
    return RankingData(
        column,
        cut,
        ids,
        features=features,
        scores=None if scores is None else float_column(scores, "scores"),
        weights=None if weights is None else float_column(weights, "weights"),
        doc_ids=None if doc_ids is None else Ids.of(doc_ids),
        order=order,
    )


def concatenate(parts: Sequence[RankingData]) -> RankingData:
    """The queries of all parts, in that order, with what every part has: labels and ids, features, doc_ids ...

    A query that stands in two parts is a DataError, as are features of different numbers.

    >>> first, second = from_arrays([1, 0], query_ids=["a", "a"]), from_arrays([2], query_ids=["b"])
    >>> concatenate([first, second])
    RankingData(2 queries, 3 documents, labels 0 1 2)
    """
    if not parts:
        raise DataError("there are no parts to put together")
    grouped = [part.grouped() for part in parts]
    widths = {part.n_features for part in grouped}
    if len(widths) > 1:
        raise DataError(f"parts must have the same features, got {', '.join(map(str, sorted(widths)))} of them")

    def columns(name: str) -> list[Any] | None:
        found = [getattr(part, name) for part in grouped]
        return None if any(each is None for each in found) else found

    def joined(name: str) -> Any:
        found = columns(name)
        return None if found is None else np.concatenate(found)

    doc_ids, judged = columns("doc_ids"), columns("judged")
    return RankingData(
        np.concatenate([part.labels for part in grouped]),
        _joined_offsets([part.offsets for part in grouped]),
        _joined_ids([part.query_ids for part in grouped]),
        features=_stacked(columns("features")),
        scores=joined("scores"),
        weights=joined("weights"),
        doc_ids=None if doc_ids is None else _joined_ids(doc_ids),
        judged=None
        if judged is None
        else Judged(
            np.concatenate([each.labels for each in judged]), _joined_offsets([each.offsets for each in judged])
        ),
        problems=tuple(dict.fromkeys(problem for part in grouped for problem in part.problems)),
    )


def _joined_ids(parts: Sequence[Any]) -> Any:
    """Integers where all are, else text."""
    if not any(isinstance(ids, Ids) for ids in parts):
        return np.concatenate(parts)
    texts = [ids if isinstance(ids, Ids) else Ids.of(ids.tolist()) for ids in parts]
    return Ids(np.concatenate([ids.buffer for ids in texts]), _joined_offsets([ids.offsets for ids in texts]))


def _joined_offsets(cuts: list[Int64s]) -> Int64s:
    return np.concatenate(([0], np.cumsum(np.concatenate([np.diff(each) for each in cuts]))))


def _stacked(matrices: list[Any] | None) -> Features:
    if matrices is None or not any(hasattr(each, "tocsr") for each in matrices):
        return None if matrices is None else np.concatenate(matrices)
    from scipy.sparse import vstack

    return vstack(matrices, format="csr")


def _int_or_text(ids: Iterable[object]) -> QueryIds:
    if isinstance(ids, Ids):
        return ids
    if not hasattr(ids, "__array__"):
        ids = list(ids)
        if not all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in ids):
            return Ids.of(ids)
    array = np.asarray(ids)
    if array.ndim != 1:
        raise DataError(f"ids must have one dimension, got shape {array.shape}")
    if (
        np.issubdtype(array.dtype, np.floating)
        and (array == np.rint(array)).all()
        and np.abs(array).max(initial=0) < 2**53
    ):
        array = array.astype(np.int64)  # data frames turn integers into floats where a value was missing once
    if np.issubdtype(array.dtype, np.signedinteger) or (
        np.issubdtype(array.dtype, np.unsignedinteger) and array.max(initial=0) < 2**63
    ):
        return np.ascontiguousarray(array, np.int64)
    return Ids.of(array.tolist())


def _group(ids: QueryIds) -> tuple[QueryIds, Int64s, Int64s | None]:
    """Distinct ids as they first appear, offsets, and the row order that groups them (None: as they are)."""
    if isinstance(ids, Ids):
        numbers, distinct = ids.numbered()
        return distinct, *_native.group(numbers, len(distinct))
    starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1))[: ids.size]
    heads = ids[starts]
    values, first, inverse = np.unique(heads, return_index=True, return_inverse=True)
    if values.size == heads.size:
        return heads, np.append(starts, ids.size), None
    appearance = np.argsort(first)
    number_of = np.empty_like(appearance)
    number_of[appearance] = np.arange(appearance.size)
    numbers = np.repeat(number_of[inverse], np.diff(np.append(starts, ids.size)))
    return values[appearance], *_native.group(numbers, values.size)

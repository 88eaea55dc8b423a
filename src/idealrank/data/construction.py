"""RankingData from arrays and from other RankingData."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_offsets, float_column, offsets_of, owned, read_only
from idealrank.data.ids import Ids
from idealrank.data.lists import Judged, QueryIds
from idealrank.data.problem import Problem
from idealrank.data.ranking import Features, RankingData, is_sparse
from idealrank.errors import DataError

__all__ = ["concatenate", "from_arrays", "group_rows", "joined_ids"]


def from_arrays(
    labels: npt.ArrayLike,
    *,
    query_ids: Iterable[object] | None = None,
    offsets: npt.ArrayLike | None = None,
    group: npt.ArrayLike | None = None,
    features: Any = None,
    scores: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    query_weights: npt.ArrayLike | None = None,
    doc_ids: Iterable[object] | None = None,
    feature_names: Iterable[str] | None = None,
    problems: tuple[Problem, ...] = (),
) -> RankingData:
    """Return RankingData from arrays with one entry per document.

    Parameters
    ----------
    labels : array-like
        One finite number per document.
    query_ids : iterable, optional
        One id per document, in any order: documents of a query are brought together. With ``offsets`` or ``group``,
        one id per query instead. Without any of the three, all documents belong to one query.
    offsets : array-like, optional
        n_queries + 1 integers that cut the documents into queries.
    group : array-like, optional
        The number of documents of each query, as LightGBM and XGBoost take it.
    features, scores, weights, doc_ids, feature_names : optional
        See `RankingData`; those with one entry per document lie as ``labels`` does.
    query_weights : array-like, optional
        One weight per query, in the order in which queries first appear.
    problems : tuple of Problem
        What was met while the arrays were made.

    Examples
    --------
    >>> data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"])
    >>> data
    RankingData(2 queries, 3 documents, labels 0 1 2)
    >>> data.labels, data.offsets
    (array([1., 2., 0.]), array([0, 2, 3]))
    """
    column = owned(float_column(labels, "labels"), labels)
    rows: Int64s | None = None
    ids: QueryIds
    if offsets is not None and group is not None:
        raise DataError("give offsets or group, not both")
    if group is not None:
        offsets = _offsets_of_group(group, column.size)
    if offsets is not None:
        cut = check_offsets(offsets, column.size)
        ids = np.arange(cut.size - 1) if query_ids is None else _int_or_text(query_ids)
    elif query_ids is not None:
        per_row = _int_or_text(query_ids)
        if len(per_row) != column.size:
            raise DataError(f"query_ids must have one entry per document: {column.size}, got {len(per_row)}")
        ids, cut, rows = group_rows(per_row)
    else:
        cut = np.array([0, column.size])
        ids = np.zeros(1, np.int64)

    def grouped(values: npt.ArrayLike | None, name: str) -> Floats | None:
        if values is None:
            return None
        given = float_column(values, name, column.size)
        return owned(given, values) if rows is None else read_only(given[rows])

    texts = None if doc_ids is None else Ids.of(doc_ids)
    return RankingData(
        column if rows is None else read_only(column[rows]),
        cut,
        ids,
        features=features if features is None or rows is None else _moved(features, rows),
        scores=grouped(scores, "scores"),
        weights=grouped(weights, "weights"),
        query_weights=None if query_weights is None else float_column(query_weights, "query_weights"),
        doc_ids=texts if texts is None or rows is None or len(texts) != column.size else texts.take(rows),
        feature_names=None if feature_names is None else tuple(feature_names),
        input_rows=rows,
        regrouped=rows is not None,
        problems=problems,
    )


def _offsets_of_group(group: npt.ArrayLike, n_docs: int) -> Int64s:
    sizes = np.asarray(group)
    if sizes.ndim != 1 or (sizes.size and not np.issubdtype(sizes.dtype, np.integer)) or (sizes < 0).any():
        raise DataError("group must be whole numbers from 0, one size per query")
    if sizes.sum() != n_docs:
        raise DataError(f"group sizes must sum to the number of documents, {n_docs}, got {sizes.sum()}")
    return offsets_of(sizes)


def _moved(features: Any, rows: Int64s) -> Any:
    matrix = features.tocsr() if is_sparse(features) else np.asarray(features)
    return matrix[rows] if matrix.ndim == 2 and matrix.shape[0] == rows.size else features


def concatenate(parts: Sequence[RankingData]) -> RankingData:
    """Return the queries of all parts, in that order, with what every part has.

    Parameters
    ----------
    parts : sequence of RankingData
        At least one. No query may be in two parts, and all must have the same features.

    Examples
    --------
    >>> first, second = from_arrays([1, 0], query_ids=["a", "a"]), from_arrays([2], query_ids=["b"])
    >>> concatenate([first, second])
    RankingData(2 queries, 3 documents, labels 0 1 2)
    """
    if not parts:
        raise DataError("there are no parts to put together")
    widths = {part.n_features for part in parts}
    if len(widths) > 1:
        raise DataError(f"parts must have the same features, got {', '.join(map(str, sorted(widths)))} of them")
    names = {part.feature_names for part in parts}

    def columns(name: str) -> list[Any] | None:
        found = [getattr(part, name) for part in parts]
        return None if any(each is None for each in found) else found

    def joined(name: str) -> Any:
        found = columns(name)
        return None if found is None else np.concatenate(found)

    doc_ids, judged = columns("doc_ids"), columns("judged")
    return RankingData(
        np.concatenate([part.labels for part in parts]),
        _joined_offsets([part.offsets for part in parts]),
        joined_ids([part.query_ids for part in parts]),
        features=_stacked(columns("features")),
        scores=joined("scores"),
        weights=joined("weights"),
        query_weights=joined("query_weights"),
        doc_ids=None if doc_ids is None else _joined_texts(doc_ids),
        judged=None
        if judged is None
        else Judged(
            np.concatenate([each.labels for each in judged]), _joined_offsets([each.offsets for each in judged])
        ),
        feature_names=names.pop() if len(names) == 1 else None,
        problems=tuple(dict.fromkeys(problem for part in parts for problem in part.problems)),
    )


def joined_ids(parts: Sequence[QueryIds]) -> QueryIds:
    """Return all ids, one part after the other: text if any of them are text.

    >>> joined_ids([np.array([1, 2]), np.array([3])])
    array([1, 2, 3])
    """
    numbers = [ids for ids in parts if not isinstance(ids, Ids)]
    if len(numbers) == len(parts):
        return np.concatenate(numbers)
    return _joined_texts([ids if isinstance(ids, Ids) else Ids.of(ids.tolist()) for ids in parts])


def _joined_texts(parts: Sequence[Ids]) -> Ids:
    return Ids(np.concatenate([ids.buffer for ids in parts]), _joined_offsets([ids.offsets for ids in parts]))


def _joined_offsets(cuts: Sequence[Int64s]) -> Int64s:
    return offsets_of(np.concatenate([np.diff(each) for each in cuts]))


def _stacked(matrices: list[Any] | None) -> Features | None:
    if matrices is None or not any(map(is_sparse, matrices)):
        return None if matrices is None else np.concatenate(matrices)
    from scipy.sparse import vstack

    stacked: Features = vstack(matrices, format="csr")
    return stacked


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


def group_rows(ids: QueryIds) -> tuple[QueryIds, Int64s, Int64s | None]:
    """Return the distinct ids as they first appear, offsets, and the rows query by query (None: as they are)."""
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

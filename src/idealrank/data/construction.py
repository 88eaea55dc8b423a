"""Create RankingData from arrays or from other RankingData."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.checks import is_whole, items_of
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import (
    array_of,
    check_index,
    check_offsets,
    check_size,
    check_unmasked,
    float_column,
    offsets_of,
    owned,
    read_only,
)
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.lists import JudgedLabels, QueryIds
from idealrank.data.problem import Problem
from idealrank.data.ranking import PER_DOCUMENT, PER_QUERY, RankingData, is_sparse
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError


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
    """Create RankingData from arrays with one entry per document.

    Parameters
    ----------
    labels : array-like of shape (n_docs,)
        One finite label per document.
    query_ids : iterable, optional
        One query id per document, in any order; documents with the same id are grouped. With ``offsets`` or ``group``,
        one id per query instead. Without any of the three, all documents belong to one query.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``.
    group : array-like of int, optional
        The number of documents in each query, as in LightGBM and XGBoost.
    features : array-like of shape (n_docs, n_features) or SciPy sparse matrix, optional
        One row per document.
    scores : array-like of shape (n_docs,), optional
        One finite score per document.
    weights : array-like of shape (n_docs,), optional
        One non-negative weight per document; None means that all are 1.
    query_weights : array-like of shape (n_queries,), optional
        One non-negative weight per query, in the order in which queries first appear; None means that all are 1.
    doc_ids : iterable, optional
        One id per document.
    feature_names : iterable of str, optional
        One name per feature; None means that features have no names.
    problems : tuple of Problem
        Irregularities in the input, to report with the data.

    Returns
    -------
    RankingData
        The documents, grouped by query.

    Raises
    ------
    DataError
        If an array has the wrong type or size, or a value is not valid.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> data = from_arrays([1, 0, 2], query_ids=["b", "a", "b"])
    >>> data
    RankingData(2 queries, 3 documents, labels 0 1 2)
    >>> data.labels, data.offsets
    (array([1., 2., 0.]), array([0, 2, 3]))
    """
    check_index(
        {"labels": labels, "scores": scores, "features": features, "weights": weights, "doc_ids": doc_ids}
        | ({"query_ids": query_ids} if offsets is None and group is None else {})
    )
    column = owned(float_column(labels, "labels"), labels)
    rows: Int64s | None = None
    ids: QueryIds
    if offsets is not None and group is not None:
        raise DataError("give offsets or group, not both")
    if group is not None:
        offsets = offsets_of_group(group, column.size)
    if offsets is not None:
        cut = check_offsets(offsets, column.size)
        ids = np.arange(cut.size - 1) if query_ids is None else int_or_text(query_ids)
    elif query_ids is not None:
        per_row = int_or_text(query_ids)
        check_size(len(per_row), column.size, "query_ids")
        ids, cut, rows = _group_rows(per_row)
    else:
        cut, ids = np.array([0, column.size]), np.zeros(1, np.int64)

    def grouped(values: npt.ArrayLike | None, name: str) -> npt.ArrayLike | None:
        if values is None or rows is None:
            return values
        return read_only(float_column(values, name, column.size)[rows])

    texts = None if doc_ids is None else Ids.of(doc_ids)
    if rows is not None and texts is not None:
        check_size(len(texts), column.size, "doc_ids")
        texts = texts.take(rows)
    fields: dict[str, Any] = {
        "features": features if features is None or rows is None else _moved(features, rows),
        "scores": grouped(scores, "scores"),
        "weights": grouped(weights, "weights"),
        "query_weights": query_weights,
        "feature_names": feature_names,
    }
    labels = column if rows is None else read_only(column[rows])
    regrouped = rows is not None
    return RankingData(
        labels, cut, ids, **fields, doc_ids=texts, input_rows=rows, regrouped=regrouped, problems=problems
    )


def offsets_of_group(group: npt.ArrayLike, n_docs: int, name: str = "group") -> Int64s:
    """Return the offsets of queries of these sizes."""
    sizes = array_of(group, name)
    if sizes.ndim != 1 or (sizes.size and not np.issubdtype(sizes.dtype, np.integer)) or (sizes < 0).any():
        raise DataError(f"{name} must be non-negative integers, one size per query")
    if sizes.sum() != n_docs:
        raise DataError(f"{name} sizes must sum to the number of documents, {n_docs}, got {sizes.sum()}")
    return offsets_of(sizes)


def _moved(features: Any, rows: Int64s) -> Any:
    check_unmasked(features, "features")
    matrix = features.tocsr() if is_sparse(features) else np.asarray(features)
    return matrix[rows] if matrix.ndim == 2 and matrix.shape[0] == rows.size else features


@overload
def concatenate(parts: Sequence[RankingData]) -> RankingData: ...
@overload
def concatenate(parts: Sequence[Run]) -> Run: ...
@overload
def concatenate(parts: Sequence[Qrels]) -> Qrels: ...
def concatenate(
    parts: Sequence[RankingData] | Sequence[Run] | Sequence[Qrels],
) -> RankingData | Run | Qrels:
    """Concatenate the queries of several parts, such as the runs of the folds of a cross-validation.

    Parameters
    ----------
    parts : sequence of RankingData, of Run or of Qrels
        One part or more. No query may be in two parts, and all RankingData must have the same features.

    Returns
    -------
    RankingData, Run or Qrels
        The queries of all parts, in order. RankingData has the optional fields that every part has; a run has a name if
        all parts have the same name.

    Raises
    ------
    DataError
        If there are no parts, a query is repeated, the numbers of features differ, or the parts have different types.

    Examples
    --------
    >>> from idealrank import Run, from_arrays
    >>> from idealrank.io import concatenate
    >>> first, second = from_arrays([1, 0], query_ids=["a", "a"]), from_arrays([2], query_ids=["b"])
    >>> concatenate([first, second])
    RankingData(2 queries, 3 documents, labels 0 1 2)
    >>> concatenate([Run({"q1": {"d1": 0.5}}), Run({"q2": {"d1": 0.75}})])
    Run(2 queries, 2 documents)
    """
    listed: list[Any] = list(items_of(parts, "parts", DataError))
    if not listed:
        raise DataError("there are no parts to concatenate")
    kind = next((each for each in (RankingData, Run, Qrels) if isinstance(listed[0], each)), None)
    other = next((part for part in listed if kind is None or not isinstance(part, kind)), None)
    if other is not None:
        raise DataError(
            f"parts must all be RankingData, all Run or all Qrels, got {type(listed[0]).__name__} and "
            f"{type(other).__name__}"
        )
    problems = tuple(dict.fromkeys(problem for part in listed for problem in part.problems))
    if kind is not RankingData:
        return _concatenated_tables(listed, problems)
    widths = {part.n_features for part in listed}
    if len(widths) > 1:
        raise DataError(f"parts must have the same features, got {', '.join(map(str, sorted(widths)))} of them")
    names = {part.feature_names for part in listed}
    fields = {name: _joined([getattr(part, name) for part in listed]) for name in (*PER_DOCUMENT, *PER_QUERY, "judged")}
    return RankingData(
        offsets=_joined_offsets([part.offsets for part in listed]),
        **fields,
        feature_names=names.pop() if len(names) == 1 else None,
        problems=problems,
    )


def _concatenated_tables(parts: list[Any], problems: tuple[Problem, ...]) -> Run | Qrels:
    query_ids = Ids.of(joined_ids([part.query_ids for part in parts]))
    numbers, distinct = query_ids.numbered()
    if len(distinct) < len(query_ids):
        again = np.flatnonzero(np.bincount(numbers)[numbers] > 1)[0]
        raise DataError("a query is in two parts", query=query_ids[int(again)])
    columns = (
        query_ids,
        _joined_offsets([part.offsets for part in parts]),
        Ids.of(joined_ids([part.doc_ids for part in parts])),
    )
    if all(isinstance(part, SubtopicQrels) for part in parts):
        *ids, labels = zip(*(part.columns() for part in parts), strict=True)
        queries, subtopics, docs = (Ids.of(joined_ids(each)) for each in ids)
        return SubtopicQrels.from_rows(queries, subtopics, docs, np.concatenate(labels), problems=problems)
    if isinstance(parts[0], Qrels):
        return Qrels.from_flat(*columns, np.concatenate([part.labels for part in parts]), problems)
    scores, names = np.concatenate([part.scores for part in parts]), {part.name for part in parts}
    return Run.from_flat(*columns, scores, problems, name=names.pop() if len(names) == 1 else "")


def grouped_columns(
    query_ids: Iterable[object], doc_ids: Iterable[object], values: npt.ArrayLike
) -> tuple[Ids, Int64s, Ids, Floats]:
    """Group rows by query, as `Qrels.from_flat` and `Run.from_flat` take them.

    Parameters
    ----------
    query_ids, doc_ids : iterable
        One id per row, in any order.
    values : array-like
        One label or score per row.

    Returns
    -------
    tuple
        Query ids, offsets, document ids and values.

    Examples
    --------
    >>> queries, offsets, docs, values = grouped_columns(["b", "a", "b"], [1, 2, 3], [0.5, 1.0, 2.0])
    >>> queries.tolist(), offsets.tolist(), docs.tolist(), values
    (['b', 'a'], [0, 2, 3], ['1', '3', '2'], array([0.5, 2. , 1. ]))
    """
    docs, per_row = Ids.of(doc_ids), int_or_text(query_ids)
    column = float_column(values, "values", len(docs))
    check_size(len(per_row), len(docs), "query_ids")
    ids, cut, rows = _group_rows(per_row)
    if rows is not None:
        docs, column = docs.take(rows), column[rows]
    return Ids.of(ids), cut, docs, column


def _joined(columns: Sequence[Any]) -> Any:
    """Concatenate arrays, matrices, ids or judged labels; None if one of them is None."""
    if any(column is None for column in columns):
        return None
    if any(isinstance(column, Ids) for column in columns):
        return joined_ids(columns)
    if isinstance(columns[0], JudgedLabels):
        labels, offsets = zip(*columns, strict=True)
        return JudgedLabels(np.concatenate(labels), _joined_offsets(offsets))
    if any(map(is_sparse, columns)):
        from scipy.sparse import vstack

        return vstack(columns, format="csr")
    return np.concatenate(columns)


def joined_ids(parts: Sequence[QueryIds]) -> QueryIds:
    """Concatenate ids; the result is text if any part is text.

    Examples
    --------
    >>> joined_ids([np.array([1, 2]), np.array([3])])
    array([1, 2, 3])
    """
    if not any(isinstance(ids, Ids) for ids in parts):
        return np.concatenate([np.asarray(ids) for ids in parts])
    texts = [Ids.of(ids) for ids in parts]
    return Ids(np.concatenate([ids.buffer for ids in texts]), _joined_offsets([ids.offsets for ids in texts]))


def _joined_offsets(parts: Sequence[Int64s]) -> Int64s:
    return offsets_of(np.concatenate([np.diff(offsets) for offsets in parts]))


def int_or_text(ids: Iterable[object]) -> QueryIds:
    """Return integer ids as an array, and any other ids as text."""
    if isinstance(ids, Ids):
        return ids
    check_unmasked(ids, "ids")
    array: Any = None
    if hasattr(ids, "__array__"):
        with suppress(Exception):  # NumPy has no integers of 128 bits
            array = np.asarray(ids)
    if array is None or (array.dtype.kind in "US" and array is not ids):  # arrays of text lose zeros at the end
        listed = list(items_of(ids, "ids", DataError))
        if not all(is_whole(value, -(2**63), 2**63 - 1) for value in listed):
            return Ids.of(listed)
        array = np.array(listed, np.int64)
    if array.ndim != 1:
        raise DataError(f"ids must have one dimension, got shape {array.shape}")
    if (
        np.issubdtype(array.dtype, np.floating)
        and (array == np.rint(array)).all()
        and np.abs(array).max(initial=0) < 2**53
    ):
        array = array.astype(np.int64)  # data frames convert integers to floats if a value is missing
    if np.issubdtype(array.dtype, np.signedinteger) or (
        np.issubdtype(array.dtype, np.unsignedinteger) and array.max(initial=0) < 2**63
    ):
        return np.ascontiguousarray(array, np.int64)
    return Ids.of(array.tolist())


def _group_rows(ids: QueryIds) -> tuple[QueryIds, Int64s, Int64s | None]:
    """Return the distinct ids by first appearance, offsets, and the grouped rows (None if already grouped)."""
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

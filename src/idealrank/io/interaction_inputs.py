"""Interactions of users with items from sparse matrices, data frames and id lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from idealrank._core.checks import is_list
from idealrank._typing import Int64s
from idealrank.data.columns import csr_of, float_column, offsets_of
from idealrank.data.construction import int_or_text
from idealrank.data.interactions import Interactions, numbered
from idealrank.data.lists import QueryIds
from idealrank.data.ranking import is_sparse
from idealrank.errors import DataError
from idealrank.io.frame_arrays import read_numbers, read_query_ids
from idealrank.io.frame_roles import check_column, need_column
from idealrank.io.frames import collected, frame_schema


def interactions_of(
    given: Any, *, user: str | None = None, item: str | None = None, label: str | None = None
) -> Interactions:
    """Return interactions from any of their forms.

    Parameters
    ----------
    given : sparse matrix, data frame, mapping, sequence or Interactions
        A SciPy sparse matrix, users x items, whose users and items are numbered from 0 and whose entries are labels; a
        data frame with one row per interaction; {user: items}, where items are a list or a set of ids or {item: label};
        or one list of items per user, who are then numbered from 0.
    user, item : str, optional
        The columns of a frame that have the users and the items; by default, well-known names are recognized.
    label : str, optional
        The column of a frame that has the labels; by default, all labels are 1.

    Returns
    -------
    Interactions
        Ids are integers if all of them are, else text.

    Raises
    ------
    DataError
        If the object is of another kind, or is empty.

    Examples
    --------
    >>> own = interactions_of({"ann": ["film", "book"], "bob": ["book"]})
    >>> own.user_ids.tolist(), own.item_ids.tolist(), own.dense(np.array([0, 1]))
    (['ann', 'bob'], ['film', 'book'], array([[1., 1.],
           [0., 1.]]))
    """
    if isinstance(given, Interactions):
        return given
    if not hasattr(type(given), "columns") and not (user is None and item is None and label is None):
        raise DataError(f"user, item and label name columns of a data frame, got {type(given).__name__}")
    if is_sparse(given):
        interactions = sparse_interactions(given, "the interactions")
    elif hasattr(type(given), "columns"):
        interactions = _of_frame(given, user, item, label)
    elif isinstance(given, Mapping) or (isinstance(given, (list, tuple)) and all(map(_is_items, given))):
        interactions = _of_lists(given)
    else:
        raise DataError(
            "interactions are a SciPy sparse matrix of users x items, a data frame with a column of users and one of "
            f"items, or {{user: [item, ...]}}; got {type(given).__name__}"
        )
    if not interactions.items.size:
        raise DataError("there are no interactions")
    return interactions


def sparse_interactions(matrix: Any, what: str, shape: tuple[int, int] | None = None) -> Interactions:
    """Return the interactions of a SciPy sparse matrix, whose users and items are numbered from 0.

    Parameters
    ----------
    matrix : sparse matrix
        Entries are labels; stored zeros are no interactions.
    what : str
        What errors call the matrix.
    shape : (int, int), optional
        The required numbers of users and items.
    """
    if not is_sparse(matrix) or len(getattr(matrix, "shape", ())) != 2:
        raise DataError(f"{what} must be a SciPy sparse matrix of users x items, got {type(matrix).__name__}")
    if shape is not None and tuple(matrix.shape) != shape:
        raise DataError(f"{what} must have shape {shape}, one row per user and one column per item, got {matrix.shape}")
    rows = csr_of(matrix, f"the entries of {what}")
    n_users, n_items = map(int, rows.shape)
    items, offsets, labels = rows.indices.astype(np.int64), rows.indptr.astype(np.int64), rows.data
    if not labels.all():
        kept = labels != 0
        items, labels, offsets = items[kept], labels[kept], offsets_of(kept)[offsets]
    return Interactions(np.arange(n_users), np.arange(n_items), offsets, items, labels)


def _of_frame(df: Any, user: str | None, item: str | None, label: str | None) -> Interactions:
    schema = frame_schema(df)
    given = {role: name for role, name in (("query", user), ("doc", item)) if name is not None}
    for name in (*given.values(), *([] if label is None else [label])):
        check_column(name, schema)
    names = [need_column(role, schema, given) for role in ("query", "doc")]
    frame = collected(df, [*names, *([] if label is None else [label])])
    users, items = (numbered(read_query_ids(frame, name)) for name in names)
    labels = None if label is None else read_numbers(frame, label)
    return Interactions.of_pairs(users[0], items[0], labels, users[1], items[1])


def _of_lists(given: Any) -> Interactions:
    users: QueryIds
    if isinstance(given, Mapping):
        users, lists = _ids(given, "user"), list(given.values())
    else:
        users, lists = np.arange(len(given)), list(given)
    for user, own in zip(users.tolist(), lists, strict=True):
        if not _is_items(own):
            raise DataError(f"the items of user {user!r} must be a list of ids, got {type(own).__name__}")
    labels = None
    if lists and all(isinstance(own, Mapping) for own in lists):
        labels = float_column([value for own in lists for value in own.values()], "labels")
        for wrong in labels[~np.isfinite(labels)]:
            raise DataError(f"a label must be a finite number, got {wrong:g}")
    rows: Int64s = np.repeat(np.arange(len(lists)), [len(own) for own in lists])
    items = numbered(_ids(chain.from_iterable(lists), "item"))
    return Interactions.of_pairs(rows, items[0], labels, users, items[1])


def _is_items(value: object) -> bool:
    return isinstance(value, Mapping) or is_list(value)


def _ids(values: Iterable[Any], what: str) -> QueryIds:
    try:
        return int_or_text(list(values))
    except DataError as error:
        raise DataError(f"the id of {'an' if what == 'item' else 'a'} {what}: {error.what}") from None

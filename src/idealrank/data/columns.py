"""Checks of input arrays: types, lengths, offsets and ownership."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError

__all__ = [
    "check_columns",
    "check_offsets",
    "check_size",
    "float_column",
    "offsets_of",
    "owned",
    "places",
    "query_at",
    "read_only",
    "weight_column",
]

_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def read_only(array: _Array) -> _Array:
    """Make an array that has no other owner read-only, and return it."""
    array.flags.writeable = False
    return array


def owned(array: _Array, given: object = None) -> _Array:
    """Return a read-only array that nobody can change: the array itself if it is one already, else a copy.

    An array is one already if it and every array that it is a view of are read-only, and the memory belongs to the last
    of them, to ``bytes`` or to the native core. The memory of a file, of a ``bytearray`` or of another library may
    change, whatever the flags say.

    Parameters
    ----------
    array : array
        The array to own.
    given : object, optional
        The caller's object that the array was made from. If the two share no memory, no copy is made.

    Returns
    -------
    array
        The array or a copy of it.

    Examples
    --------
    >>> mine = np.zeros(2)
    >>> kept = owned(mine)
    >>> mine[0] = 5
    >>> kept, owned(kept) is kept
    (array([0., 0.]), True)
    """
    if isinstance(given, (list, tuple, range)) or (
        isinstance(given, np.ndarray) and not np.may_share_memory(array, given)
    ):
        return read_only(array)
    base: object = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return read_only(array.copy())
        base = base.base
    held = base.obj if isinstance(base, memoryview) else base
    is_frozen = held is None or isinstance(held, bytes) or type(held).__module__ == "nanobind"
    return array if is_frozen else read_only(array.copy())


def check_size(found: int, size: int, name: str, of_each: str = "document") -> None:
    """Raise a DataError unless there is one entry per document, query or feature."""
    if found != size:
        raise DataError(f"{name} must have one entry per {of_each}: {size}, got {found}")


def _floats(values: npt.ArrayLike) -> Floats:
    """Return the values as contiguous floats; complex numbers, whose imaginary parts would be lost, are a TypeError."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise TypeError("got complex numbers")
    return np.ascontiguousarray(array, np.float64)


def float_column(values: npt.ArrayLike, name: str, size: int | None = None, of_each: str = "document") -> Floats:
    """Return the values as a flat float64 array.

    Parameters
    ----------
    values : array-like
        The numbers.
    name : str
        What errors call the values.
    size : int, optional
        The required number of values.
    of_each : str, default="document"
        What each value belongs to, for errors.

    Returns
    -------
    float64 array
        The values; not a copy if they already have this type.

    Raises
    ------
    DataError
        If the values are not numbers, not flat, or not ``size`` of them.
    """
    try:
        column = _floats(values)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}") from None
    if column.ndim != 1:
        raise DataError(f"{name} must have one dimension, got shape {column.shape}")
    if size is not None:
        check_size(column.size, size, name, of_each)
    return column


def weight_column(values: npt.ArrayLike, size: int, name: str, of_each: str) -> Floats:
    """Return the weights as a float64 array.

    Parameters
    ----------
    values : array-like
        The weights.
    size : int
        The required number of weights.
    name : str
        What errors call the weights.
    of_each : {"document", "query"}
        What each weight belongs to.

    Returns
    -------
    float64 array
        The weights.

    Raises
    ------
    DataError
        If a weight is not finite or is negative, or their number is wrong.

    Examples
    --------
    >>> weight_column([1, 2], 2, "weights", "document")
    array([1., 2.])
    """
    column = float_column(values, name, size, of_each)
    bad = np.flatnonzero(~((column >= 0) & np.isfinite(column)))
    if bad.size:
        place = int(bad[0])
        query, row = (None, place) if of_each == "document" else (place, None)
        raise DataError(f"{name} must be finite and not negative, got {column[place]:g}", query=query, row=row)
    return column


def check_offsets(offsets: npt.ArrayLike, n_docs: int) -> Int64s:
    """Return offsets as int64; raise a DataError unless they start at 0, never decrease and end at ``n_docs``."""
    array = np.asarray(offsets)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise DataError(f"offsets must be integers, n_queries + 1 of them, got {array.dtype} of shape {array.shape}")
    array = np.ascontiguousarray(array, np.int64)
    if array[0] != 0:
        raise DataError(f"offsets must start at 0, got {array[0]}", query=0)
    falls = np.flatnonzero(array[1:] < array[:-1])
    if falls.size:
        query = int(falls[0])
        raise DataError(f"offsets must not decrease, got {array[query]} and then {array[query + 1]}", query=query)
    if array[-1] != n_docs:
        raise DataError(f"offsets must end at the number of documents, {n_docs}, got {array[-1]}")
    return array


def check_columns(
    labels: npt.ArrayLike, scores: npt.ArrayLike, offsets: npt.ArrayLike | None
) -> tuple[Floats, Floats, Int64s]:
    """Return labels, scores and offsets as flat arrays of matching sizes; otherwise raise a DataError."""
    try:
        label_column, score_column = _floats(labels), _floats(scores)
    except (TypeError, ValueError) as error:
        raise DataError(f"labels and scores must be numbers: {error}") from None
    if label_column.ndim != 1 or label_column.shape != score_column.shape:
        raise DataError(
            f"labels and scores must be flat and equally long, got shapes {label_column.shape} and "
            f"{score_column.shape}; for matrices pass labels.ravel(), scores.ravel() and "
            "offsets=range(0, labels.size + 1, labels.shape[1])"
        )
    cut = np.array([0, label_column.size]) if offsets is None else check_offsets(offsets, label_column.size)
    return label_column, score_column, cut


def offsets_of(sizes: npt.ArrayLike) -> Int64s:
    """Return the offsets of queries with these numbers of documents.

    Examples
    --------
    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))


def query_at(offsets: Int64s, place: int) -> int:
    """Return the index of the query that the document at this position belongs to.

    Examples
    --------
    >>> query_at(np.array([0, 2, 3]), 2)
    1
    """
    return int(np.searchsorted(offsets, place, side="right")) - 1


def places(offsets: Int64s, queries: Int64s) -> tuple[Int64s, Int64s]:
    """Return the positions ``offsets[q]:offsets[q + 1]`` of each query in turn, and the offsets that separate them.

    Examples
    --------
    >>> places(np.array([0, 2, 3, 6]), np.array([2, 0]))
    (array([3, 4, 5, 0, 1]), array([0, 3, 5]))
    """
    starts, sizes = offsets[queries], offsets[queries + 1] - offsets[queries]
    ends = offsets_of(sizes)
    return np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes), ends

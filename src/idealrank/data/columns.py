"""Checks of input arrays: types, lengths, offsets and ownership."""

from __future__ import annotations

import sys
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError

__all__ = [
    "as_floats",
    "check_columns",
    "check_offsets",
    "check_size",
    "check_unmasked",
    "finite_scores",
    "float_array",
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


def check_size(length: int, size: int, name: str, of_each: str = "document") -> None:
    """Raise a DataError unless there is one entry per document, query or feature."""
    if length != size:
        raise DataError(f"{name} must have one entry per {of_each}: {size}, got {length}")


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
    of_each : str
        What each value belongs to, for errors.

    Returns
    -------
    float64 array
        The values; not a copy if they already have this type.

    Raises
    ------
    DataError
        If the values are not real numbers, are masked, become equal by rounding, are not flat, or not ``size`` of them.
    """
    try:
        column = as_floats(values, name)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}") from None
    if column.ndim != 1:
        raise DataError(f"{name} must have one dimension, got shape {column.shape}")
    if size is not None:
        check_size(column.size, size, name, of_each)
    return column


def finite_scores(scores: Floats) -> Floats:
    """Return the scores with a number below all others instead of -inf, which masks documents: they rank last.

    Parameters
    ----------
    scores : float64 array
        The scores; NaN and +inf are left for the caller to refuse.

    Returns
    -------
    float64 array
        The same array if no score is -inf.

    Examples
    --------
    >>> finite_scores(np.array([0.5, -np.inf, -3.0]))
    array([ 0.5, -7. , -3. ])
    """
    if not scores.size or scores.min() > -np.inf:  # one pass without a temporary
        return scores
    masked = np.isneginf(scores)
    if not masked.any():
        return scores
    finite = scores[np.isfinite(scores)]
    least = float(finite.min()) if finite.size else 0.0
    # At least twice the smallest score, so that rounding to float32 keeps the two apart.
    return np.where(masked, least - abs(least) - 1, scores)


def float_array(values: npt.ArrayLike, name: str) -> Floats:
    """Return the values as a float64 array of the same shape; if they are not numbers, raise a DataError.

    Examples
    --------
    >>> float_array([[1, 2]], "values"), float_array(3, "values")
    (array([[1., 2.]]), array(3.))
    """
    try:
        return as_floats(values, name).reshape(np.shape(values))
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} must be rectangular arrays of numbers: {error}") from None


def array_of(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return the values as an array; if they are ragged lists, raise a DataError."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise DataError(f"{name} must be an array of numbers: {error}") from None


def int_array(values: npt.ArrayLike, name: str) -> Int64s:
    """Return the values as an int64 array; if they are not numbers, raise a DataError."""
    try:
        return np.ascontiguousarray(values, np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} must be whole numbers: {error}") from None


def as_floats(values: npt.ArrayLike, name: str) -> Floats:
    """Return the values as a contiguous float64 array, without a copy if they are one.

    A DataError says so if that would lose something: masked entries, imaginary parts, or the difference of two large
    integers.

    Examples
    --------
    >>> as_floats([1, 2], "scores")
    array([1., 2.])
    >>> as_floats([2**53, 2**53 + 1], "scores")
    Traceback (most recent call last):
    idealrank.errors.DataError: scores 9007199254740992 and 9007199254740993 differ, but are equal as float64, ...
    """
    check_unmasked(values, name)
    array = values if hasattr(values, "dtype") else np.asarray(values)
    kind = getattr(array.dtype, "kind", None)
    if kind == "c":
        raise DataError(f"{name} must be real numbers, got {array.dtype}; give their real parts or absolute values")
    try:
        column = np.ascontiguousarray(array, np.float64)
    except OverflowError:
        raise DataError(f"{name} must be numbers of float64, got an integer that is too large for that") from None
    # Conversion keeps the order of floats; integers above 2^53, also in a list next to
    # floats, and text may become equal.
    if (kind != "f" or array is not values) and column.size and np.abs(column).max() >= 2.0**53:
        _check_distinct(values, column, name)
    return column


def check_unmasked(values: object, name: str) -> None:
    """Raise a DataError if the values are a masked array with masked entries."""
    if "numpy.ma" not in sys.modules:  # no masked array exists, and importing it takes a tenth of NumPy's import time
        return
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        count = int(np.ma.getmaskarray(values).sum())
        raise DataError(
            f"{name} are a masked array with {count:,} of {values.size:,} entries masked, and a mask has no meaning "
            "here: leave those documents out of every array, or pass filled(...) values"
        )


def _check_distinct(values: Any, column: Floats, name: str) -> None:
    """Raise a DataError if two different integers became the same float64."""
    exact = np.asarray(values)
    if exact.dtype.kind == "f":  # NumPy converts a list of integers and floats to floats
        exact = np.array(list(values), object)
    if exact.shape != column.shape or exact.ndim != 1 or exact.dtype.kind not in "iuO":
        return
    order = np.argsort(column, kind="stable")
    rounded, before = column[order], exact[order]
    tied = np.flatnonzero(
        (rounded[1:] == rounded[:-1]) & (np.abs(rounded[1:]) >= 2.0**53) & (before[1:] != before[:-1])
    )
    if tied.size:
        first, second = before[tied[0]], before[tied[0] + 1]
        raise DataError(
            f"{name} {first} and {second} differ, but are equal as float64, in which they are compared: subtract the "
            "smallest, or give ranks",
            row=int(order[tied[0] + 1]),
        )


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
    array = array_of(offsets, "offsets")
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
        label_column, score_column = as_floats(labels, "labels"), as_floats(scores, "scores")
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

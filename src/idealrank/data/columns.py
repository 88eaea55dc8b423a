"""Checks of input arrays: types, lengths, offsets and ownership."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
    column = float_array(values, name)
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


def array_of(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return the values as an array; if they are masked or ragged lists, raise a DataError."""
    check_unmasked(values, name)
    try:
        return np.asarray(values)
    except Exception as error:  # of whatever library the values are from
        if hasattr(values, "to_list"):  # such as integers of 128 bits
            return np.array(values.to_list(), object)
        raise DataError(f"{name} must be numbers, in rectangular arrays: {error}") from None


def int_array(values: npt.ArrayLike, name: str) -> Int64s:
    """Return the values as an int64 array; if they are not numbers, raise a DataError."""
    try:
        return np.ascontiguousarray(values, np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} must be whole numbers: {error}") from None


def float_array(values: npt.ArrayLike, name: str) -> Floats:
    """Return the values as a contiguous float64 array of the same shape, without a copy if they are one.

    All numbers come in through this function. A DataError says so if the values are not numbers, or if something would
    be lost: masked entries, imaginary parts, or the difference of two numbers, such as large integers or Decimals.

    Examples
    --------
    >>> float_array([[1, 2]], "scores"), float_array(3, "scores")
    (array([[1., 2.]]), array(3.))
    >>> float_array([2**53, 2**53 + 1], "scores")
    Traceback (most recent call last):
    idealrank.errors.DataError: scores 9007199254740992 and 9007199254740993 differ, but are equal as float64, ...
    """
    if type(values) is np.ndarray and values.dtype == np.float64:
        return np.asarray(values, order="C")
    if type(values) is np.ndarray and values.dtype == np.float32:
        return values.astype(np.float64, order="C")
    array = array_of(values, name)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "c":
        raise DataError(f"{name} must be real numbers, got {array.dtype}; give their real parts or absolute values")
    if kind not in "fiubO":
        raise DataError(f"{name} must be numbers, got {array.dtype}")
    if kind == "O":
        kinds = {*map(type, array.ravel().tolist())}
        odd = next((each for each in kinds if issubclass(each, _NO_NUMBERS)), None)
        if odd is not None:
            raise DataError(f"{name} must be numbers, got {odd.__name__}")
        plain = (int, float, np.integer, np.float16, np.float32)
        size = 8 if all(issubclass(each, plain) for each in kinds) else 16
    try:
        with np.errstate(over="ignore") if size > 8 else nullcontext():
            column = np.asarray(array, np.float64, order="C")
    except OverflowError:
        raise DataError(f"{name} must be numbers of float64, got an integer that is too large for that") from None
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}") from None
    # Floats of 64 bits stay as they are; but NumPy makes floats of integers in a list that has both.
    may_round = kind in "iuO" or size > 8 or isinstance(values, (list, tuple))
    if may_round and column.size and (size > 8 or not np.abs(column).max() < 2.0**53):
        _check_distinct(np.array(values, object) if isinstance(values, (list, tuple)) else array, column, name)
    return column


#: Types that NumPy would make numbers of.
_NO_NUMBERS = (str, bytes, complex, np.complexfloating, np.datetime64, np.timedelta64)


def check_unmasked(values: object, name: str) -> None:
    """Raise a DataError if the values are a masked array with masked entries, or a list with one."""
    if "numpy.ma" not in sys.modules:  # no masked array exists, and importing it takes a tenth of NumPy's import time
        return
    if isinstance(values, (list, tuple)) and values and isinstance(values[0], np.ma.MaskedArray):
        for each in values:
            check_unmasked(each, name)
    elif isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        count = int(np.ma.getmaskarray(values).sum())
        raise DataError(
            f"{name} are a masked array with {count:,} of {values.size:,} entries masked, and a mask has no meaning "
            "here: leave those documents out of every array, or pass filled(...) values"
        )


def _check_distinct(exact: npt.NDArray[Any], column: Floats, name: str) -> None:
    """Raise a DataError if two different numbers became the same float64."""
    order = np.argsort(column, axis=None, kind="stable")
    rounded, before = column.ravel()[order], exact.ravel()[order]
    tied = np.flatnonzero(rounded[1:] == rounded[:-1])
    try:
        tied = tied[before[tied] != before[tied + 1]]
    except TypeError as error:  # Decimal and longdouble cannot be compared
        raise DataError(f"{name} must be numbers of one kind: {error}") from None
    if tied.size:
        first, second = (before[tied[0] + i] for i in (0, 1))
        as_text = repr if str(first) == str(second) else str  # a format string would round a longdouble
        first, second = as_text(first), as_text(second)
        raise DataError(
            f"{name} {first} and {second} differ, but are equal as float64, in which they are compared: subtract the "
            "smallest, or give ranks",
            row=int(order[tied[0] + 1]) if column.ndim == 1 else None,
        )


def check_index(columns: Mapping[str, object]) -> None:
    """Raise a DataError if pandas objects with one entry per row have the same rows in different orders.

    Parameters
    ----------
    columns : mapping
        Objects of any kind that belong together row by row, by the names that errors call them; lists may have one
        such object per query.

    Examples
    --------
    >>> import pandas
    >>> labels = pandas.Series([1, 0])
    >>> check_index({"labels": labels, "scores": labels.sort_values()})
    Traceback (most recent call last):
    idealrank.errors.DataError: scores have the index of labels, but in another order: ...
    """
    if {*map(type, columns.values())} <= {np.ndarray, NoneType}:
        return
    rows = {name: each for name, each in columns.items() if isinstance(each, (list, tuple)) and each}
    lists = {name: each for name, each in rows.items() if _has_index(each[0])}
    for parts in zip(*lists.values(), strict=False):
        check_index(dict(zip(lists, parts, strict=True)))
    indexed = {name: each for name, each in columns.items() if _has_index(each)}
    first = next(iter(indexed), "")
    for name, each in indexed.items():
        own, other = indexed[first].index, each.index  # type: ignore[attr-defined]
        if len(own) == len(other) and not own.equals(other) and other.isin(own).all():
            raise DataError(
                f"{name} have the index of {first}, but in another order: pass .reindex(...) to match by index, or "
                ".to_numpy() to match by position"
            )


def check_query_index(values: Any, query_ids: Sequence[object], name: str) -> None:
    """Raise a DataError if a pandas object with one entry per query has the ids of the queries in another order."""
    if _has_index(values):
        texts = list(map(str, query_ids))
        queries = type(values)(texts, index=texts)
        check_index({"the queries": queries, name: values.set_axis(values.index.map(str))})


def _has_index(value: object) -> bool:
    return hasattr(getattr(value, "index", None), "equals")


def csr_of(matrix: Any, name: str, dtype: type[np.floating[Any]] = np.float64) -> csr_array:
    """Return a SciPy sparse matrix by rows, with valid and sorted indices and no repeated entries.

    Parameters
    ----------
    matrix : sparse matrix
        Repeated entries are summed as numbers of ``dtype``: integers of 8 bits would wrap. Repeated True stays True.
    name : str
        What errors call the entries.
    dtype : type
        float64, which no two different entries may have in common, or float32.

    Examples
    --------
    >>> from scipy.sparse import coo_array
    >>> print(csr_of(coo_array((np.array([100, 100], np.int8), ([0, 0], [1, 1]))), "labels").toarray())
    [[  0. 200.]]
    """
    try:
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
            if (np.diff(matrix.indptr) < 0).any():  # SciPy only checks the last one
                raise ValueError("indptr decreases")
        is_plain = matrix.format == "csr" and matrix.has_canonical_format
        entries = matrix if is_plain else matrix.tocoo()
        is_bool = entries.dtype == np.bool_
        if not is_plain:
            entries = type(entries)((entries.data, (entries.row, entries.col)), shape=matrix.shape)  # checks indices
    except Exception as error:
        raise DataError(f"{name} are not a valid sparse matrix: {error}") from None
    if dtype is np.float64:
        float_array(entries.data, name)
    rows: csr_array = entries.astype(dtype, copy=False).tocsr()
    if is_bool and not is_plain:
        rows.data[rows.data > 1] = 1
    return rows


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
    bad = ~((column >= 0) & (column < np.inf))
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
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
    falls = array[1:] < array[:-1]
    if falls.any():
        query = int(np.flatnonzero(falls)[0])
        raise DataError(f"offsets must not decrease, got {array[query]} and then {array[query + 1]}", query=query)
    if array[-1] != n_docs:
        raise DataError(f"offsets must end at the number of documents, {n_docs}, got {array[-1]}")
    return array


def check_columns(
    labels: npt.ArrayLike, scores: npt.ArrayLike, offsets: npt.ArrayLike | None
) -> tuple[Floats, Floats, Int64s]:
    """Return labels, scores and offsets as flat arrays of matching sizes; otherwise raise a DataError."""
    check_index({"labels": labels, "scores": scores})
    label_column, score_column = float_array(labels, "labels"), float_array(scores, "scores")
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


def group_of_each(offsets: Int64s) -> Int64s:
    """Return the number of the group, usually a query, that each row belongs to.

    Examples
    --------
    >>> group_of_each(np.array([0, 2, 3]))
    array([0, 0, 1])
    """
    return np.repeat(np.arange(offsets.size - 1), np.diff(offsets))


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

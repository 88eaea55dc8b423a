"""Read columns of a frame as arrays: numbers, ids and features."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from idealrank._core.extras import needs
from idealrank._typing import Float32s, Floats
from idealrank.data.columns import float_array
from idealrank.data.ids import Ids
from idealrank.data.lists import QueryIds
from idealrank.data.problem import Problem
from idealrank.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw

# Rows whose features stay in the cache while columns are interleaved: 4 times faster than whole columns.
_ROWS_AT_ONCE = 4096
# Floats cannot represent every integer from here on, so two ids may have become one.
_EXACT_FLOATS = 2.0**53


def _full_column(frame: nw.DataFrame[Any], name: str) -> nw.Series[Any]:
    """Return the column; a missing value is a DataError."""
    column = frame.get_column(name)
    if column.null_count():
        raise _missing(column.is_null(), name)
    return column


def _missing(is_null: Any, name: str) -> DataError:
    row = int(np.argmax(np.asarray(is_null)))
    return DataError("a value is missing; fill it or remove the row", row=row, column=name)


def read_numbers(frame: nw.DataFrame[Any], name: str, *, allow_masked: bool = False) -> Floats:
    """Return a copy of the column as float64; a missing or infinite value is a DataError, but -inf may be allowed."""
    import narwhals as nw

    column = _full_column(frame, name)
    try:
        has_numpy_type = not column.dtype.is_decimal() and column.dtype not in {nw.Int128, nw.UInt128}
        values = np.array(float_array(column.to_numpy() if has_numpy_type else column.to_list(), "values"))
    except DataError as error:
        for row, value in enumerate(column.to_list()):
            if not _is_number(value):
                raise DataError(f"expected a number, got {reprlib.repr(value)}", row=row, column=name) from None
        is_text = column.dtype in {nw.String, nw.Categorical, nw.Enum}
        what = f"expected numbers, got {column.dtype}; convert the column first" if is_text else error.what
        raise DataError(what, row=error.row, column=name) from None
    finite = np.isfinite(values)
    if allow_masked:
        finite |= np.isneginf(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise DataError(f"expected a finite number, got {values[row]}", row=row, column=name)
    return values


def _values(column: nw.Series[Any]) -> npt.NDArray[Any]:
    """Return the numbers of the column; missing ones are NaN."""
    import narwhals as nw

    kind = column.dtype
    if kind.is_decimal() or kind in {nw.Boolean, nw.Int128, nw.UInt128}:
        column = column.cast(nw.Float64())  # NumPy has no such type, or none with missing values
    elif not kind.is_numeric() and kind != nw.Object:
        raise TypeError(f"{kind} is not a numeric type")
    values = column.to_numpy()
    return values.astype(np.float64) if values.dtype == object else values


def _is_number(value: Any) -> bool:
    """Return whether a value is a number or text that looks like one."""
    try:
        return float(value) is not None
    except (TypeError, ValueError, OverflowError) as error:
        return isinstance(error, OverflowError)


def read_query_ids(frame: nw.DataFrame[Any], name: str) -> QueryIds:
    """Return the column as ids, integers or text; an empty id is a DataError."""
    ids = _ids(frame, name)
    if isinstance(ids, Ids):
        sizes = np.diff(ids.offsets)
        if not sizes.all():
            raise DataError("a query id is empty", row=int(np.argmin(sizes)), column=name)
    return ids


def _ids(frame: nw.DataFrame[Any], name: str) -> QueryIds:
    """Return the column as ids, integers or text."""
    import narwhals as nw

    column = _full_column(frame, name)
    if column.dtype.is_integer() and column.dtype not in {nw.Int128, nw.UInt128}:
        return column.to_numpy()
    if column.dtype.is_float():  # pandas converts integers to floats if a value is missing
        values = column.to_numpy().astype(np.float64)
        bad = np.flatnonzero(~((np.abs(values) < _EXACT_FLOATS) & (values == np.rint(values))))
        if bad.size:
            row = int(bad[0])
            raise DataError(f"an id must be text or an integer, got {values[row]}", row=row, column=name)
        return values.astype(np.int64)
    return _text(column)


def read_doc_ids(frame: nw.DataFrame[Any], name: str) -> Ids:
    """Return the column as text ids."""
    if frame.get_column(name).dtype.is_integer():
        return _text(_full_column(frame, name))
    return Ids.of(_ids(frame, name))


def _text(column: nw.Series[Any]) -> Ids:
    ids = _arrow_text(column)
    if ids is not None:
        return ids
    try:
        return Ids.of(column.to_list())
    except DataError as error:
        raise DataError(error.what, row=error.row, column=column.name) from None


def _arrow_text(column: nw.Series[Any]) -> Ids | None:
    """Return the ids from the buffers of Arrow, without a loop; None without Arrow or if the type is not supported."""
    try:
        array, pa = _one_array(column), pyarrow_module()
    except (ImportError, ValueError, TypeError, OverflowError):
        return None
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
        if array.null_count:  # an entry of the dictionary is missing
            raise _missing(array.is_null(), column.name)
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_integer)
    if not any(is_kind(array.type) for is_kind in kinds):
        return None
    array = array.cast(pa.large_string())
    _, offsets, text = array.buffers()
    ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return Ids(np.frombuffer(text or b"", np.uint8)[ends[0] : ends[-1]], ends - ends[0])


def _one_array(column: nw.Series[Any]) -> Any:
    """Return the column as one Arrow array; concatenated pandas columns have several chunks."""
    array: Any = column.to_arrow()
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


def pyarrow_module() -> ModuleType:
    """Import pyarrow; the error says how to install it."""
    with needs("pyarrow"):
        return import_module("pyarrow")


def read_features(frame: nw.DataFrame[Any], names: Sequence[str]) -> tuple[Float32s | None, tuple[Problem, ...]]:
    """Return the columns as one float32 matrix.

    Parameters
    ----------
    frame : narwhals.DataFrame
        A frame with at least one row.
    names : sequence of str
        Columns of numbers or of lists of numbers.

    Returns
    -------
    matrix : float32 array or None
        One row per row of the frame; None without names.
    problems : tuple of Problem
        Reports missing values, which are NaN.

    Raises
    ------
    DataError
        If a column is not numeric, or a value overflows float32.
    """
    if not names:
        return None, ()
    pieces = [_piece(frame, name) for name in names]
    ends = np.cumsum([piece.shape[1] for piece in pieces]).tolist()
    places = [slice(end - piece.shape[1], end) for end, piece in zip(ends, pieces, strict=True)]
    matrix = np.empty((len(frame), ends[-1]), np.float32)
    n_missing, first = 0, ""
    for begin in range(0, len(frame), _ROWS_AT_ONCE):
        rows = slice(begin, begin + _ROWS_AT_ONCE)
        with np.errstate(over="ignore"):  # overflow becomes infinity, which is checked below
            for place, piece in zip(places, pieces, strict=True):
                matrix[rows, place] = piece[rows]
        if np.isfinite(matrix[rows]).all():
            continue
        for name, place, piece in zip(names, places, pieces, strict=True):
            lost = np.argwhere(np.isinf(matrix[rows, place]) & np.isfinite(piece[rows]))
            if lost.size:
                value = piece[rows][tuple(lost[0])]
                raise DataError(f"a feature must fit in float32, got {value}", row=begin + int(lost[0, 0]), column=name)
            missing = np.argwhere(np.isnan(matrix[rows, place]))
            if missing.size and not n_missing:
                first = f"column {name!r}, row {begin + missing[0, 0]}"
            n_missing += len(missing)
    if not n_missing:
        return matrix, ()
    message = f"{n_missing:,} feature values are missing, first in {first}: read as NaN"
    return matrix, (Problem("missing value", n_missing, message),)


def _piece(frame: nw.DataFrame[Any], name: str) -> npt.NDArray[Any]:
    """Return a feature column as a matrix, with one column or as many as its lists are long."""
    import narwhals as nw

    column = frame.get_column(name)
    is_list = isinstance(column.dtype, (nw.List, nw.Array))
    if is_list or (column.dtype == nw.Object and isinstance(column[0], (list, tuple, np.ndarray))):
        return _stacked_lists(_full_column(frame, name), name)
    try:
        return _values(column)[:, np.newaxis]
    except (TypeError, ValueError):
        raise DataError(f"features must be numbers, got {column.dtype}", column=name) from None


def _stacked_lists(column: nw.Series[Any], name: str) -> npt.NDArray[Any]:
    sizes, flat = _flat_lists(column)
    odd = np.flatnonzero(sizes != sizes[0])
    if odd.size:
        row = int(odd[0])
        raise DataError(
            f"all lists must have the length of the first, {sizes[0]}, got {sizes[row]}", row=row, column=name
        )
    try:
        numbers = flat if flat.dtype.kind in "fiu" else flat.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("features must be lists of numbers", column=name) from None
    return numbers.reshape(sizes.size, int(sizes[0]))


def _flat_lists(column: nw.Series[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the length of each list, and all values concatenated."""
    try:
        pyarrow_module()
        import pyarrow.compute as pc

        array = _one_array(column)
        return np.asarray(pc.list_value_length(array)), array.flatten().to_numpy(zero_copy_only=False)
    except (ImportError, ValueError, TypeError, NotImplementedError):
        lists = column.to_list()
        return np.array([len(values) for values in lists]), np.array([v for values in lists for v in values], object)


def too_many_columns(n_columns: int, n_bytes: int) -> str | None:
    """Return what is wrong with a text of many short columns: Arrow takes 8 KiB for each, however short it is.

    >>> too_many_columns(20_000, 40_000)
    '20,000 columns need at least 400 bytes each; write sparse features as LETOR text'
    """
    if n_columns <= 10_000 or n_bytes >= 400 * n_columns:
        return None
    return f"{n_columns:,} columns need at least 400 bytes each; write sparse features as LETOR text"

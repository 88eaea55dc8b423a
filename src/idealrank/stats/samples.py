"""Per-query values of one, two or many systems: checked, and without the queries with a missing value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.columns import check_index, float_array
from idealrank.errors import DataError

#: The largest size of a value: sums of the cubes of that many are still numbers.
LARGEST = 1e100


class Sample(NamedTuple):
    """``values[query, system]`` or ``values[query]``, and a note on the queries that were left out."""

    values: Floats
    note: str = ""


def differences_of(a: npt.ArrayLike, b: npt.ArrayLike) -> Sample:
    """Return a - b, one number per query, without the queries where either is NaN.

    >>> differences_of([0.5, float("nan")], [0.25, 1.0])
    Sample(values=array([0.25]), note='1 of 2 queries has no value and is left out')
    """
    check_index({"the values of a": a, "the values of b": b})
    first, second = _column(a), _column(b)
    if first.shape != second.shape:
        raise DataError(f"both systems need a value for every query, got {first.shape} and {second.shape}")
    both, note = complete_queries(np.stack([first, second], axis=1))
    return Sample(both[:, 0] - both[:, 1], note)


def complete_values(values: npt.ArrayLike) -> Sample:
    """Return the values of one system, without the queries where it is NaN."""
    matrix, note = complete_queries(np.reshape(float_array(values, "values"), (-1, 1)))
    return Sample(matrix[:, 0], note)


def complete_queries(matrix: npt.ArrayLike) -> Sample:
    """Return a matrix[query, system] without the queries where any system is NaN.

    An infinite value, or one so large that its powers overflow, is a DataError.

    Examples
    --------
    >>> complete_queries([[1.0, 0.5], [float("nan"), 1.0]]).values
    array([[1. , 0.5]])
    """
    values = float_array(matrix, "values")
    if values.ndim != 2 or values.shape[1] < 1:
        raise DataError(f"expected a matrix[query, system], got shape {values.shape}")
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values).any(axis=1))[0])
        raise DataError("a value must be finite, or NaN if it is missing; got an infinite value", row=row)
    large = np.abs(values) > LARGEST
    if large.any():
        row = int(np.flatnonzero(large.any(axis=1))[0])
        got = float(values[row][large[row]][0])
        raise DataError(
            f"a value must be at most {LARGEST:g} in size, got {got:g}: divide all values by a constant", row=row
        )
    kept = ~np.isnan(values).any(axis=1)
    return Sample(np.ascontiguousarray(values[kept]), _left_out(kept.size - int(kept.sum()), kept.size))


def complete_rows(matrix: Floats) -> Iterator[tuple[list[int], Floats, str]]:
    """Yield the rows of a matrix[pair, query] that have the same queries, without NaN, and a note on the others.

    Examples
    --------
    >>> [(rows, values.tolist()) for rows, values, _ in complete_rows(np.array([[1, np.nan], [2, 3]]))]
    [([0], [[1.0]]), ([1], [[2.0, 3.0]])]
    """
    missing = np.isnan(matrix)
    places: dict[bytes, list[int]] = {}
    for row, pattern in enumerate(np.packbits(missing, axis=1)):
        places.setdefault(pattern.tobytes(), []).append(row)
    for rows in places.values():
        gone = missing[rows[0]]
        values = matrix if len(places) == 1 and not gone.any() else np.ascontiguousarray(matrix[rows][:, ~gone])
        yield rows, values, _left_out(int(gone.sum()), gone.size)


def _left_out(n_left_out: int, n_queries: int) -> str:
    gone = "has no value and is left out" if n_left_out == 1 else "have no value and are left out"
    return f"{n_left_out} of {n_queries} queries {gone}" if n_left_out else ""


def join_notes(note: str, more: str) -> str:
    """Join two notes, either of which may be empty.

    Examples
    --------
    >>> join_notes("1 of 2 queries left out", "all systems are equal"), join_notes("", "all systems are equal")
    ('1 of 2 queries left out; all systems are equal', 'all systems are equal')
    """
    return "; ".join(filter(None, (note, more)))


def _column(values: npt.ArrayLike) -> Floats:
    column = float_array(values, "values")
    if column.ndim != 1:
        raise DataError(f"expected one value per query, got shape {column.shape}")
    return column

"""Values per query, of two systems or many: checked, and without queries where a value is missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import DataError

__all__ = ["Pair", "Sample", "and_note", "complete_queries", "new_seed", "pair"]


@dataclass(frozen=True)
class Pair:
    """Values of two systems on the same queries, and what was left out."""

    a: Floats
    b: Floats
    note: str = ""

    @property
    def differences(self) -> Floats:
        """A - b, one per query."""
        return self.a - self.b


@dataclass(frozen=True)
class Sample:
    """values[query, system], and what was left out."""

    values: Floats
    note: str = ""


def pair(a: npt.ArrayLike, b: npt.ArrayLike) -> Pair:
    """Two systems on the same queries, without those where either is NaN.

    >>> pair([0.5, float("nan")], [0.25, 1.0])
    Pair(a=array([0.5]), b=array([0.25]), note='1 of 2 queries without a value left out')
    """
    if np.shape(a) != np.shape(b):
        raise DataError(f"both systems need a value for every query, got {np.shape(a)} and {np.shape(b)}")
    whole = complete_queries(np.stack([_column(a), _column(b)], axis=1))
    return Pair(np.ascontiguousarray(whole.values[:, 0]), np.ascontiguousarray(whole.values[:, 1]), whole.note)


def complete_queries(matrix: npt.ArrayLike) -> Sample:
    """A matrix[query, system] without the queries where some system is NaN; an infinite value is a DataError.

    >>> complete_queries([[1.0, 0.5], [float("nan"), 1.0]]).values
    array([[1. , 0.5]])
    """
    values = np.asarray(matrix, np.float64)
    if values.ndim != 2 or values.shape[1] < 1:
        raise DataError(f"expected a matrix[query, system], got shape {values.shape}")
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values).any(axis=1))[0])
        raise DataError("a value must be finite, or NaN where there is none; got an infinite one", row=row)
    kept = ~np.isnan(values).any(axis=1)
    n_left_out = kept.size - int(kept.sum())
    note = f"{n_left_out} of {kept.size} queries without a value left out" if n_left_out else ""
    return Sample(np.ascontiguousarray(values[kept]), note)


def new_seed(seed: int | None) -> int:
    """The seed itself, or one that the system draws: results keep it, so that they can be repeated.

    >>> new_seed(7), new_seed(None) == new_seed(None)
    (7, False)
    """
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) if seed is None else seed & (2**64 - 1)


def and_note(note: str, more: str) -> str:
    """A note and one more, either of which may be empty.

    >>> and_note("1 of 2 queries left out", "all systems are equal"), and_note("", "all systems are equal")
    ('1 of 2 queries left out; all systems are equal', 'all systems are equal')
    """
    return "; ".join(filter(None, (note, more)))


def _column(values: npt.ArrayLike) -> Floats:
    column = np.asarray(values, np.float64)
    if column.ndim != 1:
        raise DataError(f"expected one value per query, got shape {column.shape}")
    return column

"""Columns of records, such as those of a JSON file, for which no library of frames is needed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from narwhals.dtypes import DType

#: Integers below this are the same as int64, and as float64.
_EXACT = {"Int64": 2**63, "Float64": 2**53}


class RecordColumns:
    """Records as a frame, with those methods of a narwhals frame by which columns are read.

    A record that lacks a field has a missing value there.

    Parameters
    ----------
    rows : sequence of mapping
        One record per row.

    Examples
    --------
    >>> table = RecordColumns([{"id": "q1", "gold": ["a"]}, {"id": "q2"}])
    >>> list(table.collect_schema()), table.get_column("gold").to_list()
    (['id', 'gold'], [['a'], None])
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def collect_schema(self) -> dict[str, DType]:
        """Return the types of all columns, in one pass, since records may have many different fields."""
        types: dict[str, set[type]] = {}
        for row in self._rows:
            for name, value in row.items():
                types.setdefault(name, set()).add(type(value))
        return {name: _kind(each) for name, each in types.items()}

    def get_column(self, name: str) -> RecordColumn:
        """Return a column."""
        return RecordColumn(name, [row.get(name) for row in self._rows])


class RecordColumn:
    """A column, with those methods of a narwhals series by which values are read.

    Parameters
    ----------
    name : str
        The name.
    values : list
        One value per row; a missing one is None.
    """

    def __init__(self, name: str, values: list[Any]) -> None:
        self.name, self._values = name, values

    @cached_property
    def dtype(self) -> DType:
        """The type; if integers would not be exact, the values are objects."""
        import narwhals as nw

        kind = _kind(set(map(type, self._values)))
        most = _EXACT.get(str(kind), math.inf)
        is_exact = all(not isinstance(each, int) or -most <= each < most for each in self._values)
        return kind if is_exact else nw.Object()

    def is_null(self) -> npt.NDArray[np.bool_]:
        """Return which values are missing."""
        return np.array([each is None for each in self._values], bool)

    def null_count(self) -> int:
        """Return the number of missing values."""
        return sum(each is None for each in self._values)

    def to_list(self) -> list[Any]:
        """Return the values."""
        return self._values

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return the values as an array, of objects unless all have the same type of NumPy."""
        import narwhals as nw

        types: dict[Any, Any] = {nw.Boolean: bool, nw.Int64: np.int64, nw.Float64: np.float64}
        kind = next((of for known, of in types.items() if self.dtype == known), object)
        array = np.empty(len(self._values), kind)
        array[:] = self._values
        return array

    def to_arrow(self) -> Any:
        """Refuse: the values are in a list."""
        raise TypeError("a list is no Arrow array")


def _kind(types: Iterable[type]) -> DType:
    """Return the type of a column that has values of these types."""
    import narwhals as nw

    known: list[tuple[tuple[type, ...], DType]] = [
        ((bool, np.bool_), nw.Boolean()),
        ((int, np.integer), nw.Int64()),
        ((int, np.integer, float, np.floating), nw.Float64()),
        ((str,), nw.String()),
    ]
    rest = [each for each in types if each is not type(None)]
    if not rest:
        return nw.Unknown()
    if all(issubclass(each, (list, tuple, set, frozenset, np.ndarray)) for each in rest):
        return nw.List(nw.Unknown)
    has_numbers_and_bools = any(issubclass(each, bool) for each in rest) and len(rest) > 1
    fitting = (kind for accepted, kind in known if all(issubclass(each, accepted) for each in rest))
    return nw.Object() if has_numbers_and_bools else next(fitting, nw.Object())

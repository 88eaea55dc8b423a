"""Numbers: flat arrays, Series and lists of any library, matrices with one row per query, and lists of lists."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import array_of, check_unmasked
from idealrank.data.construction import from_arrays
from idealrank.data.ids import Ids
from idealrank.data.judgments import Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.io.shapes.id_list_shape import ranked_run
from idealrank.io.shapes.shape import Content, Shape


class ArrayShape(Shape):
    """Labels or scores in an array; beside sets or a sparse matrix, a matrix of scores or of ranked ids."""

    title = "numbers"
    options = ("offsets", "group", "query_ids", "mask")
    _keeps_lists: ClassVar[bool] = True

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is an array of any library, or a list."""
        return isinstance(value, (list, tuple, range)) or hasattr(value, "__array__")

    @property
    def gives(self) -> tuple[Content, ...]:
        """Labels or scores, and a run if it has one row per query."""
        return ("ranking", "scores") if self._ndim < 2 else ("ranking", "scores", "run")

    @property
    def _ndim(self) -> int:
        if not isinstance(self.value, (list, tuple, range)):
            return int(getattr(self.value, "ndim", 1))
        return 2 if len(self.value) and _is_row(self.value[0]) else 1

    def describe(self) -> str:
        """Return the type, the shape and the type of the numbers."""
        if isinstance(self.value, (list, tuple, range)):
            rows = " of lists" if self._ndim == 2 else ""
            return f"a {type(self.value).__name__}{rows} of {len(self.value):,} entries"
        shape = getattr(self.value, "shape", None)
        return f"{type(self.value).__name__} of shape {(len(self.value),) if shape is None else tuple(shape)}"

    def as_array(self, value: Any) -> npt.NDArray[Any]:
        """Return one array, list or column of any library as a NumPy array."""
        if isinstance(value, np.ndarray):
            return value  # keeps a mask, which is refused later
        return array_of(value, self.describe())

    def ranking(self, *, scored: bool = False) -> RankingData:
        """Return labels: one list, or cut by offsets, group sizes or query ids; one row per query of a matrix."""
        labels, sizes = self._flat(self.layout.mask)
        if sizes is not None:
            for name in ("offsets", "group"):
                if getattr(self.layout, name) is not None:
                    raise DataError(f"{self.describe()} has one row per query: leave out {name}=")
        cut: dict[str, Any] = {"offsets": self.layout.offsets, "group": self.layout.group if sizes is None else sizes}
        ids = self.layout.query_ids if self.layout.query_ids is None else self.as_ids(self.layout.query_ids)
        return from_arrays(labels, query_ids=ids, **{k: self.as_sizes(v) for k, v in cut.items()})

    def as_sizes(self, value: Any) -> Any:
        """Return offsets or group sizes as an array."""
        return value if value is None else self.as_array(value)

    def as_ids(self, value: Any) -> Any:
        """Return query ids as an array or a list."""
        return value

    def scores(self, data: RankingData) -> Floats:
        """Return the scores in the order of the data."""
        scores, sizes = self._flat(self.layout.mask)
        if sizes is not None and not np.array_equal(sizes, data.group_sizes):
            is_column = bool((sizes == 1).all()) and scores.size == data.n_docs  # some models predict a column
            if not is_column:
                raise DataError(
                    f"scores must have the shape of the labels: {self.describe()} beside {data.n_queries:,} queries "
                    f"with {data.n_docs:,} documents"
                )
        return data.check_scores(scores, self.layout.order)

    def run(self) -> Run:
        """Return a row per query: integers are ranked ids, where negative ones are padding; others score all ids."""
        if isinstance(self.value, (list, tuple)):
            return ranked_run(range(len(self.value)), [array_of(row, "ids").tolist() for row in self.value])
        matrix = self.as_array(self.value)
        if matrix.ndim != 2:
            raise self._refused("run")
        if matrix.dtype.kind in "iu":
            return ranked_run(range(len(matrix)), [row[row >= 0].tolist() for row in matrix])
        n_queries, n_docs = matrix.shape
        kept = np.ones(matrix.shape, bool) if self.layout.mask is None else self._mask(self.layout.mask, matrix.shape)
        doc_ids = Ids.of(range(n_docs)).take(np.nonzero(kept)[1])
        offsets = np.concatenate(([0], np.cumsum(kept.sum(axis=1))))
        return Run.from_flat(Ids.of(range(n_queries)), offsets, doc_ids, matrix[kept])

    def _mask(self, mask: Any, shape: tuple[int, ...]) -> Booleans:
        kept = array_of(self.as_array(mask), "mask")
        if kept.shape != shape or kept.dtype.kind not in "bui":
            raise DataError(
                f"mask must be true or false for each entry of shape {shape}, got {kept.dtype} of shape {kept.shape}"
            )
        return kept.astype(bool)

    def _flat(self, mask: Any) -> tuple[Any, Int64s | None]:
        """Return all numbers in one array or list, and the sizes of the rows if the value has rows."""
        if isinstance(self.value, (list, tuple)) and self._ndim == 2:
            for number, row in enumerate(self.value):
                if not _is_row(row):
                    raise DataError(f"expected one list of numbers per query, got {type(row).__name__}", query=number)
                check_unmasked(row, f"the numbers of query {number}")
            # As objects, since an array of integers and floats would round large integers.
            rows = [self.as_array(row) if hasattr(row, "dtype") else np.array(row, object) for row in self.value]
            if len({row.dtype for row in rows}) > 1:
                rows = [row.astype(object) for row in rows]
            sizes = np.array([row.size for row in rows], np.int64)
            if mask is None:
                return np.concatenate(rows), sizes
            if len(set(sizes.tolist())) > 1:
                raise DataError("mask goes with a matrix; these lists have different lengths, and need none")
            array = np.stack(rows)
        elif isinstance(self.value, (list, tuple)) and mask is None and self._keeps_lists:
            return self.value, None  # unchanged: an array would round large integers next to floats
        else:
            array = self.as_array(self.value)
        if mask is not None:
            kept = self._mask(mask, array.shape)
            if array.ndim == 2:
                return array[kept], kept.sum(axis=1)
            raise DataError(f"mask goes with matrices, one row per query, got {self.describe()}")
        if array.ndim == 2:
            return array.reshape(-1), np.full(len(array), array.shape[1], np.int64)
        return array, None


def _is_row(value: object) -> bool:
    """Return whether an entry of a list is a list itself; numbers of arrays have no dimension."""
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1

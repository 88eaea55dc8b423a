"""SciPy sparse matrices with a row per query and a column per document, as recommenders hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

from idealrank.data.columns import csr_of, offsets_of
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.io.shapes.shape import Content, Shape


class SparseShape(Shape):
    """Stored entries are labels or scores; the ids are the numbers of rows and columns, from 0."""

    title = "a SciPy sparse matrix, users x items"
    gives: tuple[Content, ...] = ("qrels", "run")

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is a sparse matrix or array of SciPy."""
        return hasattr(value, "tocsr") and len(getattr(value, "shape", ())) == 2

    def describe(self) -> str:
        """Return the shape."""
        return f"a sparse matrix of shape {self.value.shape}"

    def _columns(self) -> tuple[Any, ...]:
        matrix = csr_of(self.value, "entries")
        sizes = np.diff(matrix.indptr)
        rows = np.flatnonzero(sizes)  # a user without items is not a query
        few = matrix.nnz < matrix.shape[1]  # then ids of all columns would take longer than those of the entries
        docs = Ids.of(matrix.indices) if few else Ids.of(range(matrix.shape[1])).take(matrix.indices)
        return Ids.of(rows), offsets_of(sizes[rows]), docs, matrix.data

    def qrels(self) -> Qrels:
        """Return the judgments."""
        return Qrels.from_flat(*self._columns())

    def run(self) -> Run:
        """Return the run."""
        return Run.from_flat(*self._columns())

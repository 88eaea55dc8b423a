"""Features of documents: scores from weights, and gradients with respect to weights from those to scores."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank import _native
from idealrank._base.threads import resolve_threads
from idealrank._typing import Float32s, Floats, Int64s
from idealrank.data.columns import query_at
from idealrank.data.lists import located
from idealrank.data.ranking import RankingData, is_sparse
from idealrank.errors import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["NORMALIZATIONS", "DenseFeatures", "SparseFeatures", "features_of"]

#: How the features of a query may be brought to one scale.
NORMALIZATIONS = ("minmax", "zscore")


@dataclass(frozen=True)
class DenseFeatures:
    """A float32 matrix that is only read: normalization is folded into the products."""

    cells: Any
    offsets: Int64s
    normalization: _native.Normalization | None
    n_threads: int

    def scores(self, weights: Floats) -> Floats:
        """Return one score per document."""
        return _native.linear_scores(self.cells, self.offsets, self.normalization, weights, self.n_threads)

    def gradient(self, by_score: Floats) -> Floats:
        """Return one derivative per weight."""
        return _native.linear_gradient(self.cells, self.offsets, self.normalization, by_score, self.n_threads)

    def matrix(self) -> Float32s:
        """Return the features as they are multiplied: a copy if they are normalized."""
        cells: Float32s = self.cells
        if self.normalization is None:
            return cells
        shift, scale = self.normalization.shift, self.normalization.scale
        out = np.empty(cells.shape, np.float32)
        for query, (begin, end) in enumerate(itertools.pairwise(self.offsets)):
            out[begin:end] = (cells[begin:end] - shift[query]) * scale[query]
        return out

    #: The features as other packages' learners take them.
    table = matrix

    def of_query(self, query: int, own: slice) -> DenseFeatures:
        """Return the features of one query, which has these documents."""
        fitted, row = self.normalization, slice(query, query + 1)
        if fitted is not None:
            fitted = _native.Normalization(shift=fitted.shift[row], scale=fitted.scale[row])
        return DenseFeatures(self.cells[own], np.array([0, own.stop - own.start]), fitted, 1)


@dataclass(frozen=True)
class SparseFeatures:
    """SciPy's compressed sparse rows, as they are."""

    rows: Any

    def scores(self, weights: Floats) -> Floats:
        """Return one score per document."""
        return np.asarray(self.rows @ weights)

    def gradient(self, by_score: Floats) -> Floats:
        """Return one derivative per weight."""
        return np.asarray(self.rows.T @ by_score)

    def matrix(self) -> Float32s:
        """Return the features as a dense matrix."""
        return np.asarray(self.rows.toarray(), np.float32)

    def table(self) -> csr_array:
        """Return the features as other packages' learners take them."""
        return self.rows

    def of_query(self, query: int, own: slice) -> SparseFeatures:
        """Return the features of one query, which has these documents."""
        return SparseFeatures(self.rows[own])


def features_of(
    data: RankingData, normalize: str | None = None, n_threads: int | None = None
) -> DenseFeatures | SparseFeatures:
    """Return the features of the data, checked to be finite, normalized within queries if that is asked for."""
    features = data.known_features()
    if is_sparse(features):
        if normalize is not None:
            raise DataError(f"sparse features cannot be normalized by {normalize!r}: it would make them dense")
        if not np.isfinite(features.data).all():
            raise DataError("a feature must be a finite number: the sparse matrix holds NaN or infinite values")
        return SparseFeatures(features.astype(np.float64))
    place = _native.first_not_finite(features)
    if place is not None:
        row, column = divmod(place, features.shape[1])
        name = column if data.feature_names is None else repr(data.feature_names[column])
        error = DataError(
            f"a feature must be a finite number, not NaN or inf, got {features[row, column]} in column {name}; "
            "impute such values, and scale down those above 3.4e38, the largest float32",
            query=query_at(data.offsets, row),
            row=row,
        )
        raise located(error, data.query_ids, data.input_rows)
    threads, fitted = resolve_threads(n_threads), None
    if normalize is not None:
        fitted = _native.fit_normalization(features, data.offsets, normalize == "zscore", threads)
    return DenseFeatures(features, data.offsets, fitted, threads)

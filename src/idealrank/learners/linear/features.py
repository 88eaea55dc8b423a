"""Features as learners see them: scores from weights, and gradients by weights from gradients by scores."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._typing import Float32s, Floats, Int64s
from idealrank.data.columns import query_at
from idealrank.data.ranking import RankingData, is_sparse
from idealrank.errors import DataError

__all__ = ["NORMALIZATIONS", "DenseFeatures", "SparseFeatures", "features_of", "table_of"]

#: How the features of a query may be brought to one scale.
NORMALIZATIONS = ("minmax", "zscore")


@dataclass(frozen=True)
class DenseFeatures:
    """A float32 matrix, only read: grouping and normalising query by query are folded into the products."""

    cells: Any
    offsets: Int64s
    normalization: _native.Normalization | None
    n_threads: int

    def scores(self, weights: Floats) -> Floats:
        """One score a document, query by query."""
        return _native.linear_scores(self.cells, None, self.offsets, self.normalization, weights, self.n_threads)

    def gradient(self, by_score: Floats) -> Floats:
        """One derivative a weight."""
        return _native.linear_gradient(self.cells, None, self.offsets, self.normalization, by_score, self.n_threads)

    def matrix(self) -> Float32s:
        """The features as they are multiplied: grouped and normalised, in memory of their own where they are either."""
        grouped: Float32s = self.cells
        if self.normalization is None:
            return grouped
        shift, scale = self.normalization.shift, self.normalization.scale
        out = np.empty(grouped.shape, np.float32)
        for query, (begin, end) in enumerate(itertools.pairwise(self.offsets)):
            out[begin:end] = (grouped[begin:end] - shift[query]) * scale[query]
        return out

    def of_query(self, query: int, part: slice) -> DenseFeatures:
        """Those of one query alone, which has this part of the grouped documents."""
        fitted, row = self.normalization, slice(query, query + 1)
        if fitted is not None:
            fitted = _native.Normalization(shift=fitted.shift[row], scale=fitted.scale[row])
        return DenseFeatures(self.cells[part], np.array([0, part.stop - part.start]), fitted, 1)


@dataclass(frozen=True)
class SparseFeatures:
    """SciPy's compressed sparse rows, as they are."""

    rows: Any

    def scores(self, weights: Floats) -> Floats:
        """One score a document, query by query."""
        return np.asarray(self.rows @ weights)

    def gradient(self, by_score: Floats) -> Floats:
        """One derivative a weight."""
        return np.asarray(self.rows.T @ by_score)

    def matrix(self) -> Float32s:
        """All of them, the zeros too."""
        return np.asarray(self.rows.toarray(), np.float32)

    def of_query(self, query: int, part: slice) -> SparseFeatures:
        """Those of one query alone, which has this part of the grouped documents."""
        return SparseFeatures(self.rows[part])


def features_of(data: RankingData, normalize: str | None, n_threads: int) -> DenseFeatures | SparseFeatures:
    """The features of the data, checked to be finite, normalised query by query if that is asked for."""
    features = data.known_features()
    if is_sparse(features):
        if normalize is not None:
            raise DataError(f"sparse features cannot be normalised by {normalize!r}: it would fill them up")
        if not np.isfinite(features.data).all():
            raise DataError("a feature must be a finite number: the sparse matrix holds NaN or infinite values")
        return SparseFeatures(features.astype(np.float64))
    place = _native.first_not_finite(features)
    if place is not None:
        row, column = divmod(place, features.shape[1])
        value = features[row, column]
        raise DataError(
            f"a feature must be a finite number, not NaN or inf, got {value} in column {column}; "
            "fill such values in, and scale down those beyond 3.4e38, the largest of float32",
            query=data.query_id(query_at(data.offsets, row)),
            row=int(data.rows[row]),
        )
    fitted = None
    if normalize is not None:
        fitted = _native.fit_normalization(features, None, data.offsets, normalize == "zscore", n_threads)
    return DenseFeatures(features, data.offsets, fitted, n_threads)


def table_of(features: DenseFeatures | SparseFeatures) -> Any:
    """The features as other people's learners take them, query by query: a matrix, or sparse rows."""
    return features.rows if isinstance(features, SparseFeatures) else features.matrix()

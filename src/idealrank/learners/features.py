"""Features of documents: scores from weights, and gradients with respect to weights from those to scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._typing import Float32s, Floats, Int64s
from idealrank.data.columns import query_at
from idealrank.data.lists import located
from idealrank.data.ranking import RankingData, is_sparse
from idealrank.errors import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: How the features of a query may be brought to one scale.
NORMALIZATIONS = ("minmax", "zscore")
_CELLS = 1 << 20  # cells that are copied to float64 at a time, if a column of a query has no more


@dataclass(frozen=True)
class FeatureMoments:
    """The mean of each column, and its mean squared deviation from that mean and from the mean of the query.

    Those of parts of the data add up to those of all of it. ``weight`` is the sum of the query weights, if known.

    >>> both = FeatureMoments(2, np.array([1.0]), np.array([4.0]), np.array([4.0]))
    >>> both + FeatureMoments(2, np.array([3.0]), np.array([4.0]), np.array([4.0]))
    FeatureMoments(n=4, mean=array([2.]), total=array([5.]), within=array([4.]), weight=0.0)
    """

    n: int
    mean: Floats
    total: Floats
    within: Floats
    weight: float = 0.0

    def __add__(self, other: FeatureMoments) -> FeatureMoments:
        n = self.n + other.n
        own, others = self.n / n, other.n / n
        apart = other.mean - self.mean
        return FeatureMoments(
            n,
            self.mean + others * apart,
            own * self.total + others * other.total + own * others * apart**2,
            own * self.within + others * other.within,
            self.weight + other.weight,
        )


@dataclass(frozen=True)
class DenseFeatures:
    """A float32 matrix that is only read: normalization is folded into the products."""

    cells: Any
    offsets: Int64s
    normalization: _native.Normalization | None
    n_threads: int

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return int(self.cells.shape[1])

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

    def moments(self) -> FeatureMoments:
        """Return the mean and the deviations of each column."""
        n = self.cells.shape[0]
        mean = self.gradient(np.full(n, 1 / n))
        squares, between = np.zeros((2, mean.size))
        for queries, columns in self._blocks():
            begin, end = self.offsets[queries][0], self.offsets[queries.stop]
            rows, sizes = np.array(self.cells[begin:end, columns], np.float64), np.diff(self.offsets)[queries]
            if self.normalization is not None:
                rows -= np.repeat(self.normalization.shift[queries, columns], sizes, axis=0)
                rows *= np.repeat(self.normalization.scale[queries, columns], sizes, axis=0)
            rows -= mean[columns]
            squares[columns] += np.einsum("ij,ij->j", rows, rows)
            filled = sizes > 0
            sums = np.add.reduceat(rows, (self.offsets[queries] - begin)[filled])
            between[columns] += (sums**2 / sizes[filled, None]).sum(axis=0)
        return FeatureMoments(n, mean, squares / n, np.maximum(squares - between, 0) / n)

    def _blocks(self) -> Iterator[tuple[slice, slice]]:
        """Yield queries and columns that divide the matrix into small blocks."""
        n_queries, n_features = self.offsets.size - 1, self.cells.shape[1]
        first = 0
        while first < n_queries:
            room = self.offsets[first] + max(1, _CELLS // n_features)
            last = max(first + 1, int(np.searchsorted(self.offsets, room, side="right")) - 1)
            n_rows = int(self.offsets[last] - self.offsets[first])
            width = max(1, _CELLS // max(1, n_rows))
            if n_rows:
                yield from ((slice(first, last), slice(low, low + width)) for low in range(0, n_features, width))
            first = last

    def of_queries(self, queries: slice) -> DenseFeatures:
        """Return the features of some adjacent queries."""
        own, offsets = _cut(self.offsets, queries)
        fitted = self.normalization
        if fitted is not None:
            fitted = _native.Normalization(shift=fitted.shift[queries], scale=fitted.scale[queries])
        return DenseFeatures(self.cells[own], offsets, fitted, self.n_threads if offsets.size > 2 else 1)


@dataclass(frozen=True)
class SparseFeatures:
    """SciPy's compressed sparse rows, as they are."""

    rows: Any
    offsets: Int64s

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return int(self.rows.shape[1])

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

    def moments(self) -> FeatureMoments:
        """Return the mean and the deviations of each column."""
        from scipy.sparse import csr_array

        n, sizes = self.rows.shape[0], np.diff(self.offsets)
        ones = np.ones(n)
        of_query = csr_array((ones, np.arange(n), self.offsets), shape=(sizes.size, n))  # one row per query
        mean = self.gradient(ones / n)
        sums = of_query @ self.rows
        squares = self.rows.multiply(self.rows).T @ ones / n
        between = sums.multiply(sums).T @ (1 / np.maximum(sizes, 1)) / n
        return FeatureMoments(n, mean, np.maximum(squares - mean**2, 0), np.maximum(squares - between, 0))

    def of_queries(self, queries: slice) -> SparseFeatures:
        """Return the features of some adjacent queries."""
        own, offsets = _cut(self.offsets, queries)
        return SparseFeatures(self.rows[own], offsets)


def _cut(offsets: Int64s, queries: slice) -> tuple[slice, Int64s]:
    """Return the documents of some adjacent queries, and their offsets."""
    cut = offsets[queries.start : queries.stop + 1]
    return slice(int(cut[0]), int(cut[-1])), cut - cut[0]


def features_of(
    data: RankingData, normalize: str | None = None, n_threads: int | None = None, *, may_be_missing: bool = False
) -> DenseFeatures | SparseFeatures:
    """Return the features of the data, checked to be finite, normalized within queries if that is asked for.

    With ``may_be_missing``, NaN is allowed where features are not normalized.
    """
    may_be_missing = may_be_missing and normalize is None
    features = data.known_features()
    if is_sparse(features):
        if normalize is not None:
            raise DataError(f"sparse features cannot be normalized by {normalize!r}: it would make them dense")
        if not np.isfinite(features.data).all() and (not may_be_missing or np.isinf(features.data).any()):
            raise DataError("a feature must be a finite number: the sparse matrix holds NaN or infinite values")
        return SparseFeatures(features.astype(np.float64), data.offsets)
    place = _native.first_not_finite(features)
    if place is not None and may_be_missing:
        infinite = np.isinf(features)
        place = int(infinite.argmax()) if infinite.any() else None
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

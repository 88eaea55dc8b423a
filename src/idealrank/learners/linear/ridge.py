"""Ridge regression on features within queries: in closed form, and as the rival to compare with."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from idealrank._present.page import Statement
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, ObviousRivalWarning
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks
from idealrank.losses import LeastSquares
from idealrank.measures import Measure, measure
from idealrank.stats import interval

#: The targets to choose from: the labels, and gains divided by the ideal DCG of their query.
TARGETS = LeastSquares(gain="linear"), LeastSquares(normalizer="dcg")
_LABELS = (0,)
#: The penalties to choose from, relative to features with a standard deviation of 1 within queries.
PENALTIES = 10.0 ** np.arange(-4.0, 2.25, 0.5)
#: A square matrix of this size is decomposed in a few seconds; the time grows with its third power.
MAX_FEATURES = 2000
_N_FOLDS = 5
_CELLS = 1 << 22  # cells that are copied to float64 at a time, if a query has no more
_STEP = 1 << 18  # cells of one step of a slice
_CONSTANT = 1e-6  # a column whose deviation is below this share of its size is constant: float32 rounds to 6e-8


@dataclass(frozen=True)
class RidgePath:
    """The weights of the features, followed by the intercept, for each target and penalty."""

    targets: Sequence[int]
    penalties: Floats
    parameters: Floats


@dataclass(frozen=True)
class NormalEquations:
    """Sums over documents; ``gram`` and ``moments`` are of features and targets less their means over the query."""

    weight: float
    gram: Floats
    moments: Floats
    squares: Floats
    feature_sums: Floats
    target_sums: Floats

    def __add__(self, other: NormalEquations) -> NormalEquations:
        return NormalEquations(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @classmethod
    def of(cls, block: QueryBlock) -> NormalEquations:
        """Return the sums over the documents of some queries."""
        n_cells = block.lists.labels.size * block.features.n_columns
        return reduce(add, map(cls._of_slice, block.slices(1 + n_cells // _CELLS)))

    @classmethod
    def _of_slice(cls, block: QueryBlock) -> NormalEquations:
        cells, targets, weights = np.asarray(block.features.matrix()), _targets(block.lists), block.row_weights
        n_rows, n_features = cells.shape
        targets_apart = block.less_query_means(targets)
        features_apart = np.empty(cells.shape, order="F")
        squares, feature_sums = np.zeros(n_features), np.zeros(n_features)
        # A query may be long: between two steps, signals are answered.
        for columns in _steps(n_features, max(1, _STEP // max(n_rows, 1))):
            features_apart[:, columns] = block.less_query_means(np.array(cells[:, columns], np.float64))
        gram, moments = np.zeros((n_features, n_features)), np.zeros((n_features, len(TARGETS)))
        for rows in _steps(n_rows, max(64, _STEP // max(n_features, 1))):
            own, features = features_apart[rows], np.array(cells[rows], np.float64)
            squares += weights[rows] @ features**2
            feature_sums += weights[rows] @ features
            gram += own.T @ (own * weights[rows, None])
            moments += own.T @ (targets_apart[rows] * weights[rows, None])
        return cls(float(weights.sum()), gram, moments, squares, feature_sums, weights @ targets)

    def known_targets(self) -> Sequence[int]:
        """Return the numbers of the targets that all queries have."""
        return np.flatnonzero(np.isfinite(self.target_sums)).tolist()

    def path(self, penalties: Floats, targets: Sequence[int]) -> RidgePath:
        """Return the weights for each penalty; a feature that is constant within queries has weight 0."""
        unit = self.weight or 1.0
        deviations, sizes = np.sqrt(np.diag(self.gram) / unit), np.sqrt(self.squares / unit)
        scale = np.where(deviations > _CONSTANT * sizes, deviations, np.inf)
        values, vectors = np.linalg.eigh(self.gram / unit / np.outer(scale, scale))
        moments = (self.moments[:, targets].T / unit / scale) @ vectors
        curvatures = np.maximum(values, 0) + penalties[:, None]
        weights = (moments[:, None] / curvatures) @ vectors.T / scale
        levels = (self.target_sums[targets, None] - weights @ self.feature_sums) / unit
        return RidgePath(targets, penalties, np.dstack([weights, levels]))


def _targets(lists: Lists) -> Floats:
    """Return one column per target, which is NaN if a label has no gain.

    >>> _targets(Lists(np.array([0.0, 1.0, 2.0]), np.zeros(3), np.array([0, 1, 3]))).round(2).tolist()
    [[0.0, 0.0], [1.0, 0.28], [2.0, 0.83]]
    """
    columns = [lists.labels]
    try:
        columns.append(TARGETS[1].target(Lists(lists.labels, lists.labels, lists.offsets)).values)
    except DataError:
        columns.append(np.full(lists.labels.size, np.nan))
    return np.column_stack(columns)


def _steps(size: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, size, step))


def ridge_path(parts: QueryBlocks, n_features: int, penalties: Floats) -> RidgePath:
    """Return the regression on all queries; with many features, of labels alone, as if one penalty is given."""
    if n_features > MAX_FEATURES:
        return _iterated(parts, penalties, left_out=-1)
    equations = parts.sum(NormalEquations.of)
    return equations.path(penalties, _LABELS if penalties.size == 1 else equations.known_targets())


def cross_validated(parts: QueryBlocks, n_features: int, chosen: Measure) -> tuple[RidgePath, Floats]:
    """Return the regression on all queries, and the mean of the measure on queries left out.

    With many features, only one of five folds is left out, there are fewer penalties, and the labels are the target.
    """
    if n_features > MAX_FEATURES:
        penalties = PENALTIES[4::2]
        shares = [_iterated(parts, penalties, left_out=0), *[None] * (_N_FOLDS - 1)]
        return _iterated(parts, penalties, left_out=-1), measured(parts, shares, chosen)
    equations: list[NormalEquations] = parts.sum(_by_fold)
    folds = [reduce(add, equations[fold::_N_FOLDS]) for fold in range(_N_FOLDS)]
    whole = reduce(add, folds)
    targets = whole.known_targets()
    others = [reduce(add, folds[:fold] + folds[fold + 1 :]).path(PENALTIES, targets) for fold in range(_N_FOLDS)]
    return whole.path(PENALTIES, targets), measured(parts, others, chosen)


def measured(parts: QueryBlocks, paths: Sequence[RidgePath | None], chosen: Measure) -> Floats:
    """Return the mean of the measure by target and penalty; every part is cut into slices, one for each path."""
    shape = next(path.parameters.shape[:2] for path in paths if path is not None)
    values = np.vstack([np.empty((0, *shape)), *parts.sum(partial(_values, paths=paths, chosen=chosen))])
    known = ~np.isnan(values).any(axis=(1, 2))  # the measure may skip a query
    return np.asarray(values[known].mean(axis=0)) if known.any() else np.zeros(shape)


def best_place(means: Floats, *, lower_is_better: bool) -> tuple[int, int]:
    """Return the row and column of the best mean, each averaged with its neighbors in the row.

    A single high mean is often luck, because the weights change little from one penalty to the next. Of rows that are
    equally good, it is the first; of such places in a row, the one next to the middle.

    >>> best_place(np.array([[0.2, 0.6, 0.1, 0.4, 0.5, 0.4], [0.4] * 6]), lower_is_better=False)
    (0, 4)
    """
    padded = np.pad(-means if lower_is_better else means, ((0, 0), (1, 1)), mode="edge")
    smooth = (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3
    rows, places = np.nonzero(smooth >= smooth.max() - 1e-12)
    best = places[rows == rows[0]]
    return int(rows[0]), int(best[np.argmin(np.abs(best - means.shape[1] // 2))])


def _by_fold(block: QueryBlock) -> list[NormalEquations]:
    return [NormalEquations.of(fold) for fold in block.slices(_N_FOLDS)]


def _values(block: QueryBlock, paths: Sequence[RidgePath | None], chosen: Measure) -> list[Floats]:
    """Return one matrix per query, by target and penalty."""
    found = [
        np.array([[fold.measured(each, chosen)[0] for each in row] for row in path.parameters]).transpose(2, 0, 1)
        for fold, path in zip(block.slices(len(paths)), paths, strict=True)
        if path is not None and fold.lists.n_queries
    ]
    return [np.concatenate(found)] if found else []


def _iterated(parts: QueryBlocks, penalties: Floats, left_out: int) -> RidgePath:
    """Return the path of labels by conjugate gradients, from the highest penalty down; -1 leaves out no fold."""
    from scipy.sparse.linalg import LinearOperator, cg

    moments = parts.sum(QueryBlock.moments)
    deviations, sizes = np.sqrt(moments.within), np.sqrt(moments.total + moments.mean**2)
    scale = np.where(deviations > _CONSTANT * sizes, deviations, np.inf)

    def products(weights: Floats | None) -> Floats:
        return np.asarray(parts.sum(partial(_products, weights=weights, left_out=left_out)))

    *label_products, label_sum, weight = products(None)
    unit, found, last = weight or 1.0, [], np.zeros(scale.size)
    for penalty in penalties[::-1]:
        matrix = LinearOperator(
            (scale.size, scale.size),
            matvec=lambda move, penalty=penalty: products(move / scale)[:-2] / scale / unit + penalty * move,
        )
        last, _ = cg(matrix, np.array(label_products) / scale / unit, x0=last, rtol=1e-4, maxiter=100)
        found.append(last / scale)
    weights = np.array(found[::-1])
    levels = label_sum / unit - weights @ moments.mean
    return RidgePath(_LABELS, penalties, np.column_stack([weights, levels])[None])


def _products(block: QueryBlock, weights: Floats | None, left_out: int) -> Floats:
    """Return the products of the features with scores less query means, or with labels; their sum; and all weights."""
    total = np.zeros(block.features.n_columns + 2)
    for number, fold in enumerate(block.slices(_N_FOLDS)):
        if number != left_out and fold.lists.n_queries:
            values = fold.lists.labels if weights is None else fold.features.scores(weights)
            by_row = fold.less_query_means(values) * fold.row_weights
            sums = [fold.row_weights @ values, fold.row_weights.sum()]
            total += np.append(fold.features.gradient(by_row), sums)
    return total


_PENALTY = 0.3  # what validation chooses on most data sets is within a factor of ten of it


def warn_if_ridge_is_better(ranker: Any, data: Any, validation: Any, stacklevel: int) -> None:
    """Warn if the 95% interval of the difference on the validation queries is in favor of the ridge regression.

    The ranker has chosen its best iteration on these queries, and the regression has not, so that a warning is rare
    where the two are equally good. Data that a ridge regression cannot take, or not in a second, is
    not compared.
    """
    if not isinstance(data, RankingData) or not isinstance(validation, RankingData) or data.n_features > MAX_FEATURES:
        return
    chosen = measure(ranker.measure)
    try:
        path = ridge_path(QueryBlock.of(data, None, ranker.n_threads), data.n_features, np.array([_PENALTY]))
        rival = QueryBlock.of(validation, None, ranker.n_threads).measured(path.parameters[0, 0], chosen)[0]
    except DataError:  # missing or infinite features
        return
    own = chosen.values(validation.lists(ranker._scores(validation), ranker.n_threads))
    known = np.isfinite(own) & np.isfinite(rival)
    if known.sum() < 2:
        return
    gap = interval((own - rival if chosen.lower_is_better else rival - own)[known])
    if gap.low > 0:
        means = f"the mean {chosen} is {own[known].mean():.4f} and {rival[known].mean():.4f}"
        said = Statement(
            "a ridge regression is better",
            f"{type(ranker).__name__} ranks the validation queries worse than a ridge regression of the labels: "
            f"{means}, and the 95% interval of the difference is {gap.low:.4f} to {gap.high:.4f}; "
            "LinearRanker() fits such a regression",
        )
        warnings.warn(str(said), ObviousRivalWarning, stacklevel=stacklevel + 1)

"""Ridge regression of labels on features within queries: in closed form, and as the rival to compare with."""

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
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks
from idealrank.measures import Measure, measure
from idealrank.stats import interval

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
    """The weights of the features, followed by the intercept, in one row per penalty."""

    penalties: Floats
    parameters: Floats


@dataclass(frozen=True)
class NormalEquations:
    """Sums over documents; ``gram`` and ``moment`` are of features and labels less their means over the query."""

    weight: float
    gram: Floats
    moment: Floats
    squares: Floats
    feature_sums: Floats
    label_sum: float

    def __add__(self, other: NormalEquations) -> NormalEquations:
        return NormalEquations(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @classmethod
    def of(cls, block: QueryBlock) -> NormalEquations:
        """Return the sums over the documents of some queries."""
        n_cells = block.lists.labels.size * block.features.n_columns
        return reduce(add, map(cls._of_slice, block.slices(1 + n_cells // _CELLS)))

    @classmethod
    def _of_slice(cls, block: QueryBlock) -> NormalEquations:
        cells, labels, weights = np.asarray(block.features.matrix()), block.lists.labels, block.row_weights
        n_rows, n_features = cells.shape
        labels_apart = block.less_query_means(labels)
        features_apart = np.empty(cells.shape, order="F")
        squares, feature_sums = np.zeros(n_features), np.zeros(n_features)
        # A query may be long: between two steps, signals are answered.
        for columns in _steps(n_features, max(1, _STEP // max(n_rows, 1))):
            features_apart[:, columns] = block.less_query_means(np.array(cells[:, columns], np.float64))
        gram, moment = np.zeros((n_features, n_features)), np.zeros(n_features)
        for rows in _steps(n_rows, max(64, _STEP // max(n_features, 1))):
            own, features = features_apart[rows], np.array(cells[rows], np.float64)
            squares += weights[rows] @ features**2
            feature_sums += weights[rows] @ features
            gram += own.T @ (own * weights[rows, None])
            moment += own.T @ (labels_apart[rows] * weights[rows])
        return cls(float(weights.sum()), gram, moment, squares, feature_sums, float(weights @ labels))

    def path(self, penalties: Floats) -> RidgePath:
        """Return the weights for each penalty; a feature that is constant within queries has weight 0."""
        unit = self.weight or 1.0
        deviations, sizes = np.sqrt(np.diag(self.gram) / unit), np.sqrt(self.squares / unit)
        scale = np.where(deviations > _CONSTANT * sizes, deviations, np.inf)
        values, vectors = np.linalg.eigh(self.gram / unit / np.outer(scale, scale))
        moments = (self.moment / unit / scale) @ vectors
        curvatures = np.maximum(values, 0) + penalties[:, None]
        weights = (moments / curvatures) @ vectors.T / scale
        return RidgePath(penalties, np.column_stack([weights, (self.label_sum - weights @ self.feature_sums) / unit]))


def _steps(size: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, size, step))


def ridge_path(parts: QueryBlocks, n_features: int, penalties: Floats) -> RidgePath:
    """Return the regression on all queries for each penalty."""
    if n_features > MAX_FEATURES:
        return _iterated(parts, penalties, left_out=-1)
    return parts.sum(NormalEquations.of).path(penalties)


def cross_validated(parts: QueryBlocks, n_features: int, chosen: Measure) -> tuple[RidgePath, Floats]:
    """Return the regression on all queries, and the mean of the measure on queries left out, for each penalty.

    With many features, only one of five folds is left out, and there are fewer penalties.
    """
    if n_features > MAX_FEATURES:
        penalties = PENALTIES[4::2]
        shares = [_iterated(parts, penalties, left_out=0), *[None] * (_N_FOLDS - 1)]
        return _iterated(parts, penalties, left_out=-1), measured(parts, shares, chosen)
    equations: list[NormalEquations] = parts.sum(_by_fold)
    folds = [reduce(add, equations[fold::_N_FOLDS]) for fold in range(_N_FOLDS)]
    others = [reduce(add, folds[:fold] + folds[fold + 1 :]).path(PENALTIES) for fold in range(_N_FOLDS)]
    return reduce(add, folds).path(PENALTIES), measured(parts, others, chosen)


def measured(parts: QueryBlocks, paths: Sequence[RidgePath | None], chosen: Measure) -> Floats:
    """Return the mean of the measure for each penalty; every part is cut into slices, one for each path."""
    n_penalties = next(path.penalties.size for path in paths if path is not None)
    values = np.vstack([np.empty((0, n_penalties)), *parts.sum(partial(_values, paths=paths, chosen=chosen))])
    known = ~np.isnan(values).any(axis=1)  # the measure may skip a query
    return np.asarray(values[known].mean(axis=0)) if known.any() else np.zeros(n_penalties)


def best_penalty(means: Floats, *, lower_is_better: bool) -> int:
    """Return the index of the best mean, each averaged with its neighbors; the middle one if all are the same.

    A single high mean is often luck, because the weights change little from one penalty to the next.

    >>> best_penalty(np.array([0.2, 0.6, 0.1, 0.4, 0.5, 0.4]), lower_is_better=False)
    4
    """
    padded = np.pad(-means if lower_is_better else means, 1, mode="edge")
    smooth = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    best = np.flatnonzero(smooth >= smooth.max() - 1e-12)
    return int(best[np.argmin(np.abs(best - means.size // 2))])


def _by_fold(block: QueryBlock) -> list[NormalEquations]:
    return [NormalEquations.of(fold) for fold in block.slices(_N_FOLDS)]


def _values(block: QueryBlock, paths: Sequence[RidgePath | None], chosen: Measure) -> list[Floats]:
    """Return one row per query, one column per penalty."""
    found = [
        np.column_stack([fold.measured(parameters, chosen)[0] for parameters in path.parameters])
        for fold, path in zip(block.slices(len(paths)), paths, strict=True)
        if path is not None and fold.lists.n_queries
    ]
    return [np.concatenate(found)] if found else []


def _iterated(parts: QueryBlocks, penalties: Floats, left_out: int) -> RidgePath:
    """Return the path by conjugate gradients, from the highest penalty to the lowest; -1 leaves out no fold."""
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
    return RidgePath(penalties, np.column_stack([weights, levels]))


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


class ObviousRivalWarning(UserWarning):
    """A ridge regression of the labels ranks the validation queries better than the ranker that was fitted."""


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
        rival = QueryBlock.of(validation, None, ranker.n_threads).measured(path.parameters[0], chosen)[0]
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

"""RankBoost: a weighted vote of thresholds on single features."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from idealrank._typing import Booleans, Float32s, Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.evaluation.scorer import mean_value
from idealrank.learners.iterative import Iterative
from idealrank.learners.learner_names import register
from idealrank.learners.trees.tree_arrays import Trees
from idealrank.losses import Push
from idealrank.losses.push import n_pairs
from idealrank.measures import measure

_SURE = 1 - 1e-12  # a threshold that orders every pair correctly would get an infinite weight


@register("rank_boost")
class RankBoost(Iterative):
    """RankBoost (Freund, Iyer, Schapire and Singer 2003) with weak rankers that compare a feature with a threshold.

    D is a distribution over the pairs of documents of the same query with different labels; it is uniform at the start.
    Each round takes the weak ranker h, with values 0 and 1, that has the largest |r|, where r is the sum of D(pair)
    (h(better) - h(worse)). It adds 1/2 ln((1 + r) / (1 - r)) h to the scores, and makes D proportional to
    exp(score(worse) - score(better)). Pairs are never visited one by one, and features are sorted only once. The loss
    in ``history_`` is the mean of these exponentials, which bounds the fraction of misordered pairs, and is multiplied
    by sqrt(1 - r^2) or less in each round. A fit ends when no threshold reduces it.

    Attributes
    ----------
    features_, thresholds_, alphas_ : arrays of shape (n_weak_rankers,)
        The feature, the threshold and the weight of each weak ranker. The score of a document is the sum of the weights
        of the weak rankers whose feature is greater than the threshold.

    Examples
    --------
    One relevant document of four, whose feature is above 1 while those of two others are not: r = 2/3, and the weight
    is 1/2 ln 5 = 0.804...

    >>> from idealrank import from_arrays
    >>> from idealrank.learners import RankBoost
    >>> data = from_arrays([1, 0, 0, 0], features=[[2.0], [1.0], [5.0], [0.0]])
    >>> ranker = RankBoost(max_iter=1).fit(data)
    >>> ranker.features_, ranker.thresholds_, ranker.alphas_
    (array([0]), array([1.]), array([0.80471896]))
    >>> ranker.predict(data)
    array([0.80471896, 0.        , 0.80471896, 0.        ])
    """

    _state: ClassVar[Mapping[str, str]] = {
        "features_": "int64[n_weak]",
        "thresholds_": "float64[n_weak]",
        "alphas_": "float64[n_weak]",
    }

    def _fit(self, data: RankingData, validation: RankingData | None) -> None:
        cells = self._features(data).matrix()
        thresholds = _Thresholds.of(cells)
        pairs = _PairWeights.of(data, self.n_threads)
        scores = np.zeros(len(cells))
        weak = np.empty((0, 3))  # feature, threshold, alpha
        with self._traced(weak, validation) as trace:
            loss, potential = pairs.at(scores)
            trace.add(weak, loss)
            for _ in range(self.max_iter):
                feature, threshold, r = thresholds.best(potential)
                if not r:
                    break
                alpha = math.atanh(math.copysign(min(abs(r), _SURE), r))
                weak = np.vstack([weak, (feature, threshold, alpha)])
                scores = scores + _votes(cells, weak[-1:])
                loss, potential = pairs.at(scores)
                trace.add(weak, loss)
                if trace.is_hopeless:
                    break

    def _keep(self, parameters: Floats) -> None:
        self.features_: Int64s = parameters[:, 0].astype(np.int64)
        self.thresholds_: Floats = parameters[:, 1].copy()
        self.alphas_: Floats = parameters[:, 2].copy()

    def _check_state(self) -> None:
        outside = (self.features_ < 0) | (self.features_ >= self.n_features_in_)
        if outside.any():
            raise DataError(f"there are {self.n_features_in_} features, got the number {self.features_[outside][0]}")

    def to_trees(self) -> Trees:
        """Return one tree per weak ranker, of one split."""
        n, zeros = len(self.alphas_), np.zeros(len(self.alphas_), np.int64)
        return Trees(
            n_leaves=zeros + 2,
            features=self.features_,
            thresholds=self.thresholds_,
            decisions=zeros + 10,  # NaN is not above a threshold
            left=zeros - 1,
            right=zeros - 2,
            leaf_values=np.column_stack([np.zeros(n), self.alphas_]).ravel(),
        )

    def _scores(self, data: RankingData) -> Floats:
        weak = np.column_stack([self.features_, self.thresholds_, self.alphas_])
        return _votes(self._features(data).matrix(), weak)

    def _mean_on(self, data: RankingData) -> Callable[[Floats], float]:
        chosen, cells = measure(self.measure), self._features(data).matrix()
        scores, seen = np.zeros(data.n_docs), 0

        def validate(weak: Floats) -> float:
            nonlocal scores, seen
            scores, seen = scores + _votes(cells, weak[seen:]), len(weak)
            return mean_value(chosen, data.lists(scores, self.n_threads))

        return validate


def _votes(cells: Float32s, weak: Floats) -> Floats:
    """Return the sum over weak rankers of alpha where the feature is above the threshold."""
    total = np.zeros(len(cells))
    for feature, threshold, alpha in weak:
        total += alpha * (cells[:, int(feature)] > threshold)
    return total


@dataclass(frozen=True)
class _Thresholds:
    """The documents by increasing value of each feature, and after which of them a value ends, except the last."""

    cells: Float32s
    order: Int64s
    ends: Booleans

    @classmethod
    def of(cls, cells: Float32s) -> _Thresholds:
        columns = np.ascontiguousarray(cells.T)
        order = np.argsort(columns, axis=1, kind="stable")
        rising = np.take_along_axis(columns, order, axis=1)
        return cls(cells, order[:, :-1], rising[:, 1:] > rising[:, :-1])

    def best(self, potential: Floats) -> tuple[int, float, float]:
        """Return the feature and the threshold with the largest |r|, and r: the sum of the potential above it."""
        above = -np.cumsum(potential[self.order], axis=1)  # the potentials sum to 0
        sizes = np.abs(above) * self.ends
        if not sizes.max(initial=0.0) > 1 - _SURE:
            return 0, 0.0, 0.0
        feature, place = (int(each) for each in np.unravel_index(int(np.argmax(sizes)), sizes.shape))
        threshold = float(self.cells[self.order[feature, place], feature])
        return feature, threshold, float(above[feature, place])


@dataclass(frozen=True)
class _PairWeights:
    """Sums over the distribution D of pairs; ``even`` is the initial weight of each query's pairs."""

    lists: Lists
    even: Floats

    @classmethod
    def of(cls, data: RankingData, n_threads: int | None) -> _PairWeights:
        lists = data.lists(n_threads=n_threads)
        return cls(lists, n_pairs(lists) * (1.0 if data.query_weights is None else data.query_weights))

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """Return the mean of exp(score(worse) - score(better)), and each document's potential.

        The potential is D of the pairs in which the document is the better one minus D of those in which it is the
        worse one.
        """
        with self.lists.with_locations():
            values, slopes = Push(p=1).values_and_gradient(replace(self.lists, scores=scores))
        masses = self.even * np.exp(values)
        total = max(float(masses.sum()), 1e-300)
        return total / max(float(self.even.sum()), 1e-300), -slopes * np.repeat(masses / total, self.lists.sizes)

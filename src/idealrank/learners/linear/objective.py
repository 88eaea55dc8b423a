"""What a linear ranker minimizes: the mean of a loss over queries, as a function of the weights in any units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.evaluation.scorer import mean_over_queries
from idealrank.learners.features import FeatureMoments
from idealrank.learners.iterative import Iterative
from idealrank.learners.learner_base import Dataset
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks, Source, engine_of, parts_of
from idealrank.losses import Loss
from idealrank.measures import measure

# A column whose deviation is below this share of its size is constant: float32 has a precision of 6e-8.
_CONSTANT = 1e-6


@dataclass(frozen=True)
class LinearObjective:
    """mean over queries of weight * loss + l2 / 2 ||w||^2, where ``l2`` may depend on the sum of the query weights.

    ``unit`` is what the sum over queries is divided by; None for the sum of the query weights, which makes it a mean.
    The last parameter is the intercept of the scores, which is not penalized; without one, it stays where it is.
    """

    parts: QueryBlocks
    loss: Loss
    l2: Callable[[float], float] = lambda _: 0.0
    unit: float | None = None
    has_intercept: bool = True

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """Return value and gradient, in one pass."""
        sums = self.parts.sum(partial(QueryBlock.sums, parameters=parameters, loss=self.loss))
        weights, l2 = parameters[:-1], self.l2(sums.weight)
        unit = sums.weight if self.unit is None else self.unit
        gradient = sums.gradient / unit
        gradient[:-1] += l2 * weights
        gradient[-1] *= self.has_intercept
        return sums.value / unit + l2 / 2 * float(weights @ weights), gradient

    def gradient(self, parameters: Floats) -> Floats:
        """Return the gradient alone: the value of a short query would cost more than its gradient."""
        unit = self.parts.sum(QueryBlock.weight) if self.unit is None else self.unit
        gradient = self.parts.sum(partial(QueryBlock.gradient, parameters=parameters, loss=self.loss)) / unit
        gradient[:-1] += self.l2(unit) * parameters[:-1]
        gradient[-1] *= self.has_intercept
        return gradient

    def penalty(self) -> float:
        """Return the weight of half the squared length of the weights."""
        return self.l2(self.parts.sum(QueryBlock.weight))

    def queries(self) -> list[LinearObjective]:
        """Return one objective per query, the mean of which is this one."""
        l2, alone = self.penalty(), self.parts.queries()
        unit = self.parts.sum(QueryBlock.weight) / len(alone)
        return [replace(self, parts=each, l2=lambda _: l2, unit=unit) for each in alone]


@dataclass(frozen=True)
class Preconditioned:
    """An objective as a function of the move away from the first parameters.

    The move is measured as if column j were (x_j - center_j) / scale_j, which changes no score, only the path of the
    optimizer.
    """

    objective: LinearObjective
    start: Floats
    center: Floats
    scale: Floats

    def parameters(self, move: Floats) -> Floats:
        """Return the weights and the intercept after a move."""
        weights: Floats = move[:-1] / self.scale
        return np.asarray(self.start + np.append(weights, move[-1] - self.center @ weights))

    def __call__(self, move: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient by the move."""
        value, gradient = self.objective(self.parameters(move))
        return value, self.by_move(gradient)

    def by_move(self, gradient: Floats) -> Floats:
        """Return the gradient by the move, given that by the parameters."""
        return np.append((gradient[:-1] - self.center * gradient[-1]) / self.scale, gradient[-1])


def preconditioned(objective: LinearObjective, start: Floats, moments: FeatureMoments) -> Preconditioned:
    """Return the objective with columns of mean 0 and deviation 1, given those that they have.

    If the loss does not depend on the level of the scores, the deviation is that from the mean of the query, and the
    intercept stays where it is.
    """
    level = depends_on_level(objective.loss)
    center = moments.mean if level and objective.has_intercept else np.zeros_like(moments.mean)
    size = np.hypot(moments.mean, np.sqrt(moments.total))
    deviation = np.sqrt(moments.total if level else moments.within)
    deviation = np.where(deviation > _CONSTANT * size, deviation, size)
    scale = np.hypot(deviation, np.sqrt(objective.l2(moments.weight)))  # a penalty adds curvature like a deviation
    # Powers of two, so that nothing is rounded, and small changes of a deviation change nothing.
    return Preconditioned(objective, start, center, np.exp2(np.round(np.log2(np.where(scale > 0, scale, 1.0)))))


def depends_on_level(loss: Loss) -> bool:
    """Return whether a loss changes if all scores of a query grow by the same amount.

    >>> from idealrank.losses import CrossEntropy, LeastSquares
    >>> depends_on_level(CrossEntropy()), depends_on_level(LeastSquares())
    (False, True)
    """
    labels, scores = [2.0, 0.0, 1.0], np.array([0.25, 0.5, 0.0])
    low, high = (float(loss(labels, scores + level)[0][0]) for level in (0.0, 1.0))
    return abs(high - low) > 1e-9 * (1 + abs(low))


class WeightedSum(Iterative):
    """A ranker whose scores are a weighted sum of features.

    Attributes
    ----------
    coef_ : float64 array of shape (n_features,)
        One weight per feature.
    intercept_ : float
        The constant that is added to every score.
    """

    _state: ClassVar[Mapping[str, str]] = {"coef_": "float64[n_features]", "intercept_": "float64"}

    def _accepts(self, data: Dataset) -> bool:
        return isinstance(data, (RankingData, Source))

    def _keep(self, parameters: Floats) -> None:
        self.coef_: Floats = parameters[:-1]
        self.intercept_ = float(parameters[-1])

    @property
    def _parameters(self) -> Floats:
        return np.append(self.coef_, self.intercept_)

    def _scores(self, data: RankingData | Source) -> Floats:
        return np.concatenate(self._parts(data).sum(partial(QueryBlock.scores, parameters=self._parameters)))

    def _mean(self, data: RankingData | Source) -> float:
        return self._mean_on(data)(self._parameters)

    def _mean_on(self, data: RankingData | Source) -> Callable[[Floats], float]:
        parts, chosen = self._parts(data), measure(self.measure)

        def mean(parameters: Floats) -> float:
            values = parts.sum(partial(QueryBlock.measured, parameters=parameters, chosen=chosen))
            return mean_over_queries(np.concatenate(values), chosen)

        return mean

    def _parts(self, data: RankingData | Source) -> QueryBlocks:
        engine = engine_of(getattr(self, "engine", None))  # only some learners have the option
        return parts_of(data, engine, self.normalize, self.n_threads)

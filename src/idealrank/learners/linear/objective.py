"""What a linear ranker minimizes: the mean of a loss over queries, as a function of the weights in any units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from idealrank._typing import Floats
from idealrank.learners.features import FeatureMoments
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks
from idealrank.losses import Loss

__all__ = ["LinearObjective", "Preconditioned", "depends_on_level", "preconditioned"]

# A column whose deviation is below this share of its size is constant: float32 has a precision of 6e-8.
_CONSTANT = 1e-6


@dataclass(frozen=True)
class LinearObjective:
    """mean over queries of weight * loss + l2 / 2 ||w||^2, where ``l2`` may depend on the sum of the query weights.

    ``unit`` is what the sum over queries is divided by; None for the sum of the query weights, which makes it a mean.
    The last parameter is the intercept of the scores, which is not penalized.
    """

    parts: QueryBlocks
    loss: Loss
    l2: Callable[[float], float] = lambda _: 0.0
    unit: float | None = None

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """Return value and gradient, in one pass."""
        sums = self.parts.sum(partial(QueryBlock.sums, parameters=parameters, loss=self.loss))
        weights, l2 = parameters[:-1], self.l2(sums.weight)
        unit = sums.weight if self.unit is None else self.unit
        gradient = sums.gradient / unit
        gradient[:-1] += l2 * weights
        return sums.value / unit + l2 / 2 * float(weights @ weights), gradient

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
    center = moments.mean if level else np.zeros_like(moments.mean)
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

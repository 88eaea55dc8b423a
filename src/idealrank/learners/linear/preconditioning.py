"""Weights in units of their columns: what makes an optimizer indifferent to the scale of the features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idealrank._typing import Floats
from idealrank.learners.features import Moments
from idealrank.learners.linear.objective import Objective
from idealrank.losses import Loss

__all__ = ["Preconditioned", "depends_on_level", "preconditioned"]

# A column that deviates by less than this share of its size is constant: float32 holds no more than 6e-8.
_CONSTANT = 1e-6


@dataclass(frozen=True)
class Preconditioned:
    """An objective as a function of the move away from the first parameters.

    The move is measured as if column j were (x_j - center_j) / scale_j, which changes no score, only the path of the
    optimizer.
    """

    objective: Objective
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


def preconditioned(objective: Objective, start: Floats, moments: Moments) -> Preconditioned:
    """Return the objective with columns of mean 0 and deviation 1, given those that they have.

    If the loss does not depend on the level of the scores, the deviation is that from the mean of the query, and the
    intercept stays where it is.
    """
    level = depends_on_level(objective.loss)
    center = moments.mean if level else np.zeros_like(moments.mean)
    size = np.hypot(moments.mean, np.sqrt(moments.total))
    deviation = np.sqrt(moments.total if level else moments.within)
    deviation = np.where(deviation > _CONSTANT * size, deviation, size)
    scale = np.hypot(deviation, np.sqrt(objective.l2(moments.weight)))  # a penalty curves like a deviation
    # Powers of two, so that nothing is rounded, and a little more or less of a deviation changes nothing.
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

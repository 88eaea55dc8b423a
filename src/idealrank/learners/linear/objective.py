"""What a linear ranker minimizes: the mean of a loss over queries, as a function of the weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from idealrank._typing import Floats
from idealrank.learners.linear.parts import Part, Parts
from idealrank.losses import Loss

__all__ = ["Objective"]


@dataclass(frozen=True)
class Objective:
    """mean over queries of weight * loss + l2 / 2 ||w||^2, where ``l2`` may depend on the sum of the query weights.

    ``unit`` is what the sum over queries is divided by; None for the sum of the query weights, which makes it a mean.
    The last parameter is the intercept of the scores, which is not penalized.
    """

    parts: Parts
    loss: Loss
    l2: Callable[[float], float] = lambda _: 0.0
    unit: float | None = None

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """Return value and gradient, in one pass."""
        sums = self.parts.sum(partial(Part.sums, parameters=parameters, loss=self.loss))
        weights, l2 = parameters[:-1], self.l2(sums.weight)
        unit = sums.weight if self.unit is None else self.unit
        gradient = sums.gradient / unit
        gradient[:-1] += l2 * weights
        return sums.value / unit + l2 / 2 * float(weights @ weights), gradient

    def penalty(self) -> float:
        """Return the weight of half the squared length of the weights."""
        return self.l2(self.parts.sum(Part.weight))

    def queries(self) -> list[Objective]:
        """Return one objective per query, the mean of which is this one."""
        l2, alone = self.penalty(), self.parts.queries()
        unit = self.parts.sum(Part.weight) / len(alone)
        return [replace(self, parts=each, l2=lambda _: l2, unit=unit) for each in alone]

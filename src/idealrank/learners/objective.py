"""What a linear ranker minimises: the mean of a loss over queries, as a function of the weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from idealrank.data import Floats
from idealrank.learners.parts import Part, Parts
from idealrank.losses import Loss

__all__ = ["Objective"]


@dataclass(frozen=True)
class Objective:
    """mean over queries of weight * loss + l2 / 2 ||w||^2, where ``l2`` may depend on the sum of the queries' weights.

    The last parameter is a height that every score has, which the penalty leaves alone.
    """

    parts: Parts
    loss: Loss
    l2: Callable[[float], float] = lambda _: 0.0

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """Value and gradient, in one pass."""
        sums = self.parts.sum(partial(Part.sums, parameters=parameters, loss=self.loss))
        weights, l2 = parameters[:-1], self.l2(sums.weight)
        gradient = sums.gradient / sums.weight
        gradient[:-1] += l2 * weights
        return sums.value / sums.weight + l2 / 2 * float(weights @ weights), gradient

    def penalty(self) -> float:
        """The weight of half the squared length of the weights."""
        return self.l2(self.parts.sum(Part.weight))

    def queries(self) -> list[Objective]:
        """The same for each query alone."""
        l2 = self.penalty()
        return [replace(self, parts=each, l2=lambda _: l2) for each in self.parts.queries()]

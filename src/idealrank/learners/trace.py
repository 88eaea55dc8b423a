"""What happened in a fit, iteration by iteration, and which of them to keep."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from idealrank.data import Floats

__all__ = ["Trace"]


class Trace:
    """Iterations so far, and the parameters of the best."""

    def __init__(self, start: Floats, validate: Callable[[Floats], float] | None, patience: int | None) -> None:
        self._validate, self._patience = validate, patience
        self._best = -math.inf
        self.best_parameters = start
        self.best_iteration = 0
        self.history: list[dict[str, float]] = []

    def add(self, parameters: Floats, value: float) -> None:
        """Note an iteration."""
        merit = -value if self._validate is None else self._validate(parameters)
        self.history.append({"loss": value} if self._validate is None else {"loss": value, "validation": merit})
        if merit > self._best:
            self._best, self.best_parameters, self.best_iteration = merit, np.array(parameters), len(self.history) - 1

    @property
    def is_hopeless(self) -> bool:
        """Whether validation has not improved for long enough."""
        return self._patience is not None and len(self.history) - 1 - self.best_iteration >= self._patience

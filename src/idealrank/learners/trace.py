"""The iterations of a fit, and which of them to keep."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from idealrank._typing import Floats
from idealrank.learners.progress import Tell

__all__ = ["Trace"]

#: A loss that rises by less than this fraction may only be noise.
_RISE = 0.01


class Trace:
    """The iterations so far, in one stage or several, and the parameters of the best.

    The best has the highest value of the validation measure, or the lowest if ``lower_is_better``; without validation
    data, the lowest loss among the stages that minimize the loss that was asked for.
    """

    def __init__(
        self,
        start: Floats,
        validate: Callable[[Floats], float] | None,
        patience: int | None,
        *,
        lower_is_better: bool = False,
        tell: Tell | None = None,
    ) -> None:
        self._validate, self._patience = validate, patience
        self._lower_is_better, self._tell = lower_is_better, tell
        self._best = -math.inf
        self._stage, self._stage_began, self._stage_best = "", 0, -math.inf
        self._last_gain = 0
        self._counts = True
        self.best_parameters = start
        self.best_iteration = 0
        self.history: list[dict[str, Any]] = []

    def begin(self, stage: str, *, counts: bool = True) -> None:
        """Begin a stage; ``counts`` says whether its losses may choose the best iteration."""
        self._stage, self._counts = stage, counts
        self._stage_began = self._last_gain = len(self.history)
        self._stage_best = -math.inf

    def add(self, parameters: Floats, value: float) -> None:
        """Record an iteration."""
        entry: dict[str, Any] = {"stage": self._stage, "loss": value}
        merit = -value
        if self._validate is not None:
            entry["validation"] = self._validate(parameters)
            merit = -entry["validation"] if self._lower_is_better else entry["validation"]
        self.history.append(entry)
        place = len(self.history) - 1
        if merit > self._stage_best:
            self._stage_best, self._last_gain = merit, place
        if merit > self._best and (self._counts or self._validate is not None):
            self._best, self.best_parameters, self.best_iteration = merit, np.array(parameters), place
        if self._tell is not None:
            self._tell(self._stage, place - self._stage_began, self._news(entry))

    def _news(self, entry: dict[str, Any]) -> str:
        if self._validate is None:
            return f"loss {entry['loss']:.4f}"
        best = self.history[self.best_iteration]["validation"]
        return f"loss {entry['loss']:.4f}, validation {entry['validation']:.4f}, best {best:.4f}"

    @property
    def validates(self) -> bool:
        """Whether validation data chooses the best iteration."""
        return self._validate is not None

    @property
    def is_hopeless(self) -> bool:
        """Whether the stage has not improved for ``patience`` iterations."""
        return self._patience is not None and len(self.history) - 1 - self._last_gain >= self._patience

    def warn_of_setbacks(self, learner: str, stacklevel: int, *, of_loss: bool) -> None:
        """Warn if training made the model worse on the validation data, or raised its loss."""
        setbacks, losses = [], [entry["loss"] for entry in self.history]
        if of_loss and len(losses) > 1 and losses[-1] > losses[0] + _RISE * abs(losses[0]):
            setbacks.append(f"the loss rose from {losses[0]:.4g} to {losses[-1]:.4g}")
        if self.validates and self.best_iteration == 0 and len(losses) > 2:
            first, *later = (entry["validation"] for entry in self.history)
            if first not in later:
                setbacks.append(f"the validation measure went from {first:.4g}, its best, to {later[-1]:.4g}")
        if setbacks:
            from idealrank.learners.estimators import ConvergenceWarning

            what = f"{learner} became worse in training: {', and '.join(setbacks)}"
            advice = "try a smaller learning rate, or other options of the loss"
            warnings.warn(f"{what}; {advice}", ConvergenceWarning, stacklevel=stacklevel + 1)

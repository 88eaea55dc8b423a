"""The base class of learners that are fitted in iterations: their trace, their progress, which one is kept."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from idealrank._names.options import flag, number, option
from idealrank._typing import Floats
from idealrank.learners.learner_base import Ranker
from idealrank.measures import measure

#: The least width of a terminal with room for the bar next to the name of the stage and the numbers.
_WIDE = 120
#: Updates a bar: the stage, how much of it is done, and the latest news.
Tell: TypeAlias = Callable[[str, int, str], None]


@contextmanager
def bar(total: int, *, shown: bool, is_predictable: bool = False) -> Iterator[Tell]:
    """Show a bar that counts to ``total``, and give what updates it; without ``shown`` updates do nothing.

    The bar shows the elapsed time, or the remaining time if ``is_predictable``. On a narrow terminal, the name of the
    stage is shortened and the bar left out, so that no number is cut.
    """
    if not shown:
        yield lambda stage, done, news: None
        return

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    console = Console(stderr=True)
    is_wide = console.width >= _WIDE
    stage_text = TextColumn("{task.description}", table_column=Column(ratio=1, overflow="ellipsis", no_wrap=True))
    drawn = [BarColumn()] if is_wide else []
    news_text = TextColumn("{task.fields[news]}", table_column=Column(no_wrap=True))
    time = TimeRemainingColumn() if is_predictable else TimeElapsedColumn()
    columns = (stage_text, *drawn, MofNCompleteColumn(), news_text, time)
    with Progress(*columns, console=console, transient=console.is_terminal, expand=not is_wide) as progress:
        task = progress.add_task("", total=total, news="")
        yield lambda stage, done, news: progress.update(
            task, description=escape(stage), completed=done, news=escape(news)
        )


class KeptIteration(NamedTuple):
    """``history_[start + kept]`` is the iteration that was kept, of ``n_iterations`` after ``history_[start]``."""

    stage: str
    start: int
    kept: int
    n_iterations: int

    def __str__(self) -> str:
        """Return it as "iteration 3 of 10"."""
        return f"iteration {self.kept:,} of {self.n_iterations:,}"


def kept_iterations(ranker: Any) -> list[KeptIteration]:
    """Return the iteration of the whole history, or of each loss if each has trees of its own (`BoostedRanker`).

    >>> from types import SimpleNamespace
    >>> history = [{"stage": name} for name in ("one", "one", "one", "two", "two")]
    >>> kept_iterations(SimpleNamespace(history_=history, best_iterations_=(1, 1)))[1]
    KeptIteration(stage='two', start=3, kept=1, n_iterations=1)
    """
    history = ranker.history_
    if not hasattr(ranker, "best_iterations_"):
        return [KeptIteration("", 0, ranker.best_iteration_, len(history) - 1)]
    found, start = [], 0
    stages = groupby(history, key=lambda entry: entry.get("stage", ""))
    for kept, (stage, entries) in zip(ranker.best_iterations_, stages, strict=True):
        length = len(list(entries))
        found.append(KeptIteration(stage, start, kept, length - 1))
        start += length
    return found


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


class Iterative(Ranker):
    """A ranker that is fitted in iterations, of which the best one is kept.

    With an ``eval_set``, the iteration with the best mean of ``measure`` on it is kept, otherwise the one with the
    lowest loss. If the fit is interrupted from the keyboard, the best iteration so far is kept.

    Parameters
    ----------
    max_iter : int
        Maximum number of iterations.
    patience : int, optional
        Stop if the validation measure has not improved for this many iterations; None never stops early.
    verbose : bool
        Show a progress bar with the loss and the validation measure.

    Attributes
    ----------
    history_ : list of dict
        The loss and the validation measure of each iteration.
    best_iteration_ : int
        The iteration that was kept.
    """

    max_iter: int = option(number(1, is_whole=True), 200)
    patience: int | None = option(number(1, is_whole=True))
    verbose: bool = option(flag, False)

    @contextmanager
    def _traced(self, start: Floats, validation: Any) -> Iterator[Trace]:
        """Yield a trace that records iterations; the best one becomes the model at the end or at an interrupt."""
        validate = None if validation is None else self._mean_on(validation)
        lower_is_better = measure(self.measure).lower_is_better
        with bar(self.max_iter, shown=self.verbose) as tell:
            trace = Trace(start, validate, self.patience, lower_is_better=lower_is_better, tell=tell)
            try:
                yield trace
            finally:
                self._keep(trace.best_parameters)
                self.best_iteration_: int = trace.best_iteration
                self.history_: list[dict[str, Any]] = trace.history
        # Other optimizers say themselves what they fell short of.
        is_stochastic = getattr(self, "optimizer", None) == "sgd"
        trace.warn_of_setbacks(type(self).__name__, 5, of_loss=is_stochastic)  # at the call of fit

    def _report(self, shortfall: str) -> None:
        """Set ``converged_``, and warn if the fit fell short of convergence."""
        self.converged_ = not shortfall
        if shortfall:
            from idealrank.learners.estimators import ConvergenceWarning

            what = f"{type(self).__name__} did not converge: {shortfall}"
            warnings.warn(what, ConvergenceWarning, stacklevel=4)  # at the call of fit

    def _mean_on(self, data: Any) -> Callable[[Floats], float]:
        """Return the mean of ``measure`` on this data as a function of the parameters of an iteration."""
        raise NotImplementedError

    def _keep(self, parameters: Floats) -> None:
        """Make a model from the parameters of an iteration."""
        raise NotImplementedError

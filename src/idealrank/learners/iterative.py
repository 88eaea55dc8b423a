"""The base class of learners that are fitted in iterations."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from idealrank._names.options import flag, number, option
from idealrank._typing import Floats
from idealrank.learners.learner_base import Ranker
from idealrank.learners.progress import bar
from idealrank.learners.trace import Trace
from idealrank.measures import measure

__all__ = ["Iterative"]


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

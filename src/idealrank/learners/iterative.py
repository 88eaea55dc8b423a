"""What learners that go step by step have in common, whatever a step is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import OptionError
from idealrank.evaluation.scoring import mean_over_queries
from idealrank.learners.base import Ranker
from idealrank.learners.linear.engine import Engine, Here, Source, Streamed
from idealrank.learners.linear.parts import InMemory, Part, Parts
from idealrank.learners.trace import Trace
from idealrank.measures import Measure, measure

__all__ = ["Iterative", "WeightedSum"]


@dataclass(kw_only=True, eq=False, repr=False)
class Iterative(Ranker):
    """A ranker that is made in iterations, the best of which is kept.

    Parameters
    ----------
    normalize: "minmax" or "zscore" brings each feature to one scale within each query; scoring repeats it.
    measure: what ``score`` and validation measure.
    max_iter: how many iterations at most.
    patience: stop when validation has not improved for so many iterations; None never does.
    verbose: show a bar with the loss and the validation measure.

    With an ``eval_set`` the iteration kept is that with the best mean of ``measure`` on it, without one that with the
    least loss. After a fit, ``history_`` has the loss and the validation measure of each iteration, ``best_iteration_``
    which one was kept. An interrupt leaves the best so far.
    """

    normalize: str | None = None
    measure: str | Measure = "ndcg"
    max_iter: int = 200
    patience: int | None = None
    n_threads: int | None = None
    verbose: bool = False

    def _check_options(self) -> None:
        if self.max_iter < 1:
            raise OptionError(f"max_iter must be 1 or more, got {self.max_iter}")
        if self.patience is not None and self.patience < 1:
            raise OptionError(f"patience must be 1 or more, or None, got {self.patience}")

    @contextmanager
    def _traced(self, start: Floats, validate: Callable[[Floats], float] | None) -> Iterator[Trace]:
        """A trace to note iterations in; the best of them becomes the model in the end, or at an interrupt."""
        lower_is_better = measure(self.measure).lower_is_better
        trace = Trace(start, validate, self.patience, lower_is_better=lower_is_better, verbose=self.verbose)
        try:
            with trace.shown(self.max_iter):
                yield trace
        finally:
            self._keep(trace.best_parameters)
            self.best_iteration_: int = trace.best_iteration
            self.history_: list[dict[str, Any]] = trace.history

    def _keep(self, parameters: Floats) -> None:
        """Make a model of the parameters of an iteration."""
        raise NotImplementedError


@dataclass(kw_only=True, eq=False, repr=False)
class WeightedSum(Iterative):
    """A ranker whose scores are a weighted sum of features: ``coef_`` has the weights, ``intercept_`` the height."""

    _state: ClassVar[Mapping[str, str]] = {"coef_": "float64[n_features]", "intercept_": "float64"}

    def _keep(self, parameters: Floats) -> None:
        self.coef_: Floats = parameters[:-1]
        self.intercept_ = float(parameters[-1])

    def _scores(self, data: RankingData) -> Floats:
        return self._scores_of(data)

    def _source_scores(self, source: Source) -> Floats:
        return self._scores_of(source)

    def _scores_of(self, rows: RankingData | Source) -> Floats:
        return np.concatenate(self._parts(rows).sum(partial(Part.scores, parameters=self._parameters)))

    def _source_mean(self, source: Source) -> float:
        return self._mean_on(source)(self._parameters)

    def _validation(self, rows: RankingData | Source | None) -> Callable[[Floats], float] | None:
        return None if rows is None else self._mean_on(rows)

    def _mean_on(self, rows: RankingData | Source) -> Callable[[Floats], float]:
        """The mean of ``measure`` on these rows, as a function of weights and height."""
        parts, chosen = self._parts(rows), measure(self.measure)

        def mean(parameters: Floats) -> float:
            values = parts.sum(partial(Part.measured, parameters=parameters, chosen=chosen))
            return mean_over_queries(np.concatenate(values), chosen)

        return mean

    @property
    def _parameters(self) -> Floats:
        return np.append(self.coef_, self.intercept_)

    def _parts(self, rows: RankingData | Source) -> Parts:
        """The rows as sums are taken over them."""
        if isinstance(rows, RankingData):
            return InMemory(Part.of(rows, self.normalize, resolve_threads(self.n_threads)))
        engine = self._engine()
        return Streamed(rows.pieces(engine), engine, self.normalize, engine.n_threads(self.n_threads))

    def _engine(self) -> Engine:
        """Who reads a source."""
        return Here()

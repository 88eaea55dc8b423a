"""Linear rankers: any loss, trained by L-BFGS or by stochastic gradient descent."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from idealrank.data import Floats, RankingData
from idealrank.errors import ConventionError, DataError
from idealrank.learners.base import Ranker, Training
from idealrank.learners.objective import Objective
from idealrank.learners.trace import Trace
from idealrank.losses import Loss, loss
from idealrank.measures import Measure, measure

__all__ = ["LinearRanker"]

_OPTIMIZERS = ("lbfgs", "sgd")


class LinearRanker(Ranker):
    """Scores that are a weighted sum of features, with weights that minimise a loss of `idealrank.losses`.

    Parameters
    ----------
    loss: a loss or its name, "cross_entropy(normalizer=dcg)".
    normalize: "minmax" or "zscore" brings each feature to one scale within each query; scoring repeats it.
    optimizer: "lbfgs", or "sgd": one step a query, the queries shuffled anew for each epoch (Qin et al. 2008,
        Algorithm 1).
    l2: the weight of half the squared length of the weights.
    measure: what ``score`` and validation measure.
    max_iter: iterations of L-BFGS, or epochs.
    learning_rate: the length of a step, for "sgd".
    patience: stop when validation has not improved for so many iterations or epochs; None never does.
    warm_start: go on from the weights of the last fit.
    random_state: the seed of the shuffles.

    With an ``eval_set`` the weights kept are those of the iteration with the best mean of ``measure`` on it, and not
    the last ones. After a fit, ``coef_`` has the weights, ``intercept_`` the height of the scores, which changes no
    ranking but which some losses want (it is not part of ``l2``), ``history_`` the loss and the validation measure of
    each iteration, ``best_iteration_`` which one was kept. An interrupt leaves the best so far.

    >>> X, y, qid = [[1.0, 5.0], [3.0, 4.0], [2.0, 9.0], [5.0, 1.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    >>> ranker = LinearRanker("pairwise_logistic", l2=0.1).fit(X, y, qid=qid)
    >>> ranker.score(X, y, qid=qid)
    1.0
    """

    def __init__(
        self,
        loss: str | Loss = "cross_entropy(normalizer=dcg)",
        *,
        normalize: str | None = None,
        optimizer: str = "lbfgs",
        l2: float = 0.0,
        measure: str | Measure = "ndcg",
        max_iter: int = 200,
        learning_rate: float = 0.01,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: int | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.loss = loss
        self.normalize = normalize
        self.optimizer = optimizer
        self.l2 = l2
        self.measure = measure
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_threads = n_threads

    def _fit(self, training: Training) -> None:
        start = self._start(self.n_features_in_)
        features = training.features
        chosen: Any = loss(self.loss)
        if hasattr(chosen, "settled"):
            chosen = chosen.settled(features.scores(start[:-1]), training.data.offsets)
        self.loss_ = chosen
        objective = Objective(features, training.lists, training.query_weights, chosen, self.l2)
        trace = Trace(start, self._validation(training.validation), self.patience)
        try:
            (self._lbfgs if self.optimizer == "lbfgs" else self._sgd)(objective, start, trace)
        finally:  # an interrupt too leaves the best so far
            self.coef_: Floats = trace.best_parameters[:-1]
            self.intercept_ = float(trace.best_parameters[-1])
            self.best_iteration_, self.history_ = trace.best_iteration, trace.history

    def _scores(self, data: RankingData) -> Floats:
        return self._features(data).scores(self.coef_) + self.intercept_

    def _check_options(self) -> None:
        if self.optimizer not in _OPTIMIZERS:
            raise ConventionError(f"an optimizer is 'lbfgs' or 'sgd', got {self.optimizer!r}")
        for name in ("l2", "learning_rate"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ConventionError(f"{name} must be a number from 0 on, got {getattr(self, name)!r}")
        if self.max_iter < 1:
            raise ConventionError(f"max_iter must be 1 or more, got {self.max_iter}")

    def _start(self, n_features: int) -> Floats:
        last = getattr(self, "coef_", None) if self.warm_start else None
        if last is None:
            return np.zeros(n_features + 1)
        if last.size != n_features:
            raise DataError(f"the last fit had {last.size} features, this one {n_features}: it cannot go on from there")
        return np.append(last, self.intercept_)

    def _validation(self, data: RankingData | None) -> Callable[[Floats], float] | None:
        if data is None:
            return None
        labels, chosen, features = data.to_groups(data.labels), measure(self.measure), self._features(data)
        return lambda parameters: float(np.nanmean(chosen(labels, features.scores(parameters[:-1]), data.offsets)))

    def _lbfgs(self, objective: Objective, start: Floats, trace: Trace) -> None:
        from scipy.optimize import OptimizeResult, minimize

        def note(intermediate_result: OptimizeResult) -> None:
            trace.add(intermediate_result.x, float(intermediate_result.fun))
            if trace.is_hopeless:
                raise StopIteration

        trace.add(start, objective(start)[0])
        minimize(
            objective, start, jac=True, method="L-BFGS-B", callback=note,
            options={"maxiter": self.max_iter, "maxfun": 4 * self.max_iter},
        )  # fmt: skip

    def _sgd(self, objective: Objective, start: Floats, trace: Trace) -> None:
        rng = np.random.default_rng(self.random_state)
        queries = [objective.of_query(query) for query in range(objective.lists.n_queries)]
        parameters = np.array(start)
        trace.add(parameters, objective(parameters)[0])
        for _ in range(self.max_iter):
            with np.errstate(over="ignore", invalid="ignore"):
                for query in rng.permutation(len(queries)):
                    parameters = parameters - self.learning_rate * queries[query](parameters)[1]
            if not np.isfinite(parameters).all():
                raise DataError(
                    f"the weights grew beyond all numbers: a learning_rate of {self.learning_rate:g} is too large"
                )
            trace.add(parameters, objective(parameters)[0])
            if trace.is_hopeless:
                return

"""Linear rankers: any loss, trained by L-BFGS or by stochastic gradient descent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from idealrank import _threads
from idealrank.data import Floats, RankingData, from_arrays
from idealrank.errors import ConventionError, DataError
from idealrank.learners.features import NORMALIZATIONS, features_of
from idealrank.learners.objective import Objective
from idealrank.losses import Loss, loss
from idealrank.losses.base import Lists, weight_column
from idealrank.measures import Measure, measure

__all__ = ["LinearRanker"]

_OPTIMIZERS = ("lbfgs", "sgd")


class LinearRanker(BaseEstimator):  # type: ignore[misc]
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

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        *,
        qid: Iterable[object],
        eval_set: tuple[Any, npt.ArrayLike, Iterable[object]] | None = None,
        sample_weight: npt.ArrayLike | None = None,
        query_weight: npt.ArrayLike | None = None,
    ) -> LinearRanker:
        """Fit the weights; ``qid`` has the query of each row, in any order.

        ``sample_weight`` is one number a row, which multiplies what the document is worth; ``query_weight`` one a
        query, in the order in which queries first appear.
        """
        self._check_options()
        data = _ranking(X, y, qid)
        lists = self._lists(data, sample_weight)
        features = features_of(data, self.normalize, lists.n_threads)
        start = self._start(data.features.shape[1])
        chosen: Any = loss(self.loss)
        if hasattr(chosen, "settled"):
            chosen = chosen.settled(features.scores(start[:-1]), data.offsets)
        self.loss_ = chosen
        weights_of_queries = np.ones(data.n_queries)
        if query_weight is not None:
            weights_of_queries = weight_column(query_weight, data.n_queries, "query_weight", "query")
        objective = Objective(features, lists, weights_of_queries, chosen, self.l2)
        trace = _Trace(start, self._validation(eval_set), self.patience)
        self.n_features_in_ = data.features.shape[1]
        try:
            (self._lbfgs if self.optimizer == "lbfgs" else self._sgd)(objective, start, trace)
        finally:  # an interrupt too leaves the best so far
            self.coef_: Floats = trace.best_parameters[:-1]
            self.intercept_ = float(trace.best_parameters[-1])
            self.best_iteration_, self.history_ = trace.best_iteration, trace.history
        return self

    def predict(self, X: Any, qid: Iterable[object] | None = None) -> Floats:
        """One score a row; ``qid`` is needed where features are normalised within queries."""
        check_is_fitted(self, "coef_")
        if self.normalize is not None and qid is None:
            raise DataError(f"normalize={self.normalize!r} works within queries: predict(X, qid=...) needs them")
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        data = _ranking(X, np.zeros(n_rows), qid if qid is not None else np.zeros(n_rows, np.int64))
        if data.features.shape[1] != self.n_features_in_:
            raise DataError(f"the ranker was fitted on {self.n_features_in_} features, got {data.features.shape[1]}")
        scores = features_of(data, self.normalize, _threads.resolve(self.n_threads)).scores(self.coef_)
        return data.to_rows(scores + self.intercept_)

    def score(self, X: Any, y: npt.ArrayLike, *, qid: Iterable[object]) -> float:
        """The mean of ``measure`` over queries."""
        qid = list(qid)
        data = from_arrays(y, query_ids=qid)
        values = measure(self.measure)(data.to_groups(data.labels), data.to_groups(self.predict(X, qid)), data.offsets)
        return float(np.nanmean(values))

    def _check_options(self) -> None:
        if self.optimizer not in _OPTIMIZERS:
            raise ConventionError(f"an optimizer is 'lbfgs' or 'sgd', got {self.optimizer!r}")
        if self.normalize is not None and self.normalize not in NORMALIZATIONS:
            raise ConventionError(f"normalize is None, 'minmax' or 'zscore', got {self.normalize!r}")
        for name in ("l2", "learning_rate"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ConventionError(f"{name} must be a number from 0 on, got {getattr(self, name)!r}")
        if self.max_iter < 1:
            raise ConventionError(f"max_iter must be 1 or more, got {self.max_iter}")

    def _lists(self, data: RankingData, sample_weight: npt.ArrayLike | None) -> Lists:
        labels = data.to_groups(data.labels)
        if data.n_docs == 0:
            raise DataError("there are no documents to learn from")
        weights = None
        if sample_weight is not None:
            weights = data.to_groups(weight_column(sample_weight, data.n_docs, "sample_weight", "document"))
        return Lists(labels, np.zeros(data.n_docs), data.offsets, weights, _threads.resolve(self.n_threads))

    def _start(self, n_features: int) -> Floats:
        last = getattr(self, "coef_", None) if self.warm_start else None
        if last is None:
            return np.zeros(n_features + 1)
        if last.size != n_features:
            raise DataError(f"the last fit had {last.size} features, this one {n_features}: it cannot go on from there")
        return np.append(last, self.intercept_)

    def _validation(
        self, eval_set: tuple[Any, npt.ArrayLike, Iterable[object]] | None
    ) -> Callable[[Floats], float] | None:
        if eval_set is None:
            return None
        data = _ranking(*eval_set)
        labels, chosen = data.to_groups(data.labels), measure(self.measure)
        features = features_of(data, self.normalize, _threads.resolve(self.n_threads))
        return lambda parameters: float(np.nanmean(chosen(labels, features.scores(parameters[:-1]), data.offsets)))

    def _lbfgs(self, objective: Objective, start: Floats, trace: _Trace) -> None:
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

    def _sgd(self, objective: Objective, start: Floats, trace: _Trace) -> None:
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


class _Trace:
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


def _ranking(X: Any, y: npt.ArrayLike, qid: Iterable[object]) -> RankingData:
    data = from_arrays(y, query_ids=qid, features=X)
    assert data.features is not None
    return data

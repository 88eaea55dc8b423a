"""Linear rankers: any loss, trained by L-BFGS or by stochastic gradient descent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.learners.base import Training
from idealrank.learners.iterative import WeightedSum
from idealrank.learners.linear.continuation import Stage, continuation
from idealrank.learners.linear.engine import Engine, Source, engine_of
from idealrank.learners.linear.objective import Objective
from idealrank.learners.linear.optimizers import lbfgs, sgd
from idealrank.learners.linear.parts import Part, Parts
from idealrank.learners.names import register
from idealrank.learners.trace import Trace
from idealrank.losses import Loss, loss

__all__ = ["LinearModel", "LinearRanker"]

_OPTIMIZERS = ("lbfgs", "sgd")


@dataclass(kw_only=True, eq=False, repr=False)
class LinearModel(WeightedSum):
    """What all linear rankers have in common; subclasses say what loss they minimise.

    Parameters, beside those of all learners that go step by step (`Iterative`)
    ----------
    optimizer: "lbfgs", or "sgd": one step a query, the queries shuffled anew for each epoch (Qin et al. 2008,
        Algorithm 1). An iteration is one of L-BFGS, or an epoch.
    l2: the weight of half the squared length of the weights.
    learning_rate: the length of a step, for "sgd".
    continuation: a loss of soft ranks is not convex, and where L-BFGS ends depends on where it begins. It is therefore
        minimised twice, from zero weights and from those of the pairwise logistic loss, which is convex, and each time
        with a third of its alpha first (or three times its sigma). False minimises it once, from zero.
    warm_start: go on from the weights of the last fit, without a continuation.
    random_state: the seed of the shuffles.
    engine: who reads a source and computes on it: None for this process, or a ``distributed.Client`` for the workers of
        its cluster, whose gradients are added. What is in memory is computed here.

    After a fit, ``coef_`` has the weights, ``intercept_`` the height of the scores, which changes no ranking but which
    some losses want (it is not part of ``l2``); ``history_`` also names the stage of a continuation.
    """

    optimizer: str = "lbfgs"
    l2: float = 0.0
    learning_rate: float = 0.01
    continuation: bool = True
    warm_start: bool = False
    random_state: int | None = None
    engine: Any = None

    def __sklearn_clone__(self) -> Any:
        # A connection to a cluster cannot be copied: the copy shares it.
        options = {name: clone(value, safe=False) for name, value in self.get_params(False).items() if name != "engine"}
        return type(self)(**options, engine=self.engine)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "engine": None}

    def _loss(self) -> Loss:
        """What to minimise."""
        raise NotImplementedError

    def _penalty(self, weight: float) -> float:
        """The weight of half the squared length of the weights, beside the mean of the loss over queries.

        ``weight`` is that of all queries together.
        """
        return self.l2

    def _fit(self, training: Training) -> None:
        self._fit_parts(training.parts, training.validation)

    def _fit_source(self, source: Source, validation: RankingData | Source | None) -> None:
        self._fit_parts(self._parts(source), validation)

    def _fit_parts(self, parts: Parts, validation: RankingData | Source | None) -> None:
        start = self._start(self.n_features_in_)
        asked = self._resolved(parts, start)
        self.loss_ = asked
        with self._traced(start, self._validation(validation)) as trace:
            for stage in self._stages(asked):
                if stage.afresh:
                    parameters = start
                trace.begin(str(stage.loss), counts=stage.loss == asked)
                objective = Objective(parts, stage.loss, self._penalty)
                parameters = self._minimized(objective, parameters, trace)

    def _resolved(self, parts: Parts, start: Floats) -> Loss:
        """The loss that was asked for, with a number where it leaves one to be found from the scores."""
        asked = self._loss()
        if getattr(asked, "alpha", None) == "auto":
            scores = np.concatenate(parts.sum(partial(Part.scores, parameters=start)))
            offsets = np.concatenate([[0], np.cumsum(np.concatenate(parts.sum(Part.sizes)))])
            asked = asked.resolved(scores, offsets)
        if not asked.has_potential and self.optimizer == "lbfgs":
            raise OptionError(
                f"the gradient of {asked.label} is not that of any function, as 'lbfgs' needs: use optimizer='sgd'"
            )
        return asked

    def _stages(self, asked: Loss) -> list[Stage]:
        if self.optimizer == "sgd" or not self.continuation or self.warm_start:
            return [Stage(asked, afresh=True)]
        return continuation(asked)

    def _minimized(self, objective: Objective, start: Floats, trace: Trace) -> Floats:
        if self.optimizer == "lbfgs":
            return lbfgs(objective, start, trace, self.max_iter)
        return sgd(objective, start, trace, self.max_iter, self.learning_rate, self.random_state)

    def _engine(self) -> Engine:
        return engine_of(self.engine)

    def _check_options(self) -> None:
        super()._check_options()
        engine_of(self.engine)
        if self.optimizer not in _OPTIMIZERS:
            raise OptionError(f"an optimizer is 'lbfgs' or 'sgd', got {self.optimizer!r}")
        for name in ("l2", "learning_rate"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise OptionError(f"{name} must be a number from 0 on, got {getattr(self, name)!r}")
        self._loss()

    def _start(self, n_features: int) -> Floats:
        last = getattr(self, "coef_", None) if self.warm_start else None
        if last is None:
            return np.zeros(n_features + 1)
        if last.size != n_features:
            raise DataError(f"the last fit had {last.size} features, this one {n_features}: it cannot go on from there")
        return np.append(last, self.intercept_)


@register("linear", "linear_ranker")
@dataclass(kw_only=True, eq=False, repr=False)
class LinearRanker(LinearModel):
    """Scores that are a weighted sum of features, with weights that minimise a loss of `idealrank.losses`.

    ``loss`` is a loss or its name, "cross_entropy(normalizer=dcg)"; the other parameters are those of all linear
    models (`LinearModel`).

    >>> X, y, qid = [[1.0, 5.0], [3.0, 4.0], [2.0, 9.0], [5.0, 1.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    >>> ranker = LinearRanker("pairwise_logistic", l2=0.1).fit(X, y, qid=qid)
    >>> ranker.score(X, y, qid=qid)
    1.0
    """

    loss: str | Loss = field(default="cross_entropy(normalizer=dcg)", kw_only=False)

    def _loss(self) -> Loss:
        return loss(self.loss)

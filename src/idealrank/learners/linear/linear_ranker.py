"""Linear rankers: any loss, minimized by L-BFGS, or by steepest or stochastic gradient descent."""

from __future__ import annotations

from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from idealrank._names.options import checked, choice, flag, number, option, seed
from idealrank._typing import Floats
from idealrank.data.columns import offsets_of
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.learners.estimators import clone
from idealrank.learners.learner_names import register
from idealrank.learners.linear.continuation import Stage, continuation
from idealrank.learners.linear.engine import Source, engine_of
from idealrank.learners.linear.objective import LinearObjective
from idealrank.learners.linear.optimizers import Optimizer, lbfgs, sgd, steepest
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks
from idealrank.learners.linear.weighted_sum import WeightedSum
from idealrank.losses import Loss, loss

__all__ = ["LinearModel", "LinearRanker"]

_DETERMINISTIC = {"lbfgs": lbfgs, "gd": steepest}


class LinearModel(WeightedSum):
    """Base class of linear rankers; each subclass names the loss that it minimizes.

    A fit has three parts: an objective, which is the mean of the loss over queries; an optimizer; and a trace of the
    iterations.

    Parameters
    ----------
    optimizer : {"lbfgs", "gd", "sgd"}
        "lbfgs" is L-BFGS; it scales the features internally, so that its path does not depend on their units. "gd" is
        steepest descent, in which each step is halved until the loss decreases. "sgd" takes one step per query and
        shuffles the queries in each epoch (Qin et al. 2008, Algorithm 1). "gd" and "sgd" use the features as they are.
        An iteration is one step of "lbfgs" or "gd", or one epoch of "sgd".
    l2 : float
        The strength of the penalty l2 / 2 ||w||^2 on the weights w; the intercept is not penalized.
    learning_rate : float
        The step size of "sgd".
    continuation : bool
        How to start if the loss is one of soft ranks, which is not convex, so that L-BFGS finds a minimum that depends
        on the starting point. True: minimize twice, starting from zero weights and from the minimum of the pairwise
        logistic loss, which is convex; each time, first minimize with a third of alpha (or three times sigma). False:
        minimize once, starting from zero weights.
    warm_start : bool
        Whether to start from the weights of the last fit, without the continuation.
    random_state : int, optional
        Seed of the random number generator of "sgd"; None means a new seed for every fit.
    engine : distributed.Client, optional
        A Dask client whose workers read a source and compute its gradients; None means this process. Data in memory is
        always processed in this process.

    Attributes
    ----------
    loss_ : Loss
        The loss that was minimized.
    converged_ : bool
        Whether the fit converged. It is False, with a ``ConvergenceWarning``, if L-BFGS or steepest descent ended where
        the gradient is still more than a hundredth of the initial one. With validation data, ``max_iter`` may end a fit
        early.
    """

    optimizer: str = option(choice(*_DETERMINISTIC, "sgd"), "lbfgs")
    l2: float = option(number(0), 0.0)
    learning_rate: float = option(number(0), 0.01)
    continuation: bool = option(flag, True)
    warm_start: bool = option(flag, False)
    random_state: int | None = option(seed, 0)
    engine: Any = option(engine_of)

    def __sklearn_clone__(self) -> Any:
        # A connection to a cluster cannot be copied, so the clone shares it.
        options = {name: clone(value, safe=False) for name, value in self.get_params(False).items() if name != "engine"}
        return type(self)(**options, engine=self.engine)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "engine": None}

    def _loss(self) -> Loss:
        """Return what to minimize."""
        raise NotImplementedError

    def _penalty(self, weight: float) -> float:
        """Return the weight of half the squared length of the weights, next to the mean of the loss over queries.

        ``weight`` is the sum of the query weights.
        """
        return self.l2

    def _optimizer(self, parts: QueryBlocks) -> Optimizer:
        if self.optimizer == "sgd":
            return partial(sgd, epochs=self.max_iter, rate=self.learning_rate, seed=self.random_state)
        return partial(_DETERMINISTIC[self.optimizer], max_iter=self.max_iter, moments=parts.sum(QueryBlock.moments))

    def _fit(self, data: RankingData | Source, validation: RankingData | Source | None) -> None:
        parts, start = self._parts(data), self._start()
        self.loss_ = self._resolved(parts, start)
        minimized = self._optimizer(parts)
        ends: list[tuple[int, str]] = []
        with self._traced(start, validation) as trace:
            for stage in self._stages(self.loss_):
                if stage.afresh:
                    parameters = start
                trace.begin(str(stage.loss), counts=stage.loss == self.loss_)
                parameters, shortfall = minimized(LinearObjective(parts, stage.loss, self._penalty), parameters, trace)
                ends.append((len(trace.history), shortfall))
        self._report(next(shortfall for end, shortfall in ends if trace.best_iteration < end))

    def _resolved(self, parts: QueryBlocks, start: Floats) -> Loss:
        """Return the loss, with the options that depend on the scores set from those at the start."""
        asked = self._loss()
        if not asked.has_potential and self.optimizer != "sgd":
            raise OptionError(
                f"{asked} is not the gradient of any function, which {self.optimizer!r} needs: use optimizer='sgd'"
            )
        if not start.any():  # all scores are 0, so no pass over the data is needed
            return asked.resolved(np.zeros(1))
        scores = np.concatenate(parts.sum(partial(QueryBlock.scores, parameters=start)))
        return asked.resolved(scores, offsets_of(np.concatenate(parts.sum(QueryBlock.sizes))))

    def _stages(self, asked: Loss) -> list[Stage]:
        if self.optimizer != "lbfgs" or not self.continuation or self.warm_start:
            return [Stage(asked, afresh=True)]
        return continuation(asked)

    def _check_options(self) -> None:
        self._loss()

    def _start(self) -> Floats:
        last = getattr(self, "coef_", None) if self.warm_start else None
        if last is None:
            return np.zeros(self.n_features_in_ + 1)
        if last.size != self.n_features_in_:
            raise DataError(
                f"warm_start continues from a fit with {last.size} features, and this data has {self.n_features_in_}"
            )
        return self._parameters


@register("linear", "linear_ranker")
class LinearRanker(LinearModel):
    """A ranker whose scores are a weighted sum of features, with weights that minimize a loss of `idealrank.losses`.

    Parameters
    ----------
    loss : str or Loss
        The loss to minimize, or its name, such as "cross_entropy(normalizer=dcg)".

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> from idealrank.learners import LinearRanker
    >>> features = [[1.0, 5.0], [3.0, 4.0], [2.0, 9.0], [5.0, 1.0]]
    >>> data = from_arrays([0, 1, 0, 1], query_ids=[1, 1, 2, 2], features=features)
    >>> LinearRanker("pairwise_logistic", l2=0.1).fit(data).score(data)
    1.0
    """

    loss: str | Loss = field(default="cross_entropy(normalizer=dcg)", metadata=checked(loss), kw_only=False)

    def _loss(self) -> Loss:
        return loss(self.loss)

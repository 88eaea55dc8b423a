"""Linear rankers: ridge regression of labels, or any loss, minimized by L-BFGS or by gradient descent."""

from __future__ import annotations

from dataclasses import field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from idealrank._names.options import checked, choice, flag, number, option, seed
from idealrank._typing import Floats
from idealrank.data.columns import offsets_of
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.learners.estimators import clone
from idealrank.learners.learner_names import register
from idealrank.learners.linear.objective import LinearObjective, WeightedSum
from idealrank.learners.linear.optimizers import Optimizer, adam, lbfgs, sgd, steepest
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks, Source, engine_of
from idealrank.learners.linear.ridge import (
    PENALTIES,
    TARGETS,
    best_place,
    cross_validated,
    measured,
    ridge_path,
    warn_if_ridge_is_better,
)
from idealrank.losses import Loss, PairwiseLogistic, loss
from idealrank.measures import measure

#: The fraction of its sharpness that a loss has, stage by stage.
_SHARPNESS = (1 / 3, 1.0)


class Stage(NamedTuple):
    """A loss to minimize, from the first weights or from those that the previous stage found."""

    loss: Loss
    afresh: bool


def continuation(asked: Loss) -> list[Stage]:
    """Return the stages of a fit: only one for a loss that has no smoother form.

    >>> from idealrank.losses import ApproxNDCG, CrossEntropy
    >>> continuation(CrossEntropy())
    [Stage(loss=cross_entropy, afresh=True)]
    >>> for loss, afresh in continuation(ApproxNDCG(alpha=60)):
    ...     print(loss, "from the start" if afresh else "from there on")
    approx_ndcg(alpha=20) from the start
    approx_ndcg(alpha=60) from there on
    pairwise_logistic from the start
    approx_ndcg(alpha=20) from there on
    approx_ndcg(alpha=60) from there on
    """
    sharpening = [asked.smoothed(sharpness) for sharpness in _SHARPNESS]
    if None in sharpening:
        return [Stage(asked, afresh=True)]
    on = [Stage(each, afresh=False) for each in sharpening if each is not None]
    return [on[0]._replace(afresh=True), *on[1:], Stage(PairwiseLogistic(), afresh=True), *on]


_DETERMINISTIC = {"lbfgs": lbfgs, "gd": steepest}
_SGD_RATE, _ADAM_RATE = 0.01, 0.1


class LinearModel(WeightedSum):
    """Base class of linear rankers; each subclass names the loss that it minimizes.

    A fit has three parts: an objective, which is the mean of the loss over queries; an optimizer; and a trace of the
    iterations.

    Parameters
    ----------
    optimizer : {"lbfgs", "gd", "adam", "sgd"}, optional
        None means "lbfgs", or "adam" for LambdaRank and LambdaLoss, which are gradients without a function. "lbfgs" is
        L-BFGS; it scales the features internally, so that its path does not depend on their units, and so does "adam".
        "gd" is steepest descent, in which each step is halved until the loss decreases. "sgd" takes one step per query
        and shuffles the queries in each epoch (Qin et al. 2008, Algorithm 1). "gd" and "sgd" use the features as they
        are. An iteration is one epoch of "sgd", or one step of the others.
    l2 : float
        The strength of the penalty l2 / 2 ||w||^2 on the weights w; the intercept is not penalized.
    learning_rate : float, optional
        The step size of "sgd", and of the first steps of "adam", for features with a standard deviation of about 1.
        None means 0.01 for "sgd" and 0.1 for "adam".
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

    optimizer: str | None = option(choice(*_DETERMINISTIC, "adam", "sgd"))
    l2: float = option(number(0), 0.0)
    learning_rate: float | None = option(number(0))
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
        name = self._optimizer_name()
        if name == "sgd":
            rate = _SGD_RATE if self.learning_rate is None else self.learning_rate
            return partial(sgd, epochs=self.max_iter, rate=rate, seed=self.random_state)
        moments = parts.sum(QueryBlock.moments)
        if name == "adam":
            rate = _ADAM_RATE if self.learning_rate is None else self.learning_rate
            return partial(adam, max_iter=self.max_iter, rate=rate, moments=moments)
        return partial(_DETERMINISTIC[name], max_iter=self.max_iter, moments=moments)

    def _optimizer_name(self) -> str:
        return self.optimizer or ("lbfgs" if self._loss().has_potential else "adam")

    def _fit(self, data: RankingData | Source, validation: RankingData | Source | None) -> None:
        if self._regressed(data, validation):
            return
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
        if validation is not None:
            warn_if_ridge_is_better(self, data, validation, stacklevel=3)  # at the call of fit

    def _regressed(self, data: RankingData | Source, validation: RankingData | Source | None) -> bool:
        """Return whether the ranker has been fitted in closed form, so that there is nothing to minimize."""
        return False

    def _resolved(self, parts: QueryBlocks, start: Floats) -> Loss:
        """Return the loss, with the options that depend on the scores set from those at the start."""
        asked = self._loss()
        if not asked.has_potential and self.optimizer in _DETERMINISTIC:
            raise OptionError(
                f"{asked} needs optimizer='adam' or 'sgd': {self.optimizer!r} requires a true loss function"
            )
        if not start.any():  # all scores are 0, so no pass over the data is needed
            return asked.resolved(np.zeros(1))
        scores = np.concatenate(parts.sum(partial(QueryBlock.scores, parameters=start)))
        return asked.resolved(scores, offsets_of(np.concatenate(parts.sum(QueryBlock.sizes))))

    def _stages(self, asked: Loss) -> list[Stage]:
        if self._optimizer_name() != "lbfgs" or not self.continuation or self.warm_start:
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
    """A ranker whose scores are a weighted sum of features, fitted by ridge regression or by any loss.

    Without a loss, a target is regressed on the features, both less their means over the query. The target is the
    label, or the gain 2^label - 1 divided by the ideal DCG of the query, which is consistent with NDCG. The target and
    the penalty are those that rank best: on ``eval_set``, or else on queries that were left out, in five folds of
    adjacent queries. The fit depends on no starting point. With more than 2,000 features, it takes conjugate gradients,
    and the target is the label, as it is if a label has no gain or ``l2`` is given.

    Parameters
    ----------
    loss : str or Loss, optional
        The loss to minimize, or its name, such as "cross_entropy(normalizer=dcg)"; None means ridge regression, for
        which ``optimizer``, ``max_iter`` and other options of iterations have no effect.
    l2 : float, optional
        The strength of the penalty l2 / 2 ||w||^2 on the weights w; the intercept is not penalized. For ridge
        regression, it is relative to features with a standard deviation of 1 within queries, and None chooses it. For
        a loss, None means 0.

    Attributes
    ----------
    l2_ : float
        The strength of the penalty that was used.
    loss_ : Loss
        The loss that was minimized; for ridge regression, least squares of labels, ``least_squares(gain=linear)``, or
        of gains over the ideal DCG, ``least_squares(normalizer=dcg)``.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> from idealrank.learners import LinearRanker
    >>> features = [[1.0, 5.0], [3.0, 4.0], [2.0, 9.0], [5.0, 1.0]]
    >>> data = from_arrays([0, 1, 0, 1], query_ids=[1, 1, 2, 2], features=features)
    >>> LinearRanker().fit(data).score(data)
    1.0
    >>> LinearRanker("pairwise_logistic", l2=0.1).fit(data).score(data)
    1.0
    """

    loss: str | Loss | None = field(default=None, metadata=checked(loss), kw_only=False)
    l2: float | None = option(number(0))  # type: ignore[assignment]

    def _loss(self) -> Loss:
        return TARGETS[0] if self.loss is None else loss(self.loss)

    def _penalty(self, weight: float) -> float:
        return self.l2 or 0.0

    def _regressed(self, data: RankingData | Source, validation: RankingData | Source | None) -> bool:
        self.l2_ = self.l2 or 0.0
        if self.loss is None:
            self._regress(self._parts(data), None if validation is None else self._parts(validation))
        return self.loss is None

    def _regress(self, parts: QueryBlocks, validation: QueryBlocks | None) -> None:
        """Fit by ridge regression."""
        chosen, n_features = measure(self.measure), self.n_features_in_
        means: Floats | None = None
        if self.l2 is not None:
            path = ridge_path(parts, n_features, np.array([self.l2]))
        elif validation is None:
            path, means = cross_validated(parts, n_features, chosen)
        else:
            path = ridge_path(parts, n_features, PENALTIES)
            means = measured(validation, [path], chosen)
        target, penalty = (0, 0) if means is None else best_place(means, lower_is_better=chosen.lower_is_better)
        self._keep(path.parameters[target, penalty])
        self.l2_, self.loss_, self.converged_ = float(path.penalties[penalty]), TARGETS[path.targets[target]], True
        self.best_iteration_, self.history_ = 0, []

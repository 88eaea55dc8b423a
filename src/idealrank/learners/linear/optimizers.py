"""How a linear ranker finds its weights: L-BFGS, stochastic gradient descent, cutting planes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.learners.linear.cutting_plane import cutting_plane
from idealrank.learners.linear.objective import Objective
from idealrank.learners.trace import Trace

__all__ = ["Optimizer", "lbfgs", "planes", "sgd"]

#: Minimizes an objective from these parameters on, records each iteration in the trace, and returns the last ones.
Optimizer: TypeAlias = Callable[[Objective, Floats, Trace], Floats]


def lbfgs(objective: Objective, start: Floats, trace: Trace, max_iter: int) -> Floats:
    """Minimize by SciPy's L-BFGS-B, and return the last parameters."""
    from scipy.optimize import OptimizeResult, minimize

    def note(intermediate_result: OptimizeResult) -> None:
        trace.add(intermediate_result.x, float(intermediate_result.fun))
        if trace.is_hopeless:
            raise StopIteration

    first = objective(start)
    trace.add(start, first[0])

    def evaluated(parameters: Floats) -> tuple[float, Floats]:
        return first if np.array_equal(parameters, start) else objective(parameters)  # SciPy asks for the start again

    found = minimize(
        evaluated, start, jac=True, method="L-BFGS-B", callback=note,
        options={"maxiter": max_iter, "maxfun": 4 * max_iter},
    )  # fmt: skip
    return np.asarray(found.x)


def sgd(objective: Objective, start: Floats, trace: Trace, epochs: int, rate: float, seed: int | None) -> Floats:
    """Take one step per query, the queries shuffled again for each epoch: Algorithm 1 of Qin et al. 2008."""
    rng = np.random.default_rng(seed)
    queries = objective.queries()
    parameters = np.array(start)
    trace.add(parameters, objective(parameters)[0])
    for _ in range(epochs):
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                for query in rng.permutation(len(queries)):
                    parameters = parameters - rate * queries[query](parameters)[1]
            if not np.isfinite(parameters).all():
                raise DataError("the weights overflow")
            value = objective(parameters)[0]
        except DataError as error:  # the data did well at the start
            raise DataError(f"a learning_rate of {rate:g} is too large: {error.what}") from None
        trace.add(parameters, value)
        if trace.is_hopeless:
            break
    return parameters


def planes(objective: Objective, trace: Trace, max_iter: int, tolerance: float) -> float:
    """Minimize a convex loss with corners and a penalty until it is proven to be within the tolerance of the minimum.

    Return the proven distance. The intercept, on which such losses do not depend, stays at 0.
    """
    alone = replace(objective, l2=lambda _: 0.0)

    def risk(weights: Floats) -> tuple[float, Floats]:
        value, slope = alone(np.append(weights, 0.0))
        return value, slope[:-1]

    gap = np.inf
    for step in cutting_plane(risk, trace.best_parameters.size - 1, objective.penalty()):
        trace.add(np.append(step.weights, 0.0), step.value)
        gap = step.gap
        if gap <= tolerance or len(trace.history) > max_iter or trace.is_hopeless:
            break
    return gap

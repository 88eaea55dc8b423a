"""How a linear ranker finds its weights: L-BFGS, steepest or stochastic gradient descent, Adam, cutting planes.

A convex risk R(w) is above all its tangent planes. The cutting-plane method (Joachims, Finley and Yu 2009, with
one slack for all queries; Teo et al. 2010 for any risk) minimizes l2 / 2 ||w||^2 + the highest of the planes so far,
adds the plane at the minimum, and repeats until that minimum, a lower bound for all w, is close to the value found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from idealrank._core.seeds import generator
from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.learners.features import FeatureMoments
from idealrank.learners.iterative import Trace
from idealrank.learners.linear.objective import LinearObjective, preconditioned

_RIDGE = 1e-12  # of the mean squared slope: planes may repeat or depend on each other


class CuttingPlaneStep(NamedTuple):
    """Weights, the objective there, and the distance of the best objective so far from a bound on the least one."""

    weights: Floats
    value: float
    gap: float


def cutting_plane(
    risk: Callable[[Floats], tuple[float, Floats]], n_weights: int, l2: float
) -> Iterator[CuttingPlaneStep]:
    """Minimize l2 / 2 ||w||^2 + risk(w), which returns value and slope; yield steps until the caller stops.

    The risk |w - 3| and l2 = 1: |w - 3| + w^2 / 2 is smallest at w = 1, where it is 2.5.

    >>> for step in cutting_plane(lambda w: (abs(w[0] - 3), np.sign(w - 3)), 1, l2=1.0):
    ...     print(step.weights, step.value, step.gap)
    ...     if step.gap < 1e-9:
    ...         break
    [0.] 3.0 inf
    [1.] 2.5 0.0
    """
    weights, best, bound = np.zeros(n_weights), np.inf, -np.inf
    slopes, heights, shares = np.empty((0, n_weights)), np.empty(0), np.empty(0)
    while True:
        value, slope = risk(weights)
        here = value + l2 / 2 * float(weights @ weights)
        best = min(best, here)
        yield CuttingPlaneStep(weights, here, best - bound)
        slopes, heights = np.vstack([slopes, slope]), np.append(heights, value - slope @ weights)
        # The dual: weights are -slopes' shares / l2, where shares are nonnegative and sum to 1.
        shares = _on_the_simplex(slopes @ slopes.T / l2, heights, np.append(shares, float(not shares.size)))
        weights = -(shares @ slopes) / l2
        bound = max(bound, float(shares @ heights) - l2 / 2 * float(weights @ weights))


def _on_the_simplex(gram: Floats, linear: Floats, shares: Floats) -> Floats:
    """Return the nonnegative shares with sum 1 that minimize 1/2 shares' gram shares - linear' shares.

    An active-set method: it minimizes over the shares that are not 0 as if they could be negative, and moves to that
    minimum, or until the first of them is 0; when it reaches the minimum, it adds the share with the steepest descent.
    """
    gram = gram + _RIDGE * max(float(np.trace(gram)) / linear.size, 1e-300) * np.eye(linear.size)
    used = shares > 0
    for _ in range(10 * linear.size):
        places = np.flatnonzero(used)
        system = np.ones((places.size + 1, places.size + 1))
        system[:-1, :-1], system[-1, -1] = gram[np.ix_(places, places)], 0.0
        there = np.linalg.solve(system, np.append(linear[places], 1.0))[:-1]
        here = shares[places]
        falling = np.flatnonzero(there < 0)
        if falling.size:
            reach = here[falling] / (here[falling] - there[falling])
            first = int(np.argmin(reach))
            shares[places] = np.maximum(here + reach[first] * (there - here), 0)
            shares[places[falling[first]]], used[places[falling[first]]] = 0.0, False
            continue
        shares[places] = there
        downhill = linear - gram @ shares
        entering = int(np.argmax(downhill))
        level = float(shares @ downhill)
        if used[entering] or downhill[entering] <= level + 1e-13 * (1 + abs(level)):
            break
        used[entering] = True
    return np.asarray(shares / shares.sum())


class Optimum(NamedTuple):
    """The last parameters, and why they may be far from a minimum: empty if they are not."""

    parameters: Floats
    shortfall: str = ""


#: Minimizes an objective from these parameters on, and records each iteration in the trace.
Optimizer: TypeAlias = Callable[[LinearObjective, Floats, Trace], Optimum]

_FAR = 0.01  # a gradient is far from 0 if its largest entry exceeds this share of the largest one at the start
_GRADIENT = 1e-5  # how close to 0 L-BFGS brings the gradient, if rounding allows
_LIMIT_REACHED = 1  # SciPy's status
_SUFFICIENT = 1e-4  # the share of the decrease predicted by the gradient that a step must achieve


def lbfgs(objective: LinearObjective, start: Floats, trace: Trace, max_iter: int, moments: FeatureMoments) -> Optimum:
    """Minimize by SciPy's L-BFGS-B, with columns brought to one scale."""
    from scipy.optimize import OptimizeResult, minimize

    scaled = preconditioned(objective, start, moments)
    origin = np.zeros_like(start)

    def note(intermediate_result: OptimizeResult) -> None:
        trace.add(scaled.parameters(intermediate_result.x), float(intermediate_result.fun))
        if trace.is_hopeless:
            raise StopIteration

    first = scaled(origin)
    trace.add(start, first[0])

    def evaluated(move: Floats) -> tuple[float, Floats]:
        return scaled(move) if move.any() else first  # SciPy evaluates the start again

    found = minimize(
        evaluated, origin, jac=True, method="L-BFGS-B", callback=note,
        options={"maxiter": max_iter, "maxfun": 4 * max_iter, "gtol": _GRADIENT},
    )  # fmt: skip
    shortfall = _shortfall(first[1], found.jac, trace, is_over=found.status == _LIMIT_REACHED)
    return Optimum(scaled.parameters(found.x), shortfall)


def steepest(
    objective: LinearObjective, start: Floats, trace: Trace, max_iter: int, moments: FeatureMoments
) -> Optimum:
    """Take steps against the gradient; each is halved until the objective decreases enough (Armijo).

    The first step is tried with the length 1, in units of the gradient, and each other one with twice the last. The
    features are taken as they are; only whether the gradient is close to 0 is judged with columns of one scale.
    """
    parameters, length = np.array(start), 0.5
    value, gradient = objective(parameters)
    first, n_iter = gradient, 0
    trace.add(parameters, value)
    while n_iter < max_iter and gradient.any() and not trace.is_hopeless:
        length *= 2
        while length > 0:
            try:
                reached = objective(parameters - length * gradient)
            except DataError:  # the scores overflow
                reached = np.inf, gradient
            if reached[0] <= value - _SUFFICIENT * length * float(gradient @ gradient):
                break
            length /= 2
        if length == 0 or not reached[0] < value:
            break
        parameters, (value, gradient), n_iter = parameters - length * gradient, reached, n_iter + 1
        trace.add(parameters, value)
    first, last = map(preconditioned(objective, start, moments).by_move, (first, gradient))
    return Optimum(parameters, _shortfall(first, last, trace, is_over=n_iter == max_iter))


def adam(
    objective: LinearObjective, start: Floats, trace: Trace, max_iter: int, rate: float, moments: FeatureMoments
) -> Optimum:
    """Take steps of Adam against the gradient of all queries, with columns brought to one scale.

    It needs no values, only gradients. The length of the steps decreases linearly to 0.
    """
    scaled = preconditioned(objective, start, moments)
    move, mean, square = np.zeros((3, start.size))
    for step in range(max_iter + 1):
        value, gradient = scaled(move)
        trace.add(scaled.parameters(move), value)
        if trace.is_hopeless or not gradient.any():
            break
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        of_mean, of_square = mean / (1 - 0.9 ** (step + 1)), square / (1 - 0.99 ** (step + 1))
        move = move - rate * (1 - step / max_iter) * of_mean / np.sqrt(np.where(of_square > 0, of_square, 1.0))
    return Optimum(scaled.parameters(move))


def sgd(objective: LinearObjective, start: Floats, trace: Trace, epochs: int, rate: float, seed: int | None) -> Optimum:
    """Take one step per query, the queries shuffled again for each epoch: Algorithm 1 of Qin et al. 2008."""
    rng = generator(seed)
    queries = objective.queries()
    parameters = np.array(start)
    trace.add(parameters, objective(parameters)[0])
    for _ in range(epochs):
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                for query in rng.permutation(len(queries)):
                    parameters = parameters - rate * queries[query].gradient(parameters)
            if not np.isfinite(parameters).all():
                raise DataError("the weights overflow")
            value = objective(parameters)[0]
        except DataError as error:  # the data was fine at the start
            raise DataError(f"a learning_rate of {rate:g} is too large: {error.what}") from None
        trace.add(parameters, value)
        if trace.is_hopeless:
            break
    return Optimum(parameters)


def _shortfall(first: Floats, last: Floats, trace: Trace, *, is_over: bool) -> str:
    """Return why the gradient is not close to 0, if it is not; with validation, only if there were iterations left."""
    before, after = (float(np.abs(gradient).max()) for gradient in (first, last))
    if after <= max(_GRADIENT, _FAR * before) or trace.is_hopeless or (is_over and trace.validates):
        return ""
    left = f"the gradient is still {after / before:.2g} times as large as at the start"
    if is_over:
        return f"after max_iter iterations {left}; raise max_iter, or scale the features"
    return f"{left}, but no step decreases the loss; scale the features, or use another optimizer or loss"


def _unproven(gap: float, tolerance: float, trace: Trace) -> str:
    """Return why cutting planes are not within the tolerance, if they are not; with validation, nothing."""
    if gap <= tolerance or trace.validates or trace.is_hopeless:
        return ""
    return f"after max_iter cutting planes the loss may be {gap:.2g} above its minimum, more than {tolerance:.2g}"


def planes(objective: LinearObjective, trace: Trace, max_iter: int, tolerance: float) -> tuple[Optimum, float]:
    """Minimize a convex loss with corners and a penalty until it is proven to be within the tolerance of the minimum.

    Return the proven distance too. The intercept, on which such losses do not depend, stays at 0.
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
    return Optimum(trace.best_parameters, _unproven(gap, tolerance, trace)), gap

"""The largest NDCG regret that an excess of surrogate risk can go with, by optimization; Theorem 10 bounds it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import is_whole
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.errors import DataError, OptionError
from idealrank.losses import Bregman, CrossEntropy, LeastSquares, QNorm, loss
from idealrank.losses.loss_base import Loss
from idealrank.losses.potentials import KL, PNorm, Squared
from idealrank.losses.segments import sums
from idealrank.measures.discounts import DiscountLike
from idealrank.theory.consistency.excess import bregman_cutoff, rank_weights

__all__ = ["excess_risk_transform"]

_MOST_DOCS = 4
_LEAST = 1e-9  # of a target or a fitted value


def excess_risk_transform(
    surrogate: str | Loss, excess: npt.ArrayLike, n_docs: int, *, discount: DiscountLike = "log"
) -> Floats:
    """Compute numerically the largest NDCG regret for a given excess of surrogate risk.

    `excess_risk_bound` gives the bound that Theorem 10 of Ravikumar et al. 2011 proves for any number of documents.
    This function finds the regret in the worst case, with the worst gains and probabilities, which is several times
    smaller for a few documents. For each wrong order, the regret is maximized over all targets of NDCG and all fitted
    values in that order. For the squared loss and for KL divergences, this is a convex problem, and its solution is the
    global maximum; for other divergences, it is the largest value found from two starting points.

    Parameters
    ----------
    surrogate : str or Loss
        A loss that is a Bregman divergence of the targets of NDCG, or of NDCG@k if it has the normalizer k.
    excess : array-like
        The surrogate risk minus the lowest possible surrogate risk.
    n_docs : int
        The number of documents, from 2 to 4.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...

    Returns
    -------
    float64 array
        One regret per excess; 0 for an excess of 0.

    Raises
    ------
    DataError
        If an excess is negative or not finite.
    OptionError
        If the loss is not such a divergence, or the number of documents is out of range.

    Examples
    --------
    With two documents and the squared loss, targets that differ by d have, in the wrong order, a regret of d (1 -
    1/log2(3)) and an excess of at least d^2 / 2.

    >>> from idealrank.theory import excess_risk_transform
    >>> excess_risk_transform("least_squares(normalizer=dcg)", [0.02, 0.08], n_docs=2).round(6)
    array([0.073814, 0.147628])
    >>> from idealrank.theory import excess_risk_bound
    >>> excess_risk_bound("least_squares(normalizer=dcg)", [0.02, 0.08], n_docs=2).round(6)
    array([0.334434, 0.668867])
    """
    beyond = float_array(excess, "an excess of risk")
    if not (np.isfinite(beyond).all() and (beyond >= 0).all()):
        raise DataError("an excess of risk must be finite and not negative")
    if not is_whole(n_docs, 2, _MOST_DOCS):
        raise OptionError(f"the transform is found for 2 to {_MOST_DOCS} documents, got {n_docs!r}")
    phi = loss(surrogate)
    weights, _ = rank_weights(n_docs, discount, bregman_cutoff(phi))
    divergence = _divergence(phi, n_docs)
    found = [_largest(divergence, float(each), weights) if each > 0 else 0.0 for each in beyond.reshape(-1)]
    return np.array(found).reshape(beyond.shape)


def _divergence(phi: Loss, n_docs: int) -> Callable[[Floats, Floats], float]:
    """D_psi(u, v), of which the excess risk is the value at the target u and the fitted value v."""
    offsets = np.array([0, n_docs])
    match phi:
        case LeastSquares():
            return lambda u, v: float(np.square(u - v).sum())
        case CrossEntropy():
            psi: Any = KL()
        case QNorm():
            q = float(phi.exponents(np.array([n_docs]))[0])
            psi = PNorm(q / (q - 1))
        case Bregman(psi=psi):
            pass
        case _:
            raise OptionError(f"{phi}: the divergence of this loss is not known")
    if isinstance(psi, Squared):
        return lambda u, v: float(np.square(u - v).sum()) / 2

    def divergence(u: Floats, v: Floats) -> float:
        at_u, at_v = (float(psi.value(each, offsets)[0]) for each in (u, v))
        return at_u - at_v - float(sums(psi.gradient(v, offsets) * (u - v), offsets)[0])

    return divergence


def _largest(divergence: Callable[[Floats, Floats], float], excess: float, weights: Floats) -> float:
    """The largest regret over all wrong orders; documents are numbered in the order of the target."""
    n = weights.size
    worst = 0.0
    for order in itertools.permutations(range(n)):
        placed = np.empty(n)
        placed[list(order)] = weights
        lost = weights - placed
        if np.abs(lost).max() > 0:
            worst = max(worst, _of_order(divergence, excess, weights, lost, list(order)))
    return worst


def _of_order(
    divergence: Callable[[Floats, Floats], float], excess: float, weights: Floats, lost: Floats, order: list[int]
) -> float:
    """The largest regret u @ lost over targets u and values v in this order with divergence(u, v) <= excess.

    Targets are means of vectors with the norm 1: in decreasing order, sum_r u_r D(r) <= 1 and D(1) sum_r u_r >= 1. The
    variables are c, y and z with u = c + y sqrt(excess), v = u - z sqrt(excess), which are of one size for any excess.
    """
    from scipy.optimize import minimize

    n, size = weights.size, math.sqrt(excess)
    falling, nothing = np.eye(n)[:-1] - np.eye(n)[1:], np.zeros((n - 1, n))
    in_order, zero = falling[:, np.argsort(order)], np.zeros((n - 1, 1))
    to_u = np.hstack([np.ones((n, 1)), size * np.eye(n), np.zeros((n, n))])
    to_v = np.hstack([np.ones((n, 1)), size * np.eye(n), -size * np.eye(n)])
    rows = np.vstack(
        [
            np.hstack([zero, falling, nothing]),
            np.hstack([zero, in_order, -in_order]),
            to_u,
            to_v,
            -weights @ to_u,
            weights[0] * to_u.sum(axis=0),
        ]
    )
    bounds = np.concatenate([np.zeros(2 * n - 2), np.full(2 * n, _LEAST), [-1.0, 1.0]])
    gain = np.concatenate([[0.0], -lost, np.zeros(n)])

    def at(x: Floats) -> tuple[Floats, Floats]:
        return np.maximum(to_u @ x, _LEAST), np.maximum(to_v @ x, _LEAST)

    constraints = [
        {"type": "ineq", "fun": lambda x: rows @ x - bounds, "jac": lambda x: rows},
        {"type": "ineq", "fun": lambda x: 1 - divergence(*at(x)) / excess},
    ]
    worst = 0.0
    for spread in (0.1, 1.0):
        y = min(spread, 0.3 / n / size) * np.linspace(1, -1, n)
        found = minimize(
            lambda x: float(gain @ x),
            np.concatenate([[(1 - size * float(y @ weights)) / weights.sum()], y, y]),
            jac=lambda x: gain,
            constraints=constraints,
            method="SLSQP",
            options={"maxiter": 100, "ftol": 1e-9},
        )
        if (rows @ found.x - bounds).min() > -1e-6 and divergence(*at(found.x)) <= excess * (1 + 1e-6):
            worst = max(worst, float(at(found.x)[0] @ lost))
    return worst

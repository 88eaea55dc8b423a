"""Bounds on NDCG regret by surrogate regret: margins, and Theorems 10 and 11 of Ravikumar et al. 2011."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.losses import Bregman, CrossEntropy, LeastSquares, QNorm, loss
from idealrank.losses.base import Loss
from idealrank.losses.potentials import KL, PNorm, Squared
from idealrank.measures import discounts
from idealrank.theory.consistency.fisher import fisher_target

__all__ = ["StrongConvexity", "excess_risk_bound", "margin", "rank_constant", "strong_convexity"]


def margin(
    probabilities: npt.ArrayLike, label_vectors: npt.ArrayLike, *, gain: Any = "exp2", discount: Any = "log"
) -> Floats:
    """Return the margin min_l (r_l - r_(l+1)) (D(l) - D(l+1)), with r the target E[u] in decreasing order (eq. (5)).

    It is the lowest regret of any order that is not optimal. The paper omits "not optimal": an optimal order has regret
    0.

    Parameters
    ----------
    probabilities : array-like
        One probability per label vector.
    label_vectors : array-like
        One label per document in each vector.
    gain : str, Gain, mapping or sequence
        The gain.
    discount : str, Discount or sequence of float
        The discount.

    Returns
    -------
    float64 array
        One margin per problem.

    Raises
    ------
    DataError
        If there are fewer than two documents.

    Examples
    --------
    >>> margin([0.3, 0.7], [[5, 4], [1, 3]])
    array(0.15935255)
    """
    target = np.sort(fisher_target(probabilities, label_vectors, gain=gain, discount=discount), axis=-1)[..., ::-1]
    if target.shape[-1] < 2:
        raise DataError("a margin needs at least two documents")
    weights = discounts.of(discount).weights(target.shape[-1])
    return np.asarray((np.diff(target) * np.diff(weights)).min(axis=-1))


class StrongConvexity(NamedTuple):
    """D_psi(a, b) >= constant ||a - b||_p^2, without a factor 1/2: half of the usual modulus of strong convexity.

    Parameters
    ----------
    constant : float
        The constant.
    p : float
        The exponent of the norm.

    Examples
    --------
    >>> strong_convexity("bregman(psi=squared)", n_docs=2).constant
    0.5
    """

    constant: float
    p: float


def strong_convexity(surrogate: str | Loss, n_docs: int, *, total: float | None = None) -> StrongConvexity:
    """Return C_phi of a consistent loss, and the norm in which it holds.

    |x|^2: 1 in l2; |x|^2 / 2: 1/2; ||x||_p^2: p - 1 in lp; sum x log x - x: 1 / (2 B) in l1 if sums are at most B.

    Parameters
    ----------
    surrogate : str or Loss
        The loss.
    n_docs : int
        The number of documents.
    total : float, optional
        B, for losses with a KL divergence only: a bound on the sum of exp(scores) and on the sum of the targets.

    Returns
    -------
    StrongConvexity

    Raises
    ------
    OptionError
        If the loss is not a known Bregman divergence, or if ``total`` is missing.

    Examples
    --------
    >>> strong_convexity("least_squares(normalizer=dcg)", 5), strong_convexity("q_norm(q=3)", 5)
    (StrongConvexity(constant=1.0, p=2.0), StrongConvexity(constant=0.5, p=1.5))
    """
    phi = loss(surrogate)
    match phi:
        case LeastSquares(normalizer="dcg"):
            return StrongConvexity(1.0, 2.0)
        case QNorm(form="penalized", normalizer="dcg"):
            q = float(phi.exponents(np.array([n_docs]))[0])
            return StrongConvexity(1 / (q - 1), q / (q - 1))
        case Bregman(psi=Squared(), normalizer="dcg"):
            return StrongConvexity(0.5, 2.0)
        case Bregman(psi=PNorm(p), normalizer="dcg"):
            return StrongConvexity(p - 1, p)
        case CrossEntropy(normalizer="dcg") | Bregman(psi=KL(), normalizer="dcg"):
            if total is None or not total > 0:
                raise OptionError(f"{phi}: pass total, a bound on the sum of exp(scores) and on the sum of targets")
            return StrongConvexity(1 / (2 * total), 1.0)
    raise OptionError(f"{phi} is not known to be a Bregman divergence of the targets of NDCG")


def rank_constant(n_docs: int, p: float = 2.0, *, discount: Any = "log") -> float:
    """Return C_F = 2 ||(D(1), ..., D(n))|| in the dual of the l_p norm (Theorem 10).

    Parameters
    ----------
    n_docs : int
        The number of documents.
    p : float
        The exponent of the norm.
    discount : str, Discount or sequence of float
        The discount.

    Returns
    -------
    float

    Examples
    --------
    >>> rank_constant(2), rank_constant(2, 1)
    (2.364802193792..., 2.0)
    """
    weights = discounts.of(discount).weights(n_docs)
    dual = math.inf if p == 1 else p / (p - 1)
    return 2 * float(np.linalg.norm(weights, dual))


def excess_risk_bound(
    surrogate: str | Loss,
    excess: npt.ArrayLike,
    n_docs: int,
    *,
    discount: Any = "log",
    noise_exponent: float = 0.0,
    noise_constant: float = 1.0,
    total: float | None = None,
) -> Floats:
    """Return the highest NDCG regret that an excess of surrogate risk allows (Theorems 10 and 11).

    Theorem 10: C_F sqrt(excess / C_phi). Theorem 11, if queries have margins (`margin`) with C = E[margin^-a] finite:
    (C_F^2 excess / C_phi)^((a+1)/(a+2)) C^(1/(a+2)). The norm is invariant under permutations; the paper allows any.

    Parameters
    ----------
    surrogate : str or Loss
        The loss.
    excess : array-like
        The surrogate risk above the lowest possible.
    n_docs : int
        The number of documents.
    discount : str, Discount or sequence of float
        The discount.
    noise_exponent, noise_constant : float
        a and C of Theorem 11; the defaults give Theorem 10.
    total : float, optional
        See `strong_convexity`.

    Returns
    -------
    float64 array
        One bound per excess.

    Raises
    ------
    DataError
        If an excess is negative or not finite.
    OptionError
        If an option is out of range, or if the loss is not a known Bregman divergence.

    Examples
    --------
    >>> excess_risk_bound("least_squares(normalizer=dcg)", 0.01, n_docs=2)
    array(0.23648022)
    """
    beyond = np.asarray(excess, np.float64)
    if not (np.isfinite(beyond).all() and (beyond >= 0).all()):
        raise DataError("an excess of risk must be finite and not negative")
    if not (noise_exponent >= 0 and noise_constant > 0):
        raise OptionError(f"the noise must have a >= 0 and C > 0, got {noise_exponent} and {noise_constant}")
    constant, p = strong_convexity(surrogate, n_docs, total=total)
    squared = beyond * rank_constant(n_docs, p, discount=discount) ** 2 / constant
    a = noise_exponent
    return np.asarray(squared ** ((a + 1) / (a + 2)) * noise_constant ** (1 / (a + 2)))

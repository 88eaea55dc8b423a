"""How far a small surrogate risk can leave the NDCG risk: margins, and Theorems 10 and 11 of Ravikumar et al. 2011."""

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
    """The margin min_l (r_l - r_(l+1)) (D(l) - D(l+1)), r the target E[u] in falling order (eq. (5)).

    The least regret of any order that is not optimal. The paper leaves out "not optimal": an optimal one has regret 0.

    >>> margin([0.3, 0.7], [[5, 4], [1, 3]])
    array(0.15935255)
    """
    target = np.sort(fisher_target(probabilities, label_vectors, gain=gain, discount=discount), axis=-1)[..., ::-1]
    if target.shape[-1] < 2:
        raise DataError("a margin needs at least two documents")
    weights = discounts.of(discount).weights(target.shape[-1])
    return np.asarray((np.diff(target) * np.diff(weights)).min(axis=-1))


class StrongConvexity(NamedTuple):
    """D_psi(a, b) >= constant ||a - b||_p^2. No factor 1/2: it is half of what is mostly called the modulus.

    >>> strong_convexity("bregman(psi=squared)", n_docs=2).constant
    0.5
    """

    constant: float
    p: float


def strong_convexity(surrogate: str | Loss, n_docs: int, *, total: float | None = None) -> StrongConvexity:
    """C_phi of a consistent loss, and the norm it holds in. ``total`` bounds the sum of exp(s), for KL losses only.

    |x|^2: 1 in l2; |x|^2 / 2: 1/2; ||x||_p^2: p - 1 in lp; sum x log x - x: 1 / (2 B) in l1 where sums are at most B.

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
                raise OptionError(f"{phi}: give total, a bound of the sum of exp(scores) and of that of targets")
            return StrongConvexity(1 / (2 * total), 1.0)
    raise OptionError(f"{phi} is not known to be a Bregman divergence of the targets that NDCG wants")


def rank_constant(n_docs: int, p: float = 2.0, *, discount: Any = "log") -> float:
    """C_F = 2 ||(D(1), ..., D(n))|| in the dual of the l_p norm (Theorem 10).

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
    """The greatest regret in NDCG that an excess of surrogate risk allows (Theorems 10 and 11).

    Theorem 10: C_F sqrt(excess / C_phi). Theorem 11, where queries have margins (`margin`) with C = E[margin^-a]
    finite, ``noise_exponent`` a and ``noise_constant`` C: (C_F^2 excess / C_phi)^((a+1)/(a+2)) C^(1/(a+2)). The norm is
    one that permutations leave as it is; the paper allows any.

    >>> excess_risk_bound("least_squares(normalizer=dcg)", 0.01, n_docs=2)
    array(0.23648022)
    """
    beyond = np.asarray(excess, np.float64)
    if not (np.isfinite(beyond).all() and (beyond >= 0).all()):
        raise DataError("an excess of risk must be finite and not negative")
    if not (noise_exponent >= 0 and noise_constant > 0):
        raise OptionError(f"a >= 0 and C > 0, got {noise_exponent} and {noise_constant}")
    constant, p = strong_convexity(surrogate, n_docs, total=total)
    squared = beyond * rank_constant(n_docs, p, discount=discount) ** 2 / constant
    a = noise_exponent
    return np.asarray(squared ** ((a + 1) / (a + 2)) * noise_constant ** (1 / (a + 2)))

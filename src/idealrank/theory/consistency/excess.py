"""Bounds on NDCG regret by surrogate regret: margins, and Theorems 10 and 11 of Ravikumar et al. 2011."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, check_count, is_whole
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.errors import DataError, OptionError
from idealrank.losses import Bregman, CrossEntropy, LeastSquares, QNorm, loss
from idealrank.losses.loss_base import Loss
from idealrank.losses.potentials import KL, PNorm, Squared
from idealrank.losses.segments import sums
from idealrank.measures import cutoffs, discounts
from idealrank.measures.cutoffs import CutoffLike
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike
from idealrank.theory.consistency.fisher import fisher_target
from idealrank.theory.consistency.minimizers import LossFunction, loss_function

#: A norm on the weights of the ranks: the dual of a norm on targets.
DualNorm: TypeAlias = Callable[[Floats], float]

_TRIALS = 2000  # pairs of targets on which a given C_phi is tried


def margin(
    probabilities: npt.ArrayLike,
    label_vectors: npt.ArrayLike,
    *,
    gain: GainLike = "exp2",
    discount: DiscountLike = "log",
    cutoff: CutoffLike = None,
) -> Floats:
    """Compute the margin min_l (r_l - r_(l+1)) (D(l) - D(l+1)) for the target r = E[u] in decreasing order.

    It is the lowest regret of any order that is not optimal (Ravikumar et al. 2011, eq. (5); the paper omits "not
    optimal", and an optimal order has regret 0). With a cutoff k, D is 0 below rank k and l goes up to k, because any
    order is optimal below it.

    Parameters
    ----------
    probabilities : array-like of shape (..., n_vectors)
        One probability per label vector; leading axes are separate problems.
    label_vectors : array-like of shape (..., n_vectors, n_docs)
        One label per document in each vector.
    gain : str, Gain, mapping or sequence
        The gain of a label.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count; None means all ranks.

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
    >>> from idealrank.theory import margin
    >>> margin([0.3, 0.7], [[5, 4], [1, 3]])
    array(0.15935255)
    """
    each = fisher_target(probabilities, label_vectors, gain=gain, discount=discount, cutoff=cutoff)
    target = np.sort(each, axis=-1)[..., ::-1]
    n_docs = target.shape[-1]
    if n_docs < 2:
        raise DataError("a margin needs at least two documents")
    weights, depth = rank_weights(n_docs, discount, cutoff)
    return np.asarray((np.diff(target) * np.diff(weights))[..., : min(depth, n_docs - 1)].min(axis=-1))


def rank_weights(n_docs: int, discount: DiscountLike, cutoff: CutoffLike) -> tuple[Floats, int]:
    """The weights of all ranks, 0 below the cutoff, and the number of ranks that count."""
    check_count(n_docs, "n_docs", least=0)
    cut = cutoffs.of(cutoff)
    depth = n_docs if cut is None else min(n_docs, int(cut.at(n_docs)))
    own = discounts.of(discount)
    own.require_decreasing("this theory", n_docs)
    weights = np.array(own.weights(n_docs), np.float64)
    weights[depth:] = 0
    return weights, depth


class StrongConvexity(NamedTuple):
    """The constant in D_psi(a, b) >= constant ||a - b||^2, which is half of the usual modulus of strong convexity.

    Parameters
    ----------
    constant : float
        The constant C_phi.
    p : float or callable
        The exponent of the norm, from 1 to infinity. For a norm that is not an l_p norm, a function that returns the
        dual norm of a vector; it must not depend on the order of the entries.

    Examples
    --------
    >>> from idealrank.theory import strong_convexity
    >>> strong_convexity("bregman(psi=squared)", n_docs=2).constant
    0.5
    """

    constant: float
    p: float | DualNorm


def strong_convexity(surrogate: str | Loss, n_docs: int, *, total: float | None = None) -> StrongConvexity:
    """Return the constant C_phi of a consistent loss, and the norm in which it holds.

    The constant depends only on psi, and holds for every link and for every cutoff of the normalizer: |x|^2 has 1 in
    l2; |x|^2 / 2 has 1/2 in l2; ||x||_p^2 has p - 1 in lp; sum x log x - x has 1 / (2 B) in l1 if sums are at most B.

    Parameters
    ----------
    surrogate : str or Loss
        The loss or its name.
    n_docs : int
        The number of documents.
    total : float, optional
        The bound B on the sum of exp(scores) and on the sum of the targets; required for losses with a KL divergence,
        and unused for others.

    Returns
    -------
    StrongConvexity
        The constant and the norm.

    Raises
    ------
    OptionError
        If the loss is not a Bregman divergence of the targets of NDCG, if its constant is not known, or if ``total`` is
        missing.

    Examples
    --------
    >>> from idealrank.theory import strong_convexity
    >>> strong_convexity("least_squares(normalizer=dcg)", 5), strong_convexity("q_norm(q=3)", 5)
    (StrongConvexity(constant=1.0, p=2.0), StrongConvexity(constant=0.5, p=1.5))
    """
    phi = loss(surrogate)
    bregman_cutoff(phi)
    match phi:
        case LeastSquares():
            return StrongConvexity(1.0, 2.0)
        case QNorm():
            q = float(phi.exponents(np.array([n_docs]))[0])
            return StrongConvexity(1 / (q - 1), q / (q - 1))
        case Bregman(psi=Squared()):
            return StrongConvexity(0.5, 2.0)
        case Bregman(psi=PNorm(p)):
            return StrongConvexity(p - 1, p)
        case CrossEntropy() | Bregman(psi=KL()):
            if total is None or not total > 0:
                raise OptionError(f"{phi}: pass total, a bound on the sum of exp(scores) and on the sum of targets")
            return StrongConvexity(1 / (2 * total), 1.0)
    raise OptionError(f"{phi}: C_phi of this psi is not known; pass convexity=(C_phi, p)")


def bregman_cutoff(phi: Loss) -> cutoffs.Cutoff | None:
    """The cutoff of the NDCG of whose targets a loss is a Bregman divergence; an OptionError if it is none."""
    match phi:
        case QNorm(form=form) if form != "penalized":
            pass
        case LeastSquares() | QNorm() | Bregman() | CrossEntropy() if phi.normalizer is not None:
            return None if phi.normalizer == "dcg" else cutoffs.of(phi.normalizer)
    raise OptionError(
        f"{phi} is not a Bregman divergence of the targets of NDCG, and Theorem 10 says nothing about other losses"
    )


def rank_constant(
    n_docs: int, p: float | DualNorm = 2.0, *, discount: DiscountLike = "log", cutoff: CutoffLike = None
) -> float:
    """Compute C_F = 2 ||(D(1), ..., D(n))|| in the dual of the l_p norm (Ravikumar et al. 2011, Theorem 10).

    Parameters
    ----------
    n_docs : int
        The number of documents.
    p : float or callable
        The exponent of the norm, from 1 to infinity; or a function that returns the dual norm of a vector.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...
    cutoff : int, float, str or Cutoff, optional
        The rank below which D is 0; None means that all ranks count.

    Returns
    -------
    float
        The constant C_F.

    Raises
    ------
    OptionError
        If the exponent is below 1.

    Examples
    --------
    >>> import math
    >>> from idealrank.theory import rank_constant
    >>> round(rank_constant(2), 4), rank_constant(2, 1), round(rank_constant(2, math.inf), 4)
    (2.3648, 2.0, 3.2619)
    """
    weights, _ = rank_weights(n_docs, discount, cutoff)
    if callable(p):
        return 2 * float(p(weights))
    if not (are_numbers(p) and p >= 1):
        raise OptionError(f"the exponent of a norm must be from 1 to infinity, got {p!r}")
    dual = math.inf if p == 1 else 1.0 if math.isinf(p) else p / (p - 1)
    return 2 * float(np.linalg.norm(weights, dual))


def excess_risk_bound(
    surrogate: str | LossFunction,
    excess: npt.ArrayLike,
    n_docs: int,
    *,
    discount: DiscountLike = "log",
    cutoff: CutoffLike = None,
    noise_exponent: float = 0.0,
    noise_constant: float = 1.0,
    total: float | None = None,
    convexity: tuple[float, float | DualNorm] | None = None,
) -> Floats:
    """Compute a bound on the NDCG regret for a given excess of surrogate risk (Ravikumar et al. 2011).

    Theorem 10: C_F sqrt(excess / C_phi). Theorem 11, if queries have margins (`margin`) with C = E[margin^-a] finite:
    (C_F^2 excess / C_phi)^((a+1)/(a+2)) C^(1/(a+2)). The norm must be invariant under permutations, although the paper
    allows any norm.

    Parameters
    ----------
    surrogate : str, Loss or callable
        The loss, which must be a Bregman divergence of the targets. Your own function is assumed to be one, and needs
        ``convexity``.
    excess : array-like
        The surrogate risk minus the lowest possible surrogate risk.
    n_docs : int
        The number of documents.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...
    cutoff : int, float, str or Cutoff, optional
        The cutoff k of NDCG@k, which must be the cutoff of the loss's normalizer Z_k; by default, that cutoff is used.
    noise_exponent, noise_constant : float
        The numbers a and C of Theorem 11; the defaults give Theorem 10.
    total : float, optional
        The bound B on sums, as in `strong_convexity`.
    convexity : tuple of float and float or callable, optional
        The constant C_phi and the norm, as in `StrongConvexity`; by default, those of `strong_convexity`. For a Bregman
        loss of the library, they are checked on random targets.

    Returns
    -------
    float64 array
        One bound per excess.

    Raises
    ------
    DataError
        If an excess is negative or not finite.
    OptionError
        If an option is out of range, the loss is not a Bregman divergence of the targets of this NDCG, its constant is
        not known, or the given constant is too large.

    Examples
    --------
    >>> from idealrank.theory import excess_risk_bound
    >>> excess_risk_bound("least_squares(normalizer=dcg)", 0.01, n_docs=2)
    array(0.23648022)
    >>> excess_risk_bound("least_squares(normalizer=1)", 0.01, n_docs=2)  # NDCG@1: C_F is 2
    array(0.2)
    """
    beyond = float_array(excess, "an excess of risk")
    if not (np.isfinite(beyond).all() and (beyond >= 0).all()):
        raise DataError("an excess of risk must be finite and not negative")
    if not (are_numbers(noise_exponent, noise_constant) and noise_exponent >= 0 and noise_constant > 0):
        raise OptionError(f"the noise must have a >= 0 and C > 0, got {noise_exponent!r} and {noise_constant!r}")
    cut, phi = cutoffs.of(cutoff), loss_function(surrogate)
    if isinstance(phi, Loss):
        own = bregman_cutoff(phi)
        if cut is not None and cut != own:
            raise OptionError(f"{phi} is about NDCG{'' if own is None else f'@{own}'}: use normalizer={cut} for @{cut}")
        cut = own
        found = strong_convexity(phi, n_docs, total=total) if convexity is None else _tried(phi, n_docs, convexity)
    elif convexity is None:
        raise OptionError("C_phi of a function is not known; pass convexity=(C_phi, p)")
    else:
        found = _checked(convexity)
    squared = beyond * rank_constant(n_docs, found.p, discount=discount, cutoff=cut) ** 2 / found.constant
    a = noise_exponent
    return np.asarray(squared ** ((a + 1) / (a + 2)) * noise_constant ** (1 / (a + 2)))


def _checked(convexity: tuple[float, float | DualNorm]) -> StrongConvexity:
    """The constant and the norm, if they can be ones."""
    found = StrongConvexity(*convexity)
    if not (math.isfinite(found.constant) and found.constant > 0):
        raise OptionError(f"C_phi must be a finite number above 0, got {found.constant}")
    return found


def _tried(phi: Loss, n_docs: int, convexity: tuple[float, float | DualNorm]) -> StrongConvexity:
    """The constant and the norm, unless targets are found between which the divergence is smaller."""
    found = _checked(convexity)
    if not isinstance(phi, Bregman) or callable(found.p):
        return found
    rng = np.random.default_rng(0)
    offsets = np.arange(0, _TRIALS * n_docs + 1, n_docs)
    a = rng.uniform(0, 1, _TRIALS * n_docs)
    # Far pairs, and near ones, between which the Hessian decides.
    b = np.where(rng.random(a.size) < 0.5, rng.uniform(0, 1, a.size), (a + rng.normal(0, 0.01, a.size)).clip(1e-9, 1))
    slope = phi.psi.gradient(b, offsets)
    divergence = phi.psi.value(a, offsets) - phi.psi.value(b, offsets) - sums(slope * (a - b), offsets)
    distance = np.linalg.norm((a - b).reshape(_TRIALS, n_docs), found.p, axis=1) ** 2
    least = float((divergence / distance).min())
    if least < found.constant * (1 - 1e-6):
        raise OptionError(
            f"{phi}: C_phi = {found.constant:g} is too large in the l_{found.p:g} norm: there are targets between "
            f"which the divergence is {least:.6g} times the squared distance"
        )
    return found


_MOST_DOCS = 4
_LEAST = 1e-9  # of a target or a fitted value
_HIGHEST = 30.0  # of a score


def excess_risk_transform(
    surrogate: str | LossFunction, excess: npt.ArrayLike, n_docs: int, *, discount: DiscountLike = "log"
) -> Floats:
    """Compute numerically the largest NDCG regret for a given excess of surrogate risk.

    `excess_risk_bound` gives the bound that Theorem 10 of Ravikumar et al. 2011 proves for any number of documents.
    This function finds the regret in the worst case, with the worst gains and probabilities, which is several times
    smaller for a few documents. For each wrong order, the regret is maximized over all targets of NDCG and all fitted
    values in that order. For the squared loss and for KL divergences, this is a convex problem, and its solution is the
    global maximum; for other divergences, it is the largest value found from two starting points.

    Parameters
    ----------
    surrogate : str, Loss or callable
        A loss that is a Bregman divergence of the targets of NDCG, or of NDCG@k if it has the normalizer k. Your own
        function of labels, scores and offsets, which returns values and a gradient, is assumed to be one, with
        gains 0 and 1 for the labels 0 and 1. It is called with mixtures of such labels, which have all targets.
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
    phi = loss_function(surrogate)
    if isinstance(phi, Loss):
        weights, _ = rank_weights(n_docs, discount, bregman_cutoff(phi))
        of_order: Callable[..., float] = partial(_of_order, _divergence(phi, n_docs), weights=weights)
    else:
        weights, _ = rank_weights(n_docs, discount, None)
        of_order = _Mixtures.of(phi, weights).of_order
    found = [_largest(of_order, float(each), weights) if each > 0 else 0.0 for each in beyond.reshape(-1)]
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


def _largest(of_order: Callable[..., float], excess: float, weights: Floats) -> float:
    """The largest regret over all wrong orders; documents are numbered in the order of the target."""
    n = weights.size
    worst = 0.0
    for order in itertools.permutations(range(n)):
        placed = np.empty(n)
        placed[list(order)] = weights
        lost = weights - placed
        if np.abs(lost).max() > 0:
            worst = max(worst, of_order(excess=excess, lost=lost, order=list(order)))
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


@dataclass(frozen=True)
class _Mixtures:
    """Mixtures of labels 0 and 1, whose targets are all targets of NDCG, and the risk of a function on them.

    The norm of NDCG is linear where the order is fixed, so that every vector with the norm 1 is a mixture of those with
    gains of 0 and one other value.
    """

    function: Callable[[Floats, Floats, Any], tuple[npt.ArrayLike, npt.ArrayLike]]
    labels: Floats
    targets: Floats

    @classmethod
    def of(cls, function: Any, weights: Floats) -> _Mixtures:
        """All label vectors with at least one 1."""
        labels = np.array([each for each in itertools.product((0.0, 1.0), repeat=weights.size) if any(each)])
        norms = np.cumsum(weights)[labels.sum(axis=1).astype(int) - 1]
        return cls(function, labels, labels / norms[:, None])

    def risks(self, scores: Floats) -> tuple[Floats, Floats]:
        """The loss of each vector, and its gradient."""
        many, n = self.labels.shape
        values, gradient = self.function(self.labels.ravel(), np.tile(scores, many), np.arange(many + 1) * n)
        return np.asarray(values, np.float64), np.asarray(gradient, np.float64).reshape(many, n)

    def lowest(self, chances: Floats, order: list[int] | None = None) -> tuple[float, Floats]:
        """The lowest risk of a mixture, of scores in this order if one is given, and the loss of each vector there."""
        from scipy.optimize import minimize

        n = self.labels.shape[1]
        to_scores, bounds = np.eye(n), [(-_HIGHEST, _HIGHEST)] * n
        if order is not None:  # the last score, and steps up from there
            to_scores = np.zeros((n, n))
            to_scores[order] = np.triu(np.ones((n, n)))
            bounds[:-1] = [(0.0, 2 * _HIGHEST)] * (n - 1)

        def risk(x: Floats) -> tuple[float, Floats]:
            values, gradients = self.risks(to_scores @ x)
            return float(chances @ values), chances @ gradients @ to_scores

        found = minimize(risk, np.zeros(n), jac=True, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-15})
        return float(found.fun), self.risks(to_scores @ found.x)[0]

    def of_order(self, excess: float, lost: Floats, order: list[int]) -> float:
        """The largest regret of scores in this order, over mixtures whose target is in decreasing order."""
        from scipy.optimize import minimize

        @lru_cache(maxsize=2)  # the constraint and its derivative are asked for one after the other
        def computed(chances: tuple[float, ...]) -> tuple[float, Floats]:
            return beyond(np.array(chances))

        def beyond(chances: Floats) -> tuple[float, Floats]:
            low, values = self.lowest(chances)
            high, wrong = self.lowest(chances, order)
            return high - low, wrong - values  # by the envelope theorem

        falling = self.targets[:, :-1] - self.targets[:, 1:]
        constraints = [
            {"type": "ineq", "fun": lambda x: x @ falling, "jac": lambda x: falling.T},
            {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones_like(x)},
            {
                "type": "ineq",
                "fun": lambda x: 1 - computed(tuple(x))[0] / excess,
                "jac": lambda x: -computed(tuple(x))[1] / excess,
            },
        ]
        gain, worst = self.targets @ lost, 0.0
        top = (np.diff(self.labels, axis=1) <= 0).all(axis=1) / 1.0  # in decreasing order
        for share in (0.05, 0.5):
            start = (1 - share) / top.size + share * top / top.sum()
            found = minimize(
                lambda x: -float(gain @ x), start, jac=lambda x: -gain, bounds=[(0, 1)] * top.size,
                constraints=constraints, method="SLSQP", options={"maxiter": 100, "ftol": 1e-10},
            )  # fmt: skip
            if beyond(found.x)[0] <= excess * (1 + 1e-4) and (found.x @ falling).min() > -1e-6:
                worst = max(worst, float(gain @ found.x))
        return worst

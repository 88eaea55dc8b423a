"""Whether a loss depends on random labels only through the target of NDCG (Ravikumar et al. 2011, Definition 3)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idealrank._core.checks import check_count
from idealrank._core.seeds import generator
from idealrank._present.result import Result
from idealrank._typing import Booleans, Floats
from idealrank.errors import OptionError
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike
from idealrank.theory.consistency.fisher import Mixture, distinct_levels, targets
from idealrank.theory.consistency.minimizers import LossFunction, Risk, best_scores, looks_convex, loss_function


@dataclass(frozen=True)
class StrongConsistency(Result):
    """The result of `check_strong_consistency`.

    Parameters
    ----------
    strong : bool or None
        False if refuted by two mixtures, or because the best scores are not ``unique``; True if not refuted; None if no
        minimum was found for some mixtures, or if the loss is not convex and there may be a lower minimum.
    difference : float
        The largest difference between the best scores of two mixtures with the same target, relative to the largest
        score.
    first, second : tuple of float
        The probabilities of ``label_vectors`` in these two mixtures.
    label_vectors : tuple of tuple of float
        The label vectors.
    searched : int
        The number of pairs of mixtures that were drawn.
    unique : bool
        Whether the scores of lowest risk are unique. For a cosine they are not, because any positive multiple of them
        is as good; Definition 3 of the paper requires a function of the target, which excludes it.

    Examples
    --------
    >>> from idealrank.theory import check_strong_consistency
    >>> found = check_strong_consistency("cosine", n_pairs=10)
    >>> found.strong, len(found.label_vectors), found.searched
    (False, 24, 10)
    """

    strong: bool | None
    difference: float
    first: tuple[float, ...]
    second: tuple[float, ...]
    label_vectors: tuple[tuple[float, ...], ...]
    searched: int
    unique: bool = True


def check_strong_consistency(
    loss: str | LossFunction,
    n_docs: int = 2,
    levels: Sequence[float] = (0, 1, 2, 3, 4),
    *,
    gain: GainLike = "exp2",
    discount: DiscountLike = "log",
    n_pairs: int = 200,
    seed: int = 0,
) -> StrongConsistency:
    """Draw pairs of mixtures with the same target E[u], and check that the loss has the same best scores for both.

    The best scores of a strongly consistent loss are a function of E[u], and the loss is a Bregman divergence up to a
    term that does not depend on the scores, which Theorem 8 of the paper omits. Use `check_consistency` to check the
    order of the scores.

    Parameters
    ----------
    loss : str or callable
        A loss, its name, or a function of labels, scores and offsets that returns one value per query, and the
        gradient.
    n_docs : int
        The number of documents.
    levels : sequence of float
        The possible labels of a document.
    gain : str, Gain, mapping or sequence
        The gain of a label.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...
    n_pairs : int
        The number of pairs of mixtures to draw.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    StrongConsistency
        The answer, and the two mixtures that differ most.

    Raises
    ------
    OptionError
        If there are too few label vectors.

    Examples
    --------
    >>> from idealrank.theory import check_strong_consistency
    >>> check_strong_consistency("q_norm(q=3)").strong, check_strong_consistency("least_squares").strong
    (True, False)
    >>> found = check_strong_consistency("cosine(normalizer=dcg)")
    >>> found.strong, found.unique
    (False, False)
    """
    function = loss_function(loss)
    check_count(n_docs, "n_docs")
    check_count(n_pairs, "n_pairs")
    vectors = np.array(list(itertools.product(distinct_levels(levels), repeat=n_docs)), np.float64)
    if not vectors.size:
        raise OptionError("levels is empty: pass the labels that documents can have")
    each = targets(vectors, gain, discount, None)
    vectors, each = vectors[each.any(axis=1)], each[each.any(axis=1)]
    if len(vectors) < n_docs + 2:
        raise OptionError(f"{len(vectors)} label vectors have only one mixture per target; pass more levels")
    first, second = _with_one_target(each, n_pairs, generator(seed))
    support = np.broadcast_to(vectors, (n_pairs, *vectors.shape))
    convex = hasattr(function, "minimizer") or looks_convex(function, vectors)
    mixtures = [Mixture(chances, support) for chances in (first, second)]
    one, other = (best_scores(function, mixture, convex=convex) for mixture in mixtures)
    size = np.maximum(np.abs(one.scores).max(axis=1), np.abs(other.scores).max(axis=1))
    differences = np.abs(one.scores - other.scores).max(axis=1) / np.maximum(size, 1e-300)
    worst = int(differences.argmax())
    strong: bool | None = bool(differences[worst] < 1e-5)
    if not (one.converged & other.converged).all() or (strong and not (one.convex & other.convex).all()):
        strong = None
    unique = not _has_others(Risk(function, mixtures[0]), one.scores).any()
    if not unique:
        strong = False
    return StrongConsistency(
        strong,
        float(differences[worst]),
        tuple(first[worst].tolist()),
        tuple(second[worst].tolist()),
        tuple(map(tuple, vectors.tolist())),
        n_pairs,
        unique,
    )


def _has_others(risk: Risk, scores: Floats) -> Booleans:
    """Whether other scores have the same risk: multiples, shifted ones, or those in the flattest direction."""
    rows = np.flatnonzero(np.isfinite(scores).all(axis=1))
    part, at = risk.take(rows), scores[rows]
    n_docs = at.shape[1]
    curvature = np.stack([(part(at + step)[1] - part(at - step)[1]) / 2e-4 for step in 1e-4 * np.eye(n_docs)], axis=1)
    _, directions = np.linalg.eigh((curvature + curvature.swapaxes(1, 2)) / 2)
    size = np.abs(at).max(axis=1, keepdims=True)
    least = part(at)[0]
    found = np.zeros(len(scores), np.bool_)
    for move in (at / 2, np.broadcast_to(size / 2, at.shape), directions[:, :, 0] * size / 2):
        same = [np.abs(part(at + sign * move)[0] - least) <= 1e-11 * (1 + np.abs(least)) for sign in (1, -1)]
        found[rows] |= (same[0] | same[1]) & (size[:, 0] > 0)
    return found


def _with_one_target(each: Floats, n_pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Pairs of probabilities of these targets with the same mean."""
    first = rng.dirichlet(np.ones(len(each)), n_pairs)
    # Directions that change neither the mean nor the sum: the null space of both.
    rank = each.shape[1] + 1
    free = np.linalg.svd(np.column_stack([each, np.ones(len(each))]).T)[2][rank:]
    direction = rng.normal(size=(n_pairs, len(free))) @ free
    with np.errstate(divide="ignore"):
        farthest = np.where(direction < 0, -first / direction, np.inf).min(axis=1, keepdims=True)
    return first, np.asarray(first + 0.9 * farthest * direction)

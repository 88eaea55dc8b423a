"""What NDCG wants of scores where labels are random: the target, and the regret of missing its order.

``probabilities`` and ``label_vectors`` say which labels a query's documents have together: ``[0.3, 0.7]`` and
``[[5, 4], [1, 3]]`` are the labels 5, 4 three times in ten, else 1, 3. Axes before these are many problems at once.
Equations are those of Ravikumar, Tewari and Yang 2011, On NDCG Consistency of Listwise Ranking Methods.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError
from idealrank.losses.targets import dcg_norms
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.discounted import DCG

__all__ = [
    "Mixture",
    "compatible",
    "expected_ndcg",
    "fisher_target",
    "regret",
    "regret_of_target",
    "targets",
    "violations",
]


class Mixture(NamedTuple):
    """Label vectors (..., vectors, documents) and how probable each is (..., vectors)."""

    probabilities: Floats
    label_vectors: Floats

    @classmethod
    def of(cls, probabilities: npt.ArrayLike, label_vectors: npt.ArrayLike) -> Mixture:
        """Both as arrays that fit together; else a DataError."""
        try:
            chances, vectors = np.asarray(probabilities, np.float64), np.asarray(label_vectors, np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"probabilities and label vectors must be numbers, in a rectangle: {error}") from None
        if chances.ndim < 1 or vectors.shape[:-1] != chances.shape or 0 in vectors.shape:
            raise DataError(
                "give one probability for each label vector and one label for each document, got shapes "
                f"{chances.shape} and {vectors.shape}"
            )
        if not (np.isfinite(vectors).all() and (chances >= 0).all()):
            raise DataError("labels must be finite and probabilities not negative")
        totals = chances.sum(axis=-1)
        if not np.allclose(totals, 1, rtol=0, atol=1e-9):
            worst = totals.flat[int(np.abs(totals - 1).argmax())]
            raise DataError(f"probabilities must sum to 1, got {worst:.12g}")
        return cls(chances, vectors)

    @property
    def n_docs(self) -> int:
        return int(self.label_vectors.shape[-1])


def _offsets(rows: Floats) -> Int64s:
    return np.arange(0, rows.size + 1, rows.shape[-1])


def targets(label_vectors: Floats, gain: Any, discount: Any, cutoff: Any) -> Floats:
    """The target G / ||G||_D of each label vector; 0 where nothing is relevant."""
    worth = gains.of(gain)(label_vectors)
    flat = np.ascontiguousarray(worth).reshape(-1)
    if (flat < 0).any():
        raise DataError(f"gains must not be negative, got {flat.min():g}")
    norms = dcg_norms(flat, _offsets(worth), discounts.of(discount), cutoffs.of(cutoff), resolve_threads(None))
    norms = norms.reshape(*worth.shape[:-1], 1)
    return worth / np.where(norms > 0, norms, 1)


def fisher_target(
    probabilities: npt.ArrayLike,
    label_vectors: npt.ArrayLike,
    *,
    gain: Any = "exp2",
    discount: Any = "log",
    cutoff: Any = None,
) -> Floats:
    """E[G / ||G||_D], one a document: scores are best for NDCG if and only if they have its order (Lemma 4).

    With a cut-off k, E[G / Z_k]: scores are best for NDCG@k if and only if their first k are its first k, in its order.
    The gains alone, 10 and 9.4 in the mean, would rank document 1 first (section 3.2.1):

    >>> fisher_target([0.3, 0.7], [[5, 4], [1, 3]])
    array([0.32156617, 0.7533337 ])
    """
    mixture = Mixture.of(probabilities, label_vectors)
    each = targets(mixture.label_vectors, gain, discount, cutoff)
    return np.asarray(np.einsum("...k,...kd->...d", mixture.probabilities, each))


def expected_ndcg(
    scores: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    label_vectors: npt.ArrayLike,
    *,
    gain: Any = "exp2",
    discount: Any = "log",
    cutoff: Any = None,
    ties: str = "average",
) -> Floats:
    """The expected NDCG of ranking by these scores; a query with nothing relevant counts 0.

    Lemma 4 needs equal scores averaged, or in their worst order: the paper's "a permutation that sorts s" may be lucky.

    >>> expected_ndcg([1, 0], [0.3, 0.7], [[5, 4], [1, 3]]), expected_ndcg([0, 1], [0.3, 0.7], [[5, 4], [1, 3]])
    (array(0.79686682), array(0.95621937))
    """
    target = fisher_target(probabilities, label_vectors, gain=gain, discount=discount, cutoff=cutoff)
    return _dcg(target, np.asarray(scores, np.float64), discount, cutoff, ties)


def regret(
    scores: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    label_vectors: npt.ArrayLike,
    *,
    gain: Any = "exp2",
    discount: Any = "log",
    cutoff: Any = None,
    ties: str = "average",
) -> Floats:
    """How much less expected NDCG these scores give than the best ones: ||E[u]||_D - sum_j E[u]_j D(rank of j).

    >>> regret([1, 0], [0.3, 0.7], [[5, 4], [1, 3]]), regret([0, 1], [0.3, 0.7], [[5, 4], [1, 3]])
    (array(0.15935255), array(0.))
    """
    target = fisher_target(probabilities, label_vectors, gain=gain, discount=discount, cutoff=cutoff)
    return regret_of_target(np.asarray(scores, np.float64), target, discount=discount, cutoff=cutoff, ties=ties)


def regret_of_target(
    scores: Floats, target: Floats, *, discount: Any = "log", cutoff: Any = None, ties: str = "average"
) -> Floats:
    """The regret of scores where E[u] is known."""
    best = _dcg(target, target, discount, cutoff, ties)
    return np.asarray(np.maximum(best - _dcg(target, scores, discount, cutoff, ties), 0))


def _dcg(worth: Floats, scores: Floats, discount: Any, cutoff: Any, ties: str) -> Floats:
    """The DCG of each row, ranked by its scores."""
    worth, scores = np.broadcast_arrays(worth, scores)
    dcg = DCG(gain="linear", discount=discount, cutoff=cutoff, ties=ties)
    return dcg(worth.reshape(-1), scores.reshape(-1), _offsets(worth)).reshape(worth.shape[:-1])


def violations(scores: npt.ArrayLike, target: npt.ArrayLike, *, tolerance: float = 0.0) -> list[tuple[int, int]]:
    """The pairs (i, j) of which the target ranks i before j, by more than the tolerance, and the scores do not.

    >>> violations([2, 2, 1], [3, 2, 0])
    [(0, 1)]
    """
    s, r = np.asarray(scores, np.float64), np.asarray(target, np.float64)
    if s.ndim != 1 or s.shape != r.shape:
        raise DataError(f"scores and target must be flat and of one length, got shapes {s.shape} and {r.shape}")
    if np.isnan(s).any() or np.isnan(r).any():
        raise DataError("scores and target must be numbers, got NaN")
    wrong = (r[:, None] > r + tolerance) & ~(s[:, None] > s)
    return [(int(i), int(j)) for i, j in np.argwhere(wrong)]


def compatible(scores: npt.ArrayLike, target: npt.ArrayLike, *, tolerance: float = 0.0) -> bool:
    """Whether the scores have the order of the target, s ~> r: r_i > r_j implies s_i > s_j; equal ones are free.

    >>> compatible([1, 2], [0, 0]), compatible([0, 0], [1, 2])
    (True, False)
    """
    return not violations(scores, target, tolerance=tolerance)

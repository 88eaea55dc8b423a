"""The optimal scores for NDCG if labels are random: the target, and the regret of scores in another order.

``probabilities`` and ``label_vectors`` describe the joint distribution of a query's labels: ``[0.3, 0.7]`` and
``[[5, 4], [1, 3]]`` mean the labels 5, 4 with probability 0.3, else 1, 3. Axes before these are many problems at once.
Equations are those of Ravikumar, Tewari and Yang 2011, On NDCG Consistency of Listwise Ranking Methods.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, items_of
from idealrank._core.threads import resolve_threads
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns, float_array, float_column
from idealrank.errors import DataError, OptionError
from idealrank.losses.segments import check_finite, dcg_norms
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.cutoffs import CutoffLike
from idealrank.measures.discounted import DCG
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike


class Mixture(NamedTuple):
    """Label vectors (..., vectors, documents) and their probabilities (..., vectors)."""

    probabilities: Floats
    label_vectors: Floats

    @classmethod
    def of(cls, probabilities: npt.ArrayLike, label_vectors: npt.ArrayLike) -> Mixture:
        """Return both as arrays that fit together; otherwise raise a DataError."""
        chances = float_array(probabilities, "probabilities")
        vectors = float_array(label_vectors, "label vectors")
        if chances.ndim < 1 or vectors.shape[:-1] != chances.shape or 0 in vectors.shape:
            raise DataError(
                "pass one probability per label vector and one label per document, got shapes "
                f"{chances.shape} and {vectors.shape}"
            )
        if not (np.isfinite(vectors).all() and (chances >= 0).all()):
            raise DataError("labels must be finite and probabilities not negative")
        totals = chances.sum(axis=-1)
        if not np.allclose(totals, 1, rtol=0, atol=1e-9):
            worst = totals.flat[int(np.abs(totals - 1).argmax())]
            raise DataError(f"probabilities must sum to 1, got {worst:.12g}")
        return cls(chances, vectors)

    @classmethod
    def of_two(cls, first: Floats, supports: Floats) -> Mixture:
        """Return mixtures of two label vectors each, given the probabilities of the first ones."""
        return cls(np.stack([first, 1 - first], axis=1), supports)

    @property
    def n_docs(self) -> int:
        return int(self.label_vectors.shape[-1])

    def target(self, gain: GainLike, discount: DiscountLike, cutoff: CutoffLike) -> Floats:
        """Return the expected target."""
        each = targets(self.label_vectors, gain, discount, cutoff)
        return np.asarray(np.einsum("...k,...kd->...d", self.probabilities, each))


def _offsets(rows: Floats) -> Int64s:
    return np.arange(0, rows.size + 1, rows.shape[-1])


def dcg_norm(
    gains: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    *,
    discount: DiscountLike = "log",
    cutoff: CutoffLike = None,
) -> Floats:
    """Compute ``||g||_D = sum_j |g|_[j] D(j)``, where ``|g|_[j]`` is the j-th largest (Ravikumar et al. 2011, Lemma 1).

    It is the highest DCG that gains g can have, and it is a norm; with a cutoff k, it is the paper's Z_k, also a norm.

    Parameters
    ----------
    gains : array-like
        One gain per document.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count; None means all ranks.

    Returns
    -------
    float64 array
        One norm per query.

    Raises
    ------
    DataError
        If a gain is not finite.

    Examples
    --------
    Gains 7, 0, 3, 1: 7 + 3/log2(3) + 1/2.

    >>> from idealrank.theory import dcg_norm
    >>> dcg_norm([7, 0, 3, 1])
    array([9.39278926])
    >>> dcg_norm([7, 0, 3, 1], cutoff=1)
    array([7.])
    """
    column, _, cut = check_columns(gains, gains, offsets)
    check_finite(column, cut, "gain")
    return dcg_norms(column, cut, discounts.of(discount), cutoffs.of(cutoff), resolve_threads(None))


def distinct_levels(levels: Iterable[float]) -> list[float]:
    """Return the distinct labels in increasing order; what is no list of numbers is a DataError."""
    return sorted({*float_column(list(items_of(levels, "levels", DataError)), "levels").tolist()})


def targets(label_vectors: Floats, gain: GainLike, discount: DiscountLike, cutoff: CutoffLike) -> Floats:
    """Return the target G / ||G||_D of each label vector; 0 if nothing is relevant."""
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
    gain: GainLike = "exp2",
    discount: DiscountLike = "log",
    cutoff: CutoffLike = None,
) -> Floats:
    """Compute E[G / ||G||_D]: scores are optimal for NDCG if and only if they have its order.

    This is Lemma 4 of Ravikumar et al. 2011. With a cutoff k, it is E[G / Z_k]: scores are optimal for NDCG@k if and
    only if their first k documents are its first k documents in the same order.

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
        One number per document.

    Raises
    ------
    DataError
        If the shapes of the arrays do not match, the probabilities do not sum to 1, or a gain is negative.

    Examples
    --------
    The mean gains alone, 10 and 9.4, would rank document 1 first (section 3.2.1).

    >>> from idealrank.theory import fisher_target
    >>> fisher_target([0.3, 0.7], [[5, 4], [1, 3]])
    array([0.32156617, 0.7533337 ])
    """
    return Mixture.of(probabilities, label_vectors).target(gain, discount, cutoff)


def expected_ndcg(
    scores: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    label_vectors: npt.ArrayLike,
    *,
    gain: GainLike = "exp2",
    discount: DiscountLike = "log",
    cutoff: CutoffLike = None,
    ties: str = "average",
) -> Floats:
    """Compute the expected NDCG of ranking by these scores; NDCG is 0 if nothing is relevant.

    Parameters
    ----------
    scores : array-like
        One score per document.
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
    ties : str
        The order of documents with equal scores, as in measures. Lemma 4 needs "average" or "worst": with the paper's
        "a permutation that sorts s", they may be in a good order by luck.

    Returns
    -------
    float64 array
        One number per problem.

    Raises
    ------
    DataError
        If the shapes of the arrays do not match, or the probabilities do not sum to 1.

    Examples
    --------
    >>> from idealrank.theory import expected_ndcg
    >>> expected_ndcg([1, 0], [0.3, 0.7], [[5, 4], [1, 3]]), expected_ndcg([0, 1], [0.3, 0.7], [[5, 4], [1, 3]])
    (array(0.79686682), array(0.95621937))
    """
    target = fisher_target(probabilities, label_vectors, gain=gain, discount=discount, cutoff=cutoff)
    return _dcg(target, float_array(scores, "scores"), discount, cutoff, ties)


def regret(
    scores: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    label_vectors: npt.ArrayLike,
    *,
    gain: GainLike = "exp2",
    discount: DiscountLike = "log",
    cutoff: CutoffLike = None,
    ties: str = "average",
) -> Floats:
    """Compute the expected NDCG that these scores lose: ||E[u]||_D - sum_j E[u]_j D(rank of j).

    Parameters
    ----------
    scores, probabilities, label_vectors, gain, discount, cutoff, ties
        As in `expected_ndcg`.

    Returns
    -------
    float64 array
        The regret of each problem.

    Raises
    ------
    DataError
        If the shapes of the arrays do not match, or the probabilities do not sum to 1.

    Examples
    --------
    >>> from idealrank.theory import regret
    >>> regret([1, 0], [0.3, 0.7], [[5, 4], [1, 3]]), regret([0, 1], [0.3, 0.7], [[5, 4], [1, 3]])
    (array(0.15935255), array(0.))
    """
    target = fisher_target(probabilities, label_vectors, gain=gain, discount=discount, cutoff=cutoff)
    return regret_of_target(float_array(scores, "scores"), target, discount=discount, cutoff=cutoff, ties=ties)


def regret_of_target(
    scores: Floats, target: Floats, *, discount: DiscountLike = "log", cutoff: CutoffLike = None, ties: str = "average"
) -> Floats:
    """Return the regret of scores if E[u] is known."""
    discounts.of(discount).require_decreasing("the regret of scores")
    best = _dcg(target, target, discount, cutoff, ties)
    return np.asarray(np.maximum(best - _dcg(target, scores, discount, cutoff, ties), 0))


def _dcg(worth: Floats, scores: Floats, discount: DiscountLike, cutoff: CutoffLike, ties: str) -> Floats:
    """The DCG of each row, ranked by its scores."""
    try:
        worth, scores = np.broadcast_arrays(worth, scores)
    except ValueError:
        raise DataError(f"pass one score per document, got shapes {scores.shape} and {worth.shape}") from None
    dcg = DCG(gain="linear", discount=discount, cutoff=cutoff, ties=ties)
    return dcg(worth.reshape(-1), scores.reshape(-1), _offsets(worth)).reshape(worth.shape[:-1])


def violations(scores: npt.ArrayLike, target: npt.ArrayLike, *, tolerance: float = 0.0) -> list[tuple[int, int]]:
    """Return the pairs (i, j) for which the target, but not the scores, ranks i before j.

    Parameters
    ----------
    scores, target : array-like
        One number per document.
    tolerance : float
        The target ranks i before j if the target of i exceeds the target of j by more than this.

    Returns
    -------
    list of tuple of int
        The pairs.

    Raises
    ------
    DataError
        If the arrays are not one-dimensional, differ in length, or contain NaN.

    Examples
    --------
    >>> from idealrank.theory import violations
    >>> violations([2, 2, 1], [3, 2, 0])
    [(0, 1)]
    """
    s, r = float_array(scores, "scores"), float_array(target, "the target")
    if s.ndim != 1 or s.shape != r.shape:
        raise DataError(f"scores and target must be flat and have the same length, got shapes {s.shape} and {r.shape}")
    if np.isnan(s).any() or np.isnan(r).any():
        raise DataError("scores and target must not contain NaN")
    if not are_numbers(tolerance):
        raise OptionError(f"tolerance must be a number, got {tolerance!r}")
    wrong = (r[:, None] > r + tolerance) & ~(s[:, None] > s)
    return [(int(i), int(j)) for i, j in np.argwhere(wrong)]


def compatible(scores: npt.ArrayLike, target: npt.ArrayLike, *, tolerance: float = 0.0) -> bool:
    """Return whether the scores have the order of the target, s ~> r: r_i > r_j implies s_i > s_j.

    Documents with equal targets may have any order.

    Parameters
    ----------
    scores, target : array-like
        One number per document.
    tolerance : float
        The target ranks i before j if the target of i exceeds the target of j by more than this.

    Returns
    -------
    bool
        True if it does.

    Raises
    ------
    DataError
        If the arrays are not one-dimensional, differ in length, or contain NaN.

    Examples
    --------
    >>> from idealrank.theory import compatible
    >>> compatible([1, 2], [0, 0]), compatible([0, 0], [1, 2])
    (True, False)
    """
    return not violations(scores, target, tolerance=tolerance)

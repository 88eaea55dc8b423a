"""Sums, maxima and runs of equal values of the documents of each query, and losses between scores and targets."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._names.options import option
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import query_at
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.losses.loss_base import Loss
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.discounted import DCG


def sums(values: Floats, offsets: Int64s) -> Floats:
    """Return the sum of each query's values; 0 for a query without documents.

    Examples
    --------
    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 1, 3]))
    array([1., 0., 6.])
    """
    return _reduced(np.add, values, offsets)


def maxima(values: Floats, offsets: Int64s) -> Floats:
    """Return the largest of each query's values; 0 for a query without documents.

    Examples
    --------
    >>> maxima(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 1, 3]))
    array([1., 0., 4.])
    """
    return _reduced(np.maximum, values, offsets)


def _reduced(operation: np.ufunc, values: Floats, offsets: Int64s) -> Floats:
    # reduceat checks where segments start, and reads it again: in a copy, which no other thread can change in between.
    starts = offsets[:-1].copy()
    # It returns the value at the start of an empty segment, and fails for one at the end, so both are left out.
    if starts.size and (starts < offsets[1:]).all():
        return np.asarray(operation.reduceat(values, starts))
    filled = np.flatnonzero(np.diff(offsets))
    reduced = np.zeros(offsets.size - 1)
    reduced[filled] = operation.reduceat(values, offsets[filled])
    return reduced


def norms(values: Floats, offsets: Int64s, q: float | Floats = 2.0) -> tuple[Floats, Floats]:
    """Return ||x||_q of each query's values, and x / ||x||_q, 0 if all are 0; q is one number for all or one per query.

    Examples
    --------
    >>> norms(np.array([3.0, 4.0, 0.0]), np.array([0, 2, 3]))
    (array([5., 0.]), array([0.6, 0.8, 0. ]))
    """
    sizes = np.diff(offsets)
    powers = np.repeat(np.broadcast_to(q, sizes.shape), sizes)
    greatest = maxima(np.abs(values), offsets)  # divides all values, so that no power overflows
    scaled = values / np.repeat(np.where(greatest > 0, greatest, 1.0), sizes)
    rest = sums(np.abs(scaled) ** powers, offsets) ** (1 / np.asarray(q))
    return greatest * rest, scaled / np.repeat(np.where(rest > 0, rest, 1.0), sizes)


def log_sum_exp(values: Floats, offsets: Int64s) -> Floats:
    """Return the log of the sum of exp of each query's values, without overflow.

    Examples
    --------
    >>> log_sum_exp(np.array([1000.0, 1000.0]), np.array([0, 2])) - 1000
    array([0.69314718])
    """
    greatest = maxima(values, offsets)
    greatest = np.where(np.isneginf(greatest), 0.0, greatest)
    with np.errstate(divide="ignore"):  # a query without documents, or with only log 0
        return greatest + np.log(sums(np.exp(values - np.repeat(greatest, np.diff(offsets))), offsets))


def log_shares(values: Floats, offsets: Int64s) -> Floats:
    """Return the log of softmax of each query's values, with all digits however large what they have in common.

    Examples
    --------
    >>> np.exp(log_shares(np.array([1e20, 1e20]), np.array([0, 2])))
    array([0.5, 0.5])
    """
    greatest = maxima(values, offsets)
    shifted = values - np.repeat(np.where(np.isneginf(greatest), 0.0, greatest), np.diff(offsets))
    with np.errstate(divide="ignore"):  # only log 0
        totals = np.repeat(np.log(sums(np.exp(shifted), offsets)), np.diff(offsets))
    return np.asarray(shifted - totals)


def shares(values: Floats, offsets: Int64s) -> tuple[Floats, Floats, Floats]:
    """Return softmax of each query's finite values; and for its log, the values under the highest, minus a log sum.

    Examples
    --------
    >>> shares(np.array([5.0, 5.0]), np.array([0, 2]))
    (array([0.5, 0.5]), array([0., 0.]), array([0.69314718]))
    """
    sizes = np.diff(offsets)
    under = values - np.repeat(maxima(values, offsets), sizes)
    exponentials = np.exp(under)
    totals = sums(exponentials, offsets)
    exponentials /= np.repeat(totals, sizes)
    with np.errstate(divide="ignore"):  # a query without documents
        return exponentials, under, np.log(totals)


def runs(labels: Floats, offsets: Int64s) -> tuple[Int64s, Int64s]:
    """Return the first and the last place of each place's run of equal labels, within its query.

    Examples
    --------
    >>> runs(np.array([2.0, 2.0, 1.0, 1.0]), np.array([0, 3, 4]))
    (array([0, 0, 2, 3]), array([1, 1, 2, 3]))
    """
    starts = np.ones(labels.size + 1, np.bool_)
    starts[1:-1] = labels[1:] != labels[:-1]
    starts[offsets] = True
    run = np.cumsum(starts[:-1]) - 1
    edges = np.flatnonzero(starts)
    # Signals such as Ctrl-C are handled between calls; indexing would take one long step here.
    return np.take(edges, run), np.take(edges - 1, run + 1)


def normalizer(value: Any) -> str | cutoffs.Cutoff | None:
    """Return what a loss divides gains by: None for nothing, "dcg" for their norm, a cutoff k for Z_k."""
    if isinstance(value, str) and value.lower() in ("dcg", "none"):
        return "dcg" if value.lower() == "dcg" else None
    return cutoffs.of(value)


def dcg_norms(
    worth: Floats, offsets: Int64s, discount: discounts.Discount, cutoff: cutoffs.Cutoff | None, n_threads: int
) -> Floats:
    """Return ||g||_D, one per query: the DCG of |g| in its best order (Lemma 1)."""
    return ideal_dcgs(np.abs(worth), offsets, discount, cutoff, n_threads)


def ideal_dcgs(
    worth: Floats, offsets: Int64s, discount: discounts.Discount, cutoff: cutoffs.Cutoff | None, n_threads: int
) -> Floats:
    """Return the DCG of gains in their best order, one per query."""
    # Of all discounts, only those that decrease have the gains themselves as the best scores.
    scores, ties = (worth, "stable") if discount.decreases else (np.zeros(worth.size), "best")
    return _dcg(discount, cutoff, ties).values(Lists(worth, scores, offsets, negative="keep", n_threads=n_threads))


@functools.lru_cache(maxsize=32)  # making it takes longer than measuring a short list
def _dcg(discount: discounts.Discount, cutoff: cutoffs.Cutoff | None, ties: str) -> DCG:
    return DCG(gain=gains.Linear(), discount=discount, cutoff=cutoff, ties=ties)


def worth_of(gain: gains.Gain | str, lists: Lists, *, is_signed: bool = False) -> Floats:
    """Return the gain of each document times its weight; a negative one is a DataError unless gains are signed."""
    assert isinstance(gain, gains.Gain), "only the native core computes gains that are words"
    check_finite(lists.labels, lists.offsets, "label")
    if type(gain) is gains.Linear:
        worth = lists.labels
    else:
        with np.errstate(over="ignore"):
            worth = gain(lists.labels)
    if lists.weights is not None:
        worth = worth * lists.weights
    least = -np.inf if is_signed else 0.0
    if not _native.all_finite(worth) or (worth.size and np.minimum.reduce(worth) < least):
        row = int(np.flatnonzero(~((worth >= least) & np.isfinite(worth)))[0])
        rule = "finite" if is_signed else "finite and not negative"
        what = f"a gain must be {rule}, got {worth[row]:g} for the label {lists.labels[row]:g}"
        raise DataError(what, query=query_at(lists.offsets, row), row=row)
    return worth


class Target(NamedTuple):
    """One target per document, and whether each query is ranked at all; if not, its loss is 0."""

    values: Floats
    ranked: Booleans


class Listwise(Loss):
    """Base class of losses that compare scores with targets: the gains G(label), divided by a norm.

    A normalized loss is 0 for a query with one document or without gain.

    Parameters
    ----------
    normalizer : None, "dcg" or cutoff
        What gains are divided by. None: nothing, the loss as first published; "dcg": the ideal DCG ||G||_D, which makes
        the loss consistent with NDCG; a cutoff k: the ideal DCG@k Z_k, which makes it consistent with NDCG@k (Ravikumar
        et al. 2011, section 3.3).
    gain : str or Gain, optional
        The gain of a label; None means 2^label - 1.
    discount : str or Discount
        The weight D(r) of a rank r, used for the norm; by default, 1/log2(1 + r).
    """

    normalizer: Any = option(normalizer)
    gain: Any = option(gains.of)
    discount: Any = option(discounts.of, discounts.Log())
    #: Whether a gain table may say that documents harm.
    takes_harm: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.discount.require_decreasing(self.label)

    def _without_effect(self) -> dict[str, str]:
        return {"discount": "without a normalizer"} if self.normalizer is None else {}

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        check_finite(lists.scores, lists.offsets, "score")
        target = self.target(lists)
        with np.errstate(all="ignore"):
            values, gradient = self.of_targets(target.values, lists)
        if not target.ranked.all():
            values = np.where(target.ranked, values, 0.0)
            gradient = np.where(np.repeat(target.ranked, lists.sizes), gradient, 0.0)
        return check_outcome(self, values, gradient, lists)

    def curvature(self, lists: Lists) -> Floats:
        check_finite(lists.scores, lists.offsets, "score")
        target = self.target(lists)
        with np.errstate(all="ignore"):
            curvature = self.curvature_of_targets(target.values, lists)
        kept = np.where(np.repeat(target.ranked, lists.sizes), curvature, 0.0)
        return np.nan_to_num(kept, nan=0.0)

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        return self.derivatives_of(lists)(lists.scores)

    def derivatives_of(self, lists: Lists) -> Callable[[Floats], tuple[Floats, Floats]]:
        target = self.target(lists)
        ranked = np.repeat(target.ranked, lists.sizes)

        def of_scores(scores: Floats) -> tuple[Floats, Floats]:
            at = replace(lists, scores=scores)
            check_finite(scores, lists.offsets, "score")
            with np.errstate(all="ignore"):
                values, gradient = self.of_targets(target.values, at)
                curvature = self.curvature_of_targets(target.values, at)
            values = np.where(target.ranked, values, 0.0)
            _, gradient = check_outcome(self, values, np.where(ranked, gradient, 0.0), at)
            return gradient, np.nan_to_num(np.where(ranked, curvature, 0.0), nan=0.0)

        return of_scores

    def of_targets(self, target: Floats, lists: Lists) -> tuple[Floats, Floats]:
        """Return values and gradient at the scores.

        Parameters
        ----------
        target : float64 array
            Targets, one per document.
        lists : Lists
            Validated scores and offsets.

        Returns
        -------
        values : ndarray of shape (n_queries,)
        gradient : ndarray of shape (n_docs,)
        """
        raise NotImplementedError

    def curvature_of_targets(self, target: Floats, lists: Lists) -> Floats:
        """Return the diagonal of the Hessian at the scores, or a bound on it.

        Parameters
        ----------
        target : float64 array
            Targets, one per document.
        lists : Lists
            Validated scores and offsets.

        Returns
        -------
        ndarray of shape (n_docs,)
        """
        raise NotImplementedError

    def best_scores(self, target: Floats, offsets: Int64s) -> Floats:
        """Return the scores with the smallest expected loss.

        Parameters
        ----------
        target : float64 array
            Expected targets, one per document.
        offsets : int64 array
            Query i has the documents ``offsets[i]:offsets[i + 1]``.

        Returns
        -------
        ndarray of shape (n_docs,)
        """
        raise NotImplementedError

    def worth(self, lists: Lists) -> Floats:
        """Return the gain of each document times its weight.

        Parameters
        ----------
        lists : Lists
            Validated labels and weights.

        Returns
        -------
        ndarray of shape (n_docs,)
        """
        gain = self.gain or gains.Exp2()
        return worth_of(gain, lists, is_signed=self.takes_harm and isinstance(gain, gains.Table))

    def target(self, lists: Lists) -> Target:
        """Return the gains over the norm that the loss names.

        Parameters
        ----------
        lists : Lists
            Validated labels, offsets and weights.

        Returns
        -------
        Target
        """
        worth = self.worth(lists)
        if self.normalizer is None:
            return Target(worth, np.ones(lists.n_queries, np.bool_))
        cutoff = None if self.normalizer == "dcg" else self.normalizer
        ideals = ideal_dcgs(worth, lists.offsets, self.discount, cutoff, lists.n_threads)
        return divided(worth, ideals, lists.sizes)

    def minimizer(self, probabilities: npt.ArrayLike, label_vectors: npt.ArrayLike) -> Floats:
        """Return the scores with the smallest expected loss for a distribution of label vectors; -inf is a limit.

        The conditional risk of every listwise loss depends on the labels only through their expected target.

        Parameters
        ----------
        probabilities : array-like of shape (..., n_vectors)
            The probability of each label vector; leading axes are separate problems.
        label_vectors : array-like of shape (..., n_vectors, n_docs)
            The label vectors.

        Returns
        -------
        ndarray of shape (..., n_docs)
        """
        chances, labels = np.asarray(probabilities, np.float64), np.asarray(label_vectors, np.float64)
        n_docs = labels.shape[-1]
        flat = np.ascontiguousarray(labels).reshape(-1)
        offsets = np.arange(0, flat.size + 1, n_docs)
        target = self.target(Lists(flat, flat, offsets))
        chances = chances * target.ranked.reshape(labels.shape[:-1])
        with np.errstate(invalid="ignore"):
            expected = np.einsum("...k,...kd->...d", chances, target.values.reshape(labels.shape))
            expected = np.nan_to_num(expected / chances.sum(axis=-1, keepdims=True))
        rows = np.arange(0, expected.size + 1, n_docs)
        with np.errstate(divide="ignore"):
            return self.best_scores(expected.reshape(-1), rows).reshape(expected.shape)


def divided(worth: Floats, norms: Floats, sizes: Int64s) -> Target:
    """Return the gains over their norms; a query with one document or without gain is not ranked."""
    ranked = (norms > 0) & (sizes > 1)
    return Target(worth / np.repeat(np.where(norms > 0, norms, 1.0), sizes), ranked)


def check_finite(column: Floats, offsets: Int64s, what: str) -> None:
    """Raise a DataError that names the first number that is not finite."""
    if _native.all_finite(column):
        return
    row = int(np.flatnonzero(~np.isfinite(column))[0])
    raise DataError(f"a {what} must be a finite number, got {column[row]:g}", query=query_at(offsets, row), row=row)


def check_outcome(loss: Loss, values: Floats, gradient: Floats, lists: Lists) -> tuple[Floats, Floats]:
    """Return values and gradient if they are finite: scores of 1e308 have no square."""
    if not _native.all_finite(values):
        query = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(f"{loss} overflows at these scores: scale them down", query=query)
    if not _native.all_finite(gradient):
        row = int(np.flatnonzero(~np.isfinite(gradient))[0])
        what = f"the gradient of {loss} overflows at these scores: rescale them"
        raise DataError(what, query=query_at(lists.offsets, row), row=row)
    return values, gradient

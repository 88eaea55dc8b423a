"""The targets of listwise losses: one per document, from its gain and the norm of its query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._names.options import option
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import query_at
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.losses.loss_base import Loss
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.discounted import DCG

__all__ = ["Listwise", "Target", "check_finite", "check_outcome", "dcg_norms", "divided", "normalizer", "worth_of"]


def normalizer(value: Any) -> str | cutoffs.Cutoff | None:
    """Return what a loss divides gains by: None for nothing, "dcg" for their norm, a cutoff k for Z_k."""
    if isinstance(value, str) and value.lower() in ("dcg", "none"):
        return "dcg" if value.lower() == "dcg" else None
    return cutoffs.of(value)


def dcg_norms(
    worth: Floats, offsets: Int64s, discount: discounts.Discount, cutoff: cutoffs.Cutoff | None, n_threads: int
) -> Floats:
    """Return ||g||_D, one per query: the DCG of |g| in its best order, which is the order of |g| itself (Lemma 1)."""
    sizes = np.abs(worth)
    dcg = DCG(gain=gains.Linear(), discount=discount, cutoff=cutoff, ties="stable")
    return dcg(sizes, sizes, offsets, n_threads=n_threads)


def worth_of(gain: gains.Gain | str, lists: Lists) -> Floats:
    """Return the gain of each document times its weight; a negative one is a DataError."""
    assert isinstance(gain, gains.Gain), "only the native core computes gains that are words"
    check_finite(lists.labels, lists.offsets, "label")
    with np.errstate(over="ignore"):
        worth = gain(lists.labels)
    if lists.weights is not None:
        worth = worth * lists.weights
    if not (worth.min(initial=0) >= 0 and worth.max(initial=0) < np.inf):
        row = int(np.flatnonzero(~((worth >= 0) & np.isfinite(worth)))[0])
        what = f"a gain must be finite and not negative, got {worth[row]:g} for the label {lists.labels[row]:g}"
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

    def _without_effect(self) -> dict[str, str]:
        return {"discount": "without a normalizer"} if self.normalizer is None else {}

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        check_finite(lists.scores, lists.offsets, "score")
        target = self.target(lists)
        with np.errstate(all="ignore"):
            values, gradient = self.of_targets(target.values, lists)
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
        return worth_of(self.gain or gains.Exp2(), lists)

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
        norms = dcg_norms(worth, lists.offsets, self.discount, cutoff, lists.n_threads)
        return divided(worth, norms, lists.sizes)

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
    if _all_finite(column):
        return
    row = int(np.flatnonzero(~np.isfinite(column))[0])
    raise DataError(f"a {what} must be a finite number, got {column[row]:g}", query=query_at(offsets, row), row=row)


def check_outcome(loss: Loss, values: Floats, gradient: Floats, lists: Lists) -> tuple[Floats, Floats]:
    """Return values and gradient if they are finite: scores of 1e308 have no square."""
    if not _all_finite(values):
        query = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(f"{loss} overflows at these scores: scale them down", query=query)
    if not _all_finite(gradient):
        row = int(np.flatnonzero(~np.isfinite(gradient))[0])
        what = f"the gradient of {loss} overflows at these scores: rescale them"
        raise DataError(what, query=query_at(lists.offsets, row), row=row)
    return values, gradient


def _all_finite(column: Floats) -> bool:
    """Return whether all numbers are finite, without a temporary column: if one is NaN, so are the extremes."""
    return bool(column.min(initial=0) > -np.inf and column.max(initial=0) < np.inf)

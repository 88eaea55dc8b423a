"""The base class of losses: options, weights, masks, and the call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from idealrank._names.options import Options
from idealrank._typing import Floats
from idealrank.data.columns import weight_column
from idealrank.data.lists import Lists


class Loss(Options):
    """Base class of losses: immutable values to be minimized, which return one number per query and its gradient.

    ``loss(labels, scores, offsets)`` returns ``(values, gradient)``; ``loss.hessian_diagonal(labels, scores, offsets)``
    returns one non-negative number per document: the second derivative, or an upper bound on it if the loss is not
    convex. ``loss.gradient_and_hessian(labels, scores, offsets)`` returns both derivatives and costs little more than
    one of them.

    Examples
    --------
    >>> from idealrank.losses import ListMLE
    >>> values, gradient = ListMLE()([1, 0], [0.0, 0.0])  # -log of the chance, 1/2, that 1 comes before 0
    >>> values, gradient
    (array([0.69314718]), array([-0.5,  0.5]))
    """

    #: Whether the gradient is the derivative of the values, as an optimizer with a line search needs.
    has_potential: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_without_effect(self)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def __call__(
        self,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        query_weights: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> tuple[Floats, npt.NDArray[Any]]:
        """Compute one value per query, and its derivative with respect to each score.

        Parameters
        ----------
        labels, scores : array-like
            The label and the score of each document.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
        weights : array-like, optional
            One non-negative weight per document, such as an inverse click propensity. It multiplies the gain of the
            document, or each pair in which it is the better document; None means 1 for all.
        query_weights : array-like, optional
            One non-negative weight per query, which multiplies its value and gradient; None means 1 for all.
        mask : array-like of bool, optional
            False for documents to leave out: they are not ranked, and their gradient is 0. None means that all are
            ranked.
        n_threads : int, optional
            Number of threads; None means all cores, or the number passed to `set_threads`.

        Returns
        -------
        values : float64 array of shape (n_queries,)
            The loss of each query.
        gradient : float array of shape (n_docs,)
            The derivative of the loss of a document's query with respect to its score; float32 if the scores are
            float32, otherwise float64.

        Raises
        ------
        DataError
            If the lengths of the arrays do not match, a number is not finite, or the loss overflows.
        """
        lists = Lists.of(labels, scores, offsets, weights=weights, mask=mask, n_threads=n_threads)
        with lists.with_locations():
            values, gradient = self.values_and_gradient(lists)
        if query_weights is not None:
            values = values * weight_column(query_weights, lists.n_queries, "query_weights", "query")
        return values, _as_given(gradient, scores, lists, query_weights)

    def hessian_diagonal(
        self,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        query_weights: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> npt.NDArray[Any]:
        """Compute one non-negative second derivative, or a bound on it, per document, for boosting.

        Parameters
        ----------
        labels, scores : array-like
            The label and the score of each document.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
        weights, query_weights, mask : array-like, optional
            As in ``loss(labels, scores, offsets)``.
        n_threads : int, optional
            Number of threads; None means all cores, or the number passed to `set_threads`.

        Returns
        -------
        float array of shape (n_docs,)
            The diagonal of the Hessian, or a bound on it; float32 if the scores are float32, otherwise float64.

        Raises
        ------
        DataError
            If the lengths of the arrays do not match, or a number is not finite.
        """
        lists = Lists.of(labels, scores, offsets, weights=weights, mask=mask, n_threads=n_threads)
        with lists.with_locations():
            curvature = self.curvature(lists)
        return _as_given(curvature, scores, lists, query_weights)

    def gradient_and_hessian(
        self,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        query_weights: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Compute the gradient and `hessian_diagonal` together, for boosting.

        Parameters
        ----------
        labels, scores : array-like
            The label and the score of each document.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
        weights, query_weights, mask : array-like, optional
            As in ``loss(labels, scores, offsets)``.
        n_threads : int, optional
            Number of threads; None means all cores, or the number passed to `set_threads`.

        Returns
        -------
        gradient, curvature : float arrays of shape (n_docs,)
            The first and the second derivatives; float32 if the scores are float32, otherwise float64.

        Raises
        ------
        DataError
            If the lengths of the arrays do not match, or a number is not finite.

        Examples
        --------
        >>> from idealrank.losses import PairwiseLogistic
        >>> PairwiseLogistic().gradient_and_hessian([1, 0], [0, 0])
        (array([-0.5,  0.5]), array([0.25, 0.25]))
        """
        lists = Lists.of(labels, scores, offsets, weights=weights, mask=mask, n_threads=n_threads)
        with lists.with_locations():
            gradient, curvature = self.gradient_and_curvature(lists)
        return _as_given(gradient, scores, lists, query_weights), _as_given(curvature, scores, lists, query_weights)

    def resolved(self, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Loss:
        """Return the loss with every option that depends on the data replaced by a number; self if there is none.

        Parameters
        ----------
        scores : array-like
            The scores that a learner starts with.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.

        Returns
        -------
        Loss
            A loss with the same options otherwise.
        """
        return self

    def smoothed(self, sharpness: float) -> Loss | None:
        """Return a smoother loss of the same kind.

        Parameters
        ----------
        sharpness : float
            1 returns this loss; smaller values are smoother.

        Returns
        -------
        Loss or None
            None if the loss has no smoother form.
        """
        return None

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        """Compute the values and the gradient of validated lists; each loss implements it.

        Parameters
        ----------
        lists : Lists
            Validated labels, scores, offsets and weights.

        Returns
        -------
        values : ndarray of shape (n_queries,)
        gradient : ndarray of shape (n_docs,)
        """
        raise NotImplementedError

    def curvature(self, lists: Lists) -> Floats:
        """Compute the diagonal of the Hessian for validated lists, or a bound of it; each loss implements it.

        Parameters
        ----------
        lists : Lists
            Validated labels, scores, offsets and weights.

        Returns
        -------
        ndarray of shape (n_docs,)
        """
        raise NotImplementedError

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        """Compute the gradient and the curvature of validated lists; a loss that shares work between them overrides it.

        Parameters
        ----------
        lists : Lists
            Validated labels, scores, offsets and weights.

        Returns
        -------
        gradient, curvature : ndarray of shape (n_docs,)
        """
        return self.values_and_gradient(lists)[1], self.curvature(lists)

    def derivatives_of(self, lists: Lists) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Return `gradient_and_curvature` of these lists as a function of their scores alone.

        A loss that computes something from the labels overrides it, and does so once for all trees of a booster.

        Parameters
        ----------
        lists : Lists
            Validated labels, offsets and weights.

        Returns
        -------
        callable
            Takes finite float64 scores.
        """
        return lambda scores: self.gradient_and_curvature(replace(lists, scores=scores))


def _as_given(
    column: Floats, scores: npt.ArrayLike, lists: Lists, query_weights: npt.ArrayLike | None
) -> npt.NDArray[np.float64 | np.float32]:
    """Return the weighted column in the precision of the scores, with 0 for each document that was left out."""
    if query_weights is not None:
        factors = weight_column(query_weights, lists.n_queries, "query_weights", "query")
        column = column * np.repeat(factors, lists.sizes)
    if lists.rows is not None:
        whole = np.zeros(np.size(scores))
        whole[lists.rows] = column
        column = whole
    return column.astype(np.float32) if getattr(scores, "dtype", None) == np.float32 else column

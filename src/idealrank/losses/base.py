"""What all losses have in common: options, weights, masks, and the call."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from idealrank._base.options import Options
from idealrank._typing import Floats
from idealrank.data.columns import weight_column
from idealrank.data.lists import Lists

__all__ = ["Loss"]


class Loss(Options):
    """A loss of rankings, to be minimised: a frozen value that gives one number a query and its gradient.

    ``loss(labels, scores, offsets)`` is ``(values, gradient)``; ``loss.hessian_diagonal(labels, scores, offsets)`` is a
    positive number a document, the second derivative or a bound that stands in for it where a loss is not convex.

    All three take ``weights`` (a document's weight multiplies what it is worth: its gain, or each pair in which it is
    the better one; inverse click propensities go here), ``query_weights`` (multiply a query's value and gradient) and
    ``mask`` (False leaves a document out: it is not ranked and its gradient is 0).

    >>> from idealrank.losses import ListMLE
    >>> values, gradient = ListMLE()([1, 0], [0.0, 0.0])  # -log of the chance, 1/2, that 1 comes before 0
    >>> values, gradient
    (array([0.69314718]), array([-0.5,  0.5]))
    """

    #: Whether the gradient is that of the values, which an optimizer with a line search needs.
    has_potential: ClassVar[bool] = True

    def __str__(self) -> str:
        return self.named()

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
        """One value a query, and its derivative by each score; the gradient is float32 where the scores are."""
        lists = Lists.of(labels, scores, offsets, weights=weights, mask=mask, n_threads=n_threads)
        with lists.locating():
            values, gradient = self.values_and_gradient(lists)
        if query_weights is not None:
            factors = weight_column(query_weights, lists.n_queries, "query_weights", "query")
            values, gradient = values * factors, gradient * np.repeat(factors, lists.sizes)
        return values, _as_given(gradient, scores, lists)

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
        """One non-negative curvature a document, for boosting."""
        lists = Lists.of(labels, scores, offsets, weights=weights, mask=mask, n_threads=n_threads)
        with lists.locating():
            curvature = self.curvature(lists)
        if query_weights is not None:
            factors = weight_column(query_weights, lists.n_queries, "query_weights", "query")
            curvature = curvature * np.repeat(factors, lists.sizes)
        return _as_given(curvature, scores, lists)

    def resolved(self, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Loss:
        """The loss that a learner, which begins with these scores, is to keep: itself, where nothing is left open."""
        return self

    def smoothed(self, sharpness: float) -> Loss | None:
        """A smoother loss of the same kind, this one again for sharpness 1; None where there is no such thing."""
        return None

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        """What the call gives, on arrays that fit together; each loss says how."""
        raise NotImplementedError

    def curvature(self, lists: Lists) -> Floats:
        """What `hessian_diagonal` gives, on arrays that fit together; each loss says how."""
        raise NotImplementedError


def _as_given(column: Floats, scores: npt.ArrayLike, lists: Lists) -> npt.NDArray[np.float64 | np.float32]:
    """Return the column with a 0 for each document left out, in the precision of the scores."""
    if lists.rows is not None:
        whole = np.zeros(np.size(scores))
        whole[lists.rows] = column
        column = whole
    return column.astype(np.float32) if getattr(scores, "dtype", None) == np.float32 else column

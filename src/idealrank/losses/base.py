"""What all losses have in common: options, weights, masks, and the call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._base.options import Options
from idealrank._base.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.ranking import check_columns
from idealrank.errors import DataError

__all__ = ["Lists", "Loss", "callers_rows", "fitting", "weight_column"]


@dataclass(frozen=True)
class Lists:
    """Labelled and scored documents cut into queries: arrays that are known to fit together.

    ``weights`` has one non-negative number a document, or is None where all are 1.
    """

    labels: Floats
    scores: Floats
    offsets: Int64s
    weights: Floats | None = None
    n_threads: int = 1

    @property
    def n_queries(self) -> int:
        return self.offsets.size - 1

    @property
    def sizes(self) -> Int64s:
        """Documents a query."""
        return np.diff(self.offsets)


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
        lists, kept = fitting(labels, scores, offsets, weights, mask, n_threads)
        with callers_rows(kept):
            values, gradient = self.values_and_gradient(lists)
        if query_weights is not None:
            factors = weight_column(query_weights, lists.n_queries, "query_weights", "query")
            values, gradient = values * factors, gradient * np.repeat(factors, lists.sizes)
        return values, _as_given(gradient, scores, kept)

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
        lists, kept = fitting(labels, scores, offsets, weights, mask, n_threads)
        with callers_rows(kept):
            curvature = self.curvature(lists)
        if query_weights is not None:
            factors = weight_column(query_weights, lists.n_queries, "query_weights", "query")
            curvature = curvature * np.repeat(factors, lists.sizes)
        return _as_given(curvature, scores, kept)

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


def fitting(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None,
    weights: npt.ArrayLike | None,
    mask: npt.ArrayLike | None,
    n_threads: int | None,
) -> tuple[Lists, Booleans | None]:
    """The arrays, checked to fit together, without the documents that the mask leaves out; and the mask.

    >>> lists, kept = fitting([1, 0, 2], [0.1, 0.2, 0.3], [0, 1, 3], None, [True, False, True], 1)
    >>> lists.labels, lists.offsets, kept
    (array([1., 2.]), array([0, 1, 2]), array([ True, False,  True]))
    """
    label_column, score_column, cut = check_columns(labels, scores, offsets)
    factors = None if weights is None else weight_column(weights, label_column.size, "weights", "document")
    threads = resolve_threads(n_threads)
    if mask is None:
        return Lists(label_column, score_column, cut, factors, threads), None
    kept = np.asarray(mask)
    if kept.dtype != np.bool_ or kept.shape != label_column.shape:
        raise DataError(f"mask must be True or False a document, got {kept.dtype} of shape {kept.shape}")
    cut = np.concatenate([[0], np.cumsum(kept)])[cut]
    factors = None if factors is None else factors[kept]
    return Lists(label_column[kept], score_column[kept], cut, factors, threads), kept


def weight_column(values: npt.ArrayLike, size: int, name: str, of_each: str) -> Floats:
    """One weight a document or query as an array, checked to be finite and not negative.

    >>> weight_column([1, 2], 2, "weights", "document")
    array([1., 2.])
    """
    try:
        column = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}") from None
    if column.shape != (size,):
        raise DataError(f"{name} must be one number a {of_each}, {size} of them, got shape {column.shape}")
    bad = np.flatnonzero(~((column >= 0) & np.isfinite(column)))
    if bad.size:
        place = int(bad[0])
        query, row = (None, place) if of_each == "document" else (place, None)
        raise DataError(f"{name} must be finite and not negative, got {column[place]:g}", query=query, row=row)
    return column


def _as_given(column: Floats, scores: npt.ArrayLike, kept: Booleans | None) -> npt.NDArray[np.float64 | np.float32]:
    """The column with a 0 for each document left out, in the precision of the scores."""
    if kept is not None:
        whole = np.zeros(kept.size)
        whole[kept] = column
        column = whole
    return column.astype(np.float32) if getattr(scores, "dtype", None) == np.float32 else column


@contextmanager
def callers_rows(kept: Booleans | None) -> Iterator[None]:
    """In an error from within, the row counts among all documents and not among those that a mask leaves.

    >>> with callers_rows(np.array([False, True])):
    ...     raise DataError("bad", row=0)
    Traceback (most recent call last):
    idealrank.errors.DataError: bad (row 1)
    """
    try:
        yield
    except DataError as error:
        if kept is None or error.row is None:
            raise
        raise DataError(error.what, error.query, int(np.flatnonzero(kept)[error.row]), error.column) from None

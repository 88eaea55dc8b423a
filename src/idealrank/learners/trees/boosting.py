"""What gradient boosting needs from a loss: a first and a second derivative per document, as boosters store them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from idealrank._typing import Float32s, Floats, Int64s
from idealrank.data.columns import query_at
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.losses import Loss

__all__ = ["Float32s", "derivatives"]


def derivatives(
    loss: Loss, lists: Lists, query_weights: Floats | None = None
) -> Callable[[Floats], tuple[Float32s, Float32s]]:
    """Return gradient and positive curvature of the sum of the loss over queries, as a function of the scores.

    What depends on labels and weights alone is computed once, for all trees.

    >>> from idealrank.losses import PairwiseLogistic
    >>> derivatives(PairwiseLogistic(), Lists(np.array([1.0, 0.0]), np.zeros(2), np.array([0, 2])))(np.zeros(2))
    (array([-0.5,  0.5], dtype=float32), array([0.25, 0.25], dtype=float32))
    """
    of_scores, offsets = loss.derivatives_of(lists), lists.offsets
    spread = None if query_weights is None else np.repeat(query_weights, lists.sizes)

    def stored(scores: Floats) -> tuple[Float32s, Float32s]:
        _check(scores, offsets, "a score of the booster must be a finite number", "try a lower learning rate")
        gradient, curvature = of_scores(scores)
        if spread is not None:
            gradient, curvature = gradient * spread, curvature * spread
        return _stored(gradient, offsets, "first"), _stored(curvature, offsets, "second")

    return stored


def _stored(column: Floats, offsets: Int64s, which: str) -> Float32s:
    with np.errstate(over="ignore"):
        stored = column.astype(np.float32)
    _check(stored, offsets, f"boosters store the {which} derivative as float32", "use smaller labels or weights")
    return stored


def _check(column: npt.NDArray[np.floating], offsets: Int64s, what: str, advice: str) -> None:
    """Raise a DataError that names the first number that is not finite."""
    with np.errstate(all="ignore"):
        if np.isfinite(column.sum()):  # false only if a number is not finite, or if the sum overflows
            return
    finite = np.isfinite(column)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise DataError(f"{what}, got {column[row]:g}: {advice}", query=query_at(offsets, row), row=row)

"""How much worse than the best ranker the one chosen in training can be (Qin, Liu and Li 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.errors import DataError

__all__ = ["GeneralizationGap", "generalization_gap"]


@dataclass(frozen=True)
class GeneralizationGap(Result):
    """The result of `generalization_gap`; rankers are numbered from 0.

    Parameters
    ----------
    best : int
        The ranker that is best on the test set.
    trained : int
        The ranker that is best on the training set by the measure.
    gap : float
        The difference on the test set between the best ranker and ``trained``.
    bound : float
        The bound on ``gap`` (Theorem 2).
    approximated, approximated_gap, approximated_bound : optional
        The same for the ranker that is best on the training set by the approximation (Theorem 7); None without an
        approximation.

    Examples
    --------
    >>> from idealrank.theory import generalization_gap
    >>> found = generalization_gap(test=[0.75, 0.5], train=[0.5, 0.5])
    >>> found.best, found.trained, found.gap, found.bound
    (0, 0, 0.0, 0.5)
    """

    best: int
    trained: int
    gap: float
    bound: float
    approximated: int | None = None
    approximated_gap: float | None = None
    approximated_bound: float | None = None


def generalization_gap(
    test: npt.ArrayLike, train: npt.ArrayLike, approximation: npt.ArrayLike | None = None
) -> GeneralizationGap:
    """Compute how much is lost on the test set by choosing the ranker that is best on the training set.

    Theorems are those of Qin, Liu and Li 2008. The bound is |M(f_m) - M(f*)| <= 2 sup |M - M_m| (Theorem 2). With an
    approximation Mhat_m of the training measure, such as 1 - ApproxNDCG, it is 2 sup |M - M_m| + 2 sup |M_m - Mhat_m|
    (Theorem 7). The first supremum vanishes with many queries (Theorem 1). The second one does not depend on the number
    of queries, contrary to the text below Theorem 7 of the paper: it vanishes as alpha times the score differences
    grows.

    Parameters
    ----------
    test, train : array-like
        The mean of the measure on the test set and on the training set for each ranker.
    approximation : array-like, optional
        The mean of the approximation on the training set for each ranker.

    Returns
    -------
    GeneralizationGap
        The gaps and their bounds.

    Raises
    ------
    DataError
        If the arrays are not one-dimensional and finite, or differ in length.

    Examples
    --------
    Ranker 1 is best in training and 0.1 worse than ranker 0 on the test set; the sets differ by at most 0.2.

    >>> from idealrank.theory import generalization_gap
    >>> found = generalization_gap(test=[0.5, 0.4], train=[0.5, 0.6])
    >>> found.trained, round(found.gap, 12), round(found.bound, 12)
    (1, 0.1, 0.4)
    """
    measured = _column(test, "test")
    trained = _column(train, "train", measured.size)
    best, chosen = int(measured.argmax()), int(trained.argmax())
    spread = 2 * float(np.abs(measured - trained).max())
    gap = float(measured[best] - measured[chosen])
    if approximation is None:
        return GeneralizationGap(best, chosen, gap, spread)
    approximated = _column(approximation, "approximation", measured.size)
    other = int(approximated.argmax())
    error = 2 * float(np.abs(trained - approximated).max())
    return GeneralizationGap(best, chosen, gap, spread, other, float(measured[best] - measured[other]), spread + error)


def _column(values: npt.ArrayLike, name: str, size: int | None = None) -> Floats:
    """The values as a flat array of finite numbers, of the given size."""
    column = float_array(values, name)
    if column.ndim != 1 or not column.size or not np.isfinite(column).all():
        raise DataError(f"{name} must be a flat list of finite numbers, one per ranker, got {values!r}")
    if size not in (None, column.size):
        raise DataError(f"{name} must have one value per ranker, like test: {size}, got {column.size}")
    return column

"""How far training on a measure, or on what stands in for it, can miss the best ranker (Qin, Liu and Li 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._base.results import Result
from idealrank._typing import Floats
from idealrank.errors import DataError

__all__ = ["GeneralizationGap", "generalization_gap"]


@dataclass(frozen=True)
class GeneralizationGap(Result):
    """Rankers by number; gaps and their bounds.

    ``best`` is best on the test set, ``trained`` on the training set by the measure, ``approximated`` by its
    approximation (None without one). ``gap`` and ``approximated_gap`` are how much worse than the best these two are on
    the test set; Theorems 2 and 7 bound them.

    >>> generalization_gap(test=[0.75, 0.5], train=[0.5, 0.5])
    GeneralizationGap(best=0, trained=0, gap=0.0, bound=0.5, approximated=None, approximated_gap=None,
                      approximated_bound=None)
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
    """The gap of choosing among rankers on the training set, one mean of the measure a ranker in each argument.

    |M(f_m) - M(f*)| <= 2 sup |M - M_m| (Theorem 2); with an approximation Mhat_m of the training measure, such as 1 -
    ApproxNDCG, 2 sup |M - M_m| + 2 sup |M_m - Mhat_m| (Theorem 7). The first supremum vanishes with many queries
    (Theorem 1). The second does not hang on their number, against what the paper says below Theorem 7: it vanishes
    where alpha times the differences of scores grows.

    Ranker 1 looks best in training and is 0.1 worse than ranker 0; they differ by at most 0.2 between the sets.

    >>> found = generalization_gap(test=[0.5, 0.4], train=[0.5, 0.6])
    >>> found.trained, round(found.gap, 12), round(found.bound, 12)
    (1, 0.1, 0.4)
    """
    measured, trained = _column(test, "test"), _column(train, "train")
    if measured.shape != trained.shape:
        raise DataError(f"test and train must have one value a ranker, got {measured.size} and {trained.size}")
    best, chosen = int(measured.argmax()), int(trained.argmax())
    spread = 2 * float(np.abs(measured - trained).max())
    gap = float(measured[best] - measured[chosen])
    if approximation is None:
        return GeneralizationGap(best, chosen, gap, spread)
    approximated = _column(approximation, "approximation")
    if approximated.shape != trained.shape:
        raise DataError(f"approximation must have one value a ranker, {trained.size}, got {approximated.size}")
    other = int(approximated.argmax())
    error = 2 * float(np.abs(trained - approximated).max())
    return GeneralizationGap(best, chosen, gap, spread, other, float(measured[best] - measured[other]), spread + error)


def _column(values: npt.ArrayLike, name: str) -> Floats:
    column = np.asarray(values, np.float64)
    if column.ndim != 1 or not column.size or not np.isfinite(column).all():
        raise DataError(f"{name} must be a flat list of finite numbers, one a ranker, got {values!r}")
    return column

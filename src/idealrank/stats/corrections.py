"""Many comparisons at once: p-values corrected for how many there are. NaN stays NaN and counts for nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from idealrank._typing import Booleans, Floats
from idealrank.errors import DataError

__all__ = ["benjamini_hochberg", "bonferroni", "holm"]


def bonferroni(p_values: npt.ArrayLike) -> Floats:
    """Each times their number: bounds the chance of one false alarm among all.

    >>> bonferroni([0.01, 0.04, 0.5])
    array([0.03, 0.12, 1.  ])
    """
    p, known = _checked(p_values)
    corrected: Floats = np.minimum(p * known.sum(), 1)
    return corrected


def holm(p_values: npt.ArrayLike) -> Floats:
    """Holm's step-down form of Bonferroni: the same bound, and never less power.

    The smallest times 3, the next times 2, the last times 1, and never below the one before:

    >>> holm([0.04, 0.01, 0.5])
    array([0.08, 0.03, 0.5 ])
    """
    p, known = _checked(p_values)
    order = np.argsort(p[known], kind="stable")
    steps = np.arange(order.size, 0, -1)
    return _in_place(p, known, order, np.minimum(np.maximum.accumulate(p[known][order] * steps), 1))


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Benjamini and Hochberg 1995: bounds the expected share of false alarms among the alarms.

    >>> benjamini_hochberg([0.01, 0.04, 0.5])
    array([0.03, 0.06, 0.5 ])
    """
    p, known = _checked(p_values)
    order = np.argsort(p[known], kind="stable")
    scaled = p[known][order] * (order.size / np.arange(1, order.size + 1))
    return _in_place(p, known, order, np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1))


def _checked(p_values: npt.ArrayLike) -> tuple[Floats, Booleans]:
    p = np.asarray(p_values, np.float64)
    known = ~np.isnan(p)
    if p.ndim != 1 or ((p[known] < 0) | (p[known] > 1)).any():
        raise DataError(f"p-values must be a flat list of numbers from 0 to 1, got {p_values!r}")
    return p, known


def _in_place(p: Floats, known: Booleans, order: npt.NDArray[np.intp], corrected: Floats) -> Floats:
    result = np.full(p.shape, np.nan)
    result[np.flatnonzero(known)[order]] = corrected
    return result

"""Corrections of p-values for multiple comparisons. NaN stays NaN and does not count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.errors import DataError

__all__ = ["benjamini_hochberg", "bonferroni", "holm"]


def bonferroni(p_values: npt.ArrayLike) -> Floats:
    """Multiply each p-value by the number of p-values, which bounds the probability of any false positive.

    Parameters
    ----------
    p_values : array-like
        The p-values, from 0 to 1; NaN is ignored and stays NaN.

    Returns
    -------
    float64 array of the same shape
        The corrected p-values, at most 1.

    Raises
    ------
    DataError
        If a p-value is not a number from 0 to 1.

    Examples
    --------
    >>> from idealrank.stats import bonferroni
    >>> bonferroni([0.01, 0.04, 0.5])
    array([0.03, 0.12, 1.  ])
    """
    return _corrected(p_values, lambda p: p * p.size)


def holm(p_values: npt.ArrayLike) -> Floats:
    """Apply Holm's step-down correction, which has the same bound as `bonferroni` and at least the same power.

    Parameters
    ----------
    p_values : array-like
        The p-values, from 0 to 1; NaN is ignored and stays NaN.

    Returns
    -------
    float64 array of the same shape
        The corrected p-values, at most 1.

    Raises
    ------
    DataError
        If a p-value is not a number from 0 to 1.

    Examples
    --------
    The smallest p-value is multiplied by 3, the next by 2 and the last by 1, and none is below the previous one:

    >>> from idealrank.stats import holm
    >>> holm([0.04, 0.01, 0.5])
    array([0.08, 0.03, 0.5 ])
    """
    return _corrected(p_values, lambda p: np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Bound the expected fraction of false positives among all positives (Benjamini and Hochberg 1995).

    Parameters
    ----------
    p_values : array-like
        The p-values, from 0 to 1; NaN is ignored and stays NaN.

    Returns
    -------
    float64 array of the same shape
        The corrected p-values, at most 1.

    Raises
    ------
    DataError
        If a p-value is not a number from 0 to 1.

    Examples
    --------
    >>> from idealrank.stats import benjamini_hochberg
    >>> benjamini_hochberg([0.01, 0.04, 0.5])
    array([0.03, 0.06, 0.5 ])
    """
    return _corrected(p_values, lambda p: np.minimum.accumulate((p * (p.size / np.arange(1, p.size + 1)))[::-1])[::-1])


def _corrected(p_values: npt.ArrayLike, correction: Callable[[Floats], Floats]) -> Floats:
    """Correct the known p-values, which the correction takes in ascending order; none may exceed 1."""
    p = float_array(p_values, "p-values")
    known = np.flatnonzero(~np.isnan(p))
    if p.ndim != 1 or ((p[known] < 0) | (p[known] > 1)).any():
        raise DataError(f"p-values must be a flat list of numbers from 0 to 1, got {p_values!r}")
    ascending = known[np.argsort(p[known], kind="stable")]
    result = np.full(p.shape, np.nan)
    result[ascending] = np.minimum(correction(p[ascending]), 1)
    return result


#: How p-values are corrected for several comparisons, by name.
CORRECTIONS: Mapping[str, Callable[[Any], Floats]] = {
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "bonferroni": bonferroni,
    "none": lambda p_values: np.asarray(p_values, np.float64),
}
#: The corrections in words.
CORRECTION_NAMES = {
    "holm": "Holm correction",
    "benjamini_hochberg": "Benjamini-Hochberg correction",
    "bonferroni": "Bonferroni correction",
    "none": "no correction for multiple comparisons",
}

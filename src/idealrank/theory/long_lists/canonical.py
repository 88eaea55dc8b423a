"""Canonical scores: a ranker's scores as shares of the list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError

__all__ = ["canonical_score"]


def canonical_score(
    scores: npt.ArrayLike, *, cdf: Callable[[Floats], npt.ArrayLike] | None = None, ties: str = "upper"
) -> Floats:
    """ftilde(x) = P(f(X) <= f(x)) (Wang et al. 2013, Definition 2): the share of documents with no higher score.

    ``cdf``: the distribution function of the scores, where it is known; otherwise they are their own sample. Lemma 3,
    that canonical scores are uniform, holds only where no two documents have the same score; ``ties="middle"`` gives
    equal scores the middle of the stretch that they cover, which keeps the mean at 1/2.

    >>> canonical_score([0.3, 0.9, 0.3, 0.5])
    array([0.5 , 1.  , 0.5 , 0.75])
    >>> canonical_score([0.3, 0.9, 0.3, 0.5], ties="middle")
    array([0.25 , 0.875, 0.25 , 0.625])
    """
    values = np.asarray(scores, np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise DataError(f"scores must be finite numbers in a flat array, got {values.dtype} of shape {values.shape}")
    if cdf is not None:
        return np.asarray(cdf(values), np.float64)
    if ties not in ("upper", "middle"):
        raise OptionError(f"unknown ties {ties!r}; there are 'upper' and 'middle'")
    ordered = np.sort(values)
    upper = np.searchsorted(ordered, values, side="right")
    if ties == "upper":
        return upper / values.size
    return (upper + np.searchsorted(ordered, values, side="left")) / (2 * values.size)

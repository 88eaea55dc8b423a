"""Scores of items for users from their factors, and the way back from the derivatives of scores."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Matrix", "backprop_normalize", "directions"]

#: Factors, or derivatives by them: float64 or float32.
Matrix: TypeAlias = npt.NDArray[Any]

_LEAST_NORM = 1e-12


def directions(factors: Matrix) -> tuple[Matrix, Matrix]:
    """Return the rows divided by their norms, and the norms, as a column; a row of zeros stays one.

    Examples
    --------
    >>> directions(np.array([[3.0, 4.0], [0.0, 0.0]]))
    (array([[0.6, 0.8],
           [0. , 0. ]]), array([[5.e+00],
           [1.e-12]]))
    """
    norms = np.sqrt(np.einsum("ij,ij->i", factors, factors))[:, None]
    norms = np.maximum(norms, _LEAST_NORM)
    return factors / norms, norms


def backprop_normalize(gradient: Matrix, unit: Matrix, norms: Matrix) -> Matrix:
    """Return the gradient by the factors from the one by their directions: what is across the direction, over the norm.

    Examples
    --------
    >>> backprop_normalize(np.array([[1.0, 1.0]]), np.array([[1.0, 0.0]]), np.array([[2.0]]))
    array([[0. , 0.5]])
    """
    along = np.einsum("ij,ij->i", gradient, unit)[:, None]
    across: Matrix = along * unit
    np.subtract(gradient, across, out=across)
    across /= norms
    return across

"""Stochastic optimizers of matrices, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from idealrank._typing import Int64s
from idealrank.learners.factors.similarity import Matrix

__all__ = ["OPTIMIZERS", "AdaGrad", "Adam", "Optimizer"]


class Optimizer(Protocol):
    """Moves rows of a matrix against a gradient."""

    def step(self, parameters: Matrix, rows: Int64s | slice, gradient: Matrix) -> None:
        """Change these rows of the parameters in place."""
        ...


class Adam:
    """Adam (Kingma and Ba 2015, algorithm 1), with moments and step counts of each row.

    Rows that a step does not name stay as they are, moments included. Weight decay is an L2 term of the objective,
    weight_decay / 2 times the squared norm, as in the paper's experiments and in ``torch.optim.Adam``.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        learning_rate: float,
        weight_decay: float = 0.0,
        dtype: npt.DTypeLike = np.float64,
        betas: tuple[float, float] = (0.9, 0.999),
    ) -> None:
        self._learning_rate, self._weight_decay, self._betas = learning_rate, weight_decay, betas
        self._first, self._second = np.zeros(shape, dtype), np.zeros(shape, dtype)
        self._steps = np.zeros((shape[0], 1))

    def step(self, parameters: Matrix, rows: Int64s | slice, gradient: Matrix) -> None:
        """Change these rows of the parameters in place."""
        if self._weight_decay:
            gradient = gradient + self._weight_decay * parameters[rows]
        beta1, beta2 = self._betas
        self._steps[rows] += 1
        steps, first, second = self._steps[rows], self._first[rows], self._second[rows]
        first *= beta1
        first += (1 - beta1) * gradient
        change = gradient * gradient
        change *= 1 - beta2
        second *= beta2
        second += change
        if not isinstance(rows, slice):  # indexing by row numbers makes copies
            self._first[rows], self._second[rows] = first, second
        np.divide(second, (1 - beta2**steps).astype(change.dtype), out=change)
        np.sqrt(change, out=change)
        change += 1e-8
        np.divide(first, change, out=change)
        change *= (self._learning_rate / (1 - beta1**steps)).astype(change.dtype)
        parameters[rows] -= change


class AdaGrad:
    """AdaGrad (Duchi, Hazan and Singer 2011), with the diagonal of the sum of squared gradients.

    Weight decay is as in `Adam`.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        learning_rate: float,
        weight_decay: float = 0.0,
        dtype: npt.DTypeLike = np.float64,
    ) -> None:
        self._learning_rate, self._weight_decay = learning_rate, weight_decay
        self._squares = np.zeros(shape, dtype)

    def step(self, parameters: Matrix, rows: Int64s | slice, gradient: Matrix) -> None:
        """Change these rows of the parameters in place."""
        if self._weight_decay:
            gradient = gradient + self._weight_decay * parameters[rows]
        self._squares[rows] += gradient**2
        parameters[rows] -= self._learning_rate * gradient / (np.sqrt(self._squares[rows]) + 1e-10)


#: By name: (shape, learning_rate, weight_decay, dtype) -> optimizer.
OPTIMIZERS: Mapping[str, Callable[[tuple[int, int], float, float, npt.DTypeLike], Optimizer]] = {
    "adam": Adam,
    "adagrad": AdaGrad,
}

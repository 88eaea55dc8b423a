"""Factors of users and items while they are learned: the loss over the whole catalog, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats, Int64s
from idealrank.data.ids import taken
from idealrank.data.interactions import Interactions
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.losses import Loss

_SCORES_PER_BLOCK = 1 << 21


@dataclass
class Factors:
    """The factors of all users and items.

    A score is the product of the factors of user and item, or of their directions if ``cosine``, over the temperature.

    Parameters
    ----------
    users, items : arrays of shape (n_users, n_factors) and (n_items, n_factors)
        The factors, both float64 or both float32; scores have the same type.
    cosine : bool
        Whether only the directions count.
    temperature : float
        What products are divided by.
    """

    users: Matrix
    items: Matrix
    cosine: bool
    temperature: float

    def final(self) -> tuple[Floats, Floats]:
        """Return factors of users and items whose plain products are the scores."""
        users, items = self.users.astype(np.float64), self.items.astype(np.float64)
        if self.cosine:
            users, items = directions(users)[0], directions(items)[0]
        return users / self.temperature, items

    def scores(self, users: Int64s) -> Matrix:
        """Return the scores of all items for these users."""
        own, items = self.users[users], self.items
        if self.cosine:
            own, items = directions(own)[0], directions(items)[0]
        product: Matrix = own @ items.T
        return product / self.temperature

    def loss(
        self, loss: Loss, interactions: Interactions, users: Int64s, weights: Floats, n_threads: int
    ) -> tuple[float, Matrix, Matrix]:
        """Return the mean loss of some users, and its derivatives by their factors and by those of all items.

        The loss of each user is multiplied by a weight. All scores of a user count, of items that the user has and of
        all others. They are computed for some users at a time and not kept. Products have the precision of the factors,
        the loss is computed in float64.
        """
        own, items = self.users[users], self.items
        if self.cosine:
            (own, own_norms), (items, item_norms) = directions(own), directions(items)
        by_users, by_items = np.empty_like(own), np.zeros_like(items)
        n_items, total = items.shape[0], 0.0
        size = max(1, _SCORES_PER_BLOCK // n_items)
        for start in range(0, users.size, size):
            some, block = users[start : start + size], own[start : start + size] / self.temperature
            scores = block @ items.T
            offsets = np.arange(0, scores.size + 1, n_items)
            ids = taken(interactions.user_ids, some)
            wide = scores.ravel().astype(np.float64, copy=False)
            lists = Lists(interactions.dense(some).ravel(), wide, offsets, query_ids=ids, n_threads=n_threads)
            with lists.with_locations():
                values, gradient = loss.values_and_gradient(lists)
            own_weights = weights[start : start + size]
            total += float(values @ own_weights)
            with np.errstate(over="ignore", invalid="ignore"):  # `_check_gradient` finds it
                slopes = np.multiply(
                    gradient.reshape(scores.shape), own_weights[:, None], out=scores, casting="same_kind"
                )
                by_users[start : start + size] = slopes @ items
                by_items += slopes.T @ block
        with np.errstate(over="ignore", invalid="ignore"):
            by_users /= users.size * self.temperature
            by_items /= users.size
            if self.cosine:
                by_users = backprop_normalize(by_users, own, own_norms)
                by_items = backprop_normalize(by_items, items, item_norms)
        for each in (by_users, by_items):
            _check_gradient(each, loss)
        return total / users.size, by_users, by_items


def _check_gradient(gradient: Matrix, loss: Loss) -> None:
    """Raise a DataError for a gradient that overflows, or whose squares, which the optimizers sum, would."""
    dtype = gradient.dtype
    most = float(np.sqrt(np.finfo(dtype).max))
    if not max(gradient.max(initial=0), -gradient.min(initial=0)) < most:  # also where it is NaN
        wider = "use dtype='float64', " if dtype == np.float32 else "use "
        raise DataError(
            f"the squared gradient of {loss} overflows {dtype}, the type of the factors: {wider}smaller labels, or a "
            "loss with a smaller gradient"
        )


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

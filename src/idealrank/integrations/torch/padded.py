"""Queries side by side in a rectangle, on the device of the scores, so that PyTorch needs no loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.integrations.torch.tensor_inputs import Batch
from idealrank.losses.loss_base import Loss
from idealrank.measures.discounts import Discount, Linear

__all__ = ["SIGMOIDS", "Formula", "NoFormulaError", "Padded", "differences", "formula_of"]

_Formula = TypeVar("_Formula")


#: Functions of z = slope (s_y - s_x) that can be summed over pairs.
SIGMOIDS: dict[str, Callable[[Tensor], Tensor]] = {
    "logistic": torch.sigmoid,
    "tanh": torch.sigmoid,
    "arctan": lambda z: 0.5 + z.arctan() / math.pi,
    "erf": lambda z: (1 + z.erf()) / 2,
    "softplus": lambda z: -logsigmoid(-z),
}


class Padded:
    """A batch as a rectangle of shape (n_queries, longest): ``scores``, 0 where ``real`` is False.

    ``lists`` has the same documents flat, on the CPU, for everything that depends only on labels.
    """

    def __init__(self, batch: Batch, lists: Lists) -> None:
        sizes = lists.sizes
        places = np.arange(sizes.max(initial=0))
        real = places < sizes[:, None]
        self._rows = np.where(real, lists.offsets[:-1, None] + places, 0)
        self._like = batch.scores
        kept = batch.scores if lists.rows is None else batch.scores[self.tensor(lists.rows)]
        self.lists = lists
        self.real = self.tensor(real)
        self.scores = torch.where(self.real, kept[self.tensor(self._rows)], 0)

    @cached_property
    def sizes(self) -> Tensor:
        """Documents per query, as a column."""
        return self.tensor(self.lists.sizes[:, None])

    @cached_property
    def others(self) -> Tensor:
        """Whether x and y are two documents of a query, of shape (n_queries, longest, longest)."""
        apart = ~torch.eye(self.real.shape[1], dtype=torch.bool, device=self.real.device)
        return self.real[:, :, None] & self.real[:, None, :] & apart

    def tensor(self, values: npt.NDArray[np.generic]) -> Tensor:
        """Return an array as a tensor, on the device of the scores and in their precision."""
        tensor = torch.as_tensor(values)
        return tensor.to(self._like) if tensor.is_floating_point() else tensor.to(self._like.device)

    def column(self, values: Floats | Int64s) -> Tensor:
        """Return one number per document as a rectangle, 0 where there is no document."""
        return torch.where(self.real, self.tensor(values)[self.tensor(self._rows)], 0)

    def spread(self, per_query: npt.NDArray[np.generic]) -> Tensor:
        """Return each query's number in its row."""
        return self.tensor(per_query[:, None])

    def totals(self, column: Tensor) -> Tensor:
        """Return the sum of each query."""
        return column.sum(1)

    def soft_sums(self, sigmoid: str, scores: Tensor, slope: float, weights: Tensor | None = None) -> Tensor:
        """Return sum_y w_y g(slope (s_y - s_x)) over the others y of each query; g is a sigmoid, or softplus."""
        each = SIGMOIDS[sigmoid](-slope * differences(scores))
        if weights is not None:
            each = each * weights[:, None, :]
        return torch.where(self.others, each, 0).sum(2)

    def is_above(self, values: Floats) -> Tensor:
        """Return whether x and y are two documents of a query and x has the larger of these numbers, however close."""
        return self.others & (differences(self.column(np.unique(values, return_inverse=True)[1])) > 0)

    def rank_weights(self, discount: Discount, depths: Int64s | None) -> Tensor:
        """Return the weights of the ranks 1, 2, ... of each query, 0 beyond its depth."""
        longest = self.real.shape[1]
        if isinstance(discount, Linear):
            ranks = torch.arange(1, longest + 1, device=self.real.device)
            weights = (self.sizes - ranks).clamp(min=0).to(self.scores.dtype)
        else:
            weights = self.tensor(discount.weights(longest)).expand(self.real.shape)
        counts = self.real if depths is None else self.real & self.within(depths)
        return torch.where(counts, weights, 0)

    def within(self, depths: Int64s) -> Tensor:
        """Return whether a place, counted from 0, is among the first ``depths`` of its query."""
        return torch.arange(self.real.shape[1], device=self.real.device) < self.tensor(depths[:, None])


class NoFormulaError(OptionError):
    """A loss or an option that can be computed only from NumPy arrays.

    Examples
    --------
    >>> print(NoFormulaError("bregman(psi=composed)"))
    bregman(psi=composed) has no formula in PyTorch: use backend='native'
    """

    def __init__(self, what: object) -> None:
        super().__init__(f"{what} has no formula in PyTorch: use backend='native'")


#: Computes one number per query from a loss, of the class that it is written for, and a batch.
Formula: TypeAlias = Callable[[Any, Any], Tensor]


def formula_of(loss: Loss, formulas: Mapping[type[Loss], _Formula], method: str) -> _Formula:
    """Return the formula of the nearest class of the loss that has one and whose method the loss does not override."""
    for cls in type(loss).__mro__:
        if cls in formulas and getattr(type(loss), method) is getattr(cls, method):
            return formulas[cls]
    raise NoFormulaError(loss)


def differences(column: Tensor) -> Tensor:
    """Return a_x - a_y for every two documents x and y of a query.

    Examples
    --------
    >>> differences(torch.tensor([[3, 1]]))
    tensor([[[ 0,  2],
             [-2,  0]]])
    """
    return column[:, :, None] - column[:, None, :]

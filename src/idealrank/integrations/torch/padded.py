"""Queries side by side in a rectangle, on the device of the scores, so that PyTorch needs no loop."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.integrations.torch.tensor_inputs import Batch
from idealrank.losses.loss_base import Loss
from idealrank.measures.discounts import Discount, Linear

__all__ = ["SIGMOIDS", "BatchLayout", "Formula", "NoFormulaError", "Padded", "differences", "formula_of"]

_Formula = TypeVar("_Formula")


#: Functions of z = slope (s_y - s_x) that can be summed over pairs.
SIGMOIDS: dict[str, Callable[[Tensor], Tensor]] = {
    "logistic": torch.sigmoid,
    "tanh": torch.sigmoid,
    "arctan": lambda z: 0.5 + z.arctan() / math.pi,
    "erf": lambda z: (1 + z.erf()) / 2,
    "softplus": lambda z: -logsigmoid(-z),
}


class BatchLayout(ABC):
    """A batch on the device of its scores, as a rectangle or as flat columns.

    ``lists`` has the same documents on the CPU, for everything that depends only on labels. ``sizes`` are the documents
    of each query, in a shape that goes with ``scores``.
    """

    sizes: Tensor

    def __init__(self, batch: Batch, lists: Lists) -> None:
        self._like, self.lists = batch.scores, lists
        self.scores = batch.scores if lists.rows is None else batch.scores[self.tensor(lists.rows)]

    def tensor(self, values: npt.NDArray[np.generic]) -> Tensor:
        """Return an array as a tensor, on the device of the scores and in their precision."""
        tensor = torch.as_tensor(values)
        return tensor.to(self._like) if tensor.is_floating_point() else tensor.to(self._like.device)

    @abstractmethod
    def column(self, values: Floats | Int64s) -> Tensor:
        """Return one number per document, 0 where there is no document."""

    @abstractmethod
    def spread(self, per_query: npt.NDArray[np.generic]) -> Tensor:
        """Return each query's number for each of its documents."""

    @abstractmethod
    def totals(self, column: Tensor) -> Tensor:
        """Return the sum of each query."""

    @abstractmethod
    def soft_sums(self, sigmoid: str, scores: Tensor, slope: float, weights: Tensor | None = None) -> Tensor:
        """Return sum_y w_y g(slope (s_y - s_x)) over the others y of each query; g is a sigmoid, or softplus."""

    @abstractmethod
    def rank_weights(self, discount: Discount, depths: Int64s | None) -> Tensor:
        """Return the weights of the ranks 1, 2, ... of each query, 0 beyond its depth."""

    @abstractmethod
    def in_rank_order(self, values: Booleans) -> Tensor:
        """Return what is true of each document in the order of the scores; equal scores in input order."""

    @abstractmethod
    def running(self, ranked: Tensor) -> Tensor:
        """Return the sums up to each rank of a query."""

    @abstractmethod
    def wholes(self, ranked: Tensor) -> Tensor:
        """Return the sum of each query for each of its ranks."""


class Padded(BatchLayout):
    """A batch as a rectangle of shape (n_queries, longest): ``scores``, 0 where ``real`` is False."""

    def __init__(self, batch: Batch, lists: Lists) -> None:
        super().__init__(batch, lists)
        places = np.arange(lists.sizes.max(initial=0))
        real = places < lists.sizes[:, None]
        self._rows = np.where(real, lists.offsets[:-1, None] + places, 0)
        self.real, self.sizes = self.tensor(real), self.tensor(lists.sizes[:, None])
        self.scores = torch.where(self.real, self.scores[self.tensor(self._rows)], 0)

    @cached_property
    def others(self) -> Tensor:
        """Whether x and y are two documents of a query, of shape (n_queries, longest, longest)."""
        apart = ~torch.eye(self.real.shape[1], dtype=torch.bool, device=self.real.device)
        return self.real[:, :, None] & self.real[:, None, :] & apart

    @cached_property
    def ranking(self) -> Tensor:
        """The places of the documents of each query from the highest score to the lowest."""
        return torch.where(self.real, self.scores, -torch.inf).argsort(dim=1, descending=True, stable=True)

    @cached_property
    def places(self) -> Tensor:
        """The rank of each document, counted from 0; equal scores in input order."""
        return self.ranking.argsort(dim=1)

    def column(self, values: Floats | Int64s) -> Tensor:
        return torch.where(self.real, self.tensor(values)[self.tensor(self._rows)], 0)

    def spread(self, per_query: npt.NDArray[np.generic]) -> Tensor:
        return self.tensor(per_query[:, None])

    def totals(self, column: Tensor) -> Tensor:
        return column.sum(1)

    def in_rank_order(self, values: Booleans) -> Tensor:
        return self.column(values.astype(np.int64)).bool().gather(1, self.ranking)

    def running(self, ranked: Tensor) -> Tensor:
        return ranked.cumsum(1)

    def wholes(self, ranked: Tensor) -> Tensor:
        return ranked.sum(1, keepdim=True)

    def soft_sums(self, sigmoid: str, scores: Tensor, slope: float, weights: Tensor | None = None) -> Tensor:
        each = SIGMOIDS[sigmoid](-slope * differences(scores))
        if weights is not None:
            each = each * weights[:, None, :]
        return torch.where(self.others, each, 0).sum(2)

    def is_above(self, values: Floats) -> Tensor:
        """Return whether x and y are two documents of a query and x has the larger of these numbers, however close."""
        return self.others & (differences(self.column(np.unique(values, return_inverse=True)[1])) > 0)

    def rank_weights(self, discount: Discount, depths: Int64s | None) -> Tensor:
        longest = self.real.shape[1]
        if isinstance(discount, Linear):
            ranks = torch.arange(1, longest + 1, device=self.real.device)
            weights = (self.sizes - ranks).clamp(min=0).to(self.scores.dtype)
        else:
            weights = self.tensor(discount.weights(longest)).expand(self.real.shape)
        if depths is None:
            return torch.where(self.real, weights, 0)
        within = torch.arange(longest, device=self.real.device) < self.tensor(depths[:, None])
        return torch.where(self.real & within, weights, 0)


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
    """Return the formula of the nearest class of the loss that has one and whose computation it does not override.

    Pairwise losses compute values in ``_sums``: one that overrides it is another function of the scores.
    """
    for cls in type(loss).__mro__:
        if cls in formulas and all(_inherits(type(loss), cls, name) for name in (method, "_sums")):
            return formulas[cls]
    raise NoFormulaError(loss)


def _inherits(cls: type[Loss], base: type[Loss], name: str) -> bool:
    return getattr(cls, name, None) is getattr(base, name, None)


def differences(column: Tensor) -> Tensor:
    """Return a_x - a_y for every two documents x and y of a query.

    Examples
    --------
    >>> differences(torch.tensor([[3, 1]]))
    tensor([[[ 0,  2],
             [-2,  0]]])
    """
    return column[:, :, None] - column[:, None, :]

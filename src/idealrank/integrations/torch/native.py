"""Losses of tensors on the CPU by the native kernels, with a gradient.

float64 tensors are not copied; float32 tensors are computed in float64 and get a float32 gradient. A compiled graph
holds the loss as a PyTorch operator, which takes tensors, numbers and text, so it refers to a loss by its name. Calling
an operator takes longer than most losses, so a loss outside a graph is an autograd function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor

from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.integrations.torch.tensor_inputs import Batch, as_array
from idealrank.losses import Loss

__all__ = ["name_of", "reduced", "values"]

_LOSSES: dict[str, Loss] = {}


def name_of(loss: Loss) -> str:
    """Return the name by which the operator finds this loss from now on.

    Examples
    --------
    >>> from idealrank.losses import ListMLE
    >>> name_of(ListMLE())
    'list_mle'
    """
    name = str(loss)
    while _LOSSES.setdefault(name, loss) != loss:
        name += "'"  # losses made of custom functions can differ although their texts are the same
    return name


def values(name: str, batch: Batch, n_threads: int | None) -> Tensor:
    """Return one number per query, in float64 and on the CPU, by an operator that a compiled graph can hold."""
    columns = batch.labels, batch.scores.cpu(), batch.offsets, batch.weights, batch.query_weights, batch.mask
    losses: Tensor = _loss(*columns, name, n_threads)[0]
    return losses


def reduced(
    loss: Loss,
    scores: Tensor,
    batch: Batch,
    divisor: Callable[[Batch], Tensor | int | None],
    n_threads: int | None,
) -> Tensor:
    """Return the sum of the losses over its divisor, or one value per query without one, in one step of autograd.

    ``scores`` are those of the batch as the caller passed them.
    """
    value: Tensor = _LossValue.apply(scores, batch, loss, divisor, n_threads)  # type: ignore[no-untyped-call]
    return value


def _values_and_gradient(
    labels: Tensor,
    scores: Tensor,
    offsets: Tensor,
    weights: Tensor | None,
    query_weights: Tensor | None,
    mask: Tensor | None,
    name: str,
    n_threads: int | None,
) -> tuple[Tensor, Tensor]:
    batch = Batch(labels, scores, offsets, weights, query_weights, mask)
    losses, gradient = _of_arrays(_LOSSES[name], batch, n_threads)
    return torch.from_numpy(losses), torch.from_numpy(gradient)


def _of_arrays(loss: Loss, batch: Batch, n_threads: int | None) -> tuple[Floats, npt.NDArray[Any]]:
    return loss(
        batch.labels.numpy(),
        batch.scores.detach().numpy() if batch.scores.is_cpu else batch.scores.detach().cpu().numpy(),
        None if batch.is_regular and batch.offsets.shape[0] == 2 else batch.offsets.numpy(),
        weights=as_array(batch.weights),
        query_weights=as_array(batch.query_weights),
        mask=as_array(batch.mask),
        n_threads=n_threads,
    )


def _times_by_value(gradient: Tensor, by_value: Tensor, offsets: Tensor) -> Tensor:
    """Return the gradient of each document times the derivative with respect to the value of its query."""
    if by_value.stride() == (0,) and len(by_value):  # one number for all queries, as in the gradient of a mean or a sum
        return gradient * by_value[0].to(gradient.dtype)
    return gradient * by_value.to(gradient.dtype).repeat_interleave(offsets.diff())


class _LossValue(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        scores: Tensor,
        batch: Batch,
        loss: Loss,
        divisor_of: Callable[[Batch], Tensor | int | None],
        n_threads: int | None,
    ) -> Tensor:
        losses, gradient = _of_arrays(loss, batch, n_threads)
        slopes, divisor = torch.from_numpy(gradient.reshape(scores.shape)), divisor_of(batch)
        if losses.size == 1 and divisor == 1:  # fewer operations, which take most of the time of short lists
            values = torch.from_numpy(losses.astype(gradient.dtype).reshape(()))
        else:
            values = torch.from_numpy(losses)
            if divisor is not None:
                values, slopes = values.sum() / divisor, slopes / divisor
            values = values.to(slopes.dtype)
        if slopes.dtype != scores.dtype or not scores.is_cpu:
            slopes, values = slopes.to(scores), values.to(scores.device)
        ctx.save_for_backward(slopes, scores)
        ctx.offsets = batch.offsets if divisor is None else None
        return values

    @staticmethod
    def backward(ctx: Any, by_value: Tensor) -> tuple[Tensor | None, ...]:
        gradient, scores = ctx.saved_tensors
        if torch.is_grad_enabled():  # the caller wants second derivatives
            gradient = _Constant.apply(gradient, scores)  # type: ignore[no-untyped-call]
        if ctx.offsets is not None:
            flat = _times_by_value(gradient.reshape(-1), by_value, ctx.offsets.to(by_value.device))
            return flat.reshape(scores.shape), *[None] * 4
        return gradient * by_value, *[None] * 4


class _Constant(torch.autograd.Function):
    """A gradient that depends on the scores in a way that has no derivative here."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, scores: Tensor) -> Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> None:
        _no_second_derivative()


_loss = torch.library.custom_op("idealrank::loss", _values_and_gradient, mutates_args=())


@_loss.register_fake
def _(labels: Tensor, scores: Tensor, offsets: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    return labels.new_empty(offsets.shape[0] - 1), torch.empty_like(scores)


_pulled = torch.library.custom_op("idealrank::loss_backward", _times_by_value, mutates_args=())


@_pulled.register_fake
def _(gradient: Tensor, *_: Any) -> Tensor:
    return torch.empty_like(gradient)


def _remember(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(output[1], inputs[2])


def _backward(ctx: Any, by_value: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    gradient, offsets = ctx.saved_tensors
    return None, _pulled(gradient, by_value, offsets), *[None] * 6


def _no_second_derivative(*_: Any) -> None:
    raise OptionError("the native kernels have no second derivatives: use backend='torch'")


_loss.register_autograd(_backward, setup_context=_remember)
_pulled.register_autograd(_no_second_derivative)

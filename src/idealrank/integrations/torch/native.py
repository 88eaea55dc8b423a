"""Losses of tensors on the CPU by the native kernels, with a gradient.

float64 tensors are not copied; float32 tensors are computed in float64 and get a float32 gradient. A compiled graph
holds the loss as a PyTorch operator, which takes tensors, numbers and text, so it refers to a loss by its name. Calling
an operator takes longer than most losses, so a loss outside a graph is an autograd function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.integrations.torch.tensor_inputs import Batch, as_array
from idealrank.losses import CrossEntropy, LeastSquares, Loss, Softmax
from idealrank.measures import gains

__all__ = ["kernel_of", "name_of", "of_batch", "reduced", "values"]

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


def kernel_of(loss: Loss) -> dict[str, Any] | None:
    """Return the options with which `batch_loss` computes this loss; None if it does not.

    Examples
    --------
    >>> from idealrank.losses import LeastSquares
    >>> kernel_of(LeastSquares())
    {'loss': 'squares', 'exp2': True}
    """
    exp2, linear = gains.Exp2(), gains.Linear()
    if type(loss) is Softmax:
        name, gain = "shares" if loss.is_normalized else "worth", loss.gain
    elif type(loss) is LeastSquares and loss.normalizer is None:
        name, gain = "squares", loss.gain or exp2
    elif type(loss) is CrossEntropy and loss.normalizer is None and loss.gain is None:
        name, gain = "logits", linear
    else:
        return None
    return {"loss": name, "exp2": gain == exp2} if gain in (exp2, linear) else None


def of_batch(
    kernel: dict[str, Any], labels: Any, scores: Any, mask: Any, reduction: str, n_threads: int | None
) -> Tensor | None:
    """Return the loss of tensors with one row per query, as `reduced`; None if they need its checks and conversions."""
    try:
        columns = labels.numpy(), scores.detach().numpy(), None if mask is None else mask.numpy()
        outcome: Any = _native.batch_loss(*columns, **kernel, reduction=reduction, n_threads=resolve_threads(n_threads))
    except (AttributeError, RuntimeError, TypeError):  # not tensors, not on the CPU, or of other types
        return None
    if outcome is None:
        return None
    value: Tensor = _LossValue.apply(scores, *outcome, None)  # type: ignore[no-untyped-call]
    return value


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
    losses, gradient = _of_arrays(loss, batch, n_threads)
    divide_by, offsets = divisor(batch), None
    values: Any = losses
    if divide_by is None:
        offsets = batch.offsets
    else:
        total = losses[0] if losses.size == 1 else torch.from_numpy(losses).sum().item()
        values = total / float(divide_by)
        gradient = gradient if divide_by == 1 else gradient / float(divide_by)
    columns = np.asarray(values, gradient.dtype), gradient.reshape(scores.shape)
    value: Tensor = _LossValue.apply(scores, *columns, offsets)  # type: ignore[no-untyped-call]
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


def _times_by_value(gradient: Tensor, by_value: Tensor, offsets: Tensor | None) -> Tensor:
    """Return the gradient of each document times the derivative with respect to the value of its query."""
    if by_value.ndim == 0:
        return gradient * by_value
    if offsets is None:  # one row per query
        return gradient * (by_value[:, None] if gradient.ndim == 2 else by_value)
    if by_value.stride() == (0,) and len(by_value):  # one number for all queries, as in the gradient of a mean or a sum
        return gradient * by_value[0].to(gradient.dtype)
    each = by_value.to(gradient.dtype).repeat_interleave(offsets.to(by_value.device).diff())
    return gradient * each.reshape(gradient.shape)


class _LossValue(torch.autograd.Function):
    """Values of queries, or one number, with their gradient; ``offsets`` divide queries that are not rows."""

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, values: npt.NDArray[Any], gradient: npt.NDArray[Any], offsets: Tensor | None
    ) -> Tensor:
        losses, slopes = torch.from_numpy(values), torch.from_numpy(gradient)
        if slopes.dtype != scores.dtype or not scores.is_cpu:
            losses, slopes = losses.to(scores.device), slopes.to(scores)
        ctx.save_for_backward(slopes, scores)
        ctx.offsets = offsets
        return losses

    @staticmethod
    def backward(ctx: Any, by_value: Tensor) -> tuple[Tensor | None, ...]:
        gradient, scores = ctx.saved_tensors
        if torch.is_grad_enabled():  # the caller wants second derivatives
            gradient = _Constant.apply(gradient, scores)  # type: ignore[no-untyped-call]
        return _times_by_value(gradient, by_value, ctx.offsets), None, None, None


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

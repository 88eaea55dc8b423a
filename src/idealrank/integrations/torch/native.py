"""Losses of tensors on the CPU by the native kernels: a PyTorch operator with a gradient.

float64 tensors are not copied; float32 tensors are computed in float64 and get a float32 gradient. An operator takes
tensors, numbers and text, so it refers to a loss by its name.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from idealrank.errors import OptionError
from idealrank.integrations.torch.tensor_inputs import Batch, as_array
from idealrank.losses import Loss

__all__ = ["name_of", "values"]

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
    """Return one number per query, in float64 and on the CPU."""
    columns = batch.labels, batch.scores.cpu(), batch.offsets, batch.weights, batch.query_weights, batch.mask
    losses: Tensor = _loss(*columns, name, n_threads)[0]
    return losses


@torch.library.custom_op("idealrank::loss", mutates_args=())
def _loss(
    labels: Tensor,
    scores: Tensor,
    offsets: Tensor,
    weights: Tensor | None,
    query_weights: Tensor | None,
    mask: Tensor | None,
    name: str,
    n_threads: int | None,
) -> tuple[Tensor, Tensor]:
    losses, gradient = _LOSSES[name](
        labels.numpy(),
        scores.detach().numpy(),
        offsets.numpy(),
        weights=as_array(weights),
        query_weights=as_array(query_weights),
        mask=as_array(mask),
        n_threads=n_threads,
    )
    return torch.from_numpy(losses), torch.from_numpy(gradient)


@_loss.register_fake
def _(labels: Tensor, scores: Tensor, offsets: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    return labels.new_empty(offsets.shape[0] - 1), torch.empty_like(scores)


@torch.library.custom_op("idealrank::loss_backward", mutates_args=())
def _pulled(gradient: Tensor, by_value: Tensor, offsets: Tensor) -> Tensor:
    return gradient * by_value.to(gradient.dtype).repeat_interleave(offsets.diff())


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

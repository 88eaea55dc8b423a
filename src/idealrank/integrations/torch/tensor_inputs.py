"""Tensors, flat or padded, converted to flat columns that fit together."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from idealrank.errors import DataError

__all__ = ["Batch", "Numbers", "as_array", "flat"]

#: Inputs that do not depend on the model: a tensor on any device, an array or a list.
Numbers: TypeAlias = Tensor | npt.ArrayLike


class Batch(NamedTuple):
    """Flat columns: the scores on their device, at least float32; all others on the CPU, where labels are used.

    ``labels``, ``weights`` and ``query_weights`` are float64, ``offsets`` int64, ``mask`` bool. ``is_regular`` means
    that there were no offsets: all queries have the same number of entries, and at least one.
    """

    labels: Tensor
    scores: Tensor
    offsets: Tensor
    weights: Tensor | None
    query_weights: Tensor | None
    mask: Tensor | None
    is_regular: bool = False

    def sizes(self) -> Tensor:
        """Return the number of documents of each query that the mask keeps."""
        if self.mask is None:
            return self.offsets.diff()
        if self.is_regular:
            return self.mask.view(self.offsets.shape[0] - 1, -1).sum(1)
        return torch.cat([self.offsets.new_zeros(1), self.mask.cumsum(0)])[self.offsets].diff()

    def pairs(self) -> Tensor:
        """Return the number of pairs of documents of each query that have different labels."""
        queries = torch.repeat_interleave(torch.arange(self.offsets.numel() - 1), self.offsets.diff())
        rows = torch.stack([queries.to(self.labels), self.labels])
        groups, counts = torch.unique(rows if self.mask is None else rows[:, self.mask], dim=1, return_counts=True)
        alike = torch.zeros_like(self.offsets[1:]).index_add(0, groups[0].long(), counts**2)
        return (self.sizes() ** 2 - alike) // 2


def flat(
    labels: Numbers,
    scores: Tensor,
    offsets: Numbers | None,
    mask: Numbers | None,
    weights: Numbers | None,
    query_weights: Numbers | None,
) -> Batch:
    """Return the columns of one flat list, of flat lists divided by offsets, or of a rectangle with one row per query.

    Examples
    --------
    >>> flat([[1, 0], [0, 2]], torch.zeros(2, 2), None, None, None, None).offsets
    tensor([0, 2, 4])
    """
    if not isinstance(scores, Tensor):
        raise DataError(f"scores must be a tensor, got {type(scores).__name__}")
    if not scores.is_floating_point():
        raise DataError(f"scores must be floating point numbers, got {scores.dtype}: they have no gradient otherwise")
    if scores.device.type == "meta":
        raise DataError("scores are on the device 'meta', which holds no values: materialize the model first")
    if scores.ndim not in (1, 2):
        shape = tuple(scores.shape)
        raise DataError(f"scores must be flat or have one row per query, got shape {shape}: use squeeze or reshape")
    if scores.ndim == 2 and offsets is not None:
        raise DataError("offsets divide flat scores: leave them out if scores have one row per query")
    return Batch(
        _column(_numbers(labels, "labels"), "labels", scores),
        _flattened(scores if scores.dtype in _WIDE else scores.to(torch.promote_types(scores.dtype, torch.float32))),
        _offsets(offsets, scores),
        None if weights is None else _column(_numbers(weights, "weights"), "weights", scores),
        None if query_weights is None else _numbers(query_weights, "query_weights"),
        None if mask is None else _column(_truths(mask), "mask", scores),
        offsets is None and scores.numel() > 0,
    )


# Each operation of PyTorch costs about a microsecond, also where there is nothing to do; short lists take few.
_WIDE = (torch.float32, torch.float64)


def _flattened(tensor: Tensor) -> Tensor:
    return tensor if tensor.ndim == 1 else tensor.reshape(-1)


def _tensor(values: Numbers, name: str) -> Tensor:
    if isinstance(values, Tensor):
        return values
    if isinstance(values, np.ndarray) and not values.flags.writeable:
        values = values.copy()  # PyTorch has no read-only tensors
    try:
        return torch.as_tensor(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(f"{name} must be a tensor or an array: {error}") from None


def _numbers(values: Numbers, name: str) -> Tensor:
    tensor = _tensor(values, name)
    if tensor.requires_grad:
        raise DataError(f"{name} require a gradient, but a loss depends on them as constants: pass {name}.detach()")
    if tensor.is_complex():
        raise DataError(f"{name} must be real numbers, got {tensor.dtype}")
    return tensor if tensor.dtype == torch.float64 and tensor.is_cpu else tensor.to("cpu", torch.float64)


def _truths(values: Numbers) -> Tensor:
    tensor = _tensor(values, "mask")
    if tensor.dtype != torch.bool:
        raise DataError(f"mask must be True or False, got {tensor.dtype}")
    return tensor.cpu()


def _column(tensor: Tensor, name: str, scores: Tensor) -> Tensor:
    if tensor.shape != scores.shape:
        raise DataError(f"{name} must have the shape of scores, {tuple(scores.shape)}, got {tuple(tensor.shape)}")
    return _flattened(tensor)


def _offsets(offsets: Numbers | None, scores: Tensor) -> Tensor:
    if offsets is None:
        n_queries, length = (1, scores.shape[0]) if scores.ndim == 1 else scores.shape
        return _regular(n_queries, length) if torch.compiler.is_compiling() else _known_regular(n_queries, length)
    cut = _tensor(offsets, "offsets")
    if cut.ndim != 1 or cut.shape[0] == 0 or cut.is_floating_point() or cut.is_complex() or cut.dtype == torch.bool:
        raise DataError(f"offsets must be integers, n_queries + 1 of them, got {cut.dtype} of shape {tuple(cut.shape)}")
    return cut.to("cpu", torch.int64)


def _regular(n_queries: int, length: int) -> Tensor:
    return torch.arange(n_queries + 1) * length


_known_regular = functools.lru_cache(maxsize=16)(_regular)


def as_array(tensor: Tensor | None) -> npt.NDArray[Any] | None:
    """Return the same numbers as an array, not copied."""
    return None if tensor is None else tensor.numpy()

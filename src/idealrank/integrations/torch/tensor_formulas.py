"""Losses in PyTorch's own operations, for scores on any device; PyTorch computes the gradients, of any order.

Scores never leave their device unless one of them is not finite: everything that depends only on labels (gains, ideal
DCGs, targets) is computed on the CPU by the code for arrays. Short lists are a rectangle as wide as the longest query,
in which every pair of documents is visited; `long_lists` sums over pairs without visiting them, for losses that permit
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from idealrank.data.columns import weight_column
from idealrank.data.lists import Lists
from idealrank.errors import DataError
from idealrank.integrations.torch import long_lists, tensor_direct, tensor_listwise, tensor_pairwise
from idealrank.integrations.torch.padded import Formula, NoFormulaError, Padded, formula_of
from idealrank.integrations.torch.tensor_inputs import Batch, as_array
from idealrank.losses import Loss
from idealrank.losses.segments import check_finite

__all__ = ["FORMULAS", "values"]

#: The formula of each class, and of its subclasses that do not override the computation.
FORMULAS: Mapping[type[Loss], Formula] = tensor_direct.FORMULAS | tensor_listwise.FORMULAS | tensor_pairwise.FORMULAS


def values(loss: Loss, batch: Batch) -> Tensor:
    """Return one number per query, on the device of the scores and in their precision."""
    if torch.compiler.is_compiling():
        # Only here: as a decorator it would load the compiler, which takes as long as the rest of PyTorch.
        return torch.compiler.disable(_values)(loss, batch)  # type: ignore[no-any-return, no-untyped-call]
    return _values(loss, batch)


def _values(loss: Loss, batch: Batch) -> Tensor:
    lists = _lists(batch)
    with lists.with_locations():
        check_finite(lists.labels, lists.offsets, "label")
        values = _formula_values(loss, batch, lists)
    beyond = (~values.isfinite()).nonzero()
    if len(beyond):
        raise DataError(f"{loss} overflows at these scores: scale them down", query=int(beyond[0]))
    if batch.query_weights is None:
        return values
    weight_column(batch.query_weights.numpy(), lists.n_queries, "query_weights", "query")
    return values * batch.query_weights.to(values)


def _lists(batch: Batch) -> Lists:
    """Return the documents on the CPU; their scores stay where they are, and are 0 here, unless one is not finite."""
    scores = batch.scores.detach()
    others: dict[str, Any] = {"weights": as_array(batch.weights), "mask": as_array(batch.mask)}
    kept = scores if batch.mask is None else torch.where(batch.mask.to(scores.device), scores, 0)
    if not kept.isfinite().all():
        lists = Lists.of(batch.labels.numpy(), scores.cpu().numpy(), batch.offsets.numpy(), **others)
        with lists.with_locations():
            check_finite(lists.scores, lists.offsets, "score")
    return Lists.of(batch.labels.numpy(), torch.zeros(scores.shape).numpy(), batch.offsets.numpy(), **others)


def _formula_values(loss: Loss, batch: Batch, lists: Lists) -> Tensor:
    if long_lists.is_long(lists):
        with suppress(NoFormulaError):
            return formula_of(loss, long_lists.FORMULAS, "values_and_gradient")(loss, long_lists.Flat(batch, lists))
    formula = formula_of(loss, FORMULAS, "values_and_gradient")
    rectangle = Padded(batch, lists)
    return formula(loss, rectangle) if rectangle.real.numel() else rectangle.scores.sum(1)

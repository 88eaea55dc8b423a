"""Any loss as a function of tensors and as a module."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, TypeAlias, get_args

from idealrank import losses
from idealrank._base.extras import needs
from idealrank._base.grammar import unknown
from idealrank.integrations.torch import formulas, native
from idealrank.integrations.torch.inputs import Batch, Numbers, flat
from idealrank.integrations.torch.padded import NoFormulaError
from idealrank.losses import Loss

with needs("torch"):
    import torch
    from torch import Tensor, nn

__all__ = ["RankingLoss", "function", "module"]

Reduction: TypeAlias = Literal["mean", "sum", "none"]
Backend: TypeAlias = Literal["auto", "native", "torch"]


class RankingLoss(nn.Module):
    """Any loss of `idealrank.losses`, one of your own included, as a module: ``RankingLoss(loss)(labels, scores)``.

    A relevant document and another one with equal scores are in the right order by chance 1/2, so -log(1/2):

    >>> scores = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    >>> value = RankingLoss("list_mle")([1, 0], scores)
    >>> value
    tensor(0.6931, dtype=torch.float64, grad_fn=...)
    >>> value.backward()
    >>> scores.grad
    tensor([-0.5000,  0.5000], dtype=torch.float64)
    """

    def __init__(
        self,
        loss: Loss | str,
        *,
        reduction: Reduction = "mean",
        backend: Backend = "auto",
        n_threads: int | None = None,
    ) -> None:
        super().__init__()
        self.loss = losses.loss(loss)
        self.reduction = _one_of(reduction, Reduction, "reduction")
        self.backend = _one_of(backend, Backend, "backend")
        self.n_threads = n_threads
        self._name = native.name_of(self.loss)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._name = native.name_of(self.loss)  # another process has not met it yet

    def forward(
        self,
        labels: Numbers,
        scores: Tensor,
        offsets: Numbers | None = None,
        *,
        mask: Numbers | None = None,
        weights: Numbers | None = None,
        query_weights: Numbers | None = None,
    ) -> Tensor:
        """The value of each query, or their mean or sum."""
        batch = flat(labels, scores, offsets, mask, weights, query_weights)
        return self._reduced(self._values(batch), batch).to(batch.scores)

    def _values(self, batch: Batch) -> Tensor:
        if self.backend == "torch":
            return formulas.values(self.loss, batch)
        if self.backend == "auto" and not is_on_cpu(batch.scores):
            with suppress(NoFormulaError):
                return formulas.values(self.loss, batch)
        return native.values(self._name, batch, self.n_threads)

    def _reduced(self, values: Tensor, batch: Batch) -> Tensor:
        if self.reduction == "none":
            return values
        if self.reduction == "sum":
            return values.sum()
        counted = batch.sizes() > 0
        if batch.query_weights is not None:
            counted = counted * batch.query_weights
        total = counted.sum().to(values)
        return values.sum() / torch.where(total > 0, total, 1)

    def extra_repr(self) -> str:
        return f"{self.loss}, reduction={self.reduction!r}"


def is_on_cpu(scores: Tensor) -> bool:
    """Return whether the native kernels can read the scores where they are."""
    return scores.device.type == "cpu"


def _one_of(word: str, words: Any, what: str) -> Any:
    if word not in get_args(words):
        raise unknown(what, word, get_args(words))
    return word


def module(cls: type[Loss]) -> type[RankingLoss]:
    """Losses of one class as modules, made from the options of the class.

    >>> module(losses.ApproxNDCG)(alpha=20)
    ApproxNDCG(approx_ndcg(alpha=20), reduction='mean')
    """

    def __init__(  # noqa: N807
        self: RankingLoss,
        *first: Any,
        reduction: Reduction = "mean",
        backend: Backend = "auto",
        n_threads: int | None = None,
        **options: Any,
    ) -> None:
        RankingLoss.__init__(self, cls(*first, **options), reduction=reduction, backend=backend, n_threads=n_threads)

    made = type(cls.__name__, (RankingLoss,), {"__init__": __init__})
    _describe(made, cls, RankingLoss.__init__, f"`idealrank.losses.{cls.__name__}` as a module")
    return made


def function(cls: type[Loss]) -> Callable[..., Tensor]:
    """Losses of one class as a function of tensors; options come after them, by keyword.

    >>> function(losses.Hinge)([1, 0], torch.tensor([0.5, 0.25]), margin=2)
    tensor(1.7500)
    """

    def of_tensors(
        labels: Numbers,
        scores: Tensor,
        offsets: Numbers | None = None,
        *,
        mask: Numbers | None = None,
        weights: Numbers | None = None,
        query_weights: Numbers | None = None,
        reduction: Reduction = "mean",
        backend: Backend = "auto",
        n_threads: int | None = None,
        **options: Any,
    ) -> Tensor:
        made = RankingLoss(cls(**options), reduction=reduction, backend=backend, n_threads=n_threads)
        value: Tensor = made(labels, scores, offsets, mask=mask, weights=weights, query_weights=query_weights)
        return value

    of_tensors.__name__ = of_tensors.__qualname__ = cls.label
    _describe(of_tensors, cls, of_tensors, f"`idealrank.losses.{cls.__name__}` of tensors")
    return of_tensors


def _describe(made: Any, cls: type[Loss], call: Callable[..., Any], what: str) -> None:
    """Where it is found, and for `help` the options in place of the dots."""
    named = [
        each for each in inspect.signature(call).parameters.values() if each.name not in ("self", "loss", "options")
    ]
    options = [
        each.replace(kind=each.KEYWORD_ONLY)
        for each in inspect.signature(cls.__init__).parameters.values()
        if each.name != "self"
    ]
    made.__signature__ = inspect.Signature([*named, *options])
    made.__module__ = __package__
    first_line = (cls.__doc__ or "").partition("\n")[0]
    made.__doc__ = f"{first_line}\n\n{what}: the same options, beside those of `RankingLoss`."

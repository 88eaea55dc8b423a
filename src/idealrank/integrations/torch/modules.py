"""Any loss as a module and as a function of tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeAlias, get_args

import torch
from torch import Tensor, nn

from idealrank import losses
from idealrank._names.options import unknown
from idealrank.errors import OptionError
from idealrank.integrations.torch import native, tensor_formulas
from idealrank.integrations.torch.padded import NoFormulaError
from idealrank.integrations.torch.tensor_inputs import Batch, Numbers, flat
from idealrank.losses import Loss
from idealrank.losses.pairwise import Pairwise

__all__ = ["RankingLoss", "function", "module"]

Reduction: TypeAlias = Literal["mean", "sum", "pairs", "none"]
Backend: TypeAlias = Literal["auto", "native", "torch"]


class RankingLoss(nn.Module):
    """A module for any loss of `idealrank.losses`, including your own: ``RankingLoss(loss)(labels, scores)``.

    Parameters
    ----------
    loss : str or Loss
        The loss or its name.
    reduction : {"mean", "sum", "pairs", "none"}
        "mean" is the mean over the queries that have documents, weighted by ``query_weights``, as in
        `learners.LinearRanker`; "sum" is the sum over queries; "none" returns one value per query. "pairs", for
        pairwise losses, is the mean over all pairs of documents with different labels in the batch: gradients do not
        grow with the length of the lists, and learning rates of packages that average over pairs fit. The value of a
        query with nothing to rank is 0, and so is the mean of no queries or pairs.
    backend : {"auto", "native", "torch"}
        "native" computes on the CPU, in linear memory and, with few exceptions, near-linear time, and has first
        derivatives only; scores on another device are copied to the CPU, and their gradients are copied back. "torch"
        computes with PyTorch operations on any device, and has derivatives of any order. It takes near-linear time for
        long lists with pairwise losses, LambdaRank and losses of logistic soft ranks. For other losses with pairs, and
        for short lists, it visits all pairs of a query, in a rectangle as wide as the longest query; listwise losses
        and softmax losses have no pairs. "auto" computes on the device of the scores; a loss without a formula in
        PyTorch is always computed by "native".
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Examples
    --------
    A relevant document and another one with equal scores are in the right order with probability 1/2, so -log(1/2):

    >>> import torch
    >>> from idealrank.integrations.torch import RankingLoss
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
        if reduction == "pairs" and not (isinstance(self.loss, Pairwise) and self.loss.normalize == "none"):
            raise OptionError(
                f"reduction='pairs' is for pairwise losses that are sums over pairs, got {self.loss}: use 'mean'"
            )

    @property
    def loss(self) -> Loss:
        """The loss."""
        return self._loss

    @loss.setter
    def loss(self, loss: Loss) -> None:
        self._loss, self._name, self._kernel = loss, native.name_of(loss), native.kernel_of(loss)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self.loss = self._loss  # its name is not known yet in another process

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
        """Compute the loss of each query, or its mean or sum over queries.

        Parameters
        ----------
        labels : tensor or array-like
            The label of each document.
        scores : Tensor
            The score of each document: flat, or one row per query.
        offsets : tensor or array-like, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]`` of flat scores; None means one query.
        mask : tensor or array-like of bool, optional
            False for entries that are not documents; None means that all entries are documents.
        weights, query_weights : tensor or array-like, optional
            One weight per document, and one weight per query, as in `idealrank.losses.Loss`; None means 1 for all.

        Returns
        -------
        Tensor
            A scalar, or one value per query if ``reduction`` is "none".

        Raises
        ------
        DataError
            If the shapes of the arguments do not match, a number is not finite, or the loss overflows.
        """
        is_plain = offsets is None and weights is None and query_weights is None and self.backend != "torch"
        if is_plain and self._kernel is not None and not torch.compiler.is_compiling():
            value = native.of_batch(self._kernel, labels, scores, mask, self.reduction, self.n_threads)
            if value is not None:
                return value
        batch = flat(labels, scores, offsets, mask, weights, query_weights)
        if self.backend == "torch":
            return self._reduced(tensor_formulas.values(self.loss, batch), batch)
        if self.backend == "auto" and not is_on_cpu(batch.scores):
            with suppress(NoFormulaError):
                return self._reduced(tensor_formulas.values(self.loss, batch), batch)
        if torch.compiler.is_compiling():
            return self._reduced(native.values(self._name, batch, self.n_threads), batch)
        return native.reduced(self.loss, scores, batch, self._divisor, self.n_threads)

    def _reduced(self, values: Tensor, batch: Batch) -> Tensor:
        divisor = self._divisor(batch)
        return (values if divisor is None else values.sum() / divisor).to(batch.scores)

    def _divisor(self, batch: Batch) -> Tensor | int | None:
        """Return what the sum over queries is divided by; None if there is one value per query."""
        if self.reduction == "none":
            return None
        if self.reduction == "sum":
            return 1
        if self.reduction == "mean" and batch.is_regular and batch.mask is None and batch.query_weights is None:
            return batch.offsets.shape[0] - 1
        counted = batch.pairs() if self.reduction == "pairs" else batch.sizes() > 0
        if batch.query_weights is None:
            return counted.sum().clamp(min=1)
        total = (counted * batch.query_weights).sum()
        return torch.where(total > 0, total, 1)

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
    """Return the module of a loss class: its options are those of the class and of `RankingLoss`.

    >>> module(losses.ApproxNDCG)(alpha=20)
    ApproxNDCG(approx_ndcg(alpha=20), reduction='mean')
    """

    def __init__(self: RankingLoss, *first: Any, **options: Any) -> None:  # noqa: N807
        own = {name: options.pop(name) for name in _OWN_OPTIONS & options.keys()}
        RankingLoss.__init__(self, cls(*first, **options), **own)

    made = type(cls.__name__, (RankingLoss,), {"__init__": __init__})
    _describe(made, cls, [RankingLoss.__init__], f"`idealrank.losses.{cls.__name__}` as a module")
    return made


def function(cls: type[Loss]) -> Callable[..., Tensor]:
    """Return the function of tensors of a loss class: options follow the tensors, by keyword.

    >>> function(losses.Hinge)([1, 0], torch.tensor([0.5, 0.25]), margin=2)
    tensor(1.7500)
    """
    made = module(cls)

    def of_tensors(*columns: Any, **options: Any) -> Tensor:
        named = {name: options.pop(name) for name in _COLUMNS & options.keys()}
        value: Tensor = made(**options)(*columns, **named)
        return value

    of_tensors.__name__ = of_tensors.__qualname__ = cls.label
    calls: list[Callable[..., Any]] = [RankingLoss.forward, RankingLoss.__init__]
    _describe(of_tensors, cls, calls, f"`idealrank.losses.{cls.__name__}` of tensors")
    return of_tensors


_OWN_OPTIONS, _COLUMNS = (
    inspect.signature(call).parameters.keys() - {"self", "loss"} for call in (RankingLoss.__init__, RankingLoss.forward)
)


def _describe(made: Any, cls: type[Loss], calls: Sequence[Callable[..., Any]], what: str) -> None:
    """Set the module, the docstring and the signature: the parameters of these calls, then the options of the loss."""
    named = [each for call in calls for each in inspect.signature(call).parameters.values()]
    options = inspect.signature(cls.__init__).parameters.values()
    parameters = [*named, *(each.replace(kind=each.KEYWORD_ONLY) for each in options)]
    made.__signature__ = inspect.Signature([each for each in parameters if each.name not in ("self", "loss")])
    made.__module__ = __package__
    first_line = (cls.__doc__ or "").partition("\n")[0]
    made.__doc__ = f"{first_line}\n\n{what}: the same options, in addition to those of `RankingLoss`."

"""Any loss over the whole catalog, for models with an embedding of each user and each item."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from idealrank import losses
from idealrank._core.threads import resolve_threads
from idealrank._names.options import unknown
from idealrank.data.interactions import Interactions
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.io.interaction_inputs import sparse_interactions
from idealrank.losses import Loss

__all__ = ["CatalogLoss"]

Similarity: TypeAlias = Literal["cosine", "dot"]

_SCORES_PER_BLOCK = 1 << 21


class CatalogLoss(nn.Module):
    """The exact loss of users over all items, without the matrix of all scores in memory.

    It is meant for two-tower models: ``CatalogLoss("lambda_rank")(user_embeddings, item_embeddings, positives)`` is the
    loss that `learners.FactorRanker` minimizes, with gradients for the embeddings. The score of an item for a user is
    the similarity of their embeddings, divided by the temperature. The forward pass computes scores and their
    derivatives for some users at a time, and keeps only the gradients of the embeddings for the backward pass.

    Matrix products are computed on the device of the embeddings; the loss is computed on the CPU, in float64.

    Parameters
    ----------
    loss : str or Loss
        The loss or its name.
    similarity : {"cosine", "dot"}
        The similarity of two embeddings: their cosine or their dot product.
    temperature : float
        The similarity is divided by it; the smaller it is, the more the loss depends on the items with the highest
        scores.
    reduction : {"mean", "sum"}
        Whether to return the mean or the sum over users.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Examples
    --------
    One user and two items with the same score, of which the first is relevant: RankNet's loss is ln 2.

    >>> import torch
    >>> from scipy.sparse import csr_array
    >>> from idealrank.integrations.torch import CatalogLoss
    >>> user, items = torch.ones(1, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    >>> value = CatalogLoss("pairwise_logistic", similarity="dot", temperature=1.0)(user, items, csr_array([[1, 0]]))
    >>> value
    tensor(0.6931, grad_fn=...)
    >>> value.backward()
    >>> items.grad
    tensor([[-0.5000, -0.5000],
            [ 0.5000,  0.5000]])
    """

    def __init__(
        self,
        loss: Loss | str,
        *,
        similarity: Similarity = "cosine",
        temperature: float = 0.2,
        reduction: Literal["mean", "sum"] = "mean",
        n_threads: int | None = None,
    ) -> None:
        super().__init__()
        self.loss = losses.loss(loss)
        if similarity not in ("cosine", "dot"):
            raise unknown("similarity", similarity, ("cosine", "dot"))
        if reduction not in ("mean", "sum"):
            raise unknown("reduction", reduction, ("mean", "sum"))
        if not 0 < temperature < float("inf"):
            raise OptionError(f"temperature must be a number above 0, got {temperature!r}")
        self.similarity, self.temperature, self.reduction = similarity, float(temperature), reduction
        self.n_threads = n_threads

    def forward(self, users: Tensor, items: Tensor, positives: Any) -> Tensor:
        """Compute the mean or the sum of the losses of the users.

        Parameters
        ----------
        users : Tensor of shape (n_users, n_factors)
            The embeddings of some users.
        items : Tensor of shape (n_items, n_factors)
            The embeddings of all items.
        positives : SciPy sparse matrix or sparse CSR tensor of shape (n_users, n_items)
            The label of each item for each of these users; entries that are not stored are 0. For a batch of users,
            pass ``matrix[batch]``.

        Returns
        -------
        Tensor
            The loss, a scalar.

        Raises
        ------
        DataError
            If shapes do not match, an embedding is not finite, or a label is negative.
        """
        for name, given in (("users", users), ("items", items)):
            _check_embeddings(given, name)
        if users.shape[1] != items.shape[1]:
            raise DataError(
                f"embeddings must be equally long, got shapes {tuple(users.shape)} and {tuple(items.shape)}"
            )
        if users.dtype != items.dtype:
            raise DataError(f"embeddings must have one dtype, got {users.dtype} and {items.dtype}")
        if not users.shape[0]:
            raise DataError("there are no users")
        relevant = _interactions(positives, (users.shape[0], items.shape[0]))
        if self.similarity == "cosine":
            users, items = nn.functional.normalize(users, dim=1), nn.functional.normalize(items, dim=1)
        threads = resolve_threads(self.n_threads)
        total: Tensor = _Total.apply(users / self.temperature, items, relevant, self.loss, threads)  # type: ignore[no-untyped-call]
        return total / users.shape[0] if self.reduction == "mean" else total

    def extra_repr(self) -> str:
        return f"{self.loss}, similarity={self.similarity!r}, temperature={self.temperature}"


def _check_embeddings(given: Any, name: str) -> None:
    if not isinstance(given, Tensor) or given.ndim != 2 or not given.is_floating_point():
        got = tuple(given.shape) if isinstance(given, Tensor) else type(given).__name__
        raise DataError(f"{name} must be a tensor of floating point numbers with two dimensions, got {got}")


def _interactions(positives: Any, shape: tuple[int, int]) -> Interactions:
    if isinstance(positives, Tensor):
        if positives.layout != torch.sparse_csr:
            raise DataError(f"positives must be a sparse CSR tensor or a SciPy sparse matrix, got {positives.layout}")
        from scipy.sparse import csr_array

        own = positives.detach().cpu()
        parts = own.values().numpy(), own.col_indices().numpy(), own.crow_indices().numpy()
        positives = csr_array(parts, shape=tuple(own.shape))
    return sparse_interactions(positives, "positives", shape)


class _Total(torch.autograd.Function):
    """The sum of the losses of users, with its gradient computed on the way."""

    @staticmethod
    def forward(ctx: Any, users: Tensor, items: Tensor, relevant: Interactions, loss: Loss, n_threads: int) -> Tensor:
        n_items = items.shape[0]
        size = max(1, _SCORES_PER_BLOCK // max(1, n_items))
        by_users, by_items = torch.empty_like(users), torch.zeros_like(items)
        total = 0.0
        for start in range(0, users.shape[0], size):
            block = users[start : start + size]
            rows = np.arange(start, start + block.shape[0])
            scores = (block @ items.T).to("cpu", torch.float64).numpy()
            offsets = np.arange(rows.size + 1) * n_items
            lists = Lists(relevant.dense(rows).ravel(), scores.ravel(), offsets, query_ids=rows, n_threads=n_threads)
            try:
                values, gradient = loss.values_and_gradient(lists)
            except DataError as error:
                user = f" (user {rows[error.query]} of the batch)" if isinstance(error.query, int) else ""
                raise DataError(f"{error.what}{user}") from None
            total += float(values.sum())
            slopes = torch.from_numpy(gradient.reshape(scores.shape)).to(block)
            by_users[start : start + size] = slopes @ items
            by_items += slopes.T @ block
        ctx.save_for_backward(by_users, by_items)
        return users.new_tensor(total)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, by_total: Tensor) -> tuple[Tensor | None, ...]:
        by_users, by_items = ctx.saved_tensors
        return by_total * by_users, by_total * by_items, None, None, None

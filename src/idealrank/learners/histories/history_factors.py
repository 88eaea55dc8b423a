"""Factors of items that predict one half of a user's history from the other half."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from idealrank._core.seeds import generator
from idealrank._names.options import number, option, seed
from idealrank._typing import Booleans, Float32s, Floats, Int64s
from idealrank.data.columns import group_of_each
from idealrank.data.interactions import Interactions
from idealrank.learners.catalog_learner import CatalogLearner
from idealrank.learners.histories.history_learner import HistoryLearner, history_matrix

#: A user counts by this power of the number of items to predict.
_USER_POWER = 0.5
#: Steps of an epoch, if the batch size that they lead to is in the range.
_STEPS_PER_EPOCH, _BATCH_SIZES = 32, (32, 256)
_BETAS = 0.9, 0.999
#: More columns than singular vectors, and rounds, of the randomized decomposition.
_EXTRA_VECTORS, _ROUNDS = 16, 3


class HistoryFactors(HistoryLearner):
    """Two vectors of factors per item: one for having it, and one for recommending it.

    A user is the sum of the first vectors of the user's items, divided by the square root of their number. The score of
    an item is the dot product of the user with its second vector, plus a constant of the item. There is nothing to
    learn about a user, so that new users need no training.

    Each step hides a random half of the history of each user in a batch, and predicts it from the other half, by a
    softmax over all items but those that were kept: no items are sampled. Factors start from a singular value
    decomposition. The learning rate falls linearly to 0, so that the last epoch is the one to keep, and there is
    no early stopping.

    Parameters
    ----------
    n_factors : int
        The number of factors; fewer if there are fewer users or items.
    learning_rate : float
        The step size of the optimizer, AdamW, in the first step.
    weight_decay : float
        Each step multiplies the factors by 1 - learning_rate * weight_decay.
    max_iter : int
        Number of epochs.
    batch_size : int, optional
        Number of users per step; None means 1/32 of the users, but at least 32 and at most 256.
    random_state : int, optional
        Seed of the random number generator; None means a new seed for every fit.

    Attributes
    ----------
    source_factors_, target_factors_ : float32 arrays of shape (n_items, n_factors)
        The factors of having an item and of recommending it.
    item_constants_ : float32 array of shape (n_items,)
        What is added to the score of each item.
    user_ids_, item_ids_ : int64 array or Ids
        The users of ``fit``, and the items in the order of the factors.

    Examples
    --------
    >>> from idealrank.learners import HistoryFactors
    >>> liked = {"ann": ["jazz", "blues", "soul"], "bob": ["rock", "punk"], "eve": ["jazz", "soul"]}
    >>> model = HistoryFactors().fit(liked)
    >>> model.recommend(["eve"], k=1)
    {'eve': ['blues']}
    """

    _state: ClassVar[Mapping[str, str]] = {
        **CatalogLearner._state,
        "source_factors_": "float32[n_features, n_factors]",
        "target_factors_": "float32[n_features, n_factors]",
        "item_constants_": "float32[n_features]",
    }

    n_factors: int = option(number(1, is_whole=True), 64)
    learning_rate: float = option(number(0, is_open=True), 0.01)
    weight_decay: float = option(number(0), 0.6)
    max_iter: int = option(number(1, is_whole=True), 12)
    batch_size: int | None = option(number(1, is_whole=True))
    random_state: int | None = option(seed, 0)

    def _learn(self, data: Interactions) -> None:
        self._keep_factors(self._factors(history_matrix(data), self.weight_decay))

    def _factors(self, histories: csr_array, weight_decay: float) -> ItemFactors:
        """Return the factors after training."""
        rng = generator(self.random_state, "random_state")
        factors = _initial(histories, self.n_factors, rng)
        active = np.flatnonzero(np.diff(histories.indptr) >= 2)
        size = self.batch_size or int(np.clip(active.size // _STEPS_PER_EPOCH, *_BATCH_SIZES))
        n_steps = -(-active.size // size) * self.max_iter
        decays = np.full(factors.n_factors + 1, weight_decay)
        decays[-1] = 0  # constants do not decay
        steps = _AdamW(factors.sources, decays[:-1]), _AdamW(factors.targets, decays)
        orders = (rng.permutation(active) for _ in range(self.max_iter))
        batches = (order[start : start + size] for order in orders for start in range(0, order.size, size))
        for done, batch in enumerate(batches):
            for each, gradient in zip(steps, _gradients(factors, histories[batch], rng), strict=True):
                each.step(gradient, self.learning_rate * (1 - done / n_steps))
        return factors

    def _keep_factors(self, factors: ItemFactors) -> None:
        self.source_factors_: Float32s = factors.sources
        self.target_factors_, self.item_constants_ = factors.targets[:, :-1].copy(), factors.targets[:, -1].copy()

    def _scores(self, histories: csr_array) -> Float32s:
        scores: Float32s = _scaled(histories) @ self.source_factors_ @ self.target_factors_.T
        scores += self.item_constants_
        return scores


class ItemFactors(NamedTuple):
    """Factors of having items; and of recommending them, with the constants as a last column."""

    sources: Float32s
    targets: Float32s

    @property
    def n_factors(self) -> int:
        """Number of factors, without the constants."""
        return int(self.sources.shape[1])

    def users(self, histories: csr_array) -> Float32s:
        """Return the factors of users with these items, and 1 as the factor of the constants."""
        users = np.ones((histories.shape[0], self.n_factors + 1), np.float32)
        users[:, :-1] = _scaled(histories) @ self.sources
        return users


def _initial(histories: csr_array, n_factors: int, rng: np.random.Generator) -> ItemFactors:
    """Return factors from the singular vectors of the histories, whose entries are divided by roots of counts."""
    n_users, n_items = histories.shape
    counts = np.bincount(histories.indices, minlength=n_items)
    items = np.maximum(counts, 1).astype(np.float32) ** -0.5
    matrix = (_scaled(histories) @ diags_array(items)).tocsr()
    width = min(n_factors + _EXTRA_VECTORS, n_users, n_items)
    basis = rng.standard_normal((n_items, width), np.float32)
    transposed = matrix.T.tocsr()
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(transposed @ (matrix @ basis))[0]
    seen = matrix @ basis
    squares, turns = np.linalg.eigh(seen.T @ seen)
    n_kept = min(n_factors, width)
    turns, squares = turns[:, ::-1][:, :n_kept], np.maximum(squares[::-1][:n_kept], 0)
    # Without the number of items, factors would be smaller in larger catalogs.
    sources = np.ascontiguousarray((basis @ turns) * (squares * n_items).astype(np.float32) ** 0.25)
    constants = np.log((counts + 0.5) / (counts + 0.5).mean()).astype(np.float32)
    return ItemFactors(sources, np.column_stack((sources, constants)))


def _gradients(factors: ItemFactors, own: csr_array, rng: np.random.Generator) -> tuple[Float32s, Float32s]:
    """Return the gradient of the softmax loss of predicting a random half of each history from the other half.

    A pass over all scores costs about as much as a matrix product, so that the softmax is not divided by its sum:
    users are.
    """
    rows = group_of_each(own.indptr)
    hidden = _random_half(own.indptr, rows, rng)
    n_hidden = np.bincount(rows[hidden], minlength=own.shape[0]).astype(np.float32)
    offsets = np.concatenate(([0], np.cumsum(~hidden)))[own.indptr]
    kept = csr_array((own.data[~hidden], own.indices[~hidden], offsets), shape=own.shape)
    users = factors.users(kept)
    shares = users @ factors.targets.T
    shares[rows[~hidden], own.indices[~hidden]] = -np.inf
    shares -= shares.max(axis=1, keepdims=True)
    np.exp(shares, out=shares)
    totals = shares @ np.ones(shares.shape[1], np.float32)
    shares[rows[hidden], own.indices[hidden]] -= (totals / n_hidden)[rows[hidden]]
    shared = n_hidden**_USER_POWER
    weights = (shared / (shared.sum() * totals))[:, None]
    change = shares @ factors.targets[:, :-1]
    change *= weights
    users *= weights
    sources: Float32s = np.asarray(_scaled(kept).T @ change, np.float32)
    targets: Float32s = np.asarray(shares.T @ users, np.float32)
    return sources, targets


def _random_half(offsets: Int64s, rows: Int64s, rng: np.random.Generator) -> Booleans:
    """Return which entries to hide: each with probability 1/2, but neither none nor all of a row, which has two."""
    draws = rng.random(rows.size, np.float32)
    hidden = draws < 0.5
    hidden[np.flatnonzero(draws == np.minimum.reduceat(draws, offsets[:-1])[rows])] = True
    hidden[np.flatnonzero(draws == np.maximum.reduceat(draws, offsets[:-1])[rows])] = False
    return hidden


def _scaled(histories: csr_array) -> csr_array:
    """Return the histories divided by the square roots of their lengths."""
    counts = np.diff(histories.indptr)
    values = np.repeat(np.maximum(counts, 1).astype(np.float32) ** -0.5, counts)
    return csr_array((values, histories.indices, histories.indptr), shape=histories.shape)


class _AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019), for one array that it changes in place."""

    def __init__(self, parameters: Float32s, weight_decay: Floats) -> None:
        self._parameters, self._weight_decay = parameters, weight_decay.astype(np.float32)
        self._first, self._second = np.zeros_like(parameters), np.zeros_like(parameters)
        self._n_steps = 0

    def step(self, gradient: Float32s, learning_rate: float) -> None:
        """Change the parameters; the gradient is overwritten."""
        self._n_steps += 1
        (beta1, beta2), first, second = _BETAS, self._first, self._second
        first += (1 - beta1) * (gradient - first)
        np.multiply(gradient, gradient, out=gradient)
        gradient -= second
        gradient *= 1 - beta2
        second += gradient
        np.sqrt(second, out=gradient)
        root = (1 - beta2**self._n_steps) ** 0.5
        gradient += 1e-8 * root
        np.divide(first, gradient, out=gradient)
        gradient *= learning_rate * root / (1 - beta1**self._n_steps)
        self._parameters *= 1 - np.float32(learning_rate) * self._weight_decay
        self._parameters -= gradient

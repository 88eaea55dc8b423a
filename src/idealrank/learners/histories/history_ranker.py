"""The sum of two models of histories: item factors, and a regression of items on items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from idealrank._core.seeds import generator
from idealrank._core.threads import resolve_threads
from idealrank._names.options import number, option
from idealrank._typing import Float32s, Int64s
from idealrank.data.columns import offsets_of
from idealrank.data.interactions import Interactions
from idealrank.data.item_scores import Catalog
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.evaluation.whole_catalogs import evaluate_catalog
from idealrank.learners.catalog_learner import warn_if_popularity_is_better
from idealrank.learners.estimators import threadpool_limits
from idealrank.learners.histories.history_factors import HistoryFactors
from idealrank.learners.histories.history_learner import history_matrix
from idealrank.learners.histories.item_regression import regression_weights
from idealrank.measures import measure

#: What to choose from; the first of equally good ones is taken.
_DECAYS = 1.0, 0.3
_WEIGHTS = 16.0, 8.0, 32.0, 4.0, 64.0, 2.0, 128.0, 0.0
#: The weight decay if nothing is chosen.
_DEFAULT_DECAY = 0.6


class HistoryRanker(HistoryFactors):
    """The sum of `HistoryFactors` and `ItemRegression`: the recommender to start with.

    The two models make different errors, and their sum is better than each. The weight of the regression and the weight
    decay of the factors are chosen on validation users: both models are fitted without a fifth of the items of these
    users, and then again to all interactions. A warning says if the most popular items are better than the model on the
    validation users.

    The regression has a weight for each pair of items. If there are more than ``max_items`` items, it is left out, and
    nothing is chosen.

    Parameters
    ----------
    n_factors, learning_rate, max_iter, batch_size, random_state
        As in `HistoryFactors`.
    weight_decay : float, optional
        As in `HistoryFactors`; None chooses 0.3 or 1, and is 0.6 without validation users.
    l2, relative_l2 : float
        As in `ItemRegression`.
    regression_weight : float, optional
        The weight of the scores of the regression; None chooses 0 or a power of 2 from 2 to 128.
    max_items : int
        The largest catalog with a regression, which needs 12 bytes for each pair of items while it is fitted: 4.8 GB
        for 20,000 items.
    n_validation_users : int
        The largest number of validation users.

    Attributes
    ----------
    source_factors_, target_factors_, item_constants_ : float32 arrays
        As in `HistoryFactors`.
    item_weights_ : float32 array of shape (n_items, n_items), or (0, n_items) without a regression
        As in `ItemRegression`.
    weight_decay_, regression_weight_ : float
        The weight decay of the factors, and the weight of the regression.
    validation_ : dict
        {(weight decay, weight of the regression): mean of ``measure`` on the validation users}, if they were chosen.
    user_ids_, item_ids_ : int64 array or Ids
        The users of ``fit``, and the items in the order of the factors.

    Examples
    --------
    >>> from idealrank.learners import HistoryRanker
    >>> liked = {"ann": ["jazz", "blues", "soul"], "bob": ["rock", "punk"], "eve": ["jazz", "soul"]}
    >>> model = HistoryRanker().fit(liked)
    >>> model.recommend(["eve"], k=1)
    {'eve': ['blues']}
    >>> model.with_users({"joe": ["punk"]}).recommend(k=1)
    {'joe': ['rock']}
    """

    _state: ClassVar[Mapping[str, str]] = {
        **HistoryFactors._state,
        "item_weights_": "float32[n_regressed, n_features]",
        "regression_weight_": "float64",
    }

    weight_decay: float | None = option(number(0))  # type: ignore[assignment]
    l2: float = option(number(0, is_open=True), 100.0)
    relative_l2: float = option(number(0), 1.0)
    regression_weight: float | None = option(number(0))
    max_items: int = option(number(1, is_whole=True), 20_000)
    n_validation_users: int = option(number(1, is_whole=True), 2000)

    def _learn(self, data: Interactions) -> None:
        self.weight_decay_: float = _DEFAULT_DECAY if self.weight_decay is None else float(self.weight_decay)
        self.regression_weight_: float = _WEIGHTS[0] if self.regression_weight is None else self.regression_weight
        self.validation_: dict[tuple[float, float], float] = {}
        if data.n_items > self.max_items:
            self.regression_weight_ = 0.0
        elif self.weight_decay is None or self.regression_weight is None:
            self._choose(data)
        histories = history_matrix(data)
        self.item_weights_: Float32s = np.zeros((0, data.n_items), np.float32)
        factors, *rest = self._fitted(histories, [self.weight_decay_], with_regression=self.regression_weight_ > 0)
        self._keep_factors(factors)
        if rest:
            (self.item_weights_,) = rest

    def _fitted(self, histories: csr_array, decays: Sequence[float], *, with_regression: bool = True) -> list[Any]:
        """Return the factors of each weight decay, and the regression weights, all of them fitted at the same time."""
        jobs: list[Callable[[], Any]] = [partial(self._factors, histories, decay) for decay in decays]
        if with_regression:
            jobs.append(partial(regression_weights, histories, self.l2, self.relative_l2))
        n_threads = resolve_threads(self.n_threads)
        if n_threads == 1 or len(jobs) == 1:
            return [job() for job in jobs]
        with ThreadPoolExecutor(n_threads) as pool, threadpool_limits(max(1, n_threads // len(jobs)), "blas"):
            return [each.result() for each in [pool.submit(job) for job in jobs]]

    def _choose(self, data: Interactions) -> None:
        """Choose the weight decay and the weight of the regression on validation users, if there are any."""
        rest, held = held_out(data, self.n_validation_users, generator(self.random_state, "random_state"))
        if not held.items.size:
            return
        decays = _DECAYS if self.weight_decay is None else (self.weight_decay_,)
        weights = _WEIGHTS if self.regression_weight is None else (self.regression_weight_,)
        *fitted, item_weights = self._fitted(history_matrix(rest), decays)
        users = np.flatnonzero(held.counts)
        histories = history_matrix(rest, users)
        regression, chosen = histories @ item_weights, measure(self.measure)
        found: dict[tuple[float, float], Evaluation] = {}
        for decay, factors in zip(decays, fitted, strict=True):
            scores = factors.users(histories) @ factors.targets.T
            for weight in weights:
                summed = scores + np.float32(weight) * regression
                catalog = Catalog(partial(_rows, summed, users), rest.user_ids, rest.item_ids)
                found[decay, weight] = evaluate_catalog(catalog, held, rest, chosen, n_threads=self.n_threads)
        self.validation_ = {pair: each.mean[str(chosen)] for pair, each in found.items()}
        pick = min if chosen.lower_is_better else max
        best = pick(found, key=self.validation_.__getitem__)
        self.weight_decay_, self.regression_weight_ = best
        warn_if_popularity_is_better(type(self).__name__, found[best], held, rest, chosen, self.n_threads)

    def _scores(self, histories: csr_array) -> Float32s:
        scores = super()._scores(histories)
        if self.item_weights_.size:
            scores += np.float32(self.regression_weight_) * (histories @ self.item_weights_)
        return scores

    def _check_state(self) -> None:
        super()._check_state()
        if self.item_weights_.shape[0] not in (0, self.n_features_in_):
            raise DataError(f"item_weights_ must have 0 or {self.n_features_in_} rows")


def _rows(scores: Float32s, users: Int64s, some: Int64s) -> Float32s:
    """Return the scores of some of the users, who are in ascending order."""
    return scores[np.searchsorted(users, some)]


def held_out(
    data: Interactions, n_users: int, rng: np.random.Generator, share: float = 0.2
) -> tuple[Interactions, Interactions]:
    """Return the interactions without a share of the items of some users, and these items.

    Labels become 1. The users are drawn among those with two items or more. At least one item of each is held out, and
    one is left.
    """
    counts = data.counts
    users = rng.permutation(np.flatnonzero(counts >= 2))[:n_users]
    n_held = np.zeros(data.n_users, np.int64)
    n_held[users] = np.maximum(1, np.rint(share * counts[users]))
    rows = np.repeat(np.arange(data.n_users), counts)
    # A random order within each user: the first items are held out.
    order = np.lexsort((rng.random(rows.size), rows))
    is_held = np.zeros(rows.size, bool)
    is_held[order] = np.arange(rows.size) - np.repeat(data.offsets[:-1], counts) < np.repeat(n_held, counts)
    rest, held = (
        replace(
            data,
            offsets=offsets_of(np.bincount(rows[which], minlength=data.n_users)),
            items=data.items[which],
            labels=np.ones(int(which.sum())),
        )
        for which in (~is_held, is_held)
    )
    return rest, held

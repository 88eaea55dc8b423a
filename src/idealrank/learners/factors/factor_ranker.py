"""Matrix factorization by any ranking loss, over the whole catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from idealrank._core.seeds import generator
from idealrank._core.threads import resolve_threads
from idealrank._names.options import checked, choice, flag, number, option, seed
from idealrank._typing import Floats, Int64s
from idealrank.data.interactions import Interactions
from idealrank.data.item_scores import Catalog, Products, Scorer
from idealrank.evaluation.whole_catalogs import evaluate_catalog
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners.catalog_learner import CatalogLearner, warn_if_popularity_is_better
from idealrank.learners.factors.model import Adam, Factors
from idealrank.learners.iterative import Trace, bar
from idealrank.losses import Loss, loss
from idealrank.measures import measure

_INITIAL_SCALE = 0.1


class FactorRanker(CatalogLearner):
    """Matrix factorization that minimizes a ranking loss over the whole catalog, without sampling.

    Each user and each item has a vector of factors, and the score of an item for a user is the similarity of their
    vectors, divided by ``temperature``. The items that a user interacted with are relevant. Every epoch visits the
    users in random order, one batch at a time: a matrix product gives the scores of *all* items, and the native core
    computes the loss and its exact gradient. Scores are not kept, so that memory holds only the factors and about 2
    million scores.

    With an ``eval_set``, the factors of the epoch with the best mean of ``measure`` on it are kept, otherwise those of
    the last epoch. A warning says if the most popular items are better on it. If the fit is interrupted from the
    keyboard, what was learned until then is kept.

    Parameters
    ----------
    n_factors : int
        The number of factors of each user and item.
    loss : str or Loss
        The loss to minimize, or its name.
    similarity : {"cosine", "dot"}
        The similarity of two vectors of factors: their cosine or their dot product.
    temperature : float
        The similarity is divided by it; the smaller it is, the more the loss depends on the items with the highest
        scores.
    learning_rate : float
        The step size of the optimizer, Adam; each step changes the factors of the users of a batch and of all items.
    user_learning_rate : float, optional
        The step size for users; None means ``learning_rate``. Each batch changes the factors of all items, but those of
        a user only once per epoch, so that larger steps for users need fewer epochs.
    weight_decay : float
        The weight of half the squared norm of the factors, which is added to the loss.
    user_weight : {"equal", "items"}
        The weight of a user in the loss: "equal" for all users, or the number of their items, which makes the loss a
        mean over interactions. Sparse data is often learned better with "items".
    batch_size : int
        Number of users per step.
    max_iter : int
        Maximum number of epochs.
    dtype : {"float64", "float32"}
        The precision of the factors, their products and the steps during learning. The loss and the final factors are
        float64.
    patience : int, optional
        Stop if the validation measure has not improved for this many epochs; None never stops early.
    random_state : int, optional
        Seed of the random number generator, which draws the initial factors and the order of the users; None means a
        new seed for every fit.
    verbose : bool
        Show a progress bar with the loss and the validation measure.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`. NumPy multiplies matrices with
        its own number of threads.

    Attributes
    ----------
    user_factors_, item_factors_ : float64 arrays of shape (n_users, n_factors) and (n_items, n_factors)
        Factors whose dot products are the scores: the temperature and, for "cosine", the norms are already included.
        Pass them to `evaluate_factors` or to a nearest-neighbor index.
    user_ids_, item_ids_ : int64 array or Ids
        The users and the items, in the order of the factors.
    history_ : list of dict
        The loss and the validation measure of each epoch.
    best_iteration_ : int
        The epoch whose factors were kept, counted from 0.

    Examples
    --------
    Three users with two tastes; the third user does not have one of the items of the first taste:

    >>> from idealrank.learners import FactorRanker
    >>> liked = {"ann": ["jazz", "blues", "soul"], "bob": ["rock", "punk"], "eve": ["jazz", "soul"]}
    >>> model = FactorRanker(8, random_state=0, n_threads=1).fit(liked)
    >>> model.recommend(["eve"], k=1)
    {'eve': ['blues']}
    >>> model.recommend(["joe"], k=1)
    Traceback (most recent call last):
    idealrank.errors.DataError: 1 of 1 users was not in fit, first 'joe': nothing was learned about it
    """

    _state: ClassVar[Mapping[str, str]] = {
        **CatalogLearner._state,
        "user_factors_": "float64[n_users, n_factors]",
        "item_factors_": "float64[n_features, n_factors]",
    }

    n_factors: int = field(default=64, metadata=checked(number(1, is_whole=True)), kw_only=False)
    loss: str | Loss = option(loss, "lambda_rank")
    similarity: str = option(choice("cosine", "dot"), "cosine")
    temperature: float = option(number(0, is_open=True), 0.2)
    learning_rate: float = option(number(0, is_open=True), 0.01)
    user_learning_rate: float | None = option(number(0, is_open=True))
    weight_decay: float = option(number(0), 0.0)
    user_weight: str = option(choice("equal", "items"), "equal")
    batch_size: int = option(number(1, is_whole=True), 256)
    max_iter: int = option(number(1, is_whole=True), 100)
    dtype: str = option(choice("float64", "float32"), "float64")
    patience: int | None = option(number(1, is_whole=True))
    random_state: int | None = option(seed, 0)
    verbose: bool = option(flag, False)

    def fit(
        self,
        interactions: Any,
        y: None = None,
        *,
        eval_set: Any = None,
        user: str | None = None,
        item: str | None = None,
        label: str | None = None,
    ) -> FactorRanker:
        """Learn from interactions.

        Parameters
        ----------
        interactions : sparse matrix, data frame, mapping or list
            The items of each user: a SciPy sparse matrix of users x items, whose entries are labels, with users and
            items numbered from 0; a data frame with one row per interaction; {user: items}, where items are ids or
            {item: label}; or one list of items per user, with users numbered from 0.
        y : None
            Ignored; present for compatibility with scikit-learn.
        eval_set : sparse matrix, data frame, mapping or list, optional
            Other interactions of the same users and items, used for validation. The items of ``interactions`` are not
            ranked there.
        user, item : str, optional
            The columns of users and items in data frames; by default, well-known names are recognized.
        label : str, optional
            The column of labels in data frames; by default, all labels are 1.

        Returns
        -------
        FactorRanker
            The fitted ranker itself.

        Raises
        ------
        DataError
            If there are no interactions, or ``eval_set`` has a user or an item that is not in ``interactions``.
        OptionError
            If the value of an option is not valid.
        """
        self.check_options()
        columns = {"user": user, "item": item, "label": label}
        data = _read(interactions, columns)
        validation = None if eval_set is None else _read(eval_set, columns).aligned(data, "eval_set")
        rng = generator(self.random_state, "random_state")
        shapes = (data.n_users, self.n_factors), (data.n_items, self.n_factors)
        users, items = (rng.normal(scale=_INITIAL_SCALE, size=shape).astype(self.dtype) for shape in shapes)
        factors = Factors(users, items, self.similarity == "cosine", float(self.temperature))
        rates = self.learning_rate if self.user_learning_rate is None else self.user_learning_rate, self.learning_rate
        user_steps, item_steps = (
            Adam(shape, float(rate), float(self.weight_decay), self.dtype)
            for shape, rate in zip(shapes, rates, strict=True)
        )
        active, n_threads = np.flatnonzero(data.counts), resolve_threads(self.n_threads)
        weights = np.ones(data.n_users)
        if self.user_weight == "items":
            weights = data.counts / data.counts[active].mean()
        self.loss_: Loss = loss(self.loss).resolved(np.zeros(data.n_items))  # all scores are 0 at the start
        with self._kept(data, factors, validation) as trace:
            for _ in range(self.max_iter):
                order, total = rng.permutation(active), 0.0
                for start in range(0, order.size, self.batch_size):
                    batch = order[start : start + self.batch_size]
                    value, *gradients = factors.loss(self.loss_, data, batch, weights[batch], n_threads)
                    user_steps.step(factors.users, batch, gradients[0])
                    item_steps.step(factors.items, slice(None), gradients[1])
                    total += value * batch.size
                trace.add(np.concatenate((factors.users, factors.items)), total / active.size)
                if trace.validates and trace.is_hopeless:
                    break
        trace.warn_of_setbacks(type(self).__name__, 2, of_loss=True)
        if validation is not None:
            chosen = measure(self.measure)
            found = evaluate_catalog(self._catalog(), validation, data, chosen, n_threads=self.n_threads)
            warn_if_popularity_is_better(type(self).__name__, found, validation, data, chosen, self.n_threads)
        return self

    @contextmanager
    def _kept(self, data: Interactions, factors: Factors, validation: Interactions | None) -> Iterator[Trace]:
        """Yield a trace of epochs; the best one becomes the model at the end or at an interrupt."""
        chosen, n_users = measure(self.measure), data.n_users

        def validate(parameters: Floats) -> float:
            assert validation is not None
            catalog = Catalog(factors.scores, data.user_ids, data.item_ids)
            found = evaluate_catalog(catalog, validation, data, chosen, n_threads=self.n_threads)
            return found.mean[str(chosen)]

        start = np.concatenate((factors.users, factors.items))
        with bar(self.max_iter, shown=self.verbose) as tell:
            trace = Trace(
                start,
                None if validation is None else validate,
                self.patience,
                lower_is_better=chosen.lower_is_better,
                tell=tell,
            )
            try:
                yield trace
            finally:
                last = len(trace.history) - 1
                self.best_iteration_: int = trace.best_iteration if trace.validates else max(last, 0)
                self.history_: list[dict[str, Any]] = trace.history
                if trace.validates:
                    factors.users, factors.items = np.split(trace.best_parameters, [n_users])
                self._keep_users(data)
                self.user_factors_, self.item_factors_ = factors.final()

    def _scorer(self) -> Scorer:
        return Products(self.user_factors_, self.item_factors_)

    def _pair_scores(self, rows: Int64s, columns: Int64s) -> Floats:
        scores: Floats = np.einsum("ij,ij->i", self.user_factors_[rows], self.item_factors_[columns])
        return scores


def _read(given: Any, columns: Mapping[str, str | None]) -> Interactions:
    return interactions_of(given, user=columns["user"], item=columns["item"], label=columns["label"])

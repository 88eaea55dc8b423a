"""Matrix factorization by any ranking loss, over the whole catalog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from idealrank._core.seeds import generator
from idealrank._core.threads import resolve_threads
from idealrank._names.options import checked, choice, flag, number, option, seed
from idealrank._typing import Floats, Int64s
from idealrank.data.ids import Ids
from idealrank.data.interactions import Interactions, positions_in
from idealrank.data.lists import QueryIds, query_id
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.evaluation.inputs import Measures
from idealrank.evaluation.whole_catalogs import Catalog, Products, best_items, evaluate_catalog
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners.estimators import check_is_fitted
from idealrank.learners.factors.model import Factors
from idealrank.learners.factors.stochastic_updates import OPTIMIZERS
from idealrank.learners.learner_base import Learner
from idealrank.learners.progress import bar
from idealrank.learners.trace import Trace
from idealrank.losses import Loss, loss
from idealrank.measures import Measure, measure

__all__ = ["FactorRanker"]

_INITIAL_SCALE = 0.1


class FactorRanker(Learner):
    """Matrix factorization that minimizes a ranking loss over the whole catalog, without sampling.

    Each user and each item has a vector of factors, and the score of an item for a user is the similarity of their
    vectors, divided by ``temperature``. The items that a user interacted with are relevant. Every epoch visits the
    users in random order, one batch at a time: a matrix product gives the scores of *all* items, and the native core
    computes the loss and its exact gradient. Scores are not kept, so that memory holds only the factors and about 2
    million scores.

    With an ``eval_set``, the factors of the epoch with the best mean of ``measure`` on it are kept, otherwise those of
    the last epoch. If the fit is interrupted from the keyboard, what was learned until then is kept.

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
    optimizer : {"adam", "adagrad"}
        The optimizer; each step changes the factors of the users of a batch and of all items.
    learning_rate : float
        The step size of the optimizer.
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
    measure : str or Measure
        The measure that ``score`` returns and that validation uses.
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
    idealrank.errors.DataError: 1 of 1 users was not in fit, first 'joe': it has no factors to recommend with
    """

    _state: ClassVar[Mapping[str, str]] = {
        "user_ids_": "ids[n_users]",
        "item_ids_": "ids[n_features]",
        "user_factors_": "float64[n_users, n_factors]",
        "item_factors_": "float64[n_features, n_factors]",
        "seen_counts_": "int64[n_users]",
        "seen_items_": "int64[n_interactions]",
    }

    n_factors: int = field(default=64, metadata=checked(number(1, is_whole=True)), kw_only=False)
    loss: str | Loss = option(loss, "lambda_rank")
    similarity: str = option(choice("cosine", "dot"), "cosine")
    temperature: float = option(number(0, is_open=True), 0.2)
    optimizer: str = option(choice(*OPTIMIZERS), "adam")
    learning_rate: float = option(number(0, is_open=True), 0.01)
    user_learning_rate: float | None = option(number(0, is_open=True))
    weight_decay: float = option(number(0), 0.0)
    user_weight: str = option(choice("equal", "items"), "equal")
    batch_size: int = option(number(1, is_whole=True), 256)
    max_iter: int = option(number(1, is_whole=True), 100)
    dtype: str = option(choice("float64", "float32"), "float64")
    patience: int | None = option(number(1, is_whole=True))
    measure: str | Measure = "ndcg@20"
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
        make = OPTIMIZERS[self.optimizer]
        rates = self.learning_rate if self.user_learning_rate is None else self.user_learning_rate, self.learning_rate
        user_steps, item_steps = (
            make(shape, float(rate), float(self.weight_decay), self.dtype)
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
                self.n_features_in_ = data.n_items
                self.user_ids_, self.item_ids_ = data.user_ids, data.item_ids
                self.user_factors_, self.item_factors_ = factors.final()
                self.seen_counts_, self.seen_items_ = data.counts, data.items

    def recommend(
        self, users: Iterable[Any] | None = None, k: int = 20, *, exclude_seen: bool = True
    ) -> dict[Any, list[Any]]:
        """Return the items with the highest scores for each user.

        Parameters
        ----------
        users : iterable, optional
            Ids of users that were in ``fit``; None means all of them.
        k : int
            Number of items to return per user, at most the number of items in the catalog.
        exclude_seen : bool
            Whether to leave out the items that the user had in ``fit``.

        Returns
        -------
        dict
            {user: list of items, best first}, with fewer than k items if almost all are left out. `evaluate` accepts it
            as a run.

        Raises
        ------
        DataError
            If a user was not in ``fit``, or had no items there; the message names the first one.
        OptionError
            If k is not positive, or greater than the number of items.
        """
        check_is_fitted(self)
        if not 1 <= k <= len(self.item_ids_):
            raise OptionError(f"k must be from 1 to {len(self.item_ids_):,}, the number of items, got {k}")
        rows = np.flatnonzero(self.seen_counts_) if users is None else self._rows(users)
        items, seen = self.item_ids_.tolist(), self._seen() if exclude_seen else None
        found: dict[Any, list[Any]] = {}
        n_threads = resolve_threads(self.n_threads)
        for some, best, _, offsets in best_items(self._catalog(), rows, k, seen, n_threads):
            for place, row in enumerate(some.tolist()):
                own = best[offsets[place] : offsets[place + 1]][:k]
                found[query_id(self.user_ids_, row)] = [items[item] for item in own.tolist()]
        return found

    def predict(self, users: Iterable[Any], items: Iterable[Any]) -> Floats:
        """Return the score of each pair of a user and an item.

        Parameters
        ----------
        users, items : iterable
            Two sequences of equal length: the ids of the users and of the items, all of which were in ``fit``.

        Returns
        -------
        float64 array of shape (n_pairs,)
            The scores.

        Raises
        ------
        DataError
            If a user or an item was not in ``fit``; the message names the first one.
        """
        check_is_fitted(self)
        rows, columns = self._rows(users), _known(items, self.item_ids_, "item")
        if rows.size != columns.size:
            raise DataError(f"there must be as many users as items, got {rows.size} and {columns.size}")
        scores: Floats = np.einsum("ij,ij->i", self.user_factors_[rows], self.item_factors_[columns])
        return scores

    def evaluate(
        self,
        relevant: Any,
        measures: Measures | None = None,
        *,
        exclude_seen: bool = True,
        user: str | None = None,
        item: str | None = None,
        label: str | None = None,
    ) -> Evaluation:
        """Evaluate the recommendations on the whole catalog, as `evaluate_factors` does.

        Parameters
        ----------
        relevant : sparse matrix, data frame, mapping or list
            The items to find, in any form that ``fit`` accepts.
        measures : str, Measure or iterable of these, optional
            The measures to compute; by default, ``measure`` of the ranker.
        exclude_seen : bool
            Whether to leave out the items that a user had in ``fit``.
        user, item, label : str, optional
            The columns of a data frame, as in ``fit``.

        Returns
        -------
        Evaluation
            One value per user who has relevant items.
        """
        check_is_fitted(self)
        seen = self._seen()
        wanted = _read(relevant, {"user": user, "item": item, "label": label}).aligned(seen, "relevant")
        chosen = self.measure if measures is None else measures
        excluded = seen if exclude_seen else None
        return evaluate_catalog(self._catalog(), wanted, excluded, chosen, n_threads=self.n_threads)

    def score(self, relevant: Any, y: None = None) -> float:
        """Return the mean of ``measure`` over users, ranking all items that they did not have in ``fit``.

        Parameters
        ----------
        relevant : sparse matrix, data frame, mapping or list
            The items to find, in any form that ``fit`` accepts.
        y : None
            Ignored; present for compatibility with scikit-learn.

        Returns
        -------
        float
            The mean of the measure.
        """
        (mean,) = self.evaluate(relevant).mean.values()
        return mean

    def _catalog(self) -> Catalog:
        return Catalog(Products(self.user_factors_, self.item_factors_), self.user_ids_, self.item_ids_)

    def _seen(self) -> Interactions:
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.seen_counts_)))
        return Interactions(self.user_ids_, self.item_ids_, offsets, self.seen_items_, np.ones(self.seen_items_.size))

    def _rows(self, users: Iterable[Any]) -> Int64s:
        """Return the rows of users, who must have had items in ``fit``."""
        rows = _known(users, self.user_ids_, "user")
        cold = rows[self.seen_counts_[rows] == 0]
        if cold.size:
            first = query_id(self.user_ids_, int(cold[0]))
            raise DataError(
                f"{cold.size:,} of {rows.size:,} users {'was' if cold.size == 1 else 'were'} in fit without any item, "
                f"first {first!r}: nothing was learned about {'it' if cold.size == 1 else 'them'}"
            )
        return rows

    def _check_state(self) -> None:
        for name in ("user_ids_", "item_ids_"):
            ids = getattr(self, name).tolist()
            if len(set(ids)) != len(ids):
                raise DataError(f"{name} must be distinct")
        if (self.seen_counts_ < 0).any() or self.seen_counts_.sum() != self.seen_items_.size:
            raise DataError(f"seen_counts_ must add up to the {self.seen_items_.size} entries of seen_items_")
        self._seen()


def _read(given: Any, columns: Mapping[str, str | None]) -> Interactions:
    return interactions_of(given, user=columns["user"], item=columns["item"], label=columns["label"])


def _known(ids: Iterable[Any], known: QueryIds, what: str) -> Int64s:
    """Return the positions of ids, all of which must be known."""
    listed = ids if isinstance(ids, Ids) else _listed(ids, what)
    places = positions_in(listed, known)
    missing = np.flatnonzero(places < 0)
    if missing.size:
        first = listed[int(missing[0])]
        first = first.item() if isinstance(first, np.generic) else first
        raise DataError(
            f"{missing.size:,} of {places.size:,} {what}s {'was' if missing.size == 1 else 'were'} not in fit, first "
            f"{first!r}: it has no factors to recommend with"
        )
    return places


def _listed(ids: Iterable[Any], what: str) -> npt.NDArray[np.int64] | Ids:
    if isinstance(ids, (str, bytes)):
        raise DataError(f"{what}s must be a list of ids, got the one id {ids!r}: put it in a list")
    listed = list(ids)
    if all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in listed):
        return np.array(listed, np.int64)
    return Ids.of(listed)

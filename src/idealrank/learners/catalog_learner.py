"""The base class of recommenders: they learn from interactions, and rank a whole catalog for each user."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from idealrank._core.exact import Moments
from idealrank._core.threads import resolve_threads
from idealrank._present.page import Statement
from idealrank._typing import Floats, Int64s
from idealrank.data.ids import Ids
from idealrank.data.interactions import Interactions, positions_in
from idealrank.data.item_scores import Catalog, Scorer, best_items
from idealrank.data.lists import QueryIds, query_id
from idealrank.errors import DataError, ObviousRivalWarning, OptionError
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.evaluation.inputs import Measures
from idealrank.evaluation.whole_catalogs import evaluate_catalog
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners.estimators import check_is_fitted
from idealrank.learners.learner_base import Learner
from idealrank.measures import Measure
from idealrank.stats.intervals import difference_interval

_SCORES_PER_BLOCK = 1 << 22


class CatalogLearner(Learner):
    """A learner that ranks all items of a catalog for each user.

    A subclass defines ``fit``, which calls ``_keep_users``, and ``_scorer``.

    Parameters
    ----------
    measure : str or Measure
        The measure that ``score`` returns and that validation uses.
    """

    _state: ClassVar[Mapping[str, str]] = {
        "user_ids_": "ids[n_users]",
        "item_ids_": "ids[n_features]",
        "seen_counts_": "int64[n_users]",
        "seen_items_": "int64[n_interactions]",
    }

    measure: str | Measure = "ndcg@20"

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
        return self._pair_scores(rows, columns)

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
        wanted = interactions_of(relevant, user=user, item=item, label=label).aligned(seen, "relevant")
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

    def _scorer(self) -> Scorer:
        """Return a function from row numbers of users to their scores of all items."""
        raise NotImplementedError

    def _pair_scores(self, rows: Int64s, columns: Int64s) -> Floats:
        """Return the score of each pair; all scores of some users at a time are in memory."""
        catalog, scores = self._catalog(), np.empty(rows.size)
        order = np.argsort(rows, kind="stable")
        for some in catalog.blocks(order, _SCORES_PER_BLOCK):
            users, places = np.unique(rows[some], return_inverse=True)
            scores[some] = catalog.scores(users)[places, columns[some]]
        return scores

    def _catalog(self) -> Catalog:
        return Catalog(self._scorer(), self.user_ids_, self.item_ids_)

    def _keep_users(self, data: Interactions) -> None:
        """Remember the users, the items, and who has which."""
        self.n_features_in_: int = data.n_items
        self.user_ids_: QueryIds = data.user_ids
        self.item_ids_: QueryIds = data.item_ids
        self.seen_counts_: Int64s = data.counts
        self.seen_items_: Int64s = data.items

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


def warn_if_popularity_is_better(
    learner: str, found: Evaluation, wanted: Interactions, seen: Interactions, by: Measure, n_threads: int | None
) -> None:
    """Warn if the 95% interval of the difference on validation users is in favor of the items that most users have."""
    counts = np.bincount(seen.items, minlength=seen.n_items).astype(np.float32)
    popular = Catalog(lambda users: np.tile(counts, (users.size, 1)), seen.user_ids, seen.item_ids)
    other = evaluate_catalog(popular, wanted, seen, by, n_threads=n_threads)
    name = str(by)
    changes = (other.per_query[name] - found.per_query[name]) * (-1 if by.lower_is_better else 1)
    changes = changes[~np.isnan(changes)]
    if difference_interval(Moments.of(changes), int(np.count_nonzero(changes)), 0.95).low > 0:
        said = Statement(
            "popularity is better",
            f"{learner} is worse than the most popular items on {changes.size:,} validation users: {name} is "
            f"{found.mean[name]:.4g}, and {other.mean[name]:.4g} for popularity; recommend the most popular items, or "
            "try other options",
        )
        warnings.warn(str(said), ObviousRivalWarning, stacklevel=4)


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
            f"{first!r}: nothing was learned about it"
        )
    return places


def _listed(ids: Iterable[Any], what: str) -> npt.NDArray[np.int64] | Ids:
    if isinstance(ids, (str, bytes)):
        raise DataError(f"{what}s must be a list of ids, got the one id {ids!r}: put it in a list")
    listed = list(ids)
    if all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in listed):
        return np.array(listed, np.int64)
    return Ids.of(listed)

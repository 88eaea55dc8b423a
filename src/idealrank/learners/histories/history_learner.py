"""What recommenders share that know a user by a history of items."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from idealrank._typing import Float32s, Int64s
from idealrank.data.interactions import Interactions, positions_in
from idealrank.data.item_scores import Scorer
from idealrank.data.lists import query_id
from idealrank.errors import DataError
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners.catalog_learner import CatalogLearner
from idealrank.learners.estimators import check_is_fitted


class HistoryLearner(CatalogLearner):
    """A recommender whose scores are a function of a user's items.

    A subclass defines ``_learn(data)`` and ``_scores(histories)``. The labels of interactions only say that there is an
    interaction; those of 0 are none.
    """

    def fit(
        self,
        interactions: Any,
        y: None = None,
        *,
        user: str | None = None,
        item: str | None = None,
        label: str | None = None,
    ) -> Self:
        """Learn from interactions.

        Parameters
        ----------
        interactions : sparse matrix, data frame, mapping or list
            The items of each user: a SciPy sparse matrix of users x items, with users and items numbered from 0; a data
            frame with one row per interaction; {user: items}; or one list of items per user, where users are numbered
            from 0. Labels above 0 all count the same.
        y : None
            Ignored; present for compatibility with scikit-learn.
        user, item : str, optional
            The columns of users and items in data frames; by default, well-known names are recognized.
        label : str, optional
            The column of labels in data frames, to leave out rows with the label 0.

        Returns
        -------
        HistoryLearner
            The fitted recommender itself.

        Raises
        ------
        DataError
            If there are no interactions.
        OptionError
            If the value of an option is not valid.
        """
        self.check_options()
        data = interactions_of(interactions, user=user, item=item, label=label)
        self._learn(data)
        self._keep_users(data)
        return self

    def with_users(
        self, histories: Any, *, user: str | None = None, item: str | None = None, label: str | None = None
    ) -> Self:
        """Return the same model for other users, known by their histories; nothing is trained.

        Parameters
        ----------
        histories : sparse matrix, data frame, mapping or list
            The items of each user, in any form that ``fit`` accepts. The items must have been in ``fit``.
        user, item, label : str, optional
            The columns of a data frame, as in ``fit``.

        Returns
        -------
        HistoryLearner
            A model that recommends to these users, and shares what was learned with this one.

        Raises
        ------
        DataError
            If an item was not in ``fit``; the message names the first one.

        Examples
        --------
        >>> from idealrank.learners import ItemRegression
        >>> model = ItemRegression().fit({"ann": ["jazz", "soul"], "bob": ["rock", "punk"], "eve": ["jazz", "soul"]})
        >>> model.with_users({"joe": ["punk"]}).recommend(k=1)
        {'joe': ['rock']}
        """
        check_is_fitted(self)
        given = interactions_of(histories, user=user, item=item, label=label)
        columns = positions_in(given.item_ids, self.item_ids_)
        unknown = np.flatnonzero((columns < 0) & (np.bincount(given.items, minlength=given.n_items) > 0))
        if unknown.size:
            first = query_id(given.item_ids, int(unknown[0]))
            raise DataError(
                f"the histories have {unknown.size:,} items that were not in fit, first {first!r}: leave them out, or "
                "fit with them"
            )
        users = np.repeat(np.arange(given.n_users), given.counts)
        other = copy.copy(self)
        other._keep_users(Interactions.of_pairs(users, columns[given.items], None, given.user_ids, self.item_ids_))
        return other

    def _learn(self, data: Interactions) -> None:
        """Learn from checked interactions."""
        raise NotImplementedError

    def _scores(self, histories: csr_array) -> Float32s:
        """Return the scores of all items for users with these items, one row each."""
        raise NotImplementedError

    def _scorer(self) -> Scorer:
        histories = history_matrix(self._seen())
        return lambda users: self._scores(histories[users])


def history_matrix(data: Interactions, users: Int64s | None = None) -> csr_array:
    """Return 1 for each item that a user has, as a sparse float32 matrix of users x items."""
    matrix = csr_array(
        (np.ones(data.items.size, np.float32), data.items, data.offsets), shape=(data.n_users, data.n_items)
    )
    return matrix if users is None else matrix[users]

"""Ridge regression of each item on all others, in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array, diags_array

from idealrank._names.options import number, option
from idealrank._typing import Float32s
from idealrank.data.interactions import Interactions
from idealrank.errors import DataError
from idealrank.learners.catalog_learner import CatalogLearner
from idealrank.learners.histories.history_learner import HistoryLearner, history_matrix

#: From this share on, float32 is precise enough: scaled to a unit diagonal, no eigenvalue is below share / (1 + share).
_SHARE_FOR_FLOAT32 = 0.1


class ItemRegression(HistoryLearner):
    """A weight for each pair of items, by ridge regression of each item on all others: EASE, with two changes.

    The score of an item for a user is the sum of its weights with the items of the user. The weights minimize the
    squared error of predicting who has the item from the other items that they have. There is no training in steps:
    with P = (G + L)^-1, the weights are -P_ij / P_jj, and 0 from an item to itself, where G_ij is the weighted number
    of users who have both items, and L a diagonal matrix.

    EASE has users of equal weight and one number on the diagonal L. Here, a user with n items has the weight (n / mean
    n)^-0.5, so that a few users with long histories do not decide, and L_ii = l2 + relative_l2 G_ii, so that popular
    items are regularized too.

    Memory is needed for three matrices of items x items in float32, and time grows with the cube of the number of
    items: 10,000 items need 1.2 GB.

    Parameters
    ----------
    l2 : float
        The penalty of squared weights, the same for all items.
    relative_l2 : float
        The part of the penalty in proportion to the number of users who have the item. Below 0.1, the weights are
        computed in float64.
    max_items : int
        The largest catalog to accept.

    Attributes
    ----------
    item_weights_ : float32 array of shape (n_items, n_items)
        The weight of having the item of the row for the score of the item of the column.
    user_ids_, item_ids_ : int64 array or Ids
        The users of ``fit``, and the items in the order of the weights.

    Examples
    --------
    >>> from idealrank.learners import ItemRegression
    >>> liked = {"ann": ["jazz", "blues", "soul"], "bob": ["rock", "punk"], "eve": ["jazz", "soul"]}
    >>> model = ItemRegression().fit(liked)
    >>> model.recommend(["eve"], k=1)
    {'eve': ['blues']}

    References
    ----------
    H. Steck, Embarrassingly Shallow Autoencoders for Sparse Data, WWW 2019.
    """

    _state: ClassVar[Mapping[str, str]] = {
        **CatalogLearner._state,
        "item_weights_": "float32[n_features, n_features]",
    }

    l2: float = option(number(0, is_open=True), 100.0)
    relative_l2: float = option(number(0), 1.0)
    max_items: int = option(number(1, is_whole=True), 20_000)

    def _learn(self, data: Interactions) -> None:
        if data.n_items > self.max_items:
            gigabytes = 3 * 4e-9 * data.n_items**2
            raise DataError(
                f"ItemRegression has a weight for each pair of items, and {data.n_items:,} items, more than "
                f"max_items={self.max_items:,}, would need {gigabytes:.1f} GB: leave out rare items, "
                "or increase max_items"
            )
        self.item_weights_ = regression_weights(history_matrix(data), self.l2, self.relative_l2)

    def _scores(self, histories: csr_array) -> Float32s:
        scores: Float32s = histories @ self.item_weights_
        return scores


def regression_weights(histories: csr_array, l2: float, relative_l2: float) -> Float32s:
    """Return the weight of each item (row) in the prediction of each other item (column)."""
    from scipy.linalg.lapack import dpotrf, dpotri, spotrf, spotri

    counts = np.diff(histories.indptr)
    weights = np.maximum(counts / counts[counts > 0].mean(), 1e-9) ** -0.5
    is_narrow = relative_l2 >= _SHARE_FOR_FLOAT32
    dtype = np.float32 if is_narrow else np.float64
    factor, invert = (spotrf, spotri) if is_narrow else (dpotrf, dpotri)
    gram = (histories.T @ (diags_array(weights.astype(dtype)) @ histories)).toarray(order="F")
    diagonal = np.einsum("ii->i", gram)
    diagonal += l2 + relative_l2 * diagonal
    gram, failed = factor(gram, lower=1, clean=0, overwrite_a=1)
    if not failed:
        gram, failed = invert(gram, lower=1, overwrite_c=1)
    if failed:
        raise DataError(f"the regression of items on items has no precise solution with l2={l2:g}: increase it")
    # Only the lower triangle is filled: its transpose is the rest of the symmetric inverse.
    inverse = np.tril(gram)
    inverse += np.tril(gram, -1).T
    inverse /= -np.diagonal(inverse).copy()
    np.fill_diagonal(inverse, 0)
    return np.ascontiguousarray(inverse, np.float32)

"""Linear NDCG, pairs, thresholds and AUC (Jin and Geng 2013); and any DCG error as a sum over cutoffs.

The measure is `measures.LinearNDCG`, the pairwise loss R is `measures.PairwiseError`, both in O(n log n). With the
discount n - r the ideal DCG minus the DCG is R, the number of misordered pairs, each weighted by the difference of its
labels (Theorem 3, eq. (14)). The paper leaves equal scores open: R counts a pair of them 0, 1 or 1/2 if DCG takes them
in their best order, their worst order, or the mean over all orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._present.result import Result
from idealrank._present.table import Table, of_columns
from idealrank._typing import Floats
from idealrank.data.columns import check_columns, float_array
from idealrank.errors import DataError, OptionError
from idealrank.measures import PairwiseError, discounts, gains
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike


@dataclass(frozen=True)
class ThresholdErrors(Result):
    """The misordered pairs of the bipartite problems "is the label above a threshold?".

    The pairwise error R is ``steps @ errors``.

    Parameters
    ----------
    thresholds : float64 array
        All labels except the highest one.
    steps : float64 array
        The difference between each threshold and the next label; 1 for consecutive integers.
    errors : float64 array
        One row per threshold, one column per query.

    Examples
    --------
    >>> from idealrank.theory.linear_ndcg import threshold_errors
    >>> threshold_errors([2, 0, 2, 1, 0, 0], [6, 5, 4, 3, 2, 1]).steps
    array([1., 1.])
    """

    thresholds: Floats
    steps: Floats
    errors: Floats

    def tables(self) -> Mapping[str, Table]:
        """Return the table "thresholds": a row per threshold, with its misordered pairs over all queries."""
        columns = {"threshold": self.thresholds, "step": self.steps, "errors": self.errors.sum(axis=1)}
        return {"thresholds": of_columns(columns, "g")}


def threshold_errors(
    labels: npt.ArrayLike, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None, *, ties: str = "average"
) -> ThresholdErrors:
    """Decompose the pairwise error into bipartite errors, R = sum_k R_k.

    This is Theorem 1 of Jin and Geng 2013, eq. (6) and (7).

    Parameters
    ----------
    labels, scores : array-like
        The label and the score of each document.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
    ties : {"average", "best", "worst"}
        The order of documents with equal scores; "average" is the mean over all orders.

    Returns
    -------
    ThresholdErrors
        The errors by threshold and query.

    Raises
    ------
    DataError
        If the lengths of the arrays do not match, or a label or score is not valid.

    Examples
    --------
    Labels 2, 0, 2, 1, 0, 0 in rank order: for threshold 0, the first 0 is above a 2 and a 1; for threshold 1, above a
    2.

    >>> from idealrank.theory import threshold_errors
    >>> found = threshold_errors([2, 0, 2, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> found.thresholds, found.errors[:, 0]
    (array([0., 1.]), array([2., 1.]))
    """
    label_column, score_column, cut = check_columns(labels, scores, offsets)
    levels = np.unique(label_column)
    error = PairwiseError(normalize="none", ties=ties, empty=0)
    errors = [error((label_column > level).astype(np.float64), score_column, cut) for level in levels[:-1]]
    return ThresholdErrors(levels[:-1], np.diff(levels), np.reshape(errors, (len(errors), cut.size - 1)))


def cutoff_errors(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    discount: DiscountLike = "log",
    gain: GainLike = "linear",
    ties: str = "average",
) -> Floats:
    """Decompose the ideal DCG minus the DCG of one list into a sum over the cutoffs k = 1 to n.

    The term of k is D(k) - D(k + 1), times the difference in total gain between the ideal top k and the top k, with D(n
    + 1) = 0.

    Parameters
    ----------
    labels, scores : array-like
        The label and the score of each document.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...
    gain : str, Gain, mapping or sequence
        The gain of a label.
    ties : {"average", "best", "worst"}
        The order of documents with equal scores; "average" is the mean over all orders.

    Returns
    -------
    float64 array
        One term per cutoff.

    Raises
    ------
    DataError
        If a label is not a finite number.
    OptionError
        If ``ties`` is unknown.

    Examples
    --------
    Labels 0, 1 in rank order with D = 1, 1/2: a gain of 1 is missing at k = 1, and none at k = 2.

    >>> from idealrank.theory import cutoff_errors
    >>> cutoff_errors([0, 1], [2, 1], discount="zipf")
    array([0.5, 0. ])
    """
    label_column, score_column, _ = check_columns(labels, scores, None)
    if not np.isfinite(label_column).all():
        raise DataError("labels must be finite numbers")
    worth = gains.of(gain)(label_column)
    own = discounts.of(discount)
    own.require_decreasing("this sum of errors", worth.size)
    steps = -np.diff(np.append(own.weights(worth.size), 0.0))
    missing: Floats = np.cumsum(np.sort(worth)[::-1] - _ranked(worth, score_column, ties))
    return steps * missing


def _ranked(worth: Floats, scores: Floats, ties: str) -> Floats:
    """Gains in the order of the scores; those of equal scores best or worst first, or replaced by their mean."""
    if ties not in ("average", "best", "worst"):
        raise OptionError(f"unknown ties {ties!r}; choose 'average', 'best' or 'worst'")
    order = np.lexsort((worth if ties == "worst" else -worth, -scores))
    if ties != "average":
        return worth[order]
    _, places, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    means: Floats = np.bincount(places, worth) / counts
    return means[places][order]


def linear_ndcg_of_auc(auc: npt.ArrayLike, n_relevant: npt.ArrayLike, n_others: npt.ArrayLike) -> Floats:
    """Compute linear NDCG of labels 0 and 1 from AUC: 1 - m n (1 - AUC) / (m n + m (m - 1) / 2).

    Parameters
    ----------
    auc : array-like
        The area under the ROC curve.
    n_relevant, n_others : array-like
        The numbers m and n of documents with label 1 and with label 0.

    Returns
    -------
    float64 array
        Linear NDCG, one value per AUC.

    Raises
    ------
    DataError
        If there are no documents with one of the labels.

    Examples
    --------
    >>> from idealrank.theory import linear_ndcg_of_auc
    >>> linear_ndcg_of_auc(0.40625, 4, 8)
    array(0.5)
    """
    m, n = float_array(n_relevant, "n_relevant"), float_array(n_others, "n_others")
    areas = float_array(auc, "auc")
    try:
        np.broadcast_shapes(areas.shape, m.shape, n.shape)
    except ValueError as error:
        raise DataError(f"auc, n_relevant and n_others must have shapes that fit each other: {error}") from None
    if not ((m >= 1) & (n >= 1)).all():
        raise DataError(f"AUC needs relevant documents and others, got {m} and {n}")
    return np.asarray(1 - m * n * (1 - areas) / (m * n + m * (m - 1) / 2))


@dataclass(frozen=True)
class Exchange(Result):
    """An exchange of the document at place i of the ideal upper part with the one at place j of the lower part.

    For the r-th exchange see Jin and Geng 2013, Theorem 2, eq. (11) to (13).

    Parameters
    ----------
    i, j : int
        The places, counted from 1.
    cost : int
        m + j - i: the number of misordered pairs that it adds, and the linear DCG that it costs.
    moved_down, moved_up : int
        The two parts of the cost, m - i + r and j - r.

    Examples
    --------
    >>> from idealrank.theory.linear_ndcg import exchanges
    >>> exchanges([0, 1])
    (Exchange(i=1, j=1, cost=1, moved_down=1, moved_up=0),)
    """

    i: int
    j: int
    cost: int
    moved_down: int
    moved_up: int


def exchanges(labels: npt.ArrayLike) -> tuple[Exchange, ...]:
    """Return the shortest sequence of exchanges from the ideal order of labels 0 and 1 to the given order.

    See Jin and Geng 2013, Lemma 1.

    Parameters
    ----------
    labels : array-like
        The labels 0 and 1 in rank order.

    Returns
    -------
    tuple of Exchange
        The exchanges, in order.

    Raises
    ------
    DataError
        If there are other labels.

    Examples
    --------
    >>> from idealrank.theory import exchanges
    >>> [each.cost for each in exchanges([0, 1, 0, 0, 1, 1, 1, 0, 1])]
    [5, 4, 5]
    """
    order = float_array(labels, "labels")
    if order.ndim != 1 or not np.isin(order, (0, 1)).all():
        raise DataError(f"exchanges need labels 0 and 1 in rank order, got {labels!r}")
    m = int(order.sum())
    emptied, filled = np.flatnonzero(order[:m] == 0) + 1, np.flatnonzero(order[m:] == 1) + 1
    return tuple(
        Exchange(int(i), int(j), int(m + j - i), int(m - i + r), int(j - r))
        for r, (i, j) in enumerate(zip(emptied, filled, strict=True), 1)
    )

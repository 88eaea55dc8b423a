"""Linear NDCG, pairs, thresholds and AUC (Jin and Geng); and any DCG error, cut-off by cut-off.

The measure is `measures.LinearNDCG`, the pairwise loss R `measures.PairwiseError`, both in O(n log n). With the
discount n - r the ideal DCG less the DCG is R, the number of misordered pairs, each weighted by the difference of its
labels (Theorem 3, eq. (14)). As to equal scores, which the paper leaves open: R counts them not at all, fully or half
where DCG takes them in their best order, their worst, or the mean of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._base.results import Result
from idealrank._base.tables import Table, of_columns
from idealrank._typing import Floats
from idealrank.data.columns import check_columns
from idealrank.errors import DataError, OptionError
from idealrank.measures import PairwiseError, discounts, gains

__all__ = [
    "Exchange",
    "ThresholdErrors",
    "cutoff_errors",
    "exchanges",
    "linear_ndcg_of_auc",
    "threshold_errors",
]


@dataclass(frozen=True)
class ThresholdErrors(Result):
    """Misordered pairs of the problems "above this label or not": one row a threshold, one column a query.

    ``steps`` is how far the next label lies above each threshold, 1 for whole labels; the pairwise error R is
    ``steps @ errors``.
    """

    thresholds: Floats
    steps: Floats
    errors: Floats

    def tables(self) -> Mapping[str, Table]:
        """Table "thresholds": a row per threshold, with its misordered pairs over all queries."""
        columns = {"threshold": self.thresholds, "step": self.steps, "errors": self.errors.sum(axis=1)}
        return {"thresholds": of_columns(columns, "g")}


def threshold_errors(
    labels: npt.ArrayLike, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None, *, ties: str = "average"
) -> ThresholdErrors:
    """The pairwise error as a sum of bipartite ones, R = sum_k R_k (Jin and Geng, Theorem 1, eq. (6) and (7)).

    Labels 2, 0, 2, 1, 0, 0 in rank order: against threshold 0 the first 0 stands above 2 and 1, against threshold 1
    above 2 only.

    >>> found = threshold_errors([2, 0, 2, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> found.thresholds, found.errors[:, 0]
    (array([0., 1.]), array([2., 1.]))
    """
    columns = check_columns(labels, scores, offsets)
    levels = np.unique(columns[0])
    error = PairwiseError(normalize="none", ties=ties, empty=0)
    errors = [error((columns[0] > level).astype(np.float64), *columns[1:]) for level in levels[:-1]]
    return ThresholdErrors(levels[:-1], np.diff(levels), np.array(errors).reshape(-1, columns[2].size - 1))


def cutoff_errors(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    discount: Any = "log",
    gain: Any = "linear",
    ties: str = "average",
) -> Floats:
    """The ideal DCG less the DCG of one list, as a sum over the cut-offs k = 1 to n.

    The term of k is (D(k) - D(k + 1)) times what the top k lacks of the gain that the ideal top k has; D(n + 1) = 0.
    Labels 0, 1 under D = 1, 1/2: at k = 1 a gain of 1 is missing, at k = 2 none.

    >>> cutoff_errors([0, 1], [2, 1], discount="zipf")
    array([0.5, 0. ])
    """
    label_column, score_column, _ = check_columns(labels, scores, None)
    worth = gains.of(gain)(label_column)
    steps = -np.diff(np.append(discounts.of(discount).weights(worth.size), 0.0))
    missing: Floats = np.cumsum(np.sort(worth)[::-1] - _ranked(worth, score_column, ties))
    return steps * missing


def _ranked(worth: Floats, scores: Floats, ties: str) -> Floats:
    """Gains in the order of the scores; those of equal scores best or worst first, or each their mean."""
    if ties not in ("average", "best", "worst"):
        raise OptionError(f"unknown ties {ties!r}; there are 'average', 'best' and 'worst'")
    order = np.lexsort((worth if ties == "worst" else -worth, -scores))
    if ties != "average":
        return worth[order]
    _, places, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    means: Floats = np.bincount(places, worth) / counts
    return means[places][order]


def linear_ndcg_of_auc(auc: npt.ArrayLike, n_relevant: npt.ArrayLike, n_others: npt.ArrayLike) -> Floats:
    """Linear NDCG of labels 0 and 1 from AUC: 1 - m n (1 - AUC) / (m n + m (m - 1) / 2).

    >>> linear_ndcg_of_auc(0.40625, 4, 8)
    array(0.5)
    """
    m, n = np.asarray(n_relevant, np.float64), np.asarray(n_others, np.float64)
    if not ((m >= 1) & (n >= 1)).all():
        raise DataError(f"AUC needs relevant documents and others, got {m} and {n}")
    return np.asarray(1 - m * n * (1 - np.asarray(auc, np.float64)) / (m * n + m * (m - 1) / 2))


@dataclass(frozen=True)
class Exchange(Result):
    """The i-th place of the ideal upper part and the j-th of the lower part change their documents.

    ``cost`` is m + j - i: as many more misordered pairs, and as much less linear DCG; ``moved_down`` and ``moved_up``
    are its two parts, m - i + r and j - r for the r-th exchange (Jin and Geng, Theorem 2, eq. (11) to (13)).
    """

    i: int
    j: int
    cost: int
    moved_down: int
    moved_up: int


def exchanges(labels: npt.ArrayLike) -> tuple[Exchange, ...]:
    """From the ideal order of labels 0 and 1 to the given one, in as few exchanges as there can be (Lemma 1).

    >>> [each.cost for each in exchanges([0, 1, 0, 0, 1, 1, 1, 0, 1])]
    [5, 4, 5]
    """
    order = np.asarray(labels, np.float64)
    if order.ndim != 1 or not np.isin(order, (0, 1)).all():
        raise DataError(f"exchanges are of labels 0 and 1 in rank order, got {labels!r}")
    m = int(order.sum())
    emptied, filled = np.flatnonzero(order[:m] == 0) + 1, np.flatnonzero(order[m:] == 1) + 1
    return tuple(
        Exchange(int(i), int(j), int(m + j - i), int(m - i + r), int(j - r))
        for r, (i, j) in enumerate(zip(emptied, filled, strict=True), 1)
    )

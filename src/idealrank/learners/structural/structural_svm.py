"""Structural SVMs for AP and NDCG, with the search for the most violated ranking.

Psi(y), the features of a ranking y, is the mean of x_i - x_j over pairs of a relevant document i and another one j,
negative where y has j above i. The ranking that maximizes 1 - measure(y) + <w, Psi(y)> has the relevant documents by
decreasing score, and so are the others: it remains to find how they interleave.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._names.options import number, option
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import group_of_each
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.learners.learner_names import register
from idealrank.learners.linear.objective import LinearObjective, WeightedSum
from idealrank.learners.linear.optimizers import planes
from idealrank.learners.linear.query_blocks import Source
from idealrank.losses import Loss
from idealrank.losses.segments import dcg_norms, sums, worth_of
from idealrank.measures import Measure, discounts, gains
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike


class StructuralSVM(WeightedSum):
    """Base class of structural SVMs (Tsochantaridis et al. 2005); each subclass defines the hinge.

    A ranking y has the value <w, Psi(y)>, which is highest for the ranking by decreasing score. The hinge of a query is
    the maximum over rankings y of 1 - measure(y) + <w, Psi(y)> - <w, Psi(best ranking)>. It is convex, and never less
    than 1 - the measure of the ranking by score. The mean hinge + l2 / 2 ||w||^2 is minimized by cutting planes.

    Parameters
    ----------
    l2 : float
        The strength of the penalty l2 / 2 ||w||^2 on the weights w, which is 1 / C for the constant C of the papers.
    tolerance : float
        Stop when the objective is proven to be within this distance of the minimum.
    max_iter : int
        Maximum number of cutting planes.

    Attributes
    ----------
    gap_ : float
        The proven upper bound on the distance of the objective from its minimum.
    """

    l2: float = option(number(0, is_open=True), 0.1)
    tolerance: float = option(number(0, is_open=True), 0.001)
    max_iter: int = 500

    def _hinge(self) -> Loss:
        raise NotImplementedError

    def _fit(self, data: RankingData | Source, validation: RankingData | Source | None) -> None:
        hinge = LinearObjective(self._parts(data), self._hinge(), lambda _: self.l2)
        start = np.zeros(self.n_features_in_ + 1)
        with self._traced(start, validation) as trace:
            trace.begin(str(hinge.loss))
            found, self.gap_ = planes(hinge, trace, self.max_iter, self.tolerance)
        self._report(found.shortfall)


#: What a measure loses in all when the j-th other document of a query moves up past relevant documents number 1 to i,
#: after the j - 1 others above it did so; called with the positions of queries, i and j.
Lost = Callable[[Int64s, Int64s, Int64s], Floats]


@dataclass(frozen=True)
class Side:
    """The relevant documents of all queries, or the others, by decreasing score.

    ``count`` and ``first`` have one entry per query, the rest one per document: its row, its score, the position of its
    query, and its number within the query, from 1.
    """

    count: Int64s
    first: Int64s
    rows: Int64s
    scores: Floats
    query: Int64s
    number: Int64s

    @classmethod
    def of(cls, order: Int64s, kept: Booleans, lists: Lists) -> Side:
        """Return the documents that are kept, by position in the order."""
        query = group_of_each(lists.offsets)[kept]
        count = np.bincount(query, minlength=lists.n_queries)
        first = np.cumsum(count) - count
        rows = order[kept]
        return cls(count, first, rows, lists.scores[rows], query, np.arange(1, rows.size + 1) - first[query])


def most_violated(lists: Lists, relevant: Booleans, lost: Lost, missed: Lost) -> tuple[Floats, Floats]:
    """Return the maximum over rankings y of 1 - measure(y) + <w, Psi(y) - Psi(best)> per query, and its gradient.

    It takes n log n time for all queries at once. ``lost`` must grow more slowly with i for a larger j, which makes the
    choice exact (Yue et al. 2007, section 4). ``missed`` is what 1 - measure(y) gets from the k-th relevant document
    of a query if j others are ranked above it; it is called with the positions of queries, j and k. A query without
    relevant documents, or without others, has the value and the gradient 0.
    """
    if lists.weights is not None:
        raise DataError("structural SVMs weight queries, not documents: give query weights instead of document weights")
    order = _native.order(lists.scores, lists.offsets, lists.n_threads)
    kept = relevant[order]
    hits, misses = Side.of(order, kept, lists), Side.of(order, ~kept, lists)
    hits_above = _hits_above(hits, misses, lost)
    # A query with R relevant documents has R + 1 places between them for the others.
    places = (hits.first + np.arange(lists.n_queries))[misses.query] + hits_above
    up_to = np.cumsum(np.bincount(places, minlength=hits.rows.size + lists.n_queries))
    misses_above = up_to[np.arange(hits.rows.size) + hits.query] - misses.first[hits.query]

    each = 2 / np.maximum(hits.count * misses.count, 1)  # a swapped pair changes its sign
    slopes = np.empty(order.size)
    slopes[hits.rows] = -each[hits.query] * misses_above
    slopes[misses.rows] = each[misses.query] * (hits.count[misses.query] - hits_above)
    values = np.bincount(hits.query, missed(hits.query, misses_above, hits.number), lists.n_queries)
    return values + sums(slopes * lists.scores, lists.offsets), slopes


def _hits_above(hits: Side, misses: Side, lost: Lost) -> Int64s:
    """Return how many relevant documents are ranked above each other document.

    Leaving the first i of R relevant documents above the j-th of N others costs

        lost(i, j) - 2 / (R N) sum_{k<=i} (s_k - s_j)

    and the best i can be chosen separately for each j. It never decreases with j, so the values of two documents bound
    those in between: starting with the middle one, then the middles of both halves, and so on, each round looks at
    every i about once.
    """
    n_hits, n_misses = hits.count[misses.query], misses.count[misses.query]
    sums = np.append(0.0, np.cumsum(hits.scores))
    above = np.zeros(misses.rows.size, np.int64)
    stride = 1 << int(misses.count.max(initial=0)).bit_length()
    while stride := stride // 2:
        rows = np.flatnonzero(misses.number % (2 * stride) == stride)
        number = misses.number[rows]
        low = np.where(number > stride, above[np.maximum(rows - stride, 0)], 0)
        has_next = number + stride <= n_misses[rows]
        high = np.where(has_next, above[np.minimum(rows + stride, above.size - 1)], n_hits[rows])
        starts = np.cumsum(high - low + 1) - (high - low + 1)
        each = np.repeat(np.arange(rows.size), high - low + 1)
        i = np.arange(each.size) - (starts - low)[each]
        at = rows[each]
        query = misses.query[at]
        ahead = sums[hits.first[query] + i] - sums[hits.first[query]] - i * misses.scores[at]
        pairs = np.maximum(n_hits * n_misses, 1)[at]
        cost = lost(query, i, misses.number[at]) - 2 / pairs * ahead
        least = np.flatnonzero(cost == np.minimum.reduceat(cost, starts)[each])[::-1]  # the first of equal ones is last
        above[at[least]] = i[least]
    return above


@register("svm_map")
class SVMMap(StructuralSVM):
    """SVMmap (Yue, Finley, Radlinski and Joachims 2007): a hinge that bounds 1 - average precision.

    Queries in which all documents or no documents are relevant are ignored.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant document.

    Examples
    --------
    One relevant document of two, whose features differ by 1, so that <w, Psi> is w or -w: the hinge is max(0, 1/2 - 2
    w), and its sum with l2 / 2 w^2 is smallest at w = 1/4.

    >>> from idealrank.learners import SVMMap
    >>> SVMMap(l2=0.1, tolerance=1e-9).fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_
    array([0.25])
    """

    measure: str | Measure = "ap"
    rel: float = option(number(), 1.0)

    def _hinge(self) -> Loss:
        return APHinge(rel=self.rel)


class APHinge(Loss):
    """max over rankings y of 1 - AP(y) + <w, Psi(y)> - <w, Psi(best)>: the hinge of SVMmap.

    A relevant document and another, with equal scores, so that <w, Psi> is 0: the worst ranking has AP 1/2.

    >>> APHinge()([1, 0], [1.0, 1.0])
    (array([0.5]), array([-2.,  2.]))
    """

    rel: float = option(number(), 1.0)
    label = "ap_hinge"

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, lists.sizes.max(initial=0) + 1)))
        relevant = lists.labels >= self.rel
        counts = np.maximum(sums(relevant.astype(np.float64), lists.offsets), 1)

        def lost(query: Int64s, i: Int64s, j: Int64s) -> Floats:
            # sum_{k<=i} k / (k + j - 1) - k / (k + j), where k / (k + j) = 1 - j / (k + j)
            fall = j * (harmonic[i + j] - harmonic[j]) - (j - 1) * (harmonic[i + j - 1] - harmonic[j - 1])
            return np.asarray(fall / counts[query])

        def missed(query: Int64s, j: Int64s, k: Int64s) -> Floats:
            return np.asarray(j / (k + j) / counts[query])  # 1 - precision

        return most_violated(lists, relevant, lost, missed)


@register("svm_ndcg")
class SVMNDCG(StructuralSVM):
    """SVM-NDCG (Chakrabarti, Khanna, Sawant and Bhattacharyya 2008): a hinge that bounds 1 - NDCG of the whole list.

    The labels in the paper are 0 and 1. With more labels, NDCG is a weighted mean of the NDCG of the binary labels "at
    least l", and the hinge is the same mean of their hinges, which still bounds 1 - NDCG.

    Parameters
    ----------
    gain : str or Gain
        The gain of a label.
    discount : str or Discount
        The weight of a rank, which must be a convex function of the rank.

    Examples
    --------
    One relevant document of two, whose features differ by 1, so that <w, Psi> is w or -w: with d = 1 - 1/log2(3) =
    0.369..., the hinge is max(0, d - 2 w), and its sum with l2 / 2 w^2 is smallest at w = d / 2.

    >>> from idealrank.learners import SVMNDCG
    >>> SVMNDCG(l2=0.1, tolerance=1e-9).fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_
    array([0.18453512])
    """

    gain: GainLike = option(gains.of, "exp2")
    discount: DiscountLike = option(discounts.of, "log")

    def _hinge(self) -> Loss:
        return NDCGHinge(gain=self.gain, discount=self.discount)


class NDCGHinge(Loss):
    """The mean over levels l of max over rankings y of 1 - NDCG_l(y) + <w, Psi_l(y)> - <w, Psi_l(best)>.

    NDCG_l is that of the documents with labels from l on, all of gain 1. NDCG = sum_l c_l NDCG_l, where c_l is the
    step of the gain up to l times the ideal DCG of level l over that of the query; the mean has the weights c_l. The
    discount must be convex, so that moving a document up past another costs less further down.

    A relevant document and another, with equal scores: the worst ranking has NDCG 1/log2(3) = 0.63...

    >>> NDCGHinge()([1, 0], [0.0, 0.0])
    (array([0.36907025]), array([-2.,  2.]))
    """

    gain: Any = option(gains.of, gains.Exp2())
    discount: Any = option(discounts.of, discounts.Log())
    label = "ndcg_hinge"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.discount.require_decreasing(self.label)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        ideal = dcg_norms(worth_of(self.gain, lists), lists.offsets, self.discount, None, lists.n_threads)
        levels = np.unique(lists.labels)
        steps = np.diff(self.gain(levels))
        if (steps < 0).any():
            raise OptionError(f"the gain of a higher label must not be lower, but {self.gain} decreases")
        if (np.diff(self.discount.weights(int(lists.sizes.max(initial=0))), 2) < -1e-12).any():
            raise OptionError(f"the discount must be convex in the rank, but {self.discount} is not")
        values, gradient = np.zeros(lists.n_queries), np.zeros(lists.labels.size)
        for level, step in zip(levels[1:], steps, strict=True):
            at_least = (lists.labels >= level).astype(np.float64)
            best = dcg_norms(at_least, lists.offsets, self.discount, None, lists.n_threads)
            share = np.divide(step * best, ideal, out=np.zeros_like(ideal), where=ideal > 0)
            hinge, slopes = self._of_level(lists, at_least > 0, np.where(best > 0, best, 1.0))
            values += share * hinge
            gradient += np.repeat(share, lists.sizes) * slopes
        return values, gradient

    def _of_level(self, lists: Lists, relevant: Booleans, best: Floats) -> tuple[Floats, Floats]:
        # Only differences are used, and those of the linear discount do not depend on the length of the list.
        discount = np.append(np.nan, self.discount.weights(int(lists.sizes.max(initial=0))))

        def lost(query: Int64s, i: Int64s, j: Int64s) -> Floats:
            return np.asarray((discount[j] - discount[i + j]) / best[query])

        return most_violated(lists, relevant, lost, missed=lost)

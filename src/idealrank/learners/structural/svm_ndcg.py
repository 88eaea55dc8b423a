"""SVM-NDCG: a structural SVM for NDCG."""

from __future__ import annotations

from typing import Any

import numpy as np

from idealrank._names.options import option
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.learners.learner_names import register
from idealrank.learners.structural.interleaving import most_violated
from idealrank.learners.structural.machine import StructuralSVM
from idealrank.losses import Loss
from idealrank.losses.targets import dcg_norms, worth_of
from idealrank.measures import discounts, gains
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike

__all__ = ["SVMNDCG", "NDCGHinge"]


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

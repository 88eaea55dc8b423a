"""SVMmap: a structural SVM for average precision."""

from __future__ import annotations

import numpy as np

from idealrank._names.options import number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.learners.learner_names import register
from idealrank.learners.structural.interleaving import most_violated
from idealrank.learners.structural.machine import StructuralSVM
from idealrank.losses import Loss
from idealrank.losses.segments import sums
from idealrank.measures import Measure

__all__ = ["APHinge", "SVMMap"]


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

"""The base class of structural SVMs."""

from __future__ import annotations

import numpy as np

from idealrank._names.options import number, option
from idealrank.data.ranking import RankingData
from idealrank.learners.linear.engine import Source
from idealrank.learners.linear.objective import LinearObjective
from idealrank.learners.linear.optimizers import planes
from idealrank.learners.linear.weighted_sum import WeightedSum
from idealrank.losses import Loss

__all__ = ["StructuralSVM"]


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

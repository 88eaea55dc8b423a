"""The family of all strongly consistent losses: Bregman divergences between scores and targets."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from idealrank._names.options import checked, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.losses import links, potentials
from idealrank.losses.loss_names import register
from idealrank.losses.segments import Listwise, normalizer, sums


@register("bregman")
class Bregman(Listwise):
    """D_psi(u, g(s)) = psi(u) + psi*(T(s)) - <T(s), u> (Ravikumar et al. 2011, Theorems 8 and 9).

    The divergence is D_psi(u, v) = psi(u) - psi(v) - <grad psi(v), u - v>. (The paper prints the inverse of the
    gradient, which does not give a divergence.) With a link, `hessian_diagonal` is the Gauss-Newton approximation: the
    Hessian of psi* at T(s), times T'^2.

    Parameters
    ----------
    psi : str or Potential
        The potential psi: "squared", "kl", "pnorm:1.5", or any `potentials.Potential`.
    link : str or Link, optional
        The link T: "scale:2", or any `links.Link`. None means T(s) = s, which makes the loss convex.

    Examples
    --------
    psi = |x|^2 / 2, labels 1, 0, so u = (1, 0), and scores 0.5, 0.25: (0.5^2 + 0.25^2) / 2.

    >>> from idealrank.losses import Bregman
    >>> Bregman("squared")([1, 0], [0.5, 0.25])
    (array([0.15625]), array([-0.5 ,  0.25]))
    """

    psi: Any = field(metadata=checked(potentials.of), kw_only=False)
    link: Any = option(links.of)
    normalizer: Any = option(normalizer, "dcg")

    def of_targets(self, target: Floats, lists: Lists) -> tuple[Floats, Floats]:
        psi, offsets, fitted = self.psi, lists.offsets, self._link.forward(lists.scores)
        values = psi.value(target, offsets) + psi.conjugate(fitted, offsets) - sums(fitted * target, offsets)
        return values, (psi.conjugate_gradient(fitted, offsets) - target) * self._link.slope(lists.scores)

    def curvature_of_targets(self, target: Floats, lists: Lists) -> Floats:
        inner: Floats = self.psi.conjugate_curvature(self._link.forward(lists.scores), lists.offsets)
        return inner * self._link.slope(lists.scores) ** 2

    def best_scores(self, target: Floats, offsets: Int64s) -> Floats:
        return self._link.inverse(self.psi.gradient(target, offsets))

    @property
    def _link(self) -> links.Link:
        return self.link or links.Scale(1.0)

"""The family of all strongly consistent losses: Bregman divergences of scores from targets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from idealrank._base.options import option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.losses import links, potentials
from idealrank.losses.names import register
from idealrank.losses.segments import sums
from idealrank.losses.targets import Listwise, normalizer

__all__ = ["Bregman"]


@register("bregman")
@dataclass(frozen=True, kw_only=True, repr=False)
class Bregman(Listwise):
    """D_psi(u, g(s)) = psi(u) + psi*(T(s)) - <T(s), u> (Ravikumar et al. 2011, Theorems 8 and 9).

    ``psi``: "squared", "kl", "pnorm:1.5", or any `potentials.Potential`. ``link`` T: None for T(s) = s, which is
    convex, "scale:2", or any `links.Link`. The divergence is D_psi(u, v) = psi(u) - psi(v) - <grad psi(v), u - v>; the
    paper prints the inverse of the gradient there, which gives no divergence. With a link the Hessian is that of psi*
    at T(s) times T'^2, as Gauss and Newton do.

    psi = |x|^2 / 2, labels 1, 0, so u = (1, 0), and scores 0.5, 0.25: (0.5^2 + 0.25^2) / 2.

    >>> Bregman("squared")([1, 0], [0.5, 0.25])
    (array([0.15625]), array([-0.5 ,  0.25]))
    """

    psi: Any = dataclasses.field(metadata={"coerce": potentials.of}, kw_only=False)
    link: Any = option(links.of)
    normalizer: Any = option(normalizer, "dcg")

    def of_targets(self, target: Floats, lists: Lists) -> tuple[Floats, Floats]:
        fitted = lists.scores if self.link is None else self.link.forward(lists.scores)
        values = (
            self.psi.value(target, lists.offsets)
            + self.psi.conjugate(fitted, lists.offsets)
            - sums(fitted * target, lists.offsets)
        )
        gradient = self.psi.conjugate_gradient(fitted, lists.offsets) - target
        return values, gradient if self.link is None else gradient * self.link.slope(lists.scores)

    def curvature_of_targets(self, target: Floats, lists: Lists) -> Floats:
        if self.link is None:
            curvature: Floats = self.psi.conjugate_curvature(lists.scores, lists.offsets)
            return curvature
        inner = self.psi.conjugate_curvature(self.link.forward(lists.scores), lists.offsets)
        return inner * self.link.slope(lists.scores) ** 2  # type: ignore[no-any-return]

    def best_scores(self, target: Floats, offsets: Int64s) -> Floats:
        fitted: Floats = self.psi.gradient(target, offsets)
        return fitted if self.link is None else self.link.inverse(fitted)

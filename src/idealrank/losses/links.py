"""Links of a Bregman loss: from scores to the gradient of psi at the corresponding targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from idealrank._names.options import Numbers, checked, number
from idealrank._names.registry import Registry
from idealrank._typing import Floats

__all__ = ["Link", "Scale", "of", "register"]

Function = Callable[[Floats], Floats]


class Link(Numbers):
    """The base class of links: a strictly increasing map of scores, t = T(s), applied to each score.

    Theorem 8 of Ravikumar et al. 2011 has D_psi(u, g(s)) for any g whose inverse preserves order (the condition on g
    itself, as printed, is not enough); T is the gradient of psi after g, so that None, T(s) = s, is Theorem 9.
    """

    def forward(self, s: Floats) -> Floats:
        """Return T(s).

        Parameters
        ----------
        s : float64 array
            Scores.

        Returns
        -------
        float64 array
        """
        raise NotImplementedError

    def slope(self, s: Floats) -> Floats:
        """Return T'(s) > 0.

        Parameters
        ----------
        s : float64 array
            Scores.

        Returns
        -------
        float64 array
        """
        raise NotImplementedError

    def inverse(self, t: Floats) -> Floats:
        """Return the scores with T(s) = t.

        Parameters
        ----------
        t : float64 array
            Values of T.

        Returns
        -------
        float64 array
        """
        raise NotImplementedError


#: The links by name: `register` adds one, `of` reads one.
LINKS: Registry[Link] = Registry("link", Link, "scale:2")
register, of = LINKS.register, LINKS.of


@register("scale")
@dataclass(frozen=True)
class Scale(Link):
    """T(s) = a s. ``Bregman("pnorm:2", link="scale:2")`` is ||s - u||^2.

    Parameters
    ----------
    factor : float
        The factor a > 0.

    Examples
    --------
    >>> Scale(2).forward(np.array([0.5, 3.0]))
    array([1., 6.])
    """

    factor: float = field(metadata=checked(number(0, is_open=True)))

    def forward(self, s: Floats) -> Floats:
        return self.factor * s

    def slope(self, s: Floats) -> Floats:
        return np.full(s.size, self.factor)

    def inverse(self, t: Floats) -> Floats:
        return t / self.factor

"""Links of a Bregman loss: from scores to the gradient of psi at the targets that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idealrank._base.options import Numbers
from idealrank._base.registry import Registry
from idealrank._typing import Floats
from idealrank.errors import OptionError

__all__ = ["Elementwise", "Link", "Scale", "of", "register"]

Function = Callable[[Floats], Floats]


class Link(Numbers):
    """A strictly increasing map of scores, t = T(s), each score by itself.

    Theorem 8 of Ravikumar et al. 2011 has D_psi(u, g(s)) for any g whose inverse preserves order (on g itself, as
    printed, the condition is not enough); T is the gradient of psi after g, so that None, T(s) = s, is Theorem 9.
    """

    def forward(self, s: Floats) -> Floats:
        """T(s)."""
        raise NotImplementedError

    def slope(self, s: Floats) -> Floats:
        """T'(s) > 0."""
        raise NotImplementedError

    def inverse(self, t: Floats) -> Floats:
        """The scores with T(s) = t."""
        raise NotImplementedError


#: The links by name: `register` adds one, `of` reads one.
LINKS: Registry[Link] = Registry("link", Link, "scale:2")
register, of = LINKS.register, LINKS.of


@register("scale")
@dataclass(frozen=True)
class Scale(Link):
    """T(s) = a s, a > 0. ``Bregman("pnorm:2", link="scale:2")`` is ||s - u||^2.

    >>> Scale(2).forward(np.array([0.5, 3.0]))
    array([1., 6.])
    """

    factor: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.factor) and self.factor > 0):
            raise OptionError(f"the factor of a scale is finite and above 0, got {self.factor}")

    def forward(self, s: Floats) -> Floats:
        return self.factor * s

    def slope(self, s: Floats) -> Floats:
        return np.full(s.size, float(self.factor))

    def inverse(self, t: Floats) -> Floats:
        return t / self.factor


@dataclass(frozen=True)
class Elementwise(Link):
    """Any increasing T, from three functions of arrays: itself, its derivative, its inverse.

    >>> cube = Elementwise(lambda s: s**3 + s, lambda s: 3 * s**2 + 1, lambda t: np.nan * t)
    >>> cube.forward(np.array([2.0]))
    array([10.])
    """

    function: Function
    derivative: Function
    inverse_function: Function

    def __str__(self) -> str:
        return "elementwise"  # no text reads back as functions

    def forward(self, s: Floats) -> Floats:
        return self.function(s)

    def slope(self, s: Floats) -> Floats:
        return self.derivative(s)

    def inverse(self, t: Floats) -> Floats:
        return self.inverse_function(t)

"""Convex functions psi of a query's targets, with the methods that a Bregman loss needs; all queries at once.

``x`` are targets and ``s`` scores, one per document; ``offsets`` divides them into queries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idealrank._names.options import Numbers
from idealrank._names.registry import Registry
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.losses.segments import norms, sums

__all__ = ["KL", "PNorm", "Potential", "Squared", "of", "register"]

Function = Callable[[Floats], Floats]


class Potential(Numbers):
    """The base class of psi: strictly convex, with a one-to-one, order-preserving gradient.

    A new one implements the five methods. A sufficient form is psi_out(sum_j h(x_j)), h strictly convex and psi_out
    increasing, if the whole is strictly convex too, which the paper takes for granted: log(1 + x^2) has that form and
    is not.
    """

    def value(self, x: Floats, offsets: Int64s) -> Floats:
        """Return psi(x) of each query.

        Parameters
        ----------
        x : float64 array
            Targets, one per document.
        offsets : int64 array
            Query i has the documents ``offsets[i]:offsets[i + 1]``.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        raise NotImplementedError

    def gradient(self, x: Floats, offsets: Int64s) -> Floats:
        """Return the gradient of psi: the scores that fit the targets x.

        Parameters
        ----------
        x : float64 array
            Targets, one per document.
        offsets : int64 array
            Query i has the documents ``offsets[i]:offsets[i + 1]``.

        Returns
        -------
        ndarray of shape (n_docs,)
        """
        raise NotImplementedError

    def conjugate(self, s: Floats, offsets: Int64s) -> Floats:
        """Return psi*(s) = max_x <s, x> - psi(x) of each query.

        Parameters
        ----------
        s : float64 array
            Scores, one per document.
        offsets : int64 array
            Query i has the documents ``offsets[i]:offsets[i + 1]``.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        raise NotImplementedError

    def conjugate_gradient(self, s: Floats, offsets: Int64s) -> Floats:
        """Return the gradient of psi*, the inverse of that of psi: the targets that fit the scores s.

        Parameters
        ----------
        s : float64 array
            Scores, one per document.
        offsets : int64 array
            Query i has the documents ``offsets[i]:offsets[i + 1]``.

        Returns
        -------
        ndarray of shape (n_docs,)
        """
        raise NotImplementedError

    def conjugate_curvature(self, s: Floats, offsets: Int64s) -> Floats:
        """Return the diagonal of the Hessian of psi*, or a bound of it.

        Parameters
        ----------
        s : float64 array
            Scores, one per document.
        offsets : int64 array
            Query i has the documents ``offsets[i]:offsets[i + 1]``.

        Returns
        -------
        ndarray of shape (n_docs,)
        """
        raise NotImplementedError


#: The potentials by name: `register` adds one, `of` reads one.
POTENTIALS: Registry[Potential] = Registry("potential", Potential, "squared, kl or pnorm:1.5")
register, of = POTENTIALS.register, POTENTIALS.of


@register("squared")
@dataclass(frozen=True)
class Squared(Potential):
    """psi = sum x^2 / 2, whose gradient is x itself: the loss is ||s - u||^2 / 2.

    Examples
    --------
    >>> Squared().value(np.array([3.0, 4.0]), np.array([0, 2]))
    array([12.5])
    """

    def value(self, x: Floats, offsets: Int64s) -> Floats:
        return sums(x**2, offsets) / 2

    def gradient(self, x: Floats, offsets: Int64s) -> Floats:
        return x

    def conjugate(self, s: Floats, offsets: Int64s) -> Floats:
        return self.value(s, offsets)

    def conjugate_gradient(self, s: Floats, offsets: Int64s) -> Floats:
        return s

    def conjugate_curvature(self, s: Floats, offsets: Int64s) -> Floats:
        return np.ones(s.size)


@register("kl")
@dataclass(frozen=True)
class KL(Potential):
    """psi = sum x log x - x on x >= 0: the loss is KL(u || exp(s)). The paper prints exp, which is the conjugate.

    Examples
    --------
    >>> KL().value(np.array([1.0, 0.0]), np.array([0, 2]))
    array([-1.])
    """

    def value(self, x: Floats, offsets: Int64s) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return sums(np.where(x > 0, x * np.log(x), 0.0) - x, offsets)

    def gradient(self, x: Floats, offsets: Int64s) -> Floats:
        return np.log(x)

    def conjugate(self, s: Floats, offsets: Int64s) -> Floats:
        return sums(np.exp(s), offsets)

    def conjugate_gradient(self, s: Floats, offsets: Int64s) -> Floats:
        return np.exp(s)

    def conjugate_curvature(self, s: Floats, offsets: Int64s) -> Floats:
        return np.exp(s)


@register("pnorm")
@dataclass(frozen=True)
class PNorm(Potential):
    """psi = ||x||_p^2: the loss is ||u||_p^2 + ||s||_q^2 / 4 - <s, u>, 1/p + 1/q = 1.

    Parameters
    ----------
    p : float
        The exponent, 1 < p <= 2.

    Examples
    --------
    >>> PNorm(2).value(np.array([3.0, 4.0]), np.array([0, 2]))
    array([25.])
    """

    p: float

    def __post_init__(self) -> None:
        if not 1 < self.p <= 2:
            raise OptionError(f"pnorm: p must be above 1 and at most 2, got {self.p}")

    def value(self, x: Floats, offsets: Int64s) -> Floats:
        return norms(x, offsets, self.p)[0] ** 2

    def gradient(self, x: Floats, offsets: Int64s) -> Floats:
        return _half_square_slope(x, offsets, self.p) * 2

    def conjugate(self, s: Floats, offsets: Int64s) -> Floats:
        return norms(s, offsets, self.p / (self.p - 1))[0] ** 2 / 4

    def conjugate_gradient(self, s: Floats, offsets: Int64s) -> Floats:
        return _half_square_slope(s, offsets, self.p / (self.p - 1)) / 2

    def conjugate_curvature(self, s: Floats, offsets: Int64s) -> Floats:
        return np.full(s.size, 0.5 / (self.p - 1))  # ||s||_q^2 is 2 (q - 1)-smooth


def _half_square_slope(x: Floats, offsets: Int64s, p: float) -> Floats:
    """Return the gradient of ||x||_p^2 / 2."""
    length, shares = norms(x, offsets, p)
    return np.repeat(length, np.diff(offsets)) * np.sign(shares) * np.abs(shares) ** (p - 1)

"""Relevance curves: the gain to expect at each place of a ranker's list.

The canonical score s of a document, in [0, 1], is the share of documents that the ranker places no higher (Wang et al.
2013, Definition 2); u = 1 - s is its place, 0 at the top of the list. A curve gives the expected gain of a document at
s: for labels 0 and 1, ybar(s) = P(label = 1 | s). Everything that the paper proves about NDCG on long lists depends on
the ranker only through this curve.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.theory.long_lists.weights import Weight, power, quadrature

#: A function of the canonical score, which takes numbers, and arrays if it can.
Function: TypeAlias = Callable[[Any], Any]

_ROUNDING = 1e-9


class Curve:
    """Base class of relevance curves, which give the distribution of gains at each canonical score.

    Attributes
    ----------
    levels : tuple of float
        The gains above 0 that documents have, in decreasing order.

    Examples
    --------
    >>> from idealrank.theory.long_lists.curves import of
    >>> curve = of(lambda s: s)  # P(relevant | s) = s
    >>> curve([0.25, 1]), curve.variance([0.25, 1])
    (array([0.25, 1.  ]), array([0.1875, 0.    ]))
    """

    levels: tuple[float, ...]

    def probabilities(self, s: npt.ArrayLike) -> Floats:
        """Return P(gain = level | s): one row per level, one column per canonical score.

        Parameters
        ----------
        s : array-like
            Canonical scores, from 0 to 1.

        Returns
        -------
        float64 array of shape (n_levels, n_scores)
            The probabilities.
        """
        raise NotImplementedError

    def integrals(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> Floats:
        """Integrate the probability of each level times a weight over the places u from ``since`` to ``to``."""
        raise NotImplementedError

    @property
    def breaks(self) -> Floats:
        """The canonical scores at which the curve jumps, if known."""
        return np.empty(0)

    def __call__(self, s: npt.ArrayLike) -> Floats:
        """Return the expected gain at each canonical score.

        Parameters
        ----------
        s : array-like
            Canonical scores, from 0 to 1.

        Returns
        -------
        float64 array of shape (n_scores,)
            The expected gains.
        """
        expected: Floats = np.asarray(self.levels) @ self.probabilities(s)
        return expected

    def variance(self, s: npt.ArrayLike) -> Floats:
        """Return the variance of the gain at each canonical score.

        Parameters
        ----------
        s : array-like
            Canonical scores, from 0 to 1.

        Returns
        -------
        float64 array of shape (n_scores,)
            The variances.
        """
        squares: Floats = np.square(self.levels) @ self.probabilities(s)
        return squares - np.square(self(s))

    def integral(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> float:
        """Integrate the expected gain times a weight over the places u from ``since`` to ``to``."""
        return float(np.asarray(self.levels) @ self.integrals(weight, since, to))

    def ideal_integral(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> float:
        """Integrate the gain of the ideal ranking, which sorts the documents by level, times a weight."""
        ends = np.clip(np.concatenate(([0.0], np.cumsum(self.shares))), since, to)
        return float(np.asarray(self.levels) @ np.diff(weight.integral(ends)))

    @cached_property
    def shares(self) -> Floats:
        """The share of documents at each level."""
        return self.integrals(power(0))

    @cached_property
    def p(self) -> float:
        """The share of documents with a gain above 0."""
        return float(self.shares.sum())

    @cached_property
    def mean(self) -> float:
        """The mean gain of all documents; for labels 0 and 1 the same as ``p``."""
        return float(np.asarray(self.levels) @ self.shares)

    @cached_property
    def spread(self) -> float:
        """The variance of the gain over all documents."""
        return float(np.square(self.levels) @ self.shares) - self.mean**2

    @cached_property
    def best(self) -> float:
        """The highest gain that a positive share of the documents has."""
        return next(level for level, share in zip(self.levels, self.shares, strict=True) if share > 0)

    @cached_property
    def top(self) -> float:
        """The expected gain at the very top, ybar(1)."""
        return float(self(1.0))

    @cached_property
    def top_variance(self) -> float:
        """The variance of the gain at the very top; 0 if the top is free of noise."""
        return float(top_noise(self.variance(1.0)))

    def top_gains(self) -> tuple[Floats, Floats]:
        """Return the gains that a document at the very top can have, 0 last, and their probabilities.

        Returns
        -------
        gains, probabilities : float64 arrays
            One entry per gain.
        """
        chances = self.probabilities(1.0)
        return np.array([*self.levels, 0.0]), np.append(chances, max(0.0, 1 - chances.sum()))


def top_noise(variance: Floats) -> Floats:
    """Return a variance at the very top, or 0 if it is a rounding error."""
    return np.where(variance > _ROUNDING, variance, 0.0)


class GradedCurve(Curve):
    """A relevance curve that is defined by functions.

    Parameters
    ----------
    functions : mapping of float to callable
        For each gain above 0, the function P(gain | s); the remaining probability belongs to gain 0. A function may
        take arrays or single numbers. Jumps are detected, but a step narrower than 1/16384 of the list may be missed;
        use a `StepCurve` for such steps.

    Examples
    --------
    >>> from idealrank.theory import GradedCurve
    >>> curve = GradedCurve({2: lambda s: s**2 / 2, 1: lambda s: s / 2})
    >>> float(curve(1.0)), round(curve.mean, 12)  # 2/2 + 1/2; the integral of s^2 + s/2, 1/3 + 1/4
    (1.5, 0.583333333333)
    """

    def __init__(self, functions: Mapping[float, Function]) -> None:
        if not isinstance(functions, Mapping):
            raise DataError(f"expected a mapping {{gain: function of s}}, got {type(functions).__name__}")
        self.levels = check_levels(functions)
        self._functions = [functions[level] for level in self.levels]

    def probabilities(self, s: npt.ArrayLike) -> Floats:
        places = np.asarray(s, np.float64)
        rows = np.array([_on_array(function, places) for function in self._functions])
        bad = np.flatnonzero(~((rows >= -_ROUNDING).all(axis=0) & (rows.sum(axis=0) <= 1 + _ROUNDING)))
        if bad.size:
            first = bad[0]
            raise _not_probabilities([float(row.flat[first]) for row in rows], float(places.flat[first]))
        return rows.clip(0, 1)

    def integrals(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> Floats:
        low, high = weight.x_of(since), weight.x_of(to)
        jumps = [weight.x_of(1 - place) for place in self.breaks.tolist() if since < 1 - place < to]

        def integral(function: Function) -> float:
            def density(x: float) -> float:
                return _probability(function, 1 - weight.u_of(x)) * weight.density(x)

            return quadrature(density, low, high, jumps)

        return np.array([integral(function) for function in self._functions])

    @cached_property
    def breaks(self) -> Floats:
        return np.unique(np.concatenate([_jumps(function) for function in self._functions]))


#: Where jumps are searched for: evenly, and ever more densely towards the top, where discounts are steep.
_PLACES = np.unique(np.concatenate([np.arange(2**14 + 1) / 2**14, 1 - np.exp2(-np.arange(14 * 64, 45 * 64) / 64)]))
_MOST_JUMPS = 2000


def _jumps(function: Function) -> Floats:
    """The canonical scores at which a function jumps, or changes much more than around them."""
    values = _on_array(function, _PLACES)
    changes = np.abs(np.diff(values))
    around = np.median(np.lib.stride_tricks.sliding_window_view(np.pad(changes, 4, mode="edge"), 9), axis=1)
    cells = np.flatnonzero(changes > 8 * around + _ROUNDING)
    if max(cells.size, int((changes > 0.01).sum())) > _MOST_JUMPS:
        raise DataError(f"the curve jumps at more than {_MOST_JUMPS:,} places; pass it as a StepCurve")
    low, high = _PLACES[cells], _PLACES[cells + 1]
    at_low, at_high = values[cells], values[cells + 1]
    for _ in range(60 if cells.size else 0):
        middle = (low + high) / 2
        between = _on_array(function, middle)
        first = np.abs(between - at_low) > np.abs(at_high - between)  # the half with the larger change
        low, at_low = np.where(first, low, middle), np.where(first, at_low, between)
        high, at_high = np.where(first, middle, high), np.where(first, between, at_high)
    return high


def _probability(function: Function, s: float) -> float:
    """The value of the function at s, which must be a probability."""
    probability = float(function(s))
    if not -_ROUNDING <= probability <= 1 + _ROUNDING:
        raise _not_probabilities([probability], s)
    return probability


def _on_array(function: Function, s: Floats) -> Floats:
    """The function at every s, also if it takes single numbers only."""
    try:
        return np.broadcast_to(np.asarray(function(s), np.float64), s.shape)
    except (TypeError, ValueError):
        return np.array([float(function(float(place))) for place in s.flat], np.float64).reshape(s.shape)


def _not_probabilities(found: list[float], s: float) -> DataError:
    """The error for values that are not probabilities."""
    shown = " + ".join(f"{value:g}" for value in found)
    return DataError(f"the values of a curve must be probabilities with a sum in [0, 1], got {shown} at s = {s:g}")


def check_levels(gains: Iterable[float]) -> tuple[float, ...]:
    """Return the levels of a curve in decreasing order; raise a DataError unless they are distinct gains above 0."""
    levels = sorted(map(float, gains), reverse=True)
    if not levels or not all(math.isfinite(level) and level > 0 for level in levels) or len({*levels}) < len(levels):
        raise DataError(f"the levels of a curve must be distinct finite gains above 0, without gain 0, got {levels}")
    return tuple(levels)


CurveLike: TypeAlias = "Curve | Function | Mapping[float, Function]"


def of(curve: CurveLike) -> Curve:
    """Return a curve: a function is taken as ybar(s) for labels 0 and 1, a mapping as a `GradedCurve`.

    >>> of(lambda s: s).levels, round(of(lambda s: s).mean, 12)
    ((1.0,), 0.5)
    """
    if isinstance(curve, Curve):
        return curve
    if isinstance(curve, Mapping):
        return GradedCurve(curve)
    if callable(curve):
        return GradedCurve({1.0: curve})
    raise DataError(f"a curve is a function of s, a GradedCurve or a StepCurve, got {curve!r}")


def relevant(curve: CurveLike) -> Curve:
    """Return a curve with a gain above 0 somewhere; without one NDCG is 0/0, which is a DataError."""
    checked = of(curve)
    if not checked.mean > 0:
        raise DataError("the curve is 0 everywhere: nothing is relevant, so NDCG is 0/0")
    return checked


@lru_cache(maxsize=1024)  # the same for all measures of a pair
def check_same_documents(curve_a: Curve, curve_b: Curve) -> None:
    """Raise a DataError unless the share of each gain is the same in both curves."""
    shares = [dict(zip(curve.levels, curve.shares, strict=True)) for curve in (curve_a, curve_b)]
    for level in {*curve_a.levels, *curve_b.levels}:
        a, b = (float(share.get(level, 0.0)) for share in shares)
        if abs(a - b) > 1e-7:
            raise DataError(
                f"these are not two rankings of the same documents: the share with gain {level:g} is {a:.6g} in the "
                f"first curve and {b:.6g} in the second"
            )

"""Relevance curves: the gain to expect at each place of a ranker's list.

The canonical score s of a document, in [0, 1], is the share of documents that the ranker puts no higher (Wang et al.
2013, Definition 2); u = 1 - s is its place, 0 at the top of the list. A curve says what a document at s is worth: for
labels 0 and 1, ybar(s) = P(label = 1 | s). Everything that the paper proves of NDCG on long lists depends on the ranker
through this curve only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.theory.long_lists.weights import Weight, power, quadrature

__all__ = ["Curve", "CurveLike", "GradedCurve", "check_relevant", "check_same_documents", "of"]

#: Of the canonical score: it takes single numbers, and arrays if it can.
Function: TypeAlias = Callable[[Any], Any]

_ROUNDING = 1e-9


class Curve:
    """What all curves have in common. ``levels``: the gains above 0 that documents have, falling.

    >>> curve = of(lambda s: s)  # P(relevant | s) = s
    >>> curve([0.25, 1]), curve.variance([0.25, 1])
    (array([0.25, 1.  ]), array([0.1875, 0.    ]))
    """

    levels: tuple[float, ...]

    def probabilities(self, s: npt.ArrayLike) -> Floats:
        """P(gain = level | s): one row a level, one column a canonical score."""
        raise NotImplementedError

    def integrals(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> Floats:
        """For each level, its probability integrated against a weight over the places u from ``since`` to ``to``."""
        raise NotImplementedError

    def __call__(self, s: npt.ArrayLike) -> Floats:
        """The expected gain at each canonical score."""
        expected: Floats = np.asarray(self.levels) @ self.probabilities(s)
        return expected

    def variance(self, s: npt.ArrayLike) -> Floats:
        """The variance of the gain at each canonical score."""
        squares: Floats = np.square(self.levels) @ self.probabilities(s)
        return squares - np.square(self(s))

    def integral(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> float:
        """The expected gain integrated against a weight over the places u from ``since`` to ``to``."""
        return float(np.asarray(self.levels) @ self.integrals(weight, since, to))

    def ideal_integral(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> float:
        """The same of the ideal ranking, which has all documents of the first level before those of the second, ..."""
        ends = np.clip(np.concatenate(([0.0], np.cumsum(self.shares))), since, to)
        return float(np.asarray(self.levels) @ np.diff(weight.integral(ends)))

    @cached_property
    def shares(self) -> Floats:
        """The share of documents at each level."""
        return self.integrals(power(0))

    @property
    def p(self) -> float:
        """The share of documents with a gain above 0."""
        return float(self.shares.sum())

    @property
    def mean(self) -> float:
        """The mean gain of all documents; for labels 0 and 1 the same as ``p``."""
        return float(np.asarray(self.levels) @ self.shares)

    @property
    def spread(self) -> float:
        """The variance of the gain over all documents."""
        return float(np.square(self.levels) @ self.shares) - self.mean**2

    @property
    def best(self) -> float:
        """The greatest gain that a share above 0 of the documents has."""
        return next(level for level, share in zip(self.levels, self.shares, strict=True) if share > 0)

    @property
    def top(self) -> float:
        """The expected gain at the very top, ybar(1)."""
        return float(self(1.0))

    @property
    def top_variance(self) -> float:
        """The variance of the gain at the very top; 0 where the top is free of noise."""
        variance = float(self.variance(1.0))
        return variance if variance > _ROUNDING else 0.0


class GradedCurve(Curve):
    """A curve given as functions: {gain: P(gain | s)} for the gains above 0; what is left of 1 has gain 0.

    A function may take arrays or single numbers.

    >>> curve = GradedCurve({2: lambda s: s**2 / 2, 1: lambda s: s / 2})
    >>> float(curve(1.0)), round(curve.mean, 12)  # 2/2 + 1/2; the integral of s^2 + s/2, 1/3 + 1/4
    (1.5, 0.583333333333)
    """

    def __init__(self, functions: Mapping[float, Function]) -> None:
        by_gain = sorted(((float(gain), function) for gain, function in functions.items()), key=lambda item: -item[0])
        self.levels = check_levels([gain for gain, _ in by_gain])
        self._functions = [function for _, function in by_gain]

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

        def integral(level: int) -> float:
            return quadrature(lambda x: self._probability(level, 1 - weight.u_of(x)) * weight.density(x), low, high)

        return np.array([integral(level) for level in range(len(self.levels))])

    def _probability(self, level: int, s: float) -> float:
        probability = float(self._functions[level](s))
        if not -_ROUNDING <= probability <= 1 + _ROUNDING:
            raise _not_probabilities([probability], s)
        return probability


def _on_array(function: Function, s: Floats) -> Floats:
    try:
        return np.broadcast_to(np.asarray(function(s), np.float64), s.shape)
    except (TypeError, ValueError):  # it takes single numbers only
        values = [float(function(float(place))) for place in s.flat]
        return np.array(values, np.float64).reshape(s.shape)


def _not_probabilities(found: list[float], s: float) -> DataError:
    shown = " + ".join(f"{value:g}" for value in found)
    return DataError(f"a curve gives probabilities, in [0, 1] together, got {shown} at s = {s:g}")


def check_levels(levels: list[float]) -> tuple[float, ...]:
    """The levels of a curve, if they are finite gains above 0 that differ; else a DataError."""
    if not levels or not all(math.isfinite(level) and level > 0 for level in levels) or len({*levels}) < len(levels):
        raise DataError(
            f"the levels of a curve are different finite gains above 0, got {levels}; what is left of 1 has gain 0"
        )
    return tuple(levels)


CurveLike: TypeAlias = "Curve | Function | Mapping[float, Function]"


def of(curve: CurveLike) -> Curve:
    """A curve from what stands for one: a function is ybar(s) for labels 0 and 1, a mapping a `GradedCurve`.

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


def check_relevant(curve: Curve) -> Curve:
    """The curve, if some documents have a gain; without any NDCG is 0/0."""
    if not curve.mean > 0:
        raise DataError("the curve is 0 everywhere: nothing is relevant, so that NDCG is 0/0")
    return curve


def check_same_documents(curve_a: Curve, curve_b: Curve) -> None:
    """Two rankings of the same documents have the same share of each gain."""
    shares = [dict(zip(curve.levels, curve.shares, strict=True)) for curve in (curve_a, curve_b)]
    for level in {*curve_a.levels, *curve_b.levels}:
        a, b = (float(share.get(level, 0.0)) for share in shares)
        if abs(a - b) > 1e-7:
            raise DataError(
                f"these are not two rankings of the same documents: the share with gain {level:g} is {a:.6g} by the "
                f"first curve and {b:.6g} by the second"
            )

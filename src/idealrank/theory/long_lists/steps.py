"""Curves that are constant on steps: given, or estimated from labels and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns, query_at
from idealrank.errors import DataError, OptionError
from idealrank.theory.long_lists.canonical import canonical_score
from idealrank.theory.long_lists.curves import Curve, check_levels
from idealrank.theory.long_lists.weights import Weight

__all__ = ["Bands", "StepCurve"]


@dataclass(frozen=True)
class Bands:
    """Where resampling puts the expected gain of a fitted curve: from ``low`` to ``high`` at each ``s``."""

    s: Floats
    low: Floats
    high: Floats


class StepCurve(Curve):
    """A curve that is constant between edges: ``edges`` rise from 0 to 1 in s, with one value a step between them.

    ``values`` are P(label = 1 | s) on the steps; for graded labels {gain: its probabilities on the steps}.

    >>> curve = StepCurve([0, 0.7, 1], [0.2, 0.8])
    >>> curve([0.69, 0.7, 1]), round(curve.mean, 12)  # 0.7 * 0.2 + 0.3 * 0.8
    (array([0.2, 0.8, 0.8]), 0.38)
    """

    def __init__(self, edges: npt.ArrayLike, values: Sequence[float] | Floats | Mapping[float, npt.ArrayLike]) -> None:
        by_level = values if isinstance(values, Mapping) else {1.0: values}
        levels = sorted(map(float, by_level), reverse=True)
        self.levels = check_levels(levels)
        self.edges = np.array(edges, np.float64)
        self.steps = np.array([np.asarray(by_level[level], np.float64) for level in levels])
        self._check()
        self.bands: Bands | None = None
        #: The same fit to resamples of the documents, in the order of their drawing.
        self.resamples: tuple[StepCurve, ...] = ()

    def _check(self) -> None:
        edges, steps = self.edges, self.steps
        if edges.ndim != 1 or steps.shape[1:] != (edges.size - 1,) or edges.size < 2:
            raise DataError(f"n steps have n + 1 edges, got {edges.shape} edges for values of shape {steps.shape}")
        if edges[0] != 0 or edges[-1] != 1 or not (np.diff(edges) > 0).all():
            raise DataError(f"the edges of a step curve rise from 0 to 1, got {edges}")
        bad = np.flatnonzero(~((steps >= 0).all(axis=0) & (steps.sum(axis=0) <= 1 + 1e-12)))
        if bad.size:
            step = int(bad[0])
            raise DataError(f"a curve gives probabilities, in [0, 1] together, got {steps[:, step]} on step {step}")

    def probabilities(self, s: npt.ArrayLike) -> Floats:
        places = np.searchsorted(self.edges, np.asarray(s, np.float64), side="right") - 1
        return self.steps[:, places.clip(0, self.edges.size - 2)]

    def integrals(self, weight: Weight, since: float = 0.0, to: float = 1.0) -> Floats:
        from_top = np.clip(1 - self.edges[::-1], since, to)
        integrals: Floats = self.steps[:, ::-1] @ np.diff(weight.integral(from_top))
        return integrals

    @classmethod
    def fit(
        cls,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        method: str = "isotonic",
        n_bins: int = 20,
        n_resamples: int = 0,
        confidence: float = 0.95,
        seed: int | None = 0,
    ) -> StepCurve:
        """The curve that labels, taken as gains, and scores suggest; several queries are ranked each, then averaged.

        ``method``: "bins" takes the shares of the gains in ``n_bins`` parts of the list of equal width; "top" does too,
        and halves the part at the top for as long as it holds some tens of documents, since that is where most is
        decided; "isotonic" pools neighbors until the expected gain never falls with s; "raw" has one step a document.
        Documents with equal scores share their places. Every method keeps the share of each gain. ``n_resamples`` above
        0 draws documents, or queries where there are several, with replacement, and gives `bands` around the curve.

        From the bottom, the labels 0, 1, 0, 1, 1: the 1 and 0 that stand in the wrong order share their two places.

        >>> curve = StepCurve.fit([1, 1, 0, 1, 0], [5, 4, 3, 2, 1])
        >>> curve.edges, curve.steps
        (array([0. , 0.2, 0.6, 1. ]), array([[0. , 0.5, 1. ]]))
        """
        if method not in _METHODS:
            raise OptionError(f"unknown method {method!r}; there are {', '.join(map(repr, _METHODS))}")
        if n_bins < 1 or n_resamples < 0 or not 0 < confidence < 1:
            raise OptionError(f"no such fit: {n_bins=}, {n_resamples=}, {confidence=}")
        documents = _checked(*check_columns(labels, scores, offsets))
        curve = _fitted(documents, method, n_bins)
        if n_resamples > 0:
            s = (np.arange(200) + 0.5) / 200
            rng = np.random.default_rng(seed)
            curve.resamples = tuple(_fitted(_resampled(documents, rng), method, n_bins) for _ in range(n_resamples))
            gains = [each(s) for each in curve.resamples]
            low, high = np.quantile(gains, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
            curve.bands = Bands(s, low, high)
        return curve

    def __repr__(self) -> str:
        shares = ", ".join(f"{level:g}: {share:.3g}" for level, share in zip(self.levels, self.shares, strict=True))
        return f"StepCurve({self.edges.size - 1} steps, shares {{{shares}}}, top {self.top:.3g})"


_METHODS = ("bins", "isotonic", "raw", "top")
# Documents of a step at the top, at least.
_LEAST = 30
# Steps for several queries, whose places are not the same.
_COMMON_STEPS = 1000


class _Query(NamedTuple):
    gains: Floats
    scores: Floats


def _checked(gains: Floats, scores: Floats, offsets: Int64s) -> list[_Query]:
    for column, good, what in (
        (gains, np.isfinite(gains) & (gains >= 0), "a gain must be a finite number from 0"),
        (scores, np.isfinite(scores), "a score must be a finite number"),
    ):
        bad = np.flatnonzero(~good)
        if bad.size:
            row = int(bad[0])
            raise DataError(f"{what}, got {column[row]:g}", query=query_at(offsets, row), row=row)
    if not gains.any():
        raise DataError("no document has a gain above 0: there is no curve to fit where nothing is relevant")
    cuts = offsets[1:-1]
    queries = map(_Query, np.split(gains, cuts), np.split(scores, cuts))
    return [query for query in queries if query.gains.size]


def _resampled(queries: list[_Query], rng: np.random.Generator) -> list[_Query]:
    """As many queries drawn with replacement, or documents of the only one; drawn anew where nothing is relevant."""
    while True:
        if len(queries) > 1:
            drawn = [queries[number] for number in rng.integers(len(queries), size=len(queries))]
        else:
            [(gains, scores)] = queries
            rows = rng.integers(gains.size, size=gains.size)
            drawn = [_Query(gains[rows], scores[rows])]
        if any(query.gains.any() for query in drawn):
            return drawn


def _fitted(queries: list[_Query], method: str, n_bins: int) -> StepCurve:
    levels = np.unique(np.concatenate([query.gains for query in queries]))[::-1]
    levels = levels[levels > 0]
    if method in ("bins", "top"):
        n_docs = sum(query.gains.size for query in queries)
        halvings = int(max(0, np.log2(n_docs / n_bins / _LEAST))) if method == "top" else 0
        inside_top = 1 - 0.5 ** np.arange(1, halvings + 1) / n_bins
        edges = np.concatenate((np.linspace(0, 1, n_bins + 1)[:-1], inside_top, [1.0]))
    elif len(queries) == 1:
        edges = np.concatenate(([0.0], np.unique(canonical_score(queries[0].scores))))
    else:
        edges = np.linspace(0, 1, _COMMON_STEPS + 1)
    below = np.mean([_shares_below(edges, levels, query) for query in queries], axis=0)
    if method == "isotonic":
        from scipy.optimize import isotonic_regression

        widths = np.diff(edges)
        pooled = isotonic_regression(levels @ np.diff(below) / widths, weights=widths)
        # Blocks of one height are one step; rounding does not part them.
        ends = [0, *(np.flatnonzero(np.diff(pooled.x) > 1e-12 * levels[0]) + 1), edges.size - 1]
        edges, below = edges[ends], below[:, ends]
    steps = (np.diff(below) / np.diff(edges)).clip(0, 1)
    return StepCurve(edges, dict(zip(levels.tolist(), steps, strict=True)))


def _shares_below(edges: Floats, levels: Floats, query: _Query) -> Floats:
    """For each level and edge, the share of the query's documents that have this gain and stand below the edge."""
    _, places, counts = np.unique(query.scores, return_inverse=True, return_counts=True)
    knots = np.concatenate(([0.0], np.cumsum(counts) / query.gains.size))  # canonical scores
    below = np.zeros((levels.size, knots.size))
    for row, level in enumerate(levels):
        below[row, 1:] = np.cumsum(np.bincount(places, query.gains == level)) / query.gains.size
    return np.array([np.interp(edges, knots, row) for row in below])

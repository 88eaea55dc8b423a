"""Canonical scores, and curves that are constant on steps: given, or estimated from labels and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, is_whole
from idealrank._core.seeds import generator
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns, float_array, query_at
from idealrank.errors import DataError, OptionError
from idealrank.losses.segments import check_finite
from idealrank.theory.long_lists.curves import Curve, check_levels
from idealrank.theory.long_lists.weights import Weight


def canonical_score(
    scores: npt.ArrayLike, *, cdf: Callable[[Floats], npt.ArrayLike] | None = None, ties: str = "upper"
) -> Floats:
    """Compute the share of documents with no higher score, P(f(X) <= f(x)) (Wang et al. 2013, Definition 2).

    Parameters
    ----------
    scores : array-like
        The scores of a ranker.
    cdf : callable, optional
        The distribution function of the scores, if it is known; by default, it is estimated from the scores.
    ties : {"upper", "middle"}
        The canonical score of equal scores: the upper end of the interval that they cover, as in the definition, or its
        middle, which keeps the mean at 1/2. Lemma 3, that canonical scores are uniform, holds only if no two documents
        have the same score.

    Returns
    -------
    float64 array
        One canonical score per score.

    Raises
    ------
    DataError
        If the scores are not finite numbers in a one-dimensional array.
    OptionError
        If ``ties`` is unknown.

    Examples
    --------
    >>> from idealrank.theory import canonical_score
    >>> canonical_score([0.3, 0.9, 0.3, 0.5])
    array([0.5 , 1.  , 0.5 , 0.75])
    >>> canonical_score([0.3, 0.9, 0.3, 0.5], ties="middle")
    array([0.25 , 0.875, 0.25 , 0.625])
    """
    values = float_array(scores, "scores")
    if values.ndim != 1 or not np.isfinite(values).all():
        raise DataError(f"scores must be finite numbers in a flat array, got {values.dtype} of shape {values.shape}")
    if cdf is not None and not callable(cdf):
        raise OptionError(f"cdf must be a function of the scores, got {cdf!r}")
    if cdf is not None:
        return np.asarray(cdf(values), np.float64)
    if ties not in ("upper", "middle"):
        raise OptionError(f"unknown ties {ties!r}; choose 'upper' or 'middle'")
    ordered = np.sort(values)
    upper = np.searchsorted(ordered, values, side="right")
    lower = upper if ties == "upper" else np.searchsorted(ordered, values, side="left")
    return (upper + lower) / (2 * values.size)


@dataclass(frozen=True)
class Bands:
    """The range of a fitted curve's expected gain over resamples.

    Parameters
    ----------
    s : float64 array
        Canonical scores.
    low, high : float64 arrays
        The lower and upper end of the range at each of them.
    """

    s: Floats
    low: Floats
    high: Floats


class StepCurve(Curve):
    """A relevance curve that is constant between edges.

    Parameters
    ----------
    edges : array-like
        Canonical scores that increase from 0 to 1.
    values : array-like or mapping of float to array-like
        The probability P(label = 1 | s) on each step between the edges; for graded labels, a mapping from each gain
        above 0 to its probabilities on the steps.

    Attributes
    ----------
    bands : Bands or None
        Confidence bands around the curve, if it was fitted with ``n_resamples``; otherwise None.
    resamples : tuple of StepCurve
        The curves that were fitted to the resamples.

    Examples
    --------
    >>> from idealrank.theory import StepCurve
    >>> curve = StepCurve([0, 0.7, 1], [0.2, 0.8])
    >>> curve([0.69, 0.7, 1]), round(curve.mean, 12)  # 0.7 * 0.2 + 0.3 * 0.8
    (array([0.2, 0.8, 0.8]), 0.38)
    """

    def __init__(self, edges: npt.ArrayLike, values: Sequence[float] | Floats | Mapping[float, npt.ArrayLike]) -> None:
        by_level = values if isinstance(values, Mapping) else {1.0: values}
        self.levels = check_levels(by_level)
        self.edges = edges = np.array(float_array(edges, "edges"))
        rows: Any = [by_level[level] for level in self.levels]
        self.steps = steps = np.array(float_array(rows, "values"))
        self.bands: Bands | None = None
        self.resamples: tuple[StepCurve, ...] = ()
        if edges.ndim != 1 or steps.shape[1:] != (edges.size - 1,) or edges.size < 2:
            raise DataError(f"n steps need n + 1 edges, got edges of shape {edges.shape}, values of {steps.shape}")
        if edges[0] != 0 or edges[-1] != 1 or not (np.diff(edges) > 0).all():
            raise DataError(f"the edges of a step curve must increase from 0 to 1, got {edges}")
        bad = np.flatnonzero(~((steps >= 0).all(axis=0) & (steps.sum(axis=0) <= 1 + 1e-12)))
        if bad.size:
            found = f"{steps[:, bad[0]]} on step {bad[0]}"
            raise DataError(f"the values of a curve must be probabilities with a sum in [0, 1], got {found}")

    @property
    def breaks(self) -> Floats:
        return self.edges[1:-1]

    def probabilities(self, s: npt.ArrayLike) -> Floats:
        places = np.searchsorted(self.edges, np.asarray(s, np.float64), side="right") - 1
        return self.steps[:, places.clip(0, self.edges.size - 2)]

    def below(self, s: npt.ArrayLike) -> Floats:
        """Return the share of all documents that have each gain and a canonical score below s: one row per level.

        Parameters
        ----------
        s : array-like
            Canonical scores, from 0 to 1.

        Returns
        -------
        float64 array of shape (n_levels, n_scores)
            The shares.
        """
        sums = np.concatenate((np.zeros((len(self.levels), 1)), np.cumsum(self.steps * np.diff(self.edges), axis=1)), 1)
        return np.array([np.interp(np.asarray(s, np.float64), self.edges, row) for row in sums])

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
        """Estimate the relevance curve of a ranker; several queries are ranked separately and then averaged.

        Documents with equal scores share their places. Every method preserves the share of each gain.

        Parameters
        ----------
        labels : array-like
            The label of each document, used as its gain.
        scores : array-like
            The score of each document.
        offsets : array-like of int, optional
            Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
        method : {"isotonic", "bins", "top", "raw"}
            "bins": the shares of the gains in ``n_bins`` parts of the list of equal width. "top": the same, but the
            part at the top, which matters most, is halved as long as it has at least 30 documents. "isotonic":
            neighbors are pooled until the expected gain never decreases with s. "raw": one step per document.
        n_bins : int
            The number of bins.
        n_resamples : int
            If above 0, the number of times that documents (or queries, if there are several) are drawn with
            replacement, to add ``bands`` to the curve.
        confidence : float
            The confidence level of the bands.
        seed : int, optional
            Seed of the random number generator; None means a new seed for every call.

        Returns
        -------
        StepCurve
            The estimated curve.

        Raises
        ------
        OptionError
            If an option is out of range.
        DataError
            If a gain or a score is not valid, or if no document is relevant.

        Examples
        --------
        From the bottom, the labels are 0, 1, 0, 1, 1. The 1 and the 0 that are in the wrong order share their two
        places.

        >>> from idealrank.theory import StepCurve
        >>> curve = StepCurve.fit([1, 1, 0, 1, 0], [5, 4, 3, 2, 1])
        >>> curve.edges, curve.steps
        (array([0. , 0.2, 0.6, 1. ]), array([[0. , 0.5, 1. ]]))
        """
        if method not in _METHODS:
            raise OptionError(f"unknown method {method!r}; choose from {', '.join(map(repr, _METHODS))}")
        if not (is_whole(n_bins, 1) and is_whole(n_resamples) and are_numbers(confidence) and 0 < confidence < 1):
            raise OptionError(f"an option of the fit is out of range: {n_bins=}, {n_resamples=}, {confidence=}")
        queries = _checked(*check_columns(labels, scores, offsets))
        curve = _fitted(queries, method, n_bins)
        if n_resamples > 0:
            s = (np.arange(200) + 0.5) / 200
            rng = generator(seed)
            curve.resamples = tuple(_fitted(_resampled(queries, rng), method, n_bins) for _ in range(n_resamples))
            gains = [each(s) for each in curve.resamples]
            curve.bands = Bands(s, *np.quantile(gains, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0))
        return curve

    def __repr__(self) -> str:
        shares = ", ".join(f"{level:g}: {share:.3g}" for level, share in zip(self.levels, self.shares, strict=True))
        return f"StepCurve({self.edges.size - 1} steps, shares {{{shares}}}, top {self.top:.3g})"


_METHODS = ("bins", "isotonic", "raw", "top")
# The smallest number of documents on a step at the top.
_LEAST = 30
# Steps for several queries, whose places differ.
_COMMON_STEPS = 1000


class _Query(NamedTuple):
    gains: Floats
    scores: Floats


def _checked(gains: Floats, scores: Floats, offsets: Int64s) -> list[_Query]:
    """The queries with documents, if all gains and scores are valid and some document is relevant."""
    check_finite(scores, offsets, "score")
    valid = np.isfinite(gains) & (gains >= 0)
    if not valid.all():
        row = int(np.argmin(valid))
        what = f"a gain must be a finite number, 0 or above, got {gains[row]:g}"
        raise DataError(what, query=query_at(offsets, row), row=row)
    if not gains.any():
        raise DataError("no document has a gain above 0: there is no curve to fit if nothing is relevant")
    cuts = offsets[1:-1]
    queries = map(_Query, np.split(gains, cuts), np.split(scores, cuts))
    return [query for query in queries if query.gains.size]


def _resampled(queries: list[_Query], rng: np.random.Generator) -> list[_Query]:
    """Draw queries, or the documents of the only one, with replacement, again if none of them is relevant."""
    while True:
        if len(queries) > 1:
            drawn = [queries[number] for number in rng.integers(len(queries), size=len(queries))]
        else:
            rows = rng.integers(queries[0].gains.size, size=queries[0].gains.size)
            drawn = [_Query(queries[0].gains[rows], queries[0].scores[rows])]
        if any(query.gains.any() for query in drawn):
            return drawn


def _fitted(queries: list[_Query], method: str, n_bins: int) -> StepCurve:
    """Fit a curve to all queries."""
    gains, scores = (np.concatenate(columns) for columns in zip(*queries, strict=True))
    offsets = np.cumsum([0, *(query.gains.size for query in queries)])
    levels = levels_of(gains)
    if method in ("bins", "top"):
        edges = bin_edges(method, n_bins, gains.size)
    elif len(queries) == 1:
        edges = np.concatenate(([0.0], np.unique(canonical_score(scores))))
    else:
        edges = np.linspace(0, 1, _COMMON_STEPS + 1)
    below = shares_below(edges, levels, gains, scores, offsets).mean(axis=0)
    if method == "isotonic":
        from scipy.optimize import isotonic_regression

        widths = np.diff(edges)
        pooled = isotonic_regression(levels @ np.diff(below) / widths, weights=widths)
        # Blocks of one height are one step, whatever their rounding.
        ends = [0, *(np.flatnonzero(np.diff(pooled.x) > 1e-12 * levels[0]) + 1), edges.size - 1]
        edges, below = edges[ends], below[:, ends]
    steps = (np.diff(below) / np.diff(edges)).clip(0, 1)
    return StepCurve(edges, dict(zip(levels.tolist(), steps, strict=True)))


def levels_of(gains: Floats) -> Floats:
    """Return the gains above 0, in decreasing order."""
    levels = np.unique(gains)[::-1]
    return levels[levels > 0]


def bin_edges(method: str, n_bins: int, n_docs: int) -> Floats:
    """Return the edges of bins of equal width; by the method "top", the last one is halved while it is large."""
    halvings = int(max(0, np.log2(n_docs / n_bins / _LEAST))) if method == "top" else 0
    inside_top = 1 - 0.5 ** np.arange(1, halvings + 1) / n_bins
    return np.concatenate((np.linspace(0, 1, n_bins + 1)[:-1], inside_top, [1.0]))


def shares_below(edges: Floats, levels: Floats, gains: Floats, scores: Floats, offsets: Int64s) -> Floats:
    """Return the share of each query's documents that have each gain and a canonical score below each edge.

    Parameters
    ----------
    edges : float64 array of shape (n_edges,) or (n_queries, n_edges)
        Canonical scores, for all queries or for each.
    levels : float64 array
        Gains.
    gains, scores : float64 arrays
        The gain and the score of each document. Those with the same score share their places evenly.
    offsets : int64 array
        The offsets of the queries, none of which is empty.

    Returns
    -------
    float64 array of shape (n_queries, n_levels, n_edges)
        The shares.

    Examples
    --------
    >>> labels, offsets = np.array([1.0, 0.0, 1.0]), np.array([0, 2, 3])
    >>> shares_below(np.array([0, 0.5, 1]), np.array([1.0]), labels, np.array([2.0, 1.0, 1.0]), offsets).tolist()
    [[[0.0, 0.0, 0.5]], [[0.0, 0.5, 1.0]]]
    """
    sizes, starts = np.diff(offsets)[:, None], offsets[:-1, None]
    order = np.lexsort((scores, np.repeat(np.arange(sizes.size), sizes[:, 0])))
    ranked = scores[order]
    is_first = np.append(True, ranked[1:] != ranked[:-1])
    is_first[offsets[:-1]] = True
    ends = np.append(np.flatnonzero(is_first), ranked.size)  # of documents with the same score
    counts = np.zeros((levels.size, ranked.size + 1))
    np.cumsum(gains[order] == levels[:, None], axis=1, out=counts[:, 1:])
    reached = edges * sizes
    whole = np.rint(reached)
    reached = np.where(np.abs(reached - whole) < 1e-9, whole, reached)  # an edge between two documents is exactly there
    same = (np.cumsum(is_first) - 1)[starts + np.minimum(reached.astype(np.int64), sizes - 1)]
    part = (reached - (ends[same] - starts)) / (ends[same + 1] - ends[same])
    before, after = counts[:, ends[same]], counts[:, ends[same + 1]]
    found = (before - counts[:, starts] + part * (after - before)) / sizes
    return np.ascontiguousarray(found.transpose(1, 0, 2))

"""Measures that are fitted to outcomes: the gains and the discount that predict what happened after a list was shown.

A measure of a list is sum_r g(label_r) D(r). Given lists with labels and one outcome per list (the answer was correct,
the session succeeded, a rating), g and D are estimated by least squares. D need not decrease: a language model may read
the end of its context more closely than the middle, and a document may harm, so that its gain is negative.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import are_numbers, check_count, items_of
from idealrank._core.seeds import generator
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, Statement
from idealrank._present.result import Result
from idealrank._present.table import Column, Table
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.measures import DCG, NDCG, Measure, discounts, gains, measure
from idealrank.stats import interval

_SHAPES = ("decreasing", "unimodal", "free")
#: The measures to compare with, up to a depth.
_PEERS = ("ndcg@{}", "rbp(p=0.8)@{}", "rr@{}")
_LARGEST = 1e100
_FOLDS = 5
_STEPS, _TOLERANCE = 1000, 1e-9
_DRAWS = 4000


class HeldOut(NamedTuple):
    """How well a measure predicts outcomes that it was not fitted to.

    Parameters
    ----------
    explained : float
        The share of the variance of the outcomes that it explains.
    lead, low, high : float
        The share that the fitted measure explains minus this one, and its 95% interval (Student's t over lists).

    Examples
    --------
    >>> from idealrank.theory import HeldOut
    >>> HeldOut(0.2, 0.1, 0.05, 0.15).low
    0.05
    """

    explained: float
    lead: float
    low: float
    high: float


@dataclass(frozen=True)
class FittedMeasure(Result):
    """The result of `fit_measure`: outcome = intercept + sum_r gain(label_r) D(r) + chance.

    Parameters
    ----------
    labels : float64 array
        The labels of documents, in increasing order, without ``zero``.
    gains, gains_low, gains_high : float64 arrays
        The gain of each label, and its 95% band.
    discount, discount_low, discount_high : float64 arrays
        D(1), D(2), ..., whose sum is 1, and its 95% band.
    intercept : float
        The outcome of a list whose documents all have the gain 0.
    zero : float
        The label whose gain is 0.
    explained : float
        The share of the variance of held-out outcomes that the measure explains.
    peers : mapping of str to HeldOut
        The same of other measures.
    n_lists : int
        The number of lists.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.theory import fit_measure
    >>> labels = np.random.default_rng(0).integers(0, 2, (200, 3))
    >>> found = fit_measure(labels, labels @ [0.1, 0.2, 0.7], shape="free")
    >>> found.discount.round(6), found.gains.round(6)
    (array([0.1, 0.2, 0.7]), array([1.]))
    >>> found.predict([[0, 0, 1], [1, 1, 0]]).round(6)
    array([0.7, 0.3])
    >>> found.measure("ndcg")([1, 1, 0], [3, 2, 1]).round(6)  # (0.1 + 0.2) / (0.7 + 0.2)
    array([0.333333])
    """

    labels: Floats
    gains: Floats
    gains_low: Floats
    gains_high: Floats
    discount: Floats
    discount_low: Floats
    discount_high: Floats
    intercept: float
    zero: float
    explained: float
    peers: Mapping[str, HeldOut]
    n_lists: int

    def predict(self, lists: RankingData | Sequence[npt.ArrayLike] | npt.NDArray[np.generic]) -> Floats:
        """Return the predicted outcome of each list; a label that was not fitted has the gain 0.

        Parameters
        ----------
        lists : RankingData, matrix or sequence of array-like
            The labels of each list, best rank first; or data with scores.

        Returns
        -------
        float64 array
        """
        design = _design(_ranked(lists), self.labels, self.discount.size)
        return np.asarray(self.intercept + np.einsum("qlr,l,r->q", design, self.gains, self.discount))

    def measure(self, name: str = "dcg") -> Measure:
        """Return DCG or NDCG with the fitted gains and discount; its text form is its name.

        DCG is the predicted outcome without the intercept. NDCG divides it by that of the best order.

        Parameters
        ----------
        name : {"dcg", "ndcg"}
            The measure.

        Returns
        -------
        Measure

        Raises
        ------
        OptionError
            If there is no such measure.
        """
        if name not in ("dcg", "ndcg"):
            raise OptionError(f"a fitted measure is dcg or ndcg, got {name!r}")
        known = (self.zero, *self.labels.tolist()), (0.0, *self.gains.tolist())
        gain, discount = gains.Table(dict(zip(*known, strict=True))), discounts.Table(self.discount.tolist())
        return NDCG(gain=gain, discount=discount) if name == "ndcg" else DCG(gain=gain, discount=discount)

    def to_dict(self) -> dict[str, Plain]:
        """Return the curves with their bands, and how well outcomes are predicted."""
        return plain({**vars(self), "peers": {name: each._asdict() for name, each in self.peers.items()}})  # type: ignore[return-value]

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "gains", "discount" and "held-out outcomes"."""
        bands = {
            "gains": ("label", self.labels, self.gains, self.gains_low, self.gains_high),
            "discount": (
                "rank",
                np.arange(1.0, self.discount.size + 1),
                self.discount,
                self.discount_low,
                self.discount_high,
            ),
        }
        tables = {
            title: Table(
                [Column(of, "g"), *(Column(name, ".3f") for name in ("weight", "low", "high"))],
                [[*map(float, row)] for row in zip(*own, strict=True)],
            )
            for title, (of, *own) in bands.items()
        }
        columns = [Column("measure"), *(Column(name, ".3f") for name in ("explained", "lead", "low", "high"))]
        rows: list[list[str | float | None]] = [["fitted", self.explained, None, None, None]]
        rows += [[name, *each] for name, each in self.peers.items()]
        return {**tables, "held-out outcomes": Table(columns, rows)}

    def page(self) -> Page:
        """Return whether the fitted measure predicts outcomes better than others, and its curves."""
        worse = [name for name, each in self.peers.items() if each.low > 0]
        findings: tuple[Statement, ...] = ()
        if worse:
            said = f"The fitted measure predicts held-out outcomes better than {', '.join(worse)}."
            findings = (Statement("fitted measure predicts better", said),)
        tables = tuple(Section(title, tables={title: table}) for title, table in self.tables().items())
        note = (
            f"{self.n_lists:,} lists. The discount adds up to 1; a gain is the change of the outcome if all documents "
            "had this label in place of the label with the gain 0. The bands hold together with a confidence of 95%."
        )
        return Page("Fitted measure", "", findings, tables, (note,))


def fit_measure(
    lists: RankingData | Sequence[npt.ArrayLike] | npt.NDArray[np.generic],
    outcomes: npt.ArrayLike,
    *,
    depth: int | None = None,
    shape: str = "decreasing",
    zero: float | None = None,
    seed: int = 0,
) -> FittedMeasure:
    """Estimate the gain of each label and the discount of each rank from one outcome per list.

    The outcome of a list is an intercept plus the sum of gain(label) D(rank) over its first ``depth`` documents, plus
    chance; gains and discount minimize the sum of squared errors. Outcomes may be numbers of any kind, such as 0 and 1
    for wrong and correct answers. The bands contain all weights at once with a confidence of 95%, for any distribution
    of the chance (heteroscedasticity-consistent errors, HC3; the largest of correlated t statistics; Fieller's theorem
    for the discount, whose band is unbounded if labels may not matter at all). They are those of a discount of any
    shape; if it may not increase, bands are narrowed to what decreasing curves inside them can reach. Labels must not
    depend on what else affects the outcome, such as the difficulty of the query.

    How well outcomes are predicted is measured on lists that the measure was not fitted to, by five-fold
    cross-validation, where other measures are fitted to outcomes by a straight line.

    Parameters
    ----------
    lists : RankingData, or sequence of array-likes
        Judged lists: RankingData with scores, or the labels of each list from the first rank on.
    outcomes : array-like
        One number per list.
    depth : int, optional
        The number of ranks that count; by default, the length of the longest list, at most 10.
    shape : {"decreasing", "unimodal", "free"}
        The shape of the discount: not increasing and not negative; rising, then falling, and not negative; or any.
    zero : float, optional
        The label whose gain is 0; by default 0 if there is one, otherwise the lowest label.
    seed : int
        Seed of the folds and of the bands.

    Returns
    -------
    FittedMeasure
        Gains and discount with bands, and how well held-out outcomes are predicted.

    Raises
    ------
    OptionError
        If the shape is unknown, the depth is not a whole number above 0, or ``zero`` is no number.
    DataError
        If there are too few lists, outcomes are not finite, or a rank has no label but one.

    Examples
    --------
    Readers who pay attention to the last of three documents, half of it to the first:

    >>> import numpy as np
    >>> from idealrank.theory import fit_measure
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, (400, 3))
    >>> correct = rng.random(400) < 0.1 + labels @ [0.2, 0.1, 0.5]
    >>> found = fit_measure(labels, correct, shape="free")
    >>> found.discount.round(2)
    array([0.32, 0.05, 0.63])
    """
    if zero is not None and not are_numbers(zero):
        raise OptionError(f"zero must be a label, got {zero!r}")
    if shape not in _SHAPES:
        raise OptionError(f"shape must be one of {', '.join(_SHAPES)}, got {shape!r}")
    ranked = _ranked(lists)
    y = float_array(outcomes, "outcomes")
    if y.shape != (len(ranked),) or not np.isfinite(y).all():
        raise DataError(f"there must be one finite outcome per list: {len(ranked)} lists, outcomes of shape {y.shape}")
    if y.size and np.abs(y).max() > _LARGEST:
        raise DataError(f"outcomes must be at most {_LARGEST:g}, so that squares do not overflow: scale them down")
    depth = min(10, max(map(len, ranked), default=0)) if depth is None else depth
    check_count(depth, "depth", least=1)
    found = np.unique(np.concatenate([each[:depth] for each in ranked]))
    zero = (0.0 if 0 in found else float(found[0])) if zero is None else float(zero)
    labels = found[found != zero]
    design = _design(ranked, labels, depth)
    n_cells = labels.size * depth
    if len(ranked) < 3 * (1 + n_cells):
        raise DataError(
            f"{labels.size} labels at {depth} ranks need at least {3 * (1 + n_cells)} lists, got {len(ranked)}"
        )
    for rank in np.flatnonzero(~design.any(axis=(0, 1))):
        raise DataError(f"all documents at rank {rank + 1} have the label {zero:g}; use depth={rank}, or other lists")
    own = _fitted(design, y, shape)
    bands = _bands(design, y, _fitted(design, y, "free") if shape != "free" else own, seed)
    if shape == "decreasing":
        bands = bands.narrowed()
    explained, peers = _held_out(ranked, design, y, shape, seed, depth)
    return FittedMeasure(
        labels, own.gains, bands.gains_low, bands.gains_high, own.discount, bands.discount_low, bands.discount_high,
        own.intercept, zero, explained, peers, len(ranked),
    )  # fmt: skip


def _ranked(lists: RankingData | Sequence[npt.ArrayLike] | npt.NDArray[np.generic]) -> list[Floats]:
    """The labels of each list, from the first rank on."""
    if not isinstance(lists, RankingData):
        ranked = [np.atleast_1d(float_array(each, "labels")) for each in items_of(lists, "lists", DataError)]
        for place, each in enumerate(ranked):
            if each.ndim > 1:
                raise DataError(f"the labels of list {place} must be in one dimension, got shape {each.shape}")
        return ranked
    if lists.scores is None:
        raise DataError("the lists have no scores, so no ranks: pass data with scores, or labels in the order of ranks")
    labels, scores = np.nan_to_num(lists.labels), lists.scores
    parts = itertools.pairwise(lists.offsets)
    return [labels[a:b][np.argsort(-scores[a:b], kind="stable")] for a, b in parts]


def _design(ranked: Sequence[Floats], labels: Floats, depth: int) -> Floats:
    """Whether list q has label l at rank r: 0 or 1, of shape (lists, labels, ranks)."""
    design = np.zeros((len(ranked), labels.size, depth))
    for query, own in enumerate(ranked):
        design[query, :, : own[:depth].size] = own[:depth] == labels[:, None]
    return design


class _FittedWeights(NamedTuple):
    """A fit, where the discount adds up to 1."""

    intercept: float
    gains: Floats
    discount: Floats
    error: float


def _fitted(design: Floats, y: Floats, shape: str) -> _FittedWeights:
    """The weights with the least squared error that alternating least squares finds from two starts."""
    depth = design.shape[2]
    starts = (np.full(depth, 1 / depth), 1 / np.log2(np.arange(2.0, depth + 2)))
    return min((_alternated(design, y, start / start.sum(), shape) for start in starts), key=lambda each: each.error)


def _alternated(design: Floats, y: Floats, discount: Floats, shape: str) -> _FittedWeights:
    """Least squares for the gains, then for the discount, until neither changes."""
    rest = y - y.mean()
    centered = design - design.mean(axis=0)
    before = np.inf
    for _ in range(_STEPS):
        gains = np.linalg.lstsq(centered @ discount, rest, rcond=None)[0]
        raw = _shaped(np.einsum("qlr,l->qr", centered, gains), rest, shape)
        total = raw.sum()
        if abs(total) < 1e-12:
            break
        discount, gains = raw / total, gains * total
        error = float(np.square(rest - np.einsum("qlr,l,r->q", centered, gains, discount)).sum())
        if before - error <= _TOLERANCE * max(error, 1e-12):
            break
        before = error
    fitted = np.einsum("qlr,l,r->q", design, gains, discount)
    return _FittedWeights(
        float(y.mean() - fitted.mean()), gains, discount, float(np.square(rest - fitted + fitted.mean()).sum())
    )


def _shaped(columns: Floats, rest: Floats, shape: str) -> Floats:
    """The discount of this shape with the least squared error, given what each rank adds."""
    if shape == "free":
        return np.asarray(np.linalg.lstsq(columns, rest, rcond=None)[0], np.float64)
    from scipy.optimize import nnls

    q, r = np.linalg.qr(columns)
    target, depth = q.T @ rest, columns.shape[1]
    # A curve that rises up to the mode and then falls is a sum of steps that contain the mode.
    modes = range(depth) if shape == "unimodal" else range(1)
    ranks, fits = np.arange(depth), []
    for mode in modes:
        ends = itertools.product(range(mode + 1), range(mode, depth))
        steps = np.array([(ranks >= first) & (ranks <= last) for first, last in ends], float).T
        sizes, error = nnls(r @ steps, target)
        fits.append((error, steps @ sizes))
    return np.asarray(min(fits, key=lambda each: each[0])[1])


class _Bands(NamedTuple):
    """Bands of gains and discount."""

    gains_low: Floats
    gains_high: Floats
    discount_low: Floats
    discount_high: Floats

    def narrowed(self) -> _Bands:
        """What curves inside the bands reach that neither increase nor are negative."""
        low = np.maximum(np.maximum.accumulate(self.discount_low[::-1])[::-1], 0)
        return self._replace(discount_low=low, discount_high=np.minimum.accumulate(self.discount_high))


def _bands(design: Floats, y: Floats, own: _FittedWeights, seed: int) -> _Bands:
    """Simultaneous bands of all weights, with HC3 errors and the largest of correlated t statistics.

    The gain of a label is the sum over ranks of what the label adds there, a linear regression without any assumption
    about the discount. The discount is that of a free fit, by the delta method.
    """
    from scipy import stats

    n, n_gains, depth = design.shape
    cells = np.hstack([np.ones((n, 1)), design.reshape(n, -1)])
    added = np.linalg.lstsq(cells, y, rcond=None)[0]
    gains = added[1:].reshape(n_gains, depth).sum(axis=1)
    sums = np.hstack([np.zeros((n_gains, 1)), np.kron(np.eye(n_gains), np.ones(depth))])
    of_gains = sums @ _influence(cells, y - cells @ added)
    slopes = np.hstack([np.ones((n, 1)), design @ own.discount, np.einsum("qlr,l->qr", design, own.gains)])
    # The discount adds up to 1: it moves only in directions whose sum is 0.
    allowed = np.zeros((1 + n_gains + depth, n_gains + depth))
    allowed[: 1 + n_gains, : 1 + n_gains] = np.eye(1 + n_gains)
    allowed[1 + n_gains :, 1 + n_gains :] = np.eye(depth)[:, :-1] - np.eye(depth)[:, 1:]
    errors = y - own.intercept - np.einsum("qlr,l,r->q", design, own.gains, own.discount)
    influence = (allowed @ _influence(slopes @ allowed, errors))[1:]
    limit = _largest_t(np.vstack([of_gains, influence[n_gains:]]), n - cells.shape[1], seed)
    limit = max(limit, float(stats.t.ppf(0.975, n - cells.shape[1])))
    half = limit * np.sqrt(np.square(of_gains).sum(axis=1))
    return _Bands(gains - half, gains + half, *_ratios(own, influence @ influence.T, limit))


def _influence(columns: Floats, errors: Floats) -> Floats:
    """What each list adds to the error of each coefficient (HC3), of shape (coefficients, lists)."""
    inverse = np.linalg.pinv(columns.T @ columns)
    leverage = np.minimum(np.einsum("qi,ij,qj->q", columns, inverse, columns), 0.99)
    return np.asarray(inverse @ (columns * (errors / (1 - leverage))[:, None]).T)


def _largest_t(influence: Floats, df: int, seed: int) -> float:
    """What the largest of correlated t statistics exceeds with a probability of 5%."""
    covariance = influence @ influence.T
    spread = np.sqrt(np.diag(covariance))
    scale = np.where(spread > 0, spread, 1.0)
    rng = generator(seed)
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    normals = rng.normal(size=(_DRAWS, values.size)) * np.sqrt(np.maximum(values, 0)) @ vectors.T
    return float(np.quantile(np.abs(normals).max(axis=1) / np.sqrt(rng.chisquare(df, _DRAWS) / df), 0.95))


def _ratios(own: _FittedWeights, covariance: Floats, limit: float) -> tuple[Floats, Floats]:
    """The band of the discount, by Fieller's theorem: a weight is that of its rank over the sum of all.

    The sum, relative to its estimate 1, varies like the projection of the gains on their estimate. If it may be 0, the
    band is unbounded.
    """
    n_gains = own.gains.size
    along = own.gains / max(float(own.gains @ own.gains), 1e-300)
    of_sum = float(along @ covariance[:n_gains, :n_gains] @ along)
    with_sum = covariance[n_gains:, :n_gains] @ along
    alone = np.diag(covariance)[n_gains:]
    # (estimate - d)^2 = limit^2 * variance of (weight - d * sum), a quadratic equation of x = estimate - d.
    square = 1 - limit**2 * of_sum
    if square <= 0:
        return np.full(alone.size, -np.inf), np.full(alone.size, np.inf)
    middle = limit**2 * with_sum / square
    half = np.sqrt(middle**2 + limit**2 * alone / square)
    return own.discount - middle - half, own.discount - middle + half


def _held_out(
    ranked: Sequence[Floats], design: Floats, y: Floats, shape: str, seed: int, depth: int
) -> tuple[float, dict[str, HeldOut]]:
    """The shares of the variance of outcomes that are explained in five folds."""
    offsets = np.cumsum([0, *map(len, ranked)])
    labels = np.maximum(np.concatenate(ranked), 0)
    scores = -np.arange(float(labels.size))
    names = [name.format(depth) for name in _PEERS]
    peers = {name: measure(name)(labels, scores, offsets) for name in names}
    fold_of = generator(seed).permutation(len(ranked)) % _FOLDS
    errors: dict[str, Floats] = {name: np.empty(y.size) for name in ("mean", "fitted", *names)}
    for fold in range(_FOLDS):
        out, rest = fold_of == fold, fold_of != fold
        own = _fitted(design[rest], y[rest], shape)
        predicted = {
            "mean": np.full(out.sum(), y[rest].mean()),
            "fitted": own.intercept + np.einsum("qlr,l,r->q", design[out], own.gains, own.discount),
        }
        for name, values in peers.items():
            slope, level = np.polyfit(values[rest], y[rest], 1) if np.ptp(values[rest]) > 0 else (0.0, y[rest].mean())
            predicted[name] = level + slope * values[out]
        for name, each in predicted.items():
            errors[name][out] = np.square(y[out] - each)
    unit = float(errors["mean"].mean()) or 1.0
    explained = {name: 1 - float(each.mean()) / unit for name, each in errors.items()}
    compared = {}
    for name in names:
        lead = interval((errors[name] - errors["fitted"]) / unit)
        compared[name] = HeldOut(explained[name], lead.mean, lead.low, lead.high)
    return explained["fitted"], compared

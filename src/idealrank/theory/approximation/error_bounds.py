"""The error of measures of soft ranks, and of generalization: bounds of Qin, Liu and Li 2008, and the actual error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from idealrank import _native
from idealrank._present.result import Result
from idealrank._present.table import Table, of_columns
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import float_array
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.losses import ApproxKendall, ApproxNDCG, Loss, loss
from idealrank.losses.direct import Approx, Approximation, depths_of, factors_of
from idealrank.losses.positions import Positions
from idealrank.losses.segments import maxima, runs, sums, worth_of
from idealrank.measures import KendallTau, discounts
from idealrank.measures.ranks import SoftRanks, alpha_for

__all__ = ["ApproximationError", "alpha_for", "approximation_error"]


@dataclass(frozen=True)
class ApproximationError(Result):
    """The errors of soft ranks, and of the measure computed from them: one value per query.

    Equations are those of Qin, Liu and Li 2008.

    Parameters
    ----------
    epsilon : float64 array
        The largest distance between a soft rank and the rank; for equal scores, any rank that one of them could have.
    position_bound : float64 array
        A bound on epsilon from the smallest difference between two scores (eq. (25)).
    bound : float64 array
        A bound on the error of the measure given epsilon: eq. (26) for AP, eq. (27) for NDCG. Infinite if the theorem
        does not apply; NaN if there is no theorem.
    sharper : float64 array
        A smaller bound if one is known; otherwise the same.
    actual : float64 array
        The error of the measure.

    Examples
    --------
    >>> from idealrank.losses import ApproxNDCG
    >>> from idealrank.theory import approximation_error
    >>> error = approximation_error([1, 0], [1.0, 0.0], None, ApproxNDCG(alpha=5))
    >>> bool(error.actual[0] <= error.sharper[0] <= error.bound[0])
    True
    """

    epsilon: Floats
    position_bound: Floats
    bound: Floats
    sharper: Floats
    actual: Floats

    def tables(self) -> Mapping[str, Table]:
        """Return the table "queries": a row per query."""
        return {"queries": of_columns(vars(self))}


def approximation_error(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    loss: str | Loss = ApproxNDCG(),  # noqa: B008
) -> ApproximationError:
    """Compute the error of a loss of soft ranks at these scores, and bounds on it (Qin, Liu and Li 2008).

    Parameters
    ----------
    labels, scores : array-like
        The label and the score of each document.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
    loss : str or Loss
        A loss of soft ranks, such as "approx_ndcg".

    Returns
    -------
    ApproximationError
        The errors and their bounds, one per query.

    Raises
    ------
    OptionError
        If the loss is not a loss of soft ranks.

    Examples
    --------
    Two documents with scores that differ by 1, alpha = 1: each position is off by 1 / (1 + e), exactly as in eq. (25).

    >>> from idealrank.theory import approximation_error
    >>> error = approximation_error([1, 0], [1.0, 0.0], loss="approx_ndcg(alpha=1)")
    >>> error.epsilon, error.position_bound
    (array([0.26894142]), array([0.26894142]))
    """
    form = _form(loss)
    alpha = form.slope_of_ranks()
    lists = Lists.of(labels, scores, offsets)
    ranks, gap, gap_of_different = _ranks_and_gaps(lists)
    positions = 1 + SoftRanks(lists.scores, lists.offsets, alpha, form.sigmoid, lists.n_threads).sums()[0]
    epsilon = maxima(np.abs(positions - ranks).max(axis=0), lists.offsets)
    position_bound = np.maximum(lists.sizes - 1, 0) * _tail(form.sigmoid, alpha * gap)

    target = form.target() if isinstance(form, Approximation) else KendallTau()
    true = target(lists.labels, lists.scores, lists.offsets)
    values, _ = form.values_and_gradient(lists)
    ranked = (true != 0) | (values != 0)  # otherwise nothing is relevant, or there is no pair
    actual = np.where(ranked, np.abs(1 - values - true), 0.0)
    if isinstance(form, Approximation):
        bound, sharper = _bounds(form, lists, ranks, epsilon, true)
    else:
        # A pair with equal scores counts 0 in both measures.
        bound = sharper = 2 * _tail(form.sigmoid, alpha * gap_of_different)
    bound, sharper = (np.where(ranked, column, 0.0) for column in (bound, sharper))
    return ApproximationError(epsilon, position_bound, bound, sharper, actual)


def _form(given: str | Loss) -> Approximation | ApproxKendall:
    """The loss of soft ranks."""
    form: Loss = loss(given)
    if isinstance(form, Approx):
        form = form.form
    if not isinstance(form, Approximation | ApproxKendall):
        raise OptionError(f"{given} is not a loss of soft ranks: pass approx_ndcg, approx(measure=p@10), ...")
    return form


def _ranks_and_gaps(lists: Lists) -> tuple[Int64s, Floats, Floats]:
    """The first and the last rank that each document can have among equal scores, as two rows.

    And for each query the smallest difference of two scores, and of two different scores.
    """
    rows = _native.order(lists.scores, lists.offsets, lists.n_threads)
    descending = lists.scores[rows]
    ranks = np.empty((2, rows.size), np.int64)
    ranks[:, rows] = np.array(runs(descending, lists.offsets)) + 1 - np.repeat(lists.offsets[:-1], lists.sizes)
    with np.errstate(over="ignore"):
        gaps = np.append(np.inf, descending[:-1] - descending[1:])[: rows.size]
    gaps[lists.offsets[lists.offsets < rows.size]] = np.inf
    different = np.where(gaps > 0, gaps, np.inf)
    return ranks, _minima(gaps, lists.offsets), _minima(different, lists.offsets)


def _minima(values: Floats, offsets: Int64s) -> Floats:
    """The minimum of each query's values, which must not be negative; infinity without documents."""
    with np.errstate(divide="ignore"):
        return 1 / maxima(1 / values, offsets)


def _tail(sigmoid: str, z: Floats) -> Floats:
    """sigma(-z), z >= 0."""
    if sigmoid == "arctan":
        return 0.5 - np.arctan(z) / math.pi
    return np.asarray(special.erfc(z) / 2 if sigmoid == "erf" else special.expit(-z))


def _bounds(form: Approximation, lists: Lists, ranks: Int64s, epsilon: Floats, true: Floats) -> tuple[Floats, Floats]:
    """The bound on the error of the measure, and a sharper one."""
    plan = form.plan
    worth = worth_of(plan.gain, lists)
    if plan.reduction == "precision_mean" and plan.cutoff is None:
        return _ap_bounds(sums(worth, lists.offsets), epsilon, form.beta)
    if plan.reduction != "sum":
        unknown = np.full(lists.n_queries, np.nan)
        return unknown, unknown
    if plan.denominator == "ideal" and isinstance(plan.discount, discounts.Log) and plan.cutoff is None:
        bound = epsilon / (2 * math.log(2))  # eq. (27)
        return bound, true * bound
    bound = _sum_bound(form, lists, ranks, epsilon, worth)
    return bound, bound


def _ap_bounds(relevant: Floats, epsilon: Floats, beta: float) -> tuple[Floats, Floats]:
    """Eq. (26), and at most half of it: the paper's own steps give ((R - 1)/R) S1 ... + epsilon S2."""
    bounds = np.full((2, relevant.size), np.inf)
    for q in np.flatnonzero(epsilon < 0.5):
        i, eps = np.arange(1, relevant[q] + 1), epsilon[q]
        first = (1 / (i - eps)).sum() * special.expit(beta * (2 * eps - 1))
        second = eps * (1 / (i * (i - eps))).sum()
        bounds[:, q] = first + 2 * second, (1 - 1 / max(relevant[q], 1)) * first + second
    return bounds[0], bounds[1]


def _sum_bound(form: Approximation, lists: Lists, ranks: Int64s, epsilon: Floats, worth: Floats) -> Floats:
    """The error of sum_x G_x D(p_x), with D decreasing, if every position may be off by epsilon."""
    plan = form.plan
    plan.discount.require_decreasing("this bound")
    depths = depths_of(plan, lists, worth)

    def soft(positions: Floats) -> Floats:
        at = Positions(
            np.maximum(positions, 1), worth, lists.offsets, depths, form.beta, plan.discount, lists.n_threads
        )
        return plan.discount.at(at.positions, at.spread(lists.sizes))[0] * at.kept()[0]

    def hard(places: Int64s) -> Floats:
        weights = plan.discount.at(places, np.repeat(lists.sizes, lists.sizes))[0]
        return weights if depths is None else np.where(places <= np.repeat(depths, lists.sizes), weights, 0.0)

    (first, last), off = ranks, np.repeat(epsilon, lists.sizes)
    too_high, too_low = soft(last - off) - hard(last), hard(first) - soft(first + off)
    totals = sums(worth * np.maximum(too_high, too_low), lists.offsets)
    return totals * factors_of(plan, worth, lists, depths)


@dataclass(frozen=True)
class GeneralizationGap(Result):
    """The result of `generalization_gap`; rankers are numbered from 0.

    Parameters
    ----------
    best : int
        The ranker that is best on the test set.
    trained : int
        The ranker that is best on the training set by the measure.
    gap : float
        The difference on the test set between the best ranker and ``trained``.
    bound : float
        The bound on ``gap`` (Theorem 2).
    approximated, approximated_gap, approximated_bound : optional
        The same for the ranker that is best on the training set by the approximation (Theorem 7); None without an
        approximation.

    Examples
    --------
    >>> from idealrank.theory import generalization_gap
    >>> found = generalization_gap(test=[0.75, 0.5], train=[0.5, 0.5])
    >>> found.best, found.trained, found.gap, found.bound
    (0, 0, 0.0, 0.5)
    """

    best: int
    trained: int
    gap: float
    bound: float
    approximated: int | None = None
    approximated_gap: float | None = None
    approximated_bound: float | None = None


def generalization_gap(
    test: npt.ArrayLike, train: npt.ArrayLike, approximation: npt.ArrayLike | None = None
) -> GeneralizationGap:
    """Compute how much is lost on the test set by choosing the ranker that is best on the training set.

    Theorems are those of Qin, Liu and Li 2008. The bound is |M(f_m) - M(f*)| <= 2 sup |M - M_m| (Theorem 2). With an
    approximation Mhat_m of the training measure, such as 1 - ApproxNDCG, it is 2 sup |M - M_m| + 2 sup |M_m - Mhat_m|
    (Theorem 7). The first supremum vanishes with many queries (Theorem 1). The second one does not depend on the number
    of queries, contrary to the text below Theorem 7 of the paper: it vanishes as alpha times the score differences
    grows.

    Parameters
    ----------
    test, train : array-like
        The mean of the measure on the test set and on the training set for each ranker.
    approximation : array-like, optional
        The mean of the approximation on the training set for each ranker.

    Returns
    -------
    GeneralizationGap
        The gaps and their bounds.

    Raises
    ------
    DataError
        If the arrays are not one-dimensional and finite, or differ in length.

    Examples
    --------
    Ranker 1 is best in training and 0.1 worse than ranker 0 on the test set; the sets differ by at most 0.2.

    >>> from idealrank.theory import generalization_gap
    >>> found = generalization_gap(test=[0.5, 0.4], train=[0.5, 0.6])
    >>> found.trained, round(found.gap, 12), round(found.bound, 12)
    (1, 0.1, 0.4)
    """
    measured = _column(test, "test")
    trained = _column(train, "train", measured.size)
    best, chosen = int(measured.argmax()), int(trained.argmax())
    spread = 2 * float(np.abs(measured - trained).max())
    gap = float(measured[best] - measured[chosen])
    if approximation is None:
        return GeneralizationGap(best, chosen, gap, spread)
    approximated = _column(approximation, "approximation", measured.size)
    other = int(approximated.argmax())
    error = 2 * float(np.abs(trained - approximated).max())
    return GeneralizationGap(best, chosen, gap, spread, other, float(measured[best] - measured[other]), spread + error)


def _column(values: npt.ArrayLike, name: str, size: int | None = None) -> Floats:
    """The values as a flat array of finite numbers, of the given size."""
    column = float_array(values, name)
    if column.ndim != 1 or not column.size or not np.isfinite(column).all():
        raise DataError(f"{name} must be a flat list of finite numbers, one per ranker, got {values!r}")
    if size not in (None, column.size):
        raise DataError(f"{name} must have one value per ranker, like test: {size}, got {column.size}")
    return column

"""Sums, maxima and runs of equal values of the documents of each query, all queries at once."""

from __future__ import annotations

import numpy as np

from idealrank._typing import Floats, Int64s

__all__ = ["log_shares", "log_sum_exp", "maxima", "norms", "runs", "shares", "sums"]


def sums(values: Floats, offsets: Int64s) -> Floats:
    """Return the sum of each query's values; 0 for a query without documents.

    Examples
    --------
    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 1, 3]))
    array([1., 0., 6.])
    """
    return _reduced(np.add, values, offsets)


def maxima(values: Floats, offsets: Int64s) -> Floats:
    """Return the largest of each query's values; 0 for a query without documents.

    Examples
    --------
    >>> maxima(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 1, 3]))
    array([1., 0., 4.])
    """
    return _reduced(np.maximum, values, offsets)


def _reduced(operation: np.ufunc, values: Floats, offsets: Int64s) -> Floats:
    # reduceat returns the value at the start of an empty segment, and fails for one at the end, so both are left out.
    filled = np.flatnonzero(np.diff(offsets))
    reduced = np.zeros(offsets.size - 1)
    reduced[filled] = operation.reduceat(values, offsets[filled])
    return reduced


def norms(values: Floats, offsets: Int64s, q: float | Floats = 2.0) -> tuple[Floats, Floats]:
    """Return ||x||_q of each query's values, and x / ||x||_q, 0 if all are 0; q is one number for all or one per query.

    Examples
    --------
    >>> norms(np.array([3.0, 4.0, 0.0]), np.array([0, 2, 3]))
    (array([5., 0.]), array([0.6, 0.8, 0. ]))
    """
    sizes = np.diff(offsets)
    powers = np.repeat(np.broadcast_to(q, sizes.shape), sizes)
    greatest = maxima(np.abs(values), offsets)  # divides all values, so that no power overflows
    scaled = values / np.repeat(np.where(greatest > 0, greatest, 1.0), sizes)
    rest = sums(np.abs(scaled) ** powers, offsets) ** (1 / np.asarray(q))
    return greatest * rest, scaled / np.repeat(np.where(rest > 0, rest, 1.0), sizes)


def log_sum_exp(values: Floats, offsets: Int64s) -> Floats:
    """Return the log of the sum of exp of each query's values, without overflow.

    Examples
    --------
    >>> log_sum_exp(np.array([1000.0, 1000.0]), np.array([0, 2])) - 1000
    array([0.69314718])
    """
    greatest = maxima(values, offsets)
    greatest = np.where(np.isneginf(greatest), 0.0, greatest)
    with np.errstate(divide="ignore"):  # a query without documents, or with only log 0
        return greatest + np.log(sums(np.exp(values - np.repeat(greatest, np.diff(offsets))), offsets))


def log_shares(values: Floats, offsets: Int64s) -> Floats:
    """Return the log of softmax of each query's values, with all digits however large what they have in common.

    Examples
    --------
    >>> np.exp(log_shares(np.array([1e20, 1e20]), np.array([0, 2])))
    array([0.5, 0.5])
    """
    greatest = maxima(values, offsets)
    shifted = values - np.repeat(np.where(np.isneginf(greatest), 0.0, greatest), np.diff(offsets))
    with np.errstate(divide="ignore"):  # only log 0
        totals = np.repeat(np.log(sums(np.exp(shifted), offsets)), np.diff(offsets))
    return np.asarray(shifted - totals)


def shares(values: Floats, offsets: Int64s) -> tuple[Floats, Floats, Floats]:
    """Return softmax of each query's finite values; and for its log, the values under the highest, minus a log sum.

    Examples
    --------
    >>> shares(np.array([5.0, 5.0]), np.array([0, 2]))
    (array([0.5, 0.5]), array([0., 0.]), array([0.69314718]))
    """
    sizes = np.diff(offsets)
    under = values - np.repeat(maxima(values, offsets), sizes)
    exponentials = np.exp(under)
    totals = sums(exponentials, offsets)
    exponentials /= np.repeat(totals, sizes)
    with np.errstate(divide="ignore"):  # a query without documents
        return exponentials, under, np.log(totals)


def runs(labels: Floats, offsets: Int64s) -> tuple[Int64s, Int64s]:
    """Return the first and the last place of each place's run of equal labels, within its query.

    Examples
    --------
    >>> runs(np.array([2.0, 2.0, 1.0, 1.0]), np.array([0, 3, 4]))
    (array([0, 0, 2, 3]), array([1, 1, 2, 3]))
    """
    starts = np.ones(labels.size + 1, np.bool_)
    starts[1:-1] = labels[1:] != labels[:-1]
    starts[offsets] = True
    run = np.cumsum(starts[:-1]) - 1
    edges = np.flatnonzero(starts)
    # Signals such as Ctrl-C are handled between calls; indexing would take one long step here.
    return np.take(edges, run), np.take(edges - 1, run + 1)

"""Averages over the orders of long runs of equal scores, against slow exact forms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

import idealrank as ir


def err_by_recurrence(gains: np.ndarray, depth: int) -> float:
    """Return ERR of one run of equal scores, one document after the other, in O(n depth)."""
    reading, stops = np.zeros((2, depth + 1), np.longdouble)
    reading[0] = 1
    place = np.arange(1, depth + 1)
    for i, gain in enumerate(np.sort(gains).astype(np.longdouble), 1):
        left_out = np.maximum(i - place, 0)
        is_there = place <= i
        stops[1:] = (
            left_out * stops[1:] + is_there * ((place - 1) * (1 - gain) * stops[:-1] + gain * reading[:-1])
        ) / i
        reading[1:] = (left_out * reading[1:] + is_there * place * (1 - gain) * reading[:-1]) / i
    return float((stops[1:] / place).sum())


@pytest.mark.slow
@pytest.mark.parametrize(
    "labels",
    [
        np.arange(2000) % 5,
        np.arange(2000) % 2 * 14,
        (np.arange(2000) % 50 == 0) * 9 + 1,
        np.repeat([0, 14], [1300, 700]),
        np.repeat([0, 3, 14], [1500, 499, 1]),
        np.ones(2000),
        np.repeat([1, 60], [1999, 1]),
        np.repeat([1, 60], [30, 1970]),
        np.sqrt(np.arange(2000)) / 60,
    ],
    ids=["few", "two", "rare", "halves", "one", "same", "sure", "nearly all sure", "distinct"],
)
@pytest.mark.parametrize("max_label", [14, 60])
@pytest.mark.parametrize("cutoff", [None, 700])
def test_err_of_a_long_run_is_that_of_the_recurrence(labels: np.ndarray, max_label: int, cutoff: int | None) -> None:
    labels = np.minimum(labels, max_label)
    gains = (2.0**labels - 1) / 2.0**max_label
    expected = err_by_recurrence(gains, cutoff or labels.size)
    found = ir.measures.ERR(max_label=max_label, cutoff=cutoff)(labels, np.zeros(labels.size))
    assert_allclose(found, expected, rtol=1e-10, atol=0)


def test_err_of_a_run_of_many_documents() -> None:
    # All gains g: e_j = (1 - g)^j, whatever the order.
    n, gain = 200_000, 1 / 2.0**14
    expected = sum(gain * (1 - gain) ** (np.arange(1, n + 1) - 1) / np.arange(1, n + 1))
    assert_allclose(ir.measure("err(max_label=14)")(np.ones(n), np.zeros(n)), expected, rtol=1e-11, atol=0)
    # One label more leaves e_j between the powers of the smallest and the largest factor.
    labels = np.ones(n)
    labels[0] = 2
    found = ir.measure("err(max_label=14)")(labels, np.zeros(n))
    assert expected < found[0] < expected * (1 + 1e-4)


def hits_by_enumeration(
    first: int, hits_before: list[int], inside: int, relevant: int, total: int, best: bool
) -> Fraction:
    """Return the best or worst mean precision of the documents found, over all numbers of them and their places."""
    before = sum((Fraction(i + 1, rank) for i, rank in enumerate(hits_before)), Fraction(0))
    values = []
    for found in range(max(0, relevant - (total - inside)), min(relevant, inside) + 1):
        ranks = [first + i + 1 + (0 if best else inside - found) for i in range(found)]
        own = before + sum((Fraction(len(hits_before) + i + 1, rank) for i, rank in enumerate(ranks)), Fraction(0))
        n_hits = len(hits_before) + found
        values.append(own / n_hits if n_hits else Fraction(0))
    return max(values) if best else min(values)


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_mean_precision_of_hits_over_a_divided_run(ties: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        head, run = int(rng.integers(0, 5)), int(rng.integers(2, 30))
        labels = rng.integers(0, 2, head + run).astype(np.float64)
        labels[-1] = 1
        scores = np.concatenate([np.arange(head, 0, -1) + 1.0, np.zeros(run)])
        cutoff = head + int(rng.integers(1, run))
        before = [rank + 1 for rank in range(head) if labels[rank] > 0]
        relevant = int(labels[head:].sum())
        expected = hits_by_enumeration(head, before, cutoff - head, relevant, run, ties == "best")
        found = ir.measure(f"ap(denominator=hits,ties={ties})@{cutoff}")(labels, scores)
        assert_allclose(found, [float(expected)], rtol=1e-13, atol=1e-15)


def test_mean_precision_of_hits_of_a_long_run_is_computed_at_all() -> None:
    n = 400_000  # in O(n^2), minutes
    labels = (np.arange(n) % 4 > 0).astype(np.float64)
    assert ir.measure(f"ap(denominator=hits,ties=best)@{n // 2}")(labels, np.zeros(n)).tolist() == [1.0]
    assert 0 < ir.measure(f"ap(denominator=hits,ties=worst)@{n // 2}")(labels, np.zeros(n))[0] < 1


def test_the_full_ideal_is_summed_once_for_many_queries() -> None:
    n_queries, k = 50_000, 1_000_000  # summed for each query, a minute
    labels, scores = np.ones(2 * n_queries), np.arange(2.0 * n_queries)
    found = ir.measure(f"ndcg(ideal=full)@{k}")(labels, scores, np.arange(0, 2 * n_queries + 1, 2))
    weights = 1 / np.log2(np.arange(2, k + 2))
    assert_allclose(found, np.full(n_queries, weights[:2].sum() / weights.sum()), rtol=1e-11, atol=0)

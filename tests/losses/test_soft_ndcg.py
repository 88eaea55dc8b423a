"""SoftRank against its definition, written out, and against noise itself."""

import functools
import math
from collections.abc import Sequence
from unittest import mock

import numpy as np
import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import _native, discounts, gains
from idealrank._typing import Floats
from idealrank.losses import SoftNDCG
from idealrank.measures import NDCG


def rank_distribution(beats: Sequence[float]) -> list[float]:
    """P(rank = 1), P(rank = 2), ... where opponents win independently with these probabilities."""
    ranks = [1.0]
    for pi in beats:
        ranks = [
            (1 - pi) * (ranks[r] if r < len(ranks) else 0.0) + pi * (ranks[r - 1] if r > 0 else 0.0)
            for r in range(len(ranks) + 1)
        ]
    return ranks


def soft_ndcg(loss: SoftNDCG, labels: Sequence[float], scores: Sequence[float], weights: Sequence[float]) -> float:
    """1 - the expected NDCG, document by document."""
    n = len(labels)
    depth = oracles.depth_of(loss.cutoff, n) or n
    discount = [oracles.discount_of(loss.discount, r, n) if r <= depth else 0.0 for r in range(1, n + 1)]
    worth = [w * oracles.gain_of(loss.gain, label) for label, w in zip(labels, weights, strict=True)]
    ideal = math.fsum(g * d for g, d in zip(sorted(worth, reverse=True), discount, strict=True))
    if ideal == 0 or n == 1:
        return 0.0
    expected = []
    for i in range(n):
        beats = [math.erfc((scores[i] - scores[j]) / (2 * loss.sigma)) / 2 for j in range(n) if j != i]
        expected.append(worth[i] * math.fsum(p * d for p, d in zip(rank_distribution(beats), discount, strict=True)))
    return 1 - math.fsum(expected) / ideal


LOSSES = [
    SoftNDCG(),
    SoftNDCG(sigma=0.1),
    SoftNDCG(sigma=30, gain="linear", discount="zipf"),
    SoftNDCG(cutoff=3),
    SoftNDCG(discount="linear", cutoff="50%"),
]
scores = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5), st.sampled_from([1e308, -1e308, 1e-300, 40.0]))
rows = st.lists(st.tuples(st.integers(0, 4).map(float), scores, st.floats(0.1, 3)), min_size=1, max_size=12)


@pytest.mark.slow
@pytest.mark.parametrize("isa", _native.isas())
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@given(rows=rows)
@example(rows=[(float(i % 5), math.sin(7 * i), 1.0) for i in range(90)])
@example(rows=[(float(i % 2), i / 3, 1.0) for i in range(70)])
def test_the_value_is_the_expected_ndcg(loss: SoftNDCG, isa: str, rows: list[tuple[float, float, float]]) -> None:
    labels, column, weights = map(list, zip(*rows, strict=True))
    expected = soft_ndcg(loss, labels, column, weights)
    with mock.patch.object(_native, "soft_dcg", functools.partial(_native.soft_dcg, isa=isa)):
        values, _ = loss(labels, column, weights=weights)
    assert_allclose(values, [expected], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("isa", _native.isas())
@pytest.mark.parametrize("spread", [0.05, 1.0, 20.0])
def test_long_lists_have_the_derivatives_of_their_values(spread: float, isa: str) -> None:
    rng = np.random.default_rng(1)
    n = 150
    worth, column = gains.Exp2()(rng.integers(0, 4, n)), spread * rng.normal(size=n)
    offsets, depths, discount = np.array([0, n]), np.array([n]), discounts.Log().native(n)

    def dcg(scores: Floats) -> tuple[float, Floats]:
        values, column = _native.soft_dcg(
            worth, scores, offsets, discount=discount, depths=depths, sigma=1.0, curvature=False, n_threads=1, isa=isa
        )
        return float(values[0]), column

    _, gradient = dcg(column)
    assert_allclose(gradient.sum(), 0, rtol=0, atol=1e-12 * np.abs(gradient).sum())
    step = 1e-4
    for i in range(0, n, 10):
        nudge = step * np.eye(n)[i]
        near, far = (dcg(column + k * nudge)[0] - dcg(column - k * nudge)[0] for k in (1, 2))
        assert_allclose((8 * near - far) / (12 * step), gradient[i], rtol=1e-7, atol=1e-7)


def test_rank_distributions_are_those_of_noisy_opponents() -> None:
    # Each document meets its opponents' noise with noise of its own, drawn anew for each: the paper's independence.
    rng = np.random.default_rng(2)
    labels, column = np.array([3.0, 0, 1, 2, 0]), np.array([0.1, 0.5, 0.3, -0.2, 0.0])
    sigma, n_draws = 0.4, 400_000
    worth, discount = gains.Exp2()(labels), discounts.Log().weights(5)
    ideal = float(np.sort(worth)[::-1] @ discount)
    expected = 0.0
    for i in range(5):
        others = np.delete(column, i)
        noise = rng.normal(scale=sigma, size=(2, n_draws, 4))
        beaten = (others + noise[0] > column[i] + noise[1]).sum(axis=1)
        expected += worth[i] * discount[beaten].mean() / ideal
    values, _ = SoftNDCG(sigma=sigma)(labels, column)
    assert_allclose(values, [1 - expected], rtol=0, atol=2e-3)  # about 4 standard errors


def test_two_documents_are_ranked_exactly_as_their_noise_ranks_them() -> None:
    # With one opponent nothing is assumed: NDCG is 1 with probability Phi(d / (sqrt(2) sigma)), else 1 / log2(3).
    for d in (-2.0, 0.0, 0.7):
        wins = math.erfc(-d / 2) / 2
        values, _ = SoftNDCG()([1, 0], [d, 0])
        assert_allclose(values, [(1 - wins) * (1 - 1 / math.log2(3))], rtol=1e-14, atol=1e-16)


def test_without_noise_it_is_ndcg() -> None:
    rng = np.random.default_rng(3)
    labels, column, offsets = rng.integers(0, 5, 60), rng.normal(size=60), [0, 20, 25, 60]
    values, gradient = SoftNDCG(sigma=1e-9, cutoff=10)(labels, column, offsets)
    assert_allclose(values, 1 - NDCG(cutoff=10)(labels, column, offsets), rtol=1e-13, atol=1e-15)
    assert_array_equal(gradient, np.zeros(60))


def test_any_number_of_threads_gives_the_same_bits() -> None:
    rng = np.random.default_rng(4)
    labels, column = rng.integers(0, 2, 120_000), rng.normal(size=120_000)
    offsets = np.arange(0, 120_001, 6)
    one, four = (SoftNDCG()(labels, column, offsets, n_threads=n) for n in (1, 4))
    assert_array_equal(one[0], four[0])
    assert_array_equal(one[1], four[1])

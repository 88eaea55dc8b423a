"""NeuralNDCG against its definition, with the whole matrix of shares."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import losses
from idealrank.errors import OptionError
from idealrank.measures import NDCG


def shares_of(scores: Any, temperature: float) -> Any:
    """The matrix of eq. (5) of Grover et al. 2019: a row per rank."""
    n = len(scores)
    ranks = np.arange(1, n + 1)
    apart = np.abs(scores[:, None] - scores).sum(1)
    logits = ((n + 1 - 2 * ranks)[:, None] * scores - apart) / temperature
    raw = np.exp(logits - logits.max(1, keepdims=True))
    return raw / raw.sum(1, keepdims=True)


def defined(labels: Any, scores: Any, temperature: float, cutoff: int | None) -> float:
    n = len(labels)
    gains, table = 2.0**labels - 1, 1 / np.log2(np.arange(2, n + 2))
    if cutoff is not None:
        table[cutoff:] = 0
    return float(1 - table @ shares_of(scores, temperature) @ gains / (np.sort(gains)[::-1] @ table))


def gradient_of(labels: Any, scores: Any, temperature: float, cutoff: int | None) -> Any:
    """By the chain rule through the matrix: exponents by scores, shares by exponents."""
    n = len(labels)
    gains, table = 2.0**labels - 1, 1 / np.log2(np.arange(2, n + 2))
    if cutoff is not None:
        table[cutoff:] = 0
    shares = shares_of(scores, temperature)
    by_exponent = table[:, None] * shares * (gains - (shares @ gains)[:, None])  # rank r, document j
    signs = np.sign(scores[:, None] - scores)  # of s_j - s_k
    found = np.zeros(n)
    for k in range(n):
        moved = np.repeat(signs[:, k][None, :], n, 0)  # -d|s_j - s_k| / d s_k, for all j
        moved[:, k] = n + 1 - 2 * np.arange(1, n + 1) - signs[k].sum()
        found[k] = -(by_exponent * moved).sum() / temperature
    return found / (np.sort(gains)[::-1] @ table)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 60),
    st.sampled_from([0.01, 1.0, 50.0]),
    st.sampled_from([0.01, 1.0, 20.0]),
    st.sampled_from([None, 1, 5]),
)
def test_as_defined(seed: int, n: int, temperature: float, spread: float, cutoff: int | None) -> None:
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 4, n), spread * rng.normal(size=n)
    labels[0] = 2
    if rng.random() < 0.3:
        scores = np.rint(scores / spread) * spread  # ties
    loss = losses.NeuralNDCG(temperature=temperature, cutoff=cutoff)
    value, gradient = loss(labels, scores)
    expected = gradient_of(labels, scores, temperature, cutoff)
    assert_allclose(value[0], defined(labels, scores, temperature, cutoff), rtol=1e-11, atol=1e-12)
    # Exponents of the matrix are differences of sums over n documents, which round.
    scale = (1 + n * spread / temperature) * max(np.abs(expected).max(), n / temperature * 1e-3)
    assert_allclose(gradient, expected, rtol=1e-8, atol=1e-13 * scale + 1e-14 / temperature)


def test_at_a_low_temperature_it_is_ndcg() -> None:
    rng = np.random.default_rng(0)
    labels, scores, offsets = rng.integers(0, 3, 90), rng.normal(size=90), [0, 30, 31, 90]
    values, _ = losses.NeuralNDCG(temperature=1e-9, cutoff=10)(labels, scores, offsets)
    exact = 1 - NDCG(gain="exp2", cutoff=10)(labels, scores, offsets)
    exact[1] = 0  # one document
    assert_allclose(values, exact, atol=1e-12)


def test_the_bound_is_not_below_the_second_derivative() -> None:
    rng = np.random.default_rng(1)
    labels, step = rng.integers(0, 3, 12), 1e-5
    for temperature in (0.3, 3.0):
        scores = rng.normal(size=12)
        loss = losses.NeuralNDCG(temperature=temperature)
        bound = loss.hessian_diagonal(labels, scores)
        assert (bound > 0).all()
        for place in range(12):
            moved = step * (np.arange(12) == place)
            ends = [loss(labels, scores + sign * moved)[1][place] for sign in (1, -1)]
            assert abs(ends[0] - ends[1]) / (2 * step) <= bound[place]


def test_a_long_list_takes_only_the_ranks_near_each_place() -> None:
    """20,000 documents: the matrix would take 3 GB. Its middle rows are those of a part of the list."""
    rng = np.random.default_rng(2)
    labels, scores = rng.integers(0, 2, 20_000), np.sort(rng.uniform(0, 2e4, 20_000))[::-1].copy()
    values, gradient = losses.NeuralNDCG()(labels, scores)
    assert_allclose(gradient.sum(), 0, atol=1e-12)
    part = losses.NeuralNDCG(discount="power:0", gain="linear")
    whole = part(labels, scores)[0][0]
    assert abs(1 - whole - 1) < 0.05  # without a discount, all gains count, whatever the order
    assert 0 < values[0] < 1


def test_one_thread_or_four() -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 200, 1500)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    labels, scores = rng.integers(0, 3, offsets[-1]), rng.normal(size=offsets[-1])
    one, four = (losses.NeuralNDCG()(labels, scores, offsets, n_threads=n) for n in (1, 4))
    assert (one[0] == four[0]).all()
    assert (one[1] == four[1]).all()


def test_bad_options_are_refused() -> None:
    with pytest.raises(OptionError, match="temperature"):
        losses.NeuralNDCG(temperature=0)

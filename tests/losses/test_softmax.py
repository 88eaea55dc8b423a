"""Softmax losses against their definitions, document by document."""

import math
from typing import Any

import numpy as np
import pytest
from every_loss import LABELS, OFFSETS, SCORES
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import losses
from idealrank.errors import DataError, OptionError


def defined(targets: list[float], scores: list[float]) -> float:
    """-sum p log softmax(s), with exact sums."""
    highest = max(scores)
    total = math.fsum(math.exp(score - highest) for score in scores)
    return -math.fsum(p * (s - highest - math.log(total)) for p, s in zip(targets, scores, strict=True))


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([0.1, 1.0, 50.0]))
def test_values_are_those_of_the_definitions(seed: int, n: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    labels, scores, weights = rng.integers(0, 5, n), spread * rng.normal(size=n), rng.random(n) + 0.1
    gains, exponential = labels * weights, 2.0**labels * weights
    shares = gains / gains.sum() if gains.any() else gains
    for loss, targets in (
        (losses.Softmax(), shares),
        (losses.Softmax(normalize="none"), gains),
        (losses.XENDCG(gamma=0), exponential / exponential.sum()),
        (losses.XENDCG(gamma=0.3), (exponential - 0.3 * weights) / (exponential - 0.3 * weights).sum()),
    ):
        value, gradient = loss(labels, scores, weights=weights)
        assert_allclose(value[0], defined(list(targets), list(scores)), rtol=1e-11, atol=1e-12)
        assert_allclose(gradient.sum(), 0, atol=1e-10 * max(1.0, float(np.sum(targets))))


@pytest.mark.parametrize(("slope", "moves_up"), [(None, True), (1.0, False)])
def test_the_default_slope_moves_relevant_documents_up_in_long_lists(slope: float | None, moves_up: bool) -> None:
    n_docs = 5000
    loss = losses.SoftmaxAtK(hold=True) if slope is None else losses.SoftmaxAtK(slope=slope, hold=True)
    _, gradient = loss(np.arange(n_docs) == 0, np.zeros(n_docs))
    # w = 1/2 and -log softmax = log n: the derivative is w (-1 + 1/n + slope (1 - w) log n).
    expected = 0.5 * (-1 + 1 / n_docs + (slope or 0.05) * 0.5 * math.log(n_docs))
    assert_allclose(gradient[0], expected, rtol=1e-9, atol=0)
    assert (gradient[0] < 0) == moves_up


def test_the_softmax_loss_of_one_positive_is_minus_the_log_of_its_share() -> None:
    scores = np.array([0.3, -1.0, 2.0, 0.0])
    share = np.exp(scores[2]) / np.exp(scores).sum()
    assert_allclose(losses.Softmax()([0, 0, 1, 0], scores)[0], -np.log(share), rtol=1e-14)


def test_xe_ndcg_without_labels_of_zero_is_softmax_of_the_exponential_gain() -> None:
    same = losses.Softmax(gain="exp2")(LABELS, SCORES, OFFSETS), losses.XENDCG(gamma=1)(LABELS, SCORES, OFFSETS)
    for left, right in zip(*same, strict=True):
        assert_allclose(left, right, rtol=1e-13, atol=1e-14)


def test_a_query_without_gain_has_the_value_0() -> None:
    value, gradient = losses.Softmax()([0, 0], [1.0, 2.0])
    assert value.tolist() == [0.0]
    assert gradient.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("loss", [losses.Softmax(), losses.SoftmaxAtK(), losses.PSL()])
def test_values_are_floats_without_anything_relevant(loss: losses.Loss) -> None:
    for labels, offsets in (([0, 0], [0, 2]), ([], [0]), ([], [0, 0])):
        values, gradient = loss(labels, np.zeros(len(labels)), offsets)
        assert values.dtype == gradient.dtype == np.float64
        assert values.tolist() == [0.0] * (len(offsets) - 1)


def test_curvature_is_the_second_derivative() -> None:
    for loss in (losses.Softmax(), losses.Softmax(normalize="none"), losses.XENDCG()):
        step = 1e-5
        for place in range(LABELS.size):
            moved = np.arange(LABELS.size) == place
            ends = [loss(LABELS, SCORES + sign * step * moved, OFFSETS)[1][place] for sign in (1, -1)]
            second = loss.hessian_diagonal(LABELS, SCORES, OFFSETS)[place]
            assert_allclose(second, (ends[0] - ends[1]) / (2 * step), rtol=1e-6, atol=1e-9)


def test_bad_options_and_labels_are_refused() -> None:
    with pytest.raises(OptionError, match="gamma"):
        losses.XENDCG(gamma=1.5)
    with pytest.raises(OptionError, match="normalize"):
        losses.Softmax(normalize="pairs")
    with pytest.raises(DataError, match="a gain must be finite and not negative, got -1"):
        losses.Softmax()([1, -1], [0.0, 0.0])


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 15), st.sampled_from([0.3, 5.0]))
def test_softmax_at_k_as_defined(seed: int, n: int, cutoff: int, slope: float) -> None:
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 3, n), rng.normal(size=n)
    labels[0] = 1
    border = np.sort(scores)[::-1][min(cutoff, n) - 1]
    weights = 1 / (1 + np.exp(-slope * (scores - border)))
    expected = defined(list(labels / labels.sum() * weights), list(scores))
    assert_allclose(losses.SoftmaxAtK(cutoff=cutoff, slope=slope)(labels, scores)[0][0], expected, rtol=1e-11)


def test_softmax_at_k_can_hold_the_threshold_fixed() -> None:
    """By differences of a loss whose threshold is that of other scores."""
    labels, scores, slope = np.array([1.0, 0, 2, 0, 0]), np.array([0.3, 1.2, -0.5, 0.1, 0.9]), 0.7
    border = np.sort(scores)[-2]

    def value(moved: Any) -> float:
        weights = 1 / (1 + np.exp(-slope * (moved - border)))
        return float(defined(list(labels / labels.sum() * weights), list(moved)))

    steps = 1e-6 * np.eye(5)
    expected = [(value(scores + step) - value(scores - step)) / 2e-6 for step in steps]
    values, gradient = losses.SoftmaxAtK(cutoff=2, slope=slope, hold=True)(labels, scores)
    assert_allclose(values[0], value(scores), rtol=1e-12)
    assert_allclose(gradient, expected, rtol=1e-7, atol=1e-9)
    assert abs(losses.SoftmaxAtK(cutoff=2, slope=slope)(labels, scores)[1] - gradient).max() > 0.01


def test_softmax_at_k_with_a_flat_weight_is_half_of_softmax() -> None:
    flat, plain = losses.SoftmaxAtK(slope=1e-12)(LABELS, SCORES, OFFSETS), losses.Softmax()(LABELS, SCORES, OFFSETS)
    for left, right in zip(flat, plain, strict=True):
        assert_allclose(left, right / 2, rtol=1e-9, atol=1e-10)

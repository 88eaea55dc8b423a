"""The pairwise softmax loss against its definition, pair by pair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import losses
from idealrank.errors import DataError, OptionError

ACTIVATIONS = ["tanh", "atan", "relu"]


def activation(kind: str, d: Any) -> tuple[Any, Any]:
    """a(d) and a'(d)."""
    if kind == "tanh":
        e = np.exp(-2 * np.abs(d))
        return np.where(d > 0, 2, 2 * e) / (1 + e), 4 * e / (1 + e) ** 2
    inside = 1 + (np.arctan(d) if kind == "atan" else d)
    slope = 1 / (1 + d**2) if kind == "atan" else np.ones_like(d)
    return np.maximum(inside, 0), np.where(inside > 0, slope, 0)


def defined(kind: str, temperature: float, targets: Any, scores: Any) -> tuple[float, Any, Any]:
    """Value, gradient and the bound of second derivatives, by all pairs."""
    power = 1 / temperature
    a, slope = activation(kind, scores - scores[:, None])  # row i, column j: d = s_j - s_i
    raised = a**power
    total = raised.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_slopes = np.where(a > 0, power * slope / a, 0)
        bends = raised * log_slopes**2 if power >= 2 or kind == "tanh" else np.where(a > 0, (power * slope) ** 2, 0)
    pulls = (targets / total)[:, None] * raised * log_slopes
    gradient = pulls.sum(0) - pulls.sum(1)
    apart = 1 - np.eye(len(scores))
    bent = (targets / total)[:, None] * bends * apart
    own = (bends * apart).sum(1) / total - ((raised * log_slopes * apart).sum(1) / total) ** 2
    return float(targets @ np.log(total)), gradient, bent.sum(0) + targets * np.maximum(own, 0)


def assert_as_defined(kind: str, temperature: float, labels: Any, scores: Any) -> None:
    loss = losses.PSL(activation=kind, temperature=temperature)
    value, gradient, bound = defined(kind, temperature, labels / labels.sum(), scores)
    found, own = loss(labels, scores)
    assert_allclose(found[0], value, rtol=1e-12, atol=1e-13)
    # Where a pair is all but decided, what is left of a derivative is the rounding of terms of the size of its scale.
    assert_allclose(own, gradient, rtol=1e-9, atol=1e-13 / temperature)
    first, second = loss.gradient_and_hessian(labels, scores)
    assert_allclose(first, own, rtol=1e-13)
    assert_allclose(second, loss.hessian_diagonal(labels, scores), rtol=1e-13)
    assert_allclose(second, bound, rtol=1e-8, atol=1e-13 / temperature**2)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 120),
    st.sampled_from(ACTIVATIONS),
    st.sampled_from([1.0, 0.4, 0.1, 0.02]),
    st.sampled_from([0.01, 0.3, 2.0]),
)
def test_as_defined_pair_by_pair(seed: int, n: int, kind: str, temperature: float, spread: float) -> None:
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 3, n).astype(float), spread * rng.normal(size=n)
    labels[0] = 1
    if rng.random() < 0.3:
        scores = np.rint(8 * scores) / 8  # ties, and differences of exactly -1
    assert_as_defined(kind, temperature, labels, scores)


@pytest.mark.parametrize("kind", ACTIVATIONS)
@pytest.mark.parametrize("temperature", [1.0, 0.05])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_long_lists_through_boxes(kind: str, temperature: float, share: float) -> None:
    """Long enough for boxes of documents to meet; spread evenly, in clusters, and over many orders of magnitude."""
    rng = np.random.default_rng(0)
    n = 700
    for scores in (
        0.4 * rng.normal(size=n),
        rng.integers(0, 5, n) / 4 + 1e-9 * rng.normal(size=n),
        np.sign(rng.normal(size=n)) * 10.0 ** -rng.uniform(0, 12, n),
    ):
        labels = (rng.random(n) < share).astype(float)
        labels[0] = 1
        assert_as_defined(kind, temperature, labels, scores)


def test_the_bound_is_not_below_the_second_derivative() -> None:
    rng = np.random.default_rng(2)
    labels, scores, step = rng.integers(0, 3, 9), 0.3 * rng.normal(size=9), 1e-5
    for kind in ACTIVATIONS:
        loss = losses.PSL(activation=kind, temperature=0.2)
        bound = loss.hessian_diagonal(labels, scores)
        for place in range(9):
            moved = step * (np.arange(9) == place)
            ends = [loss(labels, scores + sign * moved)[1][place] for sign in (1, -1)]
            assert (ends[0] - ends[1]) / (2 * step) <= bound[place] + 1e-6


def test_with_the_temperature_1_tanh_is_the_log_of_twice_the_soft_rank() -> None:
    """1 + tanh(d) = 2 sigma(2 d), and the position of a document counts itself as 1, not 1/2."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=50)
    labels = np.zeros(50)
    labels[7] = 1
    position = 1 + (1 / (1 + np.exp(-2 * (np.delete(scores, 7) - scores[7])))).sum()
    assert_allclose(losses.PSL(temperature=1)(labels, scores)[0][0], np.log(2 * position - 1), rtol=1e-13)


def test_it_bounds_the_log_of_dcg_and_is_below_softmax() -> None:
    """Lemma 4.1 and Theorem 4.2: -log DCG + log |P| <= PSL <= softmax, for differences from -1 to 1."""
    rng = np.random.default_rng(4)
    for _ in range(30):
        labels, scores = rng.integers(0, 2, 20), rng.uniform(-0.5, 0.5, 20)
        labels[0] = 1
        ranks = np.argsort(np.argsort(-scores)) + 1
        dcg = (labels / np.log2(1 + ranks)).sum()
        softmax = losses.Softmax()(labels, scores / 0.1)[0][0]
        for kind in ACTIVATIONS:
            value = losses.PSL(activation=kind)(labels, scores)[0][0]
            assert -np.log(dcg) + np.log(labels.sum()) <= value + 1e-12 <= softmax + 1e-11


def test_queries_without_gain_or_documents_count_0() -> None:
    values, gradient = losses.PSL()([0, 0, 1], [1.0, 2.0, 3.0], [0, 2, 2, 3])
    assert values.tolist() == [0.0, 0.0, 0.0]
    assert gradient.tolist() == [0.0, 0.0, 0.0]


def test_bad_options_and_scores_are_refused() -> None:
    with pytest.raises(OptionError, match="activation"):
        losses.PSL(activation="exp")
    for temperature in (0, 0.001, 1.5, -1, float("nan")):
        with pytest.raises(OptionError, match="temperature"):
            losses.PSL(temperature=temperature)
    with pytest.raises(DataError, match="the loss overflows: scale the scores down"):
        losses.PSL(activation="relu")([1, 0], [-1e300, 1e300])
    value, _ = losses.PSL()([1, 0], [-1e308, 1e308])
    assert_allclose(value[0], np.log(1 + 2.0**10))

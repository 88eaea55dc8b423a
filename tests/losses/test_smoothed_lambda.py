"""LambdaRank's weights as means over rankings by noisy scores."""

from typing import Any

import numpy as np
import pytest
from fuzzing.references.losses import value
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import losses
from idealrank.errors import DataError, OptionError
from idealrank.losses import LambdaRank, SmoothedLambdaRank


def drawn(n: int, seed: int = 0, spread: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, n).astype(float), spread * rng.standard_normal(n)


@pytest.mark.parametrize("n", [2, 11])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"truncation": 3},
        {"truncation": None, "n_rankings": 2, "seed": 9},
        {"measure": "ndcg(gain=linear)@5", "sigma": 3.0},
        {"normalize": "lambdas", "truncation": 5},
        {"normalize": "pairs"},
    ],
    ids=str,
)
@pytest.mark.parametrize("spread", [0.0, 1.0, 1e4])
def test_the_value_is_that_of_the_definition(n: int, options: dict[str, Any], spread: float) -> None:
    loss, (labels, scores) = SmoothedLambdaRank(**options), drawn(n, n, spread)
    assert_allclose(loss(labels, scores)[0][0], float(value(loss, labels, scores, [1.0] * n)), rtol=1e-11, atol=0)


def test_with_scores_far_apart_noise_changes_no_ranking() -> None:
    labels, scores = drawn(50, spread=1e5)
    found, expected = SmoothedLambdaRank(truncation=None), LambdaRank()
    for ours, theirs in zip(found(labels, scores), expected(labels, scores), strict=True):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


def test_more_rankings_come_closer_to_the_expectation() -> None:
    labels, scores = drawn(30)
    exact = SmoothedLambdaRank(n_rankings=500, seed=1)(labels, scores)[1]
    few, many = (
        np.mean([np.abs(SmoothedLambdaRank(n_rankings=n, seed=s)(labels, scores)[1] - exact).mean() for s in range(10)])
        for n in (2, 32)
    )
    assert 3 < few / many < 5.5  # the error falls like the root, by a factor of 4


def test_noise_hangs_on_the_seed_the_labels_and_the_ranking_alone() -> None:
    labels, scores = drawn(20)
    offsets = [0, 10, 20]
    loss = SmoothedLambdaRank()
    both = loss(labels, scores, offsets, n_threads=1)[1]
    assert_array_equal(both, loss(labels, scores, offsets, n_threads=2)[1])
    assert_array_equal(both[10:], loss(labels[10:], scores[10:])[1])
    assert_allclose(loss(labels, scores + 16.0, offsets)[1], both, rtol=1e-12, atol=0)
    assert not np.allclose(SmoothedLambdaRank(seed=1)(labels, scores, offsets)[1], both, rtol=1e-3)


@pytest.mark.slow
def test_longer_lists_with_weights_agree_with_the_definition() -> None:
    labels, scores = drawn(60)
    weights = np.random.default_rng(1).random(60)
    loss = SmoothedLambdaRank(truncation=5, n_rankings=3)
    values, _ = loss(labels, scores, weights=weights)
    assert_allclose(values[0], float(value(loss, labels, scores, weights.tolist())), rtol=1e-11, atol=0)


def test_only_documents_that_can_reach_the_top_have_a_gradient_among_themselves() -> None:
    labels = np.array([1.0] * 10 + [0.0, 1.0] * 5)
    scores = np.array([1000.0] * 10 + [0.0] * 10)
    gradient = SmoothedLambdaRank(truncation=10)(labels, scores)[1]
    assert_array_equal(gradient[11::2], 0.0)  # as good as the top, and never near it


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(OptionError, match="swaps change ap without a closed form; use one of dcg, ndcg"):
        losses.loss("smoothed_lambda_rank(measure=ap)")
    for options in ({"n_rankings": 0}, {"seed": -1}, {"truncation": 0}):
        with pytest.raises(OptionError):
            SmoothedLambdaRank(**options)  # type: ignore[arg-type]
    with pytest.raises(DataError):
        SmoothedLambdaRank()([1, 0], [np.nan, 1])
    with pytest.raises(DataError):
        SmoothedLambdaRank()([np.nan, 0], [0, 1])

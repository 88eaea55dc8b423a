"""LambdaLoss against its definition, pair by pair."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import losses
from idealrank.errors import DataError, OptionError

KINDS = ["loss1", "loss2", "loss2pp"]


def log_discount(rank: float) -> float:
    return float(1 / np.log2(1 + rank))


def defined(
    kind: str,
    labels: Any,
    scores: Any,
    weights: Any,
    *,
    mu: float,
    sigma: float,
    truncation: int | None,
    truncate_both: bool = False,
) -> tuple[float, Any, Any]:
    """Value, gradient and curvature with fixed weights, by two loops."""
    n = len(labels)
    ranks = np.empty(n, int)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, n + 1)
    gains = 2.0**labels - 1
    ideal = sum(gain * log_discount(rank) for rank, gain in enumerate(sorted(gains, reverse=True), 1))
    value, gradient, curvature = 0.0, np.zeros(n), np.zeros(n)
    for i in range(n):
        for j in range(n):
            last = (max if truncate_both else min)(ranks[i], ranks[j])
            if labels[i] <= labels[j] or (truncation is not None and last > truncation):
                continue
            apart = abs(ranks[i] - ranks[j])
            delta = log_discount(apart) - log_discount(apart + 1)
            swap = abs(log_discount(ranks[i]) - log_discount(ranks[j]))
            weight = {
                "loss1": gains[i] * log_discount(ranks[i]),
                "loss2": (gains[i] - gains[j]) * delta,
                "loss2pp": (gains[i] - gains[j]) * (swap + mu * delta),
            }[kind]
            weight *= weights[i] / ideal
            ahead = sigma * (scores[i] - scores[j])
            chance = np.exp(-np.logaddexp(0, ahead))
            value += weight * np.logaddexp(0, -ahead)
            gradient[i] -= weight * sigma * chance
            gradient[j] += weight * sigma * chance
            curvature[[i, j]] += weight * sigma**2 * chance * (1 - chance)
    return value, gradient, curvature


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 40),
    st.sampled_from(KINDS),
    st.sampled_from([0.1, 1.0, 40.0, 3000.0]),
    st.sampled_from([None, 1, 5]),
)
def test_as_defined_pair_by_pair(seed: int, n: int, kind: str, spread: float, truncation: int | None) -> None:
    rng = np.random.default_rng(seed)
    labels, scores, weights = rng.integers(0, 4, n), spread * rng.normal(size=n), rng.random(n) + 0.1
    labels[0], labels[1] = 1, 0
    if rng.random() < 0.3:
        scores = np.rint(scores)  # ties
    truncation = None if kind == "loss1" else truncation
    options: dict[str, Any] = {"mu": 3.0, "sigma": 0.7, "truncation": truncation}
    options["truncate_both"] = truncation is not None and rng.random() < 0.5
    value, gradient, curvature = defined(kind, labels, scores, weights, **options)
    loss = losses.LambdaLoss(kind=kind, **options)
    found, own = loss(labels, scores, weights=weights)
    size = max(1e-12, float(np.abs(gradient).max()))
    assert_allclose(found[0], value, rtol=1e-10, atol=1e-13)
    assert_allclose(own, gradient, rtol=1e-9, atol=1e-11 * size)
    assert_allclose(loss.hessian_diagonal(labels, scores, weights=weights), curvature, rtol=1e-8, atol=1e-10 * size)


def test_mu_0_is_lambda_rank_and_the_sum_of_its_parts() -> None:
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, 50), rng.normal(size=50)
    swap, second = losses.LambdaRank(), losses.LambdaLoss(kind="loss2")
    for left, right in zip(losses.LambdaLoss(mu=0)(labels, scores), swap(labels, scores), strict=True):
        assert_allclose(left, right, rtol=1e-11, atol=1e-13)
    both, parts = losses.LambdaLoss(mu=2)(labels, scores), (swap(labels, scores), second(labels, scores))
    for each in (0, 1):
        assert_allclose(both[each], parts[0][each] + 2 * parts[1][each], rtol=1e-10, atol=1e-12)


def test_ndcg_loss_2_bounds_the_missing_ndcg() -> None:
    """ln 2 times the bound of the paper: 1 - NDCG <= sum of weights times log2(1 + exp(-d)), with sigma 1."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        labels, scores = rng.integers(0, 2, 15), rng.normal(size=15)
        if not labels.any():
            continue
        value = losses.LambdaLoss(kind="loss2")(labels, scores)[0][0] / np.log(2)
        order = np.argsort(-scores)
        table = 1 / np.log2(np.arange(2, 17))
        ndcg = (labels[order] * table).sum() / (np.sort(labels)[::-1] * table).sum()
        assert 1 - ndcg <= value + 1e-12


def test_scores_far_apart_overflow_only_if_their_order_is_wrong() -> None:
    for kind in KINDS:
        loss = losses.LambdaLoss(kind=kind)
        value, gradient = loss([1, 0], [1e308, -1e308])
        assert value[0] == 0
        assert gradient.tolist() == [0, 0]
        with pytest.raises(DataError, match="the loss overflows"):
            loss([0, 1], [1e308, -1e308])
        assert_allclose(loss([0, 1, 0], [1e4, 0.0, -1e4])[1].sum(), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "loss3"}, "kind"),
        ({"mu": -1}, "mu"),
        ({"discount": "linear"}, "the discount must not depend on the length of the list, got linear"),
        ({"kind": "loss1", "truncation": 3}, "a truncation is for pairs of ranks"),
        ({"truncation": 0}, "truncation"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        losses.LambdaLoss(**options)

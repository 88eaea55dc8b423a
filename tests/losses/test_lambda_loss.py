"""LambdaLoss against its definition, pair by pair."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import _native, losses
from idealrank.errors import DataError, OptionError
from idealrank.losses import lambda_loss
from idealrank.losses.lambda_loss import rank_exponentials
from idealrank.measures import discounts

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
    options: dict[str, Any] = {"mu": 3.0 if kind == "loss2pp" else 10.0, "sigma": 0.7, "truncation": truncation}
    options["truncate_both"] = truncation is not None and rng.random() < 0.5
    value, gradient, curvature = defined(kind, labels, scores, weights, **options)
    loss = losses.LambdaLoss(kind=kind, **options)
    found, own = loss(labels, scores, weights=weights)
    size = max(1e-12, float(np.abs(gradient).max()))
    assert_allclose(found[0], value, rtol=1e-10, atol=1e-13)
    assert_allclose(own, gradient, rtol=1e-9, atol=1e-11 * size)
    assert_allclose(loss.hessian_diagonal(labels, scores, weights=weights), curvature, rtol=1e-8, atol=1e-10 * size)


DISCOUNTS = ["log:2", "log:10", "zipf", "power:0.3", "power:2", "geometric:1.01", "geometric:2"]


def by_pairs(
    loss: losses.LambdaLoss, labels: Any, scores: Any, weights: Any
) -> tuple[float, tuple[Any, Any], tuple[Any, Any]]:
    """Value, gradient and curvature with the sums of the sizes of their terms, from squares of all pairs."""
    n = len(labels)
    ranks = np.empty(n, int)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, n + 1)
    gains = loss.gain(labels)
    weights_of_ranks = loss.discount(np.arange(1, n + 2))
    ideal = (np.sort(gains)[::-1] * weights_of_ranks[:n]).sum()
    apart = np.abs(ranks[:, None] - ranks)
    share = loss.mu if loss.kind == "loss2pp" else 1.0
    weighting = share * (weights_of_ranks[np.maximum(apart, 1) - 1] - weights_of_ranks[np.maximum(apart, 1)])
    if loss.kind == "loss2pp":
        weighting = weighting + np.abs(weights_of_ranks[ranks - 1][:, None] - weights_of_ranks[ranks - 1])
    weighting = np.maximum(gains[:, None] - gains, 0) * weighting * weights[:, None] / ideal
    if loss.truncation is not None:
        last = (np.maximum if loss.truncate_both else np.minimum)(ranks[:, None], ranks)
        weighting = np.where(last <= loss.truncation, weighting, 0)
    if loss.normalize == "pairs":
        weighting = weighting / (labels[:, None] > labels).sum()
    ahead = loss.sigma * (scores[:, None] - scores)
    chance = np.exp(-np.logaddexp(0, ahead))
    slopes = loss.sigma * weighting * chance
    bends = loss.sigma**2 * weighting * chance * np.exp(-np.logaddexp(0, -ahead))
    gradient, curvature = slopes.sum(0) - slopes.sum(1), bends.sum(0) + bends.sum(1)
    return (
        float((weighting * np.logaddexp(0, -ahead)).sum()),
        (gradient, slopes.sum(0) + slopes.sum(1)),
        (curvature, loss.sigma**2 * (weighting.sum(0) + weighting.sum(1))),
    )


def labels_of(kind: str, n: int, rng: np.random.Generator) -> Any:
    labels = {
        "graded": rng.choice(5, n, p=[0.5, 0.3, 0.15, 0.03, 0.02]),
        "two": rng.random(n) < 0.02,
        "distinct": 4 * rng.permutation(n) / n,
        "some": rng.integers(0, 40, n) / 10,
    }[kind].astype(float)
    labels[0], labels[-1] = 1, 0
    return labels


@pytest.fixture
def each_way(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Options of the native core, to be set: which instructions, and up to how many pairs are visited one by one."""
    way: dict[str, Any] = {}
    call: Any = _native.pairwise
    monkeypatch.setattr(_native, "pairwise", lambda *columns, **options: call(*columns, **options, **way))
    monkeypatch.setattr(lambda_loss, "_SHORT", 0)
    return way


def check_against_pairs(loss: losses.LambdaLoss, labels: Any, scores: Any, weights: Any) -> None:
    value, (gradient, slopes), (curvature, bends) = by_pairs(loss, labels, scores, weights)
    found, own = loss(labels, scores, weights=weights)
    assert_allclose(found[0], value, rtol=1e-10, atol=1e-250)
    # Rounding is at the scale of the greatest terms where those of a document are tiny.
    assert np.all(np.abs(own - gradient) <= 1e-10 * slopes + 1e-13 * np.abs(slopes).max() + 1e-250)
    bend = loss.hessian_diagonal(labels, scores, weights=weights)
    assert np.all(np.abs(bend - curvature) <= 1e-10 * curvature + 1e-13 * bends + 1e-250)
    first, second = loss.gradient_and_hessian(labels, scores, weights=weights)
    assert_array_equal(first, own)
    assert_array_equal(second, bend)


@pytest.mark.parametrize("isa", _native.isas())
@pytest.mark.parametrize("labels", ["graded", "two", "distinct", "some"])
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 400),
    st.sampled_from(["loss2", "loss2pp"]),
    st.sampled_from(DISCOUNTS),
    st.sampled_from([0.0, 1e-6, 1.0, 40.0, 3000.0]),
    st.sampled_from([0.0, 1e6]),
    st.sampled_from([{}, {"truncation": 5}, {"truncation": 30, "truncate_both": True}, {"normalize": "pairs"}]),
    st.sampled_from([0.0, 20.0]),
)
def test_sweeps_are_sums_over_pairs(
    each_way: dict[str, Any],
    isa: str,
    labels: str,
    seed: int,
    n: int,
    kind: str,
    discount: str,
    spread: float,
    offset: float,
    options: dict[str, Any],
    few: float,
) -> None:
    rng = np.random.default_rng(seed)
    scores = offset + spread * rng.normal(size=n)
    if rng.random() < 0.3:
        scores = np.rint(scores)
    mu: dict[str, Any] = {"mu": 3.0} if kind == "loss2pp" else {}
    loss = losses.LambdaLoss(kind=kind, sigma=0.7, discount=discount, **mu, **options)
    each_way.update(isa=isa, few_pairs=few)
    check_against_pairs(loss, labels_of(labels, n, rng), scores, rng.random(n) + 0.1)


@pytest.mark.parametrize("labels", ["graded", "two", "distinct"])
@pytest.mark.parametrize("discount", ["log:2", "letor", "table:1:0.9:0.9:0.2"])
def test_long_lists_are_sums_over_pairs(labels: str, discount: str) -> None:
    rng = np.random.default_rng(3)
    loss = losses.LambdaLoss(discount=discount)
    check_against_pairs(loss, labels_of(labels, 1000, rng), rng.normal(size=1000), rng.random(1000))


def test_any_number_of_threads_gives_the_same_bits() -> None:
    rng = np.random.default_rng(4)
    offsets = np.r_[0, rng.integers(300, 900, 20).cumsum()]
    labels, scores = rng.integers(0, 5, offsets[-1]), rng.normal(size=offsets[-1])
    loss = losses.LambdaLoss()
    for one, two in zip(*(loss(labels, scores, offsets, n_threads=n) for n in (1, 2)), strict=True):
        assert_array_equal(one, two)


def test_a_long_list_of_equal_scores_and_labels_that_alternate() -> None:
    """All pairs count ln 2: the sum of their weights has a closed form, of which the sweeps see every distance."""
    n = 100_000
    apart = np.arange(1, n, 2)  # of pairs with different labels
    steps = np.log(2) * np.log1p(1 / (1 + apart)) / (np.log1p(apart) * np.log(2 + apart))
    ideal = (1 / np.log2(1 + np.arange(1, n // 2 + 1))).sum()
    value, gradient = losses.LambdaLoss(kind="loss2")(np.arange(n) % 2, np.zeros(n))
    assert_allclose(value[0], np.log(2) * ((n - apart) * steps).sum() / ideal, rtol=1e-11, atol=0)
    assert_allclose(gradient.sum(), 0, atol=1e-11 * np.abs(gradient).sum())


@pytest.mark.parametrize(
    ("discount", "step"),
    [
        ("log:2", lambda d: np.log(2) * np.log1p(1 / (1 + d)) / (np.log1p(d) * np.log(2 + d))),
        ("zipf", lambda d: 1 / (d * (d + 1))),
        ("power:0.5", lambda d: d**-0.5 * -np.expm1(-0.5 * np.log1p(1 / d))),
        ("geometric:1.0001", lambda d: 1.0001**-d * (1 - 1 / 1.0001)),
    ],
)
@pytest.mark.parametrize("n", [1, 2, 100, 5000, 1_000_000])
def test_steps_are_sums_of_exponentials(discount: str, step: Callable[[Any], Any], n: int) -> None:
    found = rank_exponentials(discounts.of(discount), n)
    assert found is not None
    rates, amounts = found
    assert rates.size <= 56
    apart = np.unique(np.rint(np.geomspace(1, n, 3000)))
    assert_allclose(np.exp(-rates * (apart[:, None] - 1)) @ amounts, step(apart), rtol=3e-11, atol=0)


def test_steps_that_are_no_such_sums_are_found_out() -> None:
    late = np.r_[1 / np.log2(np.arange(2, 3000)), np.full(1000, 1 / np.log2(3001))]
    for discount in [discounts.Table([1, 0.5]), discounts.Table(late), discounts.Letor(), discounts.Power(30)]:
        assert rank_exponentials(discount, 4000) is None
    none = rank_exponentials(discounts.Power(0), 4000)
    assert none is not None
    assert [part.size for part in none] == [0, 0]


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


def test_a_discount_that_cannot_be_a_key_is_fitted_all_the_same() -> None:
    class Unhashable(discounts.Log):
        __hash__ = None  # type: ignore[assignment]

    found, expected = (rank_exponentials(each, 1000) for each in (Unhashable(), discounts.Log()))
    assert found is not None
    assert expected is not None
    assert_allclose(found, expected, rtol=1e-12)

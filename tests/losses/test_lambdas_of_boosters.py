"""LambdaRank's normalizations against the objectives that LightGBM and XGBoost have built in."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.testing import assert_allclose

from idealrank.errors import OptionError
from idealrank.losses import LambdaLoss, LambdaRank

SIZES = [12, 1, 25, 7, 40]
OFFSETS = np.concatenate([[0], np.cumsum(SIZES)])


def drawn(seed: int, n_relevant: int | None = None) -> tuple[Any, Any]:
    """Labels and scores; with ``n_relevant``, so many of each query are relevant, and no more."""
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 4, OFFSETS[-1]), rng.normal(size=OFFSETS[-1])
    if n_relevant is not None:
        labels = np.concatenate([np.where(np.arange(n) < n_relevant, 2, 0) for n in SIZES])
    return labels.astype(float), np.float32(scores).astype(float)


Leaves: TypeAlias = Callable[[float], Any]


def of_lightgbm(labels: Any, scores: Any, **params: Any) -> Leaves:
    """-g / (h + l2) of each document, by refitting a tree with a leaf per document, which least squares made."""
    lgb = pytest.importorskip("lightgbm")
    rows = np.arange(labels.size, dtype=float)[:, None]
    quiet = {"verbosity": -1, "num_threads": 1, "learning_rate": 1, "min_sum_hessian_in_leaf": 0}
    every = {"num_leaves": labels.size, "min_data_in_leaf": 1, "min_data_in_bin": 1, "max_bin": 2 * labels.size}

    def leaves(l2: float) -> Any:
        data = lgb.Dataset(rows, rows[:, 0] ** 2, params=every | quiet)
        tree = lgb.train({"objective": "regression", "boost_from_average": False, **quiet, **every}, data, 1)
        assert len({*tree.predict(rows, pred_leaf=True).ravel()}) == labels.size
        tree.params = {**tree.params, "objective": "lambdarank", "lambda_l2": l2, **params}
        return tree.refit(rows, labels, decay_rate=0, group=SIZES, init_score=scores).predict(rows, raw_score=True)

    return leaves


def of_xgboost(labels: Any, scores: Any, **params: Any) -> Leaves:
    """The same by refreshing the leaves of such a tree."""
    xgb = pytest.importorskip("xgboost")
    rows = np.arange(labels.size, dtype=float)[:, None]
    quiet = {"eta": 1, "nthread": 1, "verbosity": 0}
    every = {"lambda": 0, "min_child_weight": 0, "max_depth": 60, "tree_method": "exact"}
    tree = xgb.train({**every, **quiet}, xgb.DMatrix(rows, rows[:, 0] ** 2), 1)
    assert len({*tree.predict(xgb.DMatrix(rows), pred_leaf=True).ravel()}) == labels.size
    data = xgb.DMatrix(rows, labels)
    data.set_group(SIZES)
    data.set_base_margin(scores)
    refresh = {"process_type": "update", "updater": "refresh", "refresh_leaf": True, "objective": "rank:ndcg"}

    def leaves(l2: float) -> Any:
        made = xgb.train({"lambda": l2, **quiet, **refresh, **params}, data, 1, xgb_model=tree.copy())
        return np.float64(made.predict(data, output_margin=True)) - scores

    return leaves


def assert_the_same(
    leaves: Leaves, loss: LambdaRank, labels: Any, scores: Any, tolerance: float, factor: float = 1.0
) -> None:
    """``factor`` multiplies second derivatives."""
    gradient, curvature = loss.gradient_and_hessian(labels, scores, OFFSETS)
    for l2 in (0.01, 1.0):
        own = -gradient / (factor * curvature + l2)
        assert_allclose(leaves(l2), own, rtol=tolerance, atol=tolerance * np.abs(own).max())


@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_lightgbm(sigma: float) -> None:
    """LightGBM looks up the sigmoid in a table with a step of 5e-5; its trees are in float32 elsewhere."""
    labels, scores = drawn(0)
    params = {"sigmoid": sigma, "lambdarank_truncation_level": 100}
    plain = of_lightgbm(labels, scores, lambdarank_norm=False, **params)
    assert_the_same(plain, LambdaRank(sigma=sigma), labels, scores, 2e-4)
    normed = of_lightgbm(labels, scores, lambdarank_norm=True, **params)
    both = LambdaRank(sigma=sigma, normalize="lambdas", score_offset=0.01)
    assert_the_same(normed, both, labels, scores, 2e-4)
    for half in (LambdaRank(sigma=sigma, normalize="lambdas"), LambdaRank(sigma=sigma, score_offset=0.01)):
        with pytest.raises(AssertionError):
            assert_the_same(normed, half, labels, scores, 2e-4)


def test_lightgbm_truncated() -> None:
    """LightGBM divides by the ideal DCG of the truncation, which is that of all ranks if no more are relevant."""
    labels, scores = drawn(1, n_relevant=3)
    normed = of_lightgbm(labels, scores, lambdarank_norm=True, lambdarank_truncation_level=5)
    loss = LambdaRank(normalize="lambdas", score_offset=0.01, truncation=5)
    assert_the_same(normed, loss, labels, scores, 2e-4)


def test_equal_scores_are_not_divided_by_their_distance() -> None:
    labels, _ = drawn(2)
    scores = np.zeros_like(labels)
    found = of_lightgbm(labels, scores, lambdarank_norm=True, lambdarank_truncation_level=100)
    assert_the_same(found, LambdaRank(normalize="lambdas", score_offset=0.01), labels, scores, 2e-4)


@pytest.mark.parametrize("by_score", [False, True])
@pytest.mark.parametrize("by_lambdas", [False, True])
def test_xgboost(by_score: bool, by_lambdas: bool) -> None:
    labels, scores = drawn(3)
    params = {
        "lambdarank_pair_method": "topk",
        "lambdarank_num_pair_per_sample": 100,
        "lambdarank_score_normalization": by_score,
        "lambdarank_normalization": by_lambdas,
    }
    loss = LambdaRank(normalize="lambdas" if by_lambdas else "none", score_offset=0.01 if by_score else None)
    # It doubles second derivatives.
    assert_the_same(of_xgboost(labels, scores, **params), loss, labels, scores, 1e-5, factor=2)


def defined(loss: LambdaRank, labels: Any, scores: Any) -> tuple[float, Any, Any]:
    """Value, gradient and curvature by all pairs."""
    n = len(labels)
    order = np.argsort(-scores, kind="stable")
    places = np.empty(n, int)
    places[order] = np.arange(n)
    gains, table = 2.0**labels - 1, 1 / np.log2(np.arange(2, n + 2))
    ideal = np.sort(gains)[::-1] @ table
    ahead = scores[:, None] - scores
    weights = (gains[:, None] - gains).clip(0) * np.abs(table[places][:, None] - table[places]) / ideal
    if loss.truncation is not None:
        seen = places < loss.truncation
        weights = weights * (seen[:, None] & seen if loss.truncate_both else seen[:, None] | seen)
    if loss.score_offset is not None:
        weights = weights / (loss.score_offset + np.abs(ahead))
    chances = np.exp(-np.logaddexp(0, loss.sigma * ahead))
    lambdas = loss.sigma * weights * chances
    bends = loss.sigma * lambdas * chances.T
    total = 2 * lambdas.sum()
    share = np.log2(1 + total) / total if loss.normalize == "lambdas" and total else 1.0
    value = (weights * np.logaddexp(0, -loss.sigma * ahead)).sum()
    return share * value, share * (lambdas.sum(0) - lambdas.sum(1)), share * (bends.sum(0) + bends.sum(1))


@pytest.mark.parametrize("n", [2, 9, 40, 500])
@pytest.mark.parametrize("spread", [0.1, 3.0, 500.0])
@pytest.mark.parametrize(
    "options",
    [
        {"normalize": "lambdas"},
        {"normalize": "lambdas", "truncation": 5},
        {"truncation": 7, "truncate_both": True},
        {"normalize": "lambdas", "truncation": 300, "truncate_both": True},
        {"score_offset": 0.3, "truncation": 7, "truncate_both": True},
        {"normalize": "lambdas", "score_offset": 0.01},
    ],
)
def test_as_defined_pair_by_pair(n: int, spread: float, options: dict[str, Any]) -> None:
    """500 documents have enough pairs for sweeps."""
    rng = np.random.default_rng(n)
    labels, scores = rng.integers(0, 5, n), spread * rng.normal(size=n)
    labels[:2] = 1, 0
    loss = LambdaRank(sigma=0.7, **options)
    value, gradient, curvature = defined(loss, labels, scores)
    found, own = loss(labels, scores)
    assert_allclose(found[0], value, rtol=1e-10)
    assert_allclose(own, gradient, rtol=1e-8, atol=1e-11 * np.abs(gradient).max())
    assert_allclose(loss.hessian_diagonal(labels, scores), curvature, rtol=1e-8, atol=1e-10 * curvature.max())
    assert_allclose(loss.gradient_and_hessian(labels, scores)[0], own, rtol=1e-12)


def test_bad_options_are_refused() -> None:
    with pytest.raises(OptionError, match="truncate_both=true needs a truncation"):
        LambdaRank(truncate_both=True)
    with pytest.raises(OptionError, match="truncate_both=true needs a truncation"):
        LambdaLoss(truncate_both=True)
    with pytest.raises(OptionError, match="score_offset"):
        LambdaRank(score_offset=0)
    with pytest.raises(OptionError, match="normalize"):
        LambdaRank(normalize="log")

"""Consistent regression with regressors of four packages."""

import importlib
from typing import Any

import numpy as np
import pytest
from boosting import small_parts
from numpy.testing import assert_allclose
from oracles import discount_of, gain_of
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from idealrank import datasets, discounts, gains
from idealrank.errors import DataError
from idealrank.learners import ConsistentRegression, LeastSquaresRanker

REGRESSORS = {
    "lightgbm": ("LGBMRegressor", {"verbosity": -1, "n_jobs": 1}),
    "xgboost": ("XGBRegressor", {"n_jobs": 1}),
    "catboost": (
        "CatBoostRegressor",
        {"iterations": 50, "thread_count": 1, "silent": True, "allow_writing_files": False},
    ),
    "sklearn.ensemble": ("HistGradientBoostingRegressor", {}),
}


class Keeps(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor that shows what it was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Keeps":
        self.X_, self.y_, self.weights_ = X, y, sample_weight
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, :1]  # a column, as some do


@pytest.fixture(scope="module")
def parts() -> datasets.TrainTestData:
    return small_parts()


def target_by_hand(labels: Any, gain: gains.Gain, discount: discounts.Discount, cutoff: int | None) -> list[float]:
    worth = [gain_of(gain, label) for label in labels]
    ideal = sorted(worth, reverse=True)[:cutoff]
    norm = sum(g * discount_of(discount, rank, len(worth)) for rank, g in enumerate(ideal, 1))
    return [g / norm if norm > 0 else 0.0 for g in worth]


@pytest.mark.parametrize(
    ("gain", "discount", "cutoff"),
    [(None, discounts.Log(), None), (gains.Linear(), discounts.Zipf(), 3), (gains.Exp2(), discounts.Power(0.5), 1)],
)
def test_the_target_is_the_gain_over_the_ideal_dcg(gain: Any, discount: Any, cutoff: int | None) -> None:
    labels, qid = np.array([2, 0, 1, 0, 0, 1, 3, 2]), np.array([1, 2, 1, 2, 1, 3, 4, 4])
    X = np.arange(8.0)[:, None]
    ranker = ConsistentRegression(Keeps(), gain=gain, discount=discount, normalizer=cutoff or "dcg")
    kept = ranker.fit(X, labels, qid=qid).estimator_
    for query in (1, 2, 3, 4):
        own = np.flatnonzero(qid == query)
        expected = target_by_hand(labels[own], gain or gains.Exp2(), discount, cutoff)
        got = [kept.y_[kept.X_[:, 0] == row].item() for row in own]  # a regressor is given query after query
        assert_allclose(got, expected, rtol=1e-12, atol=0)
    assert_allclose(ranker.predict(X), np.arange(8.0), rtol=0, atol=0)


def test_weights_of_queries_become_those_of_their_documents() -> None:
    X, labels, qid = np.arange(4.0)[:, None], [1, 0, 0, 1], [1, 1, 2, 2]
    plain = ConsistentRegression(Keeps()).fit(X, labels, qid=qid).estimator_
    heavy = ConsistentRegression(Keeps()).fit(X, labels, qid=qid, query_weight=[1, 3]).estimator_
    assert plain.weights_ is None
    assert heavy.weights_.tolist() == [1, 1, 3, 3]


def test_linear_regression_finds_what_least_squares_finds(parts: datasets.TrainTestData) -> None:
    by_regression = ConsistentRegression(LinearRegression(), normalize="zscore").fit(parts.train)
    by_descent = LeastSquaresRanker(normalize="zscore", max_iter=1000).fit(parts.train)
    assert_allclose(by_regression.predict(parts.train), by_descent.predict(parts.train), rtol=0, atol=2e-4)


@pytest.mark.parametrize("package", REGRESSORS)
def test_regressors_of_every_package_become_rankers(package: str, parts: datasets.TrainTestData) -> None:
    if package != "sklearn.ensemble":
        pytest.importorskip(package)
    name, options = REGRESSORS[package]
    regressor = getattr(importlib.import_module(package), name)(**options)
    ranker = ConsistentRegression(regressor, measure="ndcg@10", n_threads=1).fit(parts.train)
    blind = ConsistentRegression(DummyRegressor(), measure="ndcg@10", n_threads=1).fit(parts.train)
    assert ranker.score(parts.test) > blind.score(parts.test) + 0.1
    assert type(ranker.estimator_) is type(regressor)
    assert ranker.estimator_ is not regressor


def test_the_default_is_that_of_scikit_learn(parts: datasets.TrainTestData) -> None:
    ranker = ConsistentRegression(n_threads=1).fit(parts.train)
    assert type(ranker.estimator_).__name__ == "HistGradientBoostingRegressor"


def test_an_error_names_the_callers_query_and_row() -> None:
    with pytest.raises(DataError, match="a gain must be finite and not negative") as caught:
        ConsistentRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1, 0, -1, 1], qid=["a", "b", "a", "b"])
    assert (caught.value.query, caught.value.row) == ("a", 2)

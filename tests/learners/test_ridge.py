"""LinearRanker() is a ridge regression of labels within queries, which other rankers are compared with."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import idealrank as ir
from idealrank import datasets, losses
from idealrank.errors import ObviousRivalWarning, OptionError
from idealrank.learners import LinearRanker, ListNet, RankNet, load, save
from idealrank.learners.linear import ridge

TRAIN, TEST = datasets.web_search(30, 25, n_features=6, seed=3)


def within(values: Any, weights: Any) -> Any:
    """Return values less the weighted mean of their query, query by query."""
    out = np.array(values, np.float64)
    for begin, end in zip(TRAIN.offsets[:-1], TRAIN.offsets[1:], strict=True):
        out[begin:end] -= np.average(out[begin:end], axis=0, weights=weights[begin:end])
    return out


@pytest.mark.parametrize("weighted", [False, True])
def test_the_weights_solve_the_normal_equations(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    documents = rng.uniform(0.5, 2, TRAIN.n_docs) if weighted else np.ones(TRAIN.n_docs)
    queries = rng.uniform(0.5, 2, TRAIN.n_queries) if weighted else np.ones(TRAIN.n_queries)
    given = {"sample_weight": documents, "query_weight": queries} if weighted else {}
    ranker = LinearRanker(l2=0.5).fit(TRAIN.features, TRAIN.labels, group=TRAIN.group_sizes, **given)
    weights = documents * np.repeat(queries, TRAIN.group_sizes)
    apart, labels = within(TRAIN.features, weights), within(TRAIN.labels, weights)
    scale = np.sqrt(weights @ apart**2 / weights.sum())
    gram = (apart / scale).T @ ((apart / scale) * weights[:, None]) / weights.sum()
    moment = (apart / scale).T @ (labels * weights) / weights.sum()
    expected = np.linalg.solve(gram + 0.5 * np.eye(scale.size), moment) / scale
    assert_allclose(ranker.coef_, expected, rtol=1e-6)
    mean = weights @ ranker.predict(TRAIN) / weights.sum()
    assert mean == pytest.approx(weights @ TRAIN.labels / weights.sum())


def test_units_and_levels_of_features_change_nothing_but_the_weights() -> None:
    factors, levels = 10.0 ** np.array([-6, 5, 0, 2, -2, 3]), np.array([0, 0, 30, 0, 5, 0])
    moved = ir.from_arrays(TRAIN.labels, offsets=TRAIN.offsets, features=(TRAIN.features + levels) * factors)
    plain, other = LinearRanker().fit(TRAIN), LinearRanker().fit(moved)
    assert plain.l2_ == other.l2_
    assert_allclose(other.coef_ * factors, plain.coef_, rtol=1e-3, atol=1e-5)


def test_a_constant_feature_has_no_weight() -> None:
    features = np.array(TRAIN.features)
    features[:, 2] = 7e6
    features[:, 3] = np.repeat(np.arange(TRAIN.n_queries), TRAIN.group_sizes)  # constant within each query
    ranker = LinearRanker().fit(features, TRAIN.labels, group=TRAIN.group_sizes)
    assert_array_equal(ranker.coef_[2:4], 0)


def test_the_penalty_is_the_best_of_queries_left_out_or_of_validation() -> None:
    noise = np.random.default_rng(0).normal(size=(TRAIN.n_docs, 150))
    noisy = ir.from_arrays(TRAIN.labels, offsets=TRAIN.offsets, features=np.hstack([np.asarray(TRAIN.features), noise]))
    assert LinearRanker().fit(noisy).l2_ > 0.05  # most of 156 features are noise, in 750 documents
    negative = ir.from_arrays(TRAIN.labels - 1, offsets=TRAIN.offsets, features=TRAIN.features)  # have no gains
    chosen = LinearRanker(measure="ndcg@5").fit(negative, eval_set=TEST)
    means = [LinearRanker(l2=l2, measure="ndcg@5").fit(TRAIN).score(TEST) for l2 in ridge.PENALTIES]
    assert chosen.l2_ == ridge.PENALTIES[ridge.best_place(np.array([means]), lower_is_better=False)[1]]
    assert chosen.loss_ == losses.LeastSquares(gain="linear")


def test_the_target_is_the_one_that_ranks_best() -> None:
    rng, sizes = np.random.default_rng(0), [20] * 100
    features = rng.normal(size=(2000, 2))
    # The first feature makes the label 4 possible; the second one decides between 0 and 1.
    rare, usual = rng.random(2000) < 0.1 * (features[:, 0] > 0), features[:, 1] > 0
    data = ir.from_arrays(np.where(rare, 4, usual), group=sizes, features=features)
    by_gain = LinearRanker(measure="ndcg@3").fit(data)
    assert by_gain.loss_ == losses.LeastSquares(normalizer="dcg")
    assert LinearRanker(measure="pairwise_error").fit(data).loss_ == losses.LeastSquares(gain="linear")
    gains = 2.0**data.labels - 1
    ideal = [ir.measures.DCG()(own, own, [0, 20])[0] for own in np.split(data.labels, 100)]
    target = gains / np.repeat(ideal, 20)
    apart = (features - np.repeat(features.reshape(100, 20, 2).mean(axis=1), 20, axis=0)).astype(np.float32)
    scale = apart.std(axis=0)
    gram, moment = (apart / scale).T @ (apart / scale) / 2000, (apart / scale).T @ target / 2000
    expected = np.linalg.solve(gram + by_gain.l2_ * np.eye(2), moment) / scale
    assert_allclose(by_gain.coef_, expected, rtol=1e-4)
    assert by_gain.predict(data).mean() == pytest.approx(target.mean())


def test_conjugate_gradients_find_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.sparse import csr_array

    exact = LinearRanker(l2=0.1).fit(TRAIN)
    monkeypatch.setattr(ridge, "MAX_FEATURES", 3)
    found = LinearRanker(l2=0.1).fit(TRAIN)
    sparse = LinearRanker(l2=0.1).fit(csr_array(TRAIN.features), TRAIN.labels, group=TRAIN.group_sizes)
    for each in (found, sparse):
        assert_allclose(each.coef_, exact.coef_, rtol=0.01, atol=1e-3 * np.abs(exact.coef_).max())
        assert each.intercept_ == pytest.approx(exact.intercept_, abs=1e-3)
    assert LinearRanker().fit(TRAIN).score(TEST) > 0.9 * exact.score(TEST)


@pytest.mark.parametrize("most", [1, 2000])
@pytest.mark.parametrize("group", [[1] * 6, [6], [3, 3]])
@pytest.mark.parametrize("labels", [[0, 1, 2, 0, 1, 2], [0] * 6])
def test_little_data_is_enough(labels: list[int], group: list[int], most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ridge, "MAX_FEATURES", most)
    features = np.random.default_rng(0).normal(size=(6, 2))
    ranker = LinearRanker(measure="ndcg(empty=skip)").fit(features, labels, group=group)
    assert np.isfinite(ranker.coef_).all()


def test_the_default_is_saved_and_loaded(tmp_path: Any) -> None:
    ranker = LinearRanker().fit(TRAIN)
    save(ranker, tmp_path / "model.json")
    assert_array_equal(load(tmp_path / "model.json").predict(TEST), ranker.predict(TEST))


def test_lambda_rank_has_an_optimizer_of_its_own() -> None:
    ranker = LinearRanker("lambda_rank").fit(TRAIN)
    assert ranker.score(TEST) > LinearRanker("pairwise_logistic").fit(TRAIN).score(TEST) - 0.03
    scaled = ir.from_arrays(TRAIN.labels, offsets=TRAIN.offsets, features=np.asarray(TRAIN.features) * 1024)
    assert_allclose(LinearRanker("lambda_rank").fit(scaled).coef_ * 1024, ranker.coef_, rtol=1e-4, atol=1e-7)
    with pytest.raises(OptionError, match="lambda_rank needs optimizer='adam' or 'sgd': 'lbfgs' requires a true loss"):
        LinearRanker("lambda_rank", optimizer="lbfgs").fit(TRAIN)


def test_lambda_rank_finds_large_weights_of_features_that_are_nearly_equal() -> None:
    rng = np.random.default_rng(0)
    both, apart = rng.normal(size=(2, 1000))
    labels = np.digitize(apart + 0.5 * rng.normal(size=1000), [0.0, 1.0])
    features = np.column_stack([both, both + 0.1 * apart])
    data = ir.from_arrays(labels, group=[20] * 50, features=features)
    slow = LinearRanker("lambda_rank", learning_rate=0.01).fit(data).score(data)
    assert LinearRanker("lambda_rank").fit(data).score(data) > 0.9 > 0.8 > slow


def drawn(n_queries: int = 60) -> tuple[ir.RankingData, ir.RankingData]:
    """Return data with labels that follow the first of four features, and not the second, which is in other units."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(n_queries * 20, 4)) * [1, 1e4, 1, 1]
    labels = np.digitize(features[:, 0] + 0.3 * rng.normal(size=features.shape[0]), [0.0, 0.7, 1.4])
    data = ir.from_arrays(labels, group=[20] * n_queries, features=features)
    return data.subset(range(n_queries // 2)), data.subset(range(n_queries // 2, n_queries))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_ranker_below_the_ridge_regression_says_so() -> None:
    train, valid = drawn()
    ranker = RankNet(optimizer="sgd", learning_rate=1e-12, max_iter=3)  # sgd leaves the features as they are
    with pytest.warns(ObviousRivalWarning, match="RankNet ranks the validation queries worse than a ridge") as seen:
        ranker.fit(train, eval_set=valid)
    assert [each.filename for each in seen if each.category is ObviousRivalWarning] == [__file__]


def test_a_ranker_as_good_as_the_ridge_regression_is_silent() -> None:
    train, valid = drawn()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ObviousRivalWarning)
        for ranker in (LinearRanker(), RankNet(), ListNet()):
            ranker.fit(train, eval_set=valid)

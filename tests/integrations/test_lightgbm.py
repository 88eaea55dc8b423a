"""LightGBM trains with our losses and reports our measures."""

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from boosting import LOSSES, N_DOCS, small_parts
from every_loss import NAMES
from numpy.testing import assert_allclose, assert_array_equal

import idealrank as ir
from idealrank import datasets, losses
from idealrank.errors import DataError, OptionError
from idealrank.integrations.lightgbm import cv_folds, metric, objective

lgb = pytest.importorskip("lightgbm")

QUIET = {"verbosity": -1, "num_threads": 1, "deterministic": True, "force_row_wise": True}


@pytest.fixture(scope="module")
def parts() -> datasets.TrainTestData:
    return small_parts()


def dataset_of(data: ir.RankingData, **options: Any) -> Any:
    return lgb.Dataset(data.features, data.labels, group=np.diff(data.offsets), params=QUIET, **options)


def trained(loss: str | losses.Loss, data: ir.RankingData, rounds: int = 10, **params: Any) -> Any:
    return lgb.train({**QUIET, "objective": objective(loss, n_threads=1), **params}, dataset_of(data), rounds)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(4)
def test_derivatives_are_those_of_the_loss(name: str, parts: datasets.TrainTestData) -> None:
    data, scores = parts.train, np.random.default_rng(0).normal(size=parts.train.n_docs)
    gradient, curvature = objective(name)(scores, dataset_of(data).construct())
    loss = ir.loss(name)
    assert gradient.dtype == curvature.dtype == np.float32
    assert_array_equal(gradient, loss(data.labels, scores, data.offsets)[1].astype(np.float32))
    assert_array_equal(curvature, loss.hessian_diagonal(data.labels, scores, data.offsets).astype(np.float32))
    assert (curvature >= 0).all()
    assert curvature.sum() > 0


def test_what_an_objective_keeps_between_trees_follows_the_data() -> None:
    labels, scores, weights = np.array([1.0, 0, 2]), np.array([0.1, 0.3, 0.2]), np.array([1.0, 2, 3])
    kept = objective("lambda_rank")

    def check(weight: Any, group: list[int]) -> None:
        fresh = objective("lambda_rank")
        for _ in range(2):
            for own, expected in zip(
                kept(labels, scores, weight, group), fresh(labels, scores, weight, group), strict=True
            ):
                assert_array_equal(own, expected)

    check(None, [3])
    labels[1] = 3  # in place
    for weight, group in ((None, [3]), (None, [1, 2]), (None, [2, 1]), (weights, [3]), (2 * weights, [3]), (None, [3])):
        check(weight, group)
    again = pickle.loads(pickle.dumps(kept))
    assert again == kept
    assert_array_equal(again(labels, scores, None, [3])[0], kept(labels, scores, None, [3])[0])


@pytest.mark.parametrize("name", LOSSES)
def test_training_lowers_the_loss(name: str, parts: datasets.TrainTestData) -> None:
    data, loss = parts.train, ir.loss(name)
    start = np.random.default_rng(0).normal(size=data.n_docs)  # cut-offs are flat where all scores are equal
    params = {**QUIET, "objective": objective(loss), "learning_rate": 0.05}
    booster = lgb.train(params, dataset_of(data, init_score=start), 10)
    before = loss(data.labels, start, data.offsets)[0].sum()
    after = loss(data.labels, start + booster.predict(data.features), data.offsets)[0].sum()
    assert after < before


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")  # older versions know no other name
def test_the_ranker_of_lightgbm_and_its_train_learn_the_same(parts: datasets.TrainTestData) -> None:
    data, group = parts.train, np.diff(parts.train.offsets)
    ranker = lgb.LGBMRanker(objective=objective("lambda_rank"), n_estimators=10, **QUIET)
    ranker.fit(data.features, data.labels, group=group, eval_set=[(data.features, data.labels)], eval_group=[group],
               eval_metric=metric("ndcg@10"))  # fmt: skip
    scores = trained("lambda_rank", data).predict(data.features)
    assert_array_equal(ranker.predict(data.features), scores)
    reported = ranker.evals_result_["training"]["ndcg@10"][-1]
    assert reported == ir.evaluate(data, scores, "ndcg@10").mean["ndcg@10"]


@pytest.mark.parametrize("like", [None, "sklearn", "lightgbm"])
@pytest.mark.parametrize(
    "name", ["ndcg@10", "ap(rel=2)", "rr(empty=skip,rel=2)", "ndcg(ties=stable)", "pairwise_error"]
)
def test_the_metric_is_what_evaluate_reports_bit_for_bit(
    name: str, like: str | None, parts: datasets.TrainTestData
) -> None:
    data = parts.test.subset(range(6))
    labels = np.where(np.arange(data.n_docs) < data.offsets[1], 0, data.labels)  # a query with nothing relevant
    seen: list[npt.NDArray[np.float64]] = []
    report = metric(name, like)

    def kept(scores: npt.NDArray[np.float64], dataset: Any) -> tuple[str, float, bool]:
        seen.append(scores.copy())
        return report(scores, dataset)

    history: dict[str, Any] = {}
    train = dataset_of(parts.train)
    test = lgb.Dataset(data.features, labels, group=np.diff(data.offsets), reference=train)
    lgb.train({**QUIET, "objective": objective("approx_ndcg")}, train, 4, valid_sets=[test], feval=kept,
              callbacks=[lgb.record_evaluation(history)])  # fmt: skip
    expected = [ir.evaluate(labels, s, name, offsets=data.offsets, like=like).mean[name] for s in seen]
    assert history["valid_0"][name] == expected
    assert len(expected) == 4


def test_early_stopping_lowers_an_error_and_raises_a_measure(parts: datasets.TrainTestData) -> None:
    train = dataset_of(parts.train)
    test = lgb.Dataset(parts.test.features, parts.test.labels, group=np.diff(parts.test.offsets), reference=train)
    for name, best in (("pairwise_error", np.argmin), ("ndcg@5", np.argmax)):
        history: dict[str, Any] = {}
        booster = lgb.train(
            {**QUIET, "objective": objective("lambda_rank")}, train, 40, valid_sets=[test], feval=metric(name),
            callbacks=[lgb.early_stopping(5, verbose=False), lgb.record_evaluation(history)],
        )  # fmt: skip
        assert booster.best_iteration - 1 == best(history["valid_0"][name])


def test_one_query_may_have_more_than_ten_thousand_documents() -> None:
    data = datasets.web_search(n_queries=1, n_docs=12_000, n_features=5).train
    scores = trained("lambda_rank", data, 5).predict(data.features)
    assert ir.evaluate(data, scores, "ndcg").mean["ndcg"] > ir.evaluate(data, np.zeros(12_000), "ndcg").mean["ndcg"]


def test_names_keep_metrics_of_one_measure_apart(parts: datasets.TrainTestData) -> None:
    train, history = dataset_of(parts.train), dict[str, Any]()
    kinds = [metric("ndcg@10", like, name=like) for like in ("sklearn", "lightgbm")]
    lgb.train(
        {**QUIET, "objective": objective("lambda_rank"), "metric": "ndcg", "eval_at": [10]}, train, 3,
        valid_sets=[dataset_of(parts.test, reference=train)], feval=[metric("ndcg@10", name="ours"), *kinds],
        callbacks=[lgb.record_evaluation(history)],
    )  # fmt: skip
    assert {name: len(values) for name, values in history["valid_0"].items()} == dict.fromkeys(
        ["ndcg@10", "ours", "sklearn", "lightgbm"], 3
    )


def test_an_unknown_convention_is_refused_before_the_first_round() -> None:
    with pytest.raises(OptionError, match="did you mean 'sklearn'"):
        metric("ndcg@10", like="sklern")


def test_group_sizes_that_are_not_whole_are_refused() -> None:
    with pytest.raises(DataError, match="group must be non-negative integers"):
        objective("lambda_rank")([1, 0, 0], [0.0, 0.0, 0.0], None, [1.5, 2.5])


@pytest.mark.parametrize("name", ["lambda_rank", "approx_ndcg", "cross_entropy(normalizer=dcg)"])
def test_documents_of_weight_two_make_a_query_count_twice(name: str, parts: datasets.TrainTestData) -> None:
    data, scores = parts.train.subset([0]), np.linspace(0, 1, N_DOCS)
    plain = objective(name)(scores, dataset_of(data).construct())
    double = objective(name)(scores, dataset_of(data, weight=np.full(N_DOCS, 2.0)).construct())
    for one, two in zip(plain, double, strict=True):
        assert_allclose(two, 2 * one, rtol=1e-6, atol=0)


def test_weights_within_a_query_are_those_of_the_loss() -> None:
    labels, scores = np.array([2.0, 1, 0, 1, 0]), np.array([0.1, 0.4, 0.2, 0.0, 0.3])
    weights = np.array([1.0, 2, 3, 0, 0])  # means 2 and 0
    gradient, curvature = objective("approx_ndcg")(labels, scores, weights, [3, 2])
    loss = losses.ApproxNDCG()
    first = 2 * loss(labels[:3], scores[:3], weights=weights[:3])[1]
    assert_allclose(gradient, [*first, 0, 0], rtol=1e-6, atol=0)
    second = 2 * loss.hessian_diagonal(labels[:3], scores[:3], weights=weights[:3])
    assert_allclose(curvature, [*second, 0, 0], rtol=1e-6, atol=0)


def test_objective_and_metric_are_values_that_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(objective("lambda_rank"))) == objective(losses.LambdaRank())
    assert pickle.loads(pickle.dumps(metric("ndcg@10", "trec_eval"))) == metric("ndcg@10", "trec_eval")


def test_a_data_set_without_groups_is_refused(parts: datasets.TrainTestData) -> None:
    data = parts.train
    alone = lgb.Dataset(data.features, data.labels, params=QUIET)
    with pytest.raises(DataError, match=r"has no groups.*group=sizes"):
        lgb.train({**QUIET, "objective": objective("lambda_rank")}, alone, 2)
    with pytest.raises(DataError, match="has no groups"):
        lgb.LGBMRegressor(objective=objective("lambda_rank"), **QUIET).fit(data.features, data.labels)
    with pytest.raises(DataError, match="has no groups"):
        metric("ndcg")([1, 0], [0.0, 0.0])


def test_group_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="must sum to the number of documents, 3, got 2"):
        objective("lambda_rank")([1, 0, 0], [0.0, 0.0, 0.0], None, [2])
    with pytest.raises(DataError, match="scores must have one entry per document: 2, got 3"):
        objective("lambda_rank")([1, 0], [0.0, 0.0, 0.0], None, [2])


def test_a_booster_that_diverges_is_told_so(parts: datasets.TrainTestData) -> None:
    with pytest.raises(DataError, match=r"a score of the booster must be .*, got .*: try a lower") as caught:
        trained("pairwise_logistic", parts.train, learning_rate=1e308)
    assert caught.value.row is not None
    assert caught.value.query == caught.value.row // N_DOCS
    with pytest.raises(DataError, match="a score must be a finite number, got inf"):
        metric("ndcg")([1, 0], [np.inf, 0.0], None, [2])


def test_labels_beyond_all_gains_are_refused(parts: datasets.TrainTestData) -> None:
    data = parts.train
    labels = np.where(np.arange(data.n_docs) == 65, 5000.0, data.labels)
    dataset = lgb.Dataset(data.features, labels, group=np.diff(data.offsets), params=QUIET)
    with pytest.raises(DataError, match="a gain must be finite") as caught:
        lgb.train({**QUIET, "objective": objective("lambda_rank")}, dataset, 2)
    assert (caught.value.query, caught.value.row) == (1, 65)


def test_derivatives_beyond_float32_are_refused() -> None:
    with pytest.raises(DataError, match="store the first derivative as float32, got -inf") as caught:
        objective("least_squares")([0, 140], [0.0, 0.0], None, [1, 1])
    assert (caught.value.query, caught.value.row) == (1, 1)


def test_a_slope_to_be_chosen_later_is_refused() -> None:
    with pytest.raises(OptionError, match="alpha=auto is chosen before a fit"):
        objective("approx_ndcg(alpha=auto)")([1, 0], [0.0, 0.0], None, [2])


def rows_of_queries(data: ir.RankingData, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    queries = np.repeat(np.arange(data.n_queries), np.diff(data.offsets))
    return np.unique(queries[rows])


def test_folds_for_cv_are_of_whole_queries_and_cover_every_row_once() -> None:
    data = ir.from_arrays(np.arange(20) % 3, group=[3, 5, 2, 4, 1, 5])
    for given in (data, data.group_sizes, [3, 5, 2, 4, 1, 5], lgb.Dataset(np.zeros((20, 1)), group=[3, 5, 2, 4, 1, 5])):
        folds = cv_folds(given, 3, seed=0)
        assert len(folds) == 3
        assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(20))
        for train, test in folds:
            assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(20))
            assert not set(rows_of_queries(data, train)) & set(rows_of_queries(data, test))
            assert len(rows_of_queries(data, test)) == 2
    first, again, other = (cv_folds(data, 3, seed=seed)[0][1].tolist() for seed in (0, 0, 1))
    assert first == again != other


@pytest.mark.parametrize(
    ("given", "n_folds", "message"),
    [
        ([3, 2], 3, "n_folds must be from 2 to the number of queries, 2; got 3"),
        ([3, 2], 1, "n_folds must be from 2 to the number of queries, 2; got 1"),
        ([3, 2], "2", "n_folds must be from 2 to the number of queries, 2; got '2'"),
        ([3.5, 2], 2, "group sizes must be whole numbers"),
        ([3, -2], 2, "group sizes must be whole numbers of at least 0"),
        (None, 2, "has no groups"),
    ],
)
def test_folds_for_cv_refuse_what_cannot_be_split(given: Any, n_folds: Any, message: str) -> None:
    with pytest.raises((OptionError, DataError), match=message):
        cv_folds(lgb.Dataset(np.zeros((5, 1))) if given is None else given, n_folds)


def test_cv_needs_folds_of_whole_queries_and_gives_the_means_of_its_folds(parts: datasets.TrainTestData) -> None:
    data = parts.train
    params = {**QUIET, "objective": objective("lambda_rank", n_threads=1)}
    # Without folds, LightGBM's cv cuts queries into pieces unless the objective is one of its own for ranking.
    with pytest.raises(DataError, match=r"only a part of the query .*lightgbm.cv.*folds=.*cv_folds"):
        lgb.cv(params, dataset_of(data), 3, nfold=3, feval=metric("ndcg@10"))
    folds = cv_folds(data, 3, seed=0)
    found = lgb.cv(params, dataset_of(data), 3, folds=folds, feval=metric("ndcg@10"))
    values = []
    for train, test in folds:
        inside, outside = (data.subset(rows_of_queries(data, rows)) for rows in (train, test))
        booster = lgb.train(params, dataset_of(data).subset(train), 3)
        assert inside.n_docs == train.size
        values.append(ir.evaluate(outside, booster.predict(outside.features), "ndcg@10").mean["ndcg@10"])
    assert_allclose(found["valid ndcg@10-mean"][-1], np.mean(values), rtol=1e-12, atol=0)


def test_a_subset_of_whole_queries_is_accepted(parts: datasets.TrainTestData) -> None:
    data = parts.train
    n = int(data.offsets[3])
    booster = lgb.train({**QUIET, "objective": objective("lambda_rank")}, dataset_of(data).subset(np.arange(n)), 3)
    assert booster.num_trees() == 3
    with pytest.raises(DataError, match="only a part of the query 3"):
        lgb.train({**QUIET, "objective": objective("lambda_rank")}, dataset_of(data).subset(np.arange(n + 1)), 3)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_the_ranker_of_lightgbm_stops_early_on_its_own_metrics_too_unless_they_are_turned_off(
    parts: datasets.TrainTestData,
) -> None:
    def metrics(**options: Any) -> dict[str, int]:
        rising = iter(range(1000))
        ranker = lgb.LGBMRanker(objective=objective("lambda_rank"), n_estimators=40, **QUIET, **options)
        ranker.fit(
            parts.train.features,
            parts.train.labels,
            group=parts.train.group_sizes,
            eval_set=[(parts.test.features, parts.test.labels)],
            eval_group=[parts.test.group_sizes],
            eval_metric=lambda labels, scores: ("rising", float(next(rising)), True),
            callbacks=[lgb.early_stopping(1, verbose=False)],
        )
        return {name: len(values) for name, values in ranker.evals_result_["valid_0"].items()}

    with_its_own = metrics()
    assert set(with_its_own) == {"rising", *(f"ndcg@{k}" for k in range(1, 6))}
    assert with_its_own["rising"] < 40
    assert metrics(metric="None") == {"rising": 40}


def test_bagging_by_query_is_refused_with_an_objective_of_ones_own(parts: datasets.TrainTestData) -> None:
    bagging = {"bagging_by_query": True, "bagging_fraction": 0.5, "bagging_freq": 1}
    with pytest.raises(OptionError, match=r"bagging_by_query: LightGBM .* no trees .*bagging_fraction"):
        trained("lambda_rank", parts.train, 3, **bagging)
    assert trained("lambda_rank", parts.train, 3, bagging_fraction=0.5, bagging_freq=1).num_trees() == 3
    # LGBMRanker passes no parameters on: nothing is learned.
    ranker = lgb.LGBMRanker(objective=objective("lambda_rank"), n_estimators=3, **QUIET, **bagging)
    ranker.fit(parts.train.features, parts.train.labels, group=parts.train.group_sizes)
    assert not ranker.predict(parts.test.features).any()

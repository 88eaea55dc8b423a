"""XGBoost trains with our losses and reports our measures."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from boosting import LOSSES, N_DOCS, small_parts
from every_loss import NAMES
from numpy.testing import assert_allclose, assert_array_equal

import idealrank as ir
from idealrank import datasets
from idealrank.errors import DataError, OptionError
from idealrank.integrations.xgboost import metric, objective

xgb = pytest.importorskip("xgboost")

PARAMS = {"nthread": 1, "min_child_weight": 1e-3, "eta": 0.1, "base_score": 0.0, "disable_default_eval_metric": True}


@pytest.fixture(scope="module")
def parts() -> datasets.TrainTestData:
    return small_parts()


def matrix_of(data: ir.RankingData, **options: Any) -> Any:
    return xgb.DMatrix(data.features, data.labels, group=np.diff(data.offsets), **options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(4)
def test_derivatives_are_those_of_the_loss(name: str, parts: datasets.TrainTestData) -> None:
    data, loss = parts.train, ir.loss(name)
    scores = np.random.default_rng(0).normal(size=data.n_docs).astype(np.float32)
    gradient, curvature = objective(name)(scores, matrix_of(data))
    assert_array_equal(gradient, loss(data.labels, scores, data.offsets)[1])
    assert_array_equal(curvature, loss.hessian_diagonal(data.labels, scores, data.offsets))


@pytest.mark.parametrize("name", LOSSES)
def test_training_lowers_the_loss(name: str, parts: datasets.TrainTestData) -> None:
    data, loss = parts.train, ir.loss(name)
    matrix = matrix_of(data)
    start = np.random.default_rng(0).normal(size=data.n_docs).astype(np.float32)
    matrix.set_base_margin(start)
    booster = xgb.train(PARAMS, matrix, 10, obj=objective(loss))
    values = [loss(data.labels, s, data.offsets)[0].sum() for s in (start, booster.predict(matrix, output_margin=True))]
    assert values[1] < values[0]


@pytest.mark.parametrize("name", ["ndcg@10", "rr(empty=skip,rel=2)", "ndcg(discount=power:0.5)@20", "pairwise_error"])
def test_the_metric_is_what_evaluate_reports(name: str, parts: datasets.TrainTestData) -> None:
    seen: list[npt.NDArray[np.float32]] = []
    reported: list[float] = []
    report = metric(name)

    def kept(scores: npt.NDArray[np.float32], matrix: Any) -> tuple[str, float]:
        seen.append(scores.copy())
        reported.append(report(scores, matrix)[1])
        return report(scores, matrix)

    history: dict[str, Any] = {}
    xgb.train(PARAMS, matrix_of(parts.train), 3, obj=objective("lambda_rank"), custom_metric=kept,
              evals=[(matrix_of(parts.test), "test")], evals_result=history, verbose_eval=False)  # fmt: skip
    assert reported == [ir.evaluate(parts.test, scores, name).mean[name] for scores in seen]
    ((shown, values),) = history["test"].items()
    assert shown == name.replace(":", "=")
    assert values == [round(value, 6) for value in reported]  # XGBoost's own text has six decimals


@pytest.mark.parametrize(("name", "best"), [("rr(rel=2)", np.argmax), ("pairwise_error", np.argmin)])
def test_early_stopping_knows_which_way_is_better(name: str, best: Any, parts: datasets.TrainTestData) -> None:
    report, history = metric(name), dict[str, Any]()
    booster = xgb.train(
        PARAMS, matrix_of(parts.train), 30, obj=objective("lambda_rank"), custom_metric=report,
        evals=[(matrix_of(parts.test), "test")], early_stopping_rounds=5, maximize=report.higher_is_better,
        evals_result=history, verbose_eval=False,
    )  # fmt: skip
    assert booster.best_iteration == best(history["test"][name])


def test_a_name_of_its_own_keeps_a_metric_apart_from_that_of_xgboost(parts: datasets.TrainTestData) -> None:
    history: dict[str, Any] = {}
    xgb.train({**PARAMS, "eval_metric": "ndcg@10"}, matrix_of(parts.train), 3, obj=objective("lambda_rank"),
              custom_metric=metric("ndcg@10", name="idealrank:ndcg@10"), evals=[(matrix_of(parts.test), "test")],
              evals_result=history, verbose_eval=False)  # fmt: skip
    assert {name: len(values) for name, values in history["test"].items()} == {"ndcg@10": 3, "idealrank=ndcg@10": 3}


def test_one_weight_a_query_multiplies_its_derivatives(parts: datasets.TrainTestData) -> None:
    data, scores = parts.train, np.zeros(parts.train.n_docs, np.float32)
    weights = np.arange(data.n_queries, dtype=np.float32)
    plain = objective("approx_ndcg")(scores, matrix_of(data))
    weighted = objective("approx_ndcg")(scores, matrix_of(data, weight=weights))
    for one, more in zip(plain, weighted, strict=True):
        assert_allclose(more, one * np.repeat(weights, N_DOCS), rtol=1e-6, atol=0)


def test_a_data_set_without_groups_is_refused(parts: datasets.TrainTestData) -> None:
    matrix = xgb.DMatrix(parts.train.features, parts.train.labels)
    with pytest.raises(DataError, match=r"has no groups.*qid="):
        xgb.train(PARAMS, matrix, 2, obj=objective("lambda_rank"))
    with pytest.raises(DataError, match=r"has no groups.*qid="):
        metric("ndcg")(np.zeros(720, np.float32), matrix)


def test_group_sizes_that_do_not_fit_are_refused(parts: datasets.TrainTestData) -> None:
    matrix = xgb.DMatrix(parts.train.features, parts.train.labels, group=[60, 60])
    with pytest.raises(DataError, match="must sum to the number of documents, 720, got 120"):
        objective("lambda_rank")(np.zeros(720), matrix)
    with pytest.raises(xgb.core.XGBoostError, match="group"):  # it notices before it asks us
        xgb.train(PARAMS, matrix, 2, obj=objective("lambda_rank"))


def test_weights_that_do_not_fit_are_refused(parts: datasets.TrainTestData) -> None:
    matrix = matrix_of(parts.train, weight=[1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="weights must have one entry per query: 12, got"):
        objective("lambda_rank")(np.zeros(720), matrix)


def test_a_booster_that_diverges_is_told_so(parts: datasets.TrainTestData) -> None:
    matrix = matrix_of(parts.train)
    with pytest.raises(DataError, match=r"a score of the booster must be .*, got .*: try a lower") as caught:
        xgb.train({**PARAMS, "eta": 1e38}, matrix, 10, obj=objective("pairwise_logistic"))
    assert caught.value.row is not None
    assert caught.value.query == caught.value.row // N_DOCS


def test_labels_beyond_all_gains_are_refused(parts: datasets.TrainTestData) -> None:
    data = parts.train
    labels = np.where(np.arange(data.n_docs) == 65, 5000.0, data.labels)
    matrix = xgb.DMatrix(data.features, labels, group=np.diff(data.offsets))
    with pytest.raises(DataError, match="a gain must be finite") as caught:
        xgb.train(PARAMS, matrix, 2, obj=objective("approx_ndcg"))
    assert (caught.value.query, caught.value.row) == (1, 65)


def test_the_ranker_of_xgboost_takes_no_objective_of_ones_own() -> None:
    with pytest.raises(ValueError, match="custom objective function not supported by XGBRanker"):
        xgb.XGBRanker(objective=objective("lambda_rank"))


def test_the_ranker_of_xgboost_would_report_another_mean(parts: datasets.TrainTestData) -> None:
    data, queries = parts.train, np.repeat(np.arange(parts.train.n_queries), parts.train.group_sizes)
    ranker = xgb.XGBRanker(n_estimators=3, eval_metric=metric("ndcg@10"))
    with pytest.raises(
        OptionError, match=r"by its number of documents.*use xgboost.train with obj= and custom_metric="
    ):
        ranker.fit(data.features, data.labels, qid=queries, eval_set=[(data.features, data.labels)], eval_qid=[queries])


def test_cv_of_xgboost_keeps_queries_whole(parts: datasets.TrainTestData) -> None:
    sizes_seen: list[list[int]] = []
    report = metric("ndcg@10")

    def kept(scores: npt.NDArray[np.float32], matrix: Any) -> tuple[str, float]:
        sizes_seen.append(np.diff(matrix.get_uint_info("group_ptr")).tolist())
        return report(scores, matrix)

    found = xgb.cv(
        PARAMS, matrix_of(parts.train), 2, nfold=3, obj=objective("lambda_rank"), custom_metric=kept, maximize=True,
        as_pandas=False,
    )  # fmt: skip
    assert len(found["test-ndcg@10-mean"]) == 2
    whole = set(parts.train.group_sizes.tolist())
    assert all(set(sizes) <= whole for sizes in sizes_seen)

"""Settings chosen on validation data, and rankers on folds: against loops written out by hand."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.errors import DataError, OptionError
from idealrank.io.letor_folds import Folds
from idealrank.learners import LinearRanker, RandomRanker, RankNet, cross_fold, tune
from idealrank.learners.search.cross_fold import CrossFold

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short

WHOLE = ir.datasets.web_search(n_queries=30, n_docs=15, seed=3).train
TRAIN, VALIDATION = WHOLE.split([0.6, 0.4], seed=1)
FOLDS = Folds.of(WHOLE.split([0.2] * 5, seed=2))
RANKER = LinearRanker("pairwise_logistic", normalize="minmax", max_iter=10)
GRID: dict[str, list[Any]] = {"loss": ["cosine", "pairwise_logistic"], "normalize": [None, "minmax", "zscore"]}


def value(ranker: Any, data: ir.RankingData, measure: str = "ndcg") -> float:
    return float(ir.evaluate(data, ranker.predict(data), measure).mean[measure])


def rows(data: ir.RankingData) -> tuple[Any, Any, Any]:
    """Arrays as scikit-learn takes them."""
    return data.features, data.labels, np.repeat(np.arange(data.n_queries), data.group_sizes)


def fitted(ranker: Any, train: ir.RankingData, validation: ir.RankingData | None = None) -> Any:
    return ranker.fit(train, eval_set=validation)


def all_fitted(train: ir.RankingData, validation: ir.RankingData) -> list[Any]:
    """A ranker for each setting of the grid."""
    return [
        fitted(LinearRanker(loss, normalize=normalize, max_iter=10), train, validation)
        for loss in GRID["loss"]
        for normalize in GRID["normalize"]
    ]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_best_setting_is_that_of_a_loop_by_hand(n_jobs: int) -> None:
    found = tune(RANKER, GRID, TRAIN, eval_set=VALIDATION, n_jobs=n_jobs)
    by_hand = [value(each, VALIDATION) for each in all_fitted(TRAIN, VALIDATION)]
    assert len(set(by_hand)) == 6
    assert_allclose(found.values, by_hand, rtol=1e-12, atol=0)
    assert found.best_value == max(found.values)
    assert found.settings[found.best_number] == found.best_settings
    assert_allclose(value(found.best, VALIDATION), found.best_value, rtol=1e-12, atol=0)
    assert found.best.get_params() == RANKER.get_params() | found.best_settings
    assert not hasattr(RANKER, "coef_")


def test_a_measure_with_a_geometric_mean_keeps_it() -> None:
    found = tune(RANKER, GRID, TRAIN, eval_set=VALIDATION, measure="gm_map")
    assert_allclose(found.best_value, value(found.best, VALIDATION, "gm_map"), rtol=1e-12, atol=0)


def test_folds_measure_each_query_once_on_a_fit_that_did_not_see_it() -> None:
    found = tune(RANKER, {"l2": [0.01, 100.0]}, WHOLE, cv=3, seed=5, n_jobs=1)
    for setting, mean in zip(found.settings, found.values, strict=True):
        values = []
        for train, test in WHOLE.folds(3, seed=5):
            ranker = fitted(LinearRanker("pairwise_logistic", normalize="minmax", max_iter=10, **setting), train)
            values.append(value(ranker, test) * test.n_queries)
        assert_allclose(mean, sum(values) / WHOLE.n_queries, rtol=1e-12, atol=0)
    again = fitted(LinearRanker("pairwise_logistic", normalize="minmax", max_iter=10, l2=found.best.l2), WHOLE)
    assert_allclose(found.best.coef_, again.coef_, rtol=0, atol=0)


def test_settings_are_drawn_at_random_by_a_seed() -> None:
    distributions = {"l2": scipy.stats.loguniform(1e-4, 1.0)}
    one, same, other = (
        tune(RANKER, distributions, TRAIN, eval_set=VALIDATION, n_iter=3, n_jobs=1, seed=seed) for seed in (1, 1, 2)
    )
    assert one.settings == same.settings != other.settings
    assert len(one.settings) == 3
    assert len(tune(RANKER, GRID, TRAIN, eval_set=VALIDATION, n_iter=4, n_jobs=1).settings) == 4
    assert len(tune(RANKER, {"l2": [1.0]}, TRAIN, eval_set=VALIDATION, n_iter=40, n_jobs=1).settings) == 1


def test_a_measure_that_shall_be_low_is() -> None:
    found = tune(RANKER, GRID, TRAIN, eval_set=VALIDATION, measure="pairwise_error", n_jobs=1)
    assert found.best_value == min(found.values) < max(found.values)
    assert found.best.measure == "pairwise_error"
    numbers = [row[-1] for row in found.table().rows]
    assert numbers == sorted(numbers)  # type: ignore[type-var]


def test_a_fit_that_diverges_loses_and_says_why() -> None:
    descent = LinearRanker("least_squares", optimizer="sgd", max_iter=3, random_state=0)
    found = tune(descent, {"learning_rate": [1e300, 1e-4]}, TRAIN, eval_set=VALIDATION, n_jobs=1)
    assert found.best_settings == {"learning_rate": 1e-4}
    assert np.isnan(found.values[0])
    assert "learning_rate of 1e+300 is too large" in str(found.table().rows[-1][-1])
    assert list(found.to_frame("pyarrow").column_names) == ["learning_rate", "ndcg", "failure"]
    with pytest.raises(DataError, match=r"no setting could be fitted.*is too large"):
        tune(descent, {"learning_rate": [1e300]}, TRAIN, eval_set=VALIDATION, n_jobs=1)


def test_weights_of_the_data_count() -> None:
    train, test = ir.datasets.web_search(10, 20, 5)
    weighted = replace(train, weights=np.where(train.labels == 2, 5.0, 1.0))
    found = tune(RankNet(max_iter=20), {"l2": [0.1]}, weighted, eval_set=test, n_jobs=1).best
    X, y, qid = rows(train)
    by_hand = RankNet(max_iter=20, l2=0.1).fit(X, y, qid=qid, eval_set=rows(test), sample_weight=weighted.weights)
    assert_allclose(found.coef_, by_hand.coef_, rtol=0, atol=0)
    on_folds = tune(RankNet(max_iter=20), {"l2": [0.1]}, weighted, cv=2, n_jobs=1).best
    whole = RankNet(max_iter=20, l2=0.1).fit(X, y, qid=qid, sample_weight=weighted.weights)
    assert_allclose(on_folds.coef_, whole.coef_, rtol=0, atol=0)


def test_arrays_do_as_well_as_ranking_data() -> None:
    one = tune(RANKER, GRID, TRAIN, eval_set=VALIDATION, n_jobs=1)
    other = tune(RANKER, GRID, rows(TRAIN), eval_set=rows(VALIDATION), n_jobs=1)
    assert_allclose(one.values, other.values, rtol=0, atol=0)


def test_progress_is_told_on_standard_error_when_asked(capfd: pytest.CaptureFixture[str]) -> None:
    tune(RANKER, {"l2": [0.1, 1.0]}, TRAIN, eval_set=VALIDATION, n_jobs=1, verbose=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "tuning LinearRanker: best ndcg 0." in " ".join(err.split())
    assert "2/2" in err


@pytest.mark.parametrize(
    ("settings", "options", "error", "what"),
    [
        (GRID, {}, OptionError, "eval_set.*or cv"),
        (GRID, {"eval_set": VALIDATION, "cv": 3}, OptionError, "not both"),
        (GRID, {"cv": 1}, DataError, "k must be from 2"),
        ([], {"cv": 2}, OptionError, "no settings"),
        (GRID, {"eval_set": rows(VALIDATION)[:2]}, DataError, "RankingData or .X, y, qid."),
        ({"l3": [1]}, {"cv": 2}, OptionError, "l3"),
        ({"l2": 1}, {"cv": 2}, OptionError, "settings"),
        ({"l2": [-1.0]}, {"cv": 2}, OptionError, "l2"),
        ({"l2": scipy.stats.uniform()}, {"cv": 2}, OptionError, "n_iter"),
        (GRID, {"cv": 2, "n_iter": 0}, OptionError, "n_iter must be 1"),
        (GRID, {"cv": 2, "measure": "ngdc"}, OptionError, "ngdc"),
    ],
)
def test_what_cannot_be_tuned_is_refused(settings: Any, options: dict[str, Any], error: Any, what: str) -> None:
    with pytest.raises(error, match=what):
        tune(RANKER, settings, TRAIN, n_jobs=1, **options)


def test_data_without_features_is_refused() -> None:
    bare = ir.from_arrays([1, 0, 1, 0], offsets=[0, 2, 4])
    with pytest.raises(DataError, match="no features"):
        tune(RANKER, GRID, bare, eval_set=bare, n_jobs=1)


@pytest.fixture(scope="module")
def found() -> CrossFold:
    rankers = {"plain": RANKER, "tuned": (RANKER, GRID), "random": RandomRanker(random_state=0)}
    return cross_fold(rankers, FOLDS, ["ndcg", "ap", "rr(empty=skip,rel=2)"], n_jobs=1)


def test_test_scores_are_those_of_the_ranker_that_validation_chose(found: CrossFold) -> None:
    assert found.n_folds == 5
    assert sorted(found.data.query_ids.tolist()) == sorted(WHOLE.query_ids.tolist())
    for number, (train, validation, test) in enumerate(FOLDS):
        candidates = all_fitted(train, validation)
        values = [value(each, validation) for each in candidates]
        best = candidates[int(np.argmax(values))]
        chosen = found.chosen["tuned"][number]
        assert chosen.settings == {"loss": best.loss, "normalize": best.normalize}
        assert_allclose(chosen.value, max(values), rtol=1e-12, atol=0)
        own = np.repeat(found.fold_of, found.data.group_sizes) == number
        assert_allclose(found.scores["tuned"][own], best.predict(test), rtol=0, atol=0)
        assert_allclose(found.fold_means("ap")["tuned"][number], value(best, test, "ap"), rtol=1e-12, atol=0)


def test_means_are_of_folds_as_letor_has_them_and_of_queries(found: CrossFold) -> None:
    for name in ("plain", "tuned", "random"):
        assert_allclose(found.mean[name]["ap"], found.fold_means("ap")[name].mean(), rtol=1e-12, atol=0)
        per_query = found.evaluations[name].per_query["ap"]
        assert_allclose(found.evaluations.mean[name]["ap"], per_query.mean(), rtol=1e-12, atol=0)
    skipping = "rr(empty=skip,rel=2)"
    values = found.evaluations["plain"].per_query[skipping]
    assert np.isnan(values).any()
    expected = [np.nanmean(values[found.fold_of == fold]) for fold in range(5)]
    assert_allclose(found.fold_means(skipping)["plain"], expected, rtol=1e-12, atol=0)
    assert found.table().header == ["ranker", "ndcg", "ap", skipping]
    assert found.table("ap").rows[0][-1] == found.mean["plain"]["ap"]
    assert repr(found).startswith("CrossFold(5 folds, 30 queries; plain ndcg 0.")


def test_rankers_on_folds_are_compared_query_by_query(found: CrossFold) -> None:
    compared = ir.compare(found.data, found.scores, ["ndcg"], baseline="random", seed=0)
    for column, name in enumerate(found.scores):
        values = found.evaluations[name].per_query["ndcg"]
        assert_allclose(compared.values["ndcg"][:, column], values, rtol=0, atol=0)
    assert compared.differences["ndcg"][0].corrected < 0.05


def test_two_processes_find_the_same(found: CrossFold) -> None:
    again = cross_fold({"tuned": (RANKER, GRID)}, FOLDS, "ndcg", n_jobs=2)
    assert_allclose(again.scores["tuned"], found.scores["tuned"], rtol=0, atol=0)


def test_other_processes_ignore_the_warnings_that_this_one_ignores() -> None:
    code = """
import warnings
from idealrank import datasets, learners
from idealrank.io.letor_folds import Folds

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    folds = Folds.of(datasets.web_search(n_queries=9, n_docs=15).train.split([1 / 3] * 3, seed=0))
    ranker = learners.LinearRanker("pairwise_logistic", max_iter=1)
    learners.cross_fold({"a": ranker}, folds, "ndcg", keep_best=False, n_jobs=2)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr == ""


def test_settings_are_selected_by_the_measure_that_is_named() -> None:
    by_error = cross_fold({"a": (RANKER, GRID)}, FOLDS[:1], "ndcg", select_by="pairwise_error", n_jobs=1)
    train, validation, _ = FOLDS[0]
    tuned = tune(RANKER, GRID, train, eval_set=validation, measure="pairwise_error", n_jobs=1)
    assert by_error.chosen["a"][0].settings == tuned.best_settings
    assert by_error.chosen["a"][0].value == tuned.best_value


def test_a_convention_that_leaves_out_queries_has_means_of_the_others() -> None:
    data = ir.from_arrays([0, 0, 1, 0, 1, 0, 1, 0], group=[2] * 4, features=np.arange(8.0).reshape(8, 1))
    first, second, third, fourth = (data.subset([query]) for query in range(4))
    test = ir.io.concatenate([first, third])
    found = cross_fold({"a": RANKER}, [(second, fourth, test)], "ap", like="trec_eval", n_jobs=1)
    assert_allclose(found.mean["a"]["ap"], found.evaluations.mean["a"]["ap"], rtol=1e-12, atol=0)


def test_folds_that_cannot_be_run_are_refused() -> None:
    with pytest.raises(DataError, match="no rankers"):
        cross_fold({}, FOLDS)
    diverging = LinearRanker("least_squares", optimizer="sgd", learning_rate=1e300, max_iter=2)
    with pytest.raises(DataError, match=r"wild could not be fitted and measured in fold 1.*is too large"):
        cross_fold({"wild": diverging}, FOLDS, n_jobs=1)
    with pytest.raises(DataError, match="a query id is repeated"):
        cross_fold({"a": RANKER}, [FOLDS[0], FOLDS[0]], n_jobs=1)


def test_validation_queries_without_a_value_are_an_error_and_no_nan() -> None:
    nothing = replace(VALIDATION, labels=np.zeros(VALIDATION.n_docs))
    ranker = RankNet(measure="ndcg(empty=skip)", max_iter=2)
    with pytest.raises(DataError, match="is anything relevant"):
        tune(ranker, {"l2": [0.1, 1.0]}, nothing, cv=2, n_jobs=1)
    with pytest.raises(DataError, match=r"in fold 1: .*is anything relevant"):
        cross_fold({"a": ranker}, [(TRAIN, nothing, TRAIN)], keep_best=False, n_jobs=1)

"""Boosted trees as a scikit-learn estimator."""

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn
import sklearn.exceptions
from boosting import LOSSES, small_parts
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

import idealrank as ir
from idealrank import datasets, learners, losses
from idealrank.errors import DataError, MissingExtraError, ObviousRivalWarning, OptionError
from idealrank.integrations.lightgbm import objective
from idealrank.learners import BoostedRanker
from idealrank.learners.trees import boosted
from idealrank.learners.trees.boosting import derivatives

lgb = pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def parts() -> datasets.TrainTestData:
    return small_parts()


def rows(data: ir.RankingData) -> tuple[Any, Any, Any]:
    """Arrays as scikit-learn takes them."""
    return data.features, data.labels, np.repeat(np.arange(data.n_queries), data.group_sizes)


#: LightGBM's own trees.
PLAIN: dict[str, Any] = {"extra_trees": False, "num_leaves": 31, "subsample": 1.0, "colsample_bytree": 1.0}


def quick(loss: Any = "lambda_rank", **options: Any) -> BoostedRanker:
    return BoostedRanker(loss, n_threads=1, **{"n_estimators": 8, **PLAIN, **options})


def test_it_is_lightgbm_with_our_objective(parts: datasets.TrainTestData) -> None:
    params = {"objective": objective("approx_ndcg"), "verbosity": -1, "num_threads": 1, "learning_rate": 0.05}
    peer = lgb.train(params, parts.train.to_lightgbm(), 8)
    assert_array_equal(quick("approx_ndcg").fit(parts.train).predict(parts.train), peer.predict(parts.train.features))


@pytest.mark.filterwarnings("ignore:.* is flat at equal scores")
@pytest.mark.parametrize("loss", LOSSES)
def test_any_loss_can_be_boosted(loss: str, parts: datasets.TrainTestData) -> None:
    ranker = quick(loss).fit(parts.train)
    assert ranker.losses_ == (losses.loss(loss),)
    assert np.isfinite(ranker.predict(parts.train)).all()


@pytest.mark.filterwarnings("ignore::idealrank.errors.ObviousRivalWarning")
@pytest.mark.parametrize(("measure", "choose"), [("ndcg@10", np.argmax), ("pairwise_error", np.argmin)])
def test_the_trees_up_to_the_best_on_validation_data_are_kept(
    measure: str, choose: Any, parts: datasets.TrainTestData
) -> None:
    options: dict[str, Any] = {"n_estimators": 30, "learning_rate": 0.3, "measure": measure, **PLAIN}
    ranker = quick(**options).fit(parts.train, eval_set=parts.test)
    without_trees, *found = [each["validation"] for each in ranker.history_]
    unranked = ir.evaluate(parts.test, np.zeros(parts.test.n_docs), [measure]).mean[measure]
    assert_allclose(without_trees, unranked, rtol=1e-12, atol=0)
    assert len(found) == 30
    reach = [min(tree, 29 - tree, 5) for tree in range(30)]
    smoothed = [np.mean(found[tree - near : tree + near + 1]) for tree, near in enumerate(reach)]
    assert ranker.best_iteration_ == ranker.booster_.num_trees() == 1 + choose(smoothed) < 26
    assert ranker.score(parts.test) == found[choose(smoothed)]

    short = quick(**options, patience=4).fit(parts.train, eval_set=parts.test)
    seen = [each["validation"] for each in short.history_[1:]]
    assert seen == found[: len(seen)]
    assert len(seen) == short.best_iteration_ + 4 or len(seen) == 30


@pytest.mark.parametrize("validates", [False, True])
def test_an_interrupt_leaves_the_best_so_far(
    validates: bool, parts: datasets.TrainTestData, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(4))

    def cut_short(*args: Any) -> Any:
        of_scores = derivatives(*args)

        def interrupted(scores: Any) -> Any:
            if next(calls, None) is None:
                raise KeyboardInterrupt
            return of_scores(scores)

        return interrupted

    monkeypatch.setattr(boosted, "derivatives", cut_short)
    ranker = quick()
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(parts.train, eval_set=parts.test if validates else None)
    assert len(ranker.history_) == (5 if validates else 0)
    assert ranker.booster_.num_trees() == ranker.best_iteration_ <= 4
    assert ranker.predict(parts.train).std() > 0


def test_without_enough_queries_to_hold_out_all_trees_are_kept(parts: datasets.TrainTestData) -> None:
    ranker = quick().fit(parts.train)
    assert (ranker.best_iteration_, ranker.history_) == (8, [])
    many = datasets.web_search(60, 20, n_features=4).train
    assert quick(holdout=None).fit(many).best_iteration_ == 8


def test_queries_held_out_choose_the_number_of_trees() -> None:
    data = datasets.web_search(60, 40, n_features=10).train
    ranker = quick(n_estimators=40, learning_rate=0.2, holdout=0.25).fit(data)
    rest, held_out = data.split([0.75, 0.25], seed=0)
    chosen = quick(n_estimators=40, learning_rate=0.2).fit(rest, eval_set=held_out)
    assert ranker.history_ == chosen.history_
    again = quick(n_estimators=chosen.best_iteration_, learning_rate=0.2, holdout=None).fit(data)
    assert 1 < ranker.best_iteration_ == chosen.best_iteration_ < 40
    assert_array_equal(ranker.predict(data), again.predict(data))


@pytest.mark.filterwarnings("ignore::idealrank.errors.ObviousRivalWarning")
@pytest.mark.parametrize("validates", [False, True])
def test_several_losses_are_the_mean_of_their_scaled_scores(
    validates: bool, parts: datasets.TrainTestData, tmp_path: Path
) -> None:
    names = ["lambda_rank", "least_squares(gain=linear)"]
    eval_set = parts.test if validates else None
    ranker = quick(names).fit(parts.train, eval_set=eval_set)
    alone = [quick(name, random_state=seed).fit(parts.train, eval_set=eval_set) for seed, name in enumerate(names)]

    def within(scores: Any) -> Any:
        rows = scores.reshape(12, -1)
        return (rows - rows.mean(axis=1, keepdims=True)).std()

    expected = np.mean([each.predict(parts.test) / within(each.predict(parts.train)) for each in alone], axis=0)
    assert_allclose(ranker.predict(parts.test), expected, rtol=1e-9, atol=1e-12)
    assert ranker.losses_ == tuple(map(losses.loss, names))
    assert ranker.best_iteration_ == ranker.booster_.num_trees() == sum(each.best_iteration_ for each in alone)
    assert ranker.best_iterations_ == tuple(each.best_iteration_ for each in alone)
    assert [each["stage"] for each in ranker.history_] == [name for name in names for _ in range(9 * validates)]
    learners.save(ranker, tmp_path / "model.json")
    loaded = learners.load(tmp_path / "model.json")
    assert isinstance(loaded, BoostedRanker)
    assert loaded.loss == "lambda_rank + least_squares(gain=linear)"
    assert_array_equal(loaded.predict(parts.test), ranker.predict(parts.test))
    assert_array_equal(
        quick(loaded.loss).fit(parts.train, eval_set=eval_set).predict(parts.test), ranker.predict(parts.test)
    )
    with pytest.raises(OptionError, match="init_model goes with one loss"):
        quick(names).fit(parts.train, init_model=ranker)
    with pytest.raises(OptionError, match="loss: expected a loss, or several, got none"):
        quick([]).fit(parts.train)


def test_defaults_can_be_repeated_and_none_draws_a_new_seed(parts: datasets.TrainTestData) -> None:
    one, same, new, other = (
        BoostedRanker(n_estimators=5, n_threads=1, **seed).fit(parts.train).predict(parts.test)
        for seed in ({}, {"random_state": 0}, {"random_state": None}, {"random_state": None})
    )
    assert_array_equal(one, same)
    assert not np.array_equal(new, other)


def test_a_warning_says_if_the_first_tree_is_the_best() -> None:
    rng = np.random.default_rng(0)
    data = ir.from_arrays(rng.integers(0, 2, 400), group=[20] * 20, features=rng.normal(size=(400, 3)))
    against = ir.from_arrays(1 - data.labels, group=[20] * 20, features=data.features)
    with pytest.warns() as caught:  # ridge regression is better too
        quick(n_estimators=20, learning_rate=0.5).fit(data, eval_set=against)
    assert caught[0].category is sklearn.exceptions.ConvergenceWarning
    assert "kept only the first tree of lambda_rank: the validation measure was best there" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_a_measure_of_the_top_that_sees_nothing_from_equal_scores_is_named(
    recwarn: pytest.WarningsRecorder,
) -> None:
    """All soft ranks are in the middle of the list, out of reach of the cutoff."""
    data = datasets.web_search(10, 40, n_features=4, seed=0).train
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match=r"is flat at equal scores for 10 of 10 queries"):
        quick("approx_ndcg(cutoff=3)", n_estimators=2, holdout=None).fit(data)
    recwarn.clear()
    start = quick("approx_ndcg", n_estimators=2, holdout=None).fit(data)  # the whole list is seen
    quick("approx_ndcg(cutoff=3)", n_estimators=2, holdout=None).fit(data, init_model=start)
    assert not list(recwarn)


def test_a_warning_says_if_ridge_regression_is_better(parts: datasets.TrainTestData) -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(2000, 5))
    labels = np.digitize(features.sum(axis=1) + 0.1 * rng.normal(size=2000), [0, 2, 4])
    data = ir.from_arrays(labels, group=[20] * 100, features=features)
    train, validation = data.split([0.5, 0.5], seed=0)
    with pytest.warns(
        ObviousRivalWarning, match="BoostedRanker ranks the validation queries worse than a ridge"
    ) as caught:
        quick(num_leaves=2, n_estimators=6).fit(train, eval_set=validation)
    assert caught[0].filename == __file__
    quick(n_estimators=60).fit(parts.train, eval_set=parts.test)  # without a warning


def test_the_score_is_what_evaluate_reports(parts: datasets.TrainTestData) -> None:
    ranker = quick(measure="ndcg@5").fit(parts.train)
    expected = ir.evaluate(parts.test, ranker.predict(parts.test), "ndcg@5").mean["ndcg@5"]
    assert_allclose(ranker.score(parts.test), expected, rtol=1e-14, atol=0)
    assert expected > ir.evaluate(parts.test, np.zeros(parts.test.n_docs), "ndcg@5").mean["ndcg@5"]


def test_rows_of_a_query_need_not_lie_together(parts: datasets.TrainTestData) -> None:
    X, y, qid = rows(parts.train)
    shuffled = np.random.default_rng(0).permutation(y.size)
    ranker = quick("cross_entropy(normalizer=dcg)").fit(X, y, qid=qid)
    mixed = quick("cross_entropy(normalizer=dcg)").fit(X[shuffled], y[shuffled], qid=qid[shuffled])
    assert_allclose(mixed.predict(X), ranker.predict(X), rtol=1e-9, atol=1e-12)


def test_group_cross_validation_and_search_route_the_queries(parts: datasets.TrainTestData) -> None:
    X, y, qid = rows(parts.train)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = {"qid": qid, "groups": qid}
        found = cross_val_score(quick(), X, y, cv=GroupKFold(3), params=routed)
        search = GridSearchCV(quick(), {"loss": ["lambda_rank", "approx_ndcg"]}, cv=GroupKFold(3), refit=False)
        search.fit(X, y, qid=qid, groups=qid)
    inside = np.isin(qid, np.unique(qid[next(iter(GroupKFold(3).split(X, y, qid)))[1]]))
    by_hand = quick().fit(X[~inside], y[~inside], qid=qid[~inside]).score(X[inside], y[inside], qid=qid[inside])
    assert found[0] == by_hand
    assert_allclose(search.cv_results_["mean_test_score"][0], found.mean(), rtol=1e-12, atol=0)


def test_seeds_matter_where_something_is_drawn(parts: datasets.TrainTestData) -> None:
    one, same, other = (
        quick(subsample=0.5, colsample_bytree=0.5, random_state=seed).fit(parts.train).predict(parts.train)
        for seed in (1, 1, 2)
    )
    assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_other_parameters_of_lightgbm_go_through(parts: datasets.TrainTestData) -> None:
    ranker = quick(params={"max_depth": 1}).fit(parts.train)
    assert {tree["num_leaves"] for tree in ranker.booster_.dump_model()["tree_info"]} == {2}


def test_weights_are_those_of_the_loss(parts: datasets.TrainTestData) -> None:
    X, y, qid = rows(parts.train)
    rng = np.random.default_rng(0)
    documents, queries = rng.random(y.size), rng.random(12)
    ranker = quick("approx_ndcg", n_estimators=1, learning_rate=1.0, num_leaves=2)
    ranker.fit(X, y, qid=qid, sample_weight=documents, query_weight=queries)
    loss, weights = losses.ApproxNDCG(), dict[str, Any](weights=documents, query_weights=queries)
    gradient = loss(y, np.zeros(y.size), parts.train.offsets, **weights)[1]
    curvature = loss.hessian_diagonal(y, np.zeros(y.size), parts.train.offsets, **weights)
    scores = ranker.predict(X)
    for value in np.unique(scores):
        leaf = scores == value
        assert_allclose(value, -gradient[leaf].sum() / curvature[leaf].sum(), rtol=1e-5, atol=0)


def test_sparse_features_stay_sparse(parts: datasets.TrainTestData) -> None:
    X, y, qid = rows(parts.train)
    X = np.where(X > 0, X, 0).astype(np.float32)
    sparse = quick().fit(scipy.sparse.csr_matrix(X), y, qid=qid)
    assert_allclose(
        sparse.predict(scipy.sparse.csr_matrix(X)), quick().fit(X, y, qid=qid).predict(X), rtol=1e-6, atol=0
    )


def test_rows_that_scikit_learn_need_not_look_at_are_scored_the_same(parts: datasets.TrainTestData) -> None:
    X, y, qid = rows(parts.train)
    ranker, few = quick().fit(X, y, qid=qid), np.ascontiguousarray(X[:50], np.float32)
    expected = ranker.booster_.predict(few)
    for same in (few, few.astype(np.float64), np.asfortranarray(few), few.tolist()):
        assert_array_equal(ranker.predict(same), expected)
    for wrong in (few[:, 1:].copy(), few[:0], few[0]):
        with pytest.raises(DataError):
            ranker.predict(wrong)


def test_features_may_be_missing(parts: datasets.TrainTestData, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y, qid = rows(parts.train)
    X = np.where(rng.random(X.shape) < 0.3, np.nan, X).astype(np.float32)
    data = ir.from_arrays(y, query_ids=qid, features=X)
    ranker = quick().fit(data)
    raw = lgb.train(
        {"objective": objective("lambda_rank", n_threads=1), **ranker._lightgbm_params(0)},
        lgb.Dataset(X, data.labels, group=data.group_sizes),
        ranker.n_estimators,
    )
    assert_allclose(ranker.predict(data), raw.predict(X), rtol=1e-12)
    learners.save(ranker, tmp_path / "model.json")
    assert_allclose(learners.load(tmp_path / "model.json").predict(data), ranker.predict(data), rtol=0, atol=0)
    X[3, 1] = np.inf
    with pytest.raises(DataError, match="got inf in column 1"):
        quick().fit(X, y, qid=qid)
    with pytest.raises(DataError, match="not NaN"):
        quick(normalize="minmax").fit(data)


@pytest.mark.filterwarnings("ignore::idealrank.errors.ObviousRivalWarning")
def test_the_text_of_the_booster_is_the_whole_model(parts: datasets.TrainTestData) -> None:
    ranker = quick().fit(parts.train, eval_set=parts.test)
    assert_array_equal(
        lgb.Booster(model_str=ranker.booster_.model_to_string()).predict(parts.train.features),
        ranker.predict(parts.train),
    )


def test_a_slope_to_be_chosen_is_chosen(parts: datasets.TrainTestData) -> None:
    assert quick("approx_ndcg(alpha=auto)").fit(parts.train).losses_ == (losses.ApproxNDCG(alpha=10.0),)


def test_what_cannot_be_is_refused(parts: datasets.TrainTestData) -> None:
    X, y, qid = rows(parts.train)
    for name, value in (("n_estimators", 0), ("num_leaves", 1), ("min_child_samples", 0), ("patience", 0)):
        with pytest.raises(OptionError, match=f"{name}: expected a whole number of at least .*, got {value}"):
            BoostedRanker().set_params(**{name: value}).fit(X, y, qid=qid)
    for name, share in (("learning_rate", 0.0), ("learning_rate", np.nan), ("subsample", 1.5), ("colsample_bytree", 0)):
        with pytest.raises(OptionError, match=f"{name}: expected a .*number above 0.*, got {share}"):
            BoostedRanker().set_params(**{name: share}).fit(X, y, qid=qid)
    with pytest.raises(
        OptionError, match="params: 'application' is not allowed: what the trees minimize is set by loss"
    ):
        quick(params={"application": "lambdarank"}).fit(X, y, qid=qid)
    with pytest.raises(OptionError, match="fit it without an eval_set"):
        quick(params={"boosting_type": "dart"}).fit(X, y, qid=qid, eval_set=(X, y, qid))
    with pytest.raises(DataError, match=r"none of the \d+ queries has a value of rr\(empty=skip\)"):
        quick(measure="rr(empty=skip)").fit(X, y, qid=qid, eval_set=(X, np.zeros(y.size), qid))
    with pytest.raises(DataError, match=r"no feature can be split: there are 30 documents.* min_child_samples=20"):
        quick().fit(X[:30], y[:30], qid=qid[:30])
    with pytest.raises(DataError, match=r"a score of the booster must be .*: try a lower learning rate"):
        quick(learning_rate=1e308).fit(X, y, qid=qid)


def test_an_error_names_the_callers_query_and_row(parts: datasets.TrainTestData) -> None:
    X, y, _ = rows(parts.train)
    names = np.array([f"q{number % 7}" for number in range(y.size)])  # rows of a query do not lie together
    with pytest.raises(DataError, match="a gain must be finite") as caught:
        quick().fit(X, np.where(np.arange(y.size) == 100, 5000, y), qid=names)
    assert (caught.value.query, caught.value.row) == ("q2", 100)


def test_without_lightgbm_the_error_names_the_pip_command(
    parts: datasets.TrainTestData, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name == "lightgbm":
            raise ModuleNotFoundError("No module named 'lightgbm'", name="lightgbm")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtraError, match=r"pip install 'idealrank\[lightgbm\]'"):
        quick().fit(parts.train)

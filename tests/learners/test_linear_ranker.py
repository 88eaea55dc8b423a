"""Linear rankers: what they minimise, what they keep, and how they take data."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

import idealrank as ir
from idealrank import losses
from idealrank.errors import DataError, OptionError
from idealrank.learners import LinearRanker
from idealrank.learners.features import features_of
from idealrank.learners.linear.objective import LinearObjective
from idealrank.learners.linear.query_blocks import QueryBlock

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short


def made(n_queries: int = 30, n_features: int = 6, seed: int = 0) -> tuple[Any, Any, Any]:
    """Features on wild scales that shift from query to query; labels follow two of them."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 15, n_queries)
    qid = np.repeat(rng.permutation(n_queries), sizes)
    inside = rng.random((qid.size, n_features))
    labels = np.digitize(2 * inside[:, 0] - inside[:, 1] + 0.3 * rng.normal(size=qid.size), [0.3, 1.0])
    scales = rng.lognormal(0, 2, (n_queries, n_features))
    shifts = rng.normal(size=(n_queries, n_features)) * 10
    return (inside * scales[qid] + shifts[qid]).astype(np.float32), labels, qid


def normalised(X: Any, qid: Any, kind: str) -> Any:
    out = np.zeros(X.shape)
    for query in np.unique(qid):
        own = X[qid == query].astype(float)
        low = own.min(axis=0) if kind == "minmax" else own.mean(axis=0)
        spread = np.ptp(own, axis=0) if kind == "minmax" else own.std(axis=0)
        out[qid == query] = np.divide(own - low, spread, out=np.zeros_like(own), where=spread > 0)
    return out


@pytest.mark.parametrize("kind", [None, "minmax", "zscore"])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_products_are_those_of_a_normalised_copy(kind: str | None, n_threads: int) -> None:
    X, y, qid = made()
    shuffled = np.random.default_rng(1).permutation(qid.size)
    data = ir.from_arrays(y[shuffled], query_ids=qid[shuffled], features=X[shuffled])
    expected = X[shuffled].astype(float) if kind is None else normalised(X[shuffled], qid[shuffled], kind)
    rng = np.random.default_rng(2)
    weights, by_score = rng.normal(size=6), rng.normal(size=qid.size)
    features = features_of(data, kind, n_threads)
    assert_allclose(data.to_input(features.scores(weights)), expected @ weights, rtol=0, atol=2e-5)
    assert_allclose(features.gradient(data.to_grouped(by_score)), expected.T @ by_score, rtol=1e-5, atol=2e-4)


def test_a_constant_feature_counts_for_nothing() -> None:
    X, y, qid = made()
    X[:, 3] = 1e6 + 0.1
    for kind in ("minmax", "zscore"):
        features = features_of(ir.from_arrays(y, query_ids=qid, features=X), kind, 1)
        assert (features.scores(np.eye(6)[3]) == 0).all()


@pytest.mark.parametrize("loss", ["pairwise_logistic", "cross_entropy(normalizer=dcg)", "approx_ndcg"])
def test_the_gradient_of_the_objective_is_its_slope(loss: str) -> None:
    X, y, qid = made()
    data = ir.from_arrays(y, query_ids=qid, features=X)
    weighted = replace(data, query_weights=np.random.default_rng(3).random(data.n_queries))
    objective = LinearObjective(QueryBlock.of(weighted, "minmax", 1), losses.loss(loss), lambda _: 0.5)
    w = np.random.default_rng(4).normal(size=7)
    for j in range(7):
        step = np.eye(7)[j] * 1e-5
        slope = (objective(w + step)[0] - objective(w - step)[0]) / 2e-5
        assert_allclose(objective(w)[1][j], slope, rtol=1e-5, atol=1e-7)
    alone = [query(w)[0] for query in objective.queries()]
    assert_allclose(objective(w)[0], np.mean(alone), rtol=1e-12, atol=0)
    for each in (objective, *objective.queries(), replace(objective, has_intercept=False)):
        assert_allclose(each.gradient(w), each(w)[1], rtol=1e-12, atol=1e-15)
    assert replace(objective, has_intercept=False).gradient(w)[-1] == 0


def test_logistic_pairs_are_fitted_as_by_logistic_regression_on_differences() -> None:
    from sklearn.linear_model import LogisticRegression

    X, y, qid = made(n_queries=8)
    Xn = normalised(X, qid, "minmax")
    pairs = [(i, j) for i in range(y.size) for j in range(y.size) if qid[i] == qid[j] and y[i] > y[j]]
    differences = np.array([Xn[i] - Xn[j] for i, j in pairs])
    both, signs = np.concatenate([differences, -differences]), np.repeat([1, 0], len(pairs))
    n_queries, l2 = 8, 0.1
    peer = LogisticRegression(C=1 / (2 * l2 * n_queries), fit_intercept=False, tol=1e-10, max_iter=10_000).fit(
        both, signs
    )
    ranker = LinearRanker("pairwise_logistic", normalize="minmax", l2=l2, max_iter=1000).fit(X, y, qid=qid)
    assert_allclose(ranker.coef_, peer.coef_[0], rtol=0, atol=2e-3)


def test_rows_may_come_in_any_order() -> None:
    X, y, qid = made()
    shuffled = np.random.default_rng(5).permutation(qid.size)
    straight = LinearRanker("pairwise_logistic", normalize="minmax", l2=0.1).fit(X, y, qid=qid)
    mixed = LinearRanker("pairwise_logistic", normalize="minmax", l2=0.1).fit(
        X[shuffled], y[shuffled], qid=qid[shuffled]
    )
    assert_allclose(mixed.coef_, straight.coef_, rtol=0, atol=1e-4)
    assert_allclose(straight.predict(X[shuffled], qid[shuffled]), straight.predict(X, qid)[shuffled], rtol=0, atol=0)


def test_stochastic_descent_is_algorithm_1() -> None:
    """Theta after each epoch in a fixed order, from the specification of Qin et al. 2008."""
    first = np.array([[0.2, -1, 0.5], [1, 0.3, -0.4], [-0.7, 0.8, 0.1], [0.5, 0.5, 1]])
    second = np.array([[1.0, 0, 0], [0, 1, 0], [0.5, 0.5, -1]])
    X, qid, y = np.concatenate([first, second]), [1] * 4 + [2] * 3, [2, 0, 1, 3, 0, 2, 1]
    data = ir.from_arrays(y, query_ids=qid, features=X)
    part = QueryBlock.of(data, n_threads=1)
    first_query, second_query = LinearObjective(part, losses.ApproxNDCG(alpha=2.0), lambda _: 0.0).queries()
    theta = np.array([0.1, 0.1, 0.1, 0.0])
    thetas = []
    for _ in range(3):
        for query in (first_query, second_query):
            theta = theta - 0.01 * query(theta)[1]
        thetas.append(theta[:3])
    assert_allclose(thetas[0], [0.099042289047, 0.101379708373, 0.102009670625], rtol=0, atol=1e-8)
    assert_allclose(thetas[2], [0.097120550905, 0.104156695802, 0.106046056178], rtol=0, atol=1e-8)


def test_stochastic_descent_weighs_queries() -> None:
    """A step of a query with weight 0 moves nothing, and two equal weights are like none."""
    X, y, qid = made(n_queries=2)
    first = qid == qid[0]
    descent = LinearRanker("pairwise_logistic", optimizer="sgd", max_iter=4)
    twice_as_far = clone(descent).set_params(learning_rate=0.02).fit(X[first], y[first], qid=qid[first])
    only_the_first = clone(descent).fit(X, y, qid=qid, query_weight=[3.0, 0.0])
    assert_allclose(only_the_first.coef_, twice_as_far.coef_, rtol=1e-12, atol=0)
    seeded = clone(descent).set_params(random_state=1)
    evenly, plainly = clone(seeded).fit(X, y, qid=qid, query_weight=[3.0, 3.0]), clone(seeded).fit(X, y, qid=qid)
    assert_allclose(evenly.coef_, plainly.coef_, rtol=1e-12, atol=0)


@pytest.mark.parametrize("optimizer", ["lbfgs", "sgd"])
def test_the_best_iteration_on_validation_data_is_kept(optimizer: str) -> None:
    X, y, qid = made()
    valid = made(10, seed=9)
    ranker = LinearRanker("approx_ndcg", normalize="minmax", optimizer=optimizer, max_iter=15, random_state=0)
    ranker.fit(X, y, qid=qid, eval_set=valid)
    found = [each["validation"] for each in ranker.history_]
    assert ranker.best_iteration_ == int(np.argmax(found))
    assert_allclose(ranker.score(valid[0], valid[1], qid=valid[2]), max(found), rtol=1e-12, atol=0)
    assert max(found) > found[0]


def test_patience_ends_a_fit_and_a_seed_repeats_it() -> None:
    X, y, qid = made()
    options: dict[str, Any] = {"normalize": "minmax", "optimizer": "sgd", "max_iter": 50, "random_state": 3}
    long = LinearRanker("approx_ndcg", **options).fit(X, y, qid=qid, eval_set=made(10, seed=9))
    short = LinearRanker("approx_ndcg", **options, patience=3).fit(X, y, qid=qid, eval_set=made(10, seed=9))
    assert len(short.history_) == short.best_iteration_ + 4 <= len(long.history_)
    assert short.history_ == long.history_[: len(short.history_)]


def test_an_interrupt_leaves_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, qid = made()
    calls = []

    def interrupted(self: LinearObjective, parameters: Any) -> Any:
        calls.append(parameters)
        if len(calls) > 6:
            raise KeyboardInterrupt
        return plain(self, parameters)

    plain = LinearObjective.__call__
    monkeypatch.setattr(LinearObjective, "__call__", interrupted)
    ranker = LinearRanker("pairwise_logistic", normalize="minmax")
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(X, y, qid=qid)
    assert len(ranker.history_) > 1
    assert ranker.predict(X, qid).std() > 0


def test_weights_count_like_repeated_queries_and_documents() -> None:
    X, y, qid = made(n_queries=6)
    first = qid == qid[0]
    doubled = [
        np.concatenate([part, extra]) for part, extra in ((X, X[first]), (y, y[first]), (qid, np.full(first.sum(), 99)))
    ]
    options: dict[str, Any] = {"normalize": "minmax", "l2": 0.1, "max_iter": 500}
    twice = LinearRanker("pairwise_logistic", **options).fit(doubled[0], doubled[1], qid=doubled[2])
    order = list(dict.fromkeys(qid))
    weighted = LinearRanker("pairwise_logistic", **options).fit(
        X, y, qid=qid, query_weight=[2.0 if q == qid[0] else 1.0 for q in order]
    )
    assert_allclose(weighted.coef_, twice.coef_, rtol=0, atol=1e-3)
    masked = LinearRanker("pairwise_logistic", **options).fit(X, y, qid=qid, sample_weight=np.where(first, 0.0, 1.0))
    without = LinearRanker("pairwise_logistic", **options).fit(
        X, y, qid=qid, query_weight=[0.0 if q == qid[0] else 6 / 5 for q in order]
    )
    assert masked.coef_ @ without.coef_ > 0.99 * np.linalg.norm(masked.coef_) * np.linalg.norm(without.coef_)


def test_sparse_features_give_what_dense_ones_do() -> None:
    X, y, qid = made()
    X = np.where(X > 0, X, 0)
    dense = LinearRanker("cross_entropy(normalizer=dcg)", l2=1.0).fit(X, y, qid=qid)
    sparse = LinearRanker("cross_entropy(normalizer=dcg)", l2=1.0).fit(scipy.sparse.csr_array(X), y, qid=qid)
    assert_allclose(sparse.coef_, dense.coef_, rtol=0, atol=1e-4)
    with pytest.raises(DataError, match="sparse"):
        LinearRanker(normalize="minmax").fit(scipy.sparse.csr_array(X), y, qid=qid)


def test_it_is_an_estimator_like_others() -> None:
    X, y, qid = made()
    ranker = LinearRanker("hinge", normalize="zscore", l2=0.5)
    copy = clone(ranker).set_params(l2=0.25)
    assert (ranker.get_params()["l2"], copy.get_params()["l2"]) == (0.5, 0.25)
    fitted = ranker.fit(X, y, qid=qid)
    again = pickle.loads(pickle.dumps(fitted))
    assert_allclose(again.predict(X, qid), fitted.predict(X, qid), rtol=0, atol=0)
    assert "loss='hinge'" in repr(ranker)
    went_on = LinearRanker("pairwise_logistic", normalize="minmax", warm_start=True, max_iter=3).fit(X, y, qid=qid)
    before = went_on.history_[-1]["loss"]
    assert went_on.fit(X, y, qid=qid).history_[0]["loss"] <= before


@pytest.mark.parametrize(
    ("options", "changes", "error", "what"),
    [
        ({"optimizer": "newton"}, {}, OptionError, "newton"),
        ({"normalize": "log"}, {}, OptionError, "log"),
        ({"l2": -1}, {}, OptionError, "l2"),
        ({"max_iter": 0}, {}, OptionError, "max_iter"),
        ({"patience": 0}, {}, OptionError, "patience"),
        ({"random_state": -1}, {}, OptionError, "random_state"),
        ({"loss": "magic"}, {}, OptionError, "magic"),
        ({"loss": 1}, {}, OptionError, "got 1"),
        ({}, {"X": np.full((4, 2), np.nan)}, DataError, "column 0"),
        ({}, {"qid": [1, 1]}, DataError, "query_ids"),
        ({}, {"y": [1, 0]}, DataError, "document"),
        ({"optimizer": "sgd", "learning_rate": 1e300, "loss": "least_squares"}, {}, DataError, "learning_rate"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    options: dict[str, Any], changes: dict[str, Any], error: Any, what: str
) -> None:
    data = {"X": np.eye(4, 2), "y": [1, 0, 1, 0], "qid": [1, 1, 2, 2], **changes}
    with pytest.raises(error, match=what):
        LinearRanker(**options).fit(data["X"], data["y"], qid=data["qid"])


def test_scoring_needs_queries_and_the_same_features() -> None:
    X, y, qid = made()
    ranker = LinearRanker(normalize="minmax").fit(X, y, qid=qid)
    with pytest.raises(DataError, match="qid"):
        ranker.predict(X)
    with pytest.raises(DataError, match="5 features, but LinearRanker is expecting 6"):
        ranker.predict(X[:, :5], qid)


def test_labels_that_are_all_equal_leave_the_weights_at_0() -> None:
    X, _, qid = made()
    ranker = LinearRanker("pairwise_logistic").fit(X, np.ones(qid.size), qid=qid)
    assert (ranker.coef_ == 0).all()


class OneList(LinearRanker):
    """A ranker of rows that are all one query: what scikit-learn's own checks can call."""

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> "OneList":  # type: ignore[override]
        return super().fit(X, y, qid=np.zeros(_num_samples(X)), sample_weight=sample_weight)

    def predict(self, X: Any) -> Any:  # type: ignore[override]
        return super().predict(X)

    def score(self, X: Any, y: Any) -> float:  # type: ignore[override]
        return super().score(X, y, qid=np.zeros(_num_samples(X)))


def test_scikit_learns_own_checks_pass() -> None:
    from sklearn.utils.estimator_checks import check_estimator

    different_by_nature = {
        "check_sample_weight_equivalence_on_dense_data": "a document without weight is still ranked",
        "check_sample_weight_equivalence_on_sparse_data": "a document without weight is still ranked",
    }
    found = check_estimator(OneList(max_iter=20), expected_failed_checks=different_by_nature, on_skip=None)
    assert len(found) > 30


@pytest.mark.slow
def test_queries_find_their_way_through_a_grid_search_and_a_pipeline() -> None:
    import sklearn
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, qid = made()
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = LinearRanker("pairwise_logistic", normalize="minmax", max_iter=20)
        search = GridSearchCV(ranker, {"l2": [0.01, 100.0]}, cv=GroupKFold(3), n_jobs=2)
        search.fit(X, y, qid=qid, groups=qid)
        assert search.best_params_ == {"l2": 0.01}
        assert search.best_estimator_.predict(X, qid=qid).shape == (y.size,)
        piped = make_pipeline(StandardScaler(), ranker)
        means = [each.fit(X, y, qid=qid).score(X, y, qid=qid) for each in (piped, ranker)]
        assert_allclose(means[0], means[1], rtol=0, atol=0.02)
        means = cross_val_score(
            piped, X, y, scoring=ir.scorer("ndcg"), cv=GroupKFold(3), params={"qid": qid, "groups": qid}
        )
        direct = cross_val_score(ranker, X, y, cv=GroupKFold(3), params={"qid": qid, "groups": qid})
        assert_allclose(means, direct, rtol=0, atol=0.02)


@pytest.mark.parametrize("scoring", [None, "ndcg"])
def test_a_search_without_routing_says_what_to_do(scoring: str | None) -> None:
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

    X, y, qid = made()
    ranker = LinearRanker("pairwise_logistic", max_iter=2)
    scorer = None if scoring is None else ir.scorer(scoring)
    options: dict[str, Any] = {"cv": GroupKFold(2), "scoring": scorer, "refit": False}
    cure = r"sklearn\.set_config\(enable_metadata_routing=True\)"
    settings = {"l2": [0.01, 100.0]}
    # scikit-learn passes qid to fit only: the fits succeed, and it would make NaN of the errors of the scores.
    with pytest.raises(ValueError, match=cure):
        GridSearchCV(ranker, settings, **options).fit(X, y, qid=qid, groups=qid)
    several = options | {"scoring": {"ndcg": ir.scorer("ndcg"), "ap": ir.scorer("ap")}}
    with pytest.raises(ValueError, match=cure):
        GridSearchCV(ranker, settings, **several).fit(X, y, qid=qid, groups=qid)
    with pytest.raises(DataError, match=cure):
        ranker.fit(X, y, qid=qid).score(X, y)
    with pytest.raises(DataError, match=cure):
        GridSearchCV(ranker, settings, error_score="raise", **options).fit(X, y, qid=qid, groups=qid)
    # No fit succeeds.
    with pytest.raises(ValueError, match=cure):
        cross_val_score(ranker, X, y, groups=qid, cv=GroupKFold(2), scoring=scorer)


def test_names_of_features_must_be_those_of_the_fit() -> None:
    pandas = pytest.importorskip("pandas")
    X, y, qid = made()
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    ranker = LinearRanker(normalize="minmax").fit(frame, y, qid=qid)
    assert ranker.feature_names_in_.tolist() == list("abcdef")
    assert_allclose(ranker.predict(frame, qid), ranker.predict(frame.copy(), qid), rtol=0, atol=0)
    with pytest.raises(DataError, match="feature names"):
        ranker.predict(frame[list("fedcba")], qid)

"""What holds for every learner."""

import pickle
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from idealrank import learners, losses
from idealrank.errors import DataError, OptionError
from idealrank.learners.learner_names import LEARNERS as REGISTERED

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short

LEARNERS = [
    each for each in REGISTERED.members().values() if each is not learners.BoostedRanker or find_spec("lightgbm")
]
NAMED = {
    learners.ListNet: "cross_entropy",
    learners.RankCosine: "cosine",
    learners.RankNet: "pairwise_logistic",
    learners.LeastSquaresRanker: "least_squares(normalizer=dcg)",
    learners.ApproxNDCGRanker: "approx_ndcg",
    learners.ApproxAPRanker: "approx_ap",
    learners.SoftRank: "soft_ndcg",
}


def made(n_queries: int = 12, seed: int = 0) -> tuple[Any, Any, Any]:
    """Five features, the first of which is the label but for noise."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), 9)
    labels = rng.integers(0, 3, qid.size)
    X = rng.normal(size=(qid.size, 5)).astype(np.float32)
    X[:, 0] = labels + 0.5 * rng.normal(size=qid.size)
    return X, labels, qid


@pytest.mark.parametrize("cls", LEARNERS)
def test_a_learner_learns_and_can_be_copied_and_sent(cls: Any) -> None:
    X, y, qid = made()
    ranker = cls(n_threads=1)  # for so little data, threads of other packages would wait for one another
    if "random_state" in ranker.get_params():
        ranker.set_params(random_state=1)
    assert "normalize" in ranker.get_params()
    ranker.fit(X, y, qid=qid, eval_set=made(5, seed=1))
    again = pickle.loads(pickle.dumps(ranker))
    assert_allclose(again.predict(X, qid), ranker.predict(X, qid), rtol=0, atol=0)
    if cls is not learners.RandomRanker:
        assert ranker.score(X, y, qid=qid) > 0.85
    copy = clone(ranker).fit(X, y, qid=qid, eval_set=made(5, seed=1))
    assert_allclose(copy.predict(X, qid), ranker.predict(X, qid), rtol=0, atol=0)


@pytest.mark.parametrize("cls", [each for each in LEARNERS if each is not learners.RandomRanker])
def test_rows_come_back_in_the_callers_order(cls: Any) -> None:
    X, y, qid = made()
    shuffled = np.random.default_rng(5).permutation(qid.size)
    ranker = cls(normalize="zscore", n_threads=1).fit(X, y, qid=qid)
    assert_allclose(ranker.predict(X[shuffled], qid[shuffled]), ranker.predict(X, qid)[shuffled], rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    "cls", [*LEARNERS, learners.FactorRanker, learners.ItemRegression, learners.HistoryFactors, learners.HistoryRanker]
)
def test_every_option_is_checked_before_a_fit(cls: Any) -> None:
    for name in cls().get_params(deep=False):
        with pytest.raises(OptionError, match=rf"\b{name}\b"):
            cls(**{name: object()}).check_options()


@pytest.mark.parametrize("cls", LEARNERS)
def test_bad_features_and_options_are_refused_by_all(cls: Any) -> None:
    X, y, qid = made()
    with pytest.raises(OptionError, match="normalize"):
        cls(normalize="log").fit(X, y, qid=qid)
    if cls is not learners.BoostedRanker:  # its trees have a side for missing values
        with pytest.raises(DataError, match="column 2"):
            cls().fit(np.where(np.arange(5) == 2, np.nan, X), y, qid=qid)
    broken = cls()
    with pytest.raises(DataError, match=r"got inf in column 1.*float32"):
        broken.fit(np.where(np.arange(5) == 1, 1e300, X.astype(np.float64)), y, qid=qid)
    with pytest.raises(NotFittedError):
        broken.predict(X)
    with pytest.raises(DataError, match=r"4 features, but .* is expecting 5"):
        cls(n_threads=1).fit(X, y, qid=qid).predict(X[:, :4])


@pytest.mark.parametrize("cls", [learners.AdaRank, learners.BoostedRanker, learners.SoftRank, learners.SVMNDCG])
def test_an_error_in_the_labels_names_the_callers_query_and_row(cls: Any) -> None:
    X, _, qid = made()
    shuffled = np.random.default_rng(5).permutation(qid.size)
    labels = np.where(shuffled == 40, 5000, 0)
    if cls is learners.BoostedRanker:
        pytest.importorskip("lightgbm")
    with pytest.raises(DataError, match=r"5000|inf") as caught:
        cls(n_threads=1).fit(X[shuffled], labels, qid=[f"q{number}" for number in qid[shuffled]])
    assert (caught.value.query, caught.value.row) == ("q4", int(np.argmax(labels)))


VALIDATION: dict[str, Any] = {
    "without queries": (lambda X, y, qid: (X, y), "beside \\(X, y\\), give eval_qid or eval_group"),
    "a list of two": (lambda X, y, qid: [(X, y, qid), (X, y, qid)], "one set of validation data, got a list of 2"),
    "a list of none": (lambda X, y, qid: [], "eval_set is RankingData or \\(X, y, qid\\), got tuple"),
    "a list of one without queries": (lambda X, y, qid: [(X, y)], "beside \\(X, y\\), give eval_qid or eval_group"),
    "no queries": (lambda X, y, qid: (X, y, None), "the label and the query of each row"),
    "no labels": (lambda X, y, qid: (X, None, qid), "the label and the query of each row"),
    "other features": (lambda X, y, qid: (X[:, :3], y, qid), "3 features"),
}


@pytest.mark.parametrize("given", VALIDATION)
def test_validation_data_must_be_rows_labels_and_queries(given: str) -> None:
    change, what = VALIDATION[given]
    with pytest.raises(DataError, match=what):
        learners.RankNet().fit(*made()[:2], qid=made()[2], eval_set=change(*made(3)))


@pytest.mark.parametrize("cls", NAMED)
def test_a_named_learner_is_its_loss(cls: Any) -> None:
    X, y, qid = made()
    named = cls(max_iter=10).fit(X, y, qid=qid)
    assert named.loss_ == losses.loss(NAMED[cls])
    assert_allclose(
        named.coef_, learners.LinearRanker(NAMED[cls], max_iter=10).fit(X, y, qid=qid).coef_, rtol=0, atol=0
    )


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_ranksvm_finds_what_linear_svc_finds_on_explicit_pairs(loss: str, C: float) -> None:  # noqa: N803
    from sklearn.svm import LinearSVC

    X, y, qid = made()
    better, worse = np.nonzero((qid[:, None] == qid) & (y[:, None] > y))
    pairs = (X[better] - X[worse]).astype(float)
    signs = np.where(np.arange(len(pairs)) % 2, 1, -1)  # LinearSVC wants two classes: half of the pairs turn round

    def primal(w: Any) -> float:
        short = np.maximum(0, 1 - pairs @ w)
        return float(w @ w / 2 + C * (short @ short if loss == "squared_hinge" else short.sum()))

    peer = LinearSVC(loss=loss, C=C, fit_intercept=False, tol=1e-8, max_iter=200_000)
    ours = learners.RankSVM(C=C, loss=loss, max_iter=1000).fit(X, y, qid=qid)
    assert primal(ours.coef_) <= primal(peer.fit(pairs * signs[:, None], signs).coef_[0]) * (1 + 1e-6)


def test_a_loss_that_is_not_convex_is_fitted_in_stages_that_sharpen() -> None:
    X, y, qid = made()
    ranker = learners.ApproxNDCGRanker(alpha=30.0, max_iter=20).fit(X, y, qid=qid)
    stages = list(dict.fromkeys(each["stage"] for each in ranker.history_))
    assert stages == ["approx_ndcg", "approx_ndcg(alpha=30)", "pairwise_logistic"]
    asked = [place for place, each in enumerate(ranker.history_) if each["stage"] == "approx_ndcg(alpha=30)"]
    assert ranker.best_iteration_ == min(asked, key=lambda place: ranker.history_[place]["loss"])
    once = learners.ApproxNDCGRanker(alpha=30.0, max_iter=20, continuation=False).fit(X, y, qid=qid)
    assert {each["stage"] for each in once.history_} == {"approx_ndcg(alpha=30)"}
    assert ranker.history_[ranker.best_iteration_]["loss"] <= once.history_[once.best_iteration_]["loss"] + 1e-3


def test_a_verbose_fit_shows_a_bar_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    X, y, qid = made()
    learners.ListNet(verbose=True, max_iter=5).fit(X, y, qid=qid, eval_set=made(5, seed=1))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "cross_entropy" in printed.err


def test_lambda_rank_is_for_descent() -> None:
    X, y, qid = made()
    with pytest.raises(OptionError, match="sgd"):
        learners.LinearRanker("lambda_rank", optimizer="gd").fit(X, y, qid=qid)
    for optimizer in (None, "adam", "sgd"):
        ranker = learners.LinearRanker("lambda_rank", optimizer=optimizer, max_iter=50).fit(X, y, qid=qid)
        assert ranker.score(X, y, qid=qid) > 0.85


POOR: dict[str, Any] = {
    "labels that are all equal": lambda X, y, qid: (X, np.ones(y.size), qid),
    "one query": lambda X, y, qid: (X, y, np.zeros(y.size)),
    "queries of one document": lambda X, y, qid: (X, y, np.arange(y.size)),
    "queries that are not together": lambda X, y, qid: (X, y, np.arange(y.size) % 12),
    "a constant feature": lambda X, y, qid: (np.column_stack([X, np.ones(y.size)]), y, qid),
    "constant features alone": lambda X, y, qid: (np.ones_like(X), y, qid),
}


@pytest.mark.parametrize("poor", POOR)
@pytest.mark.parametrize("cls", LEARNERS)
@pytest.mark.sampled(3)
def test_poor_data_makes_a_ranker_or_an_error_that_says_why(cls: Any, poor: str) -> None:
    X, y, qid = POOR[poor](*made())
    few = {name: 5 for name in ("max_iter", "n_estimators") if name in cls().get_params()}
    try:
        scores = cls(normalize="minmax", n_threads=1, **few).fit(X, y, qid=qid).predict(X, qid)
    except DataError as error:
        assert "constant" in str(error)  # noqa: PT017  (either is right)
    else:
        assert np.isfinite(scores).all()


def test_a_measure_that_no_query_has_is_an_error_and_no_nan() -> None:
    X, _, qid = made()
    nothing = np.zeros(qid.size)
    ranker = learners.ListNet(measure="ndcg(empty=skip)").fit(*made()[:2], qid=qid)
    with pytest.raises(DataError, match="none of the 12 queries has a value of ndcg"):
        ranker.score(X, nothing, qid=qid)

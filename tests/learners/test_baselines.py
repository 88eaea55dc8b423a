"""Learners of the literature against slow, obvious versions of themselves."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.errors import DataError, OptionError
from idealrank.learners import SVMNDCG, AdaRank, LinearRanker, PNormPush, RankBoost, SVMMap, cross_fold
from idealrank.learners.linear.optimizers import cutting_plane
from idealrank.learners.structural.structural_svm import APHinge, NDCGHinge
from idealrank.losses import Push

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short


def made(n_queries: int = 12, seed: int = 0, levels: int = 3) -> tuple[Any, Any, Any]:
    """Queries of 9 documents, four features; the first two follow the labels, with noise."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), 9)
    labels = rng.integers(0, levels, qid.size)
    X = rng.normal(size=(qid.size, 4)).astype(np.float32)
    X[:, 0] += labels
    X[:, 1] += 0.5 * labels
    return X, labels, qid


def pairs_of(relevant: Any, ranks: Any) -> Any:
    """Psi of a ranking, as what it multiplies each score by: +1 for the higher of a pair, -1 for the lower."""
    psi = np.zeros(relevant.size)
    hits, misses = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    for i, j in itertools.product(hits, misses):
        sign = 1 if ranks[i] < ranks[j] else -1
        psi[i] += sign
        psi[j] -= sign
    return psi / (hits.size * misses.size)


def worst_of_all(labels: Any, scores: Any, measure: Callable[[Any, Any], Any]) -> float:
    """max over all n! rankings of 1 - measure + <w, Psi> - <w, Psi of the best ranking>."""
    relevant = labels > 0
    if relevant.all() or not relevant.any():
        return 0.0
    best = pairs_of(relevant, np.argsort(np.argsort(-labels, kind="stable")))
    rankings = (np.array(ranks) for ranks in itertools.permutations(range(labels.size)))
    return max(
        1 - float(measure(labels, -ranks.astype(float))[0]) + float(scores @ (pairs_of(relevant, ranks) - best))
        for ranks in rankings
    )


@pytest.mark.parametrize(
    ("hinge", "measure"),
    [
        (APHinge(), "ap"),
        (NDCGHinge(), "ndcg"),
        (NDCGHinge(discount="linear"), "ndcg(discount=linear)"),
        (NDCGHinge(discount="power:0.5"), "ndcg(discount=power:0.5)"),
    ],
)
def test_the_most_violated_ranking_is_the_worst_of_all_permutations(hinge: Any, measure: str) -> None:
    rng = np.random.default_rng(7)
    for n, scale in itertools.product((2, 4, 5, 6), (0.0, 0.01, 0.1, 1.0)):
        labels, scores = rng.integers(0, 2, n), scale * rng.normal(size=n)
        value, _ = hinge(labels, scores)
        assert_allclose(value[0], worst_of_all(labels, scores, ir.measure(measure)), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("hinge", "measure"), [(APHinge(), "ap"), (NDCGHinge(), "ndcg")])
@given(data=st.data())
def test_a_hinge_bounds_its_measure_and_is_a_convex_function_of_each_query_alone(
    hinge: Any, measure: str, data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.integers(0, 12), min_size=1, max_size=4))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=sum(sizes), max_size=sum(sizes))), float)
    numbers = st.lists(st.floats(-0.5, 0.5, width=32), min_size=labels.size, max_size=labels.size)
    scores, others = (np.array(data.draw(numbers), float) for _ in range(2))
    values, slopes = hinge(labels, scores, offsets)
    assert (values >= 1 - ir.measure(f"{measure}(empty=1)")(labels, scores, offsets) - 1e-9).all()
    elsewhere, _ = hinge(labels, others, offsets)
    for query, (begin, end) in enumerate(itertools.pairwise(offsets)):
        part = slice(begin, end)
        assert elsewhere[query] >= values[query] + slopes[part] @ (others - scores)[part] - 1e-9  # its tangent is below
        assert_allclose(hinge(labels[part], scores[part])[0][0], values[query], rtol=0, atol=1e-12)


def test_the_hinge_of_graded_labels_is_the_mean_of_its_levels() -> None:
    labels, scores = np.array([2.0, 0, 1, 0, 2]), np.array([0.1, 0.3, -0.2, 0.0, 0.05])
    discount = 1 / np.log2(np.arange(2, 7))
    ideal = 3 * discount[:2].sum() + discount[2]
    two, three = ((labels >= level).astype(float) for level in (2, 1))
    shares = 2 * discount[:2].sum() / ideal, discount[:3].sum() / ideal  # gains 0, 1, 3: steps of 2 and 1
    expected = sum(
        share * worst_of_all(level, scores, ir.measure("ndcg"))
        for share, level in zip(shares, (two, three), strict=True)
    )
    assert_allclose(sum(shares), 1, rtol=0, atol=1e-15)
    assert_allclose(NDCGHinge()(labels, scores)[0][0], expected, rtol=0, atol=1e-12)


def test_cutting_planes_find_the_minimum_of_a_maximum_of_planes() -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    slopes, heights, l2 = rng.normal(size=(40, 5)), rng.normal(size=40), 0.3

    def risk(w: Any) -> tuple[float, Any]:
        highest = int(np.argmax(slopes @ w + heights))
        return float((slopes @ w + heights)[highest]), slopes[highest]

    for step in itertools.islice(cutting_plane(risk, 5, l2), 200):
        if step.gap < 1e-10:
            break
    assert step.gap < 1e-10
    # The same as a quadratic programme in (w, height), where the height is above all planes.
    programme = minimize(
        lambda z: l2 / 2 * z[:5] @ z[:5] + z[5],
        np.append(np.zeros(5), heights.max()),
        jac=lambda z: np.append(l2 * z[:5], 1.0),
        constraints={"type": "ineq", "fun": lambda z: z[5] - slopes @ z[:5] - heights},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert_allclose(step.value, programme.fun, rtol=0, atol=1e-7)
    assert_allclose(step.weights, programme.x[:5], rtol=0, atol=1e-3)


@pytest.mark.parametrize("cls", [SVMMap, SVMNDCG])
@pytest.mark.parametrize("l2", [1.0, 0.01])
def test_a_structural_svm_ends_within_its_tolerance_of_the_least_loss(cls: Any, l2: float) -> None:
    X, y, qid = made()
    svm = cls(l2=l2, tolerance=1e-6, max_iter=2000).fit(X, y, qid=qid)
    assert svm.gap_ <= 1e-6
    found = [each["loss"] for each in svm.history_]
    assert found[svm.best_iteration_] == min(found)
    rng = np.random.default_rng(0)
    data = ir.from_arrays(y, query_ids=qid, features=X)

    def primal(w: Any) -> float:
        values, _ = svm._hinge()(data.labels, X.astype(float) @ w, data.offsets)
        return float(values.mean() + l2 / 2 * w @ w)

    assert_allclose(primal(svm.coef_), min(found), rtol=1e-5, atol=0)
    for length in (1e-3, 1e-1, 1.0):
        assert primal(svm.coef_ + length * rng.normal(size=4)) >= min(found) - 1e-6


def test_a_discount_that_falls_ever_faster_and_gains_that_fall_are_refused() -> None:
    X, y, qid = made()
    with pytest.raises(OptionError, match="must be convex"):
        SVMNDCG(discount="letor").fit(X, y, qid=qid)
    with pytest.raises(OptionError, match="must not be lower"):
        SVMNDCG(gain=[0, 2, 1]).fit(X, y, qid=qid)


def test_adarank_by_hand() -> None:
    """Three queries of two documents, the first of which is relevant, and two features that disagree.

    AP is 1 where a feature ranks right and 1/2 where it does not: the first feature is right for queries 1 and 2, the
    second for 2 and 3. Both have E = (1 + 1 + 1/2) / 3; the first of equals is chosen.
    """
    X = [[1, -0.4], [0, 0], [1, 0.6], [0, 0], [-1, 0.95], [0, 0]]
    y, qid = [1, 0] * 3, [1, 1, 2, 2, 3, 3]
    first = math.atanh((1 + 1 + 0.5) / 3)
    weights = np.exp(-np.array([1, 1, 0.5]))
    weights /= weights.sum()
    second = math.atanh(weights @ [0.5, 1, 1])
    one = AdaRank(measure="ap", max_iter=1).fit(X, y, qid=qid)
    assert_allclose(one.coef_, [first, 0], rtol=1e-12, atol=0)
    two = AdaRank(measure="ap", max_iter=2).fit(X, y, qid=qid)
    assert_allclose([each["loss"] for each in two.history_[:2]], [math.exp(-0.75), np.exp([-1, -1, -0.5]).mean()],
                    rtol=1e-12, atol=0)  # fmt: skip
    # Query 3 has the scores -first + 0.95 second > 0 now, and is right; query 1 stays right.
    assert -first + 0.95 * second > 0
    assert first - 0.4 * second > 0
    assert_allclose(two.coef_, [first, second], rtol=1e-12, atol=0)
    assert_allclose(two.history_[2]["loss"], math.exp(-1), rtol=1e-12, atol=0)


def slow_adarank(by_feature: Any, evaluate: Callable[[Any], Any], rounds: int) -> Any:
    """Xu and Li 2007, Figure 2, line by line: the published algorithm, features chosen as often as they are best."""
    n_features, n_queries = by_feature.shape
    weights, chances = np.zeros(n_features), [1 / n_queries] * n_queries
    for _ in range(rounds):
        means = [sum(p * value for p, value in zip(chances, values, strict=True)) for values in by_feature]
        best = means.index(max(means))
        up = sum(p * (1 + value) for p, value in zip(chances, by_feature[best], strict=True))
        down = sum(p * (1 - value) for p, value in zip(chances, by_feature[best], strict=True))
        weights[best] += 0.5 * math.log(up / down)
        losses = [math.exp(-value) for value in evaluate(weights)]
        chances = [loss / sum(losses) for loss in losses]
    return weights


@pytest.mark.parametrize("measure", ["ap", "ndcg", "ndcg@3"])
def test_adarank_with_repeats_is_the_published_algorithm(measure: str) -> None:
    X, y, qid = made(seed=4)
    data = ir.from_arrays(y, query_ids=qid, features=X)
    judge = ir.measure(measure)

    def evaluate(weights: Any) -> Any:
        return judge(data.labels, X.astype(float) @ weights, data.offsets)

    by_feature = np.array([evaluate(unit) for unit in np.eye(4)])
    for rounds in (1, 7):
        ranker = AdaRank(measure=measure, repeats=True, max_iter=rounds).fit(X, y, qid=qid, eval_set=(X, y, qid))
        expected = slow_adarank(by_feature, evaluate, ranker.best_iteration_)
        assert_allclose(ranker.coef_, expected, rtol=1e-9, atol=0)


def test_adarank_chooses_no_feature_twice_running_unless_asked_to() -> None:
    X, y, qid = made()
    only = X[:, :1]
    assert len(AdaRank(max_iter=5).fit(only, y, qid=qid).history_) == 2
    assert len(AdaRank(max_iter=5, repeats=True).fit(only, y, qid=qid).history_) == 6


def test_adarank_stops_where_no_feature_helps() -> None:
    X, y, qid = made()
    ranker = AdaRank().fit(np.ones_like(X), y, qid=qid)
    assert len(ranker.history_) == 1
    assert (ranker.coef_ == 0).all()
    upside_down = AdaRank().fit(-y[:, None].astype(float), y, qid=qid)
    assert (upside_down.coef_ == 0).all()


def test_adarank_takes_measures_from_minus_1_to_1_of_which_more_is_better() -> None:
    X, y, qid = made()
    with pytest.raises(DataError, match=r"from -1 to 1, but dcg is .* \(query 0\)"):
        AdaRank(measure="dcg").fit(X, y, qid=qid)
    with pytest.raises(OptionError, match="lower values of pairwise_error are better"):
        AdaRank(measure="pairwise_error").fit(X, y, qid=qid)


def slow_push(labels: Any, scores: Any, p: float) -> float:
    """Rudin 2009, for labels of any number of levels: sum over k of (sum over better i of exp(s_k - s_i))^p."""
    total = 0.0
    for k in range(len(labels)):
        total += sum(math.exp(scores[k] - scores[i]) for i in range(len(labels)) if labels[i] > labels[k]) ** p
    return total


def test_what_adarank_boosts_stays_when_another_measure_validates() -> None:
    by_ap = AdaRank(measure="ap").validated_by("ndcg@1")
    assert (str(by_ap.boosts), by_ap.measure) == ("ap", "ndcg@1")
    X, y, qid = made()
    boosted = AdaRank(measure="ap", max_iter=5).fit(X, y, qid=qid)
    assert_allclose(
        by_ap.set_params(max_iter=5).fit(X, y, qid=qid).history_[-1]["loss"],
        boosted.history_[-1]["loss"],
        rtol=0,
        atol=0,
    )


@pytest.mark.parametrize("p", [1.0, 2.0, 7.5])
@pytest.mark.parametrize("labels", [[1, 0, 0, 1, 0], [2, 0, 1, 0, 2, 1, 1]])
def test_the_push_is_a_power_sum_over_pairs(labels: list[int], p: float) -> None:
    scores = np.random.default_rng(2).normal(size=len(labels))
    value, _ = Push(p=p)(labels, scores)
    even = slow_push(labels, np.zeros(len(labels)), p)
    assert_allclose(even * math.exp(p * value[0]), slow_push(labels, scores, p), rtol=1e-12, atol=0)


def test_a_push_of_p_1_is_the_exponential_loss_of_pairs() -> None:
    labels, scores = np.array([2, 0, 1, 0, 2]), np.array([0.1, 0.3, -0.2, 0.0, 0.05])
    better, worse = np.nonzero(labels[:, None] > labels)
    assert_allclose(Push(p=1)(labels, scores)[0][0], np.log(np.exp(scores[worse] - scores[better]).mean()),
                    rtol=1e-12, atol=0)  # fmt: skip


def test_the_push_with_weights_of_documents_counts_pairs_as_often() -> None:
    labels, scores = np.array([2.0, 0, 1, 0]), np.array([0.1, 0.3, -0.2, 0.0])
    thrice = np.array([0, 0, 0, 1, 2, 3])  # a document that is never the worse one of a pair
    weighted = Push(p=3)(labels, scores, weights=[3, 1, 1, 1])
    repeated = Push(p=3)(labels[thrice], scores[thrice])
    assert_allclose(weighted[0], repeated[0], rtol=1e-12, atol=0)
    assert_allclose(weighted[1][0], repeated[1][:3].sum(), rtol=1e-12, atol=0)


@pytest.mark.parametrize("p", [1.0, 4.0])
def test_the_p_norm_push_finds_the_numerical_minimum(p: float) -> None:
    from scipy.optimize import minimize

    X, y, qid = made(n_queries=1, seed=3, levels=2)

    def objective(w: Any) -> float:
        return math.log(slow_push(y, X.astype(float) @ w, p)) / p + 0.05 * float(w @ w)

    found = minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
    ranker = PNormPush(p=p, l2=0.1, max_iter=1000).fit(X, y, qid=qid)
    assert_allclose(ranker.coef_, found.x, rtol=0, atol=1e-4)
    assert ranker.loss_ == Push(p=p)
    assert_allclose(ranker.coef_, LinearRanker(f"push(p={p})", l2=0.1, max_iter=1000).fit(X, y, qid=qid).coef_,
                    rtol=0, atol=0)  # fmt: skip


def test_a_higher_p_pushes_the_worst_mistake_further_down() -> None:
    """One feature, on which one of four worse documents is above the better one, by 1, and three are below, by 3.

    Without a penalty 3 exp(-3 w)^p + exp(w)^p is least where 9 exp(-3 p w) = exp(p w): at w = ln 9 / (4 p).
    """
    X, y = [[3.0], [4.0], [0.0], [0.0], [0.0]], [1, 0, 0, 0, 0]
    for p in (1.0, 5.0):
        ranker = PNormPush(p=p, max_iter=500).fit(X, y, qid=[0] * 5)
        assert_allclose(ranker.coef_, math.log(9) / (4 * p), rtol=1e-4, atol=0)


def slow_rankboost(X: Any, y: Any, qid: Any, rounds: int) -> tuple[list[tuple[int, float, float]], Any, list[float]]:
    """Freund et al. 2003, Figure 1, with D(pair) for every pair, and every threshold tried."""
    pairs = [(i, j) for i in range(y.size) for j in range(y.size) if qid[i] == qid[j] and y[i] > y[j]]
    better, worse = np.array(pairs).T
    chances = np.full(len(pairs), 1 / len(pairs))
    weak, scores, losses = [], np.zeros(y.size), []
    for _ in range(rounds):
        candidates = []
        for feature in range(X.shape[1]):
            for threshold in np.unique(X[:, feature])[:-1]:
                h = (X[:, feature] > threshold).astype(float)
                r = float(chances @ (h[better] - h[worse]))
                candidates.append((abs(r), feature, float(threshold), r, h))
        _, feature, threshold, r, h = max(candidates, key=lambda each: each[0])
        alpha = 0.5 * math.log((1 + r) / (1 - r))
        weak.append((feature, threshold, alpha))
        scores = scores + alpha * h
        chances = chances * np.exp(-alpha * (h[better] - h[worse]))
        chances /= chances.sum()
        losses.append(float(np.exp(scores[worse] - scores[better]).mean()))
    return weak, scores, losses


@pytest.mark.parametrize("levels", [2, 4])
def test_rankboost_is_the_algorithm_with_a_weight_for_each_pair(levels: int) -> None:
    X, y, qid = made(n_queries=5, seed=6, levels=levels)
    X = X.round(1)
    ranker = RankBoost(max_iter=12).fit(X, y, qid=qid)
    weak, scores, losses = slow_rankboost(X, y, qid, 12)
    assert ranker.features_.tolist() == [feature for feature, _, _ in weak]
    assert_allclose(ranker.thresholds_, [threshold for _, threshold, _ in weak], rtol=0, atol=0)
    assert_allclose(ranker.alphas_, [alpha for _, _, alpha in weak], rtol=1e-9, atol=0)
    assert_allclose(ranker.predict(X), scores, rtol=1e-9, atol=1e-12)
    assert_allclose([each["loss"] for each in ranker.history_], [1, *losses], rtol=1e-9, atol=0)


def test_the_loss_of_rankboost_falls_as_it_must_and_bounds_misordered_pairs() -> None:
    X, y, qid = made(n_queries=20, seed=8)
    ranker = RankBoost(max_iter=40).fit(X, y, qid=qid)
    losses = np.array([each["loss"] for each in ranker.history_])
    assert (losses[1:] / losses[:-1] <= np.sqrt(1 - np.tanh(ranker.alphas_) ** 2) + 1e-12).all()
    scores = ranker.predict(X)
    better, worse = np.nonzero((qid[:, None] == qid) & (y[:, None] > y))
    assert (scores[better] <= scores[worse]).mean() <= losses[-1]


def test_rankboost_keeps_the_rounds_up_to_the_best_on_validation_data() -> None:
    X, y, qid = made()
    valid = made(8, seed=9)
    ranker = RankBoost(normalize="minmax", max_iter=60, measure="ap").fit(X, y, qid=qid, eval_set=valid)
    found = [each["validation"] for each in ranker.history_]
    assert ranker.best_iteration_ == ranker.alphas_.size == int(np.argmax(found)) < 60
    assert_allclose(ranker.score(valid[0], valid[1], qid=valid[2]), max(found), rtol=1e-12, atol=0)
    short = RankBoost(normalize="minmax", max_iter=60, patience=2).fit(X, y, qid=qid, eval_set=valid)
    assert len(short.history_) <= short.best_iteration_ + 3


def test_rankboost_ends_where_no_threshold_helps_and_where_nothing_is_left_to_order() -> None:
    X, y, qid = made()
    for labels, features in ((np.ones(y.size), X), (y, np.ones_like(X))):
        ranker = RankBoost(normalize="minmax").fit(features, labels, qid=qid)
        assert ranker.alphas_.size == 0
        assert (ranker.predict(X, qid) == 0).all()
    perfect = RankBoost(max_iter=5).fit(y[:, None] > 0, y > 0, qid=qid)
    assert np.isfinite(perfect.alphas_).all()
    assert perfect.score(y[:, None] > 0, y > 0, qid=qid) == 1
    assert RankBoost().fit([[1.0]], [1], qid=[1]).predict([[1.0]]).tolist() == [0]


def test_rankboost_weighs_documents_and_queries() -> None:
    X, y, qid = made(n_queries=6)
    weighted = RankBoost(max_iter=10).fit(X, y, qid=qid, query_weight=[2, 1, 1, 1, 1, 0])
    rows = np.concatenate([np.flatnonzero(qid == 0), np.flatnonzero(qid < 5)])
    repeated = RankBoost(max_iter=10).fit(X[rows], y[rows], qid=np.repeat(np.arange(6), 9))
    assert_allclose(weighted.alphas_, repeated.alphas_, rtol=1e-9, atol=0)
    by_rows = RankBoost(max_iter=10).fit(X, y, qid=qid, sample_weight=np.array([2, 1, 1, 1, 1, 0])[qid])
    assert_allclose(by_rows.alphas_, weighted.alphas_, rtol=1e-9, atol=0)


@pytest.mark.parametrize("at", [0, 3])
def test_an_interrupt_leaves_the_rounds_so_far(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    from idealrank.learners.iterative import Trace

    def interrupted(self: Trace, parameters: Any, value: float) -> None:
        plain(self, parameters, value)
        if len(self.history) > at:
            raise KeyboardInterrupt

    plain = Trace.add
    monkeypatch.setattr(Trace, "add", interrupted)
    X, y, qid = made()
    for ranker in (RankBoost(), AdaRank(), SVMMap(), SVMNDCG()):
        with pytest.raises(KeyboardInterrupt):
            ranker.fit(X, y, qid=qid)
        assert len(ranker.history_) == at + 1
        assert np.isfinite(ranker.predict(X)).all()


@pytest.mark.parametrize("cls", [AdaRank, SVMMap, SVMNDCG])
def test_queries_are_weighed_and_documents_are_not(cls: Any) -> None:
    X, y, qid = made()
    with pytest.raises(DataError, match="give query weights"):
        cls().fit(X, y, qid=qid, sample_weight=np.linspace(0, 1, y.size))
    weighted = cls(max_iter=20).fit(X, y, qid=qid, query_weight=np.arange(12.0))
    repeats = np.repeat(np.arange(12), np.arange(12))
    rows = np.concatenate([np.flatnonzero(qid == query) for query in repeats])
    repeated = cls(max_iter=20).fit(X[rows], y[rows], qid=np.repeat(np.arange(repeats.size), 9))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("cls", [AdaRank, SVMMap, SVMNDCG])
@pytest.mark.parametrize("labels", ["equal", "none relevant"])
def test_where_there_is_nothing_to_learn_the_weights_stay_at_0(cls: Any, labels: str) -> None:
    X, y, qid = made()
    ranker = cls().fit(X, np.full(y.size, 1.0 if labels == "equal" else 0.0), qid=qid)
    assert (ranker.coef_ == 0).all()
    assert len(ranker.history_) <= 2
    alone = cls(normalize="minmax").fit(np.append(X[:9], np.ones((9, 1)), axis=1), y[:9], qid=qid[:9])
    assert np.isfinite(alone.coef_).all()
    assert alone.coef_[-1] == 0  # a constant column


@pytest.mark.parametrize(
    ("ranker", "what"),
    [(SVMMap(l2=0.0), "l2"), (SVMNDCG(tolerance=-1.0), "tolerance"), (AdaRank(max_iter=0), "max_iter")],
)
def test_options_out_of_range_are_refused(ranker: Any, what: str) -> None:
    X, y, qid = made()
    with pytest.raises(OptionError, match=what):
        ranker.fit(X, y, qid=qid)


@pytest.mark.slow
def test_on_ohsumed_rankboost_has_its_published_figures_and_the_others_rank_as_well(real_data: Path) -> None:
    """RankBoost's figures are those of LETOR 1.0. The others have none with these features, or lower ones."""
    rankers = {
        "rankboost": RankBoost(normalize="minmax", max_iter=80),
        "adarank": AdaRank(normalize="minmax"),
        "svm_map": SVMMap(normalize="minmax"),
        "svm_ndcg": SVMNDCG(normalize="minmax"),
        "push": PNormPush(normalize="minmax", l2=0.01),
    }
    folds = ir.io.read_letor_folds(real_data / "ohsumed-letor1")
    found = cross_fold(rankers, folds, ["ndcg@5", "ndcg@10", "ap"], like="letor1", n_jobs=1)
    published = {"ndcg@5": 0.4502, "ndcg@10": 0.4356, "ap": 0.4403}
    assert_allclose([found.mean["rankboost"][name] for name in published], list(published.values()), rtol=0, atol=0.01)
    for name, scores in found.scores.items():
        assert found.mean[name]["ap"] > 0.435
        assert ir.evaluate(found.data, scores, "ndcg").mean["ndcg"] > 0.675

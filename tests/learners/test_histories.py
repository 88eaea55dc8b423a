"""Recommenders that know users by their histories: formulas, new users, files, refusals."""

import base64
import pickle
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from idealrank import learners
from idealrank.errors import DataError, ModelError, ObviousRivalWarning, OptionError
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners import FactorRanker, HistoryFactors, HistoryRanker, ItemRegression
from idealrank.learners.histories import history_factors
from idealrank.learners.histories.history_ranker import held_out


def tastes(n_users: int = 120, n_items: int = 40, seed: int = 0) -> tuple[csr_array, csr_array]:
    """Users who like one of four kinds of items: what they have, and what is held out."""
    rng = np.random.default_rng(seed)
    is_to_taste = rng.integers(4, size=(n_users, 1)) == rng.integers(4, size=n_items)
    liked = rng.random((n_users, n_items)) < np.where(is_to_taste, 0.6, 0.05)
    liked[:, 0] = True
    held = liked & (rng.random(liked.shape) < 0.3)
    held[:, 0] = False
    return csr_array((liked & ~held).astype(float)), csr_array(held.astype(float))


TRAIN, HELD = tastes()
POPULAR = np.argsort(-TRAIN.sum(axis=0), kind="stable")


def popularity() -> float:
    from idealrank import evaluate_factors

    counts = np.asarray(TRAIN.sum(axis=0))
    return evaluate_factors(lambda users: np.tile(counts, (len(users), 1)), None, HELD, exclude=TRAIN).mean["ndcg@20"]


@pytest.mark.parametrize(("l2", "relative_l2"), [(100.0, 1.0), (3.0, 0.2), (7.0, 0.0)])
def test_each_column_is_a_weighted_ridge_regression_on_the_other_items(l2: float, relative_l2: float) -> None:
    model = ItemRegression(l2=l2, relative_l2=relative_l2).fit(TRAIN)
    X = TRAIN.toarray()
    weights = (X.sum(axis=1) / X.sum(axis=1).mean()) ** -0.5
    for item in (0, 7, 39):
        others = np.arange(40) != item
        own = X[:, others]
        penalty = np.diag(l2 + relative_l2 * (weights @ own**2))
        expected = np.linalg.solve(own.T @ (weights[:, None] * own) + penalty, own.T @ (weights * X[:, item]))
        assert_allclose(model.item_weights_[others, item], expected, rtol=1e-3, atol=2e-6)
        assert model.item_weights_[item, item] == 0
    assert_allclose(model.predict([3, 5, 3], [2, 7, 0]), (X @ model.item_weights_)[[3, 5, 3], [2, 7, 0]], rtol=1e-5)


@pytest.mark.parametrize("make", [ItemRegression, HistoryFactors, HistoryRanker])
class TestAll:
    def test_it_is_better_than_popularity(self, make: Any) -> None:
        assert make().fit(TRAIN).score(HELD) > popularity() + 0.1

    def test_new_users_get_what_users_with_the_same_history_get(self, make: Any) -> None:
        model = make().fit(TRAIN)
        rows = TRAIN.toarray()[[5, 9]] > 0
        other = model.with_users({"x": np.flatnonzero(rows[0]).tolist(), "y": np.flatnonzero(rows[1]).tolist()})
        known = model.recommend([5, 9], k=8)
        assert other.recommend(k=8) == {"x": known[5], "y": known[9]}
        assert_allclose(other.predict(["y"], [3]), model.predict([9], [3]), rtol=1e-5)
        assert other.score({"x": np.flatnonzero(HELD.toarray()[5]).tolist()}) > 0
        assert list(model.recommend([5], k=1)) == [5]
        with pytest.raises(DataError, match=re.escape("the histories have 1 items that were not in fit, first 77")):
            model.with_users({"x": [0, 77]})
        with pytest.raises(NotFittedError):
            make().with_users({"x": [0]})

    @pytest.mark.parametrize("ids", ["text", "numbers"])
    def test_a_file_holds_the_model(self, make: Any, ids: str, tmp_path: Path) -> None:
        name = (lambda number: f"é{number}") if ids == "text" else (lambda number: 10 * number)
        rows = TRAIN.toarray()
        model = make().fit({name(user): [name(i) for i in np.flatnonzero(row)] for user, row in enumerate(rows)})
        learners.save(model, tmp_path / "model.json.gz")
        again: Any = learners.load(tmp_path / "model.json.gz")
        everyone = list(model.recommend(k=1))
        items = [name(3)] * len(everyone)
        assert_allclose(again.predict(everyone, items), model.predict(everyone, items), rtol=0, atol=0)
        assert again.recommend(k=9) == model.recommend(k=9)
        new = {name(1): [name(2), name(5)]}
        assert again.with_users(new).recommend(k=9) == model.with_users(new).recommend(k=9)
        assert pickle.loads(pickle.dumps(model)).recommend(k=9) == model.recommend(k=9)
        other = model.with_users(new)
        learners.save(other, tmp_path / "other.json")
        loaded: Any = learners.load(tmp_path / "other.json")
        assert loaded.recommend(k=9) == other.recommend(k=9)

    def test_labels_only_say_that_there_is_an_interaction(self, make: Any) -> None:
        graded = TRAIN.copy()
        graded.data = np.random.default_rng(0).integers(1, 6, graded.nnz).astype(float)
        assert make().fit(graded).recommend(k=5) == make().fit(TRAIN).recommend(k=5)

    def test_items_and_users_without_interactions_do_no_harm(self, make: Any) -> None:
        wide = csr_array((TRAIN.data, TRAIN.indices, np.append(TRAIN.indptr, TRAIN.indptr[-1])), shape=(121, 45))
        model = make().fit(wide)
        scores = model.predict([3] * 45, range(45))
        assert np.isfinite(scores).all()
        assert set(model.recommend([3], k=10)[3]) <= set(range(40))
        assert 120 not in model.recommend(k=1)
        with pytest.raises(DataError, match="1 of 1 users was in fit without any item, first 120"):
            model.recommend([120])

    def test_the_smallest_catalogs_are_learned(self, make: Any) -> None:
        for liked in ({"u": ["a"]}, {"u": ["a", "b"], "v": ["a"]}, {"u": ["a", "b"], "v": ["c"], "w": ["a", "b", "c"]}):
            model = make().fit(liked)
            (items,) = model.recommend(["u"], k=1, exclude_seen=False).values()
            assert len(items) == 1


@pytest.mark.parametrize("make", [HistoryFactors, HistoryRanker])
def test_the_number_of_threads_changes_nothing(make: Any) -> None:
    one, two = (make(n_threads=n).fit(TRAIN) for n in (1, 2))
    assert_allclose(one.source_factors_, two.source_factors_, rtol=0.01, atol=1e-3)
    assert one.recommend(k=3) == two.recommend(k=3)


def test_the_gradient_is_that_of_predicting_the_hidden_half_by_a_softmax() -> None:
    rng = np.random.default_rng(1)
    own = csr_array((rng.random((5, 9)) < 0.5).astype(np.float32))
    own = own[np.diff(own.indptr) >= 2]
    factors = history_factors.ItemFactors(*(rng.normal(size=size).astype(np.float32) for size in [(9, 3), (9, 4)]))
    rows = np.repeat(np.arange(own.shape[0]), np.diff(own.indptr))
    hidden = history_factors._random_half(own.indptr, rows, np.random.default_rng(7))
    is_kept, is_hidden = np.zeros((2, *own.shape), bool)
    is_kept[rows[~hidden], own.indices[~hidden]] = is_hidden[rows[hidden], own.indices[hidden]] = True
    assert is_kept.any(axis=1).all()
    assert is_hidden.any(axis=1).all()
    n_hidden = is_hidden.sum(axis=1)
    weights = n_hidden**0.5 / (n_hidden**0.5).sum()

    def loss(sources: Any, targets: Any) -> float:
        users = is_kept @ sources / is_kept.sum(axis=1, keepdims=True) ** 0.5
        scores = np.where(is_kept, -np.inf, users @ targets[:, :3].T + targets[:, 3])
        logs = np.where(is_hidden, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)), 0)
        return float(-(weights / n_hidden) @ logs.sum(axis=1))

    found = history_factors._gradients(factors, own, np.random.default_rng(7))
    exact = [each.astype(np.float64) for each in factors]
    for part, (parameters, gradient) in enumerate(zip(exact, found, strict=True)):
        for place in np.ndindex(parameters.shape):
            above, below = ([each.copy() for each in exact] for _ in range(2))
            above[part][place] += 1e-5
            below[part][place] -= 1e-5
            assert_allclose(gradient[place], (loss(*above) - loss(*below)) / 2e-5, atol=1e-6)


def test_factors_start_from_singular_vectors() -> None:
    histories = TRAIN.astype(np.float32)
    counts = TRAIN.toarray().sum(axis=0)
    scaled = TRAIN.toarray() / TRAIN.toarray().sum(axis=1, keepdims=True) ** 0.5 / counts**0.5
    _, values, vectors = np.linalg.svd(scaled)
    found = history_factors._initial(histories, 4, np.random.default_rng(0))
    expected = (vectors[:4].T * values[:4]) @ vectors[:4] * 40**0.5
    assert_allclose(found.sources @ found.targets[:, :4].T, expected, atol=0.01)


def test_one_fifth_of_the_items_of_validation_users_is_held_out() -> None:
    data = interactions_of(TRAIN)
    rest, held = held_out(data, 50, np.random.default_rng(0))
    assert (held.counts > 0).sum() == 50
    assert_allclose(held.counts[held.counts > 0], np.rint(0.2 * data.counts[held.counts > 0]).clip(1))
    together = rest.dense(np.arange(120)) + held.dense(np.arange(120))
    assert_allclose(together, TRAIN.toarray())
    short = interactions_of({"u": ["a"], "v": ["a", "b"]})
    assert held_out(short, 50, np.random.default_rng(0))[1].counts.tolist() == [0, 1]


def test_the_sum_is_that_of_its_parts_with_the_best_weight() -> None:
    model = HistoryRanker().fit(TRAIN)
    best = max(model.validation_, key=model.validation_.__getitem__)
    assert (model.weight_decay_, model.regression_weight_) == best
    factors, regression = HistoryFactors(weight_decay=best[0]).fit(TRAIN), ItemRegression().fit(TRAIN)
    users, items = [3, 3, 8], [1, 2, 3]
    expected = factors.predict(users, items) + model.regression_weight_ * regression.predict(users, items)
    assert_allclose(model.predict(users, items), expected, rtol=1e-5)
    given = HistoryRanker(regression_weight=2.5, weight_decay=0.1).fit(TRAIN)
    assert (given.regression_weight_, given.weight_decay_, given.validation_) == (2.5, 0.1, {})
    assert {pair[0] for pair in HistoryRanker(weight_decay=0.1).fit(TRAIN).validation_} == {0.1}
    assert {pair[1] for pair in HistoryRanker(regression_weight=3).fit(TRAIN).validation_} == {3}
    assert HistoryRanker(random_state=1).fit(TRAIN).recommend([3]) != model.recommend([3])


@pytest.mark.parametrize("measure", ["ndcg@5", "pairwise_error"])
def test_the_weight_is_chosen_by_the_measure(measure: str) -> None:
    model = HistoryRanker(measure=measure).fit(TRAIN)
    pick = min if measure == "pairwise_error" else max
    assert model.validation_[model.weight_decay_, model.regression_weight_] == pick(model.validation_.values())


def test_a_catalog_too_large_for_a_regression_has_factors_alone(tmp_path: Path) -> None:
    model = HistoryRanker(max_items=39).fit(TRAIN)
    assert model.item_weights_.shape == (0, 40)
    assert model.recommend(k=5) == HistoryFactors().fit(TRAIN).recommend(k=5)
    learners.save(model, tmp_path / "model.json")
    again: Any = learners.load(tmp_path / "model.json")
    assert again.recommend(k=5) == model.recommend(k=5)
    text, n_changed = re.subn(
        r'"shape": \[0, 40\], "values": ""',
        '"shape": [1, 40], "values": "' + "AAAA" * 53 + 'AA=="',
        (tmp_path / "model.json").read_text(),
    )
    assert n_changed == 1
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(ModelError, match="item_weights_ must have 0 or 40 rows"):
        learners.load(tmp_path / "model.json")


def noise(n_users: int = 400, n_items: int = 60) -> csr_array:
    """Users who take popular items, and have no taste of their own."""
    rng = np.random.default_rng(0)
    return csr_array((rng.random((n_users, n_items)) < np.linspace(0.02, 0.4, n_items) ** 2).astype(float))


@pytest.mark.parametrize("make", [HistoryRanker, FactorRanker])
def test_a_warning_says_that_popularity_is_better(make: Any) -> None:
    data = noise()
    rest, held = (
        csr_array((each.labels, each.items, each.offsets), shape=data.shape)
        for each in held_out(interactions_of(data), 400, np.random.default_rng(0))
    )
    hasty = HistoryRanker(weight_decay=0.0, learning_rate=0.1, l2=0.01, relative_l2=0.0)
    fit = (
        partial(FactorRanker(max_iter=3).fit, rest, eval_set=held) if make is FactorRanker else partial(hasty.fit, data)
    )
    message = rf"{make.__name__} is worse than the most popular items on \d+ validation users: ndcg@20 is 0\.\d+, and 0"
    with pytest.warns(ObviousRivalWarning, match=message):
        fit()


def test_a_catalog_too_large_for_pairs_of_items_is_refused() -> None:
    message = "40 items, more than max_items=39, would need 0.0 GB: leave out rare items"
    with pytest.raises(DataError, match=re.escape(message)):
        ItemRegression(max_items=39).fit(TRAIN)
    huge = csr_array((np.ones(1), ([0], [0])), shape=(1, 100_000))
    with pytest.raises(DataError, match=re.escape("would need 120.0 GB")):
        ItemRegression().fit(huge)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l2": 0}, "l2: expected a finite number above 0, got 0"),
        ({"relative_l2": -0.1}, "relative_l2: expected a finite number of at least 0"),
        ({"max_items": 0}, "max_items: expected a whole number of at least 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        ItemRegression(**options).fit(TRAIN)


@pytest.mark.parametrize(
    ("values", "got"),
    [
        (base64.b64encode(np.zeros(3, "<f4").tobytes()).decode(), "got '3 numbers'"),
        (base64.b64encode(np.full(4, np.nan, "<f4").tobytes()).decode(), "got 'others'"),
        ("AAAA*AAA", "got 'AAAA*AAA'"),
        ("AAA", "got 'AAA'"),
    ],
)
def test_a_changed_matrix_is_refused_with_the_entry(values: str, got: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    learners.save(ItemRegression().fit({"u": ["a", "b"], "v": ["a"]}), path)
    text, n_changed = re.subn(r'("float32", "shape": \[2, 2\], "values": )"[^"]*"', rf'\1"{values}"', path.read_text())
    assert n_changed == 1
    path.write_text(text)
    message = f"item_weights_: the values must be 2 x 2 finite numbers of float32 in Base64, {got}"
    with pytest.raises(ModelError, match=re.escape(message)):
        learners.load(path)

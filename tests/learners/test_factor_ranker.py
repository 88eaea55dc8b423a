"""FactorRanker: interactions, gradients against finite differences, Adam, validation, files, refusals."""

import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from idealrank import evaluate, learners, losses
from idealrank.errors import DataError, ModelError, OptionError
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners import FactorRanker
from idealrank.learners.factors.model import Adam, Factors

RNG = np.random.default_rng(3)


def tastes(n_users: int = 40, n_items: int = 30, seed: int = 0) -> tuple[csr_array, csr_array]:
    """Users who like one of two halves of the items: what they have, and what is held out."""
    rng = np.random.default_rng(seed)
    liked = rng.random((n_users, n_items)) < 0.05
    for user in range(n_users):
        half = slice(0, n_items // 2) if user % 2 else slice(n_items // 2, n_items)
        liked[user, half] |= rng.random(n_items // 2) < 0.7
    held = liked & (rng.random(liked.shape) < 0.3)
    return csr_array((liked & ~held).astype(float)), csr_array(held.astype(float))


def mean_loss(factors: Factors, labels: Any, users: Any, shares: Any, loss: Any) -> float:
    """The definition: similarities of single vectors, and the loss of each user's own list."""
    total = 0.0
    for user, share in zip(users, shares, strict=True):
        scores = []
        for item in factors.items:
            own = factors.users[user]
            norms = np.linalg.norm(own) * np.linalg.norm(item) if factors.cosine else 1.0
            scores.append(own @ item / norms / factors.temperature)
        total += share * loss(labels[user], scores)[0][0]
    return total / len(users)


@pytest.mark.parametrize("cosine", [True, False])
@pytest.mark.parametrize(
    "name", ["approx_ndcg(alpha=2)", "pairwise_logistic", "softmax", "softmax_at_k(cutoff=3)", "lambda_rank"]
)
def test_the_gradient_is_that_of_the_mean_loss_over_whole_catalogs(name: str, cosine: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr("idealrank.learners.factors.model._SCORES_PER_BLOCK", 15)  # two users at a time
    labels = (RNG.random((6, 7)) < 0.4) * RNG.integers(1, 4, (6, 7)).astype(float)
    labels[:, 0] = 1
    data, users = interactions_of(csr_array(labels)), np.array([4, 0, 5, 2, 1])
    shares = np.array([1.0, 0.5, 2.0, 1.0, 3.0])
    factors = Factors(RNG.normal(size=(6, 3)), RNG.normal(size=(7, 3)), cosine, 0.5)
    loss = losses.loss(name)
    value, by_users, by_items = factors.loss(loss, data, users, shares, 1)
    assert_allclose(value, mean_loss(factors, labels, users, shares, loss), rtol=1e-12, atol=0)
    step = 1e-6
    weights = None
    if not loss.has_potential:  # the derivative of LambdaRank is that with fixed changes by swaps
        weights = {user: swap_weights(labels[user], factors.scores(np.array([user]))[0]) for user in users}
    for matrix, gradient, rows in ((factors.users, by_users, users), (factors.items, by_items, range(7))):
        for place, row in enumerate(rows):
            for column in range(3):
                ends: list[float] = []
                for sign in (1, -1):
                    matrix[row, column] += sign * step
                    if weights is None:
                        ends.append(mean_loss(factors, labels, users, shares, loss))
                    else:
                        own = [weighted_pairs(weights[u], factors.scores(np.array([u]))[0]) for u in users]
                        ends.append(float(shares @ own) / len(own))
                    matrix[row, column] -= sign * step
                slope = (ends[0] - ends[1]) / (2 * step)
                assert_allclose(gradient[place, column], slope, rtol=1e-5, atol=1e-8)


def swap_weights(labels: Any, scores: Any) -> Any:
    """LambdaRank's weight of each pair, better document first, one by one."""
    ranks = np.empty(labels.size, int)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, labels.size + 1)
    gains, discounts = 2**labels - 1, 1 / np.log2(1 + ranks)
    ideal = np.sort(gains)[::-1] @ (1 / np.log2(1 + np.arange(1, labels.size + 1)))
    weights = np.abs(np.subtract.outer(gains, gains) * np.subtract.outer(discounts, discounts)) / ideal
    return np.where(np.subtract.outer(labels, labels) > 0, weights, 0.0)


def weighted_pairs(weights: Any, scores: Any) -> float:
    return float((weights * np.log1p(np.exp(-np.subtract.outer(scores, scores)))).sum())


def test_users_may_count_by_their_items() -> None:
    labels = (RNG.random((5, 9)) < np.array([0.1, 0.2, 0.9, 0.5, 0.7])[:, None]).astype(float)
    labels[:, 0] = 1
    equal, items = (
        FactorRanker(
            3, random_state=0, n_threads=1, max_iter=1, batch_size=5, loss="softmax", user_weight=user_weight
        ).fit(csr_array(labels))
        for user_weight in ("equal", "items")
    )
    assert not np.allclose(equal.item_factors_, items.item_factors_)
    data, rng = interactions_of(csr_array(labels)), np.random.default_rng(0)
    factors = Factors(rng.normal(scale=0.1, size=(5, 3)), rng.normal(scale=0.1, size=(9, 3)), True, 0.2)
    shares = labels.sum(axis=1) / labels.sum(axis=1).mean()
    expected = factors.loss(losses.Softmax(), data, np.arange(5), shares, 1)[0]
    assert_allclose(items.history_[0]["loss"], expected, rtol=1e-12)


def test_users_may_take_larger_steps() -> None:
    labels = (RNG.random((5, 9)) < 0.5).astype(float)
    labels[:, 0], labels[:, 1] = 1, 0
    options: dict[str, Any] = {"similarity": "dot", "temperature": 1.0, "learning_rate": 0.01, "loss": "softmax"}
    model = FactorRanker(3, random_state=0, n_threads=1, max_iter=1, user_learning_rate=0.04, **options)
    model.fit(csr_array(labels))
    rng = np.random.default_rng(0)
    users, items = rng.normal(scale=0.1, size=(5, 3)), rng.normal(scale=0.1, size=(9, 3))
    # The first step of Adam is as long as the learning rate, whatever the gradient.
    assert_allclose(np.abs(model.user_factors_ - users), 0.04, rtol=1e-3)
    assert_allclose(np.abs(model.item_factors_ - items), 0.01, rtol=1e-3)


@pytest.mark.parametrize("label", [130, 100])  # its gain overflows float32; only the square of its gain does
def test_a_gradient_that_overflows_float32_is_refused(label: int) -> None:
    train = {"ann": {"a": label, "b": 1}, "bob": {"b": 1, "c": 1}}
    options: dict[str, Any] = {"loss": "least_squares(gain=exp2)", "max_iter": 1}
    message = r"the squared gradient of least_squares\(gain=exp2\) overflows float32, .* use dtype='float64'"
    with pytest.raises(DataError, match=message):
        FactorRanker(4, dtype="float32", random_state=0, **options).fit(train)
    assert np.isfinite(FactorRanker(4, random_state=0, **options).fit(train).user_factors_).all()


@pytest.mark.filterwarnings("ignore:FactorRanker became worse")
def test_float32_learns_the_same_to_its_precision() -> None:
    train, held = tastes()
    options: dict[str, Any] = {"random_state": 2, "n_threads": 1, "max_iter": 10}
    options |= {"similarity": "dot", "temperature": 1.0}
    wide, narrow = (
        FactorRanker(8, dtype=dtype, weight_decay=1e-4, **options).fit(train, eval_set=held)
        for dtype in ("float64", "float32")
    )
    assert narrow.user_factors_.dtype == narrow.item_factors_.dtype == np.float64
    assert (narrow.user_factors_ == narrow.user_factors_.astype(np.float32)).all()
    assert (wide.user_factors_ != wide.user_factors_.astype(np.float32)).any()
    assert_allclose(narrow.user_factors_, wide.user_factors_, rtol=0, atol=1e-3)
    for entry, close in zip(narrow.history_, wide.history_, strict=True):
        assert_allclose(entry["loss"], close["loss"], rtol=1e-4)
    data, users = interactions_of(train), np.arange(40)
    both = wide.user_factors_, wide.item_factors_
    factors = [Factors(both[0].astype(kind), both[1].astype(kind), True, 0.2) for kind in (np.float64, np.float32)]
    exact, rounded = (each.loss(losses.loss("softmax_at_k"), data, users, np.ones(40), 1) for each in factors)
    for expected, found in zip(exact[1:], rounded[1:], strict=True):
        assert (expected.dtype.name, found.dtype.name) == ("float64", "float32")
        assert_allclose(found, expected, rtol=1e-4, atol=1e-6 * np.abs(expected).max())


def test_a_user_whose_factors_are_all_zero_has_no_direction_and_nothing_overflows() -> None:
    factors = Factors(np.zeros((1, 2)), np.ones((3, 2)), True, 0.1)
    data = interactions_of(csr_array([[1.0, 0, 0]]))
    value, by_users, by_items = factors.loss(losses.PairwiseLogistic(), data, np.array([0]), np.ones(1), 1)
    assert_allclose(value, 2 * np.log(2), rtol=1e-12)
    assert np.isfinite(by_users).all()
    assert np.isfinite(by_items).all()


@pytest.mark.parametrize("weight_decay", [0.0, 0.3])
def test_adam_takes_the_steps_of_torch(weight_decay: float) -> None:
    torch = pytest.importorskip("torch")
    start, gradients = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 4, 3))
    made = Adam((4, 3), 0.05, weight_decay)
    own, theirs = start.copy(), torch.tensor(start.copy(), requires_grad=True)
    optimizer = torch.optim.Adam([theirs], lr=0.05, weight_decay=weight_decay)
    for gradient in gradients:
        made.step(own, slice(None), gradient)
        theirs.grad = torch.tensor(gradient)
        optimizer.step()
    assert_allclose(own, theirs.detach().numpy(), rtol=1e-9, atol=1e-12)
    rows = np.array([2, 0])
    before = own.copy()
    made.step(own, rows, gradients[0][:2])
    assert (own[rows] != before[rows]).all()
    assert_allclose(own[[1, 3]], before[[1, 3]], rtol=0, atol=0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"similarity": "dot", "temperature": 1.0, "learning_rate": 0.03, "weight_decay": 0.001},
        {"loss": "approx_ndcg(alpha=auto)", "batch_size": 7},
        {"loss": losses.CrossEntropy()},
    ],
)
def test_it_learns_tastes(options: dict[str, Any]) -> None:
    train, held = tastes()
    model = FactorRanker(8, random_state=1, n_threads=1, max_iter=80, **options).fit(train)
    untrained = FactorRanker(8, random_state=1, n_threads=1, max_iter=1, learning_rate=1e-9).fit(train)
    assert model.score(held) > 0.62 > 0.5 > untrained.score(held)
    assert len(model.history_) == 80
    assert model.best_iteration_ == 79


def test_validation_chooses_an_epoch_and_stops() -> None:
    train, held = tastes()
    model = FactorRanker(8, random_state=1, n_threads=1, max_iter=400, patience=5, measure="ndcg@3", learning_rate=0.1)
    model.fit(train, eval_set=held)
    found = [entry["validation"] for entry in model.history_]
    assert len(found) < 400
    assert model.best_iteration_ == int(np.argmax(found)) == len(found) - 6
    assert_allclose(model.score(held), max(found), rtol=1e-12)
    lowest = clone(model).set_params(measure="pairwise_error").fit(train, eval_set=held)
    assert lowest.best_iteration_ == int(np.argmin([entry["validation"] for entry in lowest.history_]))


def test_seeds_decide_and_threads_do_not() -> None:
    train, _ = tastes()
    options: dict[str, Any] = {"max_iter": 3, "batch_size": 16}
    one = FactorRanker(4, random_state=5, n_threads=1, **options).fit(train)
    two = FactorRanker(4, random_state=5, n_threads=2, **options).fit(train)
    other = FactorRanker(4, random_state=6, n_threads=1, **options).fit(train)
    assert_allclose(one.user_factors_, two.user_factors_, rtol=0, atol=0)
    assert (one.user_factors_ != other.user_factors_).any()


def test_recommendations_are_the_best_of_all_items_without_those_seen() -> None:
    train, held = tastes()
    model = FactorRanker(4, random_state=0, n_threads=1, max_iter=5).fit(train)
    dense, scores = train.toarray(), model.user_factors_ @ model.item_factors_.T
    found = model.recommend(k=6)
    assert list(found) == list(range(40))
    for user, items in found.items():
        unseen = [item for item in np.argsort(-scores[user], kind="stable").tolist() if not dense[user, item]]
        assert items == unseen[:6]
    assert model.recommend([3], k=30, exclude_seen=False)[3] == np.argsort(-scores[3], kind="stable").tolist()
    assert len(model.recommend([3], k=30)[3]) == 30 - dense[3].sum()
    assert_allclose(model.predict([3, 0], [2, 7]), [scores[3, 2], scores[0, 7]], rtol=1e-12)
    run = {str(user): [str(item) for item in items] for user, items in model.recommend(k=20).items()}
    qrels = {str(u): [str(i) for i in np.flatnonzero(row)] for u, row in enumerate(held.toarray()) if row.any()}
    assert_allclose(
        model.score(held), evaluate(qrels, run, "ndcg(gain=exp2)@20").mean["ndcg(gain=exp2)@20"], rtol=1e-12
    )


def test_forms_of_interactions_give_the_same_model() -> None:
    pandas = pytest.importorskip("pandas")
    import polars

    pairs = [("u1", "b"), ("u1", "a"), ("u2", "c"), ("u3", "a"), ("u3", "c"), ("u1", "a")]
    users, items = zip(*pairs, strict=True)
    options: dict[str, Any] = {"n_factors": 3, "random_state": 0, "n_threads": 1, "max_iter": 4}
    listed = FactorRanker(**options).fit({"u1": ["b", "a"], "u2": ["c"], "u3": {"a", "c"}})
    frames = [
        pandas.DataFrame({"user_id": users, "item_id": items}),
        polars.DataFrame({"who": users, "what": items}),
    ]
    named: list[dict[str, Any]] = [{}, {"user": "who", "item": "what"}]
    for frame, columns in zip(frames, named, strict=True):
        model = FactorRanker(**options).fit(frame, **columns)
        assert model.user_ids_.tolist() == ["u1", "u2", "u3"]
        assert model.item_ids_.tolist() == ["b", "a", "c"]
        assert_allclose(model.user_factors_, listed.user_factors_, rtol=0, atol=0)
    matrix = csr_array(np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1.0]]))
    assert_allclose(FactorRanker(**options).fit(matrix).item_factors_, listed.item_factors_, rtol=0, atol=0)
    graded = FactorRanker(**options).fit({"u1": {"b": 3, "a": 1}, "u2": {"c": 2}, "u3": {"a": 1, "c": 0.5}})
    numbers = pandas.DataFrame({"user": users, "item": items, "stars": [3, 1, 2, 1, 0.5, 1]})
    framed = FactorRanker(**options).fit(numbers, label="stars")
    assert_allclose(graded.item_factors_, framed.item_factors_, rtol=0, atol=0)
    assert (graded.item_factors_ != listed.item_factors_).any()


def test_integer_ids_stay_integers_and_are_found_in_any_order() -> None:
    model = FactorRanker(2, random_state=0, n_threads=1, max_iter=2).fit({90: [7, 5], 30: [5, 6], 60: [7]})
    assert list(model.recommend([60, 90], k=1, exclude_seen=False)) == [60, 90]
    assert set(model.recommend([30], k=3, exclude_seen=False)[30]) == {5, 6, 7}
    assert model.recommend([90], k=3) == {90: [6]}


@pytest.mark.parametrize("ids", ["text", "numbers"])
def test_a_file_holds_the_model(ids: str, tmp_path: Path) -> None:
    name = (lambda number: f"é{number}") if ids == "text" else (lambda number: 10 * number)
    own = {name(u): [name(i) for i in range(6) if (i + u) % 3 or i == u] for u in range(5)}
    model = FactorRanker(3, loss=losses.LambdaRank(truncation=3), random_state=0, n_threads=1, max_iter=3).fit(own)
    learners.save(model, tmp_path / "model.json.gz")
    again: Any = learners.load(tmp_path / "model.json.gz")
    assert again.recommend(k=4) == model.recommend(k=4)
    assert_allclose(again.user_factors_, model.user_factors_, rtol=0, atol=0)
    assert again.loss == "lambda_rank(truncation=3)"
    sent = pickle.loads(pickle.dumps(model))
    assert sent.recommend(k=4) == model.recommend(k=4)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"values": ["u", "v"]', '"values": ["u", "u"]', "user_ids_ must be distinct"),
        ('"values": ["u", "v"]', '"values": ["u", 5]', "user_ids_[1]: must be text, got 5"),
        ("[2, 1]", "[2, 7]", "must add up to the 3 entries"),
        ("[0, 1, 0]", "[0, 7, 0]", "an item number must be from 0 to 1"),
    ],
)
def test_a_changed_file_is_refused_with_the_entry(old: str, new: str, message: str, tmp_path: Path) -> None:
    model = FactorRanker(2, random_state=0, n_threads=1, max_iter=1).fit({"u": ["a", "b"], "v": ["a"]})
    path = tmp_path / "model.json"
    learners.save(model, path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ModelError, match=re.escape(message)):
        learners.load(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0}, "temperature: expected a finite number above 0, got 0"),
        ({"temperature": float("nan")}, "temperature: expected a finite number above 0"),
        ({"learning_rate": -1.0}, "learning_rate: expected a finite number above 0"),
        ({"user_learning_rate": 0.0}, "user_learning_rate: expected a finite number above 0, got 0.0"),
        ({"dtype": "float"}, "dtype: unknown value 'float'; did you mean 'float64'?"),
        ({"weight_decay": -0.1}, "weight_decay: expected a finite number of at least 0"),
        ({"n_factors": 0}, "n_factors: expected a whole number of at least 1, got 0"),
        ({"batch_size": 0}, "batch_size: expected a whole number of at least 1"),
        ({"max_iter": 0}, "max_iter: expected a whole number of at least 1"),
        ({"patience": 0}, "patience: expected a whole number of at least 1"),
        ({"user_weight": "item"}, "user_weight: unknown value 'item'; did you mean 'items'?"),
        ({"similarity": "cosin"}, "similarity: unknown value 'cosin'; did you mean 'cosine'?"),
        ({"loss": "lambdarnk"}, "unknown loss 'lambdarnk'"),
        ({"measure": "ndgc"}, "unknown measure 'ndgc'"),
        ({"random_state": -1}, "random_state: expected a whole number of at least 0"),
        ({"n_factors": 2.5}, "n_factors: expected a whole number of at least 1, got 2.5"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        FactorRanker(**options).fit({"u": ["a"]})


def out_of_range() -> csr_array:
    matrix = csr_array(np.eye(3))
    matrix.indices[1] = 9
    return matrix


@pytest.mark.parametrize(
    ("given", "columns", "message"),
    [
        ({}, {}, "there are no interactions"),
        (csr_array((3, 4)), {}, "there are no interactions"),
        (csr_array(np.array([[0, -1.0]])), {}, "a label must be finite and not negative, got -1 for user 0, item 1"),
        (csr_array(np.array([[0, np.nan]])), {}, "a label must be finite and not negative, got nan for user 0, item 1"),
        (out_of_range(), {}, "the entries of the interactions are not a valid sparse matrix: indices must be < 3"),
        (np.eye(3), {}, "got ndarray"),
        (5, {}, "interactions are a SciPy sparse matrix of users x items"),
        ({"u": "abc"}, {}, "the items of user 'u' must be a list of ids, got str"),
        ({"u": [1.5]}, {}, "the id of an item: an id must be a string or an integer, got 1.5"),
        ({"u": {"a": float("inf")}}, {}, "a label must be a finite number, got inf"),
        ({"u": ["a"]}, {"user": "u"}, "user, item and label name columns of a data frame, got dict"),
    ],
)
def test_interactions_that_cannot_be_learned_from_are_refused(given: Any, columns: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        FactorRanker(2, max_iter=1).fit(given, **columns)


def test_frames_without_the_columns_are_refused() -> None:
    pandas = pytest.importorskip("pandas")

    frame = pandas.DataFrame({"usr": [1], "item": [2]})
    with pytest.raises(DataError, match="no column of query ids was recognized"):
        FactorRanker(2).fit(frame)
    with pytest.raises(DataError, match="the frame has no column 'user', did you mean 'usr'"):
        FactorRanker(2).fit(frame, user="user")


def test_what_was_not_in_fit_is_refused_by_name() -> None:
    model = FactorRanker(2, random_state=0, n_threads=1, max_iter=1)
    with pytest.raises(NotFittedError):
        model.recommend(["u"])
    model.fit({"u": ["a", "b"], "v": ["a"], "w": []})
    with pytest.raises(DataError, match=re.escape("2 of 3 users were not in fit, first 'x'")):
        model.recommend(["u", "x", "y"], k=1)
    with pytest.raises(DataError, match=re.escape("1 of 1 users was in fit without any item, first 'w'")):
        model.recommend(["w"], k=1)
    with pytest.raises(DataError, match="users must be a list of ids, got the one id 'u'"):
        model.recommend("u", k=1)
    with pytest.raises(DataError, match=re.escape("1 of 1 items was not in fit, first 'z'")):
        model.predict(["u"], ["z"])
    with pytest.raises(DataError, match="as many users as items, got 2 and 1"):
        model.predict(["u", "v"], ["a"])
    for k in (0, 3):
        with pytest.raises(OptionError, match=f"k must be from 1 to 2, the number of items, got {k}"):
            model.recommend(["u"], k=k)
    with pytest.raises(DataError, match="relevant has 1 items that were not in fit, first 'q'"):
        model.evaluate({"u": ["q"]})
    with pytest.raises(DataError, match="eval_set has 1 users that were not in fit, first 'n'"):
        clone(model).fit({"u": ["a", "b"]}, eval_set={"n": ["a"]})
    assert list(model.recommend(k=1, exclude_seen=False)) == ["u", "v"]


def test_an_interrupt_keeps_what_was_learned(monkeypatch: Any) -> None:
    train, held = tastes()
    calls = []
    whole = Factors.loss

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(Factors, "loss", interrupted)
    model = FactorRanker(4, random_state=0, n_threads=1, batch_size=10)
    with pytest.raises(KeyboardInterrupt):
        model.fit(train)
    assert len(model.history_) == 7
    assert model.score(held) > 0.1


def test_progress_is_shown(capsys: Any) -> None:
    train, held = tastes()
    FactorRanker(4, n_threads=1, max_iter=2, verbose=True).fit(train, eval_set=held)
    assert "validation" in capsys.readouterr().err


def test_training_that_makes_the_model_worse_is_said() -> None:
    train, held = tastes()
    loss = "softmax_at_k(hold=true,cutoff=3,slope=1)"
    with pytest.warns(
        ConvergenceWarning, match=r"became worse in training: the loss rose from .* to .*, and the valid"
    ) as seen:
        FactorRanker(loss=loss, learning_rate=3.0, max_iter=12, random_state=0).fit(train, eval_set=held)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FactorRanker(loss="softmax", max_iter=12, random_state=0).fit(train, eval_set=held)

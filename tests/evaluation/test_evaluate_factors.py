"""evaluate_factors against `evaluate` on the whole matrix of scores."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import idealrank as ir
from idealrank import _native
from idealrank.data import item_scores
from idealrank.errors import DataError
from idealrank.evaluation import whole_catalogs as factors

#: Measures that only look at the first ranks, and measures that rank all items.
TOP = ["ndcg@3", "recall@4", "p@2", "rr@5", "ap@3", "hit_rate@1", "rbp@4", "f1@2"]
ALL = [
    "ndcg",
    "ap",
    "rr",
    "ndcg@50%",
    "r_precision",
    "kendall_tau",
    "linear_ndcg",
    "ndcg(discount=linear)@3",
    "recall@4",
]


def by_evaluate(
    scores: Any, labels: Any, excluded: Any, measures: Any, like: str = "idealrank"
) -> ir.results.Evaluation:
    """Flat lists of the items that are not excluded, of users with a relevant one."""
    rows = [u for u in range(len(scores)) if (labels[u] * ~excluded[u]).any()]
    lists = [np.flatnonzero(~excluded[u]) for u in rows]
    flat, ranked = (
        np.concatenate([each[u][kept] for u, kept in zip(rows, lists, strict=True)]) for each in (labels, scores)
    )
    return ir.evaluate(flat, ranked, measures, group=[kept.size for kept in lists], query_ids=rows, like=like)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([TOP, ALL]), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_as_evaluate_on_all_scores(seed: int, measures: list[str], dtype: Any, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    n_users, n_items = rng.integers(1, 9), rng.integers(5, 40)
    users, items = rng.normal(size=(n_users, 3)).astype(dtype), rng.normal(size=(n_items, 3)).astype(dtype)
    if tied:
        users, items = np.rint(users), np.rint(items)
    labels = (rng.random((n_users, n_items)) < 0.3) * rng.integers(1, 4, (n_users, n_items)).astype(float)
    excluded = rng.random((n_users, n_items)) < rng.choice([0.0, 0.3, 0.9])
    labels[0, 0], excluded[0, 0] = 1, False
    if "kendall_tau" in measures:
        excluded[:, :2] = False  # a list of one has no pairs
    found = ir.evaluate_factors(
        users, items, csr_array(labels), exclude=csr_array(excluded.astype(float)), measures=measures, n_threads=1
    )
    expected = by_evaluate((users @ items.T).astype(float), labels, excluded, measures)
    assert found.query_ids.tolist() == expected.query_ids.tolist()
    assert found.filled == expected.filled
    for name in measures:
        assert_allclose(found.per_query[name], expected.per_query[name], rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("like", ["idealrank", "sklearn", "lightgbm", "trec_eval", "ranx"])
def test_conventions_are_applied_as_evaluate_applies_them(like: str) -> None:
    rng = np.random.default_rng(1)
    users, items = np.rint(2 * rng.normal(size=(6, 2))), np.rint(2 * rng.normal(size=(30, 2)))
    labels = (rng.random((6, 30)) < 0.3).astype(float)
    none = np.zeros(labels.shape, bool)
    found = ir.evaluate_factors(users, items, csr_array(labels), measures="ndcg@5", like=like)
    expected = by_evaluate(users @ items.T, labels, none, "ndcg@5", like)
    assert_allclose(found.per_query["ndcg@5"], expected.per_query["ndcg@5"], rtol=1e-12)
    assert found.convention.name == like


def test_a_gain_of_unlabeled_items_takes_the_path_of_complete_lists() -> None:
    labels, scores = np.array([[0.0, 2, 0, 1]]), np.array([[4.0, 3, 2, 1]])
    named = [ir.measures.DCG(cutoff=2, gain=ir.gains.Table({0: 1, 1: 2, 2: 5}))]
    (value,) = ir.evaluate_factors(lambda some: scores[some], None, csr_array(labels), measures=named).mean.values()
    assert_allclose(value, 1 + 5 / np.log2(3), rtol=1e-12)


@pytest.mark.parametrize("measures", [["ndcg@3", "recall@2"], ["ndcg", "rr"]])
def test_blocks_of_users_make_no_difference_and_scores_are_asked_for_once(measures: Any, monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(11, 7)), (rng.random((11, 7)) < 0.5).astype(float)
    labels[4] = 0
    asked: list[int] = []

    def scorer(users: Any) -> Any:
        asked.extend(users.tolist())
        return scores[users]

    whole = ir.evaluate_factors(scorer, None, csr_array(labels), measures=measures)
    monkeypatch.setattr(factors, "_SCORES_PER_BLOCK", 20)
    monkeypatch.setattr(factors, "_BEST_PER_CALL", 20)
    monkeypatch.setattr(item_scores, "_SCORES_PER_SELECTION", 20)
    asked.clear()
    parts = ir.evaluate_factors(scorer, None, csr_array(labels), measures=measures)
    assert asked == [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]
    for name in measures:
        assert_allclose(parts.per_query[name], whole.per_query[name], rtol=0, atol=0)
    assert parts.problems == whole.problems
    assert str(whole.problems[0]) == "1 of 11 users have no relevant item and are left out"


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_tiles_of_products_make_no_difference(kind: Any, monkeypatch: Any) -> None:
    rng = np.random.default_rng(1)
    users, items = (rng.integers(-9, 10, (size, 3)).astype(kind) for size in (11, 17))  # products without rounding
    labels, seen = (csr_array((rng.random((11, 17)) < share).astype(float)) for share in (0.4, 0.2))
    whole = ir.evaluate_factors(users, items, labels, exclude=seen, measures="ndcg@4")
    monkeypatch.setattr(item_scores, "_USERS_PER_TILE", 4)
    monkeypatch.setattr(item_scores, "_ITEMS_PER_TILE", 5)
    shapes = []
    product = item_scores.Products._product

    def recorded(*given: Any) -> Any:
        shapes.append((given[1].shape[0], given[2].shape[0]))
        return product(*given)

    monkeypatch.setattr(item_scores.Products, "_product", recorded)
    parts = ir.evaluate_factors(users, items, labels, exclude=seen, measures="ndcg@4")
    assert_allclose(parts.per_query["ndcg@4"], whole.per_query["ndcg@4"], rtol=0, atol=0)
    assert shapes == [(n, m) for n in (4, 4, 3) for m in (5, 5, 5, 2)]


@pytest.mark.slow
def test_the_matrix_of_scores_is_never_whole_in_memory() -> None:
    shapes = []

    def scorer(users: Any) -> Any:
        shapes.append(users.size * 50_000)
        return np.ones((users.size, 50_000), np.float32)

    relevant = csr_array((np.ones(400), (np.arange(400), np.arange(400))), shape=(400, 50_000))
    ir.evaluate_factors(scorer, None, relevant, measures="recall@5")
    assert sum(shapes) == 400 * 50_000
    assert max(shapes) <= 1 << 23


def test_scores_of_minus_infinity_rank_last_and_excluded_items_not_at_all() -> None:
    scores = np.array([[-np.inf, 1.0, -np.inf, 0.5]])
    labels = csr_array([[1.0, 0, 0, 0]])
    for measure in ("rr@4", "rr"):
        with_all = ir.evaluate_factors(lambda some: scores[some], None, labels, measures=measure)
        assert_allclose(with_all.mean[measure], (1 / 3 + 1 / 4) / 2, rtol=1e-12)
        without = csr_array([[0.0, 1, 1, 0]])
        fewer = ir.evaluate_factors(lambda some: scores[some], None, labels, exclude=without, measures=measure)
        assert_allclose(fewer.mean[measure], 1 / 2, rtol=1e-12)


def test_relevant_items_that_are_excluded_do_not_count() -> None:
    labels, seen = csr_array([[1.0, 1, 0], [0, 1, 0]]), csr_array([[1.0, 0, 0], [0, 1, 0]])
    found = ir.evaluate_factors(np.ones((2, 1)), [[3.0], [2.0], [1.0]], labels, exclude=seen, measures="recall@1")
    assert found.mean == {"recall@1": 1.0}
    assert found.query_ids.tolist() == [0]
    assert [problem.kind for problem in found.problems] == ["excluded relevant item", "user without relevant item"]


def test_evaluations_are_compared() -> None:
    rng = np.random.default_rng(0)
    labels = csr_array((rng.random((60, 20)) < 0.3).astype(float))
    good, bad = labels.toarray() + rng.normal(size=(60, 20)), rng.normal(size=(60, 20))
    found = {
        name: ir.evaluate_factors(own.__getitem__, None, labels, measures=["ndcg@5", "rr@5"])
        for name, own in (("bad", bad), ("good", good))
    }
    comparison = ir.compare(found, baseline="bad", seed=1)
    assert comparison.differences["ndcg@5"][0].p_value < 0.01
    assert_allclose(
        comparison.differences["ndcg@5"][0].difference, found["good"].mean["ndcg@5"] - found["bad"].mean["ndcg@5"]
    )
    assert found["good"].interval()["ndcg@5"][0] > found["bad"].interval()["ndcg@5"][1]
    with pytest.raises(DataError, match="evaluations are compared as they are"):
        ir.compare(found, {"a": [1], "b": [2]})
    with pytest.raises(DataError, match="a comparison needs systems"):
        ir.compare({"q": {"d": 1}})
    found["good"] = ir.evaluate_factors(lambda some: good[some], None, labels, measures="ndcg@4")
    with pytest.raises(DataError, match=r"'bad' was measured by ndcg.*, and 'good' by ndcg.*: evaluate both alike"):
        ir.compare(found, baseline="bad")


USERS, ITEMS, RELEVANT = np.ones((2, 3)), np.ones((4, 3)), csr_array(np.eye(2, 4))


@pytest.mark.parametrize(
    ("arguments", "exclude", "message"),
    [
        ((np.full((2, 3), np.nan), ITEMS, RELEVANT), None, "got another one in row 0 of user_factors"),
        ((USERS, np.diag([np.inf] * 4)[:, :3], RELEVANT), None, "got another one in row 0 of item_factors"),
        ((USERS[:, :2], ITEMS, RELEVANT), None, "must have as many columns, got shapes (2, 2) and (4, 3)"),
        ((np.ones((3, 3)), ITEMS, RELEVANT), None, "user_factors must have one row per user of relevant: 2, got 3"),
        ((USERS, ITEMS[:3], RELEVANT), None, "item_factors must have one row per item of relevant: 4, got 3"),
        ((USERS[0], ITEMS, RELEVANT), None, "user_factors must be a matrix of numbers, got float64 of shape (3,)"),
        ((USERS, None, RELEVANT), None, "item_factors must be a matrix of numbers, got object of shape ()"),
        ((USERS, ITEMS, [[1]]), None, "relevant must be a SciPy sparse matrix of users x items, got list"),
        ((USERS, ITEMS, RELEVANT), csr_array((2, 3)), "exclude must have shape (2, 4), one row per user"),
        ((USERS, ITEMS, -RELEVANT), None, "a label must be finite and not negative, got -1 for user 0, item 0"),
        ((USERS, ITEMS, csr_array((2, 4))), None, "no user has a relevant item that is not excluded"),
        ((USERS, ITEMS, RELEVANT), csr_array(np.ones((2, 4))), "no user has a relevant item that is not excluded"),
        ((lambda some: USERS, None, RELEVANT), None, "the scores of 2 users must have shape (2, 4)"),
        ((lambda some: np.full((2, 4), "a"), None, RELEVANT), None, "scores must be numbers, got <U1"),
        ((lambda some: USERS, ITEMS, RELEVANT), None, "a function returns scores, not factors"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(arguments: Any, exclude: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        ir.evaluate_factors(*arguments, exclude=exclude)


@pytest.mark.parametrize("measures", ["ndcg@2", "ndcg"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_no_number_is_named(measures: str, bad: float) -> None:
    scores = np.ones((5, 4))
    scores[3, 2] = bad
    with pytest.raises(DataError, match=f"must be a finite number, got {bad} for user 3 and item 2"):
        ir.evaluate_factors(lambda some: scores[some], None, csr_array(np.ones((5, 4))), measures=measures)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_native_search_for_the_best_items(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    scores = np.rint(3 * rng.normal(size=(20, 3000))).astype(dtype)
    excluded = np.stack([np.sort(rng.choice(3000, 200, replace=False)) for _ in range(20)])
    for k in (1, 20, 100, 2900, 5000):
        selection = _selection(dtype)(3000, k, excluded.ravel(), 200 * np.arange(21))
        for start in (0, 1000, 1001):
            selection.add(np.ascontiguousarray(scores[:, start : {0: 1000, 1000: 1001, 1001: 3000}[start]]), 2)
        items, values, offsets = selection.found()
        for user in range(20):
            kept = np.setdiff1d(np.arange(3000), excluded[user])
            order = kept[np.argsort(-scores[user, kept], kind="stable")]
            n = min(k, kept.size)
            n += int((scores[user, order[n:]] == scores[user, order[n - 1]]).sum())
            own = slice(offsets[user], offsets[user + 1])
            assert items[own].tolist() == order[:n].tolist()
            assert_allclose(values[own], scores[user, order[:n]], rtol=0, atol=0)
    with pytest.raises(DataError, match="an excluded item must be one of 3000, got 3000"):
        _selection(dtype)(3000, 1, np.array([3000]), np.array([0] * 20 + [1]))
    selection = _selection(dtype)(3000, 1, np.zeros(0, np.int64), np.zeros(21, np.int64))
    selection.add(scores, 1)
    with pytest.raises(ValueError, match="more scores than items"):
        selection.add(scores, 1)


def _selection(dtype: Any) -> Any:
    return _native.TopSelection32 if dtype is np.float32 else _native.TopSelection64


@pytest.mark.parametrize("n_items", [3, 8])
def test_all_items_are_ranked_whatever_the_discount_and_the_gains_are(n_items: int) -> None:
    rng = np.random.default_rng(n_items)
    scores, labels = rng.normal(size=(4, n_items)), rng.integers(0, 3, (4, n_items))
    labels[:, 0] = 2
    options: list[dict[str, Any]] = [
        {"discount": [0.1, 0.2, 0.9, 0.4, 0.5]},
        {"discount": [0.1, -0.2, -0.9, -0.4, -0.5]},
        {"gain": {0: 0, 1: -1, 2: 3}},
    ]
    for each in options:
        m = ir.measures.NDCG(cutoff=5, **each)
        found = ir.evaluate_factors(scores, np.eye(n_items), csr_array(labels), measures=m).per_query[str(m)]
        assert_allclose(found, m(labels.ravel(), scores.ravel(), np.arange(5) * n_items), rtol=0, atol=1e-12)

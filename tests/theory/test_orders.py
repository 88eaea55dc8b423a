"""Consistency with measures other than NDCG: best orders by enumeration, and measures without a consistent loss."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from idealrank import losses, measures, theory
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.theory.consistency.fisher import Mixture
from idealrank.theory.consistency.orders import Orders, measure_function

MIXTURE = np.array([0.45, 0.55]), np.array([[0.0, 0, 1], [1, 1, 0]])


def slow_expected(name: str, order: Any, chances: Floats, vectors: Floats) -> float:
    """The expected value of a measure if documents are in this order, one list at a time."""
    scores = np.empty(len(order))
    scores[list(order)] = -np.arange(len(order))
    values = [float(measures.measure(name)(labels, scores)[0]) for labels in vectors]
    return float(chances @ np.nan_to_num(values))


@pytest.mark.parametrize("name", ["ndcg", "ap", "err", "p@1", "rbp", "linear_ndcg", "rr", "kendall_tau", "recall@2"])
def test_expected_values_and_regrets_are_those_of_single_lists(name: str) -> None:
    orders = Orders(measure_function(name), 3)
    mixture = Mixture(*(column[None] for column in MIXTURE))
    slow = [slow_expected(name, order, *MIXTURE) for order in itertools.permutations(range(3))]
    assert_allclose(orders.expected(mixture)[0], slow, rtol=0, atol=1e-12)
    for scores in ([3.0, 1, 2], [1, 1, 0], [0, 0, 0], [-np.inf, 0, 1]):
        allowed = [
            value
            for order, value in zip(itertools.permutations(range(3)), slow, strict=True)
            if all(scores[i] >= scores[j] for i, j in itertools.pairwise(order))
        ]
        expected = max(slow) - np.mean(allowed)
        assert_allclose(orders.regret(mixture, np.array([scores])), [expected], rtol=0, atol=1e-12)


def check(name: str, measure: str, found: theory.Consistency) -> None:
    """What a refutation says can be seen without the search: the order loses, and costs less than the best ones."""
    assert found.consistent is False
    assert found.counterexample is not None
    assert found.order is not None
    assert found.best_order is not None
    chances, vectors = map(np.array, found.counterexample)
    slow = {order: slow_expected(measure, order, chances, vectors) for order in itertools.permutations(range(3))}
    assert slow[found.best_order] == pytest.approx(max(slow.values()), abs=1e-12)
    assert max(slow.values()) - slow[found.order] == pytest.approx(found.regret, abs=1e-9)
    assert found.expected == pytest.approx(slow[found.order], abs=1e-9)
    loss = losses.loss(name)

    def risk(scores: Any) -> float:
        return float(chances @ loss(vectors.ravel(), np.tile(scores, 2), [0, 3, 6])[0])

    assert found.charge is not None
    assert found.charge > 0
    rng = np.random.default_rng(0)
    for order, value in slow.items():
        if value > max(slow.values()) - 1e-10:
            for size in 10 ** rng.uniform(-2, 1, 50):
                scores = np.empty(3)
                scores[list(order)] = np.sort(rng.normal(size=3))[::-1] * size + rng.normal()
                assert risk(scores) >= risk(found.scores) + found.charge - 1e-9


@pytest.mark.parametrize(
    ("name", "measure"), [("hinge", "ap"), ("cross_entropy(normalizer=dcg)", "rr"), ("least_squares", "linear_ndcg")]
)
def test_losses_are_refuted_for_other_measures(name: str, measure: str) -> None:
    levels = (0, 1, 2) if measure == "linear_ndcg" else (0, 1)
    found = theory.check_consistency(name, 3, measure=measure, levels=levels, refine=False)
    check(name, measure, found)
    assert found.measure == measure
    assert f"{measure} on" in str(found)
    assert found.target is None


@pytest.mark.parametrize("measure", ["p@1", "p@2", "rbp", "dcg(gain=linear)"])
def test_regression_to_the_gain_is_consistent_with_measures_that_add_gains(measure: str) -> None:
    # E[gain] is the target of these measures, and what least squares fits.
    found = theory.check_consistency("least_squares(gain=linear)", measure=measure, levels=(0, 1))
    assert (found.answer, found.inconsistent, found.undecided) == ("not refuted", 0, 0)
    assert found.consistent is None


def test_ndcg_by_name_is_ndcg_by_options() -> None:
    options: dict[str, Any] = {"levels": (0, 1, 2), "refine": False}
    by_name = theory.check_consistency("least_squares(normalizer=dcg)", 3, measure="ndcg@1", **options)
    by_options = theory.check_consistency("least_squares(normalizer=dcg)", 3, cutoff=1, **options)
    assert by_name == by_options
    assert theory.check_consistency("least_squares(normalizer=1)", measure="ndcg@1", **options).consistent is True


def test_a_function_can_be_the_measure() -> None:
    def first(labels: Floats, scores: Floats, offsets: Int64s) -> Floats:
        lists = zip(np.split(labels, offsets[1:-1]), np.split(scores, offsets[1:-1]), strict=True)
        return np.array([label[np.argmax(score)] for label, score in lists])

    found = theory.check_consistency("least_squares(gain=linear)", 2, measure=first, levels=(0, 1, 3))
    assert (found.measure, found.inconsistent) == ("first", 0)
    assert theory.check_consistency("least_squares", 2, measure=first, levels=(0, 1, 3)).consistent is False
    with pytest.raises(DataError, match="one value per query"):
        theory.check_consistency("least_squares", 2, measure=lambda labels, scores, offsets: [1.0])
    with pytest.raises(OptionError, match="a measure must be a name or a function"):
        theory.check_consistency("least_squares", measure=3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="cutoff belong to NDCG: pass them as options of the measure ap"):
        theory.check_consistency("least_squares", measure="ap", cutoff=3)


def disagreement(labels: Floats, scores: Floats, offsets: Int64s) -> Floats:
    """Minus the number of pairs in the wrong order, of lists of three documents."""
    wanted, given = labels.reshape(-1, 3), scores.reshape(-1, 3)
    wrong = (wanted[:, :, None] > wanted[:, None, :]) & (given[:, :, None] < given[:, None, :])
    return np.asarray(-wrong.sum(axis=(1, 2)), np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["ap", "err", "rr", "kendall_tau", disagreement])
def test_no_convex_loss_is_consistent_with_measures_without_a_target(measure: Any) -> None:
    found = theory.no_convex_loss(measure)
    assert found is not None
    chances, vectors = np.array(found.probabilities), np.array(found.label_vectors)
    assert chances.sum() == pytest.approx(1)
    orders = Orders(measure_function(measure), 3)
    index = {tuple(order): place for place, order in enumerate(orders.documents.tolist())}
    first, second = index[found.first], index[found.second]

    def expected(*extra: Any) -> Floats:
        more = sum(1e-4 * orders.values(np.array([each]))[0] for each in extra)
        return np.asarray(chances @ orders.values(vectors) + more)

    at = expected()
    assert_allclose([at[first], at[second]], at.max(), rtol=0, atol=1e-9)
    # A little more of one label vector, and one of the two orders is no longer best.
    assert expected(found.toward_first)[second] < expected(found.toward_first)[first] - 1e-9
    assert expected(found.toward_second)[first] < expected(found.toward_second)[second] - 1e-9
    # On straight ways between scores in the two orders, which a convex set would contain, the value is lower somewhere.
    rng = np.random.default_rng(1)
    for _ in range(200):
        ends = []
        for order in (found.first, found.second):
            scores = np.empty(3)
            scores[list(order)] = np.sort(rng.exponential(size=3))[::-1]
            ends.append(scores)
        way = np.linspace(ends[0], ends[1], 2001)
        lost = orders.regret(Mixture(np.tile(chances, (2001, 1)), np.tile(vectors, (2001, 1, 1))), way)
        assert lost.max() >= found.between - 1e-9
    assert found.between > 1e-4


@pytest.mark.parametrize("measure", ["ndcg", "ndcg@2", "p@1", "p@2", "rbp", "linear_ndcg", "recall@2", "dcg", "auc"])
def test_measures_with_a_target_are_not_ruled_out(measure: str) -> None:
    assert theory.no_convex_loss(measure) is None


def test_what_no_convex_loss_shows_are_two_lists() -> None:
    found = theory.no_convex_loss("ap")
    assert found is not None
    assert found.table("labels").by_column() == {
        "probability": pytest.approx([5 / 13, 8 / 13]),
        "d1": [0, 1],
        "d2": [0, 1],
        "d3": [1, 0],
    }
    assert "no convex loss is consistent with ap" in found.page().remarks[0]
    with pytest.raises(OptionError, match="two documents and two levels"):
        theory.no_convex_loss("ap", n_docs=1)
    with pytest.raises(OptionError, match="too many"):
        theory.no_convex_loss("ap", n_docs=5)

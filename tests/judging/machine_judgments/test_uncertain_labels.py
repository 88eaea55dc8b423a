"""Expected values over uncertain labels, against all labels enumerated."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError

LABELS: Any = {
    "q1": {"a": {0: 0.2, 1: 0.5, 3: 0.3}, "b": [0, 0, 2], "c": 1, "e": {0: 0.9, 3: 0.1}},
    "q2": {"a": {0: 0.5, 2: 0.5}, "d": 0},
}
RUNS: Any = {
    "one": {"q1": ["b", "x", "a", "c"], "q2": ["d", "a"]},
    "two": {"q1": ["c", "a"], "q2": ["a", "d"]},
}


def enumerated(measure: Any, run: Any, like: Any = None) -> Any:
    """Return the expected mean over all combinations of labels."""
    places = [(query, doc) for query, docs in LABELS.items() for doc in docs]
    laws = []
    for query, doc in places:
        given = LABELS[query][doc]
        if isinstance(given, list):
            given = {label: given.count(label) / len(given) for label in given}
        laws.append(list(given.items()) if isinstance(given, dict) else [(given, 1.0)])
    total = 0.0
    for chosen in product(*laws):
        qrels: Any = {query: {} for query in LABELS}
        for (query, doc), (label, _) in zip(places, chosen, strict=True):
            qrels[query][doc] = label
        chance = np.prod([share for _, share in chosen])
        total += chance * ir.evaluate(qrels, run, measure, like=like).mean[measure]
    return total


@pytest.mark.parametrize("measure", ["dcg@3", "p@2", "rbp", "dcg(gain=exp2)", "p(rel=2)@3"])
def test_sums_over_documents_are_exact(measure: Any) -> None:
    found = ir.evaluate_uncertain(LABELS, RUNS, measure, n_draws=20)
    assert found.is_exact
    for system, run in RUNS.items():
        assert found.mean[system] == pytest.approx(enumerated(measure, run), abs=1e-12)
        assert found.error[system] == 0


@pytest.mark.parametrize("measure", ["ndcg@3", "ap", "recall@2", "err@5", "rr"])
def test_other_measures_are_within_their_stated_error(measure: Any) -> None:
    found = ir.evaluate_uncertain(LABELS, RUNS, measure, n_draws=1500, seed=1)
    assert not found.is_exact
    for system, run in RUNS.items():
        assert 0 < found.error[system] < 0.02
        assert abs(found.mean[system] - enumerated(measure, run)) < 4 * found.error[system]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_have_the_value_of_other_draws_as_often_as_they_claim(level: Any) -> None:
    rng = np.random.default_rng(4)
    docs = [f"d{i}" for i in range(30)]
    chances = {doc: float(rng.uniform(0.2, 0.8)) for doc in docs}
    labels: Any = {"q": {doc: {0: 1 - chance, 1: chance} for doc, chance in chances.items()}}
    found = ir.evaluate_uncertain(labels, {"q": docs}, "dcg", n_draws=2000, seed=5, level=level)
    drawn = (rng.random((2000, 30)) < list(chances.values())) @ (1 / np.log2(np.arange(2, 32)))
    low, high = found.interval()
    assert np.mean((low <= drawn) & (drawn <= high)) == pytest.approx(level, abs=0.025)
    assert found.draws[""].std() == pytest.approx(drawn.std(), rel=0.1)  # documents are drawn independently


def test_the_mean_label_is_another_number() -> None:
    """What a wrong variant would return: the measure of mean labels."""
    means = {"q": {"a": 1.5, "b": 1}}
    wrong = ir.evaluate(means, {"q": ["a", "b"]}, "ndcg", like="idealrank").mean["ndcg"]
    found = ir.evaluate_uncertain({"q": {"a": [0, 3], "b": 1}}, {"q": ["a", "b"]}, "ndcg", like="idealrank")
    assert wrong == 1
    assert found.mean[""] < 0.9


def test_draws_are_the_same_for_all_systems() -> None:
    found = ir.evaluate_uncertain(LABELS, {"one": RUNS["one"], "same": RUNS["one"]}, "ndcg", n_draws=50)
    assert found.probability_ahead("one", "same") == 0.5
    assert (found.draws["one"] == found.draws["same"]).all()
    again = ir.evaluate_uncertain(LABELS, RUNS["one"], "ndcg", n_draws=50)
    assert (again.draws[""] == found.draws["one"]).all()


def test_certain_labels_give_the_value_of_evaluate() -> None:
    qrels = {"q1": {"a": 2, "b": 0}, "q2": {"d": 1}}
    found = ir.evaluate_uncertain(qrels, RUNS["one"], "ndcg@3", n_draws=3)
    assert found.mean[""] == pytest.approx(ir.evaluate(qrels, RUNS["one"], "ndcg@3").mean["ndcg@3"])
    assert found.interval() == (found.mean[""], found.mean[""])


@pytest.mark.parametrize(
    ("judgments", "options", "error", "words"),
    [
        ({}, {}, DataError, "empty"),
        ({"q1": {"a": {0: 0.5, 1: 0.6}}}, {}, DataError, r"sum to 1, got \{0: 0.5, 1: 0.6\} for document 'a'"),
        ({"q1": {"a": {0: -0.5, 1: 1.5}}}, {}, DataError, "probabilities must be 0 or more"),
        ({"q1": {"a": [1, -1]}}, {}, DataError, "from 0 on"),
        ({"q1": {"a": []}}, {}, DataError, "sum to 1"),
        ({"q1": {"a": "x"}}, {}, DataError, "needs a label"),
        ({"q1": {"a": float("nan")}}, {}, DataError, "finite"),
        ({"q1": {"a": 1}}, {"n_draws": 1}, OptionError, "from 2 on, got 1"),
        ({"q1": {"a": 1}}, {"level": 1}, OptionError, "level"),
    ],
)
def test_refusals(judgments: Any, options: Any, error: Any, words: Any) -> None:
    with pytest.raises(error, match=words):
        ir.evaluate_uncertain(judgments, RUNS["one"], **options)

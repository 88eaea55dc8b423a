"""The expected value, and the documents to judge next, on drawn data with known labels."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.judging.unjudged.expected_values import LabelModel


def drawn(seed: Any, n_queries: Any = 60, n_docs: Any = 12, judged: Any = 0.5) -> Any:
    """Return all labels, some of them as judgments, and a run; relevance falls with the rank, judging is at random."""
    rng = np.random.default_rng(seed)
    full, run = {}, {}
    for query in range(n_queries):
        docs = [f"d{i}" for i in range(n_docs)]
        chances = 0.8 / (1 + np.arange(n_docs))
        full[f"q{query}"] = {
            doc: int(rng.random() < chance) * int(rng.integers(1, 3)) for doc, chance in zip(docs, chances, strict=True)
        }
        run[f"q{query}"] = docs
    some = {
        query: {doc: label for doc, label in labels.items() if rng.random() < judged} for query, labels in full.items()
    }
    return full, {query: labels or {"d0": full[query]["d0"]} for query, labels in some.items()}, run


def test_the_expected_value_counts_known_labels_among_all_documents_of_similar_ranks(monkeypatch: Any) -> None:
    # Half of the documents are judged, at random: a model that doubles the known shares is the truth.
    full, judged, run = drawn(0, n_queries=2000)
    truth = ir.evaluate(full, run, "dcg@10").mean["dcg@10"]
    mean = ir.bounds(judged, run, "dcg@10", n_draws=5).mean[""]
    assert mean["value"] < mean["expected"] < truth
    # known + (unknown documents) * (half of the true chance) = 1/2 + 1/2 * 1/2 of the truth
    assert mean["expected"] == pytest.approx(0.75 * truth, rel=0.03)

    of = LabelModel.of

    def doubled(runs: Any, rules: Any) -> Any:
        probabilities = of(runs, rules).probabilities.copy()
        probabilities[:, 1:] *= 2
        probabilities[:, 0] = 1 - probabilities[:, 1:].sum(axis=1)
        return LabelModel(probabilities)

    monkeypatch.setattr(LabelModel, "of", doubled)
    assert ir.bounds(judged, run, "dcg@10", n_draws=5).mean[""]["expected"] == pytest.approx(truth, rel=0.03)


#: One query; the unjudged documents are at ranks 1, 3, 4 and 6, in the bins of ranks 1, 2 to 3 and 4 to 7.
JUDGED: Any = {"q": {"b": 2, "e": 0, "f": 1, "x": 1}}
RANKED: Any = {"q": ["u", "b", "v", "w", "e", "z", "f"]}
CHANCES = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.5, 0.1, 0.4]])  # of the labels 0, 1 and 2, by bin


def enumerated(measure: Any, like: Any) -> Any:
    """Return the measure with all labels of the unjudged documents, and their probabilities."""
    values, chances = [], []
    for labels in product(range(3), repeat=4):
        qrels = {"q": JUDGED["q"] | dict(zip("uvwz", labels, strict=True))}
        values.append(ir.evaluate(qrels, RANKED, measure, like=like).mean[measure])
        chances.append(np.prod([CHANCES[place, label] for place, label in zip([0, 1, 2, 2], labels, strict=True)]))
    return np.array(values), np.array(chances)


@pytest.mark.parametrize(
    "measure",
    ["ndcg@4", "ndcg", "ndcg(gain=exp2)@3", "recall@3", "recall", "f1@4", "dcg@4", "p@3", "rbp", "ap", "err@5"],
)
def test_expected_values_are_those_of_all_labels(measure: Any, monkeypatch: Any) -> None:
    found = np.zeros((64, 3))
    found[:3] = CHANCES
    monkeypatch.setattr(LabelModel, "of", lambda runs, rules: LabelModel(_merged(found, rules)))
    values, chances = enumerated(measure, "trec_eval")
    n_draws = 20_000 if measure not in ("ap", "err@5") else 600  # these draw the label of each document
    got = ir.bounds(JUDGED, RANKED, measure, labels=[0, 1, 2], n_draws=n_draws, seed=1).mean[""]["expected"]
    mean = chances @ values
    error = np.sqrt(chances @ (values - mean) ** 2 / n_draws)
    is_exact = measure in ("dcg@4", "p@3", "rbp")
    assert got == pytest.approx(mean, abs=1e-12 if is_exact else 4 * error)


def _merged(chances: Any, rules: Any) -> Any:
    """Return the probabilities of the gains: a binary measure has one for the labels 1 and 2."""
    if rules.labels.size == 3:
        return chances
    return np.stack([chances[:, 0], chances[:, 1:].sum(axis=1)], axis=1)


def test_expected_values_are_reproducible() -> None:
    _, judged, run = drawn(1)
    first, again, other = (
        ir.bounds(judged, run, "ndcg@5", n_draws=3, seed=seed).per_query()["expected"] for seed in (4, 4, 5)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def n_until_decided(full: Any, judged: Any, runs: Any, chosen: Any) -> Any:
    """Return how many documents are judged, in the order that ``chosen`` gives, until the order is decided."""
    known = {query: dict(labels) for query, labels in judged.items()}
    for n in range(400):
        differences = ir.bounds(known, runs, "ndcg@5", labels=[0, 1, 2], baseline="b", n_draws=0).differences
        if differences[0].is_decided:
            return n
        query, doc = chosen(known)
        known[query][doc] = full[query][doc]
    raise AssertionError("never decided")


@pytest.mark.slow
def test_judging_the_chosen_documents_decides_sooner_than_judging_at_random() -> None:
    rng = np.random.default_rng(3)
    counts = []
    for seed in range(2):
        full, judged, run = drawn(seed, n_queries=5)
        worse = {query: [docs[i] for i in rng.permutation(len(docs))] for query, docs in run.items()}
        runs = {"a": run, "b": worse}

        def best(known: Any, runs: Any = runs) -> Any:
            found = ir.judge_next(known, runs, "ndcg@5", labels=[0, 1, 2], baseline="b", n=1)
            return found.queries[0], found.documents[0]

        def random(known: Any, full: Any = full) -> Any:
            left = [(query, doc) for query, labels in full.items() for doc in labels if doc not in known[query]]
            return left[rng.integers(len(left))]

        counts.append([n_until_decided(full, judged, runs, chosen) for chosen in (best, random)])
    chosen, at_random = np.sum(counts, axis=0)
    assert chosen < 0.6 * at_random


def test_documents_with_the_same_weight_in_both_systems_are_not_chosen() -> None:
    runs = {"x": {"q": ["c", "d"]}, "y": {"q": ["e", "d"]}}
    found = ir.judge_next({"q": {"a": 1}}, runs, "ndcg@2")
    assert set(found.documents) == {"c", "e"}
    assert found.ranks == {"x": (1, None), "y": (None, 1)} or found.ranks == {"x": (None, 1), "y": (1, None)}


def test_nothing_to_judge_once_the_order_is_decided() -> None:
    runs = {"x": {"q": ["a"]}, "y": {"q": ["b"]}}
    found = ir.judge_next({"q": {"a": 1, "b": 0}}, runs, "ndcg@2")
    assert found.documents == ()
    assert "No judgment is needed" in found.page().findings[0]
    alone = ir.judge_next({"q": {"a": 1, "b": 0}}, {"bm25": {"q": ["a", "b", "c"]}}, "ndcg@2")
    assert list(alone.page().findings) == ["No unjudged document of bm25 is at a rank that ndcg@2 counts."]


@pytest.mark.parametrize(
    ("systems", "changed", "ranks"),
    [
        (["x"], "the mean of x", "the column after it: its rank."),
        (["x", "y"], "the mean difference between the systems", "the columns after it: its rank in each system."),
        (
            ["x", "y", "z"],
            "the mean differences, summed over the 2 pairs whose order is undecided",
            "the columns after it: its rank in each system.",
        ),
    ],
)
def test_the_note_says_what_a_label_could_change(systems: list[str], changed: str, ranks: str) -> None:
    runs = {name: {"q": [f"{name}1", "a"]} for name in systems}
    (note,) = ir.judge_next({"q": {"a": 1}}, runs, "ndcg@2").table().notes
    assert note == f"effect: how much the gain of this document alone could change {changed}; {ranks}"


def test_of_several_differences_the_first_sentence_counts_those_that_are_open() -> None:
    runs = {name: {"q": [f"{name}1", "a"]} for name in ("x", "y", "z")}
    verdict, *_ = ir.bounds({"q": {"a": 1}}, runs, "ndcg@2").page().findings
    assert verdict == "Unjudged documents alone could decide both differences from x: y and z."
    assert list(ir.judge_next({"q": {"a": 1}}, runs, "ndcg@2").page().findings) == [verdict]
    judged = {name: {"q": order} for name, order in (("x", ["a", "b"]), ("y", ["b", "a"]), ("z", ["b"]))}
    verdict, *_ = ir.bounds({"q": {"a": 1, "b": 0}}, judged, "ndcg@2").page().findings
    assert verdict == "Unjudged documents cannot reverse any of the 2 differences from x."


@pytest.mark.parametrize(
    ("qrels", "runs", "measure", "words"),
    [
        ({"a": 1, "b": 1}, {"x": ["a", "b"], "y": ["b", "a"]}, "ndcg@2", "are equal .* and whatever their labels are"),
        ({"a": 1, "b": 0}, {"x": ["a"], "y": ["c"]}, "p@1", "could make them equal, but not reverse the order"),
        ({"a": 1, "b": 0}, {"x": ["b"], "y": ["c"]}, "p@1", "are equal .*: unjudged .* could decide the order"),
        ({"a": 1, "b": 0}, {"x": ["c", "a"], "y": ["b", "d", "a"]}, "rr", "might reverse"),
    ],
)
def test_equal_systems_are_not_said_to_be_reversible(qrels: Any, runs: Any, measure: Any, words: Any) -> None:
    found = ir.bounds({"q": qrels}, {name: {"q": docs} for name, docs in runs.items()}, measure).differences[0]
    text = found.page().findings[0]
    assert re.search(words, text)
    assert "could reverse" not in text


def test_every_column_of_the_bounds_is_explained() -> None:
    found = ir.bounds({"q": {"a": 1}}, {"x": {"q": ["b", "a"]}}, "ndcg@2").table()
    (note,) = found.notes
    meanings = {name for part in note.split("; ") for name in part.partition(":")[0].split(", ")}
    assert {name.partition("@")[0] for name in found.header} - {"system"} <= meanings

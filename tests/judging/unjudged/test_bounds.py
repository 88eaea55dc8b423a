"""Bounds against all labels of unjudged documents, tried one by one."""

import itertools
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError
from idealrank.measures import NDCG
from idealrank.measures.discounts import Discount

MEASURES = [
    "ndcg@3",
    "ndcg",
    "ndcg(gain=exp2)@4",
    "ndcg(gain=binary)@2",
    "ndcg(discount=zipf)@50%",
    "ndcg(discount=power:0)@3",
    "ndcg(ideal=retrieved)@3",
    "ndcg(ideal=full)@3",
    "ndcg(ties=average)@3",
    "ndcg(ties=average)",
    "ndcg(ties=reverse)@3",
    "ndcg(empty=1)@3",
    "ndcg(empty=nan)@3",
    "linear_ndcg",
    "dcg@2",
    "dcg",
    "ap",
    "ap@3",
    "ap(denominator=reachable)@3",
    "ap(ties=reverse)@3",
    "ap(empty=nan)",
    "p@3",
    "p",
    "recall@2",
    "recall",
    "recall(ties=average)@2",
    "f1@3",
    "f1",
    "r_precision",
    "rr",
    "err",
    "rbp(p=0.5)",
    "hit_rate@2",
]
#: The bounds of a difference are exact for these; both systems have lists of the same length.
WITH_DIFFERENCES = ["ndcg@3", "ndcg", "ndcg(gain=exp2)@4", "ndcg(ties=average)@3", "dcg@2", "p@3", "rbp(p=0.5)"]


class Rising(Discount):
    """A discount that the theory of bounds does not cover."""

    def __call__(self, ranks: Any, n: Any = None) -> Any:
        return np.asarray(ranks, float)


def drawn(rng: Any) -> Any:
    """Return judgments, the documents of a run with scores that tie, and the highest label."""
    highest = int(rng.integers(1, 4))
    docs = [f"d{i}" for i in range(int(rng.integers(1, 7)))]
    judged = {doc: int(rng.integers(0, highest + 1)) for doc in docs if rng.random() < 0.5}
    judged |= {f"x{i}": int(rng.integers(0, highest + 1)) for i in range(int(rng.integers(0, 3)))}
    if rng.random() < 0.2:
        judged = dict.fromkeys(judged, 0)
    return judged or {"x9": 0}, {doc: float(rng.integers(0, 4)) for doc in docs}, highest


def all_values(name: Any, judged: Any, runs: Any, n_unseen: Any, highest: Any) -> Any:
    """Return the values of each run, for all labels of the documents that it, or another run, has unjudged."""
    unjudged = sorted({doc for run in runs for doc in run} - judged.keys())
    if (highest + 1) ** (len(unjudged) + n_unseen) > 2000:
        return None
    measure = ir.measure(name).with_convention("trec_eval")
    choices = np.array(list(itertools.product(range(highest + 1), repeat=len(unjudged) + n_unseen)), float)
    known = np.tile(np.array(list(judged.values()), float), (len(choices), 1))
    pool = np.concatenate([known, choices], axis=1)
    values = []
    for run in runs:
        docs = sorted(run)  # the row number stands in for the document id
        labels = np.stack(
            [
                choices[:, unjudged.index(doc)] if doc in unjudged else np.full(len(choices), judged[doc])
                for doc in docs
            ],
            axis=1,
        )
        scores = np.tile([run[doc] for doc in docs], (len(choices), 1))
        offsets = np.arange(len(choices) + 1)
        values.append(
            measure(labels.ravel(), scores.ravel(), offsets * len(docs), judged=(pool.ravel(), offsets * pool.shape[1]))
        )
    return values


@pytest.mark.parametrize("name", MEASURES)
def test_bounds_are_those_of_all_labels(name: Any) -> None:
    rng = np.random.default_rng(MEASURES.index(name))
    n_cases = n_wide = 0
    while n_cases < 15:
        judged, run, highest = drawn(rng)
        n_unseen = int(rng.integers(0, 3))
        found = all_values(name, judged, [run], n_unseen, highest)
        if found is None or np.isnan(found).all():
            continue
        got = ir.bounds({"q": judged}, {"q": run}, name, labels=range(highest + 1), n_unseen=n_unseen, n_draws=0)
        expected = np.nanmin(found), np.nanmax(found)
        per_query = got.per_query()
        assert (per_query["lowest"][0], per_query["highest"][0]) == pytest.approx(expected, abs=1e-12)
        n_cases += 1
        n_wide += expected[0] < expected[1]
    assert n_wide > 3


@pytest.mark.parametrize("name", WITH_DIFFERENCES)
def test_bounds_of_a_difference_are_those_of_all_labels(name: Any) -> None:
    rng = np.random.default_rng(WITH_DIFFERENCES.index(name))
    n_cases = n_open = 0
    while n_cases < 15:
        judged, run, highest = drawn(rng)
        names = [*run, "e0", "e1"]
        other = {doc: float(rng.integers(0, 4)) for doc in rng.choice(names, len(run), replace=False)}
        found = all_values(name, judged, [run, other], 0, highest)
        if found is None:
            continue
        runs = {"a": {"q": run}, "b": {"q": other}}
        (got,) = ir.bounds({"q": judged}, runs, name, labels=range(highest + 1), baseline="b", n_draws=0).differences
        difference = found[0] - found[1]
        assert (got.lowest, got.highest) == pytest.approx((difference.min(), difference.max()), abs=1e-12)
        assert got.is_exact
        n_cases += 1
        n_open += not got.is_decided
    assert n_open > 3


def test_bounds_of_other_differences_hold_and_are_marked() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        judged, run, highest = drawn(rng)
        other = {doc: float(rng.integers(0, 4)) for doc in run}
        found = all_values("ap", judged, [run, other], 0, highest)
        if found is None:
            continue
        runs = {"a": {"q": run}, "b": {"q": other}}
        (got,) = ir.bounds({"q": judged}, runs, "ap", labels=range(highest + 1), baseline="b", n_draws=0).differences
        difference = found[0] - found[1]
        assert not got.is_exact
        assert got.lowest <= difference.min() + 1e-12
        assert got.highest >= difference.max() - 1e-12


def test_values_and_queries_are_those_of_evaluate() -> None:
    qrels = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}, "q3": {"d": 1}}
    run = {"q1": ["z", "a"], "q2": ["c", "z"]}
    found = ir.bounds(qrels, run, "ndcg@10")
    evaluation = ir.evaluate(qrels, run, "ndcg@10")
    assert found.mean[""]["value"] == evaluation.mean["ndcg@10"]
    assert found.systems[""].query_ids.tolist() == evaluation.query_ids.tolist() == ["q1", "q2"]
    assert ir.bounds(qrels, run, "ndcg@10", like="idealrank").systems.n_queries == 3


def test_without_unjudged_documents_all_columns_agree() -> None:
    found = ir.bounds({"q": {"a": 1, "b": 0}}, {"q": ["b", "a"]}, "ndcg")
    mean = found.mean[""]
    assert mean["lowest"] == mean["value"] == mean["expected"] == mean["highest"] == mean["condensed"]
    assert found.n_unjudged == 0


def test_unseen_documents_lower_the_bound() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a"]}
    assert ir.bounds(qrels, run, "ndcg").mean[""]["lowest"] == 1
    lowest = ir.bounds(qrels, run, "ndcg", n_unseen=1).mean[""]["lowest"]
    assert lowest == pytest.approx(1 / (1 + 1 / np.log2(3)))


def test_a_label_scale_with_gaps() -> None:
    qrels = {"q": {"a": 0.5, "b": 2.5}}
    assert ir.bounds(qrels, {"q": ["a", "c"]}, "ndcg", like="idealrank").labels == (0.0, 0.5, 2.5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ir.bounds([1, 0], [2, 1], "ndcg"), DataError, "every document is judged"),
        (lambda: ir.bounds({"q": {"a": 1}}, {"q": ["a"]}, "bpref"), OptionError, "no bounds are known for bpref"),
        (lambda: ir.bounds({"q": {"a": 1}}, {"q": ["a"]}, "ndcg(ties=best)"), OptionError, "does not depend on labels"),
        (lambda: ir.bounds({"q": {"a": 1}}, {"q": ["a"]}, "ap(ties=average)"), OptionError, "averaged ties"),
        (lambda: ir.bounds({"q": {"a": 1}}, {"q": ["a"]}, "ndcg", labels=[-1, 2]), OptionError, "from 0 on"),
        (lambda: ir.bounds({"q": {"a": 1}}, {"q": ["a"]}, "ndcg", baseline="x"), OptionError, "baseline"),
        (
            lambda: ir.bounds({"q": {"a": 1}}, {"q": ["b", "a"]}, NDCG(discount=Rising())),
            OptionError,
            "does not increase",
        ),
        (lambda: ir.judge_next({"q": {"a": 1}}, {"q": ["a"]}, "rr"), OptionError, "does not sum gains"),
        (lambda: ir.judge_next({"q": {"a": 1}}, {"q": ["a"]}, n=0), OptionError, "positive integer"),
    ],
)
def test_refusals(call: Any, error: Any, words: Any) -> None:
    with pytest.raises(error, match=words):
        call()

"""compare with machine judgments: values per query, agreement, and input that says little."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import t

import idealrank as ir
from idealrank import stats
from idealrank.errors import DataError, OptionError
from idealrank.judging.machine_judgments.sampled_documents import label_agreement

DOCS = [f"d{i}" for i in range(12)]


def judged(rng: Any, n_queries: Any = 40, of_judge: Any = 0.5) -> Any:
    """Return human labels, those of a noisy judge, and three runs."""
    human: Any = {}
    machine: Any = {}
    runs: Any = {"a": {}, "b": {}, "c": {}}
    for number in range(n_queries):
        relevance = rng.normal(0, 1, len(DOCS))
        for table, noise in ((human, 0.0), (machine, of_judge)):
            labels = np.digitize(relevance + rng.normal(noise, noise, len(DOCS)), [0, 1])
            table[f"q{number}"] = dict(zip(DOCS, labels.tolist(), strict=True))
        for name, noise in (("a", 0.5), ("b", 1.0), ("c", 3.0)):
            order = np.argsort(-(relevance + rng.normal(0, noise, len(DOCS))))
            runs[name][f"q{number}"] = [DOCS[i] for i in order]
    return human, machine, runs


def some_of(human: Any, n: Any = 12) -> Any:
    return dict(list(human.items())[:n])


def test_estimates_are_those_of_prediction_powered_on_values_of_evaluate() -> None:
    human, machine, runs = judged(np.random.default_rng(0))
    found = ir.compare_assisted(some_of(human), machine, runs, ["ndcg@5", "ap"], baseline="b")
    for measure in ("ndcg@5", "ap"):
        by_human = {name: ir.evaluate(some_of(human), run, measure).per_query[measure] for name, run in runs.items()}
        by_machine = {name: ir.evaluate(machine, run, measure).per_query[measure] for name, run in runs.items()}
        for each in found.means[measure]:
            expected = stats.prediction_powered(by_human[each.system], by_machine[each.system], value_range=(0, 1))
            assert (each.mean, each.low, each.n_equivalent) == (expected.mean, expected.low, expected.n_equivalent)
            assert (each.human_low, each.machine_mean) == (expected.human_low, expected.machine_mean)
            assert each.bias == pytest.approx((by_machine[each.system][:12] - by_human[each.system]).mean())
        for each in found.differences[measure]:
            expected = stats.prediction_powered(
                by_human[each.system] - by_human["b"],
                by_machine[each.system] - by_machine["b"],
                value_range=(0, 1),
                is_difference=True,
            )
            assert (each.against, each.mean, each.high) == ("b", expected.mean, expected.high)
            assert (each.p_value <= 0.05) == (expected.low > 0 or expected.high < 0)
            assert each.p_value <= each.corrected
    assert [each.system for each in found.differences["ap"]] == ["a", "c"]


def test_p_values_and_intervals_say_the_same() -> None:
    human, machine, runs = judged(np.random.default_rng(5))
    for level in (0.2, 0.05, 0.001):
        found = ir.compare_assisted(some_of(human), machine, runs, "ndcg@5", level=level, correction="none")
        assert len(found.differences["ndcg@5"]) == 3
        for each in found.differences["ndcg@5"]:
            assert (each.p_value <= level) == (each.low > 0 or each.high < 0)


def test_intervals_of_means_and_differences_are_as_wide_as_their_errors_are() -> None:
    """For the mean over exactly these queries, with 12 random ones of 30 that people judged."""
    rng = np.random.default_rng(2)
    human, machine, runs = judged(rng, n_queries=30, of_judge=0.2)
    truth = {name: own["ndcg@5"] for name, own in ir.evaluate(human, runs, "ndcg@5").mean.items()}
    covered, errors, variances, alone = [], [], [], []
    for _ in range(100):
        chosen = {query: human[query] for query in rng.permutation(list(human))[:12]}
        found = ir.compare_assisted(chosen, machine, runs, "ndcg@5", n_threads=1)
        estimates = [*found.means["ndcg@5"], *found.differences["ndcg@5"]]
        truths = np.array([truth[each.system] - truth.get(each.against, 0.0) for each in estimates])
        low, high = np.array([(each.these_low, each.these_high) for each in estimates]).T
        covered.append((low <= truths) & (truths <= high))
        errors.append([each.mean for each in estimates] - truths)
        alone.append([each.human_mean for each in estimates] - truths)
        variances.append(((high - low) / 2 / t.ppf(0.975, 10)) ** 2)
    assert 0.9 < np.mean(covered) < 0.98
    assert np.mean(errors, axis=0) == pytest.approx(0, abs=0.012)
    assert np.mean(variances, axis=0).sum() == pytest.approx(np.square(errors).mean(axis=0).sum(), rel=0.2)
    assert np.square(errors).mean() < 0.7 * np.square(alone).mean()


def test_what_is_said_about_judges() -> None:
    human, machine, runs = judged(np.random.default_rng(0))
    found = ir.compare_assisted(some_of(human), machine, runs, "ndcg@5")
    text = " ".join(found.page().findings)
    assert "12 of 40 queries have human judgments" in text
    assert "% of the 144 documents with both, kappa" in text
    assert found.agreement.bias > 0
    assert found.same_order("ndcg@5") == 3
    constant = {query: dict.fromkeys(docs, 1) for query, docs in machine.items()}
    told = ir.compare_assisted(some_of(human), constant, runs, "ndcg@5")
    assert all(each.mean == each.human_mean for each in told.means["ndcg@5"])
    assert "machine values do not count" in " ".join(told.page().remarks)
    assert "nan" not in " ".join(told.page().findings)
    opposite = {query: {doc: 2 - label for doc, label in docs.items()} for query, docs in human.items()}
    told = ir.compare_assisted(some_of(human), opposite, runs, "ndcg@5")
    assert "not positively correlated" in " ".join(told.page().remarks)
    assert told.agreement.correlation < 0


def test_a_single_difference_is_not_counted() -> None:
    human, machine, runs = judged(np.random.default_rng(0))
    two = dict(list(runs.items())[:2])
    one, other = two
    found = ir.compare_assisted(some_of(human), machine, two, "ndcg@5")
    verdict, worth, _ = found.page().findings
    assert "of 1" not in f"{found!r} {verdict} {worth}"
    assert f"{one} differs significantly from {other} on new queries at level 0.05" in verdict
    assert worth.endswith("Machine judgments alone agree with the sign of this difference.")
    opposite = {query: {doc: 2 - label for doc, label in docs.items()} for query, docs in human.items()}
    _, worth, _ = ir.compare_assisted(some_of(human), opposite, two, "ndcg@5").page().findings
    assert worth.endswith("Machine judgments alone disagree with the sign of this difference.")
    verdict, worth, _ = ir.compare_assisted(some_of(human, 25), machine, runs, "ndcg@5").page().findings
    assert "all 3 pairs differ significantly on new queries" in verdict
    assert worth.endswith("agree with the sign of all 3 differences.")


def test_problems_say_by_which_judgments_they_were_found() -> None:
    human, machine, runs = judged(np.random.default_rng(0))
    unjudged = {name: {query: [*docs, "new"] for query, docs in run.items()} for name, run in runs.items()}
    found = ir.compare_assisted(some_of(human), machine, unjudged, "ap")
    assert list(found.page().remarks[-2:]) == [
        "12 (7.7%) of the ranked documents are unjudged (human judgments)",
        "40 (7.7%) of the ranked documents are unjudged (machine judgments)",
    ]


@pytest.mark.parametrize("sample", ["queries", "documents"])
def test_human_judgments_of_everything_give_the_test_of_compare(sample: Any) -> None:
    """For new queries: the machine has nothing to add, and the difference is as uncertain as without it."""
    human, machine, runs = judged(np.random.default_rng(0))
    found = ir.compare_assisted(human, machine, runs, "ndcg@5", sample=sample, correction="none", these_queries=True)
    plain = ir.compare(human, runs, "ndcg@5", test="t", correction="none")
    for each in found.differences["ndcg@5"]:
        (own,) = (
            pair for pair in plain.differences["ndcg@5"] if {pair.system, pair.against} == {each.system, each.against}
        )
        assert each.p_value == pytest.approx(own.p_value, abs=1e-11)  # 2^-39 is the least p-value of 40 signs
        assert abs(each.mean) == pytest.approx(abs(own.difference))
        assert each.these_low == pytest.approx(each.mean) == each.these_high
    for each in found.means["ndcg@5"]:
        expected = ir.evaluate(human, runs[each.system], "ndcg@5").interval()["ndcg@5"]
        assert (each.low, each.high) == pytest.approx(tuple(expected))
        assert each.these_low == pytest.approx(each.mean) == each.these_high
    assert "not needed" in " ".join(found.page().remarks)
    assert "over exactly these 40 queries: " in " ".join(found.page().findings)


def test_unjudged_parts_of_queries_are_said() -> None:
    human, machine, runs = judged(np.random.default_rng(0))
    parts = {query: dict(list(docs.items())[:4]) for query, docs in human.items()}
    assert "sample='documents'" in " ".join(ir.compare_assisted(parts, machine, runs, "ndcg@5").page().remarks)


def test_queries_and_documents_of_one_kind_of_judgments_only() -> None:
    human, machine, runs = judged(np.random.default_rng(0))
    fewer = dict(list(machine.items())[2:])
    found = ir.compare_assisted(some_of(human), fewer, runs, "ndcg@5")
    assert found.means["ndcg@5"][0].n_human == 10
    assert found.n_queries == 38
    assert "2 queries with human judgments have no machine judgments" in " ".join(found.page().remarks)
    renamed = {query: {f"x{doc}": label for doc, label in docs.items()} for query, docs in machine.items()}
    told = ir.compare_assisted(some_of(human), renamed, runs, "ndcg@5")
    assert "No document has both a human and a machine label." in told.page().findings
    assert all(each.machine_mean == 0 for each in told.means["ndcg@5"])


@pytest.mark.parametrize(
    ("change", "options", "error", "words"),
    [
        (lambda human: {}, {}, DataError, "no human judgments|empty"),
        (
            lambda human: some_of(human, 2),
            {},
            DataError,
            "at least 3 queries need both .*, got 2.*--human-sample documents",
        ),
        (
            lambda human: {f"x{q}": docs for q, docs in human.items()},
            {},
            DataError,
            "no query in common: the first query with human judgments is 'xq0', the first with machine judgments is",
        ),
        (some_of, {"level": 2}, OptionError, "level"),
        (some_of, {"correction": "sidak"}, OptionError, "one of holm, .*, got 'sidak'"),
        (some_of, {"sample": "words"}, OptionError, "one of queries, documents, got 'words'"),
        (some_of, {"baseline": "x"}, DataError, "baseline 'x'"),
        (some_of, {"measures": "gm_map"}, OptionError, "gm_map is not a mean"),
        (some_of, {"machine": {}}, DataError, "machine judgments|empty"),
    ],
)
def test_refusals(change: Any, options: Any, error: Any, words: Any) -> None:
    human, machine, runs = judged(np.random.default_rng(0), n_queries=15)
    with pytest.raises(error, match=words):
        ir.compare_assisted(change(human), **({"machine": machine, "systems": runs} | options))


def test_labeled_lists_are_refused() -> None:
    data = ir.from_arrays([1, 0, 1, 0], offsets=[0, 2, 4])
    with pytest.raises(DataError, match="labeled lists"):
        ir.compare_assisted(data, data, {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}, "rr")


def test_kappa_equals_its_definition() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 4, 500), rng.integers(0, 3, 500)
    second = np.where(rng.random(500) < 0.5, first, second)
    found = label_agreement(first.astype(float), second.astype(float))
    chance = sum((first == label).mean() * (second == label).mean() for label in range(4))
    assert found.kappa == pytest.approx(((first == second).mean() - chance) / (1 - chance))
    assert np.sum(found.counts) == 500

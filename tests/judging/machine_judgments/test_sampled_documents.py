"""Estimates from human labels of some documents, on drawn collections whose values are known."""

from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError
from idealrank.judging.machine_judgments import sampled_documents as documents
from idealrank.stats.control_variates import Estimate


def collection(rng: Any, n_queries: Any = 20, n_docs: Any = 60, noise: Any = 0.8) -> Any:
    """Return human labels that differ much between queries, those of a noisy and generous judge, and two runs."""
    human: Any = {}
    machine: Any = {}
    runs: Any = {"good": {}, "bad": {}}
    for number in range(n_queries):
        query = f"q{number}"
        relevance = rng.normal(rng.normal(0, 0.5), 1, n_docs)
        labels = np.digitize(relevance, [0, 0.8, 1.6])
        guesses = np.digitize(relevance + rng.normal(0.5, noise, n_docs), [0, 0.8, 1.6])
        docs = [f"d{i}" for i in range(n_docs)]
        human[query] = dict(zip(docs, labels.tolist(), strict=True))
        machine[query] = dict(zip(docs, guesses.tolist(), strict=True))
        for name, spread in (("good", 1.0), ("bad", 1.6)):
            order = np.argsort(-(relevance + rng.normal(0, spread, n_docs)))
            runs[name][query] = [docs[i] for i in order]
    return human, machine, runs


def sample(rng: Any, human: Any, share: Any = 0.3) -> Any:
    """Keep the labels of a random share of the documents of each query."""
    found = {}
    for query, docs in human.items():
        chosen = rng.choice(len(docs), round(share * len(docs)), replace=False)
        names = list(docs)
        found[query] = {names[i]: docs[names[i]] for i in chosen}
    return found


def draws(noise: Any = 0.8, n_draws: Any = 45, measure: Any = "ndcg@10", n_collections: Any = 3) -> Any:
    """Return mean errors of a mean and a difference, the share of intervals with the truth, and widths with a judge."""
    rng = np.random.default_rng(3)
    errors, covered, widths = [], [], []
    for _ in range(n_collections):
        human, machine, runs = collection(rng, noise=noise)
        truth = ir.evaluate(human, runs, measure).mean
        for _ in range(n_draws // n_collections):
            found = ir.compare_assisted(sample(rng, human), machine, runs, measure, sample="documents", baseline="bad")
            (difference,), mean = found.differences[measure], found.means[measure][0]
            gap = truth["good"][measure] - truth["bad"][measure]
            errors.append((mean.mean - truth["good"][measure], difference.mean - gap))
            covered.append(difference.these_low <= gap <= difference.these_high)
            of_both, of_human = (1 / n - 1 / difference.n for n in (difference.n_equivalent, difference.n_human))
            widths.append(np.sqrt(of_both / of_human))
    return np.mean(errors, axis=0), np.mean(covered), np.mean(widths)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.3, 0.8])
def test_ndcg_has_little_bias_and_its_intervals_cover(noise: Any) -> None:
    error, covered, width = draws(noise)
    assert abs(error[0]) < 0.03
    assert abs(error[1]) < 0.02
    assert covered >= 0.87
    assert width < {0.3: 0.75, 0.8: 0.95}[noise]


@pytest.mark.slow
def test_a_judge_that_guesses_does_no_harm() -> None:
    error, covered, width = draws(noise=1e3)
    assert abs(error[0]) < 0.03
    assert abs(error[1]) < 0.02
    assert covered >= 0.87
    assert width < 1.05


def test_the_check_sees_residuals_without_inclusion_probabilities(monkeypatch: Any) -> None:
    """As if the sample was all documents: only the machine's labels count for the others."""
    original = documents._of_query

    def wrong(model: Any, sampled: Any, own: Any, weights: Any, inverse: Any, sums: Any) -> Any:
        known = sampled.is_known[own]
        found = original(model, sampled, own, weights, inverse, sums)
        fixed = original(model, sampled, own, weights * ~known, inverse, sums).values
        return documents._OfQuery(fixed + known.mean() * (found.values - fixed), found.deviations, found.open)

    monkeypatch.setattr(documents, "_of_query", wrong)
    error, _, _ = draws(n_draws=15)
    assert np.abs(error).max() > 0.05


def test_the_check_sees_an_ideal_of_the_sample_alone(monkeypatch: Any) -> None:
    original = documents._Ideal.of
    monkeypatch.setattr(
        documents._Ideal,
        "of",
        lambda model, sums, counts, expected, rest: original(model, sums, counts, expected, 0 * rest),
    )
    error, _, _ = draws(n_draws=15)
    assert np.abs(error).max() > 0.03


def test_the_check_sees_a_variance_of_the_sample_mean_alone(monkeypatch: Any) -> None:
    """Without the factor N / n, as if the documents with human labels were all that count."""
    original = documents._of_query

    def wrong(*given: Any) -> Any:
        found = original(*given)
        return documents._OfQuery(found.values, found.deviations * 0.3, found.open)

    monkeypatch.setattr(documents, "_of_query", wrong)
    assert draws(n_draws=30)[1] < 0.8


DISCOUNTS = 1 / np.log2(np.arange(2, 12))


def errors_of_draws(rng: Any, times: Any, n_known: Any, *, has_ideal: Any, spread: Any) -> Any:
    """Return errors of two means and their difference, and the variances that were estimated for them.

    The labels are drawn as the model has them: by the class of the machine label, times a factor of the query.
    """
    n_queries, n_docs, found = 20, 60, []
    offsets = np.arange(n_queries + 1) * n_docs
    for _ in range(times):
        classes = (rng.random((n_queries, n_docs)) < 0.3).astype(float)
        factor = rng.gamma(1 / spread, spread, (n_queries, 1))
        labels = (rng.random(classes.shape) < np.where(classes == 1, 0.5, 0.1) * factor).astype(float)
        ideal = (-np.sort(-labels, axis=1)[:, :10] * DISCOUNTS).sum(axis=1) if has_ideal else np.ones(n_queries)
        rankings, truth = [], []
        for noise in (0.5, 2):
            order = np.argsort(-(labels + rng.normal(0, noise, labels.shape)), axis=1)[:, :10]
            rankings.append(
                documents.WeightedRanking((order + offsets[:-1, None]).ravel(), np.tile(DISCOUNTS, n_queries))
            )
            values = (np.take_along_axis(labels, order, 1) * DISCOUNTS).sum(axis=1)
            truth.append(np.where(ideal > 0, values / np.maximum(ideal, 1e-9), 0.0).mean())
        known = rng.permuted(np.tile(np.arange(n_docs), (n_queries, 1)), axis=1) < n_known
        gains = np.where(known, labels, np.nan).ravel()
        own = documents.estimate_by_document(
            documents.Sampled.of(offsets, gains, classes.ravel()),
            rankings,
            None if has_ideal else ideal,
            DISCOUNTS,
            np.full(n_queries, 10),
        )
        estimates = [own.contrast(0), own.contrast(1), own.contrast(0, 1)]
        off = np.array([each.mean for each in estimates]) - [*truth, truth[0] - truth[1]]
        found.append((off, [each.open_variance for each in estimates]))
    return np.moveaxis(np.array(found), 1, 0)


def test_variances_of_dcg_are_those_of_its_errors() -> None:
    errors, variances = errors_of_draws(np.random.default_rng(5), 300, 18, has_ideal=False, spread=0.25)
    assert np.mean(errors, axis=0) == pytest.approx(0, abs=4 * np.std(errors) / np.sqrt(300))
    assert np.mean(variances, axis=0) / np.square(errors).mean(axis=0) == pytest.approx(1, abs=0.2)


@pytest.mark.slow
def test_variances_of_ndcg_are_those_of_its_errors_or_a_little_more() -> None:
    errors, variances = errors_of_draws(np.random.default_rng(0), 200, 5, has_ideal=True, spread=1.5)
    assert np.mean(errors, axis=0) == pytest.approx(0, abs=0.05)
    ratios = np.mean(variances, axis=0) / np.square(errors).mean(axis=0)
    assert 1.1 < ratios.mean() < 1.5


@pytest.mark.parametrize("counts", [(1, 0), (3, 1), (6, 2)])
def test_the_mean_inverse_of_an_ideal_sum_is_that_of_drawn_numbers(counts: Any) -> None:
    rng = np.random.default_rng(1)
    steps, shapes = np.array([1.0, 2.0]), np.array([[4.0], [2.0]])
    sums = np.concatenate([[0.0], np.cumsum(DISCOUNTS)])
    own, expected, rest = np.array(counts, float)[:, None], np.array([[2.5], [0.8]]), np.array([[6.0], [2.0]])
    model: Any = SimpleNamespace(steps=steps, shapes=shapes)
    found = documents._Ideal.of(model, sums, own, expected, rest)
    factors = rng.gamma(shapes + own, 1 / (shapes + expected), (2, 50_000))
    numbers = np.minimum(own + rng.poisson(factors * rest), 10).astype(int)
    ideal = steps @ sums[numbers]
    assert float(found.inverse[0]) == pytest.approx((1 / ideal[ideal > 0]).mean(), rel=0.06)
    slopes = (sums[np.minimum(numbers + 1, 10)] - sums[numbers]).mean(axis=1)
    assert found.slopes.ravel() == pytest.approx(slopes, rel=0.05)


@pytest.mark.slow
def test_sums_are_exactly_unbiased(monkeypatch: Any) -> None:
    """Over all samples of two of the four documents of each query, before they are limited to the measure's range."""
    monkeypatch.setattr(Estimate, "_limits", lambda self: (-np.inf, np.inf))
    rng = np.random.default_rng(1)
    human, machine, runs = collection(rng, n_queries=3, n_docs=4)
    measures = ["dcg@3", "p@2", "rbp(p=0.5)"]
    estimates = []
    for chosen in product(combinations(range(4), 2), repeat=3):
        some = {q: {f"d{i}": human[q][f"d{i}"] for i in own} for q, own in zip(human, chosen, strict=True)}
        if not any(label for docs in some.values() for label in docs.values()):
            estimates.append([0.0] * 6)
            continue
        found = ir.compare_assisted(some, machine, runs, measures, sample="documents")
        estimates.append([each.mean for name in measures for each in found.means[name]])
    truth = ir.evaluate(human, runs, measures).mean
    expected = [own[name] for name in measures for own in truth.values()]
    assert np.mean(estimates, axis=0) == pytest.approx(expected, abs=1e-12)


def test_p_values_and_intervals_say_the_same() -> None:
    human, machine, runs = collection(np.random.default_rng(2), n_queries=6)
    options: Any = {"sample": "documents", "correction": "none"}
    some = sample(np.random.default_rng(1), human)
    (each,) = ir.compare_assisted(some, machine, runs, "dcg@10", **options).differences["dcg@10"]
    assert 0.001 < each.p_value < 0.999
    for level in (each.p_value * 0.99, each.p_value * 1.01):
        (own,) = ir.compare_assisted(some, machine, runs, "dcg@10", level=level, **options).differences["dcg@10"]
        assert (own.low > 0 or own.high < 0) == (level > each.p_value)


@pytest.mark.parametrize("measure", ["ndcg@10", "ndcg", "ndcg(gain=exp2)@5", "dcg@10"])
def test_human_labels_of_all_documents_give_the_value_of_evaluate(measure: Any) -> None:
    human, machine, runs = collection(np.random.default_rng(0), n_queries=5)
    found = ir.compare_assisted(human, machine, runs, measure, sample="documents")
    truth = ir.evaluate(human, runs, measure).mean
    for each in found.means[measure]:
        assert each.these_low == each.mean == each.these_high == pytest.approx(truth[each.system][measure])
        assert "not needed" in each.note


def test_sampled_documents_that_cannot_be_used_are_refused_or_said() -> None:
    human, machine, runs = collection(np.random.default_rng(0), n_queries=4)
    some = sample(np.random.default_rng(1), human)
    with pytest.raises(OptionError, match="ap cannot be estimated"):
        ir.compare_assisted(some, machine, runs, "ap", sample="documents")
    with pytest.raises(DataError, match=r"(?s)human labels of 2 documents or more, and 1 have fewer, got 1.*q1"):
        ir.compare_assisted(some | {"q1": {"d0": 1}}, machine, runs, sample="documents")
    with pytest.raises(DataError, match="human labels of 2 documents or more, and 3 have fewer, got 0"):
        ir.compare_assisted({"q1": some["q1"]}, machine, runs, sample="documents")
    with pytest.raises(DataError, match="no human label has a gain"):
        ir.compare_assisted(
            {query: dict.fromkeys(docs, 0) for query, docs in some.items()}, machine, runs, sample="documents"
        )
    with pytest.raises(DataError, match="no human judgments"):
        ir.compare_assisted(ir.Qrels({}), machine, runs, sample="documents")
    more = {query: docs | {"new": 3} for query, docs in some.items()}
    found, plain = (ir.compare_assisted(each, machine, runs, sample="documents") for each in (more, some))
    assert [each.mean for each in found.means["ndcg@10"]] == [each.mean for each in plain.means["ndcg@10"]]
    assert "4 documents with human labels have no machine label" in "".join(found.page().remarks)


def test_machine_scores_with_many_values_are_put_into_classes() -> None:
    human, machine, runs = collection(np.random.default_rng(0), n_queries=10)
    rng = np.random.default_rng(2)
    fine = {query: {doc: label + rng.random() for doc, label in docs.items()} for query, docs in machine.items()}
    some = sample(rng, human)
    found = ir.compare_assisted(some, fine, runs, sample="documents")
    assert found.differences["ndcg@10"][0].n_equivalent > 1.1 * found.differences["ndcg@10"][0].n_human


def test_a_constant_judge_is_as_good_as_none() -> None:
    human, _, runs = collection(np.random.default_rng(0), n_queries=10)
    constant = {query: dict.fromkeys(docs, 1) for query, docs in human.items()}
    found = ir.compare_assisted(sample(np.random.default_rng(1), human), constant, runs, sample="documents")
    for each in (*found.means["ndcg@10"], *found.differences["ndcg@10"]):
        assert (each.mean, each.low) == (each.human_mean, each.human_low)
        assert each.n_equivalent == pytest.approx(each.n_human)
    assert np.isnan(found.agreement.correlation)
    assert "nan" not in found.to_text() + "".join(found.page().findings)

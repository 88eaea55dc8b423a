"""`bounds`, `judge_next`, `compare_assisted` and their like: unjudged documents and machine judgments."""

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from statements.data import Pool, pool
from statements.world import Kind, World, at_most, between

import idealrank as ir
from idealrank import stats
from idealrank.data.ids import Ids
from idealrank.judging.machine_judgments.sampled_documents import Sampled, WeightedRanking, estimate_by_document
from idealrank.stats.control_variates import Estimate

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "significant difference with machine judgments": Kind(
        "a differs significantly from b on new queries at level 0.05: +0.0500 (+0.0200 to +0.0800)."
    ),
    "interval with machine judgments": Kind("The mean over new queries like these is 0.5000 (0.4500 to 0.5500)."),
    "interval for exactly these queries": Kind("Over exactly these queries, it is 0.5000 (0.4800 to 0.5200)."),
    "worth of machine judgments": Kind(
        "The estimate is as precise as that from about 80 queries with human judgments alone."
    ),
    "human judgments needed": Kind(
        "A 95% interval for new queries with a width of about 0.1 needs human judgments of about 40 of 200 queries."
    ),
    "pilot of a plan": Kind(
        "The 50 queries of the pilot have a standard deviation of 0.12.", certain="numbers of the given pilot"
    ),
    "agreement of labels": Kind(
        "Human and machine labels are equal on 80% of the 600 documents with both.", certain="counts of given labels"
    ),
    "expected value with uncertain labels": Kind("The expected ndcg is 0.45 (with a standard error of 0.003)."),
    "range with uncertain labels": Kind("With a probability of 95%, labels put it between 0.4 and 0.5."),
    "range for any labels": Kind("ndcg of a is from 0.3 to 0.5 for any labels from 0 to 3."),
    "order decided": Kind("a is ahead of b by 0.01 to 0.05 whatever the labels of unjudged documents are."),
    "unjudged documents could reverse": Kind("Unjudged documents alone could reverse the order."),
    "unjudged documents could not reverse": Kind("Unjudged documents alone could make them equal, and not reverse it."),
    "order left open": Kind(
        "Unjudged documents alone might reverse the order.",
        certain="it says what is not known: the bounds are not exact, and do not exclude it",
    ),
    "judge these first": Kind(
        "These documents can change dcg of a most, by their gains at their ranks.",
        certain="weights of ranks times gains, sorted",
    ),
    "which documents to judge": Kind(
        "'idealrank judge-next' lists the documents to judge first.", certain="it names a command"
    ),
}

_DOCS = 30


@functools.cache
def _ids(n: int, size: int) -> tuple[Ids, np.ndarray, Ids]:
    """Return ids of queries, where each begins, and ids of documents."""
    docs = Ids.of([f"d{at}" for at in range(size)] * n)
    return Ids.of([f"q{row}" for row in range(n)]), np.arange(0, n * size + 1, size), docs


def _judged(labels: np.ndarray) -> ir.Qrels:
    """Return judgments with labels[query, document]."""
    return ir.Qrels.from_flat(*_ids(*labels.shape), labels.ravel())


def _runs(own: Pool) -> dict[str, ir.Run]:
    return {name: ir.Run.from_flat(*_ids(*scores.shape), scores.ravel()) for name, scores in own.scores.items()}


def good_judge(rng: np.random.Generator, own: Pool) -> np.ndarray:
    """A judge who is generous and often off by one."""
    return np.clip(np.rint(own.labels + rng.normal(0.4, 0.7, own.labels.shape)), 0, 3)


def _random(rng: np.random.Generator, own: Pool) -> np.ndarray:
    return rng.integers(0, 4, own.labels.shape).astype(float)


def _opposite(rng: np.random.Generator, own: Pool) -> np.ndarray:
    return 3 - own.labels


def _partial(rng: np.random.Generator, own: Pool) -> np.ndarray:
    """A judge to whom what one system ranks high is relevant, and nothing else."""
    first = next(iter(own.scores.values()))
    return np.where((-first).argsort(axis=1).argsort(axis=1) < 10, 3.0, 0.0)


def _excellent(rng: np.random.Generator, own: Pool) -> np.ndarray:
    return np.where(rng.random(own.labels.shape) < 0.02, rng.integers(0, 4, own.labels.shape), own.labels)


_JUDGES = {
    "a good judge": good_judge,
    "an excellent judge": _excellent,
    "random labels": _random,
    "a judge who says the opposite": _opposite,
    "a judge who is partial to one system": _partial,
}
_Judge = Callable[[np.random.Generator, Pool], np.ndarray]


def by_document(
    rng: np.random.Generator, own: Pool, share: float, judge: _Judge, measure: str
) -> tuple[np.ndarray, np.ndarray, Estimate]:
    """Draw human judgments of this share of the documents, and estimate the difference between both systems.

    Returns where the judged documents are, [query, place], the machine labels, and what `compare_assisted` says of the
    difference; a test compares them. It also estimates without machine judgments, which takes as long.
    """
    n, size = own.labels.shape
    n_docs = max(2, round(share * size))
    places = np.arange(n)[:, None] * size + np.sort(rng.random((n, size)).argsort(axis=1)[:, :n_docs], axis=1)
    machine = judge(rng, own)
    plan = ir.measure(measure).with_convention("trec_eval").plan()
    assert plan is not None
    assert isinstance(plan.cutoff, ir.cutoffs.Rank)
    depth = plan.cutoff.k
    gains = own.labels if plan.denominator == "ideal" else (own.labels > 0).astype(float)
    known = np.full(own.labels.size, np.nan)
    known[places] = gains.ravel()[places]
    offsets = np.arange(0, n * size + 1, size)
    discounts = plan.discount.weights(depth)
    rankings = []
    for scores in own.scores.values():
        top = (-scores).argsort(axis=1, kind="stable")[:, :depth] + offsets[:-1, None]
        rankings.append(WeightedRanking(top.ravel(), np.tile(discounts, n)))
    divisors = None if plan.denominator == "ideal" else np.full(n, float(depth))
    sampled = Sampled.of(offsets, known, machine.ravel())
    found = estimate_by_document(sampled, rankings, divisors, discounts, np.full(n, depth))
    return places, machine, found.contrast(0, 1, (0.0, 1.0))


def _swapped(n: int, share: float, judge: _Judge, measure: str) -> Callable[[Any], bool | None]:
    """Two systems that are exchanged at random on every query: neither is better on new queries.

    People judged some documents.
    """

    def draw(rng: np.random.Generator) -> bool:
        own = pool(size=_DOCS).sample(rng, n).relabeled(rng)
        return bool(by_document(rng, own, share, judge, measure)[2].p_value() <= 0.05)

    return draw


def _each(own: Pool, labels: np.ndarray, measure: str) -> np.ndarray:
    """Return the values of the systems by these labels, [system, query]."""
    found = ir.evaluate(_judged(labels), _runs(own), measure)
    return np.array([each.per_query[measure] for each in found.values()])


@functools.cache
def _truth(measure: str, is_skewed: bool | None) -> np.ndarray:
    """Return the values of the systems for every query of the population, [system, query]."""
    return _each(_unequal(is_skewed), _unequal(is_skewed).labels, measure)


@functools.cache
def _guesses(judge: _Judge, measure: str, is_skewed: bool | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the values by machine judgments, [round, system, query]; the second array has the systems exchanged.

    A judge whose labels are drawn judges every query several times: a draw of a query is one of them as well.
    """
    rng = np.random.default_rng(0)
    whole = _unequal(is_skewed)
    (first, a), (second, b) = whole.scores.items()
    both = whole, Pool(whole.labels, {first: b, second: a})
    rounds = range(1 if judge in (_opposite, _partial) else 10)
    as_is, exchanged = (np.array([_each(own, judge(rng, own), measure) for _ in rounds]) for own in both)
    return as_is, exchanged


def _drawn(
    rng: np.random.Generator, n: int, n_human: int, judge: _Judge, measure: str, is_skewed: bool | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of drawn queries, human values (NaN but for some of the queries), and machine values.

    The values of a query depend on no other query, so that they are computed once for the whole population.
    """
    values, guesses = _truth(measure, is_skewed), _guesses(judge, measure, is_skewed)
    rows = rng.integers(values.shape[1], size=n)
    rounds = rng.integers(len(guesses[0]), size=n)
    human, machine = values[:, rows], guesses[0][rounds, :, rows].T
    if is_skewed is None:
        swapped = rng.random(n) < 0.5
        human = np.where(swapped, human[::-1], human)
        machine = np.where(swapped, guesses[1][rounds, :, rows].T, machine)
    human[:, n_human:] = np.nan
    return rows, human, machine


def _swapped_queries(n: int, n_human: int, judge: _Judge, measure: str) -> Callable[[Any], bool | None]:
    """Two systems that are exchanged at random on every query, of which people judged some."""

    def draw(rng: np.random.Generator) -> bool:
        _, human, machine = _drawn(rng, n, n_human, judge, measure, None)
        return bool(assisted(human, machine).p_value <= 0.05)

    return draw


def assisted(human: np.ndarray, machine: np.ndarray, is_difference: bool = True) -> Any:
    """Return what `compare_assisted` estimates from the values of both systems, or of the first one."""
    own, guess = ((each[0] - each[1] if is_difference else each[0]) for each in (human, machine))
    return stats.prediction_powered(own, guess, value_range=(0.0, 1.0), is_difference=is_difference)


@functools.cache
def _unequal(is_skewed: bool | None) -> Pool:
    """A population in which the second system is better: a little, or so much that it rarely loses a query.

    If it is None, both are as good.
    """
    every = pool(size=_DOCS)
    if is_skewed is None:
        return every
    first, second = every.scores.items()
    better = 0.6 * second[1] + 0.8 * every.labels if is_skewed else second[1] + 0.2 * every.labels
    return Pool(every.labels, dict([first, (second[0], better)]))


def _covered_queries(
    n: int,
    n_human: int,
    judge: _Judge,
    measure: str,
    *,
    is_skewed: bool = False,
    these: bool = False,
    of_mean: bool = False,
) -> Callable[[Any], bool | None]:
    """Queries drawn from a population: the interval has the difference, or the mean of a system, or it is false."""

    def draw(rng: np.random.Generator) -> bool:
        rows, human, machine = _drawn(rng, n, n_human, judge, measure, is_skewed)
        values = _truth(measure, is_skewed)[:, rows] if these else _truth(measure, is_skewed)
        return _misses(assisted(human, machine, not of_mean), values, these, of_mean)

    return draw


def _covered_squares(n: int, n_human: int) -> Callable[[Any], bool | None]:
    """Skewed values, and a machine that gives their squares: the interval misses their mean over new queries."""

    def draw(rng: np.random.Generator) -> bool:
        human = rng.gamma(0.7, 0.1, n) * np.where(rng.random(n) < 0.2, -1.0, 1.0)
        found = stats.prediction_powered(human[:n_human], 4 * human**2)
        return not found.low <= 0.6 * 0.07 <= found.high

    return draw


def _covered(n: int, share: float, judge: _Judge, measure: str, *, these: bool = False) -> Callable[[Any], bool | None]:
    """The same for a difference, if people judged some documents of every query."""

    def draw(rng: np.random.Generator) -> bool:
        every = _unequal(False)
        rows = rng.integers(len(every.labels), size=n)
        own = Pool(every.labels[rows], {name: scores[rows] for name, scores in every.scores.items()})
        _, _, found = by_document(rng, own, share, judge, measure)
        first, second = (_truth(measure, False)[:, rows] if these else _truth(measure, False)).mean(axis=1)
        low, high = found.these_interval(0.95) if these else found.interval(0.95)
        return not low - 1e-9 <= first - second <= high + 1e-9

    return draw


def _misses(found: Any, values: np.ndarray, these: bool, of_mean: bool = False) -> bool:
    """Whether an interval does not contain the mean of the first system, or its difference from the second."""
    first, second = values.mean(axis=1)
    truth = first if of_mean else first - second
    low, high = (found.these_low, found.these_high) if these else (found.low, found.high)
    assert -1 <= low <= high <= 1
    return not low - 1e-9 <= truth <= high + 1e-9


def _values(rng: np.random.Generator, n: int, correlation: float) -> tuple[np.ndarray, np.ndarray]:
    """Return human and machine values of queries: the standard deviation is 0.1, and the mean 0."""
    human = rng.normal(0, 0.1, n)
    return human, 0.3 + correlation * human + np.sqrt(1 - correlation**2) * rng.normal(0, 0.1, n)


def _worth(correlation: float, n_human: int, n: int) -> Callable[[Any], bool | None]:
    def draw(rng: np.random.Generator) -> bool:
        human, machine = _values(rng, n, correlation)
        text = stats.prediction_powered(human[:n_human], machine).page().findings[-1]
        said = float(re.search(r"about ([\d,]+) queries", text)[1].replace(",", ""))  # type: ignore[index]
        truth = 1 / ((1 - correlation**2) * (1 / n_human - 1 / n) + 1 / n)
        return not 2 / 3 <= said / truth <= 3 / 2

    return draw


def _planned(n_pilot: int, these: bool) -> Callable[[Any], bool | None]:
    """A new sample of the planned size: its interval is more than a quarter wider or narrower than planned."""

    def draw(rng: np.random.Generator) -> bool:
        human, machine = _values(rng, 400, 0.8)
        plan = stats.human_queries_for(0.03, human[:n_pilot], machine, these_queries=these)
        assert plan.n_human is not None
        order = rng.permutation(400)
        found = stats.prediction_powered(human[order[: plan.n_human]], machine[order])
        width = found.these_high - found.these_low if these else found.high - found.low
        return not 4 / 5 <= width / plan.width <= 5 / 4

    return draw


def _uncertain(rng: np.random.Generator) -> tuple[dict[str, dict[str, Any]], dict[str, list[str]]]:
    """Return labels of two queries with three documents of which each has two possible labels, and rankings."""
    labels: dict[str, dict[str, Any]] = {}
    run = {}
    for query in ("q0", "q1"):
        docs = ["a", "b", "c"]
        labels[query] = {}
        for doc in docs:
            low, chance = int(rng.integers(0, 3)), float(rng.uniform(0.1, 0.9))
            labels[query][doc] = {low: chance, low + 1: 1 - chance}
        run[query] = rng.permutation(docs).tolist()
    return labels, run


def _outcomes(labels: dict[str, dict[str, Any]], run: Any, measure: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities and the values of all labels that documents can have."""
    judged, runs, chances = {}, {}, []
    for query, docs in labels.items():
        for number, own in enumerate(itertools.product(*(each.items() for each in docs.values()))):
            judged[f"{query}-{number}"] = {doc: label for doc, (label, _) in zip(docs, own, strict=True)}
            runs[f"{query}-{number}"] = run[query]
            chances.append(np.prod([chance for _, chance in own]))
    values = ir.evaluate(judged, runs, measure).per_query[measure].reshape(2, -1)
    first, second = np.reshape(chances, (2, -1))
    return np.outer(first, second).ravel(), ((values[0][:, None] + values[1]) / 2).ravel()


def _expected(measure: str) -> Callable[[Any], bool | None]:
    """All labels are tried: the expected value is off by more than 1.96 standard errors, or at all if it is exact."""

    def draw(rng: np.random.Generator) -> bool:
        labels, run = _uncertain(rng)
        found = ir.evaluate_uncertain(labels, run, measure, n_draws=100, seed=int(rng.integers(2**31)))
        truth = np.dot(*_outcomes(labels, run, measure))
        return bool(abs(found.mean[""] - truth) > 1.96 * found.error[""] + 1e-9)

    return draw


def _put(measure: str) -> Callable[[Any], bool | None]:
    """The labels are drawn from their probabilities: the value is outside of the interval."""

    def draw(rng: np.random.Generator) -> bool:
        labels, run = _uncertain(rng)
        found = ir.evaluate_uncertain(labels, run, measure, n_draws=100, seed=int(rng.integers(2**31)))
        low, high = found.interval()
        chances, values = _outcomes(labels, run, measure)
        value = rng.choice(values, p=chances / chances.sum())
        return not low - 1e-9 <= value <= high + 1e-9

    return draw


def _holes(rng: np.random.Generator) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Return judgments of two queries, of which some documents are unjudged, and the rankings of two systems."""
    human: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {"a": {}, "b": {}}
    docs = ["d0", "d1", "d2", "d3", "d4"]
    for query in ("q0", "q1"):
        judged = rng.permutation(docs)[: rng.integers(3, 6)].tolist()
        human[query] = {doc: int(rng.integers(0, 3)) for doc in judged}
        human[query][judged[0]] = 2
        for run in runs.values():
            run[query] = rng.permutation(docs)[: rng.integers(2, 6)].tolist()
    return human, runs


def _completions(human: Any, runs: Any, measure: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the means of both systems for all labels that unjudged retrieved documents could have."""
    judged: dict[str, Any] = {}
    rankings: dict[str, Any] = {name: {} for name in runs}
    for query, docs in human.items():
        seen = dict.fromkeys(doc for run in runs.values() for doc in run[query])
        unjudged = [doc for doc in seen if doc not in docs]
        for number, labels in enumerate(itertools.product(range(3), repeat=len(unjudged))):
            judged[f"{query}-{number}"] = docs | dict(zip(unjudged, labels, strict=True))
            for name, run in runs.items():
                rankings[name][f"{query}-{number}"] = run[query]
    found = ir.evaluate(judged, rankings, measure)
    is_first = np.array([query.startswith("q0") for query in judged])
    values = [each.per_query[measure] for each in found.values()]
    first, second = (((own[is_first][:, None] + own[~is_first]) / 2).ravel() for own in values)
    return first, second


def _bounded(kind: str, measure: str, judge_next: bool = False) -> Callable[[Any], bool | None]:
    """All labels are tried."""

    def draw(rng: np.random.Generator) -> bool | None:
        human, runs = _holes(rng)
        if judge_next:
            found: Any = ir.judge_next(human, runs, measure)
        else:
            found = ir.bounds(human, runs, measure, n_draws=0)
        statements = [each for each in found.page().findings if each.kind == kind]
        if not statements:
            return None
        first, second = _completions(human, runs, measure)
        difference = first - second
        sign = np.sign(np.round(difference[0], 12))
        others = np.sign(np.round(difference, 12))
        if kind == "range for any labels":
            ends = [
                float(each) for text in statements for each in re.findall(r"from ([\d.]+) to ([\d.]+) for", text)[0]
            ]
            truths = [first.min(), first.max(), second.min(), second.max()]
            return not np.allclose(ends, truths, atol=6e-5)
        is_reversed = bool((others == -sign).any() if sign else others.any())
        return is_reversed != (kind == "unjudged documents could reverse")

    return draw


_N = "significant difference with machine judgments"
_I = "interval with machine judgments"
_T = "interval for exactly these queries"
_E = "expected value with uncertain labels"


def _machine_worlds() -> Iterator[World]:
    exact, level = between(0.025, 0.05), at_most(0.05)
    for n, n_human, judge, measure in (
        (43, 15, "a good judge", "ndcg@10"),
        (43, 30, "a good judge", "ndcg@10"),
        (43, 40, "a good judge", "ndcg@10"),
        (43, 43, "a good judge", "ndcg@10"),
        (43, 15, "an excellent judge", "ndcg@10"),
        (43, 15, "random labels", "ndcg@10"),
        (43, 15, "a judge who says the opposite", "ndcg@10"),
        (43, 15, "a judge who is partial to one system", "ndcg@10"),
        (15, 8, "a good judge", "ndcg@10"),
        (200, 10, "an excellent judge", "ndcg@10"),
        (200, 10, "a judge who is partial to one system", "ndcg@10"),
        (200, 100, "a good judge", "ap"),
        (43, 5, "a good judge", "ndcg@10"),
        (43, 43, "a good judge", "p@1"),
        (43, 20, "a good judge", "rr"),
    ):
        name = f"two systems exchanged at random; people judged {n_human} of {n} queries; {judge}; {measure}"
        promise = exact if n_human == n and measure == "ndcg@10" else level
        yield World(_N, name, _swapped_queries(n, n_human, _JUDGES[judge], measure), promise)
    for share, judge, measure in (
        (0.1, "a good judge", "ndcg@10"),
        (0.3, "a good judge", "ndcg@10"),
        (1.0, "a good judge", "ndcg@10"),
        (0.1, "random labels", "ndcg@10"),
        (0.1, "a judge who says the opposite", "p@5"),
        (0.1, "a judge who is partial to one system", "ndcg@10"),
        (0.3, "a judge who is partial to one system", "p@5"),
    ):
        name = (
            f"two systems exchanged at random on 43 queries; people judged {share:.0%} of documents; {judge}; {measure}"
        )
        yield World(_N, name, _swapped(43, share, _JUDGES[judge], measure), exact, quick=30)
    # Student's t needs more queries than this where differences are skewed: how much is measured, and said on the page.
    wrong, wrong_if_skewed = at_most(0.07), at_most(0.12)
    for n, n_human, judge, measure, is_skewed in (
        (43, 15, "a good judge", "ndcg@10", False),
        (43, 43, "a good judge", "ndcg@10", False),
        (200, 10, "an excellent judge", "ndcg@10", False),
        (43, 15, "a judge who is partial to one system", "ndcg@10", False),
        (43, 15, "a judge who says the opposite", "ap", False),
        (43, 43, "a good judge", "ndcg@10", True),
        (43, 15, "a judge who is partial to one system", "ndcg@10", True),
        (200, 10, "an excellent judge", "ndcg@10", True),
    ):
        drawn = f"of {n} queries from a population, people judged {n_human}; {judge}; {measure}"
        drawn += "; skewed, nearly half of the differences are 0" if is_skewed else ""
        covered = functools.partial(_covered_queries, n, n_human, _JUDGES[judge], measure, is_skewed=is_skewed)
        promise = wrong_if_skewed if is_skewed else at_most(0.1) if n_human <= 15 else wrong
        yield World(_I, f"{drawn}; difference", covered(), promise)
        yield World(_I, f"{drawn}; mean of a system", covered(of_mean=True), wrong)
        if n_human < n:
            yield World(_T, f"{drawn}; difference", covered(these=True), promise)
    for n, n_human, promise in ((200, 10, at_most(0.25)), (60, 20, at_most(0.1))):
        drawn = f"of {n} queries from a population, people judged {n_human}; a judge who squares skewed values; mean"
        yield World(_I, drawn, _covered_squares(n, n_human), promise)
    for share, judge, measure in (
        (0.1, "a good judge", "ndcg@10"),
        (0.3, "a good judge", "ndcg@10"),
        (0.3, "a judge who is partial to one system", "p@5"),
    ):
        drawn = f"43 queries from a population; people judged {share:.0%} of the documents; {judge}; {measure}"
        covered = functools.partial(_covered, 43, share, _JUDGES[judge], measure)
        yield World(_I, f"{drawn}; difference", covered(), wrong, quick=30)
        yield World(_T, f"{drawn}; difference", covered(these=True), wrong, quick=30)


WORLDS: list[World] = [
    *_machine_worlds(),
    *(
        World(
            "worth of machine judgments",
            f"people judged {n_human} of {n} queries, correlation {correlation:g}; off by more than a half",
            _worth(correlation, n_human, n),
            at_most(most),
            quick=300,
        )
        for correlation, n_human, n, most in ((0.8, 50, 200, 0.05), (0.5, 30, 100, 0.05), (0.8, 15, 43, 0.2))
    ),
    *(
        World(
            "human judgments needed",
            f"a pilot of {n} queries, correlation 0.8; a new sample of the planned size, {whose}; its interval is off "
            "by more than a quarter",
            _planned(n, these),
            at_most(most),
            quick=200,
        )
        for n, these, whose, most in (
            (100, False, "new queries", 0.05),
            (50, False, "new queries", 0.1),
            (50, True, "exactly these queries", 0.15),
        )
    ),
    World(_E, "all labels are tried; dcg@2", _expected("dcg@2"), at_most(0), quick=10),
    World(_E, "all labels are tried, off by 1.96 standard errors; ndcg", _expected("ndcg"), at_most(0.05), quick=20),
    World("range with uncertain labels", "labels of these probabilities; ndcg", _put("ndcg"), at_most(0.05), quick=20),
    *(
        World(kind, f"all labels of unjudged documents are tried; {measure}{how}", _bounded(kind, measure, bool(how)),
              at_most(0), quick=quick)
        for kind, measure, how, quick in (
            ("range for any labels", "ndcg@3", "", 15),
            ("range for any labels", "ap", "", 15),
            ("range for any labels", "rr", "", 15),
            ("order decided", "ndcg@3", "", 30),
            ("order decided", "ap", "", 30),
            ("order decided", "ndcg@2", "; judge_next", 30),
            ("unjudged documents could reverse", "ndcg@3", "", 30),
            ("unjudged documents could reverse", "p@2", "; judge_next", 30),
            ("unjudged documents could not reverse", "p@2", "", 60),
        )
    ),
]  # fmt: skip

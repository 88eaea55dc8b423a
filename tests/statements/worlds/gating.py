"""`gate`: whether a changed system is as good as its baseline."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
from statements.data import Pool, pool
from statements.world import Kind, World, at_most, between

import idealrank as ir
from idealrank.stats import non_inferiority_test

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "gate: overall": Kind("FAIL: ndcg@10 is worse than the baseline.", certain="repeats the verdicts of the measures"),
    "gate: worse than the baseline": Kind(
        "ndcg@10: fail. The mean is worse than the baseline's (change -0.0512, p = 0.0019), and the drop is not shown "
        "to be below the margin of 0.02."
    ),
    "gate: within the margin": Kind(
        "ndcg@10: pass. The mean is worse by less than the margin of 0.02 with 95% confidence."
    ),
    "gate: not decided": Kind(
        "ndcg@10: inconclusive. The true change may be from -0.05 to +0.03.", certain="repeats bounds; decides nothing"
    ),
    "gate: unchanged": Kind(
        "ndcg@10: pass. Candidate and baseline have the same value on all 50 queries; with 95% confidence, at most 6% "
        "of such queries differ."
    ),
    "gate: too few queries": Kind(
        "ndcg@10: inconclusive. 4 queries cannot show anything: a verdict needs 5 or more.", certain="counts queries"
    ),
    "gate: smallest drop found": Kind(
        "ndcg@10: 200 queries find a true drop of 0.04 with 80% power, and one of twice the margin with 79%."
    ),
    "gate: queries to pass": Kind(
        "ndcg@10: if the true mean is the same, the gate passes with 43% probability; 570 queries would make it 80%."
    ),
    "gate: unjudged documents": Kind(
        "p@5: fails only because 14 unjudged documents count as not relevant: with other labels the change could be "
        "+0.02."
    ),
    "gate: queries left out": Kind(
        "Not in the baseline, and therefore left out: 2 queries (q51, q52).", certain="names queries"
    ),
}

_MEASURE = "ndcg@10"


def _gate(drawn: Pool, measures: Any = _MEASURE, baseline: Any = None, **options: Any) -> Any:
    """Run the gate on the first two systems, or on the first and a saved baseline."""
    labels, systems = drawn.inputs
    candidate, other = list(systems.values())[:2]
    return ir.gate(
        labels, candidate, other if baseline is None else baseline, measures, offsets=drawn.offsets, **options
    )


def _exchanged(rng: np.random.Generator, n: int, changed: float = 1.0) -> Pool:
    """Draw a change that helps as often as it hurts; only a share of the queries change."""
    drawn = pool().sample(rng, n).relabeled(rng)
    first, second = drawn.scores.values()
    is_changed = rng.random((n, 1)) < changed
    return Pool(drawn.labels, {"candidate": np.where(is_changed, first, second), "baseline": second})


def _false_fail(
    rng: np.random.Generator, n: int, measures: str = _MEASURE, changed: float = 1.0, categories: int = 0
) -> bool:
    by = {"by": [f"c{at % categories}" for at in range(n)]} if categories else {}
    return bool(_gate(_exchanged(rng, n, changed), measures, **by).verdict == "fail")


@functools.cache
def _worse(share: float) -> tuple[Pool, float]:
    """Return a population in which the candidate ranks a share of the queries worse, and the drop of the mean."""
    whole, rng = pool(), np.random.default_rng(7)
    old = whole.scores["s0"]
    noise = rng.normal(size=old.shape) if share == 1 else 4 * rng.normal(size=old.shape)
    new = np.where(rng.random((len(old), 1)) < share, old + noise, old)
    population = Pool(whole.labels, {"candidate": new, "baseline": old})
    means = ir.evaluate(*population.inputs, _MEASURE, offsets=population.offsets).mean
    return population, means["baseline"][_MEASURE] - means["candidate"][_MEASURE]


def _false_pass(rng: np.random.Generator, n: int, margins: float, share: float = 1.0) -> bool:
    """Whether a drop of this many margins passes because it seems to be within the margin."""
    population, drop = _worse(share)
    (found,) = _gate(population.sample(rng, n), margin=drop / margins).measures
    return found.verdict == "pass" and not found.is_unchanged


def _lowered(drawn: Pool, drop: float) -> Any:
    """Return the second system as a baseline whose mean is above that of the first by this much in the population."""
    labels, systems = drawn.inputs
    saved = ir.save_baseline(labels, list(systems.values())[1], _MEASURE, offsets=drawn.offsets)
    return replace(saved, values={_MEASURE: saved.values[_MEASURE] + drop})


def _missed(rng: np.random.Generator, n: int) -> bool:
    """Whether new queries miss the smallest drop that as many queries said they would find."""
    drop = _gate(_exchanged(rng, n)).measures[0].smallest_drop
    fresh = _exchanged(rng, n)
    return bool(_gate(fresh, baseline=_lowered(fresh, drop)).verdict != "fail")


def _not_passed(rng: np.random.Generator, n: int) -> bool | None:
    """Whether as many new queries as the gate asks for do not pass a change of nothing."""
    found = _gate(_exchanged(rng, n), margin=0.05)
    if not any(each.kind == "gate: queries to pass" for each in found.page().findings):
        return None
    needed = found.measures[0].test.queries_to_pass()
    return bool(_gate(_exchanged(rng, needed), margin=0.05).verdict != "pass")


def _hidden(rng: np.random.Generator, n: int) -> bool:
    """Whether the gate says that fewer queries differ than do: slightly more than the bound differ, all visibly."""
    is_changed = rng.random((n, 1)) < 1.01 * (1 - 0.05 ** (1 / n))
    labels = np.tile([1.0, 0.0], (n, 1))
    old = np.tile([2.0, 1.0], (n, 1))
    drawn = Pool(labels, {"candidate": np.where(is_changed, old[:, ::-1], old), "baseline": old})
    return any(each.kind == "gate: unchanged" for each in _gate(drawn, "rr").page().findings)


def _fails_anyway(rng: np.random.Generator, n: int) -> bool | None:
    """Whether p@2 fails although all unjudged documents that only the candidate retrieves are relevant."""
    qrels, new, old = {}, {}, {}
    for query in map(str, range(n)):
        labels = rng.integers(0, 2, 4).tolist()
        qrels[query] = {f"d{at}": label for at, label in enumerate(labels)}
        old[query] = rng.permutation(4)[:2].tolist()
        new[query] = [f"u{at}" if rng.random() < 0.3 else f"d{document}" for at, document in enumerate(old[query])]
        old[query] = [f"d{document}" for document in old[query]]
    found = ir.gate(qrels, new, old, "p@2")
    if not any(each.kind == "gate: unjudged documents" for each in found.page().findings):
        return None
    best = {query: docs | {doc: 1 for doc in new[query] if doc.startswith("u")} for query, docs in qrels.items()}
    return bool(ir.gate(best, new, old, "p@2").verdict == "fail")


def _false_fail_of_runs(rng: np.random.Generator, n: int, n_runs: int) -> bool:
    """Whether the gate fails two systems that are noisy in the same way, each with several runs."""
    whole = pool()
    rows = rng.integers(len(whole.labels), size=n)
    labels, scores = whole.labels[rows], whole.scores["s0"][rows]

    def runs() -> list[np.ndarray]:  # the noise of a run is as large as the noise of a query, and differs by run
        return [(scores + rng.gamma(2.0, 0.5) * rng.normal(size=scores.shape)).ravel() for _ in range(n_runs)]

    offsets = np.arange(0, labels.size + 1, labels.shape[1])
    return bool(ir.gate(labels.ravel(), runs(), runs(), _MEASURE, offsets=offsets).verdict == "fail")


def _values_of_runs(rng: np.random.Generator, n: int, n_runs: int, share: float) -> np.ndarray:
    """Return normal values[query, run] whose mean is 0 with variance 1, of which a share is that between runs."""
    queries, both = 0.7 * (1 - share), 0.3 * (1 - share)
    values: np.ndarray = (
        np.sqrt(n * queries) * rng.normal(size=(n, 1))
        + np.sqrt(n_runs * share) * rng.normal(size=n_runs)
        + np.sqrt(n * n_runs * both) * rng.normal(size=(n, n_runs))
    )
    return values


@functools.cache
def _true_smallest_drop(n: int, n_runs: int, share: float, margin: float) -> float:
    """Return the drop with which 80% of draws fail: each fails at drops from the one on that it needs."""
    rng, needed = np.random.default_rng(1), []
    for _ in range(4000):
        found = non_inferiority_test(_values_of_runs(rng, n, n_runs, share), np.zeros(n), margin)
        highest = min(found.difference - found.high, found.difference - found.low - margin)
        needed.append(found.difference - highest)
    return float(np.quantile(needed, 0.8))


def _out_of_range(rng: np.random.Generator, n: int, n_runs: int, share: float) -> bool:
    """Whether the smallest drop that is found is outside of the range that is told."""
    low, high = non_inferiority_test(_values_of_runs(rng, n, n_runs, share), np.zeros(n), 0.5).smallest_drop_range()
    return not low <= _true_smallest_drop(n, n_runs, share, 0.5) <= high


def _null(name: str, n: int, quick: int = 100, **options: Any) -> World:
    draw = functools.partial(_false_fail, n=n, **options)
    return World("gate: worse than the baseline", f"{name}, {n} queries", draw, at_most(0.05), quick)


WORLDS = [
    *(_null("exchanged systems", n) for n in (20, 50, 200)),
    *(_null("exchanged systems, 10% of the queries change", n, changed=0.1) for n in (50, 200)),
    _null("exchanged systems, three measures", 50, measures="ndcg@10, rr, recall@5"),
    _null("exchanged systems, three measures and four categories", 50, measures="ndcg@10, rr, recall@5", categories=4),
    *(World("gate: worse than the baseline", f"{n_runs} runs of equal systems, {n} queries",
            functools.partial(_false_fail_of_runs, n=n, n_runs=n_runs), at_most(0.05), 50)
      for n, n_runs in ((50, 3), (200, 5))),
    *(World("gate: within the margin", f"a drop of twice the margin, {n} queries",
            functools.partial(_false_pass, n=n, margins=2.0), at_most(0.05), 100) for n in (20, 50, 200)),
    *(World("gate: within the margin", f"a drop of twice the margin from a tenth of the queries, {n} queries",
            functools.partial(_false_pass, n=n, margins=2.0, share=0.1), at_most(0.05), 100) for n in (20, 50, 200)),
    *(World("gate: within the margin", f"a drop of exactly the margin, {n} queries",
            functools.partial(_false_pass, n=n, margins=1.0), at_most(0.1), 100) for n in (20, 50, 200)),
    World("gate: unchanged", "slightly more queries differ, 50 queries", functools.partial(_hidden, n=50),
          at_most(0.05), 100),
    *(World("gate: smallest drop found", f"80% power, {n} queries", functools.partial(_missed, n=n),
            between(0.15, 0.3 if n == 20 else 0.25), 100) for n in (20, 50, 200)),
    *(World("gate: smallest drop found", f"its range, {n_runs} runs with {share:.0%} of the variance, 50 queries",
            functools.partial(_out_of_range, n=50, n_runs=n_runs, share=share), at_most(0.1), 50)
      for n_runs in (2, 3, 5) for share in (0.1, 0.5, 0.9)),
    World("gate: queries to pass", "80% of unchanged systems pass, from 50 queries",
          functools.partial(_not_passed, n=50), between(0.15, 0.25), 60),
    World("gate: unjudged documents", "all of them are relevant, 20 queries", functools.partial(_fails_anyway, n=20),
          at_most(0.0), 20),
]  # fmt: skip

"""`compare` and `power`: differences between systems."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from statements.data import Pool, pool
from statements.world import Kind, World, at_most, between

import idealrank as ir

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "significant difference": Kind("a is significantly better than b at level 0.05."),
    "no significant difference": Kind(
        "a does not differ significantly from b at level 0.05.", certain="repeats p-values; it does not say equal"
    ),
    "too few queries to test": Kind("One query is not enough to test differences.", certain="counts queries"),
    "no difference can be significant": Kind("No difference can be significant: the smallest p-value is 0.25."),
    "unjudged documents were not checked": Kind(
        "ap: whether unjudged documents could reverse differences was not computed for the 94 other systems.",
        certain="says what was not computed",
    ),
    "queries needed": Kind("To detect a difference of 0.05 with 80% power, a paired t test needs 120 queries."),
    "agreement of systems": Kind("By rbo, a and b agree most.", certain="means over the given queries"),
}

Draw = Callable[[np.random.Generator, int], Pool]


def _says(kind: str, compared: Any) -> bool:
    return any(finding.kind == kind for finding in compared.page().findings)


def _exchanged(rng: np.random.Generator, n: int, systems: int = 2, **options: Any) -> Pool:
    """Draw systems that are exchanged at random on every query: equal in every respect."""
    return pool(systems=systems, **options).sample(rng, n).relabeled(rng)


def _noise(rng: np.random.Generator, n: int, systems: int = 2) -> Pool:
    """Draw systems with the same scores plus independent noise of the same size, on new queries: equal means."""
    drawn = pool().sample(rng, n)
    base = drawn.scores["s0"]
    return Pool(drawn.labels, {f"s{at}": base + rng.normal(size=base.shape) for at in range(systems)})


def _heavy(rng: np.random.Generator, n: int) -> Pool:
    """Draw exchanged systems on queries of which a few have labels up to 12, for gains that differ by a thousand."""
    drawn = _exchanged(rng, n)
    return Pool(np.where(rng.random((n, 1)) < 0.1, drawn.labels * 4, drawn.labels), drawn.scores)


def _without_relevant(rng: np.random.Generator, n: int) -> Pool:
    """Draw exchanged systems on queries of which two thirds have no relevant document: most differences are 0."""
    drawn = _exchanged(rng, n)
    return Pool(np.where(rng.random((n, 1)) < 2 / 3, 0.0, drawn.labels), drawn.scores)


def _four_of_all(rng: np.random.Generator, n: int) -> Pool:
    """Draw exchanged systems that differ on four queries, where one of them finds the relevant document first."""
    labels = np.tile([1.0, 0.0], (n, 1))
    first = np.tile([2.0, 1.0], (n, 1))
    second = np.where(np.arange(n)[:, None] < 4, first[:, ::-1], first)
    return Pool(labels, {"s0": first, "s1": second}).relabeled(rng)


def _same(rng: np.random.Generator, n: int) -> Pool:
    drawn = pool().sample(rng, n)
    return Pool(drawn.labels, {"s0": drawn.scores["s0"], "s1": drawn.scores["s0"]})


def _nothing_differs(
    rng: np.random.Generator,
    n: int,
    measure: str = "ndcg@10",
    draw: Draw = _exchanged,
    random: Mapping[str, Callable[[np.random.Generator, int], Any]] | None = None,
    **options: Any,
) -> bool:
    """Whether `compare` calls a difference significant between systems that do not differ."""
    drawn = draw(rng, n)
    options |= {name: make(rng, n) for name, make in (random or {}).items()}
    compared = ir.compare(*drawn.inputs, measure, offsets=drawn.offsets, n_permutations=999, **options)
    return bool(compared.significant(measure)) and _says("significant difference", compared)


def _better(rng: np.random.Generator, n: int, **options: Any) -> bool | None:
    """Whether the worse of two systems is called significantly better; the better one has less noise."""
    drawn = pool().sample(rng, n)
    worse = drawn.scores["s0"] + 0.5 * rng.normal(size=drawn.labels.shape)
    both = {"worse": worse.ravel(), "better": drawn.scores["s0"].ravel()}
    (found,) = ir.compare(drawn.labels.ravel(), both, "ndcg@10", offsets=drawn.offsets, **options).differences[
        "ndcg@10"
    ]
    return found.corrected <= 0.05 and found.difference > 0


def _two_equal_of_three(rng: np.random.Generator, n: int, **options: Any) -> bool:
    """Whether two equal systems are called different in the company of a worse one, which is found to differ."""
    drawn = _exchanged(rng, n)
    worse = {"worse": rng.normal(size=drawn.labels.shape)}
    three = Pool(drawn.labels, {**drawn.scores, **worse})
    compared = ir.compare(*three.inputs, "ndcg@10", offsets=three.offsets, n_permutations=999, **options)
    return any({"s0", "s1"} == {each.system, each.against} for each in compared.significant("ndcg@10"))


def _is_reachable(rng: np.random.Generator, n: int, test: str) -> bool | None:
    drawn = pool().sample(rng, n)
    opposite = {"s0": drawn.labels.ravel(), "s1": -drawn.labels.ravel()}
    compared = ir.compare(drawn.labels.ravel(), opposite, "ndcg@10", offsets=drawn.offsets, test=test)
    if not _says("no difference can be significant", compared):
        return None
    return bool(compared.significant("ndcg@10"))


@functools.cache
def _population(measure: str, delta: float) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return the evaluations of two systems on all queries, and values with means that differ by delta."""
    whole = pool()
    found = ir.evaluate(*whole.inputs, measure, offsets=whole.offsets)
    a, b = (each.per_query[measure] for each in found.values())
    return found, a - a.mean() + b.mean() + delta, b


def _is_misordered(rng: np.random.Generator, pilot: int, delta: float, measure: str = "ndcg@10") -> bool:
    """Whether as many new queries as `power` asks for an order put the better system second."""
    few = pool().sample(rng, pilot)
    n = ir.power(*few.inputs, measure, deltas=delta, offsets=few.offsets).needed[0].order
    _, a, b = _population(measure, delta)
    rows = rng.integers(len(a), size=n)
    return bool(a[rows].mean() <= b[rows].mean())


def _is_missed(rng: np.random.Generator, pilot: int, delta: float, measure: str = "ndcg@10") -> bool:
    """Whether a t test on as many new queries as `power` asks for misses a difference of this size."""
    few = pool().sample(rng, pilot)
    n = ir.power(*few.inputs, measure, deltas=delta, offsets=few.offsets).needed[0].t
    found, a, b = _population(measure, delta)
    rows = rng.integers(len(a), size=n)
    ids = np.arange(n).astype(str)
    both = {
        name: replace(each.take(np.zeros(n, np.int64)), per_query={measure: values[rows]}, query_ids=ids)
        for (name, each), values in zip(found.items(), (a, b), strict=True)
    }
    return not ir.compare(both).significant(measure)


def _weights(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.exp(rng.normal(size=n))


def _null(name: str, promise: Any, n: int, quick: int = 100, **options: Any) -> World:
    what = f"{name}, {n:,} queries"
    return World("significant difference", what, functools.partial(_nothing_differs, n=n, **options), promise, quick)


#: Tests that are meant to be exact must not waste power. Hits, and half of the differences in NDCG here, are ties: on
#: ten queries, no test can reach the level.
EXACT, CAUTIOUS = between(0.025, 0.05), at_most(0.05)

WORLDS = [
    *(_null("exchanged systems", CAUTIOUS if n < 20 else EXACT, n, 50 if n > 200 else 100)
      for n in (5, 10, 20, 50, 1000)),
    _null("exchanged systems with categories", EXACT, 50, random={"by": lambda _, n: ["x", "y"] * (n // 2)}),
    _null("exchanged systems, skewed query weights", EXACT, 30, random={"query_weights": _weights}),
    _null("exchanged systems, skewed weights, randomization", EXACT, 30, test="randomization",
          random={"query_weights": _weights}),
    *(_null(f"exchanged systems by {measure}", CAUTIOUS, n, measure=measure)
      for measure in ("hit_rate@1", "rr") for n in (10, 50)),
    _null("exchanged systems by dcg, some labels up to 12", CAUTIOUS, 50, measure="dcg", draw=_heavy),
    _null("exchanged systems, two thirds without relevant documents", CAUTIOUS, 30, draw=_without_relevant),
    *(_null("exchanged systems that differ on four by hit_rate@1", CAUTIOUS, n, measure="hit_rate@1", draw=_four_of_all)
      for n in (10, 50)),
    _null("the same system twice", at_most(0.0), 20, 50, draw=_same),
    _null("the same scores plus independent noise", EXACT, 50, draw=_noise),
    _null("five with the same scores plus noise, all pairs", CAUTIOUS, 50, draw=functools.partial(_noise, systems=5)),
    _null("five exchanged systems, all pairs", CAUTIOUS, 50, draw=functools.partial(_exchanged, systems=5)),
    _null("five exchanged systems, all pairs, Tukey", EXACT, 50, 100, test="tukey",
          draw=functools.partial(_exchanged, systems=5)),
    _null("five exchanged systems, baseline", CAUTIOUS, 50, baseline="s0",
          draw=functools.partial(_exchanged, systems=5)),
    _null("exchanged systems, baseline, randomization", EXACT, 50, 100, baseline="s0", test="randomization"),
    *(_null(f"exchanged systems, {test}", CAUTIOUS, 50, 100, test=test) for test in ("bootstrap", "wilcoxon", "sign")),
    World("significant difference", "one of two systems is better, 50 queries", functools.partial(_better, n=50),
          at_most(0.025)),
    World("significant difference", "one of three systems is worse: the two others, 50 queries",
          functools.partial(_two_equal_of_three, n=50), at_most(0.05)),
    World("significant difference", "one of three systems is worse: the two others, Tukey, 50 queries",
          functools.partial(_two_equal_of_three, n=50, test="tukey"), at_most(0.05), 100),
    *(World("no difference can be significant", f"best and worst orders, {test}, 4 queries",
            functools.partial(_is_reachable, n=4, test=test), at_most(0.0), 50)
      for test in ("randomization", "sign", "wilcoxon")),
    *(World("queries needed", f"80% power for a difference of {delta:g} in ndcg@10, {n} queries in the pilot",
            functools.partial(_is_missed, pilot=n, delta=delta), between(0.15, 0.25), 150)
      for n, delta in ((50, 0.1), (200, 0.05))),
    World("queries needed", "the right order for a difference of 0.05 in ndcg@10, 100 queries in the pilot",
          functools.partial(_is_misordered, pilot=100, delta=0.05), between(0.03, 0.07), 150),
]  # fmt: skip

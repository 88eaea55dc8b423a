"""`distinguish`, `search_design` and `confidence_sequence`: which measures distinguish rankers on queries at hand."""

import functools
import re

import numpy as np
from statements.data import Pool, pool
from statements.world import Kind, World, at_most

from idealrank import ndcg
from idealrank.theory import confidence_sequence, distinguish, search_design

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "distinguishes": Kind(
        "ndcg distinguishes a from b best on these 50 queries: a is ahead (p = 0.003 for the best of 3 measures); it "
        "needs 10 to 70 queries to order them reliably."
    ),
    "pairs distinguished": Kind("ndcg distinguishes 12 of 15 pairs of 6 systems (p at most 0.05 each)."),
    "order certified by queries": Kind("certified after 103 queries: A is better, except with probability 0.05"),
    "best signal-to-noise ratio": Kind(
        "ndcg@10 has the best signal-to-noise ratio on these queries, 0.520.",
        "it is the highest ratio of the table, on these queries",
    ),
    "ratio on other queries": Kind(
        "Chosen on one half and measured on the other, the ratio is 0.461.",
        "it is what the splits of these queries give",
    ),
    "choosing a measure is worth it": Kind("Choosing is worth it here: it gains +0.120 (+0.020 to +0.220)."),
    "caveat of a chosen measure": Kind(
        "A test with the chosen measure on the same queries finds too many differences: use other queries.",
        "the largest of several statistics exceeds each of them",
    ),
}
_MEASURES = ("ndcg@10", "ndcg", "ndcg@1")


def _distinguished(drawn: Pool, measures: tuple[str, ...] = _MEASURES) -> str:
    labels, systems = drawn.inputs
    if not labels.any():
        return ""  # it is refused
    found = distinguish(labels, systems, measures, offsets=drawn.offsets, sizes=[drawn.labels.shape[1]])
    return str(found.page().findings[0])


def _equal(rng: np.random.Generator, n: int, systems: int = 2, measures: tuple[str, ...] = _MEASURES) -> bool:
    """Whether two systems are distinguished that are exchanged at random on every query."""
    return "is ahead" in _distinguished(pool(systems=systems).sample(rng, n).relabeled(rng), measures)


def _noisy(rng: np.random.Generator, n: int) -> bool:
    """Whether two systems are distinguished that add noise of their own to the same scores."""
    base = pool().sample(rng, n)
    scores = {name: base.scores["s0"] + 0.5 * rng.normal(size=base.labels.shape) for name in ("s0", "s1")}
    return "is ahead" in _distinguished(Pool(base.labels, scores), ("ndcg", "ndcg@10"))


@functools.cache
def _better(gain: float) -> tuple[Pool, float]:
    """A population in which s0 is better, and the queries that NDCG needs there for the right order."""
    base = pool(n=4000, seed=3)
    drawn = Pool(base.labels, {"s0": base.scores["s0"] + gain * (base.labels > 0), "s1": base.scores["s1"]})
    labels, systems = drawn.inputs
    a, b = (ndcg(labels, scores, drawn.offsets) for scores in systems.values())
    return drawn, float((1.6448536 * (a - b).std() / (a - b).mean()) ** 2)


def _queries(rng: np.random.Generator, n: int, gain: float) -> bool | None:
    """Whether the interval of the number of queries needed misses the true one; None if it is not stated."""
    population, needed = _better(gain)
    text = _distinguished(population.sample(rng, n), ("ndcg",))
    stated = re.search(r"it needs (?:([\d,]+) to )?([\d,]+) quer", text)
    if stated is None:
        return None
    low, high = (int(each.replace(",", "")) for each in (stated[1] or stated[2], stated[2]))
    return not low <= needed <= high


def _wrong_order(rng: np.random.Generator, n: int) -> bool:
    """Whether the worse of two systems that differ a little is called better."""
    population, _ = _better(0.1)
    return "s1 is ahead" in _distinguished(population.sample(rng, n), ("ndcg",))


def _pairs(rng: np.random.Generator, n: int) -> bool:
    """Whether one pair, picked at random of the three pairs of equal systems, is counted as distinguished."""
    drawn = pool(systems=3).sample(rng, n).relabeled(rng)
    labels, systems = drawn.inputs
    found = distinguish(labels, systems, "ndcg", offsets=drawn.offsets, sizes=[20])
    counted = re.match(r"ndcg distinguishes (\d) of 3 pairs", found.page().findings[0])
    assert counted is not None
    return bool(rng.random() < int(counted[1]) / 3)


def _certified(rng: np.random.Generator, n: int) -> bool:
    """Whether the order of two equal systems is certified at any time."""
    tails = rng.choice([0.3, 1.0])
    differences = np.where(rng.random(n) < tails, rng.beta(0.5, 0.5, n) * 2 - 1, 0.0)
    return str(confidence_sequence(differences)).startswith("certified")


def _chosen(rng: np.random.Generator, n: int) -> bool:
    """Whether choosing a measure is called worth it for equal systems, where no measure is better than another."""
    drawn = pool().sample(rng, n).relabeled(rng)
    labels, systems = drawn.inputs
    found = search_design(labels, systems["s0"], systems["s1"], offsets=drawn.offsets, betas=[0, 0.5, 1], n_splits=50)
    return found.page().findings[2].startswith("Choosing is worth it")


WORLDS = [
    *(
        World("distinguishes", f"equal systems, {n} queries", functools.partial(_equal, n=n), at_most(0.05), quick)
        for n, quick in ((5, 10), (10, 30), (50, 20), (200, 5), (1000, 2))
    ),
    World("distinguishes", "equal systems plus noise, 20 queries", functools.partial(_noisy, n=20), at_most(0.05), 20),
    World("distinguishes", "a small difference, 20 queries", functools.partial(_wrong_order, n=20), at_most(0.025), 20),
    World(
        "distinguishes",
        "the queries needed, 20 queries",
        functools.partial(_queries, n=20, gain=0.8),
        at_most(0.1),
        30,
    ),
    World(
        "distinguishes",
        "the queries needed, 100 queries",
        functools.partial(_queries, n=100, gain=0.4),
        at_most(0.1),
        15,
    ),
    World("pairs distinguished", "equal systems, 20 queries", functools.partial(_pairs, n=20), at_most(0.05), 20),
    *(
        World(
            "order certified by queries",
            f"equal systems, {n} queries",
            functools.partial(_certified, n=n),
            at_most(0.05),
        )
        for n in (20, 500)
    ),
    World(
        "choosing a measure is worth it",
        "equal systems, 40 queries",
        functools.partial(_chosen, n=40),
        at_most(0.05),
        30,
    ),
]

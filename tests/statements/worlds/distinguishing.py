"""`distinguish` and `confidence_sequence`: which measures distinguish rankers on queries at hand."""

import functools

import numpy as np
from statements.data import Pool, pool
from statements.world import Kind, World, at_most

import idealrank as ir
from idealrank.theory import confidence_sequence
from idealrank.theory.distinguishing.measure_distinctions import queries_to_order, swap_p_values, swap_sums, swaps

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "distinguishes": Kind(
        "ndcg distinguishes a from b best on these 50 queries: a is ahead (p = 0.003 for the best of 3 measures); it "
        "needs 10 to 70 queries to order them reliably."
    ),
    "pairs distinguished": Kind("ndcg distinguishes 12 of 15 pairs of 6 systems (p at most 0.05 each)."),
    "order certified by queries": Kind("certified after 103 queries: A is better, except with probability 0.05"),
}
_MEASURES = ("ndcg@10", "ndcg", "ndcg@1")


def values_of(drawn: Pool, measures: tuple[str, ...] = _MEASURES) -> np.ndarray:
    """Return the values of the systems, [system, query, measure]."""
    found = ir.evaluate(*drawn.inputs, measures, offsets=drawn.offsets)
    return np.array([np.column_stack([each.per_query[m] for m in measures]) for each in found.values()])


def p_values(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the p-values by which `distinguish` speaks of the first two systems: of each measure, and of the best.

    Curves and limits of long lists, which it computes as well, take most of the time and do not matter here. A test
    compares this with what it says.
    """
    differences = values[0] - values[1]
    return swap_p_values(differences, swap_sums(differences, _swaps(len(differences))))


@functools.cache
def _swaps(n: int) -> np.ndarray:
    return swaps(n, 2_000, int(np.random.default_rng(0).integers(2**32)))


@functools.cache
def _of_population(systems: int = 2) -> np.ndarray:
    return values_of(pool(systems=systems))


def _exchanged(rng: np.random.Generator, n: int, systems: int = 2) -> np.ndarray:
    """Return the values of queries on which the systems are exchanged at random."""
    values = _of_population(systems)[:, rng.integers(2000, size=n)]
    order = rng.permuted(np.tile(np.arange(systems), (n, 1)), axis=1)
    return np.asarray(values[order.T, np.arange(n)])


def _equal(rng: np.random.Generator, n: int) -> bool:
    """Whether two systems are distinguished that are exchanged at random on every query."""
    return p_values(_exchanged(rng, n))[1] <= 0.05


def _noisy(rng: np.random.Generator, n: int) -> bool:
    """Whether two systems are distinguished that add noise of their own to the same scores."""
    base = pool().sample(rng, n)
    scores = {name: base.scores["s0"] + 0.5 * rng.normal(size=base.labels.shape) for name in ("s0", "s1")}
    return p_values(values_of(Pool(base.labels, scores), ("ndcg", "ndcg@10")))[1] <= 0.05


@functools.cache
def _better(gain: float) -> np.ndarray:
    """The values by NDCG of a population in which s0 is better."""
    base = pool(n=4000, seed=3)
    better = {"s0": base.scores["s0"] + gain * (base.labels > 0), "s1": base.scores["s1"]}
    return values_of(Pool(base.labels, better), ("ndcg",))


def _queries(rng: np.random.Generator, n: int, gain: float) -> bool | None:
    """Whether the interval of the number of queries needed misses the true one; None if it is not stated."""
    differences = _better(gain)[0, :, 0] - _better(gain)[1, :, 0]
    needed = (1.6448536 * differences.std() / differences.mean()) ** 2
    rows = rng.integers(4000, size=n)
    ((low, _, high),) = queries_to_order(differences[None, rows], 0.05)
    if p_values(_better(gain)[:, rows])[1] > 0.05 or low is None or high is None:
        return None
    return not low <= needed <= high


def _wrong_order(rng: np.random.Generator, n: int) -> bool:
    """Whether the worse of two systems that differ a little is called better."""
    values = _better(0.1)[:, rng.integers(4000, size=n)]
    return bool(p_values(values)[1] <= 0.05 and values[0].mean() < values[1].mean())


def _pairs(rng: np.random.Generator, n: int) -> bool:
    """Whether one of the three pairs of equal systems is counted as distinguished by NDCG."""
    return bool(p_values(_exchanged(rng, n, systems=3)[:2, :, 1:2])[0][0] <= 0.05)


def _certified(rng: np.random.Generator, n: int) -> bool:
    """Whether the order of two equal systems is certified at any time."""
    tails = rng.choice([0.3, 1.0])
    differences = np.where(rng.random(n) < tails, rng.beta(0.5, 0.5, n) * 2 - 1, 0.0)
    return str(confidence_sequence(differences)).startswith("certified")


WORLDS = [
    *(
        World("distinguishes", f"equal systems, {n} queries", functools.partial(_equal, n=n), at_most(0.05), quick)
        for n, quick in ((5, 200), (10, 200), (50, 200), (200, 100), (1000, 50))
    ),
    World("distinguishes", "equal systems plus noise, 20 queries", functools.partial(_noisy, n=20), at_most(0.05), 100),
    World("distinguishes", "a small difference, 20 queries", functools.partial(_wrong_order, n=20), at_most(0.025)),
    World(
        "distinguishes",
        "the queries needed, 20 queries",
        functools.partial(_queries, n=20, gain=0.8),
        at_most(0.1),
    ),
    World(
        "distinguishes",
        "the queries needed, 100 queries",
        functools.partial(_queries, n=100, gain=0.4),
        at_most(0.1),
    ),
    World("pairs distinguished", "equal systems, 20 queries", functools.partial(_pairs, n=20), at_most(0.05)),
    *(
        World(
            "order certified by queries",
            f"equal systems, {n} queries",
            functools.partial(_certified, n=n),
            at_most(0.05),
        )
        for n in (20, 500)
    ),
]

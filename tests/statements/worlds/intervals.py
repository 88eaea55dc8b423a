"""Confidence intervals of means and of differences."""

import functools
from typing import Any

import numpy as np
from statements.data import Pool, pool
from statements.world import Kind, World, at_most, between

import idealrank as ir
from idealrank._core.exact import Moments
from idealrank.stats import interval, variance_components
from idealrank.stats.intervals import FEW_DIFFER, difference_interval, interval_of
from idealrank.stats.replicated import ReplicatedMoments

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "interval of a mean": Kind("95% intervals by the score method"),
    "queries or runs": Kind(
        "ndcg@10 of new: more queries would help more than more runs; twice as many queries would reduce the standard "
        "error of 0.0246 to about 0.0174, and twice as many runs to about 0.0244."
    ),
    "queries or runs: not known": Kind(
        "ndcg@10 of new: 3 runs do not show whether more queries or more runs would help more.",
        certain="decides nothing",
    ),
}


@functools.cache
def _truth(measure: str) -> dict[str, np.ndarray]:
    """Return the values of all queries of the population, by system."""
    whole = pool()
    return {name: each.per_query[measure] for name, each in _evaluated(whole, measure).items()}


def _evaluated(drawn: Any, measure: str, **options: Any) -> Any:
    labels, scores = drawn.inputs
    return ir.evaluate(labels, scores, measure, offsets=drawn.offsets, **options)


def _misses(rng: np.random.Generator, n: int, measure: str) -> bool:
    """Whether the interval does not contain the mean of the population, or leaves the range of the measure."""
    low, high = _evaluated(pool().sample(rng, n), measure)["s0"].interval()[measure]
    least, most = ir.measure(measure).value_range
    return not low <= _truth(measure)["s0"].mean() <= high or low < least or high > most


def _misses_weighted(rng: np.random.Generator, n: int, measure: str) -> bool:
    """The same for a weighted mean; the weights are those of the drawn queries."""
    values = _truth(measure)["s0"]
    weights = np.exp(np.random.default_rng(0).normal(size=len(values)))
    state = rng.bit_generator.state
    rows = rng.integers(len(values), size=n)
    rng.bit_generator.state = state  # the queries that the pool draws
    found = _evaluated(pool().sample(rng, n), measure, query_weights=weights[rows])["s0"]
    low, high = found.interval()[measure]
    return not low <= np.average(values, weights=weights) <= high


def _runs(rng: np.random.Generator, n: int, n_runs: int, between_runs: float) -> np.ndarray:
    """Draw values[query, run] with mean 0.5, standard deviation 0.15 between queries and 0.08 of the interaction."""
    both = 0.15 * rng.normal(size=(n, 1)) + between_runs * rng.normal(size=(1, n_runs))
    return 0.5 + both + 0.08 * rng.normal(size=(n, n_runs))


def _misses_runs(rng: np.random.Generator, n: int, n_runs: int, between_runs: float) -> bool:
    """Whether the interval of a mean over new queries and new runs does not contain it."""
    values = _runs(rng, n, n_runs, between_runs)
    found = interval_of(ReplicatedMoments(values.mean(axis=1), [variance_components(values)], (0, 1)), 0.95)
    return not found.low <= 0.5 <= found.high


def _misadvised(rng: np.random.Generator, n: int, n_runs: int, ratio: float) -> bool:
    """Whether it is said that the smaller part of the variance is the larger one; their ratio is ``ratio``."""
    values = _runs(rng, n, n_runs, 0.15 * np.sqrt(ratio * n_runs / n))
    error = ReplicatedMoments(values.mean(axis=1), [variance_components(values)]).error
    said = "" if error is None else str(error.statement("ndcg@10"))
    return f"ndcg@10: more {'queries' if ratio > 1 else 'runs'} would help more" in said


def _misses_category(rng: np.random.Generator, n: int, measure: str) -> bool:
    """The same for the queries of one of two categories."""
    found = _evaluated(pool().sample(rng, 2 * n), measure, by=["x", "y"] * n)["s0"]
    low, high = found.by_category()["y"].interval()[measure]
    return not low <= _truth(measure)["s0"].mean() <= high


def _misses_difference(rng: np.random.Generator, n: int, measure: str) -> bool:
    """Whether the interval of a difference does not contain the difference in the population."""
    drawn = pool().sample(rng, n)
    (found,) = ir.compare(*drawn.inputs, measure, offsets=drawn.offsets).differences[measure]
    a, b = (values.mean() for values in _truth(measure).values())
    return not max(found.interval.low, -1) <= a - b <= min(found.interval.high, 1)


@functools.cache
def _of_better() -> np.ndarray:
    """Return the differences of all queries of a population in which one system nearly always wins."""
    whole = pool(size=30)
    better = Pool(whole.labels, {"s0": whole.scores["s0"], "s1": 0.6 * whole.scores["s1"] + 0.8 * whole.labels})
    first, second = (each.per_query["ndcg@10"] for each in _evaluated(better, "ndcg@10").values())
    return np.asarray(first - second)


def _misses_better(rng: np.random.Generator, n: int, is_noted: bool | None = None) -> bool | None:
    """Whether the interval that `compare` shows misses the difference; None if its note is not as asked for."""
    drawn = rng.choice(_of_better(), n)
    moments = Moments.of(drawn, value_range=(-1.0, 1.0))
    found = difference_interval(moments, int(np.count_nonzero(drawn)), 0.95)
    if is_noted is not None and is_noted != (FEW_DIFFER in found.note):
        return None
    return not found.low <= _of_better().mean() <= found.high


def _misses_rare(rng: np.random.Generator, n: int) -> bool:
    """Whether the interval misses the mean if 5% of queries have the value 0, and the others a value close to 1."""
    values = np.where(rng.random(n) < 0.05, 0.0, rng.beta(200, 2, n))
    found = interval(values, value_range=(0, 1))
    return not found.low <= 0.95 * 200 / 202 <= found.high


MEASURES = ("hit_rate@1", "rr", "recall@5", "ndcg@10", "ap")

WORLDS = [
    *(
        World(
            "interval of a mean",
            f"{n_runs} runs, {n} queries",
            functools.partial(_misses_runs, n=n, n_runs=n_runs, between_runs=0.02),
            between(0.04, 0.06),
            200,
        )
        for n, n_runs in ((20, 3), (50, 3), (50, 10), (200, 5))
    ),
    *(
        World(
            "queries or runs",
            f"the variance of {n_runs} runs is {ratio:g} of that of {n} queries",
            functools.partial(_misadvised, n=n, n_runs=n_runs, ratio=ratio),
            at_most(0.05),
            200,
        )
        for n, n_runs in ((50, 3), (200, 10))
        for ratio in (0.99, 1.01)
    ),
    *(
        World(
            "interval of a mean",
            f"{measure}, {n} queries",
            functools.partial(_misses, n=n, measure=measure),
            # Hits of ten queries have only 11 means, and their intervals are wider than need be.
            between(0.03, 0.07) if n >= (20 if measure == "hit_rate@1" else 10) else at_most(0.07),
            100,
        )
        for measure in MEASURES
        for n in (5, 10, 20, 50)
    ),
    *(
        World(
            "interval of a mean", f"{name}, {n} queries", functools.partial(draw, n=n, measure="ndcg@10"), promise, 100
        )
        for name, draw, n, promise in (
            ("ndcg@10, skewed query weights", _misses_weighted, 30, at_most(0.07)),
            ("ndcg@10 of one category", _misses_category, 20, between(0.03, 0.07)),
            ("difference of two systems in ndcg@10", _misses_difference, 10, at_most(0.07)),
            ("difference of two systems in ndcg@10", _misses_difference, 20, between(0.03, 0.07)),
            ("difference of two systems in ndcg@10", _misses_difference, 50, between(0.03, 0.07)),
        )
    ),
    # No method knows what a sample does not show: how often that matters is measured, and said on the page.
    *(
        World(
            "interval of a mean",
            f"5% of queries have the value 0, the others 0.97 to 1, {n} queries",
            functools.partial(_misses_rare, n=n),
            at_most(most),
            100,
        )
        for n, most in ((10, 0.65), (50, 0.15))
    ),
    # Student's t needs more queries where one system nearly always wins: how many is measured, and said on the page.
    *(
        World(
            "interval of a mean",
            f"difference in ndcg@10, one system nearly always wins{said}, {n} queries",
            functools.partial(_misses_better, n=n, is_noted=is_noted),
            at_most(most),
            100,
        )
        for n, is_noted, said, most in (
            (10, None, "", 0.07),
            (10, False, ", 6 or more queries differ", 0.1),
            (10, True, ", fewer than 6 differ", 0.07),
            (20, None, "", 0.12),
            (50, None, "", 0.1),
        )
    ),
]

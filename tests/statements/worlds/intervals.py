"""Confidence intervals of means and of differences."""

import functools
from typing import Any

import numpy as np
from statements.data import pool
from statements.world import Kind, World, at_most, between

import idealrank as ir

__all__ = ["KINDS", "WORLDS"]

KINDS = {"interval of a mean": Kind("95% intervals by the score method")}


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


MEASURES = ("hit_rate@1", "rr", "recall@5", "ndcg@10", "ap")

WORLDS = [
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
]

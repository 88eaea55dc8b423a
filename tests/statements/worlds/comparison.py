"""`compare` and `power`: differences between systems."""

import functools
from typing import Any

import numpy as np
from statements.data import pool
from statements.world import Kind, World, between

import idealrank as ir

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "significant difference": Kind("a is significantly better than b at level 0.05."),
    "no difference can be significant": Kind("No difference can be significant: the smallest p-value is 0.25."),
    "unjudged documents were not checked": Kind(
        "ap: whether unjudged documents could reverse differences was not computed for the 94 other systems.",
        certain="says what was not computed",
    ),
    "queries needed": Kind("To detect a difference of 0.05 with 80% power, a paired t test needs 120 queries."),
    "agreement of systems": Kind("By rbo, a and b agree most.", certain="means over the given queries"),
}


def _nothing_differs(rng: np.random.Generator, n: int, **options: Any) -> bool:
    """Whether `compare` calls a difference significant between systems that are exchanged at random on every query."""
    drawn = pool().sample(rng, n).relabeled(rng)
    compared = ir.compare(*drawn.inputs, "ndcg@10", offsets=drawn.offsets, **options)
    return bool(compared.significant("ndcg@10"))


WORLDS = [
    World(
        "significant difference",
        f"two systems exchanged at random on each of {n} queries",
        functools.partial(_nothing_differs, n=n),
        between(0.025, 0.05),
    )
    for n in (10, 50)
]

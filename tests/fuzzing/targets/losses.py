"""Every loss in many forms, values and gradients, against their definitions with 60 digits."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
from every_loss import HELD, NAMES

from fuzzing.core import Target
from fuzzing.references.losses import gradients, value
from fuzzing.shrinking import fewer_queries
from idealrank.errors import DataError
from idealrank.losses import loss as loss_named

#: Losses of differences of scores alone, which no common shift may change.
_SHIFTED = (
    "hinge",
    "squared_hinge",
    "pairwise",
    "lambda_rank",
    "list_mle",
    "push",
    "smoothed",
    "soft_ndcg",
    "approx",
    "psl",
)
#: Sums of sigmoids are computed with a relative error of 1e-10.
_SOFT = ("approx", "soft_ndcg")


def draw(rng: Random) -> Iterator[dict[str, Any]]:
    for _ in range(2):
        name = rng.choice([*NAMES, *HELD])
        labels = rng.choice([(0, 1), (0, 1, 2), (0, 1, 2, 3, 4), (0, 0.5, 2.25)])
        spread = rng.choice([0.01, 1, 1, 1, 3, 30, 300])
        weighted = rng.random() < 0.5
        queries = []
        for _ in range(12):
            shift = rng.choice([0, 0, 1e6, -1e15]) if _is_shifted(name) else 0.0
            step = spread / 8 if not shift else max(spread / 8, 0.125)
            queries.append(
                [
                    [float(rng.choice(labels)), _score(rng, step, shift), rng.choice([0.5, 1, 3]) if weighted else 1.0]
                    for _ in range(rng.randint(0, 5))
                ]
            )
        yield {"loss": name, "queries": queries}


def _is_shifted(name: str) -> bool:
    return name.startswith(_SHIFTED) or (name.startswith("cross_entropy") and "normalizer" not in name)


def _score(rng: Random, step: float, shift: float) -> float:
    """Draw a score on a grid, for ties and for exact differences, or off it."""
    if shift:
        return shift + round(step * rng.randint(-24, 24) * 8) / 8
    return step * rng.randint(-24, 24) if rng.random() < 0.7 else rng.gauss(0, 8 * step)


def check(case: dict[str, Any]) -> int:
    loss, queries = loss_named(case["loss"]), case["queries"]
    labels, scores, weights = (np.array([doc[i] for docs in queries for doc in docs], float) for i in range(3))
    offsets = np.cumsum([0, *map(len, queries)])
    plain = (weights == 1).all()
    try:
        values, gradient = loss(labels, scores, offsets, weights=None if plain else weights)
    except DataError:
        exact = [value(loss, *([doc[i] for doc in docs] for i in range(3))) for docs in queries]
        if max(map(abs, exact)) > 1e300:  # it overflows
            return 1
        raise
    tolerance = 2e-9 if case["loss"].startswith(_SOFT) else 1e-10
    for q, docs in enumerate(queries):
        columns = [[doc[i] for doc in docs] for i in range(3)]
        expected = value(loss, *columns)
        wrong = abs(values[q] - expected)
        assert wrong <= tolerance * (1 + abs(expected)), f"query {q}: value {values[q]!r}, not {float(expected)!r}"
        if not any(columns[1]):
            continue  # cosines and norms have no derivative at 0
        slopes = gradients(loss, *columns)
        scale = 1 + max((abs(high) for _, high in slopes), default=0) + getattr(loss, "alpha", 0)
        for i, (low, high) in enumerate(slopes):
            found = gradient[offsets[q] + i]
            inside = low - tolerance * scale <= found <= high + tolerance * scale
            assert inside, f"query {q}, document {i}: slope {found!r}, not {float(high)!r}"
    return len(queries) + int(offsets[-1])


TARGET = Target(draw, check, fewer_queries)

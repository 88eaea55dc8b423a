"""Every measure with any options, against the values of all orders of documents with equal scores."""

import dataclasses
import itertools
import math
import statistics
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import oracles

from fuzzing.core import Target
from fuzzing.shrinking import fewer_queries
from idealrank.errors import OptionError
from idealrank.measures import ERR, GainOverCost, Measure, NDCGPValue, Tied, measure
from idealrank.measures.against_random import CorrectedNDCG, NDCGZScore, RandomNDCG
from idealrank.measures.measure_names import MEASURES

_ALL_ORDERS = (NDCGPValue, CorrectedNDCG, NDCGZScore, RandomNDCG)
_CLASSES = [cls for cls in MEASURES.members().values() if not cls.needs_subtopics]
OPTIONS: dict[str, list[Any]] = oracles.OPTION_VALUES | {
    "cutoff": [1, 2, 3, 5, 7, 100, 0.3, 0.5, "n^0.7"],
    "ties": ["average", "stable", "reverse", "best", "worst"],
    "gain": ["exp2", "linear", "binary:1", "binary:2", "binary:0.5"],
    "rel": [0, 0.5, 1, 2, 3],
}
_LABELS = [(0, 1), (0, 0, 0, 1), (0, 1, 2), (0, 1, 2, 3, 4), (0,), (1, 2), (0, 0.1, 0.5, 2.9), (0, 1, 63), (0, 30, 60)]
_SCORES = [
    (0.0, 1.0),
    (0.0, -0.0, 1.0),
    (1.0, 2.0, 3.0, 4.0),
    (0.5,),
    (1e308, -1e308, 0.0),
    (5e-324, 0.0, -5e-324),
    (1.0, 1 + 2**-52, 1 - 2**-53),
    (16777216.0, 16777217.0),
    tuple(map(float, range(20))),
]


def draw(rng: Random) -> Iterator[dict[str, Any]]:
    for _ in range(4):
        m = _measure(rng)
        labels, scores = rng.choice(_LABELS), rng.choice(_SCORES)
        if isinstance(m, ERR):
            labels = tuple(label for label in labels if label <= float(m.with_convention().max_label or 0))
        if isinstance(m, (*_ALL_ORDERS, GainOverCost)):  # gains of 2^63 leave differences that are rounding alone
            labels = tuple(label for label in labels if label < 30)
        most = 5 if isinstance(m, _ALL_ORDERS) else 7
        pooled = rng.random() < 0.4
        queries = [
            [_document(rng, labels, scores, pooled) for _ in range(rng.randint(0, most))]
            for _ in range(10 if isinstance(m, _ALL_ORDERS) else 400)
        ]
        yield {"measure": str(m), "pooled": pooled, "queries": queries}


def _document(rng: Random, labels: tuple[float, ...], scores: tuple[float, ...], pooled: bool) -> list[float | None]:
    """Draw a label and a score; a document without a label is unjudged, one without a score not retrieved."""
    kind = rng.random() if pooled else 1.0
    label = None if kind < 0.2 else float(rng.choice(labels))
    return [label, None if 0.2 <= kind < 0.4 else rng.choice(scores)]


def _measure(rng: Random) -> Measure:
    while True:
        cls = rng.choice(_CLASSES)
        options = {
            name: rng.choice(OPTIONS.get(f"{cls.label}.{name}") or OPTIONS[name])
            for name in cls.options()
            if name not in ("permutations", "seed") and rng.random() < 0.5
        }
        try:
            made: Measure = cls(**options)
            made.with_convention().plan()
        except OptionError:  # no closed form for these ties
            continue
        return made


def check(case: dict[str, Any]) -> int:
    m, queries = measure(case["measure"]), case["queries"]
    ranked = [[(_number(label), score) for label, score in docs if score is not None] for docs in queries]
    pools = [[label for label, _ in docs if label is not None] for docs in queries]
    labels, scores = ([pair[part] for docs in ranked for pair in docs] for part in (0, 1))
    judged = (np.array([label for pool in pools for label in pool], float), _offsets(pools)) if case["pooled"] else None
    offsets = _offsets(ranked)
    values = m(np.array(labels, float), np.array(scores, float), offsets, judged=judged)
    assert values.shape == (len(queries),)
    reference = Reference(m)
    for q, docs in enumerate(ranked):
        expected = reference.value([label for label, _ in docs], [score for _, score in docs], pools[q])
        close = math.isclose(values[q], expected, rel_tol=1e-10, abs_tol=1e-12)
        assert close or (math.isnan(expected) and math.isnan(values[q])), f"query {q}: {values[q]!r}, not {expected!r}"
    return len(queries)


def _number(label: float | None) -> float:
    return math.nan if label is None else label


def _offsets(lists: list[Any]) -> Any:
    return np.cumsum([0, *map(len, lists)])


class Reference:
    """The value of one measure, each order of labels computed once."""

    def __init__(self, m: Measure) -> None:
        self.measure, self.filled = m, m.with_convention()
        self.of_ranking = oracles.MEASURES[type(m).__name__]
        self.empty = math.nan if isinstance(self.filled.empty, str) else float(self.filled.empty or 0)
        if isinstance(m, NDCGPValue) and not math.isnan(self.empty):
            self.empty = 1.0  # all orders are equal
        self.known: dict[Any, float] = {}

    def value(self, labels: list[float], scores: list[float], pool: list[float]) -> float:
        ties = self.filled.ties or "average"
        labels, scores = oracles.left(self.measure, labels, scores)
        if isinstance(self.measure, NDCGPValue) and ties == "average":
            ranking = oracles.Ranking(tuple(labels), tuple(pool))
            if self.of_ranking(self.filled, ranking) is None:
                return self.empty
            return oracles.tied_values(self.measure, labels, scores, pool)["average"]
        ranked_scores = tuple(sorted(scores, reverse=True)) if isinstance(self.measure, Tied) else ()
        groups = oracles.tie_groups(labels, scores)
        judged = tuple(sorted(pool))
        if ties in ("stable", "reverse"):
            turned = [group[::-1] if ties == "reverse" else group for group in groups]
            return self._of_order(tuple(itertools.chain(*turned)), judged, ranked_scores)
        orders = [sorted(set(itertools.permutations(group)), key=str) for group in groups]
        every = [
            self._of_order(tuple(itertools.chain(*order)), judged, ranked_scores)
            for order in itertools.product(*orders)
        ]
        if ties == "average":
            return statistics.fmean(every)
        return min(every) if (ties == "best") == self.measure.lower_is_better else max(every)

    def _of_order(self, labels: tuple[float, ...], judged: tuple[float, ...], scores: tuple[float, ...]) -> float:
        key = (labels, judged, scores)
        if key not in self.known:
            value = self.of_ranking(self.filled, oracles.Ranking(labels, judged, scores))
            self.known[key] = self.empty if value is None else value
        return self.known[key]


def _smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from fewer_queries(case)
    m = measure(case["measure"])
    for name in m.options():
        if getattr(m, name) is not None:
            try:
                yield case | {"measure": str(dataclasses.replace(m, **{name: None}))}
            except OptionError:
                continue


TARGET = Target(draw, check, _smaller)

"""The input of a measure: trec_eval's parameters, and rankings as it makes them of judgments and a run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import OptionError
from idealrank.measures import ranked_labels as rankings
from idealrank.measures.conventions import convention
from idealrank.measures.measure_base import Measure, run
from idealrank.measures.ranked_labels import UNJUDGED, UNPOOLED, Graded, Groups

#: (label, gain) in the order given; any other label from 0 is worth itself.
Gains: TypeAlias = tuple[tuple[float, float], ...]


def gains_of(labels: Floats, gains: Gains) -> Floats:
    """The gain of each label; 0 for those of unjudged documents.

    >>> gains_of(np.array([0.0, 1.0, 2.0, 3.0, -1.0]), ((2.0, 9.0),))
    array([0., 1., 9., 3., 0.])
    """
    worth = np.maximum(labels, 0.0)
    for label, gain in gains:
        worth[labels == label] = gain
    return worth


@cache
def _rising(top: int, gains: Gains) -> tuple[tuple[float, float], ...]:
    """Return (label, gain) for the labels up to ``top`` and in the map, by increasing gain as in trec_eval.

    trec_eval compares gains by their difference, truncated to an integer, so that gains less than 1 apart count as
    equal; and the C library merges sorted halves. So fractional gains may come out in the wrong order.

    >>> _rising(3, ((1.0, 3.0), (2.0, 9.0)))
    ((0.0, 0.0), (1.0, 3.0), (3.0, 3.0), (2.0, 9.0))
    >>> _rising(2, ((2.0, 0.5), (1.0, 0.25)))
    ((2.0, 0.5), (1.0, 0.25), (0.0, 0.0))
    """

    def merged(levels: list[tuple[float, float]]) -> list[tuple[float, float]]:
        if len(levels) < 2:
            return levels
        left, right = merged(levels[: len(levels) // 2]), merged(levels[len(levels) // 2 :])
        result = []
        while left and right:
            result.append((left if int(left[0][1] - right[0][1]) <= 0 else right).pop(0))
        return result + left + right

    others = [(float(label), float(label)) for label in range(top + 1) if label not in dict(gains)]
    return tuple(merged([*gains, *others]))


def ideal(judged: Groups, labels: Floats, tops: Int64s, gains: Gains) -> tuple[Groups, Floats]:
    """The judged documents in trec_eval's order of falling gains, up to the first gain that is not positive.

    ``tops`` is the highest label of each query, -1 without one.
    """
    places, begins = labels, np.ones(tops.size, bool)
    if gains:
        places = np.empty_like(labels)
        for top in np.unique(tops).tolist():
            order = _rising(top, gains)
            begins[tops == top] = order[-1][1] > 0
            rows = tops[judged.queries] == top
            known, number = np.unique(labels[rows], return_inverse=True)
            place_of = {label: place for place, (label, _) in enumerate(order)}
            places[rows] = np.array([place_of[label] for label in known.tolist()], np.float64)[number]
    best_first = np.lexsort((-places, judged.queries))
    worth = gains_of(labels, gains)[best_first]
    kept = (judged.count_so_far(worth <= 0) == 0) & begins[judged.queries]
    return Groups(judged.count(kept)), worth[kept]


def not_best(graded: Graded, judged: Groups, labels: Floats, gains: Gains) -> Booleans:
    """For which queries the order that `ideal` found is not the best one."""
    best, found = graded.ideal, graded.ideal_gains
    is_short = best.sizes < judged.count(gains_of(labels, gains) > 0)
    rises = np.append(False, found[1:] > found[:-1])[: found.size] & (best.ranks > 1)
    return is_short | (best.count(rises) > 0)


_Number = TypeVar("_Number", int, float)


def ranks(text: str) -> tuple[int, ...]:
    """Read distinct ranks, in rising order."""
    cutoffs = _distinct(map(int, numbers(text)))
    if cutoffs[0] <= 0:
        raise OptionError(f"a cutoff must be 1 or more, got {cutoffs[0]}")
    return cutoffs


def levels(text: str) -> tuple[float, ...]:
    """Read distinct numbers, in rising order."""
    return _distinct(numbers(text))


def numbers(text: str) -> tuple[float, ...]:
    """Read numbers."""
    return tuple(map(_number, text.split(",")))


def weights(text: str) -> tuple[float, ...]:
    """Read four numbers."""
    found = numbers(text)
    if len(found) != 4:
        raise OptionError(f"expected 4 weights, got {len(found)}")
    return found


def gain_map(text: str) -> Gains:
    """Read pairs label=gain."""
    return _gains(_pairs(text))


def gains_and_p(text: str) -> tuple[Gains, float]:
    """Read pairs label=gain, and p=persistence among them, 0.9 by default."""
    pairs = _pairs(text)
    return _gains([pair for pair in pairs if pair[0] != "p"]), dict(pairs).get("p", 0.9)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise OptionError(f"expected a number, got {text!r}")
    return value


def _distinct(cutoffs: Iterable[_Number]) -> tuple[_Number, ...]:
    rising = tuple(sorted(cutoffs))
    if len(set(rising)) < len(rising):
        raise OptionError("a cutoff is repeated")
    return rising


def _pairs(text: str) -> list[tuple[str, float]]:
    pairs = [word.partition("=") for word in text.split(",")]
    if not all(name and equals for name, equals, _ in pairs):
        raise OptionError("expected pairs such as 1=3,2=9")
    return [(name, _number(value)) for name, _, value in pairs]


def _gains(pairs: list[tuple[str, float]]) -> Gains:
    gains = tuple((float(int(_number(label))), gain) for label, gain in pairs)
    if len(dict(gains)) < len(gains):
        raise OptionError("a label is repeated")
    return gains


@dataclass(frozen=True, eq=False)
class Rankings(rankings.RankedLabels):
    """Rankings with whole labels; ``n_collection`` is the number of documents that could have been retrieved."""

    n_collection: int = 0
    version: int = 10

    @classmethod
    def of(
        cls, data: RankingData, *, level: int, n_collection: int, version: int, n_threads: int | None = None
    ) -> Rankings:
        """Rank the joined data by descending score, and documents with equal scores by descending id."""
        assert data.scores is not None
        assert data.doc_ids is not None
        assert data.judged is not None
        scores = data.scores
        if version < 10:
            with np.errstate(over="ignore"):
                narrow = scores.astype(np.float32)
            largest = np.finfo(np.float32).max
            scores = np.clip(narrow, -largest, largest, out=narrow).astype(np.float64)
        rows = _native.order_by_id(scores, data.offsets, *data.doc_ids.parts, True, resolve_threads(n_threads))
        labels, pool = data.labels[rows], np.trunc(data.judged.labels)
        np.trunc(labels, out=labels)
        np.copyto(labels, UNJUDGED, where=labels < 0)
        np.copyto(labels, UNPOOLED, where=np.isnan(labels))
        pooled, is_judged = Groups(np.diff(data.judged.offsets)), pool >= 0
        judged = Groups(pooled.count(is_judged))
        return cls(Groups(np.diff(data.offsets)), labels, judged, pool[is_judged], level, n_collection, version)

    def with_placeholders(self, is_missing: Booleans) -> Rankings:
        """Return the rankings with one document out of the pool for each of these queries, which have none."""
        labels = np.insert(self.labels, self.retrieved.starts[is_missing], UNPOOLED)
        return replace(self, retrieved=Groups(self.retrieved.sizes + is_missing), labels=labels)

    def keep(self, kept: Booleans) -> Rankings:
        """Return the rankings with only these retrieved documents."""
        return replace(self, retrieved=Groups(self.retrieved.count(kept)), labels=self.labels[kept])

    def measured(self, chosen: Iterable[Measure], n_threads: int | None = None) -> dict[Measure, Floats]:
        """Compute measures of the library, one value per query, in one call of the native core."""
        trec_eval = convention("trec_eval10")
        rules = replace(trec_eval, options={**trec_eval.options, "rel": self.level})
        plans = {each: plan for each in chosen if (plan := each.with_convention(rules).plan()) is not None}
        judged, threads = JudgedLabels(self.judged_labels, self.judged.offsets), resolve_threads(n_threads)
        descending = np.arange(self.labels.size, 0.0, -1.0)  # the labels are in rank order
        lists = Lists(
            self.labels, descending, self.retrieved.offsets, judged=judged, negative=rules.negative, n_threads=threads
        )
        return dict(zip(plans, run(list(plans.values()), lists, "stable"), strict=True))

    @cached_property
    def tops(self) -> Int64s:
        """The highest judged label of each query, -1 without one."""
        tops = np.full(self.n_queries, -1, np.int64)
        np.maximum.at(tops, self.judged.queries, self.judged_labels.astype(np.int64))
        return tops

    def graded(self, gains: Gains) -> Graded:
        """Gains of the retrieved documents, and of the ideal ranking."""
        if gains not in self._graded:
            best = ideal(self.judged, self.judged_labels, self.tops, gains)
            self._graded[gains] = Graded(self.retrieved, gains_of(self.labels, gains), *best)
        return self._graded[gains]

    @cached_property
    def _graded(self) -> dict[Gains, Graded]:
        return {}

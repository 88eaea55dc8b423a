"""A formula of NDCG in all its known variants, right and wrong ones: what it predicts for a probe."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from idealrank.identification.gains_and_discounts import DISCOUNTS, GAINS, DiscountShape, GainShape
from idealrank.identification.probes import Probe, Query

__all__ = ["Formula", "Refused"]

#: A difference that stands for 0 where two sums are the same.
_ROUNDING = 1e-12
_Row = tuple[str, float, float | None]


class Refused(Exception):  # noqa: N818 (an answer, not a failure)
    """The formula has no value for such data: the function raises an error."""


@dataclass(frozen=True)
class Formula:
    """One variant of NDCG; every field is a choice that probes decide."""

    gain: GainShape = GAINS[0]
    discount: DiscountShape = DISCOUNTS[0]
    #: descending, ascending, text (scores compared as text), input, or argsort (its result, taken for ranks): the order
    #: in which documents are ranked.
    order: str = "descending"
    #: As in our options; shared best, shared worst, shared mean: equal scores have one rank of those that they take,
    #: which k is compared with; or k is compared with the place, as in shared best by place.
    ties: str = "stable"
    #: sorted, unsorted, ascending, distinct; full, highest: k documents of gain 1, or of the highest gain; none; gains,
    #: documents, k, relevant: a sum of gains or a count.
    ideal: str = "sorted"
    #: judged, retrieved, top, or first: the documents of the ideal; the first k by score, or in the order given.
    pool: str = "judged"
    ideal_gain: GainShape | None = None
    ideal_discount: DiscountShape | None = None
    scale: float = 1.0
    #: none; worst, random: the DCG of the worst order, or the mean over all orders, is subtracted above and below
    baseline: str = "none"
    #: What is added to the ideal DCG, and what it is at least.
    added: float = 0.0
    floor: float = 0.0
    #: none, above, below, both: whether values above 1 or below 0 are cut.
    clip: str = "none"
    #: value, one minus, negative, squared, root
    output: str = "value"
    #: all, or first: whether ranks after the first relevant document count.
    counted: str = "all"
    #: Whether labels are divided by the highest label of the query before they have a gain.
    relative: bool = False
    #: Ranks that count beyond k; None if k is ignored.
    cut: int | None = 0
    #: Likewise of the ideal; retrieved: cut at the number of retrieved documents; least: at that number or k.
    ideal_cut: int | str | None = 0
    #: Whether ranks are counted off from the end of a list that is shorter than k.
    cut_within: bool = False
    #: Whether the list is cut before it is sorted.
    cut_first: bool = False
    #: A cutoff of the function's own, used where none is given: a rank, or a fraction of the list.
    own_cutoff: int | float | None = None
    short: str = "as is"
    empty: float | str = 0.0
    negative: str = "keep"
    negative_ideal: str = "divide"
    labels: str = "float"
    #: The highest label that is not refused.
    highest: float | None = None
    #: zero: as a label of 0; nothing: no gain at all; drop
    unjudged: str = "zero"
    #: absent, or appended to the ranking
    unretrieved: str = "absent"
    #: kept, or dropped before ranking: documents with a label of 0
    zeros: str = "kept"
    #: each, first, last, error
    duplicates: str = "each"
    #: mean, geometric, nonzero (the mean of values that are not 0), highest, lowest, pooled,
    #: documents, relevant, sum, median, first, last
    average: str = "mean"
    missing: float | str = 0.0
    #: ignored, zero, empty (as one with nothing relevant), error: a query of the run without judgments
    extra: str = "ignored"
    #: kept, absolute, dropped, error: negative scores
    signs: str = "kept"
    #: float64, float32; truncated or rounded to integers: of the scores
    precision: str = "float64"

    def predict(self, probe: Probe) -> float:
        """Return the value for a probe."""
        if len(probe.queries) == 1 and probe.one.ranked is not None and probe.one.judged is not None:
            value = self._value(*self.parts(probe.one, probe.k))
            return self._shown(math.nan if value is None else value)
        return self._shown(self._averaged(probe))

    def _shown(self, value: float) -> float:
        match self.output:
            case "one minus":
                return 1 - value
            case "negative":
                return -value
            case "squared":
                return value * value
            case "root":
                return math.sqrt(value) if value >= 0 else math.nan
        return value

    def _averaged(self, probe: Probe) -> float:
        values, tops, bottoms, weights = [], [], [], []
        for query in probe.queries:
            if query.ranked is None:
                if self.missing == "error":
                    raise Refused
                if self.missing == "drop":
                    continue
                if self.missing == "empty":
                    query = Query((), query.judged)
                else:
                    values.append(float(self.missing))
                    bottoms.append(self.parts(Query((), query.judged), probe.k)[1])
                    tops.append(0.0)
                    weights.append((0, sum(label > 0 for label in query.labels.values())))
                    continue
            if query.judged is None:
                if self.extra == "error":
                    raise Refused
                if self.extra == "zero":
                    values.append(0.0)
                if self.extra != "empty":
                    continue
                query = Query(query.ranked, ())
            top, bottom, is_short = self.parts(query, probe.k)
            value = self._value(top, bottom, is_short)
            if value is None:
                continue
            values.append(value)
            tops.append(top)
            bottoms.append(bottom)
            weights.append((len(query.ranked or ()), sum(label > 0 for label in query.labels.values())))
        if self.average == "pooled":
            return self.scale * sum(tops) / sum(bottoms) if sum(bottoms) else math.nan
        if self.average == "nonzero":
            values = [value for value in values if value] or [0.0]
        if not values:
            return math.nan
        if self.average in ("documents", "relevant"):
            column = 0 if self.average == "documents" else 1
            own = [weight[column] for weight in weights]
            return sum(w * v for w, v in zip(own, values, strict=False)) / sum(own) if sum(own) else math.nan
        match self.average:
            case "geometric":
                return math.exp(sum(map(math.log, values)) / len(values)) if min(values) > 0 else 0.0
            case "highest":
                return max(values)
            case "lowest":
                return min(values)
            case "sum":
                return sum(values)
            case "median":
                return float(np.median(values))
            case "first":
                return values[0]
            case "last":
                return values[-1]
        return sum(values) / len(values)

    def _value(self, top: float, bottom: float, is_short: bool) -> float | None:
        if is_short and self.short == "zero":
            return 0.0
        if is_short and self.short == "error":
            raise Refused
        if bottom == 0 or math.isnan(bottom) or (bottom < 0 and self.negative_ideal == "empty"):
            if self.ideal == "none":
                return self.scale * top
            if math.isnan(bottom):
                return math.nan
            if self.empty == "error":
                raise Refused
            if self.empty == "skip":
                return None
            return math.nan if self.empty == "nan" else float(self.empty)
        if self.ideal != "none":
            bottom = max(bottom + self.added, self.floor) if self.floor else bottom + self.added
        value = self.scale * top / bottom
        if self.clip in ("above", "both"):
            value = min(value, 1.0)
        return max(value, 0.0) if self.clip in ("below", "both") else value

    def parts(self, query: Query, k: int | None) -> tuple[float, float, bool]:
        """Return the DCG, what it is divided by, and whether the list has fewer than k documents."""
        rows = self._rows(query)
        n = len(rows)
        own = self.own_cutoff
        limit = k if k is not None else max(1, math.floor(own * n)) if isinstance(own, float) else own
        is_short = limit is not None and n < limit
        if self.cut_first and limit is not None:
            rows = rows[: limit + (self.cut or 0)]
        groups = self._groups(rows)
        if self.unretrieved == "appended":
            groups += [[(doc, -math.inf, query.labels[doc])] for doc in query.unretrieved]
        gains = [gain for group in groups for gain in self._gains(group)]
        if self.counted == "first":
            gains = _up_to_first(gains)
        depth = self._depth(self.cut, limit, len(gains))
        if self.ties.startswith("shared"):
            top = self._of_shared_ranks(groups, depth, n)
        else:
            found = _without_trailing_zeros(gains[:depth])
            top = _dot(found, self.discount.weights(len(found), n))
        ranked = [row for group in groups for row in group]
        below = self._ideal(query, rows, ranked, limit, n)
        if self.baseline == "none":
            return top, below, is_short
        base = self._baseline([self._gain(label) for _, _, label in rows], limit, n)
        return top - base, below - base if abs(below - base) > _ROUNDING * abs(below) else 0.0, is_short

    def _of_shared_ranks(self, groups: Sequence[Sequence[_Row]], depth: int, n: int) -> float:
        """Return the DCG if documents with equal scores share a rank."""
        total, before = 0.0, 0
        for group in groups:
            last = before + len(group)
            ranks: dict[str, Any] = {"best": before + 1, "worst": last, "mean": (before + 1 + last) / 2}
            rank = ranks[self.ties.split()[1]]
            by_place = self.ties.endswith("by place")
            inside = group[: max(depth - before, 0)] if by_place else group if rank <= depth else ()
            gain = sum(self._gain(label) for _, _, label in inside)
            total += gain * self.discount.at(rank, n)
            before = last
        return total

    def _depth(self, cut: int | None, limit: int | None, n: int) -> int:
        """Return the number of ranks that count in a list of n documents."""
        if cut is None or (limit is None and not self.cut_within):
            return n
        return max((limit if limit is not None and (limit < n or not self.cut_within) else n) + cut, 0)

    def _baseline(self, gains: list[float], limit: int | None, n: int) -> float:
        """Return the DCG of the worst order of the documents, or the mean over all orders."""
        depth = min(self._depth(self.cut, limit, n), n)
        weights = self.discount.weights(depth, n)
        if self.baseline == "random":
            return sum(gains) / len(gains) * sum(weights) if gains else 0.0
        return _dot(sorted(gains)[:depth], weights)

    def _rows(self, query: Query) -> list[_Row]:
        """Return documents, scores and labels, with the choices about labels and documents applied."""
        labels = query.labels
        rows: list[_Row] = []
        for doc, score in query.ranked or ():
            label = self._label(labels[doc]) if doc in labels else None
            if label == "drop" or (label is None and self.unjudged == "drop"):
                continue
            assert not isinstance(label, str)
            if self.zeros == "dropped" and not label:
                continue
            if score < 0 and self.signs == "error":
                raise Refused
            if score <= 0 and self.signs == "dropped":
                continue
            own = self._score(abs(score) if self.signs == "absolute" else score)
            rows.append((doc, own, None if label is None else label / self._unit_of(query)))
        if len({doc for doc, _, _ in rows}) < len(rows):
            if self.duplicates == "error":
                raise Refused
            if self.duplicates in ("first", "last"):
                wanted = rows if self.duplicates == "last" else rows[::-1]
                last = {row[0]: row for row in wanted}
                rows = [last[doc] for doc in dict.fromkeys(doc for doc, _, _ in rows)]
            elif self.duplicates == "once":
                seen: set[str] = set()
                rows = [(d, s, None if d in seen or seen.add(d) else label) for d, s, label in rows]  # type: ignore[func-returns-value]
        return rows

    def _unit_of(self, query: Query) -> float:
        """Return the number that labels are divided by."""
        return max(0.0, *query.labels.values()) or 1.0 if self.relative and query.labels else 1.0

    def _score(self, score: float) -> float:
        match self.precision:
            case "float32":
                return float(np.float32(score))
            case "truncated":
                return float(math.trunc(score))
            case "rounded":
                return float(round(score))
        return score

    def _label(self, label: float) -> float | str | None:
        if self.highest is not None and label > self.highest:
            raise Refused
        if label < 0:
            match self.negative:
                case "error":
                    raise Refused
                case "unjudged":
                    return None
                case "zero":
                    return 0.0
                case "drop":
                    return "drop"
                case "absolute":
                    return -label
        match self.labels:
            case "truncated":
                return float(math.trunc(label))
            case "rounded":
                return float(round(label))
            case "rounded up":
                return float(math.ceil(label))
            case "integer" if label != int(label):
                raise Refused
        return label

    def _gain(self, label: float | None) -> float:
        if label is None:
            return 0.0 if self.unjudged == "nothing" else self.gain.of(0.0)
        return self.gain.of(label)

    def _groups(self, rows: Sequence[_Row]) -> list[list[_Row]]:
        """Return the ranking as groups: documents that share their ranks, or single ones."""
        if self.order == "input":
            return [[row] for row in rows]
        if self.order == "argsort":
            ranks = sorted(range(len(rows)), key=lambda place: -rows[place][1])
            return [[rows[place]] for place in sorted(range(len(rows)), key=ranks.__getitem__)]
        if self.order == "text":
            places = {text: place for place, text in enumerate(sorted({str(score) for _, score, _ in rows}))}
            rows = [(doc, float(places[str(score)]), label) for doc, score, label in rows]
        sign = 1 if self.order == "ascending" else -1
        match self.ties:
            case "reverse":
                backwards = rows[::-1]
                rows = sorted(backwards, key=lambda row: sign * row[1])
            case "docid_desc":
                rows = sorted(sorted(rows, key=lambda row: row[0], reverse=True), key=lambda row: sign * row[1])
            case "docid_asc":
                rows = sorted(rows, key=lambda row: (sign * row[1], row[0]))
            case "best":
                rows = sorted(rows, key=lambda row: (sign * row[1], -self._gain(row[2])))
            case "worst":
                rows = sorted(rows, key=lambda row: (sign * row[1], self._gain(row[2])))
            case _:
                rows = sorted(rows, key=lambda row: sign * row[1])
        if self.ties != "average" and not self.ties.startswith("shared"):
            return [[row] for row in rows]
        return [list(group) for _, group in itertools.groupby(rows, key=lambda row: row[1])]

    def _gains(self, group: list[_Row]) -> list[float]:
        own = [self._gain(label) for _, _, label in group]
        return own if len(own) == 1 else [sum(own) / len(own)] * len(own)

    def _ideal_depth(self, limit: int | None, n: int, n_ideal: int) -> int | None:
        if isinstance(self.ideal_cut, str):
            return n if limit is None or self.ideal_cut == "retrieved" else min(limit, n)
        if self.cut_within and self.ideal_cut:
            return self._depth(self.ideal_cut, limit, n_ideal)
        return None if limit is None or self.ideal_cut is None else max(limit + self.ideal_cut, 0)

    def _ideal(self, query: Query, rows: Sequence[_Row], ranked: Sequence[_Row], limit: int | None, n: int) -> float:
        gain = (self.ideal_gain or self.gain).of
        discount = self.ideal_discount or self.discount
        if self.ideal == "none":
            return 1.0
        depth = self._ideal_depth(limit, n, n if self.pool != "judged" else len(query.labels))
        match self.pool:
            case "judged":
                known = [self._label(label) for label in query.labels.values()]
                unit = self._unit_of(query)
                labels = [0.0 if label is None else float(label) / unit for label in known if label != "drop"]
                if self.zeros == "dropped":
                    labels = [label for label in labels if label]
            case "top":
                labels = [label or 0.0 for _, _, label in ranked[:depth]]
            case "first":
                labels = [label or 0.0 for _, _, label in rows[:depth]]
            case _:
                labels = [label or 0.0 for _, _, label in rows]
        assert not any(isinstance(label, str) for label in labels)
        own = [gain(label) for label in labels]
        match self.ideal:
            case "full" | "highest" | "full within n" | "highest within n":
                length = n if depth is None else min(depth, n) if self.ideal.endswith("n") else depth
                each = 1.0 if self.ideal.startswith("full") else max(own, default=0.0)
                return each * sum(discount.weights(length, n))
            case "gains":
                return sum(own[:depth])
            case "documents":
                return float(n)
            case "k" | "k within n":
                return float(n if limit is None or (self.ideal.endswith("n") and n < limit) else limit)
            case "relevant":
                return float(sum(value > 0 for value in own))
            case "relevant within k":
                found = sum(value > 0 for value in own)
                return float(found if depth is None else min(found, depth))
            case "distinct":
                own = sorted(set(own), reverse=True)
            case "ascending":
                own = sorted(own)
            case "sorted":
                own = sorted(own, reverse=True)
        if self.counted == "first":
            own = _up_to_first(own)
        own = _without_trailing_zeros(own[:depth])
        return _dot(own, discount.weights(len(own), n))


def _up_to_first(values: list[float]) -> list[float]:
    """Return the values up to the first positive one."""
    return values[: 1 + next((place for place, value in enumerate(values) if value > 0), len(values))]


def _without_trailing_zeros(values: list[float]) -> list[float]:
    """Return the values without trailing zeros, so that the weights of later ranks are not needed."""
    while values and values[-1] == 0:
        values.pop()
    return values


def _dot(values: Sequence[float], weights: Sequence[float]) -> float:
    if math.inf in weights:  # as in floating-point arithmetic, 0 * inf is NaN
        return float(np.dot(values, weights)) if values else 0.0
    return sum(value * weight for value, weight in zip(values, weights, strict=True))

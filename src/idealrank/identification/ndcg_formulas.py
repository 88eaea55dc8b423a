"""A formula of NDCG in all its known variants, right and wrong: gains, discounts, and what it predicts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from idealrank._typing import Floats
from idealrank.identification.calling_forms import QUERY_ID, Probe, Query
from idealrank.measures import discounts, gains


class _Shape:
    """A formula in words, and the same as an option of ours, if there is one."""

    name: str
    option: object

    def __str__(self) -> str:
        return self.name

    @cached_property
    def text(self) -> str:
        """The option as it is written, or else the name."""
        return str(self.option or self.name)

    @property
    def is_table(self) -> bool:
        """Whether the formula is known only for labels or ranks that were measured."""
        return "table" in self.name


@dataclass(frozen=True)
class GainShape(_Shape):
    """What a label is worth: a formula in words, the function, and the same as an option of ours."""

    name: str
    of: Callable[[float], float] = field(compare=False)
    option: gains.Gain | None = field(default=None, compare=False)


@dataclass(frozen=True)
class DiscountShape(_Shape):
    """What rank r of a list of n counts."""

    name: str
    at: Callable[[int, int], float] = field(compare=False)
    option: discounts.Discount | None = field(default=None, compare=False)
    _known: dict[tuple[int, int], tuple[float, ...]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def relative(self) -> Floats | None:
        """The weights of the first ranks, relative to the first; None if there is no option."""
        return None if self.option is None else relative_weights(self.option)

    def weights(self, depth: int, n: int) -> tuple[float, ...]:
        """Return the weights of the first ranks of a list of n documents."""
        if (depth, n) not in self._known:
            self._known[depth, n] = tuple(self.at(rank, n) for rank in range(1, depth + 1))
        return self._known[depth, n]


def relative_weights(discount: discounts.Discount) -> Floats:
    """Return the weights of the first ranks, relative to the first."""
    return discount.weights(12) / discount(1, 12)


def binary(threshold: float, *, above: bool = False) -> GainShape:
    """Return the gain 1 from a label on, or for labels above it."""
    rel = math.nextafter(threshold, math.inf) if above else threshold
    name = f"1 for a label {'above' if above else 'of at least'} {threshold:g}, else 0"
    return GainShape(name, lambda label: float(label >= rel), gains.Binary(rel))


def thresholds_like(gain: GainShape) -> list[GainShape]:
    """Return the gains that differ from one only in where labels that are not whole begin to count."""
    if not gain.name.startswith("1 for a label"):
        return [gain]
    least = next((float(label) for label in range(1, 6) if gain.of(label)), 1.0)
    halves = [binary(least - 0.5), binary(least - 0.5, above=True)]
    similar = [binary(least), binary(least - 1, above=True), *halves, gain]
    return [*similar, clipped(1)] if least == 1 else similar


def clipped(highest: float) -> GainShape:
    """Return the label as the gain, up to a highest one."""
    return GainShape(f"min(label, {highest:g})", lambda label: min(label, highest))


def _power(exponent: float) -> Callable[[float], float]:
    return lambda label: math.copysign(abs(label) ** exponent, label)


def _exponential(base: float) -> Callable[[float], float]:
    log = math.log(base)
    return lambda label: math.expm1(label * log)  # has no cancellation near 0


#: The common ones first: of those that agree on all lists, the first is named.
GAINS: tuple[GainShape, ...] = (
    GainShape("label", float, gains.Linear()),
    GainShape("2^label - 1", lambda label: 2.0**label - 1, gains.Exp2()),
    binary(1),
    binary(0, above=True),
    binary(0.5),
    binary(0.5, above=True),
    binary(2),
    binary(1, above=True),
    binary(3),
    binary(4),
    GainShape("2^label", lambda label: 2.0**label),
    GainShape("label + 1", lambda label: label + 1),
    GainShape("label^2", _power(2)),
    GainShape("label^3", _power(3)),
    GainShape("sqrt(label)", _power(0.5)),
    GainShape("log2(1 + label)", lambda label: math.log2(1 + label) if label > -1 else -math.inf),
    GainShape("e^label - 1", _exponential(math.e)),
    GainShape("e^label", lambda label: math.e**label),
    GainShape("3^label - 1", _exponential(3)),
    GainShape("10^label - 1", _exponential(10)),
    GainShape("4^label - 1", _exponential(4)),
    GainShape("label (label + 1) / 2", lambda label: label * (label + 1) / 2),
    GainShape("label + 0.5", lambda label: label + 0.5),
    clipped(2),
    clipped(3),
    clipped(4),
    GainShape("1 for a judged document", lambda label: 1.0, gains.Binary(0.0)),
)

DISCOUNTS: tuple[DiscountShape, ...] = (
    DiscountShape("1/log2(rank + 1)", lambda rank, n: 1 / math.log2(rank + 1), discounts.Log()),
    DiscountShape("1, then 1/log2(rank)", lambda rank, n: 1 / math.log2(max(rank, 2)), discounts.Letor()),
    DiscountShape("1/rank", lambda rank, n: 1 / rank, discounts.Zipf()),
    DiscountShape("1/sqrt(rank)", lambda rank, n: rank**-0.5, discounts.Power(0.5)),
    DiscountShape("1/rank^2", lambda rank, n: rank**-2.0, discounts.Power(2)),
    DiscountShape("none: every rank counts 1", lambda rank, n: 1.0, discounts.Power(0)),
    DiscountShape("1/log2(rank + 2)", lambda rank, n: 1 / math.log2(rank + 2)),
    DiscountShape("1/log2(rank + 3)", lambda rank, n: 1 / math.log2(rank + 3)),
    DiscountShape("1 at ranks 1 to 3, then 1/log2(rank - 1)", lambda rank, n: 1 / math.log2(max(rank - 1, 2))),
    DiscountShape("1/(1 + log2(rank))", lambda rank, n: 1 / (1 + math.log2(rank))),
    DiscountShape("1/(1 + ln(rank))", lambda rank, n: 1 / (1 + math.log(rank))),
    DiscountShape("1/(1 + log10(rank))", lambda rank, n: 1 / (1 + math.log10(rank))),
    DiscountShape("1/(rank + 1)", lambda rank, n: 1 / (rank + 1)),
    DiscountShape("1/sqrt(rank + 1)", lambda rank, n: (rank + 1) ** -0.5),
    DiscountShape("1/log2(rank + 1)^2", lambda rank, n: math.log2(rank + 1) ** -2),
    DiscountShape("1, then 1/ln(rank), ranks up to e counting 1", lambda rank, n: 1 / max(1.0, math.log(rank))),
    DiscountShape("1, then 1/log10(rank), ranks up to 10 counting 1", lambda rank, n: 1 / max(1.0, math.log10(rank))),
    DiscountShape("n - rank", lambda rank, n: float(n - rank), discounts.Linear()),
    DiscountShape("n - rank + 1", lambda rank, n: float(n - rank + 1)),
    DiscountShape("0 at rank 1, then 1/log2(rank)", lambda rank, n: 1 / math.log2(rank) if rank > 1 else 0.0),
    DiscountShape("0 at rank 1, then 1/log2(rank + 1)", lambda rank, n: 1 / math.log2(rank + 1) if rank > 1 else 0.0),
    DiscountShape("2^-rank", lambda rank, n: 2.0**-rank, discounts.Geometric(2)),
)
STARTS_AT_ONE = DiscountShape(
    "1/log2(rank), which starts at log2(1) = 0", lambda rank, n: 1 / math.log2(rank) if rank > 1 else math.inf
)


def _gains_of_some_labels() -> Iterator[GainShape]:
    """Yield the two common gains, limited to a highest label, starting at a label, or for labels minus a number."""

    def limited(of: Callable[[float], float], text: str, number: int) -> Iterator[GainShape]:
        yield GainShape(text.replace("label", f"min(label, {number})"), lambda label: of(min(label, number)))
        yield GainShape(f"{text} from label {number} on, else 0", lambda label: of(label) if label >= number else 0.0)
        yield GainShape(text.replace("label", f"max(label - {number}, 0)"), lambda label: of(max(label - number, 0)))

    for usual, number in itertools.product(GAINS[:2], range(1, 5)):
        yield from limited(usual.of, usual.name, number)


GAINS_OF_SOME_LABELS: tuple[GainShape, ...] = tuple(_gains_of_some_labels())


@cache
def gains_of(label: float) -> tuple[float, ...]:
    """Return each of GAINS of a label."""
    return tuple(gain.of(label) for gain in GAINS)


@cache
def weights_of(depth: int, n: int) -> Floats:
    """Return the weights of the first ranks of a list of n documents, one row for each of DISCOUNTS."""
    return np.array([discount.weights(depth, n) for discount in DISCOUNTS])


def measured_gain(values: Sequence[float], tolerance: float) -> GainShape:
    """Return a gain that was measured for the labels 0, 1, 2, ...: a usual one, or else a table."""
    for known in (*GAINS, *GAINS_OF_SOME_LABELS):
        own = [known.of(float(label)) for label in range(len(values))]
        scale = next((a / b for a, b in zip(own, values, strict=True) if b), 0.0)
        if not own[0] and scale and all(abs(a - scale * b) <= tolerance * a for a, b in zip(own, values, strict=True)):
            return known
    shown = ", ".join(f"{label}: {value:.6g}" for label, value in enumerate(values))

    def of(label: float) -> float:
        place = int(label)
        if place != label or not 0 <= place < len(values):
            raise ValueError(f"the gain of the label {label:g} was not measured")
        return values[place]

    return GainShape(f"a table of its own ({shown})", of, gains.Table(tuple(values)))


def measured_discount(values: Sequence[float], tolerance: float) -> DiscountShape:
    """Return a discount that was measured at the first ranks: r^-b, b^-r, or else a table."""
    ratio = values[1]
    power = -math.log(ratio) / math.log(2) if ratio > 0 else math.inf
    if math.isfinite(power) and _fits(values, lambda rank: rank**-power, tolerance):
        exponent = _shortest(power, lambda short: _fits(values, lambda rank: rank**-short, tolerance))
        return DiscountShape(f"rank^-{exponent:g}", lambda rank, n: rank**-exponent, discounts.Power(exponent))
    if 0 < ratio < 1 and _fits(values, lambda rank: ratio ** (rank - 1), tolerance):
        base = _shortest(1 / ratio, lambda short: _fits(values, lambda rank: short ** (1 - rank), tolerance))
        return DiscountShape(f"{1 / base:g}^(rank - 1)", lambda rank, n: base**-rank, discounts.Geometric(base))
    shown = ", ".join(f"{value:.6g}" for value in values)

    def at(rank: int, n: int) -> float:
        if rank > len(values):
            raise ValueError(f"the weight of rank {rank} was not measured")
        return values[rank - 1]

    falling = values[0] > 0 and values[-1] >= 0 and all(b <= a for a, b in itertools.pairwise(values))
    return DiscountShape(f"a table of its own ({shown}, ...)", at, discounts.Table(tuple(values)) if falling else None)


def _fits(values: Sequence[float], formula: Callable[[int], float], tolerance: float) -> bool:
    if not math.isfinite(formula(2)):
        return False
    return all(abs(formula(rank) - value) <= tolerance * rank for rank, value in enumerate(values, 1))


def _shortest(value: float, fits: Callable[[float], bool]) -> float:
    """Return the number with the fewest decimals that fits as well as a measured one."""
    return next((short for digits in range(1, 7) if fits(short := round(value, digits))), value)


_Row = tuple[str, float, float | None]
_OfNumber = Callable[[float], float]

#: What is done to a value, and the inverse.
OUTPUTS: dict[str, tuple[_OfNumber, _OfNumber]] = {
    "value": (float, float),
    "one minus": (lambda value: 1 - value, lambda value: 1 - value),
    "negative": (lambda value: -value, lambda value: -value),
}
#: What is done to labels and scores before they are used.
_CONVERSIONS: dict[str, Callable[[float], Any]] = {
    "float32": np.float32,
    "truncated": math.trunc,
    "rounded": round,
    "rounded up": math.ceil,
}
#: How the values of several queries become one, besides their mean; other averages need more than the values.
COMBINATIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "first": lambda values: values[0],
}
#: The order of documents with equal scores; they stay as they are for other values of ties.
_TIE_ORDERS: dict[str, Callable[[Formula, list[_Row]], list[_Row]]] = {
    "reverse": lambda formula, rows: rows[::-1],
    "docid_desc": lambda formula, rows: sorted(rows, key=lambda row: row[0], reverse=True),
    "docid_asc": lambda formula, rows: sorted(rows, key=lambda row: row[0]),
    "best": lambda formula, rows: sorted(rows, key=lambda row: -formula._gain(row[2])),
    "worst": lambda formula, rows: sorted(rows, key=lambda row: formula._gain(row[2])),
}


class Refused(Exception):  # noqa: N818 (an answer, not a failure)
    """The formula has no value for such data: the function raises an error."""


@dataclass(frozen=True)
class Formula:
    """One variant of NDCG; every field is a choice, whose values `choices.CHOICES` lists."""

    gain: GainShape = GAINS[0]
    discount: DiscountShape = DISCOUNTS[0]
    #: The order in which documents are ranked.
    order: str = "descending"
    #: As in our options.
    ties: str = "stable"
    #: sorted, unsorted, ascending, distinct; full, highest: k documents of gain 1, or of the highest gain; none; gains,
    #: documents, k, relevant: a sum of gains or a count.
    ideal: str = "sorted"
    #: judged, retrieved, top, or first: the documents of the ideal; the first k by score, or in the order given.
    pool: str = "judged"
    ideal_gain: GainShape | None = None
    ideal_discount: DiscountShape | None = None
    scale: float = 1.0
    #: What is added to the ideal DCG.
    added: float = 0.0
    output: str = "value"
    #: Ranks that count beyond k; None if k is ignored.
    cut: int | None = 0
    #: Likewise of the ideal; retrieved: cut at the number of retrieved documents; least: at that number or k.
    ideal_cut: int | str | None = 0
    #: Whether ranks are counted off from the end of a list that is shorter than k.
    cut_within: bool = False
    #: Whether the list is cut before it is sorted.
    cut_first: bool = False
    #: A cutoff of the function's own, used where none is given.
    own_cutoff: int | None = None
    short: str = "as is"
    empty: float | str = 0.0
    negative: str = "keep"
    negative_ideal: str = "divide"
    labels: str = "float"
    #: The highest label that is not refused.
    highest: float | None = None
    #: zero: as a label of 0; nothing: no gain at all; drop
    unjudged: str = "zero"
    unretrieved: str = "absent"
    #: dropped: documents with a label of 0 are not ranked.
    zeros: str = "kept"
    duplicates: str = "each"
    identical_ids: str = "keep"
    #: nonzero: the mean of values that are not 0; pooled: the sum of the DCGs over that of the ideal ones.
    average: str = "mean"
    missing: float | str = 0.0
    #: empty: a query of the run without judgments is as one with nothing relevant.
    extra: str = "ignored"
    signs: str = "kept"
    precision: str = "float64"

    @cached_property
    def _known(self) -> dict[tuple[Query, int | None], tuple[float, float, bool]]:
        return {}

    def predict(self, probe: Probe) -> float:
        """Return the value for a probe."""
        if len(probe.queries) == 1 and probe.one.ranked is not None and probe.one.judged is not None:
            value = self._value(*self.parts(probe.one, probe.k))
            return OUTPUTS[self.output][0](math.nan if value is None else value)
        return OUTPUTS[self.output][0](self._averaged(probe))

    def plain(self, value: float) -> float:
        """Return the value before it was converted to the output."""
        return OUTPUTS[self.output][1](value)

    def _averaged(self, probe: Probe) -> float:
        rows = [row for query in probe.queries if (row := self._of_query(query, probe.k)) is not None]
        values, tops, bottoms, n_docs = zip(*rows, strict=True) if rows else ((),) * 4
        if self.average == "pooled":
            return self.scale * sum(tops) / sum(bottoms) if sum(bottoms) else math.nan
        if self.average == "nonzero":
            values = tuple(filter(None, values)) or (0.0,)
        if not values:
            return math.nan
        if self.average == "documents":
            return sum(n * v for n, v in zip(n_docs, values, strict=True)) / sum(n_docs) if sum(n_docs) else math.nan
        return COMBINATIONS[self.average](values) if self.average in COMBINATIONS else sum(values) / len(values)

    def _of_query(self, query: Query, k: int | None) -> tuple[float, float, float, int] | None:
        """Return value, DCG, divisor and number of documents; None for a query that is left out."""
        if query.ranked is None:
            if self.missing in ("error", "drop"):
                return self._left_out(self.missing)
            query = Query((), query.judged)
            if self.missing != "empty":
                return float(self.missing), 0.0, self.parts(query, k)[1], 0
        if query.judged is None:
            if self.extra != "empty":
                return (0.0, 0.0, 0.0, 0) if self.extra == "zero" else self._left_out(self.extra)
            query = Query(query.ranked, ())
        top, bottom, is_short = self.parts(query, k)
        value = self._value(top, bottom, is_short)
        return None if value is None else (value, top, bottom, len(query.ranked or ()))

    @staticmethod
    def _left_out(how: object) -> None:
        if how == "error":
            raise Refused

    def _value(self, top: float, bottom: float, is_short: bool) -> float | None:
        if is_short and self.short != "as is":
            self._left_out(self.short)
            return 0.0
        if bottom == 0 or math.isnan(bottom) or (bottom < 0 and self.negative_ideal == "empty"):
            if self.ideal == "none":
                return self.scale * top
            if math.isnan(bottom):
                return math.nan
            if self.empty in ("error", "skip"):
                return self._left_out(self.empty)
            return float(self.empty)
        return self.scale * top / (bottom if self.ideal == "none" else bottom + self.added)

    def parts(self, query: Query, k: int | None) -> tuple[float, float, bool]:
        """Return the DCG, what it is divided by, and whether the list has fewer than k documents."""
        if (query, k) not in self._known:
            self._known[query, k] = self._parts(query, k)
        return self._known[query, k]

    def _parts(self, query: Query, k: int | None) -> tuple[float, float, bool]:
        rows = self._rows(query)
        n, limit = len(rows), self.own_cutoff if k is None else k
        is_short = limit is not None and n < limit
        if self.cut_first and limit is not None:
            rows = rows[: limit + (self.cut or 0)]
        groups = self._groups(rows)
        if self.unretrieved == "appended":
            groups += [[(doc, -math.inf, query.labels[doc])] for doc in query.unretrieved]
        gains = [gain for group in groups for gain in self._gains(group)]
        depth = self._depth(self.cut, limit, len(gains))
        top = self._dcg(gains, depth, self.discount, n)
        return top, self._ideal(query, rows, [row for group in groups for row in group], limit, n), is_short

    def dcg_table(self, query: Query, k: int | None) -> Floats:
        """Return the DCG with each of GAINS, in rows, and each of DISCOUNTS, in columns, if no scores are equal."""
        rows = self._rows(query)
        n, limit = len(rows), self.own_cutoff if k is None else k
        depth = min(self._depth(self.cut, limit, n), n)
        labels = [label or 0.0 for group in self._groups(rows) for _, _, label in group]
        gains = np.array([gains_of(label) for label in labels]).reshape(n, len(GAINS))
        weights = weights_of(depth, n).T
        tops: Floats = gains[:depth].T @ weights
        return tops

    def _dcg(self, gains: list[float], depth: int | None, discount: DiscountShape, n: int) -> float:
        """Return the DCG of the first gains; without trailing zeros, whose weights may not have been measured."""
        gains = gains[:depth]
        while gains and gains[-1] == 0:
            gains.pop()
        return _dot(gains, discount.weights(len(gains), n))

    def _depth(self, cut: int | None, limit: int | None, n: int) -> int:
        """Return the number of ranks that count in a list of n documents."""
        if cut is None or (limit is None and not self.cut_within):
            return n
        return max((limit if limit is not None and (limit < n or not self.cut_within) else n) + cut, 0)

    def _rows(self, query: Query) -> list[_Row]:
        """Return documents, scores and labels, with the choices about labels and documents applied."""
        rows: list[_Row] = []
        convert = _CONVERSIONS.get(self.precision, float)
        for doc, score in query.ranked or ():
            if doc == QUERY_ID and self.identical_ids == "drop":
                continue
            label = self._label(query.labels[doc]) if doc in query.labels else None
            if label == "drop" or (label is None and self.unjudged == "drop"):
                continue
            assert not isinstance(label, str)
            if (self.zeros == "dropped" and not label) or (score <= 0 and self.signs == "dropped"):
                continue
            if score < 0 and self.signs == "error":
                raise Refused
            rows.append((doc, float(convert(abs(score) if self.signs == "absolute" else score)), label))
        if len({doc for doc, _, _ in rows}) < len(rows):
            self._left_out(self.duplicates)
            if self.duplicates in ("first", "last"):
                last = {row[0]: row for row in (rows if self.duplicates == "last" else rows[::-1])}
                rows = [last[doc] for doc in dict.fromkeys(doc for doc, _, _ in rows)]
            elif self.duplicates == "once":
                first = {doc: place for place, (doc, _, _) in reversed(list(enumerate(rows)))}
                rows = [(d, s, label if first[d] == place else None) for place, (d, s, label) in enumerate(rows)]
        return rows

    def _label(self, label: float) -> float | str | None:
        if self.highest is not None and label > self.highest:
            raise Refused
        if label < 0 and self.negative != "keep":
            self._left_out(self.negative)
            changed: dict[str, float | str | None] = {"unjudged": None, "zero": 0.0, "drop": "drop", "absolute": -label}
            return changed[self.negative]
        if self.labels == "integer" and label != int(label):
            raise Refused
        return float(_CONVERSIONS.get(self.labels, float)(label))

    def _gain(self, label: float | None) -> float:
        if label is None:
            return 0.0 if self.unjudged == "nothing" else self.gain.of(0.0)
        return self.gain.of(label)

    def _groups(self, rows: list[_Row]) -> list[list[_Row]]:
        """Return the ranking as groups: documents that share their ranks, or single ones."""
        if self.order == "input":
            return [[row] for row in rows]
        if self.ties in _TIE_ORDERS:
            rows = _TIE_ORDERS[self.ties](self, rows)
        rows = sorted(rows, key=lambda row: row[1] if self.order == "ascending" else -row[1])
        if self.ties != "average":
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

    def _ideal_labels(self, query: Query, rows: list[_Row], ranked: list[_Row], depth: int | None) -> list[float]:
        """Return the labels of the documents that the ideal ranking is made of."""
        if self.pool != "judged":
            source = {"top": ranked[:depth], "first": rows[:depth]}.get(self.pool, rows)
            return [label or 0.0 for _, _, label in source]
        labels = [label for label in map(self._label, query.labels.values()) if label != "drop"]
        return [float(label or 0.0) for label in labels if label or self.zeros != "dropped"]

    def _ideal(self, query: Query, rows: list[_Row], ranked: list[_Row], limit: int | None, n: int) -> float:
        """Return what the DCG is divided by."""
        if self.ideal == "none":
            return 1.0
        discount = self.ideal_discount or self.discount
        depth = self._ideal_depth(limit, n, n if self.pool != "judged" else len(query.labels))
        gain = (self.ideal_gain or self.gain).of
        gains = [gain(label) for label in self._ideal_labels(query, rows, ranked, depth)]
        within_n = self.ideal.endswith(" within n")
        match self.ideal.removesuffix(" within n"):
            case "full" | "highest" as kind:
                length = n if depth is None else min(depth, n) if within_n else depth
                each = 1.0 if kind == "full" else max(gains, default=0.0)
                return each * sum(discount.weights(length, n))
            case "gains":
                return sum(gains[:depth])
            case "documents":
                return float(n)
            case "k":
                return float(n if limit is None or (within_n and n < limit) else limit)
            case "relevant" | "relevant within k" as kind:
                n_relevant = sum(value > 0 for value in gains)
                return float(n_relevant if depth is None or kind == "relevant" else min(n_relevant, depth))
            case "distinct":
                gains = sorted(set(gains), reverse=True)
            case "ascending":
                gains = sorted(gains)
            case "sorted":
                gains = sorted(gains, reverse=True)
        return self._dcg(gains, depth, discount, n)


def _dot(values: Sequence[float], weights: Sequence[float]) -> float:
    if math.inf in weights:  # as in floating-point arithmetic, 0 * inf is NaN
        return float(np.dot(values, weights)) if values else 0.0
    return sum(value * weight for value, weight in zip(values, weights, strict=True))

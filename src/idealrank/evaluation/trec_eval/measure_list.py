"""trec_eval's measures in the order in which it prints them: measures of the library, and functions where it has none.

A function takes the rankings and, if the measure has a parameter, the parameter; it returns one value per query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

import numpy as np

from idealrank._names.options import nearest
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.evaluation.trec_eval.judged_rankings import (
    Gains,
    Rankings,
    gain_map,
    gains_and_p,
    gains_of,
    levels,
    numbers,
    ranks,
    weights,
)
from idealrank.measures import ranked_labels
from idealrank.measures.measure_base import Measure
from idealrank.measures.ranked_labels import UNJUDGED, UNPOOLED, Graded, ratio
from idealrank.measures.relevance import AP, RR, Bpref, HitRate, Precision, Recall, RPrecision
from idealrank.measures.retrieval import RelativePrecision

Values: TypeAlias = Floats | Int64s | list[str]
_Values = TypeVar("_Values", bound=Measure | Callable[..., Values] | None)

_RECALLS = tuple(tenth / 10 for tenth in range(11))


@dataclass(frozen=True)
class Definition:
    """How the values of a name are computed.

    Parameters
    ----------
    values : Measure, callable or None
        A measure of the library, or a function of the rankings; None if only the whole run has a value.
    read : callable, optional
        Makes a parameter of the text after the dot: the cutoff of the measure, or the second argument of the function.
    default : optional
        The parameter if there is no such text.
    each : str, optional
        The format of a cutoff in the name of its column, if there is one column per cutoff.
    is_geometric : bool
        Whether the mean is geometric.
    since : {9, 10}
        The first version that has the measure.
    """

    values: Measure | Callable[..., Values] | None
    read: Callable[[str], Any] | None = None
    default: Any = None
    each: str | None = None
    is_geometric: bool = False
    since: int = 9


MEASURES: dict[str, Definition] = {}


def _measure(name: str, *parameter: Any, **options: Any) -> Callable[[_Values], _Values]:
    """Add a measure, with the function that parses its parameter and its default parameter."""

    def add(values: _Values) -> _Values:
        MEASURES[name] = Definition(values, *parameter, **options)
        return values

    return add


def _cut(name: str, *cutoffs: int, since: int = 9) -> Callable[[_Values], _Values]:
    default = cutoffs or (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    return _measure(name, ranks, default, each="d", since=since)


def _graded(name: str, since: int = 9) -> Callable[[_Values], _Values]:
    return _measure(name, gain_map, (), since=since)


_measure("runid")(None)
_measure("num_q")(None)
_measure("num_ret")(attrgetter("n_retrieved"))
_measure("num_rel")(attrgetter("n_relevant"))
_measure("num_rel_ret")(attrgetter("found.sizes"))
_measure("map")(AP())
_measure("gm_map", is_geometric=True)(AP())
_measure("Rprec")(RPrecision())
_measure("bpref")(Bpref())
_measure("recip_rank")(RR())


@_measure("iprec_at_recall", levels, _RECALLS, each=".2f")
def interpolated_precision(r: Rankings, recall: float) -> Floats:
    """The best precision at any relevant document from the one that reaches this recall on."""
    rounding = "nearest" if r.version >= 10 else "up"
    # Recall of no document is reached before the first one: 0 / 0 for an empty list.
    is_undefined = (ranked_labels.documents_at(r, recall, rounding) == 0) & (r.n_retrieved == 0)
    return np.where(is_undefined, np.nan, ranked_labels.interpolated_precision(r, recall, rounding))


_cut("P")(Precision())


@_measure("relstring", numbers, (10.0,))
def relevance_string(r: Rankings, lengths: Sequence[float]) -> list[str]:
    """Labels of the first documents: a digit, > above 9, - not in the pool, . in the pool but unjudged."""
    codes = np.full(r.labels.size, ord(">"), np.uint8)
    digits = (r.labels >= 0) & (r.labels <= 9)
    codes[digits] = ord("0") + r.labels[digits].astype(np.uint8)
    codes[r.labels == UNPOOLED] = ord("-")
    codes[r.labels == UNJUDGED] = ord(".")
    text, starts = codes.tobytes().decode(), r.retrieved.starts
    ends = starts + np.clip(int(lengths[0]), 0, r.n_retrieved)
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


_cut("recall")(Recall())


_measure("infAP")(ranked_labels.inferred_ap)
_measure("gm_bpref", is_geometric=True)(Bpref())


_measure("Rprec_mult", levels, (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), each=".2f")(
    ranked_labels.r_precision_at
)


@_measure("utility", weights, (1.0, -1.0, 0.0, 0.0))
def utility(r: Rankings, weights: Sequence[float]) -> Floats:
    """Weighted sum of relevant retrieved, nonrelevant retrieved, relevant missed and nonrelevant missed."""
    return ranked_labels.utility(r, weights, r.n_collection)


@_measure("11pt_avg", numbers, _RECALLS)
def eleven_point(r: Rankings, recalls: Sequence[float]) -> Floats:
    """Mean of the interpolated precision at these recalls."""
    total = np.zeros(r.n_queries)
    for recall in reversed(recalls):  # in the order in which trec_eval adds them
        total += interpolated_precision(r, recall)
    return total / len(recalls)


_measure("binG")(ranked_labels.binary_gain)


def _of_gains(name: str, formula: Callable[[Graded], Floats], since: int = 9) -> None:
    _graded(name, since)(lambda r, gains: formula(r.graded(gains)))


_of_gains("G", ranked_labels.gain_over_cost)
_of_gains("dcg", ranked_labels.dcg, since=10)
_of_gains("ideal_dcg", ranked_labels.ideal_dcg, since=10)


@_graded("ndcg")
def ndcg(r: Rankings, gains: Gains) -> Floats:
    """Quotient of dcg and ideal dcg."""
    g = r.graded(gains)
    return ratio(ranked_labels.dcg(g), ranked_labels.ideal_dcg(g))


_of_gains("ndcg_rel", ranked_labels.ndcg_at_relevant)


@_graded("Rndcg")
def ndcg_at_falls(r: Rankings, gains: Gains) -> Floats:
    """Mean of ndcg at the ranks where the ideal gain falls; 0 without relevant documents, and 0 / 0 without gains."""
    return np.where(r.n_relevant > 0, ranked_labels.ndcg_at_falls(r.graded(gains)), 0.0)


@_cut("ndcg_cut")
def ndcg_at(r: Rankings, k: int) -> Floats:
    """Quotient of dcg and ideal dcg over the first k ranks; a label is its own gain."""
    g = r.graded(())
    ideal = g.ideal.total(g.ideal_terms * (g.ideal.ranks <= k))
    return ratio(r.retrieved.total(g.terms * (r.retrieved.ranks[g.rows] <= k), g.rows), ideal)


_cut("map_cut")(AP())


_cut("relative_P")(RelativePrecision())
_cut("success", 1, 5, 10)(HitRate())
_measure("set_P")(Precision())


_measure("set_relative_P")(ranked_labels.set_relative_precision)
_measure("set_recall")(Recall())


_measure("set_map")(ranked_labels.set_map)


@_measure("set_F", numbers, (1.0,))
def f_measure(r: Rankings, weights: Sequence[float]) -> Floats:
    """F of the whole list, for a weight."""
    return ranked_labels.f_measure(r, weights[0])


@_measure("num_nonrel_judged_ret")
def n_nonrelevant(r: Rankings) -> Int64s:
    """Retrieved documents that are judged and not relevant."""
    return r.retrieved.count(r.nonrelevant)


_measure("yaap")(ranked_labels.yaap)


def _powers(r: Rankings, p: float) -> Floats:
    """Return p^0, p^1, ... up to the length of the longest list."""
    return np.cumprod(np.append(1.0, np.full(r.n_retrieved.max(initial=0), p)))


@_measure("rbp", gains_and_p, ((), 0.9), since=10)
def rbp(r: Rankings, parameters: tuple[Gains, float]) -> Floats:
    """(1 - p) sum of gain p^(rank - 1); the gains of a query's labels are scaled to 0 ... 1 if they go beyond."""
    gains, p = parameters
    mapped = [label for label, _ in gains]
    worth, tops = gains_of(r.labels, gains), r.tops[r.retrieved.queries]
    in_scale = (r.labels >= 0) | np.isin(r.labels, mapped)
    for top in np.unique(r.tops).tolist():
        scale = gains_of(np.append(np.arange(top + 1.0), mapped), gains)
        least, most = scale.min(initial=0.0), scale.max(initial=0.0)
        if least < 0 or most > 1:
            rows = in_scale & (tops == top)
            worth[rows] = (worth[rows] - least) / (most - least)
    return (1 - p) * r.retrieved.total(worth * _powers(r, p)[r.retrieved.ranks - 1])


@_measure("rbp_resid", gains_and_p, ((), 0.9), since=10)
def rbp_residual(r: Rankings, parameters: tuple[Gains, float]) -> Floats:
    """What rbp could gain from unjudged documents and, if there are any, from after the end of the list."""
    p, is_unjudged = parameters[1], r.labels < 0
    powers = _powers(r, p)
    total = r.retrieved.total(is_unjudged * powers[r.retrieved.ranks - 1])
    return np.where(r.retrieved.count(is_unjudged) > 0, powers[r.n_retrieved] + (1 - p) * total, 0.0)


@_cut("unj", 5, 10, 20, since=10)
def unjudged_at(r: Rankings, k: int) -> Floats:
    """Unjudged among the first k, / k."""
    return r.retrieved.count((r.labels < 0) & (r.retrieved.ranks <= k)) / k


Column: TypeAlias = Measure | Callable[[Rankings], Values]


@dataclass(frozen=True)
class MeasureRequest:
    """A measure with its parameter."""

    name: str
    definition: Definition
    parameter: Any = None
    text: str = ""

    def columns(self) -> dict[str, Column]:
        """{name as printed: what gives its values}."""
        values, each = self.definition.values, self.definition.each
        if values is None:
            return {}
        if each is not None:
            return {f"{self.name}_{cutoff:{each}}": _with_parameter(values, cutoff) for cutoff in self.parameter}
        name = f"{self.name}_{self.text}" if self.text else self.name
        return {name: values if self.definition.read is None else _with_parameter(values, self.parameter)}

    @property
    def clears_missing(self) -> bool:
        """Whether version 10 sets the value of a query that the run lacks to 0, or to no text.

        It gives such a query a list of one unjudged document, and then looks for measures by the name of their column,
        which parameters are part of.
        """
        return self.name in ("num_ret", "unj") or (self.name in _CLEARED and not self.text)

    @property
    def gains(self) -> Gains:
        """The gain map that was given, if any."""
        return tuple(self.parameter) if self.definition.read is gain_map else ()


def _with_parameter(values: Measure | Callable[..., Values], parameter: Any) -> Column:
    return values @ parameter if isinstance(values, Measure) else lambda rankings: values(rankings, parameter)


_TAIL = re.compile(r"(\w+)_(\d+)")
_NO_CUTOFFS = Definition(None)
_BY_JUDGE = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
_CLEARED = ("utility", "relstring", "rbp_resid")
_FIRST = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
SETS = {
    "official": (*_FIRST, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_FIRST, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(name for name in MEASURES if name not in {"dcg", "ideal_dcg", "yaap"}),
}


def read_measures(texts: str | Iterable[str], version: int = 10) -> tuple[MeasureRequest, ...]:
    """The measures that texts such as ``P.5,10`` and ``official`` name, each once, in trec_eval's order.

    Of a measure that is named twice the first parameters count.

    >>> [(request.name, request.parameter) for request in read_measures(["ndcg.1=3,2=9", "map", "P.10,5"])]
    [('map', None), ('P', (5, 10)), ('ndcg', ((1.0, 3.0), (2.0, 9.0)))]
    """
    known = {name: each for name, each in MEASURES.items() if each.since <= version}
    chosen: dict[str, str] = {}
    for text in [texts] if isinstance(texts, str) else _iterated(texts):
        name, dot, parameters = text.partition(".")
        tail = _TAIL.fullmatch(name)
        if tail and name not in known and known.get(tail[1], _NO_CUTOFFS).each == "d":  # P_10, as it is printed
            name, dot, parameters = tail[1], ".", tail[2]
        if name.startswith("prefs_") or name in _BY_JUDGE or name == "prefs":
            raise OptionError(
                f"trec_eval's {name} needs preferences or judgments by several judges (-R prefs, qrels_prefs or "
                "qrels_jg), which are not available here"
            )
        if name not in SETS and name not in known:
            raise OptionError(f"trec_eval {version} has no measure {name!r}{_instead(name, known)}")
        if dot and (not parameters or name in SETS or known[name].read is None):
            raise OptionError(f"{text!r}: {'nothing after the dot' if not parameters else 'takes no parameters'}")
        for member in SETS.get(name, (name,)):
            chosen[member] = chosen.get(member) or parameters
    return tuple(_request(name, each, chosen[name]) for name, each in known.items() if name in chosen)


def _instead(name: str, known: Mapping[str, Definition]) -> str:
    """Return a suggestion for the error message."""
    own, at, cutoff = name.partition("@")
    cut = [each for each in known if known[each].each == "d" and each.lower() in (own.lower(), f"{own.lower()}_cut")]
    return f"; write {cut[0]}.{cutoff}" if at and cut else nearest(name, [*SETS, *known])


def _iterated(texts: Iterable[str]) -> Iterator[str]:
    if not isinstance(texts, Iterable):
        raise OptionError(f"expected names of measures such as 'map' or 'P.5,10', got {texts!r}")
    for text in texts:
        if not isinstance(text, str):
            raise OptionError(f"expected the name of a measure such as 'map' or 'P.5,10', got {text!r}")
        yield text


def _request(name: str, definition: Definition, text: str) -> MeasureRequest:
    if definition.read is None or not text:
        return MeasureRequest(name, definition, definition.default)
    try:
        return MeasureRequest(name, definition, definition.read(text), text)
    except OptionError as error:
        raise OptionError(f"{name}.{text}: {error}") from None

"""trec_eval's measures by name, in the order in which it prints them, and their parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from idealrank._base.grammar import nearest
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.evaluation.trec_eval import binary, graded
from idealrank.evaluation.trec_eval.gains import Gains
from idealrank.evaluation.trec_eval.rankings import Rankings

__all__ = ["MEASURES", "SETS", "Measure", "Request", "read_measures"]

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True)
class Measure:
    """How the values of a name come about.

    ``values`` takes the rankings, and a parameter if there is a ``read`` that makes one of the text after the dot; it
    is None where the whole run has one value. With ``each`` there is one column a cut-off, so named.
    """

    values: Callable[..., Floats | Int64s | list[str]] | None
    read: Callable[[str], Any] | None = None
    default: Any = None
    each: str | None = None
    is_geometric: bool = False
    since: int = 9


@dataclass(frozen=True)
class Request:
    """A measure with its parameter."""

    name: str
    measure: Measure
    parameter: Any = None
    text: str = ""

    def columns(self, rankings: Rankings) -> dict[str, Floats | Int64s | list[str]]:
        """{name as printed: one value a query}."""
        values = self.measure.values
        if values is None:
            return {}
        if self.measure.each is not None:
            return {
                f"{self.name}_{format(cutoff, self.measure.each)}": values(rankings, cutoff)
                for cutoff in self.parameter
            }
        name = f"{self.name}_{self.text}" if self.text else self.name
        return {name: values(rankings) if self.measure.read is None else values(rankings, self.parameter)}

    @property
    def gains(self) -> Gains:
        """The gain map that was given, if any."""
        return tuple(self.parameter) if self.measure.read is _gains else ()


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
        raise OptionError("a cut-off stands twice")
    return rising


def _ranks(text: str) -> tuple[int, ...]:
    cutoffs = _distinct(int(_number(word)) for word in text.split(","))
    if cutoffs[0] <= 0:
        raise OptionError(f"a cut-off must be 1 or more, got {cutoffs[0]}")
    return cutoffs


def _levels(text: str) -> tuple[float, ...]:
    return _distinct(map(_number, text.split(",")))


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(_number, text.split(",")))


def _weights(text: str) -> tuple[float, ...]:
    weights = _numbers(text)
    if len(weights) != 4:
        raise OptionError(f"expected 4 weights, got {len(weights)}")
    return weights


def _pairs(text: str) -> list[tuple[str, float]]:
    pairs = [word.partition("=") for word in text.split(",")]
    if not all(name and equals for name, equals, _ in pairs):
        raise OptionError("expected pairs such as 1=3,2=9")
    return [(name, _number(value)) for name, _, value in pairs]


def _gain_map(pairs: list[tuple[str, float]]) -> Gains:
    gains = tuple((float(int(_number(label))), gain) for label, gain in pairs)
    if len(dict(gains)) < len(gains):
        raise OptionError("a label stands twice")
    return gains


def _gains(text: str) -> Gains:
    return _gain_map(_pairs(text))


def _gains_and_p(text: str) -> tuple[Gains, float]:
    pairs = _pairs(text)
    return _gain_map([pair for pair in pairs if pair[0] != "p"]), dict(pairs).get("p", 0.9)


_RECALLS = tuple(tenth / 10 for tenth in range(11))


def _cut(values: Callable[[Rankings, int], Floats], *ranks: int, since: int = 9) -> Measure:
    return Measure(values, _ranks, ranks or (5, 10, 15, 20, 30, 100, 200, 500, 1000), each="d", since=since)


def _graded(values: Callable[[Rankings, Gains], Floats], since: int = 9) -> Measure:
    return Measure(values, _gains, (), since=since)


MEASURES = {
    "runid": Measure(None),
    "num_q": Measure(None),
    "num_ret": Measure(binary.n_retrieved),
    "num_rel": Measure(binary.n_relevant),
    "num_rel_ret": Measure(binary.n_found),
    "map": Measure(binary.average_precision),
    "gm_map": Measure(binary.average_precision, is_geometric=True),
    "Rprec": Measure(binary.r_precision),
    "bpref": Measure(binary.binary_preference),
    "recip_rank": Measure(binary.reciprocal_rank),
    "iprec_at_recall": Measure(binary.interpolated_precision, _levels, _RECALLS, each=".2f"),
    "P": _cut(binary.precision_at),
    "relstring": Measure(binary.relevance_string, _numbers, (10.0,)),
    "recall": _cut(binary.recall_at),
    "infAP": Measure(binary.inferred_ap),
    "gm_bpref": Measure(binary.binary_preference, is_geometric=True),
    "Rprec_mult": Measure(
        binary.r_precision_at, _levels, (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), each=".2f"
    ),
    "utility": Measure(binary.utility, _weights, (1.0, -1.0, 0.0, 0.0)),
    "11pt_avg": Measure(binary.eleven_point, _numbers, _RECALLS),
    "binG": Measure(binary.binary_gain),
    "G": _graded(graded.gain_over_cost),
    "dcg": _graded(graded.dcg, since=10),
    "ideal_dcg": _graded(graded.ideal_dcg, since=10),
    "ndcg": _graded(graded.ndcg),
    "ndcg_rel": _graded(graded.ndcg_at_relevant),
    "Rndcg": _graded(graded.ndcg_at_falls),
    "ndcg_cut": _cut(graded.ndcg_at),
    "map_cut": _cut(binary.average_precision_at),
    "relative_P": _cut(binary.relative_precision_at),
    "success": _cut(binary.success_at, 1, 5, 10),
    "set_P": Measure(binary.set_precision),
    "set_relative_P": Measure(binary.set_relative_precision),
    "set_recall": Measure(binary.set_recall),
    "set_map": Measure(binary.set_map),
    "set_F": Measure(binary.f_measure, _numbers, (1.0,)),
    "num_nonrel_judged_ret": Measure(binary.n_nonrelevant),
    "yaap": Measure(binary.yaap),
    "rbp": Measure(graded.rbp, _gains_and_p, ((), 0.9), since=10),
    "rbp_resid": Measure(graded.rbp_residual, _gains_and_p, ((), 0.9), since=10),
    "unj": _cut(binary.unjudged_at, 5, 10, 20, since=10),
}

_FIRST = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
SETS = {
    "official": (*_FIRST, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_FIRST, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(name for name in MEASURES if name not in {"dcg", "ideal_dcg", "yaap"}),
}


def read_measures(texts: str | Iterable[str], version: int = 10) -> tuple[Request, ...]:
    """The measures that texts such as ``P.5,10`` and ``official`` name, each once, in trec_eval's order.

    Of a measure that is named twice the first parameters count.

    >>> [(request.name, request.parameter) for request in read_measures(["ndcg.1=3,2=9", "map", "P.10,5"])]
    [('map', None), ('P', (5, 10)), ('ndcg', ((1.0, 3.0), (2.0, 9.0)))]
    """
    known = {name: measure for name, measure in MEASURES.items() if measure.since <= version}
    chosen: dict[str, str] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        name, dot, parameters = text.partition(".")
        if name not in SETS and name not in known:
            raise OptionError(f"trec_eval {version} has no measure {name!r}{nearest(name, [*SETS, *known])}")
        if dot and (not parameters or name in SETS or known[name].read is None):
            raise OptionError(f"{text!r}: {'nothing after the dot' if not parameters else 'takes no parameters'}")
        for each in SETS.get(name, (name,)):
            chosen[each] = chosen.get(each) or parameters
    return tuple(_request(name, measure, chosen[name]) for name, measure in known.items() if name in chosen)


def _request(name: str, measure: Measure, text: str) -> Request:
    if measure.read is None or not text:
        return Request(name, measure, measure.default)
    try:
        return Request(name, measure, measure.read(text), text)
    except OptionError as error:
        raise OptionError(f"{name}.{text}: {error}") from None

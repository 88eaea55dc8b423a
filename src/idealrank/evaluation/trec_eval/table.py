"""trec_eval's measures by name, in the order in which it prints them, and their parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from idealrank._base.grammar import nearest
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.evaluation.trec_eval import binary, graded
from idealrank.evaluation.trec_eval.gains import Gains
from idealrank.evaluation.trec_eval.rankings import Rankings
from idealrank.measures.base import Measure
from idealrank.measures.relevance import AP, RR, Bpref, HitRate, Precision, Recall, RPrecision

__all__ = ["MEASURES", "SETS", "Column", "Definition", "Request", "Values", "read_measures"]

_Number = TypeVar("_Number", int, float)


Values: TypeAlias = Floats | Int64s | list[str]
Column: TypeAlias = Measure | Callable[[Rankings], Values]


@dataclass(frozen=True)
class Definition:
    """How the values of a name are computed.

    ``values`` is a measure of the library, or a function of the rankings; None where only the whole run has a value.
    ``read`` makes a parameter of the text after the dot: the cutoff of the measure, or the second argument of the
    function. With ``each``, there is one column per cutoff, whose name has the cutoff in this format.
    """

    values: Measure | Callable[..., Values] | None
    read: Callable[[str], Any] | None = None
    default: Any = None
    each: str | None = None
    is_geometric: bool = False
    since: int = 9


@dataclass(frozen=True)
class Request:
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
    def gains(self) -> Gains:
        """The gain map that was given, if any."""
        return tuple(self.parameter) if self.definition.read is _gains else ()


def _with_parameter(values: Measure | Callable[..., Values], parameter: Any) -> Column:
    return values @ parameter if isinstance(values, Measure) else lambda rankings: values(rankings, parameter)


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


def _ranks(text: str) -> tuple[int, ...]:
    cutoffs = _distinct(int(_number(word)) for word in text.split(","))
    if cutoffs[0] <= 0:
        raise OptionError(f"a cutoff must be 1 or more, got {cutoffs[0]}")
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
        raise OptionError("a label is repeated")
    return gains


def _gains(text: str) -> Gains:
    return _gain_map(_pairs(text))


def _gains_and_p(text: str) -> tuple[Gains, float]:
    pairs = _pairs(text)
    return _gain_map([pair for pair in pairs if pair[0] != "p"]), dict(pairs).get("p", 0.9)


_RECALLS = tuple(tenth / 10 for tenth in range(11))


def _cut(values: Measure | Callable[[Rankings, int], Floats], *ranks: int, since: int = 9) -> Definition:
    return Definition(values, _ranks, ranks or (5, 10, 15, 20, 30, 100, 200, 500, 1000), each="d", since=since)


def _graded(values: Callable[[Rankings, Gains], Floats], since: int = 9) -> Definition:
    return Definition(values, _gains, (), since=since)


MEASURES = {
    "runid": Definition(None),
    "num_q": Definition(None),
    "num_ret": Definition(attrgetter("n_retrieved")),
    "num_rel": Definition(attrgetter("n_relevant")),
    "num_rel_ret": Definition(attrgetter("found.sizes")),
    "map": Definition(AP()),
    "gm_map": Definition(AP(), is_geometric=True),
    "Rprec": Definition(RPrecision()),
    "bpref": Definition(Bpref()),
    "recip_rank": Definition(RR()),
    "iprec_at_recall": Definition(binary.interpolated_precision, _levels, _RECALLS, each=".2f"),
    "P": _cut(Precision()),
    "relstring": Definition(binary.relevance_string, _numbers, (10.0,)),
    "recall": _cut(Recall()),
    "infAP": Definition(binary.inferred_ap),
    "gm_bpref": Definition(Bpref(), is_geometric=True),
    "Rprec_mult": Definition(
        binary.r_precision_at, _levels, (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), each=".2f"
    ),
    "utility": Definition(binary.utility, _weights, (1.0, -1.0, 0.0, 0.0)),
    "11pt_avg": Definition(binary.eleven_point, _numbers, _RECALLS),
    "binG": Definition(binary.binary_gain),
    "G": _graded(graded.gain_over_cost),
    "dcg": _graded(graded.dcg, since=10),
    "ideal_dcg": _graded(graded.ideal_dcg, since=10),
    "ndcg": _graded(graded.ndcg),
    "ndcg_rel": _graded(graded.ndcg_at_relevant),
    "Rndcg": _graded(graded.ndcg_at_falls),
    "ndcg_cut": _cut(graded.ndcg_at),
    "map_cut": _cut(AP()),
    "relative_P": _cut(binary.relative_precision_at),
    "success": _cut(HitRate(), 1, 5, 10),
    "set_P": Definition(Precision()),
    "set_relative_P": Definition(binary.set_relative_precision),
    "set_recall": Definition(Recall()),
    "set_map": Definition(binary.set_map),
    "set_F": Definition(binary.f_measure, _numbers, (1.0,)),
    "num_nonrel_judged_ret": Definition(binary.n_nonrelevant),
    "yaap": Definition(binary.yaap),
    "rbp": Definition(graded.rbp, _gains_and_p, ((), 0.9), since=10),
    "rbp_resid": Definition(graded.rbp_residual, _gains_and_p, ((), 0.9), since=10),
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
    known = {name: each for name, each in MEASURES.items() if each.since <= version}
    chosen: dict[str, str] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        name, dot, parameters = text.partition(".")
        if name not in SETS and name not in known:
            raise OptionError(f"trec_eval {version} has no measure {name!r}{nearest(name, [*SETS, *known])}")
        if dot and (not parameters or name in SETS or known[name].read is None):
            raise OptionError(f"{text!r}: {'nothing after the dot' if not parameters else 'takes no parameters'}")
        for member in SETS.get(name, (name,)):
            chosen[member] = chosen.get(member) or parameters
    return tuple(_request(name, each, chosen[name]) for name, each in known.items() if name in chosen)


def _request(name: str, definition: Definition, text: str) -> Request:
    if definition.read is None or not text:
        return Request(name, definition, definition.default)
    try:
        return Request(name, definition, definition.read(text), text)
    except OptionError as error:
        raise OptionError(f"{name}.{text}: {error}") from None

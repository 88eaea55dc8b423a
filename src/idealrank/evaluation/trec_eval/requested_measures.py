"""Measures as users name them, such as ``P.5,10``, and sets of measures such as ``official``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from idealrank._names.grammar import nearest
from idealrank.errors import OptionError
from idealrank.evaluation.trec_eval.gain_maps import Gains
from idealrank.evaluation.trec_eval.judged_rankings import Rankings
from idealrank.evaluation.trec_eval.measure_list import MEASURES, Definition, Values
from idealrank.evaluation.trec_eval.parameters import gain_map
from idealrank.measures.measure_base import Measure

__all__ = ["SETS", "Column", "MeasureRequest", "read_measures"]

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

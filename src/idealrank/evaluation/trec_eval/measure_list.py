"""trec_eval's measures in the order in which it prints them: measures of the library, and functions where it has none.

A function takes the rankings and, if the measure has a parameter, the parameter; it returns one value per query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.evaluation.trec_eval.gain_maps import Gains, gains_of
from idealrank.evaluation.trec_eval.judged_rankings import Rankings
from idealrank.evaluation.trec_eval.parameters import gain_map, gains_and_p, levels, numbers, ranks, weights
from idealrank.measures import formulas
from idealrank.measures.groups import ratio
from idealrank.measures.measure_base import Measure
from idealrank.measures.ranked_labels import UNJUDGED, UNPOOLED, Graded
from idealrank.measures.relevance import AP, RR, Bpref, HitRate, Precision, Recall, RPrecision
from idealrank.measures.retrieval import RelativePrecision

__all__ = ["MEASURES", "Definition", "Values"]

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
    is_undefined = (formulas.documents_at(r, recall, rounding) == 0) & (r.n_retrieved == 0)
    return np.where(is_undefined, np.nan, formulas.interpolated_precision(r, recall, rounding))


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


_measure("infAP")(formulas.inferred_ap)
_measure("gm_bpref", is_geometric=True)(Bpref())


_measure("Rprec_mult", levels, (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), each=".2f")(formulas.r_precision_at)


@_measure("utility", weights, (1.0, -1.0, 0.0, 0.0))
def utility(r: Rankings, weights: Sequence[float]) -> Floats:
    """Weighted sum of relevant retrieved, nonrelevant retrieved, relevant missed and nonrelevant missed."""
    return formulas.utility(r, weights, r.n_collection)


@_measure("11pt_avg", numbers, _RECALLS)
def eleven_point(r: Rankings, recalls: Sequence[float]) -> Floats:
    """Mean of the interpolated precision at these recalls."""
    total = np.zeros(r.n_queries)
    for recall in reversed(recalls):  # in the order in which trec_eval adds them
        total += interpolated_precision(r, recall)
    return total / len(recalls)


_measure("binG")(formulas.binary_gain)


def _of_gains(name: str, formula: Callable[[Graded], Floats], since: int = 9) -> None:
    _graded(name, since)(lambda r, gains: formula(r.graded(gains)))


_of_gains("G", formulas.gain_over_cost)
_of_gains("dcg", formulas.dcg, since=10)
_of_gains("ideal_dcg", formulas.ideal_dcg, since=10)


@_graded("ndcg")
def ndcg(r: Rankings, gains: Gains) -> Floats:
    """Quotient of dcg and ideal dcg."""
    g = r.graded(gains)
    return ratio(formulas.dcg(g), formulas.ideal_dcg(g))


_of_gains("ndcg_rel", formulas.ndcg_at_relevant)


@_graded("Rndcg")
def ndcg_at_falls(r: Rankings, gains: Gains) -> Floats:
    """Mean of ndcg at the ranks where the ideal gain falls; 0 without relevant documents, and 0 / 0 without gains."""
    return np.where(r.n_relevant > 0, formulas.ndcg_at_falls(r.graded(gains)), 0.0)


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


_measure("set_relative_P")(formulas.set_relative_precision)
_measure("set_recall")(Recall())


_measure("set_map")(formulas.set_map)


@_measure("set_F", numbers, (1.0,))
def f_measure(r: Rankings, weights: Sequence[float]) -> Floats:
    """F of the whole list, for a weight."""
    return formulas.f_measure(r, weights[0])


@_measure("num_nonrel_judged_ret")
def n_nonrelevant(r: Rankings) -> Int64s:
    """Retrieved documents that are judged and not relevant."""
    return r.retrieved.count(r.nonrelevant)


_measure("yaap")(formulas.yaap)


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

"""What a report shows besides values: measures at several cutoffs, and the first documents of each query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from idealrank import _native
from idealrank._core.checks import check_count
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import offsets_of
from idealrank.data.judgments import Run
from idealrank.data.lists import Lists
from idealrank.data.ranking import Order
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import (
    Data,
    LayoutOptions,
    Measures,
    OneSystem,
    Several,
    judged_and_each_system,
    layout_of,
    named_measures,
    naming,
)
from idealrank.evaluation.top_documents import ReportDetails, TopDocuments, TopRanking
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure

__all__ = ["evaluate_systems", "over_cutoffs", "ranked_lists"]

#: The usual number of documents per query.
_DEPTH = 10
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)


def over_cutoffs(measures: Measures, cutoffs: Sequence[int] = _CUTOFFS) -> list[Measure]:
    """Return each measure that takes a cutoff at each of the cutoffs, to evaluate for curves.

    Parameters
    ----------
    measures : iterable of str or Measure
        The measures; their own cutoffs are ignored, and measures without a cutoff are left out.
    cutoffs : sequence of int
        The cutoffs, in the order of the result.

    Returns
    -------
    list of Measure
        Each measure at each cutoff.

    Raises
    ------
    OptionError
        If a measure is unknown, or a cutoff is not valid.

    Examples
    --------
    >>> from idealrank import report
    >>> report.over_cutoffs(["ndcg@10,20", "rr", "auc"], [1, 5])
    [ndcg@1, ndcg@5, rr@1, rr@5]
    """
    families = dict.fromkeys(each @ None for each in named_measures(measures).values())
    return [family @ cutoff for family in families if "cutoff" in family.options() for cutoff in cutoffs]


def evaluate_systems(
    evaluator: Evaluator,
    systems: Iterable[tuple[str, Run | Floats]],
    measures: Measures,
    *,
    for_report: bool = False,
) -> Evaluations:
    """Evaluate systems, each released before the next is requested, and keep what a report shows if asked to."""
    if not for_report:
        return evaluator.evaluate_all(systems, measures)
    filled, curves = evaluator.filled(measures), over_cutoffs(measures)
    evaluations = {}
    for name, system in systems:
        with naming(name):
            details = ReportDetails(
                evaluator.evaluate(system, curves) if curves else None,
                _ranking(evaluator, system, next(iter(filled.values())), _DEPTH),
                _DEPTH,
            )
            evaluations[name] = replace(evaluator.evaluate(system, measures), details=details)
    return Evaluations(evaluations).on_common_queries()


def ranked_lists(
    data: Data,
    systems: OneSystem | Several,
    measures: Measures = ("ndcg@10",),
    *,
    like: str | Convention | None = None,
    depth: int = _DEPTH,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> TopDocuments:
    """Return the first documents of each query, for a report.

    Parameters
    ----------
    data, systems
        The judged documents and the systems, as in `evaluate`.
    measures : str, Measure or iterable of these
        The measures of the report; the first one determines the order of documents with equal scores.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    depth : int
        The maximum number of documents per query.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    TopDocuments
        The rankings by system; a system without a name is called "system".

    Raises
    ------
    DataError
        If the data is not recognized, or the systems have no query in common with it.
    OptionError
        If a measure is unknown.

    Examples
    --------
    >>> from idealrank import report
    >>> report.ranked_lists({"q": {"a": 1}}, {"q": {"a": 1, "b": 3}}, "rr", depth=1).systems["system"].documents
    ['b']
    """
    check_count(depth, "depth")
    judged, named = judged_and_each_system(data, systems, layout_of(layout, order))
    evaluator = Evaluator(judged, like, n_threads=n_threads)
    filled = evaluator.filled(measures)
    first = next(iter(filled.values()))
    rankings = {name or "system": _ranking(evaluator, system, first, depth) for name, system in named}
    return TopDocuments(rankings, depth, filled)


def _ranking(evaluator: Evaluator, system: Run | Floats, first: Measure, depth: int) -> TopRanking:
    """Return the first documents of each query, in the system's order and with the labels that the measure uses."""
    lists = evaluator.lists(system, first)
    order = _order(lists, first.ties or "average")
    queries = np.repeat(np.arange(lists.n_queries), lists.sizes)
    scores = lists.scores[order]
    same = (scores[1:] == scores[:-1]) & (queries[1:] == queries[:-1])
    tied = np.append(same, False) | np.append(False, same) if scores.size else np.zeros(0, bool)
    kept = np.arange(order.size) - lists.offsets[queries] < depth
    places = order[kept]
    if lists.doc_ids is None:
        documents = [str(place) for place in (places - lists.offsets[queries[kept]] + 1).tolist()]
    else:
        documents = lists.doc_ids.take(places).tolist()
    assert lists.query_ids is not None
    query_ids = [str(query) for query in lists.query_ids.tolist()]
    return TopRanking(query_ids, offsets_of(kept)[lists.offsets], documents, lists.labels[places], tied[kept])


def _order(lists: Lists, ties: str) -> Int64s:
    """Return the documents of each query, best first; if ties are averaged, in input order."""
    if ties.startswith("docid") and lists.doc_ids is not None:
        descending = ties == "docid_desc"
        return _native.order_by_id(lists.scores, lists.offsets, *lists.doc_ids.parts, descending, lists.n_threads)
    places, labels = np.arange(lists.labels.size), np.nan_to_num(lists.labels)
    within = {"reverse": -places, "docid_desc": -places, "best": -labels, "worst": labels}.get(ties)
    if within is None:
        return _native.order(lists.scores, lists.offsets, lists.n_threads)
    queries = np.repeat(np.arange(lists.n_queries), lists.sizes)
    return np.lexsort((within, -lists.scores, queries))

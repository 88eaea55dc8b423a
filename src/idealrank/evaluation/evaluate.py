"""`evaluate`: one system, or several systems on the queries that all have, and what a report shows of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._typing import Int64s
from idealrank.data.columns import group_of_each, offsets_of
from idealrank.data.lists import Lists
from idealrank.data.ranking import Order
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import (
    Data,
    LayoutOptions,
    Measures,
    Names,
    OneSystem,
    Several,
    System,
    judged_and_each_system,
    layout_of,
    named_measures,
    naming,
)
from idealrank.evaluation.top_documents import ReportDetails, TopRanking
from idealrank.io.query_values import By, QueryWeights, categories_of
from idealrank.io.shapes.shape import recognize
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure


@overload
def evaluate(  # type: ignore[overload-overlap]  # records by query are one system
    data: Data,
    scores: OneSystem | None = ...,
    measures: Measures = ...,
    *,
    like: str | Convention | None = ...,
    order: Order | None = ...,
    query_weights: QueryWeights | None = ...,
    by: By | None = ...,
    for_report: bool = ...,
    n_threads: int | None = ...,
    **layout: Unpack[LayoutOptions],
) -> Evaluation: ...
@overload
def evaluate(
    data: Data,
    scores: Several,
    measures: Measures = ...,
    *,
    like: str | Convention | None = ...,
    order: Order | None = ...,
    query_weights: QueryWeights | None = ...,
    by: By | None = ...,
    for_report: bool = ...,
    n_threads: int | None = ...,
    **layout: Unpack[LayoutOptions],
) -> Evaluations: ...
def evaluate(
    data: Any,
    scores: Any = None,
    measures: Measures = ("ndcg@10",),
    *,
    like: str | Convention | None = None,
    offsets: npt.ArrayLike | None = None,
    group: npt.ArrayLike | None = None,
    query_ids: Iterable[object] | None = None,
    mask: npt.ArrayLike | None = None,
    order: Order | None = None,
    query: Names | None = None,
    doc: Names | None = None,
    label: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    subtopic: str | None = None,
    query_weights: QueryWeights | None = None,
    by: By | None = None,
    for_report: bool = False,
    n_threads: int | None = None,
) -> Evaluation | Evaluations:
    """Evaluate one system, or several systems on the queries that all of them have.

    ``data`` and ``scores`` may be:

    - judgments and a run: `Qrels` and `Run`, nested dicts, ranked id lists and sets of relevant ids, data frames, paths
      of files, SciPy sparse matrices, or objects of ranx and ir_measures;
    - labels and scores: `RankingData`, arrays, tensors, matrices with one row per query, or a data frame with
      predictions or the name of a score column; None uses the scores that the data itself has.

    Several systems are {name: system}, or a list of columns, of paths or of runs. A system that ran several times, such
    as with several seeds, is {name: [run, run, ...]}; its values are means over runs, and its intervals are about new
    queries and new runs. The guide on inputs lists every form.

    Parameters
    ----------
    data : Qrels, RankingData, mapping, data frame, path, array or sparse matrix
        The judged documents.
    scores : Run, mapping, data frame, path, array or sparse matrix, optional
        One system or several; None uses the scores that ``data`` itself has. A score of ``-inf`` ranks
        last.
    measures : str, Measure, function or iterable of these
        The measures to compute; a text may name several, such as "ndcg@10,20, ap". A function ``f(labels, scores)``
        returns the value of one query, as `measures.register` describes.
    like : str or Convention, optional
        The convention for options that the measures leave unset; by default, "trec_eval" (version 9.0.8;
        "trec_eval10" is version 10) for judgments and runs, and "idealrank" for other data.
    offsets, group : array-like of int, optional
        The queries in arrays of labels (``group`` also in LETOR text without ``qid:``): query i has the documents
        ``offsets[i]:offsets[i + 1]``, or ``group[i]`` documents. Without these or ``query_ids``, all documents belong
        to one query.
    query_ids : iterable, optional
        The query id of each document in arrays of labels, or of each row of a matrix.
    mask : array of bool, optional
        True for the entries of matrices that are documents; the others are padding.
    order : {"input", "grouped"}, optional
        The order of the scores: the order of the input rows, or the order of ``data``. Required if rows were moved when
        ``data`` was created.
    query, doc, label, score, rank, subtopic : str or (str, str), optional
        Column names of data frames; by default, well-known names are recognized. For ``query`` and ``doc``, a pair
        names the column of the judgments and that of the runs.
    query_weights : mapping or array, optional
        The weight of each query in the means and their intervals: {query id: weight}, an array in the order of the
        queries of the judgments or of the data, or a file with a query and its weight on each line. By default, all
        queries count the same. The weights of `RankingData` are for losses and learners: document weights never change
        a measure, and query weights are used only if they are passed here.
    by : mapping, sequence, str or path, optional
        The category of each query: {query id: category}, a sequence in the order of the queries of the judgments or of
        the data, a column of ``data`` if it is a frame or a table, or a file with a query and its category on each
        line. ``by_category()`` of the result returns one evaluation per category.
    for_report : bool
        Whether to keep what `idealrank.report.html` shows besides the values: the measures at several cutoffs, and the
        first documents of each query.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    Evaluation or Evaluations
        The result, with ``mean``, ``per_query``, ``interval()``, ``conventions`` and ``problems``; for several systems,
        a mapping of such results.

    Raises
    ------
    DataError
        If the data is not recognized, is empty, has no scores, or cannot be evaluated with the convention.
    OptionError
        If a measure or convention is unknown.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.7}}, ["ndcg", "rr"]).mean
    {'ndcg': 0.6309297535714575, 'rr': 0.5}
    >>> evaluate([2, 0, 1], [0.9, 0.8, 0.7], "dcg").mean
    {'dcg': 3.5}
    >>> evaluate({"u1": {"a", "b"}}, {"u1": ["c", "a", "b"]}, "rr").mean
    {'rr': 0.5}
    """
    arrays = {"offsets": offsets, "group": group, "query_ids": query_ids, "mask": mask}
    columns = {"query": query, "doc": doc, "label": label, "score": score, "rank": rank, "subtopic": subtopic}
    layout = layout_of(evaluate, {**arrays, **columns}, order)
    judged, systems = judged_and_each_system(data, scores, layout)
    categories = None if by is None else categories_of(by, recognize(data, "data", layout))
    evaluator = Evaluator(judged, like, query_weights=query_weights, by=categories, n_threads=n_threads)
    evaluations = evaluate_systems(evaluator, systems, measures, for_report=for_report)
    return evaluations[""] if list(evaluations) == [""] else evaluations


#: The number of documents per query that a report shows.
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
    systems: Iterable[tuple[str, System]],
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
                _ranking(evaluator, system, next(iter(filled.values()))),
                _DEPTH,
            )
            evaluations[name] = replace(evaluator.evaluate(system, measures), details=details)
    return Evaluations(evaluations).on_common_queries()


def _ranking(evaluator: Evaluator, system: System, first: Measure) -> TopRanking:
    """Return the first documents of each query, in the system's order and with the labels that the measure uses."""
    lists = evaluator.lists(system, first)
    order = _order(lists, first.ties or "average")
    queries = group_of_each(lists.offsets)
    scores = lists.scores[order]
    same = (scores[1:] == scores[:-1]) & (queries[1:] == queries[:-1])
    tied = np.append(same, False) | np.append(False, same) if scores.size else np.zeros(0, bool)
    kept = np.arange(order.size) - lists.offsets[queries] < _DEPTH
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
    queries = group_of_each(lists.offsets)
    return np.lexsort((within, -lists.scores, queries))

"""Apply the choices of a convention about labels, documents and queries to ranking data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

import numpy as np

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._present.printable import counted
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import group_of_each, offsets_of, places, query_at
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure

Table = TypeVar("Table", Qrels, Run)


def prepare(
    data: RankingData, scores: Floats, rules: Convention, missing: Booleans, n_threads: int | None = None
) -> tuple[Lists, Booleans, tuple[Problem, ...]]:
    """Return the lists to measure, which of their queries the run leaves out, and the problems found.

    Parameters
    ----------
    data : RankingData
        The documents.
    scores : float64 array
        One score per document, in the order of ``data``.
    rules : Convention
        What negative labels, unjudged documents and missing queries mean.
    missing : bool array
        Whether the run leaves a query out, one per query.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    """
    if missing.any() and rules.missing == "error":
        query = data.query_id(int(np.flatnonzero(missing)[0]))
        raise DataError(f"the run has nothing for a judged query, which {rules.name} refuses", query=query)
    labels, judged, problems = _checked_labels(data, rules)
    if rules.precision == "float32":
        scores, collisions = _as_float32(data, scores, rules, n_threads)
        problems += collisions
    negative = "keep" if rules.negative == "drop" else rules.negative
    lists = replace(data.lists(scores, n_threads), labels=labels, judged=judged, weights=None, negative=negative)
    is_query = _named_as_query(lists) if rules.identical_ids == "drop" else None
    if is_query is not None and is_query.any():
        count = int(is_query.sum())
        are = "is" if count == 1 else "are"
        what = f"{counted(count, 'retrieved document')} with the id of the query {are} left out, as {rules.name} does"
        problems += (Problem("identical id", count, what),)
    lists = _without_dropped_documents(lists, rules, is_query)
    if rules.zero_scores == "irrelevant":  # of a tool that sees retrieved documents only
        could = JudgedLabels(np.nan_to_num(lists.labels), lists.offsets)
        lists = replace(lists, labels=np.where(lists.scores > 0, lists.labels, 0.0), judged=could)
    if rules.missing == "drop" and missing.any():
        lists, missing = _without_queries(lists, missing), missing[~missing]
    return lists, missing, data.problems + problems


def with_duplicates(table: Table, rules: Convention) -> Table:
    """Return judgments or a run with the number that the convention uses for documents that were repeated."""
    if rules.duplicates == "error":
        for problem in table.problems:
            if problem.kind == "duplicate":
                raise DataError(
                    f"{problem.message} by other conventions, but {rules.name} rejects such data: choose which one "
                    "counts with like=convention(...).replace(duplicates='last'), 'first' or 'best'; 'best' keeps the "
                    "best of several chunks of a document (--duplicates best)"
                )
    return table.with_duplicates(rules.duplicates)


def in_order_of_ties(lists: Lists, ties: str) -> tuple[Lists, str]:
    """Return the lists in an order that breaks ties by document id, and the rule for ties that remains."""
    if not ties.startswith("docid"):
        return lists, ties
    if lists.doc_ids is None:  # the row number replaces the id
        return lists, "stable" if ties == "docid_asc" else "reverse"
    descending = ties == "docid_desc"
    order = _native.order_by_id(lists.scores, lists.offsets, *lists.doc_ids.parts, descending, lists.n_threads)
    return replace(lists, doc_ids=None).take(order, lists.offsets), "stable"


def differences(lists: Lists, rules: Convention, measures: Sequence[Measure]) -> tuple[Problem, ...]:
    """Return what the tool that the convention follows leaves open, or computes in another way, on this data.

    Parameters
    ----------
    lists : Lists
        The lists to measure.
    rules : Convention
        The convention.
    measures : iterable of Measure
        The measures, before the convention fills their options in.
    """
    by_kind: dict[str, list[Measure]] = {}
    for each in measures:
        for kind in cast("Sequence[str]", rules.option("differs", each.label, each.cutoff is not None) or ()):
            by_kind.setdefault(kind, []).append(each)
    found = []
    for kind, own in by_kind.items():
        count = int(_DIFFERENCES[kind](lists).sum())
        if count:
            have = "query has" if count == 1 else "queries have"
            names = ", ".join(map(str, own))
            what = f"{count:,} {have} {kind}: {rules.name} may give another value of {names} there, as its note says"
            found.append(Problem("differs from the tool", count, what))
    return (*_undefined_ties(lists, rules, measures), *found)


def _has_mixed_ties(lists: Lists) -> Booleans:
    """Return which queries have equal scores for documents with different labels."""
    queries = group_of_each(lists.offsets)
    labels = np.nan_to_num(lists.labels)  # an unjudged document counts as 0
    order = np.lexsort((labels, lists.scores, queries))
    labels, scores = labels[order], lists.scores[order]
    is_tie = (scores[1:] == scores[:-1]) & (queries[1:] == queries[:-1])
    return np.bincount(queries[1:][is_tie & (labels[1:] != labels[:-1])], minlength=lists.n_queries) > 0


def _any(of_documents: Booleans, offsets: Int64s) -> Booleans:
    """Return for which queries something holds of any document."""
    counts = offsets_of(of_documents)
    some: Booleans = counts[offsets[1:]] > counts[offsets[:-1]]
    return some


def _has_odd_judgments(lists: Lists) -> Booleans:
    """Return which queries have a negative label, no relevant document, or no judged document that is not relevant."""
    labels, offsets = (lists.labels, lists.offsets) if lists.judged is None else lists.judged
    return _any(labels < 0, offsets) | ~_any(labels >= 1, offsets) | ~_any(labels < 1, offsets)


def _sums_to_zero(lists: Lists) -> Booleans:
    labels = np.nan_to_num(lists.labels)
    sums = np.bincount(group_of_each(lists.offsets), labels, minlength=lists.n_queries)
    zero: Booleans = sums == 0
    return zero & _any(labels != 0, lists.offsets)


#: Data on which a tool gives another number, in words, and the queries that have it.
_DIFFERENCES: Mapping[str, Callable[[Lists], Booleans]] = {
    "equal scores": _has_mixed_ties,
    "judgments of bpref": _has_odd_judgments,
    "labels with the sum 0": _sums_to_zero,
}


def _undefined_ties(lists: Lists, rules: Convention, measures: Iterable[Measure]) -> tuple[Problem, ...]:
    """Return a problem if the tool that the convention follows leaves the order of equal scores open."""
    limit_of = {
        each: cast("int | None", rules.option("stable_up_to", each.label, each.cutoff is not None))
        for each in measures
        if each.ties is None and "ties" in each.options()
    }
    limits = {each: limit for each, limit in limit_of.items() if limit is not None}
    if not limits:
        return ()
    limit = min(limits.values())
    count = int(np.count_nonzero(lists.sizes[_has_mixed_ties(lists)] > limit))
    if not count:
        return ()
    long = f" of more than {limit} documents" if limit > 1 else ""
    names = ", ".join(map(str, limits))
    those = f"1 query{long} has" if count == 1 else f"{count:,} queries{long} have"
    what = (
        f"{those} equal scores for documents with different labels: {rules.name} does not define "
        f"their order in {names}, and here it is the input order"
    )
    return (Problem("undefined tie order", count, what),)


def judged_lists(lists: Lists) -> Lists:
    """Return the judged documents as lists in which all scores are equal."""
    pool = lists.judged or JudgedLabels(lists.labels, lists.offsets)
    n_docs = pool.labels.size
    # Whether a query has a value does not depend on what is retrieved; -1 marks an unjudged document.
    subtopics = None if lists.subtopics is None else replace(lists.subtopics, rows=np.full(n_docs, -1))
    own = replace(lists, labels=pool.labels, scores=np.zeros(n_docs), offsets=pool.offsets, judged=None)
    return replace(own, subtopics=subtopics)


def _named_as_query(lists: Lists) -> Booleans | None:
    """Return which documents have the id of their query; None if there are no ids."""
    if lists.doc_ids is None or lists.query_ids is None:
        return None
    queries = group_of_each(lists.offsets)
    same: Booleans = lists.doc_ids.index_in(Ids.of(lists.query_ids)) == queries
    return same


def _without_dropped_documents(lists: Lists, rules: Convention, dropped: Booleans | None) -> Lists:
    judged = lists.judged
    if rules.negative == "drop" and judged is not None:
        kept = judged.labels >= 0
        lists = replace(lists, judged=JudgedLabels(judged.labels[kept], offsets_of(kept)[judged.offsets]))
    dropped = np.zeros(lists.labels.size, bool) if dropped is None else dropped
    if rules.unjudged == "drop":
        dropped |= np.isnan(lists.labels)
    if rules.negative == "drop" or (rules.negative == "unjudged" and rules.unjudged == "drop"):
        dropped |= lists.labels < 0
    return lists.take(np.flatnonzero(~dropped), offsets_of(~dropped)[lists.offsets]) if dropped.any() else lists


def _without_queries(lists: Lists, missing: Booleans) -> Lists:
    kept = np.flatnonzero(~missing)
    judged = lists.judged
    if judged is not None:
        judged_places, judged_offsets = places(judged.offsets, kept)
        judged = JudgedLabels(judged.labels[judged_places], judged_offsets)
    query_ids = None if lists.query_ids is None else lists.query_ids.take(kept)
    lists = replace(lists.take(*places(lists.offsets, kept)), judged=judged, query_ids=query_ids)
    return lists if lists.subtopics is None else replace(lists, subtopics=lists.subtopics.take_queries(kept))


def _as_float32(
    data: RankingData, scores: Floats, rules: Convention, n_threads: int | None
) -> tuple[Floats, tuple[Problem, ...]]:
    """Return the scores rounded to float32, and the number of scores that became equal."""
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32).astype(np.float64)
    data.require(
        np.isfinite(rounded), scores, f"{rules.name} compares scores as float32, and one is too large for that"
    )
    if np.array_equal(rounded, scores):
        return rounded, ()
    heads = data.offsets[1:-1]
    ends = heads[(heads > 0) & (heads < scores.size)] - 1  # last document of a query; the next query follows
    before, after = scores, rounded
    falls = after[1:] <= after[:-1]
    falls[ends] = True
    if not falls.all():  # in most files, scores are already sorted
        order = _native.order(rounded, data.offsets, resolve_threads(n_threads))
        before, after = scores[order], rounded[order]
    same = (after[1:] == after[:-1]) & (before[1:] != before[:-1])
    same[ends] = False
    count = int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
    if not count:
        return rounded, ()
    what = f"{count:,} scores differ from another only beyond float32, which is how {rules.name} compares them"
    return rounded, (Problem("float32 collision", count, what),)


def _checked_labels(data: RankingData, rules: Convention) -> tuple[Floats, JudgedLabels | None, tuple[Problem, ...]]:
    """Return labels and judged labels in the form that the convention accepts, and the number of truncated ones."""
    labels, judged = data.labels, data.judged
    if rules.labels == "float":
        return labels, judged, ()
    if rules.labels == "truncated":
        odd = int(np.count_nonzero(~_is_whole(labels if judged is None else judged.labels)))
        if not odd:
            return labels, judged, ()
        what = f"{odd:,} labels are not whole and were cut, as {rules.name} does"
        cut = None if judged is None else JudgedLabels(np.trunc(judged.labels), judged.offsets)
        return np.trunc(labels), cut, (Problem("truncated label", odd, what),)

    taken, what = {
        "integer": (_is_whole, "whole labels only"),
        "binary": (_is_binary, "the labels 0 and 1 only here"),
    }[rules.labels]
    data.require(taken(labels), labels, f"{rules.name} takes {what}")
    if judged is not None:
        bad = np.flatnonzero(~taken(judged.labels))
        if bad.size:
            query = data.query_id(query_at(judged.offsets, int(bad[0])))
            raise DataError(f"{rules.name} takes {what}, got {judged.labels[bad[0]]:g}", query=query)
    return labels, judged, ()


def _is_whole(labels: Floats) -> Booleans:
    whole: Booleans = labels == np.trunc(labels)
    return whole | np.isnan(labels)


def _is_binary(labels: Floats) -> Booleans:
    return np.isin(labels, (0, 1)) | np.isnan(labels)

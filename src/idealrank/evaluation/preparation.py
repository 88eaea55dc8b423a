"""Rankings made ready for measuring: the convention's choices about the data are made, and what they met is named."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from idealrank import _native
from idealrank._base.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.ids import Ids
from idealrank.data.ranking import Judged, Problem, QueryIds, RankingData, places, query_at
from idealrank.errors import DataError
from idealrank.measures.conventions import Convention
from idealrank.measures.plan import Lists

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """Lists of which the native core needs no more than they say, and what belongs to them.

    Attributes
    ----------
    rows: for each row of the lists the caller's, or None where they are the same.
    missing: whether the run leaves the query out, one a query.
    """

    lists: Lists
    doc_ids: Ids | None
    query_ids: QueryIds
    rows: Int64s | None
    missing: Booleans
    problems: tuple[Problem, ...] = ()

    def ordered(self, ties: str) -> tuple[Prepared, str]:
        """The rows so that ``ties`` need not know document ids, and what it then is."""
        if not ties.startswith("docid"):
            return self, ties
        if self.doc_ids is None:  # the row number stands in
            return self, "stable" if ties == "docid_asc" else "reverse"
        lists = self.lists
        descending, n_threads = ties == "docid_desc", resolve_threads(lists.n_threads)
        order = _native.order_by_id(lists.scores, lists.offsets, *self.doc_ids.parts, descending, n_threads)
        moved = replace(lists, labels=lists.labels[order], scores=lists.scores[order])
        return replace(self, lists=moved, doc_ids=None, rows=order if self.rows is None else self.rows[order]), "stable"

    def judged_only(self) -> Lists:
        """The judged documents themselves as lists, all with one score."""
        pool = self.lists.judged or Judged(self.lists.labels, self.lists.offsets)
        return replace(
            self.lists, labels=pool.labels, scores=np.zeros(pool.labels.size), offsets=pool.offsets, judged=None
        )

    def located(self, error: DataError) -> DataError:
        """The native core's error with the query's id and the caller's row."""
        query, row = error.query, error.row
        if isinstance(query, int):
            query = self.query_ids[query] if isinstance(self.query_ids, Ids) else int(self.query_ids[query])
        if row is not None and self.lists.judged is not None:
            row = None  # it may count the judgments or the documents retrieved
        elif row is not None and self.rows is not None:
            row = int(self.rows[row])
        return DataError(error.what, query=query, row=row)


def prepare(
    data: RankingData, scores: Floats, rules: Convention, missing: Booleans, n_threads: int | None = None
) -> Prepared:
    """The data and one score a document, in the caller's order, as the convention sees them."""
    if missing.any() and rules.missing == "error":
        query = data.query_id(int(np.flatnonzero(missing)[0]))
        raise DataError(f"the run has nothing for a judged query, which {rules.name} refuses", query=query)
    labels, judged, problems = _checked_labels(data, rules)
    if rules.precision == "float32":
        scores, collisions = _as_float32(data, scores, rules, n_threads)
        problems += collisions
    doc_ids = data.doc_ids
    if doc_ids is not None and data.order is not None:
        doc_ids = doc_ids.take(data.order)
    negative = "keep" if rules.negative == "drop" else rules.negative
    lists = Lists(data.to_groups(labels), data.to_groups(scores), data.offsets, judged, negative, n_threads)
    prepared = Prepared(lists, doc_ids, data.query_ids, data.order, missing, data.problems + problems)
    prepared = _without_dropped_documents(prepared, rules)
    return _without_queries(prepared, missing) if rules.missing == "drop" and missing.any() else prepared


def _without_dropped_documents(prepared: Prepared, rules: Convention) -> Prepared:
    labels, judged = prepared.lists.labels, prepared.lists.judged
    if rules.negative == "drop" and judged is not None:
        kept = judged.labels >= 0
        judged = Judged(judged.labels[kept], _count_up_to(kept)[judged.offsets])
    dropped = np.zeros(labels.size, bool)
    if rules.unjudged == "drop":
        dropped |= np.isnan(labels)
    if rules.negative == "drop" or (rules.negative == "unjudged" and rules.unjudged == "drop"):
        dropped |= labels < 0
    prepared = replace(prepared, lists=replace(prepared.lists, judged=judged))
    if not dropped.any():
        return prepared
    kept = ~dropped
    return _taken(prepared, np.flatnonzero(kept), _count_up_to(kept)[prepared.lists.offsets])


def _without_queries(prepared: Prepared, missing: Booleans) -> Prepared:
    kept = np.flatnonzero(~missing)
    judged = prepared.lists.judged
    if judged is not None:
        judged_rows, judged_offsets = places(judged.offsets, kept)
        judged = Judged(judged.labels[judged_rows], judged_offsets)
    prepared = _taken(prepared, *places(prepared.lists.offsets, kept))
    return replace(
        prepared,
        lists=replace(prepared.lists, judged=judged),
        query_ids=prepared.query_ids.take(kept),
        missing=missing[kept],
    )


def _taken(prepared: Prepared, rows: Int64s, offsets: Int64s) -> Prepared:
    """These rows of the lists alone, cut by these offsets."""
    lists = prepared.lists
    return replace(
        prepared,
        lists=replace(lists, labels=lists.labels[rows], scores=lists.scores[rows], offsets=offsets),
        doc_ids=None if prepared.doc_ids is None else prepared.doc_ids.take(rows),
        rows=rows if prepared.rows is None else prepared.rows[rows],
    )


def _count_up_to(kept: Booleans) -> Int64s:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(kept)))


def _as_float32(
    data: RankingData, scores: Floats, rules: Convention, n_threads: int | None
) -> tuple[Floats, tuple[Problem, ...]]:
    """Scores rounded to float32, and how many of them became equal by it."""
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32).astype(np.float64)
    data.check(np.isfinite(rounded), scores, f"{rules.name} compares scores as float32, and one is too large for that")
    if np.array_equal(rounded, scores):
        return rounded, ()
    order = _native.order(data.to_groups(rounded), data.offsets, resolve_threads(n_threads))
    before, after = (data.to_groups(column)[order] for column in (scores, rounded))
    same = (after[1:] == after[:-1]) & (before[1:] != before[:-1])
    heads = data.offsets[1:-1]
    same[heads[(heads > 0) & (heads < after.size)] - 1] = False  # the last of one query and the first of the next
    count = int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
    if not count:
        return rounded, ()
    what = f"{count:,} scores differ from another only beyond float32, which is how {rules.name} compares them"
    return rounded, (Problem("float32 collision", count, what),)


def _checked_labels(data: RankingData, rules: Convention) -> tuple[Floats, Judged | None, tuple[Problem, ...]]:
    """Labels and judged labels as the convention takes them, and how many were cut to be so."""
    labels, judged = data.labels, data.judged
    if rules.labels == "float":
        return labels, judged, ()
    if rules.labels == "truncated":
        odd = int(np.count_nonzero(~_is_whole(labels if judged is None else judged.labels)))
        if not odd:
            return labels, judged, ()
        what = f"{odd:,} labels are not whole and were cut, as {rules.name} does"
        cut = None if judged is None else Judged(np.trunc(judged.labels), judged.offsets)
        return np.trunc(labels), cut, (Problem("truncated label", odd, what),)

    taken, what = {
        "integer": (_is_whole, "whole labels only"),
        "binary": (_is_binary, "the labels 0 and 1 only here"),
    }[rules.labels]
    data.check(taken(labels), labels, f"{rules.name} takes {what}")
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

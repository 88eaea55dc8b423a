"""Questions without an answer: for how many queries a system retrieved nothing, and whether it was right to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from idealrank._core.checks import are_numbers
from idealrank._present.page import Page, Section
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank.data.columns import group_of_each
from idealrank.data.judgments import Qrels, Run
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.inputs import Data, LayoutOptions, OneSystem, Several, judged_and_systems, layout_of


@dataclass(frozen=True)
class Abstentions(Result):
    """How often each system retrieved nothing, by whether the judgments have a relevant document.

    Attributes
    ----------
    n_answerable, n_unanswerable : int
        The numbers of queries with and without a relevant document.
    wrong, right : mapping of str to int
        {system: the number of answerable, or unanswerable, queries for which it retrieved nothing}.

    Examples
    --------
    >>> from idealrank import abstentions
    >>> found = abstentions({"q1": ["a"], "q2": [], "q3": []}, {"q1": ["a"], "q2": [], "q3": ["b"]})
    >>> found.n_answerable, found.n_unanswerable, found.wrong[""], found.right[""]
    (1, 2, 0, 1)
    """

    n_answerable: int
    n_unanswerable: int
    wrong: Mapping[str, int]
    right: Mapping[str, int]

    def tables(self) -> Mapping[str, Table]:
        """Return the table "abstentions": a row per system, with counts of queries."""
        names = ("answerable", "wrongly empty", "unanswerable", "rightly empty")
        rows: list[list[Value]] = [
            [name or "system", self.n_answerable, self.wrong[name], self.n_unanswerable, self.right[name]]
            for name in self.wrong
        ]
        return {"abstentions": Table([Column("system"), *(Column(name, ",") for name in names)], rows)}

    def page(self) -> Page:
        """Return the counts of each system."""
        section = Section("Result", tables=self.tables())
        return Page("Abstentions", summary=(section,), sections=lambda: [section])


def abstentions(
    data: Data, scores: OneSystem | Several, *, threshold: float | None = None, **layout: Unpack[LayoutOptions]
) -> Abstentions:
    """Count for how many queries a system retrieved nothing, where something is relevant and where nothing is.

    Measures say nothing about queries without relevant documents, so that these are evaluated on their own.

    Parameters
    ----------
    data : Qrels, mapping, data frame or path
        The judgments. A query without a label above 0 is unanswerable: an empty list, or no gold spans.
    scores : Run, mapping, data frame or path
        One system or several, as in `evaluate`. A query that a run does not have was not answered.
    threshold : float, optional
        Documents with lower scores were not retrieved.
    **layout
        Column names, as in `evaluate`.

    Returns
    -------
    Abstentions
        The counts.

    Raises
    ------
    DataError
        If the data is not recognized, or is not of judgments and runs.
    OptionError
        If the threshold is not a number.

    Examples
    --------
    >>> from idealrank import abstentions
    >>> qrels, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 0.9}, "q2": {"b": 0.2}}
    >>> found = abstentions(qrels, run, threshold=0.5)
    >>> found.right[""], found.wrong[""]
    (1, 0)
    """
    if threshold is not None and not are_numbers(threshold):
        raise OptionError(f"threshold must be a number, got {threshold!r}")
    options: dict[str, Any] = dict(layout)
    judged, systems = judged_and_systems(data, scores, layout_of(abstentions, options))
    if not isinstance(judged, Qrels):
        raise DataError("abstentions need judgments and runs, in which a query can have no documents")
    queries = group_of_each(judged.offsets)
    answerable = np.bincount(queries[judged.labels > 0], minlength=judged.n_queries) > 0
    silent = {name: _silent(judged, run, threshold) for name, run in systems.items() if isinstance(run, Run)}
    return Abstentions(
        int(answerable.sum()),
        int((~answerable).sum()),
        {name: int((each & answerable).sum()) for name, each in silent.items()},
        {name: int((each & ~answerable).sum()) for name, each in silent.items()},
    )


def _silent(judged: Qrels, run: Run, threshold: float | None) -> Any:
    """Return for each query of the judgments whether nothing was retrieved."""
    kept = np.ones(run.n_docs, bool) if threshold is None else run.scores >= threshold
    sizes = np.bincount(group_of_each(run.offsets)[kept], minlength=run.n_queries + 1)
    return sizes[judged.query_ids.index_in(run.query_ids)] == 0  # -1, a missing query, is the last entry: 0

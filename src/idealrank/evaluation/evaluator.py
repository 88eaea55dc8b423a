"""Evaluate rankings: one object fixes the judged documents, the convention and the query set for all systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Unpack, cast, overload

import numpy as np
import numpy.typing as npt

from idealrank._typing import Booleans, Floats
from idealrank.data.construction import from_arrays
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.lists import Lists
from idealrank.data.problem import Problem
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import DataError
from idealrank.evaluation.counts import Counts
from idealrank.evaluation.inputs import (
    Data,
    LayoutOptions,
    Measures,
    OneSystem,
    Several,
    judged_and_systems,
    layout_of,
    named_measures,
    naming,
)
from idealrank.evaluation.preparation import in_order_of_ties, judged_lists, prepare, undefined_ties
from idealrank.evaluation.results import Evaluation, Evaluations
from idealrank.measures.base import Measure
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.plan import Plan, run

__all__ = ["Evaluator", "evaluate"]


class Evaluator:
    """Judged documents and a convention, fixed for any number of systems and measures.

    `evaluate`, `compare`, `explain`, the commands of the command line, reports and their curves all evaluate through
    one of these, so that the same data and the same measure give the same number everywhere.

    Parameters
    ----------
    judged : Qrels or RankingData
        The judged documents. Systems are runs beside judgments, and scores beside RankingData.
    like : str or Convention, optional
        The convention for unnamed options of measures; by default, "trec_eval" for judgments and "idealrank" for
        RankingData.
    n_threads : int, optional
        Number of threads; by default, all cores.

    Examples
    --------
    >>> evaluator = Evaluator(Qrels({"q1": {"d1": 1, "d2": 0}}))
    >>> evaluator.evaluate(Run({"q1": {"d1": 0.5, "d2": 0.7}}), "rr").mean, evaluator.convention.name
    ({'rr': 0.5}, 'trec_eval')
    """

    def __init__(
        self, judged: Qrels | RankingData, like: str | Convention | None = None, *, n_threads: int | None = None
    ) -> None:
        self.judged = judged
        self.convention = convention(like or ("trec_eval" if isinstance(judged, Qrels) else "idealrank"))
        self.n_threads = n_threads

    def evaluate(self, system: Run | Floats, measures: Measures) -> Evaluation:
        """Evaluate one system: a run, or checked scores in the order of the data."""
        named = named_measures(measures)
        if isinstance(self.judged, RankingData):
            assert not isinstance(system, Run)
            missing = (self.judged.group_sizes == 0) & (self.judged.judged is not None)
            return self._measured(self.judged, system, missing, named)
        assert isinstance(system, Run)
        return self._measured(*self._joined(self.judged, system), named)

    def evaluate_all(self, systems: Iterable[tuple[str, Run | Floats]], measures: Measures) -> Evaluations:
        """Evaluate several systems, given as pairs (name, system); each is released before the next is requested."""
        found = {}
        for name, system in systems:
            with naming(name):
                found[name] = self.evaluate(system, measures)
        return Evaluations(found)

    def complete_lists(
        self, systems: Iterable[tuple[str, Run | Floats]]
    ) -> tuple[RankingData, dict[str, Floats], list[str]]:
        """Return lists that every system ranks completely, which theory compares: data, scores by system, remarks.

        Runs do not retrieve the same documents. Therefore the judged documents are ranked: those that a run does not
        retrieve come last, all tied, and documents that nobody judged are left out.
        """
        if isinstance(self.judged, RankingData):
            return self.judged, dict(cast("Iterable[tuple[str, Floats]]", systems)), []
        documents = self.judged.to_dict()
        data = from_arrays(
            [max(label, 0.0) for labels in documents.values() for label in labels.values()],
            query_ids=[query for query, labels in documents.items() for _ in labels],
        )
        scores: dict[str, Floats] = {}
        remarks = []
        for name, system in systems:
            assert isinstance(system, Run)
            lists = [(system.get(query, {}), labels) for query, labels in documents.items()]
            scores[name] = np.concatenate([_scores_of_all(retrieved, labels) for retrieved, labels in lists])
            absent = sum(len(labels.keys() - retrieved) for retrieved, labels in lists)
            if absent:
                count = f"{absent:,} of {data.n_docs:,} judged documents"
                remarks.append(f"{name} does not retrieve {count}; they come last")
        return data, scores, remarks

    def _joined(self, qrels: Qrels, answer: Run) -> tuple[RankingData, Floats, Booleans]:
        """Return the run's documents with their labels, their scores, and which queries the run leaves out."""
        if self.convention.duplicates == "error":
            for problem in (*qrels.problems, *answer.problems):
                if problem.kind == "duplicate":
                    name = self.convention.name
                    raise DataError(f"{problem.message}; {name} refuses such data, another convention may not")
        for table, what in ((qrels, "the judgments are"), (answer, "the run is")):
            if table.n_docs == 0:
                raise DataError(f"{what} empty: there is nothing to evaluate")
        joined = join(qrels, answer, n_threads=self.n_threads)
        assert joined.scores is not None
        # A query that the run has without documents is not missing; one without judgments is.
        missing = (qrels.query_ids.index_in(answer.query_ids) < 0) | (np.diff(qrels.offsets) == 0)
        return joined, joined.scores, missing

    def _measured(
        self, data: RankingData, scores: Floats, missing: Booleans, named: Mapping[str, Measure]
    ) -> Evaluation:
        rules = self.convention
        filled = {name: each.with_convention(rules) for name, each in named.items()}
        counts = Counts.of(filled.values(), joined=data.judged is not None)
        problems: dict[Problem, None] = {}
        values: dict[str, Floats] = {}
        rules_of = {name: rules.for_measure(each.label, each.cutoff is not None) for name, each in named.items()}
        # The usual rules come first: the counts are made with them.
        for own_rules in sorted(dict.fromkeys(rules_of.values()), key=rules.__ne__):
            lists, absent, met = prepare(data, scores, own_rules, missing, self.n_threads)
            chosen = {name: each for name, each in filled.items() if rules_of[name] == own_rules}
            found = _measured(lists, absent, chosen, None if values else counts)
            problems |= dict.fromkeys(met)
            problems |= dict.fromkeys(undefined_ties(lists, rules, [named[name] for name in chosen]))
            if not values:
                problems |= dict.fromkeys(counts.problems(found, lists.sizes))
            values |= found
        for name in named:
            skipped = int(np.isnan(values[name]).sum())
            if skipped and filled[name].empty == "skip":
                what = f"{skipped:,} queries have no value of {name} and are left out of its mean"
                problems[Problem("skipped query", skipped, what)] = None
            values[name].flags.writeable = False
        exceptions = {
            name: dict(own.data.items() - rules.data.items()) for name, own in rules_of.items() if own != rules
        }
        per_query = {name: values[name] for name in named}
        assert lists.query_ids is not None
        return Evaluation(per_query, lists.query_ids, filled, rules, tuple(problems), exceptions=exceptions)


@overload
def evaluate(
    data: Data,
    scores: OneSystem | None = ...,
    measures: Measures = ...,
    *,
    like: str | Convention | None = ...,
    order: Order | None = ...,
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
    query: str | None = None,
    doc: str | None = None,
    label: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    n_threads: int | None = None,
) -> Evaluation | Evaluations:
    """Evaluate one system, or several, on one set of queries.

    ``data`` and ``scores`` may be

    - judgments and a run: `Qrels` and `Run`, nested dicts, ranked id lists and sets of relevant ids, data frames, paths
      of files, SciPy sparse matrices, or objects of ranx and ir_measures;
    - labels and scores: `RankingData`, arrays, tensors, matrices with one row per query, or a data frame with
      predictions or the name of a score column; None uses the scores that the data itself has.

    Several systems are {name: system}, or a list of columns, of paths or of runs. The page on inputs lists every shape.

    Parameters
    ----------
    data : Qrels, RankingData, mapping, data frame, path, array or sparse matrix
        The judged documents.
    scores : Run, mapping, data frame, path, array or sparse matrix, optional
        One system or several. Scores of -inf rank last.
    measures : str, Measure or iterable of these
        The measures.
    like : str or Convention, optional
        The convention for unnamed options of the measures; by default, trec_eval for judgments and runs, otherwise
        idealrank.
    offsets, group : array of int, optional
        Boundaries of the queries in arrays of labels, or their numbers of documents.
    query_ids : iterable, optional
        The query of each document in arrays of labels, or of each row of a matrix.
    mask : array of bool, optional
        Which entries of matrices are documents; the others are padding.
    order : {"input", "grouped"}, optional
        The order of the scores: that of the input rows, or that of ``data``. It is required if rows were moved when
        ``data`` was made.
    query, doc, label, score, rank : str, optional
        Column names of data frames; by default, well-known names are recognized.
    n_threads : int, optional
        Number of threads; by default, all cores.

    Returns
    -------
    Evaluation or Evaluations
        `.mean`, `.per_query`, `.interval()`, `.conventions` and `.problems`; for several systems, a mapping of such
        results.

    Raises
    ------
    DataError
        If the data is not recognized, is empty, has no scores, or cannot be evaluated under the convention.
    OptionError
        If a measure or convention is unknown.

    Examples
    --------
    >>> evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.7}}, ["ndcg", "rr"]).mean
    {'ndcg': 0.6309297535714575, 'rr': 0.5}
    >>> evaluate([2, 0, 1], [0.9, 0.8, 0.7], "dcg").mean
    {'dcg': 3.5}
    >>> evaluate({"u1": {"a", "b"}}, {"u1": ["c", "a", "b"]}, "rr").mean
    {'rr': 0.5}
    """
    arrays = {"offsets": offsets, "group": group, "query_ids": query_ids, "mask": mask}
    columns = {"query": query, "doc": doc, "label": label, "score": score, "rank": rank}
    judged, systems = judged_and_systems(data, scores, layout_of({**arrays, **columns}, order))
    found = Evaluator(judged, like, n_threads=n_threads).evaluate_all(systems.items(), measures)
    return found[""] if list(found) == [""] else found


def _scores_of_all(retrieved: Mapping[str, float], labels: Mapping[str, float]) -> Floats:
    least = min(retrieved.values(), default=0.0) - 1
    return np.array([retrieved.get(doc, least) for doc in labels], np.float64)


def _measured(
    lists: Lists, missing: Booleans, filled: Mapping[str, Measure], counts: Counts | None
) -> dict[str, Floats]:
    """Return one value per query of each measure, and of the counts."""
    values: dict[str, Floats] = {}
    ties_of = {name: each.ties or "average" for name, each in filled.items()}
    for ties in dict.fromkeys(ties_of.values()):
        group: dict[str, Measure | Plan] = {name: each for name, each in filled.items() if ties_of[name] == ties}
        if counts is not None and not values:
            group |= counts.plans
        ordered, kernel_ties = in_order_of_ties(lists, ties)
        with ordered.locating():
            values |= _in_one_sort(ordered, group, kernel_ties)
    if missing.any():
        for name, each in filled.items():
            values[name] = np.where(missing, _value_if_missing(lists, each), values[name])
    return values


def _value_if_missing(lists: Lists, filled: Measure) -> Floats | float:
    """Return 0, or NaN if a query has no value of the measure whatever a run retrieves."""
    if filled.empty not in ("nan", "skip"):
        return 0.0
    (at_best,) = _in_one_sort(judged_lists(lists), {"": filled}, "stable").values()
    return np.where(np.isnan(at_best), np.nan, 0.0)


def _in_one_sort(lists: Lists, group: Mapping[str, Measure | Plan], ties: str) -> dict[str, Floats]:
    plans: dict[str, Plan] = {}
    values: dict[str, Floats] = {}
    for name, each in group.items():
        plan = each if isinstance(each, Plan) else each.plan()
        if plan is not None:
            plans[name] = plan
        else:
            assert isinstance(each, Measure)
            values[name] = replace(each, ties=ties).values(lists)
    if plans:
        values |= dict(zip(plans, run(list(plans.values()), lists, ties), strict=True))
    return values

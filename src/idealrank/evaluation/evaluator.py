"""Evaluate rankings: one object fixes the judged documents, the convention and the query set for all systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import Literal, cast

import numpy as np

from idealrank._present.page import listed
from idealrank._present.printable import share
from idealrank._typing import Booleans, Floats
from idealrank.data.construction import from_arrays
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.lists import Lists
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.data_quality import Counts
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.inputs import Measures, Replicates, System, named_measures, naming
from idealrank.evaluation.preparation import (
    differences,
    in_order_of_ties,
    judged_lists,
    prepare,
    with_duplicates,
)
from idealrank.io.query_values import Categories, QueryWeights, categories_in_order, weights_in_order
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.measure_base import Measure, Plan, check_subtopics, run
from idealrank.measures.measure_names import check_convention


@dataclass(frozen=True)
class CompleteLists:
    """Lists that every system ranks completely, as theory needs them, for the queries of an evaluation.

    Parameters
    ----------
    data : RankingData
        The documents; an unjudged document counts as not relevant.
    scores : mapping of str to array
        One score per document, by system.
    remarks : tuple of str
        What was done to get complete lists; empty if the lists were complete.
    """

    data: RankingData
    scores: Mapping[str, Floats]
    remarks: tuple[str, ...] = ()


def convention_of(judged: Qrels | RankingData, like: str | Convention | None = None) -> Convention:
    """Return the named convention, or the default: trec_eval for judgments, idealrank for RankingData."""
    if like is None:
        like = "trec_eval" if isinstance(judged, Qrels) else "idealrank"
    return check_convention(convention(like))


class Evaluator:
    """Judged documents and a convention, fixed for any number of systems and measures.

    `evaluate`, `compare`, `explain`, the commands of the command line, reports and their curves all evaluate through
    one of these, so that the same data and the same measure give the same number everywhere.

    Parameters
    ----------
    judged : Qrels or RankingData
        The judged documents. Systems are runs for judgments, and scores for RankingData.
    like : str or Convention, optional
        The convention for options that the measures leave unset; by default, "trec_eval" for judgments and "idealrank"
        for `RankingData`.
    query_weights : mapping or array, optional
        The weight of each query in the means, by query id or in the order of ``judged``; by default, all queries count
        the same. The ``query_weights`` of RankingData are for learners; pass them here to use them in means too.
    by : mapping or sequence, optional
        The category of each query, by query id or in the order of ``judged``.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Raises
    ------
    DataError
        If a query has no weight, or a weight is negative or not finite.

    Examples
    --------
    >>> evaluator = Evaluator(Qrels({"q1": {"d1": 1, "d2": 0}}))
    >>> evaluator.evaluate(Run({"q1": {"d1": 0.5, "d2": 0.7}}), "rr").mean, evaluator.convention.name
    ({'rr': 0.5}, 'trec_eval')
    """

    def __init__(
        self,
        judged: Qrels | RankingData,
        like: str | Convention | None = None,
        *,
        query_weights: QueryWeights | None = None,
        by: Categories | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.judged = judged
        self.categories: tuple[str, ...] | None = None
        self._uncategorized: tuple[Problem, ...] = ()
        if by is not None:
            self.categories, self._uncategorized = categories_in_order(judged, by)
        self.convention = convention_of(judged, like)
        self.query_weights = None if query_weights is None else weights_in_order(judged, query_weights)
        self.n_threads = n_threads

    def evaluate(self, system: System, measures: Measures) -> Evaluation:
        """Evaluate one system: a run, or checked scores in the order of the data, or several of these."""
        if isinstance(system, Replicates):
            if self.query_weights is not None:
                raise OptionError("a system with several runs has no weighted mean: leave out query_weights")
            return self.evaluate_all(((f"run {n}", run) for n, run in enumerate(system, 1)), measures).mean_of_runs()
        named = named_measures(measures, self.convention)  # raises an error for an unknown measure before any work
        return self._measured(*self._documents(system), named)

    def evaluate_all(self, systems: Iterable[tuple[str, System]], measures: Measures) -> Evaluations:
        """Evaluate several systems, given as pairs (name, system); each is released before the next is requested.

        All are measured on the queries that every system has; see `Evaluations`.
        """
        found = {}
        for name, system in systems:
            with naming(name):
                found[name] = self.evaluate(system, measures)
        return Evaluations(found).on_common_queries()

    def filled(self, measures: Measures) -> dict[str, Measure]:
        """Return {measure as given: the measure with every option filled in}."""
        return {
            name: each.with_convention(self.convention)
            for name, each in named_measures(measures, self.convention).items()
        }

    def lists(self, system: System, measure: Measure) -> Lists:
        """Return the documents of a system, or of its first run, as the measure sees them after the convention."""
        system = system[0] if isinstance(system, Replicates) else system
        data, scores, missing = self._documents(system)
        return prepare(data, scores, _rules_of(measure, self.convention), missing, self.n_threads)[0]

    def _documents(self, system: Run | Floats) -> tuple[RankingData, Floats, Booleans]:
        """Return the documents of a system with their labels, their scores, and which queries it leaves out."""
        if isinstance(self.judged, RankingData):
            assert not isinstance(system, Run)
            return self.judged, system, (self.judged.group_sizes == 0) & (self.judged.judged is not None)
        assert isinstance(system, Run)
        return self._joined(self.judged, system)

    def complete_lists(self, systems: Iterable[tuple[str, Run | Floats]], evaluations: Evaluations) -> CompleteLists:
        """Return lists of the evaluated queries that every system ranks completely, which theory needs.

        Runs do not retrieve the same documents. Therefore the judged documents are ranked: those that a run does not
        retrieve come last, all tied, and documents that nobody judged are left out.

        Parameters
        ----------
        systems : iterable of (str, Run or array)
            The systems by name.
        evaluations : Evaluations
            The evaluations of these systems, which have the queries.

        Returns
        -------
        CompleteLists
            The lists, with the queries in the order of the evaluations.
        """
        queries = next(iter(evaluations.values())).query_ids.tolist()
        if isinstance(self.judged, RankingData):
            return self._own_lists(self.judged, dict(cast("Iterable[tuple[str, Floats]]", systems)), queries)
        documents = {query: self.judged[query] for query in queries}
        labels = np.array([label for docs in documents.values() for label in docs.values()])
        if self.convention.labels == "truncated":
            labels = np.trunc(labels)
        data = from_arrays(
            np.maximum(labels, 0.0),
            group=[len(docs) for docs in documents.values()],
            query_ids=queries,
            doc_ids=[doc for docs in documents.values() for doc in docs],
        )
        scores: dict[str, Floats] = {}
        absent: dict[str, int] = {}
        remarks = [
            f"the theory needs complete lists: here, the {data.n_docs:,} judged documents of these queries, without "
            "unjudged ones; tied documents are averaged over their orders"
        ]
        for name, system in systems:
            assert isinstance(system, Run)
            lists = [(system.get(query, {}), docs) for query, docs in documents.items()]
            scores[name] = np.concatenate([_scores_of_all(retrieved, docs) for retrieved, docs in lists])
            absent[name] = sum(len(docs.keys() - retrieved) for retrieved, docs in lists)
        return CompleteLists(data, scores, (*remarks, *_absent_text(absent, data.n_docs)))

    def _own_lists(
        self, data: RankingData, scores: Mapping[str, Floats], queries: list[str] | list[int]
    ) -> CompleteLists:
        """Return lists that were complete when they were given."""
        if len(queries) < data.n_queries:
            places = {query: place for place, query in enumerate(data.query_ids.tolist())}
            kept = np.zeros(data.n_queries, bool)
            kept[[places[query] for query in queries]] = True
            data, documents = data.subset(kept), np.repeat(kept, data.group_sizes)
            scores = {name: own[documents] for name, own in scores.items()}
        if data.judged is not None:
            data = replace(data, labels=np.nan_to_num(data.labels, nan=0.0), judged=None)
        return CompleteLists(data, scores)

    def _joined(self, qrels: Qrels, answer: Run) -> tuple[RankingData, Floats, Booleans]:
        """Return the run's documents with their labels, their scores, and which queries the run leaves out."""
        qrels, answer = with_duplicates(qrels, self.convention), with_duplicates(answer, self.convention)
        for table, what in ((qrels, "the judgments are"), (answer, "the run is")):
            if table.n_docs == 0:
                raise DataError(f"{what} empty: there is nothing to evaluate")
        joined = join(qrels, answer, n_threads=self.n_threads)
        assert joined.scores is not None
        if isinstance(qrels, SubtopicQrels):
            _check_levels(qrels, answer, joined)
        # A query that the run has without documents is not missing; one without judgments is.
        scores = joined.scores
        without = np.diff(qrels.offsets) == 0
        missing = (qrels.query_ids.index_in(answer.query_ids) < 0) | without
        if without.any():
            count, first = int(without.sum()), qrels.query_ids[int(np.argmax(without))]
            what = f"{count:,} {'query has' if count == 1 else 'queries have'} no judged documents, first {first!r}"
            treated = "treated as if the run did not have " + ("it" if count == 1 else "them")
            problem = Problem("query without judgments", count, f"{what}: {treated}")
            joined = replace(joined, problems=(*joined.problems, problem))
        if _seem_swapped(qrels, answer):
            what = (
                "most labels are fractions and all scores are whole: judgments come first, then runs; are they swapped?"
            )
            joined = replace(joined, problems=(*joined.problems, Problem("perhaps swapped", qrels.n_docs, what)))
        return joined, scores, missing

    def _measured(
        self, data: RankingData, scores: Floats, missing: Booleans, named: Mapping[str, Measure]
    ) -> Evaluation:
        rules = self.convention
        for each in named.values():
            check_subtopics(each, data.subtopics)
        filled = {name: each.with_convention(rules) for name, each in named.items()}
        counts = Counts.of(filled.values(), joined=data.judged is not None)
        problems: dict[Problem, None] = dict.fromkeys((*self._unused_weights(data), *self._uncategorized))
        values: dict[str, Floats] = {}
        rules_of = {name: _rules_of(each, rules) for name, each in named.items()}
        if missing.any():
            _check_missing(rules, rules_of)
        drops_missing = missing.any() and all(each.missing == "drop" for each in rules_of.values())
        # The usual rules come first, since the counts are made with them.
        for own_rules in sorted(dict.fromkeys(rules_of.values()), key=rules.__ne__):
            lists, absent, met = prepare(data, scores, own_rules, missing, self.n_threads)
            chosen = {name: each for name, each in filled.items() if rules_of[name] == own_rules}
            found = values_of_lists(lists, absent, chosen, None if values else counts)
            problems |= dict.fromkeys(met)
            problems |= dict.fromkeys(differences(lists, rules, [named[name] for name in chosen]))
            if not values:
                problems |= dict.fromkeys(counts.problems(found, lists.sizes))
            values |= found
        for name in named:
            skipped = int(np.isnan(values[name]).sum())
            if skipped and filled[name].empty == "skip":
                gone = "query has no value" if skipped == 1 else "queries have no value"
                what = f"{skipped:,} {gone} of {name} and {'is' if skipped == 1 else 'are'} left out of its mean"
                problems[Problem("skipped query", skipped, what)] = None
            values[name].flags.writeable = False
        exceptions = {name: _exceptions(each, rules_of[name], rules) for name, each in filled.items()}
        per_query = {name: values[name] for name in named}
        assert lists.query_ids is not None
        weights, categories = self.query_weights, self.categories
        if drops_missing:
            weights = None if weights is None else weights[~missing]
            categories = None if categories is None else tuple(compress(categories, ~missing))
        told = {name: each for name, each in exceptions.items() if each}
        found_problems = tuple(problems)
        return Evaluation(per_query, lists.query_ids, filled, rules, found_problems, told, weights, categories)

    def _unused_weights(self, data: RankingData) -> list[Problem]:
        found = []
        if data.weights is not None:
            what = "the data has document weights, which measures do not use: they are for losses and learners"
            found.append(Problem("unused weights", data.n_docs, what))
        if data.query_weights is not None and self.query_weights is None:
            what = (
                "the data has query weights, which the means do not use; pass query_weights=data.query_weights for that"
            )
            found.append(Problem("unused weights", data.n_queries, what))
        return found


def _seem_swapped(qrels: Qrels, answer: Run) -> bool:
    """Return whether labels look like scores, and scores like labels."""
    fractions = np.count_nonzero(qrels.labels != np.trunc(qrels.labels))
    return bool(2 * fractions > qrels.n_docs and (answer.scores == np.trunc(answer.scores)).all())


def _check_levels(qrels: SubtopicQrels, answer: Run, joined: RankingData) -> None:
    """Raise a DataError if subtopics were given for documents, and documents for subtopics."""
    if np.isnan(joined.labels).all() and (qrels.subtopic_ids.index_in(answer.doc_ids) >= 0).any():
        raise DataError(
            "the run retrieves what the judgments call subtopics: judgments by subtopic are {query: {document: "
            "{subtopic: label}}}; pass SubtopicQrels.by_subtopic(...) for {query: {subtopic: {document: label}}}"
        )


def _absent_text(absent: Mapping[str, int], n_docs: int) -> list[str]:
    """What to say of judged documents that runs do not retrieve; nothing if there are none."""
    some = {name: count for name, count in absent.items() if count}
    if not some:
        return []
    if len(some) <= 3:
        counts = listed(f"{count:,} for {name}" for name, count in some.items())
    else:
        number = " to ".join(f"{count:,}" for count in sorted({min(some.values()), max(some.values())}))
        counts = f"{number} for {share(len(some), len(absent), 'systems')}"
    return [f"of {n_docs:,} judged documents, those that a system does not retrieve come last: {counts}"]


def _scores_of_all(retrieved: Mapping[str, float], labels: Mapping[str, float]) -> Floats:
    least = min(retrieved.values(), default=0.0) - 1
    return np.array([retrieved.get(doc, least) for doc in labels], np.float64)


def values_of_lists(
    lists: Lists, missing: Booleans, filled: Mapping[str, Measure], counts: Counts | None = None
) -> dict[str, Floats]:
    """Return one value per query of each measure, and of the counts.

    Parameters
    ----------
    lists : Lists
        The documents as the convention takes them.
    missing : bool array
        Whether the run leaves a query out, one per query.
    filled : mapping of str to Measure
        The measures with every option filled in.
    counts : Counts, optional
        Counts of ties and unjudged documents, to be made in the same pass.
    """
    values: dict[str, Floats] = {}
    ties_of = {name: each.ties or "average" for name, each in filled.items()}
    for ties in dict.fromkeys(ties_of.values()):
        group: dict[str, Measure | Plan] = {name: each for name, each in filled.items() if ties_of[name] == ties}
        if counts is not None and not values:
            group |= counts.plans
        ordered, kernel_ties = in_order_of_ties(lists, ties)
        with ordered.with_locations():
            values |= _in_one_sort(ordered, group, kernel_ties)
    if missing.any():
        for name, each in filled.items():
            if each.missing_value is not None:
                values[name] = np.where(missing, _value_if_missing(lists, each, each.missing_value), values[name])
    return values


def _rules_of(measure: Measure, rules: Convention) -> Convention:
    """Return the convention for this measure, with choices about the data that it or the measure makes for it alone."""
    own = rules.for_measure(measure.label, measure.cutoff is not None)
    return replace(own, unjudged="drop") if measure.judged_only else own


def _check_missing(rules: Convention, rules_of: Mapping[str, Convention]) -> None:
    """Raise a DataError if the tool has other queries for some measures than for others."""
    by_choice = {own.missing: name for name, own in rules_of.items()}
    if len(by_choice) > 1:
        (one, first), (other, second), *_ = by_choice.items()
        raise DataError(
            f"the run has nothing for a judged query, which is missing={one!r} for {first} in {rules.name}, and "
            f"missing={other!r} for {second}: evaluate them one by one, or choose "
            f"like=convention({rules.name!r}).replace(missing=...) (--missing)"
        )


def _exceptions(measure: Measure, own: Convention, rules: Convention) -> dict[str, object]:
    """Return what differs for one measure: choices about the data, and how its values are aggregated."""
    choices: dict[str, object] = dict(own.data.items() - rules.data.items())
    return choices if measure.aggregate == "mean" else choices | {"aggregate": measure.aggregate}


def _value_if_missing(lists: Lists, filled: Measure, value: float | Literal["worst"]) -> Floats | float:
    """Return the measure's value of a missing query; NaN if a query has no value for any run."""
    found: Floats | float
    if value == "worst":
        (found,) = _in_one_sort(judged_lists(lists), {"": filled}, "worst").values()
    else:
        found = value
    if filled.empty not in ("nan", "skip"):
        return found
    (at_best,) = _in_one_sort(judged_lists(lists), {"": filled}, "stable").values()
    return np.where(np.isnan(at_best), np.nan, found)


def _in_one_sort(lists: Lists, group: Mapping[str, Measure | Plan], ties: str) -> dict[str, Floats]:
    plans: dict[str, Plan] = {}
    values: dict[str, Floats] = {}
    for name, each in group.items():
        plan = each if isinstance(each, Plan) else each.plan()
        if plan is not None:
            plans[name] = plan
        else:
            assert isinstance(each, Measure)
            values[name] = (replace(each, ties=ties) if "ties" in each.options() else each).values(lists)
    if plans:
        values |= dict(zip(plans, run(list(plans.values()), lists, ties), strict=True))
    return values

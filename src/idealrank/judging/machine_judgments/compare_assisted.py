"""Means and differences of systems from a few human judgments and many machine judgments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias, Unpack

import numpy as np

from idealrank import stats
from idealrank._core.checks import check_fraction
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, Statement, listed
from idealrank._present.printable import counted, share
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Tables, Value
from idealrank._typing import Floats, Int64s
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.problem import Problem
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import (
    Data,
    LayoutOptions,
    Measures,
    Several,
    layout_of,
    named_measures,
    naming,
)
from idealrank.io.shapes.shape import recognize
from idealrank.judging.machine_judgments.sampled_documents import (
    LabelAgreement,
    Sampled,
    WeightedRanking,
    estimate_by_document,
    label_agreement,
)
from idealrank.judging.unjudged.bounds import judgments_and_runs, labels_in
from idealrank.judging.unjudged.completions import constant_denominator
from idealrank.judging.unjudged.pool import Ranked, rules_of
from idealrank.measures import Measure, cutoffs, discounts
from idealrank.measures.conventions import Convention
from idealrank.stats.many_systems import CORRECTION_NAMES, CORRECTIONS

#: What people judged a random sample of.
SAMPLES = ("queries", "documents")
_FEWEST_QUERIES = 3
_OF_DOCUMENTS = (
    "for human judgments of some documents of each query, pass sample='documents' (--human-sample documents)"
)
#: Most differences to state in sentences.
_FEW = 5
#: Columns of what the human judgments give alone, and of what the machine judgments do.
_ALONE = ("human alone", "human low", "human high", "machine alone", "bias")
#: Columns of intervals for exactly these queries.
_THESE = ("these low", "these high")


@dataclass(frozen=True)
class AssistedEstimate(Result):
    """The mean of a system, or the difference between two systems, from human and machine judgments.

    Attributes
    ----------
    system : str
        The system.
    against : str
        The system with which it is compared; empty for the mean of one system.
    mean, low, high : float
        The estimate, and its confidence interval for new queries like these.
    these_low, these_high : float
        The confidence interval for exactly these queries, for which only human judgments are unknown. It has no width
        if there are human judgments of everything.
    human_mean, human_low, human_high : float
        The estimate and its interval for new queries from the human judgments alone.
    machine_mean : float
        The value from the machine judgments alone, which includes the bias of the machine judge.
    bias : float
        How much higher the machine values are than the human values, on the queries that people judged; or, if people
        judged documents, than the estimate.
    n_human, n : int
        The number of queries, or documents, with human judgments, and the number of all of them.
    n_equivalent : float
        The number of human judgments that would give an estimate with this variance without machine judgments.
    p_value, corrected : float
        For a difference, the p-value of the hypothesis that it is 0 for new queries, raw and corrected for all
        differences by the same measure; NaN for a mean.
    note : str
        Why the machine judgments do not count; empty if they do.

    Examples
    --------
    >>> from idealrank import compare_assisted
    >>> machine = {f"q{i}": {"a": i % 2, "b": 1 - i % 2} for i in range(12)}
    >>> human = {f"q{i}": {"a": int(i in (3, 5, 7)), "b": 1} for i in (0, 1, 2, 3, 4, 5, 6, 7)}
    >>> first, second = ({q: [d] for q in machine} for d in "ab")
    >>> found = compare_assisted(human, machine, {"first": first, "second": second}, "p@1")
    >>> found.means["p@1"][0].human_mean, found.means["p@1"][0].machine_mean, found.means["p@1"][0].n_equivalent > 8
    (0.375, 0.5, True)
    """

    system: str
    against: str
    mean: float
    low: float
    high: float
    these_low: float
    these_high: float
    human_mean: float
    human_low: float
    human_high: float
    machine_mean: float
    bias: float
    n_human: int
    n: int
    n_equivalent: float
    p_value: float = math.nan
    corrected: float = math.nan
    note: str = ""


@dataclass(frozen=True, repr=False)
class AssistedComparison(Result):
    """The result of `compare_assisted`.

    Attributes
    ----------
    systems : tuple of str
        The names of the systems.
    baseline : str or None
        The system with which all others are compared; None if all pairs are compared.
    means : mapping
        {measure: one estimate per system}.
    differences : mapping
        {measure: one estimate per comparison}.
    agreement : LabelAgreement
        The agreement between machine labels and human labels.
    n_queries : int
        The number of queries over which means are taken.
    sample : str
        The kind of random sample that people judged: "queries" or "documents".
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    these_queries : bool
        Whether tables and sentences also give the intervals for exactly these queries.
    correction : str
        The correction of the p-values for multiple comparisons.
    filled : mapping of str to Measure
        The measures with every option filled in.
    convention : Convention
        The convention.
    problems : tuple of Problem
        Problems found in the data, and how they were handled.

    Examples
    --------
    >>> from idealrank import compare_assisted
    >>> machine = {f"q{i}": {"a": i % 2, "b": 1 - i % 2} for i in range(8)}
    >>> human = {q: machine[q] for q in ("q0", "q1", "q2", "q4")}
    >>> first, second = ({q: [d] for q in machine} for d in "ab")
    >>> compare_assisted(human, machine, {"first": first, "second": second}, "p@1")
    AssistedComparison(2 systems, 4 of 8 queries with human judgments; p@1: 0 significant)
    """

    systems: tuple[str, ...]
    baseline: str | None
    means: Mapping[str, tuple[AssistedEstimate, ...]]
    differences: Mapping[str, tuple[AssistedEstimate, ...]]
    agreement: LabelAgreement
    n_queries: int
    sample: str
    level: float
    these_queries: bool
    correction: str
    filled: Mapping[str, Measure]
    convention: Convention
    problems: tuple[Problem, ...] = ()

    def significant(self, measure: str) -> tuple[AssistedEstimate, ...]:
        """Return the differences whose corrected p-value is at most ``level``: conclusions about new queries.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        tuple of AssistedEstimate
            The significant differences.
        """
        return tuple(each for each in self.differences[measure] if each.corrected <= self.level)

    def same_order(self, measure: str) -> int:
        """Return the number of differences for which the machine judgments alone have the same sign as the estimate.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        int
            The number of differences.
        """
        return sum(each.mean * each.machine_mean > 0 for each in self.differences[measure])

    def to_dict(self) -> dict[str, Plain]:
        """Return everything, with the measures as text."""
        skipped = ("filled", "convention")
        results = {name: plain(value) for name, value in vars(self).items() if name not in skipped}
        texts = {name: str(each) for name, each in self.filled.items()}
        return {**results, "measures": plain(texts), "convention": self.convention.name}

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "means of M" and "differences of M" for each measure M, and "labels" with agreement."""
        tables = {}
        for name in self.means:
            tables[f"means of {name}"] = partial(self._means, name)
            tables[f"differences of {name}"] = partial(self._differences, name)
        return Tables({**tables, "labels": lambda: self.agreement.table("labels")})

    def _means(self, measure: str) -> Table:
        columns = [Column("system", priority=-1), *self._numbers(measure, ".4f")]
        rows = [[each.system, *self._cells(each), each.n_equivalent] for each in self.means[measure]]
        return Table([*columns, Column("worth", ".0f")], rows, notes=(self._notes(),))

    def _differences(self, measure: str) -> Table:
        keys = [Column(name, priority=-1) for name in ("system", "against")]
        columns = [*keys, *self._numbers("change", "+.4f")]
        rows = [
            [each.system, each.against, *self._cells(each), each.p_value, each.corrected, each.n_equivalent]
            for each in self.differences[measure]
        ]
        more = [Column("p", "p"), Column("corrected", "p"), Column("worth", ".0f")]
        return Table([*columns, *more], rows, notes=(self._notes(),))

    def _numbers(self, first: str, spec: str) -> list[Column]:
        """Return columns, of which an estimate and its interval stay together."""
        these = _THESE if self.these_queries else ()
        groups = {first: (first, "low", "high"), _THESE[0]: these, _ALONE[0]: _ALONE[:3]}
        columns = [Column(name, spec, group=group) for group, names in groups.items() for name in names]
        return [*columns, *(Column(name, spec) for name in _ALONE[3:])]

    def _cells(self, each: AssistedEstimate) -> list[Value]:
        these = (each.these_low, each.these_high) if self.these_queries else ()
        human = each.human_mean, each.human_low, each.human_high
        return [each.mean, each.low, each.high, *these, *human, each.machine_mean, each.bias]

    def _notes(self) -> str:
        these = f"{_THESE[0]}, {_THESE[1]}: interval for exactly these queries; " if self.these_queries else ""
        return (
            f"low, high: interval for new queries; {these}bias: machine minus human; worth: how many {self.sample} "
            "with human judgments alone would give an estimate as good."
        )

    def page(self) -> Page:
        """Return what differs, how good the judge is, and how many human judgments it replaces."""
        remarks = tuple(self._remarks())
        differences = tuple(f"differences of {name}" for name in self.differences)
        names = (*(f"means of {name}" for name in self.means), *differences, "labels")
        return Page(
            f"Comparison of {len(self.systems)} systems with human and machine judgments",
            findings=tuple(self._findings()),
            summary=tuple(Section(tables={name: self.table(name)}) for name in names),
            remarks=remarks,
            sections=lambda: [Section("Result", tables=self.tables(), notes=remarks)],
            defaults={"csv": differences, "latex": names, "markdown": names},
        )

    def _findings(self) -> list[Statement]:
        sentences = []
        for name in self.differences:
            text = f"{name}: {self._verdict(name)} at level {self.level:g}: {self._shown(name)}."
            sentences.append(Statement("significant difference with machine judgments", text))
            if self.these_queries:
                shown = self._shown(name, "these_low", "these_high")
                text = f"{name}: over exactly these {counted(self.n_queries, 'query')}: {shown}."
                sentences.append(Statement("interval for exactly these queries", text))
            sentences.append(Statement("worth of machine judgments", self._worth_of_the_machine(name)))
        return [*sentences, *self.agreement.page().findings]

    def _shown(self, measure: str, low: str = "low", high: str = "high") -> str:
        """Return the first differences with their intervals."""
        differences = self.differences[measure]
        shown = [
            f"{f'{each.system} - {each.against} ' if len(differences) > 1 else ''}{each.mean:+z.4f} "
            f"({getattr(each, low):+z.4f} to {getattr(each, high):+z.4f})"
            for each in differences[:_FEW]
        ]
        return "; ".join(shown) + (f", and {len(differences) - _FEW} more" if len(differences) > _FEW else "")

    def _verdict(self, measure: str) -> str:
        """Return which systems, or how many pairs of them, differ significantly."""
        n_pairs, significant = len(self.differences[measure]), self.significant(measure)
        if n_pairs > 1:
            return f"{share(len(significant), n_pairs, 'pairs', 'differ')} significantly on new queries"
        (only,) = self.differences[measure]
        differs = "differs" if significant else "does not differ"
        return f"{only.system} {differs} significantly from {only.against} on new queries"

    def _worth_of_the_machine(self, measure: str) -> str:
        """Return how many human judgments the machine judgments replace, and whether they alone mislead."""
        differences = self.differences[measure]
        worth = float(np.median([each.n_equivalent for each in differences]))
        n_same, first = self.same_order(measure), differences[0]
        over, agree = f"median over the differences by {measure}", "agree"
        signs = share(n_same, len(differences), "differences")
        if len(differences) == 1:
            over, signs = f"for the difference by {measure}", "this difference"
            agree = "agree" if n_same else "disagree"
        judged = "All" if first.n_human == first.n else f"{first.n_human:,} of"
        return (
            f"{judged} {first.n:,} {self.sample} have human judgments; with the machine judgments, they "
            f"are worth about {worth:,.0f} ({over}). Machine judgments alone {agree} with the sign of {signs}."
        )

    def _remarks(self) -> list[str]:
        """Return the query set, the convention, notes and problems."""
        texts = listed([f"{name} = {each}" for name, each in self.filled.items()])
        estimates = [each for group in (*self.means.values(), *self.differences.values()) for each in group]
        notes = dict.fromkeys(each.note for each in estimates if each.note)
        return [
            f"means over {counted(self.n_queries, 'query')}, like {self.convention.name}; {texts}; "
            f"{1 - self.level:.0%} intervals for new queries{' and for exactly these' if self.these_queries else ''}, "
            f"if the {self.sample} with human judgments are a random sample"
            f"{' within each query' if self.sample == 'documents' else ''}; p-values for new queries by t tests, "
            f"{CORRECTION_NAMES[self.correction]}",
            *(f"Note: {note} ({share(_count(estimates, note), len(estimates), 'estimates')})" for note in notes),
            *map(str, self.problems),
        ]

    def __repr__(self) -> str:
        first = next(iter(self.means.values()))[0]
        judged = f"{first.n_human:,} of {first.n:,} {self.sample} with human judgments"
        counts = [f"{name}: {len(self.significant(name))} significant" for name in self.differences]
        return f"AssistedComparison({len(self.systems)} systems, {judged}; {'; '.join(counts)})"


def _tagged_problems(human: Iterable[Problem], machine: Iterable[Problem]) -> list[Problem]:
    """Return the problems of both kinds of judgments, each with its kind."""
    by_kind = {"human judgments": human, "machine judgments": machine}
    return [
        replace(each, message=f"{each.message} ({kind})") for kind, problems in by_kind.items() for each in problems
    ]


def _count(estimates: Sequence[AssistedEstimate], note: str) -> int:
    return sum(each.note == note for each in estimates)


def compare_assisted(
    human: Data,
    machine: Data,
    systems: Several,
    measures: Measures = ("ndcg@10",),
    *,
    baseline: str | None = None,
    like: str | Convention | None = None,
    sample: str = "queries",
    level: float = 0.05,
    these_queries: bool = False,
    correction: str = "holm",
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> AssistedComparison:
    """Compare systems with human judgments of some queries, or of some documents, and machine judgments of all.

    Means and differences are estimated from both kinds of judgments: without the bias of the machine, and with narrower
    intervals than from the human judgments alone. Intervals and p-values are about new queries like these, so that they
    are those of `compare` if there are human judgments of everything.

    Parameters
    ----------
    human : Qrels, mapping, data frame or path
        Human judgments of a random sample, as in `evaluate`.
    machine : Qrels, mapping, data frame or path
        Judgments of all queries and documents by a machine, such as a language model.
    systems : mapping or list
        The runs of two systems or more, as in `evaluate`.
    measures : str, Measure or iterable of these
        The measures.
    baseline : str, optional
        The system with which all others are compared; by default, all pairs are compared.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    sample : {"queries", "documents"}
        The kind of random sample that people judged: whole queries, or documents of every query.
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    these_queries : bool
        Whether tables and sentences also give intervals for the means over exactly these queries. They are narrower:
        only human judgments are unknown. P-values are about new queries in any case.
    correction : {"holm", "benjamini_hochberg", "bonferroni", "none"}
        The correction of the p-values of one measure for multiple comparisons.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        Column names of data frames, as in `evaluate`.

    Returns
    -------
    AssistedComparison
        Means and differences with intervals, and the agreement between human and machine labels.

    Raises
    ------
    DataError
        If there are fewer than two systems or no such baseline, too few human judgments, or none of a query or document
        that has machine judgments.
    OptionError
        If an option is unknown, or a measure cannot be estimated from a sample of documents.

    Examples
    --------
    >>> from idealrank import compare_assisted
    >>> machine = {f"q{i}": {"a": 1, "b": i % 2} for i in range(12)}
    >>> human = {f"q{i}": {"a": 1, "b": int(i == 3)} for i in range(6)}
    >>> runs = {name: {q: {name: 1.0} for q in machine} for name in "ab"}
    >>> found = compare_assisted(human, machine, runs, "p@1", baseline="b").differences["p@1"][0]
    >>> round(found.human_mean, 3), round(found.mean, 3), found.machine_mean
    (0.833, 0.833, 0.5)
    """
    check_fraction(level, "level")
    if sample not in SAMPLES:
        raise OptionError(f"sample must be one of {', '.join(SAMPLES)}, got {sample!r}")
    if correction not in (*CORRECTIONS,):
        raise OptionError(f"correction must be one of {', '.join(CORRECTIONS)}, got {correction!r}")
    laid_out = layout_of(compare_assisted, layout)
    by_human, runs = judgments_and_runs(human, systems, laid_out)
    by_machine = recognize(machine, "machine", laid_out).qrels()
    names = list(runs)
    if len(names) < 2:
        raise DataError("a comparison needs two systems or more: give {name: run}")
    if baseline is not None and baseline not in names:
        raise DataError(f"the baseline {baseline!r} is not among the systems {', '.join(map(repr, names))}")
    _check_common(by_human, by_machine)
    pairs = list(combinations(range(len(names)), 2))
    if baseline is not None:
        pairs = [(i, names.index(baseline)) for i, name in enumerate(names) if name != baseline]
    evaluator = Evaluator(by_machine, like, n_threads=n_threads)
    for name, each in evaluator.filled(measures).items():
        if each.aggregate != "mean":
            raise OptionError(f"{name} is not a mean over queries, and estimates are of means")
    both = _both_labels(by_human, by_machine)
    estimator = _by_query if sample == "queries" else _by_document
    estimate, n_queries, problems = estimator(by_human, evaluator, runs, measures, 1 - level)
    means, differences = {}, {}
    for measure in named_measures(measures):
        means[measure] = tuple(
            AssistedEstimate(name, "", **{**estimate(measure, place, None), "p_value": math.nan})
            for place, name in enumerate(names)
        )
        tested = [AssistedEstimate(names[i], names[j], **estimate(measure, i, j)) for i, j in pairs]
        corrected = CORRECTIONS[correction]([each.p_value for each in tested]).tolist()
        differences[measure] = tuple(
            replace(each, corrected=float(p)) for each, p in zip(tested, corrected, strict=True)
        )
    return AssistedComparison(
        tuple(names),
        baseline,
        means,
        differences,
        label_agreement(*both),
        n_queries,
        sample,
        level,
        these_queries,
        correction,
        evaluator.filled(measures),
        evaluator.convention,
        tuple(dict.fromkeys((*by_human.problems, *by_machine.problems, *problems))),
    )


def _check_common(human: Qrels, machine: Qrels) -> None:
    """Raise a DataError if there is nothing to learn the judge's bias from."""
    for table, what in ((human, "human"), (machine, "machine")):
        if table.n_docs == 0:
            raise DataError(f"there are no {what} judgments: without them, the bias of the judge is unknown")
    if (human.query_ids.index_in(machine.query_ids) < 0).all():
        raise DataError(
            "human and machine judgments have no query in common: the first query with human judgments is "
            f"{human.query_ids[0]!r}, the first with machine judgments is {machine.query_ids[0]!r}"
        )


def _both_labels(human: Qrels, machine: Qrels) -> tuple[Floats, Floats]:
    """Return human and machine labels of the documents that have both."""
    data = join(machine, Run.from_flat(human.query_ids, human.offsets, human.doc_ids, human.labels))
    assert data.scores is not None
    both = ~np.isnan(data.labels)
    return data.scores[both], data.labels[both]


#: The names of the numbers of an estimate, without the corrected p-value.
_NUMBERS = tuple(each.name for each in fields(AssistedEstimate))[2:-2]
#: Returns the fields of an estimate: of a measure, a system, and the system with which it is compared, if any.
_Estimator: TypeAlias = Callable[[str, int, int | None], dict[str, Any]]


def _by_query(
    human: Qrels, by_machine: Evaluator, runs: Mapping[str, Run], measures: Measures, level: float
) -> tuple[_Estimator, int, tuple[Problem, ...]]:
    """Evaluate all systems with the human and with the machine judgments."""
    machine = by_machine.judged
    assert isinstance(machine, Qrels)
    guessed = by_machine.evaluate_all(runs.items(), measures)
    by_human = Evaluator(human, by_machine.convention, n_threads=by_machine.n_threads)
    judged = by_human.evaluate_all(runs.items(), measures)
    first, other = next(iter(guessed.values())), next(iter(judged.values()))
    places = Ids.of(other.query_ids).index_in(Ids.of(first.query_ids))
    problems = _tagged_problems(judged.problems, guessed.problems)
    absent = int((places < 0).sum())
    if absent:
        what = f"{absent:,} queries with human judgments have no machine judgments and are left out"
        problems.append(Problem("query without machine judgments", absent, what))
    known = places[places >= 0]
    if known.size < _FEWEST_QUERIES:
        raise DataError(
            f"at least {_FEWEST_QUERIES} queries need both human and machine judgments, got {known.size}; "
            f"{_OF_DOCUMENTS}"
        )
    filled = by_machine.filled(measures)
    values: dict[str, Floats] = {}
    guesses: dict[str, Floats] = {}
    for measure in first.per_query:
        guesses[measure] = np.stack([each.per_query[measure] for each in guessed.values()], axis=1)
        values[measure] = np.full_like(guesses[measure], math.nan)
        own = np.stack([each.per_query[measure] for each in judged.values()], axis=1)
        values[measure][known] = own[places >= 0]
    note = _OF_DOCUMENTS if known.size == first.n_queries and machine.n_docs > human.n_docs else ""

    def estimate(measure: str, system: int, against: int | None) -> dict[str, Any]:
        own, guess = (
            each[measure][:, system] - (0.0 if against is None else each[measure][:, against])
            for each in (values, guesses)
        )
        counted = ~np.isnan(guess)  # excludes queries that a measure skips
        limits = filled[measure].value_range
        result = stats.prediction_powered(
            own[counted], guess[counted], level=level, value_range=limits, is_difference=against is not None
        )
        notes = "; ".join(filter(None, (result.note, note)))
        return {**{name: getattr(result, name) for name in _NUMBERS}, "note": notes}

    return estimate, first.n_queries, tuple(problems)


def _by_document(
    human: Qrels, by_machine: Evaluator, runs: Mapping[str, Run], measures: Measures, level: float
) -> tuple[_Estimator, int, tuple[Problem, ...]]:
    """Estimate sums over documents and their ratios to ideal sums."""
    machine, n_threads = by_machine.judged, by_machine.n_threads
    assert isinstance(machine, Qrels)
    numbered = Qrels.from_flat(machine.query_ids, machine.offsets, machine.doc_ids, np.arange(machine.n_docs))
    labels, problems = _human_labels(human, machine, numbered)
    known = ~np.isnan(labels)
    guessed = by_machine.evaluate_all(runs.items(), measures)
    problems += guessed.problems
    if guessed.n_queries < machine.n_queries:
        raise DataError(
            f"a sample of documents needs systems with results for all {machine.n_queries:,} queries that have machine "
            f"judgments, got {guessed.n_queries:,}; choose a convention that counts missing queries as 0, or leave "
            "these queries out of the judgments"
        )
    estimates, machine_means, filled = {}, {}, by_machine.filled(measures)
    for name, measure in named_measures(measures).items():
        rules = rules_of(measure, by_machine.convention, labels_in(human, None))
        plan = rules.plan
        depth_is_known = plan.cutoff is None or isinstance(plan.cutoff, cutoffs.Rank)
        is_sum = plan.reduction == "sum" and not isinstance(plan.discount, discounts.Linear)
        is_ratio = plan.denominator == "ideal" and not plan.ideal_retrieved
        if not (is_sum and depth_is_known and (is_ratio or plan.denominator in ("none", "cutoff", "full"))):
            raise OptionError(
                f"{name} cannot be estimated from human labels of some documents of each query; DCG, NDCG, P and RBP "
                "can, with a cutoff that is a number or none"
            )
        gains = np.where(known, rules.gains(labels), math.nan)
        if not (gains > 0).any():
            raise DataError(f"no human label has a gain by {name}: nothing can be estimated from the sample")
        sampled = Sampled.of(machine.offsets, gains, machine.labels)
        n_docs = np.diff(machine.offsets)
        rankings, divisors = [], None
        for system, run in runs.items():
            with naming(system):
                ranked = Ranked.of(numbered, run, rules, n_threads)
            depths = ranked.depths(rules, np.zeros(n_docs.size, np.int64))
            places = np.nan_to_num(ranked.data.labels[ranked.places], nan=-1).astype(np.int64)
            rankings.append(WeightedRanking(places, ranked.weights(rules, depths)))
            if not is_ratio and divisors is None:
                divisors = constant_denominator(ranked, rules, depths)
        deepest = n_docs if plan.cutoff is None else np.minimum(depths, n_docs)
        weights = plan.discount.weights(int(deepest.max()))
        estimates[name] = (
            estimate_by_document(sampled, rankings, divisors, weights, deepest),
            estimate_by_document(sampled.without_machine(), rankings, divisors, weights, deepest),
        )
        machine_means[name] = np.array([each.mean[name] for each in guessed.values()])
    n, total = int(known.sum()), machine.n_docs
    note = "every document has a human label: machine labels are not needed" if n == total else ""

    def estimate(measure: str, system: int, against: int | None) -> dict[str, Any]:
        limits = filled[measure].value_range
        both, alone = (each.contrast(system, against, limits) for each in estimates[measure])
        guess = float(machine_means[measure][system] - (0.0 if against is None else machine_means[measure][against]))
        worth = float(n)
        if both.open_variance > 0 and alone.open_variance > 0:
            worth = 1 / (both.open_variance / alone.open_variance * (1 / n - 1 / total) + 1 / total)
        numbers = (
            both.mean, *both.interval(level), *both.these_interval(level), alone.mean, *alone.interval(level),
            guess, guess - both.mean, n, total, worth, both.p_value(),
        )  # fmt: skip
        return {**dict(zip(_NUMBERS, numbers, strict=True)), "note": note}

    return estimate, machine.n_queries, problems


def _human_labels(human: Qrels, machine: Qrels, numbered: Qrels) -> tuple[Floats, tuple[Problem, ...]]:
    """Return the human label of each document with a machine label; NaN if it has none."""
    data = join(numbered, Run.from_flat(human.query_ids, human.offsets, human.doc_ids, human.labels))
    assert data.scores is not None
    inside = ~np.isnan(data.labels)
    labels = np.full(machine.n_docs, math.nan)
    labels[data.labels[inside].astype(np.int64)] = data.scores[inside]
    problems: tuple[Problem, ...] = ()
    outside = human.n_docs - int(inside.sum())
    if outside:
        what = f"{outside:,} documents with human labels have no machine label and are left out"
        problems = (Problem("document without machine label", outside, what),)
    sizes = np.diff(machine.offsets)
    counts: Int64s = np.add.reduceat(np.append(~np.isnan(labels), False), machine.offsets[:-1])
    counts = np.where(sizes > 0, counts, 0)
    few = np.flatnonzero((counts < 2) & (counts < sizes) | (sizes == 0))
    if few.size:
        raise DataError(
            f"each query needs human labels of 2 documents or more, and {few.size:,} have fewer, got {counts[few[0]]}; "
            "leave these queries out of the machine judgments, or pass sample='queries' if people judged all "
            "documents of some queries",
            query=machine.query_ids[int(few[0])],
        )
    if machine.n_queries < _FEWEST_QUERIES:
        raise DataError(f"{_FEWEST_QUERIES} queries or more are needed, got {machine.n_queries}")
    return labels, problems

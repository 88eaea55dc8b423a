"""The result of `gate`: a verdict per measure and in all, and what this many queries can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from idealrank._present.json_values import Plain, number, plain
from idealrank._present.page import Page, Section, Statement, listed
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Tables, Value
from idealrank._typing import Floats
from idealrank.comparison.gating.saved_baseline import some_queries
from idealrank.data.problem import Problem
from idealrank.evaluation.data_quality import quality_section
from idealrank.evaluation.evaluation_base import changes_text, convention_options
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.stats.non_inferiority import FEWEST_QUERIES, GateVerdict, NonInferiority

__all__ = ["Gate", "GatedMeasure", "UnjudgedEffect"]

#: The power of the smallest drop that is printed.
POWER = 0.8
_N_DROPS = 5
_STATUS = {"pass": 0, "fail": 1, "inconclusive": 2}
_COLUMNS = (
    "change: candidate - baseline; low, high: one-sided bounds of it. pass: low is above -margin; fail: high is below "
    "0 and low is not above -margin; the other way round where lower is better"
)


@dataclass(frozen=True)
class UnjudgedEffect:
    """What unjudged documents could change in a measure that fails.

    Attributes
    ----------
    highest : float
        The largest change of the mean over all labels that unjudged documents could have.
    is_exact : bool
        Whether some labels reach it. If False, it is a bound; or, if the values of the baseline are saved ones, that of
        the candidate alone.
    n_documents : int
        The number of unjudged documents that can change it.
    first : tuple of (str, str)
        Query and document of those with the largest effect, to judge first; empty if they are not known.

    Examples
    --------
    >>> from idealrank.comparison.gating.gate_result import UnjudgedEffect
    >>> UnjudgedEffect(0.03, True, 1, (("q1", "d7"),)).first[0]
    ('q1', 'd7')
    """

    highest: float
    is_exact: bool
    n_documents: int
    first: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class GatedMeasure:
    """The verdict by one measure, over all queries or over those of a category.

    Attributes
    ----------
    measure : str
        The measure, as given.
    category : str
        The category of queries; empty for all queries.
    baseline, candidate : float
        The means.
    change : float
        The mean of the candidate minus the mean of the baseline.
    low, high : float
        Bounds of the true change: one-sided, as in `NonInferiority`.
    margin : float
        The largest drop that does not matter, in units of the measure.
    test : NonInferiority
        The test behind the verdict, of values of which higher ones are better.
    drops : tuple of (str, float)
        The queries that became worse most, with their changes.
    unjudged : UnjudgedEffect or None
        What unjudged documents could change, if the measure fails and they could.
    largest_change : float
        The width of the range of the measure.

    Examples
    --------
    >>> from idealrank import gate
    >>> good = {f"q{i}": {"a"} for i in range(8)}
    >>> found = gate(good, {query: ["b", "a"] for query in good}, {query: ["a", "b"] for query in good}, "rr")
    >>> found.measures[0].change, found.measures[0].verdict
    (-0.5, 'fail')
    """

    measure: str
    category: str
    baseline: float
    candidate: float
    change: float
    low: float
    high: float
    margin: float
    test: NonInferiority
    drops: tuple[tuple[str, float], ...] = ()
    unjudged: UnjudgedEffect | None = None
    largest_change: float = math.inf

    @property
    def verdict(self) -> GateVerdict:
        """The verdict: "pass", "fail" or "inconclusive"."""
        return self.test.verdict

    @property
    def name(self) -> str:
        """The measure, and the category if there is one."""
        return f"{self.measure} ({self.category})" if self.category else self.measure

    @property
    def is_unchanged(self) -> bool:
        """Whether the candidate has the value of the baseline on every query."""
        return self.test.sd == 0 and self.change == 0 and not self.test.error.variance

    @property
    def smallest_drop(self) -> float:
        """The smallest true drop that this many queries find with 80% power; infinite if none is found."""
        return self._possible(self.test.smallest_drop(POWER))

    @property
    def smallest_drop_range(self) -> tuple[float, float]:
        """The smallest drop if the variances are as low, and as high, as the sample allows."""
        low, high = self.test.smallest_drop_range(POWER)
        return self._possible(low), self._possible(high)

    def _possible(self, drop: float) -> float:
        return math.inf if drop > self.largest_change else drop

    def statement(self) -> Statement:
        """Return the verdict in a sentence.

        Returns
        -------
        Statement
        """
        n = self.test.n_queries
        start = f"{self.name}: {self.verdict}."
        change, margin = number(self.change, "+z.4f"), f"{self.margin:.4g}"
        confidence = _percent(1 - self.test.level)
        if n < FEWEST_QUERIES:
            few = f"{start} {counted(n, 'query')} cannot show anything: a verdict needs {FEWEST_QUERIES} or more."
            return Statement("gate: too few queries", few)
        if self.is_unchanged and self.verdict == "pass":
            share = _percent(1 - self.test.level ** (1 / n))
            same = f"Candidate and baseline have the same value on all {n:,} queries"
            bound = f"with {confidence} confidence, at most {share} of such queries differ"
            return Statement("gate: unchanged", f"{start} {same}; {bound}.")
        if self.verdict == "pass":
            within = f"The mean is worse by less than the margin of {margin} with {confidence} confidence"
            return Statement("gate: within the margin", f"{start} {within} (change {change}).")
        if self.verdict == "fail":
            p = "< 0.0001" if self.test.p_worse < 0.0001 else f"= {self.test.p_worse:.4f}"
            worse = f"The mean is worse than the baseline's (change {change}, p {p})"
            text = f"{start} {worse}, and the drop is not shown to be below the margin of {margin}."
            return Statement("gate: worse than the baseline", text)
        middle = f"The true change may be from {self.low:+z.4f} to {self.high:+z.4f} (measured: {change})"
        text = f"{start} {middle}: this excludes neither no change nor a drop of the margin, {margin}."
        return Statement("gate: not decided", text)

    def power_statement(self) -> Statement | None:
        """Return how large a drop must be to be found, in a sentence; None if this is not known.

        Returns
        -------
        Statement or None
        """
        drop = self.smallest_drop
        if math.isnan(drop):
            return None
        twice = self.test.chances(2 * self.margin)[1]
        which = "no true drop, however large," if drop == math.inf else f"a true drop of {drop:.4f}"
        found = f"{counted(self.test.n_queries, 'query')} find {which} with {_percent(POWER)} power"
        text = f"{self.name}: {found}, and one of twice the margin with {_percent(twice)}."
        low, high = self.smallest_drop_range if self.test.runs else (drop, drop)  # of few runs, badly known
        if low < high:
            bounds = f"{low:.4f} or more" if high == math.inf else f"from {low:.4f} to {high:.4f}"
            text += f" Few runs leave this open: the first may be {bounds}."
        return Statement("gate: smallest drop found", text)

    def needed_statement(self) -> Statement | None:
        """Return how many queries an unchanged mean needs to pass; None unless it is inconclusive and this is known.

        Returns
        -------
        Statement or None
        """
        chance, _ = self.test.chances(0.0)
        if self.verdict != "inconclusive" or not chance < POWER:  # or NaN
            return None
        needed = self.test.queries_to_pass(POWER)
        if needed is None:  # runs differ too much
            return None
        text = f"{self.name}: if the true mean is the same, the gate passes with {_percent(chance)} probability"
        return Statement("gate: queries to pass", f"{text}; {needed:,} queries would make it {_percent(POWER)}.")

    def runs_statement(self) -> Statement | None:
        """Return whether more queries or more runs would help more; None unless a system has several runs.

        Returns
        -------
        Statement or None
        """
        return self.test.error.statement(f"{self.name}, candidate - baseline") if self.test.runs else None

    def unjudged_statement(self) -> Statement | None:
        """Return whether the measure fails only because of unjudged documents; None if it fails without them too.

        Returns
        -------
        Statement or None
        """
        if self.unjudged is None:
            return None
        documents = counted(self.unjudged.n_documents, "unjudged document")
        why = f"fails only because {documents} count as not relevant: with other labels the change could be"
        if not self.unjudged.is_exact:
            why = f"may fail only because {documents} count as not relevant: with other labels the change might be"
        first = ", ".join(f"{query} {document}" for query, document in self.unjudged.first)
        advice = f" Judge these first: {first}." if first else ""
        text = f"{self.name}: {why} {self.unjudged.highest:+z.4f}.{advice}"
        return Statement("gate: unjudged documents", text)


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The result of `gate`.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive"}
        "fail" if a measure fails, over all queries or in a category; "pass" if all measures pass over all queries;
        otherwise "inconclusive".
    measures : tuple of GatedMeasure
        One per measure, and one per measure and category.
    query_ids : tuple of str
        The queries that were compared.
    values : mapping of str to array
        {measure as given: float64 array of shape (n_queries, 2)}: candidate and baseline, means over their runs.
    added, removed : tuple of str
        Queries that only the candidate, or only the baseline, has; they were left out.
    level : float
        The significance level.
    evaluation : Evaluation
        The evaluation of the candidate on the compared queries.
    baseline_version : str
        The version of idealrank that computed the values of the baseline.

    Examples
    --------
    >>> import idealrank as ir
    >>> qrels, runs = ir.datasets.search_runs(50)
    >>> found = ir.gate(qrels, runs["bm25"], runs["hybrid"], "ndcg@10")
    >>> found.verdict, found.exit_status
    ('fail', 1)
    """

    verdict: GateVerdict
    measures: tuple[GatedMeasure, ...]
    query_ids: tuple[str, ...]
    values: Mapping[str, Floats]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    level: float
    evaluation: Evaluation
    baseline_version: str

    @property
    def n_queries(self) -> int:
        """The number of queries that were compared."""
        return len(self.query_ids)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems found in the data of the candidate."""
        return self.evaluation.problems

    @property
    def exit_status(self) -> int:
        """The exit status of ``idealrank gate``: 0 for pass, 1 for fail, 2 for inconclusive."""
        return _STATUS[self.verdict]

    def to_dict(self) -> dict[str, Plain]:
        """Return the verdicts with their numbers, the findings, and the per-query values."""
        from idealrank import __version__

        return {
            "idealrank": __version__,
            "baseline_idealrank": self.baseline_version,
            "verdict": self.verdict,
            "exit_status": self.exit_status,
            "level": self.level,
            "n_queries": self.n_queries,
            "measures": [self._row_dict(each) for each in self.measures],
            "findings": [str(each) for each in self.page().findings],
            "added": plain(self.added),
            "removed": plain(self.removed),
            "conventions": plain(self.evaluation.conventions),
            "query_ids": plain(self.query_ids),
            "per_query": {
                name: {"candidate": plain(values[:, 0]), "baseline": plain(values[:, 1])}
                for name, values in self.values.items()
            },
            "problems": plain(self.problems),
        }

    def _row_dict(self, row: GatedMeasure) -> dict[str, Plain]:
        names = ("measure", "category", "verdict", "baseline", "candidate", "change", "low", "high", "margin")
        return {
            **{name: plain(getattr(row, name)) for name in names},
            "n_queries": row.test.n_queries,
            "p_within": row.test.p_within,
            "p_worse": row.test.p_worse,
            "smallest_drop": row.smallest_drop,
            "power_at_twice_the_margin": row.test.chances(2 * row.margin)[1],
            "pass_if_unchanged": row.test.chances(0.0)[0],
            **(self._runs_dict(row) if row.test.runs else {}),
            "drops": [{"query": query, "change": change} for query, change in row.drops],
            **({} if row.unjudged is None else {"unjudged": plain(row.unjudged)}),
        }

    def _runs_dict(self, row: GatedMeasure) -> dict[str, Plain]:
        return {"smallest_drop_range": plain(row.smallest_drop_range), "variance_components": plain(row.test.runs)}

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "measures", with a row per verdict, and "queries", with the values of each query."""
        return Tables({"measures": self._measures_table, "queries": self._queries_table})

    def _measures_table(self) -> Table:
        has_categories = any(each.category for each in self.measures)
        category = [Column("category")] if has_categories else []
        columns = [
            Column("measure"),
            *category,
            Column("verdict", priority=-1),
            Column("queries", ",", 2),
            Column("baseline", ".4f", 1),
            Column("candidate", ".4f", 1),
            *(Column(name, "+.4f") for name in ("change", "low", "high")),
            Column("margin", ".4f"),
            Column("finds", ".4f", 1),
        ]
        rows: list[list[Value]] = []
        for each in self.measures:
            of = [each.category or "all"] if has_categories else []
            numbers = each.baseline, each.candidate, each.change, each.low, each.high, each.margin, each.smallest_drop
            rows.append([each.measure, *of, each.verdict, each.test.n_queries, *numbers])
        finds = f"finds: the smallest true drop that is found with {_percent(POWER)} power"
        return Table(columns, rows, notes=(f"{_COLUMNS}; {finds}.",))

    def _queries_table(self) -> Table:
        columns = [Column("measure"), Column("qid"), *(Column(name, ".4f") for name in ("candidate", "baseline"))]
        rows: list[list[Value]] = [
            [name, query, *pair, pair[0] - pair[1]]
            for name, values in self.values.items()
            for query, pair in zip(self.query_ids, values.tolist(), strict=True)
        ]
        return Table([*columns, Column("change", "+.4f")], rows)

    def page(self) -> Page:
        """Return the verdicts, what this many queries can show, and the numbers behind both."""
        drops = tuple(
            f"{each.name}, largest drops: {changes_text(each.drops)}"
            for each in self.measures
            if each.drops and each.verdict != "pass"
        )
        remarks, options = tuple(self._remarks()), tuple(convention_options(self.evaluation.conventions))
        return Page(
            f"Gate: {self.verdict}",
            f"{counted(self.n_queries, 'query')}; {', '.join(self.values)}; like {self.evaluation.convention.name}",
            findings=tuple(self._findings()),
            summary=(Section(tables={"measures": self.table("measures")}), Section(notes=drops)),
            remarks=remarks,
            options=options,
            sections=lambda: [
                Section("Measures", tables={"measures": self.table("measures")}, notes=(*drops, *remarks, *options)),
                Section("Query by query", tables={"queries": self.table("queries")}, folded={"queries": "All queries"}),
            ],
            provenance={"level": f"{self.level:g}", "baseline by idealrank": self.baseline_version},
            quality=quality_section(Evaluations({"candidate": self.evaluation}), "system"),
        )

    def _findings(self) -> Iterator[Statement]:
        """Yield the verdict in all, then per measure, then what this many queries can show."""
        yield Statement("gate: overall", f"{self.verdict.upper()}: {self._reason()}.")
        over_all = [each for each in self.measures if not each.category]
        yield from (each.statement() for each in self.measures if not each.category or each.verdict == "fail")
        about = (
            GatedMeasure.unjudged_statement,
            GatedMeasure.power_statement,
            GatedMeasure.needed_statement,
            GatedMeasure.runs_statement,
        )
        yield from (said for make in about for each in over_all if (said := make(each)) is not None)
        for queries, where in ((self.added, "the baseline"), (self.removed, "the candidate")):
            if queries:
                text = f"Not in {where}, and therefore left out: {some_queries(queries)}."
                yield Statement("gate: queries left out", text)

    def _reason(self) -> str:
        failed = [each.name for each in self.measures if each.verdict == "fail"]
        if failed:
            return f"{listed(failed)} {'is' if len(failed) == 1 else 'are'} worse than the baseline"
        if self.verdict == "pass":
            return "no measure is worse than the baseline by its margin or more"
        undecided = [each.name for each in self.measures if each.verdict == "inconclusive" and not each.category]
        return f"{counted(self.n_queries, 'query')} do not show whether {listed(undecided)} dropped"

    def _remarks(self) -> Iterator[str]:
        """Yield what the margins mean, how the verdicts were found, and how the values were computed."""
        for each in self.measures:
            if not each.category:
                sign = 1 if self.evaluation.filled[each.measure].lower_is_better else -1
                least = each.baseline + sign * each.margin
                yield (
                    f"margin of {each.measure}: the mean may go from {each.baseline:.4f} to {least:.4f} "
                    f"({each.margin / abs(each.baseline):.1%} of it)"
                )
        n_tests = self.measures[0].test.n_tests
        corrected = f", corrected for {n_tests:,} tests that could fail (Bonferroni)" if n_tests > 1 else ""
        yield f"one-sided paired t tests over {counted(self.n_queries, 'query')}, level {self.level:g}{corrected}"
        if runs := self.measures[0].test.runs:
            many = " and ".join(f"{each.n_runs:,}" for each in runs)
            yield f"several runs of a system ({many}): verdicts and bounds are about new queries and new runs"
        yield f"like {self.evaluation.convention.title}"

    def to_junit(self) -> str:
        """Return the verdicts as JUnit XML, which continuous integration shows as tests: inconclusive is skipped.

        Returns
        -------
        str
            One test suite with a test case per measure and category.
        """
        from idealrank.comparison.gating.junit import Case, junit_xml  # imports urllib

        details = str(self)
        cases = [Case(each.name, each.verdict, str(each.statement()), details) for each in self.measures]
        return junit_xml("idealrank gate", cases)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{each.name} {each.verdict}" for each in self.measures)
        return f"Gate({self.verdict}: {verdicts}; {counted(self.n_queries, 'query')})"


def largest_drops(values: Floats, gains: Floats, query_ids: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Return the queries that became worse most, with their changes (candidate - baseline, in the measure's units)."""
    order = np.argsort(gains, kind="stable")[:_N_DROPS]
    return tuple((query_ids[place], float(values[place])) for place in order.tolist() if gains[place] < 0)


def _percent(share: float) -> str:
    """Return a percentage that is not rounded to 0 or 100."""
    text = f"{100 * share:.0f}%" if 0.01 <= share <= 0.99 else f"{100 * share:.2g}%"
    return "more than 99.9%" if share > 0.999 else text if share <= 0.99 else f"{100 * share:.1f}%"

"""The common base of evaluations, comparisons and explanations: one value per query, measure and system."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from idealrank._present.page import Page, Section, Statement, listed
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.system_scores import MeasureScores, Scores
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.data_quality import quality_section, quality_tables
from idealrank.evaluation.top_documents import top_documents
from idealrank.measures.choice_words import choice_title, choice_value
from idealrank.measures.measure_base import Measure
from idealrank.stats import Interval
from idealrank.stats.replicated import ReplicatedMoments

if TYPE_CHECKING:
    from idealrank.evaluation.evaluation_result import Evaluations

#: The confidence level and the method of the intervals of means, unless others are chosen.
INTERVAL_LEVEL, INTERVAL_METHOD = 0.95, "score"
#: What intervals and tests of systems with several runs are about.
RUNS_ARE_NEW = (
    "score and t intervals and t tests are about new queries and new runs of the same systems, other intervals and "
    "tests about new queries with these runs alone"
)
_OF_RUNS = (
    "sd: standard deviations of the values of a system between queries, between runs, and of the interaction of both; "
    "error: standard error of the mean for new queries and new runs; error of these runs: for new queries with these "
    "runs alone."
)
#: Longer tables are closed at first; the first table of a section may be longer.
_MANY, _MANY_IN_FIRST = 10, 25
_METHODS = {
    "score": "the score method",
    "t": "Student's t",
    "percentile": "the percentile bootstrap",
    "bca": "the BCa bootstrap",
}


class Measured(Result):
    """A result with one value per query, measure and system: the common base of evaluations and comparisons."""

    _row_name: ClassVar[str] = "system"
    _has_best: ClassVar[bool] = True

    def by_system(self) -> Evaluations:
        """Return the evaluations by system, or by convention for an explanation; an unnamed one is "system"."""
        raise NotImplementedError

    def measure_names(self) -> list[str]:
        """Return the names of the measures, as given."""
        return list(next(iter(self.by_system().values())).per_query)

    def one_measure(self, name: str | None) -> str:
        """Return the named measure, or the first one."""
        known = self.measure_names()
        if name is not None and name not in known:
            raise DataError(f"the result has no measure {name!r}, it has {', '.join(map(repr, known))}")
        return known[0] if name is None else name

    def ranked(self) -> list[str]:
        """Return the systems sorted by their means of the first measure, best first; those without a mean come last."""
        evaluations, first = self.by_system(), self.measure_names()[0]
        sign = 1.0 if evaluations.lower_is_better(first) else -1.0
        means = {name: sign * each.mean[first] for name, each in evaluations.items()}
        return sorted(means, key=lambda name: (means[name] != means[name], means[name]))

    def intervals(self, measure: str) -> dict[str, Interval]:
        """Return {system: its mean by this measure, with its interval}."""
        return {name: evaluation.mean_interval(measure) for name, evaluation in self.by_system().items()}

    def _about(self) -> str:
        """Return the number of queries, the measures and the conventions."""
        measures = ", ".join(self.measure_names())
        facts = {name: each.queries_text() for name, each in self.by_system().items()}
        conventions = dict.fromkeys(each.convention.name for each in self.by_system().values())
        if len(set(facts.values())) == 1:
            return f"{next(iter(facts.values()))}; {measures}; like {', '.join(conventions)}"
        return f"{measures}; {'; '.join(f'like {name}: {queries}' for name, queries in facts.items())}"

    def basis(self) -> str:
        """Return the number of queries and the convention in a few words, for the label of a figure."""
        evaluations = self.by_system().values()
        queries = " or ".join(dict.fromkeys(each.queries_text() for each in evaluations))
        conventions = dict.fromkeys(each.convention.name for each in evaluations)
        return f"{queries}, like {next(iter(conventions))}" if len(conventions) == 1 else queries

    def _remarks(self) -> list[str]:
        """Return the number of queries, the convention, and how systems with several runs are treated."""
        first = next(iter(self.by_system().values()))
        over = f"means over {first.queries_text()}{first.skipped_text()}, like {first.convention.title}"
        return [over, *self._runs_remarks()]

    def _runs_remarks(self) -> list[str]:
        """Return how systems with several runs are treated; nothing without such systems."""
        several = [f"{counted(each.n_runs, 'run')} of {name}" for name, each in self.by_system().items() if each.runs]
        return [f"{listed(several)}: values of queries are means over runs; {RUNS_ARE_NEW}"] if several else []

    def _runs_statements(self) -> list[Statement]:
        """Return for each system with several runs whether more queries or more runs would help more."""
        said = [
            moments.error.statement(name if system == "system" else f"{name} of {system}")
            for system, each in self.by_system().items()
            for name, moments in each.moments.items()
            if isinstance(moments, ReplicatedMoments) and moments.error is not None
        ]
        return [each for each in said if each is not None]

    def _runs_tables(self) -> dict[str, Callable[[], Table]]:
        """Return the table "runs" if a system has several runs that tell their variance."""
        rows: list[list[Value]] = []
        for system, evaluation in self.by_system().items():
            for name in evaluation.runs:
                for each in evaluation.variance_components(name):
                    deviations = (part**0.5 for part in (each.queries, each.runs, each.interaction))
                    errors = each.standard_error, each.standard_error_of_these_runs
                    rows.append([system, name, each.n_runs, *deviations, *errors])
        names = {"sd queries": 1, "sd runs": 1, "sd interaction": 2, "error": 0, "error of these runs": 1}
        numbers = (Column(name, ".4f", priority) for name, priority in names.items())
        columns = [Column("system", priority=-1), Column("measure"), Column("runs", ","), *numbers]
        return {"runs": lambda: Table(columns, rows, notes=(_OF_RUNS,))} if rows else {}

    def _category_sections(self) -> list[Section]:
        evaluations = self.by_system()
        if not evaluations.has_categories:
            return []
        tables = {"Means by category of queries, with their intervals": evaluations.table_of_categories(interval=True)}
        return [Section("By category", "categories", tables=tables)]

    def _leaderboard(self) -> Section:
        title = "Leaderboard" if self._has_best else "Means"
        return Section(title, "leaderboard", views={"leaderboard": self.scores})

    def _figures(self) -> Section:
        return Section("Figures", "figures", views={"figures": self.scores})

    def scores(self) -> Scores:
        """Return the values of all systems on all queries, with their means, as a page shows them."""
        evaluations = self.by_system()
        places = {query: place for place, query in enumerate(evaluations.all_query_ids())}
        rows = [[places[str(query)] for query in each.query_ids.tolist()] for each in evaluations.values()]
        measures = {}
        for name in self.measure_names():
            values = np.full((len(evaluations), len(places)), np.nan)
            for own, places_of_own, evaluation in zip(values, rows, evaluations.values(), strict=True):
                own[places_of_own] = evaluation.per_query[name]
            found = self.intervals(name).values()
            means = np.array([[each.mean, each.low, each.high] for each in found])
            pairs = {} if (tested := self._pairs(name)) is None else {"pairs": tested}
            measures[name] = MeasureScores(values, means, evaluations.lower_is_better(name), **pairs)
        kind, said = self._row_name, interval_remark(found)
        return Scores(list(evaluations), list(places), measures, self.basis(), said, kind, self._has_best)

    def _pairs(self, measure: str) -> Floats | None:
        """Return the compared pairs, with the columns `PAIR_COLUMNS`."""
        return None

    def cutoff_sections(self) -> list[Section]:
        """Return the means of measures that were evaluated at several cutoffs."""
        curves = self._at_cutoffs().by_cutoff()
        tables = {f"{family} by cutoff": _curves_table(systems, self._row_name) for family, systems in curves.items()}
        folded = {caption: f"{caption}: the numbers" for caption in tables}
        views = {"curves": lambda: (self.basis(), curves)}
        return [Section("By cutoff", "curves", tables=tables, folded=folded, views=views)] if curves else []

    def _at_cutoffs(self) -> Evaluations:
        """Return the evaluations at several cutoffs that were made for a report, or else the evaluations themselves."""
        evaluations = self.by_system()
        kept = {name: each.details.curves for name, each in evaluations.items() if each.details is not None}
        curves = {name: each for name, each in kept.items() if each is not None}
        return type(evaluations)(curves) if len(curves) == len(evaluations) else evaluations

    def _printed(self) -> Sequence[str]:
        """Return the names of the tables to print."""
        return ()

    def page(self) -> Page:
        """Return the means, how they were computed, and the sections of a report."""
        evaluations, names = self.by_system(), tuple(self._printed())
        return Page(
            self._title(),
            self._about(),
            findings=tuple(self._runs_statements()),
            summary=tuple(Section(tables={name: self.table(name)}) for name in names),
            remarks=tuple(self._remarks()),
            options=tuple(convention_options(next(iter(evaluations.values())).conventions)),
            sections=lambda: [
                self._leaderboard(),
                self._figures(),
                *self._category_sections(),
                *self.cutoff_sections(),
                *self.background(),
            ],
            quality=quality_section(evaluations, self._row_name),
            defaults={"frame": ("queries",), "markdown": names, "html": names},
        )

    def _title(self) -> str:
        """Return the mean of one system, or which of several is best, by the first measure."""
        means = {name: next(iter(each.mean.items()), ("", math.nan)) for name, each in self.by_system().items()}
        measure, mean = next(iter(means.values()), ("", math.nan))
        if len(means) == 1:
            return "Evaluation of one system" if math.isnan(mean) else f"Mean {measure}: {mean:.4f}"
        systems = [*means]
        values = [mean for _, mean in means.values()]
        best, _ = best_rows(values, self.by_system().lower_is_better(measure)) if self._has_best else ([], [])
        if len(best) != 1:
            return f"Evaluation of {len(means)} systems"
        return f"Best {measure} of {len(means)} systems: {systems[best[0]]}, {values[best[0]]:.4f}"

    def background(self) -> list[Section]:
        """Return per-query values, the variance between runs, data quality and conventions."""
        evaluations = self.by_system()
        of_runs = {name: make() for name, make in self._runs_tables().items()}
        tables = quality_tables(evaluations, self._row_name)
        documents = top_documents(evaluations)
        lists = {} if documents is None else {"lists": lambda: documents}
        by_convention = {each.convention.name: each.conventions for each in evaluations.values()}
        conventions = tuple(
            Section(f"like {name}", definitions=_choices(told["data"]), code=dict(_filled_measures(told)))
            for name, told in by_convention.items()
        )
        return [
            Section("Query by query", "queries", views={"queries": self.scores, **lists}),
            *([Section("Several runs", "runs", tables=of_runs)] if of_runs else []),
            Section("Data quality", "data", tables=tables, folded=_folded(tables))
            if tables
            else Section("Data quality", "data", notes=("No data-quality problems found.",)),
            Section("Conventions", "conventions", parts=conventions),
        ]


def _choices(data: Mapping[str, str | float]) -> dict[str, str]:
    """Return the choices about the data in words."""
    return {choice_title(name): choice_value(name, value) for name, value in data.items()}


def _folded(tables: Mapping[str, Table]) -> dict[str, str]:
    """Return labels of the tables that are too long to be open at first."""
    sizes = {name: len(table.rows) for name, table in tables.items()}
    most = dict.fromkeys(tables, _MANY) | dict.fromkeys([*tables][:1], _MANY_IN_FIRST)
    return {name: f"{name}: {n_rows:,} rows" for name, n_rows in sizes.items() if n_rows > most[name]}


def best_of(intervals: Mapping[str, Interval], lower_is_better: bool = False) -> str:
    """Return the system with the highest mean, or the lowest; systems without a mean come last.

    Examples
    --------
    >>> best_of({"a": Interval(0, 1, float("nan"), 0.95, "t"), "b": Interval(0, 1, 0.5, 0.95, "t")})
    'b'
    """
    sign = -1.0 if lower_is_better else 1.0
    return max(intervals, key=lambda system: float(np.nan_to_num(sign * intervals[system].mean, nan=-np.inf)))


def best_rows(means: Sequence[float], lower_is_better: bool) -> tuple[list[int], list[int]]:
    """Return the places of the best mean and of the second best; equal means share a place.

    Examples
    --------
    >>> best_rows([0.5, float("nan"), 0.75, 0.5], lower_is_better=False)
    ([2], [0, 3])
    """
    known = sorted({mean for mean in means if mean == mean}, reverse=not lower_is_better)
    best, second = ([row for row, mean in enumerate(means) if mean in known[rank : rank + 1]] for rank in (0, 1))
    return best, second


def interval_remark(intervals: Collection[Interval]) -> str:
    """Return the level and the methods of intervals, in words.

    Examples
    --------
    >>> interval_remark([Interval(0.25, 0.75, 0.5, 0.95, "t")])
    "95% intervals by Student's t"
    """
    level, *_ = (each.level for each in intervals)
    methods = dict.fromkeys(_METHODS[each.method] for each in intervals)
    return Statement("interval of a mean", f"{100 * level:.4g}% intervals by {' or '.join(methods)}")


def changes_text(moved: Iterable[tuple[str, float]]) -> str:
    """Return queries with their changes, as text.

    Examples
    --------
    >>> changes_text([("q1", 0.25), ("q7", -0.125)])
    'q1: +0.2500, q7: -0.1250'
    """
    return ", ".join(f"{query}: {change:+z.4f}" for query, change in moved)


def convention_options(conventions: Mapping[str, Any]) -> Iterator[str]:
    """Yield the choices about the data in words, and every measure with all of its options."""
    yield "; ".join(f"{choice}: {value}" for choice, value in _choices(conventions["data"]).items())
    yield from (f"{name} = {filled}" for name, filled in _filled_measures(conventions))


def _filled_measures(conventions: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each measure with all of its options, and the choices about the data that differ for it."""
    for name, filled in conventions["measures"].items():
        others = conventions["exceptions"].get(name, {})
        yield name, "; ".join([filled, *(f"{choice} {value}" for choice, value in others.items())])


def check_means(filled: Mapping[str, Measure]) -> None:
    """Raise an OptionError for a measure that is not aggregated by its mean: differences and tests are of means."""
    for name, each in filled.items():
        if each.aggregate == "geometric":
            log = each.label.replace("gm_map", "ap").replace("gm_", "")
            raise OptionError(
                f"{name} is a geometric mean over queries, and differences and tests are of means: compare log_{log}, "
                "whose difference of means is the logarithm of the ratio of geometric means"
            )
        if each.aggregate == "sum":
            raise OptionError(
                f"{name} is a sum over queries, and differences and tests are of means: compare a measure such as "
                "recall or p, and see the sums with evaluate"
            )


def _curves_table(systems: Mapping[str, Mapping[int, float]], kind: str) -> Table:
    """Return a row per system: its means by cutoff."""
    cutoffs = next(iter(systems.values()))
    columns = [Column(kind), *(Column(f"@{cutoff}", ".4f") for cutoff in cutoffs)]
    return Table(columns, [[system, *curve.values()] for system, curve in systems.items()])

"""The common base of evaluations, comparisons and explanations: one value per query, measure and system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from idealrank._base.plain import number
from idealrank._base.results import Result
from idealrank._base.sections import Figure, Section
from idealrank._base.tables import Column, Table, Value
from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.evaluation.quality import quality_tables
from idealrank.stats import Interval

if TYPE_CHECKING:
    from idealrank.evaluation.results import Evaluations

__all__ = [
    "INTERVAL_LEVEL",
    "INTERVAL_METHOD",
    "Measured",
    "best_of",
    "best_rows",
    "changes_text",
    "filled_measures",
    "interval_remark",
]

#: The confidence level and the method of the intervals of means, unless others are chosen.
INTERVAL_LEVEL, INTERVAL_METHOD = 0.95, "t"
_METHODS = {"t": "Student's t", "percentile": "the percentile bootstrap", "bca": "the BCa bootstrap"}


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
        """Return the systems by their means of the first measure, best first; those without a mean come last."""
        evaluations, first = self.by_system(), self.measure_names()[0]
        sign = 1.0 if evaluations.lower_is_better(first) else -1.0
        means = {name: sign * each.mean[first] for name, each in evaluations.items()}
        return sorted(means, key=lambda name: (means[name] != means[name], means[name]))

    def intervals(self, measure: str) -> dict[str, Interval]:
        """Return {system: its mean by this measure, with the interval}."""
        return {name: evaluation.mean_interval(measure) for name, evaluation in self.by_system().items()}

    def query_values(self, measure: str) -> dict[str, Floats]:
        """Return {system: its values by this measure}, without the queries that have none."""
        columns = {name: each.per_query[measure] for name, each in self.by_system().items()}
        return {name: values[~np.isnan(values)] for name, values in columns.items()}

    def about(self) -> str:
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

    def remarks(self) -> list[str]:
        """Return the number of queries, the convention, and every measure with all of its options."""
        first = next(iter(self.by_system().values()))
        return [f"means over {first.queries_text()}{first.skipped_text()}", *first.convention_remarks()]

    def title(self) -> str:
        """Return how many systems were evaluated."""
        n_systems = len(self.by_system())
        return "Evaluation of one system" if n_systems == 1 else f"Evaluation of {n_systems} systems"

    def sections(self) -> list[Section]:
        """Return the means of all measures, then one section per measure."""
        return [self._summary(), *self._measure_sections()]

    def _measure_sections(self) -> list[Section]:
        return [
            Section(name, f"measure-{place}", parts=tuple(self._measure_parts(name)))
            for place, name in enumerate(self.measure_names())
        ]

    def _measure_parts(self, measure: str) -> Iterator[Section]:
        yield Section(figures=(*self._means_figure(measure), self._spread_figure(measure)))

    def _summary(self) -> Section:
        """Return a table with a row per system and a column per measure: the mean and its interval."""
        evaluations, names = self.by_system(), self.measure_names()
        has_best = self._has_best and len(evaluations) > 1
        rows: list[list[Value]] = [[system] for system in evaluations]
        beside, best = {}, set()
        for column, name in enumerate(names, 1):
            found = self.intervals(name)
            highest = found[best_of(found, evaluations.lower_is_better(name))].mean
            for row, each in enumerate(found.values()):
                rows[row].append(each.mean)
                beside[row, column] = _bounds(each)
                if has_best and each.mean == highest:
                    best.add((row, column))
        columns = [Column(self._row_name), *(Column(name, ".4f") for name in names)]
        queries = dict.fromkeys(each.queries_text() for each in evaluations.values())
        note = f"Means over {' or '.join(queries)}, with {interval_remark(next(iter(found.values())))}."
        said = f"{note} The best mean is bold." if has_best else note
        caption = f"Mean of each {self._row_name}, and its interval"
        return Section(
            "Summary", "summary", tables={caption: Table(columns, rows, beside, frozenset(best))}, notes=(said,)
        )

    def _means_figure(self, measure: str) -> Iterator[Figure]:
        intervals = self.intervals(measure)
        if len(intervals) > 1:
            told = "; ".join(f"{name} {number(each.mean)}, {_range(each)}" for name, each in intervals.items())
            yield Figure("means", (self, measure), "Means and their intervals", told)

    def _spread_figure(self, measure: str) -> Figure:
        told = "; ".join(f"{name}: {_spread(values)}" for name, values in self.query_values(measure).items())
        caption = "Per-query scores (square-root scale; the line is the mean)"
        return Figure("distributions", (self, measure), caption, told)

    def measured_queries(self) -> frozenset[str] | None:
        return frozenset(self.by_system().all_query_ids())

    def cutoff_sections(self) -> list[Section]:
        """Return the means of measures that were evaluated at several cutoffs."""
        evaluations = self.by_system()
        figures = [
            Figure("cutoff_curves", (evaluations, family), f"{family} by cutoff", _told_curves(systems))
            for family, systems in evaluations.by_cutoff().items()
        ]
        return [Section("By cutoff", "curves", tuple(figures))] if figures else []

    def background(self) -> list[Section]:
        """Return per-query values, data quality and conventions."""
        evaluations = self.by_system()
        tables = quality_tables(evaluations)
        by_convention = {each.convention.name: each.conventions for each in evaluations.values()}
        conventions = tuple(
            Section(f"like {name}", definitions=told["data"], code=dict(filled_measures(told)))
            for name, told in by_convention.items()
        )
        return [
            Section("Query by query", "queries", values=evaluations.query_matrix()),
            Section("Data quality", "data", tables=tables)
            if tables
            else Section("Data quality", "data", notes=("No data-quality problems found.",)),
            Section("Conventions", "conventions", parts=conventions),
        ]


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


def interval_remark(interval: Interval) -> str:
    """Return the level and the method of intervals, in words.

    Examples
    --------
    >>> interval_remark(Interval(0.25, 0.75, 0.5, 0.95, "t"))
    "95% intervals by Student's t"
    """
    return f"{100 * interval.level:.4g}% intervals by {_METHODS[interval.method]}"


def changes_text(moved: Iterable[tuple[str, float]]) -> str:
    """Return queries with their changes, as text.

    Examples
    --------
    >>> changes_text([("q1", 0.25), ("q7", -0.125)])
    'q1 +0.2500, q7 -0.1250'
    """
    return ", ".join(f"{query} {change:+.4f}" for query, change in moved)


def filled_measures(conventions: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each measure with all of its options, and the choices about the data that differ for it."""
    for name, filled in conventions["measures"].items():
        others = conventions["exceptions"].get(name, {})
        yield name, "; ".join([filled, *(f"{choice} {value}" for choice, value in others.items())])


def _bounds(interval: Interval) -> str:
    return "no interval" if np.isnan(interval.low) else _range(interval)


def _range(interval: Interval) -> str:
    return f"{number(interval.low)} to {number(interval.high)}"


def _spread(values: Floats) -> str:
    return f"{values.size:,} queries from {values.min():.4f} to {values.max():.4f}" if values.size else "no value"


def _told_curves(systems: Mapping[str, Mapping[int, float]]) -> str:
    return "; ".join(
        f"{system}: {', '.join(f'{number(mean)} at {cutoff}' for cutoff, mean in curve.items())}"
        for system, curve in systems.items()
    )

"""Results of `evaluate`: one value per query and measure, for one system or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from idealrank._core.exact import Moments
from idealrank._present.json_values import Plain, finite, plain
from idealrank._present.page import listed
from idealrank._present.printable import counted
from idealrank._present.table import Column, Table, Tables, Value
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import QueryIds
from idealrank.data.problem import Problem
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.data_quality import named_problems
from idealrank.evaluation.evaluation_base import (
    INTERVAL_LEVEL,
    INTERVAL_METHOD,
    Measured,
    best_rows,
    interval_remark,
)
from idealrank.evaluation.top_documents import ReportDetails
from idealrank.measures.conventions import Convention
from idealrank.measures.cutoffs import Rank
from idealrank.measures.measure_base import Measure
from idealrank.measures.measure_names import measure as parse_measure
from idealrank.stats import Interval
from idealrank.stats.intervals import interval_of
from idealrank.stats.replicated import ReplicatedMoments, VarianceComponents, split_runs


@dataclass(frozen=True, repr=False)
class Evaluation(Measured):
    """The evaluation of one system: one value per query and measure, and how they were computed.

    Attributes
    ----------
    per_query : mapping of str to array
        {measure as given: float64 array with one value per query}; NaN if a query has no value.
    query_ids : array or Ids
        The ids of the queries, in the same order.
    filled : mapping of str to Measure
        {measure as given: the measure with every option filled in}.
    convention : Convention
        The convention that filled in the options.
    problems : tuple of Problem
        Problems found in the data, and how they were handled.
    exceptions : mapping
        {measure as given: choices about the data that the convention makes only for this measure}.
    query_weights : array, optional
        The weight of each query in the means and their intervals; None if all queries count the same.
    categories : tuple of str, optional
        The category of each query, for `by_category`; None if there are no categories.
    details : ReportDetails, optional
        What a report shows besides the values, if the evaluation was made with ``for_report=True``.
    runs : mapping of str to array
        {measure as given: matrix[query, run]} if the system has several runs; ``per_query`` has the means over them.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> ev = evaluate([0, 1, 1, 0], [4, 3, 2, 1], "rr", offsets=[0, 2, 4])
    >>> ev
    Evaluation(rr 0.7500; 2 queries, like idealrank)
    >>> ev.per_query["rr"], ev.conventions["measures"]
    (array([0.5, 1. ]), {'rr': 'rr(ties=average,empty=0,rel=1,ideal=judged)'})
    """

    per_query: Mapping[str, Floats]
    query_ids: QueryIds
    filled: Mapping[str, Measure]
    convention: Convention
    problems: tuple[Problem, ...] = ()
    exceptions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    query_weights: Floats | None = None
    categories: tuple[str, ...] | None = None
    details: ReportDetails | None = None
    runs: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.query_ids)

    def by_category(self) -> dict[str, Evaluation]:
        """Return {category: the evaluation of its queries}, sorted by name; empty if ``by=`` was not given.

        Returns
        -------
        dict of str to Evaluation
            One evaluation per category.

        Examples
        --------
        >>> from idealrank import evaluate
        >>> ev = evaluate([0, 1, 1, 0], [4, 3, 2, 1], "rr", offsets=[0, 2, 4], by=["long", "short"])
        >>> {category: own.mean for category, own in ev.by_category().items()}
        {'long': {'rr': 0.5}, 'short': {'rr': 1.0}}
        """
        places: dict[str, list[int]] = {name: [] for name in sorted({*(self.categories or ())})}
        for place, name in enumerate(self.categories or ()):
            places[name].append(place)
        return {name: self.take(own) for name, own in places.items()}

    @cached_property
    def moments(self) -> dict[str, Moments]:
        """{measure as given: exact count, mean and variance over queries}, without the queries to skip."""
        return {name: self._moments(name) for name in self.per_query}

    def _moments(self, name: str) -> Moments:
        values, weights = self.per_query[name], self.query_weights
        counted = ~np.isnan(values) if self.filled[name].empty == "skip" else np.ones(values.size, bool)
        if name in self.runs:
            return ReplicatedMoments(values[counted], self.variance_components(name), self.filled[name].value_range)
        return self.filled[name].moments(values[counted], None if weights is None else weights[counted])

    @cached_property
    def _means(self) -> dict[str, float]:
        return {name: moments.mean for name, moments in self.moments.items()}

    @property
    def mean(self) -> dict[str, float]:
        """{measure as given: mean over queries}, without queries that the measure skips."""
        return dict(self._means)

    def interval(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return {measure as given: (low, high)}: the interval of the mean over queries, in the range of the measure.

        Parameters
        ----------
        level : float
            The confidence level.

        Returns
        -------
        dict of str to (float, float)
            The bounds for each measure; NaN if fewer than two queries have a value.
        """
        bounds = {name: interval_of(moments, level) for name, moments in self.moments.items()}
        return {name: (each.low, each.high) for name, each in bounds.items()}

    def mean_interval(self, measure: str, level: float = INTERVAL_LEVEL) -> Interval:
        """Return the mean by one measure with its interval, and the name of the method."""
        return interval_of(self.moments[measure], level)

    @property
    def n_runs(self) -> int:
        """The number of runs of the system."""
        return next((values.shape[1] for values in self.runs.values()), 1)

    def variance_components(self, measure: str) -> tuple[VarianceComponents, ...]:
        """Return the variance between queries and between runs; empty without several runs and queries.

        Parameters
        ----------
        measure : str
            The name of a measure of this evaluation, as given.

        Returns
        -------
        tuple of VarianceComponents
        """
        return split_runs(self.runs[measure])[1] if measure in self.runs else ()

    def queries_text(self) -> str:
        """Return the number of queries, and whether they are weighted, in words."""
        weighted = "" if self.query_weights is None else ", weighted"
        return f"{counted(self.n_queries, 'query')}{weighted}"

    def skipped_text(self) -> str:
        """Return the measures whose means are over fewer queries, in words; may be empty."""
        fewer = {name: moments.count for name, moments in self.moments.items() if moments.count < self.n_queries}
        if not fewer or self.query_weights is not None:
            return ""
        return f", of which {', '.join(f'{count:,} have a value of {name}' for name, count in fewer.items())}"

    def take(self, queries: Sequence[int] | Int64s) -> Evaluation:
        """Return the evaluation of the queries at these positions.

        Examples
        --------
        >>> from idealrank import evaluate
        >>> evaluate([0, 1, 1, 0], [4, 3, 2, 1], "rr", offsets=[0, 2, 4]).take([1]).mean
        {'rr': 1.0}
        """
        chosen = np.asarray(queries, np.int64)
        return replace(
            self,
            per_query={name: values[chosen] for name, values in self.per_query.items()},
            query_ids=self.query_ids.take(chosen),
            query_weights=None if self.query_weights is None else self.query_weights[chosen],
            categories=None if self.categories is None else tuple(self.categories[place] for place in chosen.tolist()),
            details=None if self.details is None else self.details.take(chosen),
            runs={name: values[chosen] for name, values in self.runs.items()},
        )

    @property
    def conventions(self) -> dict[str, Any]:
        """The name of the convention, its choices about the data, and each measure with all of its options.

        "exceptions" are choices about the data that differ for a single measure.
        """
        return {
            "convention": self.convention.name,
            "data": self.convention.data,
            "measures": {name: str(filled) for name, filled in self.filled.items()},
            "exceptions": {name: dict(choices) for name, choices in self.exceptions.items()},
        }

    def by_system(self) -> Evaluations:
        return Evaluations({"system": self})

    def to_dict(self) -> dict[str, Plain]:
        """Return means, values, query ids, conventions and problems, with the versions of idealrank and NumPy.

        ``n_values`` is the number of queries in the mean of each measure: all except those that it skips.
        """
        from idealrank import __version__

        return {
            "idealrank": __version__,
            "numpy": np.__version__,
            "interval_level": INTERVAL_LEVEL,
            "interval_method": INTERVAL_METHOD,
            "conventions": plain(self.conventions),
            "n_queries": self.n_queries,
            "n_values": {name: moments.count for name, moments in self.moments.items()},
            "mean": plain(self.mean),
            "interval": {name: finite(plain(bounds)) for name, bounds in self.interval().items()},
            "query_ids": plain(self.query_ids.tolist()),
            **({} if self.query_weights is None else {"query_weights": plain(self.query_weights)}),
            "per_query": plain(self.per_query),
            **({"runs": plain(self.runs)} if self.runs else {}),
            **({"variance_components": self.components_dict()} if self.runs else {}),
            **({} if self.categories is None else {"categories": list(self.categories)}),
            **({} if self.categories is None else {"by_category": self.categories_dict()}),
            "problems": plain(self.problems),
        }

    def components_dict(self) -> dict[str, Plain]:
        """Return the variance components of all measures, for JSON.

        Returns
        -------
        dict
            {measure: the variance between queries, between runs and of both}; None for one query.
        """
        return {name: plain(next(iter(self.variance_components(name)), None)) for name in self.runs}

    def categories_dict(self) -> dict[str, Plain]:
        """Return {category: its number of queries, means and intervals}."""
        return {
            name: {"n_queries": each.n_queries, "mean": plain(each.mean), "interval": plain(each.interval())}
            for name, each in self.by_category().items()
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "means", with a row per measure, and "queries", with a row per query, for `to_frame`.

        With ``by=`` there is also "categories", a row per category and measure. If the system has several runs, "runs"
        has standard deviations between queries and between runs.
        """
        by_category = {} if self.categories is None else {"categories": self._categories_table}
        queries = {"means": lambda: means_table(self.moments), "queries": self._queries_table}
        return Tables({**queries, **by_category, **self._runs_tables()})

    def _categories_table(self) -> Table:
        categories = self.by_category()
        own = {name: means_table(each.moments) for name, each in categories.items()}
        columns = [Column("category"), *next(iter(own.values())).columns]
        rows = [[name, *row] for name, table in own.items() for row in table.rows]
        return Table(columns, rows, notes=_too_few(each.moments for each in categories.values()))

    def _queries_table(self) -> Table:
        columns = [Column("qid"), *(Column(name, ".4f") for name in self.per_query)]
        values = [each.tolist() for each in self.per_query.values()]
        return Table(columns, list(zip(self.query_ids.tolist(), *values, strict=True)))

    def _printed(self) -> Sequence[str]:
        return ["means", *(["categories"] if self.categories is not None else []), *self._runs_tables()]

    def __repr__(self) -> str:
        return f"Evaluation({means_text(self.mean, self.n_queries, self.convention)})"


#: What `Evaluation.to_dict` has for all systems alike.
_SHARED = ("idealrank", "numpy", "interval_level", "interval_method", "conventions")


class Evaluations(Measured, Mapping[str, Evaluation]):
    """The evaluations of several systems: a mapping of system names to `Evaluation`.

    All systems are evaluated on the same queries. Some conventions, such as trec_eval's, leave out queries that a run
    does not have; these are left out for every system, and ``problems`` says so. To evaluate a system on all of its own
    queries, evaluate it alone.

    Parameters
    ----------
    systems : mapping of str to Evaluation
        The evaluations by name.
    problems : tuple of Problem
        Problems that concern several systems.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> both = evaluate(qrels, {"old": {"q1": {"b": 1}, "q2": {"a": 1}}, "new": {"q2": {"a": 1}}}, "rr")
    >>> both.mean, both.n_queries
    ({'old': {'rr': 1.0}, 'new': {'rr': 1.0}}, 1)
    >>> both.problems[-1].kind
    'different queries'
    """

    def __init__(self, systems: Mapping[str, Evaluation], problems: tuple[Problem, ...] = ()) -> None:
        self._systems = dict(systems)
        self._problems = problems

    def __getitem__(self, name: str) -> Evaluation:
        return self._systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """{system: {measure as given: mean}}."""
        return {name: evaluation.mean for name, evaluation in self.items()}

    def lower_is_better(self, measure: str) -> bool:
        """Return whether lower values of a measure are better.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        bool
            True if lower is better.
        """
        return next(iter(self.values())).filled[measure].lower_is_better

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems found in the data; a problem names its system unless it concerns all of them."""
        met = named_problems({name: evaluation.problems for name, evaluation in self.items()})
        return (*met, *self._problems)

    @property
    def n_queries(self) -> int:
        """The number of queries on which all systems are evaluated."""
        return min(evaluation.n_queries for evaluation in self.values())

    def on_common_queries(self) -> Evaluations:
        """Return the evaluations of the queries that every system has, in the order of the first system.

        A query that a measure skips for one system is skipped for all.

        Raises
        ------
        DataError
            If the systems have no query in common.
        """
        ids = {name: evaluation.query_ids.tolist() for name, evaluation in self.items()}
        first = next(iter(ids.values()))
        systems, problems = dict(self), self._problems
        if any(own != first for own in ids.values()):
            places = {name: {query: place for place, query in enumerate(own)} for name, own in ids.items()}
            common = [query for query in first if all(query in own for own in places.values())]
            if not common:
                raise DataError("the systems have no query in common: evaluate them one by one")
            systems = {name: each.take([places[name][query] for query in common]) for name, each in self.items()}
            problems += _left_out(places, len(common))
        return Evaluations(_skipped_alike(systems), problems)

    def mean_of_runs(self) -> Evaluation:
        """Return the evaluation of one system of which these are runs: means over runs for each query.

        Returns
        -------
        Evaluation

        Raises
        ------
        OptionError
            If a measure is not a mean over queries, such as a geometric mean.

        Examples
        --------
        >>> from idealrank import evaluate
        >>> both = evaluate({"q1": {"a": 1}}, {"1": {"q1": ["a"]}, "2": {"q1": ["b", "a"]}}, "rr").mean_of_runs()
        >>> both.mean, both.runs["rr"]
        ({'rr': 0.75}, array([[1. , 0.5]]))
        """
        first = next(iter(self.values()))
        for name, filled in first.filled.items():
            if filled.aggregate != "mean":
                raise OptionError(f"{name} is not a mean over queries, which several runs of a system need")
        runs = {name: np.stack([each.per_query[name] for each in self.values()], axis=1) for name in first.per_query}
        per_query = {name: values.mean(axis=1) for name, values in runs.items()}
        return replace(first, per_query=per_query, problems=self.problems, runs=runs)

    def by_system(self) -> Evaluations:
        return self

    def all_query_ids(self) -> list[str]:
        """Return the queries that any system has, each once."""
        return list(dict.fromkeys(map(str, chain.from_iterable(each.query_ids.tolist() for each in self.values()))))

    def by_cutoff(self) -> dict[str, dict[str, dict[int, float]]]:
        """Return {measure without its cutoff: {system: {cutoff: mean}}}, for measures with two cutoffs or more.

        Examples
        --------
        >>> from idealrank import evaluate
        >>> evaluate({"q": {"a": 0, "b": 1}}, {"x": {"q": {"a": 2, "b": 1}}}, ["rr@1", "rr@2", "ap"]).by_cutoff()
        {'rr': {'x': {1: 0.0, 2: 0.5}}}
        """
        found: dict[str, dict[str, dict[int, float]]] = {}
        for system, evaluation in self.items():
            for name, mean in evaluation.mean.items():
                given = parse_measure(name)
                if isinstance(given.cutoff, Rank):
                    found.setdefault(str(given @ None), {}).setdefault(system, {})[given.cutoff.k] = mean
        return {
            family: {system: dict(sorted(curve.items())) for system, curve in systems.items()}
            for family, systems in found.items()
            if all(len(curve) > 1 for curve in systems.values())
        }

    def to_dict(self) -> dict[str, Plain]:
        """Return {"systems": {name: its `Evaluation.to_dict`}}, and once the content that all systems share.

        ``problems`` has those that concern several systems; the entry of each system has its own.
        """
        common: dict[str, Plain] = {}
        systems: dict[str, Plain] = {}
        for name, evaluation in self.items():
            own = evaluation.to_dict()
            common |= {key: own.pop(key) for key in _SHARED}
            systems[name] = own
        return {"systems": systems, "n_queries": self.n_queries, **common, "problems": plain(self._problems)}

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "means" and "intervals", with a row per system, and "queries", per system and query."""
        intervals = partial(self.table_of_means, interval=True)
        tables: dict[str, Callable[[], Table]] = {
            "means": self.table_of_means,
            "intervals": intervals,
            "queries": self._queries_table,
        }
        tables |= self._runs_tables()
        return Tables(tables if not self.has_categories else {**tables, "categories": self.table_of_categories})

    @property
    def has_categories(self) -> bool:
        """Whether queries have categories."""
        return next(iter(self.values())).categories is not None

    def by_category(self) -> dict[str, Evaluations]:
        """Return {category: the evaluations of its queries}, sorted by name; empty if ``by=`` was not given.

        Returns
        -------
        dict of str to Evaluations
            One mapping of systems per category.
        """
        own = {name: evaluation.by_category() for name, evaluation in self.items()}
        names = sorted({category for each in own.values() for category in each})
        return {
            category: Evaluations({name: each[category] for name, each in own.items() if category in each})
            for category in names
        }

    def categories_dict(self) -> dict[str, Plain]:
        """Return {system: {category: its number of queries, means and intervals}}."""
        return {name: each.categories_dict() for name, each in self.items()}

    def table_of_categories(self, *, interval: bool = False) -> Table:
        """Return a table with a row per category and system: its number of queries and its means.

        Parameters
        ----------
        interval : bool
            Whether to include the bounds of the interval after each mean.
        """
        categories = self.by_category()
        own = {name: each.table_of_means(interval=interval) for name, each in categories.items()}
        columns = [Column("category"), *next(iter(own.values())).columns]
        rows = [[name, *row] for name, table in own.items() for row in table.rows]
        every = (each.moments for own in categories.values() for each in own.values())
        return Table(columns, rows, notes=_too_few(every) if interval else ())

    def table_of_means(self, *, interval: bool = False) -> Table:
        """Return a table with a row per system: its number of queries and its means.

        Parameters
        ----------
        interval : bool
            Whether to include the bounds of the interval after each mean.
        """
        first = next(iter(self.values()))
        columns = [Column("system", priority=-1), Column("queries", ",", priority=1)]
        for measure in first.per_query:
            names = [measure, *([f"{measure} low", f"{measure} high"] if interval else [])]
            columns += [Column(name, ".4f", group=measure) for name in names]
        rows: list[Sequence[Value]] = []
        for name in self.ranked():
            evaluation = self[name]
            bounds = evaluation.interval() if interval else {}
            cells: list[Value] = [name, evaluation.n_queries]
            for measure, mean in evaluation.mean.items():
                cells += [mean, *(_bounds(*bounds[measure]) if interval else [])]
            rows.append(cells)
        notes: tuple[str, ...] = ()
        if interval:
            how = interval_remark([first.mean_interval(measure) for measure in first.per_query])
            notes = (f"Low and high: {how}.", *_too_few(each.moments for each in self.values()))
        if len(self) == 1:
            return Table(columns, rows, notes=notes)
        place_of = {measure: 2 + place * (3 if interval else 1) for place, measure in enumerate(first.per_query)}
        best, second = self._best_cells(place_of)
        notes = (f"Rows are sorted by {next(iter(place_of))}.", *notes)
        return Table(columns, rows, best=best, second=second, notes=notes, caption=self._caption(interval))

    def _best_cells(self, place_of: Mapping[str, int]) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
        """Return the cells of the best means and of the second best, by row of `ranked` and column."""
        found: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
        for measure, place in place_of.items():
            means = [self[name].mean[measure] for name in self.ranked()]
            best_and_second = best_rows(means, self.lower_is_better(measure))
            for cells, rows in zip(found, best_and_second, strict=True):
                cells |= {(row, place) for row in rows}
        return frozenset(found[0]), frozenset(found[1])

    def _caption(self, interval: bool) -> str:
        """Return a caption for a paper: measures, queries, convention and intervals."""
        first = next(iter(self.values()))
        names, it = listed(first.per_query), "it" if len(first.per_query) == 1 else "them"
        how = f"Mean {names} over {first.queries_text()}, as {first.convention.name} computes {it}."
        methods = interval_remark([first.mean_interval(measure) for measure in first.per_query])
        bounds = f" Low and high: {methods}." if interval else ""
        return f"{how}{bounds} The best mean of each measure is bold."

    def _queries_table(self) -> Table:
        own = {name: evaluation.table("queries") for name, evaluation in self.items()}
        columns = [Column("system"), *next(iter(own.values())).columns]
        return Table(columns, [[name, *row] for name, table in own.items() for row in table.rows])

    def _printed(self) -> Sequence[str]:
        return ["means", *(["categories"] if self.has_categories else []), *self._runs_tables()]

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {evaluation!r}" for name, evaluation in self.items())


def means_text(means: Mapping[str, float], n_queries: int, convention: Convention) -> str:
    """Return the means on one line, with the number of queries and the convention."""
    shown = ", ".join(f"{name} {value:.4f}" for name, value in means.items())
    return f"{shown}; {counted(n_queries, 'query')}, like {convention.name}"


def means_table(moments: Mapping[str, Moments]) -> Table:
    """Return a row per measure: the mean over queries, its interval, and the number of queries that have a value."""
    columns = [Column("measure"), *(Column(name, ".4f") for name in ("mean", "low", "high")), Column("queries", ",")]
    intervals = {name: interval_of(own, INTERVAL_LEVEL) for name, own in moments.items()}
    rows: list[Sequence[Value]] = [
        [name, each.mean, *_bounds(each.low, each.high), moments[name].count] for name, each in intervals.items()
    ]
    return Table(columns, rows, notes=_too_few([moments]))


def _bounds(low: float, high: float) -> list[Value]:
    """Return the bounds of an interval as cells, which are empty where there is none."""
    return [low, high] if low == low else [None, None]


def _too_few(each_moments: Iterable[Mapping[str, Moments]]) -> tuple[str, ...]:
    """Return a sentence for a table in which a mean has no interval."""
    has_none = any(own.count < 2 for moments in each_moments for own in moments.values())
    return ("An interval needs at least 2 queries.",) if has_none else ()


def _left_out(places: Mapping[str, Mapping[object, int]], n_common: int) -> tuple[Problem, ...]:
    """Return the problem that some queries are left out because some systems do not have them."""
    everyone = dict.fromkeys(query for own in places.values() for query in own)
    query, name = next((query, name) for query in everyone for name, own in places.items() if query not in own)
    count = len(everyone) - n_common
    those, them = ("query is", "it") if count == 1 else ("queries are", "them")
    what = (
        f"{count:,} {those} left out for every system because not all systems have {them}, first {str(query)!r}, which "
        f"{name!r} does not have: all means are over the {n_common:,} that they have in common. A convention that "
        "counts missing queries as 0, such as ir_measures, keeps them"
    )
    return (Problem("different queries", count, what),)


def _skipped_alike(systems: Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    """Return the evaluations without the values of queries that a measure skips for another system."""
    changed: dict[str, Floats] = {}
    for measure, filled in next(iter(systems.values())).filled.items():
        if filled.empty == "skip":
            unknown = np.stack([np.isnan(each.per_query[measure]) for each in systems.values()])
            if (unknown.any(axis=0) != unknown.all(axis=0)).any():
                changed[measure] = np.where(unknown.any(axis=0), np.nan, 0.0)
    if not changed:
        return dict(systems)
    return {
        name: replace(each, per_query={m: v + changed.get(m, 0.0) for m, v in each.per_query.items()})
        for name, each in systems.items()
    }

"""Limits of the NDCG of systems as lists grow, estimated from judged documents."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np

from idealrank._core.checks import check_callback, items_of
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Figure, Page, Section, Statement, few, first_row_in_words, listed
from idealrank._present.result import Result
from idealrank._present.table import Column, Table
from idealrank._typing import Floats
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import OptionError
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.evaluator import CompleteLists, Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, Measures, OneSystem, Several, judged_and_systems, layout_of
from idealrank.evaluation.scorer import mean_over_queries
from idealrank.losses.segments import sums
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention
from idealrank.measures.gains import Gain
from idealrank.measures.measure_base import empty_value
from idealrank.measures.measure_names import named
from idealrank.theory.long_lists.limits import sees, theorem_of
from idealrank.theory.long_lists.limits_of_means import QueryCurves, fit_queries, prospect
from idealrank.theory.long_lists.measure_discount import MEASURES, Weighting
from idealrank.theory.long_lists.steps import StepCurve
from idealrank.theory.long_lists.verdicts import theorem_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_METHODS = ("top", "bins", "isotonic")
#: Most rows of the printed table, and most curves in a plot, which are those of the best systems.
_N_ROWS, _N_CURVES = 30, 8
#: With more rows, a page shows those of the first measure, and all of them in a table that is closed at first.
_MANY = 60
#: What a narrow screen leaves out first.
_PRIORITIES = {"complete": 3, "expected": 3, "low": 2, "high": 2, "spread": 1}
_SEES = {"list": "the list", "top": "its top", "few": "a few ranks", "undecided": "not known"}
_SEEN = {
    "the list": "all ranks (down to the cutoff) matter at any length",
    "its top": "in the end, only the relevance at the very top counts",
    "a few ranks": "the labels of a few documents decide at any length",
    "not known": "it is not known how fast the discount decreases or the cutoff grows",
}
#: What becomes of one measure, and of several.
_FUTURES = {
    "limit": ("tends to a limit", "tend to a limit"),
    "unknown": ("has no known limit", "have no known limit"),
    "random": ("stays random", "stay random"),
}
_UNKNOWN = "No theorem is known to apply: it is not known how fast the discount decreases or the cutoff grows."


@dataclass(frozen=True)
class SystemLimit:
    """The limit of one system by one measure; numbers that do not exist are None.

    Parameters
    ----------
    system, measure : str
        The names of the system and of the measure, as given.
    now : float
        The mean over queries, as in `evaluate`.
    complete : float or None
        The same mean on complete lists.
    expected : float or None
        The mean that the relevance curves predict for lists of these lengths.
    limit : float or None
        The mean as lists grow, over queries with relevant documents; None if NDCG stays random.
    low, high : float or None
        The 95% interval of the limit over queries, by the method of means of measures.
    spread : float or None
        The standard deviation of NDCG on one long list, if it stays random.
    sees : {"the list", "its top", "a few ranks", "not known"}
        What determines the limit.

    Examples
    --------
    >>> from idealrank.theory import limits
    >>> limits([2, 1, 0], {"a": [3, 2, 1]}, "ndcg@20%").limits[0].sees
    'the list'
    """

    system: str
    measure: str
    now: float
    complete: float | None
    expected: float | None
    limit: float | None
    low: float | None
    high: float | None
    spread: float | None
    sees: str

    @property
    def _future(self) -> str:
        """What becomes of the measure as lists grow, a key of `_FUTURES`."""
        if self.limit is not None:
            return "limit"
        return "random" if self.sees == _SEES["few"] else "unknown"

    def in_words(self, queries: str) -> dict[str, str]:
        """Return what the columns of the table say, in words.

        Parameters
        ----------
        queries : str
            The queries of the mean, such as "50 queries".

        Returns
        -------
        dict of str to str
            What each column says.
        """
        words = {"now": f"the mean {self.measure} of {self.system} over {queries} is {self.now:.4f}"}
        if self.complete is not None:
            words["complete"] = f"with all judged documents in the lists, it is {self.complete:.4f}"
        if self.expected is not None:
            words["expected"] = f"other documents of the same kind would give {self.expected:.4f} on average"
        if self.limit is not None:
            words["limit"] = f"as lists grow, it tends to {self.limit:.4f} on queries with relevant documents"
            if self.low is not None:
                words["low, high"] = f"with other queries, from {self.low:.4f} to {self.high:.4f} (95% interval)"
        else:
            none = "there is none: on single lists, the measure stays random"
            words["limit"] = none if self._future == "random" else "it is not known"
        if self.spread is not None:
            words["spread"] = f"on one long list, it varies with a standard deviation of {self.spread:.4f}"
        return words | {"sees": f"{self.sees}: {_SEEN[self.sees]}"}


_COLUMNS = [
    Column("system"),
    Column("measure", priority=-1),
    *(Column(each.name, ".4f", priority=_PRIORITIES.get(each.name, 0)) for each in fields(SystemLimit)[2:-1]),
    Column("sees", priority=1),
]


@dataclass(frozen=True)
class Limits(Result):
    """The result of `limits`.

    Parameters
    ----------
    limits : tuple of SystemLimit
        One per system and measure, the best system first.
    evaluations : Evaluations
        The evaluations that the means come from.
    lists : CompleteLists
        The complete lists that the theory needs.
    method : {"top", "bins", "isotonic"}
        How curves were estimated.

    Examples
    --------
    >>> from idealrank.theory import limits
    >>> found = limits([2, 1, 0, 1, 0, 0], [3, 2, 1] * 2, "ndcg", offsets=[0, 3, 6])
    >>> found.limits[0].now, found.limits[0].limit
    (1.0, 1.0)
    """

    limits: tuple[SystemLimit, ...]
    evaluations: Evaluations
    lists: CompleteLists
    method: str = "top"

    @functools.cached_property
    def curves(self) -> dict[str, StepCurve]:
        """The relevance curves of the best systems, by system."""
        data, best = self.lists.data, list(dict.fromkeys(each.system for each in self.limits))[:_N_CURVES]
        return {
            name: StepCurve.fit(data.labels, self.lists.scores[name], data.offsets, method=self.method) for name in best
        }

    def to_dict(self) -> dict[str, Plain]:
        """Return the convention and the number of queries of the means, and a dict per system and measure."""
        return {
            "conventions": plain(self._first.conventions),
            "n_queries": self.evaluations.n_queries,
            "lists": plain(self.lists.remarks),
            "limits": plain(self.limits),
            "problems": plain(self.evaluations.problems),
        }

    @property
    def n_without_relevant(self) -> int:
        """The number of queries without a relevant document; limits are about the others."""
        data = self.lists.data
        return int(np.count_nonzero(sums((data.labels > 0).astype(np.float64), data.offsets) == 0))

    @property
    def _first(self) -> Evaluation:
        return next(iter(self.evaluations.values()))

    def tables(self) -> Mapping[str, Table]:
        """Return the table "limits": a row per system and measure."""
        return {"limits": Table(_COLUMNS, [astuple(each) for each in self.limits])}

    def page(self) -> Page:
        """Return which measures have a limit, the table, and the relevance curves."""
        over = self.evaluations.page()
        return Page(
            f"Limits of NDCG: {few([*self.evaluations])}",
            over.about,
            (Statement("limit of a measure", self._finding()),),
            (Section(tables=self.tables(), most_rows=_N_ROWS),),
            (*over.remarks, *self.lists.remarks),
            over.options,
            reading=self.limits[0].in_words(self._first.queries_text()),
            reasons=self._reasons(),
            sections=lambda: [self._section(), *self.evaluations.background()],
            quality=over.quality,
        )

    def _finding(self) -> str:
        """Return which measures have a limit, in a sentence."""
        if len(self.limits) == 1 and (only := self.limits[0]).limit is not None:
            now = f"The mean {only.measure} of {only.system} is {only.now:.4f}"
            where = ""
            if self.n_without_relevant:
                worth = empty_value(self._first.filled[only.measure])
                worth_text = "do not count" if math.isnan(worth) else f"count {worth:g}"
                where = f" on queries with relevant documents; {self._without()} have none and {worth_text}"
            return f"{now}; as lists grow, it tends to {only.limit:.4f}{where}."
        systems: dict[str, dict[str, list[str]]] = {}  # by measure and future
        for each in self.limits:
            systems.setdefault(each.measure, {}).setdefault(each._future, []).append(each.system)
        same = {future: [name for name, own in systems.items() if [*own] == [future]] for future in _FUTURES}
        parts = {
            future: f"{listed(names)} {_FUTURES[future][len(names) > 1]}" for future, names in same.items() if names
        }
        mixed = [
            f"{measure} {listed(f'{_FUTURES[future][0]} for {few(names)}' for future, names in own.items())}"
            for measure, own in systems.items()
            if len(own) > 1
        ]
        random = parts.pop("random", None)
        last = [] if random is None else [f"{random}: the labels of a few documents decide"]
        of = ""
        if self.n_without_relevant and {"limit"} & {each._future for each in self.limits}:
            of = f" The limits are for queries with relevant documents; {self._without()} have none."
        return f"As lists grow, {'; '.join([*parts.values(), *mixed, *last])}.{of}"

    def _without(self) -> str:
        share = self.n_without_relevant / len(self.lists.data.group_sizes)
        return f"{share:.1%} of the queries"

    def _reasons(self) -> dict[str, list[str]]:
        """Return the theorem behind each limit, by measure."""
        measures = {each.measure: self._first.filled[each.measure] for each in self.limits}
        return {name: [theorem_text(theorem_of(Weighting.of(m))) or _UNKNOWN] for name, m in measures.items()}

    def _section(self) -> Section:
        """Return the table and the relevance curves."""
        what = "the expected label of a document by its position"
        caption = f"Relevance curves: {what}, from the bottom (0) to the top (1)"
        if len(self.curves) < len(self.evaluations):
            caption += f", for the {len(self.curves)} best of {len(self.evaluations)} systems"
        figure = Figure("relevance_curves", (self.curves,), caption, f"{what} in the list, 1 at the top")
        title, first = "Now and on longer lists", self._first
        now = f"'now' is the mean over {first.queries_text()}, like {first.convention.name}, as 'evaluate' gives it."
        notes = (now, *(f"{line[0].upper()}{line[1:]}." for line in self.lists.remarks))
        page = self.page()
        why = tuple(f"{measure}: {' '.join(lines)}" for measure, lines in page.reasons.items())
        lists = first_row_in_words(page.reading) | {"The theorems behind the limits": why}
        drawn, table = Section(figures=(figure,)), self.table()
        if len(table.rows) <= _MANY:
            return Section(title, parts=(Section(tables={title: table}, notes=notes, lists=lists), drawn))
        measure = self.limits[0].measure
        head = Table(table.columns, [row for row in table.rows if row[1] == measure])
        every = f"All measures: {len(table.rows):,} rows"
        main = Section(f"By {measure}", tables={title: head}, notes=notes, lists=lists)
        return Section(title, parts=(main, drawn, Section(tables={every: table}, folded={every: every})))

    def plot(self) -> Axes:
        """Draw the relevance curves of the best systems.

        Returns
        -------
        Axes
            The Axes with the drawing.
        """
        from idealrank.theory.long_lists.curve_plots import plot_curves

        return plot_curves(self.curves)

    def __repr__(self) -> str:
        return f"Limits({self._finding()})"


def limits(
    data: Data,
    systems: OneSystem | Several | None = None,
    measures: Measures = MEASURES,
    *,
    like: str | Convention | None = None,
    method: Literal["top", "bins", "isotonic"] = "top",
    order: Order | None = None,
    n_threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **layout: Unpack[LayoutOptions],
) -> Limits:
    """Compute the limits of the NDCG of systems as lists grow, estimated from judged documents.

    For each query, the expected relevance by position in a system's list is estimated as a curve. From these curves,
    the theorems of Wang et al. (2013) give NDCG on longer lists of the same kind. With judgments and runs, all judged
    documents are ranked, and those that a run does not retrieve come last.

    Parameters
    ----------
    data, systems
        The judged documents, and one system or several, as in `evaluate`.
    measures : str, Measure or iterable of these
        NDCG or linear NDCG measures.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    method : {"top", "bins", "isotonic"}
        How to estimate curves: by bins that are finer at the top, by equal bins, or by isotonic regression.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        Called with the number of each system before its limits are computed, and the number of systems.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Limits
        One limit per system and measure.

    Raises
    ------
    OptionError
        If a measure is not of these kinds, or the method is unknown.
    DataError
        If the data is not recognized, or cannot be evaluated with the convention.

    Examples
    --------
    >>> from idealrank.theory import limits
    >>> found = limits([2, 1, 0, 1, 0, 0], {"a": [3, 2, 1] * 2, "b": [1, 2, 3] * 2}, "ndcg@1", offsets=[0, 3, 6])
    >>> [(each.system, each.now, each.sees) for each in found.limits]
    [('a', 1.0, 'a few ranks'), ('b', 0.0, 'a few ranks')]
    """
    check_callback(progress, "progress")
    if method not in _METHODS:
        raise OptionError(f"method must be one of {', '.join(_METHODS)}, got {method!r}")
    chosen = measures if isinstance(measures, (str, Measure)) else list(items_of(measures, "measures"))
    given = named(chosen)
    for each in given.values():
        Weighting.of(each)  # is the theory about this measure?
    judged, rankers = judged_and_systems(data, systems, layout_of(limits, layout, order))
    unnamed = "score" if systems is None else "system"
    rankers = {name or unnamed: system for name, system in rankers.items()}
    evaluator = Evaluator(judged, like, n_threads=n_threads)
    evaluations = evaluator.evaluate_all(rankers.items(), chosen)
    lists, first = evaluator.complete_lists(rankers.items(), evaluations), next(iter(given))
    rows: list[SystemLimit] = []
    ordered = sorted(evaluations.items(), key=lambda item: _best_first(item[1].mean[first]))
    for number, (system, evaluation) in enumerate(ordered, start=1):
        if progress is not None:
            progress(number, len(ordered))
        rows += _limits_of(system, evaluation, lists.data, lists.scores[system], method)
    return Limits(tuple(rows), evaluations, lists, method)


def _best_first(mean: float) -> tuple[bool, float]:
    """Return the key that sorts means, the highest first, and NaN last."""
    return mean != mean, -mean


def _limits_of(
    system: str, evaluation: Evaluation, documents: RankingData, scores: Floats, method: str
) -> list[SystemLimit]:
    """Return the limits of one system by all measures."""
    labels, offsets = documents.labels, documents.offsets

    @functools.cache  # most measures have the same gain
    def curves(gain: Gain) -> QueryCurves:
        return fit_queries(gain(labels), scores, offsets, method=method)

    def limit_of(name: str, m: Measure) -> SystemLimit:
        future = prospect(m, curves(m.gain))  # type: ignore[attr-defined]
        complete = mean_over_queries(replace(m, ties="average")(labels, scores, offsets), m)
        mean, end = evaluation.mean[name], future.limit
        numbers = {"complete": complete, "expected": future.expected.value, "limit": end.value}
        numbers |= {"low": end.low, "high": end.high, "spread": future.spread}
        known = {field: None if math.isnan(number) else number for field, number in numbers.items()}
        return SystemLimit(system, name, mean, sees=_SEES[sees(Weighting.of(m))], **known)

    return [limit_of(name, m) for name, m in evaluation.filled.items()]

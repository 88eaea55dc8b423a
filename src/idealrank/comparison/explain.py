"""Explain why two tools give different numbers: from one convention to another, one choice at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Unpack, overload

import numpy as np

from idealrank._core.checks import items_of
from idealrank._present.json_values import Plain, number, plain
from idealrank._present.page import Figure, Page, Section, Statement, listed
from idealrank._present.result import Result
from idealrank._present.table import WORDS, Column, Table, Value
from idealrank.comparison.published import PublishedExplanation, explain_published
from idealrank.data.ranking import Order
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_base import Measured, changes_text
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, OneSystem, judged_and_systems, layout_of, named_measures
from idealrank.measures import Measure
from idealrank.measures import measure as measure_named
from idealrank.measures.choice_words import choice_change, choice_title
from idealrank.measures.conventions import Convention, convention

_N_MOVED = 3
#: Choices about whole queries come after those about single documents, which change the values of queries.
_LAST = ("missing", "empty")


@dataclass(frozen=True)
class WaterfallStep:
    """The change of one choice of a convention, and its effect on the mean.

    Attributes
    ----------
    choice : str
        The name of the choice, such as "ties"; ``title`` has its words.
    before, after : str
        The value of the choice before and after the change, such as "stable"; ``text`` has the words of both.
    change : float
        The change of the mean.
    mean : float
        The mean after the change.
    n_moved : int
        The number of queries whose values changed, or that were added or left out.
    moved : tuple of (str, float)
        The queries whose values changed most, with their changes.

    Examples
    --------
    >>> from idealrank.comparison.explain import explain
    >>> explanation = explain({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, "dcg", like=["trec_eval", "sklearn"])
    >>> str(explanation.waterfalls[0].steps[0])
    'equal scores: by descending id -> mean over all orders: +0.0000'
    """

    choice: str
    before: str
    after: str
    change: float
    mean: float
    n_moved: int
    moved: tuple[tuple[str, float], ...]

    @property
    def title(self) -> str:
        """What the choice is called."""
        return choice_title(self.choice)

    @property
    def text(self) -> str:
        """The change in words, such as "gain: the label -> 2^label - 1"."""
        return choice_change(self.choice, self.before, self.after)

    def __str__(self) -> str:
        return f"{self.text}: {self.change:+z.4f}"


@dataclass(frozen=True)
class Waterfall(Result):
    """All steps from the mean with one convention to the mean with another; the changes add up to the difference.

    Attributes
    ----------
    start, end : str
        The two conventions.
    start_mean, end_mean : float
        The means with these conventions.
    steps : tuple of WaterfallStep
        One step per choice that differs.
    n_queries : tuple of int
        The number of queries with each of the two conventions.

    Examples
    --------
    >>> from idealrank.comparison.explain import explain
    >>> found = explain({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, "ndcg", like=["trec_eval", "lightgbm"])
    >>> waterfall = found.waterfalls[0]
    >>> abs(waterfall.start_mean + sum(step.change for step in waterfall.steps) - waterfall.end_mean) < 1e-15
    True
    """

    start: str
    end: str
    start_mean: float
    end_mean: float
    steps: tuple[WaterfallStep, ...]
    n_queries: tuple[int, int]

    @property
    def waterfalls(self) -> tuple[Waterfall]:
        """The waterfall itself, as of an explanation that has one."""
        return (self,)

    def tables(self) -> Mapping[str, Table]:
        """Return the table "steps": a row per step that changes a value, between the two means."""
        steps: list[list[Value]] = [
            [step.text, step.change, step.mean, step.n_moved, changes_text(step.moved)] for step in self.effective
        ]
        ends: list[list[Value]] = [
            [name, None, mean, None, None] for name, mean in ((self.start, self.start_mean), (self.end, self.end_mean))
        ]
        columns = [Column("choice", WORDS), Column("change", "+.4f"), Column("mean", ".4f")]
        columns += [Column("queries"), Column("most changed", WORDS)]
        return {"steps": Table(columns, [ends[0], *steps, ends[1]])}

    @property
    def effective(self) -> tuple[WaterfallStep, ...]:
        """The steps that change a value."""
        return tuple(step for step in self.steps if step.n_moved)

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The choices that differ but do not change any value."""
        return tuple(step.choice for step in self.steps if not step.n_moved)

    def page(self) -> Page:
        """Return both means, the effect of each choice, and a figure; tables have the queries too."""
        whole = self.table()
        shown = [row[:3] for row in whole.rows]
        return Page(
            "Waterfall",
            findings=(self._finding(),),
            summary=(Section(tables={self.end: replace(whole, columns=whole.columns[:3], rows=shown)}),),
            remarks=self._remarks(),
            sections=lambda: [self._section()],
        )

    def _finding(self) -> Statement:
        means = f"{self.start} gives {number(self.start_mean)} and {self.end} {number(self.end_mean)}"
        largest = max(self.effective, key=lambda step: abs(np.nan_to_num(step.change)), default=None)
        if largest is None:
            return Statement("effects of choices", f"{means}: no choice makes a difference here.")
        one = f"{largest.title} ({largest.change:+z.4f})"
        n_choices = len(self.effective)
        effects = (
            f"{n_choices} choices make a difference; largest: {one}"
            if n_choices > 1
            else f"one choice makes a difference, {one}"
        )
        return Statement("effects of choices", f"{means}: {effects}.")

    def _remarks(self) -> tuple[str, ...]:
        silent = ", ".join(map(choice_title, self.without_effect))
        return (f"Without effect here: {silent}.",) if silent else ()

    def _section(self) -> Section:
        """Return the steps as a figure and as a table."""
        what = f"From {self.start} to {self.end}, one choice at a time"
        steps = "; ".join(map(str, self.steps)) or "no choice differs"
        drawn = Figure("waterfall", (self,), what, steps)
        return Section(what, "", (drawn,), {what: self.table()}, notes=self._remarks())


@dataclass(frozen=True, repr=False)
class Explanation(Measured):
    """The result of `explain`: the mean with each convention, and the steps from the first one to each other one.

    Attributes
    ----------
    measure : str
        The name of the measure.
    evaluations : Evaluations
        The evaluations by convention.
    waterfalls : tuple of Waterfall
        The steps from the first convention to each other one.

    Examples
    --------
    >>> from idealrank import explain
    >>> explain({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, "ndcg", like=["trec_eval", "lightgbm"])
    Explanation(ndcg: trec_eval 0.8597, lightgbm 0.7967)
    """

    measure: str
    evaluations: Evaluations
    waterfalls: tuple[Waterfall, ...]

    @property
    def mean(self) -> dict[str, float]:
        """{convention: mean}."""
        return {name: means[self.measure] for name, means in self.evaluations.mean.items()}

    _row_name: ClassVar[str] = "convention"
    _has_best: ClassVar[bool] = False

    def by_system(self) -> Evaluations:
        return self.evaluations

    def to_dict(self) -> dict[str, Plain]:
        """Return the conventions, the number of queries and the mean under each, and every step."""
        from idealrank import __version__

        return {
            "idealrank": __version__,
            "measure": self.measure,
            "conventions": {name: plain(each.conventions) for name, each in self.evaluations.items()},
            "n_queries": {name: each.n_queries for name, each in self.evaluations.items()},
            "mean": plain(self.mean),
            "waterfalls": plain(self.waterfalls),
            "problems": plain(self.evaluations.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return a table per waterfall, named by its last convention, and "steps", all steps, for `to_frame`."""
        return {each.end: each.table() for each in self.waterfalls} | {"steps": self._steps_table()}

    def _steps_table(self) -> Table:
        columns = [Column(name) for name in ("start", "end", "choice", "before", "after")]
        numbers = [Column("change", "+.4f"), Column("mean", ".4f"), Column("queries", ",")]
        rows: list[list[Value]] = [
            [way.start, way.end, step.choice, step.before, step.after, step.change, step.mean, step.n_moved]
            for way in self.waterfalls
            for step in way.steps
        ]
        return Table([*columns, *numbers], rows)

    def page(self) -> Page:
        """Return the means with each convention, the effect of each choice, and the sections of a report."""
        page, ways = super().page(), [way.page() for way in self.waterfalls]
        ends = tuple(way.end for way in self.waterfalls)
        without_effect = [(way, line) for way, own in zip(self.waterfalls, ways, strict=True) for line in own.remarks]
        return replace(
            page,
            title=f"Why {self.measure} differs between {listed(self.evaluations)}",
            findings=tuple(finding for way in ways for finding in way.findings),
            summary=tuple(section for way in ways for section in way.summary),
            remarks=(
                *(f"{way.end}: {line[0].lower()}{line[1:]}" if len(ways) > 1 else line for way, line in without_effect),
                f"Means of {self.measure} over {self._queries_text()}.",
            ),
            sections=self._sections,
            defaults={**dict.fromkeys(("csv", "html", "latex", "markdown"), ends), "frame": ("steps",)},
        )

    def _queries_text(self) -> str:
        """Return the number of queries, by convention if it differs."""
        queries = {name: each.queries_text() for name, each in self.evaluations.items()}
        same = len(set(queries.values())) == 1
        return next(iter(queries.values())) if same else listed([f"{n} like {name}" for name, n in queries.items()])

    def _sections(self) -> list[Section]:
        """Return the steps, and then all values."""
        ways = tuple(replace(part, title="") for way in self.waterfalls for part in way.page().sections())
        note = "The explorer, a page of the documentation, shows this in a browser, for any two tools and any query."
        steps = Section("From one number to the other", "waterfalls", parts=(*ways, Section(notes=(note,))))
        return [steps, *self._category_sections(), *self.background()]

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4f}" for name, value in self.mean.items())
        return f"Explanation({self.measure}: {means})"


@overload
def explain(
    data: Data,
    scores: OneSystem,
    measure: str | Measure,
    *,
    like: Iterable[str | Convention],
    published: None = None,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Explanation: ...
@overload
def explain(
    data: Data,
    scores: OneSystem,
    measure: str | Measure,
    *,
    like: str | Convention | None = None,
    published: float | str,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> PublishedExplanation: ...
def explain(
    data: Data,
    scores: OneSystem,
    measure: str | Measure,
    *,
    like: str | Convention | Iterable[str | Convention] | None = None,
    published: float | str | None = None,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Explanation | PublishedExplanation:
    """Explain which choices make a measure differ between conventions, or from a published number.

    From the first convention to each other one, the choices that differ are changed one after the other, and the data
    is evaluated again each time. Every change is exact, and the changes add up to the whole difference; the single
    changes depend on their order. The explorer, a page of the documentation, shows the same in a browser.

    Parameters
    ----------
    data, scores
        The judged documents and one system, as in `evaluate`.
    measure : str or Measure
        The measure to explain.
    like : iterable of str or Convention
        At least two conventions; with ``published``, the convention that you use, by default that of `evaluate`.
    published : float or str, optional
        A number that others published for this system, such as 0.3013, or "0.30" to keep the last 0. All settings that
        differ from yours by a tool, or by up to two options of the measure and choices about the data, are tried: the
        relevance level, the cutoff, gains and discounts, missing queries, queries without relevant documents, unjudged
        documents and ties. Those that give the number are ranked by how few and how common their changes are.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Explanation or PublishedExplanation
        The mean with each convention, and the steps between them; with ``published``, the settings that give it, and
        how often a setting would match a number by chance.

    Raises
    ------
    OptionError
        If fewer than two conventions are given and no published number, or more than one with it.
    DataError
        If several systems are given.

    Examples
    --------
    >>> from idealrank import explain
    >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 0}}
    >>> run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
    >>> print(explain(qrels, run, "ndcg", like=["trec_eval", "letor4"]).to_text("letor4").rstrip())
    choice                                                   change    mean  queries  most changed
    trec_eval                                                        0.4299
    gain: the label -> 2^label - 1                          -0.0315  0.3984        1  q1: -0.0630
    discount: 1 / log2(1 + rank) -> 1 / log2(max(2, rank))  +0.1016  0.5000        1  q1: +0.2033
    letor4                                                           0.5000

    Why is the published AP 0.25?

    >>> explain(qrels, run, "ap", published=0.25).settings[0].changes
    ('relevant from: label 1 -> label 2',)
    """
    several = [] if like is None else [like] if isinstance(like, (str, Convention)) else items_of(like, "like")
    rules = [convention(each) for each in several]
    if published is None and len(rules) < 2:
        raise OptionError(
            "an explanation needs two conventions or more, or a published number: like=['trec_eval', 'sklearn'], "
            "published=0.3013"
        )
    if published is not None and len(rules) > 1:
        raise OptionError("a published number is explained from one convention: like='trec_eval'")
    given = measure_named(measure)
    for each in rules:
        named_measures(measure, each)  # refuses a name that means something else in the tool
    judged, systems = judged_and_systems(data, scores, layout_of(explain, layout, order))
    if len(systems) > 1:
        raise DataError("an explanation is of one system; give one run, or one score per document")
    (system,) = systems.values()
    if published is not None:
        return explain_published(
            judged, system, given, published, like=rules[0] if rules else None, n_threads=n_threads
        )

    def evaluated(chosen: Measure, like: Convention) -> Evaluation:
        return Evaluator(judged, like, n_threads=n_threads).evaluate(system, chosen)

    evaluations = {each.name: evaluated(given, each) for each in rules}
    label = str(given)
    waterfalls = []
    for other in rules[1:]:
        last = evaluations[rules[0].name]
        steps = []
        for choice, before, after, hybrid, filled in _changes(given, rules[0], other):
            now = evaluated(filled, hybrid)
            steps.append(_step(choice, before, after, last, now))
            last = now
        both = evaluations[rules[0].name], evaluations[other.name]
        start, end = (each.mean[label] for each in both)
        n_queries = both[0].n_queries, both[1].n_queries
        waterfalls.append(Waterfall(rules[0].name, other.name, start, end, tuple(steps), n_queries))
    return Explanation(label, Evaluations(evaluations), tuple(waterfalls))


def _changes(given: Measure, start: Convention, end: Convention) -> Iterator[tuple[str, str, str, Convention, Measure]]:
    """Yield each choice that differs, before and after, with the convention and the measure after the change."""
    has_cutoff = given.cutoff is not None
    begun, target = (each.for_measure(given.label, has_cutoff) for each in (start, end))
    measures = given.with_convention(start), given.with_convention(end)
    options = {name: tuple(getattr(each, name) for each in measures) for name in measures[0].options()}
    data = {name: (value, target.data[name]) for name, value in begun.data.items()}
    both = {name: pair for name, pair in (options | data).items() if pair[0] != pair[1]}
    chosen, filled = dict(begun.data), measures[0]
    for name in sorted(both, key=lambda each: each in _LAST):
        before, after = both[name]
        if name in options:
            filled = replace(filled, **{name: after})
        else:
            chosen[name] = after
        yield name, _shown(before), _shown(after), Convention(f"{start} towards {end}", **chosen), filled


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _step(choice: str, before: str, after: str, last: Evaluation, now: Evaluation) -> WaterfallStep:
    old, new = _values(last), _values(now)
    changes = {query: new.get(query, 0.0) - old.get(query, 0.0) for query in {**old, **new}}
    moved = [query for query in changes if (query in old) != (query in new) or changes[query] != 0]
    largest = sorted(moved, key=lambda query: -abs(np.nan_to_num(changes[query])))[:_N_MOVED]
    (was,), (mean,) = last.mean.values(), now.mean.values()
    largest_changes = tuple((query, changes[query]) for query in largest)
    return WaterfallStep(choice, before, after, mean - was, mean, len(moved), largest_changes)


def _values(evaluation: Evaluation) -> Mapping[str, float]:
    """Return {query: value} for the queries that have a value."""
    (values,) = evaluation.per_query.values()
    ids = map(str, evaluation.query_ids.tolist())
    return {query: value for query, value in zip(ids, values.tolist(), strict=True) if value == value}

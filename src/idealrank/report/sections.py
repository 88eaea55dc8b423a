"""What a report says of each kind of result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from idealrank._typing import Floats
from idealrank.evaluation.comparison import Comparison
from idealrank.evaluation.evaluator import Evaluations
from idealrank.evaluation.explanation import Explanation, Waterfall
from idealrank.report import figures
from idealrank.report.curves import curves_of
from idealrank.report.markup import Markup, joined, number, scrolled, table, tag
from idealrank.report.results import Result, best_of, evaluations_of, intervals_of, measures_of, reference_of, values_of
from idealrank.report.svg import inline_svg
from idealrank.stats import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Section", "figure", "sections_of", "title_of", "verdicts_of"]

_FEW = 4
_MANY = 12


@dataclass(frozen=True)
class Section:
    """A part of the page, which its contents lead to."""

    key: str
    title: str
    content: Markup

    def __str__(self) -> str:
        return tag("section", tag("h2", self.title, id=self.key), self.content, aria_labelledby=self.key)


def title_of(result: Result) -> str:
    """What the page is about, in a few words."""
    if isinstance(result, Comparison):
        return f"Comparison of {len(result.systems)} systems"
    if isinstance(result, Explanation):
        return f"Why {result.measure} differs between {_listed(result.evaluations)}"
    n_systems = len(evaluations_of(result))
    return "Evaluation of one system" if n_systems == 1 else f"Evaluation of {n_systems} systems"


def verdicts_of(result: Result) -> list[str]:
    """What was found, in a sentence a measure."""
    if isinstance(result, Comparison):
        return [_verdict(result, measure) for measure in measures_of(result)]
    if isinstance(result, Explanation):
        return [
            f"{way.start} gives {number(way.start_mean)}, {way.end} {number(way.end_mean)}: {_changes(way)}."
            for way in result.waterfalls
        ]
    return []


def sections_of(result: Result, curves: Evaluations | None) -> Iterator[Section]:
    """The parts of the page that show numbers, before those that all pages have."""
    yield Section("summary", "Summary", _summary(result))
    if isinstance(result, Explanation):
        yield Section("waterfalls", "From one number to the other", _waterfalls(result))
    for place, measure in enumerate(measures_of(result)):
        yield Section(f"measure-{place}", measure, _measure(result, measure, f"measure-{place}"))
    over = evaluations_of(result) if curves is None else curves
    families = curves_of(over)
    if families:
        yield Section("curves", "By cut-off", _curves(over, families))


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _changes(way: Waterfall) -> str:
    changes = [f"{step.choice} {step.change:+.4f}" for step in way.steps if step.n_moved]
    return _listed(changes) if changes else "no choice makes a difference here"


def _verdict(found: Comparison, measure: str) -> str:
    significant = found.significant(measure)
    n_tested = len(found.differences[measure])
    level = f"at level {found.level:g}"
    if found.baseline is not None:
        what = f"{len(significant)} of {n_tested} differ significantly from {found.baseline} {level}"
        changes = [f"{each.system} ({each.difference:+.4f})" for each in significant]
        return f"{measure}: {what}: {_listed(changes)}." if changes else f"{measure}: {what}."
    best = reference_of(found, measure)
    told = {name for each in significant if best in (each.system, each.against) for name in (each.system, each.against)}
    others = [system for system in found.systems if system not in {best, *told}]
    rest = "significantly better than every other"
    if others:
        names = _listed(others) if len(others) <= _FEW else f"{len(others)} of the others"
        rest = f"not significantly better than {names}"
    first = f"{best} has the best mean, {number(found.means[measure][best].mean)}, {rest}"
    return f"{measure}: {first}; {len(significant)} of {n_tested} pairs differ {level}."


def _summary(result: Result) -> Markup:
    """A row a system, a column a measure: the mean and its interval."""
    intervals = {measure: intervals_of(result, measure) for measure in measures_of(result)}
    has_best = len(evaluations_of(result)) > 1 and not isinstance(result, Explanation)
    lower = evaluations_of(result).lower_is_better
    best = {name: found[best_of(found, lower(name))].mean for name, found in intervals.items() if has_best}
    rows = []
    for system in evaluations_of(result):
        cells = [
            _mean(found[system], is_best=found[system].mean == best.get(measure))
            for measure, found in intervals.items()
        ]
        rows.append(tag("tr", tag("th", system, scope="row"), *cells))
    what = "convention" if isinstance(result, Explanation) else "system"
    heads = [tag("th", what, scope="col"), *(tag("th", name, scope="col", class_="number") for name in intervals)]
    caption = f"Mean of each {what}, and its interval"
    whole = tag("table", tag("caption", caption), tag("thead", tag("tr", *heads)), tag("tbody", *rows))
    level = next(iter(next(iter(intervals.values())).values())).level
    method = "BCa bootstrap" if isinstance(result, Comparison) else "t distribution"
    note = f"Means over queries, with their {level:.0%} intervals by the {method}."
    if has_best:
        note += " The best mean is bold."
    return joined([scrolled(whole, caption), tag("p", note, class_="note")])


def _mean(interval: Interval, *, is_best: bool) -> Markup:
    bounds = "no interval" if math.isnan(interval.low) else _range(interval)
    mean = tag("strong" if is_best else "span", number(interval.mean))
    return tag("td", mean, tag("small", bounds), class_="number")


def _range(interval: Interval) -> str:
    return f"{number(interval.low)} to {number(interval.high)}"


def _measure(result: Result, measure: str, key: str) -> Markup:
    if not isinstance(result, Comparison):
        return tag("div", *_means(result, measure, key), *_distributions(result, measure, key), class_="figures")
    drawn = [*_means(result, measure, key), *_pairs(result, measure, key), *_distributions(result, measure, key)]
    rows = result.table(measure)
    whole = table(rows, f"Differences by {measure}")
    if len(rows.rows) > _MANY:
        whole = tag("details", tag("summary", f"All {len(rows.rows)} comparisons"), whole)
    return joined([tag("div", *drawn, class_="figures"), whole, *_notes(result, measure)])


def _means(result: Result, measure: str, key: str) -> Iterator[Markup]:
    intervals = intervals_of(result, measure)
    if len(intervals) > 1:
        told = "; ".join(f"{name} {number(each.mean)}, {_range(each)}" for name, each in intervals.items())
        draw = partial(figures.means, result, measure)
        yield figure(draw, f"{key}-means", "Means and their intervals", told)


def _distributions(result: Result, measure: str, key: str) -> Iterator[Markup]:
    told = "; ".join(f"{name}: {_spread(values)}" for name, values in values_of(result, measure).items())
    draw = partial(figures.distributions, result, measure)
    yield figure(draw, f"{key}-spread", "How the queries are spread, by roots of shares; the line is the mean", told)


def _spread(values: Floats) -> str:
    return f"{values.size:,} queries from {values.min():.4f} to {values.max():.4f}" if values.size else "no value"


def _pairs(found: Comparison, measure: str, key: str) -> Iterator[Markup]:
    tested = found.differences[measure]
    if found.baseline is None:
        told = "; ".join(f"{each.system} against {each.against}: {each.corrected:.4f}" for each in tested)
        what = "Corrected p-values: ▲ the row is significantly better than the column, ▼ worse"
        yield figure(partial(figures.significance, found, measure), f"{key}-significance", what, told)
    against = reference_of(found, measure)
    told = "; ".join(
        f"{each.system} against {each.against}: {each.effect.wins} better, {each.effect.losses} worse"
        for each in tested
        if against in (each.system, each.against)
    )
    best = "" if found.baseline is not None else ", which has the best mean"
    what = f"Difference from {against}{best}, query by query"
    yield figure(partial(figures.differences, found, measure), f"{key}-differences", what, told)


def _notes(found: Comparison, measure: str) -> Iterator[Markup]:
    for note in dict.fromkeys(each.note for each in found.differences[measure] if each.note):
        yield tag("p", f"Note: {note}.", class_="note")
    yield tag("p", _COLUMNS, class_="note")
    moved = [
        tag("li", f"{each.system}: {', '.join(f'{query} {change:+.4f}' for query, change in each.moved)}")
        for each in found.differences[measure]
        if each.moved and found.baseline is not None
    ]
    if moved:
        yield tag("details", tag("summary", "Queries that moved most"), tag("ul", *moved))


_COLUMNS = (
    "change: difference of the means; d_z: change over the standard deviation of the differences; better, same, worse: "
    "numbers of queries; detectable: the least true difference that as many queries show with a power of 0.8."
)


def _waterfalls(found: Explanation) -> Markup:
    parts = []
    for place, way in enumerate(found.waterfalls):
        what = f"From {way.start} to {way.end}, one choice at a time"
        steps = "; ".join(map(str, way.steps)) or "no choice differs"
        drawn = figure(partial(figures.waterfall, way), f"way-{place}", what, steps)
        parts += [tag("div", drawn, class_="figures"), table(way.table(), what)]
        if way.without_effect:
            parts.append(tag("p", f"Without effect here: {', '.join(way.without_effect)}.", class_="note"))
    return joined(parts)


def _curves(evaluations: Evaluations, families: Mapping[str, Mapping[str, Mapping[int, float]]]) -> Markup:
    drawn = []
    for place, (family, systems) in enumerate(families.items()):
        told = "; ".join(
            f"{system}: {', '.join(f'{number(mean)} at {cutoff}' for cutoff, mean in curve.items())}"
            for system, curve in systems.items()
        )
        draw = partial(figures.cutoff_curves, evaluations, family)
        drawn.append(figure(draw, f"curve-{place}", f"{family} by cut-off", told))
    return tag("div", *drawn, class_="figures")


def figure(draw: Callable[[], Axes], key: str, caption: str, description: str) -> Markup:
    """What ``draw`` draws, under its caption; the description is for those who do not see it."""
    return tag("figure", tag("figcaption", caption), inline_svg(draw, key, caption, description))

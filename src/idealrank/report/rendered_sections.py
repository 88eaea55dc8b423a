"""Sections of results as HTML, and the functions that draw their figures by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from idealrank._present.json_values import number
from idealrank._present.markup import Markup, joined, scrolled, tag, typeset
from idealrank._present.page import Figure, Section, listed
from idealrank._present.system_scores import PAIR_COLUMNS, MeasureScores, Scores
from idealrank._present.table import Column, Table, Value
from idealrank.report import figures
from idealrank.report.figures import learning_curve
from idealrank.report.printed_tables import paper_table, side_by_side, split
from idealrank.report.svg import inline_svg
from idealrank.theory.distinguishing.plots import plot_pairs, plot_sequence, plot_values, plot_wins
from idealrank.theory.long_lists.curve_plots import plot_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Most numbers of queries, most systems with them, and most pairs that are written as tables.
_MOST_VALUES, _MOST_SYSTEMS, _MOST_PAIRS = 12_000, 20, 300
_SPECS = {"p": "p", "corrected": "p", "better": ".0f", "same": ".0f", "worse": ".0f", "d_z": ".2f"}


def appendix_tables(scores: Scores) -> Iterator[tuple[str, Table]]:
    """Yield captions and tables: means of all measures, then the compared pairs and the queries of each.

    Parameters
    ----------
    scores : Scores
        The scores.

    Examples
    --------
    >>> one = MeasureScores(np.array([[0.5, 1.0]]), np.array([[0.75, 0.25, 1.25]]))
    >>> tables = dict(appendix_tables(Scores(["bm25"], ["q1", "q2"], {"rr": one}, "2 queries", "95% intervals by t")))
    >>> list(tables), tables["rr on every query"].rows
    (['Means over 2 queries, with 95% intervals by t', 'rr on every query'], [['q1', 0.5], ['q2', 1.0]])
    """
    has_intervals = any(np.isfinite(each.means[:, 1]).any() for each in scores.measures.values())
    intervals = f", with {scores.intervals}" if has_intervals else ""
    yield from _parts(f"Means over {scores.basis}{intervals}", _means(scores, has_intervals=has_intervals), "measure")
    hidden = unwritten(scores)
    for name, each in scores.measures.items():
        if each.pairs.size and "pairs" not in hidden:
            yield f"Comparisons by {name} ({scores.test})", _pairs(scores, each)
        if "values" not in hidden:
            yield from _parts(f"{name} on every query", _queries(scores, each), scores.kind)


def _parts(caption: str, table: Table, kind: str) -> Iterator[tuple[str, Table]]:
    """Yield the table, or parts of it that fit a page, with captions that say which columns they have."""
    n_columns = len(table.columns) - 1
    for part, places in split(table):
        is_whole = len(places) == n_columns
        yield caption + ("" if is_whole else f", {kind}s {places[0]} to {places[-1]} of {n_columns}"), part


def unwritten(scores: Scores) -> list[str]:
    """Return what is too long for tables, and for paper.

    Examples
    --------
    >>> unwritten(Scores(["a"], ["q"], {}, "", ""))
    []
    """
    n_pairs = max((len(each.pairs) for each in scores.measures.values()), default=0)
    is_long = scores.n_values * len(scores.measures) > _MOST_VALUES or len(scores.systems) > _MOST_SYSTEMS
    return [*(["pairs"] if n_pairs > _MOST_PAIRS else []), *(["values"] if is_long else [])]


def _means(scores: Scores, *, has_intervals: bool) -> Table:
    """Return a row per system, in the order of the first measure, and a column per measure."""
    measures = list(scores.measures.values())
    sign = 1.0 if measures[0].lower_is_better else -1.0
    order = np.argsort(np.nan_to_num(sign * measures[0].means[:, 0], nan=np.inf), kind="stable").tolist()
    rows: list[list[Value]] = []
    beside, best = {}, set()
    for row, place in enumerate(order):
        rows.append([scores.systems[place], *(float(each.means[place, 0]) for each in measures)])
        for column, each in enumerate(measures, 1):
            mean, low, high = each.means[place].tolist()
            if has_intervals:
                beside[row, column] = "no interval" if np.isnan(low) else f"{number(low)} to {number(high)}"
            if scores.has_best and len(order) > 1 and mean == each.means[each.best(), 0]:
                best.add((row, column))
    columns = [Column(scores.kind), *(Column(name, ".4f") for name in scores.measures)]
    return Table(columns, rows, beside, frozenset(best))


def _pairs(scores: Scores, each: MeasureScores) -> Table:
    names = PAIR_COLUMNS[2:]
    columns = [Column(scores.kind), Column("against"), *(Column(name, _SPECS.get(name, ".4f")) for name in names)]
    rows: list[list[Value]] = [
        [scores.systems[int(system)], scores.systems[int(against)], *numbers]
        for system, against, *numbers in each.pairs.tolist()
    ]
    return Table(columns, rows)


def _queries(scores: Scores, each: MeasureScores) -> Table:
    columns = [Column("query"), *(Column(name, ".4f") for name in scores.systems)]
    rows: list[list[Value]] = [
        [query, *values] for query, values in zip(scores.queries, each.values.T.tolist(), strict=True)
    ]
    return Table(columns, rows)


#: The functions that draw figures, by the names that sections use.
FIGURES: Mapping[str, Callable[..., Axes]] = {
    **{name: getattr(figures, name) for name in figures.__all__},
    "drawn": lambda figure: figure.axes[0],
    "learning_curve": learning_curve,
    "difference_by_queries": plot_sequence,
    "means_by_length": plot_values,
    "pairs_by_queries": plot_pairs,
    "rank_ranges": figures.rank_ranges,
    "relevance_curves": plot_curves,
    "wins": plot_wins,
}

#: Figures of more points have the width of the page: next to another, their text would be too small.
_WIDE = 460


def render_section(section: Section, key: str) -> Markup:
    """Return the section with its heading; ``key`` is its id."""
    scripted = "scripted" if is_scripted(section) else None
    head = tag("h2", section.title, id=key)
    return tag("section", head, *_content(section, key), aria_labelledby=key, class_=scripted)


def is_scripted(section: Section) -> bool:
    """Return whether the section says nothing without JavaScript: its notes are about its views."""
    shown = (section.figures, section.tables, section.lists, section.definitions, section.code)
    return bool(section.views) and not any(shown) and all(map(is_scripted, section.parts))


def render_definitions(entries: Mapping[str, object]) -> Markup:
    """Return terms with their meanings."""
    return tag("dl", *(part for name, value in entries.items() for part in (tag("dt", name), tag("dd", value))))


def render_code(text: str) -> Markup:
    """Return code whose lines end only between words, and between the options of a measure, if these fit into a line.

    Examples
    --------
    >>> render_code("--like trec_eval")
    '<code><span class="word">--like</span> <span class="word">trec_eval</span></code>'
    """
    parts = re.findall(r"[^ (,]*[(,]|[^ (,]+| ", text)
    return tag("code", *(part if part == " " else tag("span", part, class_="word") for part in parts))


def _content(section: Section, key: str) -> Iterator[Markup]:
    if section.figures:
        drawn = [_figure(figure, f"{key}-figure-{place}") for place, figure in enumerate(section.figures)]
        yield tag("div", *drawn, class_="figures")
    for view in section.views:
        if view != "lists":  # another view shows them
            yield tag("div", data_view=view, class_="scripted")
    is_titled = len(section.tables) > 1
    for caption, table in section.tables.items():
        label = section.folded.get(caption)
        if is_titled and label is None:
            yield tag("h3", caption)
        shown = [paper_table(table, caption), *(tag("p", typeset(note), class_="note") for note in table.notes)]
        yield joined(shown) if label is None else tag("details", tag("summary", label), *shown)
    for note in section.notes:
        yield tag("p", typeset(note), class_="note")
    for label, lines in section.lists.items():
        yield tag("details", tag("summary", label), tag("ul", *(tag("li", typeset(line)) for line in lines)))
    if section.definitions or section.code:
        code = {name: render_code(value) for name, value in section.code.items()}
        yield render_definitions({**section.definitions, **code})
    for place, part in enumerate(section.parts):
        label, content = section.folded.get(part.title), _content(part, f"{key}-{place}")
        if label is not None:
            yield tag("details", tag("summary", label), *content)
            continue
        if part.title:
            yield tag("h3", part.title)
        yield from content


def _figure(figure: Figure, key: str) -> Markup:
    drawn = inline_svg(lambda: FIGURES[figure.name](*figure.data), key, figure.caption, figure.description)
    caption = tag("figcaption", figure.caption)
    if float(drawn.split('viewBox="0 0 ', 1)[1].split()[0]) <= _WIDE:
        return tag("figure", caption, drawn)
    return tag("figure", caption, scrolled(drawn, figure.caption), class_="wide")


def render_appendix(scores: Scores) -> Markup:
    """Return all numbers of the interactive views as tables, for paper and for browsers without JavaScript."""
    tables = [joined([tag("h3", caption), side_by_side(table, caption)]) for caption, table in appendix_tables(scores)]
    hidden = unwritten(scores)
    rest = []
    if hidden:
        words = {"pairs": "comparisons of all pairs", "values": "values of single queries"}
        said = f"The {listed([words[name] for name in hidden])} are in this file: with JavaScript, the page shows them."
        rest = [tag("p", said, class_="note")]
    head = tag("h2", "All numbers", id="appendix")
    return tag("section", head, *tables, *rest, class_="appendix", aria_labelledby="appendix")

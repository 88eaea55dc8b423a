"""Sections of results as HTML, and the functions that draw their figures by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from idealrank._present.markup import Markup, joined, scrolled, tag, typeset
from idealrank._present.page import Figure, Section, listed
from idealrank._present.system_scores import Scores
from idealrank.report import figures
from idealrank.report.appendix import appendix_tables, unwritten
from idealrank.report.learning_curves import learning_curve
from idealrank.report.paper import paper_table, side_by_side
from idealrank.report.svg import inline_svg
from idealrank.theory.distinguishing.plots import plot_pairs, plot_sequence, plot_values, plot_wins
from idealrank.theory.long_lists.curve_plots import plot_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FIGURES", "is_scripted", "render_appendix", "render_code", "render_definitions", "render_section"]

#: The functions that draw figures, by the names that sections use.
FIGURES: Mapping[str, Callable[..., Axes]] = {
    **{name: getattr(figures, name) for name in figures.__all__},
    "drawn": lambda figure: figure.axes[0],
    "learning_curve": learning_curve,
    "difference_by_queries": plot_sequence,
    "means_by_length": plot_values,
    "pairs_by_queries": plot_pairs,
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
        if part.title:
            yield tag("h3", part.title)
        yield from _content(part, f"{key}-{place}")


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
        said = f"The {listed([words[name] for name in hidden])} are in this file: JavaScript shows and prints them."
        rest = [tag("p", said, class_="note on-screen"), tag("div", data_print=" ".join(hidden))]
    head = tag("h2", "All numbers", id="appendix")
    return tag("section", head, *tables, *rest, class_="appendix", aria_labelledby="appendix")

"""Sections of results as HTML, and the functions that draw their figures by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from idealrank._base.markup import Markup, joined, tag
from idealrank._base.sections import Figure, Section
from idealrank._base.tables import html_table
from idealrank.report import figures
from idealrank.report.learning import learning_curve
from idealrank.report.svg import inline_svg
from idealrank.theory.distinguishing.plots import plot_curves, plot_sequence, plot_values, plot_wins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FIGURES", "render_definitions", "render_section"]

#: The functions that draw figures, by the names that sections use.
FIGURES: Mapping[str, Callable[..., Axes]] = {
    **{name: getattr(figures, name) for name in figures.__all__},
    "drawn": lambda figure: figure.axes[0],
    "learning_curve": learning_curve,
    "difference_by_queries": plot_sequence,
    "means_by_length": plot_values,
    "relevance_curves": plot_curves,
    "wins": plot_wins,
}


def render_section(section: Section, key: str) -> Markup:
    """Return the section with its heading; ``key`` is its id."""
    return tag("section", tag("h2", section.title, id=key), *_content(section, key), aria_labelledby=key)


def render_definitions(entries: Mapping[str, object]) -> Markup:
    """Return terms with their meanings."""
    return tag("dl", *(part for name, value in entries.items() for part in (tag("dt", name), tag("dd", value))))


def _content(section: Section, key: str) -> Iterator[Markup]:
    if section.figures:
        drawn = [_figure(figure, f"{key}-figure-{place}") for place, figure in enumerate(section.figures)]
        yield tag("div", *drawn, class_="figures")
    for caption, table in section.tables.items():
        whole = html_table(table, caption)
        label = section.folded.get(caption)
        yield whole if label is None else tag("details", tag("summary", label), whole)
    for note in section.notes:
        yield tag("p", note, class_="note")
    for label, lines in section.lists.items():
        yield tag("details", tag("summary", label), tag("ul", *(tag("li", line) for line in lines)))
    if section.definitions or section.code:
        code = {name: tag("code", value) for name, value in section.code.items()}
        yield render_definitions({**section.definitions, **code})
    if section.values:
        yield _explorer(section.values)
    for place, part in enumerate(section.parts):
        if part.title:
            yield tag("h3", part.title)
        yield from _content(part, f"{key}-{place}")


def _figure(figure: Figure, key: str) -> Markup:
    drawn = inline_svg(lambda: FIGURES[figure.name](*figure.data), key, figure.caption, figure.description)
    return tag("figure", tag("figcaption", figure.caption), drawn)


def _explorer(values: Mapping[str, Any]) -> Markup:
    """Return the frame of the table that the script of the page fills."""
    options = [tag("option", measure, value=measure) for measure in values["values"]]
    controls = tag(
        "div",
        tag("label", "Measure", tag("select", *options, id="queries-measure")),
        tag("label", "Query contains", tag("input", id="queries-filter", type="search", autocomplete="off")),
        tag("span", id="queries-status", role="status", class_="note"),
        class_="controls",
    )
    frame = tag("table", tag("caption", "Values query by query"), tag("thead"), tag("tbody"), id="queries-table")
    return joined(
        [
            tag("noscript", tag("p", "Only this table needs JavaScript.", class_="note")),
            controls,
            tag("div", frame, id="queries-scroll", role="region", aria_label="Values query by query", tabindex=0),
            tag("button", id="queries-more", type="button", hidden=""),
            tag("p", "At most the first 50 rows are printed.", class_="note print-only"),
        ]
    )

"""The page: one file that needs no other, and asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

import idealrank
from idealrank._base.tables import Column, Table
from idealrank.data.problem import Problem
from idealrank.evaluation.comparison import Comparison
from idealrank.evaluation.evaluator import Evaluation, Evaluations
from idealrank.io.files import atomic_output
from idealrank.report import palette
from idealrank.report.markup import Markup, joined, json_script, table, tag
from idealrank.report.results import Result, evaluations_of, measures_of
from idealrank.report.sections import Section, figure, sections_of, title_of, verdicts_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Part", "html", "html_of_tables"]


def html(
    result: Result,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    curves: Evaluations | None = None,
    parts: Sequence[Part] = (),
    command: str | None = None,
) -> str:
    """The report of what `evaluate`, `compare` or `explain` found: one self-contained HTML page.

    With ``path`` it is also written there, whole or not at all. ``curves`` are evaluations at several cut-offs, of
    `over_cutoffs` say, to draw; without, the result's own measures are drawn where they have several. ``parts`` are
    tables with pictures to show as well, ``command`` is what to say it was made by. The same arguments give the same
    page.

    >>> from idealrank import evaluate
    >>> page = html(evaluate({"<q>": {"a": 1}}, {"<q>": {"a": 1.0}}, "rr"), title="R & D")
    >>> "<h1>R &amp; D</h1>" in page, "<q>" in page
    (True, False)
    """
    evaluations = evaluations_of(result)
    title = title or title_of(result)
    sections = [
        *sections_of(result, curves),
        *_sections_of_parts(parts),
        Section("queries", "Query by query", _queries(measures_of(result))),
        Section("data", "Data quality", _problems(evaluations.problems)),
        Section("conventions", "Conventions", joined(_conventions(evaluations))),
        Section("provenance", "Provenance", _definitions(_provenance(result, command))),
    ]
    data = json_script(_values(evaluations), "queries-data")
    return _assembled(title, _header(result, title), sections, path, data, _asset("page.js"))


@dataclass(frozen=True)
class Part:
    """A table, and pictures that go with it: (draw, caption, description) each.

    >>> Part("All", Table([Column("n")], [[1]])).pictures
    ()
    """

    title: str
    table: Table
    pictures: tuple[tuple[Callable[[], Axes], str, str], ...] = ()


def html_of_tables(
    title: str,
    verdicts: Sequence[str],
    parts: Sequence[Part],
    path: str | os.PathLike[str] | None = None,
    *,
    command: str | None = None,
) -> str:
    """A page of the same kind for tables with pictures: what was found in sentences, then one part after the other.

    >>> page = html_of_tables("Two & more", ["a < b"], [Part("All", Table([Column("n")], [[1]]))])
    >>> "<h1>Two &amp; more</h1>" in page, "<li>a &lt; b</li>" in page
    (True, True)
    """
    sections = [*_sections_of_parts(parts)]
    made_by: dict[str, object] = {} if command is None else {"command": tag("code", command)}
    sections.append(Section("provenance", "Provenance", _definitions(made_by | _programs())))
    found = tag("ul", *(tag("li", verdict) for verdict in verdicts), class_="verdicts") if verdicts else ""
    return _assembled(title, tag("header", tag("h1", title), found), sections, path)


def _sections_of_parts(parts: Sequence[Part]) -> Iterator[Section]:
    for place, part in enumerate(parts):
        key = f"part-{place}"
        drawn = [figure(draw, f"{key}-{n}", caption, told) for n, (draw, caption, told) in enumerate(part.pictures)]
        pictures = tag("div", *drawn, class_="figures") if drawn else Markup("")
        yield Section(key, part.title, joined([table(part.table, part.title), pictures]))


def _assembled(
    title: str,
    header: Markup,
    sections: list[Section],
    path: str | os.PathLike[str] | None,
    data: Markup = Markup(""),  # noqa: B008  (a text, which nothing changes)
    script: str = "",
) -> str:
    """The whole page, also written where a path says."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = Template(_asset("page.html")).substitute(
        title=joined([title]),
        script_hash=f"sha256-{digest}",
        style=palette.css() + _asset("page.css"),
        header=header,
        contents=_contents(sections),
        main="\n".join(map(str, sections)),
        footer=tag("footer", f"Made with idealrank {idealrank.__version__}."),
        data=data,
        script=script,
    )
    if path is not None:
        with atomic_output(path) as file:
            file.write(page.encode())
    return page


def _asset(name: str) -> str:
    return files("idealrank.report").joinpath(name).read_text(encoding="utf-8")


def _header(result: Result, title: str) -> Markup:
    evaluations = evaluations_of(result)
    n_queries = result.n_queries if isinstance(result, Comparison) else len(_query_ids(evaluations))
    about = f"{n_queries:,} queries; {', '.join(measures_of(result))}; like {', '.join(_by_convention(evaluations))}"
    verdicts = [tag("li", verdict) for verdict in verdicts_of(result)]
    found = tag("ul", *verdicts, class_="verdicts") if verdicts else ""
    return tag("header", tag("h1", title), tag("p", about, class_="about"), found)


def _contents(sections: list[Section]) -> Markup:
    links = [tag("li", tag("a", section.title, href=f"#{section.key}")) for section in sections]
    return tag("nav", tag("ul", *links), aria_label="Contents")


def _queries(measures: list[str]) -> Markup:
    """The frame of the table that the page's script fills."""
    options = [tag("option", measure, value=measure) for measure in measures]
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
            tag("noscript", tag("p", "This table, and only this table, needs JavaScript.", class_="note")),
            controls,
            tag("div", frame, id="queries-scroll", role="region", aria_label="Values query by query", tabindex=0),
            tag("button", id="queries-more", type="button", hidden=""),
            tag("p", "At most the first 50 rows are printed.", class_="note print-only"),
        ]
    )


def _values(evaluations: Evaluations) -> dict[str, Any]:
    """One value a measure, system and query, of all queries that any system has; None where there is none."""
    queries = _query_ids(evaluations)
    places = {query: place for place, query in enumerate(queries)}
    values: dict[str, list[list[float | None]]] = {}
    largest: dict[str, float] = {}
    for evaluation in evaluations.values():
        rows = [places[str(query)] for query in evaluation.query_ids.tolist()]
        for measure, own in evaluation.per_query.items():
            column = np.full(len(queries), np.nan)
            column[rows] = own
            values.setdefault(measure, []).append([None if v != v else v for v in column.round(4).tolist()])
            largest[measure] = max(largest.get(measure, 0.0), float(np.nanmax(own, initial=0.0)))
    return {"systems": list(evaluations), "queries": queries, "values": values, "largest": largest}


def _query_ids(evaluations: Evaluations) -> list[str]:
    return list(dict.fromkeys(str(query) for each in evaluations.values() for query in each.query_ids.tolist()))


def _problems(problems: tuple[Problem, ...]) -> Markup:
    if not problems:
        return tag("p", "Nothing was met in the data that its owner should know of.")
    columns = [Column("what"), Column("count", ","), Column("what it means")]
    return table(Table(columns, [[each.kind, each.count, each.message] for each in problems]), "Met in the data")


def _by_convention(evaluations: Evaluations) -> dict[str, Evaluation]:
    """{convention: one of the evaluations under it}."""
    return {each.convention.name: each for each in evaluations.values()}


def _conventions(evaluations: Evaluations) -> Iterator[Markup]:
    for name, evaluation in _by_convention(evaluations).items():
        told = evaluation.conventions
        choices = {choice: str(value) for choice, value in told["data"].items()}
        for measure, filled in told["measures"].items():
            others = "".join(f"; {choice} {value}" for choice, value in told["exceptions"].get(measure, {}).items())
            choices[measure] = tag("code", f"{filled}{others}")
        yield tag("h3", f"like {name}")
        yield _definitions(choices)


def _provenance(result: Result, command: str | None) -> dict[str, object]:
    """By what the numbers can be had again."""
    found: dict[str, object] = {} if command is None else {"command": tag("code", command)}
    if isinstance(result, Comparison):
        found |= {"test": result.test, "level": f"{result.level:g}", "seed": result.seed}
        if result.test != "tukey":
            found["correction"] = result.correction
    for evaluation in evaluations_of(result).values():
        found |= evaluation.provenance
    return found | _programs()


def _programs() -> dict[str, object]:
    programs: dict[str, object] = {"idealrank": idealrank.__version__, "Python": platform.python_version()}
    return programs | {name: version(name.lower()) for name in ("NumPy", "SciPy", "Matplotlib")}


def _definitions(entries: Mapping[str, object]) -> Markup:
    return tag("dl", *(part for name, value in entries.items() for part in (tag("dt", name), tag("dd", value))))

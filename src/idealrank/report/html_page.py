"""The report: one self-contained HTML file that makes no network requests."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import distribution, version
from importlib.resources import files
from string import Template
from typing import cast

import idealrank
from idealrank._core.checks import items_of
from idealrank._core.extras import is_installed
from idealrank._present import figure_style
from idealrank._present.markup import Markup, joined, json_script, tag, typeset
from idealrank._present.page import Section
from idealrank._present.result import Result
from idealrank._present.system_scores import Scores
from idealrank.errors import DataError
from idealrank.evaluation.top_documents import TopDocuments
from idealrank.io.files import atomic_output
from idealrank.report.page_data import Curves, embedded_curves, embedded_lists, embedded_scores
from idealrank.report.rendered_sections import (
    is_scripted,
    render_appendix,
    render_code,
    render_definitions,
    render_section,
)


def html(
    result: Result,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    parts: Sequence[Section] = (),
    command: str | None = None,
) -> str:
    """Write the report of a result as one self-contained HTML page; the same arguments give the same page.

    Parameters
    ----------
    result : Result
        The result of `evaluate`, `compare`, `explain` or any other function that returns one. With ``for_report=True``,
        `evaluate` and `compare` keep curves over cutoffs and the first documents of each query, which the page shows.
    path : str or path, optional
        The file to write, either completely or not at all; by default, the page is only returned.
    title : str, optional
        The title of the page; by default, the title of the result.
    parts : sequence of Section
        Sections to add to the page.
    command : str, optional
        The command line that made the page, to be shown on it.

    Returns
    -------
    str
        The page.

    Raises
    ------
    DataError
        If ``result`` is not a result, or ``parts`` are not sections.

    Examples
    --------
    >>> from idealrank import evaluate, report
    >>> page = report.html(evaluate({"<q>": {"a": 1}}, {"<q>": {"a": 1.0}}, "rr"), title="R & D")
    >>> "<h1>R &amp; D</h1>" in page, "<q>" in page
    (True, False)
    """
    if not hasattr(result, "page"):
        raise DataError(f"a report is of what evaluate, compare or explain returned, got {type(result).__name__}")
    parts = list(items_of(parts, "parts"))
    for part in parts:
        if not hasattr(part, "views"):
            raise DataError(f"parts: expected a list of Section, got {type(part).__name__}")
    page = result.page()
    sections = list(page.sections() or page.summary)
    place = next((place for place, each in enumerate(sections) if each.key == "queries"), len(sections))
    sections[place:place] = parts
    title = title or page.title
    about = [tag("p", page.about, class_="about")] if page.about else []
    first, *others = map(typeset, page.findings or [""])
    verdicts = [tag("p", first, class_="result")] if page.findings else []
    verdicts += [tag("ul", *(tag("li", finding) for finding in others), class_="verdicts")] if others else []
    keyed = {section.key or f"part-{place}": section for place, section in enumerate(sections)}
    rendered = [render_section(section, key) for key, section in keyed.items()]
    data, appendix = _embedded(sections)
    script = _asset("page.js") if data else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    content = Template(_asset("page.html")).substitute(
        title=joined([title]),
        script_hash=f"sha256-{digest}",
        style=figure_style.css() + _asset("page.css"),
        header=tag("header", tag("h1", title), *about, *verdicts),
        contents=_contents(keyed, bool(appendix)),
        main="\n".join([*rendered, _provenance(command, page.provenance), *appendix]),
        footer=tag("footer", f"Made with idealrank {idealrank.__version__}."),
        data=json_script(data, "report-data") if data else "",
        script=tag("script", Markup(script)) if script else "",
    )
    if path is not None:
        with atomic_output(path) as file:
            file.write(content.encode())
    return content


def _embedded(sections: Iterable[Section]) -> tuple[dict[str, object], list[Markup]]:
    """Return the data of the interactive views, and all of its numbers as tables."""
    views = {view: make for section in sections for view, make in section.views.items()}
    curves, lists = views.pop("curves", None), views.pop("lists", None)
    if not views:
        return {}, []
    scores = cast("Scores", next(iter(views.values()))())
    data: dict[str, object] = {"scores": embedded_scores(scores)}
    if curves is not None:
        data["curves"] = embedded_curves(cast("Curves", curves()))
    if lists is not None:
        data["lists"] = embedded_lists(cast("TopDocuments", lists()), scores)
    return data, [render_appendix(scores)]


def _asset(name: str) -> str:
    return files("idealrank.report").joinpath(name).read_text(encoding="utf-8")


def _contents(sections: Mapping[str, Section], has_appendix: bool) -> Markup:
    """Return links to all sections; to those of a page without JavaScript, if it has none."""
    links = [(key, each.title, "scripted" if is_scripted(each) else None) for key, each in sections.items()]
    links += [
        ("provenance", "Provenance", None),
        *([("appendix", "All numbers", "unscripted")] if has_appendix else []),
    ]
    items = [tag("li", tag("a", title, href=f"#{key}"), class_=kind) for key, title, kind in links]
    return tag("nav", tag("ul", *items), aria_label="Contents")


def _provenance(command: str | None, made_with: Mapping[str, object]) -> Markup:
    """Return what is needed to reproduce the result."""
    made_by: dict[str, object] = {} if command is None else {"command": render_code(str(command))}
    programs = {"idealrank": idealrank.__version__, "Python": platform.python_version()}
    others = {name: _version(name.lower()) for name in ("NumPy", "SciPy", "Matplotlib") if is_installed(name.lower())}
    entries = render_definitions({**made_by, **made_with, **programs, **others})
    return tag("section", tag("h2", "Provenance", id="provenance"), entries, aria_labelledby="provenance")


def _version(package: str) -> str:
    """Return the version of a package from the lines of its metadata, which are mostly a long description."""
    found = re.search(r"(?m)^Version: (.+)$", distribution(package).read_text("METADATA") or "")
    return found[1] if found else version(package)

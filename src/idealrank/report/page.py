"""The page: one file that needs no other, and asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from string import Template

import idealrank
from idealrank._base.markup import Markup, joined, json_script, tag
from idealrank._base.results import Result
from idealrank._base.sections import Section
from idealrank.errors import DataError
from idealrank.io.files import atomic_output
from idealrank.report import palette
from idealrank.report.sections import render_definitions, render_section

__all__ = ["html", "html_of_sections"]


def html(
    result: Result,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    curves: Result | None = None,
    parts: Sequence[Section] = (),
    command: str | None = None,
) -> str:
    """Write the report of a result: one self-contained HTML page. The same arguments give the same page.

    Parameters
    ----------
    result
        What `evaluate`, `compare`, `explain` or any other function returned that gives a result.
    path
        Where to write the page, whole or not at all; None only returns it.
    title
        The title; the result has one of its own.
    curves
        Evaluations at several cutoffs, of `over_cutoffs` say, to draw. Without, the result's own measures are drawn
        where they have several.
    parts
        Further sections.
    command
        The command to name as what made the page.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> page = html(evaluate({"<q>": {"a": 1}}, {"<q>": {"a": 1.0}}, "rr"), title="R & D")
    >>> "<h1>R &amp; D</h1>" in page, "<q>" in page
    (True, False)
    """
    if not hasattr(result, "sections"):
        raise DataError(f"a report is of what evaluate, compare or explain returned, got {type(result).__name__}")
    over = (result if curves is None else curves).cutoff_sections()
    sections = [*result.sections(), *over, *parts, *result.background()]
    about = [tag("p", result.about(), class_="about")] if result.about() else []
    return _assembled(title or result.title(), about, result.findings(), sections, path, command, result.made_with())


def html_of_sections(
    title: str,
    findings: Sequence[str],
    sections: Sequence[Section],
    path: str | os.PathLike[str] | None = None,
    *,
    command: str | None = None,
) -> str:
    """Write a page of the same kind: what was found in sentences, then one section after the other.

    >>> from idealrank._base.tables import Column, Table
    >>> page = html_of_sections("Two & more", ["a < b"], [Section("All", tables={"All": Table([Column("n")], [[1]])})])
    >>> "<h1>Two &amp; more</h1>" in page, "<li>a &lt; b</li>" in page
    (True, True)
    """
    return _assembled(title, [], findings, sections, path, command, {})


def _assembled(
    title: str,
    about: Sequence[Markup],
    findings: Sequence[str],
    sections: Sequence[Section],
    path: str | os.PathLike[str] | None,
    command: str | None,
    made_with: Mapping[str, object],
) -> str:
    """The whole page, also written where a path says."""
    found = [tag("ul", *(tag("li", finding) for finding in findings), class_="verdicts")] if findings else []
    keyed = {section.key or f"part-{place}": section for place, section in enumerate(sections)}
    rendered = [render_section(section, key) for key, section in keyed.items()]
    contents = {key: section.title for key, section in keyed.items()} | {"provenance": "Provenance"}
    values = next((section.values for section in sections if section.values), None)
    script = "" if values is None else _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = Template(_asset("page.html")).substitute(
        title=joined([title]),
        script_hash=f"sha256-{digest}",
        style=palette.css() + _asset("page.css"),
        header=tag("header", tag("h1", title), *about, *found),
        contents=_contents(contents),
        main="\n".join([*rendered, _provenance(command, made_with)]),
        footer=tag("footer", f"Made with idealrank {idealrank.__version__}."),
        data="" if values is None else json_script(values, "queries-data"),
        script=script,
    )
    if path is not None:
        with atomic_output(path) as file:
            file.write(page.encode())
    return page


def _asset(name: str) -> str:
    return files("idealrank.report").joinpath(name).read_text(encoding="utf-8")


def _contents(titles: Mapping[str, str]) -> Markup:
    links = [tag("li", tag("a", title, href=f"#{key}")) for key, title in titles.items()]
    return tag("nav", tag("ul", *links), aria_label="Contents")


def _provenance(command: str | None, made_with: Mapping[str, object]) -> Markup:
    """What is needed to repeat the result."""
    made_by: dict[str, object] = {} if command is None else {"command": tag("code", command)}
    programs = {"idealrank": idealrank.__version__, "Python": platform.python_version()}
    others = {name: version(name.lower()) for name in ("NumPy", "SciPy", "Matplotlib")}
    entries = render_definitions({**made_by, **made_with, **programs, **others})
    return tag("section", tag("h2", "Provenance", id="provenance"), entries, aria_labelledby="provenance")

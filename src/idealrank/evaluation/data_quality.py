"""Data quality by system: ties, unjudged documents and missing queries in one table, and what else was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from idealrank._present.page import Section
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats, Int64s
from idealrank.data.problem import Problem
from idealrank.measures.cutoffs import Cutoff, Rank
from idealrank.measures.measure_base import Measure, Plan

if TYPE_CHECKING:
    from idealrank.evaluation.evaluation_result import Evaluation


@dataclass(frozen=True)
class Counts:
    """Counts of ties and unjudged documents, made in the same pass as the measures."""

    cutoff: Cutoff | None
    joined: bool

    @classmethod
    def of(cls, measures: Iterable[Measure], *, joined: bool) -> Counts:
        """Return the counts down to the deepest rank that a measure looks at."""
        cuts = [each.cutoff for each in measures]
        ranks = [cut.k for cut in cuts if isinstance(cut, Rank)]
        return cls(Rank(max(ranks)) if len(ranks) == len(cuts) else None, joined)

    @property
    def plans(self) -> dict[str, Plan]:
        """Plans that count, per query, the ranks that share their score and the ranks that were judged."""
        plans = {"\0tied": Plan("tied", "judged", cutoff=self.cutoff)}
        if self.joined:
            plans["\0judged"] = Plan("sum", "judged", cutoff=self.cutoff)
        return plans

    def problems(self, values: Mapping[str, Floats], sizes: Int64s) -> tuple[Problem, ...]:
        """Return the problems that the counts show."""
        ranked = sizes if self.cutoff is None else np.minimum(sizes, self.cutoff.depths(sizes))
        where = "ranked documents" if self.cutoff is None else f"top-{self.cutoff} documents"
        found = []
        tied = int(values["\0tied"].sum())
        if tied:
            what = f"{_percent(tied, ranked)} of the {where} are tied; their order depends on the tie rule"
            found.append(Problem("tied document", tied, what, int(ranked.sum())))
        if self.joined:
            unjudged = int(ranked.sum() - values["\0judged"].sum())
            if unjudged:
                what = f"{_percent(unjudged, ranked)} of the {where} are unjudged"
                found.append(Problem("unjudged document", unjudged, what, int(ranked.sum())))
        return tuple(found)


def _percent(count: int, ranked: Int64s) -> str:
    return f"{count:,} ({count / ranked.sum():.1%})"


#: The kinds of problems that the table counts, by its columns.
_COLUMNS = {"tied": "tied document", "unjudged": "unjudged document", "missing queries": "unretrieved query"}
#: The largest shares that are not worth a warning.
_NEGLIGIBLE = {"tied document": 0.01, "unjudged document": 0.1, "unretrieved query": 0.0}

#: Most systems in a note.
_N_SYSTEMS = 20


def named_problems(problems: Mapping[str, Sequence[Problem]]) -> list[Problem]:
    """Return the problems of all systems, each with the name of its system; one that all systems have stands alone.

    Parameters
    ----------
    problems : mapping
        {system: its problems}.

    Examples
    --------
    >>> one, two = Problem("tied", 1, "1 tie"), Problem("tied", 2, "2 ties")
    >>> list(map(str, named_problems({"a": [one], "b": [two]}))), list(map(str, named_problems({"a": [one]})))
    (['a: 1 tie', 'b: 2 ties'], ['1 tie'])
    """
    everyone = [problem for found in problems.values() for problem in found]
    common = {problem for problem in everyone if all(problem in found for found in problems.values())}
    return list(
        dict.fromkeys(
            problem if problem in common else replace(problem, system=problem.system or name)
            for name, found in problems.items()
            for problem in found
        )
    )


def quality_table(systems: Mapping[str, Evaluation], kind: str = "system") -> Table:
    """Return a row per system: shares of tied and unjudged documents, and the number of missing queries.

    Parameters
    ----------
    systems : mapping
        The evaluations by system.
    kind : str
        What a system is called: "system" or "convention".

    Returns
    -------
    Table
        The shares are of the documents that the measures look at: "tied@10" counts those in the first 10.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> from idealrank._present.table import render
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": {"a": 1, "b": 1}}, "new": {"q1": {"a": 2, "c": 1}, "q2": {"a": 1}}}
    >>> print(render(quality_table(evaluate(qrels, runs, "rr@10")), "text"), end="")
    system  tied@10  unjudged@10  missing queries
    old      100.0%         0.0%                1
    new        0.0%        33.3%                0
    """
    first = next(iter(systems.values()))
    cutoff = Counts.of(first.filled.values(), joined=False).cutoff
    at = "" if cutoff is None else f"@{cutoff}"
    columns = [
        Column(kind),
        Column(f"tied{at}", ".1%"),
        Column(f"unjudged{at}", ".1%"),
        Column("missing queries", ","),
    ]
    rows: list[list[Value]] = []
    for name, evaluation in systems.items():
        found = {problem.kind: problem for problem in evaluation.problems}
        tied, unjudged, missing = (found.get(kind) for kind in _COLUMNS.values())
        shares = [0.0 if each is None else each.share for each in (tied, unjudged)]
        rows.append([name, *shares, 0 if missing is None else missing.count])
    return Table(columns, rows)


def quality_tables(systems: Mapping[str, Evaluation], kind: str = "system") -> dict[str, Table]:
    """Return the tables of a page by caption: what the systems share in one row each, and all that was found."""
    problems = _problems(systems)
    if not problems:
        return {}
    several = len(systems) > 1
    columns = [*([Column(kind)] if several else []), Column("what"), Column("count", ","), Column("what it means")]
    rows: list[list[Value]] = [
        [*([each.system or "all"] if several else []), each.kind, each.count, each.message] for each in problems
    ]
    tables = {"Found in the data": Table(columns, rows)}
    counts = {"Ties, unjudged documents and missing queries": quality_table(systems, kind)} if several else {}
    return {**counts, **tables}


def quality_section(systems: Mapping[str, Evaluation], kind: str = "system") -> Section:
    """Return what a user should know about the data: a table of several systems, and lines about the rest.

    Shares of ties up to 1% and of unjudged documents up to 10% are not worth a note.

    Parameters
    ----------
    systems : mapping
        The evaluations by system.
    kind : str
        What a system is called: "system" or "convention".

    Returns
    -------
    Section
        A table with a row per system, if there are several and one of them has more than that; and lines, each of
        which names its system, unless it concerns all of them.
    """
    notable = notable_problems(_problems(systems))
    if kind != "system":
        return Section(notes=tuple(sorted(map(str, _problems(systems)))))
    if len(systems) == 1:
        (name,) = systems
        return Section(notes=tuple(sorted(str(replace(each, system=name)) for each in notable)))
    rest: dict[str, list[Problem]] = {}
    for each in notable:
        if each.kind not in _NEGLIGIBLE:
            rest.setdefault(each.kind, []).append(each)
    notes = []
    for first, *others in rest.values():
        more = f" (and {len(others)} other {'system' if len(others) == 1 else 'systems'})" if others else ""
        notes.append(f"{first}{more}")
    if not any(each.kind in _NEGLIGIBLE for each in notable):
        return Section(notes=tuple(notes))
    title = "ties, unjudged documents and missing queries by system:"
    return Section(title, tables={title: quality_table(systems)}, notes=tuple(notes), most_rows=_N_SYSTEMS)


def notable_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems without small shares of ties and unjudged documents."""
    return [each for each in problems if not each.share <= _NEGLIGIBLE.get(each.kind, -1)]


def _problems(systems: Mapping[str, Evaluation]) -> Sequence[Problem]:
    """Return the problems; those that concern several systems are combined."""
    found: Sequence[Problem] = getattr(systems, "problems", ())
    return found

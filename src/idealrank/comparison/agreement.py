"""Agreement of runs, query by query: how similar the rankings of two systems are, without judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from idealrank import stats
from idealrank._core.checks import check_count, items_of
from idealrank._core.exact import Moments
from idealrank._names.options import normalized_name, unknown
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, Statement
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Tables
from idealrank._typing import Floats
from idealrank.data.judgments import Run
from idealrank.data.problem import Problem
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.inputs import LayoutOptions, OneSystem, Several, layout_of, named_runs, naming

#: What `agreement` computes, and says that it does.
AGREEMENT_MEASURES = {
    "rbo": "rank-biased overlap, extrapolated",
    "rbo_min": "rank-biased overlap, lower bound",
    "tau_ap": "AP correlation of the documents that both retrieve, mean of both directions",
}

#: Most pairs that are printed.
_N_ROWS = 30


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """The result of `agreement`.

    Attributes
    ----------
    systems : tuple of str
        The names of the systems.
    query_ids : tuple of str
        The queries that all systems have.
    values : mapping of str to mapping
        {measure: {(system, other): one value per query}}; NaN if a query has no value.
    p : float
        The persistence of rank-biased overlap.
    depth : int or None
        The number of documents of each ranking that were compared; None means all.
    ties : str
        The order of documents with equal scores.
    problems : tuple of Problem
        Problems found in the runs.

    Examples
    --------
    >>> from idealrank import agreement
    >>> found = agreement({"q1": ["a", "b", "c"]}, {"q1": ["b", "a", "c"]}, "tau_ap")
    >>> found.mean
    {'tau_ap': {('system 1', 'system 2'): 0.0}}
    """

    systems: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Mapping[str, Mapping[tuple[str, str], Floats]]
    p: float
    depth: int | None
    ties: str
    problems: tuple[Problem, ...] = ()

    @property
    def n_queries(self) -> int:
        """The number of queries that all systems have."""
        return len(self.query_ids)

    @property
    def mean(self) -> dict[str, dict[tuple[str, str], float]]:
        """{measure: {(system, other): mean over the queries that have a value}}."""
        return {
            name: {pair: Moments.of(each[~np.isnan(each)]).mean for pair, each in own.items()}
            for name, own in self.values.items()
        }

    def to_dict(self) -> dict[str, Plain]:
        """Return means and values, {measure: {system: {other: ...}}}, and how they were computed."""
        facts = {name: getattr(self, name) for name in ("systems", "n_queries", "p", "depth", "ties", "query_ids")}
        return {
            **{name: plain(value) for name, value in facts.items()},
            "mean": plain({name: _nested(own) for name, own in self.mean.items()}),
            "per_query": plain({name: _nested(own) for name, own in self.values.items()}),
            "problems": plain(self.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "pairs", with a row per pair of systems, and "queries", with a row per pair and query."""
        return Tables({"pairs": self._pairs_table, "queries": self._queries_table})

    def _pairs_table(self) -> Table:
        columns = [Column("system"), Column("other"), Column("queries", ","), *self._number_columns()]
        mean = self.mean
        return Table(
            columns,
            [[*pair, self.n_queries, *(own[pair] for own in mean.values())] for pair in combinations(self.systems, 2)],
        )

    def _queries_table(self) -> Table:
        columns = [Column("system"), Column("other"), Column("qid"), *self._number_columns()]
        rows = [
            [*pair, query, *cells]
            for pair in combinations(self.systems, 2)
            for query, *cells in zip(self.query_ids, *(own[pair].tolist() for own in self.values.values()), strict=True)
        ]
        return Table(columns, rows)

    def _number_columns(self) -> list[Column]:
        return [Column(name, ".4f") for name in self.values]

    def page(self) -> Page:
        """Return the most and the least similar pair, all pairs, and how the values were computed."""
        remarks = tuple(self._remarks())
        return Page(
            f"Agreement of {len(self.systems)} systems",
            findings=tuple(Statement("agreement of systems", text) for text in self._findings()),
            summary=(Section(tables={"pairs": self.table("pairs")}, most_rows=_N_ROWS),),
            remarks=remarks,
            sections=lambda: [Section("Result", tables=self.tables(), notes=remarks)],
            quality=Section(notes=tuple(map(str, self.problems))),
            defaults={"frame": ("queries",)},
        )

    def _findings(self) -> list[str]:
        """Return the most and the least similar pair, by the first measure."""
        name, means = next(iter(self.mean.items()))
        known = {pair: value for pair, value in means.items() if value == value}
        if not known:
            return []
        most, least = (choose(known, key=known.__getitem__) for choose in (max, min))
        first = f"{most[0]} and {most[1]}"
        if len(known) == 1:
            return [f"{name} of {first} is {known[most]:z.4f}."]
        if known[most] == known[least]:
            return [f"All pairs have the same {name}, {known[most]:z.4f}."]
        last = f"{least[0]} and {least[1]} least ({known[least]:z.4f})"
        return [f"By {name}, {first} agree most ({known[most]:z.4f}), and {last}."]

    def _remarks(self) -> list[str]:
        """Return how the values were computed."""
        first = "all documents" if self.depth is None else f"the first {self.depth} documents"
        ties = "averaged over their orders" if self.ties == "average" else f"in the order {self.ties}"
        how = f"means over {counted(self.n_queries, 'query')}; {first} of each ranking; equal scores {ties}"
        return [f"{how}; p = {self.p:g}", *(f"{name}: {AGREEMENT_MEASURES[name]}" for name in self.values)]

    def __repr__(self) -> str:
        return f"Agreement({len(self.systems)} systems, {counted(self.n_queries, 'query')})"


def _nested(pairs: Mapping[tuple[str, str], Any]) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    for (a, b), value in pairs.items():
        nested.setdefault(a, {})[b] = value
    return nested


def agreement(
    run: OneSystem | Several,
    other: OneSystem | None = None,
    measures: str | Sequence[str] = ("rbo", "tau_ap"),
    *,
    p: float = 0.9,
    depth: int | None = None,
    ties: str = "average",
    **layout: Unpack[LayoutOptions],
) -> Agreement:
    """Compare the rankings of two systems, or of all pairs of several, query by query and without judgments.

    Parameters
    ----------
    run : Run, mapping, data frame or path
        One system, or several: {name: run}, or a list of runs or of paths. A run has any form that `evaluate` accepts.
    other : Run, mapping, data frame or path, optional
        A second system, if ``run`` is one system.
    measures : str or sequence of str
        The measures of agreement: "rbo", extrapolated rank-biased overlap; "rbo_min", its lower bound; "tau_ap", the AP
        correlation of the documents that both systems retrieve, averaged over both directions. `stats.rbo` and
        `stats.tau_ap` define them.
    p : float
        The persistence of rank-biased overlap.
    depth : int, optional
        The number of documents of each ranking to compare; None means all.
    ties : {"average", "docid_desc", "docid_asc"}
        The order of documents with equal scores: "average" is the mean over all orders, chosen independently in each
        run; "docid_desc" orders them by document id as trec_eval does, and "docid_asc" in the opposite order. If a
        ``depth`` divides documents with equal scores, "docid_desc" determines which of them are compared.
    **layout
        Column names of data frames, as in `evaluate`.

    Returns
    -------
    Agreement
        Values per query and means, for the queries that all systems have.

    Raises
    ------
    DataError
        If a run is not recognized, or the runs have no query in common.
    OptionError
        If a measure or another option is unknown.

    Examples
    --------
    >>> from idealrank import agreement
    >>> bm25, dense = {"q1": {"a": 3, "b": 2, "c": 1}}, {"q1": {"b": 3, "a": 2, "d": 1}}
    >>> print(agreement({"bm25": bm25, "dense": dense}, p=0.5).to_text("pairs"), end="")
    system  other  queries     rbo  tau_ap
    bm25    dense        1  0.4167 -1.0000
    """
    shapes = named_runs(run, other, layout_of(agreement, layout))
    names = [_known(name) for name in ([measures] if isinstance(measures, str) else items_of(measures, "measures"))]
    if not names:
        raise OptionError("no measure was named")
    if depth is not None:
        check_count(depth, "depth")
    if len(shapes) < 2:
        raise DataError("agreement needs two systems or more: pass two runs, or {name: run}")
    computed = {name: partial(_FUNCTIONS[name], p=p, ties=ties) for name in names}
    for function in computed.values():  # options are checked before a long read
        function(["a", "b"], ["a", "b"])
    runs: dict[str, Run] = {}
    for name, shape in shapes.items():
        with naming(name):
            runs[name] = shape.run()
    queries, problems = _common(runs)
    ranked: dict[str, dict[str, Mapping[str, float]]] = {}
    for name, run in runs.items():
        docs = run.to_dict()
        ranked[name] = {query: _first(docs[query], depth) for query in queries}
    values: dict[str, dict[tuple[str, str], Floats]] = {name: {} for name in names}
    for a, b in combinations(runs, 2):
        for name, function in computed.items():
            values[name][a, b] = np.array([function(ranked[a][query], ranked[b][query]) for query in queries])
    return Agreement(tuple(runs), tuple(queries), values, p, depth, ties, problems)


def _known(name: object) -> str:
    measure = next(
        (known for known in AGREEMENT_MEASURES if normalized_name(known) == normalized_name(str(name))), None
    )
    if measure is None:
        raise unknown("measure of agreement", name, AGREEMENT_MEASURES)
    return measure


def _tau_ap(a: Any, b: Any, *, p: float, ties: str) -> float:
    return stats.tau_ap(a, b, symmetric=True, ties=ties)


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "rbo": stats.rbo,
    "rbo_min": partial(stats.rbo, kind="min"),
    "tau_ap": _tau_ap,
}


def _common(runs: Mapping[str, Run]) -> tuple[list[str], tuple[Problem, ...]]:
    """Return the queries that all runs have, and the problems of the runs."""
    everyone = [set(run) for run in runs.values()]
    common = set.intersection(*everyone)
    queries = [query for query in next(iter(runs.values())) if query in common]
    if not queries:
        raise DataError("the runs have no query in common")
    left = len(set.union(*everyone)) - len(queries)
    problems = tuple(problem for run in runs.values() for problem in run.problems)
    if left:
        those, them = ("1 query is", "it") if left == 1 else (f"{left:,} queries are", "them")
        problems += (Problem("different queries", left, f"{those} left out because not all systems have {them}"),)
    return queries, problems


def _first(scores: Mapping[str, float], depth: int | None) -> Mapping[str, float]:
    """Return the documents of the first ranks."""
    if depth is None or len(scores) <= depth:
        return scores
    by_id = sorted(scores, key=lambda doc: doc.encode("utf-8", "surrogateescape"), reverse=True)
    return {doc: scores[doc] for doc in sorted(by_id, key=lambda doc: -scores[doc])[:depth]}

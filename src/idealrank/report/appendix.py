"""The numbers of a page's views as plain tables: for paper, and for browsers without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from idealrank._present.json_values import number
from idealrank._present.system_scores import PAIR_COLUMNS, MeasureScores, Scores
from idealrank._present.table import Column, Table, Value
from idealrank.report.paper import split

__all__ = ["appendix_tables", "unwritten"]

#: Most numbers of queries, and most pairs, that are written as tables; more of them are written only on paper.
_MOST_VALUES, _MOST_PAIRS = 12_000, 300
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
    >>> found = dict(appendix_tables(Scores(["bm25"], ["q1", "q2"], {"rr": one}, "2 queries", "95% intervals by t")))
    >>> list(found), found["rr on every query"].rows
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
    """Return what is too long for tables, and is written by the script of the page when it is printed.

    Examples
    --------
    >>> unwritten(Scores(["a"], ["q"], {}, "", ""))
    []
    """
    n_pairs = max((len(each.pairs) for each in scores.measures.values()), default=0)
    n_values = scores.n_values * len(scores.measures)
    return [*(["pairs"] if n_pairs > _MOST_PAIRS else []), *(["values"] if n_values > _MOST_VALUES else [])]


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

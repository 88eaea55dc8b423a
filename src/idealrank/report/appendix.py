"""The numbers of a page's views as plain tables: for paper, and for browsers without JavaScript."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from idealrank._base.plain import number
from idealrank._base.scores import PAIR_COLUMNS, MeasureScores, Scores
from idealrank._base.tables import Column, Table, Value

__all__ = ["appendix_tables", "paper_columns", "unwritten"]

#: Most numbers of queries, and most pairs, that are written as tables; more of them are written only on paper.
_MOST_VALUES, _MOST_PAIRS = 12_000, 300
#: Letters that fit into a line of tables on paper, between tables side by side, and between the columns of a table.
_LINE, _APART, _BETWEEN = 130, 4, 2
#: The letters of a value with four digits, and the most letters of a name: longer ones are broken.
_VALUE, _NAME = 6, 24
#: Tables side by side on paper have at least this many rows.
_FEW_ROWS = 10
_SPECS = {"better": ".0f", "same": ".0f", "worse": ".0f", "d_z": ".2f"}


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
    yield f"Means over {scores.basis}, with {scores.intervals}", _means(scores)
    hidden = unwritten(scores)
    for name, each in scores.measures.items():
        if each.pairs.size and "pairs" not in hidden:
            yield f"Comparisons by {name} ({scores.test})", _pairs(scores, each)
        if "values" not in hidden:
            n_systems = len(scores.systems)
            n_letters = sum(_letters([system], _VALUE) for system in scores.systems)
            n_parts = -(-n_letters // (_LINE - _letters(scores.queries)))
            for number in range(n_parts):
                start, end = number * n_systems // n_parts, (number + 1) * n_systems // n_parts
                which = f", {scores.kind}s {start + 1} to {end} of {n_systems}" if n_parts > 1 else ""
                yield f"{name} on every query{which}", _queries(scores, each, slice(start, end))


def paper_columns(table: Table) -> int:
    """Return into how many columns a table is divided on paper: more than 1 if it is long and narrow.

    Examples
    --------
    >>> paper_columns(Table([Column("query"), Column("bm25", ".4f")], [["q1", 0.5]] * 43))
    4
    """
    width = sum(map(_letters, zip(table.headings(), *table.cells(), strict=True)))
    return max(1, min((_LINE + _APART) // (width + _APART), len(table.rows) // _FEW_ROWS))


def _letters(names: Iterable[str], least: int = 0) -> int:
    """Return the width of a column with these names, in letters."""
    return max(least, min(_NAME, max(map(len, names), default=0))) + _BETWEEN


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


def _means(scores: Scores) -> Table:
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


def _queries(scores: Scores, each: MeasureScores, part: slice) -> Table:
    columns = [Column("query"), *(Column(name, ".4f") for name in scores.systems[part])]
    rows: list[list[Value]] = [
        [query, *values] for query, values in zip(scores.queries, each.values[part].T.tolist(), strict=True)
    ]
    return Table(columns, rows)

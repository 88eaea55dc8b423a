"""What distinguishes several rankers: the result for all pairs, and a summary of them by measure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Figure, Page, Section, Statement, few, first_row_in_words, listed
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Tables, Value, stacked
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.theory.distinguishing.distinctions import COLUMNS, Distinction
from idealrank.theory.distinguishing.measure_distinctions import MeasureDistinction

#: Most rows of the printed table of pairs and measures; with more, it has the closest pairs only.
_N_ROWS = 30
#: Of the closest pairs, a page shows this many in detail, in a table, and in a table that is closed at first.
_IN_DETAIL, _CLOSEST, _ON_PAGE = 6, 10, 500


@dataclass(frozen=True)
class Distinctions(Result):
    """The result of `distinguish`: what distinguishes rankers, pair by pair.

    Parameters
    ----------
    pairs : tuple of Distinction
        One per pair of rankers.
    evaluations : Evaluations
        The evaluations of all rankers, on the same queries.
    lists : tuple of str
        What was done to obtain the complete lists that theory needs; empty if they were complete.

    Examples
    --------
    >>> from idealrank.theory import distinguish
    >>> rankers = {"good": [3, 2, 1] * 2, "bad": [1, 2, 3] * 2, "same": [2, 3, 1] * 2}
    >>> found = distinguish([2, 1, 0, 1, 0, 0], rankers, ["ndcg", "ndcg@1"], offsets=[0, 3, 6])
    >>> len(found.pairs), found.closest[0].names
    (3, ('bad', 'same'))
    """

    pairs: tuple[Distinction, ...]
    evaluations: Evaluations
    lists: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Plain]:
        """Return the number of queries and the convention of all means, and the pairs."""
        conventions = next(iter(self.evaluations.values())).conventions
        return {
            "conventions": plain(conventions),
            "n_queries": self.evaluations.n_queries,
            "lists": plain(self.lists),
            "pairs": plain(self.pairs),
            "problems": plain(self.evaluations.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "pairs", a row per pair and measure; "measures"; and "closest", a row per pair."""
        return Tables(
            {
                "pairs": lambda: stacked([each.table() for each in self.pairs]),
                "measures": self._measures_table,
                "closest": self._closest_table,
            }
        )

    @property
    def given(self) -> tuple[str, ...]:
        """The measures in the order given."""
        return self.pairs[0].given

    @cached_property
    def closest(self) -> list[Distinction]:
        """The pairs, those with the highest p-value by the first measure first."""
        return sorted(self.pairs, key=lambda pair: _closeness(pair[self.given[0]]))

    def by_measure(self) -> dict[str, list[MeasureDistinction]]:
        """Return the rows of all pairs by measure, the measure that distinguishes the most pairs first.

        Returns
        -------
        dict of str to list of MeasureDistinction
            The rows, in the order of ``pairs``.
        """
        found = {name: [pair[name] for pair in self.pairs] for name in self.given}
        return dict(sorted(found.items(), key=lambda item: (-self._n_distinguished(item[1]), _half(item[1]))))

    def _n_distinguished(self, rows: list[MeasureDistinction]) -> int:
        """The number of pairs with a p-value of at most delta."""
        return sum(row.p_value <= self.pairs[0].delta for row in rows)

    def _measures_table(self) -> Table:
        columns = [
            Column("measure"),
            Column("distinguished pairs", ","),
            Column("share", ".1%"),
            Column("queries", ",.0f"),
            Column("certified", ",", priority=2),
            Column("consistent", ",", priority=1),
        ]
        return Table(columns, [self._measure_row(name, rows) for name, rows in self.by_measure().items()])

    def _measure_row(self, name: str, rows: list[MeasureDistinction]) -> list[Value]:
        count, needed = self._n_distinguished(rows), _half(rows)
        certified = sum(row.certified_at is not None for row in rows)
        consistent = sum(row.verdict.distinguishes is True for row in rows)
        return [name, count, count / len(rows), needed if math.isfinite(needed) else None, certified, consistent]

    def _closest_table(self) -> Table:
        return Table(COLUMNS[1:], [pair.row(pair[self.given[0]])[1:] for pair in self.closest])

    def page(self) -> Page:
        """Return how many pairs each measure distinguishes, the closest pairs, and some of these in detail."""
        if len(self.pairs) == 1:
            return self.pairs[0].page()
        over = self.evaluations.page()
        return Page(
            f"What distinguishes {few([*self.evaluations])}",
            over.about,
            (Statement("pairs distinguished", self._overall()), *self._advice()),
            (Section(tables={"measures": self._measures_table()}), self._pairs_section()),
            (*over.remarks, *self.lists),
            over.options,
            self._in_words(),
            self._reasons(),
            sections=lambda: [*self._sections(), *self.evaluations.background()],
            quality=over.quality,
        )

    def _pairs_section(self) -> Section:
        """Return the pairs by all measures, or if these are many, the closest pairs by the first one."""
        if len(self.pairs) * len(self.given) <= _N_ROWS:
            return Section("Pairs:", tables={"pairs": self.table()})
        title = f"Closest pairs by {self.given[0]}:"
        return Section(title, tables={"closest": self._closest_table()}, most_rows=_CLOSEST)

    def _in_words(self) -> dict[str, str]:
        """Return what the columns of the main table say, in words, for its first row."""
        (name, rows), n_pairs = next(iter(self.by_measure().items())), counted(len(self.pairs), "pair")
        _, count, share, needed, certified, consistent = self._measure_row(name, rows)
        risk = self.pairs[0].delta
        order = f"{name} distinguishes {count:,} of {n_pairs} ({share:.1%})"
        found = {"distinguished pairs, share": f"{order}: the p-value is at most {risk:g}; {self._by_chance()}"}
        half = "more than half of the pairs cannot be ordered by any number of queries"
        if needed is not None:
            half = f"half of the pairs need at most {needed:,.0f} queries like these for the right order"
            half = f"{half}, with a probability of {1 - risk:.0%} or more, if the true differences are those seen here"
        found["queries"] = half
        certain = f"adding the queries one by one, the order of {certified:,} of the pairs becomes certain"
        found["certified"] = f"{certain}; each is wrong with a probability of at most {risk:g}"
        found["consistent"] = f"by theory, longer lists distinguish {consistent:,} of the pairs more and more reliably"
        return found

    def _by_chance(self) -> str:
        """How many pairs of equal systems would be counted."""
        expected = self.pairs[0].delta * len(self.pairs)
        return f"if no system differed, {expected:,.2g} {'pair' if expected == 1 else 'pairs'} would be expected"

    def _reasons(self) -> dict[str, list[str]]:
        """Return the theorem behind each verdict by measure, with one pair as an example."""
        found: dict[str, list[str]] = {}
        for name in self.given:
            for how, count in Counter(pair[name].verdict.how for pair in self.pairs).most_common():
                example = next(pair for pair in self.pairs if pair[name].verdict.how == how)
                subject = f"{name}: {how}, {counted(count, 'pair')}"
                found[subject] = [f"For example, {listed(example.names)}.", *example[name].verdict.why()]
        return found

    def _advice(self) -> list[Statement]:
        """Return the advice for each pair, or for the closest one if there are many."""
        if len(self.pairs) > _IN_DETAIL:
            return [Statement("distinguishes", f"The closest pair: {self.closest[0].advice}.")]
        return [Statement("distinguishes", f"{each.advice}.") for each in self.pairs]

    def _overall(self) -> str:
        """One sentence about all pairs."""
        n_systems, n_queries = len(self.evaluations), self.evaluations.n_queries
        of_systems = f"{counted(len(self.pairs), 'pair')} of {n_systems:,} systems"
        if n_queries == 1:
            return f"With one query, no measure can distinguish any of the {of_systems}."
        first, (best, rows) = self.given[0], next(iter(self.by_measure().items()))
        count, most = self._n_distinguished([pair[first] for pair in self.pairs]), self._n_distinguished(rows)
        limit = f"p at most {self.pairs[0].delta:g} each; {self._by_chance()}"
        start = f"{first} distinguishes {count:,} of {of_systems} on these {counted(n_queries, 'query')} ({limit})"
        if len(self.given) == 1:
            return f"{start}."
        return (
            f"{start}; {'no other measure distinguishes more' if most == count else f'{best} distinguishes {most:,}'}."
        )

    def _sections(self) -> list[Section]:
        """Return the summary by measure, the closest pairs, and some of these in detail."""
        first, *others = self.closest[:_IN_DETAIL]
        summary = Section(f"All {len(self.pairs):,} pairs", parts=(self._by_measure_part(), *self._closest_parts()))
        return [
            summary,
            first.section(lists=first_row_in_words(first.in_words())),
            *(each.section() for each in others),
        ]

    def _by_measure_part(self) -> Section:
        why = tuple(f"{key}. {' '.join(lines)}" for key, lines in self._reasons().items())
        lists = first_row_in_words(self._in_words()) | {"The theorems behind the column 'consistent'": why}
        table = {"Pairs that each measure distinguishes": self._measures_table()}
        return Section(tables=table, notes=self.pairs[0].notes(), lists=lists)

    def _closest_parts(self) -> list[Section]:
        table, n_pairs = self._closest_table(), len(self.pairs)
        halves = (f"{name} {_half(rows):,.0f}" for name, rows in self.by_measure().items())
        caption = f"Share of the pairs by the queries that they need; dashed: {self.evaluations.n_queries:,}"
        described = f"queries that half of the pairs need: {', '.join(halves)}"
        parts = [Section(figures=(Figure("pairs_by_queries", (self,), caption, described),))]
        title, notes = f"Closest pairs by {self.given[0]}", []
        if n_pairs > _IN_DETAIL:
            notes = [
                f"The first {_IN_DETAIL} of these pairs follow in detail; for other pairs, compare only their systems."
            ]
        parts.append(Section(title, tables={title: table.head(_CLOSEST)}, notes=tuple(notes)))
        if n_pairs > _CLOSEST:
            label = f"All {n_pairs:,} pairs by {self.given[0]}"
            if n_pairs > _ON_PAGE:
                label = f"The {_ON_PAGE} closest of {n_pairs:,} pairs by {self.given[0]}; the CSV format has all"
            parts.append(Section(tables={label: table.head(_ON_PAGE)}, folded={label: label}))
        return parts

    def __repr__(self) -> str:
        return f"Distinctions({counted(len(self.pairs), 'pair')}, {counted(self.evaluations.n_queries, 'query')})"


def _closeness(row: MeasureDistinction) -> tuple[bool, float, float]:
    """The key that sorts pairs, those with equal means first, then those with the highest p-value."""
    return row.better is not None, -row.p_value, abs(row.mean_a - row.mean_b)


def _half(rows: list[MeasureDistinction]) -> float:
    """The number of queries that half of the pairs need; infinity if there is none."""
    return median(row.queries_needed or math.inf for row in rows)

"""What distinguishes two rankers: the result for one pair, by every measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Figure, OnDemand, Page, Section, Statement, first_row_in_words, listed
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.theory.distinguishing.confidence_sequences import ConfidenceSequence, confidence_sequence
from idealrank.theory.distinguishing.growing_lists import Paths, RankerCurves
from idealrank.theory.distinguishing.measure_distinctions import MeasureDistinction, normalized
from idealrank.theory.long_lists.certificates import Certificate, certificate
from idealrank.theory.long_lists.curves import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 100_000  # documents: certificates for longer lists are not looked for
_POOLED = (
    "The theorems compare the relevance curves of all queries together. The limits in the table are means over "
    "queries, so their difference is not exactly the gap of a theorem."
)

#: The columns of the table of measures.
COLUMNS = (
    *(Column(name, priority=-1) for name in ("measure", "a", "b")),
    *(Column(name, ".4f") for name in ("mean a", "mean b")),
    Column("wins", ".1%"),
    Column("p", ".4f"),
    Column("queries", ","),
    *(Column(name, ",", priority=2) for name in ("low", "high")),
    Column("certified", ",", priority=2),
    Column("documents", ",", priority=3),
    Column("changes", ".1f", priority=3),
    *(Column(name, ".4f", priority=2) for name in ("limit a", "limit b")),
    Column("theory", priority=1),
)


@dataclass(frozen=True)
class Distinction(Result):
    """What distinguishes two rankers, one of the pairs that `distinguish` returns.

    Parameters
    ----------
    measures : tuple of MeasureDistinction
        One row per measure; measures that need the fewest queries on these queries come first.
    sizes : int64 array
        The lengths n at which growing lists were measured.
    rankers : mapping of str to tuple of RankerCurves
        For each measure, A and B on complete lists.
    names : tuple of str
        The names of A and B.
    n_queries : int
        The number of queries over which means are taken.
    given : tuple of str
        The measures in the order given.
    p_value : float
        The p-value of the best measure, corrected for its choice.
    evaluations : Evaluations
        The evaluations of both rankers, with the convention and the queries.
    lists : tuple of str
        What was done to obtain the complete lists that theory needs; empty if they were complete.
    delta : float
        The accepted probability of the wrong order.

    Examples
    --------
    >>> from idealrank.theory import distinguish
    >>> rankers = {"good": [3, 2, 1] * 2, "bad": [1, 2, 3] * 2}
    >>> found = distinguish([2, 1, 0, 1, 0, 0], rankers, ["ndcg", "ndcg@1"], offsets=[0, 3, 6]).pairs[0]
    >>> [each.measure for each in found.measures], found.best
    (['ndcg', 'ndcg@1'], 'ndcg')
    """

    measures: tuple[MeasureDistinction, ...]
    sizes: Int64s
    rankers: Mapping[str, tuple[RankerCurves, RankerCurves]]
    names: tuple[str, str]
    n_queries: int
    given: tuple[str, ...]
    p_value: float
    evaluations: Evaluations
    lists: tuple[str, ...] = ()
    delta: float = 0.05

    @property
    def paths(self) -> dict[str, Paths]:
        """For each measure, the lead of the better ranker at each size."""
        signs = {row.measure: -1.0 if row.better == "b" else 1.0 for row in self.measures}
        leads = {name: (a.growing - b.growing) * signs[name] for name, (a, b) in self.rankers.items()}
        return {name: Paths(self.sizes, lead) for name, lead in leads.items()}

    @property
    def means(self) -> dict[str, tuple[Floats, Floats]]:
        """For each measure, the means over lists of A's and of B's value at each size."""
        return {name: (a.means, b.means) for name, (a, b) in self.rankers.items()}

    @property
    def curves(self) -> dict[str, tuple[Curve, Curve]]:
        """For each measure, the relevance curves of A and of B."""
        return {name: (a.curves.pooled, b.curves.pooled) for name, (a, b) in self.rankers.items()}

    @cached_property
    def certificates(self) -> dict[str, Certificate]:
        """For each measure, the length from which single lists of this kind have the right order; see `certificate`.

        The curves of all queries together are taken for those of each list. There is none if the queries do not show
        that the rankers differ.
        """
        return {row.measure: self._certificate(row) for row in self.measures}

    def _certificate(self, row: MeasureDistinction) -> Certificate:
        weighting = normalized(self._first.filled[row.measure])
        if not row.verdict.distinguishes:
            return Certificate(None, self.delta, None, row.verdict.reason)
        try:
            a, b = self.curves[row.measure]
            return certificate(weighting, a, b, delta=self.delta, n_max=_LONGEST)
        except (DataError, OptionError) as error:
            return Certificate(None, self.delta, None, str(error))

    @property
    def marks(self) -> dict[str, int]:
        """The lengths of certificates that a plot has room for: up to ten times the longest length measured."""
        lengths = {name: each.n for name, each in self.certificates.items()}
        return {name: n for name, n in lengths.items() if n is not None and n <= 10 * self.sizes[-1]}

    def sequence(self, measure: str) -> ConfidenceSequence:
        """Return intervals of the mean difference as queries are added in their order, see `confidence_sequence`.

        Parameters
        ----------
        measure : str
            The name of a measure, as given.

        Returns
        -------
        ConfidenceSequence
            One interval per number of queries.

        Raises
        ------
        DataError
            If the measure can exceed 1.
        """
        a, b = (self.evaluations[name].per_query[measure] for name in self.names)
        differences = a - b
        return confidence_sequence(differences[~np.isnan(differences)], delta=self.delta)

    def _is_bounded(self, measure: str) -> bool:
        """Return whether all differences are between -1 and 1, which confidence sequences need."""
        a, b = (self.evaluations[name].per_query[measure] for name in self.names)
        return bool(np.nanmax(np.abs(a - b)) <= 1)

    @property
    def best(self) -> str | None:
        """The measure that needs the fewest queries on these queries; None if no measure sees a difference."""
        return self.measures[0].measure if self.measures[0].better else None

    def __getitem__(self, name: str) -> MeasureDistinction:
        return next(row for row in self.measures if row.measure == name)

    @property
    def advice(self) -> str:
        """One sentence: the best measure, whether it distinguishes the rankers, and how well the first one given does.

        "Distinguishes" is said if the p-value, corrected for the choice of the measure, is at most ``delta``.
        """
        (a, b), first, best = self.names, self[self.given[0]], self.measures[0]
        if best.better is None:
            return f"no measure here distinguishes {a} from {b}: their means are the same"
        if self.n_queries == 1:
            return f"{best.measure} puts {self._ahead(best)} ahead on the only query, which cannot distinguish rankers"
        several, on = len(self.measures) > 1, f"on these {counted(self.n_queries, 'query')}"
        chance = f"p = {self.p_value:.2g}{f' for the best of {len(self.measures)} measures' if several else ''}"
        if self.p_value > self.delta:
            least = 2.0 ** (1 - self.n_queries)
            why = chance if least <= self.delta else f"with so few queries, p is never below {least:.2g}"
            none = "no measure here distinguishes" if several else f"{best.measure} does not distinguish"
            return f"{none} {a} from {b} {on} ({why})"
        order = f"{on}: {self._ahead(best)} is ahead ({chance})"
        start = f"{best.measure} distinguishes {a} from {b} {'best ' if several else ''}{order}"
        if best.queries_interval[1] is not None:
            start += f"; it needs {_queries(best)} to order them reliably"
        if first is best:
            return start
        if first.p_value > self.delta:
            return f"{start}; {first.measure} does not distinguish them (p = {first.p_value:.2g})"
        if first.better != best.better:
            return f"{start}; {first.measure} puts {self._ahead(first)} ahead (p = {first.p_value:.2g})"
        return f"{start}; {first.measure} needs {_queries(first)}"

    def _ahead(self, row: MeasureDistinction) -> str:
        """The name of the ranker with the higher mean."""
        return self.names[1 if row.better == "b" else 0]

    def to_dict(self) -> dict[str, Plain]:
        """Return the measures, the advice, the convention, and the means at each length."""
        facts = ("names", "n_queries", "p_value", "advice", "measures", "sizes", "means", "lists")
        return {name: plain(getattr(self, name)) for name in facts} | {"conventions": plain(self._first.conventions)}

    @property
    def _first(self) -> Evaluation:
        return next(iter(self.evaluations.values()))

    def tables(self) -> Mapping[str, Table]:
        """Return the table "measures": a row per measure."""
        return {"measures": Table(COLUMNS, [self.row(each) for each in self.measures])}

    def row(self, found: MeasureDistinction) -> list[Value]:
        """Return the row of the table for one measure."""
        seen = [found.mean_a, found.mean_b, found.wins, found.p_value, found.queries_needed, *found.queries_interval]
        seen.append(found.certified_at)
        longer = [found.settled_at, found.sign_changes, _none_if_nan(found.limit_a), _none_if_nan(found.limit_b)]
        return [found.measure, *self.names, *seen, *longer, found.verdict.how]

    def page(self) -> Page:
        """Return the advice, the table, and figures of both rankers as lists grow."""
        over = self.evaluations.page()
        return Page(
            f"What distinguishes {listed(self.names)}",
            over.about,
            (Statement("distinguishes", f"{self.advice}."),),
            (Section(tables=self.tables()),),
            (*over.remarks, *self.lists),
            over.options,
            self.in_words(),
            self.reasons(),
            sections=lambda: [self.details(), *self.evaluations.background()],
            quality=over.quality,
        )

    def in_words(self) -> dict[str, str]:
        """Return what the columns of the table say, in words, for its first row."""
        row, (a, b) = self.measures[0], self.names
        ahead, behind = (b, a) if row.better == "b" else (a, b)
        means = f"over {counted(self.n_queries, 'query')}, {a} has a mean of {row.mean_a:.4f}, {b} of {row.mean_b:.4f}"
        found = {"mean a, mean b": means}
        if row.better is not None:
            found["wins"] = f"{ahead} beat {behind} on {row.wins:.1%} of the queries; ties count half"
            equal = f"if {a} and {b} did not differ, one of them would be as far ahead with a probability of"
            found["p"] = f"{equal} {row.p_value:.2g}"
            if self.n_queries > 1:
                sure = f"the mean of {ahead} is ahead with a probability of {1 - self.delta:.0%} or more"
                enough = row.queries_needed and f"with {counted(row.queries_needed, 'query')}, {sure}"
                found["queries"] = f"{enough}, if the true difference is the one that is seen here"
                found["low, high"] = f"the 95% interval of that number is {_queries(row)}"
                sure = f"at {1 - self.delta:.0%}, even with repeated looks"
                certain = f"after {counted(row.certified_at or 0, 'query')} the order is certified {sure}"
                found["certified"] = certain if row.certified_at else f"the order is not yet certified {sure}"
            settled = f"on these queries, the mean of {ahead} stays ahead from lists of {row.settled_at} documents on"
            found["documents"] = (
                settled if row.settled_at else f"on the longest lists, the mean of {ahead} is not ahead"
            )
            found["changes"] = f"while one list grows, the lead changes {row.sign_changes:.1f} times on average"
        if not math.isnan(row.limit_a):
            ends = f"{row.limit_a:.4f} for {a} and {row.limit_b:.4f} for {b}"
            found["limit a, limit b"] = f"as lists grow, the means of queries with relevant documents tend to {ends}"
        else:
            found["limit a, limit b"] = "there is no limit: on single lists, the measure stays random"
        return found | {"theory": f"{row.verdict.how}: {row.verdict.in_words}"}

    def reasons(self) -> OnDemand:
        """Return the theorem behind each verdict, by measure."""
        return OnDemand({f"{row.measure}: {row.verdict.how}": partial(self._why, row) for row in self.measures})

    def _why(self, row: MeasureDistinction) -> list[str]:
        certain = self.certificates[row.measure]
        if certain.n is None:
            return row.verdict.why()
        ahead = self.names[0 if certain.better == "a" else 1]
        lasting = f"on a list of {certain.n:,} documents or more with these curves, {ahead} is ahead at every length"
        return [*row.verdict.why(), f"By Definition 5: {lasting}, except with probability {certain.delta:g}."]

    def details(self) -> Section:
        """Return the table, how often the better ranker is ahead, and both means as lists grow."""
        why = tuple(f"{key}. {' '.join(lines)}" for key, lines in self.reasons().items())
        theorems = {"The theorems behind the column 'theory'": (_POOLED, *why)}
        return self.section(self.notes(), first_row_in_words(self.in_words()) | theorems)

    def notes(self) -> tuple[str, ...]:
        """Return what the means are over, and how lists became complete, as sentences."""
        over = f"Means over {self._first.queries_text()}, like {self._first.convention.name}, as 'evaluate' gives them."
        return (over, *(f"{line[0].upper()}{line[1:]}." for line in self.lists))

    def section(self, notes: tuple[str, ...] = (), lists: Mapping[str, tuple[str, ...]] | None = None) -> Section:
        """Return the only section, with these notes and lists below its table."""
        a, b = self.names
        won = "; ".join(f"{row.measure} {row.wins:.0%}" for row in self.measures)
        caption = "Share of lists on which the better ranker is ahead, by list length"
        if self.marks:
            caption += f"; from a triangle on, it stays ahead with probability {1 - self.delta:g}, by theory"
        figures = [Figure("wins", (self,), caption, won)]
        first = self[self.given[0]]
        if self.n_queries > 1 and self._is_bounded(first.measure):
            told = f"{self.sequence(first.measure)}"
            caption = (
                f"Mean difference in {first.measure} as queries are added, with intervals that all hold simultaneously"
            )
            figures.append(Figure("difference_by_queries", (self, first.measure), caption, told))
        for row in self.measures:
            ends = [
                next((value for value in means[::-1] if value == value), math.nan) for means in self.means[row.measure]
            ]
            told = f"{a} ends at {ends[0]:.4f}, {b} at {ends[1]:.4f}"
            limits = "" if math.isnan(row.limit_a) else "; the dashed lines are the limits"
            caption = f"{row.measure} on growing lists{limits}"
            figures.append(Figure("means_by_length", (self, row.measure), caption, told))
        title, more = f"{a} and {b}", "Means as lists and queries grow, by measure"
        rows = [self.row(each) for each in self.measures]  # without the names of the rankers, which the title has
        table = Table([COLUMNS[0], *COLUMNS[3:]], [[row[0], *row[3:]] for row in rows])
        shown = Section(tables={title: table}, parts=(Section(figures=(figures[0],), notes=notes, lists=lists or {}),))
        return Section(title, parts=(shown, Section(more, figures=tuple(figures[1:]))), folded={more: more})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of lists on which the better ranker is ahead, against their length.

        A triangle marks the length of the certificate of a measure; see `certificates`.

        Parameters
        ----------
        ax : Axes, optional
            The Axes to draw into; by default, those of a new figure.

        Returns
        -------
        Axes
            The Axes with the drawing.
        """
        from idealrank.theory.distinguishing.plots import plot_wins

        return plot_wins(self, ax)

    def __repr__(self) -> str:
        return f"Distinction({self.advice})"


def _queries(row: MeasureDistinction) -> str:
    """The 95% interval of the number of queries needed, in words."""
    least, most = row.queries_interval
    if most is None:
        return f"{counted(least or 1, 'query')} or more"
    return counted(most, "query") if least == most else f"{least:,} to {counted(most, 'query')}"


def _none_if_nan(value: float) -> float | None:
    """Return the number, or None instead of NaN."""
    return None if math.isnan(value) else value

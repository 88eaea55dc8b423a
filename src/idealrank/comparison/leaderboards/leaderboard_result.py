"""The result of comparing systems over many data sets, with and without normalization."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from idealrank import stats
from idealrank._present.json_values import Plain, number, plain
from idealrank._present.page import Figure, Page, Section, Statement, listed
from idealrank._present.printable import share
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Tables, Value
from idealrank._typing import Floats
from idealrank.data.problem import Problem
from idealrank.evaluation.data_quality import notable_problems
from idealrank.evaluation.evaluation_base import best_rows
from idealrank.measures.discounted import DCG, NDCG
from idealrank.measures.measure_base import Measure


class Flip(NamedTuple):
    """Two systems that NDCG and DCG order differently on a data set.

    Attributes
    ----------
    dataset : str
        The data set.
    system, against : str
        The two systems.
    difference, p_value : float
        The mean NDCG of ``system`` minus that of ``against``, and the p-value of a paired t test.
    dcg_difference, dcg_p_value : float
        The same for DCG.

    Examples
    --------
    >>> from idealrank.comparison.leaderboards.leaderboard_result import Flip
    >>> Flip("fiqa", "e5", "bm25", 0.01, 0.2, -0.02, 0.4).dcg_difference
    -0.02
    """

    dataset: str
    system: str
    against: str
    difference: float
    p_value: float
    dcg_difference: float
    dcg_p_value: float


@dataclass(frozen=True)
class Normalization:
    """How normalization changes the order of systems: by NDCG and by DCG, on each data set.

    Attributes
    ----------
    measure, dcg : str
        The measure, and the same measure without normalization.
    n_pairs : int
        The number of pairs of systems, over all data sets.
    flips : tuple of Flip
        The pairs that the two measures order differently.
    best : mapping
        {data set: (best system by the measure, best system by DCG)}.

    Examples
    --------
    >>> from idealrank import leaderboard
    >>> better = {"q1": {"d1": 1.0}, "q2": {"d3": 1.0}}
    >>> worse = {"q1": {"d2": 1.0}, "q2": {"d3": 1.0}}
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> found = leaderboard({"set": (qrels, {"a": better, "b": worse})}, "ndcg@10")
    >>> found.normalization.n_pairs, found.normalization.flips
    (1, ())
    """

    measure: str
    dcg: str
    n_pairs: int
    flips: tuple[Flip, ...]
    best: Mapping[str, tuple[str, str]]

    def significant(self, level: float) -> tuple[Flip, ...]:
        """Return the pairs in which both orders are significant at ``level``, without a correction.

        Parameters
        ----------
        level : float
            The significance level.

        Returns
        -------
        tuple of Flip
            The pairs.
        """
        return tuple(flip for flip in self.flips if max(flip.p_value, flip.dcg_p_value) <= level)


def without_normalization(measure: Measure) -> DCG | None:
    """Return the DCG that an NDCG divides; None for other measures.

    Examples
    --------
    >>> without_normalization(NDCG(gain="linear") @ 10), without_normalization(DCG())
    (dcg(gain=linear)@10, None)
    """
    if not isinstance(measure, NDCG):
        return None
    return DCG(**{each.name: getattr(measure, each.name) for each in fields(DCG) if each.init})


def normalization_of(
    measure: str, dcg: str, systems: tuple[str, ...], values: Mapping[str, tuple[Floats, Floats]]
) -> Normalization:
    """Compare the orders by ``values``, {data set: matrices[query, system] of the measure and of DCG}."""
    flips, best = [], {}
    for name, (normalized, unnormalized) in values.items():
        means = [np.nanmean(each, axis=0) for each in (normalized, unnormalized)]
        first, second = (systems[int(np.argmax(each))] for each in means)
        best[name] = first, second
        for i, j in combinations(range(len(systems)), 2):
            differences = [float(each[i] - each[j]) for each in means]
            if differences[0] * differences[1] < 0:
                p_values = [stats.t_test(each[:, i], each[:, j]).p_value for each in (normalized, unnormalized)]
                own = differences[0], p_values[0], differences[1], p_values[1]
                flips.append(Flip(name, systems[i], systems[j], *own))
    n_pairs = len(values) * len(systems) * (len(systems) - 1) // 2
    return Normalization(measure, dcg, n_pairs, tuple(flips), best)


#: The mark of systems that no system is significantly better than.
_FIRST = "†"
#: Most names to list in a sentence.
_FEW = 4
#: Longer tables of pairs are closed at first on a page.
_MANY = 10
#: Most rows of the printed table of pairs.
_N_ROWS = 10
_TITLES = {
    "systems": "Systems",
    "datasets": "Mean on each data set",
    "aggregations": "Ways to aggregate over data sets",
    "pairs": "All pairs",
    "normalization": "Pairs that NDCG and DCG order differently",
}
#: The most systems of the figure of ranks: the best ones.
_N_DRAWN = 50
#: What the ranks that systems may have come from.
_RANKS = {
    "t": "ranks by t tests of all pairs, Holm correction",
    "randomization": "ranks by the largest studentized difference of all pairs over random swaps of systems",
    "bootstrap": "ranks by the largest studentized difference of all pairs over resampled queries",
}


class AgainstBaseline(NamedTuple):
    """The test of a system against the baseline.

    Attributes
    ----------
    system : str
        The system.
    p_value, corrected : float
        The p-value, raw and corrected for all systems by Holm's method.

    Examples
    --------
    >>> from idealrank.comparison.leaderboards.leaderboard_result import AgainstBaseline
    >>> AgainstBaseline("e5", p_value=0.01, corrected=0.02).corrected
    0.02
    """

    system: str
    p_value: float
    corrected: float


@dataclass(frozen=True, repr=False)
class Leaderboard(Result):
    """The result of `leaderboard`.

    Attributes
    ----------
    measure : str
        The measure, as given.
    systems : tuple of str
        The systems, in the order of their means over data sets, best first.
    datasets : tuple of str
        The data sets.
    n_queries : tuple of int
        The number of queries in each data set; 0 if only means are known.
    means : float64 array of shape (n_datasets, n_systems)
        The mean of each system on each data set.
    weights : tuple of float
        The weight of each data set in the mean; the weights sum to 1.
    overall : SystemRanks
        Means over data sets with intervals, ranks and the ranks that each system may have, in the order of ``systems``.
    over : {"queries", "datasets"}
        Whether intervals, ranks and tests are about other queries of these data sets or about other data sets.
    baseline : str or None
        The system with which all others are compared; None if there is none.
    against_baseline : tuple of AgainstBaseline
        The tests against the baseline.
    normalization : Normalization or None
        How the normalization of NDCG changes the order of systems; None for other measures, or if only means are known.
    lower_is_better : bool
        Whether lower values are better.
    problems : tuple of Problem
        Problems found in the data, and how they were handled.

    Examples
    --------
    >>> from idealrank import leaderboard
    >>> scores = {"fiqa": {"bm25": 0.25, "e5": 0.5}, "scifact": {"bm25": 0.75, "e5": 1.0}}
    >>> found = leaderboard(scores, seed=0)
    >>> found.systems, found.overall.means, found.tied_for_first
    (('e5', 'bm25'), array([0.75, 0.5 ]), ('e5', 'bm25'))
    """

    measure: str
    systems: tuple[str, ...]
    datasets: tuple[str, ...]
    n_queries: tuple[int, ...]
    means: Floats
    weights: tuple[float, ...]
    overall: stats.SystemRanks
    over: str
    baseline: str | None = None
    against_baseline: tuple[AgainstBaseline, ...] = ()
    normalization: Normalization | None = None
    lower_is_better: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def tied_for_first(self) -> tuple[str, ...]:
        """The systems for which no other system is significantly better."""
        return tuple(np.array(self.systems, object)[self.overall.tied_for_first].tolist())

    @property
    def aggregations(self) -> dict[str, Floats]:
        """{aggregation: one number per system}: "mean", "geometric mean" and "mean rank", for which 1 is best."""
        own = self.overall
        return {"mean": own.means, "geometric mean": own.geometric_means, "mean rank": own.mean_ranks}

    @property
    def disagreements(self) -> tuple[tuple[str, str], ...]:
        """The pairs of systems that two aggregations order differently."""
        goods = self._goods()
        return tuple(
            (self.systems[i], self.systems[j])
            for i, j in combinations(range(len(self.systems)), 2)
            if len({np.sign(good[i] - good[j]) for good in goods.values()} - {0.0}) > 1
        )

    def _goods(self) -> dict[str, Floats]:
        """Return the aggregations that exist, with signs such that higher is better."""
        sign = -1.0 if self.lower_is_better else 1.0
        signs = {"mean": sign, "geometric mean": sign, "mean rank": -1.0}
        return {name: signs[name] * each for name, each in self.aggregations.items() if not np.isnan(each).any()}

    def _best(self) -> dict[str, str]:
        return {name: self.systems[int(np.argmax(each))] for name, each in self._goods().items()}

    def to_dict(self) -> dict[str, Plain]:
        """Return everything, including {data set: {system: mean}}."""
        from idealrank import __version__

        names = ("measure", "systems", "datasets", "n_queries", "weights", "over", "baseline", "tied_for_first")
        by_dataset = {
            name: dict(zip(self.systems, row, strict=True))
            for name, row in zip(self.datasets, self.means.tolist(), strict=True)
        }
        others = {name: plain(getattr(self, name)) for name in ("disagreements", "normalization", "problems")}
        tested = [each._asdict() for each in self.against_baseline]
        return {
            "idealrank": __version__,
            **{name: plain(getattr(self, name)) for name in names},
            "means": plain(by_dataset),
            "overall": self.overall.to_dict(),
            "against_baseline": plain(tested),
            **others,
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "systems", "datasets", "aggregations", "pairs" and, if any pair flips, "normalization".

        "systems" has a row per system, with its mean over data sets and the ranks that it may have. "datasets" has the
        mean on each data set. "aggregations" has three aggregations, with the ranks by each. "pairs" has the difference
        of each pair with its p-value. "normalization" has the pairs that NDCG and DCG order differently.
        """
        known = {
            "systems": self._systems_table,
            "datasets": self._datasets_table,
            "aggregations": self._aggregations_table,
            "pairs": self._pairs_table,
        }
        flips = self.normalization is not None and self.normalization.flips
        return Tables({**known, **({"normalization": partial(self._flips_table, flips)} if flips else {})})

    def _systems_table(self) -> Table:
        own, tested = self.overall, {each.system: each for each in self.against_baseline}
        reference = 0 if self.baseline is None else self.systems.index(self.baseline)
        rows: list[list[Value]] = []
        for i, system in enumerate(self.systems):
            low, high = int(own.rank_low[i]), int(own.rank_high[i])
            is_other = i != reference
            p_value = tested[system].corrected if system in tested else float(own.p_values[i, reference])
            change = [float(own.differences[i, reference]), p_value] if is_other else [None, None]
            rows.append(
                [
                    int(own.ranks[i]),
                    str(low) if low == high else f"{low}-{high}",
                    system,
                    *(float(each[i]) for each in (own.means, own.low, own.high)),
                    *change,
                    *(float(each[i]) for each in (own.geometric_means, own.mean_ranks)),
                ]
            )
        columns = [
            Column("rank", priority=-1),
            Column("rank range", priority=-1),
            Column("system", priority=-1),
            Column("mean", ".4f"),
            *(Column(name, ".4f", priority=1) for name in ("low", "high")),
            Column("change", "+.4f", priority=2),
            Column("corrected", "p", priority=2),
            Column("geometric", ".4f", priority=3),
            Column("mean rank", ".2f", priority=3),
        ]
        marks = {(row, 3): _FIRST for row, is_first in enumerate(own.tied_for_first.tolist()) if is_first}
        best, _ = best_rows(own.means.tolist(), self.lower_is_better)
        return Table(columns, rows, best=frozenset((row, 3) for row in best), marks=marks, notes=(self._meaning(),))

    def _meaning(self) -> str:
        other = "the best system" if self.baseline is None else self.baseline
        return (
            f"{_FIRST}: no system is significantly better. rank range: the ranks that a system could have, "
            f"with {100 * (1 - self.overall.level):.4g}% confidence for all systems at once. low, high: interval of "
            f"the mean. change: difference from {other}. corrected: its p-value, corrected for all comparisons. "
            "geometric, mean rank: geometric mean and mean rank over data sets."
        )

    def _datasets_table(self) -> Table:
        rows: list[list[Value]] = [
            [system, *self.means[:, i].tolist(), float(self.overall.means[i])] for i, system in enumerate(self.systems)
        ]
        columns = [Column("system", priority=-1), *(Column(name, ".4f") for name in (*self.datasets, "mean"))]
        best: set[tuple[int, int]] = set()
        second: set[tuple[int, int]] = set()
        for place, values in enumerate([*self.means, self.overall.means], 1):
            for cells, top in zip((best, second), best_rows(values.tolist(), self.lower_is_better), strict=True):
                cells |= {(row, place) for row in top}
        first = {(row, len(columns) - 1): _FIRST for row, own in enumerate(self.overall.tied_for_first.tolist()) if own}
        note = f"{_FIRST}: no system is significantly better over all data sets."
        caption = f"Mean {self.measure} on {self._datasets_text()}. {note} The best means are bold."
        return Table(columns, rows, {}, frozenset(best), first, frozenset(second), (note,), caption)

    def _aggregations_table(self) -> Table:
        columns = [Column("system", priority=-1)]
        cells: list[Sequence[Value]] = []
        best = set()
        for name, values in self.aggregations.items():
            columns += [Column(name, ".2f" if name == "mean rank" else ".4f"), Column(f"by {name}")]
            good = self._goods().get(name)
            ranks: list[int | None] = (
                [None] * values.size if good is None else [int(1 + (good > each).sum()) for each in good]
            )
            best |= {(row, len(columns) - 1) for row, rank in enumerate(ranks) if rank == 1}
            cells += [values.tolist(), ranks]
        rows: list[list[Value]] = [
            [system, *row] for system, row in zip(self.systems, zip(*cells, strict=True), strict=True)
        ]
        return Table(columns, rows, best=frozenset(best))

    def _pairs_table(self) -> Table:
        own = self.overall
        columns = [Column("system"), Column("against"), Column("change", "+.4f"), Column("corrected", "p")]
        rows: list[list[Value]] = [
            [self.systems[i], self.systems[j], float(own.differences[i, j]), float(own.p_values[i, j])]
            for i, j in combinations(range(len(self.systems)), 2)
        ]
        return Table(columns, rows)

    def _flips_table(self, flips: Sequence[tuple[Value, ...]]) -> Table:
        names = [] if self.normalization is None else [self.normalization.measure, self.normalization.dcg]
        numbers = [
            column
            for name in names
            for column in (Column(name, "+.4f", group=name), Column(f"p by {name}", "p", group=name))
        ]
        columns = [Column("data set"), Column("system", priority=-1), Column("against", priority=-1), *numbers]
        meaning = f"Pairs that {listed(names)} order differently: the differences of the means, and raw p-values."
        return Table(columns, [list(row) for row in flips], notes=(meaning,) if names else ())

    def _datasets_text(self) -> str:
        n = len(self.datasets)
        sets = "1 data set" if n == 1 else f"{n} data sets"
        total = sum(self.n_queries)
        return f"{sets} with {total:,} queries" if total else sets

    def page(self) -> Page:
        """Return who may be first, where aggregations disagree, and whether normalization matters."""
        own = self.overall
        names = [name for name in ("systems", "datasets", "normalization") if name in self.tables()]
        return Page(
            f"Leaderboard of {len(self.systems)} systems on {self._datasets_text()}",
            f"{self.measure}; {self._datasets_text()}: {', '.join(self.datasets)}",
            findings=(
                self._first(),
                Statement("aggregations disagree", self._disagreement_text()),
                *(Statement("normalization matters", text) for text in self._normalization_text()),
            ),
            summary=tuple(
                Section(tables={name: self.table(name)}, most_rows=_N_ROWS if name == "normalization" else None)
                for name in names
            ),
            remarks=tuple(self._remarks()),
            sections=lambda: list(self._sections()),
            provenance={"seed": own.seed, "level": f"{own.level:g}", "over": self.over, "method": own.method},
            quality=Section(notes=tuple(map(str, notable_problems(self.problems)))),
            defaults={"latex": ("datasets",), "markdown": ("systems", "datasets")},
        )

    def _sections(self) -> Iterator[Section]:
        """Yield a section per table; that of many pairs is closed at first."""
        for name, table in self.tables().items():
            title = _TITLES[name]
            is_folded = name == "pairs" and len(table.rows) > _MANY
            folded = {title: f"{title}: {len(table.rows):,} rows"} if is_folded else {}
            notes = tuple(f"{line[0].upper()}{line[1:]}." for line in self._remarks()) if name == "systems" else ()
            figures = (self._ranks_figure(),) if name == "systems" else ()
            yield Section(title, figures=figures, tables={title: table}, folded=folded, notes=notes)

    def _ranks_figure(self) -> Figure:
        own = self.overall
        told = [f"{low} to {high}" for low, high in zip(own.rank_low, own.rank_high, strict=True)]
        described = listed([f"{system} {ranks}" for system, ranks in zip(self.systems, told, strict=True)][:_N_DRAWN])
        caption = f"The ranks that each system could have with other {self.over}"
        values = (each[:_N_DRAWN].tolist() for each in (own.ranks, own.rank_low, own.rank_high))
        return Figure("rank_ranges", (self.systems[:_N_DRAWN], *values), caption, described)

    def _first(self) -> Statement:
        if len(self.tied_for_first) > 1:
            return Statement("tied for first", self._first_text())
        return Statement("first of a leaderboard", self._first_text())

    def _first_text(self) -> str:
        best, mean = self.systems[0], number(float(self.overall.means[0]))
        others = [system for system in self.tied_for_first if system != best]
        if not others:
            than = self.systems[1] if len(self.systems) == 2 else "all others"
            return f"{best} is first: its mean {self.measure}, {mean}, is significantly better than {than}."
        names = listed(others) if len(others) <= _FEW else f"{len(others)} other systems"
        n_tied = len(others) + 1
        many = share(n_tied, n_tied, "systems").capitalize() if n_tied == len(self.systems) else f"{n_tied} systems"
        tied = f"{many} are tied for first"
        return f"{tied}: {best} has the best mean, {mean}, and {names} may be as good."

    def _disagreement_text(self) -> str:
        pairs, best = self.disagreements, self._best()
        if not pairs:
            systems = share(len(self.systems), len(self.systems), "systems")
            return f"{listed(best).capitalize()} agree on the order of {systems}."
        n_pairs = len(self.systems) * (len(self.systems) - 1) // 2
        places = {system: place for place, system in enumerate(self.systems)}
        n_significant = sum(bool(self.overall.p_values[places[a], places[b]] <= self.overall.level) for a, b in pairs)
        more = [f"{len(pairs) - _FEW:,} more"] if len(pairs) > _FEW else []
        names = ", ".join([*(f"{a} / {b}" for a, b in pairs[:_FEW]), *more])
        among = f"{n_significant or 'none'} of them with a significant difference of means: {names}"
        which = f"{share(len(pairs), n_pairs, 'pairs')}, {among}"
        if len(pairs) == 1:
            which = f"{listed(pairs[0])}, whose means {'differ' if n_significant else 'do not differ'} significantly"
        rest = f"{listed(best)} disagree on the order of {which}."
        if len(set(best.values())) > 1:
            winners = "; ".join(f"{system} by the {name}" for name, system in best.items())
            rest = f"{rest} The best system depends on it: {winners}."
        return rest[0].upper() + rest[1:]

    def _normalization_text(self) -> list[str]:
        normalization = self.normalization
        if normalization is None:
            return []
        ndcg, dcg, flips, best = normalization.measure, normalization.dcg, normalization.flips, normalization.best
        if not flips:
            return [f"{ndcg} and {dcg} agree on the order of all systems on every data set."]
        n_significant = len(normalization.significant(self.overall.level))
        which = f"{share(len(flips), normalization.n_pairs, 'pairs')} of systems"
        many = f"{f'{n_significant:,}' if n_significant else 'none'} of them"
        if len(flips) == 1:
            which = f"{flips[0].system} and {flips[0].against} on {flips[0].dataset}"
            many = "" if n_significant else "not"
        text = f"{ndcg} and {dcg} disagree on the order of {which}, "
        text += f"{many} significantly by both".strip()
        changed = [name for name, (first, second) in best.items() if first != second]
        if changed:
            name = changed[0]
            first, second = best[name]
            example = f"{first} by {ndcg} and {second} by {dcg}"
            sets = f"differs on {share(len(changed), len(best), 'data sets')}, for example {example} on {name}"
            text += f"; the best system {sets if len(best) > 1 else f'is {example}'}"
        return [f"{text}."]

    def _remarks(self) -> list[str]:
        """Return how the numbers were computed."""
        own = self.overall
        about = "other queries of these data sets" if self.over == "queries" else "other data sets like these"
        weighted = "" if len(set(self.weights)) == 1 else ", weighted"
        intervals = f"{100 * (1 - own.level):.4g}% intervals by Student's t"
        how = f"mean {self.measure} over {self._datasets_text()}{weighted}; {intervals}"
        ranks = _RANKS[own.method]
        test = "stratified randomization" if self.over == "queries" else "randomization"
        against = [f"tests against {self.baseline}: {test}, Holm correction, seed {own.seed}"] if self.baseline else []
        return [
            how,
            f"{ranks}; the statements are about {about}",
            *against,
            *([own.note] if own.note else []),
        ]

    def __repr__(self) -> str:
        first = ", ".join(self.tied_for_first[:_FEW]) + (", ..." if len(self.tied_for_first) > _FEW else "")
        return f"Leaderboard({len(self.systems)} systems, {self._datasets_text()}; tied for first: {first})"

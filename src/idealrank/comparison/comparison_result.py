"""The result of `compare`: means with intervals, differences with tests, and the queries that made them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from idealrank import stats
from idealrank._present.json_values import Plain, number, plain
from idealrank._present.page import Page, Section, Statement, listed
from idealrank._present.printable import counted, share
from idealrank._present.system_scores import Scores
from idealrank._present.table import Table, Tables
from idealrank._typing import Floats
from idealrank.comparison import comparison_tables as shown
from idealrank.data.problem import Problem
from idealrank.evaluation.evaluation_base import (
    INTERVAL_METHOD,
    Measured,
    best_of,
    best_rows,
    changes_text,
    interval_remark,
)
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.judging.unjudged.bounds import Bounds, reversal
from idealrank.stats.paired import draws, smallest_p_value
from idealrank.stats.replicated import ReplicatedMoments

#: Most names to list in a sentence.
_FEW = 4
#: Most rows of a table on a page that is open from the start.
_MANY = 10
#: Most rows of a printed table if there are several, and most systems whose queries are printed.
_N_ROWS, _N_CHANGES = 10, 5


@dataclass(frozen=True)
class Difference:
    """The comparison of two systems by one measure.

    Attributes
    ----------
    system, against : str
        The two systems.
    difference : float
        The mean of ``system`` minus the mean of ``against``.
    interval : Interval
        The confidence interval of the difference.
    p_value, corrected : float
        The p-value, raw and corrected for all comparisons by the same measure.
    effect : EffectSize
        The standardized difference, and the numbers of queries won and lost.
    detectable : float
        The smallest true difference that this many queries would detect with 80% power.
    moved : tuple of (str, float)
        The queries that differ most, with their differences; the largest difference comes first.
    note : str
        A remark on the interval; empty if there is none.

    Examples
    --------
    >>> from idealrank import compare
    >>> cmp = compare({"q1": {"a": 1}}, {"old": {"q1": {"a": 1}}, "new": {"q1": {"a": 2}}}, "rr", baseline="old")
    >>> cmp.differences["rr"][0].difference
    0.0
    """

    system: str
    against: str
    difference: float
    interval: stats.Interval
    p_value: float
    corrected: float
    effect: stats.EffectSize
    detectable: float
    moved: tuple[tuple[str, float], ...]
    note: str = ""

    @property
    def n_queries(self) -> int:
        """The number of queries with a value in both systems."""
        return self.effect.wins + self.effect.ties + self.effect.losses

    def reversed(self) -> Difference:
        """Return the same comparison with the two systems exchanged.

        Returns
        -------
        Difference
            The comparison of ``against`` with ``system``.
        """
        effect = self.effect
        turned = replace(
            effect,
            cohen_dz=0.0 - effect.cohen_dz,
            hedges_g=0.0 - effect.hedges_g,
            common_language=1 - effect.common_language,
            wins=effect.losses,
            losses=effect.wins,
        )
        bounds = replace(
            self.interval, low=0.0 - self.interval.high, high=0.0 - self.interval.low, mean=0.0 - self.interval.mean
        )
        moved = tuple((query, 0.0 - change) for query, change in self.moved)
        return replace(
            self,
            system=self.against,
            against=self.system,
            difference=0.0 - self.difference,
            interval=bounds,
            effect=turned,
            moved=moved,
        )


@dataclass(frozen=True, repr=False)
class Comparison(Measured):
    """The result of `compare`.

    Attributes
    ----------
    systems : tuple of str
        The names of the systems.
    baseline : str or None
        The system that all others are compared with; None if all pairs are compared.
    query_ids : tuple of str
        The queries that all systems have, one per row of ``values``.
    values : mapping of str to array
        {measure as given: float64 array of shape (n_queries, n_systems)}.
    means : mapping
        {measure: {system: `Interval` of its mean}}.
    differences : mapping
        {measure: one `Difference` per comparison, in the order of the systems}.
    evaluations : Evaluations
        The evaluations that were compared, on the common queries.
    test, correction : str
        How the p-values were computed and corrected.
    level : float
        The significance level.
    seed : int
        Seed of the random number generator; tables and pages show it only if random numbers were drawn.
    problems : tuple of Problem
        Problems found in the data, and how they were handled.
    interval_method : str
        The method of the intervals of means and differences.
    unjudged_bounds : mapping
        {measure: `Bounds` over all labels that unjudged documents could have}; empty if they were not computed.
    unchecked : mapping
        {measure: for which systems ``unjudged_bounds`` were not computed and why, in words}.
    n_permutations : int
        The number of random permutations or resamples, for tests and intervals that draw them.
    shows_bounds : bool
        Whether ``print`` shows ``unjudged_bounds``, because they were asked for.

    Examples
    --------
    >>> from idealrank import compare
    >>> qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(10)}
    >>> good, bad = ({q: {"a": a, "b": 1.0} for q in qrels} for a in (2.0, 0.0))
    >>> found = compare(qrels, {"bad": bad, "good": good}, "rr", baseline="bad")
    >>> print(found.to_text("systems by rr", width=80).rstrip())
    system      rr       low    high   change  corrected  better  same  worse
    good    1.0000 †  0.6915  1.0000  +0.5000     0.0020      10     0      0
    bad     0.5000    0.3458  0.6542
    Not shown in 80 columns: p, d_z, detectable.
    †: significantly better than bad (paired t test, Holm correction, level 0.05).
    Rows are sorted by rr.
    """

    systems: tuple[str, ...]
    baseline: str | None
    query_ids: tuple[str, ...]
    values: Mapping[str, Floats]
    means: Mapping[str, Mapping[str, stats.Interval]]
    differences: Mapping[str, tuple[Difference, ...]]
    evaluations: Evaluations
    test: str
    correction: str
    level: float
    seed: int
    problems: tuple[Problem, ...] = field(default_factory=tuple)
    interval_method: str = INTERVAL_METHOD
    unjudged_bounds: Mapping[str, Bounds] = field(default_factory=dict)
    n_permutations: int = 10_000
    shows_bounds: bool = False
    unchecked: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_queries(self) -> int:
        """The number of queries that were compared."""
        return len(self.query_ids)

    def significant(self, measure: str) -> tuple[Difference, ...]:
        """Return the comparisons whose corrected p-value is at most ``level``.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        tuple of Difference
            The significant comparisons.
        """
        return tuple(each for each in self.differences[measure] if each.corrected <= self.level)

    def letters(self, measure: str) -> dict[str, str]:
        """Return {system: the systems that it is significantly better than}, by their letters.

        The best system by the first measure is "a", the next one "b", and so on. If there are more than 26 systems,
        they are numbered from 1, and "3,5-9" means 3 and 5 to 9.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        dict of str to str
            The letters, or the numbers, by system.
        """
        known = shown.labels(self.ranked())
        return {system: shown.joined_labels(worse, known) for system, worse in self._beaten(measure).items()}

    def _beaten(self, measure: str) -> dict[str, list[str]]:
        """Return {system: the systems that it is significantly better than}."""
        beaten: dict[str, list[str]] = {system: [] for system in self.systems}
        for each in self.significant(measure):
            gain = shown.gain(self, measure, each)
            if gain != 0:
                better, worse = (each.system, each.against) if gain > 0 else (each.against, each.system)
                beaten[better].append(worse)
        return beaten

    def by_system(self) -> Evaluations:
        return self.evaluations

    def intervals(self, measure: str) -> dict[str, stats.Interval]:
        """Return {system: its mean over the common queries, with its interval}.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        dict of str to Interval
            One interval per system.
        """
        return dict(self.means[measure])

    def reference(self, measure: str) -> str:
        """Return the system with which the others are compared: the baseline, or the one with the best mean.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        str
            The name of the system.
        """
        if self.baseline is not None:
            return self.baseline
        return best_of(self.means[measure], self.evaluations.lower_is_better(measure))

    def query_differences(self, measure: str, system: str, against: str) -> Floats:
        """Return the per-query differences of two systems, largest first."""
        i, j = self.systems.index(system), self.systems.index(against)
        differences = self.values[measure][:, i] - self.values[measure][:, j]
        return -np.sort(-differences[~np.isnan(differences)])

    def tables(self) -> Mapping[str, Table]:
        """Return a table per measure, named by it: a row per system with its difference from the baseline, or per pair.

        Other tables: "systems by MEASURE" has a row per system with its difference from the baseline or the best
        system, and the systems that it is significantly better than. "means of MEASURE" has means and intervals.
        "letters", for `to_latex`, has the means of all measures, with marks or letters for significant differences.
        "differences", for `to_csv` and `to_frame`, has a row per measure and comparison, with all numbers. If bounds
        were computed, "unjudged by MEASURE" and "unjudged differences by MEASURE" show what unjudged documents could
        change, and measures that handle them in other ways. If queries have categories, "categories" has the means by
        category. If systems have several runs, "runs" has standard deviations between queries and between runs.

        Rows by system are sorted by the mean of the first measure.
        """
        main = shown.pairs_table if self.baseline is None else shown.systems_table
        by_measure = {
            **{name: partial(main, self, name) for name in self.values},
            **{f"systems by {name}": partial(shown.systems_table, self, name) for name in self.values},
            **{f"means of {name}": partial(shown.means_table, self, name) for name in self.values},
        }
        all_measures = {"letters": shown.paper_table, "differences": shown.differences_table}
        unjudged = {
            f"{title} by {name}": partial(each.table, table)
            for name, each in self.unjudged_bounds.items()
            for title, table in (("unjudged", "means"), ("unjudged differences", "differences"))
        }
        every = {name: partial(table, self) for name, table in all_measures.items()}
        has_categories = self.evaluations.has_categories
        categories = (
            {"categories": partial(self.evaluations.table_of_categories, interval=True)} if has_categories else {}
        )
        return Tables({**by_measure, **every, **unjudged, **categories, **self._runs_tables()})

    def to_dict(self) -> dict[str, Plain]:
        """Return everything except the per-query values; if nothing was drawn, seed and number of draws are None."""
        from idealrank import __version__

        facts = ("n_queries", "baseline", "test", "correction", "level")
        is_random = self._is_random()
        bounds: dict[str, Plain] = {name: _plain_bounds(each) for name, each in self.unjudged_bounds.items()}
        components: dict[str, Plain] = {
            name: each.components_dict() for name, each in self.evaluations.items() if each.runs
        }
        return {
            "idealrank": __version__,
            "conventions": plain(next(iter(self.evaluations.values())).conventions),
            **{name: plain(getattr(self, name)) for name in facts},
            "seed": self.seed if is_random else None,
            "n_permutations": self.n_permutations if is_random else None,
            **{name: plain(getattr(self, name)) for name in ("interval_method", "means", "differences")},
            **({"variance_components": components} if components else {}),
            **({"unjudged_bounds": bounds} if bounds else {}),
            **({"unchecked": plain(self.unchecked)} if self.unchecked else {}),
            **({"by_category": self.evaluations.categories_dict()} if self.evaluations.has_categories else {}),
            "problems": plain(self.problems),
        }

    def largest_changes(self, measure: str) -> dict[str, str]:
        """Return {system: the queries on which it differs most from the baseline}; empty without a baseline.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        dict of str to str
            The queries with their differences, as text.
        """
        differences = self.differences[measure] if self.baseline is not None else ()
        return {each.system: changes_text(each.moved) for each in differences if each.moved}

    def page(self) -> Page:
        """Return which systems differ, a table per measure, and the sections of a report."""
        page = super().page()
        by_system = tuple(f"systems by {name}" for name in self.values)
        more = self._asked_for()
        means = [each for own in self.means.values() for each in own.values()]
        seed = [f"seed {self.seed}"] if self._is_random() else []
        over, *runs = page.remarks
        return replace(
            page,
            title=f"Comparison of {len(self.systems)} systems",
            findings=tuple(self._findings()),
            summary=tuple(self._summary()),
            remarks=(
                "; ".join([over, shown.test_text(self), interval_remark(means), *seed]),
                *runs,
            ),
            sections=lambda: list(self._sections(page.sections())),
            provenance=self._provenance(),
            defaults={
                "csv": ("differences", *more),
                "frame": ("differences",),
                "html": by_system[:1],
                "latex": ("letters", *more),
                "markdown": (*by_system, *(self.values if self.baseline is None else ()), *more),
            },
        )

    def _summary(self) -> Iterator[Section]:
        """Yield all measures next to each other, each measure by itself, and what its columns mean."""
        several = len(self.values) > 1
        if several:
            yield Section(tables={"letters": self.table("letters")})
        tables = {name: self.table(f"systems by {name}") for name in self.values}
        notes = [table.notes for table in tables.values()]
        for place, (name, table) in enumerate(tables.items()):
            # Equal notes of several tables are below the last of them; those on a baseline are below the first table.
            is_noted = notes[place] not in notes[place + 1 :] and not (several and self.baseline is not None)
            own = table if is_noted else replace(table, notes=())
            yield Section(tables={f"systems by {name}": own}, most_rows=_N_ROWS if several else None)
            if self.baseline is None:
                yield Section(tables={name: self.table(name)}, most_rows=0)
        yield Section(notes=tuple(self._details()))
        yield Section(definitions=shown.column_meanings(self))
        yield from (Section(tables={name: make()}) for name, make in self._runs_tables().items())
        yield from (Section(tables={name: self.table(name)}) for name in self._asked_for())

    def _asked_for(self) -> tuple[str, ...]:
        """Return the names of the tables that exist only if an option asks for them."""
        kinds = ("unjudged", "unjudged differences") if self.shows_bounds else ()
        unjudged = (f"{kind} by {measure}" for measure in self.unjudged_bounds for kind in kinds)
        return (*unjudged, *(("categories",) if self.evaluations.has_categories else ()))

    def _details(self) -> Iterator[str]:
        """Yield the queries on which systems differ most from the baseline."""
        if self.baseline is None:
            return
        for measure in self.values:
            changes = self.largest_changes(measure)
            ranked = [system for system in self.ranked() if system in changes]
            for system in ranked[:_N_CHANGES]:
                yield f"{measure}, {system} - {self.baseline}, largest differences: {changes[system]}"
            if (rest := len(ranked) - _N_CHANGES) > 0:
                yield f"{measure}: {counted(rest, 'more system')}; JSON output has all"

    def _findings(self) -> list[Statement]:
        """Return which systems differ significantly, what limits the test, and what could reverse the order."""
        advice = "'idealrank judge-next', or judge_next in Python, lists the documents to judge first."
        statements = [self._verdict(name) for name in self.values]
        statements += (Statement("no difference can be significant", text) for text in self._unreachable())
        found = [reversal(each.differences, name) for name, each in self.unjudged_bounds.items()]
        reversible = [each for each in found if each is not None]
        advised = [Statement("which documents to judge", advice)] if reversible else []
        unchecked = [Statement("unjudged documents were not checked", text) for text in self._unchecked()]
        return [*statements, *reversible, *advised, *unchecked, *self._runs_statements()]

    def _runs_statements(self) -> list[Statement]:
        """Return for the first differences of systems with several runs whether more queries or runs would help."""
        found = []
        for measure, differences in self.differences.items():
            for each in differences[:_N_CHANGES] if any(own.runs for own in self.evaluations.values()) else ():
                own = [self.evaluations[name].variance_components(measure) for name in (each.system, each.against)]
                values = self.query_differences(measure, each.system, each.against)
                error = ReplicatedMoments(values, [*own[0], *own[1]]).error
                found.append(None if error is None else error.statement(f"{measure}, {each.system} - {each.against}"))
        return [each for each in found if each is not None]

    def _draws(self) -> bool:
        """Return whether any test drew random permutations or resamples."""
        return any(draws(self.test, _n_changed(each)) for tested in self.differences.values() for each in tested)

    def _is_random(self) -> bool:
        """Return whether another seed could give other p-values or intervals."""
        return self._draws() or self.interval_method in ("percentile", "bca")

    def _drawn_name(self) -> str:
        return "resamples" if self.test == "bootstrap" else "permutations"

    def _unreachable(self) -> list[str]:
        """Return a sentence about the measures for which no difference can be significant, whatever the data."""
        measures: dict[str, list[str]] = {}
        for name in self.differences:
            tested = [each for each in self.differences[name] if not math.isnan(each.p_value)]
            most = max((_n_changed(each) for each in tested), default=0)
            if self._n_valued(name) < 2 or most == 0:
                continue
            factor = len(tested) if self.correction in ("holm", "bonferroni") and self.test != "tukey" else 1
            least = factor * min(
                smallest_p_value(self.test, _n_changed(each), self.n_permutations, each.effect.ties) for each in tested
            )
            if least <= self.level:
                continue
            what = self._drawn_name()
            limits, more = f"{counted(most, 'query')} that {'differs' if most == 1 else 'differ'}", "more queries"
            if draws(self.test, most):
                limits = f"{self.n_permutations:,} {what}"
                more = f"at least {math.ceil(factor / self.level) - 1:,} {what}"
            compared = counted(len(tested), "comparison")
            p_value = "corrected p-value" if shown.is_corrected(self) else "p-value"
            text = (
                f"no difference can be significant: with {limits} and {compared}, the smallest {p_value} that the test "
                f"can give is {min(least, 1.0):.4f}; use {more}."
            )
            measures.setdefault(text, []).append(name)
        return [f"{listed(names)}: {text}" for text, names in measures.items()]

    def _unchecked(self) -> list[str]:
        """Return a sentence about the systems of which it is not known what unjudged documents could change."""
        measures: dict[str, list[str]] = {}
        for name, which in self.unchecked.items():
            measures.setdefault(which, []).append(name)
        return [
            f"{listed(names)}: whether unjudged documents could reverse differences was not computed {which}."
            for which, names in measures.items()
        ]

    def _verdict(self, measure: str) -> Statement:
        """Return which systems differ, or why this is not known."""
        text = f"{measure}: {self._finding(measure)}."
        if self._n_valued(measure) < 2:
            return Statement("too few queries to test", text)
        if self.significant(measure):
            return Statement("significant difference", text)
        return Statement("no significant difference", text)

    def _finding(self, measure: str) -> str:
        n_valued = self._n_valued(measure)
        if n_valued == 0:
            return (
                f"{self._best_mean(measure)}; no query has a value in two systems"
                if self._best(measure)
                else "no query has a value"
            )
        if n_valued == 1:
            return f"{self._best_mean(measure)}; one query is not enough to test differences"
        verdict = self._of_pairs(measure) if self.baseline is None else self._against_baseline(measure)
        return f"{verdict} at level {self.level:g}{self._changes(measure)}"

    def _n_valued(self, measure: str) -> int:
        """Return the number of queries with a value in both systems of a pair; the largest over all pairs."""
        return max(each.n_queries for each in self.differences[measure])

    def _against_baseline(self, measure: str) -> str:
        significant, n_tested = self.significant(measure), len(self.differences[measure])
        gains = [shown.gain(self, measure, each) for each in significant]
        if n_tested == 1:
            (only,) = self.differences[measure]
            kinds = {
                1: "is significantly better than",
                -1: "is significantly worse than",
                0: "differs significantly from",
            }
            verdict = kinds[_sign(gains[0])] if significant else "does not differ significantly from"
            return f"{only.system} {verdict} {self.baseline} ({number(only.difference, '+z.4f')})"
        words = {1: "better", -1: "worse", 0: "with the same mean"}
        counts = {word: sum(_sign(gain) == sign for gain in gains) for sign, word in words.items()}
        known = [f"{count:,} {word}" for word, count in counts.items() if count]
        kinds_text = f", {listed(known)}," if len(known) > 1 else ""
        differ = share(len(significant), n_tested, "systems", "differ")
        return f"{differ} significantly from {self.baseline}{kinds_text}"

    def _of_pairs(self, measure: str) -> str:
        significant, n_tested = self.significant(measure), len(self.differences[measure])
        best = self._best(measure)
        differ = f"{share(len(significant), n_tested, 'pairs', 'differ')} significantly"
        if n_tested == 1 and len(best) != 1:
            differ = "differ significantly" if significant else "do not differ significantly"
            if not best:
                return f"{self._best_mean(measure)}; {listed(self.systems)} {differ}"
            link = "but" if significant else "and"
            mean = number(self.means[measure][best[0]].mean)
            return f"{listed(best)} have the same mean, {mean}, {link} {differ}"
        if len(best) != 1:
            return f"{self._best_mean(measure)}; {differ}"
        worse = self._beaten(measure)[best[0]]
        others = [system for system in self.systems if system not in (*best, *worse)]
        rest = "significantly better than all others"
        if others:
            is_all = len(others) == len(self.systems) - 1
            many = "any other system" if is_all else f"{len(others):,} other systems"
            names = listed(others) if len(others) <= _FEW else many
            rest = f"not significantly better than {names}"
        elif n_tested == 1:
            rest = f"significantly better than {listed(worse)}"
        first = f"{self._best_mean(measure)}, {rest}"
        return first if n_tested == 1 else f"{first}; {differ}"

    def _best(self, measure: str) -> list[str]:
        """Return the systems that share the best mean; none if no system has a mean."""
        systems = self.ranked()
        means = [self.means[measure][system].mean for system in systems]
        first, _ = best_rows(means, self.evaluations.lower_is_better(measure))
        return [systems[row] for row in first]

    def _best_mean(self, measure: str) -> str:
        best = self._best(measure)
        if not best:
            return "no system has a mean, because some queries have no value"
        mean = number(self.means[measure][best[0]].mean)
        if len(best) == 1:
            return f"{best[0]} has the best mean, {mean}"
        names = listed(best) if len(best) <= _FEW else f"{len(best):,} systems"
        return f"{names} share the best mean, {mean}"

    def _changes(self, measure: str) -> str:
        if self.baseline is None or len(self.differences[measure]) == 1:
            return ""
        ordered = sorted(self.significant(measure), key=lambda each: -shown.gain(self, measure, each))
        changes = [f"{each.system} ({number(each.difference, '+z.4f')})" for each in ordered]
        if len(changes) > _FEW + 1:
            changes = [*changes[:_FEW], f"{len(changes) - _FEW} more"]
        return f": {listed(changes)}" if changes else ""

    def scores(self) -> Scores:
        """Return the values of all systems on all queries, with their means and the compared pairs.

        Returns
        -------
        Scores
            What the pages and figures of the comparison show.
        """
        scores = replace(super().scores(), baseline=self.baseline, level=self.level)
        return replace(scores, test=shown.test_text(self), is_corrected=shown.is_corrected(self))

    def _pairs(self, measure: str) -> Floats:
        places = {system: place for place, system in enumerate(self.systems)}
        rows, is_tested = [], self._n_valued(measure) > 1
        for each in self.differences[measure]:
            effect, bounds = each.effect, (each.interval.low, each.interval.high)
            # One query is no test: its p-value is 1, whatever it says.
            tested = (each.p_value, each.corrected, effect.cohen_dz) if is_tested else (math.nan,) * 3
            counts = effect.wins, effect.ties, effect.losses
            which = places[each.system], places[each.against]
            rows.append([*which, each.difference, *bounds, *tested, *counts, each.detectable])
        return np.array(rows, np.float64)

    def _sections(self, sections: Iterable[Section]) -> Iterator[Section]:
        """Yield the sections with notes on the tests and intervals, and what unjudged documents could change."""
        is_tested = any(self._n_valued(measure) > 1 for measure in self.differences)
        notes = {"leaderboard": (shown.board_text(self),) if is_tested else (), "figures": self._interval_notes()}
        for section in sections:
            yield replace(section, notes=notes.get(section.key, section.notes))
            if section.key == "queries":
                yield from self._unjudged()

    def _interval_notes(self) -> tuple[str, ...]:
        measures: dict[str, list[str]] = {}
        for name, differences in self.differences.items():
            for note in dict.fromkeys(note for each in differences for note in each.note.split("; ") if note):
                pairs = [
                    f"{each.system} against {each.against}" for each in differences if note in each.note.split("; ")
                ]
                few = [*pairs[:_FEW], *([f"{len(pairs) - _FEW:,} more pairs"] if len(pairs) > _FEW else [])]
                which = "" if len(pairs) == len(differences) else f", {listed(few)}"
                measures.setdefault(f"{which}: {note}.", []).append(name)
        return tuple(f"{listed(names)}{rest}" for rest, names in measures.items())

    def _unjudged(self) -> list[Section]:
        if not self.unjudged_bounds:
            return []
        noted = {
            f"{name}: {what}": bounds.table(what)
            for name, bounds in self.unjudged_bounds.items()
            for what in ("differences", "means")
        }
        notes = tuple(dict.fromkeys(note for each in noted.values() for note in each.notes))  # each note only once
        tables = {caption: replace(each, notes=()) for caption, each in noted.items()}
        folded = {
            caption: f"{caption}, {len(each.rows)} rows" for caption, each in tables.items() if len(each.rows) > _MANY
        }
        parts = tuple(
            Section("" if caption in folded else caption, tables={caption: each}, folded=folded)
            for caption, each in tables.items()
        )
        return [Section("Unjudged documents", "unjudged", parts=(*parts, Section(notes=notes)))]

    def _provenance(self) -> dict[str, object]:
        """Return test, correction and level, and what was drawn: the number of permutations or resamples, the seed."""
        corrected = {} if self.test == "tukey" else {"correction": self.correction}
        drawn = {self._drawn_name(): f"{self.n_permutations:,}"} if self._draws() else {}
        seed = {"seed": self.seed} if self._is_random() else {}
        return {"test": self.test, **corrected, "level": f"{self.level:g}", **drawn, **seed}

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline}"
        counts = "; ".join(f"{name}: {len(self.significant(name))} significant" for name in self.values)
        return f"Comparison({len(self.systems)} systems, {counted(self.n_queries, 'query')}, {against}; {counts})"


def _n_changed(difference: Difference) -> int:
    """Return the number of queries on which the two systems differ."""
    return difference.effect.wins + difference.effect.losses


def _sign(gain: float) -> int:
    return (gain > 0) - (gain < 0)


def _plain_bounds(bounds: Bounds) -> dict[str, Plain]:
    return {"mean": plain(bounds.mean), "differences": plain(bounds.differences)}

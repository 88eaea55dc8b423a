"""Compare systems: means with intervals, differences with tests, and the queries that made them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from idealrank import stats
from idealrank._base.exact import WeightedMoments, linearized
from idealrank._base.plain import Plain, number, plain
from idealrank._base.sections import Figure, Section, listed
from idealrank._base.tables import Column, Table, Tables, Value
from idealrank._typing import Floats
from idealrank.data.problem import Problem
from idealrank.data.ranking import Order
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.categories import By, categories_of
from idealrank.evaluation.evaluator import Evaluator, QueryWeights
from idealrank.evaluation.inputs import Data, LayoutOptions, Measures, Several, judged_and_systems, layout_of
from idealrank.evaluation.results import (
    INTERVAL_METHOD,
    Evaluation,
    Evaluations,
    Measured,
    best_of,
    changes_text,
    interval_remark,
)
from idealrank.io.shapes.base import recognize
from idealrank.measures.conventions import Convention
from idealrank.stats.paired import TESTS, paired_test
from idealrank.stats.samples import new_seed

__all__ = ["Comparison", "Difference", "Testing", "common_queries", "compare"]

_CORRECTIONS: Mapping[str, Callable[[Any], Floats]] = {
    "holm": stats.holm,
    "benjamini_hochberg": stats.benjamini_hochberg,
    "bonferroni": stats.bonferroni,
    "none": lambda p_values: np.asarray(p_values, np.float64),
}
_INTERVALS = ("t", "percentile", "bca")
#: Tests of weighted means; the others have no weighted form.
_WEIGHTED_TESTS = ("randomization", "t", "tukey")
_N_MOVED = 5
#: Most names to list in a sentence, and most rows of a table that is initially open.
_FEW, _MANY = 4, 12


@dataclass(frozen=True)
class Difference:
    """One system compared with another by one measure.

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
        The queries that differ most, with their differences, largest first.
    note : str
        A remark on the interval; may be empty.

    Examples
    --------
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
        The queries that all systems have, one per row of the matrices.
    values : mapping of str to array
        {measure as given: matrix[query, system]}.
    means : mapping
        {measure: {system: mean with its interval}}.
    differences : mapping
        {measure: comparisons, in the order of the systems}.
    evaluations : Evaluations
        The evaluations that were compared, on the common queries.
    test, correction : str
        How the p-values were computed and corrected.
    level : float
        The significance level.
    seed : int
        Seed of the random number generator.
    problems : tuple of Problem
        Problems found in the data, and how they were handled.
    interval_method : str
        The method of the intervals of means and differences.

    Examples
    --------
    >>> qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(10)}
    >>> good, bad = ({q: {"a": a, "b": 1.0} for q in qrels} for a in (2.0, 0.0))
    >>> print(compare(qrels, {"bad": bad, "good": good}, "rr", baseline="bad", seed=0).to_text())
    system      rr     low    high  change       p  corrected     d_z  better  same  worse  detectable
    bad     0.5000  0.5000  0.5000
    good    1.0000  1.0000  1.0000  0.5000  0.0020     0.0020     nan      10     0      0      0.0000
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

    @property
    def n_queries(self) -> int:
        """Number of queries compared."""
        return len(self.query_ids)

    def significant(self, measure: str) -> tuple[Difference, ...]:
        """Return the comparisons whose corrected p-value is at most the level."""
        return tuple(each for each in self.differences[measure] if each.corrected <= self.level)

    def letters(self, measure: str) -> dict[str, str]:
        """Return {system: letters of the systems that it is significantly better than}; system i is the i-th letter."""
        names = {system: _letter(i) for i, system in enumerate(self.systems)}
        beaten: dict[str, list[str]] = {system: [] for system in self.systems}
        for each in self.significant(measure):
            is_better = (each.difference > 0) != self.evaluations.lower_is_better(measure)
            better, worse = (each.system, each.against) if is_better else (each.against, each.system)
            beaten[better].append(names[worse])
        return {system: "".join(sorted(found)) for system, found in beaten.items()}

    def by_system(self) -> Evaluations:
        return self.evaluations

    def intervals(self, measure: str) -> dict[str, stats.Interval]:
        """Return {system: its mean over the common queries, with the interval}."""
        return dict(self.means[measure])

    def query_values(self, measure: str) -> dict[str, Floats]:
        """Return {system: its values on the common queries}, without the queries that have none."""
        columns = dict(zip(self.systems, self.values[measure].T, strict=True))
        return {name: values[~np.isnan(values)] for name, values in columns.items()}

    def reference(self, measure: str) -> str:
        """Return the system that the others are shown against: the baseline, or the one with the best mean."""
        if self.baseline is not None:
            return self.baseline
        return best_of(self.means[measure], self.evaluations.lower_is_better(measure))

    def query_differences(self, measure: str, system: str, against: str) -> Floats:
        """Return the per-query differences of two systems, largest first."""
        i, j = self.systems.index(system), self.systems.index(against)
        found = self.values[measure][:, i] - self.values[measure][:, j]
        return -np.sort(-found[~np.isnan(found)])

    def tables(self) -> Mapping[str, Table]:
        """Return a table per measure, named by it: a row per system with its difference from the baseline, or per pair.

        "means of " and a measure: means and intervals. "letters", for `to_latex`: means of all measures, with letters
        for the systems that a system is significantly better than. "differences", for `to_csv` and `to_frame`: a row
        per measure and comparison.
        """
        by_measure = {name: partial(self._differences_table, name) for name in self.values}
        means = {f"means of {name}": partial(self._means_table, name) for name in self.values}
        return Tables({**by_measure, **means, "letters": self._letters_table, "differences": self._all_differences})

    def _chosen(self, form: str) -> list[str]:
        names = {"latex": "letters", "csv": "differences", "frame": "differences"}
        return [names.get(form, next(iter(self.values)))]

    def _differences_table(self, measure: str) -> Table:
        differences = self.differences[measure]
        if self.baseline is None:
            rows = [[each.system, each.against, *_cells(each)] for each in differences]
            return Table([Column("system"), Column("against"), *_DIFFERENCE_COLUMNS], rows)
        against = {each.system: each for each in differences}
        means = self._means_table(measure)
        rows = [[*row, *_cells(against.get(system))] for system, row in zip(self.systems, means.rows, strict=True)]
        return Table([*means.columns, *_DIFFERENCE_COLUMNS], rows)

    def _means_table(self, measure: str) -> Table:
        columns = [Column("system"), Column(measure, ".4f"), Column("low", ".4f"), Column("high", ".4f")]
        return Table(
            columns, [[system, each.mean, each.low, each.high] for system, each in self.means[measure].items()]
        )

    def _letters_table(self) -> Table:
        letters = {measure: self.letters(measure) for measure in self.values}
        rows: list[list[Value]] = []
        for i, system in enumerate(self.systems):
            cells = [
                " ".join(filter(None, (f"{self.means[name][system].mean:.4f}", letters[name][system])))
                for name in self.values
            ]
            rows.append([f"{_letter(i)} {system}", *cells])
        return Table([Column("system"), *map(Column, self.values)], rows)

    def _all_differences(self) -> Table:
        rows = [
            [measure, each.system, each.against, *_cells(each)]
            for measure, found in self.differences.items()
            for each in found
        ]
        return Table([Column("measure"), Column("system"), Column("against"), *_DIFFERENCE_COLUMNS], rows)

    def to_dict(self) -> dict[str, Plain]:
        """Return everything except the per-query values."""
        from idealrank import __version__

        facts = ("n_queries", "baseline", "test", "correction", "level", "seed", "interval_method")
        return {
            "idealrank": __version__,
            "conventions": plain(next(iter(self.evaluations.values())).conventions),
            **{name: plain(getattr(self, name)) for name in (*facts, "means", "differences")},
            **({"by_category": self.evaluations.categories_dict()} if self.evaluations.has_categories else {}),
            "problems": plain(self.problems),
        }

    def remarks(self) -> list[str]:
        """Return how the p-values and intervals were computed, and the conventions."""
        corrected = "" if self.test == "tukey" else f", p-values corrected by {self.correction}"
        some = next(iter(next(iter(self.means.values())).values()))
        how = f"{self.test} test{corrected}; {interval_remark(some)}; seed {self.seed}"
        over, *others = super().remarks()
        return [f"{over}; {how}", *others]

    def largest_changes(self, measure: str) -> dict[str, str]:
        """Return {system: the queries on which it differs most from the baseline}; empty without a baseline."""
        differences = self.differences[measure] if self.baseline is not None else ()
        return {each.system: changes_text(each.moved) for each in differences if each.moved}

    def title(self) -> str:
        """Return how many systems were compared."""
        return f"Comparison of {len(self.systems)} systems"

    def findings(self) -> list[str]:
        """Return, for each measure, which systems differ significantly."""
        return [f"{name}: {self._finding(name)} at level {self.level:g}{self._changes(name)}." for name in self.values]

    def _finding(self, measure: str) -> str:
        significant, n_tested = self.significant(measure), len(self.differences[measure])
        if self.baseline is not None:
            return f"{len(significant)} of {n_tested} differ significantly from {self.baseline}"
        best = self.reference(measure)
        told = {
            name for each in significant if best in (each.system, each.against) for name in (each.system, each.against)
        }
        others = [system for system in self.systems if system not in {best, *told}]
        rest = "significantly better than every other"
        if others:
            names = listed(others) if len(others) <= _FEW else f"{len(others)} of the others"
            rest = f"not significantly better than {names}"
        first = f"{best} has the best mean, {number(self.means[measure][best].mean)}, {rest}"
        return f"{first}; {len(significant)} of {n_tested} pairs differ"

    def _changes(self, measure: str) -> str:
        changes = [f"{each.system} ({each.difference:+.4f})" for each in self.significant(measure)]
        return f": {listed(changes)}" if changes and self.baseline is not None else ""

    def _measure_parts(self, measure: str) -> Iterator[Section]:
        means, spread = self._means_figure(measure), self._spread_figure(measure)
        caption, table = f"Differences by {measure}", self.table(measure)
        found = self.differences[measure]
        moved = tuple(f"{system}: {changes}" for system, changes in self.largest_changes(measure).items())
        yield Section(
            figures=(*means, *self._pair_figures(measure), spread),
            tables={caption: table},
            folded={caption: f"All {len(table.rows)} comparisons"} if len(table.rows) > _MANY else {},
            notes=(*(f"Note: {note}." for note in dict.fromkeys(each.note for each in found if each.note)), _COLUMNS),
            lists={"Queries that changed most": moved} if moved else {},
        )

    def _pair_figures(self, measure: str) -> Iterator[Figure]:
        tested = self.differences[measure]
        if self.baseline is None:
            told = "; ".join(f"{each.system} against {each.against}: {each.corrected:.4f}" for each in tested)
            what = "Corrected p-values: ▲ the row is significantly better than the column, ▼ worse"
            yield Figure("significance", (self, measure), what, told)
        against = self.reference(measure)
        told = "; ".join(
            f"{each.system} against {each.against}: {each.effect.wins} better, {each.effect.losses} worse"
            for each in tested
            if against in (each.system, each.against)
        )
        best = "" if self.baseline is not None else ", which has the best mean"
        yield Figure("differences", (self, measure), f"Difference from {against}{best}, query by query", told)

    def made_with(self) -> dict[str, object]:
        """Return test, level, seed and correction."""
        corrected = {} if self.test == "tukey" else {"correction": self.correction}
        return {"test": self.test, "level": f"{self.level:g}", "seed": self.seed, **corrected}

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline}"
        found = "; ".join(f"{name}: {len(self.significant(name))} significant" for name in self.values)
        return f"Comparison({len(self.systems)} systems, {self.n_queries:,} queries, {against}; {found})"


_COLUMNS = (
    "change: difference of the means; d_z: change over the standard deviation of the differences; better, same, worse: "
    "numbers of queries; detectable: the smallest true difference that this many queries would detect with 80% power."
)
_DIFFERENCE_COLUMNS = (
    *(Column(name, ".4f") for name in ("change", "p", "corrected")),
    Column("d_z", ".2f"),
    *map(Column, ("better", "same", "worse")),
    Column("detectable", ".4f"),
)


@dataclass(frozen=True)
class Testing:
    """How systems are compared: the options of `compare`, checked.

    Parameters
    ----------
    baseline : str, optional
        The system that all others are compared with; by default, all pairs are compared.
    test : {"randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey"}, optional
        The paired test. By default, the randomization test with a baseline and the randomized Tukey HSD test without.
    correction : {"holm", "benjamini_hochberg", "bonferroni", "none"}
        How the p-values of one measure are corrected; those of Tukey's test already are.
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    n_permutations : int
        Number of permutations, and of bootstrap resamples.
    seed : int, optional
        Seed of the random number generator; by default, a new one.
    n_threads : int, optional
        Number of threads; by default, all cores.
    interval_method : {"t", "percentile", "bca"}
        The method of the intervals of means and differences: Student's t, as in `evaluate`, or a bootstrap.

    Raises
    ------
    DataError
        If the test or the correction is unknown, or if Tukey's test is given a baseline.
    OptionError
        If the method of intervals is unknown.
    """

    baseline: str | None = None
    test: str | None = None
    correction: str = "holm"
    level: float = 0.05
    n_permutations: int = 10_000
    seed: int | None = None
    n_threads: int | None = None
    interval_method: str = INTERVAL_METHOD

    def __post_init__(self) -> None:
        if self.interval_method not in _INTERVALS:
            raise OptionError(f"interval_method must be one of {', '.join(_INTERVALS)}, got {self.interval_method!r}")
        if self.test is not None and self.test not in TESTS and self.test != "tukey":
            raise DataError(f"test must be 'tukey' or one of {', '.join(TESTS)}, got {self.test!r}")
        if self.correction not in _CORRECTIONS:
            raise DataError(f"correction must be one of {', '.join(_CORRECTIONS)}, got {self.correction!r}")
        if self.test == "tukey" and self.baseline is not None:
            raise DataError("Tukey's test compares all pairs: leave out the baseline, or name another test")

    def compare(self, evaluations: Evaluations) -> Comparison:
        """Compare systems by their evaluations.

        Parameters
        ----------
        evaluations : Evaluations
            The evaluations of two systems or more.

        Returns
        -------
        Comparison
            Intervals of the means, and the differences with their tests.

        Raises
        ------
        DataError
            If there are fewer than two systems, no such baseline, or no common query.
        """
        names, baseline = tuple(evaluations), self.baseline
        if len(names) < 2:
            raise DataError("a comparison needs two systems or more: give {name: run} or {name: scores}")
        if baseline is not None and baseline not in names:
            raise DataError(f"the baseline {baseline!r} is not among the systems {', '.join(map(repr, names))}")
        test, seed = self.test or ("tukey" if baseline is None else "randomization"), new_seed(self.seed)
        chosen = replace(self, test=test, seed=seed)
        evaluations = evaluations.on_common_queries()
        _check_means(evaluations)
        query_ids, values = common_queries(evaluations)
        weights = next(iter(evaluations.values())).query_weights
        if weights is not None:
            chosen._check_weighted()
        means = {
            measure: {name: chosen._mean(evaluation, measure) for name, evaluation in evaluations.items()}
            for measure in values
        }
        pairs = list(combinations(range(len(names)), 2))
        if baseline is not None:
            pairs = [(i, names.index(baseline)) for i, name in enumerate(names) if name != baseline]
        differences = {
            measure: tuple(
                chosen._difference(
                    (names[i], names[j]), matrix[:, [i, j]], weights, query_ids, p, evaluations.lower_is_better(measure)
                )
                for (i, j), p in zip(pairs, chosen._p_values(matrix, weights, pairs), strict=True)
            )
            for measure, matrix in values.items()
        }
        found = query_ids, values, means, differences, evaluations
        problems, intervals = evaluations.problems, self.interval_method
        return Comparison(names, baseline, *found, test, self.correction, self.level, seed, problems, intervals)

    @property
    def _draws(self) -> dict[str, Any]:
        return {"seed": self.seed, "n_threads": self.n_threads}

    def _check_weighted(self) -> None:
        if self.test not in _WEIGHTED_TESTS:
            known = ", ".join(_WEIGHTED_TESTS)
            raise OptionError(f"the {self.test} test has no form for weighted queries; choose one of {known}")
        if self.interval_method != "t":
            raise OptionError(f"intervals of weighted means need interval_method='t', got {self.interval_method!r}")

    def _mean(self, evaluation: Evaluation, measure: str) -> stats.Interval:
        """Return the mean of `evaluate`, and its interval."""
        found = evaluation.mean_interval(measure, 1 - self.level)
        if self.interval_method == found.method:
            return found
        return replace(self._interval(evaluation.per_query[measure]), mean=found.mean)

    def _interval(self, values: Floats) -> stats.Interval:
        options = {"n_resamples": self.n_permutations, **self._draws}
        return stats.interval(values, 1 - self.level, self.interval_method, **options)

    def _p_values(
        self, matrix: Floats, weights: Floats | None, pairs: list[tuple[int, int]]
    ) -> list[tuple[float, float]]:
        """Return (raw, corrected) per pair; both are the same for Tukey's test."""
        if weights is not None and self.test == "t":
            raw = []
            for i, j in pairs:
                differences, own = _weighted(matrix[:, i] - matrix[:, j], weights)
                raw.append(stats.t_test(linearized(differences, own), np.zeros(own.size)).p_value)
            return list(zip(raw, _CORRECTIONS[self.correction](raw).tolist(), strict=True))
        if weights is not None:  # a permuted weighted mean is the plain mean of permuted weighted values
            matrix = matrix * (weights / weights.mean())[:, None]
        if self.test == "tukey":
            tukey = stats.randomized_tukey_hsd(
                matrix, n_permutations=self.n_permutations, level=self.level, **self._draws
            )
            return [(float(tukey.p_values[pair]),) * 2 for pair in pairs]
        draws = {"n_draws": self.n_permutations, **self._draws}
        raw = [paired_test(str(self.test), matrix[:, i], matrix[:, j], **draws).p_value for i, j in pairs]
        return list(zip(raw, _CORRECTIONS[self.correction](raw).tolist(), strict=True))

    def _difference(
        self,
        names: tuple[str, str],
        values: Floats,
        weights: Floats | None,
        query_ids: tuple[str, ...],
        p_values: tuple[float, float],
        lower_is_better: bool,
    ) -> Difference:
        differences = values[:, 0] - values[:, 1]
        sizes = np.abs(np.nan_to_num(differences))
        largest = [int(place) for place in np.argsort(-sizes, kind="stable")[:_N_MOVED] if sizes[place] > 0]
        moved = tuple((query_ids[place], float(differences[place])) for place in largest)
        effect = stats.effect_size(values[:, 0], values[:, 1])
        if weights is None:
            interval, spread = self._interval(differences), differences
        else:
            known, own = _weighted(differences, weights)
            spread = linearized(known, own)
            interval = replace(self._interval(spread), mean=WeightedMoments(known, own).mean)
            standardized = stats.effect_size(spread, np.zeros(spread.size))
            effect = replace(effect, cohen_dz=standardized.cohen_dz, hedges_g=standardized.hedges_g)
        if lower_is_better:
            effect = replace(effect, wins=effect.losses, losses=effect.wins, common_language=1 - effect.common_language)
        detectable = stats.minimum_detectable_effect(spread)
        return Difference(*names, interval.mean, interval, *p_values, effect, detectable, moved, interval.note)


def compare(
    data: Data,
    systems: Several,
    measures: Measures = ("ndcg@10",),
    *,
    baseline: str | None = None,
    like: str | Convention | None = None,
    test: str | None = None,
    correction: str = "holm",
    level: float = 0.05,
    n_permutations: int = 10_000,
    seed: int | None = None,
    order: Order | None = None,
    query_weights: QueryWeights | None = None,
    by: By | None = None,
    interval_method: str = INTERVAL_METHOD,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Comparison:
    """Compare systems on the same queries: `evaluate`, then paired tests, corrections and effect sizes.

    Means and their intervals are those of `evaluate` on the same systems.

    Parameters
    ----------
    data, systems
        The judged documents and several systems, as for `evaluate`.
    measures : str, Measure or iterable of these
        The measures.
    baseline : str, optional
        The system that all others are compared with; by default, all pairs are compared.
    like : str or Convention, optional
        The convention for unnamed options of the measures, as for `evaluate`.
    test : {"randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey"}, optional
        The paired test. By default, the randomization test with a baseline and the randomized Tukey HSD test without.
    correction : {"holm", "benjamini_hochberg", "bonferroni", "none"}
        How the p-values of one measure are corrected; those of Tukey's test already are.
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    n_permutations : int
        Number of permutations, and of bootstrap resamples.
    seed : int, optional
        Seed of the random number generator; by default, a new one.
    order : {"input", "grouped"}, optional
        The order of the scores, as for `evaluate`.
    query_weights : mapping or array, optional
        The weight of each query, as for `evaluate`. Differences, their intervals and the tests "randomization", "t" and
        "tukey" are then those of weighted means; other tests are refused.
    by : mapping, sequence, str or path, optional
        The category of each query, as for `evaluate`: ``evaluations.by_category()`` has the means by category. Tests
        are over all queries.
    interval_method : {"t", "percentile", "bca"}
        The method of the intervals of means and differences: Student's t, as in `evaluate`, or a bootstrap.
    n_threads : int, optional
        Number of threads; by default, all cores.
    **layout
        How the data is laid out: offsets, group, query_ids, mask, and column names, as for `evaluate`.

    Returns
    -------
    Comparison
        Means with intervals, and differences with p-values and effect sizes.

    Raises
    ------
    DataError
        If an option is unknown, or if there are fewer than two systems, no such baseline, or no common query.
    OptionError
        If the test or the intervals have no form for weighted queries.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> data = from_arrays([1, 0, 1, 0], offsets=[0, 2, 4])
    >>> cmp = compare(data, {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}, "rr", baseline="a")
    >>> cmp.differences["rr"][0].difference, cmp.differences["rr"][0].effect.losses
    (-0.25, 1)
    """
    testing = Testing(baseline, test, correction, level, n_permutations, seed, n_threads, interval_method)
    laid_out = layout_of(layout, order)
    judged, named = judged_and_systems(data, systems, laid_out)
    categories = None if by is None else categories_of(by, recognize(data, "data", laid_out))
    evaluator = Evaluator(judged, like, query_weights=query_weights, by=categories, n_threads=n_threads)
    return testing.compare(evaluator.evaluate_all(named.items(), measures))


def common_queries(evaluations: Evaluations) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Return the queries of evaluations on common queries, and {measure: matrix[query, system]}.

    Parameters
    ----------
    evaluations : Evaluations
        The evaluations of all systems on the same queries.

    Returns
    -------
    query_ids : tuple of str
        The common queries.
    values : dict of str to array
        One matrix per measure.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> both = evaluate({"q1": {"a": 1}}, {"old": {"q1": {"a": 1}}, "new": {"q1": {"a": 2}}}, "rr")
    >>> common_queries(both)
    (('q1',), {'rr': array([[1., 1.]])})
    """
    first = next(iter(evaluations.values()))
    return tuple(map(str, first.query_ids.tolist())), {
        measure: np.stack([each.per_query[measure] for each in evaluations.values()], axis=1)
        for measure in first.per_query
    }


def _check_means(evaluations: Evaluations) -> None:
    """Raise an OptionError for a measure that is not aggregated by its mean: differences and tests are of means."""
    for name, each in next(iter(evaluations.values())).filled.items():
        if each.aggregate == "geometric":
            log = each.label.replace("gm_map", "ap").replace("gm_", "")
            raise OptionError(
                f"{name} is a geometric mean over queries, and differences and tests are of means: compare log_{log}, "
                "whose difference of means is the logarithm of the ratio of geometric means"
            )
        if each.aggregate == "sum":
            raise OptionError(
                f"{name} is a sum over queries, and differences and tests are of means: compare a measure such as "
                "recall or p, and see the sums with evaluate"
            )


def _weighted(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the values of queries that count, and their weights."""
    counted = ~np.isnan(values) & (weights > 0)
    return values[counted], weights[counted]


def _cells(found: Difference | None) -> list[Value]:
    if found is None:
        return [None] * len(_DIFFERENCE_COLUMNS)
    effect = found.effect
    sizes: list[Value] = [effect.cohen_dz, effect.wins, effect.ties, effect.losses, found.detectable]
    return [found.difference, found.p_value, found.corrected, *sizes]


def _letter(number: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    letters = chr(ord("a") + number % 26)
    return letters if number < 26 else _letter(number // 26 - 1) + letters

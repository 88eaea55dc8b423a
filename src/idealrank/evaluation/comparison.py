"""Compare systems: means with intervals, differences with tests, and the queries that made them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from idealrank import stats
from idealrank._base.tables import Column, Table, Value, render
from idealrank._typing import Floats
from idealrank.data.problem import Problem
from idealrank.data.ranking import Order
from idealrank.errors import DataError
from idealrank.evaluation.evaluator import Evaluation, Evaluations, Measures, evaluate
from idealrank.measures.conventions import Convention
from idealrank.stats.paired import TESTS, paired_test
from idealrank.stats.samples import new_seed

__all__ = ["Comparison", "Difference", "common_queries", "compare"]

_CORRECTIONS: Mapping[str, Callable[[Any], Floats]] = {
    "holm": stats.holm,
    "benjamini_hochberg": stats.benjamini_hochberg,
    "bonferroni": stats.bonferroni,
    "none": lambda p_values: np.asarray(p_values, np.float64),
}
_N_MOVED = 5


@dataclass(frozen=True)
class Difference:
    """One system against another by one measure.

    ``difference`` is the mean of ``system`` minus that of ``against``; ``corrected`` is the p-value corrected for all
    comparisons by the same measure; ``detectable`` the least true difference that these queries show with power 0.8;
    ``moved`` the queries that differ most, with their differences, largest first.

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
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    systems: the names, as given.
    baseline: the one that all others are compared with; None where all pairs are.
    query_ids: the queries that all systems have, one a row of the matrices.
    values: {measure as given: matrix[query, system]}.
    means: {measure: {system: the interval of its mean}}.
    differences: {measure: the comparisons, in the order of the systems}.
    test, correction, level: how the p-values came about, and what is called significant.

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

    @property
    def n_queries(self) -> int:
        """Number of queries compared."""
        return len(self.query_ids)

    def significant(self, measure: str) -> tuple[Difference, ...]:
        """The comparisons whose corrected p-value is at most the level."""
        return tuple(each for each in self.differences[measure] if each.corrected <= self.level)

    def letters(self, measure: str) -> dict[str, str]:
        """{system: letters of the systems that it is significantly better than}; system i is the i-th letter."""
        names = {system: _letter(i) for i, system in enumerate(self.systems)}
        beaten: dict[str, list[str]] = {system: [] for system in self.systems}
        for each in self.significant(measure):
            is_better = (each.difference > 0) != self.evaluations.lower_is_better(measure)
            better, worse = (each.system, each.against) if is_better else (each.against, each.system)
            beaten[better].append(names[worse])
        return {system: "".join(sorted(found)) for system, found in beaten.items()}

    def table(self, measure: str | None = None) -> Table:
        """A row a system, with its difference from the baseline; without one, a row a pair of systems."""
        measure = measure or next(iter(self.values))
        if self.baseline is None:
            return self._table_of_pairs(measure)
        against = {each.system: each for each in self.differences[measure]}
        means = self.table_of_means(measure)
        rows = [[*row, *_cells(against.get(system))] for system, row in zip(self.systems, means.rows, strict=True)]
        return Table([*means.columns, *_DIFFERENCE_COLUMNS], rows)

    def table_of_means(self, measure: str) -> Table:
        """A row a system: its mean by one measure, and the interval of it."""
        columns = [Column("system"), Column(measure, ".4f"), Column("low", ".4f"), Column("high", ".4f")]
        return Table(
            columns, [[system, each.mean, each.low, each.high] for system, each in self.means[measure].items()]
        )

    def _table_of_pairs(self, measure: str) -> Table:
        columns = [Column("system"), Column("against"), *_DIFFERENCE_COLUMNS]
        return Table(columns, [[each.system, each.against, *_cells(each)] for each in self.differences[measure]])

    def to_text(self, measure: str | None = None) -> str:
        """The table of one measure, the first if none is named, as text."""
        return render(self.table(measure), "text")

    def to_markdown(self, measure: str | None = None) -> str:
        """The same as Markdown."""
        return render(self.table(measure), "markdown")

    def to_csv(self) -> str:
        """One line a measure and comparison, numbers in full."""
        return render(self._all_differences(), "csv")

    def table_of_letters(self) -> Table:
        """A row a system: its means by all measures, with letters for the systems it is significantly better than."""
        letters = {measure: self.letters(measure) for measure in self.values}
        rows: list[list[Value]] = []
        for i, system in enumerate(self.systems):
            cells = [
                " ".join(filter(None, (f"{self.means[name][system].mean:.4f}", letters[name][system])))
                for name in self.values
            ]
            rows.append([f"{_letter(i)} {system}", *cells])
        return Table([Column("system"), *map(Column, self.values)], rows)

    def to_latex(self) -> str:
        """Means of all measures, a row a system, with letters for the systems it is significantly better than."""
        return render(self.table_of_letters(), "latex")

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """A data frame with one row a measure and comparison."""
        from idealrank.io.frames import frame_of

        return frame_of(self._all_differences().by_column(), backend)

    def _all_differences(self) -> Table:
        rows = [
            [measure, each.system, each.against, *_cells(each)]
            for measure, found in self.differences.items()
            for each in found
        ]
        return Table([Column("measure"), Column("system"), Column("against"), *_DIFFERENCE_COLUMNS], rows)

    def to_json(self) -> str:
        """Everything but the values a query as JSON text; NaN as null."""
        from idealrank import __version__

        first = next(iter(self.evaluations.values()))
        content = {
            "idealrank": __version__,
            "conventions": first.conventions,
            "n_queries": self.n_queries,
            "baseline": self.baseline,
            "test": self.test,
            "correction": self.correction,
            "level": self.level,
            "seed": self.seed,
            "means": {m: {s: _finite(vars(i)) for s, i in found.items()} for m, found in self.means.items()},
            "differences": {m: [_as_json(each) for each in found] for m, found in self.differences.items()},
            "problems": [{"kind": p.kind, "count": p.count, "message": p.message} for p in self.problems],
        }
        return json.dumps(content, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline}"
        found = "; ".join(f"{name}: {len(self.significant(name))} significant" for name in self.values)
        return f"Comparison({len(self.systems)} systems, {self.n_queries:,} queries, {against}; {found})"


_DIFFERENCE_COLUMNS = (
    Column("change", ".4f"),
    Column("p", ".4f"),
    Column("corrected", ".4f"),
    Column("d_z", ".2f"),
    Column("better"),
    Column("same"),
    Column("worse"),
    Column("detectable", ".4f"),
)


def compare(
    data: Any,
    systems: Mapping[str, Any] | Any,
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
    n_threads: int | None = None,
) -> Comparison:
    """Compare systems on the same queries: `evaluate`, then intervals, paired tests, corrections, effect sizes.

    ``data`` and ``systems`` are as for `evaluate` with several systems. With a ``baseline`` each other system is tested
    against it, by the randomisation test unless ``test`` names "t", "wilcoxon", "sign" or "bootstrap", and the p-values
    of one measure are corrected together ("holm", "benjamini_hochberg", "bonferroni", "none"). Without one, all pairs
    are compared by the randomised Tukey HSD test, whose p-values are corrected already, or by a named ``test``.

    >>> from idealrank import from_arrays
    >>> data = from_arrays([1, 0, 1, 0], offsets=[0, 2, 4])
    >>> cmp = compare(data, {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}, "rr", baseline="a")
    >>> cmp.differences["rr"][0].difference, cmp.differences["rr"][0].effect.losses
    (-0.25, 1)
    """
    check_choices(test, correction)
    evaluations = evaluate(data, systems, measures, like=like, order=order, n_threads=n_threads)
    return compared(
        Evaluations({"": evaluations}) if isinstance(evaluations, Evaluation) else evaluations,
        baseline=baseline,
        test=test,
        correction=correction,
        level=level,
        n_permutations=n_permutations,
        seed=seed,
        n_threads=n_threads,
    )


def check_choices(test: str | None, correction: str) -> None:
    """Refuse a test or a correction that there is not."""
    if test is not None and test not in TESTS and test != "tukey":
        raise DataError(f"a test is 'tukey' or one of {', '.join(TESTS)}, got {test!r}")
    if correction not in _CORRECTIONS:
        raise DataError(f"a correction is one of {', '.join(_CORRECTIONS)}, got {correction!r}")


def compared(
    evaluations: Evaluations,
    *,
    baseline: str | None,
    test: str | None,
    correction: str,
    level: float,
    n_permutations: int,
    seed: int | None,
    n_threads: int | None,
) -> Comparison:
    """What `compare` makes of the evaluations of all systems."""
    if len(evaluations) < 2:
        raise DataError("a comparison needs two systems or more: give {name: run} or {name: scores}")
    if baseline is not None and baseline not in evaluations:
        raise DataError(f"the baseline {baseline!r} is not among the systems {', '.join(map(repr, evaluations))}")
    test = test or ("randomization" if baseline is not None else "tukey")
    if test == "tukey" and baseline is not None:
        raise DataError("Tukey's test compares all pairs: leave out the baseline, or name another test")

    seed = new_seed(seed)
    query_ids, values = common_queries(evaluations)
    names = tuple(evaluations)
    draws = {"n_resamples": n_permutations, "seed": seed, "n_threads": n_threads}
    means = {
        measure: {name: stats.interval(matrix[:, i], 1 - level, **draws) for i, name in enumerate(names)}  # type: ignore[arg-type]
        for measure, matrix in values.items()
    }
    pairs = (
        list(combinations(range(len(names)), 2))
        if baseline is None
        else [(i, names.index(baseline)) for i in range(len(names)) if names[i] != baseline]
    )
    found = {}
    for measure, matrix in values.items():
        p_values, corrected = _p_values(matrix, pairs, test, correction, level, n_permutations, seed, n_threads)
        found[measure] = tuple(
            _difference(names, i, j, matrix, query_ids, p, q, 1 - level, draws, evaluations.lower_is_better(measure))
            for (i, j), p, q in zip(pairs, p_values, corrected, strict=True)
        )
    return Comparison(
        names,
        baseline,
        query_ids,
        values,
        means,
        found,
        evaluations,
        test,
        correction,
        level,
        seed,
        evaluations.problems,
    )


def common_queries(evaluations: Evaluations) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """The queries that every system has, in the first one's order, and {measure: matrix[query, system]}.

    >>> both = evaluate({"q1": {"a": 1}}, {"old": {"q1": {"a": 1}}, "new": {"q1": {"a": 2}}}, "rr")
    >>> common_queries(both)
    (('q1',), {'rr': array([[1., 1.]])})
    """
    places = [{str(q): i for i, q in enumerate(each.query_ids.tolist())} for each in evaluations.values()]
    common = tuple(query for query in places[0] if all(query in own for own in places))
    if not common:
        raise DataError("the systems have no query in common")
    rows = [np.array([own[query] for query in common]) for own in places]
    first = next(iter(evaluations.values()))
    return common, {
        measure: np.stack(
            [each.per_query[measure][own] for each, own in zip(evaluations.values(), rows, strict=True)], axis=1
        )
        for measure in first.per_query
    }


def _p_values(
    matrix: Floats,
    pairs: list[tuple[int, int]],
    test: str,
    correction: str,
    level: float,
    n_permutations: int,
    seed: int,
    n_threads: int | None,
) -> tuple[list[float], list[float]]:
    """Raw and corrected; those of Tukey's test are both."""
    if test == "tukey":
        tukey = stats.randomized_tukey_hsd(
            matrix, n_permutations=n_permutations, level=level, seed=seed, n_threads=n_threads
        )
        found = [float(tukey.p_values[i, j]) for i, j in pairs]
        return found, found
    draws: dict[str, Any] = {"n_draws": n_permutations, "seed": seed, "n_threads": n_threads}
    raw = [paired_test(test, matrix[:, i], matrix[:, j], **draws).p_value for i, j in pairs]
    return raw, _CORRECTIONS[correction](raw).tolist()


def _difference(
    names: tuple[str, ...],
    i: int,
    j: int,
    matrix: Floats,
    query_ids: tuple[str, ...],
    p_value: float,
    corrected: float,
    level: float,
    draws: Mapping[str, Any],
    lower_is_better: bool,
) -> Difference:
    differences = matrix[:, i] - matrix[:, j]
    interval = stats.interval(differences, level, **draws)
    sizes = np.abs(np.nan_to_num(differences))
    largest = [int(place) for place in np.argsort(-sizes, kind="stable")[:_N_MOVED] if sizes[place] > 0]
    effect = stats.effect_size(matrix[:, i], matrix[:, j])
    if lower_is_better:
        effect = replace(effect, wins=effect.losses, losses=effect.wins, common_language=1 - effect.common_language)
    moved = tuple((query_ids[place], float(differences[place])) for place in largest)
    return Difference(
        names[i],
        names[j],
        interval.mean,
        interval,
        p_value,
        corrected,
        effect,
        stats.minimum_detectable_effect(differences),
        moved,
        interval.note,
    )


def _cells(found: Difference | None) -> list[Value]:
    if found is None:
        return [None] * len(_DIFFERENCE_COLUMNS)
    effect = found.effect
    sizes: list[Value] = [effect.cohen_dz, effect.wins, effect.ties, effect.losses, found.detectable]
    return [found.difference, found.p_value, found.corrected, *sizes]


def _as_json(found: Difference) -> dict[str, Any]:
    return _finite({**vars(found), "interval": _finite(vars(found.interval)), "effect": _finite(vars(found.effect))})


def _finite(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in content.items()}


def _letter(number: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    letters = chr(ord("a") + number % 26)
    return letters if number < 26 else _letter(number // 26 - 1) + letters

"""Compare systems: means with intervals, differences with tests, and the queries that made them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeGuard, Unpack

import numpy as np

from idealrank import stats
from idealrank._core.checks import check_fraction
from idealrank._core.exact import Moments, RowMoments, WeightedMoments, linearized, row_moments
from idealrank._core.seeds import new_seed
from idealrank._typing import Floats
from idealrank.comparison.comparison_result import Comparison, Difference
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import Order
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluate import evaluate_systems
from idealrank.evaluation.evaluation_base import INTERVAL_METHOD, check_means
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import (
    Data,
    LayoutOptions,
    Measures,
    Replicates,
    Several,
    System,
    judged_and_each_system,
    layout_of,
    named_measures,
)
from idealrank.io.query_values import By, QueryWeights, categories_of
from idealrank.io.shapes.shape import recognize
from idealrank.judging.unjudged.bounds import Bounds, bounds_of, labels_in
from idealrank.judging.unjudged.pool import Pool, rules_of
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure
from idealrank.stats.effects import effect_sizes
from idealrank.stats.intervals import METHODS, SAME_VALUE, difference_interval
from idealrank.stats.many_systems import CORRECTIONS
from idealrank.stats.paired import TESTS, paired_test, t_p_value, t_p_values
from idealrank.stats.power import detectable_effects
from idealrank.stats.replicated import ReplicatedMoments, VarianceComponents
from idealrank.stats.samples import complete_queries, complete_rows, join_notes

#: Tests of weighted means; the others have no weighted form.
_WEIGHTED_TESTS = ("randomization", "t", "tukey")
_N_MOVED = 5
#: Differences to compute at once.
_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class ComparisonOptions:
    """How evaluated systems are compared: those options of `compare`, checked.

    Raises
    ------
    OptionError
        If the test, the correction or the method of intervals is unknown, if the level is not between 0 and 1, or if
        Tukey's test is given a baseline.
    """

    baseline: str | None = None
    test: str = "t"
    correction: str = "holm"
    level: float = 0.05
    n_permutations: int = 10_000
    seed: int | None = 0
    n_threads: int | None = None
    interval_method: str = INTERVAL_METHOD

    def __post_init__(self) -> None:
        check_fraction(self.level, "level")
        if self.interval_method not in METHODS:
            raise OptionError(f"interval_method must be one of {', '.join(METHODS)}, got {self.interval_method!r}")
        if self.test not in ("tukey", *TESTS):
            raise OptionError(f"test must be 'tukey' or one of {', '.join(TESTS)}, got {self.test!r}")
        if self.correction not in (*CORRECTIONS,):
            raise OptionError(f"correction must be one of {', '.join(CORRECTIONS)}, got {self.correction!r}")
        if self.test == "tukey" and self.baseline is not None:
            raise OptionError("Tukey's test compares all pairs: leave out the baseline, or name another test")

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
        seed = new_seed(self.seed)
        chosen = replace(self, seed=seed)
        evaluations = evaluations.on_common_queries()
        check_means(next(iter(evaluations.values())).filled)
        query_ids, values = common_queries(evaluations)
        weights = next(iter(evaluations.values())).query_weights
        if weights is not None:
            chosen._check_weighted()
        filled = next(iter(evaluations.values())).filled
        means = {
            measure: {name: chosen._mean(evaluation, measure) for name, evaluation in evaluations.items()}
            for measure in values
        }
        pairs = list(combinations(range(len(names)), 2))
        if baseline is not None:
            pairs = [(i, names.index(baseline)) for i, name in enumerate(names) if name != baseline]
        of_all = names, query_ids, weights, pairs
        of_runs = {measure: [each.variance_components(measure) for each in evaluations.values()] for measure in values}
        differences = {
            measure: tuple(chosen._differences(matrix, *of_all, filled[measure], of_runs[measure]))
            for measure, matrix in values.items()
        }
        results = query_ids, values, means, differences, evaluations
        problems, intervals = evaluations.problems, self.interval_method
        tested = self.test, self.correction
        comparison = Comparison(names, baseline, *results, *tested, self.level, seed, problems, intervals)
        return replace(comparison, n_permutations=self.n_permutations)

    @property
    def _draws(self) -> dict[str, Any]:
        return {"seed": self.seed, "n_threads": self.n_threads}

    def _check_weighted(self) -> None:
        if self.test not in _WEIGHTED_TESTS:
            known = ", ".join(_WEIGHTED_TESTS)
            raise OptionError(f"the {self.test} test has no form for weighted queries; choose one of {known}")
        if self.interval_method != INTERVAL_METHOD:
            raise OptionError(
                f"intervals of weighted means need interval_method='{INTERVAL_METHOD}', got {self.interval_method!r}"
            )

    def _mean(self, evaluation: Evaluation, measure: str) -> stats.Interval:
        """Return the mean of `evaluate`, and its interval."""
        interval = evaluation.mean_interval(measure, 1 - self.level)
        if self.interval_method == INTERVAL_METHOD:
            return interval
        return replace(self._interval(evaluation.per_query[measure]), mean=interval.mean)

    def _interval(self, values: Floats) -> stats.Interval:
        options = {"n_resamples": self.n_permutations, **self._draws}
        return stats.interval(values, 1 - self.level, self.interval_method, **options)

    def _p_values(
        self,
        matrix: Floats,
        weights: Floats | None,
        pairs: list[tuple[int, int]],
        runs: Mapping[tuple[int, int], tuple[VarianceComponents, ...]],
    ) -> list[tuple[float, float]]:
        """Return (raw, corrected) per pair; both are the same for Tukey's test."""
        if self.test == "t" and (weights is not None or runs):
            raw = []
            for pair in pairs:
                values = matrix[:, pair[0]] - matrix[:, pair[1]]
                if weights is None:
                    values = values[~np.isnan(values)]
                    raw.append(_p_value_of(ReplicatedMoments(values, runs[pair]), values))
                else:
                    values, own = _weighted(values, weights)
                    raw.append(_p_value_of(WeightedMoments(values, own), values))
            return list(zip(raw, CORRECTIONS[self.correction](raw).tolist(), strict=True))
        if weights is not None:  # a permuted weighted mean is the plain mean of permuted weighted values
            matrix = matrix * (weights / weights.mean())[:, None]
        if self.test == "tukey":
            tukey = stats.randomized_tukey_hsd(
                matrix, n_permutations=self.n_permutations, level=self.level, **self._draws
            )
            return [(float(tukey.p_values[pair]),) * 2 for pair in pairs]
        if self.test == "t":
            raw = [p for differences in _in_blocks(matrix, pairs) for p in t_p_values(differences).tolist()]
        else:
            draws = {"n_draws": self.n_permutations, **self._draws}
            raw = [paired_test(self.test, matrix[:, i], matrix[:, j], **draws).p_value for i, j in pairs]
        return list(zip(raw, CORRECTIONS[self.correction](raw).tolist(), strict=True))

    def _differences(
        self,
        matrix: Floats,
        names: tuple[str, ...],
        query_ids: tuple[str, ...],
        weights: Floats | None,
        pairs: list[tuple[int, int]],
        measure: Measure,
        of_runs: list[tuple[VarianceComponents, ...]],
    ) -> Iterator[Difference]:
        complete_queries(matrix)  # an error if a value is not a number that tests can take
        replicated = {(i, j): (*of_runs[i], *of_runs[j]) for i, j in pairs} if any(of_runs) else {}
        tested = zip(pairs, self._p_values(matrix, weights, pairs, replicated), strict=True)
        start = 0
        for differences in _in_blocks(matrix, pairs):
            of_row: dict[int, tuple[stats.Interval, stats.EffectSize, float]] = {}
            for rows, values, left_out in complete_rows(differences):
                kept = None if weights is None else weights[~np.isnan(differences[rows[0]])]
                runs = [replicated.get(pairs[start + row], ()) for row in rows]
                own = zip(*self._of_complete(values, kept, left_out, measure, runs), strict=True)
                of_row.update(zip(rows, own, strict=True))
            start += len(differences)
            for row, moved in enumerate(_largest(differences, query_ids)):
                (i, j), p_values = next(tested)
                interval, effect, detectable = of_row[row]
                note = interval.note.replace(SAME_VALUE, "the difference is the same on every query")
                mean = interval.mean
                yield Difference(names[i], names[j], mean, interval, *p_values, effect, detectable, moved, note)

    def _of_complete(
        self,
        differences: Floats,
        weights: Floats | None,
        left_out: str,
        measure: Measure,
        runs: list[tuple[VarianceComponents, ...]],
    ) -> tuple[list[stats.Interval], list[stats.EffectSize], list[float]]:
        """Return intervals, effect sizes and detectable effects of differences[pair, query] without NaN."""
        low, high = measure.value_range
        limits = low - high, high - low
        counted = differences if weights is None else differences[:, weights > 0]
        effects, spread = effect_sizes(counted), counted
        moments: Sequence[Moments | RowMoments] = ()
        pairs = zip(differences, runs, strict=True)
        replicated = [ReplicatedMoments(*pair, limits) for pair in pairs] if any(runs) else []
        if weights is not None:
            spread = np.stack([linearized(row, weights[weights > 0]) for row in counted])
            effects = [
                replace(effect, cohen_dz=own.cohen_dz, hedges_g=own.hedges_g)
                for effect, own in zip(effects, effect_sizes(spread), strict=True)
            ]
            moments = [WeightedMoments(row, weights, value_range=limits) for row in differences]
        elif self.interval_method == INTERVAL_METHOD:
            moments = replicated or row_moments(differences, limits)
        if measure.lower_is_better:
            effects = [
                replace(each, wins=each.losses, losses=each.wins, common_language=1 - each.common_language)
                for each in effects
            ]
        if moments:
            counts = np.count_nonzero(counted, axis=1).tolist()
            intervals = [difference_interval(*each, 1 - self.level) for each in zip(moments, counts, strict=True)]
        else:
            intervals = [self._interval(row) for row in differences]
        if left_out:
            intervals = [replace(each, note=join_notes(left_out, each.note)) for each in intervals]
        if not replicated:
            return intervals, effects, detectable_effects(spread)
        errors = [each.error for each in replicated]
        detectable = [math.nan if error is None else error.detectable_effect() for error in errors]
        return intervals, effects, detectable


def compare(
    data: Data | Mapping[str, Evaluation],
    systems: Several | None = None,
    measures: Measures = ("ndcg@10",),
    *,
    baseline: str | None = None,
    like: str | Convention | None = None,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.05,
    n_permutations: int = 10_000,
    seed: int | None = 0,
    order: Order | None = None,
    query_weights: QueryWeights | None = None,
    by: By | None = None,
    interval_method: str = INTERVAL_METHOD,
    unjudged_bounds: bool | None = None,
    for_report: bool = False,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Comparison:
    """Compare systems on the same queries: evaluate them, then compute paired tests, corrections and effect sizes.

    Means and their intervals are the same as from `evaluate`. If systems have several runs, {name: [run, run, ...]},
    intervals and the t test are about new queries and new runs: the variance between runs enters their errors. Other
    tests and bootstrap intervals are about new queries with these runs alone. `compare_assisted` combines human
    judgments with machine judgments.

    Parameters
    ----------
    data, systems
        The judged documents and several systems, as in `evaluate`. Or only {name: `Evaluation`}, such as evaluations
        from `evaluate_factors`, which determine the measures and the convention.
    measures : str, Measure, function or iterable of these
        The measures.
    baseline : str, optional
        The system with which all others are compared; by default, all pairs are compared.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    test : {"t", "randomization", "wilcoxon", "sign", "bootstrap", "tukey"}
        The paired test, the same with and without a baseline; "tukey" is the randomized Tukey HSD test of all pairs.
    correction : {"holm", "benjamini_hochberg", "bonferroni", "none"}
        The correction of the p-values of one measure for multiple comparisons; not applied to "tukey", which includes
        one.
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    n_permutations : int
        The number of random permutations, and of bootstrap resamples.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call, which the result has.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    query_weights : mapping or array, optional
        The weight of each query, as in `evaluate`. Differences, their intervals and the tests "randomization", "t" and
        "tukey" then use weighted means; other tests are refused.
    by : mapping, sequence, str or path, optional
        The category of each query, as in `evaluate`: ``evaluations.by_category()`` of the result has the means by
        category. Tests use all queries.
    interval_method : {"score", "t", "percentile", "bca"}
        The method of the intervals of means and differences. "score", as in `evaluate`: means of measures that have a
        range, such as 0 to 1, by the score method, which stays in it (`idealrank.stats.interval`); other means, and
        differences within their range, by Student's t. Or Student's t for all, or a bootstrap.
    unjudged_bounds : bool, optional
        Whether to compute the lowest and the highest differences over all labels that unjudged documents could have, as
        `bounds` does, and to print them; the result has them under the same name. By default, they are computed if
        unjudged documents can affect a measure: of the baseline and as many of the systems with the best means as have
        at most 300,000 documents in total. A finding says which systems were left out.
    for_report : bool
        Whether to keep what `idealrank.report.html` shows besides the numbers, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Comparison
        Means with intervals, and differences with p-values and effect sizes.

    Raises
    ------
    DataError
        If there are fewer than two systems, the baseline is not one of them, or the systems have no query in common.
    OptionError
        If an option is unknown, or if the test or the intervals do not support weighted queries.

    Examples
    --------
    >>> from idealrank import compare, from_arrays
    >>> data = from_arrays([1, 0, 1, 0], offsets=[0, 2, 4])
    >>> cmp = compare(data, {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}, "rr", baseline="a")
    >>> cmp.differences["rr"][0].difference, cmp.differences["rr"][0].effect.losses
    (-0.25, 1)
    """
    testing = ComparisonOptions(baseline, test, correction, level, n_permutations, seed, n_threads, interval_method)
    laid_out = layout_of(compare, layout, order)
    if _are_evaluations(data):
        if systems is not None:
            raise DataError("evaluations are compared as they are: pass them without systems")
        return testing.compare(_with_the_same_measures(data))
    if systems is None:
        raise DataError("a comparison needs systems: give {name: run} or {name: scores} with the judged documents")
    judged, each_system = judged_and_each_system(data, systems, laid_out)
    named = dict(each_system)
    categories = None if by is None else categories_of(by, recognize(data, "data", laid_out))
    evaluator = Evaluator(judged, like, query_weights=query_weights, by=categories, n_threads=n_threads)
    comparison = testing.compare(evaluate_systems(evaluator, named.items(), measures, for_report=for_report))
    return with_bounds(comparison, evaluator, named, measures, wanted=unjudged_bounds)


def _in_blocks(matrix: Floats, pairs: list[tuple[int, int]]) -> Iterator[Floats]:
    """Yield differences[pair, query] of some pairs after the other, as many as fit into a processor's cache."""
    by_system, places = np.ascontiguousarray(matrix.T), np.array(pairs)
    for some in np.array_split(places, max(1, len(places) * len(matrix) // _AT_ONCE)):
        yield by_system[some[:, 0]] - by_system[some[:, 1]]


def _largest(differences: Floats, query_ids: tuple[str, ...]) -> Iterator[tuple[tuple[str, float], ...]]:
    """Yield the queries that differ most, largest first, for each row of differences[pair, query]."""
    sizes, rows = np.abs(np.nan_to_num(differences)), np.arange(len(differences))
    places = np.empty((len(differences), min(_N_MOVED, len(query_ids))), np.int64)
    for column in places.T:
        column[:] = sizes.argmax(axis=1)
        sizes[rows, column] = -1
    for queries, values in zip(places.tolist(), np.take_along_axis(differences, places, axis=1).tolist(), strict=True):
        yield tuple((query_ids[query], value) for query, value in zip(queries, values, strict=True) if abs(value) > 0)


def _are_evaluations(data: object) -> TypeGuard[Mapping[str, Evaluation]]:
    return isinstance(data, Mapping) and bool(data) and all(isinstance(each, Evaluation) for each in data.values())


def _with_the_same_measures(evaluations: Mapping[str, Evaluation]) -> Evaluations:
    """Return the evaluations if all have the same measures with the same options; otherwise raise a DataError."""
    first, *others = evaluations
    for name in others:
        if dict(evaluations[name].filled) != dict(evaluations[first].filled):
            texts = [", ".join(map(str, evaluations[each].filled.values())) for each in (first, name)]
            raise DataError(f"{first!r} was measured by {texts[0]}, and {name!r} by {texts[1]}: evaluate both alike")
    return Evaluations(evaluations)


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


def _p_value_of(moments: Moments, values: Floats) -> float:
    """Return the p-value of the t test of a mean of 0, by the degrees of freedom of the error."""
    if moments.count < 2 or moments.variance == 0 or moments.degrees == moments.count - 1:
        return stats.t_test(values, np.zeros(values.size)).p_value
    error = math.sqrt(moments.variance / moments.effective_count)
    return t_p_value(moments.mean / error, moments.degrees + 1, values)


def _weighted(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the values of queries that count, and their weights."""
    counted = ~np.isnan(values) & (weights > 0)
    return values[counted], weights[counted]


#: Most retrieved documents of all systems for which bounds are computed without being asked for.
_MOST_DOCUMENTS = 300_000
_HOW = "unjudged_bounds=True (--unjudged-bounds)"


def with_bounds(
    comparison: Comparison,
    evaluator: Evaluator,
    systems: Mapping[str, System],
    measures: Measures,
    *,
    wanted: bool | None = None,
) -> Comparison:
    """Return a comparison with the bounds of its measures over all labels of unjudged documents.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    evaluator : Evaluator
        The judgments and the convention.
    systems : mapping of str to Run
        The systems.
    measures : str, Measure or iterable of these
        The measures of the comparison.
    wanted : bool, optional
        Whether to compute bounds; by default, where a measure saw unjudged documents, of the baseline and the systems
        with the best means that retrieve at most 300,000 documents in total. Measures without bounds are left out.

    Raises
    ------
    OptionError
        If bounds are asked for and there are none: of labeled lists, of weighted means, or of a measure.
    """
    judged = evaluator.judged
    has_some = any(problem.kind == "unjudged document" for problem in comparison.problems)
    why = ""
    several = any(isinstance(system, Replicates) for system in systems.values())
    if not isinstance(judged, Qrels) or isinstance(judged, SubtopicQrels):
        why = "bounds over unjudged documents need judgments of documents, and runs"
    elif evaluator.query_weights is not None:
        why = "bounds over unjudged documents are of means without query weights"
    elif evaluator.convention.unjudged != "zero":
        why = "bounds need a convention that takes unjudged documents as not relevant"
    elif several:
        why = "bounds over unjudged documents are of systems with one run"
    if why:
        if wanted:
            raise OptionError(f"{why}: leave out {_HOW}")
        is_refused = has_some and (evaluator.query_weights is not None or several)
        of = "for weighted means" if evaluator.query_weights is not None else "for systems with several runs"
        return replace(comparison, unchecked=dict.fromkeys(comparison.values, f"{of}: {why}") if is_refused else {})
    assert isinstance(judged, Qrels)
    every = {name: run for name, run in systems.items() if isinstance(run, Run)}
    if wanted is False or (wanted is None and not has_some):
        return comparison
    by_measure: dict[str, Bounds] = {}
    unchecked: dict[str, str] = {}
    for name, measure in named_measures(measures).items():
        runs = every if wanted else _leading(comparison, name, every)
        try:
            rules = rules_of(measure, evaluator.convention, labels_in(judged, None))
            if len(runs) > 1:
                pool = Pool.of(judged, runs, rules, evaluator.n_threads)
                by_measure[name] = bounds_of(evaluator, runs, measure, pool, rules, baseline=comparison.baseline)
            if len(runs) < len(every):
                which = f"the {len(every) - len(runs):,} other systems" if len(runs) > 1 else "any system"
                unchecked[name] = f"for {which}, because there are many documents; {_HOW} does it"
        except OptionError:
            if wanted:
                raise
    return replace(comparison, unjudged_bounds=by_measure, unchecked=unchecked, shows_bounds=bool(wanted))


def _leading(comparison: Comparison, measure: str, runs: Mapping[str, Run]) -> dict[str, Run]:
    """Return the baseline and the systems with the best means that have few documents in total; none if only one."""
    sign = 1.0 if comparison.evaluations.lower_is_better(measure) else -1.0
    means = comparison.means[measure]
    ranked = sorted(runs, key=lambda name: (name != comparison.baseline, sign * float(np.nan_to_num(means[name].mean))))
    n = int((np.cumsum([runs[name].n_docs for name in ranked]) <= _MOST_DOCUMENTS).sum())
    return {name: runs[name] for name in runs if n > 1 and name in ranked[:n]}

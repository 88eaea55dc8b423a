"""Compare systems over many data sets: evaluations or published scores in, a leaderboard out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from idealrank import stats
from idealrank._core.checks import check_callback
from idealrank._core.exact import UNBOUNDED
from idealrank._core.seeds import new_seed
from idealrank._present.page import listed
from idealrank._typing import Floats
from idealrank.comparison.leaderboards.folders import beir_qrels, datasets_in, results_in
from idealrank.comparison.leaderboards.leaderboard_result import (
    AgainstBaseline,
    Leaderboard,
    Normalization,
    normalization_of,
    without_normalization,
)
from idealrank.data.problem import Problem
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluate import evaluate
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.inputs import Data, OneSystem, named_measures
from idealrank.io.mteb import read_mteb_predictions
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure

Folder: TypeAlias = str | os.PathLike[str]
#: Told the name of a data set, its number, and the number of data sets.
Progress: TypeAlias = Callable[[str, int, int], None]
#: One data set: judgments and runs, evaluations by system, or published means by system.
Dataset: TypeAlias = tuple[Data, Mapping[str, OneSystem]] | Mapping[str, Evaluation] | Mapping[str, float]


def leaderboard(
    datasets: Mapping[str, Dataset] | Folder | None = None,
    measure: str | Measure | None = None,
    *,
    systems: Mapping[str, Folder] | None = None,
    split: str = "test",
    baseline: str | None = None,
    like: str | Convention | None = None,
    weights: str | Mapping[str, float] | None = None,
    over: str | None = None,
    level: float = 0.05,
    method: str = "t",
    n_permutations: int = 10_000,
    seed: int | None = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Leaderboard:
    """Compare systems over many data sets: which is first, which are tied with it, and what the order depends on.

    Parameters
    ----------
    datasets : mapping or path-like, optional
        {data set: (judgments, {system: run})}, each as in `evaluate`; judgments may also be the folder of a BEIR data
        set, whose ``qrels/test.tsv`` is read, and a run may be a prediction file of MTEB. Or {data set: {system:
        `Evaluation`}}. Or published means, {data set: {system: mean}}, such as those of `read_mteb_results`; the
        measure is then only a name. Queries of different data sets are different even if they have the same id. Or the
        folder of data sets, if ``systems`` are folders, too: folders of BEIR data sets, or one file of judgments per
        data set.
    measure : str or Measure, optional
        The measure; by default, "ndcg@10", or the main measure of each task if there are only result files of MTEB.
    systems : mapping of str to path-like, optional
        {system: folder with one run per data set, named by data set}. Without ``datasets``, {system: folder with result
        files of MTEB}.
    split : str
        The split of BEIR data sets.
    baseline : str, optional
        A system with which all others are compared by a paired test; None means no such tests.
    like : str or Convention, optional
        The convention for options that the measure leaves unset, as in `evaluate`.
    weights : {"equal", "queries"} or mapping, optional
        The weight of each data set in the mean: equal (the default), its number of queries, or {data set: weight}.
    over : {"queries", "datasets"}, optional
        Whether intervals, ranks and tests are about other queries of these data sets, which is the default if per-query
        values are known, or about other data sets like these.
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    method : {"t", "randomization", "bootstrap"}
        How all pairs are tested to find the ranks that each system may have, and how systems are tested against the
        baseline, as in `idealrank.stats.rank_systems`: by t tests with Holm's correction, or by the largest studentized
        difference.
    n_permutations : int
        The number of random permutations or resamples of the tests against the baseline; "t" does not use it.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        Called before each data set is evaluated, with its name, its number from 1 on, and the number of data sets.

    Returns
    -------
    Leaderboard
        Means with intervals, the ranks that each system may have, arithmetic and geometric means and mean ranks side by
        side, and whether NDCG and DCG order the systems in the same way.

    Raises
    ------
    DataError
        If fewer than two systems are in all data sets, or a data set has fewer than two queries.
    OptionError
        If the value of an option is not valid.

    See Also
    --------
    `idealrank.stats.rank_systems` does the same for matrices of values.

    Examples
    --------
    >>> from idealrank import leaderboard
    >>> from idealrank.datasets import search_runs
    >>> found = leaderboard({"fiqa": search_runs(seed=1), "scifact": search_runs(seed=2)}, seed=0)
    >>> print(found.to_text("systems", width=50), end="")
    rank  rank range  system    mean       low    high
       1  1           hybrid  0.6008 †  0.5403  0.6584
       2  2           dense   0.5050    0.4452  0.5646
       3  3           bm25    0.4089    0.3561  0.4638
    Not shown in 50 columns: change, corrected,
    geometric, mean rank.
    †: no system is significantly better. rank range:
    the ranks that a system could have, with 95%
    confidence for all systems at once. low, high:
    interval of the mean. change: difference from the
    best system. corrected: its p-value, corrected for
    all comparisons. geometric, mean rank: geometric
    mean and mean rank over data sets.
    """
    check_callback(progress, "progress")
    read: Any = datasets if systems is None else _in_folders(datasets, systems, split, measure)
    if measure is None:
        measure = "ndcg@10" if systems is None or datasets is not None else "main score"
    if not isinstance(read, Mapping) or not read:
        got = "none" if isinstance(read, Mapping) else type(read).__name__
        raise DataError(f"expected data sets, {{name: (judgments, {{system: run}})}}, got {got}")
    given = {str(key): each for key, each in read.items()}
    name, dcg = _measure(measure, are_means=all(_has_means(each) for each in given.values()))
    common, problems = _common_systems({key: _systems_of(key, each) for key, each in given.items()})
    if baseline is not None and baseline not in common:
        raise DataError(
            f"the baseline {baseline!r} is not among the systems that all data sets have: {', '.join(common)}"
        )
    known: dict[str, _Values] = {}
    for number, (key, each) in enumerate(given.items(), 1):
        if progress is not None:
            progress(key, number, len(given))
        evaluated = _evaluated(key, each, common, [name] if dcg is None else [name, dcg], like, n_threads)
        known[key] = _values(key, evaluated, name, dcg)
    has_queries = all(own.is_by_query for own in known.values())
    over = over or ("queries" if has_queries else "datasets")
    if over == "queries" and not has_queries:
        raise OptionError("over='queries' needs values by query, and some data sets have means only")
    share = _shares(weights, {key: own.n_queries for key, own in known.items()})
    lower = any(own.lower_is_better for own in known.values())
    seed = new_seed(seed)
    means = np.array([_means(own.values) for own in known.values()])
    totals = means.mean(axis=0) if share is None else np.asarray(share) @ means / sum(share)
    order = np.argsort(totals if lower else -totals, kind="stable")
    ranked = tuple(common[place] for place in order)
    matrices = {key: own.values[:, order] for key, own in known.items()}
    options: dict[str, Any] = {"weights": share, "level": level, "over": over, "method": method, "seed": seed}
    ranges = {own.value_range for own in known.values()}
    value_range = ranges.pop() if len(ranges) == 1 else UNBOUNDED
    overall = stats.rank_systems(matrices, lower_is_better=lower, value_range=value_range, **options)
    normalization: Normalization | None = None
    if dcg is not None and all(own.dcg is not None for own in known.values()):
        both = {key: (matrices[key], own.dcg[:, order]) for key, own in known.items() if own.dcg is not None}
        normalization = normalization_of(name, dcg, ranked, both)
    tests: tuple[AgainstBaseline, ...] = ()
    if baseline is not None:
        tests = _against_baseline(ranked, baseline, matrices, options | {"n_resamples": n_permutations})
    return Leaderboard(
        name,
        ranked,
        tuple(matrices),
        tuple(own.n_queries for own in known.values()),
        means[:, order],
        tuple(share or [1 / len(known)] * len(known)),
        overall,
        over,
        baseline,
        tests,
        normalization,
        lower,
        (*problems, *_repeated(known), *(each for key, own in known.items() for each in own.problems_of(key))),
    )


def _in_folders(
    datasets: Any, systems: Mapping[str, Folder], split: str, measure: str | Measure | None
) -> Mapping[str, Any]:
    """Return the data sets and runs in folders, or the results of MTEB."""
    if not isinstance(systems, Mapping):
        raise DataError(f"systems: expected {{name: folder}}, got {type(systems).__name__}")
    if datasets is None:
        return results_in(systems, None if measure is None else str(measure))
    if not isinstance(datasets, (str, os.PathLike)):
        raise DataError(f"systems in folders need the folder of the data sets, got {type(datasets).__name__}")
    return datasets_in(datasets, systems, split)


def _shares(weights: Any, n_queries: Mapping[str, int]) -> list[float] | None:
    """Return the weight of each data set, which sum to 1; None if they are equal."""
    if weights is None or weights == "equal":
        return None
    if weights == "queries":
        if not all(n_queries.values()):
            raise OptionError("weights='queries' needs values by query, and some data sets have means only")
        weights = n_queries
    elif not isinstance(weights, Mapping):
        raise OptionError(f"weights must be 'equal', 'queries' or {{data set: weight}}, got {weights!r}")
    wrong = [name for name in n_queries if name not in weights] or [name for name in weights if name not in n_queries]
    if wrong:
        raise OptionError(f"weights must have one entry per data set, {', '.join(n_queries)}; see {wrong[0]!r}")
    try:
        total = float(sum(weights.values()))
        return [float(weights[name]) / total for name in n_queries]
    except (TypeError, ValueError, ZeroDivisionError):
        raise OptionError(f"weights must be positive numbers, got {dict(weights)!r}") from None


def _against_baseline(
    systems: Sequence[str],
    baseline: str,
    matrices: Mapping[str, Floats],
    options: Mapping[str, Any],
) -> tuple[AgainstBaseline, ...]:
    """Test each other system against the baseline, by the method that tests all pairs."""
    base = systems.index(baseline)
    others = [place for place in range(len(systems)) if place != base]
    pairs = [{name: each[:, [other, base]] for name, each in matrices.items()} for other in others]
    raw = [float(stats.rank_systems(pair, **options).p_values[0, 1]) for pair in pairs]
    tested = zip(others, raw, stats.holm(raw).tolist(), strict=True)
    return tuple(AgainstBaseline(systems[place], p, corrected) for place, p, corrected in tested)


def _measure(measure: str | Measure, *, are_means: bool) -> tuple[str, str | None]:
    """Return the names of the measure and of the one without normalization; published means have only a name."""
    if are_means:
        return str(measure), None
    (name, parsed), *more = named_measures(measure).items()
    if more:
        raise OptionError("a leaderboard has one measure: make one for each")
    dcg = without_normalization(parsed)
    return name, None if dcg is None else str(dcg)


def _has_means(given: Any) -> bool:
    return isinstance(given, Mapping) and not any(isinstance(each, Evaluation) for each in given.values())


def _systems_of(name: str, given: Any) -> list[str]:
    """Return the systems of a data set, without reading any."""
    own = given[1] if isinstance(given, tuple) and len(given) == 2 else given
    if not isinstance(own, Mapping):
        kinds = "(judgments, {system: run}), {system: Evaluation} or {system: mean}"
        raise DataError(f"data set {name}: expected {kinds}, got {type(given).__name__}")
    return [str(system) for system in own]


def _evaluated(
    name: str,
    given: Any,
    systems: Sequence[str],
    measures: Sequence[str],
    like: str | Convention | None,
    n_threads: int | None,
) -> Evaluations | Mapping[str, float]:
    """Return the evaluations of these systems on a data set, or their published means; errors name the data set."""
    try:
        if isinstance(given, tuple):
            judged, runs = given
            if isinstance(judged, (str, os.PathLike)) and os.path.isdir(judged):
                judged = beir_qrels(judged)
            own = {str(system): run for system, run in runs.items()}
            runs = {each: _run(own[each]) for each in systems}
            evaluations: Evaluations = evaluate(judged, runs, measures, like=like, n_threads=n_threads)
            return evaluations
        own = {str(system): each for system, each in given.items()}
        own = {system: own[system] for system in systems}
        if all(isinstance(each, Evaluation) for each in own.values()):
            if any(measures[0] not in each.per_query for each in own.values()):
                raise DataError(f"an evaluation has no {measures[0]}")
            return Evaluations(own)
        wrong = [system for system, mean in own.items() if not _is_number(mean)]
        if wrong:
            kinds = "an Evaluation for each system or a mean, a finite number, for each system"
            raise DataError(f"expected {kinds}, got {type(own[wrong[0]]).__name__} for {wrong[0]!r}")
        return {system: float(mean) for system, mean in own.items()}
    except DataError as error:
        raise DataError(f"data set {name}: {error.what}", error.query, error.row, error.column) from None


def _run(given: Any) -> Any:
    """Return a run; a prediction file of MTEB is read first."""
    is_path = isinstance(given, (str, os.PathLike))
    return read_mteb_predictions(given) if is_path and "_predictions.json" in os.fspath(given) else given


class _Values(NamedTuple):
    """The known values of a data set: values[query, system], or one row of means."""

    values: Floats
    query_ids: tuple[str, ...]
    dcg: Floats | None
    lower_is_better: bool
    problems: tuple[Problem, ...]
    value_range: tuple[float, float] = UNBOUNDED

    @property
    def is_by_query(self) -> bool:
        return bool(self.query_ids)

    @property
    def n_queries(self) -> int:
        return len(self.query_ids)

    def problems_of(self, dataset: str) -> Iterable[Problem]:
        """Return the problems, with the name of the data set."""
        return (
            replace(problem, system=f"{problem.system} on {dataset}" if problem.system else dataset)
            for problem in self.problems
        )


def _values(name: str, given: Evaluations | Mapping[str, float], measure: str, dcg: str | None) -> _Values:
    if not isinstance(given, Evaluations):
        return _Values(np.array([[*given.values()]]), (), None, False, ())
    try:
        evaluations = given.on_common_queries()
    except DataError as error:
        raise DataError(f"data set {name}: {error.what}") from None
    ids = tuple(map(str, next(iter(evaluations.values())).query_ids.tolist()))

    def matrix(which: str) -> Floats:
        return np.stack([each.per_query[which] for each in evaluations.values()], axis=1)

    has_dcg = dcg is not None and all(dcg in each.per_query for each in evaluations.values())
    other = matrix(dcg) if has_dcg and dcg is not None else None
    values, lower, problems = matrix(measure), evaluations.lower_is_better(measure), evaluations.problems
    limits = {each.moments[measure].limits for each in evaluations.values()}
    return _Values(values, ids, other, lower, problems, limits.pop() if len(limits) == 1 else UNBOUNDED)


def _common_systems(datasets: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the systems that all data sets have, and a problem for each of the others."""
    everyone = dict.fromkeys(system for own in datasets.values() for system in own)
    missing = {system: [name for name, own in datasets.items() if system not in own] for system in everyone}
    common = tuple(system for system, without in missing.items() if not without)
    if len(common) < 2:
        some = "; ".join(f"{name} has {listed(own[:5]) or 'none'}" for name, own in list(datasets.items())[:3])
        raise DataError(
            f"a leaderboard needs two systems or more that all data sets have, got {len(common)}: {some}. Use the "
            "same names in all data sets, or leave some data sets out"
        )
    problems = []
    for system, without in missing.items():
        if without:
            names = listed(without[:5]) + (" and others" if len(without) > 5 else "")
            message = f"left out because {len(without)} of {len(datasets)} data sets do not have it: {names}"
            problems.append(Problem("missing system", len(without), message, len(datasets), system))
    return common, tuple(problems)


def _repeated(known: Mapping[str, _Values]) -> tuple[Problem, ...]:
    """Return a problem for each pair of data sets that share queries: the same id and the same values everywhere."""
    seen: dict[tuple[str, bytes], str] = {}
    counts: dict[tuple[str, str], list[str]] = {}
    for name, own in known.items():
        for query, row in zip(own.query_ids, own.values, strict=False):
            if np.ptp(row) > 0:  # equal values, such as 0 for all systems, tell little
                first = seen.setdefault((query, row.tobytes()), name)
                if first != name:
                    counts.setdefault((first, name), []).append(query)
    return tuple(
        Problem(
            "repeated query",
            len(queries),
            f"{len(queries):,} {'query has' if len(queries) == 1 else 'queries have'} the same id and the same values "
            f"in {first} and {second}, first {queries[0]!r}: they count in both",
        )
        for (first, second), queries in counts.items()
    )


def _means(values: Floats) -> Floats:
    complete = values[~np.isnan(values).any(axis=1)]
    means: Floats = complete.mean(axis=0) if len(complete) else np.full(values.shape[1], np.nan)
    return means


def _is_number(value: Any) -> bool:
    kinds: tuple[Any, ...] = (int, float, np.floating, np.integer)
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(np.isfinite(value))

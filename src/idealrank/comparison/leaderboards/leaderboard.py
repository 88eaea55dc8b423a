"""Compare systems over many data sets: evaluations or published scores in, a leaderboard out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from idealrank import stats
from idealrank._core.seeds import new_seed
from idealrank._present.page import listed
from idealrank._typing import Floats
from idealrank.comparison.leaderboards.leaderboard_result import AgainstBaseline, Leaderboard
from idealrank.comparison.leaderboards.normalization import Normalization, normalization_of, without_normalization
from idealrank.data.problem import Problem
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluate import evaluate
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.inputs import Data, OneSystem, named_measures
from idealrank.io.mteb import read_mteb_predictions
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure

__all__ = ["LeaderboardOptions", "beir_qrels", "leaderboard", "leaderboard_of"]

#: One data set: judgments and runs, evaluations by system, or published means by system.
Dataset: TypeAlias = tuple[Data, Mapping[str, OneSystem]] | Mapping[str, Evaluation] | Mapping[str, float]


class LeaderboardOptions(NamedTuple):
    """The options of `leaderboard` besides the data and the measure."""

    baseline: str | None = None
    weights: str | Mapping[str, float] | None = None
    over: str | None = None
    level: float = 0.05
    n_permutations: int = 10_000
    seed: int | None = None
    n_threads: int | None = None
    method: str = "t"

    def leaderboard(
        self,
        measure: str,
        datasets: Sequence[tuple[str, Evaluations | Mapping[str, float]]],
        dcg: str | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> Leaderboard:
        """Compare evaluated data sets, which all have the same systems.

        Parameters
        ----------
        measure : str
            The measure, as the evaluations call it.
        datasets : sequence of (str, Evaluations or mapping)
            The data sets by name: evaluations, or published means, {system: mean}.
        dcg : str, optional
            The measure without normalization, as the evaluations call it.
        problems : tuple of Problem
            Problems that are known already.

        Returns
        -------
        Leaderboard
        """
        systems = tuple(datasets[0][1])
        if self.baseline is not None and self.baseline not in systems:
            raise DataError(
                f"the baseline {self.baseline!r} is not among the systems that all data sets have: {', '.join(systems)}"
            )
        known = [(name, _values(name, given, systems, measure, dcg)) for name, given in datasets]
        over = self.over or ("queries" if all(own.is_by_query for _, own in known) else "datasets")
        if over == "queries" and not all(own.is_by_query for _, own in known):
            raise OptionError("over='queries' needs values by query, and some data sets have means only")
        weights = self._weights({name: own.n_queries for name, own in known})
        lower = any(own.lower_is_better for _, own in known)
        seed = new_seed(self.seed)
        options: dict[str, Any] = {"level": self.level, "over": over, "method": self.method, "seed": seed}
        matrices = {name: own.values for name, own in known}
        share = None if weights is None else [weights[name] for name, _ in known]
        means = np.array([_means(own) for own in matrices.values()])
        totals = means.mean(axis=0) if share is None else np.asarray(share) @ means / sum(share)
        order = np.argsort(totals if lower else -totals, kind="stable")
        sorted_systems = tuple(systems[place] for place in order)
        matrices = {name: values[:, order] for name, values in matrices.items()}
        overall = stats.rank_systems(matrices, weights=share, lower_is_better=lower, **options)
        normalization: Normalization | None = None
        if dcg is not None and all(own.dcg is not None for _, own in known):
            both = {name: (matrices[name], own.dcg[:, order]) for name, own in known if own.dcg is not None}
            normalization = normalization_of(measure, dcg, sorted_systems, both)
        return Leaderboard(
            measure,
            sorted_systems,
            tuple(matrices),
            tuple(own.n_queries for _, own in known),
            means[:, order],
            tuple(np.asarray(share or np.ones(len(known)) / len(known), np.float64).tolist()),
            overall,
            over,
            self.baseline,
            self._tests(sorted_systems, matrices, share, over, seed),
            normalization,
            lower,
            (*problems, *_repeated(known), *(problem for name, own in known for problem in own.problems_of(name))),
        )

    def _weights(self, n_queries: Mapping[str, int]) -> dict[str, float] | None:
        given = self.weights
        if given is None or given == "equal":
            return None
        if given == "queries":
            if not all(n_queries.values()):
                raise OptionError("weights='queries' needs values by query, and some data sets have means only")
            own: Mapping[str, float] = n_queries
        elif isinstance(given, Mapping):
            own = given
        else:
            raise OptionError(f"weights must be 'equal', 'queries' or {{data set: weight}}, got {given!r}")
        missing = [name for name in n_queries if name not in own]
        if missing or any(name not in n_queries for name in own):
            wrong = missing or [name for name in own if name not in n_queries]
            raise OptionError(f"weights must have one entry per data set, {', '.join(n_queries)}; see {wrong[0]!r}")
        try:
            total = float(sum(own.values()))
            return {name: float(own[name]) / total for name in n_queries}
        except (TypeError, ValueError, ZeroDivisionError):
            raise OptionError(f"weights must be positive numbers, got {dict(own)!r}") from None

    def _tests(
        self,
        systems: Sequence[str],
        matrices: Mapping[str, Floats],
        share: Sequence[float] | None,
        over: str,
        seed: int,
    ) -> tuple[AgainstBaseline, ...]:
        if self.baseline is None:
            return ()
        base = systems.index(self.baseline)
        others = [place for place in range(len(systems)) if place != base]
        strata = matrices
        if over == "datasets":
            strata = {"": np.array([_means(each) for each in matrices.values()])}
        raw = [
            stats.stratified_randomization_test(
                {name: each[:, place] for name, each in strata.items()},
                {name: each[:, base] for name, each in strata.items()},
                weights=share,
                n_permutations=self.n_permutations,
                seed=seed,
                n_threads=self.n_threads,
            ).p_value
            for place in others
        ]
        corrected = stats.holm(raw).tolist()
        tested = zip(others, raw, corrected, strict=True)
        return tuple(AgainstBaseline(systems[place], p, own) for place, p, own in tested)


def leaderboard(
    datasets: Mapping[str, Dataset],
    measure: str | Measure = "ndcg@10",
    *,
    baseline: str | None = None,
    like: str | Convention | None = None,
    weights: str | Mapping[str, float] | None = None,
    over: str | None = None,
    level: float = 0.05,
    method: str = "t",
    n_permutations: int = 10_000,
    seed: int | None = None,
    n_threads: int | None = None,
) -> Leaderboard:
    """Compare systems over many data sets: which is first, which are tied with it, and what the order depends on.

    Parameters
    ----------
    datasets : mapping
        {data set: (judgments, {system: run})}, each as in `evaluate`; judgments may also be the folder of a BEIR data
        set, whose ``qrels/test.tsv`` is read, and a run may be a prediction file of MTEB. Or {data set: {system:
        `Evaluation`}}. Or published means, {data set: {system: mean}}, such as those of `read_mteb_results`; the
        measure is then only a name. Queries of different data sets are different even if they have the same id.
    measure : str or Measure
        The measure.
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
        How all pairs are tested to find the ranks that each system may have, as in `idealrank.stats.rank_systems`: by t
        tests with Holm's correction, or by the largest studentized difference of all pairs.
    n_permutations : int
        The number of random permutations of the tests against the baseline.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

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
    rank  may be  system    mean       low    high
       1  1       hybrid  0.6008 †  0.5412  0.6604
       2  2       dense   0.5050    0.4447  0.5653
       3  3       bm25    0.4089    0.3546  0.4631
    Not shown in 50 columns: change, corrected,
    geometric, mean rank.
    †: no system is significantly better. may be: the
    ranks that a system may have, with 95% confidence
    for all systems at once. low, high: interval of
    the mean. change: difference from the best system.
    corrected: its p-value, corrected for all
    comparisons. geometric, mean rank: geometric mean
    and mean rank over data sets.
    """
    chosen = LeaderboardOptions(baseline, weights, over, level, n_permutations, seed, n_threads, method)
    return leaderboard_of(datasets, measure, chosen, like)


def leaderboard_of(
    datasets: Any,
    measure: str | Measure,
    chosen: LeaderboardOptions,
    like: str | Convention | None = None,
    *,
    watch: Callable[[str], None] = lambda dataset: None,
) -> Leaderboard:
    """Compare systems over data sets, as `leaderboard` does; ``watch`` is told the name of each data set in turn."""
    if not isinstance(datasets, Mapping) or not datasets:
        got = "none" if isinstance(datasets, Mapping) else type(datasets).__name__
        raise DataError(f"expected data sets, {{name: (judgments, {{system: run}})}}, got {got}")
    given = {str(key): each for key, each in datasets.items()}
    name, dcg = _measure(measure, are_means=all(_has_means(each) for each in given.values()))
    measures = [name, *([] if dcg is None else [dcg])]
    systems, problems = _common_systems({key: _systems_of(key, each) for key, each in given.items()})
    found = []
    for key, each in given.items():
        watch(key)
        found.append((key, _evaluated(key, each, systems, measures, like, chosen.n_threads)))
    return chosen.leaderboard(name, found, dcg, problems)


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
            found: Evaluations = evaluate(judged, runs, measures, like=like, n_threads=n_threads)
            return found
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


def beir_qrels(folder: str | os.PathLike[str], split: str = "test") -> Path:
    """Return the path of the judgments in the folder of a BEIR data set.

    Parameters
    ----------
    folder : path-like
        The folder, which has ``qrels/SPLIT.tsv``.
    split : str
        The split.

    Raises
    ------
    DataError
        If there is no such file.
    """
    found = Path(folder) / "qrels" / f"{split}.tsv"
    if not found.is_file():
        raise DataError(f"{folder} is not the folder of a BEIR data set: it has no qrels/{split}.tsv")
    return found


class _Values(NamedTuple):
    """The known values of a data set: values[query, system], or one row of means."""

    values: Floats
    query_ids: tuple[str, ...]
    dcg: Floats | None
    lower_is_better: bool
    problems: tuple[Problem, ...]

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


def _values(
    name: str, given: Evaluations | Mapping[str, float], systems: Sequence[str], measure: str, dcg: str | None
) -> _Values:
    if not isinstance(given, Evaluations):
        return _Values(np.array([[given[system] for system in systems]]), (), None, False, ())
    try:
        found = Evaluations({system: given[system] for system in systems}, given._problems).on_common_queries()
    except DataError as error:
        raise DataError(f"data set {name}: {error.what}") from None
    ids = tuple(map(str, next(iter(found.values())).query_ids.tolist()))

    def matrix(which: str) -> Floats:
        return np.stack([each.per_query[which] for each in found.values()], axis=1)

    has_dcg = dcg is not None and all(dcg in each.per_query for each in found.values())
    other = matrix(dcg) if has_dcg and dcg is not None else None
    return _Values(matrix(measure), ids, other, found.lower_is_better(measure), found.problems)


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


def _repeated(known: Sequence[tuple[str, _Values]]) -> tuple[Problem, ...]:
    """Return a problem for each pair of data sets that share queries: the same id and the same values everywhere."""
    seen: dict[tuple[str, bytes], str] = {}
    counts: dict[tuple[str, str], list[str]] = {}
    for name, own in known:
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
    found: Floats = complete.mean(axis=0) if len(complete) else np.full(values.shape[1], np.nan)
    return found


def _is_number(value: Any) -> bool:
    kinds: tuple[Any, ...] = (int, float, np.floating, np.integer)
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(np.isfinite(value))

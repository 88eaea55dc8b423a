"""Settings of a ranker, chosen by how well it ranks data that it did not learn from."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._core.extras import needs
from idealrank._core.threads import resolve_threads
from idealrank._present.json_values import Plain, plain
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, ObviousRivalWarning, OptionError
from idealrank.learners.estimators import check_learner, clone
from idealrank.learners.iterative import bar
from idealrank.learners.learner_base import Rows, as_data, query_of_rows, validation_rows
from idealrank.measures import Measure, measure

#: {option: the values to try}, or several such; values may be a distribution of SciPy's.
Settings: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Task:
    """A ranker to fit and to measure.

    ``fit_sees_validation``: whether the fit may choose its best iteration by it. The documents of ``test`` are scored.
    """

    ranker: Any
    measure: Measure
    train: RankingData
    validation: RankingData
    fit_sees_validation: bool = True
    test: RankingData | None = None


@dataclass(frozen=True)
class Trial:
    """The outcome of a task: the fitted ranker, its validation value per query, and test scores; or why there are none.

    >>> Trial(None, measure("ndcg"), np.array([0.5, 1.0])).mean
    0.75
    """

    ranker: Any
    measure: Measure
    values: Floats
    test_scores: Floats | None = None
    failure: str = ""

    @property
    def mean(self) -> float:
        """The validation values as the measure is aggregated, in general their mean; NaN if there is none."""
        return math.nan if self.why_no_mean else self.measure.moments(self.values).mean

    @property
    def why_no_mean(self) -> str:
        """Why there is no mean; empty if there is one."""
        if not self.failure and np.isnan(self.values).all():
            return "no validation query has a value of the measure: is anything relevant in them?"
        return self.failure


def merit(value: float, by: Measure) -> float:
    """Return a number that is higher for a better value, and lowest for a fit that failed.

    >>> merit(0.25, measure("pairwise_error")), merit(math.nan, measure("ndcg"))
    (-0.25, -inf)
    """
    return -math.inf if math.isnan(value) else -value if by.lower_is_better else value


def better(best: Trial | None, trial: Trial, by: Measure) -> Trial:
    """Return the better of two trials, the earlier one if they are equal."""
    return trial if best is None or merit(trial.mean, by) > merit(best.mean, by) else best


class Candidate(NamedTuple):
    """A ranker with one setting, not fitted, and the measure that it validates by."""

    settings: Mapping[str, Any]
    ranker: Any
    measure: Measure


def candidates_of(
    ranker: Any, settings: Settings, by: str | Measure | None, n_iter: int | None = None, seed: int | None = 0
) -> list[Candidate]:
    """Return a copy of the ranker with each setting, validating by this measure; None for the ranker's own."""
    check_learner(ranker, "ranker")
    if by is None:
        by = ranker.get_params().get("measure", "ndcg")
    elif hasattr(ranker, "validated_by"):
        ranker = ranker.validated_by(by)
    try:
        return [
            Candidate(each, clone(ranker).set_params(**each), measure(by))
            for each in settings_of(settings, n_iter, seed)
        ]
    except ValueError as error:
        raise OptionError(str(error)) from None


def settings_of(settings: Settings, n_iter: int | None = None, seed: int | None = 0) -> list[dict[str, Any]]:
    """Return each combination of the values, or ``n_iter`` of them at random.

    >>> settings_of({"l2": [0.1, 1.0], "max_iter": [50]})
    [{'l2': 0.1, 'max_iter': 50}, {'l2': 1.0, 'max_iter': 50}]
    """
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    listed = [settings] if isinstance(settings, Mapping) else list(settings)
    if not listed:
        raise OptionError("there are no settings to try: give {option: values}")
    is_drawn = any(hasattr(values, "rvs") for each in listed for values in each.values())
    if is_drawn and n_iter is None:
        raise OptionError("settings have a distribution: give n_iter, the number of settings to draw from it")
    if n_iter is not None and n_iter < 1:
        raise OptionError(f"n_iter must be 1 or more, or None for all combinations, got {n_iter}")
    try:
        if not is_drawn and (n_iter is None or n_iter >= len(ParameterGrid(listed))):
            return list(ParameterGrid(listed))
        return list(ParameterSampler(listed, n_iter, random_state=seed))
    except (TypeError, ValueError) as error:
        raise OptionError(f"cannot read the settings: {error}") from None


def run(tasks: Iterable[Task], n_jobs: int | None) -> Iterator[Trial]:
    """Yield trials in the order of the tasks, with ``n_jobs`` fits at a time; None for one per core."""
    n_jobs = resolve_threads(n_jobs)
    if n_jobs == 1:
        return (_tried(task) for task in tasks)
    with needs("joblib"):
        from joblib import Parallel, delayed

    filters = list(warnings.filters)
    found: Iterator[Trial] = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_tried_elsewhere)(task, filters) for task in tasks
    )
    return found


def _tried_elsewhere(task: Task, filters: Sequence[Any]) -> Trial:
    """Try it in another process, which ignores the warnings that this one ignores."""
    with warnings.catch_warnings():
        warnings.filters = filters
        return _tried_on_one_core(task)


def _tried_on_one_core(task: Task) -> Trial:
    if "n_threads" not in task.ranker.get_params():
        return _tried(task)
    ranker = clone(task.ranker).set_params(n_threads=1)
    trial = _tried(replace(task, ranker=ranker))
    if trial.ranker is not None:
        trial.ranker.set_params(n_threads=task.ranker.n_threads)
    return trial


def _tried(task: Task) -> Trial:
    ranker = clone(task.ranker)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ObviousRivalWarning)  # settings that are worse are to be expected
            ranker.fit(task.train, eval_set=task.validation if task.fit_sees_validation else None)
    except DataError as error:  # for example, a step size that diverges; another setting may work
        return Trial(None, task.measure, np.zeros(0), failure=str(error))
    lists = task.validation.lists(ranker.predict(task.validation))
    with lists.with_locations():
        values = task.measure.values(lists)
    return Trial(ranker, task.measure, values, None if task.test is None else ranker.predict(task.test))


@dataclass(frozen=True, repr=False)
class Tuning(Result):
    """The result of `tune`.

    Attributes
    ----------
    best : Ranker
        The fitted ranker with the best setting.
    settings : tuple of mapping
        The settings that were tried.
    values : float64 array of shape (n_settings,)
        The mean of ``measure`` on validation queries for each setting; NaN if the fit failed.
    failures : tuple of str
        Why the fit of each setting failed; empty if it did not.
    measure : Measure
        The measure by which the best setting was selected.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank import measure
    >>> from idealrank.learners.search.tuning import Tuning
    >>> Tuning(None, ({"l2": 0.1}, {"l2": 1.0}), np.array([0.25, 0.5]), ("", ""), measure("ndcg"))
    Tuning(best of 2: l2=1.0; ndcg 0.5000)
    """

    best: Any
    settings: tuple[Mapping[str, Any], ...]
    values: Floats
    failures: tuple[str, ...]
    measure: Measure

    @property
    def best_number(self) -> int:
        """The index of the best setting in ``settings``; the first one if several are equally good."""
        return int(np.argmax([merit(value, self.measure) for value in self.values.tolist()]))

    @property
    def best_settings(self) -> Mapping[str, Any]:
        """The setting with the best mean of ``measure`` on validation queries."""
        return self.settings[self.best_number]

    @property
    def best_value(self) -> float:
        """The mean of ``measure`` of the best setting."""
        return float(self.values[self.best_number])

    def to_dict(self) -> dict[str, Plain]:
        """Return every setting with its value, and the best one."""
        return {
            "measure": str(self.measure),
            "best": self.best_number,
            "settings": [{name: _cell(value) for name, value in each.items()} for each in self.settings],
            "values": plain(self.values),
            "failures": plain(self.failures),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "settings": a row per setting, the best one first."""
        names = list(dict.fromkeys(name for setting in self.settings for name in setting))
        by_merit = sorted(range(len(self.settings)), key=lambda each: -merit(float(self.values[each]), self.measure))
        columns = [*map(Column, names), Column(str(self.measure), ".4f")]
        if any(self.failures):
            columns.append(Column("failure"))
        rows: list[list[Value]] = []
        for each in by_merit:
            options = [_cell(self.settings[each].get(name)) for name in names]
            value = None if self.failures[each] else float(self.values[each])
            rows.append([*options, value, self.failures[each]][: len(columns)])
        return {"settings": Table(columns, rows)}

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.best_settings.items())
        return f"Tuning(best of {len(self.settings)}: {options}; {self.measure} {self.best_value:.4f})"


def _cell(value: Any) -> Value:
    return value if value is None or isinstance(value, (int, float)) else str(value)


def tune(
    ranker: Any,
    settings: Settings,
    data: Any,
    y: npt.ArrayLike | None = None,
    *,
    qid: Iterable[object] | None = None,
    group: npt.ArrayLike | None = None,
    eval_set: Any = None,
    eval_qid: Any = None,
    eval_group: Any = None,
    cv: int | None = None,
    measure: str | Measure | None = None,
    n_iter: int | None = None,
    n_jobs: int | None = None,
    seed: int | None = 0,
    verbose: bool = False,
) -> Tuning:
    """Fit a ranker with each setting, and keep the setting that ranks validation queries best.

    Pass either ``eval_set`` or ``cv``. With ``eval_set``, fits also select their best iteration on it. With ``cv``,
    each setting is evaluated by cross-validation over the queries, and the best setting is fitted to all of the data. A
    fit that fails, for example because its step size is too large, is never selected.

    Parameters
    ----------
    ranker : Ranker
        The learner whose options are tuned.
    settings : mapping, or sequence of mappings
        {option: values to try}; every combination is tried. With ``n_iter``, the values of an option may be a
        distribution of `scipy.stats`.
    data : RankingData, (X, y, qid) or array-like of shape (n_docs, n_features)
        The training data, whose weights are used if it has them; or the features alone.
    y : array-like, optional
        One label per row, if ``data`` has only features.
    qid, group : array-like, optional
        The query id of each row, or the number of rows of each query, if ``data`` has only features.
    eval_set : RankingData or (X, y, qid), optional
        The validation data.
    eval_qid, eval_group : array-like, optional
        The queries of an ``eval_set`` of (X, y), as ids or as sizes.
    cv : int, optional
        Number of folds of cross-validation on ``data``.
    measure : str or Measure, optional
        The measure that selects the best setting; by default, the ``measure`` of the ranker.
    n_iter : int, optional
        Number of combinations to draw at random; None tries all combinations.
    n_jobs : int, optional
        Number of fits that run at the same time, each on one core; None means one per core.
    seed : int, optional
        Seed of the random number generator, which draws the folds and the combinations; None means a new seed for every
        call.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    Tuning
        Every setting with its value, and the fitted ranker with the best setting.

    Raises
    ------
    DataError
        If no setting could be fitted and evaluated; the message says why the first one failed.

    Examples
    --------
    >>> from idealrank import datasets, learners
    >>> from idealrank.learners import tune
    >>> train, test = datasets.web_search(n_queries=20, n_docs=30)
    >>> tune(learners.RankNet(), {"normalize": [None, "minmax"]}, train, eval_set=test, n_jobs=1)
    Tuning(best of 2: normalize='minmax'; ndcg 0.7737)
    """
    check_learner(ranker, "ranker")
    if y is not None:
        data = data, y, query_of_rows(data, qid, group)
    elif qid is not None or group is not None:
        raise DataError("qid and group go with features and labels: give tune(ranker, settings, X, y, qid=...)")
    whole = _in_memory(ranker, data, "data")
    eval_set = validation_rows(eval_set, eval_qid, eval_group)
    if eval_set is not None and cv is None:
        pairs = [(whole, _in_memory(ranker, eval_set, "eval_set"))]
    elif cv is not None and eval_set is None:
        pairs = list(whole.folds(cv, seed))
    else:
        raise OptionError("give eval_set, the data to choose by, or cv, a number of folds, and not both")
    candidates = candidates_of(ranker, settings, measure, n_iter, seed)
    by, title = candidates[0].measure, f"tuning {type(ranker).__name__}"
    tasks = (
        Task(each.ranker, by, train, validation, fit_sees_validation=cv is None)
        for each in candidates
        for train, validation in pairs
    )
    best: Trial | None = None
    outcomes: list[tuple[float, str]] = []
    with bar(len(candidates), shown=verbose, is_predictable=True) as tell:
        for trial in _of_settings(run(tasks, n_jobs), len(pairs)):
            outcomes.append((trial.mean, trial.why_no_mean))
            best = better(best, trial, by)
            tell(f"{title}: best {by} {best.mean:.4f}", len(outcomes), "")
    if best is None or best.why_no_mean:
        raise DataError(f"no setting could be fitted and measured; the first: {outcomes[0][1]}")
    values, failures = zip(*outcomes, strict=True)
    chosen = best.ranker if cv is None else clone(best.ranker).fit(whole)
    return Tuning(chosen, tuple(each.settings for each in candidates), np.array(values), failures, by)


def _of_settings(trials: Iterator[Trial], n_folds: int) -> Iterator[Trial]:
    """Yield one trial per setting, with the values of all its folds."""
    while fold_trials := list(islice(trials, n_folds)):
        failure = next((trial.failure for trial in fold_trials if trial.failure), "")
        values = np.concatenate([trial.values for trial in fold_trials])
        yield Trial(fold_trials[0].ranker, fold_trials[0].measure, values, failure=failure)


def _in_memory(ranker: Any, given: RankingData | Rows, what: str) -> RankingData:
    data = as_data(clone(ranker), given, what, reset=True)
    if not isinstance(data, RankingData):
        raise DataError(f"{what} is RankingData or (X, y, qid), got {type(data).__name__}")
    return data

"""Fits of rankers with many settings, on all cores, and the one that ranks validation data best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from idealrank._core.extras import needs
from idealrank._core.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.learners.estimators import check_learner, clone
from idealrank.measures import Measure, measure

__all__ = ["Candidate", "Settings", "Task", "Trial", "better", "candidates_of", "merit", "run", "settings_of"]

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

    found: Iterator[Trial] = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_tried_on_one_core)(task) for task in tasks
    )
    return found


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
        ranker.fit(task.train, eval_set=task.validation if task.fit_sees_validation else None)
    except DataError as error:  # for example, a step size that diverges; another setting may work
        return Trial(None, task.measure, np.zeros(0), failure=str(error))
    lists = task.validation.lists(ranker.predict(task.validation))
    with lists.with_locations():
        values = task.measure.values(lists)
    return Trial(ranker, task.measure, values, None if task.test is None else ranker.predict(task.test))

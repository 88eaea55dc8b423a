"""Settings of a ranker, chosen by how well it ranks data that it did not learn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from idealrank._present.json_values import Plain, plain
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.learners.estimators import check_learner, clone
from idealrank.learners.learner_base import Rows, as_data
from idealrank.learners.progress import bar
from idealrank.learners.search.trials import Settings, Task, Trial, better, candidates_of, merit, run
from idealrank.measures import Measure

__all__ = ["Tuning", "tune"]


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
    data: RankingData | Rows,
    *,
    eval_set: RankingData | Rows | None = None,
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
    data : RankingData or (X, y, qid)
        The training data, whose weights are used if it has them.
    eval_set : RankingData or (X, y, qid), optional
        The validation data.
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
    whole = _in_memory(ranker, data, "data")
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

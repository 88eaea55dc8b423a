"""Rankers on folds: each fitted to train, its setting chosen on validation, and its scores kept on test queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from idealrank._core.checks import items_of
from idealrank._present.json_values import Plain, plain
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Tables
from idealrank._typing import Floats, Int64s
from idealrank.data.construction import concatenate
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Measures
from idealrank.learners.iterative import bar
from idealrank.learners.search.tuning import Candidate, Task, Trial, better, candidates_of, run
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention


class Chosen(NamedTuple):
    """The fitted ranker that validation selected in a fold, its settings, and its mean on the validation part.

    >>> Chosen(None, {"l2": 0.1}, 0.5).settings
    {'l2': 0.1}
    """

    ranker: Any
    settings: Mapping[str, Any]
    value: float


@dataclass(frozen=True, repr=False)
class CrossFold(Result):
    """The result of `cross_fold`.

    Attributes
    ----------
    data : RankingData
        All test queries, fold by fold, without features.
    fold_of : int64 array of shape (n_queries,)
        The fold, counted from 0, in which each query of ``data`` is a test query.
    scores : mapping of str to float64 array
        {ranker: one score per document of ``data``}, for ``compare(found.data, found.scores, ...)``.
    evaluations : Evaluations
        {ranker: its evaluation on ``data``}; all have the same queries in the same order.
    chosen : mapping of str to tuple of Chosen
        {ranker: one entry per fold}: the fitted ranker, its settings, and its mean on the validation part.

    Examples
    --------
    >>> from idealrank import datasets, learners
    >>> from idealrank.io.letor_folds import Folds
    >>> folds = Folds.of(datasets.web_search(n_queries=9, n_docs=20).train.split([1 / 3] * 3, seed=0))
    >>> found = learners.cross_fold({"random": learners.RandomRanker(random_state=0)}, folds, "ndcg@10", n_jobs=1)
    >>> found.n_folds, found.data.n_queries, found.fold_means("ndcg@10")["random"].shape
    (3, 9, (3,))
    """

    data: RankingData
    fold_of: Int64s
    scores: Mapping[str, Floats]
    evaluations: Evaluations
    chosen: Mapping[str, tuple[Chosen, ...]]

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold_of.max()) + 1

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """{ranker: {measure: mean of its fold means}}, as in LETOR; ``evaluations`` has the means over queries."""
        by_measure = {measure: self.fold_means(measure) for measure in self._measures}
        return {
            name: {measure: float(np.mean(found[name])) for measure, found in by_measure.items()}
            for name in self.evaluations
        }

    @property
    def _measures(self) -> list[str]:
        return list(next(iter(self.evaluations.values())).per_query)

    def fold_means(self, measure: str) -> dict[str, Floats]:
        """Return {ranker: its mean on the test queries of each fold}.

        Parameters
        ----------
        measure : str
            One of the measures, as given.

        Returns
        -------
        dict of str to float64 array of shape (n_folds,)
            The means by ranker.
        """
        fold_of = dict(zip(self.data.query_ids.tolist(), self.fold_of.tolist(), strict=True))
        found = {}
        for name, evaluation in self.evaluations.items():
            # A convention may exclude queries.
            own_folds = np.array([fold_of[query] for query in evaluation.query_ids.tolist()])
            values = evaluation.per_query[measure]
            parts = ({measure: values[own_folds == fold]} for fold in range(self.n_folds))
            found[name] = np.array([replace(evaluation, per_query=part).mean[measure] for part in parts])
        return found

    def to_dict(self) -> dict[str, Plain]:
        """Return means over folds, the mean of each fold, and the settings that validation selected."""
        return {
            "n_folds": self.n_folds,
            "n_queries": self.data.n_queries,
            "mean": plain(self.mean),
            "folds": {measure: plain(self.fold_means(measure)) for measure in self._measures},
            "chosen": {
                name: [{"settings": plain(dict(each.settings)), "value": each.value} for each in own]
                for name, own in self.chosen.items()
            },
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "means", with the means over folds, and one per measure, with the mean of each fold."""
        folds = {measure: partial(self._folds_table, measure) for measure in self._measures}
        return Tables({"means": self._means_table, **folds})

    def _means_table(self) -> Table:
        columns = [Column("ranker"), *(Column(measure, ".4f") for measure in self._measures)]
        return Table(columns, [[name, *own.values()] for name, own in self.mean.items()])

    def _folds_table(self, measure: str) -> Table:
        folds = [f"fold {fold + 1}" for fold in range(self.n_folds)]
        columns = [Column("ranker"), *(Column(title, ".4f") for title in (*folds, "mean"))]
        return Table(columns, [[name, *own, own.mean()] for name, own in self.fold_means(measure).items()])

    def __repr__(self) -> str:
        means = "; ".join(
            f"{name} " + ", ".join(f"{measure} {value:.4f}" for measure, value in own.items())
            for name, own in self.mean.items()
        )
        return f"CrossFold({self.n_folds} folds, {counted(self.data.n_queries, 'query')}; {means})"


def cross_fold(
    rankers: Mapping[str, Any],
    folds: Sequence[tuple[RankingData, RankingData, RankingData]],
    measures: Measures = ("ndcg@10",),
    *,
    like: str | Convention | None = None,
    select_by: str | Measure | None = None,
    keep_best: bool = True,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> CrossFold:
    """Fit rankers to the training part of each fold, select on its validation part, and evaluate on all test parts.

    The validation part selects the best iteration of each fit, and the best settings. Test queries are evaluated as by
    `evaluate`, and are not used before that.

    Parameters
    ----------
    rankers : mapping
        {name: ranker}, or {name: (ranker, settings)} with settings as for `tune`.
    folds : sequence of (train, validation, test)
        The parts of each fold as RankingData, for example from `read_letor_folds`; each query is in only one test part.
    measures : str, Measure or iterable of these
        The measures to compute for the test queries.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    select_by : str or Measure, optional
        The measure that validation uses; None means the ``measure`` of each ranker.
    keep_best : bool
        Whether to keep the best iteration of each fit. False keeps the last one, and validation selects only among
        settings.
    n_jobs : int, optional
        Number of fits that run at the same time, each on one core; None means one per core.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    CrossFold
        The evaluations on the test queries, and the setting that was selected in each fold.

    Raises
    ------
    DataError
        If there are no rankers, or the data of a fold is not valid.

    Examples
    --------
    >>> from idealrank import datasets, learners
    >>> from idealrank.io.letor_folds import Folds
    >>> from idealrank.learners import cross_fold
    >>> folds = Folds.of(datasets.web_search(n_queries=15, n_docs=20).train.split([0.2] * 5, seed=0))
    >>> ranker = learners.LinearRanker("pairwise_logistic", normalize="minmax")
    >>> found = cross_fold({"all": (ranker, {"l2": [0.01, 1.0]})}, folds, ["ndcg@10", "ap"], n_jobs=1)
    >>> found.data.n_queries, len(found.chosen["all"]), list(found.mean["all"])
    (15, 5, ['ndcg@10', 'ap'])
    """
    if not rankers or not isinstance(rankers, Mapping):
        what = "{name: ranker} or {name: (ranker, settings)}"
        raise DataError(f"there are no rankers: give {what}, got {type(rankers).__name__}")
    if not hasattr(folds, "__len__"):
        folds = list(items_of(folds, "folds", DataError))
    candidates: list[tuple[str, Candidate]] = []
    for name, given in rankers.items():
        ranker, settings = given if isinstance(given, tuple) else (given, {})
        candidates += [(name, each) for each in candidates_of(ranker, settings, select_by)]
    chosen: dict[str, list[Chosen]] = {name: [] for name in rankers}
    scores: dict[str, list[Floats]] = {name: [] for name in rankers}
    tested: list[RankingData] = []
    n_done = 0
    with bar(len(folds) * len(candidates), shown=verbose, is_predictable=True) as tell:
        for number, fold in enumerate(folds, start=1):
            parts = list(items_of(fold, "a fold", DataError))
            if len(parts) != 3:
                raise DataError(f"a fold has training, validation and test data, got {len(parts)} parts")
            train, validation, test = parts
            tasks = (Task(each.ranker, each.measure, train, validation, keep_best, test) for _, each in candidates)
            best: dict[str, tuple[Candidate, Trial]] = {}
            for (name, candidate), trial in zip(candidates, run(tasks, n_jobs), strict=True):
                leader = best.get(name)
                if leader is None or better(leader[1], trial, candidate.measure) is trial:
                    best[name] = candidate, trial
                n_done += 1
                tell(f"{len(folds)} folds: fold {number}, {name}", n_done, "")
            for name, (candidate, trial) in best.items():
                if trial.test_scores is None or trial.why_no_mean:
                    raise DataError(f"{name} could not be fitted and measured in fold {number}: {trial.why_no_mean}")
                chosen[name].append(Chosen(trial.ranker, candidate.settings, trial.mean))
                scores[name].append(trial.test_scores)
            tested.append(replace(test, features=None, feature_names=None))
    data = concatenate(tested)
    columns = {name: np.concatenate(parts) for name, parts in scores.items()}
    return CrossFold(
        data,
        np.repeat(np.arange(len(tested)), [part.n_queries for part in tested]),
        columns,
        Evaluator(data, like).evaluate_all(columns.items(), measures),
        {name: tuple(each) for name, each in chosen.items()},
    )

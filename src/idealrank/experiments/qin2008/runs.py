"""All rankers on one collection: fitted to the folds, selected on validation queries, measured on test queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from idealrank._typing import Floats
from idealrank.evaluation.evaluate import evaluate
from idealrank.experiments.claims import Choices, Setting
from idealrank.experiments.qin2008.protocol import LIKE, Protocol
from idealrank.io.letor_folds import Folds
from idealrank.learners.search.cross_fold import CrossFold, cross_fold

__all__ = ["CUTOFFS", "TrainedCollection", "is_graded", "run"]

CUTOFFS = range(1, 11)
_MEASURES = [*(f"ndcg@{k}" for k in CUTOFFS), "ndcg", "ap"]


@dataclass(frozen=True)
class TrainedCollection:
    """The results on a collection in all settings.

    Parameters
    ----------
    name : str
        The name of the collection.
    graded : bool
        Whether there are more than two labels.
    protocol : Protocol
        What was tried.
    found : mapping of str to CrossFold
        The results by the scale of features.
    """

    name: str
    graded: bool
    protocol: Protocol
    found: Mapping[str, CrossFold]

    @cached_property
    def _measured(self) -> dict[tuple[str, str], CrossFold]:
        """The results by features and discount."""
        return {
            (features, discount): replace(
                found, evaluations=evaluate(found.data, found.scores, _MEASURES, like=LIKE[discount])
            )
            for features, found in self.found.items()
            for discount in LIKE
        }

    def measured(self, setting: Setting) -> CrossFold:
        """Return the results with the features and the discount of a setting."""
        whole = {**self.protocol.choices.reference, **setting}
        return self._measured[whole["features"], whole["discount"]]

    def values(self, ranker: str, measure: str, setting: Setting) -> Floats:
        """Return one value per test query, the mean over seeds where the training is random."""
        whole = {**self.protocol.choices.reference, **setting}
        found = self.measured(whole).evaluations
        by_run = [found[run].per_query[measure] for run in self.protocol.runs(ranker, whole)]
        return np.asarray(np.mean(by_run, axis=0))

    def mean(self, ranker: str, measure: str, setting: Setting) -> float:
        """Return the mean of the folds' means, over seeds where the training is random."""
        return float(np.mean(self.means(ranker, measure, setting)))

    def means(self, ranker: str, measure: str, setting: Setting) -> list[float]:
        """Return the mean of the folds' means with each seed."""
        whole = {**self.protocol.choices.reference, **setting}
        found = self.measured(whole).fold_means(measure)
        return [float(np.mean(found[run])) for run in self.protocol.runs(ranker, whole)]

    def with_seed(self, seed: int) -> TrainedCollection:
        """Return the results of the reference setting with one of the seeds."""
        only = Choices({axis: values[:1] for axis, values in self.protocol.choices.values.items()})
        return replace(self, protocol=replace(self.protocol, seed=seed, n_seeds=1, choices=only))


def run(
    name: str, folds: Folds, protocol: Protocol, *, n_jobs: int | None = None, verbose: bool = False
) -> TrainedCollection:
    """Train all rankers with all scales of features; only one if they are in [0, 1] already."""
    graded = is_graded(folds)
    own = protocol.for_queries(folds[0].train.n_queries)
    if _within_0_and_1(folds):
        own = replace(own, choices=Choices({**own.choices.values, "features": own.choices.values["features"][:1]}))
    found = {
        features: cross_fold(own.rankers(features, graded=graded), folds[: own.n_folds], ["ndcg"], verbose=verbose)
        for features in own.choices.values["features"]
    }
    return TrainedCollection(name, graded, own, found)


def is_graded(folds: Folds) -> bool:
    """Return whether there are labels above 1."""
    return any(bool(part.labels.max() > 1) for part in folds[0])


def _within_0_and_1(folds: Folds) -> bool:
    """Whether all features are in [0, 1]."""
    matrices = [part.known_features() for part in folds[0]]
    return all(bool(np.min(each) >= 0 and np.max(each) <= 1) for each in matrices)

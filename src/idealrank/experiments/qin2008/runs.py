"""All rankers on one collection: fitted to the folds, selected on validation queries, measured on test queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from idealrank.experiments.qin2008.protocol import Protocol
from idealrank.io.letor_folds import Folds
from idealrank.learners.search.cross_fold import CrossFold, cross_fold

__all__ = ["CUTOFFS", "Run", "is_graded", "run"]

CUTOFFS = range(1, 11)
_MEASURES = [*(f"ndcg@{k}" for k in CUTOFFS), "ndcg", "ap"]


@dataclass(frozen=True)
class Run:
    """The results on a collection with one scale of features.

    Parameters
    ----------
    title : str
        The name of the collection, and of the scale.
    graded : bool
        Whether there are more than two labels.
    scaled : bool
        Whether features were scaled.
    found : CrossFold
        The results.
    """

    title: str
    graded: bool
    scaled: bool
    found: CrossFold

    def of(self, measure: str) -> dict[str, float]:
        """Return {ranker: the mean of its folds' means} for one measure."""
        return {name: own[measure] for name, own in self.found.mean.items()}


def run(name: str, folds: Folds, protocol: Protocol, *, verbose: bool = False) -> Iterator[Run]:
    """Yield the run with unscaled features, and, unless they are in [0, 1] already, with min-max scaled ones."""
    graded = is_graded(folds)
    own_protocol = protocol.for_queries(folds[0].train.n_queries)
    for normalize in (None,) if _within_0_and_1(folds) else (None, "minmax"):
        title = name if normalize is None else f"{name}, min-max"
        rankers = own_protocol.rankers(normalize, graded=graded)
        found = cross_fold(rankers, folds[: protocol.n_folds], _MEASURES, verbose=verbose)
        yield Run(title, graded, normalize is not None, found)


def is_graded(folds: Folds) -> bool:
    """Return whether there are labels above 1."""
    return any(bool(part.labels.max() > 1) for part in folds[0])


def _within_0_and_1(folds: Folds) -> bool:
    """Whether all features are in [0, 1]."""
    matrices = [part.known_features() for part in folds[0]]
    return all(bool(np.min(each) >= 0 and np.max(each) <= 1) for each in matrices)

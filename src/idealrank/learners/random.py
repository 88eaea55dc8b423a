"""A ranker that knows nothing, to compare others with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.learners.base import Ranker
from idealrank.learners.features import features_of
from idealrank.learners.names import register
from idealrank.measures import Measure

__all__ = ["RandomRanker"]


@register("random", "random_ranker")
@dataclass(kw_only=True, eq=False, repr=False)
class RandomRanker(Ranker):
    """Random scores between -1 and 1, whatever the features: the same for the same ``random_state`` and documents.

    Parameters
    ----------
    normalize : optional
        Not used.
    measure : str or Measure
        What ``score`` measures.
    random_state : int, optional
        Seed of the random number generator.
    n_threads : int, optional
        Number of threads of ``score``.

    Examples
    --------
    >>> ranker = RandomRanker(random_state=0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    >>> bool((ranker.predict([[0.0], [1.0]]) == ranker.predict([[5.0], [5.0]])).all())
    True
    """

    _state: ClassVar[Mapping[str, str]] = {"seed_": "int64"}

    normalize: str | None = None
    measure: str | Measure = "ndcg"
    random_state: int | None = None
    n_threads: int | None = None

    def _fit(self, data: RankingData, validation: RankingData | None) -> None:
        features_of(data)  # refuses what other learners refuse
        self.seed_ = (
            self.random_state if self.random_state is not None else int(np.random.SeedSequence().generate_state(1)[0])
        )

    def _scores(self, data: RankingData) -> Floats:
        return np.random.default_rng(self.seed_).uniform(-1, 1, data.n_docs)

    def _check_state(self) -> None:
        if self.seed_ < 0:
            raise DataError(f"seed_ must be a whole number from 0, got {self.seed_}")

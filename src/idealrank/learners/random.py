"""A ranker that knows nothing, to compare others with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idealrank.data import Floats, RankingData
from idealrank.learners.base import Ranker, Training
from idealrank.measures import Measure

__all__ = ["RandomRanker"]


@dataclass(kw_only=True, eq=False, repr=False)
class RandomRanker(Ranker):
    """Scores drawn from between -1 and 1, whatever the features: the same for the same ``random_state`` and rows.

    >>> ranker = RandomRanker(random_state=0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    >>> bool((ranker.predict([[0.0], [1.0]]) == ranker.predict([[5.0], [5.0]])).all())
    True
    """

    normalize: str | None = None
    measure: str | Measure = "ndcg"
    random_state: int | None = None
    n_threads: int | None = None

    def _fit(self, training: Training) -> None:
        self.seed_ = (
            self.random_state if self.random_state is not None else int(np.random.SeedSequence().generate_state(1)[0])
        )

    def _scores(self, data: RankingData) -> Floats:
        return np.random.default_rng(self.seed_).uniform(-1, 1, data.n_docs)

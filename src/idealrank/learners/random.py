"""A random ranker, as a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from idealrank._core.seeds import generator
from idealrank._names.options import option, seed
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.learners.features import features_of
from idealrank.learners.learner_base import Ranker
from idealrank.learners.learner_names import register


@register("random", "random_ranker")
class RandomRanker(Ranker):
    """Random scores between -1 and 1 that do not depend on the features, as a baseline.

    Parameters
    ----------
    normalize : {"minmax", "zscore"}, optional
        Ignored, because features are not used.
    random_state : int, optional
        Seed of the random number generator; None means a new seed for every fit. A fitted ranker always gives the same
        scores to the same number of documents.

    Examples
    --------
    >>> from idealrank.learners import RandomRanker
    >>> ranker = RandomRanker(random_state=0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    >>> bool((ranker.predict([[0.0], [1.0]]) == ranker.predict([[5.0], [5.0]])).all())
    True
    """

    _state: ClassVar[Mapping[str, str]] = {"seed_": "int64"}

    random_state: int | None = option(seed, 0)

    def _fit(self, data: RankingData, validation: RankingData | None) -> None:
        features_of(data)  # refuses the same data as other learners
        drawn = int(np.random.SeedSequence().generate_state(1)[0])
        self.seed_ = drawn if self.random_state is None else self.random_state

    def _scores(self, data: RankingData) -> Floats:
        return generator(self.seed_, "random_state").uniform(-1, 1, data.n_docs)

    def _check_state(self) -> None:
        if self.seed_ < 0:
            raise DataError(f"seed_ must be 0 or more, got {self.seed_}")

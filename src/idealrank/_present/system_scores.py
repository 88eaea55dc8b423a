"""The scores of systems, query by query, as a page shows them: a leaderboard, figures and a table of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from idealrank._typing import Floats

#: What is known of two compared systems, one column each; the first two are positions in `Scores.systems`.
PAIR_COLUMNS = (
    *("system", "against", "change", "low", "high", "p", "corrected", "d_z"),
    *("better", "same", "worse", "detectable"),
)


@dataclass(frozen=True)
class MeasureScores:
    """The scores by one measure.

    Parameters
    ----------
    values : float64 array, [system, query]
        One value per system and query; NaN if there is none.
    means : float64 array, [system, 3]
        The mean of each system and the bounds of its interval; NaN if there is none.
    lower_is_better : bool
        Whether lower values are better.
    pairs : float64 array, [pair, column]
        The compared pairs, with the columns `PAIR_COLUMNS`; empty if no systems were compared.

    Examples
    --------
    >>> MeasureScores(np.array([[0.5, 1.0]]), np.array([[0.75, 0.25, 1.25]])).best()
    0
    """

    values: Floats
    means: Floats
    lower_is_better: bool = False
    pairs: Floats = field(default_factory=lambda: np.zeros((0, len(PAIR_COLUMNS))))

    def best(self) -> int:
        """Return the position of the system with the best mean; systems without a mean come last."""
        sign = -1.0 if self.lower_is_better else 1.0
        return int(np.argmax(np.nan_to_num(sign * self.means[:, 0], nan=-np.inf)))


@dataclass(frozen=True)
class Scores:
    """The scores of systems by several measures, on one set of queries.

    Parameters
    ----------
    systems, queries : sequence of str
        The names of the systems and of the queries.
    measures : mapping of str to MeasureScores
        The scores by measure.
    basis : str
        The number of queries and the convention.
    intervals : str
        The level and the method of the intervals.
    kind : str
        What a system is called: "system" or "convention".
    has_best : bool
        Whether one mean can be better than another.
    baseline : str, optional
        The system that the others are compared with.
    level : float
        The significance level.
    test : str
        The test of the pairs and its correction; empty if there are none.
    is_corrected : bool
        Whether its p-values are corrected for the number of pairs.

    Examples
    --------
    >>> one = MeasureScores(np.array([[0.5, 1.0]]), np.array([[0.75, 0.25, 1.25]]))
    >>> Scores(["bm25"], ["q1", "q2"], {"rr": one}, "2 queries, like trec_eval", "95% intervals").n_values
    2
    """

    systems: Sequence[str]
    queries: Sequence[str]
    measures: Mapping[str, MeasureScores]
    basis: str
    intervals: str
    kind: str = "system"
    has_best: bool = True
    baseline: str | None = None
    level: float = 0.05
    test: str = ""
    is_corrected: bool = True

    @property
    def n_values(self) -> int:
        """Number of values of one measure."""
        return len(self.systems) * len(self.queries)

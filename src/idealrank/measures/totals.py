"""Counts of documents and queries, which are summed over queries."""

from __future__ import annotations

import math

import numpy as np

from idealrank._typing import Floats
from idealrank.measures.measure_names import register
from idealrank.measures.ranked_labels import RankedLabels
from idealrank.measures.retrieval import RankedRelevance

__all__ = ["NonrelevantRetrieved", "Queries", "Relevant", "RelevantRetrieved", "Retrieved"]


class _Count(RankedRelevance):
    """A count per query; evaluations show the sum over queries, as trec_eval does."""

    without = frozenset({"cutoff", "ties", "empty", "judged_only"})
    aggregate = "sum"
    _value_range = (0.0, math.inf)
    missing_value = None


@register("num_q")
class Queries(_Count):
    """1 for each query; the sum is the number of queries.

    Examples
    --------
    >>> from idealrank.measures import Queries
    >>> Queries()([1, 0, 0], [3, 2, 1], [0, 2, 3])
    array([1., 1.])
    """

    without = _Count.without | {"rel", "ideal"}
    _value_range = (1.0, 1.0)

    def _value(self, rankings: RankedLabels) -> Floats:
        return np.ones(rankings.n_queries)


@register("num_ret")
class Retrieved(_Count):
    """The number of retrieved documents.

    Examples
    --------
    >>> from idealrank.measures import Retrieved
    >>> Retrieved()([1, 0, 0], [3, 2, 1])
    array([3.])
    """

    without = frozenset({"cutoff", "ties", "empty", "rel", "ideal"})

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.n_retrieved.astype(np.float64)


@register("num_rel")
class Relevant(_Count):
    """The number of relevant documents, retrieved or not.

    Examples
    --------
    >>> from idealrank.measures import Relevant
    >>> Relevant()([1, 0], [2, 1], judged=([1, 0, 1], [0, 3]))
    array([2.])
    """

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.n_relevant.astype(np.float64)


@register("num_rel_ret")
class RelevantRetrieved(_Count):
    """The number of relevant documents that were retrieved.

    Examples
    --------
    >>> from idealrank.measures import RelevantRetrieved
    >>> RelevantRetrieved()([1, 0], [2, 1], judged=([1, 0, 1], [0, 3]))
    array([1.])
    """

    without = _Count.without | {"ideal"}

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.found.sizes.astype(np.float64)


@register("num_nonrel_judged_ret")
class NonrelevantRetrieved(_Count):
    """The number of retrieved documents that are judged and not relevant.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.measures import NonrelevantRetrieved
    >>> NonrelevantRetrieved()([1, 0, np.nan], [3, 2, 1], judged=([1, 0], [0, 2]))
    array([1.])
    """

    without = _Count.without | {"ideal"}

    def _value(self, rankings: RankedLabels) -> Floats:
        return rankings.retrieved.count(rankings.nonrelevant).astype(np.float64)

"""The first documents of each query, as systems rank them and as a measure sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from idealrank._typing import Booleans, Floats, Int64s
from idealrank.measures.measure_base import Measure

if TYPE_CHECKING:
    from idealrank.evaluation.evaluation_result import Evaluation
    from idealrank.measures.measure_base import Plan


class TopRanking(NamedTuple):
    """The first documents of each query.

    Parameters
    ----------
    query_ids : list of str
        The queries.
    offsets : int64 array
        Query i has the documents ``offsets[i]:offsets[i + 1]``, best first.
    documents : list of str
        The ids of the documents; without ids, their positions within the query, counted from 1.
    labels : float64 array
        Their labels; NaN if a document is unjudged.
    tied : bool array
        Whether a neighbor in the whole ranking has the same score.
    """

    query_ids: list[str]
    offsets: Int64s
    documents: list[str]
    labels: Floats
    tied: Booleans


class ReportDetails(NamedTuple):
    """What a report shows of a system besides its values.

    Parameters
    ----------
    curves : Evaluation, optional
        Its evaluation at several cutoffs; None if no measure takes a cutoff.
    ranking : TopRanking
        Its first documents.
    depth : int
        The maximum number of documents per query.
    """

    curves: Evaluation | None
    ranking: TopRanking
    depth: int

    def take(self, queries: Int64s) -> ReportDetails:
        """Return the details with the curves of these queries; the first documents are those of all."""
        return self._replace(curves=self.curves and self.curves.take(queries))


class MeasureWeights(NamedTuple):
    """What a measure makes of labels and ranks.

    Parameters
    ----------
    gains : mapping of float to float
        The gain of each label; that of an unjudged document has the key NaN.
    discounts : float64 array
        The discount of each rank that counts.
    """

    gains: Mapping[float, float]
    discounts: Floats


@dataclass(frozen=True)
class TopDocuments:
    """The first documents of each query, by system.

    Attributes
    ----------
    systems : mapping of str to TopRanking
        {system: its rankings}.
    depth : int
        The maximum number of documents per query.
    filled : mapping of str to Measure
        The measures with every option filled in; the first one determines the order of equal scores.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> runs = {"x": {"q": {"a": 1, "b": 3, "c": 1}}}
    >>> found = top_documents(evaluate({"q": {"a": 2, "b": 0}}, runs, "ndcg", for_report=True))
    >>> found.systems["x"].documents, found.systems["x"].labels.tolist(), found.systems["x"].tied.tolist()
    (['b', 'c', 'a'], [0.0, nan, 2.0], [False, True, True])
    """

    systems: Mapping[str, TopRanking]
    depth: int
    filled: Mapping[str, Measure]

    def measure_weights(self) -> dict[str, MeasureWeights]:
        """Return the gains and discounts of each measure that sums gains times discounts.

        Examples
        --------
        >>> from idealrank import evaluate
        >>> runs = {"x": {"q": {"a": 1, "b": 3}}}
        >>> found = evaluate({"q": {"a": 2, "b": 0}}, runs, ["dcg@1", "rr"], for_report=True)
        >>> top_documents(found).measure_weights()
        {'dcg@1': MeasureWeights(gains={0.0: 0.0, 2.0: 2.0}, discounts=array([1.]))}
        """
        labels = np.unique(np.concatenate([np.zeros(0), *(each.labels for each in self.systems.values())]))
        known = labels[~np.isnan(labels)]
        weights = {}
        for name, each in self.filled.items():
            plan = each.plan()
            if plan is None or plan.reduction != "sum" or isinstance(plan.gain, str) or isinstance(plan.cutoff, str):
                continue
            gains = dict(zip(known.tolist(), np.asarray(plan.gain(known), np.float64).tolist(), strict=True))
            discounts = _discounts(plan, self.depth)
            if discounts is not None:
                weights[name] = MeasureWeights(gains, discounts)
        return weights


def top_documents(evaluations: Mapping[str, Evaluation]) -> TopDocuments | None:
    """Return the first documents of each query that evaluations for a report have kept; None for others."""
    kept = {name: each.details for name, each in evaluations.items() if each.details is not None}
    if len(kept) < len(evaluations):
        return None
    depth = next(iter(kept.values())).depth
    return TopDocuments(
        {name: each.ranking for name, each in kept.items()}, depth, next(iter(evaluations.values())).filled
    )


def _discounts(plan: Plan, depth: int) -> Floats | None:
    """Return the discounts of the first ranks up to the cutoff; None if they depend on the length of the list."""
    from idealrank.measures.cutoffs import Rank
    from idealrank.measures.discounts import Linear

    if isinstance(plan.discount, Linear) or not (plan.cutoff is None or isinstance(plan.cutoff, Rank)):
        return None
    return plan.discount(np.arange(1, min(depth, depth if plan.cutoff is None else plan.cutoff.k) + 1))

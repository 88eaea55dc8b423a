"""How well one measure separates two rankers: on the queries at hand, on growing lists, and according to theory."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.measures import DCG, NDCG, Measure
from idealrank.theory.distinguishing.confidence_sequences import certified_at
from idealrank.theory.distinguishing.growing_lists import Paths
from idealrank.theory.distinguishing.predicted_differences import predict_gap
from idealrank.theory.distinguishing.ranker_curves import RankerCurves
from idealrank.theory.long_lists.needed import Gap
from idealrank.theory.long_lists.verdicts import Verdict, verdict

__all__ = ["Separation", "normalized", "separation"]


@dataclass(frozen=True)
class Separation:
    """How well one measure separates ranker A from ranker B.

    Attributes
    ----------
    measure : str
        The name of the measure, as given.
    mean_a, mean_b : float
        The means over queries, as computed by `evaluate`.
    better : str or None
        "a" or "b", whichever has the higher mean; None if the means are equal.
    wins : float
        The share of queries on which the better ranker is ahead; ties count as 1/2.
    separated : float
        The share of resamples of the queries on which the mean of the better ranker is ahead; NaN with one query.
    queries_needed : int or None
        The number of queries that order the means correctly with probability 1 - ``delta``; None if there is none.
    certified_at : int or None
        The number of queries, taken in their order, after which the order of the means is certain except with
        probability ``delta``, even if it is checked after each query (see `confidence_sequence`). None if it is not
        certain yet, or if the measure can exceed 1.
    settled_at : int or None
        The length of lists from which the means over queries stay in the right order; None if there is none.
    last_wrong : float
        The median over lists of the last length at which a list has the wrong order.
    sign_changes : float
        The mean over lists of the number of times that the lead changes as the list grows.
    limit_a, limit_b : float
        The limits of both means on long lists: the means of the limits of the curves of the queries; NaN if there is no
        limit.
    limit_interval_a, limit_interval_b : tuple of float
        Their 95% intervals.
    predicted_gap : float
        mean_a - mean_b as predicted by theory from each query's curves, at the length of its list.
    predicted_interval : tuple of float
        The 95% interval of the gap that is observed on this number of queries.
    sd_documents, sd_queries : float
        The standard deviation of the difference on one query: the part due to its sample of documents, and the part due
        to differences between queries.
    verdict : Verdict
        The verdict of theory on this measure, for the curves of both rankers over all queries together.

    Examples
    --------
    >>> from idealrank.theory import distinguish
    >>> rankers = {"good": [3, 2, 1] * 2, "bad": [1, 2, 3] * 2}
    >>> found = distinguish([2, 1, 0, 1, 0, 0], rankers, ["ndcg", "ndcg@1"], offsets=[0, 3, 6]).pairs[0]
    >>> found["ndcg@1"].mean_a, found["ndcg@1"].mean_b, found["ndcg@1"].wins, found["ndcg@1"].better
    (1.0, 0.0, 1.0, 'a')
    """

    measure: str
    mean_a: float
    mean_b: float
    better: str | None
    wins: float
    separated: float
    queries_needed: int | None
    certified_at: int | None
    settled_at: int | None
    last_wrong: float
    sign_changes: float
    limit_a: float
    limit_b: float
    limit_interval_a: tuple[float, float]
    limit_interval_b: tuple[float, float]
    predicted_gap: float
    predicted_interval: tuple[float, float]
    sd_documents: float
    sd_queries: float
    verdict: Verdict


def separation(
    name: str,
    m: Measure,
    values: tuple[Evaluation, Evaluation],
    lists: tuple[RankerCurves, RankerCurves],
    *,
    resamples: Callable[[int], Int64s],
    delta: float,
) -> Separation:
    """Return how well a measure separates two rankers.

    Parameters
    ----------
    name : str
        The name of the measure, as given.
    m : Measure
        The measure as used on growing lists.
    values : tuple of Evaluation
        The evaluations of both rankers.
    lists : tuple of RankerCurves
        Both rankers on complete lists, by this measure.
    resamples : callable
        Returns resamples of so many queries, as an array of shape (resamples, queries).
    delta : float
        The accepted probability of the wrong order.
    """
    differences = _differences(*(each.per_query[name] for each in values))
    n_queries, mean = differences.size, float(differences.mean())
    sign = 0.0 if abs(mean) < 1e-15 else math.copysign(1.0, mean)
    a, b = lists
    path = Paths(a.sizes, (a.growing - b.growing) * (sign or 1.0))
    predicted = predict_gap(a, b)
    return Separation(
        measure=name,
        mean_a=values[0].mean[name],
        mean_b=values[1].mean[name],
        better={1.0: "a", -1.0: "b"}.get(sign),
        wins=float(np.mean((np.sign(differences) * (sign or 1.0) + 1) / 2)),
        separated=_share_ahead(differences * sign, resamples) if sign and n_queries > 1 else math.nan,
        queries_needed=_queries_needed(differences, delta) if sign and n_queries > 1 else None,
        certified_at=certified_at(differences, delta) if np.abs(differences).max() <= 1 else None,
        settled_at=path.settled_at if sign else None,
        last_wrong=float(np.median(path.last_wrong)) if sign else float(a.sizes[-1]),
        sign_changes=float(path.sign_changes.mean()),
        limit_a=a.limit.value,
        limit_b=b.limit.value,
        limit_interval_a=(a.limit.low, a.limit.high),
        limit_interval_b=(b.limit.low, b.limit.high),
        predicted_gap=predicted.gap.value,
        predicted_interval=(predicted.gap.low, predicted.gap.high),
        sd_documents=predicted.sd_documents,
        sd_queries=predicted.sd_queries,
        verdict=verdict(normalized(m), a.curves.pooled, b.curves.pooled),
    )


def _differences(values_a: Floats, values_b: Floats) -> Floats:
    """The differences of two rankers on the queries that have a value."""
    differences = values_a - values_b
    known = differences[~np.isnan(differences)]
    if not known.size:
        raise DataError("no query has a value: no measure can tell rankers apart")
    return known


def _share_ahead(leads: Floats, resamples: Callable[[int], Int64s]) -> float:
    """The share of resamples of the queries in which the mean lead is above 0."""
    return float(np.mean(leads[resamples(leads.size)].mean(axis=1) > 0))


def _queries_needed(differences: Floats, delta: float) -> int | None:
    """The number of queries that order the means correctly with probability 1 - delta; None if there is none."""
    needed = Gap(float(differences.mean()), float(differences.std(ddof=1))).queries(delta)
    return max(1, math.ceil(needed)) if math.isfinite(needed) else None


def normalized(m: Measure) -> Measure:
    """Return NDCG instead of DCG, which has no limit, but orders rankers of the same documents as NDCG does."""
    return NDCG(discount=m.discount, cutoff=m.cutoff) if isinstance(m, DCG) else m

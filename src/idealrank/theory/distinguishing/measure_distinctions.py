"""How well one measure distinguishes two rankers: on the queries at hand, on growing lists, and by theory."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from idealrank._core.seeds import generator
from idealrank._typing import Bytes, Floats
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.measures import DCG, NDCG, Measure
from idealrank.theory.distinguishing.confidence_sequences import certified_at
from idealrank.theory.distinguishing.growing_lists import Paths, RankerCurves
from idealrank.theory.long_lists.limits_of_means import Mean
from idealrank.theory.long_lists.needed import Gap
from idealrank.theory.long_lists.verdicts import Verdict, verdict


@dataclass(frozen=True)
class GapPrediction:
    """What theory predicts of the difference of two rankers, as means over queries.

    Parameters
    ----------
    gap : Mean
        The difference on lists of the length that they have. Its interval is wide enough for what is seen on as many
        queries.
    sd_documents : float
        The standard deviation of the difference on one query, if other documents were drawn for it.
    sd_queries : float
        The standard deviation, over queries, of its expected value. NaN with one query.
    """

    gap: Mean
    sd_documents: float
    sd_queries: float


def predict_gap(a: RankerCurves, b: RankerCurves) -> GapPrediction:
    """Predict the difference of two rankers by one measure from the curves of both, and split its variance.

    The variance over queries of the difference has two parts: the mean variance within a query, by chance of the
    documents that it has, estimated by drawing documents with replacement; and the rest, by which queries differ.
    """
    seen = a.observed - b.observed
    has_curve, has_value = (int(np.isfinite(values).sum()) for values in (seen[a.curves.queries], seen))
    within = _within(a.redrawn - b.redrawn) * has_curve / max(has_value, 1)
    total = float(np.nanvar(seen, ddof=1)) if has_value > 1 else math.nan
    between = max(total - within, 0.0)
    variance = within if math.isnan(total) else within + between
    return GapPrediction(Mean.of_differences(a.expected - b.expected, variance), math.sqrt(within), math.sqrt(between))


def _within(drawn: Floats) -> float:
    """The mean over queries of the variance over draws of a query's documents."""
    known = np.count_nonzero(~np.isnan(drawn), axis=0) > 1
    return float(np.nanvar(drawn[:, known], axis=0, ddof=1).mean()) if known.any() else 0.0


_BLOCK = 4096  # queries at once


def swaps(n_queries: int, n_permutations: int, seed: int) -> Bytes:
    """Return rows of 0 and 1, the queries to swap: first none, then random ones, or if they are few, all choices.

    To swap all queries changes nothing; so if all choices are listed, the first query is never swapped.
    """
    if n_queries <= 30 and 2 ** (n_queries - 1) <= n_permutations + 1:
        return (np.arange(2 ** (n_queries - 1))[:, None] >> np.arange(n_queries)[::-1] & 1).astype(np.uint8)
    swapped = generator(seed).integers(2, size=(n_permutations + 1, n_queries), dtype=np.uint8)
    swapped[0] = 0
    return swapped


def swap_sums(values: Floats, swapped: Bytes) -> Floats:
    """Return the sum over queries of each column, in which the values of swapped queries count negative; NaN is 0."""
    known = np.nan_to_num(values)
    sums = np.tile(known.sum(axis=0), (len(swapped), 1))
    for begin in range(0, len(known), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        sums -= 2 * (swapped[:, rows].astype(np.float64) @ known[rows])
    return sums


def swap_p_values(differences: Floats, sums: Floats) -> tuple[Floats, float]:
    """Return the p-value of each measure, and that of the best of them.

    The p-value of a measure is the share of swaps after which the mean is at least as far from 0 as it is now. That of
    the best measure compares the largest standardized mean with the largest one after each swap, which accounts for the
    choice of the measure (Westfall and Young 1993). Swaps do not change the sum of squares, so the mean in units of its
    root orders swaps as Student's t does.

    Parameters
    ----------
    differences : float64 array of shape (n_queries, n_measures)
        The differences of two rankers; NaN if a query has no value.
    sums : float64 array of shape (n_swaps, n_measures)
        Their sums after each swap, see `swap_sums`.

    Examples
    --------
    Three queries can be swapped in four ways, and one of them gives a mean as large as that of 1, 2, 3.

    >>> differences = np.array([[1.0, 1.0], [2.0, -1.0], [3.0, 1.0]])
    >>> swap_p_values(differences, swap_sums(differences, swaps(3, 100, 0)))
    (array([0.25, 1.  ]), 0.5)
    """
    lengths = np.sqrt(np.nansum(differences**2, axis=0))
    means = np.abs(sums) / np.where(lengths > 0, lengths, 1.0)
    seen = means[0] - 1e-9  # more than rounding errors
    return np.mean(means >= seen, axis=0), float(np.mean(means.max(axis=1) >= seen.max()))


@dataclass(frozen=True)
class MeasureDistinction:
    """How well one measure distinguishes ranker A from ranker B.

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
    p_value : float
        The share of random exchanges of A and B, query by query, in which a mean is ahead by as much or more. It is how
        often rankers that do not differ show such a lead.
    queries_needed : int or None
        The number of queries that order the means correctly with probability 1 - ``delta``, if the mean and the spread
        of the differences are those of these queries; None if there is none.
    queries_interval : tuple of int or None
        The 95% interval of the number of queries needed: at least, and at most. None means that no number is known.
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
        The limits of both means on long lists: the means of the limits of the curves of the queries with relevant
        documents; NaN if there is no limit.
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
        The verdict of theory on this measure, for the curves of both rankers over all queries together. It is
        "undecided" if the queries do not show that the rankers differ, that is, if the p-value exceeds ``delta``.

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
    p_value: float
    queries_needed: int | None
    queries_interval: tuple[int | None, int | None]
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


def measure_distinction(
    name: str,
    m: Measure,
    values: tuple[Evaluation, Evaluation],
    lists: tuple[RankerCurves, RankerCurves],
    *,
    p_value: float,
    delta: float,
) -> MeasureDistinction:
    """Return how well a measure distinguishes two rankers.

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
    p_value : float
        The p-value of the difference of their means.
    delta : float
        The accepted probability of the wrong order.
    """
    differences = values[0].per_query[name] - values[1].per_query[name]
    differences = differences[~np.isnan(differences)]
    mean = float(differences.mean())
    sign = 0.0 if abs(mean) < 1e-15 else math.copysign(1.0, mean)
    a, b = lists
    path = Paths(a.sizes, (a.growing - b.growing) * (sign or 1.0))
    predicted = predict_gap(a, b)
    least, estimate, most = queries_to_order(differences, delta) if sign and differences.size > 1 else (None,) * 3
    return MeasureDistinction(
        measure=name,
        mean_a=values[0].mean[name],
        mean_b=values[1].mean[name],
        better={1.0: "a", -1.0: "b"}.get(sign),
        wins=float(np.mean((np.sign(differences) * (sign or 1.0) + 1) / 2)),
        p_value=p_value,
        queries_needed=estimate,
        queries_interval=(least, most),
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
        verdict=_as_shown(verdict(normalized(m), a.curves.pooled, b.curves.pooled), p_value <= delta),
    )


def _as_shown(by_curves: Verdict, differ: bool) -> Verdict:
    """The verdict for the estimated curves, or "undecided" if the queries do not show that the rankers differ."""
    if differ or by_curves.how in ("no", "undecided"):
        return by_curves
    reason = f"these queries do not show that the rankers differ; for curves as estimated here, {by_curves.reason}"
    return replace(by_curves, how="undecided", reason=reason, better=None)


def queries_to_order(differences: Floats, delta: float) -> tuple[int | None, int | None, int | None]:
    """Return how many queries order the means correctly with probability 1 - delta: at least, estimated, at most.

    It is (z / e)^2 with the effect size e = mean / sd. The interval of e is by Student's t; its standard error is that
    of normal differences, or that of the influence of each query on e, whichever is larger.
    """
    n, mean, sd = differences.size, float(np.abs(differences.mean())), float(differences.std(ddof=1))
    z = (differences * np.sign(differences.mean()) - mean) / sd if sd else np.zeros(n)
    influence = sd * z - mean / 2 * (z**2 - 1)  # everything times sd, which may be 0
    half = max(float(influence.std(ddof=1)) / math.sqrt(n), math.sqrt(sd**2 / n + mean**2 / (2 * n - 2)))
    half *= float(special.stdtrit(n - 1, 0.975))
    least, estimate, most = (Gap(max(each, 0.0), sd).queries(delta) for each in (mean + half, mean, mean - half))
    return _whole(least), _whole(estimate), _whole(most)


def _whole(needed: float) -> int | None:
    """A number of queries, or None for infinity."""
    return max(1, math.ceil(needed)) if math.isfinite(needed) else None


def normalized(m: Measure) -> Measure:
    """Return NDCG instead of DCG, which has no limit, but orders rankers of the same documents as NDCG does."""
    return NDCG(discount=m.discount, cutoff=m.cutoff) if isinstance(m, DCG) else m

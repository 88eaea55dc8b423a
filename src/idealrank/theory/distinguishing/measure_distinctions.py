"""How well one measure distinguishes two rankers: on the queries at hand, on growing lists, and by theory."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from idealrank.theory.long_lists.measure_discount import Weighting
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


def predict_gaps(a: Sequence[RankerCurves], b: Sequence[RankerCurves]) -> list[GapPrediction]:
    """Predict the difference of pairs of rankers by one measure from the curves of both, and split its variance.

    The variance over queries of the difference has two parts: the mean variance within a query, by chance of the
    documents that it has, estimated by drawing documents with replacement; and the rest, by which queries differ.
    """
    seen = np.array([one.observed - other.observed for one, other in zip(a, b, strict=True)])
    seen = seen.compress(~np.isnan(seen[0]), axis=1)  # all rankers have values of the same queries
    within = np.array([np.square(one.redrawn - other.redrawn).sum() for one, other in zip(a, b, strict=True)])
    within *= len(a[0].curves.queries) / max(seen.shape[1], 1)
    total = seen.var(axis=1, ddof=1) if seen.shape[1] > 1 else np.full(len(a), np.nan)
    between = np.maximum(total - within, 0.0)
    variances = np.where(np.isnan(total), within, within + between)
    gaps = [
        Mean.of_differences(one.expected - other.expected, variance)
        for one, other, variance in zip(a, b, variances.tolist(), strict=True)
    ]
    return list(map(GapPrediction, gaps, np.sqrt(within).tolist(), np.sqrt(between).tolist()))


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


def measure_distinctions(
    name: str,
    m: Measure,
    values: Sequence[tuple[Evaluation, Evaluation]],
    lists: Sequence[tuple[RankerCurves, RankerCurves]],
    *,
    p_values: Sequence[float],
    delta: float,
) -> list[MeasureDistinction]:
    """Return how well a measure distinguishes two rankers, for several pairs of rankers at once.

    Parameters
    ----------
    name : str
        The name of the measure, as given.
    m : Measure
        The measure as used on growing lists.
    values : sequence of tuple of Evaluation
        The evaluations of both rankers of each pair.
    lists : sequence of tuple of RankerCurves
        Both rankers on complete lists, by this measure.
    p_values : sequence of float
        The p-values of the differences of their means.
    delta : float
        The accepted probability of the wrong order.
    """
    differences = np.array([a.per_query[name] - b.per_query[name] for a, b in values])
    differences = differences.compress(~np.isnan(differences[0]), axis=1)  # all rankers have values of the same queries
    means = differences.mean(axis=1)
    signs = np.where(np.abs(means) < 1e-15, 0.0, np.sign(means))
    turned = np.where(signs == 0, 1.0, signs)
    sizes = lists[0][0].sizes
    path = Paths(sizes, np.array([a.growing - b.growing for a, b in lists]) * turned[:, None, None])
    wins = np.mean((np.sign(differences) * turned[:, None] + 1) / 2, axis=1)
    settled, wrong, changes = path.settled_at, np.median(path.last_wrong, axis=1), path.sign_changes.mean(axis=1)
    predicted = predict_gaps(*zip(*lists, strict=True))
    needed = queries_to_order(differences, delta) if signs.any() else [(None, None, None)] * len(signs)
    is_bounded, certified = np.abs(differences).max(axis=1) <= 1, certified_at(differences.clip(-1, 1), delta)
    weighting = Weighting.of(normalized(m))
    return [
        MeasureDistinction(
            measure=name,
            mean_a=values[i][0].mean[name],
            mean_b=values[i][1].mean[name],
            better={1.0: "a", -1.0: "b"}.get(sign),
            wins=float(wins[i]),
            p_value=p_values[i],
            queries_needed=needed[i][1] if sign else None,
            queries_interval=(needed[i][0], needed[i][2]) if sign else (None, None),
            certified_at=certified[i] if is_bounded[i] else None,
            settled_at=int(settled[i]) or None if sign else None,
            last_wrong=float(wrong[i]) if sign else float(sizes[-1]),
            sign_changes=float(changes[i]),
            limit_a=a.limit.value,
            limit_b=b.limit.value,
            limit_interval_a=(a.limit.low, a.limit.high),
            limit_interval_b=(b.limit.low, b.limit.high),
            predicted_gap=predicted[i].gap.value,
            predicted_interval=(predicted[i].gap.low, predicted[i].gap.high),
            sd_documents=predicted[i].sd_documents,
            sd_queries=predicted[i].sd_queries,
            verdict=_as_shown(verdict(weighting, a.curves.pooled, b.curves.pooled), p_values[i] <= delta),
        )
        for i, (sign, (a, b)) in enumerate(zip(signs.tolist(), lists, strict=True))
    ]


def _as_shown(by_curves: Verdict, differ: bool) -> Verdict:
    """The verdict for the estimated curves, or "undecided" if the queries do not show that the rankers differ."""
    if differ or by_curves.how in ("no", "undecided"):
        return by_curves
    reason = f"these queries do not show that the rankers differ; for curves as estimated here, {by_curves.reason}"
    return replace(by_curves, how="undecided", reason=reason, better=None)


def queries_to_order(differences: Floats, delta: float) -> list[tuple[int | None, int | None, int | None]]:
    """Return how many queries order the means of each row with probability 1 - delta: at least, estimated, at most.

    It is (z / e)^2 with the effect size e = mean / sd. The interval of e is by Student's t; its standard error is that
    of normal differences, or that of the influence of each query on e, whichever is larger. With one query, no number
    is known.
    """
    n = differences.shape[1]
    if n < 2:
        return [(None, None, None)] * len(differences)
    signed = differences.mean(axis=1, keepdims=True)
    mean, sd = np.abs(signed), differences.std(axis=1, ddof=1, keepdims=True)
    z = (differences * np.sign(signed) - mean) / np.where(sd > 0, sd, np.inf)
    influence = sd * z - mean / 2 * (z**2 - 1)  # everything times sd, which may be 0
    spread = influence.std(axis=1, ddof=1, keepdims=True) / math.sqrt(n)
    half = np.maximum(spread, np.sqrt(sd**2 / n + mean**2 / (2 * n - 2))) * special.stdtrit(n - 1, 0.975)
    ends = (np.maximum(each, 0.0)[:, 0].tolist() for each in (mean + half, mean, mean - half, sd))
    return [
        (_to_order(most, own, delta), _to_order(middle, own, delta), _to_order(least, own, delta))
        for most, middle, least, own in zip(*ends, strict=True)
    ]


def _to_order(mean: float, sd: float, delta: float) -> int | None:
    """The queries that order means with this difference, or None if no number does."""
    needed = Gap(mean, sd).queries(delta)
    return max(1, math.ceil(needed)) if math.isfinite(needed) else None


def normalized(m: Measure) -> Measure:
    """Return NDCG instead of DCG, which has no limit, but orders rankers of the same documents as NDCG does."""
    return NDCG(discount=m.discount, cutoff=m.cutoff) if isinstance(m, DCG) else m

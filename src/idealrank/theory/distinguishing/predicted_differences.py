"""What theory predicts of the difference of two rankers, as a mean over queries with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idealrank._typing import Floats
from idealrank.theory.distinguishing.ranker_curves import RankerCurves
from idealrank.theory.long_lists.limits_of_means import Mean

__all__ = ["GapPrediction", "predict_gap"]


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

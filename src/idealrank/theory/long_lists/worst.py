"""The NDCG of the worst possible ranking."""

from __future__ import annotations

from typing import Any

from idealrank.errors import DataError
from idealrank.measures import discounts
from idealrank.theory.long_lists.rank_weights import discount_sum
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting

__all__ = ["worst_ndcg"]


def worst_ndcg(discount: MeasureLike, n: float, n_relevant: float, cutoff: Any = None) -> float:
    """NDCG with all relevant documents, of equal gain, at the end of the list (Wang et al. 2013, Theorem 4).

    For the standard discount it tends to 1 with everything else, but so slowly that no list is long enough to see it: a
    googol of documents, half of them relevant and all of those last, has 0.994.

    >>> worst_ndcg("linear_ndcg", 6, 3)  # relevant at the ranks 4 to 6: (2 + 1 + 0) / (5 + 4 + 3)
    0.25
    >>> [round(worst_ndcg("log", n, n / 2), 3) for n in (1e2, 1e6, 1e100)]
    [0.623, 0.89, 0.994]
    """
    if not 1 <= n_relevant <= n < float("inf"):
        raise DataError(f"a list needs from 1 to n relevant documents to have an NDCG, got {n_relevant:g} of {n:g}")
    weighting = Weighting.of(discount, cutoff)
    if weighting.cutoff is not None or isinstance(weighting.discount, discounts.Linear):
        weights = weighting.weights(int(n))
        return float(weights[int(n - n_relevant) :].sum() / weights[: int(n_relevant)].sum())
    whole, before, ideal = (discount_sum(weighting.discount, count) for count in (n, n - n_relevant, n_relevant))
    return (whole - before) / ideal

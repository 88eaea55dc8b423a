"""The norm that NDCG divides by."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.data.columns import check_columns
from idealrank.losses.targets import check_finite, dcg_norms
from idealrank.measures import cutoffs, discounts

__all__ = ["dcg_norm"]


def dcg_norm(
    gains: npt.ArrayLike, offsets: npt.ArrayLike | None = None, *, discount: Any = "log", cutoff: Any = None
) -> Floats:
    """||g||_D = sum_j |g|_[j] D(j), |g|_[j] the j-th greatest: one a query (Ravikumar et al. 2011, Lemma 1).

    The greatest DCG that gains g can have, and a norm; with a cut-off k the paper's Z_k, a norm as well. Gains 7, 0,
    3, 1: 7 + 3/log2(3) + 1/2.

    >>> dcg_norm([7, 0, 3, 1])
    array([9.39278926])
    >>> dcg_norm([7, 0, 3, 1], cutoff=1)
    array([7.])
    """
    column, _, cut = check_columns(gains, gains, offsets)
    check_finite(column, cut, "gain")
    return dcg_norms(column, cut, discounts.of(discount), cutoffs.of(cutoff), resolve_threads(None))

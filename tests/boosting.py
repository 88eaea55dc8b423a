"""What the tests of boosters share: every loss by a name, and a small set of queries to learn from."""

from typing import Any

import numpy as np

from idealrank import RankingData, datasets
from idealrank.losses.names import classes

__all__ = ["LOSSES", "N_DOCS", "rows", "small_parts"]

#: All losses that can be made without arguments, and one of those that cannot.
LOSSES = [name for name in classes() if name not in ("bregman", "approx")] + ["approx(measure=recall@5)"]
#: Documents a query.
N_DOCS = 60


def small_parts() -> datasets.Parts:
    """Twelve queries to learn from, and twelve others."""
    return datasets.web_search(n_queries=12, n_docs=N_DOCS, n_features=8)


def rows(data: RankingData) -> tuple[Any, Any, Any]:
    """Features, labels and the query of each row."""
    return np.asarray(data.features), np.asarray(data.labels), np.repeat(np.arange(data.n_queries), N_DOCS)

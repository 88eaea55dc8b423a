"""Polars: a measure as an expression, for ``group_by(...).agg(...)`` and ``.over(...)``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idealrank._core.extras import needs
from idealrank.evaluation.evaluate import evaluate
from idealrank.measures import Measure
from idealrank.measures import measure as measure_named
from idealrank.measures.conventions import Convention, convention

with needs("polars"):
    import polars

__all__ = ["expression"]


def expression(
    measure: str | Measure = "ndcg@10",
    *,
    label: str | polars.Expr = "label",
    score: str | polars.Expr = "score",
    like: str | Convention = "idealrank",
) -> polars.Expr:
    """Return a measure as an expression with one value per group.

    Parameters
    ----------
    measure : str or Measure
        The measure or its name.
    label, score : str or Expr
        The columns of labels and scores, with one row per document.
    like : str or Convention
        The convention for options that the measure leaves unset.

    Returns
    -------
    polars.Expr
        An expression with the name of the measure. A null label or score is an error.

    Raises
    ------
    OptionError
        If the measure or the convention is unknown.

    Examples
    --------
    >>> import polars as pl
    >>> from idealrank.integrations.polars import expression
    >>> frame = pl.DataFrame({"qid": [1, 1, 2, 2], "label": [0, 1, 2, 0], "score": [0.9, 0.1, 0.8, 0.3]})
    >>> frame.group_by("qid", maintain_order=True).agg(expression("rr")).to_dicts()
    [{'qid': 1, 'rr': 0.5}, {'qid': 2, 'rr': 1.0}]
    >>> frame.select(expression("rr").over("qid"))["rr"].to_list()
    [0.5, 0.5, 1.0, 1.0]
    """
    own, rules = measure_named(measure), convention(like)

    def computed(columns: Sequence[polars.Series]) -> polars.Series:
        labels, scores = (np.asarray(column.cast(polars.Float64).to_numpy(), np.float64) for column in columns)
        if not labels.size:
            return polars.Series([float("nan")])
        return polars.Series(evaluate(labels, scores, own, like=rules).per_query[str(own)])

    return polars.map_groups([label, score], computed, return_dtype=polars.Float64, returns_scalar=True).alias(str(own))

"""torchmetrics: any measure of idealrank with ``update`` and ``compute``, computed by the native core."""

from __future__ import annotations

from typing import Any

import numpy as np

from idealrank._core.extras import needs
from idealrank.data.columns import read_only
from idealrank.errors import DataError
from idealrank.evaluation.evaluate import evaluate
from idealrank.measures import Measure
from idealrank.measures import measure as measure_named
from idealrank.measures.conventions import Convention, convention

with needs("torch"):
    import torch
with needs("torchmetrics"):
    import torchmetrics

__all__ = ["RankingMetric"]


class RankingMetric(torchmetrics.Metric):  # type: ignore[misc]
    """A measure as a metric of torchmetrics, which takes batches and returns the mean over queries.

    The documents of a query may be in several batches and come from several processes: predictions are collected and
    merged by torchmetrics like those of its own metrics, and grouped by ``indexes`` when the value is computed.

    Parameters
    ----------
    measure : str or Measure
        The measure or its name.
    like : str or Convention
        The convention for options that the measure leaves unset.
    ignore_index : int, optional
        Documents with this target are left out; None leaves out nothing.
    **options
        Options of torchmetrics.Metric, such as ``sync_on_compute``.

    Examples
    --------
    >>> import torch
    >>> from idealrank.integrations.torchmetrics import RankingMetric
    >>> metric = RankingMetric("ndcg(gain=exp2)@10")
    >>> metric.update(torch.tensor([0.2, 0.9]), torch.tensor([2, 1]), indexes=torch.tensor([0, 0]))
    >>> round(float(metric.compute()), 4)
    0.7967
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        measure: str | Measure = "ndcg@10",
        *,
        like: str | Convention = "torchmetrics",
        ignore_index: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.measure, self.convention, self.ignore_index = measure_named(measure), convention(like), ignore_index
        for state in ("indexes", "preds", "target"):
            self.add_state(state, default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better."""
        return not self.measure.lower_is_better

    def update(self, preds: torch.Tensor, target: torch.Tensor, indexes: torch.Tensor) -> None:
        """Add a batch of documents.

        Parameters
        ----------
        preds, target, indexes : Tensor
            The score, the label and the query of each document; all have the same shape.

        Raises
        ------
        DataError
            If the shapes differ.
        """
        if not preds.shape == target.shape == indexes.shape:
            shapes = ", ".join(str(tuple(each.shape)) for each in (preds, target, indexes))
            raise DataError(f"preds, target and indexes must have one shape, got {shapes}")
        rows = [each.detach().reshape(-1) for each in (preds, target, indexes)]
        if self.ignore_index is not None:
            kept = rows[1] != self.ignore_index
            rows = [each[kept] for each in rows]
        self.preds.append(rows[0])
        self.target.append(rows[1])
        self.indexes.append(rows[2])

    def compute(self) -> torch.Tensor:
        """Return the mean over queries.

        Returns
        -------
        Tensor
            The mean, a scalar; 0 if no query has a value, as in torchmetrics.
        """
        values = self.per_query()
        known = values[~np.isnan(values)]
        return torch.tensor(float(known.mean()) if known.size else 0.0)

    def per_query(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return one value per query, in the order in which queries were first seen.

        Returns
        -------
        float64 array of shape (n_queries,)
            The values.
        """
        scores, labels, queries = (_column(state) for state in (self.preds, self.target, self.indexes))
        if not queries.size:
            return np.empty(0)
        rules = self.convention
        if scores.dtype == np.float32 and rules.precision == "float32":
            rules = rules.replace(precision="float64")  # which compares them as they are
        labels, scores = (read_only(column.astype(np.float64)) for column in (labels, scores))
        evaluation = evaluate(labels, scores, self.measure, like=rules, query_ids=queries, order="input")
        return evaluation.per_query[str(self.measure)]


def _column(state: Any) -> np.ndarray[Any, Any]:
    """Return a state as one array: a list of batches, or one tensor after processes were merged."""
    if isinstance(state, torch.Tensor):
        return np.asarray(state.cpu())
    batches = [np.asarray(each.cpu()) for each in state]
    return np.concatenate(batches) if len(batches) > 1 else batches[0] if batches else np.empty(0)

"""Dask: evaluate, compare and learn on the cores of many machines, with the same numbers as on one.

Data is a Dask data frame, or the path of a Parquet file or of a folder of them, with one row per document. The rows of
a query must be together to be ranked. ``sorted=True`` says that all rows are sorted by query. Parquet is then read by
row groups, and a query may span several; a partition of a frame must hold whole queries. Otherwise rows are shuffled,
which does not keep their order, so ties cannot be broken by it.

``client`` is a ``distributed.Client``, or None for Dask's default scheduler. About ``batch_rows`` rows of sorted
Parquet are in a worker's memory at a time; of a frame, one partition is.
"""

from idealrank.integrations.dask.dask_evaluation import compare, evaluate
from idealrank.integrations.dask.dask_learning import FrameSource

__all__ = ["FrameSource", "compare", "evaluate"]

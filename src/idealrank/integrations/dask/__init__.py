"""Dask: evaluate, compare and learn on the cores of many machines, with the numbers of one.

Data is a Dask data frame, or the path of a Parquet file or of a folder of them, with one row a document. The rows of a
query must come together to be ranked. ``sorted=True`` says that they do: all rows are sorted by query. Parquet is then
read by row groups, of which a query may fill several; a partition of a frame must hold whole queries. Otherwise rows
are shuffled, which does not keep their order: ties cannot be broken by it then.

``client`` is a ``distributed.Client``, or None for the scheduler that Dask takes by default. About ``batch_rows`` rows
of sorted Parquet are in a worker's memory at a time; of a frame, a partition is.
"""

from idealrank.integrations.dask.evaluating import compare, evaluate
from idealrank.integrations.dask.learning import FrameSource

__all__ = ["FrameSource", "compare", "evaluate"]

"""Learning from a Dask data frame, whose partitions stay in the memory of the workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from idealrank._core.extras import needs
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.integrations.dask.shares import Ends, Share, check_ends, shares_of
from idealrank.learners.linear.query_blocks import Cluster, Engine, FrameColumns, Source

with needs("dask"):
    import dask
    import dask.dataframe

__all__ = ["FrameSource"]


@dataclass(frozen=True)
class FrameSource(Source):
    """A Dask data frame for ``LinearRanker(engine=client).fit(source)``.

    The frame is computed once per fit, and its labels and features stay in the memory of the workers.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        One row per document.
    query, label : str
        The columns of query ids and labels.
    features : sequence of str, optional
        The feature columns; None means all other columns.
    weight : str, optional
        The column of document weights; None means that all weights are 1.
    sorted : bool
        Whether the rows are sorted by query.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> from idealrank.integrations.dask import FrameSource
    >>> rows = {"qid": [1, 2, 1, 2], "label": [1, 1, 0, 0], "bm25": [0.2, 0.1, 0.1, 0.3]}
    >>> FrameSource(dask.dataframe.from_pandas(pandas.DataFrame(rows), npartitions=2)).features
    ('bm25',)
    """

    frame: Any
    query: str = "qid"
    label: str = "label"
    features: Any = None
    weight: str | None = None
    sorted: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.frame, dask.dataframe.DataFrame):
            raise DataError(f"expected a Dask data frame, got {type(self.frame).__name__}; ParquetSource takes a path")
        empty = self.frame._meta.iloc[:0]
        columns = FrameColumns.of(empty, self.query, self.label, self.weight, self.features)
        object.__setattr__(self, "features", columns.features)

    def pieces(self, engine: Engine) -> Sequence[Any]:
        """Return futures of the partitions, in the memory of the engine's workers."""
        if not isinstance(engine, Cluster):
            raise OptionError("the partitions of a Dask frame are computed by a cluster: LinearRanker(engine=client)")
        columns = FrameColumns(self.query, self.label, self.weight, self.features)
        shares = shares_of(
            self.frame, self.query, columns.others, is_sorted=self.sorted, batch_rows=0, client=engine.client
        )
        kept = engine.client.compute(list(map(dask.delayed(_Kept.of), shares, [columns] * len(shares))))
        check_ends(end for ends in engine.map(attrgetter("ends"), kept) for end in ends)
        return list(kept)


@dataclass(frozen=True)
class _Kept:
    """A share as ranking data."""

    data: tuple[RankingData, ...]
    ends: tuple[Ends, ...]

    @classmethod
    def of(cls, share: Share, columns: FrameColumns) -> _Kept:
        return cls(tuple(map(columns.data, share.tables())), tuple(share.ends()))

    def batches(self) -> Iterator[RankingData]:
        return iter(self.data)

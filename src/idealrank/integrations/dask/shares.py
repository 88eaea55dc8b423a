"""Data in shares for workers, each with whole queries."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from idealrank._core.extras import needs
from idealrank._core.threads import resolve_threads
from idealrank.errors import DataError
from idealrank.io.batches import SortedParquet, parquet_files
from idealrank.learners.linear.query_blocks import Cluster

with needs("dask"):
    import dask
    import dask.dataframe

__all__ = ["Ends", "FrameShare", "ParquetShare", "check_ends", "shares_of"]


class Ends(NamedTuple):
    """The first and the last query of a partition."""

    partition: int
    first: Any
    last: Any


@dataclass(frozen=True)
class ParquetShare:
    """Row groups of sorted Parquet, read by the worker."""

    rows: SortedParquet
    batch_rows: int

    def tables(self) -> Iterator[Any]:
        """Return frames of whole queries."""
        return self.rows.batches(self.batch_rows)

    def ends(self) -> list[Ends]:
        """Return no ends to check: the share reads on if a query continues."""
        return []


@dataclass(frozen=True)
class FrameShare:
    """A partition of a Dask frame, in memory as a pandas frame."""

    frame: Any
    query: str
    number: int
    is_sorted: bool

    def tables(self) -> Iterator[Any]:
        """Return the partition if it has rows."""
        return iter([self.frame] if len(self.frame) else [])

    def ends(self) -> list[Ends]:
        """Return the ends of a partition that should be sorted by query, and check that it is."""
        if not self.is_sorted or not len(self.frame):
            return []
        column = self.frame[self.query]
        if column.isna().any():
            return []  # reading the rows reports it
        ids = column.to_numpy()
        falls = np.flatnonzero(ids[1:] < ids[:-1])
        if falls.size:
            before, after = ids[falls[0] : falls[0] + 2].tolist()
            what = f"partition {self.number} is not sorted by {self.query}, got {after!r} after {before!r}"
            raise DataError(f"{what}; leave out sorted=True to shuffle the data", query=after)
        return [Ends(self.number, *ids[[0, -1]].tolist())]


Share: TypeAlias = ParquetShare | FrameShare


def check_ends(ends: Iterable[Ends]) -> None:
    """Check that neighbors share no query and are in the order of queries; otherwise raise a DataError.

    >>> check_ends([Ends(0, "a", "c"), Ends(1, "c", "d")])
    Traceback (most recent call last):
    idealrank.errors.DataError: the query is in both partitions 0 and 1; leave out sorted=True to shuffle the data \
    (query 'c')
    """
    for before, after in itertools.pairwise(ends):
        both = f"{before.partition} and {after.partition}"
        if after.first == before.last:
            what = f"the query is in both partitions {both}; leave out sorted=True to shuffle the data"
            raise DataError(what, query=after.first)
        if after.first < before.last:
            what = f"partitions {both} are not sorted, got {after.first!r} after {before.last!r}"
            raise DataError(f"{what}; leave out sorted=True to shuffle the data", query=after.first)


def shares_of(
    data: Any, query: str, columns: Sequence[str], *, is_sorted: bool, batch_rows: int, client: Any
) -> list[Any]:
    """Return shares, or Dask's delayed shares, with the column of queries and these columns."""
    if isinstance(data, (str, os.PathLike)):
        if is_sorted:
            rows = SortedParquet.at(data, query, columns)
            return [ParquetShare(each, batch_rows) for each in rows.pieces(_n_pieces(client))]
        data = dask.dataframe.read_parquet(parquet_files(data))
    elif not isinstance(data, dask.dataframe.DataFrame):
        raise DataError(f"expected a Dask data frame or the path of Parquet files, got {type(data).__name__}")
    wanted = list(dict.fromkeys((query, *columns)))
    absent = [name for name in wanted if name not in data.columns]
    if absent:
        raise DataError(f"the frame has no column {absent[0]!r}; it has {', '.join(map(str, data.columns))}")
    frame = data[wanted] if is_sorted else data[wanted].shuffle(on=query)
    make = dask.delayed(FrameShare)
    return [make(part, query, number, is_sorted) for number, part in enumerate(frame.to_delayed())]


def _n_pieces(client: Any) -> int:
    if client is None:
        with needs("distributed"):
            from distributed import default_client
        try:
            client = default_client()
        except ValueError:  # no cluster: threads of this process
            return resolve_threads(None)
    return Cluster(client).n_pieces

"""Data to learn from that need not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.io.batches import SortedParquet, parquet_files, without_rows
from idealrank.io.frames import feature_columns, from_frame
from idealrank.io.parquet_csv import parquet_file
from idealrank.learners.linear.engine import Engine, Source

__all__ = ["FrameColumns", "ParquetSource"]


@dataclass(frozen=True)
class FrameColumns:
    """The roles of the columns of a frame."""

    query: str
    label: str
    weight: str | None
    features: tuple[str, ...]

    @classmethod
    def of(cls, frame: Any, query: str, label: str, weight: str | None, features: Sequence[str] | None) -> FrameColumns:
        """Return the columns of a frame without rows; unnamed features are chosen as `from_frame` does."""
        names = feature_columns(frame, query, label, weight, features)
        if not names:
            raise DataError("there are no columns of features to learn from")
        return cls(query, label, weight, tuple(names))

    def data(self, frame: Any) -> RankingData:
        """Return the frame as data."""
        with without_rows(frame[self.query]):
            return from_frame(
                frame, self.query, self.label, score=None, doc=None, weight=self.weight, features=self.features
            )

    @property
    def others(self) -> tuple[str, ...]:
        """All columns except the query ids."""
        return (self.label, *(() if self.weight is None else (self.weight,)), *self.features)


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file, or a folder of them, with one row per document, sorted by query; each pass reads it again.

    Parameters
    ----------
    path : path-like
        The Parquet file, or a folder of Parquet files.
    query, label : str
        The columns of query ids and labels.
    features : sequence of str, optional
        The feature columns; None means all other numeric columns except "score", "doc" and "weight".
    weight : str, optional
        The column of document weights; None means that all weights are 1.
    batch_rows : int
        Approximate number of rows in memory at a time; there are more only if a single query has more.

    Examples
    --------
    >>> import pyarrow, pyarrow.parquet
    >>> from idealrank.learners import ParquetSource
    >>> table = pyarrow.table({"qid": [1, 1, 2, 2], "label": [0, 1, 0, 1], "bm25": [1.0, 3.0, 2.0, 5.0]})
    >>> pyarrow.parquet.write_table(table, "train.parquet")
    >>> source = ParquetSource("train.parquet")
    >>> source.features
    ('bm25',)
    >>> from idealrank.learners import RankSVM
    >>> RankSVM().fit(source).score(source)
    1.0
    """

    path: str | os.PathLike[str]
    query: str = "qid"
    label: str = "label"
    features: Any = None
    weight: str | None = None
    batch_rows: int = 100_000

    def __post_init__(self) -> None:
        if self.batch_rows < 1:
            raise DataError(f"batch_rows must be 1 or more, got {self.batch_rows}")
        with parquet_file(parquet_files(self.path)[0]) as file:
            empty = file.schema_arrow.empty_table()
        columns = FrameColumns.of(empty, self.query, self.label, self.weight, self.features)
        object.__setattr__(self, "features", columns.features)

    def pieces(self, engine: Engine = Engine()) -> list[ParquetPiece]:  # noqa: B008 (a constant)
        """Return the files, cut into as many pieces as the engine asks for."""
        columns = FrameColumns(self.query, self.label, self.weight, self.features)
        rows = SortedParquet.at(self.path, self.query, columns.others)
        return [ParquetPiece(each, columns, self.batch_rows) for each in rows.pieces(engine.n_pieces)]


@dataclass(frozen=True)
class ParquetPiece:
    """Some row groups of a `ParquetSource`."""

    rows: SortedParquet
    columns: FrameColumns
    batch_rows: int

    def batches(self) -> Iterator[RankingData]:
        return map(self.columns.data, self.rows.batches(self.batch_rows))

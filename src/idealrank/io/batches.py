"""Parquet files that are sorted by query, read in batches of whole queries."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import check_count
from idealrank._typing import Int64s
from idealrank.errors import DataError
from idealrank.io.files import path_text
from idealrank.io.format_list import FORMATS
from idealrank.io.frame_arrays import pyarrow_module
from idealrank.io.parquet_csv import parquet_file

if TYPE_CHECKING:
    import pyarrow

_ROWS_TO_LOOK_AHEAD = 10_000


def parquet_files(path: str | os.PathLike[str]) -> list[str]:
    """Return the path itself if it is a file, or the Parquet files of a folder in order of their names."""
    text = path_text(path, "the path of a Parquet file or of a folder of them")
    if not os.path.isdir(text):
        return [text]
    files = sorted(os.fspath(file) for file in Path(path).iterdir() if file.suffix in FORMATS["parquet"].endings)
    if not files:
        raise DataError(f"{os.fspath(path)} contains no files that end in .parquet or .pq")
    return files


@contextmanager
def without_rows(ids: Any = None) -> Iterator[None]:
    """Remove row numbers, which are relative to a batch, from errors that are raised in this context.

    Parameters
    ----------
    ids : array-like, optional
        The query id of each row of the batch, for errors that name only the row.

    Examples
    --------
    >>> with without_rows(["q6", "q7"]):
    ...     raise DataError("a score must be a finite number, got nan", row=1)
    Traceback (most recent call last):
    idealrank.errors.DataError: a score must be a finite number, got nan (query 'q7')
    """
    try:
        yield
    except DataError as error:
        query = error.query
        if query is None and error.row is not None and ids is not None:
            query = np.asarray(ids).tolist()[error.row]
        raise DataError(error.what, query=query, column=error.column) from None


@dataclass(frozen=True)
class SortedParquet:
    """Consecutive row groups in one or more Parquet files whose rows are sorted by query.

    It consists of the whole queries that begin in the row groups from ``begin`` to ``end``, so pieces with no row group
    in common have no query in common.

    Parameters
    ----------
    groups : tuple of (str, int)
        The file and the number of each row group.
    query : str
        The column of query ids.
    columns : tuple of str
        The columns to read.
    begin, end : int
        The range of row groups.
    """

    groups: tuple[tuple[str, int], ...]
    query: str
    columns: tuple[str, ...]
    begin: int
    end: int

    @classmethod
    def at(cls, path: str | os.PathLike[str], query: str, columns: Sequence[str]) -> SortedParquet:
        """Open a file, or a folder of files.

        Parameters
        ----------
        path : path-like
            A Parquet file, or a folder of them.
        query : str
            The column of query ids.
        columns : sequence of str
            The columns to read; those that do not exist are ignored.

        Returns
        -------
        SortedParquet
            All row groups.

        Raises
        ------
        DataError
            If there are no files, or they have no such column of query ids.
        """
        groups: list[tuple[str, int]] = []
        chosen: dict[str, Any] = {}  # columns and their types, the same in all files
        first, *_ = files = parquet_files(path)
        for name in files:
            with parquet_file(name) as file:
                types = dict(zip(file.schema_arrow.names, file.schema_arrow.types, strict=True))
                if query not in types:
                    raise DataError(f"{name} has no column {query!r} of query ids; it has {', '.join(types)}")
                own = {column: types[column] for column in (query, *columns) if column in types}
                groups += [(name, number) for number in range(file.num_row_groups)]
            chosen = chosen or own
            for column in chosen | own:
                if chosen.get(column) != own.get(column):
                    kinds = f"{chosen.get(column, 'none')} in {first} and {own.get(column, 'none')} in {name}"
                    raise DataError(f"a column must have the same type in all files, got {kinds}", column=column)
        return cls(tuple(groups), query, tuple(chosen), 0, len(groups))

    def pieces(self, n: int) -> list[SortedParquet]:
        """Split the row groups into at most n pieces of about equal size."""
        n = min(n, self.end - self.begin)
        cuts = [self.begin + (self.end - self.begin) * place // n for place in range(n + 1)] if n else []
        return [replace(self, begin=begin, end=end) for begin, end in itertools.pairwise(cuts)]

    def batches(self, rows: int) -> Iterator[pyarrow.Table]:
        """Yield PyArrow tables of whole queries.

        Parameters
        ----------
        rows : int
            Approximate number of rows to read at a time.

        Raises
        ------
        DataError
            If a query id is missing, or the files are not sorted by query.
        OptionError
            If the number of rows is not a whole number of at least 1.
        """
        check_count(rows, "batch_rows")
        pa = pyarrow_module()
        last = self._id_before()
        waiting: list[pyarrow.Table] = []  # rows of the query ``last``, which may continue
        is_own = False  # whether that query begins in one of our row groups
        for table in self._tables(self.begin, self.end, rows):
            heads, starts, n_old = self._runs(table, last)
            if is_own and starts[n_old]:
                waiting.append(table.slice(0, starts[n_old]))
            if n_old == heads.size:
                continue
            cut = int(starts[-2])
            ready = [*waiting, table.slice(starts[n_old], cut - starts[n_old])]
            rest = np.arange(cut, table.num_rows)
            waiting, last, is_own = [table.take(rest)], heads[-1], True  # a slice would keep the table in memory
            del table
            if sum(each.num_rows for each in ready):
                yield pa.concat_tables(ready)
            del ready
        if is_own:
            for table in self._tables(self.end, len(self.groups), min(rows, _ROWS_TO_LOOK_AHEAD)):
                heads, starts, n_old = self._runs(table, last)
                waiting.append(table.slice(0, starts[n_old]))
                if n_old < heads.size:
                    break
            yield pa.concat_tables(waiting)

    def _tables(self, begin: int, end: int, rows: int, columns: tuple[str, ...] = ()) -> Iterator[pyarrow.Table]:
        pa = pyarrow_module()
        for name, own in itertools.groupby(self.groups[begin:end], key=lambda group: group[0]):
            with parquet_file(name) as file:
                numbers = [number for _, number in own]
                for batch in file.iter_batches(rows, row_groups=numbers, columns=list(columns or self.columns)):
                    if batch.num_rows:
                        yield pa.Table.from_batches([batch])

    def _id_before(self) -> Any:
        """Return the query id in the last row before ``begin``, or None if there is none."""
        for place in reversed(range(self.begin)):
            for table in self._tables(place, place + 1, np.iinfo(np.int32).max, (self.query,)):
                return self._runs(table, None)[0][-1]
        return None

    def _runs(self, table: pyarrow.Table, last: Any) -> tuple[npt.NDArray[Any], Int64s, int]:
        """Return the id of each query, the offsets of its rows, and how many of the queries are ``last``."""
        import pyarrow.compute as pc

        pa = pyarrow_module()
        column = table[self.query].combine_chunks()
        if column.null_count:
            raise DataError("a query id is missing", column=self.query)
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        runs = pc.run_end_encode(column, run_end_type=pa.int64())
        heads = runs.values.to_numpy(zero_copy_only=False)
        starts = np.concatenate(([0], runs.run_ends.to_numpy()))
        falls = np.flatnonzero(~(heads[1:] > heads[:-1]))
        if falls.size or (last is not None and heads[0] < last):
            before, after = (last, heads[0]) if not falls.size else heads[falls[0] : falls[0] + 2]
            raise DataError(
                f"files must be sorted by {self.query} to be read in batches, got {after!s} after {before!s}; "
                "sort them, or read them as a whole",
                query=after.item() if isinstance(after, np.generic) else after,
            )
        return heads, starts, int(last is not None and heads[0] == last)

"""Parquet and CSV files: frames on disk, read and written through PyArrow."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, Literal, TypeAlias, Unpack

import numpy as np

from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.io.files import Source, atomic_output, display_name, read_whole
from idealrank.io.frames import Columns, Stored, from_frame, pyarrow_module, to_frame

__all__ = ["parquet_file", "read_csv", "read_frame", "read_parquet", "write_frame"]

Format: TypeAlias = Literal["parquet", "csv"]

_PARQUET_ENDINGS = (".parquet", ".pq")
_CSV_ENDINGS = (".csv", ".csv.gz", ".csv.xz")


def read_parquet(path: Source, **columns: Unpack[Columns]) -> RankingData:
    """Read a Parquet file as `from_frame` reads a frame, with the same arguments; unused columns are not read.

    >>> import pyarrow.parquet
    >>> table = pyarrow.table({"q": ["b", "b"], "label": [1, 0], "bm25": [0.5, 0.75]})
    >>> pyarrow.parquet.write_table(table, "train.parquet")
    >>> read_parquet("train.parquet", query="q")
    RankingData(1 queries, 2 documents, 1 features, labels 0 1)
    """
    try:
        with parquet_file(path) as file:
            stored = Stored(file.schema_arrow.empty_table(), lambda names: file.read(columns=names))
            return from_frame(stored, **columns)
    except DataError as error:
        raise ParseError(str(error), display_name(path)) from None


def read_csv(path: Source, **columns: Unpack[Columns]) -> RankingData:
    r"""Read a CSV file as `from_frame` reads a frame, with the same arguments; .gz and .xz too, "-" is standard input.

    Query ids are integers if all of them are written as such, without leading zeros; else they are text.

    >>> data = read_csv(io.BytesIO(b"qid,label,score\n7,1,0.5\n7,0,0.75\n"))
    >>> data.labels, data.scores, data.query_ids
    (array([1., 0.]), array([0.5 , 0.75]), array([7]))
    """
    name, text = display_name(path), read_whole(path)
    query, doc = columns.get("query", "qid"), columns.get("doc", "doc")
    table = _csv_table(text, name, [column for column in (query, doc) if column is not None])
    try:
        return from_frame(_with_integers(table, query), **columns)
    except DataError as error:
        line = 1 if error.row is None else _line_of_record(text, error.row + 1)
        raise ParseError(str(error), name, line) from None


def read_frame(path: Source, text: Sequence[str] = ("qid", "doc"), *, kind: Format | None = None) -> Any:
    """Read a Parquet or CSV file as a PyArrow table, for `qrels_from_frame` and `run_from_frame`.

    ``kind`` is told by the ending where it is not given. The columns that ``text`` names are text in a CSV file even
    where they look like numbers, so that 007 is not 7.
    """
    if _is_parquet(display_name(path), kind):
        with parquet_file(path) as file:
            return file.read()
    return _csv_table(read_whole(path), display_name(path), text)


def write_frame(data: Any, path: str | os.PathLike[str], *, kind: Format | None = None) -> None:
    """Write the columns of `to_frame`, or a PyArrow table, as Parquet or CSV, in the order of the input rows.

    ``kind`` is told by the ending where it is not given: .parquet, .pq, .csv, .csv.gz or .csv.xz.

    >>> from pathlib import Path
    >>> write_frame(Run({"q1": {"d1": 0.5}}), "run.csv")
    >>> print(Path("run.csv").read_text(), end="")
    "qid","doc","score"
    "q1","d1",0.5
    """
    as_parquet = _is_parquet(os.fspath(path), kind)
    table: Any = to_frame(data, backend="pyarrow") if isinstance(data, (RankingData, Qrels, Run)) else data
    if isinstance(data, RankingData) and data.regrouped:
        table = table.take(data.to_input(np.arange(data.n_docs)))
    with atomic_output(path) as file:
        if as_parquet:
            import pyarrow.parquet as pq

            pq.write_table(table, file, write_page_checksum=True)
        else:
            import pyarrow.csv as pa_csv

            pa_csv.write_csv(table, file)


def _is_parquet(name: str, kind: Format | None) -> bool:
    if kind is not None:
        return kind == "parquet"
    lowered = name.lower()
    if not lowered.endswith(_PARQUET_ENDINGS + _CSV_ENDINGS):
        endings = ", ".join(_PARQUET_ENDINGS + _CSV_ENDINGS)
        raise OptionError(f"a file's ending says its format and must be one of {endings}, got {name!r}")
    return lowered.endswith(_PARQUET_ENDINGS)


@contextmanager
def parquet_file(source: Source) -> Iterator[Any]:
    """The Parquet file, open; what Arrow cannot read of it is a ParseError."""
    pa = pyarrow_module()
    import pyarrow.parquet as pq

    opened: IO[bytes]
    if isinstance(source, (str, os.PathLike)) and source != "-":
        opened = open(source, "rb")  # noqa: SIM115 (closed below)
    else:
        opened = io.BytesIO(read_whole(source))
    with opened as file:
        try:
            yield pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            what = " ".join(str(error).split())
            raise ParseError(f"not a Parquet file, or a damaged one: {what}", display_name(source)) from None


def _csv_table(content: bytes, name: str, text: Sequence[str]) -> Any:
    pa = pyarrow_module()
    import pyarrow.csv as pa_csv

    parse = pa_csv.ParseOptions(newlines_in_values=True)
    convert = pa_csv.ConvertOptions(column_types=dict.fromkeys(text, pa.large_string()))

    def read(use_threads: bool) -> Any:
        options = pa_csv.ReadOptions(use_threads=use_threads)
        table = pa_csv.read_csv(pa.BufferReader(content), options, parse, convert)
        return table.rename_columns(table.column_names)  # names that are not UTF-8 are an error here, not later

    try:
        return read(use_threads=True)
    except (pa.ArrowException, UnicodeDecodeError):
        pass
    try:
        return read(use_threads=False)  # one thread alone says which row was wrong
    except UnicodeDecodeError as error:
        raise ParseError(f"column names must be UTF-8, got {error.object!r}", name) from None
    except pa.ArrowException as error:
        found = re.search(r"Row #(\d+): ", str(error))
        line = _line_of_record(content, int(found[1]) - 1) if found else 1
        raise ParseError(str(error).replace(found[0] if found else "\n", ""), name, line) from None


def _with_integers(table: Any, query: str) -> Any:
    """The table, its query ids as integers where their text would be the same."""
    pa = pyarrow_module()
    if table.column_names.count(query) != 1:
        return table
    text = table.column(query)
    try:
        numbers = text.cast(pa.int64())
    except pa.ArrowInvalid:
        return table
    same = numbers.cast(text.type).equals(text)
    return table.set_column(table.column_names.index(query), query, numbers) if same else table


def _line_of_record(content: bytes, record: int) -> int:
    """The line on which a record starts, the header being record 0; empty lines are none, and quotes may hold many."""
    lines = csv.reader(io.StringIO(content.decode("utf-8", "replace"), newline=""))
    start = 1
    try:
        for fields in lines:
            if fields and record == 0:
                break
            record -= bool(fields)
            start = lines.line_num + 1
    except csv.Error:  # as near as can be said
        pass
    return start

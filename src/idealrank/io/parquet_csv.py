"""Parquet and CSV files, read and written through PyArrow."""

from __future__ import annotations

import csv
import io
import os
import re
import reprlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.io.files import Progress, Source, atomic_output, check_growth, display_name, path_text, read_whole
from idealrank.io.format_list import FORMATS
from idealrank.io.formats import Format, Frame, named, sniffed
from idealrank.io.frame_arrays import pyarrow_module, too_many_columns
from idealrank.io.frame_output import to_frame
from idealrank.io.frame_roles import Columns
from idealrank.io.frames import Stored, from_frame

if TYPE_CHECKING:
    import pyarrow

    from idealrank.io.formats import Content


def read_parquet(path: Source, **columns: Unpack[Columns]) -> RankingData:
    """Read a Parquet file as RankingData, like `from_frame`; unused columns are not read.

    Parameters
    ----------
    path : path-like or binary file
        The Parquet file; "-" is standard input.
    **columns
        The names of columns: ``query``, ``label``, ``score``, ``doc``, ``weight`` and ``features``, as in `from_frame`.

    Returns
    -------
    RankingData
        The rows, grouped by query.

    Raises
    ------
    ParseError
        If the file cannot be read, or a column or value is missing.

    Examples
    --------
    >>> import pyarrow.parquet
    >>> from idealrank.io import read_parquet
    >>> table = pyarrow.table({"q": ["b", "b"], "label": [1, 0], "bm25": [0.5, 0.75]})
    >>> pyarrow.parquet.write_table(table, "train.parquet")
    >>> read_parquet("train.parquet", query="q")
    RankingData(1 query, 2 documents, 1 feature, labels 0 1)
    """
    try:
        with parquet_file(path) as file:
            stored = Stored(file.schema_arrow.empty_table(), lambda names: file.read(columns=names))
            return from_frame(stored, **columns)
    except DataError as error:
        raise ParseError(str(error), display_name(path)) from None


def read_csv(path: Source, **columns: Unpack[Columns]) -> RankingData:
    r"""Read a CSV file as RankingData, like `from_frame`.

    Query ids are integers if all of them are written as integers without leading zeros; otherwise they are text.

    Parameters
    ----------
    path : path-like or binary file
        The CSV file, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    **columns
        The names of columns: ``query``, ``label``, ``score``, ``doc``, ``weight`` and ``features``, as in `from_frame`.

    Returns
    -------
    RankingData
        The rows of the file, grouped by query.

    Raises
    ------
    ParseError
        If the text cannot be parsed, or a column or value is missing; the message names the line.

    Examples
    --------
    >>> import io
    >>> from idealrank.io import read_csv
    >>> data = read_csv(io.BytesIO(b"qid,label,score\n7,1,0.5\n7,0,0.75\n"))
    >>> data.labels, data.scores, data.query_ids
    (array([1., 0.]), array([0.5 , 0.75]), array([7]))
    """
    name, text = display_name(path), read_whole(path)
    query, doc = columns.get("query", "qid"), columns.get("doc", "doc")
    table = _csv_table(text, name, [column for column in (query, doc) if column is not None])
    try:
        return ranking_of_csv(_with_integers(table, query), **columns)
    except DataError as error:
        line = 1 if error.row is None else line_of_record(text, error.row + 1)
        raise ParseError(str(error), name, line) from None


def ranking_of_csv(table: pyarrow.Table, **columns: Unpack[Columns]) -> RankingData:
    """Create RankingData from the table of a CSV file, as `from_frame` does.

    A column is text if a single one of its cells is not a number. It is then an error if it shall be a feature, or if
    most of its cells are numbers: only the columns that are text by nature are left out.

    Parameters
    ----------
    table : pyarrow.Table
        The table, whose types were inferred from the text.
    **columns
        The names of columns: ``query``, ``label``, ``score``, ``doc``, ``weight`` and ``features``, as in `from_frame`.

    Returns
    -------
    RankingData
        The rows, grouped by query.

    Raises
    ------
    DataError
        If a cell of a feature is not a number; it names the row and the column.
    """
    import pyarrow.compute as pc

    pa = pyarrow_module()
    wanted = columns.get("features")
    taken = {columns.get(role, name) for role, name in _ROLES.items()}
    named = {wanted} if isinstance(wanted, str) else set(() if wanted is None else wanted)
    counts = Counter(table.column_names)
    for field, column in zip(table.schema, table.columns, strict=True):
        name = field.name
        is_feature = name not in taken if wanted is None else name in named
        if counts[name] > 1 or not is_feature or not pa.types.is_string(field.type):
            continue
        is_number = pc.match_substring_regex(column, _CELL).to_numpy()
        if wanted is not None or 2 * np.count_nonzero(is_number) > is_number.size:
            row = int(np.argmin(is_number))
            if not is_number[row]:
                got = reprlib.repr(column[row].as_py())
                hint = "" if wanted is not None else ", as in most rows of the column; or name the features"
                raise DataError(f"a feature must be a number or empty, got {got}{hint}", row=row, column=name)
    return from_frame(table, **columns)


def read_frame(path: str | os.PathLike[str], text: Sequence[str] = ("qid", "doc")) -> pyarrow.Table:
    """Read a Parquet or CSV file as a PyArrow table.

    Parameters
    ----------
    path : path-like
        The file; its content determines the format, or else its name.
    text : sequence of str
        Columns of a CSV file that are text even if they look like numbers, so that 007 is not 7.

    Returns
    -------
    pyarrow.Table
        All columns, for `qrels_from_frame` and `run_from_frame`.

    Raises
    ------
    OptionError
        If neither the content nor the name of the file is that of Parquet or CSV.
    ParseError
        If the file cannot be read.
    """
    kind = sniffed(path)
    return (kind if kind in (PARQUET, CSV) else _format_named(path)).read(path, text=text)


def write_frame(data: Content, path: str | os.PathLike[str]) -> None:
    """Write data as a Parquet or CSV file, with the columns of `to_frame` and in the order of the input rows.

    Parameters
    ----------
    data : RankingData, Qrels, Run or pyarrow.Table
        The data to write.
    path : path-like
        The file to write. Its ending determines the format: .parquet, .pq, or .csv, which .gz, .xz, .bz2
        or .zst may follow.

    Raises
    ------
    OptionError
        If the name of the file has another ending.
    DataError
        If a query id is empty.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank import Run
    >>> from idealrank.io import write_frame
    >>> write_frame(Run({"q1": {"d1": 0.5}}), "run.csv")
    >>> print(Path("run.csv").read_text(), end="")
    "qid","doc","score"
    "q1","d1",0.5
    """
    _format_named(path).write(data, path)


def _format_named(path: str | os.PathLike[str]) -> Format:
    endings = ", ".join(FORMATS["parquet"].endings + FORMATS["csv"].endings)
    name = path_text(path, "the path of the file to write")
    ask = f"the file name must end in one of {endings}, .csv.gz (.xz, .bz2, .zst), got {name!r}"
    kind = named(path, ask)
    if kind not in (PARQUET, CSV):
        raise OptionError(ask)
    return kind


def _parquet_table(path: Source) -> pyarrow.Table:
    with parquet_file(path) as file:
        return file.read()


def _read_csv_table(
    path: Source, *, text: Sequence[str] = ("qid", "doc"), progress: Progress | None = None
) -> pyarrow.Table:
    return _csv_table(read_whole(path, progress=progress), display_name(path), text)


def _write(data: Content, path: str | os.PathLike[str], *, as_parquet: bool) -> None:
    pa = pyarrow_module()
    if isinstance(data, (RankingData, Qrels, Run)):
        _check_query_ids(data)
        table: Any = to_frame(data, backend="pyarrow")
    elif isinstance(data, pa.Table):
        table = data
    else:
        raise DataError(f"expected RankingData, Qrels, Run or a pyarrow.Table, got {type(data).__name__}")
    if isinstance(data, RankingData) and data.regrouped:
        table = table.take(data.to_input(np.arange(data.n_docs)))
    with atomic_output(path) as file:
        if as_parquet:
            import pyarrow.parquet as pq

            pq.write_table(table, file, write_page_checksum=True)
        else:
            import pyarrow.csv as pa_csv

            pa_csv.write_csv(table, file)


def _check_query_ids(data: RankingData | Qrels | Run) -> None:
    """Raise a DataError if a query id is empty, since readers treat it as missing."""
    ids = data.query_ids
    empty = np.flatnonzero(np.diff(ids.offsets) == 0) if isinstance(ids, Ids) else np.empty(0, np.int64)
    if empty.size:
        raise DataError(f"in this format a query id must not be empty, but that of query number {empty[0]} is")


@contextmanager
def parquet_file(source: Source) -> Iterator[pyarrow.parquet.ParquetFile]:
    """Open a Parquet file; errors of Arrow become ParseErrors."""
    pa = pyarrow_module()
    import pyarrow.parquet as pq

    is_path = isinstance(source, (str, os.PathLike)) and source != "-"
    with open(source, "rb") if is_path else io.BytesIO(read_whole(source)) as file:  # type: ignore[arg-type]
        try:
            opened = pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)
            n_cells = opened.metadata.num_rows * opened.metadata.num_columns
            cure = "write it without compression and dictionaries"
            check_growth(4 * n_cells, file.seek(0, os.SEEK_END), cure, display_name(source))
            yield opened
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            what = " ".join(str(error).split())
            raise ParseError(f"not a Parquet file, or damaged: {what}", display_name(source)) from None


def _csv_table(content: bytes, name: str, text: Sequence[str]) -> pyarrow.Table:
    pa = pyarrow_module()
    import pyarrow.csv as pa_csv

    parse = pa_csv.ParseOptions(delimiter=_delimiter(content), newlines_in_values=True)
    convert = pa_csv.ConvertOptions(column_types=dict.fromkeys(text, pa.large_string()))

    # Arrow needs the header in one block.
    header = re.search(rb"\S[^\n]*\n?", content)
    block_size = min(max(1 << 20, 2 * header.end() if header else 0), 2**31 - 1)
    if header and (what := too_many_columns(header[0].count(parse.delimiter.encode()) + 1, len(content))):
        raise ParseError(what, name, 1)

    def read(use_threads: bool) -> pyarrow.Table:
        options = pa_csv.ReadOptions(use_threads=use_threads, block_size=block_size)
        table = pa_csv.read_csv(pa.BufferReader(content), options, parse, convert)
        return table.rename_columns(table.column_names)  # raises an error here if a name is not UTF-8

    try:
        return read(use_threads=True)
    except (pa.ArrowException, UnicodeDecodeError):
        pass
    try:
        return read(use_threads=False)  # only a single thread reports the row
    except UnicodeDecodeError as error:
        raise ParseError(f"column names must be UTF-8, got {error.object!r}", name) from None
    except pa.ArrowException as error:
        place = re.search(r"Row #(\d+): ", str(error))
        line = line_of_record(content, int(place[1]) - 1) if place else 1
        raise ParseError(str(error).replace(place[0] if place else "\n", ""), name, line) from None


def _delimiter(content: bytes) -> str:
    """Return the character that separates the column names."""
    header = content[:_LONGEST_HEADER].lstrip().split(b"\n", 1)[0]
    return next((each for each in ",\t;" if each.encode() in header), ",")


def csv_columns(start: bytes) -> list[str]:
    r"""Return the column names of a CSV file, from its first bytes.

    Examples
    --------
    >>> csv_columns(b"query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    ['query-id', 'corpus-id', 'score']
    """
    lines = io.StringIO(start.decode("utf-8", "replace").lstrip(), newline="")
    return [name.strip() for name in next(csv.reader(lines, delimiter=_delimiter(start)), [])]


def _with_integers(table: pyarrow.Table, query: str) -> pyarrow.Table:
    """Return the table with integer query ids, if their text stays the same."""
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


def line_of_record(content: bytes, record: int) -> int:
    """Return the line where a record starts; the header is record 0, and a quoted field may span several lines."""
    lines = csv.reader(io.StringIO(content.decode("utf-8", "replace"), newline=""))
    start = 1
    try:
        for fields in lines:
            if fields and record == 0:
                break
            record -= bool(fields)
            start = lines.line_num + 1
    except csv.Error:  # return the last known line
        pass
    return start


_LONGEST_HEADER = 1 << 20
_ROLES = {"query": "qid", "label": "label", "score": "score", "doc": "doc", "weight": "weight"}
# A number, or one of the spellings of a missing value that Arrow knows.
_MISSING = r"[+-]?(nan|inf|infinity)|null|n/a|na|-?1\.#(ind|qnan)|#n/a( n/a)?|#na"
_CELL = rf"^\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(?i:{_MISSING})?)\s*$"
# Two column names; a name with blanks must be quoted, because unquoted blanks suggest another format.
_NAME = rb'(?:"[^"\x00-\x1f]*"|[^"\x00-\x20,]+)[ \t]*'
_HEADER = _NAME + rb",[ \t]*" + _NAME + rb"(?:[,\r\n]|$)"
# With tabs or semicolons all names must begin with a letter, because lines of other formats have tabs and numbers.
_WORD = rb'(?:"[^"\x00-\x1f]*"|[^\W\d][^\s,;"\x00]*)'
_HEADER = rb"(?:" + _HEADER + rb"|" + _WORD + rb"(?:(?:\t|;)" + _WORD + rb")+\r?(?:\n|$))"
_write_parquet, _write_csv = partial(_write, as_parquet=True), partial(_write, as_parquet=False)

PARQUET = Format(
    "parquet",
    Frame,
    b"PAR1",
    _parquet_table,
    _write_parquet,
    options=(),
    ranking_reader=read_parquet,
    ranking_of=from_frame,
    is_text=False,
    package="pyarrow",
)
CSV = Format(
    "csv",
    Frame,
    _HEADER,
    _read_csv_table,
    _write_csv,
    options=("text", "progress"),
    ranking_reader=read_csv,
    ranking_of=ranking_of_csv,
    package="pyarrow",
)

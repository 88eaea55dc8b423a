"""Files with one number per line: scores of documents, and group sizes."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import float_column
from idealrank.errors import DataError, ParseError
from idealrank.io.files import Progress, Source, atomic_output, display_name, read_blocks


def read_scores(path: Source, *, n_threads: int | None = None, progress: Progress | None = None) -> Floats:
    r"""Read one score per line, in the order of the documents.

    Parameters
    ----------
    path : path-like or binary file
        The file of scores, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        A function that is called with the number of bytes read so far and the size of the file, which is None if
        unknown.

    Returns
    -------
    float64 array of shape (n_lines,)
        The scores.

    Raises
    ------
    ParseError
        If a line is empty or not a number.

    Examples
    --------
    >>> import io
    >>> from idealrank.io import read_scores
    >>> read_scores(io.BytesIO(b"0.5\n-1e3\n"))
    array([ 5.e-01, -1.e+03])
    """
    return _read_numbers(path, _native.ScoreReader(), n_threads, progress)


def read_groups(path: Source, *, n_threads: int | None = None) -> Int64s:
    r"""Read one group size per line, as in LightGBM's ``.query`` and XGBoost's ``.group`` files.

    Parameters
    ----------
    path : path-like or binary file
        The file of group sizes, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    int64 array of shape (n_queries,)
        The number of documents in each query.

    Raises
    ------
    ParseError
        If a line is not a whole number.

    Examples
    --------
    >>> import io
    >>> from idealrank.io import read_groups
    >>> read_groups(io.BytesIO(b"3\n12\n"))
    array([ 3, 12])
    """
    return _read_numbers(path, _native.GroupReader(), n_threads, None).astype(np.int64)


def _read_numbers(
    path: Source, reader: _native.ScoreReader | _native.GroupReader, n_threads: int | None, progress: Progress | None
) -> Floats:
    read_blocks(path, reader, n_threads=n_threads, progress=progress)
    numbers = reader.finish()
    if numbers.size == 0:
        raise ParseError("the file is empty", display_name(path), reader.n_lines + 1)
    return numbers


def write_scores(scores: npt.ArrayLike, path: str | os.PathLike[str]) -> None:
    """Write one score per line, with enough digits to read the same score back.

    Parameters
    ----------
    scores : array-like of shape (n_docs,)
        One score per document.
    path : path-like
        The file to write, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.

    Raises
    ------
    DataError
        If the scores are not numbers in a one-dimensional array.

    Examples
    --------
    >>> from idealrank.io import read_scores, write_scores
    >>> write_scores([0.5, -2], "scores.txt")
    >>> read_scores("scores.txt")
    array([ 0.5, -2. ])
    """
    _write_lines(map(repr, float_column(scores, "scores").tolist()), path)


def write_groups(sizes: npt.ArrayLike, path: str | os.PathLike[str]) -> None:
    """Write one group size per line.

    Parameters
    ----------
    sizes : array-like of int
        The number of documents in each query.
    path : path-like
        The file to write, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.

    Raises
    ------
    DataError
        If a size is negative or not a whole number.

    Examples
    --------
    >>> from idealrank.io import read_groups, write_groups
    >>> write_groups([3, 12], "train.txt.query")
    >>> read_groups("train.txt.query")
    array([ 3, 12])
    """
    column = float_column(sizes, "group sizes")
    bad = np.flatnonzero(~((column >= 0) & (column == np.floor(column)) & (column <= 2**53)))
    if bad.size:
        raise DataError(f"a group size must be a whole number from 0, got {column[bad[0]]:g}", row=int(bad[0]))
    _write_lines(map(str, column.astype(np.int64).tolist()), path)


def _write_lines(lines: map[str], path: str | os.PathLike[str]) -> None:
    with atomic_output(path) as file:
        file.writelines(f"{line}\n".encode() for line in lines)

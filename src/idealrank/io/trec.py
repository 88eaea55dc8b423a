"""TREC judgments (``query iteration document label``) and runs (``query Q0 document rank score tag``)."""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np

from idealrank import _native
from idealrank._base.threads import resolve_threads
from idealrank._typing import Bytes, Floats, Int64s
from idealrank.data.columns import read_only
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.problem import Problem
from idealrank.errors import ParseError
from idealrank.io.files import Progress, Source, atomic_output, display_name, read_blocks
from idealrank.io.formats import BLANK, FIELD, NUMBER, Format, check_words

__all__ = ["QRELS", "RUN", "TrecReader", "read_columns", "read_qrels", "read_run", "write_qrels", "write_run"]

_QUERIES_AT_ONCE = 256


def read_qrels(
    path: Source, *, comments: bool = True, n_threads: int | None = None, progress: Progress | None = None
) -> Qrels:
    r"""Read TREC judgments.

    Fields are separated by spaces or tabs. Lines that start with ``#`` are comments, as in trec_eval 10; ``problems``
    counts them.

    Parameters
    ----------
    path : path-like or binary file
        The judgments file, which may be compressed with gzip or xz; "-" is standard input.
    comments : bool, default=True
        Whether lines that start with ``#`` are comments. If not, they are read as the others, as in trec_eval 9, and
        a query id may start with ``#``.
    n_threads : int, optional
        Number of threads; all cores by default.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Returns
    -------
    Qrels
        The labels by query and document.

    Raises
    ------
    ParseError
        If the text cannot be parsed; the message starts with the path, the line and the column.

    Examples
    --------
    >>> import io
    >>> read_qrels(io.BytesIO(b"q1 0 d1 2\nq1 0 d#2 0\n"))["q1"]
    {'d1': 2.0, 'd#2': 0.0}
    """
    columns, problems, _ = read_columns(path, _native.QrelsReader(comments), n_threads, progress)
    return Qrels.from_flat(*columns, problems)


def read_run(
    path: Source, *, comments: bool = True, n_threads: int | None = None, progress: Progress | None = None
) -> Run:
    r"""Read a TREC run.

    The name of the run is the tag of its last line. Ranks are ignored: only scores determine the order. Lines that
    start with ``#`` are comments, as in trec_eval 10; ``problems`` counts them.

    Parameters
    ----------
    path : path-like or binary file
        The run file, which may be compressed with gzip or xz; "-" is standard input.
    comments : bool, default=True
        Whether lines that start with ``#`` are comments. If not, they are read as the others, as in trec_eval 9, and
        a query id may start with ``#``.
    n_threads : int, optional
        Number of threads; all cores by default.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Returns
    -------
    Run
        The scores by query and document, with the name of the run.

    Raises
    ------
    ParseError
        If a line is not valid; the message starts with the path, the line and the column.

    Examples
    --------
    >>> import io
    >>> run = read_run(io.BytesIO(b"q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 7.25 bm25\n"))
    >>> run.name, run["q1"]
    ('bm25', {'d1': 9.5, 'd2': 7.25})
    """
    columns, problems, tag = read_columns(path, _native.RunReader(comments), n_threads, progress)
    return Run.from_flat(*columns, problems, name=tag.decode("utf-8", "surrogateescape"))


class TrecReader(Protocol):
    """A native reader of judgments or runs, or one that passes lines of another form to it."""

    @property
    def n_lines(self) -> int: ...
    @property
    def n_comments(self) -> int: ...
    def feed(self, block: Bytes, last: bool, n_threads: int) -> int: ...
    def finish(self) -> tuple[Any, Int64s, Any, Floats, bytes]: ...


def read_columns(
    path: Source, reader: TrecReader, n_threads: int | None, progress: Progress | None
) -> tuple[tuple[Ids, Int64s, Ids, Floats], tuple[Problem, ...], bytes]:
    """Return the columns and problems that `Qrels.from_flat` takes, and the tag of a run."""
    read_blocks(path, reader, n_threads=n_threads, progress=progress)
    query_ids, offsets, doc_ids, values, tag = reader.finish()
    if not values.size:
        raise ParseError("the file has no documents", display_name(path), reader.n_lines + 1)
    problems: tuple[Problem, ...] = ()
    if reader.n_comments:
        lines = "1 line begins" if reader.n_comments == 1 else f"{reader.n_comments:,} lines begin"
        message = f"{lines} with '#': passed over as comments, although a query id may begin so"
        problems = (Problem("comment", reader.n_comments, message),)
    return (Ids(*query_ids), read_only(offsets), Ids(*doc_ids), read_only(values)), problems, tag


def write_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    """Write judgments in the format that `read_qrels` reads.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    path : path-like
        The output file for the judgments, compressed if its name ends in .gz or .xz; "-" is standard output.

    Raises
    ------
    DataError
        If an id contains blanks, or a query id begins with ``#``, which would make the line a comment.

    Examples
    --------
    >>> from pathlib import Path
    >>> write_qrels(Qrels({"q1": {"d1": 2, "d2": 0}}), "qrels.txt")
    >>> print(Path("qrels.txt").read_text(), end="")
    q1 0 d1 2
    q1 0 d2 0
    """
    _write(qrels, qrels.labels, None, b"", path)


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run, with ranks by score, in the format that `read_run` reads.

    Parameters
    ----------
    run : Run
        The run.
    path : path-like
        The output file for the run, compressed if its name ends in .gz or .xz; "-" is standard output.

    Raises
    ------
    DataError
        If an id or the name of the run contains blanks, or a query id begins with ``#``, which would make the line a
        comment.

    Examples
    --------
    >>> from pathlib import Path
    >>> write_run(Run({"q1": {"d1": 0.5, "d2": 0.75}}, name="bm25"), "bm25.run")
    >>> print(Path("bm25.run").read_text(), end="")
    q1 Q0 d1 2 0.5 bm25
    q1 Q0 d2 1 0.75 bm25
    """
    order = _native.order(run.scores, run.offsets, resolve_threads(None))
    ranks = np.empty(run.n_docs, np.int64)
    ranks[order] = np.arange(run.n_docs) - np.repeat(run.offsets[:-1], np.diff(run.offsets)) + 1
    tag = Ids.of([run.name or "idealrank"])
    check_words(tag, "the name of a run")
    _write(run, run.scores, ranks, tag.buffer.tobytes(), path)


def _write(table: Qrels | Run, values: Floats, ranks: Int64s | None, tag: bytes, path: str | os.PathLike[str]) -> None:
    check_words(table.query_ids, "a query id", begins_line=True)
    check_words(table.doc_ids, "a document id")
    with atomic_output(path) as file:
        for begin in range(0, table.n_queries, _QUERIES_AT_ONCE):
            end = min(begin + _QUERIES_AT_ONCE, table.n_queries)
            columns = (*table.query_ids.parts, table.offsets, *table.doc_ids.parts)
            file.write(_native.format_trec(*columns, values=values, ranks=ranks, tag=tag, begin=begin, end=end))


QRELS = Format("qrels", Qrels, (FIELD + BLANK) * 3 + NUMBER + rb"[ \t\r]*(?:\n|$)", read_qrels, write_qrels)
RUN = Format("run", Run, (FIELD + BLANK) * 4 + NUMBER + BLANK + FIELD, read_run, write_run)

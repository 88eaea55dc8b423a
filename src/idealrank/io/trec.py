"""TREC judgments (``query iteration document label``) and runs (``query Q0 document rank score tag``).

The second field of judgments is a subtopic in the files of the TREC Web Track's diversity task.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Protocol, overload

import numpy as np

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._names.options import number_text
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import read_only
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.problem import Problem
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError, ParseError
from idealrank.io.files import Progress, Source, atomic_output, display_name, read_blocks
from idealrank.io.formats import BLANK, FIELD, NUMBER, Format, check_words
from idealrank.io.prefetch import RunAhead

#: From here on, float64 has not every integer.
_SKIPS_INTEGERS = 2.0**53

_QUERIES_AT_ONCE, _REWRITTEN_AT_ONCE = 256, 1 << 18
_SECOND_FIELD = re.compile(rb"(?m)^([ \t]*+[^ \t\r\n]++[ \t]++)([^ \t\r\n]++)[ \t]++[^ \t\r\n]++")


@overload
def read_qrels(
    path: Source,
    *,
    comments: bool = ...,
    subtopics: Literal[True],
    n_threads: int | None = ...,
    progress: Progress | None = ...,
) -> SubtopicQrels: ...
@overload
def read_qrels(
    path: Source,
    *,
    comments: bool = ...,
    subtopics: bool | None = ...,
    n_threads: int | None = ...,
    progress: Progress | None = ...,
) -> Qrels: ...
def read_qrels(
    path: Source,
    *,
    comments: bool = True,
    subtopics: bool | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Qrels:
    r"""Read TREC judgments.

    Fields are separated by spaces or tabs. Lines that start with ``#`` are comments, as in trec_eval 10; ``problems``
    counts them.

    Parameters
    ----------
    path : path-like or binary file
        The judgments file, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    comments : bool
        Whether lines that start with ``#`` are comments. If False, they are read like other lines, as in trec_eval 9,
        so that a query id may start with ``#``.
    subtopics : bool, optional
        Whether the second field is the subtopic for which the document is judged. By default, it is if a document is
        listed twice for a query with different second fields. Otherwise the field is ignored, as in trec_eval; so it is
        by default for a file that can be read only once, such as standard input.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        A function that is called with the number of bytes read so far and the size of the file, which is None if
        unknown.

    Returns
    -------
    Qrels
        The labels by query and document; `SubtopicQrels` if they are by subtopic.

    Raises
    ------
    ParseError
        If the text cannot be parsed; the message starts with the path, the line and the column.

    Examples
    --------
    >>> import io
    >>> from idealrank import read_qrels
    >>> read_qrels(io.BytesIO(b"q1 0 d1 2\nq1 0 d#2 0\n"))["q1"]
    {'d1': 2.0, 'd#2': 0.0}
    >>> read_qrels(io.BytesIO(b"q1 1 d1 2\nq1 2 d1 1\n"), subtopics=True).to_nested()
    {'q1': {'d1': {'1': 2.0, '2': 1.0}}}
    """
    if subtopics:
        return _read_by_subtopic(path, comments, n_threads, progress)
    columns, problems, _ = read_columns(path, _native.QrelsReader(bool(comments)), n_threads, progress)
    qrels = Qrels.from_flat(*columns, problems)
    del columns
    is_file = isinstance(path, (str, os.PathLike)) and os.path.isfile(path)
    if subtopics is None and is_file and any(problem.kind == "duplicate" for problem in qrels.problems):
        second_fields = _SecondFields()
        read_blocks(path, second_fields)
        if second_fields.differ:
            by_subtopic = _read_by_subtopic(path, comments, n_threads, None)
            if (np.diff(by_subtopic.cells.offsets) > 1).any():
                return by_subtopic
    return qrels


def _read_by_subtopic(path: Source, comments: bool, n_threads: int | None, progress: Progress | None) -> SubtopicQrels:
    reader = _SubtopicReader(comments)
    columns, problems, _ = read_columns(path, reader, n_threads, progress)
    several = "documents are judged by subtopic, the second field: measures without subtopics take the highest label"
    problems += (Problem("subtopics", columns[-1].size, several),)
    subtopics = Ids(*reader.subtopics.finish()[2])
    del reader  # and its memory
    return SubtopicQrels.from_grouped(*columns, subtopics, problems)


class _SecondFields:
    """A reader that finds out whether lines differ in their second field."""

    def __init__(self) -> None:
        self.n_lines, self.differ = 0, False
        self._another: re.Pattern[bytes] | None = None

    def feed(self, block: memoryview, last: bool, n_threads: int) -> int:
        used = len(block) if last else block.tobytes().rfind(b"\n") + 1
        if self._another is None and (line := _SECOND_FIELD.search(block[:used])):
            self._another = re.compile(rb"(?m)^[ \t]*+[^ \t\r\n]++[ \t]++(?!%b[ \t])[^ \t\r\n]" % re.escape(line[2]))
        self.differ |= self._another is not None and self._another.search(block[:used]) is not None
        return used


class _SubtopicReader:
    """Passes lines to a native reader, and to another one with the second field in the place of the document."""

    def __init__(self, comments: bool) -> None:
        self._docs = _native.QrelsReader(bool(comments))
        self.subtopics = RewritingReader(_native.QrelsReader(bool(comments)), _with_subtopic_as_document)
        self.finish = self._docs.finish

    @property
    def n_lines(self) -> int:
        return self._docs.n_lines

    @property
    def n_comments(self) -> int:
        return self._docs.n_comments

    def feed(self, block: memoryview, last: bool, n_threads: int) -> int:
        used = self._docs.feed(np.frombuffer(block, np.uint8), last, n_threads)
        self.subtopics.feed(block[:used], last, n_threads)
        return used


def _with_subtopic_as_document(lines: bytes, n_lines: int) -> bytes:
    return _SECOND_FIELD.sub(rb"\1\2 \2", lines)


class RewritingReader:
    """Passes lines to a native reader after ``rewrite(lines, number of lines before them)`` has changed them."""

    def __init__(self, inner: _native.QrelsReader | _native.RunReader, rewrite: Callable[[bytes, int], bytes]) -> None:
        self._inner, self._rewrite, self.finish = inner, rewrite, inner.finish

    @property
    def n_lines(self) -> int:
        return self._inner.n_lines

    @property
    def n_comments(self) -> int:
        return self._inner.n_comments

    def feed(self, block: memoryview, last: bool, n_threads: int) -> int:
        text, begin = block.tobytes(), 0
        used = len(text) if last else text.rfind(b"\n") + 1
        more = last or used > 0
        while more:  # in parts, because replacing takes many times the memory of the lines
            end = text.find(b"\n", begin + _REWRITTEN_AT_ONCE, used) + 1 or used
            more, lines = end < used, self._rewrite(text[begin:end], self.n_lines)
            self._inner.feed(np.frombuffer(lines, np.uint8), last and not more, n_threads)
            begin = end
        return used


def read_run(
    path: Source, *, comments: bool = True, n_threads: int | None = None, progress: Progress | None = None
) -> Run:
    r"""Read a TREC run.

    The name of the run is the tag of its last line. Ranks are ignored: only scores determine the order. Lines that
    start with ``#`` are comments, as in trec_eval 10; ``problems`` counts them.

    Parameters
    ----------
    path : path-like or binary file
        The run file, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    comments : bool
        Whether lines that start with ``#`` are comments. If False, they are read like other lines, as in trec_eval 9,
        so that a query id may start with ``#``.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        A function that is called with the number of bytes read so far and the size of the file, which is None if
        unknown.

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
    >>> from idealrank import read_run
    >>> run = read_run(io.BytesIO(b"q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 7.25 bm25\n"))
    >>> run.name, run["q1"]
    ('bm25', {'d1': 9.5, 'd2': 7.25})
    """
    reader = path.take(n_threads, progress) if isinstance(path, RunAhead) and comments else None
    if reader is not None:
        columns, problems, tag = _columns(path, reader)
    else:
        columns, problems, tag = read_columns(path, _native.RunReader(bool(comments)), n_threads, progress)
    return Run.from_flat(*columns, problems, name=tag.decode("utf-8", "surrogateescape"))


class TrecReader(Protocol):
    """A native reader of judgments or runs, or one that passes lines of another form to it."""

    @property
    def n_lines(self) -> int: ...
    @property
    def n_comments(self) -> int: ...
    def feed(self, block: Any, last: bool, n_threads: int) -> int: ...
    def finish(self) -> tuple[Any, Int64s, Any, Floats, bytes]: ...


def read_columns(
    path: Source, reader: TrecReader, n_threads: int | None, progress: Progress | None
) -> tuple[tuple[Ids, Int64s, Ids, Floats], tuple[Problem, ...], bytes]:
    """Return the columns and problems that `Qrels.from_flat` takes, and the tag of a run."""
    read_blocks(path, reader, n_threads=n_threads, progress=progress)
    return _columns(path, reader)


def _columns(path: Source, reader: TrecReader) -> tuple[tuple[Ids, Int64s, Ids, Floats], tuple[Problem, ...], bytes]:
    query_ids, offsets, doc_ids, values, tag = reader.finish()
    if not values.size:
        raise ParseError("the file has no documents", display_name(path), reader.n_lines + 1)
    problems: tuple[Problem, ...] = ()
    if reader.n_comments:
        lines = "1 line begins" if reader.n_comments == 1 else f"{reader.n_comments:,} lines begin"
        message = f"{lines} with '#': passed over as comments, although a query id may begin so"
        problems = (Problem("comment", reader.n_comments, message),)
    ids = Ids(*query_ids)
    problems += _equal_by_rounding(ids, offsets, values)
    return (ids, read_only(offsets), Ids(*doc_ids), read_only(values)), problems, tag


def _equal_by_rounding(query_ids: Ids, offsets: Int64s, values: Floats) -> tuple[Problem, ...]:
    """Report numbers of a query that are equal and so large that their text may have been different."""
    if max(values.max(), -values.min()) < _SKIPS_INTEGERS:
        return ()
    rows = np.flatnonzero(np.abs(values) >= _SKIPS_INTEGERS)
    queries = np.searchsorted(offsets, rows, "right")
    order = np.lexsort((values[rows], queries))
    numbers, queries = values[rows][order], queries[order]
    same = (numbers[1:] == numbers[:-1]) & (queries[1:] == queries[:-1])
    count = int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
    if not count:
        return ()
    first = query_ids[int(queries[1:][same][0]) - 1]
    message = f"{count:,} numbers of 2^53 or more in size are equal to another in their query, first in query {first!r}"
    return (Problem("large numbers", count, f"{message}: as float64, neighboring integers of that size are equal"),)


def write_qrels(qrels: Qrels | Mapping[Any, Mapping[Any, float]], path: str | os.PathLike[str]) -> None:
    """Write judgments in the format that `read_qrels` reads; the second field is the subtopic, or 0 if there are none.

    Parameters
    ----------
    qrels : Qrels, SubtopicQrels or mapping
        The judgments to write, or {query: {document: label}}.
    path : path-like
        The file to write, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.

    Raises
    ------
    DataError
        If an id contains white space, or a query id begins with ``#``, which would make the line a comment.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank.io import write_qrels
    >>> write_qrels({"q1": {"d1": 2, "d2": 0}}, "qrels.txt")
    >>> print(Path("qrels.txt").read_text(), end="")
    q1 0 d1 2
    q1 0 d2 0
    """
    given = Qrels.of(qrels)
    if isinstance(given, SubtopicQrels):
        _write_by_subtopic(given, path)
    else:
        _write(given, given.labels, None, b"", path)


def _write_by_subtopic(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    if not isinstance(qrels, SubtopicQrels):
        raise DataError(f"expected judgments by subtopic, SubtopicQrels, got {qrels!r}: it has no subtopics to write")
    *ids, labels = qrels.columns()
    for column, what in zip(ids, ("a query id", "a subtopic id", "a document id"), strict=True):
        check_words(column, what, begins_line=what == "a query id")
    with atomic_output(path) as file:
        for query, subtopic, doc, label in zip(*ids, labels.tolist(), strict=True):
            file.write(f"{query} {subtopic} {doc} {number_text(label)}\n".encode("utf-8", "surrogateescape"))


def write_run(run: Run | Mapping[Any, Mapping[Any, float]], path: str | os.PathLike[str]) -> None:
    """Write a run, with ranks by score, in the format that `read_run` reads.

    Parameters
    ----------
    run : Run or mapping
        The run to write, or {query: {document: score}}.
    path : path-like
        The file to write, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.

    Raises
    ------
    DataError
        If an id or the name of the run contains white space, or a query id begins with ``#``, which would make the line
        a comment.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank import Run
    >>> from idealrank.io import write_run
    >>> write_run(Run({"q1": {"d1": 0.5, "d2": 0.75}}, name="bm25"), "bm25.run")
    >>> print(Path("bm25.run").read_text(), end="")
    q1 Q0 d1 2 0.5 bm25
    q1 Q0 d2 1 0.75 bm25
    """
    given = Run.of(run)
    order = _native.order(given.scores, given.offsets, resolve_threads(None))
    ranks = np.empty(given.n_docs, np.int64)
    ranks[order] = np.arange(given.n_docs) - np.repeat(given.offsets[:-1], np.diff(given.offsets)) + 1
    tag = Ids.of([given.name or "idealrank"])
    check_words(tag, "the name of a run")
    _write(given, given.scores, ranks, tag.buffer.tobytes(), path)


def _write(table: Qrels | Run, values: Floats, ranks: Int64s | None, tag: bytes, path: str | os.PathLike[str]) -> None:
    check_words(table.query_ids, "a query id", begins_line=True)
    check_words(table.doc_ids, "a document id")
    with atomic_output(path) as file:
        for begin in range(0, table.n_queries, _QUERIES_AT_ONCE):
            end = min(begin + _QUERIES_AT_ONCE, table.n_queries)
            columns = (*table.query_ids.parts, table.offsets, *table.doc_ids.parts)
            file.write(_native.format_trec(*columns, values=values, ranks=ranks, tag=tag, begin=begin, end=end))


#: The first document is listed again for the same query, with another second field.
_REPEATED = (
    rb"(?:([^\s\0]++)[ \t]++([^\s\0]++)[ \t]++([^\s\0]++)[ \t]++"
    + NUMBER
    + rb"[ \t\r]*+\n(?:[^\n]*\n)*?[ \t]*+\1[ \t]++(?!\2\s)\S++[ \t]++\3\s)"
)
_NOT_JSON = rb"(?![\[{]\s*+[\"{])"
_JUDGMENT = _NOT_JSON + rb"(?!" + _REPEATED + rb")" + (FIELD + BLANK) * 3 + NUMBER + rb"[ \t\r]*(?:\n|$)"
SUBTOPICS = Format("subtopics", Qrels, _REPEATED, partial(read_qrels, subtopics=True), _write_by_subtopic)
QRELS = Format("qrels", Qrels, _JUDGMENT, read_qrels, write_qrels)
RUN = Format("run", Run, _NOT_JSON + (FIELD + BLANK) * 4 + NUMBER + BLANK + FIELD, read_run, write_run)

"""MS MARCO runs: ``query document rank`` per line, separated by tabs or spaces."""

from __future__ import annotations

import os
import re

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank.data.judgments import Run
from idealrank.errors import ParseError
from idealrank.io.files import Progress, Source, atomic_output
from idealrank.io.formats import BLANK, FIELD, Format, check_words
from idealrank.io.trec import RewritingReader, read_columns

_TAG = b"msmarco"
_LINE = re.compile(rb"(?m)^[ \t]*([^# \t\r\n][^ \t\r\n]*)[ \t]+([^ \t\r\n]+)[ \t]+(\d+)[ \t\r]*$")
_EMPTY = re.compile(rb"(?m)^[ \t\r]*(?:#[^\n]*)?$")


def _as_trec(text: bytes, n_lines: int) -> bytes:
    """Return lines of a TREC run, with the negated rank as score."""
    lines, count = _LINE.subn(rb"\1 Q0 \2 \3 -\3 " + _TAG, text)
    if count != text.count(b"\n") + (not text.endswith(b"\n")):
        for number, line in enumerate(text.split(b"\n"), start=n_lines + 1):
            if not _LINE.match(line) and not _EMPTY.match(line):
                shown = line[:60].decode("utf-8", "replace")
                raise ParseError(f"expected 'query document rank', got {shown!r}", line=number)
    return lines


def read_msmarco(path: Source, *, n_threads: int | None = None, progress: Progress | None = None) -> Run:
    r"""Read an MS MARCO run; the scores are the negated ranks.

    Parameters
    ----------
    path : path-like or binary file
        The run file, which may be compressed; "-" is standard input.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Returns
    -------
    Run
        A run without a name.

    Raises
    ------
    ParseError
        If a line is not valid; the message starts with the path and the line.

    Examples
    --------
    >>> import io
    >>> read_msmarco(io.BytesIO(b"q1\td7\t1\nq1\td2\t2\n"))["q1"]
    {'d7': -1.0, 'd2': -2.0}
    """
    columns, problems, _ = read_columns(path, RewritingReader(_native.RunReader(True), _as_trec), n_threads, progress)
    return Run.from_flat(*columns, problems)


def write_msmarco(run: Run, path: str | os.PathLike[str]) -> None:
    """Write the ranks of a run, best first, in the format that `read_msmarco` reads; tied documents stay in order.

    Parameters
    ----------
    run : Run
        The run.
    path : path-like
        The output file; "-" is standard output.

    Examples
    --------
    >>> from pathlib import Path
    >>> write_msmarco(Run({"q1": {"d1": 0.5, "d2": 0.75}}), "run.tsv")
    >>> Path("run.tsv").read_text().split()
    ['q1', 'd2', '1', 'q1', 'd1', '2']
    """
    run = Run.of(run)  # judgments are a mapping too, and have no ranks
    check_words(run.query_ids, "a query id", begins_line=True)
    check_words(run.doc_ids, "a document id")
    order = _native.order(run.scores, run.offsets, resolve_threads(None))
    docs = run.doc_ids.take(order).tolist()
    with atomic_output(path) as file:
        for number, query in enumerate(run.query_ids):
            start, end = int(run.offsets[number]), int(run.offsets[number + 1])
            ranked = enumerate(docs[start:end], start=1)
            text = "".join(f"{query}\t{doc}\t{rank}\n" for rank, doc in ranked)
            file.write(text.encode("utf-8", "surrogateescape"))


MSMARCO = Format("msmarco", Run, (FIELD + BLANK) * 2 + rb"\d+[ \t\r]*(?:\n|$)", read_msmarco, write_msmarco)

"""File formats: what each one holds, and how it is recognized, read and written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Self, TypeAlias, Unpack

import numpy as np

from idealrank._core.extras import require
from idealrank.data.columns import query_at
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.io.files import Source, display_name, first_bytes, without_compression
from idealrank.io.format_list import FORMATS

if TYPE_CHECKING:
    import pyarrow

    from idealrank.io.frame_roles import Columns

    #: What reading a file returns.
    Content: TypeAlias = RankingData | Qrels | Run | pyarrow.Table

#: Patterns for `Format.begins`: a field, the separator of two fields, and a numeric field. They never give back what
#: they matched, so that the time is linear in the length of the text.
FIELD, BLANK = rb"[^\s\0]++", rb"[ \t]++"
NUMBER = rb"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+"

# Empty lines and comments that may come before the first line.
_BEFORE = rb"(?:[ \t]*+(?:#[^\n]*+)?+\r?+\n)*+[ \t]*+"
_ANY_TEXT = (".txt", ".dat")


class Frame:
    """Marker in `Format.holds` for a data frame (a PyArrow table) whose columns the caller chooses."""


class Nested:
    """Marker in `Format.holds` for judgments or a run, which the position or the target of a conversion tells."""


@dataclass(frozen=True)
class Format:
    """A file format, defined in the module that reads and writes it, and listed in ``idealrank.io.FORMATS``.

    Parameters
    ----------
    name : str
        Its name in ``FORMATS``, which also has its title and file name endings.
    holds : type
        `RankingData`, `Qrels`, `Run`, `Frame` or `Nested`.
    begins : bytes
        A regular expression for the beginning of a file, after comments and empty lines; its time must be linear.
    reader : callable
        Takes a path, and the keywords in ``options``; returns what the format holds.
    writer : callable
        Takes what the format holds, and a path.
    options : tuple of str
        The keywords that ``reader`` takes.
    ranking_reader : callable, optional
        For a format that holds frames: takes a path and the column names of `from_frame`, and returns `RankingData`;
        its errors name the line.
    ranking_of : callable, optional
        The same for a table that was read.
    is_text : bool
        Whether it can be shown on a terminal and compressed; False for a format with internal compression.
    package : str, optional
        The optional package that reads and writes it.
    """

    name: str
    holds: type[RankingData | Qrels | Run | Frame | Nested]
    begins: bytes
    reader: Callable[..., Content]
    writer: Callable[..., None]
    options: tuple[str, ...] = ("progress",)
    ranking_reader: Callable[..., RankingData] | None = None
    ranking_of: Callable[..., RankingData] | None = None
    is_text: bool = True
    package: str | None = None

    def require(self) -> Self:
        """Return the format, or raise a MissingExtraError if the package that reads and writes it is missing."""
        if self.package is not None:
            require(self.package, for_=self.title)
        return self

    @property
    def title(self) -> str:
        """Name of the format in a sentence."""
        return FORMATS[self.name].title

    def sniff(self, start: bytes) -> bool:
        """Return whether the first bytes of a file, decompressed, look like this format."""
        return re.match(_BEFORE + self.begins, start) is not None

    def read(self, path: Source, **options: object) -> Content:
        """Read a file of this format.

        Parameters
        ----------
        path : path-like or binary file
            The file; "-" is standard input.
        **options
            Keywords of the reader; those that are not in ``options`` are ignored.

        Raises
        ------
        ParseError
            If the file cannot be read. If its name suggests another format, the message says so.
        """
        with self._noting_the_name(path):
            return self.reader(path, **{name: value for name, value in options.items() if name in self.options})

    def read_ranking(self, path: Source, **columns: Unpack[Columns]) -> RankingData:
        """Read a file that holds a frame as `RankingData`.

        Parameters
        ----------
        path : path-like or binary file
            The file; "-" is standard input.
        **columns
            Column names, as in `from_frame`.

        Raises
        ------
        OptionError
            If the format does not hold a frame.
        ParseError
            If the file cannot be read.
        """
        if self.ranking_reader is None:
            raise OptionError(f"{self.title} has no columns to choose")
        with self._noting_the_name(path):
            return self.ranking_reader(path, **columns)

    @contextmanager
    def _noting_the_name(self, path: Source) -> Iterator[None]:
        try:
            yield
        except ParseError as error:
            suggested = _suggested(display_name(path))
            if suggested in (None, self.name):
                raise
            other = f"it was read as {self.title}, although its name suggests {FORMATS[suggested].title}"
            raise ParseError(f"{error.what} ({other})", error.path, error.line, error.column) from None

    def write(self, content: Content, path: str | os.PathLike[str]) -> None:
        """Write a file of this format; "-" is standard output."""
        self.writer(content, path)


def load(name: str) -> Format:
    """Return the format with this name in ``FORMATS``.

    Examples
    --------
    >>> load("qrels").holds.__name__
    'Qrels'
    """
    kind: Format = getattr(import_module(f"idealrank.io.{FORMATS[name].module}"), name.upper())
    return kind


def sniffed(path: str | os.PathLike[str]) -> Format | None:
    """Return the format that the content of a file looks like; None if it matches none or is not a regular file."""
    if not os.path.isfile(path):
        return None
    start = first_bytes(path)
    return next((kind for kind in map(load, FORMATS) if kind.sniff(start)), None)


def named(path: str | os.PathLike[str], ask: str) -> Format:
    """Return the format that the name of the file suggests.

    Parameters
    ----------
    path : path-like
        The file, which need not exist.
    ask : str
        What to do if the name suggests no format, for the error message.

    Raises
    ------
    OptionError
        If the name suggests no format, or an outer compression of a format with internal compression.

    Examples
    --------
    >>> [named(name, "").name for name in ("train.txt", "qrels.dl19.txt.gz", "bm25.run", "pruned.dat", "a.csv")]
    ['letor', 'qrels', 'run', 'letor', 'csv']
    """
    name = os.fspath(path)
    suggested = _suggested(name)
    if suggested is None:
        raise OptionError(f"cannot tell the format of {name!r} from its name; {ask}")
    kind = load(suggested)
    if not kind.is_text and without_compression(name) != name:
        raise OptionError(f"{name!r}: {kind.title} has its own compression; leave out the last ending")
    return kind


def recognized(path: str | os.PathLike[str], ask: str) -> Format:
    """Return the format of a file, by its content if possible, else by its name.

    Parameters
    ----------
    path : path-like
        The file.
    ask : str
        What to do if the format is not recognized, for the error message.

    Raises
    ------
    ParseError
        If the file exists, and neither its content nor its name suggests a format.
    OptionError
        If the file does not exist, and its name suggests no format; or if it is a pipe, which can be read only once.
    """
    kind = sniffed(path)
    if kind is None and _suggested(os.fspath(path)) is None and os.path.exists(path) and not os.path.isfile(path):
        raise OptionError(
            f"{os.fspath(path)!r} is a pipe or a device, which can be read only once, so that its format is not "
            f"recognized: {ask}, or write its content to a file first"
        )
    if kind is None and _suggested(os.fspath(path)) is None and os.path.isfile(path):
        titles = ", ".join(listing.title for listing in FORMATS.values())
        what = f"the file does not begin like any of {titles}; {ask}"
        raise ParseError(what if first_bytes(path).strip() else "the file is empty", display_name(path))
    return kind or named(path, ask)


def _suggested(path: str) -> str | None:
    """Return the name of the format that a file name suggests, without importing the format."""
    name = without_compression(os.path.basename(path).lower())
    ending = os.path.splitext(name)[1]
    by_ending = next((each for each, listing in FORMATS.items() if ending in listing.endings), None)
    if by_ending is None or ending in _ANY_TEXT:
        for each, listing in FORMATS.items():
            # At a word boundary: bm25_run.txt and run1.txt are runs, pruned.txt and trunk.txt are not.
            if listing.word and re.search(rf"(?<![a-z]){listing.word}|{listing.word}(?![a-z])", name):
                return each
    return by_ending


def check_words(ids: Ids, what: str, *, allow_empty: bool = False, begins_line: bool = False) -> None:
    """Raise a DataError if an id cannot be one field of a text line.

    Parameters
    ----------
    ids : Ids
        Ids that must not contain blanks or line ends.
    what : str
        What errors call an id.
    allow_empty : bool
        Whether an id may be empty.
    begins_line : bool
        Whether lines begin with these ids, which then must not look like a comment, and the first one not like the
        byte order mark of a file.

    Examples
    --------
    >>> check_words(Ids.of(["d1", "two words"]), "a document id")
    Traceback (most recent call last):
    idealrank.errors.DataError: in this format a document id must be one word, got 'two words' (row 1)
    """
    blanks = np.flatnonzero(np.isin(ids.buffer, np.frombuffer(b" \t\r\n", np.uint8)))
    rows = [query_at(ids.offsets, int(blanks[0]))] if blanks.size else []
    if not allow_empty:
        rows += np.flatnonzero(np.diff(ids.offsets) == 0)[:1].tolist()
    if rows:
        raise DataError(f"in this format {what} must be one word, got {ids[min(rows)]!r}", row=min(rows))
    if begins_line:
        marks = np.flatnonzero(ids.buffer[ids.offsets[:-1]] == ord("#"))
        if marks.size:
            row = int(marks[0])
            wrong = f"{what} must not begin with '#', which marks a comment"
        elif len(ids) and ids[0].startswith("\ufeff"):
            row, wrong = 0, "the first id must not begin with U+FEFF, which is read as the byte order mark of the file"
        else:
            return
        raise DataError(f"in this format {wrong}, got {ids[row]!r}", row=row)

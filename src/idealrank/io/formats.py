"""File formats: what each one holds, how it is recognized, read and written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, Unpack

from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import OptionError, ParseError
from idealrank.io import FORMATS
from idealrank.io.files import Source, display_name, first_bytes

if TYPE_CHECKING:
    import pyarrow

    from idealrank.io.frame_roles import Columns

    #: What a file holds once it is read.
    Content: TypeAlias = RankingData | Qrels | Run | pyarrow.Table

__all__ = ["BLANK", "FIELD", "NUMBER", "Format", "Frame", "load", "named", "recognized", "sniffed"]

#: Patterns for `Format.begins`: a field of a line, what separates two fields, and a field that is a number.
FIELD, BLANK, NUMBER = rb"[^\s\0]+", rb"[ \t]+", rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"

# A byte order mark, empty lines and comments: what may come before the first line.
_BEFORE = rb"(?:\xef\xbb\xbf)?(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*"
_COMPRESSED = re.compile(r"\.(gz|xz)$")
_ANY_TEXT = (".txt", ".dat")


class Frame:
    """A data frame, in `Format.holds`: columns whose meaning the reader chooses. It is a PyArrow table."""


@dataclass(frozen=True)
class Format:
    """One file format, defined in the module that reads and writes it, and listed in ``idealrank.io.FORMATS``.

    Parameters
    ----------
    name : str
        Its name in ``FORMATS``, which also has its title and the endings of file names.
    holds : type
        `RankingData`, `Qrels`, `Run` or `Frame`.
    begins : bytes
        A regular expression for the beginning of a file, after comments and empty lines.
    reader : callable
        Takes a path, and the keywords in ``options``; returns what the format holds.
    writer : callable
        Takes what the format holds, and a path.
    options : tuple of str, default=("progress",)
        The keywords that ``reader`` takes.
    ranking_reader : callable, optional
        For a format that holds frames: takes a path and the names of columns as `from_frame` does, returns
        `RankingData`, and names the line of an error.
    is_text : bool, default=True
        Whether it can be shown on a terminal and compressed; False for a format that is compressed inside.
    """

    name: str
    holds: type[RankingData | Qrels | Run | Frame]
    begins: bytes
    reader: Callable[..., Content]
    writer: Callable[..., None]
    options: tuple[str, ...] = ("progress",)
    ranking_reader: Callable[..., RankingData] | None = None
    is_text: bool = True

    @property
    def title(self) -> str:
        """What the format is called in a sentence."""
        return FORMATS[self.name].title

    def sniff(self, start: bytes) -> bool:
        """Return whether the first bytes of a file, decompressed, look like this format."""
        return re.match(_BEFORE + self.begins, start) is not None

    def read(self, path: Source, **options: object) -> Content:
        """Read a file of this format; options that the format does not have are left out.

        Raises
        ------
        ParseError
            If the file cannot be read. Where its name suggests another format, the message says so.
        """
        with self._noting_the_name(path):
            return self.reader(path, **{name: value for name, value in options.items() if name in self.options})

    def read_ranking(self, path: Source, **columns: Unpack[Columns]) -> RankingData:
        """Read a file that holds a frame as `from_frame` does, with the names of its columns."""
        if self.ranking_reader is None:
            raise OptionError(f"{self.title} holds no frame: it has no columns to choose")
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
    """Return the format of this name in ``FORMATS``.

    >>> load("qrels").holds.__name__
    'Qrels'
    """
    found: Format = getattr(import_module(f"idealrank.io.{FORMATS[name].module}"), name.upper())
    return found


def sniffed(path: str | os.PathLike[str]) -> Format | None:
    """Return the format that the content of the file looks like; None if there is none, or no regular file."""
    if not os.path.isfile(path):
        return None
    start = first_bytes(path)
    return next((found for found in map(load, FORMATS) if found.sniff(start)), None)


def named(path: str | os.PathLike[str], ask: str) -> Format:
    """Return the format that the name of the file suggests.

    Parameters
    ----------
    path : path-like
        The file, which need not exist.
    ask : str
        What to do if the name suggests no format, for the error.

    Raises
    ------
    OptionError
        If the name suggests no format, or one that is compressed inside and is to be compressed again.

    Examples
    --------
    >>> [named(name, "").name for name in ("train.txt", "qrels.dl19.txt.gz", "bm25.run", "pruned.dat", "a.csv")]
    ['letor', 'qrels', 'run', 'letor', 'csv']
    """
    name = os.fspath(path)
    suggested = _suggested(name)
    if suggested is None:
        raise OptionError(f"{name!r} does not tell its format by its name; {ask}")
    found = load(suggested)
    if not found.is_text and _COMPRESSED.search(name.lower()):
        raise OptionError(f"{name!r}: {found.title} is compressed inside; leave out what follows the ending")
    return found


def recognized(path: str | os.PathLike[str], ask: str) -> Format:
    """Return the format of a file by its content, or by its name if the content says nothing or is not there yet.

    Parameters
    ----------
    path : path-like
        The file.
    ask : str
        What to do if the format is not recognized, for the error.

    Raises
    ------
    ParseError
        If there is such a file, and neither its content nor its name suggests a format.
    OptionError
        If there is no such file, and its name suggests no format.
    """
    found = sniffed(path)
    if found is None and _suggested(os.fspath(path)) is None and os.path.isfile(path):
        titles = ", ".join(listing.title for listing in FORMATS.values())
        what = f"the file does not begin like any of {titles}; {ask}"
        raise ParseError(what if first_bytes(path).strip() else "the file is empty", os.fspath(path))
    return found or named(path, ask)


def _suggested(path: str) -> str | None:
    """The name of the format that a file name suggests, without loading it."""
    name = _COMPRESSED.sub("", os.path.basename(path).lower())
    ending = os.path.splitext(name)[1]
    by_ending = next((each for each, listing in FORMATS.items() if ending in listing.endings), None)
    if by_ending is None or ending in _ANY_TEXT:
        for each, listing in FORMATS.items():
            # At the edge of a word: bm25_run.txt and run1.txt are runs, pruned.txt and trunk.txt are not.
            if listing.word and re.search(rf"(?<![a-z]){listing.word}|{listing.word}(?![a-z])", name):
                return each
    return by_ending

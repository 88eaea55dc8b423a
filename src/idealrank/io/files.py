"""Byte streams: plain, compressed and standard streams, read in blocks; files that are written atomically."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, Literal, Protocol, TypeAlias

import numpy as np

from idealrank._base.extras import needs
from idealrank._base.threads import resolve_threads
from idealrank._typing import Bytes
from idealrank.errors import ParseError

__all__ = ["Progress", "Source", "atomic_output", "display_name", "first_bytes", "read_blocks", "read_whole"]

#: A path, "-" for standard input, or an open binary file.
Source: TypeAlias = "str | os.PathLike[str] | IO[bytes]"
#: Called with (bytes read so far, size of the file or None), both before decompression.
Progress: TypeAlias = Callable[[int, int | None], None]

_BLOCK_SIZE = 8 << 20
_START_SIZE = 64 << 10
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors write it before UTF-8 text
# A line of 100,000 features takes about 2 MB; without a line end for this long, the file is not one of our formats.
_LONGEST_LINE = 64 << 20


def _gzip(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import gzip

    # Without a name and a time, the same content gives the same file.
    return gzip.GzipFile(fileobj=file, mode=mode, filename="", mtime=0)


def _xz(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import lzma

    return lzma.LZMAFile(file, mode)


def _bzip2(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import bz2

    return bz2.BZ2File(file, mode)


def _zstandard(file: Any, mode: Literal["rb", "wb"]) -> Any:
    with needs("pyarrow", extra="parquet"):  # the standard library has it from Python 3.14 on
        import pyarrow
    opened = pyarrow.PythonFile(file, mode)
    return (pyarrow.CompressedInputStream if mode == "rb" else pyarrow.CompressedOutputStream)(opened, "zstd")


# Compressors are imported on use: together they take a tenth of the import time of NumPy.
_BY_FIRST_BYTES = {b"\x1f\x8b": _gzip, b"\xfd7zXZ\x00": _xz, b"BZh": _bzip2, b"\x28\xb5\x2f\xfd": _zstandard}
_BY_ENDING = {".gz": _gzip, ".xz": _xz, ".bz2": _bzip2, ".zst": _zstandard}


class Reader(Protocol):
    """The interface of the native readers."""

    @property
    def n_lines(self) -> int: ...
    def feed(self, block: Bytes, last: bool, n_threads: int) -> int: ...


def display_name(source: Source) -> str:
    """Return the name of a source for error messages."""
    if source == "-":
        return "<stdin>"
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    return str(getattr(source, "name", "<file>"))


@contextmanager
def _opened(source: Source) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield file
    else:
        yield source


def _decompressed(raw: IO[bytes]) -> tuple[Any, bytes]:
    """Return a stream of decompressed bytes, and its first bytes, which were already read, without byte order mark."""
    start = raw.read(6)
    if not isinstance(start, bytes):
        raise TypeError(f"{display_name(raw)} is open as text; open it in binary mode, 'rb'")
    for magic, compression in _BY_FIRST_BYTES.items():
        if start.startswith(magic):
            stream = compression(io.BufferedReader(_Rewound(start, raw)), "rb")
            return stream, stream.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK)
    return raw, start.removeprefix(_BYTE_ORDER_MARK)


class _Rewound(io.RawIOBase):
    """A stream with its first bytes put back, for streams that cannot seek."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start, self._rest = start, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._start[: len(buffer)] or self._rest.read(len(buffer))
        self._start = self._start[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)


def read_blocks(
    source: Source, reader: Reader, *, n_threads: int | None = None, progress: Progress | None = None
) -> None:
    """Pass the whole source to a reader, block by block.

    Parameters
    ----------
    source : path-like or binary file
        The source; "-" is standard input.
    reader : Reader
        Returns the number of bytes that it used; the others are passed again with the next block.
    n_threads : int, optional
        Number of threads; all cores by default.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Raises
    ------
    ParseError
        If the reader fails, or the compressed data is damaged; the error names the source and the line.
    """
    name, threads = display_name(source), resolve_threads(n_threads)
    block = np.empty(_BLOCK_SIZE, np.uint8)
    try:
        with _opened(source) as raw:
            position, size = _meter(raw)
            stream, start = _decompressed(raw)
            filled = len(start)
            block[:filled] = np.frombuffer(start, np.uint8)
            last = False
            while not last:
                while filled < block.size and not last:
                    count = stream.readinto(block[filled:].data)
                    filled += count
                    last = not count
                used = reader.feed(block[:filled], last, threads)
                if progress is not None:
                    progress(position(), size)
                if used == 0 and filled == block.size:
                    if filled >= _LONGEST_LINE:
                        raise ParseError("no line end within 64 MiB; is this a text file?", name, reader.n_lines + 1)
                    block = np.concatenate((block, np.empty_like(block)))
                else:
                    block[: filled - used] = block[used:filled]
                    filled -= used
    except ParseError as error:
        raise ParseError(error.what, name, error.line, error.column) from None
    except Exception as error:
        raise _if_damaged(error, name, reader.n_lines + 1) from None


def first_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return up to 64 KiB from the start of a file, decompressed."""
    with open(path, "rb") as raw:
        try:
            stream, start = _decompressed(raw)
            return start + bytes(stream.read(_START_SIZE))
        except Exception as error:
            raise _if_damaged(error, display_name(path), 1) from None


def read_whole(source: Source, most: int | None = None, *, progress: Progress | None = None) -> bytes:
    """Return all bytes of the source, decompressed.

    Parameters
    ----------
    source : path-like or binary file
        The source; "-" is standard input.
    most : int, optional
        The largest allowed number of bytes; more are a ParseError.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Examples
    --------
    >>> read_whole(io.BytesIO(b"{}"))
    b'{}'
    """
    collector = _Collector(most)
    read_blocks(source, collector, progress=progress)
    return b"".join(collector.blocks)


class _Collector:
    """A reader that keeps everything."""

    def __init__(self, most: int | None) -> None:
        self.blocks: list[bytes] = []
        self.n_lines = 0
        self._most = most
        self._size = 0

    def feed(self, block: Bytes, last: bool, n_threads: int) -> int:
        self._size += block.size
        if self._most is not None and self._size > self._most:
            raise ParseError(f"the file is larger than {self._most:,} bytes, the limit for this kind of file")
        self.blocks.append(block.tobytes())
        self.n_lines += self.blocks[-1].count(b"\n")
        return block.size


def _if_damaged(error: Exception, name: str, line: int) -> Exception:
    """Return the error itself, or a ParseError if it reports damaged compressed data."""
    import gzip
    import lzma
    import zlib

    is_damaged = isinstance(error, (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error))
    if not is_damaged and not re.search("Invalid data stream|ZSTD|Truncated compressed", str(error)):
        return error
    return ParseError(f"the compressed file is damaged or cut short: {error}", name, line)


def _meter(raw: IO[bytes]) -> tuple[Callable[[], int], int | None]:
    """Return a function for the position in the stream, and its size; 0 and None if unknown, as for a pipe."""
    try:
        size = os.fstat(raw.fileno()).st_size
        raw.tell()
    except (OSError, AttributeError):
        return lambda: 0, None
    return raw.tell, size or None


@contextmanager
def atomic_output(target: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a temporary file next to the target, and rename it at the end.

    If the block raises, the target is unchanged. A target that is not a regular file, such as a pipe, is written to
    directly.

    Parameters
    ----------
    target : path-like
        The file, compressed if its name ends in .gz or .xz; "-" is standard output.
    """
    if target == "-":
        # If unbuffered, standard output may accept only a part of a write.
        raw = sys.stdout.buffer
        if isinstance(raw, io.RawIOBase):
            buffered = io.BufferedWriter(raw)
            yield buffered
            buffered.detach()  # flushes
        else:
            yield raw
            raw.flush()
        return
    path = Path(target)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it")
    if path.exists() and not path.is_file():
        with path.open("wb") as file, _compressed(file, path) as stream:
            yield stream
        return
    import tempfile

    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file, _compressed(file, path) as stream:
            yield stream
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _compressed(file: IO[bytes], path: Path) -> Any:
    compression = _BY_ENDING.get(path.suffix)
    return nullcontext(file) if compression is None else compression(file, "wb")


def _umask() -> int:
    # It cannot be read without setting it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask

"""Bytes in and out: plain, gzip, xz, standard streams; blocks to a reader; output that appears whole or not at all."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, Literal, Protocol, TypeAlias

import numpy as np

from idealrank._base.threads import resolve_threads
from idealrank._typing import Bytes
from idealrank.errors import ParseError

__all__ = ["Progress", "Source", "atomic_output", "display_name", "first_bytes", "read_blocks", "read_whole"]

#: A path, "-" for standard input, or an open binary file.
Source: TypeAlias = "str | os.PathLike[str] | IO[bytes]"
#: Called with (bytes read so far, size of the file or None), both as stored: before decompression.
Progress: TypeAlias = Callable[[int, int | None], None]

_BLOCK_SIZE = 8 << 20
_START_SIZE = 64 << 10
# What some editors put before UTF-8 text.
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A line of a hundred thousand features takes some 2 MB; what has no line end for so long is not a text of ours.
_LONGEST_LINE = 64 << 20


def _gzip(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import gzip

    # Without a name and a time in it, the same content is the same file.
    return gzip.GzipFile(fileobj=file, mode=mode, filename="", mtime=0)


def _xz(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import lzma

    return lzma.LZMAFile(file, mode)


# Compressors load where they are used: together they are a tenth of the time to import NumPy.
_BY_FIRST_BYTES = {b"\x1f\x8b": _gzip, b"\xfd7zXZ\x00": _xz}
_BY_ENDING = {".gz": _gzip, ".xz": _xz}


class Reader(Protocol):
    """What the native readers have in common."""

    @property
    def n_lines(self) -> int: ...
    def feed(self, block: Bytes, last: bool, n_threads: int) -> int: ...


def display_name(source: Source) -> str:
    """What error messages call the source."""
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
    """A stream of plain bytes, told apart by its first bytes, and those already taken from it."""
    start = raw.read(6)
    if not isinstance(start, bytes):
        raise TypeError(f"{display_name(raw)} is open as text; open it in binary mode, 'rb'")
    for magic, compression in _BY_FIRST_BYTES.items():
        if start.startswith(magic):
            return compression(io.BufferedReader(_Rewound(start, raw)), "rb"), b""
    return raw, start


class _Rewound(io.RawIOBase):
    """A stream with its first bytes put back, for those that cannot seek."""

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
    """Bring the whole source to the reader, block by block; what it does not use up comes again with the next."""
    name, threads = display_name(source), resolve_threads(n_threads)
    block = np.empty(_BLOCK_SIZE, np.uint8)
    try:
        with _opened(source) as raw:
            position, size = _meter(raw)
            stream, start = _decompressed(raw)
            filled = len(start)
            block[:filled] = np.frombuffer(start, np.uint8)
            last, first = False, True
            while not last:
                while filled < block.size and not last:
                    count = stream.readinto(block[filled:].data)
                    filled += count
                    last = not count
                if first and block[: min(filled, 3)].tobytes() == _BYTE_ORDER_MARK:
                    block[: filled - 3] = block[3:filled]
                    filled -= 3
                first = False
                used = reader.feed(block[:filled], last, threads)
                if progress is not None:
                    progress(position(), size)
                if used == 0 and filled == block.size:
                    if filled >= _LONGEST_LINE:
                        raise ParseError("no line end within 64 MiB: not a text file?", name, reader.n_lines + 1)
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
    """Return all bytes of the source, decompressed; more than ``most`` of them are a ParseError.

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
        self._left = most

    def feed(self, block: Bytes, last: bool, n_threads: int) -> int:
        if self._left is not None:
            self._left -= block.size
            if self._left < 0:
                raise ParseError("larger than any file of this kind should be")
        self.blocks.append(block.tobytes())
        self.n_lines += self.blocks[-1].count(b"\n")
        return block.size


def _if_damaged(error: Exception, name: str, line: int) -> Exception:
    """The error itself, or, where it says that compressed bytes are damaged, a ParseError."""
    import gzip
    import lzma
    import zlib

    if not isinstance(error, (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)):
        return error
    return ParseError(f"the compressed file is damaged or cut short: {error}", name, line)


def _meter(raw: IO[bytes]) -> tuple[Callable[[], int], int | None]:
    """How far the stream was read, and its size; 0 and None where it cannot tell, as for a pipe."""
    try:
        size = os.fstat(raw.fileno()).st_size
        raw.tell()
    except (OSError, AttributeError):
        return lambda: 0, None
    return raw.tell, size or None


@contextmanager
def atomic_output(target: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a temporary file beside the target and rename it at the end; compressed by its ending; "-" is stdout.

    If the block raises, the target is as it was before. What is not a regular file, a pipe say, is written to directly.
    """
    if target == "-":
        # Unbuffered, standard output may take only a part of what it is given.
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
    # There is no way to read it without setting it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask

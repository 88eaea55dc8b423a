"""Bytes in and out: plain, gzip, xz, standard streams; blocks to a reader; output that appears whole or not at all."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank import _threads
from idealrank.errors import ParseError

__all__ = ["Progress", "Source", "atomic_output", "display_name", "read_blocks"]

#: A path, "-" for standard input, or an open binary file.
Source: TypeAlias = "str | os.PathLike[str] | IO[bytes]"
#: Called with (bytes read so far, size of the file or None), both as stored: before decompression.
Progress: TypeAlias = Callable[[int, int | None], None]

_BLOCK_SIZE = 8 << 20
# A line of a hundred thousand features takes some 2 MB; what has no line end for so long is not a text of ours.
_LONGEST_LINE = 64 << 20
_DECOMPRESSORS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file, mode="rb"),
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_COMPRESSORS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 (closed by its user)
}


class Reader(Protocol):
    """What the native readers have in common."""

    @property
    def n_lines(self) -> int: ...
    def feed(self, block: npt.NDArray[np.uint8], last: bool, n_threads: int) -> int: ...


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
    for magic, decompressor in _DECOMPRESSORS.items():
        if start.startswith(magic):
            return decompressor(io.BufferedReader(_Rewound(start, raw))), b""
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
    name, threads = display_name(source), _threads.resolve(n_threads)
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
                        raise ParseError("no line end within 64 MiB: not a text file?", name, reader.n_lines + 1)
                    block = np.concatenate((block, np.empty_like(block)))
                else:
                    block[: filled - used] = block[used:filled]
                    filled -= used
    except ParseError as error:
        raise ParseError(error.what, name, error.line, error.column) from None
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise ParseError(f"the compressed file is damaged or cut short: {error}", name, reader.n_lines + 1) from None


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
    compressor = _COMPRESSORS.get(path.suffix)
    return nullcontext(file) if compressor is None else compressor(file)


def _umask() -> int:
    # There is no way to read it without setting it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask

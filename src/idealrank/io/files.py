"""Byte streams: plain, compressed and standard streams, read in blocks; files that are written atomically."""

from __future__ import annotations

import errno
import functools
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from idealrank._core.extras import needs
from idealrank._core.threads import resolve_threads
from idealrank.errors import OptionError, ParseError

if TYPE_CHECKING:
    from pathlib import Path  # it takes as long to import as all of this package's readers

#: A path, "-" for standard input, or an open binary file.
Source: TypeAlias = "str | os.PathLike[str] | IO[bytes]"
#: Called with (bytes read so far, size of the file or None), both before decompression.
Progress: TypeAlias = Callable[[int, int | None], None]

_BLOCK_SIZE = 8 << 20
_START_SIZE = 64 << 10
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors write it before UTF-8 text
# A line of 100,000 features takes about 2 MB; without a line end for this long, the file is not one of our formats.
_LONGEST_LINE = 64 << 20
# Text rarely shrinks to less than a twentieth. A file that expands by more than this, beyond a size that is always
# harmless, was made to exhaust the memory.
_LARGEST_RATIO = 100
_HARMLESS = 8 << 20
# Suffix of temporary files, and how much of the target's name they keep: a file name has at most 255 bytes.
_TEMPORARY, _LONGEST_STEM = ".idealrank.tmp", 200
_CREATE = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
#: A write to a full disk fails with one of these errors, which do not name the file.
_FULL_DISK = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
_XZ_MEMORY = 1 << 30  # for the dictionary of xz; 'xz -9' needs 65 MiB


def _gzip(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import gzip

    # Without a name and a time, the same content gives the same file.
    return gzip.GzipFile(fileobj=file, mode=mode, filename="", mtime=0)


def _xz(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import lzma

    if mode == "wb":
        return lzma.LZMAFile(file, mode)
    begin = functools.partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    return io.BufferedReader(_Streams(file, begin, padding=4))


def _bzip2(file: Any, mode: Literal["rb", "wb"]) -> Any:
    import bz2

    return bz2.BZ2File(file, mode) if mode == "wb" else io.BufferedReader(_Streams(file, bz2.BZ2Decompressor))


class _Streams(io.RawIOBase):
    """The bytes of all streams of an xz or bzip2 file.

    ``lzma.LZMAFile`` and ``bz2.BZ2File`` take anything after the first stream that they cannot read for garbage, and
    end there without an error: a damaged second stream, or plain lines after the first one, would be lost. Null bytes
    after a stream are padding.
    """

    def __init__(self, file: IO[bytes], begin: Callable[[], Any], padding: int = 1) -> None:
        self._file, self._begin, self._padding = file, begin, padding
        self._waiting = b""  # bytes that were read from the file, but not yet decompressed
        self._decompressor = begin()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._decompressor.eof and not self._pass_to_next_stream():
                return 0
            if self._decompressor.needs_input:
                self._waiting = self._waiting or self._file.read(_START_SIZE)
                if not self._waiting:
                    raise EOFError("the file ends within a stream")
            piece = self._decompressor.decompress(self._waiting, len(buffer))
            self._waiting = b""
            if piece:
                buffer[: len(piece)] = piece
                return len(piece)

    def _pass_to_next_stream(self) -> bool:
        """Skip padding; return whether another stream follows."""
        rest, n_nulls = self._decompressor.unused_data or self._file.read(_START_SIZE), 0
        while rest and not rest.strip(b"\0"):
            n_nulls += len(rest)
            rest = self._file.read(_START_SIZE)
        self._waiting = rest.lstrip(b"\0")
        if (n_nulls + len(rest) - len(self._waiting)) % self._padding:
            raise EOFError(f"the padding after a stream is not a multiple of {self._padding} bytes")
        if self._waiting:
            self._decompressor = self._begin()
        return bool(self._waiting)


def _zstandard(file: Any, mode: Literal["rb", "wb"]) -> Any:
    with needs("pyarrow"):  # the standard library has it from Python 3.14 on
        import pyarrow
    opened = pyarrow.PythonFile(_KeptOpen(file), mode)
    return (pyarrow.CompressedInputStream if mode == "rb" else pyarrow.CompressedOutputStream)(opened, "zstd")


class _KeptOpen:
    """A file that its owner closes, not the streams that read from it or write to it."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.read, self.write, self.flush = file.read, file.write, file.flush

    def close(self) -> None:
        """Leave the file open."""


# Compressors are imported on use: together they take a tenth of the import time of NumPy.
_BY_FIRST_BYTES = {b"\x1f\x8b": _gzip, b"\xfd7zXZ\x00": _xz, b"BZh": _bzip2, b"\x28\xb5\x2f\xfd": _zstandard}
_BY_ENDING = {".gz": _gzip, ".xz": _xz, ".bz2": _bzip2, ".zst": _zstandard}
#: Endings of the names of compressed files.
COMPRESSIONS = tuple(_BY_ENDING)
_LONGEST_MAGIC = max(map(len, _BY_FIRST_BYTES))
#: The pipe of which a temporary file is the copy.
_COPIED: dict[str, str] = {}


class Reader(Protocol):
    """The interface of the native readers."""

    @property
    def n_lines(self) -> int: ...
    def feed(self, block: Any, last: bool, n_threads: int) -> int: ...  # a memoryview of bytes


def display_name(source: Source) -> str:
    """Return the name of a source for error messages."""
    if source == "-":
        return "<stdin>"
    if isinstance(source, (str, os.PathLike)):
        return _COPIED.get(os.fspath(source), os.fspath(source))
    return str(getattr(source, "name", "<file>"))


def path_text(path: str | os.PathLike[str], what: str = "the path of a file") -> str:
    """Return a path as text; raise an OptionError for what is no path."""
    if not isinstance(path, (str, os.PathLike)):
        raise OptionError(f"expected {what}, got {path!r}")
    return os.fspath(path)


def without_compression(name: str) -> str:
    """Return the name of a file without the ending of a compression.

    Examples
    --------
    >>> without_compression("a.txt.zst"), without_compression("a.txt")
    ('a.txt', 'a.txt')
    """
    return next((name[: -len(ending)] for ending in COMPRESSIONS if name.lower().endswith(ending)), name)


@contextmanager
def _opened(source: Source) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield file
    elif hasattr(source, "read"):
        yield source
    else:
        raise OptionError(f"expected the path of a file, or a file that is open in binary mode, got {source!r}")


def _read(raw: IO[bytes], size: int) -> bytes:
    """Read up to this many bytes; return no bytes only at the end of the file."""
    piece = raw.read(size)
    if piece is None:
        raise _not_ready()
    if not isinstance(piece, bytes):
        raise TypeError(f"{display_name(raw)} is open as text; open it in binary mode, 'rb'")
    return piece


def _not_ready() -> ParseError:
    return ParseError("the stream is non-blocking and has no data yet; open it in blocking mode")


def _decompressed(raw: IO[bytes]) -> tuple[Any, bytes, _Rewound | None]:
    """Return a stream of decompressed bytes, its first bytes without byte order mark, and the compressed stream."""
    start = _read(raw, _LONGEST_MAGIC)
    while len(start) < _LONGEST_MAGIC and (more := _read(raw, _LONGEST_MAGIC - len(start))):
        start += more  # a pipe may return fewer bytes than requested
    for magic, compression in _BY_FIRST_BYTES.items():
        if start.startswith(magic):
            compressed = _Rewound(start, raw)
            stream = compression(io.BufferedReader(compressed), "rb")
            return stream, stream.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK), compressed
    stream = raw if hasattr(raw, "readinto") else _Rewound(b"", raw)
    return stream, start.removeprefix(_BYTE_ORDER_MARK), None


class _Rewound(io.RawIOBase):
    """A stream with its first bytes put back, for streams that cannot seek; it counts the bytes that are read."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start, self._rest, self.n_bytes = start, rest, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._start[: len(buffer)] or _read(self._rest, len(buffer))
        self._start = self._start[len(piece) :]
        buffer[: len(piece)] = piece
        self.n_bytes += len(piece)
        return len(piece)


def read_blocks(
    source: Source,
    reader: Reader,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Pass the whole source to a reader, block by block.

    Parameters
    ----------
    source : path-like or binary file
        The source; "-" is standard input.
    reader : Reader
        Returns the number of bytes that it used; the others are passed again with the next block.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Raises
    ------
    ParseError
        If the reader fails, the compressed data is damaged or grows too much, or the file changes while it is read;
        the error names the source and the line.
    """
    if not (progress is None or callable(progress)):
        raise OptionError(f"progress must be a function of the bytes read and the size, got {progress!r}")
    threads = resolve_threads(n_threads)
    for position, size in fed_blocks(source, reader, lambda: threads):
        if progress is not None:
            progress(position, size)


def fed_blocks(
    source: Source, reader: Reader, n_threads: Callable[[], int]
) -> Generator[tuple[int, int | None], None, None]:
    """Pass the source to a reader as `read_blocks` does, and yield after each block what it tells ``progress``.

    Importing NumPy takes longer than most files, so a block is not an array: the reading can begin before the import.

    Parameters
    ----------
    source, reader
        As in `read_blocks`.
    n_threads : callable
        Returns the number of threads for the next block.
    """
    name = display_name(source)
    n_bytes = 0
    try:
        with _opened(source) as raw:
            meter = _Meter(raw, is_own=raw is not source and source != "-")
            stream, start, compressed = _decompressed(raw)
            whole = _BLOCK_SIZE if meter.size is None or compressed is not None else meter.size + 1
            block = memoryview(bytearray(min(_BLOCK_SIZE, whole)))
            filled = n_bytes = len(start)
            block[:filled] = start
            last = False
            while not last:
                while filled < len(block) and not last:
                    count = stream.readinto(block[filled:])
                    if count is None:
                        raise _not_ready()
                    filled += count
                    n_bytes += count
                    last = not count
                if compressed is not None:
                    check_growth(n_bytes, compressed.n_bytes, "decompress it first", line=reader.n_lines + 1)
                if last:
                    meter.check_unchanged(reader.n_lines + 1)
                used = reader.feed(block[:filled], last, n_threads())
                yield meter.position(), meter.size
                if used == 0 and filled == len(block):
                    if filled >= _LONGEST_LINE:
                        raise ParseError("no line end within 64 MiB; is this a text file?", name, reader.n_lines + 1)
                    longer = memoryview(bytearray(2 * len(block)))
                    longer[:filled] = block
                    block = longer
                else:
                    block[: filled - used] = block[used:filled]
                    filled -= used
    except ParseError as error:
        raise ParseError(error.what, name, error.line, error.column) from None
    except Exception as error:
        raise _if_damaged(error, name, reader.n_lines + 1) from None


def copy_of_pipe(path: str, owner: object) -> str:
    """Copy a pipe, which can be read only once, to a temporary file that error messages call by the pipe's name.

    Parameters
    ----------
    path : str
        The pipe, such as the /dev/fd/63 that a shell makes of ``<(zcat qrels.gz)``.
    owner : object
        The copy is removed with this object.

    Returns
    -------
    str
        The path of the copy.
    """
    import shutil
    import tempfile
    import weakref

    folder = tempfile.mkdtemp(prefix="idealrank-")
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    target = os.path.join(folder, os.path.basename(path))
    _COPIED[target] = path
    with open(path, "rb") as pipe, open(target, "wb") as file:
        shutil.copyfileobj(pipe, file, _BLOCK_SIZE)
    return target


def first_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return up to 64 KiB from the start of a file, decompressed."""
    with open(path, "rb") as raw:
        try:
            stream, start, _ = _decompressed(raw)
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

    def feed(self, block: memoryview, last: bool, n_threads: int) -> int:
        self._size += len(block)
        if self._most is not None and self._size > self._most:
            raise ParseError(f"the file is larger than {self._most:,} bytes, the limit for this kind of file")
        self.blocks.append(block.tobytes())
        self.n_lines += self.blocks[-1].count(b"\n")
        return len(block)


def _if_damaged(error: Exception, name: str, line: int) -> Exception:
    """Return the error itself, or a ParseError if it reports damaged compressed data."""
    import gzip
    import lzma
    import zlib

    is_damaged = isinstance(error, (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error))
    if not is_damaged and not re.search("Invalid data stream|ZSTD|Truncated compressed", str(error)):
        return error
    return ParseError(f"the compressed file is damaged or cut short: {error}", name, line)


def check_growth(n_bytes: int, size: int, cure: str, name: str | None = None, *, line: int = 1) -> None:
    """Raise a ParseError if a compressed file of this size grows to so many bytes that it was made to fill the memory.

    >>> check_growth(1_000_000_000, 1_000, "decompress it first")
    Traceback (most recent call last):
    idealrank.errors.ParseError: <text>:1:1: the compressed file grows to more than 100 times its size; ...
    """
    if n_bytes > max(_HARMLESS, _LARGEST_RATIO * size):
        what = f"the compressed file grows to more than {_LARGEST_RATIO} times its size; if that is right, {cure}"
        raise ParseError(what, name, line)


class _Meter:
    """The position in a stream and its size; 0 and None if unknown, as for a pipe."""

    def __init__(self, raw: IO[bytes], *, is_own: bool) -> None:
        self._raw, self._is_own = raw, is_own
        try:
            self.size = os.fstat(raw.fileno()).st_size or None
            raw.tell()
        except (OSError, AttributeError):
            self.size = None

    def position(self) -> int:
        return 0 if self.size is None else self._raw.tell()

    def check_unchanged(self, line: int) -> None:
        """Raise a ParseError if the file is not as long as when it was opened, or was not read to its end."""
        if self.size is None:
            return
        end = os.fstat(self._raw.fileno()).st_size
        if end == self.size and self._is_own:  # the position in a caller's file may count decompressed bytes
            end = self._raw.tell()
        if end != self.size:
            raise ParseError(
                f"the file changed while it was read, from {self.size:,} to {end:,} bytes; read it again when it is "
                "complete",
                line=line,
            )


@contextmanager
def atomic_output(target: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a temporary file next to the target, and rename it at the end.

    If the block raises or the process ends, the target is unchanged. The content is on the disk before it replaces the
    target, which keeps its permissions; a symbolic link stays, and the file that it names is replaced. Temporary files
    of processes that were killed are removed by the next output to the same target. A target that is not a regular
    file, such as a pipe or /dev/stdout, is written to directly.

    Parameters
    ----------
    target : path-like
        The file, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.
    """
    from pathlib import Path

    path_text(target, "the path of the file to write")
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
    path, descriptor = Path(os.path.realpath(target)), _descriptor_of(target)
    if path.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file in it")
    opened: Callable[[], Any] = functools.partial(_replacement, path, os.fspath(target))
    if descriptor is not None or (path.exists() and not path.is_file()):
        for printed in (sys.stdout, sys.stderr):
            if printed is not None:
                printed.flush()
        opened = functools.partial(open, target if descriptor is None else os.dup(descriptor), "wb")
    with _full_disk_named(os.fspath(target)), opened() as file, _compressed(file, Path(target)) as stream:
        yield stream


@contextmanager
def _full_disk_named(name: str) -> Iterator[None]:
    """Let the error of a full disk name the file."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL_DISK and error.filename is None:
            error.filename = name
        raise


def _descriptor_of(target: str | os.PathLike[str]) -> int | None:
    """Return the descriptor of the open file that a name such as /dev/stdout, or a link to it, refers to."""
    name = os.path.abspath(target)
    for _ in range(40):  # as many links as Linux follows
        match = re.fullmatch(rf"/(?:dev|proc/(?:self|thread-self|{os.getpid()}))/fd/(\d+)", name)
        if match is not None:
            return int(match[1])
        if not os.path.islink(name):
            break
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


@contextmanager
def _replacement(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces the target, which may not exist yet, if the block succeeds."""
    before = path.stat() if path.exists() else None
    if before is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    prefix = f".{os.fsencode(path.name)[:_LONGEST_STEM].decode(errors='ignore')}."
    _remove_abandoned(path.parent, prefix)
    while True:
        temporary = os.fspath(path.parent / f"{prefix}{os.urandom(4).hex()}{_TEMPORARY}")
        try:
            # The system applies the umask, which could only be read by setting it, for all threads.
            handle = os.open(temporary, _CREATE, 0o666 if before is None else 0o600)
        except FileExistsError:
            continue
        except OSError as error:
            raise type(error)(error.errno, error.strerror, name) from None
        # Another process may take the file for abandoned before it is locked.
        if _lock(handle) is not False and os.path.exists(temporary):
            break
        os.close(handle)
    lock = os.dup(handle)  # holds the lock until the file has its name
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.name == "nt":
            os.close(lock)  # Windows cannot rename an open file
            lock = -1
        if before is not None:
            _keep_owner(temporary, before)
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    finally:
        if lock >= 0:
            os.close(lock)


def _remove_abandoned(folder: Path, prefix: str) -> None:
    """Remove temporary files that no process is writing to: a lock ends with the process that holds it."""
    if os.name == "nt":  # there are no locks to tell an abandoned file from one in use
        return
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        names += (each.path for each in entries if each.name.startswith(prefix) and each.name.endswith(_TEMPORARY))
    for name in names:
        with suppress(OSError):
            handle = os.open(name, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if _lock(handle):
                    os.unlink(name)
            finally:
                os.close(handle)


def _lock(handle: int) -> bool | None:
    """Lock an open file; return False if another process has locked it, and None if locks are not supported."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems
        return None
    return True


def _keep_owner(temporary: str, before: os.stat_result) -> None:
    if os.name != "nt" and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.chown(temporary, before.st_uid, before.st_gid)


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power failure, where folders can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _compressed(file: IO[bytes], path: Path) -> Any:
    compression = _BY_ENDING.get(path.suffix)
    return nullcontext(file) if compression is None else compression(file, "wb")

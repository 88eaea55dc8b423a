"""Query and document ids: one UTF-8 buffer + offsets, made into Python strings on demand."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._typing import Bytes, Int64s
from idealrank.errors import DataError

__all__ = ["Ids"]


class Ids(Sequence[str]):
    """An immutable sequence of ids as text.

    Bytes that are not UTF-8 come out as surrogate escapes and go back as they were, as file names do in Python.

    >>> ids = Ids.of(["q1", "q2", "Zürich"])
    >>> ids[2], len(ids), ids[:2].tolist()
    ('Zürich', 3, ['q1', 'q2'])
    """

    __slots__ = ("buffer", "offsets")
    buffer: Bytes
    offsets: Int64s

    def __init__(self, buffer: Bytes, offsets: Int64s) -> None:
        self.buffer = buffer
        self.offsets = offsets
        buffer.flags.writeable = False
        offsets.flags.writeable = False

    @classmethod
    def of(cls, values: "Iterable[object] | Ids") -> "Ids":
        """Ids from strings, bytes or integers; anything else is a DataError that names the row."""
        if isinstance(values, Ids):
            return values
        encoded = []
        for row, value in enumerate(values):
            if isinstance(value, str):
                encoded.append(value.encode("utf-8", "surrogateescape"))
            elif isinstance(value, bytes):
                encoded.append(value)
            elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
                encoded.append(b"%d" % int(value))
            else:
                raise DataError(f"an id must be a string or an integer, got {value!r}", row=row)
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        return self.offsets.size - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> "Ids": ...
    def __getitem__(self, index: int | slice) -> "str | Ids":
        if isinstance(index, slice):
            return self.take(np.arange(len(self), dtype=np.int64)[index])
        i = range(len(self))[index]
        text = self.buffer[self.offsets[i] : self.offsets[i + 1]].tobytes()
        return text.decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[str]:
        text, ends = self.buffer.tobytes(), self.offsets.tolist()
        for start, end in pairwise(ends):
            yield text[start:end].decode("utf-8", "surrogateescape")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ids):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.buffer, other.buffer)

    def __hash__(self) -> int:
        return hash((self.offsets.tobytes(), self.buffer.tobytes()))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.tolist(), dtype=dtype)

    def __reduce__(self) -> tuple[type["Ids"], tuple[Bytes, Int64s]]:
        return Ids, self.parts

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"Ids([{shown}{', ...' if len(self) > 3 else ''}], length {len(self)})"

    @property
    def parts(self) -> tuple[Bytes, Int64s]:
        """(buffer, offsets), as the native core takes ids."""
        return self.buffer, self.offsets

    def tolist(self) -> list[str]:
        """All ids as Python strings."""
        return list(self)

    def take(self, rows: Int64s) -> "Ids":
        """The ids at these rows, in that order."""
        return Ids(*_native.take_ids(*self.parts, np.ascontiguousarray(rows, np.int64)))

    def numbered(self) -> "tuple[Int64s, Ids]":
        """Each id's number, counted from 0 as they first appear, and the distinct ids in that order."""
        numbers, distinct = _native.number_ids(*self.parts)
        return numbers, Ids(*distinct)

    def index_in(self, others: "Ids") -> Int64s:
        """Where each id first stands among others, or -1."""
        return _native.match_ids(*self.parts, *others.parts)

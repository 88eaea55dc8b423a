"""Query and document ids: one UTF-8 buffer with offsets, decoded into Python strings on demand."""

from collections.abc import Iterable, Iterator, Sequence
from operator import methodcaller
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.checks import items_of
from idealrank._typing import Bytes, Int64s
from idealrank.data.columns import offsets_of, owned, read_only
from idealrank.errors import DataError

_Entries = TypeVar("_Entries")


class Ids(Sequence[str]):
    """Immutable sequence of text ids.

    Bytes that are not valid UTF-8 are decoded as surrogate escapes and encoded back unchanged, like file names in
    Python.

    Parameters
    ----------
    buffer : uint8 array
        The UTF-8 bytes of all ids, concatenated. The array becomes read-only; it is copied first if it is a view of a
        writable array.
    offsets : int64 array of shape (n_ids + 1,)
        Id i is ``buffer[offsets[i]:offsets[i + 1]]``. The array becomes read-only as well.

    Examples
    --------
    >>> from idealrank.results import Ids
    >>> ids = Ids.of(["q1", "q2", "Zürich"])
    >>> ids[2], len(ids), ids[:2].tolist()
    ('Zürich', 3, ['q1', 'q2'])
    """

    __slots__ = ("buffer", "offsets")
    buffer: Bytes
    offsets: Int64s

    def __init__(self, buffer: Bytes, offsets: Int64s) -> None:
        if not all(isinstance(part, np.ndarray) for part in (buffer, offsets)):
            raise DataError(f"Ids are made of two arrays, got {type(buffer).__name__}: call Ids.of with a list of ids")
        self.buffer, self.offsets = owned(read_only(buffer)), owned(read_only(offsets))

    @classmethod
    def of(cls, values: "Iterable[object] | Ids") -> "Ids":
        """Create ids from strings, bytes or integers.

        Parameters
        ----------
        values : iterable of str, bytes or int
            The ids; an `Ids` object is returned unchanged.

        Returns
        -------
        Ids
            The values as text.

        Raises
        ------
        DataError
            If a value has another type; the message names the row.
        """
        if isinstance(values, Ids):
            return values
        flat: Any = values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else values
        listed: list[Any] = list(items_of(flat, "ids", DataError))
        kinds = {*map(type, listed)}
        if kinds in ({str}, {int}):
            texts = listed if kinds == {str} else [str(value) for value in listed]
            text = "".join(texts)
            if text.isascii():  # as many bytes as characters: one call encodes all ids
                return cls(np.frombuffer(text.encode(), np.uint8), offsets_of(np.fromiter(map(len, texts), np.int64)))
        encoded = []
        for row, value in enumerate(listed):
            if isinstance(value, str):
                try:
                    encoded.append(value.encode("utf-8", "surrogateescape"))
                except UnicodeEncodeError:
                    raise DataError(f"an id must be text, got half of a character in {value!r}", row=row) from None
            elif isinstance(value, bytes):
                encoded.append(value)
            elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
                encoded.append(b"%d" % int(value))
            else:
                raise DataError(f"an id must be a string or an integer, got {value!r}", row=row)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets_of(list(map(len, encoded))))

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
        return self.buffer[self.offsets[i] : self.offsets[i + 1]].tobytes().decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[str]:
        ends = self.offsets.tolist()
        encoded = map(self.buffer.tobytes().__getitem__, map(slice, ends, ends[1:]))
        return map(methodcaller("decode", "utf-8", "surrogateescape"), encoded)

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
        """The pair (buffer, offsets) that the native core takes."""
        return self.buffer, self.offsets

    def tolist(self) -> list[str]:
        """Return all ids as Python strings.

        Returns
        -------
        list of str
            The ids.
        """
        return list(self)

    def take(self, rows: Int64s) -> "Ids":
        """Return the ids at these rows, in that order."""
        return Ids(*_native.take_ids(*self.parts, np.ascontiguousarray(rows, np.int64)))

    def numbered(self) -> "tuple[Int64s, Ids]":
        """Return the number of each id, counted from 0 by first appearance, and the distinct ids in that order."""
        numbers, distinct = _native.number_ids(*self.parts)
        return numbers, Ids(*distinct)

    def index_in(self, others: "Ids") -> Int64s:
        """Return the first position of each id in ``others``, or -1 if it is not there."""
        return _native.match_ids(*self.parts, *others.parts)


def taken(values: _Entries, rows: Int64s) -> _Entries:
    """Return the entries of an array, a matrix or ids at these rows; None stays None.

    Examples
    --------
    >>> taken(Ids.of(["a", "b"]), np.array([1])).tolist()
    ['b']
    """
    entries: Any = values
    if isinstance(entries, Ids):
        entries = entries.take(rows)
    elif entries is not None:
        entries = entries[rows]
    return entries  # type: ignore[no-any-return]

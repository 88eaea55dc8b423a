"""Ids that fit between the blanks of a line."""

import numpy as np

from idealrank.data.ids import Ids
from idealrank.errors import DataError

__all__ = ["check_words"]


def check_words(ids: Ids, what: str, *, allow_empty: bool = False) -> None:
    """Refuse ids that hold blanks or line ends, and, unless allowed, empty ones; the error names the row.

    >>> check_words(Ids.of(["d1", "two words"]), "a document id")
    Traceback (most recent call last):
    idealrank.errors.DataError: a document id in this format is one word, got 'two words' (row 1)
    """
    blanks = np.flatnonzero(np.isin(ids.buffer, np.frombuffer(b" \t\r\n", np.uint8)))
    rows = np.searchsorted(ids.offsets, blanks[:1], side="right") - 1
    if not allow_empty:
        rows = np.append(rows, np.flatnonzero(np.diff(ids.offsets) == 0)[:1])
    if rows.size:
        row = int(rows.min())
        raise DataError(f"{what} in this format is one word, got {ids[row]!r}", row=row)

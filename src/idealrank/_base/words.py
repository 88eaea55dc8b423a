"""Numbers with their nouns, as messages and reprs have them."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, which is in the plural unless the number is 1.

    Examples
    --------
    >>> counted(1, "query"), counted(2000, "query"), counted(0, "feature")
    ('1 query', '2,000 queries', '0 features')
    """
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {plural}"

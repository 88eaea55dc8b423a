"""Numbers with their nouns, as sentences, messages and reprs have them."""

from __future__ import annotations

__all__ = ["counted", "share"]


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


def share(count: int, total: int, things: str, verb: str = "") -> str:
    """Return how many of several things, in words where all or none of them are meant.

    Parameters
    ----------
    count, total : int
        The number that is meant, and the number of all.
    things : str
        The noun in the plural.
    verb : str
        A regular verb in the plural, which follows in the number that fits.

    Examples
    --------
    >>> [share(count, 3, "pairs", "differ") for count in (0, 1, 2, 3)]
    ['none of the 3 pairs differ', '1 of 3 pairs differs', '2 of 3 pairs differ', 'all 3 pairs differ']
    >>> share(2, 2, "systems")
    'both systems'
    """
    every = f"both {things}" if total == 2 else f"all {total:,} {things}"
    words = {0: f"none of the {total:,} {things}", total: every}
    verb = f"{verb}s" if verb and count == 1 else verb
    return f"{words.get(count, f'{count:,} of {total:,} {things}')} {verb}".rstrip()

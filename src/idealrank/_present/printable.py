"""Text for people: safe to print, as wide as a terminal, in lines, with numbers and their nouns."""

from __future__ import annotations

import re

# Invisible, but part of words in Persian, of emoji and of hyphenation.
_JOINERS = "\u200c\u200d\u00ad"
# A point before digits, after which no line ends.
_DECIMAL = re.compile(r"\.\d")
# What no line breaks: a name with options, as in ndcg(gain=exp2,short=as is), and a name and its change, "q1: +0.5".
_WHOLE = re.compile(r"\w\([^()]*=[^()]*\)| (?=[+-]\d)")


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with control characters, which can command a terminal, and broken characters escaped.

    Parameters
    ----------
    text : str
        Any text, such as an id from a file.
    keep : str
        Control characters to keep.

    Returns
    -------
    str
        Text that every terminal shows and every encoding of Unicode can hold.

    Examples
    --------
    >>> printable("Zürich\x1b[31m\udcff\u202e")
    'Zürich\\x1b[31m\\udcff\\u202e'
    """
    if text.isprintable():
        return text
    kept = _JOINERS + keep
    return "".join(
        letter if letter.isprintable() or letter in kept else letter.encode("unicode_escape").decode()
        for letter in text
    )


def display_width(text: str) -> int:
    """Return how many columns of a terminal the text takes: wide characters take two, combining ones none.

    Examples
    --------
    >>> display_width("bm25"), display_width("検索"), display_width("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    widths = (0 if combining(each) or each in _JOINERS else 1 + (east_asian_width(each) in "WF") for each in text)
    return sum(widths)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return the text in lines of at most ``width`` columns, broken between words.

    A word that is too long is broken after punctuation, or anywhere if it has none; the options in parentheses after a
    name belong to one word.

    Parameters
    ----------
    text : str
        One line of text.
    width : int
        The number of columns.
    indent : str
        What all lines but the first begin with.

    Returns
    -------
    list of str
        The lines; an empty text is one empty line.

    Examples
    --------
    >>> wrapped("ndcg@10 = ndcg(ties=average,gain=exp2)", 24, "  ")
    ['ndcg@10 =', '  ndcg(ties=average,', '  gain=exp2)']
    >>> wrapped("ndcg@10 = ndcg(ties=average,gain=exp2)", 29, "  ")
    ['ndcg@10 = ndcg(ties=average,', '  gain=exp2)']
    >>> wrapped("  two more", 6)
    ['  two', 'more']
    """
    words = text.lstrip(" ")
    lines, line = [], text[: len(text) - len(words)]
    for word in _WHOLE.sub(lambda whole: whole.group().replace(" ", "\0"), words).split(" "):
        while display_width(joined := f"{line} {word}" if line.strip() else line + word) > width:
            if not line.strip():
                piece = _piece(word, max(1, width - display_width(line)))
                lines.append(line + piece)
            else:  # options of a measure may begin on this line and continue on the next
                room = width - display_width(line) - 1
                is_long = display_width(word) > width - display_width(indent)
                piece = word[: 1 + word.rfind(",", 0, _n_fitting(word, room))] if is_long else ""
                lines.append(f"{line} {piece}".rstrip(" "))
            word = word[len(piece) :]
            line = indent
        line = joined
    lines = [*lines, line] if line.strip() or not lines else lines
    return [each.replace("\0", " ") for each in lines]


def _n_fitting(word: str, width: int) -> int:
    """Return how many characters from the beginning of a word fit."""
    n = 0
    while n < len(word) and display_width(word[: n + 1]) <= width:
        n += 1
    return n


def _piece(word: str, width: int) -> str:
    """Return the longest beginning of a word that fits, up to punctuation if possible; at least one character."""
    end = max(1, _n_fitting(word, width))
    for marks in (",;", "/_-.)(=:"):
        places = [place for place in range(end // 3, end) if word[place] in marks and not _DECIMAL.match(word, place)]
        if places:
            return word[: places[-1] + 1]
    return word[:end]


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

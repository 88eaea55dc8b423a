"""Text that is safe to print, its width on a terminal, and its lines."""

__all__ = ["display_width", "printable", "wrapped"]

# Invisible, but part of words in Persian, of emoji and of hyphenation.
_JOINERS = "\u200c\u200d\u00ad"


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

    A word that is too long is broken after punctuation, or anywhere if it has none.

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
    >>> wrapped("  two more", 6)
    ['  two', 'more']
    """
    words = text.lstrip(" ")
    lines, line = [], text[: len(text) - len(words)]
    for word in words.split(" "):
        while display_width(joined := f"{line} {word}" if line.strip() else line + word) > width:
            if line.strip():
                lines.append(line)
            else:
                piece = _piece(word, max(1, width - display_width(line)))
                lines.append(line + piece)
                word = word[len(piece) :]
            line = indent
        line = joined
    return [*lines, line] if line.strip() or not lines else lines


def _piece(word: str, width: int) -> str:
    """Return the longest beginning of a word that fits, up to punctuation if possible; at least one character."""
    end = 1
    while end < len(word) and display_width(word[: end + 1]) <= width:
        end += 1
    place = max(word.rfind(mark, end // 2, end) for mark in ",;/_-.)") + 1
    return word[: place or end]

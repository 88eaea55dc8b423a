"""Text that is safe to print."""

__all__ = ["printable"]

# Invisible, but part of words in Persian, of emoji and of hyphenation.
_JOINERS = "\u200c\u200d\u00ad"


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with control characters, which can command a terminal, and broken characters escaped.

    Parameters
    ----------
    text : str
        Any text, such as an id from a file.
    keep : str, default=""
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

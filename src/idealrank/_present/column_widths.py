"""The widths of columns in tables with much text."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["shares"]

#: Letters of a line on a tablet: narrower tables need no help.
_LINE = 100
#: Letters between two columns, and at the end of a line that another word does not fit.
_APART, _RAGGED = 3, 3


def shares(columns: Sequence[Sequence[str]], is_number: Sequence[bool]) -> list[int]:
    """Return the widths, in percent, with which the rows of a table have few lines.

    They are empty if every row fits one line, or if even the longest words do not.

    Parameters
    ----------
    columns : sequence of sequence of str
        The cells of each column, its heading first.
    is_number : sequence of bool
        Whether each column is numeric, and never broken.

    Examples
    --------
    >>> shares([["claim", "words " * 12], ["verdict", "holds"], ["measured", "words " * 24]], [False] * 3)
    [32, 10, 58]
    >>> shares([["system", "bm25"], ["ndcg", "0.5000"]], [False, True])
    []
    """
    lengths = [[len(cell) for cell in cells] for cells in columns]
    longest = [max(own) for own in lengths]
    words = [max(len(word) for cell in cells for word in cell.split() or [""]) for cells in columns]
    widths = [most if number else word for most, word, number in zip(longest, words, is_number, strict=True)]
    line = _LINE - _APART * len(columns)
    if sum(longest) <= line or sum(widths) > line:
        return []
    while sum(widths) < line:
        # Each step widens the column that makes rows high: the one with most lines, over the rows where it has most.
        caused = [0.0] * len(widths)
        for row in zip(*lengths, strict=True):
            n_lines = [
                length / max(width - _RAGGED, 1) if length > width else 0.0
                for length, width in zip(row, widths, strict=True)
            ]
            caused[n_lines.index(max(n_lines))] += max(n_lines)
        if not any(caused):
            break
        widths[caused.index(max(caused))] += 1
    total = sum(widths) + _APART * len(widths)
    return [math.floor(100 * (width + _APART) / total) for width in widths]

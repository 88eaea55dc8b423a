r"""Tables as LaTeX that a paper takes unchanged; all that the preamble needs is \usepackage{booktabs}.

Numbers stand at the right, so that equal digits after the decimal points align them. Marks follow a number in the space
between columns and do not move it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from idealrank._present.table import Table

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"{\ttfamily\char34}",  # OT1, the default encoding, has no other straight quotation mark
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\to$",
    **{digit: rf"\textsubscript{{{number}}}" for number, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    # An optional argument or a starred form of the command before, and ligatures.
    **{letter: f"{{{letter}}}" for letter in "[]*"},
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
#: Two of these in a row would be one other character.
_LIGATURES = re.compile(r"([-,'<>?!])(?=[-,'`<>])")
#: The longest text of a cell on one line, in characters.
_LONG = 40
#: The most columns that a text width holds at the usual size.
_MANY = 8
#: The letters that pdfLaTeX has without further packages: ASCII, Latin-1, Latin Extended-A, and punctuation.
_PDFLATEX = re.compile(r"[\u0000-\u007f\u00a1-\u017f\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2080-\u2089≤≥→]*")


def latex_text(text: str) -> str:
    r"""Return text with everything escaped that LaTeX would take for a command.

    Examples
    --------
    >>> latex_text("bm25_k1 & 50%")
    'bm25\\_k1 \\& 50\\%'
    >>> latex_text("a--b [1]")
    'a-{}-b {[}1{]}'
    """
    parted = _LIGATURES.sub("\\1\0", text)
    return "".join("{}" if letter == "\0" else _ESCAPED.get(letter, letter) for letter in parted)


def latex_table(table: Table, *, underline_second: bool = False) -> str:
    r"""Return a table as LaTeX: a tabular, within a table environment if the table has a caption.

    Parameters
    ----------
    table : Table
        The table.
    underline_second : bool
        Whether to underline the second best values.

    Returns
    -------
    str
        The source, which needs the package booktabs.

    Examples
    --------
    >>> from idealrank._present.table import Column, Table
    >>> columns, cell = [Column("system"), Column("ap", ".2f")], (0, 1)
    >>> table = Table(columns, [["a_b", 0.5]], best=frozenset({cell}), marks={cell: "†"})
    >>> print(latex_table(table), end="")
    % needs \usepackage{booktabs}
    \begin{tabular}{lr@{\phantom{\textsuperscript{\dag{}}}\hspace{\tabcolsep}}}
    \toprule
    system & ap \\
    \midrule
    a\_b & \textbf{0.50}\rlap{\textsuperscript{\dag{}}} \\
    \bottomrule
    \end{tabular}
    """
    cells = table.cells
    is_number = table.is_number
    alignment = ""
    for place, right in enumerate(is_number):
        alignment += "lr"[right]
        if widest := max((mark for (_, at), mark in table.marks.items() if at == place), key=len, default=""):
            alignment += rf"@{{\phantom{{{_raised(widest)}}}\hspace{{\tabcolsep}}}}"
    heads = [_cell(name) for name in table.headings]
    body = []
    for row, line in enumerate(cells):
        parts: list[str] = []
        for place, cell in enumerate(line):
            text = _number(cell) if is_number[place] else _cell(cell)
            if text and (row, place) in table.best:
                text = rf"\textbf{{{text}}}"
            elif text and underline_second and (row, place) in table.second:
                text = rf"\underline{{{text}}}"
            mark = table.marks.get((row, place), "")
            parts.append(text + (rf"\rlap{{{_raised(mark)}}}" if mark else ""))
        body.append(_row(parts))
    tabular = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _row(heads),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.caption:
        second = " The second best values are underlined." if underline_second and table.second else ""
        narrow = [r"\footnotesize\setlength{\tabcolsep}{3pt}"] if len(table.columns) > _MANY else []
        caption = rf"\caption{{{latex_text(table.caption + second)}}}"
        tabular = [r"\begin{table}", r"\centering", caption, r"\smallskip", *narrow, *tabular, r"\end{table}"]
    return "\n".join([*_needs(table), *tabular, ""])


def _needs(table: Table) -> Iterator[str]:
    yield r"% needs \usepackage{booktabs}"
    shown = [table.caption, *table.headings, *(cell for row in table.cells for cell in row)]
    beyond = sorted({letter for text in shown for letter in _PDFLATEX.sub("", text)})
    if beyond:
        yield f"% needs lualatex or xelatex, and a font with the characters {' '.join(beyond)}"


def _row(parts: Sequence[str]) -> str:
    return " & ".join(parts) + r" \\"


def _raised(mark: str) -> str:
    return rf"\textsuperscript{{{latex_text(mark)}}}"


def _number(text: str) -> str:
    """Return a number with a minus sign in place of the hyphen, and a dash in place of NaN."""
    if text == "nan":
        return "--"
    return rf"$-${latex_text(text[1:])}" if text.startswith("-") else latex_text(text)


def _cell(text: str) -> str:
    """Return text, in several lines if it is long."""
    if len(text) <= _LONG:
        return latex_text(text)
    words = re.sub(r"([^\s]{12})(?=\S)", "\\1\1", re.sub(r"([-_./,:;+])(?=\S)", "\\1\1", text))
    broken = latex_text(words).replace("\1", r"\hspace{0pt}")
    return rf"\parbox[t]{{0.4\linewidth}}{{\raggedright {broken}\strut}}"

"""A statement: a sentence about the world, with its kind, by which its error rate is known."""

from __future__ import annotations

__all__ = ["Statement"]


class Statement(str):
    """A sentence that a result states as a finding, and the kind of sentence that it is.

    ``tests/statements`` lists every kind, with worlds in which the truth is known; the page "How often is it wrong?" of
    the documentation has the measured error rates.

    Parameters
    ----------
    kind : str
        The kind of statement, as a literal, so that all kinds can be collected from the source.
    text : str
        The sentence.

    Examples
    --------
    >>> finding = Statement("significant difference", "a is significantly better than b.")
    >>> finding, finding.kind
    ('a is significantly better than b.', 'significant difference')
    """

    kind: str

    def __new__(cls, kind: str, text: str) -> Statement:
        statement = super().__new__(cls, text)
        statement.kind = kind
        return statement

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.kind, str(self)

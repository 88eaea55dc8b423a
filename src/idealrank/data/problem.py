"""What was met in data and given a defined meaning."""

from dataclasses import dataclass

__all__ = ["Problem"]


@dataclass(frozen=True)
class Problem:
    """Something in the data that has a defined meaning, but that its owner should know about.

    Parameters
    ----------
    kind : str
        A short name, the same for all problems of this kind.
    count : int
        How often it was met.
    message : str
        A sentence that says what was met, where, and what was done.

    Examples
    --------
    >>> problem = Problem("duplicate", 1, "1 document is repeated: the last score counts")
    >>> problem.kind, problem.count, str(problem)
    ('duplicate', 1, '1 document is repeated: the last score counts')
    """

    kind: str
    count: int
    message: str

    def __str__(self) -> str:
        return self.message

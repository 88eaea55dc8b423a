"""Irregularities in the input that have a defined meaning."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """An irregularity in the data that is handled in a defined way and reported.

    Parameters
    ----------
    kind : str
        A short name, the same for all problems of one kind.
    count : int
        How often it occurs.
    message : str
        A sentence that says what was found, where, and how it was handled.
    total : int, optional
        The number that ``count`` is a part of, if the share matters; None if it does not.
    system : str
        The system in which it was found; empty if it concerns all systems, or if there is only one.

    Examples
    --------
    >>> from idealrank.results import Problem
    >>> problem = Problem("duplicate", 1, "1 document is repeated: the last score counts")
    >>> problem.kind, problem.count, str(problem)
    ('duplicate', 1, '1 document is repeated: the last score counts')
    """

    kind: str
    count: int
    message: str
    total: int | None = None
    system: str = ""

    @property
    def share(self) -> float:
        """The count divided by the total; NaN if there is no total."""
        return self.count / self.total if self.total else float("nan")

    def __str__(self) -> str:
        return f"{self.system}: {self.message}" if self.system else self.message

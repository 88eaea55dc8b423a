"""Cutoffs: how many ranks count, k of a list of n documents."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import is_whole
from idealrank._names.options import Numbers, cannot_read, checked, number, number_text
from idealrank._names.registry import Registry
from idealrank._typing import Int64s
from idealrank.errors import OptionError

__all__ = ["Cutoff", "Fraction", "Power", "Rank", "of", "register"]


#: More ranks than any list has, and within the range of int64.
_MOST_RANKS = 2.0**62


class Cutoff(Numbers):
    """Base class of cutoffs: the number of ranks that count, which may depend on the length of the list.

    Examples
    --------
    >>> from idealrank import cutoffs
    >>> [cutoff.at(20).item() for cutoff in (cutoffs.Rank(10), cutoffs.Fraction(0.2), cutoffs.Power(0.5))]
    [10, 4, 4]
    """

    def at(self, n: npt.ArrayLike) -> Int64s:
        """Return the number of ranks that count, at least 1.

        Parameters
        ----------
        n : array-like of int
            The lengths of lists.

        Returns
        -------
        int64 array
            One number per length.
        """
        raise NotImplementedError

    def depths(self, lengths: npt.ArrayLike) -> Int64s:
        """Return `at` of these lengths, checked: everything that computes with a cutoff calls this.

        Parameters
        ----------
        lengths : array-like of int
            The lengths of lists.

        Returns
        -------
        int64 array
            One number per length.

        Raises
        ------
        OptionError
            If `at` of a cutoff of your own does not return one number of at least 1 per length.

        Examples
        --------
        >>> from idealrank import cutoffs
        >>> cutoffs.Fraction(0.2).depths([4, 10, 15])
        array([1, 2, 3])
        """
        given = np.asarray(lengths)
        try:
            ranks = np.asarray(self.at(given), np.float64)
        except (TypeError, ValueError) as error:
            raise OptionError(f"{self.label}: at(n) must accept an array of lengths, but failed: {error}") from error
        if ranks.shape != given.shape:
            found = f"an array of shape {ranks.shape} for lengths of shape {given.shape}"
            raise OptionError(f"{self.label}: at(n) must return one number of ranks per length, got {found}")
        wrong = ~(np.isfinite(ranks) & (ranks >= 1))
        if wrong.any():
            found = f"{ranks[wrong][0]:g} for a list of length {given[wrong][0]:g}"
            raise OptionError(f"{self.label}: a cutoff must be at least 1 for every length, got {found}")
        return np.floor(np.minimum(ranks, _MOST_RANKS)).astype(np.int64)


#: The cutoffs by name; `register` adds one, which is written after "@": ``ndcg@power:0.5``.
CUTOFFS: Registry[Cutoff] = Registry("cutoff", Cutoff, "10, 20% or n^0.5")
CutoffClass = TypeVar("CutoffClass", bound=type[Cutoff])


def register(name: str, *aliases: str) -> Callable[[CutoffClass], CutoffClass]:
    """Register a cutoff of your own, which is written after "@" in the name of a measure.

    Measures and losses use it like `Rank`, `Fraction` and `Power`. Its method `at` is called with an array of lengths
    of lists, and returns the number of ranks that count in each of them.

    Case, underscores and hyphens in names are ignored. A class that is defined again replaces its earlier version.

    Parameters
    ----------
    name : str
        The name, which becomes the ``label`` of the class.
    *aliases : str
        Other names for the same class.

    Returns
    -------
    callable
        A decorator of the class, which returns it unchanged.

    Raises
    ------
    OptionError
        If another cutoff has one of the names.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from idealrank import cutoffs
    >>> @cutoffs.register("all_but")
    ... @dataclass(frozen=True)
    ... class AllBut(cutoffs.Cutoff):
    ...     last: int
    ...
    ...     def at(self, n):
    ...         return np.maximum(np.asarray(n) - int(self.last), 1)
    >>> cutoffs.of("all_but:1").at([3, 10])
    array([2, 9])
    >>> import idealrank as ir
    >>> ir.measure("p@all_but:1")([1, 0, 1], [3, 2, 1])
    array([0.5])
    """
    return CUTOFFS.register(name, *aliases)


@register("rank")
@dataclass(frozen=True)
class Rank(Cutoff):
    """The first k ranks, for lists of any length: ``@10``.

    Parameters
    ----------
    k : int
        The number of ranks, at least 1.

    Examples
    --------
    >>> from idealrank import cutoffs
    >>> cutoffs.Rank(10).at([4, 100])
    array([10, 10])
    """

    k: int

    def __post_init__(self) -> None:
        given: Any = self.k
        if isinstance(given, (float, np.floating)) and float(given).is_integer():
            given = int(given)
        if not is_whole(given, 1):
            raise OptionError(
                f"a cutoff must be a positive integer or a percentage (ndcg@10, ndcg@20%), got {self.k!r}"
            )
        object.__setattr__(self, "k", int(self.k))

    def at(self, n: npt.ArrayLike) -> Int64s:
        return np.full(np.shape(n), self.k, np.int64)

    def __str__(self) -> str:
        return str(self.k)


def _fraction(value: Any) -> float:
    c = number(0, 1)(value)
    if c == 0:
        raise OptionError("a fraction of the list must be above 0")
    return c


@register("fraction")
@dataclass(frozen=True)
class Fraction(Cutoff):
    """The first c n ranks, rounded down but at least 1: ``@20%`` (Wang et al. 2013, Theorem 12).

    n is the number of ranked documents. ``@100%`` is therefore every rank of the list; the ideal ranking of NDCG has as
    many documents, while without a cutoff it has all judged ones.

    Parameters
    ----------
    c : float
        The fraction of the list, above 0 and at most 1.

    Examples
    --------
    >>> from idealrank import cutoffs
    >>> cutoffs.Fraction(0.2).at([4, 10, 15])
    array([1, 2, 3])
    """

    c: float = field(metadata=checked(_fraction))

    def at(self, n: npt.ArrayLike) -> Int64s:
        # The small term is for rounding: 0.29 * 100 is 28.999999999999996.
        return np.maximum(np.floor(self.c * np.asarray(n, np.float64) + 1e-9), 1).astype(np.int64)

    def __str__(self) -> str:
        percent = f"{100 * self.c:.12g}"
        return f"{percent}%" if float(percent) / 100 == self.c else repr(self.c)


@register("power")
@dataclass(frozen=True)
class Power(Cutoff):
    """The first n^p ranks, rounded down: ``@n^0.5`` grows more slowly than the list (Wang et al. 2013, Theorem 11).

    Parameters
    ----------
    exponent : float
        The exponent p, between 0 and 1.

    Examples
    --------
    >>> from idealrank import cutoffs
    >>> cutoffs.Power(0.5).at([9, 10, 1_000_000])
    array([   3,    3, 1000])
    """

    exponent: float = field(metadata=checked(number(0, 1, is_open=True)))

    def at(self, n: npt.ArrayLike) -> Int64s:
        return np.maximum(np.floor(np.asarray(n, np.float64) ** self.exponent + 1e-9), 1).astype(np.int64)

    def __str__(self) -> str:
        return f"n^{number_text(self.exponent)}"


#: What :func:`of` turns into a cutoff; None means the whole list.
CutoffLike: TypeAlias = int | float | str | Cutoff | None


def of(value: CutoffLike) -> Cutoff | None:
    """Return the cutoff that is written as 10, 0.2, "20%" or "n^0.5"; None means the whole list.

    A whole number is a number of ranks, and a number below 1 is a fraction of the list. The number 1.0 could be either,
    so it is an error: write 1 or "100%".

    Parameters
    ----------
    value : int, float, str, Cutoff or None
        A cutoff in any of these forms, or a Cutoff, which is returned unchanged.

    Returns
    -------
    Cutoff or None
        The cutoff.

    Raises
    ------
    OptionError
        If the value is not a cutoff.

    Examples
    --------
    >>> from idealrank import cutoffs
    >>> cutoffs.of(10), cutoffs.of(0.2), cutoffs.of("20%"), cutoffs.of("n^0.5"), cutoffs.of(None)
    (Rank(k=10), Fraction(c=0.2), Fraction(c=0.2), Power(exponent=0.5), None)
    """
    if value is None or isinstance(value, Cutoff):
        return value
    try:
        if isinstance(value, str):
            if CUTOFFS.knows(value) or ":" in value:
                return CUTOFFS.of(value)
            if value.endswith("%"):
                percent = float(value[:-1])
                if not 0 < percent <= 100:
                    raise OptionError(f"a fraction of the list must be above 0% and at most 100%, got {value}")
                return Fraction(percent / 100)
            if value.startswith("n^"):
                return Power(float(value[2:]))
            value = int(value) if value.strip("+-").isdecimal() else float(value)
        if isinstance(value, (float, np.floating)):
            if 0 < value < 1:
                return Fraction(float(value))
            if value == 1:
                raise OptionError(f"{value} has two readings: write 1 for the first rank, or '100%' for the whole list")
            if not math.isfinite(value):
                raise OptionError(f"a cutoff must be finite, got {value!r}; leave it out for the whole list")
        return Rank(value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise cannot_read("cutoff", value, "write 10, 20%, n^0.5, or nothing for the whole list") from None

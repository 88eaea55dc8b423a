"""Discounts: how much a rank counts.

A discount is a frozen value; called with ranks (from 1), it returns their weights. In the name of a measure it is
written ``log:2``, ``power:0.5``, ``zipf``, ``geometric:2``, ``linear``, ``letor`` or ``table:1:0.5:0.2``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._names.options import Numbers, checked, number, number_text, option
from idealrank._names.registry import Registry
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError

__all__ = ["Discount", "Geometric", "Letor", "Linear", "Log", "Power", "Table", "Zipf", "of", "register"]

_PART = 1 << 20  # ranks between two points at which Ctrl-C is handled


class Discount(Numbers):
    """Base class of discounts: values that return the weights of ranks, and whose text form can be parsed.

    Examples
    --------
    >>> from idealrank import discounts
    >>> [str(each) for each in (discounts.Log(), discounts.Power(0.5), discounts.Table([1, 0.5]))]
    ['log:2', 'power:0.5', 'table:1:0.5']
    """

    #: Whether no weight is larger than an earlier one, or negative, whatever the options are.
    decreases: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__call__" in vars(cls) and "decreases" not in vars(cls):
            cls.decreases = False  # other weights than those of the base class

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        """Return the weight of each rank.

        Parameters
        ----------
        ranks : array-like of int
            Ranks, counted from 1.
        n : int, optional
            The length of the list, which only `Linear` needs.

        Returns
        -------
        float64 array
            One weight per rank.
        """
        raise NotImplementedError

    def weights(self, n: int) -> Floats:
        """Return the weights of the ranks 1 to n.

        Parameters
        ----------
        n : int
            The number of ranks.

        Returns
        -------
        float64 array of shape (n,)
            The weights.

        Examples
        --------
        >>> from idealrank import discounts
        >>> discounts.Zipf().weights(4)
        array([1.        , 0.5       , 0.33333333, 0.25      ])
        """
        weights = np.empty(max(n, 0))
        for start in range(0, n, _PART):
            weights[start : start + _PART] = self(np.arange(start + 1, min(start + _PART, n) + 1), n)
        return weights

    def require_decreasing(self, what: str, n: int = 1000) -> None:
        """Check that the weights start above 0, do not increase and are not negative.

        Parameters
        ----------
        what : str
            What needs such a discount, for the message.
        n : int
            The number of ranks that are checked, unless the class never increases.

        Raises
        ------
        OptionError
            If one of these does not hold.
        """
        if self.decreases:
            return
        weights = self.weights(n)
        rises = np.flatnonzero(np.diff(weights) > 0)
        if rises.size or (weights < 0).any() or not (weights[:1] > 0).all():
            where = f"; it increases at rank {rises[0] + 2}" if rises.size else ""
            raise OptionError(
                f"{what} needs a discount that starts above 0, does not increase and is not negative, got {self}{where}"
            )

    def native(self, depth: int) -> _native.Discount:
        """Return the discount in the form that the native core takes.

        Parameters
        ----------
        depth : int
            The number of ranks that are needed.

        Returns
        -------
        _native.Discount
        """
        return _native.Discount(weights=self.weights(depth))

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Return the weights of positions between ranks, and their derivatives.

        A discount without a formula is interpolated linearly between ranks.

        Parameters
        ----------
        positions : array-like
            Positions of at least 1.
        n : array-like, optional
            The length of each list, which only `Linear` needs.

        Returns
        -------
        weights, derivatives : float64 arrays
            One number per position.

        Examples
        --------
        >>> from idealrank import discounts
        >>> discounts.Table([1, 0.5]).at([1.5, 2.5])
        (array([0.75, 0.25]), array([-0.5, -0.5]))
        """
        place = np.asarray(positions, np.float64)
        rank = np.floor(place)
        first, second = self(rank), self(rank + 1)
        return first + (place - rank) * (second - first), second - first


#: The discounts by name; `register` adds one.
DISCOUNTS: Registry[Discount] = Registry("discount", Discount, "log:2, power:0.5 or table:1:0.5")
DiscountClass = TypeVar("DiscountClass", bound=type[Discount])


def register(name: str, *aliases: str) -> Callable[[DiscountClass], DiscountClass]:
    """Register a discount of your own, which measures and losses then take by name.

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
        If another discount has one of the names.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from idealrank import discounts, measure
    >>> @discounts.register("reciprocal")
    ... @dataclass(frozen=True)
    ... class Reciprocal(discounts.Discount):
    ...     a: float = 1.0
    ...
    ...     def __call__(self, ranks, n=None):
    ...         return 1 / (1 + self.a * (ranks - 1))
    >>> measure("dcg(discount=reciprocal:0.5)")([0, 1], [0.9, 0.1])
    array([0.66666667])
    """
    return DISCOUNTS.register(name, *aliases)


@register("log")
@dataclass(frozen=True)
class Log(Discount):
    """D(r) = 1 / log_b(1 + r): the standard discount. The base cancels in NDCG, but not in DCG.

    Parameters
    ----------
    base : float
        The base of the logarithm, above 1.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.Log()([1, 3, 7])
    array([1.        , 0.5       , 0.33333333])
    """

    decreases = True
    base: float = option(number(1, is_open=True), 2.0)

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        above = np.asarray(ranks, np.float64) + 1
        return 1 / np.log2(above) if self.base == 2 else math.log(self.base) / np.log(above)

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        above = np.asarray(positions, np.float64) + 1
        logs = np.log(above)
        # Signals such as Ctrl-C are handled between calls, not between operators, so no step may be long.
        weights = np.divide(math.log(self.base), logs)
        return weights, np.divide(np.negative(weights), np.multiply(above, logs))


@register("power")
@dataclass(frozen=True)
class Power(Discount):
    """D(r) = r^-beta (Wang et al. 2013, Theorem 7, for 0 < beta < 1).

    Parameters
    ----------
    beta : float
        The exponent, at least 0.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.Power(0.5)([1, 4])
    array([1. , 0.5])
    """

    decreases = True
    beta: float = field(metadata=checked(number(0)))

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return np.asarray(ranks, np.float64) ** -self.beta

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        weights = self(positions)
        return weights, -self.beta * weights / np.asarray(positions, np.float64)


@register("zipf")
@dataclass(frozen=True)
class Zipf(Discount):
    """D(r) = 1 / r.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.Zipf()([1, 2, 4])
    array([1.  , 0.5 , 0.25])
    """

    decreases = True

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return 1 / np.asarray(ranks, np.float64)

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        weights = self(positions)
        return weights, -(weights**2)


@register("geometric")
@dataclass(frozen=True)
class Geometric(Discount):
    """D(r) = b^-r, which decreases so fast that NDCG does not converge (Wang et al. 2013, Theorem 10).

    Parameters
    ----------
    base : float
        The base b, above 1.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.Geometric(2)([1, 2, 3])
    array([0.5  , 0.25 , 0.125])
    """

    decreases = True
    base: float = option(number(1, is_open=True), 2.0)

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return self.base ** -np.asarray(ranks, np.float64)

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        weights = self(positions)
        return weights, -math.log(self.base) * weights


@register("linear")
@dataclass(frozen=True)
class Linear(Discount):
    """D(r) = n - r for a list of n documents (Jin and Geng 2013, eq. (1)); never below 0.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.Linear()([1, 2, 3], 3)
    array([2., 1., 0.])
    """

    decreases = True

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return self.at(ranks, n)[0]

    def native(self, depth: int) -> _native.Discount:
        return _native.Discount(linear=True)

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        if n is None:
            raise OptionError("the linear discount depends on the length of the list: call it with n")
        below = np.asarray(n) - np.asarray(positions, np.float64)
        return np.maximum(below, 0), np.where(below > 0, -1.0, 0.0)


@register("letor")
@dataclass(frozen=True)
class Letor(Discount):
    """D(1) = D(2) = 1, and D(r) = 1 / log2(r) for r > 2: the discount of the evaluation scripts of LETOR 1.0 to 4.0.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.Letor()([1, 2, 4, 8])
    array([1.        , 1.        , 0.5       , 0.33333333])
    """

    decreases = True

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return 1 / np.log2(np.maximum(np.asarray(ranks, np.float64), 2))

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        place = np.asarray(positions, np.float64)
        inside = np.maximum(place, 2)
        weights = 1 / np.log2(inside)
        return weights, np.where(place > 2, -weights / (inside * np.log(inside)), 0.0)


@register("table")
@dataclass(frozen=True, init=False)
class Table(Discount):
    """The weights of the ranks 1, 2, 3, ... from a table; ranks beyond the table have the weight 0.

    Parameters
    ----------
    *values : sequence or float
        The weights, as a sequence or as separate arguments. They may increase, and be negative: the ideal ranking then
        has the largest gain at the rank with the largest weight. Most of the theory, and losses that push relevant
        documents up, need weights that do not increase.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.Table([1, 0.5])([1, 2, 3])
    array([1. , 0.5, 0. ])

    A reader who pays attention to the first and the last of three documents:

    >>> from idealrank import measures
    >>> ndcg = measures.NDCG(gain="linear", discount=[0.5, 0.1, 0.4])
    >>> ndcg([2, 0, 1], [3, 2, 1]), ndcg([2, 1, 0], [3, 2, 1])
    (array([1.]), array([0.78571429]))
    >>> discounts.Table.tabulate(lambda ranks: 1 / ranks**2, 3).values
    (1.0, 0.25, 0.1111111111111111)
    """

    values: tuple[float, ...]

    def __init__(self, *values: Sequence[float] | float) -> None:
        table = values[0] if len(values) == 1 and isinstance(values[0], (Sequence, np.ndarray)) else values
        try:
            weights = tuple(float(value) for value in table)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise OptionError(f"a discount table must hold numbers, got {table!r}") from None
        if not weights or not all(map(math.isfinite, weights)):
            raise OptionError(f"a discount table needs finite weights for at least rank 1, got {weights}")
        object.__setattr__(self, "values", weights)

    @classmethod
    def tabulate(cls, function: Callable[[Floats], npt.ArrayLike], n: int) -> Table:
        """Return the table of any discount function.

        Parameters
        ----------
        function : callable
            Called once with the ranks 1 to n as floats; returns their weights.
        n : int
            The number of ranks.

        Returns
        -------
        Table
        """
        return cls(np.asarray(function(np.arange(1.0, n + 1)), np.float64).tolist())

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        places = np.asarray(ranks, np.int64) - 1
        if places.min(initial=0) < 0:
            raise DataError(f"ranks count from 1, got {places.min() + 1}")
        return np.asarray((*self.values, 0.0), np.float64).take(places.clip(max=len(self.values)))

    def __str__(self) -> str:
        return ":".join([self.label, *map(number_text, self.values)])


#: What :func:`of` turns into a discount.
DiscountLike: TypeAlias = str | Discount | Sequence[float]


def of(value: DiscountLike) -> Discount:
    """Return the discount with this name or these weights; a discount is returned unchanged.

    Parameters
    ----------
    value : str, Discount or sequence of float
        A name such as "log" or "power:0.5", the weights of the ranks 1, 2, ..., or a discount.

    Returns
    -------
    Discount
        The discount.

    Raises
    ------
    OptionError
        If the value is not a discount.

    Examples
    --------
    >>> from idealrank import discounts
    >>> discounts.of("log"), discounts.of("power:0.5")
    (Log(base=2.0), Power(beta=0.5))
    """
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes)):
        return Table(value)
    return DISCOUNTS.of(value)

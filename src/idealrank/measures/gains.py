"""Gains: what a document with a given label is worth.

A gain is a frozen value; called with labels, it returns their gains. In the name of a measure it is written ``exp2``,
``linear``, ``binary:1`` or ``table:0:1:3`` (the gains of the labels 0, 1, 2, ...).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank._names.options import Numbers, ParsedName, number, number_text, option
from idealrank._names.registry import Registry
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError

__all__ = ["Binary", "Exp2", "Gain", "Linear", "Partial", "Table", "of", "register"]


class Gain(Numbers):
    """Base class of gains: values that return one number per label, and whose text form can be parsed.

    Examples
    --------
    >>> from idealrank import gains
    >>> [str(gain) for gain in (gains.Exp2(), gains.Linear(), gains.Binary(2), gains.Table([0, 1, 3]))]
    ['exp2', 'linear', 'binary:2', 'table:0:1:3']
    """

    def __call__(self, labels: npt.ArrayLike) -> Floats:
        """Return the gain of each label.

        Parameters
        ----------
        labels : array-like
            The labels of documents.

        Returns
        -------
        float64 array
            One gain per label.
        """
        raise NotImplementedError


#: The gains by name; `register` adds one.
GAINS: Registry[Gain] = Registry("gain", Gain, "exp2, binary:2 or table:0:1:3")
GainClass = TypeVar("GainClass", bound=type[Gain])


def register(name: str, *aliases: str) -> Callable[[GainClass], GainClass]:
    """Register a gain of your own, which measures then take by name.

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
        If another gain has one of the names.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from idealrank import gains, measure
    >>> @gains.register("root")
    ... @dataclass(frozen=True)
    ... class Root(gains.Gain):
    ...     degree: float = 2.0
    ...
    ...     def __call__(self, labels):
    ...         return np.asarray(labels, np.float64) ** (1 / self.degree)
    >>> gains.of("root")([0, 1, 4])
    array([0., 1., 2.])
    >>> measure("dcg(gain=root:2)")([4, 0], [0.9, 0.1])
    array([2.])
    """
    return GAINS.register(name, *aliases)


@register("exp2")
@dataclass(frozen=True)
class Exp2(Gain):
    """G(l) = 2^l - 1: the usual gain in learning to rank (Burges et al. 2005).

    Parameters
    ----------
    highest : float, optional
        The highest allowed label, written ``exp2:30``; a higher label is a DataError, as in tools that have a table of
        gains. None means no limit.

    Examples
    --------
    >>> from idealrank import gains
    >>> gains.Exp2()([0, 1, 2, 3])
    array([0., 1., 3., 7.])
    """

    highest: float | None = option(number(0))

    def __call__(self, labels: npt.ArrayLike) -> Floats:
        wanted = np.asarray(labels, np.float64)
        above = np.flatnonzero(wanted > (np.inf if self.highest is None else self.highest))
        if above.size:
            row = int(above[0])
            raise DataError(f"the gain takes labels up to {self.highest:g}, got {wanted.flat[row]:g}", row=row)
        # In place: memory that is freed between arrays that stay is not returned to the
        # system, which matters for long lists.
        worth = np.asarray(np.exp2(wanted))
        np.subtract(worth, 1, out=worth)
        near = (wanted > -1) & (wanted < 1) & (wanted != 0)  # where the difference would cancel
        worth[near] = np.expm1(wanted[near] * math.log(2))
        return worth

    def __str__(self) -> str:
        return self.label if self.highest is None else super().__str__()


@register("linear")
@dataclass(frozen=True)
class Linear(Gain):
    """G(l) = l: the gain of trec_eval and of Järvelin and Kekäläinen 2002.

    Examples
    --------
    >>> from idealrank import gains
    >>> gains.Linear()([0, 1, 2, 3])
    array([0., 1., 2., 3.])
    """

    def __call__(self, labels: npt.ArrayLike) -> Floats:
        return np.array(labels, np.float64)


@register("binary")
@dataclass(frozen=True)
class Binary(Gain):
    """G(l) = 1 for labels of at least ``rel``, otherwise 0: a document is relevant or not.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant document.

    Examples
    --------
    >>> from idealrank import gains
    >>> gains.Binary()([0, 1, 2]), gains.Binary(2)([0, 1, 2])
    (array([0., 1., 1.]), array([0., 0., 1.]))
    """

    rel: float = option(number(), 1.0)

    def __call__(self, labels: npt.ArrayLike) -> Floats:
        return (np.asarray(labels, np.float64) >= self.rel).astype(np.float64)


@register("table")
@dataclass(frozen=True, init=False)
class Table(Gain):
    """The gain of each label from a table; any other label is a DataError.

    Parameters
    ----------
    *gains : mapping, sequence or float
        A mapping of labels to gains, or the gains of the labels 0, 1, 2, ..., as a sequence or as separate arguments.

    Examples
    --------
    >>> from idealrank import gains
    >>> gains.Table({0: 0, 1: 1, 4: 10})([4, 0])
    array([10.,  0.])
    >>> str(gains.Table([0, 1, 3]))
    'table:0:1:3'
    """

    labels: tuple[float, ...]
    gains: tuple[float, ...]

    def __init__(self, *gains: Mapping[float, float] | Sequence[float] | float) -> None:
        table = gains[0] if len(gains) == 1 and isinstance(gains[0], (Mapping, Sequence, np.ndarray)) else gains
        try:
            items = table.items() if isinstance(table, Mapping) else enumerate(table)
            pairs = sorted((float(label), float(gain)) for label, gain in items)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise OptionError(f"a gain table must map numbers to numbers, got {table!r}") from None
        if not pairs or not np.isfinite(pairs).all():
            raise OptionError(f"a gain table needs finite gains for at least one label, got {table!r}")
        object.__setattr__(self, "labels", tuple(label for label, _ in pairs))
        object.__setattr__(self, "gains", tuple(gain for _, gain in pairs))

    @classmethod
    def from_parsed(cls, parsed: ParsedName) -> Self:
        if not any(">" in value for value in parsed.values):
            return super().from_parsed(parsed)
        pairs = [value.split(">") for value in parsed.values]
        table = {float(label): float(gain) for label, gain in pairs}
        if len(table) < len(pairs):
            raise OptionError(f"a label is repeated in the gain {parsed.text!r}")
        return cls(table)

    def __call__(self, labels: npt.ArrayLike) -> Floats:
        wanted = np.asarray(labels, np.float64)
        places = np.searchsorted(self.labels, wanted).clip(max=len(self.labels) - 1)
        unknown = np.flatnonzero(np.asarray(self.labels)[places] != wanted)
        if unknown.size:
            row = int(unknown[0])
            raise DataError(f"the gain table has no label {wanted.flat[row]:g}; it has {self.labels}", row=row)
        return np.asarray(self.gains, np.float64).take(places)

    def __str__(self) -> str:
        if self.labels == tuple(range(len(self.labels))):
            return ":".join([self.label, *map(number_text, self.gains)])
        pairs = zip(self.labels, self.gains, strict=True)
        return ":".join([self.label, *(f"{number_text(label)}>{number_text(gain)}" for label, gain in pairs)])


@register("partial")
@dataclass(frozen=True, init=False)
class Partial(Table):
    """The gain of some labels from a table, given as for `Table`; any other label is its own gain, as in trec_eval.

    Examples
    --------
    >>> from idealrank import gains
    >>> gains.Partial({1: 3})([0, 1, 2])
    array([0., 3., 2.])
    >>> str(gains.Partial({1: 3}))
    'partial:1>3'
    """

    def __call__(self, labels: npt.ArrayLike) -> Floats:
        worth = np.array(labels, np.float64)
        known = np.isin(worth, self.labels)
        worth[known] = super().__call__(worth[known])
        return worth


#: What :func:`of` turns into a gain.
GainLike: TypeAlias = str | Gain | Mapping[float, float] | Sequence[float]


def of(value: GainLike) -> Gain:
    """Return the gain with this name or table; a gain is returned unchanged.

    Parameters
    ----------
    value : str, Gain, mapping or sequence
        A name such as "exp2" or "binary:2", the gains of the labels as in `Table`, or a gain.

    Returns
    -------
    Gain
        The gain.

    Raises
    ------
    OptionError
        If the value is not a gain.

    Examples
    --------
    >>> from idealrank import gains
    >>> gains.of("linear"), gains.of("table:0>0:2>5")
    (Linear(), Table(labels=(0.0, 2.0), gains=(0.0, 5.0)))
    """
    if isinstance(value, (Mapping, Sequence, np.ndarray)) and not isinstance(value, (str, bytes)):
        return Table(value)
    return GAINS.of(value)

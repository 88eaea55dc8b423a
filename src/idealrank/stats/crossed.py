"""Crossed variance components: queries, runs and judges, or any other factors, with one value for each combination."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import check_count, items_of
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank.data.columns import float_array
from idealrank.errors import DataError, OptionError
from idealrank.stats.samples import complete_queries


@dataclass(frozen=True)
class CrossedComponents(Result):
    """The result of `crossed_components`.

    Parameters
    ----------
    sizes : mapping of str to int
        The number of values of each factor.
    components : mapping of str to float
        The variance by factor, such as "judges", and by interaction, such as "queries x judges"; an estimate below 0
        is set to 0. The last one includes noise.

    Examples
    --------
    >>> from idealrank.stats import crossed_components
    >>> found = crossed_components([[0.0, 0.2], [0.5, 0.7], [1.0, 1.2]], ["queries", "judges"])
    >>> {name: round(variance, 6) for name, variance in found.components.items()}
    {'queries': 0.25, 'judges': 0.02, 'queries x judges': 0.0}
    """

    sizes: Mapping[str, int]
    components: Mapping[str, float]

    def tables(self) -> Mapping[str, Table]:
        """Return "components", with the variances, and "standard errors", with twice as many of each factor."""
        variances: list[list[Value]] = [[name, variance] for name, variance in self.components.items()]
        errors: list[list[Value]] = [["as they are", *self.sizes.values(), self.standard_error]]
        for name, error in self.if_doubled.items():
            counts = {**self.sizes, name: 2 * self.sizes[name]}
            errors.append([f"twice the {name}", *counts.values(), error])
        columns = [Column(""), *(Column(name, ",") for name in self.sizes), Column("standard error", ".4f")]
        return {
            "components": Table([Column("of"), Column("variance", ".6f")], variances),
            "standard errors": Table(columns, errors),
        }

    @property
    def standard_error(self) -> float:
        """The standard error of the mean for new values of all factors."""
        return self.standard_error_with({})

    @property
    def if_doubled(self) -> dict[str, float]:
        """{factor: the standard error with twice as many of it}; the smallest is that of which more would help most."""
        return {name: self.standard_error_with({name: 2 * size}) for name, size in self.sizes.items()}

    def standard_error_with(self, sizes: Mapping[str, int]) -> float:
        """Return the standard error that the mean would have with other numbers of queries, runs or judges.

        Parameters
        ----------
        sizes : mapping of str to int
            The number of values by factor; others keep theirs.

        Returns
        -------
        float
        """
        if unknown := [name for name in sizes if name not in self.sizes]:
            raise OptionError(f"expected one of {', '.join(self.sizes)}, got {unknown[0]!r}")
        for name, size in sizes.items():
            check_count(size, name)
        counts = {**self.sizes, **sizes}
        parts = (
            variance / math.prod(counts[factor] for factor in name.split(" x "))
            for name, variance in self.components.items()
        )
        return math.sqrt(sum(parts))


def crossed_components(
    values: npt.ArrayLike, factors: Sequence[str] = ("queries", "runs", "judges")
) -> CrossedComponents:
    """Split the variance of values into crossed random factors, such as queries, runs and judges, and interactions.

    A value is a mean plus independent random effects of each factor and of each combination of factors. Estimates are
    those of the analysis of variance, which are unbiased before those below 0 are set to 0.

    Parameters
    ----------
    values : array-like
        values[query, run, judge], or another array with an axis per factor. Queries with NaN are left out.
    factors : sequence of str
        Names of the axes.

    Returns
    -------
    CrossedComponents
        The variances, and the standard errors of the mean that follow.

    Raises
    ------
    OptionError
        If the factors are not a list of names.
    DataError
        If an axis has fewer than two values, there is not one name per axis, or a value is infinite.

    References
    ----------
    R. L. Brennan (2001): Generalizability Theory, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.stats import crossed_components
    >>> rng = np.random.default_rng(0)
    >>> values = 0.5 + 0.2 * rng.normal(size=(40, 1, 1)) + 0.1 * rng.normal(size=(1, 1, 4)) + np.zeros((40, 3, 4))
    >>> found = crossed_components(values)
    >>> min(found.if_doubled, key=found.if_doubled.get)
    'judges'
    """
    array, factors = float_array(values, "values"), list(items_of(factors, "factors"))
    if not all(isinstance(name, str) for name in factors):
        raise OptionError(f"factors must be a list of names, got {factors!r}")
    if not factors or array.ndim != len(factors) or len(set(factors)) < len(factors):
        raise DataError(
            f"expected an axis for each of {', '.join(factors) or 'several factors'}, got shape {array.shape}"
        )
    matrix, _ = complete_queries(array.reshape(len(array), -1))
    array = matrix.reshape(-1, *array.shape[1:])
    sizes = dict(zip(factors, array.shape, strict=True))
    if few := [f"{size} of {name}" for name, size in sizes.items() if size < 2]:
        raise DataError(f"variance components need two or more of each factor, got {', '.join(few)}")
    axes = range(array.ndim)
    squares: dict[tuple[int, ...], float] = {}
    effects: dict[tuple[int, ...], npt.NDArray[np.float64]] = {(): np.asarray(array.mean(keepdims=True))}
    for kept in _subsets(axes):
        others = tuple(axis for axis in axes if axis not in kept)
        below = sum(effects[each] for each in effects if set(each) < set(kept))
        effects[kept] = array.mean(axis=others, keepdims=True) - below
        degrees = math.prod(array.shape[axis] - 1 for axis in kept)
        squares[kept] = float(np.square(effects[kept]).sum()) * _size(array.shape, others) / degrees
    components = {}
    for kept in squares:
        others = tuple(axis for axis in axes if axis not in kept)
        signed = ((-1) ** (len(more) - len(kept)) * square for more, square in squares.items() if {*kept} <= {*more})
        components[" x ".join(factors[axis] for axis in kept)] = max(sum(signed) / _size(array.shape, others), 0.0)
    return CrossedComponents(sizes, components)


def _subsets(axes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all subsets but the empty one, smaller ones first."""
    for size in range(1, len(axes) + 1):
        yield from combinations(axes, size)


def _size(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    return math.prod(shape[axis] for axis in axes)

"""Sums without rounding error: mean and variance do not depend on how the values are split into batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from idealrank._typing import Booleans, Floats
from idealrank.errors import DataError

if TYPE_CHECKING:
    from fractions import Fraction

#: The range of values without limits.
UNBOUNDED = (-math.inf, math.inf)
_LEAST_EXPONENT = -1074  # one less than the exponent of the smallest positive double, as given by frexp
_N_EXPONENTS = 1024 - _LEAST_EXPONENT + 1
_LOW_BITS = 27
_ROUNDING = 2.0**-53  # the largest relative error of one operation
_LEAST_SQUARED = 1e-100  # squares of smaller values, or their rounding errors, may vanish
_AT_ONCE = 1 << 20  # values between two moments at which Ctrl-C is answered


class ExactSum:
    """Exact sum of doubles, stored as one pair of integers per exponent; the order of addition does not matter.

    Examples
    --------
    >>> total = ExactSum()
    >>> total.add(np.array([1e100, 1.0, -1e100]))
    >>> float(total.value)
    1.0
    """

    def __init__(self) -> None:
        # A double is a 53-bit integer times a power of two. Its high and low half are summed separately, so that an
        # int64 can hold the sum of 2^36 of them.
        self._halves = np.zeros((2, _N_EXPONENTS), np.int64)

    def add(self, values: Floats) -> None:
        """Add finite values."""
        if not np.isfinite(values).all():
            raise DataError("only finite values can be summed")
        for start in range(0, values.size, _AT_ONCE):
            fractions, exponents = np.frexp(values[start : start + _AT_ONCE])
            integers = np.ldexp(fractions, 53).astype(np.int64)
            places = exponents - _LEAST_EXPONENT
            for half, part in zip(
                self._halves, (integers >> _LOW_BITS, integers & ((1 << _LOW_BITS) - 1)), strict=True
            ):
                np.add.at(half, places, part)

    def merge(self, other: ExactSum) -> None:
        """Add another sum."""
        self._halves += other._halves

    @property
    def value(self) -> Fraction:
        """The exact sum."""
        from fractions import Fraction  # it imports decimal, and a mean needs neither

        return Fraction(*self.ratio)

    @property
    def ratio(self) -> tuple[int, int]:
        """The exact sum, as a numerator and a denominator."""
        places = np.flatnonzero(self._halves.any(axis=0)).tolist()
        if not places:
            return 0, 1
        total, least = 0, places[0]
        for place, high, low in zip(places, *self._halves[:, places].tolist(), strict=True):
            total += ((high << _LOW_BITS) + low) << (place - least)
        exponent = least + _LEAST_EXPONENT - 53
        return (total << exponent, 1) if exponent >= 0 else (total, 1 << -exponent)


class Moments:
    """Count, mean and variance of values, rounded only once, on access; a NaN makes both NaN.

    Parameters
    ----------
    aggregate : {"mean", "geometric", "sum"}
        What ``mean`` is: the mean of the values; its exponential, for logarithms of values; or their sum, which has no
        interval.
    value_range : tuple of float
        The lowest and the highest value that can occur, or infinities.

    Examples
    --------
    >>> moments = Moments.of(np.array([0.1] * 10))
    >>> moments.mean, moments.variance
    (0.1, 0.0)
    """

    def __init__(self, aggregate: str = "mean", value_range: tuple[float, float] = UNBOUNDED) -> None:
        self.aggregate, self.value_range = aggregate, value_range
        self.count = 0
        self._extremes = math.inf, -math.inf
        self._has_nan = False
        self._sum, self._squares = ExactSum(), ExactSum()

    @classmethod
    def of(cls, values: Floats, aggregate: str = "mean", value_range: tuple[float, float] = UNBOUNDED) -> Moments:
        """Return the moments of these values."""
        moments = Moments(aggregate, value_range)
        moments.add(values)
        return moments

    def add(self, values: Floats) -> None:
        """Add values."""
        self.count += values.size
        missing = np.isnan(values)
        if missing.any():
            self._has_nan = True
            values = values[~missing]
        self._see(values)
        self._sum.add(values)
        for start in range(0, values.size, _AT_ONCE):
            some = values[start : start + _AT_ONCE]
            for part in _product(some, some):
                self._squares.add(part)

    def _see(self, values: Floats) -> None:
        if values.size:
            least, most = self._extremes
            self._extremes = min(least, float(values.min())), max(most, float(values.max()))

    def merge(self, other: Moments) -> None:
        """Add the values of another object."""
        self.count += other.count
        self._see(np.array([each for each in other._extremes if math.isfinite(each)]))
        self._has_nan |= other._has_nan
        self._sum.merge(other._sum)
        self._squares.merge(other._squares)

    @property
    def limits(self) -> tuple[float, float]:
        """The range of the values, or infinities if one of them is beyond it by more than rounding."""
        return _limits(self.value_range, *self._extremes)

    @property
    def effective_count(self) -> float:
        """The number of values, or for weighted ones, how many of equal weight would have a mean of this precision."""
        return self.count

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the variance."""
        return self.effective_count - 1

    @property
    def center(self) -> float:
        """The mean of the values, rounded once; NaN without values."""
        if not self.count or self._has_nan:
            return math.nan
        numerator, denominator = self._sum.ratio
        return numerator / (denominator * self.count)  # of integers: rounded once

    @property
    def mean(self) -> float:
        """The mean, or another aggregate, over the values; NaN without values."""
        if self.aggregate == "geometric":
            return math.exp(self.center)
        return self.total if self.aggregate == "sum" else self.center

    @property
    def total(self) -> float:
        """The sum of the values, rounded once; NaN without values."""
        numerator, denominator = self._sum.ratio
        return math.nan if not self.count or self._has_nan else numerator / denominator

    @property
    def variance(self) -> float:
        """The sample variance, with denominator n - 1, rounded once; NaN for fewer than two values."""
        if self.count < 2 or self._has_nan:
            return math.nan
        if self._extremes[0] == self._extremes[1]:
            return 0.0  # squares of tiny values lose digits
        n, total = self.count, self._sum.value
        return max(float((self._squares.value - total * total / n) / (n - 1)), 0.0)


class WeightedMoments(Moments):
    """Moments of a weighted mean over values that all count; the variance is that of the `linearized` values.

    Values of weight 0 are left out. With equal weights, everything is as without.

    Parameters
    ----------
    values, weights : float64 arrays
        The values, and one non-negative weight each.
    aggregate : {"mean", "geometric", "sum"}
        As for `Moments`.

    Examples
    --------
    >>> moments = WeightedMoments(np.array([0.0, 1.0, 0.5]), np.array([1.0, 3.0, 0.0]))
    >>> moments.count, moments.mean, WeightedMoments(np.array([0.0, 1.0]), np.array([2.0, 2.0])).variance
    (2, 0.75, 0.5)
    """

    def __init__(
        self, values: Floats, weights: Floats, aggregate: str = "mean", value_range: tuple[float, float] = UNBOUNDED
    ) -> None:
        super().__init__(aggregate, value_range)
        values, weights = values[weights > 0], weights[weights > 0]
        self._weighted_mean = _weighted_mean(values, weights)
        self.add(linearized(values, weights))
        self._extremes = math.inf, -math.inf
        self._see(values[~np.isnan(values)])
        self._effective_count: float = self.count
        if weights.size and np.ptp(weights) > 0:
            self._effective_count = 1 / float(np.square(weights / weights.sum()).sum())

    @property
    def effective_count(self) -> float:
        """(sum of weights)^2 / sum of squared weights (Kish 1965)."""
        return self._effective_count

    @property
    def variance(self) -> float:
        """The variance of the weighted mean, times the effective number of values."""
        if self.count > 1 and self._extremes[0] == self._extremes[1]:
            return 0.0  # linearized values are rounded
        return super().variance * (self.effective_count / max(self.count, 1))

    @property
    def center(self) -> float:
        """The weighted mean, rounded once; NaN without values."""
        return self._weighted_mean

    @property
    def total(self) -> float:
        """The weighted mean, times the number of values."""
        return self.center * self.count

    def merge(self, other: Moments) -> None:
        """Refuse: a weighted mean is not made of the means of its parts alone."""
        raise DataError("weighted means cannot be merged")


def linearized(values: Floats, weights: Floats) -> Floats:
    """Return values whose plain mean and its variance are those of the weighted mean of the given ones.

    The weighted mean m is a ratio of two sums over queries. Linearized at m (Taylor series, as for ratio estimates from
    samples), query i contributes m + n w_i (v_i - m) / sum(w).

    Parameters
    ----------
    values, weights : float64 arrays
        The values, and one positive weight each.

    Returns
    -------
    float64 array
        One value each; the given ones if all weights are equal.

    Examples
    --------
    >>> linearized(np.array([0.0, 1.0]), np.array([1.0, 3.0]))
    array([0.375, 1.125])
    """
    if weights.size == 0 or np.ptp(weights) == 0:
        return values
    mean = _weighted_mean(values, weights)
    return np.asarray(mean + values.size * weights / weights.sum() * (values - mean), np.float64)


def _weighted_mean(values: Floats, weights: Floats) -> float:
    if values.size == 0 or np.isnan(values).any():
        return math.nan
    products, total = ExactSum(), ExactSum()
    for part in _product(values, weights):
        products.add(part)
    total.add(weights)
    return float(products.value / total.value)


@dataclass(frozen=True, slots=True)
class RowMoments:
    """What `Moments` has of the values in one row of a matrix."""

    mean: float
    variance: float
    limits: tuple[float, float]
    count: int

    @property
    def effective_count(self) -> float:
        """The number of values."""
        return self.count

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the variance."""
        return self.count - 1


def row_moments(rows: Floats, value_range: tuple[float, float] = UNBOUNDED) -> list[RowMoments]:
    """Return the moments of every row of a matrix without NaN, equal to those of `Moments` in all digits.

    Sums are pairs of doubles with a bound of their error. A row whose mean or variance this bound does not decide is
    left to `Moments`.

    Examples
    --------
    >>> row_moments(np.array([[0.1] * 10]))[0].mean
    0.1
    """
    n = rows.shape[1]
    if n == 0:
        return [RowMoments(math.nan, math.nan, value_range, 0)] * len(rows)
    least, most = rows.min(axis=1), rows.max(axis=1)
    total, rest, error = _sums(rows, np.zeros((len(rows), 1)))
    means, is_sure = _quotients(total, rest, error, n)
    largest = np.maximum(-least, most)
    is_sure &= (largest == 0) | ((largest > _LEAST_SQUARED) & ((means == 0) | (np.abs(means) > _LEAST_SQUARED**2)))
    variances = np.full(len(rows), math.nan)
    if n > 1:
        squares, more, square_error = _sums(*_product(rows, rows))
        square, beyond = _product(total, total)
        part = square / n
        product, rounding = _product(part, np.array([float(n)]))
        deviations, rounded = _two_sum(squares, -part)
        rounded += more - (square - product - rounding + beyond + 2 * total * rest) / n
        error = square_error + 2 * np.abs(total) * error / n + _ROUNDING**2 * 16 * squares
        error += _ROUNDING * 8 * (np.abs(more) + np.abs(total * rest) / n) + rest * rest / n
        variances, is_decided = _quotients(deviations, rounded, error, n - 1)
        is_same = least == most
        means[is_same], variances[is_same] = least[is_same] + 0.0, 0.0
        is_sure = is_same | (is_sure & is_decided & (variances > 0))
    for row in np.flatnonzero(~is_sure):
        moments = Moments.of(rows[row])
        means[row], variances[row] = moments.mean, moments.variance
    each = zip(means.tolist(), variances.tolist(), least.tolist(), most.tolist(), strict=True)
    return [RowMoments(mean, variance, _limits(value_range, low, high), n) for mean, variance, low, high in each]


def _limits(value_range: tuple[float, float], least: float, most: float) -> tuple[float, float]:
    low, high = value_range
    rounding = 1e-9 * (high - low) if high - low < math.inf else 0.0
    return value_range if low - rounding <= least and most <= high + rounding else UNBOUNDED


def _sums(total: Floats, rests: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the sum over each row of both arrays as a large and a small part, and a bound of its error."""
    rest, size = rests.sum(axis=1), np.abs(rests).sum(axis=1)
    while (n := total.shape[1]) > 1:
        half, last = n // 2, total[:, n // 2 * 2 :]
        total, errors = _two_sum(total[:, :half], total[:, half : 2 * half])
        rest += errors.sum(axis=1)
        size += np.abs(errors, out=errors).sum(axis=1)
        total = np.concatenate([total, last], axis=1) if last.size else total
    return total[:, 0], rest, _ROUNDING * 128 * size


def _quotients(high: Floats, low: Floats, error: Floats, n: int) -> tuple[Floats, Booleans]:
    """Return (high + low) / n, rounded once, and whether this holds for all sums within the error."""
    first = high / n
    product, rounding = _product(first, np.array([float(n)]))
    second = (high - product - rounding + low) / n
    margin = (error + _ROUNDING * 8 * (np.abs(low) + _ROUNDING * np.abs(high))) / n
    return first + second + 0.0, first + (second - margin) == first + (second + margin)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sums and their rounding errors (Knuth 1969)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def _product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded products and their rounding errors, which are doubles unless they are tiny (Dekker 1971)."""
    (high_a, low_a), (high_b, low_b) = _halves(a), _halves(b)
    product = a * b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


def _halves(values: Floats) -> tuple[Floats, Floats]:
    scaled = (2.0**27 + 1) * values
    high = scaled - (scaled - values)
    return high, values - high

"""Sums without rounding error: mean and variance do not depend on how the values are split into batches."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from idealrank._typing import Floats
from idealrank.errors import DataError

__all__ = ["ExactSum", "Moments"]


_LEAST_EXPONENT = -1074  # one less than the exponent of the smallest positive double, as given by frexp
_N_EXPONENTS = 1024 - _LEAST_EXPONENT + 1
_LOW_BITS = 27


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
        fractions, exponents = np.frexp(values)
        integers = np.ldexp(fractions, 53).astype(np.int64)
        places = exponents - _LEAST_EXPONENT
        for half, part in zip(self._halves, (integers >> _LOW_BITS, integers & ((1 << _LOW_BITS) - 1)), strict=True):
            np.add.at(half, places, part)

    def merge(self, other: ExactSum) -> None:
        """Add another sum."""
        self._halves += other._halves

    @property
    def value(self) -> Fraction:
        """The exact sum."""
        total = Fraction(0)
        for place in np.flatnonzero(self._halves.any(axis=0)).tolist():
            high, low = self._halves[:, place].tolist()
            total += ((high << _LOW_BITS) + low) * Fraction(2) ** (place + _LEAST_EXPONENT - 53)
        return total


class Moments:
    """Count, mean and variance of values, rounded only once, on access; a NaN makes both NaN.

    Examples
    --------
    >>> moments = Moments.of(np.array([0.1] * 10))
    >>> moments.mean, moments.variance
    (0.1, 0.0)
    """

    def __init__(self) -> None:
        self.count = 0
        self._has_nan = False
        self._sum, self._squares = ExactSum(), ExactSum()

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """Return the moments of these values."""
        moments = cls()
        moments.add(values)
        return moments

    def add(self, values: Floats) -> None:
        """Add values."""
        self.count += values.size
        missing = np.isnan(values)
        if missing.any():
            self._has_nan = True
            values = values[~missing]
        self._sum.add(values)
        # Dekker: unless the value is tiny, its square is exactly the rounded square plus a remainder that is a double.
        scale = 2.0**27 + 1
        high = scale * values - (scale * values - values)
        low = values - high
        square = values * values
        self._squares.add(square)
        self._squares.add(((high * high - square) + 2 * high * low) + low * low)

    def merge(self, other: Moments) -> None:
        """Add the values of another object."""
        self.count += other.count
        self._has_nan |= other._has_nan
        self._sum.merge(other._sum)
        self._squares.merge(other._squares)

    @property
    def mean(self) -> float:
        """The mean, rounded once; NaN without values."""
        return float(self._sum.value / self.count) if self.count and not self._has_nan else math.nan

    @property
    def variance(self) -> float:
        """The sample variance, with denominator n - 1, rounded once; NaN for fewer than two values."""
        if self.count < 2 or self._has_nan:
            return math.nan
        n, total = self.count, self._sum.value
        return max(float((self._squares.value - total * total / n) / (n - 1)), 0.0)

    def t_interval(self, level: float) -> tuple[float, float]:
        """Return the t interval of the mean.

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.

        Returns
        -------
        low, high : float
            The ends of the interval; NaN for fewer than two values.

        Raises
        ------
        DataError
            If the level is not between 0 and 1.
        """
        from scipy.special import stdtrit

        if not 0 < level < 1:
            raise DataError(f"level must be between 0 and 1, got {level}")
        half = math.nan
        if self.count > 1:
            half = float(stdtrit(self.count - 1, (1 + level) / 2)) * math.sqrt(self.variance / self.count)
        return self.mean - half, self.mean + half

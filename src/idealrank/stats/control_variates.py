"""The arithmetic of prediction-powered means, for one sample of queries or for many at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats

__all__ = ["MeanEstimates", "estimate_means", "slopes", "t_quantile"]


@dataclass(frozen=True)
class MeanEstimates:
    """What `prediction_powered` estimates, for one sample of queries or many.

    Parameters
    ----------
    means, weights : float64 array
        The estimates, and the weights of the machine values.
    variances, human_variances : float64 array
        The variances of the estimates, and of the means of the human values alone.
    n_human : int
        The number of queries with a human value.
    """

    means: Floats
    weights: Floats
    variances: Floats
    human_variances: Floats
    n_human: int

    def halves(self, level: float) -> tuple[Floats, Floats]:
        """Return half the widths of the intervals, with machine values and without."""
        both = t_quantile(level, self.n_human - 2) * np.sqrt(self.variances)
        return both, t_quantile(level, self.n_human - 1) * np.sqrt(self.human_variances)


def estimate_means(
    human: Floats, machine: Floats, machine_means: npt.ArrayLike, n: int, *, finite: bool = True
) -> MeanEstimates:
    """Estimate the means of many samples at once, as `prediction_powered` does.

    Parameters
    ----------
    human, machine : float64 array of shape (..., n_human)
        The values of the queries that have both. Machine values should be near 0: sums of squares of values far from 0
        would lose the digits that differ.
    machine_means : array-like of shape (...)
        The means of the machine values of all queries.
    n : int
        The number of all queries.
    finite : bool
        Whether the means are over exactly these queries.

    Examples
    --------
    >>> found = estimate_means(np.array([[0.1, 0.3, 0.8], [0.1, 0.3, 0.5]]), np.array([-0.3, -0.1, 0.4]), 0.0, 5)
    >>> found.means.round(3), found.weights.round(3)
    (array([0.4, 0.3]), array([1.   , 0.538]))
    """
    n_human, rest = human.shape[-1], np.asarray(machine_means, np.float64)[..., None]
    weights = slopes(human, machine)
    means = human.mean(axis=-1) - weights * (machine.mean(axis=-1) - rest[..., 0])
    left_out = _without_each(human, machine, rest)
    around = left_out - left_out.mean(axis=-1, keepdims=True)
    open_share = 1 - n_human / n
    variances = (n_human - 1) / n_human * (around**2).sum(axis=-1) * open_share
    human_variances = human.var(axis=-1, ddof=1) / n_human
    if finite:
        human_variances = human_variances * open_share
    else:  # the design's variance, and that of the mean of n queries drawn from all queries
        variances = variances + human_variances * (n_human / n)
    return MeanEstimates(means, weights, variances, human_variances, n_human)


def _limited(products: Floats, squares: Floats, least: Floats) -> Floats:
    """Return products over squares, limited to 0 ... 1; 0 where squares are at most the least that counts."""
    has_spread = squares > least
    return np.clip(np.where(has_spread, products / np.where(has_spread, squares, 1.0), 0.0), 0.0, 1.0)


def _around(values: Floats) -> Floats:
    """Return the differences from the mean of each sample."""
    found: Floats = values - values.mean(axis=-1, keepdims=True)
    return found


def _least_spread(g: Floats) -> Floats:
    """Return the sums of squares that rounding errors alone could make."""
    rounding = 8 * float(np.finfo(np.float64).eps) * np.abs(g).max(axis=-1)
    found: Floats = np.maximum(1e-12 * (_around(g) ** 2).sum(axis=-1), g.shape[-1] * rounding**2)
    return found


def slopes(f: Floats, g: Floats) -> Floats:
    """Return the slopes of the regressions of f on g, limited to 0 ... 1."""
    around_g = _around(g)
    return _limited((_around(f) * around_g).sum(axis=-1), (around_g**2).sum(axis=-1), _least_spread(g))


def _without_each(f: Floats, g: Floats, machine_means: Floats) -> Floats:
    """Return the estimates without each of the queries in turn."""
    n = f.shape[-1] - 1
    around_f, around_g = _around(f), _around(g)
    share = f.shape[-1] / n  # of the products of one query that leave the sum with it
    products, squares = around_f * around_g, around_g**2
    weights = _limited(
        products.sum(axis=-1, keepdims=True) - share * products,
        squares.sum(axis=-1, keepdims=True) - share * squares,
        _least_spread(g)[..., None],
    )
    mean_f, mean_g = (each.mean(axis=-1, keepdims=True) - _around(each) / n for each in (f, g))
    estimates: Floats = mean_f - weights * (mean_g - machine_means)
    return estimates


def t_quantile(level: float, degrees: int) -> float:
    """Return the quantile of Student's t that an interval of a confidence level takes."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))

"""Effect sizes: how large a difference is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.stats.paired import standardized_means
from idealrank.stats.samples import differences_of


@dataclass(frozen=True)
class EffectSize(Result):
    """Sizes of the difference a - b; NaN if there are too few queries or there is no variance.

    Parameters
    ----------
    cohen_dz : float
        The mean difference, divided by the standard deviation of the differences.
    hedges_g : float
        Cohen's dz, corrected for its bias in small samples.
    common_language : float
        The fraction of queries on which a is better; ties count as 1/2.
    wins, ties, losses : int
        The numbers of queries on which a is better, equal and worse.

    Examples
    --------
    >>> from idealrank.stats import effect_size
    >>> effect = effect_size([3, 1, 2], [1, 1, 4])
    >>> effect.wins, effect.ties, effect.losses, effect.common_language
    (1, 1, 1, 0.5)
    """

    cohen_dz: float
    hedges_g: float
    common_language: float
    wins: int
    ties: int
    losses: int


def effect_size(a: npt.ArrayLike, b: npt.ArrayLike) -> EffectSize:
    """Compute effect sizes of the difference between two systems on the same queries.

    Parameters
    ----------
    a, b : array-like
        One value per query.

    Returns
    -------
    EffectSize
        The sizes of the difference.

    Raises
    ------
    DataError
        If the arrays do not have one value per query each, or a value is infinite.

    Examples
    --------
    Differences 1, 2, 3: mean 2, standard deviation 1, three wins.

    >>> from idealrank.stats import effect_size
    >>> effect = effect_size([2, 4, 6], [1, 2, 3])
    >>> effect.cohen_dz, effect.common_language, effect.wins
    (2.0, 1.0, 3)
    """
    return effect_sizes(differences_of(a, b).values[None])[0]


def effect_sizes(differences: Floats) -> list[EffectSize]:
    """Return the effect sizes of each row of differences[pair, query] without NaN.

    Examples
    --------
    >>> effect_sizes(np.array([[1.0, 2.0, 3.0]]))[0].cohen_dz
    2.0
    """
    n = differences.shape[1]
    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    ties = n - wins - losses
    dz = standardized_means(differences)
    dz[np.isinf(dz)] = math.nan  # all differences are the same, up to rounding
    unbiased = dz * (_bias_factor(n - 1) if n > 2 else math.nan)
    chances = (wins + ties / 2) / (n or math.nan)
    numbers = (each.tolist() for each in (dz, unbiased, chances, wins, ties, losses))
    return [EffectSize(*each) for each in zip(*numbers, strict=True)]


def _bias_factor(df: int) -> float:
    """Return the factor of Hedges 1981: Gamma(df / 2) / (sqrt(df / 2) Gamma((df - 1) / 2))."""
    return float(np.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2))

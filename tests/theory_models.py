"""The models of relevance on which the numbers of the source papers' results were computed independently."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Int64s
from idealrank.measures import cutoffs
from idealrank.theory import Distinction, GradedCurve, StepCurve, distinguish


def jump(s: float) -> float:
    return 0.8 if s >= 0.7 else 0.2  # takes single numbers only, as users' functions may


#: ybar(s) by name; p is 1/2, 1/3, 1/2, 0.3, 0.38, 0.4.
MODELS: dict[str, Callable[[float], float]] = {
    "s": lambda s: s,
    "s2": lambda s: s**2,
    "1-s": lambda s: 1 - s,
    "const": lambda s: 0.3,
    "step": jump,
    "line": lambda s: 0.1 + 0.6 * s,
}
JUMP = StepCurve([0, 0.7, 1], [0.2, 0.8])
GRADED = GradedCurve({2: lambda s: s**2 / 2, 1: lambda s: s / 2})
#: Differences of the curves, piecewise linear in u, that integrate to 0 alone and against u^-beta, beta = 0.7 and 0.3.
LOW_7, HIGH_7 = -0.19483929865793553, 0.10033778159536581
LOW_3, HIGH_3 = -0.14249548155182287, 0.05586312539129607
KNOTS_7 = ([0, 0.01, 0.3, 0.4, 1], [0.4, LOW_7, LOW_7, HIGH_7, HIGH_7])
KNOTS_3 = ([0, 0.05, 0.3, 0.4, 1], [0.4, LOW_3, LOW_3, HIGH_3, HIGH_3])


def halves(knots: tuple[list[float], list[float]]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return (lambda s: 0.5 + np.interp(1 - s, *knots) / 2), (lambda s: 0.5 - np.interp(1 - s, *knots) / 2)


@dataclass(frozen=True)
class Logarithm(cutoffs.Cutoff):
    """k = log2 n, which grows more slowly than any power."""

    def at(self, n: npt.ArrayLike) -> Int64s:
        return np.maximum(np.log2(np.asarray(n, np.float64)), 1).astype(np.int64)


def distinguish_two(
    data: Any, a: Any, b: Any, *measures: Any, names: tuple[str, str] = ("A", "B"), **options: Any
) -> Distinction:
    """What distinguishes two rankers, the only pair."""
    return distinguish(data, dict(zip(names, (a, b), strict=True)), *measures, **options).pairs[0]

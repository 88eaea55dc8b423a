"""The models of relevance on which the numbers of the source papers' results were computed independently."""

from collections.abc import Callable

from idealrank.theory import GradedCurve, StepCurve


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

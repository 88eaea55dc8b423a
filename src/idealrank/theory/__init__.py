"""What the papers prove of the NDCG family, as functions: each result in a file of its own.

Loaded when first used, like the names of the package itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from idealrank.theory.canonical import canonical_score as canonical_score
    from idealrank.theory.curves import Curve as Curve
    from idealrank.theory.curves import GradedCurve as GradedCurve
    from idealrank.theory.limits import limit as limit
    from idealrank.theory.regimes import regime as regime
    from idealrank.theory.steps import StepCurve as StepCurve

_HOME = {
    "canonical_score": "canonical",
    "Curve": "curves",
    "GradedCurve": "curves",
    "limit": "limits",
    "regime": "regimes",
    "StepCurve": "steps",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"idealrank.theory.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'idealrank.theory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

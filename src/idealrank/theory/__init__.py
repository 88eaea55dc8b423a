"""What the papers prove of the NDCG family, as functions: each result in a file of its own.

Loaded when first used, like the names of the package itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from idealrank.theory.canonical import canonical_score as canonical_score
    from idealrank.theory.curves import Curve as Curve
    from idealrank.theory.curves import GradedCurve as GradedCurve
    from idealrank.theory.deviations import concentration as concentration
    from idealrank.theory.gaps import first_order as first_order
    from idealrank.theory.gaps import leading_gap as leading_gap
    from idealrank.theory.laws import bounded_law as bounded_law
    from idealrank.theory.limits import limit as limit
    from idealrank.theory.needed import Gap as Gap
    from idealrank.theory.needed import documents_needed as documents_needed
    from idealrank.theory.needed import gap as gap
    from idealrank.theory.needed import queries_needed as queries_needed
    from idealrank.theory.order_statistics import expected_dcg as expected_dcg
    from idealrank.theory.pseudo import pseudo_expectation as pseudo_expectation
    from idealrank.theory.regimes import regime as regime
    from idealrank.theory.steps import StepCurve as StepCurve
    from idealrank.theory.verdicts import verdict as verdict
    from idealrank.theory.wins import win_probability as win_probability
    from idealrank.theory.worst import worst_ndcg as worst_ndcg

_HOME = {
    "bounded_law": "laws",
    "canonical_score": "canonical",
    "concentration": "deviations",
    "Curve": "curves",
    "documents_needed": "needed",
    "expected_dcg": "order_statistics",
    "first_order": "gaps",
    "gap": "needed",
    "Gap": "needed",
    "GradedCurve": "curves",
    "leading_gap": "gaps",
    "limit": "limits",
    "pseudo_expectation": "pseudo",
    "queries_needed": "needed",
    "regime": "regimes",
    "StepCurve": "steps",
    "verdict": "verdicts",
    "win_probability": "wins",
    "worst_ndcg": "worst",
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

"""What the papers prove of the NDCG family, as functions: each result in a file of its own.

Loaded when first used, like the names of the package itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from idealrank.theory.approximation import ApproximationError as ApproximationError
    from idealrank.theory.approximation import alpha_for as alpha_for
    from idealrank.theory.approximation import approximation_error as approximation_error
    from idealrank.theory.canonical import canonical_score as canonical_score
    from idealrank.theory.consistency import Consistency as Consistency
    from idealrank.theory.consistency import Counterexample as Counterexample
    from idealrank.theory.consistency import check_consistency as check_consistency
    from idealrank.theory.curves import Curve as Curve
    from idealrank.theory.curves import GradedCurve as GradedCurve
    from idealrank.theory.deviations import concentration as concentration
    from idealrank.theory.distinguishing import distinguish as distinguish
    from idealrank.theory.excess import StrongConvexity as StrongConvexity
    from idealrank.theory.excess import excess_risk_bound as excess_risk_bound
    from idealrank.theory.excess import margin as margin
    from idealrank.theory.excess import rank_constant as rank_constant
    from idealrank.theory.excess import strong_convexity as strong_convexity
    from idealrank.theory.fisher import compatible as compatible
    from idealrank.theory.fisher import expected_ndcg as expected_ndcg
    from idealrank.theory.fisher import fisher_target as fisher_target
    from idealrank.theory.fisher import regret as regret
    from idealrank.theory.fisher import violations as violations
    from idealrank.theory.gaps import first_order as first_order
    from idealrank.theory.gaps import leading_gap as leading_gap
    from idealrank.theory.generalisation import GeneralisationGap as GeneralisationGap
    from idealrank.theory.generalisation import generalisation_gap as generalisation_gap
    from idealrank.theory.laws import bounded_law as bounded_law
    from idealrank.theory.limits import limit as limit
    from idealrank.theory.linear import cutoff_errors as cutoff_errors
    from idealrank.theory.linear import exchanges as exchanges
    from idealrank.theory.linear import linear_ndcg_of_auc as linear_ndcg_of_auc
    from idealrank.theory.linear import threshold_errors as threshold_errors
    from idealrank.theory.needed import Gap as Gap
    from idealrank.theory.needed import documents_needed as documents_needed
    from idealrank.theory.needed import gap as gap
    from idealrank.theory.needed import queries_needed as queries_needed
    from idealrank.theory.norms import dcg_norm as dcg_norm
    from idealrank.theory.order_statistics import expected_dcg as expected_dcg
    from idealrank.theory.pseudo import pseudo_expectation as pseudo_expectation
    from idealrank.theory.regimes import regime as regime
    from idealrank.theory.steps import StepCurve as StepCurve
    from idealrank.theory.strong import StrongConsistency as StrongConsistency
    from idealrank.theory.strong import check_strong_consistency as check_strong_consistency
    from idealrank.theory.switches import switch_points as switch_points
    from idealrank.theory.verdicts import verdict as verdict
    from idealrank.theory.wins import win_probability as win_probability
    from idealrank.theory.worst import worst_ndcg as worst_ndcg

_HOME = {
    "alpha_for": "approximation",
    "approximation_error": "approximation",
    "ApproximationError": "approximation",
    "bounded_law": "laws",
    "canonical_score": "canonical",
    "check_consistency": "consistency",
    "check_strong_consistency": "strong",
    "compatible": "fisher",
    "concentration": "deviations",
    "Consistency": "consistency",
    "Counterexample": "consistency",
    "Curve": "curves",
    "cutoff_errors": "linear",
    "dcg_norm": "norms",
    "distinguish": "distinguishing",
    "documents_needed": "needed",
    "excess_risk_bound": "excess",
    "exchanges": "linear",
    "expected_dcg": "order_statistics",
    "expected_ndcg": "fisher",
    "first_order": "gaps",
    "fisher_target": "fisher",
    "Gap": "needed",
    "gap": "needed",
    "generalisation_gap": "generalisation",
    "GeneralisationGap": "generalisation",
    "GradedCurve": "curves",
    "leading_gap": "gaps",
    "limit": "limits",
    "linear_ndcg_of_auc": "linear",
    "margin": "excess",
    "pseudo_expectation": "pseudo",
    "queries_needed": "needed",
    "rank_constant": "excess",
    "regime": "regimes",
    "regret": "fisher",
    "StepCurve": "steps",
    "strong_convexity": "excess",
    "StrongConsistency": "strong",
    "StrongConvexity": "excess",
    "switch_points": "switches",
    "threshold_errors": "linear",
    "verdict": "verdicts",
    "violations": "fisher",
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

"""What the papers prove of the NDCG family, as functions: each result in a file of its own.

Loaded when first used, like the names of the package itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from idealrank.theory.approximation.bounds import ApproximationError as ApproximationError
    from idealrank.theory.approximation.bounds import alpha_for as alpha_for
    from idealrank.theory.approximation.bounds import approximation_error as approximation_error
    from idealrank.theory.approximation.generalization import GeneralizationGap as GeneralizationGap
    from idealrank.theory.approximation.generalization import generalization_gap as generalization_gap
    from idealrank.theory.consistency.checking import Consistency as Consistency
    from idealrank.theory.consistency.checking import Counterexample as Counterexample
    from idealrank.theory.consistency.checking import check_consistency as check_consistency
    from idealrank.theory.consistency.excess import StrongConvexity as StrongConvexity
    from idealrank.theory.consistency.excess import excess_risk_bound as excess_risk_bound
    from idealrank.theory.consistency.excess import margin as margin
    from idealrank.theory.consistency.excess import rank_constant as rank_constant
    from idealrank.theory.consistency.excess import strong_convexity as strong_convexity
    from idealrank.theory.consistency.fisher import compatible as compatible
    from idealrank.theory.consistency.fisher import expected_ndcg as expected_ndcg
    from idealrank.theory.consistency.fisher import fisher_target as fisher_target
    from idealrank.theory.consistency.fisher import regret as regret
    from idealrank.theory.consistency.fisher import violations as violations
    from idealrank.theory.consistency.norms import dcg_norm as dcg_norm
    from idealrank.theory.consistency.strong import StrongConsistency as StrongConsistency
    from idealrank.theory.consistency.strong import check_strong_consistency as check_strong_consistency
    from idealrank.theory.consistency.switches import switch_points as switch_points
    from idealrank.theory.distinguishing.distinctions import distinguish as distinguish
    from idealrank.theory.linear_ndcg import cutoff_errors as cutoff_errors
    from idealrank.theory.linear_ndcg import exchanges as exchanges
    from idealrank.theory.linear_ndcg import linear_ndcg_of_auc as linear_ndcg_of_auc
    from idealrank.theory.linear_ndcg import threshold_errors as threshold_errors
    from idealrank.theory.long_lists.canonical import canonical_score as canonical_score
    from idealrank.theory.long_lists.curves import Curve as Curve
    from idealrank.theory.long_lists.curves import GradedCurve as GradedCurve
    from idealrank.theory.long_lists.deviations import concentration as concentration
    from idealrank.theory.long_lists.gaps import first_order as first_order
    from idealrank.theory.long_lists.gaps import leading_gap as leading_gap
    from idealrank.theory.long_lists.laws import bounded_law as bounded_law
    from idealrank.theory.long_lists.limits import limit as limit
    from idealrank.theory.long_lists.needed import Gap as Gap
    from idealrank.theory.long_lists.needed import documents_needed as documents_needed
    from idealrank.theory.long_lists.needed import gap as gap
    from idealrank.theory.long_lists.needed import queries_needed as queries_needed
    from idealrank.theory.long_lists.order_statistics import expected_dcg as expected_dcg
    from idealrank.theory.long_lists.pseudo import pseudo_expectation as pseudo_expectation
    from idealrank.theory.long_lists.regimes import regime as regime
    from idealrank.theory.long_lists.steps import StepCurve as StepCurve
    from idealrank.theory.long_lists.verdicts import verdict as verdict
    from idealrank.theory.long_lists.wins import win_probability as win_probability
    from idealrank.theory.long_lists.worst import worst_ndcg as worst_ndcg

_HOME = {
    "alpha_for": "approximation.bounds",
    "approximation_error": "approximation.bounds",
    "ApproximationError": "approximation.bounds",
    "bounded_law": "long_lists.laws",
    "canonical_score": "long_lists.canonical",
    "check_consistency": "consistency.checking",
    "check_strong_consistency": "consistency.strong",
    "compatible": "consistency.fisher",
    "concentration": "long_lists.deviations",
    "Consistency": "consistency.checking",
    "Counterexample": "consistency.checking",
    "Curve": "long_lists.curves",
    "cutoff_errors": "linear_ndcg",
    "dcg_norm": "consistency.norms",
    "distinguish": "distinguishing.distinctions",
    "documents_needed": "long_lists.needed",
    "excess_risk_bound": "consistency.excess",
    "exchanges": "linear_ndcg",
    "expected_dcg": "long_lists.order_statistics",
    "expected_ndcg": "consistency.fisher",
    "first_order": "long_lists.gaps",
    "fisher_target": "consistency.fisher",
    "Gap": "long_lists.needed",
    "gap": "long_lists.needed",
    "generalization_gap": "approximation.generalization",
    "GeneralizationGap": "approximation.generalization",
    "GradedCurve": "long_lists.curves",
    "leading_gap": "long_lists.gaps",
    "limit": "long_lists.limits",
    "linear_ndcg_of_auc": "linear_ndcg",
    "margin": "consistency.excess",
    "pseudo_expectation": "long_lists.pseudo",
    "queries_needed": "long_lists.needed",
    "rank_constant": "consistency.excess",
    "regime": "long_lists.regimes",
    "regret": "consistency.fisher",
    "StepCurve": "long_lists.steps",
    "strong_convexity": "consistency.excess",
    "StrongConsistency": "consistency.strong",
    "StrongConvexity": "consistency.excess",
    "switch_points": "consistency.switches",
    "threshold_errors": "linear_ndcg",
    "verdict": "long_lists.verdicts",
    "violations": "consistency.fisher",
    "win_probability": "long_lists.wins",
    "worst_ndcg": "long_lists.worst",
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

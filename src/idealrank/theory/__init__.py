"""What the papers prove of the NDCG family, as functions: each result in a file of its own.

Loaded when first used, like the names of the package itself.
"""

from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

if TYPE_CHECKING:
    from idealrank.theory.approximation.bounds import *  # noqa: F403
    from idealrank.theory.approximation.generalization import *  # noqa: F403
    from idealrank.theory.consistency.checking import *  # noqa: F403
    from idealrank.theory.consistency.excess import *  # noqa: F403
    from idealrank.theory.consistency.fisher import compatible as compatible
    from idealrank.theory.consistency.fisher import expected_ndcg as expected_ndcg
    from idealrank.theory.consistency.fisher import fisher_target as fisher_target
    from idealrank.theory.consistency.fisher import regret as regret
    from idealrank.theory.consistency.fisher import violations as violations
    from idealrank.theory.consistency.norms import dcg_norm as dcg_norm
    from idealrank.theory.consistency.strong import *  # noqa: F403
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
    from idealrank.theory.long_lists.needed import *  # noqa: F403
    from idealrank.theory.long_lists.order_statistics import expected_dcg as expected_dcg
    from idealrank.theory.long_lists.pseudo import pseudo_expectation as pseudo_expectation
    from idealrank.theory.long_lists.regimes import regime as regime
    from idealrank.theory.long_lists.steps import StepCurve as StepCurve
    from idealrank.theory.long_lists.verdicts import verdict as verdict
    from idealrank.theory.long_lists.wins import win_probability as win_probability
    from idealrank.theory.long_lists.worst import worst_ndcg as worst_ndcg

#: Where each public name is defined.
_TABLE = {
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

__all__ = [*_TABLE]

if not TYPE_CHECKING:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)

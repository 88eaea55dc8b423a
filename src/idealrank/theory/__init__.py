"""What the papers prove of the NDCG family, as functions: each result in a file of its own.

Loaded when first used, like the names of the package itself.
"""

from itertools import chain
from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {
    "approximation.bounds": ["alpha_for", "approximation_error", "ApproximationError"],
    "approximation.generalization": ["generalization_gap", "GeneralizationGap"],
    "consistency.checking": ["check_consistency", "Consistency", "Counterexample"],
    "consistency.excess": ["excess_risk_bound", "margin", "rank_constant", "strong_convexity", "StrongConvexity"],
    "consistency.fisher": ["compatible", "expected_ndcg", "fisher_target", "regret", "violations"],
    "consistency.norms": ["dcg_norm"],
    "consistency.strong": ["check_strong_consistency", "StrongConsistency"],
    "consistency.switches": ["switch_points"],
    "distinguishing.distinctions": ["distinguish"],
    "linear_ndcg": ["cutoff_errors", "exchanges", "linear_ndcg_of_auc", "threshold_errors"],
    "long_lists.canonical": ["canonical_score"],
    "long_lists.curves": ["Curve", "GradedCurve"],
    "long_lists.deviations": ["concentration"],
    "long_lists.gaps": ["first_order", "leading_gap"],
    "long_lists.laws": ["bounded_law"],
    "long_lists.limits": ["limit"],
    "long_lists.needed": ["documents_needed", "Gap", "gap", "queries_needed"],
    "long_lists.order_statistics": ["expected_dcg"],
    "long_lists.pseudo": ["pseudo_expectation"],
    "long_lists.regimes": ["regime"],
    "long_lists.steps": ["StepCurve"],
    "long_lists.verdicts": ["verdict"],
    "long_lists.wins": ["win_probability"],
    "long_lists.worst": ["worst_ndcg"],
}

__all__ = [*chain(*_TABLE.values())]

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
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)

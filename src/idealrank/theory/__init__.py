"""Results of the papers about the NDCG family as functions, with equation and theorem numbers.

Modules are loaded when one of their names is first used.
"""

from itertools import chain
from typing import TYPE_CHECKING

from idealrank._core.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {
    "approximation.error_bounds": ["alpha_for", "approximation_error", "ApproximationError"],
    "approximation.generalization": ["generalization_gap", "GeneralizationGap"],
    "consistency.checking": ["check_consistency", "Consistency", "Counterexample"],
    "consistency.excess": ["excess_risk_bound", "margin", "rank_constant", "strong_convexity", "StrongConvexity"],
    "consistency.fisher": ["compatible", "dcg_norm", "expected_ndcg", "fisher_target", "regret", "violations"],
    "consistency.impossible": ["Impossibility", "no_convex_loss"],
    "consistency.several_losses": ["check_losses", "ConsistencyOfLosses"],
    "consistency.strong": ["check_strong_consistency", "StrongConsistency"],
    "consistency.switches": ["switch_points"],
    "consistency.transform": ["excess_risk_transform"],
    "distinguishing.all_pairs": ["Distinctions"],
    "distinguishing.designs": ["DesignSearch", "search_design"],
    "distinguishing.distinctions": ["Distinction"],
    "distinguishing.distinguish": ["distinguish"],
    "distinguishing.confidence_sequences": ["confidence_sequence", "ConfidenceSequence"],
    "linear_ndcg": ["cutoff_errors", "exchanges", "linear_ndcg_of_auc", "threshold_errors"],
    "long_lists.certificates": ["certificate", "Certificate"],
    "long_lists.curves": ["Curve", "GradedCurve"],
    "long_lists.expectations": ["concentration", "expected_dcg", "pseudo_expectation"],
    "long_lists.gaps": ["first_order", "leading_gap"],
    "long_lists.hypotheses": ["check_theorems", "Hypothesis", "TheoremCheck"],
    "long_lists.laws": ["bounded_law"],
    "long_lists.limits": ["limit", "worst_ndcg"],
    "long_lists.limits_of_systems": ["Limits", "limits", "SystemLimit"],
    "long_lists.needed": ["documents_needed", "DocumentsNeeded", "Gap", "gap", "queries_needed"],
    "long_lists.regimes": ["regime"],
    "long_lists.steps": ["canonical_score", "StepCurve"],
    "long_lists.verdicts": ["verdict"],
    "long_lists.wins": ["win_probability"],
}

__all__ = [*chain(*_TABLE.values())]

if TYPE_CHECKING:
    from idealrank.theory.approximation.error_bounds import *  # noqa: F403
    from idealrank.theory.approximation.generalization import *  # noqa: F403
    from idealrank.theory.consistency.checking import *  # noqa: F403
    from idealrank.theory.consistency.excess import *  # noqa: F403
    from idealrank.theory.consistency.fisher import *  # noqa: F403
    from idealrank.theory.consistency.impossible import *  # noqa: F403
    from idealrank.theory.consistency.several_losses import *  # noqa: F403
    from idealrank.theory.consistency.strong import *  # noqa: F403
    from idealrank.theory.consistency.switches import *  # noqa: F403
    from idealrank.theory.consistency.transform import *  # noqa: F403
    from idealrank.theory.distinguishing.all_pairs import *  # noqa: F403
    from idealrank.theory.distinguishing.confidence_sequences import *  # noqa: F403
    from idealrank.theory.distinguishing.designs import *  # noqa: F403
    from idealrank.theory.distinguishing.distinctions import *  # noqa: F403
    from idealrank.theory.distinguishing.distinguish import *  # noqa: F403
    from idealrank.theory.linear_ndcg import *  # noqa: F403
    from idealrank.theory.long_lists.certificates import *  # noqa: F403
    from idealrank.theory.long_lists.curves import *  # noqa: F403
    from idealrank.theory.long_lists.expectations import *  # noqa: F403
    from idealrank.theory.long_lists.gaps import *  # noqa: F403
    from idealrank.theory.long_lists.hypotheses import *  # noqa: F403
    from idealrank.theory.long_lists.laws import *  # noqa: F403
    from idealrank.theory.long_lists.limits import *  # noqa: F403
    from idealrank.theory.long_lists.limits_of_systems import *  # noqa: F403
    from idealrank.theory.long_lists.needed import *  # noqa: F403
    from idealrank.theory.long_lists.regimes import *  # noqa: F403
    from idealrank.theory.long_lists.steps import *  # noqa: F403
    from idealrank.theory.long_lists.verdicts import *  # noqa: F403
    from idealrank.theory.long_lists.wins import *  # noqa: F403
else:  # a type checker would accept any name as one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)

"""Statistics of per-query values: intervals, paired tests, many systems at once, effect sizes, power.

`rbo` and `tau_ap` compare two rankings of documents.

Two systems are two arrays ``a, b`` with one value per query; many systems are ``matrix[query, system]``. A query with a
NaN, which some conventions give to a query with no relevant document, is left out, and the ``note`` of the result says
so. Functions that draw random numbers take a ``seed``, store the seed that was used in the result, and return the same
numbers for any number of threads.
"""

from itertools import chain
from typing import TYPE_CHECKING

from idealrank._core.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {
    "corrections": ["benjamini_hochberg", "bonferroni", "holm"],
    "discrimination": ["discriminative_power", "DiscriminativePower", "swap_rate"],
    "effects": ["effect_size", "EffectSize"],
    "intervals": ["Interval", "interval"],
    "paired": [
        "bootstrap_test",
        "equivalence_test",
        "PairedTest",
        "randomization_test",
        "sign_test",
        "t_test",
        "wilcoxon_test",
    ],
    "power": ["minimum_detectable_effect", "power_of_t_test", "PowerPlan", "queries_for"],
    "rank_agreement": ["rbo", "tau_ap"],
    "human_and_machine": ["human_queries_for", "JudgingPlan", "prediction_powered", "PredictionPowered"],
    "several": ["Anova", "anova", "randomized_tukey_hsd", "TukeyHSD"],
    "stratified": ["rank_systems", "stratified_randomization_test", "SystemRanks"],
}

__all__ = [*chain(*_TABLE.values())]

if TYPE_CHECKING:
    from idealrank.stats.corrections import *  # noqa: F403
    from idealrank.stats.discrimination import *  # noqa: F403
    from idealrank.stats.effects import *  # noqa: F403
    from idealrank.stats.human_and_machine import *  # noqa: F403
    from idealrank.stats.intervals import *  # noqa: F403
    from idealrank.stats.paired import *  # noqa: F403
    from idealrank.stats.power import *  # noqa: F403
    from idealrank.stats.rank_agreement import *  # noqa: F403
    from idealrank.stats.several import *  # noqa: F403
    from idealrank.stats.stratified import *  # noqa: F403
else:  # hidden from type checkers, which would accept any name
    __getattr__, __dir__ = lazy(__name__, _TABLE)

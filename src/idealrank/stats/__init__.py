"""Statistics of values a query: intervals, paired tests, many systems at once, effect sizes, power.

Two systems are two arrays ``a, b`` with one value a query; many are ``matrix[query, system]``. NaN, as a convention
may give for a query with nothing relevant, leaves the query out, and the result's ``note`` says so. What draws random
numbers takes a ``seed``, keeps the one it used, and gives the same on any number of threads.
"""

from idealrank.stats.corrections import benjamini_hochberg, bonferroni, holm
from idealrank.stats.discrimination import DiscriminativePower, discriminative_power, swap_rate
from idealrank.stats.effects import EffectSize, effect_size
from idealrank.stats.intervals import Interval, interval
from idealrank.stats.paired import (
    PairedTest,
    bootstrap_test,
    equivalence_test,
    randomization_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from idealrank.stats.power import PowerPlan, minimum_detectable_effect, power_of_t_test, queries_for
from idealrank.stats.several import Anova, TukeyHSD, anova, randomized_tukey_hsd

__all__ = [
    "Anova",
    "DiscriminativePower",
    "EffectSize",
    "Interval",
    "PairedTest",
    "PowerPlan",
    "TukeyHSD",
    "anova",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap_test",
    "discriminative_power",
    "effect_size",
    "equivalence_test",
    "holm",
    "interval",
    "minimum_detectable_effect",
    "power_of_t_test",
    "queries_for",
    "randomization_test",
    "randomized_tukey_hsd",
    "sign_test",
    "swap_rate",
    "t_test",
    "wilcoxon_test",
]

"""Statistics of values a query: intervals, paired tests, many systems at once, effect sizes, power.

Two systems are two arrays ``a, b`` with one value a query; many are ``matrix[query, system]``. NaN, as a convention
may give for a query with nothing relevant, leaves the query out, and the result's ``note`` says so. What draws random
numbers takes a ``seed``, keeps the one it used, and gives the same on any number of threads.
"""

from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

if TYPE_CHECKING:
    from idealrank.stats.corrections import *  # noqa: F403
    from idealrank.stats.discrimination import *  # noqa: F403
    from idealrank.stats.effects import *  # noqa: F403
    from idealrank.stats.intervals import *  # noqa: F403
    from idealrank.stats.paired import PairedTest as PairedTest
    from idealrank.stats.paired import bootstrap_test as bootstrap_test
    from idealrank.stats.paired import equivalence_test as equivalence_test
    from idealrank.stats.paired import randomization_test as randomization_test
    from idealrank.stats.paired import sign_test as sign_test
    from idealrank.stats.paired import t_test as t_test
    from idealrank.stats.paired import wilcoxon_test as wilcoxon_test
    from idealrank.stats.power import *  # noqa: F403
    from idealrank.stats.several import *  # noqa: F403

#: Where each public name is defined.
_TABLE = {
    "Anova": "several",
    "anova": "several",
    "benjamini_hochberg": "corrections",
    "bonferroni": "corrections",
    "bootstrap_test": "paired",
    "discriminative_power": "discrimination",
    "DiscriminativePower": "discrimination",
    "effect_size": "effects",
    "EffectSize": "effects",
    "equivalence_test": "paired",
    "holm": "corrections",
    "Interval": "intervals",
    "interval": "intervals",
    "minimum_detectable_effect": "power",
    "PairedTest": "paired",
    "power_of_t_test": "power",
    "PowerPlan": "power",
    "queries_for": "power",
    "randomization_test": "paired",
    "randomized_tukey_hsd": "several",
    "sign_test": "paired",
    "swap_rate": "discrimination",
    "t_test": "paired",
    "TukeyHSD": "several",
    "wilcoxon_test": "paired",
}

__all__ = [*_TABLE]

if not TYPE_CHECKING:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)

"""Comparing systems: permutation tests."""

from collections.abc import Iterator

import numpy as np

from benchmarks.runner import Comparison, Contestant, Mark, Setting, entry
from benchmarks.targets import AtLeast


@entry
def randomized_tukey(setting: Setting) -> Iterator[Comparison]:
    from idealrank import stats

    n_permutations = setting.size(100_000)
    matrix = np.random.default_rng(0).random((1000, 10))
    yield Comparison(
        f"randomized Tukey HSD, 10 systems, 1,000 queries, {n_permutations:,} permutations",
        Contestant(
            "idealrank", lambda: stats.randomized_tukey_hsd(matrix, n_permutations=n_permutations, seed=0).p_values
        ),
        [
            Mark("3 s", 3 * n_permutations / 100_000, AtLeast(1)),
            Mark("1.3 s (aim)", 1.3 * n_permutations / 100_000, AtLeast(1)),
        ],
    )


@entry
def randomization_test(setting: Setting) -> Iterator[Comparison]:
    import scipy.stats

    from idealrank import stats

    n_permutations = setting.size(10_000)
    rng = np.random.default_rng(0)
    a, b = rng.random(1000), rng.random(1000)

    def peer() -> float:
        found = scipy.stats.permutation_test(
            (a - b,), np.mean, permutation_type="samples", vectorized=True, n_resamples=n_permutations, rng=rng
        )
        return float(found.pvalue)

    yield Comparison(
        f"paired randomization test, 1,000 queries, {n_permutations:,} permutations",
        Contestant("idealrank", lambda: stats.randomization_test(a, b, n_permutations=n_permutations).p_value),
        [Contestant("SciPy", peer, AtLeast(50), "scipy")],
    )

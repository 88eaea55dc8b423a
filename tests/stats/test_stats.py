"""Statistics, against SciPy, brute force, and their own guarantees on simulated data."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import _native, stats
from idealrank.errors import DataError, OptionError
from idealrank.stats.paired import TESTS, paired_test, smallest_p_value

NAN = math.nan
PAIRED = [stats.randomization_test, stats.t_test, stats.wilcoxon_test, stats.sign_test, stats.bootstrap_test]
differences = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=8)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def test_the_randomisation_test_of_the_specification() -> None:
    values = np.array([0.03, -0.01, 0.05, 0.02, 0, 0.04, -0.02, 0.06])
    found = stats.randomization_test(values, np.zeros(8))
    assert found.p_value == 28 / 256
    assert_allclose(found.difference, 0.02125, rtol=1e-15, atol=0)


@given(differences)
def test_exact_randomisation_counts_every_choice_of_signs(values: list[float]) -> None:
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True)))
        for signs in itertools.product([1, -1], repeat=len(values))
    ]
    expected = sum(total >= abs(sum(values)) - 1e-9 for total in sums) / len(sums)
    assert stats.randomization_test(values, np.zeros(len(values))).p_value == expected


@pytest.mark.slow
def test_random_permutations_agree_with_all_of_them() -> None:
    values = normal(21) + 0.4
    found = stats.randomization_test(values, np.zeros(21), n_permutations=200_000, seed=3)
    total = np.abs(values.sum())
    exact = (
        sum(
            np.count_nonzero(np.abs(part + rest) >= total - 1e-12)
            for part in all_sums(values[:7])
            for rest in [all_sums(values[7:])]
        )
        / 2**21
    )
    assert_allclose(found.p_value, exact, rtol=0, atol=4 * math.sqrt(exact / 200_000))


def all_sums(values: np.ndarray) -> np.ndarray:
    sums: np.ndarray = np.array(list(itertools.product([1, -1], repeat=values.size))) @ values
    return sums


@pytest.mark.parametrize("test", ["randomization", "wilcoxon", "sign"])
@pytest.mark.parametrize("n", [1, 2, 5, 13, 14, 20])
def test_no_p_value_is_below_the_limit_of_the_test(test: str, n: int) -> None:
    limit = smallest_p_value(test, n, 99)
    assert limit == 2.0 ** (1 - n)
    assert_allclose(paired_test(test, np.arange(1.0, n + 1), np.zeros(n)).p_value, limit, rtol=1e-9)
    assert paired_test(test, np.ones(n), np.zeros(n)).p_value >= limit * (1 - 1e-9)  # with ties of ranks


def test_the_approximation_of_wilcoxons_test_is_not_limited() -> None:
    some = np.r_[np.ones(5), np.zeros(15)]
    assert stats.wilcoxon_test(some, np.zeros(20)).p_value < 2.0**-4
    assert smallest_p_value("wilcoxon", 5, 99, n_same=15) == smallest_p_value("wilcoxon", 51, 99) == 0


def test_a_p_value_is_never_0_and_the_observed_order_counts() -> None:
    found = stats.randomization_test(np.ones(30) + normal(30) * 0.01, np.zeros(30), n_permutations=99, seed=0)
    assert found.p_value == 1 / 100


@pytest.mark.parametrize("test", [stats.randomization_test, stats.bootstrap_test])
def test_the_seed_is_kept_and_repeats_the_result_on_any_number_of_threads(test: Any) -> None:
    a, b = normal(100), normal(100, seed=1)
    first = test(a, b)
    assert test(a, b, seed=first.seed, n_threads=1) == test(a, b, seed=first.seed, n_threads=3) == first
    assert any(test(a, b, seed=first.seed + i).p_value != first.p_value for i in range(1, 6))


def test_paired_tests_agree_with_scipy() -> None:
    a, b = normal(40), normal(40, seed=1) + 0.3
    assert_allclose(stats.t_test(a, b).p_value, scipy.stats.ttest_rel(a, b).pvalue, rtol=1e-12, atol=0)
    assert_allclose(stats.t_test(a, b).statistic, scipy.stats.ttest_rel(a, b).statistic, rtol=1e-12, atol=0)
    assert_allclose(stats.wilcoxon_test(a, b).p_value, scipy.stats.wilcoxon(a - b).pvalue, rtol=1e-12, atol=0)
    wins = int((a > b).sum())
    assert_allclose(stats.sign_test(a, b).p_value, scipy.stats.binomtest(wins, 40).pvalue, rtol=1e-12, atol=0)
    permuted = scipy.stats.permutation_test(
        (a - b,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(5)
    )
    ours = stats.randomization_test(a, b, n_permutations=20_000, seed=5).p_value
    assert_allclose(ours, permuted.pvalue, rtol=0, atol=5 * math.sqrt(permuted.pvalue / 20_000))
    assert_allclose(stats.bootstrap_test(a, b, seed=1).p_value, stats.t_test(a, b).p_value, rtol=0, atol=0.05)


def test_equivalence_is_the_larger_of_two_one_sided_tests() -> None:
    a, b = normal(40) * 0.1, normal(40, seed=1) * 0.1
    tests = [
        scipy.stats.ttest_1samp(a - b, -0.05, alternative="greater"),
        scipy.stats.ttest_1samp(a - b, 0.05, alternative="less"),
    ]
    expected = max(test.pvalue for test in tests)
    assert_allclose(stats.equivalence_test(a, b, 0.05).p_value, expected, rtol=1e-12, atol=0)
    with pytest.raises(OptionError, match="margin"):
        stats.equivalence_test(a, b, 0)
    for scale in (2.0**-1000, 2.0**-500, 2.0**300):  # squares of tiny differences vanish
        found = stats.equivalence_test(scale * a, scale * b, scale * 0.05).p_value
        assert_allclose(found, expected, rtol=1e-9, atol=0)
    assert stats.equivalence_test([1e-300, 2e-300, 4e-300], [0, 0, 0], 0.1).p_value == 0


@pytest.mark.parametrize("test", PAIRED)
def test_what_has_no_answer_says_why(test: Any) -> None:
    equal = test([0.5, 0.25], [0.5, 0.25])
    assert (equal.p_value, equal.difference) == (1.0, 0.0)
    assert "equal on every query" in equal.note
    nothing = test([NAN, 1.0], [1.0, NAN])
    assert math.isnan(nothing.p_value)
    assert "2 of 2 queries have no value and are left out; no query" in nothing.note
    one = test([1.0], [0.5])
    assert one.p_value == 1 or (math.isnan(one.p_value) and "two queries" in one.note)
    constant = test([1.0, 2.0, 3.0], [0.5, 1.5, 2.5])
    assert constant.p_value > 0 or (math.isnan(constant.p_value) and "same" in constant.note)


@pytest.mark.parametrize("test", PAIRED)
def test_queries_without_a_value_are_left_out_and_counted(test: Any) -> None:
    a, b = normal(30), normal(30, seed=1)
    options = {"seed": 1} if test in (stats.randomization_test, stats.bootstrap_test) else {}
    whole = test(a, b, **options)
    with_gaps = test([*a, NAN, 1.0], [*b, 1.0, NAN], **options)
    assert with_gaps.p_value == whole.p_value
    assert with_gaps.note == "2 of 32 queries have no value and are left out"


def test_unequal_lengths_and_infinite_values_are_refused() -> None:
    with pytest.raises(DataError, match="both systems need a value for every query"):
        stats.t_test([1, 2], [1])
    with pytest.raises(DataError, match="infinite"):
        stats.t_test([1, math.inf], [1, 2])


@pytest.mark.slow
@pytest.mark.parametrize("test", PAIRED)
def test_type_1_error_is_the_level_and_power_rises(test: Any) -> None:
    rng, n_trials = np.random.default_rng(11), 600
    rejected = {}
    for shift in (0.0, 0.4, 0.8):
        trials = rng.normal(size=(n_trials, 24)) + shift
        options = {"n_permutations": 199} if test is stats.randomization_test else {}
        options = {"n_resamples": 199} if test is stats.bootstrap_test else options
        rejected[shift] = np.mean([test(trial, np.zeros(24), **options).p_value <= 0.05 for trial in trials])
    # The sign test has few p-values: the largest up to .05 is that of 6 wins of 24.
    level = 2 * scipy.stats.binom.cdf(6, 24, 0.5) if test is stats.sign_test else 0.05
    assert_allclose(rejected[0.0], level, rtol=0, atol=4 * math.sqrt(level * (1 - level) / n_trials))
    assert rejected[0.0] < rejected[0.4] < rejected[0.8]
    assert rejected[0.8] > 0.7


def test_tukey_holds_its_level_over_all_pairs_and_is_exact_for_two() -> None:
    rng, n_trials = np.random.default_rng(12), 600
    queries = rng.normal(size=(n_trials, 20, 1)) * 3  # queries differ more than systems do
    nulls = queries + rng.normal(size=(n_trials, 20, 4))
    smallest = [
        stats.randomized_tukey_hsd(null, n_permutations=199, seed=i).p_values.min() for i, null in enumerate(nulls)
    ]
    assert_allclose(np.mean(np.array(smallest) <= 0.05), 0.05, rtol=0, atol=4 * math.sqrt(0.05 * 0.95 / n_trials))
    two = normal(12, 2) + np.array([0.6, 0])
    exact = stats.randomization_test(two[:, 0], two[:, 1]).p_value
    found = stats.randomized_tukey_hsd(two, n_permutations=100_000, seed=0).p_values[0, 1]
    assert_allclose(found, exact, rtol=0, atol=4 * math.sqrt(exact / 100_000))


def test_tukey_is_symmetric_and_its_critical_difference_separates() -> None:
    matrix = normal(60, 5) + np.array([0, 0.1, 0.3, 0.6, 1.2])
    found = stats.randomized_tukey_hsd(matrix, n_permutations=5000, seed=2)
    assert_allclose(found.p_values, found.p_values.T, rtol=0, atol=0)
    assert_allclose(found.differences, -found.differences.T, rtol=0, atol=0)
    off = ~np.eye(5, dtype=bool)
    significant = found.p_values[off] <= 0.05
    assert_allclose(significant, np.abs(found.differences[off]) >= found.critical_difference - 1e-12)
    assert 0 < significant.sum() < significant.size
    assert_allclose(
        found.p_values,
        stats.randomized_tukey_hsd(matrix, n_permutations=5000, seed=2, n_threads=1).p_values,
        rtol=0,
        atol=0,
    )


def test_shuffled_rows_take_every_order_equally_often() -> None:
    # The range of the sums tells which of 1, 10 and 100 the 1000 was added to.
    rows = np.array([1.0, 10.0, 100.0, 0.0, 0.0, 1000.0])
    ranges = _native.shuffled_ranges(rows, 3, 60_000, 7, 1)
    values, counts = np.unique(ranges, return_counts=True)
    assert values.tolist() == [991.0, 1009.0, 1099.0]
    assert_allclose(counts / 60_000, [1 / 3, 1 / 3, 1 / 3], rtol=0, atol=0.01)
    many = _native.shuffled_ranges(np.arange(40.0), 40, 10, 7, 1)  # more choices than one random word holds
    assert (many == 39).all()


def test_anova_agrees_with_the_f_test_of_residuals() -> None:
    matrix = normal(30, 4) + np.array([0, 0, 0.2, 0.4]) + normal(30, 1, seed=3)
    found = stats.anova(matrix)
    grand, rows, columns = matrix.mean(), matrix.mean(axis=1), matrix.mean(axis=0)
    rest = sum((matrix[i, j] - rows[i] - columns[j] + grand) ** 2 for i in range(30) for j in range(4)) / 87
    f = 30 * sum((column - grand) ** 2 for column in columns) / 3 / rest
    assert_allclose(found.f_statistic, f, rtol=1e-10, atol=0)
    assert_allclose(found.p_value, scipy.stats.f.sf(f, 3, 87), rtol=1e-10, atol=0)
    assert_allclose(
        stats.anova(matrix[:, :2]).p_value, stats.t_test(matrix[:, 0], matrix[:, 1]).p_value, rtol=1e-9, atol=0
    )
    assert math.isnan(stats.anova([[1.0, 2.0]]).p_value)
    assert stats.anova([[1.0, 1.0], [2.0, 2.0]]).p_value == 1.0


def test_an_analysis_of_variance_of_equal_systems_that_vary_differently_keeps_its_level() -> None:
    rng = np.random.default_rng(5)
    spread = np.array([0.2, 0.2, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0])
    shared = rng.normal(size=(1500, 25, 1)) * np.repeat([0, 1.0], 4)  # four systems have more in common
    found = [stats.anova(values) for values in rng.normal(size=(1500, 25, 8)) * spread + shared]
    # Without the correction, as if all differences of two systems varied alike.
    naive = [scipy.stats.f.sf(each.f_statistic, each.df_systems, each.df_residual) for each in found]
    assert 0.03 < np.mean([each.p_value <= 0.05 for each in found]) < 0.065
    assert np.mean(np.array(naive) <= 0.05) > 0.08
    box = [(each.epsilon, 1 / 7 <= each.epsilon <= 1) for each in found]
    assert np.mean(box, axis=0)[1] == 1
    assert 0.15 < np.mean(box, axis=0)[0] < 0.6


def test_corrections_agree_with_scipy_and_hold_nan() -> None:
    p = np.random.default_rng(0).random(20) ** 2
    assert_allclose(stats.benjamini_hochberg(p), scipy.stats.false_discovery_control(p), rtol=1e-12, atol=0)
    assert_allclose(stats.bonferroni(p), np.minimum(20 * p, 1), rtol=1e-15, atol=0)
    step = [max(min(1, (20 - r) * q) for r, q in enumerate(np.sort(p)[: i + 1])) for i in range(20)]
    assert_allclose(np.sort(stats.holm(p)), step, rtol=1e-12, atol=0)
    for correct in (stats.holm, stats.bonferroni, stats.benjamini_hochberg):
        gaps = correct([*p, NAN])
        assert_allclose(gaps[:-1], correct(p), rtol=0, atol=0)
        assert math.isnan(gaps[-1])
        with pytest.raises(DataError, match="p-values"):
            correct([0.5, 1.5])
        assert correct([]).size == 0


def test_effect_sizes_by_hand_and_by_bias() -> None:
    effect = stats.effect_size([3, 1, 4, 2], [1, 2, 1, 2])
    assert (effect.wins, effect.ties, effect.losses) == (2, 1, 1)
    assert_allclose(effect.cohen_dz, 1 / np.std([2, -1, 3, 0], ddof=1), rtol=1e-15, atol=0)
    assert effect.common_language == 0.625
    # d_z of samples of 6 overshoots; g does not.
    samples = normal(20_000, 6, seed=4) + 0.5
    found = [stats.effect_size(sample, np.zeros(6)) for sample in samples[:4000]]
    assert_allclose(np.mean([each.hedges_g for each in found]), 0.5, rtol=0, atol=0.04)
    assert np.mean([each.cohen_dz for each in found]) > 0.55
    assert math.isnan(stats.effect_size([1.0], [0.0]).cohen_dz)
    same = stats.effect_size([0.3, 0.4, 0.5], [0.2, 0.3, 0.4])  # 0.1, up to rounding: no variance
    assert math.isnan(same.cohen_dz)
    assert math.isnan(same.hedges_g)


@pytest.mark.parametrize("method", ["t", "percentile", "bca"])
def test_intervals_cover_the_mean_as_often_as_they_say(method: str) -> None:
    samples = np.random.default_rng(6).exponential(size=(600, 40))
    found = [stats.interval(sample, 0.9, method, n_resamples=400, seed=i) for i, sample in enumerate(samples)]
    covered = np.mean([each.low <= 1 <= each.high for each in found])
    assert 0.84 <= covered <= 0.93


def test_bca_agrees_with_scipy() -> None:
    sample = np.random.default_rng(7).exponential(size=50)
    expected = scipy.stats.bootstrap(
        (sample,), np.mean, n_resamples=50_000, rng=np.random.default_rng(0)
    ).confidence_interval
    found = stats.interval(sample, method="bca", n_resamples=50_000, seed=0)
    assert_allclose([found.low, found.high], [expected.low, expected.high], rtol=0, atol=0.01)
    assert found == stats.interval(sample, method="bca", n_resamples=50_000, seed=0, n_threads=1)
    t = stats.interval(sample, method="t")
    assert_allclose(
        [t.low, t.high], scipy.stats.t.interval(0.95, 49, sample.mean(), scipy.stats.sem(sample)), rtol=1e-12, atol=0
    )


def test_intervals_without_a_width_say_why() -> None:
    assert "two queries" in stats.interval([1.0]).note
    same = stats.interval([0.5, 0.5, NAN])
    assert (same.low, same.high) == (0.5, 0.5)
    assert same.note == "1 of 3 queries has no value and is left out; all queries have the same value"
    with pytest.raises(OptionError, match="method"):
        stats.interval([1, 2], method="magic")
    with pytest.raises(OptionError, match="level"):
        stats.interval([1, 2], 95)


def test_planned_queries_give_the_power_that_was_asked_for() -> None:
    pilot = normal(200, 2)
    plan = stats.queries_for(0.5, pilot)
    assert_allclose(plan.variance, np.var(pilot[:, 0] - pilot[:, 1], ddof=1), rtol=1e-10, atol=0)
    trials = np.random.default_rng(1).normal(0.5, math.sqrt(plan.variance), size=(2000, plan.n_queries))
    seen = np.mean([stats.t_test(trial, np.zeros(plan.n_queries)).p_value <= 0.05 for trial in trials])
    assert_allclose(seen, 0.8, rtol=0, atol=0.04)
    assert stats.power_of_t_test(plan.n_queries, 0.5, plan.variance) >= 0.8
    assert stats.power_of_t_test(plan.n_queries - 1, 0.5, plan.variance) < 0.8


def test_an_anova_plan_gives_the_power_that_was_asked_for() -> None:
    plan = stats.queries_for(0.5, normal(300, 5), design="anova")
    effects = np.array([0.25, -0.25, 0, 0, 0])  # the least favourable: the others lie between
    rng = np.random.default_rng(2)
    trials = rng.normal(size=(800, plan.n_queries, 5)) * math.sqrt(plan.variance) + effects
    assert_allclose(np.mean([stats.anova(trial).p_value <= 0.05 for trial in trials]), 0.8, rtol=0, atol=0.06)


def test_an_interval_plan_gives_the_width_that_was_asked_for() -> None:
    plan = stats.queries_for(0.5, normal(300, 2), design="interval")
    trials = np.random.default_rng(3).normal(size=(400, plan.n_queries)) * math.sqrt(plan.variance)
    found = [stats.interval(trial, method="t") for trial in trials]
    assert_allclose(np.mean([each.high - each.low for each in found]), 0.5, rtol=0.02, atol=0)


def test_a_pilot_of_one_query_is_refused() -> None:
    with pytest.raises(
        DataError, match=r"at least two queries and two systems, got values of 1 x 2 \(queries x systems"
    ):
        stats.queries_for(0.5, normal(1, 2))


def test_queries_for_the_right_order_are_those_of_the_specification() -> None:
    # Gaps of mean .2 and standard deviation .235781261197: 3.76 queries; whatever their distribution, 149.79.
    pilot = np.zeros((100, 2))
    pilot[:50, 0], pilot[50:, 0] = 1, -1
    pilot *= math.sqrt(0.235781261197**2 / np.var(pilot[:, 0], ddof=1))
    assert stats.queries_for(0.2, pilot, design="order").n_queries == 4
    assert stats.queries_for(0.2, pilot, design="any_order").n_queries == 150
    trials = np.random.default_rng(0).normal(0.2, 0.235781261197, size=(20_000, 4))
    assert_allclose(np.mean(trials.mean(axis=1) > 0), 0.955, rtol=0, atol=0.01)


def test_the_least_detectable_effect_has_the_power_that_was_asked_for() -> None:
    sample = normal(50)
    effect = stats.minimum_detectable_effect(sample, power=0.9)
    assert_allclose(stats.power_of_t_test(50, effect, float(sample.var(ddof=1))), 0.9, rtol=1e-9, atol=0)
    assert math.isnan(stats.minimum_detectable_effect([1.0]))
    assert math.isnan(stats.minimum_detectable_effect([1.0, 1.0]))
    assert stats.power_of_t_test(50, 1000.0, 1.0) == 1.0


@pytest.mark.parametrize(
    ("options", "what"),
    [({"delta": 0}, "difference"), ({"design": "magic"}, "design"), ({"power": 1}, "power"), ({"level": 0}, "level"),
     ({"pilot": [[1.0, 2.0]]}, "two queries"), ({"pilot": [[1.0, 1.0], [2.0, 2.0]]}, "no variance")],
)  # fmt: skip
def test_a_plan_that_cannot_be_made_is_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(DataError if "pilot" in options else OptionError, match=what):
        stats.queries_for(**{"delta": 0.1, "pilot": normal(10, 2), **options})


@pytest.mark.slow
def test_statsmodels_agrees_where_it_has_the_test() -> None:
    pytest.importorskip("statsmodels")
    from statsmodels.stats.anova import AnovaRM
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.power import TTestPower
    from statsmodels.stats.weightstats import ttost_paired

    p = np.random.default_rng(1).random(15) ** 3
    for name, correct in (("holm", stats.holm), ("bonferroni", stats.bonferroni), ("fdr_bh", stats.benjamini_hochberg)):
        assert_allclose(correct(p), multipletests(p, method=name)[1], rtol=1e-12, atol=0)

    a, b = normal(30) * 0.1, normal(30, seed=1) * 0.1
    assert_allclose(stats.equivalence_test(a, b, 0.05).p_value, ttost_paired(a, b, -0.05, 0.05)[0], rtol=1e-10, atol=0)

    for n, effect in ((10, 0.2), (34, 0.5), (200, 0.15)):
        expected = TTestPower().power(effect, n, 0.05)
        assert_allclose(stats.power_of_t_test(n, effect, 1.0), expected, rtol=1e-8, atol=0)

    pandas = pytest.importorskip("pandas")
    matrix = normal(20, 3) + normal(20, 1, seed=2) + np.array([0, 0.2, 0.5])
    query, system = np.indices(matrix.shape)
    frame = pandas.DataFrame({"query": query.ravel(), "system": system.ravel(), "value": matrix.ravel()})
    table = AnovaRM(frame, "value", "query", within=["system"]).fit().anova_table
    found = stats.anova(matrix)
    assert_allclose([found.f_statistic, found.p_value], table[["F Value", "Pr > F"]].iloc[0], rtol=1e-8, atol=0)


@pytest.mark.parametrize("n_queries", [-1, 0, 1])
def test_a_t_test_of_fewer_than_two_queries_has_no_power(n_queries: int) -> None:
    with pytest.raises(DataError, match=f"two queries or more, got {n_queries}"):
        stats.power_of_t_test(n_queries, 0.5, 1.0)


@pytest.mark.parametrize("variance", [0.0, -1.0, math.nan, math.inf])
def test_power_needs_a_positive_variance(variance: float) -> None:
    with pytest.raises(DataError, match="the variance of the differences must be a positive number"):
        stats.power_of_t_test(10, 0.5, variance)


@pytest.mark.parametrize("size", [1e150, 1e308, -1.7e308])
def test_values_whose_powers_overflow_are_refused(size: float) -> None:
    values = np.array([size, -size, 0.0, size / 2])
    matrix = np.stack([values, values[::-1]], axis=1)
    calls: list[Callable[[], object]] = [
        lambda: stats.interval(values),
        lambda: stats.interval(values, method="t"),
        lambda: stats.effect_size(values, -values),
        lambda: stats.anova(matrix),
        lambda: stats.randomized_tukey_hsd(matrix),
        lambda: stats.minimum_detectable_effect(values),
        lambda: stats.equivalence_test(values, values[::-1], 1.0),
        *(partial(paired_test, test, values, values[::-1]) for test in TESTS),
    ]
    for call in calls:
        with pytest.raises(DataError, match=r"must be at most 1e\+100 in size"):
            call()


def test_large_values_have_the_statistics_of_small_ones() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30) + 0.3, rng.normal(size=30)
    for scale in (2.0**300, 2.0**-300):
        for test in TESTS:
            expected, found = (paired_test(test, x * a, x * b, seed=1).p_value for x in (1.0, scale))
            assert_allclose(found, expected, rtol=1e-9, atol=0)
        assert_allclose(
            stats.effect_size(scale * a, scale * b).cohen_dz, stats.effect_size(a, b).cohen_dz, rtol=1e-9, atol=0
        )
        assert_allclose(
            stats.anova(scale * np.stack([a, b], 1)).p_value,
            stats.anova(np.stack([a, b], 1)).p_value,
            rtol=1e-9,
            atol=0,
        )


@pytest.mark.parametrize("scale", [1e-150, 1e-160, 1e-300, 1e99])
def test_the_t_test_does_not_depend_on_the_unit(scale: float) -> None:
    a, b = np.array([1, 2, 4, 3.0]), np.array([0.5, 2.5, 1, 1])
    assert stats.t_test(a * scale, b * scale).p_value == pytest.approx(stats.t_test(a, b).p_value, rel=1e-12)

"""Prediction-powered means on drawn populations whose means are known."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from idealrank import stats
from idealrank.errors import DataError, OptionError
from idealrank.stats import control_variates
from idealrank.stats.control_variates import estimate_means


def population(rng: Any, n: Any = 43, correlation: Any = 0.7, bias: Any = 0.15) -> Any:
    """Return skewed human differences with many zeros, as systems have, and those of a biased machine."""
    human = rng.normal(0, 0.1, n) * (rng.random(n) < 0.7) + 0.02
    noise = rng.normal(0, 0.1, n)
    return human, bias + 0.6 * (correlation * human + np.sqrt(1 - correlation**2) * noise)


def half_width(human: Any, open_share: Any = 1.0) -> Any:
    """Return half the width of Student's t intervals of means of human values."""
    n = human.shape[-1]
    return t.ppf(0.975, n - 1) * np.sqrt(human.var(axis=-1, ddof=1) / n * open_share)


def coverage(correlation: Any, n_human: Any = 15, n_populations: Any = 100, n_draws: Any = 100) -> Any:
    """Return how often the interval has the mean, how often that of human values alone has it, and their widths."""
    rng = np.random.default_rng(8)
    hits, widths = [], []
    for _ in range(n_populations):
        human, machine = population(rng, correlation=correlation)
        mean, guess = human.mean(), machine - machine.mean()
        chosen = rng.permuted(np.tile(np.arange(human.size), (n_draws, 1)), axis=1)[:, :n_human]
        found = estimate_means(human[chosen], guess[chosen], 0.0, guess.var(ddof=1), human.size)
        half = t.ppf(0.975, found.open_degrees) * np.sqrt(found.open_variances)
        human_half = half_width(human[chosen], 1 - n_human / human.size)
        alone = np.abs(human[chosen].mean(axis=1) - mean) <= human_half
        hits.append((np.mean(np.abs(found.means - mean) <= half), np.mean(alone)))
        widths.append(np.mean(half / human_half))
    return *np.mean(hits, axis=0), np.mean(widths)


def test_many_samples_at_once_are_estimated_as_one_by_one() -> None:
    rng = np.random.default_rng(9)
    human, machine = population(rng)
    chosen = rng.permuted(np.tile(np.arange(43), (5, 1)), axis=1)[:, :15]
    found = estimate_means(human[chosen], machine[chosen], machine.mean(), machine.var(ddof=1), 43)
    for place, row in enumerate(chosen):
        some = np.full(43, np.nan)
        some[row] = human[row]
        own = stats.prediction_powered(some, machine, level=0.9)
        expected = own.mean, own.weight, own.variance, own.degrees
        rows = found.means, found.weights, found.variances, found.degrees
        assert [float(each[place]) for each in rows] == pytest.approx(expected)
        half = t.ppf(0.95, found.open_degrees[place]) * np.sqrt(found.open_variances[place])
        assert own.these_high - own.mean == pytest.approx(half)
        assert own.high - own.mean == pytest.approx(t.ppf(0.95, own.degrees) * np.sqrt(own.variance))


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5, 0.9])
def test_intervals_cover_the_mean_of_these_queries_and_are_not_wider_than_without_a_machine(correlation: Any) -> None:
    covered, alone, width = coverage(correlation)
    assert 0.935 < covered < 0.965
    assert 0.935 < alone < 0.965
    assert width < 1.05
    if correlation == 0.9:
        assert width < 0.6


def test_the_check_of_coverage_sees_a_variance_without_the_estimated_weight(monkeypatch: Any) -> None:
    def naive(f: Any, g: Any, machine_means: Any) -> Any:  # as if the weight was known, and the judge's noise was none
        return 0.5 * (f.sum(axis=-1, keepdims=True) - f) / (f.shape[-1] - 1)

    monkeypatch.setattr(control_variates, "_without_each", naive)
    assert coverage(0.5)[0] < 0.9


def test_the_estimate_is_unbiased_whatever_the_bias_of_the_machine() -> None:
    rng = np.random.default_rng(2)
    human, machine = population(rng, bias=0.5, correlation=0.9)
    found = []
    for _ in range(1000):
        chosen = rng.permutation(human.size) < 15
        found.append(stats.prediction_powered(np.where(chosen, human, np.nan), machine))
    estimates, alone = [each.mean for each in found], [each.human_mean for each in found]
    assert np.mean(estimates) == pytest.approx(human.mean(), abs=4 * np.std(estimates) / np.sqrt(1000) + 0.001)
    assert np.std(estimates) < 0.7 * np.std(alone)
    bias = machine.mean() - human.mean()
    assert bias > 0.3
    assert np.mean([each.bias for each in found]) == pytest.approx(bias, abs=0.01)


def test_the_variance_for_these_queries_is_that_of_the_estimates_without_each_query() -> None:
    human, machine = population(np.random.default_rng(7))
    some = np.where(np.arange(human.size) < 15, human, np.nan)
    left_out = []
    for query in range(15):
        without = some.copy()
        without[query] = np.nan
        left_out.append(stats.prediction_powered(without, machine).mean)
    variance = 14 / 15 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2) * (1 - 15 / 43)
    found = stats.prediction_powered(some, machine)
    assert (found.these_high - found.these_low) / 2 == pytest.approx(t.ppf(0.975, 13) * np.sqrt(variance))
    between = found.weight**2 * (machine.var(ddof=1) - machine[:15].var(ddof=1)) + human[:15].var(ddof=1)
    assert found.variance == pytest.approx(variance + between / 43)


@pytest.mark.parametrize("n_human", [8, 15, 30, 42])
@pytest.mark.parametrize("correlation", [-0.5, 0.5, 0.9, 0.999])
def test_intervals_for_new_queries_cover(n_human: Any, correlation: Any) -> None:
    """0.02 is the mean of the distribution that the queries are drawn from."""
    human, machine = population(np.random.default_rng(3), n=(4000, 43), correlation=correlation)
    judged, machine = slice(0, n_human), machine / 0.6
    found = estimate_means(
        human[:, judged], machine[:, judged], machine.mean(axis=1), machine.var(axis=1, ddof=1), human.shape[1]
    )
    half = t.ppf(0.975, found.degrees) * np.sqrt(found.variances)
    assert 0.935 < np.mean(np.abs(found.means - 0.02) <= half) < 0.974
    if correlation > 0.9:
        alone = half_width(human[:, judged]).mean()
        assert half.mean() < 1.15 * alone * np.sqrt(n_human / 43)


def test_a_variance_from_few_queries_of_all_would_cover_less() -> None:
    """The check sees it if the variance between queries does not come from all machine values."""
    human, machine = population(np.random.default_rng(3), n=(4000, 43), correlation=0.999)
    machine = machine / 0.6
    few = machine[:, :5]
    found = estimate_means(human[:, :5], few, machine.mean(axis=1), few.var(axis=1, ddof=1), human.shape[1])
    half = t.ppf(0.975, found.degrees) * np.sqrt(found.variances)
    assert np.mean(np.abs(found.means - 0.02) <= half) < 0.9


def test_without_unjudged_queries_it_is_the_t_test() -> None:
    human, machine = population(np.random.default_rng(5), n=12)
    found = stats.prediction_powered(human, machine)
    expected = stats.t_test(human, np.zeros(12))
    plain = stats.interval(human)
    assert (found.p_value, found.mean) == pytest.approx((expected.p_value, expected.difference))
    assert (found.low, found.high, found.degrees) == pytest.approx((plain.low, plain.high, 11))
    assert found.these_low == found.these_high == found.mean
    assert "not needed" in found.note


def test_a_machine_without_visible_errors_does_not_count() -> None:
    human = np.array([0.1, 0.5, 0.2, 0.9, 0.4, 0.3, 0.6, 0.2])
    found = stats.prediction_powered(human[:6], human + 0.25)
    assert found.weight == 0
    assert (found.low, found.high) == (found.human_low, found.human_high)
    assert "differ by the same number" in found.note
    assert stats.prediction_powered(human[:4], human + 0.1 * human**2).weight == 0


def test_intervals_stay_in_the_range() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        human = (rng.random(20) < 0.9).astype(float)
        machine = np.clip(human + rng.normal(0, 0.3, 20), 0, 1)
        found = stats.prediction_powered(human[:8], machine, value_range=(0, 1))
        ends = [found.low, found.high, found.these_low, found.these_high, found.human_low, found.human_high]
        assert min(ends) >= 0
        assert max(ends) <= 1
        assert found.low < found.high
        assert found.these_low < found.these_high


def test_p_values_allow_for_the_signs_that_few_differences_can_have() -> None:
    """4 of 43 queries differ, by 1 in the same direction: that happens in an eighth of random exchanges."""
    human = np.zeros(43)
    human[:4] = 1
    machine = np.random.default_rng(0).normal(size=43)
    assert ttest_1samp(human, 0).pvalue < 0.05
    assert stats.t_test(human, np.zeros(43)).p_value == 0.125
    assert stats.prediction_powered(human, machine).p_value == 0.125
    assert stats.prediction_powered(np.ones(3), machine).p_value == 0.25
    assert stats.prediction_powered(np.zeros(10), machine).p_value == 1
    found = stats.prediction_powered(np.zeros(10), machine, value_range=(0, 1), is_difference=True)
    assert -0.5 < found.low < found.these_low < 0 < found.these_high < found.high < 0.5


@pytest.mark.parametrize(
    ("machine", "words"), [([0.5] * 6, "constant"), ([0.9, 0.5, 0.1, 0.4, 0.5, 0.4], "correlated")]
)
def test_machines_that_say_nothing_do_not_count(machine: Any, words: Any) -> None:
    found = stats.prediction_powered([0.1, 0.5, 0.9, 0.4, 0.6], machine)
    assert found.weight == 0
    assert found.mean == pytest.approx(0.5)
    assert words in found.note


def test_equivalent_number_of_human_values() -> None:
    """As many human values alone have intervals of the same width."""
    rng = np.random.default_rng(5)
    human, machine = population(rng, n=300, correlation=0.9)
    samples = [rng.permutation(300) for _ in range(40)]
    found = [stats.prediction_powered(human[own[:60]], machine[own]) for own in samples]
    worth = round(np.mean([each.n_equivalent for each in found]))
    assert worth > 100
    more = [stats.prediction_powered(human[own[:worth]], machine[own]) for own in samples]
    width = np.mean([each.human_high - each.human_low for each in more])
    assert np.mean([each.high - each.low for each in found]) == pytest.approx(width, rel=0.05)


@pytest.mark.parametrize(
    ("human", "machine", "error", "words"),
    [
        ([0.5, np.nan], [0.1, 0.2], DataError, "3 queries or more need a human value, got 1"),
        ([0.5] * 4, [0.1, 0.2, 0.3], DataError, "4 human values and 3 machine values"),
        ([0.5] * 3, [0.1, np.nan, 0.3], DataError, "finite machine value"),
        ([np.inf, 0.5, 0.5], [0.1, 0.2, 0.3], DataError, "finite"),
        ([], [], DataError, "3 queries or more"),
    ],
)
def test_refusals(human: Any, machine: Any, error: Any, words: Any) -> None:
    with pytest.raises(error, match=words):
        stats.prediction_powered(human, machine)
    with pytest.raises(OptionError, match="level"):
        stats.prediction_powered([1, 2, 3], [1, 2, 3], level=2)


@pytest.mark.parametrize("shift", [1e6, -1e8])
def test_a_constant_that_is_added_to_all_values_changes_nothing_else(shift: Any) -> None:
    human, machine = population(np.random.default_rng(6))
    some = np.where(np.arange(human.size) < 15, human, np.nan)
    plain, moved = (stats.prediction_powered(some + by, 3 * machine + 2 * by) for by in (0, shift))
    digits = abs(shift) * 1e-14
    assert moved.weight == pytest.approx(plain.weight, abs=1e-5)
    assert moved.mean - shift == pytest.approx(plain.mean, abs=digits)
    assert moved.high - moved.low == pytest.approx(plain.high - plain.low, abs=10 * digits)
    assert moved.these_high - moved.these_low == pytest.approx(plain.these_high - plain.these_low, abs=10 * digits)


def test_a_perfect_but_constant_judge_of_large_values_has_no_weight() -> None:
    found = stats.prediction_powered([1e8, 1e8 + 1, 1e8 + 3], [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3])
    assert found.weight == 0
    assert "constant" in found.note
    assert np.isnan(found.correlation)


@pytest.mark.parametrize("these", [True, False])
@pytest.mark.parametrize("width", [0.03, 0.05])
def test_planned_numbers_of_queries_give_the_wanted_width(width: Any, these: Any) -> None:
    rng = np.random.default_rng(11)
    human, machine = population(rng, n=300, correlation=0.9)
    plan = stats.human_queries_for(width, human, machine, these_queries=these)
    assert plan.n_human is not None
    assert plan.n_human_alone is not None
    assert plan.n_human < 0.6 * plan.n_human_alone
    widths = []
    for _ in range(60):
        order = rng.permutation(human.size)
        both = stats.prediction_powered(human[order[: plan.n_human]], machine[order])
        chosen = human[order[: plan.n_human_alone]]
        alone = 2 * half_width(chosen, 1 - chosen.size / 300 if these else 1)
        widths.append((both.these_high - both.these_low if these else both.high - both.low, alone))
    assert np.mean(widths, axis=0) == pytest.approx(width, rel=0.07)


def test_plans_from_small_pilots_are_right_on_average() -> None:
    rng = np.random.default_rng(12)
    squares = []
    for _ in range(600):
        machine = rng.normal(size=100)
        human = 0.5 * machine[:8] + rng.normal(0, 0.5, 8)
        plan = stats.human_queries_for(0.1, human, machine)
        squares.append((plan.spread**2, plan.residual_spread**2))
    assert np.mean(squares, axis=0) == pytest.approx([0.5, 0.25], rel=0.06)


def test_a_plan_says_when_no_number_of_queries_is_enough() -> None:
    human, machine = population(np.random.default_rng(4))
    plan = stats.human_queries_for(1e-3, human[:20], machine)
    assert plan.n_human is plan.n_human_alone is None
    assert "more than all 43 queries" in plan.page().findings[0]
    assert stats.human_queries_for(1e-3, human[:20], machine, these_queries=True).n_human == 43
    with pytest.raises(OptionError, match="width must be a positive number"):
        stats.human_queries_for(0, human[:20], machine)
    with pytest.raises(OptionError, match="from 20 on, got 5"):
        stats.human_queries_for(1, human[:20], machine, n=5)
    with pytest.raises(DataError, match="4 queries or more"):
        stats.human_queries_for(1, human[:3], machine)


@pytest.mark.parametrize("n_different", [3, 5, 6, 8])
def test_the_interval_of_a_difference_agrees_with_the_p_value(n_different: int) -> None:
    human = np.where(np.arange(10) < n_different, 0.5 + 0.01 * np.arange(10), 0.0)
    machine = np.tile(human, 4) + 0.01 * np.random.default_rng(0).normal(size=40)
    found = stats.prediction_powered(human, machine, value_range=(0, 1), is_difference=True)
    assert (found.low <= 0 <= found.high) == (found.p_value > 0.05)
    assert (found.p_value > 0.05) == (n_different < 6)
    narrow = stats.prediction_powered(human, machine)  # not a difference of two systems
    assert (found.high - found.low > narrow.high - narrow.low) == (n_different < 6)
    assert (found.these_high - found.these_low > narrow.these_high - narrow.these_low) == (n_different < 6)

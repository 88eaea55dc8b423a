"""Prediction-powered means on drawn populations whose means are known."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from idealrank import stats
from idealrank.errors import DataError, OptionError
from idealrank.stats import control_variates
from idealrank.stats.control_variates import estimate_means


def population(rng: Any, n: Any = 43, correlation: Any = 0.7, bias: Any = 0.15) -> Any:
    """Return skewed human differences with many zeros, as systems have, and those of a biased machine."""
    human = rng.normal(0, 0.1, n) * (rng.random(n) < 0.7) + 0.02
    noise = rng.normal(0, 0.1, n)
    return human, bias + 0.6 * (correlation * human + np.sqrt(1 - correlation**2) * noise)


def coverage(correlation: Any, n_human: Any = 15, n_populations: Any = 100, n_draws: Any = 100) -> Any:
    """Return how often the interval has the mean, how often that of human values alone has it, and their widths."""
    rng = np.random.default_rng(8)
    hits, widths = [], []
    for _ in range(n_populations):
        human, machine = population(rng, correlation=correlation)
        mean, guess = human.mean(), machine - machine.mean()
        chosen = rng.permuted(np.tile(np.arange(human.size), (n_draws, 1)), axis=1)[:, :n_human]
        found = estimate_means(human[chosen], guess[chosen], 0.0, human.size)
        half, human_half = found.halves(0.95)
        alone = np.abs(human[chosen].mean(axis=1) - mean) <= human_half
        hits.append((np.mean(np.abs(found.means - mean) <= half), np.mean(alone)))
        widths.append(np.mean(half / human_half))
    return *np.mean(hits, axis=0), np.mean(widths)


def test_many_samples_at_once_are_estimated_as_one_by_one() -> None:
    rng = np.random.default_rng(9)
    human, machine = population(rng)
    for finite in (True, False):
        chosen = rng.permuted(np.tile(np.arange(43), (5, 1)), axis=1)[:, :15]
        found = estimate_means(human[chosen], machine[chosen], machine.mean(), 43, finite=finite)
        for row, mean, weight, half, human_half in zip(
            chosen, found.means, found.weights, *found.halves(0.9), strict=True
        ):
            some = np.full(43, np.nan)
            some[row] = human[row]
            own = stats.prediction_powered(some, machine, level=0.9, finite=finite)
            expected = own.mean, own.weight, own.high - own.mean, own.human_high - own.human_mean
            assert (mean, weight, half, human_half) == pytest.approx(expected)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5, 0.9])
def test_intervals_cover_the_mean_of_the_population_and_are_not_wider_than_without_a_machine(correlation: Any) -> None:
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


@pytest.mark.parametrize("finite", [True, False])
def test_the_variance_is_that_of_the_estimates_without_each_query(finite: Any) -> None:
    human, machine = population(np.random.default_rng(7))
    some = np.where(np.arange(human.size) < 15, human, np.nan)
    left_out = []
    for query in range(15):
        without = some.copy()
        without[query] = np.nan
        left_out.append(stats.prediction_powered(without, machine).mean)
    variance = 14 / 15 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2) * (1 - 15 / 43)
    variance += 0 if finite else human[:15].var(ddof=1) / 43
    found = stats.prediction_powered(some, machine, finite=finite)
    assert (found.high - found.low) / 2 == pytest.approx(t.ppf(0.975, 13) * np.sqrt(variance))


def test_a_mean_over_all_queries_like_these_has_a_wider_interval_that_covers() -> None:
    human, machine = population(np.random.default_rng(3), n=(6000, 43))
    found = estimate_means(human[:, :15], machine[:, :15], machine.mean(axis=1), 43, finite=False)
    half, human_half = found.halves(0.95)
    # 0.02 is the mean of the distribution that the populations are drawn from.
    assert 0.935 < np.mean(np.abs(found.means - 0.02) <= half) < 0.965
    assert 0.935 < np.mean(np.abs(human[:, :15].mean(axis=1) - 0.02) <= human_half) < 0.965


def test_a_perfect_machine_leaves_nothing_open() -> None:
    human = np.array([0.1, 0.5, 0.2, 0.9, 0.4])
    found = stats.prediction_powered(human[:3], human)
    assert found.mean == pytest.approx(human.mean())
    assert found.high - found.low == pytest.approx(0, abs=1e-12)
    assert found.weight == pytest.approx(1)


def test_all_queries_with_human_values_need_no_interval() -> None:
    found = stats.prediction_powered([0.1, 0.2, 0.6], [0.5, 0.1, 0.3])
    assert found.low == found.high == found.mean == pytest.approx(0.3)
    assert "not needed" in found.note


@pytest.mark.parametrize(
    ("machine", "words"), [([0.5] * 6, "constant"), ([0.9, 0.5, 0.1, 0.4, 0.4, 0.4], "correlated")]
)
def test_machines_that_say_nothing_do_not_count(machine: Any, words: Any) -> None:
    found = stats.prediction_powered([0.1, 0.5, 0.9], machine)
    assert found.weight == 0
    assert found.mean == pytest.approx(0.5)
    assert words in found.note


def test_equivalent_number_of_human_values() -> None:
    """As many human values alone have intervals of the same width."""
    rng = np.random.default_rng(5)
    human, machine = population(rng, n=300, correlation=0.9)
    for finite in (True, False):
        samples = [rng.permutation(300) for _ in range(40)]
        found = [stats.prediction_powered(human[own[:60]], machine[own], finite=finite) for own in samples]
        worth = round(np.mean([each.n_equivalent for each in found]))
        assert worth > 100
        more = [stats.prediction_powered(human[own[:worth]], machine[own], finite=finite) for own in samples]
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


def test_a_perfect_but_constant_judge_of_large_values_has_no_weight() -> None:
    found = stats.prediction_powered([1e8, 1e8 + 1, 1e8 + 3], [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3])
    assert found.weight == 0
    assert "constant" in found.note
    assert np.isnan(found.correlation)


@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize("width", [0.03, 0.05])
def test_planned_numbers_of_queries_give_the_wanted_width(width: Any, finite: Any) -> None:
    rng = np.random.default_rng(11)
    human, machine = population(rng, n=300, correlation=0.9)
    plan = stats.human_queries_for(width, human, machine, finite=finite)
    assert plan.n_human is not None
    assert plan.n_human_alone is not None
    assert plan.n_human < 0.6 * plan.n_human_alone
    widths = []
    for _ in range(60):
        order = rng.permutation(human.size)
        both = stats.prediction_powered(human[order[: plan.n_human]], machine[order], finite=finite)
        alone = stats.prediction_powered(human[order[: plan.n_human_alone]], machine[order], finite=finite)
        widths.append((both.high - both.low, alone.human_high - alone.human_low))
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
    plan = stats.human_queries_for(1e-3, human[:20], machine, finite=False)
    assert plan.n_human is plan.n_human_alone is None
    assert "more than all 43 queries" in plan.page().findings[0]
    assert stats.human_queries_for(1e-3, human[:20], machine).n_human == 43
    with pytest.raises(OptionError, match="width must be a positive number"):
        stats.human_queries_for(0, human[:20], machine)
    with pytest.raises(OptionError, match="from 20 on, got 5"):
        stats.human_queries_for(1, human[:20], machine, n=5)
    with pytest.raises(DataError, match="4 queries or more"):
        stats.human_queries_for(1, human[:3], machine)

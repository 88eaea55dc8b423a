"""Prediction-powered means on drawn populations whose means are known."""

from typing import Any

import numpy as np
import pytest

from idealrank import stats
from idealrank.errors import DataError, OptionError


def population(rng: Any, n: Any = 43, correlation: Any = 0.7, bias: Any = 0.15) -> Any:
    """Return skewed human differences with many zeros, as systems have, and those of a biased machine."""
    human = rng.normal(0, 0.1, n) * (rng.random(n) < 0.7) + 0.02
    noise = rng.normal(0, 0.1, n)
    return human, bias + 0.6 * (correlation * human + np.sqrt(1 - correlation**2) * noise)


def coverage(correlation: Any, n_human: Any = 15, n_populations: Any = 60, n_draws: Any = 40, **changes: Any) -> Any:
    """Return how often the interval has the mean of the population, and its width over that of human values alone."""
    rng = np.random.default_rng(8)
    hits, widths = [], []
    for _ in range(n_populations):
        human, machine = population(rng, correlation=correlation)
        for _ in range(n_draws):
            chosen = rng.permutation(human.size) < n_human
            found = stats.prediction_powered(np.where(chosen, human, np.nan), machine, **changes)
            hits.append(found.low <= human.mean() <= found.high)
            widths.append((found.high - found.low) / (found.human_high - found.human_low))
    return np.mean(hits), np.mean(widths)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5, 0.9])
def test_intervals_cover_the_mean_of_the_population_and_are_not_wider_than_without_a_machine(correlation: Any) -> None:
    covered, width = coverage(correlation)
    assert 0.93 < covered < 0.97
    assert width < 1.05
    if correlation == 0.9:
        assert width < 0.6


def test_the_check_of_coverage_sees_a_variance_without_the_estimated_weight(monkeypatch: Any) -> None:
    from idealrank.stats import control_variates

    def naive(f: Any, g: Any, machine_mean: Any) -> Any:  # as if the weight was known, and the judge's noise was none
        return (f.sum() - f) / (f.size - 1) - (g.sum() - g) / (f.size - 1) + machine_mean

    monkeypatch.setattr(control_variates, "_without_each", lambda f, g, mean: 0.5 * naive(f, 2 * f, mean))
    assert coverage(0.5)[0] < 0.9


def test_the_estimate_is_unbiased_whatever_the_bias_of_the_machine() -> None:
    rng = np.random.default_rng(2)
    human, machine = population(rng, bias=0.5)
    estimates = []
    for _ in range(2000):
        chosen = rng.permutation(human.size) < 15
        estimates.append(stats.prediction_powered(np.where(chosen, human, np.nan), machine).mean)
    assert np.mean(estimates) == pytest.approx(human.mean(), abs=4 * np.std(estimates) / np.sqrt(2000) + 0.001)
    assert abs(machine.mean() - human.mean()) > 0.3


def test_a_mean_over_all_queries_like_these_has_a_wider_interval_that_covers() -> None:
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(1500):
        human, machine = population(rng)
        found = stats.prediction_powered(np.where(np.arange(human.size) < 15, human, np.nan), machine, finite=False)
        hits.append(found.low <= 0.02 <= found.high)  # the mean of the distribution
    assert 0.93 < np.mean(hits) < 0.97


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
    rng = np.random.default_rng(5)
    human, machine = population(rng, n=2000, correlation=0.9)
    found = stats.prediction_powered(human[:200], machine)
    assert found.n_human < 500 < found.n_equivalent < 2000


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
def test_planned_numbers_of_queries_give_the_wanted_width(finite: Any) -> None:
    rng = np.random.default_rng(11)
    human, machine = population(rng, n=2000, correlation=0.9)
    plan = stats.human_queries_for(0.03, human[:1000], machine, n=2000, finite=finite)
    assert plan.n_human is not None
    assert plan.n_human_alone is not None
    assert plan.n_human < 0.5 * plan.n_human_alone
    widths = []
    for _ in range(30):
        order = rng.permutation(human.size)
        both = stats.prediction_powered(human[order[: plan.n_human]], machine[order], finite=finite)
        alone = stats.prediction_powered(human[order[: plan.n_human_alone]], machine[order], finite=finite)
        widths.append((both.high - both.low, alone.human_high - alone.human_low))
    # Human values alone have an interval for these queries only if finite.
    assert np.mean(widths, axis=0)[: 2 if finite else 1] == pytest.approx(0.03, rel=0.06)


def test_a_plan_says_when_no_number_of_queries_is_enough() -> None:
    human, machine = population(np.random.default_rng(4))
    plan = stats.human_queries_for(1e-3, human[:20], machine, finite=False)
    assert plan.n_human is plan.n_human_alone is None
    assert "more than all 43 queries" in plan.findings()[0]
    assert stats.human_queries_for(1e-3, human[:20], machine).n_human == 43
    with pytest.raises(OptionError, match="width must be a positive number"):
        stats.human_queries_for(0, human[:20], machine)
    with pytest.raises(OptionError, match="from 20 on, got 5"):
        stats.human_queries_for(1, human[:20], machine, n=5)
    with pytest.raises(DataError, match="4 queries or more"):
        stats.human_queries_for(1, human[:3], machine)

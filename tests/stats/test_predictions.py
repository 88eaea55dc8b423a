"""Prediction-powered means on drawn populations whose means are known."""

import numpy as np
import pytest

from idealrank import stats
from idealrank.errors import DataError, OptionError


def population(rng, n=43, correlation=0.7, bias=0.15):
    """Return skewed human differences with many zeros, as systems have, and those of a biased machine."""
    human = rng.normal(0, 0.1, n) * (rng.random(n) < 0.7) + 0.02
    noise = rng.normal(0, 0.1, n)
    return human, bias + 0.6 * (correlation * human + np.sqrt(1 - correlation**2) * noise)


def coverage(correlation, n_human=15, n_populations=60, n_draws=40, **changes):
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
def test_intervals_cover_the_mean_of_the_population_and_are_not_wider_than_without_a_machine(correlation):
    covered, width = coverage(correlation)
    assert 0.93 < covered < 0.97
    assert width < 1.05
    if correlation == 0.9:
        assert width < 0.6


def test_the_check_of_coverage_sees_a_variance_without_the_estimated_weight(monkeypatch):
    from idealrank.stats import predictions

    def naive(f, g, machine_mean):  # as if the weight was known, and the judge's noise was none
        return (f.sum() - f) / (f.size - 1) - (g.sum() - g) / (f.size - 1) + machine_mean

    monkeypatch.setattr(predictions, "_without_each", lambda f, g, mean: 0.5 * naive(f, 2 * f, mean))
    assert coverage(0.5)[0] < 0.9


def test_the_estimate_is_unbiased_whatever_the_bias_of_the_machine():
    rng = np.random.default_rng(2)
    human, machine = population(rng, bias=0.5)
    estimates = []
    for _ in range(2000):
        chosen = rng.permutation(human.size) < 15
        estimates.append(stats.prediction_powered(np.where(chosen, human, np.nan), machine).mean)
    assert np.mean(estimates) == pytest.approx(human.mean(), abs=4 * np.std(estimates) / np.sqrt(2000) + 0.001)
    assert abs(machine.mean() - human.mean()) > 0.3


def test_a_mean_over_all_queries_like_these_has_a_wider_interval_that_covers():
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(1500):
        human, machine = population(rng)
        found = stats.prediction_powered(np.where(np.arange(human.size) < 15, human, np.nan), machine, finite=False)
        hits.append(found.low <= 0.02 <= found.high)  # the mean of the distribution
    assert 0.93 < np.mean(hits) < 0.97


def test_a_perfect_machine_leaves_nothing_open():
    human = np.array([0.1, 0.5, 0.2, 0.9, 0.4])
    found = stats.prediction_powered(human[:3], human)
    assert found.mean == pytest.approx(human.mean())
    assert found.high - found.low == pytest.approx(0, abs=1e-12)
    assert found.weight == pytest.approx(1)


def test_all_queries_with_human_values_need_no_interval():
    found = stats.prediction_powered([0.1, 0.2, 0.6], [0.5, 0.1, 0.3])
    assert found.low == found.high == found.mean == pytest.approx(0.3)
    assert "not needed" in found.note


@pytest.mark.parametrize(
    ("machine", "words"), [([0.5] * 6, "constant"), ([0.9, 0.5, 0.1, 0.4, 0.4, 0.4], "correlated")]
)
def test_machines_that_say_nothing_do_not_count(machine, words):
    found = stats.prediction_powered([0.1, 0.5, 0.9], machine)
    assert found.weight == 0
    assert found.mean == pytest.approx(0.5)
    assert words in found.note


def test_equivalent_number_of_human_values():
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
def test_refusals(human, machine, error, words):
    with pytest.raises(error, match=words):
        stats.prediction_powered(human, machine)
    with pytest.raises(OptionError, match="level"):
        stats.prediction_powered([1, 2, 3], [1, 2, 3], level=2)

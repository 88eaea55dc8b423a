"""The simulations behind docs/statistics.md, on drawn matrices whose truth is known."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import which_test
from benchmarks.which_test import Margin, Matrix, Population, many_systems, populations, table, two_systems


def drawn(rng: Any, n_topics: int = 40, n_systems: int = 12) -> Matrix:
    """Return values of systems that share the difficulty of topics, some of them 0."""
    hard = rng.beta(1, 2, size=(n_topics, 1))
    values = np.clip(hard + 0.15 * rng.normal(size=(n_topics, n_systems)), 0, 1)
    return Matrix("drawn_ndcg", values)


def correlation(values: Any) -> float:
    return float(np.asarray(np.corrcoef(values.T))[0, 1])


def test_a_margin_has_the_values_it_was_fitted_to_and_any_mean_between_them() -> None:
    observed = np.array([0.0, 0.0, 0.2, 0.9])
    discrete = Margin.fitted(observed, discrete=True)
    assert discrete.values.tolist() == [0, 0, 0.2, 0.9]
    assert discrete.mean == pytest.approx(observed.mean())
    smooth = Margin.fitted(observed, discrete=False)
    assert smooth.mean == pytest.approx(observed.mean(), abs=0.02)
    for margin in (discrete, smooth):
        tilted = margin.with_mean(0.5)
        assert tilted is not None
        assert tilted.mean == pytest.approx(0.5)
        assert tilted.values.tolist() == margin.values.tolist()
        assert margin.with_mean(0.95) is None
    assert discrete.quantiles(np.array([0.1, 0.49, 0.6, 0.99])).tolist() == [0, 0, 0.2, 0.9]


def test_a_population_has_the_means_it_claims_and_the_dependence_of_the_real_topics() -> None:
    rng = np.random.default_rng(0)
    matrix = drawn(rng)
    population = matrix.population([0, 1], [0.4, 0.45], rng)
    assert population is not None
    values = population.draw(40_000, rng)
    assert population.means == pytest.approx([0.4, 0.45])
    assert values.mean(axis=0) == pytest.approx(population.means, abs=4 * 0.3 / 200)
    real = correlation(matrix.values[:, :2])
    assert correlation(values) == pytest.approx(real, abs=0.1)
    alone = Population(population.margins, np.argsort(rng.random((40, 2)), axis=0)).draw(40_000, rng)
    assert correlation(alone) < real - 0.3  # without the real ranks, the dependence is lost


def test_exchanged_systems_are_equal() -> None:
    rng = np.random.default_rng(1)
    population = drawn(rng).population([0, 1], None, rng)
    assert population is not None
    assert np.ptp(population.means) == 0
    values = population.draw(20_000, rng)
    assert values[:, 0].mean() == pytest.approx(values[:, 1].mean(), abs=0.01)


def rates(added: Any, n_trials: int, n: int, seed: int = 2) -> Any:
    rng = np.random.default_rng(seed)
    matrices = [drawn(rng) for _ in range(3)]
    return two_systems(populations(matrices, 2, added, n_trials, rng), n, rng)


@pytest.mark.slow
def test_tests_that_are_right_reject_as_often_as_they_claim_and_wrong_ones_do_not(monkeypatch: Any) -> None:
    found = rates([0, 0], 250, 30)
    for name in ("randomization", "t", "bootstrap"):
        assert 0.01 < found[name, "all"] < 0.1
    assert 0.91 < found["t of a difference", "all"] < 0.98
    assert rates([0, 0.1], 60, 30)["t", "all"] > 0.5
    assert 0 <= rates([0, 0.1], 150, 30)["equivalence", "all"] < 0.09

    def unpaired(name: str, a: Any, b: Any, **options: Any) -> Any:
        from scipy.stats import ttest_ind

        return type("Wrong", (), {"p_value": ttest_ind(a, b).pvalue})

    monkeypatch.setattr(which_test, "paired_test", unpaired)
    assert rates([0, 0], 150, 30)["t", "all"] < 0.01  # an unpaired test of paired values never finds anything


@pytest.mark.slow
def test_corrections_keep_the_chance_of_any_error_and_no_correction_does_not() -> None:
    rng = np.random.default_rng(3)
    matrices = [drawn(rng)]
    found = many_systems(populations(matrices, 6, [0.0] * 6, 150, rng), 30, rng)
    assert found["t and holm, all pairs: any error", "all"] < 0.1
    assert found["t and none, all pairs: any error", "all"] > 0.2
    some = many_systems(populations(matrices, 6, [0.0] * 3 + [0.15] * 3, 40, rng), 30, rng)
    assert some["t and holm, all pairs: found", "all"] > 0.5


def test_halves_agree_where_systems_differ_much_and_contradict_at_random_where_they_do_not() -> None:
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(40, 2))
    differ = which_test.halves([Matrix("a_b", noise * 0.01 + np.array([0.0, 1.0]))], 20, rng)
    assert (differ["t: found", "all"], differ["t: reversed", "all"]) == (1, 0)
    equal = which_test.halves([Matrix("a_b", rng.normal(size=(40, 30)))], 150, rng)
    assert equal["t: found", "all"] < 0.1


def test_the_command_prints_all_tables(tmp_path: Path, capsys: Any) -> None:
    matrix = drawn(np.random.default_rng(5), n_systems=16)
    header = ",".join(f"run{i}" for i in range(matrix.values.shape[1]))
    np.savetxt(tmp_path / "drawn_ndcg.csv", matrix.values, delimiter=",", header=header, comments="")
    which_test.main([str(tmp_path), "--trials", "3", "--many", "2", "--sizes", "10"])
    printed = capsys.readouterr().out
    assert printed.count("## ") == 6
    assert "| randomization | " in printed
    with pytest.raises(SystemExit):
        which_test.main([str(tmp_path / "nowhere")])
    assert "has no CSV files with ten" in capsys.readouterr().err


def test_a_table_has_a_column_per_size() -> None:
    text = table({25: {("t", "all"): 0.05}, 50: {("t", "all"): 0.0512}})
    assert text.splitlines()[-1] == "| t | 0.050 | 0.051 |"

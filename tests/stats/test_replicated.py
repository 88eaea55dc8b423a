"""Variance components of replicated systems: exact sums, simulated truth, and what they refuse."""

import math

import numpy as np
import pytest
from scipy import stats

from idealrank.errors import DataError
from idealrank.stats import non_inferiority_test, variance_components
from idealrank.stats.replicated import MeanError, ReplicatedMoments

RNG = np.random.default_rng(0)


def drawn(n: int, n_runs: int, runs: float = 0.05) -> np.ndarray:
    between = 0.3 * RNG.normal(size=(n, 1)) + runs * RNG.normal(size=(1, n_runs))
    return 0.5 + between + 0.15 * RNG.normal(size=(n, n_runs))


def test_components_are_those_of_the_analysis_of_variance() -> None:
    values = drawn(7, 4)
    mean, of_query, of_run = values.mean(), values.mean(1), values.mean(0)
    squares = [4 * ((of_query - mean) ** 2).sum() / 6, 7 * ((of_run - mean) ** 2).sum() / 3]
    rest = ((values - of_query[:, None] - of_run[None] + mean) ** 2).sum() / 18
    found = variance_components(values)
    np.testing.assert_allclose(found.mean_squares, [*squares, rest], rtol=1e-12, atol=0)
    expected = [max(0, (squares[0] - rest) / 4), max(0, (squares[1] - rest) / 7), rest]
    np.testing.assert_allclose([found.queries, found.runs, found.interaction], expected, rtol=1e-12, atol=0)


def test_components_are_those_of_a_simulation() -> None:
    found = [variance_components(drawn(50, 5)) for _ in range(1000)]
    means = [np.mean([getattr(each, name) for each in found]) for name in ("queries", "runs", "interaction")]
    np.testing.assert_allclose(means, [0.3**2, 0.05**2, 0.15**2], rtol=0.1, atol=0)


def test_the_error_adds_up() -> None:
    values = drawn(30, 4)
    found = variance_components(values)
    total = found.queries / 30 + found.runs / 4 + found.interaction / 120
    assert found.runs > 0
    assert found.standard_error**2 == pytest.approx(total)
    assert found.standard_error_of_these_runs == pytest.approx(values.mean(axis=1).std(ddof=1) / 30**0.5)
    moments = ReplicatedMoments(values.mean(axis=1), [found])
    assert moments.variance / moments.effective_count == pytest.approx(total)
    assert 3 < moments.degrees < 29


def test_intervals_cover_where_few_runs_differ_much() -> None:
    rng = np.random.default_rng(0)
    n, n_runs, n_samples = 50, 3, 4000
    between = 0.3 * rng.normal(size=(n_samples, n, 1)) + 0.2 * rng.normal(size=(n_samples, 1, n_runs))
    samples = between + 0.15 * rng.normal(size=(n_samples, n, n_runs))
    n_covered = 0
    for values in samples:
        error = MeanError(float(values.mean(axis=1).var(ddof=1)) / n, n, (variance_components(values),))
        n_covered += abs(values.mean()) <= stats.t.ppf(0.975, error.degrees) * error.standard_error
    assert 0.94 < n_covered / n_samples < 0.96  # 0.923 with the degrees of freedom of Satterthwaite


def test_equal_runs_change_nothing() -> None:
    a, b = RNG.random((2, 20))
    single = non_inferiority_test(a, b, 0.1)
    several = non_inferiority_test(np.tile(a[:, None], 3), b, 0.1)
    assert several.runs[0].runs == 0
    for name in ("verdict", "low", "high", "p_within", "p_worse"):
        assert getattr(several, name) == pytest.approx(getattr(single, name)), name
    assert several.smallest_drop() == pytest.approx(single.smallest_drop())


def test_runs_that_differ_widen_the_bounds() -> None:
    values = drawn(50, 3, runs=0.2)
    alone = non_inferiority_test(values.mean(axis=1), np.full(50, 0.5), 0.1)
    found = non_inferiority_test(values, np.full(50, 0.5), 0.1)
    assert found.difference == alone.difference
    assert found.low < alone.low
    assert found.high > alone.high
    assert found.queries_to_pass() is None


def test_few_runs_leave_the_smallest_drop_open() -> None:
    values = drawn(50, 9, runs=0.1)
    ranges = [non_inferiority_test(values[:, :n], np.full(50, 0.5), 0.02).smallest_drop_range() for n in (2, 3, 9)]
    widths = [high / low for low, high in ranges]
    assert widths == sorted(widths, reverse=True)
    several = non_inferiority_test(values, np.full(50, 0.5), 0.02)
    assert ranges[-1][0] < several.smallest_drop() < ranges[-1][1]
    assert all(math.isnan(each) for each in non_inferiority_test(values[:4], np.ones(4), 0.02).smallest_drop_range())


@pytest.mark.parametrize(
    ("runs", "text"),
    [(0.0, "more queries would help more"), (0.5, "more runs would help more"), (0.07, "do not show whether")],
)
def test_advice(runs: float, text: str) -> None:
    steps = runs * np.array([-1.0, 0.0, 1.0])
    values = drawn(60, 3, runs=0.0)
    values += steps - values.mean(axis=0)
    error = ReplicatedMoments(values.mean(axis=1), [variance_components(values)]).error
    assert error is not None
    assert text in str(error.statement("rr"))


def test_nothing_is_said_without_variance_or_runs() -> None:
    assert MeanError(0.1, 5).statement("rr") is None
    assert math.isnan(MeanError(0.0, 5).detectable_effect())
    assert ReplicatedMoments(np.ones(1), []).error is None


@pytest.mark.parametrize("values", [[[0.5, 0.7]], [[0.5], [0.7]], np.ones((3, 2, 2)), [[math.inf, 1.0], [1.0, 1.0]]])
def test_too_few_values_are_refused(values: object) -> None:
    with pytest.raises(DataError):
        variance_components(values)  # type: ignore[arg-type]


def test_missing_values_leave_out_queries() -> None:
    values = drawn(9, 3)
    missing = values.copy()
    missing[4, 1] = math.nan
    assert variance_components(missing) == variance_components(np.delete(values, 4, axis=0))

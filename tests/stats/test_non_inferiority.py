"""The test of non-inferiority: verdicts, bounds, and the probabilities that it prints."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from idealrank.errors import OptionError
from idealrank.stats import non_inferiority_test

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("n_tests", [1, 3])
def test_p_values_and_bounds_are_those_of_scipy(n_tests: int) -> None:
    a, b = RNG.random((2, 30))
    found = non_inferiority_test(a, b, 0.05, n_tests=n_tests)
    above = scipy_stats.ttest_1samp(a - b, -0.05, alternative="greater")
    below = scipy_stats.ttest_1samp(a - b, 0.0, alternative="less")
    assert found.p_within == pytest.approx(above.pvalue)
    assert found.p_worse == pytest.approx(min(1, n_tests * below.pvalue))
    low = scipy_stats.ttest_1samp(a - b, 0, alternative="greater").confidence_interval(0.95).low
    high = scipy_stats.ttest_1samp(a - b, 0, alternative="less").confidence_interval(1 - 0.05 / n_tests).high
    np.testing.assert_allclose([found.low, found.high], [low, high], rtol=1e-10, atol=0)


@pytest.mark.parametrize(
    ("shift", "spread", "verdict"),
    [(0.0, 0.01, "pass"), (-0.1, 0.01, "fail"), (0.0, 0.5, "inconclusive"), (-0.01, 0.001, "pass"), (0.1, 0.1, "pass")],
)
def test_verdicts(shift: float, spread: float, verdict: str) -> None:
    noise = np.tile([-1.0, 1.0], 10) * spread
    assert non_inferiority_test(shift + noise, np.zeros(20), 0.05).verdict == verdict


def test_a_significant_drop_within_the_margin_passes() -> None:
    found = non_inferiority_test(-0.01 + 0.001 * RNG.normal(size=50), np.zeros(50), 0.02)
    assert found.p_worse < 0.001
    assert found.verdict == "pass"


@pytest.mark.parametrize("n", range(5))
def test_fewer_than_five_queries_decide_nothing(n: int) -> None:
    for level in (-1.0, 0.0, 1.0):
        assert non_inferiority_test(np.full(n, level), np.zeros(n), 0.02).verdict == "inconclusive"


@pytest.mark.parametrize(("change", "verdict"), [(0.0, "pass"), (-0.01, "pass"), (-0.5, "fail")])
def test_equal_differences_are_a_sign_test(change: float, verdict: str) -> None:
    found = non_inferiority_test(np.full(5, change), np.zeros(5), 0.02)
    assert found.verdict == verdict
    assert min(found.p_within, found.p_worse) == 2.0**-5
    assert non_inferiority_test(np.full(5, -0.5), np.zeros(5), 0.02, n_tests=2).verdict == "inconclusive"


@pytest.mark.parametrize(("n", "margin", "n_tests"), [(25, 0.5, 1), (40, 0.2, 1), (40, 0.6, 4)])
def test_chances_are_the_shares_of_simulated_verdicts(n: int, margin: float, n_tests: int) -> None:
    sample = non_inferiority_test(RNG.normal(size=n), np.zeros(n), margin, n_tests=n_tests)
    for drop in (0.0, margin, 2 * margin):
        values = RNG.normal(-drop * sample.sd**-1, 1.0, (4000, n)) * sample.sd
        verdicts = [non_inferiority_test(row, np.zeros(n), margin, n_tests=n_tests).verdict for row in values]
        shares = [np.mean([each == verdict for each in verdicts]) for verdict in ("pass", "fail")]
        np.testing.assert_allclose(sample.chances(drop), shares, rtol=0, atol=0.03)


def test_the_smallest_drop_is_found_with_the_power() -> None:
    found = non_inferiority_test(RNG.normal(size=60), np.zeros(60), 0.1, n_tests=3)
    assert found.chances(found.smallest_drop(0.9))[1] == pytest.approx(0.9)
    needed = found.queries_to_pass()
    assert needed is not None
    assert needed > 60


def test_few_changes_are_not_enough_to_pass() -> None:
    few = np.zeros(100)
    few[:2] = -0.3
    assert non_inferiority_test(few, np.zeros(100), 0.015).verdict == "inconclusive"
    assert non_inferiority_test(few, np.zeros(100), 0.025).verdict == "pass"
    assert math.isnan(non_inferiority_test(few, np.zeros(100), 0.02).chances(0.0)[0])


def test_no_variance_gives_no_chances() -> None:
    found = non_inferiority_test(np.zeros(10), np.zeros(10), 0.1)
    assert math.isnan(found.smallest_drop())
    assert found.queries_to_pass() is None


@pytest.mark.parametrize("margin", [0, -0.1, math.nan, math.inf, "2%", None])
def test_a_margin_must_be_a_positive_number(margin: object) -> None:
    with pytest.raises(OptionError, match="margin must be a positive number"):
        non_inferiority_test(np.zeros(5), np.zeros(5), margin)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_changed", [3, 4, 5])
def test_few_equal_drops_fail_only_if_signs_could_show_it(n_changed: int) -> None:
    new = np.where(np.arange(50) < n_changed, 0.0, 1.0)
    found = non_inferiority_test(new, np.ones(50), 0.02)
    is_shown = 2.0**-n_changed <= 0.05  # so often have equal systems these changes
    assert (found.verdict == "fail") == (found.high < 0) == is_shown

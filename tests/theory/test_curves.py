"""Canonical scores, relevance curves, and their estimates from data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from theory_models import GRADED, MODELS

from idealrank import discounts, measures
from idealrank.errors import DataError, OptionError
from idealrank.theory import GradedCurve, StepCurve, canonical_score, limit
from idealrank.theory.long_lists.curves import check_same_documents, of
from idealrank.theory.long_lists.weights import log_power, power

LABELS = [1, 1, 0, 1, 0, 1, 0, 0, 0, 0]  # in rank order
SCORES = range(10, 0, -1)


def test_definition_2() -> None:
    x = [0.1, 1.0, 3.0]  # of X ~ Exp(1), with f(x) = x and f(x) = -x
    rising = canonical_score(x, cdf=lambda f: 1 - np.exp(-f))
    falling = canonical_score([-value for value in x], cdf=np.exp)
    assert_allclose(rising, [0.0951625820, 0.6321205588, 0.9502129316], rtol=0, atol=1e-10)
    assert_allclose(falling, [0.9048374180, 0.3678794412, 0.0497870684], rtol=0, atol=1e-10)
    assert_array_equal(canonical_score([0.3, 0.9, 0.3, 0.5]), [0.5, 1, 0.5, 0.75])


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_canonical_scores_count_documents(scores: list[int]) -> None:
    n = len(scores)
    assert_allclose(canonical_score(scores), [sum(b <= a for b in scores) / n for a in scores], rtol=0, atol=1e-15)
    middle = canonical_score(scores, ties="middle")
    expected = [(sum(b < a for b in scores) + sum(b <= a for b in scores)) / (2 * n) for a in scores]
    assert_allclose(middle, expected, rtol=0, atol=1e-15)
    assert middle.mean() == pytest.approx(0.5)


def test_lemma_3_needs_scores_without_ties() -> None:
    # X in {0, 1}: the canonical scores are 0.5 and 1, not uniform; their middles at least have the right mean.
    assert set(canonical_score([0, 1] * 50)) == {0.5, 1.0}
    assert set(canonical_score([0, 1] * 50, ties="middle")) == {0.25, 0.75}
    uniform = np.sort(canonical_score(np.random.default_rng(0).normal(size=1000)))
    assert_allclose(uniform, np.arange(1, 1001) / 1000, rtol=0, atol=1e-15)


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="finite numbers in a flat array"):
        canonical_score([1, math.nan])
    with pytest.raises(OptionError, match="unknown ties 'lower'"):
        canonical_score([1], ties="lower")


def test_a_curve_knows_its_shares_mean_and_top() -> None:
    assert GRADED.levels == (2, 1)
    assert_allclose(GRADED.shares, [1 / 6, 1 / 4], rtol=0, atol=1e-12)
    assert GRADED.p == pytest.approx(5 / 12)
    assert GRADED.mean == pytest.approx(7 / 12)
    assert GRADED.spread == pytest.approx(4 / 6 + 1 / 4 - (7 / 12) ** 2)
    assert (GRADED.top, GRADED.best) == (1.5, 2)
    assert GRADED.top_variance == pytest.approx(4 / 2 + 1 / 2 - 1.5**2)
    assert of(MODELS["s"]).top_variance == 0


@pytest.mark.parametrize(("j", "k"), [(j, k) for j in range(3) for k in range(4)])
def test_claim_30_moments_of_powers(j: int, k: int) -> None:
    expected = math.factorial(k) / (j + 1) ** (k + 1)  # of u^j (-log u)^k
    assert of(lambda s: (1 - s) ** j).integral(log_power(k)) == pytest.approx(expected, abs=1e-12)
    steps = 20_000
    fine = StepCurve(np.linspace(0, 1, steps + 1), (1 - (np.arange(steps) + 0.5) / steps) ** j)
    assert fine.integral(log_power(k)) == pytest.approx(expected, abs=1e-6)


def test_functions_of_single_numbers_and_of_arrays_are_the_same_curve() -> None:
    s = np.linspace(0, 1, 11)
    alone = of(MODELS["step"])(s)
    assert_array_equal(alone, of(lambda s: np.where(s >= 0.7, 0.8, 0.2))(s))
    assert of(MODELS["step"])(0.7) == 0.8


def test_levels_are_different_gains_above_zero() -> None:
    for gain in (0, -1, math.inf):
        with pytest.raises(DataError, match="distinct finite gains above 0"):
            GradedCurve({gain: MODELS["s"]})
    with pytest.raises(DataError, match="a curve is a function of s"):
        of(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("edges", "values", "what"),
    [
        ([0, 1], [0.1, 0.2], "n steps need n \\+ 1 edges"),
        ([0], [], "n steps need n \\+ 1 edges"),
        ([0, 0.5, 0.5, 1], [0, 0, 0], "increase from 0 to 1"),
        ([0.1, 1], [0.5], "increase from 0 to 1"),
        ([0, 0.5, 1], [0.5, 1.5], "on step 1"),
        ([0, 0.5, 1], [-0.5, 0.5], "on step 0"),
    ],
)
def test_steps_that_are_none_are_refused(edges: list[float], values: list[float], what: str) -> None:
    with pytest.raises(DataError, match=what):
        StepCurve(edges, values)


def test_rankings_of_other_documents_are_told() -> None:
    check_same_documents(of(MODELS["s"]), of(MODELS["1-s"]))
    with pytest.raises(DataError, match=r"the share with gain 1 is 0.5 in the first curve and 0.3 in the second"):
        check_same_documents(of(MODELS["s"]), of(MODELS["const"]))


def test_limits_from_data() -> None:
    half = discounts.Power(0.5)
    bins = StepCurve.fit(LABELS, SCORES, method="bins", n_bins=5)
    assert_allclose(bins.steps[0, ::-1], [1, 0.5, 0.5, 0, 0], rtol=0, atol=1e-15)
    assert limit(half, bins) == pytest.approx(0.965925826289, abs=1e-11)
    isotonic = StepCurve.fit(LABELS, SCORES)
    assert_allclose(1 - isotonic.edges[::-1], [0, 0.2, 0.6, 1], rtol=0, atol=1e-15)
    assert_allclose(isotonic.steps[0, ::-1], [1, 0.5, 0], rtol=0, atol=1e-15)
    assert limit(half, isotonic) == pytest.approx(0.965925826289, abs=1e-11)
    for found in (limit("zipf", isotonic), limit("log", isotonic, 0.2), limit(half, bins, 0.2)):
        assert found == pytest.approx(1)
    raw = StepCurve.fit(LABELS, SCORES, method="raw")
    assert limit(half, raw) == pytest.approx(0.947792260044, abs=1e-11)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20).filter(any), st.floats(0.001, 0.9))
def test_a_raw_curve_has_the_ndcg_of_the_integrated_discount(labels: list[int], beta: float) -> None:
    n = len(labels)
    weights = np.diff(np.arange(n + 1) ** (1 - beta))
    expected = measures.NDCG(gain="linear", discount=weights.tolist())(labels, range(n, 0, -1))
    raw = StepCurve.fit(labels, range(n, 0, -1), method="raw")
    assert limit(discounts.Power(beta), raw) == pytest.approx(float(expected[0]))


def pooled(values: list[float]) -> list[float]:
    """The nearest sequence that never falls, by averaging neighbors that do."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        blocks.append((value, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (b, m), (a, k) = blocks.pop(), blocks.pop()
            blocks.append(((a * k + b * m) / (k + m), k + m))
    return [mean for mean, count in blocks for _ in range(count)]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20).filter(any))
def test_isotonic_fits_pool_neighbours(labels: list[int]) -> None:
    n = len(labels)
    curve = StepCurve.fit(labels, range(n))
    assert_allclose(curve((np.arange(n) + 0.5) / n), pooled([float(label) for label in labels]), rtol=0, atol=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=30).filter(
        lambda documents: any(label for label, _ in documents)
    ),
    st.sampled_from(["bins", "isotonic", "raw", "top"]),
)
def test_every_fit_keeps_the_share_of_each_gain(documents: list[tuple[int, int]], method: str) -> None:
    labels, scores = np.array(documents).T
    curve = StepCurve.fit(labels, scores, method=method, n_bins=7)
    assert_allclose(curve.shares, [np.mean(labels == level) for level in curve.levels], rtol=0, atol=1e-12)


def test_bins_at_the_top_hold_some_tens_of_documents() -> None:
    curve = StepCurve.fit(np.arange(4000) >= 3900, range(4000), method="top", n_bins=10)
    assert_allclose(1 - curve.edges[::-1][:6], [0, 0.0125, 0.025, 0.05, 0.1, 0.2], rtol=0, atol=1e-12)
    assert_allclose(curve.steps[0, -4:], [0, 0, 1, 1], rtol=0, atol=1e-12)
    short = StepCurve.fit([1, 0, 1], [3, 2, 1], method="top", n_bins=3)
    assert_allclose(short.steps, [[1, 0, 1]], rtol=0, atol=1e-12)


def test_equal_scores_share_their_places() -> None:
    curve = StepCurve.fit([1, 0, 1, 0], [2, 2, 1, 0], method="raw")
    assert_allclose(curve([0.1, 0.3, 0.6, 0.9]), [0, 1, 0.5, 0.5], rtol=0, atol=1e-15)


def test_queries_are_ranked_each_and_then_averaged() -> None:
    labels, scores, offsets = [1, 0, 0, 1], [9, 8, 2, 1], [0, 2, 4]
    curve = StepCurve.fit(labels, scores, offsets, method="bins", n_bins=2)
    assert_allclose(curve.steps, [[0.5, 0.5]], rtol=0, atol=1e-15)  # 0, 1 from the first, 1, 0 from the second
    joint = StepCurve.fit(labels, scores, method="bins", n_bins=2)
    assert_allclose(joint.steps, [[0.5, 0.5]], rtol=0, atol=1e-15)
    assert StepCurve.fit([*labels, 1], [*scores, 5], [0, 2, 4, 5]).mean == pytest.approx(2 / 3)


def test_bands_hold_the_truth_of_a_drawn_list() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(2000)
    labels = rng.random(2000) < scores
    for method in ("bins", "isotonic"):
        bands = StepCurve.fit(labels, scores, method=method, n_bins=10, n_resamples=100).bands
        assert bands is not None
        assert np.mean((bands.low - 0.06 <= bands.s) & (bands.s <= bands.high + 0.06)) > 0.95
        assert 0.01 < np.mean(bands.high - bands.low) < 0.15
    again = StepCurve.fit(labels, scores, method="bins", n_bins=10, n_resamples=100).bands
    same = StepCurve.fit(labels, scores, method="bins", n_bins=10, n_resamples=100).bands
    assert again is not None
    assert same is not None
    assert_array_equal(again.low, same.low)


def test_bands_of_several_queries_resample_the_queries() -> None:
    curve = StepCurve.fit([1, 0, 0, 1] * 5, [4, 3, 2, 1] * 5, range(0, 21, 4), method="bins", n_bins=4, n_resamples=20)
    assert curve.bands is not None
    assert_array_equal(curve.bands.low, curve.bands.high)  # all queries are alike


def test_fits_of_nothing_are_refused() -> None:
    with pytest.raises(DataError, match="nothing is relevant"):
        StepCurve.fit([0, 0], [1, 2])
    with pytest.raises(DataError, match="nothing is relevant"):
        StepCurve.fit([], [])
    with pytest.raises(DataError, match=r"a gain must be a finite number, 0 or above, got -1 \(query 1, row 2\)"):
        StepCurve.fit([1, 0, -1], [1, 2, 3], [0, 2, 3])
    with pytest.raises(DataError, match=r"a score must be a finite number, got nan \(query 0, row 1\)"):
        StepCurve.fit([1, 0], [1, math.nan])
    with pytest.raises(OptionError, match="unknown method 'spline'"):
        StepCurve.fit([1], [1], method="spline")
    with pytest.raises(OptionError, match="n_bins=0"):
        StepCurve.fit([1], [1], n_bins=0)


def test_one_document_is_a_curve_too() -> None:
    curve = StepCurve.fit([1], [0.5])
    assert (curve.p, curve.top) == (1, 1)
    assert curve.integral(power(0)) == 1
    assert repr(curve) == "StepCurve(1 steps, shares {1: 1}, top 1)"

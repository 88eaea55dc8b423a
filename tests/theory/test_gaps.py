"""Gaps that vanish: Lemmas 22, 23, 33 and 34 of Wang et al. 2013, and the first order of standard NDCG."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from theory_models import GRADED, MODELS

from idealrank import discounts
from idealrank.errors import DataError
from idealrank.measures import NDCG, measure
from idealrank.theory import StepCurve, concentration, first_order, gap, leading_gap, pseudo_expectation
from idealrank.theory.long_lists.curves import of
from idealrank.theory.long_lists.wins import log_moments


@pytest.mark.parametrize(
    ("model", "lam", "deficiency"),
    [
        ("s", 1.5, 0.193147180560),
        ("s2", 11 / 6, 0.265278955335),
        ("1-s", 0.5, 1.193147180560),
        ("const", 1, 1.203972804326),
        ("step", 1.570302907312, 0.397281118949),
        ("line", 1.375, 0.541290731874),
    ],
)
def test_the_first_order_of_standard_ndcg(model: str, lam: float, deficiency: float) -> None:
    found = first_order(MODELS[model])
    assert found.lam == pytest.approx(lam, abs=1e-9)
    assert found.deficiency == pytest.approx(deficiency, abs=1e-9)
    missing = (1 - pseudo_expectation("log", MODELS[model], 1e300, form="integral")) * math.log(1e300)
    assert missing == pytest.approx(deficiency, rel=0.01, abs=0.001)


def test_the_first_order_from_data() -> None:
    labels = [1, 1, 0, 1, 0, 1, 0, 0, 0, 0]
    raw = first_order(StepCurve.fit(labels, range(10, 0, -1), method="raw"))
    assert raw.lam == pytest.approx(1.717834544796, abs=1e-11)
    assert raw.deficiency == pytest.approx(0.198456187078, abs=1e-11)
    u = np.arange(11) / 10
    primitive = u - u * np.log(np.where(u > 0, u, 1))
    assert raw.lam == pytest.approx(np.asarray(labels) @ np.diff(primitive) / 0.4)
    isotonic = first_order(StepCurve.fit(labels, range(10, 0, -1)))
    assert isotonic.lam == pytest.approx(1.785478695933, abs=1e-11)


def test_a_perfect_ranker_lacks_nothing() -> None:
    assert first_order(StepCurve([0, 0.6, 1], [0, 1])).deficiency == pytest.approx(0, abs=1e-12)
    graded = StepCurve([0, 0.5, 0.8, 1], {3: [0, 0, 1], 1: [0, 1, 0]})
    assert first_order(graded).deficiency == pytest.approx(0, abs=1e-12)
    missing = (1 - pseudo_expectation("log", GRADED, 1e300, form="integral")) * math.log(1e300)
    assert first_order(GRADED).deficiency == pytest.approx(missing, rel=0.01)


def curve_c(s: float) -> float:
    u = 1 - s
    return 0.4 + 0.2 * (1 - 8 * u + 9 * u * u)


def test_lemma_22() -> None:
    a = leading_gap(MODELS["s"], MODELS["1-s"])
    assert a.K == 1
    assert a.a == pytest.approx(1)
    assert_allclose(a.moments[:4], [0, -0.5, 1.5, -5.25], rtol=0, atol=1e-11)
    b = leading_gap(MODELS["s"], lambda s: 0.5)
    assert b.K == 1
    assert b.a == pytest.approx(0.5)
    c = leading_gap(curve_c, lambda s: 0.4)
    assert c.K == 2
    assert c.a == pytest.approx(1 / 3)
    assert_allclose(c.moments[:4], [0, 0, 2 / 15, -11 / 15], rtol=0, atol=1e-11)
    assert a.a == pytest.approx(first_order(MODELS["s"]).lam - first_order(MODELS["1-s"]).lam)


@pytest.mark.parametrize(
    ("pair", "expected", "scaled"),
    [
        ((MODELS["s"], MODELS["1-s"]), 0.081977216489, {1e6: 1.1326, 1e12: 1.0543, 1e100: 1.00576}),
        ((MODELS["s"], lambda s: 0.5), 0.040988608245, {}),
        ((curve_c, lambda s: 0.4), 0.002491549444, {1e6: 0.4756, 1e100: 0.33863}),
    ],
)
def test_lemma_22_is_where_the_gap_tends_to(pair, expected, scaled) -> None:  # type: ignore[no-untyped-def]
    def difference(n: float) -> float:
        a, b = (pseudo_expectation("log", curve, n, form="integral") for curve in pair)
        return a - b

    found = leading_gap(*pair)
    assert difference(1e6) == pytest.approx(expected, abs=1e-9)
    assert found.K is not None
    for n, value in scaled.items():
        assert difference(n) * math.log(n) ** found.K == pytest.approx(value, rel=1e-4)
    # Without the 1/p that the paper omits this would be off by more than a factor of 2.
    assert difference(1e300) * math.log(1e300) ** found.K == pytest.approx(found.a, rel=0.02)


def test_the_first_moment_of_two_rankers_is_zero_and_other_documents_are_refused() -> None:
    with pytest.raises(DataError, match="not two rankings of the same documents"):
        leading_gap(MODELS["s"], MODELS["const"])


def test_equal_curves_have_no_leading_gap() -> None:
    found = leading_gap(MODELS["line"], lambda s: 0.1 + 0.6 * s)
    assert (found.K, found.a) == (None, 0.0)


def test_moments_of_steps_and_of_functions_agree() -> None:
    fine = StepCurve(np.linspace(0, 1, 4001), (np.arange(4000) + 0.5) / 4000)
    assert_allclose(log_moments(fine, of(MODELS["s"]), 3), 0, rtol=0, atol=1e-5)
    assert leading_gap(fine, lambda s: 0.5).a == pytest.approx(0.5, abs=1e-6)


def test_fitted_curves_have_moments_with_standard_errors() -> None:
    rng = np.random.default_rng(9)

    def drawn() -> tuple[StepCurve, StepCurve]:
        x = rng.random(300)
        labels = rng.random(300) < 0.2 + 0.6 * x
        noise = rng.random(300)
        a, b = (StepCurve.fit(labels, each, method="raw", n_resamples=30) for each in (x, noise))
        return a, b

    found = [leading_gap(*drawn(), k_max=1) for _ in range(40)]
    moments = np.array([each.moments[1] for each in found])
    errors = np.array([each.errors[1] for each in found if each.errors is not None])
    assert errors.size == 40
    # Delta = 0.3 (1 - 2u), of which the first moment is 0.3 (-1 + 1/2).
    assert moments.mean() == pytest.approx(-0.15, abs=4 * moments.std() / math.sqrt(40))
    assert errors.mean() == pytest.approx(moments.std(), rel=0.4)
    assert leading_gap(MODELS["s"], MODELS["1-s"]).errors is None


def test_lemma_33_with_equal_limits_the_better_top_loses_slowly() -> None:
    def curve(sign: int):  # type: ignore[no-untyped-def]
        return lambda s: 0.4 + sign * 0.025 * (1 - 24 * (1 - s) + 33 * (1 - s) ** 2)

    for n, expected, bound in (
        (1e2, -0.043998826489, 0.011954406247),
        (1e3, -0.021517018540, 0.007542720421),
        (1e4, -0.011751551378, 0.004759134847),
        (1e6, -0.004099998004, 0.001894645708),
    ):
        better, worse = (pseudo_expectation("power:0.8", curve(sign), n, form="integral") for sign in (1, -1))
        assert better - worse == pytest.approx(expected, abs=1e-8)
        assert abs(better - worse) >= bound == pytest.approx(0.05 / (2 * 0.4**0.2) * n**-0.2)
    # The sum over ranks has zeta(0.8) = -4.4375 where the integral has -1 / (1 - 0.8) = -5.
    n = 1_000_000
    ideal = discounts.Power(0.8).weights(int(0.4 * n)).sum()
    assert gap("power:0.8", curve(1), curve(-1), n).mean * ideal == pytest.approx(0.05 * -4.43754, rel=0.01)


@pytest.mark.parametrize(
    ("name", "curve", "c", "alpha", "least"),
    [
        # A constant curve is Hoelder continuous for every c and alpha.
        ("ndcg", lambda s: 0.3 + 0 * s, 1, 3, 0.5),
        ("ndcg(discount=power:0.8)", lambda s: 0.495 + 0.01 * s, 0.01, 1, 0.8),
    ],
)
def test_most_lists_exceed_the_bounds_of_lemmas_23_and_34(
    name: str, curve: Callable[[Any], Any], c: float, alpha: float, least: float
) -> None:
    rng, n, times = np.random.default_rng(1), 10_000, 200
    s = rng.random(times * n)
    values = measure(name)((rng.random(s.size) < curve(s)).astype(float), s, np.arange(0, s.size + 1, n))
    distances = np.abs(values - pseudo_expectation(name, curve, n, form="integral"))
    assert np.mean(distances >= 5 * c / curve(0.5) * n ** (-alpha / 3)) > least
    assert np.mean(distances >= concentration(name, curve, n).deviation) <= 0.08


CONCENTRATED = ("log", "power:0.2", "power:0.5", "power:0.8", "zipf", "power:2", "geometric:2")


@pytest.mark.parametrize("name", [*(f"ndcg(discount={each})" for each in CONCENTRATED), "ndcg@10", "ndcg@20%"])
def test_concentration_is_a_bound_within_a_factor_of_two(name: str) -> None:
    rng = np.random.default_rng(0)
    few = name.endswith(("power:2)", "geometric:2)"))  # NDCG has few values: the next one may be far away
    low, rising, sure = (lambda s: 0.02 + 0.16 * s**3), (lambda s: 0.1 + 0.6 * s), (lambda s: 0.8 + 0.2 * s)
    for n, curve in ((100, MODELS["const"]), (100, MODELS["s"]), (100, sure), (1000, low), (1000, rising)):
        found = concentration(name, curve, n)
        s = rng.random(1000 * n)
        labels = (rng.random(s.size) < curve(s)).astype(float)  # type: ignore[arg-type]  # curves take arrays too
        values = measure(name)(labels, s, np.arange(0, s.size + 1, n))
        distances = np.abs(values - found.expected)
        assert curve is sure or found.sd == pytest.approx(float(values.std()), rel=0.2)
        assert np.mean(distances > found.deviation) <= 0.06
        assert found.deviation <= 2 * np.quantile(distances, 0.98 if few else 0.95)


def test_concentration_knows_lists_without_relevant_documents() -> None:
    rng, n = np.random.default_rng(2), 100
    labels = (rng.random(1000 * n) < 0.02).astype(float)
    values = NDCG(discount="power:0.2")(labels, rng.random(labels.size), np.arange(0, labels.size + 1, n))
    found = concentration("power:0.2", lambda s: 0.02, n)
    assert np.mean(values == 0) == pytest.approx(0.98**n, abs=0.03)  # 13% of lists
    assert np.mean(np.abs(values - found.expected) > found.deviation) <= 0.05
    assert found.deviation == found.expected


def test_concentration_with_gains_of_several_values() -> None:
    rng = np.random.default_rng(1)
    levels = {3.0: lambda s: 0.2 * s, 1.0: lambda s: 0.3 + 0 * s}
    n = 500
    s = rng.random((1000, n))
    chance = rng.random(s.shape)
    labels = np.where(chance < 0.2 * s, 2.0, np.where(chance < 0.2 * s + 0.3, 1.0, 0.0))
    for name in ("ndcg", "ndcg(discount=power:0.5)", "ndcg@10"):
        values = measure(name)(labels.ravel(), s.ravel(), np.arange(0, s.size + 1, n))
        assert concentration(name, levels, n).sd == pytest.approx(float(values.std()), rel=0.1)


@pytest.mark.parametrize(("beta", "exponent", "low", "high"), [(0.25, 0.5, 0.30, 0.42), (0.7, 0.3, 0.28, 0.40)])
def test_noise_is_of_the_order_that_limits_allow(beta: float, exponent: float, low: float, high: float) -> None:
    rng = np.random.default_rng(1)
    for n in (1000, 10_000):
        measure = NDCG(discount=f"power:{beta}")
        values = [float(measure(rng.random(n) < 0.5, rng.random(n))[0]) for _ in range(150)]
        assert low < np.std(values) * n**exponent < high


def test_concentration_is_never_beyond_the_range_of_ndcg() -> None:
    found = concentration("ndcg@1", MODELS["const"], 100)
    assert found.deviation == max(found.expected, 1 - found.expected)
    # A small delta, and labels without noise: nothing to bound.
    assert concentration("ndcg", MODELS["const"], 20, delta=1e-9).deviation < 1
    assert concentration("ndcg@1", lambda s: 1.0, 100).deviation == 0
    with pytest.raises(DataError, match="between 0 and 1/2"):
        concentration("ndcg", MODELS["const"], 20, delta=0.7)

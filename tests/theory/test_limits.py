"""Theorems 4, 7, 9 and 11 to 17 of Wang et al. 2013, the limit of linear NDCG, and how discounts are classified."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from theory_models import GRADED, JUMP, MODELS, Logarithm

from idealrank import cutoffs, discounts, measures
from idealrank.errors import DataError, OptionError
from idealrank.theory import Curve, GradedCurve, StepCurve, limit, regime, verdict


def close(expected: float, atol: float = 1e-9) -> object:
    return pytest.approx(expected, rel=0, abs=atol)


THEOREM_7 = {
    "s": (0.961024474576, 0.942809041582, 0.957248629164),
    "s2": (0.947327608085, 0.923760430703, 0.943735560315),
    "1-s": (0.720768355932, 0.471404520791, 0.191449725833),
    "const": (0.740082804492, 0.547722557505, 0.381677890962),
    "step": (0.915751755286, 0.857556832245, 0.814995414700),
    "line": (0.880478306849, 0.790569415042, 0.720674660389),
}
TOPS = {"s": 1.0, "s2": 1.0, "1-s": 0.0, "const": 0.3, "step": 0.8, "line": 0.7}
THEOREM_12 = {
    "s": (0.95, 0.9, 0.75, 0.96),
    "s2": (0.271 / 0.3, 0.244 / 0.3, 0.875, 0.992),
    "1-s": (0.05, 0.1, 0.25, 0.64),
    "const": (0.3, 0.3, 0.5, 0.8),
    "step": (0.8, 0.8, 0.736842105263, 0.894736842105),
    "line": (0.67, 0.64, 0.6875, 0.92),
}
THEOREM_13 = {
    "s": (0.966666666667, 0.933333333333, 0.833333333333, 0.927601446983),
    "s2": (0.935333333333, 0.874666666667, 0.877733824497, 0.921253638618),
    "1-s": (0.033333333333, 0.066666666667, 0.166666666667, None),
    "const": (0.3, 0.3, 0.387298334621, 0.489897948557),
    "step": (0.8, 0.8, 0.762529723854, None),
    "line": (0.68, 0.66, 0.670820393250, 0.763675323681),
}
each_model = pytest.mark.parametrize("model", MODELS)


@each_model
def test_theorem_4_a_logarithm_gives_one_to_every_ranker(model: str) -> None:
    assert limit("ndcg", MODELS[model]) == limit(discounts.Letor(), MODELS[model]) == 1.0


@each_model
def test_theorem_7(model: str) -> None:
    for beta, expected in zip((0.25, 0.5, 0.8), THEOREM_7[model], strict=True):
        assert limit(discounts.Power(beta), MODELS[model]) == close(expected)


@pytest.mark.parametrize("beta", [0.01, 0.25, 0.5, 0.8, 0.99])
def test_theorem_7_has_closed_forms(beta: float) -> None:
    power = discounts.Power(beta)
    assert limit(power, MODELS["s"]) == close(2 ** (1 - beta) / (2 - beta))
    assert limit(power, MODELS["s2"]) == close(2 * 3 ** (1 - beta) / ((2 - beta) * (3 - beta)))
    assert limit(power, MODELS["1-s"]) == close(2 ** (1 - beta) * (1 - beta) / (2 - beta))
    assert limit(power, MODELS["const"]) == close(0.3**beta)
    assert limit(power, StepCurve([0, 0.6, 1], [0, 1])) == close(1)
    assert limit(power, lambda s: 1.0) == close(1)


@each_model
def test_theorems_9_and_11_see_the_very_top_only(model: str) -> None:
    for cutoff in (None, 0.2, "n^0.5"):
        assert limit("zipf", MODELS[model], cutoff) == close(TOPS[model])
    for discount in ("log", "power:0.5", "linear"):
        assert limit(discount, MODELS[model], cutoffs.Power(0.5)) == close(TOPS[model])


@each_model
def test_theorems_12_and_13(model: str) -> None:
    for c, plain, power in zip((0.1, 0.2, 0.5, 0.8), THEOREM_12[model], THEOREM_13[model], strict=True):
        assert limit("log", MODELS[model], c) == close(plain)
        if power is not None:
            assert limit("power:0.5", MODELS[model], c) == close(power)


def test_theorems_14_to_17() -> None:
    for beta, expected in ((0.25, 0.899725811254), (0.5, 0.822462970867), (0.8, 0.763384648715)):
        assert limit(discounts.Power(beta), GRADED) == close(expected)
    assert limit("zipf", GRADED) == limit("log", GRADED, "n^0.5") == 1.5 / 2
    for c, plain in ((0.1, 0.689166666667), (0.3, 0.3465 / 0.466666666667), (0.6, 0.894857142857)):
        assert limit("log", GRADED, c) == close(plain)
    for c, power in ((0.1, 0.709333333333), (0.3, 0.726499353398), (0.6, 0.788015339320)):
        assert limit("power:0.5", GRADED, c) == close(power)


@each_model
def test_graded_curves_of_one_level_are_binary_ones_at_any_scale(model: str) -> None:
    for discount, cutoff in (("power:0.5", None), ("log", 0.3), ("power:0.8", 0.5), ("zipf", None), ("linear", None)):
        binary = limit(discount, MODELS[model], cutoff)
        assert limit(discount, GradedCurve({3: MODELS[model]}), cutoff) == close(binary)


def test_a_level_that_no_document_has_changes_nothing() -> None:
    curve = GradedCurve({5: lambda s: 0.0, 1: MODELS["line"]})
    for discount in ("power:0.5", "zipf"):
        assert limit(discount, curve) == close(limit(discount, MODELS["line"]))


def test_linear_ndcg() -> None:
    assert limit("linear_ndcg", MODELS["s"]) == close(8 / 9)
    assert limit(measures.LinearNDCG(), MODELS["s2"]) == close(0.9)
    assert limit(discounts.Linear(), MODELS["const"]) == close(1 / (2 - 0.3))


@pytest.mark.parametrize("discount", ["power:0.25", "power:0.8", "linear", "zipf"])
@pytest.mark.parametrize("cutoff", [None, 0.1, 0.3, 0.7])
def test_steps_and_the_function_that_they_stand_for_agree(discount: str, cutoff: float | None) -> None:
    assert limit(discount, JUMP, cutoff) == close(limit(discount, MODELS["step"], cutoff))


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.floats(0, 0.95), st.floats(0.05, 0.95))
def test_a_limit_is_a_plain_sum_over_fine_slices(values: list[float], beta: float, c: float) -> None:
    n = 200_000
    u = (np.arange(n) + 0.5) / n
    weight = np.diff((np.arange(n + 1) / n) ** (1 - beta)) * (u < c)
    ybar = np.asarray(values)[np.minimum(((1 - u) * len(values)).astype(int), len(values) - 1)]
    expected = (weight @ ybar) / min(c, float(np.mean(values))) ** (1 - beta)
    curve = StepCurve(np.linspace(0, 1, len(values) + 1), values)
    assert limit(discounts.Power(beta), curve, c) == pytest.approx(expected, rel=1e-3)


def simulated(curve: Curve, discount: str, cutoff: Any, n: int, seed: int) -> float:
    """NDCG of one drawn list."""
    rng = np.random.default_rng(seed)
    s = rng.random(n)
    drawn, ends = rng.random(n), np.cumsum(curve.probabilities(s), axis=0)
    gains = np.asarray([*curve.levels, 0.0])[(drawn >= ends).sum(axis=0)]
    return float(measures.NDCG(gain="linear", discount=discount, cutoff=cutoff)(gains, s)[0])


@pytest.mark.parametrize(
    ("discount", "cutoff", "atol"),
    [("power:0.25", None, 0.004), ("power:0.5", None, 0.006), ("log", 0.2, 0.012), ("power:0.5", 0.2, 0.009),
     ("linear", None, 0.004), ("log", "n^0.5", 0.06)],
)  # fmt: skip
@pytest.mark.parametrize("name", ["step", "graded"])
def test_simulated_lists_come_near_their_limit(name: str, discount: str, cutoff: Any, atol: float) -> None:
    curve = {"step": JUMP, "graded": GRADED}[name]
    assert simulated(curve, discount, cutoff, 200_000, seed=5) == close(limit(discount, curve, cutoff), atol)


def test_a_measure_stands_for_its_discount_and_cutoff() -> None:
    expected = limit(discounts.Power(0.5), MODELS["s"], 0.2)
    assert limit("ndcg(discount=power:0.5)@20%", MODELS["s"]) == expected
    assert limit(measures.NDCG(discount="power:0.5") @ 0.2, MODELS["s"]) == expected
    assert limit(measures.NDCG(discount="power:0.5"), MODELS["s"], "20%") == expected


@pytest.mark.parametrize(
    ("function", "kind", "beta", "logs"),
    [
        (lambda r: r**-0.5, "power", 0.5, 0),
        (lambda r: 1 / np.log(1 + r), "slow", 0, 1),
        (lambda r: np.ones_like(r), "slow", 0, 0),
        (lambda r: 1.0, "slow", 0, 0),
        (lambda r: 1 / (3 + r), "harmonic", 1, 0),
        (lambda r: 1 / (r * np.log(1 + r)), "harmonic", 1, 1),
        (lambda r: 1 / (r * np.log(1 + r) ** 1.5), "bounded", 1, 1.5),
        (lambda r: r**-1.01, "bounded", 1.01, 0),
        (lambda r: r**-3.0, "bounded", 3, 0),
        (lambda r: np.exp(-r), "bounded", math.inf, 0),
        (lambda r: np.where(r < 10, 1.0, 0.0), "bounded", math.inf, 0),
    ],
)
def test_anyones_own_discount_is_judged_by_its_values(
    function: Callable[[Any], Any], kind: str, beta: float, logs: float
) -> None:
    found = regime(function)
    assert (found.kind, found.beta, found.logs) == (kind, beta, logs)


def test_what_cannot_be_judged_is_undecided() -> None:
    found = regime(lambda r: 1 / np.log(1 + np.log(1 + r)))
    assert found.kind == "undecided"
    assert "no power of r and log r" in found.reason
    with pytest.raises(OptionError, match="not known how fast the discount decreases"):
        limit(lambda r: 1 / np.log(1 + np.log(1 + r)), MODELS["line"])


def test_anyones_own_discount_has_the_limit_of_what_it_falls_like() -> None:
    assert limit(lambda r: (r + 5) ** -0.5, MODELS["s"]) == close(THEOREM_7["s"][1])
    assert limit(lambda r: 1 / np.log(3 + r), MODELS["s"], 0.2) == close(0.9)


@pytest.mark.parametrize(
    ("discount", "cutoff", "why"),
    [
        ("ndcg@10", None, "only 10 ranks count"),
        ("geometric:2", None, r"2\^-r: its sum is bounded"),
        ("power:2", 0.2, r"r\^-2: its sum is bounded"),
        (discounts.Table([1, 0.5]), None, "only the first 2 ranks count"),
    ],
)
def test_there_is_no_limit_where_few_ranks_count(discount: Any, cutoff: Any, why: str) -> None:
    with pytest.raises(OptionError, match=f"no limit here: {why}"):
        limit(discount, MODELS["line"], cutoff)
    assert limit(discount, MODELS["s"], cutoff) == 1.0  # unless the top is free of noise


@pytest.mark.parametrize(
    ("function", "where"),
    [
        (lambda r: r, "; it increases at rank 2"),
        (lambda r: 1 / r - 1, ""),
        (lambda r: 2 - r, ""),
        (lambda r: 0 * r, ""),
    ],
)
def test_a_discount_that_rises_or_is_negative_is_refused(function: Callable[[Any], Any], where: str) -> None:
    with pytest.raises(OptionError, match=f"must start above 0, never increase and never be negative{where}: <lambda>"):
        limit(function, MODELS["s"])


def test_other_measures_and_two_cutoffs_are_refused() -> None:
    with pytest.raises(OptionError, match="about NDCG and linear NDCG, not ap"):
        limit("ap", MODELS["s"])
    with pytest.raises(OptionError, match="already has a cutoff"):
        limit("ndcg@10", MODELS["s"], 0.2)
    with pytest.raises(OptionError, match="expected an NDCG or a discount, got 7"):
        limit(7, MODELS["s"])  # type: ignore[arg-type]


def test_nothing_relevant_and_curves_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(DataError, match="nothing is relevant"):
        limit("power:0.5", lambda s: 0.0)
    with pytest.raises(DataError, match=r"probabilities with a sum in \[0, 1\], got .* at s = "):
        limit("power:0.5", lambda s: 2 * s)
    with pytest.raises(DataError, match="probabilities"):
        limit("power:0.5", lambda s: s - 0.5)
    with pytest.raises(DataError, match="probabilities"):
        limit("power:0.5", lambda s: math.nan)
    with pytest.raises(DataError, match=r"got 0\.8 \+ 0\.8 at s = 1"):
        limit("zipf", {2: lambda s: 0.8 * s, 1: lambda s: 0.8 * s})


def test_a_curve_too_rough_to_integrate_is_refused() -> None:
    noise = np.random.default_rng(0).random(1_000_003)
    with pytest.raises(DataError, match="pass it as a StepCurve"):
        limit("power:0.5", lambda s: float(noise[int(s * 1e6)]))


def test_all_relevant_is_always_ideal() -> None:
    for discount, cutoff in (("log", 0.2), ("power:0.5", None), ("zipf", None), ("geometric", None), ("linear", 0.3)):
        assert_allclose(limit(discount, lambda s: 1.0, cutoff), 1, rtol=1e-12, atol=0)


@pytest.mark.parametrize("discount", ["power:0.25", "power:0.5", "power:0.8", "linear", "ndcg@20%"])
def test_a_narrow_step_of_a_function_is_not_missed(discount: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(12):
        width = 10 ** rng.uniform(-3.8, -1)
        low = rng.uniform(0.01, 1 - width)
        low, high = (low, low + width) if rng.random() < 0.5 else (1 - 3 * width, 1 - 2 * width)
        below, above = rng.uniform(0, 0.01), rng.uniform(0.5, 1)

        def curve(s: float, low: float = low, high: float = high, y: tuple[float, float] = (below, above)) -> float:
            return y[1] if low <= s < high else y[0]

        exact = limit(discount, StepCurve([0, low, high, 1], [below, above, below]))
        assert limit(discount, curve) == pytest.approx(exact, abs=1e-8)


def test_a_function_that_jumps_everywhere_is_refused() -> None:
    with pytest.raises(DataError, match="jumps at more than 2,000 places; pass it as a StepCurve"):
        limit("power:0.5", lambda s: 0.5 + 0.4 * np.sign(np.sin(1e5 * np.asarray(s) ** 2)))


def test_theorem_11_holds_for_any_cutoff_that_grows_more_slowly_than_the_list() -> None:
    assert limit("log", MODELS["line"], Logarithm()) == pytest.approx(0.7)
    found = verdict("log", MODELS["line"], lambda s: 0.4, Logarithm())
    assert (found.how, found.better, found.theorem) == ("in probability", "a", "Theorem 11")

"""Where NDCG stays random: Theorems 8 and 10 of Wang et al. 2013, corrected, with the counterexamples to them."""

import itertools
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from numpy.testing import assert_allclose
from theory_models import GRADED, JUMP, KNOTS_3, KNOTS_7, MODELS, halves

from idealrank import discounts
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import NDCG
from idealrank.theory import StepCurve, bounded_law, win_probability

Draw: TypeAlias = Callable[[np.random.Generator], tuple[npt.NDArray[Any], Floats, Floats]]


def share_won(draw: Draw, m: NDCG, times: int) -> float:
    """How often f0 beats f1 over drawn (labels, scores of f0, scores of f1); ties half."""
    rng = np.random.default_rng(7)
    won = 0.0
    for _ in range(times):
        labels, f0, f1 = draw(rng)
        a, b = float(m(labels, f0)[0]), float(m(labels, f1)[0])
        won += (a > b) + (a == b) / 2
    return won / times


def test_theorem_8_condition_2_is_false() -> None:
    # All of its hypotheses hold: equal limits, different tops, Lipschitz curves, beta = 0.7 > 2/3.
    a, b = halves(KNOTS_7)
    expected = win_probability("power:0.7", a, b)
    assert expected == pytest.approx(0.168, abs=0.001)
    assert win_probability("power:0.7", b, a) == pytest.approx(1 - expected, abs=1e-6)

    def draw(rng: np.random.Generator) -> tuple[npt.NDArray[Any], Floats, Floats]:
        u0, u1 = rng.random((2, 10_000))
        chance = 0.5 + (np.interp(u0, *KNOTS_7) - np.interp(u1, *KNOTS_7)) / 2
        return rng.random(10_000) < chance, -u0, -u1

    # The share of wins stays where it is as lists grow; 3 standard errors of 400 draws are 0.056.
    assert share_won(draw, NDCG(discount="power:0.7"), 400) == pytest.approx(expected, abs=0.056)


@pytest.mark.parametrize(("n", "expected"), [(5, 0.39), (100, 0.22), (10_000, 0.168)])
def test_shares_of_wins_in_the_counterexample_to_theorem_8(n: int, expected: float) -> None:
    rng, times = np.random.default_rng(3), 400_000 // n + 800
    u0, u1 = rng.random((2, times, n))
    labels = rng.random(u0.shape) < 0.5 + (np.interp(u0, *KNOTS_7) - np.interp(u1, *KNOTS_7)) / 2
    m, offsets = NDCG(discount="power:0.7"), np.arange(0, labels.size + 1, n)
    leads = m(labels.ravel(), -u0.ravel(), offsets) - m(labels.ravel(), -u1.ravel(), offsets)
    share = float(np.mean((np.sign(leads) + 1) / 2))
    assert share == pytest.approx(expected, abs=3 * math.sqrt(expected * (1 - expected) / times) + 0.005)


def test_theorem_8_with_equal_limits_and_less_weight_on_top_is_a_coin() -> None:
    a, b = halves(KNOTS_3)
    assert win_probability("power:0.3", a, b) == 0.5


def pair_with_the_same_top(n: int) -> Draw:
    def draw(rng: np.random.Generator) -> tuple[npt.NDArray[Any], Floats, Floats]:
        x = rng.random(n)
        return rng.random(n) < 0.2 + 0.6 * x, x, np.where(x > 0.5, x, 0.5 - x)

    return draw


@pytest.mark.parametrize(("n", "expected"), [(50, 0.814), (200, 0.963), (1000, 1.0)])
def test_theorem_10_last_sentence_is_false(n: int, expected: float) -> None:
    # The upper halves of both lists are the same, only the rest counts, and r^-2 sees it ever more surely.
    assert share_won(pair_with_the_same_top(n), NDCG(discount="power:2"), 600) == pytest.approx(expected, abs=0.05)


def test_theorem_10_last_sentence_holds_for_a_geometric_discount() -> None:
    # 2^-r decides at the first difference, of gains with the chances 0.5 and 0.2: 0.4 / (0.4 + 0.1).
    rng, draw, won = np.random.default_rng(7), pair_with_the_same_top(1000), 0
    for _ in range(1000):
        labels, f0, f1 = draw(rng)
        first, second = labels[np.argsort(-f0)], labels[np.argsort(-f1)]
        won += bool(first[np.argmax(first != second)])
    assert won / 1000 == pytest.approx(0.8, abs=0.04)


def test_a_cutoff_does_not_see_what_differs_below_it() -> None:
    # The remark after Theorem 13 overlooks this.
    labels, f0, f1 = pair_with_the_same_top(2000)(np.random.default_rng(1))
    top, whole = NDCG(cutoff=0.3), NDCG()
    assert top(labels, f0) == top(labels, f1)
    assert whole(labels, f0) != whole(labels, f1)


def test_laws_of_bounded_discounts() -> None:
    concentrations = {("geometric:2", None): 1 / 3, ("power:2", None): 0.4, ("power:1.5", None): 0.176138329414}
    at = {1: 1.0, 3: 0.362942651373, 5: 0.228127912737, 10: 0.120853919851, 20: 0.062965079793, 100: 0.012695710969}
    concentrations.update({("log", k): value for k, value in at.items()})  # type: ignore[misc]
    for (discount, cutoff), expected in concentrations.items():
        law = bounded_law(discount, MODELS["line"], cutoff)
        assert law.concentration == pytest.approx(expected, abs=1e-11)
        assert law.mean == pytest.approx(0.7)
        assert law.variance == pytest.approx(0.21 * expected, abs=1e-11)
    assert [bounded_law(discount, MODELS["line"]).m for discount in ("geometric", "power:2", "power:1.5")] == [2, 2, 5]


def test_law_of_2_to_the_minus_r_at_a_top_of_chance_is_uniform() -> None:
    drawn = bounded_law("geometric:2", lambda s: 0.5).sample(5000, seed=1)
    assert_allclose(np.quantile(drawn, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], rtol=0, atol=0.02)


@pytest.mark.parametrize(("discount", "cutoff"), [("geometric:2", None), ("power:1.5", None), ("log", 10)])
@pytest.mark.parametrize("name", ["line", "graded"])
def test_samples_have_the_moments_of_the_law_and_of_simulated_lists(name: str, discount: str, cutoff: Any) -> None:
    curve = GRADED if name == "graded" else StepCurve([0, 1], [0.7])
    law = bounded_law(discount, curve, cutoff)
    drawn = law.sample(5000, seed=2)
    assert drawn.mean() == pytest.approx(law.mean, abs=0.01)
    assert drawn.std() == pytest.approx(law.sd, rel=0.05)
    rng = np.random.default_rng(3)
    values = []
    for _ in range(150):
        s = rng.random(1000)
        chances = curve.probabilities(s)
        labels = np.array([*curve.levels, 0.0])[(rng.random(1000) >= np.cumsum(chances, axis=0)).sum(axis=0)]
        values.append(float(NDCG(gain="linear", discount=discount, cutoff=cutoff)(labels, s)[0]))
    assert np.std(values) == pytest.approx(law.sd, rel=0.2)
    assert np.mean(values) == pytest.approx(law.mean, abs=0.08)


def test_theorem_10_ndcg_is_high_and_low_again_and_again() -> None:
    law = bounded_law("geometric:2", MODELS["line"])
    drawn = law.sample(10_000, seed=0)
    assert np.mean(drawn >= 2 / 3) == pytest.approx(0.62, abs=0.04)
    assert np.mean(drawn <= 1 / 2) == pytest.approx(0.30, abs=0.04)
    delta = 0.1 / 0.9  # ybar from 0.1 to 0.7
    assert np.mean(drawn >= 2 / 3) >= (delta / 2) ** law.m
    assert np.mean(drawn <= 1 / 2) >= (delta / 2) ** (2 * law.m)


def test_footnote_1_an_order_of_arrival_converges_to_a_random_value() -> None:
    # So Theorem 10 does not hold for orders that are not by score, as its footnote says.
    labels = np.random.default_rng(5).random(20_000) < 0.5
    m = NDCG(discount="power:2")
    path = [float(m(labels[:n], -np.arange(n))[0]) for n in (1000, 5000, 20_000)]
    assert max(path) - min(path) < 1e-3


def test_anyones_own_bounded_discount_has_a_law() -> None:
    own = bounded_law(lambda r: r**-1.5, MODELS["line"])
    assert own.concentration == pytest.approx(0.176138329414, rel=1e-5)
    assert bounded_law(lambda r: np.exp(-r), MODELS["line"]).m == 2
    assert bounded_law(discounts.Table([1, 1, 1]), MODELS["line"]).concentration == pytest.approx(1 / 3)


def test_a_law_is_for_discounts_without_a_limit() -> None:
    with pytest.raises(OptionError, match="NDCG has a limit"):
        bounded_law("log", MODELS["line"])


def exactly(weights: list[float], a: dict[float, float], b: dict[float, float]) -> float:
    """P(A's sum exceeds B's), ties half, over all labels of all ranks."""
    won = 0.0
    for draws in itertools.product(*[[(x, y, p * q) for x, p in a.items() for y, q in b.items()]] * len(weights)):
        chance = math.prod(p for _, _, p in draws)
        total = sum(w * (x - y) for w, (x, y, _) in zip(weights, draws, strict=True))
        won += chance * (0.5 if abs(total) < 1e-12 else total > 0)
    return won


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_few_ranks_decide_as_enumeration_says(k: int) -> None:
    weights = discounts.Log().weights(k).tolist()
    binary = exactly(weights, {1: 0.7, 0: 0.3}, {1: 0.8, 0: 0.2})
    assert win_probability("log", MODELS["line"], JUMP, k) == pytest.approx(binary, abs=1e-6)
    assert win_probability("log", JUMP, MODELS["line"], k) == pytest.approx(1 - binary, abs=1e-6)
    graded = exactly(weights, {2: 0.5, 1: 0.5}, {2: 0.2, 1: 0.3, 0: 0.5})
    other = StepCurve([0, 1], {2: [0.2], 1: [0.3]})
    assert win_probability("log", GRADED, other, k) == pytest.approx(graded, abs=1e-6)


def test_the_first_difference_decides_under_2_to_the_minus_r() -> None:
    a, b = (StepCurve([0, 1], [q]) for q in (0.8, 0.6))
    assert win_probability("geometric:2", a, b) == pytest.approx(8 / 11)
    assert win_probability("geometric:3", a, b) == pytest.approx(8 / 11)
    assert win_probability(lambda r: 2.0**-r, a, b) == pytest.approx(8 / 11, abs=1e-4)


def test_limits_that_differ_decide() -> None:
    for discount, cutoff in (("power:0.5", None), ("log", 0.2), ("zipf", None), ("linear", None), ("log", "n^0.5")):
        assert win_probability(discount, MODELS["s"], MODELS["1-s"], cutoff) == 1.0
        assert win_probability(discount, MODELS["1-s"], MODELS["s"], cutoff) == 0.0


def test_standard_ndcg_decides_by_speed() -> None:
    assert win_probability("log", MODELS["s"], MODELS["1-s"]) == 1.0
    assert win_probability("log", MODELS["1-s"], MODELS["s"]) == 0.0
    assert win_probability("log", MODELS["s"], MODELS["s"]) == 0.5
    a, b = halves(KNOTS_7)
    assert win_probability("log", a, b) in (0.0, 1.0)


def test_one_over_r_with_equal_tops_is_a_matter_of_chance() -> None:
    found = win_probability("zipf", lambda s: 0.5 + 0.3 * np.sin(2 * np.pi * (1 - s)), lambda s: 0.5)
    assert 0.6 < found < 0.8

    def draw(rng: np.random.Generator) -> tuple[npt.NDArray[Any], Floats, Floats]:
        u0, u1 = rng.random((2, 5000))
        return rng.random(5000) < 0.5 + 0.3 * np.sin(2 * np.pi * u0), -u0, -u1

    assert share_won(draw, NDCG(discount="zipf"), 500) == pytest.approx(found, abs=0.06)


def test_what_curves_do_not_decide_is_nan() -> None:
    assert math.isnan(win_probability("zipf", MODELS["s"], lambda s: 0.25 + 0.75 * s**2))
    with pytest.raises(OptionError, match="not known how fast"):
        win_probability(lambda r: 1 / np.log(1 + np.log(1 + r)), MODELS["s"], MODELS["1-s"])

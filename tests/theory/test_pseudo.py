"""Expected values of DCG and NDCG on n documents: Definition 20, Claims 24 to 31, Theorem 4 of Wang et al. 2013."""

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special
from theory_models import GRADED, JUMP, MODELS

from idealrank import discounts
from idealrank.errors import DataError, OptionError
from idealrank.measures import NDCG
from idealrank.theory import StepCurve, expected_dcg, limit, pseudo_expectation, worst_ndcg
from idealrank.theory.long_lists.weights import discount_sum, quadrature, rank_weight

pytestmark = pytest.mark.sampled(4)
NUMBERS = json.loads(Path(__file__).with_name("theory_numbers.json").read_text())
NATURAL = discounts.Log(math.e)


def test_integrals_of_discounts() -> None:
    for t, expected in ((10, 5.545845435604), (500, 100.909594031381)):
        assert rank_weight(NATURAL).integral(t) == pytest.approx(expected, abs=1e-11)
    assert rank_weight(discounts.Power(0.5)).integral(500) == pytest.approx(42.721359549996, abs=1e-11)
    assert rank_weight(discounts.Zipf()).integral(500) == pytest.approx(6.214608098422, abs=1e-11)


class Own(discounts.Discount):
    """A discount that theory knows nothing of."""

    def __init__(self, known: discounts.Discount) -> None:
        self._known = known

    def __call__(self, ranks: Any, n: int | None = None) -> Any:
        return self._known(ranks, n)


@pytest.mark.parametrize("known", [NATURAL, discounts.Power(0.5), discounts.Power(2), discounts.Zipf()], ids=str)
def test_closed_forms_agree_with_quadrature(known: discounts.Discount) -> None:
    places = np.array([0.01, 0.3, 1])
    closed, numeric = (rank_weight(each, 1000).integral(places) for each in (known, Own(known)))
    assert_allclose(closed, numeric, rtol=1e-10, atol=0)
    values = [pseudo_expectation(each, JUMP, 1000, form="integral") for each in (known, Own(known))]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    density = quadrature(
        rank_weight(known, 1000).density, rank_weight(known, 1000).x_of(0.001), rank_weight(known, 1000).x_of(1)
    )
    assert density == pytest.approx(float(closed[-1]), rel=1e-10)


@pytest.mark.parametrize(("model", "n", "discount", "expected"), NUMBERS["definition_20"])
def test_definition_20(model: str, n: int, discount: str, expected: float) -> None:
    value = pseudo_expectation(discount, MODELS[model], n, form="integral")
    assert value == pytest.approx(expected, rel=0, abs=1e-8)
    if model == "step":
        assert pseudo_expectation(discount, JUMP, n, form="integral") == pytest.approx(expected, rel=0, abs=1e-8)


@pytest.mark.parametrize(("model", "n", "discount", "expected"), NUMBERS["sums"])
def test_the_sum_over_ranks(model: str, n: int, discount: str, expected: float) -> None:
    curve = JUMP if model == "step" else MODELS[model]
    assert pseudo_expectation(discount, curve, n) == pytest.approx(expected, rel=0, abs=1e-9)


@pytest.mark.parametrize(("model", "n", "measured", "mean", "error"), NUMBERS["simulated"])
def test_the_sum_over_ranks_is_what_simulations_find(
    model: str, n: int, measured: str, mean: float, error: float
) -> None:
    discount, _, cutoff = measured.partition("@")
    curve = JUMP if model == "step" else MODELS[model]
    assert pseudo_expectation(discount, curve, n, cutoff or None) == pytest.approx(mean, rel=0, abs=4 * error)


def test_the_sum_of_a_graded_list_is_what_a_simulation_finds() -> None:
    rng = np.random.default_rng(11)
    n, values = 2000, []
    for _ in range(200):
        s = rng.random(n)
        chances = GRADED.probabilities(s)
        labels = np.array([2.0, 1, 0])[(rng.random(n) >= np.cumsum(chances, axis=0)).sum(axis=0)]
        values.append([NDCG(gain="linear", discount="power:0.5", cutoff=k)(labels, s)[0] for k in (None, 0.3, 10)])
    error = np.std(values, axis=0) / math.sqrt(len(values))
    expected = [pseudo_expectation("power:0.5", GRADED, n, k) for k in (None, 0.3, 10)]
    assert (np.abs(np.mean(values, axis=0) - expected) < 4 * error).all()


@pytest.mark.parametrize("form", ["sum", "integral"])
def test_both_forms_come_near_the_limit(form: str) -> None:
    for cutoff in (None, 0.2):
        value = pseudo_expectation("power:0.25", MODELS["line"], 1e6, cutoff, form)
        assert value == pytest.approx(limit("power:0.25", MODELS["line"], cutoff), abs=1e-4)


def test_lemma_21_the_two_forms_close_in_on_each_other() -> None:
    errors = [
        abs(pseudo_expectation("log", MODELS["s"], n) - pseudo_expectation("log", MODELS["s"], n, form="integral"))
        for n in (1e3, 1e4, 1e5)
    ]
    assert errors[0] < 1e3 ** (-1 / 3)
    assert errors[0] > 3 * errors[1] > 9 * errors[2]


def test_the_expected_number_of_relevant_documents_must_be_above_one() -> None:
    assert rank_weight(NATURAL).integral(10 * 0.05) < 0  # the denominator as printed
    for form in ("sum", "integral"):
        with pytest.raises(DataError, match=r"n p, must be (at least|above) 1, got 10 \* 0.05"):
            pseudo_expectation("log", lambda s: 0.05, 10, form=form)
    with pytest.raises(DataError, match="must be a finite number from 1, got 0"):
        pseudo_expectation("log", MODELS["s"], 0)
    with pytest.raises(DataError, match="nothing is relevant"):
        pseudo_expectation("log", lambda s: 0.0, 10)
    with pytest.raises(OptionError, match="unknown form 'mean'"):
        pseudo_expectation("log", MODELS["s"], 10, form="mean")
    with pytest.raises(OptionError, match='use form="sum"'):
        pseudo_expectation(discounts.Table([1, 0.5]), MODELS["s"], 100, form="integral")


def test_claim_25() -> None:
    for n, s, s2 in (
        (10, 3.930177928017, 2.914595403493),
        (100, 17.859527940165, 13.339218277591),
        (1000, 98.996362161526, 71.244400200800),
    ):
        assert expected_dcg(NATURAL, MODELS["s"], n) == pytest.approx(s, abs=1e-9)
        assert expected_dcg(NATURAL, MODELS["s2"], n) == pytest.approx(s2, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 10, 100, 3000])
@pytest.mark.parametrize("cutoff", [None, 3, 0.2])
def test_expected_dcg_is_a_sum_over_beta_distributions(n: int, cutoff: Any) -> None:
    depth = n if cutoff is None else min(n, cutoff) if cutoff == 3 else max(1, n // 5)
    ranks = np.arange(1, depth + 1)
    above = special.betainc(ranks, n - ranks + 1, 0.3)  # P(the place of rank r is among the first 30 %)
    expected = float(NATURAL(ranks) @ (0.2 + 0.6 * above))
    assert expected_dcg(NATURAL, JUMP, n, cutoff) == pytest.approx(expected, rel=1e-11)
    assert expected_dcg(NATURAL, MODELS["step"], n, cutoff) == pytest.approx(expected, rel=1e-9)


def test_claim_24_the_densities_of_all_places_add_up_to_n() -> None:
    for n, s in ((5, 0.3), (50, 0.9)):
        assert sum(n * math.comb(n - 1, r - 1) * (1 - s) ** (r - 1) * s ** (n - r) for r in range(1, n + 1)) == (
            pytest.approx(n)
        )
    assert expected_dcg("power:0", MODELS["s"], 50) == pytest.approx(25)


def test_expected_dcg_wants_whole_lists() -> None:
    for n in (0, 1.5):
        with pytest.raises(DataError, match="whole number from 1"):
            expected_dcg("log", MODELS["s"], n)  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "r", "expected"), [(100, 50, 0.999993838907), (1000, 500, 0.99999999983)])
def test_claim_26_places_are_near_their_ranks(n: int, r: int, expected: float) -> None:
    reach = n ** (-1 / 3)
    low, high = (float(special.betainc(r, n - r + 1, r / n + sign * reach)) for sign in (-1, 1))
    assert high - low == pytest.approx(expected, abs=1e-11)
    assert high - low >= 1 - 2 * math.exp(-2 * n ** (1 / 3))


def test_claim_27_the_ideal_dcg_is_near_the_integral() -> None:
    rng = np.random.default_rng(2)
    n, gaps = 10_000, []
    for _ in range(40):
        s = np.sort(rng.random(n))[::-1]
        labels = rng.random(n) < s
        dcg = float(NATURAL.weights(n) @ labels)
        gaps.append(
            abs(dcg / NATURAL.weights(int(labels.sum())).sum() - dcg / float(rank_weight(NATURAL).integral(n / 2)))
        )
    assert np.mean(gaps) == pytest.approx(0.0066, abs=0.003)
    assert max(gaps) < n ** (-1 / 3)


def test_claims_28_and_29() -> None:
    for k, expected in enumerate((2e-6, -2.8244726755e-5, 4.0088229473e-4, -5.7218948912e-3)):

        def power(x: float, k: int = k) -> float:
            return x**k * math.exp(x)

        assert quadrature(power, -math.inf, math.log(2e-6)) == pytest.approx(expected, rel=1e-9)
    for k, n, expected in (
        (0, 1e3, 0.176564494210), (0, 1e6, 0.078626503996), (0, 1e12, 0.037607950280),
        (1, 1e3, 0.063031391319), (1, 1e6, 0.007678655230), (1, 1e12, 0.001538118107),
    ):  # fmt: skip

        def integrand(x: float, k: int = k, n: float = n) -> float:
            return abs(x) ** k / (math.log(n) + x) ** (k + 1) * math.exp(x)

        assert quadrature(integrand, math.log(2 / n), 0) == pytest.approx(expected, abs=1e-11)


def test_claim_31_sum_and_integral_stay_near() -> None:
    for n, expected in ((10, 0.729660806547), (100, 0.794865826150), (1000, 0.801225470690), (10_000, 0.801855742)):
        ranks = np.arange(1, n + 1)
        total = float(NATURAL(ranks) @ (1 - ranks / n))
        integral = pseudo_expectation(NATURAL, MODELS["s"], n, form="integral") * float(
            rank_weight(NATURAL).integral(n / 2)
        )
        assert abs(total - integral) == pytest.approx(expected, abs=1e-8)
    # Sums of a falling discount exceed its integral, not the other way round.
    assert NATURAL.weights(9).sum() > float(rank_weight(NATURAL).integral(10))


@pytest.mark.parametrize(
    ("n", "expected", "atol"),
    [(1e2, 0.623438115697, 1e-11), (1e3, 0.744573643508, 1e-11), (1e4, 0.821151509342, 1e-11),
     (1e5, 0.863893130316, 1e-11), (1e6, 0.889802249605, 1e-11),
     # Those further on came from integrals alone, good to 3e-8 at 1e9.
     (1e9, 0.929262044580, 5e-8), (1e12, 0.947773761867, 1e-9), (1e50, 0.987851372547, 1e-11),
     (1e100, 0.993952905361, 1e-11)],
)  # fmt: skip
def test_theorem_4_the_worst_order_creeps_to_one(n: float, expected: float, atol: float) -> None:
    assert worst_ndcg("log", n, n / 2) == pytest.approx(expected, rel=0, abs=atol)


@pytest.mark.parametrize("discount", ["log", "zipf", "power:0.5", "linear", "geometric"])
@pytest.mark.parametrize("cutoff", [None, 5, 0.3])
def test_the_worst_order_is_that_of_the_measure(discount: str, cutoff: Any) -> None:
    labels = [0] * 7 + [1] * 13
    expected = NDCG(gain="linear", discount=discount, cutoff=cutoff)(labels, range(20, 0, -1))[0]
    assert worst_ndcg(discount, 20, 13, cutoff) == pytest.approx(expected)


@pytest.mark.parametrize("n_relevant", [0, 11])
def test_a_worst_order_needs_relevant_documents(n_relevant: int) -> None:
    with pytest.raises(DataError, match="from 1 to n relevant documents"):
        worst_ndcg("log", 10, n_relevant)


@pytest.mark.parametrize("discount", [NATURAL, discounts.Zipf(), discounts.Power(0.3), discounts.Letor()], ids=str)
def test_sums_beyond_counting_agree_with_counting(discount: discounts.Discount) -> None:
    assert discount_sum(discount, 3_000_000) == pytest.approx(float(discount.weights(3_000_000).sum()), rel=1e-12)


@pytest.mark.parametrize("position", np.linspace(0.013, 0.987, 40))
def test_jumps_anywhere_are_seen(position: float) -> None:
    function: Callable[[float], float] = lambda s: 0.8 if s >= position else 0.2  # noqa: E731
    steps = StepCurve([0, position, 1], [0.2, 0.8])
    assert limit("power:0.5", function) == pytest.approx(limit("power:0.5", steps), rel=0, abs=1e-9)


@pytest.mark.parametrize("n", [10**9, 2**53, 2**63, 10**30, 1e300])
def test_any_length_has_an_answer_or_an_error_at_once(n: float) -> None:
    def half(s: Any) -> Any:
        return 0.5 + 0 * s

    began = time.process_time()
    whole = 1 + 1 / math.log2(3) + 0.5
    if isinstance(n, int):
        assert expected_dcg("ndcg@3", half, n) == pytest.approx(whole / 2, rel=1e-6)
    assert pseudo_expectation("ndcg@3", half, n) == pytest.approx(0.5)
    assert worst_ndcg("ndcg@3", n, 5) == 0.0
    for function, arguments in (
        (expected_dcg, ("ndcg", half, n)),
        (expected_dcg, ("ndcg@20%", half, n)),
        (pseudo_expectation, ("ndcg", half, n)),
        (pseudo_expectation, ("ndcg@20%", half, n)),
        (worst_ndcg, ("ndcg@20%", n, 5)),
        (worst_ndcg, ("linear_ndcg", n, 5)),
    ):
        with pytest.raises(DataError, match=r"one by one|2\^53"):
            function(*arguments)
    assert time.process_time() - began < 5


def test_a_length_that_no_float_holds_is_refused() -> None:
    for call in (expected_dcg, pseudo_expectation):
        with pytest.raises(DataError, match="the number of documents"):
            call("ndcg@3", lambda s: s, 10**400)
    with pytest.raises(DataError, match="from 1 to n relevant"):
        worst_ndcg("ndcg@3", 10**400, 5)

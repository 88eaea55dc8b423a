"""Discounts that increase, and gains below 0: NDCG against all permutations."""

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank import discounts
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.measures import DCG, NDCG, IdealDCG, LinearNDCG, RandomNDCG

GAIN = {-1: -0.7, 0: 0.0, 1: 0.4, 2: 1.0}
DISCOUNTS: dict[str, list[float]] = {
    "decreasing": [1.0, 0.6, 0.5, 0.2],
    "increasing": [0.1, 0.2, 0.5, 0.5, 0.9],
    "ends": [0.9, 0.3, 0.1, 0.1, 0.2, 0.7],
    "late": [0.0, 0.0, 1.0],
    "signed": [0.5, -0.3, 0.8, -0.1],
}
CUTOFFS = (None, 1, 2, 4, 7, 50)


def weights_of(name: str, cutoff: int | None, n: int) -> np.ndarray:
    table = DISCOUNTS[name][: n if cutoff is None else cutoff]
    return np.array([*table, *[0.0] * n])[:n]


def gains_of(labels: np.ndarray) -> np.ndarray:
    return np.array([GAIN[label] for label in labels.tolist()])


def drawn(seed: int, least: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    return rng.integers(least, 3, n).astype(float), rng.integers(0, 4, n).astype(float)


def orders(scores: np.ndarray) -> list[tuple[int, ...]]:
    """All orders of documents by descending score."""
    runs = [np.flatnonzero(scores == score).tolist() for score in np.unique(scores)[::-1]]
    return [sum(parts, ()) for parts in itertools.product(*(itertools.permutations(run) for run in runs))]


@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("name", DISCOUNTS)
@pytest.mark.parametrize("least", [0, -1])
def test_the_ideal_is_the_best_permutation_and_ties_are_those_of_all_orders(
    least: int, name: str, cutoff: int | None
) -> None:
    for seed in range(12):
        labels, scores = drawn(seed, least)
        worth, weights = gains_of(labels), weights_of(name, cutoff, labels.size)
        ideal = max(worth[list(order)] @ weights for order in itertools.permutations(range(labels.size)))
        each = [worth[list(order)] @ weights for order in orders(scores)]
        options: dict[str, Any] = {"gain": GAIN, "discount": DISCOUNTS[name], "cutoff": cutoff}
        for ties, expected in {"average": np.mean(each), "best": max(each), "worst": min(each)}.items():
            has_gain = labels.max() > 0
            dcg = DCG(**options, ties=ties)(labels, scores)
            assert_allclose(dcg, [expected if has_gain or labels.min() < 0 else 0.0], rtol=0, atol=1e-12)
            ndcg = NDCG(**options, ties=ties, empty="nan")(labels, scores)
            valid = has_gain and ideal > 1e-12
            assert_allclose(ndcg, [expected / ideal if valid else np.nan], rtol=0, atol=1e-12)
        own = IdealDCG(**options)(labels, scores)
        assert_allclose(own, [ideal if labels.max() > 0 else 0.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("cutoff", [None, 1, 2, 4])
@pytest.mark.parametrize("name", DISCOUNTS)
def test_a_run_need_not_retrieve_what_harms_and_can_fill_ranks_with_unjudged_documents(
    name: str, cutoff: int | None
) -> None:
    for seed in range(8):
        judged, _ = drawn(seed, -1)
        judged = judged[:4]
        n_ranks = max(judged.size, 3) if cutoff is None else cutoff
        worth = np.append(gains_of(judged), np.zeros(n_ranks))  # as many unjudged documents as there are ranks
        weights = weights_of(name, cutoff, n_ranks)
        chosen = itertools.permutations(range(worth.size), n_ranks) if worth.size < 9 else []
        ideal = max((worth[list(order)] @ weights for order in chosen), default=np.nan)
        labels, scores = np.array([judged[0], np.nan, np.nan]), np.array([3.0, 2.0, 1.0])
        pool = (judged, [0, judged.size])
        value = NDCG(gain=GAIN, discount=DISCOUNTS[name], cutoff=cutoff, empty="nan")(labels, scores, judged=pool)
        if not np.isnan(ideal):
            valid = judged.max() > 0 and ideal > 0
            expected = gains_of(judged)[0] * weights_of(name, cutoff, 3)[0] / ideal if valid else np.nan
            assert_allclose(value, [expected], rtol=0, atol=1e-12)
            assert valid == (not np.isnan(value[0]))
            assert np.isnan(value[0]) or value[0] <= 1 + 1e-12


def test_the_ideal_at_a_cutoff_does_not_depend_on_the_length_of_the_run() -> None:
    ndcg = NDCG(gain="linear", discount=[0.5, 0.1, 0.1, 0.4], cutoff=4)
    pool = ([1.0], [0, 1])
    short, long = ([1.0], [1.0]), ([1.0, np.nan, np.nan, np.nan, np.nan], [5.0, 4.0, 3.0, 2.0, 1.0])
    values = [ndcg(labels, scores, judged=pool)[0] for labels, scores in (short, long)]
    assert_allclose(values, [1, 1], rtol=0, atol=1e-12)
    late = NDCG(gain="linear", discount=[0.1, 0.1, 0.1, 0.4], cutoff=4)
    assert_allclose(late([1.0], [1.0], judged=pool), [0.25], rtol=0, atol=1e-12)


@dataclass(frozen=True)
class _Rising(discounts.Discount):
    def __call__(self, ranks: Any, n: int | None = None) -> np.ndarray:
        return np.asarray(np.minimum(np.asarray(ranks, float), 3))


def test_a_discount_of_ones_own_may_increase() -> None:
    labels, scores = [1, 0, 0, 2], [4, 3, 2, 1]
    assert_allclose(NDCG(gain="linear", discount=_Rising())(labels, scores), [7 / 9], rtol=0, atol=1e-12)
    reordered = NDCG(gain="linear", discount=[3, 3, 2, 1])(labels, [2, 1, 4, 3])
    assert_allclose(reordered, [8 / 9], rtol=0, atol=1e-12)


def test_a_discount_with_other_weights_than_its_base_class_may_increase() -> None:
    class Rising(discounts.Zipf):
        def __call__(self, ranks: Any, n: int | None = None) -> np.ndarray:
            return np.asarray(ranks, float)

    with pytest.raises(OptionError, match="needs a discount that starts above 0, does not increase"):
        ir.losses.LambdaLoss(discount=Rising())
    values, _ = ir.losses.SoftNDCG(sigma=1e-9, discount=Rising(), gain="linear")([0, 1, 2], [0, 1, 2])
    assert_allclose(values, [1 - NDCG(discount=[1, 2, 3], gain="linear")([0, 1, 2], [0, 1, 2])[0]], rtol=0, atol=1e-9)


def test_measures_against_random_orders_use_the_same_ideal() -> None:
    name = "gain=linear,discount=table:1:0:2"
    labels, scores = np.array([1.0, 2.0, 0.0]), np.array([1.0, 2.0, 3.0])
    every = [ir.measure(f"ndcg({name})")(labels[list(order)], -np.arange(3.0))[0] for order in
             itertools.permutations(range(3))]  # fmt: skip
    assert_allclose(ir.measure(f"random_ndcg({name})")(labels, scores), [np.mean(every)], rtol=0, atol=1e-12)
    assert max(every) == 1


def test_a_table_says_what_a_negative_label_is_worth_whatever_the_convention() -> None:
    labels, scores = np.array([-1.0, 2.0]), np.array([2.0, 1.0])
    lists = Lists.of(labels, scores)
    values = [NDCG(gain=GAIN).values(replace(lists, negative=each))[0] for each in ("error", "unjudged", "keep")]
    best = 1 - 0.7 / np.log2(3)
    assert_allclose(values, [(-0.7 + 1 / np.log2(3)) / best] * 3, rtol=0, atol=1e-12)
    with pytest.raises(DataError, match="takes no negative label, got -1"):
        NDCG(gain={0: 0, 2: 1})(labels, scores)
    with pytest.raises(DataError, match="takes no negative label, got -1"):
        ir.evaluate({"q": {"a": -1, "b": 1}}, {"q": ["a", "b"]}, [NDCG(gain=GAIN), "ap"], like="sklearn")
    assert len(ir.evaluate({"q": {"a": -1, "b": 1}}, {"q": ["a", "b"]}, NDCG(gain=GAIN), like="sklearn").mean) == 1
    judged = {"q": {"a": -1, "b": 1}}
    said = ir.evaluate(judged, {"q": ["a", "b"]}, "dcg(gain=table:-1>-0.5:0>0:1>1)", like="trec_eval")
    assert_allclose(list(said.mean.values()), [-0.5 + 1 / np.log2(3)], rtol=0, atol=1e-12)


def test_ranges_hold_for_gains_and_weights_below_zero() -> None:
    assert NDCG(discount=[1, 2]).value_range == (0, 1)
    assert NDCG(gain=GAIN).value_range == (-np.inf, 1)
    assert NDCG(discount=[1, -1]).value_range == (-np.inf, 1)
    assert DCG(gain=GAIN).value_range == (-np.inf, np.inf)
    gain = {0: -1, 1: 1}
    for m in (IdealDCG(gain=gain), RandomNDCG(gain=gain, cutoff=1), LinearNDCG(gain=gain, cutoff=1)):
        assert m.value_range[0] <= m([0, 1, 0, 0], [1, 2, 3, 4])[0] < 0
        assert type(m)(gain={0: 0, 1: 1}).value_range[0] == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda rising: ir.losses.LambdaLoss(discount=rising),
        lambda rising: ir.losses.LambdaRank(measure=NDCG(discount=rising)),
        lambda rising: ir.losses.CrossEntropy(normalizer="dcg", discount=rising),
        lambda rising: ir.theory.regime(discounts.of(rising)),
        lambda rising: ir.theory.regret([1, 0], [1.0], [[0, 1]], discount=rising),
        lambda rising: ir.theory.rank_constant(2, discount=rising),
        lambda rising: ir.theory.cutoff_errors([0, 1], [2, 1], discount=rising),
        lambda rising: ir.bounds({"q": {"a": 1}}, {"q": ["a", "b"]}, NDCG(discount=rising)),
    ],
)
def test_what_needs_a_decreasing_discount_says_so(make: Any) -> None:
    with pytest.raises(
        OptionError, match="needs a discount that starts above 0, does not increase and is not negative"
    ):
        make([0.1, 0.2])


@pytest.mark.parametrize(
    "use",
    [
        lambda harming: ir.bounds({"q": {"a": 1, "b": -1}}, {"q": ["b", "c", "a"]}, harming),
        lambda harming: ir.theory.limits({"q": {"a": 1, "b": -1}}, {"x": {"q": ["b", "a"]}}, harming),
        lambda harming: ir.theory.distinguish({"q": {"a": 1, "b": -1}}, {c: {"q": [*"ab"]} for c in "xy"}, harming),
        lambda harming: ir.theory.limit(harming, lambda place: place),
    ],
)
def test_what_needs_gains_of_0_or_more_says_so(use: Any) -> None:
    with pytest.raises(OptionError, match=r"needs? gains of"):
        use(NDCG(gain=GAIN))

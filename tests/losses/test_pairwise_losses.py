"""Pairwise losses against sums over all pairs, written out."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import _native, losses, measures
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.losses import Hinge, LambdaRank, Loss, PairwiseLinear, PairwiseLogistic, SquaredHinge

#: Sweeps over sorted documents or pairs one by one, with each instruction set; other calls take what is fastest.
WAYS: list[dict[str, Any]] = [{"isa": isa, "few_pairs": few} for isa in _native.isas() for few in (0.0, math.inf)]


def going(**way: Any) -> Any:
    """Within this, all pairwise losses go this way."""
    return mock.patch.object(_native, "pairwise", functools.partial(_native.pairwise, **way))


class PairTerm(NamedTuple):
    """The loss of a pair, minus its derivative by the better score, its second derivative."""

    loss: float
    pull: float
    curvature: float


def logistic(sigma: float, d: float) -> PairTerm:
    z = sigma * d
    q = math.exp(-abs(z))
    return PairTerm(
        max(-z, 0.0) + math.log1p(q), sigma * (1 if z < 0 else q) / (1 + q), sigma * sigma * (q / (1 + q) ** 2)
    )


def hinge(margin: float, d: float) -> PairTerm:
    x = margin - d
    return PairTerm(x, 1.0, 1 / margin) if x > 0 else PairTerm(0.0, 0.0, 0.0)


def squared_hinge(margin: float, d: float) -> PairTerm:
    x = margin - d
    return PairTerm(x * x, 2 * x, 2.0) if x > 0 else PairTerm(0.0, 0.0, 0.0)


def term_of(loss: Any) -> Callable[[float], PairTerm]:
    match loss:
        case Hinge():
            return lambda d: hinge(loss.margin, d)
        case SquaredHinge():
            return lambda d: squared_hinge(loss.margin, d)
        case PairwiseLinear(surrogate="hinge"):
            return lambda d: hinge(loss.scale, d)
        case PairwiseLinear():
            return lambda d: logistic(loss.scale, d)
    return lambda d: logistic(loss.sigma, d)


def ranks_of(scores: Sequence[float]) -> list[int]:
    """From 0; equal scores in input order."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return [order.index(i) for i in range(len(scores))]


def swap_change(measure: measures.Measure, labels: Sequence[float], ranks: Sequence[int], i: int, j: int) -> float:
    """The change of a measure, by measuring before and after."""
    ranked = [labels[ranks.index(r)] for r in range(len(labels))]
    before = oracles.measure_value(measure, ranked)
    ranked[ranks[i]], ranked[ranks[j]] = ranked[ranks[j]], ranked[ranks[i]]
    return abs(oracles.measure_value(measure, ranked) - before)


class Expected(NamedTuple):
    """Sums over pairs, and for each document the sum of the magnitudes of its terms, in score and in curvature."""

    value: float
    gradient: Floats
    curvature: Floats
    magnitude: Floats


def sum_over_pairs(loss: Any, labels: Sequence[float], scores: Sequence[float], weights: Sequence[float]) -> Expected:
    n, term = len(labels), term_of(loss)
    ranks = ranks_of(scores)
    values: list[float] = []
    pulls: list[list[float]] = [[] for _ in range(n)]
    curvatures: list[list[float]] = [[] for _ in range(n)]
    n_pairs = 0
    for i in range(n):
        for j in range(n):
            if not labels[i] > labels[j]:
                continue
            n_pairs += 1
            weight = weights[i]
            if isinstance(loss, PairwiseLinear):
                weight *= labels[i] - labels[j]
            if isinstance(loss, LambdaRank):
                if loss.truncation is not None and min(ranks[i], ranks[j]) >= loss.truncation:
                    continue
                weight *= swap_change(loss.measure, labels, ranks, i, j)
            pair = term(scores[i] - scores[j])
            values.append(weight * pair.loss)
            pulls[i].append(-weight * pair.pull)
            pulls[j].append(weight * pair.pull)
            for k in (i, j):
                curvatures[k].append(weight * pair.curvature)
    divisor = n_pairs if loss.normalize == "pairs" and n_pairs else 1
    return Expected(
        math.fsum(values) / divisor,
        np.array([math.fsum(terms) for terms in pulls]) / divisor,
        np.array([math.fsum(terms) for terms in curvatures]) / divisor,
        np.array([math.fsum(map(abs, terms)) for terms in pulls]) / divisor,
    )


def check_against_pairs(
    loss: Loss, labels: Sequence[float], scores: Sequence[float], weights: Sequence[float], rtol: float = 1e-12
) -> None:
    expected = sum_over_pairs(loss, labels, scores, weights)
    for way in WAYS:
        with going(**way):
            values, gradient = loss(labels, scores, weights=weights)
            curvature = loss.hessian_diagonal(labels, scores, weights=weights)
        assert_allclose(values, [expected.value], rtol=rtol, atol=1e-250)
        # A gradient is a difference of sums: relative to their sum.
        assert_array_equal(np.abs(gradient - expected.gradient) <= rtol * expected.magnitude + 1e-250, True)
        assert_allclose(curvature, expected.curvature, rtol=10 * rtol, atol=1e-250)


SMOOTH: list[Loss] = [
    PairwiseLogistic(),
    PairwiseLogistic(sigma=7.5, normalize="pairs"),
    PairwiseLinear(),
    PairwiseLinear(scale=0.01),
]
KINKED: list[Loss] = [
    Hinge(),
    Hinge(margin=0.3, normalize="pairs"),
    SquaredHinge(),
    SquaredHinge(margin=4),
    PairwiseLinear(surrogate="hinge"),
    PairwiseLinear(surrogate="hinge", scale=2.5),
]
SWAPPED: list[tuple[Any, dict[str, Any]]] = [
    ("ndcg", {}),
    ("ndcg@3", {"sigma": 2.0}),
    ("ndcg(gain=linear,discount=zipf)", {"truncation": 2}),
    ("ndcg(discount=geometric:2)@50%", {"normalize": "pairs"}),
    ("ndcg(ideal=full)@4", {}),
    ("dcg(gain=linear,discount=power:0.5)@n^0.5", {}),
    ("linear_ndcg", {}),
    ("rbp(p=0.8)", {}),
    ("p@3", {}),
    ("p", {}),
    ("recall@2", {"truncation": 1}),
    ("f1@3", {}),
    ("r_precision", {}),
    ("ap", {}),
    ("ap@3", {}),
    ("ap(denominator=reachable)@2", {"sigma": 0.1}),
    ("rr", {}),
    ("rr(rel=2)@3", {}),
    ("hit_rate@2", {}),
]
LAMBDA: list[Loss] = [LambdaRank(measure=name, **options) for name, options in SWAPPED]

grades = st.integers(0, 4).map(float)
any_labels = st.one_of(grades, st.floats(-10, 10), st.sampled_from([-0.0, 0.0, 1e-3, 1e6]))
any_scores = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-5, 5),
    st.floats(-1e9, 1e9),
    st.sampled_from([1.0, 1 + 2**-52, 1 - 2**-53, 1e6, 1e6 + 2**-33, 5e-324, -5e-324, 700.0, 1e15, -1e150]),
)
any_weights = st.one_of(st.just(1.0), st.just(0.0), st.floats(1e-3, 1e3))


def documents(labels: st.SearchStrategy[float]) -> st.SearchStrategy[list[tuple[float, float, float]]]:
    return st.lists(st.tuples(labels, any_scores, any_weights), min_size=1, max_size=14)


@pytest.mark.parametrize("loss", SMOOTH + KINKED, ids=str)
@given(rows=documents(any_labels))
@example(rows=[(1.0, 0.0, 1.0)])
@example(rows=[(float(label), 0.0, 1.0) for label in (3, 0, 1, 1, 2, 0, 3)])
@example(rows=[(float(i % 7), math.sin(i), 1.0) for i in range(60)])
@example(rows=[(math.cos(i), math.sin(5 * i), 1 + i % 3) for i in range(70)])
@example(rows=[(float(i % 2), 1e6 + i % 5 * 2**-33, 1.0) for i in range(40)])
def test_values_and_derivatives_are_sums_over_pairs(loss: Loss, rows: list[tuple[float, float, float]]) -> None:
    labels, scores, weights = map(list, zip(*rows, strict=True))
    check_against_pairs(loss, labels, scores, weights)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LAMBDA, ids=str)
@given(rows=documents(grades))
@example(rows=[(float(label), 0.0, 1.0) for label in (0, 1, 2, 0, 0, 3, 1)])
@example(rows=[(float(i * i % 5), math.sin(i), 1.0) for i in range(25)])
def test_lambdas_are_sums_over_pairs_of_changes_by_swaps(loss: Loss, rows: list[tuple[float, float, float]]) -> None:
    labels, scores, weights = map(list, zip(*rows, strict=True))
    expected = sum_over_pairs(loss, labels, scores, weights)
    values, gradient = loss(labels, scores, weights=weights)
    # The change itself, a difference of two measurements, is only known to 1e-16 or so.
    spread = 1 + max(scores) - min(scores)
    assert_allclose(values, [expected.value], rtol=1e-10, atol=1e-10 * spread)
    assert_allclose(gradient, expected.gradient, rtol=1e-10, atol=1e-10)
    assert_allclose(loss.hessian_diagonal(labels, scores, weights=weights), expected.curvature, rtol=1e-10, atol=1e-10)


def distinct_rows(seed: int, n: int = 30) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, n).astype(float), rng.normal(size=n), rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("loss", SMOOTH + KINKED + LAMBDA, ids=str)
def test_the_gradient_is_the_derivative_of_the_value(loss: Loss) -> None:
    labels, scores, weights = distinct_rows(3)
    (value,), gradient = loss(labels, scores, weights=weights)
    step = 1e-6
    rounding = 4 * np.finfo(float).eps * value / step
    for i in range(labels.size):
        nudge = step * np.eye(labels.size)[i]
        (up,), _ = loss(labels, scores + nudge, weights=weights)
        (down,), _ = loss(labels, scores - nudge, weights=weights)
        assert_allclose((up - down) / (2 * step), gradient[i], rtol=1e-7, atol=1e-8 + rounding)


@pytest.mark.parametrize("loss", [*SMOOTH, SquaredHinge(), *LAMBDA], ids=str)
def test_the_curvature_is_the_derivative_of_the_gradient(loss: Loss) -> None:
    labels, scores, weights = distinct_rows(4)
    curvature = loss.hessian_diagonal(labels, scores, weights=weights)
    assert np.all(curvature >= 0)
    step = 1e-6
    rounding = 4 * np.finfo(float).eps * np.abs(loss(labels, scores, weights=weights)[1]).max() / step
    for i in range(labels.size):
        nudge = step * np.eye(labels.size)[i]
        up, down = (loss(labels, scores + sign * nudge, weights=weights)[1][i] for sign in (1, -1))
        assert_allclose((up - down) / (2 * step), curvature[i], rtol=1e-7, atol=1e-8 + rounding)


def long_sums(loss: Any, labels: Floats, scores: Floats) -> tuple[float, Floats, Floats]:
    """Value, gradient, and sums of magnitudes over all pairs, one document at a time in extended precision."""
    wide = scores.astype(np.longdouble)
    value, gradient, magnitude = np.longdouble(0), np.zeros(labels.size, np.longdouble), np.zeros(labels.size)
    for i in range(labels.size):
        lower = np.flatnonzero(labels < labels[i])
        d = wide[i] - wide[lower]
        if isinstance(loss, (PairwiseLogistic, PairwiseLinear)):
            scale = loss.sigma if isinstance(loss, PairwiseLogistic) else loss.scale
            q = np.exp(-np.abs(scale * d))
            cost, pull = np.maximum(-scale * d, 0) + np.log1p(q), scale * np.where(d < 0, 1, q) / (1 + q)
        else:
            cost = np.maximum(loss.margin - d, 0)
            pull = (cost > 0).astype(np.longdouble)
        weight = labels[i] - labels[lower] if isinstance(loss, PairwiseLinear) else np.ones(lower.size)
        value += (weight * cost).sum()
        pulled = weight * pull
        gradient[i] -= pulled.sum()
        gradient[lower] += pulled
        magnitude[i] += float(pulled.sum())
        magnitude[lower] += pulled.astype(float)
    return float(value), gradient.astype(float), magnitude


N_LONG = 1500
NASTY: dict[str, Callable[[np.random.Generator], Floats]] = {
    "gaussian": lambda rng: rng.normal(size=N_LONG),
    "dense": lambda rng: 1e-9 * rng.normal(size=N_LONG),
    "wide": lambda rng: 1e4 * rng.normal(size=N_LONG),
    "heavy ties": lambda rng: rng.integers(0, 4, N_LONG).astype(float),
    "all equal": lambda rng: np.full(N_LONG, 0.7),
    "clusters": lambda rng: rng.integers(0, 3, N_LONG) * 50 + 1e-7 * rng.normal(size=N_LONG),
    "large offset": lambda rng: 1e6 + rng.normal(size=N_LONG),
    "cauchy": lambda rng: rng.standard_cauchy(N_LONG),
    "exponentially spaced": lambda rng: rng.choice([-1, 1], N_LONG) * 2.0 ** rng.integers(-300, 300, N_LONG),
    "even grid": lambda rng: rng.permutation(N_LONG) / 1024,
}


@pytest.mark.slow
@pytest.mark.parametrize("loss", [PairwiseLogistic(), PairwiseLogistic(sigma=40), PairwiseLinear(), Hinge()], ids=str)
@pytest.mark.parametrize("scores", NASTY)
def test_long_lists_are_as_accurate_as_short_ones(scores: str, loss: Any) -> None:
    rng = np.random.default_rng(5)
    column = NASTY[scores](rng)
    labels = rng.choice(5, N_LONG, p=[0.5, 0.3, 0.15, 0.03, 0.02]).astype(float)
    value, expected, magnitude = long_sums(loss, labels, column)
    for way in WAYS:
        with going(**way):
            values, gradient = loss(labels, column)
        assert_allclose(values[0], value, rtol=1e-12, atol=0)
        assert_array_equal(np.abs(gradient - expected) <= 1e-12 * magnitude + 1e-250, True)


@pytest.mark.parametrize("tiny", [1e-3, 1e-9, 1e-13])
def test_tiny_violations_keep_their_digits(tiny: float) -> None:
    # All but one pair are far beyond the margin; prefix sums of scores would lose what is left.
    labels = np.concatenate([np.ones(500), np.zeros(500)])
    scores = np.concatenate([1000 + np.arange(500.0), np.arange(500.0)])
    scores[-1] = scores[0] - 1 + tiny
    violation = 1 - (scores[0] - scores[-1])
    assert_allclose(Hinge()(labels, scores)[0], [violation], rtol=1e-14, atol=0)
    assert_allclose(SquaredHinge()(labels, scores)[0], [violation**2], rtol=1e-14, atol=0)


def test_tiny_losses_keep_their_digits() -> None:
    values, gradient = PairwiseLogistic()([1, 0, 0], [600, 100, 0])
    assert_allclose(values, [math.exp(-500) + math.exp(-600)], rtol=1e-13, atol=0)
    assert_allclose(gradient, [-math.exp(-500) - math.exp(-600), math.exp(-500), math.exp(-600)], rtol=1e-13, atol=0)


@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_a_million_equal_scores_do_not_drift(weight: float) -> None:
    n = 1_000_000
    labels = np.arange(n) % 3.0
    counts = np.bincount(labels.astype(int))
    n_pairs = float(counts[0] * counts[1] + counts[0] * counts[2] + counts[1] * counts[2])
    weights = np.full(n, weight)
    values, gradient = PairwiseLogistic()(labels, np.full(n, 3.3), weights=weights)
    assert_allclose(values, [weight * n_pairs * math.log(2)], rtol=1e-11, atol=0)
    above = np.array([counts[1] + counts[2], counts[2], 0])
    below = np.array([0, counts[0], counts[0] + counts[1]])
    expected = weight * (above - below) / 2
    assert_allclose(gradient, expected[labels.astype(int)], rtol=1e-11, atol=1e-11 * weight * n)
    values, gradient = Hinge()(labels, np.full(n, 3.3), weights=weights)
    assert_allclose(values, [weight * n_pairs], rtol=1e-11, atol=0)
    assert_allclose(gradient, 2 * expected[labels.astype(int)], rtol=1e-11, atol=1e-11 * weight * n)


@pytest.mark.parametrize("loss", [PairwiseLogistic(), Hinge(), PairwiseLinear(), LambdaRank()], ids=str)
def test_the_ends_of_the_range_give_finite_answers_or_a_typed_error(loss: Loss) -> None:
    values, gradient = loss([2, 1, 0], [1e308, 0, -1e308])
    assert_array_equal(values, [0])
    assert_array_equal(gradient, [0, 0, 0])
    with pytest.raises(DataError, match="overflows") as raised:
        loss([1, 0, 0, 1, 2], [0, 0, 1e308, 0, -1e308], [0, 2, 5])
    assert raised.value.query == 1


@pytest.mark.parametrize("sigma", [1e-300, 1e-12, 1e12, 1e300])
def test_any_sigma_gives_finite_answers(sigma: float) -> None:
    labels, scores = [1, 0, 2, 0], [1.0, 2.0, -1.0, 1.0]
    pairs = [d for i, a in enumerate(labels) for j, b in enumerate(labels) if a > b for d in [scores[i] - scores[j]]]
    expected = math.fsum(logistic(sigma, d).loss for d in pairs)
    assert_allclose(PairwiseLogistic(sigma=sigma)(labels, scores)[0], [expected], rtol=1e-13, atol=0)


ALL: list[Loss] = [Hinge(), SquaredHinge(), PairwiseLogistic(), PairwiseLinear(), LambdaRank()]


@pytest.mark.parametrize("loss", ALL, ids=str)
def test_queries_without_pairs_lose_nothing(loss: Loss) -> None:
    offsets = [0, 1, 1, 4]
    values, gradient = loss([3, 1, 1, 1], [0.5, 2, 1, 3], offsets)
    assert_array_equal(values, np.zeros(3))
    assert_array_equal(gradient, np.zeros(4))
    assert_array_equal(loss.hessian_diagonal([3, 1, 1, 1], [0.5, 2, 1, 3], offsets), np.zeros(4))


@pytest.mark.parametrize("loss", ALL, ids=str)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_with_its_place(loss: Loss, bad: float) -> None:
    fine, spoilt = [1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, bad]
    calls: list[Callable[..., Any]] = [loss, loss.hessian_diagonal]
    for call in calls:
        for labels, scores, what in [(fine, spoilt, "score"), (spoilt, fine, "label")]:
            with pytest.raises(DataError, match=f"{what} must be a finite number") as raised:
                call(labels, scores, [0, 2, 4])
            assert (raised.value.query, raised.value.row) == (1, 3)


@pytest.mark.parametrize("loss", ALL, ids=str)
def test_any_number_of_threads_gives_the_same_bits_in_the_callers_order(loss: Loss) -> None:
    rng = np.random.default_rng(6)
    sizes = rng.integers(0, 60, 5000)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    labels, scores = rng.integers(0, 3, offsets[-1]).astype(float), rng.normal(size=offsets[-1])
    values, gradient = loss(labels, scores, offsets, n_threads=1)
    again, other = loss(labels, scores, offsets, n_threads=4)
    assert_array_equal(values, again)
    assert_array_equal(gradient, other)
    for query in (0, 1234, 4999):
        rows = slice(offsets[query], offsets[query + 1])
        (value,), part = loss(labels[rows], scores[rows])
        assert value == values[query]
        assert_array_equal(part, gradient[rows])


@pytest.mark.parametrize("loss", ALL, ids=str)
def test_the_order_of_rows_does_not_matter_where_scores_differ(loss: Loss) -> None:
    labels, scores, weights = distinct_rows(7, 200)
    shuffle = np.random.default_rng(8).permutation(200)
    values, gradient = loss(labels, scores, weights=weights)
    again, shuffled = loss(labels[shuffle], scores[shuffle], weights=weights[shuffle])
    assert_allclose(again, values, rtol=1e-14, atol=0)
    assert_allclose(shuffled, gradient[shuffle], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("loss", ALL, ids=str)
def test_a_gradient_moves_no_query_as_a_whole(loss: Loss) -> None:
    labels, scores, weights = distinct_rows(9, 500)
    _, gradient = loss(labels, scores, weights=weights)
    assert_allclose(gradient.sum(), 0, rtol=0, atol=1e-11 * np.abs(gradient).sum())


def test_equal_scores_of_lambdarank_are_ranked_in_input_order() -> None:
    # Ranks 1, 2, 3: swaps of (doc 2, doc 0) and (doc 2, doc 1) bring 1 - 1/2 and 1/log2(3) - 1/2, over the ideal 1.
    values, gradient = LambdaRank()([0, 0, 1], [0, 0, 0])
    first, second = 1 - 0.5, 1 / math.log2(3) - 0.5
    assert_allclose(values, [(first + second) * math.log(2)], rtol=1e-14, atol=0)
    assert_allclose(gradient, [first / 2, second / 2, -(first + second) / 2], rtol=1e-14, atol=0)


def test_a_truncation_leaves_out_pairs_below_it() -> None:
    labels, scores = [0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0]
    top = LambdaRank(truncation=1)(labels, scores)[1]
    assert top[2] == 0  # its pairs are with ranks 2 and 4
    assert_array_equal(LambdaRank(truncation=4)(labels, scores)[1], LambdaRank()(labels, scores)[1])


@pytest.mark.parametrize("name", ["err", "bpref(ties=stable)", "auc", "ap(denominator=hits,ties=stable)", "judged"])
def test_a_measure_without_a_closed_form_of_swaps_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="use one of dcg, ndcg"):
        LambdaRank(measure=name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("loss", "options"),
    [
        (Hinge, {"margin": 0}),
        (PairwiseLogistic, {"sigma": -1}),
        (PairwiseLogistic, {"sigma": math.nan}),
        (PairwiseLinear, {"surrogate": "exponential"}),
        (Hinge, {"normalize": "queries"}),
        (LambdaRank, {"truncation": 0}),
        (LambdaRank, {"measure": "nothing"}),
        (Hinge, {"sigma": 1}),
    ],
)
def test_options_that_mean_nothing_are_refused(loss: Any, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        loss(**options)


@pytest.mark.parametrize("bad", [-1, 1e4])
def test_gains_that_are_negative_or_beyond_all_numbers_are_refused(bad: float) -> None:
    with pytest.raises(DataError, match=f"for the label {bad:g}") as raised:
        LambdaRank()([1, 0, bad], [0, 1, 2], [0, 1, 3])
    assert (raised.value.query, raised.value.row) == (1, 2)


def test_weights_of_linear_ndcg_count_what_its_paper_counts() -> None:
    # Jin and Geng, eq. (3) and ties: f = (5, 4, 3, 2, 1) has R = 3; with ties, counting I[<=], R = 6. With a margin
    # below all gaps each misordered pair has the slope b - a, once at each of its documents.
    for labels, scores, expected in [([1, 2, 0, 0, 1], [5, 4, 3, 2, 1], 3), ([0, 2, 1, 0, 1], [2, 2, 1, 1, 0], 6)]:
        loss = PairwiseLinear(surrogate="hinge", scale=0.5)
        curvature = loss.hessian_diagonal(labels, scores)
        assert_allclose(curvature.sum() * loss.scale / 2, expected, rtol=1e-14, atol=0)


@given(rows=documents(grades))
def test_the_linear_hinge_is_never_less_than_the_loss_it_stands_for(rows: list[tuple[float, float, float]]) -> None:
    labels, scores, _ = map(list, zip(*rows, strict=True))
    exact = measures.PairwiseError(normalize="none", ties="worst")(labels, scores)
    values, _ = PairwiseLinear(surrogate="hinge")(labels, scores)
    assert values[0] >= exact[0] * (1 - 1e-12)


def test_the_logistic_loss_prefers_the_wrong_document() -> None:
    # Labels (2, 3) with probability 0.55, (1, 0) with 0.45: the minimum is at s_1 - s_2 = ln(.45 / .55).
    best = math.log(0.45 / 0.55)
    gradients = [PairwiseLogistic()(labels, [best, 0])[1] for labels in ([2, 3], [1, 0])]
    assert_allclose(0.55 * gradients[0] + 0.45 * gradients[1], [0, 0], rtol=0, atol=1e-15)
    assert_allclose(best, -0.20067069546215124, rtol=1e-14, atol=0)


def test_means_are_sums_over_the_number_of_pairs() -> None:
    labels, scores = [2, 1, 0, 0], [0.0, 1.0, 0.5, 2.0]  # 5 pairs
    whole, gradient = PairwiseLogistic()(labels, scores)
    mean, mean_gradient = PairwiseLogistic(normalize="pairs")(labels, scores)
    assert_allclose(mean, whole / 5, rtol=1e-15, atol=0)
    assert_allclose(mean_gradient, gradient / 5, rtol=1e-15, atol=0)


def test_losses_are_named_by_what_is_not_default() -> None:
    assert str(losses.LambdaRank(measure="ndcg@10", truncation=30)) == "lambda_rank(measure=ndcg@10,truncation=30)"  # type: ignore[arg-type]
    assert str(losses.Hinge(margin=2, normalize="pairs")) == "hinge(normalize=pairs,margin=2)"


@pytest.mark.parametrize("truncation", [40, 25])
def test_lambdas_are_those_of_lightgbm(truncation: int) -> None:
    # One tree with a leaf a document: each leaf is worth minus the lambda over its second derivative.
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    labels, scores, features = rng.integers(0, 4, 40), rng.normal(size=40), rng.permutation(40)[:, None]
    options = {"objective": "lambdarank", "lambdarank_norm": False, "lambdarank_truncation_level": truncation}
    options |= {"num_leaves": 80, "min_data_in_leaf": 1, "min_data_in_bin": 1, "min_sum_hessian_in_leaf": 0}
    options |= {"learning_rate": 1.0, "num_threads": 1, "verbose": -1}
    data = lightgbm.Dataset(features, labels, group=[40], init_score=scores, params=options)
    leaves = lightgbm.train(options, data, 1).predict(features)
    loss = LambdaRank(truncation=truncation)
    steps = -loss(labels, scores)[1] / loss.hessian_diagonal(labels, scores)
    assert_allclose(leaves, steps, rtol=1e-4, atol=1e-4)  # it reads its sigmoid from a table


def test_equal_scores_far_from_0_have_finite_losses() -> None:
    """Kernels compute four pairs at once, with documents that are not there."""
    values, gradient = SquaredHinge()([0, 1], [-1e200, -1e200])
    assert_allclose(values, 1.0, rtol=1e-12)
    assert_allclose(gradient, [2.0, -2.0], rtol=1e-12)

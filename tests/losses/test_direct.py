"""Soft ranks and the losses made of them, against the paper's numbers and against all pairs in long double."""

import dataclasses
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import idealrank as ir
from idealrank import _native, discounts, losses, measures, ranks
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.losses import Approx, ApproxAP, ApproxKendall, ApproxNDCG, ApproxPrecision, ApproxRR
from idealrank.measures.measure_base import Plan

Long = npt.NDArray[np.longdouble]

#: Table 1 of Qin et al. 2008.
TABLE = np.array([4.20074, 3.12378, 4.40918, 1.55258, 4.13330])
#: The running example of the measures.
SCORES = np.array([0.3, 2.1, 1.4, -0.5, 0.9, 1.1])
BINARY, GRADED = [1, 0, 1, 0, 1, 0], [2, 0, 1, 0, 3, 1]


def sigma(z: Long) -> Long:
    q = np.exp(-np.abs(z))
    return np.where(z > 0, 1 / (1 + q), q / (1 + q))


def all_pairs(scores: Floats, alpha: float) -> tuple[Long, Long]:
    """Soft ranks, and the matrix of sigma'."""
    long = scores.astype(np.longdouble)
    differences = alpha * (long[None, :] - long[:, None])
    values, slopes = sigma(differences), sigma(differences) * sigma(-differences)
    for matrix in (values, slopes):
        np.fill_diagonal(matrix, 0)
    return 1 + values.sum(axis=1), slopes


def expected_ndcg(labels: Floats, scores: Floats, alpha: float) -> tuple[float, Floats, Floats]:
    """Loss and gradient by eqs. (21) and (41)-(43), and the sizes of what each gradient is the sum of."""
    positions, slopes = all_pairs(scores, alpha)
    gains = np.exp2(labels.astype(np.longdouble)) - 1
    ideal = (-np.sort(-gains) / np.log2(np.arange(2, labels.size + 2, dtype=np.longdouble))).sum()
    each = gains / ideal
    logs = np.log(1 + positions)
    c = each * np.log(np.longdouble(2)) / ((1 + positions) * logs**2)
    gradient = alpha * (slopes @ c - c * slopes.sum(axis=1))
    sizes = alpha * (slopes @ c + c * slopes.sum(axis=1))
    loss = 1 - (each / np.log2(1 + positions)).sum()
    return float(loss), gradient.astype(np.float64), sizes.astype(np.float64)


@pytest.mark.parametrize(
    ("alpha", "positions"),
    [
        (1, [2.3552527806804013, 3.434257425890118, 2.150515572525869, 4.637121343950376, 2.4228528769532356]),
        (10, [2.226911006784682, 3.99993523022096, 1.1702165249371363, 4.9999998498956675, 2.602937388161555]),
        (50, [2.033152317435939, 4.0, 1.000030791135622, 5.0, 2.966816891428439]),
        (100, [2.0011765392530547, 4.0, 1.0000000008873136, 5.0, 2.9988234598596315]),
    ],
)
def test_soft_positions_are_those_of_table_1(alpha: float, positions: list[float]) -> None:
    for sigmoid in ("logistic", "tanh"):
        assert_allclose(ranks.soft_positions(TABLE, alpha=alpha, sigmoid=sigmoid), positions, rtol=1e-10, atol=0)


@pytest.mark.parametrize(
    ("sigmoid", "at", "positions"),
    [
        ("arctan", 0.8524163823495667, [2.0357557383, 3.9934410500, 1.0303828806, 4.9944244254, 2.9459959057]),
        ("erf", 0.9976611325094764, [2.0, 4.0, 1.0, 5.0, 3.0]),
    ],
)
def test_other_sigmoids_are_those_of_footnote_3(sigmoid: str, at: float, positions: list[float]) -> None:
    assert_allclose(ranks.soft_positions([0, 2], alpha=1, sigmoid=sigmoid)[0], 1 + at, rtol=1e-14, atol=0)
    assert_allclose(ranks.soft_positions(TABLE, alpha=100, sigmoid=sigmoid), positions, rtol=1e-9, atol=0)


def test_equal_scores_have_the_mean_of_their_ranks() -> None:
    for sigmoid in ranks.SIGMOIDS:
        assert_allclose(ranks.soft_positions([1, 1, 0], alpha=1e9, sigmoid=sigmoid), [1.5, 1.5, 3], rtol=1e-8, atol=0)


def test_positions_of_queries_do_not_mix() -> None:
    found = ranks.soft_positions([1, 0, 0, 1, 2], [0, 2, 2, 5], alpha=1e3)
    assert_array_equal(found, [1, 2, 3, 2, 1])


def test_ndcg_of_table_1() -> None:
    values, _ = ApproxNDCG(alpha=100)([2, 0, 1, 0, 2], TABLE)
    assert_allclose(1 - values, 0.8145010147757995, rtol=1e-10, atol=0)


@pytest.mark.parametrize(
    ("relevant", "value"), [(0, 0.4997060381155843), (1, 0.25), (2, 0.9999999991126864), (4, 0.3334641113041072)]
)
def test_ap_of_table_1(relevant: int, value: float) -> None:
    values, _ = ApproxAP(alpha=100, beta=100)(np.arange(5) == relevant, TABLE)
    assert_allclose(1 - values, value, rtol=1e-10, atol=0)


FEATURES = np.array([[0.2, -1, 0.5], [1, 0.3, -0.4], [-0.7, 0.8, 0.1], [0.5, 0.5, 1]])
OTHER_FEATURES = np.array([[1.0, 0, 0], [0, 1, 0], [0.5, 0.5, -1]])


@pytest.mark.parametrize(
    ("loss", "labels", "value", "gradient"),
    [
        (
            ApproxNDCG(alpha=2),
            [2, 0, 1, 3],
            0.7401195587336112,
            [0.016281937714615346, 0.013133411505281866, 0.17490254615171646],
        ),
        (
            ApproxAP(alpha=2, beta=3),
            [1, 0, 1, 1],
            0.8179354956081141,
            [-0.1192457056611541, -0.07130007363738539, 0.15123311238947823],
        ),
    ],
)
def test_gradients_by_the_weights_of_a_linear_model(
    loss: losses.Loss, labels: list[int], value: float, gradient: list[float]
) -> None:
    values, by_score = loss(labels, FEATURES @ [0.3, -0.2, 0.5])
    assert_allclose(1 - values, value, rtol=1e-10, atol=0)
    assert_allclose(-by_score @ FEATURES, gradient, rtol=1e-9, atol=0)


@pytest.mark.parametrize(
    ("loss", "labels", "first", "third"),
    [
        (
            ApproxNDCG(alpha=2),
            ([2, 0, 1, 3], [0, 2, 1]),
            [0.09904228904736001, 0.10137970837295704, 0.10200967062485919],
            [0.09712055090477789, 0.10415669580194077, 0.10604605617765829],
        ),
        (
            ApproxAP(alpha=2, beta=3),
            ([1, 0, 1, 1], [0, 1, 1]),
            [0.09680847979517235, 0.1004473163680405, 0.09995314226406356],
            [0.09044114855225974, 0.10130986228881718, 0.0998676593863329],
        ),
    ],
)
def test_algorithm_1_takes_the_steps_of_the_paper(
    loss: losses.Loss, labels: tuple[list[int], list[int]], first: list[float], third: list[float]
) -> None:
    theta = np.full(3, 0.1)
    path = []
    for _ in range(3):
        for features, own in zip((FEATURES, OTHER_FEATURES), labels, strict=True):
            theta = theta - 0.01 * loss(own, features @ theta)[1] @ features
        path.append(theta)
    assert_allclose(path[0], first, rtol=1e-11, atol=0)
    assert_allclose(path[2], third, rtol=1e-11, atol=0)


@pytest.mark.parametrize(
    ("alpha", "beta", "ndcg", "precision"),
    [
        (10, 10, 0.12532780187662335, 0.3408756646695938),
        (100, 10, 0.12219593524662303, 0.33556428368710384),
        (100, 100, 0.12040403782034642, 0.3333333333333333),
    ],
)
def test_smooth_cut_offs(alpha: float, beta: float, ndcg: float, precision: float) -> None:
    slopes: dict[str, Any] = {"alpha": alpha, "beta": beta}
    for loss in (ApproxNDCG(cutoff=3, **slopes), Approx(measure="ndcg@3", **slopes)):
        assert_allclose(1 - loss(GRADED, SCORES)[0], ndcg, rtol=1e-10, atol=0)
    for binary in (
        ApproxPrecision(cutoff=3, **slopes),
        Approx("p@3", **slopes),
        Approx(measures.Precision() @ 3, **slopes),
    ):
        assert_allclose(1 - binary(BINARY, SCORES)[0], precision, rtol=1e-10, atol=0)


def test_reciprocal_rank_and_kendalls_tau() -> None:
    for alpha, value in ((10, 0.4870388273691561), (100, 0.499999999484618)):
        assert_allclose(1 - ApproxRR(alpha=alpha)(BINARY, SCORES)[0], value, rtol=1e-10, atol=0)
    for alpha, value in ((1, -0.04595744583859188), (10, -0.2116305369210285), (100, -0.23076923045213021)):
        for loss in (ApproxKendall(alpha=alpha), Approx(measure="kendall_tau", alpha=alpha)):
            assert_allclose(1 - loss(GRADED, SCORES)[0], value, rtol=1e-10, atol=0)


def test_the_values_that_tf_ranking_documents() -> None:
    """Of its ApproxNDCGLoss, temperature 0.1, as of version 0.5."""
    values, _ = ApproxNDCG(alpha=10)([1, 0, 0, 1, 0], [0.6, 0.8, 0.5, 0.8, 0.4], [0, 2, 5])
    assert_allclose(-(1 - values[0]), -0.655107, rtol=0, atol=1e-6)
    assert_allclose(-(1 - values).mean(), -0.80536866, rtol=0, atol=1e-6)


def test_a_measure_is_the_limit_of_its_approximation() -> None:
    rng = np.random.default_rng(3)
    labels, scores = rng.integers(0, 4, 40), rng.permutation(40) / 7.0
    offsets = [0, 13, 25, 40]
    steep: dict[str, Any] = {"alpha": 1e5, "beta": 60.0}
    for name in (
        "ndcg", "ndcg@5", "dcg@4", "ndcg(gain=linear,discount=letor)", "ndcg(discount=table:1:0.5:0.2)", "linear_ndcg",
        "rbp", "p@5", "recall@5", "f1@5", "r_precision", "ap", "ap@5", "rr", "rr@2", "hit_rate@3", "kendall_tau",
    ):  # fmt: skip
        compares = "@" in name or name in ("r_precision", "ap", "rr")
        values, _ = Approx(measure=name, **(steep if compares else {"alpha": 1e5}))(labels, scores, offsets)
        assert_allclose(1 - values, measures.measure(name)(labels, scores, offsets), rtol=1e-8, atol=1e-9, err_msg=name)


def test_discounts_between_ranks_have_their_derivatives() -> None:
    positions = np.array([1.01, 1.5, 2.25, 3.75, 17.5, 1e4])
    known = [discounts.Log(), discounts.Log(10), discounts.Power(0.5), discounts.Zipf(), discounts.Geometric(1.5),
             discounts.Letor(), discounts.Linear(), discounts.Table([1, 0.5, 0.5, 0.1])]  # fmt: skip
    for discount in known:
        n = 1000
        _, slopes = discount.at(positions, n)
        step = 1e-6 * positions
        up, down = (discount.at(positions + sign * step, n)[0] for sign in (1, -1))
        assert_allclose(slopes, (up - down) / (2 * step), rtol=1e-5, atol=1e-10, err_msg=str(discount))
        whole = np.arange(1, 9)
        assert_allclose(discount.at(whole, n)[0], discount(whole, n), rtol=1e-14, atol=0, err_msg=str(discount))


def nasty_lists(n: int) -> dict[str, Floats]:
    rng = np.random.default_rng(n)
    far = rng.random(n)
    far[0] = 1e6
    return {
        "gaussian": rng.standard_normal(n),
        "uniform": rng.random(n),
        "heavy ties": rng.integers(0, 5, n) * 0.1,
        "all equal": np.full(n, 0.1),
        "clusters": 3.0 * rng.integers(0, 5, n) + 1e-3 * rng.standard_normal(n),
        "an offset": 1e6 + rng.standard_normal(n),
        "Cauchy": rng.standard_cauchy(n),
        "exponentially spaced": np.exp(np.linspace(-30, 30, n)),
        "one far away": far,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", nasty_lists(1))
@pytest.mark.parametrize("n", [2, 30, 100, 600])
def test_ndcg_is_accurate_to_1e_10_on_nasty_lists(kind: str, n: int) -> None:
    scores = nasty_lists(n)[kind]
    labels = np.random.default_rng(1).integers(0, 5, n).astype(np.float64)
    labels[0] = 4
    for alpha in (1e-12, 1.0, 10.0, 1e9):
        loss, gradient, sizes = expected_ndcg(labels, scores, alpha)
        for isa in _native.isas():
            columns = labels, scores, np.array([0, n]), None
            values, found = _native.approx_ndcg(
                *columns, depths=None, exp2=True, alpha=alpha, beta=10.0, n_threads=1, isa=isa
            )
            assert_allclose(values, loss, rtol=0, atol=1e-10)
            assert (np.abs(found - gradient) <= 1e-10 * sizes + 1e-290).all()


@pytest.mark.parametrize("kind", nasty_lists(1))
def test_average_precision_is_that_of_positions_on_every_instruction_set(kind: str) -> None:
    scores, rng = nasty_lists(90)[kind], np.random.default_rng(2)
    offsets, worth = np.array([0, 30, 31, 90]), rng.random(90) * (rng.random(90) < 0.3)
    worth[30:31] = 0  # a query without anything relevant
    loss = ApproxAP(alpha=20, beta=5)
    found = loss._by_position(Lists(np.ones(90), scores, offsets, worth))
    gradient = 20 * (found.soft.sums(found.derivatives)[1] - found.derivatives * found.density)
    for isa in _native.isas():
        values, by_score = _native.approx_ap(worth, scores, offsets, alpha=20.0, beta=5.0, n_threads=1, isa=isa)
        assert_allclose(values, found.values, rtol=0, atol=1e-10)
        assert_allclose(by_score, gradient, rtol=1e-9, atol=1e-9)


@settings(max_examples=60)
@given(data=st.data())
def test_drawn_lists_agree_with_all_pairs(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 80))
    number = data.draw(st.sampled_from([st.integers(-3, 3).map(float), st.floats(-10, 10), st.floats(-1e300, 1e300)]))
    scores = np.array(data.draw(st.lists(number, min_size=n, max_size=n)))
    labels = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), np.float64)
    alpha = data.draw(st.sampled_from([1e-300, 0.1, 1.0, 10.0, 100.0, 1e300]))
    values, found = ApproxNDCG(alpha=alpha)(labels, scores)
    assert np.isfinite(found).all()
    if labels.any():
        loss, gradient, sizes = expected_ndcg(labels, scores, alpha)
        assert_allclose(values, loss, rtol=0, atol=1e-10)
        underflow = 1e-290 + 1e-300 * alpha  # of the sigmoid's slope, which the gradient has times alpha
        assert (np.abs(found - gradient) <= 1e-10 * sizes + underflow).all()
    else:
        assert_array_equal(values, 0)


def slow_ap(labels: Floats, scores: Floats, alpha: float, beta: float) -> float:
    positions, _ = all_pairs(scores, alpha)
    relevant = np.flatnonzero(labels > 0)
    total = sum(
        (1 + sum(sigma(beta * (positions[y] - positions[x])) for x in relevant if x != y)) / positions[y]
        for y in relevant
    )
    return float(total) / relevant.size


def slow_rr(labels: Floats, scores: Floats, alpha: float, beta: float) -> float:
    positions, _ = all_pairs(scores, alpha)
    relevant = np.flatnonzero(labels > 0)
    return float(
        sum(
            np.prod([sigma(beta * (positions[y] - positions[x])) for y in relevant if y != x]) / positions[x]
            for x in relevant
        )
    )


def slow_tau(labels: Floats, scores: Floats, alpha: float, beta: float) -> float:
    pairs = [(x, y) for x, y in itertools.permutations(range(labels.size), 2) if labels[x] > labels[y]]
    return float(np.mean([math.tanh(alpha * (scores[x] - scores[y]) / 2) for x, y in pairs]))


@pytest.mark.parametrize(
    ("loss", "slow"), [(ApproxAP, slow_ap), (ApproxRR, slow_rr), (ApproxKendall, slow_tau)], ids=["ap", "rr", "tau"]
)
@pytest.mark.parametrize("n", [3, 20, 60])
def test_other_measures_agree_with_their_formulas(
    loss: type[losses.Loss], slow: Callable[[Floats, Floats, float, float], float], n: int
) -> None:
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 6, n).astype(np.float64)
    labels[:2] = 0, 1
    scores = rng.standard_normal(n)
    for alpha, beta in ((1.0, 0.3), (10.0, 10.0)):
        options = {"alpha": alpha} | ({} if loss is ApproxKendall else {"beta": beta})
        assert_allclose(
            1 - loss(**options)(labels, scores)[0], slow(labels, scores, alpha, beta), rtol=1e-10, atol=1e-12
        )


def test_native_and_general_ways_agree() -> None:
    rng = np.random.default_rng(8)
    offsets = np.array([0, 5, 5, 40, 700, 2000])
    labels, scores = rng.integers(0, 5, 2000), rng.standard_normal(2000)
    weights = rng.random(2000)
    for cutoff in (None, 7):
        # A tiny change of base makes no change, but is not what the native way knows.
        native = ApproxNDCG(cutoff=cutoff)
        general = ApproxNDCG(cutoff=cutoff, discount=_OwnLog())
        for own_weights in (None, weights):
            expected, found = (loss(labels, scores, offsets, weights=own_weights) for loss in (native, general))
            assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-13)
            assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-12)


class _OwnLog(discounts.Discount):
    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        return 3 / np.log2(np.asarray(ranks, np.float64) + 1)

    def at(self, positions: npt.ArrayLike, n: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        weights, slopes = discounts.Log().at(positions)
        return 3 * weights, 3 * slopes


def test_curvatures_bound_the_second_derivative_with_positions_derivatives_held_fixed() -> None:
    rng = np.random.default_rng(4)
    labels, scores = rng.integers(0, 3, 12).astype(np.float64), rng.standard_normal(12)
    loss = ApproxNDCG(alpha=2)
    positions, slopes = all_pairs(scores, 2.0)
    gains = np.exp2(labels) - 1
    ideal = (-np.sort(-gains) / np.log2(np.arange(2, 14))).sum()
    c = gains / ideal * math.log(2) / ((1 + positions) * np.log(1 + positions) ** 2)
    bound = 4 * (slopes @ c + c * slopes.sum(axis=1))
    assert_allclose(loss.hessian_diagonal(labels, scores), bound.astype(np.float64), rtol=1e-9, atol=0)


@pytest.mark.parametrize("name", ["approx_ndcg", "approx_ndcg(cutoff=10)", "approx_ap", "approx_rr", "approx_kendall"])
def test_a_million_ties_one_document_and_nothing_relevant(name: str) -> None:
    loss = losses.loss(name)
    for labels in ([3], [0], [0, 0, 0]):
        values, gradient = loss(labels, np.zeros(len(labels)))
        if sum(labels) == 0:
            assert_array_equal(values, 0)
        assert_array_equal(gradient, 0)
    n = 1_000_000
    values, gradient = loss(np.arange(n) % 5, np.zeros(n))
    assert np.isfinite(values).all()
    assert np.isfinite(gradient).all()
    assert abs(gradient.sum()) < 1e-6


@pytest.mark.parametrize("alpha", [1e-300, 1e300])
@pytest.mark.parametrize("name", ["approx_ndcg", "approx_ap", "approx_rr", "approx_kendall"])
def test_extreme_slopes_and_scores_give_finite_numbers(name: str, alpha: float) -> None:
    loss = losses.loss(f"{name}(alpha={alpha})")
    for scores in (SCORES, 1e308 * np.sign(SCORES), 0 * SCORES):
        values, gradient = loss(GRADED, scores)
        assert np.isfinite(values).all()
        assert np.isfinite(gradient).all()
        curvature = loss.hessian_diagonal(GRADED, scores)
        assert np.isfinite(curvature).all()
        assert (curvature >= 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "approx_ndcg: alpha: expected a number from 1e-300"),
        ({"alpha": "steep"}, "approx_ndcg: alpha: expected a number from 1e-300"),
        ({"beta": -1}, "approx_ndcg: beta: expected a number from 1e-300"),
        ({"sigmoid": "erfc"}, "approx_ndcg: sigmoid: unknown value 'erfc'; did you mean 'erf'?"),
    ],
)
def test_options_that_cannot_be_say_why(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        ApproxNDCG(**options)  # type: ignore[arg-type]
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["err", "judged", "ndcg(ideal=full)@5", "auc"])
def test_a_measure_without_a_smooth_form_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match=r"is not a measure of positions with a smooth form.*; use one of dcg, ndcg"):
        Approx(measure=name)


def test_a_negative_gain_is_refused_with_its_place() -> None:
    for loss in (ApproxNDCG(gain="linear"), ApproxNDCG(gain="linear", discount="zipf")):
        with pytest.raises(DataError, match="a gain must be finite and not negative") as caught:
            loss([1, 0, -1], [1, 2, 3], [0, 1, 3])
        assert (caught.value.query, caught.value.row) == (1, 2)


def test_alpha_is_resolved_before_a_fit() -> None:
    loss = ApproxNDCG(alpha="auto", cutoff=5)
    assert str(loss) == "approx_ndcg(alpha=auto,cutoff=5)"
    with pytest.raises(OptionError, match="alpha=auto is chosen before a fit"):
        loss([1, 0], [1, 0])
    settled = loss.resolved([3, 2, 0], tol=0.1)
    assert settled == ApproxNDCG(alpha=math.log(2 / 0.1 - 1), cutoff=5)
    assert settled.resolved([1, 0]) is settled
    assert loss.resolved([1, 1]).alpha == 10


class OwnDCG(measures.DCG):
    """A measure of a user: what its plan says is what is smoothed."""

    def plan(self) -> Plan:
        return dataclasses.replace(super().plan(), discount=discounts.Zipf())


def test_a_measure_of_ones_own_is_smoothed_by_its_plan() -> None:
    labels, scores = np.array([2.0, 0.0, 1.0, 1.0]), np.array([0.3, 0.2, 0.9, -0.4])
    own = Approx(OwnDCG(cutoff=3))(labels, scores)
    named = Approx("dcg(discount=zipf)@3")(labels, scores)
    assert_allclose(own[0], named[0], rtol=1e-12, atol=0)
    assert_allclose(own[1], named[1], rtol=1e-12, atol=1e-15)
    with pytest.raises(OptionError, match=r"err is not a measure of positions .*\(in a cascade, a document adds less"):
        Approx("err")


@pytest.mark.parametrize(
    "name", ["approx_ndcg(beta=2)", "approx(measure=dcg,beta=2)", "approx(measure=kendall_tau,beta=2)"]
)
def test_a_slope_of_positions_that_compares_nothing_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="beta has no effect on"):
        ir.loss(name)


@pytest.mark.parametrize(
    "name", ["approx_ndcg(cutoff=2,{})", "approx_ap({})", "approx_rr({})", "approx(measure=r_precision,{})"]
)
def test_a_slope_of_positions_has_an_effect_elsewhere(name: str) -> None:
    labels, scores = [0, 1, 0, 1], [0.3, 0.2, 0.1, 0.05]
    first, second = (ir.loss(name.format(f"beta={beta}"))(labels, scores)[0] for beta in (1, 5))
    assert first != second

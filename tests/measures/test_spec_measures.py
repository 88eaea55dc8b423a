"""Numbers and identities of the source papers that measures must reproduce.

- Wang et al. 2013, A Theoretical Analysis of NDCG Ranking Measures: Definition 1, Theorem 4.
- Ravikumar et al. 2011, On NDCG Consistency of Listwise Ranking Methods: Definition 1.
- Jin and Geng, on linear NDCG and pairwise loss: everything about the measure.
- Qin et al. 2008, A General Approximation Framework: equations (1) to (5), Table 1.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import discounts
from idealrank.measures import (
    AP,
    AUC,
    DCG,
    NDCG,
    RR,
    CorrectedNDCG,
    KendallTau,
    LinearNDCG,
    Measure,
    NDCGPValue,
    NDCGZScore,
    PairwiseError,
    Precision,
    RandomNDCG,
)

LINEAR_DCG = DCG(gain="linear", discount="linear")
R = PairwiseError(normalize="none")


def falling(n: int) -> list[int]:
    """Scores that leave a list of labels in the order in which it is written."""
    return list(range(n, 0, -1))


def value(m: Measure, labels: list[float] | list[int], scores: list[float] | list[int] | None = None) -> float:
    return float(m(labels, falling(len(labels)) if scores is None else scores)[0])


def close(expected: float, atol: float = 1e-11) -> object:
    return pytest.approx(expected, rel=0, abs=atol)


@pytest.mark.parametrize(
    ("discount", "dcg", "idcg", "ndcg", "at"),
    [
        (f"log:{math.e!r}", 9.898513448545, 10.302278339107, 0.960808194336, (1, 0.977781361631, 0.861044176038)),
        ("log:2", 6.861126688594, 7.140995184096, 0.960808194336, (1, 0.977781361631, 0.861044176038)),
        ("power:0.5", 7.409974546370, 7.723234477439, 0.959439282598, (1, 0.979325035012, 0.853719770480)),
        ("zipf", 5.533333333333, 5.866666666667, 0.943181818182, (1, 0.967741935484, 0.886363636364)),
    ],
)
def test_definition_1(discount: str, dcg: float, idcg: float, ndcg: float, at: tuple[float, float, float]) -> None:
    # Wang et al. 2013, eq. (1) and (2).
    labels = [3, 2, 3, 0, 1, 2]
    assert value(DCG(gain="linear", discount=discount), labels) == close(dcg)
    assert value(DCG(gain="linear", discount=discount), sorted(labels, reverse=True)) == close(idcg)
    m = NDCG(gain="linear", discount=discount)
    assert value(m, labels) == close(ndcg)
    assert [value(m @ k, labels) for k in (1, 3, 5)] == [close(expected) for expected in at]


def test_definition_1_with_a_geometric_discount() -> None:
    labels = [3, 2, 3, 0, 1, 2]
    dcg = 3 / 2 + 2 / 4 + 3 / 8 + 0 / 16 + 1 / 32 + 2 / 64
    ideal = 3 / 2 + 3 / 4 + 2 / 8 + 2 / 16 + 1 / 32 + 0 / 64
    assert dcg / ideal == close(0.917647058824)
    assert value(NDCG(gain="linear", discount="geometric:2"), labels) == dcg / ideal


def test_definition_1_with_an_exponential_gain() -> None:
    labels = [3, 2, 3, 0, 1, 2]
    assert value(DCG(), labels) == close(13.848263629273)
    assert value(DCG(), sorted(labels, reverse=True)) == close(14.595390756455)
    assert value(NDCG(), labels) == close(0.948810748568)
    assert [value(NDCG() @ k, labels) for k in (1, 3, 5)] == [1, close(0.959453514593), close(0.875594376416)]


def test_ndcg_is_dcg_over_the_discounts_of_the_relevant_not_over_their_number() -> None:
    natural = discounts.Log(math.e)
    labels = [1, 0, 1, 1, 0]
    dcg = 1 / math.log(2) + 1 / math.log(4) + 1 / math.log(5)
    assert value(DCG(discount=natural), labels) == close(dcg)
    assert value(NDCG(discount=natural), labels) == close(dcg / (1 / math.log(2) + 1 / math.log(3) + 1 / math.log(4)))
    assert value(NDCG(discount=natural), labels) == close(0.906025, 1e-6)


@pytest.mark.parametrize(
    ("n", "ndcg"), [(100, 0.623438115697), (1000, 0.744573643508), (10_000, 0.821151509342), (100_000, 0.863893130316)]
)
def test_theorem_4_even_the_worst_order_creeps_to_one(n: int, ndcg: float) -> None:
    # Wang et al. 2013.
    assert value(NDCG(), [0] * (n // 2) + [1] * (n // 2)) == close(ndcg)
    assert value(NDCG(ties="worst"), [1, 0] * (n // 2), [0] * n) == close(ndcg)


def test_ties_have_a_mean_a_least_and_a_greatest_value() -> None:
    labels, scores = [1, 3, 0, 7, 2, 0], [3, 2, 2, 2, 1, 1]
    expected = {
        None: (0.673069925203, 0.603203458028, 0.744925592283),
        2: (0.348945543136, 0.112450657570, 0.609089917258),
        3: (0.482145704264, 0.252709315251, 0.699146428042),
    }
    for k, (mean, least, greatest) in expected.items():
        m = NDCG(gain="linear", cutoff=k)
        assert value(m, labels, scores) == close(mean)
        assert_allclose(m.range(labels, scores), [[least], [greatest]], rtol=0, atol=1e-11)
    m = NDCG(gain="linear")
    assert value(m, labels, [0] * 6) == close(0.693576213195)
    assert_allclose(m.range(labels, [0] * 6), [[0.485821519211], [1.0]], rtol=0, atol=1e-11)


def test_a_random_order() -> None:
    labels = [3, 2, 3, 0, 1, 2]
    assert value(NDCG(gain="linear"), labels, [0] * 6) == close(0.848418846130)
    assert value(RandomNDCG(gain="linear"), labels) == close(0.848418846130)
    assert value(CorrectedNDCG(gain="linear"), labels) == close(0.741446712449)
    assert value(NDCGZScore(gain="linear"), labels) == close(1.274928962743)
    assert value(NDCGPValue(gain="linear"), labels) == close(0.1)  # 72 of 720


@pytest.mark.parametrize(
    ("n", "ndcg"), [(10, 0.770497258889), (100, 0.811719057848), (1000, 0.872286821754), (10_000, 0.910575754671)]
)
def test_the_ndcg_of_a_random_order_grows_with_the_list(n: int, ndcg: float) -> None:
    labels = [1, 0] * (n // 2)
    assert value(NDCG(), labels, [0] * n) == close(ndcg)
    assert value(RandomNDCG(), labels) == close(ndcg)


def test_the_discount_of_the_letor_scripts() -> None:
    labels = [2, 0, 1, 0, 2]
    weights = [1, 1, 1 / math.log2(3), 1 / math.log2(4), 1 / math.log2(5)]
    assert_allclose(discounts.Letor().weights(5), weights, rtol=1e-15, atol=0)
    letor, standard = NDCG(discount="letor"), NDCG()
    assert [value(letor @ k, labels) for k in (1, 2)] == [3 / 3, 3 / (3 + 3)]
    assert value(letor @ 3, labels) == close((3 + 1 / math.log2(3)) / (3 + 3 + 1 / math.log2(3)))
    assert value(letor @ 3, labels) == close(0.547574757765)
    assert value(letor @ 5, labels) == close(0.742423703877)
    expected = [1, close(0.613147192765), close(0.649014791937), close(0.864220386963)]
    assert [value(standard @ k, labels) for k in (1, 2, 3, 5)] == expected
    for m in (letor, AP()):
        assert value(m, [0, 0, 0]) == 0
    for k in (1, 2, 3, 5):
        assert value((NDCG() @ k).with_convention("letor4"), labels) == value(letor @ k, labels)
    assert value((NDCG() @ 6).with_convention("letor4"), labels) == 0
    assert value((NDCG() @ 6).with_convention("letor1"), labels) == value(letor, labels)


def test_the_norm_of_gains_is_the_ideal_dcg_and_the_loss_is_minus_ndcg() -> None:
    # Ravikumar et al. 2011, Definition 1 and Lemma 1.
    labels, scores = [3, 0, 2, 1], [0.1, 0.9, 0.5, 0.7]
    norm = 7 + 3 / math.log2(3) + 1 / 2
    assert norm == close(9.392789260714)
    assert [value(DCG() @ k, labels, labels) for k in (1, 2, 3, 10)] == [
        7,
        close(8.892789260714),
        close(norm),
        close(norm),
    ]
    assert value(DCG(discount=discounts.Log(math.e)), labels, labels) == close(13.550930486548)
    assert value(NDCG(), labels, scores) == close((0 + 1 / math.log2(3) + 3 / 2 + 7 / math.log2(5)) / norm)
    assert value(NDCG(), labels, scores) == close(0.547831481923)


def test_lemma_4_needs_a_tie_rule() -> None:
    # Ravikumar et al. 2011.
    m, target, scores = DCG(gain="linear"), [0.6, 0.4], [0, 0]
    assert_allclose(m.range(target, scores), [[0.778557852143], [0.852371901429]], rtol=0, atol=1e-11)
    assert value(m, target, scores) == close(0.815464876786)


def misordered(labels: list[float] | list[int], scores: list[float] | list[int], tied: float = 0.0) -> float:
    """R of equation (3), pair by pair; a pair of equal scores counts ``tied`` of its weight."""
    error = 0.0
    for (low, f_low), (high, f_high) in itertools.permutations(zip(labels, scores, strict=True), 2):
        if high > low:
            error += (high - low) * (1.0 if f_high < f_low else tied if f_high == f_low else 0.0)
    return error


@pytest.mark.parametrize(("m", "n", "ideal"), [(3, 3, 12), (1, 12, 12), (4, 2, 14), (10, 90, 945)])
def test_the_ideal_of_a_bipartite_list(m: int, n: int, ideal: int) -> None:
    # Jin and Geng, eq. (1).
    assert ideal == m * n + m * (m - 1) // 2
    assert value(LINEAR_DCG, [1] * m + [0] * n) == ideal
    worst = m * (m - 1) / 2 / ideal
    assert value(LinearNDCG(), [0] * n + [1] * m) == close(worst)
    if (m, n) == (3, 3):
        assert worst == 0.25


def test_equations_1_to_4() -> None:
    # Jin and Geng.
    labels = [1, 2, 0, 0, 1]
    assert value(LINEAR_DCG, labels) == 1 * 4 + 2 * 3 + 1 * 0 == 10
    assert value(LINEAR_DCG, labels, labels) == 2 * 4 + 1 * 3 + 1 * 2 == 13
    assert value(LinearNDCG(), labels) == close(10 / 13)
    assert value(R, labels) == 3
    assert value(PairwiseError(), labels) == 3 / 8
    assert value(NDCG(), labels) == close(0.793923466046)
    # 1 - R / ideal: what is missing is the misordered pairs.
    assert value(LinearNDCG(), labels) == close(1 - 3 / 13)


def test_the_error_over_pairs_can_exceed_one() -> None:
    assert value(PairwiseError(), [0, 2]) == 2 / 1
    assert value(PairwiseError(normalize="weights"), [0, 2]) == 1


graded = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@given(st.data(), graded)
def test_theorem_3_what_linear_dcg_misses_are_the_misordered_pairs(data: st.DataObject, labels: list[int]) -> None:
    # Jin and Geng, eq. (14).
    scores = data.draw(st.permutations(range(len(labels))))
    error = value(LINEAR_DCG, labels, labels) - value(LINEAR_DCG, labels, scores)
    assert error == value(R, labels, scores) == misordered(labels, scores)


@given(st.data(), st.lists(st.floats(0, 100), min_size=1, max_size=12))
def test_theorem_3_holds_for_real_labels(data: st.DataObject, labels: list[float]) -> None:
    scores = data.draw(st.permutations(range(len(labels))))
    error = value(LINEAR_DCG, labels, labels) - value(LINEAR_DCG, labels, scores)
    assert error == close(misordered(labels, scores), 1e-10)
    assert value(R, labels, scores) == close(misordered(labels, scores), 1e-10)


@given(st.data(), graded)
def test_theorem_1_the_error_is_the_sum_of_bipartite_errors(data: st.DataObject, labels: list[int]) -> None:
    # Jin and Geng, eq. (5).
    scores = data.draw(st.permutations(range(len(labels))))
    bipartite = [value(R, [int(label > k) for label in labels], scores) for k in range(4)]
    assert value(R, labels, scores) == sum(bipartite)


def test_theorem_2_every_exchange_costs_as_many_pairs_as_dcg() -> None:
    # Jin and Geng, eq. (11) to (13).
    m, n = 5, 4
    order = [1] * m + [0] * n
    ideal = value(LINEAR_DCG, order)
    cost = 0
    for r, (i, j) in enumerate([(1, 1), (3, 2), (4, 4)], 1):  # the i-th relevant and the j-th other change places
        order[i - 1], order[m + j - 1] = order[m + j - 1], order[i - 1]
        cost += m + j - i
        assert value(R, order) == ideal - value(LINEAR_DCG, order) == cost, f"exchange {r}"
    assert order == [0, 1, 0, 0, 1, 1, 1, 0, 1]
    assert cost == 5 + 4 + 5


@pytest.mark.parametrize("labels", [[1, 0, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0], [0, 1, 1, 0, 1, 0]])
def test_figure_2(labels: list[int]) -> None:
    # Jin and Geng.
    assert value(LINEAR_DCG, labels, labels) == 12
    assert value(LINEAR_DCG, labels) == 8
    assert value(R, labels) == 4
    assert value(LinearNDCG(), labels) == close(2 / 3)


def test_only_three_sequences_can_be_figure_2() -> None:
    fitting = [
        list(labels)
        for labels in set(itertools.permutations([1, 1, 1, 0, 0, 0]))
        if value(LINEAR_DCG, list(labels)) == 8
    ]
    assert sorted(fitting) == [[0, 1, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0], [1, 0, 1, 0, 0, 1]]


@pytest.mark.parametrize(
    ("labels", "bipartite"),
    [
        ([2, 2, 0, 0, 0, 1], (3, 0)),
        ([2, 1, 0, 2, 0, 0], (1, 2)),
        ([2, 0, 2, 1, 0, 0], (2, 1)),
        ([2, 1, 0, 0, 0, 1, 0], (3, 0)),
        ([2, 0, 1, 0, 1, 0, 0], (3, 0)),
        ([1, 2, 0, 0, 1, 0, 0], (2, 1)),
    ],
)
def test_figure_3(labels: list[int], bipartite: tuple[int, int]) -> None:
    # Jin and Geng.
    assert value(LINEAR_DCG, labels, labels) == 21
    assert value(LINEAR_DCG, labels) == 18
    assert value(R, labels) == 3
    assert value(LinearNDCG(), labels) == close(6 / 7)
    assert tuple(value(R, [int(label > k) for label in labels]) for k in (0, 1)) == bipartite


def test_ties_count_nothing_all_or_half() -> None:
    labels, scores = [0, 2, 1, 0, 1], [2, 2, 1, 1, 0]
    ideal = value(LINEAR_DCG, labels, labels)
    for ties, expected in (("best", 3), ("worst", 6), ("average", 4.5)):
        error = PairwiseError(normalize="none", ties=ties)
        assert value(error, labels, scores) == expected
        assert ideal - value(DCG(gain="linear", discount="linear", ties=ties), labels, scores) == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12))
def test_ties_of_any_list_count_nothing_all_or_half(documents: list[tuple[int, int]]) -> None:
    labels, scores = [label for label, _ in documents], [score for _, score in documents]
    ideal = value(LINEAR_DCG, labels, labels)
    for ties, share in (("best", 0.0), ("worst", 1.0), ("average", 0.5)):
        expected = close(misordered(labels, scores, share))
        assert value(PairwiseError(normalize="none", ties=ties), labels, scores) == expected
        assert ideal - value(DCG(gain="linear", discount="linear", ties=ties), labels, scores) == expected


def test_auc_and_linear_ndcg_say_the_same_of_a_bipartite_list() -> None:
    scores = [8, 9, 6, 11, 4, 0, 7, 2, 5, 1, 10, 3]
    labels = [1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0]
    m, n = 4, 8
    assert value(AUC(), labels, scores) == close(0.40625)
    assert value(LinearNDCG(), labels, scores) == close(1 - m * n * (1 - 0.40625) / (m * n + m * (m - 1) / 2)) == 0.5
    assert value(R, labels, scores) == close(m * n * (1 - 0.40625))


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=15))
def test_auc_is_linear_in_linear_ndcg_ties_and_all(documents: list[tuple[int, int]]) -> None:
    labels, scores = [label for label, _ in documents], [score for _, score in documents]
    m, n = sum(labels), len(labels) - sum(labels)
    if m and n:
        auc = value(AUC(), labels, scores)
        assert value(PairwiseError(), labels, scores) == close(1 - auc)
        assert value(LinearNDCG(), labels, scores) == close(1 - m * n * (1 - auc) / (m * n + m * (m - 1) / 2))


def test_a_random_order_has_a_linear_ndcg_of_1_over_2_minus_p() -> None:
    n, p = 20_000, 0.25
    labels = [1] * int(n * p) + [0] * int(n * (1 - p))
    assert value(LinearNDCG(), labels, [0] * n) == pytest.approx(1 / (2 - p), rel=1e-4)


def test_any_dcg_error_is_a_sum_over_cutoffs() -> None:
    # sum_k (D(k) - D(k + 1)) (gain of the ideal top k - gain of the top k), D(n + 1) = 0.
    labels = [1, 0, 3, 2, 0]
    weights = [*discounts.Log().weights(5), 0.0]
    missing = np.cumsum(sorted(labels, reverse=True)) - np.cumsum(labels)
    terms = -np.diff(weights) * missing
    assert_allclose(terms, [0.738140492857, 0.523719014286, 0.138646883853, 0, 0], rtol=0, atol=1e-11)
    m = DCG(gain="linear")
    assert value(m, labels, labels) - value(m, labels) == close(terms.sum()) == close(1.400506390996)


def test_equations_1_to_5() -> None:
    # Qin et al. 2008.
    scores = [0.3, 2.1, 1.4, -0.5, 0.9, 1.1]
    binary, levels = [1, 0, 1, 0, 1, 0], [2, 0, 1, 0, 3, 1]  # in rank order 0 1 0 1 1 0 and 0 1 1 3 2 0
    assert [value(Precision() @ k, binary, scores) for k in (1, 2, 3, 5)] == [0, 1 / 2, 1 / 3, 3 / 5]
    assert value(AP(), binary, scores) == close((1 / 2 + 2 / 4 + 3 / 5) / 3)
    assert value(AP(), binary, scores) == close(0.533333333333)
    assert [value(NDCG() @ k, levels, scores) for k in (1, 3)] == [0, close(0.120404037840)]
    assert value(NDCG() @ 3, levels, scores) == close((1 / math.log2(3) + 1 / 2) / (7 + 3 / math.log2(3) + 1 / 2))
    assert value(NDCG(), levels, scores) == close(0.540158043981)
    assert value(RR(), binary, scores) == 1 / 2
    assert value(KendallTau(), levels, scores) == close((5 - 8) / 13)
    assert value(KendallTau(), levels, scores) == close(-0.230769230769)


def test_table_1() -> None:
    # Qin et al. 2008: documents 1 to 5 stand at the ranks 2, 4, 1, 5, 3.
    scores = [-2, -4, -1, -5, -3]
    assert value(NDCG(), [2, 0, 1, 0, 2], scores) == close(0.814567202304)
    assert value(NDCG(), [2, 0, 1, 0, 2], scores) == close(
        (1 + 3 / math.log2(3) + 3 / 2) / (3 + 3 / math.log2(3) + 1 / 2)
    )
    single = [value(AP(), [int(i == j) for j in range(5)], scores) for i in range(5)]
    assert single == [1 / 2, 1 / 4, 1, 1 / 5, 1 / 3]


@pytest.mark.parametrize("scale", [1, 0.05, 0.01, 1e-4, 1e-300])
def test_the_scale_of_the_scores_does_not_count(scale: float) -> None:
    assert value(NDCG(), [3, 0, 1, 2], [3 * scale, 2 * scale, scale, 0]) == close(0.936040342244)

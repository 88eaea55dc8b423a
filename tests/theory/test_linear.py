"""Jin and Geng: linear NDCG, misordered pairs, thresholds, exchanges and AUC; DCG errors by cutoff."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import discounts
from idealrank.errors import DataError
from idealrank.measures import AUC, DCG, LinearNDCG, PairwiseError
from idealrank.theory import cutoff_errors, exchanges, linear_ndcg_of_auc, threshold_errors

documents = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=15)
ties = st.sampled_from(["average", "best", "worst"])


@given(documents, ties)
def test_theorem_1_the_error_is_the_sum_over_thresholds(found: list[tuple[int, int]], ties: str) -> None:
    labels, scores = np.array(found).T
    errors = threshold_errors(labels, scores, ties=ties)
    assert_allclose(
        errors.steps @ errors.errors, PairwiseError(normalize="none", ties=ties)(labels, scores), atol=1e-9, rtol=0
    )


@given(st.lists(st.tuples(st.floats(0, 9), st.integers(0, 6)), min_size=1, max_size=12))
def test_theorems_1_and_3_hold_for_real_labels(found: list[tuple[float, int]]) -> None:
    labels, scores = np.array(found).T
    errors = threshold_errors(labels, scores)
    linear = DCG(gain="linear", discount="linear")
    assert_allclose(errors.steps @ errors.errors, linear(labels, labels) - linear(labels, scores), atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("labels", "expected"), [([2, 2, 0, 0, 0, 1], (3, 0)), ([2, 1, 0, 2, 0, 0], (1, 2)), ([2, 0, 2, 1, 0, 0], (2, 1))]
)
def test_figure_3_by_threshold(labels: list[int], expected: tuple[int, int]) -> None:
    assert tuple(threshold_errors(labels, range(6, 0, -1)).errors[:, 0]) == expected


def test_thresholds_of_several_queries_have_a_column_each() -> None:
    found = threshold_errors([0, 1, 2, 0], [2, 1, 1, 2], [0, 2, 4])
    assert found.errors.tolist() == [[1, 1], [0, 1]]
    alike = threshold_errors([1, 1], [2, 1])
    assert alike.errors.shape == (0, 1)


def test_theorem_2() -> None:
    found = exchanges([0, 1, 0, 0, 1, 1, 1, 0, 1])
    assert [(each.i, each.j, each.cost, each.moved_down, each.moved_up) for each in found] == [
        (1, 1, 5, 5, 0),
        (3, 2, 4, 4, 0),
        (4, 4, 5, 4, 1),
    ]


@given(st.lists(st.integers(0, 1), min_size=1, max_size=20))
def test_lemma_1_exchanges_lead_from_the_ideal_order_to_any_other(labels: list[int]) -> None:
    n, m = len(labels), sum(labels)
    order = sorted(labels, reverse=True)
    found = exchanges(labels)
    assert len(found) <= min(m, n - m)
    cost = 0
    for each in found:
        order[each.i - 1], order[m + each.j - 1] = order[m + each.j - 1], order[each.i - 1]
        cost += each.cost
        assert each.cost == each.moved_down + each.moved_up
        assert float(PairwiseError(normalize="none", empty=0)(order, range(n, 0, -1))[0]) == cost
    assert order == labels


def test_exchanges_are_of_two_labels() -> None:
    with pytest.raises(DataError, match="labels 0 and 1 in rank order"):
        exchanges([2, 0])


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=15), ties)
def test_auc_says_what_linear_ndcg_says(found: list[tuple[int, int]], ties: str) -> None:
    labels, scores = np.array(found).T
    m, n = int(labels.sum()), int((1 - labels).sum())
    if m and n:
        expected = LinearNDCG(ties=ties)(labels, scores)
        assert_allclose(linear_ndcg_of_auc(AUC(ties=ties)(labels, scores), m, n), expected, rtol=1e-12, atol=1e-12)
    else:
        with pytest.raises(DataError, match="AUC needs relevant documents and others"):
            linear_ndcg_of_auc(0.5, m, n)


def test_dcg_error_by_cutoff() -> None:
    terms = cutoff_errors([1, 0, 3, 2, 0], range(5, 0, -1))
    assert_allclose(terms, [0.738140492857, 0.523719014286, 0.138646883853, 0, 0], rtol=0, atol=1e-11)
    assert terms.sum() == pytest.approx(1.400506390996, abs=1e-11)


@given(documents, ties, st.sampled_from(["log", "zipf", "linear", "geometric"]), st.sampled_from(["linear", "exp2"]))
def test_dcg_errors_by_cutoff_add_up(found: list[tuple[int, int]], ties: str, discount: str, gain: str) -> None:
    labels, scores = np.array(found).T
    m = DCG(gain=gain, discount=discount, ties=ties)
    terms = cutoff_errors(labels, scores, discount=discount, gain=gain, ties=ties)
    assert (terms >= -1e-12).all()
    assert terms.sum() == pytest.approx(float(m(labels, labels)[0] - m(labels, scores)[0]), abs=1e-9)


def test_under_linear_dcg_every_cutoff_counts_alike() -> None:
    labels = [1, 0, 3, 2, 0]
    missing = np.cumsum(sorted(labels, reverse=True)) - np.cumsum(labels)
    assert_allclose(
        cutoff_errors(labels, range(5, 0, -1), discount=discounts.Linear()), [*missing[:4], 0], rtol=0, atol=1e-12
    )

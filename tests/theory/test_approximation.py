"""Certificates of soft ranks: the paper's numbers, and no violation of any bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import losses, measures, theory
from idealrank.errors import OptionError
from idealrank.losses import ApproxAP, ApproxNDCG
from idealrank.measures.ranks import soft_positions

#: Table 1 of Qin et al. 2008.
TABLE = np.array([4.20074, 3.12378, 4.40918, 1.55258, 4.13330])
GRADED = [2, 0, 1, 0, 2]


@pytest.mark.parametrize(
    ("alpha", "epsilon", "bound"),
    [
        (1, 1.150515572525869, 1.9325855490032167),
        (10, 0.3970626118384448, 1.3500492335909549),
        (50, 0.033183108571560815, 0.13272834731610822),
        (100, 0.0011765401403684983, 0.004706160557297928),
    ],
)
def test_positions_of_table_1(alpha: float, epsilon: float, bound: float) -> None:
    error = theory.approximation_error(GRADED, TABLE, None, ApproxNDCG(alpha=alpha))
    assert_allclose(error.epsilon, epsilon, rtol=1e-9, atol=0)
    assert_allclose(error.position_bound, bound, rtol=1e-9, atol=0)


def test_bounds_26_and_27_of_table_1() -> None:
    error = theory.approximation_error(GRADED, TABLE, None, ApproxNDCG(alpha=100))
    assert_allclose(error.bound, 0.0008486943129582187, rtol=1e-9, atol=0)
    assert_allclose(error.sharper, 0.8145672023038535 * 0.0008486943129582187, rtol=1e-9, atol=0)
    assert_allclose(error.actual, 6.618752805398476e-05, rtol=1e-6, atol=0)
    error = theory.approximation_error([1, 0, 0, 0, 0], TABLE, None, ApproxAP(alpha=100, beta=100))
    assert_allclose(error.bound, 0.002355852035221203, rtol=1e-9, atol=0)
    assert_allclose(error.sharper, 0.0011779260176106015, rtol=1e-9, atol=0)
    assert_allclose(error.actual, 0.0002939618844157166, rtol=1e-6, atol=0)


def test_two_documents_meet_the_bound_exactly() -> None:
    """Erratum to (24): <=, not <."""
    error = theory.approximation_error([1, 0], [1.4, 0], None, ApproxNDCG(alpha=1))
    assert_allclose(error.epsilon, 0.197816111441, rtol=1e-10, atol=0)
    assert_allclose(error.position_bound, error.epsilon, rtol=1e-12, atol=0)


def test_alpha_for_a_tolerance() -> None:
    alpha = theory.alpha_for(TABLE, tol=0.00471)
    assert_allclose(alpha, np.log(4 / 0.00471 - 1) / (4.20074 - 4.13330), rtol=1e-9, atol=0)
    assert 99.9 < alpha < 100
    two_queries = theory.alpha_for([*TABLE, 1, 0], [0, 5, 7], 0.00471)
    assert two_queries == alpha


@settings(max_examples=100)
@given(
    scores=st.lists(st.integers(-50, 50).map(lambda k: k / 16), min_size=1, max_size=12),
    tol=st.floats(1e-6, 3),
)
def test_with_the_alpha_for_a_tolerance_no_position_is_farther_off(scores: list[float], tol: float) -> None:
    alpha = theory.alpha_for(scores, None, tol)
    column = np.array(scores)
    higher, equal = (column > column[:, None]).sum(axis=1), (column == column[:, None]).sum(axis=1)
    means = higher + (equal + 1) / 2
    assert alpha >= 0
    assert (np.abs(soft_positions(scores, alpha=max(alpha, 1e-3)) - means) <= tol * (1 + 1e-9)).all() or alpha == 0


@pytest.mark.parametrize(
    "name",
    [
        "approx_ndcg(alpha=3)",
        "approx_ndcg(alpha=3,cutoff=2)",
        "approx_ndcg(alpha=30,cutoff=2)",
        "approx_ndcg(alpha=3,discount=zipf,sigmoid=arctan)",
        "approx_ap(alpha=20,beta=5)",
        "approx_precision(alpha=5,cutoff=3)",
        "approx_kendall(alpha=2)",
        "approx_kendall(alpha=2,sigmoid=erf)",
        "approx(measure=linear_ndcg,alpha=2)",
        "approx(measure=recall@3,alpha=8,sigmoid=erf)",
        "approx(measure=kendall_tau,alpha=2)",
    ],
)
@settings(max_examples=60)
@given(data=st.data())
def test_no_bound_is_violated(name: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 9))
    labels = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    scores = [k / 8 for k in data.draw(st.lists(st.integers(-12, 12), min_size=n, max_size=n))]  # with ties
    error = theory.approximation_error(labels, scores, None, name)
    slack = 1e-9
    assert (error.epsilon <= error.position_bound * (1 + slack) + slack).all()
    assert (error.actual <= error.sharper * (1 + slack) + slack).all()
    assert (error.sharper <= error.bound + slack).all()


def test_each_query_has_its_own_and_one_without_relevance_none() -> None:
    labels, scores, offsets = [1, 0, 0, 0, 2, 1, 3], [2, 1, 3, 1, 0, 1, 2], [0, 2, 4, 4, 7]
    for name in ("approx_ndcg", "approx_ap", "approx(measure=p@1)", "approx_kendall"):
        error = theory.approximation_error(labels, scores, offsets, name)
        assert_array_equal([error.bound[2], error.actual[1], error.actual[2], error.epsilon[2]], 0)
        alone = theory.approximation_error(labels[4:], scores[4:], None, name)
        for column in ("epsilon", "position_bound", "bound", "sharper", "actual"):
            assert_allclose(getattr(error, column)[3:], getattr(alone, column), rtol=1e-9, atol=1e-15)


def test_the_actual_error_is_that_of_the_measure() -> None:
    labels, scores = [1, 0, 2, 0], [0.4, 0.3, 0.1, 0.9]
    values, _ = losses.ApproxRR(alpha=4)(labels, scores)
    error = theory.approximation_error(labels, scores, None, "approx_rr(alpha=4)")
    assert_allclose(error.actual, np.abs(1 - values - measures.RR()(labels, scores)), rtol=1e-12, atol=0)
    assert np.isnan(error.bound).all()


def test_other_losses_have_no_certificate() -> None:
    with pytest.raises(OptionError, match="list_mle is not a loss of soft ranks"):
        theory.approximation_error([1, 0], [1, 0], None, "list_mle")

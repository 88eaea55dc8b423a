"""Losses with discounts that increase and gains below 0: values at large alpha, and gradients."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from idealrank.errors import DataError
from idealrank.losses import Approx, ApproxNDCG, Cosine, CrossEntropy, LeastSquares, SoftNDCG
from idealrank.measures import DCG, NDCG

ENDS = [0.9, 0.3, 0.1, 0.2, 0.7]
GAIN = {0: -0.5, 1: 0.0, 2: 1.0}
OFFSETS = np.array([0, 4, 6, 11])


def drawn() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, 11).astype(float), rng.normal(size=11)


OPTIONS: list[dict[str, Any]] = [{}, {"cutoff": 3}, {"gain": "linear"}, {"gain": GAIN}, {"gain": GAIN, "cutoff": 2}]


@pytest.mark.parametrize("options", OPTIONS)
def test_approx_measures_tend_to_the_measures(options: dict[str, Any]) -> None:
    labels, scores = drawn()
    ranked = np.maximum.reduceat(labels, OFFSETS[:-1]) == 2  # the others have no gain, and the value 0
    for name, measure in (("ndcg", NDCG(discount=ENDS, **options)), ("dcg", DCG(discount=ENDS, **options))):
        beta = 1e3 if "cutoff" in options else 10.0
        values, _ = Approx(measure, alpha=1e7, beta=beta)(labels, scores, OFFSETS)
        expected = np.where(ranked, 1 - measure(labels, scores, OFFSETS), 0)
        assert_allclose(values, expected, rtol=0, atol=1e-9, err_msg=name)
    assert ranked.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "loss",
    [
        ApproxNDCG(alpha=3.0, discount=ENDS, gain=GAIN),
        ApproxNDCG(alpha=3.0, beta=2.0, discount=ENDS, cutoff=3),
        SoftNDCG(discount=ENDS),
        SoftNDCG(discount=ENDS, cutoff=2),
    ],
    ids=str,
)
def test_gradients_are_those_of_the_values_and_bounds_of_second_derivatives_hold(loss: Any) -> None:
    labels, scores = drawn()
    _, gradient = loss(labels, scores, OFFSETS)
    bound = loss.hessian_diagonal(labels, scores, OFFSETS)
    step = 1e-4
    for document in range(scores.size):
        moved = np.zeros(scores.size)
        moved[document] = step
        up, here, down = (loss(labels, scores + sign * moved, OFFSETS)[0].sum() for sign in (1, 0, -1))
        assert_allclose((up - down) / (2 * step), gradient[document], rtol=0, atol=1e-5)
        if isinstance(loss, ApproxNDCG):  # that of SoftNDCG is no bound
            assert abs(up - 2 * here + down) / step**2 <= bound[document] + 1e-4


def test_a_query_without_gains_above_0_has_no_gradient() -> None:
    columns = [0.0, 1.0, 0.0], [0.3, 0.1, 0.2]
    for loss in (Approx(DCG(gain=GAIN)), ApproxNDCG(discount=[0.1, -0.7, 0.4], gain=GAIN)):
        values, gradient = loss(*columns)
        assert (values.tolist(), gradient.tolist()) == ([0], [0, 0, 0])


def test_the_ideal_of_soft_ndcg_is_that_of_ndcg() -> None:
    labels, scores = drawn()
    values, _ = SoftNDCG(sigma=1e-9, discount=ENDS)(labels, scores, OFFSETS)
    expected = 1 - NDCG(discount=ENDS, empty=1)(labels, scores, OFFSETS)
    assert_allclose(values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("cutoff", [None, 2])
def test_least_squares_is_consistent_if_documents_harm(cutoff: int | None) -> None:
    """The best order of an expected target is the best of all orders, by brute force."""
    rng = np.random.default_rng(4)
    loss, measure = LeastSquares(normalizer=cutoff or "dcg", gain=GAIN), NDCG(gain=GAIN, cutoff=cutoff)
    orders = np.array(list(itertools.permutations(range(4))))
    n_harmed = 0
    for _ in range(100):
        labels, chances = rng.integers(0, 3, (3, 4)).astype(float), rng.dirichlet(np.ones(3))
        labels[:, 0] = 2  # every list has an ideal order worth more than 0
        scores = loss.minimizer(chances, labels)
        offsets = np.arange(0, 4 * orders.size, 4)[: len(orders) + 1]
        by_order = sum(
            chance * measure(np.tile(own, len(orders)), -orders.ravel().astype(float), offsets)
            for chance, own in zip(chances, labels, strict=True)
        )
        reached = sum(chance * measure(own, scores, [0, 4])[0] for chance, own in zip(chances, labels, strict=True))
        assert reached == pytest.approx(np.max(by_order), abs=1e-9)
        n_harmed += bool((scores < 0).any())
    assert n_harmed > 10


def test_other_losses_refuse_gains_below_0() -> None:
    for loss in (CrossEntropy(normalizer="dcg", gain=GAIN), Cosine(gain=GAIN)):
        with pytest.raises(DataError, match=r"must be finite and not negative, got -0\.5 for the label 0"):
            loss([0, 2], [1, 2])

"""Bounds of the NDCG that an excess of surrogate risk can cost (Ravikumar et al. 2011, Theorems 10 and 11)."""

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from idealrank import losses, theory
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.losses import Bregman, potentials, segments


def own(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
    """A loss that is a function."""
    return np.zeros(offsets.size - 1), np.zeros(scores.size)


def test_the_dual_of_the_largest_coordinate_is_the_sum() -> None:
    assert theory.rank_constant(2, math.inf) == pytest.approx(2 * (1 + 1 / math.log2(3)))
    assert theory.rank_constant(5, math.inf, cutoff=2) == theory.rank_constant(2, math.inf)
    with pytest.raises(OptionError, match=r"from 1 to infinity, got 0\.5"):
        theory.rank_constant(2, 0.5)


def test_the_margin_of_a_cutoff_is_the_lowest_regret_of_a_wrong_order() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        chances, vectors = rng.dirichlet(np.ones(3)), rng.integers(0, 5, (3, 4)).astype(np.float64)
        vectors[:, 0] += 1
        orders = [np.argsort(np.argsort(order)) for order in itertools.permutations(range(4))]
        for k in (1, 2, 3, None):
            lost = np.array([float(theory.regret(-scores, chances, vectors, cutoff=k)) for scores in orders])
            assert theory.margin(chances, vectors, cutoff=k) <= lost[lost > 1e-12].min() + 1e-12
            if k is None or k >= 3:
                continue
            # Somewhere below the cutoff any order will do, so it is not a margin there.
            assert np.count_nonzero(lost < 1e-12) >= math.factorial(4 - k)


class Root(potentials.Potential):
    """sqrt(1 + |x|^2).

    Its second derivative in any direction is at least (1 + |x|^2)^-3/2, and |x|^2 <= 4 on [0, 1]^4.
    """

    def value(self, x: Floats, offsets: Int64s) -> Floats:
        return np.sqrt(1 + segments.sums(x**2, offsets))

    def gradient(self, x: Floats, offsets: Int64s) -> Floats:
        return x / np.repeat(self.value(x, offsets), np.diff(offsets))

    def conjugate(self, s: Floats, offsets: Int64s) -> Floats:
        return -np.sqrt(1 - segments.sums(s**2, offsets))

    def conjugate_gradient(self, s: Floats, offsets: Int64s) -> Floats:
        return s / np.repeat(-self.conjugate(s, offsets), np.diff(offsets))


ROOT = Root()


@pytest.mark.parametrize("k", [1, 2, None])
@pytest.mark.parametrize(
    ("loss", "convexity"),
    [
        (losses.LeastSquares(normalizer="dcg"), None),
        (losses.Bregman(psi="pnorm:1.3"), None),
        (losses.Bregman(psi="pnorm:1.3", link="scale:3"), None),
        (losses.Bregman(psi=ROOT), (0.5 * 5**-1.5, 2.0)),
        (losses.Bregman(psi="squared"), (0.5, math.inf)),
        (losses.Bregman(psi="squared"), (0.5 / 4, 1.0)),
        (losses.Bregman(psi="squared"), (0.5, lambda weights: float(np.linalg.norm(weights)))),
    ],
)
def test_every_bregman_loss_has_its_bound_for_every_cutoff(loss: Any, convexity: Any, k: int | None) -> None:
    loss = dataclasses.replace(loss, normalizer=k or "dcg")
    rng = np.random.default_rng(5)
    for _ in range(25):
        chances, vectors = rng.dirichlet(np.ones(3)), rng.integers(1, 5, (3, 4)).astype(np.float64)
        fitted = rng.uniform(0.05, 1, 4)  # g(s), where C_phi holds
        scores = loss.best_scores(fitted, np.array([0, 4])) if isinstance(loss, Bregman) else fitted

        def risk(at: Floats, chances: Floats = chances, vectors: Floats = vectors) -> float:
            return float(chances @ loss(vectors.ravel(), np.tile(at, 3), [0, 4, 8, 12])[0])

        target = theory.fisher_target(chances, vectors, cutoff=k)
        best = loss.best_scores(target, np.array([0, 4])) if isinstance(loss, Bregman) else target
        excess = max(0.0, risk(scores) - risk(best))
        bound = theory.excess_risk_bound(loss, excess, 4, cutoff=k, convexity=convexity)
        assert theory.regret(scores, chances, vectors, cutoff=k) <= bound


def test_a_constant_that_is_too_large_is_refuted() -> None:
    with pytest.raises(OptionError, match=r"C_phi = 1 is too large in the l_2 norm: .* the divergence is 0\.5 times"):
        theory.excess_risk_bound("bregman(psi=squared)", 0.1, 3, convexity=(1.0, 2.0))
    with pytest.raises(OptionError, match=r"C_phi of this psi is not known; pass convexity=\(C_phi, p\)"):
        theory.excess_risk_bound(losses.Bregman(psi=ROOT), 0.1, 3)
    with pytest.raises(OptionError, match="C_phi of a function is not known"):
        theory.excess_risk_bound(own, 0.1, 3)
    with pytest.raises(OptionError, match=r"is about NDCG@2: use normalizer=3 for @3"):
        theory.excess_risk_bound("least_squares(normalizer=2)", 0.1, 5, cutoff=3)
    with pytest.raises(OptionError, match="above 0, got 0"):
        theory.excess_risk_bound(own, 0.1, 3, convexity=(0.0, 2.0))
    assert theory.excess_risk_bound(own, 0.04, 3, convexity=(1.0, 1.0)) == pytest.approx(0.4)


def test_the_transform_of_two_documents_and_squares_is_known() -> None:
    excess = np.array([0.0, 1e-8, 1e-4, 0.02, 0.3])
    expected = np.sqrt(2 * excess) * (1 - 1 / math.log2(3))
    found = theory.excess_risk_transform("least_squares(normalizer=dcg)", excess, 2)
    assert_allclose(found, expected, rtol=1e-5, atol=1e-12)
    # Squares of three documents: all fitted values are equal, and the target is (1, 0, -1) away from its mean.
    three = theory.excess_risk_transform("least_squares(normalizer=dcg)", 0.01, 3)
    assert float(three) == pytest.approx(0.1 * (1 - 1 / 2) / math.sqrt(2) * 2, rel=1e-5)


@pytest.mark.parametrize("name", ["least_squares(normalizer=dcg)", "cross_entropy(normalizer=dcg)"])
def test_the_transform_takes_a_function_as_the_bound_does(name: str) -> None:
    known = losses.loss(name)

    def own(labels: Any, scores: Any, offsets: Any) -> Any:
        return known(labels, scores, offsets)

    expected = theory.excess_risk_transform(name, [0.001, 0.02], 2)
    assert_allclose(theory.excess_risk_transform(own, [0.001, 0.02], 2), expected, rtol=2e-3, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "loss", [losses.LeastSquares(normalizer="dcg"), losses.CrossEntropy(normalizer="dcg"), losses.QNorm(q=3)]
)
def test_no_drawn_case_loses_more_than_the_transform_and_some_lose_as_much(loss: Any) -> None:
    rng, closest = np.random.default_rng(8), 0.0
    name = str(loss)
    for _ in range(12):
        chances, vectors = rng.dirichlet(np.ones(3)), rng.integers(1, 5, (3, 3)).astype(np.float64)
        target = theory.fisher_target(chances, vectors)
        order = np.argsort(-target)
        # Fitted values that are all but equal, in the opposite order: the cheapest way to be wrong.
        fitted = target.mean() * (1 + 1e-6 * np.argsort(order))

        def risk(at: Floats, chances: Floats = chances, vectors: Floats = vectors) -> float:
            return float(chances @ loss(vectors.ravel(), np.tile(at, 3), [0, 3, 6, 9])[0])

        if isinstance(loss, losses.CrossEntropy):
            scores, best = np.log(fitted), np.log(target)
        elif isinstance(loss, losses.QNorm):  # ||u||_p^(2 - p) u^(p - 1), p = 3/2
            scores, best = (np.linalg.norm(each, 1.5) ** 0.5 * each**0.5 for each in (fitted, target))
        else:
            scores, best = fitted, target
        excess, lost = risk(scores) - risk(best), float(theory.regret(scores, chances, vectors))
        transform = float(theory.excess_risk_transform(name, excess, 3))
        assert lost <= transform * (1 + 1e-4)
        bound = theory.excess_risk_bound(name, excess, 3, total=float(target.sum()) if "entropy" in name else None)
        assert transform <= bound
        closest = max(closest, lost / transform)
    assert closest > 0.9


def test_a_transform_that_cannot_be_found_says_why() -> None:
    with pytest.raises(OptionError, match="2 to 4 documents, got 9"):
        theory.excess_risk_transform("least_squares(normalizer=dcg)", 0.1, 9)
    with pytest.raises(OptionError, match="is not a Bregman divergence of the targets of NDCG"):
        theory.excess_risk_transform("least_squares", 0.1, 2)
    with pytest.raises(DataError, match="finite and not negative"):
        theory.excess_risk_transform("least_squares(normalizer=dcg)", -0.1, 2)

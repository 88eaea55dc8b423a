"""Which losses lead to the best NDCG, by Ravikumar et al. 2011, and what training can miss, by Qin et al. 2008."""

import itertools
import json
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealrank import losses, theory
from idealrank._typing import Floats, Int64s
from idealrank.cli.group import commands
from idealrank.errors import DataError, OptionError
from idealrank.losses import Bregman, Cosine, CrossEntropy, LeastSquares, ListMLE
from idealrank.losses.loss_names import LOSSES
from idealrank.losses.potentials import PNorm
from idealrank.losses.segments import sums
from idealrank.theory.consistency.fisher import Mixture
from idealrank.theory.consistency.minimizers import Risk, best_scores, minimize

#: Section 3.2.1: the labels of two documents, three times in ten 5 and 4, else 1 and 3.
ETA = ([0.3, 0.7], [[5, 4], [1, 3]])


def slow_target(probabilities: list[float], label_vectors: list[list[int]], k: int | None = None) -> list[float]:
    total = [0.0] * len(label_vectors[0])
    for p, labels in zip(probabilities, label_vectors, strict=True):
        gains = [2.0**label - 1 for label in labels]
        best = max(
            sum(g / math.log2(r + 1) for r, g in enumerate(order[:k], 1)) for order in itertools.permutations(gains)
        )
        total = [t + p * g / best for t, g in zip(total, gains, strict=True)]
    return total


def test_the_norm_is_the_greatest_dcg() -> None:
    # Lemma 1.
    assert_allclose(theory.dcg_norm([7, 0, 3, 1]), [9.392789260714], rtol=0, atol=1e-11)
    assert_allclose(theory.dcg_norm([7, 0, 3, 1], discount=f"log:{math.e!r}"), [13.550930486548], rtol=0, atol=1e-11)
    assert_allclose(theory.dcg_norm([-3, 1, 2]), [4.761859507143], rtol=0, atol=1e-11)
    cut = [float(theory.dcg_norm([7, 0, 3, 1], cutoff=k)[0]) for k in (1, 2, 3, 10)]
    assert_allclose(cut, [7, 8.892789260714, 9.392789260714, 9.392789260714], rtol=0, atol=1e-11)
    assert_allclose(theory.dcg_norm([7, 0, 3, 1, 2], [0, 4, 4, 5]), [9.392789260714, 0, 2], rtol=0, atol=1e-11)
    with pytest.raises(DataError, match=r"finite number.*row 1"):
        theory.dcg_norm([1, np.nan])


@given(a=st.lists(st.integers(-9, 9), min_size=3, max_size=3), b=st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_the_norm_is_a_norm(a: list[int], b: list[int]) -> None:
    norm = theory.dcg_norm
    for k in (None, 1, 2):
        assert norm(np.add(a, b), cutoff=k) <= norm(a, cutoff=k) + norm(b, cutoff=k) + 1e-12
    assert_allclose(norm(np.multiply(-2.5, a)), 2.5 * norm(a), rtol=1e-14, atol=0)


def test_the_target_and_regret_of_the_papers_example() -> None:
    assert_allclose(theory.fisher_target(*ETA), [0.321566172718, 0.753333700890], rtol=0, atol=1e-11)
    first, second = (theory.expected_ndcg(scores, *ETA) for scores in ([1, 0], [0, 1]))
    assert_allclose([first, second], [0.796866818978, 0.956219367000], rtol=0, atol=1e-11)
    assert_allclose(theory.regret([1, 0], *ETA), 0.159352548022, rtol=0, atol=1e-11)
    assert theory.regret([0, 1], *ETA) == 0
    assert_allclose(theory.margin(*ETA), 0.159352548022, rtol=0, atol=1e-11)


@given(
    data=st.data(),
    n=st.integers(2, 4),
    k=st.sampled_from([None, 1, 2]),
)
def test_targets_and_regrets_are_those_of_all_orders(data: st.DataObject, n: int, k: int | None) -> None:
    vectors = data.draw(
        st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any), min_size=1, max_size=3)
    )
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(vectors), max_size=len(vectors)))
    chances = [weight / sum(weights) for weight in weights]
    target = slow_target(chances, vectors, k)
    assert_allclose(theory.fisher_target(chances, vectors, cutoff=k), target, rtol=1e-12, atol=0)
    scores = data.draw(st.permutations(range(n)))

    def dcg(order: Any) -> float:
        return float(sum(target[doc] / math.log2(rank + 1) for rank, doc in enumerate(order[:k], 1)))

    ranked = sorted(range(n), key=lambda doc: -scores[doc])
    best = max(map(dcg, itertools.permutations(range(n))))
    assert_allclose(theory.regret(scores, chances, vectors, cutoff=k), best - dcg(ranked), rtol=0, atol=1e-12)
    if k is None:
        # Lemma 4, and the margin: the least regret of an order that is not optimal.
        lost = theory.regret(scores, chances, vectors)
        assert theory.compatible(scores, target, tolerance=1e-12) == (lost < 1e-12)
        assert lost < 1e-12 or lost >= theory.margin(chances, vectors) - 1e-12


def test_equal_scores_are_best_only_by_luck() -> None:
    # Lemma 4 with E[u] = (0.6, 0.4), which needs a measure without a norm to be written down: gains over Z_1 = 1.
    mixture = ([0.6, 0.4], [[1, 0], [0, 1]])
    values = [float(theory.expected_ndcg([0, 0], *mixture, ties=ties)) for ties in ("best", "worst", "average")]
    assert_allclose(values, [0.852371901429, 0.778557852143, 0.815464876786], rtol=0, atol=1e-11)
    assert not theory.compatible([0, 0], theory.fisher_target(*mixture))
    assert theory.regret([0, 0], *mixture) > 0


@pytest.mark.parametrize(
    ("scores", "target", "expected"),
    [
        ([3, 1, 2], [5, 0, 1], []),
        ([1, 2], [0, 0], []),
        ([0, 0], [1, 2], [(1, 0)]),
        ([2, 2, 1], [3, 3, 0], []),
        ([2, 2, 1], [3, 2, 0], [(0, 1)]),
        ([1, -math.inf], [2, 1], []),
    ],
)
def test_compatible_scores(scores: list[float], target: list[float], expected: list[tuple[int, int]]) -> None:
    assert theory.violations(scores, target) == expected
    assert theory.compatible(scores, target) == (not expected)


def test_a_cut_off_has_a_target_of_its_own() -> None:
    mixture = ([0.3, 0.7], [[0, 0, 1], [2, 3, 2]])
    assert_allclose(
        theory.fisher_target(*mixture), [0.202063175469, 0.471480742761, 0.502063175469], rtol=0, atol=1e-11
    )
    top = theory.fisher_target(*mixture, cutoff=1)
    assert_allclose(top, [0.3, 0.7, 0.6], rtol=0, atol=1e-12)
    assert_allclose(theory.expected_ndcg(theory.fisher_target(*mixture), *mixture, cutoff=1), 0.6, rtol=0, atol=1e-12)
    assert_allclose(theory.expected_ndcg(top, *mixture, cutoff=1), 0.7, rtol=0, atol=1e-12)


def test_proposition_7() -> None:
    vectors = [[1, 5], [2, 1]]
    for p, loss, target, lost in (
        (0.38, Cosine(), [0.524279045129, 0.543175451468], 0.006974101344),
        (0.35, CrossEntropy(), [0.548117646077, 0.522036196277], 0.009625887105),
    ):
        mixture = ([p, 1 - p], vectors)
        assert_allclose(theory.fisher_target(*mixture), target, rtol=0, atol=1e-11)
        best = loss.minimizer(*mixture)
        assert not theory.compatible(best, target)
        assert_allclose(theory.regret(best, *mixture), lost, rtol=0, atol=1e-11)
        for consistent in (Cosine(normalizer="dcg"), LeastSquares(normalizer="dcg"), CrossEntropy(normalizer="dcg")):
            assert theory.compatible(consistent.minimizer(*mixture), target)
    assert not theory.compatible(LeastSquares().minimizer(*ETA), theory.fisher_target(*ETA))


def test_switch_points_of_proposition_7() -> None:
    expected = {
        None: 0.3673961936198992,
        "cosine": 0.3953602330968226,
        "cross_entropy": 0.32403243875743526,
        "least_squares": 0.0625,
    }
    for loss, place in expected.items():
        (found,) = theory.switch_points([1, 5], [2, 1], loss)
        assert_allclose(found, place, rtol=0, atol=1e-12)
    for consistent in ("cosine(normalizer=dcg)", "cross_entropy(normalizer=dcg)", "q_norm", "bregman(psi=pnorm:1.5)"):
        assert_allclose(theory.switch_points([1, 5], [2, 1], consistent), [0.3673961936198992], rtol=0, atol=1e-9)
    assert theory.switch_points([1, 0], [2, 0]) == ()
    assert len(theory.switch_points([0, 1, 2], [2, 1, 0])) == 3
    assert_allclose(theory.switch_points([0, 1], [4, 3], pairwise_logistic), [0.5], rtol=0, atol=1e-8)


@pytest.mark.slow
def test_descending_the_expected_loss_ends_in_the_order_that_theory_says() -> None:
    chances, vectors = np.array([0.38, 0.62]), np.array([[1, 5], [2, 1]])
    for name, ndcg, rate in (
        ("cosine", 0.866984598870, 0.5),
        ("cosine(normalizer=dcg)", 0.873958700214, 0.5),
        ("least_squares(normalizer=dcg)", 0.873958700214, 0.3),
        ("cross_entropy(normalizer=dcg)", 0.873958700214, 0.5),
    ):
        scores = np.array([0.1, 0.2])
        for _ in range(2000):
            gradient = losses.loss(name)(vectors.ravel(), np.tile(scores, 2), [0, 2, 4])[1]
            scores = scores - rate * chances @ gradient.reshape(2, 2)
        assert_allclose(theory.expected_ndcg(scores, chances, vectors), ndcg, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "inconsistent", "regret", "counterexample"),
    [
        ("least_squares", 2012, 0.320096024786, ((0.93, 0.07), ((0, 1), (4, 1)))),
        ("cosine", 150, 0.015918097168, ((0.34, 0.66), ((0, 1), (3, 2)))),
        ("cross_entropy", 536, 0.131195455595, ((0.66, 0.34), ((0, 1), (4, 1)))),
        ("list_mle", 806, 0.103291516587, ((0.49, 0.51), ((0, 1), (4, 3)))),
    ],
)
def test_counterexamples_on_the_grid(name: str, inconsistent: int, regret: float, counterexample: Any) -> None:
    found = theory.check_consistency(name, refine=False)
    assert found.consistent is False
    assert (found.searched, found.refined, found.inconsistent, found.undecided) == (27324, 0, inconsistent, 0)
    assert found.counterexample == counterexample
    assert_allclose(found.regret, regret, rtol=0, atol=1e-11)
    check_certificate(name, found)


def check_certificate(loss: Any, found: theory.Consistency) -> None:
    """What the result says can be seen without the search."""
    assert found.counterexample is not None
    assert found.scores is not None
    assert found.target is not None
    assert_allclose(theory.regret(found.scores, *found.counterexample), found.regret, rtol=0, atol=1e-12)
    assert_allclose(theory.fisher_target(*found.counterexample), found.target, rtol=0, atol=1e-12)
    assert not theory.compatible(found.scores, found.target)
    function = losses.loss(loss) if isinstance(loss, str) else loss
    chances, vectors = map(np.asarray, found.counterexample)
    n_docs = vectors.shape[1]

    def risk(scores: Any) -> float:
        values, _ = function(vectors.ravel(), np.tile(scores, len(vectors)), np.arange(0, vectors.size + 1, n_docs))
        return float(chances @ values)

    # Scores in the right order, of many sizes, have more risk, by the charge at least.
    assert found.charge is not None
    assert found.charge > 0
    least = risk(found.scores)
    order = np.argsort(found.target)
    for size in (0.01, 0.1, 1, 3):
        right = np.empty(n_docs)
        right[order] = np.mean(found.scores) + size * np.arange(n_docs)
        assert risk(right) >= least + found.charge - 1e-12


@pytest.mark.slow
def test_refining_makes_the_worst_worse() -> None:
    for name, above in (("least_squares", 0.3229), ("cosine", 0.0180), ("cross_entropy", 0.1325), ("list_mle", 0.1084)):
        found = theory.check_consistency(name)
        assert found.refined > 0
        assert found.inconsistent == theory.check_consistency(name, refine=False).inconsistent
        assert found.regret > above
        check_certificate(name, found)


@pytest.mark.parametrize(
    "name",
    [
        "least_squares(normalizer=dcg)",
        "cosine(normalizer=dcg)",
        "cross_entropy(normalizer=dcg)",
        "q_norm",
        "q_norm(q=3,form=normalized)",
        "bregman(psi=squared)",
        "bregman(psi=kl)",
        "bregman(psi=pnorm:1.2)",
        "bregman(psi=kl,link=scale:3)",
    ],
)
def test_normalised_losses_are_consistent(name: str) -> None:
    found = theory.check_consistency(name)
    assert found.consistent is True
    assert (found.counterexample, found.regret, found.inconsistent, found.undecided) == (None, 0, 0, 0)
    assert found.closed_form
    assert found.n_docs == (2, 3)
    assert "is consistent (Ravikumar et al. 2011" in str(found)
    strong = theory.check_strong_consistency(name)
    assert strong.difference < 1e-9
    # Multiples of the best scores are as good for a cosine, which Definition 3 excludes.
    assert strong.strong is strong.unique is not (name.startswith("cosine") or "normalized" in name)


def test_what_the_search_did_not_refute_is_not_called_consistent() -> None:
    loss = losses.LeastSquares(normalizer="dcg")

    def hidden(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
        return loss(labels, scores, offsets)

    found = theory.check_consistency(hidden, refine=False)
    assert (found.consistent, found.answer, found.n_docs, found.convex) == (None, "not refuted", (2, 3), True)
    assert str(found) == f"hidden is not refuted up to 3 documents; {found.searched:,} mixtures of labels searched"
    alone = theory.check_consistency(hidden, 2, refine=False)
    assert str(alone) == "hidden is not refuted up to 2 documents; 27,324 mixtures of labels searched"


@pytest.mark.slow
def test_soft_ndcg_is_not_called_convex() -> None:
    found = theory.check_consistency("soft_ndcg", levels=(0, 1, 2), refine=False)
    assert (found.convex, found.consistent) == (False, None)
    assert theory.check_strong_consistency("soft_ndcg", n_pairs=5).strong is not True
    for name in ("least_squares", "cross_entropy", "hinge", "pairwise_logistic", "q_norm"):
        assert theory.check_consistency(name, n_docs=2, levels=(0, 1), refine=False).convex


def test_the_search_knows_three_documents_and_other_measures() -> None:
    options: dict[str, Any] = {"n_docs": 3, "levels": (0, 1, 2)}
    assert theory.check_consistency("cross_entropy(normalizer=dcg)", **options).consistent is True
    assert theory.check_consistency("cross_entropy", **options).consistent is False
    linear: dict[str, Any] = {"gain": "linear", "discount": "zipf"}
    matched = LeastSquares(normalizer="dcg", **linear)
    assert theory.check_consistency(matched, **linear).consistent is True
    assert theory.check_consistency(matched).consistent is False
    # Z_1 is the normaliser of NDCG@1, and the whole norm is not.
    assert theory.check_consistency("least_squares(normalizer=1)", cutoff=1, **options).consistent is True
    refuted = theory.check_consistency("least_squares(normalizer=dcg)", cutoff=1, **options)
    assert refuted.consistent is False


#: Losses that need an option, or know labels only as relevant or not.
NOT_GRADED = {"approx", "approx_ap", "approx_precision", "approx_rr", "bregman", "softmax_at_k"}


@pytest.mark.parametrize("name", sorted({*LOSSES.members(), "bregman(psi=pnorm:1.5)"} - NOT_GRADED))
def test_where_labels_are_certain_the_higher_label_comes_first(name: str) -> None:
    for labels in ([0, 2, 1], [4, 0, 1], [1, 2, 3]):
        found = best_scores(losses.loss(name), Mixture.of([[1.0]], [[labels]]))
        assert theory.compatible(found.scores[0], labels)


def pairwise_logistic(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
    """A loss as people write one, for two documents a query."""
    sign = np.sign(labels[::2] - labels[1::2])
    ahead = sign * (scores[::2] - scores[1::2])
    slope = -sign / (1 + np.exp(np.clip(ahead, -50, 50)))
    return np.where(sign == 0, 0, np.logaddexp(0, -ahead)), np.stack([slope, -slope], axis=1).ravel()


def hinge(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
    sign = np.sign(labels[::2] - labels[1::2])
    ahead = sign * (scores[::2] - scores[1::2])
    slope = np.where(ahead < 1, -sign, 0)
    return np.where(sign == 0, 0, np.maximum(0, 1 - ahead)), np.stack([slope, -slope], axis=1).ravel()


@pytest.mark.parametrize("function", [pairwise_logistic, hinge])
def test_a_function_of_the_user_is_searched_numerically(function: Any) -> None:
    # Both decide by the majority of the labels that differ.
    found = theory.check_consistency(function, refine=False)
    assert (found.loss, found.consistent, found.closed_form) == (function.__name__, False, False)
    assert (found.inconsistent, found.undecided) == (806, 0)
    assert found.counterexample == ((0.49, 0.51), ((0, 1), (4, 3)))
    assert_allclose(found.regret, 0.103291516587, rtol=0, atol=1e-11)
    check_certificate(function, found)


@pytest.mark.parametrize(
    ("name", "inconsistent"),
    [
        ("least_squares", 2012),
        ("cross_entropy", 536),
        ("least_squares(normalizer=dcg)", 0),
        ("cross_entropy(normalizer=dcg)", 0),
        ("q_norm(q=3)", 0),
    ],
)
def test_the_numerical_search_agrees_with_closed_forms(name: str, inconsistent: int) -> None:
    loss = losses.loss(name)

    def hidden(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
        return loss(labels, scores, offsets)

    found = theory.check_consistency(hidden, refine=False)
    assert not found.closed_form
    assert (found.inconsistent, found.undecided) == (inconsistent, 0)
    assert found.consistent is (False if inconsistent else None)


def test_minima_of_black_boxes() -> None:
    # The pairwise logistic loss is at ln(.45/.55); the likelihood, rows with equal labels in their order.
    mixture = Mixture.of([[0.55, 0.45]], [[[2, 3], [1, 0]]])
    scores = minimize(Risk(pairwise_logistic, mixture)).scores[0]
    assert_allclose(scores[0] - scores[1], math.log(0.45 / 0.55), rtol=0, atol=1e-6)
    target = theory.fisher_target(*mixture)[0]
    assert_allclose(target, [0.635543584991, 0.432935031645], rtol=0, atol=1e-11)
    assert not theory.compatible(scores, target)
    mixture = Mixture.of([[0.4, 0.3, 0.3]], [[[4, 0, 3], [0, 1, 0], [1, 3, 2]]])
    found = minimize(Risk(ListMLE(ties="stable"), mixture))
    expected = np.array([0.002607005682, 0.032430302424, -0.274702230024])
    assert_allclose(found.scores[0] - found.scores[0].mean(), expected - expected.mean(), rtol=0, atol=1e-6)
    assert found.converged.all()
    assert found.convex.all()
    assert_allclose(
        theory.fisher_target(*mixture)[0], [0.340954790657, 0.523575760268, 0.240025367927], rtol=0, atol=1e-11
    )


@pytest.mark.slow
def test_lambda_rank_is_right_for_two_documents_and_not_for_three() -> None:
    two = theory.check_consistency("lambda_rank", 2, levels=(0, 1, 2), refine=False)
    assert (two.inconsistent, two.consistent) == (0, None)
    both = theory.check_consistency("lambda_rank", levels=(0, 1, 2), refine=False)
    assert (both.consistent, both.n_docs, both.convex) == (False, (2, 3), False)
    check_certificate("lambda_rank", both)
    chances, vectors = np.array([0.41, 0.59]), np.array([[0.0, 1, 1], [2, 0, 1]])
    found = minimize(Risk(losses.LambdaRank(), Mixture.of([chances], [vectors])))
    assert found.converged.all()
    assert_allclose(theory.regret(found.scores[0], chances, vectors), 0.0271618291479, rtol=0, atol=1e-11)
    # Scores in the right order where the gradient vanishes as well: more loss.
    right = [0.117, -0.635, 0.0]
    values, _ = losses.LambdaRank()(vectors.ravel(), np.tile(right, 2), [0, 3, 6])
    assert chances @ values > found.risk[0] + 0.1


def test_a_minimum_of_a_kinked_risk_in_three_dimensions() -> None:
    def distance(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
        away = scores.reshape(-1, 3) - labels.reshape(-1, 3)
        return np.abs(away).sum(axis=1), np.sign(away).ravel()

    # The median of each document's labels.
    mixture = Mixture.of([[0.3, 0.3, 0.4]], [[[0, 4, 2], [1, 0, 2], [3, 1, 1]]])
    found = minimize(Risk(distance, mixture))
    assert_allclose(found.scores, [[1, 1, 2]], rtol=0, atol=1e-5)
    assert found.converged.all()


def test_a_risk_that_is_not_convex_is_left_undecided_if_nothing_refutes_it() -> None:
    def wavy(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
        loss = LeastSquares(normalizer="dcg")
        values, gradient = loss(labels, scores, offsets)
        waves = 0.3 * (np.cos(4 * scores) - 1)
        return values + waves.reshape(-1, 2).sum(axis=1), gradient - 1.2 * np.sin(4 * scores)

    found = theory.check_consistency(wavy, 2, levels=(0, 1, 2), refine=False)
    assert found.consistent is not True
    assert not found.convex
    found = theory.check_consistency("approx_ndcg", 2, levels=(0, 1, 2), refine=False)
    assert (found.consistent, found.inconsistent, found.undecided, found.convex) == (None, 0, 0, False)


def test_a_loss_for_another_measure_is_refuted_though_it_is_not_convex() -> None:
    found = theory.check_consistency("approx_ap", levels=(0, 1, 2), refine=False)
    assert found.consistent is False
    check_certificate("approx_ap", found)


def test_a_minimizer_that_is_none_refutes_nothing() -> None:
    class Wrong(LeastSquares):
        def minimizer(self, probabilities: npt.ArrayLike, label_vectors: npt.ArrayLike) -> Floats:
            return -super().minimizer(probabilities, label_vectors)

    found = theory.check_consistency(Wrong(normalizer="dcg"))
    assert found.inconsistent > 0
    assert found.consistent is None
    assert "is undecided: no counterexample is certain, but minima may not be the lowest" in str(found)


def test_a_flat_minimum_refutes_nothing() -> None:
    def forgiving(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
        # A first document from 2 to 4 and a second from 3 to 5 cost nothing, whatever the labels.
        center = np.tile([3, 4], offsets.size - 1)
        away = np.maximum(np.abs(scores - center) - 1, 0)
        return away.reshape(-1, 2).sum(axis=1), np.where(away > 0, np.sign(scores - center), 0)

    found = theory.check_consistency(forgiving, 2, levels=(0, 1, 2), refine=False)
    assert (found.inconsistent, found.counterexample) == (0, None)


def test_a_loss_without_any_slope_is_consistent_with_nothing_wrong() -> None:
    def nothing(labels: Floats, scores: Floats, offsets: Int64s) -> tuple[Floats, Floats]:
        return np.zeros(offsets.size - 1), np.zeros(labels.size)

    # All scores are best, equal ones too: no scores are clearly in a wrong order.
    assert theory.check_consistency(nothing, levels=(0, 1)).inconsistent == 0


def test_strong_consistency_is_refuted_with_two_mixtures_of_one_target() -> None:
    for name in ("least_squares", "cosine", "cross_entropy", "list_mle"):
        found = theory.check_strong_consistency(name, n_pairs=20)
        assert found.strong is False
        assert_allclose(np.sum(found.first), 1, rtol=0, atol=1e-12)
        one, other = (theory.fisher_target(chances, found.label_vectors) for chances in (found.first, found.second))
        assert_allclose(one, other, rtol=0, atol=1e-12)
        assert min(found.second) >= 0
        assert found.difference > 1e-3
    with pytest.raises(OptionError, match="pass more levels"):
        theory.check_strong_consistency("cosine", levels=(0, 1))


def test_bounds_of_the_excess_risk() -> None:
    msq = "least_squares(normalizer=dcg)"
    constants = [theory.rank_constant(n) for n in (2, 5, 10, 100)]
    assert_allclose(constants, [2.364802193793, 2.816529599405, 3.159050514271, 4.718539766270], rtol=0, atol=1e-11)
    assert theory.rank_constant(7, 1) == 2
    assert_allclose(
        [theory.rank_constant(n, 1.5) for n in (2, 5)], [2.155098449064, 2.296495261126], rtol=0, atol=1e-11
    )
    excess = np.square(np.subtract([0.6, 0.5], theory.fisher_target(*ETA))).sum()
    assert_allclose(excess, 0.141703360181, rtol=0, atol=1e-11)
    assert_allclose(theory.excess_risk_bound(msq, excess, 2), 0.890194473876, rtol=0, atol=1e-11)


def test_bounds_with_a_margin() -> None:
    # Theorem 11 on two queries, equally probable.
    one, other = ETA, ([1.0], [[2, 0]])
    margins = np.array([theory.margin(*one), theory.margin(*other)])
    assert_allclose(margins, [0.159352548022, 0.369070246429], rtol=0, atol=1e-11)
    lost = (theory.regret([0.6, 0.5], *one) + theory.regret([0.9, 0.1], *other)) / 2
    assert_allclose(lost, 0.079676274011, rtol=0, atol=1e-11)
    excess = 0.080851680091
    for a, constant, bound in (
        (0, 1, 0.672418020890),
        (1, 4.492452571181, 0.972031395464),
        (2, 23.361009711631, 1.212221321902),
    ):
        assert_allclose(np.mean(margins**-a), constant, rtol=0, atol=1e-9)
        found = theory.excess_risk_bound(
            "least_squares(normalizer=dcg)", excess, 2, noise_exponent=a, noise_constant=float(np.mean(margins**-a))
        )
        assert_allclose(found, bound, rtol=0, atol=1e-9)
        assert lost <= found


@pytest.mark.parametrize(
    ("name", "p"),
    [
        ("least_squares(normalizer=dcg)", 2.0),
        ("bregman(psi=squared)", 2.0),
        ("bregman(psi=pnorm:1.5)", 1.5),
        ("q_norm(q=3)", 1.5),
        ("cross_entropy(normalizer=dcg)", 1.0),
        ("bregman(psi=kl)", 1.0),
    ],
)
def test_no_excess_risk_is_beyond_its_bound(name: str, p: float) -> None:
    loss: Any = losses.loss(name)
    rng = np.random.default_rng(11)
    for _ in range(100):
        chances = rng.dirichlet(np.ones(3))
        vectors = rng.integers(1, 5, (3, 4)).astype(np.float64)
        scores = rng.uniform(0.05, 1, 4) if p > 1 else np.log(rng.uniform(0.05, 1, 4))

        def risk(at: Floats, chances: Floats = chances, vectors: Floats = vectors) -> float:
            return float(chances @ loss(vectors.ravel(), np.tile(at, 3), [0, 4, 8, 12])[0])

        excess = risk(scores) - risk(loss.minimizer(chances, vectors))
        # exp(scores), and the targets, sum to 4 at the most.
        bound = theory.excess_risk_bound(loss, excess, 4, total=4.0 if p == 1 else None)
        assert theory.strong_convexity(loss, 4, total=4.0).p == p
        assert theory.regret(scores, chances, vectors) <= bound


@pytest.mark.parametrize("name", ["bregman(psi=squared)", "bregman(psi=pnorm:1.5)", "bregman(psi=kl)"])
def test_divergences_grow_as_their_strong_convexity_says(name: str) -> None:
    loss = losses.loss(name)
    assert isinstance(loss, Bregman)
    rng = np.random.default_rng(12)
    offsets = np.arange(0, 4001, 4)
    a, b = rng.uniform(0.01, 1, (2, 4000))
    fit = loss.psi.gradient(b, offsets)
    divergence = loss.psi.value(a, offsets) + loss.psi.conjugate(fit, offsets) - sums(fit * a, offsets)
    constant, p = theory.strong_convexity(loss, 4, total=4.0)
    assert isinstance(p, float)
    ratio = divergence / sums(np.abs(a - b) ** p, offsets) ** (2 / p)
    assert constant <= ratio.min() + 1e-9


def test_losses_without_a_bound_say_so() -> None:
    with pytest.raises(OptionError, match="cosine is not a Bregman divergence"):
        theory.excess_risk_bound("cosine", 0.1, 2)
    with pytest.raises(OptionError, match="pass total"):
        theory.excess_risk_bound("bregman(psi=kl)", 0.1, 2)
    with pytest.raises(DataError, match="not negative"):
        theory.excess_risk_bound("least_squares(normalizer=dcg)", -0.1, 2)
    with pytest.raises(OptionError, match="a >= 0"):
        theory.excess_risk_bound("least_squares(normalizer=dcg)", 0.1, 2, noise_exponent=-1)


def test_the_divergence_of_theorem_8_is_one() -> None:
    # psi = |x|^2, u = (1, 2), v = (.5, -1): 9.25; the printed definition gives 5.125.
    psi = PNorm(2)
    u, v, offsets = np.array([1.0, 2.0]), np.array([0.5, -1.0]), np.array([0, 2])
    canonical = psi.value(u, offsets) + psi.conjugate(psi.gradient(v, offsets), offsets) - psi.gradient(v, offsets) @ u
    assert_allclose(canonical, [9.25], rtol=0, atol=1e-12)
    assert Bregman(psi).label == "bregman"


def test_the_gap_of_training() -> None:
    test = [
        0.49450148174655717,
        0.504751890075995,
        0.5116284345002253,
        0.5170816316387762,
        0.4875914846735773,
        0.5041004517985759,
    ]
    train = [
        0.4483928029956085,
        0.5423106309675669,
        0.4883262051570858,
        0.4485393677818471,
        0.5499057619832886,
        0.5356009538313439,
    ]
    smooth = [
        0.4597191942331232,
        0.5429858019090328,
        0.5000673578165864,
        0.433838426086455,
        0.5949813933453506,
        0.5203057569385982,
    ]
    found = theory.generalization_gap(test, train, smooth)
    assert (found.best, found.trained, found.approximated) == (3, 4, 4)
    assert_allclose([found.gap, found.bound], [0.029490146965, 0.137084527714], rtol=0, atol=1e-11)
    assert found.approximated_gap == pytest.approx(0.029490146965, rel=0, abs=1e-11)
    assert found.approximated_bound == pytest.approx(0.227235790438, rel=0, abs=1e-11)
    assert theory.generalization_gap(test, train).approximated_bound is None


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=1, max_size=8))
def test_gaps_are_within_their_bounds(rankers: list[tuple[float, float, float]]) -> None:
    found = theory.generalization_gap(*zip(*rankers, strict=True))
    assert 0 <= found.gap <= found.bound + 1e-12
    assert found.approximated_gap is not None
    assert found.approximated_bound is not None
    assert 0 <= found.approximated_gap <= found.approximated_bound + 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.fisher_target([0.3, 0.6], ETA[1]), "must sum to 1, got 0.9"),
        (lambda: theory.fisher_target([0.3], ETA[1]), "one probability per label vector"),
        (lambda: theory.fisher_target([-0.3, 1.3], ETA[1]), "probabilities not negative"),
        (lambda: theory.fisher_target([1.0], [[np.nan, 1]]), "labels must be finite"),
        (lambda: theory.fisher_target([1.0], [[-1, 1]]), "gains must not be negative"),
        (lambda: theory.fisher_target([0.5, 0.5], [[1, 2], [1]]), "rectangular arrays"),
        (lambda: theory.regret([0, np.nan], *ETA), "a score must be a finite number"),
        (lambda: theory.violations([1, 2], [1, 2, 3]), "the same length"),
        (lambda: theory.violations([1, np.nan], [1, 2]), "must not contain NaN"),
        (lambda: theory.margin([1.0], [[1]]), "at least two documents"),
        (lambda: theory.generalization_gap([0.5], [0.5, 0.6]), "one value per ranker"),
        (lambda: theory.generalization_gap([0.5], [0.5], [0.1, 0.2]), "approximation must have one value"),
        (lambda: theory.generalization_gap([], []), "flat list of finite numbers"),
        (lambda: theory.check_consistency(lambda *_: (0.0, 0.0)), "one value per query and one number per document"),
        (lambda: theory.switch_points([1], [2]), "at least two documents"),
    ],
)
def test_bad_data_is_a_data_error(call: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "cosin"}, "unknown loss 'cosin'"),
        ({"loss": 3}, "a loss must be a name or a function"),
        ({"loss": "cosine", "n_docs": 1}, "two documents and two levels"),
        ({"loss": "cosine", "levels": (1, 1)}, "two documents and two levels"),
        ({"loss": "cosine", "n_docs": 9}, "too many to search"),
        ({"loss": "cosine", "gain": "cube"}, "unknown gain"),
    ],
)
def test_a_search_that_cannot_be_says_why(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        theory.check_consistency(**options)


def test_the_command_prints_verdicts() -> None:
    run = CliRunner().invoke(commands, ["consistency", "cross_entropy", "cross_entropy(normalizer=dcg)", "--grid"])
    assert run.exit_code == 0
    lines = [line.split() for line in run.output.splitlines()]
    answer = "cross_entropy(normalizer=dcg) is consistent with NDCG; cross_entropy is not consistent."
    assert lines[:2] == [answer.split(), []]
    assert lines[2] == ["loss", "consistent", "regret", "wrong", "of"]
    assert lines[3] == ["cross_entropy", "no", "0.131195", "536", "27,324"]
    assert lines[4] == ["cross_entropy(normalizer=dcg)", "yes", "0", "29,091"]
    # The counterexample as two labeled lists, then the two orders.
    begin = lines.index(["probability", "d1", "d2"])
    assert lines[begin + 1 : begin + 3] == [["0.66", "0", "1"], ["0.34", "4", "1"]]
    picked, best = (line for line in lines if line[:3] == ["the", "loss", "picks"] or line[:2] == ["the", "best"])
    assert picked[:-1] == ["the", "loss", "picks", "d1", "d2"]
    assert best[:-1] == ["the", "best", "d2", "d1"]
    expected = theory.expected_ndcg([[1, 0], [0, 1]], [0.66, 0.34], [[0, 1], [4, 1]])
    assert_allclose([float(picked[-1]), float(best[-1])], expected, rtol=0, atol=5e-5)
    assert ["Expected", "NDCG", "lost:", "0.131195"] in lines
    assert max(len(line) for line in run.output.splitlines() if "  " in line) <= 80  # sentences are whole in a file
    assert "{" not in run.output


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["not refuted"], "No counterexample was found to the consistency of a with NDCG."),
        (["undecided"], "It is undecided whether a is consistent with NDCG."),
        (
            ["no", "undecided", "undecided", "yes"],
            "d is consistent with NDCG; a is not consistent. It is undecided whether b and c are consistent with NDCG.",
        ),
    ],
)
def test_the_answers_in_sentences(answers: list[str], told: str) -> None:
    named = zip("abcd", answers, strict=False)
    found: Any = [SimpleNamespace(loss=name, answer=answer, measured="NDCG") for name, answer in named]
    assert repr(theory.ConsistencyOfLosses(found)) == f"ConsistencyOfLosses({told})"


def test_the_command_explains_its_answer() -> None:
    args = ["consistency", "hinge", "--measure", "ap", "--levels", "0,1", "--grid", "--explain"]
    run = CliRunner().invoke(commands, args)
    assert run.exit_code == 0
    told = " ".join(run.output.split())
    assert "hinge is not consistent with ap." in told
    assert "A loss is consistent with ap if, whatever the distribution of the labels," in told
    assert "No convex loss is consistent with ap" in told
    assert "(0, 0, 1) with probability 0.3846 and (1, 1, 0) with probability 0.6154" in told
    assert max(map(len, run.output.splitlines())) <= 80
    plain = CliRunner().invoke(commands, [*args[:-1], "--quiet"])
    assert "How to read" not in plain.output
    assert "Why" not in plain.output


def test_the_command_prints_json() -> None:
    args = ["consistency", "least_squares(normalizer=1)", "--cutoff", "1", "--levels", "0,1,2", "--n-docs", "3"]
    found = json.loads(CliRunner().invoke(commands, [*args, "--format", "json"]).output)
    assert found["measure"] == "ndcg@1"
    (row,) = found["losses"]
    names = ("loss", "consistent", "counterexample", "inconsistent", "searched")
    assert [row[name] for name in names] == ["least_squares(normalizer=1)", True, None, 0, 32175]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["cosin"], 1, "unknown loss 'cosin'"),
        (["cosine", "--levels", "0,x"], 2, "expected two or more labels, such as 0,1,2"),
        ([], 2, "LOSSES"),
        (["cosine", "--n-docs", "1"], 2, "1 is not in the range"),
    ],
)
def test_the_command_says_what_is_wrong(args: list[str], code: int, message: str) -> None:
    run = CliRunner().invoke(commands, ["consistency", *args])
    assert run.exit_code == code
    assert message in run.output

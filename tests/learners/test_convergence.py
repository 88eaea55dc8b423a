"""Fits that converge whatever the scale of the features, and fits that say that they did not."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

import idealrank as ir
from idealrank import learners
from idealrank.errors import OptionError
from idealrank.learners import features
from idealrank.learners.features import features_of
from idealrank.learners.linear.objective import LinearObjective
from idealrank.learners.linear.query_blocks import QueryBlock


def made(scale: float = 1.0, shift: float = 0.0, n_queries: int = 20) -> ir.RankingData:
    """Labels that follow two features; the first of them has this scale and shift."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(8, 20, n_queries)
    cells = rng.normal(size=(sizes.sum(), 5))
    labels = np.digitize(cells[:, 0] + cells[:, 1] + 0.7 * rng.normal(size=sizes.sum()), [0.3, 1.5])
    cells[:, 0] = scale * cells[:, 0] + shift
    return ir.from_arrays(labels, group=sizes, features=cells.astype(np.float32))


LOSSES = ["pairwise_logistic", "cross_entropy", "squared_hinge", "least_squares(normalizer=dcg)", "q_norm", "list_mle"]


@pytest.mark.parametrize("scale", [1e-20, 1e5, 1e10, 1e30])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_scale_of_a_column_changes_nothing_but_its_weight(loss: str, scale: float) -> None:
    plain, scaled = (learners.LinearRanker(loss, n_threads=1).fit(made(each)) for each in (1.0, scale))
    assert plain.converged_
    assert scaled.converged_
    unscaled = scaled.coef_ * [scale, 1, 1, 1, 1]
    assert_allclose(unscaled, plain.coef_, rtol=0, atol=0.01 * np.abs(plain.coef_).max())
    assert scaled.score(made(scale)) == pytest.approx(plain.score(made()), abs=0.003)


@pytest.mark.parametrize("learner", [learners.ApproxNDCGRanker(), learners.SoftRank()])
def test_a_large_column_does_not_end_losses_that_are_not_convex(learner: Any) -> None:
    assert learner.fit(made(1e5)).score(made(1e5)) == pytest.approx(learner.fit(made()).score(made()), abs=0.02)


def test_a_column_far_from_0_does_not_slow_a_loss_that_depends_on_the_level() -> None:
    plain, shifted = (learners.LeastSquaresRanker().fit(made(shift=each)) for each in (0.0, 1000.0))
    assert_allclose(shifted.coef_, plain.coef_, rtol=0, atol=1e-3)
    assert shifted.intercept_ == pytest.approx(plain.intercept_ - 1000 * plain.coef_[0], abs=1)
    assert len(shifted.history_) < 1.5 * len(plain.history_)


def test_a_penalty_is_of_the_weights_as_they_are() -> None:
    """At the minimum of loss + l2 / 2 ||w||^2, l2 w is minus the gradient of the loss, in the units of the features."""
    data = made(100.0)
    ranker = learners.RankNet(l2=0.5, max_iter=1000).fit(data)
    objective = LinearObjective(QueryBlock.of(data, n_threads=1), ranker.loss_)
    slope = objective(np.append(ranker.coef_, 0.0))[1][:-1]
    assert_allclose(-slope, 0.5 * ranker.coef_, rtol=0, atol=0.01)


def test_the_intercept_of_a_loss_that_ignores_it_stays_0() -> None:
    assert learners.RankNet().fit(made(shift=100.0)).intercept_ == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("cells", [1, 40, 10**6])
@pytest.mark.parametrize("kind", [None, "minmax", "sparse"])
def test_moments_are_those_of_the_matrix(cells: int, kind: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "_CELLS", cells)
    data = made(10.0, 5.0)
    known = data.features
    if kind == "sparse":
        data = ir.from_arrays(data.labels, offsets=data.offsets, features=scipy.sparse.csr_array(known))
    own = features_of(data, "minmax" if kind == "minmax" else None, 1)
    found, matrix = own.moments(), own.matrix().astype(float)
    means = np.repeat(np.add.reduceat(matrix, data.offsets[:-1]) / data.group_sizes[:, None], data.group_sizes, axis=0)
    assert_allclose(found.mean, matrix.mean(axis=0), rtol=0, atol=1e-6)
    assert_allclose(found.total, matrix.var(axis=0), rtol=1e-5, atol=0)
    assert_allclose(found.within, ((matrix - means) ** 2).mean(axis=0), rtol=1e-5, atol=0)
    first, rest = (features_of(data.subset(part), None, 1).moments() for part in (range(7), range(7, 20)))
    if kind is None:
        assert_allclose((first + rest).total, found.total, rtol=1e-9, atol=0)
        assert_allclose((first + rest).within, found.within, rtol=1e-9, atol=0)


@pytest.mark.parametrize("optimizer", ["lbfgs", "gd"])
def test_a_fit_that_did_not_converge_says_so(optimizer: str) -> None:
    ranker = learners.RankNet(max_iter=2, optimizer=optimizer)
    with pytest.warns(ConvergenceWarning, match=r"RankNet did not converge: after max_iter .* raise max_iter") as seen:
        ranker.fit(made())
    assert not ranker.converged_
    assert seen[0].filename == __file__  # where fit was called
    assert ranker.fit(made(), eval_set=made()).converged_  # validation chooses, and may choose early


def test_steepest_descent_on_columns_of_two_scales_says_that_it_did_not_converge() -> None:
    """Steps that are short enough for a column of 1e30 change nothing else."""
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        learners.RankNet(optimizer="gd", max_iter=50).fit(made(1e30))


def test_planes_that_prove_too_little_say_so() -> None:
    with pytest.warns(ConvergenceWarning, match="SVMMap did not converge: after max_iter cutting planes"):
        learners.SVMMap(max_iter=2, l2=0.001).fit(made())
    with pytest.warns(ConvergenceWarning, match="RankSVM did not converge: after max_iter cutting planes"):
        learners.RankSVM(loss="hinge", max_iter=2).fit(made())
    assert learners.SVMMap().fit(made()).converged_


def test_steepest_descent_backtracks() -> None:
    """Against the algorithm written out: twice the last length, halved until the decrease is sufficient."""
    data = made()
    ranker = learners.LinearRanker("least_squares", optimizer="gd", max_iter=4)
    with pytest.warns(ConvergenceWarning):
        ranker.fit(data)
    objective = LinearObjective(QueryBlock.of(data, n_threads=1), ranker.loss_)
    w, length = np.zeros(6), 1.0
    for _ in range(4):
        value, slope = objective(w)
        while objective(w - length * slope)[0] > value - 1e-4 * length * slope @ slope:
            length /= 2
        w, length = w - length * slope, 2 * length
    assert_allclose(ranker.coef_, w[:-1], rtol=1e-12, atol=0)
    assert_allclose(ranker.intercept_, w[-1], rtol=1e-12, atol=0)


def test_steepest_descent_ends_at_a_minimum() -> None:
    descent, newton = (learners.RankNet(l2=5.0, optimizer=name, max_iter=500).fit(made()) for name in ("gd", "lbfgs"))
    assert_allclose(descent.coef_, newton.coef_, rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("learner", "options", "what"),
    [
        ("ListNet", {"max_iter": "5"}, "max_iter: expected a whole number, got '5'"),
        ("ListNet", {"max_iter": 2.5}, "max_iter: expected a whole number of at least 1, got 2.5"),
        ("ListNet", {"l2": "1"}, "l2: expected a number, got '1'"),
        ("ListNet", {"l2": None}, "l2: expected a finite number of at least 0, got None"),
        ("ListNet", {"patience": "3"}, "patience: expected a whole number, got '3'"),
        ("ListNet", {"n_threads": "2"}, "n_threads: expected a whole number, got '2'"),
        ("ListNet", {"random_state": "3"}, "random_state: expected a whole number, got '3'"),
        ("ListNet", {"verbose": "no"}, "verbose: expected True or False, got 'no'"),
        ("RankSVM", {"C": "1"}, "RankSVM: C: expected a number, got '1'"),
        ("AdaRank", {"repeats": 1}, "repeats: expected True or False, got 1"),
        ("SVMMap", {"tolerance": "small"}, "tolerance: expected a finite number above 0, got 'small'"),
        ("RankBoost", {"max_iter": [1]}, r"max_iter: expected a whole number of at least 1, got \[1\]"),
        ("BoostedRanker", {"n_estimators": "5"}, "n_estimators: expected a whole number, got '5'"),
        ("LinearRanker", {"loss": 3}, "expected a loss such as .* got 3"),
        ("LinearRanker", {"measure": 3}, "expected a measure such as .* got 3"),
        ("LinearRanker", {"normalize": 3}, "normalize: unknown value 3; there are 'minmax', 'zscore'"),
    ],
)
def test_options_of_the_wrong_type_are_option_errors(learner: str, options: dict[str, Any], what: str) -> None:
    with pytest.raises(OptionError, match=what):
        getattr(learners, learner)(**options).fit(made())


def test_numbers_of_numpy_are_numbers() -> None:
    ranker = learners.ListNet(max_iter=np.int64(200), l2=np.float32(0.1), verbose=np.bool_(False))  # type: ignore[arg-type]
    assert ranker.fit(made()).converged_

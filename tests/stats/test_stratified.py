"""Systems on several data sets, drawn so that their means are known."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, rankdata, t, ttest_1samp

from idealrank import stats
from idealrank.errors import DataError, OptionError
from idealrank.stats import stratified

#: The true mean of each data set and system: the first five systems are equal over all data sets, not on each.
TRUTH = np.array(
    [
        [0.50, 0.50, 0.50, 0.50, 0.50, 0.45, 0.40],
        [0.40, 0.45, 0.42, 0.42, 0.44, 0.40, 0.38],
        [0.60, 0.55, 0.58, 0.58, 0.56, 0.60, 0.50],
    ]
)
SIZES = (20, 60, 400)
SPREAD = np.array([0.05, 0.1, 0.2, 0.1, 0.05, 0.05, 0.1])


def drawn(rng: Any) -> list[Any]:
    """Return a matrix per data set: what queries share, and noise of a different size for each system."""
    return [
        mean + 0.3 * rng.normal(size=(n, 1)) + SPREAD * rng.normal(size=(n, mean.size))
        for n, mean in zip(SIZES, TRUTH, strict=True)
    ]


def repeated(count: int, what: Any, **options: Any) -> float:
    rng = np.random.default_rng(3)
    return float(np.mean([what(drawn(rng), **options) for _ in range(count)], axis=0).min())


def all_ranks_are_right(matrices: Any, **options: Any) -> bool:
    found = stats.rank_systems(matrices, n_resamples=199, seed=0, **options)
    means = TRUTH.mean(axis=0)
    best = np.array([1 + (means > mean + 1e-9).sum() for mean in means])
    worst = np.array([(means > mean - 1e-9).sum() for mean in means])
    return bool((found.rank_low <= best).all() and (found.rank_high >= worst).all())


def means_are_covered(matrices: Any) -> Any:
    found = stats.rank_systems(matrices, n_resamples=1, seed=0)
    return (found.low <= TRUTH.mean(axis=0)) & (TRUTH.mean(axis=0) <= found.high)


def geometric_means_are_covered(matrices: Any) -> Any:
    found = stats.rank_systems(matrices, n_resamples=1, seed=0)
    truth = np.exp(np.log(TRUTH).mean(axis=0))
    return (found.geometric_low <= truth) & (truth <= found.geometric_high)


@pytest.mark.parametrize("method", ["t", "randomization", "bootstrap"])
def test_all_ranks_are_right_at_once_as_often_as_they_claim(method: str) -> None:
    assert 0.91 < repeated(300, all_ranks_are_right, method=method) < 0.995


def test_the_check_of_ranks_sees_p_values_that_are_not_corrected_for_all_pairs(monkeypatch: Any) -> None:
    def one_by_one(strata: Any, differences: Any, n_resamples: int, seed: int) -> Any:
        error, df = strata.errors(strata.pair_variances())
        return 2 * t.sf(np.abs(differences) / np.where(error > 0, error, 1), df)

    monkeypatch.setitem(stratified._METHODS, "t", one_by_one)
    assert repeated(300, all_ranks_are_right) < 0.88


def test_the_check_of_ranks_sees_percentiles_of_resampled_ranks() -> None:
    """Equal systems are not found to be equal by ranks of resampled means, however many resamples there are."""
    rng = np.random.default_rng(4)
    missed = 0
    for _ in range(40):
        values = rng.normal(size=(50, 10))
        resampled = values[rng.integers(50, size=(100, 50))].mean(axis=1)
        ranks = rankdata(-resampled, axis=1)
        low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
        missed += bool((low > 1).any() or (high < 10).any())
    assert missed == 40


def test_intervals_of_means_over_data_sets_cover_them() -> None:
    assert 0.92 < repeated(400, means_are_covered) < 0.98


def test_the_check_of_means_sees_the_error_of_queries_thrown_together(monkeypatch: Any) -> None:
    def pooled(self: Any, variances: Any) -> Any:
        n, shape = self.sizes.sum(), (-1, *[1] * (variances.ndim - 1))
        return np.sqrt((variances * (self.sizes / n).reshape(shape)).sum(axis=0) / n), np.full(
            variances.shape[1:], n - 1.0
        )

    monkeypatch.setattr(stratified._Strata, "errors", pooled)
    assert repeated(100, means_are_covered) < 0.85


def test_intervals_of_geometric_means_cover_them() -> None:
    assert 0.91 < repeated(400, geometric_means_are_covered) < 0.98


def test_the_check_of_geometric_means_sees_the_error_of_the_mean_itself(monkeypatch: Any) -> None:
    wrong = stratified._geometric

    def without_the_derivative(sets: Any, over: str, level: float) -> Any:
        return wrong(sets._replace(values=[each * 0.4 for each in sets.values]), over, level)

    monkeypatch.setattr(stratified, "_geometric", without_the_derivative)
    assert repeated(100, geometric_means_are_covered) < 0.85


def rejects(matrices: Any, test: Any) -> bool:
    return bool(test([each[:, 0] for each in matrices], [each[:, 1] for each in matrices]).p_value <= 0.05)


def stratified_test(a: Any, b: Any) -> Any:
    return stats.stratified_randomization_test(a, b, n_permutations=199, seed=0, n_threads=1)


def pooled_test(a: Any, b: Any) -> Any:
    return stats.randomization_test(np.concatenate(a), np.concatenate(b), n_permutations=199, seed=0, n_threads=1)


def test_the_stratified_test_rejects_equal_means_as_seldom_as_it_claims_and_others_often() -> None:
    assert 0.01 < repeated(300, rejects, test=stratified_test) < 0.08
    assert repeated(300, rejects, test=pooled_test) > 0.9  # the largest data set decides, where the systems differ
    first = 0.04 * np.eye(7)[0]
    better = repeated(100, lambda m: rejects([each + first for each in m], stratified_test))
    assert better > 0.5


def test_the_stratified_test_of_two_data_sets_counts_signs_exactly() -> None:
    # Weighted differences 1/4, 1/4, -1/2 and their mean 0; of 8 choices of signs all reach 0.
    found = stats.stratified_randomization_test([[1, 1], [0]], [[0, 0], [1]])
    assert (found.difference, found.p_value, found.n_queries) == (0.0, 1.0, 3)
    # Means 1 and 1/2, weights 3/4 and 1/4: 7/8; only both extreme choices of signs reach it.
    found = stats.stratified_randomization_test([[1, 1], [0.5]], [[0, 0], [0]], weights=[3, 1])
    assert (found.difference, found.p_value) == (0.875, 0.25)


def test_p_values_of_all_pairs_are_those_of_all_choices_of_signs() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(7, 3)) + np.array([0, 0, 1.5])
    pairs = list(combinations(range(3), 2))

    def statistics(signs: Any) -> list[float]:
        return [abs(ttest_1samp(signs * (values[:, i] - values[:, j]), 0).statistic) for i, j in pairs]

    largest = np.array([max(statistics(np.array(signs))) for signs in product([1, -1], repeat=7)])
    found = stats.rank_systems([values], n_resamples=20_000, seed=0, method="randomization")
    for pair, own in zip(pairs, statistics(np.ones(7)), strict=True):
        assert found.p_values[pair] == pytest.approx(np.mean(largest >= own - 1e-9), abs=0.015)


def test_p_values_of_one_data_set_are_those_of_paired_t_tests_with_holms_correction() -> None:
    values = np.random.default_rng(5).normal(size=(9, 4))
    pairs = list(combinations(range(4), 2))
    expected = stats.holm([stats.t_test(values[:, i], values[:, j]).p_value for i, j in pairs])
    found = stats.rank_systems([values], seed=0).p_values
    assert [found[pair] for pair in pairs] == pytest.approx(expected.tolist())
    assert (found == found.T).all()


def test_bootstrap_p_values_are_those_of_resampled_studentized_differences() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(0.4, 1, 7)
    found = stats.rank_systems([np.column_stack([values, 0 * values])], n_resamples=20_000, seed=0, method="bootstrap")
    error = values.std(ddof=1) / np.sqrt(7)
    # The t statistic as a normal one, and resampled means, whose variance has the denominator n, scaled to n - 1.
    reached = norm.isf(t.sf(values.mean() / error, 6))
    means = (values - values.mean())[rng.integers(7, size=(50_000, 7))].mean(axis=1) * np.sqrt(7 / 6)
    assert found.p_values[0, 1] == pytest.approx(np.mean(np.abs(means) / error >= reached), abs=0.012)


@pytest.mark.parametrize("level", [0.3, 0.05, 1e-4])
def test_ranks_count_the_systems_that_are_better_or_worse_at_the_level(level: float) -> None:
    found = stats.rank_systems(drawn(np.random.default_rng(8)), seed=0, level=level)
    told = found.p_values <= level
    assert (found.rank_low == 1 + (told & (found.differences < 0)).sum(axis=1)).all()
    assert (found.rank_high == 7 - (told & (found.differences > 0)).sum(axis=1)).all()
    assert 0 < told.sum() < 42


def test_few_equal_systems_or_data_sets_are_not_told_apart_too_often() -> None:
    rng = np.random.default_rng(6)
    told = {"t": 0, "randomization": 0, "bootstrap": 0}
    for seed in range(200):
        values = rng.normal(size=(8, 1)) + rng.normal(size=(8, 10)) * np.linspace(0.5, 2, 10)
        for method in told:
            found = stats.rank_systems([values], n_resamples=199, seed=seed, method=method)
            told[method] += bool((found.p_values <= 0.05).any())
    assert max(told["t"], told["randomization"]) <= 18
    assert told["bootstrap"] > 18  # as its documentation says


def test_one_data_set_gives_the_mean_and_the_interval_of_its_queries() -> None:
    values = np.random.default_rng(0).normal(size=(30, 3))
    found = stats.rank_systems([values], seed=0)
    for column, mean, low, high in zip(values.T, found.means, found.low, found.high, strict=True):
        own = stats.interval(column)
        assert (mean, low, high) == pytest.approx((own.mean, own.low, own.high))


def test_data_sets_are_resampled_as_queries_are() -> None:
    matrices = drawn(np.random.default_rng(0))
    means = np.stack([each.mean(axis=0) for each in matrices])
    over = stats.rank_systems(matrices, over="datasets", seed=1)
    same = stats.rank_systems([means], seed=1)
    assert over.p_values == pytest.approx(same.p_values)
    assert (over.low == same.low).all()
    assert over.mean_ranks == pytest.approx(np.mean([rankdata(-each) for each in means], axis=0))
    logs = [stats.interval(column) for column in np.log(means).T]
    assert over.geometric_low == pytest.approx([np.exp(each.low) for each in logs])
    assert over.geometric_means == pytest.approx([np.exp(each.mean) for each in logs])


def test_ranks_turn_around_where_lower_is_better_and_equal_systems_share_them() -> None:
    matrices = [np.column_stack([each[:, :5], each[:, 0]]) for each in drawn(np.random.default_rng(1))]
    up, down = (stats.rank_systems(matrices, seed=0, lower_is_better=lower) for lower in (False, True))
    assert up.ranks[0] == up.ranks[5]
    assert up.p_values[0, 5] == 1
    assert (up.rank_low + down.rank_high == 7).all()
    assert up.mean_ranks == pytest.approx(7 - down.mean_ranks)


@pytest.mark.parametrize(
    ("matrices", "options", "message"),
    [
        ([], {}, "there is no data set"),
        ([[[1.0, 2.0]]], {}, "data set 1 has 1 query with values; two or more are needed"),
        ({"a": [[1, 2], [2, 3]], "b": [[np.nan, 1]]}, {"over": "datasets"}, "data set b has no query with values"),
        ([[[1, 2], [2, 3]], [[1], [2]]], {}, "all data sets need the same systems, got 1, 2 systems"),
        ([[[1], [2]]], {}, "two systems or more"),
        ([[[1, 2], [2, 3]]], {"over": "datasets"}, "needs two data sets or more"),
        ({"a": [[1, np.inf], [2, 3]]}, {}, "data set a: a value must be finite"),
        ("abc", {}, "expected one matrix per data set, got str"),
    ],
)
def test_bad_data_sets_are_named(matrices: Any, options: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        stats.rank_systems(matrices, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"weights": [1, 2]},
        {"weights": [-1]},
        {"weights": ["x"]},
        {"level": 1},
        {"n_resamples": 0},
        {"over": "topics"},
        {"method": "x"},
    ],
)
def test_bad_options_are_refused(options: Any) -> None:
    with pytest.raises(OptionError):
        stats.rank_systems([[[1.0, 2.0], [2.0, 3.0]]], **options)


def test_values_without_variance_or_below_zero_have_a_note_and_no_number() -> None:
    constant = [[[1.0, 2.0]] * 4]
    for method in ("t", "bootstrap"):
        found = stats.rank_systems(constant, seed=0, method=method)
        assert found.p_values[0, 1] == 1 / 8
        assert found.rank_low.tolist() == [1, 1]
        disagreeing = stats.rank_systems([[[1.0, 2.0]] * 40, [[3.0, 1.0]] * 40], seed=0, method=method)
        assert disagreeing.p_values[0, 1] == 1
    longer = stats.rank_systems([[[1.0, 2.0]] * 4, [[1.0, 3.0]] * 4, [[1.0, 1.0]] * 9])
    assert longer.p_values[0, 1] == 2.0**-7
    assert longer.rank_low.tolist() == [2, 1]
    swapped = stats.rank_systems(
        constant, seed=0, n_resamples=20_000, method="randomization"
    )  # 2 of 16 choices of signs are as extreme
    assert swapped.p_values[0, 1] == pytest.approx(1 / 8, abs=0.01)
    assert "no geometric means" in stats.rank_systems([[[-1.0, 2.0], [-1.5, 2.0]]], seed=0).note
    zero = stats.rank_systems([[[0.0, 2.0], [0.0, 2.5]]], seed=0)
    assert zero.geometric_means[0] == 0
    assert "geometric means are 0" in zero.note

"""Intervals of means of values in a known range: they stay in it, and contain the true mean."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

import idealrank as ir
from idealrank import stats
from idealrank._core.exact import Moments
from idealrank.errors import DataError, OptionError
from idealrank.stats.intervals import bounded_interval, difference_interval


def lists(*hits: int) -> tuple[list[int], list[int], list[int]]:
    """Return labels, scores and group sizes of queries whose first document of two is relevant (1) or not (0)."""
    return [label for hit in hits for label in (hit, 1 - hit)], [2, 1] * len(hits), [2] * len(hits)


def test_a_perfect_mean_is_not_certain() -> None:
    labels, scores, group = lists(*[1] * 10)
    ev = ir.evaluate(labels, scores, ["recall@1", "hit_rate@1", "rr", "ndcg"], group=group)
    assert set(ev.mean.values()) == {1.0}
    low = binomtest(10, 10).proportion_ci(0.95, "exact").low
    for bounds in ev.interval().values():
        assert bounds == pytest.approx((low, 1.0), rel=1e-12)


def test_equal_tiny_values_have_no_variance() -> None:
    assert Moments.of(np.array([1e-150, 1e-150])).variance == 0


def test_hit_rates_have_the_interval_of_wilson_with_the_quantile_of_t() -> None:
    labels, scores, group = lists(*[1] * 7, *[0] * 3)
    low, high = ir.evaluate(labels, scores, "hit_rate@1", group=group).interval()["hit_rate@1"]
    for end in (low, high):
        assert abs(0.7 - end) == pytest.approx(t.ppf(0.975, 9) * math.sqrt(end * (1 - end) / 10))
    assert 0 < low < 0.7 < high < 1


@given(
    values=st.lists(st.floats(0, 1), min_size=2, max_size=30),
    low=st.floats(-5, 5),
    size=st.floats(0.01, 100),
    level=st.floats(0.5, 0.999),
)
def test_intervals_stay_in_the_range_and_contain_the_mean(
    values: list[float], low: float, size: float, level: float
) -> None:
    scaled = np.clip(low + size * np.array(values), low, low + size)
    found = stats.interval(scaled, level, value_range=(low, low + size))
    assert low <= found.low <= found.mean <= found.high <= low + size
    assert found.low < found.high
    assume((np.ptp(scaled) == 0) == (np.ptp(values) == 0))  # equal values have a rule of their own
    shifted = stats.interval(values, level, value_range=(0, 1))
    assert (found.low, found.high) == pytest.approx((low + size * shifted.low, low + size * shifted.high), abs=1e-6)


#: Distributions of values per query: of hits, reciprocal ranks, recall and NDCG.
POPULATIONS = {
    "hits, often": np.repeat([1.0, 0.0], [90, 10]),
    "hits, seldom": np.repeat([1.0, 0.0], [30, 70]),
    "reciprocal ranks": np.repeat([1.0, 1 / 2, 1 / 3, 1 / 5, 1 / 20, 0.0], [45, 20, 10, 10, 10, 5]),
    "recall, nearly all": np.repeat([1.0, 0.9, 0.5, 0.0], [70, 15, 10, 5]),
    "recall, little": np.repeat([0.0, 0.02, 0.05, 0.1, 0.5, 1.0], [50, 15, 15, 10, 8, 2]),
    "ndcg": np.random.default_rng(0).beta(2, 3, 1000),
    "ndcg, without relevant documents": np.r_[np.zeros(150), np.random.default_rng(1).beta(4, 3, 850)],
}
#: Few samples of 10 queries have one of the 2 to 5% of queries that differ most, and without it nothing shows them.
RARE = ("recall, nearly all", "recall, little")


@pytest.mark.parametrize("n", [5, 10, 20, 50])
@pytest.mark.parametrize("name", POPULATIONS)
def test_95_percent_intervals_cover_the_mean(name: str, n: int) -> None:
    population = POPULATIONS[name]
    drawn = np.random.default_rng(n).choice(population, size=(600, n))
    drawn_variances = np.where(np.ptp(drawn, axis=1) == 0, 0.0, drawn.var(axis=1, ddof=1))
    found = [
        bounded_interval(mean, variance, n, 0.95, (0, 1))
        for mean, variance in zip(drawn.mean(axis=1), drawn_variances, strict=True)
    ]
    covered = np.mean([low <= population.mean() <= high for low, high in found])
    # Only few means of hits are possible, so that no method is at 0.95 for all rates.
    assert covered > (0.90 if n >= 50 or name not in RARE else 0.73)
    assert n < 20 or covered < 0.985


def test_student_s_t_would_not_cover() -> None:
    population = POPULATIONS["hits, often"]
    drawn = np.random.default_rng(0).choice(population, size=(600, 10))
    found = [stats.interval(each) for each in drawn]
    assert np.mean([each.low <= 0.9 <= each.high for each in found]) < 0.7


def test_values_without_a_range_or_beyond_it_have_student_s_t() -> None:
    data = ir.from_arrays([3, 0, 1, 2, 0, 1], group=[2, 2, 2])
    scores = [2, 1, 1, 2, 2, 1]
    ev = ir.evaluate(data, scores, ["dcg", "ndcg"])
    assert [ev.mean_interval(name).method for name in ("dcg", "ndcg")] == ["t", "score"]
    expected = stats.interval(ev.per_query["dcg"])
    assert expected.low < 0  # DCG is not
    assert ev.interval()["dcg"] == (0.0, expected.high)
    beyond = Moments.of(np.array([0.5, 1.5]), value_range=(0, 1))
    assert beyond.limits == (-math.inf, math.inf)
    with pytest.raises(DataError, match=r"range from 0 to 1, got 1\.5"):
        stats.interval([0.5, 1.5], value_range=(0, 1))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"method": "score"}, "needs the range"),
        ({"value_range": (1, 0)}, "two numbers"),
        ({"value_range": (0, math.inf), "method": "score"}, "needs the range"),
        ({"method": "magic"}, "magic"),
    ],
)
def test_options_of_an_interval_that_make_no_sense_are_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(OptionError, match=what):
        stats.interval([0.5, 0.75], **options)


def test_differences_have_student_s_t_within_their_range() -> None:
    values = np.array([1.0, 0.9, -1.0])
    found = difference_interval(Moments.of(values, value_range=(-1, 1)), 3, 0.95)
    plain = stats.interval(values)
    assert (plain.low, plain.high) > (found.low, found.high) or plain.high > 1
    assert (found.low, found.high) == (max(plain.low, -1), min(plain.high, 1))


@pytest.mark.parametrize(("n_different", "has_note"), [(5, True), (6, False)])
def test_intervals_from_few_differences_have_a_note(n_different: int, has_note: bool) -> None:
    labels, scores, group = lists(*[1] * 12)
    other = [1, 2] * n_different + [2, 1] * (12 - n_different)
    (found,) = ir.compare(labels, {"a": scores, "b": other}, "rr", group=group).differences["rr"]
    assert ("fewer than 6 queries differ" in found.note) == has_note


def test_weights_count_as_many_queries_as_they_are_worth() -> None:
    labels, scores, group = lists(*[1] * 12)
    weights = np.array([10.0] * 2 + [0.01] * 10)  # hardly more than two queries
    ev = ir.evaluate(labels, scores, "rr", group=group, query_weights=weights)
    low, high = ev.interval()["rr"]
    assert (low, high) == pytest.approx((0.025**0.5, 1.0), abs=0.01)


def test_geometric_means_stay_in_the_range() -> None:
    labels, scores, group = lists(*[1] * 10)
    low, high = ir.evaluate(labels, scores, "gm_map(ties=stable)", group=group).interval()["gm_map(ties=stable)"]
    assert 0 < low < 1
    assert high == 1

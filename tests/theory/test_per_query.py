"""A curve per query: means of ratios instead of ratios of means."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from theory_models import distinguish_two

from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.measures import measure
from idealrank.theory import StepCurve, limit
from idealrank.theory.long_lists.limits_of_means import Mean, fit_queries, prospect


def drawn(n_queries: int, n: int, seed: int, noise: float = 0.0) -> tuple[Floats, Floats, Int64s, Floats, Floats]:
    """Queries with shares p ~ Beta(1, 4) of relevant documents and curves p (1 - t + 2 t s) of several steepnesses."""
    rng = np.random.default_rng(seed)
    p = 0.5 * rng.beta(1, 4, n_queries) + 0.01
    steep = 1 - rng.random(n_queries) * noise
    s = rng.random((n_queries, n))
    labels = (rng.random(s.shape) < p[:, None] * (1 - steep[:, None] + 2 * steep[:, None] * s)).astype(float)
    return labels.ravel(), s.ravel(), np.arange(0, s.size + 1, n), p, steep


@pytest.mark.parametrize("name", ["ndcg(discount=power:0.5)", "ndcg@20%", "ndcg(discount=power:0.25)"])
def test_limits_are_means_over_queries_not_of_the_pooled_curve(name: str) -> None:
    labels, scores, offsets, p, steep = drawn(60, 4000, 1, noise=0.5)
    true = np.mean([limit(name, lambda s, p=p, t=t: p * (1 - t + 2 * t * s)) for p, t in zip(p, steep, strict=True)])  # type: ignore[misc]
    fits = fit_queries(labels, scores, offsets)
    found = prospect(measure(name), fits)
    pooled = limit(name, StepCurve.fit(labels, scores, offsets, method="top"))
    assert found.limit.value == pytest.approx(true, abs=0.012)
    assert found.limit.low < true < found.limit.high
    assert abs(pooled - true) > 3 * abs(found.limit.value - true)
    seen = measure(name)(labels, scores, offsets).mean()
    assert found.expected.value == pytest.approx(seen, abs=0.005)


def test_the_gap_on_queries_of_many_kinds_is_within_its_interval() -> None:
    labels, scores, offsets, *_ = drawn(150, 60, 2)
    other = scores + 0.7 * np.random.default_rng(3).standard_normal(scores.size)
    found = distinguish_two(labels, scores, other, offsets=offsets)
    for row in found.measures:
        low, high = row.predicted_interval
        assert low <= row.mean_a - row.mean_b <= high
        assert row.predicted_gap == pytest.approx((low + high) / 2)
        m = measure(row.measure)
        kept = np.add.reduceat(labels, offsets[:-1]) > 0
        seen = (m(labels, scores, offsets) - m(labels, other, offsets))[kept]
        assert math.hypot(row.sd_documents, row.sd_queries) == pytest.approx(seen.std(ddof=1), rel=0.35)


def test_the_predicted_gap_is_the_mean_over_queries_not_that_of_the_pooled_curve() -> None:
    # 20 queries with 5% relevant documents that A puts on top, 20 with 80% and both at random, 10 with none. Under
    # r^-1/2 the gap of the first is 1 - 0.05 / sqrt(0.05) on long lists; a pooled curve gives a third of the mean.
    rng = np.random.default_rng(4)
    n, offsets = 400, np.arange(0, 50 * 400 + 1, 400)
    s = rng.random((50, n))
    labels = np.concatenate([s[:20] >= 0.95, rng.random((20, n)) < 0.8, np.zeros((10, n))]).astype(float).ravel()
    a, b = s.ravel(), rng.random(s.size)
    name, skipping = "ndcg(discount=power:0.5)", "ndcg(discount=power:0.5,empty=skip)"
    found = distinguish_two(labels, a, b, [name, skipping], offsets=offsets)
    for each, n_counted in ((found[name], 50), (found[skipping], 40)):
        expected = 20 / n_counted * (1 - 0.05 / math.sqrt(0.05))
        # Limits are about the 40 queries with relevant documents, predictions about those that count.
        assert each.limit_a - each.limit_b == pytest.approx(expected * n_counted / 40, abs=0.03)
        assert each.predicted_gap == pytest.approx(each.mean_a - each.mean_b, abs=0.03)
        assert each.predicted_gap > 0.9 * expected


def test_the_variance_is_split_into_documents_and_queries() -> None:
    rng = np.random.default_rng(5)
    n_queries, n = 200, 100
    s = rng.random((n_queries, n))
    offsets = np.arange(0, s.size + 1, n)
    # Queries of one kind: all of the variance is chance of the documents.
    labels = rng.random(s.shape) < 0.2 + 0.4 * s
    other = rng.random(s.size)
    same = distinguish_two(labels.ravel().astype(float), s.ravel(), other, "ndcg@20%", offsets=offsets)["ndcg@20%"]
    assert same.sd_queries < 0.6 * same.sd_documents
    # Queries on which A is right, and others on which it is wrong.
    turned = np.where(np.arange(n_queries)[:, None] % 2, s, 1 - s)
    labels = rng.random(s.shape) < 0.1 + 0.8 * turned
    both = distinguish_two(labels.ravel().astype(float), s.ravel(), other, "ndcg@20%", offsets=offsets)["ndcg@20%"]
    assert both.sd_queries > 2 * both.sd_documents
    # With one query nothing is known of others.
    one = distinguish_two(labels[0].astype(float), s[0], other[:n], "ndcg@20%")["ndcg@20%"]
    assert math.isnan(one.sd_queries)
    assert one.predicted_interval[0] < one.predicted_gap < one.predicted_interval[1]


def test_a_query_with_few_documents_borrows_the_shape_and_keeps_its_shares() -> None:
    labels, scores, offsets, *_ = drawn(800, 12, 6)
    fits = fit_queries(labels, scores, offsets)
    alone = fit_queries(labels, scores, offsets, prior=0)
    assert_allclose(fits.weights, 12 / 32)
    assert (alone.weights == 1).all()
    shares = np.add.reduceat(labels, offsets[:-1])[fits.queries] / 12
    assert_allclose([curve.p for curve in fits.curves], shares, rtol=0, atol=2e-3)
    assert_allclose([curve.p for curve in alone.curves], shares, rtol=0, atol=1e-12)
    # The curve of a query with its own share of relevant documents, on a grid: closer than that of its documents alone.
    s = (np.arange(20) + 0.5) / 20
    true = 2 * shares[:, None] * s
    errors = [np.mean((np.array([curve(s) for curve in each.curves]) - true) ** 2) for each in (fits, alone)]
    assert errors[0] < 0.4 * errors[1]
    # Heavily pooled, the curves still have the mean of what is seen: steeper than a curve of queries of several shares.
    common = fit_queries(labels, scores, offsets, prior=1e9)
    m = measure("ndcg@5")
    assert prospect(m, common).expected.value == pytest.approx(prospect(m, alone).expected.value, abs=0.02)


def test_graded_gains_keep_the_share_of_each() -> None:
    rng = np.random.default_rng(7)
    labels, scores = rng.integers(0, 4, 240).astype(float), rng.random(240)
    labels[:30] = np.where(labels[:30] > 1, 0, labels[:30])  # a query without the highest gains
    fits = fit_queries(2**labels - 1, scores, np.arange(0, 241, 30))
    for number, curve in zip(fits.queries, fits.curves, strict=True):
        own = labels[30 * number : 30 * number + 30]
        assert_allclose(curve.shares, [np.mean(2**own - 1 == level) for level in curve.levels], rtol=0, atol=2e-3)
    assert fits.curves[0].levels == (1.0,)


def test_spread_of_a_long_list_has_both_parts() -> None:
    labels, scores, offsets, *_ = drawn(100, 300, 8)
    fits = fit_queries(labels, scores, offsets)
    found = prospect(measure("ndcg@1"), fits)
    tops = np.array([curve.top for curve in fits.curves])
    assert found.spread == pytest.approx(math.sqrt(tops.mean() * (1 - tops.mean())))
    assert math.isnan(found.limit.value)
    assert math.isnan(prospect(measure("ndcg@20%"), fits).spread)


def test_a_mean_over_queries_has_the_interval_of_student() -> None:
    values = np.array([0.1, 0.4, np.nan, 0.7])
    found = Mean.of_differences(values, 0.09)
    assert (found.value, found.low) == pytest.approx((0.4, 0.4 - 4.302652729 * 0.3 / math.sqrt(3)))
    assert found.high == 1.0  # not beyond the range of differences
    assert 0 < Mean.of(values).low < 0.4 < Mean.of(values).high < 1
    assert math.isnan(Mean.of(np.array([np.nan])).value)
    with pytest.raises(OptionError, match="must be finite and not negative, got -1"):
        fit_queries([1, 0], [2, 1], prior=-1)


@pytest.mark.slow
def test_five_gaps_of_real_queries_are_within_their_intervals(real_data) -> None:  # type: ignore[no-untyped-def]
    from idealrank import read_letor

    parts = [read_letor(real_data / "mq2008" / f"S{fold}.txt.xz") for fold in range(1, 6)]
    labels = np.concatenate([part.labels for part in parts])
    features = np.concatenate([part.known_features() for part in parts])
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    found = distinguish_two(labels, features[:, 38], features[:, 25], offsets=offsets)
    # 220 of 784 queries have nothing relevant; they count 0, as in evaluate. Without them, the gap is 0.1425.
    assert found["ndcg@10"].mean_a - found["ndcg@10"].mean_b == pytest.approx(0.1025, abs=1e-4)
    for row in found.measures:
        low, high = row.predicted_interval
        assert low < row.mean_a - row.mean_b < high
        assert high - low < 0.085
    assert found["ndcg@10"].predicted_gap == pytest.approx(0.14 * 564 / 784, abs=0.004)
    skipped = distinguish_two(labels, features[:, 38], features[:, 25], "ndcg(empty=skip)@10", offsets=offsets)
    (row,) = skipped.measures
    assert row.mean_a - row.mean_b == pytest.approx(0.1425, abs=1e-4)
    assert row.predicted_gap == pytest.approx(0.14, abs=0.005)  # a pooled curve gives 0.085

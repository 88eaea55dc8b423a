"""A curve per query: means of ratios instead of ratios of means."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from theory_models import distinguish_two

from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.measures import Measure, measure
from idealrank.theory import StepCurve, bounded_law, limit, pseudo_expectation
from idealrank.theory.long_lists.limits_of_means import Mean, expected_values, fit_queries, limit_mean, prospect
from idealrank.theory.long_lists.stacked_curves import StepCurves


def drawn(n_queries: int, n: int, seed: int, noise: float = 0.0) -> tuple[Floats, Floats, Int64s, Floats, Floats]:
    """Queries with shares p ~ Beta(1, 4) of relevant documents and curves p (1 - t + 2 t s) of several steepnesses."""
    rng = np.random.default_rng(seed)
    p = 0.5 * rng.beta(1, 4, n_queries) + 0.01
    steep = 1 - rng.random(n_queries) * noise
    s = rng.random((n_queries, n))
    labels = (rng.random(s.shape) < p[:, None] * (1 - steep[:, None] + 2 * steep[:, None] * s)).astype(float)
    return labels.ravel(), s.ravel(), np.arange(0, s.size + 1, n), p, steep


def one_by_one(stack: StepCurves) -> list[StepCurve]:
    """The curves as objects of their own, without steps that have no width and levels that a query does not have."""
    found = []
    for edges, steps in zip(stack.edges, stack.steps, strict=True):
        wide = np.diff(edges) > 0
        rows = {level: row[wide] for level, row in zip(stack.levels, steps, strict=True) if row.any()}
        found.append(StepCurve(np.append(edges[:-1][wide], 1.0), rows))
    return found


def uneven() -> tuple[Floats, Floats, Int64s]:
    """Queries of many sizes, one of them long enough for more steps than others, with ties and without high gains."""
    rng = np.random.default_rng(9)
    sizes = [1, 2, 3000, 40, 41, 7, 50, 1300]
    labels, scores = rng.integers(0, 4, sum(sizes)).astype(float), rng.integers(0, 60, sum(sizes)).astype(float)
    labels[:3] = [2, 0, 1]
    labels[3003:3043] = np.minimum(labels[3003:3043], 1)
    return labels, scores, np.append(0, np.cumsum(sizes))


@pytest.mark.parametrize("method", ["top", "bins", "isotonic", "raw"])
def test_curves_at_once_are_those_of_single_queries(method: str) -> None:
    labels, scores, offsets = uneven()
    own = one_by_one(fit_queries(labels, scores, offsets, method=method).own)
    for number, curve in enumerate(own):
        rows = slice(*offsets[number : number + 2])
        alone = StepCurve.fit(labels[rows], scores[rows], method=method)
        assert curve.levels == alone.levels
        assert_allclose(curve.edges, alone.edges, rtol=0, atol=1e-15)
        assert_allclose(curve.steps, alone.steps, rtol=0, atol=1e-13)
        # By the definition: the share of each gain below each edge, where equal scores share their places evenly.
        ends = np.append(0, np.unique(scores[rows], return_counts=True)[1].cumsum()) / (rows.stop - rows.start)
        for level, row in zip(curve.levels, curve.below(curve.edges), strict=True):
            counts = [np.sum(labels[rows][scores[rows] == score] == level) for score in np.unique(scores[rows])]
            shares = np.append(0, np.cumsum(counts)) / (rows.stop - rows.start)
            expected = np.interp(curve.edges, ends, shares)
            assert method == "isotonic" or np.abs(row - expected).max() < 1e-13


def expected_or_nan(m: Measure, curve: StepCurve, n: int) -> float:
    """The expected value, or NaN if the curve has less than one relevant document."""
    try:
        return pseudo_expectation(m, curve, n)
    except DataError:
        return math.nan


@pytest.mark.parametrize("method", ["top", "isotonic"])
@pytest.mark.parametrize(
    "name", ["ndcg", "ndcg(discount=power:0.5)", "ndcg@20%", "ndcg@10", "ndcg(discount=zipf)", "linear_ndcg"]
)
def test_values_at_once_are_those_of_single_curves(name: str, method: str) -> None:
    labels, scores, offsets = uneven()
    m, fits = measure(name), fit_queries(labels, scores, offsets, method=method)
    curves = one_by_one(fits.curves)
    expected = [expected_or_nan(m, each, n) for each, n in zip(curves, fits.sizes.tolist(), strict=True)]
    assert_allclose(expected_values(m, fits), expected, rtol=1e-12)
    assert np.count_nonzero(np.isnan(expected)) < 3
    if name == "ndcg@10":
        variances = [bounded_law(m, each).variance for each in curves]
        tops = [each.top / each.best for each in curves]
        assert prospect(m, fits).spread == pytest.approx(math.sqrt(np.mean(variances) + np.var(tops)), rel=1e-12)
    else:
        assert limit_mean(m, fits).value == pytest.approx(np.mean([limit(m, each) for each in curves]), rel=1e-12)


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
    assert_allclose(fits.curves.shares[:, 0], shares, rtol=0, atol=2e-3)
    assert_allclose(alone.curves.shares[:, 0], shares, rtol=0, atol=1e-12)
    # The curve of a query with its own share of relevant documents, on a grid: closer than that of its documents alone.
    s = (np.arange(20) + 0.5) / 20
    true = 2 * shares[:, None] * s
    gains = [np.array([curve(s) for curve in one_by_one(each.curves)]) for each in (fits, alone)]
    errors = [np.mean((each - true) ** 2) for each in gains]
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
    for number, shares in zip(fits.queries, fits.curves.shares, strict=True):
        own = labels[30 * number : 30 * number + 30]
        assert_allclose(shares, [np.mean(2**own - 1 == level) for level in (7, 3, 1)], rtol=0, atol=2e-3)
    assert fits.curves.levels.tolist() == [7, 3, 1]
    assert fits.curves.best.tolist() == [1, *[7] * 7]
    assert not fits.curves.steps[0, :2].any()


def test_spread_of_a_long_list_has_both_parts() -> None:
    labels, scores, offsets, *_ = drawn(100, 300, 8)
    fits = fit_queries(labels, scores, offsets)
    found = prospect(measure("ndcg@1"), fits)
    tops = fits.curves.top
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

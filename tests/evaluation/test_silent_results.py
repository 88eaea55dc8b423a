"""What used to give a wrong number in silence: it is right now, reported as a problem, or an error."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow
import pytest

import idealrank as ir
from idealrank import stats
from idealrank._core.exact import WeightedMoments
from idealrank.errors import DataError, OptionError
from idealrank.stats.intervals import bounded_interval, interval_of

ROWS = pyarrow.table(
    {"qid": ["a", "a", "b", "b", "b", "c"], "label": [1, 0, 0, 1, 0, 1], "score": [0.1, 0.2, 0.3, 0.2, 0.1, 1.0]}
)


def test_a_stream_refuses_a_query_that_is_split_between_batches() -> None:
    assert ir.evaluate_stream([ROWS[:2], ROWS[2:]], "rr").n_queries == 3
    with pytest.raises(DataError, match=r"in two batches.*query 'b'"):
        ir.evaluate_stream([ROWS[:4], ROWS[4:]], "rr")
    with pytest.raises(DataError, match=r"in two batches.*query 'a'"):  # not only neighbors
        ir.evaluate_stream([ROWS[:1], ROWS[2:], ROWS[1:2]], "rr")


@pytest.mark.parametrize("first", [0, 5])
def test_integer_query_ids_are_recognized_in_frames(first: int) -> None:
    frame = pyarrow.table({"qid": [first, first, first + 1, first + 1], "label": [1, 0, 1, 0], "score": [1.0, 2, 3, 4]})
    with pytest.raises(DataError, match=f"in two batches.*query {first + 1}"):
        ir.evaluate_stream([frame[:3], frame[3:]], "rr")
    data = [ir.from_frame(part, query="qid", label="label", score="score") for part in (frame[:3], frame[3:])]
    with pytest.raises(DataError, match=f"in two batches.*query {first + 1}"):
        ir.evaluate_stream(data, "rr")


def test_the_numbers_of_data_without_query_ids_are_no_ids() -> None:
    batches = [ir.from_arrays([1, 0, 1, 0], scores=[2, 1, 1, 2], offsets=[0, 2, 4])] * 3
    assert ir.evaluate_stream(batches, "rr").n_queries == 6


def test_many_batches_are_remembered() -> None:
    def batches(again: int | None) -> Iterator[ir.RankingData]:
        for i in [*range(40), *([] if again is None else [again])]:
            yield ir.from_arrays([1, 0] * 3, scores=[2, 1] * 3, query_ids=np.repeat([f"q{i}-{j}" for j in range(3)], 2))

    assert ir.evaluate_stream(batches(None), "rr").n_queries == 120
    for again in (0, 17, 39):
        with pytest.raises(DataError, match=f"query 'q{again}-0'"):
            ir.evaluate_stream(batches(again), "rr")


def masked(values: list[float]) -> Any:
    return np.ma.masked_array(values, mask=[False] * (len(values) - 1) + [True])


@pytest.mark.parametrize(
    "call",
    [
        lambda: ir.evaluate(masked([1, 0, 1]), [3.0, 2.0, 1.0], "ndcg"),
        lambda: ir.evaluate([1, 0, 1], masked([3.0, 2.0, 1.0]), "ndcg"),
        lambda: ir.ndcg(masked([1, 0, 1]), [3.0, 2.0, 1.0]),
        lambda: ir.ndcg([1, 0, 1], masked([3.0, 2.0, 1.0])),
        lambda: ir.losses.LambdaRank()([1, 0, 1], masked([3.0, 2.0, 1.0])),
        lambda: ir.from_arrays([1, 0], features=np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]])),
        lambda: ir.from_arrays(
            [1, 0, 1],
            query_ids=[1, 2, 1],
            features=np.ma.masked_array(np.ones((3, 1)), mask=[[True], [False], [False]]),
        ),
        lambda: ir.learners.LeastSquaresRanker().fit(
            np.ma.masked_array(np.ones((3, 2)), mask=[[True, False]] * 3), [1, 0, 1], qid=[1, 1, 1]
        ),
        lambda: (
            ir.learners.LeastSquaresRanker()
            .fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
            .predict(np.ma.masked_array(np.ones((2, 1)), mask=[[True], [False]]))
        ),
    ],
)
def test_a_mask_is_never_ignored(call: Any) -> None:
    with pytest.raises(DataError, match="masked array with"):
        call()


def test_a_masked_array_with_nothing_masked_is_an_array() -> None:
    assert ir.evaluate([1, 0], np.ma.masked_array([1.0, 2.0]), "rr").mean == {"rr": 0.5}


BIG = 2**53


@pytest.mark.parametrize(
    "scores",
    [
        np.array([BIG, BIG + 1]),
        np.array([BIG, BIG + 1], np.uint64),
        [BIG, BIG + 1],
        [BIG + 1, float(BIG)],
        [10 * BIG**2, 10 * BIG**2 + 1],
    ],
)
def test_different_integers_never_become_ties(scores: Any) -> None:
    with pytest.raises(DataError, match="equal as float64"):
        ir.evaluate([0, 1], scores, "rr")
    with pytest.raises(DataError, match="equal as float64"):
        ir.Run({"q": {"a": scores[0], "b": scores[1]}})


def test_large_integers_that_stay_different_are_scores() -> None:
    assert ir.evaluate([0, 1], np.array([BIG, BIG + 2]), "rr").mean == {"rr": 1.0}
    assert ir.evaluate([0, 1], np.array([BIG + 2, BIG + 2]), "rr(ties=worst)").mean == {"rr(ties=worst)": 0.5}
    times = np.array([1_700_000_000_000_000_000, 1_700_000_000_123_456_789])
    assert ir.evaluate([0, 1], times, "rr").mean == {"rr": 1.0}


@pytest.mark.parametrize("scores", [np.array([1 + 2j, 2.0]), [1 + 2j, 2.0]])
def test_complex_scores_are_refused(scores: Any) -> None:
    with pytest.raises(DataError, match="numbers"):
        ir.evaluate([0, 1], scores, "rr")
    with pytest.raises(DataError, match="real numbers"):
        ir.from_arrays([0, 1], features=np.array([[1j], [2.0]]))


@pytest.mark.parametrize(("like", "n_queries"), [("trec_eval", 1), ("ir_measures", 2)])
def test_a_query_without_judgments_is_reported(like: str, n_queries: int) -> None:
    found = ir.evaluate({"u1": {}, "u2": {"a": 1}}, {"u1": {"a": 1.0}, "u2": {"a": 1.0}}, "rr", like=like)
    assert found.n_queries == n_queries
    (problem,) = (each for each in found.problems if each.kind == "query without judgments")
    assert problem.count == 1
    assert "'u1'" in problem.message


def test_weights_of_the_data_are_reported_as_unused() -> None:
    data = ir.from_arrays([1, 0, 1, 0], offsets=[0, 2, 4], weights=[1, 2, 3, 4], query_weights=[1, 3])
    scores = [2, 1, 1, 2]
    found = ir.evaluate(data, scores, "rr")
    assert found.mean == {"rr": 0.75}
    assert [each.message.split(",")[0] for each in found.problems if each.kind == "unused weights"] == [
        "the data has document weights",
        "the data has query weights",
    ]
    weighted = ir.evaluate(data, scores, "rr", query_weights=data.query_weights)
    assert weighted.mean == {"rr": (1 + 3 * 0.5) / 4}
    assert [each.count for each in weighted.problems if each.kind == "unused weights"] == [4]


RNG = np.random.default_rng(2)
N_QUERIES = 30
LABELS = RNG.integers(0, 3, N_QUERIES * 8)
DATA = ir.from_arrays(LABELS, group=[8] * N_QUERIES, query_ids=[f"q{i}" for i in range(N_QUERIES)])
SYSTEMS = {name: LABELS + noise * RNG.normal(size=LABELS.size) for name, noise in (("a", 1.0), ("b", 2.0), ("c", 3.0))}
WEIGHTS = RNG.integers(0, 5, N_QUERIES).astype(float)


def test_a_weighted_mean_is_that_of_numpy_and_its_interval_that_of_a_ratio() -> None:
    found = ir.evaluate(DATA, SYSTEMS["a"], ["ndcg@3", "ap"], query_weights=WEIGHTS)
    for name, values in found.per_query.items():
        mean = np.average(values, weights=WEIGHTS)
        assert found.mean[name] == pytest.approx(mean, rel=1e-14)
        n = np.count_nonzero(WEIGHTS)
        variance = n / (n - 1) * (WEIGHTS**2 * (values - mean) ** 2).sum() / WEIGHTS.sum() ** 2
        effective = WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum()
        expected = bounded_interval(mean, variance * effective, effective, 0.95, (0, 1))
        assert found.interval()[name] == pytest.approx(expected, rel=1e-12)


def test_equal_weights_change_nothing() -> None:
    plain = ir.compare(DATA, SYSTEMS, ["ndcg@3", "ap"], baseline="a", seed=1)
    same = ir.compare(DATA, SYSTEMS, ["ndcg@3", "ap"], baseline="a", seed=1, query_weights=np.full(N_QUERIES, 0.25))
    assert same.means == plain.means
    assert same.differences == plain.differences


def test_whole_weights_are_repeated_queries() -> None:
    times = np.repeat(np.arange(N_QUERIES), WEIGHTS.astype(int))
    values = ir.evaluate(DATA, SYSTEMS["a"], "ndcg@3").per_query["ndcg@3"]
    found = ir.evaluate(DATA, SYSTEMS["a"], "ndcg@3", query_weights=dict(zip(DATA.query_ids, WEIGHTS, strict=True)))
    assert found.mean["ndcg@3"] == pytest.approx(values[times].mean(), rel=1e-14)


def test_intervals_of_weighted_means_hold_the_truth_in_about_95_percent_of_samples() -> None:
    rng, held = np.random.default_rng(0), 0
    for _ in range(600):
        weights = rng.gamma(2.0, size=60)
        sample = weights / 10 + rng.normal(size=60)  # values that depend on the weights
        found = interval_of(WeightedMoments(sample, weights), 0.95)
        held += found.low <= 0.3 <= found.high
    assert 0.92 <= held / 600 <= 0.975


@pytest.mark.parametrize("test", ["randomization", "t", "tukey"])
def test_weighted_differences_are_tested(test: str) -> None:
    baseline = None if test == "tukey" else "b"
    found = ir.compare(DATA, SYSTEMS, "ndcg@3", baseline=baseline, test=test, seed=4, query_weights=WEIGHTS)
    means = {name: own.mean["ndcg@3"] for name, own in found.evaluations.items()}
    values = found.values["ndcg@3"]
    order = list(SYSTEMS)
    for each in found.differences["ndcg@3"]:
        assert found.means["ndcg@3"][each.system].mean == means[each.system]
        assert each.difference == pytest.approx(means[each.system] - means[each.against], abs=1e-14)
        assert each.interval.low < each.difference < each.interval.high
        scaled = values * WEIGHTS[:, None]
        i, j = order.index(each.system), order.index(each.against)
        if test == "randomization":
            assert each.p_value == pytest.approx(
                stats.randomization_test(scaled[:, i], scaled[:, j], seed=4).p_value, abs=0.01
            )
        elif test == "t":  # the t test and the t interval agree
            assert (each.p_value < 0.05) == (each.interval.low > 0 or each.interval.high < 0)
        else:
            tukey = stats.randomized_tukey_hsd(scaled, seed=4)
            assert each.p_value == pytest.approx(tukey.p_values[i, j], abs=0.01)
    assert "weighted" in found.page().remarks[0]


@pytest.mark.parametrize(
    "options", [{"test": t} for t in ("wilcoxon", "sign", "bootstrap")] + [{"interval_method": "bca"}]
)
def test_what_has_no_weighted_form_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="weighted"):
        ir.compare(DATA, SYSTEMS, "ndcg@3", baseline="a", query_weights=WEIGHTS, **options)


def test_weights_follow_the_queries_that_count() -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 1, "b": 0}}
    run = {"q1": {"a": 1.0, "b": 2.0}, "q3": {"a": 2.0, "b": 1.0}}
    weights = {"q1": 3, "q2": 100, "q3": 1}
    assert ir.evaluate(qrels, run, "rr", query_weights=weights).mean == {"rr": (3 * 0.5 + 1) / 4}
    assert ir.evaluate(qrels, run, "rr", query_weights=weights, like="ir_measures").mean["rr"] == pytest.approx(
        2.5 / 104
    )
    with pytest.raises(DataError, match=r"no weight.*query 'q2'"):
        ir.evaluate(qrels, run, "rr", query_weights={"q1": 1, "q3": 1})
    with pytest.raises(DataError, match=r"not negative.*query 'q3'"):
        ir.evaluate(qrels, run, "rr", query_weights=[1, 1, -1])
    with pytest.raises(DataError, match="one entry per query: 3, got 2"):
        ir.evaluate(qrels, run, "rr", query_weights=[1, 1])
    with pytest.raises(DataError, match="all 0"):
        ir.evaluate(qrels, run, "rr", query_weights=[0, 0, 0])

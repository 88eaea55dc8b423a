"""`limits`: the limits of systems in Python, as the command line shows them."""

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import OptionError
from idealrank.theory import StepCurve, limits

LABELS = np.random.default_rng(3).integers(0, 3, 120)
OFFSETS = np.arange(0, 121, 12)
SYSTEMS = {"noise": np.random.default_rng(4).normal(size=120), "good": LABELS + 0.0}


def test_limits_are_those_of_each_system_and_measure_and_the_best_system_is_first() -> None:
    found = limits(LABELS, SYSTEMS, ["ndcg", "ndcg@5"], offsets=OFFSETS)
    names = [(each.system, each.measure) for each in found.limits]
    assert names == [("good", "ndcg"), ("good", "ndcg@5"), ("noise", "ndcg"), ("noise", "ndcg@5")]
    means = ir.evaluate(LABELS, SYSTEMS, ["ndcg", "ndcg@5"], offsets=OFFSETS)
    assert all(each.now == means[each.system].mean[each.measure] for each in found.limits)
    assert [each.limit for each in found.limits if each.measure == "ndcg"] == [1.0, 1.0]
    assert found.limits[3].limit is None
    assert found.limits[3].spread is not None
    assert list(found.page().reasons) == ["ndcg", "ndcg@5"]


def test_limits_are_about_queries_with_relevant_documents() -> None:
    labels = LABELS.copy()
    labels[:36] = 0
    found = limits(labels, SYSTEMS["noise"], "ndcg", offsets=OFFSETS)
    (only,) = found.limits
    assert (only.limit, only.low, only.high) == (1.0, 1.0, 1.0)  # Theorem 4
    assert found.page().findings[0] == (
        f"The mean ndcg of system is {only.now:.4f}; as lists grow, it tends to 1.0000 on queries with relevant "
        "documents; 30.0% of the queries have none and count 0."
    )
    several = limits(labels, SYSTEMS, ["ndcg", "ndcg@20%"], offsets=OFFSETS)
    end = "The limits are for queries with relevant documents; 30.0% of the queries have none."
    assert several.page().findings[0].endswith(end)
    skipped = limits(labels, SYSTEMS["noise"], "ndcg(empty=skip)", offsets=OFFSETS)
    assert skipped.page().findings[0].endswith("30.0% of the queries have none and do not count.")


@pytest.mark.parametrize("n_queries", [2, 3, 10])
def test_intervals_of_limits_are_in_the_range_of_the_measure(n_queries: int) -> None:
    rng = np.random.default_rng(0)
    labels = (rng.random(20 * n_queries) < 0.7).astype(float)
    scores = labels + rng.normal(size=labels.size) * 0.3
    offsets = range(0, labels.size + 1, 20)
    for name in ("ndcg@20%", "ndcg(discount=power:0.5)", "ndcg(discount=zipf)"):
        (only,) = limits(labels, scores, name, offsets=offsets).limits
        assert only.low is not None and only.limit is not None and only.high is not None  # noqa: PT018
        assert 0 <= only.low <= only.limit <= only.high <= 1
        assert only.high - only.low > 0.01  # so few queries do not determine a limit


def test_one_system_without_a_name_and_its_curve() -> None:
    found = limits(LABELS, SYSTEMS["noise"], "ndcg@20%", offsets=OFFSETS, method="bins")
    assert str(found).startswith("The mean ndcg@20% of system is ")
    expected = StepCurve.fit(LABELS, SYSTEMS["noise"], OFFSETS, method="bins")
    positions = np.linspace(0, 1, 11)
    assert np.array_equal(found.curves["system"](positions), expected(positions))


def test_progress_is_called_for_each_system() -> None:
    calls: list[tuple[int, int]] = []
    limits(LABELS, SYSTEMS, "ndcg", offsets=OFFSETS, progress=lambda *numbers: calls.append(numbers))
    assert calls == [(1, 2), (2, 2)]


def test_unknown_method_and_measures_without_theory() -> None:
    with pytest.raises(OptionError, match="method must be one of top, bins, isotonic, got 'spline'"):
        limits(LABELS, SYSTEMS, offsets=OFFSETS, method="spline")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="this theory is about NDCG"):
        limits(LABELS, SYSTEMS, "ap", offsets=OFFSETS)

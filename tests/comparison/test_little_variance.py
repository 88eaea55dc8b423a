"""Comparisons without variance: the same difference on all queries, one query, no difference at all; and seeds."""

from typing import Any

import pytest

import idealrank as ir
from idealrank import stats
from idealrank.comparison.comparison_result import Comparison

GOOD, BAD = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}


def compared(n: int, good: int | None = None, **options: Any) -> Comparison:
    """Compare two systems on n queries; the first one is better by 0.5 on the first ``good`` queries, or on all."""
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(n)}
    better = {query: GOOD if good is None or place < good else BAD for place, query in enumerate(qrels)}
    return ir.compare(qrels, {"good": better, "bad": dict.fromkeys(qrels, BAD)}, "rr", **options)


@pytest.mark.parametrize("options", [{}, {"baseline": "bad"}, {"query_weights": {f"q{i}": i + 1 for i in range(50)}}])
def test_the_same_difference_on_50_queries_is_significant(options: dict[str, Any]) -> None:
    found = compared(50, **options)
    (each,) = found.differences["rr"]
    assert each.difference == 0.5
    assert each.p_value == 2.0**-49
    assert "good" in found.page().findings[0]
    assert "significantly better than bad" in found.page().findings[0]
    assert "too few" not in found.to_text()
    assert 0 < each.interval.low < 0.5 < each.interval.high <= 1
    assert each.note == "the difference is the same on every query"


@pytest.mark.parametrize("test", ["t", "randomization", "sign", "wilcoxon", "bootstrap"])
@pytest.mark.parametrize("n", [2, 3, 5, 6, 12])
def test_few_equal_differences_have_the_p_value_of_sign_flips(test: str, n: int) -> None:
    (each,) = compared(n, test=test).differences["rr"]
    assert each.p_value == pytest.approx(2.0 ** (1 - n), rel=1e-12)
    assert (each.p_value <= 0.05) == (n >= 6)


@pytest.mark.parametrize("test", ["t", "randomization", "sign", "wilcoxon", "bootstrap"])
def test_one_query_shows_nothing(test: str) -> None:
    found = compared(1, test=test)
    (each,) = found.differences["rr"]
    assert each.p_value == 1
    assert "one query is not enough to test differences" in found.page().findings[0]
    assert "too few queries" in found.table("letters").caption
    assert each.interval.low != each.interval.low


@pytest.mark.parametrize("test", ["t", "randomization", "sign", "wilcoxon", "bootstrap", "tukey"])
def test_systems_that_are_equal_on_all_queries_do_not_differ(test: str) -> None:
    found = compared(30, good=0, test=test)
    (each,) = found.differences["rr"]
    assert (each.p_value, each.difference) == (1, 0)
    assert each.interval.low == -each.interval.high < 0  # other queries may differ
    assert "do not differ significantly" in found.page().findings[0]


@pytest.mark.parametrize("k", [1, 4, 5, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_fewer_than_six_queries_that_differ_are_not_significant(k: int, weighted: bool) -> None:
    weights = {"query_weights": {f"q{i}": 1 + i % 2 for i in range(50)}} if weighted else {}
    (each,) = compared(50, good=k, **weights).differences["rr"]
    assert (each.p_value > 0.05) == (each.interval.low <= 0) == (k < 6)
    if k < 6:
        assert each.p_value >= 2.0 ** (1 - k)
        assert "fewer than 6 queries differ" in each.note or k == 1
        said = [str(each) for each in compared(50, good=k, **weights).page().findings]
        assert f"with {k} quer" in said[1]


def test_queries_of_weight_0_are_not_counted() -> None:
    found = compared(8, good=4, query_weights={f"q{i}": i < 5 for i in range(8)})
    (each,) = found.differences["rr"]
    assert (each.effect.wins, each.effect.ties, each.effect.losses) == (4, 1, 0)
    assert each.p_value < 0.05
    assert "no difference can be significant" not in found.to_text()


def test_equivalence_of_equal_differences_is_a_sign_test() -> None:
    assert stats.equivalence_test([0.5] * 5, [0.45] * 5, margin=0.1).p_value == 2.0**-5
    assert stats.equivalence_test([0.5] * 5, [0.5] * 5, margin=0.1).p_value == 2.0**-5
    assert stats.equivalence_test([0.5] * 5, [0.3] * 5, margin=0.1).p_value == 1


def test_the_same_call_gives_the_same_p_values_and_a_new_seed_is_kept() -> None:
    qrels, runs = ir.datasets.search_runs(40, seed=1)
    options: dict[str, Any] = {"baseline": "bm25", "test": "randomization", "n_permutations": 200}

    def p_values(**more: Any) -> list[float]:
        return [each.p_value for each in ir.compare(qrels, runs, "ap", **options, **more).differences["ap"]]

    assert p_values() == p_values() == p_values(seed=0)
    drawn = ir.compare(qrels, runs, "ap", **options, seed=None)
    assert drawn.seed != ir.compare(qrels, runs, "ap", **options, seed=None).seed
    assert f"seed {drawn.seed}" in drawn.page().remarks[0]
    assert [each.p_value for each in drawn.differences["ap"]] == p_values(seed=drawn.seed)


def test_a_pair_has_the_same_p_value_with_and_without_a_baseline() -> None:
    qrels, runs = ir.datasets.search_runs(40, seed=1)
    against = {each.system: each for each in ir.compare(qrels, runs, "ap", baseline="bm25").differences["ap"]}
    for each in ir.compare(qrels, runs, "ap").differences["ap"]:
        if "bm25" in (each.system, each.against):
            other = each.system if each.against == "bm25" else each.against
            assert each.p_value == pytest.approx(against[other].p_value, rel=1e-12)


def test_differences_stay_in_their_range() -> None:
    (each,) = compared(3, good=2).differences["rr"]  # Student's t: -0.38 to 1.05
    assert -0.5 < each.interval.low < each.interval.high <= 1
